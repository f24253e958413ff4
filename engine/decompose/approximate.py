"""At most k convex pieces: neighbours are replaced by their common hull, the cheapest pair first.

Starting from the exact pieces, the pair of neighbours is taken whose hull adds least area outside the outline, and put in their place;
and so on until one piece is left, the hull of all. The pieces may then overlap each other, which is no harm for the fixtures of one
body; what counts is the area *outside the outline*, the excess::

        +--+     +--+            +--+-----+--+
        |  |     |  |            |  |/////|  |      the hull of the two arms covers the bay between
        |  +-----+  |     ->     |  +-----+  |      them: its area is the price
        +-----------+            +-----------+

Every state on the way covers the outline, so nothing is missed but what the start missed. Hulls of more corners than Box2D takes give
up an edge at a time, the one whose neighbours meet again at the least added area, so that they still cover::

            ___                  _/\\_
           /   \\        ->      /    \\

Of the states with at most k pieces the one of least excess is the answer; more pieces can therefore never be worse.

Neighbours are pieces that touch; parts that do not touch are tied by their two nearest pieces, so that one piece can be reached.

The idea of allowing a stated concavity is that of J.-M. Lien and N. M. Amato, "Approximate convex decomposition of polygons", 2006,
who cut from above at the deepest dent; merging from below, as K. Mamou and F. Ghorbel do in 3D ("A simple and efficient approach for
3D mesh approximate convex decomposition", 2009), measures the very area that is given away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.decompose.limits import clean
from engine.geometry.hull import convex_hull

__all__ = ["covering_hull", "merged_to"]


def merged_to(target: Any, pieces: Sequence[FloatArray], max_pieces: int, max_vertices: int) -> list[FloatArray]:
    """Return at most `max_pieces` convex polygons that cover the given ones, with little area outside `target` (a shapely geometry).

    Parameters
    ----------
    target : shapely geometry
        The outline.
    pieces : sequence of float64 (n, 2)
        Convex, counter-clockwise.
    max_pieces : int
        At least 1.
    max_vertices : int
        Corners of one polygon.
    """
    import shapely

    shapely.prepare(target)
    current = dict(enumerate(pieces))
    shapes: dict[int, Any] = {k: shapely.Polygon(piece) for k, piece in current.items()}
    beyond = {k: _excess(target, [shape])[0] for k, shape in shapes.items()}
    near = _neighbours(list(shapes.values()))
    prices: dict[tuple[int, int], tuple[float, FloatArray]] = {}
    fresh = sorted({(min(a, b), max(a, b)) for a, others in near.items() for b in others})
    best: list[FloatArray] = list(current.values())
    least = math.inf
    if len(best) <= max_pieces:
        return best
    while True:
        hulls = [covering_hull(np.concatenate((current[a], current[b])), max_vertices) for a, b in fresh]
        for pair, hull, excess in zip(fresh, hulls, _excess(target, [shapely.Polygon(hull) for hull in hulls]), strict=True):
            prices[pair] = (excess, hull)
        a, b = min(prices, key=lambda pair: (prices[pair][0] - beyond[pair[0]] - beyond[pair[1]], pair))
        excess, hull = prices[a, b]
        current[a], beyond[a], shapes[a] = hull, excess, shapely.Polygon(hull)
        near[a] = (near[a] | near.pop(b)) - {a, b}
        del current[b], beyond[b], shapes[b]
        prices = {pair: price for pair, price in prices.items() if not {a, b} & set(pair)}
        for other in near[a]:
            near[other] = (near[other] - {b}) | {a}
        fresh = [(min(a, other), max(a, other)) for other in sorted(near[a])]
        if len(current) <= max_pieces:
            total = shapely.difference(shapely.union_all(list(shapes.values())), target).area
            if total <= least:
                least, best = total, list(current.values())
        if len(current) == 1:
            return best


def covering_hull(points: FloatArray, max_vertices: int) -> FloatArray:
    """Return a convex polygon of at most `max_vertices` corners around points: their hull, of which edges were given up one at a time.

    An edge b-c goes by moving its two ends to the point where the edges before and after it meet; this adds the triangle over the edge.
    That point exists where
    the turns at b and c make less than pi together, as some two neighbours of five corners or more do.
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


def _excess(target: Any, shapes: Sequence[Any]) -> list[float]:
    import shapely

    if not shapes:
        return []
    found: list[float] = shapely.area(shapely.difference(np.array(shapes, dtype=object), target)).tolist()
    return found


def _neighbours(shapes: list[Any]) -> dict[int, set[int]]:
    """Return for each piece those that touch it, and ties between groups that do not touch: a connected graph."""
    import shapely

    tree = shapely.STRtree(shapes)
    near: dict[int, set[int]] = {k: set() for k in range(len(shapes))}
    for a, b in tree.query(shapes, predicate="intersects").T.tolist():
        if a != b:
            near[a].add(b)
            near[b].add(a)
    group = list(range(len(shapes)))

    def find(k: int) -> int:
        while group[k] != k:
            group[k] = group[group[k]]
            k = group[k]
        return k

    for a, others in near.items():
        for b in others:
            group[find(a)] = find(b)
    roots = sorted({find(k) for k in group})
    if len(roots) > 1:
        members = [[k for k in range(len(shapes)) if find(k) == root] for root in roots]
        for i in range(len(roots)):
            for j in range(i + 1, len(roots)):
                one, other = np.array(shapes, dtype=object)[members[i]], np.array(shapes, dtype=object)[members[j]]
                away = shapely.distance(one[:, None], other[None])
                at = np.unravel_index(int(away.argmin()), away.shape)
                a, b = members[i][int(at[0])], members[j][int(at[1])]
                near[a].add(b)
                near[b].add(a)
    return near
