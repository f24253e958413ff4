"""Base class of broad phases: the interface, and input checks."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from engine.broadphase.sketch import Sketch
from engine.common.arrays import FloatArray, IntArray, finite_rows
from engine.common.errors import InvalidInputError

__all__ = ["BroadPhase"]


class BroadPhase(ABC):
    """Finds exactly those boxes that overlap each other, a region or a ray.

    Boxes (n, 4) are lower x, lower y, upper x, upper y; meters. They are closed: a touch counts. Their rows are their numbers. A structure
    may keep data from the boxes before, which affects only the time.

    Every method raises `InvalidInputError`, which names field and value, and changes nothing, if a number is not finite, an array has the
    wrong shape, or a box has its lower corner above its upper one. Results are new arrays.

    To add a broad phase, define `_keys` and `sketch`, and add the class to `STRUCTURES`.
    """

    name: str = ""
    """Usual name of the structure, for tables and scenes."""
    short_name: str = ""
    """Short name for buttons and `--set structure=...`; empty if the name is short enough."""

    def __init__(self) -> None:
        self._boxes: FloatArray = np.empty((0, 4))

    @abstractmethod
    def _keys(self, boxes: FloatArray) -> IntArray:
        """Return ``i << 32 | j``, i < j, for all overlapping pairs of `boxes`, in any order; repetitions are allowed."""

    def _met(self, queries: FloatArray) -> IntArray:
        """Return ``query << 32 | box`` for all boxes that a query meets; by default every box is tested.

        Queries are regions (m, 4), or rays (m, 2, 2), origin and translation of each.
        """
        from engine.broadphase._brute_force_kernel import met_boxes

        return met_boxes(self._boxes, queries)

    @abstractmethod
    def sketch(self) -> Sketch:
        """Return a drawable sketch of the structure of the current boxes."""

    def __len__(self) -> int:
        """Return the number of boxes."""
        return len(self._boxes)

    def update(self, aabbs: ArrayLike) -> None:
        """Replace all boxes by these (n, 4)."""
        self._boxes = _checked_boxes(aabbs)

    def pairs(self, aabbs: ArrayLike | None = None) -> IntArray:
        """Return the overlapping pairs (n, 2) of boxes; with `aabbs` (m, 4) those are given to `update` first.

        Each pair occurs once, with the smaller number first, sorted; so all broad phases return the same array.
        """
        if aabbs is not None:
            self.update(aabbs)
        return _rows_of(self._keys(self._boxes))

    def regions(self, aabbs: ArrayLike) -> IntArray:
        """Return which boxes overlap which regions (m, 4): rows (n, 2) of the region's number and the box's, sorted."""
        return _rows_of(self._met(_checked_boxes(aabbs)))

    def rays(self, origins: ArrayLike, translations: ArrayLike) -> IntArray:
        """Return which boxes the segments from `origins` (m, 2) by `translations` (m, 2), meters, meet: rows (n, 2) as of `regions`.

        A segment that begins in a box or touches it meets it, and a segment of zero length is a point. No hit box is omitted; a box missed
        by a few rounding errors of the length may be included (see `_boxes_kernel`).
        """
        starts = _points("origins", origins)
        return _rows_of(self._met(np.stack((starts, _points("translations", translations, len(starts))), axis=1)))


def _rows_of(keys: IntArray) -> IntArray:
    """Return the pairs (n, 2) of keys, sorted, each once; `np.unique` would take four times as long, because it hashes."""
    found = np.sort(keys)
    if len(found) > 1 and (is_again := found[1:] == found[:-1]).any():
        found = np.delete(found, 1 + np.flatnonzero(is_again))
    rows = np.empty((len(found), 2), dtype=np.int64)
    np.right_shift(found, 32, out=rows[:, 0])
    np.bitwise_and(found, 2**32 - 1, out=rows[:, 1])
    return rows


def _points(field: str, value: ArrayLike, length: int | None = None) -> FloatArray:
    if _is_empty(value) and not length:
        return np.zeros((0, 2))
    return finite_rows(field, value, 2, length)


def _is_empty(value: ArrayLike) -> bool:
    """Return True for empty input in any form; rows of different lengths are not empty, and the conversion rejects them."""
    try:
        return np.size(value) == 0
    except ValueError:
        return False


def _checked_boxes(aabbs: ArrayLike) -> FloatArray:
    """Return a copy of boxes (m, 4) in the form that kernels expect, or raise the errors described in `BroadPhase`."""
    if _is_empty(aabbs):
        return np.zeros((0, 4))
    boxes = finite_rows("aabbs", aabbs, 4)
    is_inverted = (boxes[:, 0] > boxes[:, 2]) | (boxes[:, 1] > boxes[:, 3])
    if is_inverted.any():
        row = int(np.argmax(is_inverted))
        raise InvalidInputError(f"aabbs[{row}]", "lower <= upper", boxes[row].tolist())
    return boxes.copy()
