"""Finds the algorithm that answers a query, and converts one algorithm's case to another's."""

from __future__ import annotations

from dataclasses import replace

from engine.compare.pair.file import ANSWERED_BY, Pair
from engine.contracts.trace import Point
from engine.geometry import Sweep
from engine.trace import algorithm
from engine.trace.cases import Case, PairCase, shifted

__all__ = ["fitted", "of_query", "plainer_motions"]

_STANDING = ("manifold", "overlap", "distance")


def of_query(query: str) -> str | None:
    """Return the algorithm that answers a query of a pair; None if none with a stepper does."""
    return ANSWERED_BY.get(query)


def fitted(name: str, case: Case) -> Case | None:
    """Return a case in the form that an algorithm takes, or None.

    For an algorithm on shapes at rest that is the start of a motion; for one without rotation, or with A moving alone, that motion.

    Raises
    ------
    InvalidInputError
        There is no algorithm of that name.
    """
    chosen = algorithm(name)
    if chosen.takes(case):
        return case
    example = chosen.example
    if isinstance(case, PairCase) and isinstance(example, PairCase) and example.pair.query in _STANDING and case.pair.shape_b is not None:
        other = PairCase(_at_rest(case.pair, example.pair.query))
        return other if chosen.takes(other) else None
    if isinstance(case, PairCase) and case.pair.query == "toi":
        return next((plainer for plainer in map(PairCase, plainer_motions(case.pair)) if chosen.takes(plainer)), None)
    return None


def plainer_motions(pair: Pair) -> tuple[Pair, Pair]:
    """Return a motion of two shapes without its rotation, and the same relative to B at rest."""
    way_a, way_b = _way(pair.sweep_a, pair.center_a), _way(pair.sweep_b, pair.center_b)
    plain = replace(pair, center_a=(0.0, 0.0), center_b=(0.0, 0.0), provenance=None, outsider=None)
    relative = way_a[0] - way_b[0], way_a[1] - way_b[1]
    return (
        replace(plain, end_a=shifted(pair.pose_a, *way_a), end_b=shifted(pair.pose_b, *way_b)),
        replace(plain, end_a=shifted(pair.pose_a, *relative), end_b=pair.pose_b),
    )


def _way(sweep: Sweep, center: Point) -> Point:
    """Return the translation of a motion's center."""
    (x0, y0), (x1, y1) = sweep.start.apply(center), sweep.end.apply(center)
    return x1 - x0, y1 - y0


def _at_rest(pair: Pair, query: str) -> Pair:
    origin = (0.0, 0.0)
    plain = replace(pair, query=query, end_a=None, end_b=None, center_a=origin, center_b=origin)
    return replace(plain, provenance=None, outsider=None)
