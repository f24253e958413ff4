"""Cases from worlds: the deepest contact, the nearest pair, the first collision, corners, outlines, boxes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import pytest

from engine import trace
from engine.common.errors import InvalidInputError
from engine.compare.pair.file import Pair
from engine.geometry import Circle, Polygon, Transform
from engine.trace.cases import BoxesCase, OutlineCase, PairCase, PointsCase
from engine.trace.from_world import case_of_contact, case_of_world, nearest_of_bodies
from engine.trace.protocol import Algorithm
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

BOX = Polygon.box(0.5, 0.5)


class Asks(Algorithm[Any]):
    """An algorithm with a chosen case."""

    name, title, page, pseudo_code = "asks", "", "", ("",)
    case: ClassVar[Any] = None

    @property
    def example(self):
        return self.case

    def steps(self, case):
        raise NotImplementedError

    def query(self, case):
        raise NotImplementedError


def asks(case):
    algorithm = Asks()
    algorithm.case = case
    return algorithm


def pair_asked(query):
    moves = {"end_a": Transform(), "end_b": Transform()} if query == "toi" else {}
    if query == "ray_cast":
        return asks(PairCase(Pair(query, BOX, ray=((0.0, 0.0), (1.0, 0.0)))))
    return asks(PairCase(Pair(query, BOX, Transform(), BOX, Transform((2.0, 0.0)), **moves)))


def falling(*bodies, gravity=-10.0, solver="sequential_impulses"):
    world = World(WorldSettings(gravity=(0.0, gravity)), solver=solver)
    world.create_body(BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), type="static", position=(0.0, -0.5)))
    for shape, at in bodies:
        world.create_body(BodySpec((FixtureSpec(shape),), position=at))
    return world


def test_the_deepest_contact_uses_the_poses_of_the_solver():
    world = falling((BOX, (-3.0, 0.49)), (BOX, (3.0, 0.4)))
    world.step()
    case = case_of_world(world, pair_asked("manifold"))
    assert isinstance(case, PairCase) and case.pair.pose_b.position == (3.0, 0.4)
    contacts = world.contacts
    assert contacts.separation.min() == pytest.approx(trace_separation(case), abs=1e-9)
    other = case_of_contact(world, 0)
    assert other.pair.pose_b.position == (-3.0, 0.49)


def trace_separation(case):
    from engine import query

    pair = case.pair
    assert pair.shape_b is not None
    return min(point.separation for point in query.manifold(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b).points)


def test_without_a_contact_the_nearest_pair_that_may_collide_is_used():
    world = falling((BOX, (0.0, 4.0)), (Circle(0.5), (1.2, 4.0)), (Circle(0.5), (5.0, 2.0)))
    case = case_of_world(world, pair_asked("distance"))
    assert isinstance(case, PairCase)
    assert {case.pair.pose_a.position, case.pair.pose_b.position} == {(0.0, 4.0), (1.2, 4.0)}
    world.create_joint(RevoluteJointSpec(1, 2, (0.6, 4.0)))
    apart = case_of_world(world, pair_asked("distance"))
    assert isinstance(apart, PairCase) and apart.pair.pose_b.position == (5.0, 2.0) and apart.pair.pose_a.position == (0.0, -0.5)
    for fixture in world.fixture_ids:
        world.set_fixture(fixture, group=-1)
    with pytest.raises(InvalidInputError, match="a case for asks"):
        case_of_world(world, pair_asked("distance"))


def test_the_pair_with_the_first_contact_is_used_with_its_motion():
    from engine import query

    world = falling((BOX, (0.0, 3.0)), (BOX, (4.0, 3.0)), gravity=0.0)
    with pytest.raises(InvalidInputError, match="a case for asks"):
        case_of_world(world, pair_asked("toi"))
    world.set_velocity(1, (3.0, 0.0), 1.0)
    case = case_of_world(world, pair_asked("toi"))
    assert isinstance(case, PairCase)
    pair = case.pair
    assert {pair.pose_a.position, pair.pose_b.position} == {(0.0, 3.0), (4.0, 3.0)} and pair.shape_b is not None
    assert query.time_of_impact(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b).status.name == "HIT"


def test_a_ray_connects_the_centers():
    world = falling((BOX, (0.0, 4.0)), (Circle(0.5), (1.2, 4.0)))
    case = case_of_world(world, pair_asked("ray_cast"))
    assert isinstance(case, PairCase) and case.pair.ray is not None
    assert set(case.pair.ray) == {(0.0, 4.0), (1.2, 4.0)}


def test_corners_outlines_and_boxes_of_bodies():
    world = falling()
    ell = (Polygon([(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)]), Polygon([(0.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]))
    world.create_body(BodySpec(tuple(map(FixtureSpec, ell)), position=(0.0, 5.0), angle=math.pi / 2.0))
    points = case_of_world(world, asks(PointsCase(((0.0, 0.0),))))
    assert isinstance(points, PointsCase) and len(points.points) == 7  # (0, 1) is a corner of both
    outline = case_of_world(world, asks(OutlineCase((((0.0, 0.0),),))))
    assert isinstance(outline, OutlineCase)
    assert {(round(x, 3), round(y, 3)) for x, y in outline.rings[0]} >= {
        (0.0, 5.0),
        (0.0, 7.0),
        (-1.0, 7.0),
        (-1.0, 6.0),
        (-2.0, 6.0),
        (-2.0, 5.0),
    }
    boxes = case_of_world(world, asks(BoxesCase((), (0.0, 0.0, 0.0, 0.0))))
    assert isinstance(boxes, BoxesCase) and len(boxes.boxes) == 3 and boxes.boxes[0] == pytest.approx((-10.0, -1.0, 10.0, 0.0))


def test_two_bodies_use_their_nearest_fixtures():
    world = falling((Circle(0.5), (9.0, 3.0)))
    pair = (FixtureSpec(Circle(0.1, (-1.0, 0.0))), FixtureSpec(Circle(0.1, (1.0, 0.0))))
    world.create_body(BodySpec(pair, position=(5.0, 3.0)))
    case = nearest_of_bodies(world, 1, 2)
    assert case.pair.shape_b is not None and case.pair.shape_b.centroid == (1.0, 0.0)


def test_a_world_of_discs_has_no_corners_and_an_empty_one_nothing():
    world = World(WorldSettings(), solver="sequential_impulses")
    for algorithm in (pair_asked("distance"), asks(PointsCase(())), asks(OutlineCase(())), asks(BoxesCase((), (0.0, 0.0, 0.0, 0.0)))):
        with pytest.raises(InvalidInputError, match="scene must be a scene with"):
            case_of_world(world, algorithm)


@pytest.mark.parametrize("name", trace.algorithms())
def test_every_algorithm_accepts_a_pile(name):
    world = falling((BOX, (0.0, 0.5)), (BOX, (0.2, 1.5)), (BOX, (0.0, 4.0)))
    world.step()
    try:
        case = case_of_world(world, trace.algorithm(name))
    except InvalidInputError as refusal:  # no discs that move
        assert str(refusal) == f"scene must be a scene with a case for {name}, got none" and name == "moving_discs"
        return
    assert trace.algorithm(name).takes(case)


def test_the_middle_boxes_of_many_are_used():
    world = World(WorldSettings(), solver="sequential_impulses")
    for k in range(100):
        world.create_body(BodySpec((FixtureSpec(Circle(0.25)),), position=(float((37 * k) % 100), 0.0)))
    case = case_of_world(world, asks(BoxesCase((), (0.0, 0.0, 0.0, 0.0))))
    at = [0.5 * (box[0] + box[2]) for box in case.boxes]
    assert sorted(at) == pytest.approx(range(18, 82)) and at == pytest.approx([x for k in range(100) if 18 <= (x := (37 * k) % 100) < 82])


@pytest.mark.parametrize("name", ["conservative_advancement", "swept_sat", "shape_cast"])
def test_a_hit_is_preferred_to_a_miss_and_each_algorithm_gets_supported_input(name):
    world = falling((BOX, (0.0, 3.0)), (BOX, (1.2, 4.02)), (BOX, (5.0, 3.0)), gravity=0.0)
    world.set_velocity(1, (1.0, 0.0), 0.001)  # it passes just under the nearer box, and meets the farther one
    case = case_of_world(world, trace.algorithm(name))
    assert isinstance(case, PairCase) and case.pair.shape_b is not None
    assert {case.pair.pose_a.position, case.pair.pose_b.position} == {(0.0, 3.0), (5.0, 3.0)}
    assert trace.algorithm(name).query(case).status.name == "HIT"
