"""Contact of two shapes: `manifold` and `overlap`, which are answered together for a single pair.

A difference between overlaps is a proved tie at the limit of touching, or unexplained. `manifolds` judges manifolds.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.compare.bulk.tally import WRONG_AXIS
from engine.compare.pair.file import Pair
from engine.compare.proofs.placed import PosedRow, explain_overlap
from engine.compare.queries import Answers, Flags, PosedPairs, our_manifolds, our_overlaps
from engine.compare.questions.answer import Answer, finite_point, length_words
from engine.compare.questions.manifolds import judge_manifolds
from engine.compare.questions.question import Ours, PairCases, PairOfShapesQuestion, Theirs, Verdicts, differences_of
from engine.contracts.agreement import Verdict
from engine.geometry import Circle, Polygon, Segment
from engine.narrowphase.batched import ManifoldRows

__all__ = ["ManifoldQuestion", "OverlapQuestion", "judge_overlaps"]


def judge_overlaps(posed: PosedPairs, box2d: Flags, ours: Flags) -> Verdicts:
    """Judge Box2D's overlaps against ours."""

    def explain(row: int) -> Verdict:
        evidence = f"Box2D returns {bool(box2d[row])}, our library returns {bool(ours[row])}, and rounding cannot explain the difference"
        return explain_overlap(PosedRow(posed, row), bool(box2d[row])) or Verdict("unexplained", 0.0, evidence)

    return Verdicts(box2d, differences_of(box2d == ours, explain))


class _ContactQuestion(PairOfShapesQuestion[Ours, Theirs]):
    """A question to which a single pair is answered with the manifold and the overlap."""

    def ours_alone(self, pair: Pair) -> Answer:
        from engine import query

        assert pair.shape_b is not None
        edges = [shape for shape in (pair.shape_a, pair.shape_b) if isinstance(shape, Segment) and shape.p1 != shape.p2]
        is_edge_rule = len(edges) == 1 and isinstance(pair.shape_a, Circle | Polygon) != isinstance(pair.shape_b, Circle | Polygon)
        contact = query.manifold(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b, "box2d" if is_edge_rule else "exact")
        overlaps = query.overlap(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        points = np.array([(*point.position, point.separation) for point in contact.points]).reshape(-1, 3)
        return _in_words(len(points), np.array(contact.normal if contact.normal is not None else (0.0, 0.0)), points, overlaps)


class ManifoldQuestion(_ContactQuestion[ManifoldRows, Answers]):
    """Query: where two shapes touch, and how deeply."""

    name = "manifold"
    wrong = WRONG_AXIS

    def box2d(self, cases: PairCases) -> tuple[Answers, float]:
        manifolds = cases.oracle.manifolds(cases.rows.pairs, cases.rows.poses_a, cases.rows.poses_b)
        return Answers.of(manifolds), manifolds.seconds

    ours = staticmethod(our_manifolds)
    judge = staticmethod(judge_manifolds)

    def answers(self, pair: Pair, cases: PairCases, ours: ManifoldRows, box2d: Answers) -> tuple[Answer, Answer]:
        overlap = OverlapQuestion()
        return _contact_answers(ours, box2d, overlap.ours(overlap.columns(cases)), overlap.box2d(cases)[0])


class OverlapQuestion(_ContactQuestion[Flags, Flags]):
    """Query: whether two shapes overlap."""

    name = "overlap"

    def box2d(self, cases: PairCases) -> tuple[Flags, float]:
        return cases.oracle.overlaps(cases.rows.pairs, cases.rows.poses_a, cases.rows.poses_b)

    ours = staticmethod(our_overlaps)
    judge = staticmethod(judge_overlaps)

    def answers(self, pair: Pair, cases: PairCases, ours: Flags, box2d: Flags) -> tuple[Answer, Answer]:
        manifold = ManifoldQuestion()
        return _contact_answers(manifold.ours(manifold.columns(cases)), manifold.box2d(cases)[0], ours, box2d)


def _contact_answers(ours: ManifoldRows, box2d: Answers, our_overlap: Flags, box2d_overlap: Flags) -> tuple[Answer, Answer]:
    mine, theirs = (
        _in_words(int(answers.count[0]), answers.normal[0], answers.points[0], bool(overlap[0]))
        for answers, overlap in ((Answers.of_ours(ours), our_overlap), (box2d, box2d_overlap))
    )
    return mine, theirs


def _in_words(count: int, normal: FloatArray, points: FloatArray, overlaps: bool) -> Answer:
    """Return a manifold: normal (2,), points (2, 3) x, y, separation, of which the first `count` count."""
    if count == 0:
        return Answer("no contact" + (", but overlapping" if overlaps else ""), is_yes=overlaps)
    separations = tuple(float(points[k, 2]) for k in range(count))
    x, y = finite_point(normal)
    lowest = min(separations)
    gap = f"depth {length_words(-lowest)}" if lowest <= 0.0 else f"gap {length_words(lowest)}"
    words = f"normal ({x:+.3f}, {y:+.3f}), {gap}, {counted(count, 'point')}"
    return Answer(words, (x, y), tuple(finite_point(points[k, :2]) for k in range(count)), separations, is_yes=overlaps)
