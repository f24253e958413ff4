"""The overlap of many pairs at once: 64 pairs of polygons and circles side by side.

The chapter is `_overlap_kernel`; read that one first, and `_simd_kernel` for what lanes are and what keeps them fast. Loading,
moving and the separations are those of the manifolds. The scalar kernel leaves at the first edge that parts two polygons; here all edges
are looked at, and the greatest separation compared, which is the same answer.

Where the separation of two polygons lies in the band from a rounding below zero to their skins, or shapes are neither polygon nor
circle, or too large, or too few, the scalar kernel answers. With a circle the band is as wide as the circle, so its distance from the
polygon's edges is measured here, squared, for there is no `hypot` of a vector::

      no  <-- (1 + SQUARES) r^2 ---- r^2 ---- (1 - SQUARES) r^2 --> yes
                      scalar kernel, whose hypot decides

Both have the same two legs to the bit; the squares, their sum and r^2 err by less than 4 roundings, `hypot` by less than 2. So outside
the interval, whose half width is 64 roundings, both kernels answer alike. Where r^2 leaves what float64 holds in full, the scalar one
answers too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel, unlocked_kernel
from engine.common.tolerances import EPS64, SAFE_PRODUCT
from engine.geometry.kinds import CIRCLE
from engine.narrowphase._simd_kernel import (
    CIRCLES,
    FEWEST,
    GAP_ROWS,
    LANES,
    N_CLASSES,
    NUMBER_ROWS,
    NX,
    NY,
    PLACE_A,
    PLACE_B,
    PLACE_POSE_A,
    PLACE_POSE_B,
    POLYGON_AND_CIRCLE,
    POSE,
    RADIUS_A,
    RADIUS_B,
    SCALAR,
    SLOT_MASK,
    STRIDE,
    TO_B,
    TOUCH,
    VERTEX_ROWS,
    WHOLE_ROWS,
    Block,
    X,
    Y,
    classify,
    load_numbers,
    load_slots,
    move_b,
    separations,
)
from engine.narrowphase.packing import RECORD, SLOT_GROUP
from engine.narrowphase.rules import EXACT

__all__ = ["SQUARES", "overlaps_simd"]

SQUARES = 64.0 * EPS64
"""Rounding, relative. Squared distances that differ by more compare as the distances do; see the module."""

# Rows of `s` beyond those of the manifolds; rows of `k`: the answer, 0, 1 or `_UNSURE`.
_GREATEST, _NEAREST_SQ = NUMBER_ROWS, NUMBER_ROWS + 1
_ROWS = NUMBER_ROWS + 2
_ANSWER, _UNSURE = 0, 2


class _Query(NamedTuple):
    """The question and the answers: the shapes' records in one row, poses in one row, and 1 or 0 for each pair."""

    records: FloatArray
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    overlapping: IntArray


@inlined_kernel
def _greatest_separation(g: FloatArray, s: FloatArray, base: int, slots: int) -> None:
    """Raise the greatest separation by those of the polygon at `base`."""
    for edge in range(slots):
        row = (base + (edge & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            separation, greatest = g[row + lane], s[_GREATEST * STRIDE + lane]
            s[_GREATEST * STRIDE + lane] = separation if separation > greatest else greatest


@inlined_kernel
def _nearest_edge(v: FloatArray, s: FloatArray, polygon: int, center: int, slots: int) -> None:
    """Find the center's greatest separation from the polygon's edges, and its squared distance; see `distance_to_edges`."""
    for edge in range(slots):
        row, next_row = (polygon + (edge & SLOT_MASK)) * STRIDE, (polygon + ((edge + 1 if edge + 1 < slots else 0) & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            x, y = v[(X + center) * STRIDE + lane], v[(Y + center) * STRIDE + lane]
            ax, ay = v[X * STRIDE + row + lane], v[Y * STRIDE + row + lane]
            nx, ny = v[NX * STRIDE + row + lane], v[NY * STRIDE + row + lane]
            ex, ey = v[X * STRIDE + next_row + lane] - ax, v[Y * STRIDE + next_row + lane] - ay
            length_sq = ex * ex + ey * ey
            share = ((x - ax) * ex + (y - ay) * ey) / length_sq
            share = share if share > 0.0 else 0.0
            share = share if share < 1.0 else 1.0
            share = share if length_sq > 0.0 else 0.0
            separation, greatest = nx * (x - ax) + ny * (y - ay), s[_GREATEST * STRIDE + lane]
            s[_GREATEST * STRIDE + lane] = separation if separation > greatest else greatest
            dx, dy = x - (ax + share * ex), y - (ay + share * ey)
            distance_sq, nearest = dx * dx + dy * dy, s[_NEAREST_SQ * STRIDE + lane]
            s[_NEAREST_SQ * STRIDE + lane] = distance_sq if distance_sq < nearest else nearest


@inlined_kernel
def _answer_polygons(s: FloatArray, k: IntArray) -> None:
    """Answer for two polygons; see `overlap_pair`."""
    for lane in range(LANES):
        radius, touch = s[RADIUS_A * STRIDE + lane] + s[RADIUS_B * STRIDE + lane], s[TOUCH * STRIDE + lane]
        greatest = s[_GREATEST * STRIDE + lane]
        in_band = 1 if greatest < -touch else _UNSURE
        k[_ANSWER * STRIDE + lane] = 0 if greatest > radius + touch else in_band


@inlined_kernel
def _answer_circles(s: FloatArray, k: IntArray) -> None:
    """Answer where one of the two is a circle; two circles have no separation, -inf, which must not answer for them."""
    for lane in range(LANES):
        radius, touch = s[RADIUS_A * STRIDE + lane] + s[RADIUS_B * STRIDE + lane], s[TOUCH * STRIDE + lane]
        greatest, nearest_sq = s[_GREATEST * STRIDE + lane], s[_NEAREST_SQ * STRIDE + lane]
        within = radius + touch + (-greatest if (greatest < 0.0) & (greatest >= -touch) else 0.0)
        within_sq = within * within
        holds = (within_sq > SAFE_PRODUCT) & (within_sq < np.inf)
        is_near, is_far = nearest_sq < within_sq * (1.0 - SQUARES), nearest_sq > within_sq * (1.0 + SQUARES)
        measured = _UNSURE if not holds else (1 if is_near else (0 if is_far else _UNSURE))
        covers = (greatest < -touch) & (greatest > -np.inf)
        k[_ANSWER * STRIDE + lane] = 0 if greatest > radius + touch else (1 if covers else measured)


@inlined_kernel
def _store(k: IntArray, chosen: IntArray, low: int, overlapping: IntArray, rest: IntArray, n_rest: int) -> int:
    """Write the answers to the caller's rows; return how many rows `rest` lists by now."""
    for lane in range(min(LANES, chosen.shape[0] - low)):
        row, answer = np.uint64(chosen[low + lane]), k[_ANSWER * STRIDE + lane]
        overlapping[row] = answer
        if answer == _UNSURE:
            rest[n_rest] = chosen[low + lane]
            n_rest += 1
    return n_rest


@inlined_kernel
def _load(block: Block, chosen: IntArray, low: int, slots_a: int, slots_b: int, query: _Query) -> None:
    """Load a block, from row `low` of the `chosen` on; lanes past their end take the last one once more."""
    v, _, s, k = block
    for lane in range(LANES):
        s[_GREATEST * STRIDE + lane], s[_NEAREST_SQ * STRIDE + lane] = -np.inf, np.inf
        row = chosen[min(low + lane, chosen.shape[0] - 1)]
        a, b = query.pairs[np.uint64(row), 0], query.pairs[np.uint64(row), 1]
        k[PLACE_A * STRIDE + lane], k[PLACE_B * STRIDE + lane] = a * RECORD, b * RECORD
        k[PLACE_POSE_A * STRIDE + lane] = k[PLACE_POSE_B * STRIDE + lane] = row * POSE
    load_numbers(s, k, query.records, query.poses_a, query.poses_b, POSE, False, EXACT)
    load_slots(v, k, PLACE_A, 0, slots_a, query.records)
    load_slots(v, k, PLACE_B, TO_B, slots_b, query.records)


@kernel
def _polygons_block(block: Block, chosen: IntArray, slots: int, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Fill the `chosen` rows of pairs of two polygons of at most `slots` vertices; return how many rows `rest` lists by now."""
    v, g, s, k = block
    for low in range(0, chosen.shape[0], LANES):
        _load(block, chosen, low, slots, slots, query)
        move_b(v, s, slots, True)
        separations(v, g, 0, TO_B, slots, slots)
        separations(v, g, TO_B, 0, slots, slots)
        _greatest_separation(g, s, 0, slots)
        _greatest_separation(g, s, TO_B, slots)
        _answer_polygons(s, k)
        n_rest = _store(k, chosen, low, query.overlapping, rest, n_rest)
    return n_rest


@kernel
def _circles_block(block: Block, chosen: IntArray, slots: int, is_b_polygon: bool, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Do the same for pairs with a circle, the other a polygon of at most `slots` vertices, or a circle where that is 1.

    All of them have the polygon first, or all the circle: everything happens in A's frame, as in the scalar kernel.
    """
    v, _, s, k = block
    for low in range(0, chosen.shape[0], LANES):
        _load(block, chosen, low, (1 if is_b_polygon else slots), (slots if is_b_polygon else 1), query)
        if slots == 1:
            move_b(v, s, 1, False)
            for lane in range(LANES):
                dx, dy = v[(X + TO_B) * STRIDE + lane] - v[X * STRIDE + lane], v[(Y + TO_B) * STRIDE + lane] - v[Y * STRIDE + lane]
                s[_NEAREST_SQ * STRIDE + lane] = dx * dx + dy * dy
        elif is_b_polygon:
            move_b(v, s, slots, True)
            _nearest_edge(v, s, TO_B, 0, slots)
        else:
            move_b(v, s, 1, False)
            _nearest_edge(v, s, 0, TO_B, slots)
        _answer_circles(s, k)
        n_rest = _store(k, chosen, low, query.overlapping, rest, n_rest)
    return n_rest


@inlined_kernel
def _move_apart(kind: IntArray, pairs: IntArray, chosen: IntArray, parted: IntArray) -> int:
    """Write `chosen` into `parted`, pairs whose first shape is a circle in front; return how many these are."""
    n, at = 0, chosen.shape[0]
    for row in chosen:
        if kind[pairs[row, 0]] == CIRCLE:
            parted[n] = row
            n += 1
        else:
            at -= 1
            parted[at] = row
    return n


@unlocked_kernel
def overlaps_simd(
    kind: IntArray, n_vertices: IntArray, records: FloatArray, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray,
    overlapping: IntArray,
) -> IntArray:  # fmt: skip
    """Fill the rows of all `pairs` that are sure; return the numbers of the others, which are `overlap_pairs`'s to fill.

    Arguments are those of `overlap_pairs`, and `records` as in `PackedShapes`.
    """
    n, n_rest = pairs.shape[0], int(np.int64(0))  # as a literal it would have each block compiled once more
    rows, rest, parted = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    begin = classify(kind, n_vertices, pairs, rows)
    query = _Query(records.reshape(-1), pairs, poses_a.reshape(-1), poses_b.reshape(-1), overlapping)
    block = Block(
        np.empty(VERTEX_ROWS * STRIDE), np.empty(GAP_ROWS * STRIDE), np.empty(_ROWS * STRIDE), np.empty(WHOLE_ROWS * STRIDE, dtype=np.int64)
    )
    for number in range(N_CLASSES):
        chosen = rows[begin[number] : begin[number + 1]]
        if number == SCALAR or chosen.shape[0] < FEWEST:
            rest[n_rest : n_rest + chosen.shape[0]] = chosen
            n_rest += chosen.shape[0]
        elif CIRCLES < number <= POLYGON_AND_CIRCLE:
            n_rest = _polygons_block(block, chosen, SLOT_GROUP * number, query, rest, n_rest)
        else:
            slots = 1 if number == CIRCLES else SLOT_GROUP * (number - POLYGON_AND_CIRCLE)
            n_circles = _move_apart(kind, pairs, chosen, parted)
            for is_b_polygon in (False, True):
                some = parted[:n_circles] if is_b_polygon else parted[n_circles : chosen.shape[0]]
                if number == CIRCLES:
                    some = parted[: 0 if is_b_polygon else n_circles]
                n_rest = _circles_block(block, some, slots, is_b_polygon, query, rest, n_rest)
    return rest[:n_rest]
