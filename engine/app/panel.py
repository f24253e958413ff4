"""The panel beside a running demo: what to watch, time, parameters, what is shown, what the referee says."""

from __future__ import annotations

import pygame
import pygame_gui
from pygame_gui import UIManager
from pygame_gui.elements import UIButton, UIHorizontalSlider

from engine.app.keys import LAYER_COMMANDS, LAYER_NAMES, Command
from engine.app.layout import Place
from engine.app.parameters import Parameter
from engine.app.session import Session
from engine.app.widgets import ScrollPanel, mark
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color

__all__ = ["DemoPanel"]


class DemoPanel:
    """Widgets for one session.

    Parameters
    ----------
    manager : UIManager
    fonts : FontBook
    place : (left, top, width, height)
    session : Session
    """

    def __init__(self, manager: UIManager, fonts: FontBook, place: Place, session: Session) -> None:
        self.column = ScrollPanel(manager, fonts, place)
        self._fonts = fonts
        self._session = session
        self._commands: dict[UIButton, Command] = {}
        self._sliders: list[tuple[UIHorizontalSlider, Parameter]] = []
        self._values_at: list[tuple[int, Parameter]] = []
        self._toggles: list[tuple[UIButton, Command]] = []
        self._pending: dict[str, float] = {}
        self._build()

    def handle(self, event: pygame.event.Event) -> Command | None:
        """Return the command a widget's event gives; slider moves are kept until `apply`."""
        if event.type == pygame_gui.UI_BUTTON_PRESSED:
            return self._commands.get(event.ui_element)
        if event.type == pygame_gui.UI_HORIZONTAL_SLIDER_MOVED:
            for slider, parameter in self._sliders:
                if slider is event.ui_element:
                    self._pending[parameter.name] = parameter.snapped(float(event.value))
        return None

    def apply(self) -> None:
        """Give the demo the parameters moved since the last frame: once, however many moves there were."""
        pending, self._pending = self._pending, {}
        for name, value in pending.items():
            self._session.set_parameter(name, value)

    def refresh(self) -> None:
        """Make the widgets show the session's state."""
        wanted = "Go on" if self._session.clock.paused else "Pause"
        if self._pause.text != wanted:
            self._pause.set_text(wanted)
        for button, command in self._toggles:
            shown = bool(getattr(self._session.layers, command.value))
            if shown != button.is_selected:
                mark(button, shown)

    def draw(self, surface: pygame.Surface, check: str) -> None:
        """Draw ground and texts; `check` says why there is no live check, empty if there is one."""
        self.column.draw_ground(surface)
        column, ui = self.column, self._fonts
        right = column.left + column.width
        for top, parameter in self._values_at:
            value = ui.render(parameter.shown(self._session.demo.parameter(parameter.name)), 13, palette.ACCENT, True)
            surface.blit(value, value.get_rect(topright=(right, column.shifted(top))))
        pace = ui.render(self._session.pace, 13, palette.ACCENT, True)
        middle = (column.left + column.width // 2, column.shifted(self._pace_at))
        surface.blit(pace, pace.get_rect(center=middle))
        self._draw_check(surface, column.shifted(self._check_at), check)

    def _build(self) -> None:
        column, demo = self.column, self._session.demo
        gap, row = column.px(6), column.px(27)
        y = column.px(10)
        self._button((column.left, y, column.px(98), row), "‹  Demos", Command.BACK)
        self._button((column.left + column.width - column.px(78), y, column.px(78), row), "Keys  F1", Command.HELP)
        y += row + column.px(10)
        y = column.add_text(y, demo.title, 19.0, palette.TEXT, bold=True)
        y = column.add_text(y + column.px(2), demo.watch, 12.5, palette.CAPTION) + column.px(8)

        half, quarter = (column.width - gap) // 2, (column.width - 3 * column.px(4)) // 4
        words = (("Pause", Command.PAUSE), ("Step", Command.STEP), ("Restart", Command.RESTART), ("View", Command.HOME))
        buttons = [
            self._button((column.left + k * (quarter + column.px(4)), y, quarter, row), name, command)
            for k, (name, command) in enumerate(words)
        ]
        self._pause = buttons[0]
        y += row + gap
        third = column.px(74)
        self._button((column.left, y, third, row), "Slower", Command.SLOWER)
        self._button((column.left + column.width - third, y, third, row), "Faster", Command.FASTER)
        self._pace_at = y + row // 2
        y += row + column.px(9)

        for parameter in demo.parameters:
            self._values_at.append((y, parameter))
            column.add_text(y, parameter.description or parameter.name, 12.5, palette.TEXT)
            y += column.px(19)
            ends = parameter.slider_range
            slider = column.add_slider((column.left, y, column.width, column.px(16)), demo.parameter(parameter.name), ends)
            self._sliders.append((slider, parameter))
            y += column.px(20)
        y += column.px(4)

        y = column.add_text(y, "SHOW", 11.0, palette.CAPTION, bold=True) + column.px(2)
        for k, command in enumerate(LAYER_COMMANDS):
            left = column.left + (k % 2) * (half + gap)
            button = self._button((left, y, half, column.px(24)), f"{k + 1}  {LAYER_NAMES[command]}", command, "toggle")
            self._toggles.append((button, command))
            if k % 2 == 1:
                y += column.px(27)
        y += column.px(6)
        y = column.add_text(y, "EVERY CONTACT, COMPUTED TWICE", 11.0, palette.CAPTION, bold=True) + column.px(2)
        self._check_at = y
        column.reserve(y, column.px(40))

    def _button(self, place: Place, words: str, command: Command, kind: str = "") -> UIButton:
        button = self.column.add_button(place, words, kind)
        self._commands[button] = command
        return button

    def _draw_check(self, surface: pygame.Surface, top: int, check: str) -> None:
        fonts, left, width = self._fonts, self.column.left, self.column.width
        step = self.column.px(20)
        if check:
            for k, line in enumerate(fonts.wrapped(check, 12.5, width)[:2]):
                surface.blit(fonts.render(line, 12.5, palette.CAPTION), (left, top + k * step))
            return
        totals = [stage.total for stage in self._session.demo.stages]
        agree = sum(total.agree for total in totals)
        explained, unexplained = sum(total.explained for total in totals), sum(total.unexplained for total in totals)
        rows: tuple[tuple[tuple[str, Color], ...], ...] = (
            ((f"{agree:,} agree with Box2D", palette.AGREE),),
            (
                (f"{explained:,} explained,", palette.EXPLAINED if explained else palette.CAPTION),
                (f"{unexplained:,} unexplained", palette.UNEXPLAINED if unexplained else palette.CAPTION),
            ),
        )
        for k, row in enumerate(rows):
            x = left
            for words, color in row:
                place = surface.blit(fonts.render(words, 13, color, True), (x, top + k * step))
                x += place.width + self.column.px(6)
