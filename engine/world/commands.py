"""Every change of a world is one of these: plain, frozen, stamped with the step before which it is applied.

A world plus its log of commands is the whole run: applied again in the same order to a fresh world they give the same
bits (`World.replay`). Ids are part of the command, so that a replay hands out the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from engine.world.joint_specs import JointSpec
from engine.world.specs import BodySpec, FixtureSpec

__all__ = [
    "ApplyForce",
    "ApplyImpulse",
    "ApplyTorque",
    "Canonicalize",
    "Command",
    "CreateBody",
    "CreateFixture",
    "CreateJoint",
    "DestroyBody",
    "DestroyFixture",
    "DestroyJoint",
    "SetAwake",
    "SetBody",
    "SetFixture",
    "SetJoint",
    "SetMouseTarget",
    "SetPose",
    "SetSettings",
    "SetSolver",
    "SetVelocity",
]


@dataclass(frozen=True, slots=True)
class CreateBody:
    """Make a body with `fixtures` ids for the specification's fixtures, in order."""

    body: int
    spec: BodySpec
    fixtures: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DestroyBody:
    """Destroy a body, its fixtures and its joints."""

    body: int


@dataclass(frozen=True, slots=True)
class CreateFixture:
    """Add a fixture to a body."""

    fixture: int
    body: int
    spec: FixtureSpec


@dataclass(frozen=True, slots=True)
class DestroyFixture:
    """Take a fixture from its body."""

    fixture: int


@dataclass(frozen=True, slots=True)
class CreateJoint:
    """Join two bodies as they stand when the command is applied."""

    joint: int
    spec: JointSpec


@dataclass(frozen=True, slots=True)
class DestroyJoint:
    """Remove a joint and wake its bodies."""

    joint: int


@dataclass(frozen=True, slots=True)
class SetMouseTarget:
    """Move the point a mouse joint pulls towards (world, m)."""

    joint: int
    target: tuple[float, float]


@dataclass(frozen=True, slots=True)
class SetPose:
    """Put a body elsewhere at once; it keeps its velocity."""

    body: int
    position: tuple[float, float]
    angle: float


@dataclass(frozen=True, slots=True)
class SetVelocity:
    """Give a body a velocity, m/s and rad/s."""

    body: int
    linear: tuple[float, float]
    angular: float


@dataclass(frozen=True, slots=True)
class SetAwake:
    """Wake a body or put it to sleep."""

    body: int
    awake: bool


@dataclass(frozen=True, slots=True)
class SetBody:
    """Change settings of a body's specification (type, bullet, damping, ...)."""

    body: int
    changes: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SetFixture:
    """Change settings of a fixture's specification (density, friction, filter, ...)."""

    fixture: int
    changes: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SetJoint:
    """Change settings of a joint's specification (motor, limits, spring, ...); its bodies and anchors stay."""

    joint: int
    changes: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SetSettings:
    """Change settings of the world."""

    changes: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SetSolver:
    """Let another solver drive the world, with these settings of its own."""

    solver: str
    solver_settings: tuple[tuple[str, float | str], ...]


@dataclass(frozen=True, slots=True)
class ApplyImpulse:
    """Push a body by N s at a world point, or at its centre of mass where that is None."""

    body: int
    impulse: tuple[float, float]
    point: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ApplyForce:
    """Push a body by N during the next step, at a world point or at its centre of mass."""

    body: int
    force: tuple[float, float]
    point: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ApplyTorque:
    """Turn a body by N m during the next step."""

    body: int
    torque: float


@dataclass(frozen=True, slots=True)
class Canonicalize:
    """Bring the solver into the form that restoring a snapshot would give it; in the log also what became of a step that broke off.

    `taken_out` are the bodies that had left the finite numbers in it, and were set inactive.
    """

    taken_out: tuple[int, ...] = ()


Command: TypeAlias = (
    CreateBody
    | DestroyBody
    | CreateFixture
    | DestroyFixture
    | CreateJoint
    | DestroyJoint
    | SetMouseTarget
    | SetPose
    | SetVelocity
    | SetAwake
    | SetBody
    | SetFixture
    | SetJoint
    | SetSettings
    | SetSolver
    | ApplyImpulse
    | ApplyForce
    | ApplyTorque
    | Canonicalize
)
