"""The range on our own solver: nothing goes through, every first contact is in time, and discrete steps follow the law."""

from __future__ import annotations

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.experiments.shot import run_burst, run_shot, scatter
from engine.experiments.shot_batch import run_batch
from engine.experiments.spec import TARGETS, ShotSpec

OURS = "soft_step"


def shot(target, seed):
    """Draw a shot from all that a target allows."""
    rng = np.random.default_rng((TARGETS.index(target), seed))

    def log(low, high):
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    return ShotSpec(
        speed=log(5.0, 5000.0),
        thickness=log(0.001, 0.5),
        hertz=float(rng.choice((30.0, 60.0, 120.0))),
        radius=log(0.01, 0.3),
        target=target,
        phase=float(rng.random()),
        rule="default",
        angle=float(rng.choice((0.0, 1.0)) * rng.uniform(-1.0, 1.0)),
        height=float(rng.choice((0.0, 1.0)) * rng.uniform(-0.3, 0.3)),
        restitution=float(rng.choice((0.0, 0.5, 1.0))),
        target_speed=float(rng.choice((-1.0, 0.0, 1.0))) * log(1.0, 500.0),
        shape=str(rng.choice(("disc", "box"))),  # one of them
        turn=float(rng.uniform(0.0, 6.0)),
        solver=OURS,
    )


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_goes_through_any_target(target):
    for seed in range(3):
        spec = shot(target, seed)
        found = run_shot(spec)
        assert found.agrees and (target == "sensor" or not found.tunneled), (seed, spec, found.verdict)
        assert found.is_in_time, (seed, spec, found.impact_time, found.stop_window)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_nothing_goes_through_in_hundreds_of_shots(target):
    for seed in range(3, 300):
        spec = shot(target, seed)
        found = run_shot(spec)
        assert found.agrees and (target == "sensor" or not found.tunneled), (seed, spec, found.verdict)


@pytest.mark.parametrize("target", ["static", "dynamic", "kinematic", "head_on"])
def test_discrete_steps_follow_the_law(target):
    spec = ShotSpec(speed=25.0, thickness=0.2, target=target, target_speed=5.0 if target == "kinematic" else 0.0, solver=OURS)
    series = run_burst(spec, scatter(spec, 15, 3))
    assert not series.surprises and all(found.is_in_time for found in series.shots)
    assert 0.0 < series.tunneled_share < 1.0


def test_no_speed_is_capped():
    spec = ShotSpec(speed=6000.0, solver=OURS)
    assert not spec.is_capped and spec.travel == 100.0
    found = run_shot(spec)
    assert found.positions[1][0] - found.positions[0][0] == pytest.approx(100.0)


def test_lanes_do_what_shots_alone_do():
    spec, phases = ShotSpec(speed=40.0, thickness=0.2, solver=OURS), np.random.default_rng(2).random(12).tolist()
    batch = run_batch(spec, phases)
    alone = [run_shot(each) for each in (ShotSpec(speed=40.0, thickness=0.2, solver=OURS, phase=phase) for phase in phases)]
    assert batch.tunneled.tolist() == [found.tunneled for found in alone]
    assert batch.hit.tolist() == [found.hit for found in alone]


def test_a_rule_that_drives_box2d_is_refused():
    with pytest.raises(InvalidInputError, match=r"^rule must be one of discrete, default, bullet"):
        ShotSpec(rule="swept", solver=OURS)
    with pytest.raises(InvalidInputError, match=r"^solver must be one of"):
        ShotSpec(solver="none")
