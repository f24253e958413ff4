"""Seeded shapes for comparison, of every kind that Box2D collides, and of all usual sizes.

All numbers are float32, so that Box2D and we get the same ones. A `Size` is the use of a shape:

==========  ======================================================================================================================
ORDINARY    a tenth of a meter to two meters, for which Box2D is tuned
NEEDLE      polygons 1000 times as long as wide
SMALL       0.4 to 20 mm: below the skins of 10 mm, and down to the smallest area that Box2D accepts, 1.2e-7 m^2
LARGE       30 m to 3 km
GRID        boxes, circles and chain edges whose numbers are multiples of 1/8 m: edges on one line and equal depths are exact there
==========  ======================================================================================================================
"""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_EPSILON
from engine.geometry import Circle, Polygon, Segment, Shape

__all__ = [
    "CIRCLE",
    "EDGE",
    "POLYGON",
    "SHAPE_KINDS",
    "CaseShape",
    "Size",
    "chunk_shapes",
    "directions",
    "outline_of",
    "random_edges",
    "random_polygon",
    "random_shapes",
    "rounded",
    "turned",
]

CaseShape = Circle | Polygon | Segment

CIRCLE, POLYGON, EDGE = 0, 1, 2
"""Kinds of shape, as `SHAPE_KINDS` names them."""

SHAPE_KINDS = ("circle", "polygon", "edge")


class Size(IntEnum):
    """Use of a shape of a chunk; see the module."""

    ORDINARY = 0
    NEEDLE = 1
    SMALL = 2
    LARGE = 3
    GRID = 4


_N_ORDINARY, _N_EDGES, _N_SPECIAL = 400, 100, 24
"""Numbers of shapes of a chunk: ordinary circles and polygons, ordinary edges, and each other size and kind. Creating them takes as long as
colliding them twenty times.
"""

_SHORTEST_EDGE = 0.02
"""Minimum edge of a polygon about 1 m wide, meters. With shorter edges, Box2D would reject it, or float32 would make it concave."""

_MIN_TURN = 0.02
"""Minimum sine of the angle between neighboring edges, for the same reason."""

_SMALL_AREAS = (1.5 * BOX2D_EPSILON, 1e-4)
"""Minimum area, square meters: Box2D rejects a polygon whose area is not above its epsilon."""

_CIRCLE_OUTLINE = 8
"""Number of points of a circle that serve as its corners."""


def random_shapes(rng: np.random.Generator, n: int) -> tuple[Shape, ...]:
    """Return `n` shapes with float32 numbers: convex polygons of 3 to 8 and of up to 16 corners, boxes, needles, circles."""
    shapes: list[Shape] = []
    for kind in rng.choice(5, n, p=(0.5, 0.1, 0.2, 0.05, 0.15)).tolist():
        if kind == 0:
            shapes.append(random_polygon(rng, int(rng.integers(3, 9))))
        elif kind == 1:
            shapes.append(random_polygon(rng, int(rng.integers(9, 17))))
        elif kind == 2:
            half_width, half_height = rng.uniform(0.1, 1.0, 2).astype(np.float32).tolist()
            shapes.append(Polygon.box(half_width, half_height))
        elif kind == 3:
            shapes.append(_needle(rng, rng.uniform(0.002, 0.01)))
        else:
            radius, x, y = np.array((rng.uniform(0.05, 1.0), *rng.uniform(-0.3, 0.3, 2)), dtype=np.float32).tolist()
            shapes.append(Circle(radius, (0.0, 0.0) if rng.random() < 0.5 else (x, y)))
    return tuple(shapes)


def random_polygon(rng: np.random.Generator, n_vertices: int) -> Polygon:
    """Return a convex polygon with `n_vertices` corners on a random ellipse, float32 numbers, no edge too short for float32."""
    while True:
        angles = np.sort(rng.uniform(0.0, 2.0 * math.pi, n_vertices))
        long, short = rng.uniform(0.3, 1.2), rng.uniform(0.15, 1.0)
        corners = np.column_stack((long * np.cos(angles), min(short, long) * np.sin(angles))) + rng.uniform(-0.3, 0.3, 2)
        corners = rounded(corners)
        after = np.roll(corners, -1, axis=0) - corners
        length = np.hypot(after[:, 0], after[:, 1])
        if length.min() < _SHORTEST_EDGE:
            continue
        before = np.roll(after, 1, axis=0)
        sine = (before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) / (length * np.roll(length, 1))
        if sine.min() > _MIN_TURN:
            return Polygon(corners)


def random_edges(rng: np.random.Generator, n: int, size: float = 1.0) -> tuple[Segment, ...]:
    """Return `n` edges within `size` times 1.5 m, a quarter each without neighbors, with the previous one, with the next one, with both.

    A third of the neighbors have any direction, a third bend a little, and a third go straight on, within float32 rounding.
    """
    edges = []
    for at in range(n):
        while True:
            p1, p2 = rounded(rng.uniform(-1.5, 1.5, (2, 2)) * size)
            if math.dist(p1, p2) > _SHORTEST_EDGE * size:
                break
        ghosts: list[tuple[float, float] | None] = []
        for end, other in ((p1, p2), (p2, p1)):
            onward = rng.uniform(0.2, 1.5) * (end - other)
            bend = (1.0, 0.02, 0.0)[int(rng.integers(3))]
            ghost = rounded(end + onward + bend * rng.uniform(-1.5, 1.5, 2) * size)
            ghosts.append((float(ghost[0]), float(ghost[1])) if math.dist(ghost, end) > _SHORTEST_EDGE * size else None)
        edges.append(_edge(p1, p2, ghosts[0] if at % 4 in (1, 3) else None, ghosts[1] if at % 4 in (2, 3) else None))
    return tuple(edges)


def chunk_shapes(rng: np.random.Generator) -> tuple[tuple[CaseShape, ...], dict[tuple[int, Size], IntArray]]:
    """Return the shapes of one chunk, edges last, and for each kind and size the indices of such shapes."""
    made: list[tuple[CaseShape, Size]] = [(shape, Size.ORDINARY) for shape in random_shapes(rng, _N_ORDINARY)]
    edges: list[tuple[CaseShape, Size]] = [(shape, Size.ORDINARY) for shape in random_edges(rng, _N_EDGES)]
    for _ in range(_N_SPECIAL):
        made.append((_needle(rng, rng.uniform(0.0005, 0.0015)), Size.NEEDLE))
        made.append((_small_polygon(rng), Size.SMALL))
        made.append((_circle(10.0 ** rng.uniform(-3.3, -2.0)), Size.SMALL))
        edges.append((_one_edge(rng, 10.0 ** rng.uniform(-3.0, -2.0)), Size.SMALL))
        large = 10.0 ** rng.uniform(1.5, 3.5)
        made.append((Polygon(rounded(large * random_polygon(rng, int(rng.integers(3, 17))).vertices)), Size.LARGE))
        made.append((_circle(10.0 ** rng.uniform(1.5, 3.5)), Size.LARGE))
        edges.append((_one_edge(rng, large), Size.LARGE))
        width, height, radius = (rng.integers(1, 9, 3) / 8.0).tolist()
        made.append((Polygon.box(width, height), Size.GRID))
        made.append((_circle(radius), Size.GRID))
        edges.append((_grid_edge(rng), Size.GRID))
    made += edges
    pools: dict[tuple[int, Size], list[int]] = {}
    for at, (shape, size) in enumerate(made):
        pools.setdefault((_kind(shape), size), []).append(at)
    return tuple(shape for shape, _ in made), {key: np.array(indices) for key, indices in pools.items()}


def outline_of(shape: CaseShape) -> FloatArray:
    """Return the corners of a shape, counter-clockwise; eight points of a circle; an edge's two ends."""
    if not isinstance(shape, Circle):
        return shape.core
    angle = np.linspace(0.0, 2.0 * math.pi, _CIRCLE_OUTLINE, endpoint=False)
    return np.array(shape.center) + shape.radius * directions(angle)


def _kind(shape: CaseShape) -> int:
    return CIRCLE if isinstance(shape, Circle) else POLYGON if isinstance(shape, Polygon) else EDGE


def _needle(rng: np.random.Generator, half_width: float) -> Polygon:
    half_length, half_width = np.array((rng.uniform(0.5, 1.5), half_width), dtype=np.float32).tolist()
    tip = [(-half_length, -half_width), (half_length, 0.0), (-half_length, half_width)]
    return Polygon.box(half_length, half_width) if rng.random() < 0.5 else Polygon(tip)


def _small_polygon(rng: np.random.Generator) -> Polygon:
    polygon = random_polygon(rng, int(rng.integers(3, 9)))
    least, most = _SMALL_AREAS
    area = least * (most / least) ** rng.random()
    return Polygon(rounded(polygon.vertices * math.sqrt(area / polygon.mass().area)))


def _circle(radius: float) -> Circle:
    return Circle(float(np.float32(radius)))


def _one_edge(rng: np.random.Generator, size: float) -> Segment:
    return random_edges(rng, 4, size)[int(rng.integers(4))]


def _grid_edge(rng: np.random.Generator) -> Segment:
    """Return an edge of a chain whose corners have whole numbers: flat, a step, a ridge or a valley at either end."""
    heights = rng.integers(-1, 2, 4) * (rng.random(4) < 0.5)
    points = [(float(x), float(y)) for x, y in zip((-1.0, 0.0, 1.0, 2.0), heights, strict=True)]
    if rng.random() < 0.5:
        points.reverse()  # the other side is the front
    has_before, has_after = rng.random(2) < 0.7
    return Segment(points[1], points[2], 0.0, points[0] if has_before else None, points[3] if has_after else None)


def _edge(p1: FloatArray, p2: FloatArray, ghost1: tuple[float, float] | None, ghost2: tuple[float, float] | None) -> Segment:
    return Segment((float(p1[0]), float(p1[1])), (float(p2[0]), float(p2[1])), 0.0, ghost1, ghost2)


def rounded(numbers: ArrayLike) -> FloatArray:
    """Return the nearest float32 numbers."""
    return np.asarray(numbers, dtype=np.float64).astype(np.float32).astype(np.float64)


def directions(angle: FloatArray) -> FloatArray:
    """Return unit vectors (n, 2) at angles (n,)."""
    return np.column_stack((np.cos(angle), np.sin(angle)))


def turned(angle: FloatArray, points: FloatArray) -> FloatArray:
    """Return points (n, 2), each rotated by its angle (n,)."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack((cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]))
