"""Several users of one demo: what each holds, drives and creates, and that each can undo its own actions."""

import pytest

from engine.common.errors import InvalidInputError, LabError
from engine.geometry import Circle, Polygon
from engine.scenes.scene import build_all, scene_of_snapshot
from engine.scenes.scene_file import scene_as_json, scene_from_json
from engine.sim.actions import (
    ApplyImpulse,
    ChangeBody,
    ChangeFixture,
    ChangeJoint,
    ChangeWorld,
    CreateBody,
    CreateFixture,
    CreateJoint,
    DestroyBody,
    DestroyFixture,
    DestroyJoint,
    Drag,
    Drive,
    Grab,
    Join,
    Leave,
    PressKey,
    Release,
    ReleaseKey,
    Restart,
    SetParameter,
    SetPose,
    SetSolver,
    SetVelocity,
    UndoOwn,
)
from engine.sim.demo import Demo
from engine.sim.history import demo_hash
from engine.sim.registry import find_demo
from engine.sim.state import decode_state, encode_state
from engine.world import BodySpec, FixtureSpec, GearJointSpec, RevoluteJointSpec, World
from tests.stepping import steps

GROUND = BodySpec((FixtureSpec(Polygon.box(20.0, 0.5)),), type="static")


class Table(Demo):
    """A ground and a disc; T is the demo's key, and so is Right on request."""

    takes_right = False

    def build(self):
        world = self.add_stage(World()).world
        world.create_body(GROUND)
        world.create_body(disc(0.0))

    def on_key(self, key):
        return key == "t" or (key == "right" and self.takes_right)


def disc(x, y=1.0):
    return BodySpec((FixtureSpec(Circle(0.5), density=1.0),), position=(x, y))


def shared(*users, demo=None):
    demo = Table() if demo is None else demo
    demo.sim.users.open()
    for user in users:
        by(demo, user, Join())
    return demo


def by(demo, user, action):
    return demo.sim.act(action, user)


def world_of(demo):
    return demo.stages[0].world


# -- keys ---------------------------------------------------------------------------------------------------------------


def test_force_keys_push_with_twenty_newtons_unless_the_demo_uses_them():
    demo = shared(1, 2)
    world = world_of(demo)
    assert by(demo, 1, PressKey("right")) is False, "nothing is driven"
    by(demo, 1, Drive(0, 1))
    assert by(demo, 1, PressKey("d")) is True and by(demo, 1, PressKey("q")) is False
    mass, before = world.body(1).mass, world.state(1).linear_velocity[0]
    world.set_pose(1, (0.0, 10.0), 0.0)
    demo.sim.step()
    assert world.state(1).linear_velocity[0] - before == pytest.approx(20.0 / mass / 60.0, rel=1e-5)
    assert demo.held == set()
    by(demo, 1, ReleaseKey("d"))
    speed = world.state(1).linear_velocity[0]
    demo.sim.step()
    assert world.state(1).linear_velocity[0] == speed
    Table.takes_right = True
    try:
        assert by(demo, 1, PressKey("right")) is True
    finally:
        Table.takes_right = False
    assert demo.held == {"right"} and not demo.sim.users.users[1].pushes


def test_keys_of_all_users_are_combined_and_released_when_a_user_leaves():
    demo = shared(1, 2)
    by(demo, 1, PressKey("t"))
    by(demo, 2, PressKey("t"))
    by(demo, 2, Grab((3.0, 3.0), held=(0, 1, (0.0, 0.0))))
    by(demo, 2, Drive(0, 1))
    by(demo, 2, PressKey("w"))
    by(demo, 1, ReleaseKey("t"))
    assert demo.held == {"t"}
    by(demo, 2, Leave())
    assert demo.held == set() and world_of(demo).joint_ids == () and demo.grip is None
    x, y = world_of(demo).state(1).position
    steps(demo.sim, 60)
    assert world_of(demo).state(1).position[1] == pytest.approx(y, abs=0.02), "no key pushes any more"
    with pytest.raises(InvalidInputError, match="user must be a user who has joined, got 2"):
        by(demo, 2, Grab((x, y)))


def test_a_grab_names_the_visible_body_under_the_pointer():
    demo = shared(1)
    demo.stages[0].offset = (5.0, 0.0)
    grab = demo.sim.resolve(Grab((5.25, 1.0)))
    assert grab == Grab((5.25, 1.0), offsets=((5.0, 0.0),), held=(0, 1, (0.25, 0.0)))
    assert demo.sim.resolve(Grab((-5.0, 9.0))) == Release()
    assert by(demo, 1, grab) is True
    assert demo.sim.resolve(Drag((1.0, 2.0))) == Drag((1.0, 2.0), offsets=((5.0, 0.0),))


# -- ids ----------------------------------------------------------------------------------------------------------------


def test_ids_of_users_never_collide_and_continue_after_a_restart_or_rejoin():
    ids = []
    for order in ((1, 2), (2, 1)):
        demo = shared(1, 2)
        made = {user: [by(demo, user, CreateBody.of(0, disc(user))), by(demo, user, CreateBody.of(0, disc(user, 3.0)))] for user in order}
        ids.append(made)
        by(demo, 1, Restart())
        after = by(demo, 1, CreateBody.of(0, disc(1)))
        by(demo, 1, Leave())
        by(demo, 1, Join())
        again = by(demo, 1, CreateBody.of(0, disc(1)))
        assert len({*made[1], *made[2], after, again}) == 6
        assert world_of(demo).create_body(disc(9.0)) == 2, "the demo's own ids are as they were"
    assert ids[0] == ids[1]


def test_a_user_without_ids_left_creates_nothing():
    demo = shared(3)
    by(demo, 3, CreateBody.of(0, disc(3.0)))
    user = demo.sim.users.users[3]
    bodies, fixtures, _ = user.next_ids[0]
    user.next_ids[0] = bodies, fixtures, (4 << 20) - 5
    with pytest.raises(LabError, match="a user can create at most 1032192 objects"):
        by(demo, 3, Grab((0.0, 1.0)))
    by(demo, 3, Release())


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
def test_the_largest_ids_work_like_small_ones(solver):
    """They work in contacts, pair keys, joints, restored states, scene files and digests."""
    states = []
    for user in (1, 64):
        demo = shared(user, demo=find_demo("workbench")(0, solver=solver))
        world = world_of(demo)
        for k in range(5):
            by(demo, user, CreateBody.of(0, disc(0.02 * k, 1.0 + k)))
        a, b = world.body_ids[-2:]
        x, y = world.state(b).position
        by(demo, user, CreateJoint.of(0, RevoluteJointSpec(a, b, (x, y - 0.5))))
        by(demo, user, Grab((x, y)))
        steps(demo.sim, 60)  # to a keyframe
        twin = world.clone()
        demo.sim.step()
        twin.step()
        assert twin.state_hash() == world.state_hash() and world.body_ids[-1] >> 20 == user
        scene = scene_from_json(scene_as_json(scene_of_snapshot(world.snapshot())))
        again = build_all(scene, solver)[0]
        states.append((world.poses.tobytes(), len(world.contacts), again.poses.tobytes(), len(again.joint_ids)))
    assert states[0] == states[1]


# -- taking back --------------------------------------------------------------------------------------------------------


def test_set_values_are_restored():
    demo = shared(1)
    world = world_of(demo)
    (fixture,) = world.fixtures_of(1)
    before = world.body(1), world.state(1), world.settings
    by(demo, 1, ChangeBody(0, 1, {"gravity_scale": 0.0, "linear_damping": 2.0}))
    by(demo, 1, ChangeBody(0, 1, {"gravity_scale": 0.5, "linear_damping": 3.0}, continues=True))
    by(demo, 1, ChangeFixture(0, fixture, {"friction": 0.9}))
    by(demo, 1, ChangeWorld(0, {"gravity": (0.0, 5.0)}))
    by(demo, 1, SetVelocity(0, 1, (1.0, 2.0), 3.0))
    by(demo, 1, ApplyImpulse(0, 1, (1.0, 0.0)))
    by(demo, 1, SetPose(0, 1, (4.0, 4.0), 1.0))
    by(demo, 1, SetSolver("soft_step", ()))
    assert len(demo.sim.users.users[1].undo) == 7
    for _ in range(7):
        by(demo, 1, UndoOwn())
    assert (world.body(1), world.state(1), world.settings, world.solver) == (*before, "box2d")


def test_destroyed_bodies_return_with_their_joints_and_older_entries_refer_to_them():
    demo = shared(1, 2)
    world = world_of(demo)
    wheel = by(demo, 1, CreateBody.of(0, disc(3.0, 2.0)))
    hinge = by(
        demo, 1, CreateJoint.of(0, RevoluteJointSpec(1, wheel, (3.0, 2.0), enable_motor=True, motor_speed=2.0, max_motor_torque=9.0))
    )
    by(demo, 1, ChangeJoint(0, hinge, {"motor_speed": 4.0}))
    by(demo, 1, ChangeBody(0, wheel, {"gravity_scale": 0.5}))
    by(demo, 1, DestroyBody(0, wheel))
    assert not world.is_joint(hinge)
    world.set_pose(1, (1.0, 5.0), 0.5)  # what it was joined to moves on
    by(demo, 1, UndoOwn())
    (new,) = set(world.body_ids) - {0, 1}
    (joint,) = world.joint_ids
    assert new > wheel and world.joint_bodies(joint) == (1, new) and world.joint(joint).spec.motor_speed == 4.0
    at_a, at_b = world.joint_anchors(joint)
    assert at_a == pytest.approx(at_b, abs=1e-5), "the wheel is where it belongs, on what has moved"
    state = world.joint_state(joint)
    assert state.angle == pytest.approx(0.0, abs=1e-6)
    by(demo, 1, UndoOwn())
    assert world.body(new).spec.gravity_scale == 1.0
    by(demo, 1, UndoOwn())
    assert world.joint(joint).spec.motor_speed == 2.0
    by(demo, 1, UndoOwn())
    by(demo, 1, UndoOwn())
    assert world.body_ids == (0, 1) and world.joint_ids == ()


def test_gears_fixtures_and_dynamic_properties_are_restored():
    demo = shared(1)
    world = world_of(demo)
    a, b = by(demo, 1, CreateBody.of(0, disc(3.0, 2.0))), by(demo, 1, CreateBody.of(0, disc(5.0, 2.0)))
    hinges = [by(demo, 1, CreateJoint.of(0, RevoluteJointSpec(0, body, (x, 2.0)))) for body, x in ((a, 3.0), (b, 5.0))]
    by(demo, 1, CreateJoint.of(0, GearJointSpec(hinges[0], hinges[1], ratio=2.0)))
    by(demo, 1, ChangeBody(0, a, {"type": "static"}))
    assert len(world.joint_ids) == 1
    by(demo, 1, UndoOwn())
    assert len(world.joint_ids) == 3 and world.body(a).spec.type == "dynamic"
    by(demo, 1, DestroyJoint(0, world.joint_ids[0]))
    assert len(world.joint_ids) == 1
    by(demo, 1, UndoOwn())
    kinds = [type(world.joint(joint).spec) for joint in world.joint_ids]
    assert kinds.count(RevoluteJointSpec) == 2 and kinds.count(GearJointSpec) == 1
    (fixture,) = world.fixtures_of(a)
    spec = world.fixture(fixture).spec
    by(demo, 1, DestroyFixture(0, fixture))
    by(demo, 1, UndoOwn())
    (again,) = world.fixtures_of(a)
    assert again > fixture and world.fixture(again).spec == spec
    by(demo, 1, CreateFixture.of(0, a, FixtureSpec(Circle(0.2, (0.6, 0.0)))))
    by(demo, 1, UndoOwn())
    assert world.fixtures_of(a) == (again,)
    demo.sim.step()


def test_a_body_returns_to_where_it_was_grabbed():
    demo = shared(1)
    world = world_of(demo)
    before = world.state(1).position
    by(demo, 1, Grab((0.0, 1.0)))
    by(demo, 1, Drag((4.0, 5.0)))
    steps(demo.sim, 20)
    assert world.state(1).position[0] > 1.0
    by(demo, 1, UndoOwn())
    assert world.state(1).position == before and world.joint_ids == ()


def test_a_parameter_is_undone_but_not_a_restart_or_actions_before_it():
    demo = shared(1, 2, demo=find_demo("simple_shapes")(0, {"count": 2}))
    by(demo, 1, SetParameter("count", 3))
    by(demo, 2, CreateBody.of(0, disc(0.0, 5.0)))
    by(demo, 1, ChangeBody(0, 1, {"gravity_scale": 0.0}))
    by(demo, 1, Drive(0, world_of(demo).body_ids[-1]))
    by(demo, 1, Restart())
    assert demo.sim.users.users[1].drives is None
    with pytest.raises(LabError, match="a restart cannot be undone"):
        by(demo, 1, UndoOwn())
    with pytest.raises(LabError, match="nothing to undo"):
        by(demo, 2, UndoOwn())
    by(demo, 1, UndoOwn())
    assert demo.parameter("count") == 2
    with pytest.raises(LabError, match="nothing to undo"):
        by(demo, 1, UndoOwn())


def test_undo_of_an_object_destroyed_by_others_is_rejected_with_a_message():
    demo = shared(1, 2)
    by(demo, 1, ChangeBody(0, 1, {"gravity_scale": 0.0}))
    by(demo, 1, Drive(0, 1))
    by(demo, 2, DestroyBody(0, 1))
    by(demo, 1, UndoOwn())
    with pytest.raises(LabError, match="the change of body 1 cannot be undone: body 1 was destroyed after step 0"):
        by(demo, 1, UndoOwn())


def test_undo_entries_are_limited_and_recorded():
    demo = shared(1)
    for k in range(130):
        by(demo, 1, SetVelocity(0, 1, (0.0, 0.1 * k)))
    user = demo.sim.users.users[1]
    assert len(user.undo) == 100
    before, state = demo_hash(demo), encode_state(demo)
    by(demo, 1, UndoOwn())
    after = demo_hash(demo)
    by(demo, 1, CreateBody.of(0, disc(3.0)))
    decode_state(demo, state)
    assert demo_hash(demo) == before and len(demo.sim.users.users[1].undo) == 100
    by(demo, 1, UndoOwn())
    assert demo_hash(demo) == after


def test_read_only_worlds_cannot_be_changed_by_users():
    demo = shared(1, demo=find_demo("promise_seams")(0))
    with pytest.raises(LabError, match="this scene cannot be edited"):
        by(demo, 1, CreateBody.of(0, disc(0.0)))


def test_undo_data_of_large_actions_stays_small_enough_to_send():
    demo = shared(1)
    pieces = [{"shape": {"kind": "circle", "radius": 0.1 + 0.001 * k}, "name": "\u0100" * 100} for k in range(150)]
    for _ in range(30):
        body = by(demo, 1, CreateBody(0, {"fixtures": pieces}))
        by(demo, 1, DestroyBody(0, body))
    state, there = encode_state(demo), Table()
    decode_state(there, state)
    assert len(state) < 300_000 and encode_state(there) == state
    assert by(demo, 1, UndoOwn()) is not False and len(world_of(demo).body_ids) == 3


def test_a_name_has_a_maximum_length_and_is_writable():
    demo = shared(1)
    with pytest.raises(InvalidInputError, match="name must be text of at most 200 characters"):
        by(demo, 1, ChangeBody(0, 1, {"name": "\u0100" * 201}))
    world_of(demo).create_body(BodySpec(name="half \ud83d of a pair"))
    assert rb"half \ud83d of a pair" in encode_state(demo)
