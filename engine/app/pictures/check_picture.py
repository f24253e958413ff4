"""The picture of one wrong answer: on the left what the function said, on the right what is right.

Both sides show the same pair, A blue and B orange. An answer with a normal and a depth is tried out: the dashed outline is B moved by the
depth along the normal, which should then just touch A.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import pygame

from engine.app.files.writing import png_bytes
from engine.check.kinds import KINDS
from engine.check.plain import PlainPair, PlainShape, Point, core_of, is_circle
from engine.check.trial import Finding
from engine.check.truth import is_in
from engine.common.errors import InvalidShapeError
from engine.geometry import convex_hull
from engine.render import palette
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.fonts import FontBook
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.check.verdicts import Reply

__all__ = ["draw_finding"]

SIZE = (1280, 740)
_SCALE = 1.6
"""Of words and lines: the picture is looked at small."""
_TOP, _FOOT, _GAP = 142, 140, 8
"""Pixels above, below and between the two views."""
_A, _B = palette.BODY_COLORS[0], (230, 159, 60)
_ROUND = 96
"""Corners of a circle's outline."""


def draw_finding(finding: Finding, function: str) -> bytes:
    """Return the picture as the content of a PNG file."""
    surface = pygame.Surface(SIZE)
    surface.fill(palette.BACKGROUND)
    fonts = FontBook(_SCALE)
    width = (SIZE[0] - _GAP) // 2
    views = [(left, _TOP, width, SIZE[1] - _TOP - _FOOT) for left in (0, width + _GAP)]
    pair, reply, right = finding.shown.pair, finding.shown.reply, finding.right
    theirs = _vector(reply.keys.get("normal"))
    # where an answer is tried out, B must be in the picture too, unless it flies away
    moves = [_moved(pair.b, right.normal, -right.separation)] if right.separation < 0.0 else []
    theirs_moved = _moved(pair.b, theirs, reply.keys["depth"]) if theirs is not None and "depth" in reply.keys else None
    size = _extent([*_outline(pair.a), *_outline(pair.b)])
    if theirs_moved is not None and _extent([*_outline(pair.a), *_outline(theirs_moved)]) < 2.5 * size:
        moves.append(theirs_moved)
    points = [(point[0], point[1]) for point in _points_of(reply)]
    seen = [*_outline(pair.a), *_outline(pair.b), *(corner for one in moves for corner in _outline(one))]
    seen += [point for point in points if _extent([*seen, point]) < 2.5 * size]

    title = Canvas(surface, Camera(view=(0, 0, *SIZE)), fonts)
    title.text_px((20, 10), KINDS[finding.kind].name, palette.TEXT, 17.0, bold=True)
    title.text_px((SIZE[0] - 20, 16), function, palette.CAPTION, 12.0, "topright")
    for k, line in enumerate(fonts.wrapped(KINDS[finding.kind].hint, 11.0, SIZE[0] - 40)[:2]):
        title.text_px((20, 46 + round(15.0 * _SCALE) * k), line, palette.CAPTION, 11.0)
    _panel(surface, fonts, views[0], "your answer", palette.UNEXPLAINED, seen)
    _panel(surface, fonts, views[1], "right answer", palette.AGREE, seen)

    left = Canvas(surface, _camera(views[0], seen), fonts)
    surface.set_clip(views[0])
    _shapes(left, pair)
    anchor = _anchor(pair, points or list(right.points))
    if theirs_moved is not None and reply.said == "answer":
        _dashed(left, theirs_moved, palette.UNEXPLAINED)
    if "point_a" in reply.keys and "point_b" in reply.keys:
        _span(left, (points[-2], points[-1]), palette.UNEXPLAINED)
    if theirs is not None:
        _arrow(left, anchor, theirs, palette.UNEXPLAINED)
    for point in points:
        left.point(point, palette.UNEXPLAINED, 4.5)
        left.point(point, palette.TEXT, 4.5, ring=True)
    _names(left, pair)

    truth = Canvas(surface, _camera(views[1], seen), fonts)
    surface.set_clip(views[1])
    _shapes(truth, pair)
    if right.separation < 0.0:
        truth.polygon(_common(pair), mix(palette.AGREE, palette.BACKGROUND, 0.35), None, 0.8)
        _dashed(truth, moves[0], palette.AGREE)
        _arrow(truth, _anchor(pair, list(right.points)), right.normal, palette.AGREE)
        for point in right.points:
            truth.point(point, palette.AGREE, 4.5)
            truth.point(point, palette.TEXT, 4.5, ring=True)
    elif right.nearest is not None and "distance" in reply.keys:
        _span(truth, right.nearest, palette.AGREE)
    elif right.separation > 0.0:
        _parting_line(truth, pair, right.normal, size)
    _names(truth, pair)
    surface.set_clip(None)

    _words(surface, fonts, views[0], _their_words(finding), theirs_moved is not None)
    _words(surface, fonts, views[1], _right_words(finding), bool(moves) and right.separation < 0.0)
    return png_bytes(surface)


def _panel(
    surface: pygame.Surface, fonts: FontBook, view: tuple[int, int, int, int], name: str, color: Color, seen: Sequence[Point]
) -> None:
    left, top, width, height = view
    pygame.draw.rect(surface, palette.PANEL_EDGE, (left, top - 40, width, height + 40), 1)
    pygame.draw.rect(surface, mix(color, palette.BACKGROUND, 0.7), (left, top - 40, width, 40))
    Canvas(surface, _camera(view, seen), fonts).text_px((left + 16, top - 36), name, color, 13.5, bold=True)


def _camera(view: tuple[int, int, int, int], seen: Sequence[Point]) -> Camera:
    xs, ys = [x for x, _ in seen], [y for _, y in seen]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    scale = min((view[2] - 90) / max(wide, 1e-3 * high), (view[3] - 90) / max(high, 1e-3 * wide))
    return Camera((0.5 * (min(xs) + max(xs)), 0.5 * (min(ys) + max(ys))), scale, view)


def _shapes(canvas: Canvas, pair: PlainPair) -> None:
    for shape, color in ((pair.a, _A), (pair.b, _B)):
        canvas.polygon(_outline(shape), mix(color, palette.BACKGROUND, 0.45), color, 0.75)
        corners = core_of(shape)[0]
        if not is_circle(shape):
            for corner in corners:
                canvas.point(corner, color, 2.5)
    for shape, color in ((pair.a, _A), (pair.b, _B)):  # B must not hide A's outline
        canvas.polygon(_outline(shape), None, color)


def _span(canvas: Canvas, ends: tuple[Point, Point], color: Color) -> None:
    """Draw what a distance was measured between."""
    canvas.segment(*ends, color, 2.0)
    for end in ends:
        canvas.point(end, color, 4.5)
        canvas.point(end, palette.TEXT, 4.5, ring=True)


def _arrow(canvas: Canvas, start: Point, direction: Point, color: Color) -> None:
    """Draw a normal, of one length on the screen whatever its own."""
    length, pixel = math.hypot(*direction), 1.0 / canvas.camera.scale
    ux, uy = direction[0] / length, direction[1] / length
    neck = (start[0] + 84.0 * pixel * ux, start[1] + 84.0 * pixel * uy)
    canvas.segment(start, neck, color, 2.6)
    wings = [(neck[0] - side * 10.0 * pixel * uy, neck[1] + side * 10.0 * pixel * ux) for side in (1.0, -1.0)]
    canvas.polygon([(neck[0] + 22.0 * pixel * ux, neck[1] + 22.0 * pixel * uy), *wings], color)


def _names(canvas: Canvas, pair: PlainPair) -> None:
    for shape, other, name, color in ((pair.a, pair.b, "A", _A), (pair.b, pair.a, "B", _B)):
        canvas.text(_place_of_name(shape, other), name, mix(color, (255, 255, 255), 0.45), 17.0, bold=True)


def _place_of_name(shape: PlainShape, other: PlainShape) -> Point:
    """Return a place well inside a shape, if there is one outside of the other."""
    (x, y), ring = _middle(shape), _outline(shape)
    margin = Fraction(0.05 * _extent(ring))
    # the middle, and points on the way from it to the outline
    places = [(x + share * (px - x), y + share * (py - y)) for share in (0.0, 0.25, 0.4, 0.5, 0.6, 0.7) for px, py in ring]
    inside = [place for place in places if is_in(shape, place, Fraction(0))]
    roomy = [place for place in inside if not is_in(other, place, margin)]
    return (roomy or inside or [(x, y)])[0]


def _dashed(canvas: Canvas, shape: PlainShape, color: Color) -> None:
    ring = _outline(shape)
    for start, end in zip(ring, ring[1:] + ring[:1], strict=True):
        if is_circle(shape):
            if ring.index(start) % 4 < 2:
                canvas.segment(start, end, color, 1.4)
        else:
            canvas.dashed(start, end, color, 5.0, 1.4)


def _parting_line(canvas: Canvas, pair: PlainPair, normal: Point, size: float) -> None:
    """Draw a line between two shapes that are apart."""
    nx, ny = normal
    (core_a, radius_a), (core_b, radius_b) = core_of(pair.a), core_of(pair.b)
    high = max(nx * x + ny * y for x, y in core_a) + radius_a
    low = min(nx * x + ny * y for x, y in core_b) - radius_b
    mx, my = 0.5 * (_middle(pair.a)[0] + _middle(pair.b)[0]), 0.5 * (_middle(pair.a)[1] + _middle(pair.b)[1])
    back = 0.5 * (high + low) - (nx * mx + ny * my)
    x, y = mx + back * nx, my + back * ny
    canvas.dashed((x - size * ny, y + size * nx), (x + size * ny, y - size * nx), palette.AGREE, 8.0, 2.0)


def _words(
    surface: pygame.Surface, fonts: FontBook, view: tuple[int, int, int, int], lines: Sequence[tuple[str, Color]], is_tried: bool
) -> None:
    canvas = Canvas(surface, Camera(view=view), fonts)
    top = view[1] + view[3] + 8
    for text, color in [*lines, *([("dashed: B moved by the depth along the normal", palette.CAPTION)] if is_tried else [])]:
        size = 13.0 if color != palette.CAPTION else 11.5
        for line in fonts.wrapped(text, size, view[2] - 32):
            if top < SIZE[1] - 22:
                canvas.text_px((view[0] + 16, top), line, color, size)
                top += round((size + 5.0) * _SCALE)


def _their_words(finding: Finding) -> list[tuple[str, Color]]:
    reply = finding.shown.reply
    if reply.said != "answer":
        return [(finding.shown.fault.message, palette.UNEXPLAINED)]
    said = "contact" if reply.contact else "no contact"
    if "distance" in reply.keys:
        said = f"distance {reply.keys['distance']:.4g} m"
    parts = [said]
    if "normal" in reply.keys:
        parts.append("normal ({:.4g}, {:.4g})".format(*(value + 0.0 for value in reply.keys["normal"])))
    if "depth" in reply.keys:
        parts.append(f"depth {reply.keys['depth']:.4g} m")
    if "points" in reply.keys:
        n_points = len(reply.keys["points"])
        parts.append(f"{n_points} point{'s' * (n_points != 1)}")
    lines: list[tuple[str, Color]] = [(", ".join(parts), palette.UNEXPLAINED)]
    if finding.kind in ("wrong_points", "wrong_normal", "not_repeatable"):
        lines.append((finding.shown.fault.message, palette.CAPTION))
    return lines


def _right_words(finding: Finding) -> list[tuple[str, Color]]:
    right = finding.right
    if right.separation > 0.0:
        is_distance = "distance" in finding.shown.reply.keys
        told = f"distance {right.separation:.4g} m" if is_distance else f"no contact, gap {right.separation:.4g} m"
    else:
        told = f"contact, normal ({right.normal[0]:.4g}, {right.normal[1]:.4g}), depth {-right.separation:.4g} m"
    return [(told, palette.AGREE), (f"Box2D: {right.box2d}", palette.CAPTION)]


def _points_of(reply: Reply) -> list[Sequence[float]]:
    return [*reply.keys.get("points", []), *(reply.keys[name] for name in ("point_a", "point_b") if name in reply.keys)]


def _anchor(pair: PlainPair, points: Sequence[Sequence[float]]) -> Point:
    """Return where a normal is drawn from: the middle of the points, or of what both shapes have in common."""
    found = points or _common(pair) or [_middle(pair.a), _middle(pair.b)]
    return sum(point[0] for point in found) / len(found), sum(point[1] for point in found) / len(found)


def _common(pair: PlainPair) -> list[Point]:
    """Return the corners of what lies in both shapes, by cutting A along the edges of B (Sutherland and Hodgman)."""
    ring, other = _outline(pair.a), _outline(pair.b)
    for (px, py), (qx, qy) in zip(other, other[1:] + other[:1], strict=True):
        inside = [(qx - px) * (y - py) - (qy - py) * (x - px) for x, y in ring]
        cut: list[Point] = []
        for k, (x, y) in enumerate(ring):
            x0, y0 = ring[k - 1]
            if inside[k] * inside[k - 1] < 0.0:
                share = inside[k - 1] / (inside[k - 1] - inside[k])
                cut.append((x0 + share * (x - x0), y0 + share * (y - y0)))
            if inside[k] >= 0.0:
                cut.append((x, y))
        ring = cut
    try:
        return [(float(x), float(y)) for x, y in convex_hull(ring)] if len(ring) > 2 else []
    except InvalidShapeError:
        return []


def _outline(shape: PlainShape) -> list[Point]:
    corners, radius = core_of(shape)
    if not is_circle(shape):
        return list(corners)
    (x, y) = corners[0]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in (2.0 * math.pi * k / _ROUND for k in range(_ROUND))]


def _moved(shape: PlainShape, direction: Point, by: float) -> PlainShape:
    dx, dy = by * direction[0], by * direction[1]
    corners, radius = core_of(shape)
    moved = tuple((x + dx, y + dy) for x, y in corners)
    return (*moved[0], radius) if is_circle(shape) else moved


def _vector(normal: Sequence[float] | None) -> Point | None:
    return None if normal is None or not any(normal) else (normal[0], normal[1])


def _middle(shape: PlainShape) -> Point:
    corners = core_of(shape)[0]
    return sum(x for x, _ in corners) / len(corners), sum(y for _, y in corners) / len(corners)


def _extent(points: Sequence[Point]) -> float:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return max(max(xs) - min(xs), max(ys) - min(ys))
