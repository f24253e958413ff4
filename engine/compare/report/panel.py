"""A panel of a report that shows shapes and answers in the world. Lines, marks and letters are sized in points, whatever the scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle as Disc
from matplotlib.patches import Polygon as Outlined
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from engine.compare.pair.file import Point
from engine.report import meters
from engine.report.charts import COLORS

__all__ = ["Outline", "Panel", "middle_of", "size_of"]

_MARGIN = 46
_LETTER = 14.0
"""Radius of a letter, points."""

Outline = Sequence[Point]


class Panel:
    """A view of the world, and its drawing. Box2D's points are rings, those of other answers are dots.

    Parameters
    ----------
    axes : Axes
        Its place in the figure must not change any more.
    seen : sequence of Point
        Points that must be visible, meters.
    """

    def __init__(self, axes: Axes, seen: Outline) -> None:
        extent = axes.get_window_extent()
        to_points = 72.0 / axes.figure.dpi
        self._width, self._height = extent.width * to_points, extent.height * to_points
        (left, bottom), (right, top) = np.min(seen, axis=0).tolist(), np.max(seen, axis=0).tolist()
        width, height, size = right - left, top - bottom, size_of(seen) or 1.0
        self.scale = min((self._width - 2 * _MARGIN) / max(width, 0.2 * size), (self._height - 2 * _MARGIN) / max(height, 0.2 * size))
        """Points per meter."""
        self._center, self._axes, self._marks = (0.5 * (left + right), 0.5 * (bottom + top)), axes, list[Point]()
        axes.set(xlim=(0.0, self._width), ylim=(0.0, self._height))

    @property
    def half(self) -> float:
        """Half of the height, meters."""
        return float(0.5 * self._height / self.scale)

    def closed(self, corners: Outline, color: str, width: float, fill: bool = False, opacity: float = 1.0, dashed: bool = False) -> None:
        """Draw a closed outline, or a line. It is clipped near the panel, since browsers cannot draw coordinates of millions of pixels."""
        points = self._clipped(corners, 3.0)
        face = to_rgba(COLORS[color], 0.13) if fill else "none"
        style = {"facecolor": face, "edgecolor": to_rgba(COLORS[color], opacity), "linewidth": width, "linestyle": "--" if dashed else "-"}
        if points:
            self._axes.add_patch(Outlined(points, closed=len(points) > 2, joinstyle="round", **style))

    def arrow(self, start: Point, direction: Sequence[float], length: float, color: str) -> None:
        """Draw an arrow `length` points long, of length 0 only its head."""
        (x, y), size = self._at(start), math.hypot(*direction)
        u, v = direction[0] / size, direction[1] / size
        tip = x + length * u, y + length * v
        if self._is_near((x, y)):
            shaft, wings = (tip[0] - 10 * u, tip[1] - 10 * v), [(tip[0] - 14 * u + s * v, tip[1] - 14 * v - s * u) for s in (-6, 6)]
            if length > 0.0:
                style = "--" if color == "box2d" else "-"
                self._axes.plot(*zip((x, y), shaft, strict=True), color=COLORS[color], lw=3.0, ls=style)
            self._axes.add_patch(Outlined([tip, *wings], facecolor=COLORS[color], edgecolor="none"))

    def mark(self, point: Point, color: str) -> None:
        """Draw a point of an answer: a dot, or a ring for Box2D's."""
        if color == "box2d":
            self.ring(point, color, 8.0)
        else:
            self.dot(point, color, 4.5)

    def dot(self, point: Point, color: str, radius: float) -> None:
        self._disc(point, radius, {"facecolor": COLORS[color], "edgecolor": "none"})

    def ring(self, point: Point, color: str, radius: float, dashed: bool = False) -> None:
        self._disc(point, radius, {"facecolor": "none", "edgecolor": COLORS[color], "linewidth": 2.2, "linestyle": "--" if dashed else "-"})

    def _disc(self, point: Point, radius: float, style: dict[str, Any]) -> None:
        at = self._at(point)
        if self._is_near(at):
            self._marks.append(at)
            self._axes.add_patch(Disc(at, radius, **style))

    def name(self, corners: Outline, other: Outline, name: str) -> None:
        """Write A or B inside the visible part of a shape, away from all marks and from the other shape if there is room."""
        points = self._clipped(corners, 0.0)
        if not points:
            return
        x, y = np.mean(points, axis=0).tolist()
        places = [(x + share * (px - x), y + share * (py - y)) for share in (0.0, 0.3, 0.5, 0.65, 0.8) for px, py in points]
        within = [self._at(at) for at in other]
        free = [at for at in places if all(math.dist(at, mark) > 2.0 * _LETTER for mark in self._marks)] or places
        x, y = next((at for at in free if not _is_in(at, within, _LETTER)), free[0])
        box = {"facecolor": to_rgba(COLORS["paper"], 0.7), "edgecolor": "none", "pad": 1.0}
        style: dict[str, Any] = {"fontsize": 22, "fontweight": "bold", "color": COLORS[name], "bbox": box}
        self._axes.text(x, y, name.upper(), ha="center", va="center_baseline", **style)

    def legend(self, note: str) -> None:
        """Draw a scale at the lower left, and a note at the upper right."""
        length = 0.22 * self._width / self.scale
        decade = 10.0 ** math.floor(math.log10(length))
        bar = max(digit * decade for digit in (1.0, 2.0, 5.0) if digit * decade <= length)
        right = 14 + bar * self.scale
        self._axes.plot([14, 14, right, right], [19, 14, 14, 19], color=COLORS["soft"], lw=1.5)
        self._axes.text(14, 24, meters(bar), fontsize=17, color=COLORS["soft"])
        self._axes.text(self._width - 14, self._height - 26, note, fontsize=17, color=COLORS["soft"], ha="right")

    def _at(self, point: Sequence[float]) -> Point:
        (x, y), (center_x, center_y) = point[:2], self._center
        return 0.5 * self._width + (x - center_x) * self.scale, 0.5 * self._height + (y - center_y) * self.scale

    def _is_near(self, at: Point) -> bool:
        return -self._width < at[0] < 2 * self._width and -self._height < at[1] < 2 * self._height

    def _clipped(self, corners: Outline, around: float) -> list[Point]:
        """Return the part of a closed outline, or of a line, in the panel and so many panels around it; empty if there is none."""
        if len(corners) < 2:
            return []
        width, height = self._width, self._height
        box = Bbox.from_extents(-around * width, -around * height, (1.0 + around) * width, (1.0 + around) * height)
        points, is_line = [self._at(at) for at in corners], len(corners) == 2
        # matplotlib clips polygons: a line is one that goes there and back
        inside = np.asarray(Path([*points, points[0]] if is_line else points).clip_to_bbox(box).vertices).tolist()
        return [(x, y) for x, y in (inside[:2] if is_line else inside)]


def _is_in(point: Point, corners: Outline, margin: float) -> bool:
    """Return True if a point lies in a convex counter-clockwise outline, or closer to it than a margin."""
    for (px, py), (qx, qy) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        ex, ey = qx - px, qy - py
        if (ey * (point[0] - px) - ex * (point[1] - py)) > margin * math.hypot(ex, ey):
            return False
    return len(corners) > 0


def size_of(points: Outline) -> float:
    return float(np.ptp(points, axis=0).max())


def middle_of(points: Outline) -> Point:
    x, y = (0.5 * (np.min(points, axis=0) + np.max(points, axis=0))).tolist()
    return x, y
