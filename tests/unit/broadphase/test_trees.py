"""Internal checks of the trees: valid, of bounded depth, deterministic."""

import math

import numpy as np
import pytest

from engine.broadphase import (
    BottomUpTree,
    BruteForce,
    InsertionTree,
    QuadTree,
    TopDownTree,
    quality,
)
from engine.broadphase._insertion_kernel import LEFT, MAX_TILT, NONE, PARENT, RIGHT, ROOT, inserted
from engine.broadphase._quadtree_kernel import MAX_LEVELS
from engine.broadphase._top_down_kernel import SPLIT_DEPTH
from engine.broadphase.tree import LEAF_SIZE
from engine.common.errors import InvalidInputError
from tests.unit.broadphase.scenes import SCENES, around, questions, scene

TREES = (TopDownTree, BottomUpTree, InsertionTree, QuadTree)
EACH = pytest.mark.parametrize("structure", TREES, ids=lambda structure: structure.__name__)
N = 150


@pytest.fixture(autouse=True)
def _no_word_of_overflow():
    """NumPy warns about numbers near the limit of float64 if kernels are not compiled."""
    with np.errstate(all="ignore"):
        yield


def check_tree(tree, boxes):
    """Check the layout of a tree: preorder, every box in one leaf, every node's box the one around what is below it."""
    m = len(tree.sizes)
    assert len(tree.first) == m + 1 and tree.first[m] == len(tree.items) == len(boxes)
    assert sorted(tree.items.tolist()) == list(range(len(boxes)))
    np.testing.assert_array_equal(tree.item_boxes, boxes[tree.items])
    if m == 0:
        return
    assert tree.sizes[0] == m
    depths = np.zeros(m, dtype=int)
    for node in range(m):
        low, high = tree.first[node], tree.first[node + tree.sizes[node]]
        assert low < high
        below = tree.item_boxes[low:high]
        np.testing.assert_array_equal(tree.boxes[node], np.concatenate((below[:, :2].min(axis=0), below[:, 2:].max(axis=0))))
        if tree.sizes[node] == 1:
            assert high - low <= LEAF_SIZE
        else:
            left, right = node + 1, node + 1 + tree.sizes[node + 1]
            assert tree.sizes[node] == 1 + tree.sizes[left] + tree.sizes[right]
            depths[left] = depths[right] = depths[node] + 1
    assert depths.max() == quality(tree).height <= tree.height


@pytest.mark.parametrize("name", SCENES)
def test_the_links_of_inserted_leaves(name):
    """Parents and children agree, boxes contain what is below, heights and tilts are right."""
    tight = scene(name, 5)
    nodes, links, heights, state = inserted(tight)
    seen = []
    waiting = [(int(state[ROOT]), NONE)] if len(tight) else []
    while waiting:
        node, parent = waiting.pop()
        assert links[node, PARENT] == parent
        seen.append(node)
        if node % 2 == 0:
            assert heights[node] == 0 and nodes[node].tolist() == tight[node // 2].tolist()
            continue
        children = [int(links[node, LEFT]), int(links[node, RIGHT])]
        boxes = nodes[children]
        assert heights[node] == 1 + heights[children].max()
        assert abs(heights[children[0]] - heights[children[1]]) <= MAX_TILT
        np.testing.assert_array_equal(nodes[node], np.concatenate((boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0))))
        waiting.extend((child, node) for child in children)
    assert sorted(seen) == list(range(max(2 * len(tight) - 1, 0)))


@EACH
@pytest.mark.parametrize("name", SCENES)
def test_every_tree_is_valid(structure, name):
    broad_phase = structure()
    boxes = scene(name, 5)
    broad_phase.update(boxes)
    check_tree(broad_phase.tree, boxes)
    moved = np.nextafter(boxes, np.inf)
    broad_phase.update(moved)
    check_tree(broad_phase.tree, moved)


def adversarial():
    """Boxes for which naive trees degenerate to lists."""
    k = np.arange(N, dtype=float)
    powers = 2.0 ** (k % 300)
    return {
        "identical": np.tile((1.0, 2.0, 3.0, 4.0), (N, 1)),
        "sorted": around(np.column_stack((k, np.zeros(N))), np.full((N, 2), 0.4)),
        "sorted backwards": around(np.column_stack((-k, np.zeros(N))), np.full((N, 2), 0.4)),
        "each around the last": np.column_stack((-k - 1, -k - 1, k + 1, k + 1)),
        "each in the last": np.column_stack((k - N, k - N, N - k, N - k)),
        "twice as far each time": np.column_stack((powers, np.zeros(N), powers, np.zeros(N))),
        "on a diagonal": np.column_stack((k, k, k + 1.5, k + 1.5)),
    }


def highest(n_leaves):
    """Return the maximum height of a tree with this many leaves whose siblings differ by at most `MAX_TILT`."""
    fewest = [1]
    while fewest[-1] <= n_leaves:
        fewest.append(fewest[-1] + (fewest[-1 - MAX_TILT] if len(fewest) > MAX_TILT else 1))
    return len(fewest) - 2


@EACH
@pytest.mark.parametrize("name", adversarial())
def test_no_tree_degenerates(structure, name):
    """The bounds derived in the kernels."""
    boxes = adversarial()[name]
    broad_phase = structure()
    np.testing.assert_array_equal(broad_phase.pairs(boxes), BruteForce().pairs(boxes))
    bounds = {
        QuadTree: MAX_LEVELS + math.ceil(math.log2(N)),
        TopDownTree: SPLIT_DEPTH + math.ceil(math.log2(N)),
        BottomUpTree: math.ceil(math.log(N) / -math.log(15.0 / 16.0)),
        InsertionTree: highest(N),
    }
    assert quality(broad_phase.tree).height <= bounds[structure]
    regions, origins, ways = questions(boxes, np.random.default_rng(7), 20)
    truth = BruteForce()
    truth.update(boxes)
    np.testing.assert_array_equal(broad_phase.regions(regions), truth.regions(regions))
    np.testing.assert_array_equal(broad_phase.rays(origins, ways), truth.rays(origins, ways))


@EACH
def test_the_same_boxes_give_the_same_tree(structure):
    rng = np.random.default_rng(8)
    boxes = around(rng.integers(-5, 5, (N, 2)).astype(float), rng.integers(0, 3, (N, 2)) * 0.5)  # many ties
    trees = []
    for _ in range(2):
        broad_phase = structure()
        broad_phase.update(boxes)
        trees.append(broad_phase.tree)
    for first, second in zip(trees[0], trees[1], strict=True):
        np.testing.assert_array_equal(first, second)


@EACH
def test_any_size_of_leaves_gives_the_same_pairs(structure):
    boxes = around(np.random.default_rng(9).uniform(-5.0, 5.0, (N, 2)), np.full((N, 1), 0.5))
    expected = BruteForce().pairs(boxes)
    for leaf_size in (1, 2, 5, LEAF_SIZE):
        broad_phase = structure(leaf_size)
        np.testing.assert_array_equal(broad_phase.pairs(boxes), expected)
        counts = np.diff(broad_phase.tree.first)[broad_phase.tree.sizes == 1]
        assert counts.max() <= leaf_size and counts.sum() == N
    for wrong in (0, LEAF_SIZE + 1, 1.5, True):
        with pytest.raises(InvalidInputError, match=rf"leaf_size must be a whole number from 1 to {LEAF_SIZE}, got"):
            structure(wrong)


@EACH
def test_buffers_hold_many_crowded_pairs(structure):
    """Identical boxes have far more pairs than the initial buffer holds."""
    assert len(structure().pairs(np.tile((0.0, 0.0, 1.0, 1.0), (200, 1)))) == 200 * 199 // 2


@EACH
def test_a_tree_is_rebuilt_when_refits_have_degraded_it(structure):
    rng = np.random.default_rng(13)
    boxes = around(rng.uniform(0.0, 20.0, (N, 2)), np.full((N, 2), 0.3))
    refitted, fresh = structure(), structure()
    refitted.update(boxes)
    built = refitted.tree
    refitted.update(boxes + 1e-3)
    assert refitted.tree is built  # only refitted
    other = rng.permutation(boxes)
    refitted.update(other)
    fresh.update(other)
    assert refitted.tree is not built
    assert quality(refitted.tree) == quality(fresh.tree)


def test_quality_of_a_tree_computed_by_hand():
    """Two leaves of eight points each: perimeters (halved) 1 + 1, 1 + 1, and the root's 4 + 1."""
    square = [(0, 0), (1, 0), (0, 1), (1, 1)] * 2
    points = np.array([(x, y, x, y) for x, y in square] + [(x + 3, y, x + 3, y) for x, y in square], dtype=float)
    broad_phase = TopDownTree()
    broad_phase.update(points)
    answer = quality(broad_phase.tree)
    assert (answer.n_boxes, answer.n_leaves, answer.height, answer.overlap) == (16, 2, 1, 0.0)
    assert answer.cost == (2 * 5.0 + 8 * 2.0 + 8 * 2.0) / 5.0
    assert quality(QuadTree().tree).cost == 0.0


def test_the_heuristic_makes_better_trees_than_space_alone():
    rng = np.random.default_rng(14)
    boxes = around(rng.uniform(0.0, 33.0, (600, 2)), rng.lognormal(-1.0, 1.0, (600, 1)))
    cost = {}
    for structure in TREES:
        broad_phase = structure()
        broad_phase.update(boxes)
        cost[structure] = quality(broad_phase.tree).cost
    assert max(cost[TopDownTree], cost[BottomUpTree]) < cost[QuadTree]
    assert max(cost.values()) < 1.25 * min(cost.values())


@EACH
def test_a_sketch_shows_every_box_once(structure):
    broad_phase, boxes = structure(), scene("random", 15)
    broad_phase.update(boxes)
    sketch = broad_phase.sketch()
    shown = sketch.proxies >= 0
    assert sorted(sketch.proxies[shown].tolist()) == list(range(len(boxes)))
    order = np.argsort(sketch.proxies[shown])
    np.testing.assert_array_equal(sketch.boxes[shown][order], boxes)
    assert (sketch.levels == 0).sum() == 1 and sketch.levels.min() == 0
