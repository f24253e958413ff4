"""A link of a chain, a segment with neighbors, against any other shape by the exact rule.

A single segment is a shape like any other, and its ends are corners (`_core_manifold_kernel`). In a chain the neighbors continue at its
ends::

        ghost1 . . . . v1 ============ v2 . . . . ghost2
               link 0         link 1         link 2         normals of the front to the right of the direction of travel

so it has fewer normals. On each side they form an arc, the link's part of the *Gauss map* of the chain: it extends from the link's own
normal to that of the neighbor across a joint that is a ridge seen from that side, and ends at its own normal at a valley, where the
neighbor's face is hit first. At an end without a neighbor the arc extends to the link's own direction, where that of the other side begins:
a shape over the link is never pushed out through the link::

            n0 \\   n1   / n2        at two ridges         n1           at two valleys: one normal
                \\  |  /                                    |           (the other side of the same chain)
        ghost1 __ .v1===v2. __ ghost2         ghost1 ' ' .v1===v2. ' ' ghost2

**The side.** The position of the whole shape is not decisive: the middle of a plank can be far beyond both neighbors, and below this link's
line if the chain bends down. Only the part over the link counts. The other core is clipped to the strip over the link, and the remainder
extends from `low` to `high` above the link's line: to separate, it must move by -low to the front or by high to the back. A face of the
other shape whose normal is in a side's arc can give a shorter translation to that side: over the edge of a table the translation out of its
upright side is upward. The side is that of the shorter translation; if both are equal, that of the centroid.

**The axis** on that side is the link's normal, or a face of the other shape within the arc, whichever has the greater separation, both of
the whole shapes (`_sat_kernel`). So a plank that tips over a ridge is supported along its own face, and not along the link's normal, below
which its far end is. If the distance of the cores is greater than that separation, two corners are nearest and the axis is the line between
them. If the other corner is beside the neighbor, before its end in its direction, the contact belongs to the neighbor and is dropped, which
is recorded. If the axis is the link's normal, but the incident edge descends over a ridge and beyond, steeper than the neighbor, it
is in contact with the joint, and its own normal is the axis: a shape that slides along this edge must not catch there either.

**The points** are the ends of the incident edge, clipped to the reference edge. So each has the local depth over this link, even if a far
end is deep below the link's line. At a valley the link is extended by both skins: points below the joint are over neither of the two links,
and beyond it the neighbor is higher than the extension, so no shape catches on it. At a ridge shapes would catch on it, and it is not
needed; neither is it for points behind the neighbor.

A reversed chain gives the same result, because both sides are treated alike. Box2D's rule (`_edge_kernel`) selects the side by the centroid
and the neighbors' infinite lines, and at a ridge the neighbor's line alone suffices for the front.

Sources: E. Catto, "Ghost Collisions", box2d.org, 2020 (the arc); P. Terdiman, "Contact generation for meshes", codercorner.com, 2015
(Voronoi regions of internal edges).
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.narrowphase._clip_kernel import (
    VERTEX,
    ManifoldIncident,
    ManifoldNeighbors,
    ManifoldPoint,
    ManifoldReference,
    clip,
    edge_of,
    end_name,
    end_of,
    find_incident_edge,
    n_ends,
    name_of,
    uncut,
    write_point,
)
from engine.narrowphase._core_distance_kernel import nearest_points
from engine.narrowphase._sat_kernel import SatCorners, SatEdge, SatEnd, SatStart, face_separation
from engine.narrowphase._sides_kernel import Room, Row, Side

__all__ = ["is_link", "manifold_link"]

RIDGE_LEAN = 0.1
"""Sine of the angle, 6 degrees, by which a face can lean beyond the neighbor at a ridge. Such a face is before the joint at any angle. But
it must be detected if a slightly rotated box slides over the edge of a table: otherwise the link of the upright side would push it out
along its whole length. From 6 degrees on, a shape with depth d extends at most 10 d back over that link.
"""


@inlined_kernel
def is_link(side: Side) -> bool:
    """Return whether a shape is a link: a segment of nonzero length with a neighbor."""
    return bool((side.has_ghost[0] or side.has_ghost[1]) and side.vertices.shape[0] == 2)


@inlined_kernel
def _extent_over(link: Side, other: FloatArray, more_1: float, more_2: float) -> tuple[float, float]:
    """Return the extent, low and high, of the part of a core over the link along the front's normal; low > high if there is none.

    The link is extended by the given lengths at v1 and at v2.
    """
    x1, y1 = link.vertices[0, 0], link.vertices[0, 1]
    nx, ny = link.normals[0, 0], link.normals[0, 1]
    length = math.hypot(link.vertices[1, 0] - x1, link.vertices[1, 1] - y1)
    low, high = np.inf, -np.inf
    last = other.shape[0] - 1
    before_along = nx * (other[last, 1] - y1) - ny * (other[last, 0] - x1)
    before_up = nx * (other[last, 0] - x1) + ny * (other[last, 1] - y1)
    for j in range(other.shape[0]):
        along = nx * (other[j, 1] - y1) - ny * (other[j, 0] - x1)
        up = nx * (other[j, 0] - x1) + ny * (other[j, 1] - y1)
        if -more_1 <= along <= length + more_2:
            low, high = min(low, up), max(high, up)
        for k in range(2):
            border = -more_1 if k == 0 else length + more_2
            out_before, out = before_along - border, along - border
            if (out_before < 0.0) != (out < 0.0):
                crossing = before_up + (up - before_up) * (out_before / (out_before - out))
                low, high = min(low, crossing), max(high, crossing)
        before_along, before_up = along, up
    return low, high


@inlined_kernel
def _fill_limits(link: Side, side: float, limits: FloatArray) -> tuple[bool, bool]:
    """Fill the unit normals (2, 2) at the ends of a side's arc (1 front, -1 back), at v1 and at v2; return which is a ridge."""
    v, ghosts = link.vertices, link.ghosts
    nx, ny = side * link.normals[0, 0], side * link.normals[0, 1]
    ridge_1, ridge_2 = False, False
    for k in range(2):
        outward = -1.0 if k == 0 else 1.0
        if not link.has_ghost[k]:
            limits[k, 0], limits[k, 1] = -outward * link.normals[0, 1], outward * link.normals[0, 0]
        else:
            limits[k, 0], limits[k, 1] = nx, ny
            # the neighbor's direction of travel
            dx = v[0, 0] - ghosts[0] if k == 0 else ghosts[2] - v[1, 0]
            dy = v[0, 1] - ghosts[1] if k == 0 else ghosts[3] - v[1, 1]
            distance = math.hypot(dx, dy)
            if outward * (nx * dx + ny * dy) < 0.0:  # a ridge on this side
                limits[k, 0], limits[k, 1] = side * dy / distance, -side * dx / distance
                if k == 0:
                    ridge_1 = True
                else:
                    ridge_2 = True
    return ridge_1, ridge_2


@inlined_kernel
def _is_in_arc(ux: float, uy: float, nx: float, ny: float, limits: FloatArray, k: int, turn: float, slop: float) -> bool:
    """Return whether a unit vector that leans from the normal toward end k is within the limit there, or beyond it by at most `slop`.

    `turn` is the direction in which it leans, 1 for counter-clockwise. The cosine to the normal orders angles from 0 to 180 degrees; near
    the limit the sine is more accurate.
    """
    lx, ly = limits[k, 0], limits[k, 1]
    is_within = ux * nx + uy * ny >= lx * nx + ly * ny
    return bool(is_within or (turn * (lx * uy - ly * ux) <= slop and ux * lx + uy * ly > 0.0))


@inlined_kernel
def _face_within(
    link: Side, other: Side, side: float, limits: FloatArray, slops: tuple[float, float], whose: int
) -> tuple[float, int, float]:
    """Return the greatest separation over the other's faces with a normal in a side's arc, its face (-1 if none), and that over all."""
    v, vertices, normals = link.vertices, other.vertices, other.normals
    nx, ny = side * link.normals[0, 0], side * link.normals[0, 1]
    best, best_face, parts = -np.inf, -1, -np.inf
    if vertices.shape[0] == 1:
        return best, best_face, parts
    for face in range(vertices.shape[0]):
        # its normal reversed: out of the link
        ux, uy = -normals[face, 0], -normals[face, 1]
        px, py = vertices[face, 0], vertices[face, 1]
        separation = min(ux * (px - v[0, 0]) + uy * (py - v[0, 1]), ux * (px - v[1, 0]) + uy * (py - v[1, 1]))
        end = 1 if ux * (v[1, 0] - v[0, 0]) + uy * (v[1, 1] - v[0, 1]) >= 0.0 else 0
        # the front's normal rotates counter-clockwise toward v2
        is_allowed = _is_in_arc(ux, uy, nx, ny, limits, end, side if end == 1 else -side, slops[0] if end == 0 else slops[1])
        is_best = is_allowed and separation > best
        if is_best:
            best, best_face = separation, face
        parts = max(parts, separation)
        record(SatEdge(whose, face, separation, is_best, is_allowed))
    return best, best_face, parts


@inlined_kernel
def _passes_end(link: Side, other: Side, edge: int, k: int) -> bool:
    """Return whether an edge of the other core extends beyond end k of the link."""
    x, y = link.vertices[k, 0], link.vertices[k, 1]
    dx, dy = x - link.vertices[1 - k, 0], y - link.vertices[1 - k, 1]
    after = (edge + 1) % other.vertices.shape[0]
    first = (other.vertices[edge, 0] - x) * dx + (other.vertices[edge, 1] - y) * dy
    second = (other.vertices[after, 0] - x) * dx + (other.vertices[after, 1] - y) * dy
    return bool(max(first, second) > 0.0)


@inlined_kernel
def _slops(are_ridges: tuple[bool, bool], slop: float) -> tuple[float, float]:
    """Return the tolerances, as sines, of a face's normal beyond the limits at v1 and v2."""
    return RIDGE_LEAN if are_ridges[0] else slop, RIDGE_LEAN if are_ridges[1] else slop


@inlined_kernel
def _more(link: Side, other: Side, side: float, k: int, is_ridge: bool) -> float:
    """Return the extension of the link at end k: in a valley, both skins, if the shape is on this side of the neighbor too."""
    if is_ridge or not link.has_ghost[k]:
        return 0.0
    x, y = link.vertices[k, 0], link.vertices[k, 1]
    turn = side if k == 1 else -side
    nx, ny = turn * (link.ghosts[2 * k + 1] - y), -turn * (link.ghosts[2 * k] - x)
    low, high = np.inf, -np.inf
    for j in range(other.vertices.shape[0]):
        up = nx * (other.vertices[j, 0] - x) + ny * (other.vertices[j, 1] - y)
        low, high = min(low, up), max(high, up)
    return link.skin + other.skin if high > -low else 0.0


@borrowing_kernel
def manifold_link(link: Side, other: Side, to_other: float, touch: float, room: Room, row: Row) -> int:
    """Fill one row for a link and another shape given in the link's frame, and return the number of points; `to_other` is -1 if the other
    is A.

    The row is that of `_core_manifold_kernel`, with `reference` -1 if the axis is the line between two corners.
    """
    points, names, axis, reference = row
    v, limits = link.vertices, room.corners
    cos, sin = link.pose[2], link.pose[3]
    reach, surface = link.radius + other.radius, (link.radius - link.skin) + (other.radius - other.skin)
    of_link, of_other = (0, 1) if to_other > 0.0 else (1, 0)
    n_other, skins = other.vertices.shape[0], link.skin + other.skin
    dx, dy = v[1, 0] - v[0, 0], v[1, 1] - v[0, 1]
    length = math.hypot(dx, dy)
    slop = touch / length
    record(SatStart(reach, touch))

    # 1. The side.
    low, high = _extent_over(link, other.vertices, 0.0, 0.0)
    is_over = low <= high
    if not is_over:
        low, high = _extent_over(link, other.vertices, skins, skins)
    if low > high:
        low, high = -np.inf, np.inf
    slops = _slops(_fill_limits(link, -1.0, limits), slop)
    to_back = max(-high, _face_within(link, other, -1.0, limits, slops, of_other)[0])
    slops = _slops(_fill_limits(link, 1.0, limits), slop)
    to_front = max(low, _face_within(link, other, 1.0, limits, slops, of_other)[0])
    if abs(to_front - to_back) > touch:  # neither if they are equal nor if neither exists
        is_front = to_front > to_back
    else:
        center = other.centroid[0]
        is_front = link.normals[0, 0] * (center[0] - v[0, 0]) + link.normals[0, 1] * (center[1] - v[0, 1]) >= 0.0
    side, at = (1.0, 0) if is_front else (-1.0, 1)
    ridge_1, ridge_2 = _fill_limits(link, side, limits)
    more_1, more_2 = _more(link, other, side, 0, ridge_1), _more(link, other, side, 1, ridge_2)
    if not is_over and max(more_1, more_2) > 0.0:
        low, high = _extent_over(link, other.vertices, more_1, more_2)
        is_over = low <= high
    nx, ny = link.normals[at, 0], link.normals[at, 1]

    # 2. The axis.
    edge_separation = face_separation(v, link.normals, at, other.vertices)
    record(SatEdge(of_link, at, edge_separation, True, True))
    best_of_face, face, parts = _face_within(link, other, side, limits, _slops((ridge_1, ridge_2), slop), of_other)
    is_on_face = face >= 0 and best_of_face > edge_separation + touch
    best = best_of_face if is_on_face else edge_separation
    is_parted = edge_separation > reach + touch or parts > reach + touch
    ux, uy = (-other.normals[face, 0], -other.normals[face, 1]) if is_on_face else (nx, ny)
    on_link, on_other = edge_separation - surface, best_of_face - surface if face >= 0 else np.nan
    axis[4], axis[5] = (on_link, on_other) if to_other > 0.0 else (on_other, on_link)
    pair = room.corners  # the limits are needed again only by the last test, which refills them
    if not is_parted and (not is_over or best >= -touch):
        distance, corner, other_corner = nearest_points(v, other.vertices, pair)
        record(SatCorners(distance, (pair[0, 0], pair[0, 1]), (pair[1, 0], pair[1, 1])))
        is_parted = distance > reach + touch
        gone = math.hypot(pair[1, 0] - other.vertices[other_corner, 0], pair[1, 1] - other.vertices[other_corner, 1])
        is_corner = distance > touch and best < distance - touch and gone <= touch
        if is_corner or (not is_over and best < distance - touch):
            wx, wy = (pair[1, 0] - pair[0, 0]) / distance, (pair[1, 1] - pair[0, 1]) / distance
            record(SatEnd(is_parted, -1, 0, distance, corner, other_corner))
            reference[0], reference[1] = -1, 0
            # The normal's sign, here: from the link's corner to the other's, reversed if the link is B: it points from A to B.
            axis[0], axis[1] = to_other * (cos * wx - sin * wy), to_other * (sin * wx + cos * wy)
            axis[2], axis[3] = distance - surface, 1.0 / distance
            if is_parted:
                return 0
            onward_x = link.ghosts[2 * corner] - v[corner, 0]
            onward_y = link.ghosts[2 * corner + 1] - v[corner, 1]
            if link.has_ghost[corner] and wx * onward_x + wy * onward_y > 0.0:
                record(ManifoldNeighbors(corner))
                return 0
            lift = 0.5 * (distance + link.radius - other.radius)
            x, y = pair[0, 0] + lift * wx, pair[0, 1] + lift * wy
            write_point(points, 0, link.pose, x, y, distance - surface)
            names[0] = name_of(corner, other_corner, VERTEX, VERTEX, to_other < 0.0)
            record(ManifoldPoint(True, names[0], distance - surface, (pair[1, 0], pair[1, 1]), (x, y)))
            return 1
    incident = find_incident_edge(other.normals, nx, ny)
    if not is_parted and not is_on_face and n_other > 1:
        wx, wy = -other.normals[incident, 0], -other.normals[incident, 1]
        descends = wx * dx + wy * dy
        k = 1 if descends > 0.0 else 0
        if (ridge_2 if k == 1 else ridge_1) and _passes_end(link, other, incident, k):
            _fill_limits(link, side, limits)
            if not _is_in_arc(wx, wy, nx, ny, limits, k, side if k == 1 else -side, slop):
                is_on_face, face, ux, uy = True, incident, wx, wy
                best = wx * (other.vertices[face, 0] - v[k, 0]) + wy * (other.vertices[face, 1] - v[k, 1])
    # The normal's sign, here: out of the link, reversed if the link is B: it points from A to B.
    axis[0], axis[1] = to_other * (cos * ux - sin * uy), to_other * (sin * ux + cos * uy)
    axis[2], axis[3] = best - surface, 0.0
    if is_on_face:
        reference[0], reference[1] = of_other, face
        record(ManifoldReference(of_other, face, best, 0, is_parted))
    else:
        reference[0], reference[1] = of_link, at
        record(ManifoldReference(of_link, at, best, 0, is_parted))
    if is_parted:
        return 0

    # 3. The incident edge, clipped.
    base, n_left, cosine = edge_of(v, link.normals, at), 1, 1.0
    left = uncut(base, edge_of(other.vertices, other.normals, incident))
    if is_on_face:
        cosine = abs(ux * nx + uy * ny)
        record(ManifoldIncident(of_link, at, cosine))
        left = clip(edge_of(other.vertices, other.normals, face), base, 0.0, 0.0, of_other)
        n_left = n_ends(left)
    elif n_other > 1:
        cosine = abs(nx * other.normals[incident, 0] + ny * other.normals[incident, 1])
        record(ManifoldIncident(of_other, incident, cosine))
        first, second = (more_1, more_2) if is_front else (more_2, more_1)  # the back's first end is v2
        left = clip(base, edge_of(other.vertices, other.normals, incident), first, second, of_link)
        n_left = n_ends(left)
    if left.is_cut:
        axis[3] = 1.0 / max(cosine, SAT_ROUNDING)

    # 4. The points: midway, in the world.
    count = 0
    for k in range(n_left):
        x, y, on_base, on_incident, by_plane = end_of(left, k)
        if is_on_face:  # still measured from the link's surface
            gap = ux * (other.vertices[face, 0] - x) + uy * (other.vertices[face, 1] - y)
            lift = 0.5 * (gap + link.radius - other.radius)
            sizes, is_first_b = (n_other, 2), to_other > 0.0
        else:
            gap = nx * (x - v[at, 0]) + ny * (y - v[at, 1])
            lift = 0.5 * (link.radius - other.radius - gap)
            sizes, is_first_b = (2, n_other), to_other < 0.0
        mid_x, mid_y = x + lift * ux, y + lift * uy
        if gap > reach + touch:
            record(ManifoldPoint(False, 0, gap - surface, (x, y), (mid_x, mid_y)))
            continue
        write_point(points, count, link.pose, mid_x, mid_y, gap - surface)
        names[count] = end_name(on_base, on_incident, by_plane, sizes, is_first_b)
        record(ManifoldPoint(True, names[count], gap - surface, (x, y), (mid_x, mid_y)))
        count += 1
    return count
