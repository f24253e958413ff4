"""Checked conversion to C-contiguous arrays of one dtype, done once at the public boundary: a second dtype would compile every kernel
again."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.errors import Described, InvalidInputError

__all__ = [
    "FloatArray",
    "IntArray",
    "Point",
    "any_of_rows",
    "finite_rows",
    "frozen",
    "index_column",
    "index_pairs",
    "largest_of_rows",
    "numbers_of_shape",
    "shaped_rows",
]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Point: TypeAlias = tuple[float, float]

_Array = TypeVar("_Array", bound=NDArray[Any])

_FLOAT64 = np.dtype(np.float64)
"""A singleton in NumPy, so that `is` suffices to compare."""

_NUMBERS = "iuf"
"""NumPy kind codes of real numbers: signed and unsigned integers, floats."""


def numbers_of_shape(field: str, value: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return `value` as a C-contiguous float64 array of a shape; its values are not checked.

    Raises
    ------
    InvalidInputError
        The shape is wrong, or a value is not a number.
    """
    raw = np.asarray(value)
    if raw.dtype.kind not in _NUMBERS or raw.shape != shape:
        raise InvalidInputError(field, f"a {shape} array of numbers", Described(f"shape {raw.shape} of {raw.dtype}"))
    return np.ascontiguousarray(raw, dtype=np.float64)


def shaped_rows(field: str, value: ArrayLike, width: int, length: int | None = None) -> FloatArray:
    """Return `value` as a C-contiguous float64 array of shape (n, width); its values are not checked.

    Raises
    ------
    InvalidInputError
        The shape is wrong, or n is not `length`, if given.
    """
    if type(value) is np.ndarray and value.dtype is _FLOAT64 and value.flags.c_contiguous:
        shape = value.shape
        if len(shape) == 2 and shape[1] == width and length in (None, shape[0]):
            return value
    rows = "n" if length is None else str(length)
    requirement = f"a ({rows}, {width}) array of finite numbers"
    try:
        raw = np.asarray(value)
        # numeric text, booleans and dates would be converted silently
        array = np.ascontiguousarray(raw, dtype=np.float64) if raw.dtype.kind in _NUMBERS else None
    except Exception:  # not numeric, or a foreign object, which may raise any exception
        array = None
    if array is None:
        raise InvalidInputError(field, requirement, value)
    if array.ndim != 2 or array.shape[1] != width or (length is not None and array.shape[0] != length):
        raise InvalidInputError(field, requirement, Described(f"shape {array.shape}"))
    return array


def finite_rows(field: str, value: ArrayLike, width: int, length: int | None = None) -> FloatArray:
    """Return `value` as a C-contiguous float64 array of shape (n, width) of finite numbers.

    Raises
    ------
    InvalidInputError
        The shape is wrong (or n is not `length`, if given), or a number is NaN or infinite.
    """
    array = shaped_rows(field, value, width, length)
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise InvalidInputError(f"{field}[{row}]", "finite", array[row].tolist())
    return array


def index_pairs(field: str, value: ArrayLike, n_items: int) -> IntArray:
    """Return `value` as a C-contiguous int64 array of shape (n, 2), each entry in ``[0, n_items)``.

    Raises
    ------
    InvalidInputError
        The shape or dtype is wrong, or an index is out of range: kernels do not check bounds.
    """
    return _indices(field, value, n_items, "(n, 2)", 2)


def index_column(field: str, value: ArrayLike, n_items: int) -> IntArray:
    """Return `value` as a C-contiguous int64 array of shape (n,), checked as in `index_pairs`."""
    return _indices(field, value, n_items, "(n,)", 1)


def _indices(field: str, value: ArrayLike, n_items: int, shape: str, n_dimensions: int) -> IntArray:
    requirement = f"an {shape} array of whole numbers"
    try:
        array = np.asarray(value)
    except Exception:  # rows of different lengths, or a foreign object, which may raise any exception
        raise InvalidInputError(field, requirement, value) from None
    if array.size == 0 and 0 < array.ndim <= n_dimensions:
        return np.zeros((0, 2)[:n_dimensions], dtype=np.int64)
    if array.ndim != n_dimensions or array.shape[1:] not in ((), (2,)) or array.dtype.kind not in "iu":
        raise InvalidInputError(field, requirement, Described(f"shape {array.shape}, {array.dtype}"))
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= n_items:
        raise InvalidInputError(field, f"indices from 0 to {n_items - 1}", low if low < 0 else high)
    return np.ascontiguousarray(array, dtype=np.int64)


def frozen(array: _Array) -> _Array:
    """Return `array` itself, made read-only."""
    array.flags.writeable = False
    return array


def largest_of_rows(values: FloatArray) -> FloatArray:
    """Return the maximum of each row of (n, k) or (n, k, m), for small k and m, computed column by column.

    `values.max(axis=1)` reduces each short row separately, which takes 25 times as long for a thousand rows of two.
    """
    columns = values.reshape(len(values), -1)
    largest = columns[:, 0].copy()
    for k in range(1, columns.shape[1]):
        np.maximum(largest, columns[:, k], out=largest)
    return largest


def any_of_rows(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows of (..., k) have any flag set, for small k >= 1; computed column by column, as in `largest_of_rows`."""
    any_set = flags[..., 0].copy()
    for k in range(1, flags.shape[-1]):
        np.logical_or(any_set, flags[..., k], out=any_set)
    return any_set
