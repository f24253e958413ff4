"""The convex hull as a bounding volume: the tightest convex one.

It is contained in every other volume here, moves with the body corner by corner, and is compared by the separating axis test: along the
outward normal of an edge, the polygon's own farthest corner is known, so the nearest corner of the other hull decides. With a radius around
the corners, the largest gap is exact if an edge faces the other hull, and too small if two corners face each other::

         \\                     gap over the edge's normal:  g
          *  . . *             gap between the corners:    d >= g
         /   d    \\

so between "a gap above the radii" and "no gap", the distance of the corners from the edges is computed. The distance is also computed for
hulls of one or two points, which have no interior.

Source: C. Ericson, Real-Time Collision Detection, 2005, 4.6 (volumes cut out by half spaces, hulls among them) and 5.2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.bounding.cloud import Points, area_of_rounded, cloud_of
from engine.common.arrays import FloatArray, frozen
from engine.common.checks import point
from engine.common.tolerances import BOUNDING_ROUNDING
from engine.geometry import Transform

__all__ = ["BoundingHull", "bounding_hull", "span_of"]


@dataclass(frozen=True, slots=True, eq=False)
class BoundingHull:
    """Closed convex polygon with a radius around it, meters; created by `bounding_hull`.

    Attributes
    ----------
    vertices : float64 (n, 2), read-only
        Strictly convex, counter-clockwise; or two points, or one.
    radius : float
    """

    vertices: FloatArray
    radius: float

    @property
    def area(self) -> float:
        """Area by Steiner's formula, square meters."""
        return area_of_rounded(self.vertices, self.radius)

    @property
    def reach(self) -> float:
        """Distance of the farthest point from the origin."""
        return float(np.hypot(self.vertices[:, 0], self.vertices[:, 1]).max()) + self.radius

    def at(self, xf: Transform) -> BoundingHull:
        """Return the hull around the same shape at a pose."""
        around = BOUNDING_ROUNDING * (abs(xf.position[0]) + abs(xf.position[1]) + self.reach)
        x = xf.cos * self.vertices[:, 0] - xf.sin * self.vertices[:, 1] + xf.position[0]
        y = xf.sin * self.vertices[:, 0] + xf.cos * self.vertices[:, 1] + xf.position[1]
        return BoundingHull(frozen(np.column_stack((x, y))), self.radius + around)

    def overlaps(self, other: BoundingHull) -> bool:
        """Return True if the hulls share a point, to rounding; touching counts."""
        from engine.bounding._hull_kernel import hulls_overlap

        hulls = self, other
        rows = np.zeros((2, 3 + 2 * max(len(hull.vertices) for hull in hulls)))
        for row, hull in zip(rows, hulls, strict=True):
            row[:3] = len(hull.vertices), hull.radius, span_of(hull.vertices)
            row[3 : 3 + hull.vertices.size] = hull.vertices.ravel()
        return bool(hulls_overlap(rows, np.array([(0, 1)]))[0])

    def contains(self, at: tuple[float, float]) -> bool:
        """Return True if a point lies in the hull, to rounding; the boundary counts."""
        return self.overlaps(BoundingHull(np.array([point("at", at)]), 0.0))


def bounding_hull(points: Points) -> BoundingHull:
    """Return the hull of points, or of a shape with its radius; body frame.

    Examples
    --------
    >>> hull = bounding_hull([(0.0, 0.0), (2.0, 0.0), (1.0, 0.5), (1.0, 2.0)])
    >>> len(hull.vertices), round(hull.area, 12)
    (3, 2.0)
    """
    cloud = cloud_of(points)
    return BoundingHull(cloud.points, cloud.radius + BOUNDING_ROUNDING * cloud.extent)


def span_of(corners: FloatArray) -> float:
    """Return the distance of the farthest corner from the first one."""
    return float(np.hypot(*(corners - corners[0]).T).max())
