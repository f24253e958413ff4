"""A ray at a shape: margins, normals and hits, exact up to the last division by an edge's length.

The *margin* of a point is its distance outside the shape: the greatest of its distances from the edges' lines, or that from the circle;
negative inside. That of an edge is its distance: no point lies inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from engine.common.tolerances import BOX2D_EPSILON, EPS32
from engine.geometry.exact.cores import Core, aligned, bits_of, distance_sq, real, to_int

__all__ = ["ExactRay"]

_MARGIN_HALVINGS = 6
"""Width of the interval reported for the margin of a grazing ray; the proof does not depend on it."""

_SHORT = BOX2D_EPSILON * (1.0 + 2.0 * EPS32)
"""m^2. b2CircleShape's limit for the square of a ray's length, which float32 knows within 4 u; a power of two and one more bit: exact."""


class ExactRay:
    """A ray at a shape, in the world's frame.

    Parameters
    ----------
    shape : Core
        The shape's core where it is; a point is a circle of `radius` meters.
    origin, translation : sequence of float
        Meters.
    bound : float
        Distance by which float32 moves the surface, meters.
    turned : float
        Error of the dot product of two unit normals.
    """

    def __init__(
        self, shape: Core, radius: float, origin: Sequence[float], translation: Sequence[float], bound: float, turned: float
    ) -> None:
        self.bound, self._radius, self._turned = bound, radius, turned
        ray = Core.of([origin, translation], shape.bits)
        self._bits, (self._start, self._way) = ray.bits, ray.corners
        self._shape = shape.over(ray.bits)
        self.length = math.hypot(*translation)
        """Approximate, meters."""

    @property
    def has_inside(self) -> bool:
        """True if the shape is not just an edge."""
        return len(self._shape.corners) != 2

    @property
    def _is_circle(self) -> bool:
        return len(self._shape.corners) == 1

    def margin(self, fraction: float) -> float:
        """Return the margin of the ray's point at `fraction`, meters."""
        return max(self._margins(fraction))

    def is_short_for_circle(self) -> bool:
        """Return True if the ray is too short for b2CircleShape."""
        (x, y), limit = self._way, bits_of(_SHORT)
        return self._is_circle and (x * x + y * y) << limit <= to_int(_SHORT, limit) << (2 * self._bits)

    def _place(self, fraction: float) -> Core:
        """Return the ray's point at `fraction`."""
        more = bits_of(fraction)
        t, (x, y), (way_x, way_y) = to_int(fraction, more), self._start, self._way
        return Core([((x << more) + t * way_x, (y << more) + t * way_y)], self._bits + more)

    def is_own_normal(self, fraction: float, normal: Sequence[float]) -> bool:
        """Return True if a unit normal belongs to the ray's point at `fraction`: that of an edge on which it lies, or the circle's normal
        there.
        """
        nx, ny = normal
        if self._is_circle:
            (x, y), _ = self._offset(fraction, 0)
            return max(abs(x - self._radius * nx), abs(y - self._radius * ny)) <= 2.0 * self.bound
        if not self.has_inside:
            if not self._is_on_side(nx, ny):
                return False
            if self._is_end_normal(fraction, nx, ny):
                return True
        for (ex, ey), margin in zip(self._edges(), self._margins(fraction), strict=True):
            length = math.hypot(ex, ey)
            if max(abs(ey / length - nx), abs(-ex / length - ny)) <= self._turned and abs(margin) <= self.bound:
                return True
        return False

    def _offset(self, fraction: float, corner: int) -> tuple[tuple[float, float], float]:
        """Return the vector from a corner of the shape to the ray's point at `fraction`, and its length, meters."""
        shape, place = aligned(self._shape, self._place(fraction))
        (px, py), (x, y) = place.corners[0], shape.corners[corner]
        offset = real(px - x, place.bits), real(py - y, place.bits)
        return offset, math.hypot(*offset)

    def _edges(self) -> list[tuple[float, float]]:
        return [(real(bx - ax, self._bits), real(by - ay, self._bits)) for (ax, ay), (bx, by) in self._shape.edges]

    def _is_on_side(self, nx: float, ny: float) -> bool:
        """Return True if a normal points against the ray, as an edge's must unless rounding decides on which side the ray starts."""
        against = -(nx * real(self._way[0], self._bits) + ny * real(self._way[1], self._bits))
        if against >= -self._turned * self.length:
            return True
        (ax, ay), (bx, by) = self._shape.corners
        ex, ey = bx - ax, by - ay
        beside = ex * (self._start[1] - ay) - ey * (self._start[0] - ax)
        return Fraction(beside * beside, (ex * ex + ey * ey) << (2 * self._bits)) <= Fraction(self.bound) ** 2

    def _is_end_normal(self, fraction: float, nx: float, ny: float) -> bool:
        """Return True if the point is within the bound of an end of the edge, and the normal points away from the edge there."""
        for end, (ex, ey) in enumerate(self._edges()):
            toward = (ex * nx + ey * ny) / math.hypot(ex, ey)
            if self._offset(fraction, end)[1] <= self.bound and toward <= self._turned:
                return True
        return False

    def _margins(self, fraction: float) -> list[float]:
        place = self._place(fraction)
        if len(self._shape.corners) > 2:
            ((px, py),), more = place.corners, place.bits - self._bits
            across = [(by - ay) * (px - (ax << more)) - (bx - ax) * (py - (ay << more)) for (ax, ay), (bx, by) in self._shape.edges]
            bits = place.bits + self._bits
            return [real(area, bits) / math.hypot(*edge) for area, edge in zip(across, self._edges(), strict=True)]
        square = distance_sq(self._shape, place)
        distance = math.sqrt(square)
        if self.has_inside:  # (d^2 - r^2) / (d + r): no cancellation
            return [float(square - Fraction(self._radius) ** 2) / (distance + self._radius)]
        return [distance, distance]

    def grazing_margin(self) -> float:
        """Return how far the surface must move for the ray to just hit the shape, meters, rounded up to a 64th of the bound."""
        meets, low, high = self.meets(0.0), 0.0, self.bound
        for _ in range(_MARGIN_HALVINGS):
            middle = 0.5 * (low + high)
            if self.meets(-middle if meets else middle) == meets:
                low = middle
            else:
                high = middle
        return high

    def meets(self, grown: float) -> bool:
        """Return True if the ray hits the shape with its edges, or its circle, moved outward by `grown` meters.

        If that is negative for an edge, return whether the ray crosses it even if an end of either moves that far.
        """
        if len(self._shape.corners) > 2:
            return self._meets_polygon(grown)
        end = (self._start[0] + self._way[0], self._start[1] + self._way[1])
        ray = Core([self._start, end] if end != self._start else [self._start], self._bits)
        if self._is_circle:
            reach = Fraction(self._radius) + Fraction(grown)
            return reach > 0 and distance_sq(self._shape, ray) <= reach * reach
        if all(_is_astride(line, points, max(-grown, 0.0)) for line, points in ((self._shape, ray), (ray, self._shape))):
            return True
        return grown >= 0.0 and distance_sq(ray, self._shape) <= Fraction(grown) ** 2

    def _meets_polygon(self, grown: float) -> bool:
        # the part of the ray within each edge's half plane, first to last, each a quotient with a positive denominator
        first, last = (0, 1), (1, 1)
        for ((ax, ay), (bx, by)), edge in zip(self._shape.edges, self._edges(), strict=True):
            nx, ny, length = by - ay, ax - bx, math.hypot(*edge)
            # the room is over 2^more, the rest over 2^(2 bits): both over their sum
            grown_bits, length_bits = bits_of(grown), bits_of(length)
            more, room = grown_bits + length_bits, to_int(grown, grown_bits) * to_int(length, length_bits)
            in_front = ((nx * (self._start[0] - ax) + ny * (self._start[1] - ay)) << more) - (room << (2 * self._bits))
            rate = (nx * self._way[0] + ny * self._way[1]) << more
            if rate == 0:
                if in_front > 0:
                    return False
            elif rate > 0:
                if -in_front * last[1] < last[0] * rate:
                    last = -in_front, rate
            elif in_front * first[1] > first[0] * -rate:
                first = in_front, -rate
        return first[0] * last[1] <= last[0] * first[1]


def _is_astride(line: Core, points: Core, room: float) -> bool:
    """Return True if two points lie on the two sides of a line, each farther from it than `room` meters."""
    if len(line.corners) < 2 or len(points.corners) < 2:
        return False
    (ax, ay), (bx, by) = line.corners
    ex, ey = bx - ax, by - ay
    sides = [ex * (y - ay) - ey * (x - ax) for x, y in points.corners]
    nearest = Fraction(min(side * side for side in sides), (ex * ex + ey * ey) << (2 * line.bits))
    return sides[0] * sides[1] < 0 and nearest > Fraction(room) ** 2
