"""Times of impact of packed shapes: allocation and nothing else. Inputs must have been checked, and be writable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import choice
from engine.continuous._impact_kernel import times_of_impact
from engine.contracts import Status, TimeOfImpact
from engine.geometry import AnyShape, Sweep
from engine.narrowphase.packing import PackedShapes, remembered
from engine.narrowphase.scratch import ONE_PAIR

__all__ = ["ImpactRows", "Target", "impact_of_pair", "impact_rows", "is_box2d_target"]

Target = Literal["touch", "box2d"]

_NO_TRACE = np.empty((0, 2))


@dataclass(frozen=True, slots=True)
class ImpactRows:
    """Columns, a row for each pair."""

    status: IntArray
    fraction: FloatArray
    iterations: IntArray


def is_box2d_target(target: object) -> bool:
    """Tell which of the two targets a word names; another one is refused."""
    return choice("target", target, ("touch", "box2d")) == "box2d"


def impact_rows(
    shapes: PackedShapes,
    pairs: IntArray,
    start_a: FloatArray,
    end_a: FloatArray,
    center_a: FloatArray,
    start_b: FloatArray,
    end_b: FloatArray,
    center_b: FloatArray,
    t_max: float,
    way: int,
    is_box2d: bool,
    trace: FloatArray = _NO_TRACE,
) -> ImpactRows:
    """Times of impact of `pairs` (n, 2) that move from poses (n, 3) to poses (n, 3) about local centres (n, 2)."""
    n = len(pairs)
    rows = ImpactRows(np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros(n, dtype=np.int64))
    times_of_impact(
        shapes.first, shapes.n_vertices, shapes.vertices, shapes.normals, shapes.radius, shapes.extent, pairs,
        start_a, end_a, center_a, start_b, end_b, center_b, t_max, way, is_box2d, rows.status, rows.fraction, rows.iterations, trace,
    )  # fmt: skip
    return rows


def impact_of_pair(
    way: int,
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
    start_a, end_a, center_a = _sweep_rows(sweep_a)
    start_b, end_b, center_b = _sweep_rows(sweep_b)
    rows = impact_rows(
        remembered(a, b), ONE_PAIR, start_a, end_a, center_a, start_b, end_b, center_b, float(t_max), way, is_box2d, trace
    )  # fmt: skip
    return TimeOfImpact(Status(int(rows.status[0])), float(rows.fraction[0]), int(rows.iterations[0]))


def _sweep_rows(sweep: Sweep) -> tuple[FloatArray, FloatArray, FloatArray]:
    start, end = sweep.start, sweep.end
    return np.array([(*start.position, start.angle)]), np.array([(*end.position, end.angle)]), np.array([sweep.local_center])
