"""Velocities and positions of bodies through the sub-steps of a step.

The equations of motion of a rigid body in the plane, about its center of mass::

    m v' = m g + F,    I w' = T,    x' = v,    theta' = w

*Semi-implicit Euler* uses the new velocity for the new position, which keeps the energy of an orbit or a pendulum bounded, whereas the
explicit form gains energy in each period::

    v <- (v + h (g + F/m)) / (1 + h d),    x <- x + h v

with the damping ``v' = -d v`` implicit, so that any damping is stable. (E. Catto, "Numerical Methods", GDC 2015; E. Hairer, C. Lubich, G.
Wanner, *Geometric Numerical Integration*, section VI.3.)

On a parabola its position error is ``g h t / 2``. A body without contacts uses the trapezoidal rule instead, ``x <- x + h (v_0 + v_1) /
2``, which is exact for constant acceleration. Summed over the sub-steps, this equals subtracting ``h (v_n - v_0) / 2`` at the end. A body
all of whose contacts have one normal, and slip, uses it along their tangent, so that its stopping distance is exact.
"""

from __future__ import annotations

from engine.common.jit import inlined_kernel
from engine.dynamics._row_kernel import turn_body
from engine.dynamics.model import Bodies

__all__ = ["integrate_positions", "integrate_velocities"]


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
        for k in range(3):
            bodies.shift[body, k] += h * bodies.velocity[body, k]
        turn_body(bodies, body)
