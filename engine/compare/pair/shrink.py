"""The smallest pair on which Box2D and we still differ: fewer corners, rounder numbers, a simpler pose.

Greedy: of the best so far a list of simpler pairs is made, simplest first, and the first that still differs takes its place, until none
does. What counts as differing is the caller's question, so that the answer cannot drift from an unexplained pair to an explained one.
The pair is moved as a whole first, to the origin and with A unturned; each shape, pose, ray and motion after that by itself. No corner
comes to lie on the other shape's edge, where none lay before: it would look like the reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.compare.pair.candidates import ANGLES, brought_home, simpler_pairs
from engine.compare.pair.file import Pair
from engine.compare.pair.simpler import APART, digits, is_on_edge
from engine.geometry import AnyShape, Polygon, Segment

__all__ = ["Shrunk", "corner_count", "shrink"]

MOST_TRIES = 6000
"""Questions asked about one pair: the same pair comes out on a slow machine as on a fast one, unless time runs out."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smallest pair found, how often somebody was asked, and whether there was time for all of it."""

    pair: Pair
    n_tries: int
    is_whole: bool


def shrink(pair: Pair, differs: Callable[[Pair], bool], seconds: float) -> Shrunk:
    """Return the simplest pair found in about `seconds` on which they still differ; it is `pair` itself if it is simple already.

    `differs` answers for any pair of the same query; it is not asked about `pair`.
    """
    pair = replace(pair, provenance=None, outsider=None, note="")
    search = _Search(pair, differs, seconds)
    for home in brought_home(pair):
        if search.try_one(home):
            break
    while search.improve():
        pass
    return Shrunk(search.best, search.n_tries, not search.is_over)


def corner_count(pair: Pair) -> int:
    """Return the corners of both shapes, neighbours of an edge too; a circle counts as one."""
    return sum(_corners(shape) for shape in (pair.shape_a, pair.shape_b) if shape is not None)


class _Search:
    def __init__(self, pair: Pair, differs: Callable[[Pair], bool], seconds: float) -> None:
        self.best, self.n_tries = pair, 0
        self._differs, self._end = differs, time.monotonic() + seconds
        self._tried = {_key(pair)}
        self._needs_clear = _is_clear(pair)

    @property
    def is_over(self) -> bool:
        return self.n_tries >= MOST_TRIES or time.monotonic() >= self._end

    def improve(self) -> bool:
        """Take the simplest of all simpler pairs that still differs; False if there is none, or no time."""
        cost = _cost(self.best)
        simpler = {_key(one): one for one in simpler_pairs(self.best) if _cost(one) < cost}
        return any(self.try_one(one) for one in sorted(simpler.values(), key=_cost) if not self.is_over)

    def try_one(self, pair: Pair) -> bool:
        """Take a pair if it still differs."""
        key = _key(pair)
        if key in self._tried:
            return False
        self._tried.add(key)
        is_clear = _is_clear(pair)
        if self._needs_clear and not is_clear:
            return False
        self.n_tries += 1
        if not self._differs(pair):
            return False
        self.best, self._needs_clear = pair, is_clear
        return True


def _is_clear(pair: Pair) -> bool:
    """Tell whether no corner, or centre, of one shape lies on the other, as they stand; of a motion, a ray or a point nothing is asked."""
    if pair.shape_b is None or pair.end_a is not None:
        return True
    sides = []
    for shape, pose in ((pair.shape_a, pair.pose_a), (pair.shape_b, pair.pose_b)):
        sides.append([pose.apply(at) for at in shape.core.tolist()])
    near = APART * min(_extent(pair.shape_a), _extent(pair.shape_b))
    return not any(is_on_edge(at, other, near) for one, other in (sides, sides[::-1]) for at in one)


def _extent(shape: AnyShape) -> float:
    round_by = 2.0 * (shape.radius - shape.skin_radius)
    return float(np.ptp(shape.core, axis=0).max()) + round_by


def _corners(shape: AnyShape) -> int:
    return len(shape.core) + len(_ghosts(shape))


def _ghosts(shape: AnyShape) -> list[Point]:
    return [ghost for ghost in (shape.ghost1, shape.ghost2) if ghost is not None] if isinstance(shape, Segment) else []


def _cost(pair: Pair) -> tuple[int, int]:
    """Return what is to become less: corners, then digits. A motion is as many digits as its ends; one that stands has none."""
    count = 0
    for shape in (pair.shape_a, pair.shape_b):
        count += sum(digits(value) for value in _numbers(shape)) if shape is not None else 0
    for pose, end in ((pair.pose_a, pair.end_a), (pair.pose_b, pair.end_b)):
        count += sum(_angle_digits(value) if k == 2 else digits(value) for k, value in enumerate((*pose.position, pose.angle)))
        if end is not None and end != pose:
            count += 1 + sum(_angle_digits(value) if k == 2 else digits(value) for k, value in enumerate((*end.position, end.angle)))
    for point in (*(pair.ray or ()), *(() if pair.point is None else (pair.point,))):
        count += digits(point[0]) + digits(point[1])
    return corner_count(pair), count


def _angle_digits(angle: float) -> int:
    """Return the digits of an angle; a multiple of 30, 45 or 90 degrees is as simple as a number of two."""
    return min(digits(angle), 2) if any(round(angle / grid) * grid == angle for grid in ANGLES if grid > 0.1) else digits(angle)


def _numbers(shape: AnyShape) -> list[float]:
    radius = [] if isinstance(shape, Polygon | Segment) else [shape.radius]
    return [*shape.core.ravel().tolist(), *radius, *(value for ghost in _ghosts(shape) for value in ghost)]


def _key(pair: Pair) -> tuple[object, ...]:
    """Return what tells pairs of one query apart."""
    shapes = [None if shape is None else (type(shape), *_numbers(shape), _corners(shape)) for shape in (pair.shape_a, pair.shape_b)]
    return *shapes, pair.pose_a, pair.pose_b, pair.end_a, pair.end_b, pair.ray, pair.point
