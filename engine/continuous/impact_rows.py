"""Times of impact of packed shapes: allocation, and the choice between side by side and one by one. Inputs checked, and writable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import choice
from engine.common.jit import has_wide_registers
from engine.common.memory import room
from engine.continuous._impact_kernel import ADVANCEMENT, times_of_impact
from engine.continuous._impact_simd_kernel import times_of_impact_simd
from engine.contracts import Status, TimeOfImpact
from engine.geometry import AnyShape, Sweep
from engine.narrowphase.packing import SIMD_FROM, PackedShapes, remembered
from engine.narrowphase.scratch import ONE_PAIR

__all__ = ["ImpactRows", "Sweeps", "Target", "impact_of_pair", "impact_rows", "is_box2d_target"]

Target = Literal["touch", "box2d"]

Sweeps = tuple[FloatArray, ...]
"""Start, end and centre of A, then of B."""

_NO_TRACE = np.empty((0, 2))


@dataclass(frozen=True, slots=True)
class ImpactRows:
    """Columns, a row for each pair."""

    status: IntArray
    fraction: FloatArray
    iterations: IntArray

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All columns, for a kernel."""
        return self.status, self.fraction, self.iterations


def is_box2d_target(target: object) -> bool:
    """Tell which of the two targets a word names; another one is refused."""
    return choice("target", target, ("touch", "box2d")) == "box2d"


def impact_rows(
    shapes: PackedShapes, pairs: IntArray, sweeps: Sweeps, t_max: float, method: int, is_box2d: bool, trace: FloatArray = _NO_TRACE
) -> ImpactRows:
    """Times of impact of `pairs` (n, 2) that move from poses (n, 3) to poses (n, 3) about local centres (n, 2): A's, then B's.

    Many go side by side by conservative advancement, with the same answers to the bit.
    """
    n = len(pairs)
    rows = _empty_rows(n)
    if method != ADVANCEMENT or len(trace) > 0 or n < SIMD_FROM or not has_wide_registers():
        times_of_impact(shapes.arrays, pairs, sweeps, t_max, method, is_box2d, rows.arrays, trace)
        return rows
    rest = times_of_impact_simd(shapes.arrays, pairs, sweeps, t_max, is_box2d, rows.arrays)
    if len(rest) > 0:
        others, some = _empty_rows(len(rest)), tuple(column[rest] for column in sweeps)
        times_of_impact(shapes.arrays, pairs[rest], some, t_max, method, is_box2d, others.arrays, trace)
        for column, other in zip(rows.arrays, others.arrays, strict=True):
            column[rest] = other
    return rows


def _empty_rows(n: int) -> ImpactRows:
    """Make room for `n` rows, all columns in one piece of memory; a kernel fills every number."""
    piece = room(3 * n)
    whole = piece.view(np.int64)
    return ImpactRows(whole[:n], piece[n : 2 * n], whole[2 * n :])


def impact_of_pair(
    method: int,
    a: AnyShape,
    sweep_a: Sweep,
    b: AnyShape,
    sweep_b: Sweep,
    t_max: float,
    target: Target,
    trace: FloatArray | None,
) -> TimeOfImpact:
    """Ask for one pair; a `trace` is filled with NaN first, so that its end shows."""
    is_box2d = is_box2d_target(target)
    if trace is None:
        trace = _NO_TRACE
    trace[:] = np.nan
    sweeps = (*_sweep_rows(sweep_a), *_sweep_rows(sweep_b))
    rows = impact_rows(remembered(a, b), ONE_PAIR, sweeps, float(t_max), method, is_box2d, trace)
    return TimeOfImpact(Status(int(rows.status[0])), float(rows.fraction[0]), int(rows.iterations[0]))


def _sweep_rows(sweep: Sweep) -> tuple[FloatArray, FloatArray, FloatArray]:
    start, end = sweep.start, sweep.end
    return np.array([(*start.position, start.angle)]), np.array([(*end.position, end.angle)]), np.array([sweep.local_center])
