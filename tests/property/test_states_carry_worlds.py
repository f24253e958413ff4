"""A shared world's state transfers everything that the world accepts: after actions at the limits, a joining client continues identically
(issue 29).

Actions use numbers at the limits of their ranges, bodies are deactivated and reactivated, joints are created far from the origin, and time
advances or stops. At every keyframe, a newly built demo must load the state, have the same digest, and go through the same states.
"""

import contextlib
import random

import pytest

from engine.common.errors import LabError
from engine.common.limits import MAX_COORDINATE, MAX_NUMBER, MAX_SPEED
from engine.geometry import Circle
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.actions import (
    ApplyImpulse,
    ChangeBody,
    ChangeFixture,
    ChangeJoint,
    ChangeWorld,
    CreateBody,
    CreateFixture,
    CreateJoint,
    DestroyFixture,
    DestroyJoint,
    Join,
    Pause,
    SetAwake,
    SetPose,
    SetVelocity,
    UndoOwn,
)
from engine.sim.history import demo_hash
from engine.sim.registry import find_demo
from engine.sim.state import decode_state, encode_state
from engine.sim.users import KEYFRAME_TICKS
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    solvers,
)

SOLVERS = tuple(solvers())
_ROUNDS = 3


class Extremist:
    """A user whose actions use numbers at the limits."""

    def __init__(self, simulation, seed):
        self.simulation, self.dice, self.n = simulation, random.Random(seed), 0
        self.do(Join())

    def do(self, action):
        with contextlib.suppress(LabError):  # what the world refuses it need not carry
            resolved = self.simulation.demo.sim.resolve(action)
            self.n += 1
            self.simulation.act(UserAction(1, self.n, resolved))

    def number(self, most):
        return self.dice.choice((0.0, 1.0, -1.0, 1e-9, most, -most, 0.5 * most, self.dice.uniform(-most, most), self.dice.uniform(-9, 9)))

    def point(self, most=MAX_COORDINATE):
        return self.number(most), self.number(most)

    def joint(self, a, b):
        at = self.dice.choice(((0.0, 1.0), self.point(), self.point(0.5 * MAX_COORDINATE)))
        other = (0.5 * at[0] + 1.0, at[1])
        gears = [*self.simulation.demo.stages[0].world.joint_ids, 0, 1][:2]
        makes = (
            lambda: RevoluteJointSpec(a, b, at),
            lambda: WeldJointSpec(a, b, at),
            lambda: DistanceJointSpec(a, b, at, other),
            lambda: PrismaticJointSpec(a, b, at, (1.0, 0.0)),
            lambda: PulleyJointSpec(a, b, (0.0, 5.0), (3.0, 5.0), at, other, ratio=self.dice.choice((1e-3, 1.0, 1e3))),
            lambda: RopeJointSpec(a, b, at, other),
            lambda: MotorJointSpec(a, b, max_force=MAX_NUMBER, max_torque=MAX_NUMBER),
            lambda: WheelJointSpec(a, b, at, (0.0, 1.0)),
            lambda: MouseJointSpec(b, at, max_force=MAX_NUMBER),
            lambda: GearJointSpec(gears[0], gears[1], ratio=self.number(MAX_NUMBER)),
        )
        return self.dice.choice(makes)()

    def act(self):
        dice, world = self.dice, self.simulation.demo.stages[0].world
        a, b = dice.sample(list(world.body_ids), 2)
        fixture, joint = (dice.choice(list(ids) or [0]) for ids in (world.fixture_ids, world.joint_ids))
        big, flag = self.number(MAX_NUMBER), dice.random() < 0.5
        settings = {"linear_damping": abs(big), "gravity_scale": big, "fixed_rotation": flag, "type": dice.choice(("static", "dynamic"))}
        shape = {"density": dice.choice((1e-6, 1.0, 1e6)), "friction": abs(big), "restitution": abs(big), "sensor": flag}
        of_joint = {
            "motor_speed": big,
            "enable_motor": flag,
            "enable_limit": flag,
            "max_force": abs(big),
            "length": abs(big),
            "frequency": 5.0,
        }
        of_world = {"gravity": self.point(MAX_NUMBER), "hertz": dice.choice((1.0, 60.0, 1e4))}
        size, place = dice.choice((1e-3, 0.3, 1e4)), dice.choice((None, self.point()))
        body = BodySpec(
            (FixtureSpec(Circle(size), density=1.0),), "dynamic", self.point(), big, self.point(MAX_SPEED), self.number(MAX_SPEED)
        )
        ways = (
            SetPose(0, b, self.point(), big),
            SetPose(0, b, (dice.uniform(-3, 3), dice.uniform(0, 3)), dice.uniform(-3, 3)),
            SetVelocity(0, b, self.point(MAX_SPEED), self.number(MAX_SPEED)),
            ApplyImpulse(0, b, self.point(MAX_NUMBER), place),
            SetAwake(0, b, flag),
            CreateBody.of(0, body),
            CreateFixture.of(0, b, FixtureSpec(Circle(size, self.point(size)), density=1.0)),
            DestroyFixture(0, fixture),
            DestroyJoint(0, joint),
        )
        match dice.randrange(16):
            case 0 | 1 | 2:
                with contextlib.suppress(LabError):
                    self.do(CreateJoint.of(0, self.joint(a, b)))
            case 3:
                self.do(ChangeBody(0, b, {"active": dice.random() < 0.8}))
            case 4:
                self.do(ChangeBody(0, b, dict([dice.choice(list(settings.items()))])))
            case 5:
                self.do(ChangeFixture(0, fixture, dict([dice.choice(list(shape.items()))])))
            case 6:
                self.do(ChangeJoint(0, joint, dict([dice.choice(list(of_joint.items()))])))
            case 7:
                self.do(ChangeWorld(0, dict([dice.choice(list(of_world.items()))])))
            case 8:
                self.do(UndoOwn())
            case 9:
                self.do(Pause(flag))
            case _:
                self.do(dice.choice(ways))


def _begin(solver):
    return find_demo("simple_shapes")(0, {"count": 3}, solver=solver)


def _play(solver, seed):
    simulation = SharedSimulation(_begin(solver), goes_back=False)
    user = Extremist(simulation, seed)
    for _ in range(_ROUNDS):
        for _ in range(user.dice.randrange(1, 6)):
            user.act()
            for _ in range(user.dice.randrange(3)):
                simulation.step()
        if user.dice.random() < 0.3:
            user.do(Pause(True))
            user.act()
        while simulation.now % KEYFRAME_TICKS:
            simulation.step()
        other = _begin(solver)
        decode_state(other, encode_state(simulation.demo))
        assert demo_hash(other) == demo_hash(simulation.demo)
        joined = SharedSimulation(other, simulation.now, goes_back=False)
        for _ in range(2):
            simulation.step()
            joined.step()
        assert simulation.digests[simulation.now] == joined.digests[simulation.now]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "contact_forces"])  # a minute: its slow test is below
def test_a_joining_client_gets_the_state_of_a_world_at_its_limits(solver, seed):
    _play(solver, seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 20))
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_joining_client_gets_the_state_after_any_action_at_the_limits(solver, first):
    for seed in range(first, first + 20):
        try:
            _play(solver, seed)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


def test_a_body_with_many_revolutions_is_transferred():
    """The case of issue 29: an angle of 1e9 rad, and 1e6 rad/s."""
    for solver in ("box2d", "soft_step"):
        simulation = SharedSimulation(_begin(solver), goes_back=False)
        user = Extremist(simulation, 0)
        body = max(simulation.demo.stages[0].world.body_ids)
        user.do(SetPose(0, body, (0.0, 5.0), MAX_NUMBER))
        user.do(SetVelocity(0, body, (0.0, 0.0), MAX_SPEED))
        while simulation.now < KEYFRAME_TICKS:
            simulation.step()
        other = _begin(solver)
        decode_state(other, encode_state(simulation.demo))
        assert demo_hash(other) == demo_hash(simulation.demo)
