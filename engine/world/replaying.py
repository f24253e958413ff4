"""Solvers that cannot save their state: a rewind repeats all commands and steps from the beginning.

Box2D 3.1 and Chipmunk have no way to save and restore contact impulses, the order of contacts or sleep times. Both are deterministic,
however: the same commands and steps on a new world give the same bits. Such a solver therefore records its commands and steps::

    log         Change(CreateBody ...), Change(CreateJoint ...), 37, Change(ApplyImpulse ...), 5, (2,), 18
                                                                  37 steps                        a step in which a hook disabled contact 2

`save` returns the log, and `load` repeats it on a new engine world, which takes as long as the run did. The return values of hooks are
recorded, so hooks are not called again. `EngineWorld` is the engine-specific part; `ReplaySolver` is the same for all engines.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, TypeVar
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import frozen
from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_NUMBER, MAX_SPEED
from engine.contracts import LazyContacts, PairEvent, PointState, StepContacts
from engine.geometry import Transform
from engine.world import commands as c
from engine.world.body_mass import changed_fixtures, check_mass
from engine.world.hooks import StepHooks
from engine.world.joints.interface import ResolvedJoint, altered, anchors_of
from engine.world.joints.mouse import MouseJointSpec
from engine.world.model import WorldModel
from engine.world.records import BodyMotion, StepCost
from engine.world.snapshot import SolverState, WorldSnapshot
from engine.world.solver import Becomes, Solver, load_solver
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["Change", "ContactRow", "EngineWorld", "Point", "ReplayMemory", "ReplaySolver"]

_T = TypeVar("_T")

_MAX_STEPS = 10_000_000
"""Maximum number of steps that a log from a file may repeat."""


@dataclass(frozen=True, slots=True)
class Change:
    """A command, and the complete new specification of the object that it creates or changes."""

    command: c.Command
    becomes: Becomes


Entry = Change | int | tuple[int, ...]
"""A change; a number of steps; or a step in which hooks disabled the contacts with these numbers, in the order in which the hooks were
called.
"""


@dataclass(frozen=True, slots=True)
class ReplayMemory:
    """Log of all commands and steps of a solver since step `first`.

    Attributes
    ----------
    first : int
    settings : WorldSettings
        Settings at step `first`.
    touching : tuple of (fixture id, fixture id)
        Pairs that touched at step `first`, as the previous solver reported them.
    log : tuple of Change, int or tuple of int
    """

    first: int
    settings: WorldSettings
    touching: tuple[tuple[int, int], ...]
    log: tuple[Entry, ...]


class Point(NamedTuple):
    """A contact point: midpoint of the surfaces, gap, m, and impulses, N s."""

    position: tuple[float, float]
    separation: float
    normal_impulse: float
    tangent_impulse: float


class ContactRow(NamedTuple):
    """A touching pair of fixtures with the unit normal from A to B; `is_new` if it began in this step."""

    fixture_a: int
    fixture_b: int
    normal: tuple[float, float]
    points: tuple[Point, ...]
    is_new: bool

    def sorted(self) -> ContactRow:
        """Return the same contact with the lower fixture id first."""
        if self.fixture_a < self.fixture_b:
            return self
        x, y = self.normal
        return self._replace(fixture_a=self.fixture_b, fixture_b=self.fixture_a, normal=(-x, -y))


class _Listener:
    """Calls the hooks during a step; while a log is repeated, there are none, and `allows` returns the recorded answers."""

    def __init__(self, hooks: StepHooks | None, recorded: tuple[int, ...] | None = None) -> None:
        self.hooks = hooks if hooks is not None else StepHooks()
        self.error: BaseException | None = None
        self.refused: list[int] = []
        self._recorded = recorded
        self._n_asked = 0

    @property
    def asks(self) -> bool:
        """True if the step must call `allows` for each contact."""
        return bool(self._recorded) or self.hooks.pre_solve is not None

    @property
    def reports(self) -> bool:
        """True if the step must report each solved contact to `solved`."""
        return self.hooks.post_solve is not None

    def begin(self, event: PairEvent) -> None:
        self._call(self.hooks.begin, event)

    def end(self, event: PairEvent) -> None:
        self._call(self.hooks.end, event)

    def allows(self, event: PairEvent) -> bool:
        """Return False if the contact is disabled in this step."""
        number, self._n_asked = self._n_asked, self._n_asked + 1
        if self._recorded is not None:
            return number not in self._recorded
        is_refused = self._call(self.hooks.pre_solve, event) is False
        if is_refused:
            self.refused.append(number)
        return not is_refused

    def solved(self, event: PairEvent, normal: tuple[float, ...], tangent: tuple[float, ...]) -> None:
        self._call(self.hooks.post_solve, event, normal, tangent)

    def _call(self, hook: Callable[..., object] | None, *arguments: object) -> object:
        """Call a hook, and keep the first exception: one that reached the engine would be lost or would abort the interpreter."""
        try:
            return None if hook is None else hook(*arguments)
        except BaseException as error:
            self.error = self.error or error
            return None


class EngineWorld(ABC):
    """A world of an engine, with the ids and specifications of everything in it.

    Subclasses implement the primitives. When they are called, the tables already contain the new specification, except for what is
    destroyed, which is removed from them afterwards.

    Attributes
    ----------
    settings : WorldSettings
    own : dict
        The solver's own settings by name.
    bodies : dict of int to BodySpec
        Without fixtures. Position and velocity are those at creation.
    fixtures : dict of int to (body id, FixtureSpec)
    joints : dict of int to ResolvedJoint
    touching : dict of (fixture id, fixture id) to bool
        Touching pairs, the lower id first; True if one of the two is a sensor.
    step_index : int
    """

    def __init__(self, settings: WorldSettings, own: Mapping[str, Any], step_index: int, touching: Iterable[tuple[int, int]]) -> None:
        self.settings, self.own = settings, own
        self.bodies: dict[int, BodySpec] = {}
        self.fixtures: dict[int, tuple[int, FixtureSpec]] = {}
        self._fixtures_of: dict[int, list[int]] = {}
        """Fixtures of each body, ascending."""
        self.joints: dict[int, ResolvedJoint] = {}
        self.touching: dict[tuple[int, int], bool] = {}
        self.step_index = step_index
        self.listener = _Listener(None)
        self._carried = set(touching)
        """Pairs that touched under the previous solver and have not begun under this one; they end after the first step."""
        self._is_awake: dict[int, bool] = {}
        """Last awake flag set for each body of which the engine stores none: static, kinematic and inactive bodies."""
        self._began: list[PairEvent] = []
        self._ended: list[PairEvent] = []
        self.events: tuple[tuple[PairEvent, ...], tuple[PairEvent, ...]] = (), ()

    # -- for the solver -----------------------------------------------------------------------------------------------

    def apply(self, command: c.Command, becomes: Becomes) -> None:
        """Apply a command."""
        match command:
            case c.CreateBody(body, spec, fixtures):
                self.bodies[body], self._is_awake[body] = replace(spec, fixtures=()), spec.awake
                self.fixtures.update({fixture: (body, each) for fixture, each in zip(fixtures, spec.fixtures, strict=True)})
                self._fixtures_of[body] = sorted(fixtures)
                self.create_body(body, fixtures)
            case c.DestroyBody(body):
                self.destroy_body(body)
                for fixture in self.fixtures_of(body):
                    self._forget(fixture)
                del self.bodies[body], self._is_awake[body], self._fixtures_of[body]
            case c.CreateFixture(fixture, body, fixture_spec):
                self.fixtures[fixture] = body, fixture_spec
                insort(self._fixtures_of[body], fixture)
                self.create_fixture(fixture)
            case c.DestroyFixture(fixture):
                self.destroy_fixture(fixture)
                self._forget(fixture)
            case c.SetFixture(fixture, _):
                assert isinstance(becomes, FixtureSpec)
                body, before = self.fixtures[fixture]
                self.fixtures[fixture] = body, becomes
                self.change_fixture(fixture, before)
            case c.SetBody(body, _):
                assert isinstance(becomes, BodySpec)
                spec_before, self.bodies[body] = self.bodies[body], becomes
                if (becomes.type, becomes.active) != (spec_before.type, spec_before.active):
                    self._is_awake[body] = True
                self.change_body(body, spec_before)
            case c.CreateJoint(joint, _):
                assert isinstance(becomes, ResolvedJoint)
                self.joints[joint] = becomes
                self.create_joint(joint)
            case c.SetJoint(joint, _):
                assert isinstance(becomes, ResolvedJoint)
                self.destroy_joint(joint)
                self.joints[joint] = becomes
                self.create_joint(joint)
            case c.SetMouseTarget(joint, _):
                assert isinstance(becomes, ResolvedJoint)
                self.joints[joint] = becomes
                self.set_target(joint)
            case c.DestroyJoint(joint):
                self.destroy_joint(joint)
                del self.joints[joint]
            case c.SetPose(body, position, angle):
                self.set_pose(body, position, angle)
            case c.SetVelocity(body, linear, angular):
                self.set_velocity(body, linear, angular)
            case c.SetAwake(body, awake):
                self._is_awake[body] = awake
                self.set_awake(body, awake)
            case c.ApplyImpulse(body, impulse, point) if self.is_dynamic(body):
                self.apply_impulse(body, impulse, self.center(body) if point is None else point)
            case c.ApplyForce(body, force, point) if self.is_dynamic(body):
                self.apply_force(body, force, self.center(body) if point is None else point)
            case c.ApplyTorque(body, torque) if self.is_dynamic(body):
                self.apply_torque(body, torque)
            case c.SetSettings():
                assert isinstance(becomes, WorldSettings)
                self.settings = becomes
                self.change_settings()

    def advance(self, listener: _Listener) -> None:
        """Advance by a step, with its hooks and events."""
        self.step_index += 1
        self.listener = listener
        try:
            self.step()
        finally:
            self.listener = _Listener(None)
        for pair in sorted(self._carried):
            if pair not in self.touching and all(fixture in self.fixtures for fixture in pair):
                self._ended.append(self._event(pair, any(self.fixtures[fixture][1].sensor for fixture in pair)))
        self._carried.clear()
        self.events = tuple(self._began), tuple(self._ended)
        self._began, self._ended = [], []

    # -- for subclasses -----------------------------------------------------------------------------------------------

    def note_begin(self, a: int, b: int) -> None:
        """Record that two fixtures began to touch."""
        pair = (a, b) if a < b else (b, a)
        if pair in self.touching:
            return
        is_sensor = self.fixtures[a][1].sensor or self.fixtures[b][1].sensor
        self.touching[pair] = is_sensor
        if pair not in self._carried:
            event = self._event(pair, is_sensor)
            self._began.append(event)
            self.listener.begin(event)

    def note_end(self, a: int, b: int) -> None:
        """Record that two fixtures no longer touch; the step during which, or before which, this happens reports it."""
        pair = (a, b) if a < b else (b, a)
        if pair in self.touching:
            event = self._event(pair, self.touching.pop(pair))
            self._ended.append(event)
            self.listener.end(event)

    def event_of(self, a: int, b: int) -> PairEvent:
        """Return the event of two fixtures in the current step."""
        pair = (a, b) if a < b else (b, a)
        return self._event(pair, self.touching.get(pair, False))

    def _event(self, pair: tuple[int, int], is_sensor: bool) -> PairEvent:
        return PairEvent(self.step_index, *pair, self.fixtures[pair[0]][0], self.fixtures[pair[1]][0], is_sensor)

    def _forget(self, fixture: int) -> None:
        for pair in [pair for pair in self.touching if fixture in pair]:
            self.note_end(*pair)
        self._fixtures_of[self.fixtures.pop(fixture)[0]].remove(fixture)

    def fixtures_of(self, body: int) -> list[int]:
        """Return the fixtures of a body, ascending."""
        return [fixture for fixture in self._fixtures_of[body] if fixture in self.fixtures]

    def joints_of(self, body: int) -> list[int]:
        """Return the joints of a body, ascending."""
        return sorted(joint for joint, resolved in self.joints.items() if body in resolved.bodies)

    def is_dynamic(self, body: int) -> bool:
        return self.bodies[body].type == "dynamic"

    def sleeps_by_itself(self, body: int) -> bool:
        """Return whether the engine decides if a body is awake; other bodies keep the flag that was last set."""
        return self.is_dynamic(body) and self.bodies[body].active

    def awake_of(self, ids: list[int], is_awake: Callable[[int], bool]) -> NDArray[np.bool_]:
        """Return whether bodies are awake; `is_awake` queries the engine for a body that it may put to sleep."""
        if not self.settings.sleeping and all(self._is_awake.values()):
            return np.ones(len(ids), dtype=np.bool_)
        flags = [is_awake(body) if self.sleeps_by_itself(body) else self._is_awake[body] for body in ids]
        return np.array(flags, dtype=np.bool_)

    def doubt(self, body: int) -> None:
        """Treat the touching pairs of a body that the engine has recreated like those carried over from another solver."""
        own = self.fixtures_of(body)
        pairs = [pair for pair in self.touching if pair[0] in own or pair[1] in own]
        self._carried.update(pairs)
        for pair in pairs:
            del self.touching[pair]

    def pose(self, body: int | None) -> Transform:
        """Return the pose of a body; None is the ground."""
        if body is None:
            return Transform()
        x, y, angle = self.motion_of(body)[:3]
        return Transform((x, y), angle)

    def center(self, body: int) -> tuple[float, float]:
        """Return the center of mass of a body, world frame, m."""
        return self.pose(body).apply(self.mass_data(body)[0])

    def contact_pose(self, body: int) -> tuple[float, ...]:
        """Return the pose for which the engine computed the contacts of a body."""
        return self.motion_of(body)[:3]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `StepContacts` from `contact_rows`."""
        rows = sorted(row.sorted() for row in self.contact_rows())
        n, two = len(rows), (len(rows), 2)
        fixtures = np.array([row[:2] for row in rows], dtype=np.int64).reshape(two)
        bodies = np.array([[self.fixtures[fixture][0] for fixture in row[:2]] for row in rows], dtype=np.int64).reshape(two)
        poses = {body: self.contact_pose(body) for body in dict.fromkeys(bodies.ravel().tolist())}
        numbers = np.zeros((n, 2, 5))
        for k, row in enumerate(rows):
            for at, point in enumerate(row.points[:2]):
                numbers[k, at] = *point.position, *point[1:]
        count = np.array([min(2, len(row.points)) for row in rows], dtype=np.int64)
        state = np.where([[row.is_new] for row in rows], PointState.ADD, PointState.PERSIST) if rows else np.zeros((0, 1))
        columns: dict[str, NDArray[Any]] = {
            "fixture_a": fixtures[:, 0],
            "fixture_b": fixtures[:, 1],
            "body_a": bodies[:, 0],
            "body_b": bodies[:, 1],
            "pose_a": np.array([poses[body] for body in bodies[:, 0].tolist()]).reshape(-1, 3),
            "pose_b": np.array([poses[body] for body in bodies[:, 1].tolist()]).reshape(-1, 3),
            "count": count,
            "normal": np.array([row.normal for row in rows], dtype=float).reshape(two),
            "position": numbers[:, :, :2],
            "separation": numbers[:, :, 2],
            "feature_id": np.tile(np.arange(2, dtype=np.int64), (n, 1)) * (np.arange(2) < count[:, None]),
            "normal_impulse": numbers[:, :, 3],
            "tangent_impulse": numbers[:, :, 4],
            "state": np.where(np.arange(2) < count[:, None], state, -1).astype(np.int8),
            "evaluated": np.ones(n, dtype=np.bool_),
            "in_toi": np.zeros(n, dtype=np.bool_),
        }
        return {name: frozen(np.ascontiguousarray(column)) for name, column in columns.items()}

    # -- primitives ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def create_body(self, body: int, fixtures: Iterable[int]) -> None:
        """Create a body with these fixtures."""

    @abstractmethod
    def destroy_body(self, body: int) -> None:
        """Destroy a body with its fixtures; it has no joints."""

    @abstractmethod
    def change_body(self, body: int, before: BodySpec) -> None:
        """Apply a changed specification of a body."""

    @abstractmethod
    def create_fixture(self, fixture: int) -> None:
        """Add a fixture to its body."""

    @abstractmethod
    def destroy_fixture(self, fixture: int) -> None:
        """Destroy a fixture, and adapt the mass of its body."""

    @abstractmethod
    def change_fixture(self, fixture: int, before: FixtureSpec) -> None:
        """Apply a changed specification of a fixture."""

    @abstractmethod
    def create_joint(self, joint: int) -> None:
        """Create a joint."""

    @abstractmethod
    def destroy_joint(self, joint: int) -> None:
        """Destroy a joint."""

    @abstractmethod
    def set_target(self, joint: int) -> None:
        """Move the target of a mouse joint."""

    @abstractmethod
    def set_pose(self, body: int, position: tuple[float, float], angle: float) -> None:
        """Move a body."""

    @abstractmethod
    def set_velocity(self, body: int, linear: tuple[float, float], angular: float) -> None:
        """Set the velocity of a body."""

    @abstractmethod
    def set_awake(self, body: int, awake: bool) -> None:
        """Wake a body, or put it to sleep."""

    @abstractmethod
    def apply_impulse(self, body: int, impulse: tuple[float, float], point: tuple[float, float]) -> None:
        """Apply an impulse at a world point."""

    @abstractmethod
    def apply_force(self, body: int, force: tuple[float, float], point: tuple[float, float]) -> None:
        """Apply a force at a world point during the next step."""

    @abstractmethod
    def apply_torque(self, body: int, torque: float) -> None:
        """Apply a torque during the next step."""

    @abstractmethod
    def change_settings(self) -> None:
        """Apply changed `settings` and `own`."""

    @abstractmethod
    def step(self) -> None:
        """Advance by a step; call `note_begin` and `note_end`, and the listener's hooks."""

    @abstractmethod
    def motion(self) -> BodyMotion:
        """Return the motion of all bodies, in ascending order of id."""

    @abstractmethod
    def motion_of(self, body: int) -> tuple[float, ...]:
        """Return x, y, angle, vx, vy, omega of a body."""

    @abstractmethod
    def contact_rows(self) -> Iterator[ContactRow]:
        """Yield the touching pairs after the last step, without sensors."""

    @abstractmethod
    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        """Return the local center of mass, mass and inertia about that center."""

    @abstractmethod
    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        """Return whether a fixture contains a world point."""

    @abstractmethod
    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        """Return the force, N, and the torque, N m, of a joint on body B in the last step."""


class ReplaySolver(Solver):
    """Base class of solvers that rewind by repeating everything; `engine_world` is the engine."""

    engine_world: ClassVar[type[EngineWorld]]

    def __init__(self, model: WorldModel) -> None:
        super().__init__(model)
        self._first, self._settings, self._touching = model.step_index, model.settings, tuple[tuple[int, int], ...]()
        self._log: list[Entry] = []
        self._engine = self._empty(ReplayMemory(self._first, self._settings, (), ()))
        self._motion: BodyMotion | None = None
        self._error: BaseException | None = None
        self._cost = StepCost()
        self._reported: ReferenceType[StepContacts] | None = None
        self._kept: StepContacts | None = None
        """Contacts of the last step, if a command has changed the engine's contacts since then."""

    def _empty(self, memory: ReplayMemory) -> EngineWorld:
        return self.engine_world(memory.settings, self.own_settings(memory.settings), memory.first, memory.touching)

    # -- changes ------------------------------------------------------------------------------------------------------

    @classmethod
    def accept(cls, spec: _T) -> _T:
        spec = super().accept(spec)
        if isinstance(spec, BodySpec) and spec.type == "dynamic":
            check_mass(spec.fixtures)
        return spec

    def check(self, command: c.Command) -> None:
        match command:
            case c.SetFixture(fixture, changes):
                self.accept(self.model.changed_fixture(fixture, dict(changes)))
            case c.CreateJoint(_, joint_spec):
                self.accept(joint_spec.resolve(self._engine.pose, self.model.joints))
            case c.SetJoint(joint, changes):
                self.accept(altered(self.model.joints[joint], dict(changes)))
        fixtures = changed_fixtures(self.model, command)
        if fixtures is not None:
            check_mass(fixtures)
        if isinstance(command, c.ApplyImpulse) and self._engine.is_dynamic(command.body):
            mass = self._engine.mass_data(command.body)[1]
            if not math.hypot(*command.impulse) <= MAX_SPEED * mass:
                raise InvalidInputError("impulse", f"small enough that the body stays below {MAX_SPEED:g} m/s", command.impulse)

    def apply(self, command: c.Command, becomes: Becomes) -> None:
        if isinstance(command, _STRUCTURAL):
            self._kept = self.contacts
            self._materialize()
        self._log.append(Change(command, becomes))
        if isinstance(becomes, WorldSettings):
            self._engine.own = self.own_settings(becomes)
        self._motion = None
        listener = self._engine.listener = _Listener(self.hooks)
        try:
            self._engine.apply(command, becomes)
        finally:
            self._engine.listener = _Listener(None)
            self._error = self._error or listener.error

    # -- time ---------------------------------------------------------------------------------------------------------

    def step(self, number: int) -> list[int]:
        started = perf_counter()
        self._materialize()
        self._kept = self._reported = None
        listener = _Listener(self.hooks)
        self._engine.advance(listener)
        stepped = perf_counter()
        self._error = self._error or listener.error
        if listener.refused:
            self._log.append(tuple(listener.refused))
        elif self._log and isinstance(self._log[-1], int):
            self._log[-1] += 1
        else:
            self._log.append(1)
        motion = self._motion = self._engine.motion()
        self._cost = StepCost(1e3 * (stepped - started), 1e3 * (perf_counter() - stepped))
        finite = np.isfinite(motion.values).all(axis=1)
        lost: list[int] = [] if finite.all() else self.model.body_ids[~finite].tolist()
        return lost

    def take_error(self) -> BaseException | None:
        error, self._error = self._error, None
        return error

    @property
    def cost(self) -> StepCost:
        return self._cost

    # -- reading ------------------------------------------------------------------------------------------------------

    def motion(self) -> BodyMotion:
        if self._motion is None:
            self._motion = self._engine.motion()
        return self._motion

    def motion_of(self, body: int) -> tuple[float, ...]:
        return self._engine.motion_of(body)

    @property
    def contacts(self) -> StepContacts:
        """Contacts after the last step, read from the engine on first access."""
        if self._kept is not None:
            return self._kept
        known = None if self._reported is None else self._reported()
        if known is None:
            engine = self._engine
            known = LazyContacts.of(engine.step_index, engine.columns, tuple, *engine.events)
            self._reported = ref(known)
        return known

    def _materialize(self) -> None:
        """Compute contacts that are still referenced, before the engine changes its own."""
        known = None if self._reported is None else self._reported()
        if isinstance(known, LazyContacts):
            known.make()

    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        return self._engine.mass_data(body)

    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        return self._engine.holds_point(fixture, point)

    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        resolved, pose = self.model.joints[joint], self._engine.pose
        a, b = resolved.bodies
        return anchors_of(resolved, pose(a), pose(b))

    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        return self._engine.joint_reaction(joint)

    # -- state --------------------------------------------------------------------------------------------------------

    def save(self) -> SolverState:
        memory = ReplayMemory(self._first, self._settings, self._touching, tuple(self._log))
        return SolverState(self.motion(), self.contacts, frozenset(self._engine.touching), ((), ()), memory)

    @classmethod
    def check_memory(cls, snapshot: WorldSnapshot) -> None:
        memory = snapshot.state.memory
        if not isinstance(memory, ReplayMemory):
            raise InvalidInputError("memory", "a ReplayMemory", Described(type(memory).__name__))
        n_steps = 0
        for at, entry in enumerate(memory.log):
            if not _is_entry(entry):
                raise InvalidInputError(f"memory.log[{at}]", "a change, a number of steps, or the refused contacts of a step", entry)
            n_steps += entry if isinstance(entry, int) else isinstance(entry, tuple)
        if not isinstance(memory.settings, WorldSettings) or cls.accept(memory.settings) != memory.settings:
            raise InvalidInputError("memory.settings", "settings in the solver's precision", Described("others"))
        if type(memory.first) is not int or memory.first < 0 or n_steps > _MAX_STEPS or memory.first + n_steps != snapshot.step_index:
            raise InvalidInputError("memory.log", f"the steps up to {snapshot.step_index}", Described(f"{n_steps} from {memory.first}"))
        if not all(isinstance(pair, tuple) and len(pair) == 2 and all(type(id) is int for id in pair) for pair in memory.touching):
            raise InvalidInputError("memory.touching", "pairs of fixture ids", Described("others"))

    def load(self, state: SolverState) -> None:
        memory = state.memory
        assert isinstance(memory, ReplayMemory)
        engine = self._repeated(memory)
        motion = engine.motion()
        if not (np.array_equal(motion.values, state.motion.values) and np.array_equal(motion.awake, state.motion.awake)):
            requirement = "commands and steps that reproduce the snapshot's motion with the installed version of the engine"
            raise InvalidInputError("memory.log", requirement, Described("others"))
        self._engine, self._motion = engine, motion
        self._first, self._settings, self._touching, self._log = memory.first, memory.settings, memory.touching, list(memory.log)
        self._kept = self._reported = None

    def _repeated(self, memory: ReplayMemory) -> EngineWorld:
        """Return a new engine world after all commands and steps of a log."""
        engine = self._empty(memory)
        for entry in memory.log:
            if isinstance(entry, Change):
                if isinstance(entry.becomes, WorldSettings):
                    engine.own = self.own_settings(entry.becomes)
                engine.apply(entry.command, entry.becomes)
                continue
            for _ in range(entry if isinstance(entry, int) else 1):
                engine.advance(_Listener(None, entry if isinstance(entry, tuple) else ()))
        return engine

    def mark(self, command: c.Command | None = None) -> object:
        return len(self._log), self._log[-1] if self._log else None

    def go_back(self, mark: object) -> None:
        assert isinstance(mark, tuple)
        length, last = mark
        del self._log[length:]
        if length:
            self._log[-1] = last
        self._engine = self._repeated(ReplayMemory(self._first, self._settings, self._touching, tuple(self._log)))
        self._motion = self._kept = self._reported = None

    @classmethod
    def state_of(cls, snapshot: WorldSnapshot, settings: WorldSettings) -> SolverState:
        plain = super().state_of(snapshot, settings)
        carried = load_solver(snapshot.solver).carried(snapshot)
        specs = {fixture: spec for fixture, _, spec in snapshot.fixtures}
        log: list[Entry] = []
        values, awake = plain.motion.values.tolist(), plain.motion.awake.tolist()
        for (body, spec, fixtures), (x, y, angle, vx, vy, omega), is_awake in zip(snapshot.bodies, values, awake, strict=True):
            full = replace(
                spec,
                fixtures=tuple(specs[fixture] for fixture in fixtures),
                position=(x, y),
                angle=angle,
                linear_velocity=(vx, vy),
                angular_velocity=omega,
                awake=is_awake,
            )
            log.append(Change(c.CreateBody(body, full, fixtures), full))
        log += [Change(c.CreateJoint(joint, resolved.spec), resolved) for joint, resolved in snapshot.joints]
        for (body, spec, _), (fx, fy, torque) in zip(snapshot.bodies, carried.force.tolist(), strict=True):
            if spec.type == "dynamic" and (fx, fy, torque) != (0.0, 0.0, 0.0):
                log.append(Change(c.ApplyForce(body, (fx, fy), None), None))
                log.append(Change(c.ApplyTorque(body, torque), None))
        memory = ReplayMemory(snapshot.step_index, settings, tuple(sorted(carried.touching)), tuple(log))
        motion = cls.engine_world(settings, cls.own_settings(settings), memory.first, memory.touching)
        for entry in log:
            assert isinstance(entry, Change)
            motion.apply(entry.command, entry.becomes)
        return replace(plain, motion=motion.motion(), touching=carried.touching, memory=memory)


_STRUCTURAL = (c.CreateBody, c.DestroyBody, c.CreateFixture, c.DestroyFixture, c.SetFixture, c.SetBody, c.SetPose)
"""Commands that can change the engine's set of contacts."""


def _is_entry(entry: object) -> bool:
    if isinstance(entry, Change):
        return isinstance(entry.command, c.Command) and type(entry.command) is not c.Command and _is_complete(entry)
    if isinstance(entry, tuple):
        return all(type(number) is int for number in entry)
    return type(entry) is int and entry > 0


def _is_complete(change: Change) -> bool:
    """Return whether a change has valid numbers, and the specification that belongs to its command."""
    command, becomes = change.command, change.becomes
    values = [getattr(command, field.name) for field in fields(command)]
    numbers = [number for value in values if isinstance(value, float | int | tuple) for number in _numbers(value)]
    if not all(math.isfinite(number) and abs(number) <= MAX_NUMBER**2 for number in numbers):
        return False
    match command:
        case c.CreateBody(_, spec, fixtures):
            return isinstance(spec, BodySpec) and isinstance(fixtures, tuple) and len(fixtures) == len(spec.fixtures)
        case c.CreateFixture() | c.SetFixture():
            return isinstance(becomes, FixtureSpec)
        case c.SetBody():
            return isinstance(becomes, BodySpec)
        case c.CreateJoint() | c.SetJoint():
            return isinstance(becomes, ResolvedJoint)
        case c.SetMouseTarget():
            return isinstance(becomes, ResolvedJoint) and isinstance(becomes.spec, MouseJointSpec)
        case c.SetSettings():
            return isinstance(becomes, WorldSettings)
    return becomes is None or isinstance(command, c.Canonicalize)


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, tuple):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, float | int):
        yield value
