"""The results of Box2D 2.3.0 for an edge, alone or in a chain: `rule="box2d"` of a segment against a circle or a polygon.

A floor made of edges has joints, and a body that slides over one must not catch on the end of an edge that its neighbor continues. So each
edge stores its neighbors' far vertices, the *ghosts*, and does not report the neighbor's contacts::

        ghost1 . . . . v1 ============ v2 . . . . ghost2
               edge 0         edge 1         edge 2         normals to the right of the direction of travel

**Circle.** The nearest point of the edge decides: v1, v2 or the interior. At an end with a ghost, the contact is dropped if the center is
beside the neighbor, that is, before the end in the neighbor's own direction; the neighbor will report it. Beside the edge itself the normal
is that of the center's side: an edge has two sides.

**Polygon.** In each query an edge is one-sided: the polygon's centroid selects the side. A joint is *convex* if the chain turns left (a
ridge seen from the right-hand side, to which the normals point). The polygon is in front if its centroid is in front of every edge, but a
convex joint widens the front: there it suffices to be in front of the neighbor. The possible contact normals are then limited: from the
edge's own normal to that of the neighbor across a convex joint, and no farther than the edge's own at a concave one, because in the valley
the neighbor's face is hit first::

          front      n0 \\   n1   / n2          limits at two convex joints
                         \\  |  /
            ghost1 ____ .v1===v2. ____ ghost2        (behind, the limits are those of the chain read from the back)

The axis is the edge's normal or the polygon's edge of greatest separation among those within the limits, with a slop of
`BOX2D_ANGULAR_SLOP`, and the polygon's only if it is greater by the same margin as between two polygons. For a polygon's normal n
(reversed) the separation is the minimum over the edge's two ends, ``min(n.(v1 - v), n.(v2 - v))``. Then the incident edge is clipped to the
reference edge, here without widening it by the skins, and the ends within both skins are kept; clipping leaves two ends or none.

Feature ids are Box2D's own, oddities included: if the polygon's edge is the reference, every point has the polygon's edge as
*its index on the edge side* with type FACE, and on the polygon's side 0 or the vertex that clipped it.

Source: behavior of b2CollideEdgeAndCircle and b2CollideEdgeAndPolygon in Box2D 2.3.0 (collision/shapes with "smooth collision"
ghosts), described here in our own words and code, and compared with the wheel.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.common.tolerances import (
    BOX2D_ABSOLUTE_TOLERANCE,
    BOX2D_ANGULAR_SLOP,
    BOX2D_EPSILON,
    BOX2D_RELATIVE_TOLERANCE,
    SAT_ROUNDING,
)
from engine.narrowphase._clip_kernel import (
    FACE,
    VERTEX,
    Edge,
    ManifoldIncident,
    ManifoldNeighbors,
    ManifoldPoint,
    ManifoldReference,
    clip,
    edge_of,
    end_of,
    find_incident_edge,
    n_ends,
    name_of,
    write_point,
)
from engine.narrowphase._sat_kernel import SatCorners, SatEdge, SatStart, face_separation
from engine.narrowphase._sides_kernel import Room, Row, Side

__all__ = ["manifold_edge_circle", "manifold_edge_polygon"]


@borrowing_kernel
def manifold_edge_circle(edge: Side, circle: Side, to_circle: float, row: Row) -> int:
    """Fill one row for an edge and a circle given in the edge's frame; `to_circle` is -1 if the circle is A."""
    points, names, axis, reference = row
    vertices, skin, pose, ghosts, has_ghost = edge.vertices, edge.radius, edge.pose, edge.ghosts, edge.has_ghost
    center, radius = circle.vertices, circle.radius
    x, y = center[0, 0], center[0, 1]
    v1_x, v1_y, v2_x, v2_y = vertices[0, 0], vertices[0, 1], vertices[1, 0], vertices[1, 1]
    ex, ey = v2_x - v1_x, v2_y - v1_y
    before_v2 = ex * (v2_x - x) + ey * (v2_y - y)
    after_v1 = ex * (x - v1_x) + ey * (y - v1_y)
    is_neighbors = False
    on_edge, edge_type, amplification = 0, VERTEX, 0.0
    near_x, near_y = v1_x, v1_y
    if after_v1 <= 0.0:
        if has_ghost[0]:
            is_neighbors = (v1_x - ghosts[0]) * (v1_x - x) + (v1_y - ghosts[1]) * (v1_y - y) > 0.0
    elif before_v2 <= 0.0:
        near_x, near_y, on_edge = v2_x, v2_y, 1
        if has_ghost[1]:
            is_neighbors = (ghosts[2] - v2_x) * (x - v2_x) + (ghosts[3] - v2_y) * (y - v2_y) > 0.0
    else:
        length_sq = ex * ex + ey * ey
        near_x = (before_v2 * v1_x + after_v1 * v2_x) / length_sq
        near_y = (before_v2 * v1_y + after_v1 * v2_y) / length_sq
        edge_type = FACE
    dx, dy = x - near_x, y - near_y
    distance = math.hypot(dx, dy)

    # The normal, in the edge's frame; if the center coincides with an end, it is the world's x axis.
    cos, sin = pose[2], pose[3]
    if edge_type == FACE:
        length = math.hypot(ex, ey)
        nx, ny = -ey / length, ex / length
        if nx * (x - v1_x) + ny * (y - v1_y) < 0.0:
            nx, ny = -nx, -ny
        gap = nx * (x - v1_x) + ny * (y - v1_y)
    elif distance > BOX2D_EPSILON:
        amplification = 1.0 / distance
        nx, ny, gap = dx * amplification, dy * amplification, distance
    else:
        nx, ny, gap = cos * to_circle, -sin * to_circle, 0.0
    # The normal's sign, here: from the edge to the circle, or reversed if the circle is A: it points from A to B.
    axis[0], axis[1] = to_circle * (cos * nx - sin * ny), to_circle * (sin * nx + cos * ny)
    axis[2], axis[3], axis[4], axis[5] = gap - radius, amplification, gap - radius, np.nan
    is_apart = is_neighbors or distance > skin + radius
    record(SatStart(skin + radius, 0.0))
    if edge_type == FACE:
        record(ManifoldReference(0 if to_circle > 0.0 else 1, 0, gap, 0, is_apart))
    else:
        record(SatCorners(gap, (near_x, near_y), (x, y)))
    if is_neighbors:
        record(ManifoldNeighbors(on_edge))
    reference[0], reference[1] = (0 if to_circle > 0.0 else 1), 0
    if is_apart:
        return 0
    lift = 0.5 * (skin - gap - radius)
    write_point(points, 0, pose, x + lift * nx, y + lift * ny, gap - radius)
    names[0] = name_of(on_edge, 0, edge_type, VERTEX, to_circle < 0.0)
    end_x, end_y = x - radius * nx, y - radius * ny
    record(ManifoldPoint(True, names[0], gap - radius, (end_x, end_y), (x + lift * nx, y + lift * ny)))
    return 1


@inlined_kernel
def facing(vertices: FloatArray, ghosts: FloatArray, has_ghost: NDArray[np.bool_], centroid: FloatArray, limits: FloatArray) -> bool:
    """Return whether the centroid is in front of the edge, and fill `limits` (3, 2): normal toward it, lower limit, upper limit."""
    v1_x, v1_y, v2_x, v2_y = vertices[0, 0], vertices[0, 1], vertices[1, 0], vertices[1, 1]
    ex, ey = v2_x - v1_x, v2_y - v1_y
    length = math.hypot(ex, ey)
    ex, ey = ex / length, ey / length
    nx, ny = ey, -ex
    is_beside = nx * (centroid[0] - v1_x) + ny * (centroid[1] - v1_y) >= 0.0

    # The neighbors' normals; whether the joint is convex; whether the centroid is in front of the neighbor.
    before_x, before_y, is_convex_1, is_beside_before = nx, ny, False, False
    after_x, after_y, is_convex_2, is_beside_after = nx, ny, False, False
    if has_ghost[0]:
        dx, dy = v1_x - ghosts[0], v1_y - ghosts[1]
        length = math.hypot(dx, dy)
        before_x, before_y = dy / length, -dx / length
        is_convex_1 = dx * ey - dy * ex >= 0.0
        is_beside_before = before_x * (centroid[0] - ghosts[0]) + before_y * (centroid[1] - ghosts[1]) >= 0.0
    if has_ghost[1]:
        dx, dy = ghosts[2] - v2_x, ghosts[3] - v2_y
        length = math.hypot(dx, dy)
        after_x, after_y = dy / length, -dx / length
        is_convex_2 = ex * dy - ey * dx > 0.0
        is_beside_after = after_x * (centroid[0] - v2_x) + after_y * (centroid[1] - v2_y) >= 0.0

    # In front: required by all concave neighbors, then sufficient for any convex one.
    is_front = is_beside
    if has_ghost[0] and not is_convex_1:
        is_front = is_front and is_beside_before
    if has_ghost[1] and not is_convex_2:
        is_front = is_front and is_beside_after
    if has_ghost[0] and is_convex_1:
        is_front = is_front or is_beside_before
    if has_ghost[1] and is_convex_2:
        is_front = is_front or is_beside_after

    side = 1.0 if is_front else -1.0
    limits[0, 0], limits[0, 1] = side * nx, side * ny
    if is_front:
        # without a neighbor any normal of the front half plane is valid: the limit is the opposite normal
        keeps_1 = 1.0 if has_ghost[0] else -1.0
        keeps_2 = 1.0 if has_ghost[1] else -1.0
        limits[1, 0], limits[1, 1] = keeps_1 * nx, keeps_1 * ny
        limits[2, 0], limits[2, 1] = keeps_2 * nx, keeps_2 * ny
        if has_ghost[0] and is_convex_1:
            limits[1, 0], limits[1, 1] = before_x, before_y
        if has_ghost[1] and is_convex_2:
            limits[2, 0], limits[2, 1] = after_x, after_y
    else:
        # seen from the back the chain is reversed: its ridges are the front's valleys, and the two ends are swapped
        keeps_1 = -1.0 if has_ghost[1] else 1.0
        keeps_2 = -1.0 if has_ghost[0] else 1.0
        limits[1, 0], limits[1, 1] = keeps_1 * nx, keeps_1 * ny
        limits[2, 0], limits[2, 1] = keeps_2 * nx, keeps_2 * ny
        if has_ghost[1] and not is_convex_2:
            limits[1, 0], limits[1, 1] = -after_x, -after_y
        if has_ghost[0] and not is_convex_1:
            limits[2, 0], limits[2, 1] = -before_x, -before_y
    return bool(is_front)


@borrowing_kernel
def manifold_edge_polygon(edge: Side, polygon: Side, to_polygon: float, room: Room, row: Row) -> int:
    """Fill one row for an edge and a polygon given in the edge's frame; `to_polygon` is -1 if the polygon is A."""
    points, names, axis, reference = row
    vertices, skin, pose, limits = edge.vertices, edge.radius, edge.pose, room.corners
    others, other_normals, other_skin = polygon.vertices, polygon.normals, polygon.radius
    total_skin = skin + other_skin
    edge_side = 0 if to_polygon > 0.0 else 1
    cos, sin = pose[2], pose[3]
    is_front = facing(vertices, edge.ghosts, edge.has_ghost, polygon.centroid[0], limits)
    nx, ny = limits[0, 0], limits[0, 1]

    # 1. The axis.
    side = 0 if is_front else 1
    edge_separation = face_separation(vertices[side : side + 1], limits, 0, others)
    record(SatStart(total_skin, 0.0))
    record(SatEdge(edge_side, side, edge_separation, True, True))
    polygon_separation, polygon_edge = -np.inf, -1
    is_parted = edge_separation > total_skin
    is_on_polygon = False
    if not is_parted:
        for of in range(others.shape[0]):
            # the polygon's normal reversed: out of the edge
            ox, oy = -other_normals[of, 0], -other_normals[of, 1]
            from_v1 = ox * (others[of, 0] - vertices[0, 0]) + oy * (others[of, 1] - vertices[0, 1])
            from_v2 = ox * (others[of, 0] - vertices[1, 0]) + oy * (others[of, 1] - vertices[1, 1])
            separation = min(from_v1, from_v2)
            # the upper limit applies left of the edge's normal, the lower one right of it
            bound = 2 if -ox * ny + oy * nx >= 0.0 else 1
            beyond = (ox - limits[bound, 0]) * nx + (oy - limits[bound, 1]) * ny
            is_allowed = beyond >= -BOX2D_ANGULAR_SLOP
            is_best = is_allowed and separation > polygon_separation
            parts = separation > total_skin
            record(SatEdge(1 - edge_side, of, separation, is_best or parts, is_allowed or parts))
            if parts:
                polygon_separation, polygon_edge = separation, of
                is_parted = is_on_polygon = True
                break
            if is_best:
                polygon_separation, polygon_edge = separation, of
        if not is_parted and polygon_edge >= 0:
            is_on_polygon = polygon_separation > BOX2D_RELATIVE_TOLERANCE * edge_separation + BOX2D_ABSOLUTE_TOLERANCE
    if is_on_polygon:
        nx, ny = other_normals[polygon_edge, 0], other_normals[polygon_edge, 1]
    # The normal's sign, here: out of the edge or against the polygon's face, reversed if the polygon is A: it points from A to B.
    outward = -to_polygon if is_on_polygon else to_polygon
    axis[0], axis[1] = outward * (cos * nx - sin * ny), outward * (sin * nx + cos * ny)
    axis[2], axis[3] = (polygon_separation if is_on_polygon else edge_separation), 0.0
    found_on_polygon = polygon_separation if polygon_edge >= 0 else np.nan
    axis[4], axis[5] = (edge_separation, found_on_polygon) if edge_side == 0 else (found_on_polygon, edge_separation)
    reference[0], reference[1] = (1 - edge_side, polygon_edge) if is_on_polygon else (edge_side, side)
    if is_on_polygon:
        record(ManifoldReference(1 - edge_side, polygon_edge, polygon_separation, 0, is_parted))
    else:
        record(ManifoldReference(edge_side, side, edge_separation, 0, is_parted))
    if is_parted:
        return 0

    # 2. The incident edge, clipped.
    if is_on_polygon:
        cosine = abs(nx * limits[0, 0] + ny * limits[0, 1])
        record(ManifoldIncident(edge_side, 0, cosine))
        base, incident_edge, whose = edge_of(others, other_normals, polygon_edge), edge_of(vertices, edge.normals, 0), 1 - edge_side
        base_skin, lifted_skin = other_skin, skin
    else:
        incident = find_incident_edge(other_normals, nx, ny)
        cosine = abs(nx * other_normals[incident, 0] + ny * other_normals[incident, 1])
        record(ManifoldIncident(1 - edge_side, incident, cosine))
        base, incident_edge, whose = edge_of(vertices, edge.normals, side), edge_of(others, other_normals, incident), edge_side
        base_skin, lifted_skin = skin, other_skin
    base = Edge(base.x1, base.y1, base.x2, base.y2, nx, ny, base.first, base.second)
    left = clip(base, incident_edge, 0.0, 0.0, whose)
    if left.is_cut:
        axis[3] = 1.0 / max(cosine, SAT_ROUNDING)
    if n_ends(left) < 2:
        return 0

    # 3. The points: midway, in the world.
    count = 0
    for k in range(2):
        x, y, on_base, on_incident, is_clipped = end_of(left, k)
        gap = nx * (x - base.x1) + ny * (y - base.y1)
        lift = 0.5 * (base_skin - lifted_skin - gap)
        if gap > total_skin:
            record(ManifoldPoint(False, 0, gap, (x, y), (x + lift * nx, y + lift * ny)))
            continue
        write_point(points, count, pose, x + lift * nx, y + lift * ny, gap)
        if is_on_polygon:
            names[count] = name_of(polygon_edge, on_base if is_clipped else 0, FACE, VERTEX, edge_side == 1)
        elif is_clipped:
            names[count] = name_of(on_base, on_incident, VERTEX, FACE, edge_side == 1)
        else:
            names[count] = name_of(0, on_incident, FACE, VERTEX, edge_side == 1)
        record(ManifoldPoint(True, names[count], gap, (x, y), (x + lift * nx, y + lift * ny)))
        count += 1
    return count
