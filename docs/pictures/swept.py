"""The linear sweep as clipping of a line."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GREEN, HERE, ORANGE, PURPLE, RED, arrow, chart, dot, draw, new, plane, separations
from engine.geometry import Polygon, Transform
from engine.query import swept_contact


def picture() -> Figure:
    a, b = Polygon.box(0.6, 0.8), Polygon([(-0.5, -0.4), (0.5, -0.4), (0.5, 0.3), (0.0, 0.7), (-0.5, 0.3)])
    start, velocity, t_max = Transform((-3.0, 0.55)), (2.0, -0.15), 5.0
    found = swept_contact(a, HERE, (0.0, 0.0), b, start, velocity, t_max)
    figure, (scene, lines) = new(rows=2, columns=1)
    draw(scene, a, color=BLUE, label="A")

    def at(t: float) -> Transform:
        return Transform((start.position[0] + t * velocity[0], start.position[1] + t * velocity[1]))

    for t, color, style, name in ((0.0, ORANGE, "-", "B at 0"), (found.t_first, RED, "-", "first"), (found.t_last, PURPLE, "--", "last")):
        draw(scene, b, at(t), color, 0.12, style)
        scene.text(*np.add(at(t).position, (0.0, 0.85)), f"{name}\n{t:.3f} s" if t else name, color=color, ha="center", fontsize=10)
    points = np.array(found.contact_set.points)
    scene.plot(*points.T, color="black", lw=4, zorder=4)
    for point in points:
        dot(scene, point)
    arrow(scene, points.mean(axis=0), 0.45 * np.array(found.normal), "black")
    arrow(scene, start.position, 0.6 * np.array(velocity), ORANGE)
    plane(scene, "B flies past; black: contact set and normal at the first touch", (-3.7, 2.3), (-0.95, 2.2))

    times = np.linspace(0.0, 2.6, 2)
    for shape, other, sign, color, style, name in ((a, b, 1.0, BLUE, "-", "A"), (b, a, -1.0, ORANGE, "--", "B")):
        both = (shape.vertices, start.apply_array(other.vertices)) if sign > 0.0 else (start.apply_array(shape.vertices), other.vertices)
        for edge, s0 in enumerate(separations(*both)):
            rate = sign * float(shape.normals[edge] @ velocity)
            lines.plot(times, s0 + rate * times, color=color, ls=style, lw=2, label=f"edges of {name}" if edge == 0 else "")
    lines.axhline(0.0, color="black", lw=0.8)
    lines.axvspan(found.t_first, found.t_last, color=GREEN, alpha=0.15, label="touching: all are below 0")
    lines.set(ylim=(-3.0, 2.2), xlim=(0.0, 2.6))
    lines.legend(fontsize=9, loc="upper right")
    chart(lines, "each edge's separation is linear in time", "s", "m")
    return figure
