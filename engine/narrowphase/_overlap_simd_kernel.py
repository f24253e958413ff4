"""The overlap of many pairs: 64 pairs of polygons and circles in parallel lanes.

The algorithm is described in `_overlap_kernel`, and lanes in `_simd_kernel`; read these first. Loading, transforms and separations are
those of the manifolds. The scalar kernel returns at the first edge that separates two polygons; here the greatest separation over all edges
is compared, with the same result.

If the separation of two polygons is in the band from a rounding below zero to their skins, or shapes are neither polygon nor circle, or too
large, or too few, the scalar kernel decides. With a circle the band is as wide as the circle, so its squared distance from the polygon's
edges is computed here, because there is no vector `hypot`::

      no  <-- (1 + SQUARES) r^2 ---- r^2 ---- (1 - SQUARES) r^2 --> yes
                      scalar kernel, whose hypot decides

Both use bit-identical coordinates; the squares, their sum and r^2 err by less than 4 roundings, `hypot` by less than 2. So outside the
interval, whose half width is 64 roundings, both kernels return the same result. If r^2 is outside float64's normal range, the scalar kernel
decides too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common._lanes_kernel import fetch
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, inlined_kernel, unlocked_kernel
from engine.common.tolerances import EPS64, SAFE_PRODUCT
from engine.narrowphase._simd_kernel import (
    CIRCLE_AND_POLYGON,
    CIRCLES,
    GAP_END,
    INTEGER_END,
    LANES,
    N_KINDS,
    N_SIZES,
    NUMBER_END,
    NX,
    NY,
    PLACE_A,
    PLACE_B,
    PLACE_POSE_A,
    PLACE_POSE_B,
    POLYGONS,
    POSE,
    RADIUS_A,
    RADIUS_B,
    SLOT_MASK,
    STRIDE,
    TO_B,
    TOUCH,
    VERTEX_END,
    Block,
    X,
    Y,
    block_in,
    drive,
    fetch_shapes,
    list_of_kinds,
    load_numbers,
    load_slots,
    move_b,
    separations,
)
from engine.narrowphase.packing import RECORD, SLOT_GROUP
from engine.narrowphase.rules import EXACT

__all__ = ["SCRATCH", "SQUARES", "overlaps_simd"]

SQUARES = 64.0 * EPS64
"""Rounding, relative. Squared distances that differ by more compare like the distances; see the module."""

# Places in `s` beyond those of `_simd_kernel`; in `k`: the answer, 0, 1 or `_UNSURE`.
_GREATEST, _NEAREST_SQ = NUMBER_END, NUMBER_END + STRIDE
_ANSWER, _UNSURE = 0, 2

SCRATCH = VERTEX_END + GAP_END + NUMBER_END + 2 * STRIDE
"""Numbers of `v`, `g` and `s` together."""


class _Query(NamedTuple):
    """Arguments of `overlaps_simd`, with records and poses each in one row."""

    kind: IntArray
    n_vertices: IntArray
    records: FloatArray
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    overlapping: IntArray


@inlined_kernel
def _greatest_separation(g: FloatArray, s: FloatArray, base: int, slots: int) -> None:
    """Raise the greatest separation by those of the polygon at `base`."""
    for edge in range(slots):
        row = base + (edge & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            separation, greatest = g[row + lane], s[_GREATEST + lane]
            s[_GREATEST + lane] = separation if separation > greatest else greatest


@inlined_kernel
def _nearest_edge(v: FloatArray, s: FloatArray, polygon: int, center: int, slots: int) -> None:
    """Find the center's greatest separation from the polygon's edges, and its squared distance; see `distance_to_edges`."""
    for edge in range(slots):
        after = edge + 1 if edge + 1 < slots else 0
        row, next_row = polygon + (edge & SLOT_MASK) * STRIDE, polygon + (after & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            x, y = v[X + center + lane], v[Y + center + lane]
            ax, ay = v[X + row + lane], v[Y + row + lane]
            nx, ny = v[NX + row + lane], v[NY + row + lane]
            ex, ey = v[X + next_row + lane] - ax, v[Y + next_row + lane] - ay
            length_sq = ex * ex + ey * ey
            share = ((x - ax) * ex + (y - ay) * ey) / length_sq
            share = share if share > 0.0 else 0.0
            share = share if share < 1.0 else 1.0
            share = share if length_sq > 0.0 else 0.0
            separation, greatest = nx * (x - ax) + ny * (y - ay), s[_GREATEST + lane]
            s[_GREATEST + lane] = separation if separation > greatest else greatest
            dx, dy = x - (ax + share * ex), y - (ay + share * ey)
            distance_sq, nearest = dx * dx + dy * dy, s[_NEAREST_SQ + lane]
            s[_NEAREST_SQ + lane] = distance_sq if distance_sq < nearest else nearest


@inlined_kernel
def _answer_polygons(s: FloatArray, k: IntArray) -> None:
    """Compute the results for two polygons; see `overlap_pair`."""
    for lane in range(LANES):
        radius, touch = s[RADIUS_A + lane] + s[RADIUS_B + lane], s[TOUCH + lane]
        greatest = s[_GREATEST + lane]
        in_band = 1 if greatest < -touch else _UNSURE
        k[_ANSWER + lane] = 0 if greatest > radius + touch else in_band


@inlined_kernel
def _answer_circles(s: FloatArray, k: IntArray) -> None:
    """Compute the results if one of the two is a circle; two circles have the separation -inf, which must not decide."""
    for lane in range(LANES):
        radius, touch = s[RADIUS_A + lane] + s[RADIUS_B + lane], s[TOUCH + lane]
        greatest, nearest_sq = s[_GREATEST + lane], s[_NEAREST_SQ + lane]
        within = radius + touch + (-greatest if (greatest < 0.0) & (greatest >= -touch) else 0.0)
        within_sq = within * within
        holds = (within_sq > SAFE_PRODUCT) & (within_sq < np.inf)
        is_near, is_far = nearest_sq < within_sq * (1.0 - SQUARES), nearest_sq > within_sq * (1.0 + SQUARES)
        measured = _UNSURE if not holds else (1 if is_near else (0 if is_far else _UNSURE))
        covers = (greatest < -touch) & (greatest > -np.inf)
        k[_ANSWER + lane] = 0 if greatest > radius + touch else (1 if covers else measured)


@inlined_kernel
def _load(block: Block, chosen: IntArray, slots_a: int, slots_b: int, query: _Query) -> None:
    """Load a block; lanes past the end of `chosen` repeat its last row."""
    v, _, s, k = block
    for lane in range(LANES):
        s[_GREATEST + lane], s[_NEAREST_SQ + lane] = -np.inf, np.inf
        row = chosen[np.uint64(min(lane, chosen.shape[0] - 1))]
        a, b = query.pairs[np.uint64(row), 0], query.pairs[np.uint64(row), 1]
        k[PLACE_A + lane], k[PLACE_B + lane] = a * RECORD, b * RECORD
        k[PLACE_POSE_A + lane] = k[PLACE_POSE_B + lane] = row * POSE
    load_numbers(s, k, query.records, query.poses_a, query.poses_b, POSE, False, EXACT)
    load_slots(v, k, PLACE_A, 0, slots_a, query.records)
    load_slots(v, k, PLACE_B, TO_B, slots_b, query.records)


@inlined_kernel
def _store(k: IntArray, chosen: IntArray, overlapping: IntArray, rest: IntArray, n_rest: int) -> int:
    """Write the results to the caller's rows; return the number of rows now in `rest`."""
    for lane in range(chosen.shape[0]):
        row, answer = np.uint64(chosen[np.uint64(lane)]), k[_ANSWER + lane]
        overlapping[row] = answer
        rest[np.uint64(n_rest)] = row
        n_rest += 1 if answer == _UNSURE else 0
    return n_rest


@borrowing_kernel
def _polygons_block(block: Block, chosen: IntArray, slots_a: int, slots_b: int, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Fill the `chosen` rows, at most `LANES`, of two polygons each, except those it appends to `rest`; return the length of `rest`."""
    v, g, s, k = block
    _load(block, chosen, slots_a, slots_b, query)
    move_b(v, s, slots_b, True)
    separations(v, g, 0, TO_B, slots_a, slots_b)
    separations(v, g, TO_B, 0, slots_b, slots_a)
    _greatest_separation(g, s, 0, slots_a)
    _greatest_separation(g, s, TO_B, slots_b)
    _answer_polygons(s, k)
    return _store(k, chosen, query.overlapping, rest, n_rest)


@borrowing_kernel
def _circles_block(
    block: Block, chosen: IntArray, kinds: int, slots_a: int, slots_b: int, query: _Query, rest: IntArray, n_rest: int
) -> int:  # fmt: skip
    """Do the same for pairs with a circle, the other a polygon or a circle; in A's frame, as in the scalar kernel."""
    v, _, s, k = block
    _load(block, chosen, slots_a, slots_b, query)
    if kinds == CIRCLE_AND_POLYGON:
        move_b(v, s, slots_b, True)
        _nearest_edge(v, s, TO_B, 0, slots_b)
    else:
        move_b(v, s, 1, False)
        if kinds == CIRCLES:
            for lane in range(LANES):
                dx, dy = v[X + TO_B + lane] - v[X + lane], v[Y + TO_B + lane] - v[Y + lane]
                s[_NEAREST_SQ + lane] = dx * dx + dy * dy
        else:
            _nearest_edge(v, s, 0, TO_B, slots_a)
    _answer_circles(s, k)
    return _store(k, chosen, query.overlapping, rest, n_rest)


@inlined_kernel
def _answer_block(
    block: Block, chosen: IntArray, kinds: int, size_a: int, size_b: int, query: _Query, rest: IntArray, n_rest: int
) -> int:  # fmt: skip
    """Fill the `chosen` rows; see `drive`."""
    slots_a, slots_b = SLOT_GROUP * (size_a + 1), SLOT_GROUP * (size_b + 1)
    if kinds == POLYGONS:
        return _polygons_block(block, chosen, slots_a, slots_b, query, rest, n_rest)
    return _circles_block(block, chosen, kinds, slots_a, slots_b, query, rest, n_rest)


@inlined_kernel
def _list_of(row: int, query: _Query) -> int:
    """Return the number of the list for a row; see `drive`."""
    return list_of_kinds(query.kind, query.n_vertices, query.pairs[np.uint64(row), 0], query.pairs[np.uint64(row), 1])


@inlined_kernel
def _fetch(row: int, query: _Query) -> None:
    """Prefetch most data of a pair that will be read."""
    fetch_shapes(query.records, query.pairs, query.n_vertices, row, True)
    fetch(query.poses_a, POSE * row)
    fetch(query.poses_b, POSE * row)


@unlocked_kernel
def overlaps_simd(
    kind: IntArray, n_vertices: IntArray, records: FloatArray, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray,
    overlapping: IntArray, scratch: FloatArray, rest: IntArray,
) -> int:  # fmt: skip
    """Fill the rows of all `pairs` that are certain; list the others, which `overlap_pairs` must fill, in `rest` and return their number.

    Arguments are those of `overlap_pairs`, and `records` as in `PackedShapes`, `scratch` (SCRATCH,), `rest` (n + 1,).
    """
    query = _Query(kind, n_vertices, records.reshape(-1), pairs, poses_a.reshape(-1), poses_b.reshape(-1), overlapping)
    block = block_in(scratch, np.empty(INTEGER_END, dtype=np.int64))
    return drive(_list_of, _fetch, _answer_block, N_KINDS, N_SIZES, block, query, pairs, rest)
