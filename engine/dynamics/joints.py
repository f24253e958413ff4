"""Joints as rows of constraints: the rows of all joints of a world as arrays, and their reactions.

Each kind of joint lists its rows (`engine.world.joints`); `_joint_kernel` has their coordinates and modes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.dynamics.model import ALONG, ANGLE, DRIVE, HIGH, HOLD, LOW, POINT, READ, SUM, Joints
from engine.dynamics.tables import repeated
from engine.geometry import Transform
from engine.world.joints.interface import ResolvedJoint, joints_of, linked_bodies
from engine.world.joints.rows import Row, Rows
from engine.world.model import WorldModel

__all__ = ["JointTable", "no_joints", "rotated", "rows_of"]

_TWO_ROWS = 2
"""Number of rows that a SUM adds; they directly precede it."""
_RETURN = 0.2
"""Share of the way back to its limit that a motor drives in a step if it is beyond: Baumgarte's usual one."""


def rows_of(joint: ResolvedJoint, others: Mapping[int, ResolvedJoint], gear_sum: float = 0.0) -> Rows:
    """Yield the rows of a joint; a gear joint first reads the coordinates of its joints, of which `gear_sum` is the sum."""
    coupled = [others[other] for other in joints_of(joint.spec)]
    for other in coupled:
        assert other.spec.coordinate is not None
        local = (other.local_anchor_a, other.local_anchor_b)
        yield Row(other.spec.coordinate, READ, ends=other.bodies, local=local, axis=other.local_axis_a)
    yield from (row._replace(target=gear_sum) if coupled else row for row in joint.spec.rows(joint))


@dataclass(frozen=True)
class JointTable:
    """The rows of all joints of a world, in ascending order of joint ids.

    Attributes
    ----------
    owner : int64 (n,)
        Ids of the joints.
    kind, mode, ends : int64 (n,), (n,), (n, 2)
        As in `Joints`.
    local : float64 (n, 4)
        Anchors on A and on B, from the bodies' centers of mass, body frames.
    axis : float64 (n, 2)
        In the frame of A.
    target, speed, max_force, spring, ratio : as in `Joints`
    links : int64 (m, 2)
        Rows of bodies connected by the joints.
    """

    owner: IntArray
    kind: IntArray
    mode: IntArray
    ends: IntArray
    local: FloatArray
    axis: FloatArray
    target: FloatArray
    speed: FloatArray
    max_force: FloatArray
    spring: FloatArray
    ratio: FloatArray
    links: IntArray

    @classmethod
    def of(
        cls,
        joints: Mapping[int, ResolvedJoint],
        gear_sums: Mapping[int, float],
        rows: Mapping[int, int],
        center: FloatArray,
        is_active: NDArray[np.bool_],
    ) -> JointTable:
        """Return the rows of `joints` between active bodies.

        Parameters
        ----------
        gear_sums : mapping
            Sum of the coordinates of each gear joint when it was created.
        rows : mapping
            Row of each body.
        center : float64 (n + 1, 2)
            Center of mass, body frame; the last row is the world's own body.
        """
        world = len(center) - 1
        owner: list[int] = []
        listed: list[Row] = []
        ends: list[tuple[int, int]] = []
        for number, joint in sorted(joints.items()):
            of_joint = list(rows_of(joint, joints, gear_sums.get(number, 0.0)))
            at = [(world if a is None else rows[a], rows[b]) for a, b in (row.ends or joint.bodies for row in of_joint)]
            if not all(is_active[a] and is_active[b] for a, b in at):
                continue
            for row, (a, b) in zip(of_joint, at, strict=True):
                ends.append((len(listed) - _TWO_ROWS, len(listed) - 1) if row.kind == SUM else (a, b))
                listed.append(row if row.local is not None else row._replace(local=(joint.local_anchor_a, joint.local_anchor_b)))
                owner.append(number)
        table = np.array(ends, dtype=np.int64).reshape(-1, 2)
        kind = np.array([row.kind for row in listed], dtype=np.int64)
        local = np.array([(*row.local[0], *row.local[1]) for row in listed if row.local is not None], dtype=np.float64).reshape(-1, 4)
        two = kind != SUM
        local[two] -= center[table[two]].reshape(-1, 4)

        def column(name: str, *shape: int) -> FloatArray:
            return np.array([getattr(row, name) for row in listed], dtype=np.float64).reshape(-1, *shape)

        linked = (linked_bodies(joint.spec, joints) for joint in joints.values())
        links = [(rows[ends[0]], rows[end]) for ends in linked for end in ends[1:]]
        return cls(
            owner=np.array(owner, dtype=np.int64),
            kind=kind,
            mode=np.array([row.mode for row in listed], dtype=np.int64),
            ends=table,
            local=local,
            **{name: column(name) for name in ("target", "speed", "max_force", "ratio")},
            **{name: column(name, 2) for name in ("axis", "spring")},
            links=np.array(links, dtype=np.int64).reshape(-1, 2),
        )

    def copies(self, n: int, n_bodies: int) -> JointTable:
        """Return the rows of `n` copies of a world of `n_bodies` bodies, one after the other; the world's own body is common to all."""
        n_rows, stride = len(self.kind), int(self.owner.max(initial=-1)) + 1
        steps = np.where((self.kind == SUM)[:, None], n_rows, np.where(self.ends == n_bodies, 0, n_bodies))
        ends = np.where((self.kind != SUM)[:, None] & (self.ends == n_bodies), n * n_bodies, self.ends)
        columns = {column.name: repeated(getattr(self, column.name), n) for column in fields(self)}
        columns["owner"], columns["links"] = repeated(self.owner, n, stride), repeated(self.links, n, n_bodies)
        columns["ends"] = repeated(ends, n) + np.arange(n).repeat(n_rows)[:, None] * repeated(steps, n)
        return JointTable(**columns)

    @cached_property
    def first(self) -> IntArray:
        """Index of the first row of each joint, then the end of the last one, int64 (k + 1,)."""
        return np.append(np.flatnonzero(np.diff(self.owner, prepend=-1)), len(self.owner))

    @cached_property
    def pairs(self) -> IntArray:
        """Rows of bodies between which the joints act, int64 (m, 2); the last one is the world's own body."""
        pairs: IntArray = self.ends[self.kind != SUM]
        return pairs

    @cached_property
    def stops(self) -> tuple[IntArray, FloatArray]:
        """The DRIVE rows whose coordinate has limits, int64 (k,), and these limits, float64 (k, 2)."""
        driven: list[int] = []
        found: list[tuple[float, float]] = []
        for row in np.flatnonzero(self.mode == DRIVE).tolist():
            first, last = np.searchsorted(self.owner, self.owner[row], "left"), np.searchsorted(self.owner, self.owner[row], "right")
            others = np.arange(first, last)
            same = others[(self.kind[others] == self.kind[row]) & (self.axis[others] == self.axis[row]).all(axis=1)]
            low, high = (self.target[same[np.isin(self.mode[same], modes)]] for modes in ((LOW, HOLD), (HIGH, HOLD)))
            if len(low) + len(high) > 0:
                driven.append(row)
                found.append((low.max(initial=-math.inf), high.min(initial=math.inf)))
        return np.array(driven, dtype=np.int64), np.array(found).reshape(-1, 2)

    def posed(
        self, center: FloatArray, turned: FloatArray, values: FloatArray, inverse: FloatArray, impulse: FloatArray, dt: float | None = None
    ) -> Joints:
        """Return the rows at the start of a step.

        Parameters
        ----------
        center, turned : float64 (n + 1, 2)
            Center of mass of each body in the world frame; cosine and sine of its angle.
        values : float64 (n, 3) or more
            x, y, angle.
        inverse : float64 (n + 1, 2)
            1/kg and 1/(kg m^2); 0 for immovable bodies.
        impulse : float64 (m, 2)
            Impulse of the last sub-step.
        dt : float, optional
            Seconds in which no motor drives past a limit of its joint, whatever its force; by default, the limit alone stops it.
        """
        return _no_rows() if len(self.kind) == 0 else self._posed(center, turned, values, inverse, impulse, dt)

    def _posed(
        self, center: FloatArray, turned: FloatArray, values: FloatArray, inverse: FloatArray, impulse: FloatArray, dt: float | None = None
    ) -> Joints:
        angle = np.append(values[:, 2], 0.0)
        a, b = np.where(self.kind == SUM, 0, self.ends.T)
        arm = np.concatenate((rotated(turned[a], self.local[:, :2]), rotated(turned[b], self.local[:, 2:])), axis=1)
        apart = np.column_stack((center[b] - center[a], angle[b] - angle[a]))
        axis, speed = rotated(turned[a], self.axis), self.speed
        if dt is not None and len(self.stops[0]) > 0:
            rows, limits = self.stops
            along = ((apart[:, :2] + arm[:, 2:] - arm[:, :2]) * axis).sum(axis=1)
            room = limits - np.where(self.kind == ANGLE, apart[:, 2], along)[rows, None]
            low, high = np.where(room * (-1.0, 1.0) >= 0.0, room, _RETURN * room).T / dt
            speed = speed.copy()
            speed[rows] = np.clip(speed[rows], low, high)
        return Joints(
            self.kind, self.mode, self.ends, arm, apart, self._reach(inverse[a, 0], inverse[b, 0]), axis, self.target, speed,
            self.max_force, self.spring, self.ratio, impulse.copy(), np.zeros_like(impulse), np.zeros((4, 3)), np.zeros_like(impulse),
        )  # fmt: skip

    def _reach(self, of_a: FloatArray, of_b: FloatArray) -> FloatArray:
        """Return the fractions of d by which arms extend beyond the anchors, float64 (n, 2); see `_joint_kernel`."""
        reach, both = np.zeros((len(self.kind), 2)), of_a + of_b
        reach[self.kind == ALONG, 0] = 1.0
        meets = (self.kind == POINT) & (both > 0.0)
        reach[meets] = np.column_stack((of_b, of_a))[meets] / both[meets, None]
        return reach

    def reaction(
        self, joint: int, total: FloatArray, pose_of: Callable[[int | None], Transform], model: WorldModel
    ) -> tuple[tuple[float, float], float]:
        """Return the force, N, and the torque, N m, that a joint exerted on body B in the last step, world frame.

        Parameters
        ----------
        total : float64 (n, 2)
            The rows' impulses over the step.
        """
        resolved, hertz = model.joints[joint], model.settings.hertz
        of_joint = list(rows_of(resolved, model.joints))
        x = y = torque = 0.0
        rows = np.flatnonzero(self.owner == joint).tolist()
        if len(rows) != len(of_joint):  # created or changed since the last step
            return (0.0, 0.0), 0.0
        for at, row in zip(rows, of_joint, strict=True):
            first, second = (hertz * total[at]).tolist()
            if row.kind == SUM:
                row, first = of_joint[-2], first * row.ratio  # its impulse on the second of its rows
            elif row.ends is not None and row.ends[1] != resolved.bodies[1]:
                continue  # acts on body A
            if row.kind == POINT:
                x, y = x + first, y + second
            elif row.kind == ANGLE:
                torque += first
            else:
                a, b = row.ends or resolved.bodies
                local_a, local_b = row.local or (resolved.local_anchor_a, resolved.local_anchor_b)
                xf_a, (bx, by) = pose_of(a), pose_of(b).apply(local_b)
                ax, ay = xf_a.apply(local_a)
                size = math.hypot(bx - ax, by - ay) or 1.0
                ux, uy = xf_a.rotate(row.axis) if row.kind == ALONG else ((bx - ax) / size, (by - ay) / size)
                x, y = x + first * ux, y + first * uy
        return (x, y), torque

    def carried_over(self, old: JointTable, impulse: FloatArray) -> FloatArray:
        """Return the impulses of another table's rows for the rows here with the same joint, kind and mode.

        If a joint has several rows of one kind and mode, such as the two lengths of a pulley, they are matched by order.
        """
        if old is self:
            return impulse
        known = dict(zip(old._keys(), impulse, strict=True))
        impulses = np.zeros((len(self.owner), 2))
        for row, key in enumerate(self._keys()):
            impulses[row] = known.get(key, 0.0)
        return impulses

    def _keys(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield joint, kind, mode, and the number of earlier rows with the same three."""
        seen = Counter[tuple[int, int, int]]()
        for key in zip(self.owner.tolist(), self.kind.tolist(), self.mode.tolist(), strict=True):
            yield (*key, seen[key])
            seen[key] += 1


def no_joints() -> JointTable:
    """Return the rows of a world without joints."""
    return JointTable.of({}, {}, {}, np.zeros((1, 2)), np.ones(1, dtype=np.bool_))


@cache
def _no_rows() -> Joints:
    """Return the rows of a step without joints; all such steps share them."""
    none = np.zeros((0, 2))
    return no_joints()._posed(np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((0, 3)), np.zeros((1, 2)), none)


def rotated(turned: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return vectors (n, 2) rotated by angles given as cosines and sines (n, 2)."""
    cosine, sine = turned.T
    x, y = vectors.T
    return np.column_stack((cosine * x - sine * y, sine * x + cosine * y))
