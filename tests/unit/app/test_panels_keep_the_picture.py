"""A panel that is opened or closed refits an untouched view; it does not move a view that the user has moved."""

import pygame
import pytest

from engine.app.panels.tools_dock import ToolsDock
from tests.unit.app.controls import place

KEYS = {
    "inspector": (pygame.K_i, 0),
    "tools away": (pygame.K_t, pygame.KMOD_LSHIFT),
    "plots": (pygame.K_F7, 0),
}
POINTS = ((420, 200), (520, 130), (470, 330))


def press(hand, key, mod=0):
    hand.window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=""))
    hand.frame(2)


def point(hand, at):
    hand.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))


def seen(hand):
    return [hand.window.session.view.camera.to_world(point) for point in POINTS]


def test_a_panel_that_is_opened_refits_the_view(hand):
    point(hand, POINTS[0])
    hand.frame(2)
    view, before = hand.window.session.view, hand.window.session.view.camera
    for name in KEYS:
        for _ in range(2):  # open and close, or the other way round
            press(hand, *KEYS[name])
            hand.frame(30)
            fitted = view.camera
            view.home()
            assert view.camera == fitted and view.is_untouched, name
        assert view.camera == before, name


@pytest.mark.parametrize("size", [(1280, 720), (800, 600)])
def test_opening_or_closing_a_panel_does_not_move_a_view_that_was_moved(hand, size):
    hand.window.screen.resize(size)
    hand.surface = pygame.Surface(size)
    point(hand, POINTS[0])
    session = hand.window.session
    session.view.zoom(POINTS[0], 2.0)
    before, view, scale = seen(hand), session.view.camera.view, session.view.camera.scale
    for name in KEYS:
        has_moved = False
        for _ in range(2):  # open and close, or the other way round
            press(hand, *KEYS[name])
            has_moved |= session.view.camera.view != view
            assert session.view.camera.scale == scale
            assert seen(hand) == [pytest.approx(point, abs=1e-9) for point in before], name
        assert has_moved, name
    press(hand, pygame.K_HOME)
    fitted = session.view.camera
    session.view.home()
    assert session.view.camera == fitted and session.view.is_untouched, "Home fits the picture beside what is open"


def test_a_panel_opened_from_its_button_leaves_the_whole_view_visible(hand):
    """Issue 31: the inspector covered a part of it."""
    hand.frame(2)
    view, before = hand.window.session.view, hand.window.session.view.camera
    hand.click(place(hand.window, "Inspector").center)
    assert before.scale > view.camera.scale and view.is_untouched, "on its way"
    hand.frame(30)
    fitted = view.camera
    view.home()
    assert view.camera == fitted and fitted.view != before.view
    hand.click(place(hand.window, "Close").center)
    hand.frame(30)
    assert view.camera == before


def test_a_click_after_selecting_uses_the_same_place(hand):
    """Issue 13: a click on the chassis took a wheel."""
    point(hand, POINTS[0])
    session = hand.window.session
    session.clock.paused = True
    tools = next(dock for dock in hand.window.docks if isinstance(dock, ToolsDock))
    world = session.demo.stages[0].world
    pixel = tuple(round(coordinate) for coordinate in session.view.camera.to_screen(world.state(1).position))
    press(hand, pygame.K_s, pygame.KMOD_LSHIFT)
    view = session.view.camera.view
    hand.click(pixel)
    assert [item.body for item in tools.editor.selection] == [1]
    hand.frame(2)
    assert session.view.camera.view != view, "what is selected opens the inspector"
    assert tuple(round(coordinate) for coordinate in session.view.camera.to_screen(world.state(1).position)) == pixel


def test_all_panels_at_once_and_a_window_of_another_size(hand):
    point(hand, POINTS[0])
    session = hand.window.session
    for key, mod in KEYS.values():
        press(hand, key, mod)
    hand.frame(30)
    fixed = session.view.camera
    hand.window.screen.resize((1100, 700))
    hand.surface = pygame.Surface((1100, 700))
    hand.frame(2)
    assert session.view.camera.scale != fixed.scale, "another window shows everything in what is left of it"


def test_a_followed_body_does_not_jump(hand):
    session = hand.window.session
    session.clock.paused = True
    session.view.follow((0, 1))
    hand.frame(60)
    before = seen(hand)
    hand.window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_i, mod=0, unicode=""))
    hand.window.update(1.0 / 60.0)
    hand.window.show(hand.surface)
    assert max(abs(a[0] - b[0]) for a, b in zip(seen(hand), before, strict=True)) < 0.2 * 128.0 / session.view.camera.scale
    hand.frame(90)
    left, _, width, _ = session.view.camera.view
    assert session.view.camera.to_screen(session.demo.stages[0].world.state(1).position)[0] == pytest.approx(left + 0.5 * width, abs=2.0)
