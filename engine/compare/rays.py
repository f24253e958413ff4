"""The verdict on rays and points: agree, explained with a proof, or unexplained.

Box2D's TestPoint and RayCast know a polygon without its skin, so ours are asked for that. Write b for what float32 moves the surface by
(`allowances.surface_allowance`; a circle's ray adds what its discriminant loses). The *margin* of a point is how far it lies outside the
shape: the greatest of its distances from the edges' lines, or that from the circle; negative inside.

That of an edge is its distance: no point lies inside.

Points: `float32_tie` if the margin is within b.

Rays agree if both miss and start nowhere inside by more than b, or if both hit within 2 b along the normal, with one normal. Otherwise

    they hit an edge in one place      `local_normal` if Box2D's normal, turned by the pose, is the right one, and not turned is not:
                                       b2EdgeShape of 2.3.0 answers in the edge's own frame
    only ours hits, at its start       `starts_inside` if the start lies in the shape: Box2D has no hit for such a ray;
                                       `float32_tie` if its margin is within b
    only ours hits, a circle           `short_ray` if the ray is shorter than 0.35 mm, its square below FLT_EPSILON: b2CircleShape then
                                       looks no further; our place has a margin within b
    only one hits                      `float32_tie` if the ray meets the shape grown by b, and not the shape shrunk by b
                                       (of an edge: and would miss it, if one of the four ends moved by b); our normal as below
    both hit, elsewhere or otherwise   `float32_tie` if both places, and the middle between them, have margins within b
                                       and each normal is that of an edge within b of its place, or of the circle there, or one of those
                                       that an edge's end has
    otherwise                          unexplained

The inputs are float32 numbers, and the margins are computed from them exactly (`exact`), up to the last division by an edge's length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.box2d.oracle import held_rotation
from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_EPSILON, EPS32
from engine.compare import allowances
from engine.compare.cases import RayChunk
from engine.compare.exact import Corner, aligned, bits_of, distance_sq, is_within, placed, real, segment_distance_sq, whole
from engine.compare.judge import Explanation
from engine.contracts.status import Status
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes

__all__ = ["PosedRays", "RayVerdicts", "Rays", "judge_points", "judge_rays", "our_points", "our_rays", "posed_rays"]

_MARGIN_HALVINGS = 6
"""Of the interval in which the margin of a grazing ray is told; the proof does not depend on it."""

_Found = tuple[str, float, str] | None


@dataclass(frozen=True, slots=True)
class Rays:
    """Somebody's answers: numbers of `Status` (OVERLAPPING for a start inside), fractions, world normals (n, 2)."""

    status: IntArray
    fraction: FloatArray
    normal: FloatArray


@dataclass(frozen=True, slots=True)
class PosedRays:
    """Shapes (n,) into packed ones, poses (n, 3) and the same (n, 4), rays; b of a point (`point_bound`) and of a ray (`ray_bound`)."""

    shapes: PackedShapes
    indices: IntArray
    poses: FloatArray
    turned: FloatArray
    origins: FloatArray
    translations: FloatArray
    point_bound: FloatArray
    ray_bound: FloatArray

    def __len__(self) -> int:
        return len(self.indices)

    def take(self, rows: IntArray) -> PosedRays:
        """Return these rows only."""
        return PosedRays(
            self.shapes, self.indices[rows], self.poses[rows], self.turned[rows], self.origins[rows], self.translations[rows],
            self.point_bound[rows], self.ray_bound[rows],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RayVerdicts:
    """The judgement of n rows; errors are the largest over the agreeing ones."""

    n_agree: int
    max_point_error: float
    max_normal_error: float
    differences: tuple[Explanation, ...]


def posed_rays(shapes: PackedShapes, rays: RayChunk) -> PosedRays:
    """Prepare rays for judgement, and their origins as points; inputs must have been checked."""
    extent, radius = shapes.extent[rays.indices], shapes.radius[rays.indices]
    at_origin = np.abs(rays.poses[:, :2]).sum(axis=1) + extent + np.abs(rays.origins).sum(axis=1)
    scale = at_origin + np.abs(rays.ends).sum(axis=1)
    away = np.abs(rays.origins - rays.poses[:, :2]).sum(axis=1) + extent
    is_circle = shapes.n_vertices[rays.indices] == 1
    bound = allowances.surface_allowance(scale)
    bound = bound + np.where(is_circle, allowances.discriminant_allowance(away, np.where(is_circle, radius, 1.0)), 0.0)
    return PosedRays(
        shapes, rays.indices, rays.poses, batched.poses_with_rotation(rays.poses), rays.origins, rays.ends - rays.origins,
        allowances.surface_allowance(at_origin), bound,
    )  # fmt: skip


def our_points(posed: PosedRays) -> NDArray[np.bool_]:
    """Tell which origins lie in their shapes, by our algorithm."""
    from engine.continuous.ray_cast import contains_rows

    return contains_rows(posed.shapes, posed.indices, posed.turned, posed.origins).astype(np.bool_)


def our_rays(posed: PosedRays) -> Rays:
    """Return our ray casts."""
    from engine.continuous.ray_cast import ray_rows

    status, rows = ray_rows(posed.shapes, posed.indices, posed.turned, posed.origins, posed.translations)
    return Rays(status, rows[:, 0], rows[:, 3:5])


def judge_points(posed: PosedRays, box2d: NDArray[np.bool_], ours: NDArray[np.bool_] | None = None) -> RayVerdicts:
    """Judge Box2D's TestPoint of the origins against ours, unless others are put on trial."""
    if ours is None:
        ours = our_points(posed)
    differences: list[Explanation] = []
    for row in np.flatnonzero(ours != box2d).tolist():
        margin, bound = _Trial(posed, row).margin(0.0), float(posed.point_bound[row])
        if abs(margin) <= bound:
            right = "Box2D" if bool(box2d[row]) == (margin <= 0.0) else "ours"
            told = f"at the boundary: exact margin {margin:.3g} m of {bound:.3g} m allowed; {right} is right"
            differences.append(Explanation(row, "float32_tie", abs(margin), told))
        else:
            told = f"Box2D says {bool(box2d[row])}, ours {bool(ours[row])}, {margin:.3g} m outside"
            differences.append(Explanation(row, "unexplained", abs(margin), told))
    return RayVerdicts(len(posed) - len(differences), 0.0, 0.0, tuple(differences))


def judge_rays(posed: PosedRays, box2d: Rays, ours: Rays | None = None) -> RayVerdicts:
    """Judge Box2D's hits against ours, unless others are put on trial."""
    if ours is None:
        ours = our_rays(posed)
    length = np.hypot(*posed.translations.T)
    is_edge = posed.shapes.n_vertices[posed.indices] == 2
    told, box2d = box2d, _with_turned_normals(posed, box2d, is_edge)
    both_hit = (ours.status == Status.HIT) & (box2d.status == Status.HIT)
    along = np.where(both_hit, np.abs(np.where(both_hit, ours.fraction, 0.0) - box2d.fraction), 0.0)[:, None] * posed.translations
    point_error = np.hypot(*along.T)
    across = np.abs((along * ours.normal).sum(axis=1))
    normal_error, told_error = (np.where(both_hit, np.abs(ours.normal - one.normal).max(axis=1), 0.0) for one in (box2d, told))
    is_circle = posed.shapes.n_vertices[posed.indices] == 1
    turn = np.where(is_circle, 2.0 * (posed.ray_bound + point_error) / np.where(is_circle, posed.shapes.radius[posed.indices], 1.0), 0.0)
    # steeper than this against the surface, and with a normal known to this, float32 determines a hit; of others agreement means little
    steep = np.abs((posed.translations * ours.normal).sum(axis=1)) * allowances.MOST_AGREEING_AMPLIFICATION >= length
    same_place = (
        steep
        & (turn <= allowances.MOST_AGREEING_TURN)
        & (across <= 2.0 * posed.ray_bound)
        & (normal_error <= allowances.direction_allowance() + turn)
    )
    both_miss = (ours.status == Status.MISS) & (box2d.status == Status.MISS)
    both_miss = both_miss & ~_is_well_inside(posed, np.flatnonzero(both_miss))  # Box2D has no hit there; a ray cast must
    agrees = both_miss | (both_hit & same_place)
    is_local = agrees & both_hit & is_edge & (told_error > allowances.direction_allowance())
    agrees = agrees & ~is_local
    differences: list[Explanation] = []
    for row in np.flatnonzero(~agrees).tolist():
        if is_local[row]:
            angle = posed.poses[row, 2]
            evidence = f"turned by the edge's angle of {angle:.6g} rad, Box2D's normal is within {normal_error[row]:.3g} of ours"
            differences.append(Explanation(row, "local_normal", float(point_error[row]), evidence))
            continue
        found = _Trial(posed, row).verdict(ours, box2d)
        if found is None:
            sides = [f"{Status(int(one.status[row])).name} at {float(one.fraction[row]):.9g}" for one in (box2d, ours)]
            found = "unexplained", float(point_error[row]), f"Box2D says {sides[0]}, ours {sides[1]}, and no proof was found"
        differences.append(Explanation(row, *found))
    agreed = agrees & both_hit
    worst_point, worst_normal = (float(error[agreed].max(initial=0.0)) for error in (point_error, normal_error))
    return RayVerdicts(int(agrees.sum()), worst_point, worst_normal, tuple(differences))


def _is_well_inside(posed: PosedRays, rows: IntArray) -> NDArray[np.bool_]:
    """Tell of some rays, False of all others, whether they start in their shape, farther from its surface than rounding reaches."""
    shapes, which = posed.shapes, posed.indices[rows]
    pose, first, n_vertices = posed.turned[rows], shapes.first[which], shapes.n_vertices[which]
    u, v = (posed.origins[rows] - pose[:, :2]).T
    x, y = pose[:, 2] * u + pose[:, 3] * v, pose[:, 2] * v - pose[:, 3] * u
    corner = shapes.vertices[first]
    margin = np.where(n_vertices == 1, np.hypot(x - corner[:, 0], y - corner[:, 1]) - shapes.radius[which], -np.inf)
    for k in range(int(n_vertices.max(initial=0))):
        at = first + np.minimum(k, n_vertices - 1)
        (vx, vy), (nx, ny) = shapes.vertices[at].T, shapes.normals[at].T
        margin = np.where(n_vertices > 1, np.maximum(margin, nx * (x - vx) + ny * (y - vy)), margin)
    is_inside = np.zeros(len(posed), dtype=np.bool_)
    is_inside[rows] = margin < -posed.ray_bound[rows]
    return is_inside


def _with_turned_normals(posed: PosedRays, box2d: Rays, is_edge: NDArray[np.bool_]) -> Rays:
    """Turn the normals of edges to the world, by the poses."""
    (x, y), cos, sin = box2d.normal.T, posed.turned[:, 2], posed.turned[:, 3]
    turned = np.column_stack((cos * x - sin * y, sin * x + cos * y))
    return Rays(box2d.status, box2d.fraction, np.where(is_edge[:, None], turned, box2d.normal))


class _Trial:
    """One row, in the world's frame, all numbers whole over 2^bits."""

    def __init__(self, posed: PosedRays, row: int) -> None:
        shapes, shape = posed.shapes, int(posed.indices[row])
        first, n = int(shapes.first[shape]), int(shapes.n_vertices[shape])
        x, y, angle = posed.poses[row].tolist()
        self._row, self._bound, self._radius = row, float(posed.ray_bound[row]), float(shapes.radius[shape])
        corners, bits = placed(shapes.vertices[first : first + n].tolist(), x, y, *held_rotation(angle))
        start, way = posed.origins[row].tolist(), posed.translations[row].tolist()
        self._bits = max(bits, bits_of(*start, *way))
        self._corners = aligned(corners, self._bits - bits)
        (start_x, start_y), (way_x, way_y) = start, way
        self._start, self._way = (
            (whole(start_x, self._bits), whole(start_y, self._bits)),
            (whole(way_x, self._bits), whole(way_y, self._bits)),
        )
        # what is asked of them only roughly
        self._way_rounded = math.hypot(*way)

    def margin(self, fraction: float) -> float:
        """Return how far outside the shape the ray's point at `fraction` lies."""
        return max(self._margins(fraction))

    def verdict(self, ours: Rays, box2d: Rays) -> _Found:
        """Return reason, size and what was shown."""
        one, other = int(ours.status[self._row]), int(box2d.status[self._row])
        theirs = float(box2d.fraction[self._row])
        if one == Status.OVERLAPPING:
            margin = self.margin(0.0)
            if other == Status.HIT:
                return self._same_surface(0.0, theirs)
            if margin <= 0.0 and len(self._corners) != 2:
                return "starts_inside", -margin, f"the ray starts inside: exact margin {margin:.3g} m"
            return self._tie(margin, "the start lies on the boundary") if margin <= self._bound else None
        if one == other == Status.HIT:
            hits = ((float(ours.fraction[self._row]), ours.normal[self._row]), (theirs, box2d.normal[self._row]))
            return self._same_surface(hits[0][0], theirs) if all(self._is_own_normal(*hit) for hit in hits) else None
        if Status.MISS not in (one, other) or one == other:
            return None
        if one == Status.HIT and not self._is_own_normal(float(ours.fraction[self._row]), ours.normal[self._row]):
            return None
        if one == Status.HIT and self._is_short_for_circle() and abs(self.margin(float(ours.fraction[self._row]))) <= self._bound:
            length = self._way_rounded
            told = f"the ray is {length:.3g} m long; Box2D's circles answer none below {math.sqrt(BOX2D_EPSILON):.3g} m"
            return "short_ray", length, told
        if other == Status.HIT and abs(self.margin(theirs)) > self._bound:
            return None
        if one == Status.HIT and abs(self.margin(float(ours.fraction[self._row]))) > self._bound:
            return None
        if self._meets(self._bound) and not self._meets(-self._bound):
            return self._tie(self._grazing_margin(), "the ray grazes, or ends at the surface")
        at_start = self.margin(0.0)
        if other == Status.MISS and abs(at_start) <= self._bound:
            return self._tie(at_start, "the start lies on the boundary")
        return None

    def _is_short_for_circle(self) -> bool:
        """Tell whether b2CircleShape sees a ray too short for it: the square of its length is known to it within 4 u."""
        if len(self._corners) != 1:
            return False
        limit = BOX2D_EPSILON * (1.0 + 2.0 * EPS32)  # a power of two and one more bit: exact
        bits = bits_of(limit)
        return (self._way[0] ** 2 + self._way[1] ** 2) << bits <= whole(limit, bits) << (2 * self._bits)

    def _same_surface(self, ours: float, theirs: float) -> _Found:
        margins = [self.margin(fraction) for fraction in (ours, theirs, 0.5 * (ours + theirs))]
        worst = max(map(abs, margins))
        return self._tie(worst, "both places and all between lie on the surface") if worst <= self._bound else None

    def _place(self, fraction: float) -> tuple[Corner, int]:
        """Return the ray's point at `fraction`, and by how many bits more it is whole."""
        more = bits_of(fraction)
        t = whole(fraction, more)
        return ((self._start[0] << more) + t * self._way[0], (self._start[1] << more) + t * self._way[1]), more

    def _is_own_normal(self, fraction: float, normal: FloatArray) -> bool:
        """Tell whether a normal belongs to the ray's point at `fraction`: that of an edge it lies on, or the circle's there."""
        if len(self._corners) == 1:
            place, more = self._place(fraction)
            away = [real(place[k] - (self._corners[0][k] << more), self._bits + more) for k in range(2)]
            return max(abs(away[k] - self._radius * float(normal[k])) for k in range(2)) <= 2.0 * self._bound
        if len(self._corners) == 2 and not self._is_on_side(normal):
            return False
        if len(self._corners) == 2 and self._is_end_normal(fraction, normal):
            return True
        margins = self._margins(fraction)
        for (ex, ey), margin in zip(self._edges(), margins, strict=True):
            length = math.hypot(ex, ey)
            turned = max(abs(ey / length - float(normal[0])), abs(-ex / length - float(normal[1])))
            if turned <= allowances.direction_allowance() and abs(margin) <= self._bound:
                return True
        return False

    def _edges(self) -> list[tuple[float, float]]:
        after = [*self._corners[1:], self._corners[0]]
        return [(real(bx - ax, self._bits), real(by - ay, self._bits)) for (ax, ay), (bx, by) in zip(self._corners, after, strict=True)]

    def _is_on_side(self, normal: FloatArray) -> bool:
        """Tell whether a normal looks against the ray, as an edge's has to, unless rounding decides on which side the ray starts."""
        against = -sum(float(normal[k]) * real(self._way[k], self._bits) for k in range(2))
        if against >= -allowances.direction_allowance() * self._way_rounded:
            return True
        (ax, ay), (bx, by) = self._corners
        ex, ey = bx - ax, by - ay
        beside = ex * (self._start[1] - ay) - ey * (self._start[0] - ax)
        return is_within((beside * beside, ex * ex + ey * ey), self._bits, self._bound)

    def _is_end_normal(self, fraction: float, normal: FloatArray) -> bool:
        """Tell whether the place is an end of the edge, to within b, and the normal one that the end has: any that points away."""
        place, more = self._place(fraction)
        for end, other in (self._corners, self._corners[::-1]):
            off = [real((end[k] << more) - place[k], self._bits + more) for k in range(2)]
            edge = [real(other[k] - end[k], self._bits) for k in range(2)]
            toward = (edge[0] * float(normal[0]) + edge[1] * float(normal[1])) / math.hypot(*edge)
            if math.hypot(*off) <= self._bound and toward <= allowances.direction_allowance():
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
            return [real(square - whole(self._radius, bits) ** 2, 2 * bits) / (distance + self._radius)]
        margins = []
        after = [*self._corners[1:], self._corners[0]]
        for (ax, ay), (bx, by), edge in zip(self._corners, after, self._edges(), strict=True):
            across = (by - ay) * (px - (ax << more)) - (bx - ax) * (py - (ay << more))
            margins.append(real(across, 2 * self._bits + more) / math.hypot(*edge))
        return margins

    def _grazing_margin(self) -> float:
        """Return by how much the shape must grow or shrink for the ray just to meet it, rounded up to a 64th of b."""
        meets, low, high = self._meets(0.0), 0.0, self._bound
        for _ in range(_MARGIN_HALVINGS):
            middle = 0.5 * (low + high)
            if self._meets(-middle if meets else middle) == meets:
                low = middle
            else:
                high = middle
        return high

    def _meets(self, grown: float) -> bool:
        """Tell whether the ray meets the shape with its edges, or its circle, moved outwards by `grown`."""
        if len(self._corners) == 1:
            start, way = self._start, self._way
            square = segment_distance_sq(self._corners[0], start, (start[0] + way[0], start[1] + way[1]))
            bits = max(bits_of(self._radius), bits_of(grown))
            reach = whole(self._radius, bits) + whole(grown, bits)
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
            room = (whole(grown, grown_bits) * whole(length, length_bits)) << (2 * self._bits)
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
        """Tell whether the ray comes within `grown` of the edge; of a negative one, whether it crosses it even if an end moves so far."""
        end = (self._start[0] + self._way[0], self._start[1] + self._way[1])
        ray: list[Corner] = [self._start, end] if end != self._start else [self._start]
        room = max(-grown, 0.0)
        if all(_is_astride(line, points, self._bits, room) for line, points in ((self._corners, ray), (ray, self._corners))):
            return True
        return grown >= 0.0 and is_within(distance_sq(ray, self._corners), self._bits, grown)

    def _tie(self, margin: float, what: str) -> _Found:
        return "float32_tie", abs(margin), f"{what}: exact margin {margin:.3g} m of {self._bound:.3g} m allowed"


def _is_astride(line: Sequence[Corner], points: Sequence[Corner], bits: int, room: float) -> bool:
    """Tell whether two points lie on the two sides of a line, each farther from it than `room`."""
    if len(line) < 2 or len(points) < 2:
        return False
    (ax, ay), (bx, by) = line
    ex, ey = bx - ax, by - ay
    sides = [ex * (y - ay) - ey * (x - ax) for x, y in points]
    nearest = min(side * side for side in sides)
    return sides[0] * sides[1] < 0 and not is_within((nearest, ex * ex + ey * ey), bits, room)
