"""Readouts over the picture: status strip, key help, notices, wrapped text. Sizes in design pixels times the UI scale."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color

__all__ = ["draw_help", "draw_lines", "draw_notice", "draw_paragraph", "draw_status", "lines_size"]

_Place = tuple[int, int, int, int]
_Group = tuple[str, Sequence[tuple[str, str]]]
_Groups = Sequence[_Group]


def draw_paragraph(surface: pygame.Surface, fonts: FontBook, text: str, place: tuple[int, int, int], color: Color, size: float) -> int:
    """Write `text` wrapped into (left, top, width); return the y under its last line."""
    left, top, width = place
    step = round(1.42 * size * fonts.ui_scale)
    for line in fonts.wrapped(text, size, width):
        surface.blit(fonts.render(line, size, color), (left, top))
        top += step
    return top


def draw_status(
    surface: pygame.Surface, fonts: FontBook, place: _Place, cells: Sequence[tuple[str, str, Color]], right: Sequence[tuple[str, Color]]
) -> None:
    """Draw the strip at the bottom: captions with values from the left, coloured words from the right.

    Cells that find no room are left out, from the last one, never drawn over others.
    """
    ui = fonts.ui_scale
    left, top, width, height = place
    pygame.draw.rect(surface, palette.PANEL, place)
    pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left + width, top))
    middle = top + height // 2 + 1
    edge = left + width - round(12 * ui)
    for text, color in reversed(right):
        picture = fonts.render(text, 13, color, True)
        edge -= picture.get_width()
        surface.blit(picture, picture.get_rect(midleft=(edge, middle)))
        edge -= round(14 * ui)
    x = left + round(12 * ui)
    for caption, value, color in cells:
        name, figure = fonts.render(caption, 12, palette.CAPTION), fonts.render(value, 13, color)
        wide = max(figure.get_width(), round(30 * ui))
        if x + name.get_width() + round(5 * ui) + wide > edge:
            break
        surface.blit(name, name.get_rect(midleft=(x, middle)))
        x += name.get_width() + round(5 * ui)
        surface.blit(figure, figure.get_rect(midleft=(x, middle)))
        x += wide + round(14 * ui)


def draw_lines(
    surface: pygame.Surface,
    fonts: FontBook,
    place: tuple[int, int],
    lines: Sequence[tuple[str, Color]],
    size: float = 14.0,
    alpha: int = 215,
) -> None:
    """Write lines on a translucent plate with its upper left corner at `place`."""
    if not lines:
        return
    ui = fonts.ui_scale
    pad, step = round(9 * ui), round(1.45 * size * ui)
    pictures = [fonts.render(text, size, color) for text, color in lines]
    _plate(surface, fonts, (*place, *lines_size(fonts, lines, size)), alpha, round(6 * ui))
    for k, picture in enumerate(pictures):
        surface.blit(picture, (place[0] + pad, place[1] + round(0.6 * pad) + k * step))


def lines_size(fonts: FontBook, lines: Sequence[tuple[str, Color]], size: float = 14.0) -> tuple[int, int]:
    """Return width and height of the plate that `draw_lines` makes, pixels."""
    pad, step = round(9 * fonts.ui_scale), round(1.45 * size * fonts.ui_scale)
    return max((fonts.width(text, size) for text, _ in lines), default=0) + 2 * pad, step * len(lines) + round(1.4 * pad)


def draw_notice(
    surface: pygame.Surface, fonts: FontBook, view: _Place, text: str, color: Color, keep: Sequence[pygame.Rect] = ()
) -> pygame.Rect:
    """Write on a plate at the bottom middle of the view, above those of the places in `keep` that it would lie on; return its place.

    In as many lines as are needed; where they are higher than the view, the last that fits ends in "…".
    """
    ui = fonts.ui_scale
    room = view[2] - round(40 * ui)
    lines = fonts.wrapped(text, 14, max(room, 1), bold=True)
    most = max((view[3] - round(60 * ui)) // fonts.font(14, True).get_linesize(), 1)
    if len(lines) > most:
        lines = [*lines[: most - 1], fonts.shortened(f"{lines[most - 1]} …", 14, max(room, 1), bold=True)]
    pictures = [fonts.render(line, 14, color, True) for line in lines]
    height = sum(picture.get_height() for picture in pictures)
    rect = pygame.Rect(0, 0, max(picture.get_width() for picture in pictures), height)
    rect.midbottom = view[0] + view[2] // 2, view[1] + view[3] - round(18 * ui)
    outer = rect.inflate(round(24 * ui), round(12 * ui))
    hit = [place.top for place in keep if place.colliderect(outer)]
    if hit:
        rise = outer.bottom - min(hit) + round(6 * ui)
        rect.y, outer.y = rect.y - rise, outer.y - rise
    _plate(surface, fonts, (outer.x, outer.y, outer.w, outer.h), 225, round(6 * ui), color)
    top = rect.top
    for picture in pictures:
        surface.blit(picture, picture.get_rect(midtop=(rect.centerx, top)))
        top += picture.get_height()
    return outer


def draw_help(surface: pygame.Surface, fonts: FontBook, view: _Place, groups: _Groups, notes: Sequence[tuple[str, str]] = ()) -> None:
    """Draw the overlay of keys: groups of (key, meaning) under headings, in as many columns as fit, smaller where they do not.

    `notes` are (word, sentence) written under them over the whole width.
    """
    veil = pygame.Surface(view[2:], pygame.SRCALPHA)
    veil.fill((*palette.BACKGROUND, 170))
    surface.blit(veil, view[:2])
    for size in (13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0):
        pad = round(1.8 * size * fonts.ui_scale)
        columns, width, keys_height = _columns(fonts, groups, size, view[2] - 2 * pad)
        whole = width * len(columns) - round(1.8 * size * fonts.ui_scale)
        pieces, n_lines = _note_pieces(fonts, notes, size, whole)
        height = keys_height + (round(n_lines * 0.86 * _row(fonts, size)) + pad if notes else 0)
        if height <= view[3] - 2 * pad and whole <= view[2] - 2 * pad:
            break
    left, top = view[0] + max((view[2] - whole) // 2, pad), view[1] + max((view[3] - height) // 2, 0)
    frame = pygame.Rect(left, top, whole, height).inflate(2 * pad, 2 * pad).clip(pygame.Rect(view))
    _plate(surface, fonts, (frame.x, frame.y, frame.w, frame.h), 255, round(8 * fonts.ui_scale))
    for k, column in enumerate(columns):
        _draw_keys(surface, fonts, (left + k * width, top), column, size, _key_width(fonts, groups, size))
    for line, indent, words, color, bold in pieces:
        y = top + keys_height + pad + line * 0.86 * _row(fonts, size)
        surface.blit(fonts.render(words, size, color, bold), (left + indent, round(y)))


_Piece = tuple[int, int, str, Color, bool]


def _note_pieces(fonts: FontBook, notes: Sequence[tuple[str, str]], size: float, width: int) -> tuple[list[_Piece], int]:
    """Return the notes as (line, indent, words, colour, bold), and the number of lines; a note's word stands before its first line."""
    indent = max((fonts.width(f"{word}  ", size, True) for word, sentence in notes if sentence), default=0)
    pieces: list[_Piece] = []
    line = 0
    for word, sentence in notes:
        if sentence:
            pieces.append((line, 0, word, palette.EXPLAINED, True))
        inner = indent if sentence else 0
        wrapped = fonts.wrapped(sentence or word, size, max(width - inner, 1))
        pieces += [(line + k, inner, words, palette.TEXT, False) for k, words in enumerate(wrapped)]
        line += len(wrapped)
    return pieces, line


def _columns(fonts: FontBook, groups: _Groups, size: float, room: int) -> tuple[list[list[_Group]], int, int]:
    """Return the groups dealt to columns, each to the shortest so far, and the width of a column and the height of the longest."""
    gap = round(1.8 * size * fonts.ui_scale)
    text = max(fonts.width(words, size) for _, rows in groups for _, words in rows)
    width = _key_width(fonts, groups, size) + text + gap
    n_columns = max(1, min(len(groups), _MOST_COLUMNS, (room - gap) // width))
    columns: list[list[_Group]] = [[] for _ in range(n_columns)]
    lengths = [0.0] * n_columns
    for title, rows in groups:
        into = lengths.index(min(lengths))
        columns[into].append((title, rows))
        lengths[into] += len(rows) + _HEADING
    return columns, width, round(max(lengths) * _row(fonts, size))


_MOST_COLUMNS = 3
_HEADING = 1.8
"""Rows a heading takes, with the space before it."""


def _row(fonts: FontBook, size: float) -> float:
    return 1.7 * size * fonts.ui_scale


def _key_width(fonts: FontBook, groups: _Groups, size: float) -> int:
    return max(fonts.width(key, size, True) for _, rows in groups for key, _ in rows) + round(1.4 * size * fonts.ui_scale)


def _draw_keys(surface: pygame.Surface, fonts: FontBook, place: tuple[int, int], column: _Groups, size: float, key_width: int) -> None:
    x, row = place[0], _row(fonts, size)
    y = float(place[1])
    for title, rows in column:
        surface.blit(fonts.render(title, size, palette.ACCENT, True), (x, round(y + 0.6 * row)))
        y += _HEADING * row
        for key, words in rows:
            cap = fonts.render(key, size, palette.TEXT, True)
            box = pygame.Rect(x, round(y), cap.get_width() + round(0.8 * size * fonts.ui_scale), round(0.88 * row))
            pygame.draw.rect(surface, palette.PANEL_RAISED, box, border_radius=round(0.3 * size * fonts.ui_scale))
            surface.blit(cap, cap.get_rect(center=box.center))
            text = fonts.render(words, size, palette.TEXT)
            surface.blit(text, text.get_rect(midleft=(x + key_width, box.centery)))
            y += row


def _plate(surface: pygame.Surface, fonts: FontBook, place: _Place, alpha: int, radius: int, edge: Color | None = None) -> None:
    surface.blit(fonts.plate(place[2:], palette.PANEL, alpha, radius, palette.PANEL_EDGE if edge is None else edge), place[:2])
