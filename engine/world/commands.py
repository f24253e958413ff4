"""Commands: frozen objects that describe changes to a world. A world changes only by commands and steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from engine.world.joint_specs import JointSpec, bodies_of, joints_of
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
    "Handle",
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


Handle: TypeAlias = tuple[str, int]
"""(kind, id), with kind "body", "fixture" or "joint"."""


@dataclass(frozen=True, slots=True)
class Command:
    """Base class of the commands.

    Attributes
    ----------
    may_loosen_joints : bool
        True if the command may invalidate an existing joint by leaving it without a dynamic body or unsupported by the solver.
    """

    may_loosen_joints: ClassVar[bool] = False

    @property
    def targets(self) -> tuple[Handle, ...]:
        """Handles of objects that must exist."""
        return ()

    @property
    def creates(self) -> tuple[Handle, ...]:
        """Handles of the objects that the command creates."""
        return ()


@dataclass(frozen=True, slots=True)
class _BodyCommand(Command):
    body: int

    @property
    def targets(self) -> tuple[Handle, ...]:
        return (("body", self.body),)


@dataclass(frozen=True, slots=True)
class _FixtureCommand(Command):
    fixture: int

    @property
    def targets(self) -> tuple[Handle, ...]:
        return (("fixture", self.fixture),)


@dataclass(frozen=True, slots=True)
class _JointCommand(Command):
    joint: int

    @property
    def targets(self) -> tuple[Handle, ...]:
        return (("joint", self.joint),)


@dataclass(frozen=True, slots=True)
class CreateBody(Command):
    """Create a body; `fixtures` are the ids of the fixtures in its specification, in the same order."""

    body: int
    spec: BodySpec
    fixtures: tuple[int, ...]

    @property
    def creates(self) -> tuple[Handle, ...]:
        return (("body", self.body), *(("fixture", fixture) for fixture in self.fixtures))


@dataclass(frozen=True, slots=True)
class DestroyBody(_BodyCommand):
    """Destroy a body, its fixtures and its joints."""


@dataclass(frozen=True, slots=True)
class CreateFixture(Command):
    """Add a fixture to a body."""

    may_loosen_joints: ClassVar[bool] = True

    fixture: int
    body: int
    spec: FixtureSpec

    @property
    def targets(self) -> tuple[Handle, ...]:
        return (("body", self.body),)

    @property
    def creates(self) -> tuple[Handle, ...]:
        return (("fixture", self.fixture),)


@dataclass(frozen=True, slots=True)
class DestroyFixture(_FixtureCommand):
    """Destroy a fixture."""

    may_loosen_joints: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class CreateJoint(Command):
    """Create a joint between two bodies, using their poses at the time the command is applied."""

    joint: int
    spec: JointSpec

    @property
    def targets(self) -> tuple[Handle, ...]:
        return (*(("body", body) for body in bodies_of(self.spec)), *(("joint", joint) for joint in joints_of(self.spec)))

    @property
    def creates(self) -> tuple[Handle, ...]:
        return (("joint", self.joint),)


@dataclass(frozen=True, slots=True)
class DestroyJoint(_JointCommand):
    """Destroy a joint and wake its bodies."""


@dataclass(frozen=True, slots=True)
class SetMouseTarget(_JointCommand):
    """Set the target point of a mouse joint (world, m)."""

    target: tuple[float, float]


@dataclass(frozen=True, slots=True)
class SetPose(_BodyCommand):
    """Teleport a body without changing its velocity."""

    position: tuple[float, float]
    angle: float


@dataclass(frozen=True, slots=True)
class SetVelocity(_BodyCommand):
    """Set a body's velocity, m/s and rad/s."""

    linear: tuple[float, float]
    angular: float


@dataclass(frozen=True, slots=True)
class SetAwake(_BodyCommand):
    """Wake a body or put it to sleep."""

    awake: bool


@dataclass(frozen=True, slots=True)
class SetBody(_BodyCommand):
    """Change settings of a body's specification (type, bullet, damping, ...)."""

    may_loosen_joints: ClassVar[bool] = True

    changes: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SetFixture(_FixtureCommand):
    """Change settings of a fixture's specification (density, friction, filter, ...)."""

    may_loosen_joints: ClassVar[bool] = True

    changes: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SetJoint(_JointCommand):
    """Change settings of a joint's specification (motor, limits, spring, ...), but not its bodies and anchors."""

    changes: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SetSettings(Command):
    """Change settings of the world."""

    may_loosen_joints: ClassVar[bool] = True

    changes: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SetSolver(Command):
    """Change the solver and its solver-specific settings."""

    solver: str
    solver_settings: tuple[tuple[str, float | str], ...]


@dataclass(frozen=True, slots=True)
class ApplyImpulse(_BodyCommand):
    """Apply an impulse, N s, at a world point, or at the center of mass if `point` is None."""

    impulse: tuple[float, float]
    point: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ApplyForce(_BodyCommand):
    """Apply a force, N, during the next step at a world point, or at the center of mass if `point` is None."""

    force: tuple[float, float]
    point: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ApplyTorque(_BodyCommand):
    """Apply a torque, N m, during the next step."""

    torque: float


@dataclass(frozen=True, slots=True)
class Canonicalize(Command):
    """Bring the solver into the state that restoring a snapshot would produce."""
