"""Quality of an approximation of an outline by pieces: areas and largest deviations; and the distance between two boundaries.

    excess   area covered by pieces outside the outline        (a hull over a bay)
    missed   area of the outline that no piece covers          (circles leave the corners)

The largest distance measures the worst deviation: from a covered point to the outline, or from a missed point to the nearest piece. Within
a region that distance need not be largest at a corner (in a filled hole it is so in the middle), so it is found by subdividing squares: no
point of a square of half diagonal h is farther away than its center's distance + h, and squares that cannot exceed the best center so far,
or do not overlap the region, are discarded.

Everything is measured by shapely from the shapes alone, independently of the decomposition's own data. Circles are represented by regular
polygons of 256 corners with the circle's area.

Source of the search: V. Agafonkin, "polylabel", 2016, which finds the deepest point of a polygon.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import positive
from engine.decompose.outline import Outline
from engine.decompose.repair import edges_of
from engine.decompose.subdivision import DisjointSets
from engine.geometry import Circle, Polygon

__all__ = ["Cover", "boundary_distance", "differences", "farthest"]

CIRCLE_CORNERS = 256
"""Number of corners of the polygon by which a circle is measured; the error is 1e-4 of the radius."""

DISTANCE_CONVERGENCE = 0.01
"""Convergence, relative: accuracy of the largest distance."""

DISTANCE_FLOOR = 1e-3
"""Convergence, relative to the region's extent. Lower limit of the accuracy: along a much thinner sliver no square could be discarded, and
there would be millions.
"""

MAX_LEVELS = 24
"""Convergence: maximum number of halvings of a square: 2^-24 of the region is float32's rounding."""

_MAX_HALVINGS = 40
"""Convergence: maximum number of halvings of an edge, to 1e-12 of its length."""
_SPACING, _AT_ONCE = 8, 4_096
"""Spacing of the corners whose nearest edge is always searched for; number of corners per query."""
_NO_FARTHER = 1e-9
"""Rounding, relative: thousands of equally cut corners have the same distance, and one suffices."""
_MAX_STRETCHES = 200_000
"""Maximum number of stretches of a boundary examined at once; if there are more, those that may contain the farthest point."""


@dataclass(frozen=True, eq=False)
class Cover:
    """Areas that the union of pieces covers inside and outside an outline."""

    outline: Outline
    pieces: Sequence[Polygon | Circle]

    @cached_property
    def covered(self) -> float:
        """Area covered by the pieces together, square meters."""
        return float(self._union.area)

    @cached_property
    def excess(self) -> float:
        """Covered area outside the outline, square meters."""
        return float(self._beyond.area)

    @cached_property
    def missed(self) -> float:
        """Area of the outline that no piece covers, square meters."""
        return float(self._bare.area)

    @property
    def area_error(self) -> float:
        """Excess and missed area over the outline's area."""
        return (self.excess + self.missed) / float(self._whole.area)

    @cached_property
    def farthest_missed(self) -> float:
        """Largest distance of a point of the outline from the nearest piece, meters, within 1 %."""
        return farthest(self._bare, self._union)

    @cached_property
    def farthest_excess(self) -> float:
        """Largest distance of a covered point from the outline, meters, within 1 %."""
        return farthest(self._beyond, self._whole)

    @cached_property
    def _whole(self) -> Any:
        return self.outline.as_shapely()

    @cached_property
    def _union(self) -> Any:
        return _united(np.array([_as_shapely(piece) for piece in self.pieces]))

    @cached_property
    def _beyond(self) -> Any:
        return self._differences[0]

    @cached_property
    def _bare(self) -> Any:
        return self._differences[1]

    @cached_property
    def _differences(self) -> tuple[Any, Any]:
        return differences(self._union, self._whole)


def _as_shapely(piece: Polygon | Circle) -> Any:
    """Return a piece as a `shapely.Polygon`."""
    import shapely

    if isinstance(piece, Polygon):
        return shapely.Polygon(piece.vertices)
    turn = np.arange(CIRCLE_CORNERS) * (2.0 * math.pi / CIRCLE_CORNERS)
    # a regular n-gon of circumradius R has the area n/2 R^2 sin(2 pi/n)
    reach = piece.radius * math.sqrt(2.0 * math.pi / (CIRCLE_CORNERS * math.sin(2.0 * math.pi / CIRCLE_CORNERS)))
    return shapely.Polygon(np.add(piece.center, reach * np.column_stack((np.cos(turn), np.sin(turn)))))


def _united(polygons: NDArray[np.object_]) -> Any:
    """Return the union of polygons, group by group of those that touch.

    For 5,000 pieces of 400 nested rings GEOS takes 2 s as a whole, and 0.1 s ring by ring.
    """
    import shapely

    first, other = shapely.STRtree(polygons).query(polygons, predicate="intersects")
    groups = DisjointSets(len(polygons))
    for a, b in zip(first.tolist(), other.tolist(), strict=True):
        if a < b:
            groups.unite(a, b)
    members: dict[int, list[Any]] = {}
    for k, polygon in enumerate(polygons):
        members.setdefault(groups.find(k), []).append(polygon)
    unions = [shapely.union_all(group) for group in members.values()]
    return unions[0] if len(unions) == 1 else shapely.MultiPolygon([part for first in unions for part in shapely.get_parts(first)])


def differences(one: Any, other: Any) -> tuple[Any, Any]:
    """Return both differences of two regions, part by part: only overlapping parts are subtracted.

    GEOS takes minutes for the overlay of a thousand nested rings with as many others as a whole, and less than a second ring by ring.
    """
    import shapely

    parts, others = shapely.get_parts(one), shapely.get_parts(other)
    if len(parts) == 0 or len(others) == 0:
        return one, other
    of, met = shapely.STRtree(others).query(parts, predicate="intersects")
    return _without(parts, others, of, met), _without(others, parts, met, of)


def _without(parts: NDArray[np.object_], others: NDArray[np.object_], of: IntArray, met: IntArray) -> Any:
    """Subtract the others from the parts: part ``of[k]`` overlaps the other ``met[k]``."""
    import shapely

    order = np.argsort(of, kind="stable")
    near = np.split(others[met[order]], np.searchsorted(of[order], np.arange(1, len(parts))))
    rests = shapely.difference(parts, np.array([shapely.MultiPolygon(list(some)) for some in near], dtype=object))
    pieces = shapely.get_parts(shapely.get_parts(rests))
    return shapely.MultiPolygon([rest for rest in pieces if rest.geom_type == "Polygon" and rest.area > 0.0])


def farthest(region: Any, target: Any) -> float:
    """Return the distance of the farthest point of `region` from `target`, meters; 0 for an empty region.

    It is too small by at most `DISTANCE_CONVERGENCE` of it or `DISTANCE_FLOOR` of the region's extent, whichever is larger.
    """
    import shapely

    parts = [part for part in shapely.get_parts(region) if part.area > 0.0]
    if not parts:
        return 0.0
    region = shapely.union_all(parts)
    corners = shapely.get_coordinates(region)
    away_from = _Distances(target)
    best = float(away_from(corners).max())
    low, high = corners.min(axis=0), corners.max(axis=0)
    half = 0.5 * float((high - low).max())
    floor = DISTANCE_FLOOR * 2.0 * half
    centers: FloatArray = 0.5 * (low + high)[None]
    shapely.prepare(region)
    for _ in range(MAX_LEVELS):
        reach = half * math.sqrt(2.0)
        points = shapely.points(centers)
        away = away_from(centers)
        inside = shapely.intersects(region, points)
        best = max(best, float(away[inside].max(initial=0.0)))
        may_win = away + reach > max(best * (1.0 + DISTANCE_CONVERGENCE), best + floor)
        centers = centers[may_win]
        boxes = shapely.box(centers[:, 0] - half, centers[:, 1] - half, centers[:, 0] + half, centers[:, 1] + half)
        centers = centers[shapely.intersects(region, boxes)]
        if len(centers) == 0:
            break
        half *= 0.5
        steps = half * np.array([(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)])
        centers = (centers[:, None] + steps[None]).reshape(-1, 2)
    return best


class _Distances:
    """Distances of points from a region, by an index of its edges: the cost per point does not grow with the number of edges."""

    def __init__(self, target: Any) -> None:
        import shapely

        self._target = target
        shapely.prepare(target)
        parts = shapely.get_parts(target)
        has_area = shapely.get_dimensions(parts) == 2
        lines = np.concatenate((shapely.get_rings(parts[has_area]), parts[~has_area]))
        points, of = shapely.get_coordinates(lines, return_index=True)
        is_edge = of[1:] == of[:-1]
        ends = np.stack((points[:-1][is_edge], points[1:][is_edge]), axis=1)
        self._edges = shapely.STRtree(shapely.linestrings(ends) if len(ends) else parts)

    def __call__(self, points: FloatArray) -> FloatArray:
        import shapely

        away: FloatArray = np.zeros(len(points))
        outside = np.flatnonzero(~shapely.intersects_xy(self._target, points[:, 0], points[:, 1]))
        if len(outside):
            away[outside] = self._edges.query_nearest(shapely.points(points[outside]), return_distance=True, all_matches=False)[1]
        return away


def boundary_distance(a: Outline, b: Outline, step: float) -> float:
    """Return the Hausdorff distance of two boundaries, meters; the true one is larger by at most ``step / 2``.

    The distance from one segment is a convex function along another, so that it is greatest at an end. So for a stretch of a and the edge
    of b nearest to its middle, the larger distance of the two ends bounds that of any point of the stretch from b. Stretches that can
    contain a point ``step / 2`` farther than the farthest found so far are halved. If b is a with corners omitted, as here, the first bound
    suffices: n log n for n corners.
    """
    step = positive("step", step, "m")
    return max(_directed(a, b, step), _directed(b, a, step))


def _directed(a: Outline, b: Outline, step: float) -> float:
    """Return the largest distance found of a point of a's boundary from b's; the true maximum is larger by at most ``step / 2``.

    The nearest edge of b at one corner of a gives a bound for the adjacent corners: the nearest edge is searched for only if that bound
    exceeds the largest distance found so far.
    """
    import shapely

    edges = edges_of(b.rings())
    tree = shapely.STRtree(shapely.linestrings(edges))
    stretches = edges_of(a.rings())
    starts, ends = stretches[:, 0], stretches[:, 1]
    some = tree.query_nearest(shapely.points(starts[::_SPACING]), all_matches=False)[1]
    place = np.arange(len(stretches)) // _SPACING
    near = edges[some[place]], edges[some[np.minimum(place + 1, len(some) - 1)]]
    of_starts = [_away(starts, segments) for segments in near]
    bounds = np.minimum(*of_starts)
    farthest, order = 0.0, np.argsort(-bounds, kind="stable")
    for first in range(0, len(order), _AT_ONCE):
        chosen = order[first : first + _AT_ONCE]
        if bounds[chosen[0]] <= farthest * (1.0 + _NO_FARTHER):
            break
        farthest = max(
            farthest, float(tree.query_nearest(shapely.points(starts[chosen]), return_distance=True, all_matches=False)[1].max())
        )
    bounds = np.minimum(*(np.maximum(of_start, _away(ends, segments)) for of_start, segments in zip(of_starts, near, strict=True)))
    stretches = stretches[bounds > farthest + 0.5 * step]
    for _ in range(_MAX_HALVINGS):
        if len(stretches) == 0:
            break
        middles = 0.5 * (stretches[:, 0] + stretches[:, 1])
        (_, nearest), distances = tree.query_nearest(shapely.points(middles), return_distance=True, all_matches=False)
        farthest = max(farthest, float(distances.max()))
        away = np.maximum(_away(stretches[:, 0], edges[nearest]), _away(stretches[:, 1], edges[nearest]))
        is_open = np.flatnonzero(away > farthest + 0.5 * step)
        if len(is_open) == 0:
            break
        if 2 * len(is_open) > _MAX_STRETCHES:
            is_open = is_open[np.argsort(-away[is_open], kind="stable")[: _MAX_STRETCHES // 2]]
        first, last, middles = stretches[is_open, 0], stretches[is_open, 1], middles[is_open]
        stretches = np.concatenate((np.stack((first, middles), axis=1), np.stack((middles, last), axis=1)))
    return farthest


def _away(points: FloatArray, segments: FloatArray) -> FloatArray:
    """Return the distance of each point from its segment."""
    start, way = segments[:, 0], segments[:, 1] - segments[:, 0]
    to = points - start
    along = np.clip((to * way).sum(axis=1) / (way * way).sum(axis=1), 0.0, 1.0)
    off = to - along[:, None] * way
    distances: FloatArray = np.hypot(off[:, 0], off[:, 1])
    return distances
