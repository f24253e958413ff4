"""A letter with two holes, cut in each of the ways."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, SKY, draw, new, plane
from engine.decompose.decompose import decompose
from engine.decompose.grid import on_grid
from engine.decompose.hertel_mehlhorn import triangulate
from engine.decompose.outline import Outline
from engine.decompose.repair import repaired
from engine.decompose.simplify import simplified
from engine.geometry import Polygon

COLORS = (SKY, ORANGE, GREEN, PURPLE, BLUE)


def letter() -> Outline:
    """The letter B of matplotlib's font, about a meter high, to half a centimeter."""
    return simplified(repaired([np.asarray(ring) * 0.01 for ring in TextPath((0, 0), "B", size=100).to_polygons(closed_only=True)]), 0.005)


def edge_of(panel, shape: Outline) -> None:
    rings = [np.concatenate((ring, ring[:1])) for ring in shape.rings()]
    codes = [[Path.MOVETO] + [Path.LINETO] * (len(ring) - 2) + [Path.CLOSEPOLY] for ring in rings]
    panel.add_patch(
        PathPatch(
            Path(np.concatenate(rings), np.concatenate(codes)), facecolor=(*matplotlib.colors.to_rgb(GRAY), 0.25), edgecolor="black", lw=1.4
        )
    )


def picture() -> Figure:
    shape = letter()
    [part] = on_grid(shape)
    triangles = [Polygon(part.loop(corner)) for corner in triangulate(part)]
    ways = [("triangles", triangles, "")]
    for method, most, title in (
        ("exact", None, "exact: Hertel and Mehlhorn"),
        ("exact", 5, "exact, at most 5 pieces"),
        ("boxes", None, "boxes"),
        ("aabb", None, "an upright box"),
        ("circles", None, "circles"),
    ):
        found = decompose(shape, method, most)
        excess, missed = found.cover.excess / found.outline.area, found.cover.missed / found.outline.area
        error = f", {100.0 * excess:.0f} % extra area" if excess > 1e-3 else ""
        error += f", {100.0 * missed:.0f} % missing" if missed > 1e-3 else ""
        ways.append((title, list(found.pieces), error))
    figure, panels = new(rows=2, columns=3)
    for panel, (title, pieces, error) in zip(panels.ravel(), ways, strict=True):
        edge_of(panel, shape)
        for k, piece in enumerate(pieces):
            draw(panel, piece, color=COLORS[k % len(COLORS)], alpha=0.45)
        plane(panel, title)
        panel.set_xlabel(f"{len(pieces)} pieces{error}", fontsize=9)
    return figure
