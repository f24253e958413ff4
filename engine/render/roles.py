"""Roles of the marks of a step, with their colors, widths and dashes; and the box shown by each view of an algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts.trace import Mark, Role, TraceStep, View
from engine.geometry.aabb import AABB
from engine.render import palette
from engine.render.palette import Color, Theme, mix

__all__ = ["ROLE_WORDS", "STYLES", "Style", "marks_of", "role_color", "view_box", "word_color"]


@dataclass(frozen=True, slots=True)
class Style:
    """Widths of lines and dots, design pixels; whether lines are dashed and dots hollow; opacity of fills."""

    width: float
    dot: float
    dashed: bool = False
    ring: bool = False
    fill: float = 0.0


STYLES: dict[Role, Style] = {
    "a": Style(1.5, 3.0, fill=0.22),
    "b": Style(1.5, 3.0, fill=0.22),
    "other": Style(1.25, 3.0),
    "looked_at": Style(3.0, 5.5, ring=True, fill=0.12),
    "best": Style(2.5, 4.5, fill=0.12),
    "kept": Style(2.0, 4.0, fill=0.14),
    "dropped": Style(1.5, 4.5, dashed=True, ring=True),
    "bound": Style(1.5, 3.5, dashed=True),
    "new": Style(2.5, 5.0, fill=0.16),
    "result": Style(3.5, 5.5, fill=0.2),
    "ghost": Style(1.0, 3.0, dashed=True, ring=True),
    "own": Style(3.0, 6.0, dashed=True, ring=True),
}
ROLE_WORDS: dict[Role, str] = {
    "looked_at": "current", "new": "new", "best": "best so far", "kept": "kept", "dropped": "dropped", "bound": "bound or axis",
    "result": "answer", "own": "yours",
}  # fmt: skip
"""Meaning of each color, in the order of the legend."""

_FAR_OUT = 3.0
"""Maximum distance of the picture's edge from the scenery, in sizes of the scenery, for marks far away."""


def role_color(role: Role, theme: Theme | None = None) -> Color:
    """Return the color of a role in a theme, by default the current one."""
    colors = theme or palette.theme()
    return {
        "a": colors.body_colors[0],
        "b": colors.body_colors[2],
        "other": mix(colors.caption, colors.text, 0.25),
        "looked_at": colors.normal,
        "best": colors.impulse,
        "kept": colors.text,
        "dropped": colors.unexplained,
        "bound": colors.point_remove,
        "new": colors.point_add,
        "result": colors.agree,
        "ghost": colors.caption,
        "own": colors.beside,
    }[role]


def word_color(role: Role, theme: Theme | None = None) -> Color:
    """Return the role's color, mixed with the text color so that it is readable."""
    colors = theme or palette.theme()
    color = role_color(role, colors)
    while palette.contrast(color, colors.background) < palette.WORDS_CONTRAST:
        color = mix(color, colors.text, 0.2)
    return color


def marks_of(marks: Iterable[Mark], view: View) -> list[Mark]:
    """Return the marks of one view."""
    return [mark for mark in marks if mark.view == view.name]


def view_box(view: View, scenery: Sequence[Mark], steps: Sequence[TraceStep]) -> AABB:
    """Return the box that a view shows: the scenery, and the marks of all steps that are not far away from it."""
    ground = _extent(marks_of(scenery, view), view.is_plane)
    extent = _extent([mark for step in steps for mark in marks_of(step.marks, view)], view.is_plane)
    both = [known for known in (ground, extent) if known is not None]
    if not both:
        return AABB((-1.0, -1.0), (1.0, 1.0))
    low, high = np.min([corners[0] for corners in both], axis=0), np.max([corners[1] for corners in both], axis=0)
    if ground is not None and view.is_plane:
        reach = _FAR_OUT * max(float((ground[1] - ground[0]).max()), 1e-9)
        low, high = np.maximum(low, ground[0] - reach), np.minimum(high, ground[1] + reach)
    size, scale = high - low, np.maximum(np.abs(low), np.abs(high))
    least = np.maximum(1e-9 * scale, 1e-12)
    if view.is_plane:
        least = np.maximum(least, 0.02 * size.max())
    else:
        least = np.where(size <= least, np.where(scale > 0.0, 0.5 * scale, 0.5), 0.0)
    room = np.maximum(0.5 * (least - size), 0.0) if view.is_plane else np.maximum(least, 0.07 * size)
    low, high = low - room, high + room
    if (high - low).max() <= 0.0:
        low, high = low - 0.5, high + 0.5
    return AABB((float(low[0]), float(low[1])), (float(high[0]), float(high[1])))


def _extent(marks: Sequence[Mark], is_plane: bool) -> tuple[FloatArray, FloatArray] | None:
    """Return the minimum and maximum coordinates of marks; infinite lines count only in plots, where they mark a height."""
    low, high = [], []
    for mark in marks:
        if mark.form != "line" or not is_plane:
            points = np.array(mark.points, dtype=np.float64)
            low.append(points.min(axis=0) - mark.radius)
            high.append(points.max(axis=0) + mark.radius)
    if not low:
        return None
    return np.min(low, axis=0), np.max(high, axis=0)
