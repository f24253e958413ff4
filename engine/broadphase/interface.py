"""Base class of broad phases: the interface, the boxes and their numbers, and input checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.broadphase.sketch import Sketch
from engine.common.arrays import FloatArray, IntArray, finite_rows, index_column, shaped_rows
from engine.common.errors import InvalidInputError

__all__ = ["BroadPhase"]


class BroadPhase(ABC):
    """Keeps boxes and finds exactly those that overlap each other, a region or a ray.

    A *proxy* is the number of a box: it is valid until the box is removed. New boxes get the lowest free number. Boxes (m, 4) are lower x,
    lower y, upper x, upper y; meters. They are closed: a touch counts.

    Every method raises `InvalidInputError`, which names field and value, and changes nothing, if a number is not finite, an array has the
    wrong shape, a box has its lower corner above its upper one, or a proxy does not exist or is repeated. Results are new arrays.

    A subclass defines how changes are handled and pairs are found. ``_boxes[:_size]`` are the boxes, with row = proxy, and
    ``_is_live[:_size]`` the rows in use; if ``_n_live == _size``, all are. It defines `_pairs`, and other hooks for speed: each has a
    default here. Input is checked, and the boxes are changed, before a hook is called. Hooks return new, sorted arrays.
    """

    name: str = ""
    """Usual name of the structure, for tables and scenes."""
    short_name: str = ""
    """Short name for buttons and `--set structure=...`; empty if the name is short enough."""

    def __init__(self) -> None:
        self._boxes: FloatArray = np.empty((0, 4))
        self._is_live: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._size = 0
        self._n_live = 0
        self._spare: FloatArray = np.empty((0, 4))
        self._trace: FloatArray | None = None

    # ---------------------------------------------------------------------------------------------------------------- the hooks

    @abstractmethod
    def _pairs(self) -> IntArray:
        """Return all overlapping pairs of live proxies, smaller first, sorted."""

    def _rebuilt(self) -> None:
        """Discard all data because all boxes have been replaced; all are live. By default there is nothing to discard."""
        return

    def _all_moved(self, before: FloatArray) -> None:
        """Update all boxes, which are all live; `before` are the old ones, row by row. Calls `_rebuilt` by default."""
        self._rebuilt()

    def _inserted(self, proxies: IntArray) -> None:
        """Add the boxes of `proxies`, whose numbers were free. Calls `_rebuilt` by default."""
        self._rebuilt()

    def _removed(self, proxies: IntArray) -> None:
        """Remove `proxies`, which are no longer live; their rows still contain their last boxes. Calls `_rebuilt` by default."""
        self._rebuilt()

    def _moved(self, proxies: IntArray, before: FloatArray, displacements: FloatArray | None) -> None:
        """Update `proxies` (m,), whose old boxes are `before` (m, 4). Calls `_rebuilt` by default."""
        self._rebuilt()

    def _query(self, queries: FloatArray) -> IntArray:
        """Return rows of query and proxy that overlap, sorted; by default every box is tested.

        Queries are regions (m, 4), or rays (m, 2, 2), origin and translation of each.
        """
        from engine.broadphase._brute_force_kernel import met_boxes

        return met_boxes(self._boxes[: self._size], self._is_live[: self._size], queries)

    @abstractmethod
    def sketch(self) -> Sketch:
        """Return a drawable sketch of the structure in its current state."""

    # ------------------------------------------------------------------------------------------------------- public methods

    def __len__(self) -> int:
        """Return the number of boxes."""
        return self._n_live

    @property
    def proxies(self) -> IntArray:
        """Numbers of all boxes, ascending."""
        return np.flatnonzero(self._is_live[: self._size])

    def aabbs(self, proxies: ArrayLike | None = None) -> FloatArray:
        """Return the boxes (m, 4) of `proxies` (m,), or of all in order; a copy."""
        return self._boxes[self.proxies if proxies is None else self._checked_proxies(proxies)]

    def pairs(self, aabbs: ArrayLike | None = None) -> IntArray:
        """Return the overlapping pairs (n, 2) of proxies; with `aabbs` (m, 4) those are given to `update` first.

        Each pair occurs once, with the smaller number first, sorted; so all broad phases return the same array.
        """
        if aabbs is not None:
            self.update(aabbs)
        return self._pairs()

    @property
    def trace(self) -> FloatArray | None:
        """Buffer that receives all steps, float64 (k, TRACE_WIDTH) as defined in `engine.common._record_kernel`; none by default.

        Only structures with a stepper in `engine.trace` record steps.
        """
        return self._trace

    @trace.setter
    def trace(self, trace: FloatArray | None) -> None:
        from engine.common._record_kernel import checked_trace

        self._trace = checked_trace(trace)

    def update(self, aabbs: ArrayLike) -> None:
        """Replace all boxes by these (m, 4), as proxies 0 to m - 1.

        If the existing proxies are exactly 0 to m - 1, each box has moved, and data from the previous frame is reused; otherwise everything
        is rebuilt.
        """
        boxes = np.zeros((0, 4)) if _is_empty(aabbs) else shaped_rows("aabbs", aabbs, 4)
        n = len(boxes)
        if len(self._spare) < n:
            self._spare = np.empty((max(n, len(self._boxes)), 4))
        np.copyto(self._spare[:n], boxes)
        if _n_invalid()(self._spare[:n]) > 0:
            _checked_boxes(boxes)
        are_these = n == self._size == self._n_live
        self._boxes, self._spare = self._spare, self._boxes
        if are_these:
            self._all_moved(self._spare[:n])
        else:
            self._is_live = np.ones(len(self._boxes), dtype=np.bool_)
            self._size = self._n_live = n
            self._rebuilt()

    def insert(self, aabbs: ArrayLike) -> IntArray:
        """Add boxes (m, 4), and return their proxies (m,): the lowest free numbers, in order."""
        boxes = _checked_boxes(aabbs)
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
        """Remove the boxes of some proxies (m,)."""
        gone = self._checked_proxies(proxies)
        self._is_live[gone] = False
        self._n_live -= len(gone)
        if len(gone) > 0:
            self._removed(gone)

    def move(self, proxies: ArrayLike, aabbs: ArrayLike, displacements: ArrayLike | None = None) -> None:
        """Give some proxies (m,) new boxes (m, 4).

        `displacements` (m, 2), meters, are the expected displacements until the next move. A structure can reserve space for them; they do
        not affect the results.
        """
        moved = self._checked_proxies(proxies)
        boxes = _checked_boxes(aabbs)
        if len(boxes) != len(moved):
            raise InvalidInputError("aabbs", f"as many rows as proxies, {len(moved)}", len(boxes))
        expected = None if displacements is None or len(moved) == 0 else finite_rows("displacements", displacements, 2, len(moved))
        if len(moved) > 0:
            before = self._boxes[moved]
            self._boxes[moved] = boxes
            self._moved(moved, before, expected)

    def regions(self, aabbs: ArrayLike) -> IntArray:
        """Return which boxes overlap which regions (m, 4): rows (n, 2) of the region's number and the proxy, sorted."""
        return self._query(_checked_boxes(aabbs))

    def rays(self, origins: ArrayLike, translations: ArrayLike) -> IntArray:
        """Return which boxes the segments from `origins` (m, 2) by `translations` (m, 2), meters, meet: rows (n, 2) as of `regions`.

        A segment that begins in a box or touches it meets it, and a segment of zero length is a point. No hit box is omitted; a box missed
        by a few rounding errors of the length may be included (see `_boxes_kernel`).
        """
        starts = _points("origins", origins)
        return self._query(np.stack((starts, _points("translations", translations, len(starts))), axis=1))

    # ---------------------------------------------------------------------------------------------------------- for structures

    def _live_boxes(self) -> tuple[IntArray | None, FloatArray]:
        """Return the live boxes without gaps, and their proxies, in order, or None where row = proxy."""
        if self._n_live == self._size:
            return None, self._boxes[: self._size]
        proxies = self.proxies
        return proxies, self._boxes[proxies]

    def _checked_proxies(self, value: ArrayLike) -> IntArray:
        proxies = np.zeros(0, dtype=np.int64) if _is_empty(value) else index_column("proxies", value, self._size)
        is_dead = ~self._is_live[proxies]
        if is_dead.any():
            row = int(np.argmax(is_dead))
            raise InvalidInputError(f"proxies[{row}]", "an existing proxy", int(proxies[row]))
        if len(proxies) > 1:
            in_order = np.sort(proxies)
            is_twice = in_order[1:] == in_order[:-1]
            if is_twice.any():
                raise InvalidInputError("proxies", "different from each other", int(in_order[1:][is_twice][0]))
        return proxies

    def _make_room(self, size: int) -> None:
        # after an update the boxes may be in a buffer of another length
        if min(len(self._boxes), len(self._is_live)) < size:
            capacity = max(size, 2 * len(self._boxes))
            boxes, is_live = np.empty((capacity, 4)), np.zeros(capacity, dtype=np.bool_)
            boxes[: self._size], is_live[: self._size] = self._boxes[: self._size], self._is_live[: self._size]
            self._boxes, self._is_live = boxes, is_live


@cache
def _n_invalid() -> Callable[[FloatArray], int]:
    """Import the kernel on first use: an import statement in each update would take longer than the kernel."""
    from engine.broadphase._boxes_kernel import n_invalid

    return n_invalid


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
    """Return boxes (m, 4) in the form that kernels expect, or raise the errors described in `BroadPhase`."""
    if _is_empty(aabbs):
        return np.zeros((0, 4))
    boxes = finite_rows("aabbs", aabbs, 4)
    is_inverted = (boxes[:, 0] > boxes[:, 2]) | (boxes[:, 1] > boxes[:, 3])
    if is_inverted.any():
        row = int(np.argmax(is_inverted))
        raise InvalidInputError(f"aabbs[{row}]", "lower <= upper", boxes[row].tolist())
    return boxes if boxes.flags.writeable else boxes.copy()
