"""Status codes of all queries."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["DEGENERATE", "HIT", "MISS", "OUT_OF_ITERATIONS", "OVERLAPPING", "SEPARATED", "TOUCHING", "Status"]


class Status(IntEnum):
    """Outcome of a query. The compiled kernels return these integers."""

    SEPARATED = 0
    """Static query: the shapes share no point."""
    TOUCHING = 1
    """Static query: the shapes share only boundary points, within the query's tolerance."""
    OVERLAPPING = 2
    """Static query: the interiors overlap. Moving query: they overlap from the start."""
    HIT = 3
    """Moving query: the shapes touch within the interval."""
    MISS = 4
    """Moving query: the shapes do not touch within the interval."""
    DEGENERATE = 5
    """The query is undefined for this input."""
    OUT_OF_ITERATIONS = 6
    """The result is only the best bound so far; never treat it as a miss."""


SEPARATED, TOUCHING, OVERLAPPING, HIT, MISS, DEGENERATE, OUT_OF_ITERATIONS = (int(status) for status in Status)
"""Status codes as plain integers, for the kernels."""
