"""One pair asked of both sides, with the referee's verdict: what `compare` does with millions, for somebody who looks at one.

Box2D computes in float32, so that both are asked the pair with its numbers rounded to float32, and with the skins that Box2D gives. What
Box2D cannot hold or does not answer is asked of our algorithms alone, as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.box2d.oracle.distances import DistanceOracle
from engine.compare.asked.motions import Impacts, moving_pairs, our_impacts
from engine.compare.asked.pairs import Answers, our_manifolds
from engine.compare.asked.rays import Rays, our_points, our_rays
from engine.compare.cases import MotionChunk
from engine.compare.pair.answer import Answer, distance_words, impact_answer, manifold_answer, point_of, ray_answer
from engine.compare.pair.file import Pair
from engine.compare.pair.held import NO_FAMILY, PAIR, NotForBox2DError, held, made_by_box2d, pair_oracle, pose_row, posed_pair, posed_ray
from engine.compare.pair.ours_alone import ours_alone
from engine.compare.proofs.touching_limit import explain_overlap
from engine.compare.verdicts.distances import judge_distances, our_distances
from engine.compare.verdicts.explanation import Explanation
from engine.compare.verdicts.impacts import judge_impacts
from engine.compare.verdicts.manifolds import judge_manifolds
from engine.compare.verdicts.rays import judge_points, judge_rays
from engine.contracts.status import Status
from engine.narrowphase import batched
from engine.narrowphase.packing import pack

__all__ = ["PairAnswers", "ask"]


@dataclass(frozen=True, slots=True)
class PairAnswers:
    """Both answers, and the verdict.

    Attributes
    ----------
    pair : Pair
        As both were asked: rounded, with Box2D's skins.
    ours : Answer
    box2d : Answer or None
        None where Box2D was not asked; `verdict` is "not judged" then, and `evidence` says why.
    verdict : str
        "agree", "explained", "unexplained" or "not judged".
    reason, size, evidence : str, float, str
        Of a difference, as the referee gives them.
    """

    pair: Pair
    ours: Answer
    box2d: Answer | None
    verdict: str
    reason: str = ""
    size: float = 0.0
    evidence: str = ""


def ask(pair: Pair) -> PairAnswers:
    """Ask both, and judge.

    Raises
    ------
    InvalidInputError
        The pair lies farther out than either can compute.
    """
    try:
        rounded = held(pair)
        asked = {"ray_cast": _ask_ray, "contains": _ask_point, "toi": _ask_motion, "distance": _ask_distance}.get(pair.query, _ask_contact)
        return asked(rounded)
    except NotForBox2DError as refusal:
        return PairAnswers(pair, ours_alone(pair), None, "not judged", evidence=refusal.why)


def _ask_contact(pair: Pair) -> PairAnswers:
    oracle, pair = pair_oracle(pair)
    posed = posed_pair(pair, oracle)
    ours_overlap = bool(batched.overlap_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b)[0])
    theirs_overlap = bool(oracle.overlaps(posed.pairs, posed.poses_a, posed.poses_b)[0][0])
    rows, found = our_manifolds(posed), oracle.manifolds(posed.pairs, posed.poses_a, posed.poses_b)
    points = np.concatenate((found.position, found.separation[:, :, None]), axis=2)
    ours = manifold_answer(int(rows.count[0]), rows.axis[0, :2], rows.points[0], ours_overlap)
    theirs = manifold_answer(int(found.count[0]), found.normal[0], points[0], theirs_overlap)
    if pair.query == "overlap":
        if ours_overlap == theirs_overlap:
            return PairAnswers(pair, ours, theirs, "agree")
        told = explain_overlap(posed, 0, theirs_overlap) or ("unexplained", 0.0, "farther from the limit than rounding reaches")
        return _judged(pair, ours, theirs, [Explanation(0, *told)])
    verdicts = judge_manifolds(posed, Answers(found.count, found.normal, points), rows)
    return _judged(pair, ours, theirs, verdicts.differences)


def _ask_distance(pair: Pair) -> PairAnswers:
    assert pair.shape_b is not None
    oracle = made_by_box2d(DistanceOracle, (pair.shape_a, pair.shape_b))
    pair = replace(pair, shape_a=oracle.shapes[0], shape_b=oracle.shapes[1])
    posed = posed_pair(pair, None)
    found = oracle.distances(posed.pairs, posed.poses_a, posed.poses_b)
    verdicts = judge_distances(posed, found.distance, our_distances(posed))
    gap = float(found.distance[0])
    witnesses = (point_of(found.point_a[0]), point_of(found.point_b[0])) if gap > 0.0 else None
    theirs = Answer(distance_words(gap), witnesses=witnesses, distance=gap, is_yes=gap <= 0.0)
    return _judged(pair, ours_alone(pair), theirs, verdicts.differences)


def _ask_motion(pair: Pair) -> PairAnswers:
    oracle, pair = pair_oracle(pair)
    assert pair.end_a is not None and pair.end_b is not None and pair.shape_b is not None
    start_a, end_a, start_b, end_b = (pose_row(pose) for pose in (pair.pose_a, pair.end_a, pair.pose_b, pair.end_b))
    motion = MotionChunk(start_a, end_a, start_b, end_b, NO_FAMILY)
    found = oracle.times_of_impact(PAIR, motion.start_a, motion.end_a, motion.start_b, motion.end_b)
    moving = moving_pairs(pack(oracle.shapes, oracle.centroids), PAIR, motion)
    ours, theirs = our_impacts(moving), Impacts(found.status, found.fraction)
    verdicts = judge_impacts(moving, theirs, ours)
    return _judged(pair, impact_answer(ours), impact_answer(theirs), verdicts.differences)


def _ask_ray(pair: Pair) -> PairAnswers:
    oracle, posed, pair = posed_ray(pair)
    found = oracle.rays(posed.indices, posed.poses, posed.origins, posed.origins + posed.translations)
    status = np.where(found.hit, int(Status.HIT), int(Status.MISS))
    ours, theirs = our_rays(posed), Rays(status, found.fraction, found.normal)
    verdicts = judge_rays(posed, theirs, ours)
    return _judged(pair, ray_answer(pair, ours), ray_answer(pair, theirs), verdicts.differences)


def _ask_point(pair: Pair) -> PairAnswers:
    oracle, posed, pair = posed_ray(pair)
    found, ours = oracle.contains(posed.indices, posed.poses, posed.origins)[0], our_points(posed)
    verdicts = judge_points(posed, found, ours)
    mine, theirs = (Answer("inside" if answer else "outside", is_yes=bool(answer)) for answer in (ours[0], found[0]))
    return _judged(pair, mine, theirs, verdicts.differences)


def _judged(pair: Pair, ours: Answer, box2d: Answer, differences: Sequence[Explanation]) -> PairAnswers:
    if not differences:
        return PairAnswers(pair, ours, box2d, "agree")
    one = differences[0]
    return PairAnswers(pair, ours, box2d, "unexplained" if one.reason == "unexplained" else "explained", one.reason, one.size, one.evidence)
