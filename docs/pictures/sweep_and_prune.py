"""Boxes and their intervals in order along an axis; what a sweep compares, and what the kept order saves, as scenes grow."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, chart, new, plane
from engine.broadphase import BruteForce, SweepAndPrune
from engine.broadphase._sweep_kernel import repaired_order


def picture() -> Figure:
    figure, (scene, growth) = new()
    rng = np.random.default_rng(4)
    n = 16
    at, half = np.column_stack((rng.uniform(0.0, 12.0, n), rng.uniform(0.6, 7.4, n))), rng.uniform(0.3, 0.9, (n, 2))
    boxes = np.column_stack((at - half, at + half))
    sweep = SweepAndPrune()
    pairs = sweep.pairs(boxes)
    assert np.array_equal(pairs, BruteForce().pairs(boxes))
    shown = sweep.sketch()
    assert shown.axes == (0,)
    beyonds = np.searchsorted(shown.lower[0], shown.upper[0], side="right")
    chosen = int(np.argmax(beyonds - np.arange(n)))
    beyond = int(beyonds[chosen])
    for k, (i, low, high) in enumerate(zip(shown.proxies[0], shown.lower[0], shown.upper[0], strict=True)):
        color = RED if k == chosen else GREEN if chosen < k < beyond else BLUE
        x0, y0, x1, y1 = boxes[i]
        scene.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fc=color, ec=color, alpha=0.25, lw=0))
        scene.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fc="none", ec=color, lw=1.4, zorder=3 if k == chosen else 2))
        height = -0.8 - 0.32 * k
        scene.plot([low, high], [height, height], color=color, lw=3, solid_capstyle="butt")
    red_low, red_high = shown.lower[0][chosen], shown.upper[0][chosen]
    for x in (red_low, red_high):
        scene.plot([x, x], [-0.8 - 0.32 * n, 8.2], color=RED, lw=0.8, ls=":")
    middle = 0.5 * (boxes[:, :2] + boxes[:, 2:])
    for i, j in pairs:
        scene.plot(*middle[[i, j]].T, color=ORANGE, lw=2)
    held = f"The red box is compared with the {beyond - chosen - 1} green ones"
    plane(scene, f"{len(pairs)} pairs (orange) of {n} boxes. Below: intervals in order.\n{held}")

    counts = [30, 100, 300, 1000, 3000, 10000]
    compared: dict[str, list[int]] = {"square": [], "column": []}
    found, steps = [], []
    for n in counts:
        for shape, (wide, high) in (("square", (math.sqrt(n), math.sqrt(n))), ("column", (5.0, n / 5.0))):
            center, half = rng.uniform((0.0, 0.0), (wide, high), (n, 2)), rng.uniform(0.2, 0.6, (n, 2))
            boxes = np.column_stack((center - half, center + half))
            sweep = SweepAndPrune()
            n_pairs = len(sweep.pairs(boxes))
            shown = sweep.sketch()
            ends = np.searchsorted(shown.lower[0], shown.upper[0], side="right")
            compared[shape].append(int((ends - np.arange(n) - 1).sum()))
            if shape == "square":
                found.append(n_pairs)
                moved = boxes + np.tile(rng.uniform(-0.01, 0.01, (n, 2)), 2)
                steps.append(repaired_order(moved, shown.proxies[0], shown.axes[0], 10**9)[1])
    growth.loglog(counts, [n * (n - 1) / 2 for n in counts], "s-", color=RED, label="compared by brute force")
    growth.loglog(counts, compared["square"], "o-", color=BLUE, label="compared by the sweep, square region")
    growth.loglog(counts, compared["column"], "v-", color=GREEN, label="compared by the sweep, narrow column")
    growth.loglog(counts, found, "^-", color=ORANGE, label="overlapping pairs, square region")
    growth.loglog(counts, np.maximum(steps, 1), "d--", color=PURPLE, label="insertion steps, all moved by up to 1 cm")
    growth.loglog(counts, counts, ":", color=GRAY, label="one per box")
    growth.legend(fontsize=8, loc="upper left")
    chart(growth, "work per frame, at constant density", "boxes", "comparisons, pairs, steps")
    return figure
