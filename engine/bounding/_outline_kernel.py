"""Whether two outlines share a point, for many pairs; see `engine.bounding.outlines` for the two rules and why they suffice.

B's corners are transformed to A's frame in a scratch array; its edges whose boxes miss A's are skipped before any product.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.bounding._volumes_kernel import turn
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["outlines_meet"]


@inlined_kernel
def _is_inside(x: float, y: float, corners: FloatArray, after: IntArray) -> bool:
    """Return whether a point is inside by the even-odd rule over all rings; an edge includes its lower end, not its upper one."""
    inside = False
    for i in range(corners.shape[0]):
        j = after[i]
        if (corners[i, 1] <= y) != (corners[j, 1] <= y):
            side = turn(corners[i, 0], corners[i, 1], corners[j, 0], corners[j, 1], x, y)
            if (side > 0.0) == (corners[j, 1] > corners[i, 1]):
                inside = not inside
    return inside


@inlined_kernel
def _segments_meet(p: FloatArray, i: int, j: int, q: FloatArray, k: int, l: int) -> bool:  # noqa: E741
    """Return whether the closed segments p[i] p[j] and q[k] q[l] share a point."""
    ax, ay, bx, by, cx, cy, dx, dy = p[i, 0], p[i, 1], p[j, 0], p[j, 1], q[k, 0], q[k, 1], q[l, 0], q[l, 1]
    if max(ax, bx) < min(cx, dx) or max(cx, dx) < min(ax, bx) or max(ay, by) < min(cy, dy) or max(cy, dy) < min(ay, by):
        return False
    of_c, of_d = turn(ax, ay, bx, by, cx, cy), turn(ax, ay, bx, by, dx, dy)
    of_a, of_b = turn(cx, cy, dx, dy, ax, ay), turn(cx, cy, dx, dy, bx, by)
    parts_cd = (of_c > 0.0 and of_d > 0.0) or (of_c < 0.0 and of_d < 0.0)
    parts_ab = (of_a > 0.0 and of_b > 0.0) or (of_a < 0.0 and of_b < 0.0)
    return not (parts_cd or parts_ab)


@kernel
def outlines_meet(
    corners_a: FloatArray, after_a: IntArray, rings_a: IntArray, corners_b: FloatArray, after_b: IntArray, rings_b: IntArray,
    poses_a: FloatArray, poses_b: FloatArray,
) -> NDArray[np.bool_]:  # fmt: skip
    """Return for each row of poses (n, 4) of two outlines whether they share a point.

    `after` (m,) contains the index of the next corner in the ring, `rings` the index of the first corner of each ring.
    """
    n, m = poses_a.shape[0], corners_b.shape[0]
    meeting = np.zeros(n, dtype=np.bool_)
    moved = np.empty((m, 2))
    low_x, low_y, high_x, high_y = np.inf, np.inf, -np.inf, -np.inf
    for i in range(corners_a.shape[0]):
        low_x, high_x = min(low_x, corners_a[i, 0]), max(high_x, corners_a[i, 0])
        low_y, high_y = min(low_y, corners_a[i, 1]), max(high_y, corners_a[i, 1])
    for row in range(n):
        cos_a, sin_a, cos_b, sin_b = poses_a[row, 2], poses_a[row, 3], poses_b[row, 2], poses_b[row, 3]
        cos, sin = cos_a * cos_b + sin_a * sin_b, cos_a * sin_b - sin_a * cos_b
        dx, dy = poses_b[row, 0] - poses_a[row, 0], poses_b[row, 1] - poses_a[row, 1]
        shift_x, shift_y = cos_a * dx + sin_a * dy, cos_a * dy - sin_a * dx
        for i in range(m):
            moved[i, 0] = cos * corners_b[i, 0] - sin * corners_b[i, 1] + shift_x
            moved[i, 1] = sin * corners_b[i, 0] + cos * corners_b[i, 1] + shift_y
        is_overlapping = False
        for k in range(m):
            l = after_b[k]  # noqa: E741
            beside = max(moved[k, 0], moved[l, 0]) < low_x or min(moved[k, 0], moved[l, 0]) > high_x
            if is_overlapping or beside or max(moved[k, 1], moved[l, 1]) < low_y or min(moved[k, 1], moved[l, 1]) > high_y:
                continue
            for i in range(corners_a.shape[0]):
                if _segments_meet(corners_a, i, after_a[i], moved, k, l):
                    is_overlapping = True
                    break
        for ring in range(rings_a.shape[0]):
            is_overlapping = is_overlapping or _is_inside(corners_a[rings_a[ring], 0], corners_a[rings_a[ring], 1], moved, after_b)
        for ring in range(rings_b.shape[0]):
            is_overlapping = is_overlapping or _is_inside(moved[rings_b[ring], 0], moved[rings_b[ring], 1], corners_a, after_a)
        meeting[row] = is_overlapping
    return meeting
