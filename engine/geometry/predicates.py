"""Exact orientation tests: on which side of a line a point lies.

The turn p, q, r is the sign of

    | qx - px   qy - py |
    | rx - px   ry - py |   =  left - right,     left = (qx - px)(ry - py),  right = (qy - py)(rx - px)

which is positive if r lies left of the line from p to q. It is twice the signed area of the triangle::

              r
             /  \\          +: counter-clockwise
            p----q

Computed in float64 the determinant errs by at most ``(3 + 16 u) u (|left| + |right|)``, u = 2^-53 (`ORIENTATION_ROUNDING`): the
two differences, the two products and the last difference are rounded once each. If it is larger than that, its sign is correct, which
settles nearly every call; otherwise it is recomputed in fractions, which do not round. Products that may have underflowed or overflowed are
also recomputed.

Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.tolerances import ORIENTATION_ROUNDING, SAFE_PRODUCT

__all__ = ["exact_turn", "turn_sign", "turns", "turns_of_few"]


def turn_sign(p: FloatArray, q: FloatArray, r: FloatArray) -> int:
    """Return 1 if r lies left of the line from p to q, -1 if right of it, 0 if on it."""
    value, error = turns(p, q, r.reshape(1, 2))
    if abs(value[0]) > error[0]:
        return 1 if value[0] > 0.0 else -1
    exact = exact_turn(p, q, r)
    return (exact > 0) - (exact < 0)


def turns(p: FloatArray, q: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the determinants of p, q and each of `points` (n, 2), and their error bounds; infinite where unknown."""
    with np.errstate(all="ignore"):
        left = (q[0] - p[0]) * (points[:, 1] - p[1])
        right = (q[1] - p[1]) * (points[:, 0] - p[0])
        value = left - right
        magnitude = np.abs(left) + np.abs(right)
        known = np.isfinite(value) & np.isfinite(magnitude) & (magnitude >= SAFE_PRODUCT)
        return np.where(known, value, 0.0), np.where(known, ORIENTATION_ROUNDING * magnitude, np.inf)


def turns_of_few(p: Sequence[float], q: Sequence[float], points: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """Return the result of `turns` as pairs, computed in a loop, which is faster than arrays for a few points."""
    px, py = p
    dx, dy = q[0] - px, q[1] - py
    turns = []
    for x, y in points:
        left, right = dx * (y - py), dy * (x - px)
        magnitude = abs(left) + abs(right)
        is_known = SAFE_PRODUCT <= magnitude < math.inf
        turns.append((left - right, ORIENTATION_ROUNDING * magnitude) if is_known else (0.0, math.inf))
    return turns


def exact_turn(p: FloatArray | Sequence[float], q: FloatArray | Sequence[float], r: FloatArray | Sequence[float]) -> Fraction:
    """Return the determinant itself."""
    # floats are whole numbers over powers of two: over the largest of these nothing has to be divided on the way
    parts = [float(number).as_integer_ratio() for corner in (p, q, r) for number in corner]
    bits = max(denominator.bit_length() for _, denominator in parts)
    px, py, qx, qy, rx, ry = (numerator << (bits - denominator.bit_length()) for numerator, denominator in parts)
    return Fraction((qx - px) * (ry - py) - (qy - py) * (rx - px), 1 << (2 * bits - 2))
