"""Checked conversion of arrays: once, at the boundary, to C-contiguous arrays of one dtype (a second dtype is a second compilation)."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.errors import Described, InvalidInputError

__all__ = ["FloatArray", "IntArray", "finite_rows", "frozen", "index_pairs"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

_Array = TypeVar("_Array", bound=NDArray[Any])


def finite_rows(field: str, value: ArrayLike, width: int, length: int | None = None) -> FloatArray:
    """Return `value` as a C-contiguous float64 array of shape (n, width), every number finite.

    Raises
    ------
    InvalidInputError
        The shape is another one (or n is not `length`, where that is given), or a number is NaN or infinite.
    """
    rows = "n" if length is None else str(length)
    wanted = f"a ({rows}, {width}) array of finite numbers"
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(field, wanted, value) from None
    if array.ndim != 2 or array.shape[1] != width or (length is not None and array.shape[0] != length):
        raise InvalidInputError(field, wanted, Described(f"shape {array.shape}"))
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise InvalidInputError(f"{field}[{row}]", "finite", array[row].tolist())
    return array


def index_pairs(field: str, value: ArrayLike, n_items: int) -> IntArray:
    """Return `value` as a C-contiguous int64 array of shape (n, 2), each entry in ``[0, n_items)``.

    Raises
    ------
    InvalidInputError
        The shape or kind is another one, or an index lies outside the range: none may reach a kernel.
    """
    array = np.asarray(value)
    if array.size == 0 and array.ndim <= 2:
        return np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInputError(field, "an (n, 2) array of whole numbers", Described(f"shape {array.shape}, {array.dtype}"))
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= n_items:
        raise InvalidInputError(field, f"indices from 0 to {n_items - 1}", low if low < 0 else high)
    return np.ascontiguousarray(array, dtype=np.int64)


def frozen(array: _Array) -> _Array:
    """Return `array` itself, made read-only."""
    array.flags.writeable = False
    return array
