"""A step's objects are freed when the step ends, without the collector of reference cycles (issues 29 and 34: 865 MB at 10,000 boxes)."""

import gc
import weakref

import pytest

from engine.dynamics import solver as rigid_bodies
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec, World, WorldSettings, methods
from engine.world.hooks import StepHooks


def _busy(solver):
    """Return a world whose steps call hooks, trigger sensors, stop a bullet, put bodies to sleep and wake them."""
    world = World(WorldSettings(), solver=solver)
    world.create_body(BodySpec((FixtureSpec(Segment((-9.0, 0.0), (9.0, 0.0))),), "static"))
    boxes = [world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.02 * k, 0.5 + 1.01 * k))) for k in range(3)]
    world.create_joint(DistanceJointSpec(boxes[0], boxes[1], anchor_a=(0.0, 0.5), anchor_b=(0.02, 1.51)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.5), sensor=True),), "static", (0.0, 1.0)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.1)),), position=(3.0, 9.0), linear_velocity=(0.0, -600.0), bullet=True))
    world.hooks = StepHooks(
        begin=lambda event: None,
        end=lambda event: None,
        pre_solve=lambda event: event.fixture_a != 3,
        post_solve=lambda event, normal, tangent: None,
    )
    return world


@pytest.mark.parametrize("solver", ("box2d", *methods()))
def test_a_step_leaves_no_cyclic_garbage(solver):
    world = _busy(solver)
    world.step()
    gc.disable()
    gc.collect(1)  # now all that there is belongs to the oldest generation, which takes long to look through in a process of many tests
    try:
        for _ in range(4):
            contacts = world.step()
            assert len(contacts.began) + len(contacts) >= 0 and contacts.normal_impulse.shape == contacts.tangent_impulse.shape
            world.set_pose(1, (0.0, 0.6), 0.0)
        world.restore(world.snapshot())
        world.step()
        del contacts
        assert gc.collect(1) == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("solver", methods())
def test_step_objects_are_freed_after_their_step(monkeypatch, solver):
    class Step(rigid_bodies.Step):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            alive.append(weakref.ref(self))

        def solve(self):
            lost = super().solve()
            alive.append(weakref.ref(self.problem))
            return lost

    alive = []
    monkeypatch.setattr(rigid_bodies, "Step", Step)
    world = _busy(solver)
    gc.disable()
    try:
        for _ in range(4):
            contacts = world.step()
        assert len(contacts) >= 0
        assert len(alive) == 8
        assert [reference() for reference in alive] == 8 * [None]
    finally:
        gc.enable()
