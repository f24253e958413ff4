"""Clipping in lanes: the reference and the incident edge, what the side planes leave of it, and the points; see `_clip_kernel`."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.narrowphase._clip_kernel import LACKING_ROUNDINGS
from engine.narrowphase._lanes_kernel import (
    AGAIN,
    AXIS,
    COUNT,
    EDGE,
    INCIDENT,
    LANES,
    MOST,
    N_A,
    N_B,
    NAMES,
    NX,
    NY,
    OTHER_EDGE,
    PARTED,
    POINTS,
    POSE_A,
    RADIUS_A,
    RADIUS_B,
    REFERENCE,
    SIDE,
    SLOT_GROUP,
    SLOT_MASK,
    STRIDE,
    TO_B,
    TOUCH,
    X,
    Y,
)
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = ["clip", "fetch_edge", "find_incident"]


@inlined_kernel
def fetch_edge(v: FloatArray, s: FloatArray, k: IntArray, side: int, edge_row: int, to: int) -> None:
    """Copy an edge of the reference polygon (`side` 0) or of the other (1): both vertices and the normal.

    Each lane's lies in another row, and such a loop is not vectorised: nothing else is in it.
    """
    for lane in range(LANES):
        on_b = k[SIDE * STRIDE + lane] != side
        edge, n = k[edge_row * STRIDE + lane], (k[N_B * STRIDE + lane] if on_b else k[N_A * STRIDE + lane])
        after = edge + 1 if edge + 1 < n else 0
        base = TO_B if on_b else 0
        at, at_after = (base + (edge & SLOT_MASK)) * STRIDE + lane, (base + (after & SLOT_MASK)) * STRIDE + lane
        s[to * STRIDE + lane], s[(to + 1) * STRIDE + lane] = v[X * STRIDE + at], v[Y * STRIDE + at]
        s[(to + 2) * STRIDE + lane], s[(to + 3) * STRIDE + lane] = v[X * STRIDE + at_after], v[Y * STRIDE + at_after]
        s[(to + 4) * STRIDE + lane], s[(to + 5) * STRIDE + lane] = v[NX * STRIDE + at], v[NY * STRIDE + at]


@inlined_kernel
def _along(v: FloatArray, at: int, is_on_b: bool, nx: float, ny: float) -> float:
    """Return how far A's normal at `at`, or B's where the axis is not on B, points along (nx, ny)."""
    x_a, x_b = v[NX * STRIDE + at], v[(NX + TO_B) * STRIDE + at]
    y_a, y_b = v[NY * STRIDE + at], v[(NY + TO_B) * STRIDE + at]
    along: float = (x_a if is_on_b else x_b) * nx + (y_a if is_on_b else y_b) * ny
    return along


@inlined_kernel
def find_incident(v: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Find on the other polygon the first edge whose normal points most against the axis."""
    for lane in range(LANES):
        s[MOST * STRIDE + lane] = np.inf
        k[OTHER_EDGE * STRIDE + lane] = 0
    for group in range(0, slots, SLOT_GROUP):
        row = (group & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            is_on_b = k[SIDE * STRIDE + lane] == 1
            nx, ny = s[(REFERENCE + 4) * STRIDE + lane], s[(REFERENCE + 5) * STRIDE + lane]
            least, incident = s[MOST * STRIDE + lane], k[OTHER_EDGE * STRIDE + lane]
            along = _along(v, row + lane, is_on_b, nx, ny)
            incident, least = (group if along < least else incident), (along if along < least else least)
            along = _along(v, row + STRIDE + lane, is_on_b, nx, ny)
            incident, least = (group + 1 if along < least else incident), (along if along < least else least)
            along = _along(v, row + 2 * STRIDE + lane, is_on_b, nx, ny)
            incident, least = (group + 2 if along < least else incident), (along if along < least else least)
            along = _along(v, row + 3 * STRIDE + lane, is_on_b, nx, ny)
            incident, least = (group + 3 if along < least else incident), (along if along < least else least)
            s[MOST * STRIDE + lane], k[OTHER_EDGE * STRIDE + lane] = least, incident


@inlined_kernel
def clip(s: FloatArray, k: IntArray, rule: int) -> None:
    """Clip the incident edge and fill the results that are points; see `clip_incident_edge` and `manifold_polygons`.

    `is_cut` of an end says that a side plane made it: it is then (vertex, face), else (face, vertex).
    """
    for lane in range(LANES):
        is_on_b, edge, incident = k[SIDE * STRIDE + lane] == 1, k[EDGE * STRIDE + lane], k[OTHER_EDGE * STRIDE + lane]
        n_a, n_b = k[N_A * STRIDE + lane], k[N_B * STRIDE + lane]
        radius_a, radius_b = s[RADIUS_A * STRIDE + lane], s[RADIUS_B * STRIDE + lane]
        after_edge = edge + 1 if edge + 1 < (n_b if is_on_b else n_a) else 0
        after_incident = incident + 1 if incident + 1 < (n_a if is_on_b else n_b) else 0
        v1_x, v1_y = s[REFERENCE * STRIDE + lane], s[(REFERENCE + 1) * STRIDE + lane]
        v2_x, v2_y = s[(REFERENCE + 2) * STRIDE + lane], s[(REFERENCE + 3) * STRIDE + lane]
        nx, ny = s[(REFERENCE + 4) * STRIDE + lane], s[(REFERENCE + 5) * STRIDE + lane]
        x0, y0 = s[INCIDENT * STRIDE + lane], s[(INCIDENT + 1) * STRIDE + lane]
        x1, y1 = s[(INCIDENT + 2) * STRIDE + lane], s[(INCIDENT + 3) * STRIDE + lane]
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
        is_parted, best = k[PARTED * STRIDE + lane] == 1, s[(AXIS + 2) * STRIDE + lane]
        is_none = is_parted | is_gone | (is_one & (rule == BOX2D))
        gap_0, gap_1 = nx * (x0 - v1_x) + ny * (y0 - v1_y), nx * (x1 - v1_x) + ny * (y1 - v1_y)
        keeps_0 = not (is_none | (gap_0 > side + touch))
        keeps_1 = not (is_none | is_one | (gap_1 > side + touch))
        base_radius, other_radius = (radius_b if is_on_b else radius_a), (radius_a if is_on_b else radius_b)
        lift_0, lift_1 = 0.5 * (base_radius - other_radius - gap_0), 0.5 * (base_radius - other_radius - gap_1)
        x0, y0, x1, y1 = x0 + lift_0 * nx, y0 + lift_0 * ny, x1 + lift_1 * nx, y1 + lift_1 * ny
        px, py = s[POSE_A * STRIDE + lane], s[(POSE_A + 1) * STRIDE + lane]
        cos, sin = s[(POSE_A + 2) * STRIDE + lane], s[(POSE_A + 3) * STRIDE + lane]
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
        s[POINTS * STRIDE + lane] = world_x0 if keeps_0 else (world_x1 if keeps_1 else 0.0)
        s[(POINTS + 1) * STRIDE + lane] = world_y0 if keeps_0 else (world_y1 if keeps_1 else 0.0)
        s[(POINTS + 2) * STRIDE + lane] = gap_0 if keeps_0 else (gap_1 if keeps_1 else 0.0)
        s[(POINTS + 3) * STRIDE + lane] = world_x1 if has_second else 0.0
        s[(POINTS + 4) * STRIDE + lane] = world_y1 if has_second else 0.0
        s[(POINTS + 5) * STRIDE + lane] = gap_1 if has_second else 0.0
        cosine = abs(nx * s[(INCIDENT + 4) * STRIDE + lane] + ny * s[(INCIDENT + 5) * STRIDE + lane])
        amplification = 1.0 / (cosine if cosine > SAT_ROUNDING else SAT_ROUNDING)
        to_b = -1.0 if is_on_b else 1.0
        s[AXIS * STRIDE + lane], s[(AXIS + 1) * STRIDE + lane] = to_b * (cos * nx - sin * ny), to_b * (sin * nx + cos * ny)
        s[(AXIS + 3) * STRIDE + lane] = amplification if is_cut & (not is_parted) else 0.0
        k[COUNT * STRIDE + lane] = (1 if keeps_0 else 0) + (1 if keeps_1 else 0)
        k[NAMES * STRIDE + lane] = name_0 if keeps_0 else (name_1 if keeps_1 else 0)
        k[(NAMES + 1) * STRIDE + lane] = name_1 if has_second else 0
        deepest = gap_0 if keeps_0 else np.inf
        deepest = gap_1 if keeps_1 & (gap_1 < deepest) else deepest
        is_lacking, is_at_zero = not (deepest <= best + LACKING_ROUNDINGS * touch), (best <= touch) & (best >= -touch)
        k[AGAIN * STRIDE + lane] = 1 if (is_lacking | is_at_zero) & (not is_parted) & (rule == EXACT) else 0
