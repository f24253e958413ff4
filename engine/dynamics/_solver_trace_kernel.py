"""Rows that the methods' kernels record if they are given a trace (`engine.common._record_kernel`).

Each row has its kind and then its numbers. ``v_A`` and ``v_B`` are the velocities of both bodies, three numbers each, *after* the row has
been solved, ``x_A`` and ``x_B`` their shifts since the start of the step; rows of contacts are those of `Problem.contacts`::

    STAGE       stage, number                                                   see below; BODY rows of all bodies follow
    BODY        body, v (3), x (3)
    WARM        contact, point, P_n, P_t, v_A, v_B                              initial impulses of a point
    NORMAL      contact, point, before, after, v_A, v_B, bias, share, kept, gap
    TANGENT     the same                                                        accumulated impulses; P <- P - kept P - share m (J v + bias)
    PAIR        contact, before, before, after, after, v_A, v_B, bias, bias, give, give     both normals: J v + bias + give P >= 0
    COLLIDE     contact, P_n, P_n, P_t, v_A, v_B, asked, asked, e, frozen       impulses of a pair; infinite masses, +4 if it slides
    APART       contact, point, gap, impulse, x_A, x_B, n_x, n_y                a position correction without change of velocity
    PLACED      contact, point, before, after, x_A, x_B, C, s, levers (2)       XPBD's displacement along the normal
    HELD        the same                                                        along the tangent; after is NaN if friction fails
    RESTORED    contact, point, given, v_A, v_B, arms (4)                       a normal velocity set by XPBD or AVBD
    SLID        contact, point, before, after, v_A, v_B, arms (4)
    DESCENT     body, x (3), matrix (6), residual (3), n                        AVBD's step of a body, from n constraints
    DUAL        contact, point, f_n before, after, f_t before, after, k before, after, C, slip
    FORCE       contact, point, gap, F_n, F_t, rates (2), stretch, is_kept, levers (4)      of a spring and a damper, N
    FOUND       contact, point, is_tangent, status, P or F, J v or J a, holds, bias     a row; contact -1: of a joint, or a new pair
    TRIED       number, holds, n free                                           result of the rows before it; see the methods
    PIVOT       entering row (3), changed row (3), becomes, force               of Dantzig's method; rows as the first three of FOUND
    PIECE       time, seconds, is_collision                                     a time interval ends; bodies follow in a stage
"""

from __future__ import annotations

from engine.common._record_kernel import record
from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics._row_kernel import Arm
from engine.dynamics.model import Bodies, Contacts

__all__ = [
    "APART", "BEGIN", "BODY", "BOUNCED", "COLLIDE", "COLLISIONS", "DESCENT", "DUAL", "END", "FLY", "FORCE", "FOUND", "FREE",
    "FROZEN", "HELD", "JOINTS", "MOVE", "NORMAL", "PAIR", "PIECE", "PIVOT", "PLACED", "PLACES", "PUSH_APART", "RELAX", "RESTORED",
    "SLID", "STAGE", "SWEEP", "TANGENT", "TRIED", "VELOCITIES", "WARM", "WARMED", "record_pair", "record_placed", "record_restored",
    "record_row", "record_stage", "record_warm",
]  # fmt: skip

STAGE, BODY, WARM, NORMAL, TANGENT, PAIR, COLLIDE, APART, PLACED, HELD, RESTORED, SLID, DESCENT, DUAL, FORCE, TRIED, FOUND, PIVOT, PIECE = (
    float(kind) for kind in range(1, 20)
)

BEGIN, FREE, WARMED, JOINTS, SWEEP, MOVE, RELAX, BOUNCED, PLACES, END, FLY, VELOCITIES, COLLISIONS, FROZEN, PUSH_APART = (
    float(stage) for stage in range(15)
)
"""Stages: the step begins; gravity, forces and damping have been added; the last impulses have been applied; joints have been solved; sweep
`number` over the contacts begins; bodies have moved; relaxation begins; restitution has been applied; sweep `number` over positions begins;
the step ends; bodies have moved freely; velocities have been computed from positions; passes of collisions begin; passes with frozen layers
begin; sweeps that push bodies apart begin."""


@inlined_kernel
def record_stage(trace: FloatArray | None, bodies: Bodies, stage: float, number: int) -> None:
    """Record a stage with the velocities and shifts of all bodies."""
    if trace is not None:
        record(trace, STAGE, (stage, float(number)))
        for body in range(len(bodies.velocity)):
            v, x = bodies.velocity[body], bodies.shift[body]
            record(trace, BODY, (float(body), v[0], v[1], v[2], x[0], x[1], x[2]))


@inlined_kernel
def record_pair(
    trace: FloatArray | None,
    kind: float,
    contacts: Contacts,
    row: int,
    first: tuple[float, ...],
    motion: FloatArray,
    last: tuple[float, ...],
) -> None:
    """Record a contact's row, the numbers `first`, the velocities or shifts of both bodies, and the numbers `last`."""
    if trace is not None:
        a, b = motion[contacts.bodies[row, 0]], motion[contacts.bodies[row, 1]]
        record(trace, kind, (float(row), *first, a[0], a[1], a[2], b[0], b[1], b[2], *last))


@inlined_kernel
def record_warm(trace: FloatArray | None, bodies: Bodies, contacts: Contacts, row: int, k: int) -> None:
    """Record that the previous impulses of a point have been applied."""
    record_pair(trace, WARM, contacts, row, (float(k), contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]), bodies.velocity, ())


@inlined_kernel
def record_row(
    trace: FloatArray | None, kind: float, bodies: Bodies, contacts: Contacts, row: int, k: int, before: float, after: float,
    bias: float, share: float, kept: float, gap: float,
) -> None:  # fmt: skip
    """Record that a row has been solved."""
    record_pair(trace, kind, contacts, row, (float(k), before, after), bodies.velocity, (bias, share, kept, gap))


@inlined_kernel
def record_placed(
    trace: FloatArray | None, kind: float, bodies: Bodies, contacts: Contacts, row: int, k: int, before: float, after: float,
    error: float, soft: float, arm: Arm, x: float, y: float,
) -> None:  # fmt: skip
    """Record that a point has been displaced along (x, y)."""
    levers = arm[0] * y - arm[1] * x, arm[2] * y - arm[3] * x
    record_pair(trace, kind, contacts, row, (float(k), before, after), bodies.shift, (error, soft, levers[0], levers[1]))


@inlined_kernel
def record_restored(trace: FloatArray | None, bodies: Bodies, contacts: Contacts, row: int, k: int, impulse: float, arm: Arm) -> None:
    """Record that a point's normal velocity has been set."""
    record_pair(trace, RESTORED, contacts, row, (float(k), impulse), bodies.velocity, (arm[0], arm[1], arm[2], arm[3]))
