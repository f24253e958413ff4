"""Whether two shapes share a point, skins and radii included.

Every shape is a core and a radius: a circle's core is its center, a capsule's and a segment's two points, a polygon's its
vertices, and the shape is all that lies within the radius of the core. Two such shapes overlap when their cores are no farther
apart than the sum of the radii r::

            core of A   ____            separation s over the edges' normals:
                       |    |             s > r        apart, an axis shows it
                       |____|  ) r        s < 0        the cores themselves overlap
                              *           0 <= s <= r  near a corner s is less than the distance d,
                           core of B                   so the distance itself must be measured

Measured is only in that narrow band: the distance of two disjoint convex polygons is that of some vertex of one from some
edge of the other, since two edges that are nearest inside both are parallel and overlap, and then an end of one lies
opposite the other.

All of that within rounding: an s of 0 is one that is not clearly below it. Two slivers tip to tip have s = 0 within rounding when they are
meters apart (`_ray_kernel` has the picture). Where shapes overlap, moving one by the depth leaves a corner of one on an edge of the
other: so near it was before, and that distinguishes the two cases.

Two cores without area, points or segments, need more care: their edge lines cannot part what lies on one line, end to end. They
overlap for certain only where every separation is *below* zero by more than rounding, which means that they cross; else, too,
the distance decides.

Source: C. Ericson, Real-Time Collision Detection, 2005, 5.1.2 and 5.4.2.
"""

from __future__ import annotations

import numpy as np

from engine.common._record_kernel import record
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.geometry.kinds import POLYGON
from engine.narrowphase._core_distance_kernel import core_distance, nearest_points
from engine.narrowphase._sat_kernel import SAT_CORNERS, SAT_EDGE, SAT_START, face_separation
from engine.narrowphase._sides_kernel import Arrays, Shapes, most_vertices, moved_side, rounding_of, side_of

__all__ = ["overlap_pairs"]


@inlined_kernel
def separation_up_to(
    vertices: FloatArray, normals: FloatArray, others: FloatArray, limit: float, side: float, trace: FloatArray | None
) -> float:  # fmt: skip
    """Return the greatest separation over all edges, or the first beyond `limit`: most pairs are parted by one of the first edges."""
    greatest = -np.inf
    for edge in range(vertices.shape[0]):
        separation = face_separation(vertices, normals, edge, others)
        record(trace, SAT_EDGE, (side, float(edge), separation, 1.0 if separation > greatest else 0.0))
        greatest = max(greatest, separation)
        if greatest > limit:
            break
    return greatest


@inlined_kernel
def tell_distance(trace: FloatArray | None, vertices_a: FloatArray, vertices_b: FloatArray, distance: float, pair: FloatArray) -> None:
    """Tell the trace where the distance was found; nobody else wants to know."""
    if trace is not None:
        nearest_points(vertices_a, vertices_b, pair)
        record(trace, SAT_CORNERS, (distance, pair[0, 0], pair[0, 1], pair[1, 0], pair[1, 1]))


@inlined_kernel
def overlap_pair(
    shapes: Shapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, row: int, scratch: FloatArray, trace: FloatArray | None
) -> bool:  # fmt: skip
    """Return whether the two shapes of a pair overlap; a touch within rounding does."""
    a, b = side_of(shapes, pairs[row, 0], poses_a, row), side_of(shapes, pairs[row, 1], poses_b, row)
    moved, n_a, n_b = moved_side(b, a.pose, scratch), a.vertices.shape[0], b.vertices.shape[0]
    radius, touch = a.radius + b.radius, rounding_of(a.pose, a.extent, b.pose, b.extent)
    record(trace, SAT_START, (radius, touch))
    separation = -np.inf
    if n_a > 1:
        separation = separation_up_to(a.vertices, a.normals, moved.vertices, radius + touch, 0.0, trace)
    if n_b > 1 and separation <= radius + touch:
        separation = max(separation, separation_up_to(moved.vertices, moved.normals, a.vertices, radius + touch, 1.0, trace))
    if separation > radius + touch:
        return False
    if separation < -touch and (a.kind == POLYGON or b.kind == POLYGON or (n_a > 1 and n_b > 1)):
        return True
    deep = -separation if -touch <= separation < 0.0 else 0.0
    distance = core_distance(a.vertices, moved.vertices)
    tell_distance(trace, a.vertices, moved.vertices, distance, scratch[1])
    return distance <= radius + touch + deep


@kernel
def overlap_pairs(
    packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, overlapping: IntArray, trace: FloatArray | None
) -> None:  # fmt: skip
    """Fill a row, 1 or 0, for each of the `pairs` of packed shapes; the trace receives the steps of one after the other."""
    shapes, scratch = Shapes(*packed), np.empty((2, most_vertices(packed[2]) + 1, 2))
    for row in range(pairs.shape[0]):
        overlapping[row] = 1 if overlap_pair(shapes, pairs, poses_a, poses_b, row, scratch, trace) else 0
