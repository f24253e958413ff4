"""Encoded states of a demo at some steps, from which its other steps are reached again.

Where they take more bytes than they may, one after the other is dropped::

    |--|--|--|--|--|--|--|--|--|--|        the next to go is the one whose neighbors are nearest to each other, the oldest of equals:
    |-----|-----|-----|--|--|--|--|        no step is farther from the keyframe before it than twice what an even row would have
    |-----|-----|-----|-----|--|--|        those of the last minute stay as long as there are others
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TYPE_CHECKING

from engine.sim.state import check_readable, compress_state, decode_state, decompress_state, encode_state, raw_motion

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = ["MAX_BYTES", "Keyframes"]

MAX_BYTES = 400_000_000
"""However many bodies there are: about ten minutes of 1,000 bodies in a heap. `python main.py bench history` measures it."""

MIN_BYTES = 80_000_000
"""Bytes for a demo of few bodies."""

BODY_BYTES = 400_000
"""For each body, where that is more."""

RECENT = 3600
"""Steps behind the newest keyframe that are thinned out last, a minute at 60 Hz: it is there that users go back and forth."""


class Keyframes:
    """Encoded states by step.

    Parameters
    ----------
    max_bytes : int or None
        Their limit; the first and the newest stay in any case. Without, it follows from the number of bodies.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self._wanted_bytes = max_bytes
        self._n_bodies = 0
        self._steps: list[int] = []
        self._states: dict[int, bytes] = {}
        self._newest: int | None = None
        """The one that is not compressed yet."""
        self._n_bytes = 0

    @property
    def steps(self) -> list[int]:
        """Steps of the keyframes, ascending."""
        return list(self._steps)

    @property
    def n_bytes(self) -> int:
        """Bytes of all states."""
        return self._n_bytes

    @property
    def max_bytes(self) -> int:
        """Limit beyond which keyframes are dropped."""
        if self._wanted_bytes is not None:
            return self._wanted_bytes
        return min(max(MIN_BYTES, BODY_BYTES * self._n_bodies), MAX_BYTES)

    def __contains__(self, step: int) -> bool:
        return step in self._states

    def latest(self, step: int) -> int:
        """Return the last keyframe at a step or before it; there is always the first."""
        return self._steps[bisect_right(self._steps, step) - 1]

    def has_room(self) -> bool:
        """Return True if one more of the average size would be kept."""
        return self._n_bytes + self._n_bytes // max(len(self._steps), 1) <= self.max_bytes

    def add(self, step: int, demo: Demo) -> None:
        """Keep the demo as it stands.

        Raises
        ------
        StateError
            It holds something that cannot be restored.
        """
        self.tidy()
        self._newest = step
        self._keep(step, encode_state(demo, is_kept=True))
        self._n_bodies = sum(len(stage.world.body_ids) for stage in demo.stages)
        insort(self._steps, step)

    def tidy(self) -> None:
        """Compress the newest keyframe, and drop what is too much: in a step of its own, for it takes as long as the rest of a keyframe."""
        if self._newest is None:
            return
        step, self._newest = self._newest, None
        state = self._states.pop(step)
        self._n_bytes -= len(state)
        self._keep(step, compress_state(state))
        while self._n_bytes > self.max_bytes and len(self._steps) > 2:
            steps = self._steps
            inner = range(1, len(steps) - 1)
            self._drop(steps[min(inner, key=lambda k: (steps[k] > steps[-1] - RECENT, steps[k + 1] - steps[k - 1], k))])

    def restore(self, step: int, demo: Demo) -> None:
        """Bring the demo back to a keyframe."""
        decode_state(demo, self._state(step), is_kept=True)

    def compressed(self, step: int) -> bytes:
        """Return the state at a keyframe, compressed, for a file.

        Raises
        ------
        StateError
            It is too large for another process to read.
        """
        check_readable(self._state(step))
        return compress_state(self._states[step]) if step == self._newest else self._states[step]

    def raw(self, step: int) -> bytes:
        """Return x, y, angle, vx, vy, omega of every body of every stage at a keyframe, float32 little-endian, 24 bytes each."""
        return raw_motion(self._state(step))

    def cut(self, last: int) -> None:
        """Drop the keyframes after a step."""
        for step in self._steps[bisect_right(self._steps, last) :]:
            self._drop(step)

    def _state(self, step: int) -> bytes:
        return self._states[step] if step == self._newest else decompress_state(self._states[step])

    def _keep(self, step: int, state: bytes) -> None:
        self._states[step] = state
        self._n_bytes += len(state)

    def _drop(self, step: int) -> None:
        self._newest = None if step == self._newest else self._newest
        self._steps.remove(step)
        self._n_bytes -= len(self._states.pop(step))
