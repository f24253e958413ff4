"""The algebra of constraints, shared by contacts, joints and all methods.

A constraint between bodies A and B restricts ``C' = J v``, where v are their velocities (v_A, w_A, v_B, w_B). An impulse P along it changes
v by ``M^-1 J^T P``, and its own rate by ``J M^-1 J^T P``; the inverse of ``J M^-1 J^T`` is its *effective mass*. A method needs only three
functions::

    row_velocity    J v
    row_response    J M^-1 J^T, the change of the rate per unit impulse; for two rows, the effect of one on the other
    apply_row       v += M^-1 J^T P

Most constraints act at a point. With the arms r_A, r_B from the centers of mass to it, an impulse along a unit vector u has the Jacobian

    J = (-u, -(r_A x u), u, r_B x u)        with the *levers* r_A x u and r_B x u

which needs no array: the functions with an `arm`, four numbers r_A and r_B, are the same three for a point. `velocity` can also be the
shifts of bodies, for methods that correct positions.
"""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics.model import SUM, Bodies, Contacts, Joints
from engine.geometry._rotation_kernel import cosine_and_sine

__all__ = [
    "Arm", "apply_at_point", "apply_joint_row", "apply_row", "arm_of", "bodies_of", "can_move", "coupling", "joint_velocity_and_response",
    "move_at_point", "n_lines", "pair_of", "point_matrix", "relative_velocity",
    "response", "row_response", "row_velocity", "turn_all", "turn_body",
]  # fmt: skip

Arm = tuple[float, float, float, float]
"""Vectors x, y from A's center of mass to a point and from B's to that point, m."""


# A point


@inlined_kernel
def relative_velocity(velocity: FloatArray, a: int, b: int, arm: Arm) -> tuple[float, float]:
    """Return the velocity of B's point less that of A's."""
    return (
        velocity[b, 0] - velocity[b, 2] * arm[3] - velocity[a, 0] + velocity[a, 2] * arm[1],
        velocity[b, 1] + velocity[b, 2] * arm[2] - velocity[a, 1] - velocity[a, 2] * arm[0],
    )


@inlined_kernel
def apply_at_point(velocity: FloatArray, inverse: FloatArray, a: int, b: int, arm: Arm, x: float, y: float) -> None:
    """Apply the impulse (x, y) to body `b` at its arm, and the opposite one to body `a` at its arm."""
    velocity[a, 0] -= inverse[a, 0] * x
    velocity[a, 1] -= inverse[a, 0] * y
    velocity[a, 2] -= inverse[a, 1] * (arm[0] * y - arm[1] * x)
    velocity[b, 0] += inverse[b, 0] * x
    velocity[b, 1] += inverse[b, 0] * y
    velocity[b, 2] += inverse[b, 1] * (arm[2] * y - arm[3] * x)


@inlined_kernel
def move_at_point(bodies: Bodies, a: int, b: int, arm: Arm, x: float, y: float) -> None:
    """Displace two bodies by one second of the velocities that the impulse (x, y) at a point adds."""
    apply_at_point(bodies.shift, bodies.inverse, a, b, arm, x, y)
    turn_body(bodies, a)
    turn_body(bodies, b)


@inlined_kernel
def coupling(inverse: FloatArray, a: int, b: int, arm: Arm, other: Arm, x: float, y: float) -> float:
    """Return the velocity along a unit vector (x, y) at one point per unit impulse along it at another, 1/kg."""
    response: float = inverse[a, 0] + inverse[b, 0]
    response += inverse[a, 1] * (arm[0] * y - arm[1] * x) * (other[0] * y - other[1] * x)
    response += inverse[b, 1] * (arm[2] * y - arm[3] * x) * (other[2] * y - other[3] * x)
    return response


@inlined_kernel
def response(inverse: FloatArray, a: int, b: int, arm: Arm, x: float, y: float) -> float:
    """Return the velocity along a unit vector (x, y) at a point per unit impulse along it, 1/kg."""
    return coupling(inverse, a, b, arm, arm, x, y)


@inlined_kernel
def point_matrix(inverse: FloatArray, a: int, b: int, arm: Arm) -> tuple[float, float, float]:
    """Return k_xx, k_xy and k_yy: the relative velocity at a point per unit impulse along x and along y."""
    ax, ay, bx, by = arm
    mass = inverse[a, 0] + inverse[b, 0]
    return (
        mass + inverse[a, 1] * ay * ay + inverse[b, 1] * by * by,
        -inverse[a, 1] * ax * ay - inverse[b, 1] * bx * by,
        mass + inverse[a, 1] * ax * ax + inverse[b, 1] * bx * bx,
    )


# A row of a Jacobian between two bodies, float64 (6,)


@inlined_kernel
def row_velocity(velocity: FloatArray, a: int, b: int, row: FloatArray) -> float:
    """Return J v of a row."""
    rate: float = row[0] * velocity[a, 0] + row[1] * velocity[a, 1] + row[2] * velocity[a, 2]
    rate += row[3] * velocity[b, 0] + row[4] * velocity[b, 1] + row[5] * velocity[b, 2]
    return rate


@inlined_kernel
def row_response(inverse: FloatArray, a: int, b: int, row: FloatArray, other: FloatArray) -> float:
    """Return J M^-1 J^T of two rows between the same bodies."""
    straight_a, straight_b = row[0] * other[0] + row[1] * other[1], row[3] * other[3] + row[4] * other[4]
    response: float = inverse[a, 0] * straight_a + inverse[a, 1] * row[2] * other[2]
    response += inverse[b, 0] * straight_b + inverse[b, 1] * row[5] * other[5]
    return response


@inlined_kernel
def apply_row(velocity: FloatArray, inverse: FloatArray, a: int, b: int, row: FloatArray, impulse: float) -> None:
    """Add ``M^-1 J^T`` times an impulse to velocities, or to shifts."""
    for k in range(3):
        column = 0 if k < 2 else 1
        velocity[a, k] += inverse[a, column] * row[k] * impulse
        velocity[b, k] += inverse[b, column] * row[3 + k] * impulse


# Bodies and contacts


@inlined_kernel
def can_move(inverse: FloatArray, body: int) -> bool:
    """Return True if an impulse can move a body."""
    return bool(inverse[body, 0] > 0.0 or inverse[body, 1] > 0.0)


@inlined_kernel
def turn_body(bodies: Bodies, body: int) -> None:
    """Fill the cosine and sine of a body's rotation."""
    bodies.turn[body, 0], bodies.turn[body, 1] = cosine_and_sine(bodies.shift[body, 2])


@inlined_kernel
def turn_all(bodies: Bodies) -> None:
    """Fill the cosines and sines of all bodies' rotations."""
    for body in range(len(bodies.shift)):
        turn_body(bodies, body)


@inlined_kernel
def pair_of(contacts: Contacts, row: int) -> tuple[int, int, float, float]:
    """Return the rows of both bodies of a contact and its normal."""
    return contacts.bodies[row, 0], contacts.bodies[row, 1], contacts.normal[row, 0], contacts.normal[row, 1]


@inlined_kernel
def arm_of(contacts: Contacts, row: int, k: int) -> Arm:
    """Return the arms of a contact's point at the start of the step."""
    return contacts.arm[row, k, 0], contacts.arm[row, k, 1], contacts.arm[row, k, 2], contacts.arm[row, k, 3]


# A joint's row, whose Jacobian is in `joints.line`


@inlined_kernel
def bodies_of(joints: Joints, row: int) -> tuple[int, int, int, int]:
    """Return the bodies of the four lines of a Jacobian; for a row that is no SUM, both bodies twice."""
    if joints.kind[row] == SUM:
        first, second = joints.bodies[row, 0], joints.bodies[row, 1]
        return joints.bodies[first, 0], joints.bodies[first, 1], joints.bodies[second, 0], joints.bodies[second, 1]
    return joints.bodies[row, 0], joints.bodies[row, 1], joints.bodies[row, 0], joints.bodies[row, 1]


@inlined_kernel
def n_lines(joints: Joints, row: int) -> int:
    """Return the number of lines of a row's Jacobian: 4 for a SUM, else 2."""
    return 4 if joints.kind[row] == SUM else 2


@inlined_kernel
def joint_velocity_and_response(bodies: Bodies, joints: Joints, row: int) -> tuple[float, float]:
    """Return J v and J M^-1 J^T. The lines of a body in both rows of a SUM are added before they are squared."""
    v, inverse, line = bodies.velocity, bodies.inverse, joints.line
    at = bodies_of(joints, row)
    n = n_lines(joints, row)
    rate = k = 0.0
    for i in range(n):
        body = at[i]
        rate += line[i, 0] * v[body, 0] + line[i, 1] * v[body, 1] + line[i, 2] * v[body, 2]
        for j in range(n):
            if at[j] == body:
                k += inverse[body, 0] * (line[i, 0] * line[j, 0] + line[i, 1] * line[j, 1])
                k += inverse[body, 1] * line[i, 2] * line[j, 2]
    return rate, k


@inlined_kernel
def apply_joint_row(velocity: FloatArray, inverse: FloatArray, joints: Joints, row: int, impulse: float) -> None:
    """Add ``M^-1 J^T`` times an impulse to velocities, or to shifts."""
    at = bodies_of(joints, row)
    for line in range(n_lines(joints, row)):
        body = at[line]
        velocity[body, 0] += inverse[body, 0] * joints.line[line, 0] * impulse
        velocity[body, 1] += inverse[body, 0] * joints.line[line, 1] * impulse
        velocity[body, 2] += inverse[body, 1] * joints.line[line, 2] * impulse
