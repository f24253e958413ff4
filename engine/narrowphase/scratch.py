"""What the questions about one pair hand to the kernels: cores, poses, and traces."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import integer
from engine.common.errors import Described, InvalidInputError
from engine.geometry import AnyShape, Transform, check_shape
from engine.narrowphase._step_kernel import MANIFOLD_TRACE_WIDTH
from engine.narrowphase.packing import N_CACHED, cached_pack

__all__ = ["ONE_PAIR", "core_of", "new_trace", "pose_row", "steps_to_world", "trace_rows"]

ONE_PAIR = np.array([[0, 1]], dtype=np.int64)
"""The pair of two packed shapes."""


def core_of(shape: AnyShape) -> tuple[FloatArray, float, float]:
    """Return the core's vertices (n, 2), the radius and the extent, the very numbers that `pack` gives; not to be written to.

    Raises
    ------
    InvalidInputError
        `shape` is none.
    """
    check_shape("shape", shape)  # before it is asked for its hash
    return _parts(shape)


@lru_cache(maxsize=N_CACHED)
def _parts(shape: AnyShape) -> tuple[FloatArray, float, float]:
    packed = cached_pack(shape)
    return packed.vertices, float(packed.radius[0]), float(packed.extent[0])


def pose_row(xf: Transform) -> FloatArray:
    """Return x, y, cos, sin."""
    return np.array([xf.position[0], xf.position[1], xf.cos, xf.sin])


def new_trace(steps: int) -> FloatArray:
    """Return room for the trace of so many steps of a manifold or of a separating axis test; rows that stay NaN were not needed.

    Columns and kinds: `_step_kernel`. Two shapes of n and m corners take at most n + m + 12 steps.
    """
    return np.full((integer("steps", steps, low=0), MANIFOLD_TRACE_WIDTH), np.nan)


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


def steps_to_world(trace: FloatArray, xf: Transform) -> None:
    """Turn the coordinates of all steps of `_step_kernel` from the frame `xf` to the world's."""
    (x, y), cos, sin = xf.position, xf.cos, xf.sin
    for column in (4, 6):
        local_x, local_y = trace[:, column].copy(), trace[:, column + 1].copy()
        trace[:, column] = cos * local_x - sin * local_y + x
        trace[:, column + 1] = sin * local_x + cos * local_y + y
