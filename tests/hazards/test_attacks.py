"""Faults that a fuzzer found after the listed hazards were fixed; each once crashed or corrupted a world."""

import random
import threading

import pytest

from engine.common.errors import DeadHandleError, InvalidInputError, LabError, WorldLostError, WrongThreadError
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, MouseJointSpec, RevoluteJointSpec, StepHooks, World, WorldSettings


def box(world, x=0.0, y=0.0, kind="dynamic", half=0.5, density=1.0):
    fixture = FixtureSpec(Polygon.box(half, half), density=density)
    return world.create_body(BodySpec((fixture,), type=kind, position=(x, y)))


def resting():
    world = World()
    body, ground = box(world), box(world, 0.0, -1.0, "static")
    for _ in range(5):
        world.step()
    return world, body, ground


@pytest.mark.parametrize(
    "weaken",
    [
        lambda w, b, j: w.set_body(b, type="kinematic"),
        lambda w, b, j: w.set_body(b, type="static"),
        lambda w, b, j: w.set_fixture(w.body(b).fixtures[0], density=1e-7),
    ],
)
def test_a_mouse_joint_is_removed_when_it_cannot_hold_its_body(weaken):
    world = World(WorldSettings(hertz=10_000.0))
    body = box(world)
    joint = world.create_joint(MouseJointSpec(body, (0.0, 0.0), 100.0, frequency=0.1, damping_ratio=0.0))
    weaken(world, body, joint)
    assert not world.is_joint(joint)
    with pytest.raises(DeadHandleError, match=f"joint {joint} was destroyed"):
        world.set_mouse_target(joint, (1.0, 1.0))
    world.step()


@pytest.mark.parametrize(
    ("half", "density", "frequency", "damping"), [(0.5, 1.0, 1e-6, 0.0), (0.01, 1e-5, 0.01, 0.7), (0.5, 1e-8, 0.1, 0.0)]
)
def test_a_mouse_joint_too_weak_for_its_body_is_rejected(half, density, frequency, damping):
    world = World()
    body = box(world, half=half, density=density)
    with pytest.raises(InvalidInputError, match=r"body must be heavy enough for the joint's frequency"):
        world.create_joint(MouseJointSpec(body, (0.0, 0.0), 100.0, frequency, damping))
    world.step()


COMMANDS = {
    "destroy_body": lambda w, body, ground: w.destroy_body(body),
    "destroy_fixture": lambda w, body, ground: w.destroy_fixture(w.body(body).fixtures[0]),
    "deactivate": lambda w, body, ground: w.set_body(body, active=False),
    "kinematic": lambda w, body, ground: w.set_body(body, type="kinematic"),
}
"""Each ends the contact of the two, and so calls the `end` hook outside any step, in the middle of Box2D."""

REACTIONS = {
    "destroy_body": lambda w, body, ground: w.destroy_body(body),
    "destroy_ground": lambda w, body, ground: w.destroy_body(ground),
    "destroy_fixture": lambda w, body, ground: w.destroy_fixture(0),
    "create": lambda w, body, ground: box(w, 5.0, 5.0),
    "step": lambda w, body, ground: w.step(),
    "restore": lambda w, body, ground: w.restore(w.snapshot()),
    "raise": lambda w, body, ground: 1 / 0,
}


@pytest.mark.parametrize("reaction", REACTIONS)
@pytest.mark.parametrize("command", COMMANDS)
def test_end_hooks_outside_a_step_are_deferred(command, reaction):
    world, body, ground = resting()
    ends = []

    def end(event):
        ends.append(True)
        REACTIONS[reaction](world, body, ground)

    world.hooks = StepHooks(end=end)
    index = world.step_index
    try:
        COMMANDS[command](world, body, ground)
    except (DeadHandleError, LabError, ZeroDivisionError):
        assert reaction in ("destroy_body", "destroy_fixture", "step", "restore", "raise")
    else:
        assert reaction not in ("step", "restore", "raise")
    assert ends
    assert world.step_index == index
    assert world.is_body(ground) == (reaction != "destroy_ground")
    world.hooks = None
    for _ in range(3):
        world.step()
    cache = world._solver._cache._world
    assert cache.bodyCount == len(world.body_ids) + 1


def test_commands_of_two_hooks_on_one_body_do_not_conflict():
    world, body, _ = resting()
    other = box(world, 3.0, 0.5)
    world.hooks = StepHooks(begin=lambda event: world.destroy_body(body), end=lambda event: world.destroy_body(event.body_b))
    world.set_pose(other, (0.0, 0.9), 0.0)
    try:
        for _ in range(5):
            world.step()
    except DeadHandleError:
        pass  # the second of two that asked for the same death
    world.hooks = None
    world.step()
    assert not world.is_body(body)


@pytest.mark.parametrize(
    "read",
    [
        lambda w: w.body_at((0.0, 0.0)),
        lambda w: w.poses,
        lambda w: w.state_hash(),
        lambda w: w.body(0),
        lambda w: w.state(0),
        lambda w: w.contacts,
        lambda w: w.fixture(0),
    ],
)
def test_reading_from_another_thread_is_rejected(read):
    world, _, _ = resting()
    errors = []

    def attempt():
        try:
            read(world)
        except WrongThreadError as error:
            errors.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    assert len(errors) == 1


def test_a_body_that_leaves_the_range_is_deactivated_and_the_world_continues():
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    stays = box(world)
    goes = world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(999_990.0, 0.0), linear_velocity=(120.0, 0.0)))
    for _ in range(20):
        world.step()
    assert world.out_of_range == (goes,)
    assert not world.body(goes).spec.active
    snapshot = world.snapshot()
    world.restore(snapshot)
    assert world.out_of_range == (goes,)
    assert world.state_hash() == World.from_snapshot(snapshot).state_hash()
    world.step()
    world.destroy_body(goes)
    assert world.body_ids == (stays,)


def test_a_failing_command_does_not_drop_later_commands():
    world, body, _ = resting()
    made = []

    def begin(event):
        if made:
            return
        world.destroy_fixture(world.body(body).fixtures[0])
        world.destroy_fixture(heavy)
        made.append(box(world, 5.0, 5.0))
        raise ZeroDivisionError("in the hook")

    heavy = world.create_fixture(body, FixtureSpec(Circle(0.2)))
    world.create_fixture(body, FixtureSpec(Circle(0.1), density=0.0))
    box(world, 0.0, 1.5)
    world.hooks = StepHooks(begin=begin)
    with pytest.raises(ZeroDivisionError) as caught:
        for _ in range(60):
            world.step()
    assert any("density must be > 0" in note for note in caught.value.__notes__)
    assert world.is_body(made[0])
    assert world.is_fixture(heavy)


@pytest.mark.parametrize("first", ["create_fixture", "static_then_dynamic"])
def test_a_dynamic_body_without_density_cannot_be_created(first):
    world = World()
    weightless = FixtureSpec(Polygon.box(0.5, 0.5), density=0.0)
    if first == "create_fixture":
        body = world.create_body(BodySpec())
        with pytest.raises(InvalidInputError, match="density must be > 0"):
            world.create_fixture(body, weightless)
        return
    body = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), type="static"))
    fixture = world.body(body).fixtures[0]
    world.set_fixture(fixture, density=0.0)
    assert world.body(body).spec.fixtures[0].density == 0.0
    with pytest.raises(InvalidInputError, match="density must be > 0"):
        world.set_body(body, type="dynamic")
    world.set_fixture(fixture, density=2.0)
    world.set_body(body, type="dynamic")
    assert world.body(body).mass == pytest.approx(2.0)


def test_a_joint_needs_a_dynamic_body_when_it_is_created():
    world, a, _ = resting()
    b = box(world, 3.0, 0.0)

    def begin(event):
        world.hooks = None
        world.set_body(a, type="static")
        world.set_body(b, type="static")
        world.create_joint(RevoluteJointSpec(a, b, (0.0, 0.0)))

    world.hooks = StepHooks(begin=begin)
    box(world, 0.0, 0.95)
    with pytest.raises(InvalidInputError, match="body_b must be dynamic"):
        for _ in range(30):
            world.step()
    assert world.joint_ids == ()


@pytest.mark.parametrize("wrong", [False, True, 0.0, 0j, "0", None, [0], (0,)])
def test_only_integers_are_ids(wrong):
    world, _, _ = resting()
    for use in (world.body, world.destroy_body, world.fixture, world.joint):
        with pytest.raises(DeadHandleError, match="there is no"):
            use(wrong)


def test_a_world_lost_twice_remains_usable():
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    bodies = [box(world, 30.0 * i) for i in range(3)]
    for lost in bodies[:2]:
        assert world.poses.shape == (3, 3)  # read before the public doors are gone round
        world._solver._cache._bodies[lost].angularVelocity = float("nan")
        with pytest.raises(WorldLostError, match=f"the motion of body {lost} is not finite"):
            world.step()
    assert world.out_of_range == tuple(bodies[:2])
    for _ in range(5):
        world.step()
    assert world.step_index == 5


def test_a_fixture_made_a_sensor_between_sub_steps():
    """Box2D kept the impact of the solid pair for its next sub-step, and asserted that it had contact points: an abort."""
    dice = random.Random(0)
    world = World(WorldSettings(sub_stepping=True))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.1)),), "static"))
    for k in range(12):
        place, velocity = (dice.uniform(-2.0, 2.0), dice.uniform(0.2, 3.0)), (dice.uniform(-60.0, 60.0), dice.uniform(-120.0, 0.0))
        shape = Circle(0.1) if k % 2 else Polygon.box(0.1, 0.1)
        world.create_body(BodySpec((FixtureSpec(shape),), position=place, linear_velocity=velocity, bullet=k % 3 == 0))
    for _ in range(80):
        for fixture in world.fixture_ids:
            if dice.random() < 0.15:
                world.set_fixture(fixture, sensor=not world.fixture(fixture).spec.sensor)
        world.step()
    assert world.step_index == 80
