"""Velocities and positions of bodies through the sub-steps of a step.

The equations of motion of a rigid body in the plane, about its center of mass::

    m v' = m g + F,    I w' = T,    x' = v,    theta' = w

*Semi-implicit Euler* takes the new velocity for the new position, which keeps the energy of an orbit or a pendulum bounded where the
explicit form gains some each time around::

    v <- (v + h (g + F/m)) / (1 + h d),    x <- x + h v

with the damping ``v' = -d v`` implicit, so that no damping is too strong. (E. Catto, "Numerical Methods", GDC 2015; E. Hairer, C. Lubich,
G. Wanner, *Geometric Numerical Integration*, section VI.3.)

On a parabola its position is off by ``g h t / 2``. A body that nothing touches takes the trapezoid instead, ``x <- x + h (v_0 + v_1) / 2``:
that is exact where the acceleration is constant. Summed over the sub-steps it is the same as to take back ``h (v_n - v_0) / 2`` at the end.
A body all of whose contacts have one normal, and slip, takes it along their tangent, so that it stops where friction says.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.geometry._rotation_kernel import cosine_and_sine

__all__ = ["Bodies", "integrate_positions", "integrate_velocities"]


class Bodies(NamedTuple):
    """Bodies within a step, a row each; the last row is the world's own static body.

    Attributes
    ----------
    velocity : float64 (n, 3)
        Of the center of mass, m/s, and rad/s.
    shift : float64 (n, 3)
        How far the center has moved and the body turned since the step began, m and rad.
    turn : float64 (n, 2)
        Cosine and sine of that angle.
    inverse : float64 (n, 2)
        1/kg and 1/(kg m^2); 0 where nothing can move it.
    push : float64 (n, 3)
        Acceleration by gravity and forces, m/s^2 and rad/s^2.
    decay : float64 (n, 2)
        What a sub-step's damping leaves of linear and angular velocity, ``1 / (1 + h d)``.
    """

    velocity: FloatArray
    shift: FloatArray
    turn: FloatArray
    inverse: FloatArray
    push: FloatArray
    decay: FloatArray


@inlined_kernel
def integrate_velocities(bodies: Bodies, h: float) -> None:
    """Advance all velocities by `h` seconds of gravity, forces and damping."""
    for body in range(len(bodies.velocity)):
        linear, angular = bodies.decay[body, 0], bodies.decay[body, 1]
        bodies.velocity[body, 0] = (bodies.velocity[body, 0] + h * bodies.push[body, 0]) * linear
        bodies.velocity[body, 1] = (bodies.velocity[body, 1] + h * bodies.push[body, 1]) * linear
        bodies.velocity[body, 2] = (bodies.velocity[body, 2] + h * bodies.push[body, 2]) * angular


@inlined_kernel
def integrate_positions(bodies: Bodies, h: float) -> None:
    """Advance all positions by `h` seconds."""
    for body in range(len(bodies.velocity)):
        bodies.shift[body, 0] += h * bodies.velocity[body, 0]
        bodies.shift[body, 1] += h * bodies.velocity[body, 1]
        bodies.shift[body, 2] += h * bodies.velocity[body, 2]
        angle = bodies.shift[body, 2]
        bodies.turn[body, 0], bodies.turn[body, 1] = cosine_and_sine(angle)
