"""Equal states of a world in Box2D and in our solver, and both with a cause of differences removed."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.box2d.internal_state import InternalState
from engine.box2d.solver import Box2DMemory
from engine.common.arrays import FloatArray
from engine.common.limits import MAX_ITERATIONS
from engine.compare.queries import Flags
from engine.contracts import PairEvent, StepContacts
from engine.contracts.pair_keys import pair_key, pair_keys
from engine.dynamics.hard_step import HardContacts
from engine.dynamics.joints import JointTable
from engine.dynamics.model import ANGLE, DRIVE, HIGH, IMPULSE, LENGTH, LOW, POINT, SPRING, SUM
from engine.dynamics.solver import solver_of
from engine.dynamics.state import Memory
from engine.world import (
    DistanceJointSpec,
    GearJointSpec,
    JointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WheelJointSpec,
    World,
    load_solver,
)
from engine.world.conversion import converted
from engine.world.hooks import PreSolveHook, StepHooks
from engine.world.records import BodyMotion
from engine.world.snapshot import WorldSnapshot
from engine.world.specs import WorldSettings

__all__ = ["NEAR", "EngineStates", "StepResult", "engine_states", "joint_impulses"]

BOX2D, OURS = "box2d", "soft_step"
"""Box2D, and our default solver."""

NEAR = 0.05
"""Distance within which a point of Box2D's and one of ours, in the frame of the same body, count as equal and have the same impulse,
meters.
"""

_LAST = 4


@dataclass(frozen=True)
class StepResult:
    """A completed step, with a row for each body in ascending order of ids.

    Attributes
    ----------
    pose, velocity : float64 (n, 3)
    awake : bool (n,)
    contacts : StepContacts
    passing : frozenset of (fixture id, fixture id)
        Pairs, lower id first, that the world's hook disabled.
    """

    pose: FloatArray
    velocity: FloatArray
    awake: Flags
    contacts: StepContacts
    passing: frozenset[tuple[int, int]]

    def hard_contacts(self, is_open: bool) -> HardContacts:
        """Return the contacts as constraints of one hard step; unless `is_open`, none may approach, whatever its gap, as in Box2D."""
        contacts = self.contacts
        fixtures = np.column_stack((contacts.fixture_a, contacts.fixture_b))
        gap = contacts.separation.copy() if is_open else np.zeros_like(contacts.separation)
        hard = HardContacts(fixtures, contacts.count.copy(), contacts.normal.copy(), contacts.position.copy(), gap)
        return hard.chosen(self._is_solved)

    @property
    def impulses(self) -> FloatArray:
        """The impulses of the points of `hard_contacts`, (n, 2, 2)."""
        return np.stack((self.contacts.normal_impulse, self.contacts.tangent_impulse), axis=2)[self._is_solved]

    @property
    def _is_solved(self) -> Flags:
        """The contacts that were solved in the step: those with points that no hook disabled."""
        contacts = self.contacts
        keys = pair_keys(np.column_stack((contacts.fixture_a, contacts.fixture_b)))
        is_solved: Flags = contacts.evaluated & (contacts.count > 0)
        return is_solved & ~np.isin(keys, [pair_key(*pair) for pair in self.passing])


@dataclass(frozen=True)
class EngineStates:
    """One state in two solvers: the same specifications, in Box2D's numbers, poses, velocities, and, as far as both have them, impulses.

    Attributes
    ----------
    box2d, ours : WorldSnapshot
    force : float64 (n, 3)
        Pending force and torque of the step, N and N m.
    gear_sums : mapping
        Sum of the coordinates of each gear joint.
    pre_solve : callable or None
        The world's own hook.
    """

    box2d: WorldSnapshot
    ours: WorldSnapshot
    force: FloatArray
    gear_sums: Mapping[int, float]
    pre_solve: PreSolveHook | None

    def steps(self) -> tuple[StepResult, StepResult]:
        """Take the step in both: Box2D's, and ours."""
        return _step(self.box2d, self.pre_solve), _step(self.ours, self.pre_solve)

    def with_settings(self, **changes: Any) -> EngineStates:
        """Return both with other settings of their worlds."""
        return self._both(lambda state: replace(state, settings=replace(state.settings, **changes)))

    def without(self, name: str) -> EngineStates:
        """Return both with every fixture's friction, or restitution, 0."""
        return self._both(
            lambda state: replace(state, fixtures=tuple((*ids, replace(spec, **{name: 0.0})) for *ids, spec in state.fixtures))
        )

    def all_awake(self) -> EngineStates:
        """Return both with all bodies awake and without sleeping."""
        return self.with_settings(sleeping=False)._both(_woken)

    def _both(self, change: Any) -> EngineStates:
        return replace(self, box2d=change(self.box2d), ours=change(self.ours))

    def box2d_converged(self, tolerance: float, most: int) -> tuple[StepResult, WorldSnapshot, FloatArray]:
        """Take Box2D's step with enough sweeps that no velocity changes any more.

        Return it, the state before it with the impulses after it, and the changes by the last thousands of sweeps, (n, 3): the maximum of
        the last `_LAST`, because rounding makes velocities drift.

        A step is limited to a thousand sweeps. So the step is repeated from the same state, with its final impulses, at most `most` times.
        """
        start = self.with_settings(velocity_iterations=MAX_ITERATIONS).box2d
        result, then = _step_and_keep(start, self.pre_solve)
        changes: deque[FloatArray] = deque(maxlen=_LAST)
        for _ in range(most - 1):
            before = result
            result, then = _step_and_keep(replace(then, settings=replace(then.settings, warm_starting=True)), self.pre_solve)
            changes.append(np.abs(result.velocity - before.velocity))
            if changes[-1].max(initial=0.0) <= tolerance:
                break
        return result, then, np.max(changes, axis=0)


def engine_states(world: World | WorldSnapshot, pre_solve: PreSolveHook | None = None, solver: str | None = None) -> EngineStates:
    """Return the state of a world between two steps in Box2D and in one of our solvers; the world is unchanged.

    Parameters
    ----------
    world : World or WorldSnapshot
        With either solver.
    pre_solve : callable, optional
        The hook of a snapshot's world; for a world, its own is used.
    solver : str, optional
        One of our solvers; by default the world's if it is ours, otherwise the soft step.

    Raises
    ------
    InvalidInputError
        Box2D does not support one of its shapes or joints; the message names it.
    """
    if isinstance(world, World):
        pre_solve = world.hooks.pre_solve if world.hooks is not None else None
        snapshot = world.snapshot()
    else:
        snapshot = world
    if snapshot.solver == BOX2D:
        return _with_ours(snapshot, pre_solve, solver or OURS)
    return _with_box2d(snapshot if solver is None else _by(snapshot, solver), pre_solve)


def _settings_for(settings: WorldSettings, solver: str, was: str) -> WorldSettings:
    """Return the settings of one of our worlds that `was` driven by another solver, with the method's default settings."""
    return settings if solver == was else replace(settings, solver_settings=())


def _warm_share(settings: WorldSettings, solver: str) -> float:
    method = solver_of(solver).method
    return method.warm_share(settings, method.options(settings.solver_settings))


def _by(snapshot: WorldSnapshot, solver: str) -> WorldSnapshot:
    """Return one of our worlds with another of our methods."""
    settings, memory = _settings_for(snapshot.settings, solver, snapshot.solver), _our_memory(snapshot)
    ratio = _warm_share(settings, solver) / _warm_share(snapshot.settings, snapshot.solver)
    impulse = memory.rows.floats[:, IMPULSE : IMPULSE + 4].reshape(-1, 2, 2) * ratio
    memory = replace(memory, rows=memory.rows.with_impulse(impulse), joint_impulse=memory.joint_impulse * ratio)
    return replace(snapshot, solver=solver, settings=settings, state=replace(snapshot.state, memory=memory))


# -- from Box2D to ours -----------------------------------------------------------------------------------------------


def _with_ours(snapshot: WorldSnapshot, pre_solve: PreSolveHook | None, solver: str) -> EngineStates:
    if not snapshot.state.is_whole and load_solver(BOX2D).prepare() is None:  # saved before its memory was accessible
        snapshot = World.from_snapshot(replace(snapshot, state=replace(snapshot.state, is_whole=True))).snapshot()
    settings = _settings_for(snapshot.settings, solver, BOX2D)
    cold = converted(replace(snapshot, settings=settings), solver, settings.solver_settings)
    begun = _our_memory(cold)
    known = _our_memory(_step_and_keep(cold, pre_solve)[1])
    rows, share = known.rows, _warm_share(settings, solver)
    impulse = _impulses_of(snapshot.contacts, rows) * share
    carried = replace(
        begun,
        rows=rows.with_impulse(impulse),
        sensed=known.sensed,
        joints=known.joints,
        joint_impulse=joint_impulses(snapshot, known.joints) * share,
        joint_total=np.zeros_like(known.joint_total),
    )
    ours = replace(cold, state=replace(cold.state, memory=carried))
    return EngineStates(snapshot, ours, begun.force, dict(begun.gear_sums), pre_solve)


def _our_memory(snapshot: WorldSnapshot) -> Memory:
    assert isinstance(snapshot.state.memory, Memory)
    return snapshot.state.memory


def _impulses_of(contacts: StepContacts, rows: Any) -> FloatArray:
    """Return for each point of `rows`, contacts of our solver, the impulse of the nearest point of the same fixtures among `contacts`."""
    impulse = np.zeros((len(rows.count), 2, 2))
    fixtures = np.column_stack((contacts.fixture_a, contacts.fixture_b))
    at = {tuple(sorted(pair)): row for row, pair in enumerate(fixtures.tolist())}
    for row, pair in enumerate(np.column_stack((rows.fixture_a, rows.fixture_b)).tolist()):
        other = at.get(tuple(sorted(pair)))
        if other is None:
            continue
        is_same = pair[0] == fixtures[other, 0]
        pose = contacts.pose_a[other] if is_same else contacts.pose_b[other]
        theirs = _in_frame(pose, contacts.position[other, : contacts.count[other]])
        mine = _in_frame(rows.pose_a[row], rows.position[row, : rows.count[row]])
        away = np.hypot(*(mine[:, None] - theirs[None]).transpose(2, 0, 1))
        while away.size and away.min() < NEAR:
            k, j = np.unravel_index(int(away.argmin()), away.shape)
            impulse[row, k] = contacts.normal_impulse[other, j], contacts.tangent_impulse[other, j]
            away[k, :] = away[:, j] = np.inf
    return impulse


def _in_frame(pose: FloatArray, points: FloatArray) -> FloatArray:
    cosine, sine = np.cos(pose[2]), np.sin(pose[2])
    return (points - pose[:2]) @ np.array(((cosine, -sine), (sine, cosine)))


def joint_impulses(snapshot: WorldSnapshot, table: JointTable) -> FloatArray:
    """Return for each row of our joints the impulse that Box2D's joint begins the next step with, float64 (n, 2)."""
    assert isinstance(snapshot.state.memory, Box2DMemory)
    impulse, internal = np.zeros((len(table.kind), 2)), snapshot.state.memory.internal
    if internal is None:
        return impulse
    specs = {joint: resolved.spec for joint, resolved in snapshot.joints}
    words = np.ascontiguousarray(internal.joints).view(np.float32).astype(np.float64)
    of_joint = dict(zip(internal.joint_ids.tolist(), words.tolist(), strict=True))
    for row, (joint, kind, mode) in enumerate(zip(table.owner.tolist(), table.kind.tolist(), table.mode.tolist(), strict=True)):
        impulse[row] = _row_impulse(specs[joint], kind, mode, of_joint[joint])
    return impulse


def _row_impulse(spec: JointSpec, kind: int, mode: int, words: list[float]) -> tuple[float, float]:
    """Return the impulse of a row of ours, of the impulses that Box2D's joint keeps; see `engine.box2d.internal_state.JOINT_WORDS`."""
    first, second, third, fourth, _ = words
    is_limit = mode in (LOW, HIGH)
    match spec:
        case PrismaticJointSpec():
            impulse = second if kind == ANGLE else fourth if mode == DRIVE else third if is_limit else first
        case WheelJointSpec():
            impulse = second if kind == ANGLE else third if mode == SPRING else first
        case DistanceJointSpec() | RopeJointSpec():
            impulse = first if kind == LENGTH else 0.0
        case PulleyJointSpec():
            impulse = -first if kind == SUM else 0.0  # Box2D's pulls
        case GearJointSpec():
            impulse = second if kind == SUM else 0.0
        case _ if kind == POINT:
            return first, second
        case _:
            impulse = fourth if mode == DRIVE and isinstance(spec, RevoluteJointSpec) else third
    if is_limit and not isinstance(spec, RopeJointSpec):
        impulse = max(impulse, 0.0) if mode == LOW else min(impulse, 0.0)
    return impulse, 0.0


# -- from ours to Box2D -----------------------------------------------------------------------------------------------


def _with_box2d(snapshot: WorldSnapshot, pre_solve: PreSolveHook | None) -> EngineStates:
    memory = _our_memory(snapshot)
    cold = converted(replace(snapshot, settings=_settings_of_box2d(snapshot)), BOX2D)
    then = _step_and_keep(cold, pre_solve)[1]
    box2d_memory = then.state.memory
    assert isinstance(box2d_memory, Box2DMemory)
    manifolds = box2d_memory.manifolds.copy()
    impulses = _impulses_of(snapshot.contacts, then.contacts)
    manifolds["points"]["normal_impulse"], manifolds["points"]["tangent_impulse"] = impulses[:, :, 0], impulses[:, :, 1]
    theirs = replace(cold, state=replace(then.state, motion=cold.motion, memory=replace(box2d_memory, manifolds=manifolds)))
    motion = BodyMotion(cold.motion.values.astype(np.float64), snapshot.motion.awake)
    ours = replace(cold, solver=snapshot.solver, settings=snapshot.settings, state=replace(snapshot.state, motion=motion))
    return EngineStates(theirs, ours, memory.force, dict(memory.gear_sums), pre_solve)


def _settings_of_box2d(snapshot: WorldSnapshot) -> WorldSettings:
    return replace(snapshot.settings, restitution_threshold=None, solver_settings=())


# -- both -------------------------------------------------------------------------------------------------------------


def _woken(snapshot: WorldSnapshot) -> WorldSnapshot:
    state, memory = snapshot.state, snapshot.state.memory
    if isinstance(memory, Memory):
        memory = replace(memory, resting=np.zeros_like(memory.resting), island=np.full_like(memory.island, -1))
    awake = np.ones_like(state.motion.awake)
    return replace(snapshot, state=replace(state, motion=replace(state.motion, awake=awake), memory=memory))


def _step(snapshot: WorldSnapshot, pre_solve: PreSolveHook | None) -> StepResult:
    return _stepped(snapshot, pre_solve)[0]


def _stepped(snapshot: WorldSnapshot, pre_solve: PreSolveHook | None) -> tuple[StepResult, World]:
    world, passing = World.from_snapshot(snapshot), set()

    def heard(event: PairEvent) -> bool:
        passes = pre_solve is not None and pre_solve(event) is False
        if passes:
            passing.add((min(event.fixture_a, event.fixture_b), max(event.fixture_a, event.fixture_b)))
        return not passes

    if pre_solve is not None:
        world.hooks = StepHooks(pre_solve=heard)
    contacts = world.step()
    return StepResult(world.poses, world.velocities, world.awake, contacts, frozenset(passing)), world


def _step_and_keep(snapshot: WorldSnapshot, pre_solve: PreSolveHook | None) -> tuple[StepResult, WorldSnapshot]:
    """Take the step; return it, and the state before it with the impulses after it."""
    result, world = _stepped(snapshot, pre_solve)
    after, before = world.snapshot().state, snapshot.state
    memory = after.memory
    if isinstance(memory, Box2DMemory) and isinstance(before.memory, Box2DMemory):
        old, new = before.memory.internal, memory.internal
        if old is not None and new is not None:
            memory = replace(memory, internal=replace(new, body_ids=old.body_ids, bodies=old.bodies))
        elif new is not None:  # before the first step, the state of joints is unknown; that of bodies follows from their motion
            memory = replace(memory, internal=_standing(snapshot, new))
    state = replace(after, motion=before.motion, memory=memory, touching=before.touching, events=before.events)
    return result, replace(snapshot, state=state)


def _standing(snapshot: WorldSnapshot, internal: InternalState) -> InternalState:
    """Return internal state with the bodies as a new world of a snapshot has them."""
    fresh = World.from_snapshot(snapshot).snapshot().state.memory
    assert isinstance(fresh, Box2DMemory) and fresh.internal is not None
    return replace(internal, body_ids=fresh.internal.body_ids, bodies=fresh.internal.bodies)
