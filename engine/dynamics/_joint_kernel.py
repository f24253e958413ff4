"""Joints: rows of constraints on the positions of two bodies, and their solution by sequential impulses.

Every joint is made of a few rows (`joints`). A row has a *coordinate* C of its bodies, and its Jacobian, ``C' = J v``. With d from the
anchor on A to the anchor on B, r_A and r_B from the centers of mass to them, and u a unit vector that turns with A:

=======  =========================================  ======================================================
row      coordinate C                               J: velocity of A, spin of A, velocity of B, spin of B
=======  =========================================  ======================================================
POINT    d, both parts                              -1, -(r_A + s d) x, 1, (r_B - t d) x
ANGLE    angle of B less that of A                  0, -1, 0, 1
ALONG    u . d                                      -u, -(r_A + d) x u, u, r_B x u
LENGTH   abs(d)                                     -u, -r_A x u, u, r_B x u, with u = d / abs(d)
SUM      C_1 + ratio C_2 of two other rows          theirs, the second ones times the ratio
=======  =========================================  ======================================================

A joint's forces are internal: equal, opposite, and along one line, or else a free pair would begin to spin (`forces_at`). Those of a LENGTH
are along d. Those of an ALONG act on both bodies where B's anchor is, which is what u turning with A comes to. Those of a POINT may have
any direction, and where it is driven, or soft, or torn, its anchors are apart: it acts on both bodies at one point of d, ``s + t = 1``, the
nearer to B's anchor the heavier A is, s = w_B / (w_A + w_B) with w = 1 / mass; so on what moves alone it acts at its own anchor. J v is
then how fast d changes as seen by an observer that turns with both, s as fast as A and t as B, and none of that changes abs(d).

At length 0 a LENGTH has no direction; from there it can only grow, along the way on which its anchors part: u is the direction of d'. Where
that is 0 as well any direction does, and it is A's x axis.

(a slider's u across its axis is ALONG as well). What is asked of ``C - target`` is the row's *mode*: HOLD it at 0 as stiff as the
sub-step allows; SPRING, with a frequency and a damping ratio of its own; LOW and HIGH, no less and no more than 0, open otherwise as a
contact's gap is; DRIVE its velocity, with a force that is limited. The impulse follows from the effective mass ``1 / (J M^-1 J^T)`` as in
`_softness_kernel`, and its sum stays within the row's bounds; that of a POINT is a vector, with a 2 x 2 matrix, and bounded in length.

Source: E. Catto, "Modeling and Solving Constraints", GDC 2009, and "Soft Constraints", GDC 2011; A. Shabana, *Computational Dynamics*,
chapter 6. All is computed anew for every sub-step, for joints turn far within one.
"""

from __future__ import annotations

from math import hypot, inf, sqrt
from typing import NamedTuple

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._softness_kernel import Softness, softness

__all__ = [
    "ALONG",
    "ANGLE",
    "DRIVE",
    "HIGH",
    "HOLD",
    "LENGTH",
    "LOW",
    "POINT",
    "READ",
    "SPRING",
    "SUM",
    "Joints",
    "apply_row",
    "coordinate",
    "driven_rate",
    "ends",
    "forces_at",
    "part",
    "rate_and_response",
    "solve_either",
    "solve_joints",
    "solve_point",
    "solve_row",
    "warm_start_joints",
    "warm_start_row",
]

POINT, ANGLE, ALONG, LENGTH, SUM = range(5)
"""Coordinates."""
HOLD, SPRING, LOW, HIGH, DRIVE, READ = range(6)
"""Modes; READ asks nothing: its coordinate is for a SUM."""

DAMPING_RATIO = 2.0
"""Of rows that hold: well beyond critical, so that chains do not ring."""


class Joints(NamedTuple):
    """Rows of joints within a step.

    Attributes
    ----------
    kind, mode : int64 (n,)
    bodies : int64 (n, 2)
        Rows of A and B; of a SUM the two rows it adds up.
    arm : float64 (n, 4)
        Anchor on A from A's center of mass x, y, on B from B's x, y, as the step began, m.
    apart : float64 (n, 3)
        B's center of mass less A's, m, and B's angle less A's, as the step began.
    reach : float64 (n, 2)
        s and t: the shares of the way from anchor to anchor by which the arms on A and on B reach beyond their anchors, to
        where forces act.
    axis : float64 (n, 2)
        u of ALONG as the step began; of a LENGTH what it takes for u where it has none.
    target, speed : float64 (n,)
        Of the coordinate; of its rate for DRIVE.
    most : float64 (n,)
        Force or torque, N or N m, of DRIVE and of a mouse's SPRING.
    spring : float64 (n, 2)
        Frequency in Hz and damping ratio; of DRIVE the share of what is missing that a step shall make up, and 1 where that is to be no
        faster than its force can stop, else 0.
    ratio : float64 (n,)
    impulse, total : float64 (n, 2)
        Accumulated in the present sub-step and over the step; a row of one coordinate has its in the first column.
    """

    kind: IntArray
    mode: IntArray
    bodies: IntArray
    arm: FloatArray
    apart: FloatArray
    reach: FloatArray
    axis: FloatArray
    target: FloatArray
    speed: FloatArray
    most: FloatArray
    spring: FloatArray
    ratio: FloatArray
    impulse: FloatArray
    total: FloatArray


@inlined_kernel
def warm_start_joints(bodies: Bodies, joints: Joints, jacobian: FloatArray) -> None:
    """Apply the impulses accumulated so far."""
    for row in range(len(joints.kind)):
        if joints.mode[row] != READ:
            warm_start_row(bodies, joints, row, jacobian)


@inlined_kernel
def warm_start_row(bodies: Bodies, joints: Joints, row: int, jacobian: FloatArray) -> None:
    """Apply the impulse that a row has accumulated so far."""
    if joints.kind[row] == POINT:
        _apply_at_anchors(bodies, joints, row, joints.impulse[row, 0], joints.impulse[row, 1])
    else:
        coordinate(bodies, joints, row, jacobian)
        apply_row(bodies, joints, row, jacobian, joints.impulse[row, 0])


@inlined_kernel
def solve_joints(bodies: Bodies, joints: Joints, jacobian: FloatArray, h: float, dt: float, is_relaxing: bool) -> None:
    """Solve every row once, in their order, with `h` seconds a sub-step of `dt` seconds.

    `is_relaxing`: no error is made up, and springs, which have acted in this sub-step already, do not act again.

    Parameters
    ----------
    jacobian : float64 (4, 3)
        Room to work in.
    """
    held = softness(0.25 / h, DAMPING_RATIO, h)
    for row in range(len(joints.kind)):
        solve_either(bodies, joints, row, jacobian, held, h, dt, is_relaxing)


@inlined_kernel
def solve_either(
    bodies: Bodies, joints: Joints, row: int, jacobian: FloatArray, held: Softness, h: float, dt: float, is_relaxing: bool
) -> None:
    """Solve a row of one coordinate or a POINT, if it asks for something; see `solve_row`."""
    if joints.mode[row] == READ or (is_relaxing and joints.mode[row] == SPRING):
        return
    if joints.kind[row] == POINT:
        solve_point(bodies, joints, row, held, h, dt, is_relaxing)
    else:
        solve_row(bodies, joints, row, jacobian, held, h, dt, is_relaxing)


@inlined_kernel
def solve_row(
    bodies: Bodies, joints: Joints, row: int, jacobian: FloatArray, held: Softness, h: float, dt: float, is_relaxing: bool
) -> None:
    """Solve a row of one coordinate; `held` is what a row that holds, or stands at its limit, has of softness."""
    mode = joints.mode[row]
    error = coordinate(bodies, joints, row, jacobian) - joints.target[row]
    rate, k = rate_and_response(bodies, joints, row, jacobian)
    if k == 0.0:
        return
    least, most = -inf, inf
    bias, mass_scale, impulse_scale = 0.0, 1.0, 0.0
    if mode == DRIVE:
        most = joints.most[row] * h
        least = -most
        bias = driven_rate(bodies, joints, row, abs(error), dt) * error - joints.speed[row]
    elif mode == SPRING:
        soft = softness(joints.spring[row, 0], joints.spring[row, 1], h)
        bias, mass_scale, impulse_scale = soft.bias_rate * error, soft.mass_scale, soft.impulse_scale
    elif (mode == LOW and error > 0.0) or (mode == HIGH and error < 0.0):
        bias = error / h
    elif not is_relaxing:
        bias, mass_scale, impulse_scale = held.bias_rate * error, held.mass_scale, held.impulse_scale
    if mode == LOW:
        least = 0.0
    elif mode == HIGH:
        most = 0.0
    before = joints.impulse[row, 0]
    after = max(least, min(before - mass_scale * (rate + bias) / k - impulse_scale * before, most))
    joints.impulse[row, 0] = after
    apply_row(bodies, joints, row, jacobian, after - before)


@inlined_kernel
def solve_point(bodies: Bodies, joints: Joints, row: int, held: Softness, h: float, dt: float, is_relaxing: bool) -> None:
    """Solve a POINT; see `solve_row`."""
    a, b = joints.bodies[row, 0], joints.bodies[row, 1]
    v, inverse = bodies.velocity, bodies.inverse
    ax, ay, bx, by, dx, dy = forces_at(bodies, joints, row)
    rate_x = v[b, 0] - v[b, 2] * by - v[a, 0] + v[a, 2] * ay
    rate_y = v[b, 1] + v[b, 2] * bx - v[a, 1] - v[a, 2] * ax
    across = inverse[a, 0] + inverse[b, 0]
    k11 = across + inverse[a, 1] * ay * ay + inverse[b, 1] * by * by
    k12 = -inverse[a, 1] * ax * ay - inverse[b, 1] * bx * by
    k22 = across + inverse[a, 1] * ax * ax + inverse[b, 1] * bx * bx
    determinant = k11 * k22 - k12 * k12
    if determinant == 0.0:
        return
    rate, mass_scale, impulse_scale = 0.0, 1.0, 0.0
    mode = joints.mode[row]
    if mode == DRIVE:
        rate = driven_rate(bodies, joints, row, hypot(dx, dy), dt)
    elif mode == SPRING:
        soft = softness(joints.spring[row, 0], joints.spring[row, 1], h)
        rate, mass_scale, impulse_scale = soft.bias_rate, soft.mass_scale, soft.impulse_scale
    elif not is_relaxing:
        rate, mass_scale, impulse_scale = held.bias_rate, held.mass_scale, held.impulse_scale
    cx, cy = rate_x + rate * dx, rate_y + rate * dy
    before_x, before_y = joints.impulse[row, 0], joints.impulse[row, 1]
    x = before_x - mass_scale * (k22 * cx - k12 * cy) / determinant - impulse_scale * before_x
    y = before_y - mass_scale * (k11 * cy - k12 * cx) / determinant - impulse_scale * before_y
    if mode != HOLD:
        most, size = joints.most[row] * h, hypot(x, y)
        if size > most:
            x, y = x * most / size, y * most / size
    joints.impulse[row, 0], joints.impulse[row, 1] = x, y
    _apply_at_anchors(bodies, joints, row, x - before_x, y - before_y)


@inlined_kernel
def driven_rate(bodies: Bodies, joints: Joints, row: int, error: float, dt: float) -> float:
    """Return at which rate, 1/s, a DRIVE makes up an error of such a size: its share in a step, but slower than its force can stop.

    A share of what is missing in each step is a speed that grows with the steps a second, and a force that is bounded overshoots from
    there, again and again: it would be a spring without a damper. From a speed v half of the force stops within ``v^2 / a``, with
    a = most / m what all of it does to the two bodies' centers (or to their spins), so that v is at most ``sqrt(a C)``. The other half
    is left for what else acts.
    """
    rate: float = joints.spring[row, 0] / dt
    if rate > 0.0 and joints.spring[row, 1] > 0.0 and error > 0.0:
        a, b, k = joints.bodies[row, 0], joints.bodies[row, 1], 1 if joints.kind[row] == ANGLE else 0
        rate = min(rate, sqrt(joints.most[row] * (bodies.inverse[a, k] + bodies.inverse[b, k]) / error))
    return rate


FARTHEST = 4.0
"""Radii of gyration, of A and B together, from its anchors at which a POINT that holds acts at the most; anchors that are farther apart
keep linear momentum alone. Measured: links torn apart at 2 km/s spin up without this bound, and a hinge that begins 1 m apart keeps all."""


@inlined_kernel
def forces_at(bodies: Bodies, joints: Joints, row: int) -> tuple[float, float, float, float, float, float]:
    """Return where a row's forces act, from the centers of mass of A and of B, and the way from the anchor on A to that on B."""
    a, b = joints.bodies[row, 0], joints.bodies[row, 1]
    arm, reach, turn, shift = joints.arm[row], joints.reach[row], bodies.turn, bodies.shift
    ax, ay = turn[a, 0] * arm[0] - turn[a, 1] * arm[1], turn[a, 1] * arm[0] + turn[a, 0] * arm[1]
    bx, by = turn[b, 0] * arm[2] - turn[b, 1] * arm[3], turn[b, 1] * arm[2] + turn[b, 0] * arm[3]
    dx = joints.apart[row, 0] + shift[b, 0] - shift[a, 0] + bx - ax
    dy = joints.apart[row, 1] + shift[b, 1] - shift[a, 1] + by - ay
    s, t = reach[0], reach[1]
    if joints.kind[row] == POINT and joints.mode[row] == HOLD:
        # a torn joint: an arm much longer than what it turns overshoots, and a chain that a bullet has torn open would spin up without end
        far, room = dx * dx + dy * dy, FARTHEST**2 * (_gyration_sq(bodies, a) + _gyration_sq(bodies, b))
        if far > room:
            share = sqrt(room / far)
            s, t = share * s, share * t
    return ax + s * dx, ay + s * dy, bx - t * dx, by - t * dy, dx, dy


@inlined_kernel
def _gyration_sq(bodies: Bodies, body: int) -> float:
    """Return the square of a body's radius of gyration, I / m, m^2; 0 of what does not move or turn."""
    return bodies.inverse[body, 0] / bodies.inverse[body, 1] if bodies.inverse[body, 1] > 0.0 else 0.0


@inlined_kernel
def _apply_at_anchors(bodies: Bodies, joints: Joints, row: int, x: float, y: float) -> None:
    a, b = joints.bodies[row, 0], joints.bodies[row, 1]
    v, inverse = bodies.velocity, bodies.inverse
    ax, ay, bx, by, _, _ = forces_at(bodies, joints, row)
    v[a, 0] -= inverse[a, 0] * x
    v[a, 1] -= inverse[a, 0] * y
    v[a, 2] -= inverse[a, 1] * (ax * y - ay * x)
    v[b, 0] += inverse[b, 0] * x
    v[b, 1] += inverse[b, 0] * y
    v[b, 2] += inverse[b, 1] * (bx * y - by * x)


@inlined_kernel
def coordinate(bodies: Bodies, joints: Joints, row: int, jacobian: FloatArray) -> float:
    """Return the coordinate of a row, and fill its Jacobian: a line each for A and B, of a SUM for its first row's and its second's."""
    if joints.kind[row] != SUM:
        return _of_two(bodies, joints, row, jacobian[:2])
    first, second = joints.bodies[row, 0], joints.bodies[row, 1]
    ratio = joints.ratio[row]
    value: float = _of_two(bodies, joints, first, jacobian[:2]) + ratio * _of_two(bodies, joints, second, jacobian[2:])
    for line in range(2, 4):
        for k in range(3):
            jacobian[line, k] *= ratio
    return value


@inlined_kernel
def part(bodies: Bodies, joints: Joints, row: int, k: int, jacobian: FloatArray) -> float:
    """Do the same for one part of a row of any kind: of a POINT the way along x (k = 0) or y (1), of others all of it."""
    if joints.kind[row] != POINT:
        return coordinate(bodies, joints, row, jacobian)
    ax, ay, bx, by, dx, dy = forces_at(bodies, joints, row)
    for line in range(2):
        sign = 2.0 * line - 1.0
        jacobian[line, 0], jacobian[line, 1] = sign * (1 - k), sign * k
    jacobian[0, 2], jacobian[1, 2] = (ay, -by) if k == 0 else (-ax, bx)
    along: float = dx if k == 0 else dy
    return along


@inlined_kernel
def _of_two(bodies: Bodies, joints: Joints, row: int, jacobian: FloatArray) -> float:
    a, b = joints.bodies[row, 0], joints.bodies[row, 1]
    if joints.kind[row] == ANGLE:
        jacobian[:] = 0.0
        jacobian[0, 2], jacobian[1, 2] = -1.0, 1.0
        angle: float = joints.apart[row, 2] + bodies.shift[b, 2] - bodies.shift[a, 2]
        return angle
    ax, ay, bx, by, dx, dy = forces_at(bodies, joints, row)
    if joints.kind[row] == ALONG:
        ux, uy = _axis_of(bodies, joints, row)
    else:
        ux, uy = _direction_of(bodies, joints, row, ax, ay, bx, by, dx, dy)
    jacobian[0, 0], jacobian[0, 1], jacobian[0, 2] = -ux, -uy, -(ax * uy - ay * ux)
    jacobian[1, 0], jacobian[1, 1], jacobian[1, 2] = ux, uy, bx * uy - by * ux
    along: float = ux * dx + uy * dy
    return along


@inlined_kernel
def _axis_of(bodies: Bodies, joints: Joints, row: int) -> tuple[float, float]:
    a, axis = joints.bodies[row, 0], joints.axis[row]
    return bodies.turn[a, 0] * axis[0] - bodies.turn[a, 1] * axis[1], bodies.turn[a, 1] * axis[0] + bodies.turn[a, 0] * axis[1]


@inlined_kernel
def _direction_of(
    bodies: Bodies, joints: Joints, row: int, ax: float, ay: float, bx: float, by: float, dx: float, dy: float
) -> tuple[float, float]:
    """Return u of a LENGTH."""
    size = hypot(dx, dy)
    if size == 0.0:
        v, w = bodies.velocity[joints.bodies[row, 0]], bodies.velocity[joints.bodies[row, 1]]
        dx, dy = w[0] - w[2] * by - v[0] + v[2] * ay, w[1] + w[2] * bx - v[1] - v[2] * ax
        size = hypot(dx, dy)
        if size == 0.0:
            return _axis_of(bodies, joints, row)
    return dx / size, dy / size


@inlined_kernel
def ends(joints: Joints, row: int) -> tuple[int, int, int, int]:
    """Return the bodies of the four lines of a Jacobian; those of a row that is no SUM stand twice."""
    if joints.kind[row] == SUM:
        first, second = joints.bodies[row, 0], joints.bodies[row, 1]
        return joints.bodies[first, 0], joints.bodies[first, 1], joints.bodies[second, 0], joints.bodies[second, 1]
    return joints.bodies[row, 0], joints.bodies[row, 1], joints.bodies[row, 0], joints.bodies[row, 1]


@inlined_kernel
def rate_and_response(bodies: Bodies, joints: Joints, row: int, jacobian: FloatArray) -> tuple[float, float]:
    """Return J v and J M^-1 J^T. The lines of one body that is in both rows of a SUM add up before they are squared."""
    v, inverse = bodies.velocity, bodies.inverse
    at = ends(joints, row)
    n = 4 if joints.kind[row] == SUM else 2
    rate = k = 0.0
    for line in range(n):
        body = at[line]
        rate += jacobian[line, 0] * v[body, 0] + jacobian[line, 1] * v[body, 1] + jacobian[line, 2] * v[body, 2]
        for other in range(n):
            if at[other] == body:
                k += inverse[body, 0] * (jacobian[line, 0] * jacobian[other, 0] + jacobian[line, 1] * jacobian[other, 1])
                k += inverse[body, 1] * jacobian[line, 2] * jacobian[other, 2]
    return rate, k


@inlined_kernel
def apply_row(bodies: Bodies, joints: Joints, row: int, jacobian: FloatArray, impulse: float) -> None:
    """Push the bodies of a row of one coordinate by an impulse along its Jacobian."""
    v, inverse = bodies.velocity, bodies.inverse
    at = ends(joints, row)
    for line in range(4 if joints.kind[row] == SUM else 2):
        body = at[line]
        v[body, 0] += inverse[body, 0] * jacobian[line, 0] * impulse
        v[body, 1] += inverse[body, 0] * jacobian[line, 1] * impulse
        v[body, 2] += inverse[body, 1] * jacobian[line, 2] * impulse
