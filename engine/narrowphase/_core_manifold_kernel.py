"""Manifolds of rounded shapes: cores of one, two or many vertices, each with a radius around it.

A capsule is a segment with a radius, a disc a point with one, a polygon with a skin many vertices with a small one. So one
routine serves every pair that a capsule or a segment takes part in. With R the sum of the radii, the two shapes share a point
exactly when their cores come within R of each other, and the way apart is short in one of three ways::

     an edge faces a corner            corner against corner            the cores overlap
          .-----.                          .---.                            .-----.
         (   *   )  B                     (  *  )  B                       ( *_____)_
      ----`--|--'-----                     `/--'                        ---(-|----' |--
        *====+====*   A              -----./                               `-|   A  |
      -----------------              *====*)                                 |______|
        normal of the edge           along the line between them        normal of the shallowest edge

1. Take the greatest separation s over the edges of both cores, as for polygons. A core of two vertices has two edges, its one
   line seen from either side; a core of one vertex has none.
2. ``s < 0``: the cores overlap (each straddles every edge line of the other), and that edge carries the axis.
3. Else measure the distance d of the cores. Always ``s <= d``, for an edge line parts no farther than the cores are apart. Equal
   (within rounding): an edge faces the other core, and carries the axis. Less: the nearest features are two corners,
   and the axis is the line between them. Where d itself is nothing but rounding it has no direction; the edge has one.

So the axis is that of the least translation that parts the rounded shapes: in case 2 ``R - s`` by the argument of
`_sat_kernel`, in case 3 ``R - d`` because every direction parts at most d.

Points: where an edge carries the axis, the other core's incident edge is clipped to it (`_clip_kernel`) and those ends are kept
that lie within R, so that a capsule that leans on its side has two points; where they lack the deepest point, it is done again as for
polygons (`_manifold_kernel`). Corners make one point. Each lies midway between
the two surfaces, radii and skins included; its separation leaves the skins out.

Feature ids are Box2D's four bytes, ``index on A | index on B << 8 | type on A << 16 | type on B << 24``, with the types VERTEX 0
and FACE 1. Indices count the core's vertices, or edges by their first vertex; a core of two vertices has one face, 0, on
whichever side. Where Box2D has the pair with one point (segment and circle) these are its own keys.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 4.5 (sphere-swept volumes) and 5.1.9; G. van den Bergen, Collision
Detection in Interactive 3D Environments, 2003, 4.3.7 (the hybrid of distance and separating axes).
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.narrowphase._clip_kernel import (
    FACE,
    LACKING_ROUNDINGS,
    VERTEX,
    clip_incident_edge,
    contact_vertex,
    edge_at_vertex,
    find_incident_edge,
)
from engine.narrowphase._sat_kernel import strict_separation, traced_separation
from engine.narrowphase._step_kernel import INCIDENT, POINT, REFERENCE, TRIED, record, record_edge

__all__ = ["edge_separation", "find_axis", "manifold_cores", "name_of", "nearest_points", "traced_axis", "write_point"]


@inlined_kernel
def edge_separation(
    vertices: FloatArray, normals: FloatArray, others: FloatArray, tie: float, side: float, trace: FloatArray | None
) -> tuple[float, int]:
    """Return the greatest separation over a core's edges and its edge; a point has none, and parts nothing."""
    if vertices.shape[0] == 1:
        return -np.inf, 0
    return traced_separation(vertices, normals, others, tie, side, trace)


@inlined_kernel
def nearest_on_edges(x: float, y: float, vertices: FloatArray, found: FloatArray) -> tuple[float, int]:
    """Return how far a point is from a core's outline, and the vertex at or before the nearest point, which fills `found` (2,)."""
    n = vertices.shape[0]
    nearest, nearest_vertex = np.inf, 0
    for i in range(n):
        after = (i + 1) % n
        ax, ay = vertices[i, 0], vertices[i, 1]
        ex, ey = vertices[after, 0] - ax, vertices[after, 1] - ay
        length_sq = ex * ex + ey * ey
        share = 0.0
        if length_sq > 0.0:
            share = min(1.0, max(0.0, ((x - ax) * ex + (y - ay) * ey) / length_sq))
        distance = math.hypot(x - (ax + share * ex), y - (ay + share * ey))
        if distance < nearest:
            nearest, nearest_vertex = distance, (i if share < 1.0 else after)
            found[0], found[1] = ax + share * ex, ay + share * ey
    return nearest, nearest_vertex


@kernel
def nearest_points(vertices_a: FloatArray, vertices_b: FloatArray, pair: FloatArray) -> tuple[float, int, int]:
    """Return the distance of two disjoint cores in one frame and the vertices at or before the nearest points, which fill `pair` (3, 2).

    The nearest points of two disjoint cores include a vertex of one, so each vertex is tried against the other's edges. The
    distance is that of `_core_distance_kernel.core_distance` to the bit, so that overlap and manifold decide alike. The third row of
    `pair` is scratch.
    """
    nearest, at_a, at_b = np.inf, 0, 0
    for j in range(vertices_b.shape[0]):
        distance, vertex = nearest_on_edges(vertices_b[j, 0], vertices_b[j, 1], vertices_a, pair[2])
        if distance < nearest:
            nearest, at_a, at_b = distance, vertex, j
            pair[0, 0], pair[0, 1] = pair[2, 0], pair[2, 1]
            pair[1, 0], pair[1, 1] = vertices_b[j, 0], vertices_b[j, 1]
    for i in range(vertices_a.shape[0]):
        distance, vertex = nearest_on_edges(vertices_a[i, 0], vertices_a[i, 1], vertices_b, pair[2])
        if distance < nearest:
            nearest, at_a, at_b = distance, i, vertex
            pair[0, 0], pair[0, 1] = vertices_a[i, 0], vertices_a[i, 1]
            pair[1, 0], pair[1, 1] = pair[2, 0], pair[2, 1]
    return nearest, at_a, at_b


@inlined_kernel
def name_of(on_first: int, on_other: int, first_type: int, other_type: int, is_first_b: bool) -> int:
    """Return Box2D's key; the first side is B's where `is_first_b`."""
    if is_first_b:
        return on_other | (on_first << 8) | (other_type << 16) | (first_type << 24)
    return on_first | (on_other << 8) | (first_type << 16) | (other_type << 24)


@inlined_kernel
def write_point(points: FloatArray, at: int, pose: FloatArray, x: float, y: float, separation: float) -> None:
    """Write a point of the frame `pose` as row `at`, in the world."""
    points[at, 0] = pose[2] * x - pose[3] * y + pose[0]
    points[at, 1] = pose[3] * x + pose[2] * y + pose[1]
    points[at, 2] = separation


@inlined_kernel
def find_axis(
    vertices_a: FloatArray,
    normals_a: FloatArray,
    vertices_b: FloatArray,
    normals_b: FloatArray,
    reach: float,
    touch: float,
    pair: FloatArray,
) -> tuple[bool, int, int, float, float, float, int, int]:
    """Find the axis as `traced_axis` does, without a trace."""
    return traced_axis(vertices_a, normals_a, vertices_b, normals_b, reach, touch, pair, None)


@inlined_kernel
def traced_axis(
    vertices_a: FloatArray,
    normals_a: FloatArray,
    vertices_b: FloatArray,
    normals_b: FloatArray,
    reach: float,
    touch: float,
    pair: FloatArray,
    trace: FloatArray | None,
) -> tuple[bool, int, int, float, float, float, int, int]:
    """Find the axis that parts two cores with radii, which sum up to `reach`, soonest; both are given in one frame.

    Returns whether the rounded shapes are parted; the side whose edge carries the axis (0 A, 1 B, -1 two corners) and that edge;
    the cores' separation along it; the separations found on A's and on B's edges (-inf where there is none, or none was looked
    for); and the two corners. `pair` (3, 2) then holds the nearest points, where they were looked for.
    """
    n_a, n_b = vertices_a.shape[0], vertices_b.shape[0]
    # 1. The best edge of either core.
    separation_a, edge_a = edge_separation(vertices_a, normals_a, vertices_b, touch, 0.0, trace)
    is_parted = separation_a > reach + touch
    separation_b, edge_b = -np.inf, 0
    if not is_parted:
        separation_b, edge_b = edge_separation(vertices_b, normals_b, vertices_a, touch, 1.0, trace)
    is_on_b = separation_b > separation_a + touch
    if separation_b > reach + touch:
        is_parted = is_on_b = True
    best = separation_b if is_on_b else separation_a

    # 2. Whether two corners are nearer the mark.
    has_edge = n_a > 1 or n_b > 1
    distance, corner_a, corner_b = 0.0, 0, 0
    if not is_parted and (best >= -touch or not has_edge):
        distance, corner_a, corner_b = nearest_points(vertices_a, vertices_b, pair)
        record(trace, TRIED, -1.0, np.nan, distance, pair[0, 0], pair[0, 1], pair[1, 0], pair[1, 1])
        if distance > reach + touch:
            # only cores with area can lie one in the other; then no separation at all, ties aside, is above zero
            is_inside = best <= 0.0 and (n_a > 2 or n_b > 2)
            is_inside = is_inside and edge_separation(vertices_a, normals_a, vertices_b, 0.0, 0.0, None)[0] <= 0.0
            is_parted = not (is_inside and edge_separation(vertices_b, normals_b, vertices_a, 0.0, 1.0, None)[0] <= 0.0)
    if not has_edge or (distance > touch and best < distance - touch):
        return is_parted, -1, 0, distance, separation_a, separation_b, corner_a, corner_b
    if is_on_b:
        return is_parted, 1, edge_b, best, separation_a, separation_b, corner_a, corner_b
    return is_parted, 0, edge_a, best, separation_a, separation_b, corner_a, corner_b


@kernel
def manifold_cores(
    vertices_a: FloatArray,
    normals_a: FloatArray,
    radius_a: float,
    skin_a: float,
    pose_a: FloatArray,
    vertices_b: FloatArray,
    normals_b: FloatArray,
    radius_b: float,
    skin_b: float,
    touch: float,
    points: FloatArray,
    names: IntArray,
    axis: FloatArray,
    reference: IntArray,
    ends: FloatArray,
    end_names: IntArray,
    pair: FloatArray,
    trace: FloatArray | None,
) -> int:
    """Fill one row for two cores with radii, all given in A's frame, as `_manifold_kernel` describes it, and return the number of points.

    `skin` is that part of the radius which is no surface. `reference` is -1 where two corners make the axis.
    """
    reach = radius_a + radius_b
    surface = (radius_a - skin_a) + (radius_b - skin_b)
    cos, sin = pose_a[2], pose_a[3]

    is_parted, side, edge, best, separation_a, separation_b, corner_a, corner_b = traced_axis(
        vertices_a, normals_a, vertices_b, normals_b, reach, touch, pair, trace
    )
    reference[0], reference[1] = side, edge
    axis[2], axis[3] = best - surface, 0.0
    axis[4] = separation_a - surface if separation_a > -np.inf else np.nan
    axis[5] = separation_b - surface if separation_b > -np.inf else np.nan
    if side < 0:
        if best > touch:
            nx, ny = (pair[1, 0] - pair[0, 0]) / best, (pair[1, 1] - pair[0, 1]) / best
            axis[0], axis[1], axis[3] = cos * nx - sin * ny, sin * nx + cos * ny, 1.0 / best
        else:  # two discs about one point: the world's x axis, as for two circles
            nx, ny = cos, -sin
            axis[0], axis[1] = 1.0, 0.0
        if is_parted:
            return 0
        lift = 0.5 * (best + radius_a - radius_b)
        write_point(points, 0, pose_a, pair[0, 0] + lift * nx, pair[0, 1] + lift * ny, best - surface)
        names[0] = name_of(corner_a, corner_b, VERTEX, VERTEX, False)
        x, y = pair[0, 0] + lift * nx, pair[0, 1] + lift * ny
        record(trace, POINT, 1.0, float(names[0]), best - surface, pair[1, 0], pair[1, 1], x, y)
        return 1

    # The edge that carries the axis, and the other core's incident edge clipped to it.
    is_on_b = side == 1
    edge_a, edge_b = edge, edge
    first_on_b, first_edge, first_a, first_b = is_on_b, edge, separation_a, separation_b
    count, tried = 0, 0
    while True:
        if is_on_b:
            edge, best, reference_radius, other_radius, to_b, whose = edge_b, separation_b, radius_b, radius_a, -1.0, 1.0
            base, base_normals, other, other_normals = vertices_b, normals_b, vertices_a, normals_a
        else:
            edge, best, reference_radius, other_radius, to_b, whose = edge_a, separation_a, radius_a, radius_b, 1.0, 0.0
            base, base_normals, other, other_normals = vertices_a, normals_a, vertices_b, normals_b
        nx, ny = base_normals[edge, 0], base_normals[edge, 1]
        reference[0], reference[1] = (1 if is_on_b else 0), edge
        axis[0], axis[1], axis[2], axis[3] = to_b * (cos * nx - sin * ny), to_b * (sin * nx + cos * ny), best - surface, 0.0
        record_edge(trace, REFERENCE, whose, base, edge, best)
        if is_parted:
            return 0
        n_base, n_other = base.shape[0], other.shape[0]
        n_ends = 0
        if n_other > 1:
            if tried == 0 or tried == 3:
                incident = find_incident_edge(other_normals, nx, ny)
            else:
                incident = edge_at_vertex(other_normals, contact_vertex(base, edge, nx, ny, other, touch)[0], nx, ny)
            cosine = abs(nx * other_normals[incident, 0] + ny * other_normals[incident, 1])
            record_edge(trace, INCIDENT, 1.0 - whose, other, incident, cosine)
            n_ends, is_cut = clip_incident_edge(base, edge, nx, ny, skin_a + skin_b, other, incident, ends, end_names, whose, trace)
            if is_cut:
                axis[3] = 1.0 / max(cosine, SAT_ROUNDING)

        # The points, midway; the foremost vertex where there was nothing to clip, and where nothing else has the deepest point.
        count, deepest = 0, np.inf
        for k in range(n_ends + 1):
            if k == n_ends:
                is_there = deepest <= best + LACKING_ROUNDINGS * touch
                if is_there or (count > 0 and (tried < 3 or best > touch)):
                    break
                vertex, out = contact_vertex(base, edge, nx, ny, other, touch)
                if n_other > 1 and out > LACKING_ROUNDINGS * touch and tried < 3:
                    break
                count = 0
                x, y = other[vertex, 0], other[vertex, 1]
                on_base, on_other, base_type, other_type = edge, vertex, FACE, VERTEX
            else:
                x, y = ends[k, 0], ends[k, 1]
                on_base, on_other = end_names[k, 0], end_names[k, 1]
                base_type, other_type = end_names[k, 2], end_names[k, 3]
            gap = nx * (x - base[edge, 0]) + ny * (y - base[edge, 1])
            lift = 0.5 * (reference_radius - other_radius - gap)
            if gap > reach + touch and k < n_ends:
                record(trace, POINT, 0.0, np.nan, gap - surface, x, y, x + lift * nx, y + lift * ny)
                continue
            deepest = min(deepest, gap)
            if base_type == FACE and n_base == 2:
                on_base = 0
            if other_type == FACE and n_other == 2:
                on_other = 0
            write_point(points, count, pose_a, x + lift * nx, y + lift * ny, gap - surface)
            names[count] = name_of(on_base, on_other, base_type, other_type, is_on_b)
            record(trace, POINT, 1.0, float(names[count]), gap - surface, x, y, x + lift * nx, y + lift * ny)
            count += 1
        if n_other == 1 or tried == 3 or deepest <= best + LACKING_ROUNDINGS * touch:
            break

        # Without the deepest point: again with the greatest to the last digit, of this side, then of the other; at last the first again.
        tried += 1
        if tried == 1:
            separation_a, edge_a = strict_separation(vertices_a, normals_a, vertices_b)
            separation_b, edge_b = strict_separation(vertices_b, normals_b, vertices_a)
            is_on_b = separation_b > separation_a + touch
        if tried == 2:
            is_on_b = not is_on_b
            if not abs(separation_a - separation_b) <= touch:
                tried = 3
        if tried == 3:
            is_on_b, edge_a, edge_b, separation_a, separation_b = first_on_b, first_edge, first_edge, first_a, first_b
    for row in range(count, 2):
        points[row, :] = 0.0
        names[row] = 0
    return count
