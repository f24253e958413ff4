"""Contact points for a given axis: the incident edge, clipped to the width of the reference edge.

The axis is the normal of the reference edge. The *incident* edge of the other polygon is the one whose normal points most against it. The
contact is the part of the incident edge between the two side planes through the ends of the reference edge and at most `limit` in front of
the reference edge::

       side plane 1              side plane 2
            :                         :
            :       i1 ___            :
            :    _ _ /    \\___ _ _ _ _:
            :       0          \\___   :  incident edge (i1, i2), kept from 0 to 1
            :       :              \\__1__
    --------r1------------------------r2-----  reference edge, normal n up
            :                         :    i2 (cut off)

The side planes are `side` outside the two ends, because the two rounded edges extend that far.

Each end has a feature id in Box2D's four bytes: the index on the reference polygon, the index on the incident polygon, and for each whether
it is a vertex (0) or a face (1). An unclipped end is (reference edge, incident vertex); an end at a side plane is (reference vertex,
incident edge). The index of the incident edge is that of its first vertex. Box2D copies it from the current first end, and so does this
kernel, because a solver matches last step's impulses by these ids.

**Nearly parallel edges.** In exact arithmetic the edge whose normal points most against n has the foremost vertex at one of its ends. A
cosine near -1 does not distinguish angles below sqrt(EPS64) = 1.5e-8 rad, and all edges on one side of a sliver 1e-9 as high as wide differ
by less: the selected edge can be meters from the contact. This is detected: no clipped end is as far forward as the separation, which is
that of the foremost vertex. Then the edge is found from the vertex: among the vertices within rounding of the foremost, the one over the
reference edge, or nearest to it, and of its two edges the one that points most against n.

Sources: E. Catto, "Contact Manifolds", GDC 2007; I. Sutherland, G. Hodgman, "Reentrant Polygon Clipping", CACM 1974.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, Point
from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.narrowphase._core_distance_kernel import core_distance
from engine.narrowphase._sat_kernel import strict_separation
from engine.narrowphase._sides_kernel import Row, Side, place
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = [
    "FACE",
    "VERTEX",
    "Axis",
    "Clipped",
    "Edge",
    "ManifoldClipped",
    "ManifoldDistance",
    "ManifoldIncident",
    "ManifoldNeighbors",
    "ManifoldPoint",
    "ManifoldReference",
    "clip",
    "edge_of",
    "end_name",
    "end_of",
    "find_incident_edge",
    "n_ends",
    "name_of",
    "points_on_edge",
    "write_point",
]

VERTEX = 0
FACE = 1


class ManifoldReference(NamedTuple):
    """The reference edge and its separation, the number of earlier attempts, and whether this axis separates the shapes.

    Points of these events are in the kernel's working frame, sides 0 for A, 1 for B.
    """

    side: int
    edge: int
    separation: float
    again: int
    is_parted: bool


class ManifoldDistance(NamedTuple):
    """The distance of the cores, computed if the separation is 0 within rounding, and whether it separates them."""

    distance: float
    is_parted: bool


class ManifoldIncident(NamedTuple):
    """The incident edge, and the cosine between its normal and the reference edge's."""

    side: int
    edge: int
    cosine: float


class ManifoldClipped(NamedTuple):
    """The side of the reference edge, its vertex at the plane, and the number of ends that remain; the distance of the plane outside the
    vertex; the distances of both ends outside the plane; and the remaining edge.
    """

    side: int
    corner: int
    left: int
    outside: float
    beyond: tuple[float, float]
    end_1: Point
    end_2: Point


class ManifoldPoint(NamedTuple):
    """Whether an end is kept, its feature id, its gap along the normal, the end, and the point midway."""

    is_kept: bool
    id: int
    gap: float
    end: Point
    midway: Point


class ManifoldNeighbors(NamedTuple):
    """The vertex of the edge whose ghost assigns the contact to the neighbor (`_edge_kernel`, `_link_kernel`)."""

    corner: int


LACKING_ROUNDINGS = 2.0
"""Rounding, in multiples of the touch. A manifold whose deepest point is farther than this from the depth of the foremost vertex lacks that
vertex: the two depths are computed by the same operations, and a reference edge that ties with the greatest can cut off points up to a
touch past its end.
"""


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
    """Return, among the vertices of `other` within `tie` of the foremost, the one over edge `edge` of `reference` or nearest to it, and its
    distance past the edge's end.
    """
    after = (edge + 1) % reference.shape[0]
    vx, vy = reference[edge, 0], reference[edge, 1]
    length = nx * (reference[after, 1] - vy) - ny * (reference[after, 0] - vx)
    foremost = np.inf
    for j in range(other.shape[0]):
        foremost = min(foremost, nx * (other[j, 0] - vx) + ny * (other[j, 1] - vy))
    vertex, least_out, least_front = 0, np.inf, np.inf
    for j in range(other.shape[0]):
        x, y = other[j, 0] - vx, other[j, 1] - vy
        front, along = nx * x + ny * y, nx * y - ny * x
        out = max(0.0, max(-along, along - length))
        if front <= foremost + tie and (out < least_out or (out == least_out and front < least_front)):
            vertex, least_out, least_front = j, out, front
    return vertex, least_out


@inlined_kernel
def edge_at_vertex(normals: FloatArray, vertex: int, nx: float, ny: float) -> int:
    """Return which of the two edges at a vertex points more against (nx, ny)."""
    before = vertex - 1 if vertex > 0 else normals.shape[0] - 1
    along_before = normals[before, 0] * nx + normals[before, 1] * ny
    return before if along_before < normals[vertex, 0] * nx + normals[vertex, 1] * ny else vertex


class Edge(NamedTuple):
    """An edge of a core: both ends, its outward unit normal, and the indices of the ends."""

    x1: float
    y1: float
    x2: float
    y2: float
    nx: float
    ny: float
    first: int
    second: int


class Clipped(NamedTuple):
    """The part of an incident edge between the side planes.

    Each end is its point, its index on the reference polygon and on the incident one, and whether it was clipped: then it is (vertex,
    face), otherwise (face, vertex). `is_single` if only the first end remains, `is_empty` if none does; `is_cut` if a plane clipped the
    edge.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    on_reference_0: int
    on_reference_1: int
    on_incident_0: int
    on_incident_1: int
    by_plane_0: bool
    by_plane_1: bool
    is_single: bool
    is_empty: bool
    is_cut: bool


@inlined_kernel
def edge_of(vertices: FloatArray, normals: FloatArray, edge: int) -> Edge:
    """Return an edge of a core."""
    after = edge + 1 if edge + 1 < vertices.shape[0] else 0
    v, w, n = vertices[edge], vertices[after], normals[edge]
    return Edge(v[0], v[1], w[0], w[1], n[0], n[1], edge, after)


@inlined_kernel
def uncut(reference: Edge, incident: Edge) -> Clipped:
    """Return the incident edge before clipping."""
    return Clipped(
        incident.x1, incident.y1, incident.x2, incident.y2, reference.first, reference.first, incident.first, incident.second,
        False, False, False, False, False,
    )  # fmt: skip


@inlined_kernel
def outside(c: Clipped, tx: float, ty: float, x: float, y: float, side: float) -> tuple[float, float]:
    """Return the distances of both ends outside the plane at distance `side` beyond (x, y), with the outward normal (tx, ty)."""
    return tx * (c.x0 - x) + ty * (c.y0 - y) - side, tx * (c.x1 - x) + ty * (c.y1 - y) - side


@inlined_kernel
def cut(c: Clipped, out_0: float, out_1: float, corner: int) -> Clipped:
    """Return the part behind the plane at vertex `corner` of the reference polygon.

    If one end is inside and one outside, and the inside end is on the plane itself, only that point remains. Otherwise the inside end comes
    first, as in Box2D, and the new one second.
    """
    is_out = (out_0 > 0.0) & (out_1 > 0.0)
    cuts = not (is_out | c.is_single | c.is_empty | ((out_0 <= 0.0) & (out_1 <= 0.0)))
    leaves_point = cuts & (not (out_0 * out_1 < 0.0))
    share = out_0 / (out_0 - out_1) if cuts else 0.0
    x, y = c.x0 + share * (c.x1 - c.x0), c.y0 + share * (c.y1 - c.y0)
    moves = cuts & (out_0 > 0.0)
    return Clipped(
        (c.x1 if moves else c.x0), (c.y1 if moves else c.y0), (x if cuts else c.x1), (y if cuts else c.y1),
        (c.on_reference_1 if moves else c.on_reference_0), (corner if cuts else c.on_reference_1),
        (c.on_incident_1 if moves else c.on_incident_0), (c.on_incident_0 if cuts else c.on_incident_1),
        (c.by_plane_1 if moves else c.by_plane_0), cuts | c.by_plane_1,
        c.is_single | leaves_point, c.is_empty | (c.is_single & (out_0 > 0.0)) | ((not c.is_single) & is_out),
        c.is_cut | (cuts & (not leaves_point)),
    )  # fmt: skip


@inlined_kernel
def n_ends(c: Clipped) -> int:
    """Return the number of remaining ends: 2, 1 or 0."""
    return 0 if c.is_empty else (1 if c.is_single else 2)


@inlined_kernel
def end_of(c: Clipped, k: int) -> tuple[float, float, int, int, bool]:
    """Return the point of an end, its index on the reference and on the incident polygon, and whether it was clipped."""
    if k == 0:
        return c.x0, c.y0, c.on_reference_0, c.on_incident_0, c.by_plane_0
    return c.x1, c.y1, c.on_reference_1, c.on_incident_1, c.by_plane_1


@inlined_kernel
def clip(reference: Edge, incident: Edge, side_1: float, side_2: float, whose: int) -> Clipped:
    """Clip an edge to the side planes of the reference edge, which are `side_1` and `side_2` outside its ends.

    `whose` is the side of the reference edge.
    """
    (nx, ny), edge = (reference.nx, reference.ny), uncut(reference, incident)
    out_0, out_1 = outside(edge, ny, -nx, reference.x1, reference.y1, side_1)  # outward: against the edge at its first end
    once = cut(edge, out_0, out_1, reference.first)
    record(ManifoldClipped(whose, reference.first, n_ends(once), side_1, (out_0, out_1), (once.x0, once.y0), (once.x1, once.y1)))
    out_0, out_1 = outside(once, -ny, nx, reference.x2, reference.y2, side_2)
    twice = cut(once, out_0, out_1, reference.second)
    if not once.is_empty:
        record(ManifoldClipped(whose, reference.second, n_ends(twice), side_2, (out_0, out_1), (twice.x0, twice.y0), (twice.x1, twice.y1)))
    return twice


@inlined_kernel
def name_of(on_first: int, on_other: int, first_type: int, other_type: int, is_first_b: bool) -> int:
    """Return Box2D's key; the first side is B's if `is_first_b`."""
    on_a, on_b = (on_other if is_first_b else on_first), (on_first if is_first_b else on_other)
    type_a, type_b = (other_type if is_first_b else first_type), (first_type if is_first_b else other_type)
    return on_a | (on_b << 8) | (type_a << 16) | (type_b << 24)


@inlined_kernel
def write_point(points: FloatArray, at: int, pose: FloatArray, x: float, y: float, separation: float) -> None:
    """Transform a point from the frame `pose` to the world and write it to row `at`."""
    points[at, 0], points[at, 1] = place(x, y, pose[2], pose[3], pose[0], pose[1])
    points[at, 2] = separation


class Axis(NamedTuple):
    """The edges of greatest separation of A and of B, and which of the two is the reference edge."""

    is_on_b: bool
    edge_a: int
    separation_a: float
    edge_b: int
    separation_b: float


@inlined_kernel
def points_on_edge(
    a: Side, b: Side, is_polygons: bool, is_parted: bool, axis: Axis, touch: float, rule: int, row: Row
) -> int:  # fmt: skip
    """Fill a row if an edge's normal is the axis, for two cores with radii in A's frame; return the number of points.

    For two polygons (`is_polygons`, the case of BOX2D's rule) the manifold can be empty even if the axis does not separate them, and shapes
    with a separation within rounding of 0 can be disjoint; see `_manifold_kernel`. For other cores the caller has excluded both.
    """
    best = axis.separation_b if axis.is_on_b else axis.separation_a
    if is_polygons and rule == EXACT and not is_parted and abs(best) <= touch:
        distance = core_distance(a.vertices, b.vertices)
        is_parted = distance > a.radius + b.radius + touch + max(0.0, -best)
        record(ManifoldDistance(distance, is_parted))
    _write_axis(a, b, axis, 0, is_polygons, is_parted, row)
    if is_parted:
        return 0
    count, is_complete = _clip_points(a, b, axis, False, False, is_polygons, touch, rule, row)
    if not is_complete:
        count = _points_by_vertex(a, b, axis, is_polygons, touch, row)
    for at in range(count, 2):
        row.points[at, :] = 0.0
        row.names[at] = 0
    return count


@borrowing_kernel
def _points_by_vertex(a: Side, b: Side, axis: Axis, is_polygons: bool, touch: float, row: Row) -> int:
    """Fill the points if those of `axis` lack the deepest one: by the edge that is strictly greatest, of its side, then of the other if the
    two tie, each with the incident edge at the foremost vertex; finally by `axis` again, accepting its points, or that vertex.
    """
    separation_a, edge_a = strict_separation(a.vertices, a.normals, b.vertices)
    separation_b, edge_b = strict_separation(b.vertices, b.normals, a.vertices)
    is_on_b = separation_b > separation_a + touch
    for attempt in range(1, 3 if abs(separation_a - separation_b) <= touch else 2):
        strict = Axis(is_on_b == (attempt == 1), edge_a, separation_a, edge_b, separation_b)
        _write_axis(a, b, strict, attempt, is_polygons, False, row)
        count, is_complete = _clip_points(a, b, strict, True, False, is_polygons, touch, EXACT, row)
        if is_complete:
            return count
    _write_axis(a, b, axis, 3, is_polygons, False, row)
    count, _ = _clip_points(a, b, axis, False, True, is_polygons, touch, EXACT, row)
    return count


@inlined_kernel
def _write_axis(a: Side, b: Side, axis: Axis, n_tried: int, is_polygons: bool, is_parted: bool, row: Row) -> None:
    """Fill the axis and its reference edge; `n_tried` is the number of attempts before this one."""
    normals, edge, best = (b.normals, axis.edge_b, axis.separation_b) if axis.is_on_b else (a.normals, axis.edge_a, axis.separation_a)
    nx, ny, to_b, cos, sin = normals[edge, 0], normals[edge, 1], -1.0 if axis.is_on_b else 1.0, a.pose[2], a.pose[3]
    row.reference[0], row.reference[1] = (1 if axis.is_on_b else 0), edge
    # The normal's sign, here: out of A's edge, against B's: it points from A to B.
    row.axis[0], row.axis[1] = to_b * (cos * nx - sin * ny), to_b * (sin * nx + cos * ny)
    row.axis[2], row.axis[3] = best - ((a.radius - a.skin) + (b.radius - b.skin)), 0.0
    if is_polygons:
        row.axis[4], row.axis[5] = axis.separation_a, axis.separation_b
    record(ManifoldReference(1 if axis.is_on_b else 0, edge, best, n_tried, is_parted))


class Middle(NamedTuple):
    """The radii of the reference core and of the other, their sum without skins, and whether the reference edge is B's."""

    base_radius: float
    other_radius: float
    surface: float
    is_on_b: bool


@inlined_kernel
def _write_end(
    reference: Edge, end: tuple[float, float, int, int, bool], sizes: tuple[int, int], middle: Middle, limit: float, pose: FloatArray,
    at: int, row: Row,
) -> float:  # fmt: skip
    """Write an end as point `at`, unless its gap along the normal exceeds `limit`; return the gap. The two cores have `sizes` vertices."""
    x, y, on_base, on_other, by_plane = end
    nx, ny = reference.nx, reference.ny
    gap = nx * (x - reference.x1) + ny * (y - reference.y1)
    lift = 0.5 * (middle.base_radius - middle.other_radius - gap)
    mid_x, mid_y = x + lift * nx, y + lift * ny
    if gap > limit:
        record(ManifoldPoint(False, 0, gap - middle.surface, (x, y), (mid_x, mid_y)))
        return gap
    write_point(row.points, at, pose, mid_x, mid_y, gap - middle.surface)
    row.names[at] = end_name(on_base, on_other, by_plane, sizes, middle.is_on_b)
    record(ManifoldPoint(True, row.names[at], gap - middle.surface, (x, y), (mid_x, mid_y)))
    return gap


@inlined_kernel
def end_name(on_base: int, on_other: int, by_plane: bool, sizes: tuple[int, int], is_first_b: bool) -> int:
    """Return the key of an end; both sides of a core of two vertices are edge 0."""
    if by_plane:
        return name_of(on_base, 0 if sizes[1] == 2 else on_other, VERTEX, FACE, is_first_b)
    return name_of(0 if sizes[0] == 2 else on_base, on_other, FACE, VERTEX, is_first_b)


@inlined_kernel
def _clip_points(
    a: Side, b: Side, axis: Axis, from_vertex: bool, is_last: bool, is_polygons: bool, touch: float, rule: int, row: Row,
) -> tuple[int, bool]:  # fmt: skip
    """Fill the points on the axis' edge; return how many, and whether the deepest is among them (always if `is_last`, or by BOX2D).

    The incident edge is the one whose normal points most against the axis, or one of the foremost vertex (`from_vertex`).
    """
    reach, skins = a.radius + b.radius, a.skin + b.skin
    surface = (a.radius - a.skin) + (b.radius - b.skin)
    if axis.is_on_b:
        edge, best, base, base_normals, other, other_normals = axis.edge_b, axis.separation_b, b.vertices, b.normals, a.vertices, a.normals
        base_radius, other_radius, whose = b.radius, a.radius, 1
    else:
        edge, best, base, base_normals, other, other_normals = axis.edge_a, axis.separation_a, a.vertices, a.normals, b.vertices, b.normals
        base_radius, other_radius, whose = a.radius, b.radius, 0
    reference = edge_of(base, base_normals, edge)  # its normal points toward the other polygon
    nx, ny = reference.nx, reference.ny

    # 1. The incident edge on the other core, clipped to the reference edge.
    n_base, n_other = base.shape[0], other.shape[0]
    if from_vertex and n_other > 1:
        incident = edge_at_vertex(other_normals, contact_vertex(base, edge, nx, ny, other, touch)[0], nx, ny)
    else:
        incident = find_incident_edge(other_normals, nx, ny)
    left, n_left = uncut(reference, edge_of(other, other_normals, incident)), 0
    if n_other > 1:
        cosine = abs(nx * other_normals[incident, 0] + ny * other_normals[incident, 1])
        record(ManifoldIncident(1 - whose, incident, cosine))
        left = clip(reference, edge_of(other, other_normals, incident), skins, skins, whose)
        n_left = n_ends(left)
        if left.is_cut:
            row.axis[3] = 1.0 / max(cosine, SAT_ROUNDING)
        if rule == BOX2D and n_left < 2:
            n_left = 0

    # 2. The points: midway, in the world.
    count, deepest, foremost = 0, np.inf, best + LACKING_ROUNDINGS * touch
    middle, limit, sizes = Middle(base_radius, other_radius, surface, axis.is_on_b), reach + touch, (n_base, n_other)
    for k in range(n_left):
        gap = _write_end(reference, end_of(left, k), sizes, middle, limit, a.pose, count, row)
        if not gap > limit:
            count, deepest = count + 1, min(deepest, gap)
    if rule == BOX2D or deepest <= foremost:
        return count, True

    # 3. Without the deepest point. Rounding can clip away an exact touch at the very end of the edge; the foremost vertex is then
    # the contact. It is also the contact if there was nothing to clip, or if no other point is the deepest.
    if (count == 0 or is_last) and not (best > touch and (count > 0 or is_polygons)):
        vertex, out = contact_vertex(base, edge, nx, ny, other, touch)
        if n_other == 1 or is_last or out <= LACKING_ROUNDINGS * touch:
            limit = limit if is_polygons else np.inf
            end = other[vertex, 0], other[vertex, 1], edge, vertex, False
            gap = _write_end(reference, end, sizes, middle, limit, a.pose, 0, row)
            is_kept = not gap > limit
            count, deepest = (1 if is_kept else 0), (min(deepest, gap) if is_kept else deepest)
    return count, n_other == 1 or is_last or deepest <= foremost
