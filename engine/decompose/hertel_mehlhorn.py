"""Hertel and Mehlhorn's method: triangulate the outline on its own vertices, then remove diagonals that are not needed.

**Triangles.** A polygon of n vertices with h holes is divided into ``n + 2 h - 2`` triangles by any diagonals: the angles of the triangles
sum to the inner angles of the polygon. (The turns of the outer ring sum to 2 pi, those of each hole to -2 pi; an inner angle is pi minus
its turn, so the inner angles sum to ``n pi - 2 pi + 2 pi h``, and each triangle has pi.)

They are computed by GEOS, through `shapely.constrained_delaunay_triangles`, the constrained Delaunay triangulation, so that few triangles
are slivers; with ear clipping, the usual method, half of them are, and a seventh more pieces remain. The result is verified: it has only
own vertices, each triangle is counter-clockwise, and their integer areas sum exactly to that of the part.

**Merging.** Starting from any partition into convex pieces, such as a triangulation, each diagonal is examined once. It can be removed if
the remaining corners at its two ends turn left or are straight; it is then *inessential*, and the two pieces become one convex piece::

        p---u---q            p---u---q
        |   |   |            |       |          at u: turn(p, u, q) >= 0, at v: turn(q', v, p') >= 0
        |   |   |     ->     |       |
        p'--v---q'           p'--v---q'

**At most four times the optimum.** A remaining diagonal is essential for one of its ends, a reflex corner: without it the angle there would
be more than pi. Of two diagonals that are both within pi of one of the corner's edges, the one nearer to that edge is not essential there,
because the other leaves at most pi beside that edge. The two ranges of pi, one from each edge, cover the inner angle; so a reflex corner
has at most two essential diagonals, and at most ``2 r`` diagonals remain, where r is the number of reflex corners. Any partition needs a
diagonal at every reflex corner, and one diagonal serves at most two: at least ``r / 2``, a quarter as many. For a part with h holes d
diagonals make ``d + 1 - h`` pieces; so there are at most ``2 r + 1 - h`` pieces, while at least ``r / 2 + 1 - h`` are needed, which for h
<= 1 is at most four times as many.

The order has little effect; the longest diagonals are examined first, which gives rounder pieces.

Sources: L. P. Chew, "Constrained Delaunay Triangulations", 1989; M. Davis, JTS `ConstrainedDelaunayTriangulator`, 2021; S. Hertel, K.
Mehlhorn, "Fast Triangulation of Simple Polygons", 1983; J. O'Rourke, Computational Geometry in C, 1998, 2.5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.errors import Described, InvalidShapeError
from engine.common.events import record
from engine.decompose.grid import GridPart, Point, turn

__all__ = ["MergeStep", "TriangleStep", "merged", "triangulate"]


class TriangleStep(NamedTuple):
    """A triangle: its corners' indices, counter-clockwise, and twice its area, in grid squares; one without area is dropped."""

    corners: list[int]
    twice: int


class MergeStep(NamedTuple):
    """An examined diagonal from u to v: the three corners that would meet at either end without it, and whether it is removed.

    `turn_u` and `turn_v` are the turns of the two; below 0 the diagonal is essential.
    """

    at_u: tuple[int, int, int]
    at_v: tuple[int, int, int]
    turn_u: int
    turn_v: int
    is_left_out: bool


def triangulate(part: GridPart) -> list[list[int]]:
    """Return a triangulation of a part, counter-clockwise indices.

    Raises
    ------
    InvalidShapeError
        The library's triangles do not cover the part exactly.
    """
    import shapely

    index = {point: k for k, point in enumerate(part.points)}
    loops = [[part.points[k] for k in ring] for ring in part.rings]
    made = shapely.constrained_delaunay_triangles(shapely.Polygon(loops[0], loops[1:]))
    corners = shapely.get_coordinates(made).reshape(-1, 4, 2)[:, :3]
    triangles = []
    area = 0
    for corner in np.rint(corners).astype(np.int64).tolist():
        a, b, c = (index.get((x, y), -1) for x, y in corner)
        if min(a, b, c) < 0:
            raise InvalidShapeError("outline", "triangulated on its own vertices", Described("a new vertex"))
        twice = turn(part.points[a], part.points[b], part.points[c])
        area += abs(twice)
        triangle = [a, b, c] if twice >= 0 else [a, c, b]
        record(TriangleStep(triangle, abs(twice)))
        if twice != 0:
            triangles.append(triangle)
    if area != sum(_twice_area(loop) for loop in loops):
        raise InvalidShapeError("outline", "one whose triangles make up its area", Described("another area"))
    return triangles


def _twice_area(loop: list[tuple[int, int]]) -> int:
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(loop, [*loop[1:], loop[0]], strict=True))


def merged(part: GridPart, pieces: list[list[int]]) -> list[list[int]]:
    """Return convex pieces with every inessential diagonal removed.

    Parameters
    ----------
    part : GridPart
    pieces : list of loops of indices
        Convex, counter-clockwise partition of the part, such as its triangles.

    Returns
    -------
    list of loops of indices
        Loops of the same kind, at most as many; no two can be merged along a common diagonal.
    """
    ahead: list[int] = []  # the next and the previous half-edge around its piece, and the start of each
    behind: list[int] = []
    start: list[int] = []
    of_edge: dict[tuple[int, int], int] = {}
    for piece in pieces:
        first, n = len(start), len(piece)
        for k, u in enumerate(piece):
            of_edge[u, piece[(k + 1) % n]] = first + k
            start.append(u)
            ahead.append(first + (k + 1) % n)
            behind.append(first + (k - 1) % n)
    points = part.points
    both_ways = [(u, v) for u, v in of_edge if u < v and (v, u) in of_edge]
    gone = [False] * len(start)
    for u, v in sorted(both_ways, key=lambda edge: (-_length_sq(points[edge[0]], points[edge[1]]), edge)):
        here, there = of_edge[u, v], of_edge[v, u]
        before_u, after_u, before_v, after_v = behind[here], ahead[there], behind[there], ahead[here]
        at_u = turn(points[start[before_u]], points[u], points[start[ahead[after_u]]])
        at_v = turn(points[start[before_v]], points[v], points[start[ahead[after_v]]])
        corners_u, corners_v = (start[before_u], u, start[ahead[after_u]]), (start[before_v], v, start[ahead[after_v]])
        record(MergeStep(corners_u, corners_v, at_u, at_v, at_u >= 0 and at_v >= 0))
        if at_u >= 0 and at_v >= 0:
            ahead[before_u], behind[after_u] = after_u, before_u
            ahead[before_v], behind[after_v] = after_v, before_v
            gone[here] = gone[there] = True
    loops = []
    for edge in range(len(start)):
        if not gone[edge]:
            loop = []
            while not gone[edge]:
                gone[edge] = True
                loop.append(start[edge])
                edge = ahead[edge]
            loops.append(loop)
    return loops


def _length_sq(p: Point, q: Point) -> int:
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2
