"""Box2D's limits for one polygon, and the adaptation of convex pieces to them.

The limits of Box2D 2.3 were measured with this project's wheel (tests/unit/decompose/test_limits.py):

- at most 16 corners (8 in plain Box2D; a parameter here);
- each edge longer than 1.2e-7 m, an area above 1.2e-7 m^2; it asserts both, after rounding to float32. The area is summed about the
  *local origin*, so that rounding dominates for a small piece far from it: 2 mm x 2 mm at 2 m is about the least. It does not weld
  corners, as later versions do with those nearer than 2.5 mm: nothing is lost to that;
- strictly convex in float32: a corner too near to the line of its neighbors is silently dropped, or the hull never ends.

So corners that float32 cannot distinguish from the line of their neighbors are dropped (a rounding error's worth of area), pieces with
too many corners are cut again, and pieces too small for Box2D are dropped and counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.limits import MAX_POLYGON_VERTICES
from engine.common.tolerances import EPS32, FLOAT32_AREA, FLOAT32_TURN
from engine.decompose.grid import GridPart
from engine.decompose.outline import signed_area
from engine.geometry.predicates import exact_turn, turns

__all__ = ["clean", "is_large_enough", "split", "within_limits"]

Loop = list[int]


def clean(loop: FloatArray) -> FloatArray:
    """Return the corners (n, 2) of a convex loop that float32 can distinguish from the line of their neighbors; fewer than 3 if the area
    vanishes.

    The flattest corner is dropped first, then the next, until each of the rest is strictly convex both as given and rounded to float32.
    """
    held = loop.astype(np.float32).astype(np.float64)
    bends = _bends(held)
    if len(loop) > 2 and bool((bends <= FLOAT32_TURN).any()):
        loop = loop[_told_apart(held.tolist(), bends.tolist())]
    return loop if len(loop) > 2 and _turns_left(loop) else np.zeros((0, 2))


def _told_apart(held: list[list[float]], bends: list[float]) -> list[int]:
    """Return the indices of the remaining corners; two of them if no more can be distinguished."""
    n = len(held)
    before, after = [n - 1, *range(n - 1)], [*range(1, n), 0]
    queue = [(bend, k) for k, bend in enumerate(bends) if bend <= FLOAT32_TURN]
    heapify(queue)
    n_left = n
    while queue and n_left > 2:
        bend, k = heappop(queue)
        if bend != bends[k]:
            continue  # its neighbors have changed since
        bends[k] = math.nan
        n_left -= 1
        p, r = before[k], after[k]
        after[p], before[r] = r, p
        for j in (p, r):
            bends[j] = _bend(held[before[j]], held[j], held[after[j]])
            if bends[j] <= FLOAT32_TURN:
                heappush(queue, (bends[j], j))
    return [k for k, bend in enumerate(bends) if not math.isnan(bend)]


def is_large_enough(loop: FloatArray) -> bool:
    """Return True if Box2D accepts a clean loop: at least three corners, and an area above the rounding error about the local origin."""
    if len(loop) < 3:
        return False
    held = loop.astype(np.float32).astype(np.float64)
    reach_sq = float((held**2).sum(axis=1).max())
    return signed_area(held) > 2.0 * EPS32 + FLOAT32_AREA * len(held) * reach_sq


def split(loop: FloatArray, max_vertices: int = MAX_POLYGON_VERTICES) -> list[FloatArray]:
    """Cut a clean convex loop of n corners into the fewest loops of at most `max_vertices`, by diagonals.

    k loops have ``n + 2 (k - 1)`` corners between them, since each diagonal adds two; so at least ``k = ceil((n - 2) / (max_vertices -
    2))`` are needed, and as many suffice, by cutting into halves that need k/2 each. Among such cuts, the one with the largest smaller half
    is used.
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
    )  # twice the area of the fan from the first corner to each corner
    starts = np.arange(n)
    best, cut = -math.inf, (0, 0)
    # a half of m corners leaves n + 2 - m; both must fit their number of loops
    for m in range(max(3, n - (needed - half) * per_piece), half * per_piece + 3):
        ends = starts + m - 1
        area = swept[ends] - swept[starts] + x[ends] * y[starts] - x[starts] * y[ends]
        smaller = np.minimum(area / half, (swept[n] - area) / (needed - half))
        if smaller.max() > best:
            best, cut = float(smaller.max()), (int(smaller.argmax()), m)
    start, m = cut
    first = np.take(loop, range(start, start + m), axis=0, mode="wrap")
    other = np.take(loop, range(start + m - 1, start + n + 1), axis=0, mode="wrap")
    return [*split(first, max_vertices), *split(other, max_vertices)]


def within_limits(part: GridPart, pieces: Sequence[Loop], max_vertices: int = MAX_POLYGON_VERTICES) -> tuple[list[FloatArray], int]:
    """Return convex pieces of a part, in meters, that Box2D accepts, and the number dropped as too small."""
    made: list[FloatArray] = []
    n_dropped = 0
    for piece in pieces:
        for loop in split(clean(part.loop(piece)), max_vertices):
            cleaned = clean(loop)  # cutting makes corners sharper, but small loops can be flat
            if is_large_enough(cleaned):
                made.append(cleaned)
            else:
                n_dropped += 1
    return made, n_dropped


def _bends(held: FloatArray) -> FloatArray:
    """Return for each corner twice its triangle's area over the square of its two edges' lengths; 0 if an edge has zero length."""
    edges = np.concatenate((held, held[:1])) - np.concatenate((held[-1:], held))
    x, y = edges.T
    lengths = np.hypot(x, y)
    both = lengths[:-1] + lengths[1:]
    is_known = np.minimum(lengths[:-1], lengths[1:]) > 2.0 * EPS32
    both[~is_known] = math.inf
    bends: FloatArray = (x[:-1] * y[1:] - y[:-1] * x[1:]) / both**2
    return bends


def _bend(a: list[float], b: list[float], c: list[float]) -> float:
    """Return the same for one corner."""
    (ax, ay), (bx, by), (cx, cy) = a, b, c
    before, after = math.hypot(bx - ax, by - ay), math.hypot(cx - bx, cy - by)
    if min(before, after) <= 2.0 * EPS32:
        return 0.0
    return ((bx - ax) * (cy - by) - (by - ay) * (cx - bx)) / (before + after) ** 2


def _turns_left(loop: FloatArray) -> bool:
    """Return True if each corner is strictly convex, as given."""
    around = np.concatenate((loop[-2:], loop))
    before, here = around[:-2], around[1:-1]
    value, error = turns(before.T, here.T, loop)
    unsure = np.flatnonzero(value <= error)
    return bool((value[unsure] >= -error[unsure]).all()) and all(exact_turn(before[k], here[k], loop[k]) > 0 for k in unsure)
