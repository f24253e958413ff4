"""Data of a step by name: bodies, contacts and joints as the methods' kernels receive them, and the columns of contact records."""

from __future__ import annotations

from typing import NamedTuple

from engine.common.arrays import FloatArray, IntArray
from engine.world.joints.rows import ALONG, ANGLE, DRIVE, HIGH, HOLD, LENGTH, LOW, POINT, READ, SPRING, SUM

__all__ = [
    "ALONG", "ANGLE", "BODIES", "COUNT", "DRIVE", "EVALUATED", "FEATURES", "FLAGS", "FRICTION", "HIGH", "HOLD", "IMPULSE", "KEY",
    "KEY_BITS", "LENGTH", "LOCAL", "LOW", "NORMAL", "N_FLOATS", "N_INTS", "PASSES", "POINT", "POINTS", "POSES", "POSITION", "RADII",
    "READ", "SEPARATION", "SOLVED", "SPRING", "STIFFNESS", "SUM", "TOTAL", "TOUCH", "TOUCHES", "WAS_THERE", "Bodies", "Contacts",
    "Joints",
]  # fmt: skip


class Bodies(NamedTuple):
    """Bodies within a step, one row each; the last row is the world's own static body.

    Attributes
    ----------
    velocity : float64 (n, 3)
        Velocity of the center of mass, m/s, and angular velocity, rad/s.
    shift : float64 (n, 3)
        Displacement of the center and rotation since the step began, m and rad.
    turn : float64 (n, 2)
        Cosine and sine of that rotation.
    inverse : float64 (n, 2)
        1/kg and 1/(kg m^2); 0 for what nothing can move.
    push : float64 (n, 3)
        Acceleration by gravity and forces, m/s^2 and rad/s^2.
    decay : float64 (n, 2)
        Fraction of linear and angular velocity that a sub-step's damping leaves, ``1 / (1 + h d)``.
    """

    velocity: FloatArray
    shift: FloatArray
    turn: FloatArray
    inverse: FloatArray
    push: FloatArray
    decay: FloatArray


class Contacts(NamedTuple):
    """Pairs in contact within a step, one row each, of two points at most.

    Attributes
    ----------
    bodies : int64 (n, 2)
        Rows of A and B.
    n_points : int64 (n,)
    normal : float64 (n, 2)
        Unit, from A to B.
    arm : float64 (n, 2, 4)
        Of each point: from A's center of mass x, y, from B's x, y, as the step began.
    radius : float64 (n, 2)
        Radii of A and B around their cores at the points, m; 0 where the surface is a corner or an edge.
    gap : float64 (n, 2)
        Gap between the surfaces as the step began, m, less the normal part of the way between the cores.
    mass : float64 (n, 2, 2)
        Effective mass, kg: along the normal, along the tangent.
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


# Contact records. A record is a row of integers and a row of floats; these are the columns.

KEY, BODIES, FEATURES, FLAGS = range(4)
"""Ids of both fixtures in one number, ids of both bodies in one number (`pair_key`); ids of both points' features in one number, -1 past
the count (`feature_of`); flags."""
N_INTS = 4
COUNT, TOUCHES, EVALUATED, PASSES, WAS_THERE = 3, 4, 8, 16, 32
"""Bits of the flags: number of points; the pair touches, or will within the step; this step has computed its manifold; a hook
disables it, or it only grazes, or it is at a seam; the first (32) or second (64) point existed in the previous step."""

NORMAL, POSITION, SEPARATION, IMPULSE, TOTAL, LOCAL, FRICTION, RADII, POINTS, POSES, STIFFNESS = 0, 2, 6, 8, 12, 16, 20, 21, 23, 24, 30
"""Normal (2); points in the world (2, 2); gaps (2); impulses of the last sub-step and over the step, normal and tangential (2, 2); points
in the frame of body A (2, 2); friction; radii of both surfaces around their cores (2); number of points; poses of both bodies (2, 3);
one number per point that some methods keep from step to step (2)."""
N_FLOATS = 32
"""Four records of eight numbers, each one cache line."""

KEY_BITS = 31
"""Bits of an id in a key: two billion ids."""

TOUCH = 1.0e-4
"""Largest gap, m, that counts as touching: a body that lies on another without load is as near to it as a time of impact leaves it."""

SOLVED = 5
"""Columns of a contact to be solved: its record, the rows of its two bodies, the rows of its two fixtures."""


# Joints


class Joints(NamedTuple):
    """Rows of joints within a step.

    Attributes
    ----------
    kind, mode : int64 (n,)
    bodies : int64 (n, 2)
        Rows of A and B; for a SUM, the two rows that it adds up.
    arm : float64 (n, 4)
        Anchor on A from A's center of mass x, y, on B from B's x, y, as the step began, m.
    apart : float64 (n, 3)
        B's center of mass less A's, m, and B's angle less A's, as the step began.
    reach : float64 (n, 2)
        s and t: the fractions of the way from anchor to anchor by which the arms on A and on B extend beyond their anchors, to where
        forces act.
    axis : float64 (n, 2)
        u of ALONG as the step began; for a LENGTH, the direction used where it has none.
    target, speed : float64 (n,)
        Target of the coordinate; of its rate for DRIVE.
    max_force : float64 (n,)
        Force or torque, N or N m, of DRIVE and of a mouse's SPRING.
    spring : float64 (n, 2)
        Frequency in Hz and damping ratio; for DRIVE, the share of the error to correct per step, and 1 if the correction may be no faster
        than the force can stop, else 0.
    ratio : float64 (n,)
    impulse, total : float64 (n, 2)
        Accumulated in the present sub-step and over the step; a row of one coordinate uses the first column.
    line : float64 (4, 3)
        Scratch: Jacobian of the row evaluated last, a line per body.
    held : float64 (n, 2)
        Impulse at which a soft row does not yield: 0, or a share of that from the last step; see `_softness_kernel`.
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
    max_force: FloatArray
    spring: FloatArray
    ratio: FloatArray
    impulse: FloatArray
    total: FloatArray
    line: FloatArray
    held: FloatArray
