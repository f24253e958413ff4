"""Rows for the parameters of a demo and the settings of a solver: a slider, or buttons for a choice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.render import palette
from engine.sim.parameters import Parameter
from engine.ui.rows import Button, Buttons, Note, Row, Slider

__all__ = ["parameter_rows"]

_STEP = 0.02
"""Change per arrow key, as a share of a slider, if the parameter is not an integer."""
Set = Callable[[float, bool], object]
"""Called with a value, and True if it continues the previous change of the same drag."""


def parameter_rows(parameter: Parameter, value: float, change: Set) -> list[Row]:
    """Return the rows of a parameter with its value."""
    name = parameter.description or parameter.name
    if parameter.choices:
        return _choice_rows(parameter, value, change, name)
    low, high = parameter.slider_ends
    room, place = high - low, parameter.on_slider(value)
    step = (parameter.on_slider(value + 1.0) - place) / room if parameter.whole else _STEP
    return [
        Slider(
            name,
            parameter.shown(value),
            (place - low) / room,
            lambda share, continues: change(parameter.snapped(low + share * room), continues),
            lambda typed: change(parameter.checked(typed.replace(",", ".").removesuffix(parameter.unit).strip()), False),
            max(step, _STEP if parameter.logarithmic else 0.0),
            parameter.note,
            parameter.tooltip,
        )
    ]


def _choice_rows(parameter: Parameter, value: float, change: Set, name: str) -> list[Row]:
    groups = parameter.grouped
    shown = next((title for title, values in groups.items() if round(value) in values), next(iter(groups)))
    rows: list[Row] = [Note(name, 12.5, palette.TEXT)]
    rows += [Note(parameter.note)] if parameter.note else []
    if len(groups) > 1:
        titles = (
            Button(title, partial(change, float(values[0]), False), parameter.tooltip, is_on=title == shown)
            for title, values in groups.items()
        )
        rows.append(Buttons(tuple(titles)))
    if note := parameter.group_notes.get(shown):
        rows.append(Note(note))
    buttons = tuple(
        Button(
            words,
            partial(change, parameter.chosen(value, k), False),
            tip,
            is_on=parameter.has(value, k) if parameter.several else round(value) == k,
        )
        for k in (range(len(parameter.choices)) if parameter.several else groups[shown])
        for words, tip in (parameter.button(k),)
    )
    return [*rows, Buttons(buttons)]
