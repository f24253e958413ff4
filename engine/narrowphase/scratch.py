"""What the scalar forms hand to the kernels."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.geometry import Transform

__all__ = ["ONE_PAIR", "pose_row"]

ONE_PAIR = np.array([[0, 1]], dtype=np.int64)
"""The pair of two packed shapes."""


def pose_row(xf: Transform) -> FloatArray:
    """Return x, y, cos, sin."""
    return np.array([xf.position[0], xf.position[1], xf.cos, xf.sin])
