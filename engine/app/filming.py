"""From steps to frames: draws a demo for a film, without a window.

A film at `rate` frames a second and `speed` shows world time k speed / rate in frame k. Between two steps the picture is drawn at the
fraction where that time lies, as in the window: slow motion is smooth. The view is the demo alone unless the panel is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.app.film import LARGEST_SIDE, SMALLEST_SIDE, Film
from engine.app.film_frames import FrameTimes, rgb_of
from engine.common.errors import InvalidInputError
from engine.demo.base import Demo

if TYPE_CHECKING:
    import pygame

    from engine.demo.session import Session

__all__ = ["DESIGN_SIZE", "Filming", "film_size"]

DESIGN_SIZE = (1280, 720)


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


def _view_alone(demo: Demo, size: tuple[int, int], scale: float) -> tuple[Session, Draw]:
    from engine.app.frame import painter_for
    from engine.demo.session import Session

    session, painter = Session(demo, (0, 0, *size)), painter_for(demo, scale)

    def draw(surface: pygame.Surface) -> None:
        painter.prepare(session)
        painter.paint(surface, session)

    return session, draw


def _whole_window(demo: Demo, size: tuple[int, int], scale: float, window_on: Callable[..., object]) -> tuple[Session, Draw]:
    from engine.app.window import Window

    window = window_on(demo, size, scale)
    assert isinstance(window, Window)
    return window.session, window.show


def n_frames(seconds: float, rate: float, speed: float = 1.0) -> int:
    """Return how many frames so many seconds of the world make.

    Examples
    --------
    >>> n_frames(1.0, 60.0), n_frames(1.0, 60.0, 0.25)
    (61, 241)
    """
    return math.floor(seconds * rate / speed + 1e-6) + 1
