"""Where the rows of a column lie: each under the one before it, scrolled together in a place that may be lower than they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pygame

from engine.editor.rows import Choice, Heading, Line, Note, Number, Row
from engine.render.camera import Place
from engine.render.fonts import FontBook

__all__ = ["NOTE_SIZE", "NOTE_STEP", "PAD", "Laid", "Sheet"]

PAD = 12.0
"""Design pixels beside what stands in a row."""
NOTE_SIZE, NOTE_STEP = 11.0, 15.0
"""Design pixels of the letters of a note, and from one of its lines to the next."""
_ROW, _LINE, _HEADING = 25.0, 18.0, 24.0
_CHOICE = 45.0
"""Design pixels of a choice: its name above its words."""
_FOOT = 10.0
"""Design pixels under the last row."""
_NUMBER_SHARE, _TEXT_SHARE = 0.41, 0.68
"""Of the row's width, for the box of a number and of a text."""
_STEPPER = 19.0


@dataclass(frozen=True, slots=True)
class Laid:
    """A row, pixels from the top of the sheet, its height, and the lines of a note."""

    row: Row
    top: int
    height: int
    lines: tuple[str, ...] = ()


class Sheet:
    """Rows in a place; all rectangles are pixels of the window.

    Parameters
    ----------
    rows : sequence of Row
    place : (left, top, width, height)
    fonts : FontBook
    scrolled : int
        Pixels of the sheet above its place; no more than there are.
    """

    def __init__(self, rows: Sequence[Row], place: Place, fonts: FontBook, scrolled: int = 0) -> None:
        self.place, self.fonts = pygame.Rect(place), fonts
        laid: list[Laid] = []
        self.height = 0
        """Pixels of all rows."""
        for row in rows:
            lines = tuple(fonts.wrapped(row.words, NOTE_SIZE, max(self.place.width - 2 * self.px(PAD), 1))) if isinstance(row, Note) else ()
            laid.append(Laid(row, self.height, self.px(_height(row, len(lines))), lines))
            self.height += laid[-1].height
        self.laid = tuple(laid)
        self.height += self.px(_FOOT)
        self.scrolled = 0
        self.scroll(scrolled)

    def px(self, design: float) -> int:
        """Return design pixels as pixels."""
        return round(design * self.fonts.ui_scale)

    def scroll(self, by: int) -> None:
        """Move the sheet up by so many pixels, as far as there is more below, or down, as far as there is more above."""
        self.scrolled = min(max(self.scrolled + by, 0), max(self.height - self.place.height, 0))

    def show(self, one: Laid) -> None:
        """Scroll a row into sight."""
        below = one.top + one.height - self.place.height
        self.scroll(min(max(self.scrolled, below), one.top) - self.scrolled)

    def at(self, pixel: tuple[int, int]) -> Laid | None:
        """Return the row at a pixel."""
        return next((one for one in self.laid if self.rect(one).collidepoint(pixel)), None)

    def rect(self, one: Laid) -> pygame.Rect:
        """Return where a row is."""
        return pygame.Rect(self.place.left, self.place.top + one.top - self.scrolled, self.place.width, one.height)

    def field_rects(self, one: Laid) -> tuple[pygame.Rect, pygame.Rect, pygame.Rect]:
        """Return the box of a field's value, and the two buttons, which a text has not."""
        rect, is_number = self.rect(one), isinstance(one.row, Number)
        whole = pygame.Rect(0, 0, round((_NUMBER_SHARE if is_number else _TEXT_SHARE) * rect.width), rect.height - self.px(4))
        whole.midright = rect.right - self.px(PAD), rect.centery
        side = self.px(_STEPPER) if is_number else 0
        less = pygame.Rect(whole.left, whole.top, side, whole.height)
        more = pygame.Rect(whole.right - side, whole.top, side, whole.height)
        return pygame.Rect(less.right, whole.top, whole.width - 2 * side, whole.height), less, more

    def choice_rects(self, one: Laid) -> list[pygame.Rect]:
        """Return where the words of a choice are."""
        assert isinstance(one.row, Choice)
        rect, pad, gap, n = self.rect(one), self.px(PAD), self.px(3), len(one.row.words)
        wide = (rect.width - 2 * pad - (n - 1) * gap) / n
        top, high = rect.top + self.px(19), rect.height - self.px(23)
        return [pygame.Rect(round(rect.left + pad + k * (wide + gap)), top, round(wide), high) for k in range(n)]


def _height(row: Row, n_lines: int) -> float:
    """Return design pixels of a row."""
    if isinstance(row, Note):
        return NOTE_STEP * n_lines + 5.0
    return {Heading: _HEADING, Line: _LINE, Choice: _CHOICE}.get(type(row), _ROW)
