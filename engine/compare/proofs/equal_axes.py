"""Proof that two axes are equally deep: that float32 cannot tell their separations apart."""

from __future__ import annotations

import math
from fractions import Fraction

from engine.common.tolerances import SAT_ROUNDING
from engine.compare.asked.pairs import PosedPairs
from engine.compare.proofs.placed import Explained, bounds_of, local_corners
from engine.narrowphase.batched import ManifoldRows

__all__ = ["explain_equal_axes"]

_FLOAT32_BITS = 160
"""Every float32 is a whole multiple of 2**-149."""

_GUARD_BITS = 100
"""Of a bound of some 1e-5 m, turned into an integer: finer than float64 holds it."""


def explain_equal_axes(posed: PosedPairs, at: int, ours: ManifoldRows, replay: ManifoldRows, is_filtered: bool = False) -> Explained:
    """Prove that our axis and Box2D's, carried by two edges, have separations that float32 cannot tell apart.

    The fractions are integers here, all over one denominator: 2**160 holds every float32 exactly, products lie over its square, and
    a separation is n . (v - w) / |n| with the edge itself for n.

    A running world asks this for a hundred pairs a step. With `is_filtered` the float64 separations are asked first, each known to
    SAT_ROUNDING times the scale; where that certifies the margin, integers could only say the same, and are not asked (a
    floating-point filter: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997).
    """
    bound = 2.0 * bounds_of(posed, at).separation
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


def _scaled_corners(posed: PosedPairs, at: int, side: int) -> list[tuple[int, int]]:
    """Return the world corners times 2**320."""
    _, vertices, (px, py), (cos, sin) = local_corners(posed, at, side)
    c, s = _scaled(cos), _scaled(sin)
    x0, y0 = _scaled(px) << _FLOAT32_BITS, _scaled(py) << _FLOAT32_BITS
    exact = [(_scaled(x), _scaled(y)) for x, y in vertices]
    return [(c * x - s * y + x0, s * x + c * y + y0) for x, y in exact]


def _scaled(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << _FLOAT32_BITS) // denominator
