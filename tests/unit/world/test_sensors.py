"""Sensors report by one rule in every solver: at once over a sleeping body, and anew when a fixture becomes a sensor or solid."""

import pytest

from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

SOLVERS = ("box2d", "soft_step")
FLOOR, BOX = FixtureSpec(Polygon.box(5.0, 0.5)), FixtureSpec(Polygon.box(0.5, 0.5))
GATE = FixtureSpec(Polygon.box(0.3, 0.3), sensor=True)
BESIDE = (0.6, 0.5)


def asleep(solver):
    """Return a world with a box that sleeps on the floor, and the box."""
    world = World(WorldSettings(), solver)
    world.create_body(BodySpec((FLOOR,), "static", (0.0, -0.5)))
    sleeper = world.create_body(BodySpec((BOX,), position=(0.0, 0.51)))
    while world.state(sleeper).awake:
        world.step()
    return world, sleeper


def moved_over(world, sleeper):
    gate = world.create_body(BodySpec((GATE,), "static", (30.0, 0.0)))
    world.step()
    assert not world.state(sleeper).awake
    world.set_pose(gate, BESIDE, 0.0)


def under_a_new_wall(world, sleeper):
    world.create_fixture(sleeper, FixtureSpec(Circle(2.0), sensor=True))
    while world.step() is not None and world.state(sleeper).awake:
        pass
    world.create_body(BodySpec((BOX,), "static", (0.0, 2.2)))


OVER = {
    "a static body": lambda world, sleeper: world.create_body(BodySpec((GATE,), "static", BESIDE)),
    "a kinematic body": lambda world, sleeper: world.create_body(BodySpec((GATE,), "kinematic", BESIDE)),
    "a fixture of the floor": lambda world, sleeper: world.create_fixture(0, FixtureSpec(Polygon.box(1.0, 2.0), sensor=True)),
    "a fixture of the sleeper": lambda world, sleeper: world.create_fixture(sleeper, FixtureSpec(Circle(2.0), sensor=True)),
    "a body moved there": moved_over,
    "a wall over the sleeper's sensor": under_a_new_wall,
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("way", OVER)
def test_a_sensor_over_a_sleeping_body_is_reported_at_once(solver, way):
    world, sleeper = asleep(solver)
    OVER[way](world, sleeper)
    events = [event for _ in range(3) for event in world.step().began]
    assert [(event.sensor, sleeper in (event.body_a, event.body_b)) for event in events] == [(True, True)]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_touching_fixture_that_becomes_a_sensor_or_solid_ends_and_begins(solver):
    world = World(WorldSettings(gravity=(0.0, 0.0)), solver)
    floor = world.create_body(BodySpec((FLOOR,), "static", (0.0, -0.5)))
    box = world.create_body(BodySpec((BOX,), position=(0.0, 0.499), linear_velocity=(0.25, 0.0), angular_velocity=0.0))
    fixture = world.body(floor).fixtures[0]

    def events():
        contacts = world.step()
        return [event.sensor for event in contacts.began], [event.sensor for event in contacts.ended]

    assert [events(), events()] == [([False], []), ([], [])]
    for sensor in (True, False):
        world.set_fixture(fixture, sensor=sensor)
        assert [events(), events()] == [([sensor], [not sensor]), ([], [])]
    world.set_fixture(fixture, sensor=True)
    world.set_pose(box, (0.0, 3.0), 0.0)
    assert [events(), events()] == [([], [False]), ([], [])], "it left at once"


def test_a_body_whose_fixture_becomes_a_sensor_keeps_motion_and_mass_in_box2d():
    """Box2D reports nothing of a changed sensor, so the fixture is created anew: meanwhile, the body has another center of mass."""
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    parts = (FixtureSpec(Polygon.box(0.5, 0.5)), FixtureSpec(Circle(0.3, (2.0, 0.0)), density=5.0))
    body = world.create_body(BodySpec(parts, linear_velocity=(1.5, -0.25), angular_velocity=2.0))
    before, record = world.state(body), world.body(body)
    world.set_fixture(world.body(body).fixtures[1], sensor=True)
    after = world.state(body)
    for name in ("position", "angle", "linear_velocity", "angular_velocity"):
        assert getattr(after, name) == pytest.approx(getattr(before, name), rel=1e-6), name
    assert world.body(body).mass == record.mass and world.body(body).inertia == pytest.approx(record.inertia, rel=1e-6)
