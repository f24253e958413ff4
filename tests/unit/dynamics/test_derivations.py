"""What the pages of docs/dynamics derive, held against the code: each a formula of a page, and the world that obeys it."""

import math

import numpy as np
import pytest

from engine.dynamics._softness_kernel import softness
from engine.dynamics.tolerances import PUSH
from engine.experiments.references.lab import run
from engine.experiments.scenes import UNIT, body, ground, on_slope, stack
from engine.geometry import Circle, Polygon
from tests.unit.dynamics.worlds import world

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
    one = world()
    ground(one)
    boxes = stack(one, 3)
    run(one, 10.0)

    def sag(load, mass, hertz):
        stiffness, rate = mass * (2.0 * math.pi * hertz) ** 2, softness(hertz, 10.0, 1.0 / 480.0).bias_rate
        return 0.5 * load / (stiffness - 0.5 * load * rate / PUSH)  # of each of two points, whose push bends a little even so

    exact = [-sag(30.0, 0.4, 120.0), -sag(20.0, 0.2, 60.0), -sag(10.0, 0.2, 60.0)]
    assert one.contacts.body_b.tolist() == boxes
    assert one.contacts.separation.mean(axis=1) == pytest.approx(exact, rel=1e-6)


def test_an_overlap_shrinks_at_its_rate_and_leaves_no_velocity():
    one, h = world(gravity=(0.0, 0.0)), 1.0 / 480.0
    below, above = (body(one, Circle(0.5), (0.0, y)) for y in (0.0, 0.995))
    rates, overlap = softness(60.0, 10.0, h), 0.005
    for _ in range(6):
        one.step()
        for _ in range(8):
            push = rates.bias_rate * overlap
            overlap -= h * rates.mass_scale * push / (1.0 + push / PUSH)
        assert 1.0 - one.state(above).position[1] + one.state(below).position[1] == pytest.approx(overlap, rel=1e-11)
        assert one.state(above).linear_velocity == pytest.approx((0.0, 0.0), abs=1e-15)


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
    """Take a load of 100 kg from a stack of five boxes of 1 kg, go on `is_warm` or not, and return the most kinetic energy seen then, J."""
    one = world()
    ground(one, friction=0.6)
    boxes = stack(one, 5, friction=0.6)
    load = body(one, UNIT, (0.0, 5.5), density=100.0, friction=0.6)
    run(one, 3.0)
    one.destroy_body(load)
    one.set_settings(warm_starting=is_warm)
    most = 0.0
    for _ in range(60):
        one.step()
        most = max(most, _kinetic(one, boxes))
    return most


def _kinetic(one, boxes):
    return sum(0.5 * math.hypot(*one.state(box).linear_velocity) ** 2 for box in boxes)


def test_a_warm_start_brings_a_stack_to_rest_and_halves_its_overlap():
    deepest, energy = {}, {}
    for is_warm in (True, False):
        one = world(warm_starting=is_warm)
        ground(one)
        boxes = stack(one, 10)
        run(one, 2.0)
        energy[is_warm], deepest[is_warm] = _kinetic(one, boxes), -one.contacts.separation.min()
    assert energy[True] < 1e-6 < 1e-4 < energy[False]
    assert deepest[True] < 0.5 * deepest[False]


def test_two_boxes_on_a_slope_creep_without_a_warm_start():
    def creep(is_warm):
        one = world(warm_starting=is_warm)
        ground(one, 15.0, friction=0.6)
        upper = [on_slope(one, 15.0, UNIT, 0.5 + k, friction=0.6) for k in range(2)][1]
        run(one, 1.0)
        before = one.state(upper).position
        run(one, 5.0)
        return math.dist(before, one.state(upper).position)

    assert creep(is_warm=True) < 1e-8 < 1e-3 < creep(is_warm=False)


def test_a_stale_guess_leaves_energy_but_less_than_the_contacts_held():
    held = 2.0 * 5 * 0.5 * (1000.0 / 2.0) ** 2 / (0.2 * (2.0 * math.pi * 60.0) ** 2)  # F^2 / 2 k of two points in each of five joints
    assert unloaded(is_warm=False) < unloaded(is_warm=True) < 0.1 * held


def test_a_spring_of_forces_wins_energy():
    one, omega = world(gravity=(0.0, 0.0)), 2.0 * math.pi
    ball = body(one, Circle(0.5), (1.0, 0.0))

    def energy():
        state = one.state(ball)
        return state.linear_velocity[0] ** 2 + (omega * state.position[0]) ** 2

    before = energy()
    for _ in range(60):
        one.apply_force(ball, (-one.body(ball).mass * omega**2 * one.state(ball).position[0], 0.0))
        one.step()
    assert energy() / before == pytest.approx((1.0 + 0.5 * (omega / 60.0) ** 2) ** 60, rel=1e-2)  # it is the mean over a turn


@pytest.mark.parametrize("x", [-0.9, -0.3, 0.0, 0.6])
def test_the_effective_mass_of_a_rods_point(x):
    one = world(gravity=(0.0, 0.0))
    rod = body(one, Polygon.box(1.0, 0.1), (0.0, 0.0))
    one.apply_impulse(rod, (0.0, 1.0), (x, 0.0))
    state, whole = one.state(rod), one.body(rod)
    answer = state.linear_velocity[1] + state.angular_velocity * x
    assert 1.0 / answer == pytest.approx(1.0 / (1.0 / whole.mass + x * x / whole.inertia), rel=1e-12)
