"""Files that the user opens or drops: a thread reads them while the demo runs; they are opened or added between two steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import pygame

from engine.app.dropped_picture import picture_of
from engine.app.files.opening import drop_size, load_file, refusal, words_of
from engine.app.layout import is_inside
from engine.app.navigator import Navigator
from engine.app.session import Session
from engine.render import palette
from engine.render.camera import Place
from engine.sim.actions import Drop
from engine.sim.background import in_background
from engine.sim.demo import Demo
from engine.sim.recordings import Recording

if TYPE_CHECKING:
    from engine.decompose import BodyFile

__all__ = ["DROP_EVENTS", "Dropper", "pixel_of_drop"]

DROP_EVENTS = (pygame.DROPFILE, pygame.DROPTEXT, pygame.DROPBEGIN, pygame.DROPCOMPLETE)
"""Events of a drop; only files are used."""

_LONG = 3
"""Reading time after which it is shown, seconds."""

Point = tuple[float, float]
Reader = Callable[[str, float], "BodyFile | Recording | type[Demo]"]


@dataclass(slots=True)
class _Reading:
    """A file being read: its demo, the point at which it is dropped, and the size of its body, meters."""

    path: str
    demo: Demo
    point: Point
    size: float
    work: Future[BodyFile | Recording | type[Demo]] | None = None
    started: float = 0.0
    shown: int = 0

    def start(self, read: Reader) -> None:
        """Start reading in a thread."""
        self.started, self.work = perf_counter(), in_background(partial(self._read, read), "dropped file")

    def _read(self, read: Reader) -> BodyFile | Recording | type[Demo]:
        result = read(self.path, self.size)
        if not isinstance(result, type | Recording):
            picture_of(result)  # read here, so that drawing finds it ready
        return result


class Dropper:
    """Reads the files dropped on a window, one after another; `read` runs in a thread and does not touch a world."""

    def __init__(self, read: Reader = load_file) -> None:
        self._read, self._readings = read, deque[_Reading]()
        self._n_together = 0
        self._has_read = False

    @property
    def n_pending(self) -> int:
        """Number of files being read or waiting."""
        return len(self._readings)

    def read(self, path: str, session: Session, at: Point) -> None:
        """Start reading a file dropped at a pixel; several files of one frame are stacked above each other."""
        demo, size = session.demo, drop_size(session.demo.home())
        x, y = session.view.to_world(at)
        self._readings.append(_Reading(path, demo, (x, y + 1.2 * size * self._n_together), size))
        self._n_together += 1
        if len(self._readings) == 1:
            self._readings[0].start(self._read)
        session.messages.say(f"Reading {Path(path).name}", is_passing=True)

    def deliver(self, navigator: Navigator) -> None:
        """Open the recordings and demos that have been read, and add bodies to their demo. Called once per frame.

        In the list of demos, a body starts the chosen demo and is dropped into it.
        """
        self._n_together = 0
        while self._readings and (work := self._readings[0].work) is not None and work.done():
            reading = self._readings.popleft()
            result = work.exception() or work.result()
            self._has_read = True
            if self._readings:
                self._readings[0].start(self._read)
            if reading.demo is not navigator.session.demo and not navigator.browsing:  # the user has switched to another demo
                continue
            if isinstance(result, Recording):
                navigator.play(result)
            elif isinstance(result, type):
                if navigator.open_demo(result) and navigator.session.clock.paused:
                    navigator.session.messages.answer("This scene was paused when it was saved. Space starts it.")
            else:
                if navigator.browsing and not isinstance(result, BaseException):
                    navigator.start(navigator.chosen)
                _put(navigator.session, reading, result)
        if self._readings and self._readings[0].demo is navigator.session.demo:
            self._show_time(self._readings[0], navigator.session)

    def _show_time(self, reading: _Reading, session: Session) -> None:
        """Report each second for how long a file has been read, if that takes long."""
        seconds = int(perf_counter() - reading.started)
        if seconds < max(_LONG, reading.shown + 1):
            return
        reading.shown = seconds
        reason = "" if self._has_read else "; the first file takes longer"
        session.messages.say(f"Reading {Path(reading.path).name}, {seconds} s so far{reason}", is_passing=True)


def _put(session: Session, reading: _Reading, result: BodyFile | BaseException) -> None:
    """Add the body to its demo, or show why there is none."""
    try:
        if isinstance(result, BaseException):
            raise result
        session.messages.say(words_of(session.act(Drop.of(result, reading.point))))
    except Exception as error:
        session.messages.say(refusal(reading.path, error), palette.WARNING)


def pixel_of_drop(event: pygame.event.Event, view: Place) -> Point:
    """Return the pixel at which a file was dropped; the middle of the view if that is outside or unknown.

    The system sends no motion events while a file is dragged in from another window, so the pointer's position is read here.
    """
    at = getattr(event, "pos", None)
    if at is None:
        (x, y), (left, top) = pygame.mouse.get_pos(desktop=True), pygame.display.get_window_position()
        at = x - left, y - top
    return (float(at[0]), float(at[1])) if is_inside(at, view) else (view[0] + 0.5 * view[2], view[1] + 0.5 * view[3])
