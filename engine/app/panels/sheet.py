"""Where the rows of a form lie, each under the one before it, scrolled together; and how they look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pygame

from engine.app.editor.rows import Choice, Heading, Line, Note, Number, Row, Switch, Text
from engine.render import palette
from engine.render.camera import Place
from engine.render.fonts import FontBook
from engine.render.hud import draw_scroll_bar
from engine.render.palette import Color, mix

__all__ = ["NOTE_SIZE", "NOTE_STEP", "PAD", "Laid", "Sheet", "Typing", "draw_sheet"]

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
    """Rows in a place (left, top, width, height), scrolled by as many pixels as there are; all rectangles are pixels of the window."""

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


_SIZE, _WORD_SIZE = 12.5, 12.0
"""Design pixels of letters, and of the words of a choice."""
_VALUE_SHARE = 0.62
"""Of the row's width, for a value that is only told."""


@dataclass(frozen=True, slots=True)
class Typing:
    """What is typed: the field's name, the text so far, and whether the first key replaces what the field shows."""

    name: str
    text: str
    is_fresh: bool = False


def draw_sheet(surface: pygame.Surface, sheet: Sheet, typing: Typing | None, pointer: tuple[int, int] | None) -> None:
    """Draw the rows that are in sight, and a bar that tells how many there are."""
    if sheet.place.width < 1:
        return
    clip = surface.get_clip()
    surface.set_clip(sheet.place.clip(clip))
    painter = _Painter(surface, sheet, typing, pointer)
    for one in sheet.laid:
        rect = sheet.rect(one)
        if rect.bottom >= sheet.place.top and rect.top <= sheet.place.bottom:
            painter.row(one, rect)
    draw_scroll_bar(surface, sheet.place, sheet.height, sheet.scrolled / max(sheet.height - sheet.place.height, 1), sheet.fonts.ui_scale)
    if pointer is not None and typing is None:
        painter.plate(pointer)
    surface.set_clip(clip)


class _Painter:
    """Draws on one surface, in one frame."""

    def __init__(self, surface: pygame.Surface, sheet: Sheet, typing: Typing | None, pointer: tuple[int, int] | None) -> None:
        self._surface, self._sheet, self._typing, self._pointer = surface, sheet, typing, pointer
        self._fonts, self._px = sheet.fonts, sheet.px

    def row(self, one: Laid, rect: pygame.Rect) -> None:
        row, left = one.row, rect.left + self._px(PAD)
        if isinstance(row, Heading):
            words = self._fonts.render(row.words.upper(), 11.0, palette.CAPTION, True)
            self._surface.blit(words, words.get_rect(bottomleft=(left, rect.bottom - self._px(3))))
        elif isinstance(row, Note):
            for k, line in enumerate(one.lines):
                self._surface.blit(self._fonts.render(line, NOTE_SIZE, palette.CAPTION), (left, rect.top + self._px(NOTE_STEP) * k))
        elif isinstance(row, Line):
            self._line(row, rect)
        elif isinstance(row, Switch):
            self._switch(row, rect)
        elif isinstance(row, Choice):
            self._choice(one, row, rect)
        else:
            self._field(one, row, rect)

    def plate(self, pointer: tuple[int, int]) -> None:
        """Draw what the row under the pointer does, below it, or above where there is no room."""
        one = self._sheet.at(pointer)
        if one is None or not isinstance(one.row, Number | Switch | Choice | Text) or not one.row.says:
            return
        rect, place, pad = self._sheet.rect(one), self._sheet.place, self._px(PAD)
        lines = self._fonts.wrapped(one.row.says, NOTE_SIZE, rect.width - 4 * pad)
        plate = pygame.Rect(rect.left + pad, rect.bottom, rect.width - 2 * pad, self._px(NOTE_STEP) * len(lines) + pad)
        if plate.bottom > place.bottom:
            plate.bottom = rect.top
        self._box(plate)
        for k, line in enumerate(lines):
            at = plate.left + pad, plate.top + pad // 2 + self._px(NOTE_STEP) * k
            self._surface.blit(self._fonts.render(line, NOTE_SIZE, palette.TEXT), at)

    def _line(self, row: Line, rect: pygame.Rect) -> None:
        pad = self._px(PAD)
        value = self._fitted(row.value, _SIZE, round(_VALUE_SHARE * rect.width) - pad)
        self._surface.blit(value, value.get_rect(midright=(rect.right - pad, rect.centery)))
        name = self._fitted(row.name, _SIZE, rect.width - 2 * pad - value.get_width() - self._px(6), palette.CAPTION)
        self._surface.blit(name, name.get_rect(midleft=(rect.left + pad, rect.centery)))

    def _switch(self, row: Switch, rect: pygame.Rect) -> None:
        pad, size = self._px(PAD), self._px(16)
        box = pygame.Rect(0, 0, round(1.8 * size), size)
        box.midright = rect.right - pad, rect.centery
        name = self._fitted(row.name, _SIZE, box.left - rect.left - 2 * pad)
        self._surface.blit(name, name.get_rect(midleft=(rect.left + pad, rect.centery)))
        ground = mix(palette.PANEL, palette.ACCENT, 0.6) if row.value and not row.is_mixed else palette.PANEL_RAISED
        pygame.draw.rect(self._surface, ground, box, border_radius=size // 2)
        pygame.draw.rect(self._surface, palette.PANEL_EDGE, box, 1, border_radius=size // 2)
        x = box.centerx if row.is_mixed else box.right - size // 2 if row.value else box.left + size // 2
        pygame.draw.circle(self._surface, palette.TEXT if row.value else palette.CAPTION, (x, box.centery), size // 2 - 3)

    def _choice(self, one: Laid, row: Choice, rect: pygame.Rect) -> None:
        name = self._fonts.render(row.name, _SIZE, palette.TEXT)
        self._surface.blit(name, name.get_rect(topleft=(rect.left + self._px(PAD), rect.top)))
        for word, button in zip(row.words, self._sheet.choice_rects(one), strict=True):
            self._box(button, is_chosen=word == row.value and not row.is_mixed)
            text = self._fitted(word, _WORD_SIZE, button.width - self._px(4))
            self._surface.blit(text, text.get_rect(center=button.center))

    def _field(self, one: Laid, row: Number | Text, rect: pygame.Rect) -> None:
        box, less, more = self._sheet.field_rects(one)
        left = rect.left + self._px(PAD)
        name, room = row.name, less.left - self._px(6) - left
        if isinstance(row, Number) and row.unit and self._fonts.width(f"{name}  {row.unit}", _SIZE) <= room:
            name = f"{name}  {row.unit}"
        caption = self._fitted(name, _SIZE, room)
        self._surface.blit(caption, caption.get_rect(midleft=(left, rect.centery)))
        typing = self._typing if self._typing is not None and self._typing.name == row.name else None
        self._box(less.union(more), is_lit=typing is not None)
        if isinstance(row, Number) and row.span is not None and typing is None:
            full = box.inflate(0, -2)
            full.width = round(row.share * full.width)
            pygame.draw.rect(self._surface, mix(palette.PANEL_RAISED, palette.ACCENT, 0.35), full)
        clip = self._surface.get_clip()
        self._surface.set_clip(box.inflate(-self._px(4), 0).clip(clip))
        if typing is None:  # a number whose end is missing would be another number: it gets dots
            words = self._fitted(
                "several" if row.is_mixed else row.shown(),
                _SIZE,
                box.width - self._px(8),
                palette.CAPTION if row.is_mixed else palette.TEXT,
            )
            self._surface.blit(words, words.get_rect(center=box.center))
        else:
            self._typed(typing, box)
        self._surface.set_clip(clip)
        if isinstance(row, Number):
            self._stepper(less, is_plus=False)
            self._stepper(more, is_plus=True)

    def _typed(self, typing: Typing, box: pygame.Rect) -> None:
        """Draw what is typed, its end in sight, and where the next letter comes; marked, as long as that replaces it."""
        text = self._fonts.render(typing.text or " ", _SIZE, palette.TEXT)
        place = text.get_rect(center=box.center)
        if text.get_width() > box.width - self._px(8):
            place.midright = box.right - self._px(4), box.centery
        if typing.is_fresh and typing.text:
            pygame.draw.rect(self._surface, mix(palette.PANEL, palette.ACCENT, 0.5), place.inflate(self._px(4), 0))
        self._surface.blit(text, place)
        if not typing.is_fresh:
            x = place.right + 1
            pygame.draw.line(self._surface, palette.ACCENT, (x, box.top + 4), (x, box.bottom - 5), 1)

    def _stepper(self, button: pygame.Rect, is_plus: bool) -> None:
        """Draw a minus or a plus."""
        is_under = self._pointer is not None and button.collidepoint(self._pointer)
        tone, reach, wide = palette.TEXT if is_under else palette.CAPTION, self._px(4), max(1, self._px(1.5))
        x, y = button.center
        pygame.draw.line(self._surface, tone, (x - reach, y), (x + reach, y), wide)
        if is_plus:
            pygame.draw.line(self._surface, tone, (x, y - reach), (x, y + reach), wide)

    def _box(self, rect: pygame.Rect, is_chosen: bool = False, is_lit: bool = False) -> None:
        ground = mix(palette.PANEL, palette.ACCENT, 0.42) if is_chosen else palette.PANEL_RAISED
        pygame.draw.rect(self._surface, ground, rect, border_radius=self._px(4))
        edge = palette.ACCENT if is_lit or is_chosen else palette.PANEL_EDGE
        pygame.draw.rect(self._surface, edge, rect, 1, border_radius=self._px(4))

    def _fitted(self, words: str, size: float, width: int, color: Color | None = None) -> pygame.Surface:
        """Return the words as a picture, cut off with dots where they are wider than their room."""
        return self._fonts.render(self._fonts.shortened(words, size, width) or " ", size, palette.TEXT if color is None else color)
