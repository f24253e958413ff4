"""The point or the segment where two shapes touch."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, HERE, ORANGE, RED, arrow, dot, draw, new, plane
from engine.geometry import Capsule, Circle, Polygon, Transform
from engine.query import contact_set


def picture() -> Figure:
    box, rod = Polygon.box(0.5, 0.5), Capsule((-0.6, 0.0), (0.6, 0.0), 0.25)
    cases = (
        ("edge on edge", box, box, Transform((0.35, 1.0))),
        ("corner on edge", box, Polygon.regular(4, 0.5), Transform((0.2, 1.0))),
        ("corner on corner", box, box, Transform((1.0, 1.0))),
        ("capsule on a box", box, rod, Transform((0.4, 0.75))),
        ("circle on a corner", box, Circle(0.5), Transform((0.8, 0.9))),
        ("capsules end to end", rod, rod, Transform((1.7, 0.0))),
    )
    figure, panels = new(rows=2, columns=3)
    for panel, (title, a, b, there) in zip(panels.ravel(), cases, strict=True):
        found = contact_set(a, HERE, b, there)
        draw(panel, a, color=BLUE, label="A")
        draw(panel, b, there, ORANGE, label="B")
        points = np.array(found.points)
        panel.plot(*points.T, color=RED, lw=4, solid_capstyle="round", zorder=4)
        for point in points:
            dot(panel, point, RED)
        arrow(panel, points.mean(axis=0), 0.4 * np.array(found.normal), "black", width=1.6)
        tangent = np.array([-found.normal[1], found.normal[0]])
        panel.plot(*np.array([points.mean(axis=0) - 1.1 * tangent, points.mean(axis=0) + 1.1 * tangent]).T, ":", color=GRAY, lw=1)
        plane(panel, f"{title}: {'a point' if len(points) == 1 else 'a segment'}")
    return figure
