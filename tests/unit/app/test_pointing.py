"""The pointer in the view: bodies, the camera, differences."""

import pygame
import pytest

from engine.app import frame
from engine.app.panels.timeline_dock import TimelineDock
from engine.app.status_strip import VERDICTS, CheckNote, verdict_at
from engine.contracts.agreement import Difference, StepAgreement
from engine.render.canvas import Canvas
from engine.sim.stage import Stage
from tests.unit.app.controls import place
from tests.unit.app.hand import SIZE, pixel
from tests.unit.app.written import Written, noting_words


def test_the_wheel_zooms_at_the_cursor_and_home_resets(hand):
    hand.frame()
    camera = hand.window.session.view.camera
    at = (700, 200)
    under = camera.to_world(at)
    hand.wheel(at, 3)
    assert hand.window.session.view.camera.scale > 1.4 * camera.scale
    assert hand.window.session.view.camera.to_world(at) == pytest.approx(under, abs=1e-6)
    hand.key(pygame.K_HOME)
    assert hand.window.session.view.camera == camera


def test_a_right_drag_moves_the_view(hand):
    hand.frame()
    under = hand.window.session.view.camera.to_world((600, 300))
    hand.send(pygame.MOUSEBUTTONDOWN, pos=(600, 300), button=3)
    hand.send(pygame.MOUSEMOTION, pos=(650, 280), rel=(50, -20), buttons=(0, 0, 1))
    hand.send(pygame.MOUSEBUTTONUP, pos=(650, 280), button=3)
    hand.send(pygame.MOUSEMOTION, pos=(900, 280), rel=(250, 0), buttons=(0, 0, 0))
    assert hand.window.session.view.camera.to_world((650, 280)) == pytest.approx(under)


def test_one_button_with_ctrl_moves_the_view_and_page_keys_are_the_wheel(hand):
    """Issue 31: a touch-pad or a mouse with one button reaches everything."""
    hand.frame()
    view = hand.window.session.view
    under = view.camera.to_world((600, 300))
    hand.send(pygame.MOUSEBUTTONDOWN, pos=(600, 300), button=1, mod=pygame.KMOD_LCTRL)
    hand.send(pygame.MOUSEMOTION, pos=(650, 280), rel=(50, -20), buttons=(1, 0, 0))
    hand.send(pygame.MOUSEBUTTONUP, pos=(650, 280), button=1)
    hand.send(pygame.MOUSEMOTION, pos=(900, 280), rel=(250, 0), buttons=(0, 0, 0))
    assert view.camera.to_world((650, 280)) == pytest.approx(under)
    under, scale = view.camera.to_world((900, 280)), view.camera.scale
    hand.key(pygame.K_PAGEUP)
    assert view.camera.scale > 1.2 * scale and view.camera.to_world((900, 280)) == pytest.approx(under)
    hand.key(pygame.K_PAGEDOWN)
    assert view.camera.scale == pytest.approx(scale)
    demo = hand.window.session.demo
    at = pixel(hand, demo.stages[0].world.state(demo.discs[0]).position)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert demo.grabbing, "without Ctrl the button takes hold again"


def test_a_page_key_scrolls_the_panel_under_the_pointer(hand):
    hand.window.app.appearance.toggle_more()
    hand.frame()
    hand.send(pygame.MOUSEMOTION, pos=(100, 300), rel=(0, 0), buttons=(0, 0, 0))
    scale = hand.window.session.view.camera.scale
    hand.key(pygame.K_PAGEDOWN)
    assert hand.window.screen.form.scrolled > 0 and hand.window.session.view.camera.scale == scale


def test_a_left_drag_moves_a_body(hand):
    demo = hand.window.session.demo
    disc = demo.discs[0]
    at = pixel(hand, demo.stages[0].world.state(disc).position)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert demo.grabbing
    goal = pixel(hand, (4.0, 3.0))
    hand.send(pygame.MOUSEMOTION, pos=goal, rel=(1, 1), buttons=(1, 0, 0))
    hand.frame(90)
    assert demo.stages[0].world.state(disc).position == pytest.approx((4.0, 3.0), abs=0.6)
    hand.send(pygame.MOUSEBUTTONUP, pos=goal, button=1)
    assert not demo.grabbing


@pytest.mark.parametrize("button", [3, 4])
def test_another_button_or_the_wheel_does_not_release_the_body(hand, button):
    demo = hand.window.session.demo
    at = pixel(hand, demo.stages[0].world.state(demo.discs[0]).position)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=button)
    hand.send(pygame.MOUSEBUTTONUP, pos=at, button=button)
    assert demo.grabbing
    hand.send(pygame.MOUSEBUTTONUP, pos=at, button=1)
    assert not demo.grabbing


@pytest.mark.parametrize("disturb", ["restart", "destroy", "back", "pause", "focus"])
def test_dragging_survives_whatever_happens_meanwhile(hand, disturb):
    demo = hand.window.session.demo
    disc = demo.discs[0]
    hand.send(pygame.MOUSEBUTTONDOWN, pos=pixel(hand, demo.stages[0].world.state(disc).position), button=1)
    if disturb == "restart":
        hand.key(pygame.K_r)
    elif disturb == "destroy":
        demo.stages[0].world.destroy_body(disc)
    elif disturb == "back":
        hand.key(pygame.K_ESCAPE)
    elif disturb == "pause":
        hand.key(pygame.K_SPACE)
    else:
        hand.send(pygame.WINDOWFOCUSLOST)
        assert not demo.grabbing
    hand.send(pygame.MOUSEMOTION, pos=(900, 100), rel=(5, 5), buttons=(1, 0, 0))
    hand.send(pygame.MOUSEBUTTONUP, pos=(900, 100), button=1)
    hand.frame(3)
    assert not hand.window.session.demo.grabbing


def test_a_hint_is_shown_when_the_view_is_far_away(hand):
    hand.frame()
    scale = hand.window.session.view.camera.scale
    for _ in range(100):
        hand.wheel((700, 300), -5)
    assert hand.window.session.view.camera.scale == pytest.approx(scale / 12.0)
    session, canvas = hand.window.session, Canvas(hand.surface, hand.window.session.view.camera)
    assert hand.window.screen.painter._shows_something(canvas, session)
    session.view.pan(1e6, 0.0)
    assert not hand.window.screen.painter._shows_something(Canvas(hand.surface, session.view.camera), session)


def test_a_difference_under_the_pointer_is_explained(hand, monkeypatch):
    hand.frame(3)
    difference = Difference(1, 2, (0.0, 0.5), (0.0, 1.0), (1.0, 0.0), "skin", 1e-4, "the cores are apart")
    monkeypatch.setattr(Stage, "agreement", StepAgreement(1, 0, 1, 0, 0.0, (difference,)))
    hand.window.session.clock.paused = True
    shown = []
    monkeypatch.setattr(frame, "draw_lines", lambda *arguments, **_: shown.extend(words for words, _ in arguments[3]))
    hand.send(pygame.MOUSEMOTION, pos=pixel(hand, (0.0, 0.5)), rel=(1, 1), buttons=(0, 0, 0))
    assert any(words.startswith("skin") for words in shown)
    assert "the cores are apart" in " ".join(shown)


def differing(hand):
    """Make the disc's contact differ from Box2D's, and return its pixel."""
    hand.frame(60)
    stage = hand.window.session.demo.stages[0]
    a, b = stage.world.fixture_ids
    x, y = stage.world.contacts.position[0, 0].tolist()
    difference = Difference(a, b, (x, y), (0.0, 1.0), (1.0, 0.0), "skin", 1e-4, "the cores are apart")

    class Differing:
        ready = True
        pairs, last_ms = None, 0.0
        total = StepAgreement(1, 0, 1, 0, 0.0, (difference,))

        def __init__(self, world):
            pass

        def check(self, contacts, /):
            return self.total

    hand.window.use_referee(Differing)
    hand.frame(2)
    return pixel(hand, (x, y))


def test_a_click_on_a_ring_pauses_and_zooms_in_and_escape_returns(hand):
    at = differing(hand)
    session = hand.window.session
    before, under = session.view.camera, session.view.camera.to_world(at)
    hand.click(at)
    assert session.clock.paused and session.view.camera.scale > 4.0 * before.scale
    assert session.view.camera.center == pytest.approx(under, abs=0.05)
    assert session.view.focus is not None and hand.window.screen.painter.differences_of("skin") != []
    hand.key(pygame.K_ESCAPE)
    assert not hand.window.browsing and session.view.focus is None
    assert session.view.camera == before and not session.clock.paused


def test_a_close_up_returns_to_the_moved_camera_and_stays_paused(hand):
    hand.frame()
    hand.wheel((700, 300), 2)
    at = differing(hand)
    session = hand.window.session
    hand.key(pygame.K_SPACE)
    hand.frame()
    before = session.view.camera
    hand.click(at)
    hand.click(pixel(hand, session.view.camera.center))  # the ring again: its stepper, from which Escape comes back to the close look
    assert hand.window.session is not session
    hand.key(pygame.K_ESCAPE)
    assert hand.window.session is session
    assert session.view.focus is not None
    hand.key(pygame.K_ESCAPE)
    assert session.view.camera == before and session.clock.paused
    hand.click(at)
    hand.key(pygame.K_HOME)
    assert session.view.focus is None and session.view.is_untouched
    hand.key(pygame.K_ESCAPE)
    assert hand.window.browsing


def test_a_drag_from_a_ring_grabs_its_body(hand):
    at = differing(hand)
    at = (at[0], at[1] - 6)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert not hand.window.session.demo.grabbing
    hand.send(pygame.MOUSEMOTION, pos=(at[0], at[1] - 20), rel=(0, -20), buttons=(1, 0, 0))
    assert hand.window.session.demo.grabbing
    hand.send(pygame.MOUSEBUTTONUP, pos=at, button=1)
    assert not hand.window.session.demo.grabbing and hand.window.session.view.focus is None


def test_a_click_on_a_reason_goes_to_its_largest_difference(hand):
    differing(hand)
    hand.click(place(hand.window, "More").center)
    hand.click(place(hand.window, "Close-up").center)
    assert hand.window.session.view.focus is not None and hand.window.session.clock.paused


def test_clicks_on_the_panel_do_not_reach_the_world(hand):
    hand.click((20, 400))
    hand.wheel((20, 400), 2)
    assert not hand.window.session.demo.grabbing


def test_pointing_at_a_body_shows_its_numbers(hand):
    demo = hand.window.session.demo
    hand.frame(30)
    state = demo.stages[0].world.state(demo.discs[0])

    def written():
        hand.surface = Written(hand.window.size)
        with noting_words():
            hand.frame(1, 0.0)
        return [words for words, _ in hand.surface.words if "rad/s" in words]

    assert written() == []
    hand.window.session.clock.paused = True
    hand.send(pygame.MOUSEMOTION, pos=pixel(hand, state.position), rel=(0, 0), buttons=(0, 0, 0))
    (words,) = written()
    assert f"{abs(state.linear_velocity[1]):.2f} m/s, 0.00 rad/s" in words and words.split()[1] == "kg,"
    demo.stages[0].world.set_awake(demo.discs[0], False)
    assert written() == [] and any("kg, asleep at rest (drawn dim)" in words for words, _ in hand.surface.words)
    demo.stages[0].world.set_awake(demo.discs[0], True)
    hand.send(pygame.KEYDOWN, key=pygame.K_h, mod=pygame.KMOD_SHIFT, unicode="")
    assert written() == [], "the words at the pointer are those of the hinge"


def test_a_hand_on_a_paused_body_says_what_it_waits_for(hand):
    session = hand.window.session
    hand.frame(2)
    session.clock.paused = True
    at = pixel(hand, session.demo.stages[0].world.state(1).position)
    hand.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert session.demo.grabbing and session.messages.now.words == "Time is paused: the hand pulls once it runs (Space)."


def test_a_tooltip_stands_at_its_button(hand):
    """That of the timeline's buttons stood at its far end."""
    hand.frame(5)
    form = hand.window.dock_area.find(TimelineDock).form
    at = form.rect(form.items[0]).center
    hand.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
    hand.frame(2, 1.0)
    hand.surface = Written(SIZE)
    with noting_words():
        hand.frame()
    tip = form.items[0].what.tip.split()[0]
    places = [seen for words, seen in hand.surface.words if words.startswith(tip) and 0 < at[1] - seen.bottom < 80]
    assert places and min(abs(seen.centerx - at[0]) for seen in places) < 140


def test_the_counts_of_the_check_have_tooltips(hand):
    window = hand.window
    layout, session = window.screen.layout, window.session
    painter = window.screen.painter
    hand.frame(30)
    right = layout.strip[0] + layout.strip[2]
    middle = layout.strip[1] + layout.strip[3] // 2
    tips = [verdict_at(painter, layout.strip, session, CheckNote(), False, (x, middle)) for x in range(layout.strip[0], right, 5)]
    assert {tip[0] for tip in tips if tip is not None} == {VERDICTS["agree"], VERDICTS["unexplained"]}
