"""Seeded shapes and point sets on which boxes, masses and hulls go wrong: what `cases` has for pairs.

As there, each chunk has its own random stream named by seed and chunk, and all numbers are float32's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.box2d.oracle.hulls import MOST_POINTS
from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import InvalidShapeError
from engine.common.rng import stream
from engine.compare.cases import CHUNK, CaseChunk
from engine.geometry import Circle, Polygon, Segment

__all__ = ["HULL_FAMILIES", "MASS_FAMILIES", "MassChunk", "box_rows", "mass_chunk", "point_sets"]

MASS_FAMILIES = ("turned", "far", "needle", "sized", "far_needle")
"""Of shapes: turned only; a metre to kilometres off their origin; squashed to 1:1000; millimetres to kilometres; far and squashed."""

_MASS_SHARES = (0.4, 0.2, 0.15, 0.15, 0.1)

HULL_FAMILIES = ("uniform", "grid", "nearly_on_line", "circle", "far", "sized", "edge_points", "on_line")
"""Of point sets: uniform in a square; on a coarse grid, with repeats; within a micrometre of a line; all corners of a hull; far from the
origin, with a repeat; of 10 micrometres to 100 m; points on the edges of a quadrilateral; exactly on a line."""

EDGE_SHARE = 0.15
"""Of the boxes."""


@dataclass(frozen=True, slots=True)
class MassChunk:
    """Shapes, what to take where float32 cannot hold one, densities (n,), kg/m^2, and the indices (n,) of the families."""

    shapes: tuple[Circle | Polygon, ...]
    otherwise: tuple[Circle | Polygon, ...]
    density: FloatArray
    family: IntArray


def box_rows(cases: CaseChunk, seed: int, chunk: int) -> IntArray:
    """Return for each pair of `cases` the shape whose box is asked, at the pose of its first one: that one, or now and then an edge."""
    rng = stream(seed, "compare", "boxes", chunk)
    edges = np.array([at for at, shape in enumerate(cases.shapes) if isinstance(shape, Segment)], dtype=np.int64)
    is_edge, edge = rng.random(CHUNK) < EDGE_SHARE, rng.integers(0, len(edges), CHUNK)
    n = len(cases.pairs)
    return np.where(is_edge[:n], edges[edge[:n]], cases.pairs[:, 0])


def mass_chunk(cases: CaseChunk, seed: int, chunk: int, n: int) -> MassChunk:
    """Return `n` shapes, made of those of `cases`, each with the one that it was made of."""
    rng = stream(seed, "compare", "masses", chunk)
    solid = [shape for shape in cases.shapes if not isinstance(shape, Segment)]
    base = rng.integers(0, len(solid), CHUNK).tolist()
    family = rng.choice(len(MASS_FAMILIES), CHUNK, p=_MASS_SHARES)
    angle = rng.uniform(-math.pi, math.pi, CHUNK)
    squash = np.where(np.isin(family, (2, 4)), 10.0 ** rng.uniform(-3.0, -1.0, CHUNK), 1.0)
    size = np.where(family == 3, 10.0 ** rng.uniform(-2.5, 3.0, CHUNK), 1.0)
    away = np.where(np.isin(family, (1, 4)), 10.0 ** rng.uniform(0.0, 3.5, CHUNK), 0.0)
    shift = away[:, None] * rng.uniform(-1.0, 1.0, (CHUNK, 2))
    density = (10.0 ** rng.uniform(-2.0, 4.0, CHUNK)).astype(np.float32).astype(np.float64)
    cos, sin = np.cos(angle), np.sin(angle)
    shapes: list[Circle | Polygon] = []
    for row in range(n):
        shape = solid[base[row]]
        if isinstance(shape, Circle):
            x, y, radius = _float32((*(np.array(shape.center) * size[row] + shift[row]), shape.radius * size[row])).tolist()
            shapes.append(Circle(radius, (x, y)))
            continue
        local = shape.vertices * (size[row], squash[row] * size[row])
        rotation = np.array(((cos[row], sin[row]), (-sin[row], cos[row])))
        shapes.append(_polygon(_float32(local @ rotation + shift[row])) or shape)
    return MassChunk(tuple(shapes), tuple(solid[at] for at in base[:n]), density[:n], family[:n])


def point_sets(seed: int, chunk: int, n: int) -> list[FloatArray]:
    """Return `n` sets (k, 2) of 3 to 16 points, of all families in turn."""
    rng = stream(seed, "compare", "hulls", chunk)
    counts = rng.integers(3, MOST_POINTS + 1, CHUNK).tolist()
    cloud = rng.uniform(-1.0, 1.0, (CHUNK, MOST_POINTS, 2))
    noise = rng.standard_normal((CHUNK, MOST_POINTS, 2))
    numbers = rng.uniform(0.0, 1.0, (CHUNK, 6))
    sets = []
    for row in range(n):
        points = cloud[row, : counts[row]]
        made = _of_family(HULL_FAMILIES[row % len(HULL_FAMILIES)], points, noise[row, : counts[row]], numbers[row])
        sets.append(_float32(made))
    return sets


def _of_family(family: str, points: FloatArray, noise: FloatArray, number: FloatArray) -> FloatArray:
    along = points[:, 0]
    direction = np.array((math.cos(2.0 * math.pi * number[0]), math.sin(2.0 * math.pi * number[0])))
    corner = 10.0 * (number[1:3] - 0.5)
    made: FloatArray = points
    if family == "grid":
        made = np.round(2.5 * points)
    elif family == "nearly_on_line":
        made = along[:, None] * direction + corner + 10.0 ** (-9.0 + 6.0 * number[3]) * noise
    elif family == "circle":
        made = np.column_stack((np.cos(math.pi * along), np.sin(math.pi * along))) * number[3:5] + corner
    elif family == "far":
        made = points + 10.0 ** (1.0 + 3.0 * number[3]) * direction
        made[-1] = made[0]
    elif family == "sized":
        made = 10.0 ** (-5.0 + 7.0 * number[3]) * points
    elif family == "edge_points":
        outline = np.vstack((points[:3], points[:3].sum(axis=0) - 2.0 * points[0]))
        first = (np.abs(points[:, 1]) * 4.0).astype(np.int64) % 4
        made = outline[first] + np.round(8.0 * np.abs(along[:, None])) / 8.0 * (outline[(first + 1) % 4] - outline[first])
    elif family == "on_line":
        made = np.round(8.0 * along[:, None]) * np.round(4.0 * direction) + np.round(corner)
    return made


def _polygon(vertices: FloatArray) -> Polygon | None:
    """Return the polygon; None where rounding has taken its convexity or its area."""
    try:
        return Polygon(vertices)
    except InvalidShapeError:
        return None


def _float32(numbers: object) -> FloatArray:
    return np.asarray(numbers, dtype=np.float32).astype(np.float64)
