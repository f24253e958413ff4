"""The verdict on distances: agree, a proved tie at the limit of touching, or unexplained.

b2Distance with radii answers the gap between two shapes, and 0 where they overlap. Two answers agree if they are within
`allowances.distance_allowance` of each other *and* both or neither are 0: whether shapes touch is a decision, and where rounding turned it
the exact distance of the cores has to lie at the limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.compare import allowances
from engine.compare.asked.pairs import PosedPairs
from engine.compare.proofs.touching_limit import explain_distance
from engine.compare.verdicts.explanation import Explanation

__all__ = ["DistanceVerdicts", "judge_distances", "our_distances"]


@dataclass(frozen=True, slots=True)
class DistanceVerdicts:
    """The judgement of n pairs; the error, metres, is the largest over the agreeing ones."""

    n_pairs: int
    n_agree: int
    max_error: float
    differences: tuple[Explanation, ...]


def our_distances(posed: PosedPairs) -> FloatArray:
    """Return our separations with radii and skins, 0 in place of a negative one."""
    from engine.narrowphase._distance_kernel import ROW_WIDTH, distance_pairs

    n, shapes = len(posed), posed.shapes
    rows = np.empty((n, ROW_WIDTH))
    distance_pairs(
        False, shapes.arrays, posed.pairs, posed.turned_a, posed.turned_b, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), rows
    )  # fmt: skip
    return np.maximum(rows[:, 0], 0.0)


def judge_distances(posed: PosedPairs, box2d: FloatArray, ours: FloatArray | None = None) -> DistanceVerdicts:
    """Judge Box2D's distances against ours, unless others are put on trial."""
    if ours is None:
        ours = our_distances(posed)
    error = np.abs(ours - box2d)
    agrees = (error <= allowances.distance_allowance(posed.scale)) & ((ours > 0.0) == (box2d > 0.0))
    differences: list[Explanation] = []
    for row in np.flatnonzero(~agrees).tolist():
        one, other = float(ours[row]), float(box2d[row])
        found = explain_distance(posed, row, one, other) if (one > 0.0) != (other > 0.0) else None
        told = f"Box2D says {other:.9g} m, ours {one:.9g} m, farther apart than rounding reaches"
        differences.append(Explanation(row, *(found or ("unexplained", abs(one - other), told))))
    return DistanceVerdicts(len(posed), int(agrees.sum()), float(error[agrees].max(initial=0.0)), tuple(differences))
