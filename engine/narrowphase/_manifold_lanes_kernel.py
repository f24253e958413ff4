"""The manifolds of many pairs at once: 64 pairs side by side, one in each *lane*, every step done for all of them.

A vector register holds four or eight float64, and one instruction works on all of them. A single pair cannot use that, for its
loops are short and full of choices. Sixty-four pairs can, if all take the same path::

    row of scratch      lane 0   lane 1   lane 2   ...  lane 63
    x of vertex 0    [    a0   |   b0   |   c0   | ... |   z0   ]    one step of the chapter is one loop over the lanes,
    x of vertex 1    [    a1   |   b1   |   c1   | ... |   z1   ]    without a branch: both sides of a choice are computed
    ...                                                              and one is selected

So this is `_manifold_kernel` again, the same operations in the same order, in another shape; read that one first. The two
agree to the bit, and a test holds them to it.

Polygons of unequal size go together because each is padded to the same number of *slots* (4, 8, 12 or 16) with copies of its
last vertex and last normal. A copy changes nothing: it is no farther out than the original, and wherever the chapter looks for
an extreme it keeps the first of equals.

Box2D's climb walks from edge to edge. Here all separations are computed first, and the walk, which is a different one in every
lane, only looks them up.

What remains goes to the scalar kernel, pair by pair: polygons of more than 16 vertices, kinds other than circle and polygon, classes
with too few pairs to fill a block, and the touch at the very end of an edge that rounding clips away.

Four things keep the loops vectorised, and each is easily lost. The scratch is flat, with row r at r * STRIDE (an array of two
dimensions stops it). A loop that writes at one place and reads at a place found only while running has the two in different
arrays. Selects are conditional expressions whose both sides are known before. What cannot be vectorised, looking up an edge by its
number and the library's `hypot`, has a loop of its own. `tests/unit/narrowphase/test_lanes.py` looks into the machine code.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import BOX2D_ABSOLUTE_TOLERANCE, BOX2D_EPSILON, BOX2D_RELATIVE_TOLERANCE, SAT_ROUNDING
from engine.narrowphase._manifold_kernel import rounding_of
from engine.narrowphase.packing import CIRCLE, POLYGON
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = [
    "FEWEST",
    "LANES",
    "MOST_SLOTS",
    "STRIDE",
    "classify",
    "contact_normals",
    "load_pair",
    "load_shape",
    "manifold_lanes",
    "move_b",
    "separations",
]

LANES = 64
"""Pairs side by side: enough that the cost of starting a loop vanishes, few enough that the rows in use stay in the first cache."""

FEWEST = 12
"""Pairs of one class that are worth a block: one costs as much as some 6 to 15 pairs one by one, by the number of slots."""

STRIDE = LANES + 8
"""Numbers from one row to the next. Rows a power of two apart would compete for the same few lines of the cache when one lane's
column is loaded or stored."""

MOST_SLOTS = 16
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

# Rows of `s`, numbers of which a pair has one. The last twelve are results: the two points, the axis.
_POSE_A, _POSE_B, RADIUS_A, RADIUS_B, TOUCH, _INSIDE, _CENTROID_A, _CENTROID_B = 0, 4, 8, 9, 10, 11, 12, 14
_BEST_A, _BEST_B, _MOST, _DX, _DY, _LENGTH = 16, 17, 18, 19, 20, 21
_REFERENCE, _INCIDENT = 22, 28  # first vertex, second vertex, normal
_FRAME = 34  # cosine, sine and shift from B's frame to A's
_POINTS, _AXIS = 38, 44
NUMBER_ROWS = 50

# Rows of `k`, whole numbers. The last six are results.
_N_A, _N_B, _EDGE_A, _EDGE_B, _PARTED, _OTHER_EDGE, _SWAPPED, _CORNER = 0, 1, 2, 3, 4, 5, 6, 7
_COUNT, _NAMES, _SIDE, _EDGE, _AGAIN = 8, 9, 11, 12, 13
WHOLE_ROWS = 14

SLOT_MASK = MOST_SLOTS - 1
"""A slot's number masked with this cannot be negative, as the compiler sees as well: it then writes no code for counting from the
end, which would stop it from vectorising."""


@kernel
def classify(kind: IntArray, n_vertices: IntArray, pairs: IntArray, rows: IntArray) -> IntArray:
    """Sort the numbers of the `pairs` by class into `rows`, each class in its old order; return where the classes begin, (11,)."""
    n = pairs.shape[0]
    of_row = np.empty(n, dtype=np.uint8)
    begin = np.zeros(N_CLASSES + 1, dtype=np.int64)
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
        begin[found + 1] += 1
    for found in range(N_CLASSES):
        begin[found + 1] += begin[found]
    at = begin[:N_CLASSES].copy()
    for row in range(n):
        rows[at[of_row[row]]] = row
        at[of_row[row]] += 1
    return begin


@inlined_kernel
def load_pair(
    s: FloatArray, k: IntArray, lane: int, row: np.uint64, a: np.uint64, b: np.uint64, radius: FloatArray, extent: FloatArray, rule: int,
    poses_a: FloatArray, poses_b: FloatArray, swapped: bool,
) -> None:  # fmt: skip
    """Load what a pair has one of; `swapped` makes its B the lane's A."""
    rounding = rounding_of(poses_a[row], extent[a], poses_b[row], extent[b])
    s[TOUCH * STRIDE + lane] = rounding if rule == EXACT else 0.0
    s[_INSIDE * STRIDE + lane] = rounding if rule == EXACT else BOX2D_EPSILON
    first, second = (_POSE_B, _POSE_A) if swapped else (_POSE_A, _POSE_B)
    for field in range(4):
        s[(first + field) * STRIDE + lane] = poses_a[row, field]
        s[(second + field) * STRIDE + lane] = poses_b[row, field]
    s[RADIUS_A * STRIDE + lane] = radius[b] if swapped else radius[a]
    s[RADIUS_B * STRIDE + lane] = radius[a] if swapped else radius[b]
    k[_SWAPPED * STRIDE + lane] = 1 if swapped else 0


@inlined_kernel
def load_shape(
    v: FloatArray, lane: int, beyond: int, slots: int, first: int, n: int, vertices: FloatArray, normals: FloatArray
) -> None:
    """Load vertices and normals into the lane, padded with the last; `beyond` is 0 for A and the step to B for B."""
    last = first + n - 1
    for slot in range(slots):
        at = np.uint64(min(first + slot, last))
        to = np.uint64((beyond + slot) * STRIDE + lane)
        v[to], v[to + _TO_Y] = vertices[at, 0], vertices[at, 1]
        v[to + _TO_NX], v[to + _TO_NY] = normals[at, 0], normals[at, 1]


@inlined_kernel
def move_b(v: FloatArray, s: FloatArray, slots: int, directions: bool) -> None:
    """Take B's first `slots` vertices, and its normals if wanted, to A's frame; see `move_to_frame`."""
    for lane in range(LANES):
        cos_a, sin_a = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane]
        cos_b, sin_b = s[(_POSE_B + 2) * STRIDE + lane], s[(_POSE_B + 3) * STRIDE + lane]
        dx = s[_POSE_B * STRIDE + lane] - s[_POSE_A * STRIDE + lane]
        dy = s[(_POSE_B + 1) * STRIDE + lane] - s[(_POSE_A + 1) * STRIDE + lane]
        s[_FRAME * STRIDE + lane] = cos_a * cos_b + sin_a * sin_b
        s[(_FRAME + 1) * STRIDE + lane] = cos_a * sin_b - sin_a * cos_b
        s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane] = cos_a * dx + sin_a * dy, cos_a * dy - sin_a * dx
    for slot in range(slots):
        for lane in range(LANES):
            cos, sin = s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane]
            shift_x, shift_y = s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane]
            at = (TO_B + (slot & SLOT_MASK)) * STRIDE + lane
            x, y = v[X * STRIDE + at], v[Y * STRIDE + at]
            v[X * STRIDE + at] = cos * x - sin * y + shift_x
            v[Y * STRIDE + at] = sin * x + cos * y + shift_y
            if directions:
                nx, ny = v[NX * STRIDE + at], v[NY * STRIDE + at]
                v[NX * STRIDE + at] = cos * nx - sin * ny + 0.0
                v[NY * STRIDE + at] = sin * nx + cos * ny + 0.0


@inlined_kernel
def separations(v: FloatArray, g: FloatArray, base: int, other: int, slots: int) -> None:
    """Fill `g` with the separation of each edge of the polygon at `base` from the vertices of that at `other`."""
    for edge in range(slots):
        row = (base + (edge & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            g[row + lane] = np.inf
        for group in range(0, slots, SLOT_GROUP):
            of_row = (other + (group & SLOT_MASK)) * STRIDE
            for lane in range(LANES):
                at, of = row + lane, of_row + lane
                nx, ny, x, y = v[NX * STRIDE + at], v[NY * STRIDE + at], v[X * STRIDE + at], v[Y * STRIDE + at]
                front_0 = nx * (v[X * STRIDE + of] - x) + ny * (v[Y * STRIDE + of] - y)
                front_1 = nx * (v[(X + 1) * STRIDE + of] - x) + ny * (v[(Y + 1) * STRIDE + of] - y)
                front_2 = nx * (v[(X + 2) * STRIDE + of] - x) + ny * (v[(Y + 2) * STRIDE + of] - y)
                front_3 = nx * (v[(X + 3) * STRIDE + of] - x) + ny * (v[(Y + 3) * STRIDE + of] - y)
                nearest = g[at]
                nearest = front_0 if front_0 < nearest else nearest
                nearest = front_1 if front_1 < nearest else nearest
                nearest = front_2 if front_2 < nearest else nearest
                nearest = front_3 if front_3 < nearest else nearest
                g[at] = nearest


@inlined_kernel
def _pick_greatest(g: FloatArray, s: FloatArray, k: IntArray, base: int, slots: int, best_row: int, edge_row: int) -> None:
    """Take of the separations of the polygon at `base` the greatest, the first of those within the touch of each other."""
    for lane in range(LANES):
        s[best_row * STRIDE + lane] = -np.inf
        k[edge_row * STRIDE + lane] = 0
    for edge in range(slots):
        row = (base + (edge & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            separation, best = g[row + lane], s[best_row * STRIDE + lane]
            is_better = separation > best + s[TOUCH * STRIDE + lane]
            s[best_row * STRIDE + lane] = separation if is_better else best
            k[edge_row * STRIDE + lane] = edge if is_better else k[edge_row * STRIDE + lane]


@inlined_kernel
def _pick_by_climb(
    v: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, base: int, sign: float, slots: int, n_row: int, best_row: int, edge_row: int
) -> None:
    """Take of the separations of the polygon at `base` the one at which Box2D's walk ends; see `_climb_kernel`.

    `sign` is -1 where the polygon is B, for the walk starts toward the other one. Lanes walk one by one: few steps, all different.
    """
    for lane in range(LANES):
        s[_MOST * STRIDE + lane] = -np.inf
        k[edge_row * STRIDE + lane] = 0
    for edge in range(slots):
        row = (base + (edge & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            toward_x = sign * (s[_CENTROID_B * STRIDE + lane] - s[_CENTROID_A * STRIDE + lane])
            toward_y = sign * (s[(_CENTROID_B + 1) * STRIDE + lane] - s[(_CENTROID_A + 1) * STRIDE + lane])
            along = v[NX * STRIDE + row + lane] * toward_x + v[NY * STRIDE + row + lane] * toward_y
            most = s[_MOST * STRIDE + lane]
            s[_MOST * STRIDE + lane] = along if along > most else most
            k[edge_row * STRIDE + lane] = edge if along > most else k[edge_row * STRIDE + lane]
    for lane in range(LANES):
        best_edge, n = k[edge_row * STRIDE + lane], k[n_row * STRIDE + lane]
        best = g[(base + best_edge) * STRIDE + lane]
        before, after = (best_edge - 1 if best_edge > 0 else n - 1), (best_edge + 1 if best_edge + 1 < n else 0)
        separation_before, separation_after = g[(base + before) * STRIDE + lane], g[(base + after) * STRIDE + lane]
        step = 0
        if separation_before > best and separation_before > separation_after:
            step, best, best_edge = n - 1, separation_before, before
        elif separation_after > best:
            step, best, best_edge = 1, separation_after, after
        while step > 0:
            edge = best_edge + step
            edge = edge - n if edge >= n else edge
            separation = g[(base + edge) * STRIDE + lane]
            if separation <= best:
                break
            best, best_edge = separation, edge
        s[best_row * STRIDE + lane], k[edge_row * STRIDE + lane] = best, best_edge


@inlined_kernel
def _choose(s: FloatArray, k: IntArray, rule: int) -> None:
    """Choose between A's best edge and B's."""
    for lane in range(LANES):
        best_a, touch = s[_BEST_A * STRIDE + lane], s[TOUCH * STRIDE + lane]
        limit = s[RADIUS_A * STRIDE + lane] + s[RADIUS_B * STRIDE + lane] + touch
        parted_by_a = best_a > limit
        best_b = np.nan if parted_by_a else s[_BEST_B * STRIDE + lane]
        edge_b = 0 if parted_by_a else k[_EDGE_B * STRIDE + lane]
        needed = best_a + touch if rule == EXACT else BOX2D_RELATIVE_TOLERANCE * best_a + BOX2D_ABSOLUTE_TOLERANCE
        parted_by_b = best_b > limit
        is_on_b = (best_b > needed) | parted_by_b
        s[(_AXIS + 2) * STRIDE + lane] = best_b if is_on_b else best_a
        s[(_AXIS + 4) * STRIDE + lane], s[(_AXIS + 5) * STRIDE + lane] = best_a, best_b
        k[_SIDE * STRIDE + lane] = 1 if is_on_b else 0
        k[_EDGE * STRIDE + lane] = edge_b if is_on_b else k[_EDGE_A * STRIDE + lane]
        k[_PARTED * STRIDE + lane] = 1 if parted_by_a | parted_by_b else 0


@inlined_kernel
def _fetch_edge(v: FloatArray, s: FloatArray, k: IntArray, side: int, edge_row: int, to: int) -> None:
    """Copy an edge of the reference polygon (`side` 0) or of the other (1): both vertices and the normal.

    Each lane's lies in another row, and such a loop is not vectorised: nothing else is in it.
    """
    for lane in range(LANES):
        on_b = k[_SIDE * STRIDE + lane] != side
        edge, n = k[edge_row * STRIDE + lane], (k[_N_B * STRIDE + lane] if on_b else k[_N_A * STRIDE + lane])
        after = edge + 1 if edge + 1 < n else 0
        base = TO_B if on_b else 0
        at, at_after = (base + (edge & SLOT_MASK)) * STRIDE + lane, (base + (after & SLOT_MASK)) * STRIDE + lane
        s[to * STRIDE + lane], s[(to + 1) * STRIDE + lane] = v[X * STRIDE + at], v[Y * STRIDE + at]
        s[(to + 2) * STRIDE + lane], s[(to + 3) * STRIDE + lane] = v[X * STRIDE + at_after], v[Y * STRIDE + at_after]
        s[(to + 4) * STRIDE + lane], s[(to + 5) * STRIDE + lane] = v[NX * STRIDE + at], v[NY * STRIDE + at]


@inlined_kernel
def _find_incident(v: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Find on the other polygon the first edge whose normal points most against the axis."""
    for lane in range(LANES):
        s[_MOST * STRIDE + lane] = np.inf
        k[_OTHER_EDGE * STRIDE + lane] = 0
    for edge in range(slots):
        row = (edge & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            is_on_b = k[_SIDE * STRIDE + lane] == 1
            x_a, x_b = v[NX * STRIDE + row + lane], v[(NX + TO_B) * STRIDE + row + lane]
            y_a, y_b = v[NY * STRIDE + row + lane], v[(NY + TO_B) * STRIDE + row + lane]
            nx, ny = s[(_REFERENCE + 4) * STRIDE + lane], s[(_REFERENCE + 5) * STRIDE + lane]
            along = (x_a if is_on_b else x_b) * nx + (y_a if is_on_b else y_b) * ny
            least = s[_MOST * STRIDE + lane]
            s[_MOST * STRIDE + lane] = along if along < least else least
            k[_OTHER_EDGE * STRIDE + lane] = edge if along < least else k[_OTHER_EDGE * STRIDE + lane]


@inlined_kernel
def _clip(s: FloatArray, k: IntArray, rule: int) -> None:
    """Clip the incident edge and fill the results that are points; see `clip_incident_edge` and `manifold_polygons`.

    `is_cut` of an end says that a side plane made it: it is then (vertex, face), else (face, vertex).
    """
    for lane in range(LANES):
        is_on_b, edge, incident = k[_SIDE * STRIDE + lane] == 1, k[_EDGE * STRIDE + lane], k[_OTHER_EDGE * STRIDE + lane]
        n_a, n_b = k[_N_A * STRIDE + lane], k[_N_B * STRIDE + lane]
        radius_a, radius_b = s[RADIUS_A * STRIDE + lane], s[RADIUS_B * STRIDE + lane]
        after_edge = edge + 1 if edge + 1 < (n_b if is_on_b else n_a) else 0
        after_incident = incident + 1 if incident + 1 < (n_a if is_on_b else n_b) else 0
        v1_x, v1_y = s[_REFERENCE * STRIDE + lane], s[(_REFERENCE + 1) * STRIDE + lane]
        v2_x, v2_y = s[(_REFERENCE + 2) * STRIDE + lane], s[(_REFERENCE + 3) * STRIDE + lane]
        nx, ny = s[(_REFERENCE + 4) * STRIDE + lane], s[(_REFERENCE + 5) * STRIDE + lane]
        x0, y0 = s[_INCIDENT * STRIDE + lane], s[(_INCIDENT + 1) * STRIDE + lane]
        x1, y1 = s[(_INCIDENT + 2) * STRIDE + lane], s[(_INCIDENT + 3) * STRIDE + lane]
        side, touch = radius_a + radius_b, s[TOUCH * STRIDE + lane]

        # First side plane.
        out_0 = ny * (x0 - v1_x) + -nx * (y0 - v1_y) - side
        out_1 = ny * (x1 - v1_x) + -nx * (y1 - v1_y) - side
        is_in = (out_0 <= 0.0) & (out_1 <= 0.0)
        is_gone = (out_0 > 0.0) & (out_1 > 0.0)
        cuts = not (is_in | is_gone)
        is_one = cuts & (not (out_0 * out_1 < 0.0))
        is_cut = cuts & (not is_one)
        share = out_0 / (out_0 - out_1)
        cut_x, cut_y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        moves = cuts & (out_0 > 0.0)
        x0, y0, other_0 = (x1 if moves else x0), (y1 if moves else y0), (after_incident if moves else incident)
        x1, y1, other_1 = (cut_x if cuts else x1), (cut_y if cuts else y1), (incident if cuts else after_incident)
        base_0, base_1 = edge, edge
        is_cut_0, is_cut_1 = False, cuts

        # Second side plane.
        out_0 = -ny * (x0 - v2_x) + nx * (y0 - v2_y) - side
        out_1 = -ny * (x1 - v2_x) + nx * (y1 - v2_y) - side
        is_in = (out_0 <= 0.0) & (out_1 <= 0.0)
        is_out = (out_0 > 0.0) & (out_1 > 0.0)
        cuts = not (is_in | is_out | is_one | is_gone)
        is_gone = is_gone | (is_one & (out_0 > 0.0)) | ((not is_one) & is_out)
        is_single = cuts & (not (out_0 * out_1 < 0.0))
        is_cut = is_cut | (cuts & (not is_single))
        is_one = is_one | is_single
        share = out_0 / (out_0 - out_1)
        cut_x, cut_y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        moves = cuts & (out_0 > 0.0)
        kept_other = other_0
        x0, y0, other_0 = (x1 if moves else x0), (y1 if moves else y0), (other_1 if moves else other_0)
        base_0, is_cut_0 = (base_1 if moves else base_0), (is_cut_1 if moves else is_cut_0)
        x1, y1, other_1 = (cut_x if cuts else x1), (cut_y if cuts else y1), (kept_other if cuts else other_1)
        base_1, is_cut_1 = (after_edge if cuts else base_1), (cuts | is_cut_1)

        # Points.
        is_parted, best = k[_PARTED * STRIDE + lane] == 1, s[(_AXIS + 2) * STRIDE + lane]
        is_none = is_parted | is_gone | (is_one & (rule == BOX2D))
        gap_0, gap_1 = nx * (x0 - v1_x) + ny * (y0 - v1_y), nx * (x1 - v1_x) + ny * (y1 - v1_y)
        keeps_0 = not (is_none | (gap_0 > side + touch))
        keeps_1 = not (is_none | is_one | (gap_1 > side + touch))
        base_radius, other_radius = (radius_b if is_on_b else radius_a), (radius_a if is_on_b else radius_b)
        lift_0, lift_1 = 0.5 * (base_radius - other_radius - gap_0), 0.5 * (base_radius - other_radius - gap_1)
        x0, y0, x1, y1 = x0 + lift_0 * nx, y0 + lift_0 * ny, x1 + lift_1 * nx, y1 + lift_1 * ny
        px, py = s[_POSE_A * STRIDE + lane], s[(_POSE_A + 1) * STRIDE + lane]
        cos, sin = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane]
        world_x0, world_y0 = cos * x0 - sin * y0 + px, sin * x0 + cos * y0 + py
        world_x1, world_y1 = cos * x1 - sin * y1 + px, sin * x1 + cos * y1 + py
        by_plane_0, by_plane_1 = (1 if is_cut_0 else 0), (1 if is_cut_1 else 0)
        low, high = (other_0 if is_on_b else base_0), (base_0 if is_on_b else other_0)
        name_0 = low | (high << 8) | ((by_plane_0 if is_on_b else 1 - by_plane_0) << 16)
        name_0 = name_0 | ((1 - by_plane_0 if is_on_b else by_plane_0) << 24)
        low, high = (other_1 if is_on_b else base_1), (base_1 if is_on_b else other_1)
        name_1 = low | (high << 8) | ((by_plane_1 if is_on_b else 1 - by_plane_1) << 16)
        name_1 = name_1 | ((1 - by_plane_1 if is_on_b else by_plane_1) << 24)

        has_second = keeps_0 & keeps_1
        s[_POINTS * STRIDE + lane] = world_x0 if keeps_0 else (world_x1 if keeps_1 else 0.0)
        s[(_POINTS + 1) * STRIDE + lane] = world_y0 if keeps_0 else (world_y1 if keeps_1 else 0.0)
        s[(_POINTS + 2) * STRIDE + lane] = gap_0 if keeps_0 else (gap_1 if keeps_1 else 0.0)
        s[(_POINTS + 3) * STRIDE + lane] = world_x1 if has_second else 0.0
        s[(_POINTS + 4) * STRIDE + lane] = world_y1 if has_second else 0.0
        s[(_POINTS + 5) * STRIDE + lane] = gap_1 if has_second else 0.0
        cosine = abs(nx * s[(_INCIDENT + 4) * STRIDE + lane] + ny * s[(_INCIDENT + 5) * STRIDE + lane])
        amplification = 1.0 / (cosine if cosine > SAT_ROUNDING else SAT_ROUNDING)
        to_b = -1.0 if is_on_b else 1.0
        s[_AXIS * STRIDE + lane], s[(_AXIS + 1) * STRIDE + lane] = to_b * (cos * nx - sin * ny), to_b * (sin * nx + cos * ny)
        s[(_AXIS + 3) * STRIDE + lane] = amplification if is_cut & (not is_parted) else 0.0
        k[_COUNT * STRIDE + lane] = (1 if keeps_0 else 0) + (1 if keeps_1 else 0)
        k[_NAMES * STRIDE + lane] = name_0 if keeps_0 else (name_1 if keeps_1 else 0)
        k[(_NAMES + 1) * STRIDE + lane] = name_1 if has_second else 0
        is_lost = not (keeps_0 | keeps_1 | is_parted | (best > touch))
        k[_AGAIN * STRIDE + lane] = 1 if is_lost & (rule == EXACT) else 0


@inlined_kernel
def _store(
    s: FloatArray, k: IntArray, rows: IntArray, low: int, count: IntArray, points: FloatArray, names: IntArray, axis: FloatArray,
    reference: IntArray, again: IntArray, n_again: int,
) -> int:  # fmt: skip
    """Write the lanes' results to the caller's rows; return how many rows `again` lists by now."""
    for lane in range(min(LANES, rows.shape[0] - low)):
        row = np.uint64(rows[low + lane])
        count[row] = k[_COUNT * STRIDE + lane]
        for point in range(2):
            names[row, point] = k[(_NAMES + point) * STRIDE + lane]
            for field in range(3):
                points[row, point, field] = s[(_POINTS + 3 * point + field) * STRIDE + lane]
        for field in range(6):
            axis[row, field] = s[(_AXIS + field) * STRIDE + lane]
        reference[row, 0], reference[row, 1] = k[_SIDE * STRIDE + lane], k[_EDGE * STRIDE + lane]
        if k[_AGAIN * STRIDE + lane] == 1:
            again[n_again] = rows[low + lane]
            n_again += 1
    return n_again


@inlined_kernel
def _move_centroid(s: FloatArray) -> None:
    """Take B's centroid to A's frame, which `move_b` has found."""
    for lane in range(LANES):
        cos, sin = s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane]
        x, y = s[_CENTROID_B * STRIDE + lane], s[(_CENTROID_B + 1) * STRIDE + lane]
        s[_CENTROID_B * STRIDE + lane] = cos * x - sin * y + s[(_FRAME + 2) * STRIDE + lane]
        s[(_CENTROID_B + 1) * STRIDE + lane] = sin * x + cos * y + s[(_FRAME + 3) * STRIDE + lane]


@inlined_kernel
def _find_corner(v: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Find the centre's Voronoi region: mark the lanes where it is a corner's, with the vector from there."""
    for lane in range(LANES):
        v1_x, v1_y = s[_REFERENCE * STRIDE + lane], s[(_REFERENCE + 1) * STRIDE + lane]
        v2_x, v2_y = s[(_REFERENCE + 2) * STRIDE + lane], s[(_REFERENCE + 3) * STRIDE + lane]
        x, y = v[(X + TO_B) * STRIDE + lane], v[(Y + TO_B) * STRIDE + lane]
        past_v1 = (x - v1_x) * (v2_x - v1_x) + (y - v1_y) * (v2_y - v1_y)
        past_v2 = (x - v2_x) * (v1_x - v2_x) + (y - v2_y) * (v1_y - v2_y)
        in_front = s[_BEST_A * STRIDE + lane]
        reach = s[RADIUS_B * STRIDE + lane] + s[RADIUS_A * STRIDE + lane] + s[TOUCH * STRIDE + lane]
        in_reach = (s[_INSIDE * STRIDE + lane] <= in_front) & (in_front <= reach)
        s[_DX * STRIDE + lane] = x - v1_x if past_v1 <= 0.0 else x - v2_x
        s[_DY * STRIDE + lane] = y - v1_y if past_v1 <= 0.0 else y - v2_y
        k[_CORNER * STRIDE + lane] = 1 if in_reach & ((past_v1 <= 0.0) | (past_v2 <= 0.0)) else 0


@inlined_kernel
def _touch_circle(v: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Fill the results of polygon and circle, the length from the corner being known; see `manifold_polygon_circle`."""
    for lane in range(LANES):
        is_corner, in_front = k[_CORNER * STRIDE + lane] == 1, s[_BEST_A * STRIDE + lane]
        inverse = 1.0 / s[_LENGTH * STRIDE + lane]
        corner_nx, corner_ny = s[_DX * STRIDE + lane] * inverse, s[_DY * STRIDE + lane] * inverse
        nx = corner_nx if is_corner else s[(_REFERENCE + 4) * STRIDE + lane]
        ny = corner_ny if is_corner else s[(_REFERENCE + 5) * STRIDE + lane]
        gap = s[_LENGTH * STRIDE + lane] if is_corner else in_front
        radius, skin = s[RADIUS_B * STRIDE + lane], s[RADIUS_A * STRIDE + lane]
        cos, sin = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane]
        to_circle = -1.0 if k[_SWAPPED * STRIDE + lane] == 1 else 1.0
        s[_AXIS * STRIDE + lane] = to_circle * (cos * nx - sin * ny)
        s[(_AXIS + 1) * STRIDE + lane] = to_circle * (sin * nx + cos * ny)
        s[(_AXIS + 2) * STRIDE + lane], s[(_AXIS + 3) * STRIDE + lane] = gap - radius, (inverse if is_corner else 0.0)
        s[(_AXIS + 4) * STRIDE + lane], s[(_AXIS + 5) * STRIDE + lane] = in_front - radius, np.nan
        k[_SIDE * STRIDE + lane] = k[_SWAPPED * STRIDE + lane]
        touches = not (gap > radius + skin + s[TOUCH * STRIDE + lane])
        lift = 0.5 * (skin - gap - radius)
        x, y = v[(X + TO_B) * STRIDE + lane] + lift * nx, v[(Y + TO_B) * STRIDE + lane] + lift * ny
        world_x, world_y = cos * x - sin * y + s[_POSE_A * STRIDE + lane], sin * x + cos * y + s[(_POSE_A + 1) * STRIDE + lane]
        s[_POINTS * STRIDE + lane] = world_x if touches else 0.0
        s[(_POINTS + 1) * STRIDE + lane] = world_y if touches else 0.0
        s[(_POINTS + 2) * STRIDE + lane] = gap - radius if touches else 0.0
        k[_COUNT * STRIDE + lane] = 1 if touches else 0


@inlined_kernel
def _touch_circles(v: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Fill the results of two circles, the distance of the centres being known; see `manifold_circles`."""
    for lane in range(LANES):
        dx, dy, distance = s[_DX * STRIDE + lane], s[_DY * STRIDE + lane], s[_LENGTH * STRIDE + lane]
        cos, sin = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane]
        has_direction = distance > s[_INSIDE * STRIDE + lane]
        inverse = 1.0 / distance
        along_x, along_y = (cos * dx - sin * dy) * inverse, (sin * dx + cos * dy) * inverse
        nx, ny = (along_x if has_direction else 1.0), (along_y if has_direction else 0.0)
        radius_a, radius_b = s[RADIUS_A * STRIDE + lane], s[RADIUS_B * STRIDE + lane]
        gap = distance - radius_a - radius_b
        s[_AXIS * STRIDE + lane], s[(_AXIS + 1) * STRIDE + lane], s[(_AXIS + 2) * STRIDE + lane] = nx, ny, gap
        s[(_AXIS + 3) * STRIDE + lane] = inverse if has_direction else 0.0
        s[(_AXIS + 4) * STRIDE + lane], s[(_AXIS + 5) * STRIDE + lane] = gap, np.nan
        k[_SIDE * STRIDE + lane], k[_EDGE * STRIDE + lane] = -1, 0
        touches = not (gap > s[TOUCH * STRIDE + lane])
        mid_x, mid_y = v[X * STRIDE + lane] + 0.5 * dx, v[Y * STRIDE + lane] + 0.5 * dy
        lift = 0.5 * (radius_a - radius_b)
        world_x = cos * mid_x - sin * mid_y + s[_POSE_A * STRIDE + lane] + lift * nx
        world_y = sin * mid_x + cos * mid_y + s[(_POSE_A + 1) * STRIDE + lane] + lift * ny
        s[_POINTS * STRIDE + lane] = world_x if touches else 0.0
        s[(_POINTS + 1) * STRIDE + lane] = world_y if touches else 0.0
        s[(_POINTS + 2) * STRIDE + lane] = gap if touches else 0.0
        k[_COUNT * STRIDE + lane] = 1 if touches else 0


@inlined_kernel
def _store_single(
    s: FloatArray, k: IntArray, rows: IntArray, low: int, count: IntArray, points: FloatArray, names: IntArray, axis: FloatArray,
    reference: IntArray,
) -> None:  # fmt: skip
    """Write the lanes' results, one point at most, to the caller's rows."""
    for lane in range(min(LANES, rows.shape[0] - low)):
        row = np.uint64(rows[low + lane])
        count[row] = k[_COUNT * STRIDE + lane]
        names[row, 0] = names[row, 1] = 0
        for field in range(3):
            points[row, 0, field] = s[(_POINTS + field) * STRIDE + lane]
            points[row, 1, field] = 0.0
        for field in range(6):
            axis[row, field] = s[(_AXIS + field) * STRIDE + lane]
        reference[row, 0], reference[row, 1] = k[_SIDE * STRIDE + lane], k[_EDGE * STRIDE + lane]


@kernel
def _polygons_lanes(
    v: FloatArray,
    g: FloatArray,
    s: FloatArray,
    k: IntArray,
    rows: IntArray,
    slots: int,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    normals: FloatArray,
    centroid: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    rule: int,
    count: IntArray,
    points: FloatArray,
    names: IntArray,
    axis: FloatArray,
    reference: IntArray,
    again: IntArray,
) -> int:
    """Fill the `rows` of pairs of two polygons of at most `slots` vertices; return how many of them `again` lists, to be done over.

    All other arguments are those of `manifold_pairs`.
    """
    n_again = 0
    for low in range(0, rows.shape[0], LANES):
        for lane in range(LANES):
            row = np.uint64(rows[min(low + lane, rows.shape[0] - 1)])
            a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
            load_pair(s, k, lane, row, a, b, radius, extent, rule, poses_a, poses_b, False)
            load_shape(v, lane, 0, slots, first[a], n_vertices[a], vertices, normals)
            load_shape(v, lane, TO_B, slots, first[b], n_vertices[b], vertices, normals)
            k[_N_A * STRIDE + lane], k[_N_B * STRIDE + lane] = n_vertices[a], n_vertices[b]
            for field in range(2):
                s[(_CENTROID_A + field) * STRIDE + lane] = centroid[a, field]
                s[(_CENTROID_B + field) * STRIDE + lane] = centroid[b, field]
        move_b(v, s, slots, True)
        separations(v, g, 0, TO_B, slots)
        separations(v, g, TO_B, 0, slots)
        if rule == EXACT:
            _pick_greatest(g, s, k, 0, slots, _BEST_A, _EDGE_A)
            _pick_greatest(g, s, k, TO_B, slots, _BEST_B, _EDGE_B)
        else:
            _move_centroid(s)
            _pick_by_climb(v, g, s, k, 0, 1.0, slots, _N_A, _BEST_A, _EDGE_A)
            _pick_by_climb(v, g, s, k, TO_B, -1.0, slots, _N_B, _BEST_B, _EDGE_B)
        _choose(s, k, rule)
        _fetch_edge(v, s, k, 0, _EDGE, _REFERENCE)
        _find_incident(v, s, k, slots)
        _fetch_edge(v, s, k, 1, _OTHER_EDGE, _INCIDENT)
        _clip(s, k, rule)
        n_again = _store(s, k, rows, low, count, points, names, axis, reference, again, n_again)
    return n_again


@kernel
def _polygon_circle_lanes(
    v: FloatArray,
    g: FloatArray,
    s: FloatArray,
    k: IntArray,
    rows: IntArray,
    slots: int,
    kind: IntArray,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    normals: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    rule: int,
    count: IntArray,
    points: FloatArray,
    names: IntArray,
    axis: FloatArray,
    reference: IntArray,
) -> None:
    """Fill the `rows` of pairs of a polygon of at most `slots` vertices and a circle; the polygon is the lane's A."""
    for low in range(0, rows.shape[0], LANES):
        for lane in range(LANES):
            row = np.uint64(rows[min(low + lane, rows.shape[0] - 1)])
            a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
            swapped = kind[a] == CIRCLE
            load_pair(s, k, lane, row, a, b, radius, extent, rule, poses_a, poses_b, swapped)
            polygon, circle = (b, a) if swapped else (a, b)
            load_shape(v, lane, 0, slots, first[polygon], n_vertices[polygon], vertices, normals)
            v[(X + TO_B) * STRIDE + lane] = vertices[first[circle], 0]
            v[(Y + TO_B) * STRIDE + lane] = vertices[first[circle], 1]
            k[_N_A * STRIDE + lane], k[_SIDE * STRIDE + lane] = n_vertices[polygon], 0
        move_b(v, s, 1, False)
        for edge in range(slots):
            of = (edge & SLOT_MASK) * STRIDE
            for lane in range(LANES):
                nx, ny = v[NX * STRIDE + of + lane], v[NY * STRIDE + of + lane]
                x, y = v[X * STRIDE + of + lane], v[Y * STRIDE + of + lane]
                g[of + lane] = nx * (v[(X + TO_B) * STRIDE + lane] - x) + ny * (v[(Y + TO_B) * STRIDE + lane] - y)
        _pick_greatest(g, s, k, 0, slots, _BEST_A, _EDGE)
        _fetch_edge(v, s, k, 0, _EDGE, _REFERENCE)
        _find_corner(v, s, k)
        for lane in range(LANES):
            s[_LENGTH * STRIDE + lane] = 1.0
            if k[_CORNER * STRIDE + lane] == 1:
                s[_LENGTH * STRIDE + lane] = math.hypot(s[_DX * STRIDE + lane], s[_DY * STRIDE + lane])
        _touch_circle(v, s, k)
        _store_single(s, k, rows, low, count, points, names, axis, reference)


@kernel
def _circles_lanes(
    v: FloatArray,
    s: FloatArray,
    k: IntArray,
    rows: IntArray,
    first: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    rule: int,
    count: IntArray,
    points: FloatArray,
    names: IntArray,
    axis: FloatArray,
    reference: IntArray,
) -> None:
    """Fill the `rows` of pairs of two circles."""
    for low in range(0, rows.shape[0], LANES):
        for lane in range(LANES):
            row = np.uint64(rows[min(low + lane, rows.shape[0] - 1)])
            a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
            load_pair(s, k, lane, row, a, b, radius, extent, rule, poses_a, poses_b, False)
            for field in range(2):
                v[(X + field * Y) * STRIDE + lane] = vertices[first[a], field]
                v[(X + field * Y + TO_B) * STRIDE + lane] = vertices[first[b], field]
        move_b(v, s, 1, False)
        for lane in range(LANES):
            s[_DX * STRIDE + lane] = v[(X + TO_B) * STRIDE + lane] - v[X * STRIDE + lane]
            s[_DY * STRIDE + lane] = v[(Y + TO_B) * STRIDE + lane] - v[Y * STRIDE + lane]
        for lane in range(LANES):
            s[_LENGTH * STRIDE + lane] = math.hypot(s[_DX * STRIDE + lane], s[_DY * STRIDE + lane])
        _touch_circles(v, s, k)
        _store_single(s, k, rows, low, count, points, names, axis, reference)


@kernel
def manifold_lanes(
    kind: IntArray,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    normals: FloatArray,
    centroid: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    rule: int,
    count: IntArray,
    points: FloatArray,
    names: IntArray,
    axis: FloatArray,
    reference: IntArray,
) -> IntArray:
    """Fill the rows of all `pairs` that can go in lanes; return the numbers of the others, which are `manifold_pairs`'s to fill.

    Arguments are those of `manifold_pairs`.
    """
    n = pairs.shape[0]
    rows, rest = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    begin = classify(kind, n_vertices, pairs, rows)
    v, g = np.empty(VERTEX_ROWS * STRIDE), np.empty(GAP_ROWS * STRIDE)
    s, k = np.empty(NUMBER_ROWS * STRIDE), np.empty(WHOLE_ROWS * STRIDE, dtype=np.int64)
    n_rest = 0
    for number in range(N_CLASSES):
        chosen = rows[begin[number] : begin[number + 1]]
        if number == SCALAR or chosen.shape[0] < FEWEST:
            for at in range(chosen.shape[0]):
                rest[n_rest] = chosen[at]
                n_rest += 1
        elif number == CIRCLES:
            _circles_lanes(
                v, s, k, chosen, first, vertices, radius, extent, pairs, poses_a, poses_b, rule, count, points, names, axis, reference
            )  # fmt: skip
        elif number <= POLYGON_AND_CIRCLE:
            n_rest += _polygons_lanes(
                v, g, s, k, chosen, SLOT_GROUP * number, first, n_vertices, vertices, normals, centroid, radius, extent,
                pairs, poses_a, poses_b, rule, count, points, names, axis, reference, rest[n_rest:],
            )  # fmt: skip
        else:
            slots = SLOT_GROUP * (number - POLYGON_AND_CIRCLE)
            _polygon_circle_lanes(
                v, g, s, k, chosen, slots, kind, first, n_vertices, vertices, normals, radius, extent,
                pairs, poses_a, poses_b, rule, count, points, names, axis, reference,
            )  # fmt: skip
    return rest[:n_rest]


@kernel
def contact_normals(count: IntArray, axis: FloatArray) -> FloatArray:
    """Return the axes (n, 2) of the rows that have a contact, zero for the others."""
    normals = np.empty((count.shape[0], 2))
    for row in range(count.shape[0]):
        touches = count[row] > 0
        normals[row, 0], normals[row, 1] = (axis[row, 0] if touches else 0.0), (axis[row, 1] if touches else 0.0)
    return normals
