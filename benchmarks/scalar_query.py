"""One question asked from Python: checks, packing, kernel and the result object."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.measuring import Record, record, seconds_in_turn
from engine import query
from engine.geometry import Circle, Polygon, Transform

__all__ = ["run"]


def run(quick: bool = False) -> list[Record]:
    """Time manifold and overlap of two polygons, and of a polygon and a circle."""
    calls_each, rounds = (100, 3) if quick else (1_000, 9)
    here, there = Transform((0.0, 0.0), 0.1), Transform((0.8, 0.3), 0.7)
    hexagon, box, disc = Polygon.regular(6, 0.7), Polygon.box(0.5, 0.4), Circle(0.5)
    queries: dict[str, Callable[[], object]] = {
        "manifold, two polygons": lambda: query.manifold(hexagon, here, box, there),
        "manifold, polygon and circle": lambda: query.manifold(hexagon, here, disc, there),
        "overlap, two polygons": lambda: query.overlap(hexagon, here, box, there),
    }
    times = seconds_in_turn({name: lambda ask=ask: _repeat(ask, calls_each) for name, ask in queries.items()}, rounds)
    return [record(f"one {name}", "us", [total / calls_each for total in seconds]) for name, seconds in times.items()]


def _repeat(ask: Callable[[], object], calls: int) -> None:
    for _ in range(calls):
        ask()
