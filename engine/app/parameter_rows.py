"""Rows for numbers and choices in a panel's column: a slider, with the value over it, or a row of buttons."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

import pygame
import pygame_gui
from pygame_gui.elements import UIButton, UIHorizontalSlider

from engine.app.widgets import ScrollPanel, mark
from engine.render import palette
from engine.render.fonts import FontBook
from engine.sim.parameters import Parameter

__all__ = ["ParameterRows"]


class ParameterRows:
    """Parameters in a column; `value` tells what each is now, by its name. What is chosen is kept until `take`."""

    def __init__(self, column: ScrollPanel, fonts: FontBook, value: Callable[[str], float]) -> None:
        self._column, self._fonts, self._value = column, fonts, value
        self._sliders: list[tuple[UIHorizontalSlider, Parameter]] = []
        self._values_at: list[tuple[int, Parameter]] = []
        self._choices: dict[UIButton, tuple[Parameter, int]] = {}
        self._groups: dict[UIButton, tuple[Parameter, int]] = {}
        """Buttons of the groups that are not shown, with the first value of each."""
        self._shown_groups: list[tuple[Parameter, str]] = []
        self._pending: dict[str, float] = {}
        self._refreshed: Hashable = None
        """All that the widgets were made to show last."""

    def add(self, y: int, parameter: Parameter) -> int:
        """Add a slider, or a row of buttons for a choice; return the y under it."""
        column, room = self._column, self._column.width
        if not parameter.choices:
            self._values_at.append((y, parameter))
            ends = (parameter.shown(end) for end in (*parameter.slider_range, self._value(parameter.name)))
            room -= max(self._fonts.width(words, 13.0, True) for words in ends) + column.px(8)
        top, y = y, column.add_text(y, parameter.description or parameter.name, 12.5, palette.TEXT, width=room)
        if parameter.note:
            y = column.add_text(y - column.px(2), parameter.note, 11.0, palette.CAPTION) + column.px(1)
        if parameter.choices:
            groups, shown = parameter.grouped, self._group(parameter)
            self._shown_groups.append((parameter, shown))
            if len(groups) > 1:
                y = self._add_choices(y, parameter, {values[0]: title for title, values in groups.items()}, groups[shown][0]) + column.px(3)
            return self._add_choices(y, parameter, {k: parameter.choices[k].replace("_", " ") for k in groups[shown]}) + column.px(2)
        column.add_tip((column.left, top, column.width, y - top), parameter.tooltip)
        place = (column.left, y, column.width, column.px(14))
        slider = column.add_slider(place, parameter.on_slider(self._value(parameter.name)), parameter.slider_ends, parameter.tooltip)
        self._sliders.append((slider, parameter))
        return y + column.px(18)

    def _add_choices(self, y: int, parameter: Parameter, words: Mapping[int, str], chosen: int | None = None) -> int:
        """Add a button for each value of `words`; one of a group is `chosen` for good, others follow the value."""
        buttons, y = self._column.add_choices(y, tuple(words.values()), self._column.px(22), tips=[parameter.tooltip] * len(words))
        for button, value in zip(buttons, words, strict=True):
            if chosen is None:
                self._choices[button] = parameter, value
            elif value == chosen:
                mark(button, True)
            else:
                self._groups[button] = parameter, value
        return y

    def _group(self, parameter: Parameter) -> str:
        """Return the title of the group with the present value."""
        value = round(self._value(parameter.name))
        return next((title for title, values in parameter.grouped.items() if value in values), next(iter(parameter.grouped)))

    @property
    def is_outdated(self) -> bool:
        """True if a choice of a group whose buttons are not shown has been made, so that the rows have to be built again."""
        return any(self._group(parameter) != shown for parameter, shown in self._shown_groups)

    def handle(self, event: pygame.event.Event) -> None:
        """Take in what is pressed, clicked or moved."""
        if event.type == pygame_gui.UI_BUTTON_PRESSED and event.ui_element in self._groups:
            parameter, first = self._groups[event.ui_element]
            self._pending[parameter.name] = float(first)
        elif event.type == pygame_gui.UI_BUTTON_PRESSED and event.ui_element in self._choices:
            parameter, index = self._choices[event.ui_element]
            value = self._pending.get(parameter.name, self._value(parameter.name))
            self._pending[parameter.name] = parameter.chosen(value, index)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._click_track(event.pos)
        elif event.type == pygame_gui.UI_HORIZONTAL_SLIDER_MOVED:
            for slider, parameter in self._sliders:
                if slider is event.ui_element:
                    self._pending[parameter.name] = parameter.snapped(float(event.value))

    def take(self) -> dict[str, float]:
        """Return what was chosen since the last call, by name: the last value, however many moves there were."""
        pending, self._pending = self._pending, {}
        return pending

    @property
    def dragged(self) -> str:
        """The name of what is changed by a thumb that is held now; empty for none."""
        held = [one.name for slider, one in self._sliders if slider.sliding_button is not None and slider.sliding_button.held]
        return held[0] if held else ""

    def refresh(self) -> None:
        """Make the widgets show the values as they are, if they do not."""
        sliders = [(slider.current_value, slider.sliding_button is not None and slider.sliding_button.held) for slider, _ in self._sliders]
        names = *(parameter.name for _, parameter in self._sliders), *(parameter.name for parameter, _ in self._choices.values())
        state = *sliders, *map(self._value, names), *self._pending
        if state == self._refreshed:
            return
        self._refreshed = state
        for slider, parameter in self._sliders:
            low, high = parameter.slider_ends
            value = self._value(parameter.name)
            held = slider.sliding_button is not None and slider.sliding_button.held
            is_shown = parameter.snapped(float(slider.get_current_value())) == min(
                max(value, parameter.slider_range[0]), parameter.slider_range[1]
            )
            if not held and parameter.name not in self._pending and not is_shown:
                slider.set_current_value(min(max(parameter.on_slider(value), low), high), warn=False)
        for button, (parameter, index) in self._choices.items():
            value = self._value(parameter.name)
            chosen = parameter.has(value, index) if parameter.several else round(value) == index
            if chosen != button.is_selected:
                mark(button, chosen)

    def shows(self) -> Hashable:
        """Return all that `draw` draws and that changes by itself."""
        return tuple(self._value(parameter.name) for _, parameter in self._values_at)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the values over their sliders."""
        column, right = self._column, self._column.left + self._column.width
        for top, parameter in self._values_at:
            value = self._fonts.render(parameter.shown(self._value(parameter.name)), 13, palette.ACCENT, True)
            surface.blit(value, value.get_rect(topright=(right, column.shifted(top))))

    def _click_track(self, at: tuple[int, int]) -> None:
        """Move a slider's thumb to a click beside it; pygame_gui's own sliders only know drags."""
        for slider, parameter in self._sliders:
            thumb = slider.sliding_button
            if thumb is None or not slider.rect.collidepoint(at) or thumb.rect.collidepoint(at):
                continue
            low, high = parameter.slider_ends
            room = max(slider.rect.width - thumb.rect.width, 1)
            share = min(max((at[0] - slider.rect.left - 0.5 * thumb.rect.width) / room, 0.0), 1.0)
            value = parameter.snapped(low + share * (high - low))
            slider.set_current_value(parameter.on_slider(value), warn=False)
            self._pending[parameter.name] = value
