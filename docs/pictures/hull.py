"""Quickhull, round by round."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, SKY, dot, draw, new, plane
from engine import trace
from engine.contracts.trace import Point, TraceStep
from engine.geometry import Polygon


def rounds(steps: list[TraceStep]) -> list[list[TraceStep]]:
    """Return the tasks of quickhull round by round: those of the line from left to right first, then their halves, and theirs."""
    low, high = steps[0].points
    at = {step.points[:2]: step for step in steps[1:-1]}
    rows = [[at[low, high], at[high, low]]]
    while any(step.kind == "farthest" for step in rows[-1]):
        rows.append([at[half] for step in rows[-1] for half in _halves(step)])
    return rows


def _halves(step: TraceStep) -> tuple[tuple[Point, Point], ...]:
    if step.kind == "edge":
        return (step.points[:2],)
    p, q, far = step.points
    return (p, far), (far, q)


def outside(task: TraceStep) -> list[Point]:
    """Return the points beyond the line of a task."""
    return [point for mark in task.marks if (mark.form, mark.role) == ("point", "looked_at") for point in mark.points]


def picture() -> Figure:
    cloud = np.random.default_rng(5).normal(size=(70, 2)) * (1.3, 1.0)
    found = trace.steps("quickhull", cloud)
    hull, steps = found[-1].result, rounds(found)
    figure, panels = new(rows=2, columns=2)
    titles = ("leftmost to rightmost point", "farthest point on each side", "farthest point of each new edge", "the finished hull")
    for k, (panel, title) in enumerate(zip(panels.ravel(), titles, strict=True)):
        if title.startswith("and"):
            draw(panel, Polygon(hull), color=GREEN, alpha=0.12)
            inside = cloud
            for corner in hull:
                dot(panel, corner, GREEN, size=6)
        else:
            tasks = steps[k]
            ring = [task.points[0] for task in tasks]
            panel.fill(*np.array(ring).T, facecolor=(*matplotlib.colors.to_rgb(SKY), 0.25), edgecolor=BLUE, lw=1.6)
            inside = cloud
            beyond = [point for task in tasks for point in outside(task)]
            panel.plot(*np.array(beyond).T, ".", color=ORANGE, ms=7, zorder=4)
            for task in tasks:
                dot(panel, task.points[0], BLUE, size=7)
            panel.set_xlabel(f"{len(beyond)} of {len(cloud)} points still outside")
        panel.plot(*inside.T, ".", color=GRAY, ms=4)
        plane(panel, title, (-3.3, 3.3), (-2.3, 2.0))
    panels[1, 1].set_xlabel(f"{len(hull)} vertices")
    return figure
