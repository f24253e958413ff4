"""Quickhull, round by round."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GREEN, GREY, ORANGE, SKY, dot, draw, new, plane
from engine.geometry import Polygon, convex_hull
from engine.geometry.hull import HullStep


def rounds(trace: list[HullStep]) -> list[list[HullStep]]:
    """Return the tasks of quickhull round by round: those of the line from left to right first, then their halves, and theirs."""
    at = {(*step.p, *step.q): step for step in trace}
    ends = np.array([end for step in trace for end in (step.p, step.q)])
    low, high = ends[np.lexsort(ends.T[::-1])][[0, -1]]
    rows = [[at[(*low, *high)], at[(*high, *low)]]]
    while any(step.far is not None for step in rows[-1]):
        rows.append([half for s in rows[-1] for half in ((s,) if s.far is None else (at[(*s.p, *s.far)], at[(*s.far, *s.q)]))])
    return rows


def picture() -> Figure:
    cloud = np.random.default_rng(5).normal(size=(70, 2)) * (1.3, 1.0)
    trace: list[HullStep] = []
    hull = convex_hull(cloud, trace)
    steps = rounds(trace)
    figure, panels = new(rows=2, columns=2)
    titles = ("the line from left to right", "the farthest on each side", "the farthest of each new edge", "and so on: the hull")
    for k, (panel, title) in enumerate(zip(panels.ravel(), titles, strict=True)):
        if title.startswith("and"):
            draw(panel, Polygon(hull), color=GREEN, alpha=0.12)
            inside = cloud
            for corner in hull:
                dot(panel, corner, GREEN, size=6)
        else:
            tasks = steps[k]
            ring = [task.p for task in tasks]
            panel.fill(*np.array(ring).T, facecolor=(*matplotlib.colors.to_rgb(SKY), 0.25), edgecolor=BLUE, lw=1.6)
            inside = cloud
            outside = np.concatenate([task.outside for task in tasks])
            panel.plot(*outside.T, ".", color=ORANGE, ms=7, zorder=4)
            for task in tasks:
                dot(panel, task.p, BLUE, size=7)
            panel.set_xlabel(f"{len(outside)} of {len(cloud)} points still outside")
        panel.plot(*inside.T, ".", color=GREY, ms=4)
        plane(panel, title, (-3.3, 3.3), (-2.3, 2.0))
    panels[1, 1].set_xlabel(f"{len(hull)} vertices")
    return figure
