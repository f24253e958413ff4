"""The bounding circle: nothing turns it, and two numbers decide.

A circle is the only volume that does not notice a rotation: its centre is moved, its radius stays. Two circles share a point when their
centres are no farther apart than the radii together; squared, no root is taken::

        .--.      .---.
       (  a--+---+--b  )          |b - a|^2 <= (r_a + r_b)^2
        `--'      `---'

Both sides of that are sums of squares of at most five roundings each, so a touch may be judged apart by a relative 8 EPS64 at most; by that
much the right side is widened.

This chapter takes the mean of the points for a centre, as the fastest construction does; the radius is then up to twice the smallest. (Many
points in one corner and one far away: the mean lies at the corner.) `engine.bounding.smallest_circle` has the best centre.

Source: C. Ericson, Real-Time Collision Detection, 2005, 4.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.bounding.cloud import Points, cloud_of
from engine.common.checks import non_negative, point
from engine.common.tolerances import BOUNDING_ROUNDING, EPS64, SAFE_PRODUCT
from engine.geometry import Transform

__all__ = ["SQUARES_ROUNDING", "BoundingCircle", "circle_around", "mean_circle"]

SQUARES_ROUNDING = 1.0 + 8.0 * EPS64
"""Rounding, a factor. Five roundings of half EPS64 on either side of a comparison of squares, and slack for their products."""


@dataclass(frozen=True, slots=True)
class BoundingCircle:
    """Closed disc, metres.

    Raises
    ------
    InvalidInputError
        A number is not finite, or the radius is negative.
    """

    center: tuple[float, float]
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", point("center", self.center))
        object.__setattr__(self, "radius", non_negative("radius", self.radius, "m"))

    @property
    def area(self) -> float:
        """Square metres."""
        return math.pi * self.radius * self.radius

    def at(self, xf: Transform) -> BoundingCircle:
        """Return the circle around the same shape at a pose; the rounding of the pose is added to the radius."""
        reach = math.hypot(*self.center) + self.radius
        scale = abs(xf.position[0]) + abs(xf.position[1]) + reach
        return BoundingCircle(xf.apply(self.center), self.radius + BOUNDING_ROUNDING * scale)

    def overlaps(self, other: BoundingCircle) -> bool:
        """Tell whether the discs share a point; touching counts."""
        dx, dy = other.center[0] - self.center[0], other.center[1] - self.center[1]
        reach = self.radius + other.radius
        return dx * dx + dy * dy <= SQUARES_ROUNDING * reach * reach + SAFE_PRODUCT

    def contains(self, at: tuple[float, float]) -> bool:
        """Tell whether a point lies in the disc; the boundary counts."""
        x, y = point("at", at)
        dx, dy = x - self.center[0], y - self.center[1]
        return dx * dx + dy * dy <= SQUARES_ROUNDING * self.radius * self.radius + SAFE_PRODUCT


def mean_circle(points: Points) -> BoundingCircle:
    """Return the circle around the mean of the points, body frame.

    Examples
    --------
    >>> mean_circle([(-1.0, 0.0), (1.0, 0.0)]).center
    (0.0, 0.0)
    """
    return circle_around(points, cloud_of(points).mean)


def circle_around(points: Points, center: tuple[float, float]) -> BoundingCircle:
    """Return the least circle with that centre."""
    cloud = cloud_of(points)
    away = float(np.hypot(cloud.points[:, 0] - center[0], cloud.points[:, 1] - center[1]).max())
    scale = math.hypot(*center) + cloud.extent
    return BoundingCircle(center, away + cloud.radius + BOUNDING_ROUNDING * scale)
