"""Proof that the distance of two shapes lies so near the limit of touching that rounding decides on which side."""

from __future__ import annotations

import math
from fractions import Fraction

from engine.compare import allowances
from engine.compare.asked.pairs import PosedPairs
from engine.compare.proofs.exact import distance_sq
from engine.compare.proofs.placed import Explained, core_of

__all__ = ["at_limit", "core_distance_sq", "explain_distance", "explain_overlap"]


def explain_overlap(posed: PosedPairs, at: int, box2d_overlaps: bool) -> Explained:
    """Prove that the distance of two shapes lies at b2TestOverlap's limit, and say which side is right."""
    shapes, (a, b) = posed.shapes, posed.pairs[at].tolist()
    reach = Fraction(float(shapes.radius[a])) + Fraction(float(shapes.radius[b]))
    distance_sq = core_distance_sq(core_of(posed, at, 0), core_of(posed, at, 1))
    bound = float(allowances.overlap_allowance(posed.scale[at : at + 1])[0])
    found = at_limit(distance_sq, reach, bound, "the limit of overlap")
    if found is None:
        return None
    truth = distance_sq <= reach * reach
    reason, size, told = found
    return reason, size, f"{told}; {'Box2D' if truth == box2d_overlaps else 'ours'} is right"


def explain_distance(posed: PosedPairs, at: int, ours: float, box2d: float) -> Explained:
    """Prove that one of two distances is 0 and the other is not because the shapes lie at the limit of touching."""
    shapes, (a, b) = posed.shapes, posed.pairs[at].tolist()
    bound = float(allowances.distance_allowance(posed.scale[at : at + 1])[0])
    if max(ours, box2d) > 2.0 * bound:
        return None
    reach = Fraction(float(shapes.radius[a])) + Fraction(float(shapes.radius[b]))
    found = at_limit(core_distance_sq(core_of(posed, at, 0), core_of(posed, at, 1)), reach, bound, "the limit of touching")
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


def at_limit(distance_sq: Fraction, reach: Fraction, bound: float, what: str) -> Explained:
    slack = Fraction(bound)
    low = max(Fraction(0), reach - slack)
    if not low * low <= distance_sq <= (reach + slack) ** 2:
        return None
    margin = float((distance_sq - reach * reach) / (2 * reach))
    return "float32_tie", abs(margin), f"at {what}: exact margin {margin:.3g} m of {bound:.3g} m allowed"
