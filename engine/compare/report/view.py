"""A window onto the world in which a report draws: everything in pixels that does not depend on the scale, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from engine.compare.bulk.shown import outline
from engine.compare.bulk.tally import Point
from engine.compare.report.page import metres
from engine.geometry import AnyShape, Circle, Segment, Transform

__all__ = ["Outline", "View", "middle_of", "size_of"]

_WIDTH, _HEIGHT = 640, 420
_MARGIN = 46
_OUTSIDE = 3.0
"""Views around the view, to which lines are cut: a browser draws no coordinates of millions of pixels."""

_LETTER = 14.0
"""Pixels around the middle of a letter."""

Outline = Sequence[Point]


class View:
    """A window onto the world, and what has been drawn in it."""

    def __init__(self, seen: Sequence[Point], note: str = "") -> None:
        xs, ys = [x for x, _ in seen], [y for _, y in seen]
        wide, high = max(xs) - min(xs), max(ys) - min(ys)
        size = max(wide, high) or 1.0
        self._scale = min((_WIDTH - 2 * _MARGIN) / max(wide, 0.2 * size), (_HEIGHT - 2 * _MARGIN) / max(high, 0.2 * size))
        self._center = 0.5 * (max(xs) + min(xs)), 0.5 * (max(ys) + min(ys))
        self._note = note
        self._parts: list[str] = []
        self._marks: list[Point] = []

    @property
    def half(self) -> float:
        """Half of the smaller side, metres."""
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
        """Draw the rounding as a wide, faint line, if it can be seen."""
        radius = 0.0 if isinstance(shape, Circle) else shape.radius
        if radius * self._scale >= 1.5:
            self.closed(outline(shape, pose), color, 2.0 * radius * self._scale, False, 0.22)

    def closed(self, corners: Outline, color: str, width: float, fill: bool = False, opacity: float = 1.0, dashed: bool = False) -> None:
        """Draw a closed outline, cut to what is near the view."""
        points = self._cut([self._px(at) for at in corners])
        if len(points) < 2:  # outside, or nothing
            return
        at = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        dash = ' stroke-dasharray="7 5"' if dashed else ""
        faint = f' opacity="{opacity:g}"' if opacity < 1.0 else ""
        inside = f' fill="var(--{color})" fill-opacity="0.13"' if fill else ' fill="none"'
        self._parts.append(
            f'<polygon points="{at}" stroke="var(--{color})" stroke-width="{width:.4g}" stroke-linejoin="round"{inside}{dash}{faint}/>'
        )

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
        """Draw a direction, as long as told in pixels whatever the scale."""
        (x, y), (u, v) = self._px(start), direction
        tip = x + length * u, y - length * v
        if not self._is_near((x, y)):
            return
        dash = "" if color == "ours" else ' stroke-dasharray="9 4"'
        self._parts.append(
            f'<line x1="{x:.2f}" y1="{y:.2f}" x2="{tip[0] - 10 * u:.2f}" y2="{tip[1] + 10 * v:.2f}" stroke="var(--{color})" '
            f'stroke-width="3"{dash}/>'
        )
        self._head(tip, direction, color)

    def mark(self, point: Point, is_ours: bool) -> None:
        """Draw a point of an answer: a dot of ours, a ring of Box2D's."""
        if is_ours:
            self.dot(point, "ours", 4.5)
        else:
            self.ring(point, "box2d", 8.0)

    def dot(self, point: Point, color: str, radius: float) -> None:
        x, y = self._px(point)
        if self._is_near((x, y)):
            self._marks.append((x, y))
            self._parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" fill="var(--{color})"/>')

    def ring(self, point: Point, color: str, radius: float, dashed: bool = False) -> None:
        x, y = self._px(point)
        dash = ' stroke-dasharray="5 3"' if dashed else ""
        if self._is_near((x, y)):
            self._marks.append((x, y))
            line = f'fill="none" stroke="var(--{color})" stroke-width="2.2"{dash}'
            self._parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" {line}/>')

    def name(self, corners: Outline, other: Outline, name: str) -> None:
        """Write A or B where the shape is seen; away from all marks, and where the other is not, if there is such a place."""
        points = self._cut([self._px(at) for at in corners], 0.0)
        if len(points) < 2:
            return
        x, y = _mean(points)
        places = [(x + share * (px - x), y + share * (py - y)) for share in (0.0, 0.3, 0.5, 0.65, 0.8) for px, py in points]
        within = [self._px(at) for at in other]
        free = [at for at in places if all(math.dist(at, mark) > 2.0 * _LETTER for mark in self._marks)] or places
        x, y = next((at for at in free if not _is_in(at, within, _LETTER)), free[0])
        self._parts.append(
            f'<text x="{x:.1f}" y="{y + 8:.1f}" text-anchor="middle" font-size="24" font-weight="700" fill="var(--{name})" '
            f'stroke="var(--paper)" stroke-width="4" paint-order="stroke">{name.upper()}</text>'
        )

    def svg(self, title: str) -> str:
        """Return the drawing with a scale."""
        length = 0.22 * _WIDTH / self._scale
        decade = 10.0 ** math.floor(math.log10(length))
        bar = max(one * decade for one in (1.0, 2.0, 5.0) if one * decade <= length)
        y, right = _HEIGHT - 14, 14 + bar * self._scale
        scale = (
            f'<path d="M14 {y - 5}V{y}H{right:.1f}V{y - 5}" fill="none" stroke="var(--soft)" stroke-width="1.5"/>'
            f'<text x="14" y="{y - 10}" font-size="17" fill="var(--soft)">{metres(bar)}</text>'
        )
        name = f"{title}, {self._note}" if self._note else title
        head = f'<svg class="pair" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img">'
        note = f'<text x="{_WIDTH - 14}" y="26" text-anchor="end" font-size="17" fill="var(--soft)">{escape(self._note)}</text>'
        note = note if self._note else ""
        return f"{head}<title>{escape(name)}</title>{''.join(self._parts)}{scale}{note}</svg>"

    def _head(self, tip: Point, direction: Point, color: str) -> None:
        (x, y), (u, v) = tip, direction
        if self._is_near(tip):
            wings = [(x - 14 * u + side * 6 * v, y + 14 * v + side * 6 * u) for side in (1.0, -1.0)]
            at = " ".join(f"{px:.2f},{py:.2f}" for px, py in (tip, *wings))
            self._parts.append(f'<polygon points="{at}" fill="var(--{color})"/>')

    def _px(self, point: Point) -> Point:
        x, y = point
        return 0.5 * _WIDTH + (x - self._center[0]) * self._scale, 0.5 * _HEIGHT - (y - self._center[1]) * self._scale

    def _is_near(self, px: Point) -> bool:
        return -_WIDTH < px[0] < 2 * _WIDTH and -_HEIGHT < px[1] < 2 * _HEIGHT

    def _cut(self, points: list[Point], outside: float = _OUTSIDE) -> list[Point]:
        """Cut a closed outline to the view and some views around it (Sutherland and Hodgman)."""
        for axis, length, sign in ((0, _WIDTH, 1.0), (0, _WIDTH, -1.0), (1, _HEIGHT, 1.0), (1, _HEIGHT, -1.0)):
            limit = -outside * length if sign > 0.0 else (1.0 + outside) * length
            ring, points = points, []
            for k, at in enumerate(ring):
                before = ring[k - 1]
                inside, was = sign * (at[axis] - limit), sign * (before[axis] - limit)
                if inside * was < 0.0:
                    share = was / (was - inside)
                    points.append((before[0] + share * (at[0] - before[0]), before[1] + share * (at[1] - before[1])))
                if inside >= 0.0:
                    points.append(at)
        return points


def _is_in(point: Point, corners: Outline, margin: float) -> bool:
    """Tell whether a point lies in a convex outline, clockwise on the screen, or nearer to it than a margin."""
    for (px, py), (qx, qy) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        ex, ey = qx - px, qy - py
        if (ex * (point[1] - py) - ey * (point[0] - px)) > margin * math.hypot(ex, ey):
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
