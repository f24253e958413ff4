"""Simplifications of a failing pair, and the search for the simplest one: fewer digits, corners that are plainly corners."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from engine.compare.pair.file import Point

__all__ = [
    "APART",
    "GRIDS",
    "SimplerSearch",
    "box_around",
    "digits",
    "is_on_edge",
    "is_plain_polygon",
    "rounded",
    "with_rounded_corner",
    "without_corner",
]

_Pair = TypeVar("_Pair")

GRIDS = (1.0, 0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
"""Meters, of numbers to round to; a pair is brought to a size of some meters first."""

APART = 0.04
"""Share of the smaller shape's extent that corners keep from the other's edges, and centers from each other: a corner on an edge looks
like the reason."""

_SHORTEST_EDGE = 0.1
_MIN_TURN = 0.1
"""Limits of polygons: an edge against the shape's extent, and the sine between neighboring edges. Flatter ones look like mistakes."""


def digits(value: float) -> int:
    """Return how many characters a number takes; none for zero, and its sign is free.

    Examples
    --------
    >>> [digits(value) for value in (0.0, -2.0, 0.25)]
    [0, 1, 4]
    """
    return 0 if value == 0.0 else len(repr(abs(value)).removesuffix(".0"))


def rounded(value: float, grid: float) -> float:
    """Return the multiple of `grid` next to a value, with as few digits as it has; never a negative zero.

    Examples
    --------
    >>> rounded(0.333, 0.05), rounded(-0.1, 1.0)
    (0.35, 0.0)
    """
    return round(round(value / grid) * grid, 6) + 0.0


def is_plain_polygon(corners: Sequence[Point], farthest: float) -> bool:
    """Return True if corners go once round a convex shape, counter-clockwise, nowhere thin or nearly straight, and near the origin."""
    edges = [(qx - px, qy - py) for (px, py), (qx, qy) in zip(corners, [*corners[1:], corners[0]], strict=True)]
    lengths = [math.hypot(*edge) for edge in edges]
    if min(lengths) <= 0.0 or min(lengths) < _SHORTEST_EDGE * max(lengths) or max(max(abs(x), abs(y)) for x, y in corners) > farthest:
        return False
    around = 0.0
    for k, (ex, ey) in enumerate(edges):
        before, length = edges[k - 1], lengths[k] * lengths[k - 1]
        cross, dot = before[0] * ey - before[1] * ex, before[0] * ex + before[1] * ey
        if cross < _MIN_TURN * length:
            return False
        around += math.atan2(cross, dot)
    return around < 3.0 * math.pi  # once round, not twice


def is_on_edge(point: Point, corners: Sequence[Point], near: float) -> bool:
    """Return True if a point lies on an edge or corner of a closed outline, for the eye; a circle has its center."""
    for (px, py), (qx, qy) in zip(corners, [*corners[1:], corners[0]], strict=True):
        ex, ey = qx - px, qy - py
        length_sq = ex * ex + ey * ey
        share = min(1.0, max(0.0, ((point[0] - px) * ex + (point[1] - py) * ey) / length_sq)) if length_sq > 0.0 else 0.0
        if math.hypot(point[0] - px - share * ex, point[1] - py - share * ey) < near:
            return True
    return False


def box_around(corners: Sequence[Point], grid: float = 0.0) -> tuple[Point, ...]:
    """Return the corners of the box around an outline, rounded where there is a grid."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    left, bottom, right, top = (value if grid == 0.0 else rounded(value, grid) for value in (min(xs), min(ys), max(xs), max(ys)))
    return (left, bottom), (right, bottom), (right, top), (left, top)


def with_rounded_corner(corners: Sequence[Point], grid: float) -> Iterator[tuple[Point, ...]]:
    """Yield an outline with one of its corners rounded: its x, its y, or both."""
    for k, (x, y) in enumerate(corners):
        for at in ((rounded(x, grid), y), (x, rounded(y, grid)), (rounded(x, grid), rounded(y, grid))):
            yield *corners[:k], at, *corners[k + 1 :]


def without_corner(corners: Sequence[Point]) -> Iterator[tuple[Point, ...]]:
    """Yield an outline without each of its corners, if it has more than three."""
    if len(corners) > 3:
        for k in range(len(corners)):
            yield *corners[:k], *corners[k + 1 :]


class SimplerSearch(Generic[_Pair]):
    """The simplest pair that still fails, greedily: of the pairs made from the best so far the first that still fails, the cheapest tried
    first, takes its place, until none does or the time is over.

    Parameters
    ----------
    pair : one that fails
    simpler, cost, is_clear : callable
        Of a pair: pairs of which some may be simpler; what is to become less, corners, then digits; whether it shows plainly what there is
        to see. One that does is not left for one that does not.
    still_fails : callable
        Returns the first of some pairs that fails in the same way, None if none does.
    seconds, block, most_tries : float, int, float
        The time, the pairs tried at once, and those tried in all.
    """

    def __init__(
        self,
        pair: _Pair,
        simpler: Callable[[_Pair], Iterable[_Pair]],
        cost: Callable[[_Pair], tuple[int, int]],
        is_clear: Callable[[_Pair], bool],
        still_fails: Callable[[list[_Pair]], _Pair | None],
        seconds: float,
        block: int = 1,
        most_tries: float = math.inf,
    ) -> None:
        self.best, self.n_tries = pair, 0
        self._simpler, self._cost, self._is_clear, self._still_fails = simpler, cost, is_clear, still_fails
        self._end, self._block, self._most_tries = time.monotonic() + seconds, block, most_tries
        self._tried = {pair}
        self._needs_clear = is_clear(pair)

    @property
    def is_over(self) -> bool:
        """Whether there is no time left, or no try."""
        return self.n_tries >= self._most_tries or time.monotonic() >= self._end

    def run(self) -> None:
        """Improve the best until nothing simpler fails."""
        is_better = True
        while is_better and not self.is_over:
            most = self._cost(self.best)
            simpler = dict.fromkeys(pair for pair in self._simpler(self.best) if self._cost(pair) < most)
            is_better = self.take(sorted(simpler, key=self._cost))

    def take(self, pairs: Iterable[_Pair]) -> bool:
        """Take the first of some pairs that fails in the same way, if there is one; none is tried twice."""
        waiting = iter(pairs)
        while True:
            block: list[_Pair] = []
            for pair in waiting:
                if pair not in self._tried:
                    self._tried.add(pair)
                    if not self._needs_clear or self._is_clear(pair):
                        block.append(pair)
                if len(block) == self._block or self.is_over:
                    break
            self.n_tries += len(block)
            failing = self._still_fails(block) if block else None
            if failing is not None:
                self.best = failing
                self._needs_clear = self._needs_clear or self._is_clear(failing)
            if failing is not None or not block or self.is_over:
                return failing is not None
