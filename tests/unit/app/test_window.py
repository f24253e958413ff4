"""The window: from the list to a demo and back, at every size, with a live check that starts late."""

from dataclasses import replace

import pygame
import pytest

from engine.app import status_strip
from engine.app.costs import FrameTimes
from engine.app.window import Window
from engine.common.errors import InvalidInputError
from engine.sim.history import demo_hash
from engine.sim.registry import all_demos, find_demo
from tests.unit.app.controls import control, place
from tests.unit.app.hand import SIZE, Hand


def test_time_advances_in_fixed_steps(hand):
    hand.frame(60)
    assert 59 <= hand.window.session.demo.steps <= 60


def test_the_browser_previews_and_starts(browser, drop, twins):
    window = browser.window
    browser.frame(10)
    assert window.browsing and type(window.session.demo) is twins and window.session.demo.steps > 5
    browser.key(pygame.K_DOWN)
    browser.key(pygame.K_DOWN)
    assert type(window.session.demo) is drop
    browser.key(pygame.K_RETURN)
    assert not window.browsing and type(window.session.demo) is drop and window.session.demo.steps <= 2


def test_clicking_an_entry_starts_it(browser, drop):
    rect = place(browser.window, browser.window.navigator.demos[1].title)
    browser.click(rect.center)
    assert not browser.window.browsing and type(browser.window.session.demo) is drop


def test_the_view_does_not_overlap_the_readout(hand):
    hand.frame(2)
    session = hand.window.session
    home = session.demo.home()
    top, left = session.view.camera.to_screen(home.upper)[1], session.view.camera.to_screen(home.lower)[0]
    view = session.view.camera.view
    assert top >= view[1] + 40 or left >= view[0] + 80


@pytest.mark.parametrize("size", [(1, 1), (320, 200), (800, 500), (2560, 1440)])
def test_windows_of_any_size_are_drawn(hand, size):
    hand.surface = pygame.Surface(size)
    hand.send(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1])
    hand.key(pygame.K_F1)
    hand.wheel((5, 5), -3)
    hand.frame(2)
    hand.key(pygame.K_F1)
    hand.key(pygame.K_ESCAPE)
    hand.frame(2)


def test_resizing_keeps_an_untouched_view_whole(hand):
    hand.surface = pygame.Surface((900, 600))
    hand.send(pygame.VIDEORESIZE, size=(900, 600), w=900, h=600)
    seen, home = hand.window.session.view.camera.visible, hand.window.session.demo.home()
    assert seen.lower[0] <= home.lower[0] and seen.upper[0] >= home.upper[0]


def test_time_lost_in_a_long_frame_is_not_caught_up(hand):
    hand.frame(1, elapsed=30.0)
    assert hand.window.session.demo.steps <= 4
    hand.frame(1)
    assert hand.window.session.demo.steps <= 6


def test_the_live_check_starts_late_and_counts(hand, referee):
    assert hand.window.check.is_warming_up and hand.window.check.words(hand.window.session)
    hand.window.check = status_strip.CheckNote("60 functions of about 240", "compiling: 60 of about 240", is_warming_up=True)
    assert hand.window.check.words(hand.window.session) == "60 functions of about 240"
    hand.frame(5)
    hand.window.use_referee(referee)
    hand.frame(60)
    stage = hand.window.session.demo.stages[0]
    assert stage.total.compared > 0 and hand.window.check.words(hand.window.session) == ""
    hand.key(pygame.K_8)
    compared = stage.total.compared
    hand.frame(10)
    assert stage.total.compared == compared, "switched off"
    hand.key(pygame.K_r)
    hand.key(pygame.K_8)
    hand.frame(60)
    assert hand.window.session.demo.stages[0].total.compared > 0, "a restart keeps the referee"


def test_without_a_referee_the_panel_says_why(hand):
    hand.window.check = status_strip.CheckNote.failed("no compiler")
    hand.frame()
    assert "no compiler" in hand.window.check.words(hand.window.session)


def test_an_engine_error_pauses_the_demo_and_is_shown(hand, monkeypatch):
    def refuse():
        raise InvalidInputError("torque", "finite", "nan")

    monkeypatch.setattr(hand.window.session.demo, "before_step", refuse)
    hand.frame(3)
    assert hand.window.session.clock.paused and "torque" in hand.window.session.timeline.failure
    monkeypatch.undo()
    hand.key(pygame.K_r)
    assert hand.window.session.timeline.failure == ""


def test_a_demo_with_its_own_layout_knows_its_free_area(drop):
    rooms = []

    class Strips(drop):
        def foot_height(self, height, ui_scale):
            return 0.4 * height

        def arrange(self, width, height):
            rooms.append((width, height))
            return True

    window = Window((800, 500), (Strips,), Strips(), ui_scale=1.0)
    hand = Hand(window)
    hand.frame(2)
    session = window.session
    left, top, width, height = session.view.camera.view
    across, down = rooms[-1]
    assert 0.3 * height < down * width / across < 0.6 * height
    lowest = session.view.camera.to_screen((0.0, session.demo.home().lower[1]))[1]
    assert lowest <= top + 0.6 * height
    at = left + 50, top + 60
    hand.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
    assert session.demo.viewer.pointed == pytest.approx(session.view.camera.to_world(at))
    window.screen.resize((1200, 700))
    hand.surface = pygame.Surface((1200, 700))
    hand.frame(2)
    assert rooms[-1][0] > across


@pytest.mark.parametrize("size", [(1, 1), (64, 48), (320, 200)])
def test_a_tiny_window_still_draws(hand, size):
    """A window manager may do this despite the minimum size."""
    for key in (pygame.K_F7,):
        hand.key(key)
    hand.frame(40)
    hand.send(pygame.VIDEORESIZE, size=size)
    hand.surface = pygame.Surface(size)
    hand.frame(3)
    hand.click((0, 0))
    assert hand.window.session.timeline.failure == ""


def test_the_list_begins_with_the_demo_that_shows_most():
    window = Window((1280, 720), all_demos())
    assert window.browsing and type(window.session.demo) is find_demo("simple_shapes")


def test_the_list_shows_the_chosen_demo_and_keeps_its_state(drop):
    kinds = tuple(type(f"Drop{k}", (drop,), {"id": f"drop_{k}", "title": f"Drop {k}"}) for k in range(30))
    hand = Hand(Window(SIZE, kinds))

    def top(index):
        form, item = control(hand.window, kinds[index].title)
        return form.rect(item).top

    for _ in range(25):
        hand.key(pygame.K_DOWN)
    assert 0 <= top(25) < SIZE[1] - 80 and top(0) < 0
    where = top(25)
    hand.key(pygame.K_RETURN)
    hand.key(pygame.K_ESCAPE)
    assert hand.window.browsing and top(25) == where
    hand.key(pygame.K_RETURN)
    hand.window.screen.resize((900, 500))
    hand.key(pygame.K_ESCAPE)
    assert 0 <= top(25) < 500 - 80
    begun = Hand(Window(SIZE, kinds, kinds[28]()))
    begun.key(pygame.K_ESCAPE)
    form, item = control(begun.window, "Drop 28")
    assert 0 <= form.rect(item).top < SIZE[1] - 80


def test_a_slow_frame_is_attributed_to_its_cause():
    times = FrameTimes(frame=100.0, step=1.0, draw=5.0, steps=1)
    assert status_strip._what_takes_long(times, True) == "algorithms are being compiled"
    assert status_strip._what_takes_long(times, False) == "other programs are using the processor"
    assert status_strip._what_takes_long(replace(times, draw=80.0), True) == "drawing takes too long"


def test_drawing_does_not_change_the_session(hand):
    """Everything that a picture needs is determined beforehand, because time, camera and pointer may have changed by then."""
    window, session = hand.window, hand.window.session
    hand.frame(20)
    demo, stage = session.demo, session.demo.stages[0]
    session.view.pan(30.0, 10.0)
    session.clock.show(0.25)
    before = (
        demo.viewer.drawn_fraction,
        demo.viewer.pointed,
        stage.drawn_poses,
        session.view.camera,
        session.view.following.followed,
        demo_hash(demo),
    )
    window._draw(hand.surface)
    after = (
        demo.viewer.drawn_fraction,
        demo.viewer.pointed,
        stage.drawn_poses,
        session.view.camera,
        session.view.following.followed,
        demo_hash(demo),
    )
    assert all(first is other or first == other for first, other in zip(before, after, strict=True))
    assert stage.drawn_poses is before[2]
    window.show(hand.surface)
    assert demo.viewer.drawn_fraction == 0.25 and stage.drawn_poses is not before[2]
