"""One pair asked of both sides, with the referee's verdict: what `compare` does with millions, for somebody who looks at one.

Box2D computes in float32, so that both are asked the pair with its numbers rounded to float32, and with the skins that Box2D gives. What
Box2D cannot hold or does not answer is asked of our algorithms alone, as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from engine.box2d.distance_oracle import DistanceOracle
from engine.box2d.oracle import PairOracle, round_pose
from engine.box2d.point_oracle import PointOracle
from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError
from engine.compare.cases import MotionChunk, RayChunk
from engine.compare.distances import judge_distances, our_distances
from engine.compare.impacts import Impacts, judge_impacts, moving_pairs, our_impacts
from engine.compare.judge import Explanation, judge_manifolds
from engine.compare.pair_file import Pair
from engine.compare.posed import Answers, PosedPairs, our_manifolds, posed_pairs
from engine.compare.rays import PosedRays, Rays, judge_points, judge_rays, our_points, our_rays, posed_rays
from engine.compare.ties import explain_overlap
from engine.contracts.status import Status
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase import batched
from engine.narrowphase.packing import pack

__all__ = ["Answer", "PairAnswers", "ask"]

Point = tuple[float, float]
_Oracle = TypeVar("_Oracle")

_PAIR = np.array([(0, 1)], dtype=np.int64)
_NO_KIND = np.zeros(1, dtype=np.int64)
_NO_FAMILY = np.full(1, -1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Answer:
    """One side's answer; what the query does not have is None or empty.

    Attributes
    ----------
    words : str
        The whole of it in one line.
    normal : pair of float
        Unit, from A to B, or outward at a ray's hit.
    points : tuple of points
        Of a manifold or a hit.
    separations : tuple of float
        Metres, at the points: the gap of the shapes without skins, negative where they overlap.
    witnesses : (point of A, point of B)
        Of a distance.
    distance : float
        Metres.
    fraction : float
        Of the motion or the ray.
    is_yes : bool
        Overlap, containment, touch, hit.
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
        held = _held(pair)
        asked = {"ray_cast": _ask_ray, "contains": _ask_point, "toi": _ask_motion, "distance": _ask_distance}.get(pair.query, _ask_contact)
        return asked(held)
    except _NotForBox2DError as refusal:
        return PairAnswers(pair, _ours_alone(pair), None, "not judged", evidence=refusal.why)


class _NotForBox2DError(Exception):
    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def _held(pair: Pair) -> Pair:
    """Return the pair with float32 numbers, each motion about the local origin, as Box2D will be asked."""
    for shape in (pair.shape_a, pair.shape_b):
        if isinstance(shape, Capsule):
            raise _NotForBox2DError("Box2D has no capsules")
    if isinstance(pair.shape_a, Segment) and isinstance(pair.shape_b, Segment) and pair.query in ("manifold", "overlap", "toi"):
        raise _NotForBox2DError("Box2D does not collide two edges")
    if isinstance(pair.shape_a, Segment) and pair.query == "contains":
        raise _NotForBox2DError("an edge of Box2D contains no point")
    try:
        shape_b = None if pair.shape_b is None else _rounded_shape(pair.shape_b, pair.center_b)
        return replace(
            pair,
            shape_a=_rounded_shape(pair.shape_a, pair.center_a),
            shape_b=shape_b,
            pose_a=_rounded_pose(pair.pose_a, pair.center_a),
            pose_b=_rounded_pose(pair.pose_b, pair.center_b),
            end_a=None if pair.end_a is None else _rounded_pose(pair.end_a, pair.center_a),
            end_b=None if pair.end_b is None else _rounded_pose(pair.end_b, pair.center_b),
            center_a=(0.0, 0.0),
            center_b=(0.0, 0.0),
            ray=None if pair.ray is None else (_rounded(pair.ray[0]), _rounded(pair.ray[1])),
            point=None if pair.point is None else _rounded(pair.point),
        )
    except InvalidInputError as error:
        raise _NotForBox2DError(f"float32 does not hold the shapes: {error}") from None


def _ask_contact(pair: Pair) -> PairAnswers:
    oracle, pair = _pair_oracle(pair)
    posed = _posed(pair, oracle)
    ours_overlap = bool(batched.overlap_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b)[0])
    theirs_overlap = bool(oracle.overlaps(posed.pairs, posed.poses_a, posed.poses_b)[0][0])
    rows, found = our_manifolds(posed), oracle.manifolds(posed.pairs, posed.poses_a, posed.poses_b)
    points = np.concatenate((found.position, found.separation[:, :, None]), axis=2)
    ours = _manifold(int(rows.count[0]), rows.axis[0, :2], rows.points[0], ours_overlap)
    theirs = _manifold(int(found.count[0]), found.normal[0], points[0], theirs_overlap)
    if pair.query == "overlap":
        if ours_overlap == theirs_overlap:
            return PairAnswers(pair, ours, theirs, "agree")
        told = explain_overlap(posed, 0, theirs_overlap) or ("unexplained", 0.0, "farther from the limit than rounding reaches")
        return _judged(pair, ours, theirs, [Explanation(0, *told)])
    verdicts = judge_manifolds(posed, Answers(found.count, found.normal, points), rows)
    return _judged(pair, ours, theirs, verdicts.differences)


def _ask_distance(pair: Pair) -> PairAnswers:
    assert pair.shape_b is not None
    oracle = _made(DistanceOracle, (pair.shape_a, pair.shape_b))
    pair = replace(pair, shape_a=oracle.shapes[0], shape_b=oracle.shapes[1])
    posed = _posed(pair, None)
    found = oracle.distances(posed.pairs, posed.poses_a, posed.poses_b)
    verdicts = judge_distances(posed, found.distance, our_distances(posed))
    gap = float(found.distance[0])
    witnesses = (_point(found.point_a[0]), _point(found.point_b[0])) if gap > 0.0 else None
    theirs = Answer(_distance_words(gap), witnesses=witnesses, distance=gap, is_yes=gap <= 0.0)
    return _judged(pair, _ours_alone(pair), theirs, verdicts.differences)


def _ask_motion(pair: Pair) -> PairAnswers:
    oracle, pair = _pair_oracle(pair)
    assert pair.end_a is not None and pair.end_b is not None and pair.shape_b is not None
    start_a, end_a, start_b, end_b = (_pose_row(pose) for pose in (pair.pose_a, pair.end_a, pair.pose_b, pair.end_b))
    motion = MotionChunk(start_a, end_a, start_b, end_b, _NO_FAMILY)
    found = oracle.times_of_impact(_PAIR, motion.start_a, motion.end_a, motion.start_b, motion.end_b)
    moving = moving_pairs(pack(oracle.shapes, oracle.centroids), _PAIR, motion)
    ours, theirs = our_impacts(moving), Impacts(found.status, found.fraction)
    verdicts = judge_impacts(moving, theirs, ours)
    return _judged(pair, _impact(ours), _impact(theirs), verdicts.differences)


def _ask_ray(pair: Pair) -> PairAnswers:
    oracle, posed, pair = _posed_rays(pair)
    found = oracle.rays(posed.indices, posed.poses, posed.origins, posed.origins + posed.translations)
    status = np.where(found.hit, int(Status.HIT), int(Status.MISS))
    ours, theirs = our_rays(posed), Rays(status, found.fraction, found.normal)
    verdicts = judge_rays(posed, theirs, ours)
    return _judged(pair, _ray(pair, ours), _ray(pair, theirs), verdicts.differences)


def _ask_point(pair: Pair) -> PairAnswers:
    oracle, posed, pair = _posed_rays(pair)
    found, ours = oracle.contains(posed.indices, posed.poses, posed.origins)[0], our_points(posed)
    verdicts = judge_points(posed, found, ours)
    mine, theirs = (Answer("inside" if answer else "outside", is_yes=bool(answer)) for answer in (ours[0], found[0]))
    return _judged(pair, mine, theirs, verdicts.differences)


def _judged(pair: Pair, ours: Answer, box2d: Answer, differences: Sequence[Explanation]) -> PairAnswers:
    if not differences:
        return PairAnswers(pair, ours, box2d, "agree")
    one = differences[0]
    return PairAnswers(pair, ours, box2d, "unexplained" if one.reason == "unexplained" else "explained", one.reason, one.size, one.evidence)


# Answers in words and points


def _manifold(count: int, normal: FloatArray, points: FloatArray, overlaps: bool) -> Answer:
    if count == 0:
        return Answer("no contact" + (", overlap" if overlaps else ""), is_yes=overlaps)
    separations = tuple(float(points[k, 2]) for k in range(count))
    x, y = _point(normal)
    lowest = min(separations)
    gap = f"depth {_length(-lowest)}" if lowest <= 0.0 else f"gap {_length(lowest)}"
    words = f"normal ({x:+.3f}, {y:+.3f}), {gap}, {count} point{'s' if count > 1 else ''}"
    return Answer(words, (x, y), tuple(_point(points[k, :2]) for k in range(count)), separations, is_yes=overlaps)


def _impact(impacts: Impacts) -> Answer:
    status, fraction = Status(int(impacts.status[0])), float(impacts.fraction[0])
    words = {
        Status.HIT: f"touch at {fraction:.6f} of the step",
        Status.MISS: "no touch",
        Status.OVERLAPPING: "overlapping from the start",
        Status.OUT_OF_ITERATIONS: f"gave up at {fraction:.6f} of the step",
    }.get(status, status.name.lower())
    return Answer(words, fraction=fraction if status != Status.MISS else None, is_yes=status in (Status.HIT, Status.OVERLAPPING))


def _ray(pair: Pair, rays: Rays) -> Answer:
    assert pair.ray is not None
    status, fraction = Status(int(rays.status[0])), float(rays.fraction[0])
    if status == Status.MISS:
        return Answer("no hit")
    (x0, y0), (x1, y1) = pair.ray
    if status == Status.OVERLAPPING:
        return Answer("hit at the start, inside", points=(pair.ray[0],), fraction=0.0, is_yes=True)
    u, v = _point(rays.normal[0])
    at = (x0 + fraction * (x1 - x0), y0 + fraction * (y1 - y0))
    return Answer(f"hit at {fraction:.6f}, normal ({u:+.3f}, {v:+.3f})", (u, v), (at,), fraction=fraction, is_yes=True)


def _distance_words(gap: float) -> str:
    return f"{_length(gap)} apart" if gap > 0.0 else "overlapping"


def _length(metres: float) -> str:
    return f"{1e3 * metres:.4g} mm" if abs(metres) < 1.0 else f"{metres:.5g} m"


def _ours_alone(pair: Pair) -> Answer:
    """Return our answer by the library's own scalar questions."""
    from engine import query

    if pair.query == "ray_cast":
        assert pair.ray is not None
        (x0, y0), (x1, y1) = pair.ray
        hit = query.ray_cast(pair.shape_a, pair.pose_a, (x0, y0), (x1 - x0, y1 - y0))
        if hit.status == Status.MISS or hit.point is None:
            return Answer("no hit")
        if hit.normal is None:
            return Answer("hit at the start, inside", points=(hit.point,), fraction=0.0, is_yes=True)
        words = f"hit at {hit.fraction:.6f}, normal ({hit.normal[0]:+.3f}, {hit.normal[1]:+.3f})"
        return Answer(words, hit.normal, (hit.point,), fraction=hit.fraction, is_yes=True)
    if pair.query == "contains":
        assert pair.point is not None
        inside = query.contains(pair.shape_a, pair.pose_a, pair.point)
        return Answer("inside" if inside else "outside", is_yes=inside)
    assert pair.shape_b is not None
    if pair.query == "toi":
        found = query.time_of_impact(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b)
        return _impact(Impacts(np.array([int(found.status)]), np.array([found.fraction])))
    if pair.query == "distance":
        apart = query.distance(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        if apart.point_a is not None and apart.point_b is not None and apart.separation > 0.0:
            words, ends = _distance_words(apart.separation), (apart.point_a, apart.point_b)
            return Answer(words, apart.normal, witnesses=ends, distance=apart.separation)
        deep = query.penetration(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        ends_within = (deep.point_a, deep.point_b) if deep.point_a is not None and deep.point_b is not None else None
        words = f"overlapping, {_length(deep.depth)} deep"
        return Answer(words, deep.normal, witnesses=ends_within, distance=-deep.depth, is_yes=True)
    edges = [shape for shape in (pair.shape_a, pair.shape_b) if isinstance(shape, Segment) and shape.p1 != shape.p2]
    is_edge_rule = len(edges) == 1 and isinstance(pair.shape_a, Circle | Polygon) != isinstance(pair.shape_b, Circle | Polygon)
    contact = query.manifold(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b, "box2d" if is_edge_rule else "exact")
    overlaps = query.overlap(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
    points = np.array([(*one.position, one.separation) for one in contact.points]).reshape(-1, 3)
    return _manifold(len(points), np.array(contact.normal if contact.normal is not None else (0.0, 0.0)), points, overlaps)


# To float32, and into columns


def _pair_oracle(pair: Pair) -> tuple[PairOracle, Pair]:
    assert pair.shape_b is not None
    oracle = _made(PairOracle, (pair.shape_a, pair.shape_b))
    return oracle, replace(pair, shape_a=oracle.shapes[0], shape_b=oracle.shapes[1])


def _made(kind: Callable[[Any], _Oracle], shapes: tuple[AnyShape, ...]) -> _Oracle:
    try:
        return kind(shapes)
    except InvalidInputError as error:
        raise _NotForBox2DError(f"Box2D refuses the shapes: {error}") from None


def _posed(pair: Pair, oracle: PairOracle | None) -> PosedPairs:
    assert pair.shape_b is not None
    shapes = pack(oracle.shapes, oracle.centroids) if oracle is not None else pack((pair.shape_a, pair.shape_b))
    return posed_pairs(shapes, _PAIR, _pose_row(pair.pose_a), _pose_row(pair.pose_b))


def _posed_rays(pair: Pair) -> tuple[PointOracle, PosedRays, Pair]:
    oracle = _made(PointOracle, (pair.shape_a,))
    pair = replace(pair, shape_a=oracle.shapes[0])
    origin, end = pair.ray if pair.ray is not None else (pair.point, pair.point)
    poses, origins, ends = _pose_row(pair.pose_a), np.array([origin], dtype=np.float64), np.array([end], dtype=np.float64)
    ray = RayChunk(np.zeros(1, dtype=np.int64), _NO_KIND, poses, origins, ends, _NO_FAMILY)
    return oracle, posed_rays(pack(oracle.shapes), ray), pair


def _pose_row(pose: Transform) -> FloatArray:
    return np.array([(*pose.position, pose.angle)], dtype=np.float64)


def _rounded(point: Point) -> Point:
    x, y = np.array(point, dtype=np.float32).tolist()
    return x, y


def _rounded_pose(pose: Transform, center: Point) -> Transform:
    x, y, angle = round_pose((*pose.apply(center), pose.angle) if center != (0.0, 0.0) else (*pose.position, pose.angle)).tolist()
    return Transform((x, y), angle)


def _rounded_shape(shape: AnyShape, center: Point) -> AnyShape:
    """Return the shape with float32 numbers and `center` at its origin; skins go, for Box2D gives its own."""

    def at(point: Point) -> Point:
        return _rounded((point[0] - center[0], point[1] - center[1]))

    if isinstance(shape, Circle):
        return Circle(float(np.float32(shape.radius)), at(shape.center))
    if isinstance(shape, Polygon):
        return Polygon((shape.vertices - np.array(center)).astype(np.float32).astype(np.float64))
    assert isinstance(shape, Segment)
    ghosts = [None if ghost is None else at(ghost) for ghost in (shape.ghost1, shape.ghost2)]
    return Segment(at(shape.p1), at(shape.p2), 0.0, *ghosts)


def _point(row: FloatArray) -> Point:
    x, y = float(row[0]), float(row[1])
    return (x, y) if math.isfinite(x + y) else (0.0, 0.0)
