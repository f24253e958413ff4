"""One pair asked of both sides, each answer in words and points, and the referee's verdict: what `compare` does with millions.

Box2D computes in float32, so that both are asked the pair with its numbers rounded to float32, and with the skins that Box2D gives. What
Box2D cannot hold or does not answer is asked of our algorithms alone, as it stands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.notebook import Shown
from engine.common.words import counted
from engine.compare.cases import MotionChunk
from engine.compare.pair.file import Pair, Point
from engine.compare.pair.held import NO_FAMILY, PAIR, NotForBox2DError, held, pair_oracle, pose_row, posed_pair, posed_ray
from engine.compare.queries import (
    Answers,
    Impacts,
    Rays,
    moving_pairs,
    our_distances,
    our_impacts,
    our_manifolds,
    our_overlaps,
    our_points,
    our_rays,
)
from engine.compare.verdicts.distances import judge_distances, judge_overlaps
from engine.compare.verdicts.impacts import judge_impacts
from engine.compare.verdicts.manifolds import judge_manifolds
from engine.compare.verdicts.rays import judge_points, judge_rays
from engine.compare.verdicts.verdict import Verdicts
from engine.contracts.status import Status
from engine.geometry import Circle, Polygon, Segment
from engine.narrowphase.packing import pack

__all__ = ["Answer", "PairAnswers", "ask"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One side's answer, all of it in `words` in one line; what the query does not have is None or empty.

    `normal` is a unit vector from A to B, or outward at a ray's hit; `points` are those of a manifold or a hit, with the `separations`
    there, meters, of the shapes without skins, negative where they overlap. `witnesses` are the points of A and of B of a `distance`,
    meters; `fraction` is of the motion or the ray. `is_yes` where they overlap, touch, hit or contain.
    """

    words: str
    normal: Point | None = None
    points: tuple[Point, ...] = ()
    separations: tuple[float, ...] = ()
    witnesses: tuple[Point, Point] | None = None
    distance: float | None = None
    fraction: float | None = None
    is_yes: bool = False

    @property
    def depth(self) -> float:
        """How far B must go along the normal until the deepest point just touches, skins left out; 0 where none overlaps."""
        return max(0.0, -min(self.separations, default=0.0))


@dataclass(frozen=True, slots=True)
class PairAnswers(Shown):
    """Both answers to a pair as both were asked, rounded and with Box2D's skins, and the verdict on a difference.

    `verdict` is "agree", "explained", "unexplained" or "not judged": then Box2D was not asked, `box2d` is None, and `evidence` says why.
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
        judge = {"ray_cast": _ask_ray, "contains": _ask_point, "toi": _ask_motion, "distance": _ask_distance}.get(pair.query, _ask_contact)
        return judge(rounded)
    except NotForBox2DError as refusal:
        return PairAnswers(pair, _ours_alone(pair), None, "not judged", evidence=refusal.why)


def _ask_contact(pair: Pair) -> PairAnswers:
    oracle, pair = pair_oracle(pair)
    posed = posed_pair(pair, oracle)
    rows, reported = our_manifolds(posed), Answers.of(oracle.manifolds(posed.pairs, posed.poses_a, posed.poses_b))
    overlaps = our_overlaps(posed), oracle.overlaps(posed.pairs, posed.poses_a, posed.poses_b)[0]
    ours, theirs = (
        _manifold_answer(int(answers.count[0]), answers.normal[0], answers.points[0], bool(overlap[0]))
        for answers, overlap in zip((Answers.of_ours(rows), reported), overlaps, strict=True)
    )
    is_overlap = pair.query == "overlap"
    verdicts = judge_overlaps(posed, overlaps[1], overlaps[0]) if is_overlap else judge_manifolds(posed, reported, rows)
    return _judged(pair, ours, theirs, verdicts)


def _ask_distance(pair: Pair) -> PairAnswers:
    oracle, pair = pair_oracle(pair)
    posed = posed_pair(pair, oracle)
    answer = oracle.distances(posed.pairs, posed.poses_a, posed.poses_b)
    verdicts = judge_distances(posed, answer.distance, our_distances(posed))
    gap = float(answer.distance[0])
    witnesses = (_point_of(answer.point_a[0]), _point_of(answer.point_b[0])) if gap > 0.0 else None
    theirs = Answer(_distance_words(gap), witnesses=witnesses, distance=gap, is_yes=gap <= 0.0)
    return _judged(pair, _ours_alone(pair), theirs, verdicts)


def _ask_motion(pair: Pair) -> PairAnswers:
    oracle, pair = pair_oracle(pair)
    assert pair.end_a is not None and pair.end_b is not None and pair.shape_b is not None
    start_a, end_a, start_b, end_b = (pose_row(pose) for pose in (pair.pose_a, pair.end_a, pair.pose_b, pair.end_b))
    motion = MotionChunk(start_a, end_a, start_b, end_b, NO_FAMILY)
    answer = oracle.times_of_impact(PAIR, motion.start_a, motion.end_a, motion.start_b, motion.end_b)
    moving = moving_pairs(pack(oracle.shapes, oracle.centroids), PAIR, motion)
    ours, theirs = our_impacts(moving), Impacts(answer.status, answer.fraction)
    return _judged(pair, _impact_answer(ours), _impact_answer(theirs), judge_impacts(moving, theirs, ours))


def _ask_ray(pair: Pair) -> PairAnswers:
    oracle, posed, pair = posed_ray(pair)
    answer = oracle.rays(posed.indices, posed.poses, posed.origins, posed.origins + posed.translations)
    ours, theirs = our_rays(posed), Rays.of(answer)
    return _judged(pair, _ray_answer(pair, ours), _ray_answer(pair, theirs), judge_rays(posed, theirs, ours))


def _ask_point(pair: Pair) -> PairAnswers:
    oracle, posed, pair = posed_ray(pair)
    answers, ours = oracle.contains(posed.indices, posed.poses, posed.origins)[0], our_points(posed)
    mine, theirs = (_point_answer(bool(answer)) for answer in (ours[0], answers[0]))
    return _judged(pair, mine, theirs, judge_points(posed, answers, ours))


def _judged(pair: Pair, ours: Answer, box2d: Answer, verdicts: Verdicts) -> PairAnswers:
    if not verdicts.differences:
        return PairAnswers(pair, ours, box2d, "agree")
    difference = verdicts.differences[0]
    return PairAnswers(
        pair,
        ours,
        box2d,
        "unexplained" if difference.reason == "unexplained" else "explained",
        difference.reason,
        difference.size,
        difference.evidence,
    )


# --- Ours alone


def _ours_alone(pair: Pair) -> Answer:
    """Return our answer to whatever the pair asks."""
    from engine import query

    if pair.query == "ray_cast":
        assert pair.ray is not None
        (x0, y0), (x1, y1) = pair.ray
        hit = query.ray_cast(pair.shape_a, pair.pose_a, (x0, y0), (x1 - x0, y1 - y0))
        status = Status.OVERLAPPING if hit.status == Status.HIT and hit.normal is None else hit.status
        return _ray_answer(pair, Rays(np.array([int(status)]), np.array([hit.fraction]), np.array([hit.normal or (0.0, 0.0)])))
    if pair.query == "contains":
        assert pair.point is not None
        return _point_answer(query.contains(pair.shape_a, pair.pose_a, pair.point))
    assert pair.shape_b is not None
    if pair.query == "toi":
        impact = query.time_of_impact(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b)
        return _impact_answer(Impacts(np.array([int(impact.status)]), np.array([impact.fraction])))
    if pair.query == "distance":
        apart = query.distance(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        if apart.point_a is not None and apart.point_b is not None and apart.separation > 0.0:
            words, ends = _distance_words(apart.separation), (apart.point_a, apart.point_b)
            return Answer(words, apart.normal, witnesses=ends, distance=apart.separation)
        deep = query.penetration(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        ends_within = (deep.point_a, deep.point_b) if deep.point_a is not None and deep.point_b is not None else None
        words = f"overlapping, {_length_words(deep.depth)} deep"
        return Answer(words, deep.normal, witnesses=ends_within, distance=-deep.depth, is_yes=True)
    edges = [shape for shape in (pair.shape_a, pair.shape_b) if isinstance(shape, Segment) and shape.p1 != shape.p2]
    is_edge_rule = len(edges) == 1 and isinstance(pair.shape_a, Circle | Polygon) != isinstance(pair.shape_b, Circle | Polygon)
    contact = query.manifold(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b, "box2d" if is_edge_rule else "exact")
    overlaps = query.overlap(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
    points = np.array([(*point.position, point.separation) for point in contact.points]).reshape(-1, 3)
    return _manifold_answer(len(points), np.array(contact.normal if contact.normal is not None else (0.0, 0.0)), points, overlaps)


# --- Answers in words and points


def _manifold_answer(count: int, normal: FloatArray, points: FloatArray, overlaps: bool) -> Answer:
    """Return a manifold: normal (2,), points (2, 3) x, y, separation, of which the first `count` are."""
    if count == 0:
        return Answer("no contact" + (", but overlapping" if overlaps else ""), is_yes=overlaps)
    separations = tuple(float(points[k, 2]) for k in range(count))
    x, y = _point_of(normal)
    lowest = min(separations)
    gap = f"depth {_length_words(-lowest)}" if lowest <= 0.0 else f"gap {_length_words(lowest)}"
    words = f"normal ({x:+.3f}, {y:+.3f}), {gap}, {counted(count, 'point')}"
    return Answer(words, (x, y), tuple(_point_of(points[k, :2]) for k in range(count)), separations, is_yes=overlaps)


def _impact_answer(impacts: Impacts) -> Answer:
    """Return the only time of impact."""
    status, fraction = Status(int(impacts.status[0])), float(impacts.fraction[0])
    words = {
        Status.HIT: f"touch at {fraction:.6f} of the step",
        Status.MISS: "no touch",
        Status.OVERLAPPING: "overlapping at the start",
        Status.OUT_OF_ITERATIONS: f"gave up at {fraction:.6f} of the step",
    }.get(status, status.name.lower())
    return Answer(words, fraction=fraction if status != Status.MISS else None, is_yes=status in (Status.HIT, Status.OVERLAPPING))


def _point_answer(is_inside: bool) -> Answer:
    return Answer("inside" if is_inside else "outside", is_yes=is_inside)


def _ray_answer(pair: Pair, rays: Rays) -> Answer:
    """Return the only hit of the pair's ray."""
    assert pair.ray is not None
    status, fraction = Status(int(rays.status[0])), float(rays.fraction[0])
    if status == Status.MISS:
        return Answer("no hit")
    (x0, y0), (x1, y1) = pair.ray
    if status == Status.OVERLAPPING:
        return Answer("hit at the start, inside", points=(pair.ray[0],), fraction=0.0, is_yes=True)
    u, v = _point_of(rays.normal[0])
    at = (x0 + fraction * (x1 - x0), y0 + fraction * (y1 - y0))
    return Answer(f"hit at {fraction:.6f}, normal ({u:+.3f}, {v:+.3f})", (u, v), (at,), fraction=fraction, is_yes=True)


def _distance_words(gap: float) -> str:
    """Return a distance in words; 0 or less is an overlap."""
    return f"{_length_words(gap)} apart" if gap > 0.0 else "overlapping"


def _length_words(meters: float) -> str:
    """Return a length in words, with its unit."""
    return f"{1e3 * meters:.4g} mm" if abs(meters) < 1.0 else f"{meters:.5g} m"


def _point_of(row: FloatArray) -> Point:
    """Return a row (2,) as a point, the origin where it is not finite."""
    x, y = float(row[0]), float(row[1])
    return (x, y) if math.isfinite(x + y) else (0.0, 0.0)
