"""EPA: the polytope grows to the nearest side."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, HERE, ORANGE, RED, SKY, arrow, difference_hull, dot, draw, new, plane
from engine import trace
from engine.geometry import Polygon, Transform


def picture() -> Figure:
    a, b, there = Polygon.regular(8, 1.0), Polygon.regular(5, 0.9), Transform((0.45, 0.3), 0.2)
    steps = trace.steps("epa", a, HERE, b, there)
    found, nearest = steps[-1].result, [step for step in steps if step.kind == "nearest edge"]
    last = len(nearest)
    figure, panels = new(rows=2, columns=3)
    first, *polytopes = panels.ravel()
    draw(first, a, color=BLUE, label="")
    draw(first, b, there, ORANGE)
    x, y = (p + found.depth * n for p, n in zip(there.position, found.normal, strict=True))
    draw(first, b, Transform((x, y), there.angle), GREEN, 0.0, "--")
    arrow(first, there.position, found.depth * np.array(found.normal), GREEN)
    dot(first, found.point_a, BLUE)
    dot(first, found.point_b, ORANGE)
    plane(first, f"A, B, and B after moving it by {found.depth:.3f} m")
    hull = Polygon(difference_hull(a, HERE, b, there))
    shown = [*range(1, last + 1)] if last <= 5 else [1, 2, 3, (last + 3) // 2, last]
    for panel, step in zip(polytopes, shown, strict=False):
        ring, near = (np.array(mark.points) for mark in nearest[step - 1].marks)
        draw(panel, hull, color=GRAY, alpha=0.1)
        panel.fill(*ring.T, facecolor=(*matplotlib.colors.to_rgb(SKY), 0.3), edgecolor=BLUE, lw=1.6)
        panel.plot(*near.T, color=RED, lw=3.5)
        panel.plot(0.0, 0.0, "k+", ms=11, mew=2)
        plane(panel, f"step {step}: {len(ring)} edges,\nnearest at {nearest[step - 1].bound:.3f} m")
    for panel in polytopes[len(shown) :]:
        panel.axis("off")
    figure.suptitle("B - A (gray), the polytope inside it (blue), and its edge nearest to the origin (red)", fontsize=11)
    return figure
