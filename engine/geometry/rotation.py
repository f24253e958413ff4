"""Cosine and sine of an angle from sums and products only, so that scalar, compiled and SIMD code give bit-identical results.

The library's functions differ between platforms, and compilers do not vectorize them. Here the angle is first brought to the nearest
multiple of a right angle, n = round(angle / (pi/2)), with pi/2 in four parts whose first three have 33 bits, so that n times each is
exact::

        r = angle - n P1 - n P2 - n P3 - n P4                |r| <= pi/4, and a hair

The first difference is exact, because both sides are within a factor of two of each other, or n is 0. The rounding errors of the next two
are computed and added at the end (Dekker's sum), so that r is rounded once, by half a unit in its last place; n times the error of the four
parts of pi/2, 2^20 * 2^-151, is far below 2^-62, the least r of any float64 up to `MAX_TURNED` (J.-M. Muller, Elementary Functions, 2006,
9.3). Two polynomials give cosine and sine of r, and n modulo 4 selects them::

        n mod 4     0     1     2     3
        cosine      c    -s    -c     s
        sine        s     c    -s    -c

The polynomials err by less than 2^-57 of the result, and their evaluation by 0.6 units in the last place; half a unit of r is at most one
of its sine, which can be below the next power of two. So both results are within 1.6 units of the exact ones; the library's within 0.6.

Source: polynomials and parts of pi/2 from FDLIBM 5.3 (k_sin.c, k_cos.c, e_rem_pio2.c), copyright 1993 by Sun Microsystems, which may be
used freely.
"""

from __future__ import annotations

import math

__all__ = ["MAX_TURNED", "cosine_and_sine", "small_turn"]

MAX_TURNED = 2.0**19 * math.pi / 2.0
"""Maximum angle, radians: 823,549. The product of n and 33 bits is exact at least up to here; the library handles larger angles."""

_TO_INTEGER = 1.5 * 2.0**52
"""Adding this leaves a sum whose last bit has the value 1, which rounds to the nearest integer; exact up to 2^51."""

_P1, _P2, _P3, _P4 = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21, 8.47842766036889956997e-32
_S1, _S2, _S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
_S4, _S5, _S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
_C1, _C2, _C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
_C4, _C5, _C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11


def small_turn(angle: float) -> tuple[float, float]:
    """Return cosine and sine of an angle of at most `MAX_TURNED`, without branches, for SIMD kernels."""
    n = (angle * (2.0 / math.pi) + _TO_INTEGER) - _TO_INTEGER
    first, second, third = angle - n * _P1, n * _P2, n * _P3
    near = first - second
    nearer = near - third
    r = nearer + ((((first - near) - second) + ((near - nearer) - third)) - n * _P4)
    z = r * r
    s = r + z * r * (_S1 + z * (_S2 + z * (_S3 + z * (_S4 + z * (_S5 + z * _S6)))))
    half = 0.5 * z
    c = 1.0 - half
    c = c + (((1.0 - c) - half) + z * (z * (_C1 + z * (_C2 + z * (_C3 + z * (_C4 + z * (_C5 + z * _C6)))))))
    quarter = n - 4.0 * ((0.25 * n + _TO_INTEGER) - _TO_INTEGER)  # -2, -1, 0, 1 or 2
    is_odd = abs(quarter) == 1.0
    cos, sin = (s if is_odd else c), (c if is_odd else s)
    turns_cos = (quarter == 1.0) | (abs(quarter) == 2.0)
    turns_sin = (quarter == -1.0) | (abs(quarter) == 2.0)
    return (-cos if turns_cos else cos), (-sin if turns_sin else sin)


def cosine_and_sine(angle: float) -> tuple[float, float]:
    """Return cosine and sine of any finite angle, within 1.6 units in the last place.

    Examples
    --------
    >>> cosine_and_sine(0.0)
    (1.0, 0.0)
    """
    if abs(angle) <= MAX_TURNED:
        return small_turn(angle)
    return math.cos(angle), math.sin(angle)
