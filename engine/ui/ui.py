"""State shared by all forms of a window: the pointer, the keyboard focus, the text being typed, and the tooltip.

Tab and Shift Tab move the focus through the controls of all visible forms. Enter and Space press a button. The arrow keys move a slider or
the focus to the next button. Letters and digits start typing in a field, and Esc leaves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import pygame

from engine.common.errors import LabError
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.hud import draw_lines, lines_size
from engine.ui.rows import Area, Button, Field, Line, Number, Slider, Text

__all__ = ["ENTER", "Form", "Item", "Key", "Typing", "Ui", "Widget"]

Key = tuple[str, int]
"""Name of a control, and the number of controls with that name before it in its form."""
Widget = Button | Text | Number | Slider | Area | Line

_MAX_TYPED = 200
_FAST = 10.0
"""Steps per arrow key while Shift is held."""
_TIP_DELAY = 0.4
"""Seconds that the pointer rests on a control before its tooltip is shown."""
_WITH_OTHERS = pygame.KMOD_CTRL | pygame.KMOD_META | pygame.KMOD_ALT
_CONTROL = pygame.KMOD_CTRL | pygame.KMOD_META
ENTER = (pygame.K_RETURN, pygame.K_KP_ENTER)
_ARROWS = {pygame.K_LEFT: -1, pygame.K_DOWN: -1, pygame.K_RIGHT: 1, pygame.K_UP: 1}


class Item(NamedTuple):
    """A control and its rectangle in its form; `is_head` is true in the form's head, which does not scroll."""

    key: Key
    rect: pygame.Rect
    what: Widget
    is_head: bool

    @property
    def is_stop(self) -> bool:
        """True if Tab stops at this control."""
        what = self.what
        is_still = isinstance(what, Line) or (isinstance(what, Area) and what.step is None) or (isinstance(what, Button) and what.is_off)
        return not is_still


class Form(Protocol):
    """The part of `engine.ui.form.Form` used here."""

    place: pygame.Rect
    items: list[Item]

    @property
    def hovered(self) -> Item | None:
        """The control under the pointer."""

    def find(self, key: Key) -> Item | None:
        """Return the control with this key, or None."""

    def reveal(self, key: Key) -> None:
        """Scroll a control into view."""

    def rect(self, item: Item) -> pygame.Rect:
        """Return the rectangle of a control in the window, pixels."""

    def wheel(self, at: tuple[int, int], notches: float) -> bool:
        """Handle the mouse wheel at a pixel; return True if the pixel is inside the form."""

    def apply_drag(self) -> None:
        """Apply the drag since the last call."""


@dataclass(frozen=True, slots=True)
class Typing:
    """Text being typed; while it `is_fresh`, the next key replaces it."""

    text: str
    is_fresh: bool = False


class Ui:
    """State shared by forms; `refuse` is called with an error message about typed text.

    Attributes
    ----------
    forms : list of Form
        Forms shown in this frame, in focus order.
    modal : Form or None
        The form that receives all keys while it is shown.
    focus : (Form, key) or None
        The control with the keyboard focus.
    """

    def __init__(self, fonts: FontBook, refuse: Callable[[str], object]) -> None:
        self.fonts, self.refuse = fonts, refuse
        self.pointer: tuple[int, int] | None = None
        self.forms: list[Form] = []
        self.modal: Form | None = None
        self.focus: tuple[Form, Key] | None = None
        self.typing: Typing | None = None
        self._rested = 0.0

    def px(self, design: float) -> int:
        """Convert design pixels to screen pixels."""
        return round(design * self.fonts.ui_scale)

    def begin(self) -> None:
        """Begin a frame; each visible form is then shown again."""
        self.forms.clear()

    def advance(self, elapsed: float) -> None:
        """Advance the tooltip timer, and apply the drags of the last frame, each once."""
        self._rested += elapsed
        for form in [*self.forms]:
            form.apply_drag()

    def note(self, event: pygame.event.Event) -> None:
        """Record the pointer; a press anywhere commits the typed text and clears the keyboard focus."""
        if event.type == pygame.MOUSEMOTION:
            self.pointer, self._rested = event.pos, 0.0
        elif event.type == pygame.WINDOWLEAVE and not any(pygame.mouse.get_pressed()):  # a drag may leave the window
            self.pointer = None
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self._rested = -math.inf  # hide the tooltip of the pressed control
            self.finish()

    def wheel_of(self, event: pygame.event.Event) -> tuple[tuple[int, int], float]:
        """Return the pixel and the number of notches of a mouse wheel event."""
        return getattr(event, "mouse", self.pointer or pygame.mouse.get_pos()), float(getattr(event, "precise_y", event.y))

    def finish(self) -> None:
        """Commit the typed text and leave the field."""
        self._commit()
        self.focus = None

    def leave(self, form: Form) -> None:
        """Discard the text being typed in a form, and its focus."""
        if self.focus is not None and self.focus[0] is form:
            self.focus = self.typing = None

    def open(self, form: Form) -> None:
        """Make a form modal: it receives all keys until it is closed."""
        self.finish()
        self.modal = form

    def close(self, form: Form) -> None:
        """Close a modal form."""
        if self.modal is form:
            self.modal = self.focus = self.typing = None

    @property
    def focused(self) -> Item | None:
        """The control with the keyboard focus, or None if its form is not shown."""
        if self.focus is None or self.focus[0] not in self._reachable:
            return None
        return self.focus[0].find(self.focus[1])

    @property
    def _reachable(self) -> list[Form]:
        return [self.modal] if self.modal is not None else self.forms

    def type_in(self, form: Form, key: Key) -> None:
        """Start typing in a field; the first key replaces its value."""
        item = form.find(key)
        if item is not None and isinstance(item.what, Field):
            self.focus, self.typing = (form, key), Typing(item.what.shown(), is_fresh=True)

    def go(self, way: int) -> None:
        """Commit the typed text and focus the next control, or the previous one if `way` is -1."""
        self._commit()
        chain = [(form, item.key) for form in self._reachable for item in form.items if item.is_stop]
        if not chain:
            return
        at = chain.index(self.focus) if self.focus in chain else -1 if way > 0 else 0
        self.focus = form, key = chain[(at + way) % len(chain)]
        form.reveal(key)
        item = form.find(key)
        if item is not None and isinstance(item.what, Text) and item.what.is_live:
            self.type_in(form, key)

    def handle_key(self, event: pygame.event.Event) -> bool:
        """Handle a key press; return True if the focused control used it or the focus moved."""
        item = self.focused
        if item is None:
            self.typing = None
        if event.key == pygame.K_TAB and not event.mod & _WITH_OTHERS:
            self.go(-1 if event.mod & pygame.KMOD_SHIFT else 1)
            return True
        if self.focus is None or item is None:
            return False
        if self.typing is not None and isinstance(item.what, Field):
            return self._type(event, item.what, self.typing)
        if event.mod & _WITH_OTHERS:
            return False
        if event.key == pygame.K_ESCAPE:
            self.focus = None
            return self.modal is None
        return self._use(event, item, self.focus[0])

    def _use(self, event: pygame.event.Event, item: Item, form: Form) -> bool:
        """Handle a key press at a control that is not being typed in."""
        what, way = item.what, _ARROWS.get(event.key, 0)
        if isinstance(what, Slider | Number) and way:
            what.move(way * (_FAST if event.mod & pygame.KMOD_SHIFT else 1.0))
        elif isinstance(what, Area) and what.step is not None and way:
            what.step(way)
        elif way:
            self.go(1 if event.key in (pygame.K_RIGHT, pygame.K_DOWN) else -1)
        elif isinstance(what, Field):
            starts = event.key != pygame.K_SPACE and bool(event.unicode) and event.unicode.isprintable()
            if not starts and event.key not in (*ENTER, pygame.K_BACKSPACE):
                return False
            self.type_in(form, item.key)
            if event.key not in ENTER and self.typing is not None:
                self._type(event, what, self.typing)
        elif event.key not in (*ENTER, pygame.K_SPACE):
            return False
        elif isinstance(what, Button):
            what.press()
            if what.release is not None:
                what.release()
        return True

    def _type(self, event: pygame.event.Event, what: Field, typing: Typing) -> bool:
        """Handle a key press in a field; return False for keys that a live field does not use."""
        text, is_live = "" if typing.is_fresh else typing.text, isinstance(what, Text) and what.is_live
        if event.key == pygame.K_ESCAPE:
            self.focus = self.typing = None
            if isinstance(what, Text) and is_live:
                what.change("")
            return True
        if event.key in ENTER:
            self._commit()
            if isinstance(what, Text) and what.enter is not None:
                what.enter()
            return True
        if event.key in (pygame.K_UP, pygame.K_DOWN):
            if isinstance(what, Text):
                (self.go if what.step is None else what.step)(1 if event.key == pygame.K_DOWN else -1)
            else:
                self.typing = None
                what.move(_ARROWS[event.key] * (_FAST if event.mod & pygame.KMOD_SHIFT else 1.0))
            return True
        if event.key in (pygame.K_BACKSPACE, pygame.K_DELETE):
            text = "" if event.mod & _CONTROL else text[:-1]
        elif event.key in (pygame.K_LEFT, pygame.K_RIGHT, pygame.K_END):  # append to the shown value
            text = typing.text
        elif event.unicode and event.unicode.isprintable() and not event.mod & _CONTROL:
            text = (text + event.unicode)[:_MAX_TYPED]
        else:
            return not is_live
        self.typing = Typing(text)
        if isinstance(what, Text) and is_live:
            what.change(text)
        return True

    def _commit(self) -> None:
        """Commit the typed text to the field, or report what is wrong with it."""
        item, typing, self.typing = self.focused, self.typing, None
        if item is None or typing is None or typing.is_fresh:
            return
        try:
            if isinstance(item.what, Field):
                item.what.read(typing.text.strip())
        except LabError as error:
            self.refuse(str(error))

    def draw_tip(self, surface: pygame.Surface) -> None:
        """Draw the tooltip of the control under the resting pointer, otherwise of the focused one, on top of everything else.

        In a column of controls it is beside the column, level with its control; in a bar or another wide form, above or below its control.
        """
        pointed = next((form for form in reversed(self._reachable) if form.hovered is not None), None)
        if pointed is not None and self._rested >= _TIP_DELAY:
            form, item = pointed, pointed.hovered
        elif self.focus is not None and self.typing is None:
            form, item = self.focus[0], self.focused
        else:
            return
        if item is None or not item.what.tip:
            return
        self._draw_tip(surface, item.what.tip, form.rect(item), form.place)

    def draw_tip_at(self, surface: pygame.Surface, words: str, place: pygame.Rect) -> None:
        """Draw a tooltip above a place that is no control, if the pointer rests."""
        if self._rested >= _TIP_DELAY:
            self._draw_tip(surface, words, place, surface.get_rect())

    def _draw_tip(self, surface: pygame.Surface, words: str, rect: pygame.Rect, column: pygame.Rect) -> None:
        """Draw a tooltip of a place in a column of controls, or in another form that is wider than high."""
        fonts, width = self.fonts, min(self.px(260), surface.get_width() - self.px(20))
        lines = [(line, palette.TEXT) for line in fonts.wrapped(words, 12.0, width)]
        plate = pygame.Rect((0, 0), lines_size(fonts, lines, 12.0))
        room, gap = surface.get_rect(), self.px(4)
        plate.topleft = column.right + gap, rect.top
        if plate.right > room.right:
            plate.right = column.left - gap
        if plate.left < room.left or column.width > column.height:
            plate.midbottom = rect.centerx, rect.top - gap
        if plate.top < room.top:
            plate.top = rect.bottom + gap
        plate.clamp_ip(room)
        draw_lines(surface, fonts, plate.topleft, lines, 12.0, 255)
