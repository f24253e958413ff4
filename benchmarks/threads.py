"""The batched questions on two threads against one, of distinct polygons; by the clock, for they save no processor time."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.measuring import Record, record
from benchmarks.pairs import make_pairs
from engine.query import batch

__all__ = ["run"]


def run(quick: bool = False) -> list[Record]:
    """Time each question in turn on one thread and on two."""
    n, rounds = (4_000, 3) if quick else (20_000, 15)
    given = make_pairs("polygons", n, distinct=True)
    shapes, pairs, a, b = batch.ShapeBatch(given.shapes), given.pairs, given.poses_a, given.poses_b
    moved = np.roll(a, 1, axis=0)
    still, ways = np.zeros((n, 2)), np.ascontiguousarray(moved[:, :2] - b[:, :2])
    questions: dict[str, Callable[[int], object]] = {
        "overlap": lambda threads: batch.overlap(shapes, pairs, a, b, threads=threads),
        "manifold": lambda threads: batch.manifold(shapes, pairs, a, b, threads=threads),
        "distance": lambda threads: batch.distance(shapes, pairs, a, b, threads=threads),
        "time of impact": lambda threads: batch.time_of_impact(shapes, pairs, a, a, b, moved, threads=threads),
        "swept": lambda threads: batch.swept_contact(shapes, pairs, a, still, b, ways, 1.0, threads=threads),
    }
    return [_two_against_one(name, ask, n, rounds) for name, ask in questions.items()]


def _two_against_one(name: str, ask: Callable[[int], object], n: int, rounds: int) -> Record:
    taken: dict[int, list[float]] = {1: [], 2: []}
    for turn in range(rounds + 1):
        for threads, seconds in taken.items():
            started = time.perf_counter()
            ask(threads)
            if turn > 0:
                seconds.append(time.perf_counter() - started)
    return record(f"{name}, two threads", "pairs/s", taken[2], taken[1], "one thread", f"{n:,} pairs, by the clock", n)
