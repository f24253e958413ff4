"""Controls drawn in a picture: sliders, buttons, links, and further views of the same world.

They are recorded on the canvas as they are drawn; on a mouse press the window looks up the control under the pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pygame

from engine.render.camera import Camera

__all__ = ["Control", "Controls"]


@dataclass(frozen=True, slots=True)
class Control:
    """A control in the picture: a slider, a button or a link, depending on which attributes are set.

    Attributes
    ----------
    place : pygame.Rect
        Pixels.
    parameter, ends
        A slider: the demo's parameter that it sets, and its values at the left and right end of the place.
    key : str
        A button: the key that it presses.
    page : str
        A link: a page in docs, such as "algorithms/gjk.md#derivation".
    """

    place: pygame.Rect
    parameter: str = ""
    ends: tuple[float, float] = (0.0, 0.0)
    key: str = ""
    page: str = ""

    def value_at(self, x: float) -> float:
        """Return the value of a slider under a pixel."""
        share = (x - self.place.left) / max(self.place.width, 1)
        return self.ends[0] + min(max(share, 0.0), 1.0) * (self.ends[1] - self.ends[0])


@dataclass(slots=True)
class Controls:
    """All controls of a picture, and the rectangles in which another camera shows its world."""

    all: list[Control] = field(default_factory=list)
    views: list[tuple[pygame.Rect, Camera]] = field(default_factory=list)

    def at(self, pixel: Sequence[int]) -> Control | None:
        """Return the control under a pixel."""
        return next((control for control in self.all if control.place.collidepoint(pixel[0], pixel[1])), None)

    def view_at(self, pixel: Sequence[int]) -> Camera | None:
        """Return the camera of the view under a pixel; None if it is the picture's own."""
        return next((camera for place, camera in self.views if place.collidepoint(pixel[0], pixel[1])), None)
