"""Shared code of the tree steppers: the tree at a step, the positions of its nodes in the picture, and the descent of a query.

The kernels record each change of the tree; only the parent-child links and the boxes are kept here.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from engine.broadphase._tree_kernel import ItemTested, NodeVisited
from engine.broadphase.interface import BroadPhase
from engine.common.words import counted
from engine.contracts.trace import Feature, Mark, Point, Question, Role, View
from engine.trace._boxes import BOXES, Box, half_perimeter, listed
from engine.trace.cases import BoxesCase, box_corners
from engine.trace.marks import Marks, dot, path
from engine.trace.protocol import PLANE, Algorithm, Decoder, code
from engine.trace.words import meters

__all__ = ["ASKED", "TREE", "TreeAlgorithm", "TreeDecoder"]

TREE = View("tree", "the tree", x="leaves in order, with the root at the top")

ASKED = code("""
    to query a region, start at the root:
      if the region misses the node's box: skip the subtree
      if the node is a leaf: a hit if the region meets its box
      otherwise visit the left child, then the right one
""")
"""The last lines of the pseudocode of every tree."""

_MAX_NAMED = 24
"""Maximum number of leaves of a tree with all nodes named, and of names in a sentence."""


def _letters(k: int) -> str:
    return (_letters(k // 26 - 1) if k >= 26 else "") + chr(ord("A") + k % 26)


class Forest:
    """A tree, or the subtrees that will be joined.

    Parameters
    ----------
    n_boxes : int
        Final number of boxes: with many, only the nodes of the current step are named.
    is_built_up : bool
        The height of a node is that above its deepest leaf, not the depth below the root, so subtrees stay in place when they are joined.
    """

    def __init__(self, n_boxes: int, is_built_up: bool = False) -> None:
        self.is_built_up = is_built_up
        self._is_crowded = n_boxes > _MAX_NAMED
        self.boxes: dict[int, Box] = {}
        self.names: dict[int, str] = {}
        self.children: dict[int, tuple[int, int]] = {}
        self.roots: list[int] = []
        self._n_inner = 0
        self._drawn: Marks | None = None
        self._places: dict[int, Point] = {}

    def put_leaf(self, node: int, item: int, box: Box) -> None:
        """Add a leaf with the number of its box."""
        self.names[node], self.boxes[node], self._drawn = str(item), box, None

    def put_inner(self, node: int, box: Box, children: tuple[int, int] | None = None) -> None:
        """Add and name an inner node, or change its box and children."""
        if node not in self.names:
            self.names[node] = _letters(self._n_inner)
            self._n_inner += 1
        self.boxes[node], self._drawn = box, None
        if children is not None:
            self.children[node] = children

    def replace(self, above: int, child: int, by: int) -> None:
        """Replace a child of a node."""
        left, right = self.children[above]
        self.children[above], self._drawn = (by if left == child else left, by if right == child else right), None

    def set_roots(self, roots: list[int]) -> None:
        """Set the roots, in order."""
        self.roots, self._drawn = roots, None

    def said(self, node: int) -> str:
        """Return a node's name in sentences: "box 3", "A"."""
        return self.names[node] if self.is_inner(node) else f"box {self.names[node]}"

    def is_inner(self, node: int) -> bool:
        """Return True if a node is, or will become, an inner node."""
        return not self.names[node].isdigit()

    def feature(self, node: int) -> Feature:
        """Return a node as an object that a step looks at."""
        return Feature("node", "", node) if self.is_inner(node) else Feature("box", "", int(self.names[node]))

    def preorder(self) -> list[int]:
        """Return all nodes in preorder, left side first."""
        ordered, waiting = [], self.roots[::-1]
        while waiting:
            node = waiting.pop()
            ordered.append(node)
            waiting.extend(reversed(self.children.get(node, ())))
        return ordered

    def n_leaves(self, node: int) -> int:
        """Return the number of boxes below a node."""
        return sum(map(self.n_leaves, self.children[node])) if node in self.children else 1

    @property
    def height(self) -> int:
        """Levels below the highest root."""
        self._draw()
        levels = [y for _, y in self._places.values()]
        return int(max(levels, default=0.0) - min(levels, default=0.0))

    @property
    def inner_perimeters(self) -> float:
        """Sum of the half perimeters of all inner nodes, which builders minimize."""
        return math.fsum(half_perimeter(self.boxes[node]) for node in self.children)

    def place(self, node: int) -> Point:
        """Return the position of a node in the view of the tree."""
        self._draw()
        return self._places[node]

    def marks(self, roles: Mapping[int, Role]) -> Marks:
        """Return the picture, with some nodes in special roles."""
        marks = list(self._draw())
        for node, role in roles.items():
            is_inner = self.is_inner(node)
            marks.append(Mark("polygon", role, box_corners(self.boxes[node]), text=self.names[node] if is_inner else ""))
            if node in self._places:
                marks.append(dot(role, self._places[node], view=TREE.name, text=self.names[node] if self._is_crowded else ""))
        return tuple(marks)

    def _draw(self) -> Marks:
        if self._drawn is None:
            self._places = {}
            x = 0
            for root in self.roots:
                x = self._stand(root, x, 0)
            marks = []
            for node, place in self._places.items():
                for child in self.children.get(node, ()):
                    marks.append(path("kept", place, self._places[child], view=TREE.name))
            for node, place in self._places.items():
                marks.append(dot("kept", place, view=TREE.name, text="" if self._is_crowded else self.names[node]))
                if self.is_inner(node):
                    marks.append(Mark("polygon", "kept", box_corners(self.boxes[node])))
            self._drawn = tuple(marks)
        return self._drawn

    def _stand(self, node: int, x: int, depth: int) -> int:
        """Place a subtree in order from column x on, and return the next free column."""
        if node not in self.children:
            self._places[node] = (float(x), 0.0 if self.is_built_up else 0.0 - depth)
            return x + 1
        left, right = self.children[node]
        x = self._stand(left, x, depth + 1)
        self._places[node] = (float(x), 0.0)
        behind = self._stand(right, x + 1, depth + 1)
        above = 1.0 + max(self._places[left][1], self._places[right][1])
        self._places[node] = (float(x), above if self.is_built_up else 0.0 - depth)
        return behind


class TreeDecoder(Decoder[BoxesCase]):
    """The tree of the steps; the events of its construction come first, then those of the query.

    Attributes
    ----------
    is_built_up : bool
        As in `Forest`.
    layout_line : int or None
        Line of the pseudocode that lays the tree out in memory; None if it stays as it is.
    """

    costs = ("choices tried", "rotations", "nodes visited", "boxes tested")
    is_built_up: ClassVar[bool] = False
    layout_line: ClassVar[int | None] = None

    def set_up(self) -> None:
        self.forest = Forest(len(self.case.boxes), self.is_built_up)
        self.visits: list[tuple[int, bool, bool | None]] = []

    def show(
        self, kind: str, line: int, sentence: str, roles: Mapping[int, Role] | None = None, marks: Iterable[Mark] = (), **more: Any
    ) -> None:
        """Add a step that looks at the nodes with roles."""
        roles = roles or {}
        features = tuple(self.forest.feature(node) for node in roles)
        self.add(kind, line, sentence, features, marks=(*self.forest.marks(roles), *marks), **more)

    def node_visited(self, e: NodeVisited) -> None:
        """Record that the query visits a node, and whether it overlaps its box; nodes are numbered in preorder."""
        self.visits.append((self.forest.preorder()[e.node], e.is_met, None))

    def item_tested(self, e: ItemTested) -> None:
        """Record whether the query overlaps the box in the visited leaf."""
        self.visits[-1] = (*self.visits[-1][:2], e.is_hit)

    def answer(self) -> None:
        """Add the layout of the tree in memory, the query's descent, and the result."""
        forest, counts, hits, first_line = self.forest, self.counts, self.result, len(self.algorithm.pseudo_code) - len(ASKED)
        if self.layout_line is not None and self.case.boxes:
            row = [forest.names[node] for node in forest.preorder()]
            words = " ".join(row if len(row) < 2 * _MAX_NAMED else [*row[:_MAX_NAMED], "..."])
            self.show("layout", self.layout_line, f"The tree is built. It is stored in preorder, left before right: {words}.")
        roles = dict[int, Role]()
        for node, is_met, is_hit in self.visits:
            counts["nodes visited"] += 1
            counts["boxes tested"] += is_hit is not None
            name, is_inner = forest.said(node), forest.is_inner(node)
            its_box = f"{name}'s box" if is_inner else "B" + name[1:]
            if is_inner and is_met:
                words = f"meets the region, so its children may too. The next one is {forest.said(forest.children[node][0])}."
            elif is_inner:
                n = counted(forest.n_leaves(node), "box", "boxes")
                words = f"misses the region, so all {n} inside it do too and are skipped."
            elif not is_met:
                words = "misses the region."
            else:
                words = "meets the region, so it is a hit."
            prompt = f"Does the query descend into {name}?" if is_inner else f"Is {name} a hit?"
            is_right = is_met and is_hit is not False
            roles.pop(node, None)
            self.show(
                "visit", first_line + (1 if not is_met else 3 if is_inner else 2), f"{its_box} {words}", {**roles, node: "looked_at"},
                question=None if node in forest.roots else Question(prompt, ("yes", "no"), 0 if is_right else 1),
            )  # fmt: skip
            roles[node] = "dropped" if not is_right else "best" if is_inner else "result"
        n_nodes = len(forest.preorder())
        visited = f"The query visited {counts['nodes visited']} of {counted(n_nodes, 'node')}"
        tested = f"tested {counts['boxes tested']} of {n_nodes - len(forest.children)} boxes"
        meets = f"Boxes {listed(hits)} meet" if len(hits) > 1 else f"Box {hits[0]} meets" if hits else "No box meets"
        self.show(
            "answer", first_line, f"{meets} the region. {visited} and {tested}. The half perimeters of the inner nodes sum to "
            f"{meters(forest.inner_perimeters)}; smaller is better.",
            roles, values={"found": float(len(hits)), "height": float(forest.height), "inner perimeters": forest.inner_perimeters},
            result=hits,
        )  # fmt: skip


class TreeAlgorithm(Algorithm[BoxesCase]):
    """A tree of boxes, built step by step and queried for the boxes that overlap a region; the result is their sorted numbers.

    Trees built in one pass have one box per leaf here, so that a tree is visible; by default, leaves have up to eight. The kernels are the
    same for any leaf size.
    """

    page = "bvh.md#derivation"
    views: ClassVar[tuple[View, ...]] = (PLANE, TREE)
    example = BOXES

    @abstractmethod
    def structure(self) -> BroadPhase:
        """Return the empty tree."""

    def query(self, case: BoxesCase) -> tuple[int, ...]:
        structure = self.structure()
        structure.update(case.boxes)
        return tuple(structure.regions([case.region])[:, 1].tolist())
