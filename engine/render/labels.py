"""Room for words in the picture: each label gets a free place beside its point, or none.

A label may lie on any of eight sides of its point. The first side counts on which it touches no other label, no plate and no
edge of the view; where there is none the label is left out: nothing is written over anything else.

Words that have one place only, a demo's own, take it. Labels that may go elsewhere wait until those are written (`wait`, `settle`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pygame

__all__ = ["ALL_SIDES", "LabelRoom"]

ALL_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
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
        self._words: list[pygame.Rect] = []
        self._waiting: list[Callable[[], object]] = []

    def wait(self, write: Callable[[], object]) -> None:
        """Note what writes labels, to be done when everything that cannot give way has its place."""
        self._waiting.append(write)

    def settle(self) -> None:
        """Write all that waits."""
        waiting, self._waiting = self._waiting, []
        for write in waiting:
            write()

    def take(self, place: pygame.Rect) -> None:
        """Note that words lie there."""
        self._taken.append(place)
        self._words.append(place)

    def keep_off(self, place: pygame.Rect) -> None:
        """Note that no label may lie there, for something is to be seen."""
        self._taken.append(place)

    def has_words(self, place: pygame.Rect) -> bool:
        """Tell whether words have been written there, labels not counted."""
        return place.collidelist(self._words) >= 0

    def is_free(self, place: pygame.Rect) -> bool:
        """Tell whether a place lies in the view and nothing lies there."""
        return self._view.contains(place) and place.collidelist(self._taken) < 0

    def beside(
        self, point: tuple[float, float], size: tuple[int, int], gap: float, sides: Sequence[tuple[int, int]] = ALL_SIDES
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
