"""The corner of a convex polygon farthest along a direction: by a scan, a binary search, or hill climbing from the last one.

**Scan**: a dot product for each of the n corners.

**Binary search.** Corner k + 1 is between the edges k and k + 1, and is the farthest one for all directions between their normals. The
normals are in counterclockwise order, so the last one before the direction d is found in log2 n steps. Cyclic order needs a start: the
normals less than half a turn after the first one come first. In either half, a normal is before d if ``normal x d >= 0``::

        n_2 \\    d    / n_1          d is between n_1 and n_2: corner 2, where edges 1 and 2 meet
             \\   |   /
              \\  |  /

**Climb**: from the last corner to a neighbor as long as that one is farther. The distance along d has one maximum around the outline. A
climb needs two products and one for each step; it suits directions that turn slowly.

A *look* is a product of a corner or normal with the direction.
"""

from __future__ import annotations

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["BINARY", "CLIMB", "SCAN", "find_extremes", "scan"]

SCAN, BINARY, CLIMB = range(3)


@kernel
def find_extremes(way: int, corners: FloatArray, normals: FloatArray, directions: FloatArray, farthest: IntArray) -> int:
    """Find the farthest corner for each direction, and return the number of looks.

    Parameters
    ----------
    corners, normals : float64 (n, 2)
        Strictly convex, counterclockwise; outward normals of the edges that begin at the corners.
    directions : float64 (k, 2)
    farthest : int64 (k,)
        Filled.
    """
    n, at, looks = corners.shape[0], 0, 0
    half = 1
    while half < n and normals[0, 0] * normals[half, 1] - normals[0, 1] * normals[half, 0] >= 0.0:
        half += 1
    for row in range(directions.shape[0]):
        x, y = directions[row, 0], directions[row, 1]
        if way == SCAN:
            at = scan(corners, x, y)
            looks += n
        elif way == BINARY:
            at, steps = _search(normals, half, x, y)
            looks += steps
        else:
            at, steps = _climb(corners, at, x, y)
            looks += steps
        farthest[row] = at
    return looks


@inlined_kernel
def scan(corners: FloatArray, x: float, y: float) -> int:
    """Return the corner farthest along (x, y), the first of several."""
    best, most = 0, x * corners[0, 0] + y * corners[0, 1]
    for i in range(1, corners.shape[0]):
        along = x * corners[i, 0] + y * corners[i, 1]
        if along > most:
            best, most = i, along
    return best


@inlined_kernel
def _search(normals: FloatArray, half: int, x: float, y: float) -> tuple[int, int]:
    """Return the corner after the last normal before the direction, and the looks."""
    n = normals.shape[0]
    low, high = (0, half) if normals[0, 0] * y - normals[0, 1] * x >= 0.0 else (half - 1, n)
    looks = 1
    while high - low > 1:
        middle = (low + high) // 2
        looks += 1
        if normals[middle, 0] * y - normals[middle, 1] * x >= 0.0:
            low = middle
        else:
            high = middle
    return low + 1 if low + 1 < n else 0, looks


@inlined_kernel
def _climb(corners: FloatArray, start: int, x: float, y: float) -> tuple[int, int]:
    """Return the corner at which a climb from `start` ends, and the looks."""
    n, at, looks = corners.shape[0], start, 1
    along = x * corners[at, 0] + y * corners[at, 1]
    for step in (1, n - 1):
        for _ in range(n):
            after = (at + step) % n
            looks += 1
            further = x * corners[after, 0] + y * corners[after, 1]
            if further <= along:
                break
            at, along = after, further
    return at, looks
