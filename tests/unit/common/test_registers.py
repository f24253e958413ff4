"""Four numbers of each of eight lanes turned into rows, and back: compiled as in plain Python.

Compiled anew in each run: from a cache, no line of what writes the machine code would run.
"""

import numpy as np
from numba import njit

from engine.common.registers import _return_plainly, _turn_plainly, fetch, return_eight, turn_eight

PLACES = np.array([99, 40, 0, 72, 12, 52, 33, 81, 26, 99])


@njit
def turned(to, at, stride, of, places, first, beyond):
    turn_eight(to, at, stride, of, places, first, beyond)


def test_lanes_become_rows_and_nothing_else_is_written():
    found, plain, expected = (np.full(60, -1.0) for _ in range(3))
    turned(found, 3, 11, np.arange(100.0), PLACES, 1, 5)
    for row in range(4):
        expected[3 + 11 * row : 11 + 11 * row] = PLACES[1:9] + 5.0 + row
    _turn_plainly(plain, 3, 11, np.arange(100.0), PLACES, 1, 5)
    assert found.tolist() == expected.tolist() == plain.tolist()


@njit
def returned(to, places, first, beyond, of, at, stride):
    return_eight(to, places, first, beyond, of, at, stride)


def test_rows_become_lanes_again_and_nothing_else_is_written():
    found, plain, expected = (np.full((10, 10), -1.0) for _ in range(3))
    returned(found, PLACES, 1, 5, np.arange(60.0), 3, 11)
    for lane, place in enumerate(PLACES[1:9]):
        expected.reshape(-1)[place + 5 : place + 9] = 3.0 + lane + 11.0 * np.arange(4)
    _return_plainly(plain, PLACES, 1, 5, np.arange(60.0), 3, 11)
    assert found.tolist() == expected.tolist() == plain.tolist()


@njit
def fetched(of, at):
    fetch(of, at)
    return of.sum()


def test_fetching_changes_nothing_within_an_array_and_beyond_it():
    numbers = np.arange(8.0)
    assert fetched(numbers, 3) == fetched(numbers, 10**6) == 28.0
