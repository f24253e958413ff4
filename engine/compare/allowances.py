"""Allowed errors of Box2D's float32 answers. The only place with such numbers.

Both sides get the same float32 numbers (vertices, positions, angles), so differences are Box2D's rounding. Let u = EPS32 / 2 be the largest
relative error of one operation, and S, the *scale* of a pair, the sum of the distances of the two positions from the world's origin and the
two extents: no number in the computation is larger. Our error has the same terms with float64's u, half a billion times smaller, and is
neglected.

Step by step, worst case, neglecting terms in u^2:

==================  ===========================================================================================  =========
world vertex        cosine and sine are float32 results, 2u each at the worst; two products and a sum: 2u more;       5 u S
                    the position is added: u
stored unit normal  an edge rounded once, u; its squared length, root and quotient: 3u                                 4 u
world normal        turned (4u) and turned back into the other's frame (4u): 8u more                                  12 u
separation          difference of two world vertices (5 + 5 + 1) u S, times the normal (12 u S), the dot product      26 u S
                    itself 2u S, the sum 1 u S
clipped end         two planes, each at a distance known to 26 u S: the end moves by at most twice that along      (5 + 104 f)
                    the incident edge, grown by f = 1 / cos(incident, reference); 5 u S of its own                      u S
contact point       the end; back to local and out again at float64 (9 u S); half the separation's error (13 u S)  (27 + 104 f)
                                                                                                                       u S
==================  ===========================================================================================  =========

where f = 0 if no plane cut. Circles: two centers to the world (5 u S each), their difference (u S): 11 u S; a direction taken
over a distance d therefore errs by 11 u S / d, and the point by the circle's radius times that, in addition to its own rounding.

b2Distance (behind b2TestOverlap) finds two witness points as weighted means of world vertices (5 u S each, weights 3 u each on two
vertices: 6 u S) and subtracts them: 23 u S; its answer "overlap" means a distance below 10 EPS32. Asked for a
distance it subtracts the radii (2 u S more: 25 u S), and answers 0 where the cores are within EPS32 of each other.

b2TimeOfImpact takes whole turns off both angles first (the turns' number times a float32 2 pi, half u off, and one subtraction: 2.5 u of
the angle) and interpolates positions and angles (3 u of each: S then holds the reach of each core times its angle too) before it takes
a vertex to the world: 10.5 u S instead of 5. Its separation is therefore known to (10.5 + 10.5 + 1) + 12 + 2 + 1 = 37 u S.

TestPoint and RayCast take a point into the shape's frame (5 u S, as for a vertex), subtract a vertex (u S), and multiply by a stored
normal (4 u S) in a dot product (3 u S): the surface is known to 13 u S. A ray's translation carries twice u S, its place on the ray
u S more, for which the ray's scale counts its end too: 16 u S. A circle's ray has a discriminant c^2 - w^2 b, with c = s.w,
b = s^2 - r^2 and s from the center to the start: 7 u of c^2, 8 u of the other, 1 u of the difference, all times s^2 w^2; so the square of
the ray's distance from the center is known to E = 16 u s^2, and the surface to r - sqrt(r^2 - E), or sqrt(E) where r^2 is less.

ComputeAABB takes vertices to the world (5 u S) and adds the radius (u S): a side of a box is known to 6 u S. For the tree, a body's
position before a step is found again from its center of mass (there and back, 5 + 6 u S: 17 u S of a side), and twice the displacement
(2 (11 + 1) u S, one more for the product) and the extension (u S each) are added: 17 + 25 + 2 = 44 u S.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_EPSILON, EPS32

__all__ = [
    "MAX_AGREEING_AMPLIFICATION",
    "MAX_AGREEING_TURN",
    "OVERLAP_THRESHOLD",
    "centroid_allowance",
    "circle_turn",
    "direction_allowance",
    "discriminant_allowance",
    "distance_allowance",
    "impact_allowance",
    "is_determined",
    "lever_allowance",
    "normal_allowance",
    "overlap_allowance",
    "point_allowance",
    "pose_allowance",
    "scale_of",
    "separation_allowance",
    "surface_allowance",
    "tree_box_allowance",
    "velocity_allowance",
]

_U = 0.5 * EPS32

OVERLAP_THRESHOLD = 10.0 * EPS32
"""Meters. b2TestOverlap's own limit: a smaller distance counts as overlap."""

MAX_AGREEING_AMPLIFICATION = 32.0
"""Ratio. The clipped ends of an incident edge steeper than this against the reference edge (within 1.8 degrees of the perpendicular) are
not determined by float32: a difference there must be proved to be caused by rounding.
"""

MAX_AGREEING_TURN = 1e-3
"""Radians. Likewise for a circle's direction between points so close that rounding could rotate it by more than this."""


def scale_of(poses_a: FloatArray, poses_b: FloatArray, extent_a: FloatArray, extent_b: FloatArray) -> FloatArray:
    """Return S of each pair, meters."""
    reach_a = np.abs(poses_a[:, 0]) + np.abs(poses_a[:, 1])
    reach_b = np.abs(poses_b[:, 0]) + np.abs(poses_b[:, 1])
    scale: FloatArray = reach_a + reach_b + extent_a + extent_b
    return scale


def _of_scale(n_roundings: float, more: float = 0.0) -> Callable[[FloatArray], FloatArray]:
    """Return an allowance of a number of u times each scale S, plus `more`, meters."""
    return lambda scale: n_roundings * _U * scale + more


separation_allowance = _of_scale(26.0)
"""Error of one separation, meters."""

overlap_allowance = _of_scale(23.0, OVERLAP_THRESHOLD)
"""Error of b2Distance, meters, and its own threshold."""

distance_allowance = _of_scale(25.0, BOX2D_EPSILON)
"""Error of b2Distance's result, with or without radii, meters."""

impact_allowance = _of_scale(37.0)
"""Error of a separation at a fraction of a sweep in b2TimeOfImpact, meters; its convergence, a quarter of the slop, is beside this."""

surface_allowance = _of_scale(16.0)
"""Error of a point's or a ray's distance from a surface in TestPoint and RayCast, meters."""

tree_box_allowance = _of_scale(44.0)
"""Error of a side of a box in Box2D's tree, meters."""


def direction_allowance() -> float:
    """Error of the dot product of two unit normals, each rotated to the other's frame: 12 u each, and 2 u of its own."""
    return 26.0 * _U


def point_allowance(scale: FloatArray, amplification: FloatArray, is_polygons: NDArray[np.bool_], extent: FloatArray) -> FloatArray:
    """Error of a contact point, meters; `amplification` as the manifold kernel gives it, `extent` the circle's reach."""
    polygons = (27.0 + 104.0 * amplification) * _U * scale
    circles = 27.0 * _U * scale + extent * circle_turn(scale, amplification)
    return np.where(is_polygons, polygons, circles)


def normal_allowance(scale: FloatArray, amplification: FloatArray, is_polygons: NDArray[np.bool_]) -> FloatArray:
    """Error of a world normal: 12 u from an edge; a direction over a distance d adds 11 u S / d (a circle's `amplification`)."""
    return 12.0 * _U + np.where(is_polygons, 0.0, circle_turn(scale, amplification))


def circle_turn(scale: FloatArray, amplification: FloatArray) -> FloatArray:
    """Angle by which rounding can rotate a direction over a distance d, 11 u S / d; from 2 on, the direction is arbitrary."""
    turn: FloatArray = np.minimum(2.0, 11.0 * _U * scale * amplification)
    return turn


def is_determined(scale: FloatArray, amplification: FloatArray, is_polygons: NDArray[np.bool_]) -> FloatArray:
    """Return where float32 determines the answer well enough for agreement to be significant."""
    return np.where(is_polygons, amplification <= MAX_AGREEING_AMPLIFICATION, circle_turn(scale, amplification) <= MAX_AGREEING_TURN)


def discriminant_allowance(away: FloatArray, radius: FloatArray) -> FloatArray:
    """Return the rounding error of the discriminant of a ray `away` meters from a circle's center, as meters of the surface:
    of radius^2 - E, and E itself of a circle that the loss makes vanish."""
    lost = 16.0 * _U * away * away
    room = radius * radius - lost
    allowance: FloatArray = np.where(room > 0.0, lost / (radius + np.sqrt(np.maximum(room, 0.0))), np.sqrt(lost))
    return allowance


def centroid_allowance(n_vertices: IntArray, extent: FloatArray, area: FloatArray) -> FloatArray:
    """Error of Box2D's centroid where only ours is known, meters: n triangles from the local origin, each area within 3 u
    extent^2 and weighted by at most the extent, divided by the area; thin polygons far from their origin fare worst."""
    allowance: FloatArray = 6.0 * _U * n_vertices * extent**3 / area
    return allowance


def velocity_allowance(speed: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the allowed error of Box2D's velocity after a step, m/s, if its sweeps and the exact ones agree.

    Eight roundings of the velocity itself: gravity, damping, and three constraints' worth of impulses; and lever arms, which are
    differences of world positions, known to 11 u S, of bodies of a tenth of a meter and more: 110 u S of every meter a second. The effect
    of many sweeps and bodies is measured, not bounded: the same sweeps in float32, and from poses moved within `lever_allowance`
    (`engine.compare.motion.judge`).

    Parameters
    ----------
    speed : (n,)
        The largest speed in the step, m/s.
    scale : (n,)
        Distance from the origin plus extent, meters.
    """
    return _U * speed * (8.0 + 110.0 * scale)


def pose_allowance(speed: FloatArray, scale: FloatArray, dt: float) -> FloatArray:
    """Return the allowed error of Box2D's pose after a step of `dt` seconds, m, without its position correction.

    The center of mass is computed from the origin and moved, and the origin computed back: 17 u S, plus the velocity's error times dt.
    """
    return _U * 17.0 * scale + dt * velocity_allowance(speed, scale)


def lever_allowance(pose: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the allowed error of poses (n, 3) compared to the lever arms and directions of Box2D's constraints, m and rad.

    An arm is a difference of world positions, known to 11 u S; cosine and sine are known to 2 u, and half u of the angle is lost before.
    """
    bounds: FloatArray = np.column_stack((11.0 * scale, 11.0 * scale, 2.0 + 0.5 * np.abs(pose[:, 2])))
    return _U * bounds
