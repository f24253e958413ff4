"""The k-DOP: the slabs of k / 2 fixed directions, closer to the shape than a box and as quick to compare.

A discrete oriented polytope is the intersection of k half-planes whose normals are the same for all bodies and evenly spaced. It is stored
as an interval on each of k / 2 axes; k = 4 is the upright box. Two k-DOPs are compared interval by interval, without a product. This test
is slightly more conservative than testing whether the polygons share a point (an axis between two of the k may separate them)::

         __
       /    \\        k = 8: the box with its corners cut
      |      |        area over all shapes: k = 4 >= 8 >= 16 >= 32 >= hull, for the axes of each are among the next one's
       \\ __ /

A rotating body needs new intervals at every pose. **Rebuilt** intervals fit the corners of its hull tightly. The usual methods need h k / 2
products for a hull of h corners, or the extreme corners of the last pose (hill climbing). Here, the directions are visited *in order*: as
the direction rotates counterclockwise, the extreme corner advances around the hull, once for all k directions, so k + h products suffice
(rotating calipers again), and no state is kept. **Refitted** intervals contain the corners of the *local* k-DOP, of which there are at most
k: the same walk on another polygon. Refitting is cheaper only if the hull has more than k corners, and it is looser;
docs/algorithms/bounding.md gives both costs and both areas.

Sources: J. T. Klosowski, M. Held, J. S. B. Mitchell, H. Sowizral, K. Zikan, "Efficient collision detection using bounding volume
hierarchies of k-DOPs", 1998 (both ways of updating, by hill climbing and by the local polytope); C. Ericson, Real-Time Collision
Detection, 2005, 4.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from engine.bounding.cloud import Cloud, Points, area_of_rounded, cloud_of, margin_at
from engine.common.arrays import FloatArray, frozen
from engine.common.checks import integer, point
from engine.common.errors import InvalidInputError
from engine.common.tolerances import BOUNDING_ROUNDING
from engine.geometry import Transform
from engine.geometry.rotation import cosine_and_sine

__all__ = ["MAX_SIDES", "KDop", "fitted_kdop", "kdop_axes", "kdop_cloud", "refitted_kdop"]

MAX_SIDES = 32
_HERE = Transform()


@dataclass(frozen=True, slots=True, eq=False)
class KDop:
    """Closed intervals on the axes of `kdop_axes(k)`, meters; created by `fitted_kdop`.

    Attributes
    ----------
    k : int
    lower, upper : float64 (k / 2,), read-only
    """

    k: int
    lower: FloatArray
    upper: FloatArray

    @property
    def corners(self) -> FloatArray:
        """Corners of the intersection of the slabs, float64 (n, 2), counter-clockwise, n <= k."""
        return _clipped(kdop_axes(self.k), self.lower, self.upper)

    @property
    def area(self) -> float:
        """Area, square meters."""
        return area_of_rounded(self.corners, 0.0)

    def overlaps(self, other: KDop) -> bool:
        """Return True if the intervals overlap on every axis; touching counts.

        Raises
        ------
        InvalidInputError
            The other has another number of sides.
        """
        if other.k != self.k:
            raise InvalidInputError("other.k", f"{self.k}", other.k)
        return bool(((self.lower <= other.upper) & (other.lower <= self.upper)).all())

    def contains(self, at: tuple[float, float]) -> bool:
        """Return True if a point lies in all slabs, to rounding; the boundary counts."""
        x, y = point("at", at)
        shadows = kdop_axes(self.k) @ np.array((x, y))
        around = BOUNDING_ROUNDING * (abs(x) + abs(y))
        return bool(((self.lower - around <= shadows) & (shadows <= self.upper + around)).all())


@cache
def kdop_axes(k: int) -> FloatArray:
    """Return the axes, float64 (k / 2, 2): unit vectors at the angles 2 pi i / k from 0 up to pi.

    Raises
    ------
    InvalidInputError
        `k` is not even, or not from 4 to 32.
    """
    k = integer("k", k, 4, MAX_SIDES)
    if k % 2 != 0:
        raise InvalidInputError("k", "even", k)
    axes = [(0.0, 1.0) if 4 * i == k else cosine_and_sine(2.0 * np.pi * i / k) for i in range(k // 2)]
    return frozen(np.array(axes))


def fitted_kdop(points: Points, k: int, xf: Transform = _HERE) -> KDop:
    """Return the tight k-DOP around points, or around a shape with its radius, at a pose.

    Examples
    --------
    >>> square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    >>> [round(fitted_kdop(square, k, Transform(angle=0.5)).area, 3) for k in (4, 8, 16, 32)]
    [1.841, 1.382, 1.158, 1.098]
    """
    cloud, axes = cloud_of(points), kdop_axes(k)
    (x, y), cos, sin = xf.position, xf.cos, xf.sin
    turned = np.column_stack((cos * axes[:, 0] + sin * axes[:, 1], cos * axes[:, 1] - sin * axes[:, 0]))  # to the body's frame
    along, shift, around = turned @ cloud.points.T, axes @ np.array((x, y)), cloud.radius + margin_at(cloud, xf)
    return KDop(k, frozen(along.min(axis=1) + shift - around), frozen(along.max(axis=1) + shift + around))


def refitted_kdop(local: KDop, xf: Transform) -> KDop:
    """Return the k-DOP of a local k-DOP at a pose."""
    return fitted_kdop(kdop_cloud(local), local.k, xf)


def kdop_cloud(local: KDop) -> Cloud:
    """Return the corners of a local k-DOP, needed to refit it, with their rounding error as a radius."""
    cloud = cloud_of(local.corners)
    around = BOUNDING_ROUNDING * cloud.extent
    return Cloud(cloud.points, around, cloud.mean, cloud.extent + around)


def _clipped(axes: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Clip the parallelogram of two nearly perpendicular slabs by all others."""
    other = len(axes) // 2
    (ax, ay), (bx, by) = axes[0].tolist(), axes[other].tolist()
    turn = ax * by - ay * bx
    ring = []
    for along, across in ((lower[0], lower[other]), (upper[0], lower[other]), (upper[0], upper[other]), (lower[0], upper[other])):
        ring.append((float(along * by - across * ay) / turn, float(across * ax - along * bx) / turn))
    for i in range(1, len(axes)):
        if i != other:
            x, y = axes[i].tolist()
            ring = _cut(_cut(ring, x, y, float(upper[i])), -x, -y, -float(lower[i]))
    return np.array(ring)


def _cut(ring: list[tuple[float, float]], x: float, y: float, limit: float) -> list[tuple[float, float]]:
    """Clip a convex polygon to at most `limit` along (x, y): one step of the Sutherland-Hodgman algorithm."""
    kept: list[tuple[float, float]] = []
    for (px, py), (qx, qy) in zip(ring, [*ring[1:], ring[0]], strict=True):
        p, q = x * px + y * py - limit, x * qx + y * qy - limit
        if p <= 0.0:
            kept.append((px, py))
        if (p < 0.0 < q) or (q < 0.0 < p):
            share = p / (p - q)
            kept.append((px + share * (qx - px), py + share * (qy - py)))
    return kept if kept else ring[:1]  # rounding alone can empty what touches the limit with one corner
