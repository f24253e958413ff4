"""A shape cast at another, step by step: `engine.continuous._swept_kernel`."""

from __future__ import annotations

from typing import Any

from engine.common.checks import point
from engine.continuous import swept as chapter
from engine.contracts import RayHit
from engine.contracts.trace import Mark, Point, TraceStep
from engine.geometry import AnyShape, Capsule, Polygon, Transform, check_shape
from engine.trace import given
from engine.trace._bars import TIMES
from engine.trace._swept import SWEPT_DIFFERENCE_VIEW, SweptDecoder, Thrown, translates, translation_of
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm, TraceSteps
from engine.trace.rows import record_rows
from engine.trace.steppers import swept_sat

__all__ = ["ALGORITHM", "ShapeCast"]


class ShapeCast(Algorithm[PairCase]):
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

    @property
    def example(self) -> PairCase:
        capsule = Capsule((-0.35, 0.0), (0.35, 0.2), 0.25)
        kite = Polygon([(-0.7, -0.6), (0.6, -0.9), (1.0, 0.3), (-0.2, 1.0)])
        return given.of_velocities(capsule, Transform((-2.4, 1.2), 0.5), (4.2, -1.3), kite, Transform((0.6, 0.0)), (0.0, 0.0))

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        return swept_sat.swept_scenery(case, *_sides(case, translation_of(case.pair.pose_a, case.pair.end_a)))

    def query(self, case: PairCase) -> RayHit:
        return _query(case, translation_of(case.pair.pose_a, case.pair.end_a), None)

    def steps(self, case: PairCase) -> list[TraceStep]:
        return _steps(case, translation_of(case.pair.pose_a, case.pair.end_a))

    def of(self, shape: AnyShape, xf: Transform, translation: Point, target: AnyShape, xf_target: Transform) -> TraceSteps:
        check_shape("target", target)
        point("translation", translation)
        case = given.of_velocities(shape, xf, translation, target, xf_target, (0.0, 0.0))
        return TraceSteps(_steps(case, translation), self, case)

    def takes(self, case: Any) -> bool:
        return translates(case) and case.pair.end_b == case.pair.pose_b


class _Decoder(SweptDecoder):
    def contact(self, result: RayHit) -> tuple[tuple[Point, ...], Point, Point]:
        assert result.point is not None and result.normal is not None
        return (result.point,), result.normal, result.point


def _query(case: PairCase, way: Point, trace: Any) -> RayHit:
    a, xf_a, b, xf_b = case.both
    return chapter.shape_cast(a, xf_a, way, b, xf_b, trace)


def _steps(case: PairCase, way: Point) -> list[TraceStep]:
    result, rows = record_rows(lambda trace: _query(case, way, trace))
    return _Decoder(*_sides(case, way)).decoded(rows, result)


def _sides(case: PairCase, way: Point) -> tuple[Thrown, Thrown]:
    a, xf_a, b, xf_b = case.both
    return Thrown("b", b, xf_b, (0.0, 0.0)), Thrown("a", a, xf_a, way)


ALGORITHM = ShapeCast()
