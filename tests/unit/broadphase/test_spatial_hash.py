"""A spatial hash's cell size, its moves from cell to cell, and its oversize boxes."""

import numpy as np
import pytest

from engine.broadphase import BruteForce, SpatialHash
from engine.broadphase._hash_kernel import IN_CELLS, OVERSIZE, index, place, relink
from engine.broadphase.spatial_hash import chosen_cell
from tests.unit.broadphase.scenes import around


def spread(n, half, seed=14):
    rng = np.random.default_rng(seed)
    side = np.sqrt(n) * 1.2
    return around(rng.uniform(0.0, side, (n, 2)), np.broadcast_to(half, (n, 2)))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_cell_size_follows_the_boxes(scale):
    choice = chosen_cell(spread(3000, 0.5) * scale)
    assert 1.0 * scale <= choice.cell <= 3.0 * scale
    assert choice.cell == choice.tried[np.argmin(choice.tried[:, 1]), 0]


def test_one_giant_does_not_make_the_cells_larger():
    boxes = spread(3000, 0.5)
    usual = chosen_cell(boxes).cell
    boxes[7] = (-1e3, -1e3, 1e3, 1e3)
    assert chosen_cell(boxes).cell <= 1.5 * usual
    spatial_hash = SpatialHash()
    spatial_hash.update(boxes)
    spatial_hash.pairs()
    assert np.flatnonzero(spatial_hash._where[:3000] == OVERSIZE).tolist() == [7]
    shown = spatial_hash.sketch()
    assert shown.cells[shown.is_oversize].tolist() == [[-1e3, -1e3, 1e3, 1e3]]


def test_larger_boxes_in_half_of_the_scene_enlarge_the_cells():
    boxes = np.concatenate((spread(1500, 0.1), spread(1500, 1.0, seed=15)))
    assert chosen_cell(boxes).cell >= 2.0


def test_cell_numbers_are_monotone():
    xs = np.sort(np.concatenate((np.linspace(-1e3, 1e3, 301), np.linspace(0.2999, 0.3001, 101), [-1.7e308, -1e20, 1e20, 1.7e308])))
    with np.errstate(over="ignore"):
        for begin, cell in ((0.0, 0.1), (1e6, 1.0), (-1e308, 1e307), (0.1, 1e-12)):
            numbers = [index(float(x), begin, cell) for x in xs]
            assert numbers == sorted(numbers)
    rng = np.random.default_rng(16)
    for n_places in (1, 64, 4096):
        places = {place(int(i), int(j), n_places) for i, j in rng.integers(-(2**30), 2**30, (500, 2))}
        assert min(places) >= 0 and max(places) < n_places
        assert len(places) > min(n_places, 500) // 2


def test_only_boxes_that_change_cells_are_moved():
    spatial_hash = SpatialHash()
    boxes = np.column_stack((np.arange(50.0), np.zeros(50), np.arange(50.0) + 0.4, np.full(50, 0.4)))
    spatial_hash.pairs(boxes)
    cell = spatial_hash.choice.cell
    every, live = np.arange(50), np.ones(50, dtype=np.bool_)

    def n_moved():
        return relink(every, spatial_hash._boxes[:50], live, spatial_hash._grid, *spatial_hash._table())

    assert n_moved() == 0
    assert (spatial_hash._where[:50] == IN_CELLS).all()
    spatial_hash._boxes[3] += 20.0 * cell
    assert n_moved() == 1
    spatial_hash._boxes[3] += 1e-9
    assert n_moved() == 0


def test_a_few_moved_boxes_are_queried_alone_and_other_pairs_are_kept():
    """The cached pairs are modified: unmoved pairs come from the cache, and moved ones are recomputed."""
    spatial_hash, truth = SpatialHash(), BruteForce()
    boxes = spread(400, 0.5)
    pairs = spatial_hash.pairs(boxes)
    kept, looked_for = pairs[0], pairs[-1]
    spatial_hash._cached = np.array([kept], dtype=np.int64)
    spatial_hash.move(looked_for[:1], boxes[looked_for[:1]] + 1e-9)
    pairs_after = spatial_hash.pairs().tolist()
    assert kept.tolist() in pairs_after and looked_for.tolist() in pairs_after and len(pairs_after) < len(pairs)
    boxes[looked_for[:1]] += 1e-9
    assert spatial_hash.pairs(boxes[::-1].copy()).tolist() == truth.pairs(boxes[::-1]).tolist()


def test_the_cell_size_is_chosen_again_for_crowds_or_many_new_boxes():
    spatial_hash, truth = SpatialHash(), BruteForce()
    boxes = spread(300, 0.5)
    spatial_hash.pairs(boxes)
    first = spatial_hash.choice
    spatial_hash.insert(boxes + 3.0)
    spatial_hash.insert(boxes - 3.0)
    spatial_hash.pairs()
    assert spatial_hash.choice is not first
    boxes = spread(300, 0.5)
    spatial_hash.update(boxes)
    spatial_hash.pairs()
    first = spatial_hash.choice
    small = around(0.1 * (boxes[:, :2] + 0.5), np.full((300, 2), 0.05))
    spatial_hash.pairs(small)
    assert np.array_equal(spatial_hash.pairs(small), truth.pairs(small))
    assert spatial_hash.choice.cell < first.cell / 3.0
