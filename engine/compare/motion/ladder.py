"""The ladder: removes one cause of the difference after another, line by line, down to where both solve the same problem. See `judge`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.rng import stream
from engine.compare.allowances import lever_allowance
from engine.compare.live.manifolds import FixtureShapes
from engine.compare.motion.bodies import JudgedBodies
from engine.compare.motion.states import EngineStates, StepResult, joint_impulses
from engine.compare.motion.verdict import BodyVerdict
from engine.contracts.pair_keys import pair_key, pair_keys
from engine.dynamics.hard_step import HardContacts, HardStep
from engine.world import World

__all__ = ["Ladder", "Rung"]

_MAX_WAY, _MAX_TURN = 2.0, 0.5 * np.pi
"""b2_maxTranslation and b2_maxRotation: meters and radians per step."""

_SHARE = 0.1
"""Minimum share of a difference; smaller causes are not named."""

_DRAWS, _ROUNDINGS = 3, 4.0
"""Draws of rounding errors, and how many times the worst of them Box2D's own may be: they are one draw more, of sweeps in another order,
and of thousands of islands a few pass twice the worst of three draws."""

_SOME_SWEEPS = 2_000
"""For intermediate lines; only the last line must be exact."""

_STILL, _SETTLED = 2e-6, 1e-3
"""Maximum change by a thousand of Box2D's sweeps after convergence, including persistent changes by rounding, m/s and rad/s."""

_REPEATS = 12
"""Maximum number of times that Box2D takes a thousand sweeps."""

_FEW = 100
"""Maximum number of contacts and joints for which our sweeps start from zero impulses; beyond it, joints start with Box2D's impulses."""

Start = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Rung:
    """The difference that remains after a cause is removed: Box2D's velocities minus ours, float64 (n, 3)."""

    cause: str
    apart: FloatArray


class Ladder:
    """The remaining differences, from both engines unchanged to both solving the same problem."""

    def __init__(self, states: EngineStates, bodies: JudgedBodies, top: Rung) -> None:
        self._bodies = bodies
        self.rungs = [top]
        self._sides("sleeping", states := states.all_awake())
        self._sides("continuous", states := states.with_settings(continuous=False))
        self._sides("speed_cap", states, is_cut=True)
        _, ours = self._sides("restitution", states := states.without("restitution"), is_cut=True)
        cold, cold_ours = states.with_settings(warm_starting=False).steps()
        self._cold: FloatArray = cold.velocity - self._capped(cold_ours.velocity)
        self._settling = states, ours, tuple(self.rungs)

    def _sides(self, cause: str, states: EngineStates, is_cut: bool = False) -> tuple[StepResult, StepResult]:
        theirs, ours = states.steps()
        self.rungs.append(Rung(cause, theirs.velocity - (self._capped(ours.velocity) if is_cut else ours.velocity)))
        return theirs, ours

    def _capped(self, velocity: FloatArray) -> FloatArray:
        """Return velocities (n, 3) cut as b2Island::Solve cuts them."""
        dt = self._bodies.dt
        way, turn = np.hypot(velocity[:, 0], velocity[:, 1]) * dt, np.abs(velocity[:, 2]) * dt
        with np.errstate(divide="ignore"):
            shares = np.minimum(1.0, _MAX_WAY / way), np.minimum(1.0, _MAX_TURN / turn)
        is_moved = self._bodies.is_judged[:, None]
        cut: FloatArray = np.where(is_moved, velocity * np.column_stack((shares[0], shares[0], shares[1])), velocity)
        return cut

    def descend(self, patience: int) -> None:
        """Iterate both until convergence, and use Box2D's contacts in ours."""
        bodies, (states, ours, rungs) = self._bodies, self._settling
        n_rows = len(ours.contacts) + len(states.ours.joints)
        n_most = patience * max(3_000, min(4_000_000 // max(n_rows, 1), 100_000))  # some tenths of a second each
        is_few = n_rows <= _FEW
        self.theirs, after, change = states.box2d_converged(_STILL if patience == 1 else 0.0, patience * _REPEATS)
        hard = HardStep(states.ours, bodies.pose, bodies.velocity, states.force, states.gear_sums)
        mine, box2d = ours.hard_contacts(is_open=True), self.theirs.hard_contacts(is_open=False)
        explained = self._reasons(states)
        theirs, differing = pair_keys(box2d.fixtures), list(explained)
        shared = mine.chosen(np.isin(pair_keys(mine.fixtures), theirs))
        skinned = box2d.chosen(~np.isin(theirs, differing)).joined(shared.chosen(np.isin(pair_keys(shared.fixtures), differing)))
        joints = joint_impulses(after, hard.joint_table)
        begin = np.zeros_like(joints) if is_few else joints

        def left(contacts: HardContacts, is_explicit: bool = True, is_box2d: bool = False) -> FloatArray:
            start, some = (np.zeros((len(contacts.count), 2, 2)), begin), n_most if is_few else _SOME_SWEEPS
            solved = hard.solve(contacts, some, is_explicit=is_explicit, is_box2d=is_box2d, start=start)
            return self.theirs.velocity - self._capped(solved)

        self.rungs = [
            *rungs,
            Rung("iterations", left(mine, is_explicit=False)),
            Rung("integrator", left(mine)),
            Rung("speculative", left(shared)),
            Rung("skin", left(skinned)),
            Rung("contacts", left(box2d)),
            Rung("joints", left(box2d, is_box2d=True)),
        ]
        box2d = hard.without_redundant_points(box2d)
        exact, rounded = (
            hard.solve(box2d, n_most, is_single=is_single, start=(np.zeros((len(box2d.count), 2, 2)), begin)) for is_single in (False, True)
        )
        self.rungs.append(Rung("one_point", self.theirs.velocity - self._capped(exact)))
        start = self.theirs.impulses, joints
        begun = hard.solve(box2d, n_most, start=start)
        self.rungs.append(Rung("several_answers", self.theirs.velocity - self._capped(begun)))
        self.reasons, self._pairs = explained, np.concatenate((mine.fixtures, box2d.fixtures))
        self.island = bodies.islands(self._pairs)
        unsettled = self._worst(bodies.size(change)) > _SETTLED
        if unsettled.any():
            self.rungs.append(Rung("unsettled", np.where(unsettled[:, None], self._without_friction(states, n_most), self.rungs[-1].apart)))
        settling = np.where(unsettled, 0.0, bodies.size(change))
        rounding = np.maximum(bodies.size(rounded - exact), self._from_moved_poses(states, box2d, n_most, start, begun))
        self._rounding = self._worst(rounding + settling)
        self._ends = np.array([[bodies.model.rows[bodies.model.fixtures[f].body] for f in pair] for pair in self._pairs.tolist()])
        self._held = bodies.held(self._pairs)

    def _worst(self, size: FloatArray) -> FloatArray:
        """Return for each body the largest value of its island."""
        most = np.zeros(len(size))
        np.maximum.at(most, self.island, size)
        largest: FloatArray = most[self.island]
        return largest

    def _without_friction(self, states: EngineStates, n_most: int) -> FloatArray:
        """Return the remaining difference of both after convergence without friction."""
        states, bodies = states.without("friction"), self._bodies
        result, _, _ = states.box2d_converged(_STILL, _REPEATS)
        hard = HardStep(states.ours, bodies.pose, bodies.velocity, states.force, states.gear_sums)
        contacts = hard.without_redundant_points(result.hard_contacts(is_open=False))
        return result.velocity - self._capped(hard.solve(contacts, n_most))

    def _from_moved_poses(self, states: EngineStates, contacts: HardContacts, n_most: int, start: Start, exact: FloatArray) -> FloatArray:
        """Return the differences of velocities from `exact` ones, m/s, for poses perturbed randomly within float32's error of lever
        arms.
        """
        bodies, sizes = self._bodies, np.zeros(len(exact))
        for draw in range(_DRAWS):
            noise = stream(draw, "motion").uniform(-1.0, 1.0, bodies.pose.shape)
            moved = bodies.pose + noise * lever_allowance(bodies.pose, bodies.scale)
            hard = HardStep(states.ours, moved, bodies.velocity, states.force, states.gear_sums)
            sizes = np.maximum(sizes, bodies.size(hard.solve(contacts, n_most, start=start) - exact))
        return sizes

    def _reasons(self, states: EngineStates) -> dict[int, str]:
        """Return why Box2D used another axis, by the key of the pair."""
        world = World.from_snapshot(states.box2d)
        shapes = FixtureShapes({fixture: world.fixture(fixture).shape for fixture in world.fixture_ids})
        agreement = shapes.judge(self.theirs.contacts)
        return {pair_key(difference.fixture_a, difference.fixture_b): difference.reason for difference in agreement.differences}

    # -- one body -----------------------------------------------------------------------------------------------------

    def verdict(self, row: int, base: FloatArray) -> BodyVerdict:
        """Return why the body of a row differs."""

        def size(apart: FloatArray) -> float:
            return float(np.hypot(apart[0], apart[1]) + self._bodies.reach[row] * abs(apart[2]))

        rungs = [(rung.cause, rung.apart[row]) for rung in self.rungs]
        at = next(k for k, (cause, _) in enumerate(rungs) if cause == "restitution") + 1
        if size(self._cold[row]) <= _SHARE * size(rungs[at - 1][1]):
            rungs.insert(at, ("warm_starting", self._cold[row]))
        first = rungs[0][1]
        total, allowed = size(first), float(base[row]) + _ROUNDINGS * float(self._rounding[row])
        left = [(cause, size(apart)) for cause, apart in rungs[1:]]
        gone = next((k for k, (_, rest) in enumerate(left) if rest <= allowed), None)
        linear, angular = (float(first[0]), float(first[1])), float(first[2])
        bodies = self._bodies
        head = BodyVerdict(int(bodies.ids[row]), linear, angular, total, 0.0, "", "unexplained", (), tuple(left), allowed)
        if gone is None:
            return head
        if total <= allowed:
            return replace(head, cause="float32", shares=(("float32", total),))
        sizes = [total, *(rest for _, rest in left)]
        parts = [(left[k][0], sizes[k] - sizes[k + 1]) for k in range(gone + 1)]
        shares = tuple((self._named(cause, row), part) for cause, part in parts if part >= _SHARE * total)
        cause = self._named(max(parts, key=lambda part: part[1])[0], row)
        return replace(head, cause=cause, shares=shares, left=tuple(left[: gone + 1]), reason=self._reason(cause, row))

    def _named(self, cause: str, row: int) -> str:
        return "integrator" if cause == "iterations" and not self._held[row] else cause

    def _reason(self, cause: str, row: int) -> str:
        """Return why another axis was used in a pair of the body, otherwise of its island."""
        if cause != "contacts" or len(self._ends) == 0:
            return ""
        names = [self.reasons.get(pair_key(*pair), "") for pair in self._pairs.tolist()]
        for near in ((self._ends == row).any(axis=1), (self.island[self._ends] == self.island[row]).any(axis=1)):
            reasons = [names[k] for k in np.flatnonzero(near) if names[k]]
            if reasons:
                return max(sorted(set(reasons)), key=reasons.count)
        return ""
