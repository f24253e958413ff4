"""Scenes kept by themselves while they are worked on, and found again after a crash, or where the window was closed without saving them.

    <user's folder>/unsaved/3f2a....lock      held by a program that runs
                            3f2a....json      the scene it had last
                            bridge-77c0....json   one that was left unsaved, by the name of its demo; not locked
                            opened/           those that were opened again since, the newest `MAX_KEPT`
                            seen              its time: what was left before is offered no more, and can still be opened

Each program has a file of its own, written every `EVERY` seconds while something has been done by hand, and taken away when the program
ends as it should. A file whose lock is free was left by one that did not: the system releases a lock whatever happens to the
program. A scene that is left unsaved on the way, or at the end, is set aside in a file of its own, and offered as that is. Encoding and
writing are done by another thread, of a scene that never changes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import IO

from engine.common.errors import LabError
from engine.common.locks import hold
from engine.scenes import Scene, save_scene
from engine.sim.recordings.recorder import free_path

__all__ = ["EVERY", "MAX_KEPT", "Autosave", "LeftBehind"]

EVERY = 10.0
"""Seconds between two writings."""
MAX_KEPT = 20
"""Scenes that were opened again and are still kept."""


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """A scene that a program left when it broke off, or that was left unsaved: `demo` is the name of the demo it was built in then."""

    path: Path
    written: datetime
    demo: str = ""

    @property
    def words(self) -> str:
        """When it was written."""
        return f"{self.written:%A %d %B, %H:%M}"


class Autosave:
    """The file of this program, and those that others left.

    Parameters
    ----------
    folder : Path
        Made if it is missing. Where that fails nothing is kept, and `failure` says why.
    """

    def __init__(self, folder: Path) -> None:
        self.failure = ""
        self._folder = folder
        token = secrets.token_hex(8)
        self._path, self._lock_path = folder / f"{token}.json", folder / f"{token}.lock"
        self._lock: IO[bytes] | None = None
        self._writer: Thread | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = open(self._lock_path, "xb")  # noqa: SIM115 - held for as long as the program runs
            hold(self._lock)
        except OSError as error:
            self.failure = error.strerror or str(error)
        self.left = self._find()
        self._seen = self._last_seen()

    @property
    def path(self) -> Path:
        """Where the scene of this program is kept."""
        return self._path

    @property
    def is_writing(self) -> bool:
        """Whether the last scene is still being written."""
        return self._writer is not None and self._writer.is_alive()

    @property
    def offered(self) -> tuple[LeftBehind, ...]:
        """Those of `left` that came after an offer was closed."""
        return tuple(one for one in self.left if one.written > self._seen)

    def offer_no_more(self) -> None:
        """Offer none of those that are there any more, now and at later starts; they can still be opened."""
        self._seen = datetime.now()
        with contextlib.suppress(OSError):  # where nothing can be written they are offered again at the next start
            self._seen_path.touch()
            os.utime(self._seen_path, (self._seen.timestamp(),) * 2)

    def is_mended(self) -> bool:
        """Wait for what is being written, and tell whether nothing is in the way any more."""
        if self._writer is not None:
            self._writer.join()
        return not self.failure

    def keep(self, scene: Callable[[], Scene]) -> None:
        """Write a scene in place of the last one; nothing happens while that is still being written.

        What gives the scene is called in another thread: it works from a snapshot, not from a world.
        """
        if self._lock is None or self.is_writing:
            return
        self._writer = Thread(target=self._write, args=(scene, self._path), name="autosave", daemon=True)
        self._writer.start()

    def forget(self) -> None:
        """Take away the scene of this program: it is in a file, or nothing was built in it any more."""
        if self._lock is None or self.is_writing:
            return
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def set_aside(self, scene: Callable[[], Scene], demo: str) -> LeftBehind | None:
        """Keep a scene that is left unsaved in a file of its own, offer it before the others, and return what is offered; else as `keep`.

        The oldest beyond `MAX_KEPT` are put away.
        """
        if self._lock is None:
            return None
        path, before = self._folder / f"{demo}-{secrets.token_hex(8)}.json", self._writer

        def write() -> None:
            if before is not None:
                before.join()
            self._write(scene, path)
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)  # of the same scene, or of what was before it

        self._writer = Thread(target=write, name="autosave", daemon=True)
        self._writer.start()
        left = LeftBehind(path, datetime.now(), demo)
        self.left = (left, *self.left)
        for old in self.left[MAX_KEPT:]:
            with contextlib.suppress(OSError):
                self.open(old)
        return left

    def discard(self, left: LeftBehind) -> None:
        """Delete a scene that was set aside: it is being worked on again."""
        if self._writer is not None:
            self._writer.join()
        if left in self.left:
            self.left = tuple(one for one in self.left if one != left)
            with contextlib.suppress(OSError):
                left.path.unlink(missing_ok=True)

    def open(self, left: LeftBehind) -> Path:
        """Return a file that can be opened, out of the way of the next finding; older ones beyond `MAX_KEPT` are deleted."""
        if self._writer is not None:
            self._writer.join()
        opened = self._folder / "opened"
        opened.mkdir(exist_ok=True)
        target = free_path(opened, f"{left.demo or 'scene'}-kept-{left.written:%Y-%m-%d-%H%M}", ".json")
        self.left = tuple(one for one in self.left if one != left)
        os.replace(left.path, target)
        left.path.with_suffix(".lock").unlink(missing_ok=True)
        for old in sorted(opened.glob("*.json"), key=lambda path: path.stat().st_mtime)[:-MAX_KEPT]:
            old.unlink(missing_ok=True)
        return target

    def abandon(self) -> None:
        """End in the middle: what is kept stays, for the next start to find."""
        if self._writer is not None:
            self._writer.join()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def close(self) -> None:
        """End as it should be: nothing is left behind."""
        is_mine = self._lock is not None
        self.abandon()
        if is_mine:
            for path in (self._path, self._lock_path):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)

    def _write(self, scene: Callable[[], Scene], path: Path) -> None:
        try:
            save_scene(path, scene())
            self.failure = ""
        except (OSError, LabError) as error:
            self.failure = (error.strerror if isinstance(error, OSError) else "") or str(error)

    @property
    def _seen_path(self) -> Path:
        return self._folder / "seen"

    def _last_seen(self) -> datetime:
        try:
            return datetime.fromtimestamp(self._seen_path.stat().st_mtime)
        except OSError:
            return datetime.min

    def _find(self) -> tuple[LeftBehind, ...]:
        """Return what was left behind, the newest first."""
        found = []
        with contextlib.suppress(OSError):
            for lock in self._folder.glob("*.lock"):
                if lock != self._lock_path and _is_free(lock) and not lock.with_suffix(".json").exists():
                    lock.unlink(missing_ok=True)  # of a program that broke off before anything was done
            for path in self._folder.glob("*.json"):
                if path != self._path and _is_free(path.with_suffix(".lock")):
                    found.append(LeftBehind(path, datetime.fromtimestamp(path.stat().st_mtime), path.stem.rpartition("-")[0]))
        return tuple(sorted(found, key=lambda left: left.written, reverse=True))


def _is_free(lock: Path) -> bool:
    """Tell whether a lock is free; one that is not there is."""
    try:
        with open(lock, "rb") as file:
            hold(file)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
