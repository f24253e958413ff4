"""At most k convex pieces: neighbors are replaced by their common hull, the cheapest pair first.

Starting from the exact pieces, the pair of neighbors whose hull adds the least area outside the outline is replaced by that hull, until one
piece remains, the hull of all. The pieces can then overlap, which has no effect within one body; the cost is the area *outside the
outline*, the excess::

        +--+     +--+            +--+-----+--+
        |  |     |  |            |  |/////|  |      the hull of the two arms covers the bay between
        |  +-----+  |     ->     |  +-----+  |      them: its area is the cost
        +-----------+            +-----------+

Every intermediate state covers the outline, except for parts missed at the start. If a hull has more corners than Box2D accepts, its edges
are removed one at a time, in each step the one whose extended neighbors add the least area, so that the hull still covers its points::

            ___                  _/\\_
           /   \\        ->      /    \\

The result is the state of least excess with at most k pieces; more pieces can therefore never be worse.

Neighbors are pieces that touch. So that a single piece can be reached, groups of pieces that do not touch are linked if they are adjacent
in the Delaunay triangulation of all corners, by the pieces at the ends of the shortest edge between them. Linking all pairs of groups would
take quadratic time: 400 dots took minutes.

A pair's cost is constant until one of the two is merged, so that the cheapest pair is found with a heap; entries of removed pairs are
skipped.

The idea of allowing a stated concavity is that of J.-M. Lien and N. M. Amato, "Approximate convex decomposition of polygons", 2006,
who cut top-down at the deepest concavity; merging bottom-up, as K. Mamou and F. Ghorbel do in 3D ("A simple and efficient approach for
3D mesh approximate convex decomposition", 2009), measures exactly the added area.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.decompose.disjoint_sets import DisjointSets
from engine.decompose.limits import clean
from engine.decompose.outline import Outline
from engine.geometry.hull import convex_hull

__all__ = ["covering_hull", "merged_to"]

Pair = tuple[int, int]
"""Two pieces, the smaller number first."""


def merged_to(outline: Outline, pieces: Sequence[FloatArray], max_pieces: int, max_vertices: int) -> list[FloatArray]:
    """Return at most `max_pieces` convex polygons that cover the given ones, with little area outside `outline`.

    Parameters
    ----------
    outline : Outline
    pieces : sequence of float64 (n, 2)
        Convex, counter-clockwise.
    max_pieces : int
        At least 1.
    max_vertices : int
        Corners of one polygon.
    """
    import shapely

    if len(pieces) <= max_pieces:
        return list(pieces)
    current = dict(enumerate(pieces))
    shapes: dict[int, Any] = {k: shapely.Polygon(piece) for k, piece in current.items()}
    target = _Target(outline)
    beyond = dict(enumerate(target.excess(list(shapes.values()))))
    near = _neighbors(list(shapes.values()))
    hulls: dict[Pair, tuple[float, FloatArray]] = {}  # excess and hull of each pair of neighbors
    cheapest: list[tuple[float, Pair]] = []  # a heap of the pairs' costs; some of the pairs no longer exist
    fresh = sorted({(min(a, b), max(a, b)) for a, others in near.items() for b in others})
    best: list[FloatArray] = []
    least = math.inf
    while len(current) > 1:
        joined = [covering_hull(np.concatenate((current[a], current[b])), max_vertices) for a, b in fresh]
        for pair, hull, excess in zip(fresh, joined, target.excess([shapely.Polygon(hull) for hull in joined]), strict=True):
            hulls[pair] = excess, hull
            heapq.heappush(cheapest, (excess - beyond[pair[0]] - beyond[pair[1]], pair))
        price, (a, b) = heapq.heappop(cheapest)
        while (a, b) not in hulls or price != hulls[a, b][0] - beyond[a] - beyond[b]:
            price, (a, b) = heapq.heappop(cheapest)
        beyond[a], current[a] = hulls[a, b]
        shapes[a] = shapely.Polygon(current[a])
        for changed in (a, b):
            for other in near[changed]:
                hulls.pop((min(changed, other), max(changed, other)), None)
        near[a] = (near[a] | near.pop(b)) - {a, b}
        del current[b], beyond[b], shapes[b]
        for other in near[a]:
            near[other] = (near[other] - {b}) | {a}
        fresh = [(min(a, other), max(a, other)) for other in sorted(near[a])]
        if len(current) <= max_pieces:
            total = shapely.difference(shapely.union_all(list(shapes.values())), target.whole).area
            if total <= least:
                least, best = total, list(current.values())
    return best


def covering_hull(points: FloatArray, max_vertices: int) -> FloatArray:
    """Return a convex polygon of at most `max_vertices` corners around points: their hull, with edges removed one at a time.

    An edge b-c is removed by moving its two ends to the intersection of the edges before and after it, which adds the triangle over the
    edge. That point exists if the turns at b and c sum to less than pi, as they do at some edge of any polygon with five or more corners.
    """
    hull = convex_hull(points)
    while len(hull) > max_vertices:
        a, b = np.concatenate((hull[-1:], hull[:-1])), hull
        c, d = np.concatenate((hull[1:], hull[:1])), np.concatenate((hull[2:], hull[:2]))
        before, edge, after = b - a, c - b, c - d
        facing = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
        along = (edge[:, 0] * after[:, 1] - edge[:, 1] * after[:, 0]) / np.where(facing < 0.0, facing, -1.0)
        added = np.where(facing < 0.0, along * np.abs(edge[:, 0] * before[:, 1] - edge[:, 1] * before[:, 0]), math.inf)
        at = int(added.argmin())
        hull[at] += along[at] * before[at]
        hull = np.delete(hull, (at + 1) % len(hull), axis=0)
    return clean(hull)


class _Target:
    """An outline prepared for repeated queries of the area of a polygon outside it; only nearby parts are examined."""

    def __init__(self, outline: Outline) -> None:
        import shapely

        self.whole = outline.as_shapely()
        self._parts = np.array(self.whole.geoms, dtype=object)
        self._tree = shapely.STRtree(self._parts)

    def excess(self, polygons: Sequence[Any]) -> list[float]:
        """Return the area of each polygon outside the outline."""
        import shapely

        if not polygons:
            return []
        shapes = np.array(polygons, dtype=object)
        if len(self._parts) == 1:
            near = np.full(len(shapes), self.whole, dtype=object)
        else:
            of, part = self._tree.query(shapes)  # in the order of the queries
            parts = np.split(self._parts[part], np.searchsorted(of, np.arange(1, len(shapes))))
            near = np.array([shapely.MultiPolygon(list(some)) for some in parts], dtype=object)
        areas: list[float] = shapely.area(shapely.difference(shapes, near)).tolist()
        return areas


def _neighbors(shapes: list[Any]) -> dict[int, set[int]]:
    """Return the neighbors of each piece, with additional links between separate groups, so that the graph is connected."""
    import shapely

    tree = shapely.STRtree(shapes)
    near: dict[int, set[int]] = {k: set() for k in range(len(shapes))}
    groups = DisjointSets(len(shapes))
    for a, b in tree.query(shapes, predicate="intersects").T.tolist():
        if a != b:
            near[a].add(b)
            near[b].add(a)
            groups.unite(a, b)
    ties: dict[Pair, tuple[float, Pair]] = {}
    for a, b, length in _delaunay_edges(shapes):
        u, v = groups.find(a), groups.find(b)
        pair = min(u, v), max(u, v)
        if u != v and (pair not in ties or length < ties[pair][0]):
            ties[pair] = length, (a, b)
    for _, (a, b) in ties.values():
        near[a].add(b)
        near[b].add(a)
    for _, (a, b) in ties.values():
        groups.unite(a, b)
    for k in range(1, len(shapes)):  # rounding can omit a corner from the triangulation
        if groups.unite(0, k):
            near[0].add(k)
            near[k].add(0)
    return near


def _delaunay_edges(shapes: list[Any]) -> list[tuple[int, int, float]]:
    """Return the pieces at the ends of each edge of the Delaunay triangulation of all corners, and its length."""
    import shapely

    corners, of = shapely.get_coordinates(shapes, return_index=True)
    piece_at: dict[tuple[float, float], int] = {}
    for (x, y), piece in zip(corners.tolist(), of.tolist(), strict=True):
        piece_at.setdefault((x, y), piece)
    edges = shapely.get_parts(shapely.delaunay_triangles(shapely.multipoints(corners), only_edges=True))
    ends = shapely.get_coordinates(edges).reshape(-1, 2, 2)
    lengths = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
    rows = []
    for (p, q), length in zip(ends.tolist(), lengths.tolist(), strict=True):
        a, b = piece_at[p[0], p[1]], piece_at[q[0], q[1]]
        if a != b:
            rows.append((a, b, length))
    return rows
