"""``replay``: a recording in the window, as a table, verified, or as a film."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from engine.app.files import write_atomically
from engine.cli import options
from engine.cli.film import WantedFilm, filmed, wanted_film
from engine.cli.output import check_files, people, print_rows, progress, write_json
from engine.common.checks import integer

if TYPE_CHECKING:
    from engine.sim.recordings import Recording
    from engine.sim.recordings.verifying import Verdict

__all__ = ["replay_command"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """Options of ``replay``."""

    file: Annotated[str, typer.Argument(metavar="FILE", help="A recording (.rec).")]
    headless: Annotated[
        bool, typer.Option("--headless", help="No window: what is in it. Implied by all options but --ui-scale and --theme.")
    ] = False
    verify: Annotated[bool, typer.Option("--verify", help="Play it from the start and name what comes out otherwise first.")] = False
    json_file: options.JsonFile = None
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture of a step.")] = None
    at: Annotated[int | None, typer.Option("--at", metavar="STEP", help="Which step, of --screenshot.", show_default="the last")] = None
    film: options.FilmFile = None
    first: Annotated[int | None, typer.Option("--from", metavar="STEP", help="Where the film begins.", show_default="0")] = None
    last: Annotated[int | None, typer.Option("--to", metavar="STEP", help="Where it ends.", show_default="the last")] = None
    speed: Annotated[float | None, typer.Option("--speed", metavar="X", help="0.25 is slow motion.", show_default="1")] = None
    rate: options.FilmRate = None
    size: options.FilmSize = None
    with_panel: options.WithPanel = False
    ui_scale: options.UiScale = None
    theme: options.Theme = None
    own: Annotated[str | None, typer.Option("--demo", metavar="FILE.py", help="A demo of your own, that was recorded.")] = None


@options.takes_options
def replay_command(args: ReplayOptions) -> int:
    """Play a recording.

    In the window the time line has all of it. Headless: a table of what is in it. --verify plays it from the start and compares every step;
    status 1 if one ends otherwise, and its number and the bodies that do are named.
    """
    from engine.sim.recordings import load_recording

    options.left_out("given with --screenshot, of which it speaks", {"--at": args.at if args.screenshot is None else None})
    if args.film is None:
        options.left_out("given with --record, of whose film it speaks", {"--from": args.first, "--to": args.last, "--speed": args.speed})
    filming = wanted_film("--record", args.film, args.rate, args.size, args.with_panel, 1.0 if args.speed is None else args.speed)
    check_files({"FILE": args.file}, {"--json": args.json_file, "--screenshot": args.screenshot, "--record": args.film})
    if args.own is not None:
        from engine.cli.own_demo import load_own_demo

        with options.named("--demo"):
            load_own_demo(args.own)
    recording = load_recording(args.file)
    steps = recording.steps
    at = integer("--at", steps if args.at is None else args.at, 0, steps)
    first = integer("--from", 0 if args.first is None else args.first, 0, steps)
    last = integer("--to", steps if args.last is None else args.last, first, steps)
    if not (args.headless or args.verify or args.json_file or args.screenshot or args.film):
        from engine.sim.replaying import new_demo

        advice, past = "--headless says what is in the recording", lambda session: session.play(recording, args.file)
        options.open_window(advice, args.ui_scale, lambda *_: new_demo(recording), prepare=past, theme=args.theme)
        return 0
    options.left_out("left out of a headless run", {"--ui-scale": args.ui_scale})
    verdict = _played(recording) if args.verify else None
    if args.screenshot is not None:
        _picture(recording, at, args.screenshot)
    film_rows = _film(recording, filming, first, last) if filming is not None else []
    write_json(args.json_file, _as_json(recording, verdict))
    _print(recording, verdict, film_rows, args.json_file)
    return 1 if verdict is not None and not verdict.is_same else 0


def _played(recording: Recording) -> Verdict:
    from engine.sim.recordings.verifying import verify
    from engine.sim.replaying import replay

    with progress("playing it again", recording.steps) as advance:
        return verify(recording, replay(recording), lambda _: advance())


def _picture(recording: Recording, at: int, target: str) -> None:
    from engine.app.headless import picture_of
    from engine.sim.replaying import replay

    history = replay(recording)
    with progress("going there", at) as advance:
        history.seek(at, advance)
    write_atomically(target, picture_of(history.demo, paused=True))


def _film(recording: Recording, wanted: WantedFilm, first: int, last: int) -> list[tuple[str, str]]:
    from engine.sim.replaying import replay

    history = replay(recording)
    with filmed(wanted) as camera, progress("filming", last) as advance:
        history.seek(first, advance)
        camera.start(history.demo)
        for step in range(first + 1, last + 1):
            history.seek(step)
            camera.stepped()
            advance()
    return camera.rows


def _as_json(recording: Recording, verdict: Verdict | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "demo": recording.header.demo,
        "solver": recording.header.solver,
        "solver_settings": dict(recording.header.chosen_settings or ()),
        "solvers": list(recording.solvers),
        "seed": recording.seed,
        "values": dict(recording.header.values),
        "steps": recording.steps,
        "begun": recording.begun,
        "seconds": recording.steps * recording.header.step_seconds,
        "inputs": recording.n_inputs,
        "branches": recording.branches,
        "bodies": sum(map(len, recording.branch.states.bodies[-1])),
        "hash": recording.branch.states.hashes[-1].hex(),
        "is_ended": recording.is_ended,
        "makers": dict(recording.header.makers),
    }
    if verdict is not None:
        result["verified"] = verdict.as_json()
    return result


def _print(recording: Recording, verdict: Verdict | None, film_rows: list[tuple[str, str]], json_file: str | None) -> None:
    from engine.sim.ids import readable
    from engine.sim.replaying import demo_kind
    from engine.world import load_solver

    out = people(json_file)
    header = recording.header
    title = demo_kind(recording).title if header.scene is None else str(header.scene.get("title") or header.demo)
    out.print(f"[bold]{escape(title)}[/bold], recorded, seed {recording.seed}")
    made = ", ".join(f"{name} {version}" for name, version in recording.header.makers.items())
    begun = f"; recording was begun at step {recording.begun}" if recording.begun else ""
    rows = [
        ("solver", ", then ".join(load_solver(name).capabilities.title for name in recording.solvers)),
        ("steps", f"{recording.steps}, {recording.steps * recording.header.step_seconds:.2f} s{begun}"),
        ("inputs", f"{recording.n_inputs}"),
        ("branches", f"{recording.branches}"),
        ("bodies", f"{sum(map(len, recording.branch.states.bodies[-1]))} at the end"),
        ("hash", recording.branch.states.hashes[-1].hex()),
        ("made by", made),
    ]
    if not recording.is_ended:
        rows.append(("cut off", "the program that recorded it came to a sudden end; this is all that was written"))
    if verdict is not None:
        rows.append(("verified", readable(verdict.words)))
    print_rows(out, [*rows, *film_rows])
