"""Linear swept SAT, step by step: `engine.continuous._swept_kernel`."""

from __future__ import annotations

from engine.geometry import Polygon, Transform
from engine.trace import given
from engine.trace._swept import SWEPT_DIFFERENCE_VIEW, SweptAlgorithm, SweptDecoder
from engine.trace._times import TIMES
from engine.trace.protocol import PLANE

__all__ = ["ALGORITHM"]


class SweptSat(SweptAlgorithm):
    """The separating axis test of two translating shapes: first and last time of each axis."""

    title = "Swept SAT: first and last contact of two sliding shapes"
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
    decoder = SweptDecoder
    example = given.of_velocities(
        Polygon([(-0.9, -0.6), (0.7, -0.7), (1.0, 0.2), (0.1, 0.9)]), Transform(), (0.5, 0.0),
        Polygon([(-0.6, -0.5), (0.7, -0.4), (0.1, 0.7)]), Transform((-2.3, 1.9), 0.4), (4.6, -2.3),
    )  # fmt: skip


ALGORITHM = SweptSat()
