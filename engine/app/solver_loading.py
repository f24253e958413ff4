"""Loads the kernels of a solver chosen in the window in the background, so that the window does not stall."""

from __future__ import annotations

import math

from engine.app.compiling import usual_duration
from engine.app.warmup import loading
from engine.common import jit
from engine.world.solver import DEFAULT

__all__ = ["is_ready", "progress"]

_ROUND = 5.0
"""Estimates are rounded up to multiples of this, seconds."""
_MAX_SHARE = 0.95
"""Maximum progress shown before loading has finished, as a share of the estimate."""


def is_ready(solver: str) -> bool:
    """Return True if a solver is loaded; otherwise start loading it.

    The warm-up (`engine.app.warmup`) loads the default solver. Without compilation, all solvers are ready.
    """
    if solver == DEFAULT or not jit.is_compiling():
        return True
    return loading(f"solver {solver}").is_done


def progress(solver: str) -> tuple[str, float | None]:
    """Return the progress of loading a solver, in words and as a share.

    The estimate is the time that other algorithms took on this computer in this session; at first, there is no estimate.
    """
    seconds, usual = loading(f"solver {solver}").seconds, usual_duration()
    if usual is None:
        return f"{seconds:.0f} s so far", None
    if seconds > usual:
        return f"{seconds:.0f} s so far, which is longer than usual", _MAX_SHARE
    return f"about {_ROUND * math.ceil((usual - seconds) / _ROUND):.0f} s left", min(seconds / usual, _MAX_SHARE)
