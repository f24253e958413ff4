"""Contacts: what two bodies do to each other where they touch, by sequential impulses.

At a point with lever arms ``r_A``, ``r_B`` from the centres of mass and the normal n from A to B, the velocity of B's point less that of
A's is

    v = v_B + w_B x r_B - v_A - w_A x r_A

An impulse ``P n`` at the point changes its normal part by ``P k_n``, and one along the tangent its tangential part by ``P k_t``::

    k_n = 1/m_A + 1/m_B + (r_A x n)^2 / I_A + (r_B x n)^2 / I_B

Signorini's conditions: the gap is not negative, the impulse pushes only, and it does so only where the gap is closed. Coulomb's: the
tangential impulse stays within +-mu times the normal one, and reaches it where the point slides; in the plane the cone is that interval.
Points are solved one by one, each with the others' impulses as they are, the *accumulated* impulse clamped, and again (projected
Gauss-Seidel on impulses; E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005). The last step's impulses are where it starts.

The gap of a point is followed through the sub-steps from the shapes' cores, turned with their bodies: the point of a disc that touches is
not carried up with it as it rolls. The arms of the velocities stay as they were when the step began. An open gap s allows an approach of
``s / h`` (*speculative contact*); a closed one is pushed apart softly (`_softness_kernel`), at most at `PUSH` m/s. *Relaxation* after the
positions takes the push out of the velocities again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._softness_kernel import Softness

__all__ = ["PUSH", "TOUCH", "Contacts", "apply_at_point", "prepare", "relative_velocity", "solve_contacts", "warm_start"]

PUSH = 3.0
"""Metres a second at which overlapping bodies part at most, and no faster: so that a deep overlap is no explosion."""

TOUCH = 1.0e-4
"""Metres of gap that still count as touching: what lies on another body without any load is as near to it as a time of impact leaves it."""


class Contacts(NamedTuple):
    """Pairs in contact within a step, a row each, of two points at most.

    Attributes
    ----------
    bodies : int64 (n, 2)
        Rows of A and B.
    n_points : int64 (n,)
    normal : float64 (n, 2)
        Unit, from A to B.
    arm : float64 (n, 2, 4)
        Of each point: from A's centre of mass x, y, from B's x, y, as the step began.
    radius : float64 (n, 2)
        Of A and B around their cores at the points, m; 0 where the surface is a corner or an edge.
    gap : float64 (n, 2)
        Between the surfaces as the step began, m, less the normal part of the way between the cores.
    mass : float64 (n, 2, 2)
        Effective, kg: along the normal, along the tangent.
    friction : float64 (n,)
    impulse : float64 (n, 2, 2)
        Accumulated in the present sub-step, N s: along the normal, along the tangent, which is the normal turned to the right.
    total : float64 (n, 2, 2)
        The same, summed over the step.
    """

    bodies: IntArray
    n_points: IntArray
    normal: FloatArray
    arm: FloatArray
    radius: FloatArray
    gap: FloatArray
    mass: FloatArray
    friction: FloatArray
    impulse: FloatArray
    total: FloatArray


@inlined_kernel
def apply_at_point(bodies: Bodies, a: int, b: int, arm: FloatArray, x: float, y: float) -> None:
    """Push body `b` by the impulse (x, y) at its arm, and body `a` by the opposite one at its."""
    v, inverse = bodies.velocity, bodies.inverse
    v[a, 0] -= inverse[a, 0] * x
    v[a, 1] -= inverse[a, 0] * y
    v[a, 2] -= inverse[a, 1] * (arm[0] * y - arm[1] * x)
    v[b, 0] += inverse[b, 0] * x
    v[b, 1] += inverse[b, 0] * y
    v[b, 2] += inverse[b, 1] * (arm[2] * y - arm[3] * x)


@inlined_kernel
def relative_velocity(bodies: Bodies, a: int, b: int, arm: FloatArray) -> tuple[float, float]:
    """Return the velocity of B's point less that of A's."""
    v = bodies.velocity
    return (
        v[b, 0] - v[b, 2] * arm[3] - v[a, 0] + v[a, 2] * arm[1],
        v[b, 1] + v[b, 2] * arm[2] - v[a, 1] - v[a, 2] * arm[0],
    )


@inlined_kernel
def warm_start(bodies: Bodies, contacts: Contacts) -> None:
    """Apply the impulses accumulated so far."""
    for row in range(len(contacts.n_points)):
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
        for k in range(contacts.n_points[row]):
            pn, pt = contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
            apply_at_point(bodies, a, b, contacts.arm[row, k], pn * nx + pt * ny, pn * ny - pt * nx)


@inlined_kernel
def solve_contacts(bodies: Bodies, contacts: Contacts, soft: Softness, soft_static: Softness, h: float, is_relaxing: bool) -> None:
    """Solve every contact once, in the order of rows: normal impulses, then friction.

    Parameters
    ----------
    soft, soft_static : Softness
        Of closed gaps between two bodies that can move, and between one and one that cannot.
    h : float
        Seconds of a sub-step.
    is_relaxing : bool
        Closed gaps are not pushed apart.
    """
    inverse = bodies.inverse
    for row in range(len(contacts.n_points)):
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
        is_static = (inverse[a, 0] == 0.0 and inverse[a, 1] == 0.0) or (inverse[b, 0] == 0.0 and inverse[b, 1] == 0.0)
        rates = soft_static if is_static else soft
        for k in range(contacts.n_points[row]):
            arm = contacts.arm[row, k]
            gap = contacts.gap[row, k] + _moved_apart(bodies, a, b, arm, contacts.radius[row], nx, ny)
            bias, mass_scale, impulse_scale = 0.0, 1.0, 0.0
            if gap > 0.0:
                bias = gap / h
            elif not is_relaxing:
                bias, mass_scale, impulse_scale = max(rates.bias_rate * gap, -PUSH), rates.mass_scale, rates.impulse_scale
            vx, vy = relative_velocity(bodies, a, b, arm)
            before = contacts.impulse[row, k, 0]
            if is_relaxing and gap > 0.0 and before == 0.0:
                continue  # what has not met yet keeps the speed with which it will
            change = -contacts.mass[row, k, 0] * mass_scale * (vx * nx + vy * ny + bias) - impulse_scale * before
            after = max(before + change, 0.0)
            contacts.impulse[row, k, 0] = after
            apply_at_point(bodies, a, b, arm, (after - before) * nx, (after - before) * ny)
        for k in range(contacts.n_points[row]):
            arm = contacts.arm[row, k]
            vx, vy = relative_velocity(bodies, a, b, arm)
            most = contacts.friction[row] * contacts.impulse[row, k, 0]
            before = contacts.impulse[row, k, 1]
            after = max(-most, min(before - contacts.mass[row, k, 1] * (vx * ny - vy * nx), most))
            contacts.impulse[row, k, 1] = after
            apply_at_point(bodies, a, b, arm, (after - before) * ny, -(after - before) * nx)


@inlined_kernel
def _moved_apart(bodies: Bodies, a: int, b: int, arm: FloatArray, radius: FloatArray, nx: float, ny: float) -> float:
    """Return the normal part of the way from A's core to B's, which have turned and moved with their bodies since the step began."""
    shift, turn = bodies.shift, bodies.turn
    ax, ay = arm[0] - radius[0] * nx, arm[1] - radius[0] * ny
    bx, by = arm[2] + radius[1] * nx, arm[3] + radius[1] * ny
    x = shift[b, 0] + turn[b, 0] * bx - turn[b, 1] * by - shift[a, 0] - turn[a, 0] * ax + turn[a, 1] * ay
    y = shift[b, 1] + turn[b, 1] * bx + turn[b, 0] * by - shift[a, 1] - turn[a, 1] * ax - turn[a, 0] * ay
    apart: float = x * nx + y * ny
    return apart


@kernel
def prepare(
    ends: IntArray,
    count: IntArray,
    normal: FloatArray,
    position: FloatArray,
    separation: FloatArray,
    radius: FloatArray,
    center: FloatArray,
    velocity: FloatArray,
    inverse: FloatArray,
    dt: float,
) -> tuple[FloatArray, FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return arms, gaps and effective masses of `Contacts`, and which pairs touch, or will within `dt` seconds as they move.

    Parameters
    ----------
    ends : int64 (n, 2)
        Rows of bodies.
    position : float64 (n, 2, 2); separation : float64 (n, 2)
        Midway between the surfaces, world frame; the gap between them.
    radius : float64 (n, 2)
        Of the two shapes.
    center, velocity : float64 (m, 2), (m, 3)
        Of the centres of mass.
    """
    n = len(count)
    arms, gaps, masses = np.zeros((n, 2, 4)), np.zeros((n, 2)), np.zeros((n, 2, 2))
    touches = np.zeros(n, dtype=np.bool_)
    for row in range(n):
        a, b = ends[row, 0], ends[row, 1]
        nx, ny = normal[row, 0], normal[row, 1]
        light, light_a, light_b = inverse[a, 0] + inverse[b, 0], inverse[a, 1], inverse[b, 1]
        for k in range(count[row]):
            x, y = position[row, k, 0], position[row, k, 1]
            ax, ay, bx, by = x - center[a, 0], y - center[a, 1], x - center[b, 0], y - center[b, 1]
            arms[row, k, 0], arms[row, k, 1], arms[row, k, 2], arms[row, k, 3] = ax, ay, bx, by
            gaps[row, k] = separation[row, k] - ((bx - ax) * nx + (by - ay) * ny + radius[row, 0] + radius[row, 1])
            along_a, along_b, across_a, across_b = ax * ny - ay * nx, bx * ny - by * nx, ax * nx + ay * ny, bx * nx + by * ny
            masses[row, k, 0] = 1.0 / (light + light_a * along_a * along_a + light_b * along_b * along_b)
            masses[row, k, 1] = 1.0 / (light + light_a * across_a * across_a + light_b * across_b * across_b)
            rate = (velocity[b, 0] - velocity[b, 2] * by - velocity[a, 0] + velocity[a, 2] * ay) * nx
            rate += (velocity[b, 1] + velocity[b, 2] * bx - velocity[a, 1] - velocity[a, 2] * ax) * ny
            if separation[row, k] + min(rate, 0.0) * dt <= TOUCH:
                touches[row] = True
    return arms, gaps, masses, touches
