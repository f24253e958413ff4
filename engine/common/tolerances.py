"""Tolerances, each with its unit, reason and source.

There are four kinds: *rounding* (machine epsilon times the input's scale), *convergence* (specific to an algorithm), *physical* (meters)
and *comparison* (only in `engine.compare.allowances`).
"""

from __future__ import annotations

import numpy as np

EPS64 = float(np.finfo(np.float64).eps)
"""Rounding: spacing of float64 at 1, 2.2e-16; the relative error of a correctly rounded operation is at most half of it."""

EPS32 = float(np.finfo(np.float32).eps)
"""Rounding: spacing of float32 at 1, 1.2e-7; Box2D computes in float32."""

COLLINEAR_ROUNDING = 16.0 * EPS64
"""Rounding, relative. A vertex is collinear with its neighbors if its distance from their line is at most this times the largest
coordinate: the vertices of a rotated and translated polygon carry about four roundings of that size each, and the test uses three
vertices."""

LINEAR_SLOP = 0.005
"""Physical, meters. Box2D 2.3 `b2_linearSlop`: penetration that the solver does not correct."""

BOX2D_POLYGON_SKIN = 2.0 * LINEAR_SLOP
"""Physical, meters. Box2D 2.3 `b2_polygonRadius`: radius of the skin around every polygon and edge."""

SAT_ROUNDING = 16.0 * EPS64
"""Rounding, relative to the input's scale (distances of both positions from the world's origin plus both extents). Two separations that
differ by less are considered equal, and a smaller gap counts as touching. A vertex transformed from B's frame to A's carries about 7
roundings of half EPS64 each, the unit normal 10, their product 2: 19 halves, rounded up to 32."""

BOX2D_RELATIVE_TOLERANCE = 0.98
"""Ratio. Box2D 2.3 `k_relativeTol` in b2CollidePolygons: B's face is the reference face only if ``sep_b > 0.98 * sep_a + 0.001``, so that
the reference face does not flicker between frames."""

BOX2D_ABSOLUTE_TOLERANCE = 0.001
"""Physical, meters. Box2D 2.3 `k_absoluteTol`, 0.2 of the linear slop; see `BOX2D_RELATIVE_TOLERANCE`."""

BOX2D_BOX_EXTENSION = 0.1
"""Physical, meters. Box2D 2.3 `b2_aabbExtension`: margin of a box in the tree around the shape, on every side."""

BOX2D_BOX_MULTIPLIER = 2.0
"""Ratio. Box2D 2.3 `b2_aabbMultiplier`: extension of such a box along the motion, in displacements of one step."""

BOX2D_EPSILON = EPS32
"""Physical, meters. Box2D 2.3 `b2_epsilon`: a circle's center closer than this to a polygon counts as inside it; two centers closer than
this have no direction."""

BOX2D_TOI_BACKOFF = 3.0 * LINEAR_SLOP
"""Physical, meters. Box2D 2.3 b2TimeOfImpact targets a core distance of ``max(slop, radii - 3 * slop)``: one slop for two polygons."""

BOX2D_TOI_TOLERANCE = 0.25 * LINEAR_SLOP
"""Physical, meters. Box2D 2.3 b2TimeOfImpact accepts a distance within this of its target."""

TOI_CONVERGENCE = 1e-9
"""Convergence, relative to the extents of both shapes. The TOI search ends when the remaining gap is at most this times the extents, plus
`TOI_ROUNDINGS` roundings: a nanometer for shapes of a meter. Newton-like steps reach it from 1e-3 in two iterations."""

TOI_ROUNDINGS = 8.0
"""Rounding, times `SAT_ROUNDING`. The TOI search targets half its tolerance, so that four roundings of a gap, plus those of the bound and
the time itself, still give a result before true contact."""

TOI_MAX_STEPS = 2000
"""Convergence, count. Maximum number of gap evaluations before the TOI search returns a lower bound. A step covers at least sqrt(2 gap /
rho) radians, so that a body that turns by 50 radians within the step takes some hundreds."""

TOI_HALVINGS = 50
"""Convergence, count. Maximum number of bisections of an interval: after these, float64 still resolves 2^-50 of a sweep with three bits."""

TOI_MAX_CORNERS = 2
"""Convergence, count. Maximum number of changes of the support vertex that one advancement step follows; a conservative chord step
covers the rest. Gap evaluations per pair, measured on 10,000 pairs of rotating polygons of 3 to 8 vertices: 5.2 with 1, 4.35 with 2,
4.34 with 3."""

GJK_MAX_ITERATIONS = 64
"""Convergence, supports of one GJK query. For polygons GJK terminates by itself, after at most 8 supports in a million adversarial pairs
(polygons of 128 vertices, edges of 1e-14 m, sizes 1 to a million); this limit only makes termination provable."""

ORIENTATION_ROUNDING = (3.0 + 8.0 * EPS64) * 0.5 * EPS64
"""Rounding, relative to the sum of the two products' magnitudes. An orientation determinant that exceeds this is certain to
have the right sign: J. R. Shewchuk, 1997, bound A of the orientation test, ``(3 + 16 u) u`` with u = EPS64 / 2."""

SAFE_PRODUCT = float(np.finfo(np.float64).tiny) / EPS64
"""Rounding, square meters. Products with a sum below this, 1e-292, may have lost digits to underflow."""

BOX2D_ANGULAR_SLOP = 2.0 / 180.0 * np.pi
"""Physical. Box2D 2.3 `b2_angularSlop`, 2 degrees in radians: b2CollideEdgeAndPolygon accepts a normal outside its limits by less than
this, measured as a difference of cosines along the edge's normal."""

CLOSEST_CONVERGENCE = 1e-12
"""Convergence, relative to the size of the pair: alternating projections ends when the difference of its two bounds on the distance is at
most this, some hundred roundings of a projection."""

CLOSEST_MAX_ITERATIONS = 1000
"""Convergence, iterations of alternating projections: enough for edges that meet at 0.17 rad (10 degrees), where an iteration leaves 97 %
of the error, to reduce it by e^28; the method is not meant for smaller angles."""

GRID_MARGIN = 2.0**-20
"""Rounding, relative to the cell of a grid: margin of a cell over the widest box. A cell index is a product of the distance from the grid's
corner; over k cells it errs by about 2 k EPS64 cells, which stays below this up to 2e9 cells."""

RAY_ROUNDING = 4.0 * EPS64
"""Rounding, relative to the parameter at which a segment crosses a side of a box. The parameter is the quotient of a difference and a
number, whose two roundings are half an EPS64 each. Two such parameters are compared, at one EPS64 each, and the product with this allowance
is rounded once more; the total of two and a half is rounded up."""

MIN_NORMAL = float(np.finfo(np.float64).smallest_normal)
"""Rounding: smallest normal float64, 2.2e-308. Smaller quotients err by less than this."""

TRACE_TOLERANCE = LINEAR_SLOP
"""Physical, meters. Default maximum distance of a traced outline from the contour found: the depth that Box2D's solver does not
correct, and half a pixel at 100 pixels per meter."""

OVERLAY_GRID = 2.0**-30
"""Meters. Grid, about a nanometer, to which vertices of traced outlines are rounded: on a grid an overlay cannot fail, and a translation by
a multiple of half the grid is exact within 1,000 km (50 bits), so that an outline remains valid wherever it is moved. GEOS,
`geos::noding::snapround`."""

FLATTENING_SHARE = 0.1
"""Ratio. Fraction of a tracing's tolerance for flattening curves; the subsequent simplification gets the rest."""

SPECK_RADIUS = LINEAR_SLOP
"""Physical, meters. A part of an outline that contains no disk of this radius is thinner than `BOX2D_POLYGON_SKIN`, and a hole that
contains none is closed by the skins of its sides: tracing omits both. At 100 pixels per meter this includes single pixels."""

BOUNDING_ROUNDING = 16.0 * EPS64
"""Rounding, relative to the scale of a posed volume (|x| + |y| of its position, plus the extent of its shape, radius included). A bounding
volume is enlarged by this on every side, so that it contains each point in exact arithmetic. 32 halves of EPS64: rotating and translating a
point costs 4, a projection on an axis or a distance from a center another 7, a walk along the hull that stops at the wrong one of two equal
vertices 16 (`engine.bounding._kdop_kernel`)."""

WELZL_ROUNDING = 64.0 * EPS64
"""Rounding, relative to the extent of the points. The smallest circle of the fast pass is accepted if the radius that contains all points
is within this of the radius through its two or three supporting points; otherwise it is computed again in fractions. The center of an acute
triangle errs by some ten roundings of the extent; 64 accepts ordinary points."""

CAPSULE_CONVERGENCE = 1e-6
"""Convergence, relative to the extent of the points: the search for the smallest capsule ends when its ends move by less. On ten outlines
the area found was at most 0.07 % above the smallest known: the search is limited by creases of the objective, not by this number."""

FLOAT32_TURN = 8.0 * EPS32
"""Rounding, relative. Box2D accepts the middle vertex of a, b, c if twice the triangle's area is at least this times the square of |ab| +
|bc|: its hull computes the sign of that area in float32, where two differences, two products and a final difference err by 3 EPS32 |ab|
|ac| in total. At the middle of an edge of 1 m the vertex must protrude by 1 micrometer."""

FLOAT32_CORNER = EPS32
"""Rounding, relative to the largest distance of a polygon's vertices from the local origin. A vertex on the line of its neighbors may be
this far off it after rounding to float32: each coordinate errs by half an EPS32 of itself, so each vertex by half an EPS32 of its distance,
and the opposite point of the line, between two such vertices, by as much: one EPS32 in total."""

FLAT_SHARE = 1e-3
"""Ratio. Maximum fraction of a polygon's area that is lost with a vertex that is dropped as flat. A vertex 3 nm off an edge of 1 m
takes 1e-9 m^2 with it; if this is more than a thousandth, the polygon is so thin that its shape would change."""

FLOAT32_AREA = 1.5 * EPS32
"""Rounding, relative to the square of the distance from the local origin, per vertex. `b2PolygonShape` sums twice the areas of n
triangles from the origin in float32 and asserts that their area exceeds EPS32; each term errs by half an EPS32 in two products,
difference and sum."""

PROFILE_RESOLUTION = 0.002
"""Convergence, milliseconds. Box2D's clock counts microseconds (`gettimeofday`) in float32 milliseconds, whose spacing below 1000 ms is
0.06 us: the difference of two readings errs by at most two microseconds."""

FLAT_PIXELS = 1.0
"""Drawing, pixels. A polygon thinner than this is drawn as a line: filled, it would cover only part of each pixel, or no pixel's center."""
