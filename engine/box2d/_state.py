"""The truth about a world, and the cache that it is stepped with.

`WorldState` applies commands to both, in the same order, and can build the cache again from the truth at any step
boundary. What it is given has been checked by `World`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.box2d._cache import Box2DCache
from engine.box2d.body_mass import check_body_mass
from engine.box2d.contacts import EvaluatedPairs, StepInputs, build_step_contacts, no_pairs
from engine.box2d.convert import check_fixture_shape, to_fixture_shape
from engine.box2d.hidden import HiddenMemory, HiddenState
from engine.box2d.listener import Pending
from engine.box2d.memory import best_hidden, best_reader
from engine.common.arrays import FloatArray, frozen
from engine.common.errors import Described, InvalidInputError, LabError, WorldLostError
from engine.common.limits import MAX_COORDINATE, MAX_SPEED, MIN_MOUSE_STIFFNESS
from engine.geometry import Transform
from engine.world import commands as c
from engine.world.joints import (
    GearJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    ResolvedJoint,
    RevoluteJointSpec,
    altered,
    bodies_of,
    resolve,
)
from engine.world.records import BodyMotion, Pose, StepCost
from engine.world.snapshot import WorldSnapshot
from engine.world.specs import BODY_TYPES, BodySpec, BodyType, FixtureSpec, WorldSettings, changed
from engine.world.step_pairs import FixtureColumns, StepPairs
from engine.world.truth import BodyEntry, FixtureEntry

__all__ = ["Motion", "WorldState"]

_MOST = np.array([MAX_COORDINATE, MAX_COORDINATE, np.inf, MAX_SPEED, MAX_SPEED, MAX_SPEED], dtype=np.float32)
"""How large each column of `BodyMotion.values` may become before the body is astray."""


_Concerned: TypeAlias = tuple[int, tuple[float, ...], bool]
"""A body, its row of `BodyMotion.values`, and whether it is awake."""

_TRUTH = ("settings", "step_index", "pairs", "strays", "bodies", "fixtures", "joints", "_gears", "_keeps_hidden")
"""What `WorldState.load` puts others in the place of."""


@dataclass(frozen=True, slots=True)
class Motion:
    """All bodies as read at one moment, a row each in ascending order of id; `previous` before the step that led there."""

    rows: dict[int, int]
    raw: BodyMotion
    poses: FloatArray
    previous: FloatArray
    velocities: FloatArray
    hidden: HiddenState | None


class WorldState:
    """Specifications by id, the Box2D cache built from them, and what was read from it."""

    def __init__(self, settings: WorldSettings) -> None:
        self.settings = settings
        self.step_index = 0
        self.cost = StepCost()
        self.structure_version = 0
        self.bodies: dict[int, BodyEntry] = {}
        self.fixtures: dict[int, FixtureEntry] = {}
        self.joints: dict[int, ResolvedJoint] = {}
        self._gears: dict[int, GearJointSpec] = {}
        """The gear joints among them: nothing that one stands on may go, or leave its island, before it."""
        self._dropped: list[int] = []
        self.strays: list[int] = []
        self._undo: list[tuple[dict[int, Any], int, Any]] = []
        """The entries that the command under way has changed or added, as they were; None where there was none."""
        self.lost = ""
        """Why there is nothing left to go on with; empty while there is."""
        self.pairs: EvaluatedPairs = no_pairs(0)
        self._motion: Motion | None = None
        self._teleported: set[int] = set()
        self._keeps_hidden = True
        self.cache = Box2DCache(settings, best_reader(), self._hidden_memory())
        self.cache.attach_listener()
        self._stale = True
        self._is_mid_step = False
        """Whether Box2D may have left its last step half done, as it does while `sub_stepping`."""
        self._movable_at: tuple[int, NDArray[np.bool_]] = (-1, np.zeros(0, dtype=np.bool_))
        self.keeps_pairs = False
        """Whether each step leaves `step_pairs`."""
        self.step_pairs: StepPairs | None = None
        self._n_builds = 0
        self._renewed: set[int] = set()
        self._columns_at: tuple[int, FixtureColumns] | None = None

    # -- reading ------------------------------------------------------------------------------------------------------

    @property
    def keeps_hidden(self) -> bool:
        """Whether rebuilding and snapshots keep what Box2D hides, as far as it is in reach."""
        return self._keeps_hidden

    @keeps_hidden.setter
    def keeps_hidden(self, value: bool) -> None:
        if value != self._keeps_hidden:
            self._keeps_hidden = value
            self.cache.hidden = self._hidden_memory()
            self._stale = True

    def _hidden_memory(self) -> HiddenMemory | None:
        return best_hidden() if self._keeps_hidden else None

    def motion(self) -> Motion:
        """Return the motion of all bodies; read again where a command may have changed it."""
        if self._motion is None or self._stale:
            raw = self.cache.read_bodies()
            poses = _float64(raw, 0)
            rows = self.cache.body_rows
            self._motion = Motion(rows, raw, poses, self._previous_poses(rows, poses), _float64(raw, 3), self.cache.read_hidden())
            self._teleported.clear()
            self._stale = False
        return self._motion

    def _previous_poses(self, rows: dict[int, int], poses: FloatArray) -> FloatArray:
        """Return the poses before the last step; the present one for a body that is new or was put elsewhere."""
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

    def transform(self, body: int) -> Transform:
        """Return a body's pose, without reading all the others for it."""
        if self._motion is None or self._stale:
            x, y, angle = self.cache.pose(body)
            return Transform((x, y), angle)
        motion = self.motion()
        x, y, angle = motion.poses[motion.rows[body]].tolist()
        return Transform((x, y), angle)

    # -- commands -----------------------------------------------------------------------------------------------------

    def check(self, command: c.Command) -> None:
        """Refuse a command that Box2D could not bear as things stand, before anything is changed.

        Asked when a command is given and again when it is applied: of several in one step, each may be right by itself.
        """
        match command:
            case c.CreateBody(_, spec, _):
                for one in spec.fixtures:
                    check_fixture_shape(one.shape)
                if spec.type == "dynamic":
                    check_body_mass([(one.shape, one.density) for one in spec.fixtures])
            case c.CreateFixture(fixture, body, fixture_spec):
                check_fixture_shape(fixture_spec.shape)
                self._check_mass(body, self.bodies[body].spec.type, {fixture: fixture_spec})
            case c.DestroyFixture(fixture):
                body = self.fixtures[fixture].body
                self._check_mass(body, self.bodies[body].spec.type, {fixture: None})
            case c.SetFixture(fixture, changes):
                body = self.fixtures[fixture].body
                fixture_spec = changed(self.fixtures[fixture].spec, "fixture", dict(changes))
                if fixture_spec.density != self.fixtures[fixture].spec.density:
                    self._check_mass(body, self.bodies[body].spec.type, {fixture: fixture_spec})
            case c.SetBody(body, changes):
                type_then = self._changed_spec(body, dict(changes)).type
                if type_then != self.bodies[body].spec.type:
                    self._check_mass(body, type_then)
            case c.SetVelocity(body, _, _) if self.bodies[body].spec.type == "static":
                raise InvalidInputError("body", "dynamic or kinematic", body)
            case c.ApplyImpulse(body, impulse, point) if self.bodies[body].spec.type == "dynamic":
                if not self.cache.speed_after(body, impulse, point) <= MAX_SPEED:
                    wanted = f"small enough that the body stays below {MAX_SPEED:g} m/s and rad/s"
                    raise InvalidInputError("impulse", wanted, impulse)
            case c.CreateJoint(_, MouseJointSpec() as joint):
                if self.bodies[joint.body].spec.type != "dynamic":
                    raise InvalidInputError("body", "a dynamic body", joint.body)
                self._check_mouse(joint)
            case c.SetJoint(number, changes):
                now = altered(self.joints[number], dict(changes)).spec
                if isinstance(now, MouseJointSpec):
                    self._check_mouse(now)
            case c.CreateJoint(number, GearJointSpec() as joint):
                self._check_gear(number, joint)
            case c.CreateJoint(_, joint):
                ends = bodies_of(joint)
                if all(self.bodies[body].spec.type != "dynamic" for body in ends):
                    raise InvalidInputError("body_b", "dynamic, or body_a must be", ends[1])

    def _check_mass(self, body: int, type_then: BodyType, instead: Mapping[int, FixtureSpec | None] | None = None) -> None:
        """Refuse a change after which the whole body is dynamic without a mass; some fixtures are replaced, new, or gone where None."""
        if type_then == "dynamic":
            specs = {fixture: self.fixtures[fixture].spec for fixture in self.bodies[body].fixtures} | dict(instead or {})
            check_body_mass([(spec.shape, spec.density) for spec in specs.values() if spec is not None])

    def _changed_spec(self, body: int, changes: dict[str, object]) -> BodySpec:
        spec = self.bodies[body].spec
        if changes.get("type") == "static":
            spec = replace(spec, linear_velocity=(0.0, 0.0), angular_velocity=0.0)
        return changed(spec, "body", changes)

    def _check_mouse(self, joint: MouseJointSpec) -> None:
        if not self._holds(joint):
            wanted = f"heavy enough for the joint's frequency: mass * stiffness > {MIN_MOUSE_STIFFNESS:g} N s/m"
            raise InvalidInputError("body", wanted, Described(f"{self.cache.mass_data(joint.body)[1]:.3g} kg"))

    def _holds(self, joint: MouseJointSpec) -> bool:
        """Tell whether a mouse joint is stiff enough for its body: with k = m w^2 and d = 2 m z w, Box2D divides by d + h k."""
        mass = self.cache.mass_data(joint.body)[1]
        omega = 2.0 * math.pi * joint.frequency
        return mass * omega * (2.0 * joint.damping_ratio + self.settings.dt * omega) > MIN_MOUSE_STIFFNESS

    def _check_gear(self, number: int, joint: GearJointSpec) -> None:
        """Refuse a gear joint that stands on what a rebuild makes after it, or that `_can_gear` would not let live."""
        for name, other in (("joint_a", joint.joint_a), ("joint_b", joint.joint_b)):
            resolved = self.joints.get(other)
            if resolved is None or other >= number or not isinstance(resolved.spec, RevoluteJointSpec | PrismaticJointSpec):
                raise InvalidInputError(name, "a revolute or prismatic joint that was made before", other)
        if self.joints[joint.joint_a].bodies[1] == self.joints[joint.joint_b].bodies[1]:
            raise InvalidInputError("joint_b", "a joint whose body_b is another than that of joint_a", joint.joint_b)
        if not self._can_gear(joint):
            wanted = "on joints of active bodies, of which each body_b is dynamic"
            raise InvalidInputError("joint_a and joint_b", wanted, Described(f"joints {joint.joint_a} and {joint.joint_b}"))

    def _can_gear(self, joint: GearJointSpec) -> bool:
        """Tell whether Box2D will find all four bodies of a gear joint in one island.

        It looks for islands along joints, passes by those of an inactive body and does not go on from a static one, but solves the gear
        joint whenever the two bodies B are there, and then writes at the places in the island of all four (`b2GearJoint::m_indexC`).
        """
        ends = [self.joints[other].bodies for other in (joint.joint_a, joint.joint_b)]
        is_driven = all(self.bodies[body].spec.type == "dynamic" for _, body in ends)
        return is_driven and all(self.bodies[body].spec.active for pair in ends for body in pair if body is not None)

    def lost_with(self, joints: Iterable[int]) -> tuple[int, ...]:
        """Return joints, and the gear joints that cannot be without them."""
        lost = dict.fromkeys(joints)
        lost.update((gear, None) for gear, spec in self._gears.items() if spec.joint_a in lost or spec.joint_b in lost)
        return tuple(lost)

    def take_dropped(self) -> list[int]:
        """Return the joints that went during steps, since it was asked last."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def _drop_what_cannot_hold(self) -> tuple[int, ...]:
        """Remove the joints that the last command left without a dynamic body, or too weak; return their ids."""
        dropped: list[int] = []
        for joint, resolved in list(self.joints.items()):
            if joint not in self.joints:
                continue
            ends = [body for body in resolved.bodies if body is not None]
            is_dead = all(self.bodies[body].spec.type != "dynamic" for body in ends)
            match resolved.spec:
                case MouseJointSpec() as spec:
                    is_dead = is_dead or not self._holds(spec)
                case GearJointSpec() as spec:
                    is_dead = is_dead or not self._can_gear(spec)
            if is_dead:
                dropped += self._remove_joint(joint)
        return tuple(dropped)

    def execute(self, command: c.Command) -> tuple[int, ...]:
        """Apply one command to the truth and to the cache; return the joints that could not stay because of it.

        Raises
        ------
        InvalidInputError
            Box2D could not bear it as things stand; nothing was changed.
        WorldLostError
            Box2D refused in the middle. The world has been put back as it stood, without this command.
        """
        self.check(command)
        cache, pending, settings = self.cache, self.cache.listener.pending(), self.settings
        known = None if self._stale else self._motion
        concerned = None if known is not None else self._read_concerned(command)
        self._undo.clear()
        try:
            self._apply(command)
            self._stale = True
            changes_hold = c.SetBody | c.SetFixture | c.CreateFixture | c.DestroyFixture | c.SetSettings
            return self._drop_what_cannot_hold() if isinstance(command, changes_hold) and self.joints else ()
        except Exception as error:
            self.settings = settings
            told = f"Box2D refused {type(command).__name__}: {error}"
            if isinstance(command, c.Rebuild) and self.cache is cache:  # nothing has been touched
                raise WorldLostError(f"{told}; the world stands as before it") from error
            raise self._put_back(told, lambda: known or self._salvaged(concerned), pending) from error

    def _read_concerned(self, command: c.Command) -> _Concerned | None:
        """Read the one body that a command changes in several strokes, before the first."""
        match command:
            case c.DestroyBody(body) | c.SetBody(body, _) | c.SetPose(body, _, _) | c.CreateFixture(_, body, _):
                return body, *self.cache.motion_of(body)
            case c.DestroyFixture(fixture) | c.SetFixture(fixture, _):
                body = self.fixtures[fixture].body
                return body, *self.cache.motion_of(body)
        return None

    def _salvaged(self, concerned: _Concerned | None) -> Motion:
        """Return the motion of all bodies after a command that broke off: as read now, of the one concerned as read before.

        What that one remembers besides is not kept, for Box2D may have changed it: it has rested for no time, and no force waits for it.
        """
        ids, raw, hidden = self.cache.body_ids, self.cache.read_bodies(), self.cache.read_hidden()
        if concerned is not None:
            body, values, is_awake = concerned
            others = ids != body
            at = int(np.searchsorted(ids[others], body))
            if hidden is not None:
                hidden = HiddenState(ids[others], hidden.bodies[others], hidden.joint_ids, hidden.joints)
            ids = np.insert(ids[others], at, body)
            raw = BodyMotion(np.insert(raw.values[others], at, values, axis=0), np.insert(raw.awake[others], at, is_awake))
        rows, poses = {body: row for row, body in enumerate(ids.tolist())}, _float64(raw, 0)
        return Motion(rows, raw, poses, self._previous_poses(rows, poses), _float64(raw, 3), hidden)

    def _put_back(self, told: str, motion: Callable[[], Motion], pending: Pending) -> WorldLostError:
        """Undo what the command under way has changed, build the world as it stood, and return the error that says so.

        Where even that fails the world is `lost`, and says nothing else from then on.
        """
        try:
            stood = motion()
            self._undo_changes()
            self._structure_changed()
            self.rebuild(stood, pending=pending)
        except Exception as error:
            self.lost = f"{told}; and the world could not be put back: {error}. Only restore() helps"
            return WorldLostError(self.lost)
        return WorldLostError(f"{told}; the world stands as before it")

    def _note(self, table: dict[int, Any], key: int) -> None:
        """Remember an entry that is about to change, until the command is done."""
        entry = table.get(key)
        self._undo.append((table, key, entry.copied() if isinstance(entry, BodyEntry) else entry))

    def _undo_changes(self) -> None:
        for table, key, entry in reversed(self._undo):
            if entry is None:
                table.pop(key, None)
            else:
                table[key] = entry
        if self._undo:  # what was taken out and put in again stands last now
            self.bodies, self.fixtures = dict(sorted(self.bodies.items())), dict(sorted(self.fixtures.items()))
            self.joints, self._gears = dict(sorted(self.joints.items())), dict(sorted(self._gears.items()))
            self._undo.clear()

    def _apply(self, command: c.Command) -> None:
        match command:
            case c.CreateBody(body, spec, fixtures):
                self.cache.add_body(body, spec, spec.position, spec.angle, spec.awake)
                self._structure_changed()
                self._note(self.bodies, body)
                self.bodies[body] = BodyEntry(replace(spec, fixtures=()), [])
                for fixture, fixture_spec in zip(fixtures, spec.fixtures, strict=True):
                    self._add_fixture(fixture, body, fixture_spec, is_weighed=len(fixtures) == 1)
                if len(fixtures) > 1:
                    self.cache.weigh(body, {fixture: self.fixtures[fixture].spec.density for fixture in fixtures})
                self.cache.set_velocity(body, spec.linear_velocity, spec.angular_velocity)
                self.cache.set_awake(body, spec.awake)
            case c.DestroyBody(body):
                for joint in list(self.bodies[body].joints):
                    if joint in self.joints:  # and not gone with another
                        self._remove_joint(joint)
                self.cache.remove_body(body, tuple(self.bodies[body].fixtures))
                self._note(self.bodies, body)
                for fixture in self.bodies.pop(body).fixtures:
                    self._note(self.fixtures, fixture)
                    del self.fixtures[fixture]
                self._structure_changed()
            case c.CreateFixture(fixture, body, spec):
                self._add_fixture(fixture, body, spec)
            case c.DestroyFixture(fixture):
                self.cache.remove_fixture(fixture)
                self._note(self.bodies, self.fixtures[fixture].body)
                self._note(self.fixtures, fixture)
                self.bodies[self.fixtures.pop(fixture).body].fixtures.remove(fixture)
                self._structure_changed()
            case c.CreateJoint(joint, spec):
                self._add_joint(joint, resolve(spec, self.transform, self.joints))
            case c.DestroyJoint(joint):
                self._remove_joint(joint)
            case c.SetJoint(joint, changes):
                self._change_joint(joint, altered(self.joints[joint], dict(changes)))
            case c.SetMouseTarget(joint, target):
                resolved = self.joints[joint]
                assert isinstance(resolved.spec, MouseJointSpec)
                self.cache.set_mouse_target(joint, target)
                self._note(self.joints, joint)
                self.joints[joint] = replace(resolved, spec=replace(resolved.spec, target=target))
            case c.SetPose(body, position, angle):
                self.cache.set_pose(body, position, angle)
                self._teleported.add(body)
            case c.SetVelocity(body, linear, angular):
                self.cache.set_velocity(body, linear, angular)
            case c.SetAwake(body, awake):
                self.cache.set_awake(body, awake)
            case c.SetBody(body, changes):
                self._change_body(body, dict(changes))
            case c.SetFixture(fixture, changes):
                entry = self.fixtures[fixture]
                spec = changed(entry.spec, "fixture", dict(changes))
                self.cache.change_fixture(fixture, spec)
                self._note(self.fixtures, fixture)
                self.fixtures[fixture] = replace(entry, spec=spec)
                self._structure_changed()
                if spec.sensor != entry.spec.sensor and self._is_mid_step:
                    # Box2D keeps times of impact between sub-steps, takes the new sensor for solid by them, and asserts
                    self.rebuild(self.motion())
            case c.SetSettings(changes):
                settings = changed(self.settings, "WorldSettings", dict(changes))
                self.cache.set_settings(settings)
                self.settings = settings
            case c.ApplyImpulse(body, impulse, point):
                self.cache.push(body, "impulse", impulse, point)
            case c.ApplyForce(body, force, point):
                self.cache.push(body, "force", force, point)
            case c.ApplyTorque(body, torque):
                self.cache.turn(body, torque)
            case c.Rebuild(taken_out):
                self.rebuild(self.motion(), self.touching())
                if taken_out:
                    self._take_out(taken_out)

    def _add_fixture(self, fixture: int, body: int, spec: FixtureSpec, is_weighed: bool = True) -> None:
        made, held = to_fixture_shape(spec.shape)
        self.cache.add_fixture(fixture, body, spec, made, held, is_weighed)
        self._note(self.fixtures, fixture)
        self._note(self.bodies, body)
        self.fixtures[fixture] = FixtureEntry(spec, body, held, made)
        self.bodies[body].fixtures.append(fixture)
        self._structure_changed()

    def _add_joint(self, joint: int, resolved: ResolvedJoint) -> None:
        self.cache.add_joint(joint, resolved)
        self._note(self.joints, joint)
        self.joints[joint] = resolved
        if isinstance(resolved.spec, GearJointSpec):
            self._note(self._gears, joint)
            self._gears[joint] = resolved.spec
        for body in resolved.bodies:
            if body is not None:
                self._note(self.bodies, body)
                self.bodies[body].joints.append(joint)
        self._structure_changed()

    def _remove_joint(self, joint: int) -> tuple[int, ...]:
        """Remove a joint, the gear joints on it before it; return all that went."""
        lost = self.lost_with([joint])
        for one in reversed(lost):
            self.cache.remove_joint(one)
            self._note(self.joints, one)
            self._note(self._gears, one)
            self._gears.pop(one, None)
            for body in self.joints.pop(one).bodies:
                if body is not None:
                    self._note(self.bodies, body)
                    self.bodies[body].joints.remove(one)
        self._structure_changed()
        return lost

    def _change_joint(self, joint: int, resolved: ResolvedJoint) -> None:
        """Make a joint anew, in place of the one of its id, with the gear joints on it."""
        anew = {one: self.joints[one] for one in self.lost_with([joint])}
        self.cache.remake_joints({**anew, joint: resolved}, joint)
        self._note(self.joints, joint)
        self._note(self._gears, joint)
        self.joints[joint] = resolved
        if isinstance(resolved.spec, GearJointSpec):
            self._gears[joint] = resolved.spec
        self._structure_changed()

    def _change_body(self, body: int, changes: dict[str, object]) -> None:
        spec, before = self._changed_spec(body, changes), self.bodies[body].spec
        self.cache.change_body(body, spec)
        if (spec.type, spec.active) != (before.type, before.active):
            self._renewed.add(body)
        self._note(self.bodies, body)
        self.bodies[body].spec = spec
        self._structure_changed()

    def _structure_changed(self) -> None:
        self.structure_version += 1
        self._stale = True

    # -- time ---------------------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Make one step.

        A body that has gone farther than `MAX_COORDINATE`, or become faster than `MAX_SPEED`, is taken out: set inactive, and
        added to `strays`. Nothing meaningful happens out there in float32, and what overflows in the middle of Box2D's solver
        makes it abort the interpreter.

        Raises
        ------
        WorldLostError
            Box2D broke off, or a body left the finite numbers; the cache has been rebuilt as it stood before, and such bodies
            have been taken out.
        """
        before, pending, number = self.motion(), self.cache.listener.pending(), self.step_index + 1
        self.step_pairs = None
        self._undo.clear()
        try:
            lost = self._make_step(number, before)
        except Exception as error:
            raise self._put_back(f"Box2D broke off in step {number}: {error}", lambda: before, pending) from error
        if lost:
            told = self._put_back(f"body {', '.join(map(str, lost))} left the finite numbers in step {number}", lambda: before, pending)
            if self.lost:
                raise told
            self._take_out(lost)
            raise WorldLostError(f"{told}, with that body taken out")
        is_astray = np.abs(self.motion().raw.values) > _MOST
        if is_astray.any():
            self._take_out(self.cache.body_ids[is_astray.any(axis=1)].tolist())

    def _make_step(self, number: int, before: Motion) -> list[int]:
        """Step the cache and read it; return the bodies that have left the finite numbers: where there are any, nothing is taken over."""
        cache = self.cache
        renewed, self._renewed = frozenset(self._renewed), set()
        cache.reader, cache.hidden = best_reader(), self._hidden_memory()  # the fast one may have become ready since the last step

        def start_pose(body: int) -> Pose:
            x, y, angle = before.poses[before.rows[body]].tolist()
            return x, y, angle

        started = perf_counter()
        cache.step(number, start_pose)
        stepped = perf_counter()
        phases = cache.phases(1e3 * (stepped - started))
        after = cache.read_bodies()
        finite = np.isfinite(after.values)
        if not finite.all():
            lost: list[int] = cache.body_ids[~finite.all(axis=1)].tolist()
            return lost
        movable = self._movable(before)
        began, ended = cache.listener.harvest()
        inputs = StepInputs(
            step=number,
            raw=cache.read_contacts(),
            table=cache.fixture_table(),
            start_poses=before.poses,
            active=before.raw.awake & movable,
            active_after=after.awake & movable,
            impacts=cache.listener.impacts,
            impact_impulses=cache.listener.impact_impulses,
            began=began,
            ended=ended,
        )
        pairs, step_pairs = build_step_contacts(inputs, self.pairs), None
        if self.keeps_pairs:
            touching = inputs.table.fixture[np.searchsorted(inputs.table.address, inputs.raw.fixtures)]
            columns, settled = self._fixture_columns(), cache.listener.settled
            step_pairs = StepPairs(number, self._n_builds, columns, before.poses, inputs.active, renewed, touching, settled)
        motion = Motion(before.rows, after, _float64(after, 0), before.poses, _float64(after, 3), cache.read_hidden())
        self.pairs, self.step_pairs, self._motion, self._stale = pairs, step_pairs, motion, False  # from here on nothing can go wrong
        self.step_index = number
        self._is_mid_step = self.settings.sub_stepping
        self.cost = StepCost(1e3 * (stepped - started), 1e3 * (perf_counter() - stepped), *phases)
        return []

    def _take_out(self, bodies: Iterable[int]) -> None:
        motion, pending, strays = self.motion(), self.cache.listener.pending(), list(self.strays)
        self._undo.clear()
        try:
            for body in bodies:
                if self.bodies[body].spec.active:
                    self._change_body(body, {"active": False})
                    self.strays.append(body)
            dropped = self._drop_what_cannot_hold() if self._gears else ()
        except Exception as error:
            self.strays = strays
            raise self._put_back(f"Box2D refused to take out a body: {error}", lambda: motion, pending) from error
        self._dropped += dropped

    def _movable(self, motion: Motion) -> NDArray[np.bool_]:
        """Tell which bodies are not static; found again only when the structure has changed."""
        if self._movable_at[0] != self.structure_version:
            flags = np.array([self.bodies[body].spec.type != "static" for body in motion.rows], dtype=np.bool_)
            self._movable_at = self.structure_version, flags
        return self._movable_at[1]

    def _fixture_columns(self) -> FixtureColumns:
        """Return what decides which fixtures may meet; made again only when the structure has changed."""
        if self._columns_at is None or self._columns_at[0] != self.structure_version:
            rows = self.cache.body_rows
            listed = [(fixture, entry, self.bodies[entry.body].spec) for fixture, entry in sorted(self.fixtures.items())]
            listed = [one for one in listed if one[2].active]
            filters = np.array([(one.spec.category, one.spec.mask, one.spec.group) for _, one, _ in listed], dtype=np.int64).reshape(-1, 3)
            ends = {
                (min(*joint.bodies), max(*joint.bodies))  # type: ignore[type-var]
                for joint in self.joints.values()
                if not isinstance(joint.spec, MouseJointSpec) and not joint.spec.collide_connected
            }
            columns = FixtureColumns(
                fixture=np.array([fixture for fixture, _, _ in listed], dtype=np.int64),
                body=np.array([entry.body for _, entry, _ in listed], dtype=np.int64),
                body_row=np.array([rows[entry.body] for _, entry, _ in listed], dtype=np.int64),
                shapes=tuple(entry.shape for _, entry, _ in listed),
                body_type=np.array([BODY_TYPES.index(body.type) for _, _, body in listed], dtype=np.int64),
                is_sensor=np.array([entry.spec.sensor for _, entry, _ in listed], dtype=np.bool_),
                category=filters[:, 0].copy(),
                mask=filters[:, 1].copy(),
                group=filters[:, 2].copy(),
                kept_apart=np.array(sorted(ends), dtype=np.int64).reshape(-1, 2),
            )
            self._columns_at = self.structure_version, columns
        return self._columns_at[1]

    def touching(self) -> set[tuple[int, int]]:
        """Return the pairs of fixtures of whose beginning somebody was told, and of no end yet; sensors included."""
        begun, ended = self.cache.listener.overdue
        return (self.cache.touching() - set(begun)) | set(ended)

    # -- rebuilding ---------------------------------------------------------------------------------------------------

    def rebuild(self, motion: Motion, touching: set[tuple[int, int]] | None = None, pending: Pending | None = None) -> None:
        """Throw the `b2World` away and build it again from the truth, with the bodies as `motion` has them.

        The new one is complete before the old one goes: where Box2D refuses, nothing has changed. `touching` are the pairs whose
        beginning has been told and no end yet: where the contacts, evaluated anew at the present poses, say otherwise, the next step
        tells. `pending` is what it shall tell in place of all that.
        """
        old = self.cache
        cache = self._built(motion)
        cache.listener.hooks, cache.listener.error = old.listener.hooks, old.listener.take_error()
        if pending is None:
            found = cache.touching() if touching is not None else set()
            overdue = ([], []) if touching is None else (sorted(found - touching), sorted(touching - found))
            pending = Pending(*old.listener.harvest(), overdue)
        cache.listener.owe(pending)
        cache.attach_listener()
        self.cache = cache
        self._motion = motion
        self._is_mid_step = False
        self._n_builds += 1
        self._stale = True
        self.lost = ""
        old.close()

    def _built(self, motion: Motion) -> Box2DCache:
        """Return a new cache, all but its listener.

        The order matters: an empty step first, so that impulses are not scaled by a step ratio of 0; velocities after
        fixtures; all contacts made without moving before their impulses are written; sleepers put to sleep after that;
        what is hidden over it all.
        """
        cache = Box2DCache(self.settings, best_reader(), self._hidden_memory())
        cache.prime()
        for body in sorted(self.bodies):
            x, y, angle = motion.poses[motion.rows[body]].tolist()
            entry = self.bodies[body]
            cache.add_body(body, entry.spec, (x, y), angle, awake=True)
            is_weighed = len(entry.fixtures) == 1
            for fixture in entry.fixtures:
                one = self.fixtures[fixture]
                cache.add_fixture(fixture, body, one.spec, one.made, one.shape, is_weighed)
            if len(entry.fixtures) > 1:
                cache.weigh(body, {fixture: self.fixtures[fixture].spec.density for fixture in entry.fixtures})
            if entry.spec.type != "static":
                vx, vy, omega = motion.velocities[motion.rows[body]].tolist()
                cache.set_velocity(body, (vx, vy), omega)
        for joint in sorted(self.joints):
            cache.add_joint(joint, self.joints[joint])
        cache.make_contacts()
        cache.write_impulses(self.pairs)
        for body, row in motion.rows.items():
            if body in self.bodies and not motion.raw.awake[row]:  # static ones too: an island sleeps with its ground
                cache.set_awake(body, False)
        if motion.hidden is not None:
            cache.write_hidden(motion.hidden)
        return cache

    def load(self, snapshot: WorldSnapshot) -> None:
        """Take the truth from a snapshot and rebuild.

        Raises
        ------
        WorldLostError
            Box2D refused. The world stands as before.
        """
        before, pending = {name: getattr(self, name) for name in _TRUTH}, self.cache.listener.pending()
        try:
            self._take_over(snapshot)
        except Exception as error:
            for name, value in before.items():
                setattr(self, name, value)
            self.cache.listener.owe(pending)
            if isinstance(error, LabError):
                raise
            told = f"Box2D refused the snapshot of step {snapshot.step_index}: {error}"
            raise WorldLostError(f"{told}; the world stands as before it") from error
        self._structure_changed()

    def _take_over(self, snapshot: WorldSnapshot) -> None:
        self.settings, self.step_index, self.pairs = snapshot.settings, snapshot.step_index, snapshot.pairs
        self.strays = list(snapshot.strays)
        self._keeps_hidden = snapshot.hidden is not None or best_hidden() is None  # as it went on then, so it must now
        self.bodies = {body: BodyEntry(spec, list(fixtures)) for body, spec, fixtures in snapshot.bodies}
        old = self.fixtures
        self.fixtures = {}
        for fixture, owner, spec in snapshot.fixtures:
            known = old.get(fixture)
            is_same = known is not None and known.spec.shape is spec.shape
            made, held = (known.made, known.shape) if known is not None and is_same else to_fixture_shape(spec.shape)
            self.fixtures[fixture] = FixtureEntry(spec, owner, held, made)
        self.joints = dict(snapshot.joints)
        self._gears = {joint: resolved.spec for joint, resolved in snapshot.joints if isinstance(resolved.spec, GearJointSpec)}
        for joint, resolved in snapshot.joints:
            for body in resolved.bodies:
                if body is not None:
                    self.bodies[body].joints.append(joint)
        rows = {body: row for row, (body, _, _) in enumerate(snapshot.bodies)}
        poses = _float64(snapshot.motion, 0)
        motion = Motion(rows, snapshot.motion, poses, poses, _float64(snapshot.motion, 3), snapshot.hidden)
        self.cache.listener.owe(Pending(*snapshot.events))
        self.rebuild(motion, set(snapshot.touching))


def _float64(raw: BodyMotion, first: int) -> FloatArray:
    return frozen(np.ascontiguousarray(raw.values[:, first : first + 3], dtype=np.float64))
