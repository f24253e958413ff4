"""End states of every query, in one enum."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["DEGENERATE", "HIT", "MISS", "OUT_OF_ITERATIONS", "OVERLAPPING", "SEPARATED", "TOUCHING", "Status"]


class Status(IntEnum):
    """How a query ended. The integers are what the compiled kernels return."""

    SEPARATED = 0
    """Static query: the shapes share no point."""
    TOUCHING = 1
    """Static query: the shapes share boundary points only, within the named tolerance."""
    OVERLAPPING = 2
    """Static query: the interiors overlap. Moving query: they do from the start."""
    HIT = 3
    """Moving query: the shapes come to touch."""
    MISS = 4
    """Moving query: they do not within the interval."""
    DEGENERATE = 5
    """The input has no answer of the kind asked for."""
    OUT_OF_ITERATIONS = 6
    """The best bound so far; never to be read as a miss."""


SEPARATED, TOUCHING, OVERLAPPING, HIT, MISS, DEGENERATE, OUT_OF_ITERATIONS = (int(status) for status in Status)
"""The plain numbers, for the kernels."""
