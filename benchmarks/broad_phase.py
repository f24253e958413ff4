"""The grid against brute force, and against shapely's STR tree, built and asked once, as a frame does in which everything moves.

Three kinds of scenes: boxes of like size spread evenly; sizes log-normal, so that the largest is some fifty times the median; and
twenty crowds in a world a thousand times as wide as one of them. The last two are also given to the uniform grid alone, to show what
the hierarchy is for.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.bodies import spread_boxes
from benchmarks.measuring import MissingPeerError, Record, record, require_peer, seconds_in_turn
from engine.broadphase import BruteForce, Grid, UniformGrid
from engine.common.arrays import FloatArray
from engine.common.rng import stream
from engine.query.batch import ShapeBatch
from engine.query.batch_frame import aabb

__all__ = ["run"]

BRUTE_FORCE_UP_TO = 1_000
UNIFORM_UP_TO = 10_000

SPREAD = 3.0
"""Metres between neighbours, on average, where sizes are log-normal."""

SIGMA = 1.0
"""Standard deviation of the logarithm of a half size; its median is e^-1 m."""

N_CROWDS = 20
WORLD = 1e5
"""Metres: the width of the world in which the crowds are."""


def run(quick: bool = False) -> list[Record]:
    """Time scenes of growing size."""
    sizes, rounds = ((1_000,), 3) if quick else ((1_000, 10_000, 100_000), 7)
    records = []
    for n in sizes:
        records += _compared(f"broad phase, {n:,} boxes", _even(n), BRUTE_FORCE_UP_TO, 0, rounds)
    for n in sizes[-2:]:
        records += _compared(f"broad phase, {n:,} boxes, log-normal", _log_normal(n), 0, UNIFORM_UP_TO, rounds)
        records += _compared(f"broad phase, {n:,} boxes in crowds", _crowds(n), 0, UNIFORM_UP_TO, rounds)
    return records


def _compared(name: str, boxes: FloatArray, brute_force_up_to: int, uniform_up_to: int, rounds: int) -> list[Record]:
    n = len(boxes)
    calls = {"grid": lambda: _done(Grid().pairs(boxes))}
    if n <= brute_force_up_to:
        calls["brute force"] = lambda: _done(BruteForce().pairs(boxes))
    if n <= uniform_up_to:
        calls["uniform grid alone"] = lambda: _done(UniformGrid().pairs(boxes))
    missing = ""
    try:
        require_peer("shapely")
        import shapely

        geometries = shapely.box(*boxes.T)
        calls["shapely STRtree"] = lambda: _done(shapely.STRtree(geometries).query(geometries))
    except MissingPeerError as error:
        missing = str(error)
    taken = seconds_in_turn(calls, rounds)
    note = f"{len(Grid().pairs(boxes)) / n:.1f} overlaps a body"
    records = [record(name, "ms", taken["grid"], taken[peer], peer, note) for peer in calls if peer != "grid"]
    return [*records, record(name, "ms", taken["grid"], note=missing)] if missing else records


def _even(n: int) -> FloatArray:
    shapes, which, poses = spread_boxes(n)
    return aabb(ShapeBatch(shapes), which, poses).copy()


def _log_normal(n: int) -> FloatArray:
    rng = stream(0, "benchmarks", "log-normal", n)
    half = rng.lognormal(-1.0, SIGMA, (n, 1))
    return _around(rng.uniform(0.0, SPREAD * math.sqrt(n), (n, 2)), half)


def _crowds(n: int) -> FloatArray:
    rng = stream(0, "benchmarks", "crowds", n)
    crowds = rng.uniform(0.0, WORLD, (N_CROWDS, 2))[rng.integers(0, N_CROWDS, n)]
    return _around(crowds + rng.normal(0.0, math.sqrt(n / N_CROWDS), (n, 2)), rng.uniform(0.3, 0.6, (n, 1)))


def _around(centers: FloatArray, half: FloatArray) -> FloatArray:
    return np.column_stack((centers - half, centers + half))


def _done(result: object) -> None:
    """Drop the result."""
