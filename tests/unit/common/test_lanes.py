"""Lanes: the compiler's vectors do what NumPy's arrays do, to the bit."""

import numba
import numpy as np

from engine.common import _lanes_kernel as lanes
from engine.common.rng import stream

RECORDS = 40


def _formula(m, numbers, at, records, ends, place, share, is_turned):
    """Use every word of a machine."""
    given, columns = m.load(numbers, at), m.gather(records, ends, place)
    ratio = (given + columns[0]) / (2.0 + columns[6] * columns[6]) - share * columns[7]
    least = m.select(ratio < columns[1], ratio, columns[1])
    most = m.select(-given < 0.25, 3.0, 1.0 - least)
    m.store(numbers, m.offset(at, lanes.WIDTH), most if is_turned else -most)
    m.scatter(records, ends, place, [least, most, columns[2] * share, columns[3]])


in_vectors = lanes.in_lanes(_formula, is_turned=True)


@numba.njit
def _in_a_kernel(numbers, records, ends, share):
    in_vectors(numbers, np.uint64(0), records, ends, np.uint64(8), share)


def test_both_machines_give_the_same_bits():
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
