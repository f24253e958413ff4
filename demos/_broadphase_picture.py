"""Drawing of `broadphase`: cells, sorted axes and trees, a region and a ray query, and the chart of times."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from demos._broadphase_crowd import HALF
from engine.common.arrays import FloatArray, IntArray
from engine.render import palette
from engine.render.palette import Color, mix
from engine.render.rectangles import Bar, bar_height, draw_bars, fill_rectangles

if TYPE_CHECKING:
    from demos._broadphase_race import Race
    from engine.broadphase.sketch import AxisSketch, CellSketch, Sketch, TreeSketch
    from engine.render.canvas import Canvas

__all__ = ["BAND", "REGION", "alone_color", "chart_height", "draw_chart", "draw_queries", "draw_structure", "sketch_words"]

REGION = (3.0, 2.0)
"""Size of the queried rectangle at the pointer, meters."""
BAND = 2.6
"""Width of the band beside the arena with the sorted intervals, meters."""
_GAP = 0.4
_LEVELS: tuple[Color, ...] = ((204, 121, 167), (86, 180, 233), (0, 158, 115), (230, 159, 0), (240, 228, 66), (213, 94, 0))
"""Okabe and Ito's colors, one for each level of a tree."""
_FADING, _DEEPEST = 0.8, 9
"""Ratio of the strengths of two consecutive levels, and the deepest level that is drawn with the others."""
_FULLEST = 8
"""Number of boxes from which a cell has its full brightness."""
_COLUMNS, _MIN_COLUMN = 2, 170.0
"""Columns of the chart, and the design pixels that each needs for names and bars; else there is one."""
_CAPTION_WORDS = "time per frame to update the structure and find all pairs, ms (log scale)"
_PAD, _CAPTION = 12.0, 16.0
"""Padding of the chart and height of its caption, design pixels."""
_MIN_MS, _DECADES = 0.01, 4.0
"""Logarithmic scale of the bars: 0.01 ms to 100 ms."""


def level_color(level: int) -> Color:
    """Return the color of a level of a tree."""
    return palette.legible(_LEVELS[level % len(_LEVELS)])


def alone_color(moves: bool) -> Color:
    """Return the color of a box that overlaps no other; dimmer if it does not move."""
    return mix(palette.BACKGROUND, palette.STATIC, 0.75 if moves else 0.5)


def draw_structure(canvas: Canvas, sketch: Sketch, level: int) -> None:
    """Draw a structure; for a tree, one level (0 is the root) or, with -1, all of them."""
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
    canvas.boxes(sketch.cells, mix(palette.BACKGROUND, color, 0.5))


def _draw_tree(canvas: Canvas, sketch: TreeSketch, level: int) -> None:
    is_inner = sketch.proxies < 0
    deepest = min(int(sketch.levels.max(initial=0)), _DEEPEST)
    for at in range(deepest, -1, -1) if level < 0 else (level,):
        share = 1.0 if level >= 0 else _FADING**at
        canvas.boxes(sketch.boxes[is_inner & (sketch.levels == at)], mix(palette.BACKGROUND, level_color(at), share))


def _draw_axes(canvas: Canvas, sketch: AxisSketch) -> None:
    """Draw each sorted interval on its own line next to the arena, in the order of the lower ends."""
    for k, axis in enumerate(sketch.axes):
        canvas.segments(*_intervals(sketch, k), mix(palette.BACKGROUND, level_color(1 + k), 0.7))
        near, far = -HALF[1 - axis] - _GAP, -HALF[1 - axis] - _GAP - BAND
        corners = (-HALF[0], far, HALF[0], near) if axis == 0 else (far, -HALF[1], near, HALF[1])
        canvas.boxes(np.array([corners]), palette.GRID_AXIS)


def _intervals(sketch: AxisSketch, k: int) -> tuple[FloatArray, FloatArray]:
    """Return both ends of each interval's line on an axis, (n, 2) each."""
    axis, n = sketch.axes[k], len(sketch.lower[k])
    across = -HALF[1 - axis] - _GAP - BAND * (np.arange(n) + 0.5) / max(n, 1)
    lower, upper = (np.column_stack((ends, across) if axis == 0 else (across, ends)) for ends in (sketch.lower[k], sketch.upper[k]))
    return lower, upper


def entered(sketch: Sketch, region: FloatArray, ray: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the cells or inner nodes that a region (4,) overlaps, and those that a ray hits."""
    from engine.broadphase import BruteForce

    parts = np.zeros((0, 4))
    if hasattr(sketch, "cells"):
        parts = sketch.cells[~sketch.is_oversize]
    elif hasattr(sketch, "levels"):
        parts = sketch.boxes[sketch.proxies < 0]
    if len(parts) == 0:
        return parts, parts
    search = BruteForce()
    search.update(parts)
    return parts[search.regions(region[None])[:, 1]], parts[search.rays(ray[0][None], ray[1][None])[:, 1]]


def draw_queries(
    canvas: Canvas,
    boxes: FloatArray,
    sketch: Sketch,
    region: FloatArray,
    ray: tuple[FloatArray, FloatArray],
    hits: tuple[IntArray, IntArray],
) -> None:
    """Draw the region and the ray, the cells or nodes that they visit, and the boxes that they hit."""
    in_region, on_ray = entered(sketch, region, ray)
    canvas.boxes(on_ray, mix(palette.BACKGROUND, palette.AGREE, 0.55))
    canvas.boxes(in_region, mix(palette.BACKGROUND, palette.ACCENT, 0.8))
    if hasattr(sketch, "axes"):
        for k, axis in enumerate(sketch.axes):  # the intervals that overlap the region's
            lower, upper = _intervals(sketch, k)
            overlaps = (sketch.lower[k] <= region[axis + 2]) & (sketch.upper[k] >= region[axis])
            canvas.segments(lower[overlaps], upper[overlaps], palette.ACCENT)
    canvas.boxes(boxes[hits[1]], palette.AGREE, 2.0)
    canvas.boxes(boxes[hits[0]], palette.ACCENT, 2.0)
    canvas.boxes(region[None], palette.TEXT, 1.5)
    (x, y), (dx, dy) = ray[0].tolist(), ray[1].tolist()
    canvas.segment((x, y), (x + dx, y + dy), palette.AGREE, 1.5)
    canvas.point((x, y), palette.AGREE, 4.0)


def sketch_words(sketch: Sketch) -> str:
    """Describe a structure's contents."""
    if hasattr(sketch, "cells"):
        return f"{len(sketch.cells):,} cells in use, with at most {int(sketch.counts.max(initial=0))} boxes per cell"
    if hasattr(sketch, "axes"):
        return "sorted along " + " and ".join("xy"[axis] for axis in sketch.axes)
    if hasattr(sketch, "proxies"):
        nodes = sketch.levels[sketch.proxies < 0]
        return f"{len(nodes):,} nodes on {int(nodes.max(initial=0)) + 1} levels"
    return "no structure: every pair is tested"


def chart_height(n_structures: int, ui_scale: float) -> float:
    """Return the height of the chart, pixels."""
    return (_CAPTION + 1.2 * _PAD) * ui_scale + math.ceil(n_structures / _COLUMNS) * bar_height(ui_scale)


def draw_chart(canvas: Canvas, race: Race, drawn: int, room: float) -> None:
    """Draw the times of all structures in the lowest `room` pixels of the view."""
    left, top, width, height = canvas.camera.view
    ui = canvas.ui_scale
    begins = top + height - room
    ground = np.array([[*canvas.camera.to_world((left, top + height)), *canvas.camera.to_world((left + width, begins))]])
    fill_rectangles(canvas, ground, [palette.PANEL])
    pad = _PAD * ui
    y = begins + 0.4 * pad
    caption = canvas.fonts.shortened(_CAPTION_WORDS, 11.0, max(round(width - 2.0 * pad), 1))
    canvas.text_px((left + pad, y), caption, palette.CAPTION, 11.0, "topleft")
    columns = _COLUMNS if width >= _COLUMNS * _MIN_COLUMN * ui else 1
    rows = math.ceil(len(race.lanes) / _COLUMNS)
    across = (width - (columns + 1) * pad) / columns
    order = list(range(len(race.lanes)))
    if columns < _COLUMNS:  # the drawn one, and of the others as many as there is room for
        order = sorted(order, key=lambda k: k != drawn)[:rows]
    for column in range(columns):
        bars = []
        for k in order[column * rows : (column + 1) * rows]:
            lane = race.lanes[k]
            color = palette.UNEXPLAINED if lane.wrong else palette.ACCENT if k == drawn else palette.AGREE
            ms = lane.ms
            length = 0.0 if ms is None else math.log10(max(ms, _MIN_MS) / _MIN_MS) / _DECADES
            value = "..." if ms is None else f"{ms:.2f} ms"
            bars.append(Bar(lane.phase.name, length, value, color, k == drawn or lane.wrong > 0))
        draw_bars(canvas, (left + pad + column * (across + pad), y + _CAPTION * ui, across), bars, 178.0)
