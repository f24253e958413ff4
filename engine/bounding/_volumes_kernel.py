"""Circles, boxes, oriented boxes and capsules of many bodies, placed at their poses and tested pair by pair.

The derivations are in `engine.bounding.circles`, `boxes` and `capsule`. Rows of a volume are filled from local rows
(s, ..), one for each shape, for the shapes `which` (n,) of bodies at `poses` (n, 4) x, y, cos, sin; tests take pairs (m, 2) of rows.

**Circles.** A pose rotates only the center, and the radius is increased by the rounding.

**Oriented boxes.** The components of B's axes in A's frame are c = |u.v| and s = |u x v|; the four tests have no branches between them,
because a branch taken half of the time costs more than the products it saves.

**Capsules.** A nearly free test precedes the four distances: capsules with disjoint upright boxes are disjoint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.bounding.circles import SQUARES_ROUNDING
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import BOUNDING_ROUNDING, SAFE_PRODUCT

__all__ = [
    "boxes_overlap",
    "capsules_overlap",
    "circles_overlap",
    "distance_sq",
    "oriented_boxes_overlap",
    "posed_capsules",
    "posed_circles",
    "posed_oriented_boxes",
    "rebuilt_boxes",
    "refitted_boxes",
    "turn",
]


@kernel
def posed_circles(local: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray) -> None:
    """Fill `rows` (n, 3) x, y, radius from `local` (s, 4) x, y, radius, reach, the shapes `which` (n,) and poses (n, 4)."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        rows[row, 0] = cos * local[shape, 0] - sin * local[shape, 1] + x
        rows[row, 1] = sin * local[shape, 0] + cos * local[shape, 1] + y
        rows[row, 2] = local[shape, 2] + BOUNDING_ROUNDING * (abs(x) + abs(y) + local[shape, 3])


@kernel
def circles_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return for pairs (m, 2) of rows whether the closed discs share a point."""
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        dx, dy, reach = rows[b, 0] - rows[a, 0], rows[b, 1] - rows[a, 1], rows[a, 2] + rows[b, 2]
        overlapping[at] = dx * dx + dy * dy <= SQUARES_ROUNDING * reach * reach + SAFE_PRODUCT
    return overlapping


@kernel
def rebuilt_boxes(
    first: IntArray, count: IntArray, corners: FloatArray, rounded: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray
) -> None:
    """Fill `rows` (n, 4) lower x, lower y, upper x, upper y from the hulls; `rounded` (s, 3) begins with radius and extent."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        low_x, low_y, high_x, high_y = np.inf, np.inf, -np.inf, -np.inf
        for at in range(first[shape], first[shape] + count[shape]):
            world_x = cos * corners[at, 0] - sin * corners[at, 1] + x
            world_y = sin * corners[at, 0] + cos * corners[at, 1] + y
            low_x, high_x = min(low_x, world_x), max(high_x, world_x)
            low_y, high_y = min(low_y, world_y), max(high_y, world_y)
        around = rounded[shape, 0] + BOUNDING_ROUNDING * (abs(x) + abs(y) + rounded[shape, 1])
        rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = low_x - around, low_y - around, high_x + around, high_y + around


@kernel
def refitted_boxes(local: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray) -> None:
    """Fill the same from `local` (s, 5): middle x, y, half width, half height, the largest coordinate."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        middle_x = cos * local[shape, 0] - sin * local[shape, 1] + x
        middle_y = sin * local[shape, 0] + cos * local[shape, 1] + y
        around = BOUNDING_ROUNDING * (abs(x) + abs(y) + 2.0 * local[shape, 4])
        half_width = abs(cos) * local[shape, 2] + abs(sin) * local[shape, 3] + around
        half_height = abs(sin) * local[shape, 2] + abs(cos) * local[shape, 3] + around
        rows[row, 0], rows[row, 1] = middle_x - half_width, middle_y - half_height
        rows[row, 2], rows[row, 3] = middle_x + half_width, middle_y + half_height


@kernel
def boxes_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return for pairs (m, 2) of rows whether the closed boxes share a point."""
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        in_x = (rows[a, 0] <= rows[b, 2]) & (rows[b, 0] <= rows[a, 2])
        in_y = (rows[a, 1] <= rows[b, 3]) & (rows[b, 1] <= rows[a, 3])
        overlapping[at] = in_x & in_y
    return overlapping


@kernel
def posed_oriented_boxes(local: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray) -> None:
    """Fill `rows` (n, 6) center, axis, half width, half height from `local` (s, 7), the same and the reach."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        around = BOUNDING_ROUNDING * (abs(x) + abs(y) + local[shape, 6])
        rows[row, 0] = cos * local[shape, 0] - sin * local[shape, 1] + x
        rows[row, 1] = sin * local[shape, 0] + cos * local[shape, 1] + y
        rows[row, 2] = cos * local[shape, 2] - sin * local[shape, 3]
        rows[row, 3] = sin * local[shape, 2] + cos * local[shape, 3]
        rows[row, 4], rows[row, 5] = local[shape, 4] + around, local[shape, 5] + around


@kernel
def oriented_boxes_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return for pairs (m, 2) of rows whether the closed boxes share a point."""
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        dx, dy = rows[b, 0] - rows[a, 0], rows[b, 1] - rows[a, 1]
        ux, uy, vx, vy = rows[a, 2], rows[a, 3], rows[b, 2], rows[b, 3]
        w_a, h_a, w_b, h_b = rows[a, 4], rows[a, 5], rows[b, 4], rows[b, 5]
        cos, sin = abs(ux * vx + uy * vy), abs(ux * vy - uy * vx)
        around = BOUNDING_ROUNDING * (abs(dx) + abs(dy) + (w_a + h_a + w_b + h_b))
        on_a = (abs(ux * dx + uy * dy) <= w_a + cos * w_b + sin * h_b + around) & (
            abs(ux * dy - uy * dx) <= h_a + sin * w_b + cos * h_b + around
        )
        on_b = (abs(vx * dx + vy * dy) <= w_b + cos * w_a + sin * h_a + around) & (
            abs(vx * dy - vy * dx) <= h_b + sin * w_a + cos * h_a + around
        )
        overlapping[at] = on_a & on_b
    return overlapping


@kernel
def posed_capsules(local: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray) -> None:
    """Fill `rows` (n, 5) p1, p2, radius from `local` (s, 6), the same and the reach."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        rows[row, 0] = cos * local[shape, 0] - sin * local[shape, 1] + x
        rows[row, 1] = sin * local[shape, 0] + cos * local[shape, 1] + y
        rows[row, 2] = cos * local[shape, 2] - sin * local[shape, 3] + x
        rows[row, 3] = sin * local[shape, 2] + cos * local[shape, 3] + y
        rows[row, 4] = local[shape, 4] + BOUNDING_ROUNDING * (abs(x) + abs(y) + local[shape, 5])


@inlined_kernel
def turn(px: float, py: float, qx: float, qy: float, rx: float, ry: float) -> float:
    """Return the determinant of p, q, r: positive if r is left of the line from p to q."""
    return (qx - px) * (ry - py) - (qy - py) * (rx - px)


@inlined_kernel
def distance_sq(x: float, y: float, px: float, py: float, qx: float, qy: float) -> float:
    """Return the squared distance of (x, y) from the segment p to q."""
    ex, ey, tx, ty = qx - px, qy - py, x - px, y - py
    length_sq = ex * ex + ey * ey
    share = min(max((tx * ex + ty * ey) / length_sq, 0.0), 1.0) if length_sq > 0.0 else 0.0
    dx, dy = tx - share * ex, ty - share * ey
    return dx * dx + dy * dy


@kernel
def capsules_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return for pairs (m, 2) of rows whether the closed capsules share a point."""
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        x, y = rows[a, 0], rows[a, 1]
        bx, by = rows[a, 2] - x, rows[a, 3] - y
        cx, cy, dx, dy = rows[b, 0] - x, rows[b, 1] - y, rows[b, 2] - x, rows[b, 3] - y
        reach = rows[a, 4] + rows[b, 4]
        limit = reach + BOUNDING_ROUNDING * (abs(bx) + abs(by) + abs(cx) + abs(cy) + abs(dx) + abs(dy) + reach)
        in_x = (min(cx, dx) <= max(0.0, bx) + limit) & (max(cx, dx) >= min(0.0, bx) - limit)
        in_y = (min(cy, dy) <= max(0.0, by) + limit) & (max(cy, dy) >= min(0.0, by) - limit)
        is_overlapping = False
        if in_x and in_y:
            nearest_sq = min(
                min(distance_sq(cx, cy, 0.0, 0.0, bx, by), distance_sq(dx, dy, 0.0, 0.0, bx, by)),
                min(distance_sq(0.0, 0.0, cx, cy, dx, dy), distance_sq(bx, by, cx, cy, dx, dy)),
            )
            is_overlapping = nearest_sq <= limit * limit or (
                turn(0.0, 0.0, bx, by, cx, cy) * turn(0.0, 0.0, bx, by, dx, dy) < 0.0
                and turn(cx, cy, dx, dy, 0.0, 0.0) * turn(cx, cy, dx, dy, bx, by) < 0.0
            )
        overlapping[at] = is_overlapping
    return overlapping
