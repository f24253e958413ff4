"""Which fixtures of a running world touch, found a second time from the bodies alone, and compared with Box2D's own.

Nothing of Box2D's broad phase is used, nor what it thinks of any pair::

    poses at the start of the step -> our tight boxes -> our broad phase -> rules of meeting -> our narrow phase -> touching pairs

The comparison is exact because `StepPairs` says at which poses Box2D decided. A pair with an awake body is decided at the start of the
step; one that an impact inside the step settled anew, at that impact; a pair of sleepers stays as it was, unless the step woke one of
them: then it was decided at the start too, or not at all, and a change says which. For solid pairs "touching" is whether Box2D's rule
(`rule="box2d"`) gives a point; for sensors, whether the shapes overlap.

Where the two sides differ the pair is looked at by itself, in the order in which Box2D has it, and is explained or not:

    `float32_tie`   the margin that decides lies within float32's rounding, by rational arithmetic (`engine.compare.ties`)
    `fat_box`       Box2D alone; its rule gives a point at these poses although the tight boxes, skins included, are apart. Along a face a
                    corner may be a skin away, and along its side planes another one: 1.41 skins in all. Box2D asks, for the boxes
                    in its tree are wider
    `not_asked`     we alone; Box2D keeps no contact for the pair, which was forbidden to collide until it was recorded to be allowed

Anything else is unexplained.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.box2d.listener import ImpactPose
from engine.box2d.step_pairs import FixtureColumns, StepPairs
from engine.broadphase import BroadPhase, Grid
from engine.common.arrays import FloatArray, IntArray
from engine.compare import allowances, ties
from engine.compare.meeting_rules import RULES, MeetingRule, body_keys
from engine.compare.posed import Answers, PosedPairs, centroid_errors, our_manifolds, posed_pairs
from engine.contracts import Difference, PairAgreement, StepContacts
from engine.narrowphase import batched
from engine.narrowphase.packing import SEGMENT, PackedShapes, pack
from engine.narrowphase.rules import BOX2D

__all__ = ["LivePairs", "PairedWorld"]

_ID_BITS = 32
_Found = tuple[str, float, str] | None


class PairedWorld(Protocol):
    """What is read of a world."""

    @property
    def step_pairs(self) -> StepPairs | None:
        """What decided in the last step which fixtures touch."""
        ...

    def keep_pairs(self) -> None:
        """Let every step leave `step_pairs`."""
        ...

    def is_fixture(self, fixture: int) -> bool:
        """Tell whether the id names a living fixture."""
        ...

    def contact_between(self, fixture_a: int, fixture_b: int) -> tuple[int, int] | None:
        """Return two fixtures in the order of Box2D's contact, None without one."""
        ...


class LivePairs:
    """The check of one world's touching pairs.

    Parameters
    ----------
    world : World
    broad_phase : BroadPhase, optional
        Finds the pairs of boxes; a `Grid` if none is given.
    rules : sequence of MeetingRule
        All must let a pair pass.

    Attributes
    ----------
    total : PairAgreement
        Sums over all checks; its `differences` are those of the last one.
    last_ms : float
        What the last check cost, milliseconds.
    """

    def __init__(self, world: PairedWorld, broad_phase: BroadPhase | None = None, rules: Sequence[MeetingRule] = RULES) -> None:
        self._world = world
        world.keep_pairs()
        self._broad_phase = Grid() if broad_phase is None else broad_phase
        self._rules = tuple(rules)
        self._columns: FixtureColumns | None = None
        self._shapes: PackedShapes = pack(())
        self._is_edge: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._which: IntArray = np.zeros(0, dtype=np.int64)
        self._errors: FloatArray | None = None
        self._before: tuple[FixtureColumns, PackedShapes] | None = None
        """What held until the columns changed."""
        self._changed_at = -1
        """The step that found the columns changed."""
        self._freed: set[int] = set()
        """Pairs of bodies that a joint, now gone, kept apart."""
        self._renewed: set[int] = set()
        """Fixtures whose body was another kind or inactive, or whose filter was another, and that Box2D may owe a contact."""
        self._had_contact: set[int] = set()
        """Of all those, as `_late` has them, the pairs whose boxes overlap and for which Box2D kept a contact after the last step."""
        self._late: tuple[set[int], set[int]] = set(), set()
        """What `_freed` and `_renewed` were after the last step."""
        self._candidates: IntArray = np.zeros((0, 2), dtype=np.int64)
        """Rows of the pairs whose boxes overlap, and that may meet, in the last step."""
        self._touching: IntArray = np.zeros(0, dtype=np.int64)
        """Keys of the pairs that touched after the last step checked, ours, with Box2D's side of what was explained."""
        self._last = (-1, -1)
        self.total = PairAgreement()
        self.last_ms = 0.0

    def check(self, contacts: StepContacts) -> PairAgreement:
        """Find the touching pairs of the last step and compare them with Box2D's; `contacts` are of the same step."""
        step = self._world.step_pairs
        if step is None or step.step != contacts.step:
            return PairAgreement()
        started = time.perf_counter()
        if step.fixtures is not self._columns:
            self._take(step)
        found = self._compare(step, contacts)
        if self._freed or self._renewed or any(self._late):
            self._note_contacts(step.fixtures)
        self._last = (step.step, step.n_builds)
        before = self.total
        self.total = PairAgreement(
            before.ours + found.ours,
            before.box2d + found.box2d,
            before.agree + found.agree,
            before.explained + found.explained,
            before.unexplained + found.unexplained,
            found.differences,
        )
        self.last_ms = 1000.0 * (time.perf_counter() - started)
        return found

    # What a step needs of the fixtures

    def _take(self, step: StepPairs) -> None:
        old, new = self._columns, step.fixtures
        if old is not None:
            self._before = (old, self._shapes)
            self._freed |= set(body_keys(old.kept_apart).tolist()) - set(body_keys(new.kept_apart).tolist())
            self._renewed |= _refiltered(old, new) | set(new.fixture[np.isin(new.body, sorted(step.renewed))].tolist())
            self._changed_at = step.step
        self._columns = new
        same = old is not None and len(old.shapes) == len(new.shapes) and all(map(_is, old.shapes, new.shapes))
        if not same:
            self._shapes = pack(new.shapes)
            self._is_edge = self._shapes.kind == SEGMENT
            self._which = np.arange(len(new.shapes), dtype=np.int64)
            self._errors = None

    def _may_meet(self, pairs: IntArray) -> NDArray[np.bool_]:
        assert self._columns is not None
        may: NDArray[np.bool_] = np.ones(len(pairs), dtype=np.bool_)
        for rule in self._rules:
            may &= rule(self._columns, self._is_edge, pairs)
        return may

    # The comparison

    def _compare(self, step: StepPairs, contacts: StepContacts) -> PairAgreement:
        columns = step.fixtures
        turned = batched.poses_with_rotation(step.poses[columns.body_row])
        boxes = batched.box_rows(self._shapes, self._which, turned)
        pairs = self._broad_phase.pairs(boxes)
        is_active = step.active[columns.body_row]
        pairs = pairs[is_active[pairs[:, 0]] | is_active[pairs[:, 1]]]
        pairs = pairs[self._may_meet(pairs)]
        self._candidates = pairs
        touching = _keys(columns.fixture[pairs[self._touches(pairs, turned)]])
        theirs = np.sort(_keys(step.touching))

        settled = {_key(*pair): (pair, poses) for pair, poses in step.moments.items()}
        if settled:
            touching = np.setdiff1d(touching, np.array(sorted(settled), dtype=np.int64), assume_unique=True)
            by_impact = [key for key, (pair, poses) in settled.items() if self._met(pair, poses)]
            touching = np.concatenate((touching, np.array(by_impact, dtype=np.int64)))
        ours = np.sort(np.concatenate((touching, self._kept(step, theirs, is_active, settled))))
        if np.array_equal(ours, theirs):
            self._touching = ours
            return PairAgreement(len(ours), len(theirs), len(ours))
        return self._differ(step, contacts, ours, theirs, is_active, settled)

    def _touches(self, pairs: IntArray, turned: FloatArray) -> NDArray[np.bool_]:
        """Tell which pairs (n, 2) of rows touch, at poses (m, 4) with rotation."""
        assert self._columns is not None
        sensed = self._columns.is_sensor[pairs].any(axis=1)
        if not sensed.any():
            return batched.manifold_rows_of_bodies(self._shapes, self._which, turned, pairs, BOX2D).count > 0
        touches = np.zeros(len(pairs), dtype=np.bool_)
        solid, sensors = pairs[~sensed], pairs[sensed]
        touches[~sensed] = batched.manifold_rows_of_bodies(self._shapes, self._which, turned, solid, BOX2D).count > 0
        touches[sensed] = batched.overlap_rows(self._shapes, sensors, turned[sensors[:, 0]], turned[sensors[:, 1]])
        return touches

    def _kept(
        self, step: StepPairs, theirs: IntArray, is_active: NDArray[np.bool_], settled: dict[int, tuple[tuple[int, int], ImpactPose]]
    ) -> IntArray:
        """Return the keys of the pairs of sleepers that touched before and so still do."""
        follows = self._last == (step.step - 1, step.n_builds)
        # after a gap nobody knows what the sleepers were; then Box2D's word is taken
        keys = self._touching if follows else theirs
        if len(keys) == 0 or (follows and is_active.all()):
            return keys[:0]
        rows, is_known = self._rows(keys)
        keys, rows = keys[is_known], rows[is_known]
        kept = ~(is_active[rows[:, 0]] | is_active[rows[:, 1]])
        kept[kept] = self._may_meet(rows[kept])
        if settled:
            kept &= ~np.isin(keys, np.array(sorted(settled), dtype=np.int64))
        return keys[kept]

    def _rows(self, keys: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        """Return the rows (n, 2) of the fixtures of keys, and whether both are there."""
        assert self._columns is not None
        ids = self._columns.fixture
        wanted = np.column_stack((keys >> _ID_BITS, keys & ((1 << _ID_BITS) - 1)))
        rows = np.minimum(np.searchsorted(ids, wanted), max(len(ids) - 1, 0))
        known: NDArray[np.bool_] = (ids[rows] == wanted).all(axis=1) if len(ids) else np.zeros(len(keys), dtype=np.bool_)
        return rows, known

    def _met(self, pair: tuple[int, int], poses: ImpactPose) -> bool:
        """Tell whether a pair touches at the moment of an impact, by the same way as all pairs."""
        keys = np.array([_key(*pair)])
        rows, is_known = self._rows(keys)
        if not is_known[0] or not self._may_meet(rows)[0]:
            return False
        posed = self._posed(pair, poses)
        return _gap(self._boxes(posed)) <= 0.0 and self._decides(posed)

    def _note_contacts(self, columns: FixtureColumns) -> None:
        """Note which pairs that were once forbidden to collide have a contact now: only those does Box2D evaluate in the next step."""
        pairs = self._candidates
        late = np.isin(body_keys(columns.body[pairs]), np.array(sorted(self._freed), dtype=np.int64))
        late |= np.isin(columns.fixture[pairs], np.array(sorted(self._renewed), dtype=np.int64)).any(axis=1)
        named = [(int(a), int(b)) for a, b in columns.fixture[pairs[late]].tolist()]
        self._had_contact = {_key(*pair) for pair in named if self._contact(pair) is not None}
        self._late = set(self._freed), set(self._renewed)
        self._renewed &= {fixture for pair in named if _key(*pair) not in self._had_contact for fixture in pair}

    # One pair by itself

    def _posed(self, pair: tuple[int, int], poses: ImpactPose) -> PosedPairs:
        """Return one pair, in Box2D's order, at the poses of its bodies."""
        assert self._columns is not None
        rows = np.searchsorted(self._columns.fixture, np.array([pair]))
        if self._errors is None:
            self._errors = centroid_errors(self._shapes, self._columns.shapes)
        return posed_pairs(self._shapes, rows, np.array([poses.pose_a]), np.array([poses.pose_b]), self._errors)

    def _boxes(self, posed: PosedPairs) -> FloatArray:
        return np.concatenate(
            [
                batched.box_rows(self._shapes, posed.pairs[:, side].copy(), turned)
                for side, turned in enumerate((posed.turned_a, posed.turned_b))
            ]
        )

    def _is_sensed(self, posed: PosedPairs) -> bool:
        assert self._columns is not None
        return bool(self._columns.is_sensor[posed.pairs].any())

    def _decides(self, posed: PosedPairs) -> bool:
        """Tell whether one pair touches where it stands, whatever its boxes."""
        if self._is_sensed(posed):
            return bool(batched.overlap_rows(self._shapes, posed.pairs, posed.turned_a, posed.turned_b)[0])
        return bool(our_manifolds(posed, exact=False).count[0] > 0)

    def _differ(
        self,
        step: StepPairs,
        contacts: StepContacts,
        ours: IntArray,
        theirs: IntArray,
        is_active: NDArray[np.bool_],
        settled: dict[int, tuple[tuple[int, int], ImpactPose]],
    ) -> PairAgreement:
        """Look at each pair that only one side reports."""
        order = {_key(a, b): (a, b) for a, b in step.touching.tolist()}
        mine, differences = set(ours.tolist()), []
        carried = set(mine)
        for key in np.setxor1d(ours, theirs, assume_unique=True).tolist():
            is_theirs = key in order
            pair = order[key] if is_theirs else self._order(key, settled)
            rows, is_known = self._rows(np.array([key]))
            if not is_known[0]:
                differences.append(_unplaced(pair, "one of the two belongs to a body that is not active"))
                continue
            bodies = step.fixtures.body_row[np.searchsorted(step.fixtures.fixture, np.array(pair))]
            poses = settled[key][1] if key in settled else ImpactPose(*(_pose(step.poses[row]) for row in bodies.tolist()))
            posed = self._posed(pair, poses)
            was_asleep = key not in settled and not is_active[rows[0]].any()
            if was_asleep and is_theirs == (_gap(self._boxes(posed)) <= 0.0 and self._decides(posed)):
                found: _Found = None  # the step woke one of them before their turn came
            else:
                found = self._explain(pair, posed, rows, is_theirs, step, contacts)
            if found is None or found[0] != "unexplained":
                (carried.add if is_theirs else carried.discard)(key)
            if found is None:
                (mine.add if is_theirs else mine.discard)(key)
            else:
                differences.append(self._difference(pair, posed, is_theirs, found))
        self._touching = np.array(sorted(carried), dtype=np.int64)
        n_unexplained = sum(one.reason == "unexplained" for one in differences)
        return PairAgreement(
            len(mine), len(theirs), len(mine & order.keys()), len(differences) - n_unexplained, n_unexplained, tuple(differences)
        )

    def _order(self, key: int, settled: dict[int, tuple[tuple[int, int], ImpactPose]]) -> tuple[int, int]:
        """Return the fixtures of a pair that does not touch in the order in which Box2D has them, by number where it has no contact."""
        pair = key >> _ID_BITS, key & ((1 << _ID_BITS) - 1)
        if key in settled:
            return settled[key][0]
        return self._contact(pair) or pair

    def _contact(self, pair: tuple[int, int]) -> tuple[int, int] | None:
        return self._world.contact_between(*pair) if all(map(self._world.is_fixture, pair)) else None

    def _explain(
        self, pair: tuple[int, int], posed: PosedPairs, rows: IntArray, is_theirs: bool, step: StepPairs, contacts: StepContacts
    ) -> _Found:
        """Return reason, size and evidence; None where the sides agree after all once Box2D's order of the two is known."""
        if not self._may_meet(rows)[0]:
            return "unexplained", 0.0, "Box2D reports a touch that our rules of meeting forbid"
        gap = _gap(self._boxes(posed))
        touches = self._decides(posed)
        if is_theirs and touches:
            if gap > 0.0:
                return "fat_box", gap, f"the tight boxes are {gap:.3g} m apart; replaying the rule gives Box2D's touch"
            mirrored = replace(
                posed,
                pairs=posed.pairs[:, ::-1].copy(),
                poses_a=posed.poses_b,
                poses_b=posed.poses_a,
                turned_a=posed.turned_b,
                turned_b=posed.turned_a,
            )
            if self._decides(mirrored):
                return "unexplained", -gap, "the two touch, and our broad phase has lost them"
            return None
        if not is_theirs:
            if not touches:
                return None
            found = self._explain_absence(pair, posed, rows, gap, step)
            if found is not None:
                return found
        found = self._explain_tie(pair, posed, is_theirs, contacts)
        if found is not None:
            return found
        alone = "Box2D alone reports a touch" if is_theirs else "we alone report a touch"
        return "unexplained", abs(gap), f"{alone}, and no outcome that float32 rounding allows turns it"

    def _explain_absence(self, pair: tuple[int, int], posed: PosedPairs, rows: IntArray, gap: float, step: StepPairs) -> _Found:
        """Say why Box2D has not looked at a pair that touches."""
        columns = step.fixtures
        if not self._might_before(pair, columns.body[rows[0]], step):
            return "not_asked", -gap, "they were allowed to collide just before this step, and Box2D looks for new pairs at its end"
        freed, renewed = self._late
        if _key(*pair) not in self._had_contact:
            if int(body_keys(columns.body[rows])[0]) in freed:
                return "not_asked", -gap, "a joint kept them apart until it was removed, and Box2D had made no contact for them"
            if not renewed.isdisjoint(pair):
                return "not_asked", -gap, "one of them was set free to collide, and Box2D had made no contact for them"
        reach = np.abs(np.concatenate((posed.poses_a, posed.poses_b))[:, :2]).sum(axis=1) + self._shapes.extent[posed.pairs[0]]
        bound = 2.0 * float(allowances.tree_box_allowance(reach).max())
        if self._contact(pair) is None and -gap <= bound:
            return "float32_tie", -gap, f"the boxes share {-gap:.3g} m of {bound:.3g} m that rounding may take, and Box2D's are apart"
        return None

    def _might_before(self, pair: tuple[int, int], bodies: IntArray, step: StepPairs) -> bool:
        """Tell whether Box2D can have had a contact of two fixtures when the step began: they might meet before, or one of them is new."""
        if not step.renewed.isdisjoint(bodies.tolist()):
            return False
        if self._before is None or self._changed_at != step.step:
            return True
        columns, shapes = self._before
        rows = np.searchsorted(columns.fixture, np.array(pair))
        if (rows >= len(columns.fixture)).any() or (columns.fixture[rows] != pair).any():
            return True  # of a new fixture it looks for the pairs before it evaluates any
        return all(bool(rule(columns, shapes.kind == SEGMENT, rows[None, :])[0]) for rule in self._rules)

    def _explain_tie(self, pair: tuple[int, int], posed: PosedPairs, is_theirs: bool, contacts: StepContacts) -> _Found:
        if self._is_sensed(posed):
            return ties.explain_overlap(posed, 0, is_theirs)
        box2d = _answer(pair, contacts) if is_theirs else _NOTHING
        ours = our_manifolds(posed, exact=False)
        if box2d is None:
            return None
        if posed.is_edge[0]:
            return ties.explain_edge(posed, 0, ours, box2d)
        if posed.is_polygons[0]:
            return ties.explain_decisions(posed, 0, box2d)
        return ties.explain_circle(posed, 0, ours, box2d, 0.0)

    def _difference(self, pair: tuple[int, int], posed: PosedPairs, is_theirs: bool, found: tuple[str, float, str]) -> Difference:
        """Return what a viewer needs: the place is the middle of what the boxes share, or of the gap between them."""
        boxes = self._boxes(posed)
        lower, upper = boxes[:, :2].max(axis=0), boxes[:, 2:].min(axis=0)
        x, y = (0.5 * (lower + upper)).tolist()
        reason, size, evidence = found
        return Difference(*pair, (x, y), (0.0, 0.0), None, reason, size, evidence)


_NOTHING = Answers(np.zeros(1, dtype=np.int64), np.zeros((1, 2)), np.zeros((1, 2, 3)))


def _answer(pair: tuple[int, int], contacts: StepContacts) -> Answers | None:
    """Return Box2D's manifold of a pair that touches after the step."""
    rows = np.flatnonzero((contacts.fixture_a == pair[0]) & (contacts.fixture_b == pair[1]))
    if len(rows) == 0:
        return None
    points = np.concatenate((contacts.position[rows], contacts.separation[rows][:, :, None]), axis=2)
    return Answers(contacts.count[rows], contacts.normal[rows], points)


def _unplaced(pair: tuple[int, int], told: str) -> Difference:
    return Difference(*pair, (0.0, 0.0), (0.0, 0.0), None, "unexplained", 0.0, told)


def _gap(boxes: FloatArray) -> float:
    """Return how far two boxes (2, 4) are apart on the axis that parts them most; negative where they overlap."""
    return float(np.maximum(boxes[0, :2] - boxes[1, 2:], boxes[1, :2] - boxes[0, 2:]).max())


def _keys(fixtures: IntArray) -> IntArray:
    keys: IntArray = (fixtures.min(axis=1) << _ID_BITS) | fixtures.max(axis=1)
    return keys


def _key(a: int, b: int) -> int:
    return (min(a, b) << _ID_BITS) | max(a, b)


def _refiltered(old: FixtureColumns, new: FixtureColumns) -> set[int]:
    """Return the fixtures with another filter than before."""
    _, before, now = np.intersect1d(old.fixture, new.fixture, assume_unique=True, return_indices=True)
    other: NDArray[np.bool_] = np.zeros(len(now), dtype=np.bool_)
    for name in ("category", "mask", "group"):
        other |= getattr(old, name)[before] != getattr(new, name)[now]
    return set(new.fixture[now[other]].tolist())


def _pose(row: FloatArray) -> tuple[float, float, float]:
    x, y, angle = row.tolist()
    return x, y, angle


def _is(one: object, other: object) -> bool:
    return one is other
