"""Each of the eleven joints under the soft step: its constraint, its freedom and its load."""

import math

import pytest

from engine.experiments.references.lab import run
from engine.experiments.scenes import body
from engine.geometry import Circle, Polygon
from engine.world import (
    DistanceJointSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
    WorldSettings,
    methods,
)
from tests.unit.dynamics.worlds import make_world

BAR = Polygon.box(0.5, 0.1)  # 0.2 kg at 1 kg/m^2
WEIGHT = 2.0
STIFF = 5e-4
"""Meters and radians that a joint gives way under this weight: force over stiffness, m g / (m w^2) with w = 2 pi 120 Hz, and lever arms."""


def pair(joint, at=(1.0, 0.0)):
    """Return a world with a fixed body 0, a bar 1 at `at` and the joint between them: (world, bar, joint)."""
    world = make_world()
    body(world, Circle(0.1), (0.0, 0.0), type="static")
    bar = body(world, BAR, at)
    return world, bar, world.create_joint(joint)


def test_a_hinge_holds_its_point_and_its_limit_carries_the_weight():
    world, bar, hinge = pair(RevoluteJointSpec(0, 1, (0.0, 0.0), enable_limit=True, lower_angle=-0.5, upper_angle=0.5))
    run(world, 5.0)
    state = world.joint_state(hinge)
    assert state.angle == pytest.approx(-0.5, abs=STIFF) and state.travel < STIFF
    assert state.force == pytest.approx((0.0, WEIGHT), rel=1e-4, abs=1e-4)
    x = world.state(bar).position[0]
    assert state.torque == pytest.approx(WEIGHT * x, rel=1e-4)


def test_a_hinge_motor_keeps_its_speed_within_its_torque():
    world, bar, _ = pair(RevoluteJointSpec(0, 1, (0.0, 0.0), enable_motor=True, motor_speed=1.0, max_motor_torque=100.0))
    run(world, 3.0)
    assert world.state(bar).angle == pytest.approx(3.0, rel=1e-3)
    weak, bar, hinge = pair(RevoluteJointSpec(0, 1, (0.0, 0.0), enable_motor=True, motor_speed=1.0, max_motor_torque=0.5))
    run(weak, 0.2)
    assert weak.state(bar).angular_velocity < 0.0 and weak.joint_state(hinge).torque == pytest.approx(0.5)


def test_a_rod_keeps_its_length_and_a_spring_reaches_its_rest_length():
    world, _, rod = pair(DistanceJointSpec(0, 1, (0.0, 0.0), (1.0, 0.0)))
    for _ in range(300):
        world.step()
        assert world.joint_state(rod).travel == pytest.approx(1.0, abs=1e-3)
    world, _, spring = pair(DistanceJointSpec(0, 1, (0.0, 0.0), (0.0, -1.0), frequency=1.0, damping_ratio=0.5), (0.0, -1.0))
    run(world, 8.0)
    assert world.joint_state(spring).travel == pytest.approx(1.0 + 10.0 / (2.0 * math.pi) ** 2, abs=1e-4)  # m g / k, k = m w^2
    assert world.joint_state(spring).force == pytest.approx((0.0, WEIGHT), abs=1e-4)


def test_a_damped_spring_follows_its_equation():
    world = make_world(gravity=(0.0, 0.0))
    body(world, Circle(0.1), (0.0, 0.0), type="static")
    bar = body(world, BAR, (1.0, 0.0))
    world.create_joint(DistanceJointSpec(0, bar, (0.0, 0.0), (1.0, 0.0), frequency=1.0, damping_ratio=0.1, length=0.5))
    omega, ratio = 2.0 * math.pi, 0.1
    damped = omega * math.sqrt(1.0 - ratio * ratio)
    worst = 0.0
    for step in range(1, 121):
        world.step()
        t = step / 60.0
        exact = 0.5 + 0.5 * math.exp(-ratio * omega * t) * (math.cos(damped * t) + ratio * omega / damped * math.sin(damped * t))
        worst = max(worst, abs(world.state(bar).position[0] - exact))
    assert worst < 0.012  # an implicit step of 1/480 s damps by w h / 2: of a swing of 0.5 m e^(-0.1 w t) some 0.65 % a radian


def test_a_weld_holds_and_a_soft_weld_yields_like_its_spring():
    world, bar, weld = pair(WeldJointSpec(0, 1, (0.0, 0.0)))
    run(world, 5.0)
    assert world.state(bar).angle == pytest.approx(0.0, abs=STIFF) and world.joint_state(weld).force == pytest.approx(
        (0.0, WEIGHT), abs=1e-3
    )
    world, bar, weld = pair(WeldJointSpec(0, 1, (0.0, 0.0), frequency=4.0, damping_ratio=1.0))
    run(world, 5.0)
    state, record = world.joint_state(weld), world.body(bar)
    assert state.torque == pytest.approx(WEIGHT * world.state(bar).position[0], rel=1e-3)
    assert -state.angle == pytest.approx(state.torque / (record.inertia * (8.0 * math.pi) ** 2), rel=1e-2)


def test_a_slider_slides_along_its_axis_between_its_limits():
    limits = {"enable_limit": True, "lower_translation": -0.3, "upper_translation": 2.0}
    world, bar, slider = pair(PrismaticJointSpec(0, 1, (1.0, 0.0), (0.6, 0.8), **limits))
    run(world, 3.0)
    state = world.joint_state(slider)
    assert state.travel == pytest.approx(-0.3, abs=STIFF) and state.angle == pytest.approx(0.0, abs=STIFF)
    assert world.state(bar).position == pytest.approx((1.0 - 0.18, -0.24), abs=STIFF)
    assert state.force == pytest.approx((0.0, WEIGHT), abs=1e-3)
    driven = {"enable_motor": True, "motor_speed": 0.5, "max_motor_force": 50.0}
    world, _, slider = pair(PrismaticJointSpec(0, 1, (1.0, 0.0), (0.6, 0.8), **driven))
    run(world, 2.0)
    assert world.joint_state(slider).travel == pytest.approx(1.0, abs=2e-3)


def test_a_wheel_turns_freely_on_its_spring():
    motor = {"enable_motor": True, "motor_speed": 3.0, "max_motor_torque": 10.0}
    world, bar, wheel = pair(WheelJointSpec(0, 1, (1.0, 0.0), (0.0, 1.0), frequency=2.0, damping_ratio=0.7, **motor))
    run(world, 5.0)
    state = world.joint_state(wheel)
    assert state.spin == pytest.approx(3.0) and state.travel == pytest.approx(-10.0 / (4.0 * math.pi) ** 2, abs=1e-4)
    assert world.state(bar).position[0] == pytest.approx(1.0, abs=STIFF)


def test_a_rope_is_slack_until_it_is_taut():
    world, bar, rope = pair(RopeJointSpec(0, 1, (0.0, 0.0), (1.0, 0.0), max_length=1.5))
    run(world, 0.2)
    assert world.state(bar).position == pytest.approx((1.0, -0.5 * 10.0 * 0.04), abs=2.1e-3)  # h g t / 2
    assert world.joint_state(rope).force == (0.0, 0.0)
    run(world, 3.0)
    assert world.joint_state(rope).travel <= 1.5 + 1e-3


def test_a_pulley_keeps_the_sum_of_its_lengths():
    world = make_world()
    light, heavy = body(world, BAR, (-2.0, 0.0)), body(world, Polygon.box(0.5, 0.2), (2.0, 0.0))
    pulley = world.create_joint(PulleyJointSpec(light, heavy, (-2.0, 5.0), (2.0, 5.0), (-2.0, 0.0), (2.0, 0.0), ratio=1.5))
    run(world, 0.5)
    (_, y1), (_, y2) = world.state(light).position, world.state(heavy).position
    assert (5.0 - y1) + 1.5 * (5.0 - y2) == pytest.approx(12.5, abs=1e-3)
    m1, m2, ratio = 0.2, 0.4, 1.5  # m1 a = T - m1 g, m2 a / ratio = ... : the heavy one moves 1 / ratio of the way of the light one
    acceleration_light = 2.0 * y1 / 0.25
    exact = 10.0 * (m2 * ratio * ratio**-1 - m1 * ratio) / (m1 * ratio + m2 / ratio)
    assert acceleration_light == pytest.approx(exact, rel=5e-3)
    assert world.joint_state(pulley).force[1] == pytest.approx(ratio * m1 * (10.0 + exact), rel=1e-2)


def test_a_pulley_that_ran_out_on_its_second_side_continues_from_a_snapshot():
    """Issue 29: its two lengths are rows of the same kind and mode, and after a snapshot, both had the impulse of the first."""
    world = World(WorldSettings(solver_settings=(("iterations", 1),)), "sequential_impulses")
    heavy, light = body(world, Polygon.box(0.5, 0.5), (-2.0, 4.0)), body(world, BAR, (2.0, 4.0))
    hanging = body(world, BAR, (-2.0, 3.0), linear_velocity=(1.0, 0.0))
    world.create_joint(DistanceJointSpec(heavy, hanging, (-2.0, 4.0), (-2.0, 3.0)))
    world.create_joint(PulleyJointSpec(light, heavy, (2.0, 5.0), (-2.0, 5.0), (2.0, 4.0), (-2.0, 4.0)))
    run(world, 1.5)
    assert math.dist(world.state(heavy).position, (-2.0, 5.0)) == pytest.approx(2.0, abs=0.01)  # it has all the rope
    twin = world.clone()
    run(world, 0.2)
    run(twin, 0.2)
    assert twin.state_hash() == world.state_hash()


def test_a_mouse_joint_pulls_within_its_maximum_force():
    world = make_world()
    bar = body(world, BAR, (1.0, 0.0))
    mouse = world.create_joint(MouseJointSpec(bar, (3.0, 2.0), 1000.0))
    world.destroy_joint(mouse)
    mouse = world.create_joint(MouseJointSpec(bar, (3.0, 2.0), 1000.0, grabbed=(1.0, 0.0)))
    run(world, 3.0)
    assert world.state(bar).position == pytest.approx((3.0, 2.0 - 10.0 / (10.0 * math.pi) ** 2), abs=1e-3)  # sags by m g / k
    world.set_mouse_target(mouse, (0.0, 0.0))
    run(world, 3.0)
    assert world.state(bar).position == pytest.approx((0.0, -10.0 / (10.0 * math.pi) ** 2), abs=1e-3)
    weak = make_world()
    bar = body(weak, BAR, (1.0, 0.0))
    weak.create_joint(MouseJointSpec(bar, (1.0, 5.0), 1.0, grabbed=(1.0, 0.0)))
    run(weak, 1.0)
    assert weak.state(bar).linear_velocity[1] == pytest.approx(-5.0, rel=1e-3)  # 1 N against a weight of 2


def test_a_friction_joint_carries_up_to_its_maximum_force():
    world, bar, _ = pair(FrictionJointSpec(0, 1, (1.0, 0.0), max_force=1.0, max_torque=1.0))
    run(world, 1.0)
    assert world.state(bar).linear_velocity[1] == pytest.approx(-5.0, rel=1e-6)
    world, bar, _ = pair(FrictionJointSpec(0, 1, (1.0, 0.0), max_force=3.0, max_torque=1.0))
    run(world, 1.0)
    assert abs(world.state(bar).linear_velocity[1]) < 1e-9


def test_a_motor_joint_drives_to_its_target():
    world, bar, motor = pair(MotorJointSpec(0, 1, (2.0, 1.0), 0.3, max_force=100.0, max_torque=100.0))
    run(world, 3.0)
    assert world.state(bar).position == pytest.approx((2.0, 1.0), abs=1e-3) and world.state(bar).angle == pytest.approx(0.3, abs=1e-4)
    assert world.joint_state(motor).force == pytest.approx((0.0, WEIGHT), abs=1e-3)
    assert world.joint_anchors(motor) == ((0.0, 0.0), pytest.approx((2.0, 1.0), abs=1e-3))


@pytest.mark.parametrize("ratio", [2.0, -0.5])
def test_gears_turn_by_their_ratio_and_drive_a_slider(ratio):
    world = make_world()
    frame = body(world, Circle(0.1), (0.0, 0.0), type="static")
    first, second, rack = body(world, Circle(0.5), (-2.0, 0.0)), body(world, Circle(1.0), (2.0, 0.0)), body(world, BAR, (0.0, 3.0))
    driven = world.create_joint(RevoluteJointSpec(frame, first, (-2.0, 0.0), enable_motor=True, motor_speed=2.0, max_motor_torque=1000.0))
    follows = world.create_joint(RevoluteJointSpec(frame, second, (2.0, 0.0)))
    slides = world.create_joint(PrismaticJointSpec(frame, rack, (0.0, 3.0), (1.0, 0.0)))
    world.create_joint(GearJointSpec(driven, follows, ratio))
    world.create_joint(GearJointSpec(driven, slides, ratio))
    run(world, 1.0)
    assert world.state(first).angle == pytest.approx(2.0, abs=0.01)
    assert world.state(second).angle == pytest.approx(-world.state(first).angle / ratio, abs=1e-4)
    assert world.state(rack).position[0] == pytest.approx(-world.state(first).angle / ratio, abs=1e-4)


@pytest.mark.parametrize("strength", [100.0, 1e4, 1e6])
@pytest.mark.parametrize("solver", methods())
def test_a_motor_stops_at_the_limits_of_its_joint_whatever_its_strength(solver, strength):
    """A hinge was driven past its limit by 748 degrees, a slider by 41 m. Penalty's springs of 1e4 N/m yield to what comes at 5 m/s."""
    world = World(WorldSettings(sleeping=False), solver=solver)
    post, arm, slid = body(world, Circle(0.1), (0.0, 0.0), type="static"), body(world, BAR, (0.5, 0.0)), body(world, BAR, (0.0, 5.0))
    ends = {"enable_limit": True, "enable_motor": True, "motor_speed": 5.0}
    hinge = world.create_joint(
        RevoluteJointSpec(post, arm, (0.0, 0.0), lower_angle=-0.5, upper_angle=0.5, max_motor_torque=strength, **ends)
    )
    slider = world.create_joint(
        PrismaticJointSpec(
            post, slid, (0.0, 5.0), (0.0, 1.0), lower_translation=-1.0, upper_translation=1.0, max_motor_force=strength, **ends
        )
    )
    for _ in range(60):
        world.step()
        assert world.joint_state(hinge).angle < 0.5 + math.radians(2.0)
        assert world.joint_state(slider).travel < 1.0 + (0.03 if solver == "penalty" else 0.005)
    assert world.joint_state(hinge).angle > 0.45 and world.joint_state(slider).travel > 0.98


def test_a_hanging_chain_with_a_heavy_ball_holds_together():
    world = make_world()
    before = body(world, Circle(0.1), (0.0, -100.0), type="static")
    links = []
    for k in range(30):
        link = body(world, Polygon.box(0.5, 0.125), (0.5 + k, 20.0), density=20.0, mask=0)
        links.append(world.create_joint(RevoluteJointSpec(before, link, (float(k), 20.0))))
        before = link
    ball = body(world, Circle(4.0), (34.0, 20.0), density=20.0, mask=0)
    links.append(world.create_joint(RevoluteJointSpec(before, ball, (30.0, 20.0))))
    apart = 0.0
    for _ in range(300):
        world.step()
        apart = max(apart, *(math.dist(*world.joint_anchors(link)) for link in links))
    assert apart < 0.08
