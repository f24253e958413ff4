"""How many differences are how large: counts between fixed edges, whose sums do not depend on their order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["EDGES", "Histogram"]

_DECADES = range(-12, 6)
"""From a picometre, or a millionth of a millionth: float64 itself rounds to that."""

EDGES: tuple[float, ...] = (*(float(f"{digit}e{decade}") for decade in _DECADES for digit in (1, 2, 5)), 1e6)
"""1, 2 and 5 of each decade. Bin 0 lies below the first, bin k from edge k - 1 up to, but not including, edge k."""


@dataclass(slots=True)
class Histogram:
    """Counts by bin; a bin without any is left out."""

    counts: Counter[int] = field(default_factory=Counter)

    @classmethod
    def of(cls, values: FloatArray) -> Histogram:
        """Count some values, none of them negative."""
        found, n = np.unique(np.searchsorted(EDGES, values, side="right"), return_counts=True)
        return cls(Counter(dict(zip(found.tolist(), n.tolist(), strict=True))))

    @property
    def total(self) -> int:
        """How many values there are."""
        return self.counts.total()

    def add(self, other: Histogram) -> None:
        """Add the counts of another."""
        self.counts.update(other.counts)

    def as_json(self) -> list[list[float | int | None]]:
        """Return ``[from, up to, how many]`` of each bin that has any, upwards; the last has no end."""
        return [[*_ends(at), n] for at, n in sorted(self.counts.items())]


def _ends(at: int) -> tuple[float, float | None]:
    return EDGES[at - 1] if at > 0 else 0.0, EDGES[at] if at < len(EDGES) else None
