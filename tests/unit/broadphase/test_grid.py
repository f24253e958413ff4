"""The uniform grid: its cells, and the choice between it and a tree."""

import math

import numpy as np
import pytest

from engine.broadphase import Automatic, BruteForce, UniformGrid
from engine.broadphase._grid_kernel import CELLS_PER_BOX, grid_of, grid_pairs
from engine.broadphase.automatic import BRUTE_FORCE, FEW, MAX_COMPARED, TREE, UNIFORM_GRID
from tests.unit.broadphase.scenes import around


def spread(n, seed=3):
    return around(np.random.default_rng(seed).uniform(-20.0, 20.0, (n, 2)), np.full((n, 2), 0.2))


def crowds(n, seed=4):
    """Half of the boxes in one place and half a million meters away."""
    rng = np.random.default_rng(seed)
    return around(rng.normal(0.0, math.sqrt(n), (n, 2)) + 1e6 * rng.integers(0, 2, (n, 1)), np.full((n, 2), 0.4))


@pytest.mark.parametrize("n", [2, 3, 17, 400])
@pytest.mark.parametrize("width", [0.0, 1e-300, 1.0, 1e300, 1e308])
def test_the_number_of_cells_never_exceeds_the_buffer(n, width):
    rng = np.random.default_rng(n)
    with np.errstate(all="ignore"):
        for shape in ((1.0, 1.0), (1.0, 0.0), (1e-9, 1.0), (1e300, 1e-300)):
            low = rng.uniform(-0.5, 0.5, (n, 2)) * shape
            *_, columns, rows = grid_of(np.column_stack((low, low + width)))
            assert 1 <= columns * rows <= CELLS_PER_BOX * n


def test_a_tree_is_chosen_in_crowds_and_brute_force_for_few():
    automatic = Automatic()
    for boxes, chosen in ((crowds(1000), TREE), (spread(1000), UNIFORM_GRID), (spread(FEW), BRUTE_FORCE)):
        assert np.array_equal(automatic.pairs(boxes), BruteForce().pairs(boxes)) and automatic.chosen == chosen
        automatic.sketch()
    keys, is_complete = grid_pairs(crowds(1000), MAX_COMPARED)
    assert not is_complete and len(keys) == 0


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
