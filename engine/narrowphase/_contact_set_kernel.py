"""The contact of two touching shapes: a point or a segment.

Two convex shapes that touch lie on either side of one line, the common tangent, and meet on it. Projected on its normal n, A's interval
ends where B's begins. So it suffices to record, for each interval, *which* feature of the shape projects to that end: a vertex, or an edge
perpendicular to n. A radius moves the feature by r along n and changes nothing else::

        B     *---------------*                B's feature, moved by -r_b n
              :   shared      :
      - - -*==+=====+*- - - - + - - tangent    on the tangent each is an interval [low, high];
           A      :                            what they share is the contact
                n |

    both vertices        the point
    vertex and edge      the vertex
    edge and edge        the overlap of two intervals on the tangent: a segment, or its one point where edges meet end to end

The normal is the axis of least translation (`_core_manifold_kernel.find_axis`); if cores touch at corners there are many such normals, and
the features on any of them share the same point.

"Touch" is within `SAT_ROUNDING` of the input's scale. It is the tolerance both of the gap and of a vertex at the end of its interval. If
the shapes are disjoint or overlap there is no contact set.

A disc of radius r that touches a box at its corner, a small distance e past the end of a face, is farther from the corner than from the
face's line by only e^2 / 2r. For e up to sqrt(2 r touch) the face's normal is therefore accepted as the axis, but the two intervals are
then disjoint by e, much more than "touch". That identifies the case of two corners: the normal is the line between them, which the search
wrote to `pair`, unless the two coincide within rounding, as a small polygon's can with the line of a long edge; then the face's normal is
equally valid.

The row filled: `contact` (6,) the world normal, then the two points (the same one twice for a point); `features` (4,) the vertices
of A at its low and high end on the tangent, and of B. The result is a status, and the number of points.

Source: D. Eberly, "Intersection of Convex Objects: The Method of Separating Axes", Geometric Tools, 2001 (revised 2008), section 5.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.contracts.status import OVERLAPPING, SEPARATED, TOUCHING
from engine.narrowphase._core_manifold_kernel import find_axis
from engine.narrowphase._sides_kernel import Arrays, Room, Shapes, moved_side, room_for, rounding_of, side_of

__all__ = ["contact_set_pairs"]


@inlined_kernel
def record_end(vertices: FloatArray, nx: float, ny: float, touch: float) -> tuple[float, float, float, int, int]:
    """Project a core on n; return the end of its interval, and the low and high end on the tangent of the feature that projects there."""
    end = -np.inf
    for i in range(vertices.shape[0]):
        end = max(end, nx * vertices[i, 0] + ny * vertices[i, 1])
    low, high, at_low, at_high = np.inf, -np.inf, 0, 0
    for i in range(vertices.shape[0]):
        if nx * vertices[i, 0] + ny * vertices[i, 1] >= end - touch:
            along = nx * vertices[i, 1] - ny * vertices[i, 0]
            if along < low:
                low, at_low = along, i
            if along > high:
                high, at_high = along, i
    return end, low, high, at_low, at_high


@inlined_kernel
def contact_set_pair(
    shapes: Shapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, row: int, room: Room, contact: FloatArray, features: IntArray
) -> tuple[int, int]:  # fmt: skip
    """Fill one row for a pair of cores with radii; return status and number of points."""
    a, b = side_of(shapes, pairs[row, 0], poses_a, row), side_of(shapes, pairs[row, 1], poses_b, row)
    moved, touch, pair = moved_side(b, a.pose, room.moved), rounding_of(a.pose, a.extent, b.pose, b.extent), room.corners
    vertices_a, normals_a, radius_a, pose_a = a.vertices, a.normals, a.radius, a.pose
    vertices_b, normals_b, radius_b = moved.vertices, moved.normals, b.radius
    contact[:] = 0.0
    features[:] = 0
    reach = radius_a + radius_b
    is_parted, side, edge, best, _, _, _, _ = find_axis(vertices_a, normals_a, vertices_b, normals_b, reach, touch, pair)
    if is_parted:
        return SEPARATED, 0
    if best - reach < -touch:
        return OVERLAPPING, 0
    # The normal's sign, here: out of A's edge, against B's, or from A's corner to B's: it points from A to B.
    if side == 0:
        nx, ny = normals_a[edge, 0], normals_a[edge, 1]
    elif side == 1:
        nx, ny = -normals_b[edge, 0], -normals_b[edge, 1]
    elif best > touch:
        nx, ny = (pair[1, 0] - pair[0, 0]) / best, (pair[1, 1] - pair[0, 1]) / best
    else:  # two coincident points without radii: any direction is valid, use the world's x axis
        nx, ny = pose_a[2], -pose_a[3]

    end_a, low_a, high_a, features[0], features[1] = record_end(vertices_a, nx, ny, touch)
    end_b, high_b, low_b, features[3], features[2] = record_end(vertices_b, -nx, -ny, touch)
    low, high = max(low_a, -low_b), min(high_a, -high_b)
    level = 0.5 * (end_a + radius_a - end_b - radius_b)
    n_points = 2
    if low - high > touch:  # past each other's ends: two corners, a direction that differs from the face's by rounding
        reach_x, reach_y = pair[1, 0] - pair[0, 0], pair[1, 1] - pair[0, 1]
        gap = math.hypot(reach_x, reach_y)
        if gap > touch:
            nx, ny = reach_x / gap, reach_y / gap
        if low_a > -low_b:  # A is higher on the tangent
            features[1], features[2] = features[0], features[3]
        else:
            features[0], features[3] = features[1], features[2]
        level = nx * pair[0, 0] + ny * pair[0, 1] + 0.5 * (gap + radius_a - radius_b)
        low = high = nx * pair[0, 1] - ny * pair[0, 0]
    if high - low <= touch:
        low = high = 0.5 * (low + high)
        n_points = 1
    cos, sin = pose_a[2], pose_a[3]
    contact[0], contact[1] = cos * nx - sin * ny, sin * nx + cos * ny
    for k in range(2):
        along = low if k == 0 else high
        x, y = level * nx - along * ny, level * ny + along * nx
        contact[2 + 2 * k] = cos * x - sin * y + pose_a[0]
        contact[3 + 2 * k] = sin * x + cos * y + pose_a[1]
    return TOUCHING, n_points


@kernel
def contact_set_pairs(
    packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, status: IntArray, count: IntArray, contact: FloatArray,
    features: IntArray,
) -> None:  # fmt: skip
    """Fill a row for each of the `pairs` of packed shapes."""
    shapes, room = Shapes(*packed), room_for(packed[2])
    for row in range(pairs.shape[0]):
        status[row], count[row] = contact_set_pair(shapes, pairs, poses_a, poses_b, row, room, contact[row], features[row])
