"""The window's side of dropping files: events in, bodies out, and every mistake a line of words.

Reading and tracing a file takes from some milliseconds to seconds, so a thread of its own does it, and the picture goes on meanwhile. The
thread touches no world: what it has read is put into the demo by the window, between two steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pygame

from engine.app.dropped_files import drop_size, is_pair_file, is_stepper_case, load_dropped, refusal, words_of
from engine.app.dropped_picture import picture_of
from engine.app.layout import is_inside
from engine.app.scene_files import is_scene_file, load_any_scene
from engine.app.session import Session
from engine.render import palette
from engine.render.camera import Place
from engine.sim.actions import Drop
from engine.sim.demo import Demo
from engine.sim.recordings import SUFFIX, Recording, load_recording
from engine.sim.scene_demo import scene_demo

if TYPE_CHECKING:
    from engine.decompose import BodyFile

__all__ = ["DROP_EVENTS", "Dropper", "pixel_of_drop"]

DROP_EVENTS = (pygame.DROPFILE, pygame.DROPTEXT, pygame.DROPBEGIN, pygame.DROPCOMPLETE)
"""Text that is dropped, and where a drop begins and ends, are taken and ignored."""

_LONG = 3
"""Seconds of reading from which on they are told."""

Point = tuple[float, float]
Reader = Callable[[str, float], "BodyFile | Recording | type[Demo]"]


@dataclass(frozen=True, slots=True)
class _Dropped:
    """A file, the demo it fell into, where, and how large its body is to be, meters."""

    path: str
    demo: Demo
    point: Point
    size: float


@dataclass(frozen=True, slots=True)
class _Read:
    dropped: _Dropped
    result: BodyFile | Recording | type[Demo] | Exception


def read_file(path: str, size: float) -> BodyFile | Recording | type[Demo]:
    """Return what a file becomes: a body, a recording, or the demo of a pair, a stepper case or a scene. Errors as `load_dropped`."""
    if path.lower().endswith(SUFFIX):
        return load_recording(path)
    if is_pair_file(path):
        from engine.app.case_demos import inspector_of

        return inspector_of(path)[1]
    if is_stepper_case(path):
        from engine.app.case_demos import stepper_of
        from engine.trace.case_file import load_case

        saved = load_case(path)
        return stepper_of(saved.algorithm, saved.case, Path(path).name)
    if is_scene_file(path):
        return scene_demo(load_any_scene(path), path)
    return load_dropped(path, size)


class Dropper:
    """Takes the files dropped on a window, in their order.

    Parameters
    ----------
    read : callable, optional
        Path and size to what the file becomes; `read_file`. It runs in another thread.
    """

    def __init__(self, read: Reader = read_file) -> None:
        self._reader = read
        self._waiting: SimpleQueue[_Dropped] = SimpleQueue()
        self._done: SimpleQueue[_Read] = SimpleQueue()
        self._thread: Thread | None = None
        self._pending: deque[_Dropped] = deque()
        self._n_together = 0
        self._n_read = 0
        self._since = 0.0
        """When the reading of the first pending one began."""
        self._told = 0

    @property
    def n_pending(self) -> int:
        """How many files are being read or wait for it."""
        return len(self._pending)

    def read(self, path: str, session: Session, at: Point) -> None:
        """Begin to read a file that falls in at a pixel. Several that come at once lie one above the other."""
        demo, size = session.demo, drop_size(session.demo.home())
        x, y = session.view.to_world(at)
        dropped = _Dropped(path, demo, (x, y + 1.2 * size * self._n_together), size)
        if not self._pending:
            self._since, self._told = perf_counter(), 0
        self._waiting.put(dropped)
        self._pending.append(dropped)
        self._n_together += 1
        if self._thread is None:
            self._thread = Thread(target=self._work, name="dropped files", daemon=True)
            self._thread.start()
        session.messages.say(f"Reading {Path(path).name}", is_passing=True)

    def deliver(self, session: Session) -> Recording | type[Demo] | None:
        """Put what has been read into its demo; return a demo to open, of a pair or a scene, or a recording. Called once a frame."""
        self._n_together = 0
        opened: Recording | type[Demo] | None = None
        while True:
            try:
                done = self._done.get_nowait()
            except Empty:
                self._tell(session)
                return opened
            self._pending.popleft()
            self._n_read += 1
            self._since, self._told = perf_counter(), 0
            if done.dropped.demo is not session.demo:  # the user has gone elsewhere meanwhile
                continue
            if isinstance(done.result, type | Recording):
                opened = done.result
            else:
                _put(session, done.dropped, done.result)

    def _tell(self, session: Session) -> None:
        """Say for how long a file has been read, each second, where that is long."""
        seconds = int(perf_counter() - self._since)
        if not self._pending or self._pending[0].demo is not session.demo or seconds < max(_LONG, self._told + 1):
            return
        self._told = seconds
        reason = "; the first file takes longer" if self._n_read == 0 else ""
        session.messages.say(f"Reading {Path(self._pending[0].path).name}, {seconds} s so far{reason}", is_passing=True)

    def _work(self) -> None:
        while True:
            self._read_next()  # a call of its own: while it waits for a file it must not hold the demo of the last one

    def _read_next(self) -> None:
        dropped = self._waiting.get()
        try:
            result: Any = self._reader(dropped.path, dropped.size)
            if not isinstance(result, type | Recording):
                picture_of(result)  # read here, so that drawing finds it ready
        except Exception as error:
            result = error
        self._done.put(_Read(dropped, result))


def _put(session: Session, dropped: _Dropped, result: BodyFile | Exception) -> None:
    """Let the body fall, or say why there is none."""
    try:
        if isinstance(result, Exception):
            raise result
        session.messages.say(words_of(session.act(Drop.of(result, dropped.point))))
    except Exception as error:
        session.messages.say(refusal(dropped.path, error), palette.WARNING)


def pixel_of_drop(event: pygame.event.Event, view: Place) -> Point:
    """Return the pixel where a file was let go; the middle of the view if that is elsewhere or unknown.

    While something is dragged in from another window, the system sends no motion, so the place is asked for anew.
    """
    at = getattr(event, "pos", None)
    if at is None:
        (x, y), (left, top) = pygame.mouse.get_pos(desktop=True), pygame.display.get_window_position()
        at = x - left, y - top
    return (float(at[0]), float(at[1])) if is_inside(at, view) else (view[0] + 0.5 * view[2], view[1] + 0.5 * view[3])
