"""Proof that a circle lies where rounding decides: at the limit of contact, or where its direction is undetermined.

It is undetermined near another circle's centre or an edge's end, between two edges equally near, and on the border of an edge's side and
its corner's.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from engine.compare import allowances
from engine.compare.asked.pairs import Answers, PosedPairs
from engine.compare.proofs._polygon_decisions import Outcome, WorldPolygon
from engine.compare.proofs.placed import Explained, bounds_of, core_of, placed_polygon
from engine.compare.proofs.touching_limit import at_limit, core_distance_sq
from engine.geometry.kinds import CIRCLE
from engine.narrowphase.batched import ManifoldRows

__all__ = ["explain_circle", "explain_end"]


def explain_circle(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers, excess: float) -> Explained:
    """Prove that a circle lies at the limit of contact, or equally deep behind two edges, within what float32 can tell."""
    shapes, (a, b) = posed.shapes, posed.pairs[at].tolist()
    bound = bounds_of(posed, at).separation
    core_a, core_b = core_of(posed, at, 0), core_of(posed, at, 1)
    reach = Fraction(float(shapes.radius[a])) + Fraction(float(shapes.radius[b]))
    distance_sq = core_distance_sq(core_a, core_b)
    if ours.count[at] != box2d.count[at]:
        return at_limit(distance_sq, reach, bound, "the limit of contact")
    own = Answers(ours.count, ours.axis[:, :2], ours.points)
    if ours.count[at] == 0 or excess > 2.0 * bound or not all(is_along_own_normal(posed, at, one, bound) for one in (own, box2d)):
        return None
    if len(core_a) == len(core_b) == 1:
        turned = Fraction(max(abs(float(n - m)) for n, m in zip(ours.axis[at, :2], box2d.normal[at], strict=True)))
        if distance_sq * turned * turned > 2 * Fraction(bound) ** 2:
            return None
        distance = math.sqrt(float(distance_sq))
        return "float32_tie", distance, f"the centres lie {distance:.3g} m apart: their direction is known to {bound:.3g} m only"
    polygon, center = (core_a, core_b[0]) if shapes.kind[b] == CIRCLE else (core_b, core_a[0])
    placed = placed_polygon(posed, at, 0 if shapes.kind[b] == CIRCLE else 1, Fraction)
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
) -> Explained:
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


def explain_end(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers, exact: Outcome, bound: float) -> Explained:
    """Prove that a circle's centre lies so near to the end of an edge that the direction from there is undetermined."""
    if exact.amplification == 0.0 or not is_along_own_normal(posed, at, box2d, bound):
        return None
    distance = 1.0 / exact.amplification
    turned = max(abs(float(n - m)) for n, m in zip(ours.axis[at, :2], box2d.normal[at], strict=True))
    if distance * turned > 2.0 * bound:
        return None
    return "float32_tie", distance, f"the centre lies {distance:.3g} m from the edge's end: its direction is known to {bound:.3g} m only"


def is_along_own_normal(posed: PosedPairs, at: int, box2d: Answers, bound: float) -> bool:
    """Tell whether a circle's contact point lies where its own normal and separation say."""
    shapes, (a, b) = posed.shapes, posed.pairs[at].tolist()
    is_b = shapes.kind[b] == CIRCLE
    circle, polygon = (b, a) if is_b else (a, b)
    toward = box2d.normal[at] if is_b else -box2d.normal[at]
    center = [float(value) for value in core_of(posed, at, 1 if is_b else 0)[0]]
    x, y, separation = box2d.points[at, 0].tolist()
    skin = 0.0 if shapes.kind[polygon] == CIRCLE else float(shapes.radius[polygon])
    lift = 0.5 * (skin - separation) - float(shapes.radius[circle])
    return bool(max(abs(center[0] + lift * toward[0] - x), abs(center[1] + lift * toward[1] - y)) <= 2.0 * bound)


def _edge_separation(polygon: WorldPolygon, edge: int, others: Any) -> Fraction:
    nx, ny = polygon.normals[edge]
    vx, vy = polygon.vertices[edge]
    return min(nx * (x - vx) + ny * (y - vy) for x, y in others)  # type: ignore[no-any-return]
