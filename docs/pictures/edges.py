"""Edges with ghosts, and the seams between them."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, HERE, ORANGE, arrow, chart, dot, draw, new, plane
from engine.geometry import Polygon, Segment, Transform
from engine.query import manifold


def picture() -> Figure:
    corners = [(-2.0, 0.0), (0.0, 0.0), (2.0, 0.0), (3.5, 1.0)][::-1]
    box = Polygon.box(0.25, 0.25)
    figure, panels = new(rows=2, columns=2, gridspec_kw={"height_ratios": (1.2, 1)})
    positions = np.linspace(-1.2, 1.2, 241)
    for column, title in enumerate(("edges without neighbors", "edges with ghost vertices")):
        edges = []
        for k in range(3):
            before = corners[k - 1] if column and k > 0 else None
            after = corners[k + 2] if column and k + 2 < 4 else None
            edges.append(Segment(corners[k], corners[k + 1], 0.0, before, after))
        scene, turns = panels[:, column]
        for edge in edges:
            draw(scene, edge, color=BLUE)
        for corner in corners:
            dot(scene, corner, BLUE, size=6)
        for index, (edge, color) in enumerate(zip(edges[1:][::-1], (ORANGE, GREEN), strict=True)):
            angles, shown = [], []
            for x in positions:
                there = Transform((float(x), 0.22))
                found = manifold(edge, HERE, box, there, "box2d")
                if found.normal is not None:
                    shown.append(x)
                    angles.append(math.degrees(math.atan2(found.normal[0], found.normal[1])))
            turns.plot(shown, angles, "os"[index], color=color, ms=4, label=("left edge", "right edge")[index])
        for x in (-0.24,):
            there = Transform((x, 0.22))
            draw(scene, box, there, GRAY, 0.12)
            arrow(scene, there.position, (0.45, 0.0), GRAY)
            for edge, color in zip(edges[1:][::-1], (ORANGE, GREEN), strict=True):
                found = manifold(edge, HERE, box, there, "box2d")
                for point in found.points:
                    arrow(scene, point.position, 0.4 * np.array(found.normal), color, width=2.0)
                    dot(scene, point.position, color, size=5)
        plane(scene, title, (-1.3, 1.3), (-0.45, 1.1))
        turns.axhline(0.0, color=GRAY, lw=0.8)
        turns.set(ylim=(-105, 105), yticks=(-90, -45, 0, 45, 90))
        turns.legend(fontsize=9, loc="upper right")
        chart(turns, "direction of the normal as the box slides", "x of the box, m", "degrees from upright")
    return figure
