"""Every contact of a running world computed a second time.

After each step the manifolds that Box2D made in it are recomputed from the poses it made them at, all in one batch, and judged. A
thousand touching pairs cost about a millisecond; only pairs that differ are looked at one by one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from engine.common.arrays import FloatArray, IntArray, any_of_rows
from engine.common.jit import EDGES, is_held_back
from engine.compare.asked.pairs import Answers, centroid_errors, our_manifolds, posed_pairs
from engine.compare.live.pairs import LivePairs
from engine.compare.verdicts.explanation import Explanation
from engine.compare.verdicts.manifolds import judge_manifolds
from engine.contracts import Difference, StepAgreement, StepContacts
from engine.geometry import FixtureShape
from engine.geometry.kinds import SEGMENT
from engine.narrowphase.batched import ManifoldRows
from engine.narrowphase.packing import PackedShapes, pack

__all__ = ["FixtureLike", "LiveReferee", "WorldLike"]


class FixtureLike(Protocol):
    """What the referee reads of a fixture."""

    @property
    def shape(self) -> FixtureShape:
        """The shape exactly as Box2D holds it."""
        ...


class WorldLike(Protocol):
    """What the referee reads of a world."""

    @property
    def structure_version(self) -> int:
        """Changes whenever fixtures come or go."""
        ...

    @property
    def fixture_ids(self) -> tuple[int, ...]:
        """Living fixtures."""
        ...

    def fixture(self, fixture_id: int) -> FixtureLike:
        """Return one of them."""
        ...


class LiveReferee:
    """The referee of one world.

    Parameters
    ----------
    world : World
        Read only: its fixtures' shapes, again whenever `structure_version` changes.
    pairs : LivePairs, optional
        Kept here for whoever asks: the check of which pairs touch, which `check` does not make.

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

    def __init__(self, world: WorldLike, pairs: LivePairs | None = None) -> None:
        self._world = world
        self.pairs = pairs
        self._version: int | None = None
        self._shapes: PackedShapes | None = None
        self._centroid_error: FloatArray = np.zeros(0)
        self._ids: IntArray = np.zeros(0, dtype=np.int64)
        self._known: dict[int, FixtureShape] = {}
        self.ready = True
        self.enabled = True
        self.total = StepAgreement()
        self.last_ms = 0.0

    def check(self, contacts: StepContacts) -> StepAgreement:
        """Judge the manifolds that Box2D computed in one step; those of sleeping pairs were judged when they were computed.

        Pairs with an edge are left out as long as their kernels are held back.
        """
        if not (self.ready and self.enabled):
            return StepAgreement()
        started = time.perf_counter()
        rows = self._judged(contacts, np.flatnonzero(contacts.evaluated & (contacts.count > 0)))
        step = self._judge(contacts, rows) if len(rows) else StepAgreement()
        self.total = StepAgreement(
            compared=self.total.compared + step.compared,
            agree=self.total.agree + step.agree,
            explained=self.total.explained + step.explained,
            unexplained=self.total.unexplained + step.unexplained,
            max_point_error=max(self.total.max_point_error, step.max_point_error),
            differences=step.differences,
        )
        self.last_ms = 1000.0 * (time.perf_counter() - started)
        return step

    def reset(self) -> None:
        """Begin the totals anew."""
        self.total = StepAgreement()

    def _judged(self, contacts: StepContacts, rows: IntArray) -> IntArray:
        """Return those of the rows for which the kernels are there."""
        if len(rows) == 0 or not is_held_back(EDGES):
            return rows
        shapes, pairs = self._packed(np.column_stack((contacts.fixture_a[rows], contacts.fixture_b[rows])))
        return rows[~any_of_rows(shapes.kind[pairs] == SEGMENT)]

    def _judge(self, contacts: StepContacts, rows: IntArray) -> StepAgreement:
        fixtures = np.column_stack((contacts.fixture_a[rows], contacts.fixture_b[rows]))
        shapes, pairs = self._packed(fixtures)
        posed = posed_pairs(shapes, pairs, contacts.pose_a[rows], contacts.pose_b[rows], self._centroid_error)
        points = np.concatenate((contacts.position[rows], contacts.separation[rows][:, :, None]), axis=2)
        ours = our_manifolds(posed)
        verdicts = judge_manifolds(posed, Answers(contacts.count[rows], contacts.normal[rows], points), ours, is_live=True)
        differences = _differences(verdicts.differences, fixtures, contacts, rows, ours)
        return StepAgreement(
            compared=verdicts.n_pairs,
            agree=verdicts.n_agree,
            explained=len(differences) - verdicts.n_unexplained,
            unexplained=verdicts.n_unexplained,
            max_point_error=verdicts.max_point_error,
            differences=differences,
        )

    def _packed(self, fixtures: IntArray) -> tuple[PackedShapes, IntArray]:
        """Return the packed shapes of the world and the `fixtures` (n, 2) as indices into them.

        A fixture that died within the step still has its contacts in this step's columns: shapes are forgotten one rebuild later.
        """
        if self._version != self._world.structure_version or self._shapes is None:
            self._version = self._world.structure_version
            living = {fixture: self._known.get(fixture) or self._world.fixture(fixture).shape for fixture in self._world.fixture_ids}
            self._rebuild({**{f: self._known[f] for f in np.unique(fixtures).tolist() if f not in living and f in self._known}, **living})
        assert self._shapes is not None
        return self._shapes, np.searchsorted(self._ids, fixtures)

    def _rebuild(self, shapes: dict[int, FixtureShape]) -> None:
        self._known = shapes
        self._ids = np.array(sorted(shapes), dtype=np.int64)
        in_order = [shapes[fixture] for fixture in self._ids.tolist()]
        self._shapes = pack(in_order)
        self._centroid_error = centroid_errors(self._shapes, in_order)


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
