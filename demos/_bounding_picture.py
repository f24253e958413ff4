"""Drawing of `bounding_volumes`: volumes, outlines and the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from demos._gallery import MIN_SIZE, label
from engine.bounding import KDop
from engine.bounding.kinds import Placed
from engine.common.arrays import FloatArray
from engine.geometry import AABB, Transform, convex_hull
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["COLORS", "DASHED", "Row", "color_of", "draw_outline", "draw_table", "draw_volume", "is_table_legible", "ring_of", "table_size"]

COLORS: dict[str, Color] = {
    "mean_circle": (150, 190, 235),
    "smallest_circle": (86, 180, 233),
    "refitted_box": (240, 228, 66),
    "box": (230, 159, 0),
    "oriented_box": (242, 112, 50),
    "capsule": (214, 130, 180),
    "refitted_kdop": (130, 220, 185),
    "kdop": (20, 180, 130),
    "hull": (235, 238, 245),
}
"""Okabe and Ito's colors, lightened for a dark background; `color_of` adapts them to the theme."""
DASHED = ("mean_circle", "refitted_box", "refitted_kdop")
"""The looser one of two volumes of a kind is dashed."""

Point = tuple[float, float]
_CORNERS = 48
"""Number of corners of a round outline."""
_DASH = 0.12
"""Length of a dash, meters."""
_HEADS = ("volume", "area", "yes", "false", "so far")
_COLUMNS, _BAR = (0.0, 1.85, 2.45, 2.9, 3.5), (4.35, 5.05)
"""Left ends of the columns, and both ends of a bar of 100 %, meters."""
_WIDTH, _PITCH, _TEXT = 5.05, 0.46, 0.2
"""Width of the table, distance of its lines, and size of its text, meters."""
_LEGIBLE = 0.8
"""Strength from which a border must be legible; weaker ones are dim on purpose."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table."""

    kind: str
    name: str
    area_ratio: float
    says_yes: int
    false_now: int
    false_rate: float


def ring_of(volume: Placed) -> FloatArray:
    """Return the border of a volume, (n, 2), counter-clockwise."""
    if isinstance(volume, AABB):
        (x0, y0), (x1, y1) = volume.lower, volume.upper
        return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    if isinstance(volume, KDop):
        return volume.corners
    turn = np.linspace(0.0, 2.0 * math.pi, _CORNERS, endpoint=False)
    arcs = volume.core[:, None] + volume.radius * np.column_stack((np.cos(turn), np.sin(turn)))
    return convex_hull(arcs.reshape(-1, 2))


def color_of(kind: str) -> Color:
    """Return a volume's color, legible in the current theme."""
    return palette.legible(COLORS[kind])


def draw_volume(canvas: Canvas, kind: str, volume: Placed, strength: float, is_bold: bool = False) -> None:
    """Draw the border of a volume with a share `strength` of its color, 0 to 1."""
    color, ring = mix(palette.BACKGROUND, color_of(kind), strength), ring_of(volume)
    color = palette.legible(color) if strength >= _LEGIBLE else color
    if kind in DASHED:
        _draw_dashed(canvas, ring, color)
    elif is_bold:
        canvas.segments(ring, np.roll(ring, -1, axis=0), color, 2.0)
    else:
        canvas.polygon(ring, None, color)


def _draw_dashed(canvas: Canvas, ring: FloatArray, color: Color) -> None:
    closed = np.concatenate((ring, ring[:1]))
    lengths = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))))
    n = max(4, round(lengths[-1] / (2.0 * _DASH)))
    starts = np.arange(n) * lengths[-1] / n
    ends = starts + 0.5 * lengths[-1] / n
    dashes = [np.column_stack([np.interp(at, lengths, closed[:, axis]) for axis in (0, 1)]) for at in (starts, ends)]
    canvas.segments(dashes[0], dashes[1], color)


def draw_outline(canvas: Canvas, rings: Sequence[FloatArray], xf: Transform, color: Color, fill: float) -> None:
    """Draw an outline filled with a share of its color; its holes have the color of the background."""
    for k, ring in enumerate(rings):
        canvas.polygon(xf.apply_array(ring), palette.BACKGROUND if k > 0 else mix(palette.BACKGROUND, color, fill), color)


def draw_table(canvas: Canvas, corner: Point, rows: Sequence[Row], n_apart: int, n_meeting: int) -> None:
    """Write the table with its upper left corner at a point of the world."""
    left, top = corner
    size = _TEXT * canvas.camera.scale / canvas.ui_scale
    for head, x in zip(_HEADS, _COLUMNS, strict=True):
        label(canvas, (left + x, top), head, palette.CAPTION, _WIDTH, size, "left")
    for line, row in enumerate(rows, start=1):
        y = top - _PITCH * line
        false_color = palette.UNEXPLAINED if row.false_now else palette.AGREE
        rate = f"{row.false_rate:.1%}".replace("%", " %")
        cells = [f"{row.area_ratio:.2f}", f"{row.says_yes}", f"{row.false_now}", rate]
        colors = [palette.TEXT, palette.TEXT, false_color, palette.TEXT]
        name_color = palette.legible(COLORS[row.kind], palette.WORDS_CONTRAST)
        for words, color, x in zip([row.name, *cells], [name_color, *colors], _COLUMNS, strict=True):
            label(canvas, (left + x, y), words, color, _COLUMNS[1] - 0.1, size, "left")
        start, end, half = left + _BAR[0], left + _BAR[0] + (_BAR[1] - _BAR[0]) * row.false_rate, 0.25 * _PITCH
        canvas.polygon(((start, y - half), (end, y - half), (end, y + half), (start, y + half)), mix(palette.BACKGROUND, name_color, 0.75))
        canvas.segment((start, y - 1.3 * half), (start, y + 1.3 * half), palette.PANEL_EDGE)
        canvas.segment((left, y - 0.5 * _PITCH), (left + _WIDTH, y - 0.5 * _PITCH), palette.GRID)
    words = f"{n_meeting} of {n_apart + n_meeting} neighbors touch the outline"
    label(canvas, (left, top - _PITCH * (len(rows) + 1)), words, palette.CAPTION, _WIDTH, size, "left")


def is_table_legible(scale: float) -> bool:
    """Return True if the table can be read at a scale, design pixels per meter."""
    return _TEXT * scale >= MIN_SIZE


def table_size(n_rows: int) -> tuple[float, float]:
    """Return the width and height of the table, meters."""
    return _WIDTH, _PITCH * (n_rows + 1.5)
