"""Base class of shapes: a convex core of one or more vertices, with a radius around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Self

from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError

__all__ = ["ConvexShape", "check_shape"]


class ConvexShape:
    """A shape: the points within `radius` of its core, body frame, meters."""

    __slots__ = ()

    kind: ClassVar[int]
    """One of `engine.geometry.kinds`."""

    if TYPE_CHECKING:

        @property
        def radius(self) -> float:
            """Radius of everything around the core, meters."""

        @property
        def skin_radius(self) -> float:
            """Part of the radius that is a rounded skin, meters: the whole radius for polygons and segments, 0 for other shapes."""

    @property
    def core(self) -> FloatArray:
        """The core's vertices (n, 2), counter-clockwise; read-only."""
        raise NotImplementedError

    @property
    def centroid(self) -> tuple[float, float]:
        """Center of mass; the midpoint for a segment."""
        raise NotImplementedError

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Self:
        """Return the shape with its points (n, 2) mapped by `place`, and with another `radius` if one is given.

        Raises
        ------
        InvalidShapeError
            The result is not a valid shape.
        """
        raise NotImplementedError

    def with_radius(self, radius: float) -> Self:
        """Return the shape with another radius, or skin, around its core."""
        return self.mapped(lambda points: points, radius)


def check_shape(field: str, shape: object) -> None:
    """Raise an error if the value is not a shape.

    Raises
    ------
    InvalidInputError
        Naming `field`.
    """
    if not isinstance(shape, ConvexShape):
        raise InvalidInputError(field, "a Circle, Polygon, Capsule or Segment", shape)
