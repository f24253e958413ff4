"""Room for what a kernel tells; see `engine.common._record_kernel`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from engine.common._record_kernel import TRACE_WIDTH
from engine.common.arrays import FloatArray

__all__ = ["told"]

_FIRST_ROOM = 256

_Answer = TypeVar("_Answer")


def told(ask: Callable[[FloatArray], _Answer]) -> tuple[_Answer, list[list[float]]]:
    """Call `ask` with room for its steps, again with more where they do not fit, and return its answer and the rows that it told.

    The kernels are pure: asked again they do the same.
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
