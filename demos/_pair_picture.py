"""The picture of one pair: the shapes with their skins, our answer in green, Box2D's in orange, an outsider's in pink."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.compare.pair.file import Outsider, Pair
from engine.geometry import AABB, AnyShape, Circle, Segment, Transform
from engine.render import palette
from engine.render.fonts import ALL_SIDES
from engine.render.palette import Color, mix
from engine.render.rounded import rounded

if TYPE_CHECKING:
    from engine.compare.pair.answers import Answer, PairAnswers
    from engine.render.canvas import Canvas

__all__ = ["draw_pair", "pair_box"]


_FILL = 0.35
_GHOST = 0.5
_ARROW, _ARROW_SHARE = 64.0, 0.12
"""Design pixels of an arrow of a normal, and the share of the view that it takes at the most."""

Point = tuple[float, float]


def outline(shape: AnyShape, xf: Transform) -> FloatArray:
    """Return the rounded outline of a shape in the world, float64 (n, 2), counter-clockwise."""
    return xf.apply_array(rounded(shape.core, shape.radius))


def pair_box(pair: Pair) -> AABB:
    """Return the box around a pair and its motion, with room for the text below."""
    places: list[FloatArray] = []
    for shape, sweep in ((pair.shape_a, pair.sweep_a), (pair.shape_b, pair.sweep_b)):
        if shape is not None:
            places += [outline(shape, pose) for pose in (sweep.start, sweep.at(0.5), sweep.end)]
    for points in (pair.ray, None if pair.point is None else (pair.point,)):
        if points is not None:
            places.append(np.array(points))
    world = np.concatenate(places)
    (left, bottom), (right, top) = world.min(axis=0).tolist(), world.max(axis=0).tolist()
    room = max((0.2 if pair.query in ("manifold", "overlap") else 0.1) * max(right - left, top - bottom), 0.01)
    return AABB((left - room, bottom - room - 0.2 * (top - bottom)), (right + room, top + room))


def draw_pair(canvas: Canvas, pair: Pair, answers: PairAnswers | None, fraction: float, outsider: Outsider | None) -> None:
    """Draw a pair, a motion at `fraction`, and the answers where there are any."""
    moves = pair.query == "toi"
    sides = [(pair.shape_a, pair.sweep_a, palette.BODY_COLORS[0], "A")]
    if pair.shape_b is not None:
        sides.append((pair.shape_b, pair.sweep_b, palette.BODY_COLORS[2], "B"))
    for shape, sweep, color, _ in sides:
        _solid(canvas, shape, sweep.at(fraction) if moves else sweep.start, color)
    if moves:
        for shape, sweep, color, name in sides:
            stands = sweep.start == sweep.end
            for pose, when in ((sweep.start, "start"), (sweep.end, "end")):
                _ghost(canvas, shape, pose, mix(palette.BACKGROUND, color, _GHOST))
                if not (stands and when == "start"):
                    _handle(canvas, pose.apply(shape.centroid), color, f"{name} at rest" if stands else f"{name} {when}")
    for shape, sweep, color, name in () if moves else sides:
        middle = canvas.camera.to_screen(sweep.start.apply(shape.centroid))
        canvas.label(middle, name, mix(color, palette.TEXT, 0.4), 15.0, 8.0, bold=True, sides=((0, 0), *ALL_SIDES))
    if pair.ray is not None:
        start, end = pair.ray
        canvas.segment(start, end, palette.TEXT, 1.5)
        canvas.arrow(end, (end[0] - start[0], end[1] - start[1]), 1.0, palette.TEXT, 1.5)
        _handle(canvas, start, palette.TEXT, "start")
        _handle(canvas, end, palette.TEXT, "end")
    if pair.point is not None:
        canvas.point(pair.point, palette.TEXT, 3.0)
        canvas.point(pair.point, palette.TEXT, 8.0, ring=True)
    if answers is not None:
        _draw_answers(canvas, pair, answers)
    if outsider is not None:
        _draw_outsider(canvas, outsider)


def _draw_answers(canvas: Canvas, pair: Pair, answers: PairAnswers) -> None:
    both: list[tuple[Answer, Color]] = [(answers.ours, palette.AGREE)]
    if answers.box2d is not None:
        both.insert(0, (answers.box2d, palette.EXPLAINED))
    for answer, color in both:
        is_ours = color == palette.AGREE
        if pair.query == "toi" and answer.fraction is not None and pair.shape_b is not None:
            for shape, sweep in ((pair.shape_a, pair.sweep_a), (pair.shape_b, pair.sweep_b)):
                _ghost(canvas, shape, sweep.at(answer.fraction), color, 2.0 if is_ours else 1.0)
        if answer.witnesses is not None:
            a, b = answer.witnesses
            canvas.segment(a, b, color, 1.5)
            for point in (a, b):
                _mark(canvas, point, color, is_ours)
        if pair.query in ("manifold", "overlap") and answer.normal is not None and pair.shape_b is not None:
            _draw_way_out(canvas, pair.shape_b, pair.pose_b, answer, color)
        if len(answer.points) == 2:
            canvas.segment(*answer.points, color, 1.5)
        for point in answer.points:
            _mark(canvas, point, color, is_ours)
        if answer.normal is not None and answer.points:
            middle = np.mean(answer.points, axis=0).tolist()
            canvas.arrow((middle[0], middle[1]), answer.normal, (1.0 if is_ours else 1.25) * _arrow(canvas), color, 2.5)
    if pair.point is not None:
        for k, (answer, color) in enumerate(both):
            canvas.point(pair.point, color if answer.is_yes else palette.CAPTION, 12.0 + 5.0 * k, ring=True)


def _arrow(canvas: Canvas) -> float:
    """Return the design pixels of the arrow of our normal: shorter in a small view, so that it stays there."""
    return min(_ARROW, _ARROW_SHARE * min(canvas.camera.view[2:]) / canvas.ui_scale)


def _draw_way_out(canvas: Canvas, shape: AnyShape, pose: Transform, answer: Answer, color: Color) -> None:
    """Draw where B would just touch: moved along the normal by the depth."""
    if answer.depth <= 0.0 or answer.normal is None:
        return
    x, y = pose.position
    moved = Transform((x + answer.depth * answer.normal[0], y + answer.depth * answer.normal[1]), pose.angle)
    corners = outline(shape, moved).tolist()
    for k, (x1, y1) in enumerate(corners):
        x0, y0 = corners[k - 1]
        canvas.dashed((x0, y0), (x1, y1), mix(palette.BACKGROUND, color, 0.75), 5.0)


def _draw_outsider(canvas: Canvas, outsider: Outsider) -> None:
    """Draw what can be drawn of an answer that a pair file holds (docs/json.md)."""
    answer = outsider.answer if isinstance(outsider.answer, dict) else {}
    points = [at for at in (_as_point(point) for point in _as_list(answer.get("points"))) if at is not None]
    for point in points:
        canvas.point(point, palette.POINT_REMOVE, 6.0, ring=True)
        canvas.point(point, palette.POINT_REMOVE, 2.0)
    normal = _as_point(answer.get("normal"))
    if normal is not None and points:
        canvas.arrow(points[0], normal, 52.0, palette.POINT_REMOVE, 2.0)


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _as_point(value: object) -> Point | None:
    numbers = [float(item) for item in _as_list(value) if isinstance(item, int | float) and math.isfinite(item) and abs(item) < 1e9]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def _solid(canvas: Canvas, shape: AnyShape, pose: Transform, color: Color) -> None:
    core, radius = shape.core, shape.radius
    fill = mix(palette.BACKGROUND, color, _FILL)
    if isinstance(shape, Circle):
        canvas.circle(pose.apply(shape.center), radius, fill, color, 0.8, pose.angle)
        return
    world = pose.apply_array(core)
    if len(world) >= 3:
        canvas.polygon(world, fill, color, 0.8)
    elif radius > BOX2D_POLYGON_SKIN:
        canvas.polygon(outline(shape, pose), fill, color, 0.8)
    else:
        (x0, y0), (x1, y1) = world.tolist()
        canvas.segment((x0, y0), (x1, y1), color, 2.0)
    if 0.0 < radius <= BOX2D_POLYGON_SKIN:  # the skin
        _ghost(canvas, shape, pose, mix(palette.BACKGROUND, color, 0.7))
    if isinstance(shape, Segment):
        for ghost, end in ((shape.ghost1, shape.p1), (shape.ghost2, shape.p2)):
            if ghost is not None:
                canvas.dashed(pose.apply(ghost), pose.apply(end), mix(palette.BACKGROUND, color, 0.7))


def _ghost(canvas: Canvas, shape: AnyShape, pose: Transform, color: Color, width: float = 1.0) -> None:
    corners = outline(shape, pose).tolist()
    for k, (x1, y1) in enumerate(corners):
        x0, y0 = corners[k - 1]
        canvas.segment((x0, y0), (x1, y1), color, width)


def _mark(canvas: Canvas, point: Point, color: Color, is_ours: bool) -> None:
    """Draw our point as a dot, Box2D's as a ring around it: both are seen where they are one."""
    canvas.point(point, color, 3.5 if is_ours else 6.5, ring=not is_ours)


def _handle(canvas: Canvas, point: Point, color: Color, name: str) -> None:
    canvas.point(point, color, 5.0, ring=True)
    canvas.label(canvas.camera.to_screen(point), name, mix(palette.BACKGROUND, color, 0.8), 11.0, 10.0)
