"""Curves: no peak is lost between pixels, ticks are round numbers, and arrow lengths match their impulses."""

import numpy as np
import pygame
import pytest

from engine.render import palette
from engine.render.backdrop import ImpulseScale
from engine.render.fonts import FontBook
from engine.render.palette import THEMES, contrast
from engine.render.plot import Curve, TimeAxis, columns, draw_panes, runs, ticks
from tests.unit.app.written import Written, noting_words

FONTS = FontBook()


def test_a_single_peak_among_many_steps_is_drawn():
    values = np.zeros(100_000)
    values[54_321], values[54_322] = 7.0, -3.0
    axis = TimeAxis(0.0, 99_999.0, 10, 400)
    x, least, most = columns(values, axis)
    assert len(x) == 400 and most.max() == 7.0 and least.min() == -3.0
    assert abs(x[int(np.argmax(most))] - axis.x(54_321)) <= 0.5


def test_fewer_steps_than_pixels_are_drawn_unchanged_with_gaps():
    values = np.array([1.0, np.nan, 3.0, 4.0])
    x, least, most = columns(values, TimeAxis(0.0, 3.0, 0, 301))
    assert x.tolist() == [0.0, 200.0, 300.0] and least.tolist() == most.tolist() == [1.0, 3.0, 4.0]
    assert len(columns(np.full(5, np.nan), TimeAxis(0.0, 4.0, 0, 50))[0]) == 0


@pytest.mark.parametrize("low, high", [(0.0, 1.0), (-3e-7, 2e-7), (1e9, 1.00001e9), (-17.0, -16.2), (5.0, 5.0)])
def test_ticks_are_few_and_within_the_range(low, high):
    values = ticks(low, high, 5)
    assert 1 <= len(values) <= 5 and all(low - 1e-9 <= tick <= high + 1e-9 for tick in values)


def test_values_that_differ_by_rounding_are_drawn_as_one():
    surface = pygame.Surface((300, 120))
    noise = np.where(np.arange(50) % 2, 10.0, 10.000001)
    draw_panes(surface, FONTS, (0, 0, 300, 120), [Curve("speed", "m/s", noise, 0)], (0.0, 49.0), 49, 1 / 60)
    color = palette.SERIES[0]
    rows = {y for x in range(60, 280) for y in range(120) if surface.get_at((x, y))[:3] == color}
    assert rows and max(rows) - min(rows) <= 8  # a line with its marks, in the middle


def test_no_line_crosses_a_break_or_unknown_values():
    values = np.concatenate((np.zeros(20), np.full(20, 10.0), np.full(5, np.nan), np.full(15, 4.0)))
    axis = TimeAxis(0.0, 59.0, 0, 600)
    parts = runs(Curve("a", "m", values, 0, (20,)), axis)
    assert [(float(x[0]), float(x[-1])) for x, _, _ in parts] == [(0.0, 193.0), (203.0, 396.0), (457.0, 599.0)]
    assert len(runs(Curve("a", "m", values, 0), axis)) == 2
    assert [len(x) for x, _, _ in runs(Curve("a", "m", values, 0, (20, 3)), TimeAxis(10.0, 30.0, 0, 600))] == [10, 11]
    assert runs(Curve("a", "m", values, 0), TimeAxis(70.0, 90.0, 0, 50)) == []
    surface = pygame.Surface((600, 100))
    drawn = draw_panes(surface, FONTS, (0, 0, 600, 100), (Curve("a", "m", values, 0, (20,)),), (0.0, 59.0), 59, 0.1)
    pixels = (pygame.surfarray.array3d(surface) == np.array(palette.SERIES[0])).all(axis=2).any(axis=1)
    for before, after in ((19, 20), (39, 45)):
        gap = slice(round(drawn.x(before)) + 2, round(drawn.x(after)) - 1)
        assert not pixels[gap].any() and pixels[gap.start - 20 : gap.start - 3].all() and pixels[gap.stop + 3 : gap.stop + 20].all()


def test_curves_are_two_pixels_wide_and_differ_from_the_grid():
    surface = pygame.Surface((400, 100))
    draw_panes(surface, FONTS, (0, 0, 400, 100), (Curve("a", "m", np.linspace(0.0, 1.0, 60) ** 2, 0),), (0.0, 59.0), 59, 0.1)
    line = (pygame.surfarray.array3d(surface) == np.array(palette.SERIES[0])).all(axis=2)
    assert np.median(line.sum(axis=1)[60:380]) >= 2
    for theme in THEMES.values():
        grid = palette.mix(theme.panel, theme.panel_edge, 0.35)
        assert all(contrast(color, theme.panel) >= 3.0 * contrast(grid, theme.panel) for color in theme.series), theme.name


@pytest.mark.parametrize(("values", "corner"), [(np.linspace(0.0, 1.0, 60), "left"), (np.linspace(1.0, 0.0, 60), "right")])
def test_the_unit_hides_no_curve(values, corner):
    surface = Written((400, 100))
    with noting_words():
        draw_panes(surface, FONTS, (0, 0, 400, 100), (Curve("a", "furlong", values, 0),), (0.0, 59.0), 59, 0.1)
    (place,) = (where for words, where in surface.words if words == "furlong")
    assert (place.centerx < 200) == (corner == "left")
    line = (pygame.surfarray.array3d(surface) == np.array(palette.SERIES[0])).all(axis=2)
    assert not line[place.left : place.right, place.top : place.bottom].any() and line.any(axis=1)[50:380].all()


def test_an_axis_and_its_inverse_agree():
    axis = TimeAxis(120.0, 1320.0, 46, 640)
    assert all(abs(axis.step(axis.x(step)) - step) <= 1 for step in range(120, 1321, 7))


def test_future_values_are_dimmed_and_each_unit_has_a_pane():
    surface = pygame.Surface((600, 200))
    curves = (Curve("a", "m", np.linspace(0.0, 1.0, 200), 0), Curve("b", "J", np.linspace(1.0, 0.0, 200), 1))
    axis = draw_panes(surface, FONTS, (0, 0, 600, 200), curves, (0.0, 199.0), 100, 1.0 / 60.0)
    pixels = pygame.surfarray.array3d(surface)
    for style, rows in ((0, slice(0, 92)), (1, slice(92, 184))):
        bright = np.argwhere((pixels[:, rows] == np.array(palette.SERIES[style])).all(axis=2))
        assert len(bright) > 50 and bright[:, 0].max() <= axis.x(100) + 5


def test_empty_and_constant_curves_are_drawn():
    surface = pygame.Surface((300, 100))
    for values in (np.zeros(0), np.full(9, np.nan), np.full(9, 3.0), np.array([1.0])):
        draw_panes(surface, FONTS, (0, 0, 300, 100), (Curve("a", "m", values, 2),), (0.0, 8.0), 4, 0.1)


def test_the_scale_of_impulses_grows_at_once_and_shrinks_late():
    scale = ImpulseScale()
    assert scale.fit(0, 0.0) == 0.0
    assert scale.fit(0, 0.7) == 1.0
    assert scale.fit(0, 3.0) == 5.0
    assert scale.fit(0, 1.1) == 5.0
    assert scale.fit(0, 0.9) == 1.0
    assert scale.fit(1, 40.0) == 50.0
    assert scale.fit(0, 0.9) == 50.0  # the other world's arrows stand in the same picture
