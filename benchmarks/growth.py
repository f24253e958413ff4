"""How the cost of one manifold grows with the vertices of the polygons, and with the number of pairs in a call.

python -m benchmarks.growth FILE.png draws both.
"""

from __future__ import annotations

import sys

from benchmarks.measuring import Record, record, seconds_in_turn
from benchmarks.pairs import make_pairs, regular_pairs
from engine.query import batch

__all__ = ["PAIRS", "VERTICES", "run"]

VERTICES = (3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
PAIRS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def run(quick: bool = False) -> list[Record]:
    """Time regular polygons of 3 to 64 vertices, 2,000 pairs; then polygons of 3 to 8 corners, 1 to 10^6 pairs."""
    vertices, pairs, rounds = (VERTICES[::3], PAIRS[:4], 3) if quick else (VERTICES, PAIRS, 7)
    records = []
    for n_vertices in vertices:
        given = regular_pairs(n_vertices, 2_000)
        calls = {"ours": _question(given)}
        records.append(record(f"growth, {n_vertices} vertices", "pairs/s", seconds_in_turn(calls, rounds)["ours"], amount=2_000))
    for n in pairs:
        given = make_pairs("polygons", n)
        calls = {"ours": _question(given)}
        turns = rounds * (10 if n <= 1_000 else 1)
        records.append(record(f"growth, {n:,} pairs", "pairs/s", seconds_in_turn(calls, turns)["ours"], amount=n))
    return records


def _question(given):
    shapes = batch.ShapeBatch(given.shapes)

    def ask() -> None:
        batch.manifold(shapes, given.pairs, given.poses_a, given.poses_b)

    return ask


def draw(path: str) -> None:
    """Measure, and plot nanoseconds a pair over vertices and over pairs."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    nanoseconds = {one.name: 1e9 / one.ours for one in run()}
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.loglog(VERTICES, [nanoseconds[f"growth, {n} vertices"] for n in VERTICES], "o-")
    left.axvline(16.5, color="0.7", linestyle="--")
    left.set(xlabel="vertices of both polygons", ylabel="ns a manifold", title="2,000 pairs (right of the line: no lanes)")
    left.set_xticks(VERTICES, [str(n) for n in VERTICES])
    left.minorticks_off()
    right.loglog(PAIRS, [nanoseconds[f"growth, {n:,} pairs"] for n in PAIRS], "o-")
    right.set(xlabel="pairs in one call", title="polygons of 3 to 8 vertices")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    draw(sys.argv[1])
