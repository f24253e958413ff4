"""The separating axis test that begins with the axis of the frame before, step by step: `engine.narrowphase._axis_cache_kernel`."""

from __future__ import annotations

from typing import Any

from engine.common.checks import integer
from engine.compare.pair.file import Pair
from engine.contracts.trace import Feature, Mark, Point, Question, TraceStep
from engine.geometry import AnyShape, Polygon, Transform
from engine.narrowphase import sat as chapter
from engine.narrowphase._sat_kernel import SAT_END, SAT_REMEMBERED
from engine.narrowphase.sat import NO_AXIS, CachedOverlap
from engine.trace import given
from engine.trace._axes import AXIS, GAPS, Axes, Edges
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm, TraceSteps
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = ["ALGORITHM", "SatCached", "cached_steps"]


class SatCached(Algorithm[PairCase]):
    """The best axis of the frame before is tried before all others."""

    title = "SAT with a remembered axis"
    page = "sat.md#derivation"
    case_of = staticmethod(given.at_rest("overlap"))
    pseudo_code = (
        "r = the sum of the radii",
        "gap = along the last frame's axis, rotated with its shape",
        "if gap > 0: the two are apart; one axis was enough",
        "for each edge of A; then of B, if none of A's separates them:",
        "  gap = start of the other's shadow along its normal - r",
        "  keep the largest",
        "if the cores do not overlap: d = their distance; apart if d > r",
        "remember the best axis by its features: an edge or two corners",
    )
    views = (PLANE, AXIS, GAPS)
    beside = ("sat",)

    @property
    def example(self) -> PairCase:
        a = Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)])
        b = Polygon([(-0.8, -0.5), (0.7, -0.6), (0.9, 0.5), (-0.3, 0.8)])
        before = Pair("overlap", a, Transform(), b, Transform((-1.5, 1.2), 0.45))
        return PairCase(Pair("overlap", a, Transform(), b, Transform((-1.45, 1.2), 0.5)), before)

    def query(self, case: PairCase) -> CachedOverlap:
        return chapter.overlap_cached(*case.both, _remembered(case))

    def steps(self, case: PairCase) -> list[TraceStep]:
        return cached_steps(case, _remembered(case))

    def of(self, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, axis: int = NO_AXIS) -> TraceSteps:
        """Return the steps of `engine.narrowphase.sat.overlap_cached` that begin with an axis."""
        case = self.case_of(a, xf_a, b, xf_b)
        return TraceSteps(cached_steps(case, integer("axis", axis)), self, case)

    def takes(self, case: Any) -> bool:
        return isinstance(case, PairCase) and case.pair.shape_b is not None


def _remembered(case: PairCase) -> int:
    """Return the axis from before the last drag."""
    before = case.before
    if before is None or before.shape_b is None:
        return NO_AXIS
    return chapter.overlap_cached(*PairCase(before).both).axis


def cached_steps(case: PairCase, axis: int) -> list[TraceStep]:
    """Return the steps that begin with an axis of `overlap_cached`."""
    result, rows = record_rows(lambda trace: chapter.overlap_cached(*case.both, axis, trace))
    axes = Axes(
        Edges(case),
        {"edge": 4, "corners": 6},
        "The one that separated them in the last frame comes first.",
        "Its other edges are tried too, and the best one is remembered.",
    )
    best: list[float] = []
    for row in rows:
        if row[0] == SAT_REMEMBERED:
            axes.steps.append(_remembered_step(axes, int(row[1]), row[2]))
        elif row[0] == SAT_END:
            best = row[1:]
        else:
            axes.decode(row[0], row[1:])
    return [*axes.steps, _answer(axes, result, best)]


def _named(edges: Edges, axis: int) -> tuple[int, int, int]:
    """Return side and edge of a numbered axis, or -1 and the corners of A and B."""
    n_a, n_b = len(edges.vertices[0]), len(edges.vertices[1])
    if axis < n_a:
        return 0, axis, -1
    if axis < n_a + n_b:
        return 1, axis - n_a, -1
    return -1, (axis - n_a - n_b) // n_b, (axis - n_a - n_b) % n_b


def _name(edges: Edges, axis: int) -> str:
    side, first, second = _named(edges, axis)
    return edges.name(side, first) if side >= 0 and edges.count(side) else f"the line from corner A{max(first, 0)} to B{max(second, 0)}"


def _remembered_step(axes: Axes, axis: int, separation: float) -> TraceStep:
    edges, gap, is_enough = axes.edges, separation - axes.reach, axes.parts(separation)
    side, first, second = _named(edges, axis)
    name = _name(edges, axis)
    axes.n_axes += 1
    axes.gaps.append((float(axes.n_axes), gap))
    if side >= 0:
        axes.n_corners += len(edges.vertices[1 - side])
        looked_at: tuple[Feature, ...] = (Feature("ab"[side], "edge", first),)
        n = edges.normals[side][first]
        marks = edges.shadow_marks(side, first, separation, "result" if is_enough else "dropped", axes.reach)
    else:
        axes.n_corners += len(edges.vertices[0]) + len(edges.vertices[1])
        looked_at = Feature("a", "vertex", first), Feature("b", "vertex", second)
        ends = edges.vertices[0][first], edges.vertices[1][second]
        n = _direction(*ends)
        marks = (Mark("path", "looked_at", ends, text=meters(gap)), Mark("point", "looked_at", ends))
    verdict = (
        f"the gap is {meters(gap)}. The axis still separates them. Shapes move little per frame, so one axis is usually enough."
        if is_enough
        else f"the gap is {meters(gap)}. The axis does not separate them, so the full test follows."
    )
    return TraceStep(
        "remembered", 1, f"Along the last frame's axis, {name}, {verdict}", looked_at, axis=n, bound=gap,
        values={"gap": gap, "separation": separation}, marks=(*marks, *axes.gap_marks()), cost=axes.cost,
        question=Question(f"Does the last frame's axis, {name}, still separate them?", ("yes", "no"), 0 if is_enough else 1),
    )  # fmt: skip


def _direction(p: Point, q: Point) -> Point:
    """Return the direction between two distinct corners."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    length = (dx * dx + dy * dy) ** 0.5
    return (dx / length, dy / length) if length > 0.0 else (1.0, 0.0)


def _answer(axes: Axes, result: CachedOverlap, best: list[float]) -> TraceStep:
    what = "They overlap" if result.is_overlapping else "They are apart"
    name, last = _name(axes.edges, result.axis), axes.steps[-1]
    if result.was_enough:
        all_of_them = axes.edges.count(0) + axes.edges.count(1)
        line, says = 2, f"{what}. The remembered axis, 1 of {all_of_them}, was enough. It is kept for the next frame."
        gap = last.values["gap"]
    else:
        gap = best[3] - axes.reach
        line = 7
        says = f"{what}. The best axis is that of {name}, with a gap of {meters(gap)}. It will be tried first in the next frame."
    side, first, second = _named(axes.edges, result.axis)
    if side >= 0 and axes.edges.count(side):
        separation = gap + axes.reach
        marks = axes.edges.shadow_marks(side, first, separation, "result", axes.reach)
        looked_at: tuple[Feature, ...] = (Feature("ab"[side], "edge", first),)
    else:
        ends = axes.edges.vertices[0][max(first, 0)], axes.edges.vertices[1][max(second, 0)]
        marks, looked_at = (Mark("path", "result", ends),), ()
    return TraceStep(
        "answer", line, says, looked_at, bound=gap, values={"axis": float(result.axis), "overlaps": float(result.is_overlapping)},
        marks=(*marks, *axes.gap_marks()), cost=axes.cost, result=result,
    )  # fmt: skip


ALGORITHM = SatCached()
