"""Distance of two shapes.

b2Distance with radii answers the gap between two shapes, and 0 where they overlap. Two answers agree if they are within
`allowances.distance_allowance` of each other *and* both or neither are 0: whether shapes touch is a decision, and where rounding turned it
the exact distance of the cores has to lie at the limit.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.compare import allowances
from engine.compare.pair.file import Pair
from engine.compare.proofs.placed import PosedRow, explain_distance
from engine.compare.queries import PosedPairs, our_distances
from engine.compare.questions.answer import Answer, finite_point, length_words
from engine.compare.questions.question import PairCases, PairOfShapesQuestion, Verdicts, differences_of
from engine.contracts.agreement import Verdict

__all__ = ["DistanceQuestion", "judge_distances"]


def judge_distances(posed: PosedPairs, box2d: FloatArray, ours: FloatArray) -> Verdicts:
    """Judge Box2D's distances against ours."""
    error = np.abs(ours - box2d)
    agrees = (error <= allowances.distance_allowance(posed.scale)) & ((ours > 0.0) == (box2d > 0.0))

    def explain(row: int) -> Verdict:
        mine, other = float(ours[row]), float(box2d[row])
        explained = explain_distance(PosedRow(posed, row), mine, other) if (mine > 0.0) != (other > 0.0) else None
        evidence = f"Box2D returns {other:.9g} m, our library returns {mine:.9g} m, and rounding cannot explain the difference"
        return explained or Verdict("unexplained", abs(mine - other), evidence)

    is_zero = box2d == 0.0
    errors = {"point_error": error[agrees & ~is_zero]}
    return Verdicts(is_zero, differences_of(agrees, explain), float(error[agrees].max(initial=0.0)), errors=errors)


class DistanceQuestion(PairOfShapesQuestion[FloatArray, FloatArray]):
    """Distances (n,), 0 where shapes touch or overlap; those count as touching."""

    name = "distance"

    def box2d(self, cases: PairCases) -> tuple[FloatArray, float]:
        return cases.oracle.gaps(cases.rows.pairs, cases.rows.poses_a, cases.rows.poses_b)

    ours = staticmethod(our_distances)
    judge = staticmethod(judge_distances)

    def answers(self, pair: Pair, cases: PairCases, ours: FloatArray, box2d: FloatArray) -> tuple[Answer, Answer]:
        closest = cases.oracle.distances(cases.rows.pairs, cases.rows.poses_a, cases.rows.poses_b)
        gap = float(box2d[0])
        witnesses = (finite_point(closest.point_a[0]), finite_point(closest.point_b[0])) if gap > 0.0 else None
        words = f"{length_words(gap)} apart" if gap > 0.0 else "overlapping"
        return self.ours_alone(pair), Answer(words, witnesses=witnesses, distance=gap, is_yes=gap <= 0.0)

    def ours_alone(self, pair: Pair) -> Answer:
        from engine import query

        assert pair.shape_b is not None
        apart = query.distance(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        if apart.point_a is not None and apart.point_b is not None and apart.separation > 0.0:
            ends = apart.point_a, apart.point_b
            return Answer(f"{length_words(apart.separation)} apart", apart.normal, witnesses=ends, distance=apart.separation)
        deep = query.penetration(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        ends_within = (deep.point_a, deep.point_b) if deep.point_a is not None and deep.point_b is not None else None
        words = f"overlapping, {length_words(deep.depth)} deep"
        return Answer(words, deep.normal, witnesses=ends_within, distance=-deep.depth, is_yes=True)
