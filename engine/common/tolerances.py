"""Every small number, with its unit, reason and source.

Four kinds, kept apart: *rounding* (machine epsilon times the input's scale), *convergence* (each algorithm's own),
*physical* (metres), *comparison* (only in `engine.compare.allowances`).
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "BOX2D_ABSOLUTE_TOLERANCE",
    "BOX2D_EPSILON",
    "BOX2D_POLYGON_SKIN",
    "BOX2D_RELATIVE_TOLERANCE",
    "COLLINEAR_ROUNDING",
    "EPS32",
    "EPS64",
    "LINEAR_SLOP",
    "SAT_ROUNDING",
]

EPS64 = float(np.finfo(np.float64).eps)
"""Rounding: spacing of float64 at 1, 2.2e-16; a correctly rounded operation errs by at most half of it, relatively."""

EPS32 = float(np.finfo(np.float32).eps)
"""Rounding: spacing of float32 at 1, 1.2e-7, the precision Box2D computes in."""

COLLINEAR_ROUNDING = 16.0 * EPS64
"""Rounding, relative. A vertex is on the line of its neighbours when its distance from it is at most this times the largest
coordinate: the vertices of a rotated, translated polygon carry about four roundings each of that size, and three
vertices enter the test."""

LINEAR_SLOP = 0.005
"""Physical, metres. Box2D 2.3 `b2_linearSlop`: penetration that the solver leaves alone."""

BOX2D_POLYGON_SKIN = 2.0 * LINEAR_SLOP
"""Physical, metres. Box2D 2.3 `b2_polygonRadius`: the rounding around every polygon and edge."""

SAT_ROUNDING = 16.0 * EPS64
"""Rounding, relative to the input's scale (distances of both positions from the world's origin plus both extents). Two
separations that differ by less are equally large, and a gap smaller than this is a touch. A vertex taken from B's frame
to A's carries about 7 roundings of half EPS64 each, the unit normal 10, their product 2: 19 halves, rounded up to 32."""

BOX2D_RELATIVE_TOLERANCE = 0.98
"""Ratio. Box2D 2.3 `k_relativeTol` in b2CollidePolygons: B's face is taken only where
``sep_b > 0.98 * sep_a + 0.001``, so that the reference face does not flicker between frames."""

BOX2D_ABSOLUTE_TOLERANCE = 0.001
"""Physical, metres. Box2D 2.3 `k_absoluteTol`, 0.2 of the linear slop; see `BOX2D_RELATIVE_TOLERANCE`."""

BOX2D_EPSILON = EPS32
"""Physical, metres. Box2D 2.3 `b2_epsilon`: a circle's centre nearer to a polygon than this lies inside it; two centres nearer
to each other have no direction of their own."""
