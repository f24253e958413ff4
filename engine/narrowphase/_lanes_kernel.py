"""What lanes are, and loading them: 64 pairs side by side, one in each *lane*, every step done for all of them.

A vector register holds four or eight float64, and one instruction works on all of them. A single pair cannot use that, for its
loops are short and full of choices. Sixty-four pairs can, if all take the same path::

    row of scratch      lane 0   lane 1   lane 2   ...  lane 63
    x of vertex 0    [    a0   |   b0   |   c0   | ... |   z0   ]    one step of the chapter is one loop over the lanes,
    x of vertex 1    [    a1   |   b1   |   c1   | ... |   z1   ]    without a branch: both sides of a choice are computed
    ...                                                              and one is selected

Polygons of unequal size go together because each is padded to the same number of *slots* (4, 8, 12 or 16) with copies of its
last vertex and last normal. A copy changes nothing: it is no farther out than the original, and wherever a chapter looks for
an extreme it keeps the first of equals.

Four things keep the loops vectorised, and each is easily lost. The scratch is flat, with row r at r * STRIDE (an array of two
dimensions stops it). A loop that writes at one place and reads at a place found only while running has the two in different
arrays. Selects are conditional expressions whose both sides are known before. What cannot be vectorised, looking up an edge by its
number and the library's `hypot`, has a loop of its own. `tests/unit/narrowphase/test_lanes.py` looks into the machine code.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.registers import turn_four
from engine.common.tolerances import BOX2D_EPSILON, SAT_ROUNDING
from engine.geometry.kinds import CIRCLE, POLYGON
from engine.narrowphase._lanes_lists_kernel import sort_by_class
from engine.narrowphase._manifold_kernel import rounding_of
from engine.narrowphase.packing import RECORD, SLOTS
from engine.narrowphase.rules import EXACT

__all__ = [
    "AGAIN",
    "AXIS",
    "BEST_A",
    "BEST_B",
    "CENTROID_A",
    "CENTROID_B",
    "CIRCLES",
    "CORNER",
    "COUNT",
    "DX",
    "DY",
    "EDGE",
    "EDGE_A",
    "EDGE_B",
    "FEWEST",
    "FRAME",
    "GAP_ROWS",
    "INCIDENT",
    "INSIDE",
    "LANES",
    "LENGTH",
    "MOST",
    "MOST_SLOTS",
    "NAMES",
    "NUMBER_ROWS",
    "NX",
    "NY",
    "N_A",
    "N_B",
    "N_CLASSES",
    "OTHER_EDGE",
    "PARTED",
    "PLACE_A",
    "PLACE_B",
    "PLACE_POSE",
    "POINTS",
    "POLYGON_AND_CIRCLE",
    "POSE",
    "POSE_A",
    "POSE_B",
    "RADIUS_A",
    "RADIUS_B",
    "RECORD",
    "REFERENCE",
    "SCALAR",
    "SIDE",
    "SLOT_GROUP",
    "SLOT_MASK",
    "STRIDE",
    "SWAPPED",
    "TOUCH",
    "TO_B",
    "VERTEX_ROWS",
    "WHOLE_ROWS",
    "X",
    "Y",
    "classify",
    "load_numbers",
    "load_pair",
    "load_shape",
    "load_slots",
    "move_b",
]

LANES = 64
"""Pairs side by side: enough that the cost of starting a loop vanishes, few enough that the rows in use stay in the first cache."""

FEWEST = 12
"""Pairs of one class that are worth a block: one costs as much as some 6 to 15 pairs one by one, by the number of slots."""

STRIDE = LANES + 8
"""Numbers from one row to the next. Rows a power of two apart would compete for the same few lines of the cache when one lane's
column is loaded or stored."""

MOST_SLOTS = SLOTS
"""Vertices of the largest polygon that goes in lanes; a power of 2."""

SLOT_GROUP = 4
"""Slots come in groups of so many, which one pass over the lanes takes together."""

CIRCLES = 0
"""Class of two circles. Classes 1 to 4 are two polygons of up to 4, 8, 12 and 16 vertices."""

POLYGON_AND_CIRCLE = 4
"""Classes 5 to 8 are a polygon of up to 4, 8, 12 and 16 vertices and a circle, in either order."""

SCALAR = 9
"""Class of all that goes to the scalar kernel."""

N_CLASSES = 10

# Rows of `v`, the vertices and normals of A and, in A's frame, of B; what is B's lies `TO_B` rows farther on.
TO_B = MOST_SLOTS
X, Y, NX, NY = 0, 2 * MOST_SLOTS, 4 * MOST_SLOTS, 6 * MOST_SLOTS
VERTEX_ROWS = 8 * MOST_SLOTS
_TO_Y, _TO_NX, _TO_NY = np.uint64(Y * STRIDE), np.uint64(NX * STRIDE), np.uint64(NY * STRIDE)

# Rows of `g`, the separations of A's edges and, `TO_B` rows farther on, of B's.
GAP_ROWS = 2 * MOST_SLOTS

# Rows of `s`, numbers of which a pair has one. The last twelve are results: the two points, the axis. Centroid, radius and extent of a
# shape lie together, as in its record.
POSE_A, POSE_B, CENTROID_A, RADIUS_A, EXTENT_A, CENTROID_B, RADIUS_B, EXTENT_B, TOUCH, INSIDE = 0, 4, 8, 10, 11, 12, 14, 15, 16, 17
BEST_A, BEST_B, MOST, DX, DY, LENGTH = 18, 19, 20, 21, 22, 23
REFERENCE, INCIDENT = 24, 30  # first vertex, second vertex, normal
FRAME = 36  # cosine, sine and shift from B's frame to A's
POINTS, AXIS = 40, 46
NUMBER_ROWS = 52

POSE = 4
"""Numbers of a pose: x, y, cosine, sine."""

# Rows of `k`, whole numbers. The last six are results; where shapes and poses begin is needed only while they are loaded.
N_A, N_B, EDGE_A, EDGE_B, PARTED, OTHER_EDGE, SWAPPED, CORNER = 0, 1, 2, 3, 4, 5, 6, 7
COUNT, NAMES, SIDE, EDGE, AGAIN = 8, 9, 11, 12, 13
PLACE_A, PLACE_B, PLACE_POSE = 14, 15, 16
WHOLE_ROWS = 17

SLOT_MASK = MOST_SLOTS - 1
"""A slot's number masked with this cannot be negative, as the compiler sees as well: it then writes no code for counting from the
end, which would stop it from vectorising."""


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
        elif most <= MOST_SLOTS:
            groups = (most + SLOT_GROUP - 1) // SLOT_GROUP
            if kind_a == POLYGON and kind_b == POLYGON:
                found = groups
            elif (kind_a == POLYGON and kind_b == CIRCLE) or (kind_a == CIRCLE and kind_b == POLYGON):
                found = POLYGON_AND_CIRCLE + groups
        of_row[row] = found
    return sort_by_class(of_row, N_CLASSES, rows)


@inlined_kernel
def load_pair(
    s: FloatArray, k: IntArray, lane: int, row: np.uint64, a: np.uint64, b: np.uint64, radius: FloatArray, extent: FloatArray, rule: int,
    poses_a: FloatArray, poses_b: FloatArray, swapped: bool,
) -> None:  # fmt: skip
    """Load what a pair has one of; `swapped` makes its B the lane's A."""
    rounding = rounding_of(poses_a[row], extent[a], poses_b[row], extent[b])
    s[TOUCH * STRIDE + lane] = rounding if rule == EXACT else 0.0
    s[INSIDE * STRIDE + lane] = rounding if rule == EXACT else BOX2D_EPSILON
    first, second = (POSE_B, POSE_A) if swapped else (POSE_A, POSE_B)
    for field in range(4):
        s[(first + field) * STRIDE + lane] = poses_a[row, field]
        s[(second + field) * STRIDE + lane] = poses_b[row, field]
    s[RADIUS_A * STRIDE + lane] = radius[b] if swapped else radius[a]
    s[RADIUS_B * STRIDE + lane] = radius[a] if swapped else radius[b]
    k[SWAPPED * STRIDE + lane] = 1 if swapped else 0


@inlined_kernel
def load_shape(v: FloatArray, lane: int, beyond: int, slots: int, first: int, n: int, vertices: FloatArray, normals: FloatArray) -> None:
    """Load vertices and normals into the lane, padded with the last; `beyond` is 0 for A and the step to B for B."""
    last = first + n - 1
    for slot in range(slots):
        at = np.uint64(min(first + slot, last))
        to = np.uint64((beyond + slot) * STRIDE + lane)
        v[to], v[to + _TO_Y] = vertices[at, 0], vertices[at, 1]
        v[to + _TO_NX], v[to + _TO_NY] = normals[at, 0], normals[at, 1]


@inlined_kernel
def load_slots(v: FloatArray, k: IntArray, place: int, beyond: int, slots: int, records: FloatArray) -> None:
    """Load vertices and normals of all lanes' shapes, whose records begin at row `place` of `k`; `beyond` as in `load_shape`."""
    for group in range(0, slots, SLOT_GROUP):
        at = (beyond + (group & SLOT_MASK)) * STRIDE
        for lane in range(0, LANES, SLOT_GROUP):
            turn_four(v, X * STRIDE + at + lane, STRIDE, records, k, place * STRIDE + lane, group)
            turn_four(v, Y * STRIDE + at + lane, STRIDE, records, k, place * STRIDE + lane, SLOTS + group)
            turn_four(v, NX * STRIDE + at + lane, STRIDE, records, k, place * STRIDE + lane, 2 * SLOTS + group)
            turn_four(v, NY * STRIDE + at + lane, STRIDE, records, k, place * STRIDE + lane, 3 * SLOTS + group)


@inlined_kernel
def load_numbers(s: FloatArray, k: IntArray, records: FloatArray, poses_a: FloatArray, poses_b: FloatArray, rule: int) -> None:
    """Load poses, centroids, radii and roundings of all lanes, whose records and poses begin where `k` says; see `load_pair`."""
    for lane in range(0, LANES, SLOT_GROUP):
        turn_four(s, POSE_A * STRIDE + lane, STRIDE, poses_a, k, PLACE_POSE * STRIDE + lane, 0)
        turn_four(s, POSE_B * STRIDE + lane, STRIDE, poses_b, k, PLACE_POSE * STRIDE + lane, 0)
        turn_four(s, CENTROID_A * STRIDE + lane, STRIDE, records, k, PLACE_A * STRIDE + lane, 4 * SLOTS)
        turn_four(s, CENTROID_B * STRIDE + lane, STRIDE, records, k, PLACE_B * STRIDE + lane, 4 * SLOTS)
    for lane in range(LANES):
        scale = abs(s[POSE_A * STRIDE + lane]) + abs(s[(POSE_A + 1) * STRIDE + lane])
        scale = scale + abs(s[POSE_B * STRIDE + lane]) + abs(s[(POSE_B + 1) * STRIDE + lane])
        rounding = SAT_ROUNDING * (scale + s[EXTENT_A * STRIDE + lane] + s[EXTENT_B * STRIDE + lane])
        s[TOUCH * STRIDE + lane] = rounding if rule == EXACT else 0.0
        s[INSIDE * STRIDE + lane] = rounding if rule == EXACT else BOX2D_EPSILON


@inlined_kernel
def move_b(v: FloatArray, s: FloatArray, slots: int, directions: bool) -> None:
    """Take B's first `slots` vertices, and its normals if wanted, to A's frame; see `move_to_frame`."""
    for lane in range(LANES):
        cos_a, sin_a = s[(POSE_A + 2) * STRIDE + lane], s[(POSE_A + 3) * STRIDE + lane]
        cos_b, sin_b = s[(POSE_B + 2) * STRIDE + lane], s[(POSE_B + 3) * STRIDE + lane]
        dx = s[POSE_B * STRIDE + lane] - s[POSE_A * STRIDE + lane]
        dy = s[(POSE_B + 1) * STRIDE + lane] - s[(POSE_A + 1) * STRIDE + lane]
        s[FRAME * STRIDE + lane] = cos_a * cos_b + sin_a * sin_b
        s[(FRAME + 1) * STRIDE + lane] = cos_a * sin_b - sin_a * cos_b
        s[(FRAME + 2) * STRIDE + lane], s[(FRAME + 3) * STRIDE + lane] = cos_a * dx + sin_a * dy, cos_a * dy - sin_a * dx
    for slot in range(slots):
        for lane in range(LANES):
            cos, sin = s[FRAME * STRIDE + lane], s[(FRAME + 1) * STRIDE + lane]
            shift_x, shift_y = s[(FRAME + 2) * STRIDE + lane], s[(FRAME + 3) * STRIDE + lane]
            at = (TO_B + (slot & SLOT_MASK)) * STRIDE + lane
            x, y = v[X * STRIDE + at], v[Y * STRIDE + at]
            v[X * STRIDE + at] = cos * x - sin * y + shift_x
            v[Y * STRIDE + at] = sin * x + cos * y + shift_y
            if directions:
                nx, ny = v[NX * STRIDE + at], v[NY * STRIDE + at]
                v[NX * STRIDE + at] = cos * nx - sin * ny + 0.0
                v[NY * STRIDE + at] = sin * nx + cos * ny + 0.0
