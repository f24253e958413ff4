"""Writes the history of a demo to a file while the demo runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from engine.sim.action import Input
from engine.sim.branch import Branch
from engine.sim.history import History
from engine.sim.recordings.records import MAX_RECORD_BYTES, Part
from engine.sim.recordings.writer import RecordingWriter, header_of, row_of

__all__ = ["Recorder", "free_path"]

_INTERVAL = 0.5
"""Wall-clock time between writes, seconds; a crash loses no more than this."""
_MAX_WAITING = 600
"""Number of unwritten steps that triggers an immediate write: a headless run takes thousands of steps per second."""
_SLICE_STEPS = 60
"""Steps written per frame while more than twice `_MAX_WAITING` are unwritten, as when recording starts late. They contain one or two
keyframes, each of which takes 8 ms to read with 1,000 bodies."""
_MAX_DIGEST_BYTES = MAX_RECORD_BYTES // 2
"""Maximum size of the digests in a part, bytes, uncompressed; the rest of the record is left for inputs."""


class Recorder:
    """Records a history to a new file, from the history's beginning.

    Steps before recording started are written too. If the user rewinds and starts a new branch, the file records it, and a replay plays the
    last branch.

    Parameters
    ----------
    history : History
    path : path-like
        File to create; an existing file is not overwritten.
    scene : mapping, optional
        Content of the demo's scene file, if it was loaded from one.

    Attributes
    ----------
    begun : int
        Step at which recording started.

    Raises
    ------
    InvalidInputError
        The file exists, or cannot be created.
    """

    def __init__(self, history: History[Any], path: str | os.PathLike[str], scene: Mapping[str, Any] | None = None) -> None:
        self.begun = history.now
        self._history = history
        self._branch: Branch = history.branch
        header = header_of(history.demo, history.start, history.branch.states, history.first_state, scene, self.begun)
        self._writer = RecordingWriter(path, header)
        self.path = self._writer.path
        self._written = monotonic()
        self._is_behind = False
        try:
            self._catch_up()
        except BaseException:
            self._writer.discard()
            raise

    @property
    def is_open(self) -> bool:
        """True while recording."""
        return self._writer.is_open

    @property
    def steps(self) -> int:
        """Number of steps in the file."""
        return self._writer.steps

    def update(self) -> None:
        """Write new steps if a write is due, or a slice of a long backlog; called once per frame."""
        is_due = monotonic() - self._written > _INTERVAL or self._history.last - self.steps >= _MAX_WAITING
        if self.is_open and (is_due or self._is_behind):
            self._catch_up()

    def flush(self) -> None:
        """Write all new steps.

        Raises
        ------
        OSError
            The disk is full or was removed; recording stops.
        """
        while self._write_part(_MAX_WAITING):
            pass

    def close(self) -> None:
        """Write the remaining steps and the end record, and close the file."""
        if self.is_open:
            try:
                self.flush()
                self._writer.end()
            finally:
                self._writer.abandon()

    # Implementation

    def _catch_up(self) -> None:
        """Write new steps, or one slice if the backlog is long."""
        n_waiting = self._history.last - self.steps
        self._is_behind = n_waiting > (_SLICE_STEPS if self._is_behind else 2 * _MAX_WAITING)
        if self._is_behind:
            self._write_part(_SLICE_STEPS)
        else:
            self.flush()

    def _write_part(self, max_steps: int) -> bool:
        """Write a part of at most `max_steps` steps; return False if there is nothing to write."""
        self._written = monotonic()
        branch = self._history.branch
        states = branch.states
        if branch is not self._branch:
            self._go_back(branch)
        last = min(branch.last, len(states.digests) - 1)  # Ctrl-C may interrupt the logging of a step
        step = self.steps
        end = min(last, step + min(max_steps, self._n_steps_of_a_part(branch)))
        inputs = [row_of(at, new) for at in range(step, end + 1) for new in self._new_inputs(branch, at)]
        if end == step and not inputs:
            return False
        new = states.stretch(step + 1, end)  # a live history has no raw states; its keyframes give them
        new.raw |= {at: state for at in range(step + 1, end + 1) if (state := self._history.raw_at(at)) is not None}
        self._writer.add(Part.of(step, self._writer.n_inputs, inputs, new), len(branch.inputs[end]))
        return True

    def _n_steps_of_a_part(self, branch: Branch) -> int:
        n_bytes = max(len(branch.states.digests[min(self.steps + 1, len(branch.states.digests) - 1)]), 1)
        return max(1, _MAX_DIGEST_BYTES // n_bytes)

    def _new_inputs(self, branch: Branch, step: int) -> list[Input]:
        return list(branch.inputs[step][self._writer.n_inputs if step == self.steps else 0 :])

    def _go_back(self, branch: Branch) -> None:
        """Switch to another branch: record that the file continues from the last position that both branches share."""
        step, n_inputs = min(self._branch.parting(branch), (self.steps, self._writer.n_inputs))
        if (step, n_inputs) != (self.steps, self._writer.n_inputs):
            self._writer.go_back(step, n_inputs)
        self._branch = branch


def free_path(folder: Path, name: str, suffix: str) -> Path:
    """Return a path that does not exist yet: `name`, or `name` with a number appended, plus `suffix`."""
    path, number = folder / f"{name}{suffix}", 2
    while path.exists():
        path, number = folder / f"{name}-{number}{suffix}", number + 1
    return path
