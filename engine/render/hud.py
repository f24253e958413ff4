"""Readouts: the status strip under the picture, lines over it, wrapped text, spark lines, the overlay of keys.

Sizes are design pixels times the UI scale. Letters in the overlay stay readable: it scrolls if its content does not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color

__all__ = ["columns_of", "draw_help", "draw_lines", "draw_paragraph", "draw_scroll_bar", "draw_spark", "draw_status", "lines_size"]

_Place = tuple[int, int, int, int]

_NOTE_PITCH = 14.0
"""Design pixels from one line of a long note to the next: the strip is as high as two of them."""


def draw_scroll_bar(surface: pygame.Surface, place: pygame.Rect, content: int, share: float, ui: float) -> None:
    """Draw a scroll bar at the right of a rectangle, for content of a height in pixels, scrolled by `share`, 0 to 1."""
    if content > place.height:
        bar = max(round(24 * ui), place.height * place.height // content)
        at = place.top + int(max(place.height - bar, 0) * share)
        pygame.draw.rect(surface, palette.PANEL_EDGE, (place.right - round(5 * ui), at, round(3 * ui), bar), border_radius=round(2 * ui))


def draw_paragraph(surface: pygame.Surface, fonts: FontBook, text: str, place: tuple[int, int, int], color: Color, size: float) -> int:
    """Write `text` wrapped into (left, top, width); return the y under its last line."""
    left, top, width = place
    step = round(1.42 * size * fonts.ui_scale)
    for line in fonts.wrapped(text, size, width):
        surface.blit(fonts.render(line, size, color), (left, top))
        top += step
    return top


def draw_status(
    surface: pygame.Surface,
    fonts: FontBook,
    place: _Place,
    cells: Sequence[tuple[str, str, Color]],
    right: Sequence[tuple[str, Color]],
    note: tuple[str, Color] | None = None,
) -> None:
    """Draw the strip at the bottom: captions with values from the left, colored words from the right.

    A note stands before them, and takes their room; a long one that of the words at the right too, and two lines. Cells that do
    not fit are left out, from the last, never drawn over others.
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
    """Write a note from (left, middle) on, in smaller letters and two lines if it must be, then shortened; return where it ends."""
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
    """Write lines on a translucent plate with its upper left corner at `place`; the first in bold letters of another size, the `head`."""
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
    """Return width and height of the plate that `draw_lines` makes, pixels."""
    pad, step = round(9 * fonts.ui_scale), round(1.45 * size * fonts.ui_scale)
    wide, high = max((fonts.width(text, size) for text, _ in lines), default=0), step * len(lines)
    if head is not None:
        wide, high = max(wide, fonts.width(lines[0][0], head, True)), high - step + round(1.45 * head * fonts.ui_scale)
    return wide + 2 * pad, high + round(1.4 * pad)


def _plate(surface: pygame.Surface, fonts: FontBook, place: _Place, alpha: int, radius: int) -> None:
    surface.blit(fonts.plate(place[2:], palette.PANEL, alpha, radius, palette.PANEL_EDGE), place[:2])


def columns_of(values: FloatArray, n_columns: int) -> FloatArray:
    """Return the largest value of each of `n_columns` columns, the last values at the right; NaN where there is none.

    Examples
    --------
    >>> columns_of(np.array([1.0, 5.0, 2.0, 3.0]), 2).tolist()
    [5.0, 3.0]
    >>> columns_of(np.array([1.0]), 3).tolist()
    [nan, nan, 1.0]
    """
    per_column = max(1, -(-len(values) // n_columns))
    padded = np.full(n_columns * per_column, np.nan)
    if len(values):
        padded[-len(values) :] = values
    table = padded.reshape(n_columns, per_column)
    is_empty = np.isnan(table).all(axis=1)
    columns: FloatArray = np.where(is_empty, np.nan, np.where(np.isnan(table), -np.inf, table).max(axis=1))
    return columns


def draw_spark(surface: pygame.Surface, place: tuple[int, int, int, int], values: FloatArray, color: Color) -> None:
    """Draw values of 0 and more into (left, top, width, height): the newest at the right, the largest at the top."""
    left, top, width, height = place
    pygame.draw.line(surface, palette.PANEL_EDGE, (left, top + height - 1), (left + width - 1, top + height - 1))
    largest = float(values.max(initial=0.0))
    if largest <= 0.0 or width < 2 or height < 2:
        return
    columns = columns_of(values, max(width // 2, 1))
    pitch = width / len(columns)
    y = top + (height - 2) * (1.0 - columns / largest)
    corners = [(left + (k + 0.5) * pitch, at) for k, at in enumerate(y.tolist()) if at == at]
    if len(corners) >= 2:
        pygame.draw.lines(surface, color, False, corners)
    x, last = corners[-1]
    pygame.draw.rect(surface, color, (round(x) - 1, round(last) - 1, 3, 3))


_Group = tuple[str, Sequence[tuple[str, str]]]
_Piece = tuple[int, int, str, Color, bool]

_SIZES = (13.0, 12.0, 11.0)
"""Font sizes in order of preference: the first at which everything fits, else the last."""
_MAX_COLUMNS = 4
_PAD = 1.8
"""Margin and gap between columns, in font sizes."""
_ROW, _NOTE = 1.7, 1.46
"""Distance between rows of keys, and between lines of a sentence, in font sizes."""
_HEADING = 1.8
"""Height of a heading with the space before it, rows."""
_HINT = 20.0
"""Height of the line that says that there is more, design pixels."""


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
    """Content of the overlay at one font size."""

    size: float
    columns: list[list[_Group]]
    key_widths: list[int]
    widths: list[int]
    """Width of each column without gaps, pixels."""
    keys_height: int
    pieces: list[_Piece]
    width: int
    height: int

    @classmethod
    def of(cls, fonts: FontBook, groups: Sequence[_Group], notes: Sequence[tuple[str, str]], size: float, room: int) -> _Page:
        """Arrange the groups in as many columns as fit in `room` pixels."""
        pad = round(_PAD * size * fonts.ui_scale)
        for n_columns in range(min(len(groups), _MAX_COLUMNS), 0, -1):
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
        """Draw the overlay with its upper left corner there."""
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
    """Assign each group to the shortest column so far."""
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
    """Return the notes as (line, indent, words, color, bold), and the number of lines; a note's word stands before its first line."""
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
    """Draw the scroll bar at the right, and a line below that says that there is more."""
    ui = fonts.ui_scale
    band = pygame.Rect(frame.x + 1, frame.bottom - round(_HINT * ui), frame.w - 2, round(_HINT * ui) - 1)
    pygame.draw.line(surface, palette.PANEL_EDGE, band.topleft, (band.right - 1, band.top))
    words = "more above: wheel or Page Up" if share >= 1.0 else "more below: wheel or Page Down"
    text = fonts.render(fonts.shortened(words, 11.0, max(band.w, 1), True), 11.0, palette.ACCENT, True)
    surface.blit(text, text.get_rect(center=band.center))
    draw_scroll_bar(surface, pygame.Rect(frame.x, frame.y, frame.w, band.top - frame.top), height, share, ui)
