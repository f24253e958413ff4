"""Recovery files of unsaved scenes, offered again after a crash or at the next start.

    <user's data folder>/unsaved/bridge.json      one file per demo in which something was built
                                 seesaw.json      named after the demo; "-2" if an earlier file exists

A file is written every `EVERY` seconds while there are unsaved changes, and deleted when they are saved or undone. Another thread encodes
and writes the scenes, which are immutable. A second window also offers the unsaved scenes of the first.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from engine.common.errors import LabError
from engine.common.json_file import read_json
from engine.common.words import counted
from engine.scenes import Scene, save_scene
from engine.scenes.scene_file import MAX_FILE_BYTES
from engine.sim.background import in_background
from engine.sim.recordings.recorder import free_path

__all__ = ["EVERY", "MAX_FILES", "Recovery", "RecoveryFile"]

EVERY = 10.0
"""Interval between two writes, seconds."""
MAX_FILES = 20
"""Maximum number of recovery files; the oldest are deleted."""


@dataclass(frozen=True, slots=True)
class RecoveryFile:
    """A scene that was not saved; `written` is the time of writing, seconds since 1970."""

    path: Path
    written: float

    @property
    def demo(self) -> str:
        """Name of the demo or scene file in which it was built."""
        return re.sub(r"-\d+$", "", self.path.stem)

    @property
    def time(self) -> str:
        """Date and time of the last change."""
        return f"{datetime.fromtimestamp(self.written):%A %d %B, %H:%M}"

    @property
    def size(self) -> str:
        """Number of bodies and joints, in words."""
        try:
            plain: Any = read_json(self.path, "scene file", MAX_FILE_BYTES)
            counts = [len(plain.get(name, ())) for name in ("bodies", "joints")]
        except (LabError, AttributeError, TypeError):
            return "cannot be read"
        return f"{counted(counts[0], 'body', 'bodies')}, {counted(counts[1], 'joint')}"


class Recovery:
    """The recovery files in a folder.

    Parameters
    ----------
    folder : Path
        Created if missing.

    Attributes
    ----------
    failure : str
        Why no file can be written; empty without a failure.
    left : tuple of RecoveryFile
        Files of scenes that are not open, the newest first.
    """

    def __init__(self, folder: Path) -> None:
        self.failure, self._folder = "", folder
        self._writing: Future[None] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self.failure = error.strerror or str(error)
        files = [RecoveryFile(path, _written(path)) for path in folder.glob("*.json")]
        self.left = tuple(sorted(files, key=lambda file: file.written, reverse=True))
        for old in self.left[MAX_FILES:]:
            self.delete(old.path)

    @property
    def is_writing(self) -> bool:
        """True while a scene is being written."""
        return self._writing is not None and not self._writing.done()

    def wait(self) -> None:
        """Wait until everything has been written."""
        if self._writing is not None:
            wait((self._writing,))

    def keep(self, scene: Callable[[], Scene], path: Path | None, demo: str) -> Path:
        """Write a scene in a thread and return its file: `path`, or a new one named after the demo.

        `scene` is called in that thread, so it must work from a snapshot instead of a world.
        """
        self.wait()
        target = path if path is not None else free_path(self._folder, demo, ".json")
        self._writing = in_background(partial(self._write, scene, target), "recovery")
        return target

    def leave(self, path: Path) -> None:
        """Offer a file, because its scene is no longer open."""
        self.left = (RecoveryFile(path, time.time()), *self.left)

    def resume(self, path: Path) -> None:
        """Stop offering a file, because its scene is open."""
        self.left = tuple(file for file in self.left if file.path != path)

    def delete(self, path: Path) -> None:
        """Delete a file, because its scene is saved or nothing remains built in it."""
        self.wait()
        self.resume(path)
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)

    def _write(self, scene: Callable[[], Scene], path: Path) -> None:
        try:
            save_scene(path, scene())
            self.failure = ""
        except (OSError, LabError) as error:
            self.failure = (error.strerror if isinstance(error, OSError) else "") or str(error)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
