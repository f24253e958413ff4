"""Boxes in a grid's cells, and what the grid saves."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GREEN, GREY, ORANGE, RED, chart, draw, new, plane
from engine.broadphase import BruteForce, UniformGrid
from engine.common.tolerances import GRID_MARGIN
from engine.geometry import Polygon


def picture() -> Figure:
    def scene_of(n: int) -> np.ndarray:
        rng = np.random.default_rng(2)
        center, half = rng.uniform(0.0, math.sqrt(n), (n, 2)), rng.uniform(0.2, 0.6, (n, 2))
        return np.column_stack((center - half, center + half))

    def cells_of(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        low = boxes[:, :2].min(axis=0)
        cell = (boxes[:, 2:] - boxes[:, :2]).max(axis=0) * (1.0 + GRID_MARGIN)
        return low, cell, ((boxes[:, :2] - low) / cell).astype(int)

    boxes = scene_of(36)
    pairs = UniformGrid().pairs(boxes)
    assert np.array_equal(pairs, BruteForce().pairs(boxes))
    low, cell, column_row = cells_of(boxes)
    figure, (scene, growth) = new()
    chosen = int(np.argmin(np.abs(column_row - (2, 2)).sum(axis=1)))
    column, row = column_row[chosen].tolist()
    for dx, dy in ((0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):
        corner = low + cell * (column + dx, row + dy)
        ring = corner + np.array([(0, 0), (cell[0], 0), cell, (0, cell[1])])
        scene.fill(*ring.T, color=GREEN, alpha=0.32 if (dx, dy) == (0, 0) else 0.15, lw=0)
    last = column_row.max(axis=0)
    for k in range(last[0] + 2):
        scene.plot([low[0] + k * cell[0]] * 2, [low[1], low[1] + (last[1] + 1) * cell[1]], color=GREY, lw=0.7)
    for k in range(last[1] + 2):
        scene.plot([low[0], low[0] + (last[0] + 1) * cell[0]], [low[1] + k * cell[1]] * 2, color=GREY, lw=0.7)
    for k, (x0, y0, x1, y1) in enumerate(boxes):
        color = RED if k == chosen else BLUE
        draw(scene, Polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]), color=color, alpha=0.12)
        scene.plot(x0, y0, ".", color=color, ms=5)
    middle = 0.5 * (boxes[:, :2] + boxes[:, 2:])
    for i, j in pairs:
        scene.plot(*middle[[i, j]].T, color=ORANGE, lw=2)
    plane(scene, f"{len(pairs)} pairs (orange) of {len(boxes)} boxes.\nGreen: where the red box looks")

    counts = [10, 30, 100, 300, 1000, 3000, 10000]
    by_grid, found = [], []
    for n in counts:
        boxes = scene_of(n)
        column_row = cells_of(boxes)[2]
        number: dict[tuple[int, int], int] = {}
        for key in map(tuple, column_row.tolist()):
            number[key] = number.get(key, 0) + 1
        looked = 0
        for (x, y), here in number.items():
            others = sum(number.get((x + dx, y + dy), 0) for dx, dy in ((1, 0), (-1, 1), (0, 1), (1, 1)))
            looked += here * (here - 1) // 2 + here * others
        by_grid.append(looked)
        found.append(len(UniformGrid().pairs(boxes)))
    growth.loglog(counts, [n * (n - 1) / 2 for n in counts], "s-", color=RED, label="brute force compares")
    growth.loglog(counts, by_grid, "o-", color=BLUE, label="the grid compares")
    growth.loglog(counts, found, "^-", color=ORANGE, label="pairs that overlap")
    growth.legend(fontsize=9)
    chart(growth, "boxes compared, at one density", "boxes", "pairs of boxes")
    return figure
