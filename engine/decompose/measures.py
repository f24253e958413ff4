"""How well pieces stand for an outline, and how far two boundaries are apart, measured by shapely from the shapes alone.

            outline            pieces             missed = outline - pieces     of the outline, covered by none
            +------+          +--------+          excess = pieces - outline     covered by some, not of the outline
            |      |          |        |
            +------+          +--------+          area error = (missed + excess) / area of the outline

Nothing of what a decomposition says about itself goes in here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import positive
from engine.decompose.deviation import difference, farthest, union
from engine.decompose.outline import Outline
from engine.geometry import Circle, Polygon

__all__ = ["Cover", "boundary_distance", "cover"]

_MOST_HALVINGS = 40
"""Convergence, a count: an edge is halved at most so often, to a millionth of a millionth of its length."""
_MOST_STRETCHES = 200_000
"""Of a boundary that are looked at in one go; where there are more, those that may hold a farther point than the others."""


@dataclass(frozen=True, slots=True)
class Cover:
    """Square metres of the outline, of the union of the pieces, missed and in excess; metres to the farthest missed or excess point."""

    area: float
    covered: float
    missed: float
    excess: float
    farthest_missed: float
    farthest_excess: float

    @property
    def area_error(self) -> float:
        """Missed and excess, as a share of the outline."""
        return (self.missed + self.excess) / self.area


def cover(outline: Outline, pieces: Sequence[Polygon | Circle]) -> Cover:
    """Measure what the union of the pieces covers of the outline, and besides.

    `farthest_missed` is how far a point of the outline lies from the nearest piece, and `farthest_excess` how far a covered point lies
    from the outline; both within 1 %.
    """
    whole, covered = outline.as_shapely(), union(pieces)
    missed, excess = difference(whole, covered), difference(covered, whole)
    return Cover(whole.area, covered.area, missed.area, excess.area, farthest(missed, covered), farthest(excess, whole))


def boundary_distance(a: Outline, b: Outline, step: float) -> float:
    """Return the Hausdorff distance of two boundaries, metres; the true one is larger by at most ``step / 2``.

    The distance from one segment is a convex function along another, so that it is greatest at an end. So for a stretch of a and the
    edge of b that is nearest to its middle, the farther of the two ends bounds how far any point of the stretch is from b. Stretches that
    may hold a point ``step / 2`` farther than the farthest found so far are halved. Where b is a with corners left out, as here, the
    bound is met at the first look: n log n for n corners.
    """
    step = positive("step", step, "m")
    return max(_directed(a, b, step), _directed(b, a, step))


def _directed(a: Outline, b: Outline, step: float) -> float:
    """Return how far a point of the boundary of a is from that of b, at most."""
    import shapely

    edges = _edges(b)
    tree = shapely.STRtree(shapely.linestrings(edges))
    stretches = _edges(a)
    farthest = float(tree.query_nearest(shapely.points(stretches[:, 0]), return_distance=True, all_matches=False)[1].max())
    for _ in range(_MOST_HALVINGS):
        middles = 0.5 * (stretches[:, 0] + stretches[:, 1])
        (_, nearest), distances = tree.query_nearest(shapely.points(middles), return_distance=True, all_matches=False)
        farthest = max(farthest, float(distances.max()))
        away = np.maximum(_away(stretches[:, 0], edges[nearest]), _away(stretches[:, 1], edges[nearest]))
        is_open = np.flatnonzero(away > farthest + 0.5 * step)
        if len(is_open) == 0:
            break
        if 2 * len(is_open) > _MOST_STRETCHES:
            is_open = is_open[np.argsort(-away[is_open], kind="stable")[: _MOST_STRETCHES // 2]]
        first, last, middles = stretches[is_open, 0], stretches[is_open, 1], middles[is_open]
        stretches = np.concatenate((np.stack((first, middles), axis=1), np.stack((middles, last), axis=1)))
    return farthest


def _edges(outline: Outline) -> FloatArray:
    """Return both ends of every edge, (n, 2, 2)."""
    return np.concatenate([np.stack((ring, _next(ring)), axis=1) for ring in outline.rings()])


def _away(points: FloatArray, segments: FloatArray) -> FloatArray:
    """Return how far each point is from its segment."""
    start, way = segments[:, 0], segments[:, 1] - segments[:, 0]
    to = points - start
    along = np.clip((to * way).sum(axis=1) / (way * way).sum(axis=1), 0.0, 1.0)
    off = to - along[:, None] * way
    distances: FloatArray = np.hypot(off[:, 0], off[:, 1])
    return distances


def _next(ring: FloatArray) -> FloatArray:
    return np.concatenate((ring[1:], ring[:1]))
