"""A window onto the world in which a report draws. Lines, marks and letters are sized in pixels, whatever the scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Circle as Disc
from matplotlib.patches import Polygon as Outlined
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from engine.compare.pair.file import Point
from engine.compare.questions.answer import outline
from engine.geometry import AnyShape, Circle, Segment, Transform
from engine.report import meters
from engine.report.charts import COLORS, as_svg

__all__ = ["Outline", "View", "middle_of", "size_of"]

_WIDTH, _HEIGHT = 640, 420
_PER_INCH = 72.0
"""Pixels, so that a matplotlib point is one."""
_MARGIN = 46
_VISIBLE = Bbox.from_extents(0.0, 0.0, _WIDTH, _HEIGHT)
_DRAWABLE = Bbox.from_extents(-3.0 * _WIDTH, -3.0 * _HEIGHT, 4.0 * _WIDTH, 4.0 * _HEIGHT)
"""Outlines are clipped to this box: browsers cannot draw coordinates of millions of pixels."""

_LETTER = 14.0
"""Radius of a letter, pixels."""

Outline = Sequence[Point]


class View:
    """A window onto the world, and what has been drawn in it.

    Parameters
    ----------
    seen : sequence of Point
        Points that must be visible, meters.
    note : str
        A remark in the upper right corner.
    """

    def __init__(self, seen: Sequence[Point], note: str = "") -> None:
        xs, ys = [x for x, _ in seen], [y for _, y in seen]
        width, height = max(xs) - min(xs), max(ys) - min(ys)
        size = max(width, height) or 1.0
        self._scale = min((_WIDTH - 2 * _MARGIN) / max(width, 0.2 * size), (_HEIGHT - 2 * _MARGIN) / max(height, 0.2 * size))
        self._center = 0.5 * (max(xs) + min(xs)), 0.5 * (max(ys) + min(ys))
        self._note = note
        self._marks: list[Point] = []
        self._figure = Figure(figsize=(_WIDTH / _PER_INCH, _HEIGHT / _PER_INCH), dpi=_PER_INCH)
        self._axes = self._figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, _WIDTH), ylim=(0, _HEIGHT))
        self._axes.set_axis_off()

    @property
    def half(self) -> float:
        """Half of the smaller side, meters."""
        return 0.5 * _HEIGHT / self._scale

    def shape(
        self, shape: AnyShape, pose: Transform, color: str, width: float, fill: bool, opacity: float = 1.0, dashed: bool = False
    ) -> None:
        if isinstance(shape, Segment) and not dashed:
            for ghost, end in ((shape.ghost1, shape.p1), (shape.ghost2, shape.p2)):
                if ghost is not None and fill:
                    self.line(pose.apply(ghost), pose.apply(end), color, 1.0, dashed=True)
        corners = outline(shape, pose)
        self.closed(corners, color, width + (1.0 if len(corners) == 2 else 0.0), fill and len(corners) > 2, opacity, dashed)

    def skin(self, shape: AnyShape, pose: Transform, color: str) -> None:
        """Draw the rounding as a wide, faint line if it is visible."""
        radius = 0.0 if isinstance(shape, Circle) else shape.radius
        if radius * self._scale >= 1.5:
            self.closed(outline(shape, pose), color, 2.0 * radius * self._scale, False, 0.22)

    def closed(self, corners: Outline, color: str, width: float, fill: bool = False, opacity: float = 1.0, dashed: bool = False) -> None:
        """Draw a closed outline, clipped to the surroundings of the view."""
        points = _clipped([self._px(at) for at in corners], _DRAWABLE)
        if points:
            self._polygon(points, color, width, fill, opacity, (7.0, 5.0) if dashed else None)

    def line(self, start: Point, end: Point, color: str, width: float, dashed: bool = False) -> None:
        self.closed((start, end), color, width, dashed=dashed)

    def arrow_line(self, start: Point, end: Point) -> None:
        """Draw a ray: a line with a point at its start and a head at its end."""
        self.line(start, end, "ink", 1.5)
        self.dot(start, "ink", 4.0)
        length = math.dist(start, end)
        if length * self._scale > 4.0:
            self._head(self._px(end), ((end[0] - start[0]) / length, (end[1] - start[1]) / length), "ink")

    def arrow(self, start: Point, direction: Point, length: float, color: str) -> None:
        """Draw a unit vector `length` pixels long."""
        (x, y), (u, v) = self._px(start), direction
        tip = x + length * u, y + length * v
        if self._is_near((x, y)):
            self._polygon([(x, y), (tip[0] - 10 * u, tip[1] - 10 * v)], color, 3.0, dash=None if color == "ours" else (9.0, 4.0))
            self._head(tip, direction, color)

    def mark(self, point: Point, is_ours: bool) -> None:
        """Draw a point of an answer: a dot for ours, a ring for Box2D's."""
        if is_ours:
            self.dot(point, "ours", 4.5)
        else:
            self.ring(point, "box2d", 8.0)

    def dot(self, point: Point, color: str, radius: float) -> None:
        self._disc(point, radius, {"facecolor": COLORS[color], "edgecolor": "none"})

    def ring(self, point: Point, color: str, radius: float, dashed: bool = False) -> None:
        self._disc(point, radius, {"facecolor": "none", "edgecolor": COLORS[color], "linewidth": 2.2, "linestyle": "--" if dashed else "-"})

    def name(self, corners: Outline, other: Outline, name: str) -> None:
        """Write A or B inside the visible part of a shape, away from all marks and from the other shape where there is room."""
        points = _clipped([self._px(at) for at in corners], _VISIBLE)
        if not points:
            return
        x, y = _mean(points)
        places = [(x + share * (px - x), y + share * (py - y)) for share in (0.0, 0.3, 0.5, 0.65, 0.8) for px, py in points]
        within = [self._px(at) for at in other]
        free = [at for at in places if all(math.dist(at, mark) > 2.0 * _LETTER for mark in self._marks)] or places
        x, y = next((at for at in free if not _is_in(at, within, _LETTER)), free[0])
        box = {"facecolor": to_rgba(COLORS["paper"], 0.7), "edgecolor": "none", "pad": 1.0}
        style: dict[str, Any] = {"fontsize": 22, "fontweight": "bold", "color": COLORS[name], "bbox": box}
        self._axes.text(x, y, name.upper(), ha="center", va="center_baseline", **style)

    def svg(self, title: str) -> str:
        """Return the drawing with a scale."""
        length = 0.22 * _WIDTH / self._scale
        decade = 10.0 ** math.floor(math.log10(length))
        bar = max(digit * decade for digit in (1.0, 2.0, 5.0) if digit * decade <= length)
        right = 14 + bar * self._scale
        self._axes.plot([14, 14, right, right], [19, 14, 14, 19], color=COLORS["soft"], lw=1.5)
        self._axes.text(14, 24, meters(bar), fontsize=17, color=COLORS["soft"])
        self._axes.text(_WIDTH - 14, _HEIGHT - 26, self._note, fontsize=17, color=COLORS["soft"], ha="right")
        return as_svg(self._figure, f"{title}, {self._note}" if self._note else title)

    def _polygon(
        self,
        points: Sequence[Point],
        color: str,
        width: float,
        fill: bool = False,
        opacity: float = 1.0,
        dash: tuple[float, float] | None = None,
    ) -> None:
        line = "-" if dash is None else (0.0, tuple(length / width for length in dash))
        face = to_rgba(COLORS[color], 0.13) if fill else "none"
        style = {"facecolor": face, "edgecolor": to_rgba(COLORS[color], opacity), "linewidth": width, "linestyle": line}
        self._axes.add_patch(Outlined(points, closed=len(points) > 2, joinstyle="round", **style))

    def _disc(self, point: Point, radius: float, style: dict[str, object]) -> None:
        at = self._px(point)
        if self._is_near(at):
            self._marks.append(at)
            self._axes.add_patch(Disc(at, radius, **style))

    def _head(self, tip: Point, direction: Point, color: str) -> None:
        (x, y), (u, v) = tip, direction
        if self._is_near(tip):
            wings = [(x - 14 * u - side * 6 * v, y - 14 * v + side * 6 * u) for side in (1.0, -1.0)]
            self._axes.add_patch(Outlined([tip, *wings], facecolor=COLORS[color], edgecolor="none"))

    def _px(self, point: Point) -> Point:
        x, y = point
        return 0.5 * _WIDTH + (x - self._center[0]) * self._scale, 0.5 * _HEIGHT + (y - self._center[1]) * self._scale

    def _is_near(self, px: Point) -> bool:
        return -_WIDTH < px[0] < 2 * _WIDTH and -_HEIGHT < px[1] < 2 * _HEIGHT


def _clipped(points: list[Point], box: Bbox) -> list[Point]:
    """Return the part of a closed outline, or of a line, within a box; empty if there is none."""
    if len(points) < 2:
        return []
    inside = np.asarray(Path(points).clip_to_bbox(box).vertices).tolist()
    return [(x, y) for x, y in (inside[:2] if len(points) == 2 else inside)]


def _is_in(point: Point, corners: Outline, margin: float) -> bool:
    """True if a point lies in a convex counter-clockwise outline, or closer to it than a margin."""
    for (px, py), (qx, qy) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        ex, ey = qx - px, qy - py
        if (ey * (point[0] - px) - ex * (point[1] - py)) > margin * math.hypot(ex, ey):
            return False
    return len(corners) > 0


def _mean(points: Outline) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def size_of(points: Outline) -> float:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return max(max(xs) - min(xs), max(ys) - min(ys))


def middle_of(points: Outline) -> Point:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return 0.5 * (min(xs) + max(xs)), 0.5 * (min(ys) + max(ys))
