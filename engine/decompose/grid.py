"""The integer grid for exact predicates of decompositions.

All decisions are based on the side of a line on which a point is: whether a corner is reflex, whether two corners see each other, whether a
diagonal can be omitted. Rounding must not make these inconsistent. So the outline is first rounded to a grid of at most 2^30 steps along
its longer side. The distance of two corners is then at most sqrt(2) 2^30 steps, and the turn of three corners

    (qx - px)(ry - py) - (qy - py)(rx - px)

is the product of two such lengths and a sine: at most 2^61, as are both products in it. All fit int64, and no test rounds. A step is 1e-9
of the outline, a hundredth of the resolution of float32, in which Box2D computes. The grid is used only for *decisions*; the pieces consist
of the outline's own unchanged vertices, so that no area is lost.

The grid's axes are along most of the outline's edges, weighted by length. So a comb, a window or a letter E keeps its collinear corners at
any rotation, whereas a grid along x and y would round them to different sides of their line, and a piece along such a line would be divided
into several.

Two corners on the same grid point become one, and a corner on another edge becomes a corner of that edge too (so that two touching rings
share a vertex)::

    outer edge  a-----------------b              a------v----------b
                        v                  ->          / \\
                       / \\  hole                      /   \\

Corners within two steps of the line of their neighbors are omitted, because rounding could make them reflex.

If rounding would make rings cross, which requires features as small as a step, snap rounding is used instead, which keeps them valid at the
cost of a few vertices.

Source of snap rounding: J. D. Hobby, "Practical segment intersection with finite precision output", 1999 (`shapely.set_precision`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import Described, InvalidShapeError
from engine.common.installation import require
from engine.decompose.outline import Outline

__all__ = ["GRID_BITS", "GridPart", "on_grid", "turn"]

GRID_BITS = 30
"""Maximum log2 of the number of steps along the longer side: the turns of any three corners stay within int64."""

STRAIGHT = 2.0
"""Rounding, steps of the grid. Corners on a slanted line are rounded by up to 0.7 of a step to either side and would become dents and
bumps. Two steps are 2e-9 of the outline's extent.
"""

SAME_DIRECTION = 0.5 * math.pi / 2.0**20
"""Rounding, radians. Edges whose directions agree to 1.5e-6 count as parallel, only for the choice of the grid's axes."""

Point = tuple[int, int]


@dataclass(frozen=True, eq=False)
class GridPart:
    """A part of an outline on the grid.

    Attributes
    ----------
    points : list of (int, int)
        Distinct grid points; `turn` of any three fits int64.
    rings : list of lists of int
        Indices into `points`, the outer ring first; the inside is on the left of each edge. A point can be on two rings.
    vertices : float64 (n, 2)
        The same points in meters: the outline's own vertices.
    """

    points: list[Point]
    rings: list[list[int]]
    vertices: FloatArray

    @property
    def array(self) -> IntArray:
        """The points as int64 (n, 2)."""
        return np.array(self.points, dtype=np.int64).reshape(-1, 2)

    def loop(self, piece: Sequence[int]) -> FloatArray:
        """Return the meters of a loop of indices, (n, 2)."""
        corners: FloatArray = self.vertices[list(piece)]
        return corners


def turn(p: Point, q: Point, r: Point) -> int:
    """Return twice the area of the triangle p, q, r, positive if r is left of the line from p to q; exact."""
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def on_grid(outline: Outline) -> list[GridPart]:
    """Return the parts of an outline on one grid.

    A part can be divided where it is thinner than a step of the grid, and is omitted if it is thinner everywhere.

    Raises
    ------
    InvalidShapeError
        No part of the outline remains.
    """
    require("shapely")
    import shapely

    frame = _Frame.of(outline)
    grid_parts = []
    for part in outline.parts:
        rings = [frame.cells(ring) for ring in part.rings()]
        origin = {
            _key(cell): vertex
            for cells, ring in zip(rings, part.rings(), strict=True)
            for cell, vertex in zip(np.rint(cells), ring, strict=True)
        }
        polygon = shapely.Polygon(np.rint(rings[0]), [np.rint(ring) for ring in rings[1:]])
        if not polygon.is_valid:
            polygon = shapely.set_precision(shapely.Polygon(rings[0], rings[1:]), 1.0)
        for simple in getattr(polygon, "geoms", [polygon]):
            if simple.geom_type == "Polygon" and simple.area > 0.0:
                grid_parts.append(_grid_part(shapely.orient_polygons(simple), origin, frame))
    if not grid_parts:
        raise InvalidShapeError("outline", "wider than 1e-9 times its length", Described("only slivers"))
    return grid_parts


@dataclass(frozen=True)
class _Frame:
    """Placement of the grid: its step in meters, its axis, and the point, in steps along the grid's axes, that becomes (0, 0)."""

    unit: float
    cos: float
    sin: float
    center: tuple[float, float]

    @classmethod
    def of(cls, outline: Outline) -> _Frame:
        box = outline.aabb
        extent = max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1])
        unit = 2.0 ** (math.frexp(extent)[1] - GRID_BITS)
        edges = np.concatenate([np.concatenate((ring[1:], ring[:1])) - ring for ring in outline.rings()])
        lengths = np.hypot(edges[:, 0], edges[:, 1])
        turns = np.arctan2(edges[:, 1], edges[:, 0]) % (0.5 * math.pi)
        # equal directions are counted together, weighted by the length of their edges; one just below 90 degrees equals one just above 0
        names = np.rint(turns / SAME_DIRECTION) % round(0.5 * math.pi / SAME_DIRECTION)
        kinds, which = np.unique(names, return_inverse=True)
        best = int(np.bincount(which, weights=lengths).argmax())
        cos, sin = 1.0, 0.0
        if kinds[best] != 0.0:
            longest = edges[int(np.where(which == best, lengths, 0.0).argmax())]
            cos, sin = (longest / math.hypot(*longest)).tolist()
        x, y = 0.5 * (box.lower[0] + box.upper[0]), 0.5 * (box.lower[1] + box.upper[1])
        return cls(unit, cos, sin, (float(np.rint((cos * x + sin * y) / unit)), float(np.rint((cos * y - sin * x) / unit))))

    def cells(self, ring: FloatArray) -> FloatArray:
        """Convert meters to unrounded steps, element by element, so that equal points stay equal."""
        x, y = ring[:, 0] / self.unit, ring[:, 1] / self.unit
        return np.column_stack((self.cos * x + self.sin * y - self.center[0], self.cos * y - self.sin * x - self.center[1]))

    def meters(self, cell: Point) -> FloatArray:
        u, v = cell[0] + self.center[0], cell[1] + self.center[1]
        return np.array([self.cos * u - self.sin * v, self.sin * u + self.cos * v]) * self.unit


def _grid_part(polygon: Any, origin: dict[Point, FloatArray], frame: _Frame) -> GridPart:
    loops = [[_key(cell) for cell in np.asarray(ring.coords)[:-1]] for ring in (polygon.exterior, *polygon.interiors)]
    loops = _straightened([_without_repeats(loop) for loop in loops])
    if len(loops) > 1:
        loops = _with_touching(loops)
    index: dict[Point, int] = {}
    rings = [[index.setdefault(cell, len(index)) for cell in loop] for loop in loops]
    vertices = np.array([origin[cell] if cell in origin else frame.meters(cell) for cell in index])
    return GridPart(list(index), rings, vertices)


def _key(cell: FloatArray) -> Point:
    return int(cell[0]), int(cell[1])


def _without_repeats(loop: list[Point]) -> list[Point]:
    return [cell for before, cell in zip([loop[-1], *loop[:-1]], loop, strict=True) if cell != before]


def _straightened(loops: list[list[Point]]) -> list[list[Point]]:
    """Remove corners within `STRAIGHT` steps of the line of the remaining ones, unless rings touch there or would cross."""
    import shapely

    shared = {cell for cell, times in Counter(cell for loop in loops for cell in loop).items() if times > 1}
    straight = [_straightened_ring(loop, shared) for loop in loops]
    if straight == loops or min(map(len, straight)) < 3 or not shapely.Polygon(straight[0], straight[1:]).is_valid:
        return loops
    return straight


def _straightened_ring(loop: list[Point], shared: set[Point]) -> list[Point]:
    cells = np.array(loop, dtype=np.float64)
    before, after = cells - np.roll(cells, 1, axis=0), np.roll(cells, -1, axis=0) - cells
    chord = np.hypot(*(before + after).T)
    bend = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
    flat = (bend <= STRAIGHT * chord) & ((before * after).sum(axis=1) > 0.0)
    if not flat.any() or flat.all():
        return loop
    first = int(bend.argmax())
    ring = loop[first:] + loop[:first]
    may_go = np.roll(flat, -first).tolist()
    kept = [ring[0]]
    passed: list[Point] = []
    for k in range(1, len(ring)):
        end = ring[(k + 1) % len(ring)]
        if may_go[k] and ring[k] not in shared and _all_near(kept[-1], end, [*passed, ring[k]]):
            passed.append(ring[k])
        else:
            kept.append(ring[k])
            passed = []
    return kept


def _all_near(p: Point, q: Point, cells: list[Point]) -> bool:
    reach = STRAIGHT * math.dist(p, q)
    return all(abs(turn(p, q, cell)) <= reach for cell in cells)


def _with_touching(loops: list[list[Point]]) -> list[list[Point]]:
    """Insert every corner that lies on an edge of another ring into that edge."""
    import shapely

    cells = np.array([cell for loop in loops for cell in loop], dtype=np.int64)
    ends = np.concatenate([np.array(loop[1:] + loop[:1], dtype=np.int64) for loop in loops])
    at, edge = shapely.STRtree(shapely.linestrings(np.stack((cells, ends), axis=1))).query(shapely.points(cells), predicate="intersects")
    way, to = ends[edge] - cells[edge], cells[at] - cells[edge]  # integers: the results of GEOS are verified
    along = (way * to).sum(axis=1)
    touching = (way[:, 0] * to[:, 1] == way[:, 1] * to[:, 0]) & (along > 0) & (along < (way * way).sum(axis=1))
    on_edge: dict[int, list[tuple[int, Point]]] = {}
    for k in np.flatnonzero(touching):
        on_edge.setdefault(int(edge[k]), []).append((int(along[k]), _key(cells[at[k]])))
    if not on_edge:
        return loops
    made, number = [], 0
    for loop in loops:
        ring: list[Point] = []
        for cell in loop:
            ring.append(cell)
            ring.extend(dict.fromkeys(touched for _, touched in sorted(on_edge.get(number, ()))))
            number += 1
        made.append(ring)
    return made
