"""Drawings of answers: the shapes, with our answer in green and Box2D's in orange, as in the window; and a close-up if it shows more.

The page puts the text next to the drawing, so it is legible on a small screen too. Our answer uses dots and solid lines, and Box2D's rings
and dashed lines, so they can be distinguished without color and where they overlap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from engine.compare.pair.answers import Answer, PairAnswers
from engine.compare.pair.file import Pair
from engine.compare.questions.answer import outline
from engine.compare.report.panel import Outline, Panel, middle_of, size_of
from engine.geometry import AnyShape, Circle, Segment, Sweep, Transform
from engine.report.charts import as_svg

__all__ = ["draw_answers", "moved_out", "pair_svgs"]

_WIDTH, _HEIGHT = 640, 420
"""Size of a picture, points, one per pixel."""

_RATIO = 12.0
"""Ratio of sizes above which the picture shows the smaller shape."""

_TRIED = 2.5
"""Maximum growth of the picture to include the moved B, as a share."""

_CLOSE = 0.1
"""Share of the picture below which a detail is drawn again, enlarged."""

_MIN_CLOSE = 1e-7
"""Share of the coordinates below which a difference is rounding, and is not drawn."""

_MOMENTS = np.linspace(0.0, 1.0, 9).tolist()
"""Poses of a motion that are drawn, those in between faintly."""

Colored = Sequence[tuple[Answer, str]]
"""Answers, each with its color."""


def pair_svgs(answers: PairAnswers, title: str) -> list[str]:
    """Return a drawing of a pair with both answers, and a close-up of the difference if it shows more."""
    pair, both = answers.pair, [(answers.ours, "ours")] + ([(answers.box2d, "box2d")] if answers.box2d is not None else [])
    seen = _seen(pair, both)
    panel, figure = _new_panel(seen)
    drawings = [_finished(panel, figure, pair, both, title, "")]
    focus = _focus(answers, both)
    if focus is not None and focus[1] < _CLOSE * panel.half:
        (x, y), half = focus
        drawings.append(_finished(*_new_panel([(x - half, y - half), (x + half, y + half)]), pair, both, title, "close"))
    return drawings


def _new_panel(seen: Outline) -> tuple[Panel, Figure]:
    figure = Figure(figsize=(_WIDTH / 72, _HEIGHT / 72), dpi=72)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    return Panel(axes, seen), figure


def _finished(panel: Panel, figure: Figure, pair: Pair, both: Colored, title: str, note: str) -> str:
    draw_answers(panel, pair, both)
    panel.legend(note)
    return as_svg(figure, f"{title}, {note}" if note else title)


# --- Contents


def _sides(pair: Pair) -> list[tuple[AnyShape, Sweep, str]]:
    """Return the shape, motion and color of A, and of B if there is one."""
    return [(pair.shape_a, pair.sweep_a, "a")] + ([(pair.shape_b, pair.sweep_b, "b")] if pair.shape_b is not None else [])


def _points_of(answer: Answer) -> Outline:
    return [*answer.points, *(answer.witnesses or ())]


def _others(pair: Pair) -> Outline:
    return [*(pair.ray or ()), *(() if pair.point is None else (pair.point,))]


def _seen(pair: Pair, both: Colored) -> Outline:
    """Return the points that must be visible: both shapes along their motions, or only the smaller one if the other is many times as
    large."""
    sides = _sides(pair)
    outlines = [outline(shape, sweep.start) for shape, sweep, _ in sides]
    small, large = min(outlines, key=size_of), max(outlines, key=size_of)
    is_small = size_of(large) > _RATIO * size_of(small)
    if pair.query == "toi":
        shown = [sides[outlines.index(small)]] if is_small else sides
        fractions = [0.0, 0.5, 1.0] if is_small else [*_MOMENTS, *(answer.fraction for answer, _ in both if answer.fraction is not None)]
        return [at for shape, sweep, _ in shown for fraction in fractions for at in outline(shape, sweep.at(fraction))]
    seen: Outline = [at for points in outlines for at in points]
    if is_small:
        (x, y), half = middle_of(small), 1.2 * size_of(small)
        seen = [(x - half, y - half), (x + half, y + half)]
    (x, y), reach = middle_of(seen), 2.0 * max(size_of(seen), 1e-9)
    others = [*(at for answer, _ in both for at in _points_of(answer)), *_others(pair)]
    seen = [*seen, *(at for at in others if max(abs(at[0] - x), abs(at[1] - y)) <= reach)]
    tried = [*seen, *(at for answer, _ in both for at in moved_out(pair, answer))]
    return tried if size_of(tried) <= _TRIED * size_of(seen) else seen


def moved_out(pair: Pair, answer: Answer) -> Outline:
    """Return the outline of B moved by the depth along the normal, where it should just touch A; nothing without a depth."""
    if pair.query not in ("manifold", "overlap") or answer.normal is None or pair.shape_b is None or answer.depth <= 0.0:
        return ()
    dx, dy = answer.depth * answer.normal[0], answer.depth * answer.normal[1]
    return [(x + dx, y + dy) for x, y in outline(pair.shape_b, pair.pose_b)]


def _focus(answers: PairAnswers, both: Colored) -> tuple[tuple[float, float], float] | None:
    """Return the center and half size of a close-up of the difference, or None if there is nothing to show."""
    pair = answers.pair
    points = [*(at for answer, _ in both for at in _points_of(answer)), *(() if pair.point is None else (pair.point,))]
    if pair.query == "toi" or not points:
        return None
    (x, y), spread = middle_of(points), size_of(points)
    lengths = [abs(gap) for answer, _ in both for gap in (*answer.separations, *(() if answer.distance is None else (answer.distance,)))]
    differs = max([spread, *lengths, answers.size if pair.query in ("contains", "ray_cast") else 0.0])
    if differs <= _MIN_CLOSE * (abs(x) + abs(y) + 1.0):
        return None
    return (x, y), max(0.9 * spread, 3.0 * max(lengths, default=0.0), 4.0 * differs if not lengths else 0.0)


# --- Drawing


def draw_answers(panel: Panel, pair: Pair, answers: Colored) -> None:
    """Draw a pair with answers, the first one on top."""
    sides, is_motion = _sides(pair), pair.query == "toi"
    for shape, sweep, color in sides:
        _draw_shape(panel, shape, sweep.start, color)
        for fraction in _MOMENTS[1:] if sweep.start != sweep.end else ():
            panel.closed(outline(shape, sweep.at(fraction)), color, 1.0, opacity=1.0 if fraction == 1.0 else 0.3)
    if pair.ray is not None:
        (start, end), length = pair.ray, math.dist(*pair.ray) * panel.scale
        panel.dot(start, "ink", 4.0)
        panel.closed(pair.ray, "ink", 1.5)
        if length > 4.0:
            panel.arrow(end, (end[0] - start[0], end[1] - start[1]), 0.0, "ink")
    for answer, color in reversed(answers):
        is_box2d = color == "box2d"
        for shape, sweep, _ in sides if is_motion and answer.fraction is not None else ():
            panel.closed(outline(shape, sweep.at(answer.fraction or 0.0)), color, 2.0 if is_box2d else 2.5, dashed=is_box2d)
        panel.closed(moved_out(pair, answer), color, 1.2, dashed=True)
        for line in (answer.witnesses or (), answer.points if len(answer.points) == 2 else ()):
            panel.closed(line, color, 2.0)
        for point in _points_of(answer):
            panel.mark(point, color)
        if answer.normal is not None and answer.points:
            panel.arrow(middle_of(answer.points), answer.normal, 80.0 if is_box2d else 62.0, color)
        if pair.point is not None:
            panel.ring(pair.point, color if answer.is_yes else "soft", 14.0 if is_box2d else 9.0, dashed=is_box2d)
    if pair.point is not None:
        panel.dot(pair.point, "ink", 3.0)
    outlines = [outline(shape, sweep.start) for shape, sweep, _ in sides]
    for corners, others, (*_, color) in zip(outlines, reversed(outlines), sides, strict=True):
        panel.name(corners, others if len(sides) > 1 else (), color)


def _draw_shape(panel: Panel, shape: AnyShape, pose: Transform, color: str) -> None:
    """Draw a shape at its pose; its rounding as a wide, faint line if it is visible, and the neighbors of an edge dashed."""
    corners, is_edge = outline(shape, pose), len(shape.core) == 2
    panel.closed(corners, color, 2.5 if is_edge else 1.5, fill=not is_edge)
    skin = 0.0 if isinstance(shape, Circle) else shape.radius * panel.scale
    if skin >= 1.5:
        panel.closed(corners, color, 2.0 * skin, opacity=0.22)
    for ghost, end in ((shape.ghost1, shape.p1), (shape.ghost2, shape.p2)) if isinstance(shape, Segment) else ():
        if ghost is not None:
            panel.closed((pose.apply(ghost), pose.apply(end)), color, 1.0, dashed=True)
