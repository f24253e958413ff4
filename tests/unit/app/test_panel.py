"""The panel beside a demo: buttons, sliders, choices."""

import re

import pygame
import pytest
from pygame_gui.elements import UILabel

from engine.app.frame import FramePainter
from engine.app.referee_panel import worst_errors
from engine.app.session import Session
from engine.app.solver_settings import setting_parameters
from engine.app.status_strip import _cells
from engine.app.widgets import theme_for
from engine.app.window import Window
from engine.contracts.agreement import StepAgreement
from engine.demo import Demo, Parameter
from engine.geometry import Circle
from engine.render import palette
from engine.render.palette import THEMES
from engine.sim.actions import CreateBody
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, solvers
from tests.unit.app.hand import SIZE, Hand
from tests.unit.app.written import Written, noting_words


def test_buttons_do_what_their_keys_do(hand: Hand) -> None:
    panel = hand.window.screen.panel
    assert panel is not None
    button = panel.buttons["pause"]
    hand.click(button.rect.center)
    assert hand.window.session.clock.paused and button.text == "Continue"
    hand.click(panel.buttons["more"].rect.center)
    panel = hand.window.screen.panel
    assert panel is not None
    toggle = panel.buttons["aabbs"]
    panel.column.reveal(toggle.rect.top + panel.column.scrolled, toggle.rect.height)
    hand.click(toggle.rect.center)
    assert hand.window.session.layers.aabbs and toggle.is_selected


@pytest.mark.parametrize("id, is_there", [("pyramid", False), ("bounce", True)])
def test_a_setting_of_the_solver_has_one_slider(id: str, is_there: bool) -> None:
    """Issue 31: pyramid, bridge and radial_engine had two for the iterations."""
    kind = find_demo(id)
    window = Window(SIZE, (kind,), kind(1))
    window.app.appearance.toggle_more(window.screen)
    window.update(0.0)
    panel = window.screen.panel
    assert panel is not None
    names = [parameter.name for _, parameter in panel.motion._rows._sliders]
    assert ("world.velocity_iterations" in names) == is_there and "world.position_iterations" in names


def test_a_slider_sets_its_parameter(hand: Hand) -> None:
    panel = hand.window.screen.panel
    assert panel is not None
    slider, parameter = panel.parameters._sliders[0]
    slider.set_current_value(12.0)
    slider.has_moved_recently = True
    panel.parameters._pending[parameter.name] = parameter.snapped(12.0)
    hand.frame(2)
    assert hand.window.session.demo.parameter("height") == pytest.approx(12.0)


def test_a_click_beside_the_thumb_moves_it_there(hand: Hand) -> None:
    panel = hand.window.screen.panel
    assert panel is not None
    slider, parameter = panel.parameters._sliders[0]
    hand.click((slider.rect.right - 20, slider.rect.centery))
    value = hand.window.session.demo.parameter(parameter.name)
    assert value > 0.8 * parameter.high
    assert slider.get_current_value() == pytest.approx(value, abs=0.1)


def test_the_thumb_follows_a_value_changed_elsewhere(hand: Hand) -> None:
    panel = hand.window.screen.panel
    assert panel is not None
    hand.window.session.demo.set_parameter("height", 15.0)
    hand.frame()
    assert panel.parameters._sliders[0][0].get_current_value() == pytest.approx(15.0)


def test_a_choice_is_a_row_of_buttons(choosy: type[Demo]) -> None:
    hand = Hand(Window(SIZE, (choosy,), choosy()))
    hand.frame(2)
    panel = hand.window.screen.panel
    assert panel is not None
    button = next(button for button, (_, index) in panel.parameters._choices.items() if index == 2)
    assert button.text == "west" and not button.is_selected
    hand.click(button.rect.center)
    assert hand.window.session.demo.parameter("side") == 2.0 and button.is_selected
    assert hand.window.session.layers.aabbs, "the demo asks for them"
    hand.window.session.demo.set_parameter("side", "east")
    hand.frame()
    assert not button.is_selected


def test_the_worst_errors_of_the_last_seconds_are_kept(hand: Hand) -> None:
    errors = (3e-7, 0.0, 2e-7)

    class Erring:
        ready, total, pairs, last_ms = True, StepAgreement(), None, 0.0

        def __init__(self, world: object) -> None:
            self.left = list(errors)

        def check(self, contacts: object, /) -> StepAgreement:
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


def test_buttons_of_several_words_add_and_take_away(drop: type[Demo]) -> None:
    class Sides(drop):  # type: ignore[valid-type,misc]
        parameters = (*drop.parameters, Parameter.some("sides", ("north", "east", "west"), ("north",), "sides"))

    window = Window(SIZE, (Sides,), Sides())
    hand = Hand(window)
    hand.frame(2)
    for index, wanted in ((2, "north+west"), (0, "west"), (2, "west"), (1, "east+west")):
        panel = window.screen.panel
        assert panel is not None
        button = next(button for button, (parameter, k) in panel.parameters._choices.items() if parameter.name == "sides" and k == index)
        hand.click(button.rect.center)
        assert Sides.parameters[-1].shown(window.session.demo.parameter("sides")) == wanted
        assert [button.is_selected for button in panel.parameters._choices] == [
            word in wanted.split("+") for word in ("north", "east", "west")
        ]


@pytest.mark.parametrize("theme", list(THEMES))
def test_a_button_under_the_pointer_does_not_look_like_one_that_is_on(theme: str) -> None:
    """It has another lightness than one at rest, and nothing of the accent's color, which says that a button is on; nor its edge."""
    before = palette.theme_name()
    palette.use_theme(theme)
    try:
        colors = theme_for(1.0)["defaults"]["colours"]  # as pygame_gui spells it
    finally:
        palette.use_theme(before)
    normal, hovered, on = (pygame.Color(colors[f"{state}_bg"]) for state in ("normal", "hovered", "selected"))

    def distance(one: pygame.Color, other: pygame.Color) -> float:
        return sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5

    assert distance(normal, hovered) > 15.0 and distance(hovered, on) > 1.5 * distance(hovered, normal)
    assert colors["hovered_border"] not in (colors["selected_border"], colors["normal_border"])


def test_card_and_status_bar_count_the_same_bodies() -> None:
    for n_built in (0, 2):
        demo = find_demo("workbench")()
        for k in range(n_built):
            demo.sim.act(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.2)),), position=(2.0 * k, 3.0))))
        bar = next(value for caption, value, _ in _cells(Session(demo, (0, 0, 640, 480)), 0) if caption == "bodies")
        assert str(demo.status()[0]).split()[0] == bar == str(1 + n_built)


def test_the_verdict_is_the_largest_line_where_it_fits_in_one() -> None:
    demo = find_demo("newtons_cradle")(1)
    for width, is_large in ((1000, True), (300, False)):
        session, painter = Session(demo, (0, 0, width, 600)), FramePainter(shrinks=False)
        painter.prepare(session)
        surface = Written((width, 600))
        with noting_words():
            painter.paint(surface, session)
        heights = {words: rect.height for words, rect in surface.words}
        first = next(words for words, rect in sorted(surface.words, key=lambda one: one[1].top) if "momentum" in words)
        other = next(words for words in heights if words.startswith("energy"))
        assert (heights[first] > 1.2 * heights[other]) is is_large


@pytest.mark.parametrize("solver", solvers())
def test_every_setting_of_a_solver_has_a_sentence(solver: str) -> None:
    """Issue 31: sliders of solvers lacked tooltips."""
    assert all(re.fullmatch("[A-Z].*[.]", parameter.tooltip) for parameter in setting_parameters(solver))


def test_sliders_and_counts_have_tooltips() -> None:
    kind = find_demo("bounce")
    window = Window(SIZE, (kind,), kind(1))
    window.app.appearance.toggle_more(window.screen)
    window.update(0.0)
    panel = window.screen.panel
    assert panel is not None
    sliders = [slider for slider, _ in (*panel.parameters._sliders, *panel.motion._rows._sliders)]
    assert len(sliders) > 3 and all(slider.tool_tip_text and slider.sliding_button.tool_tip_text for slider in sliders)
    tips = [widget.tool_tip_text for widget, _, _ in panel.column._widgets if isinstance(widget, UILabel)]
    assert any(tip.startswith("Contacts whose answers differ for a known reason") for tip in tips)
