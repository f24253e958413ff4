"""A world that any solver can simulate and that no input can crash.

The model, which maps ids to specifications, is authoritative; the solver's objects can be discarded and rebuilt from it. Every change is a
validated command. Commands are applied between steps, in the order in which they were issued. A command issued by a hook during a step is
deferred to the end of that step.

A command or a step changes solver and model together. If the solver fails, both are rolled back (`World._roll_back`): the model by means of
its journal, and the solver to its mark.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property, partial
from typing import Any, NoReturn, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, frozen
from engine.common.checks import boolean, integer
from engine.common.errors import (
    DeadHandleError,
    Described,
    InvalidInputError,
    LabError,
    WorldLostError,
    WrongThreadError,
    shortened,
)
from engine.common.interrupts import DeferredInterrupt
from engine.common.limits import MAX_COORDINATE, MAX_SPEED
from engine.common.words import counted
from engine.contracts import StepContacts
from engine.geometry import Transform
from engine.world import commands as c
from engine.world.conversion import converted
from engine.world.fields import changed, check_names, named_values, number, vector
from engine.world.hooks import StepHooks
from engine.world.joints.gear import GearJointSpec
from engine.world.joints.interface import JointSpec, ResolvedJoint, altered, as_it_stands, check_numbers
from engine.world.joints.mouse import MouseJointSpec
from engine.world.model import BodyEntry, FixtureEntry, WorldModel
from engine.world.records import MAX_MOTION, Body, BodyMotion, BodyState, Fixture, ImpactMoment, Joint, JointState, StepCost
from engine.world.snapshot import WorldSnapshot
from engine.world.solver import Becomes, Capabilities, Copies, Solver, default_settings, default_solver, load_solver, solver_name
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings
from engine.world.waking import Concerned, Sleepers, concerned, ends_of

__all__ = ["BODY_SETTINGS", "FIXTURE_SETTINGS", "World"]

_T = TypeVar("_T")

BODY_SETTINGS = (
    "type",
    "linear_damping",
    "angular_damping",
    "gravity_scale",
    "fixed_rotation",
    "bullet",
    "allow_sleep",
    "active",
    "name",
)
FIXTURE_SETTINGS = ("density", "friction", "restitution", "sensor", "category", "mask", "group", "name")


@dataclass(frozen=True)
class _Motion:
    """Motion of all bodies at one time, one row per body in ascending order of id; arrays are computed when first read.

    `before` is the motion or the poses before the last step.
    """

    rows: dict[int, int]
    raw: BodyMotion
    before: BodyMotion | FloatArray

    @cached_property
    def poses(self) -> FloatArray:
        """x, y, angle, float64 (n, 3)."""
        return _columns(self.raw, 0)

    @cached_property
    def velocities(self) -> FloatArray:
        """vx, vy, omega, float64 (n, 3)."""
        return _columns(self.raw, 3)

    @cached_property
    def previous(self) -> FloatArray:
        """Poses before the last step, float64 (n, 3)."""
        return _columns(self.before, 0) if isinstance(self.before, BodyMotion) else self.before


class World:
    """A simulated world of bodies, fixtures and joints, advanced in fixed steps of ``1 / hertz`` seconds. Ids are never reused.

    Parameters
    ----------
    settings : WorldSettings, optional
        Gravity, step rate, iterations, and so on.
    solver : str, optional
        One of `solvers()`; `default_solver()` if omitted.

    Notes
    -----
    An id that does not exist raises `DeadHandleError`, an invalid value `InvalidInputError`, both of `engine.common.errors`, and
    changes nothing.

    A world may only be used by the thread that created it. `clone` copies it; it cannot be pickled, but a `snapshot` can.
    """

    __slots__ = (
        "_asleep",
        "_busy",
        "_deferred",
        "_destroyed_at",
        "_hooks",
        "_is_anyone_asleep",
        "_is_stale",
        "_lost",
        "_model",
        "_motion",
        "_next_ids",
        "_solver",
        "_teleported",
        "_thread",
        "_to_be_destroyed",
    )

    def __init__(self, settings: WorldSettings | None = None, solver: str | None = None) -> None:
        if settings is not None:
            _check_type("settings", settings, WorldSettings)
        settings = WorldSettings() if settings is None else settings
        if solver is None and not settings.solver_settings and default_settings():
            settings = replace(settings, solver_settings=default_settings())
        kind = load_solver(default_solver() if solver is None else solver)
        self._thread = threading.get_ident()
        self._model = WorldModel(kind.accept(settings))
        self._solver: Solver = kind(self._model)
        self._lost = ""
        """Error message if the world could not be rolled back; empty while the world is usable."""
        self._next_ids = dict.fromkeys(self._model.tables, 0)
        self._destroyed_at: dict[tuple[str, int], int] = {}
        self._to_be_destroyed: set[tuple[str, int]] = set()
        self._deferred: list[c.Command] = []
        self._hooks: StepHooks | None = None
        self._busy = False
        self._motion: _Motion | None = None
        self._is_stale = True
        self._teleported: set[int] = set()
        self._is_anyone_asleep: bool | None = False
        """None means unknown."""
        self._asleep: Sleepers | None = None
        """Cached sleeping bodies; None if not computed yet, or outdated."""

    @property
    def solver(self) -> str:
        """Name of the world's solver."""
        return self._solver.capabilities.name

    @property
    def capabilities(self) -> Capabilities:
        """Capabilities of the world's solver."""
        return self._checked_solver.capabilities

    @property
    def settings(self) -> WorldSettings:
        """The world's settings; change them with `set_settings`."""
        return self._checked_model.settings

    @property
    def step_index(self) -> int:
        """Number of completed steps."""
        return self._checked_model.step_index

    @property
    def time(self) -> float:
        """Simulated time, s: the sum of the steps taken."""
        return self._checked_model.time

    @property
    def contacts(self) -> StepContacts:
        """Contacts after the last step."""
        return self._checked_solver.contacts

    @property
    def impact_moments(self) -> tuple[ImpactMoment, ...]:
        """All impacts within the last step, in the order in which they were solved; `contacts` has only the last impact of each pair."""
        return self._checked_solver.impact_moments

    def pair_record(self) -> object:
        """Return the solver's own record of which pairs touch and why, for an independent check; None if the solver keeps none."""
        return self._checked_solver.pair_record()

    @property
    def out_of_range(self) -> tuple[int, ...]:
        """Bodies that were deactivated for leaving the supported range of positions and speeds."""
        return tuple(self._checked_model.out_of_range)

    @property
    def last_cost(self) -> StepCost:
        """Cost of the last step; zero before the first step."""
        return self._checked_solver.cost

    @property
    def step_notes(self) -> tuple[str, ...]:
        """Sentences for users about limits that the last step met (`Solver.notes`); usually empty."""
        return self._checked_solver.notes

    @property
    def structure_version(self) -> int:
        """Version number, incremented whenever bodies, fixtures or joints are added, removed or changed."""
        return self._checked_model.structure_version

    @property
    def body_ids(self) -> tuple[int, ...]:
        """Ids of the existing bodies, ascending."""
        return self._checked_model.body_numbers

    @property
    def fixture_ids(self) -> tuple[int, ...]:
        """Ids of the existing fixtures, ascending."""
        return tuple(sorted(self._checked_model.fixtures))

    @property
    def joint_ids(self) -> tuple[int, ...]:
        """Ids of the existing joints, ascending."""
        return tuple(sorted(self._checked_model.joints))

    def is_body(self, body: int) -> bool:
        """Return whether `body` is the id of an existing body."""
        return _living(self._checked_model.bodies, body) is not None

    def is_fixture(self, fixture: int) -> bool:
        """Return whether `fixture` is the id of an existing fixture."""
        return _living(self._checked_model.fixtures, fixture) is not None

    def is_joint(self, joint: int) -> bool:
        """Return whether `joint` is the id of an existing joint."""
        return _living(self._checked_model.joints, joint) is not None

    def body(self, body: int) -> Body:
        """Return a body's record."""
        entry = self._body_entry(body)
        spec = replace(entry.spec, fixtures=tuple(self._model.fixtures[fixture].spec for fixture in entry.fixtures))
        return Body(body, spec, tuple(entry.fixtures), tuple(entry.joints), *self._solver.mass_data(body))

    def name_of(self, body: int) -> str:
        """Return a body's name, empty by default."""
        return self._body_entry(body).spec.name

    def fixtures_of(self, body: int) -> tuple[int, ...]:
        """Return the ids of a body's fixtures."""
        return tuple(self._body_entry(body).fixtures)

    def fixture(self, fixture: int) -> Fixture:
        """Return a fixture's record."""
        entry = self._fixture_entry(fixture)
        return Fixture(fixture, entry.body, entry.spec, self._solver.shape_of(fixture))

    def joint(self, joint: int) -> Joint:
        """Return a joint's record."""
        return Joint(joint, self._joint_entry(joint).spec)

    def joint_now(self, joint: int) -> JointSpec:
        """Return the specification that recreates a joint at its bodies' current poses; see `interface.as_it_stands`."""
        return as_it_stands(self._joint_entry(joint), self._transform)

    def joint_state(self, joint: int) -> JointState:
        """Return a joint's position and speed, and its reaction in the last step."""
        resolved, solver = self._joint_entry(joint), self._solver
        a, b = resolved.bodies
        (ax, ay), (bx, by) = solver.joint_anchors(joint)
        (vax, vay, spin_a), (vbx, vby, spin_b) = self._velocity_at(a, (ax, ay)), self._velocity_at(b, (bx, by))
        xf_a, angle_b = Transform() if a is None else self._transform(a), self._transform(b).angle
        dx, dy = bx - ax, by - ay
        length = math.hypot(dx, dy)
        ux, uy, turning = *((dx / length, dy / length) if length > 0.0 else (0.0, 0.0)), 0.0
        if hasattr(resolved.spec, "axis"):
            ux, uy, turning = *xf_a.rotate(resolved.local_axis_a), spin_a  # the axis rotates with A
        force, torque = solver.joint_reaction(joint)
        return JointState(
            angle=angle_b - xf_a.angle - resolved.reference_angle,
            spin=spin_b - spin_a,
            travel=ux * dx + uy * dy,
            speed=ux * (vbx - vax) + uy * (vby - vay) + turning * (ux * dy - uy * dx),
            force=force,
            torque=torque,
        )

    def _velocity_at(self, body: int | None, point: tuple[float, float]) -> tuple[float, float, float]:
        """Return the velocity of a body at a world point, m/s, and its angular velocity, rad/s; zero for the ground body None."""
        if body is None:
            return 0.0, 0.0, 0.0
        vx, vy, spin = self._now().velocities[self._model.rows[body]].tolist()
        x, y = self._transform(body).apply(self._solver.mass_data(body)[0])
        return vx - spin * (point[1] - y), vy + spin * (point[0] - x), spin

    def joint_bodies(self, joint: int) -> tuple[int | None, int]:
        """Return bodies A and B of a joint.

        A is None for a mouse joint; for a gear joint, A and B are body B of its first and second joint.
        """
        return self._joint_entry(joint).bodies

    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return a joint's two anchors, world frame, meters."""
        self._joint_entry(joint)
        return self._solver.joint_anchors(joint)

    def row_of(self, body: int) -> int:
        """Return a body's row in `poses`, `previous_poses`, `velocities` and `awake`."""
        self._body_entry(body)
        return self._model.rows[body]

    @property
    def poses(self) -> FloatArray:
        """x, y, angle of every body, float64 (n, 3), read-only, rows as in `body_ids`."""
        return self._checked()._now().poses

    @property
    def previous_poses(self) -> FloatArray:
        """Poses before the last step, float64 (n, 3), read-only; the current pose for a body that is new or was teleported."""
        return self._checked()._now().previous

    @property
    def velocities(self) -> FloatArray:
        """vx, vy, omega of every body, float64 (n, 3), read-only, rows as in `body_ids`."""
        return self._checked()._now().velocities

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Whether each body is awake, bool (n,)."""
        return self._checked()._now().raw.awake

    def state(self, body: int) -> BodyState:
        """Return a body's pose, velocity and awake flag."""
        row, motion = self.row_of(body), self._now()
        x, y, angle = motion.poses[row].tolist()
        vx, vy, omega = motion.velocities[row].tolist()
        return BodyState((x, y), angle, (vx, vy), omega, bool(motion.raw.awake[row]))

    def body_at(self, point: tuple[float, float], dynamic_only: bool = True) -> int | None:
        """Return the body whose fixture contains a world point, or None; the newest fixture if several do."""
        return next(self._bodies_at(point, boolean("dynamic_only", dynamic_only)), None)

    def bodies_at(self, point: tuple[float, float]) -> tuple[int, ...]:
        """Return the bodies of all fixtures that contain a world point, newest fixture first."""
        return tuple(dict.fromkeys(self._bodies_at(point, dynamic_only=False)))

    def _bodies_at(self, point: tuple[float, float], dynamic_only: bool) -> Iterator[int]:
        at = vector("point", point, "m")
        model, solver = self._checked_model, self._solver
        for fixture in sorted(model.fixtures, reverse=True):
            body = model.fixtures[fixture].body
            if (not dynamic_only or model.bodies[body].spec.type == "dynamic") and solver.holds_point(fixture, at):
                yield body

    @property
    def is_lost(self) -> bool:
        """True if the solver failed and the world could not be rolled back. All other methods then raise until `restore` is called."""
        return bool(self._lost)

    def state_hash(self) -> str:
        """Return a digest of all body ids and of the raw bits of the bodies' poses, velocities and awake flags."""
        motion = self._checked()._now()
        digest = hashlib.blake2b(digest_size=16)
        digest.update(self._model.body_ids.tobytes())
        digest.update(motion.raw.values.tobytes())
        digest.update(motion.raw.awake.tobytes())
        return digest.hexdigest()

    @property
    def hooks(self) -> StepHooks | None:
        """Callables to be called during a step. They are read at the start of the step."""
        return self._hooks

    @hooks.setter
    def hooks(self, value: StepHooks | None) -> None:
        if value is not None:
            _check_type("hooks", value, StepHooks)
        self._hooks = value

    def __repr__(self) -> str:
        return f"<World: {self.solver}, {counted(len(self._model.bodies), 'body', 'bodies')}, step {self._model.step_index}>"

    def __copy__(self) -> NoReturn:
        raise TypeError("a World cannot be copied by the copy module: use world.clone()")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a World cannot be pickled: pickle world.snapshot()")

    @property
    def keeps_solver_state(self) -> bool:
        """True if `canonicalize` and `snapshot` include as much of the solver's internal state as possible, not only its public state.

        Default True. Runs that must agree bit for bit must use the same value, because a snapshot without internal state cannot restore it.
        """
        return self._checked_solver.keeps_state

    @keeps_solver_state.setter
    def keeps_solver_state(self, value: bool) -> None:
        self._check_between_steps("keeps_solver_state")
        self._checked_solver.keeps_state = boolean("keeps_solver_state", value)

    @property
    def is_always_canonical(self) -> bool:
        """True if `canonicalize` has no effect with the current solver, so that `restore` is exact for any snapshot."""
        return self._checked_solver.is_always_canonical

    # -- changes ------------------------------------------------------------------------------------------------------

    def create_body(self, spec: BodySpec) -> int:
        """Create a body with its fixtures and return its id."""
        _check_type("spec", spec, BodySpec)
        body, first = self._next_ids["body"], self._next_ids["fixture"]
        self._submit(c.CreateBody(body, spec, tuple(range(first, first + len(spec.fixtures)))))
        return body

    def destroy_body(self, body: int) -> None:
        """Destroy a body, its fixtures and its joints."""
        self._submit(c.DestroyBody(body))

    def create_fixture(self, body: int, spec: FixtureSpec) -> int:
        """Add a fixture to a body and return the fixture's id."""
        _check_type("spec", spec, FixtureSpec)
        fixture = self._next_ids["fixture"]
        self._submit(c.CreateFixture(fixture, body, spec))
        return fixture

    def destroy_fixture(self, fixture: int) -> None:
        """Destroy a fixture."""
        self._submit(c.DestroyFixture(fixture))

    def create_joint(self, spec: JointSpec) -> int:
        """Create a joint and return its id."""
        _check_type("spec", spec, JointSpec)
        joint = self._next_ids["joint"]
        self._submit(c.CreateJoint(joint, spec))
        return joint

    def destroy_joint(self, joint: int) -> None:
        """Destroy a joint and the gear joints that depend on it, and wake its bodies."""
        self._submit(c.DestroyJoint(joint))

    def set_mouse_target(self, joint: int, target: tuple[float, float]) -> None:
        """Set the target point of a mouse joint (world, m)."""
        if not isinstance(self._joint_entry(joint).spec, MouseJointSpec):
            raise InvalidInputError("joint", "a mouse joint", joint)
        self._submit(c.SetMouseTarget(joint, vector("target", target, "m", MAX_COORDINATE)))

    def set_pose(self, body: int, position: tuple[float, float], angle: float) -> None:
        """Teleport a body without changing its velocity. This wakes the body, and the bodies near its old and new pose."""
        self._submit(c.SetPose(body, vector("position", position, "m", MAX_COORDINATE), number("angle", angle, "rad")))

    def set_velocity(self, body: int, linear: tuple[float, float], angular: float = 0.0) -> None:
        """Set the velocity of a dynamic or kinematic body, m/s and rad/s."""
        turning = number("angular", angular, "rad/s", -MAX_SPEED, MAX_SPEED)
        self._submit(c.SetVelocity(body, vector("linear", linear, "m/s", MAX_SPEED), turning))

    def set_awake(self, body: int, awake: bool) -> None:
        """Wake a body or put it to sleep."""
        self._submit(c.SetAwake(body, boolean("awake", awake)))

    def set_body(self, body: int, **changes: Any) -> None:
        """Change settings of a body: type, damping, gravity_scale, fixed_rotation, bullet, allow_sleep, active, name."""
        entry = self._body_entry(body)
        check_names("body", changes, BODY_SETTINGS)
        at_rest = replace(entry.spec, linear_velocity=(0.0, 0.0), angular_velocity=0.0, fixtures=())
        self._submit(c.SetBody(body, _as_checked(changed(at_rest, "body", changes), changes)))

    def set_fixture(self, fixture: int, **changes: Any) -> None:
        """Change settings of a fixture: density, friction, restitution, sensor, category, mask, group, name."""
        now = changed(self._fixture_entry(fixture).spec, "fixture", changes, FIXTURE_SETTINGS)
        self._submit(c.SetFixture(fixture, _as_checked(now, changes)))

    def set_joint(self, joint: int, **changes: Any) -> None:
        """Change a joint's motor, limits, spring, lengths, maximum forces or ratio; see `engine.world.joints.interface.changeable`.

        The joint keeps its id, bodies, anchors and reference angle. Its bodies wake.
        """
        now = altered(self._joint_entry(joint), changes)
        self._submit(c.SetJoint(joint, _as_checked(now.spec, changes)))

    def set_settings(self, **changes: Any) -> None:
        """Change settings of the world; a change of gravity wakes all bodies."""
        settings = changed(self._checked_model.settings, "WorldSettings", changes)
        self._submit(c.SetSettings(_as_checked(settings, changes)))

    def set_solver(self, solver: str, solver_settings: Mapping[str, float | str] | Iterable[tuple[str, float | str]] | None = None) -> None:
        """Change the solver, or the settings of the current solver.

        Bodies, fixtures and joints keep their ids, poses and velocities; `engine.world.conversion` describes what else is kept. Sleeping
        bodies wake unless they were created asleep. Restoring a snapshot also restores its solver.

        Parameters
        ----------
        solver : str
            One of `solvers()`.
        solver_settings : mapping of str to float or str, optional
            `WorldSettings.solver_settings` of that solver; its defaults if omitted.

        Raises
        ------
        InvalidInputError
            There is no such solver, or it does not support a setting, shape, body or joint of this world; the message names it. The
            world is unchanged.
        """
        solver = solver_name("solver", solver)
        settings = named_values("solver_settings", () if solver_settings is None else solver_settings)
        if self._busy or (solver, settings) != (self.solver, self.settings.solver_settings):
            self._submit(c.SetSolver(solver, settings))

    def apply_impulse(self, body: int, impulse: tuple[float, float], point: tuple[float, float] | None = None) -> None:
        """Apply an impulse, N s, at a world point, or at the center of mass if `point` is None."""
        at = None if point is None else vector("point", point, "m", MAX_COORDINATE)
        self._submit(c.ApplyImpulse(body, vector("impulse", impulse, "N s"), at))

    def apply_force(self, body: int, force: tuple[float, float], point: tuple[float, float] | None = None) -> None:
        """Apply a force, N, during the next step at a world point, or at the center of mass if `point` is None."""
        at = None if point is None else vector("point", point, "m", MAX_COORDINATE)
        self._submit(c.ApplyForce(body, vector("force", force, "N"), at))

    def apply_torque(self, body: int, torque: float) -> None:
        """Apply a torque, N m, during the next step."""
        self._submit(c.ApplyTorque(body, number("torque", torque, "N m")))

    def canonicalize(self) -> None:
        """Bring the solver into the state that `restore` would produce from a snapshot taken now.

        If a snapshot is taken right after this call, this world and one restored from the snapshot continue identically, bit for bit. A run
        that may be rewound therefore calls `canonicalize` at every keyframe, before `snapshot`. Ids do not change, and no hook is called.
        """
        self._submit(c.Canonicalize())

    def hand_out(self, next_ids: tuple[int, int, int]) -> tuple[int, int, int]:
        """Set the ids of the next body, fixture and joint; return the previous values.

        If several users create objects in one world, each can thus have a separate range of ids, so that ids do not depend on the order of
        the users' commands. No id in the range may have been used before.
        """
        self._check_between_steps("hand_out")
        requirement = "three unused ids, whole numbers >= 0"
        if type(next_ids) is not tuple or len(next_ids) != len(self._next_ids):
            raise InvalidInputError("next_ids", requirement, next_ids)
        numbers = [integer(f"next_ids[{at}]", id, 0) for at, id in enumerate(next_ids)]
        tables, before = self._checked_model.tables, self._ids_ahead()
        if any(id in table for id, table in zip(numbers, tables.values(), strict=True)):
            raise InvalidInputError("next_ids", requirement, next_ids)
        self._next_ids = dict(zip(tables, numbers, strict=True))
        return before

    def _ids_ahead(self) -> tuple[int, int, int]:
        body, fixture, joint = self._next_ids.values()
        return body, fixture, joint

    # -- time ---------------------------------------------------------------------------------------------------------

    def step(self) -> StepContacts:
        """Advance by ``1 / hertz`` seconds and return the contacts.

        Raises
        ------
        WorldLostError
            The solver failed, or a body's pose or velocity is not finite. The world has been rolled back to the state before this step.
        BaseException
            An exception raised by a hook, or a KeyboardInterrupt. The step has been completed.
        """
        self._check_between_steps("step")
        with DeferredInterrupt():
            self._run(self._advance)
        return self.contacts

    def snapshot(self) -> WorldSnapshot:
        """Return the complete state of the world."""
        self._check_between_steps("snapshot")
        return self._checked()._snapshot()

    @classmethod
    def from_snapshot(cls, snapshot: WorldSnapshot) -> World:
        """Return a new world in the state of a snapshot; see `restore`."""
        _check_type("snapshot", snapshot, WorldSnapshot)
        world = cls(snapshot.settings, snapshot.solver)
        world.restore(snapshot)
        return world

    def clone(self) -> World:
        """Return a new world in the state of this one, without its hooks.

        Both continue identically, bit for bit, except with Box2D, whose contacts may be ordered differently; see `restore`.
        """
        return World.from_snapshot(self.snapshot())

    def copies(self, n: int) -> Copies:
        """Return `n` copies of the world that are stepped together; `Worlds` is their public form."""
        self._check_between_steps("copies")
        return self._checked_solver.copies(n)

    def restore(self, snapshot: WorldSnapshot, must_hold: bool = False) -> None:
        """Restore a snapshot, with its ids and its solver.

        With `must_hold`, a snapshot (for example, one from a file) is rejected if its solver does not support one of its joints.

        Poses, velocities, sleep states, sleep times, and contact and joint impulses are restored as far as the solver can access them
        (`Solver.has_whole_states`); the rest starts from zero. Contacts are ordered as in a new world; with Box2D, a disordered pile
        therefore deviates by millimeters. Snapshots taken right after `canonicalize` are restored without any deviation.
        """
        self._check_between_steps("restore")
        _check_type("snapshot", snapshot, WorldSnapshot)
        boolean("must_hold", must_hold)
        with DeferredInterrupt():
            self._become(snapshot, must_hold)  # also if the world is lost
            self._lost = ""
            self._next_ids = dict(zip(self._next_ids, snapshot.next_ids, strict=True))
            self._destroyed_at.clear()

    # -- commands -----------------------------------------------------------------------------------------------------

    def _submit(self, command: c.Command) -> None:
        """Apply a command now, or, if a hook issued it, after the current step or command."""
        self._checked()
        if self._busy:
            command = self._accepted(command)
            self._to_be_destroyed.update(self._destroyed_by(command))
            self._deferred.append(command)
            return
        with DeferredInterrupt():
            self._run(lambda: self._execute(command))

    def _run(self, action: Callable[[], object]) -> None:
        """Run an action and then all commands that hooks issued during it; finally raise the first error.

        Commands call hooks too: destroying a body, for example, ends its contacts while the solver is locked.
        """
        solver = self._checked_solver
        errors: list[BaseException] = []
        self._busy = True
        solver.hooks = self.hooks
        try:
            waiting: list[Callable[[], object]] = [action]
            while waiting:
                for pending in waiting:
                    try:
                        pending()
                    except Exception as error:
                        errors.append(error)
                    raised = self._solver.take_error()
                    errors += [] if raised is None else [raised]
                deferred, self._deferred = self._deferred, []
                self._to_be_destroyed.clear()
                waiting = [partial(self._execute, command) for command in deferred]
        finally:
            self._busy = False
        if errors:
            for other in errors[1:]:
                errors[0].add_note(f"followed by {type(other).__name__}: {other}")
            raise errors[0]

    def _accepted(self, command: c.Command) -> c.Command:
        """Validate a command, round its specification as the solver does, and reserve ids for the objects it creates. Return the result.

        Called when a hook issues a command and again when the command is applied, because commands issued in one step can invalidate each
        other.

        Raises
        ------
        InvalidInputError, DeadHandleError
            The command is invalid in the current state, or the solver does not support it; nothing has changed.
        """
        self._check_targets(command)
        if isinstance(command, c.CreateBody | c.CreateFixture | c.CreateJoint):
            command = replace(command, spec=self._solver.accept(command.spec))  # type: ignore[arg-type]
        self._check_command(command)
        tables = self._model.tables
        for kind, id in command.creates:
            if id in tables[kind]:
                raise InvalidInputError(kind, "an unused id", id)
        for kind, id in command.creates:  # ids are never reused, even if the command fails
            self._next_ids[kind] = max(self._next_ids[kind], id + 1)
        return command

    def _check_command(self, command: c.Command) -> None:
        bodies = self._model.bodies
        match command:
            case c.SetVelocity(body, _, _) if bodies[body].spec.type == "static":
                raise InvalidInputError("body", "dynamic or kinematic", body)
            case c.CreateJoint(number, joint):
                joint.check_ends(number, lambda body: bodies[body].spec.type, self._model.joints)
                resolved = joint.resolve(self._transform, self._model.joints)
                check_numbers(resolved)
                if isinstance(joint, GearJointSpec) and not self._solver.can_hold(resolved):
                    requirement = "joints with active bodies and a dynamic body_b"
                    raise InvalidInputError("joint_a and joint_b", requirement, Described(f"joints {joint.joint_a} and {joint.joint_b}"))
            case c.SetSettings(changes):
                self._solver.accept(changed(self._model.settings, "WorldSettings", dict(changes)))
            case c.SetSolver(solver, solver_settings):
                load_solver(solver).accept(replace(self._model.settings, solver_settings=solver_settings))
                return
        self._solver.check(command)

    def _check_targets(self, command: c.Command) -> None:
        tables = self._model.tables
        for kind, id in command.targets:
            self._entry(kind, tables[kind], id)
            if self._busy and (kind, id) in self._to_be_destroyed:
                raise DeadHandleError(f"{kind} {id} is already scheduled for destruction at the end of this step")

    def _destroyed_by(self, command: c.Command) -> list[c.Handle]:
        """Return the handles that a command destroys."""
        match command:
            case c.DestroyBody(body):
                entry = self._body_entry(body)
                lost = self._model.lost_with(entry.joints)
                return [("body", body)] + [("fixture", i) for i in entry.fixtures] + [("joint", i) for i in lost]
            case c.DestroyFixture(fixture):
                return [("fixture", fixture)]
            case c.DestroyJoint(joint):
                return [("joint", i) for i in self._model.lost_with([joint])]
        return []

    def _execute(self, command: c.Command) -> None:
        """Apply a command and record the handles it destroyed."""
        command = self._accepted(command)
        destroyed = self._destroyed_by(command)
        dropped = self._carry_out(command)
        self._note_destroyed(*destroyed, *(("joint", joint) for joint in dropped))

    def _note_destroyed(self, *handles: c.Handle) -> None:
        self._destroyed_at.update(dict.fromkeys(handles, self._model.step_index))

    def _carry_out(self, command: c.Command) -> tuple[int, ...]:
        """Apply a command to the solver and the model; return the joints that were removed because it made them invalid.

        Raises
        ------
        WorldLostError
            The solver failed. The world has been rolled back.
        """
        if isinstance(command, c.Canonicalize):
            self._canonicalize()
            return ()
        if isinstance(command, c.SetSolver):
            if command.solver == self._solver.capabilities.name:
                return self._carry_out(c.SetSettings((("solver_settings", command.solver_settings),)))
            self._change_solver(command)
            return ()
        mark, body = self._begin(command), self._model.body_of(command)
        try:
            self._apply(command)
            dropped = self._drop_joints() if command.may_loosen_joints and self._model.joints else ()
        except Exception as error:
            raise self._roll_back(f"{self._title} rejected {type(command).__name__}: {error}", mark) from error
        if body in self._model.bodies and (np.abs(self._solver.motion_of(body)) > MAX_MOTION).any():  # its center of mass may have moved
            self._take_out([body])
        return dropped

    def _begin(self, command: c.Command | None = None) -> object:
        """Begin a command or a step that can be rolled back; return the solver's mark."""
        mark = self._solver.mark(command)
        self._model.begin()
        return mark

    def _roll_back(self, problem: str, mark: object) -> WorldLostError:
        """Undo all changes since `_begin`, and return the error to raise.

        If this fails too, the world is lost until `restore` is called.
        """
        try:
            self._model.undo()
            self._is_stale = True
            self._may_sleep()
            self._solver.go_back(mark)
        except Exception as error:
            self._lost = f"{problem}; the world could not be rolled back: {error}. Call restore()"
            return WorldLostError(self._lost)
        return WorldLostError(f"{problem}; the world has been rolled back")

    @property
    def _title(self) -> str:
        return self._solver.capabilities.title

    def _canonicalize(self) -> None:
        try:
            self._solver.canonicalize()
        except Exception as error:
            raise WorldLostError(f"{self._title} rejected Canonicalize: {error}; the world is unchanged") from error
        self._is_stale = True
        self._may_sleep()

    def _change_solver(self, command: c.SetSolver) -> None:
        """Change to another solver, keeping `previous_poses` for drawing."""
        before = self._now().previous
        self._become(converted(self._snapshot(), command.solver, command.solver_settings), must_hold=True)
        assert self._motion is not None
        self._motion = replace(self._motion, before=before)
        self._wake(self._woken_by(concerned(command, self._model)))

    def _apply(self, command: c.Command) -> None:
        model, accept = self._model, self._solver.accept
        affected = concerned(command, model)
        woken = self._woken_by(affected) | self._near(affected)
        match command:
            case c.CreateBody(body, spec, fixtures):
                self._change(command, spec)
                model.add_body(body, spec, fixtures)
            case c.DestroyBody(body):
                for joint in list(model.bodies[body].joints):
                    if joint in model.joints:  # not already removed together with another joint
                        self._remove_joint(joint)
                self._change(command)
                model.remove_body(body)
                if self._asleep is not None:
                    self._asleep.bodies.pop(body, None)
            case c.CreateFixture(fixture, body, fixture_spec):
                self._change(command, fixture_spec)
                model.add_fixture(fixture, body, fixture_spec)
            case c.DestroyFixture(fixture):
                self._change(command)
                model.remove_fixture(fixture)
            case c.CreateJoint(joint, joint_spec):
                resolved = accept(joint_spec.resolve(self._transform, model.joints))
                self._change(command, resolved)
                model.add_joint(joint, resolved)
            case c.DestroyJoint(joint):
                self._remove_joint(joint)
            case c.SetJoint(joint, changes):
                resolved = accept(altered(model.joints[joint], dict(changes)))
                self._change(command, resolved)
                model.set_joint(joint, resolved)
            case c.SetMouseTarget(joint, target):
                resolved = model.joints[joint]
                assert isinstance(resolved.spec, MouseJointSpec)
                resolved = accept(replace(resolved, spec=replace(resolved.spec, target=target)))
                self._change(command, resolved)
                model.set_mouse_target(joint, resolved)
            case c.SetPose(body, _, _):
                self._change(command)
                self._teleported.add(body)
            case c.SetBody(body, changes):
                now = accept(model.changed_body(body, dict(changes)))
                self._change(command, now)
                model.set_body(body, now)
            case c.SetFixture(fixture, changes):
                fixture_now = accept(model.changed_fixture(fixture, dict(changes)))
                self._change(command, fixture_now)
                model.set_fixture(fixture, fixture_now)
            case c.SetSettings(changes):
                settings = accept(changed(model.settings, "WorldSettings", dict(changes)))
                self._change(command, settings)
                model.set_settings(settings)
            case _:
                self._change(command)
        self._wake(woken | self._near(affected))
        match command:
            case c.CreateBody(body, spec, _) if not spec.awake and spec.active and spec.type != "static":
                self._is_anyone_asleep = True
                if self._asleep is not None:
                    self._asleep.add(body, self._solver.motion_of(body)[:3])
            case c.SetAwake(_, awake) if not awake:
                self._may_sleep()

    # -- sleep --------------------------------------------------------------------------------------------------------

    def _may_sleep(self) -> None:
        """Invalidate the cached sleeping bodies, because more may have fallen asleep."""
        self._is_anyone_asleep, self._asleep = None, None

    def _is_all_awake(self) -> bool:
        if self._is_anyone_asleep is None:
            self._is_anyone_asleep = not self._now().raw.awake.all()
        return not self._is_anyone_asleep

    def _sleepers(self) -> Sleepers:
        if self._asleep is None:
            motion = self._now()
            self._asleep = Sleepers(self._model, motion.poses, motion.raw.awake, self._solver.capabilities)
        return self._asleep

    def _woken_by(self, affected: Concerned) -> set[int]:
        """Return the bodies that a command wakes, apart from those near its fixtures."""
        if affected.others == "nobody" or self._is_all_awake():
            return set(affected.bodies)
        bodies = self._model.bodies
        return {body for body in self._sleepers().bodies if affected.others == "all" or bodies[body].spec.awake}

    def _near(self, affected: Concerned) -> set[int]:
        """Return the sleeping bodies near the currently existing fixtures that a command changes."""
        if not affected.fixtures or self._is_all_awake():
            return set()
        existing = [fixture for fixture in affected.fixtures if fixture in self._model.fixtures]
        return set(self._sleepers().near(existing, self._transform))

    def _wake(self, bodies: Collection[int]) -> None:
        """Wake the given bodies, except those that do not exist or cannot move."""
        if not bodies or self._is_all_awake():
            return
        for body in sorted(bodies):
            entry = self._model.bodies.get(body)
            if entry is not None and entry.spec.active and entry.spec.type != "static":
                self._change(c.SetAwake(body, True))
            if self._asleep is not None:
                self._asleep.bodies.pop(body, None)

    def _change(self, command: c.Command, becomes: Becomes = None) -> None:
        self._solver.apply(command, becomes)
        self._is_stale = True

    def _remove_joint(self, joint: int) -> tuple[int, ...]:
        """Remove a joint after the gear joints that depend on it; return all removed joints."""
        lost = self._model.lost_with([joint])
        woken = ends_of(lost, self._model)
        for dependent in reversed(lost):
            self._change(c.DestroyJoint(dependent))
            self._model.remove_joint(dependent)
        self._wake(woken)
        return lost

    def _drop_joints(self) -> tuple[int, ...]:
        """Remove joints that have no dynamic body or that the solver no longer supports; return their ids."""
        dropped: list[int] = []
        for joint, resolved in list(self._model.joints.items()):
            if joint not in self._model.joints:
                continue
            ends = [body for body in resolved.bodies if body is not None]
            is_driven = any(self._model.bodies[body].spec.type == "dynamic" for body in ends)
            if not is_driven or not self._solver.can_hold(resolved):
                dropped += self._remove_joint(joint)
        return tuple(dropped)

    # -- steps --------------------------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Advance by one step.

        A body that exceeds `MAX_MOTION`, because it is too far away or too fast, is deactivated and added to `out_of_range`. Simulating it
        would be meaningless in float32, and an overflow in Box2D's solver would abort the interpreter.

        Raises
        ------
        WorldLostError
            The solver failed, or a body's pose or velocity is not finite. The world has been rolled back, and bodies that were not finite
            have been deactivated.
        """
        model, before, mark = self._model, self._now(), self._begin()
        index = model.step_index + 1
        try:
            escaped = self._solver.step(index)
        except Exception as error:
            raise self._roll_back(f"{self._title} failed in step {index}: {error}", mark) from error
        if escaped:
            problem = self._roll_back(f"the motion of body {', '.join(map(str, escaped))} is not finite in step {index}", mark)
            if self._lost:
                raise problem
            self._take_out(escaped)
            raise WorldLostError(f"{problem}, with that body deactivated")
        model.step_index = index
        raw = self._solver.motion()
        self._motion = _Motion(before.rows, raw, before.raw)
        self._is_stale = False
        self._is_anyone_asleep, self._asleep = not raw.awake.all(), None
        is_out = np.abs(raw.values) > MAX_MOTION
        if is_out.any():
            self._take_out(model.body_ids[is_out.any(axis=1)].tolist())

    def _take_out(self, bodies: Iterable[int]) -> None:
        mark = self._begin()
        try:
            for body in bodies:
                if self._model.bodies[body].spec.active:
                    self._apply(c.SetBody(body, (("active", False),)))
                    self._model.note_out_of_range(body)
            dropped = self._drop_joints() if self._model.gears else ()
        except Exception as error:
            raise self._roll_back(f"{self._title} failed to deactivate a body: {error}", mark) from error
        self._note_destroyed(*(("joint", joint) for joint in dropped))

    # -- snapshots ----------------------------------------------------------------------------------------------------

    def _snapshot(self) -> WorldSnapshot:
        model = self._model
        bodies, fixtures, joints = model.listed()
        return WorldSnapshot(
            solver=self._solver.capabilities.name,
            settings=model.settings,
            step_index=model.step_index,
            bodies=bodies,
            fixtures=fixtures,
            joints=joints,
            state=self._solver.save(),
            next_ids=self._ids_ahead(),
            out_of_range=tuple(model.out_of_range),
            rate_since=model.rate_since,
        )

    def _become(self, snapshot: WorldSnapshot, must_hold: bool) -> None:
        """Replace the model and the solver's state with those of a snapshot.

        Raises
        ------
        LabError
            The solver rejected the snapshot, or `must_hold` is set and the solver does not support a joint. The world is unchanged.
        """
        solver, mark = self._solver, self._solver.mark() if must_hold and not self._lost else None
        is_loaded = False
        self._model.begin()
        try:
            self._model.take_over(snapshot)
            if snapshot.solver != solver.capabilities.name:
                self._solver = load_solver(snapshot.solver)(self._model)
                self._solver.hooks = solver.hooks
            self._solver.load(snapshot.state)
            is_loaded = True
            for joint, resolved in self._model.joints.items() if must_hold else ():
                if not self._solver.can_hold(resolved):
                    raise InvalidInputError(f"joint {joint}", f"one that {self._title} supports", Described(type(resolved.spec).__name__))
        except Exception as error:
            problem = f"{self._title} rejected the snapshot of step {snapshot.step_index}: {error}"
            self._model.undo()
            if is_loaded and self._solver is solver and mark is not None:
                solver.go_back(mark)
            self._solver = solver
            if isinstance(error, LabError):
                raise
            raise WorldLostError(f"{problem}; the world is unchanged") from error
        self._motion = _Motion(self._model.rows, snapshot.motion, snapshot.motion)
        self._is_stale = True
        self._teleported.clear()
        self._may_sleep()

    # -- motion -------------------------------------------------------------------------------------------------------

    def _now(self) -> _Motion:
        """Return the motion of all bodies, reading it again if a command may have changed it."""
        if self._motion is None or self._is_stale:
            raw, rows = self._solver.motion(), self._model.rows
            self._motion = _Motion(rows, raw, self._previous_poses(rows, _columns(raw, 0)))
            self._teleported.clear()
            self._is_stale = False
        return self._motion

    def _previous_poses(self, rows: dict[int, int], poses: FloatArray) -> FloatArray:
        """Return the poses before the last step; the current pose for a body that is new or was teleported."""
        old = self._motion
        if old is None:
            return poses
        if old.rows is rows and not self._teleported:
            return old.previous
        previous = poses.copy()
        for body, row in rows.items():
            if body in old.rows and body not in self._teleported:
                previous[row] = old.previous[old.rows[body]]
        return frozen(previous)

    def _transform(self, body: int) -> Transform:
        """Return a body's pose without reading the poses of all bodies."""
        if self._motion is None or self._is_stale:
            x, y, angle = self._solver.motion_of(body)[:3]
        else:
            x, y, angle = self._motion.poses[self._motion.rows[body]].tolist()
        return Transform((x, y), angle)

    # -- guards -------------------------------------------------------------------------------------------------------

    def _checked(self) -> World:
        """Return the world itself after checking that it is usable and that the caller is on the world's own thread."""
        self._check_thread()
        if self._lost:
            raise WorldLostError(self._lost)
        return self

    @property
    def _checked_model(self) -> WorldModel:
        return self._checked()._model

    @property
    def _checked_solver(self) -> Solver:
        return self._checked()._solver

    def _body_entry(self, body: int) -> BodyEntry:
        return self._entry("body", self._checked_model.bodies, body)

    def _fixture_entry(self, fixture: int) -> FixtureEntry:
        return self._entry("fixture", self._checked_model.fixtures, fixture)

    def _joint_entry(self, joint: int) -> ResolvedJoint:
        return self._entry("joint", self._checked_model.joints, joint)

    def _entry(self, kind: str, living: Mapping[int, _T], number: int) -> _T:
        entry = _living(living, number)
        if entry is None:
            raise self._dead(kind, number)
        return entry

    def _dead(self, kind: str, number: object) -> DeadHandleError:
        if not _is_id(number):
            return DeadHandleError(f"there is no {kind} {shortened(number)}")
        step = self._destroyed_at.get((kind, number))
        if step is not None:
            return DeadHandleError(f"{kind} {number} was destroyed after step {step}")
        if self._busy and number < self._next_ids[kind]:
            return DeadHandleError(f"{kind} {number} is only created at the end of this step")
        return DeadHandleError(f"there is no {kind} {shortened(number)}")

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise WrongThreadError("a World may only be used by the thread that created it")

    def _check_between_steps(self, what: str) -> None:
        self._check_thread()
        if self._busy:
            raise LabError(f"{what} cannot be used in a hook during a step")


def _is_id(value: object) -> TypeGuard[int]:
    return type(value) is int or isinstance(value, IntEnum | np.integer)


def _living(living: Mapping[int, _T], number: object) -> _T | None:
    """Return the entry whose id is `number`, or None if there is no such entry or `number` is not an id."""
    return living.get(number) if _is_id(number) else None


def _columns(raw: BodyMotion, first: int) -> FloatArray:
    return frozen(np.ascontiguousarray(raw.values[:, first : first + 3], dtype=np.float64))


def _as_checked(spec: object, changes: Iterable[str]) -> tuple[tuple[str, Any], ...]:
    """Return the names of the changes, sorted, with their values in the validated specification."""
    return tuple((name, getattr(spec, name)) for name in sorted(changes))


def _check_type(field: str, value: object, kind: Any) -> None:
    if not isinstance(value, kind):
        raise InvalidInputError(field, f"a {'joint specification' if kind is JointSpec else kind.__name__}", value)
