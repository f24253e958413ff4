"""Room for words in the picture: each label gets a free place beside its point, or none.

A label may lie on any of eight sides of its point. The first side counts on which it touches no other label, no plate and no
edge of the view; where there is none the label is left out: nothing is written over anything else.
"""

from __future__ import annotations

from collections.abc import Sequence

import pygame

__all__ = ["LabelRoom"]

_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
"""Where the label's middle lies from its point: right, left, above, below, and the corners between."""


class LabelRoom:
    """What is taken of a view.

    Parameters
    ----------
    view : (left, top, width, height)
        Pixels.
    """

    def __init__(self, view: tuple[int, int, int, int]) -> None:
        self._view = pygame.Rect(view)
        self._taken: list[pygame.Rect] = []

    def take(self, place: pygame.Rect) -> None:
        """Note that something lies there."""
        self._taken.append(place)

    def is_free(self, place: pygame.Rect) -> bool:
        """Tell whether a place lies in the view and nothing lies there."""
        return self._view.contains(place) and place.collidelist(self._taken) < 0

    def beside(
        self, point: tuple[float, float], size: tuple[int, int], gap: float, sides: Sequence[tuple[int, int]] = _SIDES
    ) -> pygame.Rect | None:
        """Return a free place of `size` pixels at `gap` from a point, and take it; None if there is none."""
        width, height = size
        for across, down in sides:
            slant = 0.7 if across and down else 1.0
            left = point[0] + across * (slant * gap + 0.5 * width) - 0.5 * width
            top = point[1] + down * (slant * gap + 0.5 * height) - 0.5 * height
            place = pygame.Rect(round(left), round(top), width, height)
            if self.is_free(place):
                self._taken.append(place)
                return place
        return None
