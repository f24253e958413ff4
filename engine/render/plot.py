"""Curves over time: panes stacked on one time axis, one pane per unit, and marks that need no color.

    +--------------------------------+
    | 4 |      ___                   |   J
    | 2 |  ___/   \\___:.........     |      after the current step: dimmed
    +---+--------------------------- +
    | 1 |  - -   - - -:- - -         |   m/s
    +---+-------------+--------------+
        0 s           2 s   now      4 s

A curve with more steps than pixels is drawn through the minimum and maximum of each column of pixels, so that no peak is lost.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color, mix

__all__ = ["Curve", "TimeAxis", "columns", "draw_panes", "draw_sample", "draw_spark", "number_words", "runs", "ticks"]

_MARK_EVERY = 84
_DIMMED = 0.34
"""Share of the color kept by curves after the current step."""
_FAINT, _ZERO = 0.35, 0.8
"""Share of color of the grid lines and of the zero line, weak enough not to be mistaken for curves."""
_SAME = 1e-6
"""Relative difference below which values count as equal: float32 rounds the last digits (6e-8 per value)."""
_LEAST, _AROUND_ZERO = 1e-6, 1.0
"""Smallest value that is not treated as 0, and half the range shown for a curve that is 0 everywhere; in the unit of the curve."""
_MAX_DIGITS = 6
"""Maximum number of decimals on an axis."""
_LABEL = 10.5
_LEFT = 46.0
"""Width at the left of a pane for the numbers of its axis, design pixels."""
_FOOT = 16.0


@dataclass(frozen=True, slots=True)
class Curve:
    """Values by step, from step 0, float64 (n,), NaN where unknown; `style` chooses color and mark.

    `breaks` are the steps whose values do not continue those before; no line is drawn to them.
    """

    name: str
    unit: str
    values: FloatArray
    style: int
    breaks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """The range of steps shown, and the range of pixels it maps to.

    `first` is the step at pixel `left`, and `last` that at `left + width - 1`.
    """

    first: float
    last: float
    left: int
    width: int

    def x(self, step: float) -> float:
        """Return the pixel of a step."""
        return self.left + (step - self.first) / max(self.last - self.first, 1.0) * (self.width - 1)

    def step(self, x: float) -> int:
        """Return the step nearest to a pixel."""
        return round(self.first + (x - self.left) / max(self.width - 1, 1) * max(self.last - self.first, 1.0))


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most `most` round numbers, 1, 2 or 5 times a power of ten apart, inside a range.

    Examples
    --------
    >>> ticks(0.0, 10.0, 4)
    [0.0, 5.0, 10.0]
    >>> ticks(-0.13, 0.21, 4)
    [-0.1, 0.0, 0.1, 0.2]
    """
    if not high > low or most < 1:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    for factor in (1.0, 2.0, 5.0, 10.0, 20.0):
        pitch = factor * power
        start, end = math.ceil(low / pitch - 1e-9), math.floor(high / pitch + 1e-9)
        if end - start + 1 <= most:
            break
    return [float(f"{k * pitch:.12g}") + 0.0 for k in range(start, end + 1)]


def number_words(value: float, pitch: float) -> str:
    """Return a number with as many digits as neighbors `pitch` apart need.

    Examples
    --------
    >>> number_words(0.5, 0.25), number_words(12000.0, 4000.0), number_words(1.5e-7, 1e-8)
    ('0.50', '12,000', '1.5e-07')
    """
    size = max(abs(value), abs(pitch))
    if size >= 1e6 or (0.0 < size < 1e-3):
        return f"{value:.3g}"
    digits = max(0, min(_MAX_DIGITS, -math.floor(math.log10(abs(pitch)) + 1e-9))) if pitch else 2
    if pitch and digits < _MAX_DIGITS and abs(pitch * 10**digits - round(pitch * 10**digits)) > 1e-6:
        digits += 1
    return f"{value:,.{digits}f}"


def columns(values: FloatArray, axis: TimeAxis) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the pixel, the least and the largest value of each pixel column that has values, given values by step.

    If there are fewer steps than pixels, each step has its own column.
    """
    first, last = max(math.floor(axis.first), 0), min(math.ceil(axis.last) + 1, len(values))
    part = values[first:last]
    steps = np.arange(first, first + len(part), dtype=np.float64)
    known = np.isfinite(part)
    part, steps = part[known], steps[known]
    x = np.rint(axis.left + (steps - axis.first) * ((axis.width - 1) / max(axis.last - axis.first, 1.0)))
    if len(part) == 0:
        return x, part, part
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.flatnonzero(np.diff(x)) + 1))
    return x[starts], np.minimum.reduceat(part, starts), np.maximum.reduceat(part, starts)


def runs(curve: Curve, axis: TimeAxis) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """Return the columns, as `columns`, of each unbroken part of a curve.

    A part ends where the values are unknown, and before a break.
    """
    first, last = max(math.floor(axis.first), 0), min(math.ceil(axis.last) + 1, len(curve.values))
    if last <= first:
        return []
    known = np.isfinite(curve.values[first:last])
    edges = {first, last, *(first + 1 + np.flatnonzero(np.diff(known))).tolist(), *(k for k in curve.breaks if first < k < last)}
    pieces = []
    for start, end in itertools.pairwise(sorted(edges)):
        if known[start - first]:
            pieces.append(columns(curve.values[start:end], TimeAxis(axis.first - start, axis.last - start, axis.left, axis.width)))
    return pieces


def draw_panes(
    surface: pygame.Surface,
    fonts: FontBook,
    place: tuple[int, int, int, int],
    curves: Sequence[Curve],
    span: tuple[float, float],
    now: int,
    step_seconds: float,
) -> TimeAxis:
    """Draw curves into (left, top, width, height), one pane per unit; return the time axis.

    Parameters
    ----------
    span : (first, last)
        Steps shown.
    now : int
        The demo's present step; the curves after it are dimmed.
    step_seconds : float
        Length of a step, for the labels of the axis.
    """
    ui = fonts.ui_scale
    left, top, width, height = place
    gutter, foot = round(_LEFT * ui), round(_FOOT * ui)
    axis = TimeAxis(span[0], span[1], left + gutter, max(width - gutter - round(8 * ui), 2))
    units = list(dict.fromkeys(curve.unit for curve in curves))
    room = height - foot
    tall = room // max(len(units), 1)
    _draw_time(surface, fonts, axis, (top, room), step_seconds)
    x = round(axis.x(now))
    if axis.left <= x < axis.left + axis.width:
        pygame.draw.line(surface, palette.TEXT, (x, top), (x, top + room - round(5 * ui)))
    for k, unit in enumerate(units):
        pane = pygame.Rect(axis.left, top + k * tall, axis.width, tall - round(5 * ui))
        _draw_pane(surface, fonts, pane, axis, [curve for curve in curves if curve.unit == unit], now)
    return axis


def draw_spark(surface: pygame.Surface, place: tuple[int, int, int, int], values: FloatArray, color: Color) -> None:
    """Draw values of 0 and more into (left, top, width, height): the newest at the right, the largest at the top."""
    left, top, width, height = place
    pygame.draw.line(surface, palette.PANEL_EDGE, (left, top + height - 1), (left + width - 1, top + height - 1))
    largest = float(values.max(initial=0.0))
    if largest <= 0.0 or width < 2 or height < 2:
        return
    x, _, high = columns(values, TimeAxis(min(len(values) - width / 2, 0.0), len(values) - 1.0, left, width))
    corners = list(zip(x.tolist(), (top + (height - 2) * (1.0 - high / largest)).tolist(), strict=True))
    if len(corners) >= 2:
        pygame.draw.lines(surface, color, False, corners)
    pygame.draw.rect(surface, color, (round(corners[-1][0]) - 1, round(corners[-1][1]) - 1, 3, 3))


def draw_sample(surface: pygame.Surface, ui: float, place: tuple[int, int, int], style: int) -> None:
    """Draw a short piece of a curve's line at (left, middle, width), as a list entry."""
    left, middle, width = place
    color = palette.SERIES[style % len(palette.SERIES)]
    _draw_line(surface, color, [(float(left), float(middle)), (float(left + width), float(middle))], ui)
    _mark(surface, color, (left + width / 2, middle), style, 2.6 * ui)


def _draw_time(surface: pygame.Surface, fonts: FontBook, axis: TimeAxis, rows: tuple[int, int], step_seconds: float) -> None:
    top, room = rows
    seconds = axis.first * step_seconds, max(axis.last, axis.first + 1.0) * step_seconds
    marks = ticks(*seconds, max(2, round(axis.width / (70 * fonts.ui_scale))))
    pitch, end = marks[1] - marks[0] if len(marks) > 1 else 1.0, -math.inf
    for at in marks:
        x = round(axis.x(at / step_seconds))
        pygame.draw.line(surface, mix(palette.PANEL, palette.PANEL_EDGE, _FAINT), (x, top), (x, top + room))
        words = fonts.render(f"{number_words(at, pitch)} s", _LABEL, palette.CAPTION)
        where = words.get_rect(midtop=(x, top + room - round(2 * fonts.ui_scale)))
        where.right = min(where.right, axis.left + axis.width + round(7 * fonts.ui_scale))
        if where.left > end:
            surface.blit(words, where)
            end = where.right + round(4 * fonts.ui_scale)


def _draw_pane(surface: pygame.Surface, fonts: FontBook, pane: pygame.Rect, axis: TimeAxis, curves: Sequence[Curve], now: int) -> None:
    ui = fonts.ui_scale
    pieces = [(curve, *run) for curve in curves for run in runs(curve, axis)]
    low = min((float(least.min()) for _, _, least, _ in pieces if len(least)), default=0.0)
    high = max((float(most.max()) for _, _, _, most in pieces if len(most)), default=1.0)
    if high - low <= _SAME * max(abs(low), abs(high)):
        half = 0.5 * abs(high) if abs(high) > _LEAST else _AROUND_ZERO
        low, high = low - half, high + half
    margin = 0.08 * (high - low)
    low, high = low - margin, high + margin
    scale = (pane.height - 1) / (high - low)
    pygame.draw.rect(surface, palette.PANEL_EDGE, pane, 1)
    marks = ticks(low, high, max(2, round(pane.height / (22 * ui))))
    pitch = marks[1] - marks[0] if len(marks) > 1 else max(abs(marks[0]) if marks else 1.0, 1e-9)
    for at in marks:
        y = round(pane.bottom - 1 - (at - low) * scale)
        line = mix(palette.PANEL, palette.PANEL_EDGE, _ZERO if at == 0.0 else _FAINT)
        pygame.draw.line(surface, line, (pane.left + 1, y), (pane.right - 2, y))
        words = fonts.render(number_words(at, pitch), _LABEL, palette.CAPTION)
        where = words.get_rect(midright=(pane.left - round(5 * ui), y))
        where.clamp_ip(pygame.Rect(pane.left - 400, pane.top - round(4 * ui), 800, pane.height + round(8 * ui)))
        surface.blit(words, where)
    turn, paths = axis.x(now) + 0.5, list[list[tuple[float, float]]]()
    for curve, x, least, most in pieces:
        color = palette.SERIES[curve.style % len(palette.SERIES)]
        path = _path(x, pane.bottom - 1 - (least - low) * scale, pane.bottom - 1 - (most - low) * scale)
        paths.append(path)
        gone = [point for point in path if point[0] <= turn]
        _draw_line(surface, mix(palette.PANEL, color, _DIMMED), path[max(len(gone) - 1, 0) :], ui)
        _draw_line(surface, color, gone, ui)
        _draw_marks(surface, path, color, curve.style, turn, ui)
    unit = fonts.render(curves[0].unit, _LABEL, palette.TEXT, True)
    plate = fonts.plate((unit.get_width() + round(6 * ui), unit.get_height()), palette.PANEL, 215, round(3 * ui))
    where = _clearest(plate, pane.inflate(-round(4 * ui), -round(2 * ui)), paths)
    surface.blit(plate, where)
    surface.blit(unit, unit.get_rect(center=where.center))


def _clearest(plate: pygame.Surface, pane: pygame.Rect, paths: Sequence[Sequence[tuple[float, float]]]) -> pygame.Rect:
    """Return the corner of a pane in which a plate hides the fewest columns of the curves, the upper left one if it is clear."""
    corners = [plate.get_rect(**{name: getattr(pane, name)}) for name in ("topleft", "topright", "bottomleft", "bottomright")]

    def hidden(place: pygame.Rect) -> int:
        return sum(bool(place.clipline(a, b)) for path in paths for a, b in itertools.pairwise(path))

    return min(corners, key=hidden)


def _path(x: FloatArray, low: FloatArray, high: FloatArray) -> list[tuple[float, float]]:
    """Return the corners of a curve: one per column with one value, otherwise two, the one closer to the previous corner first."""
    if (low == high).all():
        return list(zip(x.tolist(), low.tolist(), strict=True))
    path: list[tuple[float, float]] = []
    before = float(low[0])
    for at, bottom, top in zip(x.tolist(), low.tolist(), high.tolist(), strict=True):
        if bottom == top:
            path.append((at, bottom))
        elif abs(bottom - before) <= abs(top - before):
            path += [(at, bottom), (at, top)]
        else:
            path += [(at, top), (at, bottom)]
        before = path[-1][1]
    return path


def _draw_line(surface: pygame.Surface, color: Color, path: Sequence[tuple[float, float]], ui: float) -> None:
    if len(path) > 1:
        pygame.draw.lines(surface, color, False, path, max(2, round(2.0 * ui)))
    elif path:
        pygame.draw.circle(surface, color, path[0], max(1.5 * ui, 1.0))


def _between(path: Sequence[tuple[float, float]], k: int, x: float) -> tuple[float, float]:
    """Return the point at x between corners k and k + 1 of a path."""
    k = min(max(k, 0), len(path) - 2)
    (x0, y0), (x1, y1) = path[k], path[k + 1]
    share = min(max((x - x0) / (x1 - x0), 0.0), 1.0) if x1 > x0 else 0.0
    return x, y0 + share * (y1 - y0)


def _draw_marks(surface: pygame.Surface, path: Sequence[tuple[float, float]], color: Color, style: int, turn: float, ui: float) -> None:
    """Draw the mark of a style at regular distances along a curve."""
    pitch = _MARK_EVERY * ui
    xs = np.array([x for x, _ in path])
    at = xs[0] + (0.3 + 0.17 * style) * pitch
    while at < xs[-1]:
        k = int(np.searchsorted(xs, at))
        shade = color if at <= turn else mix(palette.PANEL, color, _DIMMED)
        _mark(surface, shade, _between(path, k - 1, at), style, 2.6 * ui)
        at += pitch


def _mark(surface: pygame.Surface, color: Color, at: tuple[float, float], style: int, reach: float) -> None:
    x, y = at
    if style % 5 == 1:
        pygame.draw.rect(surface, color, (round(x - reach), round(y - reach), round(2 * reach), round(2 * reach)))
    elif style % 5 == 2:
        pygame.draw.polygon(surface, color, ((x, y - 1.3 * reach), (x + 1.2 * reach, y + reach), (x - 1.2 * reach, y + reach)))
    elif style % 5 == 3:
        pygame.draw.polygon(surface, color, ((x, y - 1.5 * reach), (x + 1.3 * reach, y), (x, y + 1.5 * reach), (x - 1.3 * reach, y)))
    elif style % 5 == 4:
        pygame.draw.circle(surface, color, (x, y), 1.3 * reach, max(1, round(reach / 2.5)))
    else:
        pygame.draw.circle(surface, color, (x, y), reach)
