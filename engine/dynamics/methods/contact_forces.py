"""Contact forces: bodies move with their accelerations and stop at each collision, following D. Baraff.

Between collisions the equations of motion are integrated, by default by RK4. Their right side contains the forces of resting contacts, the
solution of a linear complementarity problem in each evaluation (`_dantzig`)::

    a = A f + b >= 0,    f >= 0,    f a = 0,    with A = J M^-1 J^T and b = J (g + F / m) + J' v

where a are the accelerations of the gaps of resting points. If a shape would penetrate another, the whole scene is restored and advanced by
half the time (*bisection*) until the gap is within a tolerance; approaching pairs then get impulses, one by one, and the motion continues
for the rest of the step. See docs/solvers/contact_forces.md.

D. Baraff, "Fast contact force computation for nonpenetrating rigid bodies", SIGGRAPH 1994; "Physically based modeling: rigid body
simulation", SIGGRAPH course, 2001. J. Baumgarte, "Stabilization of constraints and integrals of motion in dynamical systems", 1972.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import EPS64
from engine.dynamics._solver_trace_kernel import COLLISIONS, END, FOUND, MOVE, PIECE, PIVOT, TRIED
from engine.dynamics.contacts import places_of
from engine.dynamics.integrators import INTEGRATORS
from engine.dynamics.methods import _dantzig, sequential_impulses
from engine.dynamics.methods._dantzig import FREE, RESTS, Bounds
from engine.dynamics.methods._jacobian_kernel import JointLines, contact_lines, gaps, joint_lines, points_of
from engine.dynamics.methods.protocol import Method, Problem, Setting
from engine.dynamics.model import DRIVE, HIGH, HOLD, LOW, POINT, SPRING, TOUCH, Bodies, Contacts
from engine.narrowphase.batched import poses_with_rotation

__all__ = ["METHOD", "ContactForces"]

_MOMENT = 1e-6
"""Seconds over which the change of a joint's Jacobian is measured: rounding is 1e-10 of the velocities, the error 1e-6 of their change."""
_ROUNDS = 64
"""Maximum number of successive collisions at one time, per touching pair; pairs that then still approach stop without bouncing."""
_HALVES = 40
"""Maximum number of bisections of a time interval."""
_SHRINKS = 0.9
"""Relative to the distance between two scenes: half the time leaves half of it; more than this remains only if the motion jumps."""
_STILL = 1e-9
"""m/s and rad/s: velocities that differ by less are treated as equal."""
_ITERATIONS = 60
"""Number of iterations of sequential impulses, used if there are too many contacts for pivoting."""
_SINGULAR = 1e-12
"""Relative to the largest eigenvalue of the scaled matrix of joint rows: with smaller eigenvalues, rows are redundant."""
_HELD = 1e-9
"""Relative to a force's effect along its line without joints: a smaller remainder is rounding, and the joints balance the whole force."""
_DEEPEST = 1.0
"""Maximum correction velocity, m/s, that is, error times correction rate; larger errors are corrected at this rate."""


_APPROXIMATE = "No exact contact forces were found because pivoting did not terminate, so the last forces are used."


class ContactForces(Method):
    """Forces at rest by Dantzig's pivoting, collisions in order of time."""

    title = "Contact forces (Baraff)"
    settings = (
        Setting(
            "integrator",
            "Integrator",
            "rk4",
            choices=tuple(INTEGRATORS),
            help="Method by which positions and velocities advance in a step.",
        ),
        Setting("tolerance", "Gap that counts as touching", 1e-4, 1e-8, 1e-2, unit="m", help="A gap below this counts as contact."),
        Setting(
            "resting_speed",
            "Separation speed that counts as rest",
            1e-3,
            0.0,
            1.0,
            unit="m/s",
            help="Contacts that separate more slowly than this count as resting.",
        ),
        Setting(
            "collisions", "Maximum collisions per step", 8, 0, 100, is_whole=True, help="Largest number of collisions resolved in a step."
        ),
        Setting("correction", "Error correction", 20.0, 0.0, 60.0, unit="1/s", help="Rate at which position errors vanish."),
        Setting(
            "largest",
            "Maximum points and joints",
            100,
            1,
            2000,
            is_whole=True,
            help="A step with more contact points and joint rows than this is solved by sequential impulses.",
        ),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        """Advance by a step; with more points and joint rows than `largest`, use sequential impulses and add a note."""
        limit = options["largest"]
        if step.contacts.n_points.sum() + len(step.joints.kind) > limit:
            step.note(f"The step has over {limit} contact points and joint rows, so sequential impulses solve it.")
            return sequential_impulses.METHOD.solve(step, sequential_impulses.METHOD.options((("iterations", _ITERATIONS),)))
        scene = _Scene(step, options)
        scene.advance()
        bodies = step.bodies(step.dt)
        bodies.velocity[:], bodies.shift[:] = scene.velocity.reshape(-1, 3), scene.position.reshape(-1, 3)
        step.record_stage(END, 0, bodies.velocity, bodies.shift)
        step.contacts.impulse[:] = step.contacts.total
        step.joints.impulse[:] = step.joints.total
        return step.ended(bodies)


METHOD = ContactForces()


@dataclass(frozen=True)
class _Points:
    """Contact points at a given time.

    Attributes
    ----------
    contacts : Contacts
    row, k : int64 (m,)
        Row of `contacts` and place in it.
    key : int64 (m,)
        Identifies the point across detections.
    pair : int64 (m,)
        Identifies its pair of fixtures.
    gap, restitution : float64 (m,)
    plane : int64 (m,)
        As in `Found`.
    n_bodies : int
    """

    contacts: Contacts
    row: IntArray
    k: IntArray
    pair: IntArray
    key: IntArray
    gap: FloatArray
    restitution: FloatArray
    plane: IntArray
    n_bodies: int

    @cached_property
    def lines(self) -> tuple[FloatArray, FloatArray]:
        """Jacobians along the normals and the tangents."""
        return contact_lines(self.contacts, self.row, self.k, self.n_bodies)

    @property
    def friction(self) -> FloatArray:
        return self.contacts.friction[self.row]

    def bends(self, velocity: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return J' v along the normals and the tangents, m/s^2: the change of J v at constant velocities (3 n,).

        At a point p of both bodies, J v is ``d.(v_B + w_B x (p - x_B) - v_A - w_A x (p - x_A))`` along a direction d, with w the spins and
        x the centers. The direction turns with the face that defines it, at w_n, and while the gap is constant, p moves with the core of
        the other body, less its radius along the normal n; so with the relative velocity u at p ::

            J' v = (w_n x d).u + d.((w_B - w_A) x p' - w_B x v_B + w_A x v_A)

        If the normal is the line between two points, of length l, ``w_n = n x (c_B - c_A)' / l``.
        """
        contacts, row = self.contacts, self.row
        a, b = contacts.bodies[row].T
        normal, arm, radius = contacts.normal[row], contacts.arm[row, self.k], contacts.radius[row]
        (v_a, w_a), (v_b, w_b) = ((of[:, :2], of[:, 2]) for of in (velocity.reshape(-1, 3)[a], velocity.reshape(-1, 3)[b]))
        core_a = v_a + _turned(w_a, arm[:, :2] - radius[:, :1] * normal)
        core_b = v_b + _turned(w_b, arm[:, 2:] + radius[:, 1:] * normal)
        length, apart = radius.sum(axis=1) + self.gap, core_b - core_a
        swing = np.where(length > TOUCH, (normal[:, 0] * apart[:, 1] - normal[:, 1] * apart[:, 0]) / np.maximum(length, TOUCH), 0.0)
        spin = np.choose(self.plane + 1, (swing, w_a, w_b))
        along_b = core_b - radius[:, 1:] * _turned(spin, normal)
        along_a = core_a + radius[:, :1] * _turned(spin, normal)
        p = np.where(self.plane[:, None] == 0, along_b, along_a)
        change = _turned(w_b - w_a, p) - _turned(w_b, v_b) + _turned(w_a, v_a)
        u = v_b + _turned(w_b, arm[:, 2:]) - v_a - _turned(w_a, arm[:, :2])
        directions = normal, np.column_stack((normal[:, 1], -normal[:, 0]))
        along, across = ((_turned(spin, d) * u + d * change).sum(axis=1) for d in directions)
        return along, across

    def chosen(self, which: NDArray[np.bool_] | IntArray) -> _Points:
        """Return a selection of the points."""
        names = ("row", "k", "pair", "key", "gap", "restitution", "plane")
        return replace(self, **{name: getattr(self, name)[which] for name in names})


class _Rest(NamedTuple):
    """Resting contacts at the start of a time interval: keys of their points in ascending order, and their slip velocities, m/s.

    Also the rate of the coordinate of each joint line at that time, and the time to the end of the step, s.
    """

    key: IntArray
    slip: FloatArray
    rate: FloatArray
    left: float


class _Scene:
    """Bodies during a step.

    Attributes
    ----------
    position, velocity : float64 (3 n,)
        Shift since the start of the step; velocities.
    """

    def __init__(self, step: Problem, options: Mapping[str, Any]) -> None:
        self._step, self._n, start = step, len(step.center), step.bodies(step.dt)
        self._integrator, self._tolerance = INTEGRATORS[options["integrator"]], float(options["tolerance"])
        self._resting_speed, self._most = float(options["resting_speed"]), int(options["collisions"])
        self._correction, self._joints = float(options["correction"]), step.joints
        self.position, self.velocity = start.shift.reshape(-1), start.velocity.reshape(-1)
        self._inverse, self._push = step.inverse[:, [0, 0, 1]].reshape(-1), step.push.reshape(-1)
        damping = np.where(step.drives[:, None], step.tables.bodies.damping, 0.0)[:, [0, 0, 1]].reshape(-1)
        self._weak, self._strong = (np.where(choice, damping, 0.0) for choice in (damping * step.dt <= 1.0, damping * step.dt > 1.0))
        self._moves = bool(step.moves.any())
        row, k = points_of(step.contacts)
        self._known = _key(row, k), step.contacts.impulse[row, k]
        self._guessed: dict[tuple[int, int], IntArray] = {}

    # -- time -----------------------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Advance to the end of the step, from collision to collision."""
        dt, t, n_collisions = self._step.dt, 0.0, 0
        here = self._points_at(self.position)
        while t < dt and self._moves:
            self._collide(here)
            rest = self._resting(here, dt - t)
            h = dt - t
            there = self._tried(rest, h)
            if n_collisions < self._most and self._passes(here, there):
                n_collisions += 1
                h, there = self._bisected(here, rest, h, there)
            self._accept(rest, there)
            self.velocity = self.velocity / (1.0 + h * self._strong)
            self._step.record(PIECE, t, h, float(h < dt - t))
            self._record_stage(MOVE)
            t, here = t + h if n_collisions <= self._most and h < dt - t else dt, there.points

    def _bisected(self, here: _Points, rest: _Rest, h: float, beyond: _Trial) -> tuple[float, _Trial]:
        """Return the time, within `h` seconds, of the first new contact within the tolerance, and the scene at that time.

        `beyond` is the scene after `h`. There can be no new contact: a touching pair can sink in, or a new force can make the motion jump.
        Bisection then ends when the scenes before and beyond are within the tolerance, or come no closer.
        """
        low, high, best = 0.0, h, (0.0, self._tried(rest, 0.0))
        travel = self._travel(best[1], beyond)
        for _ in range(_HALVES):
            middle = 0.5 * (low + high)
            trial = self._tried(rest, middle)
            if self._passes(here, trial):
                high, beyond = middle, trial
            else:
                low, best = middle, (middle, trial)
                if self._meets(here, trial):
                    break
            before, travel = travel, self._travel(best[1], beyond)
            if travel <= self._tolerance or travel > _SHRINKS * before:
                break
        return best

    def _travel(self, before: _Trial, after: _Trial) -> float:
        """Return the maximum change between two scenes: of the position of a body's point, m, or of the error of a limit, m or rad."""
        moved = np.abs(after.position - before.position).reshape(-1, 3)[:-1]
        errors = np.abs(after.lines.error - before.lines.error)[np.isin(self._joints.mode[before.lines.row], (LOW, HIGH))]
        points = np.hypot(moved[:, 0], moved[:, 1]) + self._step.tables.reach * moved[:, 2]
        return float(max(points.max(initial=0.0), errors.max(initial=0.0)))

    def _tried(self, rest: _Rest, h: float) -> _Trial:
        """Return the scene `h` seconds later. Impulses are integrated together with the velocities to which they contribute."""
        n, lines = 3 * self._n, self._lines(self.position, self.velocity)
        n_forces = 2 * len(rest.key) + len(lines.row)

        def rate(_: float, position: FloatArray, motion: FloatArray) -> FloatArray:
            return np.concatenate(self._accelerations(position[:n], motion[:n], rest))

        position, motion = np.zeros(n + n_forces), np.zeros(n + n_forces)
        position[:n], motion[:n] = self.position, self.velocity
        if h > 0.0:
            position, motion = self._integrator(rate, position, motion, h)
        moved = position[:n]
        return _Trial(moved, motion[:n], motion[n:], self._points_at(moved), self._lines(moved, motion[:n]))

    def _passes(self, here: _Points, trial: _Trial) -> bool:
        """Return True if the overlap of a pair has grown by more than the tolerance, or a joint has exceeded its limit."""
        there, known = trial.points, dict.fromkeys(here.pair.tolist(), 0.0)
        for pair, gap in zip(here.pair.tolist(), here.gap.tolist(), strict=True):
            known[pair] = min(known[pair], gap)
        for pair, gap in zip(there.pair.tolist(), there.gap.tolist(), strict=True):
            if gap < known.get(pair, 0.0) - self._tolerance:
                return True
        before, after = self._over_limit(self.position), self._over_limit(trial.position)
        return bool((after > np.maximum(before, 0.0) + self._tolerance).any())

    def _meets(self, here: _Points, trial: _Trial) -> bool:
        """Return True if a new point touches, or a joint's limit is reached."""
        touched = here.key[here.gap <= self._tolerance]
        there = trial.points
        if (~np.isin(there.key[there.gap <= self._tolerance], touched)).any():
            return True
        before, after = self._over_limit(self.position), self._over_limit(trial.position)
        return bool(((after >= -self._tolerance) & (before < -self._tolerance)).any())

    def _over_limit(self, position: FloatArray) -> FloatArray:
        """Return the distance of each joint line beyond its limit; minus infinity if it has none."""
        return self._beyond(self._lines(position, self.velocity))

    def _beyond(self, lines: JointLines) -> FloatArray:
        mode = self._joints.mode[lines.row]
        return np.where(mode == LOW, -lines.error, np.where(mode == HIGH, lines.error, -math.inf))

    def _lines(self, position: FloatArray, velocity: FloatArray) -> JointLines:
        """Return the lines of joints with the bodies at these positions."""
        return joint_lines(self._bodies(position, velocity), self._joints, self._step.dt)

    def _accept(self, rest: _Rest, trial: _Trial) -> None:
        """Make this scene the current one, and keep its impulses."""
        self.position, self.velocity = trial.position, trial.velocity
        impulse = trial.impulse[: 2 * len(rest.key)].reshape(-1, 2)
        self._keep(rest.key, impulse)
        self._known = rest.key, impulse
        lines = trial.lines
        self._joints.total[lines.row, lines.part] += trial.impulse[2 * len(rest.key) :]

    def _keep(self, key: IntArray, impulse: FloatArray) -> None:
        mine = (key >= 0) & (impulse != 0.0).any(axis=1)
        np.add.at(self._step.contacts.total, (key[mine] // 2, key[mine] % 2), impulse[mine])

    # -- trace ----------------------------------------------------------------------------------------------------------

    def _record_stage(self, stage: float) -> None:
        self._step.record_stage(stage, 0, self.velocity.reshape(-1, 3), self.position.reshape(-1, 3))

    def _record_rows(self, points: _Points, force: FloatArray, rate: FloatArray, status: NDArray[Any]) -> None:
        """Record for each point, first along all normals and then along all tangents, its force, rate, state and normal."""
        m = len(points.row)
        for row in range(2 * m if self._step.trace is not None else 0):
            normal = points.contacts.normal[points.row[row % m]].tolist()
            key, numbers = int(points.key[row % m]), (float(status[row]), float(force[row]), float(rate[row]))
            self._step.record(
                FOUND, *((float(key // 2), float(key % 2)) if key >= 0 else (-1.0, 0.0)), float(row >= m), *numbers, 1.0, 0.0, *normal
            )

    def _record_forces(self, points: _Points, found: _dantzig.Forces, pivots: list[_dantzig.Pivot], n_driven: int) -> None:
        """Record the resting forces after the pivots that led to them."""
        m = len(points.row)
        for pivot in pivots:
            names = []
            for row in (pivot.entering - n_driven, pivot.row - n_driven):
                key = int(points.key[row % m]) if row >= 0 else -1
                names += [float(key // 2), float(key % 2), float(row >= m)] if key >= 0 else [-1.0, 0.0, 0.0]
            self._step.record(PIVOT, *names, float(pivot.becomes), pivot.force)
        self._record_rows(points, found.force[n_driven:], found.acceleration[n_driven:], found.status[n_driven:])
        self._step.record(TRIED, float(found.n_pivots), float(found.is_exact), float(np.count_nonzero(found.status == FREE)))

    # -- places ---------------------------------------------------------------------------------------------------------

    def _bodies(self, position: FloatArray, velocity: FloatArray) -> Bodies:
        shift = position.reshape(-1, 3)
        turn = np.ascontiguousarray(poses_with_rotation(shift)[:, 2:])
        step = self._step
        return Bodies(velocity.reshape(-1, 3), np.ascontiguousarray(shift), turn, step.inverse, step.push, np.ones((self._n, 2)))

    def _points_at(self, position: FloatArray) -> _Points:
        """Return all contact points with the bodies at these positions."""
        contacts, of_step, restitution, plane = self._step.contacts_at(self._bodies(position, self.velocity))
        row, k = points_of(contacts)
        a, b = contacts.bodies[row].T
        pair = np.where(of_step[row] >= 0, of_step[row], -1 - (a * self._n + b))
        return _Points(contacts, row, k, pair, _key(pair, k), gaps(contacts)[row, k], restitution[row], plane[row], self._n)

    # -- forces ---------------------------------------------------------------------------------------------------------

    def _resting(self, here: _Points, left: float) -> _Rest:
        """Return the resting contacts: those that touch and do not separate."""
        normal, tangent = here.lines
        rests = (here.gap <= self._tolerance) & ((normal @ self.velocity <= self._resting_speed) | (here.gap < -self._tolerance))
        order = np.argsort(here.key[rests], kind="stable")
        rate = self._lines(self.position, self.velocity).jacobian @ self.velocity
        return _Rest(here.key[rests][order], (tangent @ self.velocity)[rests][order], rate, left)

    def _accelerations(self, position: FloatArray, velocity: FloatArray, rest: _Rest) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the accelerations of all bodies, the forces (normal, tangential) of all points at rest, and those of all joints' lines."""
        lines, seen = self._lines(position, velocity), self._points_at(position)
        at, is_known = places_of(seen.key, rest.key)
        is_near = is_known & (seen.gap <= 4.0 * self._tolerance)
        points, at = seen.chosen(is_near), at[is_near]
        normal, tangent = points.lines
        bends, joints_bend = points.bends(velocity), self._joints_bend(position, velocity, lines)
        mode, rate = self._joints.mode[lines.row], lines.jacobian @ velocity
        forces = np.zeros(len(lines.row))
        free = self._push - self._weak * velocity
        is_sprung = mode == SPRING
        if is_sprung.any():
            forces[is_sprung] = self._springs(lines, is_sprung, rate)
            free = free + self._inverse * (lines.jacobian.T @ forces)
        system = _System(self._inverse, lines.jacobian[mode == HOLD])
        drift = self._drift(lines.error, rate)
        start, held = system.held(free, (joints_bend + drift)[mode == HOLD])
        driven, sign, wants, low, high = self._driven(lines, mode, rate, rest)
        normals_want = bends[0] + self._drift(points.gap, normal @ velocity)
        tangents_want = bends[1] + rest.slip[at] / max(rest.left, 0.1 * self._step.dt)
        jacobian = np.concatenate((sign[:, None] * lines.jacobian[driven], normal, tangent))
        m, n_driven = len(points.row), len(driven)
        response = system.response(jacobian)
        b = jacobian @ start + np.concatenate((sign * joints_bend[driven] + wants, normals_want, tangents_want))
        bounds = _bounds(low, high, points.friction)
        pivots: list[_dantzig.Pivot] | None = None if self._step.trace is None else []
        solution = _dantzig.solve(jacobian @ response, b, bounds, self._guess(points, low), pivots)
        f = solution.force
        if not solution.is_exact:
            self._step.note(_APPROXIMATE)
        if pivots is not None:
            self._record_forces(points, solution, pivots, n_driven)
        self._remember(points, solution.status[n_driven:], n_driven)
        forces[driven] = sign * f[:n_driven]
        forces[mode == HOLD] = held - system.shares(jacobian) @ f
        of_points = np.zeros((len(rest.key), 2))
        of_points[at, 0], of_points[at, 1] = f[n_driven : n_driven + m], f[n_driven + m :]
        return start + response @ f, of_points.reshape(-1), forces

    def _drift(self, error: FloatArray, rate: FloatArray) -> FloatArray:
        """Return Baumgarte's correction of an acceleration, which makes an error C decay like a critically damped spring."""
        rho = self._correction
        most = _DEEPEST / rho if rho > 0.0 else 0.0
        return 2.0 * rho * rate + rho * rho * np.clip(error, -most, most)

    def _joints_bend(self, position: FloatArray, velocity: FloatArray, lines: JointLines) -> FloatArray:
        """Return J' v of joints: the change of J v at constant velocities.

        A line that turns by more than a radian in a step, such as that of a rod shorter than the path of its end, counts as turning by one:
        the integration over the step cannot follow it, and at length 0 its direction jumps by half a turn.
        """
        if len(lines.row) == 0:
            return np.zeros(0)
        change = (self._lines(position + _MOMENT * velocity, velocity).jacobian - lines.jacobian) / _MOMENT
        turned = self._step.dt * _straight(change) / np.maximum(_straight(lines.jacobian), EPS64)
        bend: FloatArray = change @ velocity / np.maximum(turned, 1.0)
        return bend

    def _springs(self, lines: JointLines, which: NDArray[np.bool_], rate: FloatArray) -> FloatArray:
        """Return the forces of springs with the effective mass m: ``-m (w^2 C + 2 zeta w C')``, w at most one radian per step."""
        joints, row, jacobian = self._joints, lines.row[which], lines.jacobian[which]
        omega = np.minimum(2.0 * math.pi * joints.spring[row, 0], 1.0 / self._step.dt)
        acceleration = -(omega * omega * lines.error[which] + 2.0 * joints.spring[row, 1] * omega * rate[which])
        response = (jacobian * self._inverse) @ jacobian.T
        of_same = row[:, None] == row[None, :]
        force: FloatArray = np.linalg.lstsq(np.where(of_same, response, 0.0), acceleration)[0]
        for joint in np.unique(row[joints.kind[row] == POINT]):
            mine = row == joint
            size = math.hypot(*force[mine])
            if size > joints.max_force[joint]:
                force[mine] *= joints.max_force[joint] / size
        return force

    def _driven(
        self, lines: JointLines, mode: IntArray, rate: FloatArray, rest: _Rest
    ) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the lines with bounds (motors and reached limits): their indices, signs, additions to b, and bounds."""
        joints, dt, over = self._joints, self._step.dt, self._beyond(lines)
        driven = np.flatnonzero((mode == DRIVE) | (over >= -self._tolerance))
        row, is_drive = lines.row[driven], mode[driven] == DRIVE
        sign = np.where(mode[driven] == HIGH, -1.0, 1.0)
        missing = (rest.rate[driven] + lines.missing[driven]) / max(rest.left, 0.1 * dt)
        wants = np.where(is_drive, missing, self._drift(sign * lines.error[driven], sign * rate[driven]))
        most = joints.max_force[row]
        return driven, sign, wants, np.where(is_drive, -most, 0.0), np.where(is_drive, most, math.inf)

    def _guess(self, points: _Points, low: FloatArray) -> IntArray | None:
        """Return a guess of the free rows: those of the last evaluation, or else those given by the last step's impulses."""
        known = self._guessed.get((len(points.row), len(low)))
        if known is not None:
            return known
        key, impulse = self._known
        at, is_there = places_of(points.key, key)
        pn, pt = np.where(is_there[:, None], impulse[np.where(is_there, at, 0)], 0.0).T if len(key) > 0 else np.zeros((2, len(at)))
        if not pn.any():
            return None
        most = points.friction * pn
        slips = np.where(pt >= most * (1.0 - 1e-9), 1, np.where(pt <= -most * (1.0 - 1e-9), -1, np.where(pt == 0.0, RESTS, FREE)))
        return np.concatenate((np.where(low < 0.0, FREE, -1), np.where(pn > 0.0, FREE, -1), slips))

    def _remember(self, points: _Points, status: IntArray, n_driven: int) -> None:
        self._guessed = {(len(points.row), n_driven): np.concatenate((np.full(n_driven, FREE), status))}

    # -- collisions -----------------------------------------------------------------------------------------------------

    def _collide(self, here: _Points) -> None:
        """Bounce the touching pairs that approach faster than the threshold, one by one; then stop all remaining approaches together."""
        lines = self._lines(self.position, self.velocity)
        mode = self._joints.mode[lines.row]
        hold = lines.jacobian[mode == HOLD]
        at_limit = np.flatnonzero(self._beyond(lines) >= -self._tolerance)
        touching = here.chosen(here.gap <= self._tolerance)
        normal, tangent = touching.lines
        sign = np.where(mode[at_limit] == HIGH, -1.0, 1.0)
        jacobian = np.concatenate((sign[:, None] * lines.jacobian[at_limit], normal, tangent))
        u, n_limits, m = jacobian @ self.velocity, len(at_limit), len(touching.row)
        approaches = bool((u[: n_limits + m] < -_STILL).any())
        if not approaches and not (np.abs(hold @ self.velocity) > self._resting_speed).any():  # a slower one is an ongoing correction
            return
        system = _System(self._inverse, hold)
        start, held = system.held(self.velocity, np.zeros(len(hold)))
        response = system.response(jacobian)
        a, u, p = jacobian @ response, jacobian @ start, np.zeros(len(u))
        self._bounce(a, u, p, touching, n_limits)
        is_exact = True
        if (u[: n_limits + m] < -_STILL).any():
            solution = _dantzig.solve(a, u, _bounds(np.zeros(n_limits), np.full(n_limits, math.inf), touching.friction))
            p, is_exact = p + solution.force, solution.is_exact
            if not is_exact:
                self._step.note(_APPROXIMATE)
        self.velocity = start + response @ p
        self._record_stage(COLLISIONS)
        self._record_rows(touching, p[n_limits:], (jacobian @ self.velocity)[n_limits:], np.zeros(2 * m))
        self._step.record(TRIED, -1.0, float(is_exact), float(np.count_nonzero(p)))
        self._keep(touching.key, np.column_stack((p[n_limits : n_limits + m], p[n_limits + m :])))
        self._joints.total[lines.row[at_limit], lines.part[at_limit]] += sign * p[:n_limits]
        holding = mode == HOLD
        self._joints.total[lines.row[holding], lines.part[holding]] += held - system.shares(jacobian) @ p

    def _bounce(self, a: FloatArray, u: FloatArray, p: FloatArray, touching: _Points, first: int) -> None:
        """Add the bounces of pairs with a restitution to impulses `p` and to the velocities `u` along all lines, the fastest pair first.

        A pair of two points is one impact: a box that lands flat bounces flat.
        """
        m, bouncing = len(touching.row), np.flatnonzero(touching.restitution > 0.0)
        for _ in range(_ROUNDS * m if len(bouncing) > 0 else 0):
            fastest = bouncing[int(np.argmin(u[first + bouncing]))]
            if u[first + fastest] >= -max(self._step.threshold, _STILL):
                return
            mine = np.flatnonzero(touching.row == touching.row[fastest])
            normals, restitution = first + mine, float(touching.restitution[fastest])
            square = a[np.ix_(normals, normals)]
            pushes = _dantzig.solve(square, (1.0 + restitution) * np.minimum(u[normals], 0.0), Bounds.pushing(len(mine))).force
            p[normals] += pushes
            u += a[:, normals] @ pushes
            for point, push in zip(mine.tolist(), pushes.tolist(), strict=True):
                line, most = first + m + point, touching.friction[point] * push
                if a[line, line] > 0.0:
                    rub = max(-most, min(-u[line] / a[line, line], most))
                    p[line] += rub
                    u += a[:, line] * rub


class _Trial(NamedTuple):
    """A scene at a later time: displacements, velocities, impulses of points and joint lines, and the contacts and joints there."""

    position: FloatArray
    velocity: FloatArray
    impulse: FloatArray
    points: _Points
    lines: JointLines


class _System:
    """Bodies on joints: their response to forces is ``W = M^-1 - M^-1 J^T S^-1 J M^-1``, with ``S = J M^-1 J^T``.

    Parameters
    ----------
    inverse : float64 (3 n,)
    hold : float64 (m, 3 n)
        Lines of equality constraints.
    """

    def __init__(self, inverse: FloatArray, hold: FloatArray) -> None:
        self._inverse, self._hold = inverse, hold
        square = (hold * inverse) @ hold.T
        self._solver: FloatArray = np.zeros((0, 0)) if len(hold) == 0 else _inverted(square)

    def held(self, free: FloatArray, missing: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return accelerations, or velocities, for which J a + `missing` is zero, and the joints' forces that this needs."""
        force = -self._solver @ (self._hold @ free + missing)
        return free + self._inverse * (self._hold.T @ force), force

    def shares(self, jacobian: FloatArray) -> FloatArray:
        """Return the shares of forces along lines (k, 3 n) that the joints balance, float64 (m, k)."""
        shares: FloatArray = self._solver @ (self._hold @ (jacobian * self._inverse).T)
        return shares

    def response(self, jacobian: FloatArray) -> FloatArray:
        """Return W J^T, float64 (3 n, k)."""
        direct = (jacobian * self._inverse).T
        if len(self._hold) == 0:
            return direct
        left = direct - (self._hold * self._inverse).T @ self.shares(jacobian)
        is_held = (jacobian.T * left).sum(axis=0) <= _HELD * (jacobian.T * direct).sum(axis=0)
        response: FloatArray = np.where(is_held, 0.0, left)
        return response


def _turned(spin: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return ``spin x vector`` of spins (m,) and vectors (m, 2)."""
    return spin[:, None] * np.column_stack((-vectors[:, 1], vectors[:, 0]))


def _straight(lines: FloatArray) -> FloatArray:
    """Return the norm of the translational part of lines (m, 3 n), float64 (m,)."""
    lengths: FloatArray = np.hypot.reduce(lines.reshape(len(lines), -1, 3)[:, :, :2].reshape(len(lines), -1), axis=1)
    return lengths


def _inverted(square: FloatArray) -> FloatArray:
    """Return the inverse; if lines are redundant, the pseudoinverse.

    Each line is scaled: otherwise one between heavy bodies would be negligible beside one between light ones.
    """
    diagonal = np.diag(square)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(scale[:, None] * square * scale)
    keeps = values > _SINGULAR * float(values.max(initial=0.0))
    some = scale[:, None] * vectors[:, keeps]
    inverse: FloatArray = (some / values[keeps]) @ some.T
    return inverse


def _bounds(low: FloatArray, high: FloatArray, friction: FloatArray) -> Bounds:
    """Return bounds of driven lines, followed by those of points' normal forces and friction."""
    n, m = len(low), len(friction)
    none = np.zeros(m)
    return Bounds(
        np.concatenate((low, none, none)),
        np.concatenate((high, np.full(m, math.inf), none)),
        np.concatenate((np.full(n + m, -1), np.arange(n, n + m))),
        np.concatenate((np.zeros(n + m), friction)),
    )


def _key(row: IntArray, k: IntArray) -> IntArray:
    return 2 * row + k
