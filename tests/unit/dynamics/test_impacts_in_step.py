"""Impacts within a step: a free body bounces where it touches and moves on for the rest of the step."""

import math

import numpy as np
import pytest

from engine.experiments.references.lab import run
from engine.experiments.scenes import UNIT, body, ground
from engine.geometry import Circle, Polygon, Segment
from engine.world.hooks import StepHooks
from tests.unit.dynamics.worlds import make_world

RADIUS = 0.05
SMOOTH = {"friction": 0.0, "restitution": 1.0}


def walls(world, *at, restitution=1.0):
    return [body(world, Segment((x, -9.0), (x, 9.0)), (0.0, 0.0), type="static", friction=0.0, restitution=restitution) for x in at]


def energy(world, *bodies):
    total = 0.0
    for each in bodies:
        state, record = world.state(each), world.body(each)
        total += 0.5 * record.mass * math.hypot(*state.linear_velocity) ** 2 + 0.5 * record.inertia * state.angular_velocity**2
    return total


def unfolded(way, width):
    """Return where a point is that has gone a way from one end of a path with a mirror at both ends."""
    way %= 2.0 * width
    return min(way, 2.0 * width - way)


@pytest.mark.parametrize("width", [0.3, 1.0, 10.0])
def test_no_time_is_lost_between_two_walls(width):
    world = make_world(gravity=(0.0, 0.0))
    walls(world, 0.0, width)
    ball = body(world, Circle(RADIUS), (RADIUS + 0.03, 0.0), linear_velocity=(200.0, 0.0), **SMOOTH)
    n_impacts = 0
    for step in range(1, 61):
        world.step()
        n_impacts += len(world.impact_moments)
        assert abs(world.state(ball).linear_velocity[0]) == pytest.approx(200.0, rel=1e-12)
        if width > 0.3:
            assert world.state(ball).position[0] == pytest.approx(
                RADIUS + unfolded(0.03 + 200.0 * step / 60.0, width - 2.0 * RADIUS), abs=0.03
            )
    assert n_impacts * (width - 2.0 * RADIUS) > 0.95 * 200.0


def test_restitution_takes_its_share_at_every_impact():
    world = make_world(gravity=(0.0, 0.0))
    walls(world, 0.0, 1.0, restitution=0.5)
    ball = body(world, Circle(RADIUS), (0.5, 0.0), linear_velocity=(300.0, 0.0), friction=0.0, restitution=0.5)
    world.step()  # 0.45 m at 300 m/s, 0.9 m at 150 and at 75 m/s, and the rest at 37.5
    left = 1.0 / 60.0 - 0.45 / 300.0 - 0.9 / 150.0
    assert len(world.impact_moments) == 2
    assert world.state(ball).linear_velocity[0] == pytest.approx(75.0)
    assert world.state(ball).position[0] == pytest.approx(RADIUS + 75.0 * left, abs=1e-6)


@pytest.mark.parametrize("offset", [0.0, 0.06])
def test_two_discs_that_meet_keep_momentum_and_energy(offset):
    world = make_world(gravity=(0.0, 0.0))
    light = body(world, Circle(RADIUS), (-1.0, 0.0), linear_velocity=(300.0, 0.0), **SMOOTH)
    heavy = body(world, Circle(RADIUS), (0.7, offset), linear_velocity=(-60.0, 0.0), density=3.0, **SMOOTH)
    masses, before = [world.body(each).mass for each in (light, heavy)], energy(world, light, heavy)
    momentum = masses[0] * 300.0 - masses[1] * 60.0
    world.step()
    (moment,) = world.impact_moments
    assert moment.fraction * 6.0 == pytest.approx(1.7 - math.sqrt(0.01 - offset**2), abs=1e-8)
    velocities = [world.state(each).linear_velocity for each in (light, heavy)]
    assert np.dot(masses, velocities) == pytest.approx([momentum, 0.0], abs=1e-9)
    assert energy(world, light, heavy) == pytest.approx(before, rel=1e-12)
    left = (1.0 - moment.fraction) / 60.0
    for each, pose, velocity in ((light, moment.pose_a, velocities[0]), (heavy, moment.pose_b, velocities[1])):
        assert world.state(each).position == pytest.approx((pose[0] + velocity[0] * left, pose[1] + velocity[1] * left))


def test_a_disc_between_a_wall_and_one_that_comes_nearer():
    world = make_world(gravity=(0.0, 0.0))
    walls(world, 0.0)
    body(world, Polygon.box(0.5, 5.0), (2.5, 0.0), type="kinematic", linear_velocity=(-20.0, 0.0), friction=0.0)
    ball = body(world, Circle(RADIUS), (0.5, 0.0), linear_velocity=(150.0, 0.0), **SMOOTH)
    for _ in range(3):
        world.step()
    x, v, t, wall = 0.5, 150.0, 0.0, 2.0  # the same by hand
    while True:
        at = t + ((wall - 20.0 * t - RADIUS - x) / (v + 20.0) if v > 0.0 else (x - RADIUS) / -v)
        if at > 0.05:
            break
        x, v, t = x + v * (at - t), -v - 40.0 if v > 0.0 else -v, at
    assert world.state(ball).linear_velocity[0] == pytest.approx(v) and abs(v) > 300.0
    assert world.state(ball).position[0] == pytest.approx(x + v * (0.05 - t), abs=0.02)


def test_a_bullet_and_the_stack_that_it_strikes_gain_no_energy():
    world = make_world()
    ground(world)
    boxes = [body(world, UNIT, (0.0, 0.5 + k)) for k in range(4)]
    run(world, 1.0)
    bullet = body(world, Circle(0.1), (-10.0, 2.5), linear_velocity=(400.0, 0.0), density=5.0, restitution=0.5)
    before = energy(world, bullet)
    momentum = world.body(bullet).mass * 400.0
    for _ in range(4):
        world.step()
        assert energy(world, bullet, *boxes) < 1.01 * before
    total = sum(world.body(each).mass * world.state(each).linear_velocity[0] for each in (bullet, *boxes))
    assert 0.7 * momentum < total <= momentum  # the floor's friction takes some


@pytest.mark.parametrize("spin", [0.0, 30.0, -200.0])
def test_a_spinning_plank_keeps_its_energy(spin):
    world = make_world(gravity=(0.0, 0.0))
    walls(world, 0.0, 3.0)
    plank = body(world, Polygon.box(0.6, 0.05), (1.5, 0.0), linear_velocity=(120.0, 0.0), angular_velocity=spin, **SMOOTH)
    before, n_impacts = energy(world, plank), 0
    for _ in range(60):
        world.step()
        n_impacts += len(world.impact_moments)
        assert energy(world, plank) == pytest.approx(before, rel=1e-9)
        assert 0.0 < world.state(plank).position[0] < 3.0
    assert n_impacts > 30


def test_a_body_that_was_struck_strikes_what_its_own_motion_would_not_have_met():
    world = make_world(gravity=(0.0, 0.0))
    walls(world, 1.0)
    behind = body(world, Circle(RADIUS), (-1.0, 0.0), **SMOOTH)
    ball = body(world, Circle(RADIUS), (0.0, 0.0), linear_velocity=(200.0, 0.0), **SMOOTH)
    world.step()
    assert len(world.impact_moments) == 2
    assert world.state(behind).linear_velocity[0] == pytest.approx(-200.0) and world.state(ball).linear_velocity[0] == pytest.approx(0.0)
    assert world.state(behind).position[0] == pytest.approx(-1.0 - (200.0 / 60.0 - 0.95 - 1.85))


def test_a_thin_plate_behind_a_bullet_is_not_passed():
    world = make_world(gravity=(0.0, 0.0))
    walls(world, 1.0)
    plate = body(world, Polygon.box(0.005, 1.0), (-0.5, 0.0), type="static", restitution=0.0)
    ball = body(world, Circle(RADIUS), (0.0, 0.0), linear_velocity=(900.0, 0.0), **SMOOTH)
    for _ in range(60):
        world.step()
        assert world.state(plate).position[0] < world.state(ball).position[0] < 1.0


def test_a_fall_is_as_long_as_its_bounces():
    world = make_world()
    ground(world, restitution=1.0)
    ball = body(world, Circle(0.05), (0.0, 20.05), **SMOOTH)
    for _ in range(1200):
        world.step()
        state = world.state(ball)
        assert state.position[1] - 0.05 + state.linear_velocity[1] ** 2 / 20.0 == pytest.approx(20.0, rel=1e-4)


def test_an_impact_is_reported_as_a_contact():
    world, calls = make_world(gravity=(0.0, 0.0)), []
    (wall,) = walls(world, 0.0)
    ball = body(world, Circle(RADIUS), (1.0, 0.0), linear_velocity=(-120.0, 0.0), **SMOOTH)
    world.hooks = StepHooks(
        begin=lambda event: calls.append("begin"),
        post_solve=lambda event, normal, tangent: calls.append(normal),
        end=lambda event: calls.append("end"),
    )
    contacts = world.step()
    impulse = 2.0 * 120.0 * world.body(ball).mass
    assert contacts.body_a.tolist() == [wall] and contacts.in_toi.all() and len(contacts.began) == 1
    assert contacts.normal_impulse[0].tolist() == pytest.approx([impulse, 0.0])
    assert contacts.position[0, 0].tolist() == pytest.approx([0.0, 0.0], abs=1e-6)
    assert len(world.step().ended) == 1
    assert calls == ["begin", pytest.approx((impulse,)), "end"]


def test_a_sensor_behind_a_bounce_is_noticed():
    world = make_world(gravity=(0.0, 0.0))
    walls(world, 1.0)
    gate = body(world, Polygon.box(0.01, 1.0), (-1.0, 0.0), type="static", sensor=True)
    body(world, Circle(RADIUS), (0.0, 0.0), linear_velocity=(240.0, 0.0), **SMOOTH)
    began = world.step().began
    assert [event.body_a for event in began if event.sensor] == [gate]


def test_what_rests_does_not_creep_under_bullets():
    world = make_world()
    ground(world)
    box = body(world, UNIT, (0.0, 0.5), density=1000.0)
    run(world, 1.0)
    before = world.state(box).position[1]
    for k in range(10):
        body(world, Circle(RADIUS), (0.05 * k - 0.2, 30.0 + 3.0 * k), linear_velocity=(0.0, -300.0), density=0.1)
    run(world, 2.0)
    assert world.state(box).position[1] == pytest.approx(before, abs=5e-3)


def test_a_run_is_the_same_after_a_restore():
    world = make_world(gravity=(0.0, -10.0))
    walls(world, 0.0, 2.0, restitution=0.9)
    ground(world, restitution=0.8)
    for k in range(6):
        body(
            world,
            Circle(RADIUS) if k % 2 else Polygon.box(0.1, 0.04),
            (1.0, 1.0 + 0.4 * k),
            linear_velocity=(150.0 - 60.0 * k, -90.0),
            restitution=0.7,
        )
    run(world, 0.1)
    other = world.clone()
    run(world, 0.5)
    run(other, 0.5)
    assert world.state_hash() == other.state_hash()


def test_a_slow_body_that_is_struck_hard_after_another_impact_does_not_leave_the_room():
    world = make_world(gravity=(0.0, 0.0))
    walls(world, -4.0, 4.0)
    slow = body(world, Circle(0.3), (0.0, 0.0), linear_velocity=(0.0, 1.0), density=0.1, **SMOOTH)
    body(world, Circle(RADIUS), (-3.0, 0.0), linear_velocity=(1000.0, 0.0), density=3.6, **SMOOTH)  # as heavy
    body(world, Circle(RADIUS), (3.5, 5.0), linear_velocity=(1000.0, 0.0), **SMOOTH)
    world.step()
    assert -4.0 < world.state(slow).position[0] < 4.0
    (fixture,) = world.body(slow).fixtures
    assert any(moment.fixture_a < 2 and moment.fixture_b == fixture for moment in world.impact_moments)  # the walls are the first two
