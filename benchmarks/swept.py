"""Batched linear swept SAT against batched rotating times of impact, both ours: what it saves to know that nothing turns.

The same pairs on the same ways, without skins. Rotating times of impact are asked for twice: for the first touch, which is what the linear
sweep finds, and for Box2D's target, which needs fewer steps.
"""

from __future__ import annotations

import numpy as np

from benchmarks.measuring import Record, record, seconds_in_turn
from benchmarks.pairs import make_pairs
from benchmarks.time_of_impact import TURN, make_sweeps
from engine.contracts import Status
from engine.query import batch

__all__ = ["run"]


def run(quick: bool = False) -> list[Record]:
    """Time polygons of 3 to 8 corners."""
    n, rounds = (1_000, 3) if quick else (10_000, 21)
    given = make_pairs("polygons", n)
    shapes = batch.ShapeBatch(given.shapes)
    start_a, end_a, start_b, end_b = make_sweeps(given, TURN)
    velocity_a, velocity_b = np.zeros((n, 2)), end_b[:, :2] - start_b[:, :2]

    def sweep(with_contact: bool) -> batch.SweptBatch:
        return batch.swept_contact(shapes, given.pairs, start_a, velocity_a, start_b, velocity_b, 1.0, with_contact=with_contact)

    def turn(target: str) -> batch.TimeOfImpactBatch:
        return batch.time_of_impact(shapes, given.pairs, start_a, end_a, start_b, end_b, target=target)

    calls = {
        "times": lambda: sweep(False) and None,
        "contacts": lambda: sweep(True) and None,
        "touch": lambda: turn("touch") and None,
        "box2d": lambda: turn("box2d") and None,
    }
    taken = seconds_in_turn(calls, rounds)
    meet = (sweep(False).status == Status.HIT).mean()
    note = f"{n:,} pairs, {meet:.0%} meet"
    return [
        record("linear sweep, times and normals", "pairs/s", taken["times"], taken["touch"], "ours, rotating", note, n),
        record("the same", "pairs/s", taken["times"], taken["box2d"], "rotating, Box2D's target", note, n),
        record("linear sweep with contact sets", "pairs/s", taken["contacts"], taken["touch"], "ours, rotating", note, n),
    ]
