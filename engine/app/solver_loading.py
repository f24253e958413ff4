"""Solvers that are chosen while the window is open: their kernels come in the background, so that the window does not stall."""

from __future__ import annotations

import math

from engine.app.compiling import usual_duration
from engine.app.warmup import loading
from engine.common import jit
from engine.world.solver import DEFAULT

__all__ = ["is_ready", "progress"]

_ROUND = 5.0
"""Seconds to which an estimate is rounded up."""
_MAX_SHARE = 0.95
"""Largest share of an estimate that is shown as done: the rest comes when it is done."""


def is_ready(solver: str) -> bool:
    """Return True if a solver can drive a world without compiling or loading first, and begin to get it ready where it is not.

    The usual one is the warm-up's (`engine.app.warmup`). Where nothing is compiled all are ready.
    """
    if solver == DEFAULT or not jit.is_compiling():
        return True
    return loading(f"solver {solver}").is_done


def progress(solver: str) -> tuple[str, float | None]:
    """Return how far a solver is that is being loaded, in words, and the share that is done.

    The estimate is what other algorithms took on this computer in this session; before any has been compiled there is none.
    """
    seconds, usual = loading(f"solver {solver}").seconds, usual_duration()
    if usual is None:
        return f"{seconds:.0f} s so far", None
    if seconds > usual:
        return f"{seconds:.0f} s so far, which is longer than usual", _MAX_SHARE
    return f"about {_ROUND * math.ceil((usual - seconds) / _ROUND):.0f} s left", min(seconds / usual, _MAX_SHARE)
