"""Conversion of drawn rings to an outline: handles self-crossings, repeated points, spikes and collinear runs.

All edges of all rings are cut at their intersections, and the faces between them are found. A face belongs to the outline by its winding
number w, the number of times that the rings go around it: under the rule *nonzero* if w != 0, under *evenodd* if w is odd.

         +--------+              a ring in the shape of an eight
          \\  +1  /               evenodd, nonzero: both triangles
           \\    /
            \\  /                 a pentagram goes twice around its middle
             \\/                  nonzero: the whole star;  evenodd: five tips without the pentagon
             /\\
            /-1\\                 a spike, back and forth on one line, bounds no face and vanishes
           +----+

The faces come from GEOS (`shapely.node`, `shapely.polygonize`); the winding number from the sum over edges below.

Sources: SVG 2, 13.4.2, "fill-rule"; D. Sunday, "Inclusion of a Point in a Polygon", 2001 (the winding number by crossings).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray
from engine.common.checks import choice
from engine.common.errors import Described, InvalidShapeError
from engine.common.installation import require
from engine.common.limits import MAX_CROSSINGS, MAX_FACE_EDGES, MAX_NEAR_EDGES
from engine.common.tolerances import COLLINEAR_ROUNDING, OVERLAY_GRID
from engine.decompose.outline import Outline, ring_points, settled

__all__ = ["FILL_RULES", "check_tangle", "edges_of", "filled", "repaired", "without_specks"]

FILL_RULES = ("nonzero", "evenodd")

_MAX_PAIRS = 500_000
"""Number of pairs of edges examined at a time: about 100 MB."""
_MAX_NESTED = 1_000
"""Maximum number of rings around a point: twice as many take four times as long to sort by containment, which is done more than once for an
imported drawing: 1,300 took 26 s on a busy machine before they were rejected as too thin.
"""
_MAX_OFFSET = 4_000
"""Maximum number of corners of a polygon that is shrunk to test whether it is a speck. The sides of a thinner one would all cross each
other; for larger polygons, the deepest point is searched for instead.
"""
_STRIPS = 64
"""Number of strips into which a drawing is cut to distinguish faces from holes."""


def repaired(rings: Iterable[ArrayLike], rule: str = "evenodd") -> Outline:
    """Return the outline that the rings enclose.

    Parameters
    ----------
    rings : iterable of array_like, each (n, 2)
        Meters. Closed, whether or not the first point is repeated at the end; they can cross themselves and each other.
    rule : "evenodd" or "nonzero"
        Definition of the inside. Without crossings, a ring within another is a hole by evenodd; by nonzero only if its direction is
        opposite.

    Raises
    ------
    InvalidShapeError
        They enclose no area, a number is not finite or too large, or there are too many crossings.

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
    """Return the area enclosed by the rings of `ring_points` as a valid shapely geometry of polygons, which may be empty."""
    require("shapely")
    import shapely

    kept = [ring for ring in rings if len(ring) >= 3]
    if len(kept) == 1:
        alone = shapely.Polygon(kept[0])
        if alone.is_valid:
            return alone
    if not kept:
        return shapely.MultiPolygon()
    edges = edges_of(kept)
    check_tangle(edges, "rings")
    _check_depth(kept)
    lines = shapely.MultiLineString([np.concatenate((ring, ring[:1])) for ring in kept])
    try:
        return _inside(shapely.node(lines), edges, rule)
    except shapely.GEOSException:  # if lines nearly coincide, rounding each crossing to doubles can create more indefinitely
        try:
            return _inside(shapely.union_all(lines, grid_size=OVERLAY_GRID), edges, rule)
        except shapely.GEOSException as error:
            raise InvalidShapeError("rings", "lines that can be distinguished", Described(str(error).partition("\n")[0])) from None


def _inside(network: Any, edges: FloatArray, rule: str) -> Any:
    """Return the union of the faces of a noded network that are inside by the winding numbers of the edges."""
    import shapely

    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(network)))
    inside = shapely.get_coordinates(shapely.point_on_surface(faces))
    numbers = _winding_numbers(inside, edges)
    chosen = faces[numbers != 0 if rule == "nonzero" else numbers % 2 != 0]
    united = shapely.coverage_union_all(chosen)  # faces of one network share whole edges
    return united if united.is_valid else settled(united)


def _check_depth(rings: list[FloatArray]) -> None:
    """Reject deeply nested rings, because nesting is determined pair by pair. Boxes of a sample of rings are tested."""
    if len(rings) <= _MAX_NESTED:
        return
    low, high = np.array([ring.min(axis=0) for ring in rings]), np.array([ring.max(axis=0) for ring in rings])
    some = np.array([ring[0] for ring in rings[:: -(-len(rings) // _MAX_NESTED)]])
    depth = max(int(((low <= point) & (point <= high)).all(axis=1).sum()) for point in some)
    if depth > _MAX_NESTED:
        raise InvalidShapeError("rings", f"nested at most {_MAX_NESTED} deep", Described(str(depth)))


def without_specks(outline: Outline, radius: float) -> tuple[Outline | None, int, int]:
    """Return the outline without the parts and holes that contain no disc of `radius` meters, and the numbers of both.

    The first is None if nothing remains. A region in which every point is within r of its boundary, of length L, has an area of at most L
    r, so most parts need no exact test.
    """
    import shapely

    kept, n_holes = [], 0
    parts = outline.parts
    are_specks = _specks(np.array([part.as_shapely() for part in parts]), radius)
    for part, is_speck in zip(parts, are_specks, strict=True):
        if is_speck:
            continue
        are_filled = _specks(np.array([shapely.Polygon(hole) for hole in part.holes]), radius)
        n_holes += int(are_filled.sum())
        kept.append(shapely.Polygon(part.outer, [hole for hole, is_filled in zip(part.holes, are_filled, strict=True) if not is_filled]))
    if not kept:
        return None, len(parts), n_holes
    if len(kept) == len(parts) and n_holes == 0:
        return outline, 0, 0
    # a part in a filled hole is a speck too, except for the rounding of these tests: then it is merged with its surroundings
    remaining = shapely.MultiPolygon(kept)
    return Outline.from_shapely(remaining if remaining.is_valid else settled(shapely.union_all(kept))), len(parts) - len(kept), n_holes


def _specks(polygons: NDArray[np.object_], radius: float) -> NDArray[np.bool_]:
    """Return which polygons contain no disc of `radius`: first by area and box, then by exact tests."""
    import shapely

    if len(polygons) == 0:
        return np.zeros(0, dtype=np.bool_)
    low_x, low_y, high_x, high_y = shapely.bounds(polygons).T
    areas = shapely.area(polygons)
    is_speck: NDArray[np.bool_] = (np.minimum(high_x - low_x, high_y - low_y) < 2.0 * radius) | (areas < math.pi * radius**2)
    for k in np.flatnonzero(~is_speck & (areas <= shapely.length(polygons) * radius)):
        is_speck[k] = _is_thin(polygons[k], radius)
    return is_speck


def _is_thin(polygon: Any, radius: float) -> bool:
    import shapely

    if shapely.get_num_coordinates(polygon) > _MAX_OFFSET:
        return bool(shapely.maximum_inscribed_circle(polygon, 0.1 * radius).length < radius)
    return bool(polygon.buffer(-radius).is_empty)


def edges_of(rings: Iterable[FloatArray]) -> FloatArray:
    """Return both ends of every edge of closed rings, (n, 2, 2)."""
    return np.concatenate([np.stack((ring, np.concatenate((ring[1:], ring[:1]))), axis=1) for ring in rings])


def check_tangle(edges: FloatArray, field: str) -> None:
    """Reject lines that take too long to process: with too many crossings, or too many possible ones.

    Adjacent edges, which share a corner, are not counted.

    Parameters
    ----------
    edges : float64 (n, 2, 2)
    field : str
        Name of the field in the error.

    Raises
    ------
    InvalidShapeError
        There are more than `MAX_CROSSINGS` crossings, or more than `MAX_NEAR_EDGES` pairs of edges whose boxes overlap.
    """
    import shapely

    low, high = edges.min(axis=1), edges.max(axis=1)
    boxes = shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    tree = shapely.STRtree(boxes)
    step = max(1, _MAX_PAIRS // len(edges))
    n_near = n_meetings = -3 * len(edges)  # each with itself and with two neighbors
    for first in range(0, len(edges), step):
        first_edges, other = tree.query(boxes[first : first + step])
        n_near += len(first_edges)
        n_meetings += _count_meetings(edges[first + first_edges], edges[other])
        if n_meetings > 2 * MAX_CROSSINGS:
            raise InvalidShapeError(field, f"lines with at most {MAX_CROSSINGS} crossings", Described("more"))
        if n_near > 2 * MAX_NEAR_EDGES:
            requirement = f"lines with at most {MAX_NEAR_EDGES} pairs whose bounding boxes overlap"
            raise InvalidShapeError(field, requirement, Described("more"))


def _count_meetings(one: FloatArray, other: FloatArray) -> int:
    """Return the number of pairs of edges, whose boxes overlap, with a common point; a collinear pair counts."""

    def side(line: FloatArray, points: FloatArray) -> FloatArray:
        (ux, uy), (vx, vy) = (line[:, 1] - line[:, 0]).T, (points - line[:, 0]).T
        turned: FloatArray = np.sign(ux * vy - uy * vx)
        return turned

    apart = side(one, other[:, 0]) * side(one, other[:, 1]) > 0.0
    apart |= side(other, one[:, 0]) * side(other, one[:, 1]) > 0.0
    return len(apart) - int(np.count_nonzero(apart))


def _winding_numbers(points: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the winding number of the closed lines around each point, counter-clockwise positive.

    A ray from the point to the right: an edge that crosses it upward (a.y <= y < b.y, the point to its left) adds one, and one that crosses
    it downward subtracts one. Points are inside faces, never on an edge. Only the edges in a point's strip of y are tested.
    """
    low, high = float(edges[:, :, 1].min()), float(edges[:, :, 1].max())
    to_strip = _STRIPS / (high - low) if high > low else 0.0
    strips = np.clip((points[:, 1] - low) * to_strip, 0, _STRIPS - 1).astype(np.int64)
    first, last = (np.clip((side - low) * to_strip, 0, _STRIPS - 1).astype(np.int64) for side in np.sort(edges[:, :, 1], axis=1).T)
    numbers = np.zeros(len(points))
    n_looks = 0
    for strip in np.unique(strips):
        chosen = np.flatnonzero(strips == strip)
        ax, ay, bx, by = edges[(first <= strip) & (strip <= last)].reshape(-1, 4).T
        n_looks += len(chosen) * len(ax)
        if n_looks > MAX_FACE_EDGES:
            requirement = f"rings with at most {MAX_FACE_EDGES} neighboring pairs of a face and an edge"
            raise InvalidShapeError("rings", requirement, Described("more"))
        for k in chosen:
            x, y = points[k]
            near = (ay <= y) != (by <= y)
            side = (bx[near] - ax[near]) * (y - ay[near]) - (x - ax[near]) * (by[near] - ay[near])
            upward = by[near] > y
            numbers[k] = np.count_nonzero(upward & (side > 0.0)) - np.count_nonzero(~upward & (side < 0.0))
    return numbers


def _straightened(geometry: Any) -> Any:
    """Return the geometry without collinear vertices, if it stays valid without them."""
    import shapely

    scale = float(np.abs(shapely.get_coordinates(geometry)).max())
    straight = shapely.simplify(geometry, COLLINEAR_ROUNDING * scale, preserve_topology=True)
    return straight if straight.is_valid and not straight.is_empty else geometry
