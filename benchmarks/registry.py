"""All measurements by name. Each module is one claim; its `run(quick)` returns records."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from benchmarks.measuring import Record

__all__ = ["BENCHMARKS", "COLD", "LONG", "load"]

BENCHMARKS: dict[str, str] = {
    "manifold": "manifolds of many pairs, against Box2D through pybox2d",
    "overlap": "overlap of many pairs, against shapely's vectorized intersects and Box2D through pybox2d",
    "distance": "distance of many pairs, against shapely's vectorized distance and b2Distance through pybox2d",
    "time_of_impact": "times of impact of many pairs, rotating and not, against b2TimeOfImpact through pybox2d",
    "swept": "linear swept SAT of many pairs, against our own rotating times of impact",
    "threads": "the batched questions on two threads against one; needs two idle cores",
    "bounding": "bounding volumes of the figure: tests and updates, each with its false hits; no peer",
    "broad_phase": "pairs of moving boxes, all our structures against shapely's tree and both of pymunk's",
    "broad_phase_growth": "how the cost of each broad phase grows with boxes, with the spread of their sizes, and with how many move",
    "scene": "a whole collision frame, against pymunk's step with all collisions filtered",
    "growth": "how the cost of manifold, distance, overlap, sweep and time of impact grows with vertices, of a manifold with pairs too",
    "trace": "from a sprite's file to convex fixtures, stage by stage",
    "scalar_query": "one question asked from Python, result object included",
    "cold_start": "the first start of all: compiling into an empty cache, until the live check answers and until everything is there",
    "tracing": "kernels without a trace against their sources with all that records cut out, and with a trace",
    "start_up": "importing the engine in a fresh interpreter",
    "rewind": "going back in time",
    "history": "the memory of ten minutes of history",
    "frame": "the frame of a full window: step, check and picture",
    "network": "a shared world: the server's tick and a client's, bytes a second, keyframes, states as bytes",
    "player": "the page of a run in Chromium: its first frame, script and raster of a frame",
    "dynamics": "a step of our rigid bodies against b2World::Step: piles, small worlds, sleep, snapshots, growth",
}
"""Name of the module, and what it measures."""

LONG = frozenset({"cold_start", "history", "player"})
"""Measured only where they are named: they take many minutes, or need a browser."""

COLD = frozenset({"cold_start"})
"""Those before which nothing is compiled."""


def load(name: str) -> Callable[[bool], list[Record]]:
    """Return the `run` of one benchmark."""
    run: Callable[[bool], list[Record]] = importlib.import_module(f"benchmarks.{name}").run
    return run
