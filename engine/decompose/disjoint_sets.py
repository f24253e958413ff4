"""Which rings, or pieces, are connected: sets united pair by pair.

Each element has a parent or is a root, and two are connected if they have the same root. On the path to the root each element is linked to
its parent's parent, so that paths stay short.

Source: R. Tarjan, J. van Leeuwen, "Worst-case analysis of set union algorithms", 1984 (path halving).
"""

from __future__ import annotations

__all__ = ["DisjointSets"]


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
