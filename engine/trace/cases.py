"""Inputs of algorithms in a form that can be edited: each drag gives a new case, and the old one is unchanged.

A case has named *parts* that can be dragged (a whole shape, a corner, an end of a ray). An invalid change, such as a corner dragged so that
a polygon is no longer convex, leaves the case unchanged.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.common.errors import InvalidInputError, LabError
from engine.compare.pair.file import Pair
from engine.contracts.trace import Mark, Point, Role
from engine.geometry import AABB, AnyShape, Capsule, Circle, Polygon, Segment, Transform
from engine.trace.marks import Marks, Points

__all__ = [
    "MAX_BOXES",
    "MAX_CORNERS",
    "MAX_POINTS",
    "BoxesCase",
    "Case",
    "OutlineCase",
    "PairCase",
    "PointsCase",
    "box_corners",
    "is_on",
    "shape_mark",
    "shifted",
]

MAX_POINTS, MAX_CORNERS, MAX_BOXES = 500, 250, 128
"""Maximum sizes of a case, corners counted over all rings: each step shows everything, so twice the size takes four times the time and
memory, and these take a second."""

_STANDING = ("manifold", "overlap", "distance")
"""Queries of shapes at rest."""

_MAX_NAMED = 24
"""Number of points."""


class Case(ABC):
    """Input of an algorithm."""

    @property
    @abstractmethod
    def scenery(self) -> Marks:
        """Marks under those of every step, "plane" view."""

    @property
    @abstractmethod
    def handles(self) -> tuple[tuple[str, Point], ...]:
        """Parts that are points, by name, with their positions."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of all parts that can be moved, whole shapes first."""
        return tuple(name for name, _ in self.handles)

    @property
    def box(self) -> AABB:
        """Box around the scenery."""
        places = np.array([point for mark in self.scenery for point in mark.points])
        reach = max((mark.radius for mark in self.scenery), default=0.0)
        (left, bottom), (right, top) = (places.min(axis=0) - reach).tolist(), (places.max(axis=0) + reach).tolist()
        return AABB((left, bottom), (right, top))

    def part_at(self, point: Point, reach: float) -> str | None:
        """Return the part under the pointer: the nearest handle within `reach` meters, otherwise a whole shape."""
        near = min(((math.dist(at, point), name) for name, at in self.handles), default=None)
        return near[1] if near is not None and near[0] <= reach else None

    @abstractmethod
    def moved(self, part: str, dx: float, dy: float) -> Case:
        """Return the case with a part moved; this one if that is invalid."""

    def turned(self, part: str, angle: float) -> Case:
        """Return the case with a part turned about its center; this one if nothing can be turned."""
        return self

    def following(self, before: Case) -> Case:
        """Return this case with `other` as the frame before, for algorithms that remember."""
        return self

    def middle(self, part: str) -> Point:
        """Return the position of a point part, or the center of rotation of another."""
        (left, bottom), (right, top) = self.box.lower, self.box.upper
        return dict(self.handles).get(part, (0.5 * (left + right), 0.5 * (bottom + top)))


def shape_mark(shape: AnyShape, xf: Transform, role: Role, text: str = "") -> Mark:
    """Return the mark of a shape at a pose: its core with its radius."""
    points = tuple((x, y) for x, y in xf.apply_array(shape.core).tolist())
    if isinstance(shape, Polygon):
        return Mark("polygon", role, points, text=text, radius=shape.radius)
    if isinstance(shape, Circle):
        return Mark("circle", role, points[:1], text=text, radius=shape.radius)
    return Mark("path", role, points, text=text, radius=shape.radius)


@dataclass(frozen=True)
class PairCase(Case):
    """Two shapes that stand or move, or a shape and a ray: a pair file's content, or the like.

    Attributes
    ----------
    pair : Pair
    before : Pair or None
        The pair of the frame before, until the last drag, for algorithms that remember.
    axis : int or None
        The axis remembered, if it is known without that pair.
    ways : pair of (dx, dy), or None
        Translations of A, or of the ray, and of B to the bit: those of the pair's poses are rounded.
    """

    pair: Pair
    before: Pair | None = None
    axis: int | None = field(default=None, compare=False)
    ways: tuple[Point, Point] | None = field(default=None, compare=False)

    @property
    def both(self) -> tuple[AnyShape, Transform, AnyShape, Transform]:
        """A, its pose, B, its pose, as queries take them: at rest, or at the start of the motion."""
        pair = self.pair
        assert pair.shape_b is not None
        return pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b

    @property
    def translations(self) -> tuple[Point, Point]:
        """Translations of A and B over their motion, or of the ray and nothing."""
        pair = self.pair
        if self.ways is not None:
            return self.ways
        if pair.ray is not None:
            return _way(*pair.ray), (0.0, 0.0)
        return _way(pair.pose_a.position, (pair.end_a or pair.pose_a).position), _way(
            pair.pose_b.position, (pair.end_b or pair.pose_b).position
        )

    @property
    def translates(self) -> bool:
        """True if the shapes move without rotation."""
        pair = self.pair
        ends = (pair.pose_a, pair.end_a), (pair.pose_b, pair.end_b)
        return pair.query == "toi" and all(end is not None and end.angle == start.angle for start, end in ends)

    @property
    def scenery(self) -> Marks:
        pair, marks = self.pair, []
        sides: list[tuple[AnyShape | None, Transform, Transform | None, Role]] = [
            (pair.shape_a, pair.pose_a, pair.end_a, "a"),
            (pair.shape_b, pair.pose_b, pair.end_b, "b"),
        ]
        for shape, pose, end, role in sides:
            if shape is not None:
                marks.append(shape_mark(shape, pose, role, role.upper()))
                if end is not None and end != pose:
                    marks.append(shape_mark(shape, end, "ghost", f"{role.upper()} at the end"))
        if pair.ray is not None:
            marks.append(Mark("arrow", "other", pair.ray, text="ray"))
        return tuple(marks)

    @property
    def handles(self) -> tuple[tuple[str, Point], ...]:
        """Corners and ends ("a.0"), a circle's or a capsule's rim ("a.rim"), ends of motions ("a.end"), ends of a ray, a point.

        The start of a motion alone ("a.start") can be moved and turned too.
        """
        pair, handles = self.pair, []
        for side in "ab":
            shape, pose, end = self._side(side)
            if shape is None:
                continue
            if not isinstance(shape, Circle):
                handles += [(f"{side}.{k}", pose.apply((x, y))) for k, (x, y) in enumerate(shape.core.tolist())]
            if isinstance(shape, Circle | Capsule):
                handles.append((f"{side}.rim", pose.apply(_rim(shape))))
            if end is not None:
                handles.append((f"{side}.end", end.apply(shape.centroid)))
        if pair.ray is not None:
            handles += [("ray.origin", pair.ray[0]), ("ray.end", pair.ray[1])]
        if pair.point is not None:
            handles.append(("point", pair.point))
        return tuple(handles)

    @property
    def parts(self) -> tuple[str, ...]:
        return (*(side for side in "ab" if self._side(side)[0] is not None), *super().parts)

    def part_at(self, point: Point, reach: float) -> str | None:
        part = super().part_at(point, reach)
        for side in "ba":
            shape, pose, _ = self._side(side)
            if part is None and shape is not None and is_on(shape, pose, point, 0.4 * reach):
                part = side
        return part

    def moved(self, part: str, dx: float, dy: float) -> PairCase:
        side, _, of = part.partition(".")
        pair = self.pair
        if side == "ray" and pair.ray is not None:
            moved = [(x + dx, y + dy) if name == of else (x, y) for name, (x, y) in zip(("origin", "end"), pair.ray, strict=True)]
            return self._with(ray=tuple(moved))
        if part == "point" and pair.point is not None:
            return self._with(point=(pair.point[0] + dx, pair.point[1] + dy))
        shape, pose, _ = self._side(side)
        if shape is None:
            return self
        if of not in ("", "start", "end"):
            return self._reshaped(side, shape, of, pose.apply_inverse((pose.position[0] + dx, pose.position[1] + dy)))
        return self._with(**{name: shifted(xf, dx, dy) for name, xf in self._poses(side, of).items()})

    def turned(self, part: str, angle: float) -> PairCase:
        side, _, of = part.partition(".")
        shape, _, _ = self._side(side)
        if side not in ("a", "b") or shape is None:
            return self
        return self._with(**{name: _turned(xf, shape, angle) for name, xf in self._poses(side, of).items()})

    def _poses(self, side: str, of: str) -> dict[str, Transform]:
        """Return the poses at the start and the end of a side's motion that a part of it moves, by their names in `Pair`."""
        _, start, end = self._side(side)
        poses = {} if of == "end" and end is not None else {f"pose_{side}": start}
        return poses if end is None or of == "start" else {**poses, f"end_{side}": end}

    def middle(self, part: str) -> Point:
        side, _, of = part.partition(".")
        shape, pose, end = self._side(side)
        if shape is None or side not in ("a", "b"):
            return super().middle(part)
        return (end if of == "end" and end is not None else pose).apply(shape.centroid)

    def following(self, before: Case) -> PairCase:
        return replace(self, before=before.pair) if isinstance(before, PairCase) else self

    def plainer(self, query: str = "toi") -> Iterator[PairCase]:
        """Yield the start of the motion for a `query` at rest, else the motion without its rotation, and that relative to B at rest."""
        pair, origin = self.pair, (0.0, 0.0)
        plain = replace(pair, center_a=origin, center_b=origin, provenance=None, outsider=None)
        if query in _STANDING and pair.shape_b is not None:
            yield PairCase(replace(plain, query=query, end_a=None, end_b=None))
        elif pair.query == "toi":
            way_a, way_b = (
                _way(sweep.start.apply(center), sweep.end.apply(center))
                for sweep, center in ((pair.sweep_a, pair.center_a), (pair.sweep_b, pair.center_b))
            )
            yield PairCase(replace(plain, end_a=shifted(pair.pose_a, *way_a), end_b=shifted(pair.pose_b, *way_b)))
            yield PairCase(replace(plain, end_a=shifted(pair.pose_a, *_way(way_b, way_a)), end_b=pair.pose_b))

    def _side(self, side: str) -> tuple[AnyShape | None, Transform, Transform | None]:
        pair = self.pair
        return (pair.shape_a, pair.pose_a, pair.end_a) if side == "a" else (pair.shape_b, pair.pose_b, pair.end_b)

    def _reshaped(self, side: str, shape: AnyShape, of: str, by: Point) -> PairCase:
        """Move a corner, an end or the rim of a shape by a vector of its own frame."""
        try:
            if of == "rim" and isinstance(shape, Circle | Capsule):
                x, y = _rim(shape)
                center = shape.center if isinstance(shape, Circle) else shape.p2
                return self._with(**{f"shape_{side}": replace(shape, radius=math.dist((x + by[0], y + by[1]), center))})
            at = int(of)
            core = shape.core.copy()
            core[at] += by
            if isinstance(shape, Polygon):
                changed: AnyShape = Polygon(core, shape.skin_radius)
                if len(changed.core) != len(core):
                    return self
            elif isinstance(shape, Capsule | Segment):
                p1, p2 = (tuple(end) for end in core.tolist())
                changed = replace(shape, p1=p1, p2=p2)
            else:
                return self
            return self._with(**{f"shape_{side}": changed})
        except (LabError, ValueError):
            return self

    def _with(self, **changes: Any) -> PairCase:
        try:
            return PairCase(replace(self.pair, **changes, provenance=None, outsider=None, note=""), self.pair)
        except LabError:
            return self


def _rim(shape: Circle | Capsule) -> Point:
    x, y = shape.center if isinstance(shape, Circle) else shape.p2
    return x + shape.radius, y


def _way(start: Point, end: Point) -> Point:
    return end[0] - start[0], end[1] - start[1]


def shifted(pose: Transform, dx: float, dy: float) -> Transform:
    """Return a pose moved by a vector."""
    return Transform((pose.position[0] + dx, pose.position[1] + dy), pose.angle)


def _turned(pose: Transform, shape: AnyShape, angle: float) -> Transform:
    """Return a pose turned by `angle` about the center of the shape."""
    x, y = pose.apply(shape.centroid)
    away = Transform((0.0, 0.0), pose.angle + angle).apply(shape.centroid)
    return Transform((x - away[0], y - away[1]), pose.angle + angle)


def is_on(shape: AnyShape, xf: Transform, point: Point, reach: float) -> bool:
    """Return True if a point lies on a shape, or within `reach` meters of it."""
    at = np.array(xf.apply_inverse(point))
    core, radius = shape.core, shape.radius
    if isinstance(shape, Polygon):
        return float(((at - core) * shape.normals).sum(axis=1).max()) <= radius + reach
    a, b = core[0], core[-1]
    along = b - a
    length_sq = float(along @ along)
    share = min(max(float((at - a) @ along) / length_sq, 0.0), 1.0) if length_sq > 0.0 else 0.0
    return math.dist(at, a + share * along) <= radius + reach


@dataclass(frozen=True)
class PointsCase(Case):
    """Points, for hulls and enclosing shapes. Part "all" is all of them, grabbed between them."""

    points: Points

    def __post_init__(self) -> None:
        _check_count("points", "points", len(self.points), MAX_POINTS)

    @property
    def scenery(self) -> Marks:
        if not self.is_named:
            return (Mark("point", "other", self.points),)
        names = {point: self.name(point) for point in self.points}
        return tuple(Mark("point", "other", (point,), text=name) for point, name in names.items())

    @property
    def handles(self) -> tuple[tuple[str, Point], ...]:
        return tuple((str(k), point) for k, point in enumerate(self.points))

    @property
    def is_named(self) -> bool:
        """True if each point of the scenery is labeled; many labels would hide the points."""
        return len(self.points) <= _MAX_NAMED

    def name(self, point: Point) -> str:
        """Return the name of a point by its number, the first of equal points: "P3"."""
        return f"P{self.points.index(point)}"

    def part_at(self, point: Point, reach: float) -> str | None:
        box = self.box
        is_among = all(low <= at <= high for low, at, high in zip(box.lower, point, box.upper, strict=True))
        return super().part_at(point, reach) or ("all" if is_among else None)

    def moved(self, part: str, dx: float, dy: float) -> PointsCase:
        if part == "all":
            return PointsCase(tuple((x + dx, y + dy) for x, y in self.points))
        return PointsCase(_with_moved(self.points, int(part), dx, dy))

    def turned(self, part: str, angle: float) -> PointsCase:
        return PointsCase(_with_turned(self.points, self.middle(part), angle))

    def middle(self, part: str) -> Point:
        return _mean(self.points)


@dataclass(frozen=True)
class OutlineCase(Case):
    """A simple polygon, convex or not, counter-clockwise, and holes in it, clockwise: for decompositions.

    Part "0.3" is a corner of the outer ring, "1" the whole of the first hole, "0" the outline with its holes.
    """

    rings: tuple[Points, ...]

    def __post_init__(self) -> None:
        _check_count("rings", "corners together", sum(map(len, self.rings)), MAX_CORNERS)

    @property
    def scenery(self) -> Marks:
        rings = tuple(Mark("polygon", "other", ring) for ring in self.rings)
        corners = [corner for ring in self.rings for corner in ring]
        if len(corners) > _MAX_NAMED:
            return rings
        return (*rings, *(Mark("point", "other", (corner,), text=self.name(corner)) for corner in dict.fromkeys(corners)))

    @property
    def handles(self) -> tuple[tuple[str, Point], ...]:
        return tuple((f"{n}.{k}", point) for n, ring in enumerate(self.rings) for k, point in enumerate(ring))

    def name(self, point: Point) -> str:
        """Return the name of a corner by its number, counted through all rings: "P3"; of another point by its position."""
        corners = [corner for ring in self.rings for corner in ring]
        return f"P{corners.index(point)}" if point in corners else f"({point[0]:.3g}, {point[1]:.3g})"

    def part_at(self, point: Point, reach: float) -> str | None:
        inside = [str(n) for n, ring in enumerate(self.rings) if _is_inside(ring, point)]
        return super().part_at(point, reach) or (inside[-1] if inside else None)

    def moved(self, part: str, dx: float, dy: float) -> OutlineCase:
        n, _, k = part.partition(".")
        if k:
            return self._with({int(n): _with_moved(self.rings[int(n)], int(k), dx, dy)})
        return self._with({m: tuple((x + dx, y + dy) for x, y in self.rings[m]) for m in self._together(n)})

    def turned(self, part: str, angle: float) -> OutlineCase:
        n = part.partition(".")[0]
        return self._with({m: _with_turned(self.rings[m], self.middle(part), angle) for m in self._together(n)})

    def middle(self, part: str) -> Point:
        return _mean(self.rings[int(part.partition(".")[0])])

    def _together(self, n: str) -> range:
        """Return the rings that move with a ring: the outer ring takes the holes along."""
        return range(len(self.rings)) if n == "0" else range(int(n), int(n) + 1)

    def _with(self, changed: dict[int, Points]) -> OutlineCase:
        from engine.decompose.outline import Part

        rings = tuple(changed.get(n, ring) for n, ring in enumerate(self.rings))
        try:
            Part(np.array(rings[0]), tuple(np.array(ring) for ring in rings[1:]))
        except LabError:
            return self
        return OutlineCase(rings)


@dataclass(frozen=True)
class BoxesCase(Case):
    """Boxes x0, y0, x1, y1, for broad phases, and a query region."""

    boxes: tuple[tuple[float, float, float, float], ...]
    region: tuple[float, float, float, float]

    def __post_init__(self) -> None:
        _check_count("boxes", "boxes", len(self.boxes), MAX_BOXES)

    @property
    def scenery(self) -> Marks:
        boxes = tuple(Mark("polygon", "other", box_corners(box), text=str(k)) for k, box in enumerate(self.boxes))
        return (*boxes, Mark("polygon", "ghost", box_corners(self.region), text="region"))

    @property
    def handles(self) -> tuple[tuple[str, Point], ...]:
        x0, y0, x1, y1 = self.region
        return (("region.0", (x0, y0)), ("region.1", (x1, y1)))

    @property
    def parts(self) -> tuple[str, ...]:
        return (*map(str, range(len(self.boxes))), *super().parts)

    def part_at(self, point: Point, reach: float) -> str | None:
        part = super().part_at(point, reach)
        for k in reversed(range(len(self.boxes))):
            x0, y0, x1, y1 = self.boxes[k]
            if part is None and x0 <= point[0] <= x1 and y0 <= point[1] <= y1:
                part = str(k)
        return part

    def moved(self, part: str, dx: float, dy: float) -> BoxesCase:
        x0, y0, x1, y1 = self.region if part.startswith("region") else self.boxes[int(part)]
        if part == "region.0":
            x0, y0 = min(x0 + dx, x1), min(y0 + dy, y1)
        elif part == "region.1":
            x1, y1 = max(x1 + dx, x0), max(y1 + dy, y0)
        else:
            x0, y0, x1, y1 = x0 + dx, y0 + dy, x1 + dx, y1 + dy
        if part.startswith("region"):
            return replace(self, region=(x0, y0, x1, y1))
        k = int(part)
        return replace(self, boxes=(*self.boxes[:k], (x0, y0, x1, y1), *self.boxes[k + 1 :]))


def _check_count(field: str, of: str, n: int, most: int) -> None:
    if n > most:
        raise InvalidInputError(field, f"at most {most} {of} to step through", n)


def box_corners(box: tuple[float, float, float, float]) -> Points:
    """Return the corners of a box x0, y0, x1, y1, counter-clockwise."""
    x0, y0, x1, y1 = box
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


def _with_moved(points: Points, k: int, dx: float, dy: float) -> Points:
    x, y = points[k]
    return (*points[:k], (x + dx, y + dy), *points[k + 1 :])


def _with_turned(points: Points, middle: Point, angle: float) -> Points:
    turn = Transform(angle=angle)
    ways = (turn.apply((x - middle[0], y - middle[1])) for x, y in points)
    return tuple((middle[0] + dx, middle[1] + dy) for dx, dy in ways)


def _mean(points: Points) -> Point:
    return math.fsum(x for x, _ in points) / len(points), math.fsum(y for _, y in points) / len(points)


def _is_inside(ring: Points, point: Point) -> bool:
    """Return True if a ring contains a point, by counting the edges that a ray to the right crosses."""
    x, y = point
    is_inside = False
    for (px, py), (qx, qy) in zip(ring, (*ring[1:], ring[0]), strict=True):
        if (py > y) != (qy > y) and x < px + (y - py) / (qy - py) * (qx - px):
            is_inside = not is_inside
    return is_inside
