"""Does through the wrapper what the bare library silently accepts or corrupts."""

import copy
import math
import os
import pickle
import signal
import sys

import numpy as np
import pytest

from engine.common.errors import InvalidInputError, InvalidShapeError, WorldLostError
from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    StepHooks,
    World,
    WorldSettings,
    accept,
)

NAN = math.nan
BOX = FixtureSpec(Polygon.box(0.5, 0.5))


def stack(height=4):
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), type="static", position=(0.0, -0.5)))
    for i in range(height):
        world.create_body(BodySpec((BOX,), position=(0.02 * (i % 2), 0.51 + 1.01 * i)))
    return world


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WorldSettings(gravity=(0.0, NAN)), r"gravity\[1\] must be a finite number in m/s\^2, got nan"),
        (lambda: WorldSettings(gravity=None), r"gravity must be two finite numbers in m/s\^2, got None"),
        (lambda: WorldSettings(gravty=(0.0, 1.0)), r"WorldSettings.gravty must be a known setting \(gravity\)"),
        (lambda: WorldSettings(hertz=0.0), r"hertz must be from 1 to 10000 Hz, got 0.0"),
        (lambda: WorldSettings(hertz=-60.0), r"hertz must be from 1 to 10000 Hz, got -60.0"),
        (lambda: WorldSettings(hertz=math.inf), r"hertz must be a finite number in Hz, got inf"),
        (lambda: WorldSettings(velocity_iterations=0), r"velocity_iterations must be a whole number from 1 to 1000, got 0"),
        (lambda: WorldSettings(continuous=1), r"continuous must be True or False, got 1"),
        (lambda: BodySpec(position=(NAN, 0.0)), r"position\[0\] must be a finite number in m, got nan"),
        (lambda: BodySpec(position=None), r"position must be two finite numbers in m, got None"),
        (lambda: BodySpec(position=(2e6, 0.0)), r"position\[0\] must be from -1e\+06 to 1e\+06 m, got 2000000.0"),
        (lambda: BodySpec(linear_velocity=(1e300, 0.0)), r"linear_velocity\[0\] must be from -1e\+06 to 1e\+06 m/s, got 1e\+300"),
        (lambda: BodySpec(linearVelocity=(1.0, 0.0)), r"BodySpec.linearVelocity must be a known setting \(linear_velocity"),
        (lambda: BodySpec(type="dynmic"), r"type must be one of static, kinematic, dynamic, got 'dynmic'"),
        (lambda: BodySpec(linear_damping=-0.1), r"linear_damping must be >= 0 1/s, got -0.1"),
        (lambda: accept(BodySpec((FixtureSpec(Circle(1.0), density=0.0),))), r"density must be > 0 kg/m\^2 for at least one fixture"),
        (lambda: BodySpec((Circle(1.0),)), r"fixtures\[0\] must be a FixtureSpec"),
        (lambda: BodySpec(type="static", linear_velocity=(1.0, 0.0)), r"linear_velocity must be 0 m/s for a static body"),
        (lambda: FixtureSpec(Circle(1.0), density=-1.0), r"density must be >= 0 kg/m\^2, got -1.0"),
        (lambda: FixtureSpec(Circle(1.0), friction=NAN), r"friction must be a finite number, got nan"),
        (lambda: FixtureSpec(Circle(1.0), restitution=-1.0), r"restitution must be >= 0, got -1.0"),
        (lambda: FixtureSpec(Circle(1.0), mask=-1), r"mask must be a whole number from 0 to 65535, got -1"),
        (lambda: FixtureSpec(None), r"shape must be a Circle, a Polygon, a Capsule or a Segment"),
        (lambda: FixtureSpec(Circle(1.0), densty=1.0), r"FixtureSpec.densty must be a known setting \(density"),
        (lambda: RevoluteJointSpec(1, 1, (0.0, 0.0)), r"body_b must be different from body_a, got 1"),
        (lambda: RevoluteJointSpec(0, 1, (0.0, 0.0), lower_angle=1.0, upper_angle=-1.0), r"upper_angle must be >= lower_angle = 1.0"),
        (lambda: PrismaticJointSpec(0, 1, (0.0, 0.0), axis=(0.0, 0.0)), r"axis must be a direction of length >= 0.005"),
        (lambda: DistanceJointSpec(0, 1, (1.0, 1.0), (1.0, 1.0)), r"anchor_b must be at least 0.005 m from the other end"),
        (lambda: DistanceJointSpec(0, 1, (1.0, 1.0), (2.0, 1.0), frequency=-1.0), r"frequency must be >= 0 Hz, got -1.0"),
    ],
)
def test_bad_specifications_name_field_value_and_range(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: accept(FixtureSpec(Circle(-1.0))), r"radius must be > 0 m, got -1.0"),
        (lambda: accept(FixtureSpec(Circle(NAN))), r"radius must be a finite number in m, got nan"),
        (lambda: accept(FixtureSpec(Circle(1e-60))), r"radius must be > 0 m at float32 precision"),
        (
            lambda: accept(FixtureSpec(Polygon([(0, 0), (2, 0), (0.5, 0.5), (0, 2)]))),
            r"vertices must be convex, got a dent of 0.71 m at vertices\[2\], \(0.5, 0.5\)",
        ),
        (lambda: accept(FixtureSpec(Polygon([(0, 0), (1, 0), (2, 0)]))), r"vertices must be points that enclose an area"),
        (lambda: accept(FixtureSpec(Polygon.regular(17, 1.0))), r"vertices must be at most 16, got 17"),
        (
            lambda: World().create_body(BodySpec((FixtureSpec(Polygon([(0, 0), (1, 0), (1, 1e-12)])),))),
            r"vertices must be a polygon large enough for float32",
        ),
        (lambda: accept(FixtureSpec(Polygon.box(1.0, 1.0, skin_radius=0.5))), r"skin_radius must be 0 or 0.01 m"),
        (
            lambda: World().create_body(BodySpec((FixtureSpec(Polygon.box(1e-4, 1e-4)),))),
            r"vertices must be a polygon large enough for float32",
        ),
    ],
)
def test_bad_shapes_name_field_value_and_range(make, message):
    with pytest.raises(InvalidShapeError, match=message):
        make()


@pytest.mark.parametrize(
    ("corners", "left"), [([(99, 0), (100, 0), (100.000001, 0.5), (100, 1), (99, 1)], 4), ([(0, 0), (1, 0), (1, 1e-12), (0, 1)], 3)]
)
def test_a_corner_that_float32_cannot_distinguish_from_a_line_is_no_corner_for_box2d(corners, left):
    """`Polygon` drops a collinear corner too, so the world reports Box2D's shape."""
    world = World()
    body = world.create_body(BodySpec((FixtureSpec(Polygon(corners)),)))
    (fixture,) = world.fixtures_of(body)
    shape = world.fixture(fixture).shape
    assert isinstance(shape, Polygon) and len(shape.vertices) == left


def commands():
    return [
        (lambda w, b: w.set_pose(b, (NAN, 0.0), 0.0), r"position\[0\] must be a finite number in m"),
        (lambda w, b: w.set_pose(b, (0.0, 0.0), math.inf), "angle must be a finite number in rad"),
        (lambda w, b: w.set_velocity(b, (0.0, NAN)), r"linear\[1\] must be a finite number in m/s"),
        (lambda w, b: w.set_velocity(0, (1.0, 0.0)), "body must be dynamic or kinematic, got 0"),
        (lambda w, b: w.set_awake(b, 1), "awake must be True or False"),
        (lambda w, b: w.set_body(b, bulet=True), r"body.bulet must be a known setting \(bullet\)"),
        (lambda w, b: w.set_body(b, linear_damping=NAN), "linear_damping must be a finite number"),
        (lambda w, b: w.set_fixture(1, density=0.0), "density must be > 0"),
        (lambda w, b: w.set_fixture(1, friction=-1.0), "friction must be >= 0"),
        (lambda w, b: w.set_settings(gravity=(NAN, 0.0)), r"gravity\[0\] must be a finite number"),
        (lambda w, b: w.set_settings(gravty=(0.0, 0.0)), r"WorldSettings.gravty must be a known setting \(gravity\)"),
        (lambda w, b: w.apply_force(b, (NAN, 0.0)), r"force\[0\] must be a finite number in N"),
        (lambda w, b: w.apply_impulse(b, (1.0, 0.0), (NAN, 0.0)), r"point\[0\] must be a finite number in m"),
        (lambda w, b: w.apply_torque(b, "1"), "torque must be a finite number in N m, got '1'"),
        (lambda w, b: w.create_body(None), "spec must be a BodySpec, got None"),
        (lambda w, b: w.create_fixture(b, Circle(1.0)), "spec must be a FixtureSpec"),
        (lambda w, b: w.create_joint(None), "spec must be a joint specification, got None"),
        (lambda w, b: w.restore(None), "snapshot must be a WorldSnapshot, got None"),
    ]


@pytest.mark.parametrize(("use", "message"), commands())
def test_bad_commands_are_rejected_and_change_nothing(use, message):
    world = stack()
    world.step()
    before = world.state_hash(), world.structure_version
    with pytest.raises(InvalidInputError, match=message):
        use(world, 1)
    assert (world.state_hash(), world.structure_version) == before
    world.step()


def test_misspelled_attributes_of_a_world_are_rejected():
    world = World()
    with pytest.raises(AttributeError):
        world.gravty = (0.0, 0.0)
    with pytest.raises(AttributeError):
        world.settings = WorldSettings()


def test_positions_are_copies():
    world = stack()
    body = world.body_ids[-1]
    state, poses, contacts = world.state(body), world.poses, world.step()
    kept = state.position, poses.copy(), contacts.points()
    for _ in range(30):
        world.step()
    assert state.position == kept[0]
    assert np.array_equal(poses, kept[1])
    assert contacts.points() == kept[2]
    with pytest.raises(ValueError, match="read-only"):
        poses[0, 0] = 50.0
    with pytest.raises(AttributeError):
        state.position = (50.0, 0.0)


def test_set_pose_goes_through_the_broad_phase():
    world = stack(1)
    far = world.create_body(BodySpec((BOX,), position=(0.0, 50.0)))
    world.step()
    world.set_pose(far, (3.0, 0.49), 0.0)
    contacts = world.step()
    assert (0, far) in set(zip(contacts.body_a.tolist(), contacts.body_b.tolist(), strict=True))


def test_worlds_cannot_be_copied_or_pickled():
    world = stack()
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"clone|snapshot"):
            attempt(world)
    restored = World.from_snapshot(pickle.loads(pickle.dumps(world.snapshot())))
    assert restored.state_hash() == world.state_hash()


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill cannot send SIGINT to oneself on Windows")
@pytest.mark.parametrize("callback", ["begin", "post_solve"])
def test_ctrl_c_waits_for_the_end_of_the_step(callback):
    world, twin = stack(), stack()
    world.hooks = StepHooks(**{callback: lambda *arguments: os.kill(os.getpid(), signal.SIGINT)})
    with pytest.raises(KeyboardInterrupt):
        for _ in range(5):
            twin.step()
            world.step()
    assert world.step_index == twin.step_index
    assert world.state_hash() == twin.state_hash()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupted_step_leaves_the_world_unchanged(monkeypatch):
    """Box2D's assertions raise exceptions from Step and leave the `b2World` locked permanently."""
    world, twin = stack(), stack()
    for _ in range(20):
        world.step()
        twin.step()
    cache = world._solver._cache
    monkeypatch.setattr(type(cache), "step", lambda self, number, pose: (_ for _ in ()).throw(AssertionError("IsLocked() == false")))
    with pytest.raises(WorldLostError, match=r"failed in step 21: IsLocked.*rolled back"):
        world.step()
    monkeypatch.undo()
    assert world._solver._cache is not cache
    assert world.step_index == 20
    assert world.state_hash() == twin.state_hash()
    for _ in range(8):  # a stack without joints goes on to the bit, until the sleep timers tell, which start anew
        world.step()
        twin.step()
        assert world.state_hash() == twin.state_hash()


def test_a_body_that_overflows_is_named_and_the_world_is_restored():
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    body = world.create_body(BodySpec((BOX,)))
    other = world.create_body(BodySpec((BOX,), position=(5.0, 0.0)))
    world.step()
    before = world.state_hash()
    # the public doors are closed, so go behind them
    world._solver._cache._bodies[other].angularVelocity = NAN
    with pytest.raises(WorldLostError, match=f"the motion of body {other} is not finite in step 2"):
        world.step()
    assert world.state_hash() == before
    assert np.isfinite(world.step().position).all()
    assert world.is_body(body)
