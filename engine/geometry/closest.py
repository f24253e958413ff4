"""The nearest point of a segment to a point, and the nearest points of two segments, in plain Python.

A point of the segment is ``a + t (b - a)`` with t in [0, 1]. The distance from p is least on the whole line where the
difference is at right angles to it, ``t = (p - a).(b - a) / |b - a|^2``, and on the segment at the t of [0, 1] nearest to that,
for the squared distance is a parabola in t::

        t < 0  :   0 <= t <= 1   :  t > 1
          p    :       p         :    p
            \\  :       |         :  /
              \\a------+----------b/

Two segments that do not cross are nearest at an end of one of them, for along two parallel lines the distance is the same
everywhere and along others it falls toward one side; four nearest points decide. Segments that cross share that point.

Source: C. Ericson, Real-Time Collision Detection, 2005, 5.1.2 and 5.1.9.
"""

from __future__ import annotations

import math

__all__ = ["Point", "closest_on_segment", "closest_on_segments"]

Point = tuple[float, float]


def closest_on_segment(p: Point, a: Point, b: Point) -> tuple[Point, float]:
    """Return the point of the segment from a to b nearest to p, and its t in [0, 1]; t is 0 if a and b are the same.

    Examples
    --------
    >>> closest_on_segment((1.0, 5.0), (0.0, 0.0), (4.0, 0.0))
    ((1.0, 0.0), 0.25)
    """
    ex, ey = b[0] - a[0], b[1] - a[1]
    along, length_sq = (p[0] - a[0]) * ex + (p[1] - a[1]) * ey, ex * ex + ey * ey
    if along <= 0.0 or length_sq == 0.0:
        return a, 0.0
    if along >= length_sq:
        return b, 1.0
    t = along / length_sq
    return (a[0] + t * ex, a[1] + t * ey), t


def closest_on_segments(a: Point, b: Point, c: Point, d: Point) -> tuple[Point, Point]:
    """Return the nearest points of the segments ab and cd; if they cross, both are the point of intersection.

    Examples
    --------
    >>> closest_on_segments((0.0, 0.0), (4.0, 0.0), (1.0, 3.0), (1.0, 1.0))
    ((1.0, 0.0), (1.0, 1.0))
    >>> closest_on_segments((0.0, 0.0), (4.0, 0.0), (1.0, 3.0), (1.0, -1.0))
    ((1.0, 0.0), (1.0, 0.0))
    """
    c_side, d_side, a_side, b_side = _side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)
    if c_side * d_side < 0.0 and a_side * b_side < 0.0:
        t = c_side / (c_side - d_side)
        crossing = (c[0] + t * (d[0] - c[0]), c[1] + t * (d[1] - c[1]))
        return crossing, crossing
    pairs = [
        (closest_on_segment(c, a, b)[0], c),
        (closest_on_segment(d, a, b)[0], d),
        (a, closest_on_segment(a, c, d)[0]),
        (b, closest_on_segment(b, c, d)[0]),
    ]
    return min(pairs, key=lambda pair: math.dist(*pair))


def _side(p: Point, q: Point, r: Point) -> float:
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
