"""Draws a comparison world over the first: outlines in its color, and the body farthest from its counterpart."""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.differences import length_words
from engine.render.packing import PackedShapes
from engine.render.raster import NO_COLOR

__all__ = ["draw_apart", "draw_first_apart", "draw_second_world"]

_CORNERS = np.linspace(0.0, 2.0 * math.pi, 32, endpoint=False)
"""Angles of the polygon that outlines a circle."""
_BETWEEN, _HALO = 1.5, 3.0
"""Width of the line between two counterparts, and of the background around it, design pixels."""
_SEEN_APART = 3.0
"""Minimum distance between two counterparts for a line between them to be drawn, design pixels."""
_RING = 9.0


def draw_second_world(canvas: Canvas, packed: PackedShapes, poses: FloatArray) -> None:
    """Outline everything that can move, at poses (b, 3)."""
    vertices, centers = packed.world_vertices(poses), packed.world_centers(poses)
    moves, turning = packed.is_moving[packed.vertex_row], packed.is_moving[packed.circle_row]
    centers, radii, angles = centers[turning], packed.radii[turning, None, None], poses[packed.circle_row[turning], 2]
    turns = angles[:, None] + _CORNERS
    rims = centers[:, None] + radii * np.stack((np.cos(turns), np.sin(turns)), axis=2)
    is_whole = packed.is_moving[packed.vertex_row[packed.starts[:-1]]]
    lengths = np.concatenate((np.diff(packed.starts)[is_whole], np.full(len(rims), len(_CORNERS))))
    outlines = canvas.mapped([palette.BESIDE] * len(lengths))
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    canvas.polygons(np.concatenate((vertices[moves], rims.reshape(-1, 2))), starts, np.full(len(lengths), NO_COLOR), outlines)
    canvas.segments(centers, rims[:, 0], palette.BESIDE)


def draw_first_apart(canvas: Canvas, point: tuple[float, float]) -> None:
    """Mark the body that was the first to part from its counterpart."""
    canvas.point(point, palette.BACKGROUND, _RING + 4.0, ring=True)
    canvas.point(point, palette.BESIDE, _RING + 6.0, ring=True)
    canvas.label(canvas.camera.to_screen(point), "parted first", palette.BESIDE, 12.0, _RING + 9.0, plate=True)


def draw_apart(canvas: Canvas, first: tuple[float, float], second: tuple[float, float], meters: float) -> bool:
    """Draw a line between two counterparts, labeled with their distance; return False if they lie on the same pixel."""
    here, there = canvas.camera.to_screen(first), canvas.camera.to_screen(second)
    if not math.dist(here, there) >= _SEEN_APART * canvas.ui_scale:
        return False
    color = palette.BESIDE
    canvas.segment(first, second, palette.BACKGROUND, _HALO)
    canvas.segment(first, second, color, _BETWEEN)
    canvas.point(first, color, 3.0)
    canvas.point(second, color, _RING, ring=True)
    canvas.label(there, length_words(meters), color, 12.0, _RING + 3.0, bold=True, plate=True)
    return True
