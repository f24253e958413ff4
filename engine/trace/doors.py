"""Which algorithm answered: the way from a query to what can be watched of it, and from one algorithm's case to another's."""

from __future__ import annotations

from dataclasses import replace

from engine.compare.pair.file import ANSWERED_BY, Pair
from engine.trace import algorithm
from engine.trace.cases import Case, PairCase

__all__ = ["fitted", "of_query"]

_STANDING = ("manifold", "overlap", "distance")


def of_query(query: str) -> str | None:
    """Return the algorithm that answers a query of a pair; None where none does that can be watched."""
    return ANSWERED_BY.get(query)


def fitted(name: str, case: Case) -> Case | None:
    """Return a case as an algorithm can be asked it, or None: one that asks about shapes at rest is asked about the start of a motion.

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
    return None


def _at_rest(pair: Pair, query: str) -> Pair:
    origin = (0.0, 0.0)
    plain = replace(pair, query=query, end_a=None, end_b=None, center_a=origin, center_b=origin)
    return replace(plain, provenance=None, outsider=None)
