"""The window, driven by the events a person would cause."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pygame
import pytest

from engine.app import frame
from engine.app.demo import Demo
from engine.app.keys import KEY_COMMANDS, LAYER_COMMANDS, Command
from engine.app.parameters import Parameter
from engine.app.referee_panel import worst_errors
from engine.app.registry import all_demos, find_demo
from engine.app.session import FrameTimes
from engine.app.window import Window
from engine.common.errors import InvalidInputError
from engine.contracts.agreement import Difference, StepAgreement
from engine.render.canvas import Canvas

FRAME = 1.0 / 60.0
SIZE = (1280, 720)


class Hand:
    """Presses, drags and clicks, with a frame after each."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.surface = pygame.Surface(window._layout.size)

    def frame(self, n: int = 1, elapsed: float = FRAME) -> None:
        """Let frames pass; pygame_gui posts its events to pygame's queue."""
        for _ in range(n):
            for event in pygame.event.get():
                self.window.handle(event)
            self.window.update(elapsed)
            self.window.draw(self.surface)

    def send(self, kind: int, **attributes: Any) -> None:
        """One event and a frame."""
        self.window.handle(pygame.event.Event(kind, attributes))
        self.frame()

    def key(self, key: int) -> None:
        """Press and let go."""
        self.send(pygame.KEYDOWN, key=key, mod=0, unicode="")
        self.send(pygame.KEYUP, key=key, mod=0)

    def click(self, at: tuple[int, int], button: int = 1) -> None:
        """Move there, press, let go."""
        pygame.mouse.set_pos(at)
        self.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
        self.frame(2)
        self.send(pygame.MOUSEBUTTONDOWN, pos=at, button=button)
        self.send(pygame.MOUSEBUTTONUP, pos=at, button=button)
        self.frame(2)

    def wheel(self, at: tuple[int, int], notches: int) -> None:
        """Turn the wheel at a place."""
        self.send(pygame.MOUSEWHEEL, x=0, y=notches, precise_y=float(notches), mouse=at)


@pytest.fixture
def hand(drop: type[Demo], twins: type[Demo]) -> Hand:
    return Hand(Window(SIZE, (twins, drop), drop()))


@pytest.fixture
def browser(drop: type[Demo], twins: type[Demo]) -> Hand:
    return Hand(Window(SIZE, (twins, drop)))


def pixel(hand: Hand, point: tuple[float, float]) -> tuple[int, int]:
    x, y = hand.window.session.camera.to_screen(point)
    return round(x), round(y)


def test_time_passes_in_fixed_steps(hand: Hand) -> None:
    hand.frame(60)
    assert 59 <= hand.window.session.demo.steps <= 60


def test_space_pauses_and_nothing_is_stepped(hand: Hand) -> None:
    hand.frame(5)
    hand.key(pygame.K_SPACE)
    steps = hand.window.session.demo.steps
    hand.frame(30)
    assert hand.window.session.demo.steps == steps
    hand.key(pygame.K_SPACE)
    hand.frame(5)
    assert hand.window.session.demo.steps > steps


@pytest.mark.parametrize("key", [pygame.K_n, pygame.K_PERIOD])
def test_single_step_is_one_step_of_the_world(hand: Hand, key: int) -> None:
    hand.frame(5)
    hand.key(pygame.K_SPACE)
    world = hand.window.session.demo.stages[0].world
    index = world.step_index
    for k in range(1, 4):
        hand.key(key)
        hand.frame(3)
        assert world.step_index == index + k
    assert hand.window.session.clock.paused


def test_brackets_change_the_speed(hand: Hand) -> None:
    hand.key(pygame.K_LEFTBRACKET)
    hand.key(pygame.K_LEFTBRACKET)
    assert hand.window.session.clock.speed == 0.25
    hand.key(pygame.K_RIGHTBRACKET)
    assert hand.window.session.clock.speed == 0.5


def test_r_restarts_and_keeps_the_speed(hand: Hand) -> None:
    hand.key(pygame.K_LEFTBRACKET)
    hand.frame(40)
    hand.key(pygame.K_r)
    assert hand.window.session.demo.steps < 5
    assert hand.window.session.clock.speed == 0.5


def test_digits_toggle_the_layers(hand: Hand) -> None:
    for k, command in enumerate(LAYER_COMMANDS):
        before = getattr(hand.window.layers, command.value)
        hand.key(pygame.K_1 + k)
        assert getattr(hand.window.layers, command.value) is not before
    hand.frame(3)


def test_the_wheel_zooms_at_the_cursor_and_home_resets(hand: Hand) -> None:
    hand.frame()
    camera = hand.window.session.camera
    at = (700, 200)
    under = camera.to_world(at)
    hand.wheel(at, 3)
    assert hand.window.session.camera.scale > 1.4 * camera.scale
    assert hand.window.session.camera.to_world(at) == pytest.approx(under, abs=1e-6)
    hand.key(pygame.K_HOME)
    assert hand.window.session.camera == camera


def test_a_right_drag_moves_the_view(hand: Hand) -> None:
    hand.frame()
    under = hand.window.session.camera.to_world((600, 300))
    hand.send(pygame.MOUSEBUTTONDOWN, pos=(600, 300), button=3)
    hand.send(pygame.MOUSEMOTION, pos=(650, 280), rel=(50, -20), buttons=(0, 0, 1))
    hand.send(pygame.MOUSEBUTTONUP, pos=(650, 280), button=3)
    hand.send(pygame.MOUSEMOTION, pos=(900, 280), rel=(250, 0), buttons=(0, 0, 0))
    assert hand.window.session.camera.to_world((650, 280)) == pytest.approx(under)


def test_a_left_drag_carries_a_body(hand: Hand) -> None:
    demo = hand.window.session.demo
    disc = demo.discs[0]  # type: ignore[attr-defined]
    at = pixel(hand, demo.stages[0].world.state(disc).position)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert demo.grabbing
    goal = pixel(hand, (4.0, 3.0))
    hand.send(pygame.MOUSEMOTION, pos=goal, rel=(1, 1), buttons=(1, 0, 0))
    hand.frame(90)
    assert demo.stages[0].world.state(disc).position == pytest.approx((4.0, 3.0), abs=0.6)
    hand.send(pygame.MOUSEBUTTONUP, pos=goal, button=1)
    assert not demo.grabbing


@pytest.mark.parametrize("disturb", ["restart", "destroy", "back", "pause", "focus"])
def test_dragging_survives_whatever_happens_meanwhile(hand: Hand, disturb: str) -> None:
    demo = hand.window.session.demo
    disc = demo.discs[0]  # type: ignore[attr-defined]
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


def test_other_keys_reach_the_demo(hand: Hand) -> None:
    hand.send(pygame.KEYDOWN, key=pygame.K_LEFT, mod=0, unicode="")
    demo = hand.window.session.demo
    assert demo.held == {"left"}
    hand.send(pygame.KEYUP, key=pygame.K_LEFT, mod=0)
    assert demo.held == set()
    hand.key(pygame.K_k)
    assert demo.pressed == ["left", "k"]  # type: ignore[attr-defined]


def test_escape_goes_back_and_then_quits(hand: Hand) -> None:
    hand.key(pygame.K_F1)
    assert hand.window.help_shown
    hand.key(pygame.K_ESCAPE)
    assert not hand.window.help_shown and not hand.window.browsing
    hand.key(pygame.K_ESCAPE)
    assert hand.window.browsing and hand.window.running
    hand.key(pygame.K_ESCAPE)
    assert not hand.window.running


def test_a_click_closes_the_keys_and_does_nothing_else(hand: Hand) -> None:
    hand.key(pygame.K_F1)
    demo = hand.window.session.demo
    at = pixel(hand, demo.stages[0].world.state(demo.discs[0]).position)  # type: ignore[attr-defined]
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert not hand.window.help_shown and not demo.grabbing


def test_closing_works_everywhere(hand: Hand, browser: Hand) -> None:
    for some in (hand, browser):
        some.send(pygame.QUIT)
        assert not some.window.running


def test_the_browser_previews_and_starts(browser: Hand, drop: type[Demo], twins: type[Demo]) -> None:
    window = browser.window
    browser.frame(10)
    assert window.browsing and type(window.session.demo) is twins and window.session.demo.steps > 5
    browser.key(pygame.K_DOWN)
    browser.key(pygame.K_DOWN)
    assert type(window.session.demo) is drop
    browser.key(pygame.K_RETURN)
    assert not window.browsing and type(window.session.demo) is drop and window.session.demo.steps <= 2


def test_a_preview_gets_the_referee_only_where_little_is_seen_without(referee: Callable[..., Any], drop: type[Demo]) -> None:
    needy = type("Needy", (drop,), {"needs_referee": True, "note": "one thing at a time"})
    hand = Hand(Window(SIZE, (drop, needy)))
    hand.window.use_referee(referee)
    assert hand.window.session.demo.stages[0].referee is None
    hand.key(pygame.K_DOWN)
    assert type(hand.window.session.demo) is needy and hand.window.session.demo.stages[0].referee is not None
    assert hand.window.session.demo.interactive and hand.window._check_words() == "one thing at a time"


def test_clicking_an_entry_starts_it(browser: Hand, drop: type[Demo]) -> None:
    assert browser.window._browser is not None
    button = browser.window._browser._buttons[1]
    browser.click(button.rect.center)
    assert not browser.window.browsing and type(browser.window.session.demo) is drop


def test_buttons_do_what_their_keys_do(hand: Hand) -> None:
    panel = hand.window._panel
    assert panel is not None
    button = next(button for button, command in panel._commands.items() if command is Command.PAUSE)
    hand.click(button.rect.center)
    assert hand.window.session.clock.paused and button.text == "Go on"
    toggle = next(button for button, command in panel._commands.items() if command is Command.AABBS)
    hand.click(toggle.rect.center)
    assert hand.window.layers.aabbs and toggle.is_selected


def test_a_slider_sets_its_parameter(hand: Hand) -> None:
    panel = hand.window._panel
    assert panel is not None
    slider, parameter = panel._sliders[0]
    slider.set_current_value(12.0)
    slider.has_moved_recently = True
    panel._pending[parameter.name] = parameter.snapped(12.0)
    hand.frame(2)
    assert hand.window.session.demo.parameter("height") == pytest.approx(12.0)


def test_a_click_beside_the_thumb_moves_it_there(hand: Hand) -> None:
    panel = hand.window._panel
    assert panel is not None
    slider, parameter = panel._sliders[0]
    hand.click((slider.rect.right - 20, slider.rect.centery))
    value = hand.window.session.demo.parameter(parameter.name)
    assert value > 0.8 * parameter.high
    assert slider.get_current_value() == pytest.approx(value, abs=0.1)


def test_the_thumb_follows_a_value_changed_elsewhere(hand: Hand) -> None:
    panel = hand.window._panel
    assert panel is not None
    hand.window.session.demo.set_parameter("height", 15.0)
    hand.frame()
    assert panel._sliders[0][0].get_current_value() == pytest.approx(15.0)


def test_a_choice_is_a_row_of_buttons(choosy: type[Demo]) -> None:
    hand = Hand(Window(SIZE, (choosy,), choosy()))
    hand.frame(2)
    panel = hand.window._panel
    assert panel is not None
    button = next(button for button, (_, index) in panel._choices.items() if index == 2)
    assert button.text == "west" and not button.is_selected
    hand.click(button.rect.center)
    assert hand.window.session.demo.parameter("side") == 2.0 and button.is_selected
    assert hand.window.session.layers.aabbs, "the demo asks for them"
    hand.window.session.demo.set_parameter("side", "east")
    hand.frame()
    assert not button.is_selected


def test_the_picture_keeps_clear_of_the_readout(hand: Hand) -> None:
    hand.frame(2)
    session = hand.window.session
    home = session.demo.home()
    top, left = session.camera.to_screen(home.upper)[1], session.camera.to_screen(home.lower)[0]
    view = session.camera.view
    assert top >= view[1] + 40 or left >= view[0] + 80


def test_far_out_and_far_off_the_way_back_is_told(hand: Hand) -> None:
    hand.frame()
    scale = hand.window.session.camera.scale
    for _ in range(100):
        hand.wheel((700, 300), -5)
    assert hand.window.session.camera.scale == pytest.approx(scale / 12.0)
    session, canvas = hand.window.session, Canvas(hand.surface, hand.window.session.camera)
    assert hand.window._painter._shows_something(canvas, session)
    session.pan(1e6, 0.0)
    assert not hand.window._painter._shows_something(Canvas(hand.surface, session.camera), session)


def test_a_difference_under_the_pointer_is_explained(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    hand.frame(3)
    stage = hand.window.session.demo.stages[0]
    difference = Difference(1, 2, (0.0, 0.5), (0.0, 1.0), (1.0, 0.0), "skin", 1e-4, "the cores are apart")
    stage.agreement = StepAgreement(1, 0, 1, 0, 0.0, (difference,))
    hand.window.session.clock.paused = True
    told: list[str] = []
    monkeypatch.setattr(frame, "draw_lines", lambda *given: told.extend(words for words, _ in given[3]))
    hand.send(pygame.MOUSEMOTION, pos=pixel(hand, (0.0, 0.5)), rel=(1, 1), buttons=(0, 0, 0))
    assert any(words.startswith("skin") for words in told)
    assert "the cores are apart" in " ".join(told)


def differing(hand: Hand) -> tuple[int, int]:
    """Let the disc differ from Box2D where it lies, and return that pixel."""
    hand.frame(60)
    stage = hand.window.session.demo.stages[0]
    a, b = stage.world.fixture_ids
    x, y = stage.world.contacts.position[0, 0].tolist()
    difference = Difference(a, b, (x, y), (0.0, 1.0), (1.0, 0.0), "skin", 1e-4, "the cores are apart")

    class Differing:
        ready = True
        pairs = None
        total = StepAgreement(1, 0, 1, 0, 0.0, (difference,))

        def __init__(self, world: object) -> None:
            pass

        def check(self, contacts: object, /) -> StepAgreement:
            return self.total

    hand.window.use_referee(Differing)
    hand.frame(2)
    return pixel(hand, (x, y))


def test_a_click_on_a_ring_pauses_and_goes_close_and_escape_returns(hand: Hand) -> None:
    at = differing(hand)
    session = hand.window.session
    before, under = session.camera, session.camera.to_world(at)
    hand.click(at)
    assert session.clock.paused and session.camera.scale > 4.0 * before.scale
    assert session.camera.center == pytest.approx(under, abs=0.05)
    assert session.focus is not None and hand.window._painter.differences_of("skin") != []
    hand.key(pygame.K_ESCAPE)
    assert not hand.window.browsing and session.focus is None
    assert session.camera == before and not session.clock.paused


def test_a_close_look_from_a_moved_camera_returns_there_and_stays_paused(hand: Hand) -> None:
    hand.frame()
    hand.wheel((700, 300), 2)
    at = differing(hand)
    session = hand.window.session
    hand.key(pygame.K_SPACE)
    hand.frame()
    before = session.camera
    hand.click(at)
    hand.click(pixel(hand, session.camera.center))  # the ring again: the way back stays the same
    assert session.focus is not None
    hand.key(pygame.K_ESCAPE)
    assert session.camera == before and session.clock.paused
    hand.click(at)
    hand.key(pygame.K_HOME)
    assert session.focus is None and session.is_untouched
    hand.key(pygame.K_ESCAPE)
    assert hand.window.browsing


def test_a_drag_from_a_ring_takes_hold_of_the_body(hand: Hand) -> None:
    at = differing(hand)
    at = (at[0], at[1] - 6)
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert not hand.window.session.demo.grabbing
    hand.send(pygame.MOUSEMOTION, pos=(at[0], at[1] - 20), rel=(0, -20), buttons=(1, 0, 0))
    assert hand.window.session.demo.grabbing
    hand.send(pygame.MOUSEBUTTONUP, pos=at, button=1)
    assert not hand.window.session.demo.grabbing and hand.window.session.focus is None


def test_a_click_on_a_reason_goes_to_its_largest_difference(hand: Hand) -> None:
    differing(hand)
    panel = hand.window._panel
    assert panel is not None
    for _ in range(10):
        hand.wheel((20, 400), -5)
    hand.frame(1, elapsed=0.0)
    (place, reason), *_ = panel.referee._places
    assert reason == "skin"
    hand.send(pygame.MOUSEBUTTONDOWN, pos=place.center, button=1)
    assert hand.window.session.focus is not None and hand.window.session.clock.paused
    hand.send(pygame.MOUSEBUTTONDOWN, pos=(place.right + 500, 0), button=2)
    assert panel.referee.reason_at((0, 0)) is None


def test_the_worst_errors_of_the_last_seconds_are_kept(hand: Hand) -> None:
    errors = (3e-7, 0.0, 2e-7)

    class Erring:
        ready, total, pairs = True, StepAgreement(), None

        def __init__(self, world: object) -> None:
            self.left = list(errors)

        def check(self, contacts: object, /) -> StepAgreement:
            return StepAgreement(max_point_error=self.left.pop(0) if self.left else 1e-9)

    hand.window.use_referee(Erring)
    session = hand.window.session
    for _ in range(3):
        session.demo.step()
    assert worst_errors(session).tolist() == list(errors)
    for _ in range(300):
        session.demo.step()
    assert worst_errors(session).tolist() == [1e-9] * 300
    hand.key(pygame.K_8)
    hand.frame(2)
    assert session.demo.stages[0].agreement == StepAgreement(), "switched off, nothing is left standing"
    assert len(session.demo.stages[0].errors) == 303


def test_clicks_on_the_panel_do_not_reach_the_world(hand: Hand) -> None:
    hand.click((20, 400))
    hand.wheel((20, 400), 2)
    assert not hand.window.session.demo.grabbing


@pytest.mark.parametrize("size", [(1, 1), (320, 200), (800, 500), (2560, 1440)])
def test_any_size_is_drawn(hand: Hand, size: tuple[int, int]) -> None:
    hand.surface = pygame.Surface(size)
    hand.send(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1])
    hand.key(pygame.K_F1)
    hand.wheel((5, 5), -3)
    hand.frame(2)
    hand.key(pygame.K_F1)
    hand.key(pygame.K_ESCAPE)
    hand.frame(2)


def test_resizing_keeps_an_untouched_view_whole(hand: Hand) -> None:
    hand.surface = pygame.Surface((900, 600))
    hand.send(pygame.VIDEORESIZE, size=(900, 600), w=900, h=600)
    seen, home = hand.window.session.camera.visible, hand.window.session.demo.home()
    assert seen.lower[0] <= home.lower[0] and seen.upper[0] >= home.upper[0]


def test_a_long_frame_is_not_made_up_for(hand: Hand) -> None:
    hand.frame(1, elapsed=30.0)
    assert hand.window.session.demo.steps <= 4
    hand.frame(1)
    assert hand.window.session.demo.steps <= 6


def test_the_live_check_arrives_late_and_counts(hand: Hand, referee: Callable[..., Any]) -> None:
    assert "being loaded" in hand.window._check_words()
    hand.window.warms_up("60 functions of about 240", "compiling: 60 of about 240")
    assert hand.window._check_words() == "60 functions of about 240"
    hand.frame(5)
    hand.window.use_referee(referee)
    hand.frame(60)
    stage = hand.window.session.demo.stages[0]
    assert stage.total.compared > 0 and hand.window._check_words() == ""
    hand.key(pygame.K_8)
    compared = stage.total.compared
    hand.frame(10)
    assert stage.total.compared == compared, "switched off"
    hand.key(pygame.K_r)
    hand.key(pygame.K_8)
    hand.frame(60)
    assert hand.window.session.demo.stages[0].total.compared > 0, "a restart keeps the referee"


def test_without_a_referee_the_panel_says_why(hand: Hand) -> None:
    hand.window.no_referee("no compiler")
    hand.frame()
    assert "no compiler" in hand.window._check_words()


def test_an_error_of_the_engine_pauses_and_is_shown(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise InvalidInputError("torque", "finite", "nan")

    monkeypatch.setattr(hand.window.session.demo, "before_step", refuse)
    hand.frame(3)
    assert hand.window.session.clock.paused and "torque" in hand.window.session.failure
    monkeypatch.undo()
    hand.key(pygame.K_r)
    assert hand.window.session.failure == ""


def test_every_key_in_every_state(hand: Hand, browser: Hand) -> None:
    keys = [*KEY_COMMANDS, pygame.K_UP, pygame.K_DOWN, pygame.K_TAB, pygame.K_a, pygame.K_F5, pygame.K_RETURN]
    for some in (hand, browser):
        for key in keys:
            some.key(key)
            some.frame()


@pytest.fixture(autouse=True)
def empty_queue(display: None) -> Iterator[None]:
    pygame.event.clear()
    yield


def test_a_demo_that_lays_itself_out_knows_its_room_above_its_foot(drop: type[Demo]) -> None:
    rooms: list[tuple[float, float]] = []

    class Strips(drop):  # type: ignore[valid-type,misc]
        foot_share = 0.4

        def arrange(self, width: float, height: float) -> bool:
            rooms.append((width, height))
            return True

    window = Window((800, 500), (Strips,), Strips(), ui_scale=1.0)
    hand = Hand(window)
    hand.frame(2)
    session = window.session
    left, top, width, height = session.camera.view
    across, down = rooms[-1]
    assert 0.3 * height < down * width / across < 0.6 * height
    lowest = session.camera.to_screen((0.0, session.demo.home().lower[1]))[1]
    assert lowest <= top + 0.6 * height
    at = left + 50, top + 60
    hand.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
    assert session.demo.pointed == pytest.approx(session.camera.to_world(at))
    window.resize((1200, 700))
    hand.surface = pygame.Surface((1200, 700))
    hand.frame(2)
    assert rooms[-1][0] > across


def test_buttons_of_several_words_add_and_take_away(drop: type[Demo]) -> None:
    class Sides(drop):  # type: ignore[valid-type,misc]
        parameters = (*drop.parameters, Parameter.some("sides", ("north", "east", "west"), ("north",), "sides"))

    window = Window(SIZE, (Sides,), Sides())
    hand = Hand(window)
    hand.frame(2)
    for index, wanted in ((2, "north+west"), (0, "west"), (2, "west"), (1, "east+west")):
        panel = window._panel
        assert panel is not None
        button = next(button for button, (parameter, k) in panel._choices.items() if parameter.name == "sides" and k == index)
        hand.click(button.rect.center)
        assert Sides.parameters[-1].shown(window.session.demo.parameter("sides")) == wanted
        assert [button.is_selected for button in panel._choices] == [word in wanted.split("+") for word in ("north", "east", "west")]


@pytest.mark.parametrize("size", [(1, 1), (64, 48), (320, 200)])
def test_a_window_too_small_for_anything_still_draws(hand: Hand, size: tuple[int, int]) -> None:
    """A window manager may make it so, whatever the smallest size it was told."""
    for key in (pygame.K_F7, pygame.K_F8, pygame.K_F9):
        hand.key(key)
    hand.frame(40)
    hand.send(pygame.VIDEORESIZE, size=size)
    hand.surface = pygame.Surface(size)
    hand.frame(3)
    hand.click((0, 0))
    assert hand.window.session.failure == ""


def test_the_list_begins_with_the_demo_that_shows_most() -> None:
    window = Window((1280, 720), all_demos())
    assert window.browsing and type(window.session.demo) is find_demo("simple_shapes")


def test_the_list_shows_the_chosen_demo_and_comes_back_as_it_was_left(drop: type[Demo]) -> None:
    kinds = tuple(type(f"Drop{k}", (drop,), {"id": f"drop_{k}", "title": f"Drop {k}"}) for k in range(30))
    hand = Hand(Window(SIZE, kinds))

    def top(index: int) -> int:
        assert hand.window._browser is not None
        return int(hand.window._browser._buttons[index].rect.top)

    for _ in range(25):
        hand.key(pygame.K_DOWN)
    assert 0 <= top(25) < SIZE[1] - 80 and top(0) < 0
    where = top(25)
    hand.key(pygame.K_RETURN)
    hand.key(pygame.K_ESCAPE)
    assert hand.window.browsing and top(25) == where
    hand.key(pygame.K_RETURN)
    hand.window.resize((900, 500))
    hand.key(pygame.K_ESCAPE)
    assert 0 <= top(25) < 500 - 80
    begun = Hand(Window(SIZE, kinds, kinds[28]()))
    begun.key(pygame.K_ESCAPE)
    assert begun.window._browser is not None and 0 <= begun.window._browser._buttons[28].rect.top < SIZE[1] - 80


def test_a_slow_frame_is_laid_at_the_right_door(hand: Hand) -> None:
    times = FrameTimes(frame=100.0, step=1.0, draw=5.0, steps=1)
    assert frame._what_takes_long(times, True) == "the algorithms are being compiled or loaded"
    assert frame._what_takes_long(times, False) == "the computer is busy with something else"
    assert frame._what_takes_long(replace(times, draw=80.0), True) == "drawing takes too long"
    hand.frame()
    assert hand.window._painter.is_warming_up
    hand.window.has_referee()
    hand.frame()
    assert not hand.window._painter.is_warming_up
