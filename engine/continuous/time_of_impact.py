"""Time of impact of two moving and rotating shapes, by three methods; each proves the intervals that it skips, and they check each other.

`query.time_of_impact` takes conservative advancement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.common._record_kernel import checked_trace
from engine.common.arrays import FloatArray, IntArray, finite_rows, index_pairs
from engine.common.checks import choice
from engine.common.errors import InvalidInputError
from engine.common.jit import has_wide_registers
from engine.common.threads import in_parts
from engine.continuous._impact_kernel import ADVANCEMENT, BILATERAL, BISECTION, times_of_impact
from engine.continuous._impact_simd_kernel import times_of_impact_simd
from engine.contracts import Status, TimeOfImpact
from engine.geometry import AnyShape, Sweep
from engine.narrowphase.packing import SIMD_FROM, PackedShapes, cached_pack
from engine.narrowphase.scratch import ONE_PAIR

__all__ = [
    "ImpactRows",
    "Sweeps",
    "Target",
    "advancement_rows",
    "bilateral_advancement",
    "bisection",
    "conservative_advancement",
    "impact_rows",
]

Target = Literal["touch", "box2d"]

Sweeps = tuple[FloatArray, ...]
"""Start, end and center of A, then of B."""


def conservative_advancement(
    a: AnyShape, sweep_a: Sweep, b: AnyShape, sweep_b: Sweep, t_max: float = 1.0, target: Target = "touch", trace: FloatArray | None = None
) -> TimeOfImpact:
    """Find when two moving and rotating shapes first touch, by advancing in steps in which they cannot touch.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, meters; radii and skins count as part of the shape.
    sweep_a, sweep_b : Sweep
        Motions over the same step; turns of any size.
    t_max : float
        In [0, 1]: how much of the sweeps to look at.
    target : "touch" or "box2d"
        What counts as the impact; see `engine.continuous._impact_kernel`.
    trace : float64 (k, TRACE_WIDTH), optional
        Receives the steps; see `engine.common._record_kernel`; the answer is the same to the bit.

    Returns
    -------
    TimeOfImpact
        HIT: at `fraction` the shapes are within the tolerance of touching, and before it they do not touch: it is never after the first
        touch, and a pass nearer than the tolerance (1e-9 of the extents) is a hit. MISS: they do not touch; `fraction` is `t_max`.
        OVERLAPPING: at 0 already. OUT_OF_ITERATIONS: `fraction` is a lower bound of the first touch, which may be none.

    References
    ----------
    See `engine.continuous._advancement_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> still = Sweep(Transform(), Transform())
    >>> found = conservative_advancement(Circle(1.0), still, Circle(1.0), Sweep(Transform((6.0, 0.0)), Transform((-2.0, 0.0))))
    >>> found.status.name, round(found.fraction, 6)
    ('HIT', 0.5)
    """
    return _of_pair(ADVANCEMENT, a, sweep_a, b, sweep_b, t_max, target, trace)


def bisection(
    a: AnyShape, sweep_a: Sweep, b: AnyShape, sweep_b: Sweep, t_max: float = 1.0, target: Target = "touch", trace: FloatArray | None = None
) -> TimeOfImpact:
    """Find the same by bisecting the interval: simpler and slower than the advancement, and used to check it.

    Parameters and results are those of `conservative_advancement`. See `engine.continuous._bisection_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> still = Sweep(Transform(), Transform())
    >>> found = bisection(Circle(1.0), still, Circle(1.0), Sweep(Transform((6.0, 0.0)), Transform((-2.0, 0.0))))
    >>> found.status.name, round(found.fraction, 6)
    ('HIT', 0.5)
    """
    return _of_pair(BISECTION, a, sweep_a, b, sweep_b, t_max, target, trace)


def bilateral_advancement(
    a: AnyShape, sweep_a: Sweep, b: AnyShape, sweep_b: Sweep, t_max: float = 1.0, target: Target = "touch", trace: FloatArray | None = None
) -> TimeOfImpact:
    """Find the same by keeping one separating axis as long as it separates them, like Box2D, but without missing a touch.

    Parameters and results are those of `conservative_advancement`. See `engine.continuous._bilateral_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> still = Sweep(Transform(), Transform())
    >>> found = bilateral_advancement(Circle(1.0), still, Circle(1.0), Sweep(Transform((6.0, 0.0)), Transform((-2.0, 0.0))))
    >>> found.status.name, round(found.fraction, 6)
    ('HIT', 0.5)
    """
    return _of_pair(BILATERAL, a, sweep_a, b, sweep_b, t_max, target, trace)


def _of_pair(
    method: int,
    a: AnyShape,
    sweep_a: Sweep,
    b: AnyShape,
    sweep_b: Sweep,
    t_max: float,
    target: Target,
    trace: FloatArray | None,
) -> TimeOfImpact:
    is_box2d = choice("target", target, ("touch", "box2d")) == "box2d"
    sweeps = (*_sweep_rows(sweep_a), *_sweep_rows(sweep_b))
    rows = impact_rows(cached_pack(a, b), ONE_PAIR, sweeps, float(t_max), method, is_box2d, checked_trace(trace))
    return TimeOfImpact(Status(int(rows.status[0])), float(rows.fraction[0]), int(rows.iterations[0]))


def _sweep_rows(sweep: Sweep) -> tuple[FloatArray, FloatArray, FloatArray]:
    start, end = sweep.start, sweep.end
    return np.array([(*start.position, start.angle)]), np.array([(*end.position, end.angle)]), np.array([sweep.local_center])


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
        An index out of range, or a number that is not finite.
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
    except InvalidInputError:  # of a part, in which its rows were counted
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
