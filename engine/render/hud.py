"""Readouts: the status strip, text over the picture, wrapped text, sparklines. Sizes are design pixels times the UI scale."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color

__all__ = ["draw_lines", "draw_scroll_bar", "draw_status", "lines_size", "verdict_places"]

_Place = tuple[int, int, int, int]

_NOTE_PITCH = 14.0
"""Line height of a long note, design pixels; the strip is two lines high."""
_STRIP_SIZES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Sizes of the strip's text, tried in this order, as shares of the usual one."""
_LEGIBLE = 9.0
"""Minimum size of the strip's text, pixels."""


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
    """Draw the strip at the bottom: captions with values on the left, colored text on the right (`verdict_places`).

    A note precedes them and uses their space; a long note also uses that of the text on the right, and two lines. Text is smaller if it
    does not fit; cells that do not fit even so are omitted, starting with the last.
    """
    ui = fonts.ui_scale
    left, top, width, height = place
    pygame.draw.rect(surface, palette.PANEL, place)
    x, middle = left + round(12 * ui), top + height // 2 + 1
    beside = () if note is not None else cells  # a note leaves room for few of them
    if note is not None:
        right_width = sum(where.width + round(14 * ui) for where in verdict_places(fonts, place, beside, right))
        edge = left + width - round(12 * ui)
        if fonts.width(note[0], 13, True) > edge - right_width - x:
            right = ()
        x = _draw_note(surface, fonts, (x, middle), edge - (right_width if right else 0) - x, note)
        pygame.draw.rect(surface, palette.now(note[1]), (left, top, round(4 * ui), height))
    pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left + width, top))
    share, edge = _fitting_share(fonts, width, beside, right), left + width - round(12 * ui)
    for (text, color), where in zip(right, verdict_places(fonts, place, beside, right), strict=True):
        surface.blit(fonts.render(text, 13 * share, color, True), where)
        edge = min(edge, where.left - round(14 * ui))
    for cell in cells:
        if x + _cell_width(fonts, cell, share) > edge:
            break
        caption, value, color = cell
        name, figure = fonts.render(caption, 12 * share, palette.CAPTION), fonts.render(value, 13 * share, color)
        surface.blit(name, name.get_rect(midleft=(x, middle)))
        surface.blit(figure, figure.get_rect(midleft=(x + name.get_width() + round(5 * ui), middle)))
        x += _cell_width(fonts, cell, share) + round(14 * ui)


def verdict_places(
    fonts: FontBook, place: _Place, cells: Sequence[tuple[str, str, Color]], right: Sequence[tuple[str, Color]]
) -> list[pygame.Rect]:
    """Return the rectangles of the texts on the right of the strip."""
    ui, (left, top, width, height) = fonts.ui_scale, place
    share, edge, places = _fitting_share(fonts, width, cells, right), left + width - round(12 * ui), list[pygame.Rect]()
    for text, color in reversed(right):
        picture = fonts.render(text, 13 * share, color, True)
        edge -= picture.get_width()
        places.append(picture.get_rect(midleft=(edge, top + height // 2 + 1)))
        edge -= round(14 * ui)
    return places[::-1]


def _fitting_share(fonts: FontBook, width: int, cells: Sequence[tuple[str, str, Color]], right: Sequence[tuple[str, Color]]) -> float:
    """Return the share of the usual text size at which the strip's text fits, or that of the smallest legible text."""

    def wide(share: float) -> float:
        gaps = round(14 * fonts.ui_scale) * (len(cells) + len(right)) + round(24 * fonts.ui_scale)
        return gaps + sum(_cell_width(fonts, cell, share) for cell in cells) + sum(fonts.width(text, 13 * share, True) for text, _ in right)

    legible = [share for share in _STRIP_SIZES if 13 * share * fonts.ui_scale >= _LEGIBLE] or [1.0]
    return next((share for share in legible if wide(share) <= width), legible[-1])


def _cell_width(fonts: FontBook, cell: tuple[str, str, Color], share: float) -> int:
    ui, (caption, value, _) = fonts.ui_scale, cell
    return fonts.width(caption, 12 * share) + round(5 * ui) + max(fonts.width(value, 13 * share), round(30 * share * ui))


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
