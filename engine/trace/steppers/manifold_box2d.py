"""The same by the rule of Box2D 2.3.0, step by step: `engine.narrowphase._climb_kernel`, `engine.narrowphase._edge_kernel`."""

from __future__ import annotations

from engine.compare.pair.file import Pair
from engine.geometry import Polygon, Transform
from engine.trace._clipping import CLIPPING, ClippedManifold
from engine.trace.cases import PairCase

__all__ = ["ALGORITHM"]


class Box2DManifold(ClippedManifold):
    """Contact points of two shapes as in Box2D: a climb that may stop on the wrong hill, and a preference for A's edges."""

    title = "Clipping by Box2D's rule: a climb"
    rule = "box2d"
    choice = (
        "start at the edge of A that faces B most directly; climb while the gap grows",
        "the same on B; take A's unless B's > 0.98 A's + 1 mm",
    )
    pseudo_code = (*choice, *CLIPPING[:-1])
    beside = ("manifold",)
    only = "of shapes that Box2D collides: no capsules, no two segments"

    example = PairCase(
        Pair(
            "manifold", Polygon([(-1.21, 0.26), (-1.09, 0.1), (-0.95, 0.03), (0.83, -0.01), (0.93, 0.04), (1.14, 0.4)]), Transform(),
            Polygon([(-0.2, 0.36), (0.37, -0.22), (0.47, -0.05), (-0.04, 0.36)]), Transform((0.44, 0.23), -2.47),
        )
    )  # fmt: skip
    """A bowl and a chip in it: among 60,000 seeded pairs one with the largest error of the climb."""


ALGORITHM = Box2DManifold()
