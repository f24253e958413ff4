"""Time series of every step: compared with closed forms, through rewinding and branches, and within size limits."""

import math

import numpy as np

from engine.app.time_series import QUANTITIES, SUMS, TimeSeries
from engine.demo import Demo
from engine.geometry import Circle, Polygon
from engine.sim.actions import ApplyImpulse, ChangeBody, CreateBody, DestroyBody, Restart, SetPose
from engine.sim.history import History
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

GRAVITY = 10.0
FLOAT32 = 2e-6
"""Relative: Box2D steps in float32 (6e-8), whose roundings of some hundred steps add up."""


class Falling(Demo):
    """A rotating disc of 2 kg falls on a floor; another far away has no gravity and keeps moving."""

    def build(self):
        world = self.add_stage(World(WorldSettings(gravity=(0.0, -GRAVITY)))).world
        floor = (FixtureSpec(Polygon.box(10.0, 0.5), friction=0.0),)
        world.create_body(BodySpec(floor, type="static", position=(0.0, -0.5), name="floor"))
        self.radius = 0.5
        density = 2.0 / (math.pi * self.radius**2)
        disc = (FixtureSpec(Circle(self.radius), density=density, friction=0.0),)
        self.disc = world.create_body(BodySpec(disc, position=(0.0, 3.0), angular_velocity=4.0, name="disc"))
        far = BodySpec(disc, position=(50.0, 10.0), linear_velocity=(3.0, 0.0), gravity_scale=0.0)
        self.far = world.create_body(far)


def watched(steps, most_bytes=10_000_000):
    demo = Falling()
    history = History(demo)
    series = TimeSeries(history, most_bytes)
    for _ in range(steps):
        history.step()
    return history, series, demo


def test_curves_are_those_of_a_falling_disc():
    _, series, demo = watched(30)
    steps = np.arange(31)
    seconds = steps / 60.0
    vy = -GRAVITY * seconds
    y = 3.0 - GRAVITY / 60.0**2 * steps * (steps + 1) / 2.0  # semi-implicit Euler
    near = {"vy": vy, "y": y, "x": 0.0 * y, "speed": -vy, "spin": 0.0 * y + 4.0, "angle": 4.0 * seconds, "vx": 0.0 * y, "impulse": 0.0 * y}
    near["energy"] = 0.5 * 2.0 * vy**2 + 0.5 * (0.5 * 2.0 * demo.radius**2) * 16.0
    assert near.keys() == QUANTITIES.keys()
    for name, expected in near.items():
        np.testing.assert_allclose(series.curve(0, demo.disc, name), expected, rtol=FLOAT32, atol=1e-5, err_msg=name)


def test_bodies_that_fall_forever_are_excluded_from_the_sums():
    """A body counts as fallen beyond the floor's depth of 1 m plus its width of 20 m; a body without gravity does not."""
    history, series, demo = watched(10)
    history.act(SetPose(0, demo.disc, (15.0, 0.0), 0.0))
    while series.n_fallen(0, history.now) == 0:
        history.step()
    total, lost = series.sums(0)["total"], history.now
    y = series.curve(0, demo.disc, "y")
    assert y[lost] < -21.0 <= y[lost - 1]
    assert series.breaks(0) == (11, lost) and series.breaks(0, demo.disc) == (11,)
    far = 0.5 * 2.0 * 3.0**2  # of the body that is left
    np.testing.assert_allclose(total[lost], far, rtol=FLOAT32)
    assert series.sums(0)["kinetic"][lost - 1] > 10.0 * far
    history.seek(5)
    assert series.n_fallen(0, history.now) == 0


def test_fallen_bodies_are_measured_from_the_current_floor():
    history, series, demo = watched(10)
    history.act(SetPose(0, 0, (0.0, -60.0), 0.0))  # the floor
    while history.now < 260:
        history.step()
    assert series.curve(0, demo.disc, "y")[-1] < -50.0 and series.n_fallen(0, history.now) == 0


def test_sums_and_curves_break_where_the_measured_quantity_changes():
    history, series, demo = watched(10)
    history.act(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.3)),), position=(20.0, 5.0))))
    for _ in range(10):
        history.step()
    history.act(SetPose(0, demo.disc, (0.0, 4.0), 0.0))
    for _ in range(10):
        history.step()
    history.act(Restart())
    for _ in range(10):
        history.step()
    assert series.breaks(0) == (11, 21, 31)
    assert series.breaks(0, demo.disc) == (21, 31) and series.breaks(0, demo.far) == (31,)
    total = series.sums(0)["total"]
    jumps = np.flatnonzero(np.abs(np.diff(total)) > 1.0) + 1
    assert set(jumps.tolist()) <= {11, 21, 31} and {11, 21} <= set(jumps.tolist())
    history.seek(15)
    history.act(ApplyImpulse(0, demo.far, (1.0, 0.0)))
    for _ in range(3):
        history.step()
    assert series.breaks(0) == (11,)  # the other future is gone, and an impulse is no break


def test_the_impulse_of_a_disc_at_rest_is_its_weight_over_a_step():
    _, series, demo = watched(100)
    assert abs(series.curve(0, demo.disc, "impulse")[100] - 2.0 * GRAVITY / 60.0) < 1e-3


def test_sums_are_those_of_the_whole_world():
    _, series, demo = watched(30)
    sums = series.sums(0)
    assert sums.keys() == SUMS.keys()
    vy = -GRAVITY * np.arange(31) / 60.0
    y = series.curve(0, demo.disc, "y")
    spinning = 0.5 * (0.5 * 2.0 * demo.radius**2) * 16.0
    np.testing.assert_allclose(sums["kinetic"], 0.5 * 2.0 * vy**2 + spinning + 0.5 * 2.0 * 9.0, rtol=FLOAT32)
    np.testing.assert_allclose(sums["potential"], 2.0 * GRAVITY * y, rtol=FLOAT32)  # the far one has no weight
    np.testing.assert_allclose(sums["total"], sums["kinetic"] + sums["potential"])
    np.testing.assert_allclose(sums["px"], 6.0, rtol=FLOAT32)
    np.testing.assert_allclose(sums["py"], 2.0 * vy, rtol=FLOAT32, atol=1e-5)
    np.testing.assert_allclose(sums["angular"], 0.5 * 2.0 * demo.radius**2 * 4.0 - 10.0 * 6.0, rtol=FLOAT32)


def test_going_back_keeps_the_curve_and_a_branch_cuts_it():
    history, series, demo = watched(80)
    before = series.curve(0, demo.disc, "y").copy()
    history.seek(20)
    assert len(series.curve(0, demo.disc, "y")) == 81
    history.seek(80)
    np.testing.assert_array_equal(series.curve(0, demo.disc, "y"), before)
    history.seek(40)
    history.act(SetPose(0, demo.disc, (0.0, 8.0), 0.0))
    history.step()
    after = series.curve(0, demo.disc, "y")
    assert len(after) == 42 and after[41] > 7.5 and len(series.sums(0)["total"]) == 42
    np.testing.assert_array_equal(after[:41], before[:41])
    history.seek(30)
    history.seek(41)
    np.testing.assert_array_equal(series.curve(0, demo.disc, "y"), after)


def test_old_frames_are_dropped_but_requested_sums_and_curves_are_kept():
    history, series, demo = watched(10, most_bytes=8_000)
    full = TimeSeries(History(Falling()))
    assert series.n_bytes <= 8_000
    kept = series.curve(0, demo.disc, "y").copy()
    for _ in range(200):
        history.step()
        series.curve(0, demo.disc, "y")
    assert series.n_bytes <= 8_000
    y = series.curve(0, demo.disc, "y")
    np.testing.assert_array_equal(y[:11], kept)
    assert len(y) == 211 and np.isfinite(y).all() and np.isfinite(series.sums(0)["total"]).all()
    late = series.curve(0, demo.disc, "x")  # nobody asked for it in time
    assert np.isnan(late[0]) and np.isfinite(late[-1])
    assert full.last == 0


def test_a_missing_body_has_no_value():
    history, series, demo = watched(5)
    history.act(DestroyBody(0, demo.far))
    history.step()
    x = series.curve(0, demo.far, "x")
    assert np.isfinite(x[:6]).all() and np.isnan(x[6])
    assert np.isnan(series.curve(0, 999, "x")).all()


def test_a_body_keeps_its_name_at_that_time():
    history, series, demo = watched(5)
    history.act(ChangeBody(0, demo.far, {"name": "far away"}))
    assert series.name(0, demo.far) == "far away"  # before the next step too
    for _ in range(3):
        history.step()
    history.act(ChangeBody(0, demo.far, {"name": ""}))
    history.step()
    assert [series.name(0, demo.far, step) for step in (5, 6, 8, 9)] == [f"body {demo.far}", "far away", "far away", f"body {demo.far}"]
    assert series.name(0, demo.far) == f"body {demo.far}", "and not what it was once called"
    history.seek(5)
    history.act(ChangeBody(0, demo.far, {"name": "other"}))
    history.step()
    assert series.name(0, demo.far, 6) == "other"
    history.act(DestroyBody(0, demo.far))
    history.step()
    assert series.name(0, demo.far) == "other"
