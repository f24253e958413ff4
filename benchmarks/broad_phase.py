"""The grid against brute force, and against shapely's STR tree, built and asked once, as a frame does in which everything moves."""

from __future__ import annotations

from benchmarks.bodies import spread_boxes
from benchmarks.measuring import MissingPeerError, Record, record, require_peer, seconds_in_turn
from engine.broadphase import BruteForce, UniformGrid
from engine.query.batch import ShapeBatch
from engine.query.batch_frame import aabb

__all__ = ["run"]

BRUTE_FORCE_UP_TO = 1_000


def run(quick: bool = False) -> list[Record]:
    """Time scenes of growing size."""
    sizes, rounds = ((1_000,), 3) if quick else ((1_000, 10_000, 100_000), 7)
    records = []
    for n in sizes:
        shapes, which, poses = spread_boxes(n)
        boxes = aabb(ShapeBatch(shapes), which, poses).copy()
        calls = {"grid": lambda boxes=boxes: _done(UniformGrid().pairs(boxes))}
        if n <= BRUTE_FORCE_UP_TO:
            calls["brute force"] = lambda boxes=boxes: _done(BruteForce().pairs(boxes))
        missing = ""
        try:
            require_peer("shapely")
            import shapely

            geometries = shapely.box(*boxes.T)
            calls["shapely STRtree"] = lambda geometries=geometries: _done(shapely.STRtree(geometries).query(geometries))
        except MissingPeerError as error:
            missing = str(error)
        taken = seconds_in_turn(calls, rounds)
        note = f"{len(UniformGrid().pairs(boxes)) / n:.1f} overlaps a body"
        peers = [name for name in calls if name != "grid"]
        records += [record(f"broad phase, {n:,} boxes", "ms", taken["grid"], taken[peer], peer, note) for peer in peers]
        if missing:
            records.append(record(f"broad phase, {n:,} boxes", "ms", taken["grid"], note=missing))
    return records


def _done(result: object) -> None:
    """Drop the result."""
