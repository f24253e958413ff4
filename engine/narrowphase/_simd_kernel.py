"""Shared code of SIMD kernels: 64 pairs in parallel, one per *lane*, with every step executed for all of them.

A vector register contains four or eight float64 values, and one instruction processes all of them. A single pair cannot use that, because
its loops are short and full of branches. Sixty-four pairs can, if all take the same path::

    row of scratch      lane 0   lane 1   lane 2   ...  lane 63
    x of vertex 0    [    a0   |   b0   |   c0   | ... |   z0   ]    one step of the chapter is one loop over the lanes,
    x of vertex 1    [    a1   |   b1   |   c1   | ... |   z1   ]    without a branch: both sides of a choice are computed
    ...                                                              and one is selected

Polygons of unequal size can share a block because each is padded to the same number of *slots* (4, 8, 12 or 16) with copies of its last
vertex and last normal. A copy changes nothing: it is no farther out than the original, and every search for an extreme keeps the first of
equal values.

Four rules keep the loops vectorized. The scratch is flat, with row r at r * STRIDE (a two-dimensional array prevents vectorization). A loop
that writes at one place and reads at a place known only at run time uses different arrays for the two. Selects are conditional expressions
with both sides computed before. Operations that cannot be vectorized, the lookup of an edge by its index and the library's `hypot`, have
separate loops. `tests/unit/query/test_lanes.py` checks the machine code.

**Grouping pairs of like sizes** (`drive`). Pairs are collected in lists, one for each kind and for A's and B's size, until a list has as
many as there are lanes; its pairs are then processed immediately. So all data of a block are still in the cache, and only the caller's
memory is traversed. The pairs that remain in the lists at the end are processed together, as many as there are lanes at a time, with the
slots of the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from engine.common._lanes_kernel import EIGHT, LINE, fetch, turn_eight
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel
from engine.common.tolerances import BOX2D_EPSILON, SAT_ROUNDING
from engine.geometry._rotation_kernel import cosine_and_sine_of_small
from engine.geometry.kinds import CAPSULE, CIRCLE
from engine.geometry.rotation import MAX_TURNED
from engine.narrowphase._sides_kernel import place, relative_pose
from engine.narrowphase.packing import GROUP_SIZE, HEAD, RECORD, SLOT_GROUP, SLOTS
from engine.narrowphase.rules import EXACT

LANES = 64
"""Pairs per block: enough to amortize the start of a loop, few enough that the rows in use stay in the first-level cache."""

AHEAD = 32
"""Number of pairs between the one appended to a list and the one whose shapes are prefetched."""

MIN_PAIRS = 12
"""Minimum number of pairs for a block, which takes as long as about 6 to 15 single pairs, depending on the number of slots."""

STRIDE = LANES + 8
"""Distance between rows, in values. Rows a power of two apart would compete for the same few cache lines when one lane's column is loaded
or stored.
"""

N_SIZES = SLOTS // SLOT_GROUP
"""Sizes of a polygon: up to 4, 8, 12 and 16 vertices."""

POLYGONS, POLYGON_AND_CIRCLE, CIRCLE_AND_POLYGON, CIRCLES = 0, 1, 2, 3
"""Kinds of a pair's shapes."""

N_KINDS = 4

SCALAR, OUT_OF_RANGE = -1, -2
"""In place of a list's number: the scalar kernel processes the pair; its indices are out of range."""

# A row begins at a *place*, a multiple of STRIDE. Places in `v`, the vertices and normals of A and, in A's frame, of B; those of B lie
# `TO_B` farther on.
TO_B = SLOTS * STRIDE
X, Y, NX, NY = 0, 2 * TO_B, 4 * TO_B, 6 * TO_B
VERTEX_END = 8 * TO_B

# Places in `g`, the separations of A's edges and, `TO_B` farther on, of B's.
GAP_END = 2 * TO_B

# Places in `s`, one number per pair; centroid, radius and extent of a shape are contiguous, as in its record. FRAME is the
# cosine, sine and shift from B's frame to A's.
POSE_A, POSE_B, CENTROID_A, RADIUS_A, EXTENT_A, CENTROID_B, RADIUS_B, EXTENT_B, TOUCH, INSIDE, FRAME = (
    row * STRIDE for row in (0, 4, 8, 10, 11, 12, 14, 15, 16, 17, 18)
)  # fmt: skip
IS_FINE = 22 * STRIDE  # 0 if the scalar kernel must process the pose: not finite, or an angle too large for `small_turn`
NUMBER_END = 23 * STRIDE

POSE = 4
"""Numbers of a pose: x, y, cosine, sine; one of three is x, y, angle."""

# Places in `k`, integers: where shapes and poses begin, needed only while they are loaded.
PLACE_A, PLACE_B, PLACE_POSE_A, PLACE_POSE_B = 0, STRIDE, 2 * STRIDE, 3 * STRIDE
INTEGER_END = 4 * STRIDE

SLOT_MASK = SLOTS - 1
"""A slot index masked with this is provably nonnegative: the compiler then emits no code for negative indices, which would prevent
vectorization.
"""


class Block(NamedTuple):
    """The lanes' rows: vertices and normals `v`, separations `g`, numbers `s`, integers `k`."""

    v: FloatArray
    g: FloatArray
    s: FloatArray
    k: IntArray


@allocating_kernel
def block_in(scratch: FloatArray, k: IntArray) -> Block:
    """Divide a scratch array, of `VERTEX_END`, `GAP_END` and the kernel's own numbers, into a block's rows."""
    return Block(scratch[:VERTEX_END], scratch[VERTEX_END : VERTEX_END + GAP_END], scratch[VERTEX_END + GAP_END :], k)


@inlined_kernel
def list_of_kinds(kind: IntArray, n_vertices: IntArray, a: int, b: int) -> int:
    """Return the number of the list for a pair of shapes, by kinds and both sizes, without branches; see `drive`."""
    (kind_a, n_a), (kind_b, n_b) = (kind[np.uint64(a)], n_vertices[np.uint64(a)]), (kind[np.uint64(b)], n_vertices[np.uint64(b)])
    kinds = (CIRCLE_AND_POLYGON if kind_a == CIRCLE else 0) + (POLYGON_AND_CIRCLE if kind_b == CIRCLE else 0)
    number = (N_SIZES * kinds + (n_a - 1) // SLOT_GROUP) * N_SIZES + (n_b - 1) // SLOT_GROUP
    return SCALAR if (max(kind_a, kind_b) >= CAPSULE) | (max(n_a, n_b) > SLOTS) else number


@inlined_kernel
def _take(waiting: IntArray, n_waiting: IntArray, first: int, n_sizes: int, largest: int, chosen: IntArray) -> int:
    """Move up to `LANES` rows of sizes up to `largest` from the lists of one kind to `chosen`; return their number.

    The lists of the kind begin with number `first`.
    """
    n = 0
    for size_a in range(largest + 1):
        for size_b in range(largest + 1):
            number = first + n_sizes * size_a + size_b
            while n_waiting[number] > 0 and n < LANES:
                n_waiting[number] -= 1
                chosen[n] = waiting[number * LANES + n_waiting[number]]
                n += 1
    return n


@inlined_kernel
def _n_waiting_up_to(n_waiting: IntArray, first: int, n_sizes: int, largest: int) -> int:
    """Return the number of rows of sizes up to `largest` in the lists of one kind."""
    n = 0
    for size_a in range(largest + 1):
        for size_b in range(largest + 1):
            n += n_waiting[first + n_sizes * size_a + size_b]
    return n


@allocating_kernel
def drive(
    list_of: Callable[..., int], fetch_pair: Callable[..., None], answer: Callable[..., int], n_kinds: int, n_sizes: int,
    block: tuple[Any, ...], query: tuple[Any, ...], pairs: IntArray, rest: IntArray,
) -> int:  # fmt: skip
    """Process the rows of `pairs` with a SIMD kernel, up to `LANES` of like sizes at a time.

    Parameters
    ----------
    list_of : kernel
        ``list_of(row, query)`` is the number of the list for a row, ``(n_sizes * kind + size_a) * n_sizes + size_b``, or
        `SCALAR` or `OUT_OF_RANGE`.
    fetch_pair : kernel
        ``fetch_pair(row, query)`` prefetches the data of the row for its block.
    answer : kernel
        ``answer(block, chosen, kind, size_a, size_b, query, rest, n_rest)`` fills the `chosen` rows, of no larger sizes, appends to
        `rest` those that it cannot answer, and returns the number of rows in `rest`.
    block, query : tuple
        Passed on.
    rest : int64 (n + 1,)

    Returns
    -------
    int
        Number of rows in `rest`, for the scalar kernel; -1, with some rows filled, at an index out of range.
    """
    n_lists, n_rest = n_sizes * n_sizes, int(np.int64(0))  # a literal would compile each block again
    waiting, n_waiting = np.empty(n_kinds * n_lists * LANES, dtype=np.int64), np.zeros(n_kinds * n_lists, dtype=np.int64)
    for row in range(pairs.shape[0]):
        number = list_of(row, query)
        if number < 0:
            if number == OUT_OF_RANGE:
                return -1
            rest[np.uint64(n_rest)] = row
            n_rest += 1
            continue
        fetch_pair(row, query)
        at = n_waiting[np.uint64(number)]
        waiting[np.uint64(number * LANES + at)] = row
        n_waiting[np.uint64(number)] = at + 1
        if at + 1 == LANES:
            n_waiting[np.uint64(number)] = 0
            chosen, sizes = waiting[number * LANES : (number + 1) * LANES], number % n_lists
            n_rest = answer(block, chosen, number // n_lists, sizes // n_sizes, sizes % n_sizes, query, rest, n_rest)
    together = np.empty(LANES, dtype=np.int64)
    for kind in range(n_kinds):  # the remaining pairs: those of the smallest size, of the two smallest, then all
        first = kind * n_lists
        for size in (0, 1, n_sizes - 1):
            n = LANES
            while n == LANES and (size == n_sizes - 1 or _n_waiting_up_to(n_waiting, first, n_sizes, size) >= MIN_PAIRS):
                n = _take(waiting, n_waiting, first, n_sizes, size, together)
                if n >= MIN_PAIRS:
                    n_rest = answer(block, together[:n], kind, size, size, query, rest, n_rest)
                else:
                    rest[n_rest : n_rest + n] = together[:n]
                    n_rest += n
    return n_rest


@inlined_kernel
def two(s: FloatArray, at: int, lane: int) -> tuple[float, float]:
    """Return a lane's numbers of the row at `at` and of the next, such as an x and a y."""
    return s[at + lane], s[at + STRIDE + lane]


@inlined_kernel
def put_two(s: FloatArray, at: int, lane: int, first: float, second: float) -> None:
    """Write a lane's numbers of the row at `at` and of the next."""
    s[at + lane], s[at + STRIDE + lane] = first, second


@inlined_kernel
def fetch_shapes(records: FloatArray, pairs: IntArray, n_vertices: IntArray, row: int, directions: bool) -> None:
    """Prefetch the records of the pair `AHEAD` rows later, up to eight vertices, with the normals if wanted.

    With 20,000 shapes, waiting for records from memory took half the time of a distance query. No branches; indices can be invalid.
    """
    last, last_shape = pairs.shape[0] - 1, np.uint64(n_vertices.shape[0] - 1)
    ahead, farther = np.uint64(min(row + AHEAD, last)), np.uint64(min(row + 2 * AHEAD, last))
    for side in range(2):
        fetch(n_vertices, pairs[farther, side])
        shape = min(np.uint64(pairs[ahead, side]), last_shape)
        place, beyond = RECORD * int(shape), GROUP_SIZE if n_vertices[shape] > SLOT_GROUP else 0
        fetch(records, place)
        fetch(records, place + HEAD)
        fetch(records, place + HEAD + beyond)
        if directions:
            fetch(records, place + HEAD + LINE)
            fetch(records, place + HEAD + LINE + beyond)


@inlined_kernel
def load_slots(v: FloatArray, k: IntArray, record_row: int, beyond: int, slots: int, records: FloatArray, directions: bool = True) -> None:
    """Load vertices, and normals if wanted, of all lanes' shapes, whose records begin at row `record_row` of `k`, padded with the last.

    `beyond` is 0 for A and `TO_B` for B.
    """
    for group in range(0, slots, SLOT_GROUP):
        at, of = beyond + (group & SLOT_MASK) * STRIDE, HEAD + GROUP_SIZE // SLOT_GROUP * group
        for lane in range(0, LANES, EIGHT):
            turn_eight(v, X + at + lane, STRIDE, records, k, record_row + lane, of)
            turn_eight(v, Y + at + lane, STRIDE, records, k, record_row + lane, of + SLOT_GROUP)
            if directions:
                turn_eight(v, NX + at + lane, STRIDE, records, k, record_row + lane, of + 2 * SLOT_GROUP)
                turn_eight(v, NY + at + lane, STRIDE, records, k, record_row + lane, of + 3 * SLOT_GROUP)


@inlined_kernel
def load_short(s: FloatArray, k: IntArray, to: int, place_row: int, of: FloatArray, size: int, last_row: int) -> None:
    """Load rows of `size` numbers, at most four, of which `last_row` is the last; rows of `s` up to the fourth are written to."""
    if size * last_row + SLOT_GROUP <= of.shape[0]:  # the values read past a row are the next row's
        for lane in range(0, LANES, EIGHT):
            turn_eight(s, to + lane, STRIDE, of, k, place_row + lane, 0)
    else:
        for lane in range(LANES):
            for field in range(size):
                s[to + field * STRIDE + lane] = of[np.uint64(k[place_row + lane] + field)]


@inlined_kernel
def _load_poses(s: FloatArray, k: IntArray, to: int, place_row: int, poses: FloatArray, size: int) -> None:
    """Load the poses of `size` numbers at the places in `k`, with cosine and sine in place of the angle."""
    last = 0
    for lane in range(LANES):
        last = max(last, k[place_row + lane])
    load_short(s, k, to, place_row, poses, size, last // size)
    if size == POSE:
        return
    for lane in range(LANES):
        (x, y), angle, is_fine = two(s, to, lane), s[to + 2 * STRIDE + lane], s[IS_FINE + lane]
        put_two(s, to + 2 * STRIDE, lane, *cosine_and_sine_of_small(angle))
        s[IS_FINE + lane] = is_fine if (abs(x) < np.inf) & (abs(y) < np.inf) & (abs(angle) <= MAX_TURNED) else 0.0


@inlined_kernel
def load_numbers(
    s: FloatArray, k: IntArray, records: FloatArray, poses_a: FloatArray, poses_b: FloatArray, size: int, is_swapped: bool, rule: int
) -> None:
    """Load poses of `size` numbers, centroids, radii and roundings of all lanes, from the places of records and poses in `k`.

    `is_swapped` if a lane's A is the caller's B; the sum in `rounding_of` is in the caller's order.
    """
    for lane in range(LANES):
        s[IS_FINE + lane] = 1.0
    _load_poses(s, k, POSE_A, PLACE_POSE_A, poses_a, size)
    _load_poses(s, k, POSE_B, PLACE_POSE_B, poses_b, size)
    for lane in range(0, LANES, EIGHT):
        turn_eight(s, CENTROID_A + lane, STRIDE, records, k, PLACE_A + lane, 0)
        turn_eight(s, CENTROID_B + lane, STRIDE, records, k, PLACE_B + lane, 0)
    for lane in range(LANES):
        (ax, ay), (bx, by) = two(s, POSE_A, lane), two(s, POSE_B, lane)
        extent_a, extent_b = s[EXTENT_A + lane], s[EXTENT_B + lane]
        scale = abs(ax) + abs(ay) + abs(bx) + abs(by) + extent_a + extent_b
        swapped = abs(bx) + abs(by) + abs(ax) + abs(ay) + extent_b + extent_a
        rounding = SAT_ROUNDING * (swapped if is_swapped else scale)
        s[TOUCH + lane] = rounding if rule == EXACT else 0.0
        s[INSIDE + lane] = rounding if rule == EXACT else BOX2D_EPSILON


@inlined_kernel
def move_slots(v: FloatArray, s: FloatArray, frame: int, slots: int, directions: bool) -> None:
    """Transform B's first `slots` vertices, and its normals if wanted, by the frame at `frame` in `s`: cosine, sine, shift."""
    for slot in range(slots):
        for lane in range(LANES):
            (cos, sin), (shift_x, shift_y) = two(s, frame, lane), two(s, frame + 2 * STRIDE, lane)
            at = TO_B + (slot & SLOT_MASK) * STRIDE + lane
            v[X + at], v[Y + at] = place(v[X + at], v[Y + at], cos, sin, shift_x, shift_y)
            if directions:
                nx, ny = v[NX + at], v[NY + at]
                v[NX + at], v[NY + at] = place(nx, ny, cos, sin, 0.0, 0.0)


@inlined_kernel
def move_b(v: FloatArray, s: FloatArray, slots: int, directions: bool) -> None:
    """Transform B's first `slots` vertices, and its normals if wanted, to A's frame; see `move_to_frame`."""
    for lane in range(LANES):
        (ax, ay), (cos_a, sin_a) = two(s, POSE_A, lane), two(s, POSE_A + 2 * STRIDE, lane)
        (bx, by), (cos_b, sin_b) = two(s, POSE_B, lane), two(s, POSE_B + 2 * STRIDE, lane)
        cos, sin, shift_x, shift_y = relative_pose(ax, ay, cos_a, sin_a, bx, by, cos_b, sin_b)
        put_two(s, FRAME, lane, cos, sin)
        put_two(s, FRAME + 2 * STRIDE, lane, shift_x, shift_y)
    move_slots(v, s, FRAME, slots, directions)


@inlined_kernel
def _nearest_of_four(v: FloatArray, of: int, nx: float, ny: float, x: float, y: float, nearest: float) -> float:
    """Return the least of `nearest` and of the distances of the vertex at `of` and the next three in front of an edge."""
    front_0 = nx * (v[X + of] - x) + ny * (v[Y + of] - y)
    front_1 = nx * (v[X + STRIDE + of] - x) + ny * (v[Y + STRIDE + of] - y)
    front_2 = nx * (v[X + 2 * STRIDE + of] - x) + ny * (v[Y + 2 * STRIDE + of] - y)
    front_3 = nx * (v[X + 3 * STRIDE + of] - x) + ny * (v[Y + 3 * STRIDE + of] - y)
    nearest = front_0 if front_0 < nearest else nearest
    nearest = front_1 if front_1 < nearest else nearest
    nearest = front_2 if front_2 < nearest else nearest
    return front_3 if front_3 < nearest else nearest


@inlined_kernel
def separations(v: FloatArray, g: FloatArray, base: int, other: int, slots: int, others: int) -> None:
    """Fill `g` with the separation of each edge of the polygon at `base` from the vertices of that at `other`.

    One pass processes four edges and four or eight vertices: a vertex is read once for four edges.
    """
    for first_edge in range(0, slots, SLOT_GROUP):
        row = base + (first_edge & SLOT_MASK) * STRIDE
        if others == SLOT_GROUP:
            for lane in range(LANES):
                for edge in range(SLOT_GROUP):
                    at = row + edge * STRIDE + lane
                    nx, ny, x, y = v[NX + at], v[NY + at], v[X + at], v[Y + at]
                    g[at] = _nearest_of_four(v, other + lane, nx, ny, x, y, np.inf)
        else:
            for lane in range(LANES):
                for edge in range(SLOT_GROUP):
                    at, of = row + edge * STRIDE + lane, other + lane
                    nx, ny, x, y = v[NX + at], v[NY + at], v[X + at], v[Y + at]
                    nearest = _nearest_of_four(v, of, nx, ny, x, y, np.inf)
                    g[at] = _nearest_of_four(v, of + SLOT_GROUP * STRIDE, nx, ny, x, y, nearest)
            for group in range(2 * SLOT_GROUP, others, SLOT_GROUP):
                of_row = other + (group & SLOT_MASK) * STRIDE
                for lane in range(LANES):
                    for edge in range(SLOT_GROUP):
                        at = row + edge * STRIDE + lane
                        nx, ny, x, y = v[NX + at], v[NY + at], v[X + at], v[Y + at]
                        g[at] = _nearest_of_four(v, of_row + lane, nx, ny, x, y, g[at])
