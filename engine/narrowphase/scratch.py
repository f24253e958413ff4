"""What the scalar forms hand to the kernels."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError
from engine.geometry import Transform

__all__ = ["ONE_PAIR", "pose_row", "trace_rows"]

ONE_PAIR = np.array([[0, 1]], dtype=np.int64)
"""The pair of two packed shapes."""


def trace_rows(trace: FloatArray | None, width: int) -> FloatArray:
    """Return the caller's trace, or one without rows.

    Raises
    ------
    InvalidInputError
        It is not a writable, contiguous float64 (k, width) array, which a kernel would write past the end of.
    """
    if trace is None:
        return np.empty((0, width))
    is_array = isinstance(trace, np.ndarray) and trace.dtype == np.float64 and trace.ndim == 2 and trace.shape[1] == width
    if not (is_array and trace.flags.c_contiguous and trace.flags.writeable):
        raise InvalidInputError(
            "trace", f"a writable, contiguous float64 (k, {width}) array", Described(getattr(trace, "shape", type(trace)))
        )
    return trace


def pose_row(xf: Transform) -> FloatArray:
    """Return x, y, cos, sin."""
    return np.array([xf.position[0], xf.position[1], xf.cos, xf.sin])
