"""A broad phase that chooses a structure suited to its boxes."""

from __future__ import annotations

from engine.broadphase.bvh import TopDownTree
from engine.broadphase.grid import GridWorkspace, sketch_of_grid
from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import PlainSketch, Sketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["BRUTE_FORCE", "TREE", "UNIFORM_GRID", "Automatic"]

BRUTE_FORCE, UNIFORM_GRID, TREE = "brute force", "uniform grid", TopDownTree.name
"""The structures to choose from."""

FEW = 50
"""Number of boxes up to which brute force is the fastest: 9 us per call, the minimum of the grid (measured)."""

MAX_EIGHTS = 8.0
"""Number of groups of eight boxes that a box compares in the uniform grid from which the tree is faster. The grid takes 10 ns per box and
3.3 ns per group, the tree about 35 ns if it can be refitted (measured on crowds in worlds of 1 to 1,000 km, 1,000 to 30,000 boxes).
"""

MIN_EIGHTS = 6.0
"""Below this, the grid is chosen again. In between, the choice is kept, so that a scene at the limit does not alternate."""

CHANGE = 1.25
"""Factor by which the number of boxes or the number or size of cells may change before the grid is tried again."""

LOOKS = 8
"""Number of frames between checks of the cells and their size, each of which takes 1 ns per box, 3 % of a frame."""

PATIENCE = 64
"""Number of frames after which the grid is tried again anyway, because a crowd may disperse while the world's extent stays the same."""

MANY_QUERIES = 25
"""Minimum number of regions or rays per call for which the tree is built or refitted, at 40 ns per box; testing a box takes 1.5 ns."""


class Automatic(BroadPhase):
    """Uses brute force for few boxes, otherwise a uniform grid, or a tree if boxes crowd together in a wide world; see `BroadPhase`.

    The grid counts the boxes of its cells before it compares any, and the number of comparisons is estimated from a sample of boxes, which
    takes 1 % of the frame. If it is too large, the tree is used, and the grid is tried again only when the statistics of the boxes have
    changed, or after `PATIENCE` frames. All structures return the same pairs, so the choice affects only the time.

    Examples
    --------
    >>> broad_phase = Automatic()
    >>> broad_phase.pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist(), broad_phase.chosen
    ([[0, 2]], 'brute force')
    """

    name = "automatic"

    def __init__(self) -> None:
        super().__init__()
        self._workspace = GridWorkspace()
        self._tree = TopDownTree()
        self._chosen = BRUTE_FORCE
        self._statistics: tuple[float, ...] = ()
        self._n_frames = 0

    @property
    def chosen(self) -> str:
        """The structure that last found the pairs."""
        return self._chosen

    def _pairs(self) -> IntArray:
        was_crowded = self._chosen == TREE
        if self._n_live > FEW and was_crowded and not self._has_changed():
            return self._shared_tree()._pairs()
        proxies, boxes = self._live_boxes()
        pairs: IntArray | None
        if len(boxes) <= FEW:
            from engine.broadphase._brute_force_kernel import overlapping_pairs as by_brute_force

            self._chosen, pairs = BRUTE_FORCE, by_brute_force(boxes)
        else:
            self._chosen, pairs = UNIFORM_GRID, self._workspace.pairs(boxes, MIN_EIGHTS if was_crowded else MAX_EIGHTS)
            if pairs is None:
                self._chosen, self._statistics, self._n_frames = TREE, _statistics(boxes), 0
                return self._shared_tree()._pairs()
        return pairs if proxies is None else proxies[pairs]

    def _has_changed(self) -> bool:
        """Return True if the boxes have changed since the tree was chosen."""
        self._n_frames += 1
        if self._n_frames >= PATIENCE or _differ(self._n_live, self._statistics[0]):
            return True
        if self._n_frames % LOOKS > 0:
            return False
        now = _statistics(self._live_boxes()[1])
        return any(_differ(before, other) for before, other in zip(now, self._statistics, strict=True))

    # ---------------------------------------------------------------------------------------------------------------- the hooks

    def _shared_tree(self) -> TopDownTree:
        """Return the tree, which uses our boxes instead of its own."""
        self._tree._boxes, self._tree._is_live = self._boxes, self._is_live
        self._tree._size, self._tree._n_live = self._size, self._n_live
        return self._tree

    def _rebuilt(self) -> None:
        self._tree._rebuilt()

    def _all_moved(self, before: FloatArray) -> None:
        self._tree._all_moved(before)

    def _moved(self, proxies: IntArray, before: FloatArray, displacements: FloatArray | None) -> None:
        self._tree._moved(proxies, before, displacements)

    def _query(self, queries: FloatArray) -> IntArray:
        few = len(queries) < MANY_QUERIES
        return super()._query(queries) if few else self._shared_tree()._query(queries)

    def sketch(self) -> Sketch:
        """Return the cells of the grid or the node boxes of the tree, whichever was chosen."""
        if self._chosen == BRUTE_FORCE:
            return PlainSketch()
        return sketch_of_grid(self._live_boxes()[1]) if self._chosen == UNIFORM_GRID else self._shared_tree().sketch()


def _statistics(boxes: FloatArray) -> tuple[float, ...]:
    """Return the number of boxes, and the number and size of the cells that a grid of them would have; one pass over the boxes."""
    from engine.broadphase._grid_kernel import grid_of

    _, _, per_x, per_y, columns, rows = grid_of(boxes)
    return len(boxes), per_x, per_y, columns, rows


def _differ(one: float, other: float) -> bool:
    return max(one, other) > CHANGE * min(one, other)
