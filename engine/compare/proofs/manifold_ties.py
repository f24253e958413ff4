"""Proofs that rounding decides between two manifolds, one for each way in which it can.

decisions     it turned decisions of Box2D's rule so that its own answer comes out. The rule is followed in float64 through every outcome
              that float32 rounding allows; where one is Box2D's answer, the margins on the way to it are computed in fractions
              (`placed`), and each must lie within its bound
equal axes    two axes of polygons are so nearly equally deep that float32 cannot order their separations
steep clip    the incident edge stands so steep that float32 does not determine where it is cut
circles       a circle lies at the limit of contact, or where its direction is undetermined: near another circle's center or an edge's
              end, between two edges equally near, and on the border of an edge's side and its corner's
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.tolerances import SAT_ROUNDING
from engine.compare import allowances
from engine.compare.proofs._edge_decisions import replay_edge_circle, replay_edge_polygon
from engine.compare.proofs._polygon_decisions import Outcome, all_outcomes, replay_outcome
from engine.compare.proofs.placed import Explained, PosedRow, at_limit
from engine.compare.queries import Answers, PosedPairs
from engine.contracts.agreement import Verdict
from engine.geometry.exact.cores import distance_sq
from engine.geometry.kinds import CIRCLE, SEGMENT
from engine.narrowphase.batched import ManifoldRows

__all__ = [
    "AxisMargins",
    "axis_margins",
    "explain_circle",
    "explain_decisions",
    "explain_edge",
    "explain_equal_axes",
    "explain_steep_clip",
]

_FLOAT32_BITS = 160
"""Every float32 is a whole multiple of 2**-149."""

_GUARD_BITS = 100
"""Bits of a bound of some 1e-5 m as an integer: finer than float64."""

_Point: TypeAlias = tuple[Fraction, Fraction]

_Rule: TypeAlias = Callable[[Sequence[int]], Outcome]
"""Follows Box2D's rule once, the undecided comparisons as a script says."""


def explain_decisions(row: PosedRow, box2d: Answers) -> Explained:
    """Find decisions of Box2D's rule whose reversal by rounding gives Box2D's answer, and prove that their margins are small."""
    bounds = row.bounds

    def replay(number: Callable[[float], Any]) -> _Rule:
        a, b = (row.polygon(side, number) for side in (0, 1))
        return lambda script: replay_outcome(a, b, bounds, script)

    return _turned_decisions(row, box2d, replay)


def explain_edge(row: PosedRow, ours: ManifoldRows, box2d: Answers) -> Explained:
    """Prove a difference for an edge and a polygon or circle in the same way; our answer must also be one that the rule can give."""
    bounds = row.bounds
    edge_side = 0 if row.kind(0) == SEGMENT else 1
    is_circle = row.kind(1 - edge_side) == CIRCLE
    sign = 1 if edge_side == 0 else -1

    def replay(number: Callable[[float], Any]) -> _Rule:
        edge = row.edge(edge_side, number)
        if is_circle:
            center = row.points(1 - edge_side, number)[0]
            radius = number(row.radius(1 - edge_side))
            return lambda script: replay_edge_circle(edge, center, radius, sign, bounds, script)
        poly = row.polygon(1 - edge_side, number)
        return lambda script: replay_edge_polygon(edge, poly, sign, bounds, script)

    our_answer = Answers.of_ours(ours)
    if not any(_is_answer(row, outcome, our_answer) for outcome, _ in all_outcomes(replay(float))):
        return None
    explained = _turned_decisions(row, box2d, replay)
    if explained is not None or ours.count[row.at] != box2d.count[row.at] or ours.count[row.at] == 0:
        return explained
    if not is_circle:
        return explain_steep_clip(row, ours, box2d, widening=0.0)
    return _explain_end(row, ours, box2d, replay(Fraction)(()), bounds.separation)


def _turned_decisions(row: PosedRow, box2d: Answers, replay: Callable[[Callable[[float], Any]], _Rule]) -> Explained:
    """Follow a rule in float64 through all outcomes until one is Box2D's, then prove the margins on the way in fractions."""
    exactly = None
    for outcome, script in all_outcomes(replay(float)):
        if not _is_answer(row, outcome, box2d):
            continue
        exactly = exactly or replay(Fraction)
        exact = exactly(script)
        if [decision.name for decision in exact.decisions] != [decision.name for decision in outcome.decisions]:
            continue
        if any(abs(decision.margin) > Fraction(decision.bound) for decision in exact.decisions) or not exact.decisions:
            continue
        turned = [decision for decision in exact.decisions if (decision.margin > 0) != (decision.option == 0)] or list(exact.decisions)
        evidence = "; ".join(
            f"{decision.name}: the exact margin is {float(decision.margin):.3g}, and {decision.bound:.3g} is allowed" for decision in turned
        )
        return Verdict("float32_tie", max(abs(float(decision.margin)) for decision in turned), evidence)
    return None


def _is_answer(row: PosedRow, outcome: Outcome, box2d: Answers) -> bool:
    if len(outcome.points) != box2d.count[row.at]:
        return False
    if outcome.normal is None:
        return True
    amplification: FloatArray = np.full(1, outcome.amplification)
    allowed = float(allowances.point_allowance(row.scale, amplification, row.is_polygons, row.scale)[0])
    turned = float(allowances.normal_allowance(row.scale, amplification, row.is_polygons)[0])
    if max(abs(outcome.normal[k] - box2d.normal[row.at, k]) for k in range(2)) > turned:
        return False
    theirs = box2d.points[row.at, : box2d.count[row.at]].tolist()
    orders = (theirs, theirs[::-1])
    return any(
        all(abs(x - y) <= allowed for ours, their in zip(outcome.points, order, strict=True) for x, y in zip(ours, their, strict=True))
        for order in orders
    )


# --- Polygons: two axes, and the clip


class AxisMargins(NamedTuple):
    """Excess depth of our axis over Box2D's in float64, the error of that excess, and the float32 allowance; meters, one per pair."""

    margin: list[float]
    error: list[float]
    bound: list[float]


def axis_margins(posed: PosedPairs, ours: ManifoldRows, replay: ManifoldRows) -> AxisMargins:
    """Return the margins of our axes and Box2D's for all pairs at once."""
    error = 3.0 * SAT_ROUNDING * posed.scale  # of two separations, and of their difference
    bound = 2.0 * allowances.separation_allowance(posed.scale)
    return AxisMargins((ours.axis[:, 2] - replay.axis[:, 2]).tolist(), error.tolist(), bound.tolist())


def explain_equal_axes(row: PosedRow, ours: ManifoldRows, replay: ManifoldRows, known: AxisMargins | None = None) -> Explained:
    """Prove that the separations along our axis and Box2D's, which belong to two edges, cannot be ordered in float32.

    The fractions are integers here, all over one denominator: 2**160 holds every float32 exactly, products lie over its square, and
    a separation is n . (v - w) / |n| with the edge itself for n.

    A running world needs this for a hundred pairs per step. If `known` has the float64 separations of all pairs, each accurate to
    SAT_ROUNDING times the scale, they are tested first; if they certify the margin, the integers are not computed (a floating-point filter:
    J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997).
    """
    if known is not None:
        margin, error, bound = known.margin[row.at], known.error[row.at], known.bound[row.at]
        if abs(margin) + error <= bound:
            evidence = f"two axes are equally deep: the margin is {margin:.3g} m (known to {error:.1g} m), and {bound:.3g} m is allowed"
            return Verdict("float32_tie", abs(margin), evidence)
        if abs(margin) - error > bound:
            return None
    bound = 2.0 * row.bounds.separation
    # products of two corners lie over the square of what a corner lies over, and so does a quotient by a length
    corners = [row.core(side).over(2 * _FLOAT32_BITS).corners for side in (0, 1)]

    def separation(reference: list[int]) -> int:
        side, edge = reference
        base, other = corners[side], corners[1 - side]
        (x0, y0), (x1, y1) = base[edge], base[(edge + 1) % len(base)]
        nx, ny = y1 - y0, x0 - x1
        return min(nx * (x - x0) + ny * (y - y0) for x, y in other) // math.isqrt(nx * nx + ny * ny)

    scaled = separation(ours.reference[row.at].tolist()) - separation(replay.reference[row.at].tolist())
    if abs(scaled) > int(bound * 2.0**_GUARD_BITS) << (2 * _FLOAT32_BITS - _GUARD_BITS):
        return None
    margin = float(Fraction(scaled, 1 << (2 * _FLOAT32_BITS)))
    return Verdict(
        "float32_tie", abs(margin), f"two axes are equally deep: the exact margin is {margin:.3g} m, and {bound:.3g} m is allowed"
    )


def explain_steep_clip(row: PosedRow, ours: ManifoldRows, box2d: Answers, widening: float | None = None) -> Explained:
    """Prove that Box2D's points are correct even if they are far from ours: the incident edge is so steep that the cut is undetermined.

    Each point, moved back to the clipped end, must lie on the incident polygon's surface and between the side planes, within the bound of
    one separation: then rounding has only moved it along the edge. `widening` is the distance by which the side planes are moved apart, by
    default both skins.
    """
    side, edge = ours.reference[row.at].tolist()
    base, other = (row.polygon(which, Fraction) for which in (side, 1 - side))
    bound = Fraction(2.0 * row.bounds.separation)
    (nx, ny), sign = base.normals[edge], 1 if side == 0 else -1
    total = base.skin + other.skin if widening is None else Fraction(widening)
    first, last = base.vertices[edge], base.vertices[(edge + 1) % len(base.vertices)]
    farthest = Fraction(0)
    for x, y, separation in box2d.points[row.at, : box2d.count[row.at]].tolist():
        gap = Fraction(separation)
        lift = (base.skin - other.skin - gap) / 2
        end = (Fraction(x) - lift * nx, Fraction(y) - lift * ny)
        corners = list(other.vertices)
        surface = min(_segment_distance_sq(end, *edge) for edge in zip(corners, corners[1:] + corners[:1], strict=True))
        beyond = max(ny * (end[0] - first[0]) - nx * (end[1] - first[1]), nx * (end[1] - last[1]) - ny * (end[0] - last[0])) - total
        above = abs(nx * (end[0] - first[0]) + ny * (end[1] - first[1]) - gap)
        if surface > bound * bound or beyond > bound or above > bound:
            return None
        farthest = max(farthest, abs(beyond) if beyond > 0 else Fraction(0), above)
    turned = max(abs(sign * float(n) - float(m)) for n, m in zip((nx, ny), box2d.normal[row.at].tolist(), strict=True))
    if turned > float(allowances.normal_allowance(row.scale, ours.axis[[row.at], 3], row.is_polygons)[0]):
        return None
    evidence = (
        f"the incident edge deviates from the normal by 1 in {float(ours.axis[row.at, 3]):.3g}, so rounding shifts the clip point along it"
    )
    return Verdict("float32_tie", float(farthest), evidence)


def _segment_distance_sq(point: _Point, start: _Point, end: _Point) -> Fraction:
    ex, ey = end[0] - start[0], end[1] - start[1]
    px, py = point[0] - start[0], point[1] - start[1]
    length_sq = ex * ex + ey * ey
    if length_sq:
        share = min(Fraction(1), max(Fraction(0), (px * ex + py * ey) / length_sq))
        px, py = px - share * ex, py - share * ey
    return px * px + py * py


# --- Circles


def explain_circle(row: PosedRow, ours: ManifoldRows, box2d: Answers, excess: float) -> Explained:
    """Prove that a circle is at the limit of contact, or equally deep behind two edges, within float32 rounding."""
    is_b = row.kind(1) == CIRCLE
    bound = row.bounds.separation
    cores = row.core(0), row.core(1)
    square, (core_a, core_b) = distance_sq(*cores), (core.fractions for core in cores)
    if ours.count[row.at] != box2d.count[row.at]:
        return at_limit(square, row.reach, bound, "the contact threshold")
    own = Answers(ours.count, ours.axis[:, :2], ours.points)
    if (
        ours.count[row.at] == 0
        or excess > 2.0 * bound
        or not all(_is_along_own_normal(row, manifolds, bound) for manifolds in (own, box2d))
    ):
        return None
    if len(core_a) == len(core_b) == 1:
        turned = Fraction(max(abs(float(n - m)) for n, m in zip(ours.axis[row.at, :2], box2d.normal[row.at], strict=True)))
        if square * turned * turned > 2 * Fraction(bound) ** 2:
            return None
        distance = math.sqrt(square)
        return Verdict(
            "float32_tie", distance, f"the centers are {distance:.3g} m apart, but their direction is known only to {bound:.3g} m"
        )
    polygon, center = (core_a, core_b[0]) if is_b else (core_b, core_a[0])
    explained = _explain_region(row, ours, box2d, polygon, center, bound)
    if explained is not None:
        return explained
    edges = row.polygon(0 if is_b else 1, Fraction)
    away = [(center[0] - x, center[1] - y) for x, y in edges.vertices]
    separations = [nx * x + ny * y for (nx, ny), (x, y) in zip(edges.normals, away, strict=True)]
    deepest = max(separations)
    near = [separation for separation in separations if deepest - separation <= Fraction(2.0 * bound)]
    # one nearest edge only: then the center must lie so near to the surface that the direction from it is undetermined
    if len(near) < 2 and float(square) > (bound / allowances.MAX_AGREEING_TURN) ** 2:
        return None
    margin = float(deepest - min(near))
    allowed = f"and {2.0 * bound:.3g} m is allowed"
    evidence = f"the center is equally deep behind {len(near)} edges: the exact margin is {margin:.3g} m, {allowed}"
    return Verdict("float32_tie", margin, evidence)


def _explain_region(row: PosedRow, ours: ManifoldRows, box2d: Answers, polygon: list[_Point], center: _Point, bound: float) -> Explained:
    """Prove that a circle's center is on the border between the region nearest to an edge and the region nearest to its corner.

    Both give the same normal there, but the one from the corner is a direction over a short distance, which is less accurate in float32
    than an edge's normal.
    """
    limit = Fraction(bound)
    for k, (vx, vy) in enumerate(polygon):
        away = (center[0] - vx, center[1] - vy)
        distance = math.hypot(float(away[0]), float(away[1]))
        if distance <= bound:
            continue
        margins = []
        for nx, ny in (polygon[k - 1], polygon[(k + 1) % len(polygon)]):
            ex, ey = nx - vx, ny - vy
            margins.append(float(ex * away[0] + ey * away[1]) / math.hypot(float(ex), float(ey)))
        margin = min(margins, key=abs)
        # on the border of one edge, and beyond the other or on its border too
        if abs(margin) > limit or max(margins) > bound:
            continue
        # the edge's normal stands off the corner's direction by no more than the margin over the distance
        turn = float(allowances.normal_allowance(row.scale, np.array([1.0 / distance]), np.array([False]))[0])
        directions = (np.array([float(away[0]), float(away[1])]) / distance, ours.axis[row.at, :2], box2d.normal[row.at])
        if all(
            min(np.abs(directions[0] - direction).max(), np.abs(directions[0] + direction).max()) <= turn + bound / distance
            for direction in directions[1:]
        ):
            evidence = (
                f"the center is on the border between an edge and its corner: the exact margin is {margin:.3g} m, "
                f"and {bound:.3g} m is allowed"
            )
            return Verdict("float32_tie", abs(margin), evidence)
    return None


def _explain_end(row: PosedRow, ours: ManifoldRows, box2d: Answers, exact: Outcome, bound: float) -> Explained:
    """Prove that a circle's center is so close to the end of an edge that the direction from the end is undetermined."""
    if exact.amplification == 0.0 or not _is_along_own_normal(row, box2d, bound):
        return None
    distance = 1.0 / exact.amplification
    turned = max(abs(float(n - m)) for n, m in zip(ours.axis[row.at, :2], box2d.normal[row.at], strict=True))
    if distance * turned > 2.0 * bound:
        return None
    return Verdict(
        "float32_tie", distance, f"the center is {distance:.3g} m from the edge's end, but its direction is known only to {bound:.3g} m"
    )


def _is_along_own_normal(row: PosedRow, box2d: Answers, bound: float) -> bool:
    """Return True if a circle's contact point agrees with its own normal and separation."""
    is_b = row.kind(1) == CIRCLE
    circle, polygon = (1, 0) if is_b else (0, 1)
    toward = box2d.normal[row.at] if is_b else -box2d.normal[row.at]
    center = row.core(circle).floats[0]
    x, y, separation = box2d.points[row.at, 0].tolist()
    skin = 0.0 if row.kind(polygon) == CIRCLE else row.radius(polygon)
    lift = 0.5 * (skin - separation) - row.radius(circle)
    return bool(max(abs(center[0] + lift * toward[0] - x), abs(center[1] + lift * toward[1] - y)) <= 2.0 * bound)
