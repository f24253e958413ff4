"""Query: the convex hull of a set of points.

The verdict on hulls: agree, explained with a proof, or unexplained.

Ours is the exact hull of the float32 points. Box2D wraps them in float32 (`engine.box2d.wrap`) and then rejects polygons of at most 1.2e-7
m^2. The two agree if both have the same corners in the same cyclic order, or if both reject the points. Otherwise, the wrapping is repeated
comparison by comparison, in float32 and in fractions. With r and v the two edges of a comparison, its cross product is rounded by at most 4
u (|rx vy| + |ry vx|): two differences, a product and a sum, u each.

    `float32_tie`    Box2D's answer is that of its rule; some comparisons came out otherwise than exactly, and each of them lies
                     within its bound: a point so near to a line that float32 cannot decide its side
    `endless`        as before, and the wrapping goes in a circle that its start is not on: Box2D would write past its own array
    `too_small`      the exact area of Box2D's polygon is not above its limit, or an edge of it not
    `cancellation`   the area is above the limit by less than float32 loses in summing it about the local origin
    unexplained      otherwise; and where our own polygon drops a corner of the hull farther from the line than it may
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from engine.box2d.oracle.hulls import OracleHulls, box2d_hulls
from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import InvalidShapeError
from engine.common.tolerances import BOX2D_EPSILON, COLLINEAR_ROUNDING, EPS32
from engine.common.words import counted
from engine.compare.cases.properties import HULL_FAMILIES, point_sets
from engine.compare.proofs.placed import Explained
from engine.compare.questions.answer import Sketch, points_of
from engine.compare.questions.question import Chunk, Question, Verdicts
from engine.contracts.agreement import Verdict
from engine.exact.cores import Core
from engine.geometry import Polygon
from engine.geometry.hull import convex_hull
from engine.geometry.predicates import exact_turn

__all__ = ["HullQuestion", "judge_hulls", "our_hulls"]

_U = 0.5 * EPS32

_PER_ROUNDING = round(1.0 / (4.0 * _U))
"""4 u is 2^-22: a margin is within its bound if this many of it are not more than what it is relative to."""

_BITS = 150
"""Every float32 is a whole number of 2^-149."""


def our_hulls(sets: Sequence[FloatArray]) -> list[FloatArray | None]:
    """Return our hulls; None for a set that encloses no area."""
    return [_our_hull(points) for points in sets]


def judge_hulls(sets: Sequence[FloatArray], box2d: OracleHulls, ours: Sequence[FloatArray | None]) -> Verdicts:
    """Judge Box2D's hulls against ours.

    The maximum ``max_tie`` is the largest distance of a point beyond a line on the wrong side of which float32 put it, meters.
    """
    differences: dict[int, Verdict] = {}
    max_tie = 0.0
    for row, (points, mine, theirs) in enumerate(zip(sets, ours, box2d.corners, strict=True)):
        explained = _fault_of_constructor(mine)
        if explained is None and not _same_round(mine, theirs):
            explained = _explain(row, points, mine, box2d)
        elif explained is None:
            continue
        max_tie = max(max_tie, explained.size if explained.reason == "float32_tie" else 0.0)
        differences[row] = explained
    is_made = np.array([corners is not None for corners in box2d.corners])
    return Verdicts(is_made, differences, maxima={"max_tie": max_tie})


def _our_hull(points: FloatArray) -> FloatArray | None:
    try:
        return convex_hull(points)
    except InvalidShapeError:
        return None


def _same_round(first: FloatArray | None, other: FloatArray | None) -> bool:
    if first is None or other is None:
        return first is None and other is None
    return len(first) == len(other) and _from_least(first) == _from_least(other)


def _from_least(corners: FloatArray) -> list[list[float]]:
    listed: list[list[float]] = corners.tolist()
    start = listed.index(min(listed))
    return listed[start:] + listed[:start]


def _explain(row: int, points: FloatArray, mine: FloatArray | None, box2d: OracleHulls) -> Verdict:
    theirs, refusal = box2d.corners[row], box2d.refusals[row]
    n, n_wrapped = len(points), int(box2d.n_wrapped[row])
    order = box2d.wrapped[row, : n if n_wrapped < 0 else n_wrapped].tolist()
    exact = Core.of(points.tolist(), _BITS)
    if theirs is not None and not np.array_equal(theirs, points[order]):
        return Verdict("unexplained", 0.0, "Box2D's hull does not follow from its own rule")
    turned = _turned_comparisons(points, exact, order)
    if turned is None:
        return Verdict("unexplained", 0.0, "a comparison in Box2D's rule is wrong by more than float32 rounding can explain")
    n_turned, farthest = turned
    said = f"rounding reversed {counted(n_turned, 'comparison')}; the farthest point is {farthest:.3g} m beyond its line"
    if n_wrapped < 0:
        if n_turned == 0:
            return Verdict("unexplained", 0.0, "Box2D's rule does not terminate, although no comparison is reversed")
        return Verdict("endless", farthest, f"{said}; corners {order} never return to the first")
    if theirs is None and mine is not None and n_wrapped >= 3:
        return _refused(Core([exact.corners[at] for at in order], _BITS), refusal)
    if n_turned == 0:
        return Verdict(
            "unexplained", 0.0, f"Box2D's rule, followed exactly, gives a different hull from ours (rejected: {refusal or 'no'})"
        )
    return Verdict("float32_tie", farthest, said)


def _turned_comparisons(points: FloatArray, exact: Core, order: Sequence[int]) -> tuple[int, float] | None:
    """Follow the wrapping; return the number of comparisons that rounding reversed, and the largest distance; None if one is not proved."""
    held = points.astype(np.float32)
    n_turned, farthest = 0, 0.0
    for at in order:
        best = 0
        edges32 = held - held[at]
        (x0, y0) = exact.corners[at]
        edges = [(x - x0, y - y0) for x, y in exact.corners]
        for j in range(1, len(points)):
            if best == at:
                best = j
                continue
            (rx32, ry32), (vx32, vy32) = edges32[best], edges32[j]
            c32 = rx32 * vy32 - ry32 * vx32
            is_chosen = bool(c32 < 0 or (c32 == 0 and vx32 * vx32 + vy32 * vy32 > rx32 * rx32 + ry32 * ry32))
            (rx, ry), (vx, vy) = edges[best], edges[j]
            left, right = rx * vy, ry * vx
            c, r_sq, v_sq = left - right, rx * rx + ry * ry, vx * vx + vy * vy
            if is_chosen != (c < 0 or (c == 0 and v_sq > r_sq)):
                # both 0 and the lengths confused: each square is known to 4 u, as a product of the cross product is
                is_length = c == 0 and c32 == 0
                off, size = (abs(v_sq - r_sq), v_sq + r_sq) if is_length else (abs(c), abs(left) + abs(right))
                if off * _PER_ROUNDING > size:
                    return None
                n_turned += 1
                farthest = max(farthest, 0.0 if is_length else abs(c) / max(r_sq, v_sq) ** 0.5)
            if is_chosen:
                best = j
    return n_turned, farthest / 2.0**_BITS


def _refused(corners: Core, refusal: str) -> Verdict:
    over = 4**_BITS
    area = Fraction(sum(ax * by - ay * bx for (ax, ay), (bx, by) in corners.edges), 2 * over)
    magnitude = Fraction(sum(abs(ax * by) + abs(ay * bx) for (ax, ay), (bx, by) in corners.edges), over)
    squares = [Fraction((bx - ax) ** 2 + (by - ay) ** 2, over) for (ax, ay), (bx, by) in corners.edges]
    width, shortest = float(abs(area)) / float(max(squares)) ** 0.5, float(min(squares)) ** 0.5
    limit = Fraction(BOX2D_EPSILON)
    if area <= limit:
        return Verdict("too_small", width, f"its exact area is {float(area):.3g} m^2 ({refusal})")
    if min(squares) * _PER_ROUNDING <= limit * limit * (_PER_ROUNDING + 1):
        return Verdict("too_small", shortest, f"an edge is {shortest:.3g} m long ({refusal})")
    # each term two products and a difference, then n sums of at most half the magnitude
    lost = Fraction(_U) * magnitude * (2 + Fraction(len(corners.corners), 2))
    if area - limit <= lost:
        evidence = f"float32 can lose up to {float(lost):.3g} m^2 of its exact area, {float(area):.3g} m^2 ({refusal})"
        return Verdict("cancellation", width, evidence)
    return Verdict("unexplained", width, f"Box2D rejects a polygon of {float(area):.3g} m^2 ({refusal})")


def _fault_of_constructor(hull: FloatArray | None) -> Explained:
    """Return where `Polygon` drops corners of our hull other than those that it may treat as collinear."""
    if hull is None:
        return None
    resolution = COLLINEAR_ROUNDING * float(np.abs(hull).max())
    try:
        kept: FloatArray | None = Polygon(hull).vertices
    except InvalidShapeError:
        kept = None
    if _same_round(hull, kept):
        return None
    keeps = [] if kept is None else kept.tolist()
    dropped = [at for at, corner in enumerate(hull.tolist()) if corner not in keeps]
    for at in dropped:
        before, corner, after = (hull[(at + step) % len(hull)] for step in (-1, 0, 1))
        off = float(abs(exact_turn(before, corner, after))) / (math.dist(before, corner) + math.dist(corner, after))
        if off > 2.0 * resolution:
            return Verdict("unexplained", off, f"our polygon drops the corner {corner.tolist()} of the hull")
    if len(hull) - len(dropped) != len(keeps):
        return Verdict("unexplained", resolution, "the corners of our polygon are not those of the hull")
    return None


PointSets = Sequence[FloatArray]
Hulls = Sequence[FloatArray | None]


class HullQuestion(Question[PointSets, PointSets, Hulls, OracleHulls]):
    """Hulls of sets of points (k, 2); sets for which Box2D creates a polygon count as touching."""

    names = HULL_FAMILIES

    def cases(self, work: Chunk) -> PointSets:
        return point_sets(work.seed, work.chunk, work.n_pairs)

    def box2d(self, cases: PointSets) -> tuple[OracleHulls, float]:
        hulls = box2d_hulls(cases)
        return hulls, hulls.seconds

    def columns(self, cases: PointSets) -> PointSets:
        return cases

    ours = staticmethod(our_hulls)
    judge = staticmethod(judge_hulls)

    def kind(self, work: Chunk, cases: PointSets) -> IntArray:
        return np.arange(len(cases)) % len(HULL_FAMILIES)

    def shown(self, work: Chunk, cases: PointSets, ours: Hulls, box2d: OracleHulls, row: int) -> Sketch:
        hulls = ours[row], box2d.corners[row]
        mine, theirs = (() if hull is None else (points_of(hull),) for hull in hulls)
        words = ["no hull" if hull is None else f"{len(hull)} corners" for hull in hulls]
        return Sketch((), points_of(cases[row]), mine, theirs, words[0], words[1])
