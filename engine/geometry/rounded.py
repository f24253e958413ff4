"""The disc, the capsule and the line segment: one or two points with a radius around them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import non_negative, point, positive
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry.aabb import AABB
from engine.geometry.convex import ConvexShape
from engine.geometry.kinds import CAPSULE, CIRCLE, SEGMENT
from engine.geometry.mass import MassProperties
from engine.geometry.transform import Transform, posed

__all__ = ["Capsule", "Circle", "Segment"]


@dataclass(frozen=True, slots=True)
class Circle(ConvexShape):
    """A solid disc.

    Parameters
    ----------
    radius : float
        > 0, meters.
    center : pair of float
        Body frame, meters.

    Raises
    ------
    InvalidShapeError
        The radius is not positive, or a number is not finite.
    """

    kind: ClassVar[int] = CIRCLE
    skin_radius: ClassVar[float] = 0.0
    radius: float
    center: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "radius", positive("radius", self.radius, "m"))
            object.__setattr__(self, "center", point("center", self.center))
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None

    @property
    def core(self) -> FloatArray:
        """The center, (1, 2)."""
        return np.array([self.center])

    @property
    def centroid(self) -> tuple[float, float]:
        """The center."""
        return self.center

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Circle:
        """Return the disc with a mapped center; see `ConvexShape`."""
        return Circle(self.radius if radius is None else radius, place(self.core)[0])

    def aabb(self, xf: Transform) -> AABB:
        """Return the tight box around the disc at the pose `xf`."""
        x, y = posed(xf).apply(self.center)
        return AABB((x - self.radius, y - self.radius), (x + self.radius, y + self.radius))

    def mass(self, density: float = 1.0) -> MassProperties:
        """Return area, mass, centroid and inertia about the centroid (``m r^2 / 2``) for `density` kg/m^2."""
        density = non_negative("density", density, "kg/m^2")
        area = math.pi * self.radius**2
        return MassProperties(area, density * area, self.center, 0.5 * density * area * self.radius**2)


class _TwoPoints(ConvexShape):
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


@dataclass(frozen=True, slots=True)
class Capsule(_TwoPoints):
    """A solid capsule; a disc if its two points are the same.

    Parameters
    ----------
    p1, p2 : pair of float
        Ends of the core, body frame, meters.
    radius : float
        > 0, meters.

    Raises
    ------
    InvalidShapeError
        The radius is not positive, or a number is not finite.
    """

    kind: ClassVar[int] = CAPSULE
    skin_radius: ClassVar[float] = 0.0
    p1: tuple[float, float]
    p2: tuple[float, float]
    radius: float

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "p1", point("p1", self.p1))
            object.__setattr__(self, "p2", point("p2", self.p2))
            object.__setattr__(self, "radius", positive("radius", self.radius, "m"))
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Capsule:
        """Return the capsule with mapped points; see `ConvexShape`."""
        p1, p2 = place(self.core)
        return Capsule(p1, p2, self.radius if radius is None else radius)

    def outline(self, n_arc: int = 16) -> FloatArray:
        """Return corners of its surface, counter-clockwise, `n_arc` + 1 on each of its two round ends, float64 (2 n_arc + 2, 2), meters."""
        along = math.atan2(self.p2[1] - self.p1[1], self.p2[0] - self.p1[0])
        turns = along + np.linspace(-0.5 * math.pi, 0.5 * math.pi, n_arc + 1)
        end = self.radius * np.column_stack((np.cos(turns), np.sin(turns)))
        return np.concatenate((np.array(self.p2) + end, np.array(self.p1) - end))

    def mass(self, density: float = 1.0) -> MassProperties:
        """Return area, mass, centroid and inertia about the centroid for `density` kg/m^2.

        A rectangle of length l and width 2 r, and two half discs at its ends. A half disc's centroid lies 4 r / (3 pi) from its
        flat side, so about the capsule's center the two have, by the parallel axes through their centroids and back,
        ``m_d (r^2 / 2 + l^2 / 4 + l 4 r / (3 pi))`` with m_d the mass of the whole disc.
        """
        density = non_negative("density", density, "kg/m^2")
        (x1, y1), (x2, y2), r = self.p1, self.p2, self.radius
        length = math.hypot(x2 - x1, y2 - y1)
        box, disc = density * 2.0 * r * length, density * math.pi * r * r
        inertia = box * (length**2 + 4.0 * r * r) / 12.0
        inertia += disc * (0.5 * r * r + 0.25 * length**2 + length * 4.0 * r / (3.0 * math.pi))
        area = 2.0 * r * length + math.pi * r * r
        return MassProperties(area, box + disc, (0.5 * (x1 + x2), 0.5 * (y1 + y2)), inertia)


@dataclass(frozen=True, slots=True)
class Segment(_TwoPoints):
    """A segment from `p1` to `p2`, body frame, meters, alone or as a link of a chain; a point if both ends are the same.

    Parameters
    ----------
    p1, p2 : pair of float
    skin_radius : float
        >= 0, meters; Box2D's edges have `BOX2D_POLYGON_SKIN`.
    ghost1, ghost2 : pair of float, optional
        The neighbors in a chain: the vertex before `p1` and the one after `p2`. They collide with nothing; they determine which
        normals at the ends belong to a neighbor, so that a body slides over the joint.

    Raises
    ------
    InvalidShapeError
        A number is not finite, the skin is negative, or a ghost lies on its end.
    """

    kind: ClassVar[int] = SEGMENT
    p1: tuple[float, float]
    p2: tuple[float, float]
    skin_radius: float = 0.0
    ghost1: tuple[float, float] | None = None
    ghost2: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "p1", point("p1", self.p1))
            object.__setattr__(self, "p2", point("p2", self.p2))
            object.__setattr__(self, "skin_radius", non_negative("skin_radius", self.skin_radius, "m"))
            for name, end in (("ghost1", self.p1), ("ghost2", self.p2)):
                if getattr(self, name) is not None:
                    object.__setattr__(self, name, point(name, getattr(self, name)))
                    if getattr(self, name) == end:
                        raise InvalidInputError(name, "a point different from the end that it continues", end)
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None

    @property
    def radius(self) -> float:
        """The skin radius."""
        return self.skin_radius

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Segment:
        """Return the segment and its ghosts with mapped points; see `ConvexShape`."""
        ghosts = [None if ghost is None else place(np.array([ghost]))[0] for ghost in (self.ghost1, self.ghost2)]
        p1, p2 = place(self.core)
        return Segment(p1, p2, self.skin_radius if radius is None else radius, *ghosts)
