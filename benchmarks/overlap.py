"""Batched overlap against shapely's vectorized `intersects` and against b2TestOverlap through pybox2d.

Shapely is given polygons that stand in the world already: moving them there is not counted against it, while ours are moved.
"""

from __future__ import annotations

from benchmarks.measuring import MissingPeerError, Record, record, require_peer, seconds_in_turn
from benchmarks.pairs import make_pairs
from engine.box2d.oracle.pairs import PairOracle
from engine.geometry import Polygon, Transform
from engine.query import batch

__all__ = ["rings", "run"]


def run(quick: bool = False) -> list[Record]:
    """Time polygons of 3 to 8 corners."""
    n, rounds = (2_000, 3) if quick else (10_000, 21)
    cases = make_pairs("polygons", n)
    oracle, shapes = PairOracle(cases.shapes), batch.ShapeBatch(cases.shapes)
    where = (cases.pairs, cases.poses_a, cases.poses_b)
    calls = {"ours": lambda: _done(batch.overlap(shapes, *where)), "pybox2d": lambda: oracle.overlaps(*where)[1]}
    missing = ""
    try:
        require_peer("shapely")
        import shapely

        a, b = (shapely.polygons(rings(cases.shapes, cases.pairs[:, k], poses)) for k, poses in ((0, cases.poses_a), (1, cases.poses_b)))
        calls["shapely"] = lambda: _done(shapely.intersects(a, b))
    except MissingPeerError as error:
        missing = str(error)
    times = seconds_in_turn(calls, rounds)
    note = f"{n:,} pairs, {batch.overlap(shapes, *where).mean():.0%} touching"
    against = [record("overlap, polygons", "pairs/s", times["ours"], times["pybox2d"], "pybox2d", note, n)]
    if missing:
        return [*against, record("overlap, polygons", "pairs/s", times["ours"], note=missing, amount=n)]
    return [*against, record("overlap, polygons", "pairs/s", times["ours"], times["shapely"], "shapely", note, n)]


def rings(shapes, which, poses):
    """Return shapely's rings of the polygons `which`, moved to the world."""
    import shapely

    made = []
    for shape, (x, y, angle) in zip(which.tolist(), poses.tolist(), strict=True):
        polygon = shapes[shape]
        assert isinstance(polygon, Polygon)
        made.append(shapely.linearrings(Transform((x, y), angle).apply_array(polygon.vertices)))
    return made


def _done(result: object) -> None:
    """Drop the result: a call that returns a number would seem to have timed itself."""
