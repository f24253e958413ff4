"""The sparkline."""

import numpy as np
import pygame

from engine.render import palette
from engine.render.plot import draw_spark


def test_no_peak_is_lost_where_a_pixel_has_many_values():
    values = np.full(300, 1e-9)
    values[137] = 5.0
    surface = pygame.Surface((120, 40))
    draw_spark(surface, (10, 10, 100, 20), values, palette.ACCENT)
    drawn = (pygame.surfarray.array3d(surface) == palette.ACCENT).all(axis=2)
    assert drawn[:, 10].any()


def test_the_newest_is_at_the_right_and_the_largest_at_the_top():
    surface = pygame.Surface((120, 40))
    draw_spark(surface, (10, 10, 100, 20), np.array([0.0] * 49 + [2.0]), palette.ACCENT)
    drawn = (pygame.surfarray.array3d(surface) == palette.ACCENT).all(axis=2)
    xs, ys = np.nonzero(drawn)
    assert xs.min() >= 10 and xs.max() <= 110 and ys.min() >= 9 and ys.max() <= 30
    assert xs[ys == ys.min()].min() > 100, "the peak is the last value"


def test_an_empty_spark_line_is_a_base_line():
    surface = pygame.Surface((120, 40))
    for values in (np.zeros(0), np.zeros(9)):
        draw_spark(surface, (10, 10, 100, 20), values, palette.ACCENT)
    draw_spark(surface, (10, 10, 1, 1), np.ones(3), palette.ACCENT)
    assert not (pygame.surfarray.array3d(surface) == palette.ACCENT).all(axis=2).any()
