"""The manifolds of many pairs at once, in lanes: what lanes are, and what keeps them fast, is in `_lanes_kernel`.

This is `_manifold_kernel` again, the same operations in the same order, in another shape; read that one first. The two
agree to the bit, and a test holds them to it. The steps are in `_lanes_axis_kernel`, `_lanes_clip_kernel` and `_lanes_circle_kernel`.

What remains goes to the scalar kernel, pair by pair: polygons of more than 16 vertices, kinds other than circle and polygon, classes
with too few pairs to fill a block, polygons whose separation is within rounding of 0 or whose manifold lacks its deepest point, and a
centre past the end of the edge of greatest separation and beside the next.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.geometry.kinds import CIRCLE
from engine.narrowphase._lanes_axis_kernel import choose, move_centroid, pick_by_climb, pick_greatest, separations
from engine.narrowphase._lanes_circle_kernel import find_corner, measure_corner, touch_circle, touch_circles
from engine.narrowphase._lanes_clip_kernel import clip, fetch_edge, find_incident
from engine.narrowphase._lanes_kernel import (
    AGAIN,
    AXIS,
    BEST_A,
    BEST_B,
    CIRCLES,
    COUNT,
    DX,
    DY,
    EDGE,
    EDGE_A,
    EDGE_B,
    FEWEST,
    GAP_ROWS,
    INCIDENT,
    LANES,
    LENGTH,
    MOST_SLOTS,
    N_A,
    N_B,
    N_CLASSES,
    NAMES,
    NUMBER_ROWS,
    NX,
    NY,
    OTHER_EDGE,
    PLACE_A,
    PLACE_B,
    PLACE_POSE,
    POINTS,
    POLYGON_AND_CIRCLE,
    POSE,
    RADIUS_A,
    RADIUS_B,
    RECORD,
    REFERENCE,
    SCALAR,
    SIDE,
    SLOT_GROUP,
    SLOT_MASK,
    STRIDE,
    TO_B,
    TOUCH,
    VERTEX_ROWS,
    WHOLE_ROWS,
    X,
    Y,
    classify,
    load_numbers,
    load_pair,
    load_shape,
    load_slots,
    move_b,
)
from engine.narrowphase.packing import SLOTS
from engine.narrowphase.rules import EXACT

__all__ = [
    "CIRCLES",
    "FEWEST",
    "GAP_ROWS",
    "LANES",
    "MOST_SLOTS",
    "NUMBER_ROWS",
    "NX",
    "NY",
    "N_CLASSES",
    "POLYGON_AND_CIRCLE",
    "RADIUS_A",
    "RADIUS_B",
    "SCALAR",
    "SLOT_GROUP",
    "SLOT_MASK",
    "STRIDE",
    "TOUCH",
    "TO_B",
    "VERTEX_ROWS",
    "WHOLE_ROWS",
    "X",
    "Y",
    "classify",
    "contact_normals",
    "load_pair",
    "load_shape",
    "manifold_lanes",
    "move_b",
    "separations",
]


@inlined_kernel
def _store(
    s: FloatArray, k: IntArray, rows: IntArray, low: int, count: IntArray, points: FloatArray, names: IntArray, axis: FloatArray,
    reference: IntArray, again: IntArray, n_again: int,
) -> int:  # fmt: skip
    """Write the lanes' results to the caller's rows; return how many rows `again` lists by now."""
    for lane in range(min(LANES, rows.shape[0] - low)):
        row = np.uint64(rows[low + lane])
        count[row] = k[COUNT * STRIDE + lane]
        for point in range(2):
            names[row, point] = k[(NAMES + point) * STRIDE + lane]
            for field in range(3):
                points[row, point, field] = s[(POINTS + 3 * point + field) * STRIDE + lane]
        for field in range(6):
            axis[row, field] = s[(AXIS + field) * STRIDE + lane]
        reference[row, 0], reference[row, 1] = k[SIDE * STRIDE + lane], k[EDGE * STRIDE + lane]
        if k[AGAIN * STRIDE + lane] == 1:
            again[n_again] = rows[low + lane]
            n_again += 1
    return n_again


@inlined_kernel
def _store_single(
    s: FloatArray, k: IntArray, rows: IntArray, low: int, count: IntArray, points: FloatArray, names: IntArray, axis: FloatArray,
    reference: IntArray,
) -> None:  # fmt: skip
    """Write the lanes' results, one point at most, to the caller's rows."""
    for lane in range(min(LANES, rows.shape[0] - low)):
        row = np.uint64(rows[low + lane])
        count[row] = k[COUNT * STRIDE + lane]
        names[row, 0] = names[row, 1] = 0
        for field in range(3):
            points[row, 0, field] = s[(POINTS + field) * STRIDE + lane]
            points[row, 1, field] = 0.0
        for field in range(6):
            axis[row, field] = s[(AXIS + field) * STRIDE + lane]
        reference[row, 0], reference[row, 1] = k[SIDE * STRIDE + lane], k[EDGE * STRIDE + lane]


@kernel
def _polygons_lanes(
    v: FloatArray,
    g: FloatArray,
    s: FloatArray,
    k: IntArray,
    rows: IntArray,
    slots: int,
    n_vertices: IntArray,
    records: FloatArray,
    pairs: IntArray,
    flat_a: FloatArray,
    flat_b: FloatArray,
    rule: int,
    count: IntArray,
    points: FloatArray,
    names: IntArray,
    axis: FloatArray,
    reference: IntArray,
    again: IntArray,
) -> int:
    """Fill the `rows` of pairs of two polygons of at most `slots` vertices; return how many of them `again` lists, to be done over.

    All other arguments are those of `manifold_pairs`, but flat are the shapes' `records` and both poses.
    """
    n_again = 0
    for low in range(0, rows.shape[0], LANES):
        for lane in range(LANES):
            row = rows[min(low + lane, rows.shape[0] - 1)]
            a, b = pairs[np.uint64(row), 0], pairs[np.uint64(row), 1]
            k[PLACE_A * STRIDE + lane], k[PLACE_B * STRIDE + lane] = a * RECORD, b * RECORD
            k[PLACE_POSE * STRIDE + lane] = row * POSE
            k[N_A * STRIDE + lane], k[N_B * STRIDE + lane] = n_vertices[np.uint64(a)], n_vertices[np.uint64(b)]
        load_numbers(s, k, records, flat_a, flat_b, rule)
        load_slots(v, k, PLACE_A, 0, slots, records)
        load_slots(v, k, PLACE_B, TO_B, slots, records)
        move_b(v, s, slots, True)
        separations(v, g, 0, TO_B, slots)
        separations(v, g, TO_B, 0, slots)
        if rule == EXACT:
            pick_greatest(g, s, k, 0, slots, BEST_A, EDGE_A)
            pick_greatest(g, s, k, TO_B, slots, BEST_B, EDGE_B)
        else:
            move_centroid(s)
            pick_by_climb(v, g, s, k, 0, 1.0, slots, N_A, BEST_A, EDGE_A)
            pick_by_climb(v, g, s, k, TO_B, -1.0, slots, N_B, BEST_B, EDGE_B)
        choose(s, k, rule)
        fetch_edge(v, s, k, 0, EDGE, REFERENCE)
        find_incident(v, s, k, slots)
        fetch_edge(v, s, k, 1, OTHER_EDGE, INCIDENT)
        clip(s, k, rule)
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
    n_vertices: IntArray,
    radius: FloatArray,
    extent: FloatArray,
    records: FloatArray,
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
    """Fill the `rows` of pairs of a polygon of at most `slots` vertices and a circle; the polygon is the lane's A.

    Returns how many of them `again` lists, to be done over.
    """
    n_again = 0
    for low in range(0, rows.shape[0], LANES):
        for lane in range(LANES):
            row = np.uint64(rows[min(low + lane, rows.shape[0] - 1)])
            a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
            swapped = kind[a] == CIRCLE
            load_pair(s, k, lane, row, a, b, radius, extent, rule, poses_a, poses_b, swapped)
            polygon, circle = (pairs[row, 1], a) if swapped else (pairs[row, 0], b)
            k[PLACE_A * STRIDE + lane] = polygon * RECORD
            v[(X + TO_B) * STRIDE + lane] = records[circle * np.uint64(RECORD)]
            v[(Y + TO_B) * STRIDE + lane] = records[circle * np.uint64(RECORD) + np.uint64(SLOTS)]
            k[N_A * STRIDE + lane], k[SIDE * STRIDE + lane] = n_vertices[polygon], 0
        load_slots(v, k, PLACE_A, 0, slots, records)
        move_b(v, s, 1, False)
        for edge in range(slots):
            of = (edge & SLOT_MASK) * STRIDE
            for lane in range(LANES):
                nx, ny = v[NX * STRIDE + of + lane], v[NY * STRIDE + of + lane]
                x, y = v[X * STRIDE + of + lane], v[Y * STRIDE + of + lane]
                g[of + lane] = nx * (v[(X + TO_B) * STRIDE + lane] - x) + ny * (v[(Y + TO_B) * STRIDE + lane] - y)
        pick_greatest(g, s, k, 0, slots, BEST_A, EDGE)
        fetch_edge(v, s, k, 0, EDGE, REFERENCE)
        find_corner(v, s, k, rule)
        measure_corner(v, s, k, rule)
        touch_circle(v, s, k)
        _store_single(s, k, rows, low, count, points, names, axis, reference)
        for lane in range(min(LANES, rows.shape[0] - low)):
            if k[AGAIN * STRIDE + lane] == 1:
                again[n_again] = rows[low + lane]
                n_again += 1
    return n_again


@kernel
def _circles_lanes(
    v: FloatArray,
    s: FloatArray,
    k: IntArray,
    rows: IntArray,
    records: FloatArray,
    pairs: IntArray,
    flat_a: FloatArray,
    flat_b: FloatArray,
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
            row = rows[min(low + lane, rows.shape[0] - 1)]
            place_a, place_b = pairs[np.uint64(row), 0] * RECORD, pairs[np.uint64(row), 1] * RECORD
            k[PLACE_A * STRIDE + lane], k[PLACE_B * STRIDE + lane], k[PLACE_POSE * STRIDE + lane] = place_a, place_b, row * POSE
            v[X * STRIDE + lane], v[Y * STRIDE + lane] = records[np.uint64(place_a)], records[np.uint64(place_a + SLOTS)]
            v[(X + TO_B) * STRIDE + lane] = records[np.uint64(place_b)]
            v[(Y + TO_B) * STRIDE + lane] = records[np.uint64(place_b + SLOTS)]
        load_numbers(s, k, records, flat_a, flat_b, rule)
        move_b(v, s, 1, False)
        for lane in range(LANES):
            s[DX * STRIDE + lane] = v[(X + TO_B) * STRIDE + lane] - v[X * STRIDE + lane]
            s[DY * STRIDE + lane] = v[(Y + TO_B) * STRIDE + lane] - v[Y * STRIDE + lane]
        for lane in range(LANES):
            s[LENGTH * STRIDE + lane] = math.hypot(s[DX * STRIDE + lane], s[DY * STRIDE + lane])
        touch_circles(v, s, k)
        _store_single(s, k, rows, low, count, points, names, axis, reference)


@kernel
def manifold_lanes(
    kind: IntArray,
    n_vertices: IntArray,
    radius: FloatArray,
    extent: FloatArray,
    records: FloatArray,
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

    Arguments are those of `manifold_pairs`, and the shapes' records.
    """
    n = pairs.shape[0]
    rows, rest = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    begin = classify(kind, n_vertices, pairs, rows)
    v, g = np.empty(VERTEX_ROWS * STRIDE), np.empty(GAP_ROWS * STRIDE)
    s, k = np.empty(NUMBER_ROWS * STRIDE), np.empty(WHOLE_ROWS * STRIDE, dtype=np.int64)
    flat, flat_a, flat_b = records.reshape(-1), poses_a.reshape(-1), poses_b.reshape(-1)
    n_rest = 0
    for number in range(N_CLASSES):
        chosen = rows[begin[number] : begin[number + 1]]
        if number == SCALAR or chosen.shape[0] < FEWEST:
            for at in range(chosen.shape[0]):
                rest[n_rest] = chosen[at]
                n_rest += 1
        elif number == CIRCLES:
            _circles_lanes(v, s, k, chosen, flat, pairs, flat_a, flat_b, rule, count, points, names, axis, reference)
        elif number <= POLYGON_AND_CIRCLE:
            n_rest += _polygons_lanes(
                v, g, s, k, chosen, SLOT_GROUP * number, n_vertices, flat, pairs, flat_a, flat_b, rule,
                count, points, names, axis, reference, rest[n_rest:],
            )  # fmt: skip
        else:
            slots = SLOT_GROUP * (number - POLYGON_AND_CIRCLE)
            n_rest += _polygon_circle_lanes(
                v, g, s, k, chosen, slots, kind, n_vertices, radius, extent, flat,
                pairs, poses_a, poses_b, rule, count, points, names, axis, reference, rest[n_rest:],
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
