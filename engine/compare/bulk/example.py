"""One difference as an example of its reason: where it stands in the sequence, and what is needed to look at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.compare.pair.file import Pair

__all__ = ["Example", "Examples", "Sketch"]

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sketch:
    """What there is to see of a question that is no pair: both answers in words and lines, world frame, metres.

    `shapes` are closed outlines that were asked about and `dots` points; `ours` and `box2d`, the answers, are closed outlines or points.
    """

    shapes: tuple[tuple[Point, ...], ...]
    dots: tuple[Point, ...]
    ours: tuple[tuple[Point, ...], ...]
    box2d: tuple[tuple[Point, ...], ...]
    our_words: str
    box2d_words: str


@dataclass(frozen=True, slots=True)
class Example:
    """One difference: chunk and row of the sequence, the referee's words, the kind of shapes, and what was asked.

    `is_random` where it belongs to no adversarial family.
    """

    chunk: int
    row: int
    reason: str
    size: float
    evidence: str
    kind: str
    shown: Pair | Sketch | None = None
    is_random: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands; examples of one run are ordered by it."""
        return self.chunk, self.row


@dataclass(frozen=True, slots=True)
class Examples:
    """Of one reason: the first of the sequence, the worst, and the worst of those in no adversarial family.

    The worst is the first of the largest; where shapes are kilometres wide it says little about ordinary ones, which the third is for.
    It is None where there is none. All may be one and the same.
    """

    first: Example
    worst: Example
    worst_random: Example | None = None

    @classmethod
    def of(cls, found: Sequence[Example]) -> Examples:
        """Choose among some."""
        random = [one for one in found if one.is_random]
        return cls(min(found, key=_by_place), min(found, key=_by_size), min(random, key=_by_size) if random else None)

    def __iter__(self) -> Iterator[Example]:
        """Yield each once: the worst random one, the worst, the first."""
        places = set()
        for one in (self.worst_random, self.worst, self.first):
            if one is not None and one.place not in places:
                places.add(one.place)
                yield one

    def joined(self, other: Examples) -> Examples:
        """Return those of both parts of a run, whichever comes first."""
        return Examples.of([*self, *other])

    def role(self, one: Example) -> str:
        """Return what an example is an example of."""
        roles = []
        if self.worst.place == one.place:
            roles.append("the worst")
        elif self.worst_random is not None and self.worst_random.place == one.place:
            roles.append("the worst random one")
        if self.first.place == one.place:
            roles.append("the first")
        return " and ".join(roles)


def _by_place(one: Example) -> tuple[int, int]:
    return one.place


def _by_size(one: Example) -> tuple[float, int, int]:
    return -one.size, *one.place
