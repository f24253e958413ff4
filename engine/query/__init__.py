"""Queries about shapes, one function each.

World frame, meters, radians. Shapes are closed and solid. The compiled kernels are loaded by the first query, not by the import: this takes
about 0.3 s if their machine code is on disk, and some seconds otherwise; ``doctor --compile`` compiles them all in advance.
"""

from __future__ import annotations

from engine.query.casts import contains, ray_cast, shape_cast, swept_contact, time_of_impact
from engine.query.pairs import contact_set, distance, manifold, overlap, penetration

__all__ = [
    "contact_set",
    "contains",
    "distance",
    "manifold",
    "overlap",
    "penetration",
    "ray_cast",
    "shape_cast",
    "swept_contact",
    "time_of_impact",
]
