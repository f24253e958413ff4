"""The separating axis test, step by step: `engine.narrowphase._overlap_kernel`."""

from __future__ import annotations

from typing import Any

from engine.compare.pair.file import Pair
from engine.contracts.trace import Mark, TraceStep
from engine.geometry import AnyShape, Polygon, Transform
from engine.narrowphase import sat as chapter
from engine.narrowphase.sat import NO_AXIS
from engine.trace import given
from engine.trace._axes import AXIS, GAPS, Axes, Edges
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm, TraceSteps
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = ["ALGORITHM", "Sat"]

_AIM = (
    "If any line fits between two polygons, one parallel to an edge does, so no others are needed. Where the shadows (projections) on "
    "one axis "
    "do not meet, a line fits: the shapes are apart."
)


class Sat(Algorithm[PairCase]):
    """Overlap of two convex shapes, by the axis that would separate them."""

    title = "SAT: do two shapes overlap?"
    page = "sat.md#derivation"
    case_of = staticmethod(given.at_rest("overlap"))
    pseudo_code = (
        "r = the sum of the radii (0 for polygons); cores exclude the radii",
        "for each edge of A, then of B:",
        "  n = its outward normal; its own shape's shadow on n ends at the edge",
        "  gap = start of the other's shadow along n - r",
        "  if gap > 0: the two are apart; no other axis is needed",
        "if all shadows of the cores overlap: the two overlap",
        "  d = the distance between the cores, which are corner to corner",
        "they overlap if d <= r",
    )
    views = (PLANE, AXIS, GAPS)
    beside = ("gjk", "sat_cached", "manifold")

    @property
    def example(self) -> PairCase:
        a = Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)])
        b = Polygon([(-0.8, -0.5), (0.7, -0.6), (0.9, 0.5), (-0.3, 0.8)])
        return PairCase(Pair("overlap", a, Transform(), b, Transform((-1.45, 1.2), 0.5)))

    def query(self, case: PairCase) -> bool:
        return chapter.overlap(*case.both)

    def steps(self, case: PairCase) -> list[TraceStep]:
        result, rows = record_rows(lambda trace: chapter.overlap(*case.both, trace))
        axes = Axes(Edges(case), {"edge": 3, "corners": 6}, _AIM, "No other axis is needed.")
        for row in rows:
            axes.decode(row[0], row[1:])
        return [*axes.steps, _answer(axes, result)]

    def of(self, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, axis: int = NO_AXIS) -> TraceSteps:
        """Return the steps of `engine.query.overlap`; with an `axis` remembered by an earlier call, those of `sat_cached`."""
        from engine.trace.steppers import sat_cached

        return super().of(a, xf_a, b, xf_b) if axis == NO_AXIS else sat_cached.ALGORITHM.of(a, xf_a, b, xf_b, axis)

    def takes(self, case: Any) -> bool:
        return isinstance(case, PairCase) and case.pair.shape_b is not None


def _answer(axes: Axes, is_overlapping: bool) -> TraceStep:
    last, edges = axes.steps[-1], axes.edges
    there_are = edges.count(0) + edges.count(1)
    marks: tuple[Mark, ...] = last.marks
    if last.kind == "distance":
        gap = last.values["gap"]
        line, points = 7, last.points
        says = (
            f"They overlap: the cores are {meters(last.values['distance'])} apart, less than the sum of the radii, {meters(axes.reach)}."
            if is_overlapping and axes.reach > 0.0
            else "They overlap: within rounding, the cores are 0 m apart, so they touch."
            if is_overlapping
            else f"They are apart by {meters(gap)}, corner to corner, which is more than the gap along any edge's normal."
        )
    elif is_overlapping:
        line, points, gap = 5, (), axes.best - axes.reach
        says = (
            f"They overlap: their shadows overlap on all {there_are} axes, by at least {meters(-gap)} (gap {meters(gap)}). If any line "
            "fit between the two, one parallel to an edge would, so no other axis is needed."
        )
        side, edge = axes.best_edge or (0, 0)
        marks = (*edges.shadow_marks(side, edge, axes.best, "result", axes.reach), *axes.gap_marks())
    else:
        line, points, gap = 4, (), last.values["gap"]
        left = there_are - axes.n_axes
        saved = f" The other {left} of {there_are} axes were not tested." if left else ""
        says = f"They are apart: one axis with a gap between the shadows, here {meters(gap)}, is proof enough.{saved}"
    return TraceStep(
        "answer", line, says, points=points, axis=last.axis if line == 4 else None, bound=gap, values={"overlaps": float(is_overlapping)},
        marks=marks, cost=axes.cost, result=is_overlapping,
    )  # fmt: skip


ALGORITHM = Sat()
