"""Sweep and prune keeps the axis, the orders and the set of pairs from frame to frame."""

import numpy as np
import pytest

from engine.broadphase import BruteForce, SweepAndPrune, SweepTwoAxes
from engine.broadphase._sweep_kernel import STEPS_PER_BOX, repaired_order
from engine.broadphase._two_axes_kernel import EMPTY, added, followed, removed, table_of
from tests.unit.broadphase.scenes import around, scene

UP, LEFT = (0.0, 1.0), (1.0, 0.0)


def strip(along, n=60, width=1.0):
    """Boxes spread over 30 m along one direction and `width` times as far across."""
    rng = np.random.default_rng(8)
    spread = np.where(np.array(along) > 0.0, 30.0, 30.0 * width)
    return around(rng.uniform(-spread, spread, (n, 2)), np.full((n, 2), 0.5))


def test_the_axis_is_that_of_the_larger_variance():
    sweep = SweepAndPrune()
    for along, axis in ((UP, 1), (LEFT, 0), (UP, 1)):
        sweep.pairs(strip(along, width=0.1))
        assert sweep.sketch().axes == (axis,)


def test_the_axis_stays_if_the_other_is_hardly_better():
    sweep = SweepAndPrune()
    sweep.pairs(strip(UP, width=0.1))
    sweep.pairs(strip(LEFT, width=0.9))  # 1 / 0.81 of the variance
    assert sweep.sketch().axes == (1,)
    sweep.pairs(strip(LEFT, width=0.6))  # 1 / 0.36 of it
    assert sweep.sketch().axes == (0,)


def test_the_variance_is_accurate_far_from_the_origin():
    sweep = SweepAndPrune()
    sweep.pairs(strip(UP, width=0.1) + 1e8)
    assert sweep.sketch().axes == (1,)


def test_the_order_is_repaired_by_insertion_or_sorted_again():
    boxes = np.repeat(np.arange(100.0), 4).reshape(100, 4)
    order = np.arange(100)
    same, steps = repaired_order(boxes, order, 0, STEPS_PER_BOX * 100)
    assert steps == 0 and same.tolist() == order.tolist()
    boxes[10] = 13.5
    moved, steps = repaired_order(boxes, order, 0, STEPS_PER_BOX * 100)
    assert steps == 3 and moved.tolist() == [*range(10), 11, 12, 13, 10, *range(14, 100)]
    turned, steps = repaired_order(-boxes, order, 0, STEPS_PER_BOX * 100)
    assert steps == -1 and turned.tolist() == moved.tolist()[::-1]
    fewer, steps = repaired_order(boxes[:50], moved, 0, STEPS_PER_BOX * 100)
    assert steps == 0 and fewer.tolist() == [i for i in moved.tolist() if i < 50]


NONE = np.empty(0, dtype=np.int64)


def pairs_of(table):
    keys = np.sort(table[table != EMPTY])
    return np.column_stack((keys >> 32, keys & (2**32 - 1))).tolist()


def test_the_table_of_pairs_is_a_set():
    """Compared with Python's set, through many insertions and removals in a table with collisions and growth."""
    rng = np.random.default_rng(11)
    table, n_pairs, truth = table_of(NONE), 0, set()
    for step in range(3000):
        i, j = (int(k) for k in rng.choice(40, 2, replace=False))
        if rng.random() < (0.7 if step < 1500 else 0.3):
            table, n_pairs = added(table, n_pairs, i, j)
            truth.add((min(i, j), max(i, j)))
        else:
            n_pairs = removed(table, n_pairs, i, j)
            truth.discard((min(i, j), max(i, j)))
        assert n_pairs == len(truth)
        if step % 100 == 0:
            assert pairs_of(table) == sorted(map(list, truth))


def state_of(boxes):
    ends_x, ends_y, table, n_pairs, steps = followed(boxes, NONE, NONE, table_of(NONE), 0, -1)
    assert steps == -1
    return ends_x, ends_y, table, n_pairs


def test_only_ends_that_change_places_cost_swaps():
    boxes = np.array([(0.0, 0.0, 1.0, 1.0), (2.0, 0.0, 3.0, 1.0), (4.0, 0.0, 5.0, 1.0)])
    *kept, n_pairs = state_of(boxes)
    assert n_pairs == 0
    boxes[0, 2] = 2.0  # its end and the begin of the next are at one place: a touch
    *kept, n_pairs, steps = followed(boxes, *kept, n_pairs, 100)
    assert (n_pairs, steps) == (1, 1)
    boxes[0, 2] = 4.5  # past the end of the next too, and past a begin
    *kept, n_pairs, steps = followed(boxes, *kept, n_pairs, 100)
    assert (n_pairs, steps) == (2, 2)
    boxes[0] += (0.0, 1.5, 0.0, 1.5)  # above them: begin and end of it past their ends
    *kept, n_pairs, steps = followed(boxes, *kept, n_pairs, 100)
    assert n_pairs == 0 and steps > 0
    *kept, n_pairs, steps = followed(boxes, *kept, n_pairs, 100)
    assert (n_pairs, steps) == (0, 0)


@pytest.mark.parametrize("name", ["random", "all touching", "tenths", "points"])
def test_swaps_maintain_the_pairs(name):
    """Without a limit, nothing is rebuilt, however far boxes move."""
    rng = np.random.default_rng(12)
    boxes = scene(name, 12)
    *kept, n_pairs = state_of(boxes)
    for reach in (0.1, 0.1, 5.0, 0.1, 50.0):
        boxes = boxes + np.tile(reach * rng.integers(-2, 3, (len(boxes), 2)) * (rng.random((len(boxes), 1)) < 0.3), 2)
        *kept, n_pairs, steps = followed(boxes, *kept, n_pairs, 10**9)
        assert steps >= 0
        assert pairs_of(kept[2]) == BruteForce().pairs(boxes).tolist()


def test_both_sketches_show_their_order():
    boxes = strip(LEFT, width=0.5)
    one_axis, two = SweepAndPrune(), SweepTwoAxes()
    one_axis.pairs(boxes)
    two.pairs(boxes)
    assert one_axis.sketch().axes == (0,) and two.sketch().axes == (0, 1)
    assert np.array_equal(two.sketch().lower[1], np.sort(boxes[:, 1]))
