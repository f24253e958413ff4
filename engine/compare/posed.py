"""The pairs on trial: shapes, which with which, and where. And the answers, in one form for all witnesses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.compare import allowances
from engine.narrowphase import batched
from engine.narrowphase.packing import POLYGON, PackedShapes
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = ["Answers", "PosedPairs", "our_manifolds", "posed_pairs"]


@dataclass(frozen=True, slots=True)
class PosedPairs:
    """Pairs (n, 2) into packed shapes, poses (n, 3) of float32 numbers and the same (n, 4) with cosine and sine.

    `scale` (n,) is what rounding is proportional to, `is_polygons` (n,) true for two polygons. `centroid_error` (a row for each
    *shape*, metres) is how far Box2D's centroid may lie from the packed one.
    """

    shapes: PackedShapes
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    turned_a: FloatArray
    turned_b: FloatArray
    scale: FloatArray
    is_polygons: FloatArray
    centroid_error: FloatArray

    def __len__(self) -> int:
        return len(self.pairs)

    def take(self, rows: IntArray) -> PosedPairs:
        """Return these rows only."""
        return PosedPairs(
            self.shapes,
            self.pairs[rows],
            self.poses_a[rows],
            self.poses_b[rows],
            self.turned_a[rows],
            self.turned_b[rows],
            self.scale[rows],
            self.is_polygons[rows],
            self.centroid_error,
        )


@dataclass(frozen=True, slots=True)
class Answers:
    """Somebody's manifolds: count (n,), normal (n, 2), points (n, 2, 3) x, y, separation; zero past the count."""

    count: IntArray
    normal: FloatArray
    points: FloatArray

    def take(self, rows: IntArray) -> Answers:
        """Return these rows only."""
        return Answers(self.count[rows], self.normal[rows], self.points[rows])


def posed_pairs(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, centroid_error: FloatArray | None = None
) -> PosedPairs:
    """Prepare pairs for judgement; inputs must have been checked."""
    extent = shapes.extent[pairs]
    kinds = shapes.kind[pairs]
    # copies are writable, which read-only columns of a step are not: another type to Numba
    pairs, poses_a, poses_b = pairs.copy(), poses_a.copy(), poses_b.copy()
    return PosedPairs(
        shapes,
        pairs,
        poses_a,
        poses_b,
        batched.poses_with_rotation(poses_a),
        batched.poses_with_rotation(poses_b),
        allowances.scale_of(poses_a, poses_b, extent[:, 0], extent[:, 1]),
        (kinds == POLYGON).all(axis=1),
        np.zeros(len(shapes)) if centroid_error is None else centroid_error,
    )


def our_manifolds(posed: PosedPairs, exact: bool = True) -> batched.ManifoldRows:
    """Return our manifolds by the exact rule, or by Box2D's."""
    return batched.manifold_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b, EXACT if exact else BOX2D)
