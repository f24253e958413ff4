"""The demo `bullet`: fires by itself, the same for the same seed, in words and pictures for each target."""

from __future__ import annotations

import pytest

from demos.bullet import CHOICES, Bullet
from engine.app.headless import picture_of, run_headless
from engine.experiments import verdict


def test_it_fires_by_itself_at_each_target_in_turn() -> None:
    report, demo = run_headless(Bullet, 300, seed=1)
    assert isinstance(demo, Bullet)
    assert demo.shots == 3
    assert report.contacts_begun > 0 and report.contacts_ended > 0
    again, _ = run_headless(Bullet, 300, seed=1)
    assert again.state_hash == report.state_hash


@pytest.mark.parametrize("choice", range(1, len(CHOICES)))
def test_each_target_is_jumped_over_without_ccd_and_stops_the_bullet_with_it(choice: int) -> None:
    _, demo = run_headless(Bullet, 30, values={"target": choice})
    assert isinstance(demo, Bullet)
    off, on = (lane.watch for lane in demo.lanes)
    assert off is not None and on is not None
    assert verdict(off).startswith("tunneled") and "lay between step 2" in verdict(off)
    assert verdict(on).startswith("stopped at x = ")
    assert [stage.world.settings.continuous for stage in demo.stages] == [False, True]
    assert [stage.world.body(watch.bullet).spec.bullet for stage, watch in zip(demo.stages, (off, on), strict=True)] == [False, True]


def test_the_cap_is_said_where_it_bites() -> None:
    assert len(Bullet(values={"speed": 100}).status()) == 1
    assert "no body more than 2 m a step" in Bullet(values={"speed": 400}).status()[1][0]


def test_keys_fire_and_choose_the_target() -> None:
    demo = Bullet()
    assert demo.wanted_speed is not None and demo.wanted_speed < 0.1
    assert demo.on_key("h") and demo.parameter("target") == 3.0
    assert demo.on_key("return") and demo.shots == 2 and not demo.automatic
    for _ in range(200):
        demo.step()
    assert demo.shots == 2
    assert demo.on_key("a") and demo.automatic
    assert not demo.on_key("")
    assert not demo.on_key("q")


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"speed": 0},
        {"speed": 1000, "hertz": 15, "radius": 0.3, "thickness": 1},
        {"speed": 3, "hertz": 480, "radius": 0.005, "target": 4},
        {"speed": 20, "target": 2, "phase": 1},
    ],
)
def test_every_step_can_be_drawn(values: dict[str, float]) -> None:
    demo = Bullet(values=values)
    for _ in range(6):
        for _ in range(9):
            demo.step()
        assert picture_of(demo, (640, 360)).startswith(b"\x89PNG")
