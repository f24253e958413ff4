"""Batched manifolds against Box2D's through pybox2d, on the same pairs, of few shapes and of distinct ones.

What Box2D's time holds is what a Python program pays for the same numbers: setting two transforms, the call, and copying the
local manifold out; turning it into world points is not counted against it.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.measuring import AGAIN, Record, record, seconds_in_turn
from benchmarks.pairs import FAMILIES, make_pairs
from engine.box2d.oracle.pairs import PairOracle
from engine.query import batch

__all__ = ["run"]

BOX2D_RULE = "rule box2d"


def run(quick: bool = False) -> list[Record]:
    """Time the pairs of each family; polygons and boxes of distinct shapes as well, and polygons by Box2D's rule."""
    few = [row for family in FAMILIES for row in _family(family, False, quick)]
    return [*few, *(row for family in ("polygons", "boxes") for row in _family(family, True, quick))]


def _family(family: str, distinct: bool, quick: bool) -> list[Record]:
    n, rounds = (2_000, 3) if quick else (10_000, 21)
    cases = make_pairs(family, n, distinct=distinct)
    oracle = PairOracle(cases.shapes)
    shapes, where = batch.ShapeBatch(oracle.shapes), (cases.pairs, cases.poses_a, cases.poses_b)
    calls: dict[str, Callable[[], float | None]] = {name: lambda: _done(batch.manifold(shapes, *where)) for name in ("", AGAIN)}
    if family == FAMILIES[0]:
        calls[BOX2D_RULE] = lambda: _done(batch.manifold(shapes, *where, "box2d"))
    times = seconds_in_turn({**calls, "peer": lambda: oracle.manifolds(*where).seconds}, rounds)
    touching = (batch.manifold(shapes, *where).count > 0).mean()
    note = f"{n:,} pairs of {len(cases.shapes):,} shapes, {touching:.0%} touching"
    name = f"manifold, {family}{', distinct' if distinct else ''}"
    return [
        record(f"{name}, {which}" if which else name, "pairs/s", times[which], times["peer"], "pybox2d", note, n) for which in calls
    ]  # fmt: skip


def _done(result: object) -> None:
    """Drop the result: a call that returns a number would seem to have timed itself."""
