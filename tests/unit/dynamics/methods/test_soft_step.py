"""The soft step with islands solved directly (`engine.dynamics._direct_kernel`)."""

import math
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from engine.common._record_kernel import TRACE_WIDTH
from engine.dynamics._solver_trace_kernel import NORMAL, TANGENT
from engine.dynamics.tolerances import MAX_COLUMN_LOAD, MAX_YIELD
from engine.dynamics.traced import traced_step
from engine.experiments.references import REFERENCES, Lab
from engine.experiments.scenes import body, boxes_in_a_pyramid, cards, ground
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

ALL = {"solver_settings": {"direct": "all"}}

BY_DIRECT = {
    # half of what these scenes demand, and less: joint errors and overlaps of eight sub-steps
    ("arch_with_slabs", "sag of the keystone"): 0.02,
    ("mass_ratio_boxes", "overlap"): 8.0,
    ("mass_ratio_wedges", "overlap"): 8.0,
    ("mass_ratio_pyramids", "overlap"): 7.0,
    ("bridge", "joint error after 20 s"): 8.0,
    ("ball_and_chain", "joint error, maximum"): 0.036,
    ("ball_and_chain", "joint error after 20 s"): 0.02,
    ("far_chain", "joint error after 10 s"): 1.2,
    ("pyramid", "comes to rest after"): 0.2,
    ("pyramid", "overlap"): 0.5,
}
"""Bounds of the direct solution that are stricter than those of the passes."""


_QUICK = ("warm_start", "mass_ratio_boxes", "mass_ratio_wedges", "arch_with_slabs", "far_chain")
_SLOW = [name for name, reference in REFERENCES.items() if reference.chapter == "quality" and name not in _QUICK]


@pytest.mark.parametrize("name", [*_QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in _SLOW)])
def test_one_setting_stands_in_every_hard_scene(name):
    for row in REFERENCES[name].measure(Lab("soft_step", 8, ALL)):
        assert row.error <= min(row.demand, BY_DIRECT.get((name, row.what), row.demand)), row


def _mixed(**settings):
    """Return a world with a chain, a slider, a weld and rods, above boxes that a ball hits."""
    world = World(WorldSettings(sleeping=False, **(ALL | settings)), solver="soft_step")
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
    assert _bits(_mixed(), 80) == first + then != _bits(_mixed(solver_settings={"direct": "joints"}), 80)


_TWICE = """
import numpy as np
from engine.dynamics.methods import _soft_step_kernel
from tests.unit.dynamics.methods.test_soft_step import _mixed
plain, n = _soft_step_kernel.solve_at_once, 0
def checked(bodies, lanes, joints, system, *rest):
    global n
    plain(bodies, lanes, joints, system, *rest)
    before, known = lanes.copy(), joints.impulse.copy()
    plain(bodies, lanes, joints, system, *rest)
    if not rest[2]:
        off = max(abs(lanes - before).max(), abs(joints.impulse - known).max())
        n += len(system.kind) > 15 and off < 1e-9 * max(1.0, abs(known).max())
_soft_step_kernel.solve_at_once = checked
world = _mixed(solver_settings={"direct": "joints"})
for _ in range(45):
    world.step()
print(n)
"""


@pytest.mark.slow
def test_joints_solved_directly_have_no_error():
    # in plain Python: solved once more nothing changes, in each of 8 x 45 sub-steps; friction, which has no spring, comes nearer each time
    run = subprocess.run(
        [sys.executable, "-c", _TWICE], capture_output=True, text=True, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True
    )
    assert int(run.stdout) == 360


def _under_load(ratio, **settings):
    """Return the height after three seconds of a box with a multiple of the mass of the two boxes below."""
    world = World(WorldSettings(sleeping=False, solver_settings=settings), solver="soft_step")
    ground(world)
    for k in range(2):
        body(world, Polygon.box(0.5, 0.5), (0.0, 0.5 + k))
    heavy = body(world, Polygon.box(0.5, 0.5), (0.0, 2.5), density=ratio)
    for _ in range(180):
        world.step()
    return world.state(heavy).position[1]


def test_light_boxes_carry_a_heavy_one_by_default():
    """The softest of the three contacts yields by `MAX_YIELD`, the others by less."""
    for ratio in (1e3, 1e4):
        assert MAX_YIELD < 2.5 - _under_load(ratio) < 3.0 * MAX_YIELD
    assert _under_load(1e4, direct="none") < 2.0


def _tower(n_boxes, half, n_steps, **settings):
    """Return a world with a tower of boxes, and the boxes."""
    world = World(WorldSettings(sleeping=False, velocity_iterations=n_steps, solver_settings=settings), solver="soft_step")
    ground(world, friction=0.6)
    return world, [body(world, Polygon.box(half, half), (0.0, half * (1 + 2 * k)), friction=0.6) for k in range(n_boxes)]


@pytest.mark.parametrize(("n_boxes", "half", "n_steps"), [(12, 0.01, 8), pytest.param(40, 0.5, 4, marks=pytest.mark.slow)])
def test_columns_do_not_buckle_by_default(n_boxes, half, n_steps):
    def stands(**settings):
        world, boxes = _tower(n_boxes, half, n_steps, **settings)
        for _ in range(1200):
            world.step()
        return world.state(boxes[-1]).position[1] > half * (2 * n_boxes - 2)

    assert stands() and not stands(direct="none")


@pytest.mark.parametrize(("n_steps", "n_boxes"), [(4, 9), (6, 12)])
def test_columns_are_solved_directly_above_half_of_eulers_load(n_steps, n_boxes):
    """The tilt stiffness of unit boxes is 3,553 N m with 4 sub-steps, grows with their square, and is 8 times as large on the floor."""

    def share(n):
        k = 222.0 * n_steps**2
        return (n - 0.5) * (10.0 * n * (n - 1) / 2.0 / k + 10.0 * n / (8.0 * k)) / MAX_COLUMN_LOAD

    def is_direct(n):
        world, _ = _tower(n, 0.5, n_steps)
        for _ in range(120):
            world.step()
        other = World.from_snapshot(world.snapshot())
        other.set_settings(solver_settings={"direct": "none"})
        return _bits(world, 1) != _bits(other, 1)

    assert share(n_boxes) < 1.0 < share(n_boxes + 2) and not is_direct(n_boxes) and is_direct(n_boxes + 2)


def _low(world):
    ground(world)
    for k in range(8):
        body(world, Polygon.box(0.5, 0.5), (0.02 * (k % 2), 0.5 + k))
    world.create_joint(RevoluteJointSpec(world.body_ids[0], body(world, Circle(0.3), (5.0, 4.0)), (4.0, 4.0)))


@pytest.mark.parametrize("build", [_low, cards, partial(boxes_in_a_pyramid, n=10)])
def test_where_contacts_are_stiff_enough_nothing_is_solved_directly_by_default(build):
    def bits(**settings):
        world = World(WorldSettings(sleeping=False, solver_settings=settings), solver="soft_step")
        build(world)
        return _bits(world, 60)

    assert bits() == bits(direct="none") != bits(direct="all")


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


@pytest.mark.parametrize("direct", ["none", "all"])
def test_the_plain_loop_of_a_traced_step_and_the_lanes_give_the_same_bits(direct):
    """Issue 34: the formulas of a contact are written once, for scalars and for lanes."""
    world = _mixed(solver_settings={"direct": direct})
    for _ in range(20):
        world.step()
    trace = np.zeros((20_000, TRACE_WIDTH))
    motion, problem = traced_step(world.snapshot(), trace)
    world.step()
    after = world.snapshot().state
    assert motion.values.tobytes() == after.motion.values.tobytes()
    assert np.array_equal(problem.rows.floats, after.memory.rows.floats)  # lanes give a point that a contact does not have -0.0
    assert np.isin(trace[:, 0], (NORMAL, TANGENT)).sum() > 200
