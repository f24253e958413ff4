"""What every broad phase promises."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, IntArray, finite_rows
from engine.common.errors import InvalidInputError

__all__ = ["BroadPhase", "checked_boxes"]


class BroadPhase(Protocol):
    """Finds the pairs of boxes that overlap: all of them, and nothing else."""

    def pairs(self, aabbs: ArrayLike) -> IntArray:
        """Return the overlapping pairs (n, 2) of boxes (m, 4): lower x, lower y, upper x, upper y; metres.

        Boxes are closed: a touch counts. Each pair once, its smaller index first, sorted; so all broad phases give the same array.

        Raises
        ------
        InvalidInputError
            A number is not finite, the shape is another one, or a box has its lower corner above its upper one.
        """
        ...


def checked_boxes(aabbs: ArrayLike) -> FloatArray:
    """Return boxes (m, 4) that kernels can take, or raise as `BroadPhase.pairs` says."""
    if np.size(aabbs) == 0:
        return np.zeros((0, 4))
    boxes = finite_rows("aabbs", aabbs, 4)
    is_inverted = (boxes[:, 0] > boxes[:, 2]) | (boxes[:, 1] > boxes[:, 3])
    if is_inverted.any():
        row = int(np.argmax(is_inverted))
        raise InvalidInputError(f"aabbs[{row}]", "lower <= upper", boxes[row].tolist())
    return boxes if boxes.flags.writeable else boxes.copy()
