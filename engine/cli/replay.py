"""``replay``: show, summarize, verify or film a recording, or make a page of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.capture import RunCapture
from engine.cli.options import argument, option
from engine.cli.output import progress
from engine.common.checks import integer
from engine.common.files import write_atomically
from engine.report import Link, Report, facts

if TYPE_CHECKING:
    from engine.sim.recordings import Recording
    from engine.sim.recordings.verifying import Verdict

__all__ = ["replay_command"]


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """Options of ``replay``."""

    file: str = argument("FILE", "Recording (.rec).", reads=True)
    verify: bool = option("", "Replay and compare every step.", False, without_window=True)
    headless: bool = option("", "Print a summary instead of opening a window.", False, without_window=True)
    json: options.JsonFile = None
    screenshot: options.Screenshot = None
    at: int | None = option("STEP", "Step shown in the screenshot.", shown="last", needs=("screenshot",))
    film: options.FilmFile = None
    html: options.HtmlFile = None
    since: int | None = option("STEP", "First step of the video or page.", name="--from", shown="0", needs=("film", "html"))
    until: int | None = option("STEP", "Last step of the video or page.", name="--to", shown="last", needs=("film", "html"))
    speed: float = option("X", "Playback speed of the video; 0.5 is slow motion.", 1.0, low=1e-3, high=1e3, needs=("film",))
    fps: options.FilmRate = None
    size: options.FilmSize = None
    ui_scale: options.UiScale = None
    theme: options.Theme = None
    demo: str | None = option("FILE.py", "File of your own demo, if the recording shows one.", reads=True)


@options.command
def replay_command(args: ReplayOptions) -> Report | None:
    """Play a recording.

    The window's timeline covers the whole recording. A headless run prints a summary. --verify replays from the start and
    compares every step. The status is 1 if a step differs; its number and the bodies that differ are printed.
    """
    from engine.sim.recordings import load_recording

    capture = RunCapture(args.film, args.html, args.fps, args.size, args.speed)
    if args.demo is not None:
        from engine.cli.own_demo import load_own_demo

        with options.named("--demo"):
            load_own_demo(args.demo)
    recording = load_recording(args.file)
    steps = recording.steps
    at = integer("--at", steps if args.at is None else args.at, 0, steps)
    first = integer("--from", args.since or 0, 0, steps)
    last = integer("--to", steps if args.until is None else args.until, first, steps)
    if options.has_window(args):
        from engine.sim.replaying import new_demo

        options.open_window(
            "--headless prints a summary of the recording", lambda *_: new_demo(recording),
            prepare=lambda session: session.play(recording, args.file), ui_scale=args.ui_scale, theme=args.theme,
        )  # fmt: skip
        return None
    verdict = _played(recording) if args.verify else None
    if args.screenshot is not None:
        _draw(recording, at, args.screenshot)
    rows = {} if args.film is args.html is None else _film(recording, capture, first, last)
    result = _as_json(recording, verdict)
    shown = {name: value for name, value in result.items() if name not in ("demo", "seed", "verified")}
    if verdict is not None:
        from engine.sim.ids import readable

        rows["verified"] = readable(verdict.words)
    status = int(verdict is not None and not verdict.is_same)
    return Report(result, (Link(f"{_title(recording)}, recorded, seed {recording.seed}", "title"), {**facts(shown), **rows}), status)


def _title(recording: Recording) -> str:
    from engine.sim.replaying import demo_kind

    scene = recording.header.scene
    return demo_kind(recording).title if scene is None else str(scene.get("title") or recording.header.demo)


def _played(recording: Recording) -> Verdict:
    from engine.sim.recordings.verifying import verify
    from engine.sim.replaying import replay

    with progress("replaying", recording.steps) as advance:
        return verify(recording, replay(recording), lambda _: advance())


def _draw(recording: Recording, at: int, target: str) -> None:
    from engine.app.headless import picture_of
    from engine.sim.replaying import replay

    history = replay(recording)
    with progress("seeking", at) as advance:
        history.seek(at, advance)
    write_atomically(target, picture_of(history.demo, paused=True))


def _film(recording: Recording, capture: RunCapture, first: int, last: int) -> dict[str, Any]:
    """Write the requested video and page of a span; return summary rows to print."""
    from engine.sim.replaying import replay

    history = replay(recording)
    with capture.running(), progress("replaying", last) as advance:
        history.seek(first, advance)
        capture.start(history.demo, last - first, "--to")
        for step in range(first + 1, last + 1):
            history.seek(step)
            capture.stepped()
            advance()
    return capture.written()


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
    return result if verdict is None else {**result, "verified": verdict.as_json()}
