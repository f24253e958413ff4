"""The scenes about Box2D's limitations: reproducible, drawn at every step, with their numbers in the summary."""

import pytest

from demos._limitations import Limitation
from demos.promise_missed_touch import PromiseMissedTouch
from demos.promise_rows import PromiseSensors, PromiseThinBodies
from demos.promise_seams import PromiseSeams
from engine.app.headless import picture_of, run_headless
from engine.sim.registry import all_demos
from tests.waiting import until

SCENES = [pytest.param(kind, id=kind.id) for kind in all_demos() if issubclass(kind, Limitation)]


@pytest.mark.parametrize("scene", SCENES)
def test_a_run_repeats_exactly_and_every_step_can_be_drawn(scene):
    demo = scene()
    start = demo.stages[0].world.poses
    assert picture_of(demo, (640, 360)).startswith(b"\x89PNG")
    for _ in range(demo.period):
        demo.sim.step()
    assert demo.age == demo.period and picture_of(demo, (640, 360)).startswith(b"\x89PNG")
    first = demo.stages[0].world.poses.tolist()
    for _ in range(demo.period):
        demo.sim.step()
    assert demo.age == demo.period and demo.stages[0].world.poses.tolist() == first != start.tolist()


@pytest.mark.parametrize("scene", SCENES)
def test_every_number_is_as_predicted_and_appears_soon(scene, monkeypatch):
    monkeypatch.setattr("demos._limitations._known", {})
    demo = scene()
    demo.viewer.interactive = True
    assert picture_of(demo, (640, 360)).startswith(b"\x89PNG")
    demo.sim.step()
    until(demo.findings)  # which begins to measure once another test's thread has ended
    assert all(finding.holds for finding in demo.findings())
    assert tuple(demo.summary()) == tuple(finding.words for finding in demo.findings())


def test_rows_are_cleared_at_a_restart():
    demo = PromiseSensors()

    def results():
        return [(list(rows.seen), [list(way) for way in rows.ways]) for _, rows, _ in demo.rows]

    demo.sim.step()
    early = results()
    for _ in range(demo.period - 2):
        demo.sim.step()
    first = results()
    for _ in range(2):
        demo.sim.step()
    assert demo.age == 1 and results() == early != first
    for _ in range(demo.period - 2):
        demo.sim.step()
    assert results() == first and [sum(seen) for seen, _ in first] == [1, 1, 6]


def test_a_plate_lets_the_unflagged_bullets_through_and_the_disc_hops():
    _, demo = run_headless(PromiseThinBodies, 12)
    assert isinstance(demo, PromiseThinBodies)
    assert [sum(rows.passed) for _, rows, _ in demo.rows] == [0, 0, 5, 0]
    _, demo = run_headless(PromiseSeams, 100, values={"slider": "disc"})
    assert isinstance(demo, PromiseSeams)
    assert [slide.first_bump(0) is not None for slide, _, _ in demo.lanes] == [True, True, False, False]


def test_the_rod_passes_on_the_left_and_stops_on_the_right():
    demo = PromiseMissedTouch()
    for _ in range(2):
        demo.sim.step()
        left, right = demo.passages
        assert left.n_contacts == 0 and left.is_behind() and not right.is_behind()


def test_a_view_too_small_for_the_table_has_its_numbers_in_the_readout():
    demo = PromiseThinBodies()
    demo.arrange(1000.0, 680.0)
    assert list(demo.status()) == []
    demo.arrange(220.0, 260.0)
    assert len(demo.status()) == len([finding for finding in demo.findings() if finding.predicted is not None]) > 0
