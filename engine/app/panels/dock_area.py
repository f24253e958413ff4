"""All docks of a window: the order of their events, their places, and the order of drawing.

Docks are active in a running demo with a history; only those with `always` are also active in the browser and in demos without a history.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

import pygame

from engine.app.editor.editor import Editor
from engine.app.navigator import Navigator
from engine.app.panels.camera_dock import CameraDock
from engine.app.panels.dock import Dock, WindowActions, carve
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.panels.network_dock import NetworkDock
from engine.app.panels.people_dock import PeopleDock
from engine.app.panels.plot_dock import PlotDock
from engine.app.panels.recording_dock import RecordingDock
from engine.app.panels.timeline_dock import TimelineDock
from engine.app.panels.tools_dock import ToolsDock
from engine.app.screen import Screen, SurfaceCache
from engine.render.camera import Place
from engine.ui.form import Form
from engine.ui.ui import Ui

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.app.status_strip import Note
    from engine.render.canvas import Canvas
    from engine.render.fonts import FontBook

__all__ = ["DockArea", "make_docks"]

Kind = TypeVar("Kind", bound=Dock)
_LEAST = 20
"""Minimum side of a drawable area, pixels; smaller docks are not drawn."""


class DockArea:
    """The docks, in event order."""

    def __init__(self, docks: tuple[Dock, ...], navigator: Navigator, ui: Ui) -> None:
        self.docks = docks
        for dock in docks:
            dock.form = Form(ui)
        self._navigator = navigator
        self._sizes = (0.0,) * len(docks)
        self._n_opened = 0

    def active(self) -> tuple[Dock, ...]:
        """Return the active docks."""
        left_out = "own" if self._navigator.session.is_shared else "shared"
        docks = tuple(dock for dock in self.docks if dock.worlds != left_out)
        return docks if self._navigator.has_docks else tuple(dock for dock in docks if dock.always)

    def offer(self, event: pygame.event.Event, session: Session) -> bool:
        """Offer an event to the docks; return True if one used it."""
        return any(dock.handle(event, session) for dock in self.active())

    @property
    def is_outdated(self) -> bool:
        """True if a dock has appeared or disappeared since the last layout."""
        return self._sizes != self._wanted

    def pop_request(self) -> bool:
        """Return True if the user has opened or closed a dock since the last call; a selection opens the inspector without being asked."""
        is_asked_for = any(dock.is_asked_for for dock in self.docks)
        for dock in self.docks:
            dock.is_asked_for = False
        return is_asked_for

    def carve(self, view: Place, ui_scale: float) -> Place:
        """Place the docks in the view, and return the rest of the view."""
        for dock, size, was in zip(self.docks, self._wanted, self._sizes, strict=True):
            if size > 0.0 and not was:
                dock.opened = self._n_opened = self._n_opened + 1
        rest = carve(view, ui_scale, self.active()) if self._navigator.has_docks else view
        self._sizes = self._wanted
        return rest

    @property
    def _wanted(self) -> tuple[float, ...]:
        """Requested size of each dock, design pixels; inactive docks are left out."""
        active = self.active()
        return tuple(dock.size if dock in active else 0.0 for dock in self.docks)

    def find(self, kind: type[Kind]) -> Kind | None:
        """Return the dock of a class; None off-screen."""
        return next((dock for dock in self.docks if isinstance(dock, kind)), None)

    def update(self, session: Session, elapsed: float) -> None:
        """Update the docks, once per frame."""
        for dock in self.active():
            dock.update(session, elapsed)

    def note(self, session: Session) -> Note | None:
        """Return the first text of a dock for the status strip."""
        return next((note for dock in self.active() if (note := dock.note(session)) is not None), None)

    def use_fonts(self, fonts: FontBook) -> None:
        """Set the fonts for the window's scale."""
        for dock in self.docks:
            dock.fonts = fonts

    def keys(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """Return the docks' section of the page of keys: (heading, keys)."""
        return tuple((dock.title, dock.keys) for dock in self.active() if dock.keys) if self._navigator.has_docks else ()

    def paint(self, canvas: Canvas, session: Session) -> None:
        """Draw the docks' drawings over the bodies."""
        for dock in self.active():
            dock.paint(canvas, session)

    def draw(self, surface: pygame.Surface, session: Session, cache: SurfaceCache) -> None:
        """Draw the docks beside the view, then those over it."""
        docks = self.active()
        for dock in docks:
            if dock.side != "over" and min(dock.place[2:]) >= _LEAST:
                paint = partial(dock.draw, surface, session)
                cache.draw(surface, dock, dock.place, partial(dock.shows, session), paint, dock.show())
        for dock in reversed(docks):  # the dock that receives events first is drawn over the others
            if dock.side == "over":
                dock.draw(surface, session)


def make_docks(navigator: Navigator, screen: Screen, actions: WindowActions) -> tuple[Dock, ...]:
    """Return new docks for a window, in event order.

    Docks with text fields come first, then those that cover the view, in which the tools work.
    """
    editor = Editor()
    inspector = InspectorDock(editor)
    timeline = TimelineDock(actions)
    recording = RecordingDock(timeline, lambda: screen.layout.size, actions)
    files = FilesDock(navigator, screen, actions)
    return (
        recording,
        inspector,
        files,
        CameraDock(editor),
        ToolsDock(editor, actions),
        timeline,
        PeopleDock(actions),
        NetworkDock(navigator.end_sharing),
        PlotDock(),
    )
