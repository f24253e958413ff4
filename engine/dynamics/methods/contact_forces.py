"""Contact forces: bodies move with their accelerations and stop at each collision, following D. Baraff.

Between collisions the equations of motion are integrated, by default by RK4. Their right side contains the forces of resting contacts, the
solution of a linear complementarity problem in each evaluation (`_dantzig`)::

    a = A f + b >= 0,    f >= 0,    f a = 0,    with A = J M^-1 J^T and b = J (g + F / m) + J' v

where a are the accelerations of the gaps of resting points. If a shape would penetrate another, the whole scene is restored and advanced by
half the time (*bisection*) until the gap is within a tolerance; approaching pairs then get impulses, one by one, and the motion continues
for the rest of the step. Islands with joints are solved by sequential impulses. See docs/solvers/contact_forces.md.

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
from engine.common.events import is_recording, record, unrecorded
from engine.dynamics.contacts import places_of
from engine.dynamics.integrators import INTEGRATORS
from engine.dynamics.methods import _dantzig, sequential_impulses
from engine.dynamics.methods._dantzig import FREE, Bounds
from engine.dynamics.methods._jacobian import contact_lines, gaps, points_of
from engine.dynamics.methods.protocol import Method, Problem, Setting
from engine.dynamics.model import SUM, TOUCH, Bodies, Contacts
from engine.dynamics.solver_events import COLLISIONS, END, MOVE, PieceEnd, PivotDone, RowFound, RowsTried, Stage
from engine.narrowphase.batched import poses_with_rotation

__all__ = ["METHOD", "ContactForces"]

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
_DEEPEST = 1.0
"""Maximum correction velocity, m/s, that is, error times correction rate; larger errors are corrected at this rate."""


_JOINTED = "Islands with joints are solved by sequential impulses."
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
            "Maximum contact points",
            100,
            1,
            2000,
            is_whole=True,
            help="A step with more contact points than this is solved by sequential impulses.",
        ),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        """Advance by a step; sequential impulses solve islands with joints, and steps of more points than `largest`, with a note."""
        limit, by_impulses = options["largest"], sequential_impulses.METHOD.options((("iterations", _ITERATIONS),))
        if step.contacts.n_points.sum() > limit:
            step.note(f"The step has over {limit} contact points, so sequential impulses solve it.")
            return sequential_impulses.METHOD.solve(step, by_impulses)
        bodies, jointed = step.bodies(step.dt), _jointed(step)
        scene = _Scene(step, options, jointed)
        scene.advance()
        if jointed.any():
            step.note(_JOINTED)
            with unrecorded():  # the other method's steps are not this one's
                sequential_impulses.METHOD.advance(step, bodies, by_impulses, np.any(jointed[step.contacts.bodies], axis=1))
        bodies.velocity[~jointed], bodies.shift[~jointed] = scene.velocity.reshape(-1, 3)[~jointed], scene.position.reshape(-1, 3)[~jointed]
        record(Stage(END, 0, bodies.velocity, bodies.shift))
        step.contacts.impulse[:] = step.contacts.total
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

    Also the time to the end of the step, s.
    """

    key: IntArray
    slip: FloatArray
    left: float


class _Scene:
    """Bodies during a step, but for those in `jointed`, bool (n,).

    Attributes
    ----------
    position, velocity : float64 (3 n,)
        Shift since the start of the step; velocities.
    """

    def __init__(self, step: Problem, options: Mapping[str, Any], jointed: NDArray[np.bool_]) -> None:
        self._step, self._n, self._jointed, start = step, len(step.center), jointed, step.bodies(step.dt)
        self._integrator, self._tolerance = INTEGRATORS[options["integrator"]], float(options["tolerance"])
        self._resting_speed, self._most = float(options["resting_speed"]), int(options["collisions"])
        self._correction = float(options["correction"])
        self.position, self.velocity = start.shift.reshape(-1), start.velocity.reshape(-1)
        self._inverse, self._push = step.inverse[:, [0, 0, 1]].reshape(-1), step.push.reshape(-1)
        damping = np.where(step.drives[:, None], step.tables.bodies.damping, 0.0)[:, [0, 0, 1]].reshape(-1)
        self._weak, self._strong = (np.where(choice, damping, 0.0) for choice in (damping * step.dt <= 1.0, damping * step.dt > 1.0))
        self._moves = bool((step.moves & ~jointed).any())

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
            record(PieceEnd(t, h, h < dt - t))
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
        """Return the maximum displacement of a body's point between two scenes, m."""
        moved = np.abs(after.position - before.position).reshape(-1, 3)[:-1]
        points = np.hypot(moved[:, 0], moved[:, 1]) + self._step.tables.reach * moved[:, 2]
        return float(points.max(initial=0.0))

    def _tried(self, rest: _Rest, h: float) -> _Trial:
        """Return the scene `h` seconds later. Impulses are integrated together with the velocities to which they contribute."""
        n = 3 * self._n
        n_forces = 2 * len(rest.key)

        def rate(_: float, position: FloatArray, motion: FloatArray) -> FloatArray:
            return np.concatenate(self._accelerations(position[:n], motion[:n], rest))

        position, motion = np.zeros(n + n_forces), np.zeros(n + n_forces)
        position[:n], motion[:n] = self.position, self.velocity
        if h > 0.0:
            position, motion = self._integrator(rate, position, motion, h)
        return _Trial(position[:n], motion[:n], motion[n:], self._points_at(position[:n]))

    def _passes(self, here: _Points, trial: _Trial) -> bool:
        """Return True if the overlap of a pair has grown by more than the tolerance."""
        there, known = trial.points, dict.fromkeys(here.pair.tolist(), 0.0)
        for pair, gap in zip(here.pair.tolist(), here.gap.tolist(), strict=True):
            known[pair] = min(known[pair], gap)
        return any(gap < known.get(pair, 0.0) - self._tolerance for pair, gap in zip(there.pair.tolist(), there.gap.tolist(), strict=True))

    def _meets(self, here: _Points, trial: _Trial) -> bool:
        """Return True if a new point touches."""
        touched = here.key[here.gap <= self._tolerance]
        there = trial.points
        return bool((~np.isin(there.key[there.gap <= self._tolerance], touched)).any())

    def _accept(self, rest: _Rest, trial: _Trial) -> None:
        """Make this scene the current one, and keep its impulses."""
        self.position, self.velocity = trial.position, trial.velocity
        self._keep(rest.key, trial.impulse.reshape(-1, 2))

    def _keep(self, key: IntArray, impulse: FloatArray) -> None:
        mine = (key >= 0) & (impulse != 0.0).any(axis=1)
        np.add.at(self._step.contacts.total, (key[mine] // 2, key[mine] % 2), impulse[mine])

    # -- events ---------------------------------------------------------------------------------------------------------

    def _record_stage(self, stage: int) -> None:
        record(Stage(stage, 0, self.velocity.reshape(-1, 3), self.position.reshape(-1, 3)))

    def _record_rows(self, points: _Points, force: FloatArray, rate: FloatArray) -> None:
        """Record for each point, first along all normals and then along all tangents, its force, rate and normal."""
        for row, names in enumerate(_names(points)):
            record(RowFound(*names, force[row], rate[row], tuple(points.contacts.normal[points.row[row % len(points.row)]])))

    def _record_forces(self, points: _Points, found: _dantzig.Forces) -> None:
        """Record the resting forces after the pivots that led to them."""
        names = _names(points)
        for pivot in found.pivots:
            record(PivotDone(names[pivot.entering], names[pivot.row], pivot.becomes, pivot.force))
        self._record_rows(points, found.force, found.acceleration)
        record(RowsTried(found.n_pivots, found.is_exact, int(np.count_nonzero(found.status == FREE))))

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
        free = ~self._jointed[contacts.bodies[row]].any(axis=1)
        row, k = row[free], k[free]
        a, b = contacts.bodies[row].T
        pair = np.where(of_step[row] >= 0, of_step[row], -1 - (a * self._n + b))
        return _Points(contacts, row, k, pair, _key(pair, k), gaps(contacts)[row, k], restitution[row], plane[row], self._n)

    # -- forces ---------------------------------------------------------------------------------------------------------

    def _resting(self, here: _Points, left: float) -> _Rest:
        """Return the resting contacts: those that touch and do not separate."""
        normal, tangent = here.lines
        rests = (here.gap <= self._tolerance) & ((normal @ self.velocity <= self._resting_speed) | (here.gap < -self._tolerance))
        order = np.argsort(here.key[rests], kind="stable")
        return _Rest(here.key[rests][order], (tangent @ self.velocity)[rests][order], left)

    def _accelerations(self, position: FloatArray, velocity: FloatArray, rest: _Rest) -> tuple[FloatArray, FloatArray]:
        """Return the accelerations of all bodies, and the forces (normal, tangential) of all points at rest."""
        seen = self._points_at(position)
        at, is_known = places_of(seen.key, rest.key)
        is_near = is_known & (seen.gap <= 4.0 * self._tolerance)
        points, at = seen.chosen(is_near), at[is_near]
        normal, tangent = points.lines
        bends, start = points.bends(velocity), self._push - self._weak * velocity
        jacobian, m = np.concatenate((normal, tangent)), len(points.row)
        normals_want = bends[0] + self._drift(points.gap, normal @ velocity)
        tangents_want = bends[1] + rest.slip[at] / max(rest.left, 0.1 * self._step.dt)
        response = (jacobian * self._inverse).T
        b = jacobian @ start + np.concatenate((normals_want, tangents_want))
        solution = _dantzig.solve(jacobian @ response, b, _bounds(points.friction))
        f = solution.force
        if not solution.is_exact:
            self._step.note(_APPROXIMATE)
        if is_recording():
            self._record_forces(points, solution)
        of_points = np.zeros((len(rest.key), 2))
        of_points[at, 0], of_points[at, 1] = f[:m], f[m:]
        return start + response @ f, of_points.reshape(-1)

    def _drift(self, error: FloatArray, rate: FloatArray) -> FloatArray:
        """Return Baumgarte's correction of an acceleration, which makes an error C decay like a critically damped spring."""
        rho = self._correction
        most = _DEEPEST / rho if rho > 0.0 else 0.0
        return 2.0 * rho * rate + rho * rho * np.clip(error, -most, most)

    # -- collisions -----------------------------------------------------------------------------------------------------

    def _collide(self, here: _Points) -> None:
        """Bounce the touching pairs that approach faster than the threshold, one by one; then stop all remaining approaches together."""
        touching = here.chosen(here.gap <= self._tolerance)
        jacobian, m = np.concatenate(touching.lines), len(touching.row)
        u = jacobian @ self.velocity
        if not (u[:m] < -_STILL).any():
            return
        response = (jacobian * self._inverse).T
        a, p = jacobian @ response, np.zeros(len(u))
        self._bounce(a, u, p, touching)
        is_exact = True
        if (u[:m] < -_STILL).any():
            solution = _dantzig.solve(a, u, _bounds(touching.friction))
            p, is_exact = p + solution.force, solution.is_exact
            if not is_exact:
                self._step.note(_APPROXIMATE)
        self.velocity = self.velocity + response @ p
        self._record_stage(COLLISIONS)
        if is_recording():
            self._record_rows(touching, p, jacobian @ self.velocity)
            record(RowsTried(-1, is_exact, int(np.count_nonzero(p))))
        self._keep(touching.key, np.column_stack((p[:m], p[m:])))

    def _bounce(self, a: FloatArray, u: FloatArray, p: FloatArray, touching: _Points) -> None:
        """Add the bounces of pairs with a restitution to impulses `p` and to the velocities `u` along all lines, the fastest pair first.

        A pair of two points is one impact: a box that lands flat bounces flat.
        """
        m, bouncing = len(touching.row), np.flatnonzero(touching.restitution > 0.0)
        for _ in range(_ROUNDS * m if len(bouncing) > 0 else 0):
            fastest = bouncing[int(np.argmin(u[bouncing]))]
            if u[fastest] >= -max(self._step.threshold, _STILL):
                return
            mine = np.flatnonzero(touching.row == touching.row[fastest])
            restitution = float(touching.restitution[fastest])
            square = a[np.ix_(mine, mine)]
            pushes = _dantzig.solve(square, (1.0 + restitution) * np.minimum(u[mine], 0.0), Bounds.pushing(len(mine))).force
            p[mine] += pushes
            u += a[:, mine] @ pushes
            for point, push in zip(mine.tolist(), pushes.tolist(), strict=True):
                line, most = m + point, touching.friction[point] * push
                if a[line, line] > 0.0:
                    rub = max(-most, min(-u[line] / a[line, line], most))
                    p[line] += rub
                    u += a[:, line] * rub


class _Trial(NamedTuple):
    """A scene at a later time: displacements, velocities, impulses of points, and the contacts there."""

    position: FloatArray
    velocity: FloatArray
    impulse: FloatArray
    points: _Points


def _jointed(step: Problem) -> NDArray[np.bool_]:
    """Return a mask of the bodies that joints hold, or that touch such a body, directly or through others, bool (n,)."""
    jointed, moves, two = np.zeros(len(step.center), dtype=np.bool_), step.inverse.any(axis=1), step.joints.kind != SUM
    n_known, pairs = 0, step.contacts.bodies
    jointed[step.joints.bodies[two]] = True
    jointed &= moves
    while n_known < (n_known := int(np.count_nonzero(jointed))):
        jointed[pairs[jointed[pairs].any(axis=1)]] = True
        jointed &= moves
    return jointed


def _turned(spin: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return ``spin x vector`` of spins (m,) and vectors (m, 2)."""
    return spin[:, None] * np.column_stack((-vectors[:, 1], vectors[:, 0]))


def _bounds(friction: FloatArray) -> Bounds:
    """Return the bounds of points' normal forces, followed by those of their friction."""
    m = len(friction)
    none = np.zeros(m)
    return Bounds(
        np.zeros(2 * m),
        np.concatenate((np.full(m, math.inf), none)),
        np.concatenate((np.full(m, -1), np.arange(m))),
        np.concatenate((none, friction)),
    )


def _key(row: IntArray, k: IntArray) -> IntArray:
    return 2 * row + k


def _names(points: _Points) -> list[tuple[int, int, bool]]:
    """Return contact, point and whether it is a tangent of all rows, the normals first; contact -1 for points of new pairs."""
    keys = points.key.tolist()
    return [(key // 2, key % 2, is_tangent) if key >= 0 else (-1, 0, is_tangent) for is_tangent in (False, True) for key in keys]
