"""The soft step (`engine.dynamics.methods._soft_step_kernel`)."""

import math

import numpy as np
import pytest

from engine.dynamics.methods.protocol import StepBegin
from engine.dynamics.solver_events import FrictionRow, NormalRow, PairRow
from engine.dynamics.traced import traced_step
from engine.experiments.scenes import body, ground
from engine.geometry import Circle, Polygon, Segment
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    WeldJointSpec,
    World,
    WorldSettings,
)


def _mixed(**settings):
    """Return a world with a chain, a slider, a weld and rods, above boxes that a ball hits."""
    world = World(WorldSettings(sleeping=False, **settings), solver="soft_step")
    floor = ground(world)
    previous = floor
    for k in range(6):
        link = body(world, Polygon.box(0.25, 0.05), (0.25 + 0.5 * k, 4.0))
        world.create_joint(RevoluteJointSpec(previous, link, (0.5 * k, 4.0)))
        previous = link
    ball = body(world, Circle(0.5), (3.5, 4.0), density=20.0)
    world.create_joint(WeldJointSpec(previous, ball, (3.0, 4.0)))
    boxes = [body(world, Polygon.box(0.25, 0.25), (2.0 + 0.3 * (k % 2), 0.25 + 0.5 * k), density=1.0 + 5.0 * (k % 3)) for k in range(5)]
    slide = body(world, Polygon.box(0.2, 0.2), (-2.0, 2.0))
    world.create_joint(PrismaticJointSpec(floor, slide, (-2.0, 2.0), (1.0, 1.0)))
    world.create_joint(DistanceJointSpec(slide, boxes[0], (-2.0, 2.0), (2.0, 0.25)))
    return world


def _bits(world, n):
    states = []
    for _ in range(n):
        world.step()
        states.append(world.snapshot().motion.values.tobytes())
    return states


def test_steps_are_reproducible_bit_for_bit_and_from_a_snapshot():
    world = _mixed()
    first = _bits(world, 40)
    kept = world.snapshot()
    then = _bits(world, 40)
    world.restore(kept)
    assert _bits(world, 40) == then and _bits(World.from_snapshot(kept), 40) == then
    assert _bits(_mixed(), 80) == first + then


def test_two_floors_a_few_rounding_errors_apart_act_as_one_line():
    """Slip along one line is integrated by the trapezoidal rule; a rounding difference between two normals made it semi-implicit Euler
    (issue 29).
    """
    where = []
    for lean in (0.3, 0.3 + 1e-12):
        world = World(WorldSettings(sleeping=False), solver="soft_step")
        for angle in (0.3, lean):
            world.create_body(BodySpec((FixtureSpec(Segment((-50.0, 0.0), (50.0, 0.0))),), "static", angle=-angle))
        x, y = math.sin(0.3), math.cos(0.3)
        box = BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.5 * x, 0.5 * y), angle=-0.3, linear_velocity=(3.0 * y, -3.0 * x))
        slides = world.create_body(box)
        for _ in range(30):
            world.step()
        where.append(world.state(slides).position)
    assert where[0] == pytest.approx(where[1], abs=1e-9)


def test_a_traced_step_has_the_same_bits():
    world = _mixed()
    for _ in range(20):
        world.step()
    motion, events = traced_step(world.snapshot())
    world.step()
    after = world.snapshot().state
    assert motion.values.tobytes() == after.motion.values.tobytes()
    assert isinstance(events[0], StepBegin) and np.array_equal(events[0].problem.rows.floats, after.memory.rows.floats)
    assert sum(isinstance(event, NormalRow | PairRow | FrictionRow) for event in events) > 200
