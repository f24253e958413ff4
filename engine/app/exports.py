"""Steps of the past to files, out of the window: films and tables (CSV), some steps at a time, so that the window stays alive."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.film import MIN_SIDE, Film, FilmError, FrameTimes, usual_rate
from engine.app.frame import painter_for
from engine.app.messages import Messages
from engine.common.errors import LabError
from engine.scenes.tables import Tables

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.render.canvas import Canvas

__all__ = ["MAX_STEPS", "FilmExport", "PastExport", "TablesExport"]

MAX_STEPS = 3600
"""Steps that tables are written of where no span is marked: a minute at 60 Hz."""
_WIDEST_GIF = 800
"""Pixels; a wider view is made smaller."""


class PastExport:
    """Goes through the past from one step to another, some steps in each frame of the window.

    Parameters
    ----------
    session : Session
        With a history; it is paused, and returns to where it stood.
    path : Path
        The first of the files.
    first, last : int
        Steps.

    Raises
    ------
    LabError
        The demo has no past.
    """

    budget: ClassVar[float] = 0.03
    """Seconds of a frame of the window spent on it."""

    def __init__(self, session: Session, path: Path, first: int, last: int) -> None:
        if session.timeline.history is None:
            raise LabError("this demo has no world or no history")
        self.path, self.first, self.last = path, first, last
        self._session, self._history = session, session.timeline.history
        self._back_to, self._was_paused = session.timeline.history.now, session.clock.paused

    def _begin(self) -> None:
        self._session.clock.paused = True
        self._history.seek(self.first)

    @property
    def words(self) -> str:
        """What has been written, once it is there."""
        raise NotImplementedError

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return (self._history.now - self.first) / max(self.last - self.first, 1)

    def work(self) -> bool:
        """Go on for some milliseconds; True when the files are there.

        Raises
        ------
        LabError, OSError
            It cannot be finished: the disk is full, or gone; `cancel` then.
        """
        started = perf_counter()
        while self._history.now < self.last:
            self._history.seek(self._history.now + 1)
            self._take()
            if perf_counter() - started > self.budget:
                return False
        if not self._is_finished():
            return False
        self._return()
        return True

    def cancel(self) -> None:
        """Leave nothing of the files, and go back to where the session stood."""
        self._discard()
        self._return()

    def _take(self) -> None:
        """Write down the step at which the session stands."""
        raise NotImplementedError

    def _is_finished(self) -> bool:
        """Go on with what is left to be done after the last step; return whether there is no more of it."""
        raise NotImplementedError

    def _discard(self) -> None:
        raise NotImplementedError

    def _return(self) -> None:
        self._history.seek(min(self._back_to, self._history.last))
        self._session.clock.reset()
        self._session.clock.paused = self._was_paused


class TablesExport(PastExport):
    """Takes steps of the past again, and writes down what they did: contacts, states of bodies, times.

    Parameters
    ----------
    session, first, last
        As of `PastExport`.
    paths : three of Path
        For contacts, states, times; files that are not there yet.

    Raises
    ------
    LabError
        The demo has no past, or no world.
    OSError
        No file can be made there.
    """

    def __init__(self, session: Session, paths: tuple[Path, Path, Path], first: int, last: int) -> None:
        super().__init__(session, paths[0], first, last)
        if not session.demo.stages:
            raise LabError("this demo has no world or no history")
        self._paths, self._tables = paths, Tables(*paths)
        self._begin()
        self._take()

    @property
    def words(self) -> str:
        return f"steps {self.first} to {self.last} written to {', '.join(path.name for path in self._paths)} in {self.path.parent}"

    def _take(self) -> None:
        stages = self._session.demo.stages
        self._tables.add(self._history.now, [stage.world for stage in stages], [(stage.times.step, stage.times.check) for stage in stages])

    def _is_finished(self) -> bool:
        self._tables.close()
        return True

    def _discard(self) -> None:
        self._tables.discard()


class FilmExport(PastExport):
    """Films the view as it is shown, at the speed that is set; the session is paused afterwards.

    Parameters
    ----------
    session, path, first, last
        As of `PastExport`; MP4 or GIF by the ending of the path.
    window_size : (width, height)
        Pixels, of which the session's view is a part.
    ui_scale : float
    paint_over : callable
        Draws over the bodies what the window draws there too.
    """

    budget = 0.04

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
        super().__init__(session, path, first, last)
        self._was_paused, self._over = True, paint_over
        self._surface = pygame.Surface(window_size)
        self._painter = painter_for(session.demo, ui_scale)
        self._view = session.view.whole
        seen = pygame.Rect(self._view).clip(self._surface.get_rect())  # of a very small window some lies outside
        self._crop = pygame.Rect(seen.left, seen.top, seen.width // 2 * 2, seen.height // 2 * 2)
        if min(self._crop.size) < MIN_SIDE:
            raise FilmError(f"the view is smaller than {MIN_SIDE} pixels")
        factor = min(1.0, _WIDEST_GIF / self._crop.width) if path.suffix.lower() == ".gif" else 1.0
        self._size = round(factor * self._crop.width) // 2 * 2, round(factor * self._crop.height) // 2 * 2
        rate = usual_rate(path)
        self._times = FrameTimes(rate, session.clock.speed)
        self._film = Film(path, self._size, rate)
        self._closing: Future[None] | None = None
        self._begin()
        self._draw(self._times.first())

    @property
    def words(self) -> str:
        return f"{self._film.words} written to {self.path}"

    def work(self) -> bool:
        if self._closing is None and self._session.view.whole != self._view:
            raise FilmError("the size of the view changed, so the film was abandoned")
        return super().work()

    def _take(self) -> None:
        self._draw(self._times.after_step(self._session.demo.step_seconds))

    def _draw(self, fractions: list[float]) -> None:
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
            sized = picture if picture.get_size() == self._size else pygame.transform.smoothscale(picture, self._size)
            self._film.add(pygame.image.tobytes(sized, "RGB"))

    def _is_finished(self) -> bool:
        if self._closing is None:
            self._closing = ThreadPoolExecutor(1).submit(self._film.close)
        if not self._closing.done():
            return False
        self._closing.result()
        return True

    def _discard(self) -> None:
        if self._closing is not None and self._closing.exception() is None:  # which waits for its end
            self.path.unlink(missing_ok=True)
        self._film.discard()
