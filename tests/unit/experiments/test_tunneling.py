"""Compares the laws of the atlas with counts: positions of uniform phase, and Box2D 2.3's response to each."""

import math

import numpy as np
import pytest

from engine.common.rng import stream
from engine.experiments import tunneling
from engine.experiments.shot_batch import run_batch
from engine.experiments.spec import ShotSpec
from engine.experiments.tunneling import chances

SKIN = 0.01


def counted(way, zone, n=200_000):
    """Shares of detected and passed shots for positions x_k = (k - phase) way, by the nearest-face rule alone."""
    phase = stream(3, "tests", "law").random(n)
    first = np.ceil((phase * way - zone) / way) * way - phase * way  # the first position not before the zone
    seen = first <= zone
    return float(seen.mean()), float((~(seen & (first < 0.0))).mean())


@pytest.mark.parametrize(("speed", "thickness", "radius"), [(5.0, 0.05, 0.05), (20.0, 0.3, 0.1), (60.0, 0.01, 0.02), (110.0, 1.5, 0.4)])
def test_probabilities_equal_the_shares_of_positions(speed, thickness, radius):
    spec = ShotSpec(speed=speed, thickness=thickness, radius=radius)
    assert chances(spec) == pytest.approx(counted(spec.closing, spec.reach), abs=0.005)
    through, is_certain = tunneling.tunnels_by_phase(spec, stream(5, "tests", "law").random(100_000))
    assert through.mean() == pytest.approx(chances(spec).tunneled, abs=0.01) and is_certain.mean() > 0.99


def test_for_long_steps_detection_is_twice_as_likely_as_stopping():
    law = chances(ShotSpec(speed=114.0, thickness=0.05, radius=0.05))
    assert law.hit == pytest.approx((0.05 + 2 * 0.05 + 2 * SKIN) / 1.9) == pytest.approx(2.0 * (1.0 - law.tunneled))


def test_the_boundary_is_at_one_zone_per_step():
    zone = ShotSpec(thickness=0.2, radius=0.1).reach
    at, beyond, twice = (chances(ShotSpec(speed=share * zone * 64.0, hertz=64.0, thickness=0.2, radius=0.1)) for share in (1.0, 1.01, 1.99))
    assert at.tunneled == 0.0 < beyond.tunneled and twice.hit == 1.0


@pytest.mark.parametrize(
    ("more", "way"),
    [({}, 2.0), ({"target_speed": 900.0}, 4.0), ({"angle": math.radians(60.0)}, 1.0), ({"speed": 60.0, "target_speed": -90.0}, -0.5)],
)
def test_no_displacement_exceeds_the_cap_of_its_body(more, way):
    spec = ShotSpec(**{"speed": 900.0, "target": "kinematic"} | more)
    assert spec.closing == pytest.approx(way)
    assert way > 0.0 or chances(spec) == (0.0, 0.0), "who runs away is never hit"


@pytest.mark.parametrize("turned", [0.0, 0.3, -0.3, 1.2])
def test_reach_of_rotated_boxes(turned):
    corners = 0.05 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    width = max(corners @ (math.cos(turned), math.sin(turned)))
    assert ShotSpec(thickness=0.2, shape="box", angle=turned).reach == pytest.approx(0.1 + width + 2 * SKIN)


@pytest.mark.parametrize(("way", "turned"), [(1.7, 0.35), (0.9, 0.2), (0.3, 0.3), (1.5, -1.3), (1.2, math.pi / 4), (1.2, 0.0)])
def test_boxes_with_a_corner_ahead_lose_part_of_the_zone(way, turned):
    """The probability of the interval is the share of its phases; zero for a box that arrives flat or exactly on its tip."""
    spec = ShotSpec(speed=0.0, target="kinematic", target_speed=60.0 * way, shape="box", radius=0.3, angle=turned)
    through, _ = tunneling.tunnels_by_phase(spec, stream(6, "tests", "law").random(200_000))
    plain = max(0.0, 1.0 - spec.reach / spec.closing)
    assert through.mean() == pytest.approx(chances(spec).tunneled, abs=0.005)
    assert (chances(spec).tunneled > plain + 1e-9) == (0.0 < abs(turned) != math.pi / 4 and way > 0.5)


def test_standard_errors():
    assert float(tunneling.standard_errors(0.6, 0.5, 100)) == pytest.approx(2.0)
    assert float(tunneling.standard_errors(0.0, 0.0, 100)) == 0.0
    assert float(tunneling.standard_errors(0.01, 0.0, 100)) == math.inf


@pytest.mark.parametrize(
    ("solver", "rule", "more"),
    [
        ("chipmunk", "bullet", {"speed": 8.0}),
        ("box2d3", "discrete", {"speed": 20.0}),
        ("box2d3", "default", {"speed": 200.0, "thickness": 0.01, "radius": 0.01}),
        ("box2d3", "default", {"speed": 200.0, "thickness": 0.01, "radius": 0.02}),
        ("box2d3", "bullet", {"speed": 250.0, "thickness": 0.01, "target": "kinematic"}),
        ("box2d3", "bullet", {"speed": 250.0, "thickness": 0.01, "target": "dynamic"}),
    ],
)
def test_other_engines_obey_the_law_for_each_phase(solver, rule, more):
    pytest.importorskip({"box2d3": "pyb2d3", "chipmunk": "pymunk"}[solver])
    spec = ShotSpec(solver=solver, rule=rule, **more)
    phases = stream(7, "tests", "engines").random(16)
    fired = run_batch(spec, phases.tolist())
    should, is_certain = tunneling.tunnels_by_phase(spec, phases)
    assert is_certain.any() and np.array_equal(fired.tunneled[is_certain], should[is_certain])
    assert fired.hit.all() == (chances(spec).hit == 1.0)


def test_the_soft_contacts_of_box2d_3_let_a_swept_disc_through():
    small, large = (ShotSpec(200.0, 0.01, 60.0, radius=radius, rule="default", solver="box2d3") for radius in (0.01, 0.02))
    assert chances(small) == pytest.approx((1.0, 1.0 - 0.02 / (200.0 / 60.0))) and chances(large).tunneled == 0.0
