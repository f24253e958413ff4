"""After any Box2D exception in any command, the world is unchanged or reports that it cannot be restored."""

import pytest

from engine.box2d._cache import Box2DCache
from engine.common.errors import InvalidInputError, WorldLostError
from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    FixtureSpec,
    GearJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    StepHooks,
    World,
)

BOX = FixtureSpec(Polygon.box(0.5, 0.5))
SENSOR = FixtureSpec(Circle(0.8), density=0.0, sensor=True)
FLOOR, SPINNER, A, B, C = range(5)
HINGE, SLIDER, GEAR, MOUSE = range(4)

COMMANDS = {
    "create_body": ("add_fixture", lambda w: w.create_body(BodySpec((BOX, SENSOR), position=(9.0, 9.0)))),
    "destroy_body": ("remove_body", lambda w: w.destroy_body(B)),
    "destroy_body, its joints": ("remove_joint", lambda w: w.destroy_body(B)),
    "create_fixture": ("add_fixture", lambda w: w.create_fixture(SPINNER, FixtureSpec(Circle(0.3, (2.0, 0.0))))),
    "destroy_fixture": ("remove_fixture", lambda w: w.destroy_fixture(w.fixtures_of(SPINNER)[1])),
    "set_fixture": ("change_fixture", lambda w: w.set_fixture(w.fixtures_of(SPINNER)[0], density=7.0)),
    "set_body": ("change_body", lambda w: w.set_body(SPINNER, type="static")),
    "set_body, joints dropped": ("remove_joint", lambda w: w.set_body(B, type="static")),
    "create_joint": ("add_joint", lambda w: w.create_joint(RevoluteJointSpec(FLOOR, SPINNER, (0.0, 1.0)))),
    "destroy_joint": ("remove_joint", lambda w: w.destroy_joint(SLIDER)),
    "set_joint": ("remake_joints", lambda w: w.set_joint(HINGE, enable_motor=True, motor_speed=3.0, max_motor_torque=50.0)),
    "set_joint, a gear": ("remake_joints", lambda w: w.set_joint(GEAR, ratio=2.0)),
    "set_mouse_target": ("apply", lambda w: w.set_mouse_target(MOUSE, (5.0, 5.0))),
    "set_pose": ("apply", lambda w: w.set_pose(A, (2.0, 2.0), 1.0)),
    "set_settings": ("set_settings", lambda w: w.set_settings(gravity=(1.0, 2.0), sleeping=False)),
    "rebuild": ("write_impulses", lambda w: w.canonicalize()),
}
"""Command, and the function in it at which Box2D throws."""


def full_world():
    """A floor, a lopsided body that spins, three bodies with a hinge, a slider and a gear on them, and a mouse joint."""
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(20.0, 0.5)),), type="static", position=(0.0, -0.5)))
    lopsided = (BOX, FixtureSpec(Circle(0.3, (0.9, 0.2))), SENSOR)
    world.create_body(BodySpec(lopsided, position=(0.0, 0.6), linear_velocity=(3.0, 0.0), angular_velocity=5.0))
    for i in range(3):
        world.create_body(BodySpec((BOX,), position=(4.0 + 1.5 * i, 0.49)))
    hinge = world.create_joint(RevoluteJointSpec(A, B, (4.7, 0.5)))
    slider = world.create_joint(PrismaticJointSpec(B, C, (6.0, 0.5), (1.0, 0.0)))
    world.create_joint(GearJointSpec(hinge, slider))
    world.create_joint(MouseJointSpec(A, (4.0, 0.6), 50.0))
    for _ in range(10):
        world.step()
    return world


def standing(world):
    """Return everything that a world reports."""
    bodies = [world.body(body) for body in world.body_ids]
    joints = [(world.joint(joint), world.joint_bodies(joint), world.joint_anchors(joint)) for joint in world.joint_ids]
    fixtures = [world.fixture(fixture).spec for fixture in world.fixture_ids]
    previous = world.previous_poses.tobytes()
    return world.state_hash(), world.settings, world.step_index, bodies, fixtures, joints, previous, world.contacts.normal_impulse.tobytes()


def is_whole(world):
    cache = world._solver._cache
    counts = len(world.body_ids) + 1, len(world.joint_ids)  # and the anchor of mouse joints
    return (cache._world.bodyCount, cache._world.jointCount) == counts and cache._fixtures.keys() == set(world.fixture_ids)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("is_fresh", [True, False], ids=["read", "unread"])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupted_command_leaves_the_world_unchanged(command, is_fresh, when, monkeypatch):
    world, twin = full_world(), full_world()
    if not is_fresh:  # since the last step something has changed that nobody has read yet
        for each in (world, twin):
            each.set_velocity(SPINNER, (1.0, 2.0), 3.0)
            each.set_pose(C, (8.0, 0.7), 0.2)
    twin_before = standing(twin)
    place, ask = COMMANDS[command]
    real, calls = getattr(Box2DCache, place), []

    def breaks(self, *arguments, **more):
        calls.append(place)
        if len(calls) > 1:
            return real(self, *arguments, **more)
        if when == "after":
            real(self, *arguments, **more)
        raise AssertionError("m_I > 0.0f")

    monkeypatch.setattr(Box2DCache, place, breaks)
    with pytest.raises(WorldLostError, match=r"Box2D rejected \w+: m_I > 0.0f; the world (has been rolled back|is unchanged)"):
        ask(world)
    monkeypatch.undo()
    assert standing(world) == twin_before and is_whole(world)
    ask(world)  # and what broke off can be asked for again
    assert is_whole(world)
    world.step()


def test_any_failure_after_the_step_restores_the_world(monkeypatch):
    """Box2D has already stepped then, so without restoring, a second attempt would step twice."""
    world, twin = full_world(), full_world()
    monkeypatch.setattr("engine.box2d.solver.build_step_contacts", lambda *arguments: 1 // 0)
    with pytest.raises(WorldLostError, match=r"failed in step 11: integer .* by zero; the world has been rolled back"):
        world.step()
    monkeypatch.undo()
    twin.canonicalize()
    for _ in range(5):
        world.step()
        twin.step()
        assert (world.step_index, world.state_hash()) == (twin.step_index, twin.state_hash())


def test_events_of_an_interrupted_step_are_reported_once(monkeypatch):
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), type="static"))
    world.create_body(BodySpec((BOX,), position=(0.0, 1.05)))
    while True:
        snapshot = world.snapshot()
        if len(world.step().began):
            break
    world.restore(snapshot)  # the next step begins a contact
    monkeypatch.setattr(Box2DCache, "phases", lambda self, whole: (_ for _ in ()).throw(MemoryError("out of memory")))
    with pytest.raises(WorldLostError, match="out of memory"):
        world.step()
    monkeypatch.undo()
    assert [len(world.step().began) for _ in range(3)] == [1, 0, 0]


def test_a_world_that_cannot_be_restored_reports_only_that(monkeypatch):
    world = full_world()
    snapshot, before = world.snapshot(), standing(world)

    def fail(*arguments, **more):
        raise AssertionError("out of memory")

    monkeypatch.setattr(Box2DCache, "add_body", fail)
    with pytest.raises(WorldLostError, match="Box2D rejected CreateBody: out of memory; the world could not be rolled back: out of memory"):
        world.create_body(BodySpec((BOX,)))
    with pytest.raises(WorldLostError, match="Box2D rejected the snapshot of step 10: out of memory"):
        world.restore(snapshot)
    monkeypatch.undo()
    world.hooks = StepHooks()
    uses = (
        world.step,
        world.canonicalize,
        world.snapshot,
        world.state_hash,
        lambda: world.poses,
        lambda: world.body_ids,
        lambda: world.body(A),
        lambda: world.contacts,
        lambda: world.create_body(BodySpec((BOX,))),
        lambda: world.destroy_body(A),
        lambda: world.destroy_joint(GEAR),
        lambda: world.set_settings(hertz=30.0),
        lambda: world.body_at((0.0, 0.0)),
    )
    for use in uses:
        with pytest.raises(WorldLostError, match=r"could not be rolled back: out of memory\. Call restore\(\)"):
            use()
    world.restore(snapshot)
    assert standing(world)[0] == before[0] and is_whole(world)
    world.step()


def test_a_rebuild_that_box2d_keeps_rejecting_loses_nothing(monkeypatch):
    """The new world is complete before the old one is discarded."""
    world, twin = full_world(), full_world()
    monkeypatch.setattr(Box2DCache, "write_impulses", lambda *arguments: 1 // 0)
    for _ in range(2):
        with pytest.raises(WorldLostError, match=r"Box2D rejected Canonicalize: integer .* by zero; the world is unchanged"):
            world.canonicalize()
        world.step()
        twin.step()
        assert world.state_hash() == twin.state_hash()


def test_a_snapshot_that_box2d_rejects_leaves_the_world_unchanged(monkeypatch):
    world = full_world()
    snapshot = world.snapshot()
    world.create_body(BodySpec((BOX,), position=(0.0, 9.0)))
    for _ in range(3):
        world.step()
    before = standing(world)
    monkeypatch.setattr(Box2DCache, "add_joint", lambda *arguments: 1 // 0)
    for attempt in (lambda: world.restore(snapshot), lambda: World.from_snapshot(snapshot)):
        with pytest.raises(WorldLostError, match=r"Box2D rejected the snapshot of step 10: integer .* by zero; the world is unchanged"):
            attempt()
    monkeypatch.undo()
    assert standing(world) == before and is_whole(world)
    world.step()


def test_an_impulse_beyond_the_speed_range_is_rejected():
    """A large impulse on a small body made its velocity infinite at once, and no further step was possible."""
    world = World()
    grain = world.create_body(BodySpec((FixtureSpec(Circle(1e-6), density=1e6),)))
    before = world.state_hash()
    for impulse, point in (((1e9, 0.0), None), ((0.0, 1e9), (1e6, 0.0)), ((1e-5, 1e-5), (1e6, -1e6))):
        with pytest.raises(InvalidInputError, match=r"impulse must be small enough that the body stays below 1e\+06 m/s and rad/s"):
            world.apply_impulse(grain, impulse, point)
    assert world.state_hash() == before
    world.apply_impulse(grain, (1e-6, 0.0))
    world.step()
