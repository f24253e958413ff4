"""Lanes: the compiler's vectors match NumPy's arrays to the bit.

Recompiled in each run, because a cached kernel would not run the code that emits machine code.
"""

import numba
import numpy as np
import pytest

from engine.common import _lanes_kernel as lanes
from engine.common.rng import stream

RECORDS = 40


def _formula(m, numbers, at, records, ends, place, share, is_turned):
    """Use all instructions of an instruction set."""
    number, columns = m.load(numbers, at), m.gather(records, ends, place)
    ratio = (number + columns[0]) / (2.0 + columns[6] * columns[6]) - share * columns[7]
    least = m.select(ratio < columns[1], ratio, columns[1])
    most = m.select(-number < 0.25, 3.0, 1.0 - least)
    m.store(numbers, m.offset(at, lanes.WIDTH), most if is_turned else -most)
    m.scatter(records, ends, place, [least, most, columns[2] * share, columns[3]])


in_vectors = lanes.in_lanes(_formula, is_turned=True)


@numba.njit
def _in_a_kernel(numbers, records, ends, share):
    in_vectors(numbers, np.uint64(0), records, ends, np.uint64(8), share)


def test_both_instruction_sets_give_the_same_bits():
    rng = stream(0, "lanes")
    numbers, records = rng.normal(size=16), rng.normal(size=RECORDS * lanes.WIDTH)
    ends = np.concatenate((np.zeros(8, dtype=np.int64), rng.permutation(RECORDS)[:8]))
    others, its = numbers.copy(), records.copy()
    _in_a_kernel(numbers, records, ends, 0.3)
    _formula(lanes._OnArrays(), others, np.uint64(0), its, ends, np.uint64(8), 0.3, is_turned=True)
    assert (numbers == others).all() and (records == its).all()
    changed = (records != _records()).reshape(RECORDS, -1)
    assert set(np.flatnonzero(changed.any(axis=1)).tolist()) == set(ends[8:].tolist())
    assert not changed[:, 4:].any()


def _records():
    rng = stream(0, "lanes")
    rng.normal(size=16)
    return rng.normal(size=RECORDS * lanes.WIDTH)


PLACES = np.array([99, 40, 0, 72, 12, 52, 33, 81, 26, 99])


@numba.njit
def _turned(to, at, stride, of, places, first, beyond):
    lanes.turn_eight(to, at, stride, of, places, first, beyond)


def test_lanes_become_rows_and_nothing_else_is_written():
    compiled, plain, expected = (np.full(60, -1.0) for _ in range(3))
    _turned(compiled, 3, 11, np.arange(100.0), PLACES, 1, 5)
    for row in range(4):
        expected[3 + 11 * row : 11 + 11 * row] = PLACES[1:9] + 5.0 + row
    lanes._turn(lanes._OnArrays(), plain, 3, 11, np.arange(100.0), PLACES, 1, 5)
    assert compiled.tolist() == expected.tolist() == plain.tolist()


@numba.njit
def _returned(to, places, first, beyond, of, at, stride):
    lanes.return_eight(to, places, first, beyond, of, at, stride)


def test_rows_become_lanes_again_and_nothing_else_is_written():
    compiled, plain, expected = (np.full((10, 10), -1.0) for _ in range(3))
    _returned(compiled, PLACES, 1, 5, np.arange(60.0), 3, 11)
    for lane, place in enumerate(PLACES[1:9]):
        expected.reshape(-1)[place + 5 : place + 9] = 3.0 + lane + 11.0 * np.arange(4)
    lanes._return(lanes._OnArrays(), plain, PLACES, 1, 5, np.arange(60.0), 3, 11)
    assert compiled.tolist() == expected.tolist() == plain.tolist()


@numba.njit
def _fetched(of, at):
    lanes.fetch(of, at)
    return of.sum()


def test_prefetching_changes_nothing_inside_or_beyond_an_array():
    numbers = np.arange(8.0)
    assert _fetched(numbers, 3) == _fetched(numbers, 10**6) == 28.0


@pytest.mark.parametrize("n", [lanes.FEW, lanes.SOME])
def test_short_arrays_are_sorted_by_rank(n):
    rng = stream(0, "ranks")
    for count in range(n + 1):
        numbers = rng.integers(0, 2**32 - 1, n + 2, dtype=np.uint32)
        pairs = np.full((n + 4, 2), -1)
        lanes._write_ranked(lanes._OnArrays(), numbers, 2, count, 5, pairs, n)
        assert pairs[2 : 2 + count].tolist() == [[5, number] for number in sorted(numbers[2 : 2 + count].tolist())]
        assert (pairs[:2] == -1).all() and (pairs[3 + count :] == -1).all()
