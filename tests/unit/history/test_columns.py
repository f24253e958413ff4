"""Arrays packed by their columns come back to the last bit, and what follows from another column takes next to nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.history.columns import ColumnReader, ColumnWriter, Layout

ROWS = 1000
_CHANCE = np.random.default_rng(5)
_ANGLE = _CHANCE.uniform(-9.0, 9.0, ROWS).astype(np.float32)
_SINGLE = _CHANCE.normal(size=(ROWS, 2)).astype(np.float32)
_MIXED = _SINGLE.astype(np.float64)
_MIXED[::9, 1] += 1e-13
_SIGNS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1.5, -1e300])


def packed(*arrays: NDArray[Any]) -> int:
    """Return how many bytes they take, having seen them come back."""
    writer = ColumnWriter()
    layouts: list[Layout] = []
    for array in arrays:
        slices = writer.write(array)
        with pytest.raises(StopIteration) as ended:
            while True:
                next(slices)
        layouts.append(ended.value.value)
    content = writer.content()
    reader = ColumnReader(content)
    for array, layout in zip(arrays, layouts, strict=True):
        found = reader.read(layout, array.dtype, array.shape, bool(array.flags.c_contiguous))
        assert (found.dtype, found.shape, found.strides) == (array.dtype, array.shape, array.strides) or array.size == 0
        assert found.tobytes("A") == array.tobytes("A")
    return len(content)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3)),
        np.zeros((7, 0)),
        np.ones(1),
        _SIGNS,
        np.tile(_SIGNS, 100),
        _SIGNS[:-1].astype(np.float32),
        np.array([np.nan], dtype=np.float32).view(np.uint32).view(np.float32).astype(">f4"),
        _MIXED,
        np.asfortranarray(_MIXED),
        _CHANCE.normal(size=(65, 3, 2)),
        np.asfortranarray(_CHANCE.normal(size=(65, 3, 2))),
        np.arange(-40, 60),
        np.arange(300, dtype=np.uint16) % 7,
        _CHANCE.integers(-2, 2, (99, 2)).astype(np.int8),
        _CHANCE.random(100) < 0.1,
        np.array([(1, (2.0, 3.0)), (2, (2.0, 5.0))], dtype=[("a", np.int32), ("b", np.float32, 2)]),
        np.array([(1, 2), (3, 4)], dtype=[("a", np.int8), ("b", np.int16)]),
        np.array([1.0 + 2.0j, -1.0j]),
        np.array([b"abc", b"d"]),
        np.array([2**63, 1, 2**64 - 1], dtype=np.uint64),
    ],
    ids=lambda array: f"{array.dtype}-{array.shape}" if array.dtype.names is None else f"fields-{array.dtype.itemsize}",
)
def test_every_array_comes_back_bit_for_bit(array: NDArray[Any]) -> None:
    packed(array)


def test_a_column_that_follows_from_an_earlier_one_takes_nothing() -> None:
    angle = np.ascontiguousarray(_ANGLE)
    alone = packed(angle)
    for other in (angle, np.sin(angle.astype(np.float64)).astype(np.float32), np.cos(angle.astype(np.float64)).astype(np.float32)):
        assert packed(angle, other.copy()) <= alone + 8
    nearly = angle.copy()
    nearly[::50] += np.float32(1e-6)
    assert packed(angle, nearly) < 1.1 * alone


def test_float64_that_is_float32_takes_half_and_rows_that_are_not_little_more() -> None:
    single = packed(_SINGLE)
    assert packed(_SINGLE.astype(np.float64)) <= single + 16
    assert packed(_MIXED) < 1.25 * single < packed(_CHANCE.normal(size=(ROWS, 2)))


def test_ascending_keys_take_less_than_the_numbers_themselves() -> None:
    keys = np.cumsum(_CHANCE.integers(1, 5, ROWS)) + (np.arange(ROWS) // 10 << 32)
    assert packed(keys) < ROWS
