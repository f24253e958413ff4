"""Tight boxes around posed shapes: the extremes of the core's vertices, and the radius around them.

A convex core reaches farthest along an axis at one of its vertices, and the radius adds the same in every direction. So no
support search is needed: a few vertices are turned, moved and compared.

Source: C. Ericson, Real-Time Collision Detection, 2005, 4.2.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["pairs_of_bodies", "posed_boxes"]


@kernel
def posed_boxes(
    first: IntArray, n_vertices: IntArray, vertices: FloatArray, radius: FloatArray, which: IntArray, poses: FloatArray
) -> FloatArray:
    """Return boxes (n, 4), lower x, lower y, upper x, upper y, of the packed shapes `which` at `poses` (n, 4) x, y, cos, sin."""
    boxes = np.empty((which.shape[0], 4))
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        low_x, low_y, high_x, high_y = np.inf, np.inf, -np.inf, -np.inf
        for vertex in range(first[shape], first[shape] + n_vertices[shape]):
            world_x = cos * vertices[vertex, 0] - sin * vertices[vertex, 1] + x
            world_y = sin * vertices[vertex, 0] + cos * vertices[vertex, 1] + y
            low_x, high_x = min(low_x, world_x), max(high_x, world_x)
            low_y, high_y = min(low_y, world_y), max(high_y, world_y)
        around = radius[shape]
        boxes[row, 0], boxes[row, 1], boxes[row, 2], boxes[row, 3] = low_x - around, low_y - around, high_x + around, high_y + around
    return boxes


@kernel
def pairs_of_bodies(which: IntArray, poses: FloatArray, pairs: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return shapes (n, 2) and both poses (n, 4) for `pairs` of bodies, each with its shape in `which` and its pose in `poses`."""
    n = pairs.shape[0]
    shapes, poses_a, poses_b = np.empty((n, 2), dtype=np.int64), np.empty((n, 4)), np.empty((n, 4))
    for row in range(n):
        a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
        shapes[row, 0], shapes[row, 1] = which[a], which[b]
        for field in range(4):
            poses_a[row, field], poses_b[row, field] = poses[a, field], poses[b, field]
    return shapes, poses_a, poses_b
