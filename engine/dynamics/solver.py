"""Our own rigid bodies as a solver for `engine.world`, with any of the methods in `engine.dynamics.methods`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from operator import is_
from time import perf_counter
from typing import ClassVar, TypeVar

import numpy as np

from engine.common.arrays import frozen
from engine.common.errors import Described, InvalidInputError
from engine.common.events import unrecorded
from engine.common.limits import MAX_SPEED
from engine.contracts import StepContacts, no_contacts
from engine.dynamics.contacts import Nearby, reported_contacts
from engine.dynamics.continuous import no_moments
from engine.dynamics.copies import WorldCopies
from engine.dynamics.foreign_state import check_memory
from engine.dynamics.joints import JointTable, no_joints
from engine.dynamics.methods.protocol import Method
from engine.dynamics.pipeline import Step
from engine.dynamics.state import GearSums, Memory, State, cold_memory, empty_state
from engine.dynamics.tables import MARGIN, Tables
from engine.dynamics.workspace import Workspace
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Transform
from engine.world import commands as c
from engine.world.body_mass import changed_fixtures, check_mass, mass_properties
from engine.world.hooks import StepHooks
from engine.world.joints import JOINT_SPECS
from engine.world.joints.gear import GearJointSpec
from engine.world.joints.interface import ResolvedJoint, anchors_of
from engine.world.joints.rows import ANGLE
from engine.world.model import WorldModel
from engine.world.records import BodyMotion, ImpactMoment, StepCost
from engine.world.snapshot import SolverState, WorldSnapshot
from engine.world.solver import Becomes, Capabilities, Carried, Copies, Solver, load_solver
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings
from engine.world.step_pairs import PairRecord, StepPairs

__all__ = ["RigidBodySolver", "solver_of"]

_T = TypeVar("_T")

_NO_HOOKS = StepHooks()

_COPIED = "soft_step"
"""Method whose worlds can be stepped together: those of others have not been shown to keep their bits."""


class RigidBodySolver(Solver):
    """Solver for our own rigid bodies; `solver_of` selects its method.

    Attributes
    ----------
    method : Method
        How a step is solved.
    """

    method: ClassVar[Method]

    def __init__(self, model: WorldModel) -> None:
        super().__init__(model)
        self._state = empty_state()
        self._known: Tables | None = None
        self._joints = no_joints()
        self._joints_of: Tables | None = None
        self._targets_changed = False
        self._nearby, self._space = Nearby(), Workspace()
        self._idle: tuple[State, Tables, JointTable, WorldSettings] | None = None
        """Inputs and result of the last step if nothing moved in it: nothing will move as long as these stay the same."""
        self._error: BaseException | None = None
        self._times, self._notes = (0.0,) * 5, tuple[str, ...]()
        self._moments = no_moments()
        self._record: PairRecord | None = None

    @classmethod
    def accept(cls, spec: _T) -> _T:
        spec = super().accept(spec)
        if isinstance(spec, BodySpec) and spec.type == "dynamic":
            check_mass(spec.fixtures)
        return spec

    @classmethod
    def prepare(cls) -> None:
        from engine.world.world import World

        world = World(solver=cls.capabilities.name)
        world.create_body(BodySpec((FixtureSpec(Segment((-5.0, 0.0), (5.0, 0.0), ghost1=(-6.0, 0.0))),), "static"))
        shapes: tuple[AnyShape, ...] = (Circle(0.5), Polygon.box(0.5, 0.5), Capsule((-0.5, 0.0), (0.5, 0.0), 0.25))
        for number, shape in enumerate(shapes):
            world.create_body(BodySpec((FixtureSpec(shape),), position=(0.1 * number, 0.4 + number), linear_velocity=(0.0, -200.0)))
        world.create_body(BodySpec((FixtureSpec(shapes[0], sensor=True),), "static", (0.0, 0.5)))
        for _ in range(2):
            world.step()

    # -- changes ------------------------------------------------------------------------------------------------------

    def check(self, command: c.Command) -> None:
        fixtures = changed_fixtures(self.model, command)
        if fixtures is not None:
            check_mass(fixtures)
        if isinstance(command, c.ApplyImpulse) and self._is_dynamic(command.body):
            values = self._after_impulse(command.body, command.impulse, command.point)
            if not max(math.hypot(values[3], values[4]), abs(values[5])) <= MAX_SPEED:
                raise InvalidInputError("impulse", f"small enough that the body stays below {MAX_SPEED:g} m/s and rad/s", command.impulse)

    def apply(self, command: c.Command, becomes: Becomes) -> None:
        state = self._state
        match command:
            case c.CreateBody(body, spec, _):
                values = (*spec.position, spec.angle, *spec.linear_velocity, spec.angular_velocity)
                state = state.with_body(body, values, spec.awake)
            case c.DestroyBody(body):
                state = state.without_body(body)
            case c.SetPose(body, position, angle):
                state = state.with_row(body, (*position, angle, *state.values[state.at(body), 3:].tolist()))
            case c.SetVelocity(body, linear, angular):
                pose = state.values[state.at(body), :3].tolist()
                state = state.with_row(body, (*pose, *linear, angular))
            case c.SetAwake(body, awake):
                state = state.with_row(body, awake=awake)
            case c.ApplyImpulse(body, impulse, point) if self._is_dynamic(body):
                state = state.with_row(body, self._after_impulse(body, impulse, point))
            case c.ApplyForce(body, (x, y), point) if self._is_dynamic(body):
                cx, cy = self._center(body) if point is None else point
                mx, my = self._center(body)
                state = state.pushed(body, (x, y, (cx - mx) * y - (cy - my) * x))
            case c.ApplyTorque(body, torque) if self._is_dynamic(body):
                state = state.pushed(body, (0.0, 0.0, torque))
            case c.SetBody(body, _):
                assert isinstance(becomes, BodySpec)
                if becomes.type == "static":
                    state = state.with_row(body, (*state.values[state.at(body), :3].tolist(), 0.0, 0.0, 0.0))
            case c.CreateJoint(joint, GearJointSpec() as gear):
                state = self._with_gear(state, joint, gear)
            case c.SetMouseTarget():
                self._targets_changed = True
            case c.SetSettings():
                assert isinstance(becomes, WorldSettings)
                share = self._share(becomes) / self._share(self.model.settings)
                if share != 1.0:  # forces stay the same, impulses are in proportion to the seconds of a step or sub-step
                    state = replace(state, memory=state.memory.scaled(share))
            case c.DestroyJoint(joint):
                sums = tuple(entry for entry in state.memory.gear_sums if entry[0] != joint)
                state = replace(state, memory=replace(state.memory, gear_sums=sums))
        self._state = state

    def _with_gear(self, state: State, joint: int, gear: GearJointSpec) -> State:
        total = _gear_sum(gear, self.model.joints, self._transform)
        return replace(state, memory=replace(state.memory, gear_sums=(*state.memory.gear_sums, (joint, total))))

    def _is_dynamic(self, body: int) -> bool:
        return self.model.bodies[body].spec.type == "dynamic"

    def _after_impulse(self, body: int, impulse: tuple[float, float], point: tuple[float, float] | None) -> tuple[float, ...]:
        """Return x, y, angle, vx, vy, omega after an impulse at a world point, or at the center of mass."""
        x, y, angle, vx, vy, omega = self._state.values[self._state.at(body)].tolist()
        _, mass, inertia = self.mass_data(body)
        cx, cy = self._center(body)
        px, py = (cx, cy) if point is None else point
        spin = ((px - cx) * impulse[1] - (py - cy) * impulse[0]) / inertia if inertia > 0.0 else 0.0
        return x, y, angle, vx + impulse[0] / mass, vy + impulse[1] / mass, omega + spin

    # -- time ---------------------------------------------------------------------------------------------------------

    def step(self, number: int) -> list[int]:
        started = perf_counter()
        tables = self._tables()
        hooks = self.hooks if self.hooks is not None else _NO_HOOKS
        joints = self._joint_table(tables)
        before, record = self._state, self._record
        inputs = (before, tables, joints, self.model.settings)
        if self._idle is not None and record is None and all(map(is_, self._idle, inputs)):
            self._state = replace(before, contacts=reported_contacts(number, before.memory.rows, None, (), ()))
            self._idle = (self._state, *self._idle[1:])
            self._times, self._notes = (started, started, started, started, perf_counter()), ()
            return []
        step = Step(number, self.model.settings, tables, joints, self._nearby, self._space, before, hooks, self._call, self.method)
        if record is not None:
            record.last = None
        with unrecorded():
            step.find()
        found_at = perf_counter()
        lost = step.solve()
        self._notes = tuple(step.problem.notes)
        solved = perf_counter()
        if lost:
            return lost
        step.stop()
        stopped = perf_counter()
        self._moments = step.moments
        step.sleep()
        self._state = step.finish()
        self._idle = (self._state, tables, joints, self.model.settings) if step.is_idle else None
        if record is not None:
            touching, columns = self._state.memory.touching[:, :2], record.fixture_columns()
            record.last = StepPairs(number, 0, columns, before.values[:, :3], step.moving, frozenset(), touching, {}, step.approach)
        done = perf_counter()
        self._times = started, found_at, solved, stopped, done
        return []

    def _call(self, hook: Callable[..., object] | None, *arguments: object) -> object:
        """Call a hook, and keep the first exception that any of them raises."""
        try:
            return None if hook is None else hook(*arguments)
        except BaseException as error:
            self._error = self._error or error
            return None

    def take_error(self) -> BaseException | None:
        error, self._error = self._error, None
        return error

    @property
    def cost(self) -> StepCost:
        started, found_at, solved, stopped, done = self._times
        return StepCost(1e3 * (done - started), 0.0, 1e3 * (found_at - started), 1e3 * (solved - found_at), 1e3 * (stopped - solved))

    @property
    def notes(self) -> tuple[str, ...]:
        return self._notes

    # -- reading ------------------------------------------------------------------------------------------------------

    def _tables(self) -> Tables:
        if self._known is None or self._known.structure is not self.model.structure:
            self._known = Tables(self.model, self._known)
        return self._known

    def _joint_table(self, tables: Tables) -> JointTable:
        """Return the joints' rows, reusing those of the last step if nothing has changed."""
        joints = self.model.joints
        if tables is not self._joints_of or self._targets_changed:
            bodies = tables.bodies
            sums = dict(self._state.memory.gear_sums)
            self._joints = JointTable.of(joints, sums, self.model.rows, bodies.center, bodies.is_active)
            self._joints_of, self._targets_changed = tables, False
        return self._joints

    def motion(self) -> BodyMotion:
        return BodyMotion(frozen(self._state.values.view()), frozen(self._state.awake.view()))

    @property
    def impact_moments(self) -> tuple[ImpactMoment, ...]:
        """All impacts within the last step that stopped a body or made another carry it along, in chronological order."""
        pairs, poses = (column.tolist() for column in self._moments)
        return tuple(ImpactMoment(a, b, (x, y, r), (u, v, s), at) for (a, b), (x, y, r, u, v, s, at) in zip(pairs, poses, strict=True))

    @property
    def contacts(self) -> StepContacts:
        return self._state.contacts

    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        entry = self.model.bodies[body]
        if entry.spec.type != "dynamic":
            return (0.0, 0.0), 0.0, 0.0
        center, mass, inertia = mass_properties([self.model.fixtures[fixture].spec for fixture in entry.fixtures])
        return center, mass, 0.0 if entry.spec.fixed_rotation else inertia

    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        from engine.query import contains

        entry = self.model.fixtures[fixture]
        return contains(entry.spec.shape, self._transform(entry.body), point)

    def _transform(self, body: int | None) -> Transform:
        if body is None:
            return Transform((0.0, 0.0), 0.0)
        x, y, angle = self._state.values[self._state.at(body), :3].tolist()
        return Transform((x, y), angle)

    def _center(self, body: int) -> tuple[float, float]:
        return self._transform(body).apply(self.mass_data(body)[0])

    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        resolved = self.model.joints[joint]
        a, b = resolved.bodies
        return anchors_of(resolved, self._transform(a), self._transform(b))

    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        memory = self._state.memory
        return memory.joints.reaction(joint, memory.joint_total, self._transform, self.model)

    def pair_record(self) -> PairRecord:
        if self._record is None:
            self._record = PairRecord(self.model, self.shape_of, lambda a, b: None)
        return self._record

    # -- keeping ------------------------------------------------------------------------------------------------------

    def copies(self, n: int) -> Copies:
        settings = self.model.settings
        if self.capabilities.name != _COPIED:
            return super().copies(n)
        tables = self._tables()
        return WorldCopies(n, settings, self.method, tables, self._joint_table(tables), self._state)

    def save(self) -> SolverState:
        state = self._state
        return SolverState(self.motion(), state.contacts, frozenset(), ((), ()), state.memory)

    @classmethod
    def check_memory(cls, snapshot: WorldSnapshot) -> None:
        if snapshot.state.touching or snapshot.state.events != ((), ()):
            raise InvalidInputError("touching", "empty: the memory has the pairs", Described("pairs or events"))
        check_memory(snapshot.state.memory, snapshot)

    def load(self, state: SolverState) -> None:
        memory = state.memory
        assert isinstance(memory, Memory)
        self._moments, self._notes = no_moments(), ()
        self._state = State(self.model.body_ids, np.array(state.motion.values), np.array(state.motion.awake), memory, state.contacts)

    @classmethod
    def carried(cls, snapshot: WorldSnapshot) -> Carried:
        memory, plain = snapshot.state.memory, super().carried(snapshot)
        assert isinstance(memory, Memory)
        living = {fixture for fixture, _, _ in snapshot.fixtures}
        pairs = ((a, b) for a, b in memory.touching[:, :2].tolist() if a in living and b in living)
        return replace(plain, force=memory.force, resting=memory.resting, touching=frozenset(pairs))

    @classmethod
    def state_of(cls, snapshot: WorldSnapshot, settings: WorldSettings) -> SolverState:
        """Return the initial state after another method of ours: everything that it left, with the impulses converted for this one."""
        state, before = snapshot.state, load_solver(snapshot.solver)
        if issubclass(before, RigidBodySolver):
            assert isinstance(state.memory, Memory)
            share = cls._share(settings) / before._share(snapshot.settings)
            memory = replace(state.memory.scaled(share, is_stiff=False), soft_h=0.0)  # a method of one step has the stiffness of none
            return replace(state, memory=memory)
        carried = before.carried(snapshot)
        owners = {fixture: (body, spec.sensor) for fixture, body, spec in snapshot.fixtures}
        pairs = [(a, b, owners[a][0], owners[b][0], owners[a][1] or owners[b][1]) for a, b in sorted(carried.touching)]
        touching, sensed = (
            np.array([pair[:4] for pair in pairs if pair[4] is kind], dtype=np.int64).reshape(-1, 4) for kind in (False, True)
        )
        ids, awake = np.array([body for body, _, _ in snapshot.bodies], dtype=np.int64), snapshot.motion.awake
        motion = BodyMotion(snapshot.motion.values.astype(np.float64), awake)
        poses = dict(zip(ids.tolist(), motion.values[:, :3].tolist(), strict=True))
        memory = cold_memory(ids, awake, carried.force, carried.resting, touching, sensed, _gear_sums(dict(snapshot.joints), poses))
        return SolverState(motion, no_contacts(snapshot.step_index), frozenset(), ((), ()), memory)

    @classmethod
    def _share(cls, settings: WorldSettings) -> float:
        return cls.method.warm_share(settings, cls.own_settings(settings)) * settings.dt

    def mark(self, command: c.Command | None = None) -> object:
        return self._state

    def go_back(self, mark: object) -> None:
        assert isinstance(mark, State)
        self._state = mark
        self._targets_changed = True


def _gear_sums(joints: Mapping[int, ResolvedJoint], poses: Mapping[int, Sequence[float]]) -> GearSums:
    """Return what the coordinates of each gear joint add up to, of bodies at these poses."""

    def transform(body: int | None) -> Transform:
        x, y, angle = (0.0, 0.0, 0.0) if body is None else poses[body]
        return Transform((x, y), angle)

    gears = ((joint, resolved.spec) for joint, resolved in joints.items())
    return tuple((joint, _gear_sum(spec, joints, transform)) for joint, spec in gears if isinstance(spec, GearJointSpec))


def _gear_sum(gear: GearJointSpec, joints: Mapping[int, ResolvedJoint], transform: Callable[[int | None], Transform]) -> float:
    return _coordinate(joints[gear.joint_a], transform) + gear.ratio * _coordinate(joints[gear.joint_b], transform)


def _coordinate(joint: ResolvedJoint, transform: Callable[[int | None], Transform]) -> float:
    """Return the angle of B less that of A, or how far B has slid along the axis."""
    xf_a, xf_b = (transform(body) for body in joint.bodies)
    if joint.spec.coordinate == ANGLE:
        return xf_b.angle - xf_a.angle
    (ax, ay), (bx, by) = xf_a.apply(joint.local_anchor_a), xf_b.apply(joint.local_anchor_b)
    ux, uy = xf_a.rotate(joint.local_axis_a)
    return ux * (bx - ax) + uy * (by - ay)


@cache
def solver_of(name: str) -> type[RigidBodySolver]:
    """Return the solver by the method in ``engine.dynamics.methods.NAME``, whose ``METHOD`` it is."""
    method: Method = import_module(f"engine.dynamics.methods.{name}").METHOD
    can = Capabilities(
        name=name,
        title=method.title,
        shapes=(Circle, Polygon, Capsule, Segment),
        joints=JOINT_SPECS,
        max_vertices=None,
        precision=np.float64,
        skin_radius=0.0,
        sweeps_all=True,
        margin=MARGIN,
    )
    return type(f"{type(method).__name__}Solver", (RigidBodySolver,), {"method": method, "settings": method.settings, "capabilities": can})
