"""Seeded pairs of shapes to measure on: numbers that float32 holds, about half of the pairs touching.

Of few shapes the packed forms stay in the caches. Of distinct ones, as a heap of traced figures has, each shape is in one pair only, in an
order that no cache foresees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.compare.cases import random_polygon
from engine.geometry import Circle, Polygon, Shape

__all__ = ["FAMILIES", "Pairs", "make_pairs", "regular_pairs"]

N_SHAPES = 500
"""Few shapes; distinct ones are two a pair."""

APART = {"polygons": 1.25, "boxes": 1.7, "polygon and circle": 1.55, "circles": 2.0}
"""How far apart a pair is at most, in sums of both sizes: so that about half touch."""

FAMILIES = tuple(APART)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Shapes, pairs (n, 2) into them, and poses (n, 3)."""

    shapes: tuple[Shape, ...]
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray


def make_pairs(family: str, n: int, seed: int = 0, distinct: bool = False) -> Pairs:
    """Return `n` pairs: convex polygons of 3 to 8 corners, boxes, circles, or one polygon and one circle; of distinct shapes or of few."""
    rng = stream(seed, "benchmarks", family)
    n_shapes = 2 * n if distinct else N_SHAPES
    circles = [Circle(float(np.float32(rng.uniform(0.3, 0.9)))) for _ in range(n_shapes)]
    boxes = [Polygon.box(*rng.uniform(0.3, 0.9, 2).astype(np.float32).tolist()) for _ in range(n_shapes)]
    shapes: tuple[Shape, ...] = tuple(circles if family == "circles" else boxes)
    is_mixed = family == "polygon and circle"
    if is_mixed or family == "polygons":
        polygons = [random_polygon(rng, int(rng.integers(3, 9))) for _ in range(n_shapes)]
        shapes = (*polygons, *circles) if is_mixed else tuple(polygons)
    first_b = n_shapes if is_mixed else 0
    if distinct:
        order = rng.permutation(n_shapes)
        pairs = np.column_stack((order[:n], first_b + order[n:]))
    else:
        pairs = np.column_stack((rng.integers(0, n_shapes, n), rng.integers(first_b, first_b + n_shapes, n)))
    return _posed(shapes, pairs, rng, APART[family])


def regular_pairs(n_vertices: int, n: int) -> Pairs:
    """Return `n` pairs of regular polygons of so many vertices."""
    rng = stream(0, "benchmarks", "regular", n_vertices)
    shapes = tuple(Polygon.regular(n_vertices, radius) for radius in rng.uniform(0.4, 0.9, N_SHAPES))
    return _posed(shapes, rng.integers(0, N_SHAPES, (n, 2)), rng, APART["circles"])


def _posed(shapes: tuple[Shape, ...], pairs: IntArray, rng: np.random.Generator, apart: float) -> Pairs:
    n = len(pairs)
    size = np.array([shape.radius if isinstance(shape, Circle) else np.hypot(*shape.vertices.T).mean() for shape in shapes])
    toward, angles = rng.uniform(-math.pi, math.pi, n), rng.uniform(-math.pi, math.pi, (2, n))
    distance = rng.uniform(0.0, apart, n) * size[pairs].sum(axis=1)
    at_a = rng.uniform(-8.0, 8.0, (n, 2))
    at_b = at_a + distance[:, None] * np.column_stack((np.cos(toward), np.sin(toward)))
    poses_a, poses_b = (
        np.column_stack((at, angle)).astype(np.float32).astype(np.float64) for at, angle in ((at_a, angles[0]), (at_b, angles[1]))
    )
    return Pairs(shapes, pairs, poses_a, poses_b)
