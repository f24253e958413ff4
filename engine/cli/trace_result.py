"""Measures of one method of ``trace``, and its picture: a panel for each, its pieces over the picture that was traced."""

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
"""Share of the outline's area that an exact way may miss, or cover besides."""

_PANEL, _ALONE, _DPI = 3.6, 7.2, 100
"""Inches across a panel among others, and across one that is alone; dots of an inch."""
_HEAD = 0.55
"""Inches above a panel's box for its title."""
_MAX_COLUMNS = 4
_TALLEST = 2.0
"""Maximum ratio of the sides of a panel."""
_TINT, _BEHIND = 0.55, 0.6
"""How much of a piece, and of the picture behind, shows."""
_MAX_PIXELS = 1024
"""Maximum number of pixels along the longer side of the picture behind."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Result of one method: its body, how well it covers the outline, its time, and the pieces that Box2D refused.

    `at_least` is how many pieces `exact` needs in any case, where it is not known whether those found are the fewest.
    """

    method: str
    body: BodyFile
    cover: Cover
    seconds: float
    is_exact: bool
    refused: tuple[str, ...]
    at_least: int | None = None

    @property
    def n_vertices(self) -> int:
        """Number of vertices of all polygons."""
        return sum(len(piece.vertices) for piece in self.body.pieces if isinstance(piece, Polygon))

    @property
    def is_valid(self) -> bool:
        """Box2D takes every piece, and an exact way covers the outline and nothing else."""
        return not self.refused and self.is_true_to_outline

    @property
    def is_true_to_outline(self) -> bool:
        """An exact way's union is the outline, by area and by distance; of the others nothing is asked."""
        if not self.is_exact:
            return True
        farthest = max(self.cover.farthest_missed, self.cover.farthest_excess)
        return self.cover.area_error <= _ALLOWED_ERROR and farthest <= self.body.tolerance


@styled
def draw_cuts(tracing: Tracing, cuts: Sequence[Cut]) -> bytes:
    """Return the PNG: the outline as a black line, each piece in a color; the same cuts give the same bytes."""
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
    """Draw the picture where it lies, or the outline filled in gray, for a drawing."""
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
