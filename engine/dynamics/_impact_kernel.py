"""Impacts: bodies that bounce, before anything else of a step.

Newton's law of restitution: what approaches at a point with the normal velocity ``v < 0`` leaves it with ``-e v``. Where several pairs
touch at once, the order decides; here it is that of an impact travelling through the bodies, pair by pair, as R. Guendelman, R. Bridson and
R. Fedkiw, "Nonconvex Rigid Bodies with Stacking", 2003, section 5, collide: each pair that approaches gets its impulse, and so again until
none approaches. Newton's cradle comes out as it is: the last ball leaves, the others rest.

A pair of two points is one impact: both get their impulses together, from the velocities before it, so that a box that falls flat rises
flat. With the matrix ``K`` of what an impulse at one point does at the other, ``K P = -(1 + e) v`` for the points that approach; where one
would have to pull, it gets none.

After this the sub-steps know no restitution: velocities separate already, and closed gaps are pushed apart without leaving a speed.
"""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._contact_kernel import Contacts, apply_at_point, relative_velocity

__all__ = ["PASSES", "bounce"]

PASSES = 64
"""Times that all pairs are looked at. A cluster of elastic bodies may take many; what approaches after that, the sub-steps hold."""


@inlined_kernel
def bounce(bodies: Bodies, contacts: Contacts, restitution: FloatArray, threshold: float, dt: float) -> None:
    """Let all pairs bounce that will touch within `dt` seconds and approach faster than `threshold` m/s.

    Parameters
    ----------
    restitution : float64 (n,)
        Of each contact, 0 to 1 and more.
    """
    for _ in range(PASSES):
        is_done = True
        for row in range(len(restitution)):
            if restitution[row] > 0.0 and _collide(bodies, contacts, row, restitution[row], threshold, dt):
                is_done = False
        if is_done:
            return


@inlined_kernel
def _collide(bodies: Bodies, contacts: Contacts, row: int, restitution: float, threshold: float, dt: float) -> bool:
    """Let one pair collide where it approaches, and tell whether it did."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    first, second = contacts.arm[row, 0], contacts.arm[row, 1]
    v0, v1 = _approach(bodies, contacts, row, 0, dt), 0.0
    if contacts.n_points[row] == 2:
        v1 = _approach(bodies, contacts, row, 1, dt)
    if v0 > -threshold and v1 > -threshold:
        return False
    p0, p1 = 0.0, 0.0
    if v0 < 0.0 and v1 < 0.0:
        k0, k1 = 1.0 / contacts.mass[row, 0, 0], 1.0 / contacts.mass[row, 1, 0]
        inverse = bodies.inverse
        across = inverse[a, 0] + inverse[b, 0]
        across += inverse[a, 1] * (first[0] * ny - first[1] * nx) * (second[0] * ny - second[1] * nx)
        across += inverse[b, 1] * (first[2] * ny - first[3] * nx) * (second[2] * ny - second[3] * nx)
        determinant = k0 * k1 - across * across
        if determinant > 1.0e-9 * k0 * k1:
            p0 = -(1.0 + restitution) * (k1 * v0 - across * v1) / determinant
            p1 = -(1.0 + restitution) * (k0 * v1 - across * v0) / determinant
    if p0 <= 0.0 or p1 <= 0.0:  # one point alone: the one that approaches faster
        if v0 <= v1:
            p0, p1 = -(1.0 + restitution) * contacts.mass[row, 0, 0] * v0, 0.0
        else:
            p0, p1 = 0.0, -(1.0 + restitution) * contacts.mass[row, 1, 0] * v1
    apply_at_point(bodies, a, b, first, p0 * nx, p0 * ny)
    apply_at_point(bodies, a, b, second, p1 * nx, p1 * ny)
    contacts.total[row, 0, 0] += p0
    contacts.total[row, 1, 0] += p1
    for k in range(contacts.n_points[row]):
        most = contacts.friction[row] * (p0 if k == 0 else p1)
        vx, vy = relative_velocity(bodies, a, b, contacts.arm[row, k])
        pt = max(-most, min(-contacts.mass[row, k, 1] * (vx * ny - vy * nx), most))
        apply_at_point(bodies, a, b, contacts.arm[row, k], pt * ny, -pt * nx)
        contacts.total[row, k, 1] += pt
    return True


@inlined_kernel
def _approach(bodies: Bodies, contacts: Contacts, row: int, k: int, dt: float) -> float:
    """Return the normal velocity of a point where it closes its gap within `dt` seconds, else 0."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    arm = contacts.arm[row, k]
    vx, vy = relative_velocity(bodies, a, b, arm)
    v: float = vx * nx + vy * ny
    gap = contacts.gap[row, k] + (arm[2] - arm[0]) * nx + (arm[3] - arm[1]) * ny + contacts.radius[row, 0] + contacts.radius[row, 1]
    return v if v < 0.0 and gap + v * dt < 0.0 else 0.0
