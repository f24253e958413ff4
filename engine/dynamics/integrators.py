"""Integrators: advance a state by one time step, given its rate of change.

The law of a mechanical system is of second order. With the position ``x`` and the motion ``p`` as the two halves of a state it is::

    x' = w p,    p' = f(t, x, p)

With ``w = 1`` the motion is the *velocity* and f the acceleration; with ``w = 1 / m`` it is the *momentum* and f the force (Baraff and
Witkin's choice: impulses add up without a mass, and the sum of all momenta is what has to stay). With constant masses the one is the
other times m, and the two runs differ by rounding alone. Every integrator here takes either, and any shape of array.

**Order.** By Taylor's theorem one step of h of the exact solution is::

    y(t + h) = y + h y' + h^2 y'' / 2 + h^3 y''' / 6 + ...

An integrator that agrees with it up to the power h^k leaves out ``C h^(k+1)`` a step, and ``T / h`` such steps leave an error of
``C T h^k`` after a time T: it is *of order k*, and half the step divides the error by 2^k. Only f can be asked for, not its derivatives;
so all but the first two ask more than once a step and mix the answers such that the powers of h match.

*Explicit Euler* is the series cut off after h. Order 1::

    x <- x + h w p,    p <- p + h f(t, x, p)

*Semi-implicit Euler* (symplectic Euler) moves with the new motion. Order 1 as well, for x alone is changed, by ``h^2 w f``::

    p <- p + h f(t, x, p),    x <- x + h w p

but if f does not depend on p, it is the exact flow of an energy that lies O(h) beside the true one, which therefore never drifts. For
``x'' = -W^2 x`` its matrix has the determinant 1, explicit Euler's ``1 + h^2 W^2``, by which the energy grows in each step. It is stable
for ``h W < 2``.

*Midpoint* takes the rate in the middle of the step, where Euler's half step leads. ``y'(t + h/2) = y' + h y'' / 2`` has just the
second power that was missing. Order 2; the energy of a spring still grows, by ``1 + (h W)^4 / 4`` a step.

*Velocity Verlet* (leapfrog, Stoermer) is two half steps of semi-implicit Euler, the one after the other the other way round: half a
push, a whole way, half a push from the new place. A method followed by its mirror image has no even power of h in its error, so that
the order is 2; and it keeps an energy as semi-implicit Euler does, O(h^2) beside the true one::

    x1 = x + h w (p + h/2 f(t, x, p)),    p1 = p + h/2 (f(t, x, p) + f(t + h, x1, p + h f(t, x, p)))

Where f depends on p (drag), the new p stands on both sides; Euler's step is put there, which leaves the order at 2 and takes away the
symmetry.

*RK4*, the classical Runge-Kutta method, asks at the start, twice in the middle and at the end::

    k1 = F(t, y)    k2 = F(t + h/2, y + h/2 k1)    k3 = F(t + h/2, y + h/2 k2)    k4 = F(t + h, y + h k3)
    y <- y + h/6 (k1 + 2 k2 + 2 k3 + k4)

If F depends on t alone, this is Simpson's rule, exact for cubics; the eight conditions for order 4 hold (Hairer, Noersett, Wanner, II.1).
On the spring it multiplies by the series of ``exp(i h W)`` up to the fourth power, and loses energy: ``1 - (h W)^6 / 72`` a step.

The order is a promise for a smooth f. Where the force has a kink, as that of a spring that begins to press, none of these is better than of
order 2, and where it jumps, as a damper's at the touch, of order 1: the study `integrators` measures it. An impulse is worse still.
So a solver that wants more has to stop at the impact, and one that does not may as well take the cheapest that keeps energy bounded.

D. Baraff, A. Witkin, *Physically Based Modeling*, SIGGRAPH course, 1997, "Differential Equation Basics". D. Eberly, *Game Physics*, 2004,
chapter 9. E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, 2006, I.1, VI.3, IX.8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.common.arrays import FloatArray

__all__ = ["INTEGRATORS", "ORDERS", "Integrator", "Rate", "explicit_euler", "midpoint", "rk4", "semi_implicit_euler", "velocity_verlet"]

Rate = Callable[[float, FloatArray, FloatArray], FloatArray]
"""``f(t, x, p)``: maps seconds, positions and motions, float64 of one shape, to the motions' rate of change, a new array.

Accelerations, m/s^2 and rad/s^2, where the motion is a velocity; forces and torques, N and N m, where it is a momentum.
"""


class Integrator(Protocol):
    """One time step."""

    def __call__(
        self, rate: Rate, position: FloatArray, motion: FloatArray, h: float, t: float = 0.0, inverse_mass: FloatArray | float = 1.0
    ) -> tuple[FloatArray, FloatArray]:
        """Return positions and motions, new arrays, `h` seconds after `t`.

        Parameters
        ----------
        rate : Rate
            Of the motions.
        position, motion : float64, any one shape
            Such as (n, 3): x, y, angle of the centers of mass, m and rad; velocities, or momenta with their `inverse_mass`.
        h, t : float
            Seconds.
        inverse_mass : float64 that broadcasts to that shape, or float
            1 for velocities. For momenta 1/kg, and 1/(kg m^2) of angles; 0 for what cannot move.
        """


def explicit_euler(
    rate: Rate, position: FloatArray, motion: FloatArray, h: float, t: float = 0.0, inverse_mass: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Advance along the tangent. Order 1; energy grows."""
    return position + h * (inverse_mass * motion), motion + h * rate(t, position, motion)


def semi_implicit_euler(
    rate: Rate, position: FloatArray, motion: FloatArray, h: float, t: float = 0.0, inverse_mass: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Update the motion, then the position with the new motion. Order 1; energy stays bounded."""
    after = motion + h * rate(t, position, motion)
    return position + h * (inverse_mass * after), after


def midpoint(
    rate: Rate, position: FloatArray, motion: FloatArray, h: float, t: float = 0.0, inverse_mass: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Use the rate half a step ahead. Order 2; energy grows slowly."""
    half = 0.5 * h
    between, halfway = explicit_euler(rate, position, motion, half, t, inverse_mass)
    return position + h * (inverse_mass * halfway), motion + h * rate(t + half, between, halfway)


def velocity_verlet(
    rate: Rate, position: FloatArray, motion: FloatArray, h: float, t: float = 0.0, inverse_mass: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Update the motion by half, move, update by half. Order 2; energy stays bounded if the rate does not depend on the motion."""
    before = rate(t, position, motion)
    after = position + h * (inverse_mass * (motion + 0.5 * h * before))
    return after, motion + 0.5 * h * (before + rate(t + h, after, motion + h * before))


def rk4(
    rate: Rate, position: FloatArray, motion: FloatArray, h: float, t: float = 0.0, inverse_mass: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Use four rates, weighted 1 2 2 1. Order 4; energy is lost slowly."""
    half = 0.5 * h
    v1, f1 = inverse_mass * motion, rate(t, position, motion)
    p2 = motion + half * f1
    v2, f2 = inverse_mass * p2, rate(t + half, position + half * v1, p2)
    p3 = motion + half * f2
    v3, f3 = inverse_mass * p3, rate(t + half, position + half * v2, p3)
    p4 = motion + h * f3
    v4, f4 = inverse_mass * p4, rate(t + h, position + h * v3, p4)
    return position + h / 6.0 * (v1 + 2.0 * (v2 + v3) + v4), motion + h / 6.0 * (f1 + 2.0 * (f2 + f3) + f4)


INTEGRATORS: dict[str, Integrator] = {
    "explicit_euler": explicit_euler,
    "semi_implicit_euler": semi_implicit_euler,
    "midpoint": midpoint,
    "velocity_verlet": velocity_verlet,
    "rk4": rk4,
}
"""Integrators by name, as selected by a method's setting."""

ORDERS = {"explicit_euler": 1, "semi_implicit_euler": 1, "midpoint": 2, "velocity_verlet": 2, "rk4": 4}
"""Order of each integrator: the power of the step with which the error decreases."""
