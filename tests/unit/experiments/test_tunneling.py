"""The laws of the atlas against counting: positions of uniform phase, and what Box2D 2.3 does with each."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.common.rng import stream
from engine.experiments import tunneling

SKIN = 0.01


def counted(way, zone, n=200_000):
    """Shares seen and let through, of positions x_k = (k - phase) way, by the rule of the nearest face and nothing else."""
    phase = stream(3, "tests", "law").random(n)
    first = np.ceil((phase * way - zone) / way) * way - phase * way  # the first position not before the zone
    seen = first <= zone
    return float(seen.mean()), float((~(seen & (first < 0.0))).mean())


@pytest.mark.parametrize(("speed", "thickness", "radius"), [(5.0, 0.05, 0.05), (20.0, 0.3, 0.1), (60.0, 0.01, 0.02), (110.0, 1.5, 0.4)])
def test_the_chances_are_the_shares_of_positions(speed, thickness, radius):
    way, zone = float(tunneling.approach(speed, 60.0)), float(tunneling.reach(thickness, radius))
    hit, tunneled = counted(way, zone)
    assert float(tunneling.hit_probability(way, zone)) == pytest.approx(hit, abs=0.005)
    assert float(tunneling.tunnel_probability(way, zone)) == pytest.approx(tunneled, abs=0.005)


def test_seen_is_twice_as_often_as_stopped_where_a_step_is_long():
    way, zone = 1.9, tunneling.reach(0.05, 0.05)
    assert float(tunneling.hit_probability(way, zone)) == pytest.approx((0.05 + 2 * 0.05 + 2 * SKIN) / 1.9)
    assert float(tunneling.hit_probability(way, zone)) == pytest.approx(2.0 * (1.0 - float(tunneling.tunnel_probability(way, zone))))


def test_the_border_lies_at_one_zone_a_step():
    zone = float(tunneling.reach(0.2, 0.1))
    assert float(tunneling.tunnel_probability(zone, zone)) == 0.0
    assert float(tunneling.tunnel_probability(1.01 * zone, zone)) > 0.0
    assert float(tunneling.hit_probability(1.99 * zone, zone)) == 1.0


def test_no_way_is_longer_than_the_cap_and_each_body_has_its_own():
    assert tunneling.step_way(np.array([60.0, 120.0, 900.0, -900.0]), 60.0).tolist() == [1.0, 2.0, 2.0, -2.0]
    assert float(tunneling.approach(900.0, 60.0, 0.0, 900.0)) == 4.0
    assert float(tunneling.approach(900.0, 60.0, math.radians(60.0))) == pytest.approx(1.0)
    assert float(tunneling.approach(60.0, 60.0, 0.0, -90.0)) == -0.5


def test_who_runs_away_is_never_hit():
    assert (float(tunneling.hit_probability(-0.5, 0.1)), float(tunneling.tunnel_probability(-0.5, 0.1))) == (0.0, 0.0)
    assert (float(tunneling.hit_probability(0.0, 0.1)), float(tunneling.tunnel_probability(0.0, 0.1))) == (0.0, 0.0)
    assert not tunneling.tunnels_by_phase(-0.5, 0.1, np.array([0.1, 0.9])).any()


def test_reach_of_discs_and_of_boxes_turned():
    assert float(tunneling.reach(0.2, 0.05)) == pytest.approx(0.1 + 0.05 + SKIN)
    assert float(tunneling.reach(0.2, 0.05, "box")) == pytest.approx(0.1 + 0.05 + 2 * SKIN)
    for turned in (0.3, -0.3, 1.2):
        corners = 0.05 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        width = max(corners @ (math.cos(turned), math.sin(turned)))
        assert float(tunneling.reach(0.2, 0.05, "box", turned)) == pytest.approx(0.1 + width + 2 * SKIN)


def test_phases_agree_with_the_chance():
    phase = stream(5, "tests", "law").random(100_000)
    assert tunneling.tunnels_by_phase(0.7, 0.25, phase).mean() == pytest.approx(float(tunneling.tunnel_probability(0.7, 0.25)), abs=0.01)


@pytest.mark.parametrize(("way", "turned"), [(1.7, 0.35), (0.9, 0.2), (0.3, 0.3), (1.5, -1.3), (1.2, math.pi / 4), (1.2, 0.0)])
def test_boxes_with_a_corner_ahead_lose_a_stretch_of_the_zone(way, turned):
    """The stretch's chance is the share of its phases; none for a box that is flat, or on its tip, where a corner takes all."""
    zone = float(tunneling.reach(0.05, 0.3, "box", turned))
    phase = stream(6, "tests", "law").random(200_000)
    lost = tunneling.corner_tunnels(way, zone, 0.3, turned, phase)
    assert float(tunneling.corner_probability(way, zone, 0.3, turned)) == pytest.approx(lost.mean(), abs=0.005)
    assert not (lost & tunneling.tunnels_by_phase(way, zone, phase)).any()
    assert lost.any() == (0.0 < abs(turned) != math.pi / 4 and way > 0.5)


def test_kept_speed_is_that_of_a_collision_on_a_line():
    m, plate, e = 0.4, 0.1, 0.5
    kept = float(tunneling.kept_speed(m, plate, e))
    other = (m - m * kept) / plate  # momentum
    assert other - kept == pytest.approx(e)  # and restitution, for unit speed
    assert float(tunneling.kept_speed(1.0, 1.0)) == 0.5


def test_standard_errors():
    assert float(tunneling.standard_errors(0.6, 0.5, 100)) == pytest.approx(2.0)
    assert float(tunneling.standard_errors(0.0, 0.0, 100)) == 0.0
    assert float(tunneling.standard_errors(0.01, 0.0, 100)) == math.inf
