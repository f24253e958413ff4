"""The recorder: writes what happens to a demo into a file, while it happens."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from engine.history.branch import Branch
from engine.history.history import History
from engine.history.recordings.recording import present_makers
from engine.history.recordings.records import MAX_RECORD_BYTES, Part
from engine.history.recordings.writer import RecordingWriter, header_of, row_of
from engine.sim.action import Input

__all__ = ["Recorder", "free_path"]

_EVERY = 0.5
"""Seconds of wall clock between two writings: a program that dies loses at most these."""
_MOST_STEPS = 600
"""Steps that wait at the most, for runs without a window, which take thousands in a second."""
_SLICE_STEPS = 60
"""Steps that are written in a frame where more than twice the above wait, as when recording begins late: with a keyframe or two, each of
which is unpacked in 5 ms if it is of 1,000 bodies."""
_MOST_BYTES = MAX_RECORD_BYTES // 2
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
        self.begun = history.now
        self._history = history
        self._branch: Branch = history.branch
        states = history.branch.states
        header = msgspec.structs.replace(
            header_of(history.demo, scene),
            solver=history.first_solver,
            chosen_solver=history.chosen_solver,
            chosen_settings=history.chosen_settings,
            values=history.first_values,
            keeps_solver_state=history.kept_solver_state,
            begun=self.begun,
            makers=present_makers(history.first_solver),
            state=history.first_state,
            hash=states.hashes[0],
            bodies=states.bodies[0],
            digests=states.digests[0],
        )
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
        """Whether it still records."""
        return self._writer.is_open

    @property
    def steps(self) -> int:
        """How many of the steps are in the file."""
        return self._writer.steps

    def update(self) -> None:
        """Write what has happened, if the last time is half a second ago, or a slice of a long past; to be called once a frame."""
        is_due = monotonic() - self._written > _EVERY or self._history.last - self.steps >= _MOST_STEPS
        if self.is_open and (is_due or self._is_behind):
            self._catch_up()

    def flush(self) -> None:
        """Write what has happened, all of it.

        Raises
        ------
        OSError
            The disk is full, or gone; nothing more is recorded then.
        """
        while self._write_part(_MOST_STEPS):
            pass

    def close(self) -> None:
        """Write the rest, and that this is the end."""
        if self.is_open:
            try:
                self.flush()
                self._writer.end()
            finally:
                self._writer.abandon()

    # Inside

    def _catch_up(self) -> None:
        """Write what has happened, a long past in slices."""
        n_waiting = self._history.last - self.steps
        self._is_behind = n_waiting > (_SLICE_STEPS if self._is_behind else 2 * _MOST_STEPS)
        if self._is_behind:
            self._write_part(_SLICE_STEPS)
        else:
            self.flush()

    def _write_part(self, most_steps: int) -> bool:
        """Write a part of so many steps at the most; return whether there was anything to write."""
        self._written = monotonic()
        branch = self._history.branch
        states = branch.states
        if branch is not self._branch:
            self._go_back(branch)
        whole = min(branch.last, len(states.digests) - 1)  # Ctrl-C may come while a step is noted
        step = self.steps
        end = min(whole, step + min(most_steps, self._n_steps_of_a_part(branch)))
        inputs = [row_of(at, one) for at in range(step, end + 1) for one in self._new_inputs(branch, at)]
        if end == step and not inputs:
            return False
        stretch = slice(step + 1, end + 1)
        raw = {at: state for at in range(step + 1, end + 1) if (state := self._history.raw_at(at)) is not None}
        part = Part.of(step, self._writer.given, inputs, states.hashes[stretch], states.bodies[stretch], states.digests[stretch], raw)
        self._writer.add(part, len(branch.inputs[end]))
        return True

    def _n_steps_of_a_part(self, branch: Branch) -> int:
        n_bytes = max(len(branch.states.digests[min(self.steps + 1, len(branch.states.digests) - 1)]), 1)
        return max(1, _MOST_BYTES // n_bytes)

    def _new_inputs(self, branch: Branch, step: int) -> list[Input]:
        return list(branch.inputs[step][self._writer.given if step == self.steps else 0 :])

    def _go_back(self, branch: Branch) -> None:
        """Find how far the file and another course of events are one, and say in the file that it goes on from there."""
        old, step, given = self._branch, 0, 0
        while True:
            mine, theirs = old.inputs[step][: self._writer.given if step == self.steps else None], branch.inputs[step]
            given = next((k for k, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a is not b), min(len(mine), len(theirs)))
            is_same = given == len(mine) == len(theirs)
            if not is_same or step == self.steps or step == branch.last or old.states.hashes[step + 1] != branch.states.hashes[step + 1]:
                break
            step += 1
        if (step, given) != (self.steps, self._writer.given):
            self._writer.go_back(step, given)
        self._branch = branch


def free_path(folder: Path, name: str, suffix: str) -> Path:
    """Return a path in a folder that nothing has: the name, or the name with a number."""
    path, number = folder / f"{name}{suffix}", 2
    while path.exists():
        path, number = folder / f"{name}-{number}{suffix}", number + 1
    return path
