"""What every shape is: a convex core of one or more vertices, and a radius around it."""

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
            """Of everything around the core, meters."""

        @property
        def skin_radius(self) -> float:
            """What of the radius is a rounding and no surface, meters: all of a polygon's and a segment's, nothing of the others'."""

    @property
    def core(self) -> FloatArray:
        """The core's vertices (n, 2), counter-clockwise; not to be written to."""
        raise NotImplementedError

    @property
    def centroid(self) -> tuple[float, float]:
        """Center of mass; of a segment the middle."""
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


def check_shape(field: str, shape: object) -> None:
    """Refuse what is no shape.

    Raises
    ------
    InvalidInputError
        Naming `field`.
    """
    if not isinstance(shape, ConvexShape):
        raise InvalidInputError(field, "a Circle, Polygon, Capsule or Segment", shape)
