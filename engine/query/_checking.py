"""What every question checks before it loads a kernel: the two shapes and poses of one pair, or the columns of many."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows, index_pairs
from engine.common.errors import InvalidInputError
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase.packing import PackedShapes
from engine.query.shape_batch import ShapeBatch

__all__ = ["check_batch", "check_pair", "check_poses", "check_shape", "writable"]

_Array = TypeVar("_Array", bound=NDArray[Any])


def check_shape(field: str, shape: object) -> None:
    """Refuse what is no shape."""
    if not isinstance(shape, Circle | Polygon | Capsule | Segment):
        raise InvalidInputError(field, "a Circle, Polygon, Capsule or Segment", shape)


def check_pair(a: object, xf_a: object, b: object, xf_b: object) -> None:
    """Refuse two shapes or poses that are none.

    Raises
    ------
    InvalidInputError
        Naming `a`, `b`, `xf_a` or `xf_b`.
    """
    check_shape("a", a)
    check_shape("b", b)
    for field, xf in (("xf_a", xf_a), ("xf_b", xf_b)):
        if not isinstance(xf, Transform):
            raise InvalidInputError(field, "a Transform", xf)


def check_batch(
    shapes: object, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike
) -> tuple[PackedShapes, IntArray, FloatArray, FloatArray]:
    """Return the packed shapes, the pairs (n, 2) and both poses (n, 4) x, y, cos, sin; the arrays may be written to.

    Raises
    ------
    InvalidInputError
        No `ShapeBatch`, an index out of range, lengths that differ, a number that is not finite.
    """
    if not isinstance(shapes, ShapeBatch):
        raise InvalidInputError("shapes", "a ShapeBatch", shapes)
    checked = index_pairs("pairs", pairs, len(shapes))
    poses_a, poses_b = check_poses("xf_a", xf_a, len(checked)), check_poses("xf_b", xf_b, len(checked))
    from engine.narrowphase.batched import poses_with_rotation

    return shapes.packed, writable(checked), poses_with_rotation(poses_a), poses_with_rotation(poses_b)


def check_poses(field: str, poses: ArrayLike, length: int) -> FloatArray:
    """Return poses (n, 3) x, y, angle as an array that may be written to."""
    if length == 0 and np.size(poses) == 0:
        return np.zeros((0, 3))
    return writable(finite_rows(field, poses, 3, length))


def writable(array: _Array) -> _Array:
    """Return `array`, or a copy of one that is read-only: to Numba that is another type, compiled for once more."""
    return array if array.flags.writeable else array.copy()
