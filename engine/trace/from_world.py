"""Cases from a world: its fixtures, bodies and boxes as input of an algorithm.

    a pair at rest       the pair whose contact is deepest, at the poses that the solver used; without a contact, the nearest pair
    a pair that moves    the pair that will meet first at constant velocity, over twice that time; without its rotation, or seen
                         from one of the two, if the algorithm requires that
    a ray                from the middle of one shape of the nearest pair to the middle of the other
    points               the corners of the body with most corners, moving bodies first
    an outline           of the body whose fixtures make the outline with most corners, in the same way
    a world              the world itself; its next step is shown, with all bodies awake, and settled if Box2D's skins held it apart
    boxes                those of all fixtures, or of the 64 about the median of all; the region is where the middle half of their
                         centers lie, on each axis

Shapes are those of the solver, skins included. Fixtures of one body, of two immovable bodies, and fixtures whose collision filters or a
joint disable are not pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import Described, InvalidInputError
from engine.compare.pair.file import Pair
from engine.contracts import Status
from engine.contracts.trace import Point
from engine.geometry import Polygon, Transform
from engine.trace.cases import MAX_CORNERS, MAX_POINTS, BoxesCase, Case, OutlineCase, PairCase, PointsCase
from engine.trace.protocol import Algorithm
from engine.trace.scene_case import SceneCase
from engine.world import World
from engine.world.specs import filters_allow

__all__ = ["case_of_contact", "case_of_fixtures", "case_of_step", "case_of_world", "nearest_by_boxes", "nearest_of_bodies"]

_MAX_TRIED = 200
"""Maximum number of cases offered to an algorithm, the best first, until it takes one."""
_MAX_BOXES = 64
"""Maximum number of boxes: a larger tree does not fit into a picture, nor its steps into a second."""
_LONGEST = 10.0
"""Maximum time until two bodies meet, seconds."""
_SHORTEST = 1e-9
"""Minimum speed of approach, m/s."""
_GRID = 1e-4
"""Grid of the union, meters: float32 separates common edges of fixtures of one outline by less; skins are left out."""


_T = TypeVar("_T")


class _Fixtures:
    """All fixtures of a world that can collide: ids, bodies, shapes, poses, and boxes (n, 4)."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ids = [fixture for fixture in world.fixture_ids if world.body(world.fixture(fixture).body).spec.active]
        fixtures = [world.fixture(fixture) for fixture in self.ids]
        self.bodies, self.shapes = [fixture.body for fixture in fixtures], [fixture.shape for fixture in fixtures]
        self.rows = [world.row_of(body) for body in self.bodies]
        self.poses = [_transform(world.poses[row]) for row in self.rows]
        boxes = [shape.aabb(xf) for shape, xf in zip(self.shapes, self.poses, strict=True)]
        self.boxes = np.array([(*box.lower, *box.upper) for box in boxes], dtype=np.float64).reshape(-1, 4)

    def pairs(self) -> IntArray:
        """Return rows (k, 2) of fixtures that may collide."""
        world, body = self.world, np.array(self.bodies, dtype=np.int64)
        specs = [world.fixture(fixture).spec for fixture in self.ids]
        is_dynamic = np.array([world.body(of).spec.type == "dynamic" for of in self.bodies], dtype=np.bool_)
        category, mask, group = (
            np.array([getattr(spec, name) for spec in specs], dtype=np.int64) for name in ("category", "mask", "group")
        )
        a, b = np.triu_indices(len(body), 1)
        may = (body[a] != body[b]) & (is_dynamic[a] | is_dynamic[b]) & filters_allow(category, mask, group, np.column_stack((a, b)))
        for joint in world.joint_ids:
            ends = [end for end in world.joint_bodies(joint) if end is not None]
            if not getattr(world.joint(joint).spec, "collide_connected", True):
                may &= ~(np.isin(body[a], ends) & np.isin(body[b], ends))
        return np.column_stack((a[may], b[may]))

    def distances(self, rows: IntArray) -> FloatArray:
        """Return the separation of each pair; 0 or less for overlapping pairs."""
        from engine.query import batch

        poses = np.array([(*xf.position, xf.angle) for xf in self.poses], dtype=np.float64).reshape(-1, 3)
        return batch.distance(batch.ShapeBatch(self.shapes), rows, poses[rows[:, 0]], poses[rows[:, 1]]).separation

    def pair(self, rows: IntArray, query: str) -> Pair:
        """Return two fixtures at their poses, or with the second replaced by a ray from its center to that of the first."""
        a, b = rows.tolist()
        (shape_a, xf_a), (shape_b, xf_b) = ((self.shapes[row], self.poses[row]) for row in (a, b))
        if query == "ray_cast":
            return Pair(query, shape_a, xf_a, ray=(xf_b.apply(shape_b.centroid), xf_a.apply(shape_a.centroid)))
        return Pair(query, shape_a, xf_a, shape_b, xf_b)

    def moving(self, rows: IntArray, seconds: float) -> Pair:
        """Return two fixtures that move at constant velocity."""
        ends, centers = list[Transform](), list[Point]()
        for row in rows.tolist():
            xf, (vx, vy, omega) = self.poses[row], self.world.velocities[self.rows[row]].tolist()
            center, angle = self.world.body(self.bodies[row]).local_center, xf.angle + seconds * omega
            (x, y), away = xf.apply(center), Transform((0.0, 0.0), angle).apply(center)
            ends.append(Transform((x + seconds * vx - away[0], y + seconds * vy - away[1]), angle))
            centers.append(center)
        return _moving(self.pair(rows, "distance"), ends, centers)


def case_of_world(world: World, chosen: Algorithm[Any]) -> Case:
    """Return a case for an algorithm from the current state of a world.

    Raises
    ------
    InvalidInputError
        The world has no such case; the value says what is missing.
    LabError
        As `case_of_step`.
    """
    if isinstance(chosen.example, SceneCase):
        return case_of_step(world, chosen.name)
    makers: dict[type, Callable[[World, Any], Iterator[Case]]] = {
        PairCase: _pairs_by_merit,
        PointsCase: _corners,
        OutlineCase: _outline,
        BoxesCase: _boxes,
    }
    maker = makers.get(type(chosen.example))
    offered = iter(()) if maker is None else islice(maker(world, chosen.example), _MAX_TRIED)
    case: Case | None = next((offer for offer in offered if chosen.takes(offer)), None)
    if case is None:
        raise InvalidInputError("scene", f"a scene with a case for {chosen.name}", Described("none"))
    return case


def case_of_step(world: World, solver: str) -> SceneCase:
    """Return the next step of a world by `solver`, with all bodies awake: sleeping bodies are not solved.

    Raises
    ------
    LabError
        As `SceneCase.before`.
    """
    other = world.clone()
    for body, is_awake in zip(other.body_ids, other.awake.tolist(), strict=True):
        if not is_awake and other.body(body).spec.type == "dynamic":
            other.set_awake(body, True)
    return SceneCase.of_world(other).settled(solver)


def case_of_contact(world: World, row: int, query: str = "manifold") -> PairCase:
    """Return the shapes of a contact, at the poses that the solver used."""
    contacts = world.contacts
    a, b = int(contacts.fixture_a[row]), int(contacts.fixture_b[row])
    return _standing(world, a, b, _transform(contacts.pose_a[row]), _transform(contacts.pose_b[row]), query)


def case_of_fixtures(world: World, a: int, b: int, query: str) -> PairCase:
    """Return two fixtures at their bodies' poses before the last step; for `toi`, with their motion through it."""
    rows = [world.row_of(world.fixture(fixture).body) for fixture in (a, b)]
    start_a, start_b = (_transform(world.previous_poses[row]) for row in rows)
    if query != "toi":
        return _standing(world, a, b, start_a, start_b, query)
    ends = [_transform(world.poses[row]) for row in rows]
    centers = [world.body(world.fixture(fixture).body).local_center for fixture in (a, b)]
    return PairCase(_moving(_standing(world, a, b, start_a, start_b, "distance").pair, ends, centers))


def nearest_of_bodies(world: World, body_a: int, body_b: int, query: str = "distance") -> PairCase:
    """Return the nearest fixtures of two bodies at their poses.

    Raises
    ------
    InvalidInputError
        One of them has no fixture.
    """
    pairs = np.array([(a, b) for a in world.fixtures_of(body_a) for b in world.fixtures_of(body_b)], dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        raise InvalidInputError("body", "a body with a fixture", body_b if world.fixtures_of(body_a) else body_a)
    fixtures = _Fixtures(world)
    row_of = {fixture: row for row, fixture in enumerate(fixtures.ids)}
    rows = np.array([(row_of[a], row_of[b]) for a, b in pairs.tolist()], dtype=np.int64)
    a, b = pairs[int(np.argmin(fixtures.distances(rows))) if len(rows) > 1 else 0].tolist()
    return _standing(world, a, b, world.state(body_a).xf, world.state(body_b).xf, query)


def nearest_by_boxes(world: World, body: int | None = None) -> tuple[PairCase, int, int] | None:
    """Return the two fixtures that may collide and have the nearest boxes, one of `body` if given, and their bodies; calls no kernel."""
    fixtures = _Fixtures(world)
    rows = fixtures.pairs()
    if body is not None:
        rows = rows[(np.array(fixtures.bodies, dtype=np.int64)[rows] == body).any(axis=1)]
    if not len(rows):
        return None
    low, high = fixtures.boxes[:, :2], fixtures.boxes[:, 2:]
    apart = np.maximum(low[rows[:, 0]] - high[rows[:, 1]], low[rows[:, 1]] - high[rows[:, 0]])
    overlap = np.minimum(apart.max(axis=1), 0.0)
    nearest = rows[int(np.argmin(np.hypot(*np.maximum(apart, 0.0).T) + overlap))]
    a, b = nearest.tolist()
    return PairCase(fixtures.pair(nearest, "distance")), fixtures.bodies[a], fixtures.bodies[b]


def _moving(pair: Pair, ends: list[Transform], centers: list[Point]) -> Pair:
    """Return a pair at rest as the start of a motion."""
    (end_a, end_b), (center_a, center_b) = ends, centers
    return replace(pair, query="toi", end_a=end_a, end_b=end_b, center_a=center_a, center_b=center_b)


def _standing(world: World, a: int, b: int, xf_a: Transform, xf_b: Transform, query: str) -> PairCase:
    return PairCase(Pair(query, world.fixture(a).shape, xf_a, world.fixture(b).shape, xf_b))


def _transform(pose: FloatArray) -> Transform:
    x, y, angle = pose.tolist()
    return Transform((x, y), angle)


def _pairs_by_merit(world: World, example: PairCase) -> Iterator[PairCase]:
    """Yield pairs for the query of an algorithm's example, in the order of the module's table."""
    query, contacts = example.pair.query, world.contacts
    if query == "toi":
        yield from _meeting(world)
        return
    if query != "ray_cast":
        is_point = np.arange(2) < contacts.count[:, None]
        depths = np.where(is_point, contacts.separation, math.inf).min(axis=1, initial=math.inf)
        for row in np.argsort(depths, kind="stable").tolist():
            yield case_of_contact(world, row, query)
    fixtures = _Fixtures(world)
    rows = fixtures.pairs()
    yield from (PairCase(fixtures.pair(rows[k], query)) for k in np.argsort(fixtures.distances(rows), kind="stable").tolist())


def _meeting(world: World) -> Iterator[PairCase]:
    """Yield approaching pairs by their estimated time of contact, from distance and approach speed; pairs that do collide come first.

    Each is followed by the same pair without rotation, and that relative to B at rest.
    """
    from engine import query

    def do_meet(pair: Pair) -> bool:
        assert pair.shape_b is not None
        return query.time_of_impact(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b).status is Status.HIT

    fixtures = _Fixtures(world)
    rows = fixtures.pairs()
    gaps, velocities = fixtures.distances(rows), world.velocities[fixtures.rows]
    middles = np.array([xf.apply(shape.centroid) for xf, shape in zip(fixtures.poses, fixtures.shapes, strict=True)])
    between = middles[rows[:, 1]] - middles[rows[:, 0]]
    relative = velocities[rows[:, 1], :2] - velocities[rows[:, 0], :2]
    nearing = -(between * relative).sum(axis=1) / np.maximum(np.hypot(between[:, 0], between[:, 1]), _SHORTEST)
    times = np.where((gaps > 0.0) & (nearing > _SHORTEST), gaps / np.maximum(nearing, _SHORTEST), math.inf)
    order = [k for k in np.argsort(times, kind="stable").tolist()[:_MAX_TRIED] if times[k] <= _LONGEST]
    moving = [fixtures.moving(rows[k], max(2.0 * float(times[k]), world.settings.dt)) for k in order]
    for pair in sorted(moving, key=lambda pair: not do_meet(pair)):
        yield PairCase(pair)
        yield from PairCase(pair).plainer()


def _corners(world: World, _: Case) -> Iterator[PointsCase]:
    def of(body: int) -> list[Point]:
        xf = world.state(body).xf
        shapes = [world.fixture(fixture).shape for fixture in world.fixtures_of(body)]
        corners = [xf.apply((x, y)) for shape in shapes if len(shape.core) > 1 for x, y in shape.core.tolist()]
        return list(dict.fromkeys(corners))

    yield from (PointsCase(tuple(corners)) for corners in _largest_first(world, of) if len(corners) <= MAX_POINTS)


def _outline(world: World, _: Case) -> Iterator[OutlineCase]:
    from engine.decompose.outline import Outline

    def of(body: int) -> list[tuple[Point, ...]]:
        xf = world.state(body).xf
        shapes = [world.fixture(fixture).shape for fixture in world.fixtures_of(body)]
        outline = Outline.around([xf.apply_array(shape.core) for shape in shapes if isinstance(shape, Polygon)], _GRID)
        part = None if outline is None else max(outline.parts, key=lambda part: part.area)
        return [] if part is None else [tuple((x, y) for x, y in ring.tolist()) for ring in part.rings()]

    yield from (OutlineCase(tuple(rings)) for rings in _largest_first(world, of) if sum(map(len, rings)) <= MAX_CORNERS)


def _largest_first(world: World, of: Callable[[int], list[_T]]) -> list[list[_T]]:
    """Return the parts of each body, moving bodies first, then the largest first; a ring counts its corners."""
    bodies = [(world.body(body).spec.type == "dynamic", of(body)) for body in world.body_ids]
    full = [(moves, sum(len(part) for part in parts if isinstance(part, tuple)), parts) for moves, parts in bodies if parts]
    return [parts for _, _, parts in sorted(full, key=lambda entry: entry[:2], reverse=True)]


def _boxes(world: World, _: Case) -> Iterator[BoxesCase]:
    boxes = _Fixtures(world).boxes
    if len(boxes):
        centers = 0.5 * boxes[:, :2] + 0.5 * boxes[:, 2:]
        away = np.hypot(*(centers - np.median(centers, axis=0)).T)
        chosen = np.sort(np.argsort(away, kind="stable")[:_MAX_BOXES])
        boxes = boxes[chosen]
        (x0, y0), (x1, y1) = np.percentile(centers[chosen], (25.0, 75.0), axis=0).tolist()
        yield BoxesCase(tuple((a, b, c, d) for a, b, c, d in boxes.tolist()), (x0, y0, x1, y1))
