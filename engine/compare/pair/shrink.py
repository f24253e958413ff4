"""The smallest pair on which Box2D and we still differ: fewer corners, rounder numbers, a simpler pose.

What counts as differing is the caller's question, so that the answer cannot drift from an unexplained pair to an explained one. The pair is
moved as a whole first, to the origin and with A unturned; each shape, pose, ray and motion after that by itself. No corner comes to lie on
the other shape's edge, where none lay before: it would look like the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_NUMBER
from engine.compare.pair.file import Pair, Point
from engine.compare.pair.simpler import (
    APART,
    GRIDS,
    SimplerSearch,
    box_around,
    digits,
    is_on_edge,
    is_plain_polygon,
    rounded,
    with_rounded_corner,
    without_corner,
)
from engine.geometry import AnyShape, Circle, Polygon, Segment, Transform

__all__ = ["Shrunk", "corner_count", "shrink"]

MAX_TRIES = 6000
"""Questions asked about one pair: the same pair comes out on a slow machine as on a fast one, unless time runs out."""

_QUARTER = 0.5 * math.pi
_ANGLES = (_QUARTER, 0.5 * _QUARTER, _QUARTER / 3.0, 0.1, 0.01)
"""Radians, of angles to round to: right ones first."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smallest pair found, how many were tried, and whether there was time for all of them."""

    pair: Pair
    n_tries: int
    is_whole: bool


def shrink(pair: Pair, differs: Callable[[Pair], bool], seconds: float) -> Shrunk:
    """Return the simplest pair found in about `seconds` on which they still differ; it is `pair` itself if it is simple already.

    `differs` answers for any pair of the same query; it is not asked about `pair`.
    """
    pair = replace(pair, provenance=None, outsider=None, note="")
    still_differs: Callable[[list[Pair]], Pair | None] = lambda some: next(filter(differs, some), None)  # noqa: E731
    search = SimplerSearch(pair, _simpler_pairs, _cost, _is_clear, still_differs, seconds, most_tries=MAX_TRIES)
    search.take(_brought_home(pair))
    search.run()
    return Shrunk(search.best, search.n_tries, not search.is_over)


def corner_count(pair: Pair) -> int:
    """Return the corners of both shapes, neighbors of an edge too; a circle counts as one."""
    return sum(len(shape.core) + len(_ghosts(shape)) for shape in (pair.shape_a, pair.shape_b) if shape is not None)


# --- Pairs of which some may be simpler


def _brought_home(pair: Pair) -> Iterator[Pair]:
    """Yield the pair at the origin: A unturned there, A as it is turned, or the middle between the two."""
    x, y = pair.pose_a.position
    yield _moved(pair, Transform((x, y), pair.pose_a.angle))
    yield _moved(pair, Transform((x, y), 0.0))
    yield _moved(pair, Transform((rounded(x, 1.0), rounded(y, 1.0)), 0.0))


def _moved(pair: Pair, frame: Transform) -> Pair:
    """Return the pair as seen from a frame."""

    def pose(xf: Transform) -> Transform:
        x, y = frame.apply_inverse(xf.position)
        return Transform((x + 0.0, y + 0.0), xf.angle - frame.angle)  # no negative zero

    def maybe(xf: Transform | None) -> Transform | None:
        return None if xf is None else pose(xf)

    return replace(
        pair,
        pose_a=pose(pair.pose_a),
        pose_b=pose(pair.pose_b) if pair.shape_b is not None else pair.pose_b,
        end_a=maybe(pair.end_a),
        end_b=maybe(pair.end_b),
        ray=None if pair.ray is None else (frame.apply_inverse(pair.ray[0]), frame.apply_inverse(pair.ray[1])),
        point=None if pair.point is None else frame.apply_inverse(pair.point),
    )


def _simpler_pairs(pair: Pair) -> Iterator[Pair]:
    """Yield pairs of which some may be simpler."""
    for name in ("shape_a", "shape_b"):
        shape = getattr(pair, name)
        for simpler in _simpler_shapes(shape) if shape is not None else ():
            yield _changed(pair, {name: simpler})
    if pair.end_a is not None and pair.end_a != pair.pose_a:
        yield replace(pair, end_a=pair.pose_a)
    if pair.end_b is not None and pair.end_b != pair.pose_b:
        yield replace(pair, end_b=pair.pose_b)
    for name in ("pose_a", "pose_b", "end_a", "end_b"):
        pose = getattr(pair, name)
        for other in _simpler_poses(pose) if pose is not None else ():
            yield _changed(pair, {name: other})
    for grid in GRIDS:
        if pair.ray is not None:
            origin, end = pair.ray
            for ray in ((_round(origin, grid), _round(end, grid)), (_round(origin, grid), end), (origin, _round(end, grid))):
                yield replace(pair, ray=ray)
        if pair.point is not None:
            yield replace(pair, point=_round(pair.point, grid))
        yield from _all_rounded(pair, grid)


def _changed(pair: Pair, changes: Mapping[str, Any]) -> Pair:
    return replace(pair, **changes)


def _all_rounded(pair: Pair, grid: float) -> Iterator[Pair]:
    """Yield the pair with all lengths rounded, and with all poses rounded."""
    shapes: dict[str, Any] = {}
    for name in ("shape_a", "shape_b"):
        shape = getattr(pair, name)
        if shape is not None:
            rounded = _rounded_shape(shape, grid)
            if rounded is None:
                return
            shapes[name] = rounded
    poses = {name: getattr(pair, name) for name in ("pose_a", "pose_b", "end_a", "end_b")}
    placed = {name: Transform(_round(pose.position, grid), pose.angle) for name, pose in poses.items() if pose is not None}
    for changes in (placed, shapes, {**placed, **shapes}):
        yield _changed(pair, changes)


def _simpler_shapes(shape: AnyShape) -> Iterator[AnyShape]:
    if isinstance(shape, Polygon):
        yield from _simpler_polygons(shape)
    if isinstance(shape, Segment):
        for ghosts in ((None, None), (shape.ghost1, None), (None, shape.ghost2)):
            yield Segment(shape.p1, shape.p2, shape.skin_radius, *ghosts)
    if isinstance(shape, Circle) and shape.center != (0.0, 0.0):
        yield Circle(shape.radius)
    for grid in GRIDS:
        round_all = _rounded_shape(shape, grid)
        if round_all is not None:
            yield round_all


def _simpler_polygons(shape: Polygon) -> Iterator[Polygon]:
    corners = [(x, y) for x, y in shape.vertices.tolist()]
    variants = list(without_corner(corners))
    for grid in GRIDS:
        variants += [box_around(corners, grid), *with_rounded_corner(corners, grid)]
    for variant in variants:
        polygon = _polygon(variant, shape.skin_radius)
        if polygon is not None:
            yield polygon


def _simpler_poses(pose: Transform) -> Iterator[Transform]:
    x, y = pose.position
    yield Transform((x, y))
    for grid in _ANGLES:
        yield Transform((x, y), round(pose.angle / grid) * grid if grid > 0.1 else rounded(pose.angle, grid))
    for grid in GRIDS:
        for place in ((rounded(x, grid), y), (x, rounded(y, grid)), (rounded(x, grid), rounded(y, grid))):
            yield Transform(place, pose.angle)


def _rounded_shape(shape: AnyShape, grid: float) -> AnyShape | None:
    """Return a shape with its corners and its radius rounded; None if that is no shape any more."""
    if isinstance(shape, Polygon):
        return _polygon([_round((x, y), grid) for x, y in shape.vertices.tolist()], shape.skin_radius)
    radius = None if isinstance(shape, Segment) else rounded(shape.radius, grid)
    try:
        return shape.mapped(lambda points: np.array([_round((x, y), grid) for x, y in points.tolist()]), radius)
    except InvalidInputError:
        return None


def _polygon(corners: Sequence[Point], skin: float) -> Polygon | None:
    """Return a polygon that looks like one; a needle may be left for it, and is not made."""
    if not is_plain_polygon(corners, MAX_NUMBER):
        return None
    try:
        return Polygon(corners, skin)
    except InvalidInputError:
        return None


def _round(point: Point, grid: float) -> Point:
    return rounded(point[0], grid), rounded(point[1], grid)


# --- How simple a pair is


def _is_clear(pair: Pair) -> bool:
    """Return True if no corner, or center, of one shape lies on the other at their given poses; True for motions, rays and points."""
    if pair.shape_b is None or pair.end_a is not None:
        return True
    sides = []
    for shape, pose in ((pair.shape_a, pair.pose_a), (pair.shape_b, pair.pose_b)):
        sides.append([pose.apply(at) for at in shape.core.tolist()])
    near = APART * min(_extent(pair.shape_a), _extent(pair.shape_b))
    return not any(is_on_edge(at, other, near) for side, other in (sides, sides[::-1]) for at in side)


def _extent(shape: AnyShape) -> float:
    round_by = 2.0 * (shape.radius - shape.skin_radius)
    return float(np.ptp(shape.core, axis=0).max()) + round_by


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
    return min(digits(angle), 2) if any(round(angle / grid) * grid == angle for grid in _ANGLES if grid > 0.1) else digits(angle)


def _numbers(shape: AnyShape) -> list[float]:
    radius = [] if isinstance(shape, Polygon | Segment) else [shape.radius]
    return [*shape.core.ravel().tolist(), *radius, *(value for ghost in _ghosts(shape) for value in ghost)]
