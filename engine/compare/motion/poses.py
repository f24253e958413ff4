"""Why the poses of bodies differ after a step, beyond what their velocities do."""

from __future__ import annotations

from collections import Counter

import numpy as np

from engine.compare.allowances import pose_allowance
from engine.compare.motion.bodies import JudgedBodies
from engine.compare.motion.constraints import hard_contacts
from engine.compare.motion.states import Taken, Twins

__all__ = ["PoseCauses"]

_SHARE = 0.1
"""Maximum share of a difference that may remain without its cause."""


class PoseCauses:
    """Why the poses of bodies differ, beyond what their velocities do."""

    def __init__(self, twins: Twins, bodies: JudgedBodies, theirs: Taken, ours: Taken) -> None:
        self.moved = bodies.size(theirs.pose - ours.pose)
        allowed = pose_allowance(bodies.speeds(theirs, ours), bodies.scale, bodies.dt)
        added = bodies.added(theirs) - bodies.added(ours)
        beyond = bodies.size(added)
        is_beyond = bodies.is_judged & (beyond > np.maximum(allowed, _SHARE * self.moved))
        self._names = np.where(bodies.is_judged & (self.moved > allowed), "velocity", "").astype(object)
        for cause, change in (("sleeping", Twins.all_awake), ("continuous", _without_continuous)):
            if not is_beyond.any():
                return
            twins = change(twins)
            theirs, ours = twins.steps()
            added = bodies.added(theirs) - bodies.added(ours)
            gone = is_beyond & (bodies.size(added) <= np.maximum(allowed, _SHARE * beyond))
            self._names[gone] = cause
            is_beyond &= ~gone
        held = bodies.held(np.concatenate((hard_contacts(theirs, False).fixtures, hard_contacts(ours, False).fixtures)))
        self._names[is_beyond & held] = "position_correction"
        mean = 0.5 * bodies.dt * (ours.velocity - bodies.velocity)
        is_mean = bodies.size(added - mean) <= np.maximum(allowed, _SHARE * bodies.size(added))
        self._names[is_beyond & ~held] = "unexplained"
        self._names[is_beyond & ~held & is_mean] = "integrator"

    def of(self, row: int) -> str:
        return str(self._names[row])

    @property
    def counts(self) -> Counter[str]:
        return Counter(name for name in self._names.tolist() if name)


def _without_continuous(twins: Twins) -> Twins:
    return twins.with_settings(continuous=False)
