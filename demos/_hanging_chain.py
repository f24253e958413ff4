r"""The shape in which a chain of stiff links hangs, with a load on it; and the catenary that it comes near to.

    left o                           o right     V_k, the upward force of the left support less all weight left of the middle of link k;
          \ 0                       /            H, the pull along the level, the same in every link.
            \                     / n-1          Turning about its middle, link k is at rest where its slope is -V_k / H.
              \_1_           ____/
                  \___2___/                      V_k = R - (k + 1/2) w - P clip(k + 1 - at, 0, 1): with the load P at the fraction f of
                                                  link k, the load turns it as P (1 - f) in the middle's place would

H and R are found from the ends: the links, end to end, must reach the other support. They are where the convex function
``sum l sqrt(H^2 + V_k^2) - H span`` is least (its gradient is what the ends miss), so that Newton's method with halved steps finds them
from anywhere.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["catenary_sag", "hanging_points"]

_MOST = 60
"""Newton steps; ten are usual."""
_NEAR = 1.0e-10
"""Of the span: what the ends may miss."""


def hanging_points(n_links: int, length: float, span: float, weight: float, load: float = 0.0, at: float = 0.0) -> FloatArray:
    """Return the n + 1 hinges, float64 (n + 1, 2), the first at (0, 0) and the last at (span, 0).

    Parameters
    ----------
    n_links, length : int, float
        How many links, and how long each is, meters; together longer than the span.
    span : float
        Meters between the supports.
    weight, load : float
        Of each link, > 0, and of what is put on the chain, in one unit: the shape depends on their ratio alone.
    at : float
        Where the load is, in links from the first hinge: 2.5 is the middle of the third.
    """
    k = np.arange(n_links)
    below = (k + 0.5) * weight + load * np.clip(k + 1.0 - at, 0.0, 1.0)
    total = n_links * weight + load
    pull, rise = total, 0.5 * total
    for _ in range(_MOST):
        upward = rise - below
        tension = np.hypot(pull, upward)
        gradient = np.array([length * (pull / tension).sum() - span, length * (upward / tension).sum()])
        if np.abs(gradient).max() <= _NEAR * span:
            break
        cube = length / tension**3
        mixed = -(cube * pull * upward).sum()
        hessian = np.array([[(cube * upward**2).sum(), mixed], [mixed, (cube * pull**2).sum()]])
        step = np.linalg.solve(hessian, gradient)
        share = 1.0
        now = _height(pull, upward, length, span)
        while share > _NEAR and (pull <= share * step[0] or _height(pull - share * step[0], upward - share * step[1], length, span) > now):
            share *= 0.5
        pull, rise = float(pull - share * step[0]), float(rise - share * step[1])
    upward = rise - below
    directions = np.column_stack((np.full(n_links, pull), -upward)) / np.hypot(pull, upward)[:, None]
    points: FloatArray = np.vstack((np.zeros((1, 2)), np.cumsum(length * directions, axis=0)))
    return points


def catenary_sag(total_length: float, span: float) -> float:
    """Return how far a catenary hangs below its supports: a (cosh(span / 2a) - 1), its length being 2a sinh(span / 2a)."""
    low, high = 1.0e-6, 60.0  # of span / 2a: sinh(x) / x is length / span, and grows with x
    for _ in range(_MOST):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if math.sinh(middle) / middle < total_length / span else (low, middle)
    return 0.5 * span / low * (math.cosh(low) - 1.0)


def _height(pull: float, upward: FloatArray, length: float, span: float) -> float:
    return float(length * np.hypot(pull, upward).sum() - pull * span)
