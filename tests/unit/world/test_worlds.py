"""Many copies of a world stepped together: each matches a single world bit for bit."""

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import (
    BodySpec,
    FixtureSpec,
    GearJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    World,
    Worlds,
    WorldSettings,
)

FLOOR = BodySpec((FixtureSpec(Segment((-20.0, 0.0), (20.0, 0.0))),), "static")
SHAPES = (Polygon.box(0.5, 0.4), Circle(0.4), Capsule((-0.3, 0.0), (0.3, 0.0), 0.3), Polygon([(-0.5, -0.3), (0.5, -0.3), (0.0, 0.6)]))


def body(x, y, number=0, **spec):
    fixture = {name: spec.pop(name) for name in ("restitution", "friction", "density") if name in spec}
    return BodySpec((FixtureSpec(SHAPES[number % 4], **fixture),), "dynamic", (x, y), **spec)


def pile(world):
    """Return the bodies of a pile that falls asleep, after one was destroyed, so ids and rows differ."""
    world.create_body(FLOOR)
    bodies = [world.create_body(body(0.3 * (k % 3), 0.6 + 1.1 * k, k, angle=0.2 * k)) for k in range(7)]
    for _ in range(40):
        world.step()
    world.destroy_body(bodies.pop(1))
    return bodies


def joined(world):
    """Return bodies that hang from most kinds of joints, also from the ground body, with a motor and limits."""
    bodies = [world.create_body(body(2.0 * k, 4.0, k)) for k in range(6)]
    base = world.create_body(FLOOR)
    turned = world.create_joint(RevoluteJointSpec(base, bodies[0], (0.0, 4.5), enable_motor=True, motor_speed=3.0, max_motor_torque=9.0))
    slid = world.create_joint(PrismaticJointSpec(base, bodies[1], (2.0, 4.0), (0.6, 0.8), True, -1.0, 1.0))
    world.create_joint(GearJointSpec(turned, slid, 0.5))
    world.create_joint(RopeJointSpec(bodies[1], bodies[2], (2.0, 4.0), (4.0, 4.0), 2.5))
    world.create_joint(PulleyJointSpec(bodies[3], bodies[4], (6.0, 8.0), (8.0, 8.0), (6.0, 4.0), (8.0, 4.0), 1.5))
    return bodies


def fast(world):
    """Return bullets between thin walls, one of them moving, with a sensor and elastic impacts."""
    for x in (-4.0, 4.0):
        world.create_body(BodySpec((FixtureSpec(Segment((x, -9.0), (x, 9.0)), restitution=0.9),), "static"))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.05, 3.0)),), "kinematic", (-3.0, 0.0), 0.0, (45.0, 0.0), 20.0))
    world.create_body(BodySpec((FixtureSpec(Circle(1.0), sensor=True),), "static", (1.0, 0.0)))
    return [world.create_body(body(1.2 * k - 1.0, 0.1 * k, k, restitution=0.8, gravity_scale=0.0)) for k in range(4)]


def loaded(world):
    """Return a chain, and a box on a light one that is pushed off in some worlds, so directly solved islands appear and disappear."""
    base = world.create_body(FLOOR)
    links = [world.create_body(body(6.0 + k, 4.0, 1)) for k in range(3)]
    for k, (previous, link) in enumerate(zip((base, *links), links, strict=False)):
        world.create_joint(RevoluteJointSpec(previous, link, (5.5 + k, 4.0)))
    return [world.create_body(body(0.0, 1.2, 0, density=900.0)), world.create_body(body(0.0, 0.4)), *links]


def slender(world):
    """Return the upper bodies of a tower that is solved directly while it stands, and that topples in some worlds."""
    world.create_body(FLOOR)
    return [world.create_body(body(0.0, 0.4 + 0.8 * k, 0)) for k in range(16)][-4:]


def same_bits(worlds, alone):
    for number, world in enumerate(alone):
        expected = np.column_stack((world.poses, world.velocities))
        assert worlds.states[number].tobytes() == expected.tobytes(), (number, worlds)
    assert worlds.awake.tolist() == [world.awake.tolist() for world in alone]


@pytest.mark.parametrize(("build", "n_steps"), [(pile, 110), (joined, 60), (fast, 30), (loaded, 60), (slender, 60)])
def test_each_world_matches_its_single_run_bit_for_bit(build, n_steps):
    world = World(WorldSettings(velocity_iterations=4), "soft_step")
    bodies = build(world)
    worlds, alone = Worlds(world, 3), [world.clone() for _ in range(3)]
    rng = np.random.default_rng(0)
    velocities, forces = rng.uniform(-9.0, 9.0, (3, 2, 3)), rng.uniform(-40.0, 40.0, (2, 4, 3))
    velocities[0] = 0.0  # which wakes nobody
    worlds.set_velocities(bodies[:2], velocities)
    for other, of_world in zip(alone, velocities.tolist(), strict=True):
        for id, (vx, vy, spin) in zip(bodies[:2], of_world, strict=True):
            other.set_velocity(id, (vx, vy), spin)
    for step in range(n_steps):
        if step % 50 == 2:  # after 50 steps some of the bodies sleep
            worlds.apply_forces(bodies[:4], forces, [2, 0])
            for number, of_world in zip((2, 0), forces.tolist(), strict=True):
                for id, (fx, fy, torque) in zip(bodies[:4], of_world, strict=True):
                    alone[number].apply_force(id, (fx, fy))
                    alone[number].apply_torque(id, torque)
        worlds.step()
        for other in alone:
            other.step()
        same_bits(worlds, alone)
        if step == n_steps // 2:
            worlds.reset([1])
            alone[1] = world.clone()
            same_bits(worlds, alone)
    worlds.reset()
    same_bits(worlds, [world] * 3)
    assert worlds.body_ids == world.body_ids and len(worlds) == 3


def test_a_body_out_of_range_stops_only_its_world_until_a_reset():
    world = World(solver="soft_step")
    world.create_body(FLOOR)
    ball = world.create_body(body(999_990.0, 3.0, 1))
    worlds, alone = Worlds(world, 3), world.clone()
    worlds.set_velocities([ball], [[[2e3, 0.0, 0.0]]], [1])
    for _ in range(4):
        worlds.step()
        alone.step()
    assert worlds.is_lost.tolist() == [False, True, False]
    lost = worlds.states[1].copy()
    worlds.apply_forces([ball], [[[1.0, 0.0, 0.0]]], [1])
    worlds.step(2)
    alone.step()
    alone.step()
    assert (worlds.states[1] == lost).all() and not worlds.awake[1].any()
    assert (worlds.states[[0, 2]] == np.column_stack((alone.poses, alone.velocities))).all()
    worlds.reset(worlds.is_lost)
    assert not worlds.is_lost.any() and (worlds.states[1] == np.column_stack((world.poses, world.velocities))).all()


def test_worlds_may_be_empty_or_have_bodies_without_shapes():
    world = World(solver="soft_step")
    empty = Worlds(world, 2)
    ball = world.create_body(BodySpec())
    bare = Worlds(world, 2)
    bare.set_velocities([ball], np.ones((2, 1, 3)))
    for worlds in (empty, bare):
        worlds.step(2)
        worlds.reset([0])
    assert empty.states.shape == (2, 0, 6) and empty.awake.shape == (2, 0)
    assert bare.states[1, 0, 0] == 2.0 / 60.0 and not bare.states[0].any()


def test_non_finite_numbers_stop_only_their_world():
    world = World(solver="soft_step")
    world.create_body(body(0.0, 3.0))
    copies = world.copies(2)
    copies.push(np.array([1]), np.array([0]), np.full((1, 1, 3), np.inf))
    copies.step()
    world.step()
    assert copies.is_lost.tolist() == [False, True] and np.isfinite(copies.values).all()
    assert (copies.values[0, :, :3] == world.poses).all()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda worlds: worlds.apply_forces([0], np.zeros((2, 1, 3))), "bodies"),
        (lambda worlds: worlds.set_velocities([1, 1], np.zeros((2, 2, 3))), "bodies"),
        (lambda worlds: worlds.apply_forces([1], np.zeros((2, 1, 2))), "forces"),
        (lambda worlds: worlds.apply_forces([1], np.full((2, 1, 3), np.nan)), "forces"),
        (lambda worlds: worlds.set_velocities([1], np.full((2, 1, 3), 2e6)), "velocities"),
        (lambda worlds: worlds.reset([2]), "worlds"),
        (lambda worlds: worlds.reset([0, 0]), "worlds"),
        (lambda worlds: worlds.step(0), "n_steps"),
        (lambda worlds: Worlds(worlds, 2), "world"),
        (lambda worlds: Worlds(World(solver="soft_step"), 0), "n"),
        (lambda worlds: Worlds(World(solver="soft_step"), 2.5), "n"),
        (lambda worlds: Worlds(World(solver="box2d"), 2), "world"),
    ],
)
def test_wrong_input_is_rejected_by_name(call, field):
    world = World(solver="soft_step")
    world.create_body(FLOOR)
    world.create_body(body(0.0, 3.0))
    with pytest.raises(InvalidInputError, match=f"^{field}"):
        call(Worlds(world, 2))
