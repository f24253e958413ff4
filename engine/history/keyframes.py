"""The moments of a demo from which its other steps are reached again.

The newest is kept as it is, those before it are packed (`engine.history.compact`), a slice in each of the steps after the newest was
kept: so that no single step has to bear much. Where they come to more than they may, one after the other goes::

    |--|--|--|--|--|--|--|--|--|--|        each goes whose neighbours are nearest to each other then, the oldest of equals:
    |-----|-----|-----|--|--|--|--|        no step is farther from the keyframe before it than twice what an even row would have
    |-----|-----|-----|-----|--|--|        those of the last minute stay as long as there are others
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.history.capture import CapturedState, capture, restore
from engine.history.columns import Choices
from engine.history.compact import CompactState, compacting

if TYPE_CHECKING:
    from engine.sim.subject import Subject

__all__ = ["MOST_BYTES", "Keyframes"]

MOST_BYTES = 35_000_000
"""Of a demo of few bodies. With what else a history keeps, 1.2 kB a step, and 17 MB of plots and log beside it, ten minutes of 200 bodies
stay below 100 MB whatever they touch; a heap of them takes 18 MB of this. `python main.py bench history` measures it."""

BODY_BYTES = 64_000
"""For each body, where that is more: 600 keyframes of a heap at 0.1 kB a body, so that ten minutes are kept, 60 steps apart."""

LARGEST_BYTES = 400_000_000
"""However many bodies there are: a desktop computer's memory is not ours alone."""

RECENT = 3600
"""Steps behind the newest keyframe that are thinned out last, a minute at 60 Hz: it is there that users go back and forth."""


_CHOSEN_ANEW = 16
"""Keyframes after which it is found out again by what each column of them is best told."""


class Keyframes:
    """Kept moments by step.

    Parameters
    ----------
    most_bytes : int or None
        They may take; the first and the newest stay whatever they take. Without, what the number of bodies asks for.
    """

    def __init__(self, most_bytes: int | None = None) -> None:
        self._wanted_bytes = most_bytes
        self._n_bodies = 0
        self._steps: list[int] = []
        self._packed: dict[int, CompactState] = {}
        self._whole: dict[int, CapturedState] = {}
        """At most two, in the order in which they were kept."""
        self._packing: Iterator[CompactState | None] | None = None
        """Of the older one of two, a slice in each step."""
        self._choices: Choices = {}
        self._n_alike = 0
        """Keyframes that were packed by these."""
        self._n_packed_bytes = 0

    @property
    def steps(self) -> list[int]:
        """Where they are, ascending."""
        return list(self._steps)

    @property
    def n_bytes(self) -> int:
        """What they take beside what they share: to the byte of those packed, about of the newest."""
        return self._n_packed_bytes + sum(state.n_bytes for state in self._whole.values())

    @property
    def most_bytes(self) -> int:
        """Beyond this they are thinned out."""
        if self._wanted_bytes is not None:
            return self._wanted_bytes
        return min(max(MOST_BYTES, BODY_BYTES * self._n_bodies), LARGEST_BYTES)

    def __contains__(self, step: int) -> bool:
        return step in self._packed or step in self._whole

    def latest(self, step: int) -> int:
        """Return the last of them at a step or before it; there is always the first."""
        return self._steps[bisect_right(self._steps, step) - 1]

    def has_room(self) -> bool:
        """Tell whether one more of about the size of the others would be kept: one that was thinned out would go again."""
        return self.n_bytes + self.n_bytes // max(len(self._steps), 1) <= self.most_bytes

    def add(self, step: int, demo: Subject) -> None:
        """Keep the demo as it stands.

        Raises
        ------
        CaptureError
            It holds something that cannot be restored.
        """
        while len(self._whole) > 1:
            self.tidy()
        state = self._whole[step] = capture(demo, next(reversed(self._whole.values()), None))
        self._n_bodies = sum(len(snapshot.bodies) for _, snapshot in state.worlds)
        insort(self._steps, step)

    def tidy(self) -> None:
        """Go on packing what is not the newest, for a millisecond or two: to be called in every step but that of a keyframe."""
        if len(self._whole) < 2:
            return
        step = next(iter(self._whole))
        if self._packing is None:
            if self._n_alike == _CHOSEN_ANEW:
                self._choices, self._n_alike = {}, 0
            self._n_alike += 1
            self._packing = compacting(self._whole[step], next(reversed(self._whole.values())), self._choices)
        try:
            packed = next(self._packing)
        except BaseException:  # Ctrl-C: it is packed from the beginning then
            self._packing = None
            raise
        if packed is not None:
            self._packing = None
            del self._whole[step]
            self._packed[step] = packed
            self._n_packed_bytes += packed.n_bytes
            self._thin()

    def restore(self, step: int, demo: Subject) -> None:
        """Bring the demo back to one of them."""
        restore(demo, self._state(step))

    def raw(self, step: int) -> bytes:
        """Return x, y, angle, vx, vy, omega of every body of every stage at one of them, float32 little-endian, 24 bytes each."""
        return self._state(step).raw

    def cut(self, last: int) -> None:
        """Drop those after a step."""
        for step in self._steps[bisect_right(self._steps, last) :]:
            self._drop(step)

    def _state(self, step: int) -> CapturedState:
        state = self._whole.get(step)
        return state if state is not None else self._packed[step].whole()

    def _drop(self, step: int) -> None:
        self._steps.remove(step)
        if self._whole.pop(step, None) is None:
            self._n_packed_bytes -= self._packed.pop(step).n_bytes
        else:
            self._packing = None

    def _thin(self) -> None:
        while self.n_bytes > self.most_bytes:
            steps = self._steps
            going = [k for k in range(1, len(steps) - 1) if steps[k] in self._packed]
            if not going:
                return
            self._drop(steps[min(going, key=lambda k: (steps[k] > steps[-1] - RECENT, steps[k + 1] - steps[k - 1], k))])
