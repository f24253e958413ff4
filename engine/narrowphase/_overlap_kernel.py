"""Whether two shapes share a point, skins and radii included.

Every shape is a core and a radius: a circle's core is its center, a capsule's and a segment's two points, a polygon's its vertices, and the
shape is the set of points within the radius of the core. Two such shapes overlap if the distance of their cores is at most the sum of the
radii r::

            core of A   ____            separation s over the edges' normals:
                       |    |             s > r        apart, an axis shows it
                       |____|  ) r        s < 0        the cores themselves overlap
                              *           0 <= s <= r  near a corner s is less than the distance d,
                           core of B                   so the distance itself must be measured

The distance is computed only in that narrow band. The distance of two disjoint convex polygons is that of a vertex of one from an edge of
the other: if the nearest points are in the interior of two edges, these are parallel and overlap, so that an end of one is opposite the
other.

All comparisons are within rounding: s counts as 0 unless it is clearly below. Two slivers tip to tip can have s = 0 within rounding
although they are meters apart (see the diagram in `_ray_kernel`). If shapes overlap, moving one by the depth brings a corner of one onto an
edge of the other, so before it was within the depth of that edge. This distinguishes the two cases.

Two cores without area, points or segments, are a special case: their edge lines cannot separate collinear cores, end to end. They certainly
overlap only if every separation is *below* zero by more than rounding, so that they cross; otherwise the distance decides too.

Source: C. Ericson, Real-Time Collision Detection, 2005, 5.1.2 and 5.4.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, unlocked_kernel
from engine.geometry.kinds import POLYGON
from engine.narrowphase._core_distance_kernel import core_distance
from engine.narrowphase._sat_kernel import SatEdge, SatStart, face_separation
from engine.narrowphase._sides_kernel import Arrays, Shapes, most_vertices, moved_side, rounding_of, side_of

__all__ = ["CoreDistance", "overlap_pairs"]


class CoreDistance(NamedTuple):
    """The distance of the cores, and both in A's frame."""

    distance: float
    a: FloatArray
    b: FloatArray


@inlined_kernel
def separation_up_to(vertices: FloatArray, normals: FloatArray, others: FloatArray, limit: float, side: int) -> float:
    """Return the greatest separation over all edges, or the first beyond `limit`: one of the first edges separates most pairs."""
    greatest = -np.inf
    for edge in range(vertices.shape[0]):
        separation = face_separation(vertices, normals, edge, others)
        record(SatEdge(side, edge, separation, separation > greatest, True))
        greatest = max(greatest, separation)
        if greatest > limit:
            break
    return greatest


@inlined_kernel
def overlap_pair(
    shapes: Shapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, row: int, scratch: FloatArray
) -> bool:  # fmt: skip
    """Return whether the two shapes of a pair overlap; a touch within rounding does."""
    a, b = side_of(shapes, pairs[row, 0], poses_a, row), side_of(shapes, pairs[row, 1], poses_b, row)
    moved, n_a, n_b = moved_side(b, a.pose, scratch), a.vertices.shape[0], b.vertices.shape[0]
    radius, touch = a.radius + b.radius, rounding_of(a.pose, a.extent, b.pose, b.extent)
    record(SatStart(radius, touch))
    separation = -np.inf
    if n_a > 1:
        separation = separation_up_to(a.vertices, a.normals, moved.vertices, radius + touch, 0)
    if n_b > 1 and separation <= radius + touch:
        separation = max(separation, separation_up_to(moved.vertices, moved.normals, a.vertices, radius + touch, 1))
    if separation > radius + touch:
        return False
    if separation < -touch and (a.kind == POLYGON or b.kind == POLYGON or (n_a > 1 and n_b > 1)):
        return True
    deep = -separation if -touch <= separation < 0.0 else 0.0
    distance = core_distance(a.vertices, moved.vertices)
    record(CoreDistance(distance, a.vertices, moved.vertices))
    return distance <= radius + touch + deep


@unlocked_kernel
def overlap_pairs(
    packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, overlapping: IntArray
) -> None:  # fmt: skip
    """Fill a row, 1 or 0, for each of the `pairs` of packed shapes."""
    shapes, scratch = Shapes(*packed), np.empty((2, most_vertices(packed[2]) + 1, 2))
    for row in range(pairs.shape[0]):
        overlapping[row] = 1 if overlap_pair(shapes, pairs, poses_a, poses_b, row, scratch) else 0
