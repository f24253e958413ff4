"""Whether two shapes share a point, skins and radii included.

Every shape is a core and a radius: a circle's core is its centre, a capsule's and a segment's two points, a polygon's its
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
metres apart (`_ray_kernel` has the picture). Where shapes overlap, moving one by the depth leaves a corner of one on an edge of the
other: so near it was before, and that is what tells the two cases apart.

Two cores without area, points or segments, need more care: their edge lines cannot part what lies on one line, end to end. They
overlap for certain only where every separation is *below* zero by more than rounding, which means that they cross; else, too,
the distance decides.

Source: C. Ericson, Real-Time Collision Detection, 2005, 5.1.2 and 5.4.2.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_entry, inlined_kernel, kernel
from engine.geometry.kinds import POLYGON
from engine.narrowphase._core_distance_kernel import core_distance
from engine.narrowphase._manifold_kernel import rounding_of
from engine.narrowphase._sat_kernel import face_separation, move_to_frame

__all__ = ["overlap_pair", "overlap_pairs"]


@inlined_kernel
def separation_up_to(vertices: FloatArray, normals: FloatArray, others: FloatArray, limit: float) -> float:
    """Return the greatest separation over all edges, or the first beyond `limit`: most pairs are parted by one of the first edges."""
    greatest = -np.inf
    for edge in range(vertices.shape[0]):
        greatest = max(greatest, face_separation(vertices, normals, edge, others))
        if greatest > limit:
            break
    return greatest


@inlined_entry
def overlap_pair(
    kind_a: int,
    vertices_a: FloatArray,
    normals_a: FloatArray,
    radius_a: float,
    extent_a: float,
    pose_a: FloatArray,
    kind_b: int,
    vertices_b: FloatArray,
    normals_b: FloatArray,
    radius_b: float,
    extent_b: float,
    pose_b: FloatArray,
    scratch: FloatArray,
) -> bool:
    """Tell whether two shapes, given as in `manifold_pair`, overlap; a touch within rounding does."""
    radius, touch = radius_a + radius_b, rounding_of(pose_a, extent_a, pose_b, extent_b)
    n_b = vertices_b.shape[0]
    moved, moved_normals = scratch[0, :n_b], scratch[1, :n_b]
    move_to_frame(pose_a, pose_b, vertices_b, moved, False)
    move_to_frame(pose_a, pose_b, normals_b, moved_normals, True)
    n_a = vertices_a.shape[0]
    separation = -np.inf
    if n_a > 1:
        separation = separation_up_to(vertices_a, normals_a, moved, radius + touch)
    if n_b > 1 and separation <= radius + touch:
        separation = max(separation, separation_up_to(moved, moved_normals, vertices_a, radius + touch))
    if separation > radius + touch:
        return False
    if separation < -touch and (kind_a == POLYGON or kind_b == POLYGON or (n_a > 1 and n_b > 1)):
        return True
    deep = -separation if -touch <= separation < 0.0 else 0.0
    return core_distance(vertices_a, moved) <= radius + touch + deep


@kernel
def overlap_pairs(
    kind: IntArray,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    normals: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    overlapping: IntArray,
) -> None:
    """Fill a row, 1 or 0, for each of the `pairs` of packed shapes."""
    most = 0
    for shape in range(n_vertices.shape[0]):
        most = max(most, n_vertices[shape])
    scratch = np.empty((2, most + 1, 2))
    for row in range(pairs.shape[0]):
        a, b = pairs[row, 0], pairs[row, 1]
        low_a, low_b = first[a], first[b]
        high_a, high_b = low_a + n_vertices[a], low_b + n_vertices[b]
        is_overlapping = overlap_pair(
            kind[a], vertices[low_a:high_a], normals[low_a:high_a], radius[a], extent[a], poses_a[row],
            kind[b], vertices[low_b:high_b], normals[low_b:high_b], radius[b], extent[b], poses_b[row], scratch,
        )  # fmt: skip
        overlapping[row] = 1 if is_overlapping else 0
