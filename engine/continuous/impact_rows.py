"""Times of impact of packed shapes: allocation, and the choice between lanes and one by one. Inputs checked, and writable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import choice
from engine.common.jit import has_wide_registers
from engine.common.memory import room
from engine.continuous._impact_kernel import ADVANCEMENT, times_of_impact
from engine.continuous._impact_lanes_kernel import times_of_impact_lanes
from engine.contracts import Status, TimeOfImpact
from engine.geometry import AnyShape, Sweep
from engine.narrowphase.packing import PackedShapes, remembered
from engine.narrowphase.scratch import ONE_PAIR

__all__ = ["LANES_FROM", "ImpactRows", "Target", "impact_of_pair", "impact_rows", "is_box2d_target"]

Target = Literal["touch", "box2d"]

LANES_FROM = 48
"""Pairs from which on lanes are tried, as for the other questions; see `engine.narrowphase.batched`."""

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
    """Times of impact of `pairs` (n, 2) that move from poses (n, 3) to poses (n, 3) about local centres (n, 2).

    Many go in lanes by conservative advancement, with the same answers to the bit.
    """
    n = len(pairs)
    rows = _empty_rows(n)
    if way != ADVANCEMENT or len(trace) > 0 or n < LANES_FROM or not has_wide_registers():
        _fill_one_by_one(
            shapes, pairs, start_a, end_a, center_a, start_b, end_b, center_b, t_max, way, is_box2d, rows, trace
        )  # fmt: skip
        return rows
    rest = times_of_impact_lanes(
        shapes.kind, shapes.first, shapes.n_vertices, shapes.vertices, shapes.normals, shapes.radius, shapes.extent, pairs,
        start_a, end_a, center_a, start_b, end_b, center_b, t_max, is_box2d, rows.status, rows.fraction, rows.iterations,
    )  # fmt: skip
    if len(rest) > 0:
        others = _empty_rows(len(rest))
        _fill_one_by_one(
            shapes, pairs[rest], start_a[rest], end_a[rest], center_a[rest], start_b[rest], end_b[rest], center_b[rest],
            t_max, way, is_box2d, others, trace,
        )  # fmt: skip
        for name in ImpactRows.__slots__:
            getattr(rows, name)[rest] = getattr(others, name)
    return rows


def _empty_rows(n: int) -> ImpactRows:
    """Make room for `n` rows, all columns in one piece of memory; a kernel fills every number."""
    piece = room(3 * n)
    whole = piece.view(np.int64)
    return ImpactRows(whole[:n], piece[n : 2 * n], whole[2 * n :])


def _fill_one_by_one(
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
    rows: ImpactRows,
    trace: FloatArray,
) -> None:
    times_of_impact(
        shapes.first, shapes.n_vertices, shapes.vertices, shapes.normals, shapes.radius, shapes.extent, pairs,
        start_a, end_a, center_a, start_b, end_b, center_b, t_max, way, is_box2d, rows.status, rows.fraction, rows.iterations, trace,
    )  # fmt: skip


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
