"""The pairs on trial: shapes, which with which, and where. And the answers, in one form for all witnesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray, any_of_rows, largest_of_rows
from engine.compare import allowances
from engine.geometry import FixtureShape, Polygon
from engine.geometry.kinds import CIRCLE, SEGMENT
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = ["Answers", "PosedPairs", "centroid_errors", "our_manifolds", "posed_pairs"]


@dataclass(frozen=True, slots=True)
class PosedPairs:
    """Pairs (n, 2) into packed shapes, poses (n, 3) of float32 numbers and the same (n, 4) with cosine and sine.

    `scale` (n,) is what rounding is proportional to, `is_polygons` (n,) true where neither is a circle, `is_edge` (n,) where one is an
    edge. `centroid_error` (a row for each
    *shape*, metres) is how far Box2D's centroid may lie from the packed one.
    """

    shapes: PackedShapes
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    turned_a: FloatArray
    turned_b: FloatArray
    scale: FloatArray
    is_polygons: NDArray[np.bool_]
    is_edge: NDArray[np.bool_]
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
            self.is_edge[rows],
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
    if shapes.has_ghost.any():  # a neighbour's far end enters the computation as well
        reach = np.where(shapes.has_ghost, np.hypot(shapes.ghosts[:, 0::2], shapes.ghosts[:, 1::2]), 0.0)
        extent = np.maximum(extent, largest_of_rows(reach)[pairs])
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
        ~any_of_rows(kinds == CIRCLE),
        any_of_rows(kinds == SEGMENT),
        np.zeros(len(shapes)) if centroid_error is None else centroid_error,
    )


def our_manifolds(posed: PosedPairs, exact: bool = True) -> batched.ManifoldRows:
    """Return our manifolds by the exact rule, or by Box2D's.

    Those of edges are always by Box2D's: which sides an edge has, and what it leaves to its neighbours, is nothing but that rule.
    """
    is_edge = posed.is_edge
    if not exact or is_edge.all():
        return batched.manifold_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b, BOX2D)
    if not is_edge.any():
        return batched.manifold_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b, EXACT)
    parts = [(where, our_manifolds(posed.take(where), exact)) for where in (np.flatnonzero(is_edge), np.flatnonzero(~is_edge))]
    columns = []
    for name in batched.ManifoldRows.__slots__:
        some = getattr(parts[0][1], name)
        whole = np.empty((len(posed), *some.shape[1:]), dtype=some.dtype)
        for where, rows in parts:
            whole[where] = getattr(rows, name)
        columns.append(whole)
    return batched.ManifoldRows(*columns)


def centroid_errors(packed: PackedShapes, shapes: Sequence[FixtureShape]) -> FloatArray:
    """Return how far Box2D's centroid may lie from the packed one of each shape, metres: nothing for a circle's and an edge's."""
    is_polygon = np.array([isinstance(shape, Polygon) for shape in shapes], dtype=np.bool_)
    area = np.array([shape.mass().area if isinstance(shape, Polygon) else 1.0 for shape in shapes])
    return np.where(is_polygon, allowances.centroid_allowance(packed.n_vertices, packed.extent, area), 0.0)
