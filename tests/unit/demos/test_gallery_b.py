"""What the scenes of filters, materials and impacts claim: the number measured, within a derived bound of the one predicted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shapely import Polygon as Area
from shapely import box

from demos.bounce import N_BALLS, Bounce
from demos.breakable import N_PLATES, Breakable
from demos.buoyancy import ALLOWED, BODIES, Buoyancy, submerged
from demos.conveyor import Conveyor
from demos.filters import COUNTER, RADIUS, WIDTH, Filters
from demos.ghost_collisions import FLOORS, GhostCollisions
from demos.newtons_cradle import ALLOWED as ALLOWED_MOMENTUM
from demos.newtons_cradle import NewtonsCradle
from demos.one_sided_platform import OneSidedPlatform
from demos.scattering import Scattering, thrown_back
from demos.sensor_gates import SensorGates
from demos.tilted_board import N_BOXES, TiltedBoard
from demos.tower_hit import TowerHit
from engine.app.session import Session
from engine.demo import Demo
from engine.geometry import Circle, Polygon
from engine.sim.actions import PressKey, Restart
from engine.sim.history import History, demo_hash


def _run(demo: Demo, steps: int) -> None:
    for _ in range(steps):
        demo.sim.step()


@pytest.mark.parametrize("same", ["meet", "never meet"])
def test_every_ball_falls_through_its_own_grid_alone(same: str) -> None:
    demo = Filters(3, {"rate": 5.0, "same": same})
    _run(demo, 720)
    assert sum(demo.sorted) >= 20 and min(demo.sorted) >= 3
    assert demo.wrong == 0
    world = demo.world
    contacts = world.contacts
    of_one_kind = [
        (a, b)
        for a, b in zip(contacts.body_a.tolist(), contacts.body_b.tolist(), strict=True)
        if a in demo.kinds and b in demo.kinds and demo.kinds[a] == demo.kinds[b]
    ]
    assert bool(of_one_kind) == (same == "meet")


def test_the_counters_count_each_ball_once_however_it_lies_in_its_bin() -> None:
    """Nine a bin lie in two layers, and roll to and fro under the counters."""
    demo = Filters(1, {"balls": 36, "rate": 5.0})
    while len(demo.kinds) < 36:
        demo.sim.step()
    places = [demo.world.state(ball).position for ball in demo.kinds]
    reach = 0.1 + RADIUS + 0.1  # of a counter, a ball, and the way of a step
    under, over = ([int(x // WIDTH) for x, y in places if y < COUNTER + sign * reach] for sign in (-1.0, 1.0))
    assert demo.wrong == demo.missed == 0 and len(under) > 24
    assert all(under.count(k) <= demo.sorted[k] <= over.count(k) for k in range(4))


def test_sensors_count_who_passes_and_thin_ones_miss() -> None:
    """A step of 0.12 m goes over no sensor of 0.4 m. One of 1.3 m goes over a sensor of 0.02 m and both discs' radii of 0.14 m."""
    demo = SensorGates(1)
    for _ in range(600):
        demo.sim.step()
        assert demo.counted == demo.on_the_right
    assert demo.crossings > 40
    wrong = SensorGates(1, {"speed": 80.0, "thickness": 0.02})
    _run(wrong, 200)
    there = int((wrong.world.poses[-len(wrong.balls) :, 0] > 0.0).sum())
    assert abs(wrong.on_the_right - there) <= 6  # a step of 1.3 m may have taken as many over since
    assert abs(wrong.counted - wrong.on_the_right) > 3


@pytest.mark.parametrize("seed", [0, 1])
def test_a_jump_ends_on_the_floor_that_its_speed_reaches(seed: int) -> None:
    demo = OneSidedPlatform(seed, {"jumpers": 10, "slowest": 4.0 + seed})
    while not demo.is_over:
        demo.sim.step()
    assert {demo.predicted(k) for k in range(10)} == {0, 1, 2, 3, 4}
    assert [demo.floor_of(body) for body in demo.jumpers] == [demo.predicted(k) for k in range(10)]
    # and from there
    assert demo.sim.act(PressKey("j")) and not demo.is_over
    while not demo.is_over:
        demo.sim.step()
    assert [demo.floor_of(body) for body in demo.jumpers] == [demo.predicted(k) for k in range(10)]


def test_a_jump_that_ends_a_hair_under_a_platform_counts_as_onto_it() -> None:
    """At 7.8 m/s a box comes 2.978 m high, 2.992 m from where it lies a skin above the ground: less than both skins under 3 m."""
    demo = OneSidedPlatform(values={"jumpers": 1, "slowest": 7.6, "fastest": 8.0})
    while not demo.is_over:
        demo.sim.step()
    assert demo.speeds == [7.8] and demo.predicted(0) == demo.floor_of(demo.jumpers[0]) == 2
    lower = OneSidedPlatform(values={"jumpers": 1, "slowest": 7.5, "fastest": 8.0})
    while not lower.is_over:
        lower.sim.step()
    assert lower.predicted(0) == lower.floor_of(lower.jumpers[0]) == 1


def test_a_jumper_put_below_the_ground_ends_nothing() -> None:
    demo = OneSidedPlatform()
    demo.world.set_pose(demo.jumpers[0], (0.0, -30.0), 0.0)
    demo.sim.act(PressKey("j"))
    for _ in range(3):
        demo.sim.step()
    assert demo.flight > 0.0 and demo.status()


def test_the_rule_of_the_platforms_survives_a_rewind_and_a_restart() -> None:
    """The hooks belong to the world, and a world that is brought back is the same object."""
    demo = OneSidedPlatform()
    history = History(demo)
    for step in range(200):
        if step == 100:
            history.act(Restart())
        history.step()
    for step in (30, 130, 70, 200):
        history.seek(step)
        assert history.divergence is None
        assert history.hash_at(step) == demo_hash(demo)


def test_belts_stay_and_carry_parcels_as_friction_lets_them() -> None:
    demo = Conveyor()
    _run(demo, 500)
    for belt, at in demo.belts:
        assert math.dist(demo.world.state(belt).position, at) < 1e-6
    # speed is gained step by step: the way is known to a step at the belt's speed
    assert len(demo.slips) >= 3
    for slip in demo.slips:
        assert abs(slip - demo.predicted) < demo.parameter("speed") * demo.step_seconds
    # and what has ceased to slip goes as fast as the belt
    fast = [v for v in demo.world.velocities[:, 0].tolist() if abs(v - demo.parameter("speed")) < 1e-3]
    assert fast
    assert demo.sim.act(PressKey("b")) and not demo.sim.act(PressKey("x"))
    _run(demo, 60)
    # mu g t = 2.5 m/s^2 x 1 s less than before, where a parcel is on the upper belt all the time
    speeds = [demo.world.state(parcel).linear_velocity[0] for parcel in demo.parcels]
    turned = demo.parameter("speed") - demo.parameter("friction") * 10.0
    assert min(abs(speed - turned) for speed in speeds) < 0.05


@pytest.mark.parametrize("slider", ["box", "disc"])
def test_the_phase_tells_who_trips(slider: str) -> None:
    demo = GhostCollisions(2, {"slider": slider, "rate": 6.0})
    _run(demo, 420)
    for lane, floor in enumerate(FLOORS):
        n, tripped, predicted, wrong = demo.counts(lane)
        assert n >= 25 and wrong == 0 and tripped == predicted
        assert (tripped > 0) == (floor == "tiles" or (floor, slider) == ("edges", "disc"))


def test_a_plate_breaks_beyond_its_limit_and_its_pieces_keep_their_share() -> None:
    demo = Breakable()
    limit = demo.parameter("limit")
    momentum: dict[int, float] = {}
    for _ in range(80):
        before = dict(demo.plates)
        speeds = {plate: demo.world.state(plate).linear_velocity[1] for plate in before}
        demo.sim.step()
        for plate in before.keys() - demo.plates.keys():
            k = before[plate]
            pieces = [body for body in demo._pieces if demo.painted[body] == demo.painted[demo._pieces[-1]]][-6:]
            now = sum(demo.world.body(piece).mass * demo.world.state(piece).linear_velocity[1] for piece in pieces)
            momentum[k] = now / (demo.mass * speeds[plate] * (1.0 - limit / demo.blows[k]))
    for k in range(N_PLATES):
        assert demo.is_as_predicted(k) and 0.0 < demo.allowed(k) < 0.05 * demo.predicted(k)
        assert (demo.blows[k] > limit) == (demo.height(k) > demo.breaking_height)
    assert 0 < len(momentum) < N_PLATES
    assert all(abs(share - 1.0) < 1e-5 for share in momentum.values())  # float32


def test_the_part_under_water_is_what_shapely_cuts_off() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        shape = BODIES[int(rng.integers(len(BODIES)))][0]
        at, angle = (float(rng.uniform(-3, 3)), float(rng.uniform(-0.9, 0.9))), float(rng.uniform(-4, 4))
        area, middle = submerged(shape, at, angle, 0.0)
        turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        if isinstance(shape, Circle):
            around = np.linspace(0.0, 2.0 * math.pi, 2000, endpoint=False)
            outline = Area(np.array(at) + shape.radius * np.column_stack((np.cos(around), np.sin(around))))
        else:
            outline = Area(shape.vertices @ turn + at)
        cut = outline.intersection(box(-10.0, -10.0, 10.0, 0.0))
        # 2,000 corners lie (2 pi / 2000)^2 / 6 of the area inside a disc
        assert area == pytest.approx(cut.area, rel=2e-5, abs=1e-6)
        if cut.area > 1e-3:
            assert middle == pytest.approx((cut.centroid.x, cut.centroid.y), abs=1e-4)
    assert submerged(Polygon.box(0.5, 0.5), (0.0, 3.0), 0.3, 0.0)[0] == 0.0


@pytest.mark.parametrize("water", [1.0, 1.6])
def test_everything_floats_as_deep_as_its_density_says(water: float) -> None:
    demo = Buoyancy(values={"water": water})
    _run(demo, 720)
    shares = demo.shares()
    assert len(shares) == len(BODIES)
    for _, share, predicted in shares:
        assert abs(share - predicted) <= ALLOWED
    assert sum(predicted < 1.0 for _, _, predicted in shares) == (6 if water == 1.0 else 7)


@pytest.mark.parametrize(("pulled", "gap"), [(1, 5.0), (2, 10.0)])
def test_as_much_leaves_the_cradle_as_came_in(pulled: int, gap: float) -> None:
    demo = NewtonsCradle(values={"pulled": pulled, "gap": gap})
    while demo.blow is None and demo.steps < 600:
        demo.sim.step()
    assert demo.blow is not None
    before, after = demo.blow
    assert demo.first == before
    assert abs(before - demo.predicted) <= ALLOWED_MOMENTUM * demo.predicted
    assert abs(after - before) <= ALLOWED_MOMENTUM * before
    # as many balls as came in carry it
    speeds = [demo.world.state(ball).linear_velocity[0] for ball in demo.balls]
    assert sum(speeds[-pulled:]) > 0.9 * sum(speeds)
    assert 0.97 < demo.energy <= 1.01


@pytest.mark.parametrize("shot", ["bullet", "ball"])
def test_a_step_that_ends_in_the_tower_decides_without_the_flag(shot: str) -> None:
    seen = set()
    for phase in (0.0, 0.2, 0.4, 0.6, 0.8):
        demo = TowerHit(values={"phase": phase, "shot": shot})
        while not demo.is_past:
            demo.sim.step()
        assert demo.hit == [True, demo.predicted]
        seen.add(demo.predicted)
    assert seen == {True, False}


@pytest.mark.parametrize("speed", [30.0, 100.0])
def test_the_strike_at_the_tower_can_be_seen(speed: float) -> None:
    """In the window the flight takes more than a second, the strike too, and what falls then falls as fast as it does."""
    demo = TowerHit(values={"speed": speed})
    session = Session(demo, (0, 0, 640, 480))
    frames = {"flight": 0, "strike": 0, "fall": 0}
    struck: int | None = None
    while demo.steps < 200:
        session.advance(1.0 / 60.0)
        if struck is None and demo.hit[0]:
            struck = demo.steps
        frames["flight" if struck is None else "strike" if demo.steps < struck + 6 else "fall"] += 1
    assert 60 < frames["flight"] < 200 and frames["strike"] > 40 and session.clock.speed == 1.0
    assert struck is not None and frames["fall"] < 400
    demo.sim.act(PressKey("return"))
    session.advance(1.0 / 60.0)
    assert session.clock.speed < 0.2, "the next shot is as slow"
    session.clock.faster()
    chosen = session.clock.speed
    for _ in range(300):
        session.advance(1.0 / 60.0)
    assert session.clock.speed == chosen, "whoever has chosen a speed keeps it"


@pytest.mark.parametrize("turn", [5.0, 20.0])
def test_boxes_let_go_where_the_slope_is_their_friction(turn: float) -> None:
    demo = TiltedBoard(values={"turn": turn})
    _run(demo, round(60.0 * 48.0 / turn))
    assert all(demo.is_as_predicted(k) for k in range(N_BOXES))
    found = [angle for angle in demo.slid if angle is not None]
    assert found == sorted(found)


def test_balls_come_back_to_e_squared_of_the_height() -> None:
    demo = Bounce()
    while "rises" in demo.phases or "falls" in demo.phases:
        demo.sim.step()
        assert demo.steps < 400
    errors = [abs(demo.tops[k] - demo.predicted(k)) for k in range(N_BALLS)]
    assert max(errors) <= demo.allowed < 0.1 and demo.impact == pytest.approx(math.sqrt(80.0))
    assert demo.predicted(N_BALLS - 1) == demo.parameter("height")


@pytest.mark.parametrize("restitution", [1.0, 0.6])
def test_discs_are_thrown_back_by_the_law_of_reflection(restitution: float) -> None:
    demo = Scattering(values={"restitution": restitution, "shots": 15})
    while len(demo.turned) < 15:
        demo.sim.step()
        assert demo.steps < 120
    for angle, low, high in demo.angles():
        assert low - 1e-4 <= angle <= high + 1e-4


def test_a_disc_that_is_hit_in_the_middle_throws_straight_back_and_one_that_is_grazed_hardly_turns() -> None:
    assert abs(thrown_back(0.0, 1.0, 10.0, 1.0)) == pytest.approx(math.pi)
    assert thrown_back(0.5, 1.0, 10.0, 1.0) == pytest.approx(math.pi - 2.0 * math.asin(0.5))
    assert thrown_back(-0.5, 1.0, 10.0, 1.0) == pytest.approx(2.0 * math.asin(0.5) - math.pi)
    # slower than 1 m/s along the normal nothing bounces: it goes on along the tangent
    assert thrown_back(0.999, 1.0, 10.0, 1.0) == pytest.approx(math.pi / 2.0 - math.asin(0.999))
