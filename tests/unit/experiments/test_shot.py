"""Laws of the bullet experiment, on Box2D; what goes through is never taken from a table of expected numbers."""

from __future__ import annotations

import math

import pytest

from engine.common.rng import stream
from engine.common.tolerances import LINEAR_SLOP
from engine.experiments.shot import phases, run_shot
from engine.experiments.spec import ShotSpec

FREE = ("static", "dynamic")
SWITCHES = ("discrete", "bullet")
"""Both of Box2D's switches off, and on."""

TOI_DEPTH = 3.0 * LINEAR_SLOP + 0.25 * LINEAR_SLOP
"""Meters by which `b2TimeOfImpact` lets a bullet into the skins: it aims at radii - 3 slop, within a quarter of the slop."""
POSITION_ROUNDING = 2e-5
"""Meters: float32 positions up to 200 m from the origin, a few additions."""


def random_specs(n_shots, seed):
    """Speeds over four, sizes over three decades; both targets, both switches."""
    rng = stream(seed, "tests", "shots")
    return [
        ShotSpec(
            speed=float(10.0 ** rng.uniform(-1.0, 3.0)),
            thickness=float(10.0 ** rng.uniform(-3.5, 0.5)),
            hertz=float(rng.choice([15.0, 30.0, 60.0, 144.0, 240.0])),
            radius=float(10.0 ** rng.uniform(-3.0, 0.0)),
            rule="bullet" if k % 2 else "discrete",
            target=FREE[k // 2 % 2],
            phase=float(rng.random()),
        )
        for k in range(n_shots)
    ]


@pytest.fixture(scope="module")
def random_shots():
    return [run_shot(spec) for spec in random_specs(100, seed=5)]


@pytest.mark.parametrize("target", FREE)
def test_the_standard_shot_goes_through_without_ccd_and_is_stopped_with_it(target):
    off, on = (run_shot(ShotSpec(speed=110.0, thickness=0.05, target=target, rule=rule)) for rule in SWITCHES)
    assert (off.tunneled, off.hit, off.stopped_at, off.impact_time, off.impact_point) == (True, False, None, None, None)
    assert (on.tunneled, on.hit) == (False, True)
    assert on.stopped_at is not None and -0.5 * 0.05 - 0.05 - 0.01 < on.stopped_at < 0.0


@pytest.mark.parametrize("target", FREE)
@pytest.mark.parametrize("rule", SWITCHES)
@pytest.mark.parametrize("speed", [0.5, 2.0, 4.0])
def test_a_slow_bullet_never_tunnels(target, rule, speed):
    for phase in (0.0, 0.3, 0.7, 0.999):
        shot = run_shot(ShotSpec(speed=speed, rule=rule, target=target, phase=phase))
        assert shot.hit and not shot.tunneled, (shot.spec, shot.verdict)


@pytest.mark.slow
def test_with_ccd_no_shot_tunnels(random_shots):
    assert [shot.spec for shot in random_shots if shot.spec.rule == "bullet" and shot.tunneled] == []


def test_every_shot_does_what_was_predicted(random_shots):
    assert [shot.spec for shot in random_shots if shot.tunneled != shot.prediction.tunnels] == []
    assert sum(shot.tunneled for shot in random_shots) > 8


def test_every_shot_hits_or_tunnels_and_some_do_both(random_shots):
    assert all(shot.hit or shot.tunneled for shot in random_shots)
    assert any(shot.hit and shot.tunneled for shot in random_shots)
    for shot in random_shots:
        caught = shot.hit and not shot.tunneled
        assert caught if shot.stopped_at is not None else not (caught and shot.spec.target == "static"), shot


def test_a_plate_that_is_pushed_on_at_most_of_the_speed_has_not_stopped_the_bullet():
    """Common momentum: of a free plate of mass M the bullet of mass m keeps m / (m + M) of its speed, and half is the border."""
    for radius in (0.02, 0.05, 0.1, 0.15, 0.3):
        for thickness in (0.005, 0.02, 0.1):
            spec = ShotSpec(radius=radius, thickness=thickness, target="dynamic", rule="bullet")
            bullet, plate = 5.0 * math.pi * radius**2, 4.0 * thickness * 1.6
            kept = bullet / (bullet + plate)
            shot = run_shot(spec)
            assert shot.hit and not shot.tunneled
            assert (shot.stopped_at is not None) == (kept < 0.5), (spec, kept, shot.verdict)
            if kept > 0.5:
                assert shot.verdict.endswith(f"pushes it along at {110.0 * kept:.3g} m/s")


def test_box2d_never_reports_an_impact_before_the_first_touch(random_shots):
    """Without CCD it is up to a step late, with it by the way into the skins that it aims at."""
    for shot in random_shots:
        if shot.impact_time is None:
            continue
        assert shot.impact_time_ours is not None
        late = (shot.impact_time - shot.impact_time_ours) * shot.spec.flown_speed
        allowed = TOI_DEPTH if shot.spec.rule == "bullet" else shot.spec.travel
        assert -POSITION_ROUNDING <= late <= allowed + POSITION_ROUNDING, (shot.spec, late)


def test_the_same_shot_twice_gives_the_same_numbers():
    for spec in (ShotSpec(phase=0.03), ShotSpec(rule="bullet", target="dynamic"), ShotSpec(rule="bullet", target="blade")):
        assert run_shot(spec) == run_shot(spec)


def test_speed_zero_never_arrives():
    shot = run_shot(ShotSpec(speed=0.0))
    assert (shot.hit, shot.tunneled, shot.impact_time_ours, shot.prediction.tunnels) == (False, False, None, False)
    assert shot.verdict == "the bullet does not move"


def test_the_cap_makes_all_faster_shots_one():
    capped, faster = (run_shot(ShotSpec(speed=speed, rule="bullet")) for speed in (150.0, 900.0))
    assert capped.impact_time == pytest.approx(faster.impact_time, rel=1e-5)


def test_the_middle_plane_divides_caught_from_helped_through():
    """Both see a contact; the two phases differ by four hundredths of a step."""
    before = run_shot(ShotSpec(phase=0.02))
    behind = run_shot(ShotSpec(phase=0.98))
    assert before.hit and not before.tunneled
    assert behind.hit and behind.tunneled
    assert "inside the wall" in before.verdict
    assert "past the wall's middle" in behind.verdict


def test_the_verdict_names_the_two_steps_that_the_target_lay_between():
    verdict = run_shot(ShotSpec(speed=120.0, target="dynamic")).verdict
    assert verdict == "tunneled: the plate lay between step 2 (x = -1.00 m) and step 3 (x = 1.00 m)"
    assert run_shot(ShotSpec(rule="bullet")).verdict.startswith("stopped at x = -0.07 m")


def test_phases_come_from_the_seed_and_a_single_shot_is_half_way():
    assert phases(3, 1) == (0.5,)
    assert phases(3, 10) == phases(3, 10)
    assert phases(3, 10) != phases(4, 10)
    assert all(0.0 <= phase < 1.0 for phase in phases(3, 1000))
