"""The trace of a kernel: a row for each of its steps, in an array of the caller's.

A trace is a float64 (k, TRACE_WIDTH) array. The first number of row 0 counts the recorded steps; each row after it is a step: its kind,
then its numbers, which each chapter lists, NaN where there is none. When the array is full only the count goes on, so that the caller knows
how much room is needed (`engine.trace.rows`).

Kernels take `trace: FloatArray | None`. For None the compiler makes a form without any of this: tracing costs nothing when it
is off (``python main.py bench tracing``).
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError
from engine.common.jit import inlined_kernel, kernel

__all__ = ["TRACE_WIDTH", "checked_trace", "record"]

TRACE_WIDTH = 16
"""Numbers of a row."""


def checked_trace(trace: FloatArray | None) -> FloatArray | None:
    """Return the caller's trace, or None.

    Raises
    ------
    InvalidInputError
        It is not a writable, contiguous float64 (k, TRACE_WIDTH) array with a row 0, which a kernel would write past the end of.
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
    """Record a step, if there is a trace: its kind, and up to TRACE_WIDTH - 1 numbers, all of them floats."""
    if trace is not None:
        _write(trace, kind, numbers)
