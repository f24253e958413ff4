"""Trace of a kernel: one row per step of the algorithm, in an array that the caller provides.

A trace is a float64 (k, TRACE_WIDTH) array. Its first element counts the recorded steps. Each row after row 0 is one step: its kind, then
its values, which each algorithm's kernel lists, and NaN for the rest. When the array is full, the count still increases, so that the caller
knows the size needed (`engine.trace.rows`).

Kernels take `trace: FloatArray | None`. For None the compiler generates a version without tracing code, so that disabled tracing costs
nothing (``python main.py bench tracing``).
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError
from engine.common.jit import inlined_kernel, kernel

__all__ = ["TRACE_WIDTH", "checked_trace", "record"]

TRACE_WIDTH = 16
"""Number of columns of a trace."""


def checked_trace(trace: FloatArray | None) -> FloatArray | None:
    """Return the caller's trace, or None.

    Raises
    ------
    InvalidInputError
        It is not a writable, contiguous float64 (k, TRACE_WIDTH) array with a row 0: a kernel would write out of bounds.
    """
    if trace is None:
        return None
    is_array = isinstance(trace, np.ndarray) and trace.dtype == np.float64 and trace.ndim == 2 and trace.shape[1:] == (TRACE_WIDTH,)
    if not (is_array and len(trace) > 0 and trace.flags.c_contiguous and trace.flags.writeable and trace[0, 0] >= 0.0):
        raise InvalidInputError(
            "trace", f"a writable, contiguous float64 (k, {TRACE_WIDTH}) array that begins with 0",
            Described(getattr(trace, "shape", type(trace))),
        )  # fmt: skip
    return trace


@kernel
def _write(trace: FloatArray, kind: float, numbers: tuple[float, ...]) -> None:
    at = int(trace[0, 0]) + 1
    trace[0, 0] = at
    if at < trace.shape[0]:
        trace[at, 0] = kind
        for k in range(len(numbers)):
            trace[at, 1 + k] = numbers[k]
        for k in range(1 + len(numbers), TRACE_WIDTH):
            trace[at, k] = np.nan


@inlined_kernel
def record(trace: FloatArray | None, kind: float, numbers: tuple[float, ...]) -> None:
    """Record a step unless `trace` is None: its kind, and up to TRACE_WIDTH - 1 values, all floats."""
    if trace is not None:
        _write(trace, kind, numbers)
