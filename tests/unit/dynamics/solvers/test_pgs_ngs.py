"""PGS with NGS is Box2D's algorithm: from its state, over its contacts, in its order, it takes its step, velocities and poses."""

from __future__ import annotations

import math

import pytest

from engine.compare.motion import judge_step
from engine.geometry import Circle, Polygon, Segment
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
    WorldSettings,
)

BOX = Polygon.box(0.5, 0.5)


def add(world: World, shape: Circle | Polygon, at: tuple[float, float], angle: float = 0.0, **more: float) -> int:
    return world.create_body(BodySpec((FixtureSpec(shape, **more),), position=at, angle=angle))


def floored(solver: str = "box2d") -> World:
    world = World(WorldSettings(sleeping=False), solver=solver)
    world.create_body(BodySpec((FixtureSpec(Segment((-20.0, 0.0), (20.0, 0.0)), friction=0.6),), "static"))
    return world


def takes_its_step(world: World, steps: int, every: int) -> None:
    """Hold every so many steps of a world to Box2D's: whatever is apart at first goes, down to rounding."""
    seen = 0
    for step in range(steps):
        if step % every == 0:
            verdict = judge_step(world, solver="pgs_ngs")
            seen += len(verdict.bodies)
            assert verdict.unexplained == 0, [one.told for one in verdict.bodies if one.cause == "unexplained"]
            assert all(one.allowed < 2e-3 for one in verdict.bodies)
        world.step()
    assert seen > 0, "something differed at first"


@pytest.mark.parametrize("solver", ["box2d", "pgs_ngs"])
def test_a_falling_heap(solver: str) -> None:
    heap = floored(solver)
    for k in range(4):
        for j in range(3):
            add(heap, BOX if (k + j) % 2 else Circle(0.5), (1.1 * j + 0.2 * k, 0.7 + 1.1 * k), 0.3 * k, restitution=0.4)
    takes_its_step(heap, 60, 12)


@pytest.mark.parametrize("solver", ["box2d", "pgs_ngs"])
def test_every_joint_that_corrects_positions(solver: str) -> None:
    hung = floored(solver)
    bodies = [add(hung, Polygon.box(0.5, 0.2), (1.2 * k, 6.0)) for k in range(8)]
    hung.create_joint(RevoluteJointSpec(0, bodies[0], (0.0, 6.0)))
    limits = {"enable_limit": True, "lower_angle": -0.1, "upper_angle": 0.1}
    hung.create_joint(RevoluteJointSpec(bodies[0], bodies[1], (0.6, 6.0), **limits))  # type: ignore[arg-type]
    hung.create_joint(WeldJointSpec(bodies[1], bodies[2], (1.8, 6.0)))
    slide = {"enable_limit": True, "lower_translation": -0.1, "upper_translation": 0.1}
    hung.create_joint(PrismaticJointSpec(bodies[2], bodies[3], (3.0, 6.0), (1.0, 0.2), **slide))  # type: ignore[arg-type]
    hung.create_joint(DistanceJointSpec(bodies[3], bodies[4], (4.0, 6.0), (4.6, 6.0)))
    hung.create_joint(WheelJointSpec(bodies[4], bodies[5], (5.4, 6.0), (0.0, 1.0), frequency=4.0))
    hung.create_joint(WeldJointSpec(bodies[5], bodies[6], (6.6, 6.0), frequency=3.0, damping_ratio=0.3))
    hung.create_joint(RopeJointSpec(bodies[6], bodies[7], (7.2, 6.0), (8.4, 6.0), max_length=1.3))
    takes_its_step(hung, 48, 12)


def test_a_tower_rests_within_the_slop_and_gains_nothing() -> None:
    tower = floored("pgs_ngs")
    boxes = [add(tower, BOX, (0.0, 0.5 + k)) for k in range(5)]
    for _ in range(180):
        tower.step()
    heights = [tower.state(one).position[1] - 0.5 - k for k, one in enumerate(boxes)]
    assert all(-0.02 < height < 0.0 for height in heights)
    assert all(math.hypot(*tower.state(one).linear_velocity) < 1e-3 for one in boxes)


def test_an_overlap_goes_without_leaving_a_velocity() -> None:
    deep = World(WorldSettings(gravity=(0.0, 0.0), sleeping=False), solver="pgs_ngs")
    one, other = (add(deep, Circle(0.5), (x, 0.0)) for x in (0.0, 0.8))
    for _ in range(30):
        deep.step()
    (ax, _), (bx, _) = deep.state(one).position, deep.state(other).position
    assert bx - ax == pytest.approx(0.995, abs=1e-3)
    assert deep.state(one).linear_velocity == deep.state(other).linear_velocity == (0.0, 0.0)
