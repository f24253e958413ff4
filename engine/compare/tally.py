"""Counts of what agrees, what is explained and what is not, of one query of a bulk comparison."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["KEPT_UNEXPLAINED", "QueryTally", "UnexplainedPair"]

KEPT_UNEXPLAINED = 20
"""Of unexplained pairs, to be named one by one."""


@dataclass(frozen=True, slots=True)
class UnexplainedPair:
    """Where to find a pair again, and what was seen."""

    chunk: int
    row: int
    evidence: str


@dataclass(slots=True)
class QueryTally:
    """Counts of one query; the sums and maxima of two tallies do not depend on their order.

    `maxima` are further largest values, which only this query has, under their names in the JSON.
    """

    pairs: int = 0
    touching: int = 0
    agree: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    unexplained: int = 0
    max_point_error: float = 0.0
    max_normal_error: float = 0.0
    maxima: dict[str, float] = field(default_factory=dict)
    our_seconds: float = 0.0
    box2d_seconds: float = 0.0
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
        self.our_seconds += other.our_seconds
        self.box2d_seconds += other.box2d_seconds
        kept = sorted(self.unexplained_pairs + other.unexplained_pairs, key=lambda pair: (pair.chunk, pair.row))
        self.unexplained_pairs = kept[:KEPT_UNEXPLAINED]

    def as_json(self) -> dict[str, Any]:
        """Return the plain data of DESIGN.md 5; rates are per second of one process."""
        missed = {"missed_share": self.explained["toi_missed"] / max(1, self.touching)} if "worst_missed_depth" in self.maxima else {}
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
            "ours_per_s": self.pairs / self.our_seconds if self.our_seconds > 0.0 else 0.0,
            "box2d_per_s": self.pairs / self.box2d_seconds if self.box2d_seconds > 0.0 else 0.0,
        }
