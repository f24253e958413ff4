"""What the referee of motion says: of each body, and of a step."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

__all__ = ["CAUSES", "WAYS", "BodyVerdict", "MotionVerdict"]

CAUSES: dict[str, str] = {
    "sleeping": "One engine lets the body sleep, or wakes it, and the other does not.",
    "continuous": "One engine stops the body at a touch within the step, or pushes it there.",
    "speed_cap": "Box2D moves no body farther than 2 m or a quarter turn a step, and cuts its velocity for that.",
    "restitution": "The bounce: Box2D's threshold of 1 m/s, and all contacts at once; ours, pair by pair before all else.",
    "warm_starting": "The impulses that the step began from, of the one before it.",
    "iterations": "Box2D's sweeps end before they agree, or our sub-steps do not take one step's way.",
    "integrator": "Gravity and damping: one explicit step of Box2D's, v (1 - h d), against implicit sub-steps.",
    "speculative": "We hold a pair back that would touch within the step; Box2D does not know it yet.",
    "skin": "Box2D holds bodies apart at their skins, 2 cm of two polygons, where ours may still approach.",
    "contacts": "Another contact: Box2D took another axis. The referee of contacts tells why.",
    "joints": "Joints: we hold one back that would pass its limit within the step; Box2D pulls at other points, or not at all.",
    "order": "Contacts and joints are solved in another order, and the sweeps end before that is forgotten.",
    "one_point": "Of two points that say nearly the same Box2D's solver drops the second.",
    "several_answers": "Friction has several answers here, and each found its own: ours, begun with Box2D's impulses, stays at Box2D's.",
    "unsettled": "Box2D's sweeps over friction go round and come to no end; without friction both agree.",
    "float32": "Rounding: the same sweeps in float32, or from poses moved by rounding, end as far apart.",
    "unexplained": "Nothing that was taken away made the difference go.",
}
"""Causes in the order in which they are taken away, and a sentence for people."""

WAYS: dict[str, str] = {
    "velocity": "The poses are apart by what the velocities are, times the step.",
    "sleeping": "One engine lets the body sleep, or wakes it, and the other does not.",
    "continuous": "One engine stops the body on its way.",
    "integrator": "Nothing touches the body: Box2D moves it by the new velocity, ours by the mean of old and new.",
    "position_correction": "Box2D moves bodies out of each other after the step, by no velocity; ours push softly within it, or elsewhere.",
    "unexplained": "None of these.",
}
"""Why poses differ, in the order in which it is asked, and a sentence for people."""

_TOLD = 0.05
"""Share of a difference: what changes it by less is not told."""


@dataclass(frozen=True, slots=True)
class BodyVerdict:
    """Why a body leaves the step otherwise in Box2D than in ours.

    Attributes
    ----------
    body : int
    linear, angular : (float, float), float
        Box2D's velocity less ours, m/s and rad/s.
    size : float
        Of that as a speed, m/s: of the center of mass, and of the body's farthest point about it.
    moved : float
        How far apart the two leave the body, m, its farthest point's way about the center of mass included.
    moved_by : str
        One of `WAYS`; empty where the poses agree.
    cause : str
        One of `CAUSES`: what of the difference went first and most; "unexplained" where it did not go.
    shares : tuple of (str, float)
        Every cause that took a tenth of `size` or more, and how much of it, m/s, as they were taken away.
    left : tuple of (str, float)
        What is left of `size` once a cause is taken away, and all before it.
    allowed : float
        m/s, what float32 may leave; see `engine.compare.allowances`.
    reason : str
        Of another contact: the reason of the referee of contacts.
    """

    body: int
    linear: tuple[float, float]
    angular: float
    size: float
    moved: float
    moved_by: str
    cause: str
    shares: tuple[tuple[str, float], ...]
    left: tuple[tuple[str, float], ...]
    allowed: float
    reason: str = ""

    @property
    def told(self) -> str:
        """How the cause was shown, in one sentence."""
        sizes = [self.size, *(size for _, size in self.left)]
        steps = [
            f"{size:.2g} without {name}"
            for (name, size), before in zip(self.left, sizes, strict=False)
            if abs(size - before) > _TOLD * self.size
        ]
        if self.left and not steps:
            steps = [f"{sizes[-1]:.2g} whatever is taken away"]
        return f"{self.size:.2g} m/s apart; {', '.join(steps)} (float32 may leave {self.allowed:.2g})".replace("_", " ")

    def as_json(self) -> dict[str, Any]:
        """Return it as ``motion --json`` prints it."""
        return {
            "body": self.body,
            "linear": list(self.linear),
            "angular": self.angular,
            "size": self.size,
            "moved": self.moved,
            "moved_by": self.moved_by,
            "cause": self.cause,
            "reason": self.reason,
            "shares": dict(self.shares),
            "left": dict(self.left),
            "allowed": self.allowed,
        }


@dataclass(frozen=True)
class MotionVerdict:
    """One step from equal states.

    Attributes
    ----------
    step : int
        Its number.
    compared : int
        Dynamic bodies.
    agree : int
        Those of which the two velocities are as near as rounding leaves them.
    bodies : tuple of BodyVerdict
        The others, in ascending order of ids.
    ways : Counter
        Of all bodies of which the poses differ, how many by which of `WAYS`.
    """

    step: int
    compared: int
    agree: int
    bodies: tuple[BodyVerdict, ...]
    ways: Counter[str]

    @property
    def counts(self) -> Counter[str]:
        """How many bodies have which cause."""
        return Counter(one.cause for one in self.bodies)

    @property
    def unexplained(self) -> int:
        """Bodies without a cause that was shown, of their velocities or their poses."""
        return self.counts["unexplained"] + self.ways["unexplained"]

    @property
    def worst(self) -> BodyVerdict | None:
        """The body whose velocities differ most; None where all agree."""
        return max(self.bodies, key=lambda one: one.size, default=None)

    def of(self, body: int) -> BodyVerdict | None:
        """Return the verdict on a body; None where it agrees."""
        return next((one for one in self.bodies if one.body == body), None)
