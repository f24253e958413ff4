"""Solves both points of a contact together, exactly.

With the impulses x along the normal, the points' velocities are ``v' = v + K (x - a)``, where a are the impulses so far and K, 2 x 2, the
velocities per unit impulse at either point. This gives a linear complementarity problem::

    w = K x + b >= 0,   x >= 0,   x . w = 0        with b = v + bias - K a

K is positive definite, so it has one solution, and of the four cases, each point pushing or not, one fits::

    w0 = w1 = 0     x = -K^-1 b               both push
    w0 = x1 = 0     x0 = -b0 / k00            the first one does
    x0 = w1 = 0     x1 = -b1 / k11            the second one
    x0 = x1 = 0     w = b                     none

Nearly redundant points, ``k00^2 >= 1000 det K``, are solved one by one; Box2D omits the second.

Source: E. Catto, b2ContactSolver of Box2D 2.3; K. Murty, *Linear Complementarity, Linear and Nonlinear Programming*, 1988, section 1.4.
"""

from __future__ import annotations

from math import inf

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics._row_kernel import apply_at_point, arm_of, coupling, pair_of, relative_velocity
from engine.dynamics._solver_trace_kernel import PAIR, record_pair
from engine.dynamics.model import Bodies, Contacts

__all__ = ["MAX_CONDITION", "fill_couplings", "solve_pair"]

MAX_CONDITION = 1000.0
"""k_maxConditionNumber of b2ContactSolver."""


@inlined_kernel
def fill_couplings(bodies: Bodies, contacts: Contacts, couplings: FloatArray) -> None:
    """Fill the velocity at one of each contact's two points per unit impulse at the other, k01, float64 (n,); inf if no pair is solved."""
    for row in range(len(contacts.n_points)):
        couplings[row] = inf
        if contacts.n_points[row] == 2:
            a, b, nx, ny = pair_of(contacts, row)
            k01 = coupling(bodies.inverse, a, b, arm_of(contacts, row, 0), arm_of(contacts, row, 1), nx, ny)
            k00, k11 = 1.0 / contacts.mass[row, 0, 0], 1.0 / contacts.mass[row, 1, 0]
            if k00 * k00 < MAX_CONDITION * (k00 * k11 - k01 * k01):
                couplings[row] = k01


@inlined_kernel
def solve_pair(bodies: Bodies, contacts: Contacts, row: int, k01: float, bias_0: float, bias_1: float, trace: FloatArray | None) -> None:
    """Solve both points along the normal.

    Parameters
    ----------
    k01 : float
        See `fill_couplings`.
    bias_0, bias_1 : float
        Velocities, m/s, added to those of the points; the sums must not be negative.
    """
    a, b, nx, ny = pair_of(contacts, row)
    arm_0, arm_1 = arm_of(contacts, row, 0), arm_of(contacts, row, 1)
    a0, a1 = contacts.impulse[row, 0, 0], contacts.impulse[row, 1, 0]
    k00, k11 = 1.0 / contacts.mass[row, 0, 0], 1.0 / contacts.mass[row, 1, 0]
    vx, vy = relative_velocity(bodies.velocity, a, b, arm_0)
    b0 = vx * nx + vy * ny + bias_0 - (k00 * a0 + k01 * a1)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm_1)
    b1 = vx * nx + vy * ny + bias_1 - (k01 * a0 + k11 * a1)
    determinant = k00 * k11 - k01 * k01
    x0, x1 = -(k11 * b0 - k01 * b1) / determinant, -(k00 * b1 - k01 * b0) / determinant
    if x0 < 0.0 or x1 < 0.0:
        x0, x1 = -b0 / k00, 0.0
        if x0 < 0.0 or k01 * x0 + b1 < 0.0:
            x0, x1 = 0.0, -b1 / k11
            if x1 < 0.0 or k01 * x1 + b0 < 0.0:
                x0, x1 = 0.0, 0.0
                if b0 < 0.0 or b1 < 0.0:  # no case fits, because of rounding
                    _record(trace, bodies, contacts, row, a0, a1, bias_0, bias_1)
                    return
    contacts.impulse[row, 0, 0], contacts.impulse[row, 1, 0] = x0, x1
    apply_at_point(bodies.velocity, bodies.inverse, a, b, arm_0, (x0 - a0) * nx, (x0 - a0) * ny)
    apply_at_point(bodies.velocity, bodies.inverse, a, b, arm_1, (x1 - a1) * nx, (x1 - a1) * ny)
    _record(trace, bodies, contacts, row, a0, a1, bias_0, bias_1)


@inlined_kernel
def _record(
    trace: FloatArray | None, bodies: Bodies, contacts: Contacts, row: int, a0: float, a1: float, bias_0: float, bias_1: float
) -> None:
    x0, x1 = contacts.impulse[row, 0, 0], contacts.impulse[row, 1, 0]
    record_pair(trace, PAIR, contacts, row, (a0, a1, x0, x1), bodies.velocity, (bias_0, bias_1))
