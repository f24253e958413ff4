"""Boxes in a grid's cells, and what the grid saves."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, RED, chart, draw, new, plane
from engine.broadphase import BruteForce, UniformGrid
from engine.broadphase._grid_kernel import grid_of
from engine.geometry import Polygon


class Cells:
    """Where the uniform grid has its boxes, and in which cells each looks for partners."""

    def __init__(self, boxes: np.ndarray) -> None:
        low_x, low_y, per_x, per_y, self.n_columns, self.n_rows = grid_of(boxes)
        self.low, self.per = np.array((low_x, low_y)), np.array((per_x, per_y))
        self.boxes = boxes
        self.first, self.last = self.numbers(boxes[:, :2]), self.numbers(boxes[:, 2:])
        self.widest = np.zeros(self.n_rows)
        np.maximum.at(self.widest, self.first[:, 1], boxes[:, 2] - boxes[:, 0])

    def numbers(self, points: np.ndarray) -> np.ndarray:
        """Return column and row of points (n, 2)."""
        return np.clip(((points - self.low) * self.per).astype(int), 0, (self.n_columns - 1, self.n_rows - 1))

    def runs(self, i: int) -> list[tuple[int, int, int]]:
        """Return row, first and last column of each run of cells that box `i` looks into."""
        found = []
        for row in range(self.first[i, 1], self.last[i, 1] + 1):
            begin = self.numbers(self.boxes[i : i + 1, :2] - (self.widest[row], 0.0))[0, 0] if row > self.first[i, 1] else self.first[i, 0]
            found.append((row, int(begin), int(self.last[i, 0])))
        return found

    def n_compared(self) -> int:
        """Return how many comparisons all boxes make."""
        counts = np.zeros((self.n_rows, self.n_columns + 1), dtype=int)
        np.add.at(counts, (self.first[:, 1], self.first[:, 0] + 1), 1)
        before = counts.cumsum(axis=1)
        in_all = sum(int(before[row, last + 1] - before[row, begin]) for i in range(len(self.boxes)) for row, begin, last in self.runs(i))
        own = counts[:, 1:]  # of its own cell a box looks only at those after it
        return in_all - int((own * (own + 1) // 2).sum())


def picture() -> Figure:
    def scene_of(n: int) -> np.ndarray:
        rng = np.random.default_rng(2)
        center, half = rng.uniform(0.0, math.sqrt(n), (n, 2)), rng.uniform(0.2, 0.6, (n, 2))
        return np.column_stack((center - half, center + half))

    boxes = scene_of(36)
    pairs = UniformGrid().pairs(boxes)
    assert np.array_equal(pairs, BruteForce().pairs(boxes))
    cells = Cells(boxes)
    size = 1.0 / cells.per
    figure, (scene, growth) = new()
    tall = np.flatnonzero(cells.last[:, 1] > cells.first[:, 1])
    chosen = int(tall[np.argmin(np.abs(boxes[tall, :2] - (2.5, 2.0)).sum(axis=1))])
    for row, begin, last in cells.runs(chosen):
        corner = cells.low + size * (begin, row)
        scene.add_patch(Rectangle(corner, size[0] * (last - begin + 1), size[1], fc=GREEN, alpha=0.25, lw=0))
    end = cells.low + size * (cells.n_columns, cells.n_rows)
    for k in range(cells.n_columns + 1):
        scene.plot([cells.low[0] + k * size[0]] * 2, [cells.low[1], end[1]], color=GRAY, lw=0.5)
    for k in range(cells.n_rows + 1):
        scene.plot([cells.low[0], end[0]], [cells.low[1] + k * size[1]] * 2, color=GRAY, lw=0.7)
    for k, (x0, y0, x1, y1) in enumerate(boxes):
        color = RED if k == chosen else BLUE
        draw(scene, Polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]), color=color, alpha=0.12)
        scene.plot(x0, y0, ".", color=color, ms=5)
    middle = 0.5 * (boxes[:, :2] + boxes[:, 2:])
    for i, j in pairs:
        scene.plot(*middle[[i, j]].T, color=ORANGE, lw=2)
    plane(scene, f"{len(pairs)} pairs (orange) of {len(boxes)} boxes.\nGreen: cells in which the red box searches")

    counts = [10, 30, 100, 300, 1000, 3000, 10000]
    by_grid, found = [], []
    for n in counts:
        boxes = scene_of(n)
        by_grid.append(Cells(boxes).n_compared())
        found.append(len(UniformGrid().pairs(boxes)))
    growth.loglog(counts, [n * (n - 1) / 2 for n in counts], "s-", color=RED, label="compared by brute force")
    growth.loglog(counts, by_grid, "o-", color=BLUE, label="compared by the grid")
    growth.loglog(counts, found, "^-", color=ORANGE, label="overlapping pairs")
    growth.legend(fontsize=9)
    chart(growth, "pairs compared, at constant density", "boxes", "pairs of boxes")
    return figure
