"""The spring that pulls a point of a body to a place, as Box2D 2.3's mouse joint has it."""

from __future__ import annotations

from math import hypot, pi

from engine.common.jit import inlined_kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._joint_kernel import Joints

__all__ = ["solve_mouse"]


@inlined_kernel
def solve_mouse(bodies: Bodies, joints: Joints, row: int, dt: float) -> None:
    """Solve a spring that pulls a point of B as b2MouseJoint does: ``(K + gamma) dP = -(v + beta C + gamma P)``, k and c of B's mass."""
    b, v, inverse = joints.bodies[row, 1], bodies.velocity, bodies.inverse
    bx, by = joints.arm[row, 2], joints.arm[row, 3]
    mass, omega = 1.0 / inverse[b, 0], 2.0 * pi * joints.spring[row, 0]
    stiffness = mass * omega * omega
    gamma = 1.0 / (dt * (2.0 * mass * joints.spring[row, 1] * omega + dt * stiffness))
    beta = dt * stiffness * gamma
    k11 = inverse[b, 0] + inverse[b, 1] * by * by + gamma
    k22 = inverse[b, 0] + inverse[b, 1] * bx * bx + gamma
    k12 = -inverse[b, 1] * bx * by
    determinant = k11 * k22 - k12 * k12
    before_x, before_y = joints.impulse[row, 0], joints.impulse[row, 1]
    cx = v[b, 0] - v[b, 2] * by + beta * (joints.apart[row, 0] + bx - joints.arm[row, 0]) + gamma * before_x
    cy = v[b, 1] + v[b, 2] * bx + beta * (joints.apart[row, 1] + by - joints.arm[row, 1]) + gamma * before_y
    x = before_x - (k22 * cx - k12 * cy) / determinant
    y = before_y - (k11 * cy - k12 * cx) / determinant
    most, size = joints.most[row] * dt, hypot(x, y)
    if size > most:
        x, y = x * most / size, y * most / size
    joints.impulse[row, 0], joints.impulse[row, 1] = x, y
    x, y = x - before_x, y - before_y
    v[b, 0] += inverse[b, 0] * x
    v[b, 1] += inverse[b, 0] * y
    v[b, 2] += inverse[b, 1] * (bx * y - by * x)
