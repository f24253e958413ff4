"""Seeded scenes of many bodies, for the pairs of their boxes.

Each chunk has its own random stream named by seed and chunk, and all numbers are float32's, as in `cases`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.compare.cases import CaseChunk
from engine.geometry import Segment, Shape

__all__ = ["SCENE_FAMILIES", "SceneChunk", "n_bodies", "scene_chunk"]

SCENE_FAMILIES = ("uniform", "clustered", "log_normal", "grid", "far")
"""Of scenes: uniform in a square; in clusters; sizes from a logarithmic normal distribution; boxes side by side on a grid, exactly; all of
it 100 m to 10 km from the origin. A chunk is of one family, at rest or moved, in turn."""


@dataclass(frozen=True, slots=True)
class SceneChunk:
    """The bodies: which shape of the chunk each has (m,) and the shape itself, poses (m, 3), moves in a step (m, 2), None at rest."""

    indices: IntArray
    shapes: tuple[Shape, ...]
    poses: FloatArray
    moves: FloatArray | None


def n_bodies(n_pairs: int) -> int:
    """Return how many bodies have at least `n_pairs` pairs."""
    bodies = (1 + math.isqrt(1 + 8 * n_pairs)) // 2
    return bodies if bodies * (bodies - 1) // 2 >= n_pairs else bodies + 1


def scene_chunk(cases: CaseChunk, seed: int, chunk: int, n_pairs: int) -> SceneChunk:
    """Return a scene with at least `n_pairs` pairs, made of the shapes of `cases`."""
    rng = stream(seed, "compare", "scenes", chunk)
    m, family = n_bodies(n_pairs), SCENE_FAMILIES[chunk % len(SCENE_FAMILIES)]
    small, large = (0.3, 3.0) if family == "log_normal" else (0.2, 1.5)
    extent = np.array([_extent(shape) for shape in cases.shapes])
    usable = np.array([at for at, shape in enumerate(cases.shapes) if not isinstance(shape, Segment) and extent[at] < large])
    if family == "log_normal":  # the shapes whose sizes come nearest to numbers drawn from it
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
    poses = np.column_stack((places, angles)).astype(np.float32).astype(np.float64)
    reach, toward = rng.uniform(0.0, 1.9, m) * (rng.random(m) < 0.6), rng.uniform(-math.pi, math.pi, m)
    moves = reach[:, None] * np.column_stack((np.cos(toward), np.sin(toward)))
    is_moved = (chunk // len(SCENE_FAMILIES)) % 2 == 1
    solid = tuple(shape for shape in (cases.shapes[at] for at in indices.tolist()) if not isinstance(shape, Segment))
    return SceneChunk(indices, solid, poses, moves if is_moved else None)


def _extent(shape: Shape | Segment) -> float:
    if isinstance(shape, Segment):
        return math.inf
    vertices = getattr(shape, "vertices", None)
    return float(getattr(shape, "radius", 0.0)) if vertices is None else 0.5 * float(np.ptp(vertices, axis=0).max())
