"""Contacts, events, hooks, sensors, filters and sleep under the soft step."""

import math

import numpy as np
import pytest

from engine.compare.live.pairs import LivePairs
from engine.compare.live.referee import LiveReferee
from engine.contracts import PointState
from engine.experiments.references.lab import run
from engine.experiments.scenes import UNIT, body, ground, stack
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.sim.stage import Stage
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec, World, WorldSettings
from engine.world.hooks import StepHooks
from tests.unit.dynamics.worlds import make_world


@pytest.mark.parametrize(
    ("shape", "height", "points"),
    [
        (UNIT, 0.5, 2),
        (Circle(0.5), 0.5, 1),
        (Capsule((-0.5, 0.0), (0.5, 0.0), 0.25), 0.25, 2),
        (Polygon.regular(25, 1.0), math.cos(math.pi / 25), 2),
    ],
    ids=["box", "disc", "capsule", "25 corners"],
)
def test_every_shape_rests_on_the_ground_with_its_points_reported(shape, height, points):
    world = make_world()
    ground(world)
    resting = body(world, shape, (0.0, height + 0.1), angular_damping=5.0)
    run(world, 6.0)
    assert world.state(resting).position[1] == pytest.approx(height, abs=2e-3)
    contacts = world.contacts
    assert len(contacts) == 1 and contacts.count.tolist() == [points] and contacts.normal[0] == pytest.approx((0.0, 1.0), abs=1e-2)
    weight = world.body(resting).mass * 10.0
    assert contacts.normal_impulse.sum() * 60.0 == pytest.approx(weight, rel=1e-3)
    assert (contacts.separation[0, :points] <= 1e-4).all() and (contacts.separation[0, :points] > -1e-3).all()
    assert contacts.position[0, 0, 1] == pytest.approx(0.0, abs=1e-3)
    assert (contacts.state[0, :points] == PointState.PERSIST).all() and (contacts.state[0, points:] == -1).all()


def test_a_disc_rolls_along_a_chain_without_a_bump_at_its_joints():
    world = make_world()
    corners = [(float(k), 0.0) for k in range(-2, 12)]
    links = [
        Segment(a, b, ghost1=before, ghost2=after)
        for before, a, b, after in zip(corners, corners[1:], corners[2:], corners[3:], strict=False)
    ]
    world.create_body(BodySpec(tuple(FixtureSpec(link, friction=0.0) for link in links), "static"))
    box = body(world, Polygon.box(0.2, 0.2), (0.0, 0.2), friction=0.0)
    run(world, 0.5)
    world.set_velocity(box, (4.0, 0.0))
    run(world, 1.5)
    assert world.state(box).linear_velocity[0] == pytest.approx(4.0, rel=1e-9) and world.state(box).position[1] == pytest.approx(
        0.2, abs=1e-3
    )


@pytest.mark.parametrize("tilt", [0.0, 1e-15, 4e-6])
def test_tiles_that_differ_by_rounding_act_as_one_line(tilt):
    """Slip along one line is integrated by the trapezoidal rule, which is exact under constant acceleration; switching rules loses g h t /
    2 (issue 29).
    """
    world = World(WorldSettings(gravity=(3.0, -10.0), sleeping=False), solver="soft_step")
    tiles = [Polygon([(-9.0, -1.0), (9.0, -1.0), (9.0, 9.0 * slope), (-9.0, -9.0 * slope)]) for slope in (0.0, tilt)]
    world.create_body(BodySpec(tuple(FixtureSpec(tile, friction=0.0) for tile in tiles), "static"))
    box = body(world, Polygon.box(0.5, 0.2), (0.0, 0.2), friction=0.0)
    run(world, 1.0)
    assert world.state(box).position[0] == pytest.approx(1.5, abs=1e-4)


def test_hooks_are_called_at_begin_solve_and_end_in_order():
    world = make_world()
    ground(world, restitution=0.5)
    ball = body(world, Circle(0.5), (0.0, 1.0), restitution=0.5)
    heard = []
    impulses = []

    def note(name):
        return lambda event, *more: heard.append((name, event.step))

    def solved(event, normal, tangent):
        heard.append(("solved", event.step))
        impulses.extend(normal)

    world.hooks = StepHooks(begin=note("begin"), end=note("end"), post_solve=solved)
    while ("end", world.step_index) not in heard:
        world.step()
    names = [name for name, _ in heard]
    assert names[0] == "begin" and names[1] == "solved" and names[-1] == "end" and names.count("begin") == names.count("end") == 1
    speed = math.sqrt(2.0 * 10.0 * 0.5)
    assert max(impulses) == pytest.approx(1.5 * world.body(ball).mass * speed, rel=0.05)  # (1 + e) m v, of the step before the touch
    assert world.contacts.ended[0].body_b == ball and [point.state for point in world.contacts.removed] == [PointState.REMOVE]


def test_a_hook_lets_bodies_pass_and_its_error_is_raised_by_the_step():
    world = make_world()
    ground(world)
    ball = body(world, Circle(0.5), (0.0, 1.0))
    world.hooks = StepHooks(pre_solve=lambda event: False)
    run(world, 1.0)
    assert world.state(ball).position[1] == pytest.approx(1.0 - 5.0, abs=0.01)

    def fails(event):
        raise ZeroDivisionError("in the hook")

    two = make_world()
    ground(two)
    body(two, Circle(0.5), (0.0, 0.5))
    two.hooks = StepHooks(begin=fails)
    with pytest.raises(ZeroDivisionError):
        two.step()
    assert two.step_index == 1 and len(two.contacts) == 1


def test_a_body_can_be_destroyed_in_a_hook():
    world = make_world()
    ground(world)
    ball = body(world, Circle(0.5), (0.0, 1.0))
    world.hooks = StepHooks(begin=lambda event: world.destroy_body(ball))
    run(world, 1.0)
    assert not world.is_body(ball) and len(world.contacts) == 0


def test_a_sensor_detects_a_body_that_passes_within_one_step_without_stopping_it():
    world = make_world(gravity=(0.0, 0.0))
    gate = body(world, Polygon.box(0.05, 2.0), (0.0, 0.0), type="static", sensor=True)
    bullet = body(world, Circle(0.1), (-5.0, 0.0), linear_velocity=(300.0, 0.0))
    heard = []
    world.hooks = StepHooks(
        begin=lambda event: heard.append(("begin", event.sensor)), end=lambda event: heard.append(("end", event.sensor))
    )
    run(world, 0.2)
    assert heard == [("begin", True), ("end", True)]
    assert world.state(bullet).linear_velocity == (300.0, 0.0) and gate == 0


def test_filters_groups_and_joints_keep_bodies_from_touching():
    world = make_world(gravity=(0.0, 0.0))
    body(world, Circle(0.5), (0.0, 0.0), category=2, mask=0xFFFF)
    body(world, Circle(0.5), (0.2, 0.0), category=1, mask=0xFFFD)
    a, b = body(world, Circle(0.5), (5.0, 0.0)), body(world, Circle(0.5), (5.5, 0.0))
    world.create_joint(DistanceJointSpec(a, b, (5.0, 0.0), (5.5, 0.0)))
    for x in (10.0, 10.3):
        world.create_body(BodySpec((FixtureSpec(Circle(0.5), group=-1),), position=(x, 0.0)))
    run(world, 0.1)
    assert len(world.contacts) == 0
    world.create_body(BodySpec((FixtureSpec(Circle(0.5), group=3, mask=0),), position=(20.0, 0.0)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.5), group=3, mask=0),), position=(20.3, 0.0)))
    assert len(world.step()) == 1


def test_piles_sleep_apart_and_wake_together():
    world = World(WorldSettings(), solver="soft_step")
    ground(world)
    left = stack(world, 3, x=-5.0)
    right = stack(world, 3, x=5.0)
    run(world, 3.0)
    assert not world.awake[[world.row_of(k) for k in (*left, *right)]].any()
    before, contacts = world.state_hash(), world.contacts
    run(world, 1.0)
    assert world.state_hash() == before and not world.contacts.evaluated.any() and len(world.contacts) == len(contacts) == 6
    assert not (world.contacts.began or world.contacts.ended or world.contacts.removed)
    body(world, Circle(0.2), (5.0, 6.0))
    run(world, 1.0)
    assert world.awake[[world.row_of(k) for k in right]].all() and not world.awake[[world.row_of(k) for k in left]].any()
    world.destroy_body(left[0])
    run(world, 0.5)
    assert world.state(left[2]).position[1] < 2.0


def test_bodies_that_may_not_sleep_or_are_carried_stay_awake():
    world = World(WorldSettings(), solver="soft_step")
    ground(world)
    body(world, UNIT, (0.0, 0.5), allow_sleep=False)
    belt = body(world, Polygon.box(3.0, 0.1), (20.0, 0.0), type="kinematic", linear_velocity=(0.01, 0.0))
    carried = body(world, UNIT, (20.0, 0.6))
    run(world, 3.0)
    assert world.awake[1:].all()
    assert world.state(carried).position[0] - 20.0 == pytest.approx(world.state(belt).position[0] - 20.0, abs=2e-3)


def test_impossible_bodies_are_rejected_in_one_line():
    world = make_world()
    ball = body(world, Circle(0.5), (0.0, 0.0))
    with pytest.raises(ValueError, match="density must be > 0 kg/m\\^2 for at least one fixture of a dynamic body"):
        body(world, Circle(0.5), (0.0, 0.0), density=0.0)
    with pytest.raises(ValueError, match="shape must be at least one shape with an area for a dynamic body"):
        body(world, Segment((0.0, 0.0), (1.0, 0.0)), (0.0, 0.0))
    with pytest.raises(ValueError, match="density must be > 0"):
        world.set_fixture(world.fixtures_of(ball)[0], density=0.0)
    with pytest.raises(ValueError, match="impulse must be small enough that the body stays below 1e\\+06 m/s"):
        world.apply_impulse(ball, (1e9, 0.0))
    with pytest.raises(ValueError, match="mass must be from 1e-09 to 1e\\+12 kg"):
        body(world, Circle(50.0), (0.0, 0.0), density=1e9)
    world.step()
    assert world.body_ids == (ball,)


def test_bodies_heaped_in_one_place_separate_without_an_explosion():
    world = make_world()
    ground(world)
    rng = np.random.default_rng(3)
    for _ in range(60):
        body(world, UNIT, tuple(rng.normal((0.0, 1.0), 1e-3, 2)))
    run(world, 5.0)
    assert np.isfinite(world.poses).all() and world.poses[:, 1].max() < 40.0
    assert abs(world.velocities).max() < 30.0


def test_a_stage_of_this_solver_is_judged():
    stage = Stage(make_world())
    ground(stage.world)
    body(stage.world, UNIT, (0.0, 0.5))
    stage.referee = LiveReferee(stage.world, LivePairs(stage.world))
    for _ in range(5):
        stage.advance()
    assert stage.total.compared == stage.total.agree == 5 and stage.pair_total.agree == 5 and not stage.pair_total.unexplained


@pytest.mark.parametrize("shape", [Polygon.box(0.25, 0.25), Circle(0.25)], ids=["box", "disc"])
@pytest.mark.parametrize("floor", ["tiles", "edges"])
def test_sliding_bodies_do_not_collide_with_the_seams_of_a_level_floor(shape, floor):
    world = make_world()
    for k in range(10):
        piece = Polygon.box(0.5, 0.15, (k + 0.5, -0.15)) if floor == "tiles" else Segment((float(k), 0.0), (k + 1.0, 0.0))
        body(world, piece, (0.0, 0.0), type="static", friction=0.0)
    sliders = [
        body(world, shape, (0.3 + 0.09 * k, 0.25), friction=0.0, category=2, mask=1, linear_velocity=(7.0, 0.0), fixed_rotation=True)
        for k in range(6)
    ]
    run(world, 1.2)
    for slider in sliders:
        assert world.state(slider).linear_velocity == pytest.approx((7.0, 0.0), abs=5e-3)


def test_a_real_step_in_the_floor_stops_a_sliding_body():
    world = make_world()
    body(world, Polygon.box(2.0, 0.15, (2.0, -0.15)), (0.0, 0.0), type="static", friction=0.0)
    body(world, Polygon.box(2.0, 0.15, (6.0, -0.149)), (0.0, 0.0), type="static", friction=0.0)
    slider = body(world, Polygon.box(0.25, 0.25), (3.0, 0.25), friction=0.0, linear_velocity=(1.0, 0.0), fixed_rotation=True)
    run(world, 1.2)
    assert world.state(slider).position[0] == pytest.approx(3.75, abs=1e-3)


@pytest.mark.parametrize(("miss", "is_hit"), [(1e-3, False), (-1e-3, True)])
def test_discs_that_pass_each_other_closely_fly_straight_on(miss, is_hit):
    world = make_world(gravity=(0.0, 0.0))
    flying = body(world, Circle(0.25), (-1.0, 0.5 + miss), linear_velocity=(6.0, 0.0))
    body(world, Circle(0.25), (0.0, 0.0))
    run(world, 0.5)
    assert (world.state(flying).linear_velocity != (6.0, 0.0)) == is_hit
