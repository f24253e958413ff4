"""The distances of many pairs at once: GJK with 64 pairs side by side.

The chapter is `_gjk_kernel`; read that one first, and `_simd_kernel` for what lanes are and what keeps them fast. Between two steps
GJK's state is a segment p q, each end a vertex of A and one of B in A's frame, so that a step is four loops over the lanes without a
branch::

    nearest point of p q, direction n       one loop     both directions are at hand, the one from the longer vector selected
    supports of A and of B                  one each     a tournament: of each two vertices the farther, of two such again
    which of p, q, w stay                   one loop     three cases, selected

Why four and not one: a step is a chain of some forty operations, each of which waits for the one before. The processor fills the wait
with the next lanes as far as it can look ahead, and that is several turns of a short loop, but less than two of a long one
(measured: 3.8 ns a pair and step; in one loop 6.2).

Pairs wait on lists by their sizes, nine of them, until one has 64; see `_simd_kernel`. Poses are turned into cosine and sine here,
in the lanes.

All 64 take steps until at most `STRAGGLERS` have not ended; these wait until there are 64 of them, and are then done to the end. A pair
that has ended may go on stepping: its segment stays, so that the same step comes out again, and only its count of steps has stopped.

Where GJK ends SEPARATED or OVERLAPPING the answer is complete, by the same operations in the same order as `_distance_kernel`: the two
agree to the bit. All else goes to that kernel: TOUCHING, which is EPA's to decide, what float64 does not hold, angles too large for
`small_turn`, cores of more than 16 vertices, and the last pairs, if too few to be worth a block.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel, unlocked_kernel
from engine.common.registers import EIGHT, fetch, return_eight, turn_eight
from engine.common.tolerances import GJK_MAX_ITERATIONS
from engine.contracts.status import OVERLAPPING, SEPARATED, TOUCHING
from engine.geometry._rotation_kernel import cosine_and_sine_of_small
from engine.geometry.rotation import MAX_TURNED
from engine.narrowphase._distance_kernel import ROW_WIDTH, distance_listed, roundings
from engine.narrowphase._gjk_kernel import enclosing_sides
from engine.narrowphase._sides_kernel import Arrays, place, relative_pose
from engine.narrowphase._simd_kernel import FEWEST, LANES, STRIDE, TO_B, X, Y, fetch_shapes, gather, load_short, load_slots, two
from engine.narrowphase.packing import RECORD, SLOT_GROUP, SLOTS

__all__ = ["SCRATCH", "STRAGGLERS", "distances_simd"]

STRAGGLERS = 2
"""Lanes left unfinished when a block ends, for the last may need many steps. Of 10,000 pairs of polygons a hundred are left."""

_SIZES = (4, 8, SLOTS)
"""Most vertices of a core of each size, which all of them are padded to; larger ones go to the scalar kernel."""

_N_SIZES = len(_SIZES)
_LISTS_A = _N_SIZES + 1
_N_LISTS = _LISTS_A * _LISTS_A

# Rows of the scratch `s`: the vertices' x and y, as in `_simd_kernel`, those of A in its frame, of B in its own;
# numbers that are loaded: poses x y angle, with room for A's cosine and sine in place of the angle; the record's first four, of which
# radius and extent are wanted;
_POSE_A, _POSE_B, _HEAD_A, _HEAD_B = 4 * SLOTS, 4 * SLOTS + 4, 4 * SLOTS + 8, 4 * SLOTS + 12
_RADIUS_A, _EXTENT_A, _RADIUS_B, _EXTENT_B = _HEAD_A + 2, _HEAD_A + 3, _HEAD_B + 2, _HEAD_B + 3
# numbers of the search: x y of points and directions, except the frame (cos, sin, x, y);
_FRAME, _ROUNDING, _TOUCH, _N = _HEAD_B + 4, _HEAD_B + 8, _HEAD_B + 9, _HEAD_B + 10
_P, _Q, _W = _N + 2, _N + 6, _N + 10  # of each a vertex of A and one of B
_W_A, _W_B = _W, _W + 2
_SHARE, _DISTANCE, _END, _STEPS = _N + 14, _N + 15, _N + 16, _N + 17
# and the answer.
_RESULT = _N + 18
SCRATCH = (_RESULT + ROW_WIDTH) * STRIDE
"""Numbers of `s`."""

# Rows of `k`, whole numbers: where records, poses and the answer lie in memory; status, steps, and whether the scalar kernel must answer.
_AT_A, _AT_B, _AT_POSE, _AT_RESULT, _STATUS, _COUNT, _AGAIN = 0, 1, 2, 3, 4, 5, 6
_WHOLE_ROWS = 7

_POSE = 3
"""Numbers of a pose: x, y, angle."""

_GOES_ON, _IS_APART, _IS_INSIDE, _IS_ODD = 0.0, 1.0, 2.0, 3.0


@inlined_kernel
def _farther(along_0: float, x_0: float, y_0: float, along_1: float, x_1: float, y_1: float) -> tuple[float, float, float]:
    """Return the point that lies farther, the first of equal ones; how far, x, y."""
    takes = along_1 > along_0
    return (along_1 if takes else along_0), (x_1 if takes else x_0), (y_1 if takes else y_0)


@inlined_kernel
def _farther_of_two(s: FloatArray, row: int, lane: int, nx: float, ny: float) -> tuple[float, float, float]:
    """Return the farther of the vertices at `row` and the next."""
    at = row * STRIDE + lane
    x_0, y_0 = s[X * STRIDE + at], s[Y * STRIDE + at]
    x_1, y_1 = s[(X + 1) * STRIDE + at], s[(Y + 1) * STRIDE + at]
    return _farther(nx * x_0 + ny * y_0, x_0, y_0, nx * x_1 + ny * y_1, x_1, y_1)


@inlined_kernel
def _farthest_of_four(s: FloatArray, row: int, lane: int, nx: float, ny: float) -> tuple[float, float, float]:
    along_0, x_0, y_0 = _farther_of_two(s, row, lane, nx, ny)
    along_1, x_1, y_1 = _farther_of_two(s, row + 2, lane, nx, ny)
    return _farther(along_0, x_0, y_0, along_1, x_1, y_1)


@inlined_kernel
def _farthest(s: FloatArray, row: int, lane: int, slots: int, nx: float, ny: float) -> tuple[float, float]:
    """Return the vertex farthest along the direction, the first of equal ones; `slots` is known when this is compiled."""
    along, x, y = _farthest_of_four(s, row, lane, nx, ny)
    if slots > _SIZES[0]:
        along_1, x_1, y_1 = _farthest_of_four(s, row + 4, lane, nx, ny)
        along, x, y = _farther(along, x, y, along_1, x_1, y_1)
    if slots > _SIZES[1]:
        along_2, x_2, y_2 = _farthest_of_four(s, row + 8, lane, nx, ny)
        along_3, x_3, y_3 = _farthest_of_four(s, row + 12, lane, nx, ny)
        along_2, x_2, y_2 = _farther(along_2, x_2, y_2, along_3, x_3, y_3)
        along, x, y = _farther(along, x, y, along_2, x_2, y_2)
    return x, y


@inlined_kernel
def _support_a(s: FloatArray, slots: int) -> None:
    """Find the support of A along n; see `support_a`."""
    for lane in range(LANES):
        nx, ny = two(s, _N, lane)
        s[_W_A * STRIDE + lane], s[(_W_A + 1) * STRIDE + lane] = _farthest(s, 0, lane, slots, nx, ny)


@inlined_kernel
def _support_b(s: FloatArray, slots: int) -> None:
    """Find the support of B against n, in A's frame; see `support_b`."""
    for lane in range(LANES):
        (nx, ny), (cos, sin), (shift_x, shift_y) = two(s, _N, lane), two(s, _FRAME, lane), two(s, _FRAME + 2, lane)
        x, y = _farthest(s, TO_B, lane, slots, -(cos * nx + sin * ny), -(cos * ny - sin * nx))
        s[_W_B * STRIDE + lane], s[(_W_B + 1) * STRIDE + lane] = place(x, y, cos, sin, shift_x, shift_y)


@inlined_kernel
def _find_supports(s: FloatArray, size_a: int, size_b: int) -> None:
    """Find both, each size with a loop of its own, in which the number of slots is a constant."""
    if size_a == 0:
        _support_a(s, _SIZES[0])
    elif size_a == 1:
        _support_a(s, _SIZES[1])
    else:
        _support_a(s, _SIZES[2])
    if size_b == 0:
        _support_b(s, _SIZES[0])
    elif size_b == 1:
        _support_b(s, _SIZES[1])
    else:
        _support_b(s, _SIZES[2])


@inlined_kernel
def _set_end(s: FloatArray, row: int, lane: int, a_x: float, a_y: float, b_x: float, b_y: float) -> None:
    """Write an end of the segment: a vertex of A, and one of B."""
    s[row * STRIDE + lane], s[(row + 1) * STRIDE + lane] = a_x, a_y
    s[(row + 2) * STRIDE + lane], s[(row + 3) * STRIDE + lane] = b_x, b_y


@inlined_kernel
def _begin(s: FloatArray, size_a: int, size_b: int) -> None:
    """Place B as A sees it, start from the support along the line of the two origins, and look from there; see `gjk_cores`.

    The first step 1 is done here: a segment that is one point needs little of it.
    """
    for lane in range(LANES):
        (ax, ay), (bx, by) = two(s, _POSE_A, lane), two(s, _POSE_B, lane)
        angle_a, angle_b = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_B + 2) * STRIDE + lane]
        cos_a, sin_a = cosine_and_sine_of_small(angle_a)
        cos_b, sin_b = cosine_and_sine_of_small(angle_b)
        s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane] = cos_a, sin_a
        cos, sin, shift_x, shift_y = relative_pose(ax, ay, cos_a, sin_a, bx, by, cos_b, sin_b)
        rounding, touch, holds = roundings(ax, ay, s[_EXTENT_A * STRIDE + lane], bx, by, s[_EXTENT_B * STRIDE + lane], shift_x, shift_y)
        s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane] = cos, sin
        s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane] = shift_x, shift_y
        s[_ROUNDING * STRIDE + lane], s[_TOUCH * STRIDE + lane] = rounding, touch
        apart = math.sqrt(shift_x * shift_x + shift_y * shift_y)
        is_apart = apart > rounding
        nx, ny = shift_x / apart, shift_y / apart
        s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane] = (nx if is_apart else 1.0), (ny if is_apart else 0.0)
        s[_END * STRIDE + lane] = _GOES_ON if holds & (abs(angle_a) <= MAX_TURNED) & (abs(angle_b) <= MAX_TURNED) else _IS_ODD
    _find_supports(s, size_a, size_b)
    for lane in range(LANES):
        (a_x, a_y), (b_x, b_y) = two(s, _W_A, lane), two(s, _W_B, lane)
        vx, vy = (b_x - a_x) + 0.0, (b_y - a_y) + 0.0  # not -0.0
        distance = math.sqrt(vx * vx + vy * vy)
        end = s[_END * STRIDE + lane]
        s[_END * STRIDE + lane] = _IS_ODD if (end == _GOES_ON) & (distance <= s[_ROUNDING * STRIDE + lane]) else end
        s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane] = vx / distance, vy / distance
        s[_SHARE * STRIDE + lane], s[_DISTANCE * STRIDE + lane], s[_STEPS * STRIDE + lane] = 0.0, distance, 1.0
        _set_end(s, _P, lane, a_x, a_y, b_x, b_y)
        _set_end(s, _Q, lane, a_x, a_y, b_x, b_y)


@inlined_kernel
def _end_of(s: FloatArray, row: int, lane: int) -> tuple[float, float, float, float]:
    """Return one end of the segment, or w: x and y of A, and of B."""
    (a_x, a_y), (b_x, b_y) = two(s, row, lane), two(s, row + 2, lane)
    return a_x, a_y, b_x, b_y


@inlined_kernel
def _look_along_nearest(s: FloatArray) -> None:
    """Do step 1 of `gjk_cores`: the nearest point of the segment, what it drops, and the direction."""
    for lane in range(LANES):
        (pa_x, pa_y, pb_x, pb_y), (qa_x, qa_y, qb_x, qb_y) = _end_of(s, _P, lane), _end_of(s, _Q, lane)
        px, py, qx, qy = pb_x - pa_x, pb_y - pa_y, qb_x - qa_x, qb_y - qa_y
        ex, ey = qx - px, qy - py
        along, length_sq = -(px * ex + py * ey), ex * ex + ey * ey
        is_p = along <= 0.0
        is_q = (not is_p) & (along >= length_sq)
        is_end = is_p | is_q
        share = along / length_sq
        share = 0.0 if is_end else share
        ex, ey, length_sq = (0.0 if is_end else ex), (0.0 if is_end else ey), (0.0 if is_end else length_sq)
        px, py = (qx if is_q else px), (qy if is_q else py)
        vx, vy = px + share * ex, py + share * ey
        distance_sq = vx * vx + vy * vy
        is_far = distance_sq >= length_sq
        length = math.sqrt(distance_sq if is_far else length_sq)
        nx, ny = (vx if is_far else ey) / length, (vy if is_far else -ex) / length
        by_edge = nx * px + ny * py
        turns = (not is_far) & (by_edge < 0.0)
        nx, ny, by_edge = (-nx if turns else nx), (-ny if turns else ny), (-by_edge if turns else by_edge)
        distance = length if is_far else by_edge
        end = s[_END * STRIDE + lane]
        goes_on = end == _GOES_ON
        s[_STEPS * STRIDE + lane] += 1.0 if goes_on else 0.0
        s[_END * STRIDE + lane] = _IS_ODD if goes_on & (distance <= s[_ROUNDING * STRIDE + lane]) else end
        s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane] = nx, ny
        s[_SHARE * STRIDE + lane], s[_DISTANCE * STRIDE + lane] = share, distance
        _set_end(
            s, _P, lane, (qa_x if is_q else pa_x), (qa_y if is_q else pa_y), (qb_x if is_q else pb_x), (qb_y if is_q else pb_y)
        )  # fmt: skip
        _set_end(
            s, _Q, lane, (pa_x if is_p else qa_x), (pa_y if is_p else qa_y), (pb_x if is_p else qb_x), (pb_y if is_p else qb_y)
        )  # fmt: skip


@inlined_kernel
def _keep_nearest(s: FloatArray) -> int:
    """Do the end of step 2 and step 3 of `gjk_cores`: which of p, q, w stay; return how many lanes go on.

    How deep the origin lies inside the triangle is seen to at the end, by `_finish`: w stays where it is.
    """
    n = 0
    for lane in range(LANES):
        (pa_x, pa_y, pb_x, pb_y), (qa_x, qa_y, qb_x, qb_y) = _end_of(s, _P, lane), _end_of(s, _Q, lane)
        wa_x, wa_y, wb_x, wb_y = _end_of(s, _W, lane)
        px, py, qx, qy, wx, wy = pb_x - pa_x, pb_y - pa_y, qb_x - qa_x, qb_y - qa_y, wb_x - wa_x, wb_y - wa_y
        bound = s[_N * STRIDE + lane] * wx + s[(_N + 1) * STRIDE + lane] * wy
        is_point = (px == qx) & (py == qy)
        is_known = ((wx == px) & (wy == py)) | ((wx == qx) & (wy == qy))
        is_apart = is_known | (s[_DISTANCE * STRIDE + lane] - bound <= s[_ROUNDING * STRIDE + lane])

        to_px, to_py, to_qx, to_qy = px - wx, py - wy, qx - wx, qy - wy
        beside_p, beside_q = enclosing_sides(to_px, to_py, to_qx, to_qy, wx, wy)
        encloses = (not is_point) & (beside_p > 0.0) & (beside_q > 0.0) & (bound < 0.0)
        found = _IS_APART if is_apart else (_IS_INSIDE if encloses else _GOES_ON)
        end = s[_END * STRIDE + lane]
        end = found if end == _GOES_ON else end
        s[_END * STRIDE + lane] = end
        n += 1 if end == _GOES_ON else 0

        stays = is_apart | encloses
        keeps_p = is_point | ((beside_p <= 0.0) & (-(wx * to_px + wy * to_py) > 0.0))
        keeps_q = (not keeps_p) & (beside_q <= 0.0) & (-(wx * to_qx + wy * to_qy) > 0.0)
        keeps_p, keeps_q = stays | keeps_p, stays | keeps_q
        _set_end(
            s, _P, lane, (pa_x if keeps_p else wa_x), (pa_y if keeps_p else wa_y), (pb_x if keeps_p else wb_x), (pb_y if keeps_p else wb_y)
        )  # fmt: skip
        _set_end(
            s, _Q, lane, (qa_x if keeps_q else wa_x), (qa_y if keeps_q else wa_y), (qb_x if keeps_q else wb_x), (qb_y if keeps_q else wb_y)
        )  # fmt: skip
    return n


@inlined_kernel
def _finish(s: FloatArray, k: IntArray) -> None:
    """Fill the results: points and normal by the share, out to the surfaces and to the world; see `query_pair` and `fill_row`."""
    for lane in range(LANES):
        (pa_x, pa_y, pb_x, pb_y), (qa_x, qa_y, qb_x, qb_y) = _end_of(s, _P, lane), _end_of(s, _Q, lane)
        wa_x, wa_y, wb_x, wb_y = _end_of(s, _W, lane)
        wx, wy = wb_x - wa_x, wb_y - wa_y
        end, share, distance = s[_END * STRIDE + lane], s[_SHARE * STRIDE + lane], s[_DISTANCE * STRIDE + lane]
        radius_a, radius_b, touch = s[_RADIUS_A * STRIDE + lane], s[_RADIUS_B * STRIDE + lane], s[_TOUCH * STRIDE + lane]
        nx, ny = two(s, _N, lane)

        to_px, to_py, to_qx, to_qy = (pb_x - pa_x) - wx, (pb_y - pa_y) - wy, (qb_x - qa_x) - wx, (qb_y - qa_y) - wy
        beside_p, beside_q = enclosing_sides(to_px, to_py, to_qx, to_qy, wx, wy)
        is_deep = (beside_p > touch * math.sqrt(to_px * to_px + to_py * to_py)) & (distance > touch)
        is_deep = is_deep & (beside_q > touch * math.sqrt(to_qx * to_qx + to_qy * to_qy))
        is_apart = end == _IS_APART
        is_answered = is_apart | ((end == _IS_INSIDE) & is_deep)

        a_x, a_y = pa_x + share * (qa_x - pa_x), pa_y + share * (qa_y - pa_y)
        b_x, b_y = pb_x + share * (qb_x - pb_x), pb_y + share * (qb_y - pb_y)
        radius = radius_a + radius_b
        separation = distance - radius
        a_x, a_y = a_x + radius_a * nx, a_y + radius_a * ny
        b_x, b_y = b_x - radius_b * nx, b_y - radius_b * ny
        (ax, ay), (cos_a, sin_a) = two(s, _POSE_A, lane), two(s, _POSE_A + 2, lane)
        (world_ax, world_ay), (world_bx, world_by) = place(a_x, a_y, cos_a, sin_a, ax, ay), place(b_x, b_y, cos_a, sin_a, ax, ay)
        s[_RESULT * STRIDE + lane] = separation if is_apart else 0.0 - radius
        s[(_RESULT + 1) * STRIDE + lane] = world_ax if is_apart else np.nan
        s[(_RESULT + 2) * STRIDE + lane] = world_ay if is_apart else np.nan
        s[(_RESULT + 3) * STRIDE + lane] = world_bx if is_apart else np.nan
        s[(_RESULT + 4) * STRIDE + lane] = world_by if is_apart else np.nan
        s[(_RESULT + 5) * STRIDE + lane] = cos_a * nx - sin_a * ny if is_apart else np.nan
        s[(_RESULT + 6) * STRIDE + lane] = sin_a * nx + cos_a * ny if is_apart else np.nan
        by_touch = SEPARATED if separation > touch else (TOUCHING if separation >= -touch else OVERLAPPING)
        k[_STATUS * STRIDE + lane] = by_touch if is_apart else OVERLAPPING
        k[_COUNT * STRIDE + lane] = int(s[_STEPS * STRIDE + lane])
        k[_AGAIN * STRIDE + lane] = 0 if is_answered else 1


class _Query(NamedTuple):
    """The question and the columns to fill: arguments of `distance_listed`; the shapes' records, and all poses, in one row."""

    packed: Arrays
    records: FloatArray
    flat_a: FloatArray
    flat_b: FloatArray
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    status: IntArray
    iterations: IntArray
    rows: FloatArray


@inlined_kernel
def _load(s: FloatArray, k: IntArray, chosen: IntArray, size_a: int, size_b: int, query: _Query) -> None:
    """Load a block; lanes past the end of `chosen` take its last row once more, with the same answer to the same place."""
    last, records, pairs, flat_a, flat_b = chosen.shape[0] - 1, query.records, query.pairs, query.flat_a, query.flat_b
    last_row = 0
    for lane in range(LANES):
        row = np.uint64(chosen[np.uint64(min(lane, last))])
        last_row = max(last_row, int(row))
        k[_AT_RESULT * STRIDE + lane], k[_AT_POSE * STRIDE + lane] = ROW_WIDTH * row, _POSE * row
        k[_AT_A * STRIDE + lane], k[_AT_B * STRIDE + lane] = RECORD * pairs[row, 0], RECORD * pairs[row, 1]
    load_short(s, k, _POSE_A, _AT_POSE, flat_a, _POSE, last_row)
    load_short(s, k, _POSE_B, _AT_POSE, flat_b, _POSE, last_row)
    for lane in range(0, LANES, EIGHT):
        turn_eight(s, _HEAD_A * STRIDE + lane, STRIDE, records, k, _AT_A * STRIDE + lane, 0)
        turn_eight(s, _HEAD_B * STRIDE + lane, STRIDE, records, k, _AT_B * STRIDE + lane, 0)
    load_slots(s, k, _AT_A, 0, _SIZES[size_a], records, False)
    load_slots(s, k, _AT_B, TO_B, _SIZES[size_b], records, False)


@inlined_kernel
def _store(s: FloatArray, k: IntArray, chosen: IntArray, query: _Query, again: IntArray, n_again: int) -> int:
    """Write the answers to the caller's rows and append to `again` those that need another; return how many it lists then."""
    status, iterations, last = query.status, query.iterations, ROW_WIDTH - SLOT_GROUP
    for lane in range(0, LANES, EIGHT):
        return_eight(query.rows, k, _AT_RESULT * STRIDE + lane, 0, s, _RESULT * STRIDE + lane, STRIDE)
        return_eight(query.rows, k, _AT_RESULT * STRIDE + lane, last, s, (_RESULT + last) * STRIDE + lane, STRIDE)
    for lane in range(chosen.shape[0]):
        row = np.uint64(chosen[np.uint64(lane)])
        status[row], iterations[row] = k[_STATUS * STRIDE + lane], k[_COUNT * STRIDE + lane]
        again[np.uint64(n_again)] = row
        n_again += k[_AGAIN * STRIDE + lane]
    return n_again


@kernel
def _answer_block(
    s: FloatArray, k: IntArray, chosen: IntArray, size_a: int, size_b: int, stragglers: int, query: _Query, again: IntArray, n_again: int
) -> int:
    """Fill the `chosen` rows, at most `LANES`, of cores no larger than the sizes; return how many rows `again` lists then."""
    _load(s, k, chosen, size_a, size_b, query)
    _begin(s, size_a, size_b)
    n_left, step = LANES, 0
    while n_left > stragglers and step < GJK_MAX_ITERATIONS:
        if step > 0:
            _look_along_nearest(s)
        _find_supports(s, size_a, size_b)
        n_left = _keep_nearest(s)
        step += 1
    _finish(s, k)
    return _store(s, k, chosen, query, again, n_again)


@allocating_kernel
def _answer_listed(rows: IntArray, query: _Query) -> bool:
    """Fill the rows one by one; False at a pose that is not finite."""
    return distance_listed(
        rows, query.packed, query.pairs, query.poses_a, query.poses_b, query.status, query.iterations, query.rows
    )  # fmt: skip


@kernel
def _answer_again(s: FloatArray, k: IntArray, chosen: IntArray, size: int, query: _Query) -> bool:
    """Fill the `chosen` rows, at most `LANES`, to the last: side by side, where they fit, and what then is left one by one."""
    rest = chosen
    if size < _N_SIZES and chosen.shape[0] >= FEWEST:
        rest = np.empty(LANES + 1, dtype=np.int64)
        rest = rest[: _answer_block(s, k, chosen, size, size, 0, query, rest, 0)]
    return rest.shape[0] == 0 or _answer_listed(rest, query)


@inlined_kernel
def _fetch(row: int, query: _Query) -> None:
    """Ask for all that will be read and written of a pair but its shapes, and for the pairs that come."""
    fetch(query.pairs, 2 * (row + LANES))
    fetch(query.poses_a, 3 * row)
    fetch(query.poses_b, 3 * row)
    fetch(query.status, row)
    fetch(query.iterations, row)
    fetch(query.rows, ROW_WIDTH * row)
    fetch(query.rows, ROW_WIDTH * (row + 1) - 1)


@inlined_kernel
def _size_of(n_vertices: int) -> int:
    """Return 0, 1 or 2, the place in `_SIZES`, or 3 for a core that is too large; no branch, for none could be foretold."""
    return (1 if n_vertices > _SIZES[0] else 0) + (1 if n_vertices > _SIZES[1] else 0) + (1 if n_vertices > _SIZES[2] else 0)


@unlocked_kernel
def distances_simd(
    packed: Arrays, records: FloatArray, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, status: IntArray, iterations: IntArray,
    rows: FloatArray, s: FloatArray,
) -> bool:  # fmt: skip
    """Fill the rows of all `pairs`; return False, with some of them filled, at an index out of range or a pose that is not finite.

    Arguments are those of `distance_pairs`, except poses (n, 3) x, y, angle, `records` as in `PackedShapes`, and scratch `s` (SCRATCH,).
    The scalar kernel is called from here and not by the caller: from Python that costs as much as thousands of pairs when its code is
    not in the cache.
    """
    flat_a, flat_b = poses_a.reshape(-1), poses_b.reshape(-1)
    n_vertices, query = packed[2], _Query(packed, records.reshape(-1), flat_a, flat_b, pairs, poses_a, poses_b, status, iterations, rows)
    k = np.empty(_WHOLE_ROWS * STRIDE, dtype=np.int64)
    again, n_again = np.empty(2 * LANES + 1, dtype=np.int64), 0
    waiting, n_waiting = np.empty(_N_LISTS * LANES, dtype=np.int64), np.zeros(_N_LISTS, dtype=np.int64)
    for row in range(pairs.shape[0]):
        a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
        if a >= np.uint64(n_vertices.shape[0]) or b >= np.uint64(n_vertices.shape[0]):
            return False
        fetch_shapes(query.records, pairs, n_vertices, row, False)
        _fetch(row, query)
        size_a, size_b = _size_of(n_vertices[a]), _size_of(n_vertices[b])
        number = _LISTS_A * size_a + size_b
        at = n_waiting[np.uint64(number)]
        waiting[np.uint64(number * LANES + at)] = row
        n_waiting[np.uint64(number)] = at + 1
        if at + 1 == LANES:
            n_waiting[np.uint64(number)] = 0
            chosen = waiting[number * LANES : (number + 1) * LANES]
            if max(size_a, size_b) == _N_SIZES:
                if not _answer_listed(chosen, query):
                    return False
                continue
            n_again = _answer_block(s, k, chosen, size_a, size_b, STRAGGLERS, query, again, n_again)
            if n_again >= LANES:
                n_again -= LANES
                if not _answer_again(s, k, again[n_again : n_again + LANES], _N_SIZES - 1, query):
                    return False
    if not _answer_again(s, k, again[:n_again], _N_SIZES - 1, query):
        return False
    for size in range(1, _N_SIZES + 1):  # what waits still: first all that fit two cores of 8 vertices, then two of 16, then the others
        n_left = LANES
        while n_left == LANES:
            n_left = gather(waiting, n_waiting, LANES, _LISTS_A, size, again, LANES)
            if not _answer_again(s, k, again[:n_left], size, query):
                return False
    return True
