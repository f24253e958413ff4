"""From steps to frames: draws a demo for a film, without a window.

A film at `rate` frames a second and `speed` shows world time k speed / rate in frame k. Between two steps the picture is drawn at the
fraction where that time lies, as in the window: slow motion is smooth. The view is the demo alone unless the panel is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.app.film import LARGEST_SIDE, SMALLEST_SIDE, Film
from engine.common.errors import InvalidInputError
from engine.demo.base import Demo

if TYPE_CHECKING:
    import pygame

    from engine.demo.session import Session

__all__ = ["DESIGN_SIZE", "Filming", "FrameTimes", "film_size"]

DESIGN_SIZE = (1280, 720)
_EPSILON = 1e-9
"""Of a step: a frame that is due right after a step is drawn there, however its time was rounded."""


def film_size(words: str | None) -> tuple[int, int]:
    """Return width and height, both even, of words such as ``640x360``; 1280 x 720 of none.

    Examples
    --------
    >>> film_size("641x360"), film_size(None)
    ((640, 360), (1280, 720))
    """
    if words is None:
        return DESIGN_SIZE
    sides = words.lower().split("x")
    if len(sides) != 2 or not all(side.isdecimal() and len(side) < 6 for side in sides):
        raise InvalidInputError("--size", f"WIDTHxHEIGHT, {SMALLEST_SIDE} to {LARGEST_SIDE} pixels a side, such as 640x360", words)
    return int(sides[0]) // 2 * 2, int(sides[1]) // 2 * 2


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


class Filming:
    """Draws a demo into a film, step by step.

    Parameters
    ----------
    demo : Demo
        As it stands at the beginning of the film.
    film : Film
    size : (width, height)
    times : FrameTimes
    with_panel : bool
        Draw the whole window, and not the view alone.

    Notes
    -----
    To be used between `begin` and `end` of pygame: `engine.app.headless.no_screen`.
    """

    def __init__(self, demo: Demo, film: Film, size: tuple[int, int], times: FrameTimes, with_panel: bool = False) -> None:
        import pygame

        from engine.app.headless import window_on

        self._demo, self._film, self._times = demo, film, times
        self._surface = pygame.Surface(size)
        scale = max(min(size[0] / DESIGN_SIZE[0], size[1] / DESIGN_SIZE[1], 4.0), 0.75)
        self._session, self._draw = _whole_window(demo, size, scale, window_on) if with_panel else _view_alone(demo, size, scale)
        for _ in range(2):  # the first measures the readout, for which the second leaves room
            self._draw(self._surface)
        self._take(times.first())

    def stepped(self) -> None:
        """Draw what is due; to be called after each step."""
        self._session.costs.observe(self._demo.times)
        self._take(self._times.after_step(self._demo.step_seconds))

    def _take(self, fractions: list[float]) -> None:
        for fraction in fractions:
            self._session.clock.show(fraction)
            self._draw(self._surface)
            self._film.add(rgb_of(self._surface))


Draw = Callable[["pygame.Surface"], None]


def rgb_of(surface: pygame.Surface) -> bytes:
    """Return the pixels of a surface as rows of red, green and blue."""
    import pygame

    return pygame.image.tobytes(surface, "RGB")


def _view_alone(demo: Demo, size: tuple[int, int], scale: float) -> tuple[Session, Draw]:
    from engine.app.frame import painter_for
    from engine.demo.session import Session

    session, painter = Session(demo, (0, 0, *size)), painter_for(demo, scale)
    return session, lambda surface: painter.paint(surface, session)


def _whole_window(demo: Demo, size: tuple[int, int], scale: float, window_on: Callable[..., object]) -> tuple[Session, Draw]:
    from engine.app.window import Window

    window = window_on(demo, size, scale)
    assert isinstance(window, Window)
    return window.session, window.draw


def n_frames(seconds: float, rate: float, speed: float = 1.0) -> int:
    """Return how many frames so many seconds of the world make.

    Examples
    --------
    >>> n_frames(1.0, 60.0), n_frames(1.0, 60.0, 0.25)
    (61, 241)
    """
    return math.floor(seconds * rate / speed + 1e-6) + 1
