"""Trees built by inserting leaves, step by step: `engine.broadphase._insertion_kernel`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from engine.broadphase import InsertionTree
from engine.broadphase._insertion_kernel import (
    MAX_TILT,
    BoxRefitted,
    LeafAdded,
    LeafPlaced,
    NodesRotated,
    SiblingSought,
)
from engine.contracts.trace import Mark, Question, Role
from engine.trace._boxes import Box, half_perimeter, listed
from engine.trace._tree import ASKED, TREE, TreeAlgorithm, TreeDecoder
from engine.trace.cases import box_corners
from engine.trace.protocol import Algorithm
from engine.trace.words import meters

__all__ = ["ALGORITHMS"]

INSERTED = (
    "  start at the root; best = the root",
    "  repeat: cost next to a child = half perimeter of both + growth above",
    "    if no node below can cost less than best: stop",
    "    descend to the child whose subtree has the lowest possible cost",
    "  a new node replaces best, with best and the leaf as its children",
    "  on the way up: refit each box to its two children",
    "    swap a child and a grandchild if a box shrinks",
)
"""Pseudocode for each leaf, from line 1 on."""


_MAX_PLACES = 15
"""Maximum number of nodes for a question that asks for one."""


def _box_of(numbers: Iterable[float]) -> Box:
    x0, y0, x1, y1 = numbers
    return x0, y0, x1, y1


class _Decoder(TreeDecoder):
    layout_line = len(INSERTED) + 1

    def leaf_added(self, e: LeafAdded) -> None:
        self.new, self.box, self.n_looks, self.best_cost = e, _box_of(e.box), 0, e.cost
        if e.root < 0:
            self.forest.put_leaf(e.leaf, e.leaf // 2, self.box)
            self.forest.set_roots([e.leaf])
            self.show("root", 1, f"Box {e.leaf // 2} is the first, so it is the tree's root and a leaf.", {e.leaf: "new"})

    def _which(self, sibling: int) -> Question | None:
        nodes, item = self.forest.preorder(), self.new.leaf // 2
        if self.n_looks or not 2 <= len(nodes) <= _MAX_PLACES:
            return None
        names, places = tuple(map(self.forest.said, nodes)), tuple(map(self.forest.place, nodes))
        return Question(f"Which node will become the sibling of box {item}?", names, nodes.index(sibling), places, TREE.name)

    def sibling_sought(self, e: SiblingSought) -> None:
        forest, best, cost, name = self.forest, e.best, e.cost, self.forest.said
        self.counts["choices tried"] += 2 if self.n_looks else 3
        both = f"{meters(e.beside_left)} next to {name(e.left)} and {meters(e.beside_right)} next to {name(e.right)}"
        words = f"Under {name(e.node)}, the cost is {both}"
        if not self.n_looks:
            price = f"As the sibling of the root, {name(e.node)}, it costs {meters(self.new.cost)}."
            words = f"Box {self.new.leaf // 2} is inserted. {price} {words}"
        values = {f"beside {forest.names[e.left]}": e.beside_left, f"beside {forest.names[e.right]}": e.beside_right}
        if best >= 0:
            words += f"; the best place so far is next to {name(best)}, at {meters(cost)}"
            values["best"] = cost
        sides = (e.left, e.beside_left, e.below_left), (e.right, e.beside_right, e.below_right)
        tall = [child for child, at, _ in sides if child != best and (best < 0 or at < cost)]
        if tall:
            words += (
                f"; {listed(map(name, tall))} {'is' if len(tall) == 1 else 'are'} over {MAX_TILT} levels high, so no leaf is inserted there"
            )
        least = [(child, under) for child, _, under in sides if under < math.inf]
        values.update({f"below {forest.names[child]}": under for child, under in least})
        bounds = listed(f"{meters(under)} below {name(child)}" for child, under in least)
        roles: dict[int, Role] = {e.node: "bound", e.left: "looked_at", e.right: "looked_at"}
        if e.to >= 0:
            words += f". Farther down, the cost is at least {bounds}, so the search continues at {name(e.to)}."
            roles[e.to] = "bound"
        elif least:
            words += f". Farther down, the cost is at least {bounds}, so the search stops."
        else:
            words += ". There are no nodes below, so it stops."
        if best >= 0:
            roles[best] = "best"
            self.best_cost = cost
        elif self.n_looks:
            self.best_cost = self.new.cost
        sibling = next(event.sibling for event in self.ahead if isinstance(event, LeafPlaced))
        self.show(
            "look", 3 if e.to < 0 else 4, words, roles, (Mark("polygon", "new", box_corners(self.box)),), values=values,
            bound=cost if best >= 0 else None, question=self._which(sibling),
        )  # fmt: skip
        self.n_looks += 1

    def leaf_placed(self, e: LeafPlaced) -> None:
        forest, cost = self.forest, self.best_cost
        question = self._which(e.sibling)
        self.counts["choices tried"] += question is not None
        box = _box_of(next(self.ahead).box)
        own = half_perimeter(box)
        forest.put_leaf(e.leaf, e.leaf // 2, self.box)
        forest.put_inner(e.parent, box, (e.sibling, e.leaf))
        if e.above < 0:
            forest.set_roots([e.parent])
            price = ". It is the root now."
        else:
            forest.replace(e.above, e.sibling, e.parent)
            growth = cost - own
            price = f", and the boxes above grow by {meters(growth)}." if growth > 0.0 else ", and no box above grows."
        self.show(
            "beside", 5, f"Box {e.leaf // 2} and {forest.said(e.sibling)} become the children of a new node, {forest.said(e.parent)}. Its "
            f"half perimeter is {meters(own)}{price}",
            {e.parent: "new", e.sibling: "best", e.leaf: "new"}, values={"cost": cost, "round both": own}, bound=cost, question=question,
        )  # fmt: skip

    def box_refitted(self, e: BoxRefitted) -> None:
        """Add one step for all boxes that grow up to a rotation or the end, at the first of them."""
        if type(self.events[self._at - 1]) is type(e):
            return
        forest, grown = self.forest, list[int]()
        for row in (e, *takewhile(lambda row: type(row) is type(e), self.ahead)):
            box = _box_of(row.box)
            if forest.boxes[row.node] != box:
                grown.append(row.node)
                forest.put_inner(row.node, box)
        if grown:
            boxes, refit = ("box", "is refitted to its") if len(grown) == 1 else ("boxes", "are refitted to their")
            words = f"On the way up, the {boxes} of {listed(map(forest.said, grown))} {refit} children."
            self.show("refit", 6, words, dict.fromkeys(grown, "new"))

    def nodes_rotated(self, e: NodesRotated) -> None:
        forest, name = self.forest, self.forest.said
        self.counts["rotations"] += 1
        forest.replace(e.node, e.uncle, e.riser)
        forest.replace(e.child, e.riser, e.uncle)
        forest.put_inner(e.child, _box_of(e.box))
        swap = f"Rotation at {name(e.node)}: {name(e.riser)} rises and {name(e.uncle)} takes its place in {name(e.child)}"
        is_forced = math.isnan(e.gain)
        why = (
            f", because one side was more than {MAX_TILT} levels higher than the other."
            if is_forced
            else f", whose box shrinks by {meters(e.gain)}; no other box changes. Smaller boxes are hit by fewer queries."
        )
        roles: dict[int, Role] = {e.child: "new", e.riser: "best", e.uncle: "looked_at"}
        self.show("rotation", 7, swap + why, roles, values={} if is_forced else {"gain": e.gain})


class BvhInsertion(TreeAlgorithm):
    """A hierarchy of tight boxes, built one leaf at a time."""

    name = "bvh_insertion"
    title = "BVH by insertion: each box goes where it costs least"
    pseudo_code = ("for each box: add a leaf", *INSERTED, "lay the nodes out in preorder", *ASKED)
    beside = ("bvh_top_down", "bvh_bottom_up")
    decoder = _Decoder

    def structure(self) -> InsertionTree:
        return InsertionTree(leaf_size=1)


ALGORITHMS: tuple[Algorithm[Any], ...] = (BvhInsertion(),)
