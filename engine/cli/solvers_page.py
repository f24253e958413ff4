"""The page of ``solvers``: a table with a picture a cell, what each method measured, and the costs of being exact as a chart."""

from __future__ import annotations

import contextlib
import re
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.report import Cell as TableCell
from engine.report import Chart, Curve, Link, Table

if TYPE_CHECKING:
    from engine.experiments.solvers import BenchScene, Cell, Need, Plan, Rung, Variant

__all__ = ["file_stem", "solvers_report"]

CHART = "accuracy-cost.png"
TABLES = "tables.md"
_MIN_ERROR = 1e-9
"""Meters; smaller errors are drawn as this one: 0 has no place on a logarithmic axis."""
_MEASURES = (
    ("end_penetration", "overlap at the end, m"),
    ("max_penetration", "deepest, m"),
    ("end_joint_error", "joint error at the end, m"),
    ("max_joint_error", "most, m"),
    ("error", "off the exact answer, m"),
    ("drift", "drift at rest, m"),
    ("energy_gain_share", "energy gained"),
    ("momentum_lost_share", "momentum lost"),
    ("force_error", "force error"),
    ("rest_at", "at rest after, s"),
    ("ms_per_step", "ms a step"),
    ("cost_ratio", "of the soft step's"),
)


def file_stem(scene: str, variant: Variant) -> str:
    """Return what files about a method in a scene are called."""
    return re.sub(r"[^\w.-]+", "-", f"{scene}-{variant.label}")


def solvers_report(
    plan: Plan,
    scenes: Sequence[BenchScene],
    cells: Sequence[Cell],
    ladder: Sequence[Rung],
    needed: Sequence[Need],
    accuracy: float,
    is_whole: bool,
) -> tuple[str, dict[str, bytes]]:
    """Return the page, and the files beside it: pictures of how each scene ends, the chart of costs, and the tables as Markdown."""
    from engine.report.charts import as_png, as_svg, draw_charts
    from engine.report.page import render_page

    pictures = _pictures(cells)
    charts = _ladder_charts(scenes, ladder, accuracy)
    figure = draw_charts(charts) if charts else None
    page = render_page(
        "solvers.html",
        title="solvers: methods of simulation by scene",
        about=f"{len(scenes)} scenes, {len(plan.variants)} methods, {plan.hertz:g} Hz.",
        is_whole=is_whole,
        summary=_summary(plan, cells),
        matrix=_matrix(plan, scenes, cells, pictures),
        svg="" if figure is None else as_svg(figure, "error over cost, a panel for each scene, a line for each method"),
        needs=_needs(needed),
        scenes=[(scene, _measures([cell for cell in cells if cell.scene == scene.name])) for scene in scenes],
    )
    files = pictures | {TABLES: tables_as_text(plan, scenes, cells, needed).encode("utf-8")}
    return page, files if figure is None else files | {CHART: as_png(figure)}


def _pictures(cells: Sequence[Cell]) -> dict[str, bytes]:
    """Return pictures of how each scene ends, by the names of their files."""
    from engine.app.headless import no_screen, small_picture_of
    from engine.common.errors import LabError
    from engine.sim.scene_demo import scene_demo

    pictures = {}
    with no_screen():
        for cell in cells:
            if cell.end is not None:
                with contextlib.suppress(LabError):  # an end that cannot be drawn: the cell has its reason
                    pictures[_picture_name(cell.scene, cell.variant)] = small_picture_of(scene_demo(cell.end)())
    return pictures


def _picture_name(scene: str, variant: Variant) -> str:
    return f"{file_stem(scene, variant)}.png"


def _ladder_charts(scenes: Sequence[BenchScene], ladder: Sequence[Rung], accuracy: float) -> list[Chart]:
    """Return the error over the cost, relative to the soft step, for each scene; a method has no mark where it does not stand."""
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


def _verdict(cell: Cell, picture: bytes = b"") -> Link:
    kind, words = ("right", "yes") if cell.stands else ("wrong" if cell.stands is False else "caption", cell.reason)
    return Link(words, kind, picture=picture)


def _summary(plan: Plan, cells: Sequence[Cell]) -> Table:
    rows: list[tuple[TableCell, ...]] = []
    for variant in plan.variants:
        own = [cell for cell in cells if cell.variant == variant]
        costs = [cell.cost_ratio for cell in own if cell.cost_ratio]
        counts = (sum(cell.stands is verdict for cell in own) for verdict in (True, False, None))
        rows.append((variant.label, *counts, f"{statistics.geometric_mean(costs):.2f}" if costs else ""))
    heads = ("method", "stands", "falls", "refuses or is stopped", "cost, geometric mean, soft step = 1")
    return Table("", heads, tuple(rows))


def _matrix(plan: Plan, scenes: Sequence[BenchScene], cells: Sequence[Cell], pictures: Mapping[str, bytes]) -> Table:
    at = {(cell.scene, cell.variant): cell for cell in cells}
    rows: list[tuple[TableCell, ...]] = []
    for scene in scenes:
        verdicts = (_verdict(at[scene.name, variant], pictures.get(_picture_name(scene.name, variant), b"")) for variant in plan.variants)
        rows.append((Link(scene.title, href=f"#{scene.name}"), *verdicts))
    heads = ("scene", *(variant.label for variant in plan.variants))
    return Table("", heads, tuple(rows), tuple(range(len(heads))))


def _measures(cells: Sequence[Cell]) -> Table:
    measures = [(name, words) for name, words in _MEASURES if any(getattr(cell, name) is not None for cell in cells)]
    rows: list[tuple[TableCell, ...]] = [
        (cell.variant.label, *(_number(getattr(cell, name)) for name, _ in measures), _verdict(cell)) for cell in cells
    ]
    heads = ("method", *(words for _, words in measures), "stands")
    return Table("", heads, tuple(rows), (0, len(heads) - 1))


def _needs(needed: Sequence[Need]) -> Table:
    rows = []
    for need in needed:
        words = "not with any tried" if not need.reached else "as it is" if need.effort is None else f"{need.setting} {need.effort}"
        figures = (f"{need.accuracy:g}", *map(_number, (need.error, need.ms_per_step, need.cost_ratio)))
        rows.append((need.scene, need.solver, words, *figures))
    heads = ("scene", "method", "needs", "for an error of, m", "has, m", "ms a step", "cost, soft step = 1")
    return Table("", heads, tuple(rows), (0, 1, 2))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def tables_as_text(plan: Plan, scenes: Sequence[BenchScene], cells: Sequence[Cell], needed: Sequence[Need]) -> str:
    """Return who stands, with the error in mm, and what each method needs, as tables of Markdown: those of ``docs/solvers.md``."""
    at = {(cell.scene, cell.variant): cell for cell in cells}
    rows = [(f"`{scene.name}`", *(_words(at[scene.name, variant]) for variant in plan.variants)) for scene in scenes]
    for words, counted in (("stands", scenes), ("of what can stand", [scene for scene in scenes if scene.can_stand])):
        counts = [sum(at[scene.name, variant].stands is True for scene in counted) for variant in plan.variants]
        rows.append((f"**{words}, of {len(counted)}**", *map(str, counts)))
    costs = [[ratio for scene in scenes if (ratio := at[scene.name, variant].cost_ratio)] for variant in plan.variants]
    rows.append(("cost, soft step = 1", *(f"{statistics.geometric_mean(own):.2f}" if own else "" for own in costs)))
    text = Table("", ("scene", *(f"`{variant.label}`" for variant in plan.variants)), tuple(rows)).as_markdown()
    if needed:
        solvers = list(dict.fromkeys(need.solver for need in needed))
        known = {(need.scene, need.solver): need for need in needed}
        rows = [(f"`{scene.name}`", *(_need_words(known.get((scene.name, solver))) for solver in solvers)) for scene in scenes]
        text += "\n" + Table("", ("scene", *(f"`{solver}`" for solver in solvers)), tuple(rows)).as_markdown()
    return text


def _words(cell: Cell) -> str:
    """Return what a cell of the table says: yes with the error in mm; when it fell; or the first word of the reason."""
    if cell.stands:
        mm = 1e3 * (cell.error or 0.0)
        return "yes <0.1" if mm < 0.1 else f"yes {mm:.2g}" if mm < 10.0 else f"yes {mm:.0f}"
    if cell.fell_at is not None:
        return f"**{'explodes' if cell.reason.startswith('exploded') else 'no'}** {cell.fell_at:.2g} s"
    if cell.stands is False:
        return "**no**"
    return f"{cell.reason.split(':')[0].split(' after ')[0]} at {cell.seconds:.2g} s" if cell.seconds else "refused"


def _need_words(need: Need | None) -> str:
    if need is None or not need.reached:
        return "-"
    return f"{'as it is' if need.effort is None else need.effort}: {_number(need.cost_ratio)}"
