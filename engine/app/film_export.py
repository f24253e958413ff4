"""A span of time to a film, out of the window: a few frames at a time, so that the window stays alive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING

import pygame

from engine.app.film import FilmError, open_film, usual_rate
from engine.app.film_frames import FrameTimes, rgb_of
from engine.app.frame import painter_for
from engine.common.errors import LabError
from engine.demo.base import Demo
from engine.demo.messages import Messages
from engine.history.history import History

if TYPE_CHECKING:
    from engine.demo.session import Session
    from engine.render.canvas import Canvas

__all__ = ["FilmExport"]

_BUDGET = 0.04
"""Seconds of a frame of the window spent on frames of the film."""
_WIDEST_GIF = 800
"""Pixels; a wider view is made smaller."""
_DRAWN_SHARES = {True: 0.7, False: 0.97}
"""How far the bar is when the frames are drawn, of a GIF, whose colours are chosen and written then, and of an MP4."""

_SMALLEST = 16
"""Pixels of the picture's sides; encoders take blocks of 16."""


class FilmExport:
    """Films the view as it is shown, at the speed that is set, from one step of the history to another.

    Parameters
    ----------
    session : Session
        With a history; it is paused, and returns to where it stood.
    window_size : (width, height)
        Pixels, of which the session's view is a part.
    ui_scale : float
    path : Path
        MP4 or GIF by its ending.
    first, last : int
        Steps.
    paint_over : callable
        Draws over the bodies what the window draws there too.
    """

    def __init__(
        self,
        session: Session,
        window_size: tuple[int, int],
        ui_scale: float,
        path: Path,
        first: int,
        last: int,
        paint_over: Callable[[Canvas], None] | None = None,
    ) -> None:
        if session.timeline.history is None:
            raise FilmError("there is no history to film")
        self.path, self.first, self.last = path, first, last
        self._session, self._history, self._over = session, session.timeline.history, paint_over
        self._back_to = session.timeline.history.now
        self._surface = pygame.Surface(window_size)
        self._painter = painter_for(session.demo, ui_scale)
        self._view = session.view.camera.view
        left, top, width, height = self._view
        seen = pygame.Rect(left, top, width, height).clip(self._surface.get_rect())  # of a very small window some lies outside
        self._crop = pygame.Rect(seen.left, seen.top, seen.width // 2 * 2, seen.height // 2 * 2)
        if min(self._crop.size) < _SMALLEST:
            raise FilmError(f"the view is smaller than {_SMALLEST} pixels")
        self._is_gif = path.suffix.lower() == ".gif"
        factor = min(1.0, _WIDEST_GIF / max(self._crop.width, 1)) if self._is_gif else 1.0
        self._size = round(factor * self._crop.width) // 2 * 2, round(factor * self._crop.height) // 2 * 2
        rate = usual_rate(path)
        self._times = FrameTimes(rate, session.clock.speed)
        self._film = open_film(path, self._size, rate)
        self._closing: Thread | None = None
        self._closed_share = 0.0
        self._error: BaseException | None = None
        session.clock.paused = True
        self._history.seek(first)
        self._take(self._times.first())

    @property
    def words(self) -> str:
        """How long the film is, in how many frames, and where, once it is there."""
        return f"{self._film.words} written to {self.path}"

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        drawn = (self._history.now - self.first) / max(self.last - self.first, 1)
        share = _DRAWN_SHARES[self._is_gif]
        return share * drawn + (1.0 - share) * self._closed_share

    def work(self) -> bool:
        """Go on for some milliseconds; True when the film is there.

        Raises
        ------
        LabError
            It cannot be finished; nothing is left of it.
        """
        if self._closing is not None:
            return self._is_closed()
        if self._session.view.camera.view != self._view:
            raise FilmError("the view has another size now: the film was given up")
        started = perf_counter()
        while self._history.now < self.last:
            self._history.seek(self._history.now + 1)
            self._take(self._times.after_step(self._session.demo.step_seconds))
            if perf_counter() - started > _BUDGET:
                return False
        self._closing = Thread(target=self._close, name="film", daemon=True)
        self._closing.start()
        return False

    def cancel(self) -> None:
        """Leave nothing of the film, and go back to where the session stood."""
        if self._closing is not None:
            self._closing.join()
            if self._error is None:
                self.path.unlink(missing_ok=True)
        self._film.discard()
        self._return()

    def _take(self, fractions: list[float]) -> None:
        clock = self._session.clock
        for fraction in fractions:
            told, self._session.messages = self._session.messages, Messages()  # what the window says is no part of the film
            clock.paused = False
            clock.show(fraction)
            try:
                self._painter.prepare(self._session)
                self._painter.paint(self._surface, self._session, paint_over=self._over)
            finally:
                clock.paused, self._session.messages = True, told
            picture = self._surface.subsurface(self._crop)
            self._film.add(rgb_of(picture if picture.get_size() == self._size else pygame.transform.smoothscale(picture, self._size)))

    def _close(self) -> None:
        try:
            self._film.close(self._note_share)
        except BaseException as error:  # told by `work`, in the window's thread
            self._error = error

    def _note_share(self, share: float) -> None:
        self._closed_share = share

    def _is_closed(self) -> bool:
        if self._closing is None or self._closing.is_alive():
            return False
        if isinstance(self._error, LabError):
            raise self._error
        if self._error is not None:
            raise FilmError(f"{self.path.name} could not be finished: {self._error}")
        self._return()
        return True

    def _return(self) -> None:
        history: History[Demo] = self._history
        history.seek(min(self._back_to, history.last))
        self._session.clock.reset()
        self._session.clock.paused = True
