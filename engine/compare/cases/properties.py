"""Seeded shapes, point sets and scenes for which boxes, masses, hulls and broad phases often fail, as `pairs` has for pairs.

As there, each chunk has its own random stream named by seed and chunk, and all numbers are float32.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.box2d.oracle.hulls import MAX_POINTS
from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import InvalidShapeError
from engine.common.rng import stream
from engine.compare.cases import CHUNK, CaseChunk
from engine.compare.cases.shapes import directions, rounded
from engine.geometry import Circle, Polygon, Segment, Shape

__all__ = [
    "HULL_FAMILIES",
    "MASS_FAMILIES",
    "SCENE_FAMILIES",
    "MassChunk",
    "SceneChunk",
    "box_rows",
    "mass_chunk",
    "n_bodies",
    "point_sets",
    "scene_chunk",
]


MASS_FAMILIES = ("turned", "far", "needle", "sized", "far_needle")
"""Families of shapes: turned only; a meter to kilometers off their origin; squashed to 1:1000; millimeters to kilometers; far and
squashed."""

_MASS_SHARES = (0.4, 0.2, 0.15, 0.15, 0.1)

HULL_FAMILIES = ("uniform", "grid", "nearly_on_line", "circle", "far", "sized", "edge_points", "on_line")
"""Families of point sets: uniform in a square; on a coarse grid, with repeats; within a micrometer of a line; all corners of a hull; far
from the origin, with a repeat; of 10 micrometers to 100 m; points on the edges of a quadrilateral; exactly on a line."""

EDGE_SHARE = 0.15
"""Families of the boxes."""


@dataclass(frozen=True, slots=True)
class MassChunk:
    """Shapes, replacements of those not representable in float32, densities (n,), kg/m^2, and the indices (n,) of the families."""

    shapes: tuple[Circle | Polygon, ...]
    otherwise: tuple[Circle | Polygon, ...]
    density: FloatArray
    family: IntArray


def box_rows(cases: CaseChunk, seed: int, chunk: int) -> IntArray:
    """Return the shape whose box is computed for each pair of `cases`, at the pose of the pair's first shape: that shape, or sometimes an
    edge."""
    rng = stream(seed, "compare", "boxes", chunk)
    edges = np.array([at for at, shape in enumerate(cases.shapes) if isinstance(shape, Segment)], dtype=np.int64)
    is_edge, edge = rng.random(CHUNK) < EDGE_SHARE, rng.integers(0, len(edges), CHUNK)
    n = len(cases.pairs)
    return np.where(is_edge[:n], edges[edge[:n]], cases.pairs[:, 0])


def mass_chunk(cases: CaseChunk, seed: int, chunk: int, n: int) -> MassChunk:
    """Return `n` shapes derived from those of `cases`, each with its original."""
    rng = stream(seed, "compare", "masses", chunk)
    solid = [shape for shape in cases.shapes if not isinstance(shape, Segment)]
    base = rng.integers(0, len(solid), CHUNK).tolist()
    family = rng.choice(len(MASS_FAMILIES), CHUNK, p=_MASS_SHARES)
    angle = rng.uniform(-math.pi, math.pi, CHUNK)
    squash = np.where(np.isin(family, (2, 4)), 10.0 ** rng.uniform(-3.0, -1.0, CHUNK), 1.0)
    size = np.where(family == 3, 10.0 ** rng.uniform(-2.5, 3.0, CHUNK), 1.0)
    away = np.where(np.isin(family, (1, 4)), 10.0 ** rng.uniform(0.0, 3.5, CHUNK), 0.0)
    shift = away[:, None] * rng.uniform(-1.0, 1.0, (CHUNK, 2))
    density = rounded(10.0 ** rng.uniform(-2.0, 4.0, CHUNK))
    cos, sin = np.cos(angle), np.sin(angle)
    shapes: list[Circle | Polygon] = []
    for row in range(n):
        shape = solid[base[row]]
        if isinstance(shape, Circle):
            x, y, radius = rounded((*(np.array(shape.center) * size[row] + shift[row]), shape.radius * size[row])).tolist()
            shapes.append(Circle(radius, (x, y)))
            continue
        local = shape.vertices * (size[row], squash[row] * size[row])
        rotation = np.array(((cos[row], sin[row]), (-sin[row], cos[row])))
        shapes.append(_polygon(rounded(local @ rotation + shift[row])) or shape)
    return MassChunk(tuple(shapes), tuple(solid[at] for at in base[:n]), density[:n], family[:n])


def point_sets(seed: int, chunk: int, n: int) -> list[FloatArray]:
    """Return `n` sets (k, 2) of 3 to 16 points, of all families in turn."""
    rng = stream(seed, "compare", "hulls", chunk)
    counts = rng.integers(3, MAX_POINTS + 1, CHUNK).tolist()
    cloud = rng.uniform(-1.0, 1.0, (CHUNK, MAX_POINTS, 2))
    noise = rng.standard_normal((CHUNK, MAX_POINTS, 2))
    numbers = rng.uniform(0.0, 1.0, (CHUNK, 6))
    sets = []
    for row in range(n):
        points = cloud[row, : counts[row]]
        made = _of_family(HULL_FAMILIES[row % len(HULL_FAMILIES)], points, noise[row, : counts[row]], numbers[row])
        sets.append(rounded(made))
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
        made = directions(math.pi * along) * number[3:5] + corner
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
    """Return the polygon, or None if rounding has made it concave or degenerate."""
    try:
        return Polygon(vertices)
    except InvalidShapeError:
        return None


# --- Scenes of many bodies, for the pairs of their boxes


SCENE_FAMILIES = ("uniform", "clustered", "log_normal", "grid", "far")
"""Families of scenes: uniform in a square; in clusters; sizes from a logarithmic normal distribution; boxes side by side on a grid;
all of it 100 m to 10 km from the origin. A chunk is of one family, at rest or moved, in turn."""


@dataclass(frozen=True, slots=True)
class SceneChunk:
    """The bodies: indices (m,) of their shapes in the chunk, the shapes, poses (m, 3), displacements in a step (m, 2), None at rest."""

    indices: IntArray
    shapes: tuple[Shape, ...]
    poses: FloatArray
    moves: FloatArray | None


def n_bodies(n_pairs: int) -> int:
    """Return the number of bodies that have at least `n_pairs` pairs."""
    bodies = (1 + math.isqrt(1 + 8 * n_pairs)) // 2
    return bodies if bodies * (bodies - 1) // 2 >= n_pairs else bodies + 1


def scene_chunk(cases: CaseChunk, seed: int, chunk: int, n_pairs: int) -> SceneChunk:
    """Return a scene with at least `n_pairs` pairs, made of the shapes of `cases`."""
    rng = stream(seed, "compare", "scenes", chunk)
    m, family = n_bodies(n_pairs), SCENE_FAMILIES[chunk % len(SCENE_FAMILIES)]
    small, large = (0.3, 3.0) if family == "log_normal" else (0.2, 1.5)
    extent = np.array([_extent(shape) for shape in cases.shapes])
    usable = np.array([at for at, shape in enumerate(cases.shapes) if not isinstance(shape, Segment) and extent[at] < large])
    if family == "log_normal":  # the shapes whose sizes are closest to samples of it
        order = usable[np.argsort(extent[usable])]
        drawn = np.clip(rng.lognormal(-1.5, 1.0, m), 0.0, large)
        indices = order[np.clip(np.searchsorted(extent[order], drawn), 0, len(order) - 1)]
    else:
        indices = rng.choice(usable[extent[usable] > small], m)
    half = math.sqrt(m) * 0.9
    places = rng.uniform(-half, half, (m, 2))
    if family == "clustered":
        middles = rng.uniform(-half, half, (max(1, m // 20), 2))
        places = middles[rng.integers(0, len(middles), m)] + rng.normal(0.0, 0.8, (m, 2))
    angles = rng.uniform(-math.pi, math.pi, m)
    if family == "grid":
        boxes = np.array([at for at in usable.tolist() if len(getattr(cases.shapes[at], "vertices", ())) == 4])
        indices = np.full(m, rng.choice(boxes))
        size = np.ptp(cases.shapes[indices[0]].vertices, axis=0)
        side = math.isqrt(m) + 1
        places, angles = np.column_stack((np.arange(m) % side, np.arange(m) // side)) * size, np.zeros(m)
    if family == "far":
        places += rng.choice((-1.0, 1.0), 2) * 10.0 ** rng.uniform(2.0, 4.0)
    poses = rounded(np.column_stack((places, angles)))
    reach, toward = rng.uniform(0.0, 1.9, m) * (rng.random(m) < 0.6), rng.uniform(-math.pi, math.pi, m)
    moves = reach[:, None] * directions(toward)
    is_moved = (chunk // len(SCENE_FAMILIES)) % 2 == 1
    solid = tuple(shape for shape in (cases.shapes[at] for at in indices.tolist()) if not isinstance(shape, Segment))
    return SceneChunk(indices, solid, poses, moves if is_moved else None)


def _extent(shape: Shape | Segment) -> float:
    if isinstance(shape, Segment):
        return math.inf
    return 0.5 * float(np.ptp(shape.core, axis=0).max()) + shape.radius - shape.skin_radius
