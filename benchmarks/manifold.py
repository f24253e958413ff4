"""Batched manifolds against Box2D's through pybox2d, on the same pairs.

What Box2D's time holds is what a Python program pays for the same numbers: setting two transforms, the call, and copying the
local manifold out; turning it into world points is not counted against it.
"""

from __future__ import annotations

from benchmarks.measuring import Record, record, seconds_in_turn
from benchmarks.pairs import FAMILIES, make_pairs
from engine.box2d.oracle.pairs import PairOracle
from engine.query import batch

__all__ = ["run"]

UNIT = "pairs/s"


def run(quick: bool = False) -> list[Record]:
    """Time the pairs of each family; the polygons by Box2D's rule as well."""
    n, rounds = (2_000, 3) if quick else (10_000, 21)
    records = []
    for family in FAMILIES:
        given = make_pairs(family, n)
        oracle = PairOracle(given.shapes)
        shapes = batch.ShapeBatch(oracle.shapes)
        where = (given.pairs, given.poses_a, given.poses_b)

        def exact(shapes=shapes, where=where) -> None:
            batch.manifold(shapes, *where)

        def box2d_rule(shapes=shapes, where=where) -> None:
            batch.manifold(shapes, *where, "box2d")

        def peer(oracle=oracle, where=where) -> float:
            return oracle.manifolds(*where).seconds

        taken = seconds_in_turn({"exact": exact, "box2d rule": box2d_rule, "peer": peer}, rounds)
        touching = (batch.manifold(shapes, *where).count > 0).mean()
        note = f"{n:,} pairs, {touching:.0%} touching"
        records.append(record(f"manifold, {family}", UNIT, taken["exact"], taken["peer"], "pybox2d", note, n))
        if family == FAMILIES[0]:
            name = f"manifold, {family}, rule box2d"
            records.append(record(name, UNIT, taken["box2d rule"], taken["peer"], "pybox2d", note, n))
    return records
