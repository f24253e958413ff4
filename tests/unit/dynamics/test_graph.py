"""Colors of contacts: no two contacts of a block change the same body, and every contact has its own place."""

import numba
import numpy as np
import pytest

from engine.common._lanes_kernel import WIDTH
from engine.common.rng import stream
from engine.dynamics._graph_kernel import COLORS, colored


@numba.njit
def _colored(ends, moves):
    n, m = len(ends), len(moves)
    place, work = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    counts = np.empty((2, COLORS), dtype=np.int64)
    n_blocks = colored(ends, moves, place, work, np.empty(m, dtype=np.uint64), counts[0], counts[1])
    return place, n_blocks


@pytest.mark.parametrize(("n_bodies", "n_contacts"), [(2, 1), (30, 100), (400, 1500)])
def test_no_movable_body_occurs_twice_in_a_block(n_bodies, n_contacts):
    rng = stream(0, "graph", n_bodies)
    ends = rng.integers(0, n_bodies, (n_contacts, 2))
    ends[:, 1] = np.where(ends[:, 0] == ends[:, 1], (ends[:, 0] + 1) % n_bodies, ends[:, 1])
    moves = np.ones(n_bodies, dtype=np.bool_)
    moves[0] = False
    _check(ends, moves)


def test_a_body_may_have_more_neighbors_than_there_are_colors():
    n = 200
    ends = np.stack((np.zeros(n, dtype=np.int64), np.arange(1, n + 1)), axis=1)
    place = _check(ends, np.ones(n + 1, dtype=np.bool_))
    assert len(set((place // WIDTH).tolist())) == n


def _check(ends, moves):
    place, n_blocks = _colored(ends, moves)
    assert len(set(place.tolist())) == len(ends)
    assert place.min() >= 0 and place.max() < WIDTH * n_blocks
    for block in range(n_blocks):
        there = ends[place // WIDTH == block].ravel()
        there = there[moves[there]]
        assert len(set(there.tolist())) == len(there)
    static = ~moves[ends].all(axis=1)
    if static.any() and not static.all():
        assert (place[static] // WIDTH).min() > (place[~static] // WIDTH).max()
    return place
