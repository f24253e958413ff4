"""Tiles of a wall under load: without friction, nothing that slides along them loses speed at a seam, with any method."""

import math

import pytest

from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings, methods

SHAPES = {
    "disc": (Circle(0.4), 0.4),
    "octagon": (Polygon.regular(8, 0.4), 0.4 * math.cos(math.pi / 8)),
    "box": (Polygon.box(0.4, 0.4), 0.4),
}
"""Each with its reach towards the wall, m."""


def _fall(solver, shape, size=1.0, is_one_body=True, gap=0.0, seconds=1.0):
    """Return the speed of a body that falls along tiles of `size` meters while 100 m/s^2 press it against them, m/s."""
    world = World(WorldSettings(sleeping=False), solver=solver)
    ends = [(-10.0 + size * k, -10.0 + size * (k + 1) - gap) for k in range(int(14.0 / size))]
    tiles = [FixtureSpec(Polygon(((0.0, low), (1.0, low), (1.0, high), (0.0, high))), friction=0.0) for low, high in ends]
    for fixtures in [tiles] if is_one_body else [[tile] for tile in tiles]:
        world.create_body(BodySpec(tuple(fixtures), type="static"))
    pressed, reach = SHAPES[shape]
    spec = BodySpec(
        (FixtureSpec(pressed, friction=0.0),), position=(-reach, 2.5), angle=math.pi / 8 if shape == "octagon" else 0.0, fixed_rotation=True
    )
    body = world.create_body(spec)
    for _ in range(round(60 * seconds)):
        world.apply_force(body, (100.0 * world.body(body).mass, 0.0))
        world.step()
    return -world.state(body).linear_velocity[1]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("solver", methods())
def test_a_body_pressed_against_tiles_falls_as_along_one_wall(solver, shape):
    """A disc lost a third of its speed at the corners of the tiles ahead, which are behind their common face; a box stood on them."""
    lost = 0.03 if solver == "contact_forces" else 0.01  # it looks for contacts within the step too, where the rule does not apply
    assert _fall(solver, shape) == pytest.approx(10.0, rel=lost)


@pytest.mark.parametrize("case", [{"size": 0.25}, {"is_one_body": False}])
def test_small_tiles_and_tiles_of_their_own_bodies_are_one_wall_too(case):
    assert _fall("soft_step", "disc", **case) == pytest.approx(10.0, rel=0.01)


def test_a_body_that_another_one_presses_falls_as_along_one_wall():
    """The contact with the slab is deeper than those with the tiles."""
    world = World(WorldSettings(sleeping=False), solver="soft_step")
    tiles = [FixtureSpec(Polygon(((0.0, low), (1.0, low), (1.0, low + 1.0), (0.0, low + 1.0))), friction=0.0) for low in range(-10, 4)]
    world.create_body(BodySpec(tuple(tiles), type="static"))
    disc = world.create_body(BodySpec((FixtureSpec(Circle(0.4), friction=0.0),), position=(-0.4, 2.5), fixed_rotation=True))
    slab = world.create_body(
        BodySpec((FixtureSpec(Polygon.box(0.2, 6.0), friction=0.0),), position=(-1.0, 0.0), fixed_rotation=True, gravity_scale=0.0)
    )
    for _ in range(60):
        world.apply_force(slab, (20.0 * world.body(slab).mass, 0.0))
        world.step()
    assert -world.state(disc).linear_velocity[1] == pytest.approx(10.0, rel=0.01)


def test_a_gap_between_tiles_is_none():
    """The disc sinks into a gap of 0.5 m, and the corner below stops it."""
    assert abs(_fall("soft_step", "disc", gap=0.5)) < 2.0


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_a_box_that_bridges_a_seam_stands_on_both_tiles(solver):
    """Tilted by 0.01 rad, it lands on one corner, comes to rest on both tiles, and does not tip over the end of either."""
    world = World(WorldSettings(sleeping=False), solver=solver)
    tiles = [FixtureSpec(Polygon(((x, -1.0), (x + 1.0, -1.0), (x + 1.0, 0.0), (x, 0.0)))) for x in (-1.0, 0.0)]
    world.create_body(BodySpec(tuple(tiles), type="static"))
    box = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.1, 0.52), angle=0.01))
    for _ in range(90):
        world.step()
    state = world.state(box)
    assert state.position == pytest.approx((0.1, 0.5), abs=0.01) and abs(state.angle) < 1e-3
    assert abs(state.linear_velocity[1]) < 0.01


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_a_wedge_rests_in_the_corner_between_a_floor_and_a_wall(solver):
    """Its point is in or on both: each of the two bears it."""
    world = World(WorldSettings(gravity=(-10.0, -10.0), sleeping=False), solver=solver)
    floor, wall = Polygon(((-1.0, -1.0), (5.0, -1.0), (5.0, 0.0), (-1.0, 0.0))), Polygon(((-1.0, 0.0), (0.0, 0.0), (0.0, 5.0), (-1.0, 5.0)))
    world.create_body(BodySpec((FixtureSpec(floor, friction=0.0), FixtureSpec(wall, friction=0.0)), type="static"))
    wedge = world.create_body(
        BodySpec((FixtureSpec(Polygon(((0.0, 0.0), (0.9, 0.3), (0.3, 0.9))), friction=0.0),), position=(0.01, 0.01), fixed_rotation=True)
    )
    for _ in range(90):
        world.step()
    state = world.state(wedge)
    assert state.position == pytest.approx((0.0, 0.0), abs=0.01) and math.hypot(*state.linear_velocity) < 0.01
