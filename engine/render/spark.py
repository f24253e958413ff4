"""A spark line: a small graph of the last values, without axes."""

from __future__ import annotations

import numpy as np
import pygame

from engine.common.arrays import FloatArray
from engine.render import palette
from engine.render.palette import Color

__all__ = ["columns_of", "draw_spark"]


def columns_of(values: FloatArray, n_columns: int) -> FloatArray:
    """Return the largest value of each of `n_columns` columns, the last values at the right; NaN where there is none.

    Examples
    --------
    >>> columns_of(np.array([1.0, 5.0, 2.0, 3.0]), 2).tolist()
    [5.0, 3.0]
    >>> columns_of(np.array([1.0]), 3).tolist()
    [nan, nan, 1.0]
    """
    per_column = max(1, -(-len(values) // n_columns))
    padded = np.full(n_columns * per_column, np.nan)
    if len(values):
        padded[-len(values) :] = values
    table = padded.reshape(n_columns, per_column)
    is_empty = np.isnan(table).all(axis=1)
    columns: FloatArray = np.where(is_empty, np.nan, np.where(np.isnan(table), -np.inf, table).max(axis=1))
    return columns


def draw_spark(surface: pygame.Surface, place: tuple[int, int, int, int], values: FloatArray, color: Color) -> None:
    """Draw values of 0 and more into (left, top, width, height): the newest at the right, the largest at the top."""
    left, top, width, height = place
    pygame.draw.line(surface, palette.PANEL_EDGE, (left, top + height - 1), (left + width - 1, top + height - 1))
    largest = float(values.max(initial=0.0))
    if largest <= 0.0 or width < 2 or height < 2:
        return
    columns = columns_of(values, max(width // 2, 1))
    pitch = width / len(columns)
    y = top + (height - 2) * (1.0 - columns / largest)
    corners = [(left + (k + 0.5) * pitch, at) for k, at in enumerate(y.tolist()) if at == at]
    if len(corners) >= 2:
        pygame.draw.lines(surface, color, False, corners)
    x, last = corners[-1]
    pygame.draw.rect(surface, color, (round(x) - 1, round(last) - 1, 3, 3))
