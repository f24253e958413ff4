"""The batched questions on two threads against one, of distinct polygons; by the clock, for they save no processor time.

Each is asked twice in turn and the second answer timed, as whoever asks frame by frame finds it: each core then has its part of the data.
Of all rounds the faster half counts: the clock also counts what other programs take of the second core, and only two threads lose by it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import SimpleQueue

import numpy as np

from benchmarks.measuring import Record, record
from benchmarks.pairs import make_pairs
from engine.common.threads import MIN_ROWS, in_parts
from engine.query import batch

__all__ = ["run"]

_MANY = 10
"""Times the pairs are repeated for the larger question."""

_Question = Callable[[int], object]


def run(quick: bool = False) -> list[Record]:
    """Time each question in turn on one thread and on two, and the hand-over alone."""
    n, rounds = (4_000, 3) if quick else (20_000, 51)
    cases = make_pairs("polygons", n, distinct=True)
    shapes, columns = batch.ShapeBatch(cases.shapes), (cases.pairs, cases.poses_a, cases.poses_b)
    records = [_two_against_one(name, ask, n, rounds) for name, ask in _questions(shapes, *columns).items()]
    if not quick:
        many = [np.tile(column, (_MANY, 1)) for column in columns]
        records += [_two_against_one(name, ask, _MANY * n, rounds // 5) for name, ask in _questions(shapes, *many).items()]
    times = _seconds({2: _hand_over}, rounds)
    return [*records, record("handing over to a second thread and back", "us", times[2], note="no query, elapsed time")]


def _hand_over() -> None:
    begun: SimpleQueue[None] = SimpleQueue()
    in_parts(2 * MIN_ROWS, 2, lambda part: begun.get() if part.start == 0 else begun.put(None))


def _questions(shapes: batch.ShapeBatch, pairs: np.ndarray, a: np.ndarray, b: np.ndarray) -> dict[str, _Question]:
    moved = np.roll(a, 1, axis=0)
    still, ways = np.zeros((len(pairs), 2)), np.ascontiguousarray(moved[:, :2] - b[:, :2])
    return {
        "overlap": lambda threads: batch.overlap(shapes, pairs, a, b, threads=threads),
        "manifold": lambda threads: batch.manifold(shapes, pairs, a, b, threads=threads),
        "distance": lambda threads: batch.distance(shapes, pairs, a, b, threads=threads),
        "time of impact": lambda threads: batch.time_of_impact(shapes, pairs, a, a, b, moved, threads=threads),
        "swept": lambda threads: batch.swept_contact(shapes, pairs, a, still, b, ways, 1.0, threads=threads),
    }


def _two_against_one(name: str, ask: _Question, n: int, rounds: int) -> Record:
    times = _seconds({threads: lambda threads=threads: ask(threads) for threads in (1, 2)}, rounds)
    return record(f"{name}, two threads", "pairs/s", times[2], times[1], "one thread", f"{n:,} pairs, elapsed time", n)


def _seconds(calls: dict[int, Callable[[], object]], rounds: int) -> dict[int, list[float]]:
    """Call each twice in turn and return what the second took, of the faster half of the rounds."""
    times: dict[int, list[float]] = {threads: [] for threads in calls}
    for _ in range(rounds):
        for threads, call in calls.items():
            call()
            started = time.perf_counter()
            call()
            times[threads].append(time.perf_counter() - started)
    return {threads: sorted(seconds)[: (rounds + 1) // 2] for threads, seconds in times.items()}
