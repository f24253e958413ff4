"""Selects a subset of the pairs of boxes if there are too many; see `_crowd_kernel`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.dynamics._crowd_kernel import CROWD, crowding, pairs_of_crowd

__all__ = ["crowd_pairs", "is_crowd_possible"]


def is_crowd_possible(n: int) -> bool:
    """Return True if `n` boxes can have so many pairs that not all are kept."""
    return n * (n - 1) // 2 > CROWD


def crowd_pairs(boxes: FloatArray, body: IntArray, is_driven: NDArray[np.bool_]) -> IntArray | None:
    """Return some of the overlapping pairs (m, 2) of boxes, ascending, or None if there are few enough to keep all.

    The selection depends on the arguments alone, so a world restored from a snapshot has the same pairs.

    Parameters
    ----------
    boxes : float64 (n, 4)
    body : int64 (n,)
        Row of the body of each box: two boxes of one body are not a pair.
    is_driven : bool (n_bodies,)
        Bodies that contacts can move.
    """
    if not is_crowd_possible(len(boxes)) or crowding(boxes) <= CROWD:
        return None
    pairs = pairs_of_crowd(boxes, np.argsort(boxes[:, 0], kind="stable"), body, is_driven[body])
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
