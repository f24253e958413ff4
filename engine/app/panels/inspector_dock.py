"""The inspector at the right: what is selected, in numbers that can be changed, and the settings of the world.

A page lists its rows anew in every frame, each with its present value and what to do with another; its form lays them out and finds the
row under the pointer. So what is shown is always what is, however it was changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.editor.editor import Editor
from engine.app.editor.joint_page import joint_rows
from engine.app.editor.pages import body_rows, world_rows
from engine.app.editor.rows import Choice, Field, Number, Row, Switch, Text
from engine.app.panels.dock import Dock
from engine.app.panels.sheet import Laid, Sheet, Typing, draw_sheet
from engine.common.errors import LabError
from engine.render import palette
from engine.render.camera import Place
from engine.render.fonts import FontBook
from engine.render.palette import mix

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["Form", "InspectorDock"]

_FAST = 10.0
"""Steps that one click with Shift takes."""
_NOTCH = 40.0
"""Design pixels that one notch of the wheel scrolls."""
_MAX_TYPED = 64
_CLICK = 3.0
"""Design pixels that a pressed pointer may move in a number's box and still mean that it is to be typed."""


class Form:
    """Takes events for rows in a place; `refuse` is told in one line what is wrong with something typed.

    The `sheet` has the rows as they were laid out last.
    """

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self._refuse = refuse
        self.sheet: Sheet | None = None
        self._typing: Typing | None = None
        self._sliding: tuple[str, int, bool] | None = None
        """The number that is dragged, where that began, and whether the pointer has moved since."""
        self._pointer: tuple[int, int] | None = None

    @property
    def is_typing(self) -> bool:
        """Whether keys go into a field."""
        return self._typing is not None

    @property
    def is_pointed(self) -> bool:
        """Whether the pointer is in it."""
        return self._pointer is not None

    @property
    def state(self) -> tuple[object, ...]:
        """How far it is scrolled, which field is typed in, and what."""
        return 0 if self.sheet is None else self.sheet.scrolled, self._typing

    def lay_out(self, rows: Sequence[Row], place: Place, fonts: FontBook) -> None:
        """Take the rows of this frame."""
        self.sheet = Sheet(rows, place, fonts, 0 if self.sheet is None else self.sheet.scrolled)
        if self._typing is not None and self._named(self._typing.name) is None:
            self._typing = None

    def stop_typing(self) -> None:
        """Forget what is being typed."""
        self._typing = None

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the rows in their place."""
        if self.sheet is not None:
            draw_sheet(surface, self.sheet, self._typing, self._pointer)

    # -- events -------------------------------------------------------------------------------------------------------

    def handle(self, event: pygame.event.Event) -> bool:
        """Take in an event; True if it was the form's."""
        sheet = self.sheet
        if sheet is None:
            return False
        inside = hasattr(event, "pos") and sheet.place.collidepoint(event.pos)
        if event.type == pygame.MOUSEMOTION:
            self._pointer = event.pos if inside else None
            if self._sliding is not None:
                self._slide(event.pos[0])
                return True
        elif event.type == pygame.MOUSEBUTTONUP and self._sliding is not None and event.button == 1:
            (name, _, has_moved), self._sliding = self._sliding, None
            row = self._named(name)
            if row is not None and not has_moved:
                self._typing = Typing(name, row.shown(), is_fresh=True)
            return True
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self._take()
            if inside and event.button == 1:
                self._click(sheet, event.pos)
            return bool(inside)
        elif event.type == pygame.MOUSEWHEEL:
            at = getattr(event, "mouse", self._pointer)
            if at is not None and sheet.place.collidepoint(at):
                sheet.scroll(-sheet.px(_NOTCH * float(getattr(event, "precise_y", event.y))))
                return True
        elif event.type == pygame.KEYDOWN and self._typing is not None:
            self._key(event, self._typing)
            return True
        return False

    def _key(self, event: pygame.event.Event, typing: Typing) -> None:
        if event.key == pygame.K_ESCAPE:
            self._typing = None
        elif event.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            self._take()
        elif event.key == pygame.K_TAB:
            self._next(-1 if event.mod & pygame.KMOD_SHIFT else 1)
        elif event.key in (pygame.K_BACKSPACE, pygame.K_DELETE):
            self._typing = Typing(typing.name, "" if typing.is_fresh else typing.text[:-1])
        elif event.key in (pygame.K_UP, pygame.K_DOWN):
            row, steps = self._named(typing.name), _FAST if event.mod & pygame.KMOD_SHIFT else 1.0
            if isinstance(row, Number):
                self._typing = None
                row.change(row.stepped(steps if event.key == pygame.K_UP else -steps))
        elif event.unicode and event.unicode.isprintable() and not event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
            self._typing = Typing(typing.name, (("" if typing.is_fresh else typing.text) + event.unicode)[:_MAX_TYPED])

    def _click(self, sheet: Sheet, at: tuple[int, int]) -> None:
        one = sheet.at(at)
        if one is None:
            return
        row = one.row
        if isinstance(row, Switch):
            row.change(not row.value or row.is_mixed)
        elif isinstance(row, Choice):
            for word, button in zip(row.words, sheet.choice_rects(one), strict=True):
                if button.collidepoint(at):
                    row.change(word)
        elif isinstance(row, Field):
            box, less, more = sheet.field_rects(one)
            steps = _FAST if pygame.key.get_mods() & pygame.KMOD_SHIFT else 1.0
            if isinstance(row, Number) and less.collidepoint(at):
                row.change(row.stepped(-steps))
            elif isinstance(row, Number) and more.collidepoint(at):
                row.change(row.stepped(steps))
            elif box.collidepoint(at) and isinstance(row, Number) and row.span is not None:
                self._sliding = row.name, at[0], False
            elif box.collidepoint(at):
                self._typing = Typing(row.name, row.shown(), is_fresh=True)

    def _slide(self, x: int) -> None:
        """Give the number that is dragged the value under the pointer."""
        assert self._sliding is not None
        name, start, has_moved = self._sliding
        laid = next((one for row, one in self._fields() if row.name == name), None)
        if laid is None or self.sheet is None or not isinstance(laid.row, Number):
            self._sliding = None
        elif has_moved or abs(x - start) > self.sheet.px(_CLICK):
            self._sliding = name, start, True
            box, _, _ = self.sheet.field_rects(laid)
            value = laid.row.at((x - box.left) / max(box.width, 1))
            if value != laid.row.value:
                laid.row.change(value)

    def _take(self) -> None:
        """Give the row what was typed, or say what is wrong with it."""
        typing, self._typing = self._typing, None
        if typing is None or typing.is_fresh:
            return
        row, typed = self._named(typing.name), typing.text.strip()
        if isinstance(row, Text):
            row.change(typed)
        elif isinstance(row, Number):
            number = self._number(row, typed)
            if number is not None:
                row.change(number)

    def _number(self, row: Number, typed: str) -> float | None:
        """Return the number that was typed for a row; None where it is none, which is told."""
        try:
            number = float(int(typed, 0 if "x" in typed.lower() else 10)) if row.whole else float(typed.replace(",", "."))
        except ValueError:
            kind = "a whole number" if row.whole else "a number"
            self._refuse(f"{row.name} must be {kind}{f' of {row.unit}' if row.unit else ''}, got {typed!r}")
            return None
        if not math.isfinite(number):
            self._refuse(f"{row.name} must be a finite number, got {typed}")
            return None
        return number

    def _next(self, way: int) -> None:
        """Take what was typed, and type in the next field."""
        fields = self._fields()
        at = next((k for k, (row, _) in enumerate(fields) if self._typing is not None and row.name == self._typing.name), -1)
        self._take()
        row, laid = fields[(at + way) % len(fields)]
        self._typing = Typing(row.name, row.shown(), is_fresh=True)
        if self.sheet is not None:
            self.sheet.show(laid)

    def _fields(self) -> list[tuple[Field, Laid]]:
        """Return the rows that can be typed in."""
        return [(one.row, one) for one in self.sheet.laid if isinstance(one.row, Field)] if self.sheet is not None else []

    def _named(self, name: str) -> Field | None:
        return next((row for row, _ in self._fields() if row.name == name), None)


_WIDTH = 256.0
_TABS = 34.0
_PAGES = ("Selection", "World")


class InspectorDock(Dock):
    """Two pages; open while the tool that selects is in the hand, and whenever I has opened it.

    Attributes
    ----------
    form : Form
        The rows of the page that is shown.
    """

    side = "right"
    folds = True
    title = "Inspector"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter, Tab, Esc", "in a field: apply, next, cancel"),
        ("Shift click", "on + or -: ten steps at once"),
    )

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.form = Form(editor.say)
        self._is_open = False
        self._was_selecting = False
        self._page = 1
        self._shown: tuple[int, ...] = ()

    @property
    def size(self) -> float:
        return _WIDTH if self._is_open else 0.0

    @property
    def page(self) -> str:
        """Name of the page that is shown."""
        return _PAGES[self._page]

    def begin(self, session: Session) -> None:
        self.editor.begin(session)
        self.form.stop_typing()
        self._is_open = self._was_selecting = False
        self._page = 1

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if self._is_open:
            if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
                for k, rect in enumerate(self._tabs()):
                    if rect.collidepoint(event.pos):
                        self.form.stop_typing()
                        self._page = k
                        return True
            if self.form.handle(event):
                return True
            if event.type == pygame.MOUSEBUTTONDOWN and pygame.Rect(self.place).collidepoint(event.pos):
                return True
        return False

    def toggle(self) -> None:
        """Open or close it."""
        self._is_open = not self._is_open
        self.form.stop_typing()

    def update(self, session: Session, elapsed: float) -> None:
        editor = self.editor
        editor.session = session
        editor.prune()
        if editor.is_selecting != self._was_selecting:
            self._was_selecting = self._is_open = editor.is_selecting
        joint = () if editor.joint is None else (-1, *editor.joint)
        shown = (*(number for one in editor.selection for number in one), *joint)
        if shown != self._shown:  # something else is selected
            if shown:
                self._page = 0
            elif self._shown:
                self._page = 1
            self.form.stop_typing()
            self._shown = shown

    def shows(self, session: Session) -> Hashable:
        demo = session.demo
        if self.form.is_pointed or not demo.stages:
            return None
        state = (demo.steps, tuple(self.editor.selection), self.editor.joint) if self._page == 0 else demo.stages[0].world.settings
        return self._page, self.editor.refusal, self.form.state, state

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        if not self._is_open or self.place[2] < 1:
            return
        left, top, _, height = self.place
        ui = self.fonts.ui_scale
        pygame.draw.rect(surface, palette.PANEL, self.place)
        pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left, top + height - 1))
        for k, rect in enumerate(self._tabs()):
            chosen = k == self._page
            ground = mix(palette.PANEL, palette.ACCENT, 0.42) if chosen else palette.PANEL_RAISED
            pygame.draw.rect(surface, ground, rect, border_radius=round(5 * ui))
            words = self.fonts.render(_PAGES[k], 12.5, palette.TEXT if chosen else palette.CAPTION, chosen)
            surface.blit(words, words.get_rect(center=rect.center))
        self.form.lay_out(self._rows(), self._form_place(), self.fonts)
        self.form.draw(surface)

    # Inside

    def _rows(self) -> list[Row]:
        self.editor.prune()
        try:
            if self._page == 1:
                return world_rows(self.editor)
            return body_rows(self.editor) if self.editor.joint is None else joint_rows(self.editor, self.editor.joint)
        except LabError:  # a body or a joint went in the middle of this frame
            return []

    def _tabs(self) -> list[pygame.Rect]:
        left, top, width, _ = self.place
        ui = self.fonts.ui_scale
        pad, gap, high = round(10 * ui), round(4 * ui), round((_TABS - 12.0) * ui)
        wide = (width - 2 * pad - gap) // 2
        return [pygame.Rect(left + pad + k * (wide + gap), top + round(8 * ui), wide, high) for k in range(2)]

    def _form_place(self) -> Place:
        left, top, width, height = self.place
        tabs = round(_TABS * self.fonts.ui_scale)
        return left + 1, top + tabs, max(width - 1, 0), max(height - tabs, 0)
