"""Points of contact as bodies move and turn within a step, for methods that work on places."""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._contact_kernel import Contacts, apply_at_point, relative_velocity
from engine.geometry._rotation_kernel import cosine_and_sine

__all__ = ["displace", "follow", "response", "restore", "turn_to_shift", "way_along"]


@inlined_kernel
def follow(bodies: Bodies, contacts: Contacts, row: int, k: int, arm: FloatArray) -> float:
    """Fill the arms (4,) of a point as its bodies stand now, and return its separation, m.

    The core turns with its body, the radius around it does not: the point of a disc that touches is not carried up as it rolls.
    """
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny, first, turn, shift = contacts.normal[row, 0], contacts.normal[row, 1], contacts.arm[row, k], bodies.turn, bodies.shift
    radius_a, radius_b = contacts.radius[row, 0], contacts.radius[row, 1]
    ax, ay, bx, by = first[0] - radius_a * nx, first[1] - radius_a * ny, first[2] + radius_b * nx, first[3] + radius_b * ny
    arm[0], arm[1] = turn[a, 0] * ax - turn[a, 1] * ay, turn[a, 1] * ax + turn[a, 0] * ay
    arm[2], arm[3] = turn[b, 0] * bx - turn[b, 1] * by, turn[b, 1] * bx + turn[b, 0] * by
    x, y = shift[b, 0] + arm[2] - shift[a, 0] - arm[0], shift[b, 1] + arm[3] - shift[a, 1] - arm[1]
    arm[0] += radius_a * nx
    arm[1] += radius_a * ny
    arm[2] -= radius_b * nx
    arm[3] -= radius_b * ny
    separation: float = contacts.gap[row, k] + x * nx + y * ny
    return separation


@inlined_kernel
def response(bodies: Bodies, a: int, b: int, arm: FloatArray, x: float, y: float) -> float:
    """Return what a unit impulse along (x, y) at a point gives of velocity along it, 1/kg."""
    inverse = bodies.inverse
    lever_a, lever_b = arm[0] * y - arm[1] * x, arm[2] * y - arm[3] * x
    found: float = inverse[a, 0] + inverse[b, 0] + inverse[a, 1] * lever_a * lever_a + inverse[b, 1] * lever_b * lever_b
    return found


@inlined_kernel
def way_along(bodies: Bodies, since: FloatArray, a: int, b: int, arm: FloatArray, x: float, y: float) -> float:
    """Return how far B's point has gone along (x, y) relative to A's since the shifts `since`, to first order in the angles, m."""
    shift = bodies.shift
    turn_a, turn_b = shift[a, 2] - since[a, 2], shift[b, 2] - since[b, 2]
    way_x = shift[b, 0] - since[b, 0] - turn_b * arm[3] - shift[a, 0] + since[a, 0] + turn_a * arm[1]
    way_y = shift[b, 1] - since[b, 1] + turn_b * arm[2] - shift[a, 1] + since[a, 1] - turn_a * arm[0]
    along: float = way_x * x + way_y * y
    return along


@inlined_kernel
def displace(bodies: Bodies, body: int, x: float, y: float, lever: float) -> None:
    """Shift and turn a body as an impulse (x, y) with the moment `lever` does in a second."""
    shift, inverse = bodies.shift, bodies.inverse
    shift[body, 0] += inverse[body, 0] * x
    shift[body, 1] += inverse[body, 0] * y
    shift[body, 2] += inverse[body, 1] * lever
    bodies.turn[body, 0], bodies.turn[body, 1] = cosine_and_sine(shift[body, 2])


@inlined_kernel
def turn_to_shift(bodies: Bodies) -> None:
    """Fill cosines and sines."""
    for body in range(len(bodies.shift)):
        bodies.turn[body, 0], bodies.turn[body, 1] = cosine_and_sine(bodies.shift[body, 2])


@inlined_kernel
def restore(
    bodies: Bodies, contacts: Contacts, row: int, arm: FloatArray, before: FloatArray, restitution: float, threshold: float
) -> float:
    """Bring the normal velocity of a contact's point to what restitution leaves of that of before, and return the impulse, N s.

    Parameters
    ----------
    arm : float64 (4,)
        As `follow` fills it.
    before : float64 (n, 3)
        Velocities before the contacts were solved, in which what approaches faster than `threshold` m/s bounces.
    """
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    x = before[b, 0] - before[b, 2] * arm[3] - before[a, 0] + before[a, 2] * arm[1]
    y = before[b, 1] + before[b, 2] * arm[2] - before[a, 1] - before[a, 2] * arm[0]
    approach = x * nx + y * ny
    wanted = 0.0
    if restitution > 0.0:  # what has bounced in the last sub-step may still overlap
        wanted = -restitution * approach if approach < -threshold else max(approach, 0.0)
    vx, vy = relative_velocity(bodies, a, b, arm)
    given: float = (wanted - vx * nx - vy * ny) / response(bodies, a, b, arm, nx, ny)
    apply_at_point(bodies, a, b, arm, given * nx, given * ny)
    return given
