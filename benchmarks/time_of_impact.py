"""Batched times of impact against b2TimeOfImpact through pybox2d, of pairs that turn on their way and of pairs that do not.

Ours is asked for Box2D's target. Each pair starts apart or touching as `make_pairs` has it, B thrown toward A's far side, so that most of
those that start apart meet.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.measuring import AGAIN, Record, record, seconds_in_turn
from benchmarks.pairs import Pairs, make_pairs
from engine.box2d.oracle.pairs import PairOracle
from engine.common.arrays import FloatArray
from engine.common.rng import stream
from engine.contracts import Status
from engine.query import batch

__all__ = ["START", "TURN", "make_sweeps", "run"]

START = 3.0
"""How many times farther out B starts than where `make_pairs` puts it: mostly apart, and not so far that nothing is left to find."""

TURN = 1.5
"""Radians that a body turns at most on its way."""


def run(quick: bool = False) -> list[Record]:
    """Time polygons of 3 to 8 corners: few shapes that turn, distinct ones that do, few that do not."""
    return [row for turn, distinct in ((TURN, False), (TURN, True), (0.0, False)) for row in _sweeps(turn, distinct, quick)]


def make_sweeps(cases: Pairs, turn: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the poses (n, 3) of A at both ends, and of B: numbers that float32 holds; both turn by up to `turn` radians."""
    n = len(cases.pairs)
    rng = stream(0, "benchmarks", "time_of_impact")
    start_a, start_b = cases.poses_a.copy(), cases.poses_b.copy()
    start_b[:, :2] = start_a[:, :2] + START * (start_b[:, :2] - start_a[:, :2])
    end_a, end_b = start_a.copy(), start_b.copy()
    end_b[:, :2] = start_a[:, :2] + (start_a[:, :2] - start_b[:, :2])
    turns = rng.uniform(-turn, turn, (2, n))
    end_a[:, 2] += turns[0]
    end_b[:, 2] += turns[1]
    start_a, end_a, start_b, end_b = (poses.astype(np.float32).astype(np.float64) for poses in (start_a, end_a, start_b, end_b))
    return start_a, end_a, start_b, end_b


def _sweeps(turn: float, distinct: bool, quick: bool) -> list[Record]:
    n, rounds = (1_000, 3) if quick else (10_000, 9)
    cases = make_pairs("polygons", n, distinct=distinct)
    oracle = PairOracle(cases.shapes)
    shapes = batch.ShapeBatch(oracle.shapes)
    where = make_sweeps(cases, turn)
    calls: dict[str, Callable[[], float | None]] = {
        which: lambda: batch.time_of_impact(shapes, cases.pairs, *where, target="box2d") and None for which in ("", AGAIN)
    }
    statuses = batch.time_of_impact(shapes, cases.pairs, *where, target="box2d").status
    theirs = oracle.times_of_impact(cases.pairs, *where).status
    times = seconds_in_turn({**calls, "pybox2d": lambda: oracle.times_of_impact(cases.pairs, *where).seconds}, rounds)
    name = f"time of impact, {'rotating' if turn > 0.0 else 'not rotating'}{', distinct' if distinct else ''}"
    note = (
        f"{n:,} pairs of {len(cases.shapes):,} shapes, {(statuses == Status.HIT).mean():.0%} touch, "
        f"{(statuses == theirs).mean():.1%} with Box2D's status"
    )
    return [record(f"{name}, {which}" if which else name, "pairs/s", times[which], times["pybox2d"], "pybox2d", note, n) for which in calls]
