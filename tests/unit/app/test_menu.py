"""The menu: opened by a button, used by pointer and keys; each entry acts like its key or says why it is disabled."""

import itertools
import re

import pygame
import pytest

from engine.app.commands import find
from engine.app.files.places import pictures_folder
from engine.app.layout import MAX_UI_SCALE, MIN_SIZE
from engine.app.panels.recording_dock import RecordingDock
from engine.app.window import Window
from engine.geometry import Circle
from engine.render import palette
from engine.sim.actions import CreateBody
from engine.sim.registry import find_demo
from engine.ui.rows import Button
from engine.world import BodySpec, FixtureSpec
from tests.unit.app.controls import button, place
from tests.unit.app.hand import SIZE, Hand
from tests.unit.app.written import Written, noting_words
from tests.unit.player.decoding import decoded
from tests.waiting import until


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def menu_of(hand):
    return hand.window.router.menu


def refusal(hand, id):
    return find(id).disabled(hand.window.app)


def click_menu(hand):
    """Click the visible button."""
    hand.click(place(hand.window, "Menu").center)
    assert menu_of(hand).is_open


def choose(hand, id):
    """Open the menu and click an entry."""
    click_menu(hand)
    hand.click(place(hand.window, find(id).title).center)


def test_time_pauses_while_it_is_open(hand):
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


def test_its_entries_write_files(tmp_path):
    hand = Hand(Window(SIZE, (find_demo("workbench"),), find_demo("workbench")()))
    hand.frame(3)
    before = len(list(pictures_folder().glob("*.png")))
    choose(hand, "picture")
    hand.frame(2)
    assert len(list(pictures_folder().glob("*.png"))) == before + 1
    choose(hand, "record")
    hand.frame(5)
    assert hand.window.session.recorder is not None
    choose(hand, "record")
    assert len(list(tmp_path.glob("*.rec"))) == 1
    hand.key(pygame.K_SPACE)
    choose(hand, "save_as")
    hand.send(pygame.KEYDOWN, key=pygame.K_q, mod=0, unicode="q")
    hand.key(pygame.K_RETURN)
    hand.key(pygame.K_RETURN)
    assert (tmp_path / "q.json").is_file()
    (tmp_path / "q.json").unlink()
    choose(hand, "save")
    hand.key(pygame.K_RETURN)
    assert len(list(tmp_path.glob("*.json"))) == 1


def test_a_gif_of_what_has_happened(hand, tmp_path):
    hand.frame(6)
    choose(hand, "gif")

    def is_written():  # a thread finishes it, which takes as long as the machine needs
        hand.frame(5)
        return bool(list(tmp_path.glob("*.gif")))

    until(is_written)


def test_a_page_of_what_has_happened(hand, tmp_path):
    hand.frame(6)
    demo, history = hand.window.session.demo, hand.window.session.timeline.history
    assert history is not None
    choose(hand, "page")  # in the frames of the click it may already be finished
    dock = hand.window.app.dock(RecordingDock)

    def is_written():
        hand.frame()
        return not dock.is_busy

    until(is_written)
    (path,) = tmp_path.glob("*.html")
    (recording,) = re.findall(r'<script type="text/plain">([^<]*)</script>', path.read_text("utf-8"))
    page = decoded(recording)
    assert page.header["steps"] == history.last and page.header["title"] == demo.title
    assert history.now == history.last > 0 and history.divergence is None


def test_a_file_is_opened_from_the_list_and_from_a_demo(hand, browser, tmp_path):
    hand.frame(2)
    choose(hand, "save")
    hand.key(pygame.K_RETURN)
    path = next(tmp_path.glob("*.json"))
    for some in (hand, browser):
        choose(some, "open")
        for letter in path.name:
            some.send(pygame.KEYDOWN, key=ord(letter), mod=0, unicode=letter)
        some.key(pygame.K_RETURN)

        def is_open(some=some):
            some.frame()
            return not some.window.browsing and some.window.session.demo.id not in ("drop", "twins")

        until(is_open, look=0.002)
        assert some.window.session.demo.stages[0].world.body_ids


def test_the_menu_works_by_keyboard_alone(browser):
    window = browser.window
    browser.send(pygame.KEYDOWN, key=pygame.K_m, mod=pygame.KMOD_LCTRL, unicode="")
    menu = menu_of(browser)
    assert menu.is_open
    theme = palette.theme_name()
    while browser.window.screen.ui.focused.key[0] != find("theme").title:
        browser.key(pygame.K_DOWN)
    browser.key(pygame.K_RETURN)
    assert palette.theme_name() != theme and not menu.is_open and window.browsing
    click_menu(browser)
    browser.key(pygame.K_F10)  # its key does it too
    assert palette.theme_name() == theme and menu.is_open
    assert refusal(browser, "demos") == "the list of demos is already open" and button(window, find("demos").title).is_off
    browser.key(pygame.K_UP)
    while browser.window.screen.ui.focused.key[0] != find("quit").title:
        browser.key(pygame.K_UP)
    browser.key(pygame.K_SPACE)
    assert not window.running


def test_back_and_quit_from_a_demo_and_panels(hand):
    window = hand.window
    choose(hand, "plots")
    plots = next(dock for dock in window.docks if dock.title == "Plots")
    assert plots.size > 0.0
    choose(hand, "larger_text")
    assert window.screen.ui_scale == 1.125
    choose(hand, "smaller_text")
    choose(hand, "keys")
    assert window.router.keys.is_open
    hand.key(pygame.K_ESCAPE)
    choose(hand, "demos")
    hand.frame(2)
    assert window.browsing
    choose(hand, "quit")
    assert not window.running


def test_disabled_entries_are_gray_and_give_a_reason(hand, browser, tmp_path):
    for words in ("save", "save_as", "picture", "film", "record", "plots"):
        assert refusal(browser, words) == "start a demo first"
    assert refusal(hand, "film") == "no step has been taken yet" and refusal(hand, "save") == ""
    hand.frame(3)
    assert refusal(hand, "film") == ""
    pair = Hand(Window(SIZE, (find_demo("pair"),), find_demo("pair")()))
    assert refusal(pair, "save") == "this demo has no world"
    click_menu(browser)
    browser.click(place(browser.window, "Save").center)
    assert menu_of(browser).is_open and not list(tmp_path.iterdir())
    browser.send(pygame.MOUSEMOTION, pos=place(browser.window, "Save").center, rel=(0, 0), buttons=(0, 0, 0))
    browser.frame(30)
    surface = Written(browser.window.size)
    with noting_words():
        browser.window.show(surface)
    assert "Not available: start a demo first." in [words for words, _ in surface.words]


@pytest.mark.parametrize("is_list", [True, False], ids=["list", "demo"])
@pytest.mark.parametrize("size, scale", [(MIN_SIZE, 1.0), (MIN_SIZE, MAX_UI_SCALE), ((480, 360), 1.0), ((800, 600), 1.625), (SIZE, 1.0)])
def test_no_text_overlaps_or_is_cut_off(size, scale, is_list):
    kind = find_demo("simple_shapes")
    window = Window(size, (kind,), None if is_list else kind(1), ui_scale=scale)
    hand = Hand(window)
    hand.frame(3)
    click_menu(hand)
    hand.frame(2)
    form = menu_of(hand).form
    surface = Written(size)
    with noting_words():
        window.show(surface)
    buttons = [item.what for item in form.items if isinstance(item.what, Button)]
    own = {words for item in buttons for words in (item.words, item.key)} - {" "}
    surface.words = [(words, rect) for words, rect in surface.words if words in own and form.place.contains(rect)]
    assert surface.overlaps() == [] and pygame.Rect((0, 0), size).contains(form.place)
    assert not form.place.colliderect(window.screen.layout.strip)
    assert not [(a, b) for a, b in itertools.combinations([item.rect for item in form.items], 2) if a.colliderect(b)]
    seen = {words for words, _ in surface.words}
    for item in buttons:  # what does not fit is reached by scrolling
        if item.words not in seen:
            place(window, item.words)
    assert form.height > form.place.height or seen == own


def test_quit_asks_again_if_work_would_be_lost(hand):
    hand.window.session.act(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 5.0))))
    choose(hand, "quit")  # nothing keeps what is built in this window
    message = hand.window.session.messages.now
    assert hand.window.running and message is not None and "Drop" in message.words
    choose(hand, "quit")
    assert not hand.window.running
