"""Shapes that are packed once for any number of queries, and checks of the columns passed with them.

The arrays that these functions return are writable, because a read-only one is another type for Numba, which would compile again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows, index_column, index_pairs, shaped_rows
from engine.common.errors import InvalidInputError
from engine.geometry import AnyShape, check_shape
from engine.narrowphase.packing import PackedShapes, pack

__all__ = ["ShapeBatch", "check_batch", "check_indices", "check_pairs", "finite_columns", "turned_poses"]

_Array = TypeVar("_Array", bound=NDArray[Any])


class ShapeBatch:
    """Shapes, packed once for any number of queries.

    Parameters
    ----------
    shapes : iterable of Circle, Polygon, Capsule or Segment
        Body frame, meters; kinds can be mixed.

    Raises
    ------
    InvalidInputError
        An item of `shapes` is not one of these.
    """

    def __init__(self, shapes: Iterable[AnyShape]) -> None:
        checked: list[AnyShape] = []
        try:
            for shape in shapes:
                check_shape(f"shapes[{len(checked)}]", shape)
                checked.append(shape)
        except InvalidInputError:
            raise
        except Exception:  # not iterable, or a foreign object, which may raise any exception
            raise InvalidInputError("shapes", "shapes, one after another", shapes) from None
        self._shapes = tuple(checked)
        self._packed = pack(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def __getitem__(self, index: int) -> AnyShape:
        return self._shapes[index]

    def __iter__(self) -> Iterator[AnyShape]:
        return iter(self._shapes)

    @property
    def packed(self) -> PackedShapes:
        """The flat arrays that the kernels read; read-only."""
        return self._packed


def _packed(shapes: object) -> PackedShapes:
    if not isinstance(shapes, ShapeBatch):
        raise InvalidInputError("shapes", "a ShapeBatch", shapes)
    return shapes.packed


def check_pairs(shapes: object, pairs: ArrayLike) -> tuple[PackedShapes, IntArray]:
    """Return the packed shapes and pairs (n, 2) of indices into them."""
    packed = _packed(shapes)
    return packed, _writable(index_pairs("pairs", _array("pairs", pairs), len(packed)))


def check_indices(field: str, shapes: object, indices: ArrayLike) -> tuple[PackedShapes, IntArray]:
    """Return the packed shapes and indices (n,) into them."""
    packed = _packed(shapes)
    return packed, _writable(index_column(field, _array(field, indices), len(packed)))


def _array(field: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array; a foreign object may raise any exception when it is converted."""
    try:
        return np.asarray(value)
    except Exception:
        raise InvalidInputError(field, "an array of whole numbers", value) from None


def check_batch(
    shapes: object, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike
) -> tuple[PackedShapes, IntArray, FloatArray, FloatArray]:
    """Return the packed shapes, the pairs (n, 2) and both poses (n, 4) x, y, cos, sin.

    Raises
    ------
    InvalidInputError
        `shapes` is not a `ShapeBatch`, an index is out of range, lengths differ, or a number is not finite.
    """
    packed, checked = check_pairs(shapes, pairs)
    return packed, checked, turned_poses("xf_a", xf_a, len(checked)), turned_poses("xf_b", xf_b, len(checked))


def finite_columns(field: str, value: ArrayLike, width: int, length: int) -> FloatArray:
    """Return `value` as a writable array (length, width) for kernels, after checking that all numbers are finite."""
    return _columns(field, value, width, length, finite_rows)


def _columns(
    field: str, value: ArrayLike, width: int, length: int, checked: Callable[[str, ArrayLike, int, int], FloatArray]
) -> FloatArray:
    if length == 0 and np.size(value) == 0:
        return np.zeros((0, width))
    return _writable(checked(field, value, width, length))


def turned_poses(field: str, poses: ArrayLike, length: int) -> FloatArray:
    """Return poses (n, 3) x, y, angle as (n, 4) x, y, cos, sin, checking that all are finite."""
    columns = _columns(field, poses, 3, length, shaped_rows)
    from engine.geometry._rotation_kernel import turn_poses

    turned = np.empty((length, 4))
    if not turn_poses(columns, turned):
        finite_rows(field, columns, 3)
    return turned


def _writable(array: _Array) -> _Array:
    return array if array.flags.writeable else array.copy()
