"""The panel of a demo: buttons, sliders, choices."""

import re

import pygame
import pytest

from engine.app.frame import FramePainter
from engine.app.referee_panel import worst_errors
from engine.app.session import Session
from engine.app.solver_settings import setting_parameters
from engine.app.status_strip import _cells
from engine.app.window import Window
from engine.contracts.agreement import StepAgreement
from engine.demo import Parameter
from engine.geometry import Circle
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import THEMES
from engine.sim.actions import CreateBody
from engine.sim.registry import find_demo
from engine.ui.form import Form
from engine.ui.rows import Button, Buttons, Slider
from engine.ui.ui import Ui
from engine.world import BodySpec, FixtureSpec, solvers
from tests.unit.app.controls import button, control, drag, names, place
from tests.unit.app.hand import SIZE, Hand
from tests.unit.app.written import Written, noting_words


def slider(hand, name):
    what = control(hand.window, name)[1].what
    assert isinstance(what, Slider)
    return what


def test_buttons_do_what_their_keys_do(hand):
    hand.click(place(hand.window, "Pause").center)
    assert hand.window.session.clock.paused and "Continue" in names(hand.window)
    hand.click(place(hand.window, "More").center)
    hand.click(place(hand.window, "2  AABBs").center)
    assert hand.window.session.layers.aabbs and button(hand.window, "2  AABBs").is_on


def test_pause_and_restart_are_above_the_scrollable_sliders(hand):
    order = names(hand.window)
    assert order.index("Pause") < order.index("Restart") < order.index("height")


@pytest.mark.parametrize("id, is_there", [("pyramid", False), ("bounce", True)])
def test_a_setting_of_the_solver_has_one_slider(id, is_there):
    """Issue 31: pyramid, bridge and radial_engine had two sliders for the iterations."""
    kind = find_demo(id)
    window = Window(SIZE, (kind,), kind(1))
    window.app.appearance.toggle_more()
    assert ("Velocity iterations" in names(window)) == is_there and "Position iterations" in names(window)


@pytest.mark.parametrize("solver", solvers())
def test_every_setting_of_a_solver_has_a_description(solver):
    """Issue 31: sliders of solvers lacked tooltips."""
    assert all(re.fullmatch("[A-Z].*[.]", parameter.tooltip) for parameter in setting_parameters(solver))


def test_every_control_of_the_panel_has_a_tooltip(hand):
    hand.window.app.appearance.toggle_more()
    place(hand.window, "More")
    assert [item.key[0] for item in hand.window.screen.form.items if not item.what.tip and item.is_stop] == []


def test_a_slider_is_dragged_and_clicked(hand):
    demo = hand.window.session.demo
    drag(hand, "height", 0.1, 0.5, 1.0)
    assert demo.parameter("height") == 20.0 and slider(hand, "height").value == "20 m"
    drag(hand, "height", 0.0)
    assert demo.parameter("height") == pytest.approx(0.6)


def test_a_slider_is_moved_by_arrow_keys_and_takes_what_is_typed(hand):
    demo, ui = hand.window.session.demo, hand.window.screen.ui
    while ui.focused is None or ui.focused.key[0] != "discs":
        hand.key(pygame.K_TAB)
    hand.key(pygame.K_RIGHT)
    hand.key(pygame.K_RIGHT)
    hand.key(pygame.K_LEFT)
    assert demo.parameter("discs") == 2.0
    hand.send(pygame.KEYDOWN, key=ord("4"), mod=0, unicode="4")
    hand.key(pygame.K_RETURN)
    assert demo.parameter("discs") == 4.0
    hand.send(pygame.KEYDOWN, key=ord("5"), mod=0, unicode="5")
    hand.send(pygame.KEYDOWN, key=ord("0"), mod=0, unicode="0")
    hand.key(pygame.K_RETURN)
    message = hand.window.session.messages.now
    assert "discs must be a whole number from 1 to 9" in message.words and demo.parameter("discs") == 4.0
    hand.key(pygame.K_ESCAPE)
    assert ui.focused is None and not hand.window.browsing, "Esc leaves the slider, and nothing else"


def test_the_slider_follows_a_value_changed_elsewhere(hand):
    hand.window.session.demo.set_parameter("height", 15.0)
    assert slider(hand, "height").value == "15 m" and slider(hand, "height").share == pytest.approx(0.742, abs=1e-3)


def test_a_choice_is_a_row_of_buttons(choosy):
    hand = Hand(Window(SIZE, (choosy,), choosy()))
    hand.frame(2)
    assert not button(hand.window, "west").is_on
    hand.click(place(hand.window, "west").center)
    assert hand.window.session.demo.parameter("side") == 2.0 and button(hand.window, "west").is_on
    assert hand.window.session.layers.aabbs, "the demo asks for them"
    hand.window.session.demo.set_parameter("side", "east")
    assert not button(hand.window, "west").is_on


def test_the_worst_errors_of_the_last_seconds_are_kept(hand):
    errors = (3e-7, 0.0, 2e-7)

    class Erring:
        ready, total, pairs, last_ms = True, StepAgreement(), None, 0.0

        def __init__(self, world):
            self.left = list(errors)

        def check(self, contacts, /):
            return StepAgreement(max_point_error=self.left.pop(0) if self.left else 1e-9)

    hand.window.use_referee(Erring)
    session = hand.window.session
    for _ in range(3):
        session.demo.sim.step()
    assert worst_errors(session).tolist() == list(errors)
    for _ in range(300):
        session.demo.sim.step()
    assert worst_errors(session).tolist() == [1e-9] * 300
    hand.key(pygame.K_8)
    hand.frame(2)
    assert session.demo.stages[0].agreement == StepAgreement(), "switched off, nothing is left standing"
    assert len(session.demo.stages[0].errors) == 303


def test_multiple_choice_buttons_toggle(drop):
    class Sides(drop):
        parameters = (*drop.parameters, Parameter.some("sides", ("north", "east", "west"), ("north",), "sides"))

    window = Window(SIZE, (Sides,), Sides())
    hand = Hand(window)
    hand.frame(2)
    for word, sides in (("west", "north+west"), ("north", "west"), ("west", "west"), ("east", "east+west")):
        hand.click(place(window, word).center)
        assert Sides.parameters[-1].shown(window.session.demo.parameter("sides")) == sides
        assert [button(window, word).is_on for word in ("north", "east", "west")] == [word in sides for word in ("north", "east", "west")]


@pytest.mark.parametrize("theme", list(THEMES))
def test_hovered_and_active_buttons_look_different(theme):
    """It has a different lightness from an idle button, and no accent color, which marks an active button."""
    before, ui = palette.theme_name(), Ui(FontBook(1.0), print)
    palette.use_theme(theme)
    surface, grounds = pygame.Surface((200, 60)), {}
    for state, is_on, pointer in (("normal", False, (0, 0)), ("hovered", False, (100, 20)), ("on", True, (0, 0))):
        ui.pointer, form = pointer, Form(ui)
        form.lay_out((Buttons((Button("", print, is_on=is_on),), columns=1),), (0, 0, 200, 60))
        form.draw(surface)
        grounds[state] = surface.get_at((60, 20))
    palette.use_theme(before)

    def distance(first, other):
        return sum((a - b) ** 2 for a, b in zip(first, other, strict=True)) ** 0.5

    assert distance(grounds["normal"], grounds["hovered"]) > 15.0
    assert distance(grounds["hovered"], grounds["on"]) > 1.5 * distance(grounds["hovered"], grounds["normal"])


def test_the_card_and_the_status_bar_show_the_same_number_of_bodies():
    for n_built in (0, 2):
        demo = find_demo("workbench")()
        for k in range(n_built):
            demo.sim.act(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.2)),), position=(2.0 * k, 3.0))))
        bar = next(value for caption, value, _ in _cells(Session(demo, (0, 0, 640, 480)), 0) if caption == "bodies")
        assert str(demo.status()[0]).split()[0] == bar == str(1 + n_built)


def test_the_verdict_is_the_largest_line_if_it_fits_on_one_line():
    demo = find_demo("newtons_cradle")(1)
    for width, is_large in ((1000, True), (300, False)):
        session, painter = Session(demo, (0, 0, width, 600)), FramePainter(shrinks=False)
        painter.prepare(session)
        surface = Written((width, 600))
        with noting_words():
            painter.paint(surface, session)
        heights = {words: rect.height for words, rect in surface.words}
        first = next(words for words, rect in sorted(surface.words, key=lambda line: line[1].top) if "momentum" in words)
        other = next(words for words in heights if words.startswith("energy"))
        assert (heights[first] > 1.2 * heights[other]) is is_large


def test_a_truncated_verdict_is_not_a_headline(drop, monkeypatch):
    """Issue 31: with the largest text the end of the last line came first, in large letters."""
    lines = [(f"balls in the bin number {k}: {k} (predicted {k})", palette.AGREE) for k in range(20)]
    monkeypatch.setattr(drop, "status", lambda _: lines)
    painter, demo = FramePainter(1.625, shrinks=False), drop()
    for height in range(240, 281, 20):
        session = Session(demo, (0, 0, 260, height))
        painter.prepare(session)
        surface = Written((260, height))
        with noting_words():
            painter.paint(surface, session)
        first = next(words for words, _ in sorted(surface.words, key=lambda line: line[1].top))
        assert first.startswith("balls in")
