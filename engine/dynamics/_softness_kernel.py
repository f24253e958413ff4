"""Soft constraints: a constraint as an implicit spring and damper of its own effective mass.

A contact point or a joint requires ``C = 0``, where ``C' = J v``. A spring of stiffness k with a damper c between the two, integrated
implicitly over a step h, gives an impulse ``lambda = -h (k (C + h C') + c C')``. With the effective mass ``m = 1 / (J M^-1 J^T)``, and an
angular frequency w and a damping ratio z in place of k and c,

    k = m w^2,    c = 2 m z w,

the change of the accumulated impulse ``lambda`` that satisfies this is (E. Catto, "Soft Constraints", GDC 2011; "Solver2D", 2024)::

    d lambda = -m mass_scale (J v + bias_rate C) - impulse_scale lambda
    bias_rate = w / (2 z + h w),    mass_scale = h w (2 z + h w) / (1 + h w (2 z + h w)),    impulse_scale = 1 / (1 + h w (2 z + h w))

so a frequency determines how fast the error decays, whatever the masses are: a value that is stiff for a feather is stiff for a house. As w
grows the three approach 1/h, 1, 0: the hard constraint. A sub-step resolves at most an eighth to a quarter of its own frequency, the
defaults of contacts and joints.
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

from engine.common.jit import inlined_kernel

__all__ = ["Softness", "softness"]


class Softness(NamedTuple):
    """Rates of a soft constraint; see the module."""

    bias_rate: float
    mass_scale: float
    impulse_scale: float


@inlined_kernel
def softness(hertz: float, damping_ratio: float, h: float) -> Softness:
    """Return the rates of a constraint of `hertz` 1/s and `damping_ratio` over a sub-step of `h` seconds; hard if `hertz` is 0."""
    if hertz == 0.0:
        return Softness(1.0 / h, 1.0, 0.0)
    omega = 2.0 * pi * hertz
    reach = 2.0 * damping_ratio + h * omega
    stiff = h * omega * reach
    return Softness(omega / reach, stiff / (1.0 + stiff), 1.0 / (1.0 + stiff))
