"""Every contact of a running world computed a second time.

After each step the manifolds that Box2D made in it are recomputed from the poses it made them at, all in one batch, and judged. A
thousand touching pairs cost about a millisecond; only pairs that differ are looked at one by one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from engine.common.arrays import IntArray, any_of_rows
from engine.common.jit import EDGES, is_held_back
from engine.compare.live.pairs import LivePairs
from engine.compare.queries import Answers, centroid_errors, our_manifolds, posed_pairs
from engine.compare.verdicts.manifolds import judge_manifolds
from engine.compare.verdicts.verdict import Explanation
from engine.contracts import Difference, StepAgreement, StepContacts
from engine.geometry import FixtureShape
from engine.geometry.kinds import SEGMENT
from engine.narrowphase.batched import ManifoldRows
from engine.narrowphase.packing import pack
from engine.world import World

__all__ = ["FixtureShapes", "LiveReferee", "judge_contacts"]


class FixtureShapes:
    """The shapes of some fixtures, packed in the order of their ids.

    Attributes
    ----------
    by_id : dict of int to FixtureShape
        As Box2D holds them.
    packed : PackedShapes
    centroid_error : (n,)
        How far Box2D's centroid may lie from the packed one, metres.
    """

    def __init__(self, by_id: Mapping[int, FixtureShape]) -> None:
        self.by_id = dict(by_id)
        self._ids = np.array(sorted(by_id), dtype=np.int64)
        in_order = [by_id[fixture] for fixture in self._ids.tolist()]
        self.packed = pack(in_order)
        self.centroid_error = centroid_errors(self.packed, in_order)

    def indices(self, fixtures: IntArray) -> IntArray:
        """Return where fixtures stand among the packed shapes."""
        return np.searchsorted(self._ids, fixtures)


def judge_contacts(contacts: StepContacts, shapes: FixtureShapes) -> StepAgreement:
    """Judge the manifolds that Box2D computed in one step; those of sleeping pairs were judged when they were computed.

    Pairs with an edge are left out as long as their kernels are held back.
    """
    rows = np.flatnonzero(contacts.evaluated & (contacts.count > 0))
    fixtures = np.column_stack((contacts.fixture_a, contacts.fixture_b))
    if is_held_back(EDGES) and len(rows):
        rows = rows[~any_of_rows(shapes.packed.kind[shapes.indices(fixtures[rows])] == SEGMENT)]
    if len(rows) == 0:
        return StepAgreement()
    pairs = shapes.indices(fixtures[rows])
    posed = posed_pairs(shapes.packed, pairs, contacts.pose_a[rows], contacts.pose_b[rows], shapes.centroid_error)
    ours = our_manifolds(posed)
    verdicts = judge_manifolds(posed, Answers.of(contacts, rows), ours, is_live=True)
    return StepAgreement(
        compared=verdicts.n_pairs,
        agree=verdicts.n_agree,
        explained=len(verdicts.differences) - verdicts.n_unexplained,
        unexplained=verdicts.n_unexplained,
        max_point_error=verdicts.max_point_error,
        differences=_differences(verdicts.differences, fixtures[rows], contacts, rows, ours),
    )


class LiveReferee:
    """The referee of one world.

    Parameters
    ----------
    world : World
        Read only: its fixtures' shapes, again whenever `structure_version` changes.
    pairs : LivePairs, optional
        The check of which pairs touch, for callers that want it; `check` does not make it.

    Attributes
    ----------
    ready : bool
        False while the kernels are not loaded yet; `check` then judges nothing. A window sets it when they are.
    enabled : bool
        Whether `check` judges anything.
    total : StepAgreement
        Sums over all checks; its `differences` are those of the last one.
    last_ms : float
        What the last check cost, milliseconds.
    """

    def __init__(self, world: World, pairs: LivePairs | None = None) -> None:
        self._world = world
        self.pairs = pairs
        self._version: int | None = None
        self._shapes = FixtureShapes({})
        self.ready = True
        self.enabled = True
        self.total = StepAgreement()
        self.last_ms = 0.0

    def check(self, contacts: StepContacts) -> StepAgreement:
        """Judge the manifolds of one step, as `judge_contacts` does."""
        if not (self.ready and self.enabled):
            return StepAgreement()
        started = time.perf_counter()
        if self._version != self._world.structure_version:
            self._repack(contacts)
        step = judge_contacts(contacts, self._shapes)
        self.total += step
        self.last_ms = 1000.0 * (time.perf_counter() - started)
        return step

    def reset(self) -> None:
        """Begin the totals anew."""
        self.total = StepAgreement()

    def _repack(self, contacts: StepContacts) -> None:
        """Take in that fixtures came or went: one that died within the step still has its contacts there, and goes the next time."""
        world, known = self._world, self._shapes.by_id
        living = {fixture: known.get(fixture) or world.fixture(fixture).shape for fixture in world.fixture_ids}
        named = np.unique((contacts.fixture_a, contacts.fixture_b)).tolist()
        self._shapes = FixtureShapes({**{fixture: known[fixture] for fixture in named if fixture in known}, **living})
        self._version = world.structure_version


def _differences(
    found: Sequence[Explanation], fixtures: IntArray, contacts: StepContacts, rows: IntArray, ours: ManifoldRows
) -> tuple[Difference, ...]:
    """Return the explanations of rows of `ours` as a viewer needs them; column by column, for there may be hundreds in a step."""
    if not found:
        return ()
    our_rows = np.array([one.row for one in found], dtype=np.int64)
    at = rows[our_rows]
    columns = zip(
        found,
        fixtures[our_rows].tolist(),
        contacts.position[at, 0].tolist(),
        contacts.normal[at].tolist(),
        ours.axis[our_rows, :2].tolist(),
        ours.count[our_rows].tolist(),
        strict=True,
    )
    return tuple(
        Difference(a, b, (x, y), (u, v), (our_u, our_v) if count else None, one.reason, one.size, one.evidence)
        for one, (a, b), (x, y), (u, v), (our_u, our_v), count in columns
    )
