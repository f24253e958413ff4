"""The panel beside a running demo: what to watch, time, parameters, what is shown, what the referee says."""

from __future__ import annotations

import math
from collections.abc import Hashable

import pygame
import pygame_gui
from pygame_gui import UIManager
from pygame_gui.elements import UIButton

from engine.app.keys import LAYERS, Command
from engine.app.motion_panel import MotionPanel
from engine.app.parameter_rows import ParameterRows
from engine.app.referee_panel import RefereePanel
from engine.app.session import Session
from engine.app.stepper_requests import door_of_demo
from engine.app.widgets import ScrollPanel, mark
from engine.render import palette
from engine.render.camera import Place
from engine.render.fonts import FontBook

__all__ = ["DemoPanel"]

_GO_ON = "Go on"


class DemoPanel:
    """Widgets for one session, in a place (left, top, width, height); `motion` is the part about motion of the panel before it."""

    def __init__(self, manager: UIManager, fonts: FontBook, place: Place, session: Session, motion: MotionPanel | None = None) -> None:
        self.column = ScrollPanel(manager, fonts, place)
        self.referee = RefereePanel(self.column, fonts, session)
        self.motion = MotionPanel(self.column, fonts, session, motion)
        self._parameters = ParameterRows(self.column, fonts, session.demo.parameter)
        self._fonts = fonts
        self._session = session
        self._commands: dict[UIButton, Command] = {}
        self._toggles: list[tuple[UIButton, Command]] = []
        self._pause: UIButton | None = None
        self._has_world = bool(session.demo.stages)
        self._build()

    def is_of(self, session: Session) -> bool:
        """Tell whether it is the panel of a session."""
        return self._session is session

    def handle(self, event: pygame.event.Event) -> Command | None:
        """Return the command a widget's event gives; slider moves and choices are kept until `apply`, those of motion in `motion`."""
        self.motion.handle(event)
        self._parameters.handle(event)
        return self._commands.get(event.ui_element) if event.type == pygame_gui.UI_BUTTON_PRESSED else None

    def apply(self) -> None:
        """Give the demo, and what drives it, the parameters moved since the last frame: once, however many moves there were."""
        for name, value in self._parameters.take().items():
            self._session.set_parameter(name, value)
        if self._has_world:
            self.motion.apply()

    def refresh(self) -> None:
        """Make the widgets show the session's state."""
        wanted = _GO_ON if self._session.clock.paused else "Pause"
        if self._pause is not None and self._pause.text != wanted:
            self._pause.set_text(wanted)
        self._parameters.refresh()
        self.motion.refresh()
        for button, command in self._toggles:
            shown = bool(getattr(self._session.layers, command.value))
            if shown != button.is_selected:
                mark(button, shown)

    def shows(self, check: str) -> Hashable:
        """Return all that `draw` draws and that changes by itself."""
        session = self._session
        values = self._parameters.shows()
        return session.demo.steps, values, session.clock.pace, session.costs.shown, check, self.motion.shows(), self.column.shifted(0)

    def draw(self, surface: pygame.Surface, missing: str) -> None:
        """Draw ground and texts; `missing` says why there is no live check, empty if there is one."""
        self.column.draw_ground(surface)
        column, ui = self.column, self._fonts
        clip = surface.get_clip()
        surface.set_clip(column.seen.clip(clip))
        self._parameters.draw(surface)
        if self._has_world:
            pace = ui.render(self._session.clock.pace, 13, palette.ACCENT, True)
            middle = (column.left + column.width // 2, column.shifted(self._pace_at))
            surface.blit(pace, pace.get_rect(center=middle))
        self.motion.draw(surface)
        self.referee.draw(surface, missing)
        surface.set_clip(clip)

    def _build(self) -> None:
        column, demo = self.column, self._session.demo
        gap, row = column.px(5), column.px(25)
        y = column.px(8)
        third = (column.width - 2 * gap) // 3
        self._button((column.left, y, third, row), "‹  Demos", Command.BACK)
        self._button((column.left + third + gap, y, third, row), "Menu", Command.MENU)
        self._button((column.left + column.width - third, y, third, row), "Keys  F1", Command.HELP)
        y += row + column.px(7)
        y = column.add_text(y, demo.title, 18.0, palette.TEXT, bold=True)
        y = column.add_text(y, demo.watch, 12.0, palette.CAPTION) + column.px(6)

        half = (column.width - gap) // 2
        if self._has_world:
            step = () if self._session.is_shared else (("Step", Command.STEP),)  # it would be everybody's
            words = (("Pause", Command.PAUSE), *step, ("Restart", Command.RESTART), ("View", Command.HOME))
            needed = max(self._fonts.width(name, 13.0) for name in (*(name for name, _ in words), _GO_ON)) + column.px(10)
            n = len(words) if len(words) * (needed + column.px(4)) <= column.width + column.px(4) else 2
            wide = (column.width - (n - 1) * column.px(4)) // n
            buttons = [
                self._button((column.left + k % n * (wide + column.px(4)), y + k // n * (row + column.px(4)), wide, row), name, command)
                for k, (name, command) in enumerate(words)
            ]
            self._pause = buttons[0]
            y += (math.ceil(len(words) / n) - 1) * (row + column.px(4)) + row + gap
            third = column.px(74)
            self._button((column.left, y, third, row), "Slower", Command.SLOWER)
            self._button((column.left + column.width - third, y, third, row), "Faster", Command.FASTER)
            self._pace_at = y + row // 2
        else:
            self._button((column.left, y, half, row), "Restart", Command.RESTART)
            self._button((column.left + half + gap, y, half, row), "View", Command.HOME)
            if door_of_demo(demo) is not None:
                y += row + gap
                self._button((column.left, y, column.width, row), "Step through it  F6", Command.WATCH)
        y += row + column.px(6)

        for parameter in demo.parameters:
            y = self._parameters.add(y, parameter)
        y += column.px(3)
        if self._has_world:
            y = self.motion.build(y) + column.px(3)

        y = self.referee.reserve_counts(y) + column.px(4)
        if not self._has_world:
            return
        y = column.add_text(y, "SHOW", 11.0, palette.CAPTION, bold=True) + column.px(1)
        for k, (command, (name, _)) in enumerate(LAYERS.items()):
            left = column.left + (k % 2) * (half + gap)
            button = self._button((left, y, half, column.px(22)), f"{k + 1}  {name}", command, "toggle")
            self._toggles.append((button, command))
            if k % 2 == 1 or k == len(LAYERS) - 1:
                y += column.px(25)
        self.referee.reserve_reasons(y + column.px(4))

    def _button(self, place: Place, words: str, command: Command, kind: str = "") -> UIButton:
        button = self.column.add_button(place, words, kind)
        self._commands[button] = command
        return button
