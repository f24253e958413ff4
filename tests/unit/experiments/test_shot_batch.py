"""A shot in a batch is the shot alone; and what Box2D does follows the law where the law claims it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.common.rng import stream
from engine.experiments import tunneling
from engine.experiments.shot import phases, run_shot
from engine.experiments.shot_batch import has_lanes, run_batch
from engine.experiments.spec import ShotSpec

N_SHOTS = 4


@pytest.mark.parametrize("rule", ["discrete", "default", "bullet"])
@pytest.mark.parametrize("target", ["static", "kinematic", "dynamic", "sensor", "head_on"])
def test_every_shot_comes_out_as_it_does_alone(target, rule):
    rng = stream(2, "tests", "batch", target, rule)
    for k in range(4):
        spec = ShotSpec(
            speed=float(10.0 ** rng.uniform(0.5, 2.7)),
            thickness=float(10.0 ** rng.uniform(-3.0, 0.0)),
            hertz=float(rng.choice([30.0, 60.0, 144.0])),
            radius=float(10.0 ** rng.uniform(-2.5, -0.3)),
            target=target,
            rule=rule,
            target_speed=float(rng.uniform(-10.0, 60.0)) if target in ("kinematic", "head_on") else 0.0,
            restitution=float(rng.choice([0.0, 0.5])),
            shape="box" if k == 3 else "disc",
        )
        at = phases(k, N_SHOTS)
        batch = run_batch(spec, at)
        alone = [run_shot(replace(spec, phase=phase)) for phase in at]
        assert batch.hit.tolist() == [shot.hit for shot in alone], spec
        assert batch.tunneled.tolist() == [shot.tunneled for shot in alone], spec


def test_the_size_of_a_batch_changes_nothing():
    spec, at = ShotSpec(speed=40.0, thickness=0.3), phases(9, 60)
    together = run_batch(spec, at)
    parts = [run_batch(spec, at[k : k + 7]) for k in range(0, 60, 7)]
    assert together.hit.tolist() == [hit for part in parts for hit in part.hit.tolist()]
    assert together.tunneled.tolist() == [through for part in parts for through in part.tunneled.tolist()]
    assert 0 < together.tunneled.sum() < 60


def test_what_cannot_share_a_world_is_shot_one_by_one():
    spec, at = ShotSpec(target="blade"), (0.02, 0.5)
    assert not has_lanes(spec)
    assert run_batch(spec, at).tunneled.tolist() == [run_shot(replace(spec, phase=phase)).tunneled for phase in at]


@pytest.mark.parametrize("angle", [0.0, 0.7])
@pytest.mark.parametrize("target_speed", [-20.0, 30.0])
def test_moving_walls_follow_the_law_shot_by_shot(angle, target_speed):
    spec = ShotSpec(speed=70.0, thickness=0.3, radius=0.1, target="kinematic", angle=angle, target_speed=target_speed)
    at = np.array(phases(4, 100))
    should, is_certain = tunneling.tunnels_by_phase(spec, at)
    assert (run_batch(spec, at.tolist()).tunneled == should)[is_certain].all()
    assert should.any() and not should.all() and is_certain.sum() > 95


def test_a_sensor_stops_nothing_and_misses_what_the_law_says():
    spec, at = ShotSpec(speed=100.0, thickness=0.1, target="sensor", rule="bullet"), np.array(phases(4, 200))
    batch = run_batch(spec, at.tolist())
    assert batch.tunneled.all()
    short = at * spec.closing  # of the middle plane, by the last position before it; the next is `closing - short` past it
    assert (batch.hit == (np.minimum(short, spec.closing - short) <= spec.reach)).all()
