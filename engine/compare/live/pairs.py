"""Recomputes the touching fixtures of a running world from the bodies alone, and compares them with Box2D's.

Neither Box2D's broad phase nor its state of any pair is used::

    poses at the start of the step -> our tight boxes -> our broad phase -> rules of meeting -> our narrow phase -> touching pairs

The comparison is exact because `StepPairs` has the poses at which Box2D decided. A pair with an awake body is evaluated at the start of the
step; one that was evaluated again at an impact within the step, at that impact; a pair of sleeping bodies keeps its state, unless the step
woke one of them: then it was evaluated at the start, or not at all, as a change shows. Solid pairs touch if Box2D's rule (`rule="box2d"`)
gives a point; pairs with a sensor, if the shapes overlap.

If the two sides differ, the pair is judged separately, in Box2D's order, and is explained or not:

    `float32_tie`   the margin that decides lies within float32's rounding, by rational arithmetic (`engine.compare.proofs`)
    `fat_box`       Box2D alone; its rule gives a point at these poses although the tight boxes, skins included, are apart. Along a face a
                    corner may be a skin away, and along its side planes another one: 1.41 skins in all. Box2D asks, for the boxes
                    in its tree are wider
    `not_asked`     we alone; Box2D keeps no contact for the pair, which was forbidden to collide until it was recorded to be allowed

Anything else is unexplained.

For other solvers, touching is defined by `step_pairs.Approach`: the distance of two shapes at the start of the step, by our narrow phase,
and their approach speed there. The method is the same and uses nothing of the solver's; differences within rounding count as agreement, and
all others are unexplained. A sensor that a body passes within the step is found by a sweep.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence

import numpy as np

from engine.broadphase import Automatic, BroadPhase
from engine.common.arrays import FloatArray, IntArray, any_of_rows
from engine.common.id_rows import IdRows
from engine.common.tolerances import SAT_ROUNDING
from engine.compare.live.manifolds import by_own_rule, grown
from engine.compare.live.meeting import RULES, MeetingRule, NewlyEnabledPairs, has_an_area
from engine.compare.live.standing_pair import StandingPair, box_gaps, touching
from engine.compare.proofs.placed import Explained
from engine.compare.queries import Flags, centroid_errors, our_manifolds, posed_pairs
from engine.contracts import Difference, PairAgreement, StepContacts
from engine.contracts.agreement import Verdict
from engine.contracts.pair_keys import ids_of, pair_key, pair_keys
from engine.geometry.kinds import SEGMENT
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes, pack
from engine.narrowphase.rules import BOX2D
from engine.world import World
from engine.world.records import ImpactPose
from engine.world.specs import BODY_TYPES
from engine.world.step_pairs import Approach, FixtureColumns, PairRecord, StepPairs

__all__ = ["LivePairs"]

_STATIC = BODY_TYPES.index("static")
_NO_KEYS, _NO_PAIRS = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)

_Settled = dict[int, tuple[tuple[int, int], ImpactPose]]
"""Pairs decided by an impact inside the step, by key: their fixtures in Box2D's order, and their poses at that impact."""


class LivePairs:
    """The check of one world's touching pairs.

    Parameters
    ----------
    world : World
        World whose solver records its inputs (`World.pair_record`); nothing is compared for others.
    broad_phase : BroadPhase, optional
        Finds the pairs of boxes; `Automatic` by default.
    rules : sequence of MeetingRule, optional
        All must allow a pair; by default `RULES`, without Box2D's own for other solvers.

    Attributes
    ----------
    total : PairAgreement
        Sums over all checks; its `differences` are those of the last one.
    last_ms : float
        Duration of the last check, milliseconds.
    """

    def __init__(self, world: World, broad_phase: BroadPhase | None = None, rules: Sequence[MeetingRule] | None = None) -> None:
        self._world = world
        self._broad_phase = Automatic() if broad_phase is None else broad_phase
        self._wanted_rules = rules
        self.total = PairAgreement()
        self.last_ms = 0.0
        self._begin(world.pair_record())

    def _begin(self, record: object) -> None:
        """Restart with the record of another solver."""
        rules = self._wanted_rules
        self._record = record if isinstance(record, PairRecord) else None
        self._margin = self._world.capabilities.margin
        self._rules = tuple(rules) if rules is not None else tuple(rule for rule in RULES if self._is_box2ds or rule is not has_an_area)
        self._columns: FixtureColumns | None = None
        self._fixtures = IdRows(np.zeros(0, dtype=np.int64))
        self._shapes: PackedShapes = pack(())
        """Shapes as represented by Box2D, or grown by the solver's margin."""
        self._plain = self._shapes
        """Shapes without the margin."""
        self._short: FloatArray = np.zeros(0)
        """Error of the separation of each grown shape, meters: a skin is not part of the surface, but a radius is."""
        self._is_edge: Flags = np.zeros(0, dtype=np.bool_)
        self._which: IntArray = np.zeros(0, dtype=np.int64)
        self._errors: FloatArray | None = None
        self._newly_enabled = NewlyEnabledPairs(self._rules)
        self._asleep: tuple[FixtureColumns, IntArray] | None = None
        """Touching pairs of sleeping bodies from a step in which no body was awake, and their keys."""
        self._candidates: IntArray = _NO_PAIRS
        """Rows of the pairs whose boxes overlap, and that may meet, in the last step."""
        self._touching: IntArray = np.zeros(0, dtype=np.int64)
        """Keys of the pairs that touched after the last checked step: ours, with Box2D's side for explained differences."""
        self._last = (-1, -1)

    @property
    def _is_box2ds(self) -> bool:
        return self._world.solver == "box2d"

    def check(self, contacts: StepContacts) -> PairAgreement:
        """Find the touching pairs of the last step and compare them with the solver's; `contacts` are of the same step.

        Nothing is compared in the first step of another solver.
        """
        record = self._world.pair_record()
        if record is not self._record and isinstance(record, PairRecord | None):
            self._begin(record)
        step = None if self._record is None else self._record.last
        if step is None or step.step != contacts.step:
            return PairAgreement()
        started = time.perf_counter()
        if step.fixtures is not self._columns:
            self._take(step)
        agreement = self._compare(step, contacts)
        if step.approach is None:
            self._newly_enabled.note(step.fixtures, self._candidates, lambda pair: self._contact(pair) is not None)
        self._last = (step.step, step.n_builds)
        self.total += agreement
        self.last_ms = 1000.0 * (time.perf_counter() - started)
        return agreement

    # Fixture data of a step

    def _take(self, step: StepPairs) -> None:
        old, new = self._columns, step.fixtures
        if old is not None and step.approach is None:
            self._newly_enabled.change(old, self._is_edge, step)
        self._columns = new
        self._fixtures = IdRows(new.fixture)
        same = old is not None and len(old.shapes) == len(new.shapes) and all(map(operator.is_, old.shapes, new.shapes))
        if not same:
            self._shapes = pack(new.shapes if self._is_box2ds else [grown(shape, self._margin) for shape in new.shapes])
            self._plain = self._shapes if self._is_box2ds else pack(new.shapes)
            self._short = self._margin * np.array([shape.radius > shape.skin_radius for shape in new.shapes])
            self._is_edge = self._shapes.kind == SEGMENT
            self._which = np.arange(len(new.shapes), dtype=np.int64)
            self._errors = None

    def _may_meet(self, pairs: IntArray) -> Flags:
        assert self._columns is not None
        may: Flags = np.ones(len(pairs), dtype=np.bool_)
        for rule in self._rules:
            may &= rule(self._columns, self._is_edge, pairs)
        return may

    # The comparison

    def _compare(self, step: StepPairs, contacts: StepContacts) -> PairAgreement:
        self._candidates = _NO_PAIRS
        is_active = step.active[step.fixtures.body_row]
        touching = self._awake(step, is_active) if is_active.any() else _NO_KEYS
        theirs = np.sort(pair_keys(step.touching))

        settled = {pair_key(*pair): (pair, poses) for pair, poses in step.moments.items()}
        if settled:
            touching = np.setdiff1d(touching, np.array(sorted(settled), dtype=np.int64), assume_unique=True)
            touching = np.concatenate((touching, self._met(settled)))
        ours = np.sort(np.concatenate((touching, self._sleeping(step, theirs, is_active, settled))))
        if np.array_equal(ours, theirs):
            self._touching = ours
            return PairAgreement(len(ours), len(theirs), len(ours))
        return self._differ(step, contacts, ours, theirs, is_active, settled)

    def _awake(self, step: StepPairs, is_active: Flags) -> IntArray:
        """Return the keys of the pairs that touch at the start of the step, with at least one awake body."""
        columns = step.fixtures
        turned = batched.poses_with_rotation(step.poses[columns.body_row])
        pairs = self._broad_phase.pairs(batched.box_rows(self._shapes, self._which, turned))
        pairs = np.compress(is_active[pairs[:, 0]] | is_active[pairs[:, 1]], pairs, axis=0)
        pairs = np.compress(self._may_meet(pairs), pairs, axis=0)  # five times as fast as by indexing
        self._candidates = pairs
        return pair_keys(columns.fixture[np.compress(self._touches(pairs, turned, step), pairs, axis=0)])

    def _touches(self, pairs: IntArray, turned: FloatArray, step: StepPairs) -> Flags:
        """Return which pairs (n, 2) of rows touch, at poses (m, 4) with rotation."""
        is_sensor = step.fixtures.is_sensor
        sensed = np.flatnonzero(is_sensor[pairs[:, 0]] | is_sensor[pairs[:, 1]])
        solid = np.delete(pairs, sensed, axis=0) if len(sensed) else pairs
        if step.approach is not None:
            touches = self._nearness(solid, step, step.approach) <= 0.0
        else:
            touches = batched.manifold_rows_of_bodies(self._shapes, self._which, turned, solid, BOX2D).count > 0
        if len(sensed):
            sensors = pairs[sensed]
            overlaps = batched.overlap_rows(self._plain, sensors, turned[sensors[:, 0]], turned[sensors[:, 1]])
            touches = np.insert(touches, sensed - np.arange(len(sensed)), overlaps)
        return touches

    def _nearness(self, pairs: IntArray, step: StepPairs, motion: Approach) -> FloatArray:
        """Return the gap of each pair (n, 2) of rows during the step's motion, meters: 0 or less if it touches, infinity if it is beyond
        the margin.
        """
        ours = our_manifolds(by_own_rule(posed_pairs(self._shapes, pairs, *(self._poses(step, side) for side in pairs.T))))
        body = step.fixtures.body_row[pairs]
        (velocity_a, center_a), (velocity_b, center_b) = ((motion.velocity[row], motion.center[row]) for row in body.T)
        nearest = np.full(len(pairs), np.inf)
        for k in range(2):
            is_point = k < ours.count
            (x_a, y_a), (x_b, y_b) = ((ours.points[:, k, :2] - center).T for center in (center_a, center_b))
            vx = velocity_b[:, 0] - velocity_b[:, 2] * y_b - velocity_a[:, 0] + velocity_a[:, 2] * y_a
            vy = velocity_b[:, 1] + velocity_b[:, 2] * x_b - velocity_a[:, 1] - velocity_a[:, 2] * x_a
            rate = vx * ours.axis[:, 0] + vy * ours.axis[:, 1]
            gap = ours.points[:, k, 2] + self._short[pairs].sum(axis=1)
            nearest = np.where(is_point, np.minimum(nearest, gap + np.minimum(rate, 0.0) * motion.dt), nearest)
        return nearest - motion.touch

    def _poses(self, step: StepPairs, rows: IntArray) -> FloatArray:
        return step.poses[step.fixtures.body_row[rows]]

    def _sleeping(self, step: StepPairs, theirs: IntArray, is_active: Flags, settled: _Settled) -> IntArray:
        """Return the keys of the pairs of sleeping bodies that touched before and therefore still do."""
        follows = self._last == (step.step - 1, step.n_builds)
        # after a gap the state of sleeping pairs is unknown, so Box2D's is used
        keys = self._touching if follows else theirs
        if len(keys) == 0 or (follows and (is_active | (step.fixtures.body_type == _STATIC)).all()):
            return keys[:0]  # static bodies alone do not touch anything
        is_all_asleep = not settled and not is_active.any()
        if is_all_asleep and self._asleep is not None and self._asleep[0] is step.fixtures and np.array_equal(self._asleep[1], keys):
            return keys  # as in the previous step
        rows, is_known = self._rows(keys)
        keys, rows = keys[is_known], rows[is_known]
        kept = ~(is_active[rows[:, 0]] | is_active[rows[:, 1]])
        kept[kept] = self._may_meet(rows[kept])
        if settled:
            kept &= ~np.isin(keys, np.array(sorted(settled), dtype=np.int64))
        self._asleep = (step.fixtures, keys[kept]) if is_all_asleep else None
        return keys[kept]

    def _rows(self, keys: IntArray) -> tuple[IntArray, Flags]:
        """Return the rows (n, 2) of the fixtures of keys, and whether both exist."""
        rows = self._fixtures.of(ids_of(keys))
        return rows, ~any_of_rows(rows < 0)

    def _met(self, settled: _Settled) -> IntArray:
        """Return the keys of the pairs that touch at their impact, by the same method as for all pairs."""
        assert self._columns is not None
        keys = np.array(list(settled), dtype=np.int64)
        rows = self._fixtures.of(np.array([pair for pair, _ in settled.values()], dtype=np.int64))  # in Box2D's order
        is_there = np.flatnonzero(~any_of_rows(rows < 0))
        is_there = is_there[self._may_meet(rows[is_there])]
        rows, poses = rows[is_there], np.array([(poses.pose_a, poses.pose_b) for _, poses in settled.values()])[is_there]
        posed = posed_pairs(self._shapes, rows, poses[:, 0], poses[:, 1])
        touches = (box_gaps(posed)[0] <= 0.0) & touching(posed, any_of_rows(self._columns.is_sensor[rows]))
        touching_keys: IntArray = keys[is_there[touches]]
        return touching_keys

    # Single pairs

    def _standing(self, pair: tuple[int, int], poses: ImpactPose) -> StandingPair:
        """Return one pair, in Box2D's order, at the poses of its bodies."""
        assert self._columns is not None
        rows = np.searchsorted(self._columns.fixture, np.array([pair]))
        if self._errors is None:
            self._errors = centroid_errors(self._shapes, self._columns.shapes)
        posed = posed_pairs(self._shapes, rows, np.array([poses.pose_a]), np.array([poses.pose_b]), self._errors)
        return StandingPair(pair, posed, any_of_rows(self._columns.is_sensor[rows]))

    def _differ(
        self,
        step: StepPairs,
        contacts: StepContacts,
        ours: IntArray,
        theirs: IntArray,
        is_active: Flags,
        settled: _Settled,
    ) -> PairAgreement:
        """Judge each pair that only one side reports."""
        listed = step.touching[np.argsort(pair_keys(step.touching))]  # aligned with `theirs`
        differing = np.setxor1d(ours, theirs, assume_unique=True)
        differences: list[Difference] = []
        taken_back: list[int] = []  # keys of ours that agree with Box2D after all, or differ with a reason
        n_added = n_dropped = 0
        for key in differing.tolist():
            at = int(np.searchsorted(theirs, key))
            is_theirs = at < len(theirs) and int(theirs[at]) == key
            pair = (int(listed[at, 0]), int(listed[at, 1])) if is_theirs else self._order(key, settled)
            rows, is_known = self._rows(np.array([key]))
            if not is_known[0]:
                evidence = "one of the two fixtures belongs to an inactive body"
                differences.append(Difference(*pair, (0.0, 0.0), (0.0, 0.0), None, "unexplained", 0.0, evidence))
                continue
            if step.approach is not None:
                verdict = self._judge_reported(rows, is_theirs, step, step.approach)
                if verdict is not None:
                    x, y = self._poses(step, rows[0])[:, :2].mean(axis=0).tolist()
                    differences.append(Difference(*pair, (x, y), (0.0, 0.0), None, verdict.reason, verdict.size, verdict.evidence))
                    continue
                taken_back.append(key)
                n_added, n_dropped = n_added + is_theirs, n_dropped + (not is_theirs)
                continue
            bodies = step.fixtures.body_row[np.searchsorted(step.fixtures.fixture, np.array(pair))]
            poses = settled[key][1] if key in settled else ImpactPose(*(_pose(step.poses[row]) for row in bodies.tolist()))
            standing = self._standing(pair, poses)
            was_asleep = key not in settled and not is_active[rows[0]].any()
            if was_asleep and is_theirs == standing.touches:
                explained: Explained = None  # the step woke one of them before it processed the pair
            else:
                explained = self._explain(standing, rows[0], is_theirs, step, contacts)
            if explained is None or explained.reason != "unexplained":
                taken_back.append(key)
            if explained is not None:
                differences.append(standing.difference(explained))
            elif is_theirs:
                n_added += 1
            else:
                n_dropped += 1
        self._touching = np.setxor1d(ours, np.array(taken_back, dtype=np.int64), assume_unique=True)
        n_unexplained = sum(difference.reason == "unexplained" for difference in differences)
        n_both = (len(ours) + len(theirs) - len(differing)) // 2
        return PairAgreement(
            len(ours) + n_added - n_dropped,
            len(theirs),
            n_both + n_added,
            len(differences) - n_unexplained,
            n_unexplained,
            tuple(differences),
        )

    def _judge_reported(self, rows: IntArray, is_theirs: bool, step: StepPairs, motion: Approach) -> Verdict | None:
        """Return the verdict on a pair on which the solver and the library differ, or None if they agree within rounding."""
        alone = "only the solver reports that they touch" if is_theirs else "only our library reports that they touch"
        if step.fixtures.is_sensor[rows].any():
            return None if is_theirs and self._passes(rows[0], step) else Verdict("unexplained", 0.0, alone)
        margin = float(self._nearness(rows, step, motion)[0])
        scale = float(posed_pairs(self._shapes, rows, *(self._poses(step, side) for side in rows.T)).scale[0])
        if abs(margin) <= 16.0 * SAT_ROUNDING * max(scale, 1.0):
            return None
        return Verdict("unexplained", abs(margin), f"{alone}: the margin is {margin:.3g} m")

    def _passes(self, rows: IntArray, step: StepPairs) -> bool:
        """Return True if the boxes around the paths of two fixtures, one a sensor, overlap during the step."""
        bodies = step.fixtures.body[rows].tolist()
        if not all(map(self._world.is_body, bodies)):
            return True  # one of them was destroyed at the end of the step, so its final pose is unknown
        start, end = self._poses(step, rows), self._world.poses[[self._world.row_of(body) for body in bodies]]
        boxes = np.stack([batched.box_rows(self._plain, rows, batched.poses_with_rotation(poses)) for poses in (start, end)])
        arc = (np.abs(end[:, 2] - start[:, 2]) * self._plain.extent[rows])[:, None]
        low, high = boxes[:, :, :2].min(axis=0) - arc, boxes[:, :, 2:].max(axis=0) + arc
        return bool((low[0] <= high[1]).all() and (low[1] <= high[0]).all())

    def _order(self, key: int, settled: _Settled) -> tuple[int, int]:
        """Return the fixtures of a pair that does not touch in Box2D's order, or by id if it has no contact."""
        if key in settled:
            return settled[key][0]
        a, b = ids_of(np.array([key]))[0].tolist()
        return self._contact((a, b)) or (a, b)

    def _contact(self, pair: tuple[int, int]) -> tuple[int, int] | None:
        assert self._record is not None
        return self._record.contact_between(*pair) if all(map(self._world.is_fixture, pair)) else None

    def _explain(self, pair: StandingPair, rows: IntArray, is_theirs: bool, step: StepPairs, contacts: StepContacts) -> Explained:
        """Return the verdict, or None if the two sides agree once Box2D's order of the two fixtures is known."""
        if not self._may_meet(rows[None, :])[0]:
            return Verdict("unexplained", 0.0, "Box2D reports a contact that our filter rules forbid")
        gap, touches = pair.gap, pair.decides()
        if is_theirs and touches:
            if gap > 0.0:
                return Verdict("fat_box", gap, f"the tight boxes are {gap:.3g} m apart; replaying Box2D's rule reproduces its contact")
            if pair.decides(is_mirrored=True):
                return Verdict("unexplained", -gap, "the two touch, but our broad phase missed the pair")
            return None
        if not is_theirs:
            if not touches:
                return None
            explained = self._explain_absence(pair, rows, step)
            if explained is not None:
                return explained
        explained = pair.explain_tie(is_theirs, contacts)
        if explained is not None:
            return explained
        alone = "only Box2D reports that they touch" if is_theirs else "only our library reports that they touch"
        return Verdict("unexplained", abs(gap), f"{alone}, and float32 rounding cannot reverse it")

    def _explain_absence(self, pair: StandingPair, rows: IntArray, step: StepPairs) -> Explained:
        """Explain why Box2D has not evaluated a pair that touches."""
        reason = self._newly_enabled.why_not_asked(pair.fixtures, rows, step)
        if reason is not None:
            return Verdict("not_asked", -pair.gap, reason)
        bound = pair.box_bound()
        if self._contact(pair.fixtures) is None and -pair.gap <= bound:
            shared = (
                f"the boxes overlap by {-pair.gap:.3g} m, which is within the rounding error of {bound:.3g} m, and Box2D's boxes are apart"
            )
            return Verdict("float32_tie", -pair.gap, shared)
        return None


def _pose(row: FloatArray) -> tuple[float, float, float]:
    x, y, angle = row.tolist()
    return x, y, angle
