"""Draws the marks of an algorithm's step by role: each role has its own theme color, width and dashes.

A mark too small to be seen, such as a path without length or a circle without radius, is drawn as a dot, so that every mark is visible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts.trace import Mark
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.palette import Color
from engine.render.roles import STYLES, Style, role_color, word_color
from engine.render.rounded import rounded

__all__ = ["draw_marks"]

Place = Callable[[FloatArray], FloatArray]
"""Maps points of a view to points of its canvas, float64 (n, 2)."""


_HEAD = 9.0
"""Length of an arrowhead, design pixels."""
_SMALL = 1.5
"""Size below which a mark is drawn as a dot, design pixels."""
_LABEL, _NUMBER = 12.0, 10.5
_SHORT = 3
"""Maximum length of a label that is written inside its mark, characters."""
_LEVEL = 2.0
"""Tolerance for two corners of equal height, pixels."""
_ACROSS = 10_000.0
"""Length on both sides of an infinite line's first point that labels avoid, pixels."""
_FAR = 30_000.0
"""Edges beyond this coordinate cross no visible label, pixels."""
_MAX_EDGES = 64
"""Maximum number of edges of a mark that labels avoid."""
_BESIDE_DOT = 5.0
"""Offset of a corner's name beside a dot, design pixels."""
_MAX_NUMBERED = 16
"""Maximum number of corners of a shape whose corners are numbered."""


def draw_marks(canvas: Canvas, place: Place, scenery: Sequence[Mark], marks: Sequence[Mark]) -> None:
    """Draw the scenery of a step, the step's marks, and then their labels; the scenery's labels use the remaining room."""
    for mark in (*scenery, *marks):
        _draw(canvas, place, mark)
    if not canvas.has_words:
        return
    for mark in (*scenery, *marks):
        _keep_clear(canvas, place, mark)
    canvas.room.keep_off_lines(np.concatenate([np.zeros((0, 2, 2)), *(_edges(canvas, place, mark) for mark in (*scenery, *marks))]))
    for mark in marks:
        _label(canvas, place, mark, _LABEL, bold=True)
    for mark in scenery:
        _label(canvas, place, mark, _LABEL, bold=mark.role in ("a", "b"))
    named = {mark.text for mark in marks}
    for mark in scenery:
        _number(canvas, place, mark, named)


def _draw(canvas: Canvas, place: Place, mark: Mark) -> None:
    style, color = STYLES[mark.role], role_color(mark.role)
    points = place(np.array(mark.points, dtype=np.float64))
    if mark.form == "point":
        if style.ring:
            canvas.points(points, color, style.dot, ring=True)
        else:
            canvas.points(points, palette.BACKGROUND, style.dot + 1.5)
            canvas.points(points, color, style.dot)
    elif mark.form == "circle":
        _circle(canvas, points, mark.radius, style, color)
    elif mark.form == "line":
        _full_line(canvas, points, style, color)
    elif mark.form == "arrow":
        _arrow(canvas, points, style, color)
    elif mark.form in ("path", "polygon"):
        _figure(canvas, points, mark, style, color)
    if mark.form not in ("point", "label") and _is_small(canvas, points, mark):
        canvas.points(points[:1], color, style.dot)


def _is_small(canvas: Canvas, points: FloatArray, mark: Mark) -> bool:
    pixels = canvas.camera.to_screen_array(points)
    reach = float(np.ptp(pixels, axis=0).max()) + 2.0 * mark.radius * canvas.camera.scale
    return reach < _SMALL * canvas.ui_scale


def _circle(canvas: Canvas, points: FloatArray, radius: float, style: Style, color: Color) -> None:
    center = (float(points[0, 0]), float(points[0, 1]))
    if style.fill > 0.0:
        canvas.circle(center, radius, color, None, style.fill)
    if not style.dashed and style.width < 2.0:
        canvas.circle(center, radius, None, color)
        return
    n = int(min(max(24.0, 2.5 * math.sqrt(max(radius * canvas.camera.scale, 0.0)) * 4.0), 256.0))
    turn = np.linspace(0.0, 2.0 * math.pi, n + 1)
    ring = points[0] + radius * np.column_stack((np.cos(turn), np.sin(turn)))
    _lines(canvas, ring, style, color)


def _figure(canvas: Canvas, points: FloatArray, mark: Mark, style: Style, color: Color) -> None:
    if mark.radius > 0.0 and mark.form == "path":  # draw each segment as a capsule
        for pair in pairwise(points):
            ring = rounded(np.array(pair), mark.radius)
            if style.fill > 0.0:
                canvas.polygon(ring, color, None, style.fill)
            _lines(canvas, np.vstack((ring, ring[:1])), style, color)
        return
    ring = rounded(points, mark.radius) if mark.form == "polygon" else points
    if mark.form == "polygon":
        if style.fill > 0.0:
            canvas.polygon(ring, color, None, style.fill)
        ring = np.vstack((ring, ring[:1]))
    _lines(canvas, ring, style, color)


def _lines(canvas: Canvas, corners: FloatArray, style: Style, color: Color) -> None:
    if style.dashed:
        for (x0, y0), (x1, y1) in pairwise(corners.tolist()):
            canvas.dashed((x0, y0), (x1, y1), color, 5.0, style.width)
    else:
        for (x0, y0), (x1, y1) in pairwise(corners.tolist()):
            canvas.segment((x0, y0), (x1, y1), color, style.width)


def _full_line(canvas: Canvas, points: FloatArray, style: Style, color: Color) -> None:
    """Draw the infinite line through two points, from edge to edge of the view."""
    box = canvas.camera.visible
    a, along = points[0], points[-1] - points[0]
    length = float(np.hypot(*along))
    if length == 0.0:
        return
    corners = np.array((box.lower, box.upper))
    reach = float(np.abs(corners - a).max()) + float(np.ptp(corners, axis=0).max())
    way = along * (2.0 * reach / length)
    _lines(canvas, np.array((a - way, a + way)), style, color)


def _arrow(canvas: Canvas, points: FloatArray, style: Style, color: Color) -> None:
    start, end = points[0], points[-1]
    pixels = canvas.camera.to_screen_array(np.array((start, end)))
    along = pixels[1] - pixels[0]
    length = float(np.hypot(*along))
    if not length > 0.0:
        return
    _lines(canvas, np.array((start, end)), style, color)
    head = min(_HEAD * canvas.ui_scale, 0.6 * length)
    if not np.abs(pixels).max() < _FAR:
        return
    way = along / length
    neck, wing = pixels[1] - head * way, 0.45 * head * np.array((-way[1], way[0]))
    canvas.figures_px(np.array(((pixels[1], neck + wing, neck - wing),)), color)


def _keep_clear(canvas: Canvas, place: Place, mark: Mark) -> None:
    """Keep labels off the dots and the short ends of a mark."""
    if mark.form in ("point", "arrow"):
        canvas.keep_clear(canvas.camera.to_screen_array(place(np.array(mark.points, dtype=np.float64))), 1.6 * STYLES[mark.role].dot)


def _edges(canvas: Canvas, place: Place, mark: Mark) -> FloatArray:
    """Return the edges of a mark, pixels, float64 (n, 2, 2); empty if labels could not avoid so many."""
    if mark.form not in ("path", "polygon", "arrow", "line") or not 2 <= len(mark.points) <= _MAX_EDGES:
        return np.zeros((0, 2, 2))
    pixels = canvas.camera.to_screen_array(place(np.array(mark.points, dtype=np.float64)))
    if mark.form == "line":  # extends to both sides
        along = pixels[-1] - pixels[0]
        pixels = pixels[0] + np.array((-_ACROSS, _ACROSS))[:, None] * along / max(float(np.hypot(*along)), 1e-9)
    ends = np.roll(pixels, -1, axis=0) if mark.form == "polygon" else pixels[1:]
    edges = np.stack((pixels[: len(ends)], ends), axis=1)
    return edges[(np.abs(edges) < _FAR).all(axis=(1, 2))]


def _label(canvas: Canvas, place: Place, mark: Mark, size: float, bold: bool) -> None:
    if not mark.text:
        return
    pixels = canvas.camera.to_screen_array(place(np.array(mark.points, dtype=np.float64)))
    gap = STYLES[mark.role].dot + 3.0
    color, plate = word_color(mark.role), mark.role not in ("a", "b", "other")
    if mark.form in ("polygon", "circle") or (mark.form == "path" and mark.role in ("a", "b", "ghost")):
        at, gap = pixels.mean(axis=0), 8.0
        sides: tuple[tuple[int, int], ...] = ((0, 0), (0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1))
        if len(mark.text) > _SHORT:  # above or below the mark rather than over it
            reach = mark.radius * canvas.camera.scale
            for down in (-1, 1):  # at its highest or lowest corner, because a slanted mark can miss the middle of its box
                end = float((down * pixels[:, 1]).max())
                x = float(pixels[down * pixels[:, 1] > end - _LEVEL, 0].mean())
                if canvas.label((x, down * (end + reach)), mark.text, color, size, 3.0, bold, plate and mark.role != "ghost", ((0, down),)):
                    return
    elif mark.form in ("path", "line"):
        at, (across, down) = pixels[[0, -1]].mean(axis=0), pixels[-1] - pixels[0]
        aside = _way(np.array((-down, across)))
        sides = (aside, (-aside[0], -aside[1]), *_SIDES)
    elif mark.form == "arrow":
        at, sides = pixels[-1], (_way(pixels[-1] - pixels[0]), *_SIDES)
    else:
        at, sides = pixels[0], _SIDES
    canvas.label((float(at[0]), float(at[1])), mark.text, color, size, gap, bold, plate, sides)


_SIDES = ((1, -1), (1, 0), (-1, -1), (-1, 0), (0, -1), (0, 1), (1, 1), (-1, 1))


def _way(along: FloatArray) -> tuple[int, int]:
    """Return the side for a label, as `LabelRoom.beside` takes it, in the direction of a vector of pixels."""
    across, down = float(along[0]), float(along[1])
    level = 0.4 * max(abs(across), abs(down))
    return (0 if abs(across) <= level else 1 if across > 0.0 else -1), (0 if abs(down) <= level else 1 if down > 0.0 else -1)


def _number(canvas: Canvas, place: Place, mark: Mark, named: set[str]) -> None:
    """Write the names of the corners of shape A or B outside next to them, if there is room and no mark names them."""
    if mark.text not in ("A", "B") or mark.form not in ("polygon", "path") or len(mark.points) > _MAX_NUMBERED:
        return
    pixels = canvas.camera.to_screen_array(place(np.array(mark.points, dtype=np.float64)))
    middle = pixels.mean(axis=0)
    for k, at in enumerate(pixels):
        across, down = _way(at - middle)
        name, color = f"{mark.text}{k}", word_color(mark.role)
        if name in named:
            continue
        gap = 4.0 + mark.radius * canvas.camera.scale / canvas.ui_scale
        outside = (across, down), (across, 0), (0, down), (-across, down), (across, -down)
        sides = (*outside, (-across or 1, 0), (-across, -down))  # rather inside than not at all
        for more in (0.0, _BESIDE_DOT):  # farther away if a mark's dot is at the corner
            if canvas.label((float(at[0]), float(at[1])), name, color, _NUMBER, gap + more, sides=sides):
                break
