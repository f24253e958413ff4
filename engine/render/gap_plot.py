"""A plot of the gap between two shapes over a step: axes, the curve, the walk down to its root, marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.clip import dashes
from engine.render.palette import Color, mix

__all__ = ["Axes", "GapTimeline", "Heading", "Mark", "MarkKind", "draw_plot", "draw_symbol", "length_words"]

Heading = tuple[tuple[str, Color], ...]
MarkKind = Literal["diamond", "triangle", "ring", "tick"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of the step: its fraction, and the gap where it lies on the curve, meters; None for a tick on the axis of time.

    Its words are for the pointer; the legend stands under the plot, once for all marks that share it, "" for none. Of one `in_lens` the
    close-up writes the fraction beside it.
    """

    fraction: float
    gap: float | None
    kind: MarkKind
    color: Color
    words: str
    legend: str = ""
    in_lens: bool = False


@dataclass(frozen=True, slots=True)
class GapTimeline:
    """Data of a plot.

    Parameters
    ----------
    title : tuple of headings
        Pieces (str, Color) each; the first heading that fits is written.
    fractions, gaps : float64 (n,)
        The curve: ascending fractions of the step, meters.
    walk : float64 (m, 2)
        Fraction and gap of each step of an advancement down to the root; may be empty.
    target : float or None
        A gap drawn as a line, meters.
    lens : pair of float or None
        Fractions of the close-up.
    marks : sequence of Mark
    milliseconds : float
        Length of the step.
    now : float or None
        The fraction that the picture shows, drawn as a bar; None where it shows another step.
    """

    title: tuple[Heading, ...]
    fractions: FloatArray
    gaps: FloatArray
    walk: FloatArray
    target: float | None
    lens: tuple[float, float] | None
    marks: Sequence[Mark]
    milliseconds: float
    now: float | None = None

    def gap_at(self, fraction: float) -> float:
        """Return the gap at a fraction, meters."""
        return float(np.interp(fraction, self.fractions, self.gaps))


_COLUMN, _FAR = 2.0, 1.0e4
"""Pixels: between the corners of a curve, and from the window's origin, where it is cut off."""


@dataclass(frozen=True, slots=True)
class Axes:
    """A plot's rectangle, pixels, and the ranges of its axes."""

    place: pygame.Rect
    times: tuple[float, float]
    gaps: tuple[float, float]

    def x(self, fraction: float) -> float:
        low, high = self.times
        return self.place.left + self.place.width * (fraction - low) / (high - low)

    def y(self, gap: float) -> float:
        low, high = self.gaps
        return self.place.bottom - self.place.height * (gap - low) / (high - low)

    def time(self, x: float) -> float:
        low, high = self.times
        return low + (high - low) * (x - self.place.left) / max(self.place.width, 1)


def draw_plot(canvas: Canvas, axes: Axes, line: GapTimeline, is_lens: bool) -> None:
    surface, ui, place = canvas.surface, canvas.ui_scale, axes.place
    before = surface.get_clip()
    surface.set_clip(place.inflate(2, 2).clip(before))
    pygame.draw.rect(surface, palette.BACKGROUND, place)
    zero = round(axes.y(0.0))
    below = pygame.Rect(place.left, zero, place.width, max(place.bottom - zero, 0))
    pygame.draw.rect(surface, mix(palette.PANEL, palette.UNEXPLAINED, 0.16), below)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0) if not is_lens else ():
        x = round(axes.x(share))
        pygame.draw.line(surface, palette.GRID_AXIS, (x, place.top), (x, place.bottom))
    pygame.draw.line(surface, palette.CAPTION, (place.left, zero), (place.right, zero))
    if line.target is not None:
        color, y = mix(palette.PANEL, palette.EXPLAINED, 0.8), round(axes.y(line.target))
        for start, end in dashes((place.left, y), (place.right, y), 5.0 * ui):
            pygame.draw.line(surface, color, start, end)
    if line.now is not None:
        x = round(axes.x(line.now))
        pygame.draw.line(surface, mix(palette.BACKGROUND, palette.NORMAL, 0.5), (x, place.top), (x, place.bottom), max(1, round(2 * ui)))
    _curve(surface, axes, line, max(1, round(1.6 * ui)))
    _walk(surface, axes, line, ui)
    surface.set_clip(place.inflate(round(14 * ui), round(14 * ui)).clip(before))
    marks = [mark for mark in line.marks if axes.times[0] <= mark.fraction <= axes.times[1]]
    for mark in marks:
        draw_symbol(surface, mark, axes.x(mark.fraction), axes.y(mark.gap) if mark.gap is not None else float(place.bottom), ui)
    surface.set_clip(before)
    pygame.draw.rect(surface, palette.PANEL_EDGE, place, width=1)
    _scales(canvas, axes, line, is_lens)
    if is_lens:
        _name_marks(canvas, axes, marks)


def _walk(surface: pygame.Surface, axes: Axes, line: GapTimeline, ui: float) -> None:
    """Draw each step of the advancement: down the bound to the target, then up to the gap measured next."""
    rows = line.walk.tolist()
    for k, (t, gap) in enumerate(rows):
        here = axes.x(t), axes.y(gap)
        if k + 1 < len(rows):
            foot = axes.x(rows[k + 1][0]), axes.y(0.0)
            for start, end in dashes(here, foot, 5.0 * ui):
                pygame.draw.aaline(surface, palette.NORMAL, start, end, 2)
            pygame.draw.aaline(surface, mix(palette.BACKGROUND, palette.NORMAL, 0.55), foot, (foot[0], axes.y(rows[k + 1][1])))
        pygame.draw.circle(surface, palette.NORMAL, here, max(2.0, 2.6 * ui))


def draw_symbol(surface: pygame.Surface, mark: Mark, x: float, y: float, ui: float) -> None:
    r = 5.0 * ui
    if mark.kind == "ring":
        pygame.draw.circle(surface, palette.BACKGROUND, (x, y), r)
        pygame.draw.circle(surface, mark.color, (x, y), r, max(1, round(1.6 * ui)))
    elif mark.kind == "tick":
        pygame.draw.line(surface, mark.color, (round(x), round(y)), (round(x), round(y - 7.0 * ui)), max(1, round(ui)))
    else:
        shape = {
            "diamond": ((x, y - r), (x + r, y), (x, y + r), (x - r, y)),
            "triangle": ((x, y), (x + 0.9 * r, y + 1.6 * r), (x - 0.9 * r, y + 1.6 * r)),
        }[mark.kind]
        pygame.draw.polygon(surface, mark.color, shape)
        pygame.draw.aalines(surface, palette.BACKGROUND, True, shape)


def _scales(canvas: Canvas, axes: Axes, line: GapTimeline, is_lens: bool) -> None:
    """Write what the two axes mean, where there is room for it."""
    ui, place = canvas.ui_scale, axes.place
    size, edge = 11.0, place.left - 8.0 * ui
    zero = axes.y(0.0)
    canvas.text_px((edge, zero), "touching" if not is_lens else "touch", palette.TEXT, size, "right")
    apart = 13.0 * ui
    top = axes.gaps[1] if is_lens else float(line.gaps.max())
    if zero - axes.y(top) > apart:
        y = max(axes.y(top), place.top + 0.5 * apart)
        canvas.text_px((edge, y), length_words(top), palette.CAPTION, size, "right")
    if is_lens and line.target is not None and axes.y(line.target) - zero > apart:
        canvas.text_px((edge, axes.y(line.target)), length_words(line.target), palette.EXPLAINED, size, "right")
    if not is_lens and place.bottom - zero > 2.1 * apart:
        canvas.text_px((edge, 0.5 * (zero + place.bottom) + 3 * ui), "inside", mix(palette.UNEXPLAINED, palette.TEXT, 0.3), size, "right")
    for t in axes.times if is_lens else (0.0, 0.5, 1.0):
        word = f"{t:.4g}" if is_lens else f"{t:g}"
        anchor = "midtop" if not is_lens else "topleft" if t == axes.times[0] else "topright"
        canvas.text_px((axes.x(t), place.bottom + 1 * ui), word, palette.CAPTION, size, anchor)
    if not is_lens and place.width > 330 * ui:
        for at, words in ((0.25, "the step begins at 0"), (0.75, "and ends at 1")):
            canvas.text_px((axes.x(at), place.bottom + 1 * ui), words, palette.CAPTION, size, "midtop")


def _name_marks(canvas: Canvas, axes: Axes, marks: Sequence[Mark]) -> None:
    """Write the fractions of the close-up's marks beside them, each at a height of its own."""
    ui = canvas.ui_scale
    named = [mark for mark in marks if mark.in_lens and mark.gap is not None]
    occupied: list[pygame.Rect] = []
    for mark in sorted(named, key=lambda mark: mark.fraction):
        words = f"{mark.fraction:.4f}"
        wide, high = canvas.fonts.width(words, 11.0, True), round(14 * ui)
        x, y = axes.x(mark.fraction), axes.y(mark.gap if mark.gap is not None else 0.0)
        spots = [(x + 8 * ui, y - high), (x + 8 * ui, y + 1), (x - 8 * ui - wide, y + 1), (x - 8 * ui - wide, y - high)]
        spots += [(x + 8 * ui, y + k * high) for k in (-2, 1)]
        for left, top in spots:
            spot = pygame.Rect(round(left), round(top), wide, high)
            if axes.place.contains(spot) and spot.collidelist(occupied) < 0:
                canvas.text_px(spot.topleft, words, mark.color, 11.0, bold=True)
                occupied.append(spot)
                break


def _curve(surface: pygame.Surface, axes: Axes, line: GapTimeline, width: int) -> None:
    """Draw the part of the curve that the plot shows; of samples on one column of pixels the first, and the deepest of all."""
    low, high = np.searchsorted(line.fractions, axes.times)
    first, last = max(int(low) - 1, 0), min(int(high) + 1, len(line.fractions) - 1)
    deepest = int(line.gaps.argmin())
    corners: list[tuple[float, float]] = []
    for k in range(first, last + 1):
        x = axes.x(float(line.fractions[k]))
        if not corners or k in (deepest, last) or x - corners[-1][0] >= _COLUMN:
            corners.append((x, min(max(axes.y(float(line.gaps[k])), -_FAR), _FAR)))
    for p, q in pairwise(corners):
        pygame.draw.aaline(surface, palette.ACCENT, p, q, width)


def length_words(meters: float) -> str:
    """Return a length with a readable unit."""
    return f"{meters:.2f} m" if abs(meters) >= 1.0 else f"{100.0 * meters:.3g} cm" if abs(meters) >= 0.05 else f"{1000.0 * meters:.3g} mm"
