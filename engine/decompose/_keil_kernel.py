"""The minimum number of convex pieces of a polygon without holes, cut along diagonals, by dynamic programming.

Corners 0 .. n-1 are counter-clockwise. For visible pairs i < k let P(i, k) be the polygon i, i+1, .., k, cut off by the diagonal i-k. Let
w(i, k) be the minimum number of diagonals that cut P(i, k) into convex pieces; w(0, n-1) is the result. The piece along i-k has a corner j
that sees both i and k::

                  j                 cut along i-j and j-k:           w(i, j) + 1 + w(j, k) + 1      (an edge of the polygon has no cost)
                /   \\               or omit one of them, and add the triangle
        P(i,j) /     \\ P(j,k)       to the piece along it, if both ends stay convex: one less
              /       \\
             i --------- k

Omitting i-j requires convex corners at j *and* at i, so it depends on the ends of the piece along i-j: its first edge at i (to the corner
`first`) and its last at j (from the corner `last`). The nearer both are to the diagonal, the weaker is the condition. So of all solutions
with w(i, k) those with the *narrowest pairs* (first, last) are kept, none of which is worse than another at both ends. A solution with one
diagonal more than w is never needed: a cut along i-k itself also costs one, and has the narrowest possible ends.

A minimum partition has no diagonal between two convex corners (it could be removed). Therefore one end of each subproblem is a reflex
corner, and the triangle is added at the end where the piece can be extended; its pair:

    A, i reflex:             i-j can be omitted, j-k is a cut; the piece along i-k is that along i-j and the triangle: (first of i-j, j)
    B, i convex, k reflex:   j-k can be omitted, i-j is a cut: (j, last of j-k)

Both numbers of the kept pairs increase, since j only increases: a new pair pops those that it dominates from a stack. If corner 0 counts as
reflex, the whole polygon is such a subproblem.

Cost: the number of visible pairs with a reflex corner, times n; O(r^2 n), and more if all pairs are visible. Visibility takes O(r n) tests
against n edges, each of which stops at the first obstructing edge.

Collinear corners need a separate rule, because they are frequent in outlines. A corner on the line of its neighbors is not reflex: a piece
can have it. A diagonal can pass collinear corners whose edges are all on one side of it: it is treated as if infinitesimally bent away from
that side. "Triangles" of zero area are treated like others::

          i     j --- k            the piece below has collinear k, j, i: i-k is visible past j, bent to the left,
           \\___|                  and P(i, k) is the triangle i, j, k of zero area and the part above

No minimum set has a cut i-k past a corner j: the cuts i-j and j-k, with the same boundary, would be one less.

The polygon can be weakly simple and run along a bridge to a hole twice. Coincident corners are then distinguished by their neighbors: a
diagonal must start inside the angle of *this* corner.

Coordinates are the integers of `engine.decompose.grid`, so that every turn is exact.

Sources: J. M. Keil, "Decomposing a Polygon into Simpler Components", 1985; J. M. Keil, J. Snoeyink, "On the Time Bound for Convex
Decomposition of Simple Polygons", 2002. The division into A and B follows them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common._record_kernel import record
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["KEIL_SIDE", "KEIL_SUBPROBLEM", "NOT_CUT", "fewest_diagonals"]

KEIL_SUBPROBLEM, KEIL_SIDE = 1.0, 2.0
"""Rows of the trace. For a solved P(i, k): i, k, w(i, k), the number of tested corners j, the number of kept narrowest pairs, j of the
first of them, and its omitted side: 0 none, 1 i-j, 2 j-k (-1: no solution). For the final backtracking: i, k and the corner j beside it, a
side a, b of that triangle that is not an edge, and 1 if it is a cut, 0 if it is omitted.
"""

NOT_CUT = -1
"""In the only row: the polygon cannot be cut into convex pieces; it is invalid."""

IntArray32 = NDArray[np.int32]

_UNKNOWN = 1 << 30  # more diagonals than possible: no cut is known


@kernel
def _turn(points: IntArray, p: int, q: int, r: int) -> int:
    left = (points[q, 0] - points[p, 0]) * (points[r, 1] - points[p, 1])
    right = (points[q, 1] - points[p, 1]) * (points[r, 0] - points[p, 0])
    value: int = left - right
    return value


@kernel
def _same(points: IntArray, p: int, q: int) -> bool:
    return bool(points[p, 0] == points[q, 0] and points[p, 1] == points[q, 1])


@kernel
def _is_ahead(points: IntArray, at: int, to: int, along: int) -> bool:
    """Return whether `to` and `along` are in exactly the same direction from `at`."""
    if _turn(points, at, along, to) != 0:
        return False
    x, y = points[to, 0] - points[at, 0], points[to, 1] - points[at, 1]
    return bool(x * (points[along, 0] - points[at, 0]) + y * (points[along, 1] - points[at, 1]) > 0)


@kernel
def _starts_inside(points: IntArray, at: int, to: int, is_start: bool) -> bool:
    """Return whether the segment from corner `at` to `to` starts inside the angle there, bent infinitesimally: to the left at its start, to
    the right from its end.
    """
    n = points.shape[0]
    before, after = (at + n - 1) % n, (at + 1) % n
    if _is_ahead(points, at, to, after):
        return is_start
    if _is_ahead(points, at, to, before):
        return not is_start
    left_of_in, left_of_out = _turn(points, before, at, to), _turn(points, at, after, to)
    if _turn(points, before, at, after) > 0:
        return left_of_in > 0 and left_of_out > 0
    return left_of_in > 0 or left_of_out > 0


@kernel
def _is_seen(points: IntArray, p: int, q: int) -> bool:
    """Return whether the segment from corner p to q, bent infinitesimally to the left, is inside: corners touch it from the right only."""
    n = points.shape[0]
    if not (_starts_inside(points, p, q, True) and _starts_inside(points, q, p, False)):
        return False
    side_c = _turn(points, p, q, n - 1)
    for d in range(n):
        c = d - 1 if d > 0 else n - 1
        side_d = _turn(points, p, q, d)
        if side_d == 0 and not _same(points, d, p) and not _same(points, d, q):
            along = (points[d, 0] - points[p, 0]) * (points[q, 0] - points[d, 0]) + (points[d, 1] - points[p, 1]) * (
                points[q, 1] - points[d, 1]
            )
            if along > 0 and (side_c > 0 or _turn(points, p, q, (d + 1) % n) > 0):
                return False
        if (side_c > 0 and side_d < 0) or (side_c < 0 and side_d > 0):
            side_p, side_q = _turn(points, c, d, p), _turn(points, c, d, q)
            if (side_p > 0 and side_q < 0) or (side_p < 0 and side_q > 0):
                return False
        side_c = side_d
    return True


@kernel
def _sight(points: IntArray, reflex: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the visibility (n, n) of corners i < k: neighbors, and pairs that a subproblem or its triangle can need."""
    n = points.shape[0]
    sees = np.zeros((n, n), dtype=np.bool_)
    for i in range(n - 1):
        sees[i, i + 1] = True
        for k in range(i + 2, n):
            if reflex[i] or reflex[k] or k == i + 2:
                sees[i, k] = _is_seen(points, i, k) or _is_seen(points, k, i)
    sees[0, n - 1] = True
    return sees


@kernel
def _read_off(store: IntArray32, begin: IntArray, reflex: NDArray[np.bool_], trace: FloatArray | None) -> IntArray:
    """Return the diagonals of the whole polygon's first pair, by backtracking through its subproblems."""
    n = reflex.shape[0]
    cuts = np.empty((n, 2), dtype=np.int64)
    n_cuts = 0
    todo = np.empty((2 * n, 3), dtype=np.int64)  # subproblems, and the selected pair of each
    todo[0, 0], todo[0, 1], todo[0, 2] = 0, n - 1, begin[0, n - 1]
    n_todo = 1
    while n_todo > 0:
        n_todo -= 1
        i, k, pair = todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2]
        j = store[pair, 1] if reflex[i] else store[pair, 0]
        beyond = store[pair, 2]
        for side in range(2):
            a, b = (i, j) if side == 0 else (j, k)
            if b - a < 2:
                continue
            is_cut = beyond < 0 or (side == 0) != reflex[i]
            record(trace, KEIL_SIDE, (float(i), float(k), float(j), float(a), float(b), 1.0 if is_cut else 0.0))
            if not is_cut:
                room = np.int64(beyond)
            else:
                room = begin[a, b]
                cuts[n_cuts, 0], cuts[n_cuts, 1] = a, b
                n_cuts += 1
            todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2] = a, b, room
            n_todo += 1
    return cuts[:n_cuts].copy()


@kernel
def fewest_diagonals(points: IntArray, trace: FloatArray | None) -> IntArray:
    """Return a minimum set of diagonals (d, 2), by index, that cut the polygon `points` (n, 2), counter-clockwise, into convex pieces.

    A trace has at most n^2 rows.

    For a polygon without such a set, because it crosses itself or has fewer than three corners, the result is one row of `NOT_CUT`.
    """
    n = points.shape[0]
    if n < 3:
        return np.full((1, 2), NOT_CUT, dtype=np.int64)
    reflex = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        reflex[i] = _turn(points, (i + n - 1) % n, i, (i + 1) % n) < 0
    reflex[0] = True  # so that the whole polygon is a subproblem; the corner can be convex
    sees = _sight(points, reflex)

    weight = np.full((n, n), _UNKNOWN, dtype=np.int32)
    begin = np.zeros((n, n), dtype=np.int64)  # start and number of a subproblem's pairs in the store
    count = np.zeros((n, n), dtype=np.int32)
    store = np.empty((16 * n, 3), dtype=np.int32)  # first, last, and the pair of the subproblem into which the piece extends, or -1
    used = 0
    stack = np.empty((n + 1, 3), dtype=np.int32)
    for i in range(n - 1):
        weight[i, i + 1] = 0
    for i in range(n - 2):
        if sees[i, i + 2]:
            weight[i, i + 2] = 0
            store[used, 0], store[used, 1], store[used, 2] = i + 1, i + 1, -1
            begin[i, i + 2], count[i, i + 2] = used, 1
            used += 1

    for gap in range(3, n):
        for i in range(n - gap):
            k = i + gap
            if not sees[i, k] or not (reflex[i] or reflex[k]):
                continue
            best, top, tried = _UNKNOWN, 0, 0
            for j in range(i + 1, k):
                if not sees[i, j] or not sees[j, k] or weight[i, j] == _UNKNOWN or weight[j, k] == _UNKNOWN:
                    continue
                tried += 1
                first, last, beyond = j, j, -1  # of the piece along i-k, and the pair of P(i, j) or P(j, k) into which it extends
                if reflex[i]:  # A: j-k is a cut, i-j can be omitted
                    if not (reflex[k] or reflex[j] or j == k - 1):
                        continue
                    total = weight[i, j]
                    if k - j > 1:
                        total += weight[j, k] + 1
                    if j - i > 1:
                        for at in range(begin[i, j], begin[i, j] + count[i, j]):
                            if _turn(points, store[at, 1], j, k) < 0:
                                break
                            beyond = at
                        if beyond >= 0 and _turn(points, k, i, store[beyond, 0]) < 0:
                            beyond = -1
                        if beyond < 0:
                            total += 1
                        else:
                            first = store[beyond, 0]
                else:  # B: i-j is a cut, j-k can be omitted
                    if not (reflex[j] or j == i + 1):
                        continue
                    total = weight[j, k]
                    if j - i > 1:
                        total += weight[i, j] + 1
                    if k - j > 1:
                        for at in range(begin[j, k] + count[j, k] - 1, begin[j, k] - 1, -1):
                            if _turn(points, i, j, store[at, 0]) < 0:
                                break
                            beyond = at
                        if beyond >= 0 and _turn(points, store[beyond, 1], k, i) < 0:
                            beyond = -1
                        if beyond < 0:
                            total += 1
                        else:
                            last = store[beyond, 1]
                if total > best:
                    continue
                if total < best:
                    best, top = total, 0
                elif top > 0 and first <= stack[top - 1, 0]:
                    continue
                while top > 0 and stack[top - 1, 1] >= last:
                    top -= 1
                stack[top, 0], stack[top, 1], stack[top, 2] = first, last, beyond
                top += 1
            weight[i, k], begin[i, k], count[i, k] = best, used, top
            beside, left_out = -1, -1
            if top > 0:
                beside, left_out = (stack[0, 1] if reflex[i] else stack[0, 0]), (0 if stack[0, 2] < 0 else 1 if reflex[i] else 2)
            record(
                trace, KEIL_SUBPROBLEM,
                (float(i), float(k), float(best) if top > 0 else -1.0, float(tried), float(top), float(beside), float(left_out)),
            )  # fmt: skip
            if used + top > store.shape[0]:
                larger = np.empty((2 * store.shape[0] + top, 3), dtype=np.int32)
                for at in range(used):
                    larger[at, 0], larger[at, 1], larger[at, 2] = store[at, 0], store[at, 1], store[at, 2]
                store = larger
            for at in range(top):
                store[used, 0], store[used, 1], store[used, 2] = stack[at, 0], stack[at, 1], stack[at, 2]
                used += 1

    if count[0, n - 1] == 0:
        return np.full((1, 2), NOT_CUT, dtype=np.int64)
    return _read_off(store, begin, reflex, trace)
