"""A tree of moving boxes with the room it leaves them, and what more room costs and spares."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from docs.pictures.kit import BLUE, GREEN, ORANGE, RED, arrow, chart, new, plane
from engine.broadphase import BruteForce, DynamicTree

SPEED = 0.05
"""Meters a frame: 3 m/s at 60 Hz."""

LEVELS = ("black", RED, ORANGE, GREEN)


def picture() -> Figure:
    figure, (scene, price) = new()
    rng = np.random.default_rng(11)
    n = 26
    center = rng.uniform((0.0, 0.0), (7.0, 9.0), (n, 2))
    half = rng.uniform(0.2, 0.45, (n, 2))
    way = rng.normal(0.0, 0.35, (n, 2)) * (rng.random((n, 1)) < 0.5)
    tree, truth = DynamicTree(), BruteForce()
    tree.update(np.column_stack((center - half, center + half)))
    tree.move(np.arange(n), np.column_stack((center + way - half, center + way + half)), way)
    boxes = tree.aabbs()
    assert np.array_equal(tree.pairs(), truth.pairs(boxes))
    sketch = tree.sketch()
    is_node = (sketch.proxies < 0) & (sketch.levels < len(LEVELS))
    for (x0, y0, x1, y1), level in zip(sketch.boxes[is_node], sketch.levels[is_node], strict=True):
        grown = 0.06 * (len(LEVELS) - 1 - level)
        scene.add_patch(
            Rectangle((x0 - grown, y0 - grown), x1 - x0 + 2 * grown, y1 - y0 + 2 * grown, fc="none", ec=LEVELS[level], lw=2.2 - 0.4 * level)
        )
    for (x0, y0, x1, y1), (fat_x0, fat_y0, fat_x1, fat_y1) in zip(boxes, tree.fat_aabbs(), strict=True):
        scene.add_patch(Rectangle((fat_x0, fat_y0), fat_x1 - fat_x0, fat_y1 - fat_y0, fc="none", ec=BLUE, lw=0.9, ls=":"))
        scene.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fc=(0.0, 0.45, 0.7, 0.25), ec=BLUE, lw=1.0))
    for start, vector in zip(center, way, strict=True):
        if vector.any():
            arrow(scene, start, vector, width=1.2)
    plane(scene, "boxes, their fat boxes (dotted),\nand the levels just above them")

    margins = [0.0, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4]
    reinserted, asked = [], []
    n = 300
    center, half = rng.uniform(0.0, 24.0, (n, 2)), rng.uniform(0.3, 0.6, (n, 2))
    way = rng.normal(0.0, 1.0, (n, 2))
    way *= SPEED / np.hypot(*way.T)[:, None]
    for margin in margins:
        tree = DynamicTree(margin, 2.0)
        boxes = np.column_stack((center - half, center + half))
        tree.update(boxes)
        changed = 0
        frames = 40
        for frame in range(frames):
            before = tree.fat_aabbs()
            tree.move(np.arange(n), boxes + np.tile((frame + 1) * way, 2), way)
            changed += int((tree.fat_aabbs() != before).any(axis=1).sum())
        fat, tight = tree.fat_aabbs(), tree.aabbs()
        reinserted.append(changed / (n * frames))
        meets = (tight[:, None, :2] <= fat[None, :, 2:]).all(axis=2) & (fat[None, :, :2] <= tight[:, None, 2:]).all(axis=2)
        asked.append(float(meets.sum() - n) / n)
    chart(price, f"{n} boxes of about 1 m, {SPEED:g} m per frame", "margin, m", "leaves reinserted per box and frame")
    price.plot(margins, reinserted, "o-", color=RED, label="reinserted leaves")
    price.set_ylim(0.0, 1.05)
    other = price.twinx()
    other.plot(margins, asked, "s-", color=BLUE, label="leaves that a box overlaps (right axis)")
    other.set_ylim(0.0, None)
    other.set_ylabel("other leaves that a box overlaps")
    price.axvline(0.1, color="black", lw=0.8, ls=":")
    price.annotate("Box2D's", (0.1, 0.98), xytext=(4, 0), textcoords="offset points", fontsize=9)
    lines = [*price.lines[:1], *other.lines]
    price.legend(lines, [line.get_label() for line in lines], loc="center right", fontsize=9)
    return figure
