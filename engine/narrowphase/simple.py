"""Introduction: overlap of points, circles and rectangles. Four tests in plain Python that contain the ideas of the later chapters.

**A point and a circle.** They touch if the distance of the point from the center is at most the radius.

**Two circles.** Shrink one to its center and enlarge the other by the same radius: gaps do not change, and the problem is the first one.
(This addition of two shapes is the Minkowski sum, on which all later chapters are based.) ::

         .---.   .-.             .-----.
        (  a  ) ( b )    =      (   a   ) . b       |ab| <= r_a + r_b
         `---'   `-'             `-----'

**A point and a rectangle.** In the rectangle's frame, the test is separate for each axis: ``|x| <= half width`` and ``|y| <= half height``.
If the test of x fails, the x axis separates the two, and y need not be tested.

**Two rectangles along the axes.** Their intervals must overlap on both axes. Shrinking one and enlarging the other shows why that suffices:
the sum of two such rectangles is again one, and a point is either inside or fails on one of two axes.

**Two rotated rectangles.** The sum of the two has eight edges, parallel to the edges of either, so four directions suffice (two of each,
because opposite edges are parallel). Along a direction n, a rectangle with half sizes w, h along its unit axes u, v extends from its center
by

    reach(n) = w |u.n| + h |v.n|

because a corner is ``+-w u +-h v``, and the best choice of signs makes both terms positive. The rectangles are separated exactly if along
one of the four directions the distance of the centers exceeds the sum of the two reaches::

              ____
             |    |      /\\
             | a  |     /b /
             |____|     \\/
        n ---[----]-----[--]------>        |n.(c_b - c_a)| > reach_a + reach_b

Shapes are closed: a touch within rounding (`SAT_ROUNDING` times the numbers' size) counts.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 4.2.1, 4.3.1, 4.4.1; S. Gottschalk, M. Lin, D. Manocha, "OBBTree", 1996,
for the reaches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.common.checks import finite, non_negative, point, positive
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.common.tolerances import SAT_ROUNDING
from engine.geometry import AABB

__all__ = ["Rectangle", "boxes_overlap", "circles_overlap", "point_in_box", "point_in_circle", "point_in_rectangle", "rectangles_overlap"]

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A solid rectangle of ``2 half_width x 2 half_height`` meters around `center`, rotated by `angle` radians.

    Raises
    ------
    InvalidShapeError
        A half size is not positive, or a number is not finite.
    """

    center: Point
    half_width: float
    half_height: float
    angle: float = 0.0

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "center", point("center", self.center))
            object.__setattr__(self, "half_width", positive("half_width", self.half_width, "m"))
            object.__setattr__(self, "half_height", positive("half_height", self.half_height, "m"))
            object.__setattr__(self, "angle", finite("angle", self.angle, "rad"))
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None

    def axes(self) -> tuple[Point, Point]:
        """Return the unit vectors along the width and along the height."""
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        return (cos, sin), (-sin, cos)


def point_in_circle(p: Point, center: Point, radius: float) -> bool:
    """Return True if a point lies in a circle.

    Examples
    --------
    >>> point_in_circle((3.0, 4.0), (0.0, 0.0), 5.0), point_in_circle((3.0, 4.1), (0.0, 0.0), 5.0)
    (True, False)
    """
    p, center, radius = point("p", p), point("center", center), non_negative("radius", radius, "m")
    return math.dist(p, center) <= radius + _touch(p, center, radius)


def circles_overlap(center_a: Point, radius_a: float, center_b: Point, radius_b: float) -> bool:
    """Return True if two circles share a point, including containment.

    Examples
    --------
    >>> circles_overlap((0.0, 0.0), 1.0, (3.0, 0.0), 2.0), circles_overlap((0.0, 0.0), 1.0, (3.1, 0.0), 2.0)
    (True, False)
    """
    return point_in_circle(center_b, center_a, non_negative("radius_a", radius_a, "m") + non_negative("radius_b", radius_b, "m"))


def point_in_box(p: Point, box: AABB) -> bool:
    """Return True if a point lies in an axis-aligned rectangle. It only compares numbers, so no tolerance is needed.

    Examples
    --------
    >>> point_in_box((1.0, 0.5), AABB((0.0, 0.0), (1.0, 1.0)))
    True
    """
    x, y = point("p", p)
    _want("box", box, AABB)
    return box.lower[0] <= x <= box.upper[0] and box.lower[1] <= y <= box.upper[1]


def boxes_overlap(a: AABB, b: AABB) -> bool:
    """Return True if two axis-aligned rectangles share a point, only by comparisons.

    Examples
    --------
    >>> boxes_overlap(AABB((0.0, 0.0), (1.0, 1.0)), AABB((1.0, 1.0), (2.0, 2.0)))
    True
    """
    _want("a", a, AABB)
    _want("b", b, AABB)
    on_x = a.lower[0] <= b.upper[0] and b.lower[0] <= a.upper[0]
    on_y = a.lower[1] <= b.upper[1] and b.lower[1] <= a.upper[1]
    return on_x and on_y


def point_in_rectangle(p: Point, rectangle: Rectangle) -> bool:
    """Return True if a point lies in a rotated rectangle.

    Examples
    --------
    >>> point_in_rectangle((1.2, 0.0), Rectangle((0.0, 0.0), 1.0, 1.0, math.pi / 4))
    True
    """
    p = point("p", p)
    _want("rectangle", rectangle, Rectangle)
    dx, dy = p[0] - rectangle.center[0], p[1] - rectangle.center[1]
    (ux, uy), (vx, vy) = rectangle.axes()
    touch = _touch(p, rectangle.center, rectangle.half_width + rectangle.half_height)
    return abs(dx * ux + dy * uy) <= rectangle.half_width + touch and abs(dx * vx + dy * vy) <= rectangle.half_height + touch


def rectangles_overlap(a: Rectangle, b: Rectangle) -> bool:
    """Return True if two rotated rectangles share a point.

    Examples
    --------
    >>> a = Rectangle((0.0, 0.0), 1.0, 1.0)
    >>> [rectangles_overlap(a, Rectangle((x, 0.0), 1.0, 1.0, math.pi / 4)) for x in (2.4, 2.5)]
    [True, False]
    """
    _want("a", a, Rectangle)
    _want("b", b, Rectangle)
    dx, dy = b.center[0] - a.center[0], b.center[1] - a.center[1]
    touch = _touch(a.center, b.center, a.half_width + a.half_height + b.half_width + b.half_height)
    for nx, ny in (*a.axes(), *b.axes()):
        reach = 0.0
        for rectangle in (a, b):
            (ux, uy), (vx, vy) = rectangle.axes()
            reach += rectangle.half_width * abs(ux * nx + uy * ny) + rectangle.half_height * abs(vx * nx + vy * ny)
        if abs(dx * nx + dy * ny) > reach + touch:
            return False
    return True


def _touch(p: Point, q: Point, size: float) -> float:
    return SAT_ROUNDING * (abs(p[0]) + abs(p[1]) + abs(q[0]) + abs(q[1]) + size)


def _want(field: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise InvalidInputError(field, f"an {kind.__name__}" if kind is AABB else f"a {kind.__name__}", value)
