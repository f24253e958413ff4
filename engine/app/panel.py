"""The panel beside a running demo: what to watch, time, parameters, what is shown, what the referee says."""

from __future__ import annotations

from collections import Counter

import pygame
import pygame_gui
from pygame_gui import UIManager
from pygame_gui.elements import UIButton, UIHorizontalSlider

from engine.app.keys import LAYER_COMMANDS, LAYER_NAMES, Command
from engine.app.layout import Place
from engine.app.parameters import Parameter
from engine.app.session import Session
from engine.app.widgets import ScrollPanel, mark
from engine.contracts.agreement import REASONS
from engine.render import palette
from engine.render.debug_draw import reason_color
from engine.render.fonts import FontBook
from engine.render.hud import draw_paragraph
from engine.render.palette import Color

__all__ = ["DemoPanel"]

_CHECK_STEP = 18
"""Design pixels between two lines about the check."""


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
        self._choices: dict[UIButton, tuple[Parameter, int]] = {}
        self._toggles: list[tuple[UIButton, Command]] = []
        self._pending: dict[str, float] = {}
        self._build()

    def handle(self, event: pygame.event.Event) -> Command | None:
        """Return the command a widget's event gives; slider moves and choices are kept until `apply`."""
        if event.type == pygame_gui.UI_BUTTON_PRESSED:
            if event.ui_element in self._choices:
                parameter, index = self._choices[event.ui_element]
                self._pending[parameter.name] = float(index)
            return self._commands.get(event.ui_element)
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._click_track(event.pos)
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
        demo = self._session.demo
        for slider, parameter in self._sliders:
            low, high = parameter.slider_range
            value = min(max(demo.parameter(parameter.name), low), high)
            held = slider.sliding_button is not None and slider.sliding_button.held
            if not held and parameter.name not in self._pending and parameter.snapped(float(slider.get_current_value())) != value:
                slider.set_current_value(value, warn=False)
        for button, (parameter, index) in self._choices.items():
            chosen = round(demo.parameter(parameter.name)) == index
            if chosen != button.is_selected:
                mark(button, chosen)
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
        if not check:
            self._draw_reasons(surface)

    def draw_over(self, surface: pygame.Surface) -> None:
        """Draw what lies over the widgets."""
        self.column.draw_over(surface)

    def _build(self) -> None:
        column, demo = self.column, self._session.demo
        gap, row = column.px(5), column.px(25)
        y = column.px(8)
        self._button((column.left, y, column.px(98), row), "‹  Demos", Command.BACK)
        self._button((column.left + column.width - column.px(78), y, column.px(78), row), "Keys  F1", Command.HELP)
        y += row + column.px(7)
        y = column.add_text(y, demo.title, 18.0, palette.TEXT, bold=True)
        y = column.add_text(y, demo.watch, 12.0, palette.CAPTION) + column.px(6)

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
        y += row + column.px(6)

        for parameter in demo.parameters:
            y = self._add_parameter(y, parameter)
        y += column.px(3)

        y = column.add_text(y, "EVERY CONTACT, COMPUTED TWICE", 11.0, palette.CAPTION, bold=True)
        self._check_at = y
        y = column.reserve(y, column.px(3 * _CHECK_STEP)) + column.px(4)
        y = column.add_text(y, "SHOW", 11.0, palette.CAPTION, bold=True) + column.px(1)
        for k, command in enumerate(LAYER_COMMANDS):
            left = column.left + (k % 2) * (half + gap)
            button = self._button((left, y, half, column.px(22)), f"{k + 1}  {LAYER_NAMES[command]}", command, "toggle")
            self._toggles.append((button, command))
            if k % 2 == 1:
                y += column.px(25)
        self._reasons_at = y + column.px(4)

    def _add_parameter(self, y: int, parameter: Parameter) -> int:
        """Add a slider, or a row of buttons for a choice; return the y under it."""
        column, demo = self.column, self._session.demo
        if not parameter.choices:
            self._values_at.append((y, parameter))
        column.add_text(y, parameter.description or parameter.name, 12.5, palette.TEXT)
        y += column.px(18)
        if parameter.note:
            y = column.add_text(y - column.px(2), parameter.note, 11.0, palette.CAPTION) + column.px(1)
        if parameter.choices:
            buttons, y = column.add_choices(y, parameter.choices, column.px(22))
            self._choices.update((button, (parameter, k)) for k, button in enumerate(buttons))
            return y + column.px(2)
        place = (column.left, y, column.width, column.px(14))
        self._sliders.append((column.add_slider(place, demo.parameter(parameter.name), parameter.slider_range), parameter))
        return y + column.px(18)

    def _click_track(self, at: tuple[int, int]) -> None:
        """Move a slider's thumb to a click beside it; pygame_gui's own sliders only know drags."""
        for slider, parameter in self._sliders:
            thumb = slider.sliding_button
            if thumb is None or not slider.rect.collidepoint(at) or thumb.rect.collidepoint(at):
                continue
            low, high = parameter.slider_range
            room = max(slider.rect.width - thumb.rect.width, 1)
            share = min(max((at[0] - slider.rect.left - 0.5 * thumb.rect.width) / room, 0.0), 1.0)
            value = parameter.snapped(low + share * (high - low))
            slider.set_current_value(value, warn=False)
            self._pending[parameter.name] = value

    def _button(self, place: Place, words: str, command: Command, kind: str = "") -> UIButton:
        button = self.column.add_button(place, words, kind)
        self._commands[button] = command
        return button

    def _draw_check(self, surface: pygame.Surface, top: int, check: str) -> None:
        fonts, left, width = self._fonts, self.column.left, self.column.width
        step = self.column.px(_CHECK_STEP)
        if check:
            for k, line in enumerate(fonts.wrapped(check, 12.5, width)[:3]):
                surface.blit(fonts.render(line, 12.5, palette.CAPTION), (left, top + k * step))
            return
        stages = self._session.demo.stages
        totals = [stage.total for stage in stages]
        agree = sum(total.agree for total in totals)
        explained, unexplained = sum(total.explained for total in totals), sum(total.unexplained for total in totals)
        asleep = sum(int((~stage.world.contacts.evaluated).sum()) for stage in stages)
        rows: list[tuple[tuple[str, Color], ...]] = [
            ((f"{agree:,} agree with Box2D", palette.AGREE),),
            (
                (f"{explained:,} explained,", palette.EXPLAINED if explained else palette.CAPTION),
                (f"{unexplained:,} unexplained", palette.UNEXPLAINED if unexplained else palette.CAPTION),
            ),
        ]
        if asleep:
            rows.append(((f"asleep pairs, not recomputed: {asleep:,}", palette.CAPTION),))
        for k, row in enumerate(rows):
            x = left
            for words, color in row:
                place = surface.blit(fonts.render(words, 13, color, True), (x, top + k * step))
                x += place.width + self.column.px(6)

    def _draw_reasons(self, surface: pygame.Surface) -> None:
        """List the reasons met since the restart, the frequent ones first, each with its sentence; those of the last step in colour."""
        stages = self._session.demo.stages
        now = Counter(difference.reason for stage in stages for difference in stage.agreement.differences)
        met = sum((stage.reasons for stage in stages), Counter[str]())
        if not met:
            return
        column, fonts = self.column, self._fonts
        y = self._reasons_at
        heading = fonts.render("WHERE THEY DIFFER (POINT AT A RING)", 11.0, palette.CAPTION, True)
        surface.blit(heading, (column.left, column.shifted(y)))
        y += column.px(16)
        for key, _ in sorted(met.items(), key=lambda one: (one[0] != "unexplained", -one[1])):
            reason = REASONS[key]
            color = reason_color(key) if now[key] else palette.CAPTION
            name = fonts.render(f"{reason.name}, {now[key]} now" if now[key] else reason.name, 12.0, color, True)
            surface.blit(name, (column.left, column.shifted(y)))
            place = (column.left, column.shifted(y + column.px(16)), column.width)
            end = draw_paragraph(surface, fonts, reason.sentence, place, palette.CAPTION, 11.5)
            y = end - column.shifted(0) + column.px(3)
        column.reserve(self._reasons_at, y - self._reasons_at)
