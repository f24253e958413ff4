"""Common parts of all verdicts: on all rows of a query, and on each difference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray

__all__ = ["Explanation", "Verdicts"]


class Explanation(NamedTuple):
    """One differing row: the reason (or "unexplained"), the size in meters, and what was shown."""

    row: int
    reason: str
    size: float
    evidence: str


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The judgment of n rows; those that are no difference agree.

    Attributes
    ----------
    is_touching : (n,)
        As the query counts it: Box2D's contacts, hits and hulls, our touches in time; nothing touches where one shape is asked about.
    max_point_error, max_normal_error : float
        The largest over the agreeing rows, meters and components of a unit vector.
    maxima : dict
        Further largest values, which only this query has, by their names in the JSON.
    errors : dict
        Errors to count by size, of the rows that touch and agree: ``point_error``, ``normal_error`` or ``fraction_error``.
    """

    is_touching: NDArray[np.bool_]
    differences: tuple[Explanation, ...]
    max_point_error: float = 0.0
    max_normal_error: float = 0.0
    maxima: dict[str, float] = field(default_factory=dict)
    errors: dict[str, FloatArray] = field(default_factory=dict)

    @property
    def n_pairs(self) -> int:
        """Rows judged."""
        return len(self.is_touching)

    @property
    def n_touching(self) -> int:
        """Rows that touch."""
        return int(self.is_touching.sum())

    @property
    def n_agree(self) -> int:
        """Rows without a difference."""
        return self.n_pairs - len(self.differences)

    @property
    def n_unexplained(self) -> int:
        """Rows without a proved reason."""
        return sum(difference.reason == "unexplained" for difference in self.differences)
