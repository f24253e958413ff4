"""Impacts: bodies that bounce, before anything else of a step, each at the moment at which it touches.

Newton's law of restitution: what approaches at a point with the normal velocity ``v < 0`` leaves it with ``-e v``. Where several pairs
touch at once, the order decides; here it is that of an impact traveling through the bodies, pair by pair, as E. Guendelman, R. Bridson and
R. Fedkiw, "Nonconvex Rigid Bodies with Stacking", 2003, section 5, collide: each pair that approaches gets its impulse, and so again until
none approaches. Newton's cradle comes out as it is: the last ball leaves, the others rest.

**When.** A body that nothing touches moves on ``x + v t + a t^2 / 2``, and so the gap of a pair on ``s + v t + a t^2 / 2`` with relative
velocity and acceleration along the normal. It closes at

    t = 2 s / (-v + r),    where    r = sqrt(v^2 - 2 a s),    with the velocity -r

A contact is found once a step: a pair that flies together may have met within the last one (t < 0, it overlaps by now) or will in this
one. Of two cores that are points, discs as a rule, the normal is where the centers are then: D + V t of length r_A + r_B, the first root.
A step's overlap turns it by ``v dt / 2r`` else, and throws grazing discs off their course. A pair does not look back beyond the last impact
of either body, nor beyond a step.

**An impulse that comes at t** counts from then on: it changes the velocity by dv, and the place at the end by ``dv (dt - t)``, that is
as if it had come at the start, less ``t dv``. What comes late (t < 0) moves its bodies at once, what comes early at the end of the step.
So a ball that bounces stays on its parabolas, wherever in a step it touches.

A pair of two points is one impact: both get their impulses together, from the velocities before it, so that a box that falls flat rises
flat. With the matrix ``K`` of what an impulse at one point does at the other, ``K P = -(1 + e) v`` for the points that approach; where one
would have to pull, it gets none.

After this the sub-steps know no restitution: velocities separate already, and closed gaps are pushed apart without leaving a speed.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics._row_kernel import Arm, arm_of, coupling, pair_of, relative_velocity, response, turn_body
from engine.dynamics.model import Bodies, Contacts
from engine.dynamics.tolerances import SINGULAR_PAIR

__all__ = ["PASSES", "Impacts", "bounce", "normal_impulses"]

PASSES = 64
"""Maximum number of passes over all pairs. A cluster of elastic bodies may need many; the sub-steps stop what approaches after that."""

_NEWTON = 4
"""Steps of Newton's method for the moment at which two accelerated points are as near as their radii; it doubles the digits each time."""


class Impacts(NamedTuple):
    """Input and state of a step's impacts.

    Attributes
    ----------
    restitution : float64 (n,)
        Restitution of each contact, 0 to 1 and more.
    is_round : bool (n,)
        True if the cores at a contact's point are points.
    last : float64 (m,)
        Time of each body's last impact, seconds from the start of the step. Written here.
    later : float64 (m, 3)
        Displacements to add to the bodies' shifts at the end of the step. Zero at first.
    """

    restitution: FloatArray
    is_round: NDArray[np.bool_]
    last: FloatArray
    later: FloatArray


@inlined_kernel
def bounce(bodies: Bodies, contacts: Contacts, impacts: Impacts, threshold: float, dt: float, h: float) -> None:
    """Solve the impacts of all pairs that touch within `dt` seconds, back or ahead, faster than `threshold` m/s; `h` is a sub-step."""
    restitution, is_hit = impacts.restitution, False
    impacts.last[:] = -dt
    for _ in range(PASSES):
        is_done = True
        for row in range(len(restitution)):
            if restitution[row] > 0.0 and _collide(bodies, contacts, impacts, row, threshold, dt, h):
                is_done = False
        if is_done:
            break
        is_hit = True
    for row in range(len(restitution)):
        if restitution[row] > 0.0 and impacts.is_round[row]:
            _let_pass(bodies, contacts, impacts, row, dt)
    if is_hit:
        for row in range(len(restitution)):
            _wait(contacts, impacts, row)
        for body in range(len(impacts.last)):
            turn_body(bodies, body)


@inlined_kernel
def _collide(bodies: Bodies, contacts: Contacts, impacts: Impacts, row: int, threshold: float, dt: float, h: float) -> bool:
    """Solve the impact of one pair where it meets; return False if it does not meet."""
    restitution, last, later = impacts.restitution[row], impacts.last, impacts.later
    a, b, nx, ny = pair_of(contacts, row)
    since, inverse = max(last[a], last[b]), bodies.inverse
    first, second = arm_of(contacts, row, 0), arm_of(contacts, row, 1)
    v0, v1 = 0.0, 0.0
    if impacts.is_round[row]:
        cores = _arm_of_cores(contacts, row)
        moment, nx, ny, v0 = _points_meet(bodies, contacts, row, since, later, cores)
        if v0 >= -threshold or not _is_due(bodies, a, b, moment, v0, dt, h):
            return False
        radius_a, radius_b = contacts.radius[row, 0], contacts.radius[row, 1]
        first = cores[0] + radius_a * nx, cores[1] + radius_a * ny, cores[2] - radius_b * nx, cores[3] - radius_b * ny
    else:
        moment = inf
        for k in range(contacts.n_points[row]):
            moment = min(moment, _gap_closes(bodies, contacts, row, k, since, threshold, later))
        if moment == inf:
            return False
        v0 = _speed_then(bodies, contacts, row, 0, moment, later)
        if contacts.n_points[row] == 2:
            v1 = _speed_then(bodies, contacts, row, 1, moment, later)
        if not _is_due(bodies, a, b, moment, min(v0, v1), dt, h):
            return False
    p0, p1 = normal_impulses(inverse, a, b, first, second, nx, ny, v0, v1, restitution, contacts.mass[row, 1, 0])
    last[a] = last[b] = moment
    _strike(bodies, a, b, first, p0 * nx, p0 * ny, moment, later)
    _strike(bodies, a, b, second, p1 * nx, p1 * ny, moment, later)
    contacts.total[row, 0, 0] += p0
    contacts.total[row, 1, 0] += p1
    for k in range(contacts.n_points[row]):
        arm = first if k == 0 else second
        limit = contacts.friction[row] * (p0 if k == 0 else p1)
        vx, vy = relative_velocity(bodies.velocity, a, b, arm)
        pt = max(-limit, min(-(vx * ny - vy * nx) / response(inverse, a, b, arm, ny, -nx), limit))
        _strike(bodies, a, b, arm, pt * ny, -pt * nx, moment, later)
        contacts.total[row, k, 1] += pt
    return True


@inlined_kernel
def normal_impulses(
    inverse: FloatArray, a: int, b: int, first: Arm, second: Arm, nx: float, ny: float, v0: float, v1: float, restitution: float,
    second_mass: float,
) -> tuple[float, float]:  # fmt: skip
    """Return the normal impulses of an impact at two points with the normal velocities v0 and v1, 0 where a point does not approach.

    Two points that approach get theirs together; otherwise only the one that approaches faster. `second_mass` is the effective mass there.
    """
    p0, p1 = 0.0, 0.0
    k0 = response(inverse, a, b, first, nx, ny)
    if v0 < 0.0 and v1 < 0.0:
        k1, across = response(inverse, a, b, second, nx, ny), coupling(inverse, a, b, first, second, nx, ny)
        determinant = k0 * k1 - across * across
        if determinant > SINGULAR_PAIR * k0 * k1:
            p0 = -(1.0 + restitution) * (k1 * v0 - across * v1) / determinant
            p1 = -(1.0 + restitution) * (k0 * v1 - across * v0) / determinant
    if p0 <= 0.0 or p1 <= 0.0:
        if v0 <= v1:
            return -(1.0 + restitution) * v0 / k0, 0.0
        return 0.0, -(1.0 + restitution) * second_mass * v1
    return p0, p1


@inlined_kernel
def _let_pass(bodies: Bodies, contacts: Contacts, impacts: Impacts, row: int, dt: float) -> None:
    """Widen the gap of two points that have met already, or miss each other: along the normal of the start they may seem to meet."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    passes = contacts.total[row, 0, 0] > 0.0
    if not passes and _gap(contacts, row, 0) > 0.0:
        since = max(impacts.last[a], impacts.last[b])
        passes = _points_meet(bodies, contacts, row, since, impacts.later, _arm_of_cores(contacts, row))[0] > dt
    if passes:
        vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, 0))
        contacts.gap[row, 0] += (abs(vx) + abs(vy)) * dt


@inlined_kernel
def _wait(contacts: Contacts, impacts: Impacts, row: int) -> None:
    """Widen the gaps of a pair by what it will be farther apart at the end of the step, as it has been hit only in the course of it."""
    a, b, nx, ny = pair_of(contacts, row)
    for k in range(contacts.n_points[row]):
        x, y = relative_velocity(impacts.later, a, b, arm_of(contacts, row, k))
        contacts.gap[row, k] += max(x * nx + y * ny, 0.0)


@inlined_kernel
def _gap_closes(bodies: Bodies, contacts: Contacts, row: int, k: int, since: float, threshold: float, later: FloatArray) -> float:
    """Return when a point closes its gap faster than `threshold`, not before `since`; infinity where it does not."""
    v, acceleration, shifted = _along(bodies, contacts, row, k, later)
    gap = _gap(contacts, row, k) + shifted
    inside = v * v - 2.0 * acceleration * gap
    moment = -inf if gap < 0.0 else inf
    if inside > 0.0 and sqrt(inside) > v:
        moment = 2.0 * gap / (sqrt(inside) - v)
    moment = max(moment, since)
    if moment == inf or gap + (v + 0.5 * acceleration * moment) * moment > _ROUNDING:
        return inf
    return moment if v + acceleration * moment < -threshold else inf


_ROUNDING = 1.0e-9
"""Meters: what a gap that has just closed may still be open."""


@inlined_kernel
def _speed_then(bodies: Bodies, contacts: Contacts, row: int, k: int, moment: float, later: FloatArray) -> float:
    """Return the normal velocity of a point at a moment where its gap is closed within the way of that speed, else 0."""
    v, acceleration, _ = _along(bodies, contacts, row, k, later)
    then: float = v + acceleration * moment
    return min(then, 0.0)


@inlined_kernel
def _along(bodies: Bodies, contacts: Contacts, row: int, k: int, later: FloatArray) -> tuple[float, float, float]:
    """Return the normal velocity and acceleration of a point, and how far impacts have moved it along the normal."""
    a, b, nx, ny = pair_of(contacts, row)
    arm = arm_of(contacts, row, k)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm)
    gx, gy = relative_velocity(bodies.push, a, b, arm)
    sx, sy = relative_velocity(bodies.shift, a, b, arm)
    lx, ly = relative_velocity(later, a, b, arm)
    return vx * nx + vy * ny, gx * nx + gy * ny, (sx + lx) * nx + (sy + ly) * ny


@inlined_kernel
def _is_due(bodies: Bodies, a: int, b: int, moment: float, v: float, dt: float, h: float) -> bool:
    """Return whether a moment lies within the step, or so little beyond that the sub-steps meet before.

    They fall ``g h t / 2`` below the parabola (`_integration_kernel`), and would hold there without a bounce what comes just after them.
    """
    if moment <= dt:
        return True
    push = bodies.push
    pull = abs(push[b, 0] - push[a, 0]) + abs(push[b, 1] - push[a, 1])
    is_before: bool = (moment - dt) * -v <= 0.5 * pull * h * dt
    return is_before


@inlined_kernel
def _arm_of_cores(contacts: Contacts, row: int) -> Arm:
    """Return the arms of both cores, in place of those of the point midway between the surfaces."""
    _, _, nx, ny = pair_of(contacts, row)
    arm, half = contacts.arm[row, 0], 0.5 * _gap(contacts, row, 0)
    below, above = contacts.radius[row, 0] + half, contacts.radius[row, 1] + half
    return arm[0] - below * nx, arm[1] - below * ny, arm[2] + above * nx, arm[3] + above * ny


@inlined_kernel
def _gap(contacts: Contacts, row: int, k: int) -> float:
    """Return the gap of a point as the step began."""
    arm, nx, ny = contacts.arm[row, k], contacts.normal[row, 0], contacts.normal[row, 1]
    gap: float = contacts.gap[row, k] + (arm[2] - arm[0]) * nx + (arm[3] - arm[1]) * ny
    gap += contacts.radius[row, 0] + contacts.radius[row, 1]
    return gap


@inlined_kernel
def _points_meet(
    bodies: Bodies, contacts: Contacts, row: int, since: float, later: FloatArray, cores: Arm
) -> tuple[float, float, float, float]:
    """Return when two cores that are points come as near as their radii, not before `since`; the normal and the velocity along it then."""
    a, b, nx, ny = pair_of(contacts, row)
    wide = contacts.radius[row, 0] + contacts.radius[row, 1]
    apart = wide + _gap(contacts, row, 0)
    sx, sy = relative_velocity(bodies.shift, a, b, cores)
    lx, ly = relative_velocity(later, a, b, cores)
    vx, vy = relative_velocity(bodies.velocity, a, b, cores)
    gx, gy = relative_velocity(bodies.push, a, b, cores)
    dx, dy = apart * nx + sx + lx, apart * ny + sy + ly
    square, along, outside = vx * vx + vy * vy, dx * vx + dy * vy, dx * dx + dy * dy - wide * wide
    inside = along * along - square * outside
    moment = -inf if outside < 0.0 else inf
    if inside > 0.0 and square > 0.0 and (outside < 0.0 or along < 0.0):  # cores that are apart and separate have not met
        moment = (-along - sqrt(inside)) / square
        for _ in range(_NEWTON):
            x, y = dx + (vx + 0.5 * gx * moment) * moment, dy + (vy + 0.5 * gy * moment) * moment
            far = sqrt(x * x + y * y)
            slope = (x * (vx + gx * moment) + y * (vy + gy * moment)) / far if far > 0.0 else 0.0
            if slope < 0.0:
                moment -= (far - wide) / slope
    moment = max(moment, since)
    if moment == inf:
        return inf, nx, ny, 0.0
    x, y = dx + (vx + 0.5 * gx * moment) * moment, dy + (vy + 0.5 * gy * moment) * moment
    far = sqrt(x * x + y * y)
    if far > wide + _ROUNDING or far == 0.0:
        return inf, nx, ny, 0.0
    return moment, x / far, y / far, ((vx + gx * moment) * x + (vy + gy * moment) * y) / far


@inlined_kernel
def _strike(bodies: Bodies, a: int, b: int, arm: Arm, x: float, y: float, moment: float, later: FloatArray) -> None:
    """Apply the impulse (x, y) to body `b` at its arm, and the opposite one to body `a`, at a moment of the step."""
    _strike_body(bodies, a, arm[0], arm[1], -x, -y, moment, later)
    _strike_body(bodies, b, arm[2], arm[3], x, y, moment, later)


@inlined_kernel
def _strike_body(bodies: Bodies, body: int, arm_x: float, arm_y: float, x: float, y: float, moment: float, later: FloatArray) -> None:
    shift = bodies.shift if moment < 0.0 else later
    change = bodies.inverse[body, 0] * x, bodies.inverse[body, 0] * y, bodies.inverse[body, 1] * (arm_x * y - arm_y * x)
    for k in range(3):
        bodies.velocity[body, k] += change[k]
        shift[body, k] -= moment * change[k]
