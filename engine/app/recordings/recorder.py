"""The recorder: writes what happens to a demo into a file, while it happens."""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from time import monotonic
from typing import IO

from engine.app.history import History, Input, Line
from engine.app.recordings.inputs import as_plain
from engine.app.recordings.layout import Part, chunk, packed_part, start_of_file
from engine.app.recordings.recording import content_of, present_makers
from engine.common.errors import InvalidInputError

__all__ = ["Recorder", "free_path"]

_EVERY = 0.5
"""Seconds of wall clock between two writings: who dies loses at most these."""
_MOST_STEPS = 600
"""Steps that wait at the most, for runs without a window, which take thousands in a second."""


class Recorder:
    """Follows a history, from its beginning, into a new file.

    What happened before recording began is written too. Going back and doing something else there is written as that, so that the file
    always plays the course of events that was last.

    Parameters
    ----------
    history : History
    path : path-like
        A file that is not there yet: nothing is overwritten.

    Raises
    ------
    InvalidInputError
        There is such a file, none can be made, or the demo is one that could not be found again.
    """

    def __init__(self, history: History, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._history = history
        demo, line = history.demo, history.line
        scene = content_of(demo)
        first = {
            "demo": demo.id,
            "scene": scene,
            "seed": demo.seed,
            "values": history.first_values,
            "remembers": history.first_remembers,
            "waits": history.first_waits,
            "step_seconds": demo.step_seconds,
            "makers": present_makers(),
            "hash": line.hashes[0].hex(),
            "bodies": line.bodies[0],
            "digests": line.digests[0].hex(),
        }
        head = zlib.compress(json.dumps(first, allow_nan=False).encode(), 6)
        try:
            self._file: IO[bytes] | None = open(self.path, "xb")  # noqa: SIM115 - closed by `close`
        except FileExistsError:
            raise InvalidInputError("recording", "a file that is not there yet", str(path)) from None
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) and error.strerror else "no such name"
            raise InvalidInputError("recording", f"a file that can be made ({told})", str(path)) from None
        self._line: Line = line
        self._steps = self._given = 0
        self._written = monotonic()
        self._write(start_of_file() + chunk(b"HEAD", head))
        self.flush()

    @property
    def is_open(self) -> bool:
        """Whether it still records."""
        return self._file is not None

    @property
    def steps(self) -> int:
        """How many of the steps are in the file."""
        return self._steps

    def update(self) -> None:
        """Write what has happened, if the last time is half a second ago; to be called once a frame."""
        if self.is_open and (monotonic() - self._written > _EVERY or self._history.last - self._steps >= _MOST_STEPS):
            self.flush()

    def flush(self) -> None:
        """Write what has happened.

        Raises
        ------
        OSError
            The disk is full, or gone; nothing more is recorded then.
        """
        self._written = monotonic()
        line = self._history.line
        if line is not self._line:
            self._go_back(line)
        while True:
            end = min(line.last, self._steps + _MOST_STEPS)
            inputs = [[step, as_plain(one)] for step in range(self._steps, end + 1) for one in self._new_inputs(line, step)]
            if end == self._steps and not inputs:
                return
            stretch = slice(self._steps + 1, end + 1)
            part = Part(self._steps, self._given, inputs, line.hashes[stretch], line.bodies[stretch], line.digests[stretch])
            content = chunk(b"PART", packed_part(part))
            for step in range(self._steps + 1, end + 1):
                if step in line.states:
                    content += chunk(b"KEYS", zlib.compress(struct.pack("<I", step) + line.states[step], 6))
            self._write(content)
            self._steps, self._given = end, len(line.inputs[end])

    def close(self) -> None:
        """Write the rest, and that this is the end."""
        if self._file is not None:
            try:
                self.flush()
                self._write(chunk(b"END ", b""))
            finally:
                file, self._file = self._file, None
                if file is not None:
                    file.close()

    # Inside

    def _new_inputs(self, line: Line, step: int) -> list[Input]:
        return list(line.inputs[step][self._given if step == self._steps else 0 :])

    def _go_back(self, line: Line) -> None:
        """Find how far the file and another course of events are one, and say in the file that it goes on from there."""
        old, self._line = self._line, line
        step = given = 0
        while True:
            mine, theirs = old.inputs[step][: self._given if step == self._steps else None], line.inputs[step]
            given = next((k for k, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a is not b), min(len(mine), len(theirs)))
            is_same = given == len(mine) == len(theirs)
            if not is_same or step == self._steps or step == line.last or old.hashes[step + 1] != line.hashes[step + 1]:
                break
            step += 1
        if (step, given) != (self._steps, self._given):
            self._write(chunk(b"BACK", json.dumps([step, given]).encode()))
            self._steps, self._given = step, given

    def _write(self, content: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(content)
            self._file.flush()
        except OSError:
            file, self._file = self._file, None
            file.close()
            raise


def free_path(folder: Path, name: str, suffix: str) -> Path:
    """Return a path in a folder that nothing has: the name, or the name with a number."""
    path, number = folder / f"{name}{suffix}", 2
    while path.exists():
        path, number = folder / f"{name}-{number}{suffix}", number + 1
    return path
