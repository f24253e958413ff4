"""A recorder writes the course of a demo into a file while it runs."""

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
"""Seconds of wall clock between two writes: a program that dies loses no more."""
_MAX_WAITING = 600
"""Steps after which a part is written at once: a run without a window takes thousands in a second."""
_SLICE_STEPS = 60
"""Steps written in a frame while more than twice the above wait, as when recording begins late. They contain a keyframe or two, each of
which takes 8 ms to read if it is of 1,000 bodies."""
_MAX_DIGEST_BYTES = MAX_RECORD_BYTES // 2
"""Bytes of digests in a part, unpacked; the rest is for inputs."""


class Recorder:
    """Writes a history into a new file, from the history's beginning.

    Steps before the recording began are written too. If the user goes back and does something else there, the file says so, and plays the
    last course of events.

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
        The step at which recording began.

    Raises
    ------
    InvalidInputError
        There is such a file, or none can be made.
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
        """True while it records."""
        return self._writer.is_open

    @property
    def steps(self) -> int:
        """Number of steps in the file."""
        return self._writer.steps

    def update(self) -> None:
        """Write new steps if the last write was half a second ago, or a slice of a long past; called once a frame."""
        is_due = monotonic() - self._written > _INTERVAL or self._history.last - self.steps >= _MAX_WAITING
        if self.is_open and (is_due or self._is_behind):
            self._catch_up()

    def flush(self) -> None:
        """Write all new steps.

        Raises
        ------
        OSError
            The disk is full, or gone; nothing more is recorded then.
        """
        while self._write_part(_MAX_WAITING):
            pass

    def close(self) -> None:
        """Write the rest and the end, and close the file."""
        if self.is_open:
            try:
                self.flush()
                self._writer.end()
            finally:
                self._writer.abandon()

    # Implementation

    def _catch_up(self) -> None:
        """Write new steps, a long past in slices."""
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
        last = min(branch.last, len(states.digests) - 1)  # Ctrl-C may come while a step is noted
        step = self.steps
        end = min(last, step + min(max_steps, self._n_steps_of_a_part(branch)))
        inputs = [row_of(at, new) for at in range(step, end + 1) for new in self._new_inputs(branch, at)]
        if end == step and not inputs:
            return False
        stretch = slice(step + 1, end + 1)
        raw = {at: state for at in range(step + 1, end + 1) if (state := self._history.raw_at(at)) is not None}
        part = Part.of(step, self._writer.n_inputs, inputs, states.hashes[stretch], states.bodies[stretch], states.digests[stretch], raw)
        self._writer.add(part, len(branch.inputs[end]))
        return True

    def _n_steps_of_a_part(self, branch: Branch) -> int:
        n_bytes = max(len(branch.states.digests[min(self.steps + 1, len(branch.states.digests) - 1)]), 1)
        return max(1, _MAX_DIGEST_BYTES // n_bytes)

    def _new_inputs(self, branch: Branch, step: int) -> list[Input]:
        return list(branch.inputs[step][self._writer.n_inputs if step == self.steps else 0 :])

    def _go_back(self, branch: Branch) -> None:
        """Compute up to where the file agrees with another course of events, and write that it goes on from there."""
        step, n_inputs = min(self._branch.parting(branch), (self.steps, self._writer.n_inputs))
        if (step, n_inputs) != (self.steps, self._writer.n_inputs):
            self._writer.go_back(step, n_inputs)
        self._branch = branch


def free_path(folder: Path, name: str, suffix: str) -> Path:
    """Return the path of a file that does not exist yet: the name, or the name with a number."""
    path, number = folder / f"{name}{suffix}", 2
    while path.exists():
        path, number = folder / f"{name}-{number}{suffix}", number + 1
    return path
