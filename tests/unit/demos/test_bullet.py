"""The demo `bullet`: fires by itself, the same for the same seed, in words and pictures for each target."""

from __future__ import annotations

from inspect import signature
from itertools import pairwise

import pytest

from demos.bullet import CHOICES, Bullet, ghosts_shown
from engine.app.commands.fire import fire_command
from engine.app.headless import picture_of, run_headless
from engine.experiments import ShotSpec, verdict
from engine.render.debug_draw import DebugDraw


def test_it_fires_by_itself_at_each_target_in_turn() -> None:
    report, demo = run_headless(Bullet, 300, seed=1)
    assert isinstance(demo, Bullet)
    assert demo.shots >= 5
    assert len(demo.lanes[0].watch.positions) < 20  # type: ignore[union-attr]
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
    assert len(Bullet(values={"speed": 100}).status()) == 2
    assert "no body more than 2 m a step" in Bullet(values={"speed": 400}).status()[2][0]


def test_keys_fire_and_choose_the_target() -> None:
    demo = Bullet()
    assert demo.wanted_speed is not None and demo.wanted_speed < 0.1
    assert demo.on_key("h") and demo.parameter("target") == 3.0
    assert demo.on_key("return") and demo.shots == 2 and demo.automatic
    assert demo.on_key("a") and not demo.automatic
    for _ in range(200):
        demo.step()
    assert demo.shots == 2
    demo.set_parameter("speed", 90.0)
    assert not demo.automatic
    demo.restart()
    assert demo.automatic
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


def test_a_bullet_that_does_not_move_ends_in_words_and_keeps_nothing() -> None:
    _, demo = run_headless(Bullet, 400, values={"speed": 0})
    assert isinstance(demo, Bullet)
    assert all(line.endswith("the bullet does not move") for line in demo.summary()) and len(demo.summary()) == 2
    assert all(lane.watch is not None and len(lane.watch.positions) < 12 for lane in demo.lanes)


def test_words_choose_the_target_as_the_command_fire_calls_it() -> None:
    for word, target in (("wall", "static"), ("static", "static"), ("hinge", "hinged"), ("plate", "dynamic"), ("4", "stack")):
        assert Bullet(values={"target": word}).spec().target == target


def test_the_command_fire_and_the_demo_begin_with_the_same_shot() -> None:
    defaults = {name: parameter.default for name, parameter in signature(fire_command).parameters.items()}
    spec, demo = ShotSpec(), Bullet().spec()
    for name in ("speed", "thickness", "hertz", "radius"):
        assert getattr(spec, name) == getattr(demo, name) == defaults[name]


def test_ghosts_keep_their_distance() -> None:
    xs = [0.03 * k for k in range(50)]
    shown = ghosts_shown(xs, 0.2, None)
    assert shown[-1] == 49 and all(xs[b] - xs[a] >= 0.2 for a, b in pairwise(shown))
    assert {3, 4} <= set(ghosts_shown(xs, 0.2, 3))


def test_in_slow_motion_the_plate_waits_for_the_bullet() -> None:
    """Between two steps, with CCD on: the plate stands still, and no contact is drawn, until the drawn bullet is at it."""
    demo = Bullet(values={"target": "plate"})
    stage, watch = demo.stages[1], demo.lanes[1].watch
    assert watch is not None
    while watch.hit is None:
        demo.step()
    world, impacts = stage.world, stage.impacts
    assert impacts is not None
    plate, bullet = world.row_of(watch.panels[0].body), world.row_of(watch.bullet)
    (moment,) = set(impacts.contact_moments.tolist())
    assert moment == pytest.approx((watch.hit.time * 60.0) % 1.0, abs=1e-5)
    painter = DebugDraw()
    for fraction in (0.0, 0.2, 0.99 * moment, moment, 0.5 * (1.0 + moment), 1.0):
        poses = painter.poses(stage, fraction)
        if fraction <= moment:
            assert poses[plate].tolist() == world.previous_poses[plate].tolist()
            assert poses[bullet, 0] <= watch.hit.center[0] + 1e-9
        else:
            assert poses[plate, 0] > 0.0
        assert bool(stage.trail.added(fraction)) == (fraction >= moment)
    assert painter.poses(stage, moment)[bullet, 0] == pytest.approx(watch.hit.center[0], abs=1e-9)
    assert painter.poses(stage, 1.0).tolist() == world.poses.tolist()
