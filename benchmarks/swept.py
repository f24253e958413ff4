"""Batched linear swept SAT against batched rotating times of impact, both ours: what it saves to know that nothing turns.

The same pairs on the same ways, without skins. Rotating times of impact are asked for twice: for the first touch, which is what the linear
sweep finds, and for Box2D's target, which needs fewer steps. The last row moves what a linear sweep reads and writes, and computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks._transfer_kernel import move
from benchmarks.measuring import AGAIN, Record, record, seconds_in_turn
from benchmarks.pairs import make_pairs
from benchmarks.time_of_impact import TURN, make_sweeps
from engine.continuous._swept_kernel import TIMES_SIZE
from engine.contracts import Status
from engine.query import batch

__all__ = ["run"]


def run(quick: bool = False) -> list[Record]:
    """Time polygons of 3 to 8 corners, of few shapes and of distinct ones."""
    return [row for distinct in (False, True) for row in _sweeps(distinct, quick)]


def _sweeps(distinct: bool, quick: bool) -> list[Record]:
    n, rounds = (1_000, 3) if quick else (10_000, 21)
    cases = make_pairs("polygons", n, distinct=distinct)
    shapes = batch.ShapeBatch(cases.shapes)
    start_a, end_a, start_b, end_b = make_sweeps(cases, TURN)
    velocity_a, velocity_b = np.zeros((n, 2)), end_b[:, :2] - start_b[:, :2]

    def sweep(with_contact: bool) -> batch.SweptBatch:
        return batch.swept_contact(shapes, cases.pairs, start_a, velocity_a, start_b, velocity_b, 1.0, with_contact=with_contact)

    def turn(target: str) -> batch.TimeOfImpactBatch:
        return batch.time_of_impact(shapes, cases.pairs, start_a, end_a, start_b, end_b, target=target)

    status, results = np.empty(n, dtype=np.int64), np.empty((n, TIMES_SIZE))

    def only_move() -> None:
        packed = shapes.packed
        move(packed.simd_vertices, packed.records, cases.pairs, start_a, velocity_a, start_b, velocity_b, status, results)

    calls: dict[str, Callable[[], None]] = {
        "times": lambda: sweep(False) and None,
        AGAIN: lambda: sweep(False) and None,
        "contacts": lambda: sweep(True) and None,
        "touch": lambda: turn("touch") and None,
        "box2d": lambda: turn("box2d") and None,
        "moved": only_move,
    }
    times = seconds_in_turn(calls, rounds)
    note = f"{n:,} pairs of {len(cases.shapes):,} shapes, {(sweep(False).status == Status.HIT).mean():.0%} touch"
    which = ", distinct" if distinct else ""
    rotating, to_target = "ours, rotating", "rotating, Box2D's target"
    rows = (
        ("times and normals", "times", "touch", rotating),
        ("times and normals", "times", "box2d", to_target),
        (f"times and normals, {AGAIN}", AGAIN, "touch", rotating),
        ("contact sets", "contacts", "touch", rotating),
        ("data transfer only", "moved", "touch", rotating),
    )
    return [
        record(f"linear sweep{which}, {name}", "pairs/s", times[ours], times[peer], against, note, n) for name, ours, peer, against in rows
    ]
