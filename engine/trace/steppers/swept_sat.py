"""Linear swept SAT, step by step: `engine.continuous._swept_kernel`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.continuous import swept as chapter
from engine.contracts import SweptContact
from engine.contracts.trace import Mark, Point, TraceStep
from engine.geometry import AnyShape, Polygon, Transform
from engine.trace import given
from engine.trace._bars import TIMES, step_of_time
from engine.trace._swept import (
    SWEPT_DIFFERENCE_VIEW,
    SweptDecoder,
    Thrown,
    grown_scenery,
    n_bars,
    translates,
    translation_of,
)
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm, TraceSteps
from engine.trace.rows import record_rows

__all__ = ["ALGORITHM", "SweptSat", "sides", "solve", "swept_scenery", "ways"]


class SweptSat(Algorithm[PairCase]):
    """The separating axis test of two translating shapes: first and last time of each axis."""

    title = "Swept SAT: first and last contact of two sliding shapes"
    page = "swept.md#derivation"
    case_of = staticmethod(given.of_velocities)
    pseudo_code = (
        "w = B's motion relative to A",
        "if they touch at the start: an overlap",
        "if w = 0: a miss",
        "for each edge of A and of B, n its outward normal:",
        "  s = distance of the other shape's shadow beyond the edge, along n",
        "  r = its rate: n.w, for B's edges -n.w",
        "  r < 0: the shadows begin to overlap at -s / r; first = the latest",
        "  r > 0: they stop overlapping at -s / r; last = the earliest",
        "  r = 0 and s > 0: a miss",
        "if there are radii, or a tip was missed: cast O along w at A - B:",
        "  first, last = earliest, latest crossing of edges and circles",
        "contact at first, if first <= last and first is in [0, 1]",
    )
    views = (PLANE, TIMES, SWEPT_DIFFERENCE_VIEW)
    beside = ("conservative_advancement", "shape_cast", "bisection")

    @property
    def example(self) -> PairCase:
        a, b = Polygon([(-0.9, -0.6), (0.7, -0.7), (1.0, 0.2), (0.1, 0.9)]), Polygon([(-0.6, -0.5), (0.7, -0.4), (0.1, 0.7)])
        return given.of_velocities(a, Transform(), (0.5, 0.0), b, Transform((-2.3, 1.9), 0.4), (4.6, -2.3))

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        return swept_scenery(case, *sides(case, *ways(case)))

    def query(self, case: PairCase) -> SweptContact:
        return solve(case, *ways(case), None)

    def steps(self, case: PairCase) -> list[TraceStep]:
        return _steps(case, *ways(case))

    def of(self, a: AnyShape, xf_a: Transform, velocity_a: Point, b: AnyShape, xf_b: Transform, velocity_b: Point) -> TraceSteps:
        case = self.case_of(a, xf_a, velocity_a, b, xf_b, velocity_b)
        return TraceSteps(_steps(case, velocity_a, velocity_b), self, case)

    def takes(self, case: Any) -> bool:
        return translates(case)


def ways(case: PairCase) -> tuple[Point, Point]:
    """Return the translations of A and of B over the motion."""
    pair = case.pair
    return translation_of(pair.pose_a, pair.end_a), translation_of(pair.pose_b, pair.end_b)


def solve(case: PairCase, way_a: Point, way_b: Point, trace: Any) -> SweptContact:
    """Call production, with translations equal to those of the case but for rounding."""
    a, xf_a, b, xf_b = case.both
    return chapter.swept_contact(a, xf_a, way_a, b, xf_b, way_b, 1.0, trace)


def _steps(case: PairCase, way_a: Point, way_b: Point) -> list[TraceStep]:
    result, rows = record_rows(lambda trace: solve(case, way_a, way_b, trace))
    return SweptDecoder(*sides(case, way_a, way_b)).decoded(rows, result)


def sides(case: PairCase, way_a: Point, way_b: Point) -> tuple[Thrown, Thrown]:
    """Return both shapes with their translations."""
    a, xf_a, b, xf_b = case.both
    return Thrown("a", a, xf_a, way_a), Thrown("b", b, xf_b, way_b)


@lru_cache(maxsize=4)
def swept_scenery(case: PairCase, first: Thrown, second: Thrown) -> tuple[Mark, ...]:
    """Return the shapes, the frame of the bars, and the first grown by the second."""
    return (*case.scenery, *step_of_time(n_bars(first, second)), *grown_scenery(first, second))


ALGORITHM = SweptSat()
