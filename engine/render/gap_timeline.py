"""The time line of one step: a gap as a curve over the fraction of the step, marks on it, and a close-up of its root.

All is given as numbers; nothing about collision is computed here. All sizes are design pixels times the UI scale.
"""

from __future__ import annotations

import math

import numpy as np
import pygame

from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.gap_plot import Axes, GapTimeline, Heading, Mark, draw_plot, draw_symbol, length_words
from engine.render.hud import draw_lines, lines_size
from engine.render.palette import Color, mix

__all__ = ["draw_timeline", "fraction_under"]

Place = tuple[int, int, int, int]

_LENS_SHARE, _LENS_FROM = 0.36, 300.0
"""Share of the width for the close-up, and the minimum width, design pixels, for having one."""
_MIN_WIDTH, _MIN_HEIGHT, _LEGEND_FROM = 130.0, 58.0, 84.0
"""Minimum height of a frame, design pixels, below which nothing is readable; and the minimum height for a legend."""
_NEAR_MARK = 7.0
"""Distance from a mark within which the pointer selects it, design pixels."""
_HEADROOM = 0.1
_ROOM_BELOW = 0.16
"""Shares of the plotted gaps kept free above and, at least, below touching."""


def draw_timeline(canvas: Canvas, place: Place, line: GapTimeline, pointer: tuple[float, float] | None = None) -> None:
    """Draw into (left, top, width, height); `pointer` is a pixel; the values under it are written beside it."""
    surface, ui = canvas.surface, canvas.ui_scale
    frame = pygame.Rect(place)
    if not _has_room(canvas, frame):
        return
    pygame.draw.rect(surface, palette.PANEL, frame, border_radius=round(6 * ui))
    pygame.draw.rect(surface, palette.PANEL_EDGE, frame, width=1, border_radius=round(6 * ui))
    before = surface.get_clip()
    surface.set_clip(frame.clip(before))
    _title(canvas, frame, line)
    overview, lens = _plots(canvas, frame, line)
    for axes in (overview, lens):
        if axes is not None:
            draw_plot(canvas, axes, line, axes is lens)
    if lens is not None:
        _show_lens(canvas, overview, lens, line)
    if frame.height >= _LEGEND_FROM * ui:
        _legend(canvas, frame, line)
    surface.set_clip(before)
    if pointer is not None:
        for axes in (lens, overview):
            if axes is not None and axes.place.collidepoint(pointer):
                _tell(canvas, frame, axes, line, pointer)
    canvas.room.take(frame)


def fraction_under(canvas: Canvas, place: Place, line: GapTimeline, pointer: tuple[float, float]) -> float | None:
    """Return the fraction of the step under a pixel; None outside both plots."""
    for axes in _plots(canvas, pygame.Rect(place), line) if _has_room(canvas, pygame.Rect(place)) else ():
        if axes is not None and axes.place.collidepoint(pointer):
            return min(max(axes.time(pointer[0]), 0.0), 1.0)
    return None


def _has_room(canvas: Canvas, frame: pygame.Rect) -> bool:
    return frame.width >= _MIN_WIDTH * canvas.ui_scale and frame.height >= _MIN_HEIGHT * canvas.ui_scale


def _plots(canvas: Canvas, frame: pygame.Rect, line: GapTimeline) -> tuple[Axes, Axes | None]:
    ui = canvas.ui_scale
    left, right = frame.left + round(62 * ui), frame.right - round(14 * ui)
    top, bottom = frame.top + round(27 * ui), frame.bottom - round((37 if frame.height >= _LEGEND_FROM * ui else 18) * ui)
    height = max(bottom - top, 2)
    span = max(float(line.gaps.max()), 1e-6)
    low = min(float(line.gaps.min()), 0.0)
    gaps = (min(low - _HEADROOM * (span - low), -_ROOM_BELOW * span), span + _HEADROOM * (span - low))
    has_lens = line.lens is not None and frame.width >= _LENS_FROM * ui
    wide = right - left
    lens_width = round(_LENS_SHARE * wide) if has_lens else 0
    gutter = round(64 * ui) if has_lens else 0
    overview = Axes(pygame.Rect(left, top, max(wide - lens_width - gutter, 2), height), (0.0, 1.0), gaps)
    if not has_lens or line.lens is None:
        return overview, None
    seen = line.gaps[(line.fractions >= line.lens[0]) & (line.fractions <= line.lens[1])]
    reach = 1.1 * max(float(np.abs(seen).max(initial=0.0)), 1.5 * abs(line.target or 0.0), 1e-6)
    return overview, Axes(pygame.Rect(right - lens_width, top, lens_width, height), line.lens, (-reach, reach))


def _title(canvas: Canvas, frame: pygame.Rect, line: GapTimeline) -> None:
    ui = canvas.ui_scale

    def wide(heading: Heading, size: float) -> int:
        return sum(canvas.fonts.width(words, size, True) for words, _ in heading)

    room = frame.width - 20 * ui
    headings = [*line.title, line.title[-1][-1:]]  # in the least room what is told, without what it is told about
    fitting = [(heading, size) for heading in headings for size in (13.0, 12.0, 11.0) if wide(heading, size) <= room]
    heading, size = fitting[0] if fitting else (headings[-1], 11.0)
    x, end = frame.left + round(10 * ui), frame.right - round(10 * ui)
    for words, color in heading:
        fit = canvas.fonts.shortened(words, size, max(end - x, 1), True)
        x = canvas.text_px((x, frame.top + 14 * ui), fit, color, size, "left", bold=True).right


def _show_lens(canvas: Canvas, overview: Axes, lens: Axes, line: GapTimeline) -> None:
    """Outline the range of the close-up in the overview, and connect the two."""
    surface, ui = canvas.surface, canvas.ui_scale
    (low, high), (bottom, top) = lens.times, lens.gaps
    box = pygame.Rect(0, 0, max(round(overview.x(high) - overview.x(low)), 7), max(round(overview.y(bottom) - overview.y(top)), 9))
    box.center = round(overview.x(0.5 * (low + high))), round(overview.y(0.5 * (bottom + top)))
    color = mix(palette.PANEL_EDGE, palette.TEXT, 0.45)
    pygame.draw.rect(surface, color, box, width=1)
    faint = mix(palette.PANEL, palette.TEXT, 0.2)
    pygame.draw.aaline(surface, faint, box.topright, (overview.place.right, lens.place.top + 1))
    pygame.draw.rect(surface, color, lens.place, width=1)
    zoom = (overview.times[1] - overview.times[0]) / max(high - low, 1e-12) * lens.place.width / max(overview.place.width, 1)
    words = f"close-up, x{zoom:.2g}"
    place = pygame.Rect(0, 0, canvas.fonts.width(words, 11.0) + round(12 * ui), round(14 * ui))
    place.midtop = lens.place.centerx, lens.place.bottom + round(2 * ui)  # between the numbers at both ends
    if not canvas.room.has_words(place):
        canvas.text_px((lens.place.centerx, lens.place.bottom + ui), words, palette.CAPTION, 11.0, "midtop")


def _legend(canvas: Canvas, frame: pygame.Rect, line: GapTimeline) -> None:
    ui = canvas.ui_scale
    entries: dict[str, Mark | None] = {}
    if len(line.walk) > 1:
        entries[f"our algorithm: {len(line.walk)} evaluations"] = None
    for mark in line.marks:
        if mark.legend:
            entries.setdefault(mark.legend, mark)
    size, y = 11.5, frame.bottom - 11.0 * ui
    while size > 8.0 and sum(canvas.fonts.width(words, size) + 24 * ui for words in entries) > frame.width - 16 * ui:
        size -= 0.5
    x = frame.left + 16.0 * ui
    for words, entry in entries.items():
        wide = canvas.fonts.width(words, size) + 24.0 * ui
        if x + wide > frame.right + 8 * ui:
            break
        if entry is None:
            pygame.draw.aaline(canvas.surface, palette.NORMAL, (x - 5 * ui, y - 4 * ui), (x + 5 * ui, y + 4 * ui))
            pygame.draw.circle(canvas.surface, palette.NORMAL, (x - 4 * ui, y - 3 * ui), 2.6 * ui)
        else:
            lift = {"triangle": -4.0, "tick": 3.5}.get(entry.kind, 0.0)
            draw_symbol(canvas.surface, entry, x, y + lift * ui, ui)
        canvas.text_px((x + 9 * ui, y), words, palette.CAPTION, size, "left")
        x += wide


def _tell(canvas: Canvas, frame: pygame.Rect, axes: Axes, line: GapTimeline, pointer: tuple[float, float]) -> None:
    """Write the values under the pointer: of a mark near it, of the curve otherwise."""
    surface, ui = canvas.surface, canvas.ui_scale
    t = min(max(axes.time(pointer[0]), 0.0), 1.0)
    near = min(
        (mark for mark in line.marks if axes.times[0] <= mark.fraction <= axes.times[1]),
        key=lambda mark: math.dist(pointer, (axes.x(mark.fraction), axes.y(mark.gap) if mark.gap is not None else axes.place.bottom)),
        default=None,
    )
    lines: list[tuple[str, Color]] = []
    if near is not None:
        at = axes.x(near.fraction), axes.y(near.gap) if near.gap is not None else float(axes.place.bottom)
        if math.dist(pointer, at) <= _NEAR_MARK * ui:
            t = near.fraction
            lines.append((near.words, near.color))
    gap = line.gap_at(t)
    what = f"gap {length_words(gap)}" if gap >= 0.0 else f"{length_words(-gap)} inside"
    lines.append((f"{t:.4f} of the step = {t * line.milliseconds:.3g} ms: {what}", palette.TEXT))
    x, y = round(axes.x(t)), axes.y(gap)
    pygame.draw.line(surface, mix(palette.BACKGROUND, palette.TEXT, 0.5), (x, axes.place.top), (x, axes.place.bottom))
    if axes.place.collidepoint(x, y):
        pygame.draw.circle(surface, palette.TEXT, (x, y), 3.0 * ui)
    box = pygame.Rect((0, 0), lines_size(canvas.fonts, lines, 12.0))
    box.midbottom = x, frame.top - round(4 * ui)  # over the frame: what is told about stays to be seen
    view = pygame.Rect(canvas.camera.view)
    draw_lines(surface, canvas.fonts, box.clamp(view).topleft, lines, 12.0, 245)
