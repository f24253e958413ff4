"""A form: a scrollable column of rows. The form lays them out, draws them and handles the pointer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import pygame

from engine.render import palette
from engine.render.hud import draw_scroll_bar
from engine.render.palette import Color, mix
from engine.ui.icons import draw_icon
from engine.ui.rows import Area, Bar, Button, Buttons, Choice, Field, Heading, Image, Line, Note, Number, Row, Slider, Switch, Text
from engine.ui.ui import Item, Key, Typing, Ui, Widget

__all__ = ["Form"]

Place = tuple[int, int, int, int]

_PAD, _GAP = 12.0, 4.0
"""Margin beside the rows, and gap between buttons, design pixels."""
_NARROW, _NARROW_PAD = 80.0, 4.0
"""A form up to this width has this margin instead, design pixels."""
_FOOT = 8.0
"""Margin below the last row, design pixels."""
_SIZE, _CAPTION = 12.5, 11.0
"""Font size of text and of headings, design pixels."""
_ROW, _HEADING = 26.0, 24.0
_LEADING = 1.42
"""Line height in font sizes."""
_TRACK = 14.0
"""Height of a slider's track, design pixels."""
_NUMBER_SHARE, _TEXT_SHARE = 0.41, 0.66
"""Width of a number box and of a text box, as a share of the row."""
_MIN_VALUE_SHARE = 0.45
"""Minimum width, as a share of the row, of a wrapped value beside its name."""
_STEPPER = 19.0
_BUTTON = 26.0
"""Side of a square button in a bar, design pixels."""
_NOTCH = 40.0
"""Distance scrolled per notch of the mouse wheel, design pixels."""
_REVEAL_MARGIN = 40.0
"""Margin around a control that is scrolled into view, design pixels."""
_FAST = 10.0
"""Steps per click while Shift is held."""


class _Piece(NamedTuple):
    rect: pygame.Rect
    draw: Callable[[pygame.Surface, pygame.Rect], object]
    is_head: bool


@lru_cache(maxsize=8)
def _loaded(path: Path) -> pygame.Surface:
    return pygame.image.load(path).convert()


@lru_cache(maxsize=8)
def _scaled(path: Path, width: int, height: int) -> pygame.Surface:
    return pygame.transform.smoothscale(_loaded(path), (width, height))


class Form:
    """Rows in a rectangle of the window.

    Attributes
    ----------
    place : pygame.Rect
        The form's rectangle in the window, pixels.
    scrolled : int
        Height of the content that is scrolled out above the rectangle, pixels.
    items : list of Item
        The controls, in row order.
    height : int
        Height of the content, pixels.
    """

    def __init__(self, ui: Ui) -> None:
        self.ui = ui
        self.place = pygame.Rect(0, 0, 0, 0)
        self.scrolled = 0
        self.items: list[Item] = []
        self.height = self._head = 0
        self._pieces: list[_Piece] = []
        self._names: Counter[str] = Counter()
        self._is_head = False
        self._held: Key | None = None
        self._dragged: tuple[int, int] | None = None
        self._continues = False

    # -- layout ------------------------------------------------------------------------------------------------------

    def show(self) -> tuple[object, ...]:
        """Show the form in this frame; return everything besides its rows that its image depends on."""
        ui = self.ui
        ui.forms.append(self)
        hovered, has_focus = self.hovered, ui.focus is not None and ui.focus[0] is self
        pointer = ui.pointer if hovered is not None and isinstance(hovered.what, Area) else None
        return self.scrolled, hovered.key if hovered is not None else None, pointer, has_focus and (ui.focus, ui.typing), self._held

    def lay_out(self, rows: Sequence[Row], place: Place, head: Sequence[Row] = (), n_columns: int = 1) -> None:
        """Lay out the rows of this frame; the rows of `head` do not scroll.

        With several columns, each group of rows under a heading goes to the column that is shortest so far.
        """
        self.place = pygame.Rect(place)
        self.items, self._pieces, self._names = [], [], Counter()
        px, width = self.ui.px, self.place.width
        pad = px(_PAD if width > px(_NARROW) else _NARROW_PAD)
        self._is_head = True
        self._head = self._stack(head, pad, px(8), width - 2 * pad) + px(3) if head else 0
        self._is_head = False
        top = self._head + px(6)
        wide = (width - (n_columns + 1) * pad) // n_columns
        columns = self._dealt(rows, n_columns, wide)
        self.height = max(self._stack(column, pad + k * (wide + pad), top, wide) for k, column in enumerate(columns)) + px(_FOOT)
        self.scroll(0)

    def lay_plate(
        self, rows: Sequence[Row], room: pygame.Rect, width: int, center: tuple[int, int] | None = None, n_columns: int = 1
    ) -> None:
        """Lay out rows on a plate of the given width inside `room`, centered on a point or at the upper left corner."""
        self.lay_out(rows, (room.left, room.top, width, room.height), n_columns=n_columns)
        plate = pygame.Rect(room.left, room.top, width, min(self.height, room.height))
        if center is not None:
            plate.center = center
        self.place = plate.clamp(room)
        self.scroll(0)

    def draw_plate(self, surface: pygame.Surface) -> None:
        """Draw the form with a border."""
        self.draw(surface)
        pygame.draw.rect(surface, palette.ACCENT, self.place, max(1, self.ui.px(1)))

    def _dealt(self, rows: Sequence[Row], n_columns: int, wide: int) -> list[list[Row]]:
        if n_columns == 1:
            return [[*rows]]
        groups: list[list[Row]] = []
        for row in rows:
            if isinstance(row, Heading) or not groups:
                groups.append([])
            groups[-1].append(row)
        columns: list[list[Row]] = [[] for _ in range(n_columns)]
        heights = [0] * n_columns
        for group in groups:
            into = heights.index(min(heights))
            columns[into] += group
            heights[into] += self._stack(group, 0, 0, wide)
        self.items, self._pieces, self._names = [], [], Counter()
        return columns

    def _stack(self, rows: Sequence[Row], left: int, top: int, width: int) -> int:
        for row in rows:
            top += self._put(row, pygame.Rect(left, top, max(width, 1), 0))
        return top

    def scroll(self, by: int) -> None:
        """Scroll the content up by a number of pixels, or down if it is negative, within its limits."""
        self.scrolled = min(max(self.scrolled + by, 0), max(self.height - self.place.height, 0))

    def find(self, key: Key) -> Item | None:
        """Return the control with this key, or None."""
        return next((item for item in self.items if item.key == key), None)

    def reveal(self, key: Key) -> None:
        """Scroll a control into view."""
        item, around = self.find(key), self.ui.px(_REVEAL_MARGIN)
        if item is not None and not item.is_head:
            above, below = item.rect.top - self._head, item.rect.bottom - self.place.height
            if not below <= self.scrolled <= above:
                self.scroll((above - around if above < self.scrolled else below + around) - self.scrolled)

    def rect(self, item: Item | _Piece) -> pygame.Rect:
        """Return the rectangle of a control in the window, pixels."""
        return item.rect.move(self.place.left, self.place.top - (0 if item.is_head else self.scrolled))

    def at(self, pixel: tuple[int, int]) -> Item | None:
        """Return the control at a pixel."""
        if not self.place.collidepoint(pixel):
            return None
        in_head = pixel[1] < self.place.top + self._head
        return next((item for item in self.items if item.is_head == in_head and self.rect(item).collidepoint(pixel)), None)

    @property
    def hovered(self) -> Item | None:
        """The control under the pointer."""
        ui = self.ui
        if ui.pointer is None or (ui.modal is not None and ui.modal is not self):
            return None
        return self.find(self._held) if self._held is not None else self.at(ui.pointer)

    # -- events -------------------------------------------------------------------------------------------------------

    def handle(self, event: pygame.event.Event) -> bool:
        """Handle a pointer event; return True if the form used it."""
        if event.type == pygame.MOUSEMOTION:
            if self._held is not None:
                self._dragged = event.pos
            return self._held is not None
        if event.type == pygame.MOUSEBUTTONUP and event.button == 1 and self._held is not None:
            self.apply_drag()
            item, self._held = self.find(self._held), None
            if item is not None and isinstance(item.what, Button) and item.what.release is not None:
                item.what.release()
            return True
        if event.type == pygame.MOUSEBUTTONDOWN and self.place.collidepoint(event.pos):
            item = self.at(event.pos)
            if event.button == 1 and item is not None:
                self._press(item, event.pos)
            return True
        return event.type == pygame.MOUSEWHEEL and self.wheel(*self.ui.wheel_of(event))

    def wheel(self, at: tuple[int, int], notches: float) -> bool:
        """Scroll, or pass the wheel to the area at a pixel; return True if the pixel is inside the form."""
        if not self.place.collidepoint(at):
            return False
        item = self.at(at)
        if item is not None and isinstance(item.what, Area) and item.what.wheel is not None:
            item.what.wheel(notches)
        else:
            self.scroll(-self.ui.px(_NOTCH * notches))
        return True

    def _press(self, item: Item, at: tuple[int, int]) -> None:
        what = item.what
        if isinstance(what, Button):
            if not what.is_off:
                self._held = item.key if what.release is not None else None
                what.press()
        elif isinstance(what, Area):
            if what.drag is not None:
                self._held, self._dragged = item.key, at
        elif isinstance(what, Slider) and at[1] >= self.rect(item).bottom - self.ui.px(_TRACK + 4.0):
            self._held, self._dragged, self._continues = item.key, at, False
        elif isinstance(what, Number) and (way := self._stepper_at(self.rect(item), at)):
            what.move(way * (_FAST if pygame.key.get_mods() & pygame.KMOD_SHIFT else 1.0))
        else:
            self.ui.type_in(self, item.key)

    def apply_drag(self) -> None:
        """Move the dragged control to the pointer, if the pointer moved since the last call."""
        at, self._dragged = self._dragged, None
        item = self.find(self._held) if self._held is not None and at is not None else None
        if item is None or at is None:
            return
        if isinstance(item.what, Slider):
            rect, thumb = self.rect(item), self.ui.px(_TRACK)
            share = (at[0] - rect.left - 0.5 * thumb) / max(rect.width - thumb, 1)
            item.what.change(min(max(share, 0.0), 1.0), self._continues)
            self._continues = True
        elif isinstance(item.what, Area) and item.what.drag is not None:
            item.what.drag(at)

    def _stepper_at(self, rect: pygame.Rect, at: tuple[int, int]) -> int:
        side = self.ui.px(_STEPPER)
        return -1 if at[0] < rect.left + side else 1 if at[0] >= rect.right - side else 0

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _put(self, row: Row, rect: pygame.Rect) -> int:
        """Lay out a row at the top of a rectangle of the available width; return its height."""
        px, fonts = self.ui.px, self.ui.fonts
        match row:
            case Heading():
                rect.height = px(_HEADING)
                self._piece(rect, partial(self._draw_heading, row))
            case Note():
                indent = px(18) if row.lead else 0
                room = max(rect.width - indent, 1)
                lines = row.words.split("\n") if row.is_code else fonts.wrapped(row.words, row.size, room, row.bold)
                rect.height = self._step(row.size) * len(lines) + px(3)
                self._piece(rect, partial(self._draw_note, row, lines, indent))
            case Image():
                size = _loaded(row.path).get_size()
                width = min(rect.width, px(size[0]))
                rect.height = round(size[1] * width / size[0])
                self._piece(rect, lambda surface, place: surface.blit(_scaled(row.path, width, place.height), place))
                return rect.height + px(3)
            case Line():
                rect.height = self._put_line(row, rect)
            case Buttons():
                rect.height = self._put_buttons(row, rect)
            case Choice():
                self._piece(pygame.Rect(rect.topleft, (rect.width, px(22))), partial(self._draw_name, [row.name]))
                words = tuple(
                    Button(word, partial(row.change, word), row.tip, is_on=word == row.value and not row.is_mixed) for word in row.words
                )
                under = pygame.Rect(rect.left, rect.top + px(18), rect.width, 0)
                rect.height = px(18) + self._put_buttons(Buttons(words), under)
            case Switch():
                name = f"{row.name} (several)" if row.is_mixed else row.name
                press = partial(row.change, not row.value or row.is_mixed)
                button = Button(name, press, row.tip, is_on=row.value and not row.is_mixed)
                rect.height = self._put_buttons(Buttons((button,), columns=1, is_list=True), rect)
            case Text() | Number():
                rect.height = self._put_field(row, rect)
            case Slider():
                rect.height = self._put_slider(row, rect)
            case Area():
                rect.height = px(row.height) if row.height else max(self.place.height - rect.top - px(_FOOT), 1)
                self._item(row.name, rect, row, partial(self._draw_area, row))
            case Bar():
                rect.height = self._put_bar(row)
        return rect.height

    def _step(self, size: float) -> int:
        """Return the line height of a font size, pixels."""
        return round(_LEADING * size * self.ui.fonts.ui_scale)

    def _put_line(self, row: Line, rect: pygame.Rect) -> int:
        """Lay out a name and a value: side by side if there is room, with the value wrapped if necessary, otherwise below the name."""
        px, fonts, step = self.ui.px, self.ui.fonts, self._step(_SIZE)
        beside = rect.width - (fonts.width(row.name, _SIZE, row.bold) + px(8) if row.name else 0)
        is_under = beside < min(fonts.width(row.value, _SIZE), round(_MIN_VALUE_SHARE * rect.width))
        names = fonts.wrapped(row.name, _SIZE, rect.width, row.bold) if is_under else [row.name]
        values = fonts.wrapped(row.value, _SIZE, rect.width if is_under else max(beside, 1))
        height = (len(names) + len(values) if is_under else len(values)) * step
        place = pygame.Rect(rect.topleft, (rect.width, height))
        self._piece(place, partial(self._draw_line, row, names, values, is_under))
        if row.tip:
            self._item(row.name, place, row, lambda *_: None)
        return height

    def _put_field(self, row: Text | Number, rect: pygame.Rect) -> int:
        px, share = self.ui.px, _NUMBER_SHARE if isinstance(row, Number) else _TEXT_SHARE if row.name else 1.0
        box = pygame.Rect(0, rect.top, round(share * rect.width), px(_ROW) - px(4))
        box.right, room = rect.right, max(rect.width - box.width - px(6), 1)
        unit = row.unit if isinstance(row, Number) else ""
        lines = self.ui.fonts.wrapped(f"{row.name} {unit}".strip(), _SIZE, room)
        height = max(px(_ROW), self._step(_SIZE) * len(lines) + px(6))
        self._piece(pygame.Rect(rect.left, rect.top, room, height), partial(self._draw_name, lines))
        self._item(row.name, box, row, partial(self._draw_field, row))
        return height

    def _put_buttons(self, row: Buttons, rect: pygame.Rect) -> int:
        px, fonts = self.ui.px, self.ui.fonts
        high, gap = px(row.height), px(_GAP)
        left, room = rect.left, rect.width
        if row.caption:
            indent = max(fonts.width(row.caption, _SIZE), fonts.width("compared with", _SIZE)) + px(8)
            self._piece(pygame.Rect(left, rect.top, indent, high + px(4)), partial(self._draw_name, [row.caption]))
            left, room = left + indent, max(room - indent, 1)
        sizes = [self._button_width(button, high) for button in row.items]
        if row.columns and (row.columns == 1 or max(sizes, default=0) <= (room - (row.columns - 1) * gap) // row.columns):
            lines: list[Sequence[Button]] = [row.items[k : k + row.columns] for k in range(0, len(row.items), row.columns)]
            widths = [(room - (row.columns - 1) * gap) // row.columns] * len(row.items)
        else:
            lines, widths = self._flowed(row.items, sizes, room, gap)
        top, k = rect.top, 0
        for line in lines:
            x, first = left, k
            extra = max((self._n_lines(button, widths[first + i]) for i, button in enumerate(line)), default=1) - 1
            for button in line:
                place = pygame.Rect(x, top, max(widths[k], 1), high + extra * self._step(_SIZE))
                self._item(button.words, place, button, partial(self._draw_button, button, row.is_list))
                x += widths[k] + gap
                k += 1
            top += high + extra * self._step(_SIZE) + px(3)
        return top - rect.top

    def _n_lines(self, button: Button, width: int) -> int:
        """Return the number of lines of a button's text."""
        has_one_line = button.icon or button.key or button.draw is not None
        return 1 if has_one_line else len(self.ui.fonts.wrapped(button.words, _SIZE, max(width - self.ui.px(10), 1)))

    def _button_width(self, button: Button, high: int) -> int:
        if button.icon:
            return high
        key = self.ui.fonts.width(button.key, 12.0) + self.ui.px(12) if button.key else 0
        return self.ui.fonts.width(button.words, _SIZE) + key + (high if button.draw is not None else 0) + self.ui.px(12)

    def _flowed(self, items: Sequence[Button], sizes: list[int], room: int, gap: int) -> tuple[list[Sequence[Button]], list[int]]:
        """Break buttons into lines, and distribute the free width of each line among its buttons."""
        lines: list[list[int]] = [[]]
        for k, wide in enumerate(sizes):
            if lines[-1] and sum(sizes[i] + gap for i in lines[-1]) + wide > room:
                lines.append([])
            lines[-1].append(k)
        widths = [*sizes]
        for line in lines:
            spare = (room - sum(sizes[k] for k in line) - gap * (len(line) - 1)) // max(len(line), 1)
            for k in line:
                widths[k] += spare if not items[k].icon else 0
        return [[items[k] for k in line] for line in lines], widths

    def _put_slider(self, row: Slider, rect: pygame.Rect) -> int:
        px, fonts = self.ui.px, self.ui.fonts
        step, room = self._step(_SIZE), rect.width - fonts.width(row.value, _SIZE, True) - px(8)
        lines = fonts.wrapped(row.name, _SIZE, max(room, rect.width // 3))
        notes = fonts.wrapped(row.note, _CAPTION, rect.width) if row.note else []
        small = self._step(_CAPTION)
        bounds = pygame.Rect(rect.topleft, (rect.width, step * len(lines) + small * len(notes) + px(_TRACK + 2.0)))
        self._item(row.name, bounds, row, partial(self._draw_slider, row, lines, notes))
        return bounds.height + px(4)

    def _put_bar(self, row: Bar) -> int:
        px, place = self.ui.px, self.place
        size = min(px(_BUTTON), max(place.height - px(4), 1))
        top, left, right = (place.height - size) // 2, px(6), place.width - px(6)
        for button in row.left:
            self._item(button.words, pygame.Rect(left, top, size, size), button, partial(self._draw_button, button, False))
            left += size + px(2)
        right -= len(row.right) * (size + px(2))
        area = pygame.Rect(left, 1, max(right - left, 1), place.height - 1)
        self._item(row.area.name, area, row.area, partial(self._draw_area, row.area))
        for button in row.right:
            self._item(button.words, pygame.Rect(right + px(2), top, size, size), button, partial(self._draw_button, button, False))
            right += size + px(2)
        return 0

    def _piece(self, rect: pygame.Rect, draw: Callable[[pygame.Surface, pygame.Rect], object]) -> None:
        self._pieces.append(_Piece(rect, draw, self._is_head))

    def _item(self, name: str, rect: pygame.Rect, what: Widget, draw: Callable[[pygame.Surface, pygame.Rect, Key], object]) -> None:
        key = name, self._names[name]
        self._names[name] += 1
        self.items.append(Item(key, rect, what, self._is_head))
        self._piece(rect, lambda surface, place: draw(surface, place, key))

    # -- drawing ------------------------------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the background and the rows."""
        place = self.place
        pygame.draw.rect(surface, palette.PANEL, place)
        before = surface.get_clip()
        body = pygame.Rect(place.left, place.top + self._head, place.width, max(place.height - self._head, 0))
        for is_head, clip in ((False, body), (True, place)):
            surface.set_clip(clip.clip(before))
            for piece in self._pieces:
                rect = self.rect(piece)
                if piece.is_head == is_head and rect.bottom >= clip.top and rect.top <= clip.bottom:
                    piece.draw(surface, rect)
        if self._head:
            pygame.draw.line(surface, palette.PANEL_EDGE, body.topleft, body.topright)
        max_scroll = max(self.height - place.height, 1)
        draw_scroll_bar(surface, body, self.height - self._head, self.scrolled / max_scroll, self.ui.fonts.ui_scale)
        surface.set_clip(before)

    def _states(self, key: Key) -> tuple[bool, bool]:
        """Return (is hovered, has the keyboard focus) of a control."""
        hovered = self.hovered
        return hovered is not None and hovered.key == key, self.ui.focus == (self, key)

    def _plate(self, surface: pygame.Surface, rect: pygame.Rect, key: Key, is_on: bool = False, is_off: bool = False) -> None:
        """Draw the background of a control: highlighted under the pointer, in the accent color if it is on."""
        is_hovered, has_focus = self._states(key)
        ground = palette.PANEL if is_off else mix(palette.PANEL, palette.ACCENT, 0.42) if is_on else palette.PANEL_RAISED
        if is_hovered and not is_off:
            ground = mix(ground, palette.TEXT, 0.1)
        edge = palette.ACCENT if is_on or has_focus else palette.CAPTION if is_hovered and not is_off else palette.PANEL_EDGE
        radius = self.ui.px(4)
        pygame.draw.rect(surface, ground, rect, border_radius=radius)
        pygame.draw.rect(surface, edge, rect, max(2, self.ui.px(2)) if has_focus else 1, border_radius=radius)

    def _write(
        self,
        surface: pygame.Surface,
        words: str,
        rect: pygame.Rect,
        align: str = "midleft",
        color: Color | None = None,
        bold: bool = False,
        size: float = _SIZE,
    ) -> int:
        """Write text in a rectangle, shortened with an ellipsis if it is too wide; return its width."""
        fonts = self.ui.fonts
        picture = fonts.render(fonts.shortened(words, size, rect.width, bold) or " ", size, palette.TEXT if color is None else color, bold)
        surface.blit(picture, picture.get_rect(**{align: getattr(rect, align)}))
        return picture.get_width()

    def _draw_heading(self, row: Heading, surface: pygame.Surface, rect: pygame.Rect) -> None:
        self._write(surface, row.words.upper(), rect.move(0, -self.ui.px(3)), "bottomleft", palette.CAPTION, True, _CAPTION)

    def _draw_name(self, lines: list[str], surface: pygame.Surface, rect: pygame.Rect) -> None:
        self._write_lines(surface, lines, pygame.Rect(rect.topleft, (rect.width, rect.height - self.ui.px(4))))

    def _write_lines(
        self, surface: pygame.Surface, lines: Sequence[str], rect: pygame.Rect, align: str = "midleft", color: Color | None = None
    ) -> None:
        """Write lines of text, vertically centered in a rectangle."""
        step = self._step(_SIZE)
        top = rect.centery - step * len(lines) // 2
        for k, line in enumerate(lines):
            self._write(surface, line, pygame.Rect(rect.left, top + k * step, rect.width, step), align, color)

    def _draw_note(self, row: Note, lines: list[str], indent: int, surface: pygame.Surface, rect: pygame.Rect) -> None:
        color, fonts = palette.CAPTION if row.color is None else row.color, self.ui.fonts
        step = self._step(row.size)
        if row.lead == "tick":
            draw_icon(surface, row.lead, pygame.Rect(rect.left, rect.top + self.ui.px(3), self.ui.px(12), self.ui.px(12)), palette.AGREE)
        elif row.lead:
            surface.blit(fonts.render(row.lead, row.size, palette.CAPTION, True), rect.topleft)
        for k, line in enumerate(lines):
            picture = fonts.render(line or " ", row.size, color, row.bold, row.is_code)
            surface.blit(picture, (rect.left + indent, rect.top + k * step))

    def _draw_line(
        self, row: Line, names: list[str], values: list[str], is_under: bool, surface: pygame.Surface, rect: pygame.Rect
    ) -> None:
        step, top = self._step(_SIZE), rect.top
        color = palette.TEXT if row.bold else palette.CAPTION
        for k, name in enumerate(names):
            self._write(surface, name, pygame.Rect(rect.left, top + k * step, rect.width, step), "midleft", color, row.bold)
        if row.middle:
            self._write(surface, row.middle, pygame.Rect(rect.left, top, round(0.68 * rect.width), step), "midright", row.color)
        top += len(names) * step if is_under else 0
        for k, value in enumerate(values):
            self._write(surface, value, pygame.Rect(rect.left, top + k * step, rect.width, step), "midright", row.color)

    def _draw_button(self, button: Button, is_list: bool, surface: pygame.Surface, rect: pygame.Rect, key: Key) -> None:
        px = self.ui.px
        is_hovered, has_focus = self._states(key)
        if not button.icon or button.is_on or is_hovered or has_focus:
            self._plate(surface, rect, key, button.is_on, button.is_off)
        color = palette.CAPTION if button.is_off else palette.TEXT if button.color is None else button.color
        if button.icon:
            is_bright = button.is_on or is_hovered or button.color is not None
            icon_color = palette.PANEL_EDGE if button.is_off else color if is_bright else palette.CAPTION
            size = min(rect.width, rect.height)
            square = pygame.Rect(0, 0, size, size)
            square.center = rect.center
            draw_icon(surface, button.icon, square, icon_color)
            return
        inner = rect.inflate(-px(10), 0)
        if button.draw is not None:
            button.draw(surface, pygame.Rect(rect.left + px(4), rect.top, rect.height, rect.height))
            inner = pygame.Rect(rect.left + rect.height + px(8), rect.top, rect.width - rect.height - px(12), rect.height)
        if button.key:
            inner.width -= self._write(surface, button.key, inner, "midright", palette.CAPTION, size=12.0) + px(8)
        if button.key or button.draw is not None:
            self._write(surface, button.words, inner, "midleft", color)
            return
        is_one_line = self.ui.fonts.width(button.words, _SIZE) <= inner.width
        lines = [button.words] if is_one_line else self.ui.fonts.wrapped(button.words, _SIZE, max(inner.width, 1))
        self._write_lines(surface, lines, inner, "midleft" if is_list else "center", color)

    def _draw_field(self, row: Text | Number, surface: pygame.Surface, rect: pygame.Rect, key: Key) -> None:
        self._plate(surface, rect, key)
        box = rect.inflate(-2 * self.ui.px(_STEPPER), 0) if isinstance(row, Number) else rect
        self._draw_value(row, surface, box, key)
        if isinstance(row, Number):
            side, reach, wide = self.ui.px(_STEPPER), self.ui.px(4), max(1, self.ui.px(1.5))
            for x, is_plus in ((rect.left + side // 2, False), (rect.right - side // 2, True)):
                pygame.draw.line(surface, palette.CAPTION, (x - reach, rect.centery), (x + reach, rect.centery), wide)
                if is_plus:
                    pygame.draw.line(surface, palette.CAPTION, (x, rect.centery - reach), (x, rect.centery + reach), wide)

    def _draw_value(self, row: Field, surface: pygame.Surface, box: pygame.Rect, key: Key, align: str = "center") -> None:
        """Write the value of a field; or the text being typed, with its end visible, and the cursor."""
        fonts, inner = self.ui.fonts, box.inflate(-self.ui.px(8), 0)
        typing: Typing | None = self.ui.typing if self.ui.focus == (self, key) else None
        if isinstance(row, Text):
            align = "midleft"
        if typing is None:
            hint = row.hint if isinstance(row, Text) else ""
            words = "several" if row.is_mixed else row.shown() or hint
            bold, color = isinstance(row, Slider), palette.ACCENT if isinstance(row, Slider) else None
            if row.is_mixed or not row.shown():
                color = palette.CAPTION
            self._write(surface, words, inner if align != "midright" else box, align, color, bold)
            return
        clip = surface.get_clip()
        surface.set_clip(box.clip(clip))
        text = fonts.render(typing.text or " ", _SIZE, palette.TEXT)
        place = text.get_rect(center=box.center)
        if text.get_width() > inner.width or align == "midright":
            place.midright = inner.midright
        elif align == "midleft":
            place.midleft = inner.midleft
        if typing.is_fresh and typing.text:
            pygame.draw.rect(surface, mix(palette.PANEL, palette.ACCENT, 0.5), place.inflate(self.ui.px(4), 0))
        surface.blit(text, place)
        if not typing.is_fresh:
            pygame.draw.line(surface, palette.ACCENT, (place.right + 1, box.top + 4), (place.right + 1, box.bottom - 5), 1)
        surface.set_clip(clip)

    def _draw_slider(self, row: Slider, lines: list[str], notes: list[str], surface: pygame.Surface, rect: pygame.Rect, key: Key) -> None:
        px, fonts = self.ui.px, self.ui.fonts
        step, top = self._step(_SIZE), rect.top
        value = pygame.Rect(rect.left + rect.width // 3, top, rect.width - rect.width // 3, step)
        self._draw_value(row, surface, value, key, "midright")
        for line in lines:
            surface.blit(fonts.render(line, _SIZE, palette.TEXT), (rect.left, top))
            top += step
        for line in notes:
            surface.blit(fonts.render(line, _CAPTION, palette.CAPTION), (rect.left, top))
            top += self._step(_CAPTION)
        is_hovered, has_focus = self._states(key)
        size = px(_TRACK)
        track = pygame.Rect(rect.left, rect.bottom - size, rect.width, size)
        pygame.draw.rect(surface, palette.BACKGROUND, track, border_radius=px(4))
        edge = palette.ACCENT if has_focus else palette.PANEL_EDGE
        pygame.draw.rect(surface, edge, track, max(2, px(2)) if has_focus else 1, border_radius=px(4))
        thumb = pygame.Rect(track.left + round(min(max(row.share, 0.0), 1.0) * (track.width - size)), track.top, size, size)
        pygame.draw.rect(surface, palette.ACCENT if is_hovered else mix(palette.PANEL, palette.ACCENT, 0.75), thumb, border_radius=px(4))

    def _draw_area(self, row: Area, surface: pygame.Surface, rect: pygame.Rect, key: Key) -> None:
        before, pointer = surface.get_clip(), self.ui.pointer
        is_hovered, has_focus = self._states(key)
        surface.set_clip(rect.clip(before))
        row.draw(surface, rect, pointer if is_hovered else None)
        if has_focus:
            pygame.draw.rect(surface, palette.ACCENT, rect, max(2, self.ui.px(2)), border_radius=self.ui.px(4))
        surface.set_clip(before)
