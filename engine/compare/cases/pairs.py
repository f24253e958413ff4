"""Seeded pairs of shapes at ordinary poses, and at poses for which collision code often fails.

A fifth of the pairs belong to one of the families below; the others are random, with distances of the centers up to 1.7 times that at which
they roughly touch, so that half of them do.

===============  =================================================================================================================
parallel         an edge of each, face to face, touching, or a little in or out
corner           a corner of one on a corner of the other
corner_on_edge   a corner of one on an edge of the other
one_line         an edge of each on one line, one beside the other or over it
skin_limit       corner or edge against edge, as wide apart as the skins
nearly_equal     the same shape twice, or shapes of two kinds about one middle, moved and turned by 1e-5
grid             all numbers multiples of 1/16 m and of right angles: exact ties
contained        the middle of one deep inside the other
concentric       the same middle
far              30 m to 1 km from the origin
needles          1000 times as long as wide
millimeters      smaller than the skins
kilometers       30 m to 3 km wide, up to 10 km from the origin
ratio            millimeters against meters, 1 to 1000
===============  =================================================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.compare.cases.shapes import POLYGON, SHAPE_KINDS, CaseShape, Size, chunk_shapes, directions, outline_of, rounded, turned
from engine.geometry import Circle, Segment

__all__ = ["CHUNK", "FAMILIES", "PAIR_KINDS", "SOLID_KINDS", "CaseChunk", "case_chunk"]

CHUNK = 10_000
"""Pairs of one chunk."""

PAIR_KINDS = ("circle/circle", "polygon/circle", "polygon/polygon", "edge/circle", "edge/polygon")
"""Kinds of pairs that Box2D collides, each in Box2D's order; ours and its distance accept either order."""

SOLID_KINDS = PAIR_KINDS[:3]
"""Kinds of pairs without edges."""

FAMILIES = (
    "parallel",
    "corner",
    "corner_on_edge",
    "one_line",
    "skin_limit",
    "nearly_equal",
    "grid",
    "contained",
    "concentric",
    "far",
    "needles",
    "millimetres",
    "kilometres",
    "ratio",
)
"""The adversarial families."""

_KIND_SHARES = {"circle/circle": 0.1, "polygon/circle": 0.15, "polygon/polygon": 0.45, "edge/circle": 0.1, "edge/polygon": 0.2}
_KIND_PARTS = {name: tuple(SHAPE_KINDS.index(part) for part in name.split("/")) for name in PAIR_KINDS}

_ADVERSARIAL_SHARE = 0.2

_NEARLY = 1e-5
"""Meters and radians: larger than float32's spacing a few meters from the origin, but invisible."""

_GRID = 1.0 / 16.0
"""Meters."""

_ON_FEATURES = ("parallel", "corner", "corner_on_edge", "one_line", "skin_limit")


@dataclass(frozen=True, slots=True)
class CaseChunk:
    """Shapes, edges last; pairs (n, 2) of them, poses (n, 3); for each pair the indices of its kind and family, -1 for a random one."""

    shapes: tuple[CaseShape, ...]
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    kind: IntArray
    family: IntArray


def case_chunk(seed: int, chunk: int, n_pairs: int = CHUNK, kinds: Sequence[str] = SOLID_KINDS) -> CaseChunk:
    """Return the first `n_pairs` pairs of one chunk of the sequence that belongs to `seed` and `kinds`.

    `kinds` are some of `PAIR_KINDS`; each pair is in either order. Without kinds that use them, the shapes include no edges.
    """
    shapes, *columns = _whole_chunk(seed, chunk, tuple(kinds))
    return CaseChunk(shapes, *(column[:n_pairs].copy() for column in columns))


@lru_cache(maxsize=1)
def _whole_chunk(seed: int, chunk: int, kinds: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the arguments of `CaseChunk`. Cached, because a run first computes one pair of its first chunk, to load the kernels."""
    shapes, pools = chunk_shapes(stream(seed, "compare", "shapes", chunk))
    rng = stream(seed, "compare", "pairs", chunk, *sorted(kinds))
    share = np.array([_KIND_SHARES[name] if name in kinds else 0.0 for name in PAIR_KINDS])
    kind = rng.choice(len(PAIR_KINDS), CHUNK, p=share / share.sum())
    family = np.where(rng.random(CHUNK) < _ADVERSARIAL_SHARE, rng.integers(0, len(FAMILIES), CHUNK), -1)
    pairs = _chosen(rng, kind, family, pools)
    reach = np.array([_reach(shape) for shape in shapes])
    centers = np.array([_center(shape) for shape in shapes])

    poses_a = np.column_stack((rng.uniform(-8.0, 8.0, (CHUNK, 2)), rng.uniform(-math.pi, math.pi, CHUNK)))
    angle_b = rng.uniform(-math.pi, math.pi, CHUNK)
    toward = rng.uniform(-math.pi, math.pi, CHUNK)
    distance = rng.uniform(0.0, 1.7, CHUNK) * (reach[pairs].sum(axis=1) + 0.5 * BOX2D_POLYGON_SKIN)
    away = distance[:, None] * directions(toward)
    # the distance is between the middles of the shapes, not their origins
    middle_a = poses_a[:, :2] + turned(poses_a[:, 2], centers[pairs[:, 0]])
    poses_b = np.column_stack((middle_a + away - turned(angle_b, centers[pairs[:, 1]]), angle_b))

    maker = _Maker(rng, [outline_of(shape) for shape in shapes], pairs, poses_a, poses_b, reach, centers)
    for row in np.flatnonzero(family >= 0).tolist():
        maker.make(FAMILIES[family[row]], row)
    swapped = rng.random(CHUNK) < 0.5
    pairs = np.where(swapped[:, None], pairs[:, ::-1], pairs)
    poses_a, poses_b = np.where(swapped[:, None], poses_b, poses_a), np.where(swapped[:, None], poses_a, poses_b)
    poses_a, poses_b = (rounded(poses) for poses in (poses_a, poses_b))
    if set(kinds) <= set(SOLID_KINDS):
        shapes = tuple(shape for shape in shapes if not isinstance(shape, Segment))
    return shapes, pairs, poses_a, poses_b, kind, family


def _chosen(rng: np.random.Generator, kind: IntArray, family: IntArray, pools: dict[tuple[int, Size], IntArray]) -> IntArray:
    """Choose the shapes of each pair: the kinds as given, the sizes by family."""
    sizes = np.zeros((CHUNK, 2), dtype=np.int64)
    for name, size in (("grid", Size.GRID), ("needles", Size.NEEDLE), ("millimetres", Size.SMALL), ("kilometres", Size.LARGE)):
        sizes[family == FAMILIES.index(name)] = size
    is_ratio = np.flatnonzero(family == FAMILIES.index("ratio"))
    sizes[is_ratio, rng.integers(0, 2, len(is_ratio))] = Size.SMALL
    # one in twenty of the other polygons is also a needle
    sizes[(sizes == Size.ORDINARY) & (rng.random((CHUNK, 2)) < 0.05)] = Size.NEEDLE
    parts = np.array([_KIND_PARTS[name] for name in PAIR_KINDS])[kind]
    sizes[(sizes == Size.NEEDLE) & (parts != POLYGON)] = Size.ORDINARY
    share = rng.random((CHUNK, 2))
    pairs = np.zeros((CHUNK, 2), dtype=np.int64)
    for (part, size), pool in pools.items():
        here = (parts == part) & (sizes == size)
        pairs[here] = pool[(share[here] * len(pool)).astype(np.int64)]
    is_twice = (family == FAMILIES.index("nearly_equal")) & (parts[:, 0] == parts[:, 1])
    pairs[is_twice, 1] = pairs[is_twice, 0]
    return pairs


@dataclass
class _Maker:
    """Changes rows of random poses to those of a family."""

    rng: np.random.Generator
    outlines: list[FloatArray]
    pairs: IntArray
    a: FloatArray
    b: FloatArray
    reach: FloatArray
    centers: FloatArray

    def make(self, family: str, row: int) -> None:
        """Change the poses of one row."""
        rng, a, b = self.rng, self.a, self.b
        if family in _ON_FEATURES:
            self._on_features(family, row)
        elif family == "grid":
            a[row, :2] = _GRID * rng.integers(-64, 65, 2)
            b[row, :2] = a[row, :2] + _GRID * rng.integers(-24, 25, 2)
            a[row, 2], b[row, 2] = 0.5 * math.pi * rng.integers(-2, 3, 2) * (rng.random(2) < 0.5)
        elif family == "far":
            shift = rng.choice((-1.0, 1.0), 2) * 10.0 ** rng.uniform(1.5, 3.0)
            a[row, :2] += shift
            b[row, :2] += shift
        elif family == "kilometres":
            shift = rng.uniform(-1e4, 1e4, 2)
            a[row, :2] += shift
            b[row, :2] += shift
        elif family in ("millimetres", "ratio"):
            if rng.random() < 0.5:  # near the origin, where float32 resolves a micrometer
                b[row, :2] -= a[row, :2]
                a[row, :2] = 0.0
            if rng.random() < 0.3:
                self._on_features(_ON_FEATURES[int(rng.integers(len(_ON_FEATURES)))], row)
        elif family == "nearly_equal":
            b[row, 2] = a[row, 2] + rng.uniform(-_NEARLY, _NEARLY)
            self._put_middle(row, rng.uniform(-_NEARLY, _NEARLY, 2))
        elif family in ("contained", "concentric"):
            inside = rng.uniform(0.0, 0.3) * self.reach[self.pairs[row, 0]] if family == "contained" else 0.0
            toward = rng.uniform(-math.pi, math.pi)
            self._put_middle(row, inside * np.array((math.cos(toward), math.sin(toward))))

    def _put_middle(self, row: int, away: FloatArray) -> None:
        shape_a, shape_b = self.pairs[row]
        middle = self.a[row, :2] + _turned_one(self.a[row, 2], self.centers[shape_a]) + away
        self.b[row, :2] = middle - _turned_one(self.b[row, 2], self.centers[shape_b])

    def _on_features(self, family: str, row: int) -> None:
        """Move a corner or an edge of B to a corner or an edge of A, at the distance required by the family."""
        rng, a, b = self.rng, self.a, self.b
        outline_a, outline_b = (self.outlines[shape] for shape in self.pairs[row])
        if rng.random() < 0.5:
            a[row, 2] = 0.0
        i, j = int(rng.integers(len(outline_a))), int(rng.integers(len(outline_b)))
        start, end = outline_a[i], outline_a[(i + 1) % len(outline_a)]
        along_b = outline_b[(j + 1) % len(outline_b)] - outline_b[j]
        edge = end - start
        length = math.hypot(*edge)
        normal = np.array((edge[1], -edge[0])) / length
        share, gap = rng.uniform(0.0, 1.0), 0.0
        faces = family == "parallel" or family == "one_line" or (family == "skin_limit" and rng.random() < 0.5)
        if faces:
            over = 0.0 if family == "one_line" else math.pi
            b[row, 2] = a[row, 2] + math.atan2(edge[1], edge[0]) - math.atan2(along_b[1], along_b[0]) + over
        elif rng.random() < 0.5:
            b[row, 2] = a[row, 2]
        if family == "parallel":
            share = rng.uniform(-0.5, 1.5)
            gap = rng.choice((0.0, rng.uniform(-0.1, 0.1) * length, rng.uniform(-_NEARLY, _NEARLY)))
        elif family == "corner":
            share = 0.0
        elif family == "one_line":
            share = rng.choice((1.0, rng.uniform(-1.5, 1.5)))
        elif family == "skin_limit":
            gap = 2.0 * BOX2D_POLYGON_SKIN + rng.choice((0.0, rng.uniform(-_NEARLY, _NEARLY)))
        place = start + share * edge + gap * normal
        world = a[row, :2] + _turned_one(a[row, 2], place)
        b[row, :2] = world - _turned_one(b[row, 2], outline_b[j])


def _center(shape: CaseShape) -> FloatArray:
    middle: FloatArray = shape.core.mean(axis=0)
    return middle


def _reach(shape: CaseShape) -> float:
    """Return the mean distance of the surface from the center; two equal shapes roughly touch at twice this distance."""
    if isinstance(shape, Circle):
        return shape.radius
    away = outline_of(shape) - _center(shape)
    return float(np.hypot(away[:, 0], away[:, 1]).mean())


def _turned_one(angle: float, local: FloatArray) -> FloatArray:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array((cos * local[0] - sin * local[1], sin * local[0] + cos * local[1]))
