"""The soft step makes no energy out of nothing (issue 45): rate changes, faces that meet, heaps, long levers, stops within a step."""

import itertools
import math
import random
from pathlib import Path

import pytest

from engine.geometry import Circle, Polygon
from engine.scenes.scene import build
from engine.scenes.scene_file import load_scene
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, WeldJointSpec, World, WorldSettings, solvers

SOLVER = "soft_step"


def world_of(solver=SOLVER, **settings):
    return World(WorldSettings(**{"gravity": (0.0, -10.0), "sleeping": False, **settings}), solver=solver)


def add(world, shape, position=(0.0, 0.0), kind="dynamic", velocity=(0.0, 0.0), spin=0.0, angle=0.0, **material):
    fixture = FixtureSpec(shape, **material)
    return world.create_body(BodySpec((fixture,), kind, position, angle, linear_velocity=velocity, angular_velocity=spin))


def ground(world, **material):
    return add(world, Polygon.box(400.0, 0.5), (0.0, -0.5), "static", **material)


def speed(world, bodies):
    return max(math.hypot(*world.state(body).linear_velocity) for body in bodies)


def energy(world, bodies):
    """Return the kinetic and potential energy, J."""
    total = 0.0
    for body in bodies:
        state, record = world.state(body), world.body(body)
        total += 0.5 * record.mass * math.hypot(*state.linear_velocity) ** 2 + 0.5 * record.inertia * state.angular_velocity**2
        total += 10.0 * record.mass * state.xf.apply(record.local_center)[1]
    return total


# A change of the step rate


def hanging_chain(hertz):
    """Return a world with a chain of ten links at rest, the links and the joints."""
    world = world_of(hertz=hertz)
    last, links, joints = world.create_body(BodySpec((), "static")), [], []
    for k in range(10):
        links.append(add(world, Polygon.box(0.1, 0.5), (0.0, -0.5 - k)))
        joints.append(world.create_joint(RevoluteJointSpec(last, links[-1], (0.0, -float(k)))))
        last = links[-1]
    for _ in range(2 * hertz):
        world.step()
    return world, links, joints


@pytest.mark.parametrize("rates", [(30, 144), (60, 240), (144,) * 143 + (10,)], ids=["30, 144", "60, 240", "144 and 10 once a second"])
def test_a_hanging_chain_keeps_still_while_the_step_rate_changes(rates):
    world, links, joints = hanging_chain(rates[0])
    fastest = widest = 0.0
    for hertz in itertools.islice(itertools.cycle(rates), 300):
        world.set_settings(hertz=hertz)
        world.step()
        fastest = max(fastest, speed(world, links))
        widest = max(widest, *(math.dist(*world.joint_anchors(joint)) for joint in joints))
    assert fastest < 0.1 and widest < 1e-3


def test_a_stack_survives_a_slow_step_each_second():
    world = world_of()
    ground(world, friction=0.6)
    boxes = [add(world, Polygon.box(0.5, 0.5), (0.0, 0.5 + k), friction=0.6) for k in range(5)]
    for _ in range(120):
        world.step()
    start = [world.state(box).position for box in boxes]
    for k in range(300):
        world.set_settings(hertz=5 if k % 60 == 59 else 60)
        world.step()
        assert max(math.dist(world.state(box).position, was) for box, was in zip(boxes, start, strict=True)) < 0.01


@pytest.mark.parametrize("solver", solvers())
def test_time_is_the_sum_of_the_steps(solver):
    world = world_of(solver)
    add(world, Circle(0.1))
    for hertz, n in ((60.0, 30), (120.0, 60), (10.0, 5)):
        world.set_settings(hertz=hertz)
        for _ in range(n):
            world.step()
    assert world.time == pytest.approx(1.5)
    kept = world.snapshot()
    world.step()
    world.restore(kept)
    assert world.time == World.from_snapshot(kept).time == pytest.approx(1.5)


# Faces that meet


@pytest.mark.parametrize("phase", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("velocity", [1.0, 2.0, 10.0])
def test_a_face_that_meets_a_wall_stays_there(velocity, phase):
    world = world_of(gravity=(0.0, 0.0))
    add(world, Polygon.box(1.0, 5.0), kind="static")
    box = add(world, Polygon.box(0.5, 0.5), (2.5 + phase * velocity / 60.0, 0.0), velocity=(-velocity, 0.0))
    for _ in range(90):
        world.step()
    assert world.state(box).linear_velocity[0] == pytest.approx(0.0, abs=0.01)


def test_two_boxes_go_on_together():
    world = world_of(gravity=(0.0, 0.0))
    light = add(world, Polygon.box(0.5, 0.5), velocity=(2.0, 0.0))
    heavy = add(world, Polygon.box(0.5, 0.5), (1.31, 0.0), density=10.0)
    for _ in range(60):
        world.step()
    for body in (light, heavy):
        assert world.state(body).linear_velocity[0] == pytest.approx(2.0 / 11.0, abs=1e-3)


# Heaps


@pytest.mark.parametrize("n", [10, pytest.param(40, marks=pytest.mark.slow)])
def test_discs_made_in_one_place_part_and_do_not_fly(n):
    world = world_of()
    ground(world)
    discs = [add(world, Circle(0.3), (0.0, 1.0 + 1e-3 * k)) for k in range(n)]
    for _ in range(300):
        world.step()
        assert max(world.state(disc).position[1] for disc in discs) < 8.0
        assert speed(world, discs) < 6.0


# Joints


@pytest.mark.parametrize(("lever", "height"), [(5.0, 20.0), (2.0, 50.0)])
def test_a_weld_with_a_long_lever_gains_no_energy_where_it_lands(lever, height):
    world, material = world_of(), {"friction": 0.6}
    ground(world, **material)
    ends = [(0.0, height), (lever * math.cos(-0.4), height + lever * math.sin(-0.4))]
    bodies = [add(world, Polygon.box(0.1, 0.1), at, velocity=(10.0, 0.0), **material) for at in ends]
    weld = world.create_joint(WeldJointSpec(*bodies, ends[0]))
    start = energy(world, bodies)
    for _ in range(240):
        world.step()
        assert energy(world, bodies) < 1.001 * start
        assert math.dist(*world.joint_anchors(weld)) < 0.05


def fallen_pair(seed):
    """Return the largest energy of a pair of bodies that hangs together and falls, as a share of that at the start."""
    random_of = random.Random(seed)
    half, lever, height = random_of.uniform(0.05, 0.3), random_of.uniform(0.3, 6.0), random_of.uniform(3.0, 30.0)
    tilt, spin, material = random_of.uniform(-3.0, 3.0), random_of.uniform(-3.0, 3.0), {"friction": random_of.choice((0.0, 0.3, 0.6, 1.0))}
    vx, vy = random_of.uniform(-15.0, 15.0), random_of.uniform(-5.0, 5.0)
    world = world_of()
    ground(world, **material)
    x, y = lever * math.cos(tilt), lever * math.sin(tilt)
    places, bodies = [(0.0, height + lever), (x, height + lever + y)], []
    for at, velocity in zip(places, ((vx, vy), (vx - spin * y, vy + spin * x)), strict=True):
        shape = random_of.choice((Polygon.box(half, half), Circle(half)))
        density, angle = random_of.choice((1.0, 5.0, 20.0)), random_of.uniform(-3.0, 3.0)
        bodies.append(add(world, shape, at, velocity=velocity, spin=spin, angle=angle, density=density, **material))
    world.create_joint(random_of.choice((WeldJointSpec, RevoluteJointSpec))(*bodies, random_of.choice(places)))
    start = most = energy(world, bodies)
    for _ in range(200):
        world.step()
        most = max(most, energy(world, bodies))
    return most / start


_GAINS = pytest.mark.xfail(reason="a hinge at 69 half-widths gains half of its energy")


@pytest.mark.parametrize(
    "seed",
    [
        *range(12),
        *(pytest.param(seed, marks=[pytest.mark.slow, *([_GAINS] if seed == 198 else [])]) for seed in range(12, 200)),
    ],
)
def test_a_pair_that_hangs_together_gains_no_energy(seed):
    assert fallen_pair(seed) < 1.001


@pytest.mark.parametrize(("case", "limit", "seconds"), [("17-weld-and-overlap", 0.5, 4.0), ("18-bin-with-a-turning-cross", 40.0, 20.0)])
def test_scenes_that_were_thrown_apart_stay_calm(case, limit, seconds):
    world = build(load_scene(Path(__file__).parent / case / "scene.json"), SOLVER)
    for _ in range(round(seconds * world.settings.hertz)):
        world.step()
        assert speed(world, world.body_ids) < limit
