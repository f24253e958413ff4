"""From an axis to contact points: the incident edge, clipped to the width of the reference edge.

The reference edge carries the axis. On the other polygon the *incident* edge is the one whose normal points most against it.
What lies of the incident edge between two side planes through the ends of the reference edge, and at most `limit` in front of
the reference edge, is the contact::

       side plane 1              side plane 2
            :                         :
            :       i1 ___            :
            :    _ _ /    \\___ _ _ _ _:
            :       0          \\___   :  incident edge (i1, i2), kept from 0 to 1
            :       :              \\__1__
    --------r1------------------------r2-----  reference edge, normal n up
            :                         :    i2 (cut off)

The side planes stand `side` outside the two ends, for the two rounded edges reach that far.

Each end remembers what it is, in Box2D's four bytes: the index on the reference polygon, the index on the incident
polygon, and for each whether it is a vertex (0) or a face (1). An untouched end is (reference edge, incident vertex); an
end made by a side plane is (reference vertex, incident edge). The name of the incident edge is the index of its first vertex;
Box2D takes it from the first end it holds at that moment, and so does this kernel, for a solver finds last step's
impulses by these names.

**Which edges, where many are nearly the same.** In exact arithmetic the edge whose normal points most against n has the foremost vertex
at one of its ends. A cosine near -1 tells angles below sqrt(EPS64) = 1.5e-8 rad not apart, and all edges of one side of a sliver
1e-9 as high as wide are that near to each other: the one found may lie meters from the contact. It shows: no end of what is kept of
it lies as far forward as the separation found, for that is the foremost vertex's. Then the edge is sought from the vertex: of those
within rounding of the foremost, the one over the reference edge, or nearest to it, and of its two edges the one that points most against n.

Sources: E. Catto, "Contact Manifolds", GDC 2007; I. Sutherland, G. Hodgman, "Reentrant Polygon Clipping", CACM 1974.
"""

from __future__ import annotations

import numpy as np

from engine.common._record_kernel import record
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.narrowphase._core_distance_kernel import core_distance
from engine.narrowphase._sat_kernel import strict_separation
from engine.narrowphase._sides_kernel import Room, Row, Side, place
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = [
    "FACE",
    "MANIFOLD_CLIPPED",
    "MANIFOLD_DISTANCE",
    "MANIFOLD_INCIDENT",
    "MANIFOLD_NEIGHBORS",
    "MANIFOLD_POINT",
    "MANIFOLD_REFERENCE",
    "VERTEX",
    "clip_incident_edge",
    "cut_between",
    "find_incident_edge",
    "name_of",
    "points_on_edge",
    "write_point",
]

VERTEX = 0
FACE = 1

MANIFOLD_REFERENCE, MANIFOLD_DISTANCE, MANIFOLD_INCIDENT, MANIFOLD_CLIPPED, MANIFOLD_POINT = 31.0, 32.0, 33.0, 34.0, 35.0
MANIFOLD_NEIGHBORS = 36.0
"""Steps that the trace is told (`engine.common._record_kernel`), beside those of the axis (`_sat_kernel`); a side is 0 for A, 1 for B::

    MANIFOLD_REFERENCE    side, edge, its separation, how often it was tried before, 1 if this axis parts the two
    MANIFOLD_DISTANCE     distance of the cores, 1 if it parts them: asked where the separation is 0 within rounding
    MANIFOLD_INCIDENT     side, edge, cosine to the reference edge
    MANIFOLD_CLIPPED      side of the reference edge, its vertex that the plane is at, ends left: 2, 1 or 0; how far outside the vertex
                          the plane stands, outside the plane the first and the second end; what is left of the incident edge
    MANIFOLD_POINT        1 if kept, feature id (NaN where not kept), gap along the normal, the end, and the point midway
    MANIFOLD_NEIGHBORS   vertex of the edge whose ghost says that the contact is the neighbor's (`_edge_kernel`, `_link_kernel`)

Points are given in the frame that the kernel works in.
"""

LACKING_ROUNDINGS = 2.0
"""Rounding, times the touch. A manifold whose deepest point lies farther than this before the foremost vertex lacks that: the two are
computed by the same operations, and a reference edge that ties with the greatest may cut off what lies up to a touch past its end."""


@inlined_kernel
def find_incident_edge(normals: FloatArray, nx: float, ny: float) -> int:
    """Return the first edge whose normal points most against (nx, ny)."""
    incident, least = 0, np.inf
    for edge in range(normals.shape[0]):
        along = normals[edge, 0] * nx + normals[edge, 1] * ny
        if along < least:
            incident, least = edge, along
    return incident


@borrowing_kernel
def contact_vertex(reference: FloatArray, edge: int, nx: float, ny: float, other: FloatArray, tie: float) -> tuple[int, float]:
    """Return, of the vertices of `other` within `tie` of the foremost, the one over edge `edge` of `reference` or nearest to that, and
    how far past the edge's end it lies.
    """
    after = (edge + 1) % reference.shape[0]
    vx, vy = reference[edge, 0], reference[edge, 1]
    length = nx * (reference[after, 1] - vy) - ny * (reference[after, 0] - vx)
    foremost = np.inf
    for j in range(other.shape[0]):
        foremost = min(foremost, nx * (other[j, 0] - vx) + ny * (other[j, 1] - vy))
    found, least_out, least_front = 0, np.inf, np.inf
    for j in range(other.shape[0]):
        x, y = other[j, 0] - vx, other[j, 1] - vy
        front, along = nx * x + ny * y, nx * y - ny * x
        out = max(0.0, max(-along, along - length))
        if front <= foremost + tie and (out < least_out or (out == least_out and front < least_front)):
            found, least_out, least_front = j, out, front
    return found, least_out


@inlined_kernel
def edge_at_vertex(normals: FloatArray, vertex: int, nx: float, ny: float) -> int:
    """Return which of the two edges at a vertex points more against (nx, ny)."""
    before = vertex - 1 if vertex > 0 else normals.shape[0] - 1
    along_before = normals[before, 0] * nx + normals[before, 1] * ny
    return before if along_before < normals[vertex, 0] * nx + normals[vertex, 1] * ny else vertex


@inlined_kernel
def cut_between(x0: float, y0: float, x1: float, y1: float, out_0: float, out_1: float) -> tuple[float, float]:
    """Return where a side plane cuts an edge whose ends lie so far outside it."""
    share = out_0 / (out_0 - out_1)
    return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


@inlined_kernel
def _cut(
    reference: FloatArray, edge: int, k: int, nx: float, ny: float, side: float, n_ends: int, ends: FloatArray, names: IntArray
) -> tuple[int, bool, float, float]:
    """Cut off what lies beyond the side plane at the first (k = 0) or second end of the edge; return the ends left, whether it cut, and how
    far outside the plane the two ends were.
    """
    corner = (edge + k) % reference.shape[0]
    # outward direction of the side plane: against the edge at its first end, along it at its second
    outward = -1.0 if k == 0 else 1.0
    tx, ty = -outward * ny, outward * nx
    vx, vy = reference[corner, 0], reference[corner, 1]
    out_0 = tx * (ends[0, 0] - vx) + ty * (ends[0, 1] - vy) - side
    out_1 = tx * (ends[1, 0] - vx) + ty * (ends[1, 1] - vy) - side
    if n_ends == 1:
        return (0 if out_0 > 0.0 else 1), False, out_0, out_1
    if out_0 <= 0.0 and out_1 <= 0.0:
        return 2, False, out_0, out_1
    if out_0 > 0.0 and out_1 > 0.0:
        return 0, False, out_0, out_1
    # One end is inside, one outside. An inside end on the plane itself leaves that single point.
    n_left = 2 if out_0 * out_1 < 0.0 else 1
    cut_x, cut_y = cut_between(ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1], out_0, out_1)
    incident_name = names[0, 1]
    if out_0 > 0.0:  # the second end stays, and moves up: Box2D lists what it keeps first
        ends[0, 0], ends[0, 1] = ends[1, 0], ends[1, 1]
        for field in range(4):
            names[0, field] = names[1, field]
    ends[1, 0], ends[1, 1] = cut_x, cut_y
    names[1, 0], names[1, 1], names[1, 2], names[1, 3] = corner, incident_name, VERTEX, FACE
    return n_left, n_left == 2, out_0, out_1


@inlined_kernel
def clip_incident_edge(
    reference: FloatArray, edge: int, nx: float, ny: float, sides: tuple[float, float], other: FloatArray, incident: int, room: Room,
    whose: float, trace: FloatArray | None,
) -> tuple[int, bool]:  # fmt: skip
    """Clip edge `incident` of `other` to the side planes of edge `edge` of `reference`, whose unit normal is (nx, ny).

    The planes stand `sides` outside the edge's first and second end.

    Fills the room's ends (2, 2) with what is left and their names (2, 4) with (index on reference, index on other, type on reference,
    type on other). Returns how many ends are left (2; 1 where it only touches a side plane; 0) and whether a plane cut it. The trace is
    told what each plane leaves, `whose` being the side of the reference edge.
    """
    ends, names = room.ends, room.end_names
    n_reference, n_other = reference.shape[0], other.shape[0]
    for k in range(2):
        corner = (incident + k) % n_other
        ends[k, 0], ends[k, 1] = other[corner, 0], other[corner, 1]
        names[k, 0], names[k, 1], names[k, 2], names[k, 3] = edge, corner, FACE, VERTEX

    n_ends, is_cut = 2, False
    for k in range(2):
        side = sides[0] if k == 0 else sides[1]
        n_ends, cuts, out_0, out_1 = _cut(reference, edge, k, nx, ny, side, n_ends, ends, names)
        is_cut = is_cut or cuts
        corner = (edge + k) % n_reference
        left = (ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1])
        record(trace, MANIFOLD_CLIPPED, (whose, float(corner), float(n_ends), side, out_0, out_1, *left))
        if n_ends == 0:
            break
    return n_ends, is_cut


@inlined_kernel
def name_of(on_first: int, on_other: int, first_type: int, other_type: int, is_first_b: bool) -> int:
    """Return Box2D's key; the first side is B's where `is_first_b`. No branch in it, for the SIMD kernel."""
    on_a, on_b = (on_other if is_first_b else on_first), (on_first if is_first_b else on_other)
    type_a, type_b = (other_type if is_first_b else first_type), (first_type if is_first_b else other_type)
    return on_a | (on_b << 8) | (type_a << 16) | (type_b << 24)


@inlined_kernel
def write_point(points: FloatArray, at: int, pose: FloatArray, x: float, y: float, separation: float) -> None:
    """Write a point of the frame `pose` as row `at`, in the world."""
    points[at, 0], points[at, 1] = place(x, y, pose[2], pose[3], pose[0], pose[1])
    points[at, 2] = separation


@inlined_kernel
def points_on_edge(
    a: Side, b: Side, is_polygons: bool, is_parted: bool, is_on_b: bool, edge_a: int, separation_a: float, edge_b: int, separation_b: float,
    touch: float, rule: int, room: Room, row: Row, trace: FloatArray | None,
) -> int:  # fmt: skip
    """Fill a row where an edge carries the axis, B's or A's, for two cores with radii in A's frame; return the number of points.

    Of two polygons (`is_polygons`, what BOX2D's rule is for) the manifold may be empty though the axis does not part them, and a
    separation within rounding of 0 may be that of two that are apart; see `_manifold_kernel`. Of other cores both is settled already.
    """
    reach, skins = a.radius + b.radius, a.skin + b.skin
    surface = (a.radius - a.skin) + (b.radius - b.skin)
    cos, sin = a.pose[2], a.pose[3]
    points, names, axis, reference = row
    first_on_b, first_a, first_b, first_edge_a, first_edge_b = is_on_b, separation_a, separation_b, edge_a, edge_b
    count, tried = 0, 0
    while True:
        if is_on_b:
            edge, best, lift_base, lift_other, to_b, whose = edge_b, separation_b, b.radius, a.radius, -1.0, 1.0
            base, base_normals, other, other_normals = b.vertices, b.normals, a.vertices, a.normals
        else:
            edge, best, lift_base, lift_other, to_b, whose = edge_a, separation_a, a.radius, b.radius, 1.0, 0.0
            base, base_normals, other, other_normals = a.vertices, a.normals, b.vertices, b.normals
        nx, ny = base_normals[edge, 0], base_normals[edge, 1]  # out of the reference polygon, toward the other
        reference[0], reference[1] = (1 if is_on_b else 0), edge
        axis[0], axis[1], axis[2], axis[3] = to_b * (cos * nx - sin * ny), to_b * (sin * nx + cos * ny), best - surface, 0.0
        if is_polygons:
            axis[4], axis[5] = separation_a, separation_b
            if tried == 0 and rule == EXACT and not is_parted and abs(best) <= touch:
                distance = core_distance(a.vertices, b.vertices)
                is_parted = distance > reach + touch + max(0.0, -best)
                record(trace, MANIFOLD_DISTANCE, (distance, 1.0 if is_parted else 0.0))
        record(trace, MANIFOLD_REFERENCE, (whose, float(edge), best, float(tried), 1.0 if is_parted else 0.0))
        if is_parted:
            return 0

        # 1. The incident edge on the other core, clipped to the reference edge.
        n_base, n_other, n_ends = base.shape[0], other.shape[0], 0
        if n_other > 1:
            if tried == 0 or tried == 3:
                incident = find_incident_edge(other_normals, nx, ny)
            else:
                incident = edge_at_vertex(other_normals, contact_vertex(base, edge, nx, ny, other, touch)[0], nx, ny)
            cosine = abs(nx * other_normals[incident, 0] + ny * other_normals[incident, 1])
            record(trace, MANIFOLD_INCIDENT, (1.0 - whose, float(incident), cosine))
            n_ends, is_cut = clip_incident_edge(base, edge, nx, ny, (skins, skins), other, incident, room, whose, trace)
            if is_cut:
                axis[3] = 1.0 / max(cosine, SAT_ROUNDING)
            if rule == BOX2D and n_ends < 2:
                n_ends = 0

        # 2. The points: midway, in the world.
        count, deepest = 0, np.inf
        for k in range(n_ends + 1):
            if k == n_ends:
                # An exact touch at the very end of the edge may be clipped away by rounding; the foremost vertex is then the contact. So it
                # is where there was nothing to clip, and where nothing else has the deepest point.
                if rule == BOX2D or deepest <= best + LACKING_ROUNDINGS * touch:
                    break
                if (count > 0 and tried < 3) or (best > touch and (count > 0 or is_polygons)):
                    break
                vertex, out = contact_vertex(base, edge, nx, ny, other, touch)
                if n_other > 1 and out > LACKING_ROUNDINGS * touch and tried < 3:
                    break
                count = 0
                x, y = other[vertex, 0], other[vertex, 1]
                on_base, on_other, base_type, other_type = edge, vertex, FACE, VERTEX
            else:
                x, y = room.ends[k, 0], room.ends[k, 1]
                on_base, on_other = room.end_names[k, 0], room.end_names[k, 1]
                base_type, other_type = room.end_names[k, 2], room.end_names[k, 3]
            gap = nx * (x - base[edge, 0]) + ny * (y - base[edge, 1])
            lift = 0.5 * (lift_base - lift_other - gap)
            mid_x, mid_y = x + lift * nx, y + lift * ny
            if gap > reach + touch and (k < n_ends or is_polygons):
                record(trace, MANIFOLD_POINT, (0.0, np.nan, gap - surface, x, y, mid_x, mid_y))
                continue
            deepest = min(deepest, gap)
            if base_type == FACE and n_base == 2:
                on_base = 0
            if other_type == FACE and n_other == 2:
                on_other = 0
            write_point(points, count, a.pose, mid_x, mid_y, gap - surface)
            names[count] = name_of(on_base, on_other, base_type, other_type, is_on_b)
            record(trace, MANIFOLD_POINT, (1.0, float(names[count]), gap - surface, x, y, mid_x, mid_y))
            count += 1
        if rule == BOX2D or n_other == 1 or tried == 3 or deepest <= best + LACKING_ROUNDINGS * touch:
            break

        # 3. Without the deepest point: again with the greatest to the last digit, of this side, then of the other; at last the first again.
        tried += 1
        if tried == 1:
            separation_a, edge_a = strict_separation(a.vertices, a.normals, b.vertices)
            separation_b, edge_b = strict_separation(b.vertices, b.normals, a.vertices)
            is_on_b = separation_b > separation_a + touch
        if tried == 2:
            is_on_b = not is_on_b
            if not abs(separation_a - separation_b) <= touch:
                tried = 3
        if tried == 3:
            is_on_b, separation_a, separation_b, edge_a, edge_b = first_on_b, first_a, first_b, first_edge_a, first_edge_b
    for at in range(count, 2):
        points[at, :] = 0.0
        names[at] = 0
    return count
