"""The broad phase that suits the boxes, chosen by what they are like."""

from __future__ import annotations

import numpy as np

from engine.broadphase.bvh import TopDownTree
from engine.broadphase.grid import GridWorkspace, sketch_of_grid
from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import PlainSketch, Sketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["BRUTE_FORCE", "TREE", "UNIFORM_GRID", "Automatic", "warm"]

BRUTE_FORCE, UNIFORM_GRID, TREE = "brute force", "uniform grid", TopDownTree.name
"""What it chooses from."""

FEW = 50
"""Boxes up to which brute force is the fastest: 9 us a call, where the grid takes as long whatever is in it (measured)."""

MAX_EIGHTS = 8.0
"""Eights of boxes that a box compares in the uniform grid, from which on the tree is the faster one. The grid takes 10 ns a box and 3.3 for
each eight, the tree some 35 where it can be refitted: so measured on crowds in worlds of 1 to 1,000 km, 1,000 to 30,000 boxes."""

MIN_EIGHTS = 6.0
"""Below this the grid is taken again. Between the two the choice stays what it is, so that a scene at the limit does not waver."""

CHANGE = 1.25
"""Number of boxes, cells and their size may change by this factor before the grid is asked again."""

LOOKS = 8
"""Once in so many frames cells and their size are looked at: that takes 1 ns a box, 3 % of a frame."""

PATIENCE = 64
"""Frames after which the grid is asked again in any case, for a crowd may part while the ends of the world stay where they are."""

MANY_QUERIES = 25
"""Regions or rays in one call from which on the tree is built or refitted for them, 40 ns a box; to ask one box takes 1.5 (measured)."""


class Automatic(BroadPhase):
    """Takes brute force for a few boxes, else a uniform grid, or where boxes crowd in a wide world a tree; see `BroadPhase`.

    The grid counts the boxes of its cells before it compares any; some boxes are then asked how many others each would look at. That
    takes 1 % of the frame. Where the answer is too many the tree is taken, and the grid is asked again only when the statistics of the
    boxes have changed, or after `PATIENCE` frames. All structures give the same pairs, so that a caller sees the choice by the time alone.

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
        """The structure that found the pairs the last time."""
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
        """Tell whether the boxes are no longer those for which the tree was taken."""
        self._n_frames += 1
        if self._n_frames >= PATIENCE or _differ(self._n_live, self._statistics[0]):
            return True
        if self._n_frames % LOOKS > 0:
            return False
        now = _statistics(self._live_boxes()[1])
        return any(_differ(one, other) for one, other in zip(now, self._statistics, strict=True))

    # ---------------------------------------------------------------------------------------------------------------- the hooks

    def _shared_tree(self) -> TopDownTree:
        """Return the tree, which looks at our boxes and keeps none."""
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
        """Return the cells of the grid where it was chosen, the boxes of the tree's nodes where that was."""
        if self._chosen == BRUTE_FORCE:
            return PlainSketch()
        return sketch_of_grid(self._live_boxes()[1]) if self._chosen == UNIFORM_GRID else self._shared_tree().sketch()


def warm() -> None:
    """Load the kernels of everything that may be chosen, compiling what is not on disk yet."""
    from engine.broadphase._brute_force_kernel import overlapping_pairs as by_brute_force

    boxes = np.tile((0.0, 0.0, 1.0, 1.0), (2, 1))
    by_brute_force(boxes)
    tree = TopDownTree()
    tree.pairs(boxes)
    tree.pairs(boxes)
    _statistics(boxes)
    GridWorkspace().pairs(boxes, MAX_EIGHTS)


def _statistics(boxes: FloatArray) -> tuple[float, ...]:
    """Return the number of boxes, and the number and size of the cells that a grid of them would have; one pass over the boxes."""
    from engine.broadphase._grid_kernel import grid_of

    _, _, per_x, per_y, columns, rows = grid_of(boxes)
    return len(boxes), per_x, per_y, columns, rows


def _differ(one: float, other: float) -> bool:
    return max(one, other) > CHANGE * min(one, other)
