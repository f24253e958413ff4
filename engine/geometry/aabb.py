"""The axis-aligned bounding box."""

from __future__ import annotations

from dataclasses import dataclass

from engine.common.checks import point
from engine.common.errors import InvalidInputError

__all__ = ["AABB"]


@dataclass(frozen=True, slots=True)
class AABB:
    """Closed box from `lower` to `upper`, world frame, meters; a point or a line if they share coordinates.

    Raises
    ------
    InvalidInputError
        A number is not finite, or `lower` lies above `upper`.
    """

    lower: tuple[float, float]
    upper: tuple[float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", point("lower", self.lower))
        object.__setattr__(self, "upper", point("upper", self.upper))
        if self.lower[0] > self.upper[0] or self.lower[1] > self.upper[1]:
            raise InvalidInputError("upper", f"at least as large as lower, {self.lower}, in both coordinates", self.upper)

    def overlaps(self, other: AABB) -> bool:
        """Return True if the boxes share a point; touching counts."""
        return (
            self.lower[0] <= other.upper[0]
            and other.lower[0] <= self.upper[0]
            and self.lower[1] <= other.upper[1]
            and other.lower[1] <= self.upper[1]
        )
