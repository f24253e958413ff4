"""What the pointer does in the view: it takes hold of what lies there, moves the view, and goes close to a difference that is clicked.

left    on a ring of a difference:  a click goes close; a drag takes hold of what lies there
        elsewhere:                  takes hold of a body, pulls, and lets go
right   on what the demo can turn:  turns it;   elsewhere it moves the view, as the middle button does everywhere
wheel   what the demo does with it;   otherwise it zooms
"""

from __future__ import annotations

import math

import pygame

from engine.app.frame import FoundDifference
from engine.demo.session import Session

__all__ = ["Pointing"]

_CLICK = 4.0
"""Design pixels that a pressed pointer may move and still mean a click."""
_LEFT, _MIDDLE, _RIGHT = 1, 2, 3

Pixel = tuple[int, int]


class Pointing:
    """The buttons of the pointer in the view of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._holding = self._panning = 0
        """The button that does so; 0 for none."""
        self._clicked: tuple[Pixel, FoundDifference] | None = None

    def press(self, event: pygame.event.Event, found: FoundDifference | None) -> None:
        """A button goes down in the view; `found` is the difference there."""
        if event.button == _LEFT:
            if found is not None:
                self._clicked = (event.pos, found)
            else:
                self._grip("grab", event.pos, _LEFT)
        elif event.button == _MIDDLE or (event.button == _RIGHT and (self._holding or not self._grip("turn", event.pos, _RIGHT))):
            self._panning = event.button

    def move(self, event: pygame.event.Event, ui_scale: float) -> None:
        """The pointer moves, over the view or dragged out of it."""
        if self._clicked is not None and math.dist(self._clicked[0], event.pos) > _CLICK * ui_scale:
            self._grip("grab", self._clicked[0], _LEFT)
            self._clicked = None
        if self._panning:
            self._session.view.pan(*event.rel)
        if self._holding:
            self._session.act("drag", self._session.view.camera.to_world(event.pos))

    def release(self, event: pygame.event.Event) -> None:
        """A button goes up, wherever; pygame counts a notch of the wheel as a button too."""
        if event.button == _LEFT and self._clicked is not None:
            found, self._clicked = self._clicked[1], None
            self._session.look_at(*found)
        elif event.button == self._panning:
            self._panning = 0
        elif event.button == self._holding:
            self._ungrip()

    def wheel(self, pixel: Pixel, notches: float) -> None:
        """The wheel turns over the view."""
        if not self._session.act("on_wheel", self._session.view.camera.to_world(pixel), notches):
            self._session.view.zoom(pixel, notches)

    def let_go(self) -> None:
        """Whatever is being done ends: the window is no longer the one that is used."""
        self._ungrip()
        self._panning = 0
        self._clicked = None

    def _grip(self, how: str, pixel: Pixel, button: int) -> bool:
        """Take hold, to pull or to turn, of what lies under a pixel; return whether there is something."""
        is_held = bool(self._session.act(how, self._session.view.camera.to_world(pixel)))
        self._holding = button if is_held else 0
        return is_held

    def _ungrip(self) -> None:
        if self._holding:
            self._holding = 0
            self._session.release()
