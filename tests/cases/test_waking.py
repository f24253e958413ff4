"""A change that affects a sleeping body wakes it, with every solver, and identically in a replay and after a snapshot (issue 29)."""

import math
from functools import cache

import pytest

from engine.box2d import memory
from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    MouseJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    World,
    WorldSettings,
    methods,
    solvers,
)
from engine.world import world as world_module
from engine.world.waking import Sleepers

SLOPE = 0.3
"""Radians; with a friction of 1 a box rests on it."""
FLOOR, LOW, HIGH, BELT, CARGO, RAMP, RESTING, HOOK, LAMP, AXLE, WHEEL, LONELY, SENSOR = range(13)
LAMP_JOINT, WHEEL_JOINT = range(2)
SLEEPERS = (LOW, HIGH, CARGO, RESTING, LAMP, WHEEL, LONELY)


@cache
def asleep(solver):
    """A floor of two boards and two boxes, a belt at rest and a ramp with one box each, a lamp on a rope, and a wheel on an axle, all
    asleep.
    """
    memory.load()
    world = World(WorldSettings(), solver)
    box = FixtureSpec(Polygon.box(0.4, 0.4), friction=1.0)
    boards = (FixtureSpec(Polygon.box(2.0, 0.5), friction=1.0), FixtureSpec(Polygon([(3.0, -0.5), (5.0, -0.5), (5.0, 0.5), (3.0, 0.5)])))
    world.create_body(BodySpec(boards, "static"))
    world.create_body(BodySpec((box,), position=(0.0, 0.9)))
    world.create_body(BodySpec((box,), position=(0.0, 1.7)))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(2.0, 0.5), friction=1.0),), "kinematic", position=(10.0, 0.0)))
    world.create_body(BodySpec((box,), position=(10.0, 0.9)))
    up = (-0.9 * math.sin(SLOPE), 0.9 * math.cos(SLOPE))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(4.0, 0.5), friction=1.0),), "static", position=(20.0, 0.0), angle=SLOPE))
    world.create_body(BodySpec((box,), position=(20.0 + up[0], up[1]), angle=SLOPE))
    world.create_body(BodySpec((), "static", position=(30.0, 5.0)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(30.0, 3.0)))
    world.create_body(BodySpec((), "static", position=(40.0, 5.0)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(40.0, 5.0)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(50.0, 0.0), gravity_scale=0.0))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(3.0, 3.0), sensor=True),), "static", position=(50.0, 0.0)))
    world.create_joint(RopeJointSpec(HOOK, LAMP, (30.0, 5.0), (30.0, 3.0)))
    world.create_joint(RevoluteJointSpec(AXLE, WHEEL, (40.0, 5.0)))
    for _ in range(40):
        world.step()
    for body in SLEEPERS:
        world.set_awake(body, False)
    for _ in range(3):
        world.step()
    assert not world.awake[list(SLEEPERS)].any()
    world.canonicalize()
    return world.snapshot(), world.is_always_canonical


def board(world, body, number=0):
    return world.fixtures_of(body)[number]


def wall(world):
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.1, 1.0)),), "static", position=(50.4, 0.0)))


def hinge_with_limits(world):
    world.set_joint(WHEEL_JOINT, enable_limit=True, lower_angle=0.5, upper_angle=1.0)


CHANGES = {
    "gravity": (lambda w: w.set_settings(gravity=(0.0, 4.0)), (LOW, HIGH, CARGO, RESTING), True),
    "gravity, sideways": (lambda w: w.set_settings(gravity=(12.0, -5.0)), (LOW, HIGH, CARGO, RESTING, LAMP), True),
    "sleeping off": (lambda w: w.set_settings(sleeping=False), SLEEPERS, False),
    "floor put down": (lambda w: w.set_pose(FLOOR, (0.0, -2.0), 0.0), (LOW, HIGH), True),
    "floor put aside": (lambda w: w.set_pose(FLOOR, (2.5, 0.0), 0.0), (LOW, HIGH), True),
    "floor turned": (lambda w: w.set_pose(FLOOR, (0.0, 0.0), -1.2), (LOW, HIGH), True),
    "floor put up into them": (lambda w: w.set_pose(FLOOR, (0.0, 0.2), 0.0), (LOW, HIGH), True),
    "floor destroyed": (lambda w: w.destroy_body(FLOOR), (LOW, HIGH), True),
    "floor a sensor": (lambda w: w.set_fixture(board(w, FLOOR), sensor=True), (LOW, HIGH), True),
    "floor's mask": (lambda w: w.set_fixture(board(w, FLOOR), mask=0), (LOW, HIGH), True),
    "floor's category": (lambda w: w.set_fixture(board(w, FLOOR), category=0), (LOW, HIGH), True),
    "floor loses a board": (lambda w: w.destroy_fixture(board(w, FLOOR)), (LOW, HIGH), True),
    "floor gets a board": (lambda w: w.create_fixture(FLOOR, FixtureSpec(Polygon([(-1, 0), (1, 0), (0, 1.0)]))), (LOW, HIGH), True),
    "floor inactive": (lambda w: w.set_body(FLOOR, active=False), (LOW, HIGH), True),
    "floor falls": (lambda w: w.set_body(FLOOR, type="dynamic"), (LOW, HIGH), True),
    "floor kinematic": (lambda w: w.set_body(FLOOR, type="kinematic"), (LOW, HIGH), False),
    "floor smooth": (lambda w: w.set_fixture(board(w, RAMP), friction=0.0), (RESTING,), True),
    "floor bounces": (lambda w: w.set_fixture(board(w, RAMP), restitution=0.5), (RESTING,), False),
    "box smooth": (lambda w: w.set_fixture(board(w, RESTING), friction=0.0), (RESTING,), True),
    "box a sensor": (lambda w: w.set_fixture(board(w, LOW), sensor=True), (LOW, HIGH), True),
    "box heavier": (lambda w: w.set_fixture(board(w, LOW), density=5.0), (LOW, HIGH), False),
    "box destroyed": (lambda w: w.destroy_body(LOW), (HIGH,), True),
    "box put elsewhere": (lambda w: w.set_pose(LOW, (-10.0, 5.0), 0.0), (LOW, HIGH), True),
    "box inactive": (lambda w: w.set_body(LOW, active=False), (HIGH,), True),
    "box weightless": (lambda w: w.set_body(HIGH, gravity_scale=-1.0), (HIGH,), True),
    "box fixed in its rotation": (lambda w: w.set_body(HIGH, fixed_rotation=True), (LOW, HIGH), False),
    "box may not sleep": (lambda w: w.set_body(HIGH, allow_sleep=False), (LOW, HIGH), False),
    "box pushed": (lambda w: w.apply_impulse(HIGH, (3.0, 0.0)), (HIGH,), True),
    "box pulled": (lambda w: w.apply_force(HIGH, (200.0, 0.0)), (HIGH,), True),
    "box twisted": (lambda w: w.apply_torque(LONELY, 100.0), (LONELY,), True),
    "box thrown": (lambda w: w.set_velocity(HIGH, (3.0, 0.0)), (HIGH,), True),
    "belt runs": (lambda w: w.set_velocity(BELT, (2.0, 0.0)), (CARGO,), True),
    "belt put down": (lambda w: w.set_pose(BELT, (10.0, -2.0), 0.0), (CARGO,), True),
    "belt destroyed": (lambda w: w.destroy_body(BELT), (CARGO,), True),
    "wall set into it": (wall, (LONELY,), True),
    "sensor becomes solid": (lambda w: w.set_fixture(board(w, SENSOR), sensor=False), (LONELY,), False),
    "hook put aside": (lambda w: w.set_pose(HOOK, (33.0, 5.0), 0.0), (LAMP,), True),
    "hook destroyed": (lambda w: w.destroy_body(HOOK), (LAMP,), True),
    "hook falls": (lambda w: w.set_body(HOOK, type="kinematic"), (LAMP,), False),
    "rope cut": (lambda w: w.destroy_joint(LAMP_JOINT), (LAMP,), True),
    "rope shorter": (lambda w: w.set_joint(LAMP_JOINT, max_length=1.0), (LAMP,), True),
    "motor on": (lambda w: w.set_joint(WHEEL_JOINT, enable_motor=True, motor_speed=3.0, max_motor_torque=50.0), (WHEEL,), True),
    "limits": (hinge_with_limits, (WHEEL,), True),
    "hand": (lambda w: w.create_joint(MouseJointSpec(LONELY, (52.0, 0.0), 100.0, grabbed=(50.0, 0.0))), (LONELY,), True),
    "rod": (lambda w: w.create_joint(DistanceJointSpec(AXLE, LONELY, (40.0, 5.0), (50.0, 0.0), 1.0, length=5.0)), (LONELY,), True),
    "solver's settings": (lambda w: w.set_solver("soft_step" if w.solver == "box2d" else "box2d"), SLEEPERS, False),
}
"""Change; bodies that must be awake a step later; whether they then move by 2 cm or degrees within a third of a second."""
NOTHING = {
    "the same gravity": lambda w: w.set_settings(gravity=(0.0, -10.0)),
    "sleeping on": lambda w: w.set_settings(sleeping=True),
    "iterations": lambda w: w.set_settings(velocity_iterations=20, continuous=False),
    "names": lambda w: (w.set_body(LOW, name="low"), w.set_fixture(board(w, FLOOR), name="floor")),
    "damping": lambda w: w.set_body(LOW, linear_damping=2.0, bullet=True),
    "the same friction": lambda w: w.set_fixture(board(w, FLOOR), friction=1.0),
    "no velocity": lambda w: w.set_velocity(BELT, (0.0, 0.0)),
    "a wall far off": lambda w: w.create_body(BodySpec((FixtureSpec(Polygon.box(0.1, 1.0)),), "static", position=(-60.0, 0.0))),
    "another sleeper": lambda w: w.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 3.0), awake=False)),
    "a body without gravity": lambda w: w.create_body(BodySpec((FixtureSpec(Circle(0.1)),), position=(-5.0, 5.0), gravity_scale=0.0)),
}


FEW = ("gravity", "floor put down", "floor's mask", "floor smooth", "belt runs", "hook put aside", "motor on", "wall set into it")
"""Changes tried with every solver; the rule is the same for all, so the rest are tried with one solver of each kind."""
OWN_STATES = ("box2d", *methods())
"""Chipmunk keeps bodies on a kinematic body awake."""
CASES = [(change, solver) for solver in OWN_STATES for change in (CHANGES if solver in ("box2d", "soft_step") else FEW)]


@pytest.mark.parametrize(("change", "solver"), CASES)
def test_a_change_of_its_support_wakes_a_sleeping_body(change, solver):
    act, woken, moves = CHANGES[change]
    snapshot, is_canonical = asleep(solver)
    world, twin = (World.from_snapshot(snapshot) for _ in range(2))
    before = world.poses.copy()
    act(world)
    act(twin)
    if not is_canonical:
        world.canonicalize()
    twin.restore(world.snapshot())
    for step in range(20):
        world.step()
        if step == 0:
            assert all(world.state(body).awake for body in woken), {body: world.state(body).awake for body in woken}
        if step < 3:
            twin.step()
            assert world.state_hash() == twin.state_hash()
    moved = {body: abs(world.poses[world.row_of(body)] - before[body]).max() for body in woken}
    assert not moves or min(moved.values()) > 0.02, moved


@pytest.mark.parametrize("solver", OWN_STATES)
def test_irrelevant_changes_wake_no_body(solver):
    snapshot, _ = asleep(solver)
    for name, act in NOTHING.items():
        world = World.from_snapshot(snapshot)
        act(world)
        for _ in range(3):
            world.step()
        assert not any(world.state(body).awake for body in SLEEPERS), name


@pytest.mark.parametrize("solver", solvers())
def test_gravity_switched_on_wakes_sleeping_bodies(solver):
    """Case 15: five meters in one second."""
    world = World(WorldSettings(gravity=(0.0, 0.0)), solver)
    body = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),)))
    for _ in range(120):
        world.step()
    assert not world.state(body).awake
    world.set_settings(gravity=(0.0, -10.0))
    for _ in range(60):
        world.step()
    assert world.state(body).position[1] == pytest.approx(-5.0, abs=0.1)


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
def test_sleeping_bodies_are_listed_once_while_a_scene_is_built(solver, monkeypatch):
    """Sleeping and static bodies are created alternately: listing all of them again for each one made building a scene quadratic (issue
    29).
    """
    lists = []
    monkeypatch.setattr(world_module, "Sleepers", lambda *args: lists.append(args) or Sleepers(*args))
    world = World(WorldSettings(), solver=solver)
    sleepers = []
    for k in range(20):
        sleepers.append(world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(3.0 * k, 0.5), awake=False)))
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), "static", position=(3.0 * k, 50.0)))
    assert len(lists) == 1
    assert not any(world.state(body).awake for body in sleepers)
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), "static", position=(3.0 * 19, 1.2)))
    assert [body for body in sleepers if world.state(body).awake] == sleepers[-1:]


@pytest.mark.parametrize("side", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
def test_a_wall_wakes_a_sleeping_body_only_within_both_skins(solver, side):
    world = World(solver=solver)
    sleeper = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), awake=False))
    room = 2.0 * (world.capabilities.skin_radius + world.capabilities.margin)
    shape = FixtureSpec(Polygon.box(0.5, 0.5))
    reach = 1.0 + 2.0 * world.fixture(0).shape.skin_radius
    for gap, wakes in ((room + 0.02, False), (room, True)):
        world.create_body(BodySpec((shape,), "static", ((reach + gap) * side[0], (reach + gap) * side[1])))
        assert world.state(sleeper).awake == wakes
