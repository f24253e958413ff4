"""Shared code of the references: worlds of the solver under test, bodies in them, and rows of results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.world import World, WorldSettings

__all__ = [
    "GRAVITY",
    "REFERENCES",
    "STEP",
    "Lab",
    "Reference",
    "Row",
    "absolute",
    "at_most",
    "deepest_overlap",
    "energy",
    "least",
    "reference",
    "relative",
    "run",
    "speed",
    "worst_joint",
]

GRAVITY = 10.0
"""m/s^2."""
STEP = 1.0 / 60.0
"""Seconds."""


@dataclass(frozen=True)
class Lab:
    """The solver under test.

    Parameters
    ----------
    solver : str
        One of `engine.world.solvers()`.
    sub_steps : int
        Number of sub-steps of the soft step, or of velocity iterations of Box2D.
    settings : mapping
        Other settings of the world or of the solver.
    """

    solver: str = "soft_step"
    sub_steps: int = 8
    settings: Mapping[str, Any] = field(default_factory=dict)

    def world(self, **settings: Any) -> World:
        """Return an empty world, by default without sleeping."""
        merged = {"velocity_iterations": self.sub_steps, "sleeping": False} | dict(self.settings) | settings
        return World(WorldSettings(**merged), solver=self.solver)


@dataclass(frozen=True, slots=True)
class Row:
    """One number of a reference: its name, error, allowed error, expected and measured value; a ratio if it has no unit."""

    what: str
    error: float
    demand: float
    unit: str
    exact: float
    measured: float

    @property
    def holds(self) -> bool:
        """True if the error is within the allowed error."""
        return self.error <= self.demand


def absolute(what: str, exact: float, measured: float, demand: float, unit: str) -> Row:
    """Return a row whose error is a difference."""
    return Row(what, abs(measured - exact), demand, unit, exact, measured)


def relative(what: str, exact: float, measured: float, demand: float) -> Row:
    """Return a row whose error is relative to the exact value."""
    return Row(what, abs(measured / exact - 1.0), demand, "", exact, measured)


def at_most(what: str, measured: float, demand: float, unit: str) -> Row:
    """Return a row of a value that should be 0, with its upper limit."""
    return Row(what, max(0.0, measured), demand, unit, 0.0, measured)


def least(what: str, measured: float, required: float, unit: str) -> Row:
    """Return a row of a value with its lower limit."""
    return Row(what, max(required - measured, 0.0), 0.0, unit, required, measured)


Measure = Callable[[Lab], Iterable[Row]]


@dataclass(frozen=True)
class Reference:
    """A scene with its expected result.

    Attributes
    ----------
    name, title : str
    chapter : "exact" or "quality"
        Comparison with a formula, or with the limits of a good solver.
    is_slow : bool
        True if the scene takes more than about a second.
    measure : callable
        Runs the scene and returns its rows. Its docstring has the derivation.
    """

    name: str
    title: str
    chapter: str
    is_slow: bool
    measure: Measure


REFERENCES: dict[str, Reference] = {}
"""All reference scenes by name, in the order of their chapters."""


def reference(title: str, is_slow: bool = False, chapter: str = "exact") -> Callable[[Measure], Measure]:
    """Register a function in `REFERENCES` under its own name."""

    def enter(measure: Measure) -> Measure:
        name = measure.__name__
        REFERENCES[name] = Reference(name, title, chapter, is_slow, measure)
        return measure

    return enter


def run(world: World, seconds: float) -> None:
    """Step the world for some seconds."""
    for _ in range(round(seconds * world.settings.hertz)):
        world.step()


def speed(world: World, body: int) -> float:
    """Return the speed of a body, m/s."""
    return math.hypot(*world.state(body).linear_velocity)


def energy(world: World, bodies: Iterable[int]) -> float:
    """Return kinetic and potential energy, J, above y = 0 of the centers of mass."""
    gx, gy = world.settings.gravity
    total = 0.0
    for body_id in bodies:
        info, state = world.body(body_id), world.state(body_id)
        (x, y), (vx, vy), spin = state.xf.apply(info.local_center), state.linear_velocity, state.angular_velocity
        total += 0.5 * info.mass * (vx * vx + vy * vy) + 0.5 * info.inertia * spin * spin - info.mass * (gx * x + gy * y)
    return total


def deepest_overlap(world: World) -> float:
    """Return the depth of the deepest contact at the start of the last step, m."""
    return world.contacts.deepest_overlap


def worst_joint(world: World, joints: Iterable[int]) -> float:
    """Return the maximum distance between the anchors of a joint, m."""
    return max(math.dist(*world.joint_anchors(joint)) for joint in joints)
