"""Thousands of boxes on their way: where they begin, how large they are, and how they move within their own bounds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray

__all__ = ["HALF", "SCENES", "Crowd"]

SCENES = ("uniform", "clustered", "column", "log-normal")
"""Of places: anywhere; in a dozen crowds; all in one narrow column. And of sizes from a logarithmic normal distribution, anywhere."""

HALF = (16.0, 9.0)
"""Meters: half the width and height of the arena."""

_FILLED = 0.2
"""Of the arena's area, what all boxes together cover: the picture is as full with a thousand boxes as with five thousand."""
_LARGEST = 4.0
"""Meters, a box's longest side at most."""
_CLUSTERS, _SPREAD = 12, 1.0
_COLUMN = 1.6
"""Meters: the standard deviation of a crowd, half the width of the column."""


class Crowd:
    """Boxes that move in straight lines and turn round at their bounds.

    Parameters
    ----------
    rng : Generator
    n : int
        How many.
    scene : str
        One of `SCENES`.
    spread : float
        The largest box over the smallest; of "log-normal" of the middle 95 of a hundred.
    share : float
        Of the boxes, how many move.
    speed : float
        m/s, their mean.

    Attributes
    ----------
    boxes : float64 (n, 4)
        As they stand.
    moving : int64 (k,)
        Numbers of the boxes that move.
    """

    def __init__(self, rng: np.random.Generator, n: int, scene: str, spread: float, share: float, speed: float) -> None:
        logs = math.log(spread) * (rng.normal(0.0, 0.25, n) if scene == "log-normal" else rng.uniform(-0.5, 0.5, n))
        aspect = np.exp(rng.uniform(-0.5, 0.5, n))
        sides = np.exp(logs)[:, None] * np.column_stack((aspect, 1.0 / aspect))
        area = 4.0 * HALF[0] * HALF[1] * (_FILLED if scene != "column" else 0.25 * _FILLED)
        sides *= math.sqrt(area / max(float(sides.prod(axis=1).sum()), 1e-12))
        self._half = 0.5 * np.minimum(sides, _LARGEST)
        half = np.array(HALF)
        if scene == "clustered":
            centers = rng.uniform(-half + 2.0, half - 2.0, (_CLUSTERS, 2))
            center = centers[rng.integers(0, _CLUSTERS, n)]
            # each goes to and fro through its crowd's center, as far as it stood from it
            away = np.abs(rng.normal(0.0, _SPREAD, (n, 2)))
            low, high = center - away, center + away
        else:
            reach = np.array((_COLUMN, HALF[1])) if scene == "column" else half
            low, high = np.tile(-reach, (n, 1)), np.tile(reach, (n, 1))
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
        """Which move."""
        flags = np.zeros(len(self), dtype=np.bool_)
        flags[self.moving] = True
        return flags

    def step(self, seconds: float) -> None:
        """Let time pass."""
        moving = self.moving
        low, high = self._low[moving], self._high[moving]
        middle = self._middle[moving] + seconds * self._velocity
        for beyond, bound, sign in ((middle < low, low, 1.0), (middle > high, high, -1.0)):
            self._velocity = np.where(beyond, sign * np.abs(self._velocity), self._velocity)
            middle = np.where(beyond, bound, middle)
        self._middle[moving] = middle
        half = self._half[moving]
        self.boxes[moving] = np.hstack((middle - half, middle + half))
