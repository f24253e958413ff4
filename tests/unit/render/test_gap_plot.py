"""The plot of a gap: it draws inside its rectangle, shows the values under the pointer, and converts its axes both ways."""

from dataclasses import replace

import numpy as np
import pygame
import pytest

from engine.render import palette
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.fonts import FontBook
from engine.render.gap_plot import GapPlot, Mark, draw_gap_plot, fraction_under

FRACTIONS = np.linspace(0.0, 1.0, 101)
LONG = (("a long heading that does not fit into a narrow place at all, however small it is written there", palette.TEXT),)
PLOT = GapPlot(
    title=(LONG, (("short", palette.TEXT),)),
    fractions=FRACTIONS,
    gaps=np.abs(FRACTIONS - 0.5) - 0.05,
    marks=(
        Mark(0.0, 0.45, "ring", palette.UNEXPLAINED, "begins", "ends"),
        Mark(0.45, 0.0, "diamond", palette.AGREE, "touch", "touch"),
        Mark(0.465, -0.015, "triangle", palette.EXPLAINED, "there", "there"),
        Mark(0.5, None, "tick", palette.CAPTION, "tick", "ticks"),
    ),
    milliseconds=16.7,
    now=0.3,
)


def canvas(size=(800, 300)):
    surface = pygame.Surface(size)
    surface.fill(palette.BACKGROUND)
    return Canvas(surface, Camera(view=(0, 0, *size)), FontBook(1.0))


def changed(surface, place):
    """Return whether pixels inside and outside a rectangle differ from the background."""
    pixels = (pygame.surfarray.array3d(surface) != np.array(palette.BACKGROUND)).any(axis=2)
    inside = pixels[place.left : place.right, place.top : place.bottom].any()
    pixels[place.left : place.right, place.top : place.bottom] = False
    return bool(inside), bool(pixels.any())


@pytest.mark.parametrize("place", [(10, 20, 760, 160), (10, 20, 300, 120), (10, 20, 140, 60), (10, 20, 120, 90), (0, 0, 30, 12)])
@pytest.mark.parametrize("change", [{}, {"marks": ()}, {"gaps": FRACTIONS * 0.0}])
def test_it_draws_within_its_rectangle(place, change):
    onto = canvas()
    draw_gap_plot(onto, place, replace(PLOT, **change))
    inside, outside = changed(onto.surface, pygame.Rect(place))
    has_room = place[2] >= 140
    assert inside == has_room and not outside
    assert (fraction_under(onto, place, PLOT, (place[0] + 90, place[1] + 38)) is not None) == has_room


def test_the_pointer_position_is_read_in_the_plot():
    onto, place = canvas(), (10, 20, 760, 160)
    fractions = [fraction_under(onto, place, PLOT, (x, 90.0)) for x in range(0, 800)]
    there = [fraction for fraction in fractions if fraction is not None]
    assert fractions[0] is None and fractions[-1] is None
    assert min(there) == pytest.approx(0.0, abs=0.01) and max(there) == pytest.approx(1.0, abs=0.01)
    assert fraction_under(onto, place, PLOT, (300.0, 250.0)) is None


def test_the_pointer_shows_numbers():
    plain, hovered = canvas(), canvas()
    place = (10, 120, 760, 160)
    draw_gap_plot(plain, place, PLOT)
    draw_gap_plot(hovered, place, PLOT, (300.0, 180.0))
    assert (pygame.surfarray.array3d(plain.surface) != pygame.surfarray.array3d(hovered.surface)).any()
    outside = canvas()
    draw_gap_plot(outside, place, PLOT, (5.0, 5.0))
    assert (pygame.surfarray.array3d(plain.surface) == pygame.surfarray.array3d(outside.surface)).all()


def test_the_numbers_cover_no_curve():
    place = (10, 100, 780, 190)
    pixels = []
    for pointer in (None, (300.0, 180.0)):
        target = canvas()
        draw_gap_plot(target, place, PLOT, pointer)
        pixels.append(pygame.surfarray.array3d(target.surface))
    columns = np.flatnonzero((pixels[0] != pixels[1])[:, 100:290].any(axis=(1, 2)))
    assert 0 < len(columns) <= 7 and abs(columns - 300).max() <= 4  # the line under the pointer, and a dot on the curve
    assert (pixels[0] != pixels[1])[:, :100].any()


def test_a_gap_is_interpolated_between_samples():
    assert PLOT.gap_at(0.005) == pytest.approx(0.445)
