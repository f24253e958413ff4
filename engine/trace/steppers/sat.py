"""The separating axis test, step by step: `engine.narrowphase._overlap_kernel`."""

from __future__ import annotations

from engine.contracts.trace import Mark
from engine.geometry import AnyShape, Transform
from engine.narrowphase import sat as chapter
from engine.narrowphase.sat import NO_AXIS
from engine.trace._axes import APART, AXIS_VIEWS, AxesDecoder
from engine.trace.protocol import PairAlgorithm, TraceSteps
from engine.trace.words import meters

__all__ = ["ALGORITHM"]


class _Decoder(AxesDecoder):
    edge_line, corner_line = 3, 6
    aim = (
        "If any line fits between two polygons, one parallel to an edge does, so no others are needed. Where the shadows (projections) on "
        "one axis do not meet, a line fits: the shapes are apart."
    )
    goes_on = "No other axis is needed."

    def answer(self) -> None:
        last, edges, is_overlapping = self.steps[-1], self.edges, self.result
        n_edges = edges.count(0) + edges.count(1)
        marks: tuple[Mark, ...] = last.marks
        line, points, gap = 4, last.points, last.values.get("gap", self.best - self.reach)
        if last.kind == "distance":
            line, distance = 7, meters(last.values["distance"])
            says = (
                f"They overlap: the cores are {distance} apart, less than the sum of the radii, {meters(self.reach)}."
                if is_overlapping and self.reach > 0.0
                else "They overlap: within rounding, the cores are 0 m apart, so they touch."
                if is_overlapping
                else f"They are apart by {meters(gap)}, corner to corner, which is more than the gap along any edge's normal."
            )
        elif is_overlapping:
            line, gap = 5, self.best - self.reach
            says = (
                f"They overlap: their shadows overlap on all {n_edges} axes, by at least {meters(-gap)} (gap {meters(gap)}). If any line "
                "fit between the two, one parallel to an edge would, so no other axis is needed."
            )
            marks = (*edges.shadow_marks(*self.best_edge, self.best, "result", self.reach), *self.gap_marks())
        else:
            left = n_edges - len(self.gaps)
            saved = f" The other {left} of {n_edges} axes were not tested." if left else ""
            says = f"They are apart: one axis with a gap between the shadows, here {meters(gap)}, is proof enough.{saved}"
        self.add(
            "answer", line, says, points=points, axis=last.axis if line == 4 else None, bound=gap,
            values={"overlaps": float(is_overlapping)}, marks=marks, result=is_overlapping,
        )  # fmt: skip


class Sat(PairAlgorithm):
    """Overlap of two convex shapes, by the axis that would separate them."""

    title = "SAT: do two shapes overlap?"
    page = "sat.md#derivation"
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
    views = AXIS_VIEWS
    beside = ("gjk", "sat_cached", "manifold")
    decoder = _Decoder
    ask = staticmethod(chapter.overlap)
    example = APART

    def of(self, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, axis: int = NO_AXIS) -> TraceSteps:
        """Return the steps of `engine.query.overlap`; with an `axis` remembered by an earlier call, those of `sat_cached`."""
        from engine.trace.steppers import sat_cached

        return super().of(a, xf_a, b, xf_b) if axis == NO_AXIS else sat_cached.ALGORITHM.of(a, xf_a, b, xf_b, axis)


ALGORITHM = Sat()
