"""What every verdict says of a difference."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Explanation"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One differing row: the reason (or "unexplained"), the size in metres, and what was shown."""

    row: int
    reason: str
    size: float
    evidence: str
