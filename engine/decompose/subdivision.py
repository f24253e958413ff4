"""The faces into which edges divide a part, found by traversing their boundaries.

Every edge of a ring is traversed once, with the inside on its left; a diagonal is traversed twice, once in each direction. After u -> v,
the next edge of the face on the left is the first one clockwise from the reversed edge::

              w2                    from u, at v: clockwise from the reversed edge, v -> u, over the face (left of u -> v):
               \\    face            v -> w1 is first; w2 is behind it and belongs to another face
        w1 ---- v
                 \\
                  u

Repeating this until the start gives one face. With a diagonal from each hole (a *bridge*) and no other, there is one face, the
*opened* part: a polygon without holes that runs along each bridge twice.

**Which rings, or pieces, are connected** is found by uniting sets pair by pair (`DisjointSets`): each element has a parent or is a root,
and two are connected if they have the same root. On the path to the root each element is linked to its parent's parent, so that paths stay
short.

Sources: M. de Berg et al., Computational Geometry, 3rd ed., 2008, 2.2 (the doubly-connected edge list); R. Tarjan, J. van Leeuwen,
"Worst-case analysis of set union algorithms", 1984 (path halving).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cmp_to_key

from engine.decompose.grid import GridPart, Point

__all__ = ["Diagonal", "DisjointSets", "diagonals_of", "faces"]

Diagonal = tuple[int, int]
"""Two indices of points, the smaller first."""


def faces(part: GridPart, diagonals: Iterable[Diagonal]) -> list[list[int]]:
    """Return the faces of a part cut along `diagonals`, each a loop of indices, the face on the left.

    The diagonals are inside the part and do not cross; every point at which two rings touch is a corner of both.
    """
    after: dict[int, list[int]] = {}
    for ring in part.rings:
        for u, v in zip(ring, [*ring[1:], ring[0]], strict=True):
            after.setdefault(u, []).append(v)
            after.setdefault(v, [])
    around = {node: set(ends) for node, ends in after.items()}
    for ring in part.rings:
        for u, v in zip(ring, [*ring[1:], ring[0]], strict=True):
            around[v].add(u)
    for a, b in diagonals:
        for u, v in ((a, b), (b, a)):
            after[u].append(v)
            around[u].add(v)
    points = part.points
    order = {node: _counter_clockwise(points, node, list(ends)) if len(after[node]) > 1 else [] for node, ends in around.items()}
    waiting = {(u, v) for u, ends in after.items() for v in ends}
    loops = []
    for edge in sorted(waiting):
        if edge not in waiting:
            continue
        loop = []
        while edge in waiting:
            waiting.remove(edge)
            loop.append(edge[0])
            edge = (edge[1], _way_on(edge, after, order))
        loops.append(loop)
    return loops


def diagonals_of(pieces: Iterable[Iterable[int]], part: GridPart) -> list[Diagonal]:
    """Return the edges of pieces that are not edges of the part's rings, in order."""
    rings = {(u, v) for ring in part.rings for u, v in zip(ring, [*ring[1:], ring[0]], strict=True)}
    diagonals = set()
    for piece in pieces:
        loop = list(piece)
        for u, v in zip(loop, [*loop[1:], loop[0]], strict=True):
            if (u, v) not in rings:
                diagonals.add((min(u, v), max(u, v)))
    return sorted(diagonals)


def _way_on(edge: tuple[int, int], after: dict[int, list[int]], order: dict[int, list[int]]) -> int:
    u, v = edge
    ways = after[v]
    if len(ways) == 1:
        return ways[0]
    ring = order[v]
    at = ring.index(u)
    for step in range(1, len(ring) + 1):
        if ring[at - step] in ways:
            return ring[at - step]
    raise AssertionError("a vertex without a way on")


def _counter_clockwise(points: list[Point], node: int, ends: list[int]) -> list[int]:
    """Sort the ends of edges at a node by direction, exactly: first by half-plane, then by turn."""
    x, y = points[node]

    def compare(a: int, b: int) -> int:
        ax, ay, bx, by = points[a][0] - x, points[a][1] - y, points[b][0] - x, points[b][1] - y
        half_a, half_b = (ay < 0 or (ay == 0 and ax < 0)), (by < 0 or (by == 0 and bx < 0))
        if half_a != half_b:
            return 1 if half_a else -1
        cross = ax * by - ay * bx
        return (cross < 0) - (cross > 0)

    return sorted(ends, key=cmp_to_key(compare))


class DisjointSets:
    """Disjoint sets of the numbers 0 to n - 1, initially one set each.

    Examples
    --------
    >>> sets = DisjointSets(3)
    >>> sets.unite(0, 2), sets.unite(2, 0), sets.n_sets
    (True, False, 2)
    """

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))
        self.n_sets = n

    def find(self, k: int) -> int:
        """Return the representative of the set of `k`."""
        parent = self._parent
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    def unite(self, a: int, b: int) -> bool:
        """Merge the sets of two numbers; return True if they were different."""
        u, v = self.find(a), self.find(b)
        if u == v:
            return False
        self._parent[u] = v
        self.n_sets -= 1
        return True
