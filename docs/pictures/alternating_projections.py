"""Alternating projections between two moving shapes."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, HERE, ORANGE, PURPLE, RED, chart, dot, draw, new, plane
from engine import trace
from engine.contracts.trace import TraceStep
from engine.geometry import Segment, Transform
from engine.query import distance


def turns_between(ray: Segment, angle: float) -> list[TraceStep]:
    """Return the turns of the projections from a segment to the same one turned; each has its points of A and B."""
    return [step for step in trace.steps("alternating_projections", ray, HERE, ray, Transform((0.0, 0.0), angle)) if step.kind == "turn"]


def picture() -> Figure:
    figure, (left, right) = new()
    ray, angle = Segment((2.0, 0.0), (0.0, 0.0)), 0.6
    turned = Transform((0.0, 0.0), angle)
    draw(left, ray, color=BLUE)
    draw(left, ray, turned, ORANGE)
    path = [(2.0, 0.0)]
    for step in turns_between(ray, angle):
        path += [step.points[1], step.points[0]]
    left.plot(*np.array(path).T, "-", color="black", lw=1)
    for k, point in enumerate(path[:7]):
        below = k % 2 == 0
        name = "start" if k == 0 else f"b{(k - 1) // 2}" if not below else f"a{k // 2}"
        dot(left, point, BLUE if below else ORANGE, name, at=(-8, -16) if below else (-6, 9), size=6)
    plane(left, f"back and forth between two segments at {angle} rad\nthat touch at the left end", (-0.2, 2.3), (-0.25, 1.3))

    for angle, color in ((0.7, BLUE), (0.35, GREEN), (0.18, PURPLE), (0.01, RED)):
        left_over = np.array([math.hypot(*step.points[0]) for step in turns_between(ray, angle)[:60]])
        right.semilogy(np.arange(1, len(left_over) + 1), left_over, color=color, lw=2, label=f"{angle} rad")
        turns = np.arange(1, 61, 6)
        right.semilogy(turns, left_over[0] * math.cos(angle) ** (2.0 * (turns - 1)), "o", color=color, ms=4)
    right.plot([], [], "o", color=GRAY, ms=4, label="cos² law")
    steps = distance(ray, HERE, ray, Transform((0.0, 0.0), 0.01)).iterations
    right.axvline(steps, color="black", ls="--", lw=1.2, label=f"GJK at 0.01 rad needs {steps} steps")
    right.set_ylim(1e-8, 5.0)
    left.legend(*right.get_legend_handles_labels(), fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.08), frameon=False)
    chart(right, "error of A's point", "iteration", "m")
    return figure
