"""Cases from a world: its fixtures, bodies and boxes as input of an algorithm.

    a pair at rest       the pair whose contact is deepest, at the poses that the solver used; without a contact, the nearest pair
    a pair that moves    the pair that will meet first at constant velocity, over twice that time; without its rotation, or seen
                         from one of the two, if the algorithm requires that
    a ray                from the middle of one shape of the nearest pair to the middle of the other
    points               the corners of the body with most corners, moving bodies first
    an outline           of the body whose fixtures make the outline with most corners, in the same way
    a world              the world itself; its next step is shown, with all bodies awake
    boxes                those of all fixtures, or of the 64 about the median of all; the region is where the middle half of their
                         centers lie, on each axis

Shapes are those that the solver holds, skins included. Fixtures of one body, of two that no force moves, and such as filters or a joint
keep from meeting, are no pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import Described, InvalidInputError
from engine.compare.pair.file import Pair
from engine.contracts import Status
from engine.contracts.trace import Point
from engine.geometry import FixtureShape, Polygon, Transform
from engine.trace.cases import MAX_CORNERS, MAX_POINTS, BoxesCase, Case, OutlineCase, PairCase, PointsCase
from engine.trace.doors import plainer_motions
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


class _Fixtures(NamedTuple):
    """All fixtures that can meet others: ids, bodies, shapes, poses float64 (n, 3), and boxes (n, 4)."""

    ids: list[int]
    bodies: list[int]
    shapes: list[FixtureShape]
    poses: FloatArray
    boxes: FloatArray


def case_of_world(world: World, chosen: Algorithm[Any]) -> Case:
    """Return a case for an algorithm from the current state of a world.

    Raises
    ------
    InvalidInputError
        The world has no such case; the value says what is missing.
    """
    makers: dict[type, Callable[[World, Any], Iterator[Case]]] = {
        PairCase: _pairs_by_merit,
        PointsCase: _corners,
        OutlineCase: _outline,
        BoxesCase: _boxes,
        SceneCase: _scene,
    }
    maker = makers.get(type(chosen.example))
    offered = iter(()) if maker is None else islice(maker(world, chosen.example), _MAX_TRIED)
    case: Case | None = next((offer for offer in offered if chosen.takes(offer)), None)
    if case is None:
        raise InvalidInputError("scene", f"a scene with a case for {chosen.name}", Described("none"))
    return case


def case_of_step(world: World) -> SceneCase:
    """Return the next step of a world, with all bodies awake: sleeping bodies are not solved."""
    if world.awake.all():
        return SceneCase.of_world(world)
    other = world.clone()
    for body, is_awake in zip(other.body_ids, other.awake.tolist(), strict=True):
        if not is_awake and other.body(body).spec.type == "dynamic":
            other.set_awake(body, True)
    return SceneCase.of_world(other)


def case_of_contact(world: World, row: int, query: str = "manifold") -> PairCase:
    """Return the shapes of a contact, at the poses that the solver used."""
    contacts = world.contacts
    a, b = int(contacts.fixture_a[row]), int(contacts.fixture_b[row])
    return _standing(world, a, b, _transform(contacts.pose_a[row]), _transform(contacts.pose_b[row]), query)


def case_of_fixtures(world: World, a: int, b: int, query: str) -> PairCase:
    """Return two fixtures as their bodies stood before the last step; for `toi` with their motion through it."""

    def way(fixture: int) -> tuple[Transform, Transform, Point]:
        body = world.fixture(fixture).body
        row = world.row_of(body)
        return _transform(world.previous_poses[row]), _transform(world.poses[row]), world.body(body).local_center

    (start_a, end_a, center_a), (start_b, end_b, center_b) = way(a), way(b)
    if query != "toi":
        return _standing(world, a, b, start_a, start_b, query)
    shapes = world.fixture(a).shape, world.fixture(b).shape
    return PairCase(Pair("toi", shapes[0], start_a, shapes[1], start_b, end_a, end_b, center_a, center_b))


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
    fixtures = _fixtures(world)
    row_of = {fixture: row for row, fixture in enumerate(fixtures.ids)}
    rows = np.array([(row_of[a], row_of[b]) for a, b in pairs.tolist()], dtype=np.int64)
    a, b = pairs[int(np.argmin(_distances(fixtures, rows))) if len(rows) > 1 else 0].tolist()
    return _standing(world, a, b, world.state(body_a).xf, world.state(body_b).xf, query)


def nearest_by_boxes(world: World, body: int | None = None) -> tuple[PairCase, int, int] | None:
    """Return two fixtures that may meet, one of `body` if given, whose boxes are nearest, and their bodies; no kernel is called."""
    fixtures = _fixtures(world)
    rows = _pairs(world, fixtures)
    if body is not None:
        rows = rows[(np.array(fixtures.bodies, dtype=np.int64)[rows] == body).any(axis=1)]
    if not len(rows):
        return None
    low, high = fixtures.boxes[:, :2], fixtures.boxes[:, 2:]
    apart = np.maximum(low[rows[:, 0]] - high[rows[:, 1]], low[rows[:, 1]] - high[rows[:, 0]])
    overlap = np.minimum(apart.max(axis=1), 0.0)
    a, b = rows[int(np.argmin(np.hypot(*np.maximum(apart, 0.0).T) + overlap))].tolist()
    poses = _transform(fixtures.poses[a]), _transform(fixtures.poses[b])
    return PairCase(Pair("distance", fixtures.shapes[a], poses[0], fixtures.shapes[b], poses[1])), fixtures.bodies[a], fixtures.bodies[b]


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
    fixtures = _fixtures(world)
    rows = _pairs(world, fixtures)
    for k in np.argsort(_distances(fixtures, rows), kind="stable").tolist():
        a, b = rows[k].tolist()
        shape_a, shape_b, xf_a, xf_b = fixtures.shapes[a], fixtures.shapes[b], _transform(fixtures.poses[a]), _transform(fixtures.poses[b])
        if query == "ray_cast":
            yield PairCase(Pair(query, shape_a, xf_a, ray=(xf_b.apply(shape_b.centroid), xf_a.apply(shape_a.centroid))))
        else:
            yield PairCase(Pair(query, shape_a, xf_a, shape_b, xf_b))


def _meeting(world: World) -> Iterator[PairCase]:
    """Yield approaching pairs by estimated time of contact, from distance and speed of approach; pairs that do meet first.

    Each is followed by the same without its rotation, and that relative to B at rest.
    """
    fixtures = _fixtures(world)
    rows = _pairs(world, fixtures)
    gaps = _distances(fixtures, rows)
    velocities = np.array([world.velocities[world.row_of(body)] for body in fixtures.bodies])
    middles = np.array([_transform(pose).apply(shape.centroid) for pose, shape in zip(fixtures.poses, fixtures.shapes, strict=True)])
    between = middles[rows[:, 1]] - middles[rows[:, 0]]
    relative = velocities[rows[:, 1], :2] - velocities[rows[:, 0], :2]
    nearing = -(between * relative).sum(axis=1) / np.maximum(np.hypot(between[:, 0], between[:, 1]), _SHORTEST)
    times = np.where((gaps > 0.0) & (nearing > _SHORTEST), gaps / np.maximum(nearing, _SHORTEST), math.inf)
    order = [k for k in np.argsort(times, kind="stable").tolist()[:_MAX_TRIED] if times[k] <= _LONGEST]
    moving = [_moving_pair(world, fixtures, rows[k], max(2.0 * float(times[k]), world.settings.dt)) for k in order]
    for pair in sorted(moving, key=lambda pair: not _do_meet(pair)):
        yield PairCase(pair)
        for plainer in plainer_motions(pair):
            yield PairCase(plainer)


def _do_meet(pair: Pair) -> bool:
    from engine import query

    assert pair.shape_b is not None
    return query.time_of_impact(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b).status is Status.HIT


def _moving_pair(world: World, fixtures: _Fixtures, rows: IntArray, seconds: float) -> Pair:
    a, b = rows.tolist()
    (start_a, end_a, center_a), (start_b, end_b, center_b) = (_motion(world, fixtures, row, seconds) for row in (a, b))
    return Pair("toi", fixtures.shapes[a], start_a, fixtures.shapes[b], start_b, end_a, end_b, center_a, center_b)


def _motion(world: World, fixtures: _Fixtures, row: int, seconds: float) -> tuple[Transform, Transform, Point]:
    """Return the sweep of a fixture's body: its pose, its pose at constant velocity, and its center."""
    body, xf = fixtures.bodies[row], _transform(fixtures.poses[row])
    center, (vx, vy, omega) = world.body(body).local_center, world.velocities[world.row_of(body)].tolist()
    x, y = xf.apply(center)
    away = Transform((0.0, 0.0), xf.angle + seconds * omega).apply(center)
    return xf, Transform((x + seconds * vx - away[0], y + seconds * vy - away[1]), xf.angle + seconds * omega), center


def _fixtures(world: World) -> _Fixtures:
    ids = [fixture for fixture in world.fixture_ids if world.body(world.fixture(fixture).body).spec.active]
    fixtures = [world.fixture(fixture) for fixture in ids]
    poses = np.array([world.poses[world.row_of(fixture.body)] for fixture in fixtures], dtype=np.float64).reshape(-1, 3)
    boxes = [fixture.shape.aabb(_transform(pose)) for fixture, pose in zip(fixtures, poses, strict=True)]
    corners = np.array([(*box.lower, *box.upper) for box in boxes], dtype=np.float64).reshape(-1, 4)
    return _Fixtures(ids, [fixture.body for fixture in fixtures], [fixture.shape for fixture in fixtures], poses, corners)


def _pairs(world: World, fixtures: _Fixtures) -> IntArray:
    """Return rows (k, 2) of fixtures that may collide."""
    specs = [world.fixture(fixture).spec for fixture in fixtures.ids]
    body = np.array(fixtures.bodies, dtype=np.int64)
    is_dynamic = np.array([world.body(body).spec.type == "dynamic" for body in fixtures.bodies], dtype=np.bool_)
    category, mask, group = (np.array([getattr(spec, name) for spec in specs], dtype=np.int64) for name in ("category", "mask", "group"))
    a, b = np.triu_indices(len(body), 1)
    may = (body[a] != body[b]) & (is_dynamic[a] | is_dynamic[b])
    may &= filters_allow(category, mask, group, np.column_stack((a, b)))
    joined = {
        frozenset(world.joint_bodies(joint)) for joint in world.joint_ids if not getattr(world.joint(joint).spec, "collide_connected", True)
    }
    for two in joined:
        if len(two) == 2 and None not in two:
            first, other = sorted(two)  # type: ignore[type-var]
            may &= ~(((body[a] == first) & (body[b] == other)) | ((body[a] == other) & (body[b] == first)))
    return np.column_stack((a[may], b[may]))


def _distances(fixtures: _Fixtures, rows: IntArray) -> FloatArray:
    """Return the separation of each pair; 0 or less where two overlap."""
    from engine.query import batch

    return batch.distance(batch.ShapeBatch(fixtures.shapes), rows, fixtures.poses[rows[:, 0]], fixtures.poses[rows[:, 1]]).separation


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


def _scene(world: World, _: Case) -> Iterator[SceneCase]:
    yield case_of_step(world)


def _boxes(world: World, _: Case) -> Iterator[BoxesCase]:
    boxes = _fixtures(world).boxes
    if len(boxes):
        centers = 0.5 * boxes[:, :2] + 0.5 * boxes[:, 2:]
        away = np.hypot(*(centers - np.median(centers, axis=0)).T)
        chosen = np.sort(np.argsort(away, kind="stable")[:_MAX_BOXES])
        boxes = boxes[chosen]
        (x0, y0), (x1, y1) = np.percentile(centers[chosen], (25.0, 75.0), axis=0).tolist()
        yield BoxesCase(tuple((a, b, c, d) for a, b, c, d in boxes.tolist()), (x0, y0, x1, y1))
