"""Friction, motor and gear joints: what they do, that they come back exactly, and that no gear outlives what it stands on."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import Box2D
import pytest

from engine.app.editor.clipboard import copy_of, put_down
from engine.app.editor.editor import Chosen
from engine.box2d import memory
from engine.common.errors import DeadHandleError, InvalidInputError, LabError
from engine.common.limits import MAX_COORDINATE
from engine.demo import Demo
from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    FixtureSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    WeldJointSpec,
    World,
    WorldSettings,
)
from engine.world.step_pairs import PairRecord
from tests.hazards.rewinding import all_checks, meddled

DT = 1.0 / 60.0
BOX = (FixtureSpec(Polygon.box(0.5, 0.5)),)
"""1 kg, 1/6 kg m^2."""


def floating() -> World:
    return World(WorldSettings((0.0, 0.0)))


def steps(world: World, count: int) -> None:
    for _ in range(count):
        world.step()


# -- friction and motor -----------------------------------------------------------------------------------------------


def test_friction_takes_its_force_from_the_speed_and_its_torque_from_the_turning() -> None:
    """2 N on 1 kg, 0.1 N m on 1/6 kg m^2: 2 m/s^2 and 0.6 rad/s^2, until it stands, and then it stays."""
    world = floating()
    table, box = world.create_body(BodySpec(type="static")), world.create_body(BodySpec(BOX))
    world.create_joint(FrictionJointSpec(table, box, (0.0, 0.0), 2.0, 0.1))
    world.set_velocity(box, (3.0, 0.0), 1.2)
    steps(world, 60)
    assert world.state(box).linear_velocity[0] == pytest.approx(1.0, abs=1e-4)
    assert world.state(box).angular_velocity == pytest.approx(0.6, abs=1e-4)
    steps(world, 90)
    assert world.state(box).position[0] == pytest.approx(3.0**2 / (2.0 * 2.0), abs=3.0 * DT)
    assert math.hypot(*world.state(box).linear_velocity) < 1e-6 and abs(world.state(box).angular_velocity) < 1e-6
    world.apply_force(box, (1.9, 0.0))
    world.step()
    assert math.hypot(*world.state(box).linear_velocity) < 1e-6  # less than it holds


def test_a_motor_brings_a_body_to_its_place_as_hard_as_it_may() -> None:
    world = floating()
    base = world.create_body(BodySpec(type="static", position=(1.0, 1.0), angle=0.5 * math.pi))
    box = world.create_body(BodySpec(BOX, position=(4.0, 1.0)))
    joint = world.create_joint(MotorJointSpec(base, box, (2.0, 0.0), 0.3, 50.0, 50.0))
    assert world.joint_anchors(joint) == ((1.0, 1.0), (4.0, 1.0))
    steps(world, 120)
    assert world.state(box).position == pytest.approx((1.0, 3.0), abs=1e-3)  # 2 m along the x axis of the base, which points up
    assert world.state(box).angle == pytest.approx(0.5 * math.pi + 0.3, abs=1e-3)
    weak = world.create_body(BodySpec(BOX, position=(-5.0, 0.0)))
    world.create_joint(MotorJointSpec(base, weak, (0.0, -90.0), 0.0, 0.5, 0.0))
    steps(world, 60)
    assert math.hypot(*world.state(weak).linear_velocity) == pytest.approx(0.5, rel=1e-3)  # 0.5 N on 1 kg for a second


def test_a_motor_without_a_place_holds_its_body_where_it_is() -> None:
    world = World()
    base, box = world.create_body(BodySpec(type="static", angle=0.7)), world.create_body(BodySpec(BOX, position=(2.0, 1.0), angle=-0.4))
    joint = world.create_joint(MotorJointSpec(base, box, max_force=1e3, max_torque=1e3))
    steps(world, 60)
    assert world.state(box).position == pytest.approx((2.0, 1.0), abs=0.02) and world.state(box).angle == pytest.approx(-0.4, abs=1e-3)
    now = world.joint_now(joint)
    assert isinstance(now, MotorJointSpec) and now.linear_offset is not None and now.angular_offset == pytest.approx(-1.1)


# -- gears ------------------------------------------------------------------------------------------------------------


@dataclass
class Gears:
    """Two wheels on an axle each, a rack, and gears from the first wheel to both."""

    world: World
    base: int
    bar: int
    wheels: tuple[int, int]
    rack: int
    hinges: tuple[int, int]
    rail: int
    gear: int
    rack_gear: int


def geared(ratio: float = 2.0, **more: Any) -> Gears:
    """The first wheel turns on a bar that swings, the others stand on the ground."""
    world = World()
    base = world.create_body(BodySpec(type="static"))
    bar = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.2, 1.0), group=-1),), position=(0.0, 1.0)))
    wheels = tuple(
        world.create_body(BodySpec((FixtureSpec(Circle(r), friction=0.0),), position=(x, 0.0))) for x, r in ((0.0, 0.5), (0.95, 0.5))
    )
    rack = world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.1)),), position=(0.0, -2.0)))
    world.create_joint(RevoluteJointSpec(base, bar, (0.0, 2.0)))
    hinges = (
        world.create_joint(RevoluteJointSpec(bar, wheels[0], (0.0, 0.0), reference_angle=0.25)),
        world.create_joint(RevoluteJointSpec(base, wheels[1], (0.95, 0.0))),
    )
    rail = world.create_joint(PrismaticJointSpec(base, rack, (0.0, -2.0), (1.0, 0.0)))
    gear = world.create_joint(GearJointSpec(*hinges, ratio, **more))
    rack_gear = world.create_joint(GearJointSpec(hinges[0], rail, -0.5))
    world.apply_torque(wheels[1], 300.0)
    return Gears(world, base, bar, wheels, rack, hinges, rail, gear, rack_gear)


@pytest.mark.parametrize("ratio", [2.0, -0.5])
def test_a_gear_keeps_its_sum(ratio: float) -> None:
    made = geared(ratio)
    world = made.world

    def sums() -> tuple[float, float]:
        turned = world.state(made.wheels[0]).angle - world.state(made.bar).angle
        return turned + ratio * world.state(made.wheels[1]).angle, turned - 0.5 * world.state(made.rack).position[0]

    before = sums()
    steps(world, 120)
    assert abs(world.state(made.wheels[1]).angle) > 0.5 and abs(world.state(made.rack).position[0]) > 0.5
    assert sums() == pytest.approx(before, abs=2e-3)
    assert world.joint_bodies(made.gear) == made.wheels and made.gear in world.body(made.wheels[0]).joints


def test_wheels_of_a_gear_touch_only_if_they_shall() -> None:
    for collides in (False, True):
        made = geared(collide_connected=collides)
        record = made.world.pair_record()
        assert isinstance(record, PairRecord)
        contacts = made.world.step()
        touching = {(a, b) for a, b in zip(contacts.body_a.tolist(), contacts.body_b.tolist(), strict=True)}
        assert (made.wheels in touching) == collides
        pairs = record.last
        assert pairs is not None and (list(made.wheels) in pairs.fixtures.joint_filtered.tolist()) != collides


DEATHS: dict[str, Callable[[Gears], None]] = {
    "its first joint": lambda made: made.world.destroy_joint(made.hinges[0]),
    "its second joint": lambda made: made.world.destroy_joint(made.hinges[1]),
    "a wheel": lambda made: made.world.destroy_body(made.wheels[0]),
    "the other wheel": lambda made: made.world.destroy_body(made.wheels[1]),
    "the bar": lambda made: made.world.destroy_body(made.bar),
    "the base": lambda made: made.world.destroy_body(made.base),
    "a static wheel": lambda made: made.world.set_body(made.wheels[1], type="static"),
    "a kinematic wheel": lambda made: made.world.set_body(made.wheels[0], type="kinematic"),
    "an inactive wheel": lambda made: made.world.set_body(made.wheels[0], active=False),
    "an inactive bar": lambda made: made.world.set_body(made.bar, active=False),
    "a bar that goes astray": lambda made: made.world.set_pose(made.bar, (0.0, MAX_COORDINATE), 0.0),
}


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize("rebuilt", [False, True])
def test_a_gear_goes_before_what_it_stands_on(death: str, rebuilt: bool) -> None:
    made = geared()
    world = made.world
    steps(world, 5)
    if rebuilt:
        world.canonicalize()
    DEATHS[death](made)
    if "astray" in death:
        world.destroy_joint(0)  # the wheel that hangs on it comes along
        world.set_pose(made.wheels[0], (0.0, MAX_COORDINATE - 1.0), 0.0)
        world.set_velocity(made.bar, (0.0, 120.0))
        world.step()
        assert world.out_of_range == (made.bar,)
    assert not world.is_joint(made.gear)
    with pytest.raises(DeadHandleError, match=f"joint {made.gear} was destroyed after step"):
        world.destroy_joint(made.gear)
    assert all(made.gear not in world.body(body).joints for body in world.body_ids)
    steps(world, 60)
    assert len(world._solver._cache._world.joints) == len(world.joint_ids)


def test_the_bare_library_turns_a_body_that_has_nothing_to_do_with_a_gear() -> None:
    """Why an inactive body takes the gears on its joints along: its place in the island is another's by then."""
    world = Box2D.b2World(gravity=(0.0, 0.0))

    def wheel(x: float, y: float) -> Any:
        body = world.CreateDynamicBody(position=(x, y))
        body.CreateCircleFixture(radius=0.4, density=1.0)
        return body

    a, b, arm, bystander, bar = wheel(0.0, 0.0), wheel(2.0, 0.0), wheel(2.0, 5.0), wheel(9.0, 0.0), wheel(0.0, 5.0)
    ends = {"localAnchorA": (0.0, -5.0), "localAnchorB": (0.0, 0.0)}
    hinges = [world.CreateJoint(Box2D.b2RevoluteJointDef(bodyA=c, bodyB=d, **ends)) for c, d in ((bar, a), (arm, b))]
    slack = {"localAnchorA": (0.0, 0.0), "localAnchorB": (0.0, 0.0), "maxLength": 50.0}
    world.CreateJoint(Box2D.b2RopeJointDef(bodyA=b, bodyB=bystander, **slack))
    world.CreateJoint(Box2D.b2GearJointDef(joint1=hinges[0], joint2=hinges[1], bodyA=a, bodyB=b, ratio=1.0))
    world.Step(DT, 8, 3)
    bar.active = False
    a.angularVelocity = 5.0
    for _ in range(60):
        world.Step(DT, 8, 3)
    assert bystander.angularVelocity > 1.0


def test_a_gear_is_refused_where_box2d_would_lose_its_way() -> None:
    made = geared()
    world = made.world
    weld = world.create_joint(WeldJointSpec(made.base, made.rack, (0.0, -2.0)))
    still = world.create_joint(RevoluteJointSpec(made.wheels[1], made.base, (2.0, 0.0)))
    twin = world.create_joint(RevoluteJointSpec(made.bar, made.wheels[0], (0.1, 0.0)))
    asleep = world.create_body(BodySpec(BOX, active=False))
    out = world.create_joint(RevoluteJointSpec(made.base, asleep, (0.0, 0.0)))
    for a, b, words in (
        (made.hinges[0], weld, "joint_b must be a revolute or prismatic joint"),
        (made.gear, made.rail, "joint_a must be a revolute or prismatic joint"),
        (made.hinges[0], twin, "joint_b must be a joint whose body_b is another"),
        (made.hinges[0], still, "of which each body_b is dynamic"),
        (out, made.rail, "on joints of active bodies"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            world.create_joint(GearJointSpec(a, b))
    with pytest.raises(DeadHandleError):
        world.create_joint(GearJointSpec(0, 99))
    for wrong in ({"joint_b": 0}, {"ratio": 0.0}, {"ratio": -1e-4}, {"ratio": 2e3}):
        with pytest.raises(InvalidInputError):
            GearJointSpec(**{"joint_a": 0, "joint_b": 1, **wrong})  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="correction_factor"):
        MotorJointSpec(0, 1, correction_factor=1.5)


def test_gears_survive_a_storm_of_edits_and_go_on_from_a_snapshot() -> None:
    """Everything that a gear stands on comes and goes at random, rebuilds between. What contradicts itself is thrown out of the world."""
    for seed in (3, 8, 9):
        dice = random.Random(seed)
        world = geared().world
        n_gears = 0
        for _ in range(400):
            with contextlib.suppress(LabError):
                n_gears += _edit(world, dice)
                world.step()
        assert n_gears > 15 and len(world._solver._cache._world.joints) == len(world.joint_ids)
        world.canonicalize()
        twin = World.from_snapshot(world.snapshot())
        steps(world, 5), steps(twin, 5)
        assert twin.state_hash() == world.state_hash()


def _edit(world: World, dice: random.Random) -> bool:
    body, other = dice.choice(world.body_ids), dice.choice(world.body_ids)
    joints = world.joint_ids or (0,)
    place = dice.uniform(-3.0, 3.0), dice.uniform(-3.0, 3.0)
    what = dice.randrange(16)
    if what in (0, 10, 11):
        world.create_body(BodySpec(BOX, position=place))
    elif what == 1 and len(world.body_ids) > 6:
        world.destroy_body(body)
    elif what == 2:
        world.destroy_joint(dice.choice(joints))
    elif what == 3:
        world.set_body(body, **dice.choice(({"type": "static"}, {"type": "dynamic"}, {"active": False}, {"active": True})))
    elif what == 4:
        world.canonicalize()
    elif what in (5, 6, 7, 8, 9):
        at = world.state(body).position
        world.create_joint(
            dice.choice((RevoluteJointSpec(body, other, at), PrismaticJointSpec(body, other, at, (1.0, 0.5), True, -1.0, 1.0)))
        )
    elif sum(isinstance(world.joint(one).spec, GearJointSpec) for one in joints if world.is_joint(one)) > 3:
        world.destroy_joint(joints[-1])  # more would contradict each other, and Box2D gives way to gears at once however far
    else:
        world.create_joint(GearJointSpec(dice.choice(joints), dice.choice(joints), dice.choice((1.0, -3.0))))
        return True
    return False


def test_copied_wheels_have_the_gear_between_them_and_no_other() -> None:
    made = geared()
    world = made.world
    stage = SimpleNamespace(world=world, offset=(0.0, 0.0))
    gesture = SimpleNamespace(create=lambda _, spec: world.create_body(spec), edit=lambda action: world.create_joint(action.joint_spec))
    hands: Any = SimpleNamespace(stages=[stage], world=lambda _: world, gesture=lambda: gesture)
    every = [Chosen(0, body) for body in (made.base, made.bar, *made.wheels)]
    copied = copy_of(hands, every)
    assert copied is not None and [joint for joint in copied.joints if isinstance(joint, GearJointSpec)] == [GearJointSpec(1, 2, 2.0)]
    bodies = [one.body for one in put_down(hands, copied, 0, (10.0, 0.0))]
    newest = world.joint_ids[-1]
    assert world.joint_bodies(newest) == (bodies[2], bodies[3]) and isinstance(world.joint(newest).spec, GearJointSpec)
    alone = copy_of(hands, every[2:])
    assert alone is not None and alone.joints == ()


# -- the past ---------------------------------------------------------------------------------------------------------


class Clockwork(Demo):
    """All three kinds, some of them slipping, beside each other and falling."""

    id = "clockwork"

    def build(self) -> None:
        """The gears of the other tests, friction on a swinging bar, and a motor that carries a box."""
        made = geared()
        world = self.add_stage(made.world).world
        slow = world.create_body(BodySpec(BOX, position=(-3.0, 1.0), linear_velocity=(1.0, 3.0), angular_velocity=3.0))
        carried = world.create_body(BodySpec(BOX, position=(4.0, 1.0)))
        world.create_joint(FrictionJointSpec(made.base, slow, (-3.0, 1.0), 8.0, 0.3))
        world.create_joint(MotorJointSpec(made.bar, carried, (3.5, 1.5), 0.5, 9.0, 5.0))


def test_they_are_rewound_exactly_whatever_was_done_to_them() -> None:
    memory.load()
    run = meddled(Clockwork, 3, 100)
    assert run.seen["Edit"] > 2
    all_checks(run, 3, wanderings=4)


@pytest.mark.skipif(memory.load() is not None, reason="memory is out of reach here")
@pytest.mark.parametrize("step", [1, 40, 90])
def test_a_rebuilt_world_of_them_goes_on_to_the_bit(step: int) -> None:
    """With their internal words, the sum of the gears among them; which drifts, so that taken anew it would be another."""
    demo = Clockwork(0)
    world = demo.stages[0].world
    steps(world, step)
    other = World.from_snapshot(world.snapshot())
    for _ in range(120):
        world.step()
        other.step()
        assert world.state_hash() == other.state_hash()
