"""Pairs side by side in vector registers."""

from __future__ import annotations

import time

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.kit import GRAY, GREEN, PURPLE, SKY, chart, separations
from engine.compare.cases import random_shapes
from engine.geometry import Polygon
from engine.query import batch


def picture() -> Figure:
    rng = np.random.default_rng(12)
    n, slots = 64, 8
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.3, 1))
    table, classes, cost = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, 0]), figure.add_subplot(grid[1, 1])

    # one row of scratch for each edge of A, one column for each pair; a polygon of fewer corners repeats its last one
    rows, sizes = np.empty((slots, n)), rng.integers(5, slots + 1, n)
    for lane in range(n):
        a = Polygon.regular(int(sizes[lane]), 1.0, float(rng.uniform(0.0, 6.0)))
        b = Polygon.regular(int(rng.integers(5, slots + 1)), 1.0, float(rng.uniform(0.0, 6.0)))
        of_a = separations(a.vertices, b.vertices + rng.uniform(-1.6, 1.6, 2))
        rows[:, lane] = of_a[np.minimum(np.arange(slots), len(of_a) - 1)]
    shades = table.imshow(rows, aspect="auto", cmap="RdBu", vmin=-3.0, vmax=3.0, interpolation="nearest")
    table.plot(range(n), rows.argmax(axis=0), ".", color="black", ms=5, label="the greatest; the first of equal values, so never a copy")
    copies = [(lane, slot) for lane in range(n) for slot in range(int(sizes[lane]), slots)]
    table.plot(*np.array(copies).T, "x", color=GRAY, ms=4, label="copy of the last edge")
    table.set_yticks(range(slots), [f"edge {k}" for k in range(slots)])
    table.set_xlabel("lane (one pair each, 64 in all); each step of the test processes one row")
    table.set_title("edge separations of 64 polygons, as stored by the kernel", fontsize=11)
    table.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=2, frameon=False)
    figure.colorbar(shades, ax=table, label="m", pad=0.01)

    corners = np.array([[len(shape.vertices) if isinstance(shape, Polygon) else 1 for shape in pair] for pair in random_pairs(rng, 4000)])
    groups = np.where((corners == 1).all(axis=1), 0, -(-corners.max(axis=1) // 4))
    shares = [100.0 * float((groups == k).mean()) for k in range(5)]
    bars = classes.bar(range(5), shares, color=[PURPLE, *[SKY] * 4])
    classes.bar_label(bars, [f"{share:.0f}" for share in shares], fontsize=9)
    classes.set_xticks(range(5), ["circles", "to 4", "to 8", "to 12", "to 16"])
    chart(classes, "pairs are sorted into blocks by size", "corners of the larger shape", "% of pairs, random scene")
    classes.margins(y=0.15)

    shapes = batch.ShapeBatch([Polygon.regular(6, 0.5)])
    counts = [1, 4, 16, 47, 48, 64, 128, 512, 2048]
    spent = [nanoseconds_a_pair(shapes, count, rng) for count in counts]
    cost.loglog(counts, spent, "o-", color=GREEN)
    cost.axvline(47.5, color=GRAY, ls="--", lw=1)
    cost.annotate("lanes from 48 pairs on", (47.5, max(spent)), xytext=(5, -10), textcoords="offset points", fontsize=9, color=GRAY)
    chart(cost, "hexagons in one call, timed while drawing", "pairs", "ns per manifold, total")
    return figure


def random_pairs(rng: np.random.Generator, n: int):
    shapes = random_shapes(rng, 200)
    return [(shapes[a], shapes[b]) for a, b in rng.integers(0, len(shapes), (n, 2)).tolist()]


def nanoseconds_a_pair(shapes: batch.ShapeBatch, n: int, rng: np.random.Generator) -> float:
    """Median of some calls with n pairs, poses and indices given as arrays."""
    pairs, here, there = np.zeros((n, 2), dtype=np.int64), np.zeros((n, 3)), rng.uniform(-0.6, 0.6, (n, 3))
    spent = []
    for _ in range(15):
        began = time.perf_counter_ns()
        batch.manifold(shapes, pairs, here, there)
        spent.append((time.perf_counter_ns() - began) / n)
    return float(np.median(spent[3:]))
