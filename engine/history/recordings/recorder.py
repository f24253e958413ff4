"""The recorder: writes what happens to a demo into a file, while it happens."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import IO, Any

from engine.common.errors import InvalidInputError
from engine.common.files import naming
from engine.history.branch import Branch
from engine.history.history import History
from engine.history.input_log import Input
from engine.history.recordings.inputs import as_plain
from engine.history.recordings.layout import LONGEST_CHUNK, Part, chunk, packed_part, start_of_file
from engine.history.recordings.recording import present_makers

__all__ = ["Recorder", "free_path"]

_EVERY = 0.5
"""Seconds of wall clock between two writings: a program that dies loses at most these."""
_MOST_STEPS = 600
"""Steps that wait at the most, for runs without a window, which take thousands in a second."""
_MOST_BYTES = LONGEST_CHUNK // 2
"""Bytes of digests in a part, unpacked; the rest is for inputs."""


class Recorder:
    """Follows a history, from its beginning, into a new file.

    What happened before recording began is written too. Going back and doing something else there is written as that, so that the file
    always plays the course of events that was last.

    Parameters
    ----------
    history : History
    path : path-like
        A file that is not there yet: nothing is overwritten.
    scene : mapping, optional
        The content of the scene file that the demo was made of, for one that was.

    Attributes
    ----------
    begun : int
        The step at which recording began: those before it are written too.

    Raises
    ------
    InvalidInputError
        There is such a file, or none can be made.
    """

    def __init__(self, history: History[Any], path: str | os.PathLike[str], scene: Mapping[str, Any] | None = None) -> None:
        self.path = Path(path)
        self.begun = history.now
        self._history = history
        demo, branch = history.demo, history.branch
        first = {
            "demo": demo.id,
            "solver": history.first_solver,
            "chosen": history.chosen_solver,
            "chosen_settings": history.chosen_settings,
            "scene": scene,
            "seed": demo.seed,
            "values": history.first_values,
            "remembers": history.kept_solver_state,
            "waits": history.waited,
            "step_seconds": demo.step_seconds,
            "begun": self.begun,
            "makers": present_makers(history.first_solver),
            "hash": branch.states.hashes[0].hex(),
            "bodies": branch.states.bodies[0],
            "digests": branch.states.digests[0].hex(),
        }
        head = zlib.compress(json.dumps(first, allow_nan=False).encode(), 6)
        try:
            self._file: IO[bytes] | None = open(self.path, "xb")  # noqa: SIM115 - closed by `close`
        except FileExistsError:
            raise InvalidInputError("recording", "a file that is not there yet", str(path)) from None
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) and error.strerror else "no such name"
            raise InvalidInputError("recording", f"a file that can be made ({told})", str(path)) from None
        self._branch: Branch = branch
        self._steps = self._given = self._end = 0
        self._written = monotonic()
        try:
            self._write(start_of_file() + chunk(b"HEAD", head), 0, 0)
            self.flush()
        except BaseException:
            self._abandon()
            self.path.unlink(missing_ok=True)
            raise

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
        branch = self._history.branch
        states = branch.states
        if branch is not self._branch:
            self._go_back(branch)
        whole = min(branch.last, len(states.digests) - 1)  # Ctrl-C may come while a step is noted
        while True:
            end = min(whole, self._steps + self._n_steps_of_a_part(branch))
            inputs = [[step, as_plain(one)] for step in range(self._steps, end + 1) for one in self._new_inputs(branch, step)]
            if end == self._steps and not inputs:
                return
            stretch = slice(self._steps + 1, end + 1)
            part = Part(self._steps, self._given, inputs, states.hashes[stretch], states.bodies[stretch], states.digests[stretch])
            content = chunk(b"PART", packed_part(part))
            for step in range(self._steps + 1, end + 1):
                if step in states.raw:
                    content += chunk(b"KEYS", zlib.compress(struct.pack("<I", step) + states.raw[step], 6))
            self._write(content, end, len(branch.inputs[end]))

    def close(self) -> None:
        """Write the rest, and that this is the end."""
        if self._file is not None:
            try:
                self.flush()
                self._write(chunk(b"END ", b""), self._steps, self._given)
            finally:
                self._abandon()

    # Inside

    def _n_steps_of_a_part(self, branch: Branch) -> int:
        n_bytes = max(len(branch.states.digests[min(self._steps + 1, len(branch.states.digests) - 1)]), 1)
        return max(1, min(_MOST_STEPS, _MOST_BYTES // n_bytes))

    def _new_inputs(self, branch: Branch, step: int) -> list[Input]:
        return list(branch.inputs[step][self._given if step == self._steps else 0 :])

    def _go_back(self, branch: Branch) -> None:
        """Find how far the file and another course of events are one, and say in the file that it goes on from there."""
        old, step, given = self._branch, 0, 0
        while True:
            mine, theirs = old.inputs[step][: self._given if step == self._steps else None], branch.inputs[step]
            given = next((k for k, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a is not b), min(len(mine), len(theirs)))
            is_same = given == len(mine) == len(theirs)
            if not is_same or step == self._steps or step == branch.last or old.states.hashes[step + 1] != branch.states.hashes[step + 1]:
                break
            step += 1
        if (step, given) != (self._steps, self._given):
            self._write(chunk(b"BACK", json.dumps([step, given]).encode()), step, given)
        self._branch = branch

    def _write(self, content: bytes, steps: int, given: int) -> None:
        """Add to the file, which has so many steps then, and of the inputs there so many are given.

        Until that is noted it counts as not written: what Ctrl-C leaves behind is written over, and not written twice.
        """
        if self._file is None:
            return
        try:
            with naming(self.path):
                self._file.seek(self._end)
                self._file.write(content)
                self._file.flush()
                self._file.truncate()
        except OSError:
            self._abandon()
            raise
        self._end, self._steps, self._given = self._end + len(content), steps, given

    def _abandon(self) -> None:
        """Write nothing more."""
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # what did not fit before does not fit now
                file.close()


def free_path(folder: Path, name: str, suffix: str) -> Path:
    """Return a path in a folder that nothing has: the name, or the name with a number."""
    path, number = folder / f"{name}{suffix}", 2
    while path.exists():
        path, number = folder / f"{name}-{number}{suffix}", number + 1
    return path
