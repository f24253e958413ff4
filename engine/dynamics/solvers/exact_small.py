"""Exact impulses of small scenes: one step in one piece, whose constraints are solved without rounding.

What is asked is what every solver of impulses approaches, and says nothing about how it is found::

    v = v_free + M^-1 J^T P,    u = J v + beta >= 0,    P >= 0,    P u = 0 of a contact's normal, u = 0 of a joint

with friction within plus and minus mu times the normal impulse, at a bound where the point slips. Floating point (`_dantzig`) suggests
which rows are free and which are at a bound; then the impulses of that set are solved for in whole numbers, and all inequalities
checked. If one does not hold, other sets are gone through in ascending number of changes. See docs/solvers/exact_small.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import InvalidInputError
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._joint_kernel import DRIVE, HIGH, HOLD, LOW, SPRING
from engine.dynamics._solver_trace_kernel import APPLIED, END, FOUND, FREE, TRIED
from engine.dynamics.exact_forces import MOST_CONTACTS, exact_products, solved_exactly
from engine.dynamics.solvers import _dantzig
from engine.dynamics.solvers._dantzig import Bounds
from engine.dynamics.solvers._jacobian_kernel import contact_lines, gaps, joint_lines, points_of
from engine.dynamics.solvers.protocol import Method, Problem, Setting

__all__ = ["METHOD", "ExactSmall"]

_TRIES = 300
"""Sets of free rows that are looked at."""
_SLACK = 1e-11
"""Of the largest velocity, or of the largest impulse p in the measure of its row, sqrt(A) p: within it inequalities hold, for that the
contacts, in float64, do not tell themselves."""
_VAGUE = 1e-6
"""Of the largest velocity: sets are passed over whose rates change by more when their impulses are rounded to float64. Rows that say
the same but for the rounding of contacts ask for impulses of 1e34 that cancel one another; rounded, they hold nothing."""


class ExactSmall(Method):
    """All constraints of a step at once, in rationals."""

    title = "Exact, small scenes"
    settings = (Setting("share", "Share of an error made up in a step", 0.2, 0.0, 1.0),)

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        """Raise `InvalidInputError` where there are more than `MOST_CONTACTS` contacts."""
        if len(step.contacts.n_points) > MOST_CONTACTS:
            raise InvalidInputError("contacts", f"at most {MOST_CONTACTS} for exact_small", len(step.contacts.n_points))
        bodies, dt = step.bodies(step.dt), step.dt
        rows = _Rows(step, bodies, float(options["share"]))
        start = bodies.velocity.reshape(-1)
        start += dt * step.push.reshape(-1)
        start *= bodies.decay[:, [0, 0, 1]].reshape(-1)
        step.tell_stage(FREE, 0, bodies.velocity, bodies.shift)
        inverse = step.inverse[:, [0, 0, 1]].reshape(-1)
        impulse = _impulses(
            rows.jacobian, inverse, start, rows.beta, rows.softness, rows.bounds, None if step.trace is None else rows.told(step)
        )
        start += inverse * (rows.jacobian.T @ impulse)
        step.tell_stage(APPLIED, 0, bodies.velocity, bodies.shift)
        rows.keep(step, impulse)
        bodies.shift[:] = dt * bodies.velocity
        step.tell_stage(END, 0, bodies.velocity, bodies.shift)
        return step.ended(bodies)


METHOD = ExactSmall()


class _Rows:
    """The rows of a step: joints' lines, then all points' normals, then all their tangents.

    Attributes
    ----------
    jacobian : float64 (k, 3 n)
    beta, softness : float64 (k,)
        What is added to J v, m/s, and to the diagonal of J M^-1 J^T.
    bounds : Bounds
        Of impulses.
    """

    def __init__(self, step: Problem, bodies: Bodies, share: float) -> None:
        contacts, joints, dt, n = step.contacts, step.joints, step.dt, len(step.center)
        self._row, self._k = row, k = points_of(contacts)
        normal, tangent = contact_lines(contacts, row, k, n)
        self._lines = lines = joint_lines(bodies, joints, dt)
        velocity, m = bodies.velocity.reshape(-1), len(row)
        gap = gaps(contacts)[row, k]
        before, restitution = normal @ velocity, step.restitution[row]
        bounces = (restitution > 0.0) & (before < -step.threshold) & (gap + before * dt <= 0.0)
        apart = np.where(bounces, restitution * before, np.where(gap > 0.0, gap, share * gap) / dt)
        mode, of = joints.mode[lines.row], lines.row
        self._sign = np.where(mode == HIGH, -1.0, 1.0)
        jacobian = self._sign[:, None] * lines.jacobian
        error = self._sign * lines.error
        is_limit, is_drive, is_spring = (mode == LOW) | (mode == HIGH), mode == DRIVE, mode == SPRING
        omega, zeta = 2.0 * math.pi * joints.spring[of, 0], joints.spring[of, 1]
        stiff = np.where(is_spring, omega * (2.0 * zeta + dt * omega), 1.0)
        square = ((jacobian * step.inverse[:, [0, 0, 1]].reshape(-1)) * jacobian).sum(axis=1)
        beta = np.where(is_limit & (error > 0.0), error, share * error) / dt
        beta = np.where(is_drive, lines.missing, beta)
        beta = np.where(is_spring, omega * omega / stiff * error, beta)
        most = np.where(mode == HOLD, math.inf, joints.most[of] * dt)
        self.jacobian = np.concatenate((jacobian, normal, tangent))
        self.beta = np.concatenate((beta, apart, np.zeros(m)))
        self.softness = np.concatenate((np.where(is_spring, square / (dt * stiff), 0.0), np.zeros(2 * m)))
        first = len(of)
        self.bounds = Bounds(
            np.concatenate((np.where(is_limit, 0.0, -most), np.zeros(2 * m))),
            np.concatenate((np.where(is_limit, math.inf, most), np.full(m, math.inf), np.zeros(m))),
            np.concatenate((np.full(first + m, -1), np.arange(first, first + m))),
            np.concatenate((np.zeros(first + m), contacts.friction[row])),
        )

    def told(self, step: Problem) -> Callable[[IntArray, FloatArray, FloatArray, NDArray[np.bool_]], None]:
        """Return what tells a set of `step`: what each row is, its impulse and its rate by that, and whether it may be so."""
        n_lines, m, n_told = len(self._lines.row), len(self._row), 0

        def tell(status: IntArray, impulse: FloatArray, rate: FloatArray, holds: NDArray[np.bool_]) -> None:
            nonlocal n_told
            for row in range(len(status)):
                is_line, at = row < n_lines, (row - n_lines) % max(m, 1)
                of = (-1.0, 0.0) if is_line else (float(self._row[at]), float(self._k[at]))
                is_tangent = float(not is_line and row >= n_lines + m)
                step.tell(
                    FOUND,
                    *of,
                    is_tangent,
                    float(status[row]),
                    float(impulse[row]),
                    float(rate[row]),
                    float(holds[row]),
                    float(self.beta[row]),
                )
            step.tell(TRIED, float(n_told), float(holds.all()), float(np.count_nonzero(status == _dantzig.FREE)))
            n_told += 1

        return tell

    def keep(self, step: Problem, impulse: FloatArray) -> None:
        """Write impulses to the rows of contacts and joints."""
        contacts, joints, lines, m = step.contacts, step.joints, self._lines, len(self._row)
        first = len(lines.row)
        contacts.total[self._row, self._k] = contacts.impulse[self._row, self._k] = impulse[first:].reshape(2, m).T
        joints.total[lines.row, lines.part] = joints.impulse[lines.row, lines.part] = self._sign * impulse[:first]


def _impulses(
    jacobian: FloatArray, inverse: FloatArray, start: FloatArray, beta: FloatArray, softness: FloatArray, bounds: Bounds,
    tell: Callable[[IntArray, FloatArray, FloatArray, NDArray[np.bool_]], None] | None = None,
) -> FloatArray:  # fmt: skip
    """Return the impulses of all rows; those of floating point where `_TRIES` sets are not enough."""
    if len(beta) == 0:
        return np.zeros(0)
    exact, right = exact_products(jacobian, inverse, start)
    right = [one + Fraction(more) for one, more in zip(right, beta.tolist(), strict=True)]
    for row, soft in enumerate(softness.tolist()):
        exact[row][row] += Fraction(soft)
    a, b = np.array(exact, dtype=np.float64), np.array(right, dtype=np.float64)
    guess = _dantzig.solve(a, b, bounds)
    for status in _sets(guess.status, bounds):
        impulse = _solved(exact, right, bounds, status)
        if impulse is None or (np.abs(a) @ np.abs(impulse)).max() * np.finfo(float).eps > _VAGUE * np.abs(b).max():
            continue
        rate = a @ impulse + b
        holds = _holding(a, b, bounds, status, impulse, rate)
        if tell is not None:
            tell(status, impulse, rate, holds)
        if holds.all():
            return impulse
    return guess.force


def _sets(guess: IntArray, bounds: Bounds) -> Iterator[IntArray]:
    """Yield what each row may be, in ascending number of changes from a guess."""
    is_held = np.isinf(bounds.low)
    free = [int(row) for row in np.flatnonzero(~is_held)]
    left = _TRIES
    for n_changes in range(len(free) + 1):
        for rows in combinations(free, n_changes):
            for new in product((_dantzig.LOW, _dantzig.FREE, _dantzig.HIGH), repeat=n_changes):
                status = guess.copy()
                status[list(rows)] = new
                is_pulling = (status == _dantzig.HIGH) & np.isinf(bounds.high)
                if is_pulling.any() or (status != guess).sum() != n_changes:
                    continue
                if left == 0:
                    return
                left -= 1
                yield status


def _solved(a: list[list[Fraction]], b: list[Fraction], bounds: Bounds, status: IntArray) -> FloatArray | None:
    """Return the impulses (k,) of which the free ones make their rows zero, each rounded once; None where there are none or many."""
    is_friction, n = bounds.normal_of >= 0, len(b)
    is_free = (status == 0) & ~(is_friction & (status[bounds.normal_of] != 0))
    free, held = np.flatnonzero(is_free).tolist(), np.flatnonzero((np.abs(status) == 1) & ~is_friction).tolist()
    fixed = {row: Fraction(float((bounds.high if status[row] > 0 else bounds.low)[row])) for row in held}
    hangs: dict[int, list[tuple[int, Fraction]]] = {}
    for row in np.flatnonzero(is_friction & (np.abs(status) == 1)).tolist():
        hangs.setdefault(int(bounds.normal_of[row]), []).append((row, Fraction(float(status[row] * bounds.friction[row]))))
    square = [[a[i][j] + sum((a[i][k] * mu for k, mu in hangs.get(j, [])), Fraction(0)) for j in free] for i in free]
    right = [-b[i] - sum((a[i][j] * value for j, value in fixed.items() if value), Fraction(0)) for i in free]
    found = solved_exactly(square, right)
    if found is None:
        return None
    impulse = np.zeros(n)
    for row, value in (*fixed.items(), *zip(free, found, strict=True)):
        impulse[row] = float(value)
        for friction, mu in hangs.get(row, []):
            impulse[friction] = float(value * mu)
    return impulse


def _holding(a: FloatArray, b: FloatArray, bounds: Bounds, status: IntArray, impulse: FloatArray, u: FloatArray) -> NDArray[np.bool_]:
    """Tell of which rows the impulse is within its bounds, and the rate `u` as it must be there."""
    size = np.sqrt(np.maximum(np.diag(a), 1e-300))
    slow, weak = _SLACK * (np.abs(a) @ np.abs(impulse) + np.abs(b)).max(), _SLACK * (size * np.abs(impulse)).max() / size
    most = bounds.friction * np.maximum(impulse[bounds.normal_of], 0.0)
    is_friction = bounds.normal_of >= 0
    low, high = np.where(is_friction, -most, bounds.low), np.where(is_friction, most, bounds.high)
    is_empty = is_friction & (most <= weak)
    goes = np.where(status == _dantzig.LOW, u >= -slow, np.where(status == _dantzig.HIGH, u <= slow, np.abs(u) <= slow))
    holding: NDArray[np.bool_] = (goes | is_empty) & (impulse >= low - weak) & (impulse <= high + weak)
    return holding
