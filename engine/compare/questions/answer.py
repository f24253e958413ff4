"""One side's answer to a pair, in words and points."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.common.arrays import FloatArray
from engine.compare.pair.file import Point

__all__ = ["Answer", "finite_point", "length_words"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One side's answer, summarized in `words` in one line; what the query does not have is None or empty.

    `normal` is a unit vector from A to B, or outward at a ray's hit; `points` are those of a manifold or a hit, with the `separations`
    there, meters, of the shapes without skins, negative where they overlap. `witnesses` are the points of A and of B of a `distance`,
    meters; `fraction` is of the motion or the ray. `is_yes` where they overlap, touch, hit or contain.
    """

    words: str
    normal: Point | None = None
    points: tuple[Point, ...] = ()
    separations: tuple[float, ...] = ()
    witnesses: tuple[Point, Point] | None = None
    distance: float | None = None
    fraction: float | None = None
    is_yes: bool = False

    @property
    def depth(self) -> float:
        """How far B must move along the normal until the deepest point just touches, skins left out; 0 where none overlaps."""
        return max(0.0, -min(self.separations, default=0.0))


def length_words(meters: float) -> str:
    """Return a length in words, with its unit."""
    return f"{1e3 * meters:.4g} mm" if abs(meters) < 1.0 else f"{meters:.5g} m"


def finite_point(row: FloatArray) -> Point:
    """Return a row (2,) as a point, the origin where it is not finite."""
    x, y = float(row[0]), float(row[1])
    return (x, y) if math.isfinite(x + y) else (0.0, 0.0)
