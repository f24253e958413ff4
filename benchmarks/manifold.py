"""Batched manifolds against Box2D's through pybox2d, on the same pairs, in one run.

The two are timed in turn and the medians compared: the machine's moods then hit both. What Box2D's time holds is what a Python
program pays for the same numbers: setting two transforms, the call, and copying the manifold out.
"""

from __future__ import annotations

import platform
import statistics
import time
from dataclasses import dataclass

from engine.box2d.oracle import BOX2D_VERSION, PairOracle
from engine.compare.cases import CHUNK, case_chunk
from engine.geometry import Circle
from engine.query import batch

__all__ = ["ManifoldBenchmark", "run"]


@dataclass(frozen=True, slots=True)
class ManifoldBenchmark:
    """Medians over the rounds, millions of pairs a second; `spread` is (slowest - fastest) / median of our rounds."""

    pairs: int
    touching_share: float
    rounds: int
    ours_exact: float
    ours_box2d_rule: float
    box2d: float
    ratio: float
    spread: float
    machine: str
    box2d_version: str


def run(rounds: int = 7, n_pairs: int = CHUNK) -> ManifoldBenchmark:
    """Time `rounds` rounds over the polygon pairs among `n_pairs` seeded ones, after one round to warm up."""
    cases = case_chunk(0, 0, n_pairs)
    is_polygon = [not isinstance(shape, Circle) for shape in cases.shapes]
    rows = [row for row, (a, b) in enumerate(cases.pairs.tolist()) if is_polygon[a] and is_polygon[b]]
    pairs, poses_a, poses_b = cases.pairs[rows], cases.poses_a[rows], cases.poses_b[rows]
    oracle = PairOracle(cases.shapes)
    shapes = batch.ShapeBatch(oracle.shapes)

    seconds: dict[str, list[float]] = {"exact": [], "box2d": [], "engine": []}
    touching = 0.0
    for round_number in range(rounds + 1):
        measured = {}
        started = time.perf_counter()
        found = batch.manifold(shapes, pairs, poses_a, poses_b, "exact")
        measured["exact"] = time.perf_counter() - started
        started = time.perf_counter()
        batch.manifold(shapes, pairs, poses_a, poses_b, "box2d")
        measured["box2d"] = time.perf_counter() - started
        measured["engine"] = oracle.manifolds(pairs, poses_a, poses_b).seconds
        touching = float((found.count > 0).mean())
        if round_number > 0:
            for name, value in measured.items():
                seconds[name].append(value)

    median = {name: statistics.median(values) for name, values in seconds.items()}
    rate = {name: len(rows) / value / 1e6 for name, value in median.items()}
    return ManifoldBenchmark(
        pairs=len(rows),
        touching_share=touching,
        rounds=rounds,
        ours_exact=rate["exact"],
        ours_box2d_rule=rate["box2d"],
        box2d=rate["engine"],
        ratio=rate["exact"] / rate["engine"],
        spread=(max(seconds["exact"]) - min(seconds["exact"])) / median["exact"],
        machine=f"{platform.processor() or platform.machine()}, CPython {platform.python_version()}",
        box2d_version=BOX2D_VERSION,
    )


if __name__ == "__main__":
    print(run())
