"""The axis-aligned bounding box."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AABB"]


@dataclass(frozen=True, slots=True)
class AABB:
    """Closed box from `lower` to `upper`, world frame, metres."""

    lower: tuple[float, float]
    upper: tuple[float, float]

    def overlaps(self, other: AABB) -> bool:
        """Tell whether the boxes share a point; touching counts."""
        return (
            self.lower[0] <= other.upper[0]
            and other.lower[0] <= self.upper[0]
            and self.lower[1] <= other.upper[1]
            and other.lower[1] <= self.upper[1]
        )
