"""One crowd of boxes in four trees, each built another way."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, RED, new, plane
from engine.broadphase import BottomUpTree, BruteForce, InsertionTree, QuadTree, TopDownTree, quality

LEVELS = ("black", RED, ORANGE, GREEN, BLUE)
"""Colors of the levels, from the root down; deeper nodes are not drawn."""


def picture() -> Figure:
    rng = np.random.default_rng(5)
    n = 110
    at = np.concatenate((rng.normal((3.0, 4.2), (1.6, 0.9), (n // 2, 2)), rng.uniform((0.0, 0.0), (14.0, 7.5), (n - n // 2, 2))))
    half = rng.lognormal(-1.7, 0.5, (n, 2))
    boxes = np.column_stack((at - half, at + half))
    truth = BruteForce().pairs(boxes)
    figure, panels = new(rows=2, columns=2)
    named = ((TopDownTree, "top-down"), (BottomUpTree, "bottom-up"), (InsertionTree, "insertion"), (QuadTree, "quadtree"))
    for axes, (structure, name) in zip(panels.ravel(), named, strict=True):
        one = structure()
        assert np.array_equal(one.pairs(boxes), truth)
        measures, sketch = quality(one.tree), one.sketch()
        for x0, y0, x1, y1 in boxes:
            axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fc=(0.4, 0.4, 0.4, 0.18), ec=GRAY, lw=0.5))
        is_node = (sketch.proxies < 0) & (sketch.levels < len(LEVELS))
        for (x0, y0, x1, y1), level in zip(sketch.boxes[is_node], sketch.levels[is_node], strict=True):
            x0, y0, x1, y1 = np.array((x0, y0, x1, y1)) + 0.07 * (len(LEVELS) - 1 - level) * np.array((-1, -1, 1, 1))  # lines apart
            axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fc="none", ec=LEVELS[level], lw=2.4 - 0.4 * level))
        title = f"{name}: cost {measures.cost:.0f}, {measures.height} levels, overlap {measures.overlap:.2f}"
        plane(axes, title, (-2.2, 15.2), (-0.9, 8.6))
    return figure
