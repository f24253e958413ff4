"""Thousands of axis-aligned boxes, and bar charts: plain rectangles, which cost a microsecond each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import pygame

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.palette import Color, mix

__all__ = ["Bar", "bar_height", "draw_bars", "fill_rectangles"]

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


def fill_rectangles(canvas: Canvas, boxes: FloatArray, colors: Sequence[Color]) -> None:
    """Fill boxes (n, 4) of the world, each with its own color."""
    seen, places = canvas.camera.rectangles(boxes)
    for place, color in zip(places, compress(colors, seen.tolist()), strict=True):
        canvas.surface.fill(color, place)


def bar_height(ui_scale: float) -> float:
    """Return the distance between two bars, pixels."""
    return _ROW * ui_scale


def draw_bars(canvas: Canvas, place: tuple[float, float, float], bars: Sequence[Bar], name_width: float) -> float:
    """Draw bars below each other from (left, top) over a width, pixels; return the y coordinate below them.

    Names take `name_width` design pixels, or less if the bars would have no room; the values are written after the bars.
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
