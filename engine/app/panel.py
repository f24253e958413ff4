"""The panel beside a demo: what to watch, what to try, what it can do, its first settings; the rest is folded under *More*."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Sequence

import pygame
import pygame_gui
from pygame_gui import UIManager
from pygame_gui.elements import UIButton

from engine.app.keys import Label, key_codes
from engine.app.motion_panel import MotionPanel
from engine.app.parameter_rows import ParameterRows
from engine.app.referee_panel import RefereePanel
from engine.app.session import Session
from engine.app.stepper_requests import door_of_demo
from engine.app.widgets import ScrollPanel, mark
from engine.render import palette
from engine.render.camera import Place
from engine.render.fonts import FontBook
from engine.sim.parameters import Parameter

__all__ = ["DemoPanel", "key_buttons"]

_CONTINUE = "Continue"
_FEW = 5
"""Parameters in sight before *More* is unfolded."""
_LAYERS = ("shapes", "aabbs", "points", "normals", "joints", "centers", "separations", "check", "impulses", "labels")


class DemoPanel:
    """Widgets for one session.

    Parameters
    ----------
    manager : UIManager
    fonts : FontBook
    place : (left, top, width, height)
        Pixels.
    session : Session
    label : callable
        From the id of a command to what its button says.
    is_unfolded : bool
        Whether *More* is.
    motion : MotionPanel, optional
        The part about motion of the panel before this one, of the same session.
    """

    def __init__(
        self,
        manager: UIManager,
        fonts: FontBook,
        place: Place,
        session: Session,
        label: Callable[[str], Label],
        is_unfolded: bool,
        motion: MotionPanel | None = None,
    ) -> None:
        self.column = ScrollPanel(manager, fonts, place)
        self.referee = RefereePanel(self.column, fonts, session)
        self.motion = MotionPanel(self.column, fonts, session, motion)
        self.parameters = ParameterRows(self.column, fonts, session.demo.parameter)
        self.buttons: dict[str, UIButton] = {}
        """Of commands, by their ids; of the demo's keys, by pygame's names of them."""
        self._fonts, self._session, self._label, self._is_unfolded = fonts, session, label, is_unfolded
        self._keys: dict[str, UIButton] = {}
        self._held: set[str] = set()
        """Keys that are held down by their buttons."""
        self._steps: list[tuple[int, str]] = []
        """Top of each step of what to try, and what does it."""
        self._pace_at = 0
        self._has_world = bool(session.demo.stages)
        self._build()

    def is_of(self, session: Session) -> bool:
        """Return True if it is the panel of a session."""
        return self._session is session

    def handle(self, event: pygame.event.Event) -> str | None:
        """Return the command of a button; slider moves and choices are kept until `apply`, those of motion in `motion`."""
        self.motion.handle(event)
        self.parameters.handle(event)
        if event.type != pygame_gui.UI_BUTTON_PRESSED:
            return None
        return next((id for id, button in self.buttons.items() if button is event.ui_element and id not in self._keys), None)

    def apply(self) -> None:
        """Give the demo the keys and parameters of the last frame: a parameter once, however often it was moved."""
        for name, button in self._keys.items():
            if button.held and name not in self._held:
                self._held.add(name)
                self._session.press(name)
            elif not button.held and name in self._held:
                self._held.remove(name)
                self._session.driver.release_key(name)
        for name, value in self.parameters.take().items():
            self._session.set_parameter(name, value)
        if self._has_world:
            self.motion.apply()

    @property
    def is_outdated(self) -> bool:
        """True if the panel has to be built again."""
        return self.motion.is_outdated or self.parameters.is_outdated

    def refresh(self) -> None:
        """Make the widgets show the session's state."""
        wanted = _CONTINUE if self._session.clock.paused else self._label("pause").title
        if "pause" in self.buttons and self.buttons["pause"].text != wanted:
            self.buttons["pause"].set_text(wanted)
        self.parameters.refresh()
        self.motion.refresh()
        for name in _LAYERS if "shapes" in self.buttons else ():
            is_shown = bool(getattr(self._session.layers, name))
            if is_shown != self.buttons[name].is_selected:
                mark(self.buttons[name], is_shown)

    def shows(self, check: str) -> Hashable:
        """Return all that `draw` draws and that changes by itself."""
        session = self._session
        shows = session.clock.pace, self.column.shifted(0), self.parameters.shows(), self.done()
        return (*shows, session.demo.steps, session.costs.shown, check, self.motion.shows()) if self._is_unfolded else shows

    def draw(self, surface: pygame.Surface, missing: str) -> None:
        """Draw ground and texts; `missing` says why there is no live check, empty if there is one."""
        self.column.draw_ground(surface)
        column, ui = self.column, self._fonts
        clip = surface.get_clip()
        surface.set_clip(column.seen.clip(clip))
        for (top, _), is_done, k in zip(self._steps, self.done(), range(len(self._steps)), strict=True):
            self._draw_number(surface, column.shifted(top), k + 1, is_done)
        self.parameters.draw(surface)
        if self._has_world:
            pace = ui.render(self._session.clock.pace, 13, palette.ACCENT, True)
            surface.blit(pace, pace.get_rect(center=(column.left + column.width // 2, column.shifted(self._pace_at))))
        if self._is_unfolded:
            self.motion.draw(surface)
            if self._has_world:
                self.referee.draw(surface, missing)
        surface.set_clip(clip)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        column, demo = self.column, self._session.demo
        gap, row = column.px(5), column.px(25)
        y = self._row(column.px(8), ("demos", "menu", "keys"), ("‹ Demos", "Menu", "Keys")) + column.px(3)
        y = column.add_text(y, demo.title, 18.0, palette.TEXT, bold=True)
        y = column.add_text(y, demo.watch, 13.0, palette.TEXT) + column.px(6)
        if demo.tries:
            y = column.add_text(y, "WHAT TO TRY", 11.0, palette.CAPTION, bold=True)
            for words, marks in demo.tries:
                self._steps.append((y, marks))
                y = column.add_text(y, words, 12.5, palette.TEXT, indent=column.px(18)) + column.px(2)
            y += column.px(4)
        rows = [parameter for parameter in demo.parameters if parameter.in_panel]
        for parameter in rows:
            if parameter.groups:  # the subject of the demo comes before what can be done with it
                y = self.parameters.add(y, parameter) + column.px(4)
        rows = [parameter for parameter in rows if not parameter.groups]
        y = self._add_key_buttons(y)
        for parameter in rows[:_FEW]:
            y = self.parameters.add(y, parameter)
        y += column.px(4)
        if self._has_world:
            y = self._row(y, ("pause", "restart", "home"), longest=_CONTINUE)
            side = column.px(74)
            self._button((column.left, y, side, row), "slower")
            self._button((column.left + column.width - side, y, side, row), "faster")
            self._pace_at = y + row // 2
            y += row + gap
        else:
            y = self._row(y, ("restart", "home"))
            if door_of_demo(demo) is not None:
                y = self._row(y, ("step_through",))
        if self._has_world or len(rows) > _FEW:
            words = f"{self._label('more').title}  {'˄' if self._is_unfolded else '˅'}"
            y = self._row(y + column.px(4), ("more",), (words,))
            if self._is_unfolded:
                self._build_more(y, rows[_FEW:])

    def _build_more(self, y: int, parameters: Sequence[Parameter]) -> None:
        column = self.column
        for parameter in parameters:
            y = self.parameters.add(y, parameter)
        if not self._has_world:
            return
        y = self.motion.build(y + column.px(3)) + column.px(3)
        y = column.add_text(y, "SHOW", 11.0, palette.CAPTION, bold=True) + column.px(1)
        gap = column.px(5)
        half = (column.width - gap) // 2
        for k, name in enumerate(_LAYERS):
            label = self._label(name)
            place = (column.left + k % 2 * (half + gap), y + k // 2 * column.px(25), half, column.px(22))
            self._button(place, name, f"{label.key}  {label.title}", "toggle")
        y = self.referee.reserve_counts(y + math.ceil(len(_LAYERS) / 2) * column.px(25) + column.px(6)) + column.px(4)
        self.referee.reserve_reasons(y)

    def _row(self, y: int, ids: Sequence[str], words: Sequence[str] = (), longest: str = "") -> int:
        """Add buttons of equal width, in two columns where they are too wide for one line; return the y under them."""
        column = self.column
        texts = words or [self._label(id).title for id in ids]
        gap, row = column.px(4), column.px(25)
        needed = max(self._fonts.width(text, 13.0) for text in (*texts, longest)) + column.px(10)
        n = len(ids) if len(ids) * (needed + gap) <= column.width + gap else 2
        wide = (column.width - (n - 1) * gap) // n
        for k, (id, text) in enumerate(zip(ids, texts, strict=True)):
            self._button((column.left + k % n * (wide + gap), y + k // n * (row + gap), wide, row), id, text)
        return y + math.ceil(len(ids) / n) * (row + gap)

    def _button(self, place: Place, id: str, words: str = "", kind: str = "") -> None:
        label = self._label(id)
        tip = f"{label.help}{f' ({label.key})' if label.key else ''}"
        self.buttons[id] = self.column.add_button(place, words or label.title, kind, tip)

    def _add_key_buttons(self, y: int) -> int:
        """Add a button for each key of the demo; it holds the key down as long as it is held."""
        found = key_buttons(self._session.demo.keys)
        if not found:
            return y
        room = self.column.width - self.column.px(14)
        words = [self._fonts.shortened(f"{text}  {key}", 13.0, room) for _, key, text in found]
        buttons, y = self.column.add_choices(y, words, self.column.px(24), tips=[f"{text} ({key})" for _, key, text in found])
        self._keys = {name: button for (name, _, _), button in zip(found, buttons, strict=True)}
        self.buttons.update(self._keys)
        return y + self.column.px(6)

    def done(self) -> tuple[bool, ...]:
        """Return which steps of what to try have been done."""
        return tuple(any(one.strip() in self._session.done for one in marks.split(",")) for _, marks in self._steps)

    def _draw_number(self, surface: pygame.Surface, top: int, number: int, is_done: bool) -> None:
        """Draw the number of a step, or a tick in its place."""
        column = self.column
        if not is_done:
            surface.blit(self._fonts.render(f"{number}.", 12.5, palette.CAPTION, True), (column.left, top))
            return
        left, middle, u = column.left, top + column.px(9), column.px(4)
        corners = ((left, middle), (left + u, middle + u), (left + 3 * u, middle - u))
        pygame.draw.lines(surface, palette.AGREE, False, corners, max(2, column.px(2)))


def key_buttons(keys: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Return pygame's name of a key, its name for people, and what it does, for each of a demo's keys that can be a button.

    Examples
    --------
    >>> key_buttons((("Left, Right", "walk left, walk right"), ("Enter, F", "fire"), ("Left drag", "move a shape")))
    [('left', 'Left', 'Walk left'), ('right', 'Right', 'Walk right'), ('return', 'Enter', 'Fire')]
    """
    buttons = []
    for names, words in keys:
        parts, meanings = re.split(r",\s*|\s{2,}", names), words.split(", ")
        pairs = zip(parts, meanings, strict=True) if len(parts) == len(meanings) else [(parts[0], words)]
        for key, meaning in pairs:
            if key_codes(key):
                name = {"Enter": "return"}.get(key, key.lower())
                buttons.append((name, key, meaning[:1].upper() + meaning[1:]))
    return buttons
