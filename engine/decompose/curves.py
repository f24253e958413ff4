"""Conversion of a drawing's curves to points within a tolerance.

The parameter is divided into n equal steps. If a curve's second derivative is at most M, the curve over a step of 1/n is within M / (8 n^2)
of its chord at the same parameter (the error of linear interpolation). Hence the number of steps for a tolerance t:

    cubic       B'' between 6 (p0 - 2 p1 + p2) and 6 (p1 - 2 p2 + p3)                n >= sqrt(3 max(|..|, |..|) / (4 t))
    ellipse     E(a) = c + u cos a + v sin a,  |E''| = |c - E| <= sqrt(u^2 + v^2)    n >= sweep sqrt(sqrt(u^2 + v^2) / (8 t))

This bounds both directions of the Hausdorff distance, since points of equal parameter correspond.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError

__all__ = ["MAX_STEPS", "cubic_points", "ellipse_points"]

MAX_STEPS = 10_000
"""Maximum number of points of one curve; only a curve millions of tolerances long needs more."""


def cubic_points(p0: complex, p1: complex, p2: complex, p3: complex, tolerance: float) -> FloatArray:
    """Return points after `p0` up to `p3`, float64 (n, 2), such that the polygon through them stays within `tolerance` of the curve.

    Raises
    ------
    InvalidInputError
        That takes more than `MAX_STEPS` points, or a number is NaN.
    """
    bend = max(abs(p0 - 2.0 * p1 + p2), abs(p1 - 2.0 * p2 + p3))
    t = _parameters(math.sqrt(3.0 * bend / (4.0 * tolerance)))
    s = 1.0 - t
    return _pairs(s**3 * p0 + 3.0 * s**2 * t * p1 + 3.0 * s * t**2 * p2 + t**3 * p3, p3)


def ellipse_points(center: complex, u: complex, v: complex, start: float, sweep: float, end: complex, tolerance: float) -> FloatArray:
    """Return points of an elliptic arc after its start up to `end`, as `cubic_points` does.

    Parameters
    ----------
    center, u, v : complex
        The ellipse is ``center + u cos(angle) + v sin(angle)``.
    start, sweep : float
        The start angle and the signed sweep angle; radians.
    """
    angle = start + sweep * _parameters(abs(sweep) * math.sqrt(math.hypot(abs(u), abs(v)) / (8.0 * tolerance)))
    return _pairs(center + u * np.cos(angle) + v * np.sin(angle), end)


def _parameters(n_steps: float) -> FloatArray:
    if not n_steps <= MAX_STEPS:
        raise InvalidInputError("tolerance", f"so large that no curve needs more than {MAX_STEPS} points", Described(f"{n_steps:.3g}"))
    n = max(1, math.ceil(n_steps))
    return np.arange(1, n + 1) / n


def _pairs(points: np.ndarray[tuple[int], np.dtype[np.complex128]], end: complex) -> FloatArray:
    points[-1] = end
    return np.column_stack((points.real, points.imag))
