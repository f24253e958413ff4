"""What SIMD kernels share: 64 pairs side by side, one in each *lane*, every step done for all of them.

A vector register holds four or eight float64, and one instruction works on all of them. A single pair cannot use that, for its
loops are short and full of choices. Sixty-four pairs can, if all take the same path::

    row of scratch      lane 0   lane 1   lane 2   ...  lane 63
    x of vertex 0    [    a0   |   b0   |   c0   | ... |   z0   ]    one step of the chapter is one loop over the lanes,
    x of vertex 1    [    a1   |   b1   |   c1   | ... |   z1   ]    without a branch: both sides of a choice are computed
    ...                                                              and one is selected

Polygons of unequal size go together because each is padded to the same number of *slots* (4, 8, 12 or 16) with copies of its
last vertex and last normal. A copy changes nothing: it is no farther out than the original, and wherever a chapter looks for
an extreme it keeps the first of equals.

Four things keep the loops vectorized, and each is easily lost. The scratch is flat, with row r at r * STRIDE (an array of two
dimensions stops it). A loop that writes at one place and reads at a place found only while running has the two in different
arrays. Selects are conditional expressions whose both sides are known before. What cannot be vectorized, looking up an edge by its
number and the library's `hypot`, has a loop of its own. `tests/unit/narrowphase/test_manifold_simd.py` looks into the machine code.

**How pairs of like sizes come together.** Sorted before (`classify`), or on lists as they come (`gather`): pairs wait until as many of
like sizes have come as there are lanes, A's and B's size counted apart; as soon as a list is full its pairs go through. So all that a
block needs is in the cache still, and the only memory gone through is the caller's. What the lists hold at the end goes together, as many
as there are lanes at a time, with the slots of the largest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.common.registers import EIGHT, LINE, fetch, turn_eight
from engine.common.tolerances import BOX2D_EPSILON, SAT_ROUNDING
from engine.geometry._rotation_kernel import cosine_and_sine_of_small
from engine.geometry.kinds import CIRCLE, POLYGON
from engine.geometry.rotation import MAX_TURNED
from engine.narrowphase._sides_kernel import place, relative_pose
from engine.narrowphase.packing import GROUP_SIZE, HEAD, RECORD, SLOT_GROUP, SLOTS
from engine.narrowphase.rules import EXACT

LANES = 64
"""Pairs side by side: enough that the cost of starting a loop vanishes, few enough that the rows in use stay in the first cache."""

AHEAD = 32
"""Rows from one whose pair is put on a list to the one whose shapes are then asked for."""

FEWEST = 12
"""Pairs of one class that are worth a block: one costs as much as some 6 to 15 pairs one by one, by the number of slots."""

STRIDE = LANES + 8
"""Numbers from one row to the next. Rows a power of two apart would compete for the same few lines of the cache when one lane's
column is loaded or stored."""

CIRCLES = 0
"""Class of two circles. Classes 1 to 4 are two polygons of up to 4, 8, 12 and 16 vertices."""

POLYGON_AND_CIRCLE = 4
"""Classes 5 to 8 are a polygon of up to 4, 8, 12 and 16 vertices and a circle, in either order."""

SCALAR = 9
"""Class of all that goes to the scalar kernel."""

N_CLASSES = 10

# Rows of `v`, the vertices and normals of A and, in A's frame, of B; what is B's lies `TO_B` rows farther on.
TO_B = SLOTS
X, Y, NX, NY = 0, 2 * SLOTS, 4 * SLOTS, 6 * SLOTS
VERTEX_ROWS = 8 * SLOTS

# Rows of `g`, the separations of A's edges and, `TO_B` rows farther on, of B's.
GAP_ROWS = 2 * SLOTS

# Rows of `s`, numbers of which a pair has one; centroid, radius and extent of a shape lie together, as in its record. The last are cosine,
# sine and shift from B's frame to A's.
POSE_A, POSE_B, CENTROID_A, RADIUS_A, EXTENT_A, CENTROID_B, RADIUS_B, EXTENT_B, TOUCH, INSIDE = 0, 4, 8, 10, 11, 12, 14, 15, 16, 17
FRAME = 18
IS_FINE = 22  # 0 where the pose is for the scalar kernel: not finite, or an angle too large for `small_turn`
NUMBER_ROWS = 23

POSE = 4
"""Numbers of a pose: x, y, cosine, sine; one of three is x, y, angle."""

# Rows of `k`, whole numbers: where shapes and poses begin, needed only while they are loaded.
PLACE_A, PLACE_B, PLACE_POSE_A, PLACE_POSE_B = 0, 1, 2, 3
WHOLE_ROWS = 4

SLOT_MASK = SLOTS - 1
"""A slot's number masked with this cannot be negative, as the compiler sees as well: it then writes no code for counting from the
end, which would stop it from vectorizing."""


class Block(NamedTuple):
    """The lanes' rows: vertices and normals `v`, separations `g`, numbers `s`, whole numbers `k`."""

    v: FloatArray
    g: FloatArray
    s: FloatArray
    k: IntArray


@allocating_kernel
def sort_by_class(of_row: NDArray[np.uint8], n_classes: int, rows: IntArray) -> IntArray:
    """Sort the numbers of all rows by their class into `rows`, each class in its old order; return where the classes begin and end."""
    begin = np.zeros(n_classes + 1, dtype=np.int64)
    for row in range(of_row.shape[0]):
        begin[of_row[row] + 1] += 1
    for found in range(n_classes):
        begin[found + 1] += begin[found]
    at = begin[:n_classes].copy()
    for row in range(of_row.shape[0]):
        rows[at[of_row[row]]] = row
        at[of_row[row]] += 1
    return begin


@inlined_kernel
def gather(waiting: IntArray, n_waiting: IntArray, room_of_list: int, n_sizes: int, largest: int, together: IntArray, most: int) -> int:
    """Move rows of no larger sizes than `largest` from all lists into `together`, at most `most`; return how many.

    List ``n_sizes * size_a + size_b`` holds its `n_waiting` rows in `waiting` from ``room_of_list`` times its number on.
    """
    n = 0
    for number in range(n_sizes * n_sizes):
        if max(number // n_sizes, number % n_sizes) <= largest:
            while n_waiting[number] > 0 and n < most:
                n_waiting[number] -= 1
                together[n] = waiting[number * room_of_list + n_waiting[number]]
                n += 1
    return n


@inlined_kernel
def n_waiting_up_to(n_waiting: IntArray, n_sizes: int, largest: int) -> int:
    """Return how many rows of no larger sizes than `largest` the lists hold."""
    n = 0
    for number in range(n_sizes * n_sizes):
        if max(number // n_sizes, number % n_sizes) <= largest:
            n += n_waiting[number]
    return n


@kernel
def classify(kind: IntArray, n_vertices: IntArray, pairs: IntArray, rows: IntArray) -> IntArray:
    """Sort the numbers of the `pairs` by class into `rows`, each class in its old order; return where the classes begin, (11,)."""
    n = pairs.shape[0]
    of_row = np.empty(n, dtype=np.uint8)
    for row in range(n):
        a, b = pairs[row, 0], pairs[row, 1]
        kind_a, kind_b = kind[a], kind[b]
        most = max(n_vertices[a], n_vertices[b])
        found = SCALAR
        if kind_a == CIRCLE and kind_b == CIRCLE:
            found = CIRCLES
        elif most <= SLOTS:
            groups = (most + SLOT_GROUP - 1) // SLOT_GROUP
            if kind_a == POLYGON and kind_b == POLYGON:
                found = groups
            elif (kind_a == POLYGON and kind_b == CIRCLE) or (kind_a == CIRCLE and kind_b == POLYGON):
                found = POLYGON_AND_CIRCLE + groups
        of_row[row] = found
    return sort_by_class(of_row, N_CLASSES, rows)


@inlined_kernel
def two(s: FloatArray, row: int, lane: int) -> tuple[float, float]:
    """Return a lane's numbers of a row and the next: the x and y of what begins there."""
    return s[row * STRIDE + lane], s[(row + 1) * STRIDE + lane]


@inlined_kernel
def fetch_shapes(records: FloatArray, pairs: IntArray, n_vertices: IntArray, row: int, directions: bool) -> None:
    """Ask for what a SIMD kernel reads of the records of the pair `AHEAD` rows on, up to eight vertices, and normals if wanted.

    Of 20,000 shapes a record comes from memory, and to wait for it there was half of a distance. No branch; indices may be wrong ones.
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
        at, of = (beyond + (group & SLOT_MASK)) * STRIDE, HEAD + GROUP_SIZE // SLOT_GROUP * group
        for lane in range(0, LANES, EIGHT):
            turn_eight(v, X * STRIDE + at + lane, STRIDE, records, k, record_row * STRIDE + lane, of)
            turn_eight(v, Y * STRIDE + at + lane, STRIDE, records, k, record_row * STRIDE + lane, of + SLOT_GROUP)
            if directions:
                turn_eight(v, NX * STRIDE + at + lane, STRIDE, records, k, record_row * STRIDE + lane, of + 2 * SLOT_GROUP)
                turn_eight(v, NY * STRIDE + at + lane, STRIDE, records, k, record_row * STRIDE + lane, of + 3 * SLOT_GROUP)


@inlined_kernel
def load_short(s: FloatArray, k: IntArray, to: int, place_row: int, of: FloatArray, size: int, last_row: int) -> None:
    """Load rows of `size` numbers, at most four, of which `last_row` is the last; rows of `s` up to the fourth are written to."""
    if size * last_row + SLOT_GROUP <= of.shape[0]:  # what is read behind a row is of the next one
        for lane in range(0, LANES, EIGHT):
            turn_eight(s, to * STRIDE + lane, STRIDE, of, k, place_row * STRIDE + lane, 0)
    else:
        for lane in range(LANES):
            for field in range(size):
                s[(to + field) * STRIDE + lane] = of[np.uint64(k[place_row * STRIDE + lane] + field)]


@inlined_kernel
def _load_poses(s: FloatArray, k: IntArray, to: int, place_row: int, poses: FloatArray, size: int) -> None:
    """Load the poses of `size` numbers that begin where `k` says, cosine and sine of the angle in its place."""
    last = 0
    for lane in range(LANES):
        last = max(last, k[place_row * STRIDE + lane])
    load_short(s, k, to, place_row, poses, size, last // size)
    if size == POSE:
        return
    for lane in range(LANES):
        (x, y), angle, is_fine = two(s, to, lane), s[(to + 2) * STRIDE + lane], s[IS_FINE * STRIDE + lane]
        s[(to + 2) * STRIDE + lane], s[(to + 3) * STRIDE + lane] = cosine_and_sine_of_small(angle)
        s[IS_FINE * STRIDE + lane] = is_fine if (abs(x) < np.inf) & (abs(y) < np.inf) & (abs(angle) <= MAX_TURNED) else 0.0


@inlined_kernel
def load_numbers(
    s: FloatArray, k: IntArray, records: FloatArray, poses_a: FloatArray, poses_b: FloatArray, size: int, is_swapped: bool, rule: int
) -> None:
    """Load poses of `size` numbers, centroids, radii and roundings of all lanes, whose records and poses begin where `k` says.

    `is_swapped` where a lane's A is the caller's B; see `rounding_of`, whose sum is the caller's.
    """
    for lane in range(LANES):
        s[IS_FINE * STRIDE + lane] = 1.0
    _load_poses(s, k, POSE_A, PLACE_POSE_A, poses_a, size)
    _load_poses(s, k, POSE_B, PLACE_POSE_B, poses_b, size)
    for lane in range(0, LANES, EIGHT):
        turn_eight(s, CENTROID_A * STRIDE + lane, STRIDE, records, k, PLACE_A * STRIDE + lane, 0)
        turn_eight(s, CENTROID_B * STRIDE + lane, STRIDE, records, k, PLACE_B * STRIDE + lane, 0)
    for lane in range(LANES):
        (ax, ay), (bx, by) = two(s, POSE_A, lane), two(s, POSE_B, lane)
        extent_a, extent_b = s[EXTENT_A * STRIDE + lane], s[EXTENT_B * STRIDE + lane]
        scale = abs(ax) + abs(ay) + abs(bx) + abs(by) + extent_a + extent_b
        swapped = abs(bx) + abs(by) + abs(ax) + abs(ay) + extent_b + extent_a
        rounding = SAT_ROUNDING * (swapped if is_swapped else scale)
        s[TOUCH * STRIDE + lane] = rounding if rule == EXACT else 0.0
        s[INSIDE * STRIDE + lane] = rounding if rule == EXACT else BOX2D_EPSILON


@inlined_kernel
def move_slots(v: FloatArray, s: FloatArray, frame: int, slots: int, directions: bool) -> None:
    """Take B's first `slots` vertices, and its normals if wanted, to the frame at row `frame` of `s`: cosine, sine, shift."""
    for slot in range(slots):
        for lane in range(LANES):
            (cos, sin), (shift_x, shift_y) = two(s, frame, lane), two(s, frame + 2, lane)
            at = (TO_B + (slot & SLOT_MASK)) * STRIDE + lane
            v[X * STRIDE + at], v[Y * STRIDE + at] = place(v[X * STRIDE + at], v[Y * STRIDE + at], cos, sin, shift_x, shift_y)
            if directions:
                nx, ny = v[NX * STRIDE + at], v[NY * STRIDE + at]
                v[NX * STRIDE + at], v[NY * STRIDE + at] = place(nx, ny, cos, sin, 0.0, 0.0)


@inlined_kernel
def move_b(v: FloatArray, s: FloatArray, slots: int, directions: bool) -> None:
    """Take B's first `slots` vertices, and its normals if wanted, to A's frame; see `move_to_frame`."""
    for lane in range(LANES):
        (ax, ay), (cos_a, sin_a) = two(s, POSE_A, lane), two(s, POSE_A + 2, lane)
        (bx, by), (cos_b, sin_b) = two(s, POSE_B, lane), two(s, POSE_B + 2, lane)
        cos, sin, shift_x, shift_y = relative_pose(ax, ay, cos_a, sin_a, bx, by, cos_b, sin_b)
        s[FRAME * STRIDE + lane], s[(FRAME + 1) * STRIDE + lane] = cos, sin
        s[(FRAME + 2) * STRIDE + lane], s[(FRAME + 3) * STRIDE + lane] = shift_x, shift_y
    move_slots(v, s, FRAME, slots, directions)


@inlined_kernel
def _nearest_of_four(v: FloatArray, of: int, nx: float, ny: float, x: float, y: float, nearest: float) -> float:
    """Return the least of `nearest` and of how far the vertex at `of` and the three after it lie in front of an edge."""
    front_0 = nx * (v[X * STRIDE + of] - x) + ny * (v[Y * STRIDE + of] - y)
    front_1 = nx * (v[(X + 1) * STRIDE + of] - x) + ny * (v[(Y + 1) * STRIDE + of] - y)
    front_2 = nx * (v[(X + 2) * STRIDE + of] - x) + ny * (v[(Y + 2) * STRIDE + of] - y)
    front_3 = nx * (v[(X + 3) * STRIDE + of] - x) + ny * (v[(Y + 3) * STRIDE + of] - y)
    nearest = front_0 if front_0 < nearest else nearest
    nearest = front_1 if front_1 < nearest else nearest
    nearest = front_2 if front_2 < nearest else nearest
    return front_3 if front_3 < nearest else nearest


@inlined_kernel
def separations(v: FloatArray, g: FloatArray, base: int, other: int, slots: int, others: int) -> None:
    """Fill `g` with the separation of each edge of the polygon at `base` from the vertices of that at `other`.

    One pass takes four edges and four vertices, or eight: a vertex read once serves four edges.
    """
    corners = other * STRIDE
    for first_edge in range(0, slots, SLOT_GROUP):
        row = (base + (first_edge & SLOT_MASK)) * STRIDE
        if others == SLOT_GROUP:
            for lane in range(LANES):
                for edge in range(SLOT_GROUP):
                    at = row + edge * STRIDE + lane
                    nx, ny, x, y = v[NX * STRIDE + at], v[NY * STRIDE + at], v[X * STRIDE + at], v[Y * STRIDE + at]
                    g[at] = _nearest_of_four(v, corners + lane, nx, ny, x, y, np.inf)
        else:
            for lane in range(LANES):
                for edge in range(SLOT_GROUP):
                    at, of = row + edge * STRIDE + lane, corners + lane
                    nx, ny, x, y = v[NX * STRIDE + at], v[NY * STRIDE + at], v[X * STRIDE + at], v[Y * STRIDE + at]
                    nearest = _nearest_of_four(v, of, nx, ny, x, y, np.inf)
                    g[at] = _nearest_of_four(v, of + SLOT_GROUP * STRIDE, nx, ny, x, y, nearest)
            for group in range(2 * SLOT_GROUP, others, SLOT_GROUP):
                of_row = corners + (group & SLOT_MASK) * STRIDE
                for lane in range(LANES):
                    for edge in range(SLOT_GROUP):
                        at = row + edge * STRIDE + lane
                        nx, ny, x, y = v[NX * STRIDE + at], v[NY * STRIDE + at], v[X * STRIDE + at], v[Y * STRIDE + at]
                        g[at] = _nearest_of_four(v, of_row + lane, nx, ny, x, y, g[at])
