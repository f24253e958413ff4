"""Readouts: the status strip, text over the picture, wrapped text, sparklines. Sizes are design pixels times the UI scale."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color

__all__ = ["draw_lines", "draw_scroll_bar", "draw_status", "lines_size"]

_Place = tuple[int, int, int, int]

_NOTE_PITCH = 14.0
"""Line height of a long note, design pixels; the strip is two lines high."""


def draw_scroll_bar(surface: pygame.Surface, place: pygame.Rect, content: int, share: float, ui: float) -> None:
    """Draw a scroll bar at the right of a rectangle, for content of a height in pixels, scrolled by `share`, 0 to 1."""
    if content > place.height:
        bar = max(round(24 * ui), place.height * place.height // content)
        at = place.top + int(max(place.height - bar, 0) * share)
        pygame.draw.rect(surface, palette.PANEL_EDGE, (place.right - round(5 * ui), at, round(3 * ui), bar), border_radius=round(2 * ui))


def draw_status(
    surface: pygame.Surface,
    fonts: FontBook,
    place: _Place,
    cells: Sequence[tuple[str, str, Color]],
    right: Sequence[tuple[str, Color]],
    note: tuple[str, Color] | None = None,
) -> None:
    """Draw the strip at the bottom: captions with values on the left, colored text on the right.

    A note precedes them and uses their space; a long note also uses that of the text on the right, and two lines. Cells that do not fit are
    omitted, starting with the last.
    """
    ui = fonts.ui_scale
    left, top, width, height = place
    pygame.draw.rect(surface, palette.PANEL, place)
    x, edge, middle = left + round(12 * ui), left + width - round(12 * ui), top + height // 2 + 1
    if note is not None:
        pictures = [fonts.render(text, 13, color, True) for text, color in right]
        right_width = sum(picture.get_width() + round(14 * ui) for picture in pictures)
        if fonts.width(note[0], 13, True) > edge - right_width - x:
            right = ()
        x = _draw_note(surface, fonts, (x, middle), edge - (right_width if right else 0) - x, note)
        pygame.draw.rect(surface, palette.now(note[1]), (left, top, round(4 * ui), height))
    pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left + width, top))
    for text, color in reversed(right):
        picture = fonts.render(text, 13, color, True)
        edge -= picture.get_width()
        surface.blit(picture, picture.get_rect(midleft=(edge, middle)))
        edge -= round(14 * ui)
    for caption, value, color in cells:
        name, figure = fonts.render(caption, 12, palette.CAPTION), fonts.render(value, 13, color)
        wide = max(figure.get_width(), round(30 * ui))
        if x + name.get_width() + round(5 * ui) + wide > edge:
            break
        surface.blit(name, name.get_rect(midleft=(x, middle)))
        x += name.get_width() + round(5 * ui)
        surface.blit(figure, figure.get_rect(midleft=(x, middle)))
        x += wide + round(14 * ui)


def _draw_note(surface: pygame.Surface, fonts: FontBook, place: tuple[int, int], room: int, note: tuple[str, Color]) -> int:
    """Write a note starting at (left, middle), if necessary smaller and on two lines, then shortened; return its right end."""
    (left, middle), (words, color) = place, note
    size, lines = 13.0, fonts.wrapped(words, 13.0, max(room, 1), True)
    if len(lines) > 1:
        size, lines = 12.0, fonts.wrapped(words, 12.0, max(room, 1), True)
    if len(lines) > 2:
        lines = [lines[0], fonts.shortened(" ".join(lines[1:]), size, max(room, 1), True)]
    pitch = round(_NOTE_PITCH * fonts.ui_scale)
    for k, line in enumerate(lines):
        picture = fonts.render(line, size, color, True)
        surface.blit(picture, picture.get_rect(midleft=(left, middle + round((k - 0.5 * (len(lines) - 1)) * pitch))))
    return left + max(fonts.width(line, size, True) for line in lines) + round(20 * fonts.ui_scale)


def draw_lines(
    surface: pygame.Surface,
    fonts: FontBook,
    place: tuple[int, int],
    lines: Sequence[tuple[str, Color]],
    size: float = 14.0,
    alpha: int = 215,
    head: float | None = None,
) -> None:
    """Write lines on a translucent plate with its upper left corner at `place`; the first, `head`, is bold and has its own size."""
    if not lines:
        return
    ui = fonts.ui_scale
    pad = round(9 * ui)
    _plate(surface, fonts, (*place, *lines_size(fonts, lines, size, head)), alpha, round(6 * ui))
    y = place[1] + round(0.6 * pad)
    for k, (text, color) in enumerate(lines):
        letters, is_bold = (head, True) if k == 0 and head is not None else (size, False)
        surface.blit(fonts.render(text, letters, color, is_bold), (place[0] + pad, y))
        y += round(1.45 * letters * ui)


def lines_size(fonts: FontBook, lines: Sequence[tuple[str, Color]], size: float = 14.0, head: float | None = None) -> tuple[int, int]:
    """Return the width and height of the plate that `draw_lines` draws, pixels."""
    pad, step = round(9 * fonts.ui_scale), round(1.45 * size * fonts.ui_scale)
    wide, high = max((fonts.width(text, size) for text, _ in lines), default=0), step * len(lines)
    if head is not None:
        wide, high = max(wide, fonts.width(lines[0][0], head, True)), high - step + round(1.45 * head * fonts.ui_scale)
    return wide + 2 * pad, high + round(1.4 * pad)


def _plate(surface: pygame.Surface, fonts: FontBook, place: _Place, alpha: int, radius: int) -> None:
    surface.blit(fonts.plate(place[2:], palette.PANEL, alpha, radius, palette.PANEL_EDGE), place[:2])
