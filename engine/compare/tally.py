"""Counts of what agrees, what is explained and what is not, of one query of a bulk comparison."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["KEPT_UNEXPLAINED", "KindTally", "QueryTally", "Sizes", "UnexplainedPair"]

KEPT_UNEXPLAINED = 20
"""Of unexplained pairs, to be named one by one."""


@dataclass(frozen=True, slots=True)
class UnexplainedPair:
    """Where to find a pair again, and what was seen."""

    chunk: int
    row: int
    evidence: str


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


@dataclass(slots=True)
class QueryTally:
    """Counts of one query; the sums and maxima of two tallies do not depend on their order.

    `maxima` are further largest values, which only this query has, under their names in the JSON; `kinds` the counts of each kind of
    pair or shape, `random` those of the cases that belong to no adversarial family.
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
    our_seconds: float = 0.0
    box2d_seconds: float = 0.0
    case_seconds: float = 0.0
    judging_seconds: float = 0.0
    unexplained_pairs: list[UnexplainedPair] = field(default_factory=list)

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
        self.our_seconds += other.our_seconds
        self.box2d_seconds += other.box2d_seconds
        self.case_seconds += other.case_seconds
        self.judging_seconds += other.judging_seconds
        kept = sorted(self.unexplained_pairs + other.unexplained_pairs, key=lambda pair: (pair.chunk, pair.row))
        self.unexplained_pairs = kept[:KEPT_UNEXPLAINED]

    @property
    def seconds(self) -> dict[str, float]:
        """Where the time went, summed over the processes: making cases, our answers, Box2D's, judging."""
        return {"cases": self.case_seconds, "ours": self.our_seconds, "box2d": self.box2d_seconds, "judging": self.judging_seconds}

    def as_json(self, with_seconds: bool = False) -> dict[str, Any]:
        """Return the plain data of DESIGN.md 5; rates are per second of one process, `seconds` all that of all processes."""
        missed = {"missed_share": self.explained["toi_missed"] / max(1, self.touching)} if "worst_missed_depth" in self.maxima else {}
        kinds = {name: kind.as_json() for name, kind in sorted(self.kinds.items())}
        parts: dict[str, Any] = {"kinds": kinds} if kinds else {}
        if self.random is not None:
            parts["random"] = self.random.as_json()
        return {
            "pairs": self.pairs,
            "touching": self.touching,
            "agree": self.agree,
            "explained": dict(sorted(self.explained.items())),
            "unexplained": self.unexplained,
            "max_point_error": self.max_point_error,
            "max_normal_error": self.max_normal_error,
            **self.maxima,
            **missed,
            **parts,
            "ours_per_s": self.pairs / self.our_seconds if self.our_seconds > 0.0 else 0.0,
            "box2d_per_s": self.pairs / self.box2d_seconds if self.box2d_seconds > 0.0 else 0.0,
            **({"seconds": self.seconds} if with_seconds else {}),
        }
