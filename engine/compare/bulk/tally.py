"""Results of a bulk comparison for one query: counts of agreeing, explained and unexplained rows, sizes, and examples.

Tallies of the parts of a run are added, and no sum depends on their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.compare.pair.file import Pair, Provenance
from engine.contracts.agreement import Verdict

__all__ = [
    "EDGES",
    "KEPT_UNEXPLAINED",
    "MISSED",
    "WRONG_AXIS",
    "Example",
    "Examples",
    "KindTally",
    "QueryTally",
    "Sizes",
    "Wrong",
    "histogram",
]

KEPT_UNEXPLAINED = 20
"""Maximum number of unexplained pairs that are listed."""

_PICOMETERS = 10**12
"""Unit of sums: unlike a sum of floats, a sum of integers does not depend on the order."""

_DECADES = range(-12, 6)
"""Decades of the histogram, from 1e-12, which is about float64's rounding."""

EDGES: tuple[float, ...] = (*(float(f"{digit}e{decade}") for decade in _DECADES for digit in (1, 2, 5)), 1e6)
"""1, 2 and 5 of each decade. Bin 0 is below the first, and bin k extends from edge k - 1 up to, but not including, edge k."""


@dataclass(frozen=True, slots=True)
class Example:
    """A difference: its place in the sequence, by which examples are ordered, the verdict, the kind of shapes, and the pair.

    `is_random` is true if it belongs to no adversarial family.
    """

    place: Provenance
    verdict: Verdict
    kind: str
    shown: Pair | None = None
    is_random: bool = False


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples of one reason: the first of the sequence, the worst, and the worst outside the adversarial families.

    Among equally large differences, the worst is the first. The third exists because the worst can be between shapes kilometers wide, which
    are not representative; it is None if no random case differs. All three can be the same example.
    """

    first: Example
    worst: Example
    worst_random: Example | None = None

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Examples:
        """Choose from candidates."""
        by_size = sorted(examples, key=lambda example: (-example.verdict.size, example.place))
        return cls(
            min(examples, key=lambda example: example.place), by_size[0], next((example for example in by_size if example.is_random), None)
        )

    def __iter__(self) -> Iterator[Example]:
        """Yield each once: the worst random one, the worst, the first."""
        places = set()
        for example in (self.worst_random, self.worst, self.first):
            if example is not None and example.place not in places:
                places.add(example.place)
                yield example

    def role(self, example: Example) -> str:
        """Return the role of an example in a sentence: "the worst", "the first"."""
        roles = []
        if self.worst.place == example.place:
            roles.append("the worst")
        elif self.worst_random is not None and self.worst_random.place == example.place:
            roles.append("the worst random case")
        if self.first.place == example.place:
            roles.append("the first")
        return " and ".join(roles)


def histogram(values: FloatArray) -> Counter[int]:
    """Count nonnegative values by bin between the `EDGES`; empty bins are omitted."""
    return Counter(np.searchsorted(EDGES, values, side="right").tolist())


def _bins_as_json(counts: Counter[int]) -> list[list[float | int | None]]:
    """Return ``[from, to, count]`` of each nonempty bin, ascending; the last has no end."""
    ends = (0.0, *EDGES, None)
    return [[ends[at], ends[at + 1], n] for at, n in sorted(counts.items())]


@dataclass(slots=True)
class Sizes:
    """Sizes of the differences of one reason: their count, their sum in picometers, and the largest, meters."""

    count: int = 0
    total: int = 0
    largest: float = 0.0

    @property
    def mean(self) -> float:
        """Mean size, meters; 0 if there is none."""
        return self.total / _PICOMETERS / max(1, self.count)

    def add(self, other: Sizes) -> None:
        """Add another tally to this one."""
        self.count += other.count
        self.total += other.total
        self.largest = max(self.largest, other.largest)


@dataclass(slots=True)
class KindTally:
    """Counts of one kind of pair, or of shape, within a query, with the sizes for each reason."""

    pairs: int = 0
    touching: int = 0
    unexplained: int = 0
    reasons: dict[str, Sizes] = field(default_factory=dict)

    @property
    def explained(self) -> Counter[str]:
        """Differences by reason."""
        return Counter({reason: sizes.count for reason, sizes in sorted(self.reasons.items())})

    @property
    def agree(self) -> int:
        """Number of pairs that agree."""
        return self.pairs - self.unexplained - self.explained.total()

    def note(self, verdict: Verdict) -> None:
        """Count one difference."""
        if verdict.reason == "unexplained":
            self.unexplained += 1
        else:
            self.reasons.setdefault(verdict.reason, Sizes()).add(Sizes(1, round(verdict.size * _PICOMETERS), verdict.size))

    def add_counts(self, other: KindTally) -> None:
        """Add another tally to this one."""
        self.pairs += other.pairs
        self.touching += other.touching
        self.unexplained += other.unexplained
        for reason, sizes in other.reasons.items():
            self.reasons.setdefault(reason, Sizes()).add(sizes)

    def counts_as_json(self) -> dict[str, Any]:
        """Return the counts as plain data, with the explained ones by reason."""
        counts = {"pairs": self.pairs, "touching": self.touching, "agree": self.agree}
        return {**counts, "explained": dict(self.explained), "unexplained": self.unexplained}


@dataclass(frozen=True, slots=True)
class Wrong:
    """A way in which Box2D is wrong, as opposed to merely different: the reasons that prove it, and its names in the JSON.

    `share` is the share of the touching pairs; `mean` and `largest` are sizes, meters.
    """

    reasons: tuple[str, ...]
    share: str
    mean: str
    largest: str

    def sizes(self, kind: KindTally) -> Sizes:
        """Return the sizes of the wrong answers among some pairs."""
        sizes = Sizes()
        for reason in self.reasons:
            sizes.add(kind.reasons.get(reason, Sizes()))
        return sizes

    def as_json(self, kind: KindTally) -> dict[str, float]:
        """Return frequency and sizes."""
        sizes = self.sizes(kind)
        return {self.share: sizes.count / max(1, kind.touching), self.mean: sizes.mean, self.largest: sizes.largest}


WRONG_AXIS = Wrong(("face_preference", "local_maximum", "skin"), "wrong_axis_share", "mean_excess_depth", "max_excess_depth")
"""Box2D's axis is not that of the least penetration; the size is the excess depth."""

MISSED = Wrong(("toi_missed",), "missed_share", "mean_missed_depth", "worst_missed_depth")
"""Box2D missed a touch; the size is the maximum depth of the overlap, skins included."""


@dataclass(slots=True)
class QueryTally(KindTally):
    """Counts of one query for all kinds together, and further results.

    `maxima` are further maxima, specific to this query, by their names in the JSON; `kinds` has the counts of each kind of pair or shape,
    and `random` those of the cases in no adversarial family. `wrong` describes how Box2D can be wrong here. `histograms` has the
    errors of agreeing rows, by name, and the sizes of differences, by reason. `examples` has the first and the worst for each reason,
    including "unexplained". `seconds` has the times, summed over the processes, for creating cases, our answers, Box2D's, and judging.
    """

    max_point_error: float = 0.0
    max_normal_error: float = 0.0
    maxima: dict[str, float] = field(default_factory=dict)
    kinds: dict[str, KindTally] = field(default_factory=dict)
    random: KindTally | None = None
    wrong: Wrong | None = None
    histograms: dict[str, Counter[int]] = field(default_factory=dict)
    examples: dict[str, Examples] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(("cases", "ours", "box2d", "judging"), 0.0))
    unexplained_pairs: list[Example] = field(default_factory=list)

    def add(self, other: QueryTally) -> None:
        """Add another tally to this one."""
        self.add_counts(other)
        self.max_point_error = max(self.max_point_error, other.max_point_error)
        self.max_normal_error = max(self.max_normal_error, other.max_normal_error)
        for name, value in other.maxima.items():
            self.maxima[name] = max(self.maxima.get(name, 0.0), value)
        for name, kind in other.kinds.items():
            self.kinds.setdefault(name, KindTally()).add_counts(kind)
        if other.random is not None:
            self.random = self.random or KindTally()
            self.random.add_counts(other.random)
        self.wrong = self.wrong or other.wrong
        for name, counts in other.histograms.items():
            self.histograms.setdefault(name, Counter()).update(counts)
        for reason, examples in other.examples.items():
            self.examples[reason] = Examples.of([*self.examples.get(reason, ()), *examples])
        for part, seconds in other.seconds.items():
            self.seconds[part] += seconds
        kept = sorted(self.unexplained_pairs + other.unexplained_pairs, key=lambda example: example.place)
        self.unexplained_pairs = kept[:KEPT_UNEXPLAINED]

    def per_second(self, part: str) -> float:
        """Return the number of pairs per second of one process in a part of the work; 0 if no time was measured."""
        return self.pairs / self.seconds[part] if self.seconds[part] > 0.0 else 0.0

    @property
    def shown_kinds(self) -> list[tuple[str, KindTally]]:
        """The kinds in order, and the random cases separately, if there are any."""
        return sorted(self.kinds.items()) + ([] if self.random is None else [("random pairs only", self.random)])

    def _wrong_as_json(self, kind: KindTally) -> dict[str, float]:
        """Return frequency and sizes of Box2D's wrong answers, by the names of the JSON; empty if the query has no wrong answers."""
        return {} if self.wrong is None else self.wrong.as_json(kind)

    def _kind_as_json(self, kind: KindTally) -> dict[str, Any]:
        sizes = {reason: {"mean": reason_sizes.mean, "max": reason_sizes.largest} for reason, reason_sizes in sorted(kind.reasons.items())}
        return {**kind.counts_as_json(), "sizes": sizes, **self._wrong_as_json(kind)}

    def as_json(self, with_seconds: bool = False) -> dict[str, Any]:
        """Return the plain data of docs/json.md; rates are per second of one process, and `seconds` is the total of all processes."""
        parts: dict[str, Any] = {}
        if self.kinds:
            parts["kinds"] = {name: self._kind_as_json(kind) for name, kind in sorted(self.kinds.items())}
        if self.random is not None:
            parts["random"] = self._kind_as_json(self.random)
        if self.histograms:
            parts["histograms"] = {name: _bins_as_json(counts) for name, counts in sorted(self.histograms.items())}
        return {
            **self.counts_as_json(),
            "max_point_error": self.max_point_error,
            "max_normal_error": self.max_normal_error,
            **self._wrong_as_json(self),
            **self.maxima,
            **parts,
            "ours_per_s": self.per_second("ours"),
            "box2d_per_s": self.per_second("box2d"),
            **({"seconds": self.seconds} if with_seconds else {}),
        }
