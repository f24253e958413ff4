"""Shared code of broad phases: boxes in pictures and sentences, and the search for pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from engine.common.words import counted
from engine.contracts.trace import Feature, Mark, Question, Role
from engine.trace.cases import BoxesCase, box_corners
from engine.trace.marks import Marks
from engine.trace.protocol import Algorithm, Decoder

__all__ = [
    "BOXES", "Box", "PairsAlgorithm", "PairsDecoder", "boxes_that", "half_perimeter", "how_many", "listed", "named_boxes",
    "overlap_question",
]  # fmt: skip

Box = tuple[float, float, float, float]
Pairs = tuple[tuple[int, int], ...]

_MAX_NAMED = 24
"""Maximum number of names in a sentence."""
_MAX_ANSWERS = 10
"""Maximum number of answers to a question, and of pairs in a sentence."""

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


def listed(names: Iterable[object], most: int = _MAX_NAMED) -> str:
    """Return names in a row: "1, 2 and 3"; of more than `most` the first."""
    words = [str(name) for name in names]
    if len(words) > most:
        words[most - 1 :] = [f"{len(words) - most + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def named_boxes(items: list[int]) -> str:
    """Return boxes by their numbers."""
    return f"box{'es' if len(items) > 1 else ''} {listed(items)}"


def boxes_that(items: list[int], verb: str = "") -> str:
    """Return boxes with a verb: "box 1 overlaps", "boxes 1 and 2 are".

    Examples
    --------
    >>> boxes_that([1], "cross"), boxes_that([1, 2], "overlap"), boxes_that([3])
    ('box 1 crosses', 'boxes 1 and 2 overlap', 'box 3 is')
    """
    is_one = len(items) == 1
    ending = "" if not is_one else "es" if verb[-1:] in "so" else "s"
    return f"{named_boxes(items)} {verb + ending if verb else 'is' if is_one else 'are'}"


def how_many(prompt: str, most: int, right: int) -> Question | None:
    """Return a question for a number from 0 to `most`, if these are few."""
    return Question(prompt, tuple(map(str, range(most + 1))), right) if 1 <= most < _MAX_ANSWERS else None


def overlap_question(item: int, compared: list[int], met: list[int]) -> Question | None:
    """Return a question for the number of compared boxes that overlap a box, if there are some, and few."""
    if len(compared) == 1:
        return Question(f"Does {named_boxes(compared)} overlap box {item}?", ("yes", "no"), 0 if met else 1)
    return how_many(f"How many of {named_boxes(compared)} overlap box {item}?", len(compared), len(met))


class PairsDecoder(Decoder[BoxesCase]):
    """The pairs found so far, and the lines under every step; `search` is the name of the search."""

    search: ClassVar[str] = "search"

    def set_up(self) -> None:
        self.boxes = self.case.boxes
        self.pairs: list[tuple[int, int]] = []
        self.lines: Marks = ()

    def met(self, item: int, other: int) -> None:
        """Add a pair."""
        self.pairs.append((min(item, other), max(item, other)))

    def show(self, kind: str, line: int, words: str, roles: Mapping[int, Role], *marks: Mark, **more: Any) -> None:
        """Add a step that looks at the boxes that have roles."""
        drawn = [Mark("polygon", role, box_corners(self.boxes[item])) for item, role in roles.items()]
        both = [(self.boxes[i], self.boxes[j]) for i, j in self.pairs]
        overlaps = [(max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])) for a, b in both]
        results = (Mark("polygon", "result", box_corners(box)) for box in overlaps)
        about = tuple(Feature("box", "", item) for item in roles)
        self.add(kind, line, words, about, marks=(*self.lines, *marks, *drawn, *self.shown(kind, roles), *results), **more)

    def shown(self, kind: str, roles: Mapping[int, Role]) -> Iterable[Mark]:
        """Return the marks of the structure for every step."""
        return ()

    def answer(self) -> None:
        n, pairs, n_tested = len(self.boxes), self.result, self.counts["boxes tested"]
        listing = f": {listed((f'{i}-{j}' for i, j in pairs), _MAX_ANSWERS)}" if pairs else ""
        n_pairs = n * (n - 1) // 2
        verdict = f"{counted(len(pairs), 'pair')} overlap{'s' * (len(pairs) == 1)}{listing}."
        words = f"{verdict} The {self.search} compared {n_tested} of {n_pairs} pairs of boxes{self.spared(n_pairs - n_tested)}."
        self.show(
            "answer", len(self.algorithm.pseudo_code) - 1, words, {k: "result" for pair in pairs for k in pair},
            values={"pairs": float(len(pairs))}, result=pairs,
        )  # fmt: skip

    def spared(self, n: int) -> str:
        """Return why `n` pairs were not compared."""
        return ""


class PairsAlgorithm(Algorithm[BoxesCase]):
    """A broad phase that finds all pairs: the answer is the pairs that overlap, each with its smaller number first, sorted."""

    example = BOXES

    def scenery(self, case: BoxesCase) -> Marks:
        """Return the boxes without the region, which is not queried."""
        return case.scenery[:-1]

    def query(self, case: BoxesCase) -> Pairs:
        return tuple((i, j) for i, j in self.all_pairs(case.boxes).tolist())

    @abstractmethod
    def all_pairs(self, boxes: tuple[Box, ...]) -> Any:
        """Return the pairs (n, 2), sorted."""
