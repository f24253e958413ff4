"""One suite for all broad phases: none may miss a pair that brute force finds, nor invent one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broadphase import Automatic, BruteForce, UniformGrid
from engine.common.errors import InvalidInputError

GRIDS = (UniformGrid(), Automatic())
ALL = pytest.mark.parametrize("broad_phase", [BruteForce(), *GRIDS], ids=lambda one: type(one).__name__)
N = 400


def around(centers, half):
    return np.column_stack((centers - half, centers + half))


def scenes():
    rng = np.random.default_rng(1)
    yield "random", around(rng.uniform(-20.0, 20.0, (N, 2)), rng.uniform(0.1, 1.0, (N, 2)))
    yield "clustered", around(rng.normal(0.0, 0.5, (N, 2)) + 1e4 * rng.integers(0, 3, (N, 1)), rng.uniform(0.05, 0.2, (N, 2)))
    yield "log-normal", around(rng.uniform(-50.0, 50.0, (N, 2)), rng.lognormal(-1.0, 1.5, (N, 2)))
    yield "one giant", around(rng.uniform(-5.0, 5.0, (N, 2)), np.where(np.arange(N)[:, None] == 7, 100.0, 0.1))
    yield "points", around(rng.integers(0, 12, (N, 2)).astype(float), np.zeros((N, 2)))
    yield "all the same", np.tile((1.0, 2.0, 3.0, 4.0), (60, 1))
    yield "all one point", np.zeros((60, 4))
    yield "on a line", around(np.column_stack((rng.uniform(0.0, 1e6, N), np.zeros(N))), rng.uniform(1.0, 3e3, (N, 2)))
    yield "walls", around(rng.uniform(-5.0, 5.0, (N, 2)), np.where(rng.random((N, 1)) < 0.5, (9.0, 0.01), (0.01, 9.0)))
    corners = np.array(list(itertools.product(range(20), range(20))), dtype=float)
    yield "touching squares", np.column_stack((corners, corners + 1.0))
    yield "far away", around(1e9 + rng.uniform(-20.0, 20.0, (N, 2)), rng.uniform(0.1, 1.0, (N, 2)))
    yield "one row of points", np.array([(0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 1.0)])
    yield "beyond float64", np.array([(-1e308, 0.0, 1e308, 1.0), (1e308, 0.5, 1.5e308, 2.0), (-1.5e308, 3.0, 1e308, 4.0)])
    yield "beyond float64, from one side", np.array([(-1e308, 0.0, -9e307, 1.0), (-1e308, 0.5, 1.5e308, 2.0), (-1e308, 3.0, 1e308, 4.0)])
    ends = np.array([(-1.7e308, 0.0, -0.7e308, 1e-3), (0.0, 0.0, 1.7e308, 1e-3), (-1.7e308, 0.0, 0.0, 1e4), (1e300, 1e-3, 1.1e308, 9.0)])
    yield "wider than float64 from the first to the last", ends
    yield "a hair wide", around(rng.integers(0, 9, (N, 2)).astype(float), rng.choice([0.0, 5e-324, 1e-300, 1e-12, 0.5], (N, 2)))
    yield "at one place, of all sizes", around(np.zeros((N, 2)), 2.0 ** rng.uniform(-60.0, 60.0, (N, 2)))
    crowding = 2.0 ** rng.uniform(-40.0, 0.0, (N, 1))
    yield "every level", around(1e6 * crowding * rng.uniform(-1.0, 1.0, (N, 2)), np.tile(2.0 ** rng.uniform(-25.0, 20.0, (N, 1)), 2))
    on_it = around(rng.uniform(-90.0, 90.0, (N, 2)) * (1.0, 0.001), np.full((N, 2), 0.1))
    yield "a floor", np.concatenate(([(-1e3, -1.0, 1e3, 0.1)], on_it))
    yield "tenths", np.column_stack((corners * 0.1, corners * 0.1 + 0.1))


@pytest.mark.parametrize(("name", "boxes"), list(scenes()), ids=lambda value: value if isinstance(value, str) else "")
def test_the_grids_find_what_brute_force_finds(name, boxes):
    with np.errstate(all="ignore"):  # said by NumPy where kernels are not compiled
        expected = BruteForce().pairs(boxes)
        for grid in GRIDS:
            assert np.array_equal(grid.pairs(boxes), expected), type(grid).__name__


coordinates = st.floats(-1e3, 1e3) | st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-4, 4).map(float)
extents = st.floats(0.0, 1e3) | st.integers(0, 2).map(float)


@given(st.lists(st.tuples(coordinates, coordinates, extents, extents), max_size=30))
@settings(max_examples=150, deadline=None)
def test_any_boxes(rows):
    boxes = [(x, y, x + width, y + height) for x, y, width, height in rows]
    expected = [
        [i, j]
        for (i, p), (j, q) in itertools.combinations(enumerate(boxes), 2)
        if p[0] <= q[2] and q[0] <= p[2] and p[1] <= q[3] and q[1] <= p[3]
    ]
    assert BruteForce().pairs(boxes).tolist() == expected
    with np.errstate(all="ignore"):
        for grid in GRIDS:
            assert grid.pairs(boxes).tolist() == expected


@ALL
def test_a_touch_counts_and_order_is_fixed(broad_phase):
    boxes = [(2.0, 0.0, 3.0, 1.0), (1.0, 0.0, 2.0, 1.0), (0.0, 0.0, 1.0, 1.0), (1.0, 1.0, 2.0, 2.0)]
    assert broad_phase.pairs(boxes).tolist() == [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]]


@ALL
def test_few_boxes(broad_phase):
    assert broad_phase.pairs([]).shape == (0, 2)
    assert broad_phase.pairs([(0, 0, 1, 1)]).shape == (0, 2)


@ALL
@pytest.mark.parametrize(
    ("boxes", "message"),
    [
        ([(0, 0, 1)], "aabbs must be a .n, 4. array"),
        ([(0, 0, 1, float("nan"))], r"aabbs\[0\] must be finite"),
        ([(0, 0, 1, 1), (2, 0, 1, 1)], r"aabbs\[1\] must be lower <= upper, got \[2"),
        ("boxes", "aabbs must be a .n, 4. array"),
    ],
)
def test_bad_input(broad_phase, boxes, message):
    with pytest.raises(InvalidInputError, match=message):
        broad_phase.pairs(boxes)
