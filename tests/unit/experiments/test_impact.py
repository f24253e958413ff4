"""Our time of impact and Box2D's stop: within the window derived from `b2TimeOfImpact`'s target, for every kind of target."""

import math

import pytest

from engine.common.tolerances import BOX2D_TOI_TOLERANCE, LINEAR_SLOP
from engine.experiments.impact import Approach, rounding
from engine.experiments.range import fire
from engine.experiments.shot import run_shot
from engine.experiments.spec import ShotSpec
from tests.unit.experiments.test_shot import random_shots

LATE_BLADES = 0.05
"""Share. b2TimeOfImpact looks at the end of the interval only once an axis parts the shapes there, and so passes over a touch of the
blade's that comes and goes, or one that only a corner makes: measured on these shots 1 of 118, and with
boxes, thin blades and flatter angles 8 of 471."""


def test_a_head_on_wall_has_a_window_of_depth_over_speed():
    spec = ShotSpec(rule="bullet", speed=100.0)
    shot = run_shot(spec)
    assert shot.stop_window is not None and shot.impact_time_ours is not None and shot.stop_time_ours is not None
    depths = [(time - shot.impact_time_ours) * 100.0 for time in (shot.stop_window[0], shot.stop_time_ours, shot.stop_window[1])]
    slack = rounding(spec)
    assert slack < 1e-4
    assert (depths[0], depths[2]) == pytest.approx((2.75 * LINEAR_SLOP - slack, 3.25 * LINEAR_SLOP + slack), abs=1e-6)
    assert depths[1] == pytest.approx(3.0 * LINEAR_SLOP, abs=BOX2D_TOI_TOLERANCE)


def test_the_blade_is_met_in_time_or_late_but_never_early():
    """The larger tolerance is the blade's float32 angle error times its length; Box2D may miss a contact but never reports a false one."""
    shots = [run_shot(spec) for rule in ("bullet", "default") for spec in random_shots("blade", rule, 30, 3)]
    stopped = [shot for shot in shots if shot.stop_window is not None and math.isfinite(shot.stop_window[1])]
    assert len(stopped) >= 30
    for shot in stopped:
        assert shot.stop_window is not None
        assert shot.impact_time is None or shot.impact_time >= shot.stop_window[0], shot.spec
    assert sum(not shot.is_in_time for shot in stopped) <= LATE_BLADES * len(stopped)
    spinning, still = (ShotSpec(target="blade", target_speed=speed) for speed in (40.0, 0.0))
    assert rounding(still) < rounding(spinning) < 5e-4


def test_times_of_contact_match_geometry():
    """A disc at 50 m/s hits a wall, including the skin, when its front has covered the distance; b2TimeOfImpact aims 15 mm deeper."""
    spec = ShotSpec(speed=50.0, thickness=0.2, radius=0.1, rule="bullet")
    shot, way = fire(spec), -spec.start[0] - spec.reach
    long, short = Approach(shot, 1.0), Approach(shot, 0.5 * way / 50.0)
    assert long.first_touch == pytest.approx(way / 50.0, abs=1e-7)
    assert long.stop_time == pytest.approx((way + 0.015) / 50.0, abs=BOX2D_TOI_TOLERANCE / 50.0)
    assert short.first_touch is short.stop_window is None
