"""The kernels of the uniform grid: eight comparisons at once, buffers for pairs, the choice, and vectorization."""

import math
import re

import numpy as np
import pytest
from numba import config, njit

from engine.broadphase import Automatic, BruteForce, UniformGrid
from engine.broadphase._grid_kernel import CELLS_PER_BOX, NO_LIMIT, TOO_CROWDED, grid_of, padded
from engine.broadphase.automatic import MAX_EIGHTS
from engine.broadphase.grid import PAIRS_PER_BOX, GridWorkspace
from engine.common._lanes_kernel import EIGHT, append_overlapping
from engine.common.jit import kernel
from tests.unit.broadphase.scenes import around


def spread(n, seed=3):
    return around(np.random.default_rng(seed).uniform(-20.0, 20.0, (n, 2)), np.full((n, 2), 0.2))


def crowds(n, seed=4):
    """Half of the boxes in one place and half a million meters away."""
    rng = np.random.default_rng(seed)
    return around(rng.normal(0.0, math.sqrt(n), (n, 2)) + 1e6 * rng.integers(0, 2, (n, 1)), np.full((n, 2), 0.4))


@kernel
def _appended(columns, stride, at, left, box, own, first, second, end):
    at, left, own, end = np.uint64(at), np.uint64(left), np.uint64(own), np.uint64(end)
    stride = np.uint64(stride)
    return append_overlapping(columns, stride, at, left, box[0], box[1], box[2], box[3], own, first, second, end)


def test_eight_at_once_match_one_at_a_time():
    """Every subset of eight overlapping boxes, written contiguously; only the first `left` of them count."""
    box = np.array([0.0, 0.0, 1.0, 1.0])
    n, at, own = EIGHT + 3, 3, 77
    for bits in range(2**EIGHT):
        is_met = bits >> np.arange(EIGHT) & 1 == 1
        boxes = np.zeros((n, 4))
        boxes[:at] = (0.0, 0.0, 1.0, 1.0)  # overlap, but lie before
        away = [(1.5, 0.0, 2.0, 1.0), (-2.0, 0.0, -0.5, 1.0), (0.0, 1.5, 1.0, 2.0), (0.0, -2.0, 1.0, -0.5)][bits % 4]
        boxes[at:] = np.where(is_met[:, None], (1.0, 1.0, 2.0, 2.0), away)  # those that are met just touch
        stride = padded(n)
        columns = np.zeros(4 * stride)
        for field in range(4):
            columns[field * stride :][:n] = boxes[:, field]
        for left in (EIGHT, 100, 5, 1):
            first, second = np.zeros(2 * EIGHT, dtype=np.uint32), np.zeros(2 * EIGHT, dtype=np.uint32)
            end = _appended(columns, stride, at, left, box, own, first, second, 2)
            met = at + np.flatnonzero(is_met[:left])
            assert end == 2 + len(met)
            assert second[2:end].tolist() == met.tolist() and (first[2:end] == own).all()
            assert (first[:2] == 0).all() and (second[2 + EIGHT :] == 0).all()


def test_nan_overlaps_nothing():
    columns = np.full(4 * padded(1), np.nan)
    first, second = np.zeros(EIGHT, dtype=np.uint32), np.zeros(EIGHT, dtype=np.uint32)
    assert _appended(columns, padded(1), 0, EIGHT, np.array([-9.0, -9.0, 9.0, 9.0]), 1, first, second, 0) == 0


def test_eight_go_through_a_register_at_once():
    """A small edit could lose the vectorization, so the machine code is checked."""
    if config.DISABLE_JIT:
        pytest.skip("kernels are not compiled")
    compiled = njit(error_model="numpy")(_appended.py_func)  # what comes from the cache cannot be looked into
    columns, some = np.zeros(4 * padded(1)), np.zeros(EIGHT, dtype=np.uint32)
    compiled(columns, padded(1), 0, 1, np.zeros(4), 1, some, some.copy(), 0)
    code = "\n".join(compiled.inspect_asm().values())
    compared = len(re.findall(r"vcmp\w*pd\b", code))
    assert 4 <= compared <= 16  # four registers of eight numbers, or so many of four; one by one it would be 32 of another kind


def test_a_buffer_that_is_too_small_grows():
    """More pairs than `PAIRS_PER_BOX`: the search counts all of them, and is repeated with a larger buffer."""
    boxes = around(np.random.default_rng(5).uniform(-2.0, 2.0, (120, 2)), np.full((120, 2), 0.9))
    expected = BruteForce().pairs(boxes)
    assert len(expected) > 2 * PAIRS_PER_BOX * len(boxes)
    workspace = GridWorkspace()
    for some in (boxes, boxes[:40], boxes):  # grown; with room to spare; and again
        assert np.array_equal(workspace.pairs(np.ascontiguousarray(some), NO_LIMIT), BruteForce().pairs(some))


@pytest.mark.parametrize("n", [2, 3, 17, 400])
@pytest.mark.parametrize("width", [0.0, 1e-300, 1.0, 1e300, 1e308])
def test_the_number_of_cells_never_exceeds_the_buffer(n, width):
    rng = np.random.default_rng(n)
    with np.errstate(all="ignore"):
        for shape in ((1.0, 1.0), (1.0, 0.0), (1e-9, 1.0), (1e300, 1e-300)):
            low = rng.uniform(-0.5, 0.5, (n, 2)) * shape
            *_, columns, rows = grid_of(np.column_stack((low, low + width)))
            assert 1 <= columns * rows <= CELLS_PER_BOX * n


def test_the_search_stops_in_crowds():
    workspace, boxes = GridWorkspace(), crowds(1000)
    assert workspace.pairs(boxes, MAX_EIGHTS) is None
    assert workspace.pairs(boxes, 0.0) is None and TOO_CROWDED < 0
    expected = BruteForce().pairs(boxes)
    assert np.array_equal(workspace.pairs(boxes, NO_LIMIT), expected)
    assert np.array_equal(Automatic().pairs(boxes), expected)
    even = spread(1000)
    assert np.array_equal(workspace.pairs(even, MAX_EIGHTS), BruteForce().pairs(even))


def test_answers_do_not_change_in_the_next_frame():
    grid, boxes = UniformGrid(), spread(1500)
    before = grid.pairs(boxes)
    kept = before.copy()
    grid.pairs(boxes + 0.3)
    assert np.array_equal(before, kept) and len(kept) > 0


@pytest.mark.parametrize("scene", [spread, crowds])
def test_every_box_is_drawn_in_a_cell(scene):
    boxes = scene(500)
    grid = UniformGrid()
    grid.pairs(boxes)
    drawn = grid.sketch()
    assert drawn.counts.sum() == len(boxes) and not drawn.is_oversize.any()
    slack = 1e-9 * np.abs(boxes).max()  # rounding of the drawn borders
    for corner in boxes[::25, :2]:
        assert ((drawn.cells[:, :2] - slack <= corner) & (corner <= drawn.cells[:, 2:] + slack)).all(axis=1).any()
    assert len(UniformGrid().sketch().counts) == 0


def test_partners_of_a_box_are_sorted():
    """None to hundreds, so that every sorting method is used: ranks in 8 and 16 lanes, and Shell sort."""
    rng = np.random.default_rng(11)
    numbers = [0, 1, 7, 8, 9, 15, 16, 17, 40, 41, 700]
    rows = [around(np.array([[1e3 * k, 0.0]]), np.array([[100.0, 1.0]])) for k in range(len(numbers))]
    rows += [around(np.column_stack((1e3 * k + np.linspace(-90.0, 90.0, n), np.zeros(n))), 0.01) for k, n in enumerate(numbers)]
    boxes = np.concatenate(rows)
    shuffled = np.concatenate((np.arange(len(numbers)), len(numbers) + rng.permutation(len(boxes) - len(numbers))))
    boxes = np.ascontiguousarray(boxes[shuffled])
    expected = BruteForce().pairs(boxes)
    assert np.bincount(expected[:, 0], minlength=len(numbers))[: len(numbers)].tolist() == numbers
    assert np.array_equal(UniformGrid().pairs(boxes), expected)
    backwards = np.ascontiguousarray(boxes[::-1])
    assert np.array_equal(UniformGrid().pairs(backwards), BruteForce().pairs(backwards))
