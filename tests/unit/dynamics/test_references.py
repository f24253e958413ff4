"""The soft step against exact solutions, with its eight sub-steps at 60 Hz: each formula with the error that is borne, and why.

What is borne, where nothing else is said, is the error of a first-order step: h g, h v or h w of a sub-step of 1/480 s against what is
measured.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipk

from engine.geometry import Circle, Polygon, Segment
from engine.world import RevoluteJointSpec
from tests.unit.dynamics.scenes import UNIT, body, ground, on_slope, run, speed, world

G = 10.0


def test_a_projectile_follows_its_parabola() -> None:
    one = world()
    ball = body(one, Circle(0.5), (0.0, 0.0), linear_velocity=(3.0, 8.0))
    run(one, 2.0)
    assert one.state(ball).position == pytest.approx((6.0, 16.0 - 0.5 * G * 4.0), abs=1e-9)  # rounding of 960 sub-steps


@pytest.mark.parametrize("n_steps", [8, 32])
@pytest.mark.parametrize(
    ("shape", "degrees", "friction", "share"),
    [
        pytest.param(UNIT, 30.0, 0.3, 1.0, id="a box slides"),
        pytest.param(Circle(0.5), 20.0, 0.1, 1.0, id="a disc slips"),
        pytest.param(Circle(0.5), 20.0, 0.5, 2.0 / 3.0, id="a disc rolls"),
    ],
)
def test_acceleration_down_a_slope(shape: Polygon | Circle, degrees: float, friction: float, share: float, n_steps: int) -> None:
    one, slope = world(n_steps), math.radians(degrees)
    ground(one, degrees, friction=friction)
    moving = on_slope(one, degrees, shape, 0.5, friction=friction)
    run(one, 1.0)  # the overlap that bears its weight is there
    before = speed(one, moving)
    run(one, 1.0)
    drag = friction * math.cos(slope) if share == 1.0 else 0.0
    exact = share * G * (math.sin(slope) - drag)
    assert speed(one, moving) - before == pytest.approx(exact, rel=1e-6 if share == 1.0 else 2e-5)


def test_stopping_distance() -> None:
    one = world()
    ground(one, friction=0.5)
    box = body(one, UNIT, (0.0, 0.5), friction=0.5)
    run(one, 0.5)
    one.set_velocity(box, (5.0, 0.0))
    run(one, 2.0)
    assert one.state(box).position[0] == pytest.approx(25.0 / (2.0 * 0.5 * G), rel=0.003)  # v h / 2 of 2.5 m


def test_what_friction_holds_does_not_creep() -> None:
    one = world()
    ground(one, 30.0, friction=0.6)
    box = on_slope(one, 30.0, UNIT, 0.5, friction=0.6)
    run(one, 1.0)
    before = one.state(box).position
    run(one, 10.0)
    assert math.dist(before, one.state(box).position) < 1e-9


def test_a_slipping_disc_rolls_with_two_thirds_of_its_speed() -> None:
    one = world()
    ground(one)
    disc = body(one, Circle(0.5), (0.0, 0.5))
    run(one, 0.5)
    one.set_velocity(disc, (6.0, 0.0))
    run(one, 2.0)
    assert one.state(disc).linear_velocity[0] == pytest.approx(4.0, rel=1e-3)


def test_heights_of_a_bouncing_ball_fall_with_the_square_of_restitution() -> None:
    one = world()
    ground(one, restitution=0.8)
    ball = body(one, Circle(0.5), (0.0, 5.5), restitution=0.8)
    tops, rises = [], False
    while len(tops) < 3:
        one.step()
        (_, y), (_, v) = one.state(ball).position, one.state(ball).linear_velocity
        if rises and v <= 0.0:
            tops.append(y - 0.5 + v * v / (2.0 * G))
        rises = v > 0.0
    assert tops[2] == pytest.approx(5.0 * 0.8**6, rel=1e-9)  # rounding


def test_an_elastic_ball_keeps_its_energy() -> None:
    one = world()
    ground(one, restitution=1.0)
    ball = body(one, Circle(0.5), (0.0, 5.5), restitution=1.0)
    run(one, 20.0)
    state = one.state(ball)
    assert G * (state.position[1] - 0.5) + 0.5 * state.linear_velocity[1] ** 2 == pytest.approx(5.0 * G, rel=1e-9)


def test_newtons_cradle_lets_the_last_ball_go() -> None:
    one = world(gravity=(0.0, 0.0))
    balls = [body(one, Circle(0.5), (x, 0.0), restitution=1.0, friction=0.0) for x in (-2.0, 1.0, 2.0, 3.0, 4.0)]
    one.set_velocity(balls[0], (4.0, 0.0))
    run(one, 2.0)
    assert [one.state(ball).linear_velocity[0] for ball in balls] == pytest.approx([0.0, 0.0, 0.0, 0.0, 4.0], abs=1e-12)  # rounding


def test_an_oblique_collision_of_discs() -> None:
    one = world(gravity=(0.0, 0.0))
    body(one, Circle(0.5), (-3.0, 0.3), restitution=1.0, friction=0.0, linear_velocity=(4.0, 0.0))
    struck = body(one, Circle(0.5), (0.0, 0.0), restitution=1.0, friction=0.0)
    run(one, 2.0)
    along = math.asin(0.3)  # the line of centres at the first touch
    exact = 4.0 * math.cos(along) * np.array((math.cos(along), -math.sin(along)))
    assert math.dist(one.state(struck).linear_velocity, exact) < 1e-12  # rounding


def test_elastic_discs_in_a_box_keep_momentum_and_energy() -> None:
    one, rng = world(gravity=(0.0, 0.0)), np.random.default_rng(1)
    corners = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)]
    for k in range(4):
        body(one, Segment(corners[k - 1], corners[k]), (0.0, 0.0), type="static", restitution=1.0, friction=0.0)
    for x, y in np.stack(np.meshgrid(np.arange(6), np.arange(6)), axis=2).reshape(-1, 2) * 1.6 - 4.0:
        body(one, Circle(0.3), (x, y), restitution=1.0, friction=0.0, linear_velocity=tuple(rng.normal(0.0, 2.0, 2)))
    before = (one.velocities[:, :2] ** 2).sum()
    run(one, 10.0)
    assert (one.velocities[:, :2] ** 2).sum() == pytest.approx(before, rel=1e-9)  # rounding


def test_a_rod_pendulum_has_the_period_of_the_elliptic_integral_and_keeps_its_swing() -> None:
    one = world()
    support = body(one, Circle(0.1), (0.0, 10.0), type="static")
    rod = body(one, Polygon.box(0.5, 0.05), (0.5, 0.0))
    one.create_joint(RevoluteJointSpec(support, rod, (0.0, 0.0)))
    about_hinge = one.body(rod).inertia + one.body(rod).mass * 0.25
    exact = 4.0 * math.sqrt(about_hinge / (one.body(rod).mass * G * 0.5)) * ellipk(math.sin(math.pi / 4.0) ** 2)
    turns, swing, before = [], 0.0, 0.0
    for step in range(1200):
        one.step()
        spin = one.state(rod).angular_velocity
        if before * spin < 0.0:
            turns.append((step + before / (before - spin)) / 60.0)
            swing = abs(one.state(rod).angle + math.pi / 2.0)
        before = spin
    assert 2.0 * (turns[-1] - turns[0]) / (len(turns) - 1) == pytest.approx(exact, rel=5e-4)
    assert math.degrees(swing) > 90.0 - 0.3


def test_two_free_rods_on_a_hinge_keep_momentum_and_energy() -> None:
    one = world(gravity=(0.0, 0.0))
    rods = [body(one, Polygon.box(0.5, 0.05), (x, 0.0)) for x in (-0.5, 0.5)]
    one.create_joint(RevoluteJointSpec(*rods, (0.0, 0.0)))
    one.set_velocity(rods[0], (0.0, -1.5), 3.0)
    one.set_velocity(rods[1], (0.0, -2.5), -5.0)

    def kept() -> tuple[float, float]:
        spin = energy = 0.0
        for rod in rods:
            state, whole = one.state(rod), one.body(rod)
            (x, y), (vx, vy), w = state.position, state.linear_velocity, state.angular_velocity
            spin += whole.mass * (x * vy - y * vx) + whole.inertia * w
            energy += 0.5 * whole.mass * (vx * vx + vy * vy) + 0.5 * whole.inertia * w * w
        return spin, energy

    one.step()
    before = kept()
    run(one, 10.0)
    assert kept()[0] == pytest.approx(before[0], rel=1e-3) and kept()[1] == pytest.approx(before[1], rel=5e-3)


def test_a_rod_that_is_hit_off_its_centre() -> None:
    one = world(gravity=(0.0, 0.0))
    rod = body(one, Polygon.box(0.5, 0.05), (0.0, 0.0))
    one.apply_impulse(rod, (0.0, 2.0), (0.25, 0.0))
    one.step()
    state, whole = one.state(rod), one.body(rod)
    assert state.linear_velocity[1] == pytest.approx(2.0 / whole.mass, rel=1e-12)
    assert state.angular_velocity == pytest.approx(2.0 * 0.25 / whole.inertia, rel=1e-12)


def test_contact_forces_in_a_stack_are_the_weights_above() -> None:
    one = world()
    ground(one)
    boxes = [body(one, UNIT, (0.0, 0.5 + k)) for k in range(10)]
    run(one, 20.0)
    contacts = one.contacts
    weight = one.body(boxes[0]).mass * G
    assert contacts.body_a.tolist() == list(range(10)) and contacts.body_b.tolist() == list(range(1, 11))
    assert contacts.normal_impulse.sum(axis=1) * 60.0 / weight == pytest.approx(np.arange(10, 0, -1), rel=1e-6)


@pytest.mark.parametrize(("degrees", "falls"), [(26.4, False), (26.7, True)])
def test_a_box_topples_where_its_centre_passes_its_corner(degrees: float, falls: bool) -> None:
    one = world()  # atan(0.25 / 0.5) = 26.565 degrees
    ground(one, degrees, friction=2.0)
    box = on_slope(one, degrees, Polygon.box(0.25, 0.5), 0.5, friction=2.0)
    run(one, 8.0)
    assert (abs(one.state(box).angle + math.radians(degrees)) > 0.3) is falls


def test_a_block_pushes_its_wedge_aside() -> None:
    one, slope = world(), math.radians(30.0)
    ground(one, friction=0.0)
    wedge = body(one, Polygon([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0 * math.tan(slope))]), (0.0, 0.0), friction=0.0)
    x, y = 1.0 + 0.2 * math.sin(slope), 3.0 * math.tan(slope) + 0.2 * math.cos(slope)
    block = body(one, Polygon.box(0.2, 0.2), (x, y), -slope, friction=0.0)
    whole, part = one.body(wedge).mass, one.body(block).mass
    run(one, 0.2)
    before = one.state(wedge).linear_velocity[0]
    run(one, 0.5)
    exact = part * G * math.sin(slope) * math.cos(slope) / (whole + part * math.sin(slope) ** 2)
    assert (before - one.state(wedge).linear_velocity[0]) / 0.5 == pytest.approx(exact, rel=1e-4)


def test_a_tower_of_fifteen_boxes_stands() -> None:
    one = world()
    ground(one, friction=0.6)
    boxes = [body(one, UNIT, (0.0, 0.5 + k), friction=0.6) for k in range(15)]
    run(one, 20.0)
    assert one.state(boxes[-1]).position == pytest.approx((0.0, 14.5), abs=0.02)  # a millimetre and more of overlap a joint


def test_a_box_of_the_hundredfold_mass_rests_on_three() -> None:
    one = world()
    ground(one, friction=0.6)
    for k in range(3):
        body(one, UNIT, (0.0, 0.5 + k), friction=0.6)
    load = body(one, Polygon.box(1.5, 0.5), (0.0, 3.5), density=100.0 / 3.0, friction=0.6)
    run(one, 20.0)
    assert one.body(load).mass == pytest.approx(100.0)
    assert one.state(load).position == pytest.approx((0.0, 3.5), abs=0.05)
    assert one.contacts.separation.min() > -0.02
