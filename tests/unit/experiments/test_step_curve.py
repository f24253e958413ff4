"""The curve of one step: its gaps are distances, its root is the first contact, and the iteration descends to it."""

import math

import pytest

from engine import query
from engine.contracts import Status
from engine.experiments.lookahead import free_sweep
from engine.experiments.step_curve import MovingShape, step_curve, touches
from engine.geometry import Circle, Polygon, Sweep, Transform
from engine.world import BodySpec, FixtureSpec, World

STILL = Sweep(Transform(), Transform())
WALL = MovingShape(Polygon([(-0.25, -1.0), (0.25, -1.0), (0.25, 1.0), (-0.25, 1.0)], skin_radius=0.01), STILL)


def disc(start, end):
    return MovingShape(Circle(0.0625), Sweep(Transform((start, 0.0)), Transform((end, 0.0))))


def test_a_disc_through_a_wall_has_gaps_at_both_ends():
    curve = step_curve(disc(-1.0, 1.0), WALL)
    assert curve.gaps[0] == pytest.approx(1.0 - 0.25 - 0.01 - 0.0625)
    assert curve.gaps[-1] == pytest.approx(curve.gaps[0])
    assert curve.gaps.min() == pytest.approx(-0.25 - 0.01 - 0.0625), "in the middle, the depth to the nearer face"
    assert curve.touch.status is Status.HIT and curve.touch.fraction == pytest.approx(0.5 * curve.gaps[0], abs=1e-8)
    assert curve.box2d.status is Status.HIT and curve.target == pytest.approx(-0.015)
    assert curve.gap_at(curve.box2d.fraction) == pytest.approx(curve.target, abs=0.25 * 0.005 + 1e-6)
    assert curve.gap_at(curve.aimed.fraction) == pytest.approx(curve.target, abs=0.25 * 0.005 + 1e-6)
    assert curve.gap_at(curve.touch.fraction) == pytest.approx(0.0, abs=1e-8)


def test_the_curve_is_our_distance_and_depth():
    blade = MovingShape(WALL.shape, Sweep(Transform((0.3, 0.1), 1.0), Transform((0.3, 0.1), 3.0)))
    bullet = disc(-1.0, 1.0)
    curve = step_curve(bullet, blade)
    for t, gap in zip(curve.fractions[::40].tolist(), curve.gaps[::40].tolist(), strict=True):
        a, b = bullet.sweep.at(t), blade.sweep.at(t)
        depth = query.penetration(bullet.shape, a, blade.shape, b).depth
        assert gap == pytest.approx(query.distance(bullet.shape, a, blade.shape, b).separation if depth == 0.0 else -depth, abs=1e-9)


def test_a_disc_that_stops_early_misses():
    post = MovingShape(Circle(0.125), Sweep(Transform((0.25, 0.0)), Transform((0.25, 0.0))))
    assert step_curve(disc(-1.0, -0.5), post).touch.status is Status.MISS
    assert touches(disc(-1.0, 1.0), post) and not touches(disc(-1.0, -0.5), post)


def test_a_contact_that_box2d_misses_is_marked():
    blade = Polygon([(-0.025, -1.05), (0.025, -1.05), (0.025, 1.05), (-0.025, 1.05)])
    world = World()
    body = world.create_body(BodySpec((FixtureSpec(blade),), type="static"))
    held = world.fixture(world.body(body).fixtures[0]).shape
    spun = MovingShape(held, Sweep(Transform((0.3, 0.0), 1.0), Transform((0.3, 0.0), 4.0)))
    curve = step_curve(MovingShape(Circle(0.05), Sweep(Transform((-0.9, 0.0)), Transform((0.93, 0.0)))), spun)
    assert curve.touch.status is Status.HIT and curve.box2d.status is Status.MISS


def test_a_free_motion_matches_box2d():
    world = World()
    shape = FixtureSpec(Polygon([(0.0, 0.0), (1.0, 0.0), (1.0, 0.5)]), density=1.0)
    for velocity, spin in (((3.0, -2.0), 4.0), ((400.0, 300.0), 300.0), ((0.0, 0.0), 0.0)):
        spec = BodySpec((shape,), position=(1.0, 2.0), angle=0.4, linear_velocity=velocity, angular_velocity=spin, gravity_scale=0.0)
        body = world.create_body(spec)
        state, center = world.state(body), world.body(body).local_center
        sweep = free_sweep((*state.position, state.angle), (*state.linear_velocity, state.angular_velocity), 1.0 / 60.0, center)
        world.step()
        after = world.state(body)
        assert (*sweep.end.position, sweep.end.angle) == pytest.approx((*after.position, after.angle), abs=1e-5)
        assert abs(sweep.end.angle - 0.4) <= 0.5 * math.pi + 1e-6
        world.destroy_body(body)
