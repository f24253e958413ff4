"""What every question checks before it loads a kernel: the two shapes and poses of one pair, or the columns of many."""

from __future__ import annotations

from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows, index_pairs, shaped_rows
from engine.common.checks import finite
from engine.common.errors import InvalidInputError
from engine.geometry import Transform, check_shape
from engine.narrowphase.packing import PackedShapes
from engine.query.shape_batch import ShapeBatch

__all__ = ["check_batch", "check_layout", "check_pair", "check_poses", "check_rows", "check_t_max", "turned_poses", "writable"]

_Array = TypeVar("_Array", bound=NDArray[Any])


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
    return shapes.packed, writable(checked), turned_poses("xf_a", xf_a, len(checked)), turned_poses("xf_b", xf_b, len(checked))


def check_layout(
    shapes: object, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike
) -> tuple[PackedShapes, IntArray, FloatArray, FloatArray]:
    """Do the same with poses (n, 3) as they are, and numbers not looked at, for kernels that find wrong ones by themselves.

    Arrays that are what kernels want already are passed on by a look at their flags. That matters: NumPy's own functions take half a
    microsecond, but ten or more when something else ran before and their code has left the cache.
    """
    if not isinstance(shapes, ShapeBatch):
        raise InvalidInputError("shapes", "a ShapeBatch", shapes)
    indices = pairs if _is_ready(pairs, np.int64, 2) else writable(index_pairs("pairs", pairs, len(shapes)))
    n = len(indices)
    return shapes.packed, indices, check_rows("xf_a", xf_a, 3, n), check_rows("xf_b", xf_b, 3, n)


def check_rows(field: str, value: ArrayLike, width: int, length: int) -> FloatArray:
    """Return `value` as an array (length, width) that kernels take, the same one if it is that; numbers are not looked at."""
    return value if _is_ready(value, np.float64, width) and len(value) == length else _shaped(field, value, length, width)


def _is_ready(value: object, dtype: type, width: int) -> TypeGuard[NDArray[Any]]:
    """Tell whether a value is an array (n, width) that a kernel takes as it is."""
    if type(value) is not np.ndarray or value.dtype != dtype or value.ndim != 2 or value.shape[1] != width:
        return False
    flags = value.flags
    return flags.c_contiguous and flags.writeable and flags.aligned and value.dtype.isnative


def _shaped(field: str, value: ArrayLike, length: int, width: int = 3) -> FloatArray:
    if length == 0 and np.size(value) == 0:
        return np.zeros((0, width))
    return writable(shaped_rows(field, value, width, length))


def turned_poses(field: str, poses: ArrayLike, length: int) -> FloatArray:
    """Return poses (n, 3) x, y, angle as (n, 4) x, y, cos, sin; whether all are finite is found on the way."""
    given = _shaped(field, poses, length)
    from engine.common.memory import room
    from engine.geometry._rotation_kernel import turn_poses

    turned = room(4 * length).reshape(length, 4)
    if not turn_poses(given, turned):
        finite_rows(field, given, 3)
    return turned


def check_poses(field: str, poses: ArrayLike, length: int) -> FloatArray:
    """Return poses (n, 3) x, y, angle as an array that may be written to."""
    if length == 0 and np.size(poses) == 0:
        return np.zeros((0, 3))
    return writable(finite_rows(field, poses, 3, length))


def writable(array: _Array) -> _Array:
    """Return `array`, or a copy of one that is read-only: to Numba that is another type, compiled for once more."""
    return array if array.flags.writeable else array.copy()


def check_t_max(t_max: object) -> float:
    """Return a fraction of a sweep, 0 to 1."""
    end = finite("t_max", t_max)
    if not 0.0 <= end <= 1.0:
        raise InvalidInputError("t_max", "from 0 to 1", t_max)
    return end
