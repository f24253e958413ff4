"""Four rows turned into columns, and back: compiled as in plain Python."""

import numpy as np

from engine.common.jit import kernel
from engine.common.registers import _return_plainly, _turn_plainly, return_four, turn_four


@kernel
def turned(to, at, stride, of, places, first, beyond):
    turn_four(to, at, stride, of, places, first, beyond)


def test_four_rows_become_columns_and_nothing_else_is_written():
    of = np.arange(100.0)
    places = np.array([99, 40, 0, 77, 12, 99])
    to = np.full(40, -1.0)
    turned(to, 3, 7, of, places, 1, 5)
    expected = np.full(40, -1.0)
    for row in range(4):
        expected[3 + 7 * row : 7 + 7 * row] = places[1:5] + 5.0 + row
    assert to.tolist() == expected.tolist()
    plain = np.full(40, -1.0)
    _turn_plainly(plain, 3, 7, of, places, 1, 5)
    assert plain.tolist() == expected.tolist()


@kernel
def returned(to, places, first, beyond, of, at, stride):
    return_four(to, places, first, beyond, of, at, stride)


def test_four_columns_become_rows_and_nothing_else_is_written():
    of = np.arange(50.0)
    places = np.array([99, 40, 0, 72, 12, 99])
    found, plain, expected = (np.full((10, 9), -1.0) for _ in range(3))
    returned(found, places, 1, 5, of, 3, 7)
    for lane, place in enumerate(places[1:5]):
        expected.reshape(-1)[place + 5 : place + 9] = 3.0 + lane + 7.0 * np.arange(4)
    assert found.tolist() == expected.tolist()
    _return_plainly(plain, places, 1, 5, of, 3, 7)
    assert plain.tolist() == expected.tolist()
