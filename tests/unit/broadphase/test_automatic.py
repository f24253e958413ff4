"""The automatic choice: each structure is chosen for its scenes, the pairs stay the same, and the choice is stable."""

import math

import numpy as np
import pytest

from engine.broadphase import Automatic, BruteForce
from engine.broadphase.automatic import BRUTE_FORCE, FEW, LOOKS, MANY_QUERIES, MAX_EIGHTS, MIN_EIGHTS, PATIENCE, TREE, UNIFORM_GRID
from engine.broadphase.grid import GridWorkspace
from tests.unit.broadphase.scenes import around


def crowds(n, distance, seed=1):
    rng = np.random.default_rng(seed)
    return around(rng.normal(0.0, math.sqrt(n), (n, 2)) + distance * rng.integers(0, 2, (n, 1)), np.full((n, 2), 0.4))


def scenes():
    rng = np.random.default_rng(2)
    n = 600
    yield "few", around(rng.uniform(-3.0, 3.0, (FEW, 2)), np.full((FEW, 2), 0.5)), BRUTE_FORCE
    yield "one more", around(rng.uniform(-3.0, 3.0, (FEW + 1, 2)), np.full((FEW + 1, 2), 0.5)), UNIFORM_GRID
    yield "even", around(rng.uniform(-20.0, 20.0, (n, 2)), rng.uniform(0.3, 0.6, (n, 2))), UNIFORM_GRID
    yield "log-normal", around(rng.uniform(-60.0, 60.0, (n, 2)), rng.lognormal(-1.0, 1.0, (n, 2))), UNIFORM_GRID
    yield "column", around(rng.uniform((-2.0, 0.0), (2.0, 320.0), (n, 2)), np.full((n, 2), 0.4)), UNIFORM_GRID
    yield "crowds", crowds(n, 1e6), TREE


@pytest.mark.parametrize(("boxes", "chosen"), [scene[1:] for scene in scenes()], ids=[scene[0] for scene in scenes()])
def test_each_structure_is_chosen_where_it_is_fastest(boxes, chosen):
    broad_phase = Automatic()
    for _ in range(2):
        assert np.array_equal(broad_phase.pairs(boxes), BruteForce().pairs(boxes))
        assert broad_phase.chosen == chosen
    assert broad_phase.sketch() is not None


def test_it_follows_a_scene_that_changes():
    """Two crowds merge and separate, and most boxes are removed: the choice adapts, and the pairs are always correct."""
    broad_phase, choices = Automatic(), []
    for distance in (0.0, 1e6, 1e6, 0.0):
        boxes = crowds(600, distance)
        expected = BruteForce().pairs(boxes)
        for _ in range(LOOKS):  # so often the boxes are looked at
            assert np.array_equal(broad_phase.pairs(boxes), expected)
        choices.append(broad_phase.chosen)
    broad_phase.remove(np.arange(FEW // 2, 600))
    broad_phase.pairs()
    assert [*choices, broad_phase.chosen] == [UNIFORM_GRID, TREE, TREE, UNIFORM_GRID, BRUTE_FORCE]


def test_the_numbers_of_removed_boxes_stay_free_in_every_choice():
    for boxes, chosen in ((crowds(600, 0.0), UNIFORM_GRID), (crowds(600, 1e6), TREE)):
        broad_phase, judge = Automatic(), BruteForce()
        for each in (broad_phase, judge):
            each.insert(boxes)
            each.remove([0, 5, 17])
        assert np.array_equal(broad_phase.pairs(), judge.pairs()) and broad_phase.chosen == chosen
        drawn = broad_phase.sketch()
        if chosen == TREE:
            assert set(drawn.proxies[drawn.proxies >= 0].tolist()) <= set(broad_phase.proxies.tolist())


@pytest.mark.parametrize("n_questions", [MANY_QUERIES - 1, 3 * MANY_QUERIES])
def test_regions_and_rays_by_both_ways(n_questions):
    """Few queries test every box, and many use the tree, also after boxes have been moved, added and removed."""
    rng = np.random.default_rng(8)
    boxes = crowds(400, 0.0)
    regions = around(rng.normal(0.0, 20.0, (n_questions, 2)), np.full((n_questions, 2), 3.0))
    origins, ways = rng.normal(0.0, 20.0, (n_questions, 2)), rng.normal(0.0, 20.0, (n_questions, 2))
    broad_phase, judge = Automatic(), BruteForce()

    def agree():
        assert np.array_equal(broad_phase.regions(regions), judge.regions(regions))
        assert np.array_equal(broad_phase.rays(origins, ways), judge.rays(origins, ways))
        assert np.array_equal(broad_phase.pairs(), judge.pairs())

    for change in (
        lambda each: each.insert(boxes),
        lambda each: each.update(boxes + 3.0),
        lambda each: each.move([3, 9], boxes[[30, 90]]),
        lambda each: each.remove([0, 7]),
        lambda each: each.insert(boxes[:5]),
    ):
        change(broad_phase)
        change(judge)
        agree()


def test_the_grid_is_queried_again_only_after_a_change(monkeypatch):
    limits = []
    search = GridWorkspace.pairs

    def counted(self, boxes, limit):
        limits.append(limit)
        return search(self, boxes, limit)

    monkeypatch.setattr(GridWorkspace, "pairs", counted)
    broad_phase, boxes = Automatic(), crowds(600, 1e6)
    for frame in range(PATIENCE):
        broad_phase.pairs(boxes + 0.01 * frame)
    assert limits == [MAX_EIGHTS]  # then it was remembered
    broad_phase.pairs(boxes)
    assert limits == [MAX_EIGHTS, MIN_EIGHTS]  # after some time, in case a crowd has parted
    broad_phase.pairs(boxes)
    assert len(limits) == 2
    broad_phase.pairs(boxes[:400])
    assert len(limits) == 3  # another number of boxes
    assert broad_phase.chosen == TREE
