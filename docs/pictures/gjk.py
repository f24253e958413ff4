"""GJK: the simplex reaches the point nearest to the origin."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, HERE, ORANGE, PURPLE, RED, SKY, chart, difference_hull, dot, draw, plane
from engine import trace
from engine.geometry import Polygon, Transform

GJK_A = Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)])


GJK_B = Polygon.regular(7, 0.9)


def picture() -> Figure:
    there = Transform((1.5, 2.0), 0.5)
    steps = trace.steps("gjk", GJK_A, HERE, GJK_B, there)
    found, supports = steps[-1].result, [step for step in steps if step.kind == "support"]
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.6, 1))
    shapes, bounds, minkowski = (figure.add_subplot(part) for part in (grid[0, 0], grid[1, 0], grid[:, 1]))
    draw(shapes, GJK_A, color=BLUE, label="A")
    draw(shapes, GJK_B, there, ORANGE, label="B")
    shapes.plot(*np.array([found.point_a, found.point_b]).T, color="black", lw=2)
    dot(shapes, found.point_a)
    dot(shapes, found.point_b, text=f"{found.separation:.3f} m", at=(-50, 4))
    plane(shapes, "nearest points")

    draw(minkowski, Polygon(difference_hull(GJK_A, HERE, GJK_B, there)), color=GRAY, alpha=0.12)
    colors = (SKY, ORANGE, PURPLE, GREEN, RED)
    for k, step in enumerate(supports):
        color = colors[min(k, len(colors) - 1)]
        corners = np.concatenate([mark.points for mark in step.marks if mark.form == "point" and mark.view == "difference"])
        minkowski.fill(*corners.T, facecolor=(*matplotlib.colors.to_rgb(color), 0.15), edgecolor=color, lw=1.6)
        v = step.values["|v|"] * np.array(step.axis)
        minkowski.plot([0.0, v[0]], [0.0, v[1]], "-", color=color, lw=2.2, label=f"step {k + 1}: |v| = {math.hypot(*v):.3f}")
        minkowski.plot(*corners[-1], "o", color=color, ms=8, mec="white", zorder=5)
    minkowski.plot(0.0, 0.0, "k+", ms=14, mew=2)
    minkowski.annotate("O", (0.0, 0.0), xytext=(-14, -12), textcoords="offset points", fontsize=11)
    minkowski.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.02), frameon=False)
    plane(minkowski, "B - A, the simplexes, and the vector v to each;\neach dot is the new support w")

    at = np.arange(1, len(supports) + 1)
    bounds.plot(at, [step.values["|v|"] for step in supports], "v-", color=RED, label="|v|: upper bound")
    bounds.plot(at, [step.bound for step in supports], "^-", color=BLUE, label="w.n: lower bound")
    bounds.axhline(found.separation, color=GRAY, ls="--", lw=1)
    bounds.set_xticks(at)
    bounds.legend(fontsize=9, loc="lower right")
    chart(bounds, "the two bounds converge", "step", "m")
    return figure
