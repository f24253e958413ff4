"""Contact points that appeared or disappeared in the last steps, kept for a while so that they can be seen."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.contracts.contact import PointState, StepContacts

__all__ = ["FADE_STEPS", "FLASH_STEPS", "ContactTrail", "flagged"]

FADE_STEPS = 24
"""Number of steps for which a removed point stays: 0.4 s at 60 Hz; slow motion and pauses apply to it."""
FLASH_STEPS = 10
"""Number of steps for which the ring around a new point stays."""
_LEVELS = 8
"""Number of shades while a point fades; points of one shade are drawn together."""


def flagged(positions: FloatArray, flags: NDArray[np.bool_]) -> FloatArray:
    """Return the flagged (n, 2) positions (n, 2, 2) as (k, 2); equal to indexing in a third of the time."""
    return positions.reshape(-1, 2).take(np.flatnonzero(flags), axis=0)


class _Marks(NamedTuple):
    """Points (k, 2) that appeared or disappeared in a step, the ids of their bodies (k, 2), and the fractions of the step (k,) at which
    they appeared.
    """

    step: int
    positions: FloatArray
    bodies: IntArray
    since: FloatArray


class ContactTrail:
    """Positions of added and removed points by the step they belong to."""

    def __init__(self) -> None:
        self._added: deque[_Marks] = deque(maxlen=FLASH_STEPS)
        self._removed: deque[_Marks] = deque(maxlen=FADE_STEPS)

    def record(self, contacts: StepContacts, moments: FloatArray | None = None) -> None:
        """Record one step's contacts; every step must be recorded, drawn or not. A repeated step replaces those from it on.

        `moments`, float64 (n,), are the fractions of the step, 0 to 1, at which the rows began.
        """
        for marks in (self._added, self._removed):
            while marks and marks[-1].step >= contacts.step:
                marks.pop()
        is_new = contacts.state == PointState.ADD
        added = flagged(contacts.position, is_new)
        if len(added):
            since, rows = moments if moments is not None else np.zeros(len(contacts)), np.nonzero(is_new)[0]
            bodies = np.stack((contacts.body_a, contacts.body_b), axis=1)[rows]
            self._added.append(_Marks(contacts.step, frozen(added), bodies, frozen(since[rows])))
        if contacts.removed:
            positions = frozen(np.array([point.position for point in contacts.removed], dtype=np.float64))
            bodies = np.array([(point.body_a, point.body_b) for point in contacts.removed], dtype=np.int64)
            self._removed.append(_Marks(contacts.step, positions, bodies, np.zeros(len(bodies))))

    def forget(self, bodies: Collection[int]) -> None:
        """Drop the points of bodies that were moved or destroyed."""
        for marks in (self._added, self._removed) if bodies else ():
            for k, mark in enumerate(marks):
                stays = ~np.isin(mark.bodies, list(bodies)).any(axis=1)
                if not stays.all():
                    marks[k] = _Marks(mark.step, frozen(mark.positions[stays]), mark.bodies[stays], mark.since[stays])

    def added(self, now: int, fraction: float = 1.0) -> list[tuple[float, FloatArray]]:
        """Return (age from 0 to 1; positions (n, 2)) of points that appeared until `fraction` of the step `now`."""
        seen = [(mark.step, mark.positions if mark.step < now else mark.positions[mark.since <= fraction]) for mark in self._added]
        return _aged(seen, now, FLASH_STEPS)

    def removed(self, now: int) -> list[tuple[float, FloatArray]]:
        """Return (age from 0 to 1, positions (n, 2)) of points that disappeared until the step `now`."""
        return _aged([(mark.step, mark.positions) for mark in self._removed], now, FADE_STEPS)


def _aged(marks: Iterable[tuple[int, FloatArray]], now: int, n_steps: int) -> list[tuple[float, FloatArray]]:
    levels: dict[float, list[FloatArray]] = {}
    for step, positions in marks:
        if len(positions) and 0 <= now - step < n_steps:
            levels.setdefault((now - step) * _LEVELS // n_steps / _LEVELS, []).append(positions)
    return [(age, np.concatenate(parts)) for age, parts in levels.items()]
