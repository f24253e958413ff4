"""Exact forces of resting contacts, the reference for judging methods.

The input, contacts of bodies at rest, is float64; nothing is rounded after that: every float64 is an integer times a power of two, and so
are all products and sums of them.

**Without friction** the forces f and the accelerations a of the gaps are a linear complementarity problem::

    a = A f + b >= 0,    f >= 0,    f a = 0,    with A = J M^-1 J^T and b = J g

For any set C of pushing points with a regular ``A_CC`` the equations ``A_CC f_C = -b_C`` have one solution; it solves the problem if no
force pulls and no gap closes. There are ``2^n`` sets. They are tried in ascending number of changes from the set suggested by floating
point, so the first one usually succeeds; the order does not affect the forces of a set. At least one solution has a regular ``A_CC``. The
accelerations are unique, and so is the sum of forces and of torques on each body; a force is unique only where no forces ``z`` balance each
other, ``J^T z = 0`` (a table has a fourth leg, or a box rests on two).

**With friction** at rest the force at a point is a sum of the two edges of its cone, ``p (n + mu t) + q (n - mu t)`` with ``p, q >= 0``,
and all forces together balance the weights: a linear program. It gives the minimum and maximum load of each contact.

R. Cottle, J.-S. Pang, R. Stone, *The Linear Complementarity Problem*, 1992, sections 1.2 and 3.1. E. Bareiss, "Sylvester's identity and
multistep integer-preserving Gaussian elimination", 1968. R. Bland, "New finite pivoting rules for the simplex method", 1977.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import inf, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError, LabError
from engine.dynamics._contact_kernel import arms_and_masses
from engine.dynamics.methods import _dantzig
from engine.dynamics.methods._jacobian import contact_lines, points_of
from engine.dynamics.model import Contacts
from engine.world import World

__all__ = ["MAX_CONTACTS", "ExactForces", "Resting", "exact_contact_forces", "pushing_forces", "solved_exactly"]

MAX_CONTACTS = 12
"""Maximum number of contacts for which all sets of pushing points are tried if necessary."""
_MAX_CHANGES = 3
"""Maximum number of changes to the set suggested by floating point, for larger numbers of contacts."""
_ALIKE = 1e-9
"""Relative to the largest: singular values or bounds that differ by less are treated as equal."""

Matrix = list[list[Fraction]]


class Resting(NamedTuple):
    """Contacts of bodies at rest.

    Attributes
    ----------
    contacts : Contacts
        Bodies, normals, arms and friction are read.
    inverse : float64 (n, 2)
        1/kg and 1/(kg m^2); 0 for immovable bodies.
    push : float64 (n, 3)
        Acceleration without contacts, m/s^2 and rad/s^2.
    """

    contacts: Contacts
    inverse: FloatArray
    push: FloatArray

    @classmethod
    def of(cls, world: World) -> Resting:
        """Return the contacts of a world's last step, under gravity alone."""
        contacts, ids = world.contacts, world.body_ids
        at, n = {body: row for row, body in enumerate(ids)}, len(ids)
        center, inverse, push = np.zeros((n + 1, 2)), np.zeros((n + 1, 2)), np.zeros((n + 1, 3))
        for row, body in enumerate(ids):
            known = world.body(body)
            center[row] = world.state(body).xf.apply(known.local_center)
            if known.spec.type == "dynamic":
                inverse[row] = 1.0 / known.mass, 1.0 / known.inertia if known.inertia > 0.0 else 0.0
                push[row, :2] = np.asarray(world.settings.gravity) * known.spec.gravity_scale
        ends = np.array([[at[body] for body in side.tolist()] for side in (contacts.body_a, contacts.body_b)], dtype=np.int64).T.reshape(
            -1, 2
        )
        arm, mass = arms_and_masses(ends, contacts.count, contacts.normal, contacts.position, center, inverse)
        pairs = zip(contacts.fixture_a.tolist(), contacts.fixture_b.tolist(), strict=True)
        friction = np.array([(world.fixture(a).spec.friction * world.fixture(b).spec.friction) ** 0.5 for a, b in pairs])
        none = np.zeros((len(ends), 2))
        impulse = np.stack((contacts.normal_impulse, contacts.tangent_impulse), axis=2)
        return cls(Contacts(ends, contacts.count, contacts.normal, arm, none, none, mass, friction, impulse, impulse), inverse, push)


@dataclass(frozen=True)
class ExactForces:
    """Forces at contacts.

    Attributes
    ----------
    normal : float64 (n, 2)
        Normal force at each point, N; one of the solutions if there are several.
    total : float64 (n,)
        Sum over the points of each contact, N.
    low, high : float64 (n,)
        Minimum and maximum of `total`; without friction, both equal `total`.
    is_unique : bool (n,)
        Whether the contact's total is the same in all solutions.
    are_points_unique : bool
        Whether the force at every point is unique.
    load : float64 (m, 3)
        Sum of the contact forces and torques on each body, N and N m; without friction it is the same in all solutions.
    """

    normal: FloatArray
    total: FloatArray
    low: FloatArray
    high: FloatArray
    is_unique: NDArray[np.bool_]
    are_points_unique: bool
    load: FloatArray


def exact_contact_forces(problem: Resting, has_friction: bool = False) -> ExactForces:
    """Return the forces of contacts at rest.

    Raises
    ------
    InvalidInputError
        More than `MAX_CONTACTS` contacts with friction.
    LabError
        With friction: no forces keep the bodies at rest. Without: more than `MAX_CONTACTS` contacts, and floating point is far off.
    """
    contacts, n = problem.contacts, len(problem.inverse)
    row, k = points_of(contacts)
    normals, tangents = contact_lines(contacts, row, k, n)
    return _in_cones(problem, normals, tangents) if has_friction else _pushing(problem, normals)


def _pushing(problem: Resting, normals: FloatArray) -> ExactForces:
    contacts, inverse, push = problem.contacts, problem.inverse[:, [0, 0, 1]].reshape(-1), problem.push.reshape(-1)
    row, k = points_of(contacts)
    force, acceleration = pushing_forces(normals, inverse, push, len(contacts.n_points))
    closed = np.flatnonzero(acceleration <= _ALIKE * (np.abs(normals @ push).max(initial=0.0) + 1e-300))
    balanced = _balanced(normals[closed] * np.sqrt(inverse))
    sums = np.zeros((len(contacts.n_points), len(balanced)))
    np.add.at(sums, row[closed], balanced.T)
    forces = np.zeros((len(contacts.n_points), 2))
    forces[row, k] = force
    total = forces.sum(axis=1)
    is_unique = np.abs(sums).max(axis=1, initial=0.0) <= _ALIKE
    return ExactForces(forces, total, total, total, is_unique, len(balanced) == 0, (normals.T @ force).reshape(-1, 3))


def _balanced(lines: FloatArray) -> FloatArray:
    """Return a basis of the forces along lines (m, 3 n) that sum to zero on every body, float64 (k, m)."""
    if len(lines) == 0:
        return np.zeros((0, 0))
    vectors, values, _ = np.linalg.svd(lines, full_matrices=True)
    values = np.concatenate((values, np.zeros(len(lines) - len(values)))) if len(values) < len(lines) else values
    balanced: FloatArray = vectors.T[values <= _ALIKE * values.max()]
    return balanced


def pushing_forces(lines: FloatArray, inverse: FloatArray, push: FloatArray, n_contacts: int) -> tuple[FloatArray, FloatArray]:
    """Return the non-negative forces along lines and the accelerations of the gaps, both float64 (m,), by exact arithmetic.

    Parameters
    ----------
    lines : float64 (m, 3 n)
        Jacobian.
    inverse, push : float64 (3 n,)
    n_contacts : int
        Determines whether all sets are tried.
    """
    m = len(lines)
    if m == 0:
        return np.zeros(0), np.zeros(0)
    a, b = _exact_products(lines, inverse, push)
    guess = _dantzig.solve(np.array(a, dtype=np.float64), np.array(b, dtype=np.float64), _dantzig.Bounds.pushing(m)).force > 0.0
    for pushing in _sets(guess.tolist(), m if n_contacts <= MAX_CONTACTS else _MAX_CHANGES):
        force = solved_exactly([[a[i][j] for j in pushing] for i in pushing], [-b[i] for i in pushing])
        if force is None or any(f < 0 for f in force):
            continue
        acceleration = [b[i] + sum((a[i][j] * f for j, f in zip(pushing, force, strict=True)), Fraction(0)) for i in range(m)]
        if all(value >= 0 for value in acceleration):
            forces = np.zeros(m)
            forces[list(pushing)] = [float(f) for f in force]
            return forces, np.array([float(value) for value in acceleration])
    raise LabError(f"{n_contacts} contacts are too many to try all sets of pushing points, and none near the likely set solves the problem")


def _exact_products(lines: FloatArray, inverse: FloatArray, push: FloatArray) -> tuple[Matrix, list[Fraction]]:
    """Return ``J M^-1 J^T`` and ``J g`` of lines (m, 3 n), without rounding."""
    exact = [{j: Fraction(value) for j, value in enumerate(line) if value} for line in lines.tolist()]
    light, free = [Fraction(value) for value in inverse.tolist()], [Fraction(value) for value in push.tolist()]
    weighed = [{j: value * light[j] for j, value in line.items() if light[j]} for line in exact]
    a = [[sum((x * other[j] for j, x in row.items() if j in other), Fraction(0)) for other in exact] for row in weighed]
    return a, [sum((x * free[j] for j, x in line.items()), Fraction(0)) for line in exact]


def _sets(guess: Sequence[bool], most: int) -> Iterator[tuple[int, ...]]:
    """Yield sets of points, in ascending number of changes from a guess."""
    for n_changes in range(most + 1):
        for changes in combinations(range(len(guess)), n_changes):
            changed = set(changes)
            yield tuple(i for i, pushes in enumerate(guess) if pushes != (i in changed))


def _whole(rows: Matrix) -> list[list[int]]:
    """Return each row multiplied by a number that makes its entries integers."""
    integers = []
    for row in rows:
        scale = lcm(*(value.denominator for value in row))
        integers.append([int(value * scale) for value in row])
    return integers


def solved_exactly(square: Matrix, right: list[Fraction]) -> list[Fraction] | None:
    """Return the solution of a system of equations, or None if it has no solution or several.

    Fraction-free elimination: after each step all entries are integers, minors of the matrix, after division by the previous pivot
    (Bareiss), which is exact. This keeps the integers short.
    """
    n, rows, last = len(right), _whole([[*row, value] for row, value in zip(square, right, strict=True)]), 1
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k:
                _eliminate(rows[i], rows[k], k, last)
        last = rows[k][k]
    return [Fraction(rows[i][n], rows[i][i]) for i in range(n)]


def _eliminate(row: list[int], by: list[int], column: int, last: int) -> None:
    """Make a row's entry of a column zero, in place."""
    p, q = by[column], row[column]
    row[:] = [(p * x - q * y) // last for x, y in zip(row, by, strict=True)]


# With friction


def _in_cones(problem: Resting, normals: FloatArray, tangents: FloatArray) -> ExactForces:
    contacts, (row, k) = problem.contacts, points_of(problem.contacts)
    n = len(contacts.n_points)
    if n > MAX_CONTACTS:
        raise InvalidInputError("contacts", f"at most {MAX_CONTACTS} with friction", n)
    mu = contacts.friction[row]
    driven = np.flatnonzero(problem.inverse[:, 0] > 0.0)
    columns = (3 * driven[:, None] + np.arange(3)).reshape(-1)
    columns = columns[problem.inverse[:, [0, 0, 1]].reshape(-1)[columns] > 0.0]
    weight = problem.push.reshape(-1)[columns] / problem.inverse[:, [0, 0, 1]].reshape(-1)[columns]
    cone = [normals[:, columns] + sign * mu[:, None] * tangents[:, columns] for sign in (1.0, -1.0)]
    edges = np.concatenate(cone).T.tolist()
    program = _Program([[Fraction(x) for x in line] for line in edges], [-Fraction(w) for w in weight.tolist()])
    if not program.is_feasible:
        raise LabError("no forces within the friction limits keep these bodies at rest")
    low, high, m = np.zeros(n), np.zeros(n), len(row)
    for goal_row in range(n):
        goal = [Fraction(int(row[point % m] == goal_row)) for point in range(2 * m)]
        least, most = program.least(goal), program.least([-value for value in goal])
        assert least is not None  # forces push
        low[goal_row], high[goal_row] = float(least), inf if most is None else -float(most)
    values = np.array([float(value) for value in program.values()])
    pushes = values[:m] + values[m:]
    forces, rubs = np.zeros((n, 2)), mu * (values[:m] - values[m:])
    forces[row, k] = pushes
    are_alike = high - low <= _ALIKE * np.maximum(high, 1e-300)
    load = (normals.T @ pushes + tangents.T @ rubs).reshape(-1, 3)
    return ExactForces(forces, forces.sum(axis=1), low, high, are_alike, False, load)


class _Program:
    """``G x = w, x >= 0``: the simplex method with Bland's rule, which does not cycle, on a tableau of integers over one denominator.

    Attributes
    ----------
    is_feasible : bool
    """

    def __init__(self, g: Matrix, w: list[Fraction]) -> None:
        rows = [[*line, value] if value >= 0 else [-x for x in (*line, value)] for line, value in zip(g, w, strict=True)]
        self._n, m = len(g[0]) if g else 0, len(rows)
        integers = _whole(rows)
        # one artificial variable per row; their sum is minimized to zero, and they never enter the basis again
        self._rows = [[*row[:-1], *(int(i == j) for j in range(m)), row[-1]] for i, row in enumerate(integers)]
        self._basis, self._denominator = list(range(self._n, self._n + m)), 1
        self._goal = [0] * self._n + [1] * m + [0]
        for row in self._rows:
            self._goal = [x - y for x, y in zip(self._goal, row, strict=True)]
        self._descend(self._n + m)
        self.is_feasible = self._goal[-1] == 0
        for i, basic in enumerate(self._basis):
            if self.is_feasible and basic >= self._n:  # at zero: leaves the basis if another variable can enter; else the row is redundant
                enters = next((j for j in range(self._n) if self._rows[i][j] != 0), None)
                if enters is not None:
                    self._pivot(i, enters)

    def least(self, goal: list[Fraction]) -> Fraction | None:
        """Return the minimum of a linear function of x, or None if it is unbounded; `values` then returns the minimizer."""
        scale = lcm(*(value.denominator for value in goal))
        line = [int(value * scale) for value in goal]
        self._goal = [self._denominator * value for value in line] + [0] * (len(self._rows[0]) - self._n if self._rows else 1)
        for basic, row in zip(self._basis, self._rows, strict=True):
            if basic < self._n and line[basic]:
                self._goal = [x - line[basic] * y for x, y in zip(self._goal, row, strict=True)]
        if not self._descend(self._n):
            return None
        return Fraction(-self._goal[-1], self._denominator * scale)

    def values(self) -> list[Fraction]:
        """Return the current x."""
        values = [Fraction(0)] * self._n
        for basic, row in zip(self._basis, self._rows, strict=True):
            if basic < self._n:
                values[basic] = Fraction(row[-1], self._denominator)
        return values

    def _descend(self, n: int) -> bool:
        while True:
            enters = next((j for j in range(n) if self._goal[j] < 0), None)
            if enters is None:
                return True
            ratios = [(Fraction(row[-1], row[enters]), self._basis[i], i) for i, row in enumerate(self._rows) if row[enters] > 0]
            if not ratios:
                return False
            self._pivot(min(ratios)[2], enters)

    def _pivot(self, row: int, column: int) -> None:
        by, last = self._rows[row], self._denominator
        if by[column] < 0:
            by[:] = [-x for x in by]
        for i, other in enumerate(self._rows):
            if i != row:
                _eliminate(other, by, column, last)
        _eliminate(self._goal, by, column, last)
        self._denominator, self._basis[row] = by[column], column
