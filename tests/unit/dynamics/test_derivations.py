"""Worlds obey the formulas that the pages of docs/dynamics derive."""

import math

import numpy as np
import pytest

from engine.dynamics._softness_kernel import softness
from engine.dynamics.tolerances import PUSH
from engine.experiments.references.lab import run
from engine.experiments.scenes import UNIT, body, ground, on_slope, stack
from engine.geometry import Circle, Polygon
from tests.unit.dynamics.worlds import make_world

soft_constraints = pytest.importorskip("docs.pictures.dynamics.soft_constraints", reason="matplotlib may be missing")


@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0, 10.0])
@pytest.mark.parametrize("hertz", [0.5, 30.0, 120.0])
def test_a_soft_row_is_implicit_euler_of_its_spring(hertz, ratio):
    h, mass, omega = 1.0 / 480.0, 3.0, 2.0 * math.pi * hertz
    stiffness, damper = mass * omega * omega, 2.0 * mass * ratio * omega
    rates, rng = softness(hertz, ratio, h), np.random.default_rng(7)
    for error, v, applied in rng.normal(size=(20, 3)).tolist():
        after = v - rates.mass_scale * (v + rates.bias_rate * error) - rates.impulse_scale * applied / mass
        impulse = applied + mass * (after - v)
        assert impulse == pytest.approx(-h * (stiffness * (error + h * after) + damper * after), rel=1e-9, abs=1e-9)


def test_the_overlap_at_rest_is_the_load_over_the_stiffness():
    world = make_world()
    ground(world)
    boxes = stack(world, 3)
    run(world, 10.0)

    def sag(load, mass, hertz):
        stiffness, rate = mass * (2.0 * math.pi * hertz) ** 2, softness(hertz, 10.0, 1.0 / 480.0).bias_rate
        return 0.5 * load / (stiffness - 0.5 * load * rate / PUSH)  # of each of two points, whose push bends a little even so

    exact = [-sag(30.0, 0.4, 120.0), -sag(20.0, 0.2, 60.0), -sag(10.0, 0.2, 60.0)]
    assert world.contacts.body_b.tolist() == boxes
    assert world.contacts.separation.mean(axis=1) == pytest.approx(exact, rel=1e-6)


def test_an_overlap_shrinks_at_the_derived_rate_and_leaves_no_velocity():
    world, h = make_world(gravity=(0.0, 0.0)), 1.0 / 480.0
    below, above = (body(world, Circle(0.5), (0.0, y)) for y in (0.0, 0.995))
    rates, overlap = softness(60.0, 10.0, h), 0.005
    for _ in range(6):
        world.step()
        for _ in range(8):
            push = rates.bias_rate * overlap
            overlap -= h * rates.mass_scale * push / (1.0 + push / PUSH)
        assert 1.0 - world.state(above).position[1] + world.state(below).position[1] == pytest.approx(overlap, rel=1e-11)
        assert world.state(above).linear_velocity == pytest.approx((0.0, 0.0), abs=1e-15)


def test_towers_as_tall_as_their_contacts_bear():
    assert [soft_constraints.tallest(hertz) for hertz, _ in soft_constraints.STANDS] == [n for _, n in soft_constraints.STANDS]


@pytest.mark.parametrize(
    ("hertz", "n_boxes"), [pytest.param(*pair, marks=[pytest.mark.slow] * (pair[0] > 15)) for pair in soft_constraints.STANDS]
)
def test_towers_buckle_where_their_contacts_give_way(hertz, n_boxes):
    def growth(n_boxes):
        off = soft_constraints.sway(n_boxes, round(hertz / 7.5), 10.0)
        return float(off[-1] / off[60 * 4])  # from the fourth second to the tenth

    assert growth(n_boxes) < 1.1 and growth(n_boxes + 1) > 2.0


def unloaded(is_warm):
    """Remove a load of 100 kg from a stack of five boxes of 1 kg, continue with or without warm starting, and return the maximum kinetic
    energy, J.
    """
    world = make_world()
    ground(world, friction=0.6)
    boxes = stack(world, 5, friction=0.6)
    load = body(world, UNIT, (0.0, 5.5), density=100.0, friction=0.6)
    run(world, 3.0)
    world.destroy_body(load)
    world.set_settings(warm_starting=is_warm)
    most = 0.0
    for _ in range(60):
        world.step()
        most = max(most, _kinetic(world, boxes))
    return most


def _kinetic(world, boxes):
    return sum(0.5 * math.hypot(*world.state(box).linear_velocity) ** 2 for box in boxes)


def test_a_warm_start_brings_a_stack_to_rest_and_halves_its_overlap():
    deepest, energy = {}, {}
    for is_warm in (True, False):
        world = make_world(warm_starting=is_warm)
        ground(world)
        boxes = stack(world, 10)
        run(world, 2.0)
        energy[is_warm], deepest[is_warm] = _kinetic(world, boxes), -world.contacts.separation.min()
    assert energy[True] < 1e-6 < 1e-4 < energy[False]
    assert deepest[True] < 0.5 * deepest[False]


def test_two_boxes_on_a_slope_creep_without_a_warm_start():
    def creep(is_warm):
        world = make_world(warm_starting=is_warm)
        ground(world, 15.0, friction=0.6)
        upper = [on_slope(world, 15.0, UNIT, 0.5 + k, friction=0.6) for k in range(2)][1]
        run(world, 1.0)
        before = world.state(upper).position
        run(world, 5.0)
        return math.dist(before, world.state(upper).position)

    assert creep(is_warm=True) < 1e-8 < 1e-3 < creep(is_warm=False)


def test_a_stale_guess_leaves_less_energy_than_the_contacts_stored():
    held = 2.0 * 5 * 0.5 * (1000.0 / 2.0) ** 2 / (0.2 * (2.0 * math.pi * 60.0) ** 2)  # F^2 / 2 k of two points in each of five joints
    assert unloaded(is_warm=False) < unloaded(is_warm=True) < 0.1 * held


def test_a_spring_of_explicit_forces_gains_energy():
    world, omega = make_world(gravity=(0.0, 0.0)), 2.0 * math.pi
    ball = body(world, Circle(0.5), (1.0, 0.0))

    def energy():
        state = world.state(ball)
        return state.linear_velocity[0] ** 2 + (omega * state.position[0]) ** 2

    before = energy()
    for _ in range(60):
        world.apply_force(ball, (-world.body(ball).mass * omega**2 * world.state(ball).position[0], 0.0))
        world.step()
    assert energy() / before == pytest.approx((1.0 + 0.5 * (omega / 60.0) ** 2) ** 60, rel=1e-2)  # it is the mean over a turn


@pytest.mark.parametrize("x", [-0.9, -0.3, 0.0, 0.6])
def test_the_effective_mass_of_a_rods_point(x):
    world = make_world(gravity=(0.0, 0.0))
    rod = body(world, Polygon.box(1.0, 0.1), (0.0, 0.0))
    world.apply_impulse(rod, (0.0, 1.0), (x, 0.0))
    state, record = world.state(rod), world.body(rod)
    answer = state.linear_velocity[1] + state.angular_velocity * x
    assert 1.0 / answer == pytest.approx(1.0 / (1.0 / record.mass + x * x / record.inertia), rel=1e-12)
