"""The panel of a demo: what to watch, what to try, buttons, and the first settings; the rest is folded under *More*."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from engine.app.keys import key_codes
from engine.app.motion_panel import MotionPanel
from engine.app.panels.dock import WindowActions
from engine.app.parameter_rows import parameter_rows
from engine.app.referee_panel import referee_rows
from engine.app.session import Session
from engine.app.stepper_requests import door_of_demo
from engine.render import palette
from engine.render.fonts import FontBook
from engine.sim.parameters import Parameter
from engine.ui.rows import Button, Buttons, Heading, Note, Row

__all__ = ["DemoPanel", "key_buttons"]

_CONTINUE = "Continue"
_FEW = 5
"""Number of parameters visible before *More* is unfolded."""
_LAYERS = ("shapes", "aabbs", "points", "normals", "joints", "centers", "separations", "check", "impulses", "labels")


class DemoPanel:
    """The rows of one session's panel.

    Parameters
    ----------
    session : Session
    actions : WindowActions
        Actions of the window.
    fonts : callable
        Returns the window's fonts.
    """

    def __init__(self, session: Session, actions: WindowActions, fonts: Callable[[], FontBook]) -> None:
        self.motion = MotionPanel(session, actions.choose, fonts)
        self._session, self._actions = session, actions
        self._keys = key_buttons(session.demo.keys)
        in_panel = [parameter for parameter in session.demo.parameters if parameter.in_panel]
        self._subjects = [parameter for parameter in in_panel if parameter.groups]
        """Parameters that define the demo's question, shown before its actions."""
        self._parameters = [parameter for parameter in in_panel if not parameter.groups]
        self._has_world = bool(session.demo.stages)

    def is_of(self, session: Session) -> bool:
        """Return True if this is the panel of the session."""
        return self._session is session

    @property
    def keys(self) -> frozenset[str]:
        """Pygame names of the demo's keys that have a button."""
        return frozenset(name for name, _, _ in self._keys)

    def head(self) -> tuple[Row, ...]:
        """Return the row above the others, which does not scroll."""
        button = self._actions.button
        return (Buttons((button("demos", "‹ Demos"), button("menu"), button("keys")), columns=3),)

    def rows(self, missing: str, is_unfolded: bool) -> list[Row]:
        """Return the rows of this frame; `missing` says why there is no live check, "" if there is one."""
        session, demo, button = self._session, self._session.demo, self._actions.button
        rows: list[Row] = [Note(demo.title, 18.0, palette.TEXT, bold=True), Note(demo.watch, 13.0, palette.TEXT)]
        if demo.tries:
            rows.append(Heading("What to try"))
            rows += [
                Note(words, 12.5, palette.TEXT, lead="tick" if is_done else f"{k + 1}.")
                for k, ((words, _), is_done) in enumerate(zip(demo.tries, self.done(), strict=True))
            ]
        if self._has_world:  # above everything that may have to be scrolled to
            pause = button("pause", *([_CONTINUE] if session.clock.paused else []))
            rows.append(Buttons((pause, button("restart"), button("home")), columns=3))
            rows.append(Buttons((button("slower"), button("faster")), caption=session.clock.pace))
        for parameter in self._subjects:
            rows += self._parameter_rows(parameter)
        if self._keys:
            rows.append(Buttons(tuple(self._key_button(*key) for key in self._keys)))
        for parameter in self._parameters[:_FEW]:
            rows += self._parameter_rows(parameter)
        if not self._has_world:
            rows.append(Buttons((button("restart"), button("home")), columns=2))
            if door_of_demo(demo) is not None:
                rows.append(Buttons((button("step_through"),), columns=1))
        if self._has_world or len(self._parameters) > _FEW:
            rows.append(Buttons((button("more", "{title}  ˄" if is_unfolded else "{title}  ˅"),), columns=1))
            rows += self._more(missing) if is_unfolded else []
        return rows

    def done(self) -> tuple[bool, ...]:
        """Return which of the suggested steps are done."""
        return tuple(any(mark.strip() in self._session.done for mark in marks.split(",")) for _, marks in self._session.demo.tries)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _more(self, missing: str) -> list[Row]:
        rows = [row for parameter in self._parameters[_FEW:] for row in self._parameter_rows(parameter)]
        if not self._has_world:
            return rows
        rows += self.motion.rows()
        layers = self._session.layers
        toggles = tuple(self._actions.button(name, "{key}  {title}", is_on=getattr(layers, name)) for name in _LAYERS)
        rows += [Heading("Show"), Buttons(toggles, columns=2, is_list=True)]
        return rows + referee_rows(self._session, missing, self._actions)

    def _parameter_rows(self, parameter: Parameter) -> list[Row]:
        demo = self._session.demo
        other, choice = parameter.idle_with
        if any(known.name == other and known.shown(demo.parameter(other)) == choice for known in demo.parameters):
            return []
        return parameter_rows(parameter, demo.parameter(parameter.name), partial(self._set, parameter.name))

    def _set(self, name: str, value: float, continues: bool) -> None:
        self._session.set_parameter(name, value)

    def _key_button(self, name: str, key: str, words: str) -> Button:
        """Return a button that holds a key of the demo down while it is pressed."""
        session = self._session
        return Button(
            f"{words}  {key}", partial(session.press, name), f"{words} ({key})", release=partial(session.driver.release_key, name)
        )


def key_buttons(keys: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Return (pygame's name, readable name, action) of each of a demo's keys that can be a button.

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
