"""Contact points of bodies that move and turn within a step, for methods that work on positions."""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics._row_kernel import Arm, apply_at_point, pair_of, relative_velocity, response
from engine.dynamics.model import Bodies, Contacts

__all__ = ["add_push", "displacement", "push_share", "restore", "tangential_displacement", "update_arms"]


@inlined_kernel
def add_push(bodies: Bodies, contacts: Contacts, row: int, speed: float, pushes: FloatArray) -> None:
    """Add the speed at which a contact would part its two bodies, m/s, to what all contacts of each movable one want, float64 (n,)."""
    for side in range(2):
        body = contacts.bodies[row, side]
        if bodies.inverse[body, 0] > 0.0:
            pushes[body] += speed


@inlined_kernel
def push_share(contacts: Contacts, row: int, pushes: FloatArray, limit: float) -> float:
    """Return the share of a contact's speed with which all contacts of its bodies together push at `limit` m/s at most.

    Bodies that lie in one place would otherwise get the sum of what each pair of them wants, and fly apart.
    """
    share: float = limit / max(limit, pushes[contacts.bodies[row, 0]], pushes[contacts.bodies[row, 1]])
    return share


@inlined_kernel
def update_arms(bodies: Bodies, contacts: Contacts, row: int, k: int) -> tuple[float, Arm]:
    """Return the separation of a point, m, and its arms at the bodies' current poses.

    The core turns with its body, the radius around it does not: the contact point of a rolling disc does not move up with the disc.
    """
    a, b, nx, ny = pair_of(contacts, row)
    first, turn, shift = contacts.arm[row, k], bodies.turn, bodies.shift
    radius_a, radius_b = contacts.radius[row, 0], contacts.radius[row, 1]
    ax, ay, bx, by = first[0] - radius_a * nx, first[1] - radius_a * ny, first[2] + radius_b * nx, first[3] + radius_b * ny
    ax, ay = turn[a, 0] * ax - turn[a, 1] * ay, turn[a, 1] * ax + turn[a, 0] * ay
    bx, by = turn[b, 0] * bx - turn[b, 1] * by, turn[b, 1] * bx + turn[b, 0] * by
    x, y = shift[b, 0] + bx - shift[a, 0] - ax, shift[b, 1] + by - shift[a, 1] - ay
    separation: float = contacts.gap[row, k] + x * nx + y * ny
    return separation, (ax + radius_a * nx, ay + radius_a * ny, bx - radius_b * nx, by - radius_b * ny)


@inlined_kernel
def tangential_displacement(bodies: Bodies, since: FloatArray, a: int, b: int, arm: Arm, x: float, y: float) -> float:
    """Return the displacement of B's point along (x, y) relative to A's since the shifts `since`, to first order in the angles, m."""
    way_x, way_y = displacement(bodies, since, a, b, arm)
    return way_x * x + way_y * y


@inlined_kernel
def displacement(bodies: Bodies, since: FloatArray, a: int, b: int, arm: Arm) -> tuple[float, float]:
    """Return the displacement x, y of B's point relative to A's since the shifts `since`, to first order in the angles, m."""
    shift = bodies.shift
    turn_a, turn_b = shift[a, 2] - since[a, 2], shift[b, 2] - since[b, 2]
    way_x = shift[b, 0] - since[b, 0] - turn_b * arm[3] - shift[a, 0] + since[a, 0] + turn_a * arm[1]
    way_y = shift[b, 1] - since[b, 1] + turn_b * arm[2] - shift[a, 1] + since[a, 1] - turn_a * arm[0]
    return way_x, way_y


@inlined_kernel
def restore(bodies: Bodies, contacts: Contacts, row: int, arm: Arm, before: FloatArray, restitution: float, threshold: float) -> float:
    """Set the normal velocity of a contact's point to that given by restitution and the velocity before; return the impulse, N s.

    Parameters
    ----------
    arm : float
        See `update_arms`.
    before : float64 (n, 3)
        Velocities before the contacts were solved; a point bounces if it approached faster than `threshold` m/s.
    """
    a, b, nx, ny = pair_of(contacts, row)
    x, y = relative_velocity(before, a, b, arm)
    approach, target = x * nx + y * ny, 0.0
    if restitution > 0.0:  # a point that bounced in the last sub-step can still overlap
        target = -restitution * approach if approach < -threshold else max(approach, 0.0)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm)
    impulse: float = (target - vx * nx - vy * ny) / response(bodies.inverse, a, b, arm, nx, ny)
    apply_at_point(bodies.velocity, bodies.inverse, a, b, arm, impulse * nx, impulse * ny)
    return impulse
