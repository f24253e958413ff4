"""Integrators: advance a state by one time step, given its rate of change.

The equation of motion of a mechanical system is of second order. With the position ``x`` and the motion ``p`` as the two halves of a state
it is::

    x' = w p,    p' = f(t, x, p)

With ``w = 1`` the motion is the *velocity* and f the acceleration; with ``w = 1 / m`` it is the *momentum* and f the force (Baraff and
Witkin's choice: impulses add without masses, and the sum of all momenta is conserved). With constant masses momentum is velocity times m,
and the two differ by rounding alone. Every integrator here accepts either, in arrays of any shape.

**Order.** By Taylor's theorem one step of h of the exact solution is::

    y(t + h) = y + h y' + h^2 y'' / 2 + h^3 y''' / 6 + ...

An integrator that agrees with it up to the power h^k omits ``C h^(k+1)`` per step, and ``T / h`` such steps give an error of ``C T h^k``
after a time T: it is *of order k*, and half the step divides the error by 2^k. Only f can be evaluated, not its derivatives; so all but the
first two evaluate it more than once per step and combine the values such that the powers of h match.

*Explicit Euler* is the series truncated after h. Order 1::

    x <- x + h w p,    p <- p + h f(t, x, p)

*Semi-implicit Euler* (symplectic Euler) uses the new motion for the position. Order 1 as well, since only x changes, by ``h^2 w f``::

    p <- p + h f(t, x, p),    x <- x + h w p

but if f does not depend on p, it is nearly the exact flow of a modified energy, which differs from the true one by O(h), so the energy does
not drift. For ``x'' = -W^2 x`` the determinant of its matrix is 1, that of explicit Euler ``1 + h^2 W^2``, the factor by which the energy
grows per step. It is stable for ``h W < 2``.

*Midpoint* uses the rate in the middle of the step, reached by a half step of explicit Euler. ``y'(t + h/2) = y' + h y'' / 2`` supplies the
missing second power. Order 2; the energy of a spring still grows, by the factor ``1 + (h W)^4 / 4`` per step.

*Velocity Verlet* (leapfrog, Stoermer) is a half step of semi-implicit Euler followed by its mirror image: half a kick, a whole drift, half
a kick at the new position. Such a symmetric method has only even powers of h in its global error, so the order is 2; and it nearly
conserves a modified energy as semi-implicit Euler does, which differs from the true one by O(h^2)::

    x1 = x + h w (p + h/2 f(t, x, p)),    p1 = p + h/2 (f(t, x, p) + f(t + h, x1, p + h f(t, x, p)))

If f depends on p (drag), the new p is on both sides; on the right it is replaced by Euler's step, which keeps order 2 and loses the
symmetry.

*RK4*, the classical Runge-Kutta method, evaluates F at the start, twice in the middle and at the end::

    k1 = F(t, y)    k2 = F(t + h/2, y + h/2 k1)    k3 = F(t + h/2, y + h/2 k2)    k4 = F(t + h, y + h k3)
    y <- y + h/6 (k1 + 2 k2 + 2 k3 + k4)

If F depends on t alone, this is Simpson's rule, exact for cubics; the eight conditions for order 4 hold (Hairer, Noersett, Wanner, II.1).
On the spring it multiplies by the series of ``exp(i h W)`` up to the fourth power, and loses energy, by the factor ``1 - (h W)^6 / 72`` per
step.

The order holds for a smooth f. If the force has a kink, such as that of a contact spring at first touch, none of these exceeds order 2, and
if it jumps, such as that of a damper at first touch, order 1: the study `integrators` measures it. An impulse is worse still. So a solver
of higher order has to stop at each impact, and any other can use the cheapest integrator that keeps energy bounded.

D. Baraff, A. Witkin, *Physically Based Modeling*, SIGGRAPH course, 1997, "Differential Equation Basics". D. Eberly, *Game Physics*, 2004,
chapter 9. E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, 2006, I.1, VI.3, IX.8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.common.arrays import FloatArray

__all__ = ["INTEGRATORS", "ORDERS", "Integrator", "Rate", "explicit_euler", "midpoint", "rk4", "semi_implicit_euler", "velocity_verlet"]

Rate = Callable[[float, FloatArray, FloatArray], FloatArray]
"""``f(t, x, p)``: maps time, s, positions and motions, float64 of one shape, to the rate of change of the motions, a new array.

It returns accelerations, m/s^2 and rad/s^2, if the motion is a velocity; forces and torques, N and N m, if it is a momentum.
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
            Rate of change of the motions.
        position, motion : float64, any one shape
            For example (n, 3): x, y, angle of the centers of mass, m and rad; velocities, or momenta with their `inverse_mass`.
        h, t : float
            Seconds.
        inverse_mass : float64 that broadcasts to that shape, or float
            1 for velocities. For momenta 1/kg, and 1/(kg m^2) of angles; 0 for immovable bodies.
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
