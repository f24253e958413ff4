"""Every small number, with its unit, reason and source.

Four kinds, kept apart: *rounding* (machine epsilon times the input's scale), *convergence* (each algorithm's own),
*physical* (meters), *comparison* (only in `engine.compare.allowances`).
"""

from __future__ import annotations

import numpy as np

EPS64 = float(np.finfo(np.float64).eps)
"""Rounding: spacing of float64 at 1, 2.2e-16; a correctly rounded operation errs by at most half of it, relatively."""

EPS32 = float(np.finfo(np.float32).eps)
"""Rounding: spacing of float32 at 1, 1.2e-7, the precision Box2D computes in."""

COLLINEAR_ROUNDING = 16.0 * EPS64
"""Rounding, relative. A vertex is on the line of its neighbors when its distance from it is at most this times the largest
coordinate: the vertices of a rotated, translated polygon carry about four roundings each of that size, and three
vertices enter the test."""

LINEAR_SLOP = 0.005
"""Physical, meters. Box2D 2.3 `b2_linearSlop`: penetration that the solver leaves alone."""

BOX2D_POLYGON_SKIN = 2.0 * LINEAR_SLOP
"""Physical, meters. Box2D 2.3 `b2_polygonRadius`: the rounding around every polygon and edge."""

SAT_ROUNDING = 16.0 * EPS64
"""Rounding, relative to the input's scale (distances of both positions from the world's origin plus both extents). Two
separations that differ by less are equally large, and a gap smaller than this is a touch. A vertex taken from B's frame
to A's carries about 7 roundings of half EPS64 each, the unit normal 10, their product 2: 19 halves, rounded up to 32."""

BOX2D_RELATIVE_TOLERANCE = 0.98
"""Ratio. Box2D 2.3 `k_relativeTol` in b2CollidePolygons: B's face is taken only where
``sep_b > 0.98 * sep_a + 0.001``, so that the reference face does not flicker between frames."""

BOX2D_ABSOLUTE_TOLERANCE = 0.001
"""Physical, meters. Box2D 2.3 `k_absoluteTol`, 0.2 of the linear slop; see `BOX2D_RELATIVE_TOLERANCE`."""

BOX2D_BOX_EXTENSION = 0.1
"""Physical, meters. Box2D 2.3 `b2_aabbExtension`: how much wider than the shape a box in its tree is, on every side."""

BOX2D_BOX_MULTIPLIER = 2.0
"""Ratio. Box2D 2.3 `b2_aabbMultiplier`: how many times a step's displacement such a box reaches ahead."""

BOX2D_HUGE_MARGIN = 4.0
"""Ratio. Box2D 2.4 `b2DynamicTree::MoveProxy`: a box in the tree that is wider than a new one would be by more than so many margins, on any
side, is replaced although what is in it has not left it: it was made for a speed that is over."""

BOX2D_EPSILON = EPS32
"""Physical, meters. Box2D 2.3 `b2_epsilon`: a circle's center nearer to a polygon than this lies inside it; two centers nearer
to each other have no direction of their own."""

BOX2D_TOI_BACKOFF = 3.0 * LINEAR_SLOP
"""Physical, meters. Box2D 2.3 b2TimeOfImpact aims at cores ``max(slop, radii - 3 * slop)`` apart: with two polygons' skins, one slop."""

BOX2D_TOI_TOLERANCE = 0.25 * LINEAR_SLOP
"""Physical, meters. Box2D 2.3 b2TimeOfImpact is content this near to its target."""

TOI_CONVERGENCE = 1e-9
"""Convergence, relative to the extents of both shapes. A time of impact is found when the gap left is at most this times the
extents, plus `TOI_ROUNDINGS` roundings: a nanometer on a meter. Newton-like steps reach it from 1e-3 in two."""

TOI_ROUNDINGS = 8.0
"""Rounding, times `SAT_ROUNDING`. A time of impact aims at half of its tolerance, so that four roundings of a gap, those of the
bound and those of the time itself, still leave it before the true touch."""

TOI_MAX_STEPS = 2000
"""Convergence, a count. Evaluations of a gap before a time of impact gives up with a lower bound. A step covers sqrt(2 gap / rho)
radians at least, so that a body turning by 50 radians within the step takes some hundreds."""

TOI_HALVINGS = 50
"""Convergence, a count. An interval is halved at most this often: 2^-50 of a sweep still has three bits to the right of its start."""

TOI_MAX_CORNERS = 2
"""Convergence, a count. Changes of the foremost corner that one step of an advancement follows; a chord, from the safe side, ends
what is left. Measured on 10,000 turning pairs of polygons of 3 to 8 corners: gaps measured a pair 5.2 with 1, 4.35 with 2, 4.34 with 3."""

GJK_MAX_ITERATIONS = 64
"""Convergence, supports of one GJK query. Polygons end by themselves, after at most 8 supports in a million adversarial pairs
(polygons of 128 corners, edges of 1e-14 m, sizes 1 to a million); this is only so that the kernel provably ends."""

ORIENTATION_ROUNDING = (3.0 + 8.0 * EPS64) * 0.5 * EPS64
"""Rounding, relative to the sum of the two products' magnitudes. A turn of three points larger than this has the right sign:
J. R. Shewchuk, 1997, bound A of the orientation test, ``(3 + 16 u) u`` with u = EPS64 / 2."""

SAFE_PRODUCT = float(np.finfo(np.float64).tiny) / EPS64
"""Rounding, square meters. Products summing to less than this, 1e-292, may have lost digits to underflow."""

BOX2D_ANGULAR_SLOP = 2.0 / 180.0 * np.pi
"""Physical. Box2D 2.3 `b2_angularSlop`, 2 degrees in radians: b2CollideEdgeAndPolygon takes a normal that lies outside the limits by
less than this, measured as a difference of cosines along the edge's normal."""

CLOSEST_CONVERGENCE = 1e-12
"""Convergence, relative to the size of the pair: alternating projections ends when its two bounds of the distance agree so far,
some hundred roundings of a projection."""

CLOSEST_MAX_ITERATIONS = 1000
"""Convergence, turns of alternating projections: enough for edges that meet at 0.17 rad (10 degrees), where a turn leaves 97 %
of the error and 28 errors' worth of e are to be lost; beyond that it should not be used."""

GRID_MARGIN = 2.0**-20
"""Rounding, relative to the cell of a grid: how much wider it is made than the widest box. The number of a cell is a product of
the distance from the grid's corner; over k cells it errs by about 2 k EPS64 cells, which stays below this up to 2e9 cells."""

RAY_ROUNDING = 4.0 * EPS64
"""Rounding, relative to the time of a segment's way. A time is a difference divided by a number, half an EPS64 each; two of them
are compared, one EPS64 each, and the product with this allowance rounds once more: two and a half, rounded up."""

SMALLEST_NORMAL = float(np.finfo(np.float64).smallest_normal)
"""Rounding, the smallest float64 with all its digits, 2.2e-308: by less than this does a quotient err that is smaller still."""

TRACE_TOLERANCE = LINEAR_SLOP
"""Physical, meters. How far the boundary of a traced outline may lie from the contour found, unless the caller says otherwise: the
depth that Box2D's solver leaves alone, and half a pixel at 100 pixels a meter."""

OVERLAY_GRID = 2.0**-30
"""Meters, a nanometer, to which corners of traced outlines are rounded: on a grid an overlay cannot fail, and a move by a multiple of half
of it is exact within 1,000 km (50 bits), so that an outline stays valid wherever it is put. GEOS, `geos::noding::snapround`."""

FLATTENING_SHARE = 0.1
"""Ratio. The part of a tracing's tolerance that curves take when they are made polygons; the simplification after it has the rest."""

SPECK_RADIUS = LINEAR_SLOP
"""Physical, meters. A part of an outline that holds no disc of this radius is thinner than `BOX2D_POLYGON_SKIN`, and a hole that
holds none is closed by the skins of its sides: both are left out of a tracing. At 100 pixels a meter, one pixel by itself is both."""

BOUNDING_ROUNDING = 16.0 * EPS64
"""Rounding, relative to the scale of a posed volume (|x| + |y| of its position, plus the extent of its shape, radius included): by so much
a bounding volume is made larger on every side, so that it contains each point in exact arithmetic. 32 halves of EPS64: turning and moving
a point costs 4, a projection on an axis or a distance from a center another 7, a walk round the hull that stops at the wrong one of two
equal corners 16 (`engine.bounding._kdop_kernel`)."""

WELZL_ROUNDING = 64.0 * EPS64
"""Rounding, relative to the extent of the points. A smallest circle is taken from the fast pass when the radius that holds all points is
within this of the radius that its two or three supporting points demand; else it is found again in fractions. The center of an
acute triangle errs by some ten roundings of the extent; 64 lets ordinary points pass."""

CAPSULE_CONVERGENCE = 1e-6
"""Convergence, relative to the extent of the points: the search for the least capsule ends when its ends move by less. Measured
on ten outlines, the area found was at most 0.07 % above the least known: creases, not this number, are what limits the search."""

FLOAT32_TURN = 8.0 * EPS32
"""Rounding, relative. A corner b of a polygon a, b, c is one for Box2D if twice the triangle's area is at least this times the square of
|ab| + |bc|: Box2D's hull asks for the sign of that area in float32, where two differences, two products and a last difference err by
3 EPS32 |ab| |ac| together. At the middle of an edge of 1 m it must stand out by 1 micrometer."""

FLOAT32_CORNER = EPS32
"""Rounding, relative to the largest distance of a polygon's corner from the local origin. So far off the line of its neighbors may a
corner be that lies on it and was rounded to float32: each coordinate errs by half an EPS32 of itself, so each corner by half an EPS32 of
its distance, and the point of the line opposite to it, between two such corners, by as much: one in all."""

FLAT_SHARE = 1e-3
"""Ratio. The part of a polygon's area that goes, at the most, with a corner that is left out as flat. A corner 3 nm off an edge of 1 m
takes 1e-9 of a square meter with it; where it is more than a thousandth, the polygon is so thin that it would become another."""

FLOAT32_AREA = 1.5 * EPS32
"""Rounding, relative to the square of the distance from the local origin, for each corner. `b2PolygonShape` sums twice n triangles from the
origin in float32 and asserts that their area exceeds EPS32; each term errs by half an EPS32 in two products, difference and sum."""

PROFILE_RESOLUTION = 0.002
"""Convergence, milliseconds. Box2D's clock counts microseconds (`gettimeofday`), in float32 below a thousand milliseconds, where a step is
0.06 of one: a time between two readings errs by two microseconds at the most."""

FLAT_PIXELS = 1.0
"""Picture, pixels. A polygon thinner than that is drawn as a line: filled, it would take a part of each pixel, or miss their centers."""
