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

from engine.common.arrays import FloatArray
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.narrowphase._clip_kernel import VERTEX, name_of, points_on_edge, write_point
from engine.narrowphase._sat_kernel import traced_separation
from engine.narrowphase._sides_kernel import Room, Row, Side
from engine.narrowphase._step_kernel import POINT, TRIED, record
from engine.narrowphase.rules import EXACT

__all__ = ["edge_separation", "find_axis", "manifold_cores", "nearest_points", "traced_axis"]


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


@borrowing_kernel
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


@borrowing_kernel
def manifold_cores(a: Side, b: Side, touch: float, room: Room, row: Row, trace: FloatArray | None) -> int:
    """Fill one row for two cores with radii, both in A's frame, as `_manifold_kernel` describes it, and return the number of points.

    `reference` is -1 where two corners make the axis.
    """
    points, names, axis, reference = row
    pair = room.corners
    surface = (a.radius - a.skin) + (b.radius - b.skin)
    is_parted, side, edge, best, separation_a, separation_b, corner_a, corner_b = traced_axis(
        a.vertices, a.normals, b.vertices, b.normals, a.radius + b.radius, touch, pair, trace
    )
    axis[4] = separation_a - surface if separation_a > -np.inf else np.nan
    axis[5] = separation_b - surface if separation_b > -np.inf else np.nan
    if side >= 0:
        return points_on_edge(
            a, b, False, is_parted, side == 1, edge, separation_a, edge, separation_b, touch, EXACT, room, row, trace
        )  # fmt: skip
    cos, sin = a.pose[2], a.pose[3]
    reference[0], reference[1] = -1, 0
    axis[2], axis[3] = best - surface, 0.0
    if best > touch:
        nx, ny = (pair[1, 0] - pair[0, 0]) / best, (pair[1, 1] - pair[0, 1]) / best
        axis[0], axis[1], axis[3] = cos * nx - sin * ny, sin * nx + cos * ny, 1.0 / best
    else:  # two discs about one point: the world's x axis, as for two circles
        nx, ny = cos, -sin
        axis[0], axis[1] = 1.0, 0.0
    if is_parted:
        return 0
    lift = 0.5 * (best + a.radius - b.radius)
    x, y = pair[0, 0] + lift * nx, pair[0, 1] + lift * ny
    write_point(points, 0, a.pose, x, y, best - surface)
    names[0] = name_of(corner_a, corner_b, VERTEX, VERTEX, False)
    record(trace, POINT, 1.0, float(names[0]), best - surface, pair[1, 0], pair[1, 1], x, y)
    return 1
