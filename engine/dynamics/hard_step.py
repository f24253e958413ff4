"""The velocities of a world after one undivided step, solved to convergence, as a reference for judging solvers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import LINEAR_SLOP
from engine.dynamics._contact_kernel import arms_and_masses
from engine.dynamics._hard_step_kernel import hard_step
from engine.dynamics.joints import JointTable, rotated
from engine.dynamics.model import ANGLE, DRIVE, HIGH, HOLD, LENGTH, LOW, POINT, READ, Joints
from engine.dynamics.tables import IN_HAND, Tables
from engine.narrowphase.batched import poses_with_rotation
from engine.world import DistanceJointSpec, MotorJointSpec, MouseJointSpec, PulleyJointSpec, RopeJointSpec
from engine.world.model import WorldModel
from engine.world.snapshot import WorldSnapshot

__all__ = ["HardContacts", "HardStep"]


@dataclass(frozen=True)
class HardContacts:
    """Contacts as constraints, one row each.

    Attributes
    ----------
    fixtures : int64 (n, 2)
        Ids of A and B.
    count : int64 (n,)
    normal : float64 (n, 2)
        Unit, from A to B.
    position : float64 (n, 2, 2)
        World frame, m.
    gap : float64 (n, 2)
        Distance by which a point can still approach within the step, m; at 0 or less it cannot.
    """

    fixtures: IntArray
    count: IntArray
    normal: FloatArray
    position: FloatArray
    gap: FloatArray

    def chosen(self, which: NDArray[np.bool_]) -> HardContacts:
        """Return some of the rows."""
        return HardContacts(**{name: column[which] for name, column in vars(self).items()})

    def joined(self, other: HardContacts) -> HardContacts:
        """Return the rows of both."""
        return HardContacts(**{name: np.concatenate((column, getattr(other, name))) for name, column in vars(self).items()})


_NARROW_ANGLE, _NARROW_WAY = math.radians(4.0), 0.01
"""Distance of two joint limits, rad or m, below which Box2D 2.3.0 treats them as equal: twice its slops."""

_MIN_SIDE = 10.0 * LINEAR_SLOP
"""Length of a pulley's side, m, below which Box2D 2.3.0 does not pull at it."""

_SPIN_IN_HAND = 0.98
"""Fraction of the angular velocity, after warm starting, that Box2D keeps per step for a body pulled by a mouse joint."""

_MAX_CONDITION = 1000.0
"""k_maxConditionNumber of b2ContactSolver."""

_IMPULSE = Joints._fields.index("impulse")

_TOLERANCE = 1e-10
"""m/s and rad/s: a sweep that changes no velocity by more is the last one. The error of slowly converging velocities can be 1,000 times
larger."""


class HardStep:
    """Bodies and joints of a world for a step in which all bodies are awake and none bounces.

    Parameters
    ----------
    snapshot : WorldSnapshot
        Bodies, fixtures and joints.
    poses, velocities : float64 (n, 3)
        At the start of the step.
    force : float64 (n, 3)
        N and N m.
    gear_sums : mapping
        Sum of the coordinates of each gear joint.

    Attributes
    ----------
    joint_table : JointTable
        The joints' rows, in the order of the impulses to begin from.
    centers : float64 (n, 2)
        Of mass, world frame, m.
    """

    def __init__(
        self, snapshot: WorldSnapshot, poses: FloatArray, velocities: FloatArray, force: FloatArray, gear_sums: Mapping[int, float]
    ) -> None:
        model = WorldModel(snapshot.settings)
        model.take_over(snapshot)
        self._settings, self._tables, n = snapshot.settings, Tables(model), len(poses)
        bodies = self._tables.bodies
        self._velocity = np.concatenate((velocities, np.zeros((1, 3))))
        self._angle, placed = poses[:, 2], poses_with_rotation(np.concatenate((poses, np.zeros((1, 3)))))
        turned = placed[:, 2:]
        self._center = placed[:, :2] + rotated(turned, bodies.center)
        self.centers = self._center[:n]
        moves = bodies.is_active & ~bodies.is_static
        drives = (moves & bodies.is_dynamic)[:, None]
        self._velocity[~moves] = 0.0
        self._inverse = np.where(drives, bodies.inverse, 0.0)
        push = np.zeros((n + 1, 3))
        push[:, :2] = np.asarray(self._settings.gravity) * bodies.gravity_scale[:, None]
        push[:n] += force * self._inverse[:n][:, [0, 0, 1]]
        self._push, self._damping = np.where(drives, push, 0.0), np.where(drives, bodies.damping, 0.0)
        held = np.zeros(n + 1, dtype=np.bool_)
        held[[model.rows[joint.bodies[1]] for joint in model.joints.values() if isinstance(joint.spec, MouseJointSpec)]] = True
        self._explicit = np.where(drives, _explicit(bodies.damping, held, self._settings.dt), 0.0)
        self._spin = np.where(held & drives[:, 0], _SPIN_IN_HAND, 1.0)
        self.joint_table = table = JointTable.of(model.joints, gear_sums, model.rows, bodies.center, bodies.is_active)
        self._joints = table.posed(self._center, turned, poses, self._inverse, np.zeros((len(table.kind), 2)))
        motors = [joint for joint, resolved in model.joints.items() if isinstance(resolved.spec, MotorJointSpec)]
        rows = np.flatnonzero(np.isin(table.owner, motors) & (table.kind == POINT))
        levers = -rotated(turned, bodies.center)[table.ends[rows, 0]]
        pulleys, rods = (
            np.isin(table.owner, [joint for joint, resolved in model.joints.items() if isinstance(resolved.spec, kinds)])
            for kinds in (PulleyJointSpec, (DistanceJointSpec, RopeJointSpec))
        )
        joints_used = _without_short(self._joints, pulleys, rods, n)
        self._box2d_joints = _with_levers(_with_narrow_limits_held(joints_used), rows, levers)

    def without_redundant_points(self, contacts: HardContacts) -> HardContacts:
        """Return the contacts without second points that are nearly redundant, as in b2ContactSolver.

        Box2D solves two points together, with the matrix ``K`` of the velocities per unit impulse at either point, and only the first one
        if ``k11^2 >= 1000 det K``.
        """
        ends = self._ends(contacts)
        a, b = ends.T
        n, light = contacts.normal, self._inverse
        lever = [_cross(contacts.position[:, k] - self._center[body], n) for body in (a, b) for k in range(2)]
        own = light[a, 0] + light[b, 0]
        k11, k22 = (own + light[a, 1] * lever[k] ** 2 + light[b, 1] * lever[2 + k] ** 2 for k in range(2))
        k12 = own + light[a, 1] * lever[0] * lever[1] + light[b, 1] * lever[2] * lever[3]
        is_redundant = (contacts.count == 2) & (k11 * k11 >= _MAX_CONDITION * (k11 * k22 - k12 * k12))
        return replace(contacts, count=np.where(is_redundant, 1, contacts.count))

    def _ends(self, contacts: HardContacts) -> IntArray:
        fixtures = self._tables.fixtures
        bodies: IntArray = fixtures.body[np.searchsorted(fixtures.ids, contacts.fixtures).reshape(-1, 2)]
        return bodies

    def solve(
        self,
        contacts: HardContacts,
        max_sweeps: int,
        *,
        is_explicit: bool = True,
        is_box2d: bool = True,
        is_single: bool = False,
        start: tuple[FloatArray, FloatArray] | None = None,
    ) -> FloatArray:
        """Return the velocities after the step with `contacts`, float64 (n, 3), in ascending order of body ids; see `hard_step`.

        Parameters
        ----------
        max_sweeps : int
            Maximum number of sweeps.
        is_explicit : bool
            Use Box2D's damping, ``v <- (1 - h d) v``, instead of the implicit ``v <- v / (1 + h d)``.
        is_box2d : bool
            Treat joints as Box2D does: limits act only when reached, and two close limits act as an equality; forces act at each body's own
            anchor, those of a motor joint at A's origin, and drives are not softened near their targets; rods and pulley sides that are too
            short do not pull; `hard_step` describes mouse joints.
        is_single : bool
        start : pair of float64 (n, 2, 2) and (m, 2), optional
            Initial impulses of the contact points and of the rows of `joint_table`; 0 by default.
        """
        bodies, touching, joints = self._posed(contacts, is_explicit, is_box2d, start)
        hard_step(
            bodies,
            touching,
            joints,
            self._spin if is_explicit else np.ones(len(self._velocity)),
            self._settings.dt,
            max_sweeps,
            _TOLERANCE,
            is_box2d,
            is_single,
        )
        return bodies[0][:-1]

    def _posed(
        self, contacts: HardContacts, is_explicit: bool = True, is_box2d: bool = True, start: tuple[FloatArray, FloatArray] | None = None
    ) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]]:
        """Return new arrays of `Bodies`, `Contacts` and `Joints` at the start of the step."""
        tables, dt = self._tables, self._settings.dt
        rows = np.searchsorted(tables.fixtures.ids, contacts.fixtures).reshape(-1, 2)
        ends = tables.fixtures.body[rows]
        velocity, inverse, none = self._velocity.copy(), self._inverse, np.zeros((len(rows), 2))
        arm, mass = arms_and_masses(ends, contacts.count, contacts.normal, contacts.position, self._center, inverse)
        first, second = rows.T
        friction = np.sqrt(tables.fixtures.friction[first] * tables.fixtures.friction[second])
        joints = [column.copy() for column in (self._box2d_joints if is_box2d else self._joints)]
        impulse = np.zeros((len(rows), 2, 2))
        if start is not None:
            impulse, joints[_IMPULSE] = start[0].copy(), start[1].copy()
        turn = np.tile((1.0, 0.0), (len(velocity), 1))
        damping = self._explicit if is_explicit else self._damping
        bodies = velocity, np.zeros_like(velocity), turn, inverse, self._push, 1.0 / (1.0 + dt * damping)
        count = contacts.count.copy()
        touching = ends, count, contacts.normal, arm, none, contacts.gap, mass, friction, impulse, np.zeros_like(impulse)
        return bodies, touching, tuple(joints)


def _explicit(damping: FloatArray, held: NDArray[np.bool_], dt: float) -> FloatArray:
    """Return the coefficients (n + 1, 2) with which implicit damping equals Box2D's: ``v <- (1 - h d) v``."""
    own = damping.copy()
    own[held, 1] -= IN_HAND
    stiffness: FloatArray = (1.0 / np.maximum(1.0 - dt * own, 1e-9) - 1.0) / dt
    return stiffness


def _with_narrow_limits_held(joints: Joints) -> Joints:
    """Return the rows, with a lower and an upper limit merged into an equality if Box2D treats them as equal."""
    mode = joints.mode.copy()
    low = np.flatnonzero((mode[:-1] == LOW) & (mode[1:] == HIGH))
    narrow = np.where(joints.kind[low] == ANGLE, _NARROW_ANGLE, _NARROW_WAY)
    held = low[np.abs(joints.target[low + 1] - joints.target[low]) < narrow]
    mode[held], mode[held + 1] = HOLD, READ
    return joints._replace(mode=mode)


def _without_short(joints: Joints, of_pulley: NDArray[np.bool_], of_rod: NDArray[np.bool_], world: int) -> Joints:
    """Return the rows, without those too short for Box2D, and with unlimited pulley sides.

    In Box2D a rod or rope below 5 mm has no direction and does not pull; nor does a pulley side below 5 cm, while the other side does.
    """
    mode, bodies = joints.mode.copy(), joints.bodies.copy()
    length = np.hypot(*(joints.apart[:, :2] + joints.arm[:, 2:] - joints.arm[:, :2]).T)
    is_side = of_pulley & (joints.kind == LENGTH)
    mode[is_side | (of_rod & (length <= LINEAR_SLOP))] = READ
    bodies[is_side & (length <= _MIN_SIDE)] = world
    return joints._replace(mode=mode, bodies=bodies)


def _with_levers(joints: Joints, rows: IntArray, levers: FloatArray) -> Joints:
    """Return rows whose forces act at the bodies' own anchors, some with different arms (n, 2) on A; drives are not softened."""
    arm, apart, reach, spring = joints.arm.copy(), joints.apart.copy(), joints.reach.copy(), joints.spring.copy()
    apart[rows, :2] += levers - arm[rows, :2]
    arm[rows, :2] = levers
    reach[joints.kind == POINT] = 0.0
    spring[joints.mode == DRIVE, 1] = 0.0
    return joints._replace(arm=arm, apart=apart, reach=reach, spring=spring)


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return product
