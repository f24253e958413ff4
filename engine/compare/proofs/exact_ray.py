"""A ray at a shape in whole numbers: margins, normals and meeting, exact up to the last division by an edge's length.

The *margin* of a point is how far it lies outside the shape: the greatest of its distances from the edges' lines, or that from the circle;
negative inside. That of an edge is its distance: no point lies inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.box2d.oracle.held import held_rotation
from engine.common.arrays import FloatArray
from engine.common.tolerances import BOX2D_EPSILON, EPS32
from engine.compare import allowances
from engine.compare.proofs.exact import Corner, aligned, bits_of, distance_sq, is_within, placed, real, segment_distance_sq, to_int
from engine.compare.queries import PosedRays

__all__ = ["ExactRay"]

_MARGIN_HALVINGS = 6
"""Width of the interval reported for the margin of a grazing ray; the proof does not depend on it."""


class ExactRay:
    """One row of posed rays, in the world's frame, all numbers whole over one power of two.

    Attributes
    ----------
    bound : float
        What float32 moves the surface by, meters.
    length : float
        The ray's, meters.
    """

    def __init__(self, posed: PosedRays, row: int) -> None:
        shapes, shape = posed.shapes, int(posed.indices[row])
        first, n = int(shapes.first[shape]), int(shapes.n_vertices[shape])
        x, y, angle = posed.poses[row].tolist()
        self.bound, self._radius = float(posed.ray_bound[row]), float(shapes.radius[shape])
        corners, bits = placed(shapes.vertices[first : first + n].tolist(), x, y, *held_rotation(angle))
        start, way = posed.origins[row].tolist(), posed.translations[row].tolist()
        self._bits = max(bits, bits_of(*start, *way))
        self._corners = aligned(corners, self._bits - bits)
        (start_x, start_y), (way_x, way_y) = start, way
        self._start, self._way = (
            (to_int(start_x, self._bits), to_int(start_y, self._bits)),
            (to_int(way_x, self._bits), to_int(way_y, self._bits)),
        )
        # what is asked of them only roughly
        self.length = math.hypot(*way)

    @property
    def has_inside(self) -> bool:
        """Whether the shape is more than an edge."""
        return len(self._corners) != 2

    def margin(self, fraction: float) -> float:
        """Return how far outside the shape the ray's point at `fraction` lies."""
        return max(self._margins(fraction))

    def is_short_for_circle(self) -> bool:
        """Return True if b2CircleShape sees a ray too short for it: the square of its length is known to it within 4 u."""
        if len(self._corners) != 1:
            return False
        limit = BOX2D_EPSILON * (1.0 + 2.0 * EPS32)  # a power of two and one more bit: exact
        bits = bits_of(limit)
        return (self._way[0] ** 2 + self._way[1] ** 2) << bits <= to_int(limit, bits) << (2 * self._bits)

    def _place(self, fraction: float) -> tuple[Corner, int]:
        """Return the ray's point at `fraction`, and by how many bits more it is whole."""
        more = bits_of(fraction)
        t = to_int(fraction, more)
        return ((self._start[0] << more) + t * self._way[0], (self._start[1] << more) + t * self._way[1]), more

    def is_own_normal(self, fraction: float, normal: FloatArray) -> bool:
        """Return True if a normal belongs to the ray's point at `fraction`: that of an edge it lies on, or the circle's there."""
        if len(self._corners) == 1:
            place, more = self._place(fraction)
            away = [real(place[k] - (self._corners[0][k] << more), self._bits + more) for k in range(2)]
            return max(abs(away[k] - self._radius * float(normal[k])) for k in range(2)) <= 2.0 * self.bound
        if len(self._corners) == 2 and not self._is_on_side(normal):
            return False
        if len(self._corners) == 2 and self._is_end_normal(fraction, normal):
            return True
        margins = self._margins(fraction)
        for (ex, ey), margin in zip(self._edges(), margins, strict=True):
            length = math.hypot(ex, ey)
            turned = max(abs(ey / length - float(normal[0])), abs(-ex / length - float(normal[1])))
            if turned <= allowances.direction_allowance() and abs(margin) <= self.bound:
                return True
        return False

    def _edges(self) -> list[tuple[float, float]]:
        after = [*self._corners[1:], self._corners[0]]
        return [(real(bx - ax, self._bits), real(by - ay, self._bits)) for (ax, ay), (bx, by) in zip(self._corners, after, strict=True)]

    def _is_on_side(self, normal: FloatArray) -> bool:
        """Return True if a normal looks against the ray, as an edge's has to, unless rounding decides on which side the ray starts."""
        against = -sum(float(normal[k]) * real(self._way[k], self._bits) for k in range(2))
        if against >= -allowances.direction_allowance() * self.length:
            return True
        (ax, ay), (bx, by) = self._corners
        ex, ey = bx - ax, by - ay
        beside = ex * (self._start[1] - ay) - ey * (self._start[0] - ax)
        return is_within((beside * beside, ex * ex + ey * ey), self._bits, self.bound)

    def _is_end_normal(self, fraction: float, normal: FloatArray) -> bool:
        """Return True if the place is an end of the edge, to within b, and the normal one that the end has: any that points away."""
        place, more = self._place(fraction)
        for end, other in (self._corners, self._corners[::-1]):
            off = [real((end[k] << more) - place[k], self._bits + more) for k in range(2)]
            edge = [real(other[k] - end[k], self._bits) for k in range(2)]
            toward = (edge[0] * float(normal[0]) + edge[1] * float(normal[1])) / math.hypot(*edge)
            if math.hypot(*off) <= self.bound and toward <= allowances.direction_allowance():
                return True
        return False

    def _margins(self, fraction: float) -> list[float]:
        (px, py), more = self._place(fraction)
        if len(self._corners) == 2:
            square, over = segment_distance_sq((px, py), *aligned(self._corners, more))
            distance = math.sqrt(square / (over << (2 * (self._bits + more))))
            return [distance, distance]
        if len(self._corners) == 1:
            cx, cy = (number << more for number in self._corners[0])
            # (d^2 - r^2) / (d + r): no cancellation
            square, radius_bits = (px - cx) ** 2 + (py - cy) ** 2, bits_of(self._radius)
            bits = max(self._bits + more, radius_bits)
            square <<= 2 * (bits - self._bits - more)
            distance = math.sqrt(real(square, 2 * bits))
            return [real(square - to_int(self._radius, bits) ** 2, 2 * bits) / (distance + self._radius)]
        margins = []
        after = [*self._corners[1:], self._corners[0]]
        for (ax, ay), (bx, by), edge in zip(self._corners, after, self._edges(), strict=True):
            across = (by - ay) * (px - (ax << more)) - (bx - ax) * (py - (ay << more))
            margins.append(real(across, 2 * self._bits + more) / math.hypot(*edge))
        return margins

    def grazing_margin(self) -> float:
        """Return by how much the shape must grow or shrink for the ray just to meet it, rounded up to a 64th of b."""
        meets, low, high = self.meets(0.0), 0.0, self.bound
        for _ in range(_MARGIN_HALVINGS):
            middle = 0.5 * (low + high)
            if self.meets(-middle if meets else middle) == meets:
                low = middle
            else:
                high = middle
        return high

    def meets(self, grown: float) -> bool:
        """Return True if the ray meets the shape with its edges, or its circle, moved outwards by `grown`."""
        if len(self._corners) == 1:
            start, way = self._start, self._way
            square = segment_distance_sq(self._corners[0], start, (start[0] + way[0], start[1] + way[1]))
            bits = max(bits_of(self._radius), bits_of(grown))
            reach = to_int(self._radius, bits) + to_int(grown, bits)
            return reach > 0 and square[0] << (2 * bits) <= (reach * reach * square[1]) << (2 * self._bits)
        if len(self._corners) == 2:
            return self._meets_edge(grown)
        # the part of the ray within each edge's half plane, first to last, each a quotient with a positive denominator
        first, last = (0, 1), (1, 1)
        grown_bits = bits_of(grown)
        after = [*self._corners[1:], self._corners[0]]
        for (ax, ay), (bx, by), edge in zip(self._corners, after, self._edges(), strict=True):
            nx, ny, length = by - ay, ax - bx, math.hypot(*edge)
            length_bits = bits_of(length)
            # the room is over 2^(grown_bits + length_bits), the rest over 2^(2 bits): both over their sum
            more = grown_bits + length_bits
            room = (to_int(grown, grown_bits) * to_int(length, length_bits)) << (2 * self._bits)
            in_front = ((nx * (self._start[0] - ax) + ny * (self._start[1] - ay)) << more) - room
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

    def _meets_edge(self, grown: float) -> bool:
        """Return True if the ray comes within `grown` of the edge; of a negative one, whether it crosses it even if an end moves so far."""
        end = (self._start[0] + self._way[0], self._start[1] + self._way[1])
        ray: list[Corner] = [self._start, end] if end != self._start else [self._start]
        room = max(-grown, 0.0)
        if all(_is_astride(line, points, self._bits, room) for line, points in ((self._corners, ray), (ray, self._corners))):
            return True
        return grown >= 0.0 and is_within(distance_sq(ray, self._corners), self._bits, grown)


def _is_astride(line: Sequence[Corner], points: Sequence[Corner], bits: int, room: float) -> bool:
    """Return True if two points lie on the two sides of a line, each farther from it than `room`."""
    if len(line) < 2 or len(points) < 2:
        return False
    (ax, ay), (bx, by) = line
    ex, ey = bx - ax, by - ay
    sides = [ex * (y - ay) - ey * (x - ax) for x, y in points]
    nearest = min(side * side for side in sides)
    return sides[0] * sides[1] < 0 and not is_within((nearest, ex * ex + ey * ey), bits, room)
