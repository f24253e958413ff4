"""Common arguments of the pair kernels: all shapes, one of two shapes, a row of results, scratch memory; and relative poses.

Python passes the arrays of `Shapes` as a plain tuple, which takes 0.2 us, and a named tuple a microsecond; the kernel names them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_entry, inlined_kernel
from engine.common.tolerances import SAT_ROUNDING

__all__ = [
    "Arrays",
    "Room",
    "Row",
    "Shapes",
    "Side",
    "most_vertices",
    "move_to_frame",
    "moved_side",
    "place",
    "relative_pose",
    "room_for",
    "rounding_of",
    "row_of",
    "side_of",
]

Arrays = tuple[NDArray[Any], ...]
"""Several arrays as passed from Python."""


class Shapes(NamedTuple):
    """Packed shapes; see `packing`."""

    kind: IntArray
    first: IntArray
    n_vertices: IntArray
    vertices: FloatArray
    normals: FloatArray
    centroid: FloatArray
    radius: FloatArray
    skin: FloatArray
    extent: FloatArray
    ghosts: FloatArray
    has_ghost: NDArray[np.bool_]


class Side(NamedTuple):
    """One of two shapes: its core's vertices (a circle's center) with their normals, its centroid (1, 2), its other fields of `packing`,
    and its pose (4,), x, y, cos, sin.
    """

    kind: int
    vertices: FloatArray
    normals: FloatArray
    centroid: FloatArray
    radius: float
    skin: float
    extent: float
    ghosts: FloatArray
    has_ghost: NDArray[np.bool_]
    pose: FloatArray


class Row(NamedTuple):
    """A manifold, to be filled; see `_manifold_kernel`."""

    points: FloatArray
    names: IntArray
    axis: FloatArray
    reference: IntArray


class Room(NamedTuple):
    """Scratch of one pair: a shape in the other's frame, three corners (3, 2)."""

    moved: FloatArray
    corners: FloatArray


@inlined_kernel
def relative_pose(
    ax: float, ay: float, cos_a: float, sin_a: float, bx: float, by: float, cos_b: float, sin_b: float
) -> tuple[float, float, float, float]:
    """Return cos, sin, x, y of B's pose in A's frame; the positions are subtracted before any other operation."""
    dx, dy = bx - ax, by - ay
    return (
        cos_a * cos_b + sin_a * sin_b,
        cos_a * sin_b - sin_a * cos_b,
        cos_a * dx + sin_a * dy,
        cos_a * dy - sin_a * dx,
    )


@inlined_kernel
def place(x: float, y: float, cos: float, sin: float, shift_x: float, shift_y: float) -> tuple[float, float]:
    """Transform a point from B's frame to A's."""
    return cos * x - sin * y + shift_x, sin * x + cos * y + shift_y


@inlined_entry
def move_to_frame(pose_a: FloatArray, pose_b: FloatArray, points: FloatArray, moved: FloatArray, directions: bool) -> None:
    """Write B's local `points` (n, 2) to `moved`, in A's frame; `directions` are rotated but not translated.

    A pose is (x, y, cos, sin). With R the rotations and p the positions

        R_a^T (R_b v + p_b - p_a) = (R_a^T R_b) v + R_a^T (p_b - p_a)

    and the two positions, which can both be large, are subtracted before any other operation.
    """
    cos, sin, shift_x, shift_y = relative_pose(pose_a[0], pose_a[1], pose_a[2], pose_a[3], pose_b[0], pose_b[1], pose_b[2], pose_b[3])
    if directions:
        shift_x = shift_y = 0.0
    for i in range(points.shape[0]):
        moved[i, 0], moved[i, 1] = place(points[i, 0], points[i, 1], cos, sin, shift_x, shift_y)


@inlined_entry
def rounding_of(pose_a: FloatArray, extent_a: float, pose_b: FloatArray, extent_b: float) -> float:
    """Return the rounding of a separation, meters: `SAT_ROUNDING` times the scale of all its inputs."""
    scale = abs(pose_a[0]) + abs(pose_a[1]) + abs(pose_b[0]) + abs(pose_b[1]) + extent_a + extent_b
    return float(SAT_ROUNDING * scale)


@inlined_kernel
def side_of(shapes: Shapes, shape: int, poses: FloatArray, row: int) -> Side:
    """Return one of the shapes at a pose x, y, cos, sin."""
    low, high = shapes.first[shape], shapes.first[shape] + shapes.n_vertices[shape]
    return Side(
        shapes.kind[shape], shapes.vertices[low:high], shapes.normals[low:high], shapes.centroid[shape : shape + 1],
        shapes.radius[shape], shapes.skin[shape], shapes.extent[shape], shapes.ghosts[shape], shapes.has_ghost[shape], poses[row],
    )  # fmt: skip


@inlined_kernel
def moved_side(side: Side, pose: FloatArray, moved: FloatArray) -> Side:
    """Return a shape transformed to the frame of `pose`, with that pose; its points are written to `moved` (2, m + 1, 2)."""
    n = side.vertices.shape[0]
    vertices, normals, centroid = moved[0, :n], moved[1, :n], moved[0, n : n + 1]
    move_to_frame(pose, side.pose, side.vertices, vertices, False)
    move_to_frame(pose, side.pose, side.normals, normals, True)
    move_to_frame(pose, side.pose, side.centroid, centroid, False)
    return Side(
        side.kind, vertices, normals, centroid, side.radius, side.skin, side.extent, side.ghosts, side.has_ghost, pose
    )  # fmt: skip


@inlined_kernel
def row_of(columns: Arrays, at: int) -> Row:
    """Return one row of a manifold's columns, all zeros."""
    _, points, names, axis, reference = columns
    for point in range(2):
        points[at, point, 0] = points[at, point, 1] = points[at, point, 2] = 0.0
        names[at, point] = 0
    return Row(points[at], names[at], axis[at], reference[at])


@inlined_kernel
def most_vertices(n_vertices: IntArray) -> int:
    """Return the number of vertices of the largest shape."""
    most = 0
    for shape in range(n_vertices.shape[0]):
        most = max(most, n_vertices[shape])
    return most


@allocating_kernel
def room_for(n_vertices: IntArray) -> Room:
    """Allocate the scratch for any two shapes with at most that many vertices."""
    moved = np.empty((2, most_vertices(n_vertices) + 1, 2))
    return Room(moved, np.empty((3, 2)))
