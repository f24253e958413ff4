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
from engine.decompose.deviation import farthest, union
from engine.decompose.outline import Outline
from engine.geometry import Circle, Polygon

__all__ = ["Cover", "boundary_distance", "cover"]

_MOST_SAMPLES = 200_000
"""Points at which a boundary is looked at; a longer one is looked at less densely."""


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
    missed, excess = whole.difference(covered), covered.difference(whole)
    return Cover(whole.area, covered.area, missed.area, excess.area, farthest(missed, covered), farthest(excess, whole))


def boundary_distance(a: Outline, b: Outline, step: float) -> float:
    """Return the Hausdorff distance of two boundaries, metres, from points at most `step` metres apart on each.

    A distance changes no faster than the place it is measured at, so that the true one is larger by at most ``step / 2``.
    """
    step = positive("step", step, "m")
    return max(_directed(a, b, step), _directed(b, a, step))


def _directed(a: Outline, b: Outline, step: float) -> float:
    """Return how far a point of the boundary of a is from that of b, at most."""
    import shapely

    samples = shapely.points(_samples(a, step))
    edges = shapely.linestrings(np.concatenate([np.stack((ring, _next(ring)), axis=1) for ring in b.rings()]))
    _, distances = shapely.STRtree(edges).query_nearest(samples, return_distance=True, all_matches=False)
    return float(distances.max())


def _samples(outline: Outline, step: float) -> FloatArray:
    length = sum(float(np.hypot(*(_next(ring) - ring).T).sum()) for ring in outline.rings())
    step = max(step, length / _MOST_SAMPLES)
    found = []
    for ring in outline.rings():
        edges = _next(ring) - ring
        counts = np.maximum(1, np.ceil(np.hypot(edges[:, 0], edges[:, 1]) / step)).astype(np.int64)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        share = (np.arange(counts.sum()) - first) / np.repeat(counts, counts)
        found.append(np.repeat(ring, counts, axis=0) + share[:, None] * np.repeat(edges, counts, axis=0))
    return np.concatenate(found)


def _next(ring: FloatArray) -> FloatArray:
    return np.concatenate((ring[1:], ring[:1]))
