"""A shape cast at another, step by step: `engine.continuous._swept_kernel`."""

from __future__ import annotations

from typing import Any

from engine.common.checks import point
from engine.continuous import swept as chapter
from engine.contracts import RayHit
from engine.contracts.trace import Point
from engine.geometry import AnyShape, Capsule, Polygon, Transform, check_shape
from engine.trace import given
from engine.trace._swept import SWEPT_DIFFERENCE_VIEW, SweptAlgorithm, SweptDecoder
from engine.trace._times import TIMES, Side
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE

__all__ = ["ALGORITHM"]


class ShapeCast(SweptAlgorithm):
    """A ray with a shape: A is cast at B, which is at rest."""

    title = "Shape cast: where a cast shape first touches"
    page = "shape_cast.md#derivation"
    pseudo_code = (
        "w = the translation of A; B is at rest",
        "if they touch at the start: a hit at 0",
        "if w = 0: a miss",
        "for each edge of B and of A, n its outward normal:",
        "  s = distance of the other shape's shadow beyond the edge, along n",
        "  r = its rate: n.w, for A's edges -n.w",
        "  r < 0: the shadows begin to overlap at -s / r; first = the latest",
        "  r > 0: they stop overlapping at -s / r; last = the earliest",
        "  r = 0 and s > 0: a miss",
        "if there are radii, or a tip was missed: cast O along w at B - A:",
        "  first, last = earliest, latest crossing of edges and circles",
        "a hit at first, if first <= last and first is in [0, 1]",
    )
    views = (PLANE, SWEPT_DIFFERENCE_VIEW, TIMES)
    beside = ("ray_cast", "swept_sat", "conservative_advancement")
    decoder = SweptDecoder
    example = given.of_velocities(
        Capsule((-0.35, 0.0), (0.35, 0.2), 0.25), Transform((-2.4, 1.2), 0.5), (4.2, -1.3),
        Polygon([(-0.7, -0.6), (0.6, -0.9), (1.0, 0.3), (-0.2, 1.0)]), Transform((0.6, 0.0)), (0.0, 0.0),
    )  # fmt: skip

    def run(self, case: PairCase, trace: Any) -> RayHit:
        a, xf_a, b, xf_b = case.both
        return chapter.shape_cast(a, xf_a, case.translations[0], b, xf_b, trace)

    def sides(self, case: PairCase) -> tuple[Side, Side]:
        first, second = super().sides(case)
        return second, first

    def case_of(self, shape: AnyShape, xf: Transform, translation: Point, target: AnyShape, xf_target: Transform) -> PairCase:
        """Return the case of the arguments of `engine.query.shape_cast`."""
        check_shape("target", target)
        point("translation", translation)
        return given.of_velocities(shape, xf, translation, target, xf_target, (0.0, 0.0))

    def fits(self, case: PairCase) -> bool:
        return case.translates and case.pair.end_b == case.pair.pose_b


ALGORITHM = ShapeCast()
