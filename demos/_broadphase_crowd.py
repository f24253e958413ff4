"""The moving boxes of `broadphase`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray

__all__ = ["HALF", "SCENES", "Crowd"]

SCENES = ("uniform", "clustered", "column", "log-normal", "cross")
"""Boxes anywhere, in twelve clusters, or in a narrow column; anywhere, with sizes from a log-normal distribution; or half of them flat and
in a column, the others upright and in a row, so that on either axis half of the boxes overlap."""
HALF = (16.0, 9.0)
"""Half the width and height of the arena, meters."""
_FILLED = 0.2
"""Total area of the boxes as a fraction of the arena's, whatever their number."""
_MAX_SIDE = 4.0
"""Largest side of a box, meters."""
_CLUSTERS, _SPREAD = 12, 1.0
"""Number of clusters, and their standard deviation, meters."""
_COLUMN = 1.6
"""Half the width of the column, meters; in the cross, the long side of every box."""


class Crowd:
    """Boxes that move in straight lines and bounce at their bounds.

    Parameters
    ----------
    rng : Generator
    n : int
        Number of boxes.
    scene : str
        One of `SCENES`.
    spread : float
        Ratio of the largest to the smallest size; for "log-normal", of the central 95 %.
    share : float
        Fraction of the boxes that move.
    speed : float
        Mean speed, m/s.

    Attributes
    ----------
    boxes : float64 (n, 4)
        Current bounds.
    moving : int64 (k,)
        Indices of the boxes that move.
    """

    def __init__(self, rng: np.random.Generator, n: int, scene: str, spread: float, share: float, speed: float) -> None:
        logs = math.log(spread) * (rng.normal(0.0, 0.25, n) if scene == "log-normal" else rng.uniform(-0.5, 0.5, n))
        aspect = np.exp(rng.uniform(-0.5, 0.5, n))
        sides = np.exp(logs)[:, None] * np.column_stack((aspect, 1.0 / aspect))
        area = 4.0 * HALF[0] * HALF[1] * (_FILLED if scene != "column" else 0.25 * _FILLED)
        sides *= math.sqrt(area / max(float(sides.prod(axis=1).sum()), 1e-12))
        half = np.array(HALF)
        reach: FloatArray = np.array((_COLUMN, HALF[1])) if scene == "column" else half
        if scene == "cross":
            is_flat = (np.arange(n) % 2 == 0)[:, None]
            # together the boxes of the column are as thick as it is long
            thickness = (4.0 * HALF[1] / np.exp(logs).sum() * np.exp(logs))[:, None]
            sides = np.where(is_flat == np.array((True, False)), _COLUMN, thickness)
            reach = np.where(is_flat == np.array((True, False)), 0.5 * _COLUMN, half)
        self._half = 0.5 * np.minimum(sides, _MAX_SIDE)
        if scene == "clustered":
            centers = rng.uniform(-half + 2.0, half - 2.0, (_CLUSTERS, 2))
            center = centers[rng.integers(0, _CLUSTERS, n)]
            # each moves back and forth through its cluster's center, as far as it was from it
            away = np.abs(rng.normal(0.0, _SPREAD, (n, 2)))
            low, high = center - away, center + away
        else:
            low, high = np.broadcast_to(-reach, (n, 2)), np.broadcast_to(reach, (n, 2))
        self._low = np.minimum(np.maximum(low, -half + self._half), half - self._half)
        self._high = np.maximum(np.minimum(high, half - self._half), self._low)
        self._middle = rng.uniform(self._low, self._high)
        direction = rng.uniform(-math.pi, math.pi, n)
        velocity = speed * rng.uniform(0.5, 1.5, n)[:, None] * np.column_stack((np.cos(direction), np.sin(direction)))
        self.moving = np.sort(rng.permutation(n)[: round(share * n)]).astype(np.int64)
        self._velocity = velocity[self.moving]
        self.boxes: FloatArray = np.hstack((self._middle - self._half, self._middle + self._half))

    def __len__(self) -> int:
        return len(self.boxes)

    @property
    def is_moving(self) -> NDArray[np.bool_]:
        """True for each box that moves."""
        flags = np.zeros(len(self), dtype=np.bool_)
        flags[self.moving] = True
        return flags

    def step(self, seconds: float) -> None:
        """Move the boxes."""
        moving = self.moving
        low, high = self._low[moving], self._high[moving]
        middle = self._middle[moving] + seconds * self._velocity
        for beyond, bound, sign in ((middle < low, low, 1.0), (middle > high, high, -1.0)):
            self._velocity = np.where(beyond, sign * np.abs(self._velocity), self._velocity)
            middle = np.where(beyond, bound, middle)
        self._middle[moving] = middle
        half = self._half[moving]
        self.boxes[moving] = np.hstack((middle - half, middle + half))
