"""The referee of motion: from equal states both engines take one step, and what tells their velocities apart is taken away, one by one.

::

    Box2D                             ours
    as it is                          as it is
    all awake, nobody sleeps          the same                              sleeping
    no continuous collision           the same                              continuous
    .                                 cut as Box2D cuts                     speed_cap
    nothing bounces                   the same                              restitution
    (no impulse inherited             the same                              warm_starting)
    sweeps until they agree           one step, sweeps until they agree     iterations
    .                                 damping as Box2D has it               integrator
    .                                 without pairs that Box2D has not      speculative
    .                                 Box2D's points, where axes agree      skin
    .                                 Box2D's contacts                      contacts
    .                                 limits where Box2D has them           joint_limits
    .                                 one point of two that say the same    one_point
    .                                 sweeps that begin where Box2D's end   several_answers
    (no friction                      no friction                           unsettled)

Each line stands on those above it, but for those in brackets: without inherited impulses what follows is worse where they are not the
cause; and friction is taken away only where Box2D's own sweeps come to no end. In the last line both solve the same problem, Box2D in
float32 and `engine.dynamics.sequential_impulses` in float64, and what is left must be float32's: else the body is unexplained. The cause of
a body is what took most of its difference away; that it was shown means that the last line, or one before it, left no more than rounding
may.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.compare.allowances import lever_allowance, pose_allowance, velocity_allowance
from engine.compare.live.contacts import FixtureShapes
from engine.compare.motion.states import Taken, Twins, joint_impulses, twins_of
from engine.compare.motion.verdict import BodyVerdict, MotionVerdict
from engine.contracts import StepContacts
from engine.dynamics.joints import rotated
from engine.dynamics.sequential_impulses import HardContacts, HardStep
from engine.dynamics.tables import Tables
from engine.world import World
from engine.world.hooks import PreSolveHook
from engine.world.snapshot import WorldSnapshot
from engine.world.truth import Truth

__all__ = ["judge_step"]

_MOST_WAY, _MOST_TURN = 2.0, 0.5 * np.pi
"""b2_maxTranslation and b2_maxRotation: metres and radians a step."""

_SHARE = 0.1
"""Of a difference: what takes less of it away is not named."""

_DRAWS, _ROUNDINGS = 3, 2.0
"""Draws of rounding errors, and how many times the worst of them Box2D's own may be: they are one draw more, of sweeps in another order."""

_SOME_SWEEPS = 2_000
"""On the way to the last line, which alone must be exact."""

_STILL, _SETTLED = 2e-6, 1e-3
"""m/s and rad/s: what a thousand sweeps of Box2D may change of what needs no more of them, and of what goes on changing with rounding."""

_REPEATS, _REPEATS_OF_FEW, _FEW = 12, 60, 100
"""Times that Box2D takes a thousand sweeps, at the most; and of no more contacts and joints than that."""

Start = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class _Rung:
    """What is left between the two once a cause is gone: Box2D's velocities less ours, float64 (n, 3)."""

    cause: str
    apart: FloatArray


def judge_step(world: World | WorldSnapshot, pre_solve: PreSolveHook | None = None) -> MotionVerdict:
    """Let both engines take one step from where a world stands, and find why they part; the world stays as it is.

    Parameters
    ----------
    world : World or WorldSnapshot
        Between two steps, driven by either engine.
    pre_solve : callable, optional
        Of a snapshot's world.

    Raises
    ------
    InvalidInputError
        Box2D cannot take a shape or a joint of it.
    """
    return judge_twins(twins_of(world, pre_solve))


def judge_twins(twins: Twins) -> MotionVerdict:
    """Judge the step of two worlds whose states count as equal."""
    bodies = _Bodies(twins)
    theirs, ours = twins.steps()
    apart = theirs.velocity - ours.velocity
    base = velocity_allowance(bodies.speeds(theirs, ours), bodies.scale)
    differs = bodies.is_judged & (bodies.size(apart) > base)
    step, compared = twins.box2d.step_index + 1, int(bodies.is_judged.sum())
    ways = _Ways(twins, bodies, theirs, ours)
    if not differs.any():
        return MotionVerdict(step, compared, compared, (), ways.counts)
    ladder = _Ladder(twins, bodies, _Rung("", apart))
    found = []
    for row in np.flatnonzero(differs).tolist():
        found.append(replace(ladder.verdict(row, base), moved=float(ways.moved[row]), moved_by=ways.of(row)))
    return MotionVerdict(step, compared, compared - len(found), tuple(found), ways.counts)


class _Bodies:
    """What of the bodies the judgement needs, a row each in ascending order of ids."""

    def __init__(self, twins: Twins) -> None:
        snapshot = twins.ours
        truth = Truth(snapshot.settings)
        truth.take_over(snapshot)
        self.truth, tables = truth, Tables(truth)
        self.ids, self.dt = truth.body_ids, snapshot.settings.dt
        n = len(self.ids)
        self.is_judged = tables.bodies.is_dynamic[:n] & tables.bodies.is_active[:n]
        self.reach, self._center = tables.reach, tables.bodies.center[:n]
        values = np.ascontiguousarray(snapshot.motion.values, dtype=np.float64)
        self.pose, self.velocity = np.ascontiguousarray(values[:, :3]), np.ascontiguousarray(values[:, 3:])
        self.scale = np.hypot(self.pose[:, 0], self.pose[:, 1]) + self.reach
        self.gravity = float(np.hypot(*snapshot.settings.gravity))

    def size(self, change: FloatArray) -> FloatArray:
        """Return (n, 3) of velocities, or poses, as one number each."""
        found: FloatArray = np.hypot(change[:, 0], change[:, 1]) + self.reach * np.abs(change[:, 2])
        return found

    def speeds(self, *taken: Taken) -> FloatArray:
        """Return the largest speed of each body before and after, m/s."""
        most: FloatArray = np.max([self.size(self.velocity), *(self.size(one.velocity) for one in taken)], axis=0)
        return most + self.gravity * self.dt

    def added(self, taken: Taken) -> FloatArray:
        """Return by how much the centres of mass and the angles have moved beyond the new velocity times the step, (n, 3)."""
        found: FloatArray = self._centers(taken.pose) - self._centers(self.pose) - self.dt * taken.velocity
        return found

    def _centers(self, pose: FloatArray) -> FloatArray:
        return np.column_stack((pose[:, :2] + rotated(np.column_stack((np.cos(pose[:, 2]), np.sin(pose[:, 2]))), self._center), pose[:, 2]))

    def held(self, fixtures: IntArray) -> NDArray[np.bool_]:
        """Return which bodies, a row each, have a contact among pairs of `fixtures`, or a joint."""
        found = np.zeros(len(self.ids), dtype=np.bool_)
        truth = self.truth
        found[[truth.rows[truth.fixtures[fixture].body] for fixture in fixtures.ravel().tolist()]] = True
        found[[truth.rows[body] for joint in truth.joints.values() for body in joint.bodies if body is not None]] = True
        return found

    def islands(self, fixtures: IntArray) -> IntArray:
        """Return a number for each body, the same for those that hang together by contacts and joints."""
        from engine.dynamics._island_kernel import islands

        rows, truth = self.truth.rows, self.truth
        links = [(rows[truth.fixtures[a].body], rows[truth.fixtures[b].body]) for a, b in fixtures.tolist()]
        for joint in truth.joints.values():
            ends = [rows[body] for body in joint.bodies if body is not None]
            links += [(ends[0], ends[-1])]
            links += [(rows[a], rows[b]) for a, b in _geared(truth, joint.spec)]
        found: IntArray = islands(np.array(links, dtype=np.int64).reshape(-1, 2), self.is_judged.copy())
        return found


def _geared(truth: Truth, spec: object) -> list[tuple[int, int]]:
    from engine.world.joint_specs import GearJointSpec

    if not isinstance(spec, GearJointSpec):
        return []
    ends = [body for joint in (spec.joint_a, spec.joint_b) for body in truth.joints[joint].bodies if body is not None]
    return [(ends[0], end) for end in ends[1:]]


class _Ways:
    """Why the poses of bodies differ, beyond what their velocities do."""

    def __init__(self, twins: Twins, bodies: _Bodies, theirs: Taken, ours: Taken) -> None:
        self.moved = bodies.size(theirs.pose - ours.pose)
        allowed = pose_allowance(bodies.speeds(theirs, ours), bodies.scale, bodies.dt)
        added = bodies.added(theirs) - bodies.added(ours)
        beyond = bodies.size(added)
        is_beyond = bodies.is_judged & (beyond > np.maximum(allowed, _SHARE * self.moved))
        self._names = np.where(bodies.is_judged & (self.moved > allowed), "velocity", "").astype(object)
        for cause, change in (("sleeping", Twins.all_awake), ("continuous", _without_continuous)):
            if not is_beyond.any():
                return
            twins = change(twins)
            theirs, ours = twins.steps()
            added = bodies.added(theirs) - bodies.added(ours)
            gone = is_beyond & (bodies.size(added) <= np.maximum(allowed, _SHARE * beyond))
            self._names[gone] = cause
            is_beyond &= ~gone
        held = bodies.held(np.concatenate((_hard_contacts(theirs, False).fixtures, _hard_contacts(ours, False).fixtures)))
        self._names[is_beyond & held] = "position_correction"
        mean = 0.5 * bodies.dt * (ours.velocity - bodies.velocity)
        is_mean = bodies.size(added - mean) <= np.maximum(allowed, _SHARE * bodies.size(added))
        self._names[is_beyond & ~held] = "unexplained"
        self._names[is_beyond & ~held & is_mean] = "integrator"

    def of(self, row: int) -> str:
        return str(self._names[row])

    @property
    def counts(self) -> Counter[str]:
        return Counter(name for name in self._names.tolist() if name)


def _without_continuous(twins: Twins) -> Twins:
    return twins.with_settings(continuous=False)


class _Ladder:
    """The rungs, from both as they are down to where both solve the same problem."""

    def __init__(self, twins: Twins, bodies: _Bodies, top: _Rung) -> None:
        self._bodies = bodies
        self.rungs = [top]
        self._sides("sleeping", twins := twins.all_awake())
        self._sides("continuous", twins := twins.with_settings(continuous=False))
        self._sides("speed_cap", twins, is_cut=True)
        _, ours = self._sides("restitution", twins := twins.without("restitution"), is_cut=True)
        cold, cold_ours = twins.with_settings(warm_starting=False).steps()
        self._cold = cold.velocity - self._capped(cold_ours.velocity)
        self._agreed(twins, ours)

    def _sides(self, cause: str, twins: Twins, is_cut: bool = False) -> tuple[Taken, Taken]:
        theirs, ours = twins.steps()
        self.rungs.append(_Rung(cause, theirs.velocity - (self._capped(ours.velocity) if is_cut else ours.velocity)))
        return theirs, ours

    def _capped(self, velocity: FloatArray) -> FloatArray:
        """Return velocities (n, 3) cut as b2Island::Solve cuts them."""
        dt = self._bodies.dt
        way, turn = np.hypot(velocity[:, 0], velocity[:, 1]) * dt, np.abs(velocity[:, 2]) * dt
        with np.errstate(divide="ignore"):
            shares = np.minimum(1.0, _MOST_WAY / way), np.minimum(1.0, _MOST_TURN / turn)
        is_moved = self._bodies.is_judged[:, None]
        cut: FloatArray = np.where(is_moved, velocity * np.column_stack((shares[0], shares[0], shares[1])), velocity)
        return cut

    def _agreed(self, twins: Twins, ours: Taken) -> None:
        """Let both sweep until they agree, and bring Box2D's contacts into ours."""
        bodies = self._bodies
        is_small = len(ours.contacts) + len(twins.ours.joints) <= _FEW
        repeats = _REPEATS_OF_FEW if is_small else _REPEATS
        self.theirs, after, change = twins.box2d_converged(_STILL, repeats)
        hard = HardStep(twins.ours, bodies.pose, bodies.velocity, twins.force, twins.gear_sums)
        mine, box2d = _hard_contacts(ours, is_open=True), _hard_contacts(self.theirs, is_open=False)
        explained = self._reasons(twins)
        theirs, differing = _keys(box2d), list(explained)
        shared = mine.chosen(np.isin(_keys(mine), theirs))
        skinned = box2d.chosen(~np.isin(theirs, differing)).joined(shared.chosen(np.isin(_keys(shared), differing)))
        joints = joint_impulses(after, hard.joint_table)
        begin = np.zeros_like(joints) if is_small else joints  # many rows would take too many sweeps from nothing

        def left(contacts: HardContacts, is_explicit: bool = True, is_limit_open: bool = False) -> FloatArray:
            start, n_most = (np.zeros((len(contacts.count), 2, 2)), begin), None if is_small else _SOME_SWEEPS
            solved = hard.solve(contacts, is_explicit=is_explicit, is_limit_open=is_limit_open, n_most=n_most, start=start)
            return self.theirs.velocity - self._capped(solved.velocity)

        self.rungs += [
            _Rung("iterations", left(mine, is_explicit=False)),
            _Rung("integrator", left(mine)),
            _Rung("speculative", left(shared)),
            _Rung("skin", left(skinned)),
            _Rung("contacts", left(box2d)),
            _Rung("joint_limits", left(box2d, is_limit_open=True)),
        ]
        box2d = hard.without_redundant_points(box2d)
        exact = hard.solve(box2d, start=(np.zeros((len(box2d.count), 2, 2)), begin)).velocity
        self.rungs.append(_Rung("one_point", self.theirs.velocity - self._capped(exact)))
        start = _impulses_of(self.theirs), joints
        begun = hard.solve(box2d, start=start).velocity
        self.rungs.append(_Rung("several_answers", self.theirs.velocity - self._capped(begun)))
        self.reasons, self._pairs = explained, np.concatenate((mine.fixtures, box2d.fixtures))
        self.island = bodies.islands(self._pairs)
        unsettled = self._worst(bodies.size(change)) > _SETTLED
        if unsettled.any():
            self.rungs.append(_Rung("unsettled", np.where(unsettled[:, None], self._without_friction(twins), self.rungs[-1].apart)))
        settling = np.where(unsettled, 0.0, bodies.size(change))
        self._rounding = self._worst(self._float32(twins, hard, box2d, start, begin, exact, begun) + settling)
        self._ends = np.array([[bodies.truth.rows[bodies.truth.fixtures[f].body] for f in pair] for pair in self._pairs.tolist()])
        self._held = bodies.held(self._pairs)

    def _worst(self, size: FloatArray) -> FloatArray:
        """Return for each body the largest value of its island."""
        most = np.zeros(len(size))
        np.maximum.at(most, self.island, size)
        found: FloatArray = most[self.island]
        return found

    def _without_friction(self, twins: Twins) -> FloatArray:
        """Return what is left between both, each with sweeps until they agree, where nothing rubs."""
        twins, bodies = twins.without("friction"), self._bodies
        taken, _, _ = twins.box2d_converged(_STILL, _REPEATS)
        hard = HardStep(twins.ours, bodies.pose, bodies.velocity, twins.force, twins.gear_sums)
        contacts = hard.without_redundant_points(_hard_contacts(taken, is_open=False))
        return taken.velocity - self._capped(hard.solve(contacts).velocity)

    def _float32(
        self, twins: Twins, hard: HardStep, contacts: HardContacts, start: Start, begin: FloatArray, exact: FloatArray, begun: FloatArray
    ) -> FloatArray:
        """Return what float32 does to each body's velocity, m/s, as found by doing it to ours.

        Velocities and impulses are rounded in each sweep; and poses moved by as much as float32 knows lever arms, at random, seeded.
        """
        bodies = self._bodies
        rounded = hard.solve(contacts, is_single=True, start=(np.zeros_like(start[0]), begin))
        found = bodies.size(rounded.velocity - exact)
        for draw in range(_DRAWS):
            noise = stream(draw, "motion").uniform(-1.0, 1.0, bodies.pose.shape)
            moved = bodies.pose + noise * lever_allowance(bodies.pose, bodies.scale)
            apart = HardStep(twins.ours, moved, bodies.velocity, twins.force, twins.gear_sums).solve(contacts, start=start).velocity - begun
            found = np.maximum(found, bodies.size(apart))
        return found

    def _reasons(self, twins: Twins) -> dict[int, str]:
        """Return why Box2D took another axis, by the key of the pair."""
        world = World.from_snapshot(twins.box2d)
        shapes = FixtureShapes({fixture: world.fixture(fixture).shape for fixture in world.fixture_ids})
        agreement = shapes.judge(self.theirs.contacts)
        return {_key(one.fixture_a, one.fixture_b): one.reason for one in agreement.differences}

    # -- one body -----------------------------------------------------------------------------------------------------

    def verdict(self, row: int, base: FloatArray) -> BodyVerdict:
        """Say why the body of a row differs."""

        def size(apart: FloatArray) -> float:
            return float(np.hypot(apart[0], apart[1]) + self._bodies.reach[row] * abs(apart[2]))

        rungs = [(one.cause, one.apart[row]) for one in self.rungs]
        at = next(k for k, (cause, _) in enumerate(rungs) if cause == "restitution") + 1
        if size(self._cold[row]) <= _SHARE * size(rungs[at - 1][1]):
            rungs.insert(at, ("warm_starting", self._cold[row]))
        first = rungs[0][1]
        whole, allowed = size(first), float(base[row]) + _ROUNDINGS * float(self._rounding[row])
        left = [(cause, size(apart)) for cause, apart in rungs[1:]]
        gone = next((k for k, (_, rest) in enumerate(left) if rest <= allowed), None)
        linear, angular = (float(first[0]), float(first[1])), float(first[2])
        bodies = self._bodies
        head = BodyVerdict(int(bodies.ids[row]), linear, angular, whole, 0.0, "", "unexplained", (), tuple(left), allowed)
        if gone is None:
            return head
        if whole <= allowed:
            return replace(head, cause="float32", shares=(("float32", whole),))
        sizes = [whole, *(rest for _, rest in left)]
        taken = [(left[k][0], sizes[k] - sizes[k + 1]) for k in range(gone + 1)]
        shares = tuple((self._named(cause, row), part) for cause, part in taken if part >= _SHARE * whole)
        cause = self._named(max(taken, key=lambda one: one[1])[0], row)
        return replace(head, cause=cause, shares=shares, left=tuple(left[: gone + 1]), reason=self._reason(cause, row))

    def _named(self, cause: str, row: int) -> str:
        return "integrator" if cause == "iterations" and not self._held[row] else cause

    def _reason(self, cause: str, row: int) -> str:
        """Return why another axis was taken in a pair of the body, or else of its island."""
        if cause != "contacts" or len(self._ends) == 0:
            return ""
        names = [self.reasons.get(_key(*pair), "") for pair in self._pairs.tolist()]
        for near in ((self._ends == row).any(axis=1), (self.island[self._ends] == self.island[row]).any(axis=1)):
            found = [names[k] for k in np.flatnonzero(near) if names[k]]
            if found:
                return max(sorted(set(found)), key=found.count)
        return ""


# -- contacts ---------------------------------------------------------------------------------------------------------


def _hard_contacts(taken: Taken, is_open: bool) -> HardContacts:
    """Return the contacts of a step as constraints; where not `is_open` none may approach, whatever its gap, as Box2D has it."""
    contacts: StepContacts = taken.contacts
    fixtures = np.column_stack((contacts.fixture_a, contacts.fixture_b))
    gap = contacts.separation.copy() if is_open else np.zeros_like(contacts.separation)
    found = HardContacts(fixtures, contacts.count.copy(), contacts.normal.copy(), contacts.position.copy(), gap)
    return found.chosen(_is_solved(taken))


def _impulses_of(taken: Taken) -> FloatArray:
    """Return the impulses of the points of `_hard_contacts`, (n, 2, 2)."""
    contacts = taken.contacts
    both = np.stack((contacts.normal_impulse, contacts.tangent_impulse), axis=2)
    return both[_is_solved(taken)]


def _is_solved(taken: Taken) -> NDArray[np.bool_]:
    """Return which contacts of a step were solved in it: points they have, and no hook let them pass."""
    contacts = taken.contacts
    keys = [_key(a, b) for a, b in zip(contacts.fixture_a.tolist(), contacts.fixture_b.tolist(), strict=True)]
    found: NDArray[np.bool_] = contacts.evaluated & (contacts.count > 0) & ~np.isin(keys, [_key(*pair) for pair in taken.passing])
    return found


def _key(a: int, b: int) -> int:
    return (min(a, b) << 31) + max(a, b)


def _keys(contacts: HardContacts) -> NDArray[np.int64]:
    return np.array([_key(*pair) for pair in contacts.fixtures.tolist()], dtype=np.int64)
