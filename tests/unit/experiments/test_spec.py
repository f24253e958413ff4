"""A shot's specification: rejected values, and the bullet's start."""

import math

import pytest

from engine.common.errors import InvalidInputError
from engine.experiments.spec import ShotSpec


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("speed", -1.0),
        ("speed", math.nan),
        ("speed", 1e-7),  # slower than float32 can tell
        ("target_speed", -1e-30),
        ("thickness", 0.0),
        ("thickness", math.inf),
        ("hertz", 0.5),
        ("hertz", "60"),
        ("radius", 0.0),
        ("radius", 1000.0),
        ("phase", -0.1),
        ("target", "wall"),
        ("rule", "continuous"),
        ("angle", 1.4),
        ("angle", math.nan),
        ("restitution", 1.1),
        ("target_speed", -2e5),
        ("shape", "ball"),
        ("height", 0.6),
        ("turn", "half"),
    ],
)
def test_a_value_outside_its_range_is_rejected_by_name(field, value):
    with pytest.raises(InvalidInputError, match=f"^{field} must be "):
        ShotSpec(**{field: value})


@pytest.mark.parametrize(("more", "field"), [({"rule": "swept", "solver": "soft_step"}, "rule"), ({"solver": "none"}, "solver")])
def test_unsupported_options_of_a_solver_are_rejected(more, field):
    with pytest.raises(InvalidInputError, match=f"^{field} must be one of"):
        ShotSpec(**more)


@pytest.mark.parametrize("speed", [1.0, 7.0, 60.0, 110.0, 119.0, 500.0])
@pytest.mark.parametrize("phase", [0.0, 0.25, 0.99])
def test_the_phase_is_the_remaining_step_before_the_middle_plane(speed, phase):
    spec = ShotSpec(speed=speed, thickness=0.02, radius=0.01, phase=phase)
    n_steps = -spec.start[0] / spec.travel - phase
    assert n_steps == pytest.approx(round(n_steps), abs=1e-9) and round(n_steps) >= 2


@pytest.mark.parametrize("speed", [0.0, 1e-6, 0.5, 20.0, 110.0, 1e5])
@pytest.mark.parametrize(("thickness", "radius"), [(1e-4, 1e-4), (0.05, 0.05), (4.0, 0.5), (100.0, 100.0)])
def test_the_bullet_starts_clear_of_the_target(speed, thickness, radius):
    spec = ShotSpec(speed=speed, thickness=thickness, radius=radius, phase=0.0)
    assert -spec.start[0] > spec.reach


def test_the_cap_of_two_meters_a_step():
    fast = ShotSpec(speed=400.0, hertz=60.0)
    assert not ShotSpec(speed=119.0).is_capped and fast.is_capped and (fast.travel, fast.flown_speed) == (2.0, 120.0)


@pytest.mark.parametrize("angle", [-1.3, -0.4, 0.4, 1.3])
def test_the_flight_crosses_the_middle_plane_at_the_requested_height(angle):
    spec = ShotSpec(angle=angle, height=0.2)
    (x, y), (vx, vy) = spec.start, spec.velocity
    time = -x / vx
    assert time > 0.0 and y + time * vy == pytest.approx(0.2) and (y > 0.2) == (angle > 0.0)
    assert math.hypot(vx, vy) == pytest.approx(spec.speed) and math.hypot(x, y - 0.2) == pytest.approx(spec.run_up)


@pytest.mark.parametrize("target", ["kinematic", "head_on"])
@pytest.mark.parametrize("target_speed", [-300.0, -110.0, -80.0, -20.0, 5.0, 60.0, 500.0])
def test_bullet_and_moving_target_reach_the_middle_together(target, target_speed):
    spec = ShotSpec(target=target, target_speed=target_speed, phase=0.3)
    steps = spec.run_up / spec.travel
    assert spec.gap > spec.reach and spec.meets_at_center == (target_speed > -110.0) == (spec.closing > 0.0)
    if spec.meets_at_center:
        assert spec.target_start[0] == pytest.approx(steps * spec.target_travel) and steps % 1.0 == pytest.approx(0.3)
        assert spec.gap == pytest.approx(steps * spec.closing)


@pytest.mark.parametrize(
    ("more", "reach"),
    [
        ({}, 0.11),
        ({"shape": "box"}, 0.12),
        ({"shape": "box", "angle": math.pi / 4}, 0.07 + 0.05 * math.sqrt(2.0)),
        ({"target": "head_on"}, 0.10),
        ({"target": "head_on", "shape": "box"}, 0.12),
    ],
)
def test_the_reach_includes_existing_skins(more, reach):
    assert ShotSpec(thickness=0.1, radius=0.05, **more).reach == pytest.approx(reach)


def test_the_blade_is_upright_at_the_predicted_arrival():
    spec = ShotSpec(target="blade", target_speed=20.0, turn=0.3)
    assert spec.spin == pytest.approx(25.0)
    assert spec.start_turn + spec.spin * spec.run_up / spec.speed == pytest.approx(0.3)
    assert ShotSpec(target="blade", target_speed=1e4).spin == pytest.approx(math.pi / 2 * 60.0)
