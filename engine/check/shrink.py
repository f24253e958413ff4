"""The smallest pair that still fails in the same way, found by `engine.compare.pair.shrink` over shapes in world coordinates.

A pair that is clear stays clear: the fault is at least a tenth of the smaller shape, the shapes overlap or are separated by at least as
much, no corner is on an edge, and there is only one right normal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from engine.check.kinds import KINDS
from engine.check.plain import PlainPair, PlainShape, core_of, is_circle, pair_of, plain_pair
from engine.check.truth import Truth, unit
from engine.check.verdicts import Reply
from engine.common.errors import InvalidShapeError
from engine.compare.pair.file import Pair, Provenance
from engine.compare.pair.shrink import APART, is_on_edge, is_plain_polygon, middle_of, moved, placed
from engine.compare.pair.shrink import shrink as shrink_pair
from engine.contracts.agreement import Verdict
from engine.geometry import Circle, Polygon, Transform

__all__ = ["Failure", "corner_count", "is_clear", "is_sound", "shrink", "visible_share"]

_VISIBLE = 0.1
"""Minimum size of a fault, and of the overlap or gap, as a share of the smaller shape's extent. Angles are in radians."""

_DEEPEST = 0.6
"""Maximum overlap as a share of the smaller shape's extent, because a deep overlap is harder to read."""

_RIVAL = 0.03
"""Minimum difference between the best direction and others, as a share of the smaller shape's extent."""

_ONE_WAY = 0.02
"""Angle below which two directions look equal, radians."""

_FARTHEST = 50.0
_BLOCK = 16
"""Number of pairs tried at once."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A pair, the reply, the verdict on its fault, and the place in the sequence of the pair, or of the pair that it was made from."""

    pair: PlainPair
    reply: Reply
    fault: Verdict
    place: Provenance | None = None


Try = Callable[[list[PlainPair]], list[Failure | None]]
"""Calls the function on pairs; returns for each its failure of the required kind, if there is one."""


def shrink(failure: Failure, attempt: Try, seconds: float, block: int = _BLOCK) -> Failure:
    """Return the simplest pair found in about `seconds` that fails in the same way."""
    best = failure

    def still_fails(pairs: list[Pair]) -> Pair | None:
        nonlocal best
        required, plain = min(visible_share(best), _VISIBLE), list(map(_plain, pairs))
        for pair, other in zip(pairs, attempt(plain), strict=True):
            if other is not None and visible_share(other) >= required:
                best = other
                return pair
        return None

    def home(pair: Pair) -> list[Pair]:
        at_origin = placed(moved(pair, Transform(middle_of(pair.shape_a))))
        size = max(_extent(failure.pair.a), _extent(failure.pair.b))
        return [placed(at_origin, 2.0 ** -math.floor(math.log2(size))), at_origin]

    def shows_plainly(pair: Pair) -> bool:
        plain = _plain(pair)
        return is_sound(plain) and is_clear(plain)

    try:
        pair = pair_of(failure.pair)
    except InvalidShapeError:  # rounding into the world may make a needle an invalid polygon
        return failure
    shrink_pair(pair, still_fails, seconds, home, shows_plainly, block, math.inf)
    return best


def _plain(pair: Pair) -> PlainPair:
    assert isinstance(pair.shape_a, Circle | Polygon) and isinstance(pair.shape_b, Circle | Polygon)
    return plain_pair(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)


def visible_share(failure: Failure) -> float:
    """Return the size of a fault; a length is relative to the smaller shape."""
    unit = KINDS[failure.fault.reason].unit
    if not unit.startswith("m "):
        return math.radians(failure.fault.size) if unit.startswith("°") else failure.fault.size
    return failure.fault.size / min(_extent(failure.pair.a), _extent(failure.pair.b))


def is_clear(pair: PlainPair) -> bool:
    """Return True if the correct answer is visible: a clear overlap or gap, and one clearly best direction."""
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


def is_sound(pair: PlainPair) -> bool:
    """Return True if both shapes are convex, counter-clockwise, and nowhere thin or nearly straight."""
    return all(
        _is_sound_circle(shape) if is_circle(shape) else is_plain_polygon(core_of(shape)[0], _FARTHEST) for shape in (pair.a, pair.b)
    )


def _is_sound_circle(shape: PlainShape) -> bool:
    ((x, y),), radius = core_of(shape)
    return radius > 0.0 and max(abs(x), abs(y)) <= _FARTHEST


def _extent(shape: PlainShape) -> float:
    corners, radius = core_of(shape)
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return max(max(xs) - min(xs), max(ys) - min(ys)) + 2.0 * radius
