"""The same commands give the same bits: in a second run, from the log, in another process, and with either reader."""

import subprocess
import sys

import numpy as np

from engine.box2d import memory, solver
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, MouseJointSpec, RevoluteJointSpec, StepHooks, World, WorldSettings
from tests.waiting import PATIENCE

SHAPES = (Polygon.box(0.4, 0.4), Circle(0.4), Polygon.regular(5, 0.45), Polygon.regular(3, 0.5))


def eventful(n_steps=240):
    """A disturbed pile: bodies and joints are added and removed, from outside and in hooks, and settings change during the run."""
    rng = np.random.default_rng(11)
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(12.0, 0.5)),), type="static", position=(0.0, -0.5)))
    alive = [
        world.create_body(BodySpec((FixtureSpec(SHAPES[i % 4]),), position=(float(rng.uniform(-5, 5)), 1.0 + 0.5 * i))) for i in range(40)
    ]

    def begin(event):
        if world.step_index % 20 == 7 and len(alive) > 20:
            world.destroy_body(alive.pop())

    world.hooks = StepHooks(begin=begin)
    for step in range(n_steps):
        if step % 13 == 0:
            body = alive[int(rng.integers(len(alive)))]
            world.apply_impulse(body, (float(rng.uniform(-3, 3)), float(rng.uniform(0, 5))))
        if step % 40 == 5:
            a, b = alive[0], alive[1]
            joint = world.create_joint(RevoluteJointSpec(a, b, world.state(a).position))
        if step % 40 == 25:
            world.destroy_joint(joint)
        if step % 60 == 10:
            x, y = world.state(alive[3]).position
            mouse = world.create_joint(MouseJointSpec(alive[3], (x, y), max_force=500.0))
        if step % 60 == 30:
            world.set_mouse_target(mouse, (2.0, 6.0))
        if step % 60 == 50:
            world.destroy_joint(mouse)
        if step == 100:
            world.set_settings(gravity=(1.0, -10.0), hertz=90.0)
            world.set_body(alive[5], type="kinematic")
            world.set_fixture(world.body(alive[6]).fixtures[0], restitution=0.5)
        world.step()
    return world


def test_two_runs_are_identical():
    assert eventful().state_hash() == eventful().state_hash()


def test_another_process_gives_the_same_hash():
    code = "import runpy, sys; print(runpy.run_path(sys.argv[1])['eventful']().state_hash())"
    run = subprocess.run([sys.executable, "-c", code, __file__], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert run.stdout.strip() == eventful().state_hash()


def test_the_reader_changes_nothing(monkeypatch):
    from engine.box2d.memory import PublicReader

    monkeypatch.setattr(solver, "best_reader", PublicReader)
    slow = eventful(80)
    problem = memory.self_test()
    if problem is None:
        monkeypatch.setattr(solver, "best_reader", memory.MemoryReader)
    fast = eventful(80)
    assert problem is None or "NUMBA_DISABLE_JIT" in problem
    assert fast.state_hash() == slow.state_hash()
    assert fast.contacts.points() == slow.contacts.points()


def test_the_hash_sees_every_part_of_the_state():
    def world_with(**changes):
        world = World(WorldSettings(gravity=(0.0, 0.0)))
        settings = {"position": (1.0, 2.0), "angle": 0.5, "linear_velocity": (1.0, 0.0), "angular_velocity": 2.0}
        world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), **(settings | changes)))
        return world

    seen = {world_with().state_hash()}
    for change in (
        {"position": (1.0, np.nextafter(np.float32(2.0), np.float32(3.0)).item())},
        {"angle": 0.25},
        {"linear_velocity": (1.0, 1e-30)},
        {"angular_velocity": -2.0},
    ):
        seen.add(world_with(**change).state_hash())
    sleeping = world_with(linear_velocity=(0.0, 0.0), angular_velocity=0.0)
    seen.add(sleeping.state_hash())
    sleeping.set_awake(0, False)
    seen.add(sleeping.state_hash())
    assert len(seen) == 7
