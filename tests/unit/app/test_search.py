"""Searching for a demo by typing in the list."""

import pygame
import pytest

from demos.stepper import Stepper
from engine.app.browser import found_in
from engine.app.layout import MIN_SIZE
from engine.app.window import Window
from engine.sim.registry import all_demos
from engine.ui.rows import Text
from tests.unit.app.controls import place
from tests.unit.app.hand import SIZE, Hand
from tests.unit.app.written import Written, noting_words

KINDS = all_demos()


def title(index):
    return KINDS[index].title


@pytest.fixture
def listed():
    hand = Hand(Window(SIZE, KINDS))
    hand.frame()
    return hand


def write(hand, text):
    for letter in text:
        hand.window.handle(pygame.event.Event(pygame.KEYDOWN, key=ord(letter), mod=0, unicode=letter))
    hand.frame()


def shown(hand):
    return [title(k) for k in hand.window.screen.browser.found]


def test_every_word_is_searched_in_title_id_category_and_description():
    for k, kind in enumerate(KINDS):
        for words in (kind.title, kind.id, kind.category.upper(), " ".join(kind.watch.split()[:6])):
            assert k in found_in(KINDS, words), (kind.id, words)
    assert found_in(KINDS, "  ") == list(range(len(KINDS)))
    assert found_in(KINDS, "bullet wall") and not found_in(KINDS, "bullet wall giraffe")


def test_typing_filters_the_list_and_enter_starts_the_match(listed):
    window = listed.window
    write(listed, "domi")
    assert shown(listed)[0] == "Dominoes" and 0 < len(shown(listed)) < 6
    assert type(window.session.demo).id == "dominoes"  # its preview
    listed.key(pygame.K_RETURN)
    assert not window.browsing and window.session.demo.id == "dominoes"
    listed.key(pygame.K_ESCAPE)
    assert window.browsing and window.navigator.searched == "domi"  # as it was left
    listed.click(place(window, "Dominoes").center)
    assert not window.browsing and window.session.demo.id == "dominoes"


@pytest.mark.parametrize(("words", "kind"), [("car", "car"), ("car ov", "car"), ("Bullet", "bullet"), ("walk", "walker")])
def test_a_match_in_the_name_precedes_a_match_in_the_description(words, kind, listed):
    write(listed, words.lower())
    assert KINDS[listed.window.navigator.chosen].id == kind and listed.window.navigator.chosen in found_in(KINDS, words)


def test_typed_text_stays_where_the_hint_and_the_entered_text_stand(listed):
    def left_of(words):
        surface = Written(SIZE)
        with noting_words():
            listed.window.screen.is_outdated = True
            listed.window.show(surface)
        return next(place.left for text, place in surface.words if text == words)

    hint = left_of(f"Search {len(KINDS)} demos")
    write(listed, "pyr")
    typed = left_of("pyr")
    listed.key(pygame.K_RETURN)
    listed.key(pygame.K_ESCAPE)
    assert left_of("pyr") == pytest.approx(hint, abs=1) == pytest.approx(typed, abs=1)


def test_arrows_move_only_among_matches(listed):
    window = listed.window
    write(listed, "wall")
    hits = window.screen.browser.found if window.screen.browser is not None else []
    assert len(hits) > 1 and window.navigator.chosen == hits[0]
    listed.key(pygame.K_UP)
    assert window.navigator.chosen == hits[0]
    for k in hits[1:]:
        listed.key(pygame.K_DOWN)
        assert window.navigator.chosen == k and type(window.session.demo) is KINDS[k]
    listed.key(pygame.K_DOWN)
    assert window.navigator.chosen == hits[-1]


def test_esc_first_clears_the_search(listed):
    window = listed.window
    write(listed, "pul")
    listed.key(pygame.K_BACKSPACE)
    assert window.navigator.searched == "pu"
    listed.key(pygame.K_ESCAPE)
    assert window.navigator.searched == "" and len(shown(listed)) == len(KINDS) and window.running
    listed.key(pygame.K_ESCAPE)
    message = window.session.messages.now
    assert message.words == "Press Esc again to quit."
    listed.key(pygame.K_ESCAPE)
    assert not window.running


def test_a_search_without_a_match_starts_nothing(listed):
    window = listed.window
    write(listed, "giraffe")
    surface = Written(window.size)
    with noting_words():
        window.screen.is_outdated = True
        window.show(surface)
    assert 'No demo matches "giraffe"' in " ".join(words for words, _ in surface.words)
    listed.key(pygame.K_RETURN)
    listed.key(pygame.K_DOWN)
    assert window.browsing
    listed.click(place(window, "× Clear").center)
    assert window.navigator.searched == "" and len(shown(listed)) == len(KINDS)


def test_what_is_typed_is_kept_through_a_resize_and_a_theme(listed):
    write(listed, "card")
    listed.window.screen.resize((800, 600))
    listed.frame()
    listed.key(pygame.K_F10)
    listed.key(pygame.K_F10)
    assert listed.window.navigator.searched == "card" and "House of cards" in shown(listed)


def test_opening_a_demo_that_does_not_match_ends_the_search(listed):
    write(listed, "card")
    listed.window.navigator.open_demo(next(kind for kind in KINDS if kind.id == "dominoes"))
    listed.key(pygame.K_ESCAPE)
    assert listed.window.navigator.searched == "" and title(listed.window.navigator.chosen) == "Dominoes"


def test_the_first_letter_after_returning_starts_a_new_search(listed):
    write(listed, "card")
    listed.key(pygame.K_RETURN)
    assert not listed.window.browsing
    listed.key(pygame.K_ESCAPE)
    assert listed.window.navigator.searched == "card"
    write(listed, "pu")
    assert listed.window.navigator.searched == "pu"


@pytest.mark.parametrize(
    "word, id",
    [
        ("tunneling", "bullet"),
        ("GJK", "stepper"),
        ("friction", "tilted_board"),
        ("rope", "bridge"),
        ("contact manifold", "pair"),
        ("engines differ", "solver_scenes"),
    ],
)
def test_common_search_terms_find_their_demo(word, id):
    assert id in {all_demos()[k].id for k in found_in(all_demos(), word)}


def test_a_search_for_an_algorithm_opens_the_stepper_at_it(listed):
    """Issue 31: it opened at GJK."""
    window = listed.window
    write(listed, "SAT".lower())
    assert window.session.demo.names == ("sat",)  # its preview
    listed.key(pygame.K_RETURN)
    first = window.session
    assert first.demo.names == ("sat",) and not first.timeline.history.marks
    listed.frame(2)
    first.set_parameter("algorithm", Stepper.parameters[0].checked("gjk"))
    listed.key(pygame.K_ESCAPE)
    listed.key(pygame.K_RETURN)
    assert window.session is first and first.demo.names == ("gjk",), "the search is the one before: it is as it was left"
    listed.key(pygame.K_ESCAPE)
    listed.key(pygame.K_ESCAPE)
    write(listed, "clipping")
    listed.key(pygame.K_RETURN)
    assert window.session is first and first.demo.names == ("manifold",)
    first.undo()
    assert first.demo.names == ("gjk",)


def test_ctrl_backspace_empties_the_box_and_commands_work_while_typing(listed):
    write(listed, "card")
    listed.send(pygame.KEYDOWN, key=pygame.K_BACKSPACE, mod=pygame.KMOD_LCTRL, unicode="\b")
    assert listed.window.navigator.searched == ""
    write(listed, "pu")
    listed.send(pygame.KEYDOWN, key=pygame.K_m, mod=pygame.KMOD_LCTRL, unicode="\r")
    assert listed.window.navigator.searched == "pu" and listed.window.router.menu.is_open


@pytest.mark.parametrize("searched", ["", "wall", "a search that is longer than its box"])
@pytest.mark.parametrize("size", [MIN_SIZE, (480, 360), (800, 600), SIZE])
def test_the_header_of_the_list_is_not_covered(size, searched):
    hand = Hand(Window(size, KINDS))
    hand.frame()
    write(hand, searched)
    browser = hand.window.screen.browser
    assert browser is not None
    hand.wheel((40, size[1] // 2), -3)
    surface = Written(size)
    with noting_words():
        hand.window.screen.cache.forget()
        hand.window.show(surface)
    panel = pygame.Rect(hand.window.screen.layout.panel)
    surface.words = [(words, rect) for words, rect in surface.words if panel.colliderect(rect)]  # a demo's own words are its own matter
    assert surface.overlaps() == []
    form = hand.window.screen.form
    head = [item for item in form.items if item.is_head]
    assert len(head) >= 3 and all(panel.contains(form.rect(item)) for item in head)
    box = next(form.rect(item) for item in head if isinstance(item.what, Text))
    hand.click(box.center)  # a button that is scrolled under the head cannot be clicked there
    assert hand.window.browsing


def test_the_keyboard_navigates_the_list(listed):
    listed.key(pygame.K_TAB)
    while listed.window.screen.ui.focused is None or listed.window.screen.ui.focused.is_head:
        listed.key(pygame.K_TAB)
    for _ in range(2):
        listed.key(pygame.K_DOWN)
    chosen = listed.window.navigator.chosen
    assert title(chosen) == listed.window.screen.ui.focused.key[0]
    listed.key(pygame.K_RETURN)
    assert not listed.window.browsing and type(listed.window.session.demo) is KINDS[chosen]
