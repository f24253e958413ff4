"""When the frames of a film are due, and their pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pygame

__all__ = ["FrameTimes", "rgb_of"]

_EPSILON = 1e-9
"""Of a step: a frame that is due right after a step is drawn there, however its time was rounded."""


class FrameTimes:
    """Says at which fractions of a step frames are due.

    Parameters
    ----------
    rate : float
        Frames a second.
    speed : float
        World seconds to a second of the film.

    Examples
    --------
    >>> times = FrameTimes(64.0, 0.5)
    >>> times.first(), times.after_step(1 / 64), times.after_step(1 / 64)
    ([1.0], [0.5, 1.0], [0.5, 1.0])
    """

    def __init__(self, rate: float, speed: float = 1.0) -> None:
        self._every = speed / rate
        self._count = 0
        self._elapsed = 0.0

    def first(self) -> list[float]:
        """Return what is due before the first step: one frame of the beginning."""
        self._count = 1
        return [1.0]

    def after_step(self, seconds: float) -> list[float]:
        """Return the fractions, more than 0 and at most 1, of a step of so many seconds at which frames are due."""
        start, self._elapsed = self._elapsed, self._elapsed + seconds
        due = []
        while self._count * self._every <= self._elapsed + _EPSILON * seconds:
            due.append(min(max((self._count * self._every - start) / seconds, 0.0), 1.0))
            self._count += 1
        return due


def rgb_of(surface: pygame.Surface) -> bytes:
    """Return the pixels of a surface as rows of red, green and blue."""
    import pygame

    return pygame.image.tobytes(surface, "RGB")
