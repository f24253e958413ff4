"""The overlay of keys: groups of (key, meaning) in columns, sentences under them; scrolled where the window is too low for them.

Sizes are design pixels times the UI scale. Letters never become smaller than can be read: what has no room then is scrolled to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pygame

from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color

__all__ = ["draw_help"]

_Place = tuple[int, int, int, int]
_Group = tuple[str, Sequence[tuple[str, str]]]
_Piece = tuple[int, int, str, Color, bool]

_SIZES = (13.0, 12.0, 11.0)
"""Of the letters, the first at which there is room for everything, else the last."""
_MOST_COLUMNS = 4
_PAD = 1.8
"""Around everything and between columns, in sizes of the letters."""
_ROW, _NOTE = 1.7, 1.46
"""From one row of keys, and one line of a sentence, to the next, in sizes of the letters."""
_HEADING = 1.8
"""Rows a heading takes, with the space before it."""
_HINT = 20.0
"""Height of the words that there is more below, design pixels."""


def draw_help(
    surface: pygame.Surface,
    fonts: FontBook,
    view: _Place,
    groups: Sequence[_Group],
    notes: Sequence[tuple[str, str]] = (),
    scrolled: int = 0,
) -> int:
    """Draw groups of (key, meaning) under headings, and under them `notes`, (word, sentence) over the whole width.

    `scrolled` pixels of them are above the plate; return how many can be.
    """
    veil = pygame.Surface(view[2:], pygame.SRCALPHA)
    veil.fill((*palette.BACKGROUND, 170))
    surface.blit(veil, view[:2])
    for size in _SIZES:
        page = _Page.of(fonts, groups, notes, size, view[2])
        if page.height <= view[3]:
            break
    frame = pygame.Rect(0, 0, min(page.width, view[2]), min(page.height, view[3]))
    frame.center = view[0] + view[2] // 2, view[1] + view[3] // 2
    radius = round(8 * fonts.ui_scale)
    surface.blit(fonts.plate(frame.size, palette.PANEL, 255, radius, palette.PANEL_EDGE), frame.topleft)
    hint = round(_HINT * fonts.ui_scale) if page.height > frame.height else 0
    most = max(page.height - frame.height, 0) + hint
    scrolled = min(max(scrolled, 0), most)
    clip = surface.get_clip()
    surface.set_clip(pygame.Rect(frame.x, frame.y + 1, frame.w, frame.h - 2 - hint).clip(clip))
    page.draw(surface, fonts, (frame.x, frame.y - scrolled))
    surface.set_clip(clip)
    if hint:
        _draw_more(surface, fonts, frame, scrolled / most, page.height)
    return most


@dataclass(frozen=True, slots=True)
class _Page:
    """What is to be drawn, in letters of one size."""

    size: float
    columns: list[list[_Group]]
    key_widths: list[int]
    widths: list[int]
    """Of each column, without what is between them."""
    keys_height: int
    pieces: list[_Piece]
    width: int
    height: int

    @classmethod
    def of(cls, fonts: FontBook, groups: Sequence[_Group], notes: Sequence[tuple[str, str]], size: float, room: int) -> _Page:
        """Deal the groups to as many columns as `room` pixels are wide enough for."""
        pad = round(_PAD * size * fonts.ui_scale)
        for n_columns in range(min(len(groups), _MOST_COLUMNS), 0, -1):
            columns = _dealt(groups, n_columns)
            key_widths = [_widest(fonts, [key for _, rows in column for key, _ in rows], size, bold=True) for column in columns]
            key_widths = [width + round(1.4 * size * fonts.ui_scale) for width in key_widths]
            texts = [_widest(fonts, [words for _, rows in column for _, words in rows], size) for column in columns]
            widths = [key + text for key, text in zip(key_widths, texts, strict=True)]
            width = sum(widths) + pad * (n_columns + 1)
            if width <= room:
                break
        width = min(width, room)
        row = _ROW * size * fonts.ui_scale
        keys_height = round(max(sum(len(rows) + _HEADING for _, rows in column) for column in columns) * row)
        pieces, n_lines = _note_pieces(fonts, notes, size, width - 2 * pad)
        notes_height = round(n_lines * _NOTE * size * fonts.ui_scale) + pad if notes else 0
        return cls(size, columns, key_widths, widths, keys_height, pieces, width, keys_height + notes_height + 2 * pad)

    def draw(self, surface: pygame.Surface, fonts: FontBook, corner: tuple[int, int]) -> None:
        """Draw it with its upper left corner there."""
        pad = round(_PAD * self.size * fonts.ui_scale)
        left, top = corner[0] + pad, corner[1] + pad
        x = left
        for column, key_width, width in zip(self.columns, self.key_widths, self.widths, strict=True):
            room = corner[0] + self.width - pad - x - key_width
            _draw_keys(surface, fonts, (x, top), column, self.size, (key_width, room))
            x += width + pad
        line_height = _NOTE * self.size * fonts.ui_scale
        for line, indent, words, color, bold in self.pieces:
            y = top + self.keys_height + pad + line * line_height
            surface.blit(fonts.render(words, self.size, color, bold), (left + indent, round(y)))


def _dealt(groups: Sequence[_Group], n_columns: int) -> list[list[_Group]]:
    """Deal the groups to columns, each to the shortest so far."""
    columns: list[list[_Group]] = [[] for _ in range(n_columns)]
    lengths = [0.0] * n_columns
    for title, rows in groups:
        into = lengths.index(min(lengths))
        columns[into].append((title, rows))
        lengths[into] += len(rows) + _HEADING
    return columns


def _widest(fonts: FontBook, words: Sequence[str], size: float, *, bold: bool = False) -> int:
    return max((fonts.width(text, size, bold) for text in words), default=0)


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


def _draw_keys(
    surface: pygame.Surface, fonts: FontBook, place: tuple[int, int], column: Sequence[_Group], size: float, widths: tuple[int, int]
) -> None:
    """Draw a column: keys in a width, meanings beside them in what is left of the plate."""
    x, row = place[0], _ROW * size * fonts.ui_scale
    y = float(place[1])
    for title, rows in column:
        surface.blit(fonts.render(title, size, palette.ACCENT, True), (x, round(y + 0.6 * row)))
        y += _HEADING * row
        for key, words in rows:
            cap = fonts.render(key, size, palette.TEXT, True)
            box = pygame.Rect(x, round(y), cap.get_width() + round(0.8 * size * fonts.ui_scale), round(0.88 * row))
            pygame.draw.rect(surface, palette.PANEL_RAISED, box, border_radius=round(0.3 * size * fonts.ui_scale))
            surface.blit(cap, cap.get_rect(center=box.center))
            text = fonts.render(fonts.shortened(words, size, max(widths[1], 1)), size, palette.TEXT)
            surface.blit(text, text.get_rect(midleft=(x + widths[0], box.centery)))
            y += row


def _draw_more(surface: pygame.Surface, fonts: FontBook, frame: pygame.Rect, share: float, height: int) -> None:
    """Draw what says that there is more: the bar at the right, and words under what is seen."""
    ui = fonts.ui_scale
    band = pygame.Rect(frame.x + 1, frame.bottom - round(_HINT * ui), frame.w - 2, round(_HINT * ui) - 1)
    pygame.draw.line(surface, palette.PANEL_EDGE, band.topleft, (band.right - 1, band.top))
    words = "more above: wheel or Page Up" if share >= 1.0 else "more below: wheel or Page Down"
    text = fonts.render(fonts.shortened(words, 11.0, max(band.w, 1), True), 11.0, palette.ACCENT, True)
    surface.blit(text, text.get_rect(center=band.center))
    seen = band.top - frame.top
    bar = max(round(24 * ui), seen * seen // max(height, 1))
    at = frame.top + round(max(seen - bar, 0) * share)
    pygame.draw.rect(surface, palette.PANEL_EDGE, (frame.right - round(6 * ui), at, round(3 * ui), bar), border_radius=round(2 * ui))
