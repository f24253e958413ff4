"""A volume with a convex core and a radius around it: circle, capsule, oriented box and hull are one class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.bounding.cloud import Points, area_of_rounded, cloud_of
from engine.common.arrays import FloatArray, frozen
from engine.common.checks import point
from engine.common.tolerances import BOUNDING_ROUNDING
from engine.contracts import Status
from engine.geometry import Transform

__all__ = ["Volume", "bounding_hull"]


@dataclass(frozen=True, slots=True, eq=False)
class Volume:
    """Closed set of all points within `radius` of a convex core, meters.

    Attributes
    ----------
    core : float64 (n, 2), read-only
        A circle's center, the ends of a capsule, or the corners of a polygon, counter-clockwise.
    radius : float
    """

    core: FloatArray
    radius: float

    @property
    def area(self) -> float:
        """Area by Steiner's formula, square meters."""
        return area_of_rounded(self.core, self.radius)

    @property
    def reach(self) -> float:
        """Distance of the farthest point from the origin."""
        return float(np.hypot(self.core[:, 0], self.core[:, 1]).max()) + self.radius

    def at(self, xf: Transform) -> Volume:
        """Return the volume around the same shape at a pose; the rounding of the pose is added to the radius."""
        around = BOUNDING_ROUNDING * (abs(xf.position[0]) + abs(xf.position[1]) + self.reach)
        x = xf.cos * self.core[:, 0] - xf.sin * self.core[:, 1] + xf.position[0]
        y = xf.sin * self.core[:, 0] + xf.cos * self.core[:, 1] + xf.position[1]
        return Volume(frozen(np.column_stack((x, y))), self.radius + around)

    def overlaps(self, other: Volume) -> bool:
        """Return True if the volumes share a point, to rounding, by GJK; touching counts."""
        from engine.narrowphase._distance_kernel import distance_one
        from engine.narrowphase._gjk_kernel import TRIANGLE_SIZE

        middle = self.core[0]
        first, second = (
            (side.core - middle, side.radius, _extent(side.core - middle, side.radius), 0.0, 0.0, 1.0, 0.0) for side in (self, other)
        )
        status, *_ = distance_one(False, first, second, np.zeros(TRIANGLE_SIZE, dtype=np.int64))
        return status != Status.SEPARATED

    def contains(self, at: tuple[float, float]) -> bool:
        """Return True if a point lies in the volume, to rounding; the boundary counts."""
        return self.overlaps(Volume(np.array([point("at", at)]), 0.0))


def bounding_hull(points: Points) -> Volume:
    """Return the hull of points, or of a shape with its radius; body frame.

    Examples
    --------
    >>> hull = bounding_hull([(0.0, 0.0), (2.0, 0.0), (1.0, 0.5), (1.0, 2.0)])
    >>> len(hull.core), round(hull.area, 12)
    (3, 2.0)
    """
    cloud = cloud_of(points)
    return Volume(cloud.points, cloud.radius + BOUNDING_ROUNDING * cloud.extent)


def _extent(core: FloatArray, radius: float) -> float:
    return float(np.hypot(core[:, 0], core[:, 1]).max()) + radius
