"""The distances of many pairs: GJK with 64 pairs in parallel lanes.

The algorithm is described in `_gjk_kernel`, and lanes in `_simd_kernel`; read these first. Between two steps GJK's state is a segment p q,
each end a vertex of A and one of B in A's frame, so that a step is four loops over the lanes without branches::

    nearest point of p q, direction n       one loop     both directions are at hand, the one from the longer vector selected
    supports of A and of B                  one each     a tournament: of each two vertices the farther, of two such again
    which of p, q, w stay                   one loop     three cases, selected

There are four loops because a step is a chain of about forty dependent operations. Out-of-order execution hides the latency by processing
the next lanes, several iterations of a short loop, but fewer than two of a long one (measured: 3.8 ns per pair and step; 6.2 with one
loop).

Pairs are collected in nine lists by their sizes until one has 64; see `_simd_kernel`. Cosine and sine of the poses are computed here, in
the lanes.

All 64 iterate until at most `STRAGGLERS` are unfinished; these are collected until there are 64, and then iterate to the end. A finished
pair keeps iterating: its segment does not change, so each step gives the same result, and only its step count has stopped.

If GJK ends SEPARATED or OVERLAPPING, the result is complete, by the same operations in the same order as `_distance_kernel`, and the two
are bit-identical. That kernel processes all other pairs: TOUCHING, which EPA decides, values outside float64's range, angles too large for
`small_turn`, cores of more than 16 vertices, and the last pairs, if too few for a block.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common._lanes_kernel import EIGHT, fetch, return_eight, turn_eight
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel, unlocked_kernel
from engine.common.tolerances import GJK_MAX_ITERATIONS
from engine.contracts.status import OVERLAPPING, SEPARATED, TOUCHING
from engine.geometry._rotation_kernel import cosine_and_sine_of_small
from engine.geometry.rotation import MAX_TURNED
from engine.narrowphase._distance_kernel import ROW_WIDTH, distance_listed, roundings
from engine.narrowphase._gjk_kernel import enclosing_sides
from engine.narrowphase._sides_kernel import Arrays, place, relative_pose
from engine.narrowphase._simd_kernel import (
    LANES,
    MIN_PAIRS,
    OUT_OF_RANGE,
    SCALAR,
    STRIDE,
    TO_B,
    X,
    Y,
    drive,
    fetch_shapes,
    load_short,
    load_slots,
    put_two,
    two,
)
from engine.narrowphase.packing import RECORD, SLOT_GROUP, SLOTS

__all__ = ["SCRATCH", "STRAGGLERS", "distances_simd"]

STRAGGLERS = 2
"""Maximum number of unfinished lanes at the end of a block, as the last ones may need many steps. Of 10,000 pairs of polygons a hundred
remain.
"""

_SIZES = (4, 8, SLOTS)
"""Maximum number of vertices for each size, to which its cores are padded; the scalar kernel processes larger ones."""

_N_SIZES = len(_SIZES)

# Places in the scratch `s`: the vertices' x and y, as in `_simd_kernel`, those of A in its frame, of B in its own;
# numbers that are loaded: poses x y angle, with room for A's cosine and sine in place of the angle; the record's first four, of which
# radius and extent are wanted;
_POSE_A, _POSE_B, _HEAD_A, _HEAD_B = ((4 * SLOTS + row) * STRIDE for row in (0, 4, 8, 12))
_RADIUS_A, _EXTENT_A, _RADIUS_B, _EXTENT_B = _HEAD_A + 2 * STRIDE, _HEAD_A + 3 * STRIDE, _HEAD_B + 2 * STRIDE, _HEAD_B + 3 * STRIDE
# numbers of the search: x y of points and directions, except the frame (cos, sin, x, y); of p, q and w a vertex of A and one of B;
_FRAME, _ROUNDING, _TOUCH, _N, _P, _Q, _W, _SHARE, _DISTANCE, _END, _STEPS, _RESULT = (
    _HEAD_B + row * STRIDE for row in (4, 8, 9, 10, 12, 16, 20, 24, 25, 26, 27, 28)
)  # fmt: skip
_W_A, _W_B = _W, _W + 2 * STRIDE
# and, last, the answer.
SCRATCH = _RESULT + ROW_WIDTH * STRIDE
"""Numbers of `s`."""

# Places in `k`: where records, poses and the answer lie in memory; status, steps, and whether the scalar kernel must answer.
_AT_A, _AT_B, _AT_POSE, _AT_RESULT, _STATUS, _COUNT, _AGAIN, _INTEGER_END = (row * STRIDE for row in range(8))

_POSE = 3
"""Numbers of a pose: x, y, angle."""

_GOES_ON, _IS_APART, _IS_INSIDE, _IS_ODD = 0.0, 1.0, 2.0, 3.0


@inlined_kernel
def _farther(along_0: float, x_0: float, y_0: float, along_1: float, x_1: float, y_1: float) -> tuple[float, float, float]:
    """Return the farther point, the first of equal ones: distance, x, y."""
    is_farther = along_1 > along_0
    return (along_1 if is_farther else along_0), (x_1 if is_farther else x_0), (y_1 if is_farther else y_0)


@inlined_kernel
def _farther_of_two(s: FloatArray, row: int, lane: int, nx: float, ny: float) -> tuple[float, float, float]:
    """Return the farther of the vertices at `row` and the next."""
    at = row + lane
    x_0, y_0 = s[X + at], s[Y + at]
    x_1, y_1 = s[X + STRIDE + at], s[Y + STRIDE + at]
    return _farther(nx * x_0 + ny * y_0, x_0, y_0, nx * x_1 + ny * y_1, x_1, y_1)


@inlined_kernel
def _farthest_of_four(s: FloatArray, row: int, lane: int, nx: float, ny: float) -> tuple[float, float, float]:
    along_0, x_0, y_0 = _farther_of_two(s, row, lane, nx, ny)
    along_1, x_1, y_1 = _farther_of_two(s, row + 2 * STRIDE, lane, nx, ny)
    return _farther(along_0, x_0, y_0, along_1, x_1, y_1)


@inlined_kernel
def _farthest(s: FloatArray, row: int, lane: int, slots: int, nx: float, ny: float) -> tuple[float, float]:
    """Return the vertex farthest along the direction, the first of equal ones; `slots` is known when this is compiled."""
    along, x, y = _farthest_of_four(s, row, lane, nx, ny)
    if slots > _SIZES[0]:
        along_1, x_1, y_1 = _farthest_of_four(s, row + 4 * STRIDE, lane, nx, ny)
        along, x, y = _farther(along, x, y, along_1, x_1, y_1)
    if slots > _SIZES[1]:
        along_2, x_2, y_2 = _farthest_of_four(s, row + 8 * STRIDE, lane, nx, ny)
        along_3, x_3, y_3 = _farthest_of_four(s, row + 12 * STRIDE, lane, nx, ny)
        along_2, x_2, y_2 = _farther(along_2, x_2, y_2, along_3, x_3, y_3)
        along, x, y = _farther(along, x, y, along_2, x_2, y_2)
    return x, y


@inlined_kernel
def _support_a(s: FloatArray, slots: int) -> None:
    """Find the support of A along n; see `support_a`."""
    for lane in range(LANES):
        nx, ny = two(s, _N, lane)
        put_two(s, _W_A, lane, *_farthest(s, 0, lane, slots, nx, ny))


@inlined_kernel
def _support_b(s: FloatArray, slots: int) -> None:
    """Find the support of B against n, in A's frame; see `support_b`."""
    for lane in range(LANES):
        (nx, ny), (cos, sin), (shift_x, shift_y) = two(s, _N, lane), two(s, _FRAME, lane), two(s, _FRAME + 2 * STRIDE, lane)
        x, y = _farthest(s, TO_B, lane, slots, -(cos * nx + sin * ny), -(cos * ny - sin * nx))
        put_two(s, _W_B, lane, *place(x, y, cos, sin, shift_x, shift_y))


@inlined_kernel
def _find_supports(s: FloatArray, size_a: int, size_b: int) -> None:
    """Find both supports, with one loop per size, in which the number of slots is a constant."""
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
    put_two(s, row, lane, a_x, a_y)
    put_two(s, row + 2 * STRIDE, lane, b_x, b_y)


@inlined_kernel
def _begin(s: FloatArray, size_a: int, size_b: int) -> None:
    """Transform B to A's frame and start from the support along the line of the two origins; see `gjk_cores`.

    The first iteration of step 1 is done here, because it is simple for a segment of one point.
    """
    for lane in range(LANES):
        (ax, ay), (bx, by) = two(s, _POSE_A, lane), two(s, _POSE_B, lane)
        angle_a, angle_b = s[_POSE_A + 2 * STRIDE + lane], s[_POSE_B + 2 * STRIDE + lane]
        cos_a, sin_a = cosine_and_sine_of_small(angle_a)
        cos_b, sin_b = cosine_and_sine_of_small(angle_b)
        put_two(s, _POSE_A + 2 * STRIDE, lane, cos_a, sin_a)
        cos, sin, shift_x, shift_y = relative_pose(ax, ay, cos_a, sin_a, bx, by, cos_b, sin_b)
        rounding, touch, holds = roundings(ax, ay, s[_EXTENT_A + lane], bx, by, s[_EXTENT_B + lane], shift_x, shift_y)
        put_two(s, _FRAME, lane, cos, sin)
        put_two(s, _FRAME + 2 * STRIDE, lane, shift_x, shift_y)
        s[_ROUNDING + lane], s[_TOUCH + lane] = rounding, touch
        apart = math.sqrt(shift_x * shift_x + shift_y * shift_y)
        is_apart = apart > rounding
        nx, ny = shift_x / apart, shift_y / apart
        put_two(s, _N, lane, nx if is_apart else 1.0, ny if is_apart else 0.0)
        s[_END + lane] = _GOES_ON if holds & (abs(angle_a) <= MAX_TURNED) & (abs(angle_b) <= MAX_TURNED) else _IS_ODD
    _find_supports(s, size_a, size_b)
    for lane in range(LANES):
        (a_x, a_y), (b_x, b_y) = two(s, _W_A, lane), two(s, _W_B, lane)
        vx, vy = (b_x - a_x) + 0.0, (b_y - a_y) + 0.0  # not -0.0
        distance = math.sqrt(vx * vx + vy * vy)
        end = s[_END + lane]
        s[_END + lane] = _IS_ODD if (end == _GOES_ON) & (distance <= s[_ROUNDING + lane]) else end
        put_two(s, _N, lane, vx / distance, vy / distance)
        s[_SHARE + lane], s[_DISTANCE + lane], s[_STEPS + lane] = 0.0, distance, 1.0
        _set_end(s, _P, lane, a_x, a_y, b_x, b_y)
        _set_end(s, _Q, lane, a_x, a_y, b_x, b_y)


@inlined_kernel
def _end_of(s: FloatArray, row: int, lane: int) -> tuple[float, float, float, float]:
    """Return one end of the segment, or w: x and y of A, and of B."""
    (a_x, a_y), (b_x, b_y) = two(s, row, lane), two(s, row + 2 * STRIDE, lane)
    return a_x, a_y, b_x, b_y


@inlined_kernel
def _look_along_nearest(s: FloatArray) -> None:
    """Do step 1 of `gjk_cores`: the nearest point of the segment, the dropped end, and the direction."""
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
        end = s[_END + lane]
        goes_on = end == _GOES_ON
        s[_STEPS + lane] += 1.0 if goes_on else 0.0
        s[_END + lane] = _IS_ODD if goes_on & (distance <= s[_ROUNDING + lane]) else end
        put_two(s, _N, lane, nx, ny)
        s[_SHARE + lane], s[_DISTANCE + lane] = share, distance
        _set_end(
            s, _P, lane, (qa_x if is_q else pa_x), (qa_y if is_q else pa_y), (qb_x if is_q else pb_x), (qb_y if is_q else pb_y)
        )  # fmt: skip
        _set_end(
            s, _Q, lane, (pa_x if is_p else qa_x), (pa_y if is_p else qa_y), (pb_x if is_p else qb_x), (pb_y if is_p else qb_y)
        )  # fmt: skip


@inlined_kernel
def _keep_nearest(s: FloatArray) -> int:
    """Do the end of step 2 and step 3 of `gjk_cores`: which of p, q, w stay; return the number of unfinished lanes.

    `_finish` computes the depth of the origin inside the triangle; w stays in place for it.
    """
    n = 0
    for lane in range(LANES):
        (pa_x, pa_y, pb_x, pb_y), (qa_x, qa_y, qb_x, qb_y) = _end_of(s, _P, lane), _end_of(s, _Q, lane)
        wa_x, wa_y, wb_x, wb_y = _end_of(s, _W, lane)
        px, py, qx, qy, wx, wy = pb_x - pa_x, pb_y - pa_y, qb_x - qa_x, qb_y - qa_y, wb_x - wa_x, wb_y - wa_y
        bound = s[_N + lane] * wx + s[_N + STRIDE + lane] * wy
        is_point = (px == qx) & (py == qy)
        is_known = ((wx == px) & (wy == py)) | ((wx == qx) & (wy == qy))
        is_apart = is_known | (s[_DISTANCE + lane] - bound <= s[_ROUNDING + lane])

        to_px, to_py, to_qx, to_qy = px - wx, py - wy, qx - wx, qy - wy
        beside_p, beside_q = enclosing_sides(to_px, to_py, to_qx, to_qy, wx, wy)
        encloses = (not is_point) & (beside_p > 0.0) & (beside_q > 0.0) & (bound < 0.0)
        now = _IS_APART if is_apart else (_IS_INSIDE if encloses else _GOES_ON)
        end = s[_END + lane]
        end = now if end == _GOES_ON else end
        s[_END + lane] = end
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
        end, share, distance = s[_END + lane], s[_SHARE + lane], s[_DISTANCE + lane]
        radius_a, radius_b, touch = s[_RADIUS_A + lane], s[_RADIUS_B + lane], s[_TOUCH + lane]
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
        (ax, ay), (cos_a, sin_a) = two(s, _POSE_A, lane), two(s, _POSE_A + 2 * STRIDE, lane)
        (world_ax, world_ay), (world_bx, world_by) = place(a_x, a_y, cos_a, sin_a, ax, ay), place(b_x, b_y, cos_a, sin_a, ax, ay)
        s[_RESULT + lane] = separation if is_apart else 0.0 - radius
        s[_RESULT + STRIDE + lane] = world_ax if is_apart else np.nan
        s[_RESULT + 2 * STRIDE + lane] = world_ay if is_apart else np.nan
        s[_RESULT + 3 * STRIDE + lane] = world_bx if is_apart else np.nan
        s[_RESULT + 4 * STRIDE + lane] = world_by if is_apart else np.nan
        s[_RESULT + 5 * STRIDE + lane] = cos_a * nx - sin_a * ny if is_apart else np.nan
        s[_RESULT + 6 * STRIDE + lane] = sin_a * nx + cos_a * ny if is_apart else np.nan
        by_touch = SEPARATED if separation > touch else (TOUCHING if separation >= -touch else OVERLAPPING)
        k[_STATUS + lane] = by_touch if is_apart else OVERLAPPING
        k[_COUNT + lane] = int(s[_STEPS + lane])
        k[_AGAIN + lane] = 0 if is_answered else 1


class _Query(NamedTuple):
    """Arguments of `distance_listed`, and the shapes' records and all poses, each in one row."""

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


class _Block(NamedTuple):
    """The lanes' numbers `s` and integers `k`."""

    s: FloatArray
    k: IntArray


@inlined_kernel
def _load(s: FloatArray, k: IntArray, chosen: IntArray, size_a: int, size_b: int, query: _Query) -> None:
    """Load a block; lanes past the end of `chosen` repeat its last row and write the same result to the same place."""
    last, records, pairs, flat_a, flat_b = chosen.shape[0] - 1, query.records, query.pairs, query.flat_a, query.flat_b
    last_row = 0
    for lane in range(LANES):
        row = np.uint64(chosen[np.uint64(min(lane, last))])
        last_row = max(last_row, int(row))
        k[_AT_RESULT + lane], k[_AT_POSE + lane] = ROW_WIDTH * row, _POSE * row
        k[_AT_A + lane], k[_AT_B + lane] = RECORD * pairs[row, 0], RECORD * pairs[row, 1]
    load_short(s, k, _POSE_A, _AT_POSE, flat_a, _POSE, last_row)
    load_short(s, k, _POSE_B, _AT_POSE, flat_b, _POSE, last_row)
    for lane in range(0, LANES, EIGHT):
        turn_eight(s, _HEAD_A + lane, STRIDE, records, k, _AT_A + lane, 0)
        turn_eight(s, _HEAD_B + lane, STRIDE, records, k, _AT_B + lane, 0)
    load_slots(s, k, _AT_A, 0, _SIZES[size_a], records, False)
    load_slots(s, k, _AT_B, TO_B, _SIZES[size_b], records, False)


@inlined_kernel
def _store(s: FloatArray, k: IntArray, chosen: IntArray, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Write the results to the caller's rows and append unfinished rows to `rest`; return the number of rows now in `rest`."""
    status, iterations, last = query.status, query.iterations, ROW_WIDTH - SLOT_GROUP
    for lane in range(0, LANES, EIGHT):
        return_eight(query.rows, k, _AT_RESULT + lane, 0, s, _RESULT + lane, STRIDE)
        return_eight(query.rows, k, _AT_RESULT + lane, last, s, _RESULT + last * STRIDE + lane, STRIDE)
    for lane in range(chosen.shape[0]):
        row = np.uint64(chosen[np.uint64(lane)])
        status[row], iterations[row] = k[_STATUS + lane], k[_COUNT + lane]
        rest[np.uint64(n_rest)] = row
        n_rest += k[_AGAIN + lane]
    return n_rest


@kernel
def _search(
    block: _Block, chosen: IntArray, size_a: int, size_b: int, stragglers: int, query: _Query, rest: IntArray, n_rest: int
) -> int:  # fmt: skip
    """Fill the `chosen` rows, at most `LANES`, of cores no larger than the sizes, except those it appends to `rest`: up to `stragglers`
    with an unfinished search, and those that GJK cannot decide. Return the length of `rest`.
    """
    s, k = block
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
    return _store(s, k, chosen, query, rest, n_rest)


@inlined_kernel
def _answer_block(
    block: _Block, chosen: IntArray, kind: int, size_a: int, size_b: int, query: _Query, rest: IntArray, n_rest: int
) -> int:  # fmt: skip
    """Fill the `chosen` rows; see `drive`."""
    return _search(block, chosen, size_a, size_b, STRAGGLERS, query, rest, n_rest)


@allocating_kernel
def _finish_rest(block: _Block, query: _Query, rest: IntArray, n_rest: int) -> bool:
    """Fill the rows left over by `drive`: in lanes to the end if possible, then one by one; return False at a pose that is not finite."""
    n_vertices, pairs, single = query.packed[2], query.pairs, np.empty(n_rest + 1, dtype=np.int64)
    together, n, n_single = np.empty(LANES, dtype=np.int64), 0, int(np.int64(0))
    for at in range(n_rest):
        row = np.uint64(rest[at])
        if max(n_vertices[pairs[row, 0]], n_vertices[pairs[row, 1]]) > SLOTS:
            single[n_single] = row
            n_single += 1
            continue
        together[n] = row
        n += 1
        if n == LANES:
            n_single, n = _search(block, together, _N_SIZES - 1, _N_SIZES - 1, 0, query, single, n_single), 0
    if n >= MIN_PAIRS:
        n_single, n = _search(block, together[:n], _N_SIZES - 1, _N_SIZES - 1, 0, query, single, n_single), 0
    single[n_single : n_single + n] = together[:n]
    rows = single[: n_single + n]
    return rows.shape[0] == 0 or distance_listed(
        rows, query.packed, query.pairs, query.poses_a, query.poses_b, query.status, query.iterations, query.rows
    )  # fmt: skip


@inlined_kernel
def _fetch(row: int, query: _Query) -> None:
    """Prefetch all data of a pair that will be read or written, and the next pairs."""
    fetch_shapes(query.records, query.pairs, query.packed[2], row, False)
    fetch(query.pairs, 2 * (row + LANES))
    fetch(query.poses_a, 3 * row)
    fetch(query.poses_b, 3 * row)
    fetch(query.status, row)
    fetch(query.iterations, row)
    fetch(query.rows, ROW_WIDTH * row)
    fetch(query.rows, ROW_WIDTH * (row + 1) - 1)


@inlined_kernel
def _size_of(n_vertices: int) -> int:
    """Return 0, 1 or 2, the place in `_SIZES`, or 3 for a core that is too large; without branches, which would be unpredictable."""
    return (1 if n_vertices > _SIZES[0] else 0) + (1 if n_vertices > _SIZES[1] else 0) + (1 if n_vertices > _SIZES[2] else 0)


@inlined_kernel
def _list_of(row: int, query: _Query) -> int:
    """Return the number of the list for a row; see `drive`."""
    n_vertices, a, b = query.packed[2], np.uint64(query.pairs[row, 0]), np.uint64(query.pairs[row, 1])
    if a >= np.uint64(n_vertices.shape[0]) or b >= np.uint64(n_vertices.shape[0]):
        return OUT_OF_RANGE
    size_a, size_b = _size_of(n_vertices[a]), _size_of(n_vertices[b])
    return SCALAR if max(size_a, size_b) == _N_SIZES else _N_SIZES * size_a + size_b


@unlocked_kernel
def distances_simd(
    packed: Arrays, records: FloatArray, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, status: IntArray, iterations: IntArray,
    rows: FloatArray, s: FloatArray, rest: IntArray,
) -> bool:  # fmt: skip
    """Fill the rows of all `pairs`; return False, with some of them filled, at an index out of range or a pose that is not finite.

    Arguments are those of `distance_pairs`, except poses (n, 3) x, y, angle, `records` as in `PackedShapes`, scratch `s` (SCRATCH,) and
    `rest` (n + 1,). The scalar kernel is called from here and not by the caller, because a call from Python takes as long as thousands of
    pairs if its code is not in the cache.
    """
    flat_a, flat_b = poses_a.reshape(-1), poses_b.reshape(-1)
    query = _Query(packed, records.reshape(-1), flat_a, flat_b, pairs, poses_a, poses_b, status, iterations, rows)
    block = _Block(s, np.empty(_INTEGER_END, dtype=np.int64))
    n_rest = drive(_list_of, _fetch, _answer_block, 1, _N_SIZES, block, query, pairs, rest)
    return n_rest >= 0 and _finish_rest(block, query, rest, n_rest)
