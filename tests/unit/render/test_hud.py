import pygame
import pytest

from engine.render.backdrop import draw_backdrop, draw_scale_bar, round_above
from engine.render.camera import MAX_SCALE, MIN_SCALE, Camera
from engine.render.canvas import Canvas
from engine.render.fonts import FontBook, font_file
from engine.render.hud import draw_help, draw_lines, draw_paragraph, draw_status
from engine.render.palette import TEXT


def test_the_font_comes_with_the_program() -> None:
    assert font_file() is not None and font_file(bold=True) is not None


def test_wrapped_lines_fit_and_lose_no_word() -> None:
    fonts = FontBook()
    text = "Every contact on the screen has been computed twice, by Box2D and by us."
    lines = fonts.wrapped(text, 14.0, 150)
    assert " ".join(lines) == text
    assert all(fonts.width(line, 14.0) <= 150 for line in lines)


def test_the_same_text_is_rendered_once() -> None:
    fonts = FontBook()
    assert fonts.render("a", 14.0, TEXT) is fonts.render("a", 14.0, TEXT)
    for k in range(3000):
        fonts.render(str(k), 8.0, TEXT)
    assert fonts._texts.cache_info().currsize <= 1024


@pytest.mark.parametrize("size", [(1, 1), (40, 20), (320, 200), (1280, 720)])
@pytest.mark.parametrize("scale", [0.75, 2.0])
def test_readouts_survive_any_size(size: tuple[int, int], scale: float) -> None:
    surface, fonts = pygame.Surface(size), FontBook(scale)
    view = (0, 0, *size)
    for note in (None, ("something went wrong " * 9, TEXT)):
        draw_status(surface, fonts, (0, 0, size[0], 30), [("frame", "16.7 ms", TEXT)] * 9, [("agree 12", TEXT)] * 3, note)
    draw_lines(surface, fonts, (5, 5), [("a line", TEXT), ("another", TEXT)])
    draw_lines(surface, fonts, (5, 5), [])
    draw_paragraph(surface, fonts, "words " * 40, (0, 0, size[0]), TEXT, 12.0)
    draw_help(surface, fonts, view, [("Time", [("Space", "pause"), ("R", "restart")])] * 5)
    canvas = Canvas(surface, Camera(view=view), fonts)
    draw_backdrop(canvas)
    draw_scale_bar(canvas)


def test_keys_that_find_no_room_are_scrolled_to_and_never_drawn_beside_the_plate() -> None:
    fonts, groups = FontBook(), [("Time", [("Space", f"pause {k}") for k in range(12)])] * 3
    written: list[str] = []
    render = fonts.render
    fonts.render = lambda words, *how: written.append(words) or render(words, *how)  # type: ignore[func-returns-value,method-assign]
    surface = pygame.Surface((500, 300))
    below = surface.subsurface((0, 200, 500, 100))
    view, notes = (0, 0, 500, 200), [("Reasons:", ""), ("skin", "Only the rounded skins touch. " * 5)]
    most = draw_help(surface, fonts, view, groups, notes)
    assert most > 200 and not any(pygame.image.tobytes(below, "RGB"))
    assert any(words.startswith("more below") for words in written)
    assert draw_help(surface, fonts, view, groups, notes, 10**6) == most
    assert any(words.startswith("more above") for words in written)
    assert draw_help(pygame.Surface((1500, 900)), fonts, (0, 0, 1500, 900), groups, notes) == 0


@pytest.mark.parametrize("scale", [MIN_SCALE, 1.0, MAX_SCALE])
@pytest.mark.parametrize("center", [(0.0, 0.0), (1e6, -1e6), (1e15, 1e15)])
def test_the_grid_is_drawn_at_any_zoom_and_place(scale: float, center: tuple[float, float]) -> None:
    draw_backdrop(Canvas(pygame.Surface((320, 200)), Camera(center, scale, (0, 0, 320, 200))))


@pytest.mark.parametrize("at_least, expected", [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (0.0007, 0.001)])
def test_round_lengths(at_least: float, expected: float) -> None:
    assert round_above(at_least) == pytest.approx(expected)
