"""How bounding volumes and outlines are drawn, and the table beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from demos._gallery import label
from engine.bounding import BoundingCapsule, BoundingCircle, BoundingHull, KDop, OrientedBox
from engine.bounding.kinds import Placed
from engine.common.arrays import FloatArray
from engine.geometry import AABB, Transform
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["COLORS", "DASHED", "Row", "color_of", "draw_outline", "draw_table", "draw_volume", "ring_of", "table_size"]

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
"""Okabe and Ito's colors, lightened for the dark ground (`color_of` has them for a light one); what is looser of two of a kind is dashed
besides."""
DASHED = ("mean_circle", "refitted_box", "refitted_kdop")

_CORNERS = 48
"""Of a round outline."""
_DASH = 0.12
"""Meters."""
_HEADS = ("volume", "area", "yes", "false", "so far", "")
_LEFT_OUT = ("yes", "false", "area")
"""Columns that a small window does without, in this order."""
_SIZES = (22.0, 19.0, 17.0, 15.0, 14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0)
_GAP = 1.0
"""Between two columns, in sizes of the text; a row is so much higher than its text, too."""
_BAR = 2.6
"""The least length that stands for 100 % of false hits, in sizes of the text; it takes all room there is."""
_WIDTH = 5.05
"""Meters, of the table."""
_PITCH = 0.46
_MEANT = 0.8
"""Share of its color from which a border is to be told from the ground: what says yes. Below that it is dim on purpose."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    kind: str
    name: str
    area_ratio: float
    says_yes: int
    false_now: int
    false_rate: float


def ring_of(volume: Placed) -> FloatArray:
    """Return the border of a volume, float64 (n, 2), counter-clockwise."""
    if isinstance(volume, AABB):
        (x0, y0), (x1, y1) = volume.lower, volume.upper
        return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    if isinstance(volume, OrientedBox | KDop):
        return volume.corners
    turn = np.linspace(0.0, 2.0 * math.pi, _CORNERS, endpoint=False)
    if isinstance(volume, BoundingCircle):
        return np.array(volume.center) + volume.radius * np.column_stack((np.cos(turn), np.sin(turn)))
    if isinstance(volume, BoundingCapsule):
        (x1, y1), (x2, y2) = volume.p1, volume.p2
        along = math.atan2(y2 - y1, x2 - x1)
        caps = along + np.concatenate((np.linspace(-0.5, 0.5, _CORNERS // 2), np.linspace(0.5, 1.5, _CORNERS // 2))) * math.pi
        ends = np.repeat(((x2, y2), (x1, y1)), _CORNERS // 2, axis=0)
        return ends + volume.radius * np.column_stack((np.cos(caps), np.sin(caps)))
    assert isinstance(volume, BoundingHull)
    return volume.vertices


def color_of(kind: str) -> Color:
    """Return a volume's color as the present theme can show it."""
    return palette.legible(COLORS[kind])


def draw_volume(canvas: Canvas, kind: str, volume: Placed, strength: float, is_bold: bool = False) -> None:
    """Draw the border of a volume, `strength` of 0 to 1 of its color."""
    color = mix(palette.BACKGROUND, color_of(kind), strength)
    color = palette.legible(color) if strength >= _MEANT else color
    if kind in DASHED:
        _draw_dashed(canvas, ring_of(volume), color)
    elif isinstance(volume, BoundingCircle):
        canvas.circle(volume.center, volume.radius, None, color)
        if is_bold:
            canvas.circle(volume.center, volume.radius - canvas.ui_scale / canvas.camera.scale, None, color)
    else:
        ring = ring_of(volume)
        canvas.polygon(ring, None, color)
        if is_bold:
            middle = ring.mean(axis=0)
            canvas.polygon(ring + (middle - ring) * (canvas.ui_scale / canvas.camera.scale), None, color)


def _draw_dashed(canvas: Canvas, ring: FloatArray, color: Color) -> None:
    closed = np.concatenate((ring, ring[:1]))
    so_far = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))))
    n = max(4, round(so_far[-1] / (2.0 * _DASH)))
    starts = np.arange(n) * so_far[-1] / n
    ends = starts + 0.5 * so_far[-1] / n
    dashes = [np.column_stack([np.interp(at, so_far, closed[:, axis]) for axis in (0, 1)]) for at in (starts, ends)]
    canvas.segments(dashes[0], dashes[1], color)


def draw_outline(canvas: Canvas, rings: Sequence[FloatArray], xf: Transform, color: Color, fill: float) -> None:
    """Draw an outline filled with a share of its color; what its holes show is the ground."""
    for k, ring in enumerate(rings):
        ground = palette.BACKGROUND if k > 0 else mix(palette.BACKGROUND, color, fill)
        canvas.polygon(xf.apply_array(ring), ground, color)


_Cell = tuple[str, Color, bool]


def draw_table(canvas: Canvas, corner: tuple[float, float], rows: Sequence[Row], n_apart: int, n_meeting: int) -> None:
    """Write the table, its upper left corner at a point of the world; as large as fits, and with fewer columns where nothing does."""
    cells = [_cells(row) for row in rows]
    heads: list[_Cell] = [(head, palette.CAPTION, False) for head in _HEADS]
    size, widths = _fitted(canvas, [heads, *cells])
    unit = canvas.ui_scale / canvas.camera.scale  # meters to a design pixel
    left, top = corner
    end = left + unit * sum(widths)
    for line, texts in enumerate([heads, *cells]):
        x, y = left, top - _PITCH * line
        for column, (words, color, bold) in enumerate(texts):
            if widths[column] > 0.0:
                canvas.text((x, y), words, color, size, "left", bold=bold)
            if line > 0 and column == len(_HEADS) - 1:
                _draw_bar(canvas, (x, y), 0.5 * size * unit, unit * widths[column], rows[line - 1])
            x += unit * widths[column]
        if line > 0:
            canvas.segment((left, y - 0.5 * _PITCH), (end, y - 0.5 * _PITCH), palette.GRID)
    words = f"{n_meeting} of {n_apart + n_meeting} neighbors meet the outline"
    label(canvas, (left, top - _PITCH * (len(rows) + 1)), words, palette.CAPTION, _WIDTH, size, "left")


def _cells(row: Row) -> list[_Cell]:
    color = palette.legible(COLORS[row.kind], palette.WORDS_CONTRAST)
    return [
        (row.name, color, True),
        (f"{row.area_ratio:.2f}", palette.TEXT, False),
        (f"{row.says_yes}", palette.TEXT, False),
        (f"{row.false_now}", palette.UNEXPLAINED if row.false_now else palette.AGREE, row.false_now > 0),
        (f"{row.false_rate:.1%}".replace("%", " %"), palette.TEXT, False),
        ("", color, False),
    ]


def _draw_bar(canvas: Canvas, start: tuple[float, float], height: float, length: float, row: Row) -> None:
    (x, y), half = start, 0.5 * height
    end = x + length * row.false_rate
    canvas.polygon(((x, y - half), (end, y - half), (end, y + half), (x, y + half)), mix(palette.BACKGROUND, color_of(row.kind), 0.75))
    canvas.segment((x, y - 1.3 * half), (x, y + 1.3 * half), palette.PANEL_EDGE)


def _fitted(canvas: Canvas, lines: Sequence[Sequence[_Cell]]) -> tuple[float, list[float]]:
    """Return the size of the text and the width of each column in design pixels, 0 of one that is left out."""
    room, pitch = (meters * canvas.camera.scale / canvas.ui_scale for meters in (_WIDTH, _PITCH))
    left_out: set[str | None] = set()
    for dropped in (None, *_LEFT_OUT):
        left_out.add(dropped)
        for size in _SIZES:
            widths = [
                max(canvas.fonts.width(line[column][0], size, line[column][2]) for line in lines) / canvas.ui_scale + _GAP * size
                for column in range(len(_HEADS))
            ]
            widths[-1] = _BAR * size
            kept = [0.0 if head in left_out else width for head, width in zip(_HEADS, widths, strict=True)]
            if sum(kept) <= room and size * (1.0 + 0.5 * _GAP) <= pitch:
                return size, [*kept[:-1], room - sum(kept[:-1])]
    return _SIZES[-1], kept


def table_size(n_rows: int) -> tuple[float, float]:
    """Return width and height of the table, meters."""
    return _WIDTH, _PITCH * (n_rows + 1.5)
