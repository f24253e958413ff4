"""Shrinks a pair to the smallest one that still fails in the same way: fewer corners, rounder numbers, a simpler pose.

The caller decides which pairs fail, so that the search cannot drift from an unexplained pair to an explained one. The pair is first moved
to the origin as a whole; then each shape, pose, ray and motion is simplified separately. No corner is moved onto the other shape's edge if
none was there before, because that would look like the reason.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_NUMBER
from engine.compare.pair.file import Pair, Point
from engine.geometry import AnyShape, Circle, Polygon, Segment, Transform

__all__ = ["APART", "Shrunk", "corner_count", "is_on_edge", "is_plain_polygon", "middle_of", "moved", "placed", "shrink"]

MAX_TRIES = 6000
"""Maximum number of candidates: a limit on the count gives the same result on slow and fast machines, unless time runs out."""

APART = 0.04
"""Share of the smaller shape's extent that corners keep from the other's edges, and centers from each other: a corner on an edge looks
like the reason."""

_GRIDS = (1.0, 0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
"""Grids to which numbers are rounded, meters."""

_QUARTER = 0.5 * math.pi
_RIGHT_ANGLES = (_QUARTER, 0.5 * _QUARTER, _QUARTER / 3.0)
_FINE_ANGLES = (0.1, 0.01)
"""Grids to which angles are rounded, radians."""

_SHORTEST_EDGE = 0.1
_MIN_TURN = 0.1
"""Limits of polygons: an edge against the shape's extent, and the sine between neighboring edges. Flatter ones look like mistakes."""

_SHAPES, _POSES = ("shape_a", "shape_b"), ("pose_a", "pose_b", "end_a", "end_b")
_HERE = Transform()


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smallest pair found, the number of tried pairs, and whether there was time for all candidates."""

    pair: Pair
    n_tries: int
    is_whole: bool


def corner_count(pair: Pair) -> int:
    """Return the corners of both shapes, neighbors of an edge too; a circle counts as one."""
    return sum(len(_points(shape)) for shape in _fields(pair, _SHAPES).values())


def shrink(
    pair: Pair,
    still_fails: Callable[[list[Pair]], Pair | None],
    seconds: float,
    home: Callable[[Pair], Iterable[Pair]] | None = None,
    is_clear: Callable[[Pair], bool] | None = None,
    block: int = 1,
    max_tries: float = MAX_TRIES,
) -> Shrunk:
    """Return the simplest pair found in about `seconds` that still fails, possibly `pair` itself.

    The search is greedy: of the candidates made from the best pair so far, in order of cost, the first that still fails replaces it.

    Parameters
    ----------
    still_fails : callable
        Returns the first of some pairs of the same query that fails in the same way, or None. It is not called for `pair` itself.
    home : callable, optional
        Returns the pair, moved as a whole in several ways.
    is_clear : callable, optional
        Returns True if the failure is easy to see in a pair; such a pair is never replaced by one in which it is not.
    block : int
        Number of pairs tried at once.
    """
    best, n_tries, end = replace(pair, provenance=None, outsider=None, note=""), 0, time.monotonic() + seconds
    is_clear = _is_clear if is_clear is None else is_clear
    tried, needs_clear = {best}, is_clear(best)

    def is_over() -> bool:
        return n_tries >= max_tries or time.monotonic() >= end

    def first_failing(pairs: Iterable[Pair]) -> Pair | None:
        """Return the first of some pairs that fails in the same way; none is tried twice."""
        nonlocal n_tries
        waiting = iter(pairs)
        while True:
            some: list[Pair] = []
            for other in waiting:
                if other not in tried:
                    tried.add(other)
                    if not needs_clear or is_clear(other):
                        some.append(other)
                if len(some) == block or is_over():
                    break
            n_tries += len(some)
            failing = still_fails(some) if some else None
            if failing is not None or not some or is_over():
                return failing

    failing = first_failing((_brought_home if home is None else home)(best))
    while True:
        if failing is not None:
            best, needs_clear = failing, needs_clear or is_clear(failing)
        if is_over():
            return Shrunk(best, n_tries, False)
        cost = {other: _cost(other) for other in _simpler_pairs(best)}
        most = _cost(best)
        failing = first_failing(sorted((other for other in cost if cost[other] < most), key=cost.__getitem__))
        if failing is None and not is_over():
            return Shrunk(best, n_tries, True)


def _fields(pair: Pair, names: Sequence[str]) -> dict[str, Any]:
    """Return the pair's fields, without the pose of B if there is no B."""
    fields = {name: getattr(pair, name) for name in names if pair.shape_b is not None or not name.endswith("_b")}
    return {name: value for name, value in fields.items() if value is not None}


# --- Candidates for simpler pairs


def _brought_home(pair: Pair) -> Iterator[Pair]:
    """Yield the pair moved to the origin: with A unrotated there, with A's rotation kept, or with the middle between the two there."""
    x, y = pair.pose_a.position
    yield moved(pair, Transform((x, y), pair.pose_a.angle))
    yield moved(pair, Transform((x, y)))
    yield moved(pair, Transform((_rounded(x, 1.0), _rounded(y, 1.0))))


def moved(pair: Pair, frame: Transform) -> Pair:
    """Return the pair as seen from a frame."""

    def seen(xf: Transform) -> Transform:
        x, y = frame.apply_inverse(xf.position)
        return Transform((x + 0.0, y + 0.0), xf.angle - frame.angle)  # no negative zero

    changes: dict[str, Any] = {name: seen(pose) for name, pose in _fields(pair, _POSES).items()}
    if pair.ray is not None:
        changes["ray"] = frame.apply_inverse(pair.ray[0]), frame.apply_inverse(pair.ray[1])
    if pair.point is not None:
        changes["point"] = frame.apply_inverse(pair.point)
    return replace(pair, **changes)


def placed(pair: Pair, scale: float = 1.0) -> Pair:
    """Return two shapes at rest with their corners in world coordinates, scaled about the origin, and identity poses.

    Raises
    ------
    InvalidShapeError
        Rounding leaves no valid shape.
    """
    assert pair.shape_b is not None and pair.end_a is None
    a, b = (
        shape.mapped(lambda points: scale * pose.apply_array(points), scale * shape.radius)  # noqa: B023 - used at once
        for shape, pose in ((pair.shape_a, pair.pose_a), (pair.shape_b, pair.pose_b))
    )
    return replace(pair, shape_a=a, shape_b=b, pose_a=_HERE, pose_b=_HERE)


def middle_of(shape: AnyShape) -> Point:
    """Return the middle of the box around a core, in the shape's frame."""
    x, y = (0.5 * (shape.core.min(axis=0) + shape.core.max(axis=0))).tolist()
    return x, y


def _simpler_pairs(pair: Pair) -> Iterator[Pair]:
    """Yield candidates for simpler pairs."""
    for name, shape in _fields(pair, _SHAPES).items():
        yield from (_changed(pair, {name: simpler}) for simpler in _simpler_shapes(shape))
    poses = _fields(pair, _POSES)
    for name, pose in poses.items():
        if name.startswith("end"):
            yield _changed(pair, {name: poses[name.replace("end", "pose")]})
        yield from (_changed(pair, {name: simpler}) for simpler in _simpler_poses(pose))
    variants = [pair, *_turned(pair)]
    for grid in _GRIDS:
        if pair.ray is not None:
            origin, end = pair.ray
            for ray in ((_round(origin, grid), _round(end, grid)), (_round(origin, grid), end), (origin, _round(end, grid))):
                yield replace(pair, ray=ray)
        if pair.point is not None:
            yield replace(pair, point=_round(pair.point, grid))
        places = {name: Transform(_round(pose.position, grid), pose.angle) for name, pose in poses.items()}
        yield _changed(pair, places)
        for variant in variants:
            shapes = {name: _rounded_shape(shape, grid) for name, shape in _fields(variant, _SHAPES).items()}
            if None not in shapes.values():
                yield _changed(variant, shapes)
                yield _changed(variant, {**shapes, **places})


def _changed(pair: Pair, changes: dict[str, Any]) -> Pair:
    return replace(pair, **changes)


def _turned(pair: Pair) -> Iterator[Pair]:
    """Yield two shapes with corners in world coordinates, rotated so that an edge points along x, with A's middle at the origin."""
    if pair.shape_b is None or pair.end_a is not None or not pair.pose_a == pair.pose_b == _HERE:
        return
    edges = [np.roll(shape.core, -1, axis=0) - shape.core for shape in (pair.shape_a, pair.shape_b)]
    for angle in (0.0, *(math.atan2(y, x) for x, y in np.concatenate(edges).tolist() if x or y)):
        try:
            turned = placed(moved(pair, Transform((0.0, 0.0), angle)))
            yield from (turned, placed(moved(turned, Transform(middle_of(turned.shape_a)))))
        except InvalidInputError:
            continue


def _simpler_shapes(shape: AnyShape) -> Iterator[AnyShape]:
    if isinstance(shape, Segment):
        for ghosts in ((None, None), (shape.ghost1, None), (None, shape.ghost2)):
            yield Segment(shape.p1, shape.p2, shape.skin_radius, *ghosts)
    if isinstance(shape, Circle):
        yield Circle(shape.radius)
    corners: list[Point] = [(x, y) for x, y in shape.core.tolist()]
    outlines: list[Sequence[Point]] = []
    if len(corners) > 3:
        outlines += [(*corners[:k], *corners[k + 1 :]) for k in range(len(corners))]
    for grid in _GRIDS:
        yield from (rounded for rounded in (_rounded_shape(shape, grid), _with_radius(shape, grid)) if rounded is not None)
        if isinstance(shape, Polygon):
            (left, bottom), (right, top) = (_round(end, grid) for end in (shape.vertices.min(axis=0), shape.vertices.max(axis=0)))
            outlines.append(((left, bottom), (right, bottom), (right, top), (left, top)))
        for k, (x, y) in enumerate(corners):
            for at in ((_rounded(x, grid), y), (x, _rounded(y, grid)), _round((x, y), grid)):
                outlines.append((*corners[:k], at, *corners[k + 1 :]))
    if isinstance(shape, Polygon | Circle):
        yield from (simpler for outline in outlines if (simpler := _with_corners(shape, outline)) is not None)


def _simpler_poses(pose: Transform) -> Iterator[Transform]:
    x, y = pose.position
    yield Transform((x, y))
    for grid in _RIGHT_ANGLES:
        yield Transform((x, y), round(pose.angle / grid) * grid)
    for grid in _FINE_ANGLES:
        yield Transform((x, y), _rounded(pose.angle, grid))
    for grid in _GRIDS:
        for place in ((_rounded(x, grid), y), (x, _rounded(y, grid)), _round((x, y), grid)):
            yield Transform(place, pose.angle)


def _rounded_shape(shape: AnyShape, grid: float) -> AnyShape | None:
    """Return a shape with its corners and radius rounded; None if the result is not a valid shape."""
    if isinstance(shape, Polygon):
        return _with_corners(shape, [_round(corner, grid) for corner in shape.vertices.tolist()])
    return _valid(shape, lambda points: np.array([_round(point, grid) for point in points.tolist()]), _round_radius(shape, grid))


def _with_radius(shape: AnyShape, grid: float) -> AnyShape | None:
    return _valid(shape, lambda points: points, _round_radius(shape, grid))


def _round_radius(shape: AnyShape, grid: float) -> float | None:
    return None if isinstance(shape, Polygon | Segment) else _rounded(shape.radius, grid)


def _with_corners(shape: Polygon | Circle, corners: Sequence[Point]) -> AnyShape | None:
    """Return a polygon that looks like one, or a circle; needles may be replaced but are not created."""
    if isinstance(shape, Polygon) and not is_plain_polygon(corners, MAX_NUMBER):
        return None
    return _valid(shape, lambda _: np.array(corners), None)


def _valid(shape: AnyShape, place: Callable[[FloatArray], FloatArray], radius: float | None) -> AnyShape | None:
    try:
        return shape.mapped(place, radius)
    except InvalidInputError:
        return None


def _rounded(value: float, grid: float) -> float:
    """Return the multiple of `grid` nearest to a value, with as few digits as possible; never a negative zero.

    Examples
    --------
    >>> _rounded(0.333, 0.05), _rounded(-0.1, 1.0)
    (0.35, 0.0)
    """
    return round(round(value / grid) * grid, 6) + 0.0


def _round(point: Sequence[float], grid: float) -> Point:
    return _rounded(float(point[0]), grid), _rounded(float(point[1]), grid)


# --- How simple and how clear a pair is


def is_plain_polygon(corners: Sequence[Point], farthest: float) -> bool:
    """Return True if corners go once around a convex shape, counterclockwise, without thin or nearly straight parts, near the origin."""
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
    """Return True if a point visibly lies on an edge or corner of a closed outline, or on a circle's center."""
    for (px, py), (qx, qy) in zip(corners, [*corners[1:], corners[0]], strict=True):
        ex, ey = qx - px, qy - py
        length_sq = ex * ex + ey * ey
        share = min(1.0, max(0.0, ((point[0] - px) * ex + (point[1] - py) * ey) / length_sq)) if length_sq > 0.0 else 0.0
        if math.hypot(point[0] - px - share * ex, point[1] - py - share * ey) < near:
            return True
    return False


def _is_clear(pair: Pair) -> bool:
    """Return True if no corner, or center, of one shape lies on the other at their given poses; True for motions, rays and points."""
    if pair.shape_b is None or pair.end_a is not None:
        return True
    a, b = ([pose.apply(at) for at in shape.core.tolist()] for shape, pose in ((pair.shape_a, pair.pose_a), (pair.shape_b, pair.pose_b)))
    near = APART * min(_extent(pair.shape_a), _extent(pair.shape_b))
    return not any(is_on_edge(at, other, near) for side, other in ((a, b), (b, a)) for at in side)


def _extent(shape: AnyShape) -> float:
    return float(np.ptp(shape.core, axis=0).max()) + 2.0 * (shape.radius - shape.skin_radius)


def _points(shape: AnyShape) -> list[Point]:
    """Return the corners, and the far ends of an edge's neighbors."""
    ghosts = [shape.ghost1, shape.ghost2] if isinstance(shape, Segment) else []
    return [*shape.core.tolist(), *(ghost for ghost in ghosts if ghost is not None)]


def _cost(pair: Pair) -> tuple[int, int]:
    """Return the cost, corners and then digits, that shrinking reduces. A motion costs the digits of its ends, but nothing at rest."""
    numbers: list[float] = [value for point in (*(pair.ray or ()), *filter(None, (pair.point,))) for value in point]
    for shape in _fields(pair, _SHAPES).values():
        numbers += [value for point in _points(shape) for value in point]
        numbers += [] if isinstance(shape, Polygon | Segment) else [shape.radius]
    count = sum(map(_digits, numbers))
    for pose, end in ((pair.pose_a, pair.end_a), (pair.pose_b, pair.end_b)):
        count += _pose_digits(pose) + (1 + _pose_digits(end) if end is not None and end != pose else 0)
    return corner_count(pair), count


def _digits(value: float) -> int:
    """Return the number of characters of a number; none for zero or for a sign.

    Examples
    --------
    >>> [_digits(value) for value in (0.0, -2.0, 0.25)]
    [0, 1, 4]
    """
    return 0 if value == 0.0 else len(repr(abs(value)).removesuffix(".0"))


def _pose_digits(pose: Transform) -> int:
    """Return the digits of a pose; an angle that is a multiple of 30, 45 or 90 degrees is as simple as a number of two."""
    is_right = any(round(pose.angle / grid) * grid == pose.angle for grid in _RIGHT_ANGLES)
    return _digits(pose.position[0]) + _digits(pose.position[1]) + min(_digits(pose.angle), 2 if is_right else 99)
