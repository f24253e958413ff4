"""Times of impact of many pairs of moving and rotating shapes, by three methods; see `engine.query.time_of_impact`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import traced
from engine.common.threads import in_parts
from engine.continuous._impact_kernel import ADVANCEMENT, BILATERAL, BISECTION, times_of_impact
from engine.narrowphase.packing import PackedShapes

__all__ = ["METHODS", "ImpactRows", "Sweeps", "impact_rows"]

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
    threads: int = 1,
) -> ImpactRows:
    """Times of impact of `pairs` (n, 2) of packed shapes that move from poses (n, 3) to poses (n, 3) about local centers (n, 2).

    Inputs checked, contiguous and writable. The pairs are divided among `threads`.
    """
    n = len(pairs)
    rows = ImpactRows(np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.int64))

    def fill(part: slice) -> None:
        of_part = tuple(column[part] for column in sweeps)
        columns = tuple(column[part] for column in rows.arrays)
        traced(times_of_impact)(shapes.arrays, pairs[part], of_part, t_max, method, is_box2d, columns)

    in_parts(n, threads, fill)
    return rows
