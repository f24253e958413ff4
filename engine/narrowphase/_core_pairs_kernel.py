"""The contact manifolds of pairs that a capsule or a segment takes part in; everything else is `_manifold_kernel`.

A kernel for itself: it takes as long to compile as that of circles and polygons, and a world without floors of edges never asks for it.

Which routine answers: by Box2D's rule a segment is one of its edges (`_edge_kernel`), and the steps are taken in the edge's frame;
else both are cores with radii (`_core_manifold_kernel`), in A's frame.
"""

from __future__ import annotations

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.geometry.kinds import CAPSULE, CIRCLE, SEGMENT
from engine.narrowphase._core_manifold_kernel import manifold_cores
from engine.narrowphase._edge_kernel import manifold_edge_circle, manifold_edge_polygon
from engine.narrowphase._manifold_kernel import rounding_of
from engine.narrowphase._sides_kernel import Arrays, Room, Shapes, moved_side, room_for, row_of, side_of
from engine.narrowphase.rules import BOX2D

__all__ = ["manifold_core_pairs"]


@inlined_kernel
def manifold_core_pair(
    shapes: Shapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, at: int, rule: int, room: Room, columns: Arrays,
    trace: FloatArray | None,
) -> int:  # fmt: skip
    """Fill row `at` for two shapes of which one is a capsule or a segment, and return the number of points.

    The rule BOX2D knows no capsules, nor two segments; the caller must refuse them.
    """
    a, b = side_of(shapes, pairs[at, 0], poses_a, at), side_of(shapes, pairs[at, 1], poses_b, at)
    row = row_of(columns, at)
    base, other, to_other = a, b, 1.0
    if rule == BOX2D and b.kind == SEGMENT:  # in B's frame, the edge's
        base, other, to_other = b, a, -1.0
    moved = moved_side(other, base.pose, room.moved)
    if rule != BOX2D:
        return manifold_cores(base, moved, rounding_of(a.pose, a.extent, b.pose, b.extent), room, row, trace)
    if other.kind == CIRCLE:
        return manifold_edge_circle(base, moved, to_other, row, trace)
    return manifold_edge_polygon(base, moved, to_other, room, row, trace)


@kernel
def manifold_core_pairs(
    packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, columns: Arrays, trace: FloatArray | None
) -> None:  # fmt: skip
    """Fill the rows of those `pairs` that `manifold_pairs` leaves out; arguments are its own."""
    shapes, kind, count = Shapes(*packed), packed[0], columns[0]
    room = room_for(packed[2])
    for row in range(pairs.shape[0]):
        if kind[pairs[row, 0]] >= CAPSULE or kind[pairs[row, 1]] >= CAPSULE:
            count[row] = manifold_core_pair(shapes, pairs, poses_a, poses_b, row, rule, room, columns, trace)
