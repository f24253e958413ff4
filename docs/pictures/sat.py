"""Separating axes, and the axis cached in the frame before."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, HERE, ORANGE, RED, SKY, arrow, chart, draw, plane, separations
from engine.geometry import Polygon, Transform
from engine.narrowphase.sat import NO_AXIS, overlap_cached


def picture() -> Figure:
    a = Polygon.regular(5, 1.0, 0.3)
    b = Polygon([(-0.8, -0.5), (0.7, -0.6), (0.9, 0.5), (-0.3, 0.8)])
    apart, deep = Transform((1.95, 0.75), 0.35), Transform((1.1, 0.6), 0.35)
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(3, 1.35))
    scene, bars, strip = (figure.add_subplot(part) for part in (grid[0, 0], grid[0, 1], grid[1, :]))

    found = {}
    for name, xf in (("apart", apart), ("overlapping", deep)):
        placed = Polygon(xf.apply_array(b.vertices))
        found[name] = [*separations(a.vertices, placed.vertices), *separations(placed.vertices, a.vertices)]
    placed = Polygon(apart.apply_array(b.vertices))
    best = int(np.argmax(found["apart"]))
    n_a = len(a.vertices)
    normal = a.normals[best] if best < n_a else -placed.normals[best - n_a]
    draw(scene, a, color=BLUE, label="A")
    draw(scene, placed, color=ORANGE, label="B")
    along = np.array([-normal[1], normal[0]])
    base = along * (min((a.vertices @ along).min(), (placed.vertices @ along).min()) - 0.55)
    low, high = (a.vertices @ normal).min(), (placed.vertices @ normal).max()
    arrow(scene, base + (low - 0.3) * normal, (high - low + 0.7) * normal, GRAY, width=1.0)
    for points, color in ((a.vertices, BLUE), (placed.vertices, ORANGE)):
        ends = points @ normal
        shadow = np.array([base + s * normal for s in (ends.min(), ends.max())])
        scene.plot(*shadow.T, color=color, lw=6, solid_capstyle="butt")
        for s in (ends.min(), ends.max()):
            corner = points[int(np.argmin(np.abs(ends - s)))]
            scene.plot(*np.array([corner, base + s * normal]).T, ":", color=color, lw=1)
    middle = 0.5 * ((a.vertices @ normal).max() + (placed.vertices @ normal).min())
    scene.annotate("gap", base + middle * normal, xytext=(0, -16), textcoords="offset points", fontsize=10, ha="center")
    plane(scene, "one axis with a gap proves them apart", (-1.35, 3.3), (-2.2, 2.2))

    names = [f"A{e}" for e in range(n_a)] + [f"B{e}" for e in range(len(b.vertices))]
    at = np.arange(len(names))
    for k, (name, color) in enumerate((("apart", SKY), ("overlapping", RED))):
        bars.bar(at + 0.4 * k - 0.2, found[name], 0.38, color=color, label=name)
        greatest = int(np.argmax(found[name]))
        bars.annotate(
            f"{found[name][greatest]:.2f}", (greatest + 0.4 * k - 0.2, found[name][greatest]), ha="center",
            xytext=(0, -12 if k else 3), textcoords="offset points", fontsize=9, color="black",
        )  # fmt: skip
    bars.axhline(0.0, color="black", lw=0.8)
    bars.set_xticks(at, names)
    bars.legend(fontsize=9, loc="upper left", ncols=2)
    bars.set_ylim(-4.2, 1.4)
    chart(bars, "separation of each edge; the greatest is labeled", "edge", "m")

    axis, enough, overlapping = NO_AXIS, [], []
    frames = 60
    for frame in range(frames):
        told = overlap_cached(a, HERE, b, Transform((-3.2 + 6.4 * frame / (frames - 1), 1.2), 0.03 * frame), axis)
        axis = told.axis
        enough.append(told.was_enough)
        overlapping.append(told.is_overlapping)
    colors = [GREEN if one else RED if two else ORANGE for one, two in zip(enough, overlapping, strict=True)]
    strip.bar(range(frames), [1.0] * frames, 0.9, color=colors)
    for name, color in (("remembered axis is enough", GREEN), ("all axes, apart", ORANGE), ("all axes, overlapping", RED)):
        strip.bar(0, 0, color=color, label=f"{name}: {colors.count(color)}")
    strip.set(yticks=[], ylim=(0.0, 1.0), xlim=(-0.6, frames - 0.4))
    strip.set_title("B flies past A for sixty frames; each frame starts with the last frame's axis", fontsize=11)
    strip.set_xlabel("frame")
    strip.legend(ncols=3, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.45), frameon=False)
    return figure
