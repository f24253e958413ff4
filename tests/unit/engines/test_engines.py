"""Other engines as solvers: laws, rejections by name, events, and rewinding by repetition (issue 35)."""

import math
import sys

import numpy as np
import pytest

from engine.common.errors import InvalidInputError, LabError, WorldLostError
from engine.common.installation import INSTALL_ENGINES, MissingPartError
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.net.scene import check_shareable
from engine.sim.actions import Join, SetSolver
from engine.sim.registry import all_demos, find_demo
from engine.sim.state import decode_state, encode_state
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
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
    load_solver,
    solvers,
)
from engine.world import commands as c
from engine.world.hooks import StepHooks
from engine.world.replaying import Change, ReplayMemory

MODULES = {"box2d3": "pyb2d3", "chipmunk": "pymunk"}
ENGINES = [name for name in MODULES if name in solvers()]
FEW = ("car", "bounce", "newtons_cradle")
FRICTION = 0.5
WEIGHTLESS = WorldSettings(gravity=(0.0, 0.0), sleeping=False)

pytestmark = pytest.mark.parametrize("engine", ENGINES)  # a system for which a package has no wheel goes without it


def exact(engine, **more):
    """Return settings with overlaps of at most 1 mm."""
    own = {"box2d3": {"sub_steps": 8}, "chipmunk": {"collision_slop": 0.001, "sub_steps": 4}}[engine]
    return WorldSettings(**{"solver_settings": own, **more})


def floor(world, **material):
    return world.create_body(BodySpec((FixtureSpec(Polygon.box(50.0, 0.5), **material),), "static", (0.0, -0.5)))


def disc(world, position, velocity=(0.0, 0.0), **more):
    spec = FixtureSpec(Circle(0.5), density=more.pop("mass", 1.0) / (0.25 * math.pi), **more.pop("material", {}))
    return world.create_body(BodySpec((spec,), position=position, linear_velocity=velocity, **more))


def steps(world, n):
    for _ in range(n):
        world.step()


# -- demos ------------------------------------------------------------------------------------------------------------


def run_twice(demo, engine, n):
    """Return the final hashes of two runs; None if the engine rejects the demo by name."""
    hashes = []
    for _ in range(2):
        try:
            made = demo(0, solver=engine)
            steps(made.sim, n)
        except (InvalidInputError, WorldLostError) as error:
            assert load_solver(engine).capabilities.title in str(error) and "\n" not in str(error)
            return None
        hashes.append([stage.world.state_hash() for stage in made.stages])
    return hashes


@pytest.mark.parametrize("id", FEW)
def test_demos_run_and_repeat(engine, id):
    first, second = run_twice(find_demo(id), engine, 60)
    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize("id", [demo.id for demo in all_demos()])
def test_every_demo_that_the_engine_supports_runs_and_repeats(engine, id):
    hashes = run_twice(find_demo(id), engine, 600)
    assert hashes is None or hashes[0] == hashes[1]


# -- laws -------------------------------------------------------------------------------------------------------------


def test_free_fall(engine):
    world = World(WorldSettings(), solver=engine)
    body = disc(world, (0.0, 100.0), (3.0, 0.0))
    steps(world, 60)
    state = world.state(body)
    assert state.linear_velocity == pytest.approx((3.0, -10.0), abs=1e-4)
    assert state.position == pytest.approx((3.0, 95.0), abs=0.1), "a step's error at most: each engine has its own order of updates"


@pytest.mark.parametrize(("restitution", "low", "high"), [(0.0, 0.45, 0.52), (1.0, 2.3, 2.6)])
def test_restitution(engine, restitution, low, high):
    """A disc falls by 2 m: it stays on the floor, or returns to its initial height."""
    world = World(exact(engine), solver=engine)
    floor(world, restitution=restitution)
    body = disc(world, (0.0, 2.5), material={"restitution": restitution})
    heights = []
    for _ in range(120):
        world.step()
        heights.append(world.state(body).position[1])
    assert low <= max(heights[50:]) <= high


@pytest.mark.parametrize(("slope", "slides"), [(0.4, False), (0.55, True)])
def test_a_box_slides_on_a_slope_steeper_than_its_friction(engine, slope, slides):
    """tan 0.4 = 0.42 and tan 0.55 = 0.61: the friction is 0.5."""
    world = World(exact(engine, sleeping=False), solver=engine)
    plank = FixtureSpec(Polygon.box(50.0, 0.5), friction=FRICTION)
    world.create_body(BodySpec((plank,), "static", angle=slope))
    box = FixtureSpec(Polygon.box(0.5, 0.5), friction=FRICTION)
    up = (-math.sin(slope), math.cos(slope))
    body = world.create_body(BodySpec((box,), position=up, angle=slope))
    steps(world, 60)
    moved = math.dist(world.state(body).position, up)
    expected = 0.5 * 10.0 * (math.sin(slope) - FRICTION * math.cos(slope)) if slides else 0.0
    assert moved == pytest.approx(expected, abs=0.05)


JOINTS = {
    "revolute": lambda a, b: RevoluteJointSpec(a, b, (1.0, 0.3), enable_limit=True, lower_angle=-0.5, upper_angle=0.5),
    "motor of a revolute": lambda a, b: RevoluteJointSpec(a, b, (1.0, 0.3), enable_motor=True, motor_speed=5.0, max_motor_torque=3.0),
    "rod": lambda a, b: DistanceJointSpec(a, b, (0.5, 0.3), (1.5, 0.2)),
    "spring": lambda a, b: DistanceJointSpec(a, b, (0.5, 0.3), (1.5, 0.2), frequency=2.0, damping_ratio=0.2),
    "weld": lambda a, b: WeldJointSpec(a, b, (1.0, 0.3)),
    "soft weld": lambda a, b: WeldJointSpec(a, b, (1.0, 0.3), frequency=2.0, damping_ratio=0.3),
    "prismatic": lambda a, b: PrismaticJointSpec(a, b, (1.0, 0.3), (1.0, 0.2), enable_limit=True, upper_translation=0.5),
    "wheel": lambda a, b: WheelJointSpec(a, b, (1.0, 0.3), (0.0, 1.0), enable_motor=True, motor_speed=3.0, max_motor_torque=2.0),
    "rope": lambda a, b: RopeJointSpec(a, b, (0.5, 0.3), (1.5, 0.2)),
    "friction": lambda a, b: FrictionJointSpec(a, b, (1.0, 0.3), 2.0, 1.0),
    "motor": lambda a, b: MotorJointSpec(a, b, (2.0, 0.0), max_force=10.0, max_torque=10.0),
}


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_keeps_the_momentum_of_a_free_pair(engine, kind):
    if type(JOINTS[kind](0, 1)) not in load_solver(engine).capabilities.joints:
        pytest.skip("not supported")
    world = World(WEIGHTLESS, solver=engine)
    ghostly = {"sensor": False, "mask": 0}
    a = disc(world, (0.0, 0.0), (0.3, 1.0), mass=1.0, angular_velocity=2.0, material=ghostly)
    b = disc(world, (2.0, 0.5), (-0.5, 0.2), mass=3.0, angular_velocity=-1.0, material=ghostly)
    joint = world.create_joint(JOINTS[kind](a, b))
    steps(world, 120)
    px, py = (sum(mass * world.state(body).linear_velocity[k] for body, mass in ((a, 1.0), (b, 3.0))) for k in range(2))
    assert (px, py) == pytest.approx((-1.2, 1.6), abs=2e-3)
    assert np.isfinite(world.poses).all() and math.isfinite(world.joint_state(joint).torque)


def test_joints_hold(engine):
    """The hinge, the rod, the weld and the rope of a pendulum keep their lengths, and a motor reaches its speed."""
    world = World(WorldSettings(sleeping=False), solver=engine)
    hook = world.create_body(BodySpec((), "static"))
    bobs = [disc(world, (10.0 * k + 2.0, 0.0), material={"mask": 0}) for k in range(3)]
    for k, kind in enumerate((RevoluteJointSpec(hook, bobs[0], (0.0, 0.0)), DistanceJointSpec(hook, bobs[1], (10.0, 0.0), (12.0, 0.0)))):
        assert world.create_joint(kind) == k
    world.create_joint(RopeJointSpec(hook, bobs[2], (20.0, 0.0), (22.0, 0.0)))
    wheel = disc(world, (40.0, 0.0))
    motor = world.create_joint(RevoluteJointSpec(hook, wheel, (40.0, 0.0), enable_motor=True, motor_speed=3.0, max_motor_torque=50.0))
    steps(world, 90)
    for k, bob in enumerate(bobs):
        assert math.dist(world.state(bob).position, (10.0 * k, 0.0)) == pytest.approx(2.0, abs=0.02)
    assert world.joint_state(motor).spin == pytest.approx(3.0, abs=0.01)
    world.set_joint(motor, motor_speed=-2.0)
    steps(world, 60)
    assert world.joint_state(motor).spin == pytest.approx(-2.0, abs=0.01)


def test_a_mouse_joint_pulls_a_body(engine):
    world = World(WEIGHTLESS, solver=engine)
    body = disc(world, (0.0, 0.0))
    hand = world.create_joint(MouseJointSpec(body, (0.0, 0.0), 1000.0))
    for k in range(60):
        world.set_mouse_target(hand, (0.05 * k, 0.0))
        world.step()
    steps(world, 60)
    assert world.state(body).position == pytest.approx((2.95, 0.0), abs=0.05)


def test_forces_act_for_one_step_and_impulses_at_once(engine):
    world = World(WEIGHTLESS, solver=engine)
    body = disc(world, (0.0, 0.0))
    world.apply_impulse(body, (1.0, 0.0))
    world.apply_force(body, (0.0, 60.0))
    world.apply_torque(body, 0.125 * 60.0)
    steps(world, 5)
    state = world.state(body)
    assert (*state.linear_velocity, state.angular_velocity) == pytest.approx((1.0, 1.0, 1.0), abs=1e-4)


# -- contacts, events, sleep ------------------------------------------------------------------------------------------


def test_hooks_and_events(engine):
    """A disc on a floor: its contact begins once, hooks see it, and a rejected contact does not stop it."""
    world = World(exact(engine), solver=engine)
    floor(world)
    body = disc(world, (0.0, 0.55))
    seen = []
    world.hooks = StepHooks(begin=lambda event: seen.append("begin"), end=lambda event: seen.append("end"))
    steps(world, 30)
    assert seen == ["begin"]
    world.destroy_body(body)
    assert seen == ["begin", "end"] and len(world.step().ended) == 1


def test_contacts_of_a_resting_box(engine):
    """In the step of contact, both report points between the surfaces and a normal from the lower id to the higher one."""
    world = World(exact(engine, sleeping=False), solver=engine)
    floor(world)
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.0, 0.6)))
    first = next(contacts for contacts in (world.step() for _ in range(60)) if contacts.began)
    assert [(point.body_a, point.body_b, point.normal) for point in first.points()] == [(0, 1, pytest.approx((0.0, 1.0)))] * 2
    assert sorted(point.position[0] for point in first.points()) == pytest.approx([-0.5, 0.5], abs=0.01)
    assert all(abs(point.position[1]) < 0.1 and abs(point.separation) < 0.1 for point in first.points())
    steps(world, 60)
    assert len(world.contacts) == 1 and not world.contacts.began
    if engine == "chipmunk":
        assert world.contacts.normal_impulse.sum() == pytest.approx(10.0 / 60.0 / 4.0, rel=1e-3), (
            "the weight, in the last of four sub-steps"
        )
    else:
        assert world.contacts.n_points == 0, "its manifold is known only when it begins"


def test_a_sensor_reports_bodies_that_enter_and_leave(engine):
    world = World(WEIGHTLESS, solver=engine)
    gate = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 2.0), sensor=True),), "static", (3.0, 0.0)))
    body = disc(world, (0.0, 0.0), (3.0, 0.0))
    events = [
        (kind, event.sensor) for _ in range(120) for c in (world.step(),) for kind in ("began", "ended") for event in getattr(c, kind)
    ]
    # Box2D 3.1 reports that the disc leaves and enters again in the step in which its center crosses the sensor's edge
    assert events == [("began", True), ("ended", True)] * (len(events) // 2) and len(events) in (2, 4) and len(world.contacts) == 0
    assert world.state(body).linear_velocity == pytest.approx((3.0, 0.0)) and world.is_body(gate)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_disc_rolls_over_the_links_of_a_chain(engine, side):
    """From above and from below; Box2D 3.1's chains are one-sided, so a disc passes through from below."""
    world = World(exact(engine, gravity=(0.0, -10.0 * side), sleeping=False), solver=engine)
    xs = [-4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0]
    links = [
        FixtureSpec(Segment((xs[k], 0.0), (xs[k + 1], 0.0), ghost1=(xs[k - 1], 0.0), ghost2=(xs[k + 2], 0.0)), friction=0.0)
        for k in range(1, 5)
    ]
    world.create_body(BodySpec(tuple(links), "static"))
    body = disc(world, (-1.0, 0.5 * side), (3.0, 0.0), material={"friction": 0.0})
    steps(world, 90)
    state = world.state(body)
    if engine == "box2d3" and side < 0.0:
        assert state.position[1] > 5.0
        return
    assert state.position == pytest.approx((3.5, 0.5 * side), abs=0.02) and state.linear_velocity == pytest.approx((3.0, 0.0), abs=0.02)


def test_a_hook_can_reject_a_contact_if_the_engine_supports_it(engine):
    world = World(exact(engine), solver=engine)
    floor(world)
    disc(world, (0.0, 0.6))
    disc(world, (3.0, 0.6))
    impulses = []
    world.hooks = StepHooks(
        pre_solve=lambda event: event.body_b != 1, post_solve=lambda event, normal, tangent: impulses.append((event.body_b, sum(normal)))
    )
    if engine == "box2d3":
        with pytest.raises(WorldLostError, match=r"hooks.pre_solve must be None with Box2D 3.1: pyb2d3 has no such callback"):
            world.step()
        return
    steps(world, 30)
    assert world.state(1).position[1] < -0.5 and world.state(2).position[1] == pytest.approx(0.5, abs=0.01)
    assert {body for body, _ in impulses} == {2} and all(impulse >= 0.0 for _, impulse in impulses)
    world.hooks = None
    kept = world.snapshot()
    steps(world, 5)
    after = world.state_hash()
    world.restore(kept)
    steps(world, 5)
    assert world.state_hash() == after, "the answers are part of what is repeated"


def test_a_sleeping_body_wakes_when_it_is_hit(engine):
    world = World(exact(engine), solver=engine)
    floor(world)
    body = disc(world, (0.0, 0.5))
    steps(world, 90)
    assert not world.state(body).awake
    disc(world, (0.0, 2.0))
    assert any((world.step(), world.state(body).awake)[1] for _ in range(60))


def test_gravity_scale_and_damping(engine):
    world = World(WorldSettings(sleeping=False), solver=engine)
    floats = disc(world, (0.0, 0.0), gravity_scale=0.0, angular_velocity=1.0, angular_damping=1.0)
    slows = disc(world, (5.0, 0.0), (2.0, 0.0), gravity_scale=0.0, linear_damping=1.0)
    steps(world, 60)
    assert world.state(floats).position == pytest.approx((0.0, 0.0), abs=1e-6)
    assert world.state(floats).angular_velocity == pytest.approx(math.exp(-1.0), rel=0.02)
    assert world.state(slows).linear_velocity[0] == pytest.approx(2.0 * math.exp(-1.0), rel=0.02)


def test_a_body_changes_its_type_and_fixtures(engine):
    world = World(WEIGHTLESS, solver=engine)
    body = disc(world, (0.0, 0.0), (1.0, 0.0))
    added = world.create_fixture(body, FixtureSpec(Polygon.box(0.5, 0.5), density=2.0))
    center, mass = world.body(body).local_center, world.body(body).mass
    assert mass == pytest.approx(3.0, rel=1e-5) and center == pytest.approx((0.0, 0.0), abs=1e-6)
    assert world.body_at((0.45, 0.45)) == body
    world.destroy_fixture(added)
    assert world.body(body).mass == pytest.approx(1.0, rel=1e-5) and world.body_at((0.45, 0.45)) is None
    world.set_body(body, type="static")
    steps(world, 5)
    assert world.state(body).linear_velocity == (0.0, 0.0)
    world.set_body(body, active=False)
    world.set_body(body, type="dynamic", active=True)
    world.set_velocity(body, (0.0, 2.0))
    before = world.state(body).position
    steps(world, 30)
    assert world.state(body).position[1] == pytest.approx(before[1] + 1.0, abs=0.05)


# -- refusals ---------------------------------------------------------------------------------------------------------


def regular(n):
    turns = 2.0 * math.pi * np.arange(n) / n
    return Polygon(np.column_stack((np.cos(turns), np.sin(turns))))


def sliver():
    return Polygon([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 1.003), (0.0, 1.0)])


REFUSED = {
    "box2d3": [
        (lambda world: world.create_joint(PulleyJointSpec(0, 1, (0.0, 5.0), (2.0, 5.0), (0.0, 0.0), (2.0, 0.0))), "joint must be one that"),
        (lambda world: world.create_joint(FrictionJointSpec(0, 1, (1.0, 0.0), 1.0)), "joint must be one that Box2D 3.1 supports"),
        (
            lambda world: world.create_joint(RevoluteJointSpec(0, 1, (1.0, 0.0), enable_limit=True, upper_angle=4.0)),
            "limits must be from -pi to pi rad with Box2D 3.1, got 4.0",
        ),
        (lambda world: world.create_body(BodySpec((FixtureSpec(regular(9)),))), "vertices must be at most 8 with Box2D 3.1, got 9"),
        (
            lambda world: world.create_body(BodySpec((FixtureSpec(sliver()),))),
            "vertices must be corners .* got 5, of which its hull keeps 4",
        ),
        (lambda world: world.create_fixture(0, FixtureSpec(Segment((0.0, 0.0), (1.0, 0.0), 0.1))), "skin_radius must be 0 m"),
        (lambda world: world.create_fixture(0, FixtureSpec(Circle(1.0), sensor=True)), "sensor must be limited to one pair"),
        (lambda world: world.set_settings(warm_starting=False), "warm_starting must be True with Box2D 3.1"),
        (lambda world: world.set_settings(solver_settings={"slop": 1.0}), "solver_settings.slop must be a known setting"),
    ],
    "chipmunk": [
        (lambda world: world.create_joint(PulleyJointSpec(0, 1, (0.0, 5.0), (2.0, 5.0), (0.0, 0.0), (2.0, 0.0))), "joint must be one that"),
        (
            lambda world: world.create_joint(PrismaticJointSpec(0, 1, (0.0, 0.0), (1.0, 0.0), enable_motor=True)),
            "enable_motor must be False with Chipmunk",
        ),
        (lambda world: world.set_fixture(0, group=3), "group must be at most 0 with Chipmunk"),
        (lambda world: world.set_settings(warm_starting=False), "warm_starting must be True with Chipmunk"),
        (lambda world: world.set_settings(restitution_threshold=1.0), "restitution_threshold must be 0 m/s with Chipmunk"),
        (lambda world: world.set_settings(solver_settings={"slop": 1.0}), "solver_settings.slop must be a known setting"),
    ],
}


def test_unsupported_features_are_rejected_by_name(engine):
    world = World(solver=engine)
    for x in (0.0, 2.0):
        disc(world, (x, 0.0))
    before = world.state_hash()
    for act, words in REFUSED[engine]:
        with pytest.raises(InvalidInputError, match=words):
            act(world)
    hinges = [world.create_joint(RevoluteJointSpec(a, b, (1.0, 0.0))) for a, b in ((0, 1), (1, 0))]
    with pytest.raises(InvalidInputError, match="joint must be one that"):
        world.create_joint(GearJointSpec(*hinges))
    assert world.state_hash() == before


def test_a_missing_package_is_reported_in_one_line(engine, monkeypatch):
    module = MODULES[engine]
    for name in [name for name in sys.modules if name.startswith(f"engine.{engine}")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    assert engine not in solvers()
    with pytest.raises(MissingPartError) as missing:
        World(solver=engine)
    assert str(missing.value) == f'{module} is not installed: {INSTALL_ENGINES}; World(solver="soft_step") needs no library'


# -- state ------------------------------------------------------------------------------------------------------------


def busy(engine):
    """Return an eventful world, and the contacts that its hook rejected."""
    world = World(exact(engine), solver=engine)
    floor(world)
    bodies = [disc(world, (0.1 * k, 1.0 + 1.1 * k)) for k in range(4)]
    world.create_body(BodySpec((FixtureSpec(Capsule((-0.5, 0.0), (0.5, 0.0), 0.2)),), position=(3.0, 1.0), angle=0.5))
    world.create_body(BodySpec((FixtureSpec(Segment((-9.0, -3.0), (9.0, -3.0))),), "static"))
    world.create_joint(DistanceJointSpec(bodies[0], bodies[1], (0.0, 1.0), (0.1, 2.1)))
    steps(world, 40)
    world.apply_impulse(bodies[2], (1.0, 0.5))
    world.set_fixture(world.fixtures_of(bodies[0])[0], density=3.0)
    steps(world, 10)
    return world


def test_a_restored_world_continues_to_the_bit(engine):
    world = busy(engine)
    assert world.capabilities.replays and world.is_always_canonical
    kept = world.snapshot()
    twin, other = World.from_snapshot(kept), world.clone()
    for each in (world, twin, other):
        steps(each, 30)
        each.set_velocity(1, (0.0, 3.0))
        steps(each, 20)
    assert world.state_hash() == twin.state_hash() == other.state_hash()
    assert world.contacts.normal_impulse.tolist() == twin.contacts.normal_impulse.tolist()
    world.restore(kept)
    assert world.state_hash() == World.from_snapshot(kept).state_hash() and world.step_index == 50


def test_a_failed_command_leaves_the_world_unchanged(engine, monkeypatch):
    world = busy(engine)
    twin = world.clone()
    monkeypatch.setattr(type(world._solver._engine), "set_velocity", lambda *arguments: 1 / 0)
    with pytest.raises(WorldLostError, match="rolled back"):
        world.set_velocity(1, (1.0, 0.0))
    monkeypatch.undo()
    for each in (world, twin):
        steps(each, 10)
    assert world.state_hash() == twin.state_hash()


def test_worlds_change_from_and_to_the_engine(engine):
    world = World(solver="box2d")
    floor(world)
    boxes = [world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.0, 0.48 + 0.97 * k))) for k in range(3)]
    steps(world, 2)
    poses = world.poses.copy()
    world.set_solver(engine, exact(engine).solver_settings)
    assert np.abs(world.poses - poses).max() < 1e-6
    contacts = world.step()
    assert not contacts.began and not contacts.ended, "what touched goes on touching"
    steps(world, 20)
    world.set_solver("box2d")
    steps(world, 20)
    assert world.state(boxes[2]).position == pytest.approx((0.0, 2.5), abs=0.05)


def test_a_demos_state_is_encoded_and_decoded(engine):
    demo, other = (find_demo("car")(0, solver=engine) for _ in range(2))
    steps(demo.sim, 20)
    decode_state(other, encode_state(demo))
    for each in (demo, other):
        steps(each.sim, 10)
    assert demo.stages[0].world.state_hash() == other.stages[0].world.state_hash()


def test_a_shared_world_needs_a_solver_that_saves_its_state(engine):
    """A shared world can neither start with such a solver nor switch to one."""
    refusal = f"a solver that can save its state, for a shared world, got '{engine}'"
    with pytest.raises(InvalidInputError, match=refusal):
        check_shareable(find_demo("bounce")(0, solver=engine))
    demo = find_demo("bounce")(0)
    demo.sim.users.open()
    demo.sim.act(Join(), 1)
    with pytest.raises(InvalidInputError, match=refusal):
        demo.sim.act(SetSolver(engine), 1)
    assert demo.sim.solvers == ("box2d",)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ((Change(c.SetVelocity(0, (math.nan, 0.0), 0.0), None), 3), r"memory.log\[0\] must be a change"),
        ((Change(c.CreateBody(0, None, ()), None), 3), r"memory.log\[0\] must be a change"),
        ((10**12,), "memory.log must be the steps up to 3"),
        ((3,), "memory.log must be commands and steps that reproduce the snapshot's motion"),
        ((Change(c.SetVelocity(7, (1.0, 0.0), 0.0), None), 3), "rejected the snapshot"),
    ],
)
def test_an_external_log_is_checked(engine, log, words):
    from dataclasses import replace

    from engine.world.snapshot_check import check_snapshot

    world = World(solver=engine)
    disc(world, (0.0, 0.0))
    steps(world, 3)
    kept = world.snapshot()
    memory = kept.state.memory
    assert isinstance(memory, ReplayMemory)
    bad = replace(kept, state=replace(kept.state, memory=replace(memory, log=log)))
    with pytest.raises(LabError, match=words):
        check_snapshot(bad)
        World.from_snapshot(bad)
