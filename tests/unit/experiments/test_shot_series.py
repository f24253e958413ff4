"""Bursts: phases, jitter, shares, and the laws they follow."""

from __future__ import annotations

import math

import pytest

from engine.common.errors import InvalidInputError
from engine.experiments.shot import Jitter, run_burst, scatter
from engine.experiments.shot import phases as phases_of
from engine.experiments.spec import ShotSpec
from engine.experiments.tunneling import Prediction, predict


def test_a_seed_gives_the_same_burst_and_the_phases_do_not_depend_on_the_jitter():
    spec = ShotSpec(angle=0.1)
    plain, jittered = scatter(spec, 50, 7), scatter(spec, 50, 7, Jitter(angle=0.05, height=0.1))
    assert jittered == scatter(spec, 50, 7, Jitter(angle=0.05, height=0.1))
    assert [shot.phase for shot in plain] == [shot.phase for shot in jittered] == list(phases_of(7, 50))
    angles, heights = [shot.angle for shot in jittered], [shot.height for shot in jittered]
    assert all(0.05 <= angle <= 0.15 for angle in angles) and max(angles) - min(angles) > 0.08
    assert all(abs(height) <= 0.1 for height in heights) and min(heights) < -0.05 and max(heights) > 0.05
    assert scatter(spec, 1, 7, Jitter(angle=0.05)) == (spec,)


@pytest.mark.parametrize(("name", "value"), [("angle", -0.1), ("height", math.inf), ("turn", math.nan)])
def test_a_jitter_is_a_width(name, value):
    with pytest.raises(InvalidInputError, match=f"^{name} must be"):
        Jitter(**{name: value})


def test_a_jitter_out_of_range_is_refused():
    with pytest.raises(InvalidInputError, match=r"^angle must be"):
        scatter(ShotSpec(angle=1.39), 100, 0, Jitter(angle=0.1))


@pytest.mark.parametrize(
    ("spec", "n"),
    [
        (ShotSpec(speed=60.0, thickness=0.4), 150),
        *(
            pytest.param(spec, 250, marks=pytest.mark.slow)
            for spec in (
                ShotSpec(speed=60.0, thickness=0.4, angle=0.7),
                ShotSpec(speed=60.0, thickness=0.3, target="kinematic", target_speed=25.0),
                ShotSpec(speed=60.0, thickness=0.3, target="kinematic", target_speed=-20.0, angle=0.3),
                ShotSpec(speed=60.0, thickness=0.3, target="sensor"),
                ShotSpec(speed=40.0, radius=0.2, target="head_on", target_speed=30.0),
                ShotSpec(speed=60.0, thickness=0.3, shape="box", restitution=0.5),
                ShotSpec(speed=60.0, thickness=0.3, target="dynamic", rule="default"),
            )
        ),
    ],
)
def test_shares_follow_the_laws(spec, n):
    """Binomial, three standard errors; and every single shot does what was predicted."""
    series, law = run_burst(spec, scatter(spec, n, 11)), predict(spec)
    assert series.surprises == ()
    for measured, chance in ((series.tunneled_share, law.tunnel_chance), (series.hit_share, law.hit_chance)):
        assert measured == pytest.approx(chance, abs=3.0 * math.sqrt(chance * (1.0 - chance) / n) + 1e-12)
    assert series.chance == pytest.approx(law.tunnel_chance) and series.predicted_share == series.tunneled_share


def test_where_nothing_is_derived_nothing_is_said():
    for spec in (
        ShotSpec(target="blade"),
        ShotSpec(shape="box", angle=0.3),
        ShotSpec(target="dynamic", height=0.2),
    ):
        assert predict(spec) == Prediction(), spec
    series = run_burst(ShotSpec(target="blade"), [ShotSpec(target="blade", phase=phase) for phase in (0.2, 0.7)])
    assert (series.predicted_share, series.chance, series.surprises) == (None, None, ())


def test_a_burst_that_is_jittered_off_the_law_has_none():
    spec = ShotSpec(target="dynamic")
    assert predict(spec).tunnel_chance is not None
    assert run_burst(spec, scatter(spec, 3, 0, Jitter(height=0.01))).chance is None
    askew = ShotSpec(angle=0.5)
    series = run_burst(askew, scatter(askew, 4, 0, Jitter(angle=0.2)))
    assert series.chance is not None and series.chance != predict(askew).tunnel_chance


def test_what_is_predicted_under_our_rules():
    for rule in ("bullet", "substeps", "swept"):
        assert predict(ShotSpec(rule=rule)) == Prediction(True, False, 1.0, 0.0)
    # so fast and thin that 0.1 ms, the shortest step, is too long: no longer certain
    assert predict(ShotSpec(rule="substeps", speed=1000.0, thickness=0.001, radius=0.001)) == Prediction()
    assert predict(ShotSpec(target="kinematic", target_speed=-200.0)) == Prediction(False, False, 0.0, 0.0)
