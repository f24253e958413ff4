"""A tree of n boxes built one leaf at a time: insertion at least cost, and rotations on the way up.

**Memory.** Leaf i is node 2 i, and inner nodes have odd numbers: the lowest bit distinguishes them, and a box's leaf needs no table.
`links` contains the parent and the two children of each node (-1: none). `state` contains the root and the first unused inner node.

**Insertion.** The cost of a tree is the sum of the perimeters of its inner nodes (see `_top_down_kernel`). A new leaf L as sibling of node
S costs a new parent, ``perimeter(S + L)``, and the growth of every ancestor of S::

           P                P          cost = perimeter(S + L) + (growth of P) + (growth of P's ancestors)
          / \\              / \\
         S   .     ->     N   .        below S at least: (growth of S and of all above) + perimeter(L)
                         / \\           so if that is no less than the best so far, nothing below S is better
                        S   L

The descent continues with the child of smaller lower bound, and ends if neither can improve on the best found (Catto's greedy form of
branch and bound). If the bounds are equal, as among identical boxes, it selects the subtree of smaller height.

**Rotations.** On the way back up, each node A with children B and C can exchange B with a child of C, or C with a child of B, whichever
reduces the sum of perimeters most::

            A                  A               only C's box changes, from F + G to B + G:
          /   \\              /   \\             done if perimeter(B + G) < perimeter(C)
         B     C     ->     F     C
              / \\                / \\           leaves stay leaves, A's box is the same
             F   G              B   G

Rotations correct sorted insertions, for which the greedy descent alone builds a list.

**Height.** But nested boxes *are* cheapest as a list, and identical ones cost the same in any shape. So no subtree is higher than its
sibling by more than `MAX_TILT`, T: an AVL tree with slack. A leaf is only inserted next to a node of height at most T. Then an insertion or
a removal changes the height of a subtree by at most 1, and if that makes a tilt of T + 1 the taller grandchild rises, regardless of the
cost: with the lower side at h, the higher one at h + T + 1 and its children at G = h + T and h <= F <= h + T, the exchange leaves G beside
a node of height F + 1 with children F and h, tilts of at most T, and a total change of the height by at most 1. Rotations for the cost
alone are made only if they satisfy both conditions. The fewest leaves of a tree of height H are then ``N(H) = N(H - 1) + N(H - 1 - T)``,
which grows by 1.213 a level for T = 8: the height is at most 3.6 log2 n, 56 for 100,000 boxes; 21 on random ones.

Sources: E. Catto, Dynamic bounding volume hierarchies, GDC 2019, and Box2D 2.4's b2DynamicTree; A. Kensler, Tree rotations for improving
bounding volume hierarchies, RT 2008; D. Kopta et al., Fast, effective BVH updates for animated scenes, I3D 2012; J. Bittner et al., Fast
insertion-based optimization of BVHs, CGF 32(1), 2013; J. Goldsmith and J. Salmon, 1987 (insertion).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.broadphase._boxes_kernel import half_perimeter, joint_half_perimeter
from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, kernel

__all__ = [
    "LEFT",
    "NONE",
    "PARENT",
    "RIGHT",
    "ROOT",
    "BoxRefitted",
    "LeafAdded",
    "LeafPlaced",
    "NodesRotated",
    "SiblingSought",
    "inserted",
    "insertion_order",
]

NONE = -1
PARENT, LEFT, RIGHT = 0, 1, 2
ROOT, UNUSED = 0, 1


class LeafAdded(NamedTuple):
    """A leaf, its box (4,), the root (-1: none), and the cost beside the root; half perimeters, m, in all these events."""

    leaf: int
    box: FloatArray
    root: int
    cost: float


class SiblingSought(NamedTuple):
    """A node with its children, the costs beside them, and the least below them; the best node so far (-1: none) and its cost; the child to
    which the search descends, -1 if it ends here.
    """

    node: int
    left: int
    right: int
    beside_left: float
    beside_right: float
    below_left: float
    below_right: float
    best: int
    cost: float
    to: int


class LeafPlaced(NamedTuple):
    """A leaf, its sibling, the new parent of both, and the node above that (-1: it is the root)."""

    leaf: int
    sibling: int
    parent: int
    above: int


class BoxRefitted(NamedTuple):
    """A node and its new box (4,)."""

    node: int
    box: FloatArray


class NodesRotated(NamedTuple):
    """A node, its child, the grandchild that rises, and the uncle that takes its place; the decrease of the child's half perimeter (NaN:
    the heights require it), and the child's new box (4,).
    """

    node: int
    child: int
    riser: int
    uncle: int
    gain: float
    box: FloatArray


MAX_TILT = 8
"""Maximum difference of height between a subtree and its sibling. Measured on 10,000 random boxes: with 4, trees cost 1 to 2 % more, with
2, 10 to 20 % more; with 16, or without a limit, no less.
"""


@inlined_kernel
def _enclose(node: int, boxes: FloatArray, links: IntArray, heights: IntArray) -> None:
    """Fit a node's box around those of its children, and set its height."""
    left, right = links[node, LEFT], links[node, RIGHT]
    boxes[node, 0], boxes[node, 1] = min(boxes[left, 0], boxes[right, 0]), min(boxes[left, 1], boxes[right, 1])
    boxes[node, 2], boxes[node, 3] = max(boxes[left, 2], boxes[right, 2]), max(boxes[left, 3], boxes[right, 3])
    heights[node] = 1 + max(heights[left], heights[right])


@kernel
def _sibling(leaf: int, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray) -> int:
    """Return the sibling with the least cost for a new leaf among the visited nodes."""
    own = half_perimeter(boxes, leaf)
    node = int(state[ROOT])
    direct, inherited = joint_half_perimeter(boxes, node, leaf), 0.0
    best, best_cost = (node, direct) if heights[node] <= MAX_TILT else (NONE, np.inf)
    record(LeafAdded(leaf, boxes[leaf], node, direct))
    while node & 1:
        inherited += direct - half_perimeter(boxes, node)
        left, right = links[node, LEFT], links[node, RIGHT]
        of_left, of_right = joint_half_perimeter(boxes, left, leaf), joint_half_perimeter(boxes, right, leaf)
        if of_left + inherited < best_cost and heights[left] <= MAX_TILT:
            best, best_cost = left, of_left + inherited
        if of_right + inherited < best_cost and heights[right] <= MAX_TILT:
            best, best_cost = right, of_right + inherited
        # a lower bound of the cost below; a leaf has nothing below
        under_left = of_left - half_perimeter(boxes, left) + own + inherited if left & 1 else np.inf
        under_right = of_right - half_perimeter(boxes, right) + own + inherited if right & 1 else np.inf
        is_best = best != NONE and under_left >= best_cost and under_right >= best_cost
        goes_left = under_left < under_right or (under_left == under_right and heights[left] < heights[right])
        beside_left, beside_right, to = of_left + inherited, of_right + inherited, NONE if is_best else left if goes_left else right
        record(SiblingSought(node, left, right, beside_left, beside_right, under_left, under_right, best, best_cost, to))
        if is_best:
            break
        node, direct = (left, of_left) if goes_left else (right, of_right)
    return best if best != NONE else node


@inlined_kernel
def _exchange(node: int, grandchild: int, uncle: int, boxes: FloatArray, links: IntArray, heights: IntArray) -> None:
    """Exchange a grandchild of `node` with the sibling of its parent, `uncle`."""
    child = links[grandchild, PARENT]
    links[node, LEFT if links[node, LEFT] == uncle else RIGHT] = grandchild
    links[child, LEFT if links[child, LEFT] == grandchild else RIGHT] = uncle
    links[grandchild, PARENT], links[uncle, PARENT] = node, child
    _enclose(child, boxes, links, heights)


@inlined_kernel
def _may_rise(riser: int, stays: int, uncle: int, before: int, heights: IntArray) -> bool:
    """Return whether exchanging `riser` with `uncle` leaves both nodes within the tilt, and the upper one's height within 1 of `before`."""
    beside = 1 + max(heights[stays], heights[uncle])
    height = 1 + max(heights[riser], beside)
    is_even = abs(heights[stays] - heights[uncle]) <= MAX_TILT and abs(heights[riser] - beside) <= MAX_TILT
    return bool(is_even and abs(height - before) <= 1)


@kernel
def _rotate(node: int, before: int, boxes: FloatArray, links: IntArray, heights: IntArray) -> None:
    """Exchange a child and a grandchild of `node`, whose height was `before`, if one side is too high or if it reduces the cost."""
    left, right = links[node, LEFT], links[node, RIGHT]
    tilt = heights[right] - heights[left]
    if abs(tilt) > MAX_TILT:
        higher, lower = (right, left) if tilt > 0 else (left, right)
        first, second = links[higher, LEFT], links[higher, RIGHT]
        rises = first if heights[first] > heights[second] else second
        _exchange(node, rises, lower, boxes, links, heights)
        record(NodesRotated(node, higher, rises, lower, np.nan, boxes[higher]))
    else:
        most, chosen, uncle = 0.0, NONE, NONE
        for side in range(4):
            child, other = (left, right) if side < 2 else (right, left)
            if child & 1:
                riser, stays = links[child, LEFT if side & 1 else RIGHT], links[child, RIGHT if side & 1 else LEFT]
                # `other` replaces the rising node, beside the remaining one
                gain = half_perimeter(boxes, child) - joint_half_perimeter(boxes, stays, other)
                if gain > most and _may_rise(riser, stays, other, before, heights):
                    most, chosen, uncle = gain, riser, other
        if chosen != NONE:
            _exchange(node, chosen, uncle, boxes, links, heights)
            child = links[uncle, PARENT]
            record(NodesRotated(node, child, chosen, uncle, most, boxes[child]))
    heights[node] = 1 + max(heights[links[node, LEFT]], heights[links[node, RIGHT]])


@inlined_kernel
def _refit(start: int, boxes: FloatArray, links: IntArray, heights: IntArray) -> None:
    """Refit the boxes from `start` up to the root, and rotate."""
    node = start
    while node != NONE:
        before = heights[node]
        _enclose(node, boxes, links, heights)
        record(BoxRefitted(node, boxes[node]))
        _rotate(node, before, boxes, links, heights)
        node = links[node, PARENT]


@kernel
def _insert(leaf: int, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray) -> None:
    """Insert a leaf with its current box."""
    links[leaf, PARENT], links[leaf, LEFT], links[leaf, RIGHT], heights[leaf] = NONE, NONE, NONE, 0
    if state[ROOT] == NONE:
        state[ROOT] = leaf
        record(LeafAdded(leaf, boxes[leaf], NONE, 0.0))
        return
    sibling = _sibling(leaf, boxes, links, heights, state)
    parent = state[UNUSED]
    state[UNUSED] += 2
    above = links[sibling, PARENT]
    links[parent, PARENT], links[parent, LEFT], links[parent, RIGHT] = above, sibling, leaf
    links[sibling, PARENT], links[leaf, PARENT] = parent, parent
    heights[parent] = heights[sibling]  # the previous node
    if above == NONE:
        state[ROOT] = parent
    else:
        links[above, LEFT if links[above, LEFT] == sibling else RIGHT] = parent
    record(LeafPlaced(leaf, sibling, parent, above))
    _refit(parent, boxes, links, heights)


@kernel
def inserted(boxes: FloatArray) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Insert `boxes` (n, 4) one after the other; return the nodes' boxes (2 n, 4), links (2 n, 3), heights (2 n,) and the state."""
    n = boxes.shape[0]
    nodes, links, heights = np.empty((2 * n, 4)), np.empty((2 * n, 3), dtype=np.int64), np.empty(2 * n, dtype=np.int64)
    state = np.array((NONE, 1))
    for i in range(n):
        for field in range(4):
            nodes[2 * i, field] = boxes[i, field]
        _insert(2 * i, nodes, links, heights, state)
    return nodes, links, heights, state


@kernel
def insertion_order(boxes: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the tree of `boxes` (n, 4), n > 0, as arguments of `closed_tree`: the counts in preorder, the items in the leaves' order."""
    _, links, heights, state = inserted(boxes)
    n = boxes.shape[0]
    counts, items = np.empty(2 * n - 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    # right siblings, one for each level, and the last left child
    waiting = np.empty(heights[state[ROOT]] + 2, dtype=np.int64)
    waiting[0] = state[ROOT]
    n_waiting, n_items = 1, 0
    for at in range(counts.shape[0]):
        n_waiting -= 1
        node = waiting[n_waiting]
        if node & 1:
            counts[at] = 0
            waiting[n_waiting], waiting[n_waiting + 1] = links[node, RIGHT], links[node, LEFT]
            n_waiting += 2
        else:
            counts[at], items[n_items] = 1, node >> 1
            n_items += 1
    return counts, items
