"""Verdicts of the referee of motion: on each body, on a step, and counted over many steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CAUSES", "POSE_CAUSES", "BodyVerdict", "MotionTally", "MotionVerdict"]

CAUSES: dict[str, str] = {
    "sleeping": "Only one engine puts the body to sleep or wakes it.",
    "continuous": "Only one engine stops or pushes the body when it touches something within the step.",
    "speed_cap": "Box2D limits motion to 2 m and a quarter turn per step, and reduces the velocity accordingly.",
    "restitution": "Restitution: Box2D applies it above 1 m/s and to all contacts together; our solver applies it first, pair by pair.",
    "warm_starting": "Warm starting: the engines start this step with different impulses.",
    "iterations": "Box2D's sweeps end before convergence, or our sub-steps differ from a single step.",
    "integrator": "Gravity and damping: Box2D takes one explicit step, v (1 - h d); our solver takes implicit sub-steps.",
    "speculative": "Our solver stops a pair that would touch within the step; Box2D has no contact for it yet.",
    "skin": "Box2D keeps two polygons 2 cm apart because of their skins; our solver lets them come closer.",
    "contacts": "The contacts differ because Box2D chose another axis. The collision referee gives the reason.",
    "joints": "Joints: our solver stops a joint before it passes its limit; Box2D applies its forces at other points, or applies none.",
    "one_point": "Box2D's solver drops the second of two nearly redundant points.",
    "several_answers": "Friction has several solutions here, and each engine found a "
    "different one. If our solver starts from Box2D's solution, it stays there.",
    "unsettled": "Box2D's friction sweeps cycle without converging; without friction, both engines agree.",
    "float32": "Rounding: float32 arithmetic, or poses changed by a rounding error, change the result of the same sweeps by as much.",
    "unexplained": "The difference remains after all known causes are removed.",
}
"""Causes in the order in which they are removed, each with a sentence for people."""

POSE_CAUSES: dict[str, str] = {
    "velocity": "The poses differ by the velocity difference times the time step.",
    "sleeping": "Only one engine lets the body sleep or wakes it.",
    "continuous": "Only one engine stops the body during the step.",
    "integrator": "Nothing touches the body. Box2D moves it with its new velocity; our solver uses the mean of the old and new velocities.",
    "position_correction": "Box2D moves overlapping bodies apart after the step without "
    "changing velocities; our solver pushes them softly during the step.",
    "unexplained": "None of the known causes explains the difference.",
}
"""Causes of a difference between poses, in the order in which they are tested, each with a sentence for people."""

_MIN_SHARE = 0.05
"""Minimum share of a difference; smaller changes are not reported."""


@dataclass(frozen=True, slots=True)
class BodyVerdict:
    """Why a body differs after a step in Box2D and in our solver.

    Attributes
    ----------
    body : int
    linear, angular : (float, float), float
        Box2D's velocity minus ours, m/s and rad/s.
    size : float
        That difference as a speed, m/s: of the center of mass plus that of the body's farthest point about it.
    moved : float
        Distance between the body's two poses, m, including the path of its farthest point about the center of mass.
    moved_by : str
        One of `POSE_CAUSES`; empty if the poses agree.
    cause : str
        One of `CAUSES`: the one whose removal reduced the difference most; "unexplained" if the difference remains.
    shares : tuple of (str, float)
        Every cause whose removal reduced the difference by a tenth of `size` or more, and by how much, m/s, in order.
    left : tuple of (str, float)
        The rest of `size` after removing a cause and all before it.
    allowed : float
        Allowed error of float32, m/s; see `engine.compare.allowances`.
    reason : str
        If the cause is another contact: the reason given by the referee of contacts.
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
    def evidence(self) -> str:
        """The evidence for the cause, in one sentence."""
        sizes = [self.size, *(size for _, size in self.left)]
        steps = [
            f"{size:.2g} without {name}"
            for (name, size), before in zip(self.left, sizes, strict=False)
            if abs(size - before) > _MIN_SHARE * self.size
        ]
        if self.left and not steps:
            steps = [f"still {sizes[-1]:.2g} with all causes removed"]
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
        Number of bodies whose two velocities differ by no more than rounding.
    bodies : tuple of BodyVerdict
        The other bodies, in ascending order of ids.
    ways : Counter
        Bodies whose poses differ, by `POSE_CAUSES`.
    """

    step: int
    compared: int
    agree: int
    bodies: tuple[BodyVerdict, ...]
    ways: Counter[str]

    @property
    def counts(self) -> Counter[str]:
        """Numbers of bodies by cause."""
        return Counter(body.cause for body in self.bodies)

    @property
    def unexplained(self) -> int:
        """Number of bodies without a proved cause, for their velocities or poses."""
        return self.counts["unexplained"] + self.ways["unexplained"]

    @property
    def worst(self) -> BodyVerdict | None:
        """The body whose velocities differ most, or None if all agree."""
        return max(self.bodies, key=lambda body: body.size, default=None)

    def of(self, body: int) -> BodyVerdict | None:
        """Return the verdict on a body, or None if it agrees."""
        return next((verdict for verdict in self.bodies if verdict.body == body), None)


@dataclass
class MotionTally:
    """Sums of the verdicts on some steps.

    Attributes
    ----------
    steps : int
        Number of judged steps, one per world of a demo.
    compared, agree : int
        Numbers of bodies, summed over the steps.
    causes : Counter
        Bodies by the cause of their difference.
    shared : Counter
        Numbers of bodies by cause with a share in addition to another cause.
    reasons : Counter
        Bodies whose cause is another contact, by the reason of the referee of contacts.
    ways : Counter
        Numbers of bodies by cause of different poses.
    not_judged : Counter
        Numbers of steps that Box2D does not support, by reason.
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
        """Number of bodies without a proved cause, for velocities and poses."""
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
            "ways": {name: self.ways[name] for name in POSE_CAUSES if self.ways[name]},
            "not_judged": dict(sorted(self.not_judged.items())),
            "unexplained": self.unexplained,
            "worst": None if self.worst is None else {"step": self.worst_step, **self.worst.as_json()},
        }
