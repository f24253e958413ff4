"""Scenes of bodies spread evenly, about five overlapping boxes each."""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.geometry import Polygon

__all__ = ["spread_boxes"]

OVERLAPS = 5.0
"""Partners of a body, on average, each pair counted once."""

N_SHAPES = 64


def spread_boxes(n: int) -> tuple[list[Polygon], IntArray, FloatArray]:
    """Return shapes, the shape of each of `n` bodies, and their poses (n, 3)."""
    rng = stream(0, "benchmarks", "bodies", n)
    halves = rng.uniform(0.3, 0.6, (N_SHAPES, 2))
    shapes = [Polygon.box(*half) for half in halves.tolist()]
    width = 2.0 * (2.0 / math.pi) * 2.0 * float(halves.mean())  # of the box around a turned box, on average
    side = math.sqrt(n * (2.0 * width) ** 2 / 4.0 / (2.0 * OVERLAPS) * 4.0)
    poses = np.column_stack((rng.uniform(0.0, side, (n, 2)), rng.uniform(-math.pi, math.pi, n)))
    return shapes, rng.integers(0, N_SHAPES, n), poses
