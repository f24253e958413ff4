"""The model about a world together with the solver that follows it.

`WorldState` applies commands to both, in the same order, and puts both back where one breaks off. What it is given has been checked by
`World`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.common.arrays import FloatArray, frozen
from engine.common.errors import Described, InvalidInputError, LabError, WorldLostError
from engine.geometry import Transform
from engine.world import commands as c
from engine.world.conversion import converted
from engine.world.fields import changed
from engine.world.joint_specs import GearJointSpec, MouseJointSpec, PrismaticJointSpec, RevoluteJointSpec, bodies_of
from engine.world.joints import altered, check_numbers, resolve
from engine.world.model import WorldModel
from engine.world.records import MOST_MOTION, BodyMotion
from engine.world.snapshot import WorldSnapshot
from engine.world.solver import Becomes, Solver, load_solver
from engine.world.specs import WorldSettings
from engine.world.waking import Concerned, Sleepers, concerned, ends_of

__all__ = ["Motion", "WorldState"]

_MAY_LOOSEN = c.SetBody | c.SetFixture | c.CreateFixture | c.DestroyFixture | c.SetSettings
"""Commands after which a joint may be one that cannot be."""


@dataclass(frozen=True)
class Motion:
    """All bodies at one moment, a row each in ascending order of id; the columns are made when they are asked for.

    `before` is how they were before the step that led there, or their poses then.
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
        """The poses before the last step."""
        return _columns(self.before, 0) if isinstance(self.before, BodyMotion) else self.before


class WorldState:
    """The model, the solver, and what was read from it."""

    def __init__(self, settings: WorldSettings, solver: type[Solver]) -> None:
        self.model = WorldModel(solver.accept(settings))
        self.solver = solver(self.model)
        self.lost = ""
        """Why there is nothing left to go on with; empty while there is."""
        self._dropped: list[int] = []
        self._motion: Motion | None = None
        self._teleported: set[int] = set()
        self._is_stale = True
        self._is_anyone_asleep: bool | None = False
        """Whether somebody sleeps; None where nobody has looked."""
        self._asleep: Sleepers | None = None
        """Who sleeps, once somebody wanted to know, for as long as it holds."""

    @property
    def _title(self) -> str:
        return self.solver.capabilities.title

    # -- reading ------------------------------------------------------------------------------------------------------

    def motion(self) -> Motion:
        """Return the motion of all bodies; read again where a command may have changed it."""
        if self._motion is None or self._is_stale:
            raw, rows = self.solver.motion(), self.model.rows
            self._motion = Motion(rows, raw, self._previous_poses(rows, _columns(raw, 0)))
            self._teleported.clear()
            self._is_stale = False
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
        if self._motion is None or self._is_stale:
            x, y, angle = self.solver.motion_of(body)[:3]
        else:
            x, y, angle = self._motion.poses[self._motion.rows[body]].tolist()
        return Transform((x, y), angle)

    def take_dropped(self) -> list[int]:
        """Return the joints that went during steps, since it was asked last."""
        dropped, self._dropped = self._dropped, []
        return dropped

    # -- commands -----------------------------------------------------------------------------------------------------

    def check(self, command: c.Command) -> None:
        """Refuse a command that means nothing as things stand, or that the solver could not bear, before anything is changed.

        Asked when a command is given and again when it is applied: of several in one step, each may be right by itself.
        """
        bodies = self.model.bodies
        match command:
            case c.SetVelocity(body, _, _) if bodies[body].spec.type == "static":
                raise InvalidInputError("body", "dynamic or kinematic", body)
            case c.CreateJoint(_, MouseJointSpec() as joint):
                if bodies[joint.body].spec.type != "dynamic":
                    raise InvalidInputError("body", "a dynamic body", joint.body)
                check_numbers(resolve(joint, self.transform, self.model.joints))
            case c.CreateJoint(number, GearJointSpec() as joint):
                self._check_gear(number, joint)
            case c.CreateJoint(_, joint):
                ends = bodies_of(joint)
                check_numbers(resolve(joint, self.transform, self.model.joints))
                if all(bodies[body].spec.type != "dynamic" for body in ends):
                    raise InvalidInputError("body_b", "dynamic, or body_a must be", ends[1])
            case c.SetSettings(changes):
                self.solver.accept(changed(self.model.settings, "WorldSettings", dict(changes)))
            case c.SetSolver(solver, solver_settings):
                load_solver(solver).accept(replace(self.model.settings, solver_settings=solver_settings))
                return
        self.solver.check(command)

    def _check_gear(self, number: int, joint: GearJointSpec) -> None:
        """Refuse a gear joint that stands on anything but two joints of different bodies B that were made before it."""
        joints = self.model.joints
        for name, other in (("joint_a", joint.joint_a), ("joint_b", joint.joint_b)):
            resolved = joints.get(other)
            if resolved is None or other >= number or not isinstance(resolved.spec, RevoluteJointSpec | PrismaticJointSpec):
                raise InvalidInputError(name, "a revolute or prismatic joint that was made before", other)
        if joints[joint.joint_a].bodies[1] == joints[joint.joint_b].bodies[1]:
            raise InvalidInputError("joint_b", "a joint whose body_b is another than that of joint_a", joint.joint_b)
        if not self.solver.can_hold(resolve(joint, self.transform, joints)):
            wanted = "on joints of active bodies, of which each body_b is dynamic"
            raise InvalidInputError("joint_a and joint_b", wanted, Described(f"joints {joint.joint_a} and {joint.joint_b}"))

    def execute(self, command: c.Command) -> tuple[int, ...]:
        """Apply one command to the solver and to the model; return the joints that could not stay because of it.

        Raises
        ------
        InvalidInputError
            The solver could not bear it as things stand; nothing was changed.
        WorldLostError
            The solver refused in the middle. The world has been put back as it stood, without this command.
        """
        self.check(command)
        if isinstance(command, c.Canonicalize):
            self._canonicalize(command)
            return ()
        if isinstance(command, c.SetSolver):
            if command.solver == self.solver.capabilities.name:
                return self.execute(c.SetSettings((("solver_settings", command.solver_settings),)))
            self._set_solver(command)
            return ()
        mark, settings, body = self.solver.mark(command), self.model.settings, self._quickened(command)
        self.model.begin()
        try:
            self._apply(command)
            self._is_stale = True
            dropped = self._drop_what_cannot_hold() if isinstance(command, _MAY_LOOSEN) and self.model.joints else ()
        except Exception as error:
            self.model.settings = settings
            raise self._put_back(f"{self._title} refused {type(command).__name__}: {error}", mark) from error
        if body is not None and (np.abs(self.solver.motion_of(body)) > MOST_MOTION).any():
            self._take_out([body])
        return dropped

    def _quickened(self, command: c.Command) -> int | None:
        """Return the body that a command may bring beyond `MOST_MOTION`: awake again out there, pushed, or with its center elsewhere."""
        match command:
            case c.SetBody(body, _) | c.ApplyImpulse(body, _, _) | c.CreateFixture(_, body, _):
                return body
            case c.SetFixture(fixture, _) | c.DestroyFixture(fixture):
                return self.model.fixtures[fixture].body
        return None

    def _canonicalize(self, command: c.Canonicalize) -> None:
        try:
            self.solver.canonicalize()
        except Exception as error:
            told = f"{self._title} refused {type(command).__name__}: {error}"
            raise WorldLostError(f"{told}; the world stands as before it") from error
        self._is_stale = True
        self._may_sleep()
        if command.taken_out:
            self._take_out(command.taken_out)

    def _set_solver(self, command: c.SetSolver) -> None:
        """Go on with another solver. The bodies stand before the last step where they stood, for the picture."""
        before = self.motion().previous
        self._become(converted(self.snapshot(), command.solver, command.solver_settings), must_hold=True)
        assert self._motion is not None
        self._motion = replace(self._motion, before=before)
        self._wake(self._all_of(concerned(command, self.model)))

    def _put_back(self, told: str, mark: object) -> WorldLostError:
        """Undo what the command under way has changed, let the solver stand as it stood, and return the error that says so.

        Where even that fails the world is `lost`, and says nothing else from then on.
        """
        try:
            self.model.undo()
            self._is_stale = True
            self._may_sleep()
            self.solver.go_back(mark)
        except Exception as error:
            self.lost = f"{told}; and the world could not be put back: {error}. Only restore() helps"
            return WorldLostError(self.lost)
        return WorldLostError(f"{told}; the world stands as before it")

    def _apply(self, command: c.Command) -> None:
        model, accept = self.model, self.solver.accept
        whom = concerned(command, model)
        woken = self._all_of(whom) | self._near(whom)
        match command:
            case c.CreateBody(body, spec, fixtures):
                self._tell(command, spec)
                model.add_body(body, spec, fixtures)
            case c.DestroyBody(body):
                for joint in list(model.bodies[body].joints):
                    if joint in model.joints:  # and not gone with another
                        self._remove_joint(joint)
                self._tell(command)
                model.remove_body(body)
                if self._asleep is not None:
                    self._asleep.bodies.pop(body, None)
            case c.CreateFixture(fixture, body, fixture_spec):
                self._tell(command, fixture_spec)
                model.add_fixture(fixture, body, fixture_spec)
            case c.DestroyFixture(fixture):
                self._tell(command)
                model.remove_fixture(fixture)
            case c.CreateJoint(joint, joint_spec):
                resolved = accept(resolve(joint_spec, self.transform, model.joints))
                self._tell(command, resolved)
                model.add_joint(joint, resolved)
            case c.DestroyJoint(joint):
                self._remove_joint(joint)
            case c.SetJoint(joint, changes):
                resolved = accept(altered(model.joints[joint], dict(changes)))
                self._tell(command, resolved)
                model.set_joint(joint, resolved)
            case c.SetMouseTarget(joint, target):
                resolved = model.joints[joint]
                assert isinstance(resolved.spec, MouseJointSpec)
                resolved = accept(replace(resolved, spec=replace(resolved.spec, target=target)))
                self._tell(command, resolved)
                model.set_mouse_target(joint, resolved)
            case c.SetPose(body, _, _):
                self._tell(command)
                self._teleported.add(body)
            case c.SetBody(body, changes):
                now = accept(model.changed_body(body, dict(changes)))
                self._tell(command, now)
                model.set_body(body, now)
            case c.SetFixture(fixture, changes):
                fixture_now = accept(model.changed_fixture(fixture, dict(changes)))
                self._tell(command, fixture_now)
                model.set_fixture(fixture, fixture_now)
            case c.SetSettings(changes):
                settings = accept(changed(model.settings, "WorldSettings", dict(changes)))
                self._tell(command, settings)
                model.settings = settings
            case _:
                self._tell(command)
        self.solver.followed()
        self._wake(woken | self._near(whom))
        match command:
            case c.CreateBody(body, spec, _) if not spec.awake and spec.active and spec.type != "static":
                self._is_anyone_asleep = True
                if self._asleep is not None:
                    self._asleep.add(body, self.solver.motion_of(body)[:3])
            case c.SetAwake(_, awake) if not awake:
                self._may_sleep()

    # -- who wakes ----------------------------------------------------------------------------------------------------

    def _may_sleep(self) -> None:
        """Look anew who sleeps, when it is asked next."""
        self._is_anyone_asleep, self._asleep = None, None

    def _is_all_awake(self) -> bool:
        if self._is_anyone_asleep is None:
            self._is_anyone_asleep = not self.motion().raw.awake.all()
        return not self._is_anyone_asleep

    def _sleepers(self) -> Sleepers:
        if self._asleep is None:
            motion = self.motion()
            self._asleep = Sleepers(self.model, motion.poses, motion.raw.awake, self.solver.capabilities)
        return self._asleep

    def _all_of(self, whom: Concerned) -> set[int]:
        """Return the bodies themselves that a command wakes, and of all others those that it wakes."""
        if whom.others == "nobody" or self._is_all_awake():
            return set(whom.bodies)
        bodies = self.model.bodies
        return {body for body in self._sleepers().bodies if whom.others == "all" or bodies[body].spec.awake}

    def _near(self, whom: Concerned) -> set[int]:
        """Return who sleeps near the fixtures that a command changes, as far as they are there now."""
        if not whom.fixtures or self._is_all_awake():
            return set()
        there = [fixture for fixture in whom.fixtures if fixture in self.model.fixtures]
        return set(self._sleepers().near(there, self.transform))

    def _wake(self, bodies: Collection[int]) -> None:
        """Wake those of them that are there and can move."""
        if not bodies or self._is_all_awake():
            return
        for body in sorted(bodies):
            entry = self.model.bodies.get(body)
            if entry is not None and entry.spec.active and entry.spec.type != "static":
                self._tell(c.SetAwake(body, True))
            if self._asleep is not None:
                self._asleep.bodies.pop(body, None)

    def _tell(self, command: c.Command, becomes: Becomes = None) -> None:
        self.solver.apply(command, becomes)
        self._is_stale = True

    def _remove_joint(self, joint: int) -> tuple[int, ...]:
        """Remove a joint, the gear joints on it before it; return all that went."""
        lost = self.model.lost_with([joint])
        woken = ends_of(lost, self.model)
        for one in reversed(lost):
            self._tell(c.DestroyJoint(one))
            self.model.remove_joint(one)
        self._wake(woken)
        return lost

    def _drop_what_cannot_hold(self) -> tuple[int, ...]:
        """Remove the joints that the last command left without a dynamic body, or that the solver cannot hold; return their ids."""
        dropped: list[int] = []
        for joint, resolved in list(self.model.joints.items()):
            if joint not in self.model.joints:
                continue
            ends = [body for body in resolved.bodies if body is not None]
            is_driven = any(self.model.bodies[body].spec.type == "dynamic" for body in ends)
            if not is_driven or not self.solver.can_hold(resolved):
                dropped += self._remove_joint(joint)
        return tuple(dropped)

    # -- time ---------------------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Make one step.

        A body beyond `MOST_MOTION`, too far out or too fast, is taken out: set inactive, and
        listed in `out_of_range`. Nothing meaningful happens out there in float32, and what overflows in the middle of Box2D's solver
        makes it abort the interpreter.

        Raises
        ------
        WorldLostError
            The solver broke off, or a body left the finite numbers; the world has been put back as it stood before, and such bodies
            have been taken out.
        """
        before, mark, number = self.motion(), self.solver.mark(), self.model.step_index + 1
        self.model.begin()
        try:
            lost = self.solver.step(number)
        except Exception as error:
            raise self._put_back(f"{self._title} broke off in step {number}: {error}", mark) from error
        if lost:
            told = self._put_back(f"body {', '.join(map(str, lost))} left the finite numbers in step {number}", mark)
            if self.lost:
                raise told
            self._take_out(lost)
            raise WorldLostError(f"{told}, with that body taken out")
        self.model.step_index = number
        raw = self.solver.motion()
        self._motion = Motion(before.rows, raw, before.raw)
        self._is_stale = False
        self._is_anyone_asleep, self._asleep = not raw.awake.all(), None
        is_out = np.abs(raw.values) > MOST_MOTION
        if is_out.any():
            self._take_out(self.model.body_ids[is_out.any(axis=1)].tolist())

    def _take_out(self, bodies: Iterable[int]) -> None:
        mark, out_of_range = self.solver.mark(), list(self.model.out_of_range)
        self.model.begin()
        try:
            for body in bodies:
                if self.model.bodies[body].spec.active:
                    self._apply(c.SetBody(body, (("active", False),)))
                    self.model.out_of_range.append(body)
            dropped = self._drop_what_cannot_hold() if self.model.gears else ()
        except Exception as error:
            self.model.out_of_range = out_of_range
            raise self._put_back(f"{self._title} refused to take out a body: {error}", mark) from error
        self._dropped += dropped

    # -- as a whole ---------------------------------------------------------------------------------------------------

    def snapshot(self, next_ids: tuple[int, int, int] = (0, 0, 0)) -> WorldSnapshot:
        """Return all that can be kept."""
        model = self.model
        bodies, fixtures, joints = model.listed()
        return WorldSnapshot(
            solver=self.solver.capabilities.name,
            settings=model.settings,
            step_index=model.step_index,
            bodies=bodies,
            fixtures=fixtures,
            joints=joints,
            state=self.solver.save(),
            next_ids=next_ids,
            out_of_range=tuple(model.out_of_range),
        )

    def load(self, snapshot: WorldSnapshot, must_hold: bool = False) -> None:
        """Take the model from a snapshot, and let its solver drive the world, standing as it stood.

        Raises
        ------
        LabError
            The solver refused, or cannot hold a joint and must. The world stands as before.
        """
        self._become(snapshot, must_hold)
        self.lost = ""

    def _become(self, snapshot: WorldSnapshot, must_hold: bool = False) -> None:
        """Take over a snapshot; where its solver refuses, or cannot hold a joint and must, the world and what drives it stay.

        Raises
        ------
        LabError
            As said.
        """
        before, solver = self.model.take_over(snapshot), self.solver
        try:
            if snapshot.solver != solver.capabilities.name:
                self.solver = load_solver(snapshot.solver)(self.model)
                self.solver.hooks = solver.hooks
            self.solver.load(snapshot.state)
            for joint, resolved in self.model.joints.items() if must_hold else ():
                if not self.solver.can_hold(resolved):
                    raise InvalidInputError(f"joint {joint}", f"one that {self._title} can hold", Described(type(resolved.spec).__name__))
        except Exception as error:
            told = f"{self._title} refused the snapshot of step {snapshot.step_index}: {error}"
            self.solver = solver
            self.model.give_back(before)
            if isinstance(error, LabError):
                raise
            raise WorldLostError(f"{told}; the world stands as before it") from error
        self._motion = Motion(self.model.rows, snapshot.motion, snapshot.motion)
        self._is_stale = True
        self._teleported.clear()
        self._may_sleep()


def _columns(raw: BodyMotion, first: int) -> FloatArray:
    return frozen(np.ascontiguousarray(raw.values[:, first : first + 3], dtype=np.float64))
