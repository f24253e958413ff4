"""Shock propagation: scenes that stand, and its parts."""

import math

import numpy as np
import pytest

from engine.dynamics.methods._contact_graph_kernel import NO_ONE, contact_layers
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

BOX = Polygon.box(0.5, 0.5)
UP, NO_LINKS = (0.0, 1.0), np.zeros((0, 2), dtype=np.int64)


def _world(**settings):
    chosen = {"sleeping": False, "continuous": False} | settings
    return World(WorldSettings(**chosen), solver="shock_propagation")


def _tower(n, **options):
    world = _world(hertz=25.0, solver_settings={"sweeps": 5, **options})
    world.create_body(BodySpec((FixtureSpec(Polygon.box(20.0, 0.5), friction=0.6),), "static", (0.0, -0.5)))
    for floor in range(n):
        world.create_body(BodySpec((FixtureSpec(BOX, friction=0.6),), position=(0.0, 0.5 + floor)))
    return world


def test_five_sweeps_hold_a_tower_of_thirty_at_25_hz():
    world = _tower(30)
    start = world.poses.copy()
    for _ in range(250):
        world.step()
    assert np.abs(world.poses - start).max() < 1e-9


def test_the_tower_collapses_without_frozen_layers():
    world = _tower(30, shock="off")
    top = world.poses[30, 1]
    for _ in range(50):
        world.step()
    assert world.poses[30, 1] < top - 1.0


def _layers(ends, normal, n):
    light = np.ones((n, 2))
    light[-1] = 0.0
    lower, component, layer = contact_layers(np.array(ends), np.array(normal), 0.0, -10.0, NO_LINKS, light)
    return lower.tolist(), component.tolist(), layer.tolist()


def test_a_body_is_one_layer_above_its_support():
    lower, component, layer = _layers([(3, 0), (0, 1), (2, 1)], [UP, UP, (0.0, -1.0)], 4)
    assert lower == [0, 0, 1] and layer == [1, 2, 3, 0] and len(set(component)) == 4


def test_adjacent_bodies_do_not_rest_on_each_other():
    lower, _, layer = _layers([(0, 1), (2, 0)], [(1.0, 0.0), UP], 3)
    assert lower == [NO_ONE, 0] and layer == [1, 0, 0]


def test_a_cycle_is_one_layer():
    leaning = (0.6, 0.8)
    _, component, layer = _layers([(0, 1), (1, 2), (2, 0), (3, 0), (1, 4)], [leaning, leaning, leaning, UP, UP], 6)
    assert component[0] == component[1] == component[2] != component[4]
    assert layer[:3] == [layer[3] + 1] * 3 and layer[4] == layer[0] + 1


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_collision_conserves_momentum_and_reverses_the_relative_velocity(e):
    world = _world(gravity=(0.0, 0.0))
    for x, radius, v in ((-1.0, 0.5, 6.0), (1.0, 0.25, -2.0)):
        world.create_body(BodySpec((FixtureSpec(Circle(radius), restitution=e),), position=(x, 0.0), linear_velocity=(v, 0.0)))
    mass = 0.25, 0.0625  # times pi
    for _ in range(30):
        world.step()
    v0, v1 = (world.state(body).linear_velocity[0] for body in (0, 1))
    assert mass[0] * v0 + mass[1] * v1 == pytest.approx(mass[0] * 6.0 - mass[1] * 2.0, rel=1e-12)
    assert v1 - v0 == pytest.approx(8.0 * e, abs=1e-12)


@pytest.mark.parametrize("mu, expected", [(0.6, 0.0), (0.3, 10.0 * (math.sin(math.pi / 6.0) - 0.3 * math.cos(math.pi / 6.0)))])
def test_friction_sticks_within_its_cone_and_slides_at_its_boundary(mu, expected):
    tilt = math.pi / 6.0
    world = _world(gravity=(-10.0 * math.sin(tilt), -10.0 * math.cos(tilt)))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(50.0, 0.5), friction=mu),), "static", (0.0, -0.5)))
    box = world.create_body(BodySpec((FixtureSpec(BOX, friction=mu),), position=(0.0, 0.5)))
    for _ in range(60):
        world.step()
    assert -world.state(box).linear_velocity[0] == pytest.approx(expected, abs=1e-9)


def test_a_sweep_removes_a_share_of_an_overlap_and_moves_the_lighter_body_more():
    world = _world(gravity=(0.0, 0.0), solver_settings={"push_share": 0.1, "push_sweeps": 1})
    for x, density in ((0.0, 3.0), (0.9, 1.0)):
        world.create_body(BodySpec((FixtureSpec(BOX, density=density),), position=(x, 0.0)))
    world.step()
    moved = world.poses[:2, 0] - (0.0, 0.9)
    assert moved == pytest.approx([-0.25 * 0.1 * 0.1, 0.75 * 0.1 * 0.1]) and not world.state(1).linear_velocity[0]


@pytest.mark.parametrize("offset, stands", [(0.45, True), (0.49, False)])
def test_it_holds_up_a_staircase_that_should_fall(offset, stands):
    """The center of the four upper boxes lies beyond the first box's by 2.5 times the offset, which is too far from 0.2 m on."""
    world = _tower(0)
    for floor in range(5):
        world.create_body(BodySpec((FixtureSpec(BOX, friction=0.6),), position=(offset * floor, 0.5 + floor)))
    for _ in range(100):
        world.step()
    assert (world.poses[5, 1] > 4.4) == stands


@pytest.mark.parametrize("points", ["together", "one_by_one"])
@pytest.mark.parametrize("pull, least, most", [(0.25, 0.0, 1e-3), (0.44, 0.0, 3e-3), (0.46, 0.4, 0.8)])
def test_a_static_coefficient_of_its_own_holds_a_box_up_to_it(points, pull, least, most):
    """Friction 0.3, static 0.45: pulled with 0.44 of its weight a box stays, and with 0.46 it slides (Pawłowski, p. 47-48)."""
    world = _world(solver_settings={"static_ratio": 1.5, "points": points})
    world.create_body(BodySpec((FixtureSpec(Polygon.box(50.0, 0.5), friction=0.3),), "static", (0.0, -0.5)))
    box = world.create_body(BodySpec((FixtureSpec(BOX, friction=0.3),), position=(0.0, 0.5)))
    for _ in range(60):
        world.apply_force(box, (10.0 * pull, 0.0))  # it weighs 10 N
        world.step()
    assert least <= abs(world.state(box).position[0]) <= most


def test_boxes_of_a_tower_hold_a_pull_below_friction():
    """Friction is bounded by the sums over the sweeps: with a bound on each impulse, the boxes crept by 17 to 54 mm a second."""
    world = _world()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(50.0, 0.5), friction=0.3),), "static", (0.0, -0.5)))
    boxes = [world.create_body(BodySpec((FixtureSpec(BOX, friction=0.3),), position=(0.0, 0.5 + k))) for k in range(3)]
    for _ in range(60):
        for box in boxes:
            world.apply_force(box, (2.9, 0.0))
        world.step()
    assert max(abs(world.state(box).position[0]) for box in boxes) < 1e-9
