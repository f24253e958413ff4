"""A world beside another, drawn over it: dashed outlines, and the body that is farthest from its counterpart.

+-----------+
|         - | -  -  -
|           |         the first world has its fills, the second its edges alone: dashes of one length on the screen, one of which
|         | |       |  stands on each corner, so that where both agree the first one's outline shows between them
+-----------+
          |         |
           -  -  -  -
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.differences import length_words
from engine.render.packing import PackedShapes

__all__ = ["dashed_edges", "dashed_rings", "draw_apart", "draw_second_world", "ring_counterpart"]

_PERIODS = (9.0, 16.0, 5.0)
"""Period of the dashes of each world beside the first, design pixels; half of it is dash."""
_LINE, _HALO = 1.0, 3.0
"""Width of a dash, and of the background color around it that sets it off from any fill, design pixels."""
_BETWEEN = 1.5
"""Width of the line between two counterparts, design pixels."""
_MIN_DASHES, _MAX_DASHES = 4, 4096
"""Minimum number of dashes on a circle."""
_SEEN_APART = 3.0
"""Minimum distance between two counterparts for a line between them to be drawn, design pixels."""
_RING = 9.0


def draw_second_world(canvas: Canvas, packed: PackedShapes, poses: FloatArray, which: int = 0) -> None:
    """Draw the edges of all that can move, at poses (b, 3); `which` of the worlds beside the first it is."""
    period = _PERIODS[which] * canvas.ui_scale / canvas.camera.scale
    visible = canvas.camera.visible
    seen = np.array((*visible.lower, *visible.upper))
    vertices, centers = packed.world_vertices(poses), packed.world_centers(poses)
    following = np.arange(1, len(vertices) + 1)
    following[packed.starts[1:] - 1] = packed.starts[:-1]
    moves = packed.is_moving[packed.vertex_row]
    starts, ends = vertices[moves], vertices[following[moves]]
    turning = packed.is_moving[packed.circle_row]
    centers, radii, angles = centers[turning], packed.radii[turning], poses[packed.circle_row[turning], 2]
    rims = centers + radii[:, None] * np.column_stack((np.cos(angles), np.sin(angles)))
    edges = dashed_edges(np.concatenate((starts, centers)), np.concatenate((ends, rims)), period, seen)
    rings = dashed_rings(centers, radii, angles, period, seen)
    begins, finishes = (np.concatenate(parts) for parts in zip(edges, rings, strict=True))
    canvas.segments(begins, finishes, palette.BACKGROUND, _HALO)
    canvas.segments(begins, finishes, palette.BESIDES[which], _LINE)


def dashed_edges(starts: FloatArray, ends: FloatArray, period: float, box: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the dashes on edges, as far as an edge lies in a box.

    Parameters
    ----------
    starts, ends : float64 (n, 2)
        Of the edges.
    period : float
        From dash to dash, about: an edge has a whole number of them, and half a dash at either end.
    box : float64 (4,)
        x0, y0, x1, y1: of an edge that is much longer than what is seen only the dashes there are made.
    """
    along = ends - starts
    length = np.hypot(along[:, 0], along[:, 1])
    enters, leaves = np.zeros(len(starts)), np.ones(len(starts))
    with np.errstate(divide="ignore", invalid="ignore"):  # the edge in each slab of the box (Liang and Barsky, 1984)
        for axis in (0, 1):
            first, second = (box[axis] - starts[:, axis]) / along[:, axis], (box[axis + 2] - starts[:, axis]) / along[:, axis]
            is_inside = (starts[:, axis] >= box[axis]) & (starts[:, axis] <= box[axis + 2])
            is_across = along[:, axis] == 0.0
            enters = np.maximum(enters, np.where(is_across, np.where(is_inside, 0.0, math.inf), np.minimum(first, second)))
            leaves = np.minimum(leaves, np.where(is_across, np.where(is_inside, 1.0, -math.inf), np.maximum(first, second)))
    rows = np.flatnonzero((enters < leaves) & (length > 0.0))
    n = np.maximum(np.round(length[rows] / period), 1.0)
    low, high = np.ceil(n * enters[rows] - 0.25), np.floor(n * leaves[rows] + 0.25)
    counts = np.maximum(high - low + 1.0, 0.0).astype(np.int64)
    each = np.repeat(np.arange(len(rows)), counts)
    k = np.arange(len(each)) - np.repeat(np.cumsum(counts) - counts, counts) + low[each]
    begin, end = np.maximum((k - 0.25) / n[each], 0.0), np.minimum((k + 0.25) / n[each], 1.0)
    edge = rows[each]
    return starts[edge] + begin[:, None] * along[edge], starts[edge] + end[:, None] * along[edge]


def dashed_rings(
    centers: FloatArray, radii: FloatArray, angles: FloatArray, period: float, box: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the dashes on circles that reach into a box, (n, 2), (n,), (n,); they turn with the circle, as chords."""
    reach = radii[:, None]
    rows = np.flatnonzero(((centers + reach >= box[:2]) & (centers - reach <= box[2:])).all(axis=1))
    counts = np.clip(np.round(2.0 * math.pi * radii[rows] / period), _MIN_DASHES, _MAX_DASHES).astype(np.int64)
    each = np.repeat(np.arange(len(rows)), counts)
    k = np.arange(len(each)) - np.repeat(np.cumsum(counts) - counts, counts)
    ring = rows[each]
    parts = []
    for side in (-0.25, 0.25):
        turn = angles[ring] + 2.0 * math.pi * (k + side) / counts[each]
        parts.append(centers[ring] + radii[ring, None] * np.column_stack((np.cos(turn), np.sin(turn))))
    return parts[0], parts[1]


def ring_counterpart(canvas: Canvas, point: tuple[float, float], which: int = 0) -> None:
    """Ring the body that is farthest from its counterpart, where the two worlds have a picture each."""
    canvas.point(point, palette.BESIDES[which], _RING, ring=True)


def draw_apart(canvas: Canvas, first: tuple[float, float], second: tuple[float, float], meters: float, which: int = 0) -> bool:
    """Draw a line between two counterparts, with their distance beside it; nothing, and False, where they lie on the same pixels."""
    here, there = canvas.camera.to_screen(first), canvas.camera.to_screen(second)
    if not math.dist(here, there) >= _SEEN_APART * canvas.ui_scale:
        return False
    color = palette.BESIDES[which]
    canvas.segment(first, second, palette.BACKGROUND, _HALO)
    canvas.segment(first, second, color, _BETWEEN)
    canvas.point(first, color, 3.0)
    canvas.point(second, color, _RING, ring=True)
    canvas.label(there, length_words(meters), color, 12.0, _RING + 3.0, bold=True, plate=True)
    return True
