"""Queries about shapes, one function each.

World frame, meters, radians. Shapes are closed and solid. The compiled kernels are loaded by the first query, not by the import: this takes
about 0.3 s if their machine code is on disk, and some seconds otherwise. `warm_up` loads them earlier; `is_warm` returns whether they are
on disk.
"""

from __future__ import annotations

from engine.common.checks import boolean
from engine.common.jit import cache_is_warm
from engine.query.casts import contains, ray_cast, shape_cast, swept_contact, time_of_impact
from engine.query.pairs import contact_set, distance, manifold, overlap, penetration

__all__ = [
    "contact_set",
    "contains",
    "distance",
    "is_warm",
    "manifold",
    "overlap",
    "penetration",
    "ray_cast",
    "shape_cast",
    "swept_contact",
    "time_of_impact",
    "warm_up",
]


def is_warm() -> bool:
    """Return, without loading anything, whether the kernels with which a running world is checked are compiled and cached."""
    return cache_is_warm()


def warm_up(everything: bool = False) -> None:
    """Load the kernels with which a running world is checked, or those of every query, compiling those that are not cached.

    Later queries take microseconds. Ctrl-C takes effect afterwards, because the compiler would swallow it.
    """
    from engine.query import warming

    warming.warm_up(boolean("everything", everything))
