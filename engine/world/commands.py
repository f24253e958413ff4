"""Commands: frozen objects that describe changes to a world. A world changes only by commands and steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar, dataclass_transform

from engine.world.joints.interface import JointSpec, bodies_of, joints_of
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
_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def _command(cls: type[_T]) -> type[_T]:
    """Make a class a frozen dataclass."""
    return dataclass(frozen=True, slots=True)(cls)


@_command
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


@_command
class _BodyCommand(Command):
    body: int

    @property
    def targets(self) -> tuple[Handle, ...]:
        return (("body", self.body),)


@_command
class _FixtureCommand(Command):
    fixture: int

    @property
    def targets(self) -> tuple[Handle, ...]:
        return (("fixture", self.fixture),)


@_command
class _JointCommand(Command):
    joint: int

    @property
    def targets(self) -> tuple[Handle, ...]:
        return (("joint", self.joint),)


@_command
class CreateBody(Command):
    """Create a body; `fixtures` are the ids of the fixtures in its specification, in the same order."""

    body: int
    spec: BodySpec
    fixtures: tuple[int, ...]

    @property
    def creates(self) -> tuple[Handle, ...]:
        return (("body", self.body), *(("fixture", fixture) for fixture in self.fixtures))


@_command
class DestroyBody(_BodyCommand):
    """Destroy a body, its fixtures and its joints."""


@_command
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


@_command
class DestroyFixture(_FixtureCommand):
    """Destroy a fixture."""

    may_loosen_joints: ClassVar[bool] = True


@_command
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


@_command
class DestroyJoint(_JointCommand):
    """Destroy a joint and wake its bodies."""


@_command
class SetMouseTarget(_JointCommand):
    """Set the target point of a mouse joint (world, m)."""

    target: tuple[float, float]


@_command
class SetPose(_BodyCommand):
    """Teleport a body without changing its velocity."""

    position: tuple[float, float]
    angle: float


@_command
class SetVelocity(_BodyCommand):
    """Set a body's velocity, m/s and rad/s."""

    linear: tuple[float, float]
    angular: float


@_command
class SetAwake(_BodyCommand):
    """Wake a body or put it to sleep."""

    awake: bool


@_command
class SetBody(_BodyCommand):
    """Change settings of a body's specification (type, bullet, damping, ...)."""

    may_loosen_joints: ClassVar[bool] = True

    changes: tuple[tuple[str, Any], ...]


@_command
class SetFixture(_FixtureCommand):
    """Change settings of a fixture's specification (density, friction, filter, ...)."""

    may_loosen_joints: ClassVar[bool] = True

    changes: tuple[tuple[str, Any], ...]


@_command
class SetJoint(_JointCommand):
    """Change settings of a joint's specification (motor, limits, spring, ...), but not its bodies and anchors."""

    changes: tuple[tuple[str, Any], ...]


@_command
class SetSettings(Command):
    """Change settings of the world."""

    may_loosen_joints: ClassVar[bool] = True

    changes: tuple[tuple[str, Any], ...]


@_command
class SetSolver(Command):
    """Change the solver and its solver-specific settings."""

    solver: str
    solver_settings: tuple[tuple[str, float | str], ...]


@_command
class ApplyImpulse(_BodyCommand):
    """Apply an impulse, N s, at a world point, or at the center of mass if `point` is None."""

    impulse: tuple[float, float]
    point: tuple[float, float] | None


@_command
class ApplyForce(_BodyCommand):
    """Apply a force, N, during the next step at a world point, or at the center of mass if `point` is None."""

    force: tuple[float, float]
    point: tuple[float, float] | None


@_command
class ApplyTorque(_BodyCommand):
    """Apply a torque, N m, during the next step."""

    torque: float


@_command
class Canonicalize(Command):
    """Bring the solver into the state that restoring a snapshot would produce."""
