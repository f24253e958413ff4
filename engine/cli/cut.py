"""What ``trace`` measures of one method, for its table and its picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.decompose import BodyFile
    from engine.decompose.measures import Cover

__all__ = ["Cut"]

_ALLOWED_ERROR = 1e-6
"""Share of the outline's area that an exact way may miss, or cover besides."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What one method made of the outline: its body, how well it covers, how long it took, what Box2D refused of it.

    `at_least` is how many pieces `exact` needs in any case, where it is not known whether those found are the fewest.
    """

    method: str
    body: BodyFile
    cover: Cover
    seconds: float
    is_exact: bool
    refused: tuple[str, ...]
    at_least: int | None = None

    @property
    def n_vertices(self) -> int:
        """Of all polygons."""
        from engine.geometry import Polygon

        return sum(len(piece.vertices) for piece in self.body.pieces if isinstance(piece, Polygon))

    @property
    def is_valid(self) -> bool:
        """Box2D takes every piece, and an exact way covers the outline and nothing else."""
        return not self.refused and self.is_true_to_outline

    @property
    def is_true_to_outline(self) -> bool:
        """An exact way's union is the outline, by area and by distance; of the others nothing is asked."""
        if not self.is_exact:
            return True
        farthest = max(self.cover.farthest_missed, self.cover.farthest_excess)
        return self.cover.area_error <= _ALLOWED_ERROR and farthest <= self.body.tolerance
