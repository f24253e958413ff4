"""Four numbers of each of four or eight lanes turned into rows, and back: compiled as in plain Python."""

import numpy as np
import pytest

from engine.common.jit import kernel
from engine.common.registers import (
    EIGHT,
    FOUR,
    _return_plainly,
    _turn_plainly,
    return_eight,
    return_four,
    turn_eight,
    turn_four,
)

PLACES = np.array([99, 40, 0, 72, 12, 52, 33, 81, 26, 99])
BOTH = pytest.mark.parametrize("lanes", [FOUR, EIGHT])


@kernel
def turned(lanes, to, at, stride, of, places, first, beyond):
    if lanes == 4:
        turn_four(to, at, stride, of, places, first, beyond)
    else:
        turn_eight(to, at, stride, of, places, first, beyond)


@BOTH
def test_lanes_become_rows_and_nothing_else_is_written(lanes):
    found, plain, expected = (np.full(60, -1.0) for _ in range(3))
    turned(lanes, found, 3, 11, np.arange(100.0), PLACES, 1, 5)
    for row in range(4):
        expected[3 + 11 * row : 3 + lanes + 11 * row] = PLACES[1 : 1 + lanes] + 5.0 + row
    _turn_plainly(lanes, plain, 3, 11, np.arange(100.0), PLACES, 1, 5)
    assert found.tolist() == expected.tolist() == plain.tolist()


@kernel
def returned(lanes, to, places, first, beyond, of, at, stride):
    if lanes == 4:
        return_four(to, places, first, beyond, of, at, stride)
    else:
        return_eight(to, places, first, beyond, of, at, stride)


@BOTH
def test_rows_become_lanes_again_and_nothing_else_is_written(lanes):
    found, plain, expected = (np.full((10, 10), -1.0) for _ in range(3))
    returned(lanes, found, PLACES, 1, 5, np.arange(60.0), 3, 11)
    for lane, place in enumerate(PLACES[1 : 1 + lanes]):
        expected.reshape(-1)[place + 5 : place + 9] = 3.0 + lane + 11.0 * np.arange(4)
    _return_plainly(lanes, plain, PLACES, 1, 5, np.arange(60.0), 3, 11)
    assert found.tolist() == expected.tolist() == plain.tolist()
