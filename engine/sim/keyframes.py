"""Keyframes: encoded states of a demo at some steps, from which the other steps can be recomputed.

If they exceed their size limit, keyframes are dropped one by one::

    |--|--|--|--|--|--|--|--|--|--|        the one whose neighbors are closest to each other goes first, the oldest if tied:
    |-----|-----|-----|--|--|--|--|        this keeps gaps at most twice as long as with even spacing
    |-----|-----|-----|-----|--|--|        keyframes of the last minute are dropped last
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TYPE_CHECKING

from engine.sim.state import check_readable, compress_state, decode_state, decompress_state, encode_state, raw_motion

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = ["MAX_BYTES", "Keyframes"]

MAX_BYTES = 400_000_000
"""Upper bound of the size limit, bytes; holds about ten minutes of 1,000 bodies in a heap, measured by `python main.py bench history`."""

MIN_BYTES = 80_000_000
"""Lower bound of the size limit, bytes, for demos with few bodies."""

BODY_BYTES = 400_000
"""Size limit per body, bytes, between these bounds."""

RECENT = 3600
"""Keyframes within this many steps of the newest are dropped last, because users mostly rewind within them; a minute at 60 Hz."""


class Keyframes:
    """Encoded states by step; the first and the newest keyframe are always kept."""

    def __init__(self) -> None:
        self._n_bodies = 0
        self._steps: list[int] = []
        self._states: dict[int, bytes] = {}
        self._newest: int | None = None
        """Step of the keyframe that is not compressed yet, or None."""
        self._n_bytes = 0

    @property
    def steps(self) -> list[int]:
        """Steps of the keyframes, ascending."""
        return list(self._steps)

    @property
    def n_bytes(self) -> int:
        """Total size of all states, bytes."""
        return self._n_bytes

    @property
    def max_bytes(self) -> int:
        """Size limit above which keyframes are dropped, bytes."""
        return min(max(MIN_BYTES, BODY_BYTES * self._n_bodies), MAX_BYTES)

    def __contains__(self, step: int) -> bool:
        return step in self._states

    def latest(self, step: int) -> int:
        """Return the step of the latest keyframe at or before `step`."""
        return self._steps[bisect_right(self._steps, step) - 1]

    def has_room(self) -> bool:
        """Return True if another keyframe of average size fits the limit."""
        return self._n_bytes + self._n_bytes // max(len(self._steps), 1) <= self.max_bytes

    def add(self, step: int, demo: Demo) -> None:
        """Add a keyframe with the current state of the demo.

        Raises
        ------
        StateError
            The demo has an attribute that cannot be encoded.
        """
        self.tidy()
        self._newest = step
        self._keep(step, encode_state(demo, is_kept=True))
        self._n_bodies = sum(len(stage.world.body_ids) for stage in demo.stages)
        insort(self._steps, step)

    def tidy(self) -> None:
        """Compress the newest keyframe and enforce the size limit; done in a later step because it takes as long as the encoding."""
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
        """Restore the demo to a keyframe."""
        decode_state(demo, self._state(step), is_kept=True)

    def compressed(self, step: int) -> bytes:
        """Return the compressed state at a keyframe, for a file.

        Raises
        ------
        StateError
            The state is too large for other processes.
        """
        check_readable(self._state(step))
        return compress_state(self._states[step]) if step == self._newest else self._states[step]

    def raw(self, step: int) -> bytes:
        """Return x, y, angle, vx, vy, omega of every body at a keyframe, float32 little-endian, 24 bytes per body."""
        return raw_motion(self._state(step))

    def cut(self, last: int) -> None:
        """Drop the keyframes after step `last`."""
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
