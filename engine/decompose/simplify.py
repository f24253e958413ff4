"""Simplification to fewer vertices, with the boundary within a tolerance and without new crossings of rings.

Douglas and Peucker: between two kept vertices, the chain of the others is removed if none of them is farther than the tolerance from the
segment between the two; otherwise the farthest is kept, and both halves are processed recursively.

              . * .                         * is kept: farther than the tolerance from a-b
          .           .
       a ---------------- b

Both directions of the Hausdorff distance are bounded by the tolerance t. From the old boundary to the new one: an edge between two vertices
within t of a segment is within t of it, because the neighborhood of a segment is convex. From the new to the old: along the chain the
nearest point of the segment ab moves continuously from a to b, so that every point of ab is within t of the chain.

GEOS keeps a vertex if the shortcut would cross another edge of any ring (`TopologyPreservingSimplifier`). The result is checked to be valid
and to contain every ring; otherwise the tolerance is halved until it is.

A chain whose farthest vertex is always its first is searched once for each vertex: a comb of n equal teeth takes n^2 steps. So a ring of
more than `_LONGEST_CHAIN` vertices is simplified in chains of that many, whose ends are kept. Preventing crossings of so many vertices
takes GEOS eighteen times as long as the simplification itself, so it is done only if the result without it is invalid.

Sources: D. H. Douglas, T. K. Peucker, "Algorithms for the reduction of the number of points...", 1973; A. Saalfeld, "Topologically
consistent line simplification with the Douglas-Peucker algorithm", 1999.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import non_negative
from engine.decompose.outline import Outline, Part

__all__ = ["simplified"]

_MAX_HALVINGS = 8
"""Number of tries at smaller tolerances before the outline is kept unchanged."""
_LONGEST_CHAIN = 4_000
"""Number of vertices between two that are always kept. Hand-drawn outlines have fewer in total."""


def simplified(outline: Outline, tolerance: float) -> Outline:
    """Return the outline with a subset of its vertices.

    Parameters
    ----------
    outline : Outline
    tolerance : float
        >= 0, meters: maximum Hausdorff distance between the two boundaries.

    Examples
    --------
    >>> simplified(Outline.of_polygon([(0, 0), (1, -0.01), (2, 0), (2, 1), (0, 1)]), 0.02).n_vertices
    4
    """
    import shapely

    tolerance = non_negative("tolerance", tolerance, "m")
    if tolerance == 0.0:
        return outline
    geometry = shapely.MultiPolygon(
        [shapely.Polygon(_from_a_corner(part.outer), [_from_a_corner(hole) for hole in part.holes]) for part in outline.parts]
    )
    is_long = max(len(ring) for ring in outline.rings()) > _LONGEST_CHAIN
    for _ in range(_MAX_HALVINGS):
        for keeps_apart in (False, True) if is_long else (True,):
            simpler = (_in_chains if is_long else shapely.simplify)(geometry, tolerance, preserve_topology=keeps_apart)
            if simpler is not None and simpler.is_valid and _same_rings(geometry, simpler):
                return Outline(
                    Part(np.asarray(polygon.exterior.coords), [np.asarray(ring.coords) for ring in polygon.interiors])
                    for polygon in shapely.get_parts(simpler)
                )
        tolerance *= 0.5
    return outline


def _in_chains(whole: Any, tolerance: float, *, preserve_topology: bool) -> Any:
    """Return the polygons with the chains of their rings simplified; None if a ring retains too few vertices."""
    import shapely

    chains: list[Any] = []
    lengths: list[int] = []
    for ring in shapely.get_rings(shapely.get_parts(whole)):
        points = shapely.get_coordinates(ring)
        # at least two chains: a single closed one would be a ring, whose end could be removed
        ends = np.linspace(0, len(points) - 1, max(2, -(-len(points) // _LONGEST_CHAIN)) + 1).astype(np.int64)
        lengths.append(len(ends) - 1)
        chains.extend(shapely.LineString(points[first : last + 1]) for first, last in pairwise(ends.tolist()))
    simpler = iter(shapely.get_parts(shapely.simplify(shapely.MultiLineString(chains), tolerance, preserve_topology=preserve_topology)))
    rings = []
    for length in lengths:
        pieces = [shapely.get_coordinates(next(simpler)) for _ in range(length)]
        rings.append(np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])]))
    if min(map(len, rings)) < 4:
        return None
    polygons, made = [], iter(rings)
    for polygon in shapely.get_parts(whole):
        outer = next(made)
        polygons.append(shapely.Polygon(outer, [next(made) for _ in range(shapely.get_num_interior_rings(polygon))]))
    return shapely.MultiPolygon(polygons)


def _from_a_corner(ring: FloatArray) -> FloatArray:
    """Return the ring rotated to start at its vertex farthest from the middle, because the first vertex is always kept."""
    away = ring - ring.mean(axis=0)
    first = int(np.argmax(np.hypot(away[:, 0], away[:, 1])))
    return np.concatenate((ring[first:], ring[:first]))


def _same_rings(before: Any, after: Any) -> bool:
    import shapely

    if after.geom_type == "Polygon":
        after = shapely.MultiPolygon([after])
    if len(before.geoms) != len(after.geoms):
        return False
    return bool((shapely.get_num_interior_rings(before.geoms) == shapely.get_num_interior_rings(after.geoms)).all())
