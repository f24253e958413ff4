"""Shared code of the tree steppers: the tree at a step, the positions of its nodes in the picture, and the descent of a query.

The kernels record each change of the tree; only the parent-child links and the boxes are kept here.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar

from engine.broadphase._tree_kernel import WALK_ITEM, WALK_NODE
from engine.broadphase.interface import BroadPhase
from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.contracts.trace import Feature, Mark, Point, Question, Role, TraceStep, View
from engine.trace import given
from engine.trace.cases import BoxesCase, box_corners
from engine.trace.protocol import PLANE, Algorithm
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = [
    "ASKED",
    "BOXES",
    "TREE",
    "Box",
    "Forest",
    "TreeAlgorithm",
    "TreeSteps",
    "Visit",
    "common",
    "half_perimeter",
    "listed",
]

Box = tuple[float, float, float, float]

Visit = tuple[int, bool, bool | None]
"""A visited node, True if the query meets its box, and for a leaf True if it meets the box in it."""

TREE = View("tree", "the tree", x="leaves in order, with the root at the top")

ASKED = (
    "to query a region, start at the root:",
    "  if the region misses the node's box: skip the subtree",
    "  if the node is a leaf: a hit if the region meets its box",
    "  otherwise visit the left child, then the right one",
)
"""The last lines of the pseudo-code of every tree."""

_MAX_NAMED = 24
"""Maximum number of leaves of a tree with all nodes named, and of names in a sentence."""

BOXES = BoxesCase(
    (
        (2.8, 1.9, 4.7, 2.7), (1.6, -3.1, 3.0, -2.0), (-2.9, 2.2, -1.8, 3.1), (-4.2, 1.6, -3.2, 2.6), (-2.8, -3.0, -1.5, -1.9),
        (-3.8, -2.2, -2.6, -1.0), (2.7, -2.4, 4.2, -1.5), (2.2, 1.2, 3.1, 2.4), (-0.7, -0.6, 0.5, 0.4),
    ),
    (1.3, 0.7, 2.75, 3.3),
)  # fmt: skip
"""Example boxes of all broad phases, the same so that they can be compared."""


def half_perimeter(box: Box) -> float:
    """Return half the perimeter of a box, meters, as the kernels do."""
    return (box[2] - box[0]) + (box[3] - box[1])


def common(a: Box, b: Box) -> Box:
    """Return the intersection of two overlapping boxes."""
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def listed(names: Iterable[object], most: int = _MAX_NAMED) -> str:
    """Return names in a row: "1, 2 and 3"; of more than `most` the first."""
    words = [str(name) for name in names]
    if len(words) > most:
        words[most - 1 :] = [f"{len(words) - most + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def _letters(k: int) -> str:
    return (_letters(k // 26 - 1) if k >= 26 else "") + chr(ord("A") + k % 26)


class Forest:
    """A tree, or the subtrees that are to become one.

    Parameters
    ----------
    n_boxes : int
        Final number of boxes: with many, only the nodes of the current step are named.
    is_built_up : bool
        Nodes stand as high as they are above the deepest leaf below them, not as low as they are below the root: what is joined from below
        stays where it is.
    fat : bool
        Leaves have boxes of their own, larger than the boxes in them.
    """

    def __init__(self, n_boxes: int, is_built_up: bool = False, fat: bool = False) -> None:
        self.is_built_up, self.fat = is_built_up, fat
        self._is_crowded = n_boxes > _MAX_NAMED
        self.boxes: dict[int, Box] = {}
        self.names: dict[int, str] = {}
        self.children: dict[int, tuple[int, int]] = {}
        self.roots: list[int] = []
        self._n_inner = 0
        self._drawn: tuple[Mark, ...] | None = None
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
        """Return a node as sentences name it: "box 3", "A"."""
        return self.names[node] if self.is_inner(node) else f"box {self.names[node]}"

    def is_inner(self, node: int) -> bool:
        """Return True if a node is, or will become, an inner node."""
        return not self.names[node].isdigit()

    def feature(self, node: int) -> Feature:
        """Return a node as what a step looks at."""
        return Feature("node", "", node) if self.is_inner(node) else Feature("box", "", int(self.names[node]))

    def preorder(self) -> list[int]:
        """Return all nodes, each before what is below it, the left side first."""
        ordered, waiting = [], self.roots[::-1]
        while waiting:
            node = waiting.pop()
            ordered.append(node)
            waiting.extend(reversed(self.children.get(node, ())))
        return ordered

    def n_leaves(self, node: int) -> int:
        """Return how many boxes are below a node."""
        return sum(map(self.n_leaves, self.children[node])) if node in self.children else 1

    @property
    def height(self) -> int:
        """Levels below the highest root."""
        self._draw()
        levels = [y for _, y in self._places.values()]
        return int(max(levels, default=0.0) - min(levels, default=0.0))

    @property
    def inner_perimeters(self) -> float:
        """Half the perimeters of all inner nodes, in sum: what builders keep small."""
        return math.fsum(half_perimeter(self.boxes[node]) for node in self.children)

    def place(self, node: int) -> Point:
        """Return where a node of the tree stands in its view."""
        self._draw()
        return self._places[node]

    def marks(self, roles: Mapping[int, Role]) -> tuple[Mark, ...]:
        """Return the picture, some nodes in other roles than the rest."""
        marks = list(self._draw())
        for node, role in roles.items():
            is_inner = self.is_inner(node)
            marks.append(Mark("polygon", role, box_corners(self.boxes[node]), text=self.names[node] if is_inner else ""))
            if node in self._places:
                marks.append(Mark("point", role, (self._places[node],), TREE.name, self.names[node] if self._is_crowded else ""))
        return tuple(marks)

    def _draw(self) -> tuple[Mark, ...]:
        if self._drawn is None:
            self._places = {}
            x = 0
            for root in self.roots:
                x = self._stand(root, x, 0)
            marks = []
            for node, place in self._places.items():
                for child in self.children.get(node, ()):
                    marks.append(Mark("path", "kept", (place, self._places[child]), TREE.name))
            for node, place in self._places.items():
                marks.append(Mark("point", "kept", (place,), TREE.name, "" if self._is_crowded else self.names[node]))
                if self.is_inner(node):
                    marks.append(Mark("polygon", "kept", box_corners(self.boxes[node])))
                elif self.fat:
                    marks.append(Mark("polygon", "bound", box_corners(self.boxes[node])))
            self._drawn = tuple(marks)
        return self._drawn

    def _stand(self, node: int, x: int, depth: int) -> int:
        """Place a subtree, in order, from column x on, and return the column behind it."""
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


class TreeSteps:
    """The steps so far, and the tree that they are about."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.entries: list[TraceStep] = []
        self.cost = {"choices tried": 0, "rotations": 0, "nodes visited": 0, "boxes tested": 0}

    def add(
        self, kind: str, line: int, sentence: str, roles: Mapping[int, Role] | None = None, marks: tuple[Mark, ...] = (),
        values: Mapping[str, float] | None = None, bound: float | None = None, question: Question | None = None, result: object = None,
    ) -> None:  # fmt: skip
        """Add a step that looks at the nodes that have roles."""
        roles = roles or {}
        self.entries.append(
            TraceStep(
                kind, line, sentence, tuple(self.forest.feature(node) for node in roles), bound=bound, values=values or {},
                marks=(*self.forest.marks(roles), *marks), cost={"steps": len(self.entries), **self.cost}, question=question, result=result,
            )
        )  # fmt: skip

    def laid_out(self, line: int) -> None:
        """Say how the tree that is built lies in memory."""
        row = [self.forest.names[node] for node in self.forest.preorder()]
        words = " ".join(row if len(row) < 2 * _MAX_NAMED else [*row[:_MAX_NAMED], "..."])
        self.add("layout", line, f"The tree is built. It is stored in preorder, left before right: {words}.")

    def descended(self, line: int, visits: Iterable[Visit], hits: tuple[int, ...]) -> None:
        """Add the steps of a query's descent, and the answer.

        Parameters
        ----------
        line : int
            Where `ASKED` begins.
        visits : iterable of Visit
        found : tuple of int
            The boxes found.
        """
        forest, roles = self.forest, dict[int, Role]()
        for node, is_met, is_hit in visits:
            self.cost["nodes visited"] += 1
            self.cost["boxes tested"] += is_hit is not None
            name, is_inner = forest.said(node), forest.is_inner(node)
            its_box = "Fat " + name if forest.fat and not is_inner else f"{name}'s box" if is_inner else "B" + name[1:]
            if is_inner and is_met:
                left = forest.said(forest.children[node][0])
                words = f"{its_box} meets the region, so its children may too. The next one is {left}."
            elif is_inner:
                words = (
                    f"{its_box} misses the region, so all "
                    f"{counted(forest.n_leaves(node), 'box', 'boxes')} inside it do too and are skipped."
                )
            elif not is_met:
                words = f"{its_box} misses the region."
            elif forest.fat:
                verdict = "and so does the box inside it, which is a hit" if is_hit else "but the box inside it does not"
                words = f"{its_box} meets the region, {verdict}."
            else:
                words = f"{its_box} meets the region, so it is a hit."
            prompt = f"Does the query go down into {name}?" if is_inner else f"Is {name} a hit?"
            is_right = is_met and is_hit is not False
            question = None if node in forest.roots else Question(prompt, ("yes", "no"), 0 if is_right else 1)
            roles.pop(node, None)
            self.add("visit", line + (1 if not is_met else 3 if is_inner else 2), words, {**roles, node: "looked_at"}, question=question)
            roles[node] = "dropped" if not is_right else "best" if is_inner else "result"
        n_nodes, visited, tested = len(forest.preorder()), self.cost["nodes visited"], self.cost["boxes tested"]
        prompt = f"The query visited {visited} of {counted(n_nodes, 'node')} and tested {tested} of {n_nodes - len(forest.children)} boxes"
        meets = f"Boxes {listed(hits)} meet" if len(hits) > 1 else f"Box {hits[0]} meets" if hits else "No box meets"
        self.add(
            "answer", line, f"{meets} the region. {prompt}. The half perimeters of the inner nodes sum to "
            f"{meters(forest.inner_perimeters)}; smaller is better.",
            roles, values={"found": float(len(hits)), "height": float(forest.height), "inner perimeters": forest.inner_perimeters},
            result=hits,
        )  # fmt: skip


class TreeAlgorithm(Algorithm[BoxesCase]):
    """A tree of boxes, built step by step and queried for the boxes that meet a region: the answer is their numbers, in order.

    Trees that are built at once have one box per leaf here, so that there is a tree to see; by default they have up to eight. The
    kernels are the same for any leaf size.
    """

    views: ClassVar[tuple[View, ...]] = (PLANE, TREE)
    case_of = staticmethod(given.of_boxes)

    @property
    def example(self) -> BoxesCase:
        return BOXES

    @abstractmethod
    def structure(self) -> BroadPhase:
        """Return the tree, empty."""

    @abstractmethod
    def built(self, case: BoxesCase, rows: list[list[float]]) -> TreeSteps:
        """Decode the rows of the tree's making."""

    def visits(self, forest: Forest, rows: list[list[float]]) -> list[Visit]:
        """Decode the rows of the query, of a tree in preorder with a box a leaf."""
        nodes, visits = forest.preorder(), list[Visit]()
        for row in rows:
            if row[0] == WALK_NODE:
                visits.append((nodes[int(row[1])], row[2] == 1.0, None))
            elif row[0] == WALK_ITEM:
                visits[-1] = (visits[-1][0], visits[-1][1], row[3] == 1.0)
        return visits

    def query(self, case: BoxesCase) -> tuple[int, ...]:
        return self._answer(case, None)

    def steps(self, case: BoxesCase) -> list[TraceStep]:
        hits, rows = record_rows(lambda trace: self._answer(case, trace))
        steps = self.built(case, rows)
        steps.descended(len(self.pseudo_code) - len(ASKED), self.visits(steps.forest, rows), hits)
        return steps.entries

    def _answer(self, case: BoxesCase, trace: FloatArray | None) -> tuple[int, ...]:
        structure = self.structure()
        structure.trace = trace
        structure.insert(case.boxes)
        return tuple(structure.regions([case.region])[:, 1].tolist())
