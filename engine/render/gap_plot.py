"""A plot of the gap between two shapes over one step, with marks on the curve. It computes no collisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.hud import draw_lines, lines_size
from engine.render.palette import Color, mix

__all__ = ["GapPlot", "Heading", "Mark", "draw_gap_plot", "fraction_under"]

Heading = tuple[tuple[str, Color], ...]
Place = tuple[int, int, int, int]

_MIN_WIDTH, _MIN_HEIGHT, _LEGEND_FROM = 130.0, 58.0, 84.0
"""Minimum size of the frame for a readable plot, and minimum height for a legend, design pixels."""
_NEAR_MARK = 7.0
"""Distance from a mark within which the pointer selects it, design pixels."""
_HEADROOM, _ROOM_BELOW = 0.1, 0.16
"""Shares of the plotted range kept free above the curve and, at least, below zero."""
_SIZE = 11.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of the step: its fraction, and its gap if it lies on the curve, meters; None for a tick on the time axis.

    Its words are shown at the pointer. The legend is shown under the plot, once for all marks that share it; "" for none.
    """

    fraction: float
    gap: float | None
    kind: Literal["diamond", "triangle", "ring", "tick"]
    color: Color
    words: str
    legend: str = ""


@dataclass(frozen=True, slots=True)
class GapPlot:
    """Data of a plot.

    Parameters
    ----------
    title : tuple of headings
        Each heading is a sequence of (str, Color); the first one that fits is written.
    fractions, gaps : float64 (n,)
        The curve: ascending fractions of the step, meters.
    marks : sequence of Mark
    milliseconds : float
        Length of the step.
    now : float or None
        The fraction that the picture shows, drawn as a bar; None if it shows another step.
    """

    title: tuple[Heading, ...]
    fractions: FloatArray
    gaps: FloatArray
    marks: Sequence[Mark]
    milliseconds: float
    now: float | None = None

    def gap_at(self, fraction: float) -> float:
        """Return the gap at a fraction, meters."""
        return float(np.interp(fraction, self.fractions, self.gaps))


class _Axes:
    """Rectangle of a plot in its frame, pixels, and the range of its gaps."""

    def __init__(self, canvas: Canvas, frame: pygame.Rect, plot: GapPlot) -> None:
        ui = canvas.ui_scale
        left, top = frame.left + round(62 * ui), frame.top + round(27 * ui)
        bottom = frame.bottom - round((37 if frame.height >= _LEGEND_FROM * ui else 18) * ui)
        self.place = pygame.Rect(left, top, max(frame.right - round(14 * ui) - left, 2), max(bottom - top, 2))
        self._span, low = max(float(plot.gaps.max()), 1e-6), min(float(plot.gaps.min()), 0.0)
        headroom = _HEADROOM * (self._span - low)
        self.low, self.high = min(low - headroom, -_ROOM_BELOW * self._span), self._span + headroom

    def x(self, fraction: float) -> float:
        return self.place.left + self.place.width * fraction

    def y(self, gap: float) -> float:
        return self.place.bottom - self.place.height * (gap - self.low) / (self.high - self.low)

    def at(self, mark: Mark) -> tuple[float, float]:
        return self.x(mark.fraction), self.y(mark.gap) if mark.gap is not None else float(self.place.bottom)

    def fraction(self, x: float) -> float:
        return min(max((x - self.place.left) / self.place.width, 0.0), 1.0)


def draw_gap_plot(canvas: Canvas, place: Place, plot: GapPlot, pointer: tuple[float, float] | None = None) -> None:
    """Draw into (left, top, width, height), with the values at the pointer next to it."""
    surface, ui, frame = canvas.surface, canvas.ui_scale, pygame.Rect(place)
    if not _has_room(canvas, frame):
        return
    axes = _Axes(canvas, frame, plot)
    pygame.draw.rect(surface, palette.PANEL, frame, border_radius=round(6 * ui))
    pygame.draw.rect(surface, palette.PANEL_EDGE, frame, width=1, border_radius=round(6 * ui))
    before = surface.get_clip()
    surface.set_clip(frame.clip(before))
    _draw_title(canvas, frame, plot)
    _draw_curve(canvas, axes, plot)
    for mark in plot.marks:
        _draw_symbol(surface, mark, *axes.at(mark), ui)
    _draw_scales(canvas, axes, plot)
    if frame.height >= _LEGEND_FROM * ui:
        _draw_legend(canvas, frame, plot)
    surface.set_clip(before)
    if pointer is not None and axes.place.collidepoint(pointer):
        _draw_values(canvas, frame, axes, plot, pointer)
    canvas.room.take(frame)


def fraction_under(canvas: Canvas, place: Place, plot: GapPlot, pointer: tuple[float, float]) -> float | None:
    """Return the fraction of the step under a pixel; None outside the plot."""
    frame = pygame.Rect(place)
    axes = _Axes(canvas, frame, plot)
    return axes.fraction(pointer[0]) if _has_room(canvas, frame) and axes.place.collidepoint(pointer) else None


def _has_room(canvas: Canvas, frame: pygame.Rect) -> bool:
    return frame.width >= _MIN_WIDTH * canvas.ui_scale and frame.height >= _MIN_HEIGHT * canvas.ui_scale


def _draw_title(canvas: Canvas, frame: pygame.Rect, plot: GapPlot) -> None:
    def wide(heading: Heading, size: float) -> int:
        return sum(canvas.fonts.width(words, size, True) for words, _ in heading)

    inset = round(10 * canvas.ui_scale)
    headings = [*plot.title, plot.title[-1][-1:]]  # in the smallest room, the result without its subject
    fitting = [(heading, size) for heading in headings for size in (13.0, 12.0, 11.0) if wide(heading, size) <= frame.width - 2 * inset]
    heading, size = fitting[0] if fitting else (headings[-1], 11.0)
    x = frame.left + inset
    for words, color in heading:
        fit = canvas.fonts.shortened(words, size, max(frame.right - inset - x, 1), True)
        x = canvas.text_px((x, frame.top + 14 * canvas.ui_scale), fit, color, size, "left", bold=True).right


def _draw_curve(canvas: Canvas, axes: _Axes, plot: GapPlot) -> None:
    surface, ui, place = canvas.surface, canvas.ui_scale, axes.place
    pygame.draw.rect(surface, palette.BACKGROUND, place)
    zero = round(axes.y(0.0))
    pygame.draw.rect(surface, mix(palette.PANEL, palette.UNEXPLAINED, 0.16), (place.left, zero, place.width, max(place.bottom - zero, 0)))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = round(axes.x(share))
        pygame.draw.line(surface, palette.GRID_AXIS, (x, place.top), (x, place.bottom))
    pygame.draw.line(surface, palette.CAPTION, (place.left, zero), (place.right, zero))
    if plot.now is not None:
        x = round(axes.x(plot.now))
        pygame.draw.line(surface, mix(palette.BACKGROUND, palette.NORMAL, 0.5), (x, place.top), (x, place.bottom), max(1, round(2 * ui)))
    corners = [(axes.x(t), axes.y(gap)) for t, gap in zip(plot.fractions.tolist(), plot.gaps.tolist(), strict=True)]
    pygame.draw.lines(surface, palette.ACCENT, False, corners, max(1, round(1.6 * ui)))
    pygame.draw.rect(surface, palette.PANEL_EDGE, place, width=1)


def _draw_symbol(surface: pygame.Surface, mark: Mark, x: float, y: float, ui: float) -> None:
    r = 5.0 * ui
    if mark.kind == "ring":
        pygame.draw.circle(surface, palette.BACKGROUND, (x, y), r)
        pygame.draw.circle(surface, mark.color, (x, y), r, max(1, round(1.6 * ui)))
    elif mark.kind == "tick":
        pygame.draw.line(surface, mark.color, (round(x), round(y)), (round(x), round(y - 7.0 * ui)), max(1, round(ui)))
    elif mark.kind == "diamond":
        pygame.draw.polygon(surface, mark.color, ((x, y - r), (x + r, y), (x, y + r), (x - r, y)))
    else:
        pygame.draw.polygon(surface, mark.color, ((x, y), (x + 0.9 * r, y + 1.6 * r), (x - 0.9 * r, y + 1.6 * r)))


def _draw_scales(canvas: Canvas, axes: _Axes, plot: GapPlot) -> None:
    """Write the labels of the two axes, if there is room."""
    ui, place, zero = canvas.ui_scale, axes.place, axes.y(0.0)
    edge, apart, top = place.left - 8.0 * ui, 13.0 * ui, float(plot.gaps.max())
    canvas.text_px((edge, zero), "touching", palette.TEXT, _SIZE, "right")
    if zero - axes.y(top) > apart:
        canvas.text_px((edge, max(axes.y(top), place.top + 0.5 * apart)), _length_words(top), palette.CAPTION, _SIZE, "right")
    if place.bottom - zero > 2.1 * apart:
        color = mix(palette.UNEXPLAINED, palette.TEXT, 0.3)
        canvas.text_px((edge, 0.5 * (zero + place.bottom) + 3 * ui), "overlap", color, _SIZE, "right")
    times = [(0.0, "0"), (0.5, "0.5"), (1.0, "1")]
    times += [(0.25, "the step begins at 0"), (0.75, "and ends at 1")] if place.width > 330 * ui else []
    for at, words in times:
        canvas.text_px((axes.x(at), place.bottom + ui), words, palette.CAPTION, _SIZE, "midtop")


def _draw_legend(canvas: Canvas, frame: pygame.Rect, plot: GapPlot) -> None:
    ui, entries = canvas.ui_scale, dict[str, Mark]()
    for mark in plot.marks:
        if mark.legend:
            entries.setdefault(mark.legend, mark)
    size, y = 11.5, frame.bottom - 11.0 * ui
    while size > 8.0 and sum(canvas.fonts.width(words, size) + 24 * ui for words in entries) > frame.width - 16 * ui:
        size -= 0.5
    x = frame.left + 16.0 * ui
    for words, mark in entries.items():
        wide = canvas.fonts.width(words, size) + 24.0 * ui
        if x + wide > frame.right + 8 * ui:
            break
        _draw_symbol(canvas.surface, mark, x, y + {"triangle": -4.0, "tick": 3.5}.get(mark.kind, 0.0) * ui, ui)
        canvas.text_px((x + 9 * ui, y), words, palette.CAPTION, size, "left")
        x += wide


def _draw_values(canvas: Canvas, frame: pygame.Rect, axes: _Axes, plot: GapPlot, pointer: tuple[float, float]) -> None:
    """Write the values under the pointer: of a mark near it, otherwise of the curve."""
    surface, ui = canvas.surface, canvas.ui_scale
    t, lines = axes.fraction(pointer[0]), list[tuple[str, Color]]()
    near = min(plot.marks, key=lambda mark: math.dist(pointer, axes.at(mark)), default=None)
    if near is not None and math.dist(pointer, axes.at(near)) <= _NEAR_MARK * ui:
        t = near.fraction
        lines.append((near.words, near.color))
    gap = plot.gap_at(t)
    what = f"gap {_length_words(gap)}" if gap >= 0.0 else f"overlap {_length_words(-gap)}"
    lines.append((f"{t:.4f} of the step = {t * plot.milliseconds:.3g} ms: {what}", palette.TEXT))
    x, y = round(axes.x(t)), axes.y(gap)
    pygame.draw.line(surface, mix(palette.BACKGROUND, palette.TEXT, 0.5), (x, axes.place.top), (x, axes.place.bottom))
    pygame.draw.circle(surface, palette.TEXT, (x, y), 3.0 * ui)
    box = pygame.Rect((0, 0), lines_size(canvas.fonts, lines, 12.0))
    box.midbottom = x, frame.top - round(4 * ui)  # above the frame, so that the curve stays visible
    draw_lines(surface, canvas.fonts, box.clamp(pygame.Rect(canvas.camera.view)).topleft, lines, 12.0, 245)


def _length_words(meters: float) -> str:
    """Return a length with a readable unit."""
    return f"{meters:.2f} m" if abs(meters) >= 1.0 else f"{100.0 * meters:.3g} cm" if abs(meters) >= 0.05 else f"{1000.0 * meters:.3g} mm"
