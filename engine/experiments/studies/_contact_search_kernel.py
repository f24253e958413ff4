"""Contact points of two convex polygons by looking for vertices of one inside the other, and what may be left out of that.

A vertex is a contact point where it lies behind all edges of the other polygon, or no more than a margin before each. The plain search
tries each vertex of either against the edges of the other, until one has it in front: up to 2 n m looks at an edge.

**Last contact points first.** Who only asks *whether* two polygons touch may stop at the first contact point. What was one a frame ago
mostly still is: each pair keeps the last k of them, the newest first, and they are asked before the search. A yes then costs the edges
of one polygon. A no costs the k looks besides.

**Filtered by the plane.** Let n be any direction, A reach up to `top` along it and B down to `bottom`. A point of both lies between the
two: only vertices of A above ``bottom - margin`` and vertices of B below ``top + margin`` can be contact points. Nor need they be tried
against all edges: an edge of B both ends of which are above that band does not meet it, and as no part of B is below, whoever is in the
band and behind all edges that do is in B::

              B  \\____________/
          bottom - - - - -*- - - - - - - - -   the band of n: here two vertices of A, two of B
          top    - - -*------*- - - - - - -    with the three edges of each that end in it
                   A /        \\                 n up

The nearer n is to what parts them, the thinner the band: it is the normal of the edge that parted them best when it was looked for,
known by its number, so that it turns with its polygon. Where the band is empty, they are apart. Where it has become thick, it is looked
for again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.narrowphase._sat_kernel import max_separation
from engine.narrowphase._sides_kernel import Arrays, Shapes, most_vertices, move_to_frame

__all__ = ["COUNT", "FILTERED", "TOUCH", "search_contacts"]

COUNT, FILTERED, TOUCH = range(3)

_NONE = -1
_THICK = 0.02
"""Meters of a band from which on another plane is looked for, beside the margin: some four times what rests overlaps."""


@inlined_kernel
def _is_behind(x: float, y: float, vertices: FloatArray, normals: FloatArray, margin: float, looks: IntArray) -> bool:
    """Tell whether a point is behind all edges, or before them by no more than `margin`, and count the edges looked at."""
    for edge in range(vertices.shape[0]):
        looks[0] += 1
        if normals[edge, 0] * (x - vertices[edge, 0]) + normals[edge, 1] * (y - vertices[edge, 1]) > margin:
            return False
    return True


@inlined_kernel
def _is_contact(
    point: int, a: FloatArray, normals_a: FloatArray, b: FloatArray, normals_b: FloatArray, margin: float, looks: IntArray
) -> bool:
    """Tell whether a vertex, those of A first and then those of B, is a contact point."""
    if point < a.shape[0]:
        return _is_behind(a[point, 0], a[point, 1], b, normals_b, margin, looks)
    return _is_behind(b[point - a.shape[0], 0], b[point - a.shape[0], 1], a, normals_a, margin, looks)


@inlined_kernel
def _remember(kept: IntArray, size: int, point: int) -> None:
    """Put a point first among those kept, which are at most `size`."""
    last = size - 1
    for k in range(size):
        if kept[k] == point or kept[k] == _NONE:
            last = k
            break
    for k in range(last, 0, -1):
        kept[k] = kept[k - 1]
    kept[0] = point


@inlined_kernel
def _touches(
    a: FloatArray, normals_a: FloatArray, b: FloatArray, normals_b: FloatArray, margin: float, kept: IntArray, size: int, looks: IntArray
) -> bool:
    for k in range(size):
        if kept[k] == _NONE:
            break
        if _is_contact(kept[k], a, normals_a, b, normals_b, margin, looks):
            looks[1] += 1
            if k > 0:
                _remember(kept, k + 1, kept[k])
            return True
    for point in range(a.shape[0] + b.shape[0]):
        if _is_contact(point, a, normals_a, b, normals_b, margin, looks):
            if size > 0:
                _remember(kept, size, point)
            return True
    return False


@inlined_kernel
def _along(vertices: FloatArray, nx: float, ny: float, heights: FloatArray) -> None:
    for k in range(vertices.shape[0]):
        heights[k] = nx * vertices[k, 0] + ny * vertices[k, 1]


@inlined_kernel
def _count_in_band(
    points: FloatArray, in_band: NDArray[np.bool_], others: FloatArray, normals: FloatArray, others_in_band: NDArray[np.bool_],
    margin: float, looks: IntArray,
) -> int:  # fmt: skip
    """Return how many points of the band are contact points, tried against the edges that end in it."""
    n, m, found = points.shape[0], others.shape[0], 0
    for k in range(n):
        if not in_band[k]:
            continue
        is_contact = True
        for edge in range(m):
            if others_in_band[edge] or others_in_band[edge + 1 if edge + 1 < m else 0]:
                looks[0] += 1
                if normals[edge, 0] * (points[k, 0] - others[edge, 0]) + normals[edge, 1] * (points[k, 1] - others[edge, 1]) > margin:
                    is_contact = False
                    break
        found += is_contact
    return found


@inlined_kernel
def _count_filtered(
    a: FloatArray, normals_a: FloatArray, b: FloatArray, normals_b: FloatArray, margin: float, plane: IntArray,
    heights: FloatArray, in_band: NDArray[np.bool_], looks: IntArray,
) -> int:  # fmt: skip
    n, m = a.shape[0], b.shape[0]
    for attempt in range(2):
        if attempt == 1 or plane[0] == _NONE:
            best_a, edge_a = max_separation(a, normals_a, b, 0.0, 0.0, None)
            best_b, edge_b = max_separation(b, normals_b, a, 0.0, 0.0, None)
            plane[0] = edge_a if best_a >= best_b else n + edge_b
            looks[2] += 1
        if plane[0] < n:
            nx, ny = normals_a[plane[0], 0], normals_a[plane[0], 1]
        else:
            nx, ny = -normals_b[plane[0] - n, 0], -normals_b[plane[0] - n, 1]
        _along(a, nx, ny, heights[0, :n])
        _along(b, nx, ny, heights[1, :m])
        top, bottom = -np.inf, np.inf
        for k in range(n):
            top = max(top, heights[0, k])
        for k in range(m):
            bottom = min(bottom, heights[1, k])
        if bottom - top > margin:
            return 0
        if top - bottom <= _THICK:
            break
    for k in range(n):
        in_band[0, k] = heights[0, k] >= bottom - margin
    for k in range(m):
        in_band[1, k] = heights[1, k] <= top + margin
    return _count_in_band(a, in_band[0, :n], b, normals_b, in_band[1, :m], margin, looks) + _count_in_band(
        b, in_band[1, :m], a, normals_a, in_band[0, :n], margin, looks
    )


@inlined_kernel
def _answer(
    is_filtered: bool, is_touch: bool, shapes: Shapes, a: int, b: int, pose_a: FloatArray, pose_b: FloatArray, margin: float,
    kept: IntArray, size: int, moved: FloatArray, heights: FloatArray, in_band: NDArray[np.bool_], looks: IntArray,
) -> int:  # fmt: skip
    low_a, high_a = shapes.first[a], shapes.first[a] + shapes.n_vertices[a]
    low_b, high_b = shapes.first[b], shapes.first[b] + shapes.n_vertices[b]
    core_a, normals_a = shapes.vertices[low_a:high_a], shapes.normals[low_a:high_a]
    core_b, normals_b = moved[0, : high_b - low_b], moved[1, : high_b - low_b]
    move_to_frame(pose_a, pose_b, shapes.vertices[low_b:high_b], core_b, False)
    move_to_frame(pose_a, pose_b, shapes.normals[low_b:high_b], normals_b, True)
    if is_touch:
        return 1 if _touches(core_a, normals_a, core_b, normals_b, margin, kept, size, looks) else 0
    if is_filtered:
        return _count_filtered(core_a, normals_a, core_b, normals_b, margin, kept, heights, in_band, looks)
    found = 0
    for point in range(core_a.shape[0] + core_b.shape[0]):
        found += _is_contact(point, core_a, normals_a, core_b, normals_b, margin, looks)
    return found


@kernel
def search_contacts(
    question: int, packed: Arrays, pairs: IntArray, which: IntArray, poses_a: FloatArray, poses_b: FloatArray, margin: float, size: int,
    found: IntArray,
) -> tuple[int, int, int]:  # fmt: skip
    """Answer `question` for each row, in order; return the looks at an edge, the answers by a kept point, and the planes looked for.

    Parameters
    ----------
    question : int
        COUNT: how many contact points; FILTERED: the same, by the plane; TOUCH: whether they touch, at most `size` kept points first.
    packed, pairs : arrays of `Shapes`, int64 (n, 2)
        Polygons without radius.
    which : int64 (k,)
        The pair of each row: a pair keeps points, or its plane, from row to row.
    poses_a, poses_b : float64 (k, 4)
        x, y, cos, sin.
    margin : float
        Meters.
    found : int64 (k,)
        Written.
    """
    shapes = Shapes(*packed)
    most = most_vertices(shapes.n_vertices)
    moved, heights, in_band = np.empty((2, most, 2)), np.empty((2, most)), np.empty((2, most), dtype=np.bool_)
    kept, looks = np.full((pairs.shape[0], max(size, 1)), _NONE), np.zeros(3, dtype=np.int64)
    for row in range(which.shape[0]):
        pair = which[row]
        found[row] = _answer(
            question == FILTERED, question == TOUCH, shapes, pairs[pair, 0], pairs[pair, 1], poses_a[row], poses_b[row], margin,
            kept[pair], size, moved, heights, in_band, looks,
        )  # fmt: skip
    return looks[0], looks[1], looks[2]
