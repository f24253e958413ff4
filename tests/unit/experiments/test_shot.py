"""Single shots, series and batches, with Box2D and our solver: outcomes follow the law."""

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.experiments import tunneling
from engine.experiments.shot import Jitter, phases, run_burst, run_shot, scatter
from engine.experiments.shot_batch import has_lanes, run_batch
from engine.experiments.spec import RULES, TARGETS, ShotSpec, rules_of
from engine.experiments.tunneling import Prediction, predict
from engine.world import solvers

MOVING = ("kinematic", "head_on", "blade")
HELD = ("static", "kinematic", "dynamic", "head_on")
"""Targets whose first touch Box2D finds; it may pass over one of the blade's."""


def random_shots(target, rule, n, seed=1, solver="box2d", **fixed):
    """Speeds and sizes over decades, half of the shots oblique, a third of them boxes."""
    rng = stream(seed, "tests", "shots", target, rule, solver)
    shots = []
    for k in range(n):
        askew = k % 2
        values = {
            "speed": float(10.0 ** rng.uniform(0.0, 2.7)),
            "thickness": float(10.0 ** rng.uniform(-3.0, 0.0)),
            "hertz": float(rng.choice([30.0, 60.0, 144.0, 240.0])),
            "radius": float(10.0 ** rng.uniform(-2.0, -0.5)),
            "phase": float(rng.random()),
            "angle": askew * float(rng.uniform(-0.8, 0.8)),
            "restitution": float(rng.choice([0.0, 0.5, 1.0])),
            "target_speed": float(rng.uniform(-10.0, 60.0)) if target in MOVING else 0.0,
            "shape": "disc" if k % 3 else "box",
            "height": askew * float(rng.uniform(-0.15, 0.15)),
            "turn": float(rng.uniform(-0.7, 0.7)),
        }
        shots.append(ShotSpec(**values | {"target": target, "rule": rule, "solver": solver} | fixed))
    return shots


def judge(spec):
    shot = run_shot(spec)
    assert shot.agrees, (spec, shot.prediction, shot.hit, shot.tunneled, shot.verdict)
    assert spec.rule == "discrete" or spec.target not in HELD or not spec.looks_between_steps or not shot.tunneled, (spec, shot.verdict)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("solver", "rule"), [(solver, rule) for solver in ("box2d", "soft_step") for rule in rules_of(solver)])
def test_every_shot_follows_its_prediction(solver, rule, target):
    for spec in random_shots(target, rule, 3, solver=solver):
        judge(spec)


@pytest.mark.parametrize("solver", ["soft_step", "chipmunk", "box2d3"])
@pytest.mark.parametrize("target", ["static", "head_on", "sensor"])
def test_a_slow_bullet_follows_its_prediction(solver, target):
    if solver not in solvers():
        pytest.skip(f"{solver} is not installed")
    judge(ShotSpec(speed=1.0, target=target, solver=solver, phase=0.4))


@pytest.mark.parametrize("solver", ["chipmunk", "box2d3"])
def test_the_step_that_ends_inside_a_sensor_is_named_as_for_box2d(solver):
    if solver not in solvers():
        pytest.skip(f"{solver} is not installed")
    verdicts = [run_shot(ShotSpec(speed=40.0, target="sensor", thickness=0.6, solver=name)).verdict for name in ("box2d", solver)]
    assert verdicts[0] == verdicts[1] and "by step 6, which ended inside the sensor" in verdicts[0]


@pytest.mark.parametrize("more", [{"phase": 0.03}, {"rule": "bullet", "target": "dynamic"}, {"rule": "bullet", "target": "blade"}])
def test_the_same_shot_twice_gives_the_same_numbers(more):
    assert run_shot(ShotSpec(**more)) == run_shot(ShotSpec(**more))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_no_shot_of_hundreds_passes_through_with_our_solver(target):
    for spec in random_shots(target, "default", 300, 2, "soft_step"):
        if 0.0 < spec.closing < 0.05 * spec.travel:
            continue  # it is followed for the steps to the solver's margin, and the touch would come long after
        shot = run_shot(spec)
        assert shot.agrees and (target == "sensor" or not shot.tunneled), (spec, shot.verdict)


@pytest.mark.parametrize("target", ["static", "dynamic"])
def test_the_standard_shot_passes_without_ccd_and_is_stopped_with_it(target):
    off, on = (run_shot(ShotSpec(target=target, rule=rule)) for rule in ("discrete", "bullet"))
    assert (off.tunneled, off.hit, off.stopped_at, off.impact_time, off.impact_point) == (True, False, None, None, None)
    assert (on.tunneled, on.hit) == (False, True) and on.stopped_at is not None and -0.5 * 0.05 - 0.05 - 0.01 < on.stopped_at < 0.0
    for phase in (0.0, 0.3, 0.7, 0.999):
        slow = run_shot(ShotSpec(speed=4.0, target=target, phase=phase))
        assert slow.hit and not slow.tunneled, (slow.spec, slow.verdict)


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "sensor"])
def test_by_default_box2d_sweeps_bodies_only_against_non_dynamic_ones(target):
    assert run_shot(ShotSpec(target=target, rule="default")).tunneled != (target in ("static", "kinematic", "blade"))


def test_a_sensor_stops_nothing_and_only_our_rules_detect_every_bullet():
    felt = {rule: run_shot(ShotSpec(target="sensor", rule=rule)) for rule in RULES}
    assert all(shot.tunneled and shot.stopped_at is None and shot.agrees for shot in felt.values())
    assert {rule for rule, shot in felt.items() if shot.hit} == {"substeps", "swept"}
    assert "by our swept test" in felt["swept"].verdict
    assert felt["bullet"].verdict.startswith("not detected: the sensor lay between step 2")


@pytest.mark.parametrize("radius", [0.02, 0.05, 0.1, 0.15, 0.3])
@pytest.mark.parametrize("thickness", [0.005, 0.02, 0.1])
def test_a_plate_pushed_along_at_nearly_full_speed_has_not_stopped_the_bullet(radius, thickness):
    """By conservation of momentum, a bullet of mass m keeps m / (m + M) of its speed at a free plate of mass M; the limit is half."""
    shot = run_shot(ShotSpec(radius=radius, thickness=thickness, target="dynamic", rule="bullet"))
    bullet, plate = 5.0 * math.pi * radius**2, 4.0 * thickness * 1.6
    kept = bullet / (bullet + plate)
    assert shot.hit and not shot.tunneled
    assert (shot.stopped_at is not None) == (kept < 0.5), (kept, shot.verdict)
    assert kept <= 0.5 or shot.verdict.endswith(f"pushes the target along at {110.0 * kept:.3g} m/s")


def test_speed_zero_never_arrives():
    shot = run_shot(ShotSpec(speed=0.0))
    assert (shot.hit, shot.tunneled, shot.prediction.tunnels) == (False, False, False)
    assert shot.verdict == "the bullet does not move"


def test_the_cap_makes_faster_shots_equal_on_box2d_only():
    capped, faster = (run_shot(ShotSpec(speed=speed, rule="bullet")) for speed in (150.0, 900.0))
    assert capped.impact_time == pytest.approx(faster.impact_time, rel=1e-5)
    free = run_shot(ShotSpec(speed=6000.0, solver="soft_step"))
    assert free.positions[1][0] - free.positions[0][0] == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"phase": 0.02}, "inside the wall"),
        ({"phase": 0.98}, "passed the center of the wall"),  # both see a contact; the two phases differ by four hundredths of a step
        ({"speed": 120.0, "target": "dynamic"}, "tunneled: the plate lay between step 2 (x = -1.00 m) and step 3 (x = 1.00 m)"),
        ({"rule": "bullet"}, "stopped at x = -0.07 m"),
    ],
)
def test_the_verdict_describes_the_outcome(more, words):
    assert words in run_shot(ShotSpec(**more)).verdict


def test_phases_come_from_the_seed_and_a_single_shot_has_the_middle_phase():
    assert phases(3, 1) == (0.5,)
    assert phases(3, 10) == phases(3, 10) != phases(4, 10)
    assert all(0.0 <= phase < 1.0 for phase in phases(3, 1000))


def test_a_seed_gives_the_same_burst_and_the_phases_do_not_depend_on_the_jitter():
    spec = ShotSpec(angle=0.1)
    plain, jittered = scatter(spec, 50, 7), scatter(spec, 50, 7, Jitter(angle=0.05, height=0.1))
    assert jittered == scatter(spec, 50, 7, Jitter(angle=0.05, height=0.1))
    assert [shot.phase for shot in plain] == [shot.phase for shot in jittered] == list(phases(7, 50))
    angles, heights = [shot.angle for shot in jittered], [shot.height for shot in jittered]
    assert all(0.05 <= angle <= 0.15 for angle in angles) and max(angles) - min(angles) > 0.08
    assert all(abs(height) <= 0.1 for height in heights) and min(heights) < -0.05 and max(heights) > 0.05
    assert scatter(spec, 1, 7, Jitter(angle=0.05)) == (spec,)


@pytest.mark.parametrize(("name", "value"), [("angle", -0.1), ("height", math.inf), ("turn", math.nan)])
def test_a_jitter_is_a_width_within_the_range(name, value):
    with pytest.raises(InvalidInputError, match=f"^{name} must be"):
        Jitter(**{name: value})
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
    """Within three binomial standard errors; and every single shot follows its prediction."""
    series, law = run_burst(spec, scatter(spec, n, 11)), predict(spec)
    assert series.surprises == ()
    for measured, chance in ((series.tunneled_share, law.tunnel_chance), (series.hit_share, law.hit_chance)):
        assert measured == pytest.approx(chance, abs=3.0 * math.sqrt(chance * (1.0 - chance) / n) + 1e-12)
    assert series.chance == pytest.approx(law.tunnel_chance) and series.predicted_share == series.tunneled_share


@pytest.mark.parametrize(
    ("more", "prediction"),
    [
        *(({"rule": rule}, Prediction(True, False, 1.0, 0.0)) for rule in ("bullet", "substeps", "swept")),
        ({"target": "kinematic", "target_speed": -200.0}, Prediction(False, False, 0.0, 0.0)),
        ({"target": "blade"}, Prediction()),
        ({"shape": "box", "angle": 0.3}, Prediction()),
        ({"target": "dynamic", "height": 0.2}, Prediction()),
        # so fast and thin that 0.1 ms, the shortest step, is too long: no longer certain
        ({"rule": "substeps", "speed": 1000.0, "thickness": 0.001, "radius": 0.001}, Prediction()),
    ],
)
def test_what_is_predicted(more, prediction):
    assert predict(ShotSpec(**more)) == prediction


def test_a_jittered_burst_may_have_no_law():
    blade, plate, askew = ShotSpec(target="blade"), ShotSpec(target="dynamic"), ShotSpec(angle=0.5)
    series = run_burst(blade, scatter(blade, 2, 0))
    assert (series.predicted_share, series.chance, series.surprises) == (None, None, ())
    assert run_burst(plate, scatter(plate, 3, 0, Jitter(height=0.01))).chance is None
    chance = run_burst(askew, scatter(askew, 4, 0, Jitter(angle=0.2))).chance
    assert chance is not None and chance != predict(askew).tunnel_chance


@pytest.mark.parametrize("target", ["static", "kinematic", "dynamic", "sensor", "head_on"])
@pytest.mark.parametrize(("solver", "rule"), [("box2d", "discrete"), ("box2d", "default"), ("box2d", "bullet"), ("soft_step", "discrete")])
def test_a_shot_gives_the_same_result_in_a_batch_as_alone(solver, rule, target):
    for k, spec in enumerate(random_shots(target, rule, 2, 3, solver, angle=0.0, height=0.0)):
        at = phases(k, 4)
        batch, alone = run_batch(spec, at), [run_shot(replace(spec, phase=phase)) for phase in at]
        assert batch.hit.tolist() == [shot.hit for shot in alone], spec
        assert batch.tunneled.tolist() == [shot.tunneled for shot in alone], spec


def test_the_size_of_a_batch_changes_nothing():
    spec, at = ShotSpec(speed=40.0, thickness=0.3), phases(9, 60)
    together = run_batch(spec, at)
    parts = [run_batch(spec, at[k : k + 7]) for k in range(0, 60, 7)]
    for name in ("hit", "tunneled"):
        assert getattr(together, name).tolist() == [value for part in parts for value in getattr(part, name).tolist()]
    assert 0 < together.tunneled.sum() < 60


def test_shots_that_cannot_share_a_world_are_fired_one_by_one():
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


def test_a_sensor_misses_as_the_law_predicts():
    spec, at = ShotSpec(speed=100.0, thickness=0.1, target="sensor", rule="bullet"), np.array(phases(4, 200))
    batch = run_batch(spec, at.tolist())
    short = at * spec.closing  # of the middle plane, by the last position before it; the next is `closing - short` past it
    assert batch.tunneled.all() and (batch.hit == (np.minimum(short, spec.closing - short) <= spec.reach)).all()
