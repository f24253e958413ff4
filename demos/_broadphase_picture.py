"""The picture of a broad phase: its cells, its sorted axes or its tree, what a region and a ray ask of it, and the times as bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from demos._broadphase_crowd import HALF
from engine.common.arrays import FloatArray, IntArray
from engine.render import palette
from engine.render.palette import Color, mix
from engine.render.rectangles import Bar, bar_height, draw_bars, draw_rectangles, fill_rectangles

if TYPE_CHECKING:
    from demos._broadphase_race import Race
    from engine.broadphase.sketch import AxisSketch, CellSketch, Sketch, TreeSketch
    from engine.render.canvas import Canvas

__all__ = ["BAND", "REGION", "alone_color", "chart_height", "draw_chart", "draw_questions", "draw_structure", "sketch_words"]

REGION = (3.0, 2.0)
"""Meters: the rectangle under the pointer."""
BAND = 2.6
"""Meters beside the arena on which the sorted intervals stand."""
_GAP = 0.4
_LEVELS: tuple[Color, ...] = ((204, 121, 167), (86, 180, 233), (0, 158, 115), (230, 159, 0), (240, 228, 66), (213, 94, 0))
"""Of one level after the other; Okabe and Ito's."""
_FADING, _FADED = 0.8, 9
"""How much of its color a level has of that of the level above, and the last level that is drawn with all others."""
_FULLEST = 8
"""Boxes in a cell from which it is no brighter."""
_COLUMNS = 2
_CAPTIONS = (
    "ms a frame to bring the structure up to date and find all pairs; logarithmic, 0.01 to 100 ms",
    "ms a frame, bringing up to date and finding all pairs, logarithmic",
    "ms a frame, logarithmic",
)
"""What the chart shows, the longest first."""
_PAD, _CAPTION = 12.0, 16.0
"""Design pixels of the chart: beside its bars, and of the line above them."""
_MIN_MS, _DECADES = 0.01, 4.0
"""The bars' logarithmic scale: from 0.01 ms to 100 ms."""


def level_color(level: int) -> Color:
    """Return the color of a level of a tree; that of cells is the first."""
    return palette.legible(_LEVELS[level % len(_LEVELS)])


def alone_color(moves: bool) -> Color:
    """Return the color of a box that overlaps no other: nearer to the ground where it stands still."""
    return mix(palette.BACKGROUND, palette.STATIC, 0.75 if moves else 0.5)


def draw_structure(canvas: Canvas, sketch: Sketch, level: int) -> None:
    """Draw what a structure keeps; of a tree one `level` (0 is the root), or with -1 all of them, fading from the root."""
    if hasattr(sketch, "cells"):
        _draw_cells(canvas, sketch)
    elif hasattr(sketch, "axes"):
        _draw_axes(canvas, sketch)
    elif hasattr(sketch, "proxies"):
        _draw_tree(canvas, sketch, level)


def _draw_cells(canvas: Canvas, sketch: CellSketch) -> None:
    color = level_color(0)
    colors = [mix(palette.BACKGROUND, color, 0.08 + 0.3 * min(count, _FULLEST) / _FULLEST) for count in sketch.counts.tolist()]
    fill_rectangles(canvas, sketch.cells, colors)
    draw_rectangles(canvas, sketch.cells, mix(palette.BACKGROUND, color, 0.5))


def _draw_tree(canvas: Canvas, sketch: TreeSketch, level: int) -> None:
    is_inner = sketch.proxies < 0
    deepest = min(int(sketch.levels.max(initial=0)), _FADED)
    for at in range(deepest, -1, -1) if level < 0 else (level,):
        share = 1.0 if level >= 0 else _FADING**at
        draw_rectangles(canvas, sketch.boxes[is_inner & (sketch.levels == at)], mix(palette.BACKGROUND, level_color(at), share))


def _draw_axes(canvas: Canvas, sketch: AxisSketch) -> None:
    """Draw each sorted interval on its own line beside the arena, in the order of their lower ends."""
    for k, axis in enumerate(sketch.axes):
        n = len(sketch.lower[k])
        across = -HALF[1 - axis] - _GAP - BAND * (np.arange(n) + 0.5) / max(n, 1)
        starts, ends = (
            np.column_stack((bounds, across) if axis == 0 else (across, bounds)) for bounds in (sketch.lower[k], sketch.upper[k])
        )
        canvas.segments(starts, ends, mix(palette.BACKGROUND, level_color(1 + k), 0.7))
        near, far = -HALF[1 - axis] - _GAP, -HALF[1 - axis] - _GAP - BAND
        corners = (-HALF[0], far, HALF[0], near) if axis == 0 else (far, -HALF[1], near, HALF[1])
        draw_rectangles(canvas, np.array([corners]), palette.GRID_AXIS)


def entered(sketch: Sketch, region: FloatArray, ray: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the cells, or the inner nodes, that a region (4,) overlaps, and those that a ray meets."""
    from engine.broadphase import BruteForce

    kept = np.zeros((0, 4))
    if hasattr(sketch, "cells"):
        kept = sketch.cells[~sketch.is_oversize]
    elif hasattr(sketch, "levels"):
        kept = sketch.boxes[sketch.proxies < 0]
    if len(kept) == 0:
        return kept, kept
    asked = BruteForce()
    asked.update(kept)
    return kept[asked.regions(region[None])[:, 1]], kept[asked.rays(ray[0][None], ray[1][None])[:, 1]]


def draw_questions(
    canvas: Canvas,
    boxes: FloatArray,
    sketch: Sketch,
    region: FloatArray,
    ray: tuple[FloatArray, FloatArray],
    found: tuple[IntArray, IntArray],
) -> None:
    """Draw the region and the ray, the cells or nodes that each goes through, and the boxes `found` by each."""
    in_region, on_ray = entered(sketch, region, ray)
    draw_rectangles(canvas, on_ray, mix(palette.BACKGROUND, palette.AGREE, 0.55))
    draw_rectangles(canvas, in_region, mix(palette.BACKGROUND, palette.ACCENT, 0.8))
    if hasattr(sketch, "axes"):
        _draw_shadows(canvas, sketch, region)
    draw_rectangles(canvas, boxes[found[1]], palette.AGREE, 2.0)
    draw_rectangles(canvas, boxes[found[0]], palette.ACCENT, 2.0)
    draw_rectangles(canvas, region[None], palette.TEXT, 1.5)
    (x, y), (dx, dy) = ray[0].tolist(), ray[1].tolist()
    canvas.segment((x, y), (x + dx, y + dy), palette.AGREE, 1.5)
    canvas.point((x, y), palette.AGREE, 4.0)


def _draw_shadows(canvas: Canvas, sketch: AxisSketch, region: FloatArray) -> None:
    """Draw the intervals that overlap the region's own on each axis."""
    for k, axis in enumerate(sketch.axes):
        n = len(sketch.lower[k])
        across = -HALF[1 - axis] - _GAP - BAND * (np.arange(n) + 0.5) / max(n, 1)
        seen: NDArray[np.bool_] = (sketch.lower[k] <= region[axis + 2]) & (sketch.upper[k] >= region[axis])
        lines = (np.column_stack((ends, across) if axis == 0 else (across, ends))[seen] for ends in (sketch.lower[k], sketch.upper[k]))
        canvas.segments(*lines, palette.ACCENT)


def sketch_words(sketch: Sketch) -> str:
    """Return what a structure keeps, in numbers."""
    if hasattr(sketch, "cells"):
        return f"{len(sketch.cells):,} cells in use, at most {int(sketch.counts.max(initial=0))} boxes in one"
    if hasattr(sketch, "axes"):
        return "sorted along " + " and ".join("xy"[axis] for axis in sketch.axes)
    if hasattr(sketch, "proxies"):
        nodes = sketch.levels[sketch.proxies < 0]
        return f"{len(nodes):,} nodes on {int(nodes.max(initial=0)) + 1} levels"
    return "nothing kept: every pair is asked"


def chart_height(n_structures: int, ui_scale: float) -> float:
    """Return the pixels that the chart of so many structures takes."""
    return (_CAPTION + 1.2 * _PAD) * ui_scale + math.ceil(n_structures / _COLUMNS) * bar_height(ui_scale)


def draw_chart(canvas: Canvas, race: Race, drawn: int, room: float) -> None:
    """Draw the times of all structures side by side on the lowest `room` pixels of the view."""
    left, top, width, height = canvas.camera.view
    ui = canvas.ui_scale
    begins = top + height - room
    ground = np.array([[*canvas.camera.to_world((left, top + height)), *canvas.camera.to_world((left + width, begins))]])
    fill_rectangles(canvas, ground, [palette.PANEL])
    pad = _PAD * ui
    y = begins + 0.4 * pad
    told = [words for words in _CAPTIONS if canvas.fonts.width(words, 11.0) <= width - 2.0 * pad]
    caption = told[0] if told else canvas.fonts.shortened(_CAPTIONS[-1], 11.0, max(round(width - 2.0 * pad), 1))
    canvas.text_px((left + pad, y), caption, palette.CAPTION, 11.0, "topleft")
    rows = math.ceil(len(race.lanes) / _COLUMNS)
    across = (width - (_COLUMNS + 1) * pad) / _COLUMNS
    for column in range(_COLUMNS):
        bars = []
        for k in range(column * rows, min((column + 1) * rows, len(race.lanes))):
            lane = race.lanes[k]
            color = palette.UNEXPLAINED if lane.wrong else palette.ACCENT if k == drawn else palette.AGREE
            ms = lane.ms
            length = 0.0 if ms is None else math.log10(max(ms, _MIN_MS) / _MIN_MS) / _DECADES
            value = "..." if ms is None else f"{ms:.2f} ms"
            bars.append(Bar(lane.phase.name, length, value, color, k == drawn or lane.wrong > 0))
        draw_bars(canvas, (left + pad + column * (across + pad), y + _CAPTION * ui, across), bars, 178.0)
