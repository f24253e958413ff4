"""The result of one ``trace`` method, and a picture that compares methods, with a panel for each that shows its pieces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.common.words import counted
from engine.decompose.image import read_pixels
from engine.decompose.tracing import DRAWING_SUFFIX
from engine.geometry import Circle, Polygon
from engine.report.charts import METHOD_COLORS, as_png, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import PathPatch

    from engine.decompose import BodyFile, Tracing
    from engine.decompose.measures import Cover

__all__ = ["Cut", "draw_cuts"]

_ALLOWED_ERROR = 1e-6
"""Maximum area error for an exact method, as a fraction of the outline's area."""

_PANEL, _ALONE, _DPI = 3.6, 7.2, 100
"""Width of each panel if there are several, width of a single panel, both in inches, and dots per inch."""
_HEAD = 0.55
"""Title height above a panel, inches."""
_MAX_COLUMNS = 4
_TALLEST = 2.0
"""Maximum aspect ratio of a panel."""
_TINT, _BEHIND = 0.55, 0.6
"""Opacity of the pieces and of the background picture."""
_MAX_PIXELS = 1024
"""Maximum size in pixels of the longer side of the background picture."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Result of one method: body, coverage of the outline, processor time, and errors of the pieces that Box2D rejected."""

    method: str
    body: BodyFile
    cover: Cover
    seconds: float
    is_exact: bool
    refused: tuple[str, ...]

    @property
    def n_vertices(self) -> int:
        """Total number of polygon vertices."""
        return sum(len(piece.vertices) for piece in self.body.pieces if isinstance(piece, Polygon))

    @property
    def is_valid(self) -> bool:
        """True if Box2D accepts every piece and an exact method reproduces the outline."""
        return not self.refused and self.is_true_to_outline

    @property
    def is_true_to_outline(self) -> bool:
        """True if the pieces' union matches the outline in area and distance, within tolerance; always True for inexact methods."""
        if not self.is_exact:
            return True
        farthest = max(self.cover.farthest_missed, self.cover.farthest_excess)
        return self.cover.area_error <= _ALLOWED_ERROR and farthest <= self.body.tolerance


@styled
def draw_cuts(tracing: Tracing, cuts: Sequence[Cut]) -> bytes:
    """Return a deterministic PNG with one panel per method that shows the outline in black and the pieces in color."""
    from matplotlib.figure import Figure

    n_columns = min(_MAX_COLUMNS, len(cuts))
    n_rows = math.ceil(len(cuts) / n_columns)
    (left, bottom), (right, top) = tracing.outline.aabb.lower, tracing.outline.aabb.upper
    shape = min(_TALLEST, max(1.0 / _TALLEST, (top - bottom) / (right - left)))
    width = _ALONE if len(cuts) == 1 else _PANEL
    figure = Figure(figsize=(n_columns * width, n_rows * (width * shape + _HEAD)), layout="compressed")
    panels = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True, sharey=True).ravel().tolist()
    for panel in panels:
        panel.set_axis_off()
    for panel, cut in zip(panels, cuts, strict=False):
        _draw_panel(panel, tracing, cut)
    return as_png(figure, _DPI)


def _draw_panel(panel: Axes, tracing: Tracing, cut: Cut) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import to_rgba_array
    from matplotlib.patches import Circle as Disc
    from matplotlib.patches import Polygon as Patch

    _draw_behind(panel, tracing)
    pieces = cut.body.pieces
    shapes = [Disc(piece.center, piece.radius) if isinstance(piece, Circle) else Patch(piece.vertices, closed=True) for piece in pieces]
    colors = list(itertools.islice(itertools.cycle(METHOD_COLORS), len(pieces)))
    faces = to_rgba_array(colors, _TINT)
    panel.add_collection(PatchCollection(shapes, facecolors=faces, edgecolors=colors, linewidths=1.2))
    panel.add_patch(_outline_patch(tracing, facecolor="none", edgecolor="black", linewidth=1.3))
    panel.set_title(f"{cut.method}: {counted(len(pieces), 'piece')}\narea error {cut.cover.area_error:.3%}", fontsize=11)
    panel.autoscale()
    panel.set_aspect("equal")


def _draw_behind(panel: Axes, tracing: Tracing) -> None:
    """Draw the traced picture at its original place, or the outline filled with gray for an SVG."""
    picture = tracing.picture
    if picture is None or picture.file.lower().endswith(DRAWING_SUFFIX):
        panel.add_patch(_outline_patch(tracing, facecolor="0.75", edgecolor="none"))
        return
    pixels = read_pixels(picture.file, picture.crop)
    step = math.ceil(max(pixels.shape) / _MAX_PIXELS)
    extent = (picture.lower[0], picture.upper[0], picture.lower[1], picture.upper[1])
    panel.imshow(pixels[::step, ::step], extent=extent, alpha=_BEHIND)


def _outline_patch(tracing: Tracing, **style: Any) -> PathPatch:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    rings = [Path(np.concatenate((ring, ring[:1])), closed=True) for ring in tracing.outline.rings()]
    return PathPatch(Path.make_compound_path(*rings), **style)
