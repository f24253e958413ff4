"""Limitations of Box2D: each rule is compared with Box2D's behavior, row by row where rows are predictable."""

import json
import math
from pathlib import Path

import pytest

from engine.compare.pair.answers import ask
from engine.compare.pair.file import load_pair
from engine.contracts import Status
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.missed_touch import MISSED, Crossing, Passage, find_missed, measure_missed
from engine.experiments.limitations.motion_cap import measure_cap
from engine.experiments.limitations.rows import (
    flagged,
    measure_sensors,
    measure_shares,
    measure_switches,
    measure_thin_bodies,
    sampling_error,
)
from engine.experiments.limitations.seams import GROUNDS, SOLVER_SHARE, first_bump, measure_seams, measure_slides
from engine.experiments.limitations.threshold import APPROACHES, DROPS, LYING, dropped_balls, measure_threshold, predicted_drop
from engine.experiments.tunneling import chances
from engine.geometry import Polygon

PAIR_FILE = Path(__file__).resolve().parents[3] / "demos" / "pairs" / "toi_through.json"


def measured(findings, what):
    assert all(finding.holds for finding in findings)
    (value,) = [finding.measured for finding in findings if finding.what == what]
    return value


@pytest.mark.parametrize("target", ["sensor", "static", "kinematic", "dynamic"])
@pytest.mark.parametrize(("continuous", "bullet"), [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize(("speed", "thickness"), [(30.0, 0.02), (100.0, 0.2), (300.0, 0.05)])
def test_each_row_follows_the_rule(target, continuous, bullet, speed, thickness):
    shot = flagged(target, speed, thickness, continuous, bullet)
    shares, law = measure_shares(shot, 40, seed=3), chances(shot.spec)
    assert shares.n_surprises == 0
    assert abs(shares.seen - law.hit) <= sampling_error(law.hit, 40)
    assert abs(shares.passed - law.tunneled) <= sampling_error(law.tunneled, 40)


@pytest.mark.parametrize(
    ("measure", "shares"),
    [
        (measure_sensors, (False, False, True, True)),
        (measure_thin_bodies, (False, False, True, False)),
        (measure_switches, (True, True, False, False, False)),
    ],
)
def test_which_of_many_bullets_are_detected_or_pass(measure, shares):
    """A sensor misses most with or without the flag, and a swept test none; only flag and continuous physics together stop them all."""
    findings = measure(n_shots=60)
    assert all(finding.holds for finding in findings)
    assert tuple(finding.measured > 0.5 for finding in findings) == shares
    assert all(finding.measured in (0.0, 1.0) for finding in findings if finding.predicted in (0.0, 1.0))
    assert measure is measure_thin_bodies or findings[0].measured == findings[1].measured, "the flag alone changes nothing"


@pytest.mark.parametrize("hertz", [15.0, 60.0, 240.0])
def test_the_cap_grows_with_the_step_rate(hertz):
    findings = measure_cap(hertz)
    assert measured(findings, "set to 720 m/s: speed") == pytest.approx(min(720.0, 2.0 * hertz), rel=1e-6)
    assert measured(findings, "set to 360 rad/s: spin") == pytest.approx(min(360.0, 0.5 * math.pi * hertz), rel=1e-6)


def test_box2d_misses_the_stored_case():
    findings = measure_missed()
    assert measured(findings, "our time of impact: first contact, fraction of the step") == pytest.approx(0.2171, abs=5e-5)
    assert measured(findings, "deepest overlap, skins included") > 0.4
    assert measured(findings, "contacts that b2TimeOfImpact finds") == 0.0
    for bullet in (False, True):
        passage = Passage(bullet=bullet)
        passage.step()
        passage.step()
        assert passage.n_contacts == 0 and passage.is_behind()


def test_the_stored_case_equals_the_pair_file_and_the_referee_explains_it():
    pair = load_pair(PAIR_FILE)
    assert pair.shape_a == Polygon.box(*MISSED.plate) and pair.shape_b == Polygon.box(*MISSED.rod)
    assert pair.sweep_b == MISSED.sweep and pair.end_a == pair.pose_a
    assert json.loads(PAIR_FILE.read_text(encoding="utf-8"))["b"]["pose"] == list(MISSED.start)
    answers = ask(pair)
    assert (answers.verdict, answers.reason) == ("explained", "toi_missed")


def test_missed_contacts_have_a_face_that_separates_at_both_ends():
    search = find_missed(seed=1, n_tries=10_000)
    assert search.n_asked > 500 and 3 <= len(search.missed) < 0.02 * search.n_asked
    for crossing in search.missed:
        assert crossing.is_hidden and crossing.box2d_status() == Status.MISS and crossing.our_touch() is not None


def test_a_crossing_without_rotation_is_detected():
    straight = Crossing(MISSED.plate, MISSED.rod, (0.0, 1.0, 0.0), (0.0, -0.9, 0.0))
    assert straight.box2d_status() == Status.HIT and not straight.is_hidden
    passage = Passage(straight)
    passage.step()
    assert passage.n_contacts == 1 and not passage.is_behind()


@pytest.mark.parametrize(("slider", "bumpy"), [("box", {"tiles"}), ("disc", {"tiles", "edges"})])
def test_seams_trip_bodies_as_predicted(slider, bumpy):
    for ground in GROUNDS:
        counts = measure_slides(ground, slider, 7.0, 20)
        assert counts.n_surprises <= 1  # many hops too small to count may add up
        assert counts.speed_error <= SOLVER_SHARE * 7.0
        assert (counts.bumped > 0.0) == (ground in bumpy)
        assert (counts.mean_loss > 0.05) == (ground in bumpy)
    assert all(finding.holds for finding in measure_seams(slider, 7.0, 20))


def test_a_box_that_trips_keeps_three_eighths():
    bump = first_bump("tiles", "box", 8.0, 0.733)
    assert bump.vx == bump.vy == pytest.approx(0.375 * (8.0 - 10.0 / 60.0))
    assert first_bump("chain", "box", 8.0, 0.733) is None


def test_a_disc_caught_farther_from_the_corner_hops_higher():
    near, far = first_bump("edges", "disc", 6.0, 0.97), first_bump("edges", "disc", 6.0, 0.95)
    assert near is not None and far is not None and near.step == far.step == 1
    assert far.vx < near.vx < 6.0 and far.vy > near.vy > 0.0


@pytest.mark.parametrize("restitution", [1.0, 0.5, 0.05, 0.0])
def test_nothing_bounces_at_one_meter_a_second_or_less(restitution):
    findings = measure_threshold(restitution)
    assert all(finding.holds for finding in findings)
    for approach, finding in zip(APPROACHES, findings, strict=False):
        assert finding.measured == pytest.approx(restitution * approach if approach > 1.0 else 0.0, abs=1e-6)


def test_no_drop_of_the_experiment_ends_inside_a_step():
    drops = dropped_balls(1.0)
    assert not any(drops.world.step().in_toi.any() for _ in range(40))
    assert [predicted_drop(drop)[1] for drop in DROPS] == [drop > 0.05 for drop in DROPS]


def test_a_ball_that_does_not_bounce_rests_in_the_skin_as_predicted():
    """It rests neither at 0 nor at an arbitrary height within the skin, but at 5 mm, or at the height after the last step of its fall."""
    findings = measure_threshold(1.0)[len(APPROACHES) :]
    lying = {drop: finding for drop, finding in zip(DROPS, findings, strict=True) if "does not bounce" in finding.what}
    assert list(lying) == [0.02, 0.03, 0.04, 0.05]
    for drop, finding in lying.items():
        assert finding.predicted == pytest.approx(0.05 - 15 * 10.0 / 3600.0 if drop == 0.05 else LYING, abs=1e-6)
        assert finding.measured == pytest.approx(finding.predicted, abs=1e-6) and finding.allowance < 1e-5


def test_text_of_a_finding():
    share = Finding("seen", 0.132, 0.15, "%", 0.05, 1)
    assert share.holds and share.words == "seen: predicted 13.2 % | measured 15.0 %"
    assert Finding("lost", None, -1e-9, "m/s").words == "lost: measured 0.00 m/s"
    assert not Finding("flies", 120.0, 110.0, "m/s", 1.0).holds
