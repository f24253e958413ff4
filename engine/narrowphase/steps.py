"""The trace of a separating axis test and of a manifold: room for it, and its coordinates in the world."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import integer
from engine.geometry import Transform
from engine.narrowphase._step_kernel import CLIPPED, INCIDENT, MANIFOLD_TRACE_WIDTH, POINT, REFERENCE, TRIED

__all__ = ["CLIPPED", "INCIDENT", "POINT", "REFERENCE", "TRIED", "new_trace", "steps_to_world"]


def new_trace(steps: int) -> FloatArray:
    """Return room for the trace of so many steps; rows that stay NaN were not needed. Columns and kinds: `_step_kernel`.

    Two shapes of n and m corners take at most n + m + 12 steps.
    """
    return np.full((integer("steps", steps, low=0), MANIFOLD_TRACE_WIDTH), np.nan)


def steps_to_world(trace: FloatArray, xf: Transform) -> None:
    """Turn the coordinates of all steps from the frame `xf` to the world's."""
    (x, y), cos, sin = xf.position, xf.cos, xf.sin
    for column in (4, 6):
        local_x, local_y = trace[:, column].copy(), trace[:, column + 1].copy()
        trace[:, column] = cos * local_x - sin * local_y + x
        trace[:, column + 1] = sin * local_x + cos * local_y + y
