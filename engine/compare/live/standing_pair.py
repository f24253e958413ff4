"""One pair of fixtures at the poses at which Box2D decided: whether it touches, and why the two sides differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.common.arrays import FloatArray
from engine.compare import allowances
from engine.compare.proofs.manifold_ties import explain_circle, explain_decisions, explain_edge
from engine.compare.proofs.placed import Explained, PosedRow, explain_overlap
from engine.compare.queries import Answers, Flags, PosedPairs, our_manifolds, our_overlaps
from engine.contracts import Difference, StepContacts
from engine.contracts.agreement import Verdict
from engine.narrowphase import batched

__all__ = ["StandingPair", "box_gaps", "touching"]

_NOTHING = Answers(np.zeros(1, dtype=np.int64), np.zeros((1, 2)), np.zeros((1, 2, 3)))


def touching(posed: PosedPairs, is_sensed: Flags) -> Flags:
    """Return which pairs touch, independent of their boxes: by Box2D's rule, or by their overlap where one is a sensor (n,)."""
    touches = np.empty(len(posed), dtype=np.bool_)
    solid, sensed = np.flatnonzero(~is_sensed), np.flatnonzero(is_sensed)
    touches[solid] = our_manifolds(posed.take(solid), exact=False).count > 0
    touches[sensed] = our_overlaps(posed.take(sensed))
    return touches


def box_gaps(posed: PosedPairs) -> tuple[FloatArray, FloatArray]:
    """Return the gaps (n,) of tight boxes along the axis of largest separation, meters, negative if they overlap; and the boxes."""
    both = ((posed.pairs[:, side].copy(), turned) for side, turned in enumerate((posed.turned_a, posed.turned_b)))
    a, b = boxes = [batched.box_rows(posed.shapes, which, turned) for which, turned in both]
    return np.maximum(a[:, :2] - b[:, 2:], b[:, :2] - a[:, 2:]).max(axis=1), np.stack(boxes, axis=1)


class StandingPair:
    """One pair at its poses.

    Parameters
    ----------
    fixtures : pair of int
        In Box2D's order.
    posed : PosedPairs
        This pair alone, in the same order.
    is_sensed : bool (1,)
        True if one of them is a sensor, for which touching means overlapping.

    Attributes
    ----------
    gap : float
        Gap between the tight boxes; see `box_gaps`.
    """

    def __init__(self, fixtures: tuple[int, int], posed: PosedPairs, is_sensed: Flags) -> None:
        self.fixtures = fixtures
        self._posed, self._is_sensed = posed, is_sensed
        (gap,), (self._boxes,) = box_gaps(posed)
        self.gap = float(gap)

    @property
    def touches(self) -> bool:
        """True if its boxes overlap and it touches by Box2D's rule or, for sensors, by the overlap test, as for all pairs."""
        return self.gap <= 0.0 and self.decides()

    def decides(self, is_mirrored: bool = False) -> bool:
        """Return True if it touches, independent of its boxes, or if the pair in the other order does."""
        posed = self._posed
        if is_mirrored:
            posed = replace(posed, pairs=posed.pairs[:, ::-1].copy(), poses_a=posed.poses_b, poses_b=posed.poses_a)
            posed = replace(posed, turned_a=self._posed.turned_b, turned_b=self._posed.turned_a)
        return bool(touching(posed, self._is_sensed)[0])

    def box_bound(self) -> float:
        """Return the maximum relative displacement of the boxes in Box2D's tree by rounding, meters."""
        posed = self._posed
        reach = np.abs(np.concatenate((posed.poses_a, posed.poses_b))[:, :2]).sum(axis=1) + posed.shapes.extent[posed.pairs[0]]
        return 2.0 * float(allowances.tree_box_allowance(reach).max())

    def explain_tie(self, is_theirs: bool, contacts: StepContacts) -> Explained:
        """Prove that float32 rounding decides whether it touches; `contacts` has Box2D's manifold if only Box2D reports the contact."""
        posed, row = self._posed, PosedRow(self._posed, 0)
        if self._is_sensed[0]:
            return explain_overlap(row, is_theirs)
        box2d = _answer(self.fixtures, contacts) if is_theirs else _NOTHING
        ours = our_manifolds(posed, exact=False)
        if box2d is None:
            return None
        if posed.is_edge[0]:
            return explain_edge(row, ours, box2d)
        if posed.is_polygons[0]:
            return explain_decisions(row, box2d)
        return explain_circle(row, ours, box2d, 0.0)

    def difference(self, verdict: Verdict) -> Difference:
        """Return the record for a viewer; its position is the middle of the boxes' overlap, or of the gap between them."""
        place: FloatArray = 0.5 * (self._boxes[:, :2].max(axis=0) + self._boxes[:, 2:].min(axis=0))
        x, y = place.tolist()
        return Difference(*self.fixtures, (x, y), (0.0, 0.0), None, verdict.reason, verdict.size, verdict.evidence)


def _answer(fixtures: tuple[int, int], contacts: StepContacts) -> Answers | None:
    """Return Box2D's manifold of a pair that touches after the step."""
    rows = np.flatnonzero((contacts.fixture_a == fixtures[0]) & (contacts.fixture_b == fixtures[1]))
    if len(rows) == 0:
        return None
    return Answers.of(contacts, rows)
