"""Rays against each kind of shape."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, arrow, chart, dot, draw, new, plane
from engine.geometry import Capsule, Circle, Polygon, Transform
from engine.query import ray_cast


def picture() -> Figure:
    figure, (scene, intervals) = new()
    shapes = (
        (Polygon.regular(6, 0.7), Transform((0.0, 1.9), 0.2), BLUE),
        (Capsule((-0.6, -0.2), (0.6, 0.2), 0.3), Transform((0.3, 0.2)), GREEN),
        (Circle(0.55), Transform((-0.3, -1.4)), PURPLE),
    )
    for shape, xf, color in shapes:
        draw(scene, shape, xf, color)
    for height in np.linspace(-2.2, 2.8, 15):
        origin, way = (-2.0, float(height)), (4.2, -0.35)
        hits = [ray_cast(shape, xf, origin, way) for shape, xf, _ in shapes]
        first = min(hits, key=lambda hit: hit.fraction)
        share = min(first.fraction, 1.0)
        end = np.add(origin, share * np.array(way))
        scene.plot(*np.array([origin, end]).T, color=GRAY, lw=0.9)
        if first.normal is not None:
            dot(scene, first.point, RED, size=5)
            arrow(scene, first.point, 0.3 * np.array(first.normal), RED, width=1.2)
    plane(scene, "first hits and their normals")

    shape, xf = shapes[0][:2]
    placed = Polygon(xf.apply_array(shape.vertices))
    origin, way = np.array((-2.0, 2.3)), np.array((4.2, -0.35))
    hit = ray_cast(shape, xf, tuple(origin), tuple(way))
    for edge in range(6):
        in_front = float(placed.normals[edge] @ (origin - placed.vertices[edge]))
        rate = float(placed.normals[edge] @ way)
        t = -in_front / rate
        color = BLUE if rate < 0.0 else ORANGE
        low, high = (t, 1.6) if rate < 0.0 else (-0.6, t)
        intervals.plot([max(low, -0.6), min(high, 1.6)], [edge, edge], color=color, lw=7, solid_capstyle="butt", alpha=0.8)
        text, side, shift = ("enters", "right", -5) if rate < 0.0 else ("leaves", "left", 5)
        intervals.annotate(text, (t, edge), xytext=(shift, 0), textcoords="offset points", ha=side, va="center", fontsize=9)
    intervals.axvline(hit.fraction, color=RED, lw=2, label=f"last entry = the hit, {hit.fraction:.3f}")
    intervals.set(xlim=(-0.6, 1.6), ylim=(-0.6, 6.2))
    intervals.set_yticks(range(6), [f"edge {edge}" for edge in range(6)])
    intervals.legend(fontsize=9, loc="upper left")
    chart(intervals, "hexagon: part of the ray inside each half-plane", "fraction of the ray", "")
    return figure
