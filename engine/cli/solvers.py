"""``solvers``: compare solvers on scenes with known outcomes."""

from __future__ import annotations

import contextlib
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.options import FOLDER, option
from engine.cli.output import collected, progress, unfinished
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_ITERATIONS
from engine.common.words import counted
from engine.report import Cell as TableCell
from engine.report import Chart, Curve, Link, Page, Part, Report, Table

if TYPE_CHECKING:
    from engine.experiments.solvers.bench import Need, Plan, Rung
    from engine.experiments.solvers.scenes import BenchScene
    from engine.experiments.solvers.trial import Cell, Variant

__all__ = ["solvers_command"]

CHART = "accuracy-cost.png"
TABLES = "tables.md"
_MIN_ERROR = 1e-9
"""Smallest error shown, meters. Smaller errors are shown as this one, because the axis is logarithmic."""
_MEASURES = {
    "end_penetration": "overlap, m",
    "max_penetration": "deepest, m",
    "end_joint_error": "joint error, m",
    "max_joint_error": "max, m",
    "error": "error, m",
    "drift": "drift, m",
    "energy_gain_share": "energy gained",
    "momentum_lost_share": "momentum lost",
    "force_error": "force error",
    "rest_at": "at rest, s",
    "ms_per_step": "ms per step",
    "cost_ratio": "cost",
}


@dataclass(frozen=True, kw_only=True)
class SolversOptions:
    """Options of ``solvers``."""

    solvers: str = option("LIST", "Solvers as NAME[:SETTING=VALUE]..., such as soft_step:sub_steps=4, or all.", options.ALL)
    scenes: str = option("LIST", "Names of scenes or of groups (standing, stack, heavy, all).", options.ALL)
    seconds: float | None = option("S", "Simulated time per scene.", shown="the scene's own", low=0.01, high=3600.0, unit="s")
    hertz: float = option("HZ", "Steps per second.", 60.0, low=1.0, high=10_000.0, unit="Hz")
    efforts: str | None = option("LIST", "Sub-steps or iterations to try with each solver, such as 1,2,4,8.")
    accuracy: float = option(
        "M",
        "Maximum error allowed; the cost at which each solver reaches it is reported.",
        0.01,
        low=0.0,
        high=1e3,
        unit="m",
    )
    budget: float = option("S", "Maximum processor time per solver and scene.", 60.0, low=0.0, high=1e6, unit="s")
    jobs: options.Jobs = None
    report: options.ReportFolder = None
    write: str | None = option("DIR", "Only write the scenes as scene files to this folder.", writes=(FOLDER,))
    json: options.JsonFile = None


@options.command
def solvers_command(args: SolversOptions) -> Report:
    """Run solvers on scenes and report which scenes remain standing, how accurately, and at what cost.

    All solvers are measured in the same way, from poses. If a solver rejects a scene, stops or explodes, the table shows the reason.
    --efforts varies the work per step to find the least effort that reaches --accuracy. docs/solvers.md explains the columns. Costs are
    CPU times from interleaved runs, so compare only the ratios to the soft step.
    """
    from engine.experiments.solvers.bench import Plan, needs, tried
    from engine.experiments.solvers.scenes import GROUPS, SCENES, write_scenes
    from engine.experiments.solvers.trial import chosen_variants

    variants = chosen_variants("--solvers", args.solvers)
    scenes = [SCENES[name] for name in options.listed("--scenes", args.scenes, tuple(SCENES), GROUPS)]
    plan = Plan(tuple(variants), args.seconds, args.hertz, _efforts(args.efforts), args.budget)
    if args.write is not None:
        return Report({}, [f"scene: {path}" for path in write_scenes(Path(args.write), scenes)])
    n_jobs = options.n_jobs(args.jobs)
    answers = {answer.scene: answer for answer in collected("running", tried(plan, scenes, n_jobs), len(scenes), "scenes")}
    done = [scene for scene in scenes if scene.name in answers]
    cells = [cell for scene in done for cell in answers[scene.name].cells]
    ladder = [rung for scene in done for rung in answers[scene.name].ladder]
    needed = needs(ladder, args.accuracy)
    plain: dict[str, Any] = {"hertz": plan.hertz, "results": [cell.as_json() for cell in cells]}
    if plan.efforts:
        plain |= {"ladder": [rung.as_json() for rung in ladder], "needs": [need.as_json() for need in needed]}

    def parts() -> Iterator[Part]:
        yield _measures_table(cells)
        for variant in variants:
            own = [cell for cell in cells if cell.variant == variant]
            yield f"{variant.label} meets the criterion in {sum(cell.stands is True for cell in own)} of {counted(len(own), 'scene')}"
        if needed:
            yield _needs_table(done, needed)
        yield Link("Costs are relative to the soft step.", "caption")

    page = partial(_page, args.report or "", plan, done, cells, ladder, needed, args.accuracy, n_jobs) if done else None
    return Report(plain, parts(), 0, page, unfinished(len(done), len(scenes), "scene"))


def _efforts(given: str | None) -> tuple[int, ...]:
    """Parse a comma-separated list of whole numbers and remove duplicates."""
    words: Sequence[str] = [] if given is None else [part.strip() for part in given.split(",")]
    for word in words:
        if not word.isdecimal() or not 1 <= int(word) <= MAX_ITERATIONS:
            raise InvalidInputError("--efforts", f"a list of whole numbers from 1 to {MAX_ITERATIONS}, such as 1,2,4,8", word)
    return tuple(dict.fromkeys(map(int, words)))


def _file_stem(scene: str, variant: Variant) -> str:
    """Return the base name of files for a solver and a scene."""
    return re.sub(r"[^\w.-]+", "-", f"{scene}-{variant.label}")


def _page(
    folder: str,
    plan: Plan,
    scenes: Sequence[BenchScene],
    cells: Sequence[Cell],
    ladder: Sequence[Rung],
    needed: Sequence[Need],
    accuracy: float,
    n_jobs: int,
) -> Page:
    """Return the HTML page and its files: pictures of the final states, the runs, the accuracy-cost chart, and the tables as Markdown.

    Also writes the scene files into `folder`.
    """
    from engine.experiments.solvers.scenes import write_scenes
    from engine.report.charts import as_png, as_svg, draw_charts
    from engine.report.page import render_page

    write_scenes(Path(folder), scenes)
    pictures, runs = _pictures(cells), _runs(plan, cells, n_jobs)
    charts = _ladder_charts(scenes, ladder, accuracy)
    figure = draw_charts(charts) if charts else None
    matrix, needs = _matrix(plan, scenes, cells, {**pictures, **runs}), _needs_table(scenes, needed)
    page = render_page(
        "solvers.html",
        title="Solvers by scene",
        about=f"{len(scenes)} scenes, {len(plan.variants)} solvers, {plan.hertz:g} Hz. * The solver reached a limit; see its scene.",
        matrix=matrix,
        first_run=next(iter(runs), ""),
        svg="" if figure is None else as_svg(figure, "error against cost, one panel per scene, one line per solver"),
        needs=needs,
        scenes=[(scene, _measures_table([cell for cell in cells if cell.scene == scene.name])) for scene in scenes],
    )
    text = matrix.as_markdown() + ("\n" + needs.as_markdown() if needed else "")
    files = {**pictures, **runs, TABLES: text.encode("utf-8")}
    return page, files if figure is None else files | {CHART: as_png(figure)}


def _pictures(cells: Sequence[Cell]) -> dict[str, bytes]:
    """Return pictures of the final states, by file name."""
    from engine.app.headless import no_screen, small_picture_of
    from engine.common.errors import LabError
    from engine.sim.scene_demo import scene_demo

    pictures = {}
    with no_screen():
        for cell in cells:
            if cell.end is not None:
                with contextlib.suppress(LabError):  # the final state cannot be drawn; the cell has the reason
                    pictures[f"{_file_stem(cell.scene, cell.variant)}.png"] = small_picture_of(scene_demo(cell.end)())
    return pictures


def _runs(plan: Plan, cells: Sequence[Cell], n_jobs: int) -> dict[str, bytes]:
    """Return a page of each run, by file name; each is repeated for its original duration."""
    from engine.compare.processes.workers import run_tasks

    tasks = [(cell.scene, cell.variant, plan.hertz, round(cell.seconds * plan.hertz)) for cell in cells if cell.seconds]
    pages: dict[str, bytes] = {}
    with progress("recording", len(tasks), "runs") as advance, contextlib.closing(run_tasks(_run_page, tasks, n_jobs)) as made:
        for name, page in made:
            pages[name] = page
            advance()
    return {name: pages[name] for name in (f"{_file_stem(scene, variant)}.html" for scene, variant, *_ in tasks)}


def _run_page(task: tuple[str, Variant, float, int]) -> tuple[str, bytes]:
    """Return the file name and the page of a run; a world that is lost ends it."""
    from engine.common.errors import LabError
    from engine.experiments.solvers.scenes import SCENES
    from engine.experiments.solvers.trial import start_of
    from engine.player.capture import Capture
    from engine.player.page import player_page
    from engine.sim.scene_demo import scene_demo

    scene, variant, hertz, n_steps = task
    demo = scene_demo(start_of(SCENES[scene], variant, hertz))()
    capture = Capture(demo)
    with contextlib.suppress(LabError):
        for _ in range(n_steps):
            demo.sim.step()
            capture.update()
    return f"{_file_stem(scene, variant)}.html", player_page(f"{demo.title}: {variant.label}", [capture.packed()]).encode()


def _ladder_charts(scenes: Sequence[BenchScene], ladder: Sequence[Rung], accuracy: float) -> list[Chart]:
    """Return one chart per scene that plots error against cost relative to the soft step; runs whose stack collapses are omitted."""
    methods = list(dict.fromkeys(rung.solver for rung in ladder))
    charts = []
    for scene in scenes:
        curves = []
        for method in methods:
            points = [
                (rung.cost_ratio, max(rung.error, _MIN_ERROR))
                for rung in ladder
                if (rung.solver, rung.scene) == (method, scene.name)
                and rung.stands
                and rung.error is not None
                and rung.cost_ratio is not None
            ]
            curves.append(Curve(method, tuple(x for x, _ in points), tuple(y for _, y in points)))
        if any(curve.x for curve in curves):
            charts.append(Chart(scene.title, "cost of a step, soft step = 1", "error, m", tuple(curves), (True, True), accuracy))
    return charts


def _measures_table(cells: Sequence[Cell]) -> Table:
    """Return the table of measurements, with one row per scene and solver; it also says whether the scene stands or why it does not."""
    names = [name for name in _MEASURES if any(getattr(cell, name) is not None for cell in cells)]
    rows = tuple(
        (
            cell.scene,
            cell.variant.label,
            Link(". ".join(("yes" if cell.stands else cell.reason, *cell.notes)), _kind(cell)),
            *(getattr(cell, name) for name in names),
        )
        for cell in cells
    )
    return Table("", ("scene", "method", "stands", *(_MEASURES[name] for name in names)), rows, (0, 1, 2))


def _kind(cell: Cell) -> str:
    return "caption" if cell.stands is None else "right" if cell.stands else "wrong"


def _matrix(plan: Plan, scenes: Sequence[BenchScene], cells: Sequence[Cell], files: Mapping[str, bytes]) -> Table:
    """Return the outcome of each solver (columns) in each scene (rows), with the number of scenes that stand and the mean cost."""
    at = {(cell.scene, cell.variant): cell for cell in cells}
    rows: list[tuple[TableCell, ...]] = []
    for scene in scenes:
        row = [(at[scene.name, variant], _file_stem(scene.name, variant)) for variant in plan.variants]
        links = (
            Link(_words(cell), _kind(cell), f"{stem}.html" if f"{stem}.html" in files else "", files.get(f"{stem}.png", b""))
            for cell, stem in row
        )
        rows.append((Link(f"`{scene.name}`", href=f"#{scene.name}"), *links))
    for what, among in (
        ("scenes that meet their criterion", scenes),
        ("standing scenes that meet their criterion", [scene for scene in scenes if scene.can_stand]),
    ):
        counts = [sum(at[scene.name, variant].stands is True for scene in among) for variant in plan.variants]
        rows.append((f"{what}, of {len(among)}", *map(str, counts)))
    costs = [[ratio for scene in scenes if (ratio := at[scene.name, variant].cost_ratio)] for variant in plan.variants]
    rows.append(("cost, soft step = 1", *(f"{statistics.geometric_mean(own):.2f}" if own else "" for own in costs)))
    heads = ("scene", *(f"`{variant.label}`" for variant in plan.variants))
    return Table("", heads, tuple(rows), tuple(range(len(heads))))


def _words(cell: Cell) -> str:
    """Return "yes" with the error in mm, "no" or "explodes" with the time of the fall, or a short reason; with * if it met a limit."""
    mm = 1e3 * (cell.error or 0.0)
    if cell.stands:
        words = "yes <0.1" if mm < 0.1 else f"yes {mm:.2g}" if mm < 10.0 else f"yes {mm:.0f}"
    elif cell.fell_at is not None:
        words = f"{'explodes' if cell.reason.startswith('exploded') else 'no'} {cell.fell_at:.2g} s"
    elif cell.stands is False:
        words = "no"
    else:
        words = f"{cell.reason.split(':')[0].split(' after ')[0]} at {cell.seconds:.2g} s" if cell.seconds else "refused"
    return f"{words} *" if cell.notes else words


def _needs_table(scenes: Sequence[BenchScene], needed: Sequence[Need]) -> Table:
    """Return the least effort with which each solver (columns) reaches the accuracy in each scene (rows), and what it costs."""
    solvers = list(dict.fromkeys(need.solver for need in needed))
    known = {(need.scene, need.solver): need for need in needed}
    rows = [(f"`{scene.name}`", *(_need_words(known.get((scene.name, solver))) for solver in solvers)) for scene in scenes]
    heads = ("effort: cost", *(f"`{solver}`" for solver in solvers))
    return Table("", heads, tuple(rows), tuple(range(len(heads))))


def _need_words(need: Need | None) -> str:
    if need is None or not need.reached:
        return "-"
    return f"{'default' if need.effort is None else need.effort}: {need.cost_ratio:.3g}"
