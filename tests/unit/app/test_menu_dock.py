"""The menu: found without a key, by pointer and by keys; each entry does what its key does, or says why it cannot."""

from __future__ import annotations

import itertools
from pathlib import Path

import pygame
import pytest

from engine.app.keys import Command
from engine.app.layout import LEAST_SIZE, MAX_UI_SCALE
from engine.app.panels.menu_dock import MenuDock
from engine.app.window import Window
from engine.geometry import Circle
from engine.render import palette
from engine.sim.actions import CreateBody
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec
from tests.unit.app.hand import SIZE, Hand
from tests.unit.app.written import Written, noting_words
from tests.waiting import until


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def menu_of(hand: Hand) -> MenuDock:
    menu = hand.window.dock_area.find(MenuDock)
    assert menu is not None
    return menu


def names(hand: Hand) -> list[str]:
    return [entry.words for entry in menu_of(hand)._entries(hand.window.session)]


def refusal(hand: Hand, words: str) -> str:
    return next(entry.refusal for entry in menu_of(hand)._entries(hand.window.session) if entry.words == words)


def click_menu(hand: Hand) -> None:
    """Click the button that everybody sees."""
    window = hand.window
    if window.screen.browser is not None:
        hand.click(window.screen.browser.menu.center)
    else:
        assert window.screen.panel is not None
        button = next(one for one, command in window.screen.panel._commands.items() if command is Command.MENU)
        assert button.text == "Menu"
        hand.click(button.rect.center)
    assert menu_of(hand).is_open


def choose(hand: Hand, words: str) -> None:
    """Open the menu and click an entry."""
    click_menu(hand)
    hand.click(menu_of(hand)._rects[names(hand).index(words)].center)


def test_time_stands_still_while_it_is_open(hand: Hand) -> None:
    hand.frame(5)
    click_menu(hand)
    steps = hand.window.session.demo.steps
    hand.frame(20)
    assert hand.window.session.demo.steps == steps
    hand.key(pygame.K_ESCAPE)
    assert not menu_of(hand).is_open and not hand.window.session.clock.paused and not hand.window.browsing
    hand.frame(5)
    assert hand.window.session.demo.steps > steps
    click_menu(hand)
    hand.click((900, 400))  # beside it
    assert not menu_of(hand).is_open and not hand.window.session.demo.grabbing


def test_files_are_written_by_its_entries(tmp_path: Path) -> None:
    hand = Hand(Window(SIZE, (find_demo("workbench"),), find_demo("workbench")()))
    hand.frame(3)
    choose(hand, "Picture")
    hand.frame(2)
    assert len(list(tmp_path.glob("*.png"))) == 1
    choose(hand, "Record")
    hand.frame(5)
    assert "End the recording" in names(hand)
    choose(hand, "End the recording")
    assert len(list(tmp_path.glob("*"))) == 2
    choose(hand, "Tables, CSV")
    hand.frame(10)
    assert len(list(tmp_path.glob("*.csv"))) == 3
    hand.key(pygame.K_SPACE)
    choose(hand, "Save as…")
    hand.send(pygame.KEYDOWN, key=pygame.K_q, mod=0, unicode="q")
    hand.key(pygame.K_RETURN)
    hand.key(pygame.K_RETURN)
    assert (tmp_path / "q.json").is_file()
    (tmp_path / "q.json").unlink()
    choose(hand, "Save")
    hand.key(pygame.K_RETURN)
    assert len(list(tmp_path.glob("*.json"))) == 1


def test_a_gif_of_what_has_happened(hand: Hand, tmp_path: Path) -> None:
    hand.frame(6)
    choose(hand, "Film, GIF")

    def is_written() -> bool:  # a thread finishes it, which takes as long as the machine needs
        hand.frame(5)
        return bool(list(tmp_path.glob("*.gif")))

    until(is_written)


def test_a_file_is_opened_from_the_list_and_from_a_demo(hand: Hand, browser: Hand, tmp_path: Path) -> None:
    hand.frame(2)
    choose(hand, "Save")
    hand.key(pygame.K_RETURN)
    path = next(tmp_path.glob("*.json"))
    for some in (hand, browser):
        choose(some, "Open a file…")
        for letter in path.name:
            some.send(pygame.KEYDOWN, key=ord(letter), mod=0, unicode=letter)
        some.key(pygame.K_RETURN)

        def is_open(some: Hand = some) -> bool:
            some.frame()
            return not some.window.browsing and some.window.session.demo.id not in ("drop", "twins")

        until(is_open, look=0.002)
        assert some.window.session.demo.stages[0].world.body_ids


def test_by_keys_alone(browser: Hand) -> None:
    window = browser.window
    browser.send(pygame.KEYDOWN, key=pygame.K_m, mod=pygame.KMOD_LCTRL, unicode="")
    menu = menu_of(browser)
    assert menu.is_open and menu._marked == 0
    theme = palette.theme_name()
    entry = f"{'Light' if theme == 'dark' else 'Dark'} theme"
    for _ in range(names(browser).index(entry)):
        browser.key(pygame.K_DOWN)
    browser.key(pygame.K_RETURN)
    assert palette.theme_name() != theme and not menu.is_open and window.browsing
    click_menu(browser)
    browser.key(pygame.K_F10)  # its key does it too
    assert palette.theme_name() == theme and menu.is_open
    browser.key(pygame.K_END)
    browser.key(pygame.K_UP)
    browser.key(pygame.K_RETURN)  # back to the demos: this is the list
    assert menu.is_open and refusal(browser, "Back to the demos") == "this is the list"
    browser.key(pygame.K_DOWN)
    browser.key(pygame.K_SPACE)
    assert not window.running


def test_back_and_quit_from_a_demo_and_panels(hand: Hand) -> None:
    window = hand.window
    choose(hand, "Plots")
    plots = next(dock for dock in window.docks if dock.title == "Plots")
    assert plots.size > 0.0
    choose(hand, "Larger text")
    assert window.screen.ui_scale == 1.125
    choose(hand, "Smaller text")
    choose(hand, "All keys")
    assert window.screen.help_shown
    hand.key(pygame.K_ESCAPE)
    choose(hand, "Back to the demos")
    hand.frame(2)
    assert window.browsing
    choose(hand, "Quit")
    assert not window.running


def test_what_cannot_be_done_is_gray_and_says_why(hand: Hand, browser: Hand, tmp_path: Path) -> None:
    for words in ("Save", "Save as…", "Picture", "Film, MP4", "Tables, CSV", "Record", "Plots"):
        assert refusal(browser, words) == "start a demo first"
    assert refusal(browser, "What was left unsaved") == "nothing was left unsaved"
    assert refusal(hand, "Film, MP4") == "nothing has happened yet" and refusal(hand, "Save") == ""
    hand.frame(3)
    assert refusal(hand, "Film, MP4") == ""
    pair = Hand(Window(SIZE, (find_demo("pair"),), find_demo("pair")()))
    assert refusal(pair, "Save") == "this demo has no world"
    click_menu(browser)
    rect = menu_of(browser)._rects[names(browser).index("Save")]
    browser.click(rect.center)
    assert menu_of(browser).is_open and not list(tmp_path.iterdir())
    surface = Written(browser.window.size)
    with noting_words():
        browser.window.show(surface)
    assert "Not now: start a demo first." in [words for words, _ in surface.words]


@pytest.mark.parametrize("is_list", [True, False], ids=["list", "demo"])
@pytest.mark.parametrize(
    "size, scale", [(LEAST_SIZE, 1.0), (LEAST_SIZE, MAX_UI_SCALE), ((480, 360), 1.0), ((800, 600), 1.625), (SIZE, 1.0)]
)
def test_no_words_lie_over_others_and_none_is_cut_off(size: tuple[int, int], scale: float, is_list: bool) -> None:
    kind = find_demo("simple_shapes")
    window = Window(size, (kind,), None if is_list else kind(1), ui_scale=scale)
    hand = Hand(window)
    hand.frame(3)
    click_menu(hand)
    hand.frame(2)
    menu = menu_of(hand)
    surface = Written(size)
    with noting_words():
        window.screen.is_outdated = True
        window.show(surface)
    own = {words for entry in menu._entries(window.session) for words in (entry.words, entry.key)} - {""}
    surface.words = [(words, rect) for words, rect in surface.words if words in own and menu._plate.contains(rect)]
    assert {words for words, _ in surface.words} == own
    assert surface.overlaps() == [] and pygame.Rect((0, 0), size).contains(menu._plate)
    assert not menu._plate.colliderect(window.screen.layout.strip)
    assert not [(a, b) for a, b in itertools.combinations(menu._rects, 2) if a.colliderect(b)]
    assert all(menu._plate.contains(rect) for rect in menu._rects) and menu._rects[-1].bottom <= menu._foot.top


def test_quit_says_what_becomes_of_what_is_not_saved(hand: Hand) -> None:
    def says() -> str:
        return menu_of(hand)._entries(hand.window.session)[-1].says

    assert says() == "The window closes; what was built and not saved is kept."
    hand.window.session.act(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 5.0))))
    assert says() == "The window closes; what you built in Drop is lost."  # nothing keeps it in this window
