"""What the scenes of stacks and joints claim: the number that they measure, within a derived bound of the one that they predict."""

from __future__ import annotations

import math

import numpy as np
import pytest

from demos._domino_wave import domino_wave_speed
from demos._hanging_chain import catenary_sag, hanging_points
from demos.bridge import _HALF, Bridge
from demos.car import Car, surface_height
from demos.card_house import CardHouse
from demos.catapult import Catapult, parabola_range, range_lost
from demos.dominoes import _HEIGHT, _THICKNESS, Dominoes
from demos.pulley import Pulley, predicted_acceleration
from demos.pyramid import Pyramid
from demos.radial_engine import RadialEngine, piston_place
from demos.ragdoll import Ragdoll
from demos.walker import _SCALE, Walker, foot, leg_points, stride
from demos.wrecking_ball import WreckingBall
from engine.box2d import memory
from engine.common.tolerances import EPS32, LINEAR_SLOP
from engine.demo import Demo
from engine.sim.actions import PressKey, ReleaseKey


@pytest.fixture(autouse=True, scope="module")
def impulses_are_kept() -> None:
    """Without this every keyframe would let joints start from no impulse: a hanging chain drops by centimeters then."""
    memory.load()


def run(demo: Demo, steps: int) -> None:
    for _ in range(steps):
        demo.sim.step()


# -- pulley -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("left", "right", "ratio"), [(3.0, 2.0, 1.0), (1.0, 4.0, 1.0), (1.0, 4.0, 2.0), (5.0, 5.0, 0.5), (2.0, 2.0, 1.0)])
def test_the_masses_fall_as_newton_says(left: float, right: float, ratio: float) -> None:
    demo = Pulley(values={"mass_1": left, "mass_2": right, "ratio": ratio})
    run(demo, 30)
    assert demo.predicted == predicted_acceleration(left, right, ratio, 10.0)
    if ratio == 1.0:
        assert demo.predicted == pytest.approx((left - right) / (left + right) * 10.0)
    # one constraint between two bodies: the solver has it in one sweep, and 30 steps add up to some 30 roundings of the speed
    assert demo.measured == pytest.approx(demo.predicted, abs=100.0 * EPS32 * 10.0)


def test_the_pulley_begins_again_after_the_landing() -> None:
    demo = Pulley()
    run(demo, 240)
    assert demo._landed is None and 0 < demo._began < 240
    assert demo.measured == pytest.approx(2.0, abs=1e-3)


# -- pyramid ----------------------------------------------------------------------------------------------------------


def test_the_ground_carries_the_whole_pyramid() -> None:
    demo = Pyramid()
    run(demo, 200)
    # asleep, or moving by what the solver leaves: a thousandth of the weight is 0.01 m/s^2 of all boxes
    assert demo.floor_force == pytest.approx(demo.weight, rel=1e-3)
    sunk = demo.sunk
    assert sunk is not None and 0.0 < sunk < 12 * LINEAR_SLOP, "each of twelve contacts may be a slop deeper than at rest"
    few = Pyramid(values={"iterations": 1})
    run(few, 200)
    assert few.sunk is None or few.sunk > sunk, "with one sweep a step it sinks deeper"


def test_the_middle_of_the_pyramid_carries_most_and_a_ball_breaks_it() -> None:
    demo = Pyramid(values={"rows": 8})
    run(demo, 150)
    row = [demo.painted[box][0] for box in demo.boxes[:8]]
    assert max(row[2:6]) > max(row[0], row[7])
    assert demo.on_key("return") and not demo.on_key("x")
    run(demo, 180)
    assert demo.sunk is not None and demo.sunk > 0.5


# -- card house -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [20.0, 32.0])
def test_two_cards_stand_from_the_tangent_of_their_lean_on(angle: float) -> None:
    """The normal is square to one card's face, and the force between the cards level: friction has to make up the lean.

    (At 16° and 0.93 of it they slip so slowly that Box2D lets them sleep.)
    """
    limit = math.tan(math.radians(angle))
    demo = CardHouse(values={"storeys": 1, "angle": angle, "friction": 1.05 * limit, "lesser": 0.95 * limit})
    assert demo.limit == pytest.approx(limit)
    run(demo, 400)
    assert demo.standing(1) and not demo.standing(0)


def test_the_house_stands_and_a_marble_takes_it_down() -> None:
    demo = CardHouse()
    run(demo, 300)
    assert demo.standing(1) and not demo.standing(0)
    tops = demo.world.state(demo.tops[1])
    assert tops.position[1] == pytest.approx(demo.heights[1], abs=8 * LINEAR_SLOP), "two contacts a storey, a slop each"
    demo.on_key("return")
    run(demo, 400)
    assert not demo.standing(1)


# -- dominoes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gap", "friction", "share"), [(0.35, 0.0, 0.03), (0.35, 0.2, 0.02), (0.6, 0.4, 0.02)])
def test_the_wave_has_the_speed_of_the_leaning_train(gap: float, friction: float, share: float) -> None:
    """A step of 1/240 s is 4 % of the time between two hits of 0.11 s, and a hit is found half a step late on average: 2 %.

    Where the gap is small, or friction absent, ten dominoes are too few for the wave to settle: more is left there.
    """
    demo = Dominoes(values={"gap": gap, "friction": friction})
    while demo.hits[-1] is None and demo.steps < 2400:
        demo.sim.step()
    predicted = domino_wave_speed(_HEIGHT, _THICKNESS, gap, friction, 10.0)
    assert demo.speed == pytest.approx(predicted, rel=share) and demo.allowed < 0.05 * predicted


@pytest.mark.parametrize("layout", ["row", "stair", "growing"])
def test_all_dominoes_fall(layout: str) -> None:
    demo = Dominoes(values={"layout": layout, "gap": 0.25})
    while demo.hits[-1] is None and demo.steps < 2400:
        demo.sim.step()
    run(demo, 100)
    assert None not in demo.hits and demo.hits == sorted(demo.hits)  # type: ignore[type-var]
    assert demo.n_fallen > len(demo.dominoes) - 8  # the last ones are still on their way


def test_the_wave_is_faster_where_gravity_is_stronger() -> None:
    """By dimensions the speed is sqrt(g h) times a number."""
    slow, fast = domino_wave_speed(1.0, 0.1, 0.3, 0.1, 10.0), domino_wave_speed(2.0, 0.2, 0.6, 0.1, 20.0)
    assert fast == pytest.approx(2.0 * slow, rel=1e-3)


# -- bridge -----------------------------------------------------------------------------------------------------------


def test_a_chain_of_many_links_is_a_catenary() -> None:
    points = hanging_points(400, 14.7 / 400, 14.0, 1.0)
    assert -points[:, 1].min() == pytest.approx(catenary_sag(14.7, 14.0), rel=1e-4)
    assert points[-1] == pytest.approx((14.0, 0.0), abs=1e-6)
    assert np.hypot(*np.diff(points, axis=0).T) == pytest.approx(14.7 / 400)


def test_a_heavy_load_makes_the_chain_a_triangle() -> None:
    points = hanging_points(21, 0.7, 14.0, 1e-6, 1.0, 10.5)
    middle = points[10:12].mean(axis=0)
    # two straight halves of 10 links, and the loaded link level between them
    assert middle == pytest.approx((7.0, -math.sqrt(7.0**2 - 6.65**2)), abs=1e-3)


@pytest.mark.parametrize("at", [3.0, 7.25, 13.9])
def test_every_link_is_at_rest_wherever_the_load_is(at: float) -> None:
    """Virtual work: of all shapes near by whose links keep their lengths and ends, this one lies lowest."""
    n, length, span, load = 16, 0.92, 14.0, 12.0
    points = hanging_points(n, length, span, 1.0, load, at)

    def potential(corners: np.ndarray) -> float:
        under = corners[int(at)] + (at % 1.0) * (corners[min(int(at) + 1, n)] - corners[int(at)])
        return float(0.5 * (corners[:-1, 1] + corners[1:, 1]).sum() + load * under[1])

    angles = np.arctan2(np.diff(points[:, 1]), np.diff(points[:, 0]))
    ends = np.vstack((-np.sin(angles), np.cos(angles)))  # by which turning each link moves the far end
    free = np.linalg.svd(ends)[2][2:]  # turns of the links that leave it where it is
    for turn in 1e-3 * free:
        for sign in (-1.0, 1.0):
            moved = np.cumsum(length * np.column_stack((np.cos(angles + sign * turn), np.sin(angles + sign * turn))), axis=0)
            moved += np.outer(np.arange(1, n + 1) / n, (span, 0.0) - moved[-1])  # of the second order: closed again
            assert potential(np.vstack((np.zeros((1, 2)), moved))) > potential(points) - 1e-7


def test_the_bridge_hangs_as_predicted() -> None:
    demo = Bridge()
    demo.world.destroy_body(demo.ball)
    run(demo, 400)
    # each hinge that is open lengthens the bridge: d sag / d length is 3 span / (16 sag), from sag^2 = 3/8 span (length - span);
    # and it still swings by some millimeters
    bound = 3.0 * 2.0 * _HALF / (16.0 * demo.predicted) * len(demo.hinges) * demo.gap + LINEAR_SLOP
    stiff = -hanging_points(16, demo._length, 2.0 * _HALF, 1.0)[:, 1].min()
    assert bound < 0.01 and abs(stiff - demo.predicted) < 0.005
    assert demo.sag == pytest.approx(stiff, abs=bound)


def test_the_ball_crosses_the_bridge_and_comes_back() -> None:
    demo = Bridge()
    places, deepest = [], 0.0
    for _ in range(90):
        run(demo, 10)
        places.append(demo.world.state(demo.ball).position[0])
        if demo.load_at is not None and demo.sag is not None:
            deepest = max(deepest, demo.sag)
    assert max(places) > 0.5 * _HALF and places[-1] < max(places) - 1.0
    assert deepest > demo.predicted + 0.05
    assert not demo.is_calm


@pytest.mark.parametrize("mass", [40.0, 120.0])
def test_the_bridge_and_the_ball_come_to_rest_as_statics_says(mass: float) -> None:
    demo = Bridge(values={"mass": mass})
    for body in (demo.ball, *demo.planks):  # as in honey, so that it is soon still
        demo.world.set_body(body, linear_damping=3.0, angular_damping=3.0)
    demo.world.set_pose(demo.ball, (0.6, 0.8 - demo.predicted), 0.0)
    demo.world.set_velocity(demo.ball, (0.0, 0.0))
    run(demo, 1200)
    assert demo.is_calm and demo.load_at is not None and demo.sag is not None
    statics = -float(demo._shape(demo.load_at)[:, 1].min())
    assert demo.allowed < 0.1 and demo.sag == pytest.approx(statics, abs=demo.allowed)
    assert statics > demo.predicted + 0.1


# -- wrecking ball ----------------------------------------------------------------------------------------------------


def test_the_ball_comes_down_as_a_pendulum_and_breaks_the_wall() -> None:
    demo = WreckingBall()
    before = [demo.world.state(brick).position for brick in demo.bricks]
    run(demo, 200)
    assert demo.is_down and demo.allowed < 0.02 * demo.predicted
    assert demo.fastest == pytest.approx(demo.predicted, abs=demo.allowed)
    assert demo.longest < LINEAR_SLOP
    moved = [math.dist(old, demo.world.state(brick).position) for old, brick in zip(before, demo.bricks, strict=True)]
    assert max(moved) > 2.0


def test_with_shorter_steps_the_ball_comes_to_the_speed_of_the_pendulum() -> None:
    """The ball does not turn: its hinge is in its middle."""
    demo = WreckingBall()
    demo.world.set_settings(hertz=480.0)
    while not demo.is_down:
        demo.sim.step()
    assert demo.world.state(demo.ball).angular_velocity == 0.0
    # an eighth of what steps of 1/60 s lose, which is less than 1.5 %
    assert demo.fastest == pytest.approx(demo.predicted, rel=0.002)


def test_without_the_rope_joint_the_chain_stretches() -> None:
    demo = WreckingBall(values={"rope": "no"})
    run(demo, 60)
    assert demo.longest > 1.0


# -- radial engine ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cylinders", "speed"), [(1, 60.0), (5, 60.0), (9, -200.0)])
def test_the_pistons_stand_where_the_crank_has_them(cylinders: int, speed: float) -> None:
    demo = RadialEngine(values={"cylinders": cylinders, "speed": speed})
    run(demo, 59)
    assert 0.0 < demo.worst < LINEAR_SLOP, "Box2D corrects joints up to a slop"
    assert demo.world.state(demo.crank).angular_velocity == pytest.approx(speed * 2.0 * math.pi / 60.0, rel=1e-3)


def test_dead_centers() -> None:
    assert piston_place(0.0, 2.0) == pytest.approx(2.8) and piston_place(math.pi, 2.0) == pytest.approx(1.2)
    assert piston_place(0.5 * math.pi, 2.0) == pytest.approx(math.sqrt(4.0 - 0.64))


# -- ragdoll ----------------------------------------------------------------------------------------------------------


def test_the_figure_reaches_the_landing_and_never_gains_energy() -> None:
    demo = Ragdoll()
    energy = [demo.began_with]
    widest = 0.0
    for _ in range(144):
        run(demo, 5)
        energy.append(demo.energy)
        widest = max(widest, demo.widest)
    # what pushes apart what overlaps lifts it: a slop of height for one limb's weight of 20 N at most
    assert max(np.diff(energy)) < 20.0 * LINEAR_SLOP
    assert energy[-1] < 0.2 * energy[0] and 0.0 <= demo.given_back < 20.0 * LINEAR_SLOP
    assert demo.world.state(demo.figures[0][0]).position[0] > -1.5
    assert widest < 0.05, "an impact opens a hinge for some steps"
    assert demo.widest < LINEAR_SLOP


def test_the_oldest_figure_goes() -> None:
    demo = Ragdoll()
    first = demo.figures[0]
    for _ in range(9):
        assert demo.on_key("return")
        run(demo, 5)
    assert len(demo.figures) == 8 and demo.n_thrown == 10 and not demo.alive(*first)


# -- car --------------------------------------------------------------------------------------------------------------


def test_the_car_goes_as_fast_as_its_wheels_roll() -> None:
    demo = Car(values={"hills": 0.0, "speed": 4.0})
    run(demo, 120)
    assert demo.speed == pytest.approx(4.0, rel=0.02) and demo.rolling == pytest.approx(4.0, rel=0.02)


def test_the_arrow_keys_drive_and_the_springs_hold_over_hills() -> None:
    demo = Car()
    run(demo, 30)
    assert demo.sim.act(PressKey("down")) and not demo.on_key("x")
    demo.sim.act(ReleaseKey("down"))
    run(demo, 1)
    x = demo.world.state(demo.body).position[0]
    demo.sim.act(PressKey("left"))
    run(demo, 90)
    assert demo.world.state(demo.body).position[0] < x
    demo.sim.act(ReleaseKey("left"))
    demo.sim.act(PressKey("right"))
    farthest = -math.inf
    for _ in range(600):
        demo.sim.step()
        farthest = max(farthest, demo.world.state(demo.body).position[0])
        x, y = demo.world.state(demo.body).position
        assert y > surface_height(x, demo.parameter("hills")) - 0.3, "it fell through the road"
    assert farthest > 5.0


# -- catapult ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("weight", "stop"), [(60.0, 45.0), (150.0, 60.0)])
def test_the_stone_lands_on_the_parabola(weight: float, stop: float) -> None:
    demo = Catapult(values={"weight": weight, "stop": stop})
    while demo.last is None and demo.steps < 900:
        demo.sim.step()
    assert demo.last is not None and demo._left is not None
    measured, predicted, lost = demo.last
    # the parabola is asked at the height of the last place in free flight, so that nothing but the steps' shortfall is lost
    assert predicted - measured == pytest.approx(lost, rel=0.05) and lost < 0.1
    vx, vy = demo._left[2]
    assert math.degrees(math.atan2(vy, vx)) == pytest.approx(stop, abs=0.5)  # the stone settles in the spoon by some millimeters


def test_the_castle_suffers_and_the_catapult_loads_itself() -> None:
    demo = Catapult()
    before = [demo.world.state(brick).position for brick in demo.bricks]
    run(demo, 900)
    assert demo.n_shots >= 2
    assert max(math.dist(old, demo.world.state(brick).position) for old, brick in zip(before, demo.bricks, strict=True)) > 0.5


def test_a_parabola_at_45_degrees() -> None:
    assert parabola_range((1.0, 0.0), (10.0, 10.0), 0.0, 10.0) == pytest.approx(21.0)
    assert parabola_range((1.0, 0.0), (10.0, 10.0), 0.0, 0.0) == math.inf
    # two seconds of flight, 0.1 m lower after steps of 0.01 s, and down at 45 degrees
    assert range_lost((1.0, 0.0), (10.0, 10.0), 0.0, 10.0, 0.01) == pytest.approx(0.1)


# -- walker -----------------------------------------------------------------------------------------------------------


def test_the_leg_keeps_its_lengths() -> None:
    start = leg_points(1.0, 0.0)
    assert np.allclose(start, [(5.4, -6.9), (7.2, -2.0), (4.3, -2.7), (3.1, 0.0), (6.0, 0.7), (2.5, 2.9)])
    for turn in np.linspace(0.0, 6.0, 25).tolist():
        points = leg_points(1.0, turn)
        for a, b in ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (1, 4), (2, 3)):
            assert math.dist(points[a], points[b]) == pytest.approx(math.dist(start[a], start[b]))
        x, y = foot(-1.0, -turn)
        assert (-x, y) == pytest.approx(points[0])


def test_the_machine_walks_its_stride() -> None:
    """Its body pitches a little as the weight goes from leg to leg, which the formula leaves out: a tenth."""
    demo = Walker()
    seen = []
    for _ in range(720):
        demo.sim.step()
        if demo.per_turn is not None and demo.per_turn not in seen:
            seen.append(demo.per_turn)
    assert len(seen) == 2
    assert seen == pytest.approx([_SCALE * stride()] * 2, rel=0.1)


def test_the_machine_turns_back_on_an_arrow_key() -> None:
    demo = Walker()
    run(demo, 200)
    x = demo.world.state(demo.body).position[0]
    assert demo.sim.act(PressKey("left")) and demo.direction == -1.0
    run(demo, 300)
    assert demo.world.state(demo.body).position[0] < x - 1.0
