"""Counts of what agrees, what is explained and what is not, of one query of a bulk comparison."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from engine.compare.bulk.example import Example, Examples
from engine.compare.bulk.histogram import Histogram

__all__ = ["KEPT_UNEXPLAINED", "MISSED", "WRONG_AXIS", "KindTally", "QueryTally", "Sizes", "Wrong"]

KEPT_UNEXPLAINED = 20
"""Of unexplained pairs, to be named one by one."""

_PICOMETRES = 10**12
"""A sum of whole numbers does not depend on the order, as one of floats would."""


@dataclass(slots=True)
class Sizes:
    """Sizes of the differences of one reason, metres: how many, their sum in picometres, the largest."""

    count: int = 0
    total: int = 0
    largest: float = 0.0

    def add(self, other: Sizes) -> None:
        """Add another tally to this one."""
        self.count += other.count
        self.total += other.total
        self.largest = max(self.largest, other.largest)

    def note(self, size: float) -> None:
        """Count one."""
        self.add(Sizes(1, round(size * _PICOMETRES), size))


@dataclass(slots=True)
class KindTally:
    """Counts of one kind of pair, or of shape, within a query; of each reason the sizes too."""

    pairs: int = 0
    touching: int = 0
    unexplained: int = 0
    reasons: dict[str, Sizes] = field(default_factory=dict)

    @property
    def agree(self) -> int:
        """Pairs that do not differ."""
        return self.pairs - self.unexplained - sum(sizes.count for sizes in self.reasons.values())

    def add(self, other: KindTally) -> None:
        """Add another tally to this one."""
        self.pairs += other.pairs
        self.touching += other.touching
        self.unexplained += other.unexplained
        for reason, sizes in other.reasons.items():
            self.reasons.setdefault(reason, Sizes()).add(sizes)

    def as_json(self) -> dict[str, Any]:
        """Return plain data; `explained` counts by reason, as in the query, and `sizes` tells more of each, metres."""
        reasons = sorted(self.reasons.items())
        return {
            "pairs": self.pairs,
            "touching": self.touching,
            "agree": self.agree,
            "explained": {reason: sizes.count for reason, sizes in reasons},
            "unexplained": self.unexplained,
            "sizes": {reason: {"mean": sizes.total / _PICOMETRES / sizes.count, "max": sizes.largest} for reason, sizes in reasons},
        }


@dataclass(frozen=True, slots=True)
class Wrong:
    """A way in which Box2D is wrong, as opposed to merely different: the reasons that prove it, and its names in the JSON.

    `share` is of the touching pairs, `mean` and `largest` are of the sizes, metres.
    """

    reasons: tuple[str, ...]
    share: str
    mean: str
    largest: str

    def as_json(self, kind: KindTally) -> dict[str, float]:
        """Return how often and how badly."""
        found = Sizes()
        for reason in self.reasons:
            found.add(kind.reasons.get(reason, Sizes()))
        mean = found.total / _PICOMETRES / max(1, found.count)
        return {self.share: found.count / max(1, kind.touching), self.mean: mean, self.largest: found.largest}


WRONG_AXIS = Wrong(("face_preference", "local_maximum", "skin"), "wrong_axis_share", "mean_excess_depth", "max_excess_depth")
"""Box2D's axis is not that of the least penetration: the excess is what it costs in depth."""

MISSED = Wrong(("toi_missed",), "missed_share", "mean_missed_depth", "worst_missed_depth")
"""Box2D passed over a touch: the depth is how far the shapes overlapped meanwhile, skins included."""


@dataclass(slots=True)
class QueryTally:
    """Counts of one query; the sums and maxima of two tallies do not depend on their order.

    `maxima` are further largest values, which only this query has, under their names in the JSON; `kinds` the counts of each kind of
    pair or shape, `random` those of the cases that belong to no adversarial family. `wrong` is the way in which Box2D can be wrong here.
    `histograms` has those of the errors that agree, by name, and those of the sizes of the differences, by reason. `examples` has for each
    reason, "unexplained" too, the first and the worst.
    """

    pairs: int = 0
    touching: int = 0
    agree: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    unexplained: int = 0
    max_point_error: float = 0.0
    max_normal_error: float = 0.0
    maxima: dict[str, float] = field(default_factory=dict)
    kinds: dict[str, KindTally] = field(default_factory=dict)
    random: KindTally | None = None
    wrong: Wrong | None = None
    histograms: dict[str, Histogram] = field(default_factory=dict)
    examples: dict[str, Examples] = field(default_factory=dict)
    our_seconds: float = 0.0
    box2d_seconds: float = 0.0
    case_seconds: float = 0.0
    judging_seconds: float = 0.0
    unexplained_pairs: list[Example] = field(default_factory=list)

    def add(self, other: QueryTally) -> None:
        """Add another tally to this one."""
        self.pairs += other.pairs
        self.touching += other.touching
        self.agree += other.agree
        self.explained.update(other.explained)
        self.unexplained += other.unexplained
        self.max_point_error = max(self.max_point_error, other.max_point_error)
        self.max_normal_error = max(self.max_normal_error, other.max_normal_error)
        for name, value in other.maxima.items():
            self.maxima[name] = max(self.maxima.get(name, 0.0), value)
        for name, kind in other.kinds.items():
            self.kinds.setdefault(name, KindTally()).add(kind)
        if other.random is not None:
            self.random = self.random or KindTally()
            self.random.add(other.random)
        self.wrong = self.wrong or other.wrong
        for name, histogram in other.histograms.items():
            self.histograms.setdefault(name, Histogram()).add(histogram)
        for reason, examples in other.examples.items():
            self.examples[reason] = self.examples[reason].joined(examples) if reason in self.examples else examples
        self.our_seconds += other.our_seconds
        self.box2d_seconds += other.box2d_seconds
        self.case_seconds += other.case_seconds
        self.judging_seconds += other.judging_seconds
        kept = sorted(self.unexplained_pairs + other.unexplained_pairs, key=lambda one: one.place)
        self.unexplained_pairs = kept[:KEPT_UNEXPLAINED]

    @property
    def seconds(self) -> dict[str, float]:
        """Where the time went, summed over the processes: making cases, our answers, Box2D's, judging."""
        return {"cases": self.case_seconds, "ours": self.our_seconds, "box2d": self.box2d_seconds, "judging": self.judging_seconds}

    @property
    def how_wrong(self) -> dict[str, float]:
        """How often and how badly Box2D is wrong, under the names of the JSON; empty where it cannot be."""
        if self.wrong is None:
            return {}
        whole = KindTally()
        for kind in self.kinds.values():
            whole.add(kind)
        return self.wrong.as_json(whole)

    def _kind_json(self, kind: KindTally) -> dict[str, Any]:
        return {**kind.as_json(), **(self.wrong.as_json(kind) if self.wrong is not None else {})}

    def as_json(self, with_seconds: bool = False) -> dict[str, Any]:
        """Return the plain data of DESIGN.md 5; rates are per second of one process, `seconds` all that of all processes."""
        parts: dict[str, Any] = {}
        if self.kinds:
            parts["kinds"] = {name: self._kind_json(kind) for name, kind in sorted(self.kinds.items())}
        if self.random is not None:
            parts["random"] = self._kind_json(self.random)
        if self.histograms:
            parts["histograms"] = {name: histogram.as_json() for name, histogram in sorted(self.histograms.items())}
        return {
            "pairs": self.pairs,
            "touching": self.touching,
            "agree": self.agree,
            "explained": dict(sorted(self.explained.items())),
            "unexplained": self.unexplained,
            "max_point_error": self.max_point_error,
            "max_normal_error": self.max_normal_error,
            **self.how_wrong,
            **self.maxima,
            **parts,
            "ours_per_s": self.pairs / self.our_seconds if self.our_seconds > 0.0 else 0.0,
            "box2d_per_s": self.pairs / self.box2d_seconds if self.box2d_seconds > 0.0 else 0.0,
            **({"seconds": self.seconds} if with_seconds else {}),
        }
