"""Parts of the window next to the view or over it: the timeline, tools, plots. Each is a class of its own, in a file of its own.

    +-------+---------------------------+-------+
    | panel | view                      | right |
    |       |                           | docks |
    |       |                           |       |  at the edge those that are always open: the tools on the
    |       +---------------------------+       |  right, the timeline below; then those that can close
    |       | bottom docks              |       |
    |       +---------------------------+-------+
    |       | timeline                         |
    +-------+-----------------------------------+
    | strip                                     |
    +-------------------------------------------+

The window places a dock, offers it every event first, and updates it once per frame. A dock returns the part of the view that it needs
(`size`, 0 to be hidden) and its `rows`, each with the effect of a change; it can also draw over the bodies. If there is not enough room for
all open docks, those opened longest ago are closed. The dock opened last is readable in any window and takes more of the view if necessary.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import pygame

from engine.render import palette
from engine.render.camera import Place
from engine.ui.form import Form
from engine.ui.rows import Button, Row

if TYPE_CHECKING:
    from pathlib import Path

    from engine.app.motion_panel import SolverChoice
    from engine.app.session import Session
    from engine.app.status_strip import Note
    from engine.render.canvas import Canvas
    from engine.render.fonts import FontBook

__all__ = ["Dock", "WindowActions", "carve"]

Side = Literal["bottom", "right", "over"]

_MIN_VIEW = {"right": 0.45, "bottom": 0.55}
"""Share of the width and height that docks always leave to the view."""
_MIN_SHARE = 0.85
"""Smallest share of a dock's size at which it is readable; below that, the layout closes other docks instead."""
_NARROWEST_VIEW = 80.0
"""Minimum size of the view beside a dock that would otherwise be unreadable, design pixels."""


class WindowActions(NamedTuple):
    """The functions of the window that panels and docks use.

    A command's button, opening a file, the window's picture, its note, the docks' drawings over the bodies, choosing a solver, zooming in
    on a difference with a given reason, and stepping through it.
    """

    button: Callable[..., Button]
    """Called with a command's id, and with its words and other fields of `Button` if they differ."""
    open_file: Callable[[Path], None]
    show: Callable[[pygame.Surface], None]
    note: Callable[[], Note | None]
    paint: Callable[[Canvas], None]
    choose: Callable[[SolverChoice], object]
    look_at: Callable[[str], object]
    step_through: Callable[[str], object]


class Dock:
    """Base class of docks; see the module.

    Attributes
    ----------
    side : "bottom", "right" or "over"
        The dock's edge; "over" is the whole view.
    keys : tuple of (key, meaning)
        Rows for the page of keys.
    place : (left, top, width, height)
        Pixels; set by the window.
    opened : int
        Serial number of its opening; set by the window.
    fonts : FontBook
        Set by the window; `fonts.ui_scale` is screen pixels per design pixel.
    form : Form
        The form with its rows; set by the window.
    """

    side: ClassVar[Side] = "bottom"
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    always: ClassVar[bool] = False
    """True if the dock is also active in the list of demos and in demos without a history."""
    worlds: ClassVar[Literal["own", "shared", "all"]] = "all"
    """The demos in which the dock is active: local ones, shared ones, or all."""
    title: ClassVar[str] = ""
    """Heading of its keys."""
    gives_way: ClassVar[bool] = False
    """True if the dock may be closed for lack of space."""
    extent: ClassVar[float] = 0.0
    """Height or width while it is shown, design pixels."""
    min_extent: ClassVar[float] = 0.0
    """Minimum readable size, design pixels; 0 for most of its size."""
    shown: bool = False
    place: Place = (0, 0, 0, 0)
    opened: int = 0
    is_asked_for: bool = False
    """True if the user has opened or closed it since the last layout."""
    fonts: FontBook
    form: Form
    _rows: tuple[tuple[Row, ...], tuple[Row, ...]] = ((), ())

    @property
    def size(self) -> float:
        """Requested height ("bottom") or width ("right") now, design pixels; 0 to be hidden."""
        return self.extent if self.shown else 0.0

    def toggle_shown(self) -> None:
        """Show or hide the dock, as the user asks for it."""
        self.shown, self.is_asked_for = not self.shown, True
        self.form.ui.leave(self.form)

    @property
    def least(self) -> float:
        """Minimum readable size, design pixels."""
        return self.min_extent or _MIN_SHARE * self.size

    @property
    def is_at_work(self) -> bool:
        """True if the dock's work must continue while the window is hidden."""
        return False

    def begin(self, session: Session) -> None:
        """Switch to another session."""

    def leave(self, session: Session) -> None:
        """Give up a session before another is shown or the window closes."""

    def break_off(self, session: Session) -> None:
        """Finish or delete unfinished files, because the program is about to end after Ctrl-C or an error."""

    def head(self, session: Session) -> Sequence[Row]:
        """Return the rows that do not scroll."""
        return ()

    def rows(self, session: Session) -> Sequence[Row]:
        """Return its rows in this frame."""
        return ()

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        """Handle an event before panel and view; True means it was used."""
        return self.size > 0.0 and self.form.handle(event)

    def update(self, session: Session, elapsed: float) -> None:
        """Update the dock, once per frame before the demo's steps."""

    def paint(self, canvas: Canvas, session: Session) -> None:
        """Draw over the bodies, in world coordinates."""

    def note(self, session: Session) -> Note | None:
        """Return its text and color for the status strip, for use if nothing else is shown."""
        return None

    def show(self) -> Hashable:
        """Show the dock in this frame; return everything besides `shows` that its image depends on: the pointer and the keyboard."""
        return self.form.show()

    def shows(self, session: Session) -> Hashable:
        """Return everything that its image depends on and that changes by itself; while it is equal, the image is reused."""
        self._rows = tuple(self.head(session)), tuple(self.rows(session))
        return self._rows

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        """Draw the dock in its place; a dock over the view draws nothing there by default."""
        if self.side == "over":
            return
        head, rows = self._rows
        self.form.lay_out(rows, self.place, head)
        self.form.draw(surface)
        self.draw_edge(surface)

    def draw_edge(self, surface: pygame.Surface) -> None:
        """Draw the line between the dock and the view."""
        left, top, width, height = self.place
        end = (left, top + height - 1) if self.side == "right" else (left + width - 1, top)
        pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), end)


def carve(view: Place, ui_scale: float, docks: tuple[Dock, ...]) -> Place:
    """Place all docks, close those for which there is no room, and return the rest of the view."""
    left, top, width, height = view
    sizes = {**_sizes("right", width, ui_scale, docks), **_sizes("bottom", height, ui_scale, docks)}
    right, bottom = left + width, top + height
    for gives_way in (False, True):  # the timeline keeps its full length, whatever is opened
        here = [dock for dock in docks if dock.gives_way == gives_way]
        for dock in here:
            if dock.side == "right":
                right -= sizes[dock]
                dock.place = (right, top, sizes[dock], bottom - top)
        for dock in here:
            if dock.side == "bottom":
                bottom -= sizes[dock]
                dock.place = (left, bottom, right - left, sizes[dock])
    rest = (left, top, right - left, bottom - top)
    for dock in docks:
        if dock.side == "over":
            dock.place = rest
    return rest


def _sizes(side: Side, extent: int, ui_scale: float, docks: tuple[Dock, ...]) -> dict[Dock, int]:
    """Return the size of each dock of a side, pixels; the docks opened longest ago are closed if the others need the space."""
    own = [dock for dock in docks if dock.side == side]
    fixed = sum(dock.size for dock in own if not dock.gives_way)
    room = (1.0 - _MIN_VIEW[side]) * extent / ui_scale
    opened = sorted((dock for dock in own if dock.gives_way and dock.size > 0.0), key=lambda dock: dock.opened)
    while len(opened) > 1 and room - fixed < _MIN_SHARE * sum(dock.size for dock in opened):
        opened.pop(0).shown = False
    desired = sum(dock.size for dock in opened)
    share = min((room - fixed) / desired, 1.0) if desired else 1.0
    if len(opened) == 1:  # the dock opened last stays readable
        share = max(share, min(opened[0].least, extent / ui_scale - fixed - _NARROWEST_VIEW) / desired, 0.0)
    fit = min(room / fixed, 1.0) if fixed else 1.0
    return {dock: round(dock.size * (share if dock.gives_way else fit) * ui_scale) for dock in own}
