"""Exports the past as films and pages, a few steps per frame, so that the window stays responsive."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
from engine.common.files import write_atomically

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.render.canvas import Canvas

__all__ = ["Export", "FilmExport", "PageExport"]

_WIDEST_GIF = 800
"""Maximum width of an exported picture, pixels; wider views are scaled down."""


class Export(ABC):
    """Replays the past of a session and writes it to a file, a few steps per frame of the window.

    The session is paused, and returns to its step afterwards.

    Parameters
    ----------
    session : Session
        With a history.
    path : Path
    first, last : int
        Steps.

    Raises
    ------
    LabError
        The demo has no past.
    """

    budget: ClassVar[float] = 0.04
    """Time per frame of the window, seconds."""

    def __init__(self, session: Session, path: Path, first: int, last: int) -> None:
        history = session.timeline.history
        if history is None:
            raise LabError("this demo has no history")
        self.path, self.first, self.last = path, first, last
        self._session, self._history, self._back_to = session, history, history.now
        self._closing: Future[None] | None = None

    @property
    @abstractmethod
    def words(self) -> str:
        """Message with the name of the written file."""

    @property
    def share(self) -> float:
        """Progress, 0 to 1."""
        return (self._history.now - self.first) / max(self.last - self.first, 1)

    def work(self) -> bool:
        """Continue for some milliseconds; return True once the file exists.

        Raises
        ------
        LabError, OSError
            The file cannot be finished, for example because the disk is full; call `cancel` then.
        """
        started = perf_counter()
        while self._history.now < self.last:
            self._history.seek(self._history.now + 1)
            self._take()
            if perf_counter() - started > self.budget:
                return False
        if self._closing is None:
            self._closing = ThreadPoolExecutor(1).submit(self._write)
        if not self._closing.done():
            return False
        self._closing.result()
        self._return()
        return True

    def cancel(self) -> None:
        """Delete the unfinished file and return to the step at which the session was."""
        if self._closing is not None and self._closing.exception() is None:  # which waits for the thread
            self.path.unlink(missing_ok=True)
        self._return()

    @abstractmethod
    def _take(self) -> None:
        """Export the present step."""

    @abstractmethod
    def _write(self) -> None:
        """Finish the file; runs in a thread."""

    def _begin(self) -> None:
        self._session.clock.paused = True
        self._history.seek(self.first)

    def _return(self) -> None:
        self._history.seek(min(self._back_to, self._history.last))
        self._session.clock.reset()
        self._session.clock.paused = True


class PageExport(Export):
    """Exports a page that plays the past of a session in any browser."""

    def __init__(self, session: Session, path: Path, first: int, last: int) -> None:
        from engine.app.dropped_picture import DroppedPainter
        from engine.player.capture import Capture

        super().__init__(session, path, first, last)
        self._begin()
        self._capture = Capture(session.demo, None, DroppedPainter().draw, last - first)

    @property
    def words(self) -> str:
        return f"A page with {self.last - self.first:,} steps was written to {self.path}"

    def _take(self) -> None:
        self._capture.update()

    def _write(self) -> None:
        from engine.player.page import player_page

        write_atomically(self.path, player_page(self._session.demo.title, [self._capture.packed()]).encode())


class FilmExport(Export):
    """Exports a film of the past of a session as displayed, at the current speed.

    Parameters
    ----------
    session, path, first, last
        As for `Export`; the suffix of the path selects MP4 or GIF.
    window_size : (width, height)
        Pixels; the session's view is a part of the window.
    ui_scale : float
    paint_over : callable
        Draws the window's additional drawings over the bodies.

    Raises
    ------
    LabError
        The demo has no past, or its view is too small.
    """

    def __init__(
        self,
        session: Session,
        path: Path,
        first: int,
        last: int,
        window_size: tuple[int, int],
        ui_scale: float,
        paint_over: Callable[[Canvas], None] | None = None,
    ) -> None:
        super().__init__(session, path, first, last)
        self._over = paint_over
        self._surface = pygame.Surface(window_size)
        self._painter = painter_for(session.demo, ui_scale)
        self._view = session.view.camera.view
        seen = pygame.Rect(self._view).clip(self._surface.get_rect())  # in a very small window, a part lies outside
        self._crop = pygame.Rect(seen.left, seen.top, seen.width // 2 * 2, seen.height // 2 * 2)
        if min(self._crop.size) < MIN_SIDE:
            raise FilmError(f"the view is smaller than {MIN_SIDE} pixels")
        factor = min(1.0, _WIDEST_GIF / self._crop.width) if path.suffix.lower() == ".gif" else 1.0
        self._size = round(factor * self._crop.width) // 2 * 2, round(factor * self._crop.height) // 2 * 2
        rate = usual_rate(path)
        self._times = FrameTimes(rate, session.clock.speed)
        self._film = Film(path, self._size, rate)
        self._begin()
        self._draw(self._times.first())

    @property
    def words(self) -> str:
        return f"{self._film.words} written to {self.path}"

    def work(self) -> bool:
        if self._closing is None and self._session.view.camera.view != self._view:
            raise FilmError("the size of the view changed, so the film was discarded")
        return super().work()

    def cancel(self) -> None:
        if self._closing is not None:
            self._closing.exception()  # waits for the thread
        self._film.discard()
        super().cancel()

    def _take(self) -> None:
        self._draw(self._times.after_step(self._session.demo.step_seconds))

    def _write(self) -> None:
        self._film.close()

    def _draw(self, fractions: list[float]) -> None:
        clock = self._session.clock
        for fraction in fractions:
            messages, self._session.messages = self._session.messages, Messages()  # the window's messages are not part of the film
            clock.paused = False
            clock.show(fraction)
            try:
                self._painter.prepare(self._session)
                self._painter.paint(self._surface, self._session, paint_over=self._over)
            finally:
                clock.paused, self._session.messages = True, messages
            picture = self._surface.subsurface(self._crop)
            sized = picture if picture.get_size() == self._size else pygame.transform.smoothscale(picture, self._size)
            self._film.add(pygame.image.tobytes(sized, "RGB"))
