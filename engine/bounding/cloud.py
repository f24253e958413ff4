"""The input of every bounding volume: points, and a radius around each of them.

A convex bounding volume contains a shape if and only if it contains the discs around the points of the shape's core, which is the case if
and only if it contains the discs around the corners of the core's convex hull. So a disc is one point and a radius, a capsule two, a
polygon with a skin its corners; for several shapes, or a non-convex outline, only the corners of the hull matter::

        * . . *             a few of many points, and the radius:
       .  o o  .            *  corner of the hull, kept
      * o   o . *           o  inside, forgotten
       . o .  .
         *

**Rounding.** Each number of a volume is an upper bound, which rounding can make slightly too small. So each is increased by
`BOUNDING_ROUNDING` times the scale of the numbers from which it was computed. The volume contains the exact shape at a pose, ``R local +
position`` computed without rounding from the cosine, the sine and the position of the `Transform`. The comparisons of an overlap test use
either conservative numbers, or a margin of their own. Hence shapes that share a point exactly have overlapping volumes, whatever their size
and position.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, finite_rows, frozen
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.tolerances import BOUNDING_ROUNDING
from engine.geometry import AnyShape, ConvexShape, Transform, convex_hull

__all__ = ["Cloud", "Points", "area_of_rounded", "cloud_of", "margin_at"]


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Points with a radius, body frame, meters; made by `cloud_of`.

    Attributes
    ----------
    points : float64 (n, 2), read-only
        Corners of the convex hull, counter-clockwise; the two ends if all points lie on a line, or a single point.
    radius : float
        Radius of the disc around every point.
    mean : (float, float)
        Mean of all given points, including those inside the hull.
    extent : float
        Distance of the farthest point from the body's origin, radius included.
    """

    points: FloatArray
    radius: float
    mean: tuple[float, float]
    extent: float


Points: TypeAlias = ArrayLike | AnyShape | Sequence[AnyShape] | Cloud
"""Input of a bounding volume: points (n, 2), a shape, several shapes, or an existing cloud."""


def cloud_of(points: Points) -> Cloud:
    """Return the points, and the radius around them, that a volume must contain.

    The largest radius is used for all shapes, which is conservative; if that is wasteful, build one volume per shape.

    Raises
    ------
    InvalidShapeError
        There is no point, the array is not (n, 2), or a number is not finite.

    Examples
    --------
    >>> from engine.geometry import Capsule
    >>> cloud_of(Capsule((-1.0, 0.0), (1.0, 0.0), 0.5)).extent
    1.5
    >>> len(cloud_of([(0, 0), (2, 0), (1, 0.5), (1, 2), (1, 1)]).points)
    3
    """
    if isinstance(points, Cloud):
        return points
    if isinstance(points, ConvexShape):
        return _cloud(points.core, points.radius)
    if isinstance(points, Sequence) and len(points) > 0 and all(isinstance(shape, ConvexShape) for shape in points):
        shapes = [shape for shape in points if isinstance(shape, ConvexShape)]
        return _cloud(np.concatenate([shape.core for shape in shapes]), max(shape.radius for shape in shapes))
    try:
        rows = finite_rows("points", points, 2)  # type: ignore[arg-type]
    except InvalidInputError as error:
        raise InvalidShapeError(error.field, error.requirement, error.value) from None
    if len(rows) == 0:
        raise InvalidShapeError("points", "at least one point", Described("none"))
    return _cloud(rows, 0.0)


def margin_at(cloud: Cloud, xf: Transform) -> float:
    """Return the margin by which a volume of this cloud at this pose must be enlarged for rounding."""
    return BOUNDING_ROUNDING * (abs(xf.position[0]) + abs(xf.position[1]) + cloud.extent)


def area_of_rounded(corners: FloatArray, radius: float) -> float:
    """Return the area of a convex polygon (a segment, a point) with a radius around it, by Steiner: A + perimeter r + pi r^2.

    Examples
    --------
    >>> round(area_of_rounded(np.array([(0.0, 0.0), (2.0, 0.0)]), 0.5) - math.pi / 4, 12)
    2.0
    """
    after = np.roll(corners, -1, axis=0)
    own = corners - corners[0]
    next_own = after - corners[0]
    area = 0.5 * float((own[:, 0] * next_own[:, 1] - own[:, 1] * next_own[:, 0]).sum())
    around = float(np.hypot(*(after - corners).T).sum())  # both sides of a segment, as required by the formula
    return abs(area) + around * radius + math.pi * radius * radius


def _cloud(points: FloatArray, radius: float) -> Cloud:
    mean = points.mean(axis=0)
    extent = float(np.hypot(points[:, 0], points[:, 1]).max()) + radius
    return Cloud(frozen(_hull_or_less(points)), radius, (float(mean[0]), float(mean[1])), extent)


def _hull_or_less(points: FloatArray) -> FloatArray:
    """Return the corners of the hull, or the two ends if all points lie on a line."""
    try:
        return convex_hull(points)
    except InvalidShapeError:
        order = np.lexsort((points[:, 1], points[:, 0]))
        ends = points[order[[0, -1]]]
        return np.ascontiguousarray(ends[:1] if (ends[0] == ends[1]).all() else ends)
