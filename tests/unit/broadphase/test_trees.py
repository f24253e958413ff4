"""Internal checks of the trees: valid after any change, of bounded depth, deterministic; and tree against tree."""

import math

import numpy as np
import pytest

from engine.broadphase import (
    BottomUpTree,
    BruteForce,
    DynamicTree,
    InsertionTree,
    MortonTree,
    TopDownTree,
    pairs_between,
    quality,
)
from engine.broadphase._dynamic_tree_kernel import FREE, LEFT, MAX_TILT, NONE, PARENT, RIGHT, ROOT, UNUSED
from engine.broadphase._morton_kernel import KEY_BITS
from engine.broadphase._top_down_kernel import SPLIT_DEPTH
from engine.broadphase.tree import LEAF_SIZE
from engine.common.errors import InvalidInputError
from tests.unit.broadphase.scenes import SCENES, around, questions, scene

TREES = (DynamicTree, TopDownTree, BottomUpTree, InsertionTree, MortonTree)
EACH = pytest.mark.parametrize("structure", TREES, ids=lambda structure: structure.__name__)
N = 150


@pytest.fixture(autouse=True)
def _no_word_of_overflow():
    """NumPy warns about numbers near the limit of float64 if kernels are not compiled."""
    with np.errstate(all="ignore"):
        yield


def check_tree(tree, proxies, boxes):
    """Check the layout of a tree: preorder, every proxy in one leaf with its box, every node's box the one around what is below it."""
    m = len(tree.sizes)
    assert len(tree.first) == m + 1 and tree.first[m] == len(tree.items) == len(proxies)
    assert sorted(tree.items.tolist()) == proxies.tolist()
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


def check_links(broad_phase):
    """Check the links of a dynamic tree: parents and children agree, boxes contain what is below, heights and counts are right."""
    nodes, links, heights, state = broad_phase._arrays()
    seen = []
    waiting = [(int(state[ROOT]), NONE)] if len(broad_phase) else []
    while waiting:
        node, parent = waiting.pop()
        assert links[node, PARENT] == parent
        seen.append(node)
        if node % 2 == 0:
            assert heights[node] == 0
            tight = broad_phase.aabbs([node // 2])[0]
            assert (nodes[node, :2] <= tight[:2]).all() and (tight[2:] <= nodes[node, 2:]).all()
            continue
        children = [int(links[node, LEFT]), int(links[node, RIGHT])]
        boxes = nodes[children]
        assert heights[node] == 1 + heights[children].max()
        assert abs(heights[children[0]] - heights[children[1]]) <= MAX_TILT
        np.testing.assert_array_equal(nodes[node], np.concatenate((boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0))))
        waiting.extend((child, node) for child in children)
    assert sorted(node // 2 for node in seen if node % 2 == 0) == broad_phase.proxies.tolist()
    free = []
    node = int(state[FREE])
    while node != NONE:
        free.append(node)
        node = int(links[node, PARENT])
    inner = [node for node in seen if node % 2 == 1]
    assert len(inner) == max(len(broad_phase) - 1, 0)
    assert sorted(inner + free) == list(range(1, int(state[UNUSED]), 2))


@EACH
@pytest.mark.parametrize("name", SCENES)
def test_every_tree_is_valid(structure, name):
    broad_phase = structure()
    boxes = scene(name, 5)
    broad_phase.update(boxes)
    check_tree(broad_phase.tree, broad_phase.proxies, boxes)
    moved = np.nextafter(boxes, np.inf)
    broad_phase.update(moved)
    check_tree(broad_phase.tree, broad_phase.proxies, moved)
    if structure is DynamicTree:
        check_links(broad_phase)


@EACH
def test_a_tree_stays_valid_after_any_change(structure):
    rng = np.random.default_rng(6)
    broad_phase = structure()
    broad_phase.insert(around(rng.uniform(-9.0, 9.0, (40, 2)), rng.lognormal(-1.0, 1.0, (40, 2))))
    for _ in range(60):
        what = rng.integers(4)
        if what == 0:
            broad_phase.insert(around(rng.uniform(-9.0, 9.0, (3, 2)), rng.lognormal(-1.0, 1.0, (3, 2))))
        elif what == 1 and len(broad_phase) > 3:
            broad_phase.remove(rng.choice(broad_phase.proxies, 3, replace=False))
        elif len(broad_phase) > 0:
            moved = rng.choice(broad_phase.proxies, 1 + len(broad_phase) // 5, replace=False)
            way = rng.normal(0.0, rng.choice((0.01, 0.3)), (len(moved), 2))
            broad_phase.move(moved, broad_phase.aabbs(moved) + np.tile(way, 2), way if what == 2 else None)
        boxes = np.zeros((broad_phase.proxies.max(initial=0) + 1, 4))
        boxes[broad_phase.proxies] = broad_phase.aabbs()
        check_tree(broad_phase.tree, broad_phase.proxies, boxes)
        if structure is DynamicTree:
            check_links(broad_phase)


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
        MortonTree: KEY_BITS,
        TopDownTree: SPLIT_DEPTH + math.ceil(math.log2(N)),
        BottomUpTree: math.ceil(math.log(N) / -math.log(15.0 / 16.0)),
        InsertionTree: highest(N),
        DynamicTree: highest(N),
    }
    assert quality(broad_phase.tree).height <= bounds[structure]
    if structure is DynamicTree:
        assert broad_phase.height <= bounds[structure]
        broad_phase.remove(broad_phase.proxies[::2])
        check_links(broad_phase)
    regions, origins, ways = questions(boxes, np.random.default_rng(7), 20)
    truth = BruteForce()
    truth.update(boxes)
    if structure is DynamicTree:
        truth.remove(truth.proxies[::2])
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


@pytest.mark.parametrize("structure", TREES[1:], ids=lambda structure: structure.__name__)
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
def test_only_a_trace_array_is_accepted_as_a_trace(structure):
    broad_phase = structure()
    for wrong in (np.zeros((4, 3)), np.zeros((0, 16)), np.zeros((4, 16), dtype=np.float32), [[0.0] * 16]):
        with pytest.raises(InvalidInputError, match="trace must be a writable, contiguous float64"):
            broad_phase.trace = wrong
    assert broad_phase.trace is None


@pytest.mark.parametrize("structure_a", TREES, ids=lambda structure: structure.__name__)
@pytest.mark.parametrize("structure_b", (MortonTree, DynamicTree), ids=lambda structure: structure.__name__)
@pytest.mark.parametrize(
    ("name_a", "name_b"), [("random", "one giant"), ("tenths", "all touching"), ("none", "random"), ("as wide as float64",) * 2]
)
def test_tree_against_tree(structure_a, structure_b, name_a, name_b):
    a, b = structure_a(), structure_b()
    boxes_a, boxes_b = scene(name_a, 9), scene(name_b, 10)
    a.update(boxes_a)
    b.update(boxes_b)
    in_x = (boxes_a[:, None, 0] <= boxes_b[None, :, 2]) & (boxes_b[None, :, 0] <= boxes_a[:, None, 2])
    in_y = (boxes_a[:, None, 1] <= boxes_b[None, :, 3]) & (boxes_b[None, :, 1] <= boxes_a[:, None, 3])
    np.testing.assert_array_equal(pairs_between(a, b), np.argwhere(in_x & in_y))
    np.testing.assert_array_equal(pairs_between(b.tree, a), np.argwhere((in_x & in_y).T))


def test_tree_against_tree_names_proxies_and_follows_moves():
    a, b = MortonTree(), TopDownTree()
    a.insert([(0, 0, 1, 1), (9, 9, 9, 9), (2, 0, 3, 1)])
    a.remove([0])
    b.insert([(2.5, 0.5, 4, 4)])
    assert pairs_between(a, b).tolist() == [[2, 0]]
    b.move([0], [(8, 8, 10, 10)])
    assert pairs_between(a, b).tolist() == [[1, 0]]


@EACH
def test_buffers_hold_many_crowded_pairs(structure):
    """Identical boxes have far more pairs than the initial buffer holds."""
    assert len(structure().pairs(np.tile((0.0, 0.0, 1.0, 1.0), (200, 1)))) == 200 * 199 // 2


def test_a_body_costs_nothing_until_it_leaves_its_fat_box():
    broad_phase = DynamicTree(margin=0.1, reach=2.0)
    broad_phase.insert([(0, 0, 1, 1), (5, 0, 6, 1)])
    np.testing.assert_allclose(broad_phase.fat_aabbs()[0], (-0.1, -0.1, 1.1, 1.1), rtol=0, atol=1e-15)
    broad_phase.move([0], [(0.09, 0.0, 1.09, 1.0)])
    np.testing.assert_allclose(broad_phase.fat_aabbs()[0], (-0.1, -0.1, 1.1, 1.1), rtol=0, atol=1e-15)
    broad_phase.move([0], [(0.2, 0.0, 1.2, 1.0)], [(0.3, -0.2)])  # out of it: the new one reaches twice as far ahead as it will go
    np.testing.assert_allclose(broad_phase.fat_aabbs()[0], (0.1, -0.5, 1.9, 1.1), rtol=0, atol=1e-15)
    broad_phase.move([0], [(0.21, 0.0, 1.21, 1.0)], [(0.0, 0.0)])  # at rest: 0.59 m too wide on the right, more than four margins
    np.testing.assert_allclose(broad_phase.fat_aabbs()[0], (0.11, -0.1, 1.31, 1.1), rtol=0, atol=1e-15)
    broad_phase.move([0], [(4.0, 0.0, 5.0, 1.0)])
    assert broad_phase.pairs().tolist() == [[0, 1]]
    check_links(broad_phase)


@pytest.mark.parametrize("share", [0.0025, 0.05, 0.5])
def test_kept_pairs_equal_recomputed_ones(share):
    """A few moved boxes are queried one by one, more as a tree, and most together with all others."""
    rng = np.random.default_rng(12)
    n = 400
    boxes = around(rng.uniform(0.0, 20.0, (n, 2)), rng.uniform(0.2, 0.8, (n, 2)))
    broad_phase, truth = DynamicTree(), BruteForce()
    broad_phase.pairs(boxes)
    truth.update(boxes)
    for _ in range(6):
        moved = rng.choice(n, max(1, int(share * n)), replace=False)
        others = boxes[moved] + np.tile(rng.normal(0.0, 0.5, (len(moved), 2)), 2)
        broad_phase.move(moved, others)
        truth.move(moved, others)
        boxes[moved] = others
        answer = broad_phase.pairs()
        np.testing.assert_array_equal(answer, truth.pairs())
        answer[:] = -1  # the caller's own: what is kept is not touched
        np.testing.assert_array_equal(broad_phase.pairs(), truth.pairs())


@pytest.mark.parametrize("structure", (TopDownTree, BottomUpTree, InsertionTree, MortonTree), ids=lambda structure: structure.__name__)
def test_a_tree_is_rebuilt_when_refits_have_degraded_it(structure):
    rng = np.random.default_rng(13)
    boxes = around(rng.uniform(0.0, 20.0, (N, 2)), np.full((N, 2), 0.3))
    refitted, fresh = structure(), structure()
    refitted.update(boxes)
    built = refitted.tree
    refitted.update(boxes + 1e-3)
    assert refitted.tree is built  # only refitted
    refitted.update(rng.permutation(boxes))
    fresh.update(refitted.aabbs())
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
    assert quality(MortonTree().tree).cost == 0.0


def test_the_heuristic_makes_better_trees_than_the_order_alone():
    rng = np.random.default_rng(14)
    boxes = around(rng.uniform(0.0, 33.0, (600, 2)), rng.lognormal(-1.0, 1.0, (600, 1)))
    cost = {}
    for structure in TREES:
        broad_phase = structure()
        broad_phase.update(boxes)
        cost[structure] = quality(broad_phase.tree).cost
    assert max(cost[TopDownTree], cost[BottomUpTree]) < cost[MortonTree]
    assert max(cost.values()) < 1.25 * min(cost.values())


@EACH
def test_a_sketch_shows_every_proxy_once(structure):
    broad_phase = structure()
    broad_phase.insert(scene("random", 15))
    broad_phase.remove(broad_phase.proxies[::3])
    sketch = broad_phase.sketch()
    shown = sketch.proxies >= 0
    assert sorted(sketch.proxies[shown].tolist()) == broad_phase.proxies.tolist()
    order = np.argsort(sketch.proxies[shown])
    np.testing.assert_array_equal(sketch.boxes[shown][order], broad_phase.aabbs())
    assert (sketch.levels == 0).sum() == 1 and sketch.levels.min() == 0


@pytest.mark.parametrize("name", ["margin", "reach"])
def test_bad_margins_are_rejected(name):
    with pytest.raises(InvalidInputError, match=f"{name} must be >= 0"):
        DynamicTree(**{name: -1.0})
