"""All measurements by name. Each module is one claim; its `run(quick)` returns records."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from benchmarks.measuring import Record

__all__ = ["BENCHMARKS", "LONG", "load"]

BENCHMARKS: dict[str, str] = {
    "manifold": "manifolds of many pairs, against Box2D through pybox2d",
    "overlap": "overlap of many pairs, against shapely's vectorized intersects and Box2D through pybox2d",
    "distance": "distance of many pairs, against shapely's vectorized distance and b2Distance through pybox2d",
    "time_of_impact": "times of impact of many pairs, rotating and not, against b2TimeOfImpact through pybox2d",
    "threads": "batched queries on two threads against one; needs two idle cores",
    "broad_phase": "pairs of moving boxes, all our structures against shapely's tree and both structures of pymunk",
    "growth": "how the cost of each query grows with the vertices, and that of a manifold with the number of pairs",
    "trace": "from a sprite's file to convex fixtures, stage by stage",
    "scalar_query": "one query called from Python, including its result object",
    "waiting": "what a first user waits for, with an empty cache: a run, the tour, a query, a step, the window, all kernels",
    "compiling": "seconds of the compiler, by part and by function",
    "rewind": "time needed to go back to an earlier step",
    "history": "memory needed for ten minutes of history",
    "frame": "a frame of a window with all panels open: step, check and drawing",
    "network": "a shared world: ticks of the server and of a client, bytes per second, keyframes, encoded states",
    "player": "the page of a run in Chromium: time to the first frame, script and raster time per frame",
    "worlds": "many worlds at once, against worlds in a loop, and against copies in pybox2d and pymunk",
    "dynamics": "a step of our rigid bodies against b2World::Step: piles, small worlds, sleep, snapshots, growth",
}
"""Name of the module, and what it measures."""

LONG = frozenset({"compiling", "history", "player", "waiting"})
"""Measured only where they are named: they take many minutes, or need a browser."""


def load(name: str) -> Callable[[bool], list[Record]]:
    """Return the `run` of one benchmark."""
    run: Callable[[bool], list[Record]] = importlib.import_module(f"benchmarks.{name}").run
    return run
