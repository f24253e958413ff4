"""``run``: one demo, in the window or headless."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from engine.app.files import write_atomically
from engine.cli import options
from engine.cli.film import WantedFilm, filmed, wanted_film
from engine.cli.output import check_files, load_referee, people, print_rows, progress, waiting, warming, write_json
from engine.common.checks import integer
from engine.common.errors import Described, InvalidInputError, LabError
from engine.common.words import counted, meant

if TYPE_CHECKING:
    from rich.console import Console

    from engine.app.headless import BesideReport, RunReport
    from engine.app.session import Session
    from engine.sim.comparison import Comparison
    from engine.sim.demo import Demo, Simulation
    from engine.sim.history import History
    from engine.sim.recordings import Recorder
    from engine.world.solver import NamedValues

__all__ = ["demo_or_file", "demo_values", "run_command"]

DEFAULT_STEPS = 600
MAX_STEPS = 10_000_000
_MAX_SKIPPED = 5
"""Rows about what could not be done to the second; the JSON has all."""
_OWN_SUFFIX = ".py"
_RECORDING_SUFFIX = ".rec"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of ``run``."""

    demo: Annotated[
        str | None,
        typer.Argument(metavar="[ID|FILE]", help="Which demo (see the command list); or a scene file, or a demo file.", show_default=False),
    ] = None
    headless: Annotated[
        bool, typer.Option("--headless", help="No window. Implied by --steps, --json, --screenshot, --record, --csv-*.")
    ] = False
    steps: Annotated[
        int | None, typer.Option("--steps", metavar="N", min=1, max=MAX_STEPS, help="Steps to take.", show_default=str(DEFAULT_STEPS))
    ] = None
    seed: options.Seed = 0
    solver: options.SolverName = None
    against: options.Against = None
    since: Annotated[
        int | None,
        typer.Option("--from", metavar="STEP", help="With --against: they part from the state after this step.", show_default="0"),
    ] = None
    settings: options.Settings = None
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture of the end.")] = None
    json_file: options.JsonFile = None
    pair_file: Annotated[str | None, typer.Option("--pair", metavar="FILE", help="Open a pair of shapes, in place of a demo.")] = None
    drops: Annotated[list[str] | None, typer.Option("--drop", metavar="FILE", help="A picture or body that falls in; repeatable.")] = None
    ui_scale: options.UiScale = None
    theme: options.Theme = None
    film: options.FilmFile = None
    rate: options.FilmRate = None
    film_size: options.FilmSize = None
    with_panel: options.WithPanel = False
    recording: Annotated[
        str | None, typer.Option("--record-inputs", metavar="F.rec", help="Record what happens, for the command replay; a new file.")
    ] = None
    csv_contacts: Annotated[str | None, typer.Option("--csv-contacts", metavar="F.csv", help="Write every contact of every step.")] = None
    csv_states: Annotated[str | None, typer.Option("--csv-states", metavar="F.csv", help="Write every body after every step.")] = None
    csv_timings: Annotated[str | None, typer.Option("--csv-timings", metavar="F.csv", help="Write what every step cost.")] = None

    @property
    def tables(self) -> dict[str, str | None]:
        """The files of tables by their options."""
        return {"--csv-contacts": self.csv_contacts, "--csv-states": self.csv_states, "--csv-timings": self.csv_timings}


@options.takes_options
def run_command(args: RunOptions) -> int:
    """Run one demo, a scene file (ours or an export of R.U.B.E., .json; a drawing, .svg), or a demo of your own (.py).

    In the window it goes on until you close it. Headless it takes N steps, compares every contact with our own algorithms, and
    prints what happened; status 1 if a difference stays unexplained. --pair opens a pair file: both answers, ours and Box2D's. --drop lets
    a picture (PNG, JPEG, ...), an SVG or a body file of the command trace fall into the demo, as if it were dropped on the window.
    --solver drives its worlds, those of a scene file too, by another solver than theirs; --against runs it once more beside it, by a second
    one, or by up to three (A,B,C), from the beginning or --from a later state, and says where they part. --record writes a film,
    --record-inputs a file from which the command replay plays it all again, to the last bit.
    """
    others = options.solver_list("--against", args.against)
    if args.since is not None:
        options.left_out("left out without --against", {"--from": args.since if not others else None})
    if args.since is not None:
        integer("--from", args.since, 0, (DEFAULT_STEPS if args.steps is None else args.steps) - 1)
    filming = wanted_film("--record", args.film, args.rate, args.film_size, args.with_panel)
    scene = args.demo if args.demo is not None and os.path.exists(args.demo) else None
    reads = {"ID|FILE": scene, "--pair": args.pair_file, **{f"--drop {file}": file for file in args.drops or ()}}
    check_files(
        reads,
        {
            "--json": args.json_file,
            "--screenshot": args.screenshot,
            "--record": args.film,
            "--record-inputs": args.recording,
            **args.tables,
        },
    )
    if args.recording is not None and os.path.lexists(args.recording):
        raise InvalidInputError("--record-inputs", "a file that is not there yet", args.recording)
    if args.pair_file is not None:
        still = {"--record": args.film, "--record-inputs": args.recording, **args.tables, "--steps": args.steps}
        options.left_out("left out with --pair, which does not move", still)
        options.left_out(
            "left out with --pair, which has no world",
            {"--drop": args.drops[0] if args.drops else None, "--solver": args.solver, "--against": args.against},
        )
        options.left_out("without another demo", {"--pair": args.demo if args.demo != "pair" else None})
        from engine.app.case_demos import inspector_of

        pair, kind = inspector_of(args.pair_file)
    else:
        pair, kind = None, demo_or_file("ID|FILE", args.demo)
    with _telling_lines(kind, args.demo or ""):
        values, own = demo_values(kind, args.settings or [], args.solver)
        wants_files = [path for path in (args.screenshot, args.json_file, args.film, *args.tables.values()) if path is not None]
        if not (args.headless or args.steps is not None or wants_files):
            options.left_out("left out in the window, which has a button for it", {"--from": args.since})
            prepare = partial(_begin, drops=args.drops or [], recording=args.recording, against=others)
            made = kind if args.solver is None and own is None else partial(kind, solver=args.solver, solver_settings=own)
            options.open_window(
                "--headless runs without one", args.ui_scale, made, seed=args.seed, values=values, prepare=prepare, theme=args.theme
            )
            return 0
        options.left_out("left out of a headless run", {"--ui-scale": args.ui_scale})
        if pair is not None:
            from engine.cli.run_pair import run_pair_headless

            return run_pair_headless(pair, kind, values, args.screenshot, args.json_file)
        return _headless(args, kind, values, own, others, filming)


def _telling_lines(kind: type[Demo], given: str) -> contextlib.AbstractContextManager[None]:
    """Report an exception of a demo's own code with its line; a scene file has no code."""
    from engine.cli.own_demo import told_with_line

    if given.lower().endswith(_OWN_SUFFIX):
        return told_with_line(given)
    if kind.__module__.startswith("demos."):
        return told_with_line(os.path.dirname(inspect.getfile(kind)), f"the demo {kind.id} failed in ")
    return contextlib.nullcontext()


def _begin(session: Session, drops: Sequence[str], recording: str | None, against: Sequence[str]) -> None:
    with options.named("--against", "beside"):
        session.put_beside(*against)
    if recording is not None:
        if session.timeline.history is None:
            raise InvalidInputError("--record-inputs", f"left out: {session.timeline.failure}", recording)
        session.recorder = _recorder(session.timeline.history, recording)
    _drop(session, drops)


def _recorder(history: History[Demo], path: str) -> Recorder:
    from engine.sim.replaying import record

    with options.named("--record-inputs"):
        return record(history, path)


def _drop(acting: Session | Simulation | History[Demo], files: Sequence[str]) -> None:
    """Let the files fall into a demo, side by side."""
    from engine.app.dropped_files import drop_places, drop_size, load_dropped
    from engine.sim.actions import Drop

    demo = acting.demo
    for file, point in zip(files, drop_places(demo.home(), len(files)), strict=True):
        try:
            with options.named(partial(_dropped_field, file)):
                acting.act(Drop.of(load_dropped(file, drop_size(demo.home())), point))
        except InvalidInputError:
            raise
        except LabError as error:
            raise InvalidInputError("--drop", f"a file that can fall in ({error})", file) from None


def _dropped_field(file: str, field: str) -> str:
    """Return what an error about a file, or about something in it, is to name: the option, the file, and the place in it."""
    for name in (file, os.path.basename(file)):
        if field.startswith(name):
            return f"--drop {file}{field.removeprefix(name)}"
    return f"--drop {file}: {field}"


def demo_or_file(option: str, demo_id: str | None) -> type[Demo]:
    """Return the demo of an id, or that of a scene file or of a demo file.

    Raises
    ------
    InvalidInputError
        There is none, or the file is none; it names `option`.
    """
    if demo_id is None:
        raise InvalidInputError(option, "a demo (see the command list), a scene file, or --pair FILE", Described("nothing"))
    from engine.app.scene_files import SCENE_SUFFIXES, load_any_scene
    from engine.sim.registry import all_demos
    from engine.sim.scene_demo import scene_demo

    if demo_id.lower().endswith(SCENE_SUFFIXES):
        _check_format(option, demo_id)
        return scene_demo(load_any_scene(demo_id), demo_id)

    if demo_id.lower().endswith(_OWN_SUFFIX):
        from engine.cli.own_demo import load_own_demo

        return load_own_demo(demo_id)
    known = {demo.id: demo for demo in all_demos()}
    if demo_id in known:
        return known[demo_id]
    if demo_id.lower().endswith(_RECORDING_SUFFIX):
        raise InvalidInputError(option, f"a demo or a scene file (a recording is for: replay {demo_id})", demo_id)
    if os.path.exists(demo_id) or os.path.splitext(demo_id)[1] or os.path.basename(demo_id) != demo_id:
        endings = f"{', '.join(SCENE_SUFFIXES)} or {_OWN_SUFFIX}"
        raise InvalidInputError(option, f"a demo (see the command list), or a file that ends in {endings}", demo_id)
    raise InvalidInputError(option, f"one of the {len(known)} demos that the command list names{meant(demo_id, known)}", demo_id)


def _check_format(option: str, file: str) -> None:
    """Refuse a JSON file that says it is a body or a pair, with the option that takes it; whatever else is wrong is found by its reader."""
    from engine.common.json_file import glance
    from engine.compare.pair.file import FORMAT as PAIR_FORMAT
    from engine.decompose.body_file import FORMAT as BODY_FORMAT
    from engine.scenes.scene_file import MAX_FILE_BYTES
    from engine.trace.case_file import CASE_FORMAT

    plain = glance(file, MAX_FILE_BYTES) if file.lower().endswith(".json") else None
    takers = {BODY_FORMAT: f"run simple_shapes --drop {file}", PAIR_FORMAT: f"run --pair {file}", CASE_FORMAT: f"step NAME --pair {file}"}
    name = plain.get("format") if isinstance(plain, dict) else None
    if isinstance(name, str) and name in takers:
        raise InvalidInputError(option, f"a scene file (this is a {name}: {takers[name]})", file)


def demo_values(kind: type[Demo], settings: Sequence[str], solver: str | None) -> tuple[dict[str, float], NamedValues | None]:
    """Return the demo's parameters, and the settings of the solver's own, None where none is given.

    A name that both have is the demo's; ``solver.NAME`` is the solver's in any case.
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
        is_own = name.startswith(_SOLVERS) or (name not in known and name in names)
        if is_own:
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


_SOLVERS = "solver."


def _number_or_word(text: str) -> float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _headless(
    args: RunOptions,
    kind: type[Demo],
    values: dict[str, float],
    solver_settings: NamedValues | None,
    others: tuple[str, ...],
    filming: WantedFilm | None,
) -> int:
    """Run a demo without a window, beside it once more with each of the `others`, and write what the options ask for."""
    from engine.app.headless import picture_of, run_headless
    from engine.scenes.tables import Tables
    from engine.sim.values import StateError

    steps, referee = DEFAULT_STEPS if args.steps is None else args.steps, load_referee()
    with warming():
        options.prepare_solvers(args.solver, *others)
    record = partial(_recorder, path=args.recording) if args.recording is not None else None
    with Tables(*args.tables.values()) as tables, filmed(filming) as camera, progress(kind.title, steps) as advance:

        def add_row(demo: Demo) -> None:
            times = [(stage.times.step, stage.times.check) for stage in demo.stages]
            tables.add(demo.steps, [stage.world for stage in demo.stages], times)

        def prepare(acting: Simulation | History[Demo]) -> None:
            _drop(acting, args.drops or [])
            camera.start(acting.demo)
            add_row(acting.demo)

        def on_step(running: Demo) -> None:
            camera.stepped()
            add_row(running)
            advance()

        besides: list[Comparison] = []
        try:
            report, demo = run_headless(
                kind, steps, args.seed, values, referee, on_step, prepare, record,
                solver=args.solver, against=others, since=args.since, on_beside=besides.extend,
                solver_settings=solver_settings,
            )  # fmt: skip
        except StateError as error:
            option, value = ("--against", ",".join(others)) if others else ("--record-inputs", args.recording)
            raise InvalidInputError(option, f"left out ({error})", value) from None
    if args.screenshot is not None:
        with waiting("drawing"):
            write_atomically(args.screenshot, picture_of(demo, besides=besides))
    write_json(args.json_file, {**report.as_json(), "readout": _readout(demo)})
    out = people(args.json_file)
    _print(report, demo, out)
    written = {"recording": args.recording, "picture": args.screenshot}
    written |= {option.removeprefix("--csv-"): path for option, path in args.tables.items()}
    print_rows(out, [*camera.rows, *((what, path) for what, path in written.items() if path is not None)])
    return 0 if report.is_clean else 1


def _readout(demo: Demo) -> list[str]:
    """Return the lines of the readout at the end of a run."""
    return [line if isinstance(line, str) else line[0] for line in demo.status()]


def _pair_words(report: RunReport) -> str:
    pairs = report.pairs
    words = f"pairs, summed over the steps: ours {pairs.ours}, Box2D {pairs.box2d}"
    return f"{words}, {pairs.explained} explained, {pairs.unexplained} unexplained" if pairs.explained or pairs.unexplained else words


def _titles(solvers: str) -> str:
    from engine.world import load_solver

    return ", ".join(load_solver(name).capabilities.title for name in solvers.split())


def _listed(settings: Mapping[str, float | str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def _length(meters: float) -> str:
    return f"{meters:.3g} m" if meters >= 1.0 else f"{1000.0 * meters:.3g} mm"


def _against_rows(against: BesideReport) -> list[tuple[str, str]]:
    parted, worst = against.parted, against.worst
    words = f"no body farther than {1000.0 * against.tolerance:g} mm from its other one"
    if parted is not None:
        words = f"they part at step {parted.step}, {against.name(parted)} by {_length(parted.meters)}"
    rows = [("against", f"{_titles(against.solver)}: {words}")]
    if against.why is not None:
        rows.append(("reason", against.why.words))
    if worst is not None:
        rows.append(("farthest", f"{against.name(worst)}, {_length(worst.meters)} at step {worst.step}"))
    here, there = against.energy
    rows.append(("energy", f"{here.start:.6g} to {here.end:.6g} J, against {there.start:.6g} to {there.end:.6g} J"))
    if against.only_in_one:
        rows.append(("in one only", f"{counted(against.only_in_one, 'body', 'bodies')} at the end"))
    rows += [("skipped", f"{step.action} after step {step.step}: {step.why}") for step in against.skipped[:_MAX_SKIPPED]]
    return rows


def _method_rows(report: RunReport) -> list[tuple[str, str]]:
    """Return a row for each of several methods beside each other."""
    rows = []
    for method in report.methods if len(report.methods) > 2 else ():
        words = f"{method.energy.end:.6g} J, {_length(method.overlap)} deep, {method.standing}, {method.ms:.2f} ms a step"
        rows.append(("method", f"{_titles(method.solver)}: {words}"))
    return rows


def _print(report: RunReport, demo: Demo, out: Console) -> None:
    out.print(f"[bold]{escape(demo.title)}[/bold], {report.steps} steps, seed {report.seed}")
    counts, contacts = report.counts, report.contacts
    rows = (
        ("solver", _titles(report.solver)),
        *((("settings", _listed(report.solver_settings)),) if report.solver_settings else ()),
        ("bodies", report.bodies),
        ("contacts", f"{counts.begun} begun, {counts.ended} ended"),
        ("points", f"{counts.added} added, {counts.persisted} persisting, {counts.removed} removed"),
        ("compared", f"{contacts.compared}: {contacts.agree} agree, {contacts.explained} explained, {contacts.unexplained} unexplained"),
        ("touching", _pair_words(report)),
        ("a step", f"{report.ms_median:.2f} ms median, {report.ms_max:.2f} ms at most"),
        ("state", report.state_hash),
        *(row for against in report.against for row in _against_rows(against)),
        *_method_rows(report),
    )
    print_rows(out, rows)
    for line in dict.fromkeys((*_readout(demo), *demo.summary())):
        out.print(f"  {line}", markup=False)
