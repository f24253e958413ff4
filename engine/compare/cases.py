"""Seeded pairs to compare on: mostly random ones, and those on which collision code goes wrong.

Pairs come in chunks of `CHUNK`, each with its own random stream named by seed and chunk, so that the sequence depends on the seed
alone and never on how many processes share the work. All numbers are float32's, so that Box2D and we get the same ones.

Of each chunk about a tenth is adversarial: parallel edges, corners that meet, edges on one line, gaps as wide as the skins,
features of nearly one size, one inside another, concentric shapes, pairs far from the world's origin; and needles everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, Polygon, Shape

__all__ = [
    "CHUNK",
    "FAMILIES",
    "CaseChunk",
    "MotionChunk",
    "RayChunk",
    "case_chunk",
    "chunk_sizes",
    "motion_chunk",
    "random_polygon",
    "random_shapes",
    "ray_chunk",
]

CHUNK = 10_000
"""Pairs of one chunk."""

N_SHAPES = 600
"""Shapes of one chunk, which its pairs draw from; making them costs as much as colliding them twenty times."""

ADVERSARIAL_SHARE = 0.1

FAMILIES = ("parallel", "corner", "one_line", "skin_limit", "nearly_equal", "contained", "concentric", "far")
"""The adversarial families; needles are among the shapes everywhere."""

_FEWEST_EDGE = 0.02
"""Metres. Shorter edges of a random polygon would be refused by Box2D, or bent by float32."""

_FEWEST_TURN = 0.02
"""Sine of the angle between neighbouring edges, for the same reason."""

_STRAIGHT_SHARE = 0.2
"""Of motions: no turning at all, so that parallel edges stay parallel."""

_FARTHEST_MOVE = (3.0, 3.0, 3.0)
"""Metres and radians within one step, either way: several times the size of a shape, as a bullet moves."""

_ON_SURFACE_SHARE = 0.2
"""Of the starts of rays, and of their ends."""

_NEARLY = 1e-5
"""Metres and radians: larger than float32's spacing a few metres out, smaller than anything seen."""


@dataclass(frozen=True, slots=True)
class CaseChunk:
    """Shapes, pairs (n, 2) into them, poses (n, 3), and for each pair its family's index, -1 for a random one."""

    shapes: tuple[Shape, ...]
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    family: IntArray


@dataclass(frozen=True, slots=True)
class MotionChunk:
    """Poses (n, 3) at both ends of a step, for the pairs of a chunk."""

    start_a: FloatArray
    end_a: FloatArray
    start_b: FloatArray
    end_b: FloatArray


@dataclass(frozen=True, slots=True)
class RayChunk:
    """Shapes (n,) into those of a chunk, their poses (n, 3), and rays from origin to end (n, 2); the origins serve as points too."""

    indices: IntArray
    poses: FloatArray
    origins: FloatArray
    ends: FloatArray


def chunk_sizes(n_pairs: int) -> Iterator[tuple[int, int]]:
    """Yield (chunk, pairs in it) for the first `n_pairs` pairs of a sequence."""
    for chunk in range(-(-n_pairs // CHUNK)):
        yield chunk, min(CHUNK, n_pairs - chunk * CHUNK)


def case_chunk(seed: int, chunk: int, n_pairs: int = CHUNK) -> CaseChunk:
    """Return the first `n_pairs` pairs of one chunk of the sequence that belongs to `seed`."""
    shapes = random_shapes(stream(seed, "compare", "shapes", chunk), N_SHAPES)
    rng = stream(seed, "compare", "pairs", chunk)
    pairs = rng.integers(0, len(shapes), (CHUNK, 2))
    reach = np.array([_reach(shape) for shape in shapes])
    centers = np.array([_center(shape) for shape in shapes])

    poses_a = np.column_stack((rng.uniform(-8.0, 8.0, (CHUNK, 2)), rng.uniform(-math.pi, math.pi, CHUNK)))
    angle_b = rng.uniform(-math.pi, math.pi, CHUNK)
    toward = rng.uniform(-math.pi, math.pi, CHUNK)
    distance = rng.uniform(0.0, 1.7, CHUNK) * reach[pairs].sum(axis=1)
    away = distance[:, None] * np.column_stack((np.cos(toward), np.sin(toward)))
    # the middles of the shapes, not their origins, lie that far apart
    middle_a = poses_a[:, :2] + _turned(poses_a[:, 2], centers[pairs[:, 0]])
    poses_b = np.column_stack((middle_a + away - _turned(angle_b, centers[pairs[:, 1]]), angle_b))

    family = np.where(rng.random(CHUNK) < ADVERSARIAL_SHARE, rng.integers(0, len(FAMILIES), CHUNK), -1)
    boxes = np.array([at for at, shape in enumerate(shapes) if _is_box(shape)])
    for row in np.flatnonzero(family >= 0).tolist():
        _make_adversarial(FAMILIES[family[row]], row, rng, shapes, boxes, pairs, poses_a, poses_b, reach, centers)
    poses_a, poses_b = (poses.astype(np.float32).astype(np.float64) for poses in (poses_a, poses_b))
    return CaseChunk(shapes, pairs[:n_pairs], poses_a[:n_pairs], poses_b[:n_pairs], family[:n_pairs])


def motion_chunk(cases: CaseChunk, seed: int, chunk: int) -> MotionChunk:
    """Return motions that take each pair of `cases` through its poses at some moment of the step, up to float32 rounding."""
    rng = stream(seed, "compare", "motions", chunk)
    moment = rng.uniform(0.0, 1.0, (CHUNK, 1))
    moves = rng.uniform(-1.0, 1.0, (2, CHUNK, 3)) * _FARTHEST_MOVE
    moves[:, rng.random(CHUNK) < _STRAIGHT_SHARE, 2] = 0.0
    n = len(cases.pairs)
    ends = []
    for poses, move in ((cases.poses_a, moves[0]), (cases.poses_b, moves[1])):
        for part in (-moment, 1.0 - moment):
            ends.append((poses + (part * move)[:n]).astype(np.float32).astype(np.float64))
    return MotionChunk(*ends)


def ray_chunk(cases: CaseChunk, seed: int, chunk: int) -> RayChunk:
    """Return a ray at the first shape of each pair of `cases`; a fifth of the starts and of the ends lie on corners and edges."""
    rng = stream(seed, "compare", "rays", chunk)
    n, indices = len(cases.pairs), np.ascontiguousarray(cases.pairs[:, 0])
    reach, centers = np.array([_reach(shape) for shape in cases.shapes]), np.array([_center(shape) for shape in cases.shapes])
    outlines = [_outline(shape) for shape in cases.shapes]
    ends = []
    for farthest in (3.0, 1.5):
        toward, far, is_on, at, share = (rng.random(CHUNK)[:n] for _ in range(5))
        angle = 2.0 * math.pi * toward
        local = centers[indices] + (farthest * far * reach[indices])[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
        for row in np.flatnonzero(is_on < _ON_SURFACE_SHARE).tolist():
            outline = outlines[indices[row]]
            edge = int(at[row] * len(outline))
            along = share[row] if share[row] < 0.5 else 0.0  # half of them at a corner
            local[row] = (1.0 - along) * outline[edge] + along * outline[(edge + 1) % len(outline)]
        world = cases.poses_a[:, :2] + _turned(cases.poses_a[:, 2], local)
        ends.append(world.astype(np.float32).astype(np.float64))
    return RayChunk(indices, cases.poses_a, *ends)


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
            half_length, half_width = np.array((rng.uniform(0.5, 1.5), rng.uniform(0.002, 0.01)), dtype=np.float32).tolist()
            tip = [(-half_length, -half_width), (half_length, 0.0), (-half_length, half_width)]
            shapes.append(Polygon.box(half_length, half_width) if rng.random() < 0.5 else Polygon(tip))
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
        corners = corners.astype(np.float32).astype(np.float64)
        after = np.roll(corners, -1, axis=0) - corners
        length = np.hypot(after[:, 0], after[:, 1])
        if length.min() < _FEWEST_EDGE:
            continue
        before = np.roll(after, 1, axis=0)
        sine = (before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) / (length * np.roll(length, 1))
        if sine.min() > _FEWEST_TURN:
            return Polygon(corners)


def _make_adversarial(
    family: str,
    row: int,
    rng: np.random.Generator,
    shapes: tuple[Shape, ...],
    boxes: IntArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    reach: FloatArray,
    centers: FloatArray,
) -> None:
    """Turn one row of random poses into one of a family."""
    if family in ("parallel", "corner", "one_line", "skin_limit", "nearly_equal"):
        pairs[row] = rng.choice(boxes, 2)
        if family == "nearly_equal":
            pairs[row, 1] = pairs[row, 0]
        half_a, half_b = (np.abs(_vertices(shapes[shape])).max(axis=0) for shape in pairs[row])
        together = half_a + half_b
        poses_a[row, 2] = 0.0 if rng.random() < 0.5 else poses_a[row, 2]
        poses_b[row, 2] = poses_a[row, 2]
        sign = rng.choice((-1.0, 1.0), 2)
        if family == "parallel":
            away = rng.uniform(-1.1, 1.1, 2) * together
        elif family == "corner":
            away = sign * together
        elif family == "one_line":
            away = np.array((sign[0] * together[0] * rng.uniform(0.5, 1.01), sign[1] * (half_a[1] - half_b[1])))
        elif family == "skin_limit":
            # two skins apart, face to face or corner to corner
            gap = 2.0 * BOX2D_POLYGON_SKIN
            away = sign * (together + (gap * np.array((0.6, 0.8)) if rng.random() < 0.5 else (gap, -rng.uniform(0.0, 0.1))))
        else:
            away = rng.uniform(-_NEARLY, _NEARLY, 2)
            poses_b[row, 2] += rng.uniform(-_NEARLY, _NEARLY)
        cos, sin = math.cos(poses_a[row, 2]), math.sin(poses_a[row, 2])
        poses_b[row, :2] = poses_a[row, :2] + (cos * away[0] - sin * away[1], sin * away[0] + cos * away[1])
        return
    a, b = pairs[row]
    if family == "far":
        shift = rng.choice((-1.0, 1.0), 2) * 10.0 ** rng.uniform(1.5, 3.0)
        poses_a[row, :2] += shift
        poses_b[row, :2] += shift
        return
    inside = rng.uniform(0.0, 0.3) * reach[a] if family == "contained" else 0.0
    toward = rng.uniform(-math.pi, math.pi)
    middle = poses_a[row, :2] + _turned(poses_a[row : row + 1, 2], centers[a : a + 1])[0]
    middle = middle + (inside * math.cos(toward), inside * math.sin(toward))
    poses_b[row, :2] = middle - _turned(poses_b[row : row + 1, 2], centers[b : b + 1])[0]


def _vertices(shape: Shape) -> FloatArray:
    return np.array([shape.center]) if isinstance(shape, Circle) else shape.vertices


def _outline(shape: Shape) -> FloatArray:
    if isinstance(shape, Polygon):
        return shape.vertices
    angle = np.linspace(0.0, 2.0 * math.pi, 8, endpoint=False)
    return np.array(shape.center) + shape.radius * np.column_stack((np.cos(angle), np.sin(angle)))


def _center(shape: Shape) -> FloatArray:
    middle: FloatArray = _vertices(shape).mean(axis=0)
    return middle


def _reach(shape: Shape) -> float:
    """Return the mean distance of the surface from the middle: pairs whose middles lie two of these apart about touch."""
    if isinstance(shape, Circle):
        return shape.radius
    away = shape.vertices - _center(shape)
    return float(np.hypot(away[:, 0], away[:, 1]).mean())


def _is_box(shape: Shape) -> bool:
    return isinstance(shape, Polygon) and len(shape.vertices) == 4 and bool((shape.vertices.mean(axis=0) == 0.0).all())


def _turned(angle: FloatArray, local: FloatArray) -> FloatArray:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack((cos * local[:, 0] - sin * local[:, 1], sin * local[:, 0] + cos * local[:, 1]))
