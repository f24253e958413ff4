"""Records of bodies, fixtures and joints that a world returns: plain and frozen, never an object of a solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.common.limits import MAX_COORDINATE, MAX_SPEED
from engine.geometry import FixtureShape, Transform
from engine.world.joint_specs import JointSpec
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
    """All bodies at one moment, a row each in ascending order of id.

    Attributes
    ----------
    values : float32 or float64 (n, 6)
        x, y, angle, vx, vy, omega, in the precision of the solver.
    awake : bool (n,)
    """

    values: NDArray[np.floating]
    awake: NDArray[np.bool_]


MAX_MOTION = np.array([MAX_COORDINATE, MAX_COORDINATE, np.inf, MAX_SPEED, MAX_SPEED, MAX_SPEED], dtype=np.float32)
"""Largest magnitude of each column of `BodyMotion.values` of an active body: a world sets a body beyond it inactive, and refuses such a
snapshot. Angles are not limited."""


@dataclass(frozen=True, slots=True)
class Body:
    """A live body: its specification as it stands now (pose and velocity are those of its creation, see `BodyState`)."""

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
    """A live fixture: `shape` is exactly what the solver holds, with its numbers, its vertex order and its skin."""

    id: int
    body: int
    spec: FixtureSpec
    shape: FixtureShape


class ImpactPose(NamedTuple):
    """Poses of two bodies at a moment of impact inside a step."""

    pose_a: Pose
    pose_b: Pose


@dataclass(frozen=True, slots=True)
class ImpactMoment:
    """Two bodies at a moment inside the last step at which continuous physics solved their contact, or stopped them: x, y, angle of each.

    `fraction` is that of the step, or None if the solver does not report it.
    """

    fixture_a: int
    fixture_b: int
    pose_a: Pose
    pose_b: Pose
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class StepCost:
    """Cost of the last step, milliseconds: the solver with its callbacks, and reading bodies and contacts out of it.

    `collide`, `solve` and `toi` are parts of `solver`, measured by its own clock, each with its callbacks:
    manifolds; islands, constraints and new pairs; impacts inside the step.
    """

    solver: float = 0.0
    reading: float = 0.0
    collide: float = 0.0
    solve: float = 0.0
    toi: float = 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """A live joint."""

    id: int
    spec: JointSpec


@dataclass(frozen=True, slots=True)
class JointState:
    """Position, speed and reaction of a joint in the last step.

    Attributes
    ----------
    angle, spin : float
        Angle and angular velocity of body B relative to A, less the reference angle, rad; rad/s.
    travel, speed : float
        From the anchor on A to that on B, m, and how fast it grows, m/s: along the axis of a slider or a wheel, else straight.
    force, torque : (x, y), float
        On body B, world frame, N and N m; the motor's too.
    """

    angle: float
    spin: float
    travel: float
    speed: float
    force: tuple[float, float]
    torque: float
