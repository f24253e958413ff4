"""What every shape is: a convex core of one or more vertices, and a radius around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError
from engine.geometry.aabb import AABB
from engine.geometry.transform import Transform, posed

__all__ = ["ConvexShape", "TwoPoints", "check_shape"]


class ConvexShape:
    """A shape: the points within `radius` of its core, body frame, metres."""

    __slots__ = ()

    kind: ClassVar[int]
    """One of `engine.geometry.kinds`."""

    if TYPE_CHECKING:

        @property
        def radius(self) -> float:
            """Of everything around the core, metres."""

        @property
        def skin_radius(self) -> float:
            """What of the radius is a rounding and no surface, metres: all of a polygon's and a segment's, nothing of the others'."""

    @property
    def core(self) -> FloatArray:
        """The core's vertices (n, 2), counter-clockwise; not to be written to."""
        raise NotImplementedError

    @property
    def centroid(self) -> tuple[float, float]:
        """Centre of mass; of a segment the middle."""
        raise NotImplementedError

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Self:
        """Return the shape with all its points (n, 2) put where `place` says, and with another `radius` if one is given.

        Raises
        ------
        InvalidShapeError
            That is no shape any more.
        """
        raise NotImplementedError

    def with_radius(self, radius: float) -> Self:
        """Return the shape with another radius, or skin, around its core."""
        return self.mapped(lambda points: points, radius)


class TwoPoints(ConvexShape):
    """A shape whose core is the segment from `p1` to `p2`."""

    __slots__ = ()

    p1: tuple[float, float]
    p2: tuple[float, float]

    @property
    def core(self) -> FloatArray:
        """Both ends, (2, 2)."""
        return np.array([self.p1, self.p2])

    @property
    def centroid(self) -> tuple[float, float]:
        """The middle of the segment."""
        return 0.5 * (self.p1[0] + self.p2[0]), 0.5 * (self.p1[1] + self.p2[1])

    def aabb(self, xf: Transform) -> AABB:
        """Return the tight box around the shape, its radius included, at the pose `xf`."""
        (x1, y1), (x2, y2), r = posed(xf).apply(self.p1), xf.apply(self.p2), self.radius
        return AABB((min(x1, x2) - r, min(y1, y2) - r), (max(x1, x2) + r, max(y1, y2) + r))


def check_shape(field: str, shape: object) -> None:
    """Refuse what is no shape.

    Raises
    ------
    InvalidInputError
        Naming `field`.
    """
    if not isinstance(shape, ConvexShape):
        raise InvalidInputError(field, "a Circle, Polygon, Capsule or Segment", shape)
