"""Things that are tied together one pair after the other: which hang together, directly or not.

Each has a parent or is a root, and two hang together when they have one root. On the way to the root each is hung on the parent of its
parent, so that ways stay short.

Source: R. Tarjan, J. van Leeuwen, "Worst-case analysis of set union algorithms", 1984 (path halving).
"""

from __future__ import annotations

__all__ = ["Forest"]


class Forest:
    """The numbers 0 to n - 1, none tied to another at first.

    Examples
    --------
    >>> forest = Forest(3)
    >>> forest.join(0, 2), forest.join(2, 0), forest.n_trees
    (True, False, 2)
    """

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))
        self.n_trees = n

    def root(self, k: int) -> int:
        """Return the number that stands for all that hang together with `k`."""
        parent = self._parent
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    def join(self, a: int, b: int) -> bool:
        """Tie two numbers, and tell whether they did not hang together before."""
        u, v = self.root(a), self.root(b)
        if u == v:
            return False
        self._parent[u] = v
        self.n_trees -= 1
        return True
