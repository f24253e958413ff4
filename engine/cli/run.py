"""``run``: run one demo, in a window or headless."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.capture import RunCapture, write_page
from engine.cli.options import argument, option
from engine.cli.output import progress, waiting
from engine.common.checks import integer
from engine.common.errors import Described, InvalidInputError, LabError
from engine.common.files import write_atomically
from engine.common.words import counted, meant
from engine.report import Link, Part, Report, Value, facts

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.compare.pair.file import Pair
    from engine.sim.comparison import Comparison
    from engine.sim.demo import Demo, Simulation
    from engine.sim.history import History
    from engine.sim.recordings import Recorder
    from engine.world.solver import NamedValues

__all__ = ["demo_or_file", "demo_values", "run_command"]

DEFAULT_STEPS = 600
MAX_STEPS = 10_000_000
_OWN_SUFFIX = ".py"
_RECORDING_SUFFIX = ".rec"
_SOLVERS = "solver."
_MOVING = ("steps", "seconds", "film", "record_inputs", "csv_contacts", "csv_states", "csv_timings", "drops", "solver", "against")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of ``run``."""

    demo: str | None = argument("[ID|FILE]", "Demo id (see the list command), scene file or demo file.", None, reads=True)
    headless: bool = option(
        "",
        "Run without a window. Implied by --steps, --seconds, --json, --html, --screenshot, --record and --csv-*.",
        False,
        without_window=True,
    )
    steps: int | None = option("N", "Number of steps.", low=1, high=MAX_STEPS, shown=str(DEFAULT_STEPS), without_window=True)
    seconds: float | None = option(
        "S", "Length of the run in simulated seconds, instead of --steps.", low=1e-3, high=1e5, unit="s", excludes=("steps",),
        without_window=True,
    )  # fmt: skip
    seed: options.Seed = 0
    solver: options.SolverName = None
    against: options.Against = None
    settings: options.Settings = None
    screenshot: options.Screenshot = None
    html: options.HtmlFile = None
    json: options.JsonFile = None
    pair: str | None = option("FILE", "Open a shape pair file instead of a demo.", reads=True, excludes=("demo", *_MOVING))
    drops: list[str] | None = option("FILE", "Drop a picture or body file into the demo; repeatable.", name="--drop", reads=True)
    ui_scale: options.UiScale = None
    theme: options.Theme = None
    film: options.FilmFile = None
    fps: options.FilmRate = None
    size: options.FilmSize = None
    record_inputs: str | None = option("F.rec", "Record the run to a new file for the replay command.", writes=(".rec",), is_new=True)
    csv_contacts: str | None = option("F.csv", "Write every contact of every step as CSV.", writes=(".csv",), without_window=True)
    csv_states: str | None = option(
        "F.csv", "Write the state of every body after every step as CSV.", writes=(".csv",), without_window=True
    )
    csv_timings: str | None = option("F.csv", "Write the duration of every step as CSV.", writes=(".csv",), without_window=True)


@options.command
def run_command(args: RunOptions) -> Report | None:
    """Run a demo, a scene file (.json, ours or exported from R.U.B.E., or .svg), or your own demo (.py).

    A window runs until you close it. A headless run takes N steps, compares every contact with our own algorithms and prints a summary.
    The status is 1 if a difference is unexplained. --pair opens a pair file and shows our result and Box2D's. --drop drops a picture (PNG,
    JPEG, ...), an SVG or a body file written by the trace command into the demo, as if dropped on the window. --solver replaces the
    solver of the demo or scene file. --against runs a copy with another solver and reports where and why the two part. --html writes a
    page that plays the run in any browser; --record writes a video; --record-inputs writes a recording that the replay command
    reproduces bit for bit.
    """
    capture = RunCapture(args.film, args.html, args.fps, args.size)
    pair = None
    if args.pair is not None:
        from engine.app.case_demos import inspector_of

        pair, kind = inspector_of(args.pair)
    else:
        kind = demo_or_file("ID|FILE", args.demo)
    with _naming_lines(kind, args.demo or ""):
        values, own = demo_values(kind, args.settings or [], args.solver)
        if options.has_window(args):
            prepare = partial(_begin, drops=args.drops or [], recording=args.record_inputs, against=args.against)
            made = kind if args.solver is None and own is None else partial(kind, solver=args.solver, solver_settings=own)
            options.open_window(
                "--headless runs without a display", made, ui_scale=args.ui_scale, seed=args.seed, values=values, prepare=prepare,
                theme=args.theme,
            )  # fmt: skip
            return None
        if pair is not None:
            return _answer(pair, kind, values, args.screenshot, args.html)
        return _headless(args, kind, values, own, capture)


def _naming_lines(kind: type[Demo], given: str) -> contextlib.AbstractContextManager[None]:
    """Report exceptions raised in the demo's code with the line number; scene files have no code."""
    from engine.cli.own_demo import errors_with_line

    if given.lower().endswith(_OWN_SUFFIX):
        return errors_with_line(given)
    if kind.__module__.startswith("demos."):
        return errors_with_line(os.path.dirname(inspect.getfile(kind)), f"the demo {kind.id} failed in ")
    return contextlib.nullcontext()


def _begin(session: Session, drops: Sequence[str], recording: str | None, against: str | None) -> None:
    if against is not None:
        with options.named("--against", "beside"):
            session.compare_with(against)
    if recording is not None:
        if session.timeline.history is None:
            raise InvalidInputError("--record-inputs", f"omitted: {session.timeline.failure}", recording)
        session.recorder = _recorder(session.timeline.history, recording)
    _drop(session, drops)


def _recorder(history: History[Demo], path: str) -> Recorder:
    from engine.sim.replaying import record

    with options.named("--record-inputs"):
        return record(history, path)


def _drop(acting: Session | Simulation | History[Demo], files: Sequence[str]) -> None:
    """Drop the files into a demo, side by side."""
    from engine.app.files.opening import drop_places, drop_size, load_dropped
    from engine.sim.actions import Drop

    demo = acting.demo
    for file, point in zip(files, drop_places(demo.home(), len(files)), strict=True):
        try:
            with options.named(partial(_dropped_field, file)):
                acting.act(Drop.of(load_dropped(file, drop_size(demo.home())), point))
        except InvalidInputError:
            raise
        except LabError as error:
            raise InvalidInputError("--drop", f"a file that can be dropped ({error})", file) from None


def _dropped_field(file: str, field: str) -> str:
    """Return the field to name in an error about a dropped file: the option, the file, and the place in the file."""
    for name in (file, os.path.basename(file)):
        if field.startswith(name):
            return f"--drop {file}{field.removeprefix(name)}"
    return f"--drop {file}: {field}"


def demo_or_file(option: str, demo_id: str | None) -> type[Demo]:
    """Return the demo class for a demo id, a scene file or a demo file.

    Raises
    ------
    InvalidInputError
        There is no such demo, or the file is invalid; the error names `option`.
    """
    if demo_id is None:
        raise InvalidInputError(option, "a demo (see the list command), a scene file, or --pair FILE", Described("nothing"))
    from engine.app.files.opening import SCENE_SUFFIXES, load_any_scene
    from engine.sim.registry import all_demos
    from engine.sim.scene_demo import scene_demo

    if demo_id.lower().endswith(SCENE_SUFFIXES):
        return scene_demo(load_any_scene(demo_id), demo_id)

    if demo_id.lower().endswith(_OWN_SUFFIX):
        from engine.cli.own_demo import load_own_demo

        return load_own_demo(demo_id)
    known = {demo.id: demo for demo in all_demos()}
    if demo_id in known:
        return known[demo_id]
    if demo_id.lower().endswith(_RECORDING_SUFFIX):
        raise InvalidInputError(option, f"a demo or a scene file (to play a recording: replay {demo_id})", demo_id)
    if os.path.exists(demo_id) or os.path.splitext(demo_id)[1] or os.path.basename(demo_id) != demo_id:
        endings = f"{', '.join(SCENE_SUFFIXES)} or {_OWN_SUFFIX}"
        raise InvalidInputError(option, f"a demo (see the list command), or a file with extension {endings}", demo_id)
    raise InvalidInputError(option, f"one of the {len(known)} demos shown by the list command{meant(demo_id, known)}", demo_id)


def demo_values(kind: type[Demo], settings: Sequence[str], solver: str | None) -> tuple[dict[str, float], NamedValues | None]:
    """Parse ``--set`` values; return the demo parameters and the solver settings, the latter None if none were given.

    If demo and solver share a name, it refers to the demo; ``solver.NAME`` always refers to the solver.
    """
    from engine.sim.parameters import parameter_values
    from engine.sim.scene_demo import SceneDemo
    from engine.world import WorldSettings, load_solver
    from engine.world.fields import named_values
    from engine.world.solver import DEFAULT

    if not settings:
        return parameter_values(kind.parameters, {}), None
    own, scene = WorldSettings(), kind.scene if issubclass(kind, SceneDemo) else None
    driver = solver or (DEFAULT if scene is None else scene.solver)
    if scene is not None and scene.solver == driver:
        own = scene.settings
    known, can = [parameter.name for parameter in kind.parameters], load_solver(driver)
    names = can.own_settings(own)
    texts: dict[str, object] = {}
    changes: dict[str, float | str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not name or not value:
            raise InvalidInputError("--set", "NAME=VALUE, such as speed=2", setting)
        if name.startswith(_SOLVERS) or (name not in known and name in names):
            changes[name.removeprefix(_SOLVERS)] = _number_or_word(value)
        elif name not in known and names:
            listed = (*known, *(_SOLVERS + setting_name if setting_name in known else setting_name for setting_name in names))
            raise InvalidInputError("--set: parameter", "one of " + ", ".join(listed) + meant(name, listed), name)
        else:
            texts[name] = value
    with options.named(lambda field: f"--set: {field}"):
        values = parameter_values(kind.parameters, texts)
        if not changes:
            return values, None
        merged = named_values("solver_settings", {**dict(own.solver_settings), **changes})
        can.own_settings(replace(own, solver_settings=merged))
    return values, merged


def _number_or_word(text: str) -> float | str:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _headless(
    args: RunOptions,
    kind: type[Demo],
    values: dict[str, float],
    solver_settings: NamedValues | None,
    capture: RunCapture,
) -> Report:
    """Run a demo headless, with a copy by another solver if requested, and write the requested files."""
    from engine.app.headless import picture_of, run_headless
    from engine.compare.live.referee import live_referee
    from engine.scenes.tables import Tables
    from engine.sim.values import StateError

    steps = args.steps or DEFAULT_STEPS
    if args.seconds is not None:
        steps = integer("--seconds: steps", max(round(args.seconds / kind(args.seed, values).step_seconds), 1), 1, MAX_STEPS)
    record = partial(_recorder, path=args.record_inputs) if args.record_inputs is not None else None
    files = args.csv_contacts, args.csv_states, args.csv_timings
    with Tables(*files) as tables, capture.running(), progress(kind.title, steps) as advance:

        def add_row(demo: Demo) -> None:
            times = [(stage.times.step, stage.times.check) for stage in demo.stages]
            tables.add(demo.steps, [stage.world for stage in demo.stages], times)

        def prepare(acting: Simulation | History[Demo]) -> None:
            _drop(acting, args.drops or [])
            capture.start(acting.demo, steps, "--seconds" if args.steps is None else "--steps", beside)
            add_row(acting.demo)

        notes = Counter[str]()

        def on_step(running: Demo) -> None:
            capture.stepped()
            add_row(running)
            notes.update(note for stage in running.stages for note in stage.world.step_notes)
            advance()

        beside: Comparison | None = None

        def take_beside(made: Comparison) -> None:
            nonlocal beside
            beside = made

        try:
            report, demo = run_headless(
                kind, steps, args.seed, values, live_referee, on_step, prepare, record,
                solver=args.solver, against=args.against, on_beside=take_beside,
                solver_settings=solver_settings,
            )  # fmt: skip
        except StateError as error:
            option, value = ("--against", args.against) if args.against else ("--record-inputs", args.record_inputs)
            raise InvalidInputError(option, f"omitted ({error})", value) from None
    if args.screenshot is not None:
        with waiting("drawing"):
            write_atomically(args.screenshot, picture_of(demo, beside=beside))
    written = capture.written()
    plain = report.as_json()
    readout = [line if isinstance(line, str) else line[0] for line in (*demo.verdicts(), *demo.status())]
    rows = facts({name: value for name, value in plain.items() if name not in ("demo", "steps", "seed")}) | written
    title = Link(f"{demo.title}, {report.steps} steps, seed {report.seed}", "title")
    limits = (f"{sentence} ({counted(n, 'step')} of {report.steps})" for sentence, n in notes.items())
    parts: list[Part] = [title, rows, *(f"  {line}" for line in dict.fromkeys((*readout, *demo.summary(), *limits)))]
    return Report({**plain, "readout": readout}, parts, int(not report.is_clean))


def _answer(pair: Pair, kind: type[Demo], values: dict[str, float], screenshot: str | None, html: str | None) -> Report:
    """Report our result and Box2D's for a pair; status 1 if the difference is unexplained."""
    from engine.app.headless import picture_of
    from engine.compare.live.referee import live_referee
    from engine.compare.pair.answers import ask
    from engine.compare.pair.file import pair_as_json

    try:
        answers = ask(pair)
    except LabError as error:
        raise LabError(f"the pair cannot be computed: {error}") from None
    if screenshot is not None:
        write_atomically(screenshot, picture_of(kind(0, values, live_referee)))
    page: dict[str, Value] = {}
    if html is not None:
        from engine.player.steps import packed_steps
        from engine.trace.pair_steps import pair_steps

        steps = pair_steps(answers)
        page = write_page(html, steps.algorithm.title, [packed_steps(steps.algorithm, steps.case, steps)])
    verdict = {name: getattr(answers, name) for name in ("verdict", "reason", "size", "evidence")}
    box2d = None if answers.box2d is None else asdict(answers.box2d)
    plain: dict[str, Any] = {"pair": pair_as_json(pair), **verdict, "ours": asdict(answers.ours), "box2d": box2d}
    rows = {"ours": answers.ours.words, "Box2D": "not computed" if answers.box2d is None else answers.box2d.words}
    return Report(plain, (Link(pair.query, "title"), facts(verdict) | rows | page), int(answers.verdict == "unexplained"))
