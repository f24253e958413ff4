"""``solvers``: methods of simulation by scene, judged by exact answers."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.app.files import check_directory
from engine.cli import options
from engine.cli.film import WantedFilm, filmed, wanted_film
from engine.cli.output import InterruptedRunError, check_files, people, print_rows, progress, text_table, write_json
from engine.cli.report_folder import page_in, write_report
from engine.common.checks import finite
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_ITERATIONS
from engine.common.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from engine.experiments.solvers import BenchScene, Cell, Need, Plan, Rung, Variant

__all__ = ["solvers_command"]

_FILM_SIZE = "640x360"
_MIN_SECONDS, _MAX_SECONDS = 0.01, 3600.0
_MIN_HERTZ, _MAX_HERTZ = 1.0, 10_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SolversOptions:
    """Options of ``solvers``."""

    solvers: Annotated[
        str, typer.Option("--solvers", metavar="LIST", help="Methods, each NAME[:SETTING=VALUE]..., such as soft_step:sub_steps=4; or all.")
    ] = options.ALL
    scenes: Annotated[str, typer.Option("--scenes", metavar="LIST", help="Scenes, or groups of them: standing, stack, heavy, all.")] = (
        options.ALL
    )
    seconds: Annotated[float | None, typer.Option("--seconds", metavar="S", help="Of each scene.", show_default="each scene's own")] = None
    hertz: Annotated[float, typer.Option("--hertz", metavar="HZ", help="Steps a second.")] = 60.0
    efforts: Annotated[
        str | None, typer.Option("--efforts", metavar="LIST", help="Sub-steps or iterations to try each method with, such as 1,2,4,8.")
    ] = None
    accuracy: Annotated[float, typer.Option("--accuracy", metavar="M", help="Meters off that are borne, for what a method needs.")] = 0.01
    budget: Annotated[
        float, typer.Option("--budget", metavar="S", help="Processor time that a method may take in a scene before it is stopped.")
    ] = 60.0
    jobs: options.Jobs = None
    report: Annotated[str | None, typer.Option("--report", metavar="DIR", help="Write report.html, a picture a cell, the scenes.")] = None
    film: Annotated[str | None, typer.Option("--film", metavar="DIR", help="Film each method in each scene, a file each.")] = None
    write: Annotated[str | None, typer.Option("--write", metavar="DIR", help="Write the scenes as scene files, and run nothing.")] = None
    json_file: options.JsonFile = None


@options.takes_options
def solvers_command(args: SolversOptions) -> None:
    """Run methods in scenes and say who stands, how exactly, and at what cost.

    Measured from poses, by one measure for all. A method that refuses a scene, breaks off or explodes has its reason in its place.
    With --efforts each is tried with more and less work, for what it needs to be as exact as --accuracy asks. docs/solvers.md explains the
    columns. Costs are processor time, taken in turn: trust the ratios to the soft step.
    """
    from engine.experiments.solvers import Plan, chosen_scenes, chosen_variants, write_scenes

    variants, chosen = chosen_variants("--solvers", args.solvers), chosen_scenes("--scenes", args.scenes)
    for option, value, low, high in (
        ("--seconds", args.seconds, _MIN_SECONDS, _MAX_SECONDS),
        ("--hertz", args.hertz, _MIN_HERTZ, _MAX_HERTZ),
        ("--accuracy", args.accuracy, 0.0, 1e3),
        ("--budget", args.budget, 0.0, 1e6),
    ):
        if value is not None and not low <= finite(option, value) <= high:
            raise InvalidInputError(option, f"from {low:g} to {high:g}", value)
    plan = Plan(tuple(variants), args.seconds, args.hertz, _efforts(args.efforts), args.budget)
    for option, folder in (("--report", args.report), ("--film", args.film), ("--write", args.write)):
        if folder is not None:
            check_directory(option, folder)
    check_files({}, {"--json": args.json_file, "--report": page_in(args.report)})
    films = [] if args.film is None else [_film_of(Path(args.film), scene, variant) for scene in chosen for variant in variants]
    if args.write is not None:
        for path in write_scenes(Path(args.write), chosen):
            people(args.json_file).print(f"scene: {path}", markup=False, soft_wrap=True)
        return
    _run(args, plan, chosen, films)


def _efforts(given: str | None) -> tuple[int, ...]:
    """Return the numbers of a list, each once."""
    words = [] if given is None else [part.strip() for part in given.split(",")]
    for word in words:
        if not word.isdecimal() or not 1 <= int(word) <= MAX_ITERATIONS:
            raise InvalidInputError("--efforts", f"a list of whole numbers from 1 to {MAX_ITERATIONS}, such as 1,2,4,8", word)
    return tuple(dict.fromkeys(map(int, words)))


def _run(args: SolversOptions, plan: Plan, scenes: list[BenchScene], films: list[tuple[BenchScene, Variant, WantedFilm]]) -> None:
    from engine.experiments.solvers import needs, tried

    results: dict[str, tuple[list[Cell], list[Rung]]] = {}
    answers = tried(plan, scenes, options.n_jobs(args.jobs))
    with progress("running", len(scenes), "scenes") as one_done, contextlib.suppress(KeyboardInterrupt), contextlib.closing(answers):
        for answer in answers:
            results[answer.scene] = answer.cells, answer.ladder
            one_done()
    done = [scene for scene in scenes if scene.name in results]
    cells = [cell for scene in done for cell in results[scene.name][0]]
    ladder = [rung for scene in done for rung in results[scene.name][1]]
    needed = needs(ladder, args.accuracy)
    result: dict[str, Any] = {"hertz": plan.hertz, "results": [cell.as_json() for cell in cells]}
    if plan.efforts:
        result |= {"ladder": [answer.as_json() for answer in ladder], "needs": [answer.as_json() for answer in needed]}
    is_whole = len(done) == len(scenes)
    write_json(args.json_file, result if is_whole else {**result, "interrupted": True})
    console = people(args.json_file)
    _print(console, plan, cells, needed)
    if args.report is not None and done:
        from engine.cli.solvers_page import solvers_report
        from engine.experiments.solvers import write_scenes

        write_scenes(Path(args.report), done)
        page, files = solvers_report(plan, done, cells, ladder, needed, args.accuracy, is_whole)
        console.print(f"report: {write_report(args.report, page, {}, files)}", markup=False, soft_wrap=True)
    if not is_whole:
        raise InterruptedRunError(f"interrupted after {len(done)} of {counted(len(scenes), 'scene')}")
    for scene, variant, film in films:
        print_rows(console, _filmed(plan, scene, variant, film))


def _print(console: Console, plan: Plan, cells: list[Cell], needed: list[Need]) -> None:
    table = text_table("scene", "method", "stands", right=["overlap", "joints", "error", "drift", "energy", "force", "rest", "ms", "cost"])
    for k, cell in enumerate(cells):
        first = k == 0 or cells[k - 1].scene != cell.scene
        values = (
            cell.end_penetration,
            cell.end_joint_error,
            cell.error,
            cell.drift,
            cell.energy_gain_share,
            cell.force_error,
            cell.rest_at,
        )
        costs = (cell.ms_per_step, cell.cost_ratio)
        words = "yes" if cell.stands else cell.reason
        table.add_row(cell.scene if first else "", cell.variant.label, words, *(_number(number) for number in (*values, *costs)))
    console.print(table)
    for variant in plan.variants:
        own = [cell for cell in cells if cell.variant == variant]
        n_stand = sum(cell.stands is True for cell in own)
        console.print(f"{variant.label} stands in {n_stand} of {counted(len(own), 'scene')}", markup=False)
    for need in needed:
        words = f"{need.accuracy:g} m in {need.scene}"
        if not need.reached:
            console.print(f"{need.solver} does not reach {words}", markup=False)
        else:
            with_what = "as it is" if need.effort is None else f"with {need.setting} {need.effort}"
            console.print(
                f"{need.solver} reaches {words} {with_what}, at {_number(need.cost_ratio)} times the soft step's cost", markup=False
            )
    console.print("Meters, seconds, shares; ms of processor time a step, and as a ratio to the soft step's.", style="dim")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _film_of(folder: Path, scene: BenchScene, variant: Variant) -> tuple[BenchScene, Variant, WantedFilm]:
    """Return what film is wanted of a method in a scene; what prevents it is reported before anything runs."""
    from engine.cli.solvers_page import file_stem

    film = wanted_film("--film", str(folder / f"{file_stem(scene.name, variant)}.mp4"), None, _FILM_SIZE, False)
    assert film is not None
    return scene, variant, film


def _filmed(plan: Plan, scene: BenchScene, variant: Variant, wanted: WantedFilm) -> list[tuple[str, str]]:
    """Run a method in a scene once more, filmed as far as it comes; return what to print of it."""
    from engine.common.errors import LabError
    from engine.experiments.solvers import start_of
    from engine.sim.scene_demo import scene_demo

    seconds = scene.seconds if plan.seconds is None else plan.seconds
    try:
        demo = scene_demo(start_of(scene, variant, plan.hertz))()
    except LabError as error:
        return [("no film", f"{scene.name}, {variant.label}: {error}")]
    n_steps = max(1, round(seconds * plan.hertz))
    with filmed(wanted) as camera, progress(f"{scene.name}, {variant.label}", n_steps) as advance:
        camera.start(demo)
        for _ in range(n_steps):
            try:
                demo.sim.step()
            except LabError:  # the cell says why
                break
            camera.stepped()
            advance()
    return camera.rows
