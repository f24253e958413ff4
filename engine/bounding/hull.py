"""The convex hull as a bounding volume: the tightest that is convex.

It lies in every other volume here, moves with the body corner by corner, and is compared by the separating axis test: on the
outward normal of an edge the polygon's own farthest corner is known, so the other's nearest one decides. With a radius around the
corners, the largest gap found is exact where an edge faces, and too small where two corners face each other::

         \\                     gap over the edge's normal:  g
          *  . . *             gap between the corners:    d >= g
         /   d    \\

so between "a gap above the radii" and "no gap at all" the distance of the corners from the edges is taken. Hulls of one point or
of two, for which no edge or no side says "inside", are left to the distance as well.

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

__all__ = ["BoundingHull", "bounding_hull"]


@dataclass(frozen=True, slots=True, eq=False)
class BoundingHull:
    """Closed convex polygon with a radius around it, metres; made by `bounding_hull`.

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
        """Square metres, by Steiner's formula."""
        return area_of_rounded(self.vertices, self.radius)

    @property
    def reach(self) -> float:
        """How far the farthest point lies from the origin."""
        return float(np.hypot(self.vertices[:, 0], self.vertices[:, 1]).max()) + self.radius

    def at(self, xf: Transform) -> BoundingHull:
        """Return the hull around the same shape at a pose."""
        around = BOUNDING_ROUNDING * (abs(xf.position[0]) + abs(xf.position[1]) + self.reach)
        x = xf.cos * self.vertices[:, 0] - xf.sin * self.vertices[:, 1] + xf.position[0]
        y = xf.sin * self.vertices[:, 0] + xf.cos * self.vertices[:, 1] + xf.position[1]
        return BoundingHull(frozen(np.column_stack((x, y))), self.radius + around)

    def overlaps(self, other: BoundingHull) -> bool:
        """Tell whether the hulls share a point, to rounding; touching counts."""
        return _within_reach(self.vertices, other.vertices, self.radius + other.radius)

    def contains(self, at: tuple[float, float]) -> bool:
        """Tell whether a point lies in the hull, to rounding; the boundary counts."""
        return _within_reach(self.vertices, np.array([point("at", at)]), self.radius)


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


def _within_reach(p: FloatArray, q: FloatArray, radius: float) -> bool:
    """Tell whether two convex polygons come as near to each other as `radius`."""
    origin = p[0]
    own, others = p - origin, q - origin  # small numbers, however far from the world's origin
    limit = radius + BOUNDING_ROUNDING * float(np.abs(own).max() + np.abs(others).max() + radius)
    gap = max(_largest_gap(own, others), _largest_gap(others, own))
    if gap > limit:
        return False
    if gap <= 0.0 and len(p) > 2 and len(q) > 2:
        return True
    if min(_least_distance_sq(own, others), _least_distance_sq(others, own)) <= limit * limit:
        return True
    # No corner of either lies near an edge of the other: then two segments that cross, or one inside of a polygon, are parted by no
    # edge, and strictly so. Of two points there is no edge, and of two segments on one line the gap is 0.
    return gap < 0.0 and len(p) + len(q) > 2


def _largest_gap(ring: FloatArray, others: FloatArray) -> float:
    """Return the largest separation of the others from an edge's line; minus infinity of a single point, which has no edge.

    Where a hull lies too far from the world's origin for its size, two of its corners may be one: there is no edge between them either.
    """
    edges = np.concatenate((ring[1:], ring[:1])) - ring
    lengths = np.hypot(edges[:, 0], edges[:, 1])
    has_length = lengths > 0.0
    ring, edges, lengths = ring[has_length], edges[has_length], lengths[has_length]
    normals = np.column_stack((edges[:, 1], -edges[:, 0])) / lengths[:, None]
    in_front = (others @ normals.T).min(axis=0) - (normals * ring).sum(axis=1)
    return float(in_front.max(initial=-np.inf))


def _least_distance_sq(ring: FloatArray, others: FloatArray) -> float:
    """Return the least squared distance of any of the others from any edge of the ring."""
    edges = np.concatenate((ring[1:], ring[:1])) - ring
    to = others[:, None, :] - ring[None, :, :]
    length_sq = (edges * edges).sum(axis=1)
    share = np.clip((to * edges).sum(axis=2) / np.where(length_sq > 0.0, length_sq, 1.0), 0.0, 1.0)
    away = to - share[:, :, None] * edges
    return float((away * away).sum(axis=2).min())
