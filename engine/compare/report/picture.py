"""A difference as SVG drawings: the shapes, our answer green, Box2D's orange, as in the window; and a close view where that shows more.

Words stand beside the drawing, so that they can be read on a small screen too. A dot
or a solid line is ours, a ring or a dashed line Box2D's: they differ without colors, and where they lie on each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.compare.pair.answers import Answer, PairAnswers
from engine.compare.pair.file import Pair, Point
from engine.compare.questions.answer import Sketch, outline
from engine.compare.report.view import Outline, View, middle_of, size_of

__all__ = ["pair_svgs", "sketch_svg"]

_RATIO = 12.0
"""Ratio of sizes above which the picture shows the smaller shape."""

_THIN = 30.0
"""Lengths to a width from which on a sketch is stretched."""

_TRIED = 2.5
"""Maximum growth of the picture to include the moved B, as a share."""

_CLOSE = 0.1
"""Share of the picture below which a detail is drawn again, enlarged."""

_MIN_CLOSE = 1e-7
"""Share of the coordinates below which a difference is rounding, and is not drawn."""

_MOMENTS = 9
"""Number of intermediate poses of a motion, drawn faintly."""


def pair_svgs(answers: PairAnswers, title: str) -> list[str]:
    """Return a drawing of a pair with both answers, and where it shows more a second one, close to where they differ."""
    pair = answers.pair
    sides = [(pair.shape_a, pair.sweep_a, "a")] + ([(pair.shape_b, pair.sweep_b, "b")] if pair.shape_b is not None else [])
    outlines = [outline(shape, sweep.start) for shape, sweep, _ in sides]
    both = [(answers.ours, "ours")] + ([(answers.box2d, "box2d")] if answers.box2d is not None else [])
    marks = [point for answer, _ in both for point in (*answer.points, *(answer.witnesses or ()))]
    if pair.query == "toi":
        seen = [
            at
            for shape, sweep, _ in sides
            for fraction in (
                *np.linspace(0.0, 1.0, _MOMENTS).tolist(),
                *(answer.fraction for answer, _ in both if answer.fraction is not None),
            )
            for at in outline(shape, sweep.at(fraction))
        ]
        small, large = sorted((size_of(outlines[0]), size_of(outlines[1])))
        if large > _RATIO * small:
            smaller = sides[0] if size_of(outlines[0]) == small else sides[1]
            seen = [at for fraction in (0.0, 0.5, 1.0) for at in outline(smaller[0], smaller[1].at(fraction))]
    else:
        seen = _worth_seeing(outlines, marks, pair)
        tried = [at for answer, _ in both for at in _moved_out(pair, answer)]
        if tried and size_of([*seen, *tried]) <= _TRIED * size_of(seen):
            seen = [*seen, *tried]
    views = [View(seen)]
    focus = _focus(answers, marks)
    if focus is not None and focus[1] < _CLOSE * views[0].half:
        views.append(View([(focus[0][0] + dx * focus[1], focus[0][1] + dx * focus[1]) for dx in (-1.0, 1.0)], "close"))
    return [_drawn(view, answers, both, title) for view in views]


def sketch_svg(sketch: Sketch, title: str) -> str:
    """Return the drawing of a question that is no pair; what is thin is laid flat, and stretched across."""
    sketch, note = _stretched(sketch)
    view = View(_all_of(sketch), note)
    for shape, color in zip(sketch.shapes, ("a", "b"), strict=False):
        view.closed(shape, color, 1.5, fill=True)
    for dot in sketch.dots:
        view.dot(dot, "ink", 3.0)
    for outlines, color in ((sketch.box2d, "box2d"), (sketch.ours, "ours")):
        is_ours = color == "ours"
        for corners in outlines:
            if len(corners) == 1:
                view.mark(corners[0], is_ours)
            else:
                view.closed(corners, color, 2.0 if is_ours else 3.5, dashed=not is_ours)
    return view.svg(title)


def _stretched(sketch: Sketch) -> tuple[Sketch, str]:
    """Return a thin sketch turned, its longest line along x, and stretched across by a power of ten; and what is to be said of it."""
    points = np.array(_all_of(sketch))
    middle = points.mean(axis=0)
    start = points[np.hypot(*(points - middle).T).argmax()]
    way = points[np.hypot(*(points - start).T).argmax()] - start
    length = float(np.hypot(*way))
    if length == 0.0:
        return sketch, ""
    along, across = way / length, np.array((-way[1], way[0])) / length
    high = float(np.ptp((points - middle) @ across))
    if high <= 0.0 or high >= length / _THIN:
        return sketch, ""
    factor = 10.0 ** math.floor(math.log10(0.7 * length / high))

    def mapped(corners: Outline) -> tuple[Point, ...]:
        away = np.array(corners).reshape(-1, 2) - middle
        return tuple((x, y) for x, y in zip((away @ along).tolist(), (factor * (away @ across)).tolist(), strict=True))

    parts = [tuple(mapped(part) for part in some) for some in (sketch.shapes, sketch.ours, sketch.box2d)]
    return Sketch(parts[0], mapped(sketch.dots), parts[1], parts[2], sketch.our_words, sketch.box2d_words), f"stretched {factor:,.0f} times"


def _all_of(sketch: Sketch) -> list[Point]:
    return [at for points in (*sketch.shapes, *sketch.ours, *sketch.box2d) for at in points] + list(sketch.dots)


def _worth_seeing(outlines: Sequence[Outline], marks: Sequence[Point], pair: Pair) -> list[Point]:
    """Return what the picture is to hold: both shapes, or the smaller one if the other is many times as large."""
    small, large = (min(outlines, key=size_of), max(outlines, key=size_of))
    if size_of(large) <= _RATIO * size_of(small):
        seen = [at for points in outlines for at in points]
    else:
        (x, y), half = middle_of(small), 1.2 * size_of(small)
        seen = [(x - half, y - half), (x + half, y + half)]
    middle, reach = middle_of(seen), 2.0 * max(size_of(seen), 1e-9)
    others = [*marks, *(pair.ray or ()), *(() if pair.point is None else (pair.point,))]
    return seen + [at for at in others if max(abs(at[0] - middle[0]), abs(at[1] - middle[1])) <= reach]


def _moved_out(pair: Pair, answer: Answer) -> Outline:
    """Return the outline of B where it should just touch A: moved by the depth along the normal; nothing where there is no depth."""
    if pair.query not in ("manifold", "overlap") or answer.normal is None or pair.shape_b is None or answer.depth <= 0.0:
        return ()
    dx, dy = answer.depth * answer.normal[0], answer.depth * answer.normal[1]
    return [(x + dx, y + dy) for x, y in outline(pair.shape_b, pair.pose_b)]


def _focus(answers: PairAnswers, marks: Sequence[Point]) -> tuple[Point, float] | None:
    """Return where the answers differ, and half of what is to be seen there; None where that is nothing."""
    pair, others = answers.pair, [answer for answer in (answers.ours, answers.box2d) if answer is not None]
    if pair.query == "toi":
        return None
    points = [*marks, *(() if pair.point is None else (pair.point,))]
    if not points:
        return None
    (x, y), spread = middle_of(points), size_of(points)
    lengths = [abs(gap) for answer in others for gap in (*answer.separations, *(() if answer.distance is None else (answer.distance,)))]
    differs = max([spread, *lengths, answers.size if pair.query in ("contains", "ray_cast") else 0.0])
    if differs <= _MIN_CLOSE * (abs(x) + abs(y) + 1.0):
        return None
    return (x, y), max(0.9 * spread, 3.0 * max(lengths, default=0.0), 4.0 * differs if not lengths else 0.0)


def _drawn(view: View, answers: PairAnswers, both: Sequence[tuple[Answer, str]], title: str) -> str:
    pair = answers.pair
    moving = [(pair.shape_a, pair.sweep_a, "a"), (pair.shape_b, pair.sweep_b, "b")] if pair.query == "toi" else []
    for shape, sweep, color in moving:
        assert shape is not None
        view.shape(shape, sweep.start, color, 1.5, True)
        for fraction in np.linspace(0.0, 1.0, _MOMENTS).tolist()[1:] if sweep.start != sweep.end else ():
            view.shape(shape, sweep.at(fraction), color, 1.0, False, 1.0 if fraction == 1.0 else 0.3)
    if not moving:
        for shape, pose, color in ((pair.shape_a, pair.pose_a, "a"), (pair.shape_b, pair.pose_b, "b")):
            if shape is not None:
                view.shape(shape, pose, color, 1.5, True)
                view.skin(shape, pose, color)
    if pair.ray is not None:
        view.arrow_line(*pair.ray)
    for answer, color in reversed(both):
        is_ours = color == "ours"
        for shape, sweep, _ in moving if answer.fraction is not None else ():
            assert shape is not None and answer.fraction is not None
            view.shape(shape, sweep.at(answer.fraction), color, 2.5 if is_ours else 2.0, False, 1.0, dashed=not is_ours)
        view.closed(_moved_out(pair, answer), color, 1.2, dashed=True)
        if answer.witnesses is not None:
            view.line(*answer.witnesses, color, 2.0)
        if len(answer.points) == 2:
            view.line(*answer.points, color, 2.0)
        for point in (*answer.points, *(answer.witnesses or ())):
            view.mark(point, is_ours)
        if answer.normal is not None and answer.points:
            view.arrow(middle_of(answer.points), answer.normal, 62.0 if is_ours else 80.0, color)
    if pair.point is not None:
        view.dot(pair.point, "ink", 3.0)
        for answer, color in both:
            view.ring(pair.point, color if answer.is_yes else "soft", 9.0 if color == "ours" else 14.0, dashed=color != "ours")
    outlines = [outline(pair.shape_a, pair.pose_a)]
    if pair.shape_b is not None:
        outlines.append(outline(pair.shape_b, pair.pose_b))
    for corners, others, color in zip(outlines, reversed(outlines), ("a", "b"), strict=False):
        view.name(corners, others if len(outlines) > 1 else (), color)
    return view.svg(title)
