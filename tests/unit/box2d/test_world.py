"""The world's records, commands and snapshots."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    MouseJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    World,
    WorldSettings,
    accept,
)
from tests.stepping import steps

BOX = FixtureSpec(Polygon.box(0.5, 0.5))


def test_records_match_box2d():
    world = World()
    body = world.create_body(BodySpec((BOX, FixtureSpec(Circle(0.25, (0.0, 1.0)), density=2.0)), position=(1.0, 2.0), angle=0.5, name="it"))
    record = world.body(body)
    assert (record.id, record.spec.name, record.fixtures, record.joints) == (0, "it", (0, 1), ())
    disc = 2.0 * math.pi * 0.25**2
    assert record.mass == pytest.approx(1.0 + disc, rel=1e-6)
    assert record.local_center == pytest.approx((0.0, disc / (1.0 + disc)), abs=1e-6)
    parts = [world.fixture(i) for i in record.fixtures]
    centroids = [part.shape.mass(part.spec.density) for part in parts]
    expected = sum(m.inertia + m.mass * math.dist(m.centroid, record.local_center) ** 2 for m in centroids)
    assert record.inertia == pytest.approx(expected, rel=1e-5)
    box = parts[0].shape
    assert isinstance(box, Polygon)
    assert box.skin_radius == BOX2D_POLYGON_SKIN
    assert sorted(map(tuple, box.vertices.tolist())) == [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)]
    state = world.state(body)
    assert (state.position, state.angle, state.awake) == ((1.0, 2.0), 0.5, True)
    assert state.xf.apply((0.0, 0.0)) == (1.0, 2.0)
    assert world.row_of(body) == 0
    assert world.poses.tolist() == [[1.0, 2.0, 0.5]]


def test_a_world_rounds_numbers_to_float32():
    spec, settings = BodySpec(position=(0.1, 0.2), angle=0.3), WorldSettings((0.1, -9.81), 59.9)
    assert (spec.position, settings.hertz) == ((0.1, 0.2), 59.9)
    world = World(settings)
    body = world.create_body(spec)
    assert world.body(body).spec == accept(spec) and world.settings == accept(settings)
    assert world.state(body).position == world.body(body).spec.position == (float(np.float32(0.1)), float(np.float32(0.2)))
    assert world.settings.gravity[1] == float(np.float32(-9.81)) and world.settings.hertz == float(np.float32(59.9))
    world.set_body(body, linear_damping=0.1)
    world.set_settings(hertz=60.1)
    assert world.body(body).spec.linear_damping == float(np.float32(0.1)) and world.settings.hertz == float(np.float32(60.1))


@pytest.mark.parametrize(("field", "value"), [("max_length", 1e-60), ("length", 1e-50)])
def test_a_length_that_float32_cannot_represent_is_rejected(field, value):
    ends = 0, 1, (0.0, 0.0), (1.0, 0.0)
    spec = RopeJointSpec(*ends, max_length=value) if field == "max_length" else DistanceJointSpec(*ends, length=value)
    with pytest.raises(InvalidInputError, match=f"{field} must be > 0 m at float32 precision, got {value}"):
        accept(spec)


def test_previous_poses_follow_bodies_not_rows():
    world = World()
    bodies = [world.create_body(BodySpec((BOX,), position=(3.0 * i, 5.0))) for i in range(3)]
    steps(world, 5)
    before = world.previous_poses.copy()
    assert (before[:, 1] > world.poses[:, 1]).all()
    world.destroy_body(bodies[0])
    assert np.array_equal(world.previous_poses, before[1:])
    new = world.create_body(BodySpec((BOX,), position=(20.0, 5.0)))
    world.set_pose(bodies[1], (40.0, 5.0), 0.0)
    assert np.array_equal(world.previous_poses[world.row_of(bodies[2])], before[2])
    for still in (new, bodies[1]):
        assert np.array_equal(world.previous_poses[world.row_of(still)], world.poses[world.row_of(still)])


def test_commands_have_their_documented_effect():
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    body = world.create_body(BodySpec((BOX,), position=(0.0, 0.0)))
    world.apply_impulse(body, (3.0, 0.0))
    assert world.state(body).linear_velocity == (3.0, 0.0)
    world.apply_impulse(body, (0.0, 1.0), (0.5, 0.0))
    assert world.state(body).angular_velocity == pytest.approx(0.5 / (1.0 / 6.0), rel=1e-5)
    world.set_velocity(body, (0.0, 0.0), 0.0)
    world.apply_force(body, (60.0, 0.0))
    world.apply_torque(body, 60.0 / 6.0)
    world.step()
    assert world.state(body).linear_velocity == pytest.approx((1.0, 0.0))
    assert world.state(body).angular_velocity == pytest.approx(1.0, rel=1e-5)
    world.set_body(body, linear_damping=5.0, gravity_scale=2.0, bullet=True, fixed_rotation=True)
    world.set_settings(gravity=(0.0, -10.0), hertz=120.0)
    world.step()
    spec = world.body(body).spec
    assert (spec.linear_damping, spec.gravity_scale, spec.bullet, spec.fixed_rotation) == (5.0, 2.0, True, True)
    assert world.body(body).inertia == 0.0
    assert world.state(body).linear_velocity[1] == pytest.approx(-20.0 / 120.0 * (1.0 - 5.0 / 120.0), rel=1e-5)
    world.set_body(body, type="static")
    world.step()
    assert world.state(body).linear_velocity == (0.0, 0.0)
    world.set_body(body, type="dynamic")
    world.set_awake(body, False)
    assert not world.state(body).awake


def test_a_change_of_friction_applies_to_existing_contacts():
    """Box2D stores the mixed friction in the contact; without an update, the change would have no effect until they separate."""

    def slide(change):
        world = World(WorldSettings(gravity=(2.0, -10.0)))
        world.create_body(BodySpec((FixtureSpec(Polygon.box(50.0, 0.5), friction=1.0),), type="static", position=(0.0, -0.5)))
        body = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5), friction=1.0),), position=(0.0, 0.51)))
        steps(world, 20)
        if change:
            world.set_fixture(world.body(body).fixtures[0], friction=0.0)
            world.set_awake(body, True)
        steps(world, 60)
        return world.state(body).position[0]

    assert abs(slide(False)) < 0.02
    assert slide(True) > 0.5


def test_body_at_prefers_the_newest_and_ignores_the_ground():
    world = World()
    ground = world.create_body(BodySpec((BOX,), type="static"))
    assert world.body_at((0.0, 0.0)) is None
    assert world.body_at((0.0, 0.0), dynamic_only=False) == ground
    world.create_body(BodySpec((BOX,)))
    second = world.create_body(BodySpec((BOX,)))
    assert world.body_at((0.1, 0.1)) == second
    with pytest.raises(InvalidInputError, match="point"):
        world.body_at((math.nan, 0.0))


def distance(world, joint):
    return math.dist(*world.joint_anchors(joint))


def test_a_pulley_balances():
    world = World()
    a = world.create_body(BodySpec((BOX,), position=(-2.0, 0.0)))
    b = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5), density=2.0),), position=(2.0, 0.0)))
    world.create_joint(PulleyJointSpec(a, b, (-2.0, 5.0), (2.0, 5.0), (-2.0, 0.5), (2.0, 0.5)))
    steps(world, 60)
    up, down = world.state(a).position[1], world.state(b).position[1]
    assert up > 0.5
    assert up + down == pytest.approx(0.0, abs=0.05)


def bridge():
    """Ten hinged planks under a falling box: joints, contacts, sleeping bodies and a mouse joint."""
    world = World()
    left = world.create_body(BodySpec((BOX,), type="static", position=(-5.5, 0.0)))
    planks = [world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.1)),), position=(-4.5 + i, 0.0))) for i in range(10)]
    right = world.create_body(BodySpec((BOX,), type="static", position=(5.5, 0.0)))
    chain = [left, *planks, right]
    for i, (a, b) in enumerate(itertools.pairwise(chain)):
        world.create_joint(RevoluteJointSpec(a, b, (-5.0 + i, 0.0)))
    world.create_body(BodySpec((BOX,), position=(0.3, 3.0)))
    return world


def test_a_snapshot_brings_everything_back_under_the_same_ids():
    world = bridge()
    steps(world, 90)
    extra = world.create_body(BodySpec((BOX,), position=(0.0, 8.0)))
    world.destroy_body(extra)
    snapshot = world.snapshot()
    again = World.from_snapshot(snapshot)
    assert again.state_hash() == world.state_hash()
    assert (again.step_index, again.body_ids, again.fixture_ids, again.joint_ids) == (
        world.step_index,
        world.body_ids,
        world.fixture_ids,
        world.joint_ids,
    )
    assert again.contacts is world.contacts
    assert [again.body(i).joints for i in again.body_ids] == [world.body(i).joints for i in world.body_ids]
    assert again.create_body(BodySpec((BOX,))) == extra + 1
    steps(again, 60)
    for joint in again.joint_ids:  # the hinges, rebuilt from the numbers of their creation, still hold
        assert distance(again, joint) < 0.05
    world.step()
    world.restore(snapshot)
    assert world.step_index == snapshot.step_index
    world.step()


def test_points_persist_across_a_snapshot():
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), type="static", position=(0.0, -0.5)))
    world.create_body(BodySpec((BOX,), position=(0.0, 0.51)))
    steps(world, 10)
    again = world.clone()
    contacts, expected = again.step(), world.step()
    assert contacts.began == contacts.ended == contacts.removed == ()
    assert [point.state.name for point in contacts.points()] == ["PERSIST", "PERSIST"]
    assert contacts.points() == expected.points()


def test_a_snapshot_rejected_for_its_joint_leaves_the_world_unchanged():
    """The solver has loaded the snapshot when it rejects the joint, and must revert that."""
    world = World()
    body = world.create_body(BodySpec((BOX,), position=(0.0, 5.0)))
    joint = world.create_joint(MouseJointSpec(body, (0.0, 5.0), max_force=100.0))
    early = world.snapshot()
    ((number, resolved),) = early.joints
    soft = replace(resolved, spec=replace(resolved.spec, frequency=1.0e-6, damping_ratio=0.0))
    steps(world, 20)
    before, twin = world.state_hash(), world.clone()
    with pytest.raises(InvalidInputError, match="that Box2D supports"):
        world.restore(replace(early, joints=((number, soft),)), must_hold=True)
    assert (world.state_hash(), world.step_index, world.joint_ids) == (before, 20, (joint,))
    assert world.joint(joint).spec == resolved.spec
    for _ in range(20):
        world.step()
        twin.step()
        assert world.state_hash() == twin.state_hash()
