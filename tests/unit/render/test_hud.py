from pathlib import Path

import pygame
import pytest

from engine.render.backdrop import draw_backdrop, draw_scale_bar, round_above
from engine.render.camera import MAX_SCALE, MIN_SCALE, Camera
from engine.render.canvas import Canvas
from engine.render.fonts import FontBook, font_file
from engine.render.hud import draw_lines, draw_status, verdict_places
from engine.render.palette import TEXT
from tests.unit.app.written import Written, noting_words


def test_the_font_comes_with_the_program():
    assert all(Path(font_file(bold, is_code)).is_file() for bold in (False, True) for is_code in (False, True))


def test_wrapped_lines_fit_and_lose_no_word():
    fonts = FontBook()
    text = "Every contact on the screen has been computed twice, by Box2D and by us."
    lines = fonts.wrapped(text, 14.0, 150)
    assert " ".join(lines) == text
    assert all(fonts.width(line, 14.0) <= 150 for line in lines)


def test_the_same_text_is_rendered_once():
    fonts = FontBook()
    assert fonts.render("a", 14.0, TEXT) is fonts.render("a", 14.0, TEXT)
    for k in range(3000):
        fonts.render(str(k), 8.0, TEXT)
    assert fonts._texts.cache_info().currsize <= 1024


@pytest.mark.parametrize("size", [(1, 1), (40, 20), (320, 200), (1280, 720)])
@pytest.mark.parametrize("scale", [0.75, 2.0])
def test_readouts_survive_any_size(size, scale):
    surface, fonts = pygame.Surface(size), FontBook(scale)
    view = (0, 0, *size)
    for note in (None, ("something went wrong " * 9, TEXT)):
        draw_status(surface, fonts, (0, 0, size[0], 30), [("frame", "16.7 ms", TEXT)] * 9, [("agree 12", TEXT)] * 3, note)
    draw_lines(surface, fonts, (5, 5), [("a line", TEXT), ("another", TEXT)])
    draw_lines(surface, fonts, (5, 5), [])
    canvas = Canvas(surface, Camera(view=view), fonts)
    draw_backdrop(canvas)
    draw_scale_bar(canvas)


@pytest.mark.parametrize(("width", "scale"), [(1280, 1.0), (1280, 1.625), (1920, 2.5)])
def test_the_counters_stay_in_the_strip_at_the_largest_text(width, scale):
    surface, fonts = Written((width, 80)), FontBook(scale)
    cells = [(name, "16.7 ms", TEXT) for name in ("frame", "step", "check", "draw", "speed", "solver", "t", "bodies", "contacts")]
    verdicts = [("agree 12,345", TEXT), ("explained 12", TEXT), ("unexplained 0", TEXT)]
    with noting_words():
        draw_status(surface, fonts, (0, 0, width, 80), cells, verdicts)
    words = [words for words, _ in surface.words]
    assert {name for name, _, _ in cells} <= set(words) and {name for name, _ in verdicts} <= set(words) and not surface.overlaps()
    places = verdict_places(fonts, (0, 0, width, 80), cells, verdicts)
    assert len(places) == 3 and places[0].right <= places[1].left and places[1].right <= places[2].left < width


@pytest.mark.parametrize("scale", [MIN_SCALE, 1.0, MAX_SCALE])
@pytest.mark.parametrize("center", [(0.0, 0.0), (1e6, -1e6), (1e15, 1e15)])
def test_the_grid_is_drawn_at_any_zoom_and_place(scale, center):
    draw_backdrop(Canvas(pygame.Surface((320, 200)), Camera(center, scale, (0, 0, 320, 200))))


@pytest.mark.parametrize("at_least, expected", [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (0.0007, 0.001)])
def test_round_lengths(at_least, expected):
    assert round_above(at_least) == pytest.approx(expected)
