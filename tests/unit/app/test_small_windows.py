"""The smallest windows and the largest text: nothing overlaps, and truncated text is marked."""

import itertools

import pygame
import pytest

from engine.app.commands import find, run
from engine.app.frame import FramePainter
from engine.app.layout import MAX_UI_SCALE, MIN_SIZE, fitting_scale
from engine.app.panels.timeline_dock import TimelineDock
from engine.app.session import Session
from engine.app.window import Window
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.hud import draw_status
from engine.sim.registry import all_demos, find_demo
from engine.ui.rows import Button
from tests.unit.app.hand import frames
from tests.unit.app.written import Written, noting_words

ALL_DOCKS = (pygame.K_F7, pygame.K_i)
CTRL = pygame.KMOD_CTRL


def opened(size, scale=1.0, keys=(), kind=None):
    kind = find_demo("bounce") if kind is None else kind
    window = Window(size, (kind,), kind(1), ui_scale=scale)
    for key in keys:
        press(window, key)
    return window


def press(window, key, mod=0):
    window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=""))
    frames(window)


def line_of(window):
    return next(dock for dock in window.docks if isinstance(dock, TimelineDock))


@pytest.mark.parametrize("keys", [(), ALL_DOCKS, ALL_DOCKS[::-1]], ids=["closed", "open", "open in another order"])
@pytest.mark.parametrize("size, scale", [((480, 320), 1.0), ((480, 320), 4.0), ((800, 600), 1.375), ((640, 900), 2.0), ((1280, 720), 4.0)])
def test_no_two_parts_overlap(size, scale, keys):
    window = opened(size, scale, keys)
    frames(window)
    ui, layout = window.screen.ui_scale, window.screen.layout
    parts = [pygame.Rect(layout.panel), pygame.Rect(layout.strip), pygame.Rect(window.screen.view)]
    parts += [pygame.Rect(dock.place) for dock in window.docks if dock.side != "over" and dock.size > 0.0]
    assert all(pygame.Rect(0, 0, *size).contains(part) for part in parts)
    assert not [(a, b) for a, b in itertools.combinations(parts, 2) if a.colliderect(b)]
    assert window.screen.view[2] >= round(60 * ui) - 1 and window.screen.view[3] >= 60 * ui
    line = line_of(window)
    assert line.bar.width >= 90 * ui - 1
    buttons = [line.form.rect(item) for item in line.form.items if isinstance(item.what, Button)]
    assert not [(a, b) for a, b in itertools.combinations([*buttons, line.bar], 2) if a.colliderect(b)]
    tools = next(dock for dock in window.docks if dock.title == "Tools")
    icons = [tools.form.rect(item) for item in tools.form.items]
    assert all(pygame.Rect(tools.place).contains(icon) for icon in icons) and icons[0].height >= 13 * ui - 1
    for dock in window.docks:
        if dock.gives_way and dock.size > 0.0:
            assert dock.place[2 if dock.side == "right" else 3] >= 60 * ui, dock.title


@pytest.mark.parametrize("keys", [(), ALL_DOCKS], ids=["closed", "open"])
@pytest.mark.parametrize("size", [(480, 360), (800, 600)])
def test_no_texts_of_the_window_overlap(size, keys):
    window = opened(size, keys=keys, kind=find_demo("simple_shapes"))
    frames(window, 30)
    surface = Written(size)
    with noting_words():
        window.screen.is_outdated = True  # no kept pictures
        window.show(surface)
    assert len(surface.words) > 10 and surface.overlaps() == []


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.id) for kind in all_demos()])
def test_texts_fit_the_buttons_of_the_panel(kind):
    window = opened(MIN_SIZE, kind=kind)
    run(find("more"), window.app)
    frames(window)
    form = window.screen.form
    surface = Written((form.place.width, form.height))
    form.place = pygame.Rect(0, 0, form.place.width, form.height)
    with noting_words():
        form.scroll(-form.scrolled)
        form.draw(surface)
    assert surface.overlaps() == [] and not [words for words, _ in surface.words if words.endswith("…")]
    assert all(form.place.contains(item.rect) for item in form.items)


def test_text_grows_to_the_limit_of_the_window_and_reports_the_limit():
    window = opened((800, 600))
    widths = []
    for _ in range(8):
        widths.append(window.screen.painter._book_for(window.screen.view).width("readout", 14.0))
        press(window, pygame.K_PLUS, CTRL)
    assert widths == sorted(widths) and widths[3] > widths[0]  # words in the view too, though the view shrinks
    message = window.session.messages.now
    assert window.screen.ui_scale == fitting_scale((800, 600), MAX_UI_SCALE) == 1.625
    assert "No room for larger text" in message.words
    press(window, pygame.K_MINUS, CTRL)
    assert window.screen.ui_scale == 1.5  # no presses to be taken back that had no effect
    window.screen.resize((480, 320))
    frames(window)
    assert window.screen.ui_scale == 1.0
    window.screen.resize((1600, 1000))
    frames(window)
    assert window.screen.ui_scale == 1.5  # what was asked for


def test_a_readout_that_does_not_fit_ends_in_dots():
    session = Session(find_demo("tilted_board")(1), (0, 0, 400, 130))
    painter = FramePainter(shrinks=False)
    lines, plate = painter._readout(session, session.demo, session.view.camera.view, [], True)
    assert lines[-1][0].endswith("…") and plate.height < 0.75 * 130
    session.view.place((0, 0, 90, 300))
    assert [words for words, _ in painter._readout(session, session.demo, session.view.camera.view, [], True)[0]] == ["…"]


@pytest.mark.parametrize("width, scale, n_lines", [(1280, 1.0, 1), (700, 1.0, 2), (480, 1.0, 2), (340, 1.375, 2)])
def test_a_long_note_wraps_to_two_lines_and_avoids_the_numbers(width, scale, n_lines):
    fonts, surface, strip = FontBook(scale), Written((width, 42)), (0, 0, width, round(30 * scale))
    words = "Saved as /home/somebody/laboratory/bridge-2.json, in its state at step 3; Menu, Open… opens it; left out: 2 worlds"
    figures, check = [(f"figure {k}", "16.7 ms", palette.TEXT) for k in range(9)], [("agree", palette.AGREE)]
    with noting_words():
        draw_status(surface, fonts, strip, figures, check, (words, palette.TEXT))
    lines = [line for line, _ in surface.words if "figure" not in line and line not in ("16.7 ms", "agree")]
    assert len(lines) == n_lines and words.startswith(" ".join(lines).rstrip("…")) and (width < 700 or " ".join(lines) == words)
    assert not surface.overlaps() and all(pygame.Rect(strip).contains(place) for _, place in surface.words)
    assert any("figure" in line for line, _ in surface.words) == (n_lines == 1)


@pytest.mark.parametrize("size", [(1280, 720), (800, 600)])
def test_notes_have_their_own_place_and_do_not_cover_the_view(size):
    window = opened(size)
    window.session.clock.paused = True
    before, strip = frames(window, 9), window.screen.layout.strip
    above = (0, 0, size[0], strip[1])

    def of(surface, place):
        return pygame.image.tobytes(surface.subsurface(place), "RGB")

    for say in (lambda: window.session.messages.say("words"), lambda: setattr(window.session, "failure", "why")):
        say()
        after = frames(window, 9)
        assert of(after, above) == of(before, above) and of(after, strip) != of(before, strip)


def test_texts_are_shortened_and_long_words_are_broken():
    fonts = FontBook()
    assert fonts.shortened("short", 12.0, 200) == "short"
    cut = fonts.shortened("a line with far more words than there is room for", 12.0, 100)
    assert cut.endswith("…") and fonts.width(cut, 12.0) <= 100 and len(cut) > 8
    assert fonts.shortened("word", 12.0, 1) == "…"
    path = "/a/very/long/path/without/any/space/in/it/at/all.mp4"
    lines = fonts.wrapped(f"wrote {path} there", 12.0, 90)
    assert all(fonts.width(line, 12.0) <= 90 for line in lines) and path in "".join(lines)
    assert fonts.wrapped("ab", 12.0, 1) == ["a", "b"]


def test_the_step_label_follows_the_pointer_and_avoids_the_scale_bar():
    window = opened(MIN_SIZE)
    frames(window, 60)
    line = line_of(window)
    bar = line.bar
    window.session.clock.paused = True
    corner = window.screen.painter.corners[0]
    blank = frames(window).subsurface(corner).copy()
    window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(bar.right - 4, bar.centery), rel=(1, 0), buttons=(0, 0, 0)))
    pointed = Written(window.size)
    with noting_words():
        window.show(pointed)
    assert any("step" in words for words, _ in pointed.words)
    assert pygame.image.tobytes(frames(window).subsurface(corner), "RGB") == pygame.image.tobytes(blank, "RGB")


def test_the_impulse_scale_has_its_own_place():
    for size in ((1280, 720), MIN_SIZE):
        window = opened(size, keys=(pygame.K_9,))
        frames(window, 60)
        bar, sample = window.screen.painter.corners
        assert not bar.colliderect(sample) and pygame.Rect(window.screen.view).contains(sample)
