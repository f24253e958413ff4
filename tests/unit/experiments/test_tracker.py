"""Tunneling is judged in the target's own frame."""

from engine.experiments.range import Panel, Shot
from engine.experiments.spec import ShotSpec
from engine.experiments.tracker import ShotTracker
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings


def watched(bullet, plate, steps):
    """A bullet and a plate of 0.1 m by 1 m that do not collide, so only the tracker decides."""
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    watch = ShotTracker(Shot(world, ShotSpec(), Panel(0.05, 0.5), world.create_body(plate), world.create_body(bullet)))
    for _ in range(steps):
        watch.observe(world.step())
    return watch


def bullet(x, y, vx):
    return BodySpec((FixtureSpec(Circle(0.05), mask=0),), position=(x, y), linear_velocity=(vx, 0.0))


def plate(vx=0.0, omega=0.0):
    return BodySpec((FixtureSpec(Polygon.box(0.05, 0.5), mask=0),), linear_velocity=(vx, 0.0), angular_velocity=omega)


def test_a_bullet_that_passes_the_far_face_has_tunneled():
    watch = watched(bullet(-1.0, 0.0, 60.0), plate(), 4)
    assert watch.jump == 1
    assert watch.hit is None


def test_a_bullet_behind_the_initial_position_of_a_moving_plate_has_not_tunneled():
    watch = watched(bullet(-1.0, 0.0, 60.0), plate(vx=90.0), 6)
    assert watch.positions[-1][0] > 1.0
    assert watch.jump is None


def test_passing_over_the_top_is_not_tunneling():
    assert watched(bullet(-1.0, 0.6, 60.0), plate(), 4).jump is None


def test_a_plate_that_spins_next_to_the_bullet_was_not_tunneled():
    """A quarter turn per step moves the bullet in the plate's frame from one side to the other, around the end."""
    assert watched(bullet(-0.8, 0.0, 0.0), plate(omega=90.0), 12).jump is None
    assert watched(bullet(-0.3, 0.0, 0.0), plate(omega=90.0), 12).jump is not None
