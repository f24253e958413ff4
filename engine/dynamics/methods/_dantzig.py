"""Dantzig's pivoting for contact forces: forces f and accelerations ``a = A f + b``, one of which is zero in each row.

There are three kinds of rows. A *normal* force only pushes, and only if the bodies do not accelerate apart::

    f >= 0,    a >= 0,    f a = 0

a *bounded* force is between two numbers, and a *friction* force between plus and minus mu times the normal force of its
point. At the lower bound a can be positive, at the upper one negative; between them a is zero. All rows together are the *linear
complementarity problem*; without friction its solution is the f >= 0 that minimizes ``f A f / 2 + b f``.

Baraff's algorithm adds one row after another. The next row d has ``f_d = 0`` and, say, ``a_d < 0``: its force grows, and the free rows C
change such that their accelerations stay zero, ``A_CC df_C = -A_Cd``. It grows until the first of these events:

- ``a_d`` reaches zero, and d becomes free; or ``f_d`` reaches a bound and stays there;
- a free row reaches a bound and is fixed there; or the acceleration of a fixed row reaches zero, and it becomes free.

Friction at its bound is proportional to its normal force: its column, times mu, is added to that of the normal force. A row without
acceleration needs no force, and its force stays zero until the acceleration changes.

Without friction A is symmetric and positive semidefinite, and the algorithm terminates. A row that depends on free rows (a table's fourth
leg) never becomes free, because its acceleration follows theirs: so A_CC is regular even if A is singular. With friction the combined
columns make A asymmetric; normal forces come first, then friction, and if the pivots cycle, solving with fixed friction bounds alternates
with updating the bounds.

D. Baraff, "Fast contact force computation for nonpenetrating rigid bodies", SIGGRAPH 1994, sections 4 and 5. R. Cottle, J.-S. Pang,
R. Stone, *The Linear Complementarity Problem*, 1992, section 4.2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray

__all__ = ["FREE", "HIGH", "LOW", "RESTS", "Bounds", "Forces", "Pivot", "solve"]

LOW, FREE, HIGH, RESTS, WAITS = -1, 0, 1, 2, 3
"""States of a row: at its lower bound; free; at its upper bound; without force because other rows keep it at rest; not yet added."""

_ROUNDING = 1e-11
"""Relative to the largest number of a kind: smaller numbers are treated as zero."""
_DEPENDENT = 1e-11
"""Relative to the largest product ``sqrt(A_ii A_jj) df_j``, a bound on a row's acceleration: smaller ones depend on the free rows."""
_TIE = 1e-9
"""Relative to a length: events closer than this are simultaneous."""
_IDLE = 40
"""Number of successive pivots without a change of force that indicates a cycle."""
_TURNS = 10
"""Number of alternations between normal forces and friction bounds, used if pivoting does not terminate."""


class Bounds(NamedTuple):
    """Bounds on forces.

    Attributes
    ----------
    low, high : float64 (n,)
        0 and infinity for a normal force; unused for friction.
    normal_of : int64 (n,)
        Row of the normal force of a friction row; -1 for other rows.
    friction : float64 (n,)
        Coefficient of friction.
    """

    low: FloatArray
    high: FloatArray
    normal_of: IntArray
    friction: FloatArray

    @classmethod
    def pushing(cls, n: int) -> Bounds:
        """Return the bounds of `n` normal forces."""
        return cls(np.zeros(n), np.full(n, math.inf), np.full(n, -1), np.zeros(n))


class Pivot(NamedTuple):
    """A step of Dantzig's method: as the force of the row `entering` grew to `force`, N, `row` became LOW, FREE or HIGH."""

    entering: int
    row: int
    becomes: int
    force: float


class Forces(NamedTuple):
    """Result of the pivoting.

    Attributes
    ----------
    force, acceleration : float64 (n,)
    status : int64 (n,)
        LOW, FREE, HIGH or RESTS.
    n_pivots : int
        Number of systems of equations that were solved.
    is_exact : bool
        False if neither the pivoting nor `_in_turns` terminated: the forces are those of the last iteration.
    pivots : tuple of Pivot
        In order, for those who show them.
    """

    force: FloatArray
    acceleration: FloatArray
    status: IntArray
    n_pivots: int
    is_exact: bool
    pivots: tuple[Pivot, ...] = ()


def solve(a: FloatArray, b: FloatArray, bounds: Bounds) -> Forces:
    """Return the forces f within bounds that solve the problem of ``a f + b``.

    Parameters
    ----------
    a, b : float64 (n, n), (n,)
        A row whose diagonal is 0 or less moves nothing and is ignored.
    """
    n = len(b)
    if n == 0:
        return Forces(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), 0, True)
    is_row = np.diag(a) > 0.0
    is_row &= (bounds.normal_of < 0) | is_row[bounds.normal_of]
    if not is_row.all():
        return _without_dead_rows(a, b, bounds, np.flatnonzero(is_row))
    pivoting = _Pivoting(a, b, bounds)
    if pivoting.run():
        solution = _with_status(a, b, bounds, pivoting.status)
        if solution is not None and not _wrong(a, b, bounds, solution).any():
            return solution._replace(n_pivots=pivoting.n_pivots + 1, pivots=tuple(pivoting.pivots))
    return _in_turns(a, b, bounds, pivoting.n_pivots)._replace(pivots=tuple(pivoting.pivots))


def _without_dead_rows(a: FloatArray, b: FloatArray, bounds: Bounds, rows: IntArray) -> Forces:
    """Return the forces if only `rows` respond to their own force.

    The others, with a diagonal of 0 or less, move nothing: their force is the allowed one nearest to 0, which is 0 for a normal force and
    thus for its friction.
    """
    force, status, place = np.clip(0.0, bounds.low, bounds.high), np.full(len(b), RESTS), np.full(len(b) + 1, -1)
    force[bounds.normal_of >= 0], force[rows], place[rows] = 0.0, 0.0, np.arange(len(rows))
    some = Bounds(bounds.low[rows], bounds.high[rows], place[bounds.normal_of[rows]], bounds.friction[rows])
    forces = solve(a[np.ix_(rows, rows)], b[rows] + a[rows] @ force, some)
    pivots = tuple(pivot._replace(entering=int(rows[pivot.entering]), row=int(rows[pivot.row])) for pivot in forces.pivots)
    force[rows], status[rows] = forces.force, forces.status
    return Forces(force, a @ force + b, status, forces.n_pivots, forces.is_exact, pivots)


def _tied(bounds: Bounds, status: IntArray) -> FloatArray:
    """Return the matrix (n, n) that adds to a normal force the friction proportional to it."""
    matrix = np.eye(len(status))
    hangs = np.flatnonzero((bounds.normal_of >= 0) & ((status == LOW) | (status == HIGH)))
    matrix[hangs, bounds.normal_of[hangs]] = status[hangs] * bounds.friction[hangs]
    matrix[hangs, hangs] = 0.0
    return matrix


def _with_status(a: FloatArray, b: FloatArray, bounds: Bounds, status: IntArray) -> Forces | None:
    """Return the forces for which the free rows have zero acceleration, or None if there is not exactly one solution."""
    is_friction = bounds.normal_of >= 0
    free = np.flatnonzero((status == FREE) & ~(is_friction & (status[bounds.normal_of] != FREE)))
    held = np.where(status == LOW, bounds.low, np.where(status == HIGH, bounds.high, 0.0))
    held[is_friction] = 0.0
    force = held.copy()
    if len(free) > 0:
        columns = a @ _tied(bounds, status)[:, free]
        square, right = columns[free], -(b[free] + a[free] @ held)
        try:
            x = np.linalg.solve(square, right)
            x += np.linalg.solve(square, right - square @ x)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(x).all() or np.abs(square @ x - right).max() > 1e-9 * (np.abs(right).max() + 1e-300):
            return None
        force[free] = x
        force = _tied(bounds, status) @ np.where(is_friction & (status != FREE), 0.0, force)
    return Forces(force, a @ force + b, status, 1, True)


def _limits(bounds: Bounds, force: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of each row for the given normal forces."""
    is_friction = bounds.normal_of >= 0
    most = bounds.friction * np.maximum(force[bounds.normal_of], 0.0)
    return np.where(is_friction, -most, bounds.low), np.where(is_friction, most, bounds.high)


def _wrong(a: FloatArray, b: FloatArray, bounds: Bounds, found: Forces) -> NDArray[np.bool_]:
    """Return a mask of the rows that exceed their bounds, or whose acceleration violates their state."""
    force, acceleration, status = found.force, found.acceleration, found.status
    size, least = np.sqrt(np.diag(a)), 10.0 * _ROUNDING * (np.abs(b).max() + 1e-300)
    small = np.maximum(least, 1e-14 * (np.abs(a) @ np.abs(force)))
    weak = np.maximum(least / size**2, 1e-12 * float((size * np.abs(force)).max()) / size)  # scaled for each row
    low, high = _limits(bounds, force)
    is_empty = high - low <= weak
    past = (force < low - weak) | (force > high + weak)
    moves = ((status == LOW) & (acceleration < -small)) | ((status == HIGH) & (acceleration > small))
    moves |= (status == RESTS) & (np.abs(acceleration) > small)
    wrong: NDArray[np.bool_] = past | (moves & ~is_empty)
    return wrong


def _in_turns(a: FloatArray, b: FloatArray, bounds: Bounds, n_pivots: int) -> Forces:
    """Solve with fixed friction bounds, for which A is symmetric and the pivoting terminates, and update the bounds, in alternation."""
    is_friction = bounds.normal_of >= 0
    none, force, status, solution = np.full(len(b), -1), np.zeros(len(b)), None, None
    for _ in range(_TURNS):
        low, high = _limits(bounds, force)
        still = Bounds(low, high, none, np.zeros(len(b)))
        pivoting = _Pivoting(a, b, still)
        is_done = pivoting.run()
        n_pivots += pivoting.n_pivots
        solution = _with_status(a, b, still, pivoting.status) if is_done else None
        if solution is None:
            break
        change = float(np.abs(solution.force - force).max())
        force, status = solution.force, solution.status
        if change <= _ROUNDING * np.abs(force).max():
            return Forces(force, a @ force + b, status, n_pivots, True)
    status = np.where(is_friction, RESTS, np.where(force > bounds.low, FREE, LOW)) if status is None else status
    return Forces(force, a @ force + b, status, n_pivots, False)


class _Pivoting:
    """Dantzig's method, row by row.

    Attributes
    ----------
    status : int64 (n,)
    n_pivots : int
    pivots : list of Pivot
    """

    def __init__(self, a: FloatArray, b: FloatArray, bounds: Bounds) -> None:
        self.pivots: list[Pivot] = []
        self._a, self._b, self._bounds, n = a, b, bounds, len(b)
        self.status, self.n_pivots = np.full(n, WAITS), 0
        self._force, self._acceleration = np.zeros(n), b.copy()
        self._is_friction, self._most, self._idle = bounds.normal_of >= 0, 60 + 10 * n, 0
        self._small = _ROUNDING * (np.abs(b).max() + 1e-300)
        self._size = np.sqrt(np.diag(a))

    def run(self) -> bool:
        """Add all rows; return True if the pivoting terminated."""
        others = np.flatnonzero(~self._is_friction & (self._bounds.low < 0.0))
        normals = np.flatnonzero(~self._is_friction & (self._bounds.low >= 0.0))
        return all(self._bring_in(int(row)) for row in (*others, *normals, *np.flatnonzero(self._is_friction)))

    def _bring_in(self, d: int) -> bool:
        bounds, self._idle = self._bounds, 0
        while True:
            acceleration = float(self._acceleration[d])
            normal = int(bounds.normal_of[d])
            if normal >= 0 and self.status[normal] != FREE:
                self.status[d] = HIGH if acceleration < 0.0 else LOW
                return True
            if acceleration >= -self._small and self._force[d] <= bounds.low[d] and normal < 0:
                self.status[d] = LOW
                return True
            if abs(acceleration) <= self._small and self._force[d] == 0.0:
                self.status[d] = RESTS
                return True
            self.n_pivots += 1
            sign = 1.0 if acceleration < 0.0 else -1.0
            change, response = self._direction(d, sign)
            length, which, becomes = self._first_event(d, sign, change, response)
            self._idle = 0 if length > 0.0 else self._idle + 1
            if which < 0 or self.n_pivots > self._most or self._idle > _IDLE:
                return False
            self._force += length * change
            self._acceleration += length * response
            self._set(which, becomes)
            self.pivots.append(Pivot(d, which, becomes, float(self._force[d])))
            if which == d:
                return True

    def _direction(self, d: int, sign: float) -> tuple[FloatArray, FloatArray]:
        """Return the changes of all forces and accelerations if the force of row `d` changes by `sign`."""
        tied = _tied(self._bounds, self.status)
        free = np.flatnonzero(self.status == FREE)
        change = np.zeros(len(self._b))
        change[d] = sign
        if len(free) > 0:
            columns = self._a @ tied[:, free]
            try:
                change[free] = np.linalg.solve(columns[free], -sign * self._a[free, d])
            except np.linalg.LinAlgError:
                change[free] = np.linalg.lstsq(columns[free], -sign * self._a[free, d])[0]
            change = tied @ change
            change[d] = sign
        response = self._a @ change
        response[free] = 0.0
        response[np.abs(response) <= _DEPENDENT * self._size * float((self._size * np.abs(change)).max())] = 0.0
        return change, response

    def _first_event(self, d: int, sign: float, change: FloatArray, response: FloatArray) -> tuple[float, int, int]:
        """Return the step length to the first event, its row and its new state; no row if there is no event."""
        force, acceleration, status, bounds = self._force, self._acceleration, self.status, self._bounds
        low, high = _limits(bounds, force)
        along = bounds.friction * change[bounds.normal_of]
        low_moves, high_moves = np.where(self._is_friction, -along, 0.0), np.where(self._is_friction, along, 0.0)
        hangs_free = ~self._is_friction | (status[bounds.normal_of] == FREE)
        bounded = status == FREE
        bounded[d] = True
        lengths = np.full((3, len(force)), math.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            to_low, to_high = (force - low) / (low_moves - change), (high - force) / (change - high_moves)
            lengths[0] = np.where(bounded & (change - low_moves < 0.0) & np.isfinite(low), to_low, math.inf)
            lengths[1] = np.where(bounded & (change - high_moves > 0.0) & np.isfinite(high), to_high, math.inf)
            stops = ((status == LOW) & (response < 0.0) | (status == HIGH) & (response > 0.0)) & hangs_free
            stops[d] = response[d] * sign > 0.0
            lengths[2] = np.where(stops, -acceleration / response, math.inf)
        lengths[2, (status == RESTS) & (response != 0.0)] = 0.0
        lengths = np.maximum(np.where(np.isnan(lengths), math.inf, lengths), 0.0)
        at_once = float(lengths.min()) * (1.0 + _TIE)
        if lengths[2, d] <= at_once and math.isfinite(lengths[2, d]):  # row `d` wins a tie: by then the others have followed
            return float(lengths[2, d]), d, FREE
        kind, which = np.unravel_index(int(lengths.argmin()), lengths.shape)
        length = float(lengths[kind, which])
        if not math.isfinite(length):
            return length, -1, FREE
        return length, int(which), (LOW, HIGH, FREE)[int(kind)]

    def _set(self, row: int, status: int) -> None:
        """Change the state of a row, and of the friction row that depends on it."""
        self.status[row] = status
        low, high = _limits(self._bounds, self._force)
        if status != FREE:
            self._force[row] = low[row] if status == LOW else high[row]
        else:
            self._acceleration[row] = 0.0
        for child in np.flatnonzero((self._bounds.normal_of == row) & (self.status != WAITS)):
            if status == FREE:
                moves = abs(self._acceleration[child]) > self._small
                self.status[child] = RESTS if not moves else HIGH if self._acceleration[child] < 0.0 else LOW
            else:
                self._force[child] = 0.0
                self.status[child] = LOW
