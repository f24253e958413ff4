"""The separating axis test that begins with the axis of the frame before, step by step: `engine.narrowphase._axis_cache_kernel`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.common.checks import integer
from engine.contracts.trace import Feature, Mark, Point, Question
from engine.geometry import AnyShape, Transform
from engine.narrowphase import sat as chapter
from engine.narrowphase._sat_kernel import SAT_END, SAT_REMEMBERED
from engine.narrowphase.sat import NO_AXIS, CachedOverlap
from engine.trace import given
from engine.trace._axes import APART, AXIS_EVENTS, AXIS_VIEWS, AxesDecoder
from engine.trace.cases import PairCase
from engine.trace.marks import dot, path
from engine.trace.protocol import PairAlgorithm
from engine.trace.rows import Event
from engine.trace.words import meters

__all__ = ["ALGORITHM"]


class _Decoder(AxesDecoder):
    events = {  # noqa: RUF012
        **AXIS_EVENTS,
        SAT_REMEMBERED: Event("remembered", "axis:i separation"),
        SAT_END: Event("end", "is_apart:b side:i edge:i separation corners:2"),
    }
    edge_line, corner_line = 4, 6
    aim = "The one that separated them in the last frame comes first."
    goes_on = "Its other edges are tried too, and the best one is remembered."

    def remembered(self, e: Any) -> None:
        edges, gap, is_enough = self.edges, e.separation - self.reach, self.parts(e.separation)
        side, first, second = self._decoded(e.axis)
        name = self._axis(e.axis, e.separation)[0]
        looked_at: tuple[Feature, ...] = (Feature("ab"[side], "edge", first),)
        if side >= 0:
            n_corners, n = len(edges.vertices[1 - side]), edges.normals[side][first]
            marks = edges.shadow_marks(side, first, e.separation, "result" if is_enough else "dropped", self.reach)
        else:
            n_corners = len(edges.vertices[0]) + len(edges.vertices[1])
            ends = edges.vertices[0][first], edges.vertices[1][second]
            looked_at = (Feature("a", "vertex", first), Feature("b", "vertex", second))
            n, marks = _direction(*ends), (path("looked_at", *ends, text=meters(gap)), dot("looked_at", *ends))
        self.count(n_corners, gap)
        verdict = (
            f"the gap is {meters(gap)}. The axis still separates them. Shapes move little per frame, so one axis is usually enough."
            if is_enough
            else f"the gap is {meters(gap)}. The axis does not separate them, so the full test follows."
        )
        self.add(
            "remembered", 1, f"Along the last frame's axis, {name}, {verdict}", looked_at, axis=n, bound=gap,
            values={"gap": gap, "separation": e.separation}, marks=(*marks, *self.gap_marks()),
            question=Question(f"Does the last frame's axis, {name}, still separate them?", ("yes", "no"), 0 if is_enough else 1),
        )  # fmt: skip

    def end(self, e: Any) -> None:
        self.taken = e.separation

    def answer(self) -> None:
        result, line = self.result, 2 if self.result.was_enough else 7
        what = "They overlap" if result.is_overlapping else "They are apart"
        gap = self.steps[-1].values["gap"] if result.was_enough else self.taken - self.reach
        name, marks, looked_at = self._axis(result.axis, gap + self.reach)
        if result.was_enough:
            n_edges = self.edges.count(0) + self.edges.count(1)
            says = f"{what}. The remembered axis, 1 of {n_edges}, was enough. It is kept for the next frame."
        else:
            says = f"{what}. The best axis is that of {name}, with a gap of {meters(gap)}. It will be tried first in the next frame."
        self.add(
            "answer", line, says, looked_at, bound=gap, values={"axis": float(result.axis), "overlaps": float(result.is_overlapping)},
            marks=(*marks, *self.gap_marks()), result=result,
        )  # fmt: skip

    def _decoded(self, axis: int) -> tuple[int, int, int]:
        """Return side and edge of a numbered axis, or -1 and the corners of A and B."""
        n_a, n_b = (len(vertices) for vertices in self.edges.vertices)
        if axis < n_a:
            return 0, axis, -1
        if axis < n_a + n_b:
            return 1, axis - n_a, -1
        return -1, *divmod(axis - n_a - n_b, n_b)

    def _axis(self, axis: int, separation: float) -> tuple[str, tuple[Mark, ...], tuple[Feature, ...]]:
        """Return an axis's name, marks and features."""
        edges, (side, first, second) = self.edges, self._decoded(axis)
        if side >= 0 and edges.count(side):
            marks = edges.shadow_marks(side, first, separation, "result", self.reach)
            return edges.name(side, first), marks, (Feature("ab"[side], "edge", first),)
        first, second = max(first, 0), max(second, 0)
        return (
            f"the line from corner A{first} to B{second}", (path("result", edges.vertices[0][first], edges.vertices[1][second]),), (),
        )  # fmt: skip


def _direction(p: Point, q: Point) -> Point:
    """Return the direction between two distinct corners."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    length = (dx * dx + dy * dy) ** 0.5
    return (dx / length, dy / length) if length > 0.0 else (1.0, 0.0)


class SatCached(PairAlgorithm):
    """The best axis of the frame before is tried before all others."""

    title = "SAT with a remembered axis"
    page = "sat.md#derivation"
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
    views = AXIS_VIEWS
    beside = ("sat",)
    decoder = _Decoder
    example = PairCase(APART.pair, replace(APART.pair, pose_b=Transform((-1.5, 1.2), 0.45)))

    def case_of(self, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, axis: int = NO_AXIS) -> PairCase:
        """Return the case of the arguments of `engine.narrowphase.sat.overlap_cached`."""
        return replace(given.of_pair("overlap", a, xf_a, b, xf_b), axis=integer("axis", axis))

    def run(self, case: PairCase, trace: Any) -> CachedOverlap:
        axis, before = case.axis, case.before
        if axis is None:  # that from before the last drag
            has_frame = before is not None and before.shape_b is not None
            axis = chapter.overlap_cached(*PairCase(before).both).axis if before is not None and has_frame else NO_AXIS
        return chapter.overlap_cached(*case.both, axis, trace)


ALGORITHM = SatCached()
