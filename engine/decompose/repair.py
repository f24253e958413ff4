"""Rings as somebody drew them to an outline: self-crossings, repeated points, spikes and runs on one line.

All edges of all rings are cut where they meet; the faces between them are found, and a face belongs to the outline by its winding
number w, the times that the rings go round it: under the rule *nonzero* where w != 0, under *evenodd* where w is odd.

         +--------+              a ring drawn as an eight
          \\  +1  /               evenodd, nonzero: both triangles
           \\    /
            \\  /                 a pentagram goes twice round its middle
             \\/                  nonzero: the whole star;  evenodd: five points and a pentagon left out
             /\\
            /-1\\                 a spike, there and back on one line, bounds no face: it is gone
           +----+

The faces come from GEOS (`shapely.node`, `shapely.polygonize`); the winding number from the sum over edges below.

Sources: SVG 2, 13.4.2, "fill-rule"; D. Sunday, "Inclusion of a Point in a Polygon", 2001 (the winding number by crossings).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray
from engine.common.checks import choice
from engine.common.errors import Described, InvalidShapeError
from engine.common.tolerances import COLLINEAR_ROUNDING
from engine.decompose.outline import Outline, ring_points

__all__ = ["FILL_RULES", "filled", "repaired", "without_specks"]

FILL_RULES = ("nonzero", "evenodd")

_MOST_CROSSINGS = 20_000
"""Pairs of edges of one drawing that meet without being neighbours: a scribble beyond it takes seconds to sort out."""
_MOST_PAIRS = 2_000_000
"""Pairs of edges that are looked at in one go: 32 MB of indices."""


def repaired(rings: Iterable[ArrayLike], rule: str = "evenodd") -> Outline:
    """Return the outline that the rings enclose.

    Parameters
    ----------
    rings : iterable of array_like, each (n, 2)
        Metres. Closed, whether or not the first point is given again at the end; they may cross themselves and each other.
    rule : "evenodd" or "nonzero"
        What counts as inside. Without crossings, a ring within another is a hole by evenodd; by nonzero only if it goes the other way.

    Raises
    ------
    InvalidShapeError
        They enclose no area, a number is not finite or too large, or there are too many crossings to sort out.

    Examples
    --------
    >>> eight = [(0, 0), (2, 2), (2, 0), (0, 2)]
    >>> [part.area for part in repaired([eight]).parts]
    [1.0, 1.0]
    """
    choice("rule", rule, FILL_RULES)
    geometry = filled([ring_points(f"rings[{k}]", ring) for k, ring in enumerate(rings)], rule)
    if geometry.is_empty:
        raise InvalidShapeError("rings", "lines that enclose an area", Described("lines that enclose none"))
    return Outline.from_shapely(_straightened(geometry))


def filled(rings: list[FloatArray], rule: str) -> Any:
    """Return what the rings enclose, as a valid shapely geometry of polygons, which may be empty; rings are those of `ring_points`."""
    import shapely

    kept = [ring for ring in rings if len(ring) >= 3]
    if len(kept) == 1:
        alone = shapely.Polygon(kept[0])
        if alone.is_valid:
            return alone
    if not kept:
        return shapely.MultiPolygon()
    edges = np.concatenate([np.stack((ring, np.concatenate((ring[1:], ring[:1]))), axis=1) for ring in kept])
    _check_crossings(edges)
    try:
        network = shapely.node(shapely.MultiLineString([np.concatenate((ring, ring[:1])) for ring in kept]))
        faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(network)))
        inside = shapely.get_coordinates(shapely.point_on_surface(faces))
        numbers = _winding_numbers(inside, edges)
        chosen = faces[numbers != 0 if rule == "nonzero" else numbers % 2 != 0]
        return shapely.union_all(chosen)
    except shapely.GEOSException as error:
        raise InvalidShapeError("rings", "lines that can be told apart", Described(str(error).partition("\n")[0])) from None


def without_specks(outline: Outline, radius: float) -> tuple[Outline | None, int, int]:
    """Return the outline without the parts and the holes that hold no disc of `radius` metres; how many parts, how many holes.

    The first is None where nothing is left. A region in which every point lies within r of its boundary, of length L, has an area of
    L r at the most: most parts need no closer look.
    """
    import shapely

    kept, n_holes = [], 0
    parts = outline.parts
    for part in parts:
        if _is_speck(part.as_shapely(), radius):
            continue
        holes = [hole for hole in part.holes if not _is_speck(shapely.Polygon(hole), radius)]
        n_holes += len(part.holes) - len(holes)
        kept.append(shapely.Polygon(part.outer, holes))
    if not kept:
        return None, len(parts), n_holes
    if len(kept) == len(parts) and n_holes == 0:
        return outline, 0, 0
    # a part that lay in a hole that is filled now is one with what is around it
    return Outline.from_shapely(shapely.union_all(kept) if n_holes else shapely.MultiPolygon(kept)), len(parts) - len(kept), n_holes


def _is_speck(polygon: Any, radius: float) -> bool:
    return bool(polygon.area <= polygon.length * radius) and bool(polygon.buffer(-radius).is_empty)


def _check_crossings(edges: FloatArray) -> None:
    """Refuse a drawing with more crossings than can be sorted out in a moment; neighbours, which meet in a corner, are not counted."""
    import shapely

    lines = shapely.linestrings(edges)
    tree = shapely.STRtree(lines)
    step = max(1, _MOST_PAIRS // len(lines))
    n_meetings = -3 * len(lines)  # each with itself and with two neighbours
    for first in range(0, len(lines), step):
        n_meetings += len(tree.query(lines[first : first + step], predicate="intersects")[0])
        if n_meetings > 2 * _MOST_CROSSINGS:
            raise InvalidShapeError("rings", f"lines with at most {_MOST_CROSSINGS} crossings", Described("more"))


def _winding_numbers(points: FloatArray, edges: FloatArray) -> FloatArray:
    """Return how often the closed lines go round each point, counter-clockwise positive.

    A ray from the point to the right: an edge that crosses it upwards (a.y <= y < b.y, the point to its left) counts one, one that
    crosses it downwards takes one off. Points lie within faces, never on an edge.
    """
    ax, ay, bx, by = edges[:, 0, 0], edges[:, 0, 1], edges[:, 1, 0], edges[:, 1, 1]
    numbers = np.zeros(len(points))
    for k, (x, y) in enumerate(points):
        near = (ay <= y) != (by <= y)
        side = (bx[near] - ax[near]) * (y - ay[near]) - (x - ax[near]) * (by[near] - ay[near])
        upward = by[near] > y
        numbers[k] = np.count_nonzero(upward & (side > 0.0)) - np.count_nonzero(~upward & (side < 0.0))
    return numbers


def _straightened(geometry: Any) -> Any:
    """Return the geometry without the vertices that lie on the line of their neighbours, where it stays valid without them."""
    import shapely

    scale = float(np.abs(shapely.get_coordinates(geometry)).max())
    straight = shapely.simplify(geometry, COLLINEAR_ROUNDING * scale, preserve_topology=True)
    return straight if straight.is_valid and not straight.is_empty else geometry
