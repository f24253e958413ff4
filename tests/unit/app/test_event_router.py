"""Keys and other events reach the right part of the window."""

import pygame
import pytest

from engine.app.commands import COMMANDS, LAYERS
from engine.app.keys import chords
from engine.app.panels.tools_dock import ToolsDock
from tests.unit.app.controls import place
from tests.unit.app.hand import pixel


def test_space_pauses_the_simulation(hand):
    hand.frame(5)
    hand.key(pygame.K_SPACE)
    steps = hand.window.session.demo.steps
    hand.frame(30)
    assert hand.window.session.demo.steps == steps
    hand.key(pygame.K_SPACE)
    hand.frame(5)
    assert hand.window.session.demo.steps > steps


@pytest.mark.parametrize("key", [pygame.K_n, pygame.K_PERIOD])
def test_single_step_is_one_step_of_the_world(hand, key):
    hand.frame(5)
    hand.key(pygame.K_SPACE)
    world = hand.window.session.demo.stages[0].world
    index = world.step_index
    for k in range(1, 4):
        hand.key(key)
        hand.frame(3)
        assert world.step_index == index + k
    assert hand.window.session.clock.paused


def test_brackets_change_the_speed(hand):
    hand.key(pygame.K_LEFTBRACKET)
    hand.key(pygame.K_LEFTBRACKET)
    assert hand.window.session.clock.speed == 0.25
    hand.key(pygame.K_RIGHTBRACKET)
    assert hand.window.session.clock.speed == 0.5


def test_r_restarts_at_the_same_speed(hand):
    hand.key(pygame.K_LEFTBRACKET)
    hand.frame(40)
    hand.key(pygame.K_r)
    assert hand.window.session.demo.steps < 5
    assert hand.window.session.clock.speed == 0.5


def test_digits_toggle_the_layers(hand):
    for layer in LAYERS:
        before = getattr(hand.window.session.layers, layer.id)
        hand.key(chords(layer.key)[0][0])
        assert getattr(hand.window.session.layers, layer.id) is not before
    hand.frame(3)


def test_other_keys_reach_the_demo(hand):
    hand.send(pygame.KEYDOWN, key=pygame.K_LEFT, mod=0, unicode="")
    demo = hand.window.session.demo
    assert demo.held == {"left"}
    hand.send(pygame.KEYUP, key=pygame.K_LEFT, mod=0)
    assert demo.held == set()
    hand.key(pygame.K_k)
    assert demo.pressed == ["left", "k"]


def test_escape_returns_and_then_quits(hand):
    hand.key(pygame.K_F1)
    assert hand.window.router.keys.is_open
    hand.key(pygame.K_ESCAPE)
    assert not hand.window.router.keys.is_open and not hand.window.browsing
    hand.key(pygame.K_ESCAPE)
    assert hand.window.browsing
    hand.key(pygame.K_ESCAPE)
    message = hand.window.session.messages.now
    assert hand.window.running and message is not None and "again to quit" in message.words
    hand.frame(8, elapsed=1.0)
    hand.key(pygame.K_ESCAPE)
    assert hand.window.running, "the question was no longer there"
    hand.key(pygame.K_ESCAPE)
    assert not hand.window.running


def test_the_key_page_scrolls_by_wheel_and_page_keys_in_a_low_window(hand):
    window = hand.window
    window.screen.resize((640, 480))
    hand.key(pygame.K_F1)
    hand.wheel((300, 200), -2)
    hand.frame(1)
    by_wheel = window.router.keys.form.scrolled
    assert by_wheel > 0 and window.router.keys.is_open
    for _ in range(40):
        hand.key(pygame.K_PAGEDOWN)
    hand.frame(1)
    end = window.router.keys.form.scrolled
    hand.key(pygame.K_PAGEDOWN)
    hand.frame(1)
    assert by_wheel < end == window.router.keys.form.scrolled
    hand.key(pygame.K_F1)
    hand.key(pygame.K_F1)
    assert window.router.keys.is_open and window.router.keys.form.scrolled == 0


def test_a_click_only_closes_the_key_page(hand):
    hand.key(pygame.K_F1)
    demo = hand.window.session.demo
    at = pixel(hand, demo.stages[0].world.state(demo.discs[0]).position)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert not hand.window.router.keys.is_open and not demo.grabbing


def test_the_key_page_blocks_the_pointer_but_not_the_keys(hand):
    hand.frame(30)
    tools = next(dock for dock in hand.window.docks if dock.title == "Tools")
    assert isinstance(tools, ToolsDock)
    session, history = hand.window.session, hand.window.session.timeline.history
    assert history is not None
    line = next(dock for dock in hand.window.docks if dock.title == "Timeline")
    for at in (place(hand.window, tools.tools[2].name).center, line.bar.center):
        hand.key(pygame.K_F1)
        hand.wheel(at, 1)
        assert hand.window.router.keys.is_open
        hand.click(at)
        assert not hand.window.router.keys.is_open and tools.tool is tools.tools[0] and not session.clock.paused
    hand.key(pygame.K_F1)
    hand.send(pygame.KEYDOWN, key=pygame.K_LSHIFT, mod=pygame.KMOD_LSHIFT, unicode="")
    assert hand.window.router.keys.is_open
    hand.send(pygame.KEYDOWN, key=pygame.K_b, mod=pygame.KMOD_LSHIFT, unicode="B")
    assert not hand.window.router.keys.is_open and tools.tool is tools.tools[2]


def test_ctrl_and_alt_make_different_keys_and_altgr_types_brackets(hand):
    demo, clock = hand.window.session.demo, hand.window.session.clock
    for key, mod in ((pygame.K_SPACE, pygame.KMOD_LCTRL), (pygame.K_1, pygame.KMOD_LALT), (pygame.K_k, pygame.KMOD_LCTRL)):
        hand.send(pygame.KEYDOWN, key=key, mod=mod, unicode="")
    assert not clock.paused and hand.window.session.layers.shapes and demo.held == set()
    hand.send(pygame.KEYDOWN, key=pygame.K_8, mod=pygame.KMOD_RALT, unicode="[")
    assert clock.speed == 0.5 and hand.window.session.layers.check
    hand.key(pygame.K_KP_PLUS)
    assert clock.speed == 1.0


def test_closing_works_everywhere(hand, browser):
    for some in (hand, browser):
        some.send(pygame.QUIT)
        assert not some.window.running


def test_every_key_in_every_state(hand, browser, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # one of them writes a picture
    keys = [
        *(code for command in COMMANDS for code, control, _ in chords(command.key) if not control),
        pygame.K_UP,
        pygame.K_DOWN,
        pygame.K_TAB,
        pygame.K_a,
        pygame.K_F5,
        pygame.K_RETURN,
    ]
    for some in (hand, browser):
        for key in keys:
            some.key(key)
            some.frame()
