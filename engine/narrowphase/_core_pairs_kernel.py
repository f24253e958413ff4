"""The contact manifolds of pairs that a capsule or a segment takes part in; everything else is `_manifold_kernel`.

A kernel for itself: it takes as long to compile as that of circles and polygons, and a world without floors of edges never asks for it.

Which routine answers: by Box2D's rule a segment is one of its edges (`_edge_kernel`), and the steps are taken in the edge's frame;
else both are cores with radii (`_core_manifold_kernel`), in A's frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.geometry.kinds import CAPSULE, CIRCLE, SEGMENT
from engine.narrowphase._core_manifold_kernel import manifold_cores
from engine.narrowphase._edge_kernel import manifold_edge_circle, manifold_edge_polygon
from engine.narrowphase._manifold_kernel import rounding_of
from engine.narrowphase._sat_kernel import move_to_frame
from engine.narrowphase.rules import BOX2D

__all__ = ["manifold_core_pairs"]


@inlined_kernel
def _manifold_core_pair(
    kind_a: int,
    vertices_a: FloatArray,
    normals_a: FloatArray,
    centroid_a: FloatArray,
    radius_a: float,
    skin_a: float,
    extent_a: float,
    ghosts_a: FloatArray,
    has_ghost_a: NDArray[np.bool_],
    pose_a: FloatArray,
    kind_b: int,
    vertices_b: FloatArray,
    normals_b: FloatArray,
    centroid_b: FloatArray,
    radius_b: float,
    skin_b: float,
    extent_b: float,
    ghosts_b: FloatArray,
    has_ghost_b: NDArray[np.bool_],
    pose_b: FloatArray,
    rule: int,
    scratch: FloatArray,
    ends: FloatArray,
    end_names: IntArray,
    corners: FloatArray,
    points: FloatArray,
    names: IntArray,
    axis: FloatArray,
    reference: IntArray,
    trace: FloatArray | None,
) -> int:
    """Fill one row for two shapes of which one is a capsule or a segment, and return the number of points.

    Arguments are those of `_manifold_kernel.manifold_pair`, a segment's ghosts, and `corners` (3, 2). The rule BOX2D knows no capsules,
    nor two segments; whoever calls must refuse them.
    """
    points[:, :] = 0.0
    names[:] = 0
    rounding = rounding_of(pose_a, extent_a, pose_b, extent_b)
    n_a, n_b = vertices_a.shape[0], vertices_b.shape[0]
    if rule == BOX2D and kind_b == SEGMENT:  # in B's frame, the edge's
        moved, moved_normals, moved_centroid = scratch[0, :n_a], scratch[1, :n_a], scratch[0, n_a : n_a + 1]
        move_to_frame(pose_b, pose_a, vertices_a, moved, False)
        if kind_a == CIRCLE:
            return manifold_edge_circle(
                vertices_b, radius_b, pose_b, ghosts_b, has_ghost_b, moved, radius_a, -1.0, points, names, axis, reference, trace
            )
        move_to_frame(pose_b, pose_a, normals_a, moved_normals, True)
        move_to_frame(pose_b, pose_a, centroid_a.reshape(1, 2), moved_centroid, False)
        return manifold_edge_polygon(
            vertices_b, radius_b, pose_b, ghosts_b, has_ghost_b, moved, moved_normals, moved_centroid[0], radius_a, -1.0,
            points, names, axis, reference, ends, end_names, corners, trace,
        )  # fmt: skip
    moved, moved_normals, moved_centroid = scratch[0, :n_b], scratch[1, :n_b], scratch[0, n_b : n_b + 1]
    move_to_frame(pose_a, pose_b, vertices_b, moved, False)
    move_to_frame(pose_a, pose_b, normals_b, moved_normals, True)
    if rule == BOX2D:
        if kind_b == CIRCLE:
            return manifold_edge_circle(
                vertices_a, radius_a, pose_a, ghosts_a, has_ghost_a, moved, radius_b, 1.0, points, names, axis, reference, trace
            )
        move_to_frame(pose_a, pose_b, centroid_b.reshape(1, 2), moved_centroid, False)
        return manifold_edge_polygon(
            vertices_a, radius_a, pose_a, ghosts_a, has_ghost_a, moved, moved_normals, moved_centroid[0], radius_b, 1.0,
            points, names, axis, reference, ends, end_names, corners, trace,
        )  # fmt: skip
    return manifold_cores(
        vertices_a, normals_a, radius_a, skin_a, pose_a, moved, moved_normals, radius_b, skin_b, rounding,
        points, names, axis, reference, ends, end_names, corners, trace,
    )  # fmt: skip


@kernel
def manifold_core_pairs(
    kind: IntArray,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    normals: FloatArray,
    centroid: FloatArray,
    radius: FloatArray,
    skin: FloatArray,
    extent: FloatArray,
    ghosts: FloatArray,
    has_ghost: NDArray[np.bool_],
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    rule: int,
    count: IntArray,
    points: FloatArray,
    names: IntArray,
    axis: FloatArray,
    reference: IntArray,
    trace: FloatArray | None,
) -> None:
    """Fill the rows of those `pairs` that `manifold_pairs` leaves out; arguments are its own, and the segments' ghosts."""
    most = 0
    for shape in range(n_vertices.shape[0]):
        most = max(most, n_vertices[shape])
    scratch = np.empty((2, most + 1, 2))
    ends = np.empty((2, 2))
    end_names = np.empty((2, 4), dtype=np.int64)
    corners = np.empty((3, 2))
    for row in range(pairs.shape[0]):
        a, b = pairs[row, 0], pairs[row, 1]
        if kind[a] < CAPSULE and kind[b] < CAPSULE:
            continue
        low_a, low_b = first[a], first[b]
        high_a, high_b = low_a + n_vertices[a], low_b + n_vertices[b]
        count[row] = _manifold_core_pair(
            kind[a], vertices[low_a:high_a], normals[low_a:high_a], centroid[a], radius[a], skin[a], extent[a], ghosts[a], has_ghost[a],
            poses_a[row],
            kind[b], vertices[low_b:high_b], normals[low_b:high_b], centroid[b], radius[b], skin[b], extent[b], ghosts[b], has_ghost[b],
            poses_b[row],
            rule, scratch, ends, end_names, corners, points[row], names[row], axis[row], reference[row], trace,
        )  # fmt: skip
