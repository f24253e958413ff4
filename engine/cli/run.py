"""``run``: one demo, in the window or headless."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from engine.app.files import check_writable, write_atomically
from engine.cli.film import RECORDING_SUFFIX, WantedFilm, check_new_recording, filmed, wanted_film
from engine.cli.output import check_apart, check_json_target, people, progress, warming, write_json
from engine.cli.tables import add_step, open_tables, wanted_tables
from engine.common.checks import integer, seed_number
from engine.common.errors import Described, InvalidInputError, LabError
from engine.common.words import meant

if TYPE_CHECKING:
    from engine.app.headless import RunReport
    from engine.demo.base import Demo, DemoRun
    from engine.demo.session import Session
    from engine.history.history import History
    from engine.history.recordings import Recorder

__all__ = ["run_command"]

DEFAULT_STEPS = 600
MOST_STEPS = 10_000_000
_OWN_SUFFIX = ".py"
_NO_TABLES: Mapping[str, str] = MappingProxyType({})


def run_command(
    demo: Annotated[
        str | None,
        typer.Argument(metavar="[ID|FILE]", help="Which demo (see the command list); or a scene file, or a demo file.", show_default=False),
    ] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="No window. Implied by --steps, --json, --screenshot, --record, --csv-*.")
    ] = False,
    steps: Annotated[int | None, typer.Option("--steps", metavar="N", help="Steps to take.", show_default=str(DEFAULT_STEPS))] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Everything random comes from it.")] = 0,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the demo; repeatable.")] = None,
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture of the end.")] = None,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")] = None,
    pair_file: Annotated[str | None, typer.Option("--pair", metavar="FILE", help="Open a pair of shapes, in place of a demo.")] = None,
    drops: Annotated[list[str] | None, typer.Option("--drop", metavar="FILE", help="A picture or body that falls in; repeatable.")] = None,
    ui_scale: Annotated[float | None, typer.Option("--ui-scale", metavar="X", help="Size of text in the window, 0.75 to 4.")] = None,
    theme: Annotated[str | None, typer.Option("--theme", metavar="dark|light", help="Colours of the window and of pictures.")] = None,
    film: Annotated[str | None, typer.Option("--record", metavar="F.mp4|F.gif", help="Write a film of the run.")] = None,
    rate: Annotated[
        float | None, typer.Option("--fps", metavar="N", help="Frames a second of the film; 60, of a GIF 25.", show_default=False)
    ] = None,
    film_size: Annotated[
        str | None, typer.Option("--size", metavar="WxH", help="Pixels of the film, 16 to 4096 a side.", show_default="1280x720")
    ] = None,
    with_panel: Annotated[bool, typer.Option("--with-panel", help="Film the whole window, and not the view alone.")] = False,
    recording: Annotated[
        str | None, typer.Option("--record-inputs", metavar="F.rec", help="Record what happens, for the command replay; a new file.")
    ] = None,
    csv_contacts: Annotated[str | None, typer.Option("--csv-contacts", metavar="F.csv", help="Write every contact of every step.")] = None,
    csv_states: Annotated[str | None, typer.Option("--csv-states", metavar="F.csv", help="Write every body after every step.")] = None,
    csv_timings: Annotated[str | None, typer.Option("--csv-timings", metavar="F.csv", help="Write what every step cost.")] = None,
) -> int:
    """Run one demo, a scene file (ours or an export of R.U.B.E., .json; a drawing, .svg), or a demo of your own (.py).

    In the window it goes on until you close it. Headless it takes N steps, compares every contact with our own algorithms, and
    prints what happened; status 1 if a difference stays unexplained. --pair opens a pair file: both answers, ours and Box2D's. --drop lets
    a picture (PNG, JPEG, ...), an SVG or a body file of the command trace fall into the demo, as if it were dropped on the window.
    --record writes a film, --record-inputs a file from which the command replay plays it all again, to the last bit.
    """
    seed_number("--seed", seed)
    use_theme(theme)
    if steps is not None:
        integer("--steps", steps, 1, MOST_STEPS)
    check_json_target(json_file)
    if screenshot is not None:
        check_writable("--screenshot", screenshot, (".png",))
    filming = wanted_film("--record", film, rate, film_size, with_panel)
    if recording is not None:
        check_new_recording(recording)
    tables = wanted_tables(csv_contacts, csv_states, csv_timings)
    scene = demo if demo is not None and os.path.exists(demo) else None
    reads = {"ID|FILE": scene, "--pair": pair_file, **{f"--drop {file}": file for file in drops or ()}}
    check_apart(reads, {"--json": json_file, "--screenshot": screenshot, "--record": film, "--record-inputs": recording, **tables})
    if pair_file is not None:
        for option, value in (("--record", film), ("--record-inputs", recording), *tables.items()):
            if value is not None:
                raise InvalidInputError(option, "left out with --pair, which does not move", value)
        if drops:
            raise InvalidInputError("--drop", "left out with --pair, which has no world", drops[0])
        return _run_pair(demo, pair_file, headless, steps, settings or [], screenshot, json_file, ui_scale, theme)
    if demo is None:
        raise InvalidInputError("ID|FILE", "a demo (see the command list), a scene file, or --pair FILE", Described("nothing"))
    kind = _find(demo)
    with _telling_lines(kind, demo):
        values = _values(kind, settings or [])
        if headless or steps is not None or screenshot is not None or json_file is not None or filming is not None or tables:
            if ui_scale is not None:
                raise InvalidInputError("--ui-scale", "left out of a headless run", ui_scale)
            run_steps = DEFAULT_STEPS if steps is None else steps
            return _headless(kind, run_steps, seed, values, screenshot, json_file, drops or [], filming, recording, tables)

        _open_window(kind, seed, values, ui_scale, drops or [], recording, theme)
        return 0


def _telling_lines(kind: type[Demo], given: str) -> contextlib.AbstractContextManager[None]:
    """Let what a demo's own code raises be told with its line; a scene file has none."""
    from engine.demo.own_demo import told_with_line

    if given.lower().endswith(_OWN_SUFFIX):
        return told_with_line(given)
    if kind.__module__.startswith("demos."):
        return told_with_line(os.path.dirname(inspect.getfile(kind)), f"the demo {kind.id} failed in ")
    return contextlib.nullcontext()


def use_theme(theme: str | None) -> None:
    """Let all colours be those of a theme of the command line; without one they stay."""
    if theme is not None:
        from engine.render import palette
        from engine.render.themes import THEMES

        if theme not in THEMES:
            raise InvalidInputError("--theme", " or ".join(THEMES), theme)
        palette.use_theme(theme)


def _run_pair(
    demo: str | None,
    file: str,
    headless: bool,
    steps: int | None,
    settings: Sequence[str],
    screenshot: str | None,
    json_file: str | None,
    ui_scale: float | None,
    theme: str | None,
) -> int:
    from engine.cli.run_pair import run_pair_headless
    from engine.demo.pair_demo import inspector_of

    if demo not in (None, "pair"):
        raise InvalidInputError("--pair", "without another demo", demo)
    if steps is not None:
        raise InvalidInputError("--steps", "left out with --pair, which does not move", steps)
    pair, kind = inspector_of(file)
    values = _values(kind, settings)
    if headless or screenshot is not None or json_file is not None:
        if ui_scale is not None:
            raise InvalidInputError("--ui-scale", "left out of a headless run", ui_scale)
        return run_pair_headless(pair, kind, values, screenshot, json_file)
    _open_window(kind, 0, values, ui_scale, theme=theme)
    return 0


def _open_window(
    kind: type[Demo],
    seed: int,
    values: dict[str, float],
    ui_scale: float | None,
    drops: Sequence[str] = (),
    recording: str | None = None,
    theme: str | None = None,
) -> None:
    from engine.app.display import display_problem
    from engine.app.layout import check_ui_scale

    check_ui_scale("--ui-scale", ui_scale)
    problem = display_problem()
    from engine.app.loop import DisplayError, run_window

    if problem is not None:
        raise DisplayError(f"no window can be opened here ({problem}); --headless runs without one")
    run_window(kind, seed, values, ui_scale, prepare=partial(_begin, drops=drops, recording=recording), theme=theme)


def _begin(session: Session, drops: Sequence[str], recording: str | None) -> None:
    if recording is not None:
        if session.timeline.history is None:
            raise InvalidInputError("--record-inputs", f"left out: {session.timeline.failure}", recording)
        session.recorder = _recorder(session.timeline.history, recording)
    _drop(session, drops)


def _recorder(history: History[Demo], path: str) -> Recorder:
    from engine.demo.replaying import record

    try:
        return record(history, path)
    except InvalidInputError as error:
        raise InvalidInputError("--record-inputs", error.requirement, error.value) from None


def _drop(acting: Session | DemoRun | History[Demo], files: Sequence[str]) -> None:
    """Let the files fall into a demo, side by side."""
    from engine.demo.dropping import drop_places, drop_size, load_dropped

    demo = acting.demo
    for file, point in zip(files, drop_places(demo.home(), len(files)), strict=True):
        try:
            acting.act("drop", load_dropped(file, drop_size(demo.home())), point)
        except InvalidInputError as error:
            raise InvalidInputError(_dropped_field(file, error.field), error.requirement, error.value) from None
        except LabError as error:
            raise InvalidInputError("--drop", f"a file that can fall in ({error})", file) from None


def _dropped_field(file: str, field: str) -> str:
    """Return what an error about a file, or about something in it, is to name: the option, the file, and the place in it."""
    for name in (file, os.path.basename(file)):
        if field.startswith(name):
            return f"--drop {file}{field.removeprefix(name)}"
    return f"--drop {file}: {field}"


def _find(demo_id: str) -> type[Demo]:
    from engine.demo.registry import all_demos
    from engine.demo.scene_demo import SCENE_SUFFIXES, load_any_scene, scene_demo

    if demo_id.lower().endswith(SCENE_SUFFIXES):
        _check_format(demo_id)
        return scene_demo(load_any_scene(demo_id), demo_id)

    if demo_id.lower().endswith(_OWN_SUFFIX):
        from engine.demo.own_demo import load_own_demo

        return load_own_demo(demo_id)
    known = {demo.id: demo for demo in all_demos()}
    if demo_id in known:
        return known[demo_id]
    if demo_id.lower().endswith(RECORDING_SUFFIX):
        raise InvalidInputError("ID|FILE", f"a demo or a scene file (a recording is for: replay {demo_id})", demo_id)
    if os.path.exists(demo_id) or os.path.splitext(demo_id)[1] or os.path.basename(demo_id) != demo_id:
        endings = f"{', '.join(SCENE_SUFFIXES)} or {_OWN_SUFFIX}"
        raise InvalidInputError("ID|FILE", f"a demo (see the command list), or a file that ends in {endings}", demo_id)
    raise InvalidInputError("ID|FILE", f"one of the {len(known)} demos that the command list names{meant(demo_id, known)}", demo_id)


def _check_format(file: str) -> None:
    """Refuse a JSON file that says it is a body or a pair, with the option that takes it; whatever else is wrong is found by its reader."""
    from engine.common.json_file import glance
    from engine.compare.pair.file import FORMAT as PAIR_FORMAT
    from engine.decompose.body_file import FORMAT as BODY_FORMAT
    from engine.scenes.scene_file import LARGEST_FILE

    plain = glance(file, LARGEST_FILE) if file.lower().endswith(".json") else None
    takers = {BODY_FORMAT: f"run simple_shapes --drop {file}", PAIR_FORMAT: f"run --pair {file}"}
    found = plain.get("format") if isinstance(plain, dict) else None
    if isinstance(found, str) and found in takers:
        raise InvalidInputError("ID|FILE", f"a scene file (this is a {found}: {takers[found]})", file)


def _values(kind: type[Demo], settings: Sequence[str]) -> dict[str, float]:
    from engine.demo.parameters import parameter_values

    given: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InvalidInputError("--set", "NAME=VALUE, such as speed=2", setting)
        given[name.strip()] = value.strip()
    try:
        return parameter_values(kind.parameters, given)
    except InvalidInputError as error:
        raise InvalidInputError(f"--set: {error.field}", error.requirement, error.value) from None


def _headless(
    kind: type[Demo],
    steps: int,
    seed: int,
    values: dict[str, float],
    screenshot: str | None,
    json_file: str | None,
    drops: Sequence[str],
    film: WantedFilm | None = None,
    recording: str | None = None,
    tables: Mapping[str, str] = _NO_TABLES,
) -> int:
    from engine.app.headless import picture_of, run_headless
    from engine.app.warmup import referee_factory

    with warming():
        referee = referee_factory()
    record = partial(_recorder, path=recording) if recording is not None else None
    with open_tables(tables) as table, filmed(film) as camera, progress(kind.title, steps) as advance:

        def prepare(acting: DemoRun | History[Demo]) -> None:
            _drop(acting, drops)
            camera.start(acting.demo)
            add_step(table, acting.demo)

        def on_step(running: Demo) -> None:
            camera.stepped()
            add_step(table, running)
            advance()

        report, demo = run_headless(kind, steps, seed, values, referee, on_step, prepare, record)
    if screenshot is not None:
        write_atomically(screenshot, picture_of(demo))
    _print(report, demo, json_file)
    if film is not None:
        people(json_file).print(f"  {'film':<10} {film.path}, {camera.words} of {film.size[0]} x {film.size[1]}", markup=False)
    written = {"recording": recording, "picture": screenshot, **{option.removeprefix("--csv-"): path for option, path in tables.items()}}
    for what, path in written.items():
        if path is not None:
            people(json_file).print(f"  {what:<10} {path}", markup=False)
    write_json(json_file, {**report.as_json(), "readout": _readout(demo)})
    return 0 if report.is_clean else 1


def _readout(demo: Demo) -> list[str]:
    """Return the lines of the readout at the end of a run."""
    return [line if isinstance(line, str) else line[0] for line in demo.status()]


def _pair_words(report: RunReport) -> str:
    pairs = report.pairs
    words = f"pairs, summed over the steps: ours {pairs.ours}, Box2D {pairs.box2d}"
    return f"{words}, {pairs.explained} explained, {pairs.unexplained} unexplained" if pairs.explained or pairs.unexplained else words


def _print(report: RunReport, demo: Demo, json_file: str | None) -> None:
    out = people(json_file)
    out.print(f"[bold]{escape(demo.title)}[/bold], {report.steps} steps, seed {report.seed}")
    for label, text in (
        ("bodies", f"{report.bodies}"),
        ("contacts", f"{report.contacts_begun} begun, {report.contacts_ended} ended"),
        ("points", f"{report.points_add} added, {report.points_persist} persisting, {report.points_remove} removed"),
        ("compared", f"{report.compared}: {report.agree} agree, {report.explained} explained, {report.unexplained} unexplained"),
        ("touching", _pair_words(report)),
        ("a step", f"{report.ms_median:.2f} ms median, {report.ms_max:.2f} ms at most"),
        ("state", report.state_hash),
    ):
        out.print(f"  {label:<10} {text}")
    for line in dict.fromkeys((*_readout(demo), *demo.summary())):
        out.print(f"  {line}", markup=False)
