"""Buffers for the rows that a kernel records; see `engine.common._record_kernel`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from engine.common._record_kernel import TRACE_WIDTH
from engine.common.arrays import FloatArray

__all__ = ["record_rows"]

_FIRST_ROOM = 256

_Answer = TypeVar("_Answer")


def record_rows(ask: Callable[[FloatArray], _Answer]) -> tuple[_Answer, list[list[float]]]:
    """Call `ask` with a buffer for its rows, again with a larger one if they do not fit; return its answer and the rows.

    The kernels are pure: called again they do the same.
    """
    room = _FIRST_ROOM
    while True:
        trace = np.full((room + 1, TRACE_WIDTH), np.nan)
        trace[0, 0] = 0.0
        answer = ask(trace)
        n = int(trace[0, 0])
        if n <= room:
            return answer, trace[1 : n + 1].tolist()
        room = n
