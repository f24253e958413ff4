"""Two worlds at once in the window: the choice of solvers, the second world's picture, and the hand that acts on both."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pygame
import pytest

from engine.app import motion_judge, solver_loading
from engine.app.layout import halves, is_larger_stacked
from engine.app.status_strip import _cells
from engine.app.window import Window
from engine.demo import Demo
from engine.demo.registry import all_demos
from engine.geometry import Polygon
from engine.render import palette
from engine.world import BodySpec, FixtureSpec
from tests.unit.app.hand import SIZE, Hand, pixel
from tests.unit.app.written import Written, noting_words


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels come in the frame that asks for them, so that no test waits for another process."""
    monkeypatch.setattr(solver_loading, "is_ready", lambda solver: True)


BOX = BodySpec((FixtureSpec(Polygon.box(0.3, 0.3)),), position=(4.0, 3.0))


def press(hand: Hand, what: str, value: str) -> None:
    """Click the button of a choice of motion."""
    panel = hand.window.screen.panel
    assert panel is not None
    button = next(button for button, wish in panel.motion._choices.items() if tuple(wish) == (what, value))
    panel.column.reveal(button.rect.top + panel.column.scrolled, button.rect.height)
    hand.click(button.rect.center)


def beside_pixels(hand: Hand) -> Any:
    """Where the second world's colour is, or nearly, as on a smoothed line: pixels (n, 2)."""
    view = hand.window.screen.view
    found = np.argwhere((np.abs(pygame.surfarray.array3d(hand.surface) - np.array(palette.BESIDE)) < 50).all(axis=2))
    return found[(found[:, 0] >= view[0]) & (found[:, 1] >= view[1] + 120)]  # not the words in the readout


def test_buttons_choose_what_runs_beside_and_where_it_is_drawn(hand: Hand) -> None:
    session = hand.window.session
    hand.frame(2)
    assert session.beside is None and len(beside_pixels(hand)) == 0
    press(hand, "beside", "soft_step")
    assert session.beside is not None and session.beside.demo.run.solvers == ("soft_step",)
    hand.frame(3)
    assert len(beside_pixels(hand)) > 20, "the outline"
    press(hand, "lane", "lane")
    lane = session.view.lane
    assert lane is not None and lane[2:] == session.view.camera.view[2:]
    x, y = session.view.camera.to_screen(session.beside.demo.stages[0].drawn_pose(1)[:2])
    middle = round(x) + lane[0] - session.view.camera.view[0], round(y) + lane[1] - session.view.camera.view[1]
    assert hand.surface.get_at(middle)[:3] != palette.BACKGROUND, "the second disc has its own picture"
    press(hand, "lane", "")
    assert session.view.lane is None
    press(hand, "beside", "")
    assert session.beside is None and len(beside_pixels(hand)) == 0


def test_the_key_leads_from_over_it_to_a_lane_to_nothing(hand: Hand) -> None:
    session = hand.window.session
    seen = []
    for _ in range(4):
        seen.append((None if session.beside is None else session.beside.solver, session.view.lane is not None))
        hand.key(pygame.K_F11)
        hand.frame()
    assert seen == [(None, False), ("soft_step", False), ("soft_step", True), (None, False)]


def test_another_solver_begins_anew_with_parameters_and_what_was_built(hand: Hand) -> None:
    first = hand.window.session
    first.set_parameter("height", 5.0)
    hand.frame(20)
    first.act("edit", 0, "create_body", (BOX,))
    hand.frame(20)
    first.clock.speed = 0.5
    press(hand, "solver", "soft_step")
    session = hand.window.session
    assert session is not first and session.demo.run.solvers == ("soft_step",) and session.demo.parameter("height") == 5.0
    assert session.demo.steps < 10 and session.clock.speed == 0.5
    box = max(session.demo.stages[0].world.body_ids)
    assert session.demo.stages[0].world.state(box).position == pytest.approx((4.0, 3.0), abs=0.1)
    assert session.messages.now is not None and "Soft step" in session.messages.now.words
    hand.frame(10)
    session.undo()
    assert max(session.demo.stages[0].world.body_ids) == box - 1, "what was built can be taken back"
    hand.send(pygame.KEYDOWN, key=pygame.K_F11, mod=pygame.KMOD_LSHIFT, unicode="")
    assert hand.window.session.demo.run.solvers == ("box2d",)


def test_what_runs_beside_changes_places_with_the_solver_that_is_chosen(hand: Hand) -> None:
    hand.window.session.put_beside("soft_step")
    hand.frame(2)
    press(hand, "solver", "soft_step")
    beside = hand.window.session.beside
    assert beside is not None and beside.solver == "box2d" and hand.window.session.demo.run.solvers == ("soft_step",)


def test_the_hand_throws_in_both_worlds_wherever_it_takes_hold(hand: Hand) -> None:
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.key(pygame.K_F11)
    hand.frame(60)
    beside = session.beside
    assert beside is not None and session.view.lane is not None
    x, y = pixel(hand, tuple(beside.demo.stages[0].drawn_pose(1)[:2]))
    at = x + session.view.lane[0] - session.view.camera.view[0], y + session.view.lane[1] - session.view.camera.view[1]
    assert session.view.is_in_lane(at) and session.view.in_view(at) == (x, y)
    hand.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert session.demo.grabbing and beside.demo.grabbing
    to = at[0] + 40, at[1] - 60
    steps = session.demo.steps
    for _ in range(30):
        hand.send(pygame.MOUSEMOTION, pos=to, rel=(40, -60), buttons=(1, 0, 0))
    assert session.demo.steps >= steps + 28, "time goes on while the hand pulls"
    wanted = session.view.to_world(to)
    for demo in (session.demo, beside.demo):
        x, y = demo.stages[0].world.state(1).position
        assert abs(x - wanted[0]) < 0.6 and abs(y - wanted[1]) < 0.6
    hand.send(pygame.MOUSEBUTTONUP, pos=to, button=1)
    assert not session.demo.grabbing and not beside.demo.grabbing


def test_the_second_goes_back_with_the_first(hand: Hand) -> None:
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.frame(40)
    beside = session.beside
    assert beside is not None
    then = beside.demo.stages[0].world.state(1).position
    at = session.demo.steps
    hand.frame(30)
    session.timeline.seek(at)
    hand.frame()
    assert beside.now == at and beside.demo.stages[0].world.state(1).position == then


def test_what_comes_late_is_brought_to_where_the_first_stands_while_time_waits(hand: Hand) -> None:
    session = hand.window.session
    hand.frame(120)
    session.timeline.longest_way = 0.0  # a step a frame
    session.put_beside("soft_step")
    steps = session.demo.steps
    hand.frame(5)
    assert session.demo.steps == steps and session.beside is not None and not session.beside.has_arrived
    assert session.messages.now is not None and f"step {steps}" in session.messages.now.words
    session.beside.longest_way = 10.0
    hand.frame(3)
    assert session.beside.has_arrived and session.demo.steps > steps and session.messages.now is None


def test_figures_and_words_name_both(hand: Hand) -> None:
    session = hand.window.session
    assert ("solver", "Box2D", palette.TEXT) in _cells(session, 0)
    hand.key(pygame.K_F11)
    hand.frame(30)
    assert ("solver", "Box2D | Soft step", palette.TEXT) in _cells(session, 0)
    with noting_words():
        written = Written(SIZE)
        hand.window.screen.cache.forget()
        hand.window.show(written)
    words = [words for words, _ in written.words]
    for said in ("MOTION", "apart now", "first apart", "energy", "Box2D; dashed: Soft step"):
        assert said in words, words
    assert session.costs.latest.beside > 0.0


@pytest.mark.parametrize("size", [(1280, 720), (800, 600), (480, 360)])
@pytest.mark.parametrize("lane", [False, True])
def test_no_words_lie_over_others(twins: type[Demo], size: tuple[int, int], lane: bool) -> None:
    window = Window(size, (twins,), twins())
    window.session.wants_lane = lane
    window.session.put_beside("soft_step")
    hand = Hand(window)
    hand.frame(30)
    with noting_words():
        written = Written(size)
        for _ in range(2):
            written.words.clear()
            window.screen.cache.forget()
            window.show(written)
        view = pygame.Rect(window.screen.view)
        found = [(a, b) for a, b in written.overlaps() if all(any(view.contains(r) for w, r in written.words if w == x) for x in (a, b))]
    assert found == []


def test_the_referee_of_motion_is_asked_beside_the_window(twins: type[Demo], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(motion_judge, "_load", lambda: None)
    hand = Hand(Window(SIZE, (twins,), twins()))
    hand.key(pygame.K_F11)
    hand.frame(40)
    panel, session = hand.window.screen.panel, hand.window.session
    assert panel is not None and panel.motion._ask is not None and session.beside is not None
    panel.column.reveal(panel.motion._ask.rect.top + panel.column.scrolled, panel.motion._ask.rect.height)
    hand.click(panel.motion._ask.rect.center)
    judge = panel.motion.judge
    assert judge.is_at_work or judge.n_told == 1
    for _ in range(600):
        hand.frame()
        if judge.n_told:
            break
        time.sleep(0.05)
    hand.frame(2)
    assert judge.n_told == 1 and hand.window.screen.panel is not panel, "the panel was made anew, with the answer"
    assert hand.window.screen.panel is not None and hand.window.screen.panel.motion.judge is judge
    parted, following = judge.told
    assert parted.startswith("Parted at step ") and "2 bodies agree" in following and "none unexplained" in following, judge.told


def test_a_choice_waits_until_its_solver_is_there(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    there = False
    monkeypatch.setattr(solver_loading, "is_ready", lambda solver: there)
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.frame(5)
    assert session.beside is None and session.messages.now is not None and "Soft step" in session.messages.now.words
    there = True
    hand.frame(2)
    assert session.beside is not None and session.messages.now is None
    there = False
    hand.send(pygame.KEYDOWN, key=pygame.K_F11, mod=pygame.KMOD_LSHIFT, unicode="")
    assert hand.window.session.demo.run.solvers == ("soft_step",), "it runs already, beside the other"


def test_a_demo_without_a_past_has_nothing_beside_it(drop: type[Demo]) -> None:
    window = Window(SIZE, (drop,), drop(), is_watched=False)
    hand = Hand(window)
    hand.key(pygame.K_F11)
    message = window.session.messages.now
    assert window.session.beside is None and message is not None and "cannot run beside it" in message.words


def test_halves_leave_the_larger_picture() -> None:
    assert halves((0, 0, 101, 50), is_stacked=False) == ((0, 0, 50, 50), (51, 0, 50, 50))
    assert not is_larger_stacked((0, 0, 1000, 600), (3.0, 4.0)) and is_larger_stacked((0, 0, 1000, 600), (20.0, 3.0))


@pytest.mark.slow
@pytest.mark.parametrize("demo", [pytest.param(one, id=one.id) for one in all_demos()])
def test_every_demo_runs_beside_itself(demo: type[Demo]) -> None:
    """Over it and in a lane, by hand, by keys, back in time, on the other solver: no failure; over it no words over others."""
    rng, size = np.random.default_rng(5), (1000, 640)
    window = Window(size, (demo,), demo(1))
    hand = Hand(window)
    hand.frame(5)
    for _ in range(2):
        hand.key(pygame.K_F11)
        hand.frame(12)
        hand.key(pygame.K_RETURN)
        hand.key(pygame.K_LEFT)
        for _ in range(3):
            x, y = int(rng.integers(280, 900)), int(rng.integers(60, 560))
            hand.send(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1)
            hand.send(pygame.MOUSEMOTION, pos=(x + 30, y - 40), rel=(30, -40), buttons=(1, 0, 0))
            hand.send(pygame.MOUSEBUTTONUP, pos=(x + 30, y - 40), button=1)
        if not window.session.has_lane:  # a table of a demo's own may be too wide for half a view
            with noting_words():
                written = Written(size)
                window.screen.painter.paint(written, window.session)
            assert written.overlaps() == []
        assert window.session.timeline.failure == ""
    session = window.session
    assert bool(session.beside) == bool(session.demo.stages)
    session.timeline.seek(5)
    hand.frame(3)
    hand.send(pygame.KEYDOWN, key=pygame.K_F11, mod=pygame.KMOD_LSHIFT, unicode="")
    hand.frame(10)
    assert window.session.timeline.failure == ""
    if session.demo.stages:
        assert window.session.demo.run.solvers == ("soft_step",) and window.session.beside is not None
