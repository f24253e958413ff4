"""Distance and penetration of many pairs: columns, equal to the scalar answers to the bit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.query._checking import check_batch, check_layout
from engine.query.shape_batch import ShapeBatch

__all__ = ["DistanceBatch", "PenetrationBatch", "distance", "penetration"]


@dataclass(frozen=True, slots=True)
class DistanceBatch:
    """Results of `distance` in columns, read-only, a row for each pair; world frame, metres.

    Attributes
    ----------
    status : int64 (n,)
        Numbers of `Status`.
    separation : float64 (n,)
    point_a, point_b, normal : float64 (n, 2)
        NaN where the scalar form has None.
    iterations : int64 (n,)
    """

    status: IntArray
    separation: FloatArray
    point_a: FloatArray
    point_b: FloatArray
    normal: FloatArray
    iterations: IntArray


@dataclass(frozen=True, slots=True)
class PenetrationBatch:
    """Results of `penetration` in columns, read-only, as in `DistanceBatch`; `iterations` counts GJK's steps and EPA's."""

    status: IntArray
    depth: FloatArray
    point_a: FloatArray
    point_b: FloatArray
    normal: FloatArray
    iterations: IntArray


def distance(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> DistanceBatch:
    """Return the distance of each pair; see `engine.query.distances.distance`.

    Parameters
    ----------
    pairs : (n, 2) whole numbers
        Indices of A and B in `shapes`.
    xf_a, xf_b : (n, 3)
        Poses x, y, angle of A and of B, row for row.

    Raises
    ------
    InvalidInputError
        An index out of range, lengths that differ, a number that is not finite.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = distance(ShapeBatch([Circle(1.0)]), [(0, 0), (0, 0)], [(0, 0, 0)] * 2, [(5, 0, 0), (0, 4, 0)])
    >>> found.separation.tolist(), found.point_b.tolist()
    ([3.0, 2.0], [[4.0, 0.0], [0.0, 3.0]])
    """
    checked = check_layout(shapes, pairs, xf_a, xf_b)
    from engine.narrowphase.batched_distances import distance_rows

    status, iterations, rows = distance_rows(*checked)
    return DistanceBatch(frozen(status), *_columns(rows), frozen(iterations))


def penetration(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> PenetrationBatch:
    """Return the penetration of each pair; see `engine.query.distances.penetration`. Parameters and errors are those of `distance`.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = penetration(ShapeBatch([Circle(1.0)]), [(0, 0), (0, 0)], [(0, 0, 0)] * 2, [(1.5, 0, 0), (0, 4, 0)])
    >>> found.depth.tolist(), found.normal.tolist()
    ([0.5, 0.0], [[1.0, 0.0], [nan, nan]])
    """
    from engine.narrowphase._distance_kernel import ROW_WIDTH, distance_pairs

    packed, checked, poses_a, poses_b = check_batch(shapes, pairs, xf_a, xf_b)
    n = len(checked)
    status, iterations, rows = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.empty((n, ROW_WIDTH))
    distance_pairs(True, packed.arrays, checked, poses_a, poses_b, status, iterations, rows)
    return PenetrationBatch(frozen(status), *_columns(rows), frozen(iterations))


def _columns(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the columns as views, read-only as `rows` is made: a copy of all would cost as much as computing them."""
    frozen(rows)
    return rows[:, 0], rows[:, 1:3], rows[:, 3:5], rows[:, 5:7]
