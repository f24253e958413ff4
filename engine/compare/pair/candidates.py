"""Pairs made from one pair of which some may be simpler to look at; `shrink` tries them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_NUMBER
from engine.compare.pair.file import Pair
from engine.compare.pair.simpler import GRIDS, is_plain_polygon, rounded
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Transform

__all__ = ["ANGLES", "brought_home", "simpler_pairs"]

_QUARTER = 0.5 * math.pi
ANGLES = (_QUARTER, 0.5 * _QUARTER, _QUARTER / 3.0, 0.1, 0.01)
"""Radians, of angles to round to: right ones first."""

Point = tuple[float, float]


def brought_home(pair: Pair) -> Iterator[Pair]:
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


def simpler_pairs(pair: Pair) -> Iterator[Pair]:
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
    for grid in ANGLES:
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
