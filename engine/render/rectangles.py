"""Thousands of axis-aligned boxes, and bars of a chart: plain rectangles, which cost a microsecond each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.palette import Color, mix

__all__ = ["Bar", "bar_height", "draw_bars", "draw_rectangles", "fill_rectangles"]

_FAR = 20_000.0
"""Maximum coordinate, pixels; larger boxes are cut there, as pygame's rectangles hold 32-bit integers."""
_ROW = 15.0
"""Height of a bar with its text, design pixels."""
_TEXT = 11.5
_MIN_BAR = 16.0
"""Minimum length of the longest bar, design pixels."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a chart: its name, a share of the width, 0 to 1, the value in words, the color; `is_marked` in bold."""

    name: str
    share: float
    value: str
    color: Color
    is_marked: bool = False


def draw_rectangles(canvas: Canvas, boxes: FloatArray, color: Color, width: float = 1.0) -> None:
    """Draw the outlines of boxes (n, 4) x0, y0, x1, y1 of the world, `width` design pixels thick."""
    thick = max(1, round(width * canvas.ui_scale))
    surface, mapped, draw = canvas.surface, canvas.surface.map_rgb(color), pygame.draw.rect
    for place in _places(canvas, boxes):
        draw(surface, mapped, place, thick)


def fill_rectangles(canvas: Canvas, boxes: FloatArray, colors: Sequence[Color]) -> None:
    """Fill boxes (n, 4) of the world, each with its color."""
    fill = canvas.surface.fill
    seen = _is_seen(canvas, boxes)
    chosen = [color for color, is_seen in zip(colors, seen.tolist(), strict=True) if is_seen]
    for place, color in zip(_places(canvas, boxes[seen]), chosen, strict=True):
        fill(color, place)


def bar_height(ui_scale: float) -> float:
    """Return the pixels from one bar to the next."""
    return _ROW * ui_scale


def draw_bars(canvas: Canvas, place: tuple[float, float, float], bars: Sequence[Bar], name_width: float) -> float:
    """Draw bars one under the other from (left, top) over a width, pixels; return the y under them.

    Names take `name_width` design pixels, fewer and shortened where the bars would have no room; the values stand behind the bars.
    """
    left, top, width = place
    ui = canvas.ui_scale
    row, value = bar_height(ui), 58.0 * ui
    name = max(min(name_width * ui, width - value - _MIN_BAR * ui), 1.0)
    room = max(width - name - value, 1.0)
    for k, bar in enumerate(bars):
        y = top + k * row
        words = bar.color if bar.is_marked else palette.TEXT
        fit = canvas.fonts.shortened(bar.name, _TEXT, round(name - 5.0 * ui), bar.is_marked)
        canvas.text_px((left, y), fit, words, _TEXT, "topleft", bar.is_marked)
        track = pygame.Rect(round(left + name), round(y + 0.28 * row), round(room), max(2, round(0.5 * row)))
        pygame.draw.rect(canvas.surface, palette.PANEL_RAISED, track)
        track.width = max(1, round(room * min(max(bar.share, 0.0), 1.0)))
        pygame.draw.rect(canvas.surface, bar.color if bar.is_marked else mix(palette.BACKGROUND, bar.color, 0.75), track)
        canvas.text_px((left + name + room + 6.0 * ui, y), bar.value, words, _TEXT, "topleft", bar.is_marked)
    return top + len(bars) * row


def _is_seen(canvas: Canvas, boxes: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    left, top, width, height = canvas.camera.view
    pixels = canvas.camera.to_screen_array(boxes.reshape(-1, 2, 2))
    inside = (pixels[:, 1, 0] >= left) & (pixels[:, 0, 0] <= left + width) & (pixels[:, 0, 1] >= top) & (pixels[:, 1, 1] <= top + height)
    return np.logical_and(inside, np.isfinite(pixels).all(axis=(1, 2)))


def _places(canvas: Canvas, boxes: FloatArray) -> list[list[int]]:
    """Return left, top, width, height in pixels of the boxes that are in view."""
    pixels = canvas.camera.to_screen_array(boxes[_is_seen(canvas, boxes)].reshape(-1, 2, 2))
    corners = np.rint(np.clip(pixels, -_FAR, _FAR)).astype(np.int64)
    low = np.column_stack((corners[:, 0, 0], corners[:, 1, 1]))
    size = np.maximum(np.column_stack((corners[:, 1, 0], corners[:, 0, 1])) - low + 1, 1)
    places: list[list[int]] = np.hstack((low, size)).tolist()
    return places
