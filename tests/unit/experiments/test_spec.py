"""A shot's specification: what it refuses, where the bullet starts."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engine.common.errors import InvalidInputError
from engine.experiments import ShotSpec


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("speed", -1.0),
        ("speed", math.nan),
        ("thickness", 0.0),
        ("thickness", math.inf),
        ("hertz", 0.5),
        ("hertz", "60"),
        ("radius", 0.0),
        ("radius", 1000.0),
        ("phase", -0.1),
        ("ccd", 1),
        ("target", "wall"),
        ("direction", 0),
    ],
)
def test_a_value_outside_its_range_is_refused_by_name(field: str, value: object) -> None:
    values: dict[str, Any] = {field: value}
    with pytest.raises(InvalidInputError, match=f"^{field} must be ") as caught:
        ShotSpec(**values)
    assert caught.value.field == field


@pytest.mark.parametrize("speed", [1.0, 7.0, 60.0, 110.0, 119.0, 500.0])
@pytest.mark.parametrize("phase", [0.0, 0.25, 0.99])
def test_the_phase_is_what_is_left_of_a_step_before_the_middle_plane(speed: float, phase: float) -> None:
    spec = ShotSpec(speed=speed, thickness=0.02, radius=0.01, phase=phase)
    whole = -spec.muzzle / spec.travel - phase
    assert whole == pytest.approx(round(whole), abs=1e-9)
    assert round(whole) >= 2


@pytest.mark.parametrize("speed", [0.0, 1e-6, 0.5, 20.0, 110.0, 1e5])
@pytest.mark.parametrize(("thickness", "radius"), [(1e-4, 1e-4), (0.05, 0.05), (4.0, 0.5), (100.0, 100.0)])
def test_the_bullet_starts_clear_of_the_target(speed: float, thickness: float, radius: float) -> None:
    spec = ShotSpec(speed=speed, thickness=thickness, radius=radius, phase=0.0)
    assert -spec.muzzle > spec.reach


def test_the_cap_of_two_metres_a_step() -> None:
    assert not ShotSpec(speed=119.0).is_capped
    fast = ShotSpec(speed=400.0, hertz=60.0)
    assert fast.is_capped
    assert fast.travel == 2.0
    assert fast.flown_speed == 120.0


def test_a_shot_to_the_left_is_the_mirror_image() -> None:
    assert ShotSpec(direction=-1).muzzle == -ShotSpec().muzzle
