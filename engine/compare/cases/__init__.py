"""Seeded cases for comparison: mostly random ones, and those on which collision code often fails.

Cases come in chunks of `CHUNK`, each with its own random streams named by seed and chunk, so that the sequence depends only on the seed
(and on the kinds of pairs chosen) and never on how many processes share the work. All numbers are float32 values, so that Box2D and our
algorithms get the same input. Each topic has a module: `shapes`, `pairs`, `motions` and `rays`.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.compare.cases.motions import MOTIONS, MotionChunk, motion_chunk
from engine.compare.cases.pairs import CHUNK, FAMILIES, PAIR_KINDS, SOLID_KINDS, CaseChunk, case_chunk
from engine.compare.cases.rays import RAY_FAMILIES, RayChunk, ray_chunk
from engine.compare.cases.shapes import SHAPE_KINDS, CaseShape, random_edges, random_polygon, random_shapes

__all__ = [
    "CHUNK",
    "FAMILIES",
    "MOTIONS",
    "PAIR_KINDS",
    "RAY_FAMILIES",
    "SHAPE_KINDS",
    "SOLID_KINDS",
    "CaseChunk",
    "CaseShape",
    "MotionChunk",
    "RayChunk",
    "case_chunk",
    "chunk_sizes",
    "motion_chunk",
    "random_edges",
    "random_polygon",
    "random_shapes",
    "ray_chunk",
]


def chunk_sizes(n_pairs: int) -> Iterator[tuple[int, int]]:
    """Yield (chunk, number of its pairs) for the first `n_pairs` pairs of a sequence."""
    for chunk in range(-(-n_pairs // CHUNK)):
        yield chunk, min(CHUNK, n_pairs - chunk * CHUNK)
