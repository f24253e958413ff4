"""The smallest pair on which Box2D and we still differ: fewer corners, rounder numbers, a simpler pose.

Greedy: of the best so far a list of simpler pairs is made, simplest first, and the first that still differs takes its place, until none
does. What counts as differing is the caller's question, so that the answer cannot drift from an unexplained pair to an explained one.
The pair is moved as a whole first, to the origin and with A unturned; each shape, pose, ray and motion after that by itself. No corner
comes to lie on the other shape's edge, where none lay before: it would look like the reason.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_NUMBER
from engine.compare.pair_file import Pair
from engine.compare.simpler import APART, GRIDS, digits, is_on_edge, is_plain_polygon, rounded
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Transform

__all__ = ["Shrunk", "corner_count", "shrink"]

MOST_TRIES = 6000
"""Questions asked about one pair: the same pair comes out on a slow machine as on a fast one, unless time runs out."""

_QUARTER = 0.5 * math.pi
_ANGLES = (_QUARTER, 0.5 * _QUARTER, _QUARTER / 3.0, 0.1, 0.01)
"""Radians, of angles to round to: right ones first."""

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
    for home in _brought_home(pair):
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
        simpler = {_key(one): one for one in _simpler(self.best) if _cost(one) < cost}
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
        sides.append([pose.apply(at) for at in _core(shape)])
    near = APART * min(_extent(pair.shape_a), _extent(pair.shape_b))
    return not any(is_on_edge(at, other, near) for one, other in (sides, sides[::-1]) for at in one)


def _core(shape: AnyShape) -> list[Point]:
    if isinstance(shape, Polygon):
        return [(x, y) for x, y in shape.vertices.tolist()]
    return [shape.center] if isinstance(shape, Circle) else [shape.p1, shape.p2]


def _extent(shape: AnyShape) -> float:
    xs, ys = [x for x, _ in _core(shape)], [y for _, y in _core(shape)]
    round_by = 2.0 * shape.radius if isinstance(shape, Circle | Capsule) else 0.0
    return max(max(xs) - min(xs), max(ys) - min(ys)) + round_by


def _brought_home(pair: Pair) -> Iterator[Pair]:
    """Yield the pair at the origin: A unturned there, A as it is turned, or the middle between the two."""
    x, y = pair.pose_a.position
    yield _moved(pair, Transform((x, y), pair.pose_a.angle))
    yield _moved(pair, Transform((x, y), 0.0))
    yield _moved(pair, Transform((rounded(x, 1.0), rounded(y, 1.0)), 0.0))


def _moved(pair: Pair, frame: Transform) -> Pair:
    """Return the pair as seen from a frame."""

    def pose(one: Transform) -> Transform:
        x, y = frame.apply_inverse(one.position)
        return Transform((x + 0.0, y + 0.0), one.angle - frame.angle)  # no negative zero

    def maybe(one: Transform | None) -> Transform | None:
        return None if one is None else pose(one)

    return replace(
        pair,
        pose_a=pose(pair.pose_a),
        pose_b=pose(pair.pose_b) if pair.shape_b is not None else pair.pose_b,
        end_a=maybe(pair.end_a),
        end_b=maybe(pair.end_b),
        ray=None if pair.ray is None else (frame.apply_inverse(pair.ray[0]), frame.apply_inverse(pair.ray[1])),
        point=None if pair.point is None else frame.apply_inverse(pair.point),
    )


def _simpler(pair: Pair) -> Iterator[Pair]:
    """Yield pairs of which some may be simpler."""
    for name in ("shape_a", "shape_b"):
        shape = getattr(pair, name)
        for one in _simpler_shapes(shape) if shape is not None else ():
            yield _with(pair, {name: one})
    if pair.end_a is not None and pair.end_a != pair.pose_a:
        yield replace(pair, end_a=pair.pose_a)
    if pair.end_b is not None and pair.end_b != pair.pose_b:
        yield replace(pair, end_b=pair.pose_b)
    for name in ("pose_a", "pose_b", "end_a", "end_b"):
        pose = getattr(pair, name)
        for other in _simpler_poses(pose) if pose is not None else ():
            yield _with(pair, {name: other})
    for grid in GRIDS:
        if pair.ray is not None:
            origin, end = pair.ray
            for ray in ((_round(origin, grid), _round(end, grid)), (_round(origin, grid), end), (origin, _round(end, grid))):
                yield replace(pair, ray=ray)
        if pair.point is not None:
            yield replace(pair, point=_round(pair.point, grid))
        yield from _all_rounded(pair, grid)


def _with(pair: Pair, changes: Mapping[str, Any]) -> Pair:
    return replace(pair, **changes)


def _all_rounded(pair: Pair, grid: float) -> Iterator[Pair]:
    """Yield the pair with all lengths rounded, and with all poses rounded."""
    shapes: dict[str, Any] = {}
    for name in ("shape_a", "shape_b"):
        shape = getattr(pair, name)
        if shape is not None:
            found = _mapped(shape, lambda at: _round(at, grid), lambda radius: rounded(radius, grid))
            if found is None:
                return
            shapes[name] = found
    poses = {name: getattr(pair, name) for name in ("pose_a", "pose_b", "end_a", "end_b")}
    placed = {name: Transform(_round(pose.position, grid), pose.angle) for name, pose in poses.items() if pose is not None}
    yield _with(pair, placed)
    yield _with(pair, shapes)
    yield _with(pair, {**placed, **shapes})


def _simpler_shapes(shape: AnyShape) -> Iterator[AnyShape]:
    if isinstance(shape, Polygon):
        yield from _simpler_polygons(shape)
    if isinstance(shape, Segment):
        for ghosts in ((None, None), (shape.ghost1, None), (None, shape.ghost2)):
            yield Segment(shape.p1, shape.p2, shape.skin_radius, *ghosts)
    if isinstance(shape, Circle) and shape.center != (0.0, 0.0):
        yield Circle(shape.radius)
    for grid in GRIDS:
        round_all = _mapped(shape, lambda at: _round(at, grid), lambda radius: rounded(radius, grid))  # noqa: B023 - used at once
        if round_all is not None:
            yield round_all


def _simpler_polygons(shape: Polygon) -> Iterator[Polygon]:
    corners = [(x, y) for x, y in shape.vertices.tolist()]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    variants: list[list[Point]] = []
    if len(corners) > 3:
        variants += [corners[:k] + corners[k + 1 :] for k in range(len(corners))]
    for grid in GRIDS:
        left, bottom, right, top = (rounded(value, grid) for value in (min(xs), min(ys), max(xs), max(ys)))
        variants.append([(left, bottom), (right, bottom), (right, top), (left, top)])
        for k, (x, y) in enumerate(corners):
            for at in ((rounded(x, grid), y), (x, rounded(y, grid)), (rounded(x, grid), rounded(y, grid))):
                variants.append([*corners[:k], at, *corners[k + 1 :]])
    for variant in variants:
        found = _polygon(variant, shape.skin_radius)
        if found is not None:
            yield found


def _simpler_poses(pose: Transform) -> Iterator[Transform]:
    x, y = pose.position
    yield Transform((x, y))
    for grid in _ANGLES:
        yield Transform((x, y), round(pose.angle / grid) * grid if grid > 0.1 else rounded(pose.angle, grid))
    for grid in GRIDS:
        for place in ((rounded(x, grid), y), (x, rounded(y, grid)), (rounded(x, grid), rounded(y, grid))):
            yield Transform(place, pose.angle)


def _mapped(shape: AnyShape, place: Callable[[Point], Point], size: Callable[[float], float]) -> AnyShape | None:
    """Return a shape with its corners and its radius mapped; None if that is no shape any more."""
    try:
        if isinstance(shape, Circle):
            return Circle(size(shape.radius), place(shape.center))
        if isinstance(shape, Polygon):
            return _polygon([place((x, y)) for x, y in shape.vertices.tolist()], shape.skin_radius)
        if isinstance(shape, Capsule):
            return Capsule(place(shape.p1), place(shape.p2), size(shape.radius))
        ghosts = [None if ghost is None else place(ghost) for ghost in (shape.ghost1, shape.ghost2)]
        return Segment(place(shape.p1), place(shape.p2), shape.skin_radius, *ghosts)
    except InvalidInputError:
        return None


def _polygon(corners: list[Point], skin: float) -> Polygon | None:
    """Return a polygon that looks like one; a needle may be left for it, and is not made."""
    if not is_plain_polygon(corners, MAX_NUMBER):
        return None
    try:
        return Polygon(corners, skin)
    except InvalidInputError:
        return None


def _round(point: Point, grid: float) -> Point:
    return rounded(point[0], grid), rounded(point[1], grid)


def _corners(shape: AnyShape) -> int:
    if isinstance(shape, Polygon):
        return len(shape.vertices)
    if isinstance(shape, Segment):
        return 2 + sum(ghost is not None for ghost in (shape.ghost1, shape.ghost2))
    return 1 if isinstance(shape, Circle) else 2


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
    return min(digits(angle), 2) if any(round(angle / grid) * grid == angle for grid in _ANGLES if grid > 0.1) else digits(angle)


def _numbers(shape: AnyShape) -> list[float]:
    if isinstance(shape, Polygon):
        found: list[float] = shape.vertices.ravel().tolist()
        return found
    if isinstance(shape, Circle):
        return [*shape.center, shape.radius]
    if isinstance(shape, Capsule):
        return [*shape.p1, *shape.p2, shape.radius]
    return [value for point in (shape.p1, shape.p2, shape.ghost1, shape.ghost2) if point is not None for value in point]


def _key(pair: Pair) -> tuple[object, ...]:
    """Return what tells pairs of one query apart."""
    shapes = [None if shape is None else (type(shape), *_numbers(shape), _corners(shape)) for shape in (pair.shape_a, pair.shape_b)]
    return *shapes, pair.pose_a, pair.pose_b, pair.end_a, pair.end_b, pair.ray, pair.point
