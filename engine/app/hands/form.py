"""A column of properties: numbers to type or step, switches, choices, texts, and lines that only tell.

A page lists its rows anew in every frame, each with its present value and what to do with another; the form lays them out, draws them,
and finds the row under the pointer. So what is shown is always what is, whoever changed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pygame

from engine.app.layout import Place
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color, mix

__all__ = ["Choice", "Form", "Heading", "Line", "Note", "Number", "Row", "Switch", "Text"]

_ROW, _LINE, _HEADING, _NOTE = 25.0, 18.0, 24.0, 15.0
_PAD = 12.0
_BOX_SHARE = 0.41
_STEPPER = 19.0
_FAST = 10.0
"""Steps that one click with Shift takes."""
_MOST_TYPED = 64


@dataclass(frozen=True, slots=True)
class Heading:
    """Words over a group."""

    words: str


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence under a row."""

    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """Something told: caption and value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit; `step` is what the buttons add, 0 for factors of 1.25. `base` 16 shows it as such."""

    name: str
    value: float
    change: Callable[[float], None]
    step: float
    unit: str = ""
    whole: bool = False
    base: int = 10
    is_mixed: bool = False

    def shown(self) -> str:
        """Return the number as written."""
        if self.base == 16:
            return f"0x{int(self.value):04X}"
        if self.whole:
            return str(int(self.value))
        text = f"{self.value:.4g}"
        return "0" if text == "-0" else text

    def stepped(self, sign: int, times: float) -> float:
        """Return the number after a click on a button."""
        if self.whole:
            return self.value + sign * round(self.step * times)
        grid = 1e-9
        return round((self.value + sign * self.step * times) / grid) * grid


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    name: str
    value: bool
    change: Callable[[bool], None]
    is_mixed: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words."""

    name: str
    words: tuple[str, ...]
    value: str
    change: Callable[[str], None]
    is_mixed: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A text to type."""

    name: str
    value: str
    change: Callable[[str], None]
    is_mixed: bool = False


Row = Heading | Note | Line | Number | Switch | Choice | Text
_Field = Number | Text


@dataclass(frozen=True, slots=True)
class _Laid:
    row: Row
    top: int
    height: int
    lines: tuple[str, ...] = ()


class Form:
    """Lays rows out in a place, and takes events for them.

    Parameters
    ----------
    fonts : FontBook
    refuse : callable
        Told in one line what is wrong with something typed.
    """

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self._refuse = refuse
        self.fonts: FontBook | None = None
        self._place: Place = (0, 0, 0, 0)
        self._laid: list[_Laid] = []
        self._scroll = 0
        self._typed = ""
        self._typing = ""
        """Name of the field being typed in; empty for none."""
        self._is_fresh = False
        """Whether the first key replaces what the field shows."""
        self._pointer: tuple[int, int] | None = None

    @property
    def is_typing(self) -> bool:
        """Whether keys go into a field."""
        return self._typing != ""

    def lay_out(self, rows: Sequence[Row], place: Place, fonts: FontBook) -> None:
        """Take the rows of this frame."""
        self._place, self.fonts = place, fonts
        ui, top = fonts.ui_scale, place[1]
        laid: list[_Laid] = []
        for row in rows:
            lines: tuple[str, ...] = ()
            height = _ROW
            if isinstance(row, Heading):
                height = _HEADING
            elif isinstance(row, Line):
                height = _LINE
            elif isinstance(row, Note):
                lines = tuple(fonts.wrapped(row.words, 11.0, max(place[2] - round(2 * _PAD * ui), 1)))
                height = _NOTE * len(lines) + 5.0
            elif isinstance(row, Choice):
                height = 2.0 * _ROW - 5.0
            laid.append(_Laid(row, top, round(height * ui), lines))
            top += round(height * ui)
        self._laid = laid
        room = max(0, top + round(10 * ui) - place[1] - place[3])
        self._scroll = min(max(self._scroll, 0), room)
        if self._typing and not any(isinstance(one.row, _Field) and one.row.name == self._typing for one in laid):
            self._typing = ""

    @property
    def is_pointed(self) -> bool:
        """Whether the pointer is in it."""
        return self._pointer is not None

    @property
    def state(self) -> tuple[int, str, str]:
        """How far it is scrolled, which field is typed in, and what."""
        return self._scroll, self._typing, self._typed

    def stop_typing(self) -> None:
        """Forget what is being typed."""
        self._typing = ""

    # Events

    def handle(self, event: pygame.event.Event) -> bool:
        """Take in an event; True if it was the form's."""
        inside = hasattr(event, "pos") and pygame.Rect(self._place).collidepoint(event.pos)
        if event.type == pygame.MOUSEMOTION:
            self._pointer = event.pos if inside else None
        elif event.type == pygame.MOUSEBUTTONDOWN:
            if self._typing:
                self._take()
            if inside and event.button == 1:
                self._click(event.pos)
            return bool(inside)
        elif event.type == pygame.MOUSEWHEEL:
            at = getattr(event, "mouse", self._pointer)
            if at is not None and pygame.Rect(self._place).collidepoint(at) and self.fonts is not None:
                self._scroll -= round(float(getattr(event, "precise_y", event.y)) * 40 * self.fonts.ui_scale)
                return True
        elif event.type == pygame.KEYDOWN and self._typing:
            return self._key(event)
        elif event.type == pygame.KEYUP and self._typing:
            return True
        return False

    def _key(self, event: pygame.event.Event) -> bool:
        if event.key == pygame.K_ESCAPE:
            self._typing = ""
        elif event.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            self._take()
        elif event.key == pygame.K_TAB:
            self._next(-1 if event.mod & pygame.KMOD_SHIFT else 1)
        elif event.key in (pygame.K_BACKSPACE, pygame.K_DELETE):
            self._typed = "" if self._is_fresh else self._typed[:-1]
            self._is_fresh = False
        elif event.key in (pygame.K_UP, pygame.K_DOWN):
            row = self._field(self._typing)
            if isinstance(row, Number):
                self._typing = ""
                row.change(row.stepped(1 if event.key == pygame.K_UP else -1, _FAST if event.mod & pygame.KMOD_SHIFT else 1.0))
        elif event.unicode and event.unicode.isprintable() and not event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
            self._typed = (("" if self._is_fresh else self._typed) + event.unicode)[:_MOST_TYPED]
            self._is_fresh = False
        return True

    def _click(self, at: tuple[int, int]) -> None:
        times = _FAST if pygame.key.get_mods() & pygame.KMOD_SHIFT else 1.0
        for one in self._laid:
            row, rect = one.row, self._rect(one)
            if not rect.collidepoint(at):
                continue
            if isinstance(row, Switch):
                row.change(not row.value or row.is_mixed)
            elif isinstance(row, Choice):
                for word, button in zip(row.words, self._choice_rects(one), strict=True):
                    if button.collidepoint(at):
                        row.change(word)
            elif isinstance(row, _Field):
                box, less, more = self._field_rects(one)
                if isinstance(row, Number) and less.collidepoint(at):
                    row.change(row.stepped(-1, times))
                elif isinstance(row, Number) and more.collidepoint(at):
                    row.change(row.stepped(1, times))
                elif box.collidepoint(at):
                    self._begin(row)
            return

    def _begin(self, row: _Field) -> None:
        self._typing, self._is_fresh = row.name, True
        self._typed = row.shown() if isinstance(row, Number) else row.value

    def _take(self) -> None:
        """Give the row what was typed, or say what is wrong with it."""
        row, typed, self._typing = self._field(self._typing), self._typed.strip(), ""
        if row is None or self._is_fresh:
            return
        if isinstance(row, Text):
            row.change(typed)
            return
        try:
            number = float(int(typed, 0)) if row.whole else float(typed.replace(",", "."))
        except ValueError:
            kind = "a whole number" if row.whole else "a number"
            self._refuse(f"{row.name} must be {kind}{f' of {row.unit}' if row.unit else ''}, got {typed!r}")
            return
        if not math.isfinite(number):
            self._refuse(f"{row.name} must be a finite number, got {typed}")
            return
        row.change(number)

    def _next(self, way: int) -> None:
        names = [one.row.name for one in self._laid if isinstance(one.row, _Field)]
        at = names.index(self._typing) if self._typing in names else -1
        self._take()
        row = self._field(names[(at + way) % len(names)])
        if row is not None:
            self._begin(row)
            self._show(row.name)

    def _show(self, name: str) -> None:
        """Scroll a field into sight."""
        _, top, _, height = self._place
        for one in self._laid:
            if isinstance(one.row, _Field) and one.row.name == name:
                self._scroll = min(max(self._scroll, one.top + one.height - top - height), one.top - top)

    def _field(self, name: str) -> _Field | None:
        return next((one.row for one in self._laid if isinstance(one.row, _Field) and one.row.name == name), None)

    # Places

    def _px(self, design: float) -> int:
        assert self.fonts is not None
        return round(design * self.fonts.ui_scale)

    def _rect(self, one: _Laid) -> pygame.Rect:
        return pygame.Rect(self._place[0], one.top - self._scroll, self._place[2], one.height)

    def _field_rects(self, one: _Laid) -> tuple[pygame.Rect, pygame.Rect, pygame.Rect]:
        """Return the box of the value, and the two buttons, which a text has not."""
        rect, pad = self._rect(one), self._px(_PAD)
        share = _BOX_SHARE if isinstance(one.row, Number) else 0.68
        whole = pygame.Rect(0, 0, round(share * rect.width), rect.height - self._px(4))
        whole.midright = rect.right - pad, rect.centery
        side = self._px(_STEPPER) if isinstance(one.row, Number) else 0
        less = pygame.Rect(whole.left, whole.top, side, whole.height)
        more = pygame.Rect(whole.right - side, whole.top, side, whole.height)
        return pygame.Rect(less.right, whole.top, whole.width - 2 * side, whole.height), less, more

    def _choice_rects(self, one: _Laid) -> list[pygame.Rect]:
        rect, pad, gap = self._rect(one), self._px(_PAD), self._px(3)
        assert isinstance(one.row, Choice)
        n = len(one.row.words)
        wide = (rect.width - 2 * pad - (n - 1) * gap) / n
        top, high = rect.top + self._px(19), rect.height - self._px(23)
        return [pygame.Rect(round(rect.left + pad + k * (wide + gap)), top, round(wide), high) for k in range(n)]

    # Drawing

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the rows in their place."""
        fonts = self.fonts
        if fonts is None or self._place[2] < 1:
            return
        clip = surface.get_clip()
        surface.set_clip(pygame.Rect(self._place).clip(clip))
        bottom = self._place[1] + self._place[3]
        for one in self._laid:
            rect = self._rect(one)
            if rect.bottom >= self._place[1] and rect.top <= bottom:
                self._draw_row(surface, fonts, one, rect)
        self._draw_bar(surface)
        surface.set_clip(clip)

    def _draw_row(self, surface: pygame.Surface, fonts: FontBook, one: _Laid, rect: pygame.Rect) -> None:
        row, pad = one.row, self._px(_PAD)
        left, middle = rect.left + pad, rect.centery
        if isinstance(row, Heading):
            words = fonts.render(row.words.upper(), 11.0, palette.CAPTION, True)
            surface.blit(words, words.get_rect(bottomleft=(left, rect.bottom - self._px(3))))
        elif isinstance(row, Note):
            for k, line in enumerate(one.lines):
                surface.blit(fonts.render(line, 11.0, palette.CAPTION), (left, rect.top + self._px(_NOTE) * k))
        elif isinstance(row, Line):
            value = self._fitted(fonts, row.value, 12.5, round(0.62 * rect.width) - pad)
            surface.blit(value, value.get_rect(midright=(rect.right - pad, middle)))
            name = self._fitted(fonts, row.name, 12.5, rect.width - 2 * pad - value.get_width() - self._px(6), palette.CAPTION)
            surface.blit(name, name.get_rect(midleft=(left, middle)))
        elif isinstance(row, Switch):
            self._draw_switch(surface, fonts, row, rect)
        elif isinstance(row, Choice):
            name = fonts.render(row.name, 12.5, palette.TEXT)
            surface.blit(name, name.get_rect(topleft=(left, rect.top)))
            for word, button in zip(row.words, self._choice_rects(one), strict=True):
                chosen = word == row.value and not row.is_mixed
                self._draw_box(surface, button, chosen)
                text = self._fitted(fonts, word, 12.0, button.width - self._px(4))
                surface.blit(text, text.get_rect(center=button.center))
        else:
            self._draw_field(surface, fonts, one, row, rect)

    def _draw_field(self, surface: pygame.Surface, fonts: FontBook, one: _Laid, row: _Field, rect: pygame.Rect) -> None:
        box, less, more = self._field_rects(one)
        left, gap = rect.left + self._px(_PAD), self._px(6)
        name, room = row.name, less.left - gap - left
        if isinstance(row, Number) and row.unit and fonts.width(f"{name}  {row.unit}", 12.5) <= room:
            name = f"{name}  {row.unit}"
        caption = self._fitted(fonts, name, 12.5, room, palette.TEXT)
        surface.blit(caption, caption.get_rect(midleft=(left, rect.centery)))
        is_typing = row.name == self._typing
        whole = less.union(more)
        self._draw_box(surface, whole, False, is_typing)
        shown = self._typed if is_typing else "several" if row.is_mixed else row.shown() if isinstance(row, Number) else row.value
        color = palette.CAPTION if row.is_mixed and not is_typing else palette.TEXT
        room = box.width - self._px(8)
        # a number whose end is missing would be another number: it gets dots
        text = fonts.render(shown or " ", 12.5, color) if is_typing else self._fitted(fonts, shown, 12.5, room, color)
        clip = surface.get_clip()
        surface.set_clip(box.inflate(-self._px(4), 0).clip(clip))
        if is_typing and self._is_fresh and shown:
            mark = text.get_rect(center=box.center).inflate(self._px(4), 0)
            pygame.draw.rect(surface, mix(palette.PANEL, palette.ACCENT, 0.5), mark)
        overflow = text.get_width() > room
        place = text.get_rect(midright=(box.right - self._px(4), box.centery)) if overflow else text.get_rect(center=box.center)
        surface.blit(text, place)
        if is_typing and not self._is_fresh:
            pygame.draw.line(surface, palette.ACCENT, (place.right + 1, box.top + 4), (place.right + 1, box.bottom - 5), 1)
        surface.set_clip(clip)
        if isinstance(row, Number):
            for button, sign in ((less, -1), (more, 1)):
                is_under = self._pointer is not None and button.collidepoint(self._pointer)
                tone, reach = palette.TEXT if is_under else palette.CAPTION, self._px(4)
                x, y = button.center
                pygame.draw.line(surface, tone, (x - reach, y), (x + reach, y), max(1, self._px(1.5)))
                if sign > 0:
                    pygame.draw.line(surface, tone, (x, y - reach), (x, y + reach), max(1, self._px(1.5)))

    def _draw_switch(self, surface: pygame.Surface, fonts: FontBook, row: Switch, rect: pygame.Rect) -> None:
        pad, size = self._px(_PAD), self._px(16)
        box = pygame.Rect(0, 0, round(1.8 * size), size)
        box.midright = rect.right - pad, rect.centery
        name = self._fitted(fonts, row.name, 12.5, box.left - rect.left - 2 * pad, palette.TEXT)
        surface.blit(name, name.get_rect(midleft=(rect.left + pad, rect.centery)))
        ground = mix(palette.PANEL, palette.ACCENT, 0.6) if row.value and not row.is_mixed else palette.PANEL_RAISED
        pygame.draw.rect(surface, ground, box, border_radius=size // 2)
        pygame.draw.rect(surface, palette.PANEL_EDGE, box, 1, border_radius=size // 2)
        x = box.centerx if row.is_mixed else box.right - size // 2 if row.value else box.left + size // 2
        pygame.draw.circle(surface, palette.TEXT if row.value else palette.CAPTION, (x, box.centery), size // 2 - 3)

    def _draw_box(self, surface: pygame.Surface, rect: pygame.Rect, chosen: bool, lit: bool = False) -> None:
        ground = mix(palette.PANEL, palette.ACCENT, 0.42) if chosen else palette.PANEL_RAISED
        edge = palette.ACCENT if lit or chosen else palette.PANEL_EDGE
        pygame.draw.rect(surface, ground, rect, border_radius=self._px(4))
        pygame.draw.rect(surface, edge, rect, 1, border_radius=self._px(4))

    def _draw_bar(self, surface: pygame.Surface) -> None:
        if not self._laid:
            return
        left, top, width, height = self._place
        whole = self._laid[-1].top + self._laid[-1].height + self._px(10) - top
        if whole > height:
            bar = max(self._px(24), height * height // whole)
            at = top + (height - bar) * self._scroll // max(whole - height, 1)
            pygame.draw.rect(surface, palette.PANEL_EDGE, (left + width - self._px(5), at, self._px(3), bar), border_radius=self._px(2))

    @staticmethod
    def _fitted(fonts: FontBook, words: str, size: float, width: int, color: Color | None = None) -> pygame.Surface:
        """Return the words as a picture, cut off with dots where they are wider than their room."""
        shown = words
        if fonts.width(words, size) > width:
            kept = next((k for k in range(len(words) - 1, 0, -1) if fonts.width(words[:k] + "…", size) <= width), 0)
            shown = words[:kept].rstrip() + "…"
        return fonts.render(shown or " ", size, palette.TEXT if color is None else color)
