"""Three ways to the time of impact."""

from __future__ import annotations

import math

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, chart, draw, plane
from engine.common.events import recording
from engine.continuous._motion_kernel import ImpactGap
from engine.continuous.time_of_impact import METHODS
from engine.geometry import Circle, Polygon, Sweep, Transform
from engine.query import distance, time_of_impact


def picture() -> Figure:
    blade, disc = Polygon.box(2.0, 0.05), Circle(0.2)
    turning = Sweep(Transform((0.0, 0.0), -1.0), Transform((0.0, 0.0), 1.0))
    resting = Sweep(Transform((1.5, 0.15)), Transform((1.5, 0.15)))
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.25))
    scene, curve, digits = (figure.add_subplot(part) for part in (grid[:, 0], grid[0, 1], grid[1, 1]))
    traces = {}
    for method in METHODS:
        with recording() as events:
            found = time_of_impact(blade, turning, disc, resting, method=method)
        traces[method] = (np.array([(event.t, event.gap - disc.radius) for event in events if isinstance(event, ImpactGap)]), found)
    rows, found = traces["advancement"]
    for k, (t, _) in enumerate(rows):
        draw(scene, blade, turning.at(float(t)), RED if k == len(rows) - 1 else BLUE, 0.05 + 0.1 * (k == len(rows) - 1))
    draw(scene, blade, turning.at(1.0), GRAY, 0.0, ":")
    draw(scene, disc, resting.start, ORANGE, 0.5)
    plane(scene, f"conservative advancement:\ntouch at t = {found.fraction:.4f}, {len(rows)} poses", (-0.4, 2.3), (-2.0, 2.0))
    scene.text(0.15, 1.75, "dotted: the blade's final pose,\napart again", fontsize=9, color=GRAY)

    times = np.linspace(0.0, 1.0, 401)
    gaps = []
    for t in times:
        apart = distance(blade, turning.at(float(t)), disc, resting.start)
        gaps.append(apart.separation if apart.normal is not None else math.nan)
    curve.plot(times, gaps, color=GRAY, lw=1.5, label="gap, by GJK")
    curve.axhline(0.0, color="black", lw=0.8)
    for name, color, mark in (("bisection", PURPLE, "x"), ("bilateral", GREEN, "s"), ("advancement", RED, "o")):
        rows, found = traces[name]
        near = rows[:, 1] < 1.0
        curve.plot(rows[near, 0], rows[near, 1], mark, color=color, ms=6, mfc="none", label=f"{name}: {found.iterations} measurements")
    curve.legend(fontsize=8, loc="upper right")
    curve.set_ylim(-0.3, 2.0)
    chart(curve, "where each method measures the gap", "t", "gap, m")
    for name, color, mark in (("bisection", PURPLE, "x"), ("bilateral", GREEN, "s"), ("advancement", RED, "o")):
        rows, _ = traces[name]
        if name == "bisection":
            rows = rows[rows[:, 1] > 0.0]
        digits.semilogy(np.arange(1, len(rows) + 1), np.maximum(rows[:, 1], 1e-12), mark + "-", color=color, ms=5, lw=1)
    chart(digits, "remaining gap at each step (for bisection: at its probes)", "step", "m")
    return figure
