"""Parts of the window that lie beside the view or over it: the time line, tools, plots. Each is a class of its own, in a file of its own.

    +-------+---------------------------+-------+
    | panel | view                      | right |
    |       |                           | docks |
    |       |                           |       |
    |       +---------------------------+       |
    |       | bottom docks              |       |
    +-------+---------------------------+-------+
    | strip                                     |
    +-------------------------------------------+

The window gives a dock its place, its events before anybody else's, and a call each frame; a dock says how much of the view it wants
(`size`, 0 to be out of sight), and draws there, and over the view too, if it has marks to put on bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from engine.app.layout import Place

if TYPE_CHECKING:
    import pygame

    from engine.app.window import Window
    from engine.render.canvas import Canvas
    from engine.render.fonts import FontBook

__all__ = ["Dock", "carve"]

Side = Literal["bottom", "right", "over"]

_LEAST_VIEW = 0.45
"""Share of the view's width or height that docks leave to it, whatever they want."""


class Dock:
    """Base class of the parts; see the module.

    Attributes
    ----------
    side : "bottom", "right" or "over"
        Where it lies; "over" is the whole view.
    keys : tuple of (key, meaning)
        For the overlay of keys.
    place : (left, top, width, height)
        Pixels; set by the window.
    fonts : FontBook
        Set by the window; `fonts.ui_scale` is screen pixels to a design pixel.
    """

    side: ClassVar[Side] = "bottom"
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    always: ClassVar[bool] = False
    """Whether it takes part while the browser is shown too, and in demos without a history."""
    title: ClassVar[str] = ""
    """Heading of its keys."""
    place: Place = (0, 0, 0, 0)
    fonts: FontBook

    @property
    def size(self) -> float:
        """Design pixels of the view's height ("bottom") or width ("right") that it wants now; 0 to be hidden."""
        return 0.0

    def begin(self, window: Window) -> None:
        """Look at another session: `window.session` has changed."""

    def handle(self, event: pygame.event.Event, window: Window) -> bool:
        """Take in an event, before panel and view do; True keeps it from them."""
        return False

    def update(self, window: Window, elapsed: float) -> None:
        """Called once a frame, before the demo's steps."""

    def paint(self, canvas: Canvas, window: Window) -> None:
        """Draw over the bodies, world coordinates."""

    def draw(self, surface: pygame.Surface, window: Window) -> None:
        """Draw in its own place."""


def carve(view: Place, ui_scale: float, docks: tuple[Dock, ...]) -> Place:
    """Give each dock its place and return what is left of the view.

    Docks that want too much together are all made smaller by the same factor.
    """
    left, top, width, height = view
    wanted = {side: sum(dock.size for dock in docks if dock.side == side) * ui_scale for side in ("right", "bottom")}
    across = min(1.0, (1.0 - _LEAST_VIEW) * width / wanted["right"]) if wanted["right"] else 1.0
    down = min(1.0, (1.0 - _LEAST_VIEW) * height / wanted["bottom"]) if wanted["bottom"] else 1.0
    right, bottom = left + width, top + height
    for dock in docks:
        if dock.side == "right":
            own = round(dock.size * ui_scale * across)
            right -= own
            dock.place = (right, top, own, height)
    for dock in docks:
        if dock.side == "bottom":
            own = round(dock.size * ui_scale * down)
            bottom -= own
            dock.place = (left, bottom, right - left, own)
    rest = (left, top, right - left, bottom - top)
    for dock in docks:
        if dock.side == "over":
            dock.place = rest
    return rest
