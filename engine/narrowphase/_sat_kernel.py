"""The separating axis test of two convex polygons.

Two convex sets are disjoint exactly if some axis separates their projections (Minkowski). For polygons finitely many axes suffice: if any
axis separates them, then the outward normal of some edge, of A or of B, does. The reason is the Minkowski difference B - A, the set of all
b - a: it contains the origin exactly if the two share a point, it is itself a convex polygon, and its edges are the edges of B and the
reversed edges of A.

The plain form projects both polygons on every normal and compares two intervals::

        A               B              gap on the axis n
    |-------|       |-------|      ->  min_B - max_A
    ----------- n ------------->

The improved form needs only one projection. On the outward normal n of A's edge (v, w) the greatest projection of A is n.v, because A is
behind that edge. So

    separation(edge) = min over vertices b of B of  n . (b - v)

and the polygons are disjoint as soon as one edge has a separation above zero. If all are negative, the *greatest* of them, over the edges
of both, gives the smallest translation that separates the polygons. (The origin is inside B - A; each edge of B - A is at the distance
-separation from it; the nearest point of the boundary of a convex polygon is on the nearest of its edge lines.) A manifold uses that axis.

All computations are in A's frame, where coordinates are as small as the shapes and their distance, even if the pair is far from the world's
origin.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 4.4 and 5.2.1; D. Gregorius, "The Separating Axis Test between
Convex Polyhedra", GDC 2013 (one-sided separation).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, Point
from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel

__all__ = [
    "SatCorners",
    "SatEdge",
    "SatEnd",
    "SatRemembered",
    "SatStart",
    "edge_separation",
    "face_separation",
    "max_separation",
    "strict_separation",
]


class SatStart(NamedTuple):
    """The sum of the radii, and the rounding of a separation; points of these events are in the kernel's working frame, sides 0 for A, 1
    for B.
    """

    reach: float
    touch: float


class SatEdge(NamedTuple):
    """An edge and its separation; whether it is the best of its side so far, and whether its neighbors allow its normal as an axis."""

    side: int
    edge: int
    separation: float
    is_best: bool
    is_allowed: bool


class SatCorners(NamedTuple):
    """The distance of the cores, and the nearest points of A and B, of the polygon and the other, or of the edge and the other."""

    distance: float
    first: Point
    second: Point


class SatRemembered(NamedTuple):
    """The number of a cached axis, or of a neighbor of that (`_axis_cache_kernel`), and the gap along it."""

    axis: int
    separation: float


class SatEnd(NamedTuple):
    """Whether the shapes are disjoint; the selected axis' side (-1 for two corners), edge and separation; the corners of A and B."""

    is_apart: bool
    side: int
    edge: int
    separation: float
    corner_a: int
    corner_b: int


@inlined_kernel
def face_separation(vertices: FloatArray, normals: FloatArray, edge: int, others: FloatArray) -> float:
    """Return the distance of the nearest of the `others` in front of `edge`, negative behind it."""
    nx, ny = normals[edge, 0], normals[edge, 1]
    vx, vy = vertices[edge, 0], vertices[edge, 1]
    nearest = np.inf
    for j in range(others.shape[0]):
        in_front = nx * (others[j, 0] - vx) + ny * (others[j, 1] - vy)
        if in_front < nearest:
            nearest = in_front
    return nearest


@inlined_kernel
def max_separation(vertices: FloatArray, normals: FloatArray, others: FloatArray, tie: float, side: int) -> tuple[float, int]:
    """Return the greatest separation over *all* edges of `side`, and its edge: the first of those within `tie` of each other."""
    best, best_edge = -np.inf, 0
    for edge in range(vertices.shape[0]):
        separation = face_separation(vertices, normals, edge, others)
        is_best = separation > best + tie
        record(SatEdge(side, edge, separation, is_best, True))
        if is_best:
            best, best_edge = separation, edge
    return best, best_edge


@inlined_kernel
def edge_separation(vertices: FloatArray, normals: FloatArray, others: FloatArray, tie: float, side: int) -> tuple[float, int]:
    """Return the greatest separation over a core's edges and its edge; a point has no edges and separates nothing."""
    if vertices.shape[0] == 1:
        return -np.inf, 0
    return max_separation(vertices, normals, others, tie, side)


@borrowing_kernel
def strict_separation(vertices: FloatArray, normals: FloatArray, others: FloatArray) -> tuple[float, int]:
    """Return the strictly greatest separation, -inf for a point, and its edge, without events; a separate function because it is rarely
    called.
    """
    best, best_edge = -np.inf, 0
    if vertices.shape[0] > 1:
        for edge in range(vertices.shape[0]):
            separation = face_separation(vertices, normals, edge, others)
            if separation > best:
                best, best_edge = separation, edge
    return best, best_edge
