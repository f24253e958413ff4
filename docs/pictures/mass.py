"""Area, centroid and inertia from triangles."""

from __future__ import annotations

from itertools import pairwise

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, SKY, chart, dot, draw, new, plane
from engine.geometry import Polygon
from engine.geometry.mass import polygon_mass


def picture() -> Figure:
    shape = Polygon([(-1.2, -0.6), (0.9, -0.9), (1.6, 0.3), (0.2, 1.2), (-1.0, 0.8)])
    figure, (scene, errors) = new()
    origin, mass = shape.vertices.mean(axis=0), shape.mass(1.0)
    tints = (BLUE, ORANGE, GREEN, PURPLE, SKY)
    for k, (p, q) in enumerate(pairwise([*shape.vertices, shape.vertices[0]])):
        triangle = np.array([origin, p, q])
        scene.fill(*triangle.T, facecolor=(*matplotlib.colors.to_rgb(tints[k]), 0.3), edgecolor="white")
        area = 0.5 * float(np.cross([*(p - origin), 0.0], [*(q - origin), 0.0])[2])
        scene.text(*triangle.mean(axis=0), f"{area:.2f}", ha="center", va="center", fontsize=10)
    draw(scene, shape, color=GRAY, alpha=0.0)
    dot(scene, origin, "black", "o", at=(-14, -4))
    dot(scene, mass.centroid, RED, "centroid", at=(8, -12))
    plane(scene, f"triangles and their areas: {mass.area:.3f} m² in total,\ninertia {mass.inertia:.3f} kg m² about the centroid")

    far = 10.0 ** np.arange(0.0, 8.01, 0.5)
    about_vertices, about_world = [], []
    for x in far:
        moved = shape.vertices + (x, 0.0)
        exact = polygon_mass(moved - (x, 0.0), 1.0).inertia  # of the very numbers that were left, moved back without a rounding
        about_vertices.append(abs(polygon_mass(moved, 1.0).inertia / exact - 1.0))
        e1, e2 = moved, np.roll(moved, -1, axis=0)
        twice = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
        area, offset = 0.5 * twice.sum(), (twice[:, None] * (e1 + e2)).sum(axis=0) / (3.0 * twice.sum())
        r_sq = (e1 * e1).sum(axis=1) + (e1 * e2).sum(axis=1) + (e2 * e2).sum(axis=1)
        about_world.append(abs(((twice * r_sq).sum() / 12.0 - area * (offset @ offset)) / exact - 1.0))
    floor = 1e-17
    errors.loglog(far, np.maximum(about_world, floor), "s-", color=RED, label="triangles at the world's origin")
    errors.loglog(far, np.maximum(about_vertices, floor), "o-", color=BLUE, label="triangles at the mean of the vertices")
    errors.axhline(1.0, color=GRAY, ls="--", lw=1)
    errors.annotate("no digits left", (1.5, 1.0), xytext=(0, 4), textcoords="offset points", color=GRAY, fontsize=9)
    errors.legend(fontsize=9, loc="upper left", bbox_to_anchor=(0.0, 0.92))
    chart(errors, "relative error of the inertia (0 is drawn at 1e-17)", "distance from the world's origin, m", "")
    return figure
