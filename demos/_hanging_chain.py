r"""Shape of a hanging chain of rigid links with a load, and the catenary that it approximates.

    left o                           o right     V_k is the left support's upward force R minus the weight left of the middle of link k,
          \ 0                       /            H the horizontal tension, equal in all links.
            \                     / n-1          The moments about its middle are balanced if the slope of link k is -V_k / H.
              \_1_           ____/
                  \___2___/                      V_k = R - (k + 1/2) w - P clip(k + 1 - at, 0, 1): a load P at the fraction f of link k
                                                  has the same moment as P (1 - f) in its middle

H and R follow from the ends: the chain must reach the other support. They minimize the convex function
``sum l sqrt(H^2 + V_k^2) - H span``, whose gradient is the gap at the end, so Newton's method with step halving converges from any start.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["catenary_sag", "hanging_points"]

_MAX_STEPS = 60
"""Maximum number of Newton steps; about ten are needed."""
_NEAR = 1.0e-10
"""Allowed gap at the end as a fraction of the span."""


def hanging_points(n_links: int, length: float, span: float, weight: float, load: float = 0.0, at: float = 0.0) -> FloatArray:
    """Return the n + 1 hinges, (n + 1, 2), the first at (0, 0) and the last at (span, 0), meters.

    Parameters
    ----------
    n_links, length : int, float
        Number of links and length of each, meters; in total longer than the span.
    span : float
        Distance of the supports, meters.
    weight, load : float
        Weights of each link, > 0, and of the load, in the same unit, as only their ratio matters.
    at : float
        Position of the load in links from the first hinge: 2.5 is the middle of the third.
    """
    k = np.arange(n_links)
    below = (k + 0.5) * weight + load * np.clip(k + 1.0 - at, 0.0, 1.0)
    total = n_links * weight + load
    pull, rise = total, 0.5 * total
    for _ in range(_MAX_STEPS):
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
    """Return the sag of a catenary, a (cosh(span / 2a) - 1), whose length is 2a sinh(span / 2a), meters."""
    low, high = 1.0e-6, 60.0  # bounds of span / 2a; sinh(x) / x = length / span grows with x
    for _ in range(_MAX_STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if math.sinh(middle) / middle < total_length / span else (low, middle)
    return 0.5 * span / low * (math.cosh(low) - 1.0)


def _height(pull: float, upward: FloatArray, length: float, span: float) -> float:
    return float(length * np.hypot(pull, upward).sum() - pull * span)
