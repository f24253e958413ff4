"""Times of impact of many pairs of moving and rotating shapes, by three methods; see `engine.query.time_of_impact`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows, index_pairs
from engine.common.errors import InvalidInputError
from engine.common.jit import has_wide_registers
from engine.common.threads import in_parts
from engine.continuous._impact_kernel import ADVANCEMENT, BILATERAL, BISECTION, times_of_impact
from engine.continuous._impact_simd_kernel import times_of_impact_simd
from engine.narrowphase.packing import SIMD_FROM, PackedShapes

__all__ = [
    "METHODS",
    "ImpactRows",
    "Sweeps",
    "advancement_rows",
    "impact_rows",
]

METHODS = {"advancement": ADVANCEMENT, "bisection": BISECTION, "bilateral": BILATERAL}
"""Methods by name."""

Sweeps = tuple[FloatArray, ...]
"""Start, end and center of A, then of B."""


@dataclass(frozen=True, slots=True)
class ImpactRows:
    """Result columns, one row per pair."""

    status: IntArray
    fraction: FloatArray
    iterations: IntArray

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All columns, as arguments of a kernel."""
        return self.status, self.fraction, self.iterations


def impact_rows(
    shapes: PackedShapes,
    pairs: IntArray,
    sweeps: Sweeps,
    t_max: float,
    method: int,
    is_box2d: bool,
    trace: FloatArray | None = None,
    threads: int = 1,
) -> ImpactRows:
    """Times of impact of `pairs` (n, 2) of packed shapes that move from poses (n, 3) to poses (n, 3) about local centers.

    Centers are (n, 2), or (1, 2) for all. Arrays are contiguous and writable. Indices and numbers need not be checked before: the kernels
    do so. Conservative advancement processes many pairs in SIMD lanes, with bit-identical results; the pairs are then divided among
    `threads`.

    Raises
    ------
    InvalidInputError
        An index is out of range, or a number is not finite.
    """
    n = len(pairs)
    rows = _empty_rows(n)
    if method != ADVANCEMENT or trace is not None or n < SIMD_FROM or not has_wide_registers():
        _refuse_wrong(shapes, pairs, sweeps)
        times_of_impact(shapes.arrays, pairs, _with_centers(sweeps, n), t_max, method, is_box2d, rows.arrays, trace)
        return rows

    def fill(part: slice) -> None:
        some = tuple(column[part] if len(column) == n else column for column in sweeps)
        _fill(shapes, pairs[part], some, t_max, is_box2d, ImpactRows(*(column[part] for column in rows.arrays)))

    try:
        in_parts(n, threads, fill)
    except InvalidInputError:  # a row of a part, whose rows are numbered separately
        _refuse_wrong(shapes, pairs, sweeps)
        raise
    return rows


def _fill(shapes: PackedShapes, pairs: IntArray, sweeps: Sweeps, t_max: float, is_box2d: bool, rows: ImpactRows) -> None:
    n = len(pairs)
    rest = np.empty(n + 1).view(np.int64)
    n_rest = times_of_impact_simd(shapes.arrays, shapes.records, pairs, sweeps, t_max, is_box2d, rows.arrays, rest)
    if n_rest != 0:
        _refuse_wrong(shapes, pairs, sweeps)
        rest = rest[:n_rest]
        others, some = _empty_rows(n_rest), tuple(column[rest] for column in _with_centers(sweeps, n))
        times_of_impact(shapes.arrays, pairs[rest], some, t_max, ADVANCEMENT, is_box2d, others.arrays, None)
        for column, other in zip(rows.arrays, others.arrays, strict=True):
            column[rest] = other


def advancement_rows(shapes: PackedShapes, pairs: IntArray, sweeps: Sweeps, t_max: float, is_box2d: bool, threads: int = 1) -> ImpactRows:
    """Return the same by conservative advancement."""
    return impact_rows(shapes, pairs, sweeps, t_max, ADVANCEMENT, is_box2d, threads=threads)


def _with_centers(sweeps: Sweeps, n: int) -> Sweeps:
    """Return the same, with one center per row."""
    return tuple(column if len(column) == n else np.repeat(column, n, axis=0) for column in sweeps)


def _refuse_wrong(shapes: PackedShapes, pairs: IntArray, sweeps: Sweeps) -> None:
    index_pairs("pairs", pairs, len(shapes))
    for field, column in zip(("start_a", "end_a", "center_a", "start_b", "end_b", "center_b"), sweeps, strict=True):
        finite_rows(field, column, column.shape[1])


def _empty_rows(n: int) -> ImpactRows:
    """Allocate `n` rows, with all columns in one block of memory; a kernel fills every number."""
    piece = np.empty(3 * n)
    integers = piece.view(np.int64)
    return ImpactRows(integers[:n], piece[n : 2 * n], integers[2 * n :])
