"""One side's answer about one pair, in words and in points."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.compare.asked.motions import Impacts
from engine.compare.asked.rays import Rays
from engine.compare.pair.file import Pair
from engine.contracts.status import Status

__all__ = ["Answer", "Point", "distance_words", "impact_answer", "length_words", "manifold_answer", "point_of", "ray_answer"]

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Answer:
    """One side's answer; what the query does not have is None or empty.

    Attributes
    ----------
    words : str
        The whole of it in one line.
    normal : pair of float
        Unit, from A to B, or outward at a ray's hit.
    points : tuple of points
        Of a manifold or a hit.
    separations : tuple of float
        Metres, at the points: the gap of the shapes without skins, negative where they overlap.
    witnesses : (point of A, point of B)
        Of a distance.
    distance : float
        Metres.
    fraction : float
        Of the motion or the ray.
    is_yes : bool
        Overlap, containment, touch, hit.
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
        """How far B must go along the normal until the deepest point just touches, skins left out; 0 where none overlaps."""
        return max(0.0, -min(self.separations, default=0.0))


def manifold_answer(count: int, normal: FloatArray, points: FloatArray, overlaps: bool) -> Answer:
    """Return a manifold: normal (2,), points (2, 3) x, y, separation, of which the first `count` are."""
    if count == 0:
        return Answer("no contact" + (", overlap" if overlaps else ""), is_yes=overlaps)
    separations = tuple(float(points[k, 2]) for k in range(count))
    x, y = point_of(normal)
    lowest = min(separations)
    gap = f"depth {length_words(-lowest)}" if lowest <= 0.0 else f"gap {length_words(lowest)}"
    words = f"normal ({x:+.3f}, {y:+.3f}), {gap}, {counted(count, 'point')}"
    return Answer(words, (x, y), tuple(point_of(points[k, :2]) for k in range(count)), separations, is_yes=overlaps)


def impact_answer(impacts: Impacts) -> Answer:
    """Return the only time of impact."""
    status, fraction = Status(int(impacts.status[0])), float(impacts.fraction[0])
    words = {
        Status.HIT: f"touch at {fraction:.6f} of the step",
        Status.MISS: "no touch",
        Status.OVERLAPPING: "overlapping from the start",
        Status.OUT_OF_ITERATIONS: f"gave up at {fraction:.6f} of the step",
    }.get(status, status.name.lower())
    return Answer(words, fraction=fraction if status != Status.MISS else None, is_yes=status in (Status.HIT, Status.OVERLAPPING))


def ray_answer(pair: Pair, rays: Rays) -> Answer:
    """Return the only hit of the pair's ray."""
    assert pair.ray is not None
    status, fraction = Status(int(rays.status[0])), float(rays.fraction[0])
    if status == Status.MISS:
        return Answer("no hit")
    (x0, y0), (x1, y1) = pair.ray
    if status == Status.OVERLAPPING:
        return Answer("hit at the start, inside", points=(pair.ray[0],), fraction=0.0, is_yes=True)
    u, v = point_of(rays.normal[0])
    at = (x0 + fraction * (x1 - x0), y0 + fraction * (y1 - y0))
    return Answer(f"hit at {fraction:.6f}, normal ({u:+.3f}, {v:+.3f})", (u, v), (at,), fraction=fraction, is_yes=True)


def distance_words(gap: float) -> str:
    """Return a distance in words; 0 or less is an overlap."""
    return f"{length_words(gap)} apart" if gap > 0.0 else "overlapping"


def length_words(metres: float) -> str:
    """Return a length in words, with its unit."""
    return f"{1e3 * metres:.4g} mm" if abs(metres) < 1.0 else f"{metres:.5g} m"


def point_of(row: FloatArray) -> Point:
    """Return a row (2,) as a point, the origin where it is not finite."""
    x, y = float(row[0]), float(row[1])
    return (x, y) if math.isfinite(x + y) else (0.0, 0.0)
