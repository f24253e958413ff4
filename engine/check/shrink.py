"""The smallest pair that still fails in the same way: fewer corners, rounder numbers, a simpler pose.

The search is that of `engine.compare.pair.simpler`. What a pair shows must stay clear meanwhile, unless it was not so at first: the fault
is no smaller than a tenth of the smaller shape, the shapes overlap or are apart by as much, no corner is on an edge, and there is one
right normal only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.check.kinds import KINDS
from engine.check.plain import PlainPair, PlainShape, Point, core_of, is_circle
from engine.check.truth import Truth, unit
from engine.check.verdicts import Fault, Reply
from engine.compare.pair.simpler import (
    APART,
    GRIDS,
    SimplerSearch,
    box_around,
    digits,
    is_on_edge,
    is_plain_polygon,
    with_rounded_corner,
    without_corner,
)
from engine.compare.pair.simpler import rounded as round_to

__all__ = ["Failure", "corner_count", "is_clear", "is_sound", "shrink", "visible_share"]

_VISIBLE = 0.1
"""Share of the smaller shape's extent that a fault, and the overlap or gap itself, keeps. An angle counts in radians."""

_DEEPEST = 0.6
"""Share of the smaller shape's extent that the two overlap at the most: one deep in the other is harder to read."""

_RIVAL = 0.03
"""Share of the smaller shape's extent by which another direction must be worse to be no rival of the best."""

_ONE_WAY = 0.02
"""Radians within which directions are one, for the eye."""

_FARTHEST = 50.0
_BLOCK = 16
"""Number of pairs tried at once."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A pair, the reply, and its fault."""

    pair: PlainPair
    reply: Reply
    fault: Fault


Try = Callable[[list[PlainPair]], list[Failure | None]]
"""Calls the function on pairs; returns for each the failure of the kind looked for, if there is one."""


def shrink(failure: Failure, attempt: Try, seconds: float, block: int = _BLOCK) -> Failure:
    """Return the simplest pair found in about `seconds` that fails in the same way."""
    best = failure

    def still_fails(pairs: list[PlainPair]) -> PlainPair | None:
        nonlocal best
        required = min(visible_share(best), _VISIBLE)
        failure = next(
            (
                attempt_failure
                for attempt_failure in attempt(pairs)
                if attempt_failure is not None and visible_share(attempt_failure) >= required
            ),
            None,
        )
        best = best if failure is None else failure
        return None if failure is None else failure.pair

    search = SimplerSearch(failure.pair, _simpler, _cost, is_clear, still_fails, seconds, block)
    for moved in _brought_home(failure.pair):
        search.take([moved])
    search.run()
    return best


def visible_share(failure: Failure) -> float:
    """Return how large a fault is: against the smaller of the two shapes if it is a length."""
    if not KINDS[failure.fault.kind].unit.startswith("m "):
        return failure.fault.size
    return failure.fault.size / min(_extent(failure.pair.a), _extent(failure.pair.b))


def is_clear(pair: PlainPair) -> bool:
    """Return True if the right answer is visible: a clear overlap or gap, and one clearly best direction."""
    truth, size = Truth(pair), min(_extent(pair.a), _extent(pair.b))
    if not -_DEEPEST * size <= float(truth.separation) <= -_VISIBLE * size and not truth.separation >= _VISIBLE * size:
        return False
    (core_a, _), (core_b, _) = core_of(pair.a), core_of(pair.b)
    if any(is_on_edge(corner, other, APART * size) for core, other in ((core_a, core_b), (core_b, core_a)) for corner in core):
        return False
    ways = [unit(way) for way in truth.best(_RIVAL * size)]
    return truth.separation > 0 or all(math.hypot(x - ways[0][0], y - ways[0][1]) < _ONE_WAY for x, y in ways)


def corner_count(pair: PlainPair) -> int:
    """Return the corners of both shapes; a circle counts as one."""
    return len(core_of(pair.a)[0]) + len(core_of(pair.b)[0])


def _brought_home(pair: PlainPair) -> Iterator[PlainPair]:
    """Yield the pair moved to the origin, at its size and at one of about a meter."""
    (x, y), size = _middle(pair.a), max(_extent(pair.a), _extent(pair.b))
    for scale in (1.0, 2.0 ** -math.floor(math.log2(size))):
        yield _mapped(pair, lambda px, py: ((px - x) * scale, (py - y) * scale), scale)  # noqa: B023 - used at once


def _simpler(pair: PlainPair) -> Iterator[PlainPair]:
    """Yield sound pairs of which some may be simpler."""
    return filter(is_sound, _changed(pair))


def _changed(pair: PlainPair) -> Iterator[PlainPair]:
    a, b = pair.a, pair.b
    put_a: Callable[[PlainShape], PlainPair] = lambda shape: PlainPair(shape, b)  # noqa: E731
    put_b: Callable[[PlainShape], PlainPair] = lambda shape: PlainPair(a, shape)  # noqa: E731
    for shape, put in ((a, put_a), (b, put_b)):
        corners = core_of(shape)[0]
        yield from map(put, without_corner(corners))
        if len(corners) > 4:
            yield put(box_around(corners))
    turns = [pair, *(_turned(pair, angle) for angle in _edge_angles(pair))]
    for grid in GRIDS:
        for turned in turns:
            yield _rounded(turned, grid)
            x, y = _middle(turned.a)
            yield _rounded(_mapped(turned, lambda px, py: (px - x, py - y)), grid)  # noqa: B023 - used at once
    for grid in GRIDS:
        yield PlainPair(_rounded_shape(a, grid), b)
        yield PlainPair(a, _rounded_shape(b, grid))
        for shape, put in ((b, put_b), (a, put_a)):
            if not is_circle(shape):
                yield put(box_around(core_of(shape)[0], grid))
        for shape, put in ((a, put_a), (b, put_b)):
            corners, radius = core_of(shape)
            yield from (put(_put(shape, moved, radius)) for moved in with_rounded_corner(corners, grid))
            if is_circle(shape):
                yield put((*corners[0], round_to(radius, grid)))


def is_sound(pair: PlainPair) -> bool:
    """Return True if both shapes are convex, counter-clockwise, and nowhere thin or nearly straight."""
    return all(
        _is_sound_circle(shape) if is_circle(shape) else is_plain_polygon(core_of(shape)[0], _FARTHEST) for shape in (pair.a, pair.b)
    )


def _is_sound_circle(shape: PlainShape) -> bool:
    ((x, y),), radius = core_of(shape)
    return radius > 0.0 and max(abs(x), abs(y)) <= _FARTHEST


def _cost(pair: PlainPair) -> tuple[int, int]:
    numbers = [value for shape in (pair.a, pair.b) for corner in core_of(shape)[0] for value in corner]
    numbers += [core_of(shape)[1] for shape in (pair.a, pair.b)]
    return corner_count(pair), sum(digits(value) for value in numbers)


def _extent(shape: PlainShape) -> float:
    corners, radius = core_of(shape)
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return max(max(xs) - min(xs), max(ys) - min(ys)) + 2.0 * radius


def _middle(shape: PlainShape) -> Point:
    corners = core_of(shape)[0]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return 0.5 * (min(xs) + max(xs)), 0.5 * (min(ys) + max(ys))


def _edge_angles(pair: PlainPair) -> list[float]:
    angles = []
    for shape in (pair.a, pair.b):
        corners = core_of(shape)[0]
        if len(corners) > 1:
            angles += [math.atan2(qy - py, qx - px) for (px, py), (qx, qy) in zip(corners, corners[1:] + corners[:1], strict=True)]
    return angles


def _mapped(pair: PlainPair, move: Callable[[float, float], Point], scale: float = 1.0) -> PlainPair:
    a, b = (_put(shape, tuple(move(x, y) for x, y in core_of(shape)[0]), core_of(shape)[1] * scale) for shape in (pair.a, pair.b))
    return PlainPair(a, b)


def _put(shape: PlainShape, corners: tuple[Point, ...], radius: float) -> PlainShape:
    return (*corners[0], radius) if is_circle(shape) else corners


def _turned(pair: PlainPair, angle: float) -> PlainPair:
    """Return the pair turned so that what pointed along `angle` points along x."""
    c, s = math.cos(angle), math.sin(angle)
    return _mapped(pair, lambda x, y: (c * x + s * y, c * y - s * x))


def _rounded_shape(shape: PlainShape, grid: float) -> PlainShape:
    corners, radius = core_of(shape)
    return _put(shape, tuple((round_to(x, grid), round_to(y, grid)) for x, y in corners), round_to(radius, grid))


def _rounded(pair: PlainPair, grid: float) -> PlainPair:
    return PlainPair(_rounded_shape(pair.a, grid), _rounded_shape(pair.b, grid))
