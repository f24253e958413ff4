"""The steps of inserting leaves into a tree: `engine.broadphase._dynamic_tree_kernel`."""

from __future__ import annotations

import math

from engine.broadphase._dynamic_tree_kernel import INSERT_BESIDE, INSERT_LEAF, INSERT_LOOK, INSERT_REFIT, INSERT_ROTATE, MAX_TILT
from engine.contracts.trace import Mark, Question, Role
from engine.trace._tree import TREE, Box, Forest, TreeSteps, half_perimeter, listed
from engine.trace.cases import box_corners
from engine.trace.words import meters

__all__ = ["INSERTED", "inserted"]

INSERTED = (
    "  start at the root; best = the root",
    "  repeat: cost next to a child = half perimeter of both + growth above",
    "    if no node below can cost less than best: stop",
    "    descend to the child below which it may cost least",
    "  a new node replaces best, with best and the leaf as its children",
    "  on the way up: refit each box to its two children",
    "    swap a child and a grandchild if a box shrinks",
)
"""Pseudo-code for each leaf, from line 1 on."""

_MAX_PLACES = 15
"""Maximum number of nodes for a question that asks for one."""


def inserted(steps: TreeSteps, rows: list[list[float]]) -> None:
    """Decode the rows of insertions, and leave the tree as it is after them."""
    forest = steps.forest
    leaf, box, at_root = -1, (0.0, 0.0, 0.0, 0.0), 0.0
    looks: list[list[float]] = []
    for k, (kind, *numbers) in enumerate(rows):
        if kind == INSERT_LEAF:
            leaf, box, at_root, looks = int(numbers[0]), _box(numbers[1:5]), numbers[6], []
            if numbers[5] < 0.0:
                forest.put_leaf(leaf, leaf // 2, box)
                forest.set_roots([leaf])
                steps.add("root", 1, f"Box {leaf // 2} is the first, so it is the tree's root and a leaf.", {leaf: "new"})
        elif kind == INSERT_LOOK:
            _look(steps, leaf, box, at_root if not looks else None, numbers, _sibling(rows, k) if not looks else None)
            looks.append(numbers)
        elif kind == INSERT_BESIDE:
            cost = (looks[-1][8] if looks and looks[-1][7] >= 0.0 else at_root) if looks or forest.roots else 0.0
            question = None if looks else _which(forest, leaf, int(numbers[1]))
            _beside(steps, numbers, box, _box(rows[k + 1][2:6]), cost, question)
            _grown(steps, rows, k + 2)
        elif kind == INSERT_ROTATE:
            _rotated(steps, numbers)
            _grown(steps, rows, k + 1)


def _box(numbers: list[float]) -> Box:
    x0, y0, x1, y1 = numbers
    return x0, y0, x1, y1


def _sibling(rows: list[list[float]], k: int) -> int:
    """Return the node at the end of the descent that row k belongs to."""
    return int(next(row for row in rows[k:] if row[0] == INSERT_BESIDE)[2])


def _new_leaf(box: Box) -> tuple[Mark, ...]:
    return (Mark("polygon", "new", box_corners(box)),)


def _which(forest: Forest, leaf: int, sibling: int) -> Question | None:
    nodes = forest.preorder()
    if not 2 <= len(nodes) <= _MAX_PLACES:
        return None
    names = tuple(forest.said(node) for node in nodes)
    places = tuple(forest.place(node) for node in nodes)
    return Question(f"Which node will become the sibling of box {leaf // 2}?", names, nodes.index(sibling), places, TREE.name)


def _look(steps: TreeSteps, leaf: int, box: Box, at_root: float | None, numbers: list[float], sibling: int | None) -> None:
    forest = steps.forest
    node, left, right, best = (int(numbers[k]) for k in (0, 1, 2, 7))
    of_left, of_right, under_left, under_right, cost, way = *numbers[3:7], numbers[8], numbers[9]
    steps.cost["choices tried"] += 2 if at_root is None else 3
    name = forest.said
    come = "" if at_root is None else f"Box {leaf // 2} is inserted. As the sibling of the root, {name(node)}, it costs {meters(at_root)}. "
    words = f"{come}Under {name(node)}, the cost is {meters(of_left)} next to {name(left)} and {meters(of_right)} next to {name(right)}"
    values = {f"beside {forest.names[left]}": of_left, f"beside {forest.names[right]}": of_right}
    if best >= 0:
        words += f"; the best place so far is next to {name(best)}, at {meters(cost)}"
        values["best"] = cost
    tall = [child for child, at in ((left, of_left), (right, of_right)) if child != best and (best < 0 or at < cost)]
    if tall:
        words += f"; {listed(map(name, tall))} {'is' if len(tall) == 1 else 'are'} over {MAX_TILT} levels high, so no leaf goes there"
    least = [(child, under) for child, under in ((left, under_left), (right, under_right)) if under < math.inf]
    values.update({f"below {forest.names[child]}": under for child, under in least})
    bounds = listed(f"{meters(under)} below {name(child)}" for child, under in least)
    roles: dict[int, Role] = {left: "looked_at", right: "looked_at"}
    if way == 0.0:
        words += (
            f". Farther down, the cost is at least {bounds}, so the search stops." if least else ". There are no nodes below, so it stops."
        )
    else:
        to = left if way == 1.0 else right
        words += f". Farther down, the cost is at least {bounds}, so the search continues at {name(to)}."
        roles[to] = "bound"
    if best >= 0:
        roles[best] = "best"
    question = None if sibling is None else _which(forest, leaf, sibling)
    steps.add(
        "look", 3 if way == 0.0 else 4, words, {node: "bound", **roles}, _new_leaf(box), values, cost if best >= 0 else None, question
    )


def _beside(steps: TreeSteps, numbers: list[float], box: Box, round_both: Box, cost: float, question: Question | None) -> None:
    forest = steps.forest
    leaf, sibling, parent, above = (int(number) for number in numbers[:4])
    if question is not None:
        steps.cost["choices tried"] += 1
    own = half_perimeter(round_both)
    forest.put_leaf(leaf, leaf // 2, box)
    forest.put_inner(parent, round_both, (sibling, leaf))
    if above < 0:
        forest.set_roots([parent])
        price = f"Its half perimeter is {meters(own)}. It is the root now."
    else:
        forest.replace(above, sibling, parent)
        growth = cost - own
        price = f"Its half perimeter is {meters(own)}, and " + (
            f"the boxes above grow by {meters(growth)}." if growth > 0.0 else "no box above grows."
        )
    steps.add(
        "beside", 5, f"Box {leaf // 2} and {forest.said(sibling)} become the children of a new node, {forest.said(parent)}. {price}",
        {parent: "new", sibling: "best", leaf: "new"}, values={"cost": cost, "round both": own}, bound=cost, question=question,
    )  # fmt: skip


def _grown(steps: TreeSteps, rows: list[list[float]], start: int) -> None:
    """Add one step for all boxes that grow from a row on, up to a rotation or the end."""
    forest, grown = steps.forest, list[int]()
    for row in rows[start:]:
        if row[0] != INSERT_REFIT:
            break
        node, box = int(row[1]), _box(row[2:6])
        if forest.boxes[node] != box:
            grown.append(node)
            forest.put_inner(node, box)
    if grown:
        words = (
            f"{listed(map(forest.said, grown))} get{'s' if len(grown) == 1 else ''} "
            f"a box refitted to {'its' if len(grown) == 1 else 'their'} children"
        )
        steps.add("refit", 6, f"On the way up, {words}.", dict.fromkeys(grown, "new"))


def _rotated(steps: TreeSteps, numbers: list[float]) -> None:
    forest = steps.forest
    node, child, riser, uncle = (int(number) for number in numbers[:4])
    gain, box = numbers[4], _box(numbers[5:9])
    steps.cost["rotations"] += 1
    forest.replace(node, uncle, riser)
    forest.replace(child, riser, uncle)
    forest.put_inner(child, box)
    name = forest.said
    swap = f"Rotation at {name(node)}: {name(riser)} rises and {name(uncle)} takes its place in {name(child)}"
    if math.isnan(gain):
        words, values = f"{swap}, because one side was more than {MAX_TILT} levels higher than the other.", {}
    else:
        words, values = (
            f"{swap}, whose box shrinks by {meters(gain)}; no other box changes. Fewer queries hit smaller boxes.",
            {"gain": gain},
        )
    steps.add("rotation", 7, words, {child: "new", riser: "best", uncle: "looked_at"}, values=values)
