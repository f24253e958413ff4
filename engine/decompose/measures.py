"""Quality of an approximation of an outline by pieces: areas and largest deviations; and the distance between two boundaries.

    excess   area covered by pieces outside the outline        (a hull over a bay)
    missed   area of the outline that no piece covers          (circles leave the corners)

The largest distance measures the worst deviation: from a covered point to the outline, or from a missed point to the nearest piece.

Everything is measured by shapely from the shapes alone, independently of the decomposition's own data. Circles are represented by regular
polygons of 256 corners with the circle's area.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import IntArray
from engine.common.checks import positive
from engine.decompose.disjoint_sets import DisjointSets
from engine.decompose.outline import Outline
from engine.decompose.repair import edges_of
from engine.geometry import Circle, Polygon

__all__ = ["Cover", "boundary_distance", "differences", "farthest"]

CIRCLE_CORNERS = 256
"""Number of corners of the polygon by which a circle is measured; the error is 1e-4 of the radius."""

_SAMPLES = 100_000
"""Points of a boundary whose distances are measured: a tenth of a second."""
_DEPTH_TOLERANCE = 1e-3
"""Convergence of the largest circle's center, relative to the root of the area."""


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
        """Largest distance of a point of the outline from the nearest piece, meters."""
        return farthest(self._bare, self._union)

    @cached_property
    def farthest_excess(self) -> float:
        """Largest distance of a covered point from the outline, meters."""
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

    That point lies on the region's boundary, of which `_SAMPLES` points are measured, or in a hollow of it: there the center of the largest
    inscribed circle stands for it.
    """
    import shapely

    parts = np.array([part for part in shapely.get_parts(region) if part.area > 0.0])
    if len(parts) == 0:
        return 0.0
    boundary = shapely.segmentize(parts, shapely.length(parts).sum() / _SAMPLES)
    points = [shapely.points(shapely.get_coordinates(boundary)), *(shapely.get_point(_deepest(part), 0) for part in parts)]
    shapely.prepare(target)
    return float(shapely.distance(np.hstack(points), target).max())


def _deepest(part: Any) -> Any:
    """Return the radius of the largest circle in a polygon, a line from its center."""
    import shapely

    return shapely.maximum_inscribed_circle(part, _DEPTH_TOLERANCE * math.sqrt(part.area))


def boundary_distance(a: Outline, b: Outline, step: float) -> float:
    """Return the Hausdorff distance of two boundaries, meters; the true one is larger by at most ``step / 2``.

    A point of one boundary is within ``step / 2`` of a point that is measured, and the distance from the other changes by no more. No more
    than `_SAMPLES` points are measured, so `step` is at least that share of the boundary's length.
    """
    step = positive("step", step, "m")
    return max(_directed(a, b, step), _directed(b, a, step))


def _directed(a: Outline, b: Outline, step: float) -> float:
    """Return the largest distance of a measured point of a's boundary from b's."""
    import shapely

    boundary, edges = shapely.get_rings(shapely.get_parts(a.as_shapely())), edges_of(b.rings())
    spaced = shapely.segmentize(boundary, max(step, float(shapely.length(boundary).sum()) / _SAMPLES))
    points = shapely.points(shapely.get_coordinates(spaced))
    return float(shapely.STRtree(shapely.linestrings(edges)).query_nearest(points, return_distance=True, all_matches=False)[1].max())
