"""The scenes of the promises: the same for the same seed, drawn at every age, their numbers in the summary."""

from __future__ import annotations

import pytest

from demos._promises import Promise
from demos.promise_missed_touch import PromiseMissedTouch
from demos.promise_motion_cap import PromiseMotionCap
from demos.promise_seams import PromiseSeams
from demos.promise_sensors import PromiseSensors
from demos.promise_slow_balls import PromiseSlowBalls
from demos.promise_switches import PromiseSwitches
from demos.promise_thin_bodies import PromiseThinBodies
from engine.app.headless import picture_of, run_headless
from tests.waiting import until

SCENES: tuple[type[Promise], ...] = (
    PromiseMissedTouch,
    PromiseMotionCap,
    PromiseSeams,
    PromiseSensors,
    PromiseSlowBalls,
    PromiseSwitches,
    PromiseThinBodies,
)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.id)
def test_a_run_begins_again_and_is_the_same_each_time(scene: type[Promise]) -> None:
    n_steps = scene(values={}).period + 1
    report, demo = run_headless(scene, n_steps)
    assert isinstance(demo, Promise) and demo.age == 1
    assert run_headless(scene, n_steps)[0].state_hash == report.state_hash


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.id)
def test_every_number_is_as_predicted_and_said(scene: type[Promise]) -> None:
    demo = scene()
    assert demo.findings() and all(one.holds for one in demo.findings())
    assert tuple(demo.summary()) == tuple(one.words for one in demo.findings())


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.id)
def test_every_age_can_be_drawn(scene: type[Promise]) -> None:
    demo = scene()
    for _ in range(4):
        assert picture_of(demo, (640, 360)).startswith(b"\x89PNG")
        for _ in range(7):
            demo.sim.step()


def test_the_same_run_after_it_was_put_back() -> None:
    demo = PromiseSensors()
    demo_rows = [rows for _, rows, _ in demo.rows]
    for _ in range(demo.period - 1):
        demo.sim.step()
    first = [(list(rows.seen), [list(way) for way in rows.ways]) for rows in demo_rows]
    for _ in range(demo.period):
        demo.sim.step()
    assert demo.age == demo.period - 1
    assert [(list(rows.seen), [list(way) for way in rows.ways]) for rows in demo_rows] == first
    assert [sum(rows.seen) for rows in demo_rows] == [1, 1, 6]


def test_a_plate_lets_the_unflagged_bullets_through_and_the_disc_hops() -> None:
    _, demo = run_headless(PromiseThinBodies, 12)
    assert isinstance(demo, PromiseThinBodies)
    assert [sum(rows.passed) for _, rows, _ in demo.rows] == [0, 0, 5, 0]
    _, demo = run_headless(PromiseSeams, 100, values={"slider": "disc"})
    assert isinstance(demo, PromiseSeams)
    assert [slide.first_bump(0) is not None for slide, _, _ in demo.lanes] == [True, True, False, False]


def test_the_rod_is_through_on_the_left_and_stopped_on_the_right() -> None:
    demo = PromiseMissedTouch()
    demo.sim.step()
    left, right = demo.passages
    assert left.n_contacts == 0 and left.is_behind() and not right.is_behind()
    demo.sim.step()
    assert left.n_contacts == 0


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.id)
def test_whoever_watches_need_not_wait_for_the_numbers(scene: type[Promise], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demos._promises._known", {})
    demo = scene()
    demo.viewer.interactive = True
    assert picture_of(demo, (640, 360)).startswith(b"\x89PNG")
    demo.sim.step()
    until(demo.findings)  # which begins to measure once another test's thread has ended
    assert all(one.holds for one in demo.findings())
