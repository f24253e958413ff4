"""Frozen records of bodies, fixtures and joints, which a world returns instead of solver objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.common.limits import MAX_COORDINATE, MAX_SPEED
from engine.geometry import FixtureShape, Transform
from engine.world.joints.interface import JointSpec
from engine.world.specs import BodySpec, FixtureSpec

__all__ = [
    "MAX_MOTION",
    "Body",
    "BodyMotion",
    "BodyState",
    "Fixture",
    "ImpactMoment",
    "ImpactPose",
    "Joint",
    "JointState",
    "Pose",
    "StepCost",
]

Pose: TypeAlias = tuple[float, float, float]
"""x, y, angle: world frame, meters, radians."""


@dataclass(frozen=True, slots=True)
class BodyMotion:
    """Motion of all bodies at one time, one row per body in ascending order of id.

    Attributes
    ----------
    values : float32 or float64 (n, 6)
        x, y, angle, vx, vy, omega, in the solver's precision.
    awake : bool (n,)
    """

    values: NDArray[np.floating]
    awake: NDArray[np.bool_]


MAX_MOTION = np.array([MAX_COORDINATE, MAX_COORDINATE, np.inf, MAX_SPEED, MAX_SPEED, MAX_SPEED])
"""Maximum magnitude of each column of `BodyMotion.values` for an active body; angles are unlimited. A world deactivates bodies that exceed
a maximum, and rejects snapshots with such bodies."""


@dataclass(frozen=True, slots=True)
class Body:
    """A body. `spec` is its current specification, but with the pose and velocity at creation; `BodyState` has the current values.

    `fixtures` and `joints` are ids. The center of mass is in the body's frame, m; `mass` is in kg, `inertia` about that center in
    kg m^2.
    """

    id: int
    spec: BodySpec
    fixtures: tuple[int, ...]
    joints: tuple[int, ...]
    local_center: tuple[float, float]
    mass: float
    inertia: float


@dataclass(frozen=True, slots=True)
class BodyState:
    """Pose and velocity of a body: world frame, meters, radians, m/s, rad/s."""

    position: tuple[float, float]
    angle: float
    linear_velocity: tuple[float, float]
    angular_velocity: float
    awake: bool

    @property
    def xf(self) -> Transform:
        """The pose as a transform."""
        return Transform(self.position, self.angle)


@dataclass(frozen=True, slots=True)
class Fixture:
    """A fixture. `shape` is exactly the shape that the solver uses, with the solver's rounding, vertex order and skin."""

    id: int
    body: int
    spec: FixtureSpec
    shape: FixtureShape


class ImpactPose(NamedTuple):
    """Poses of two bodies at an impact within a step."""

    pose_a: Pose
    pose_b: Pose


@dataclass(frozen=True, slots=True)
class ImpactMoment:
    """Poses of two bodies at the time within the last step at which continuous physics solved their contact or stopped them.

    `fraction` is that time as a fraction of the step, or None if the solver does not report it.
    """

    fixture_a: int
    fixture_b: int
    pose_a: Pose
    pose_b: Pose
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class StepCost:
    """Cost of the last step, milliseconds. `solver` includes callbacks; `reading` is the cost of reading bodies and contacts.

    `collide` (manifolds), `solve` (islands, constraints and new pairs) and `toi` (impacts within the step) are parts of `solver` that
    the solver measures itself, callbacks included.
    """

    solver: float = 0.0
    reading: float = 0.0
    collide: float = 0.0
    solve: float = 0.0
    toi: float = 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint with its current specification."""

    id: int
    spec: JointSpec


@dataclass(frozen=True, slots=True)
class JointState:
    """Position, speed and reaction of a joint after the last step.

    Attributes
    ----------
    angle, spin : float
        Angle of body B relative to A, minus the reference angle, rad; and the relative angular velocity, rad/s.
    travel, speed : float
        Distance from the anchor on A to that on B, m, and its rate of change, m/s; along the axis for prismatic and wheel joints.
    force, torque : (x, y), float
        Reaction on body B, world frame, N and N m, including the reaction of the motor.
    """

    angle: float
    spin: float
    travel: float
    speed: float
    force: tuple[float, float]
    torque: float
