"""Discs and boxes: the opening chapter."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, RED, arrow, draw, new, plane
from engine.geometry import Circle, Polygon, Transform
from engine.narrowphase import simple


def picture() -> Figure:
    figure, panels = new(rows=2, columns=2)
    disc, circles, box, boxes = panels.ravel()
    rng = np.random.default_rng(4)
    radius = 0.9
    draw(disc, Circle(radius), color=BLUE)
    for point in rng.uniform(-1.5, 1.5, (60, 2)).tolist():
        inside = simple.point_in_circle(tuple(point), (0.0, 0.0), radius)
        disc.plot(*point, "o", color=GREEN if inside else GRAY, ms=5)
    arrow(disc, (0.0, 0.0), (radius * math.cos(0.6), radius * math.sin(0.6)), BLUE, "r")
    plane(disc, "point and circle: compare distance and radius", (-1.7, 1.7), (-1.6, 1.6))

    a, b, grown = (0.0, 0.0), (1.35, 0.5), 1.1
    for size, at, color, name in ((0.7, a, BLUE, "A"), (0.4, b, ORANGE, "B")):
        draw(circles, Circle(size), Transform(at), color)
        circles.text(at[0], at[1] - 0.25, name, color=color, ha="center", va="center", fontsize=13, weight="bold")  # beside the line
    draw(circles, Circle(grown), Transform(a), GREEN, 0.06, "--")
    circles.plot(*np.array([a, b]).T, color="black", lw=1)
    meets = simple.circles_overlap(a, 0.7, b, 0.4)
    assert meets == simple.point_in_circle(b, a, grown)
    apart = f"\nB shrinks to a point, A grows by B's radius: {math.dist(a, b):.2f} > {grown:.2f}" if not meets else ""
    plane(circles, f"two circles become a point and a larger circle{apart}", (-1.4, 2.1), (-1.4, 1.4))

    rectangle = simple.Rectangle((0.0, 0.0), 1.1, 0.6, 0.5)
    draw(box, Polygon.box(1.1, 0.6, angle=0.5), color=BLUE)
    for point in rng.uniform(-1.6, 1.6, (60, 2)).tolist():
        inside = simple.point_in_rectangle(tuple(point), rectangle)
        box.plot(*point, "o", color=GREEN if inside else GRAY, ms=5)
    for axis, size in zip(rectangle.axes(), (1.1, 0.6), strict=True):
        arrow(box, rectangle.center, size * np.array(axis), RED)
    plane(box, "point and rotated rectangle: one axis at a time", (-1.8, 1.8), (-1.6, 1.6))

    one, two = simple.Rectangle((-0.9, -0.3), 0.7, 0.5), simple.Rectangle((0.75, 0.35), 0.8, 0.35, 0.6)
    for r, color, name in ((one, BLUE, "A"), (two, ORANGE, "B")):
        draw(boxes, Polygon.box(r.half_width, r.half_height, r.center, r.angle), color=color, label=name)
    axis, level = np.array(one.axes()[0]), -1.25
    for r, color, sign in ((one, BLUE, 1.0), (two, ORANGE, -1.0)):
        reach = sum(h * abs(float(np.dot(u, axis))) for h, u in zip((r.half_width, r.half_height), r.axes(), strict=True))
        middle = float(np.dot(r.center, axis))
        boxes.plot([middle - reach, middle + reach], [level, level], color=color, lw=6, solid_capstyle="butt")
        boxes.plot([middle] * 2, [r.center[1], level], ":", color=color, lw=1)
        boxes.annotate("extent", (middle + 0.5 * sign * reach, level), xytext=(0, -14), textcoords="offset points", fontsize=9, ha="center")
    found = simple.rectangles_overlap(one, two)
    plane(boxes, "two rectangles: extents on one of four axes" + (", apart" if not found else ""), (-1.9, 1.9), (-1.7, 1.2))
    return figure
