"""Batched distance with nearest points against b2Distance through pybox2d, and against shapely's vectorized `distance`.

Of pybox2d, the public b2Distance and the bare one behind it are measured. Shapely returns the distance only, and is given polygons that
stand in the world already: moving them there is not counted against it, while ours are moved.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.measuring import AGAIN, MissingPeerError, Record, record, require_peer, seconds_in_turn
from benchmarks.overlap import rings
from benchmarks.pairs import Pairs, make_pairs
from engine.box2d.oracle.pairs import PairOracle
from engine.query import batch

__all__ = ["run"]

PUBLIC = "pybox2d"
"""Its b2Distance, which makes a named tuple of both points and the distance: that takes longer than the distance itself."""

BARE = "pybox2d, bare"
"""The function that b2Distance calls; only the distance is read from its answer."""

SLACK = 1e-3
"""Meters. How far the peers may be from ours before the measurement is refused: Box2D computes in float32, ours in float64."""


def run(quick: bool = False) -> list[Record]:
    """Time polygons of 3 to 8 corners and boxes, of few shapes and of distinct ones."""
    return [row for distinct in (False, True) for family in ("polygons", "boxes") for row in _family(family, distinct, quick)]


def _family(family: str, distinct: bool, quick: bool) -> list[Record]:
    n, rounds = (2_000, 3) if quick else (10_000, 21)
    cases = make_pairs(family, n, distinct=distinct)
    shapes, where = batch.ShapeBatch(cases.shapes), (cases.pairs, cases.poses_a, cases.poses_b)
    ours = batch.distance(shapes, *where)
    truth = np.maximum(ours.separation, 0.0)
    calls: dict[str, Callable[[], float | None]] = {name: lambda: _done(batch.distance(shapes, *where)) for name in ("ours", AGAIN)}
    for peer, is_bare in ((PUBLIC, False), (BARE, True)):
        calls[peer], answers = _box2d(cases, is_bare)
        calls[peer]()
        _must_agree(peer, np.array(answers), truth)
    missing = ""
    try:
        require_peer("shapely")
        import shapely

        a, b = (shapely.polygons(rings(cases.shapes, cases.pairs[:, k], poses)) for k, poses in ((0, cases.poses_a), (1, cases.poses_b)))
        _must_agree("shapely", shapely.distance(a, b), truth)
        calls["shapely"] = lambda: _done(shapely.distance(a, b))
    except MissingPeerError as error:
        missing = str(error)
    times = seconds_in_turn(calls, rounds)
    name = f"distance, {family}{', distinct' if distinct else ''}"
    note = f"{n:,} pairs of {len(cases.shapes):,} shapes, {(truth > 0.0).mean():.0%} apart"
    against = [record(name, "pairs/s", times["ours"], times[peer], peer, note, n) for peer in (PUBLIC, BARE)]
    against.append(record(f"{name}, {AGAIN}", "pairs/s", times[AGAIN], times[PUBLIC], PUBLIC, note, n))
    if missing:
        return [*against, record(name, "pairs/s", times["ours"], note=missing, amount=n)]
    against.append(record(name, "pairs/s", times["ours"], times["shapely"], "shapely", note, n))
    return [*against, record(f"{name}, {AGAIN}", "pairs/s", times[AGAIN], times["shapely"], "shapely", note, n)]


def _box2d(cases: Pairs, is_bare: bool) -> tuple[Callable[[], float], list[float]]:
    """Return a call that asks Box2D about every pair and returns the seconds it took, and the list it leaves the distances in.

    The radii are left out, as in ours: `make_pairs` gives polygons no skin, and Box2D's own would be added.
    """
    import Box2D

    made = [shape for shape, _ in PairOracle(cases.shapes).made()]
    xf_a, xf_b = Box2D.b2Transform(), Box2D.b2Transform()
    rows = list(zip(cases.pairs.tolist(), cases.poses_a.tolist(), cases.poses_b.tolist(), strict=True))
    answers: list[float] = []

    def ask() -> float:
        answers.clear()
        measure = Box2D._Box2D._b2Distance if is_bare else Box2D.b2Distance
        started = time.perf_counter()
        for (a, b), (xa, ya, angle_a), (xb, yb, angle_b) in rows:
            xf_a.Set((xa, ya), angle_a)
            xf_b.Set((xb, yb), angle_b)
            result = measure(made[a], 0, made[b], 0, xf_a, xf_b, False)
            answers.append(result.distance)
        return time.perf_counter() - started

    return ask, answers


def _must_agree(peer: str, theirs: np.ndarray, ours: np.ndarray) -> None:
    """Raise if a peer measured something else than we did: the times would mean nothing."""
    worst = float(np.abs(theirs - ours).max())
    if worst > SLACK:
        raise AssertionError(f"{peer} and ours differ by {worst} m")


def _done(result: object) -> None:
    """Drop the result: a call that returns a number would seem to have timed itself."""
