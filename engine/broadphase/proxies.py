"""What all broad phases have in common: the boxes, their numbers, and the checks at the door."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.broadphase.interface import checked_boxes, is_empty
from engine.broadphase.sketch import Sketch
from engine.common.arrays import FloatArray, IntArray, finite_rows, index_column, shaped_rows
from engine.common.errors import InvalidInputError

__all__ = ["Proxies"]


class Proxies(ABC):
    """Keeps the boxes and checks all input; a structure says how it follows changes and how it finds.

    A structure sees the boxes as ``_boxes[:_size]``, row = proxy, and which of the rows are in use as ``_is_live[:_size]``; all of them
    are where ``_n_live == _size``. It defines `_pairs`, and as many of the other hooks as pay: each has a plain form here.
    Input is checked, and the boxes are changed, before a hook is called. Hooks answer with new arrays, sorted.
    """

    name: str = ""
    short_name: str = ""
    """For a button, and what `--set structure=...` takes; empty where the name is short enough."""

    def __init__(self) -> None:
        self._boxes: FloatArray = np.empty((0, 4))
        self._is_live: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._size = 0
        self._n_live = 0
        self._spare: FloatArray = np.empty((0, 4))

    # ---------------------------------------------------------------------------------------------------------------- the hooks

    @abstractmethod
    def _pairs(self) -> IntArray:
        """Return all overlapping pairs of live proxies, smaller first, sorted."""

    def _rebuilt(self) -> None:
        """Forget everything: there are other boxes now, all live. By default there is nothing to forget."""
        return

    def _all_moved(self, before: FloatArray) -> None:
        """Follow all boxes, each of which (all are live) was `before`, row by row; by default `_rebuilt`."""
        self._rebuilt()

    def _inserted(self, proxies: IntArray) -> None:
        """Take in the boxes of `proxies`, numbers that were free; by default `_rebuilt`."""
        self._rebuilt()

    def _removed(self, proxies: IntArray) -> None:
        """Forget `proxies`; their rows still have their last boxes, and are no longer live; by default `_rebuilt`."""
        self._rebuilt()

    def _moved(self, proxies: IntArray, before: FloatArray, displacements: FloatArray | None) -> None:
        """Follow `proxies` (m,), whose boxes were `before` (m, 4); by default `_rebuilt`."""
        self._rebuilt()

    def _regions(self, regions: FloatArray) -> IntArray:
        """Return rows of region and proxy that overlap, sorted; by default every box is asked."""
        from engine.broadphase._brute_force_kernel import overlapped_by_regions

        return overlapped_by_regions(self._boxes[: self._size], self._is_live[: self._size], regions)

    def _rays(self, origins: FloatArray, translations: FloatArray) -> IntArray:
        """Return rows of ray and proxy that meet, sorted; by default every box is asked."""
        from engine.broadphase._brute_force_kernel import met_by_rays

        return met_by_rays(self._boxes[: self._size], self._is_live[: self._size], origins, translations)

    @abstractmethod
    def sketch(self) -> Sketch:
        """Return what there is to draw of the structure as it is now."""

    # ------------------------------------------------------------------------------------------------------- what callers use

    def __len__(self) -> int:
        """Return how many boxes there are."""
        return self._n_live

    @property
    def proxies(self) -> IntArray:
        """The numbers of all boxes, in order."""
        return np.flatnonzero(self._is_live[: self._size])

    def aabbs(self, proxies: ArrayLike | None = None) -> FloatArray:
        """Return the boxes (m, 4) of `proxies` (m,), or of all in order; a copy."""
        return self._boxes[self.proxies if proxies is None else self._checked_proxies(proxies)]

    def pairs(self, aabbs: ArrayLike | None = None) -> IntArray:
        """Return the overlapping pairs; see `BroadPhase`."""
        if aabbs is not None:
            self.update(aabbs)
        return self._pairs()

    def update(self, aabbs: ArrayLike) -> None:
        """Let other boxes take the place of all; see `BroadPhase`."""
        given = np.zeros((0, 4)) if is_empty(aabbs) else shaped_rows("aabbs", aabbs, 4)
        n = len(given)
        if len(self._spare) < n:
            self._spare = np.empty((max(n, len(self._boxes)), 4))
        np.copyto(self._spare[:n], given)
        from engine.broadphase._proxy_kernel import n_invalid

        if n_invalid(self._spare[:n]) > 0:
            checked_boxes(given)
        are_these = n == self._size == self._n_live
        self._boxes, self._spare = self._spare, self._boxes
        if are_these:
            self._all_moved(self._spare[:n])
        else:
            self._is_live = np.ones(len(self._boxes), dtype=np.bool_)
            self._size = self._n_live = n
            self._rebuilt()

    def insert(self, aabbs: ArrayLike) -> IntArray:
        """Add boxes, and return their proxies; see `BroadPhase`."""
        boxes = checked_boxes(aabbs)
        n_free = self._size - self._n_live
        free = np.flatnonzero(~self._is_live[: self._size])[: len(boxes)] if n_free > 0 else np.empty(0, dtype=np.int64)
        proxies = np.concatenate((free, np.arange(self._size, self._size + len(boxes) - len(free))))
        size = self._size + len(boxes) - len(free)
        self._make_room(size)
        self._size, self._n_live = size, self._n_live + len(boxes)
        self._boxes[proxies], self._is_live[proxies] = boxes, True
        if len(proxies) > 0:
            self._inserted(proxies)
        return proxies.copy()

    def remove(self, proxies: ArrayLike) -> None:
        """Forget some boxes; see `BroadPhase`."""
        gone = self._checked_proxies(proxies)
        self._is_live[gone] = False
        self._n_live -= len(gone)
        if len(gone) > 0:
            self._removed(gone)

    def move(self, proxies: ArrayLike, aabbs: ArrayLike, displacements: ArrayLike | None = None) -> None:
        """Give some proxies other boxes; see `BroadPhase`."""
        moved = self._checked_proxies(proxies)
        boxes = checked_boxes(aabbs)
        if len(boxes) != len(moved):
            raise InvalidInputError("aabbs", f"as many rows as proxies, {len(moved)}", len(boxes))
        expected = None if displacements is None or len(moved) == 0 else finite_rows("displacements", displacements, 2, len(moved))
        if len(moved) > 0:
            before = self._boxes[moved]
            self._boxes[moved] = boxes
            self._moved(moved, before, expected)

    def regions(self, aabbs: ArrayLike) -> IntArray:
        """Return which boxes overlap which regions; see `BroadPhase`."""
        return self._regions(checked_boxes(aabbs))

    def rays(self, origins: ArrayLike, translations: ArrayLike) -> IntArray:
        """Return which boxes which segments meet; see `BroadPhase`."""
        begins = _points("origins", origins)
        ways = _points("translations", translations, len(begins))
        return self._rays(begins, ways)

    # ---------------------------------------------------------------------------------------------------------- for structures

    def _live_boxes(self) -> tuple[IntArray | None, FloatArray]:
        """Return the live boxes without gaps, and their proxies, in order, or None where row = proxy."""
        if self._n_live == self._size:
            return None, self._boxes[: self._size]
        proxies = self.proxies
        return proxies, self._boxes[proxies]

    def _checked_proxies(self, value: ArrayLike) -> IntArray:
        given = np.zeros(0, dtype=np.int64) if is_empty(value) else index_column("proxies", value, self._size)
        is_dead = ~self._is_live[given]
        if is_dead.any():
            row = int(np.argmax(is_dead))
            raise InvalidInputError(f"proxies[{row}]", "a proxy that is there", int(given[row]))
        if len(given) > 1:
            in_order = np.sort(given)
            is_twice = in_order[1:] == in_order[:-1]
            if is_twice.any():
                raise InvalidInputError("proxies", "different from each other", int(in_order[1:][is_twice][0]))
        return given

    def _make_room(self, size: int) -> None:
        # after an update the boxes may lie in a buffer of another length
        if min(len(self._boxes), len(self._is_live)) < size:
            capacity = max(size, 2 * len(self._boxes))
            boxes, is_live = np.empty((capacity, 4)), np.zeros(capacity, dtype=np.bool_)
            boxes[: self._size], is_live[: self._size] = self._boxes[: self._size], self._is_live[: self._size]
            self._boxes, self._is_live = boxes, is_live


def _points(field: str, value: ArrayLike, length: int | None = None) -> FloatArray:
    if is_empty(value) and not length:
        return np.zeros((0, 2))
    points = finite_rows(field, value, 2, length)
    return points if points.flags.writeable else points.copy()
