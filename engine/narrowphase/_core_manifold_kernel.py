"""Manifolds of rounded shapes: cores of one, two or many vertices, each with a radius around it.

They are used for every pair with a capsule or a segment; `_manifold_kernel` processes all others. By Box2D's rule a segment is one of its
edges (`_edge_kernel`), and by the exact rule a segment with neighbors is a link of a chain (`_link_kernel`): both in the segment's frame.
Otherwise both are cores with radii, in A's frame. The kernel is separate because it takes as long to compile as that of circles and
polygons, and a world without edges never needs it.

A capsule is a segment with a radius, a disc a point with a radius, and a polygon with a skin has many vertices and a small radius. So one
routine serves every pair with a capsule or a segment. With R the sum of the radii, the two shapes share a point exactly if the distance of
their cores is at most R, and the axis of least translation is one of three::

     an edge faces a corner            corner against corner            the cores overlap
          .-----.                          .---.                            .-----.
         (   *   )  B                     (  *  )  B                       ( *_____)_
      ----`--|--'-----                     `/--'                        ---(-|----' |--
        *====+====*   A              -----./                               `-|   A  |
      -----------------              *====*)                                 |______|
        normal of the edge           along the line between them        normal of the shallowest edge

1. Compute the greatest separation s over the edges of both cores, as for polygons. A core of two vertices has two edges, its one
   line seen from either side; a core of one vertex has none.
2. If ``s < 0``, the cores overlap (each straddles every edge line of the other), and the axis is that edge's normal.
3. Otherwise, measure the distance d of the cores. Always ``s <= d``, for an edge line parts no farther than the cores are apart. Equal
   (within rounding): an edge faces the other core, and carries the axis. Less: the nearest features are two corners,
   and the axis is the line between them. Where d itself is nothing but rounding it has no direction; the edge has one.

So the axis is that of the least translation that separates the rounded shapes: in case 2 ``R - s`` by the argument of `_sat_kernel`, in
case 3 ``R - d`` because the separation along any direction is at most d.

Points: if the axis is an edge's normal, the other core's incident edge is clipped to it (`_clip_kernel`) and the ends within R are kept, so
that a capsule on its side has two points; if they lack the deepest point, clipping is repeated as for polygons (`_manifold_kernel`). Two
corners give one point. Each point is midway between the two surfaces, radii and skins included; its separation excludes the skins.

Feature ids are Box2D's four bytes, ``index on A | index on B << 8 | type on A << 16 | type on B << 24``, with the types 0 (VERTEX) and 1
(FACE). Indices are of the core's vertices, or of edges by their first vertex; a core of two vertices has one face, 0, on either side. For
the pair for which Box2D has one point (segment and circle) these are its own keys.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 4.5 (sphere-swept volumes) and 5.1.9; G. van den Bergen, Collision
Detection in Interactive 3D Environments, 2003, 4.3.7 (the hybrid of distance and separating axes).
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel, unlocked_kernel
from engine.geometry.kinds import CAPSULE, CIRCLE, SEGMENT
from engine.narrowphase._clip_kernel import VERTEX, Axis, ManifoldPoint, name_of, points_on_edge, write_point
from engine.narrowphase._core_distance_kernel import nearest_points
from engine.narrowphase._edge_kernel import manifold_edge_circle, manifold_edge_polygon
from engine.narrowphase._link_kernel import is_link, manifold_link
from engine.narrowphase._sat_kernel import SatCorners, SatEnd, SatStart, edge_separation, strict_separation
from engine.narrowphase._sides_kernel import Arrays, Room, Row, Shapes, Side, moved_side, room_for, rounding_of, row_of, side_of
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = ["find_axis", "manifold_core_pairs"]


@inlined_kernel
def find_axis(
    vertices_a: FloatArray, normals_a: FloatArray, vertices_b: FloatArray, normals_b: FloatArray, reach: float, touch: float,
    pair: FloatArray,
) -> tuple[bool, int, int, float, float, float, int, int]:  # fmt: skip
    """Find the axis of least translation of two cores with radii, whose sum is `reach`; both are given in one frame.

    Returns whether the rounded shapes are disjoint; the side of the reference edge (0 A, 1 B, -1 two corners) and that edge; the cores'
    separation along the axis; the separations of A's and of B's edges (-inf if there is none, or it was not computed); and the two corners.
    `pair` (2 rows or more) then contains the nearest points, if they were computed.
    """
    n_a, n_b = vertices_a.shape[0], vertices_b.shape[0]
    # 1. The best edge of either core.
    separation_a, edge_a = edge_separation(vertices_a, normals_a, vertices_b, touch, 0)
    is_parted = separation_a > reach + touch
    separation_b, edge_b = -np.inf, 0
    if not is_parted:
        separation_b, edge_b = edge_separation(vertices_b, normals_b, vertices_a, touch, 1)
    is_on_b = separation_b > separation_a + touch
    if separation_b > reach + touch:
        is_parted = is_on_b = True
    best = separation_b if is_on_b else separation_a

    # 2. Check whether the axis is the line between two corners.
    has_edge = n_a > 1 or n_b > 1
    distance, corner_a, corner_b = 0.0, 0, 0
    if not is_parted and (best >= -touch or not has_edge):
        distance, corner_a, corner_b = nearest_points(vertices_a, vertices_b, pair)
        record(SatCorners(distance, (pair[0, 0], pair[0, 1]), (pair[1, 0], pair[1, 1])))
        if distance > reach + touch:
            # only a core with area can contain the other; then no separation is above zero, except for ties
            is_inside = best <= 0.0 and (n_a > 2 or n_b > 2)
            is_inside = is_inside and strict_separation(vertices_a, normals_a, vertices_b)[0] <= 0.0
            is_parted = not (is_inside and strict_separation(vertices_b, normals_b, vertices_a)[0] <= 0.0)
    if not has_edge or (distance > touch and best < distance - touch):
        record(SatEnd(is_parted, -1, 0, distance, corner_a, corner_b))
        return is_parted, -1, 0, distance, separation_a, separation_b, corner_a, corner_b
    record(SatEnd(is_parted, 1 if is_on_b else 0, edge_b if is_on_b else edge_a, best, corner_a, corner_b))
    if is_on_b:
        return is_parted, 1, edge_b, best, separation_a, separation_b, corner_a, corner_b
    return is_parted, 0, edge_a, best, separation_a, separation_b, corner_a, corner_b


@borrowing_kernel
def manifold_cores(a: Side, b: Side, touch: float, room: Room, row: Row) -> int:
    """Fill one row for two cores with radii, both in A's frame, as `_manifold_kernel` describes it, and return the number of points.

    `reference` is -1 if the axis is the line between two corners.
    """
    points, names, axis, reference = row
    pair = room.corners
    record(SatStart(a.radius + b.radius, touch))
    surface = (a.radius - a.skin) + (b.radius - b.skin)
    is_parted, side, edge, best, separation_a, separation_b, corner_a, corner_b = find_axis(
        a.vertices, a.normals, b.vertices, b.normals, a.radius + b.radius, touch, pair
    )
    axis[4] = separation_a - surface if separation_a > -np.inf else np.nan
    axis[5] = separation_b - surface if separation_b > -np.inf else np.nan
    if side >= 0:
        return points_on_edge(a, b, False, is_parted, Axis(side == 1, edge, separation_a, edge, separation_b), touch, EXACT, row)
    cos, sin = a.pose[2], a.pose[3]
    reference[0], reference[1] = -1, 0
    axis[2], axis[3] = best - surface, 0.0
    if best > touch:
        # The normal's sign, here: from A's corner to B's; that of a face gets it in `_clip_kernel`.
        nx, ny = (pair[1, 0] - pair[0, 0]) / best, (pair[1, 1] - pair[0, 1]) / best
        axis[0], axis[1], axis[3] = cos * nx - sin * ny, sin * nx + cos * ny, 1.0 / best
    else:  # two concentric discs: the world's x axis, as for two circles
        nx, ny = cos, -sin
        axis[0], axis[1] = 1.0, 0.0
    if is_parted:
        return 0
    lift = 0.5 * (best + a.radius - b.radius)
    x, y = pair[0, 0] + lift * nx, pair[0, 1] + lift * ny
    write_point(points, 0, a.pose, x, y, best - surface)
    names[0] = name_of(corner_a, corner_b, VERTEX, VERTEX, False)
    record(ManifoldPoint(True, names[0], best - surface, (pair[1, 0], pair[1, 1]), (x, y)))
    return 1


@inlined_kernel
def manifold_core_pair(
    shapes: Shapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, at: int, rule: int, room: Room, columns: Arrays,
) -> int:  # fmt: skip
    """Fill row `at` for a pair of two shapes of which one is a capsule or a segment, and return the number of points.

    The rule BOX2D supports neither capsules nor two segments; the caller must reject them.
    """
    a, b = side_of(shapes, pairs[at, 0], poses_a, at), side_of(shapes, pairs[at, 1], poses_b, at)
    row = row_of(columns, at)
    base, other, to_other = a, b, 1.0
    links = rule != BOX2D and (is_link(a) or is_link(b))
    if (links and not is_link(a)) or (rule == BOX2D and b.kind == SEGMENT):  # in B's frame, the edge's
        base, other, to_other = b, a, -1.0
    moved = moved_side(other, base.pose, room.moved)
    if links:
        return manifold_link(base, moved, to_other, rounding_of(a.pose, a.extent, b.pose, b.extent), room, row)
    if rule != BOX2D:
        return manifold_cores(base, moved, rounding_of(a.pose, a.extent, b.pose, b.extent), room, row)
    if other.kind == CIRCLE:
        return manifold_edge_circle(base, moved, to_other, row)
    return manifold_edge_polygon(base, moved, to_other, room, row)


@unlocked_kernel
def manifold_core_pairs(
    packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, columns: Arrays
) -> None:  # fmt: skip
    """Fill the rows of those `pairs` that `manifold_pairs` skips; the arguments are the same."""
    shapes, kind, count = Shapes(*packed), packed[0], columns[0]
    room = room_for(packed[2])
    for row in range(pairs.shape[0]):
        if kind[pairs[row, 0]] >= CAPSULE or kind[pairs[row, 1]] >= CAPSULE:
            count[row] = manifold_core_pair(shapes, pairs, poses_a, poses_b, row, rule, room, columns)
