"""A tree of boxes that changes one leaf at a time: insertion at least cost, rotations on the way up, and fat boxes.

**Memory.** Leaf i is node 2 i, and inner nodes have odd numbers: the lowest bit distinguishes them, and a box's leaf needs no table.
`links` contains the parent and the two children of each node (-1: none); unused inner nodes form a list through their parents. `state`
contains the root, the first free inner node, and the first that was never used.

**Fat boxes.** A leaf's box is the tight one enlarged by a `margin` m on all sides, and in the direction of motion by `reach` times the
expected displacement d (Box2D 2.3: 0.1 m, twice). While the tight box stays inside, a move requires only that check. Cost: a box of side s
overlaps fat ones whose corner is within an area of ``(2 s + 2 m)^2`` instead of ``(2 s)^2``, so a query tests ``(1 + m / s)^2`` times as
many leaves. Benefit: a body that moves as expected is reinserted after ``m / d + 2`` frames, not after each. Queries descend by fat boxes,
but test a leaf by its tight box, so the results are those of brute force. If a resting leaf still has a box enlarged for motion, larger
than a new one by more than `BOX2D_HUGE_MARGIN` margins, it receives a new one (Box2D 2.4).

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

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._boxes_kernel import half_perimeter, is_met, joint_half_perimeter, query_at
from engine.broadphase._sorting_kernel import FIRST_ROOM, more_room, sorted_rows
from engine.common._record_kernel import record
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.common.tolerances import BOX2D_HUGE_MARGIN

__all__ = [
    "ASK_LEAF",
    "ASK_NODE",
    "FREE",
    "INSERT_BESIDE",
    "INSERT_LEAF",
    "INSERT_LOOK",
    "INSERT_REFIT",
    "INSERT_ROTATE",
    "LEFT",
    "NONE",
    "PARENT",
    "RIGHT",
    "ROOT",
    "UNUSED",
    "MarkArray",
    "insert_leaves",
    "met_leaves",
    "move_leaves",
    "once_each",
    "remove_leaves",
    "unlinked",
]

MarkArray = NDArray[np.uint8]

NONE = -1
PARENT, LEFT, RIGHT = 0, 1, 2
ROOT, FREE, UNUSED = 0, 1, 2

INSERT_LEAF, INSERT_LOOK, INSERT_BESIDE, INSERT_REFIT, INSERT_ROTATE = 11.0, 12.0, 13.0, 14.0, 15.0
ASK_NODE, ASK_LEAF = 16.0, 17.0
"""Steps recorded in the trace (`engine.common._record_kernel`); world, half perimeters, nodes as numbers::

    INSERT_LEAF    leaf, its box, the root (-1: none), the cost beside the root
    INSERT_LOOK    node, left, right, cost beside left, beside right, the least below left, below right, the best node so far (-1: none),
                   its cost, 0 if the descent ends here, 1 if it continues left, 2 right
    INSERT_BESIDE  leaf, sibling, the new parent of both, the one above it (-1: it is the root) INSERT_REFIT   node, its new box, its height
    INSERT_ROTATE  node, its child, the grandchild that rises, the uncle that takes its place, the decrease of the child's half perimeter
    (NaN: the
                   heights require it), the child's new box
    ASK_NODE       node, 1 if the query meets its box
    ASK_LEAF       proxy, 1 if the query meets its tight box
"""

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
def _sibling(leaf: int, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray, trace: FloatArray | None) -> int:
    """Return the sibling with the least cost for a new leaf among the visited nodes."""
    own = half_perimeter(boxes, leaf)
    node = int(state[ROOT])
    direct, inherited = joint_half_perimeter(boxes, node, leaf), 0.0
    best, best_cost = (node, direct) if heights[node] <= MAX_TILT else (NONE, np.inf)
    record(trace, INSERT_LEAF, (float(leaf), boxes[leaf, 0], boxes[leaf, 1], boxes[leaf, 2], boxes[leaf, 3], float(node), direct))
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
        record(
            trace, INSERT_LOOK,
            (float(node), float(left), float(right), of_left + inherited, of_right + inherited, under_left, under_right, float(best),
             best_cost, 0.0 if is_best else 1.0 if goes_left else 2.0),
        )  # fmt: skip
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


@inlined_kernel
def _tell_rotation(trace: FloatArray | None, node: int, child: int, riser: int, uncle: int, gain: float, boxes: FloatArray) -> None:
    if trace is not None:
        box = (boxes[child, 0], boxes[child, 1], boxes[child, 2], boxes[child, 3])
        record(trace, INSERT_ROTATE, (float(node), float(child), float(riser), float(uncle), gain, *box))


@kernel
def _rotate(node: int, before: int, boxes: FloatArray, links: IntArray, heights: IntArray, trace: FloatArray | None) -> None:
    """Exchange a child and a grandchild of `node`, whose height was `before`, if one side is too high or if it reduces the cost."""
    left, right = links[node, LEFT], links[node, RIGHT]
    tilt = heights[right] - heights[left]
    if abs(tilt) > MAX_TILT:
        higher, lower = (right, left) if tilt > 0 else (left, right)
        first, second = links[higher, LEFT], links[higher, RIGHT]
        rises = first if heights[first] > heights[second] else second
        _exchange(node, rises, lower, boxes, links, heights)
        _tell_rotation(trace, node, higher, rises, lower, np.nan, boxes)
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
            _tell_rotation(trace, node, links[uncle, PARENT], chosen, uncle, most, boxes)
    heights[node] = 1 + max(heights[links[node, LEFT]], heights[links[node, RIGHT]])


@inlined_kernel
def _refit(start: int, boxes: FloatArray, links: IntArray, heights: IntArray, trace: FloatArray | None) -> None:
    """Refit the boxes from `start` up to the root, and rotate."""
    node = start
    while node != NONE:
        before = heights[node]
        _enclose(node, boxes, links, heights)
        record(trace, INSERT_REFIT, (float(node), boxes[node, 0], boxes[node, 1], boxes[node, 2], boxes[node, 3], float(heights[node])))
        _rotate(node, before, boxes, links, heights, trace)
        node = links[node, PARENT]


@kernel
def _insert(leaf: int, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray, trace: FloatArray | None) -> None:
    """Insert a leaf with its current box."""
    links[leaf, PARENT], links[leaf, LEFT], links[leaf, RIGHT], heights[leaf] = NONE, NONE, NONE, 0
    if state[ROOT] == NONE:
        state[ROOT] = leaf
        record(trace, INSERT_LEAF, (float(leaf), boxes[leaf, 0], boxes[leaf, 1], boxes[leaf, 2], boxes[leaf, 3], -1.0, 0.0))
        return
    sibling = _sibling(leaf, boxes, links, heights, state, trace)
    parent = state[FREE]
    if parent == NONE:
        parent = state[UNUSED]
        state[UNUSED] += 2
    else:
        state[FREE] = links[parent, PARENT]
    above = links[sibling, PARENT]
    links[parent, PARENT], links[parent, LEFT], links[parent, RIGHT] = above, sibling, leaf
    links[sibling, PARENT], links[leaf, PARENT] = parent, parent
    heights[parent] = heights[sibling]  # the previous node
    if above == NONE:
        state[ROOT] = parent
    else:
        links[above, LEFT if links[above, LEFT] == sibling else RIGHT] = parent
    record(trace, INSERT_BESIDE, (float(leaf), float(sibling), float(parent), float(above)))
    _refit(parent, boxes, links, heights, trace)


@kernel
def _remove(leaf: int, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray) -> None:
    """Remove a leaf and its parent, which is replaced by the sibling."""
    parent = links[leaf, PARENT]
    if parent == NONE:
        state[ROOT] = NONE
        return
    sibling = links[parent, RIGHT] if links[parent, LEFT] == leaf else links[parent, LEFT]
    above = links[parent, PARENT]
    links[sibling, PARENT] = above
    links[parent, PARENT], links[parent, LEFT], links[parent, RIGHT] = state[FREE], NONE, NONE
    state[FREE] = parent
    if above == NONE:
        state[ROOT] = sibling
    else:
        links[above, LEFT if links[above, LEFT] == parent else RIGHT] = sibling
        _refit(above, boxes, links, heights, None)


@inlined_kernel
def _fatten(i: int, tight: FloatArray, margin: float, dx: float, dy: float, boxes: FloatArray, to: int) -> None:
    """Set box `to`: the tight box `i`, enlarged by a margin and for a displacement, which is ignored if it is NaN."""
    x0, y0, x1, y1 = tight[i, 0] - margin, tight[i, 1] - margin, tight[i, 2] + margin, tight[i, 3] + margin
    boxes[to, 0], boxes[to, 2] = x0 + dx if dx < 0.0 else x0, x1 + dx if dx > 0.0 else x1
    boxes[to, 1], boxes[to, 3] = y0 + dy if dy < 0.0 else y0, y1 + dy if dy > 0.0 else y1


@inlined_kernel
def _contains(outer: FloatArray, i: int, inner: FloatArray, j: int, extra: float) -> bool:
    """Return whether box `i`, enlarged by `extra` on all sides, contains box `j`."""
    from_below = (outer[i, 0] - extra <= inner[j, 0]) & (outer[i, 1] - extra <= inner[j, 1])
    return bool(from_below & (inner[j, 2] <= outer[i, 2] + extra) & (inner[j, 3] <= outer[i, 3] + extra))


@kernel
def insert_leaves(
    proxies: IntArray, tight: FloatArray, margin: float, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray,
    trace: FloatArray | None,
) -> None:  # fmt: skip
    """Insert the leaves of `proxies`, one after the other; `tight` (n, 4) contains the boxes of all proxies."""
    for k in range(proxies.shape[0]):
        leaf = 2 * proxies[k]
        _fatten(proxies[k], tight, margin, 0.0, 0.0, boxes, leaf)
        _insert(leaf, boxes, links, heights, state, trace)


@kernel
def remove_leaves(proxies: IntArray, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray) -> None:
    """Remove the leaves of `proxies`."""
    for k in range(proxies.shape[0]):
        _remove(2 * proxies[k], boxes, links, heights, state)


@kernel
def move_leaves(
    proxies: IntArray, tight: FloatArray, before: FloatArray, displacements: FloatArray, margin: float, reach: float,
    boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray, is_moved: MarkArray,
) -> int:  # fmt: skip
    """Update boxes that moved from `before` (m, 4), mark them in `is_moved`, and return the number of reinserted leaves.

    `displacements` (m, 2) contains the predicted displacements; without rows, the last displacement is repeated.
    """
    fat = np.empty((1, 4))
    n_reinserted = 0
    for k in range(proxies.shape[0]):
        i = proxies[k]
        is_same = (tight[i, 0] == before[k, 0]) & (tight[i, 1] == before[k, 1])
        if not (is_same & (tight[i, 2] == before[k, 2]) & (tight[i, 3] == before[k, 3])):
            is_moved[i] = 1
        if displacements.shape[0] > 0:
            dx, dy = displacements[k, 0], displacements[k, 1]
        else:
            dx = 0.5 * (tight[i, 0] - before[k, 0]) + 0.5 * (tight[i, 2] - before[k, 2])
            dy = 0.5 * (tight[i, 1] - before[k, 1]) + 0.5 * (tight[i, 3] - before[k, 3])
        leaf = 2 * i
        _fatten(i, tight, margin, reach * dx, reach * dy, fat, 0)
        if not (_contains(boxes, leaf, tight, i, 0.0) and _contains(fat, 0, boxes, leaf, BOX2D_HUGE_MARGIN * margin)):
            _remove(leaf, boxes, links, heights, state)
            for field in range(4):
                boxes[leaf, field] = fat[0, field]
            _insert(leaf, boxes, links, heights, state, None)
            n_reinserted += 1
    return n_reinserted


@allocating_kernel
def _stack(heights: IntArray, state: IntArray) -> IntArray:
    """Return a stack for the descent: right siblings, one for each level, and the last left child."""
    return np.empty((heights[state[ROOT]] if state[ROOT] >= 0 else 0) + 2, dtype=np.int64)


@kernel
def met_leaves(
    queries: FloatArray, tight: FloatArray, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray, n: int,
    trace: FloatArray | None,
) -> IntArray:  # fmt: skip
    """Return the rows of query, as in `query_at`, and overlapping proxy, in order; numbers of both are below `n`."""
    rows: IntArray = np.empty((FIRST_ROOM * (queries.shape[0] + 1), 2), dtype=np.int64)
    waiting = _stack(heights, state)
    n_rows = 0
    for row in range(queries.shape[0] if state[ROOT] >= 0 else 0):
        query = query_at(queries, row)
        waiting[0], n_waiting = state[ROOT], 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            is_reached = is_met(queries, query, boxes, node)
            record(trace, ASK_NODE, (float(node), 1.0 if is_reached else 0.0))
            if not is_reached:
                continue
            if node & 1:
                waiting[n_waiting], waiting[n_waiting + 1] = links[node, RIGHT], links[node, LEFT]
                n_waiting += 2
                continue
            is_hit = is_met(queries, query, tight, node >> 1)
            record(trace, ASK_LEAF, (float(node >> 1), 1.0 if is_hit else 0.0))
            if is_hit:
                rows = more_room(rows, n_rows, 1)
                rows[n_rows, 0], rows[n_rows, 1] = row, node >> 1
                n_rows += 1
    return sorted_rows(rows, n_rows, n)


@kernel
def once_each(rows: IntArray, is_moved: MarkArray) -> int:
    """Reduce rows of pairs (moved proxy, any proxy) to the first rows, each pair once with the smaller number first; return their number.

    Pairs of two moved proxies were found twice; the one found from the smaller number is kept.
    """
    end = 0
    for k in range(rows.shape[0]):
        i, j = rows[k, 0], rows[k, 1]
        if i < j or (is_moved[j] == 0 and i != j):
            rows[end, 0], rows[end, 1] = min(i, j), max(i, j)
            end += 1
    return end


@kernel
def unlinked(n: int, links: IntArray, heights: IntArray, state: IntArray) -> tuple[IntArray, IntArray]:
    """Return the tree of `n` leaves as arguments of `_tree_kernel.closed_tree`: counts in preorder, and items in the leaves' order."""
    counts, items = np.empty(max(2 * n - 1, 0), dtype=np.int64), np.empty(n, dtype=np.int64)
    waiting = _stack(heights, state)
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
