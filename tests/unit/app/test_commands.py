"""The table of commands: one row makes key, menu, button, page of keys and the table in the docs."""

import re
from collections import Counter

import pygame
import pytest

from demos.stepper import Stepper
from docs import key_table
from engine.app.commands import COMMANDS, command_of, find, key_rows
from engine.app.keys import chords, key_codes
from engine.app.panel import key_buttons
from engine.app.window import Window
from engine.render.views import Layers
from engine.sim import actions
from engine.sim.actions import Grab
from engine.sim.registry import all_demos
from engine.ui.rows import Line
from tests.unit.app.controls import place
from tests.unit.app.hand import SIZE, Hand

DEMOS = [pytest.param(demo, id=demo.id) for demo in all_demos()]


def test_no_key_and_no_id_has_two_commands():
    assert max(Counter(command.id for command in COMMANDS).values()) == 1
    assert max(Counter(chord for command in COMMANDS for chord in chords(command.key)).values()) == 1
    assert all(chords(command.key) for command in COMMANDS if command.key)
    assert all(command.help.endswith(".") for command in COMMANDS)


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.key], ids=lambda command: command.id)
def test_a_key_runs_its_command(command):
    assert command in COMMANDS
    for code, control, shift in chords(command.key):
        mod = (pygame.KMOD_CTRL if control else 0) | (pygame.KMOD_SHIFT if shift else 0)
        event = pygame.event.Event(pygame.KEYDOWN, key=code, mod=mod, unicode="")
        assert command_of(event) is command


def test_the_page_of_keys_lists_the_demos_keys_and_every_usable_key(hand):
    keys = {row.name: row.value for row in key_rows(hand.window.app, ()) if isinstance(row, Line)}
    assert keys["K"] == "kick"
    assert "Space" in keys and "Ctrl Shift O" in keys and "F3" not in keys, "this world is not shared"


def test_the_page_says_which_keys_mean_something_else_in_this_demo():
    hand = Hand(Window(SIZE, (Stepper,), Stepper()))
    keys = [(row.name, row.value) for row in key_rows(hand.window.app, ()) if isinstance(row, Line)]
    assert {("Space", "play or pause"), ("Space", "Pause (in other demos)"), ("Home", "Fit view (in other demos)")} < set(keys)
    assert ("N or .", "Step (in other demos)") in keys and ("R", "Restart") in keys and ("8", "Live check (in other demos)") in keys


def test_the_docs_have_the_table_and_what_to_try():
    for path, page in ((key_table.WINDOW, key_table.window_page), (key_table.DEMOS, key_table.demos_page)):
        text = path.read_text(encoding="utf-8")
        assert page(text) == text, "python -m docs.key_table"


@pytest.mark.parametrize("demo", DEMOS)
def test_each_step_of_what_to_try_can_be_done(demo):
    """A key or a parameter of the demo, an action, a command or a saved file ticks it off."""
    keys, parameters = {name for name, _, _ in key_buttons(demo.keys)}, {parameter.name for parameter in demo.parameters}
    alternatives = {"f", "p"}  # other keys for the same
    assert 2 <= len(demo.tries) <= 4
    for words, marks in demo.tries:
        assert words.endswith((".", "?"))
        for mark in marks.split(", "):
            kind, _, name = mark.partition(" ")
            if kind == "key":
                assert name in keys | alternatives
            elif kind == "set":
                name, operator, value = re.fullmatch(r"(\w+)([=<>]?)(.*)", name).groups()
                assert name in parameters and (operator == "=") == bool(value)
                parameter = next(parameter for parameter in demo.parameters if parameter.name == name)
                assert not value or parameter.checked(value) != parameter.default
                assert operator != "<" or parameter.low < parameter.default
                assert operator != ">" or parameter.default < parameter.high
            else:
                assert mark == "saved" or hasattr(actions, mark) or find(mark)


def test_suggestions_are_ticked_when_done(hand, drop, monkeypatch):
    monkeypatch.setattr(drop, "tries", (("Kick it: K.", "key k"), ("Pause.", "pause"), ("Change the height.", "set height")))
    hand.window.screen.is_outdated = True
    hand.frame()
    panel = hand.window.screen.panel
    assert panel.done() == (False, False, False)
    hand.key(pygame.K_k)
    assert panel.done() == (True, False, False)
    hand.click(place(hand.window, "Pause").center)
    hand.window.session.set_parameter("height", 2.0)
    assert panel.done() == (True, True, True)


def test_only_what_was_done_is_ticked(hand, drop, monkeypatch):
    session, usual = hand.window.session, hand.window.session.demo.parameter("height")
    marks = ("Grab", "key q", "set height>", "set height=3")
    monkeypatch.setattr(drop, "on_key", lambda self, key: key != "q")
    monkeypatch.setattr(drop, "tries", tuple((f"{mark}.", mark) for mark in marks))
    hand.window.screen.is_outdated = True
    hand.frame()
    done = hand.window.screen.panel.done
    session.act(Grab((1e3, 1e3)))  # where nothing is
    session.press("q")  # a key without an action
    session.set_parameter("height", 0.9 * usual)
    assert done() == (False, False, False, False)
    session.set_parameter("height", 3.0)
    session.act(Grab(session.demo.stages[0].world.state(1).position))
    assert done() == (True, False, usual < 3.0, True)


def test_ticks_persist_when_the_demo_is_reopened(browser, drop, monkeypatch):
    """Issue 31: the ticks were lost if the demo had not been kept."""
    monkeypatch.setattr(drop, "tries", (("Kick it: K.", "key k"), ("Pause.", "pause")))
    window = browser.window
    for is_kept in (True, False):
        window.navigator.start(1)
        browser.key(pygame.K_k)
        browser.key(pygame.K_ESCAPE)
        if not is_kept:
            window.navigator.left.clear()
        window.navigator.start(1)
        browser.frame()
        assert window.screen.panel.done() == (True, False)
    window.navigator.open_demo(type("Other", (drop,), {"id": "other"}))
    browser.frame()
    assert window.screen.panel.done() == (False, False)


def test_a_key_of_the_demo_has_a_button_that_holds_it_down(hand):
    demo = hand.window.session.demo
    at = place(hand.window, "Kick  K").center
    pygame.mouse.set_pos(at)
    hand.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
    hand.frame(2)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    hand.frame(3)
    assert demo.held == {"k"} and demo.pressed == ["k"]
    hand.send(pygame.MOUSEBUTTONUP, pos=at, button=1)
    hand.frame(2)
    assert demo.held == set() and demo.pressed == ["k"]


def test_layers_have_a_toggle_each():
    assert [command.id for command in COMMANDS if command.id in Layers.__slots__] == list(Layers.__slots__)
    assert key_codes("0") == (pygame.K_0, pygame.K_KP_0)
