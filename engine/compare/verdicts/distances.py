"""The verdict on overlaps and distances: agree, a proved tie at the limit of touching, or unexplained.

b2Distance with radii answers the gap between two shapes, and 0 where they overlap. Two answers agree if they are within
`allowances.distance_allowance` of each other *and* both or neither are 0: whether shapes touch is a decision, and where rounding turned it
the exact distance of the cores has to lie at the limit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.compare import allowances
from engine.compare.proofs.placed import explain_distance, explain_overlap
from engine.compare.queries import PosedPairs, our_distances
from engine.compare.verdicts.verdict import Explanation, Verdicts

__all__ = ["judge_distances", "judge_overlaps"]


def judge_overlaps(posed: PosedPairs, box2d: NDArray[np.bool_], ours: NDArray[np.bool_]) -> Verdicts:
    """Judge Box2D's overlaps against ours."""
    differences: list[Explanation] = []
    for row in np.flatnonzero(box2d != ours).tolist():
        evidence = f"Box2D says {bool(box2d[row])}, ours says {bool(ours[row])}, and rounding cannot explain it"
        differences.append(Explanation(row, *(explain_overlap(posed, row, bool(box2d[row])) or ("unexplained", 0.0, evidence))))
    return Verdicts(box2d, tuple(differences))


def judge_distances(posed: PosedPairs, box2d: FloatArray, ours: FloatArray | None = None) -> Verdicts:
    """Judge Box2D's distances against ours, unless others are put on trial."""
    if ours is None:
        ours = our_distances(posed)
    error = np.abs(ours - box2d)
    agrees = (error <= allowances.distance_allowance(posed.scale)) & ((ours > 0.0) == (box2d > 0.0))
    differences: list[Explanation] = []
    for row in np.flatnonzero(~agrees).tolist():
        mine, other = float(ours[row]), float(box2d[row])
        explained = explain_distance(posed, row, mine, other) if (mine > 0.0) != (other > 0.0) else None
        evidence = f"Box2D says {other:.9g} m, ours says {mine:.9g} m, and rounding cannot explain it"
        differences.append(Explanation(row, *(explained or ("unexplained", abs(mine - other), evidence))))
    is_zero = box2d == 0.0
    errors = {"point_error": error[agrees & ~is_zero]}
    return Verdicts(is_zero, tuple(differences), float(error[agrees].max(initial=0.0)), errors=errors)
