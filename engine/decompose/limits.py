"""What Box2D takes as one polygon, and how convex pieces are brought to it.

Box2D 2.3, in the wheel that this project uses, was asked (tests/unit/decompose/test_limits.py):

- at most 16 corners (8 in plain Box2D; a parameter here);
- each edge longer than 1.2e-7 m, an area above 1.2e-7 m^2; it asserts both, after rounding to float32. The area is summed about the
  *local origin*, so
  that rounding drowns a small piece far from there: a sliver of 2 mm x 2 mm at 2 m is about the least. It does not weld corners, as
  later versions
  do with those nearer than 2.5 mm: nothing is lost to that;
- strictly convex as float32 sees it: a corner too nearly on the line of its neighbours is dropped in silence, or the hull never ends.

So corners that float32 cannot tell from the line of their neighbours are left out (a rounding error's worth of area), pieces of too many
corners are cut
again, and what is too small for Box2D is exchanged with a neighbour: the two together are cut along another diagonal::

        +----------------+            +----------------+
        | big          / |            | \\              |      the sliver and its neighbour,
        |         /      |     ->     |    \\    one    |      cut along the other diagonal of the two
        |    /  sliver   |            |       \\        |
        +----------------+            +----------------+

Only where no such cut helps is it dropped, and counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.limits import MAX_POLYGON_VERTICES
from engine.common.tolerances import EPS32, FLOAT32_AREA, FLOAT32_TURN
from engine.decompose.grid import GridPart, turn
from engine.decompose.outline import signed_area
from engine.geometry.predicates import exact_turn, turns_of_few

__all__ = ["clean", "exchanged", "is_large_enough", "split", "within_limits"]

Loop = list[int]


def clean(loop: FloatArray) -> FloatArray:
    """Return the corners (n, 2) of a convex loop that float32 can tell from the line of their neighbours; fewer than 3 if there is no
    such area.

    The flattest corner is dropped first, then the next, until each of the rest is strictly convex both as given and rounded to float32.
    """
    corners = [(float(x), float(y)) for x, y in loop]
    held = [(float(x), float(y)) for x, y in loop.astype(np.float32)]
    bends = [_bend(held, k) for k in range(len(held))]
    while len(corners) > 2:
        flattest = min(range(len(corners)), key=bends.__getitem__)
        if bends[flattest] > FLOAT32_TURN:
            break
        del corners[flattest], held[flattest], bends[flattest]
        for k in (flattest - 1, flattest % len(held)):
            bends[k] = _bend(held, k)
    found = np.array(corners)
    n = len(found)
    if n < 3 or not all(_turns_left(corners[k - 2], corners[k - 1], corners[k]) for k in range(n)):
        return np.zeros((0, 2))
    return found


def is_large_enough(loop: FloatArray) -> bool:
    """Tell whether Box2D takes a clean loop: three corners at least, and an area that stands out of the rounding about the local origin."""
    if len(loop) < 3:
        return False
    held = loop.astype(np.float32).astype(np.float64)
    reach_sq = float((held**2).sum(axis=1).max())
    return signed_area(held) > 2.0 * EPS32 + FLOAT32_AREA * len(held) * reach_sq


def split(loop: FloatArray, max_vertices: int = MAX_POLYGON_VERTICES) -> list[FloatArray]:
    """Cut a clean convex loop of n corners into the fewest loops of at most `max_vertices`, by diagonals.

    k loops have ``n + 2 (k - 1)`` corners between them, since each diagonal adds two; so at least ``k = ceil((n - 2) / (max_vertices -
    2))``
    are needed, and as many do: cut into halves that need k/2 each. Of such cuts the one that leaves the smaller half largest is taken.
    """
    n = len(loop)
    if n <= max_vertices:
        return [loop]
    per_piece = max_vertices - 2
    needed = -(-(n - 2) // per_piece)
    half = needed // 2
    x, y = (np.concatenate((loop, loop)) - loop[0]).T
    swept = np.concatenate(
        ([0.0], np.cumsum(x[:-1] * y[1:] - x[1:] * y[:-1]))
    )  # twice the area between the first corner and the way so far
    starts = np.arange(n)
    best, cut = -math.inf, (0, 0)
    # a half of m corners leaves n + 2 - m; both must do with their share
    for m in range(max(3, n - (needed - half) * per_piece), half * per_piece + 3):
        ends = starts + m - 1
        area = swept[ends] - swept[starts] + x[ends] * y[starts] - x[starts] * y[ends]
        smaller = np.minimum(area / half, (swept[n] - area) / (needed - half))
        if smaller.max() > best:
            best, cut = float(smaller.max()), (int(smaller.argmax()), m)
    start, m = cut
    one = np.take(loop, range(start, start + m), axis=0, mode="wrap")
    other = np.take(loop, range(start + m - 1, start + n + 1), axis=0, mode="wrap")
    return [*split(one, max_vertices), *split(other, max_vertices)]


def within_limits(part: GridPart, pieces: Sequence[Loop], max_vertices: int = MAX_POLYGON_VERTICES) -> tuple[list[FloatArray], int]:
    """Return convex pieces of a part, in metres, as Box2D takes them, and how many had to be dropped as too small."""
    made: list[FloatArray] = []
    n_dropped = 0
    for piece in exchanged(part, pieces, lambda loop: is_large_enough(clean(part.loop(loop)))):
        for loop in split(clean(part.loop(piece)), max_vertices):
            cleaned = clean(loop)  # the ends of a cut are sharper than they were; but what is small may be flat
            if is_large_enough(cleaned):
                made.append(cleaned)
            else:
                n_dropped += 1
    return made, n_dropped


def exchanged(part: GridPart, pieces: Sequence[Loop], is_good: Callable[[Loop], bool]) -> list[Loop]:
    """Return the pieces with each bad one put right, where it can be, by cutting it and a neighbour along another diagonal."""
    current = [list(piece) for piece in pieces]
    bad = [k for k, piece in enumerate(current) if not is_good(piece)]
    for k in bad:
        choice: tuple[int, int, Loop, Loop] | None = None
        for other in range(len(current)):
            joined = _joined(current[k], current[other]) if other != k else None
            if joined is None:
                continue
            for one, two in _convex_halves(part, joined):
                smaller = min(_twice_area(part, one), _twice_area(part, two))
                if is_good(one) and is_good(two) and (choice is None or smaller > choice[0]):
                    choice = (smaller, other, one, two)
        if choice is not None:
            _, other, current[k], current[other] = choice
    return current


def _bend(held: list[tuple[float, float]], k: int) -> float:
    """Return twice the area of the triangle at corner k over the square of its two edges' length; 0 where an edge has none."""
    (ax, ay), (bx, by), (cx, cy) = held[k - 1], held[k], held[(k + 1) % len(held)]
    before, after = math.hypot(bx - ax, by - ay), math.hypot(cx - bx, cy - by)
    if min(before, after) <= 2.0 * EPS32:
        return 0.0
    return ((bx - ax) * (cy - by) - (by - ay) * (cx - bx)) / (before + after) ** 2


def _turns_left(p: tuple[float, float], q: tuple[float, float], r: tuple[float, float]) -> bool:
    [(value, error)] = turns_of_few(p, q, (r,))
    return value > error or (value >= -error and exact_turn(p, q, r) > 0)


def _joined(a: Loop, b: Loop) -> Loop | None:
    """Return the loop round two pieces that share one edge; None if they share none."""
    place = {node: at for at, node in enumerate(b)}
    for at, u in enumerate(a):
        v = a[(at + 1) % len(a)]
        if v in place and u in place and b[(place[v] + 1) % len(b)] == u:
            ahead = place[u]
            around = [b[(ahead + step) % len(b)] for step in range(1, len(b) - 1)]
            rest = [a[(at + 1 + step) % len(a)] for step in range(len(a))]  # v .. u
            loop = [*rest, *around]
            return loop if len(set(loop)) == len(loop) else None
    return None


def _convex_halves(part: GridPart, loop: Loop) -> list[tuple[Loop, Loop]]:
    n = len(loop)
    halves = [(loop[i : j + 1], loop[j:] + loop[: i + 1]) for i in range(n) for j in range(i + 2, n) if (j + 1) % n != i]
    return [(one, two) for one, two in halves if _is_convex(part, one) and _is_convex(part, two)]


def _is_convex(part: GridPart, loop: Loop) -> bool:
    corners = [part.points[node] for node in loop]
    n = len(corners)
    turns_left = all(turn(corners[k - 2], corners[k - 1], corners[k]) >= 0 for k in range(n))
    winds_once = all(turn(corners[0], corners[k], corners[k + 1]) >= 0 for k in range(1, n - 1))
    return turns_left and winds_once and _twice_area(part, loop) > 0


def _twice_area(part: GridPart, loop: Loop) -> int:
    corners = [part.points[node] for node in loop]
    return sum(turn(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1))
