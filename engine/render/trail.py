"""Contact points that came or went in the last steps, kept for a while so that the eye can catch them."""

from __future__ import annotations

from collections import deque

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts.contact import PointState, StepContacts

__all__ = ["FADE_STEPS", "FLASH_STEPS", "ContactTrail"]

FADE_STEPS = 24
"""Steps a removed point stays: 0.4 s at 60 Hz. Counted in steps, so that slow motion slows it too and a pause holds it."""
FLASH_STEPS = 10
"""Steps the ring around a new point stays."""
_LEVELS = 8
"""Shades between just now and gone: each is drawn in one go."""


class ContactTrail:
    """Positions of added and removed points by the step they belong to."""

    def __init__(self) -> None:
        self.step = 0
        self._added: deque[tuple[int, FloatArray]] = deque(maxlen=FLASH_STEPS)
        self._removed: deque[tuple[int, FloatArray]] = deque(maxlen=FADE_STEPS)

    def record(self, contacts: StepContacts) -> None:
        """Take in one step's contacts; every step must be given, drawn or not."""
        self.step = contacts.step
        added = contacts.position[contacts.state == PointState.ADD]
        if len(added):
            self._added.append((contacts.step, added))
        if contacts.removed:
            self._removed.append((contacts.step, np.array([point.position for point in contacts.removed], dtype=np.float64)))

    def added(self) -> list[tuple[float, FloatArray]]:
        """Return (age from 0, just now, to 1, gone; positions (n, 2)) for points that came."""
        return self._aged(self._added, FLASH_STEPS)

    def removed(self) -> list[tuple[float, FloatArray]]:
        """Return (age from 0 to 1, positions (n, 2)) for points that went."""
        return self._aged(self._removed, FADE_STEPS)

    def _aged(self, traces: deque[tuple[int, FloatArray]], steps: int) -> list[tuple[float, FloatArray]]:
        levels: dict[float, list[FloatArray]] = {}
        for step, positions in traces:
            if self.step - step < steps:
                levels.setdefault((self.step - step) * _LEVELS // steps / _LEVELS, []).append(positions)
        return [(age, np.concatenate(parts)) for age, parts in levels.items()]
