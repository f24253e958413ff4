"""``replay``: a recording in the window, as a table, verified, or as a film."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from engine.app.files import check_writable, write_atomically
from engine.cli.film import WantedFilm, filmed, wanted_film
from engine.cli.output import check_apart, check_json_target, people, progress, write_json
from engine.cli.run import use_theme
from engine.common.checks import integer
from engine.common.errors import InvalidInputError

if TYPE_CHECKING:
    from engine.history.recordings import Recording
    from engine.history.recordings.verifying import Verdict

__all__ = ["replay_command"]


def replay_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A recording (.rec).")],
    headless: Annotated[
        bool, typer.Option("--headless", help="No window: what is in it. Implied by all options but --ui-scale and --theme.")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Play it from the start and name what comes out otherwise first.")] = False,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")] = None,
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture of a step.")] = None,
    at: Annotated[int | None, typer.Option("--at", metavar="STEP", help="Which step, of --screenshot.", show_default="the last")] = None,
    film: Annotated[str | None, typer.Option("--record", metavar="F.mp4|F.gif", help="Write a film of it.")] = None,
    first: Annotated[int | None, typer.Option("--from", metavar="STEP", help="Where the film begins.", show_default="0")] = None,
    last: Annotated[int | None, typer.Option("--to", metavar="STEP", help="Where it ends.", show_default="the last")] = None,
    speed: Annotated[float | None, typer.Option("--speed", metavar="X", help="0.25 is slow motion.", show_default="1")] = None,
    rate: Annotated[
        float | None, typer.Option("--fps", metavar="N", help="Frames a second of the film; 60, of a GIF 25.", show_default=False)
    ] = None,
    size: Annotated[
        str | None, typer.Option("--size", metavar="WxH", help="Pixels of the film, 16 to 4096 a side.", show_default="1280x720")
    ] = None,
    with_panel: Annotated[bool, typer.Option("--with-panel", help="Film the whole window, and not the view alone.")] = False,
    ui_scale: Annotated[float | None, typer.Option("--ui-scale", metavar="X", help="Size of text in the window, 0.75 to 4.")] = None,
    theme: Annotated[str | None, typer.Option("--theme", metavar="dark|light", help="Colours of window, pictures, films.")] = None,
    own: Annotated[str | None, typer.Option("--demo", metavar="FILE.py", help="A demo of your own, that was recorded.")] = None,
) -> int:
    """Play a recording.

    In the window the time line has all of it. Headless: a table of what is in it. --verify plays it from the start and compares every step;
    status 1 if one ends otherwise, and its number and the bodies that do are named.
    """
    from engine.history.recordings import load_recording

    use_theme(theme)
    check_json_target(json_file)
    if screenshot is not None:
        check_writable("--screenshot", screenshot, (".png",))
    elif at is not None:
        raise InvalidInputError("--at", "given with --screenshot, of which it speaks", at)
    for option, value in (("--from", first), ("--to", last), ("--speed", speed)):
        if value is not None and film is None:
            raise InvalidInputError(option, "given with --record, of whose film it speaks", value)
    filming = wanted_film("--record", film, rate, size, with_panel, 1.0 if speed is None else speed)
    check_apart({"FILE": file}, {"--json": json_file, "--screenshot": screenshot, "--record": film})
    if own is not None:
        _load_own(own)
    recording = load_recording(file)
    steps = recording.steps
    at = integer("--at", steps if at is None else at, 0, steps)
    first = integer("--from", 0 if first is None else first, 0, steps)
    last = integer("--to", steps if last is None else last, first, steps)
    if not (headless or verify or json_file or screenshot or film):
        _open_window(recording, file, ui_scale, theme)
        return 0
    if ui_scale is not None:
        raise InvalidInputError("--ui-scale", "left out of a headless run", ui_scale)
    verdict = _played(recording) if verify else None
    if screenshot is not None:
        _picture(recording, at, screenshot)
    film_words = _film(recording, filming, first, last) if filming is not None else ""
    _print(recording, verdict, json_file)
    if filming is not None:
        words = f"{filming.path}, {film_words} of {filming.size[0]} x {filming.size[1]}"
        people(json_file).print(f"  {'film':<10} {words}", markup=False)
    write_json(json_file, _as_json(recording, verdict))
    return 1 if verdict is not None and not verdict.is_same else 0


def _load_own(path: str) -> None:
    from engine.demo.own_demo import load_own_demo

    try:
        load_own_demo(path)
    except InvalidInputError as error:
        raise InvalidInputError("--demo", error.requirement, error.value) from None


def _played(recording: Recording) -> Verdict:
    from engine.demo.replaying import replay
    from engine.history.recordings.verifying import verify

    with progress("playing it again", recording.steps) as advance:
        return verify(recording, replay(recording), lambda _: advance())


def _picture(recording: Recording, at: int, target: str) -> None:
    from engine.app.headless import picture_of
    from engine.demo.replaying import replay

    history = replay(recording)
    with progress("going there", at) as advance:
        history.seek(at, lambda _: advance())
    write_atomically(target, picture_of(history.demo, paused=True))


def _film(recording: Recording, wanted: WantedFilm, first: int, last: int) -> str:
    from engine.demo.replaying import replay

    history = replay(recording)
    with filmed(wanted) as camera, progress("filming", last) as advance:
        history.seek(first, lambda _: advance())
        camera.start(history.demo)
        for step in range(first + 1, last + 1):
            history.seek(step)
            camera.stepped()
            advance()
    return camera.words


def _open_window(recording: Recording, file: str, ui_scale: float | None, theme: str | None) -> None:
    from engine.app.display import display_problem
    from engine.app.loop import DisplayError, run_window
    from engine.demo.replaying import new_demo

    problem = display_problem()
    if problem is not None:
        raise DisplayError(f"no window can be opened here ({problem}); --headless says what is in the recording")
    run_window(lambda *_: new_demo(recording), ui_scale=ui_scale, prepare=lambda session: session.play(recording, file), theme=theme)


def _as_json(recording: Recording, verdict: Verdict | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "demo": recording.demo,
        "seed": recording.seed,
        "values": dict(recording.values),
        "steps": recording.steps,
        "begun": recording.begun,
        "seconds": recording.steps * recording.step_seconds,
        "inputs": recording.n_inputs,
        "branches": recording.branches,
        "bodies": sum(map(len, recording.branch.states.bodies[-1])),
        "hash": recording.branch.states.hashes[-1].hex(),
        "is_ended": recording.is_ended,
        "makers": dict(recording.makers),
    }
    if verdict is not None:
        found["verified"] = verdict.as_json()
    return found


def _print(recording: Recording, verdict: Verdict | None, json_file: str | None) -> None:
    from engine.demo.replaying import demo_kind

    out = people(json_file)
    title = demo_kind(recording).title if recording.scene is None else str(recording.scene.get("title") or recording.demo)
    out.print(f"[bold]{escape(title)}[/bold], recorded, seed {recording.seed}")
    made = ", ".join(f"{name} {version}" for name, version in recording.makers.items())
    begun = f"; recording was begun at step {recording.begun}" if recording.begun else ""
    rows = [
        ("steps", f"{recording.steps}, {recording.steps * recording.step_seconds:.2f} s{begun}"),
        ("inputs", f"{recording.n_inputs}"),
        ("branches", f"{recording.branches}"),
        ("bodies", f"{sum(map(len, recording.branch.states.bodies[-1]))} at the end"),
        ("hash", recording.branch.states.hashes[-1].hex()),
        ("made by", made),
    ]
    if not recording.is_ended:
        rows.append(("cut off", "the program that recorded it came to a sudden end; this is all that was written"))
    if verdict is not None:
        rows.append(("verified", verdict.words))
    for label, text in rows:
        out.print(f"  {label:<10} {text}", markup=False)
