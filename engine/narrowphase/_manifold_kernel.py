"""The contact manifold of two shapes: a unit normal from A to B, and at most two points.

A solver applies its impulses at the contact of two solid bodies. In the plane one direction and two points suffice: the pressure of a rigid
body along an edge is always equivalent to two forces at the ends of the contact.

Polygons. Select the axis by the `rule`, clip the incident edge against its reference edge, keep the ends that are near enough, and place
each point midway between the two surfaces::

        incident end        *          gap along the normal, negative when overlapping
                            |  - - - - surface of the other: its skin toward the reference
    point midway            o
                            |  - - - - surface of the reference: its skin outward
        reference edge  ----+----      midway = end + (r_reference - r_other - gap) / 2  along n

Edges within rounding of each other. On a sliver, or any polygon far from the origin, many edges can tie within rounding: each of them has a
valid normal and depth, but the contact need not be at the first one. So if the clipped incident edge lacks the deepest point
(`LACKING_ROUNDINGS`), EXACT repeats the clipping with the strictly greatest edge of that side, then of the other if they tie, and with an
incident edge found from the foremost vertex (`_clip_kernel`); if that fails too, the foremost vertex alone is the contact. A separation
within rounding of 0 can be a touch, or two tips that face each other, whose edges' lines intersect although they are disjoint (see the
diagram in `_ray_kernel`): then the distance decides.

Polygon and circle. The nearest point of the polygon to the center decides. Outside, it is a corner or a point on an edge; the edge of
greatest separation bounds the right Voronoi region, because the distance to the edge's line through a corner grows with the alignment of
its normal, and the two normals of that corner are the nearest in angle. Inside, the nearest boundary is the edge of greatest (least
negative) separation. If several edges tie within rounding, the center can be past the end of the selected one and beside the next: EXACT
walks to the edge beside which the center is, or to the corner if there is none.

Two circles. The line of centers.

Capsules and segments: `_core_manifold_kernel`, compiled separately, because a world without them need not wait for it.

Rules. EXACT selects the greatest separation over all edges of both polygons, B's only if it is greater by more than rounding; a touch
within rounding is a contact. BOX2D repeats Box2D 2.3.0: the climb of `_climb_kernel`, the preference for A's face, no points unless two
ends remain after clipping, no tolerance for a touch.

The world normal points from A to B; each kernel gives it that sign in one line, under the comment "The normal's sign, here".

Results are written to the caller's row: `points` (2, 3) x, y, separation without the skins, world frame; `names` (2,) feature ids; `axis`
(6,) the world normal, its separation, the amplification, and the separations of A's and of B's edges (NaN if not computed); `reference`
(2,) side 0 A, 1 B, -1 neither (two circles, two corners), and edge. Without a contact, axis and reference are those of the separating axis.
The amplification is the factor from an error of the inputs to that of the points: for polygons the inverse cosine between the incident edge
and the reference edge if a plane clipped the first; for a circle and for corners the inverse distance, 1/m, from which the direction was
computed, 0 if the normal is a face's.

Sources: Box2D 2.3.0's b2CollidePolygons, b2CollidePolygonAndCircle, b2CollideCircles and b2WorldManifold, described in our
own words and code; C. Ericson, Real-Time Collision Detection, 2005, 5.1.2 and 5.2.5.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, unlocked_kernel
from engine.common.tolerances import BOX2D_ABSOLUTE_TOLERANCE, BOX2D_EPSILON, BOX2D_RELATIVE_TOLERANCE
from engine.geometry.kinds import CAPSULE, CIRCLE, POLYGON, SEGMENT
from engine.narrowphase._climb_kernel import climb_separation
from engine.narrowphase._clip_kernel import Axis, ManifoldPoint, ManifoldReference, points_on_edge, write_point
from engine.narrowphase._sat_kernel import SatCorners, SatStart, max_separation
from engine.narrowphase._sides_kernel import Arrays, Room, Row, Shapes, Side, moved_side, room_for, rounding_of, row_of, side_of
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = ["frame_is_b", "manifold_pairs"]


@inlined_kernel
def manifold_polygons(a: Side, b: Side, rounding: float, rule: int, row: Row) -> int:
    """Fill one row for two polygons, both in A's frame, and return the number of points."""
    skins = a.radius + b.radius
    touch = rounding if rule == EXACT else 0.0
    record(SatStart(skins, touch))
    toward_x, toward_y = b.centroid[0, 0] - a.centroid[0, 0], b.centroid[0, 1] - a.centroid[0, 1]
    # The axis: the greatest separation found on either polygon's edges; the search ends at the first separating one.
    if rule == EXACT:
        separation_a, edge_a = max_separation(a.vertices, a.normals, b.vertices, touch, 0)
    else:
        separation_a, edge_a = climb_separation(a.vertices, a.normals, b.vertices, toward_x, toward_y, 0)
    is_parted = separation_a > skins + touch
    separation_b, edge_b = np.nan, 0
    if not is_parted:
        if rule == EXACT:
            separation_b, edge_b = max_separation(b.vertices, b.normals, a.vertices, touch, 1)
        else:
            separation_b, edge_b = climb_separation(b.vertices, b.normals, a.vertices, -toward_x, -toward_y, 1)
    if rule == EXACT:
        is_on_b = separation_b > separation_a + touch
    else:
        is_on_b = separation_b > BOX2D_RELATIVE_TOLERANCE * separation_a + BOX2D_ABSOLUTE_TOLERANCE
    if separation_b > skins + touch:
        is_parted = is_on_b = True
    axis = Axis(is_on_b, edge_a, separation_a, edge_b, separation_b)
    return points_on_edge(a, b, True, is_parted, axis, touch, rule, row)


@inlined_kernel
def beside_edge(vertices: FloatArray, edge: int, x: float, y: float) -> tuple[float, float, float, float, float, float]:
    """Return both ends of an edge, and a point's distance from each end toward the other: 0 or less is past that end."""
    after = (edge + 1) % vertices.shape[0]
    v1_x, v1_y, v2_x, v2_y = vertices[edge, 0], vertices[edge, 1], vertices[after, 0], vertices[after, 1]
    past_v1 = (x - v1_x) * (v2_x - v1_x) + (y - v1_y) * (v2_y - v1_y)
    past_v2 = (x - v2_x) * (v1_x - v2_x) + (y - v2_y) * (v1_y - v2_y)
    return v1_x, v1_y, v2_x, v2_y, past_v1, past_v2


@inlined_kernel
def edge_beside(vertices: FloatArray, edge: int, x: float, y: float) -> int:
    """Walk from `edge`, past one end of which the point is, to the edge beside which it is, or to the corner in front of which it is."""
    n = vertices.shape[0]
    at, goes_back = edge, beside_edge(vertices, edge, x, y)[4] <= 0.0
    for _ in range(n):
        beyond = (at - 1 if goes_back else at + 1) % n
        _, _, _, _, past_v1, past_v2 = beside_edge(vertices, beyond, x, y)
        if (past_v2 if goes_back else past_v1) <= 0.0:  # in front of the corner: past the ends of both its edges
            break
        at = beyond
        if (past_v1 if goes_back else past_v2) > 0.0:
            break
    return at


@inlined_kernel
def manifold_polygon_circle(
    polygon: Side, circle: Side, rounding: float, rule: int, to_circle: float, row: Row
) -> int:  # fmt: skip
    """Fill one row for a polygon and a circle given in the polygon's frame; `to_circle` is -1 if the circle is A.

    ::

            v1's region  :   edge's region   :  v2's region
                  c *    :        * c        :     * c
                     \\   :        |          :    /
        --------------- v1 ---------------- v2 ---------------
                                 inside: the edge's region everywhere
    """
    points, names, axis, reference = row
    vertices, normals, skin, center, radius = polygon.vertices, polygon.normals, polygon.radius, circle.vertices, circle.radius
    touch = rounding if rule == EXACT else 0.0
    inside = rounding if rule == EXACT else BOX2D_EPSILON
    reach = radius + skin + touch
    side = 0 if to_circle > 0.0 else 1
    record(SatStart(radius + skin, touch))
    in_front, edge = max_separation(vertices, normals, center, touch, side)
    record(ManifoldReference(side, edge, in_front, 0, in_front > reach))
    x, y = center[0, 0], center[0, 1]
    v1_x, v1_y, v2_x, v2_y, past_v1, past_v2 = beside_edge(vertices, edge, x, y)

    least = -touch if rule == EXACT else inside
    if rule == EXACT and least <= in_front <= reach and (past_v1 <= 0.0 or past_v2 <= 0.0):
        beside = edge_beside(vertices, edge, x, y)
        if beside != edge:
            edge = beside
            v1_x, v1_y, v2_x, v2_y, past_v1, past_v2 = beside_edge(vertices, edge, x, y)
            in_front = normals[edge, 0] * (x - v1_x) + normals[edge, 1] * (y - v1_y)
            record(ManifoldReference(side, edge, in_front, 1, False))

    nx, ny, gap, amplification = normals[edge, 0], normals[edge, 1], in_front, 0.0
    if least <= in_front <= reach and (past_v1 <= 0.0 or past_v2 <= 0.0):
        corner_x, corner_y = (v1_x, v1_y) if past_v1 <= 0.0 else (v2_x, v2_y)
        from_corner = math.hypot(x - corner_x, y - corner_y)
        if in_front >= inside or from_corner > inside:  # otherwise at the corner, within rounding, where the direction is undefined
            gap = from_corner
            record(SatCorners(gap, (corner_x, corner_y), (x, y)))
            amplification = 1.0 / gap
            nx, ny = (x - corner_x) * amplification, (y - corner_y) * amplification

    cos, sin = polygon.pose[2], polygon.pose[3]
    # The normal's sign, here: from the polygon to the circle, or reversed if the circle is A: it points from A to B.
    axis[0], axis[1] = to_circle * (cos * nx - sin * ny), to_circle * (sin * nx + cos * ny)
    axis[2], axis[3], axis[4], axis[5] = gap - radius, amplification, in_front - radius, np.nan
    reference[0], reference[1] = side, edge
    if gap > reach:
        return 0
    lift = 0.5 * (skin - gap - radius)
    end_x, end_y, x, y = x - radius * nx, y - radius * ny, x + lift * nx, y + lift * ny
    record(ManifoldPoint(True, 0, gap - radius, (end_x, end_y), (x, y)))
    write_point(points, 0, polygon.pose, x, y, gap - radius)
    names[0] = 0
    return 1


@inlined_kernel
def manifold_circles(a: Side, b: Side, rounding: float, rule: int, row: Row) -> int:
    """Fill one row for two circles given in A's frame. The normal of concentric ones is the world's x axis, as in Box2D."""
    touch = rounding if rule == EXACT else 0.0
    concentric = rounding if rule == EXACT else BOX2D_EPSILON
    points, names, axis, reference = row
    pose_a, center_a, radius_a, center_b, radius_b = a.pose, a.vertices, a.radius, b.vertices, b.radius
    cos, sin = pose_a[2], pose_a[3]
    # The normal's sign, here: from A's center to B's.
    dx, dy = center_b[0, 0] - center_a[0, 0], center_b[0, 1] - center_a[0, 1]
    distance = math.hypot(dx, dy)
    nx, ny, amplification = 1.0, 0.0, 0.0
    if distance > concentric:
        amplification = 1.0 / distance
        nx, ny = (cos * dx - sin * dy) * amplification, (sin * dx + cos * dy) * amplification
    gap = distance - radius_a - radius_b
    record(SatStart(radius_a + radius_b, touch))
    record(SatCorners(distance, (center_a[0, 0], center_a[0, 1]), (center_b[0, 0], center_b[0, 1])))
    axis[0], axis[1], axis[2], axis[3], axis[4], axis[5] = nx, ny, gap, amplification, gap, np.nan
    reference[0], reference[1] = -1, 0
    if gap > touch:
        return 0
    mid_x, mid_y = center_a[0, 0] + 0.5 * dx, center_a[0, 1] + 0.5 * dy
    lift = 0.5 * (radius_a - radius_b)
    points[0, 0] = cos * mid_x - sin * mid_y + pose_a[0] + lift * nx
    points[0, 1] = sin * mid_x + cos * mid_y + pose_a[1] + lift * ny
    points[0, 2] = gap
    names[0] = 0
    local_x, local_y = cos * nx + sin * ny, cos * ny - sin * nx  # the normal in A's frame
    end_x, end_y = center_b[0, 0] - radius_b * local_x, center_b[0, 1] - radius_b * local_y
    record(ManifoldPoint(True, 0, gap, (end_x, end_y), (mid_x + lift * local_x, mid_y + lift * local_y)))
    return 1


def frame_is_b(kind_a: int, kind_b: int, rule: int) -> bool:
    """Return whether the working frame is B's: a polygon's if A is a circle, an edge's by Box2D's rule; otherwise it is A's."""
    return (kind_a == CIRCLE and kind_b == POLYGON) or (rule == BOX2D and kind_b == SEGMENT)


@inlined_kernel
def manifold_pair(
    shapes: Shapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, at: int, rule: int, room: Room, columns: Arrays,
) -> int:  # fmt: skip
    """Fill row `at` for a pair of two shapes that are circles or polygons, and return the number of points.

    Points of the events, which are those of `_sat_kernel` and `_clip_kernel`, are in the frame given by `frame_is_b`.
    """
    a, b = side_of(shapes, pairs[at, 0], poses_a, at), side_of(shapes, pairs[at, 1], poses_b, at)
    row = row_of(columns, at)
    rounding = rounding_of(a.pose, a.extent, b.pose, b.extent)
    base, other, to_other = a, b, 1.0
    if a.kind == CIRCLE and b.kind == POLYGON:
        base, other, to_other = b, a, -1.0
    moved = moved_side(other, base.pose, room.moved)
    if moved.kind == POLYGON:
        return manifold_polygons(base, moved, rounding, rule, row)
    if base.kind == POLYGON:
        return manifold_polygon_circle(base, moved, rounding, rule, to_other, row)
    return manifold_circles(base, moved, rounding, rule, row)


@inlined_kernel
def _clear(columns: Arrays, row: int) -> None:
    count, points, names, axis, reference = columns
    count[row] = 0
    for k in range(2):
        names[row, k] = reference[row, k] = 0
        for i in range(3):
            points[row, k, i] = axis[row, 3 * k + i] = 0.0


@unlocked_kernel
def manifold_pairs(
    packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, columns: Arrays
) -> int:  # fmt: skip
    """Fill a row for each of the `pairs` of circles and polygons; return the number of others, which `manifold_core_pairs` fills.

    `packed` are the arrays of `Shapes`, `columns` count and those of `Row`. Each row is cleared first.
    """
    n_others, shapes, kind, count = 0, Shapes(*packed), packed[0], columns[0]
    room = room_for(packed[2])
    for row in range(pairs.shape[0]):
        _clear(columns, row)
        if kind[pairs[row, 0]] < CAPSULE and kind[pairs[row, 1]] < CAPSULE:
            count[row] = manifold_pair(shapes, pairs, poses_a, poses_b, row, rule, room, columns)
        else:
            n_others += 1
    return n_others
