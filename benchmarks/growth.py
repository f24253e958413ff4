"""Measure the growth of a pair's cost with the vertices of the polygons, and with the number of pairs in a call.

Manifolds over vertices and over pairs; distances, overlaps, linear sweeps and times of impact over vertices.
python -m benchmarks.growth FILE.png draws both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from benchmarks.measuring import Record, record, seconds_in_turn
from benchmarks.pairs import Pairs, make_pairs, regular_pairs
from benchmarks.time_of_impact import TURN, make_sweeps
from engine.query import batch

__all__ = ["PAIRS", "VERTICES", "run"]

VERTICES = (3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
PAIRS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
QUESTIONS = ("manifold", "distance", "overlap", "linear sweep", "time of impact")
AMOUNT = 2_000
"""Pairs in a call, where the vertices grow."""


def run(quick: bool = False) -> list[Record]:
    """Time regular polygons of 3 to 64 vertices, 2,000 pairs; then manifolds of polygons of 3 to 8 corners, 1 to 10^6 pairs."""
    vertices, pairs, rounds = (VERTICES[::3], PAIRS[:4], 3) if quick else (VERTICES, PAIRS, 7)
    records = []
    for n_vertices in vertices:
        times = seconds_in_turn(_questions(regular_pairs(n_vertices, AMOUNT)), rounds)
        records += [record(_name(question, n_vertices), "pairs/s", times[question], amount=AMOUNT) for question in QUESTIONS]
    records = [records[at] for first in range(len(QUESTIONS)) for at in range(first, len(records), len(QUESTIONS))]  # by question
    for n in pairs:
        cases = make_pairs("polygons", n)
        calls = {"ours": _questions(cases)["manifold"]}
        turns = rounds * (10 if n <= 1_000 else 1)
        records.append(record(f"growth, {n:,} pairs", "pairs/s", seconds_in_turn(calls, turns)["ours"], amount=n))
    return records


def _name(question: str, n_vertices: int) -> str:
    return f"growth of {question}, {n_vertices} vertices"


def _questions(cases: Pairs) -> dict[str, Callable[[], None]]:
    """Return calls that ask each question of all pairs; motions are those of the benchmark `time_of_impact`."""
    shapes = batch.ShapeBatch(cases.shapes)
    start_a, end_a, start_b, end_b = make_sweeps(cases, TURN)
    rest, velocity = np.zeros((len(cases.pairs), 2)), end_b[:, :2] - start_b[:, :2]
    return {
        "manifold": lambda: batch.manifold(shapes, cases.pairs, cases.poses_a, cases.poses_b) and None,
        "distance": lambda: batch.distance(shapes, cases.pairs, cases.poses_a, cases.poses_b) and None,
        "overlap": lambda: _done(batch.overlap(shapes, cases.pairs, cases.poses_a, cases.poses_b)),
        "linear sweep": lambda: batch.swept_contact(shapes, cases.pairs, start_a, rest, start_b, velocity, 1.0) and None,
        "time of impact": lambda: batch.time_of_impact(shapes, cases.pairs, start_a, end_a, start_b, end_b) and None,
    }


def _done(_answers: object) -> None:
    return None


def draw(path: str) -> None:
    """Measure, and plot nanoseconds a pair over vertices and over pairs."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    nanoseconds = {row.name: 1e9 / row.ours for row in run()}
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for question in QUESTIONS:
        left.loglog(VERTICES, [nanoseconds[_name(question, n)] for n in VERTICES], "o-", label=question)
    left.set(xlabel="vertices of both polygons", ylabel="ns per pair", title=f"{AMOUNT:,} pairs")
    left.legend()
    left.set_xticks(VERTICES, [str(n) for n in VERTICES])
    left.minorticks_off()
    right.loglog(PAIRS, [nanoseconds[f"growth, {n:,} pairs"] for n in PAIRS], "o-")
    right.set(xlabel="pairs in one call", title="manifolds of polygons of 3 to 8 vertices")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    draw(sys.argv[1])
