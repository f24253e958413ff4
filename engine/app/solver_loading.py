"""Solvers that are chosen while the window is open: their kernels come in the background, so that the window does not stall."""

from __future__ import annotations

from engine.app.warmup import BackgroundLoad
from engine.common import jit
from engine.world import load_solver
from engine.world.solver import DEFAULT

__all__ = ["is_ready"]

_loads: dict[str, BackgroundLoad] = {}
"""Of this process, by the solver's name."""


def is_ready(solver: str) -> bool:
    """Tell whether a solver can drive a world without compiling or loading first, and begin to get it ready where it is not.

    The usual one is the warm-up's (`engine.app.warmup`). Where nothing is compiled all are ready.
    """
    if solver == DEFAULT or not jit.is_compiling():
        return True
    if solver not in _loads:
        statement = f"from engine.world import load_solver; load_solver({solver!r}).prepare()"
        _loads[solver] = BackgroundLoad(statement, lambda: _prepare(solver))
    return _loads[solver].is_done


def _prepare(solver: str) -> None:
    load_solver(solver).prepare()
