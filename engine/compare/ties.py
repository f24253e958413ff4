"""Proofs in rational arithmetic that a difference is float32's doing.

The inputs are float32 numbers, hence rationals; Box2D's float32 cosine and sine of an angle are taken as the exact rotation, since
they are what it computed with. Every margin below is then exact (unit normals to 2**-120), and a proof is an inequality
between fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from engine.box2d.oracle import held_rotation
from engine.common.arrays import FloatArray
from engine.common.tolerances import SAT_ROUNDING
from engine.compare import allowances
from engine.compare._decisions import Bounds, Outcome, WorldPolygon, all_outcomes, replay_outcome, world_polygon
from engine.compare._edge_decisions import WorldEdge, replay_edge_circle, replay_edge_polygon
from engine.compare.exact import distance_sq
from engine.compare.posed import Answers, PosedPairs
from engine.narrowphase.batched import ManifoldRows
from engine.narrowphase.packing import CIRCLE, SEGMENT

__all__ = [
    "core_distance_sq",
    "explain_circle",
    "explain_decisions",
    "explain_distance",
    "explain_edge",
    "explain_equal_axes",
    "explain_overlap",
    "explain_steep_clip",
]

_Explained = tuple[str, float, str] | None

_FLOAT32_BITS = 160
"""Every float32 is a whole multiple of 2**-149."""

_GUARD_BITS = 100
"""Of a bound of some 1e-5 m, turned into an integer: finer than float64 holds it."""


def explain_decisions(posed: PosedPairs, at: int, box2d: Answers) -> _Explained:
    """Look for decisions of Box2D's rule that rounding turned so that its own answer comes out, and prove their margins small."""
    bounds = _bounds(posed, at)

    def replay(number: Callable[[float], Any]) -> Callable[[Sequence[int]], Outcome]:
        a, b = (_placed(posed, at, side, number) for side in (0, 1))
        return lambda script: replay_outcome(a, b, bounds, script)

    return _turned_decisions(posed, at, box2d, replay)


def explain_edge(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers) -> _Explained:
    """Do the same for an edge and a polygon or circle; ours must be the rule's answer by the same proof, with nothing or less turned."""
    bounds, shapes = _bounds(posed, at), posed.shapes
    edge_side = 0 if shapes.kind[posed.pairs[at, 0]] == SEGMENT else 1
    is_circle = shapes.kind[posed.pairs[at, 1 - edge_side]] == CIRCLE
    sign = 1 if edge_side == 0 else -1

    def replay(number: Callable[[float], Any]) -> Callable[[Sequence[int]], Outcome]:
        edge = _placed_edge(posed, at, edge_side, number)
        if is_circle:
            center = _world_points(posed, at, 1 - edge_side, None, number)[0]
            radius = number(float(shapes.radius[posed.pairs[at, 1 - edge_side]]))
            return lambda script: replay_edge_circle(edge, center, radius, sign, bounds, script)
        poly = _placed(posed, at, 1 - edge_side, number)
        return lambda script: replay_edge_polygon(edge, poly, sign, bounds, script)

    row = slice(at, at + 1)
    normal = np.where(ours.count[row, None] > 0, ours.axis[row, :2], 0.0)
    answer = posed.take(np.array([at]))
    our_answer = Answers(ours.count[row], normal, ours.points[row])
    if not any(_is_answer(answer, 0, outcome, our_answer) for outcome, _ in all_outcomes(replay(float))):
        return None
    found = _turned_decisions(posed, at, box2d, replay)
    if found is not None or ours.count[at] != box2d.count[at] or ours.count[at] == 0:
        return found
    if not is_circle:
        return explain_steep_clip(posed, at, ours, box2d, widening=0.0)
    return _explain_end(posed, at, ours, box2d, replay(Fraction)(()), bounds.separation)


def _explain_end(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers, exact: Outcome, bound: float) -> _Explained:
    """Prove that a circle's centre lies so near to the end of an edge that the direction from there is undetermined."""
    if exact.amplification == 0.0 or not _is_along_own_normal(posed, at, box2d, bound):
        return None
    distance = 1.0 / exact.amplification
    turned = max(abs(float(n - m)) for n, m in zip(ours.axis[at, :2], box2d.normal[at], strict=True))
    if distance * turned > 2.0 * bound:
        return None
    return "float32_tie", distance, f"the centre lies {distance:.3g} m from the edge's end: its direction is known to {bound:.3g} m only"


def _turned_decisions(
    posed: PosedPairs, at: int, box2d: Answers, replay: Callable[[Callable[[float], Any]], Callable[[Sequence[int]], Outcome]]
) -> _Explained:
    """Follow a rule in float64 through all outcomes until one is Box2D's, then prove the margins on the way in fractions."""
    exactly = None
    for outcome, script in all_outcomes(replay(float)):
        if not _is_answer(posed, at, outcome, box2d):
            continue
        exactly = exactly or replay(Fraction)
        exact = exactly(script)
        if [decision.name for decision in exact.decisions] != [decision.name for decision in outcome.decisions]:
            continue
        if any(abs(decision.margin) > Fraction(decision.bound) for decision in exact.decisions) or not exact.decisions:
            continue
        turned = [decision for decision in exact.decisions if _contradicts(decision.margin, decision.option)] or list(exact.decisions)
        told = ", ".join(f"{one.name}: exact margin {float(one.margin):.3g} of {one.bound:.3g} allowed" for one in turned)
        return "float32_tie", max(abs(float(one.margin)) for one in turned), told
    return None


def explain_equal_axes(posed: PosedPairs, at: int, ours: ManifoldRows, replay: ManifoldRows, is_filtered: bool = False) -> _Explained:
    """Prove that our axis and Box2D's, carried by two edges, have separations that float32 cannot tell apart.

    The fractions are integers here, all over one denominator: 2**160 holds every float32 exactly, products lie over its square, and
    a separation is n . (v - w) / |n| with the edge itself for n.

    A running world asks this for a hundred pairs a step. With `is_filtered` the float64 separations are asked first, each known to
    SAT_ROUNDING times the scale; where that certifies the margin, integers could only say the same, and are not asked (a
    floating-point filter: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997).
    """
    bound = 2.0 * _bounds(posed, at).separation
    if is_filtered:
        margin = float(ours.axis[at, 2] - replay.axis[at, 2])
        error = 3.0 * SAT_ROUNDING * float(posed.scale[at])  # of two separations, and of the operations on this line
        if abs(margin) + error <= bound:
            told = f"two axes equally deep: margin {margin:.3g} m, known to {error:.1g} m, of {bound:.3g} m allowed"
            return "float32_tie", abs(margin), told
        if abs(margin) - error > bound:
            return None
    corners = [_scaled_corners(posed, at, side) for side in (0, 1)]

    def separation(reference: list[int]) -> int:
        side, edge = reference
        base, other = corners[side], corners[1 - side]
        (x0, y0), (x1, y1) = base[edge], base[(edge + 1) % len(base)]
        nx, ny = y1 - y0, x0 - x1
        return min(nx * (x - x0) + ny * (y - y0) for x, y in other) // math.isqrt(nx * nx + ny * ny)

    scaled = separation(ours.reference[at].tolist()) - separation(replay.reference[at].tolist())
    if abs(scaled) > int(bound * 2.0**_GUARD_BITS) << (2 * _FLOAT32_BITS - _GUARD_BITS):
        return None
    margin = float(Fraction(scaled, 1 << (2 * _FLOAT32_BITS)))
    return "float32_tie", abs(margin), f"two axes equally deep: exact margin {margin:.3g} m of {bound:.3g} m allowed"


def explain_steep_clip(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers, widening: float | None = None) -> _Explained:
    """Prove Box2D's points right though they may lie far from ours: the incident edge stands so steep that the cut is undetermined.

    Each point, taken back to the clipped end, must lie on the incident polygon's surface, and between the side planes, within the
    bound of one separation: then rounding moved it along the edge, and nothing else happened. `widening` is by how much the side
    planes are moved apart, both skins unless told.
    """
    side, edge = ours.reference[at].tolist()
    base, other = (_placed(posed, at, which, Fraction) for which in (side, 1 - side))
    bound = Fraction(2.0 * _bounds(posed, at).separation)
    (nx, ny), sign = base.normals[edge], 1 if side == 0 else -1
    total = base.skin + other.skin if widening is None else Fraction(widening)
    first, last = base.vertices[edge], base.vertices[(edge + 1) % len(base.vertices)]
    farthest = Fraction(0)
    for x, y, separation in box2d.points[at, : box2d.count[at]].tolist():
        gap = Fraction(separation)
        lift = (base.skin - other.skin - gap) / 2
        end = (Fraction(x) - lift * nx, Fraction(y) - lift * ny)
        surface = min(
            _segment_distance_sq(end, other.vertices[k], other.vertices[(k + 1) % len(other.vertices)]) for k in range(len(other.vertices))
        )
        beyond = max(ny * (end[0] - first[0]) - nx * (end[1] - first[1]), nx * (end[1] - last[1]) - ny * (end[0] - last[0])) - total
        above = abs(nx * (end[0] - first[0]) + ny * (end[1] - first[1]) - gap)
        if surface > bound * bound or beyond > bound or above > bound:
            return None
        farthest = max(farthest, abs(beyond) if beyond > 0 else Fraction(0), above)
    turned = max(abs(sign * float(n) - float(m)) for n, m in zip((nx, ny), box2d.normal[at].tolist(), strict=True))
    if turned > float(allowances.normal_allowance(posed.scale[at : at + 1], ours.axis[at : at + 1, 3], posed.is_polygons[at : at + 1])[0]):
        return None
    told = f"the incident edge stands 1 in {float(ours.axis[at, 3]):.3g} off the normal, so rounding moves the cut along it"
    return "float32_tie", float(farthest), told


def explain_circle(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers, excess: float) -> _Explained:
    """Prove that a circle lies at the limit of contact, or equally deep behind two edges, within what float32 can tell."""
    shapes, (a, b) = posed.shapes, posed.pairs[at].tolist()
    bound = _bounds(posed, at).separation
    core_a, core_b = _core(posed, at, 0), _core(posed, at, 1)
    reach = Fraction(float(shapes.radius[a])) + Fraction(float(shapes.radius[b]))
    distance_sq = core_distance_sq(core_a, core_b)
    if ours.count[at] != box2d.count[at]:
        return _at_limit(distance_sq, reach, bound, "the limit of contact")
    own = Answers(ours.count, ours.axis[:, :2], ours.points)
    if ours.count[at] == 0 or excess > 2.0 * bound or not all(_is_along_own_normal(posed, at, one, bound) for one in (own, box2d)):
        return None
    if len(core_a) == len(core_b) == 1:
        turned = Fraction(max(abs(float(n - m)) for n, m in zip(ours.axis[at, :2], box2d.normal[at], strict=True)))
        if distance_sq * turned * turned > 2 * Fraction(bound) ** 2:
            return None
        distance = math.sqrt(float(distance_sq))
        return "float32_tie", distance, f"the centres lie {distance:.3g} m apart: their direction is known to {bound:.3g} m only"
    polygon, center = (core_a, core_b[0]) if shapes.kind[b] == CIRCLE else (core_b, core_a[0])
    placed = _placed(posed, at, 0 if shapes.kind[b] == CIRCLE else 1, Fraction)
    found = _explain_region(posed, at, ours, box2d, polygon, center, bound)
    if found is not None:
        return found
    separations = [_edge_separation(placed, edge, [center]) for edge in range(len(polygon))]
    deepest = max(separations)
    near = [one for one in separations if deepest - one <= Fraction(2.0 * bound)]
    # one nearest edge only: then the centre must lie so near to the surface that the direction from it is undetermined
    if len(near) < 2 and float(distance_sq) > (bound / allowances.MOST_AGREEING_TURN) ** 2:
        return None
    margin = float(deepest - min(near))
    told = f"the centre lies equally deep behind {len(near)} edges: exact margin {margin:.3g} m of {2.0 * bound:.3g} m allowed"
    return "float32_tie", margin, told


def _explain_region(
    posed: PosedPairs,
    at: int,
    ours: ManifoldRows,
    box2d: Answers,
    polygon: list[tuple[Fraction, Fraction]],
    center: tuple[Fraction, Fraction],
    bound: float,
) -> _Explained:
    """Prove that a circle's centre lies on the border between what is nearest to an edge and what is nearest to its corner.

    There both give one normal; but that from a corner is a direction over a distance, which float32 knows less well than an edge's.
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
        turn = float(allowances.normal_allowance(posed.scale[at : at + 1], np.array([1.0 / distance]), np.array([False]))[0])
        directions = (np.array([float(away[0]), float(away[1])]) / distance, ours.axis[at, :2], box2d.normal[at])
        if all(
            min(np.abs(directions[0] - one).max(), np.abs(directions[0] + one).max()) <= turn + bound / distance for one in directions[1:]
        ):
            told = f"the centre lies between an edge's and its corner's side: exact margin {margin:.3g} m of {bound:.3g} m allowed"
            return "float32_tie", abs(margin), told
    return None


def explain_overlap(posed: PosedPairs, at: int, box2d_overlaps: bool) -> _Explained:
    """Prove that the distance of two shapes lies at b2TestOverlap's limit, and say which side is right."""
    shapes, (a, b) = posed.shapes, posed.pairs[at].tolist()
    reach = Fraction(float(shapes.radius[a])) + Fraction(float(shapes.radius[b]))
    distance_sq = core_distance_sq(_core(posed, at, 0), _core(posed, at, 1))
    bound = float(allowances.overlap_allowance(posed.scale[at : at + 1])[0])
    found = _at_limit(distance_sq, reach, bound, "the limit of overlap")
    if found is None:
        return None
    truth = distance_sq <= reach * reach
    reason, size, told = found
    return reason, size, f"{told}; {'Box2D' if truth == box2d_overlaps else 'ours'} is right"


def explain_distance(posed: PosedPairs, at: int, ours: float, box2d: float) -> _Explained:
    """Prove that one of two distances is 0 and the other is not because the shapes lie at the limit of touching."""
    shapes, (a, b) = posed.shapes, posed.pairs[at].tolist()
    bound = float(allowances.distance_allowance(posed.scale[at : at + 1])[0])
    if max(ours, box2d) > 2.0 * bound:
        return None
    reach = Fraction(float(shapes.radius[a])) + Fraction(float(shapes.radius[b]))
    found = _at_limit(core_distance_sq(_core(posed, at, 0), _core(posed, at, 1)), reach, bound, "the limit of touching")
    if found is None:
        return None
    return "float32_tie", found[1], f"{found[2]}; ours {ours:.3g} m, Box2D's {box2d:.3g} m"


def core_distance_sq(core_a: list[tuple[Fraction, Fraction]], core_b: list[tuple[Fraction, Fraction]]) -> Fraction:
    """Return the exact squared distance of two convex cores (one vertex is a point), 0 where they overlap; see `exact.distance_sq`."""
    over = math.lcm(*(number.denominator for core in (core_a, core_b) for corner in core for number in corner))
    whole_a, whole_b = (
        [(x.numerator * (over // x.denominator), y.numerator * (over // y.denominator)) for x, y in core] for core in (core_a, core_b)
    )
    square, length_sq = distance_sq(whole_a, whole_b)
    return Fraction(square, length_sq * over * over)


def _at_limit(distance_sq: Fraction, reach: Fraction, bound: float, what: str) -> _Explained:
    slack = Fraction(bound)
    low = max(Fraction(0), reach - slack)
    if not low * low <= distance_sq <= (reach + slack) ** 2:
        return None
    margin = float((distance_sq - reach * reach) / (2 * reach))
    return "float32_tie", abs(margin), f"at {what}: exact margin {margin:.3g} m of {bound:.3g} m allowed"


def _contradicts(margin: Any, option: int) -> bool:
    return bool(margin > 0) != (option == 0)


def _is_answer(posed: PosedPairs, at: int, outcome: Outcome, box2d: Answers) -> bool:
    if len(outcome.points) != box2d.count[at]:
        return False
    if outcome.normal is None:
        return True
    row = slice(at, at + 1)
    amplification: FloatArray = box2d.normal[row, 0] * 0.0 + outcome.amplification
    allowed = float(allowances.point_allowance(posed.scale[row], amplification, posed.is_polygons[row], posed.scale[row])[0])
    turned = float(allowances.normal_allowance(posed.scale[row], amplification, posed.is_polygons[row])[0])
    if max(abs(outcome.normal[k] - box2d.normal[at, k]) for k in range(2)) > turned:
        return False
    theirs = box2d.points[at, : box2d.count[at]].tolist()
    orders = (theirs, theirs[::-1])
    return any(
        all(abs(x - y) <= allowed for ours, their in zip(outcome.points, order, strict=True) for x, y in zip(ours, their, strict=True))
        for order in orders
    )


def _is_along_own_normal(posed: PosedPairs, at: int, box2d: Answers, bound: float) -> bool:
    """Tell whether a circle's contact point lies where its own normal and separation say."""
    shapes, (a, b) = posed.shapes, posed.pairs[at].tolist()
    is_b = shapes.kind[b] == CIRCLE
    circle, polygon = (b, a) if is_b else (a, b)
    toward = box2d.normal[at] if is_b else -box2d.normal[at]
    center = [float(value) for value in _core(posed, at, 1 if is_b else 0)[0]]
    x, y, separation = box2d.points[at, 0].tolist()
    skin = 0.0 if shapes.kind[polygon] == CIRCLE else float(shapes.radius[polygon])
    lift = 0.5 * (skin - separation) - float(shapes.radius[circle])
    return bool(max(abs(center[0] + lift * toward[0] - x), abs(center[1] + lift * toward[1] - y)) <= 2.0 * bound)


def _bounds(posed: PosedPairs, at: int) -> Bounds:
    a, b = posed.pairs[at].tolist()
    return Bounds(
        separation=float(allowances.separation_allowance(posed.scale[at : at + 1])[0]),
        direction=allowances.direction_allowance(),
        centroid=float(allowances.separation_allowance(posed.scale[at : at + 1])[0] + posed.centroid_error[a] + posed.centroid_error[b]),
    )


def _local(posed: PosedPairs, at: int, side: int) -> tuple[int, list[tuple[float, float]], tuple[float, float], tuple[float, float]]:
    shapes, shape = posed.shapes, int(posed.pairs[at, side])
    pose = (posed.poses_a if side == 0 else posed.poses_b)[at]
    first, n = int(shapes.first[shape]), int(shapes.n_vertices[shape])
    x, y, angle = pose.tolist()
    vertices = [(vx, vy) for vx, vy in shapes.vertices[first : first + n].tolist()]
    return shape, vertices, (x, y), held_rotation(angle)


def _placed(posed: PosedPairs, at: int, side: int, number: Callable[[float], Any]) -> WorldPolygon:
    shape, vertices, position, rotation = _local(posed, at, side)
    center_x, center_y = posed.shapes.centroid[shape].tolist()
    return world_polygon(vertices, (center_x, center_y), float(posed.shapes.radius[shape]), position, rotation, number)


def _placed_edge(posed: PosedPairs, at: int, side: int, number: Callable[[float], Any]) -> WorldEdge:
    shapes, shape = posed.shapes, int(posed.pairs[at, side])
    (v1, v2), skin = _world_points(posed, at, side, None, number), number(float(shapes.radius[shape]))
    x1, y1, x2, y2 = shapes.ghosts[shape].tolist()
    before, after = _world_points(posed, at, side, [(x1, y1), (x2, y2)], number)
    has_before, has_after = shapes.has_ghost[shape].tolist()
    return WorldEdge(v1, v2, before if has_before else None, after if has_after else None, skin)


def _core(posed: PosedPairs, at: int, side: int) -> list[tuple[Fraction, Fraction]]:
    return _world_points(posed, at, side, None, Fraction)


def _world_points(
    posed: PosedPairs, at: int, side: int, local: list[tuple[float, float]] | None, number: Callable[[float], Any]
) -> list[tuple[Any, Any]]:
    """Take points of a shape's own frame to the world; its core's vertices unless others are given."""
    _, vertices, (px, py), (cos, sin) = _local(posed, at, side)
    c, s, x0, y0 = number(cos), number(sin), number(px), number(py)
    exact = [(number(x), number(y)) for x, y in (vertices if local is None else local)]
    return [(c * x - s * y + x0, s * x + c * y + y0) for x, y in exact]


def _scaled_corners(posed: PosedPairs, at: int, side: int) -> list[tuple[int, int]]:
    """Return the world corners times 2**320."""
    _, vertices, (px, py), (cos, sin) = _local(posed, at, side)
    c, s = _scaled(cos), _scaled(sin)
    x0, y0 = _scaled(px) << _FLOAT32_BITS, _scaled(py) << _FLOAT32_BITS
    exact = [(_scaled(x), _scaled(y)) for x, y in vertices]
    return [(c * x - s * y + x0, s * x + c * y + y0) for x, y in exact]


def _scaled(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << _FLOAT32_BITS) // denominator


def _edge_separation(polygon: WorldPolygon, edge: int, others: Any) -> Fraction:
    nx, ny = polygon.normals[edge]
    vx, vy = polygon.vertices[edge]
    return min(nx * (x - vx) + ny * (y - vy) for x, y in others)  # type: ignore[no-any-return]


def _segment_distance_sq(point: tuple[Fraction, Fraction], start: tuple[Fraction, Fraction], end: tuple[Fraction, Fraction]) -> Fraction:
    ex, ey = end[0] - start[0], end[1] - start[1]
    px, py = point[0] - start[0], point[1] - start[1]
    length_sq = ex * ex + ey * ey
    if length_sq:
        share = min(Fraction(1), max(Fraction(0), (px * ex + py * ey) / length_sq))
        px, py = px - share * ex, py - share * ey
    return px * px + py * py
