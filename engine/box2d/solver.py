"""Box2D 2.3.0 as a solver of `engine.world`.

The `b2World` is a cache (`_cache.Box2DCache`). It is discarded and rebuilt from the model after a failure, and to bring it into canonical
form, with contacts and joints in the order of a new world.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.box2d import BOX2D_VERSION, memory
from engine.box2d._cache import BodyReading, Box2DCache
from engine.box2d.accepting import accepted
from engine.box2d.body_mass import check_body_mass
from engine.box2d.contacts import EvaluatedPairs, StepInputs, build_step_contacts, no_pairs, pairs_of
from engine.box2d.convert import to_fixture_shape
from engine.box2d.foreign_state import check_internal_state, check_manifolds
from engine.box2d.internal_state import InternalMemory, InternalState
from engine.box2d.joints import JOINTS
from engine.box2d.listener import Pending
from engine.box2d.memory import best_internal_memory, best_reader
from engine.common.arrays import IntArray
from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_IMPULSE, MAX_NUMBER, MAX_POLYGON_VERTICES, MAX_SPEED, MIN_MOUSE_STIFFNESS
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.contracts import StepContacts
from engine.contracts.pair_keys import pair_keys
from engine.geometry import Circle, FixtureShape, Polygon, Segment
from engine.world import commands as c
from engine.world.joints.gear import GearJointSpec
from engine.world.joints.interface import ResolvedJoint, altered
from engine.world.joints.mouse import MouseJointSpec
from engine.world.model import WorldModel
from engine.world.records import BodyMotion, ImpactMoment, Pose, StepCost
from engine.world.snapshot import SolverState, WorldSnapshot
from engine.world.snapshot_check import check_column
from engine.world.solver import Becomes, Capabilities, Carried, Solver, load_solver
from engine.world.specs import BodySpec, BodyType, FixtureSpec, WorldSettings
from engine.world.step_pairs import PairRecord, StepPairs

__all__ = ["Box2DMemory", "Box2DSolver"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Box2DMemory:
    """Box2D state that affects the next step but is not in its public interface.

    Attributes
    ----------
    keys : int64 (n,)
        Fixture pairs of `manifolds`; see `engine.box2d.contacts`.
    manifolds : array of `MANIFOLD_DTYPE`
        Manifolds with the warm-starting impulses.
    internal : InternalState or None
        Internal state of bodies and joints, as raw words; None if it was not accessible or not saved.
    carried : Carried or None
        State from another solver, used instead of `internal`.
    """

    keys: IntArray
    manifolds: NDArray[np.void]
    internal: InternalState | None
    carried: Carried | None = None


class _Mark(NamedTuple):
    """State to restore if a command fails: of all bodies, or only of the one that may be left partly changed (id, motion, awake)."""

    read: BodyReading | None
    concerned: tuple[int, tuple[float, ...], bool] | None
    pending: Pending


class Box2DSolver(Solver):
    """Box2D with safeguards: commands that would crash it are rejected, and after a failure the `b2World` is rebuilt."""

    capabilities = Capabilities(
        name="box2d",
        title="Box2D",
        shapes=(Circle, Polygon, Segment),
        joints=JOINTS,
        max_vertices=MAX_POLYGON_VERTICES,
        precision=np.float32,
        skin_radius=BOX2D_POLYGON_SKIN,
        version=BOX2D_VERSION,
    )
    is_always_canonical = False

    def __init__(self, model: WorldModel) -> None:
        memory.load()
        super().__init__(model)
        self._keeps_state = True
        self._pairs: EvaluatedPairs = no_pairs(0)
        self._cache = Box2DCache(model, best_reader(), self._internal_memory())
        self._cache.attach_listener()
        self._read: BodyReading | None = None
        self._cost = StepCost()
        self._pair_record: PairRecord | None = None
        self._n_builds = 0
        self._renewed: set[int] = set()

    # -- without a world ----------------------------------------------------------------------------------------------

    @classmethod
    def accept(cls, spec: _T) -> _T:
        cls.check_kind(spec)
        held: _T = accepted(spec)
        return held

    @classmethod
    def prepare(cls) -> str | None:
        return memory.load()

    @classmethod
    def has_whole_states(cls) -> bool:
        return best_internal_memory() is not None

    def take_error(self) -> BaseException | None:
        return self._cache.listener.take_error()

    # -- reading ------------------------------------------------------------------------------------------------------

    def motion(self) -> BodyMotion:
        return self._now().motion

    def motion_of(self, body: int) -> tuple[float, ...]:
        return self._cache.motion_of(body)[0]

    @property
    def contacts(self) -> StepContacts:
        """Contacts after the last step."""
        return self._pairs.contacts

    @property
    def cost(self) -> StepCost:
        """Cost of the last step."""
        return self._cost

    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        return self._cache.mass_data(body)

    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        return self._cache.holds_point(fixture, point)

    def shape_of(self, fixture: int) -> FixtureShape:
        return to_fixture_shape(self.model.fixtures[fixture].spec.shape)[1]

    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        return self._cache.joint_anchors(joint)

    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        return self._cache.joint_reaction(joint)

    def _now(self) -> BodyReading:
        """Return the state of all bodies, read again if a command may have changed it."""
        if self._read is None:
            self._read = BodyReading(self._cache.read_motion(), self._cache.read_internal())
        return self._read

    # -- changes ------------------------------------------------------------------------------------------------------

    def check(self, command: c.Command) -> None:
        model = self.model
        match command:
            case c.CreateFixture(fixture, body, fixture_spec):
                self._check_mass(body, model.bodies[body].spec.type, {fixture: fixture_spec})
            case c.DestroyFixture(fixture):
                body = model.fixtures[fixture].body
                self._check_mass(body, model.bodies[body].spec.type, {fixture: None})
            case c.SetFixture(fixture, changes):
                body = model.fixtures[fixture].body
                fixture_spec = model.changed_fixture(fixture, dict(changes))
                if fixture_spec.density != model.fixtures[fixture].spec.density:
                    self._check_mass(body, model.bodies[body].spec.type, {fixture: fixture_spec})
            case c.SetBody(body, changes):
                type_then = model.changed_body(body, dict(changes)).type
                if type_then != model.bodies[body].spec.type:
                    self._check_mass(body, type_then)
            case c.ApplyImpulse(body, impulse, point) if model.bodies[body].spec.type == "dynamic":
                if not self._cache.speed_after(body, impulse, point) <= MAX_SPEED:
                    requirement = f"small enough that the body stays below {MAX_SPEED:g} m/s and rad/s"
                    raise InvalidInputError("impulse", requirement, impulse)
            case c.CreateJoint(_, MouseJointSpec() as joint):
                self._check_mouse(joint)
            case c.SetJoint(number, changes):
                now = altered(model.joints[number], dict(changes)).spec
                if isinstance(now, MouseJointSpec):
                    self._check_mouse(now)

    def _check_mass(self, body: int, type_then: BodyType, instead: Mapping[int, FixtureSpec | None] | None = None) -> None:
        """Check the mass of a body if it will be dynamic; `instead` maps fixtures to new specifications, or None if they are removed."""
        if type_then == "dynamic":
            specs = {fixture: self.model.fixtures[fixture].spec for fixture in self.model.bodies[body].fixtures} | dict(instead or {})
            check_body_mass([(spec.shape, spec.density) for spec in specs.values() if spec is not None])

    def _check_mouse(self, joint: MouseJointSpec) -> None:
        if not self._is_stiff(joint):
            requirement = f"heavy enough for the joint's frequency: mass * stiffness > {MIN_MOUSE_STIFFNESS:g} N s/m"
            raise InvalidInputError("body", requirement, Described(f"{self._cache.mass_data(joint.body)[1]:.3g} kg"))

    def _is_stiff(self, joint: MouseJointSpec) -> bool:
        """Return whether a mouse joint is stiff enough for its body: with k = m w^2 and d = 2 m z w, Box2D divides by d + h k."""
        mass = self._cache.mass_data(joint.body)[1]
        omega = 2.0 * math.pi * joint.frequency
        return mass * omega * (2.0 * joint.damping_ratio + self.model.settings.dt * omega) > MIN_MOUSE_STIFFNESS

    def can_hold(self, joint: ResolvedJoint) -> bool:
        match joint.spec:
            case MouseJointSpec() as spec:
                return self._is_stiff(spec)
            case GearJointSpec() as spec:
                return self._can_gear(spec)
        return True

    def _can_gear(self, joint: GearJointSpec) -> bool:
        """Return whether all four bodies of a gear joint will be in one island.

        Box2D builds islands along joints, but skips joints with inactive bodies and does not continue from a static body. It solves the
        gear joint whenever both bodies B are in the island, and then writes to the island indices of all four (`b2GearJoint::m_indexC`).
        """
        bodies = self.model.bodies
        ends = [self.model.joints[other].bodies for other in (joint.joint_a, joint.joint_b)]
        is_driven = all(bodies[body].spec.type == "dynamic" for _, body in ends)
        return is_driven and all(bodies[body].spec.active for pair in ends for body in pair if body is not None)

    def apply(self, command: c.Command, becomes: Becomes) -> None:
        match command:
            case c.SetBody(body, _):
                assert isinstance(becomes, BodySpec)
                before = self.model.bodies[body].spec
                if (becomes.type, becomes.active) != (before.type, before.active):
                    self._renewed.add(body)
        self._cache.listener.hooks = self.hooks
        try:
            self._cache.apply(command, becomes)
        finally:
            self._read = None

    # -- time ---------------------------------------------------------------------------------------------------------

    def step(self, number: int) -> list[int]:
        cache, before = self._cache, self._now()
        poses, rows = before.poses, self.model.rows
        record = self._pair_record
        if record is not None:
            record.last = None
        renewed, self._renewed = frozenset(self._renewed), set()
        cache.reader, cache.internal = best_reader(), self._internal_memory()  # loading may have been deferred until now
        cache.listener.hooks = self.hooks

        def start_pose(body: int) -> Pose:
            x, y, angle = poses[rows[body]].tolist()
            return x, y, angle

        started = perf_counter()
        raw, step_ms = cache.step(number, start_pose)
        phases = cache.phases(step_ms)
        after = cache.read_motion()
        finite = np.isfinite(after.values)
        if not finite.all():
            lost: list[int] = self.model.body_ids[~finite.all(axis=1)].tolist()
            return lost
        movable = cache.bodies.movable
        began, ended = cache.listener.take_events()
        inputs = StepInputs(
            step=number,
            raw=raw,
            table=cache.fixture_table(),
            start_poses=poses,
            active=before.motion.awake & movable,
            active_after=after.awake & movable,
            impacts=cache.listener.impacts,
            impact_impulses=cache.listener.impact_impulses,
            began=began,
            ended=ended,
        )
        pairs = build_step_contacts(inputs, self._pairs)
        read = BodyReading(after, cache.read_internal())
        if record is not None:
            touching, columns, settled = cache.touching(raw), record.fixture_columns(), cache.listener.settled
            record.last = StepPairs(number, self._n_builds, columns, poses, inputs.active, renewed, touching, settled)
        self._pairs, self._read = pairs, read  # nothing below can fail
        self._cost = StepCost(step_ms, 1e3 * (perf_counter() - started) - step_ms, *phases)
        return []

    # -- state --------------------------------------------------------------------------------------------------------

    @property
    def keeps_state(self) -> bool:
        """True if a rebuild and `save` keep Box2D's internal state, as far as it is accessible."""
        return self._keeps_state

    @keeps_state.setter
    def keeps_state(self, value: bool) -> None:
        if value != self._keeps_state:
            self._keeps_state = value
            self._cache.internal = self._internal_memory()
            self._read = None

    def _internal_memory(self) -> InternalMemory | None:
        return best_internal_memory() if self._keeps_state else None

    def save(self) -> SolverState:
        now, pairs, listener = self._now(), self._pairs, self._cache.listener
        events = (tuple(listener.began), tuple(listener.ended))
        remembered = Box2DMemory(pairs.keys, pairs.manifolds, now.internal)
        touching = frozenset(map(_pair, self._touching().tolist()))
        return SolverState(now.motion, pairs.contacts, touching, events, remembered, now.internal is not None)

    @classmethod
    def check_memory(cls, snapshot: WorldSnapshot) -> None:
        remembered = snapshot.state.memory
        if not isinstance(remembered, Box2DMemory):
            raise InvalidInputError("memory", "a Box2DMemory", Described(type(remembered).__name__))
        check_manifolds(remembered.keys, remembered.manifolds)
        n = len(snapshot.bodies)
        if remembered.internal is not None:
            check_internal_state(remembered.internal, snapshot)
        if remembered.carried is not None:
            if not isinstance(remembered.carried, Carried):
                raise InvalidInputError("memory.carried", "a Carried", Described(type(remembered.carried).__name__))
            check_column("memory.carried.force", remembered.carried.force, (n, 3), "float64", most=MAX_IMPULSE)
            check_column("memory.carried.resting", remembered.carried.resting, (n,), "float64", most=MAX_NUMBER)

    def load(self, state: SolverState) -> None:
        remembered = state.memory
        assert isinstance(remembered, Box2DMemory)
        listener = self._cache.listener
        before, pending = (self._pairs, self._keeps_state), listener.pending()
        try:
            self._pairs = pairs_of(state.contacts, remembered.keys, remembered.manifolds)
            self._keeps_state = state.is_whole or best_internal_memory() is None  # continue as the saved world did
            listener.set_pending(Pending(*state.events))
            self._rebuild(BodyReading(state.motion, remembered.internal), _columns_of(state.touching))
            if remembered.carried is not None:
                self._take_over(remembered.carried)
        except Exception:
            self._pairs, self._keeps_state = before
            listener.set_pending(pending)
            raise

    def _take_over(self, carried: Carried) -> None:
        """Set pending forces and sleep times from another solver, if the internal state is accessible."""
        internal = self._cache.read_internal()
        if internal is not None:
            self._cache.write_internal(internal.with_waiting(carried.force, carried.resting))
            self._read = None

    def canonicalize(self) -> None:
        self._rebuild(self._now(), self._touching())

    def mark(self, command: c.Command | None = None) -> _Mark:
        pending = self._cache.listener.pending()
        if command is None or self._read is not None:
            return _Mark(self._now(), None, pending)
        body = self.model.body_of(command)
        return _Mark(None, None if body is None else (body, *self._cache.motion_of(body)), pending)

    def go_back(self, mark: object) -> None:
        assert isinstance(mark, _Mark)
        self._rebuild(mark.read or self._read_after_failure(mark.concerned), pending=mark.pending)

    def _read_after_failure(self, concerned: tuple[int, tuple[float, ...], bool] | None) -> BodyReading:
        """Return the state of all bodies after a failed command: read again, but with the previous state of the body it concerned.

        That body's internal state is discarded, because Box2D may have changed it; its sleep time is zero, and no force is pending.
        """
        cache, internal = self._cache, self._cache.read_internal()
        ids, motion = cache.bodies.ids, cache.read_motion()
        if concerned is not None:
            body, values, is_awake = concerned
            others = ids != body
            at = int(np.searchsorted(ids[others], body))
            if internal is not None:
                internal = replace(internal, body_ids=ids[others], bodies=internal.bodies[others])
            ids = np.insert(ids[others], at, body)
            motion = BodyMotion(np.insert(motion.values[others], at, values, axis=0), np.insert(motion.awake[others], at, is_awake))
        rows = np.searchsorted(ids, self.model.body_ids)  # a body whose creation failed is not in the model
        return BodyReading(BodyMotion(motion.values[rows], motion.awake[rows]), internal)

    def _touching(self) -> IntArray:
        """Return the pairs of fixtures (n, 2), sensors included, whose begin event has been reported, but not yet the end event."""
        pairs, (begun, ended) = self._cache.touching(self._cache.read_contacts()), self._cache.listener.unreported
        if not (begun or ended):
            return pairs
        return _columns_of((set(map(_pair, pairs.tolist())) - set(begun)) | set(ended))

    # -- rebuilding ---------------------------------------------------------------------------------------------------

    def _rebuild(self, read: BodyReading, touching: IntArray | None = None, pending: Pending | None = None) -> None:
        """Discard the `b2World` and rebuild it from the model, with the bodies' state from `read`.

        The new world is complete before the old one is closed, so if Box2D fails, nothing has changed. `touching` are the pairs whose begin
        event was reported but not their end event. If the contacts at the current poses differ from these, the next step reports the
        events. If `pending` is given, it replaces all pending events.
        """
        old = self._cache
        cache = Box2DCache(self.model, best_reader(), self._internal_memory())
        cache.build(read, self._pairs)
        cache.listener.hooks, cache.listener.error = old.listener.hooks, old.listener.take_error()
        if pending is None:
            pending = Pending(*old.listener.take_events())
            if touching is not None:
                present = cache.touching(cache.read_contacts())
                pending = pending._replace(unreported=(_missing(present, touching), _missing(touching, present)))
        cache.listener.set_pending(pending)
        cache.attach_listener()
        self._cache = cache
        self._read = None
        self._n_builds += 1
        old.close()

    @classmethod
    def carried(cls, snapshot: WorldSnapshot) -> Carried:
        memory, plain = snapshot.state.memory, super().carried(snapshot)
        assert isinstance(memory, Box2DMemory)
        internal = memory.internal
        return plain if internal is None else replace(plain, force=internal.force, resting=internal.resting)

    @classmethod
    def state_of(cls, snapshot: WorldSnapshot, settings: WorldSettings) -> SolverState:
        memory = Box2DMemory(np.zeros(0, dtype=np.int64), no_pairs(0).manifolds, None, load_solver(snapshot.solver).carried(snapshot))
        return replace(super().state_of(snapshot, settings), memory=memory)

    # -- for independent checks ---------------------------------------------------------------------------------------

    @property
    def impact_moments(self) -> tuple[ImpactMoment, ...]:
        """All impacts within the last step, in Box2D's order; `contacts` has only the last one of each pair."""
        return tuple(ImpactMoment(a, b, *poses) for a, b, poses in self._cache.listener.moments)

    def pair_record(self) -> PairRecord:
        if self._pair_record is None:
            self._pair_record = PairRecord(self.model, self.shape_of, lambda a, b: self._cache.contact_between(a, b))
        return self._pair_record


def _pair(pair: list[int]) -> tuple[int, int]:
    return pair[0], pair[1]


def _columns_of(pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Return pairs of fixtures as int64 (n, 2), sorted."""
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _missing(pairs: IntArray, others: IntArray) -> list[tuple[int, int]]:
    """Return the pairs that are not in `others`, in either order of fixtures, sorted."""
    return sorted(map(_pair, pairs[~np.isin(pair_keys(pairs), pair_keys(others))].tolist()))
