"""What every broad phase promises."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from engine.broadphase.sketch import Sketch
from engine.common.arrays import FloatArray, IntArray, finite_rows
from engine.common.errors import InvalidInputError

__all__ = ["BroadPhase", "checked_boxes", "is_empty"]


class BroadPhase(Protocol):
    """Keeps boxes and finds those that overlap each other, a region or a ray: all of them, and nothing else.

    A *proxy* is the number under which a box is kept: it stays until the box is removed, and then the lowest free number is the
    next to be given. Boxes (m, 4) are lower x, lower y, upper x, upper y; metres. They are closed: a touch counts.

    Every method raises `InvalidInputError`, naming field and value, and then has changed nothing, where a number is not finite, a
    shape is another one, a box has its lower corner above its upper one, or a proxy is not there or named twice.
    Answers are new arrays.
    """

    name: str
    """What the structure is called, in the words of the field; for tables and scenes."""

    def __len__(self) -> int:
        """Return how many boxes there are."""
        ...

    def pairs(self, aabbs: ArrayLike | None = None) -> IntArray:
        """Return the overlapping pairs (n, 2) of proxies; with `aabbs` (m, 4) those are given to `update` first.

        Each pair once, its smaller number first, sorted; so all broad phases give the same array.
        """
        ...

    def update(self, aabbs: ArrayLike) -> None:
        """Let the boxes (m, 4) take the place of all there are, as proxies 0 to m - 1.

        Where proxies 0 to m - 1 are just those there are, each box has moved, and what is kept from frame to frame is used;
        else everything is made anew.
        """
        ...

    def insert(self, aabbs: ArrayLike) -> IntArray:
        """Add boxes (m, 4), and return their proxies (m,): the lowest free numbers, in order."""
        ...

    def remove(self, proxies: ArrayLike) -> None:
        """Forget the boxes of some proxies (m,)."""
        ...

    def move(self, proxies: ArrayLike, aabbs: ArrayLike, displacements: ArrayLike | None = None) -> None:
        """Give some proxies (m,) other boxes (m, 4).

        `displacements` (m, 2), metres, say how far each will probably go before the next move. A structure may keep room for that; the
        answers are the same with and without it.
        """
        ...

    def regions(self, aabbs: ArrayLike) -> IntArray:
        """Return which boxes overlap which regions (m, 4): rows (n, 2) of the region's number and the proxy, sorted."""
        ...

    def rays(self, origins: ArrayLike, translations: ArrayLike) -> IntArray:
        """Return which boxes the segments from `origins` (m, 2) by `translations` (m, 2), metres, meet: rows (n, 2) as of `regions`.

        A segment that begins in a box or touches it meets it, and one without length is a point. No box that is met is left out;
        one that is missed by a few roundings of the way to it may be named (see `_ray_kernel`).
        """
        ...

    def sketch(self) -> Sketch:
        """Return what there is to draw of the structure as it is now."""
        ...


def is_empty(value: ArrayLike) -> bool:
    """Tell whether nothing is given, in whatever form; rows of different lengths are something, and the conversion refuses them."""
    try:
        return np.size(value) == 0
    except ValueError:
        return False


def checked_boxes(aabbs: ArrayLike, field: str = "aabbs") -> FloatArray:
    """Return boxes (m, 4) that kernels can take, or raise as `BroadPhase` says."""
    if is_empty(aabbs):
        return np.zeros((0, 4))
    boxes = finite_rows(field, aabbs, 4)
    is_inverted = (boxes[:, 0] > boxes[:, 2]) | (boxes[:, 1] > boxes[:, 3])
    if is_inverted.any():
        row = int(np.argmax(is_inverted))
        raise InvalidInputError(f"{field}[{row}]", "lower <= upper", boxes[row].tolist())
    return boxes if boxes.flags.writeable else boxes.copy()
