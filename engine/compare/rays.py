"""The verdict on rays and points: agree, explained with a proof, or unexplained.

Box2D's TestPoint and RayCast know a polygon without its skin, so ours are asked for that. Write b for what float32 moves the surface by
(`allowances.surface_allowance`; a circle's ray adds what its discriminant loses). The *margin* of a point is how far it lies outside the
shape: the greatest of its distances from the edges' lines, or that from the circle; negative inside.

Points: `float32_tie` if the margin is within b.

Rays agree if both miss, or if both hit within 2 b along the normal, with one normal. Otherwise

    only ours hits, at its start       `starts_inside` if the start lies in the shape: Box2D has no hit for such a ray;
                                       `float32_tie` if its margin is within b
    only one hits                      `float32_tie` if the ray meets the shape grown by b, and not the shape shrunk by b
    both hit, elsewhere or otherwise   `float32_tie` if both places, and the middle between them, have margins within b
                                       and each normal is that of an edge within b of its place, or of the circle there
    otherwise                          unexplained

The inputs are float32 numbers, and the margins are computed from them in rational arithmetic, up to the last division by an edge's length.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from engine.box2d.oracle import held_rotation
from engine.common.arrays import FloatArray, IntArray
from engine.compare import allowances
from engine.compare.cases import RayChunk
from engine.compare.judge import Explanation
from engine.contracts.status import Status
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes

__all__ = ["PosedRays", "RayVerdicts", "Rays", "judge_points", "judge_rays", "our_points", "our_rays", "posed_rays"]

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
    both_hit = (ours.status == Status.HIT) & (box2d.status == Status.HIT)
    along = np.where(both_hit, np.abs(np.where(both_hit, ours.fraction, 0.0) - box2d.fraction), 0.0)[:, None] * posed.translations
    point_error = np.hypot(*along.T)
    across = np.abs((along * ours.normal).sum(axis=1))
    normal_error = np.where(both_hit, np.abs(ours.normal - box2d.normal).max(axis=1), 0.0)
    is_circle = posed.shapes.n_vertices[posed.indices] == 1
    turn = np.where(is_circle, 2.0 * (posed.ray_bound + point_error) / np.where(is_circle, posed.shapes.radius[posed.indices], 1.0), 0.0)
    # steeper than this against the surface, float32 determines a hit; on the others agreement would mean little
    steep = np.abs((posed.translations * ours.normal).sum(axis=1)) * allowances.MOST_AGREEING_AMPLIFICATION >= length
    same_place = steep & (across <= 2.0 * posed.ray_bound) & (normal_error <= allowances.direction_allowance() + turn)
    agrees = ((ours.status == Status.MISS) & (box2d.status == Status.MISS)) | (both_hit & same_place)
    differences: list[Explanation] = []
    for row in np.flatnonzero(~agrees).tolist():
        found = _Trial(posed, row).verdict(ours, box2d)
        if found is None:
            sides = [f"{Status(int(one.status[row])).name} at {float(one.fraction[row]):.9g}" for one in (box2d, ours)]
            found = "unexplained", float(point_error[row]), f"Box2D says {sides[0]}, ours {sides[1]}, and no proof was found"
        differences.append(Explanation(row, *found))
    agreed = agrees & both_hit
    worst_point, worst_normal = (float(error[agreed].max(initial=0.0)) for error in (point_error, normal_error))
    return RayVerdicts(int(agrees.sum()), worst_point, worst_normal, tuple(differences))


class _Trial:
    """One row, in the shape's own frame, in fractions."""

    def __init__(self, posed: PosedRays, row: int) -> None:
        shapes, shape = posed.shapes, int(posed.indices[row])
        first, n = int(shapes.first[shape]), int(shapes.n_vertices[shape])
        x, y, angle = posed.poses[row].tolist()
        self._row, self._bound, self._radius = row, float(posed.ray_bound[row]), float(shapes.radius[shape])
        c, s = (Fraction(number) for number in held_rotation(angle))
        corners = [(Fraction(u), Fraction(v)) for u, v in shapes.vertices[first : first + n].tolist()]
        self._corners = [(c * u - s * v + Fraction(x), s * u + c * v + Fraction(y)) for u, v in corners]
        self._start = [Fraction(number) for number in posed.origins[row].tolist()]
        self._way = [Fraction(number) for number in posed.translations[row].tolist()]

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
            if margin <= 0.0:
                return "starts_inside", -margin, f"the ray starts inside: exact margin {margin:.3g} m"
            return self._tie(margin, "the start lies on the boundary") if margin <= self._bound else None
        if one == other == Status.HIT:
            hits = ((float(ours.fraction[self._row]), ours.normal[self._row]), (theirs, box2d.normal[self._row]))
            return self._same_surface(hits[0][0], theirs) if all(self._is_own_normal(*hit) for hit in hits) else None
        if Status.MISS not in (one, other):
            return None
        if other == Status.HIT and abs(self.margin(theirs)) > self._bound:
            return None
        if one == Status.HIT and abs(self.margin(float(ours.fraction[self._row]))) > self._bound:
            return None
        if self._meets(self._bound) and not self._meets(-self._bound):
            return self._tie(self._bound, "the ray grazes, or ends at the surface")
        at_start = self.margin(0.0)
        if other == Status.MISS and abs(at_start) <= self._bound:
            return self._tie(at_start, "the start lies on the boundary")
        return None

    def _same_surface(self, ours: float, theirs: float) -> _Found:
        margins = [self.margin(fraction) for fraction in (ours, theirs, 0.5 * (ours + theirs))]
        worst = max(map(abs, margins))
        return self._tie(worst, "both places and all between lie on the surface") if worst <= self._bound else None

    def _is_own_normal(self, fraction: float, normal: FloatArray) -> bool:
        """Tell whether a normal belongs to the ray's point at `fraction`: that of an edge it lies on, or the circle's there."""
        if len(self._corners) == 1:
            t = Fraction(fraction)
            away = [float(self._start[k] + t * self._way[k] - self._corners[0][k]) for k in range(2)]
            return max(abs(away[k] - self._radius * float(normal[k])) for k in range(2)) <= 2.0 * self._bound
        margins = self._margins(fraction)
        after = self._corners[1:] + self._corners[:1]
        for (ax, ay), (bx, by), margin in zip(self._corners, after, margins, strict=True):
            ex, ey = float(bx - ax), float(by - ay)
            length = math.hypot(ex, ey)
            turned = max(abs(ey / length - float(normal[0])), abs(-ex / length - float(normal[1])))
            if turned <= allowances.direction_allowance() and abs(margin) <= self._bound:
                return True
        return False

    def _margins(self, fraction: float) -> list[float]:
        t = Fraction(fraction)
        px, py = self._start[0] + t * self._way[0], self._start[1] + t * self._way[1]
        if len(self._corners) == 1:
            (cx, cy), radius = self._corners[0], Fraction(self._radius)
            # (d^2 - r^2) / (d + r): no cancellation
            square = (px - cx) ** 2 + (py - cy) ** 2
            return [float(square - radius * radius) / (math.sqrt(float(square)) + self._radius)]
        after = self._corners[1:] + self._corners[:1]
        return [
            float((by - ay) * (px - ax) - (bx - ax) * (py - ay)) / math.hypot(float(bx - ax), float(by - ay))
            for (ax, ay), (bx, by) in zip(self._corners, after, strict=True)
        ]

    def _meets(self, grown: float) -> bool:
        """Tell whether the ray meets the shape with its edges, or its circle, moved outwards by `grown`."""
        if len(self._corners) == 1:
            (cx, cy), (px, py), (wx, wy) = self._corners[0], self._start, self._way
            length_sq = wx * wx + wy * wy
            t = min(Fraction(1), max(Fraction(0), ((cx - px) * wx + (cy - py) * wy) / length_sq)) if length_sq else Fraction(0)
            reach = Fraction(self._radius) + Fraction(grown)
            return reach > 0 and (px + t * wx - cx) ** 2 + (py + t * wy - cy) ** 2 <= reach * reach
        first, last = Fraction(0), Fraction(1)
        for (ax, ay), (bx, by) in zip(self._corners, self._corners[1:] + self._corners[:1], strict=True):
            nx, ny = by - ay, ax - bx
            room = Fraction(grown) * Fraction(math.hypot(float(nx), float(ny)))
            in_front = nx * (self._start[0] - ax) + ny * (self._start[1] - ay) - room
            rate = nx * self._way[0] + ny * self._way[1]
            if rate == 0:
                if in_front > 0:
                    return False
            elif rate > 0:
                last = min(last, -in_front / rate)
            else:
                first = max(first, -in_front / rate)
        return first <= last

    def _tie(self, margin: float, what: str) -> _Found:
        return "float32_tie", abs(margin), f"{what}: exact margin {margin:.3g} m of {self._bound:.3g} m allowed"
