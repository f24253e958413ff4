"""The minimum number of convex pieces by Keil's method, and a heuristic for outlines with holes.

For a part without holes the result is the minimum along diagonals (derived in `_keil_kernel`). With holes the problem is NP-hard (Lingas,
1982), and the search is heuristic. The diagonals of any partition into convex pieces connect every hole to the outer ring. Opening the part
along some of them, one for each hole (*bridges*), gives a polygon without holes, which the other diagonals still divide into convex pieces.
Keil's method finds a partition with no more pieces than that::

    +-----------+         +-----------+
    |  +---+    |         |  +---+    |      opened at the bridge b: one ring that runs along b twice
    |  |   |    |    ->   |  |   |    |
    |  +---+    |         |  +---+    |      then inessential bridges are removed (Hertel and Mehlhorn)
    |      \\b   |         |      \\\\   |
    +-------+---+         +-------+ +-+

So the search starts from Hertel and Mehlhorn's pieces and repeats this with other bridges of the best partition so far; the number of
pieces never increases. The bridges are first the shortest ones, then random with a fixed seed, so that the result is deterministic.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidShapeError
from engine.common.limits import MAX_SEARCHED
from engine.decompose.grid import GridPart, turn
from engine.decompose.hertel_mehlhorn import merged, triangulate
from engine.decompose.subdivision import Diagonal, DisjointSets, diagonals_of, faces

__all__ = ["KEIL_MAX_VERTICES", "Effort", "KeilRun", "KeilTrial", "bridges", "fewest_needed", "fewest_pieces"]

KEIL_MAX_VERTICES = 1500
"""Maximum number of corners for Keil's method: it stores n^2 subproblems, 17 bytes each, and takes seconds beyond. Larger parts use Hertel
and Mehlhorn's pieces.
"""

TRIALS = 6
"""Number of openings of a part with holes tried after the last one that led to fewer pieces. For the outlines in `tests/outlines` 24 of
them find no fewer pieces.
"""


class Effort:
    """Limits of the search for the fewest pieces, for one outline or for all outlines of a file.

    Parameters
    ----------
    left : int
        Subproblems of Keil's method: the square of the number of corners, for each polygon.
    """

    def __init__(self, left: int = MAX_SEARCHED) -> None:
        self.left = left

    def takes(self, n_corners: int) -> bool:
        """Return True if a polygon with this many corners is within the remaining limits, and count it."""
        if n_corners > KEIL_MAX_VERTICES or n_corners**2 > self.left:
            return False
        self.left -= n_corners**2
        return True


class KeilRun(NamedTuple):
    """One run of Keil's method, for a viewer: the polygon without holes, a loop of the part's indices, and the kernel's rows.

    Indices of the rows (`_keil_kernel`) count along the loop.
    """

    loop: list[int]
    rows: FloatArray


class KeilTrial(NamedTuple):
    """One state of the search for outlines with holes: the best pieces so far, and the diagonals along which the part is opened next.

    Without diagonals these are the initial pieces, Hertel and Mehlhorn's.
    """

    bridges: list[Diagonal]
    best: list[list[int]]


def fewest_pieces(
    part: GridPart, effort: Effort | None = None, trace: list[KeilRun | KeilTrial] | None = None
) -> tuple[list[list[int]], bool]:
    """Return few convex pieces, no more than Hertel and Mehlhorn's, and whether their number is minimal.

    Parameters
    ----------
    part : GridPart
    effort : Effort, optional
        The search does not exceed its remaining effort.
    trace : list, optional
        Receives a `KeilRun` for each use of Keil's method, and a `KeilTrial` for each opening.

    Returns
    -------
    list of loops of indices into the part's points
        Counter-clockwise, convex partition of the part; corners can be collinear with their neighbors.
    bool
        Whether this number is proved minimal for diagonals, not only the smallest found.
    """
    effort = effort or Effort()
    if len(part.rings) == 1 and effort.takes(len(part.points)):
        return faces(part, _opened_cuts(part, [], trace)), True
    best = merged(part, triangulate(part))
    if trace is not None:
        trace.append(KeilTrial([], best))
    if len(part.rings) == 1 or len(part.points) > KEIL_MAX_VERTICES:
        return best, False
    opened = len(part.points) + 2 * (len(part.rings) - 1)
    draw = random.Random(0)
    left = TRIALS
    tried: set[tuple[Diagonal, ...]] = set()
    while left > 0:
        left -= 1
        cut = bridges(part, diagonals_of(best, part), None if not tried else draw)
        if tuple(cut) in tried:
            continue
        if not effort.takes(opened):
            break
        tried.add(tuple(cut))
        if trace is not None:
            trace.append(KeilTrial(cut, best))
        pieces = merged(part, faces(part, [*cut, *_opened_cuts(part, cut, trace)]))
        if len(pieces) <= len(best):
            left = TRIALS if len(pieces) < len(best) else left
            best = pieces
    return best, False


def fewest_needed(part: GridPart) -> int:
    """Return a lower bound on the number of convex pieces of a part cut along diagonals.

    Each of r reflex corners needs a diagonal, which serves at most two; and d diagonals cut a part whose rings form g + 1 connected groups
    (touching rings are one) into ``d + 1 - g`` pieces. Around a hole there are at least three: two convex pieces share a segment or
    nothing, and their union has no hole.
    """
    n_reflex = 0
    for ring in part.rings:
        corners = [part.points[node] for node in ring]
        n_reflex += sum(turn(corners[k - 2], corners[k - 1], corners[k]) < 0 for k in range(len(corners)))
    _, groups = _ring_groups(part)
    return max(-(-n_reflex // 2) + 2 - groups.n_sets, 3 if len(part.rings) > 1 else 1)


def bridges(part: GridPart, diagonals: list[Diagonal], draw: random.Random | None = None) -> list[Diagonal]:
    """Return the minimum set of `diagonals` that connects all rings, by Kruskal's method: the shortest first, or in random order.

    Touching rings are already connected.
    """
    ring_at, groups = _ring_groups(part)
    points = part.points
    order = sorted(diagonals, key=lambda d: (points[d[0]][0] - points[d[1]][0]) ** 2 + (points[d[0]][1] - points[d[1]][1]) ** 2)
    if draw is not None:
        draw.shuffle(order)
    return sorted((a, b) for a, b in order if groups.unite(ring_at[a], ring_at[b]))


def _ring_groups(part: GridPart) -> tuple[dict[int, int], DisjointSets]:
    """Return a ring for each point on it, and the connected rings: those that touch."""
    ring_at: dict[int, int] = {}
    groups = DisjointSets(len(part.rings))
    for k, ring in enumerate(part.rings):
        for node in ring:
            groups.unite(k, ring_at.setdefault(node, k))
    return ring_at, groups


def _opened_cuts(part: GridPart, cut: list[Diagonal], trace: list[KeilRun | KeilTrial] | None) -> list[Diagonal]:
    """Return a minimum set of diagonals that cut the part, opened along `cut`, into convex pieces."""
    from engine.common._record_kernel import TRACE_WIDTH
    from engine.decompose._keil_kernel import NOT_CUT, fewest_diagonals

    loops = faces(part, cut)
    if len(loops) != 1:
        raise InvalidShapeError("outline", "a part in one piece", Described(f"{len(loops)} after opening its holes"))
    loop = loops[0]
    points = [part.points[node] for node in loop]
    n = len(loop)
    dents = [k for k in range(n) if turn(points[k - 1], points[k], points[(k + 1) % n]) < 0]
    if not dents:
        return []
    loop = loop[dents[0] :] + loop[: dents[0]]
    rows = None if trace is None else np.zeros((n * n + 1, TRACE_WIDTH))
    diagonals = fewest_diagonals(np.array([part.points[node] for node in loop], dtype=np.int64), rows)
    if trace is not None and rows is not None:
        trace.append(KeilRun(loop, rows[1 : int(rows[0, 0]) + 1]))
    if len(diagonals) and diagonals[0, 0] == NOT_CUT:
        raise InvalidShapeError("outline", "one that can be cut into convex pieces", Described("a ring that crosses itself"))
    return sorted({(min(loop[a], loop[b]), max(loop[a], loop[b])) for a, b in diagonals.tolist()})
