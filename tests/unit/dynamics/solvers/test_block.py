"""The block solver: both points of a contact exactly, and joints of trees exactly, whatever the masses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

LINK = Polygon.box(0.5, 0.1)


def chain(n: int, ratio: float, sub_steps: int = 8, is_bridge: bool = False) -> tuple[World, list[int]]:
    """Return a chain of `n` links from a wall, level at first, with a disc of `ratio` times a link's mass at its end; or held there too."""
    world = World(WorldSettings(sleeping=False, solver_settings={"sub_steps": sub_steps}), solver="block")
    wall = world.create_body(BodySpec((FixtureSpec(Segment((-50.0, -40.0), (50.0, -40.0))),), "static"))
    links = [world.create_body(BodySpec((FixtureSpec(LINK, density=5.0),), position=(0.5 + k, 0.0))) for k in range(n)]
    ends = [wall, *links]
    joints = [world.create_joint(RevoluteJointSpec(a, b, (float(k), 0.0))) for k, (a, b) in enumerate(zip(ends, links, strict=False))]
    if is_bridge:
        joints.append(world.create_joint(RevoluteJointSpec(links[-1], wall, (float(n), 0.0))))
    else:
        heavy = FixtureSpec(Circle(0.5), density=ratio / (math.pi * 0.25))
        ball = world.create_body(BodySpec((heavy,), position=(n + 0.5, 0.0)))
        joints.append(world.create_joint(RevoluteJointSpec(links[-1], ball, (float(n), 0.0))))
    return world, joints


def apart(world: World, joints: list[int]) -> float:
    """Return the largest distance of two anchors of a joint, m."""
    return max(math.dist(*world.joint_anchors(joint)) for joint in joints)


@pytest.mark.parametrize("ratio, sub_steps", [(100.0, 8), (1_000.0, 8), (10_000.0, 16)])
def test_a_chain_holds_whatever_hangs_on_it(ratio: float, sub_steps: int) -> None:
    world, joints = chain(10, ratio, sub_steps)
    worst = 0.0
    for _ in range(120):
        world.step()
        worst = max(worst, apart(world, joints))
    assert worst < 1e-4


def test_a_bridge_between_two_walls_is_a_tree_too() -> None:
    world, joints = chain(12, 1.0, is_bridge=True)
    for _ in range(120):
        world.step()
    assert apart(world, joints) < 1e-3
    assert np.isfinite(world.poses).all()


def test_a_pendulum_keeps_its_energy() -> None:
    world = World(WorldSettings(sleeping=False), solver="block")
    world.create_body(BodySpec((FixtureSpec(Segment((-5.0, 0.0), (5.0, 0.0))),), "static"))
    rod = world.create_body(BodySpec((FixtureSpec(LINK),), position=(0.5, 9.0)))
    world.create_joint(RevoluteJointSpec(0, rod, (0.0, 9.0)))
    highest = [world.state(rod).position[1]]
    for _ in range(300):
        world.step()
        highest.append(world.state(rod).position[1])
    assert max(highest[-90:]) == pytest.approx(9.0, abs=1e-3)


def test_a_box_on_two_points_carries_its_weight_at_both() -> None:
    world = World(WorldSettings(sleeping=False), solver="block")
    world.create_body(BodySpec((FixtureSpec(Segment((-5.0, 0.0), (5.0, 0.0))),), "static"))
    plank = world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.1)),), position=(0.0, 0.1)))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.1, 0.1)),), position=(0.5, 0.3)))
    contacts = [world.step() for _ in range(90)][-1]
    at = contacts.body_b.tolist().index(plank)
    weights = 60.0 * contacts.normal_impulse[at]
    order = np.argsort(contacts.position[at, :, 0])
    assert weights[order].tolist() == pytest.approx([2.0 + 0.1, 2.0 + 0.3], rel=2e-3)
