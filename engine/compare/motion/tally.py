"""Counts of many steps: how often which cause holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from engine.compare.motion.verdict import CAUSES, WAYS, BodyVerdict, MotionVerdict

__all__ = ["MotionTally"]


@dataclass
class MotionTally:
    """Sums of the verdicts on some steps.

    Attributes
    ----------
    steps : int
        Steps judged, of each world of a demo one.
    compared, agree : int
        Bodies, summed over the steps.
    causes : Counter
        Bodies by the cause of their difference.
    shared : Counter
        Bodies by causes that had a share beside another.
    reasons : Counter
        Bodies whose cause is another contact, by the reason of the referee of contacts.
    ways : Counter
        Bodies by why their poses differ.
    not_judged : Counter
        Steps that Box2D cannot take, by what it refuses.
    worst : BodyVerdict or None
        The largest difference of a velocity, in step `worst_step`.
    """

    steps: int = 0
    compared: int = 0
    agree: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    shared: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    not_judged: Counter[str] = field(default_factory=Counter)
    worst: BodyVerdict | None = None
    worst_step: int = 0

    @property
    def unexplained(self) -> int:
        """Bodies without a cause that was shown, of velocities and of poses."""
        return self.causes["unexplained"] + self.ways["unexplained"]

    def add(self, verdict: MotionVerdict) -> None:
        """Count a step."""
        self.steps += 1
        self.compared += verdict.compared
        self.agree += verdict.agree
        self.causes += verdict.counts
        self.ways += verdict.ways
        for body in verdict.bodies:
            self.shared.update(name for name, _ in body.shares if name != body.cause)
            if body.reason:
                self.reasons[body.reason] += 1
        worst = verdict.worst
        if worst is not None and (self.worst is None or worst.size > self.worst.size):
            self.worst, self.worst_step = worst, verdict.step

    def __iadd__(self, other: MotionTally) -> MotionTally:
        for name in ("steps", "compared", "agree"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("causes", "shared", "reasons", "ways", "not_judged"):
            getattr(self, name).update(getattr(other, name))
        if other.worst is not None and (self.worst is None or other.worst.size > self.worst.size):
            self.worst, self.worst_step = other.worst, other.worst_step
        return self

    def as_json(self) -> dict[str, Any]:
        """Return it as ``motion --json`` prints it."""
        return {
            "steps": self.steps,
            "compared": self.compared,
            "agree": self.agree,
            "causes": {name: self.causes[name] for name in CAUSES if self.causes[name]},
            "shared": {name: self.shared[name] for name in CAUSES if self.shared[name]},
            "reasons": dict(sorted(self.reasons.items())),
            "ways": {name: self.ways[name] for name in WAYS if self.ways[name]},
            "not_judged": dict(sorted(self.not_judged.items())),
            "unexplained": self.unexplained,
            "worst": None if self.worst is None else {"step": self.worst_step, **self.worst.as_json()},
        }
