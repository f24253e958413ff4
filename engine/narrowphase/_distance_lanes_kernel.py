"""The distances of many pairs at once: GJK with 64 pairs side by side.

The chapter is `_gjk_kernel`; read that one first, and `_manifold_lanes_kernel` for what lanes are and what keeps them fast. Between two
steps GJK's state is a segment, four numbers and four indices, so that a step is a loop over the lanes without a branch::

    nearest point of p q, direction n       one loop     both directions computed, the one from the longer vector selected
    supports of A and of B                  a loop for every four slots, coordinates selected along with the index
    which of p, q, w stay                   one loop     three cases, selected

All 64 take steps until at most `STRAGGLERS` have not ended. A pair that has ended may go on stepping: its segment stays, so that the
same step comes out again, and only its count of steps has stopped.

Where GJK ends SEPARATED or OVERLAPPING the answer is complete, by the same operations in the same order as `_distance_kernel`: the two
agree to the bit. All else goes to that kernel: stragglers, TOUCHING, which is EPA's to decide, what float64 does not hold, cores of more
than 16 vertices, and classes with too few pairs to fill a block.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import GJK_MAX_ITERATIONS
from engine.contracts.status import Status
from engine.narrowphase._distance_kernel import ROW_WIDTH, roundings
from engine.narrowphase._gjk_kernel import place, relative_pose
from engine.narrowphase._manifold_lanes_kernel import FEWEST, LANES, MOST_SLOTS, SLOT_GROUP, SLOT_MASK, STRIDE

__all__ = ["STRAGGLERS", "distance_lanes"]

STRAGGLERS = 2
"""Lanes left unfinished when a block ends, for the last may need many steps. Of 10,000 pairs of polygons a hundred were left; 0 and 2 cost
the same, 5 a tenth more, 14 two thirds more (measured)."""

_N_CLASSES = MOST_SLOTS // SLOT_GROUP + 1
"""Cores of up to 4, 8, 12 and 16 vertices, and what goes to the scalar kernel."""

# Rows of `v`, the vertices: A's in its frame, B's in its own.
_X, _Y, _TO_B = 0, 2 * MOST_SLOTS, MOST_SLOTS
_VERTEX_ROWS = 4 * MOST_SLOTS
_TO_Y = np.uint64(_Y * STRIDE)

# Rows of `s`, numbers of which a pair has one: x y of points, except the poses and the frame (cos, sin, x, y).
_POSE_A, _POSE_B, _RADIUS_A, _RADIUS_B, _EXTENT_A, _EXTENT_B = 0, 4, 8, 9, 10, 11
_FRAME, _ROUNDING, _TOUCHES, _P, _Q, _N, _SHARE, _DISTANCE = 12, 16, 17, 18, 20, 22, 24, 25
_TOWARD_B, _FARTHEST, _W_A, _W_B = 26, 28, 29, 31
_P_A, _Q_A, _P_B, _Q_B = 33, 35, 37, 39
_RESULT = 41
_NUMBER_ROWS = _RESULT + ROW_WIDTH

# Rows of `k`, whole numbers: indices of the segment's vertices and of the supports, how it ended, the steps, and the answer's status.
_INDEX_P_A, _INDEX_P_B, _INDEX_Q_A, _INDEX_Q_B, _INDEX_W_A, _INDEX_W_B, _END, _STEPS, _STATUS = 0, 1, 2, 3, 4, 5, 6, 7, 8
_WHOLE_ROWS = 9

_GOES_ON, _IS_APART, _IS_INSIDE, _IS_ODD = 0, 1, 2, 3

_SEPARATED = int(Status.SEPARATED)
_TOUCHING = int(Status.TOUCHING)
_OVERLAPPING = int(Status.OVERLAPPING)


@kernel
def _classify_cores(n_vertices: IntArray, pairs: IntArray, rows: IntArray) -> IntArray:
    """Sort the numbers of the `pairs` by class into `rows`, each class in its old order; return where the classes begin."""
    n = pairs.shape[0]
    of_row = np.empty(n, dtype=np.uint8)
    begin = np.zeros(_N_CLASSES + 1, dtype=np.int64)
    for row in range(n):
        most = max(n_vertices[pairs[row, 0]], n_vertices[pairs[row, 1]])
        of_row[row] = min((most - 1) // SLOT_GROUP, _N_CLASSES - 1)
        begin[of_row[row] + 1] += 1
    for found in range(_N_CLASSES):
        begin[found + 1] += begin[found]
    at = begin[:_N_CLASSES].copy()
    for row in range(n):
        rows[at[of_row[row]]] = row
        at[of_row[row]] += 1
    return begin


@inlined_kernel
def _load_core(v: FloatArray, lane: int, beyond: int, slots: int, first: int, n: int, vertices: FloatArray) -> None:
    """Load vertices into the lane, padded with the last; `beyond` is 0 for A and the step to B for B."""
    last = first + n - 1
    for slot in range(slots):
        at = np.uint64(min(first + slot, last))
        to = np.uint64((beyond + slot) * STRIDE + lane)
        v[to], v[to + _TO_Y] = vertices[at, 0], vertices[at, 1]


@inlined_kernel
def _find_support(v: FloatArray, s: FloatArray, k: IntArray, beyond: int, slots: int, toward: int, point_row: int, index_row: int) -> None:
    """Find the vertex farthest along the direction in row `toward`, the first of equal ones, with its coordinates."""
    for lane in range(LANES):
        s[_FARTHEST * STRIDE + lane] = -np.inf
    for group in range(0, slots, SLOT_GROUP):
        row = (beyond + (group & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            at = row + lane
            nx, ny = s[toward * STRIDE + lane], s[(toward + 1) * STRIDE + lane]
            x_0, y_0 = v[_X * STRIDE + at], v[_Y * STRIDE + at]
            x_1, y_1 = v[(_X + 1) * STRIDE + at], v[(_Y + 1) * STRIDE + at]
            x_2, y_2 = v[(_X + 2) * STRIDE + at], v[(_Y + 2) * STRIDE + at]
            x_3, y_3 = v[(_X + 3) * STRIDE + at], v[(_Y + 3) * STRIDE + at]
            along_0, along_1, along_2, along_3 = nx * x_0 + ny * y_0, nx * x_1 + ny * y_1, nx * x_2 + ny * y_2, nx * x_3 + ny * y_3
            farthest, index = s[_FARTHEST * STRIDE + lane], k[index_row * STRIDE + lane]
            x, y = s[point_row * STRIDE + lane], s[(point_row + 1) * STRIDE + lane]
            takes = along_0 > farthest
            farthest, index = (along_0 if takes else farthest), (group if takes else index)
            x, y = (x_0 if takes else x), (y_0 if takes else y)
            takes = along_1 > farthest
            farthest, index = (along_1 if takes else farthest), (group + 1 if takes else index)
            x, y = (x_1 if takes else x), (y_1 if takes else y)
            takes = along_2 > farthest
            farthest, index = (along_2 if takes else farthest), (group + 2 if takes else index)
            x, y = (x_2 if takes else x), (y_2 if takes else y)
            takes = along_3 > farthest
            farthest, index = (along_3 if takes else farthest), (group + 3 if takes else index)
            x, y = (x_3 if takes else x), (y_3 if takes else y)
            s[_FARTHEST * STRIDE + lane], k[index_row * STRIDE + lane] = farthest, index
            s[point_row * STRIDE + lane], s[(point_row + 1) * STRIDE + lane] = x, y


@inlined_kernel
def _find_supports(v: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Find the supports of A along n and of B against it; see `support_a` and `support_b`."""
    for lane in range(LANES):
        cos, sin = s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane]
        nx, ny = s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane]
        s[_TOWARD_B * STRIDE + lane], s[(_TOWARD_B + 1) * STRIDE + lane] = -(cos * nx + sin * ny), -(cos * ny - sin * nx)
    _find_support(v, s, k, 0, slots, _N, _W_A, _INDEX_W_A)
    _find_support(v, s, k, _TO_B, slots, _TOWARD_B, _W_B, _INDEX_W_B)


@inlined_kernel
def _begin(v: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Place B as A sees it and start from the support along the line of the two origins; see `gjk_cores`."""
    for lane in range(LANES):
        ax, ay, bx, by = (
            s[_POSE_A * STRIDE + lane], s[(_POSE_A + 1) * STRIDE + lane], s[_POSE_B * STRIDE + lane], s[(_POSE_B + 1) * STRIDE + lane],
        )  # fmt: skip
        cos, sin, shift_x, shift_y = relative_pose(
            ax, ay, s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane],
            bx, by, s[(_POSE_B + 2) * STRIDE + lane], s[(_POSE_B + 3) * STRIDE + lane],
        )  # fmt: skip
        rounding, touch, holds = roundings(ax, ay, s[_EXTENT_A * STRIDE + lane], bx, by, s[_EXTENT_B * STRIDE + lane], shift_x, shift_y)
        s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane] = cos, sin
        s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane] = shift_x, shift_y
        s[_ROUNDING * STRIDE + lane], s[_TOUCHES * STRIDE + lane] = rounding, touch
        apart = math.sqrt(shift_x * shift_x + shift_y * shift_y)
        is_apart = apart > rounding
        s[_N * STRIDE + lane] = shift_x / apart if is_apart else 1.0
        s[(_N + 1) * STRIDE + lane] = shift_y / apart if is_apart else 0.0
        k[_END * STRIDE + lane] = _GOES_ON if holds else _IS_ODD
        k[_STEPS * STRIDE + lane] = 0
    _find_supports(v, s, k, slots)
    for lane in range(LANES):
        bx, by = place(
            s[_W_B * STRIDE + lane], s[(_W_B + 1) * STRIDE + lane], s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane],
            s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane],
        )  # fmt: skip
        x, y = bx - s[_W_A * STRIDE + lane], by - s[(_W_A + 1) * STRIDE + lane]
        s[_P * STRIDE + lane], s[(_P + 1) * STRIDE + lane], s[_Q * STRIDE + lane], s[(_Q + 1) * STRIDE + lane] = x, y, x, y
        k[_INDEX_P_A * STRIDE + lane] = k[_INDEX_Q_A * STRIDE + lane] = k[_INDEX_W_A * STRIDE + lane]
        k[_INDEX_P_B * STRIDE + lane] = k[_INDEX_Q_B * STRIDE + lane] = k[_INDEX_W_B * STRIDE + lane]


@inlined_kernel
def _look_along_nearest(s: FloatArray, k: IntArray) -> None:
    """Do step 1 of `gjk_cores`: the nearest point of the segment, what it drops, and the direction."""
    for lane in range(LANES):
        px, py, qx, qy = (
            s[_P * STRIDE + lane], s[(_P + 1) * STRIDE + lane], s[_Q * STRIDE + lane], s[(_Q + 1) * STRIDE + lane],
        )  # fmt: skip
        p_a, p_b = k[_INDEX_P_A * STRIDE + lane], k[_INDEX_P_B * STRIDE + lane]
        q_a, q_b = k[_INDEX_Q_A * STRIDE + lane], k[_INDEX_Q_B * STRIDE + lane]
        ex, ey = qx - px, qy - py
        along, length_sq = -(px * ex + py * ey), ex * ex + ey * ey
        inner = along / length_sq
        share = 0.0 if along <= 0.0 else (1.0 if along >= length_sq else inner)
        is_p, is_q = share <= 0.0, share >= 1.0
        old_px, old_py, old_a, old_b = px, py, p_a, p_b
        px, py, p_a, p_b = (qx if is_q else px), (qy if is_q else py), (q_a if is_q else p_a), (q_b if is_q else p_b)
        qx, qy = (old_px if is_p else qx), (old_py if is_p else qy)
        q_a, q_b = (old_a if is_p else q_a), (old_b if is_p else q_b)
        share = 0.0 if is_q else share
        ex, ey = qx - px, qy - py
        vx, vy = px + share * ex, py + share * ey
        length, distance = math.sqrt(ex * ex + ey * ey), math.sqrt(vx * vx + vy * vy)
        is_far = distance >= length
        by_v_x, by_v_y, by_e_x, by_e_y = vx / distance, vy / distance, ey / length, -ex / length
        by_e = by_e_x * px + by_e_y * py
        turns = by_e < 0.0
        by_e_x, by_e_y, by_e = (-by_e_x if turns else by_e_x), (-by_e_y if turns else by_e_y), (-by_e if turns else by_e)
        distance = distance if is_far else by_e
        end = k[_END * STRIDE + lane]
        k[_STEPS * STRIDE + lane] += 1 if end == _GOES_ON else 0
        k[_END * STRIDE + lane] = _IS_ODD if (end == _GOES_ON) & (distance <= s[_ROUNDING * STRIDE + lane]) else end
        s[_P * STRIDE + lane], s[(_P + 1) * STRIDE + lane], s[_Q * STRIDE + lane], s[(_Q + 1) * STRIDE + lane] = px, py, qx, qy
        k[_INDEX_P_A * STRIDE + lane], k[_INDEX_P_B * STRIDE + lane] = p_a, p_b
        k[_INDEX_Q_A * STRIDE + lane], k[_INDEX_Q_B * STRIDE + lane] = q_a, q_b
        s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane] = (by_v_x if is_far else by_e_x), (by_v_y if is_far else by_e_y)
        s[_SHARE * STRIDE + lane], s[_DISTANCE * STRIDE + lane] = share, distance


@inlined_kernel
def _keep_nearest(s: FloatArray, k: IntArray) -> int:
    """Do the end of step 2 and step 3 of `gjk_cores`: which of p, q, w stay; return how many lanes go on."""
    for lane in range(LANES):
        px, py, qx, qy = (
            s[_P * STRIDE + lane], s[(_P + 1) * STRIDE + lane], s[_Q * STRIDE + lane], s[(_Q + 1) * STRIDE + lane],
        )  # fmt: skip
        p_a, p_b = k[_INDEX_P_A * STRIDE + lane], k[_INDEX_P_B * STRIDE + lane]
        q_a, q_b = k[_INDEX_Q_A * STRIDE + lane], k[_INDEX_Q_B * STRIDE + lane]
        w_a, w_b = k[_INDEX_W_A * STRIDE + lane], k[_INDEX_W_B * STRIDE + lane]
        bx, by = place(
            s[_W_B * STRIDE + lane], s[(_W_B + 1) * STRIDE + lane], s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane],
            s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane],
        )  # fmt: skip
        wx, wy = bx - s[_W_A * STRIDE + lane], by - s[(_W_A + 1) * STRIDE + lane]
        distance, touch = s[_DISTANCE * STRIDE + lane], s[_TOUCHES * STRIDE + lane]
        bound = s[_N * STRIDE + lane] * wx + s[(_N + 1) * STRIDE + lane] * wy
        is_point = (p_a == q_a) & (p_b == q_b)
        is_known = ((w_a == p_a) & (w_b == p_b)) | ((w_a == q_a) & (w_b == q_b))
        is_apart = is_known | (distance - bound <= s[_ROUNDING * STRIDE + lane])

        to_px, to_py, to_qx, to_qy = px - wx, py - wy, qx - wx, qy - wy
        winding = 1.0 if to_px * to_qy - to_py * to_qx > 0.0 else -1.0
        beside_p, beside_q = -winding * (to_px * wy - to_py * wx), -winding * (wx * to_qy - wy * to_qx)
        encloses = (not is_point) & (beside_p > 0.0) & (beside_q > 0.0) & (bound < 0.0)
        inside_p = beside_p > touch * math.sqrt(to_px * to_px + to_py * to_py)
        inside_q = beside_q > touch * math.sqrt(to_qx * to_qx + to_qy * to_qy)
        is_inside = inside_p & inside_q & (distance > touch)
        end = k[_END * STRIDE + lane]
        found = _IS_APART if is_apart else ((_IS_INSIDE if is_inside else _IS_ODD) if encloses else _GOES_ON)
        k[_END * STRIDE + lane] = found if end == _GOES_ON else end

        stays = is_apart | encloses
        keeps_p = is_point | ((beside_p <= 0.0) & (-(wx * to_px + wy * to_py) > 0.0))
        keeps_q = (not keeps_p) & (beside_q <= 0.0) & (-(wx * to_qx + wy * to_qy) > 0.0)
        keeps_p, keeps_q = stays | keeps_p, stays | keeps_q
        s[_P * STRIDE + lane], s[(_P + 1) * STRIDE + lane] = (px if keeps_p else wx), (py if keeps_p else wy)
        s[_Q * STRIDE + lane], s[(_Q + 1) * STRIDE + lane] = (qx if keeps_q else wx), (qy if keeps_q else wy)
        k[_INDEX_P_A * STRIDE + lane], k[_INDEX_P_B * STRIDE + lane] = (p_a if keeps_p else w_a), (p_b if keeps_p else w_b)
        k[_INDEX_Q_A * STRIDE + lane], k[_INDEX_Q_B * STRIDE + lane] = (q_a if keeps_q else w_a), (q_b if keeps_q else w_b)
    n = 0
    for lane in range(LANES):
        n += 1 if k[_END * STRIDE + lane] == _GOES_ON else 0
    return n


@inlined_kernel
def _finish(v: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Fill the results: points and normal by the share, out to the surfaces and to the world; see `query_pair` and `fill_row`."""
    for lane in range(LANES):
        for field in range(2):
            column = field * _Y * STRIDE + lane
            s[(_P_A + field) * STRIDE + lane] = v[(k[_INDEX_P_A * STRIDE + lane] & SLOT_MASK) * STRIDE + column]
            s[(_Q_A + field) * STRIDE + lane] = v[(k[_INDEX_Q_A * STRIDE + lane] & SLOT_MASK) * STRIDE + column]
            s[(_P_B + field) * STRIDE + lane] = v[((k[_INDEX_P_B * STRIDE + lane] & SLOT_MASK) + _TO_B) * STRIDE + column]
            s[(_Q_B + field) * STRIDE + lane] = v[((k[_INDEX_Q_B * STRIDE + lane] & SLOT_MASK) + _TO_B) * STRIDE + column]
    for lane in range(LANES):
        is_apart, share, distance = k[_END * STRIDE + lane] == _IS_APART, s[_SHARE * STRIDE + lane], s[_DISTANCE * STRIDE + lane]
        radius_a, radius_b, touch = s[_RADIUS_A * STRIDE + lane], s[_RADIUS_B * STRIDE + lane], s[_TOUCHES * STRIDE + lane]
        nx, ny = s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane]
        cos, sin, shift_x, shift_y = (
            s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane], s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane],
        )  # fmt: skip
        p_x, p_y, q_x, q_y = (
            s[_P_A * STRIDE + lane], s[(_P_A + 1) * STRIDE + lane], s[_Q_A * STRIDE + lane], s[(_Q_A + 1) * STRIDE + lane],
        )  # fmt: skip
        a_x, a_y = p_x + share * (q_x - p_x), p_y + share * (q_y - p_y)
        px, py = place(s[_P_B * STRIDE + lane], s[(_P_B + 1) * STRIDE + lane], cos, sin, shift_x, shift_y)
        qx, qy = place(s[_Q_B * STRIDE + lane], s[(_Q_B + 1) * STRIDE + lane], cos, sin, shift_x, shift_y)
        b_x, b_y = px + share * (qx - px), py + share * (qy - py)
        radius = radius_a + radius_b
        separation = distance - radius
        a_x, a_y = a_x + radius_a * nx, a_y + radius_a * ny
        b_x, b_y = b_x - radius_b * nx, b_y - radius_b * ny
        ax, ay = s[_POSE_A * STRIDE + lane], s[(_POSE_A + 1) * STRIDE + lane]
        cos_a, sin_a = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane]
        world_ax, world_ay = place(a_x, a_y, cos_a, sin_a, ax, ay)
        world_bx, world_by = place(b_x, b_y, cos_a, sin_a, ax, ay)
        s[_RESULT * STRIDE + lane] = separation if is_apart else 0.0 - radius
        s[(_RESULT + 1) * STRIDE + lane] = world_ax if is_apart else np.nan
        s[(_RESULT + 2) * STRIDE + lane] = world_ay if is_apart else np.nan
        s[(_RESULT + 3) * STRIDE + lane] = world_bx if is_apart else np.nan
        s[(_RESULT + 4) * STRIDE + lane] = world_by if is_apart else np.nan
        s[(_RESULT + 5) * STRIDE + lane] = cos_a * nx - sin_a * ny if is_apart else np.nan
        s[(_RESULT + 6) * STRIDE + lane] = sin_a * nx + cos_a * ny if is_apart else np.nan
        by_touch = _SEPARATED if separation > touch else (_TOUCHING if separation >= -touch else _OVERLAPPING)
        k[_STATUS * STRIDE + lane] = by_touch if is_apart else _OVERLAPPING


@kernel
def _cores_lanes(
    v: FloatArray,
    s: FloatArray,
    k: IntArray,
    chosen: IntArray,
    slots: int,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    status: IntArray,
    iterations: IntArray,
    rows: FloatArray,
    again: IntArray,
) -> int:
    """Fill the `chosen` rows, of cores of at most `slots` vertices; return how many of them `again` lists, to be done over.

    All other arguments are those of `distance_pairs`.
    """
    n_again = 0
    for low in range(0, chosen.shape[0], LANES):
        for lane in range(LANES):
            row = np.uint64(chosen[min(low + lane, chosen.shape[0] - 1)])
            a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
            for field in range(4):
                s[(_POSE_A + field) * STRIDE + lane] = poses_a[row, field]
                s[(_POSE_B + field) * STRIDE + lane] = poses_b[row, field]
            s[_RADIUS_A * STRIDE + lane], s[_RADIUS_B * STRIDE + lane] = radius[a], radius[b]
            s[_EXTENT_A * STRIDE + lane], s[_EXTENT_B * STRIDE + lane] = extent[a], extent[b]
            _load_core(v, lane, 0, slots, first[a], n_vertices[a], vertices)
            _load_core(v, lane, _TO_B, slots, first[b], n_vertices[b], vertices)
        _begin(v, s, k, slots)
        n_left, step = LANES, 0
        while n_left > STRAGGLERS and step < GJK_MAX_ITERATIONS:
            _look_along_nearest(s, k)
            _find_supports(v, s, k, slots)
            n_left = _keep_nearest(s, k)
            step += 1
        _finish(v, s, k)
        for lane in range(min(LANES, chosen.shape[0] - low)):
            row = np.uint64(chosen[low + lane])
            end = k[_END * STRIDE + lane]
            if end in (_IS_APART, _IS_INSIDE):
                status[row], iterations[row] = k[_STATUS * STRIDE + lane], k[_STEPS * STRIDE + lane]
                for field in range(ROW_WIDTH):
                    rows[row, field] = s[(_RESULT + field) * STRIDE + lane]
            else:
                again[n_again] = chosen[low + lane]
                n_again += 1
    return n_again


@kernel
def distance_lanes(
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    status: IntArray,
    iterations: IntArray,
    rows: FloatArray,
) -> IntArray:
    """Fill the rows of all `pairs` that lanes can finish; return the numbers of the others, which are `distance_pairs`'s to fill.

    Arguments are those of `distance_pairs`.
    """
    n = pairs.shape[0]
    sorted_rows, rest = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    begin = _classify_cores(n_vertices, pairs, sorted_rows)
    v, s = np.empty(_VERTEX_ROWS * STRIDE), np.zeros(_NUMBER_ROWS * STRIDE)
    k = np.zeros(_WHOLE_ROWS * STRIDE, dtype=np.int64)
    n_rest = 0
    for number in range(_N_CLASSES):
        chosen = sorted_rows[begin[number] : begin[number + 1]]
        if number == _N_CLASSES - 1 or chosen.shape[0] < FEWEST:
            for at in range(chosen.shape[0]):
                rest[n_rest] = chosen[at]
                n_rest += 1
        else:
            n_rest += _cores_lanes(
                v, s, k, chosen, SLOT_GROUP * (number + 1), first, n_vertices, vertices, radius, extent,
                pairs, poses_a, poses_b, status, iterations, rows, rest[n_rest:],
            )  # fmt: skip
    return rest[:n_rest]
