"""Every contact of a world that Box2D drives, computed a second time.

After each step the manifolds that Box2D made in it are recomputed from the poses it made them at, all in one batch, and judged. A
thousand touching pairs cost about a millisecond; only pairs that differ are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.common.arrays import FloatArray, IntArray, any_of_rows
from engine.common.id_rows import IdRows
from engine.common.jit import EDGES, is_held_back
from engine.compare.queries import Answers, centroid_errors, our_manifolds, posed_pairs
from engine.compare.questions.manifolds import judge_manifolds
from engine.compare.questions.question import Explanation
from engine.contracts import Difference, StepAgreement, StepContacts
from engine.geometry import FixtureShape
from engine.geometry.kinds import SEGMENT
from engine.narrowphase.packing import pack

__all__ = ["FixtureShapes", "differences_of", "rows_to_judge"]


class FixtureShapes:
    """The shapes of some fixtures, packed in the order of their ids.

    Attributes
    ----------
    by_id : dict of int to FixtureShape
        As Box2D holds them.
    packed : PackedShapes
    centroid_error : (n,)
        How far Box2D's centroid may lie from the packed one, meters.
    """

    def __init__(self, by_id: Mapping[int, FixtureShape]) -> None:
        self.by_id = dict(by_id)
        in_order = [by_id[fixture] for fixture in sorted(by_id)]
        self._rows = IdRows(np.array(sorted(by_id), dtype=np.int64))
        self.packed = pack(in_order)
        self.centroid_error = centroid_errors(self.packed, in_order)

    def judge(self, contacts: StepContacts) -> StepAgreement:
        """Judge the manifolds that Box2D computed in one step; those of sleeping pairs were judged when they were computed.

        Pairs with an edge are left out as long as their kernels are held back.
        """
        rows, pairs = rows_to_judge(contacts, self._rows, self.packed.kind)
        if len(rows) == 0:
            return StepAgreement()
        posed = posed_pairs(self.packed, pairs, contacts.pose_a.take(rows, axis=0), contacts.pose_b.take(rows, axis=0), self.centroid_error)
        ours = our_manifolds(posed)
        answers = Answers.of(contacts, rows)
        verdicts = judge_manifolds(posed, answers, ours, is_live=True)
        our_answers = Answers.of_ours(ours)
        return StepAgreement(
            compared=verdicts.n_pairs,
            agree=verdicts.n_agree,
            explained=len(verdicts.differences) - verdicts.n_unexplained,
            unexplained=verdicts.n_unexplained,
            max_point_error=verdicts.max_point_error,
            differences=differences_of(verdicts.differences, contacts, rows, answers.normal, our_answers.normal),
        )


def rows_to_judge(contacts: StepContacts, ids: IdRows, kind: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of the manifolds that were computed in the step, and where their fixtures stand (n, 2) among `ids`.

    `kind` (m,) is of the shapes in the order of the ids: without pairs with an edge as long as their kernels are held back.
    """
    rows = np.flatnonzero(contacts.evaluated & (contacts.count > 0))
    pairs = np.column_stack((ids.of(contacts.fixture_a[rows]), ids.of(contacts.fixture_b[rows])))
    if is_held_back(EDGES) and len(rows):
        plain = ~any_of_rows(kind[pairs] == SEGMENT)
        rows, pairs = rows[plain], pairs[plain]
    return rows, pairs


def differences_of(
    explanations: Sequence[Explanation], contacts: StepContacts, rows: IntArray, box2d: FloatArray, ours: FloatArray
) -> tuple[Difference, ...]:
    """Return the explanations of `rows` as a viewer needs them, with Box2D's normals and ours (n, 2), zero where a side has none."""
    where = np.array([explanation[0] for explanation in explanations], dtype=np.int64)
    at = rows[where]
    columns = (contacts.fixture_a[at], contacts.fixture_b[at], contacts.position[at, 0], box2d[where], ours[where])
    return tuple(
        Difference(a, b, (x, y), (u, v), (our_u, our_v) if our_u or our_v else None, reason, float(size), evidence)
        for (_, reason, size, evidence), a, b, (x, y), (u, v), (our_u, our_v) in zip(
            explanations, *(column.tolist() for column in columns), strict=True
        )
    )
