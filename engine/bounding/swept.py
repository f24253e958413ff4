"""Volumes of a moving shape: they contain it at every moment of a `Sweep`, not only at the two that are looked at.

**Translation.** A point moves on a straight line, so a convex volume that contains it at both ends contains it in between: the box around
both boxes, the hull of both hulls; and of a circle the capsule with the circles at its ends, exactly.

**Rotation.** Let the centre of rotation c move on its straight line, and a point at q from it turn by an angle D in all. At the
fraction t it is at ``c(t) + R(t D) q``, and the line between its two ends at ``c(t) + (1 - t) q + t R(D) q``. The two differ by
no more than a function differs from its linear interpolation: t (1 - t) / 2 times the largest second derivative, which is D^2
|q|::

         .-- . --.    <- up to  |q| D^2 / 8  above the chord           t (1 - t) / 2  <=  1 / 8
       .' chord   `.
      *-------------*      so: the volume of both ends, larger by |q| D^2 / 8 all round, contains the point at every t
       \\           /
      q \\    D    / R(D) q
         \\       /
            c

(Second derivative of R(t D) q by t: -D^2 R(t D) q, of length D^2 |q|.) The same t belongs to c(t), so translation adds nothing to
it. The bound falls with the square of D: the sweep is cut into pieces of `SWEPT_PIECE` at most, and the volume is built from the
poses at all cuts. A shape that turns once or more sweeps a whole disc; then the capsule of the disc around c contains it whatever
it does on the way.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 4.5 (volumes swept by a sphere) and 5.5 (moving volumes); the bound of the
error of linear interpolation is that of any book on numerical analysis.
"""

from __future__ import annotations

import math

import numpy as np

from engine.bounding.boxes import fitted_box, grown_box
from engine.bounding.capsule import BoundingCapsule
from engine.bounding.circles import smallest_circle
from engine.bounding.cloud import Cloud, Points, cloud_of
from engine.bounding.hull import BoundingHull, bounding_hull
from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError
from engine.common.tolerances import BOUNDING_ROUNDING, EPS64, SWEPT_PIECE
from engine.geometry import AABB, Sweep

__all__ = ["swept_box", "swept_circle", "swept_hull"]


def swept_box(points: Points, sweep: Sweep) -> AABB:
    """Return an upright box that contains points, or a shape with its radius, at every fraction of a sweep.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> box = swept_box(Circle(1.0), Sweep(Transform(), Transform((5.0, 0.0))))
    >>> round(box.lower[0], 9), round(box.upper[0], 9)
    (-1.0, 6.0)
    """
    cloud = cloud_of(points)
    corners, around = _poses(cloud, _checked(sweep))
    return grown_box(fitted_box(corners), around)


def swept_circle(points: Points, sweep: Sweep) -> BoundingCapsule:
    """Return a capsule that contains points, or a shape with its radius, at every fraction of a sweep.

    Of two the smaller: the smallest circle of the shape, taken along its own way, its centre's arc added to the radius; and the circle
    about the centre of rotation, which no rotation moves.
    """
    cloud = cloud_of(points)
    sweep = _checked(sweep)
    rounding, center = _rounding(cloud, sweep), sweep.local_center
    reach = _reach(cloud, center) + cloud.radius + rounding
    about_center = BoundingCapsule(sweep.start.apply(center), sweep.end.apply(center), reach)
    circle = smallest_circle(cloud)
    arc = math.dist(circle.center, center) * _turn(sweep) ** 2 / 8.0
    own = BoundingCapsule(sweep.start.apply(circle.center), sweep.end.apply(circle.center), circle.radius + arc + rounding)
    return min(own, about_center, key=lambda capsule: capsule.area)


def swept_hull(points: Points, sweep: Sweep) -> BoundingHull:
    """Return a convex hull, rounded, that contains points, or a shape with its radius, at every fraction of a sweep."""
    cloud = cloud_of(points)
    corners, around = _poses(cloud, _checked(sweep))
    hull = bounding_hull(corners)
    return BoundingHull(hull.vertices, hull.radius + around)


def _poses(cloud: Cloud, sweep: Sweep) -> tuple[FloatArray, float]:
    """Return points whose hull, made larger by the number, contains the cloud at every moment."""
    turn, center = _turn(sweep), sweep.local_center
    reach, rounding = _reach(cloud, center), _rounding(cloud, sweep)
    if turn >= 2.0 * math.pi:
        return np.array([sweep.start.apply(center), sweep.end.apply(center)]), reach + cloud.radius + rounding
    n = max(1, math.ceil(turn / SWEPT_PIECE))
    corners = np.concatenate([sweep.at(k / n).apply_array(cloud.points) for k in range(n + 1)])
    return corners, cloud.radius + reach * (turn / n) ** 2 / 8.0 + rounding


def _turn(sweep: Sweep) -> float:
    return abs(sweep.end.angle - sweep.start.angle)


def _reach(cloud: Cloud, center: tuple[float, float]) -> float:
    """How far from the centre of rotation the farthest point lies."""
    return float(np.hypot(cloud.points[:, 0] - center[0], cloud.points[:, 1] - center[1]).max())


def _rounding(cloud: Cloud, sweep: Sweep) -> float:
    """Bound the rounding of a pose on the way.

    The positions at both ends, and the way between them, as for any pose; and an angle, itself rounded, turns the farthest point by as much
    times its distance.
    """
    size = cloud.extent + math.hypot(*sweep.local_center)
    places = sum(abs(x) + abs(y) for x, y in (sweep.start.position, sweep.end.position))
    angles = abs(sweep.start.angle) + abs(sweep.end.angle)
    return BOUNDING_ROUNDING * (places + 2.0 * size) + EPS64 * angles * size


def _checked(sweep: object) -> Sweep:
    if not isinstance(sweep, Sweep):
        raise InvalidInputError("sweep", "a Sweep", sweep)
    return sweep
