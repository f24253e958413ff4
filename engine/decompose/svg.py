"""The outline of what an SVG fills.

svgelements reads shapes, path data, transforms, units, viewBox and plain style sheets; what it is given has been made safe before
(`_svg_tree`), and what it gives is made a polygon by `curves` and `repair`. Of each shape the region that its fill covers is taken,
by its own fill-rule; open paths are closed by a straight line, as SVG fills them. The outline is the union of all regions.

What lies beyond the drawing's own width and height is cut off, as every viewer does. Not part of the outline: strokes, text, images,
clipping, masks, opacity; what is left out is told in a note.

The user unit of a drawing is the CSS pixel, 96 to the inch; y is turned up.

Source: SVG 1.1 (second edition), chapters 7 to 9; SVG 2, 13.4 (fill).
"""

from __future__ import annotations

import io
import math
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import positive
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.files import read_at_most
from engine.common.limits import MAX_COORDINATE
from engine.common.words import counted
from engine.decompose._svg_tree import UNAPPLIED, WORDS, DrawnTree, drawn_tree
from engine.decompose.curves import cubic_points, ellipse_points, quadratic_points
from engine.decompose.outline import Outline, ring_points
from engine.decompose.repair import check_tangle, edges_of, filled

__all__ = ["Drawing", "DrawnShape", "read_drawing"]

_LARGEST_FILE = 2_000_000
"""Bytes. svgelements takes some seconds for as much path data."""
_MOST_VERTICES = 100_000
_PIXELS_PER_INCH = 96.0
"""CSS 2.1: a pixel is a 96th of an inch."""
_NO_FILL = ("none", "transparent")
_NOTHING = 1e-12
"""Square metres: a micrometre by a micrometre. Shapely's overlays break on slivers that doubles cannot tell from a line."""
_SEEN = 1e-9
"""Rounding, a share of the area: a drawing that loses less beyond its edges touches them."""


@dataclass(frozen=True, slots=True)
class DrawnShape:
    """What one shape fills; ids, classes and labels of the groups around it and then its own, in lower case; its id as it is."""

    outline: Outline
    words: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a drawing fills, the origin at its lower left corner if it says how large it is; its size, metres; notes; its shapes."""

    outline: Outline
    size: tuple[float, float] | None
    notes: tuple[str, ...]
    regions: tuple[Any, ...] = ()
    """What each shape fills, as a shapely geometry below the drawing's height; their words and names."""
    named: tuple[tuple[tuple[str, ...], str], ...] = ()
    height: float = 0.0

    @property
    def n_corners(self) -> int:
        """Corners of all shapes, the chords of curves included."""
        import shapely

        return int(shapely.get_num_coordinates(list(self.regions)).sum())

    @property
    def shapes(self) -> Iterator[DrawnShape]:
        """One by one, uncut by the drawing's edges, in the order in which they are drawn."""
        for region, (words, name) in zip(self.regions, self.named, strict=True):
            yield DrawnShape(Outline.from_shapely(region).translated(0.0, self.height), words, name)


def read_drawing(path: str | os.PathLike[str], pixels_per_metre: float, tolerance: float) -> Drawing:
    """Return what an SVG file fills.

    Parameters
    ----------
    path : path-like
    pixels_per_metre : float
        > 0; user units of the drawing, after its own width, height and viewBox.
    tolerance : float
        > 0, metres: how far the polygon may be from a curve.

    Raises
    ------
    InvalidInputError
        There is no such file, it is no SVG, or one that is not read: too large or deeply nested, with entities, with references out of
        the file or in a circle, with broken path data, with numbers that are not finite.
    InvalidShapeError
        It fills nothing.
    """
    import shapely

    scale, tolerance = positive("pixels_per_metre", pixels_per_metre), positive("tolerance", tolerance, "m")
    name = os.fspath(path)
    tree = drawn_tree(read_at_most(name, "drawing", _LARGEST_FILE, f"an SVG of at most {_LARGEST_FILE // 1_000_000} MB"), name)
    document = _parsed(tree, name)
    drawn: list[tuple[list[FloatArray], Any, bool]] = []
    n_filled = n_unfilled = n_stroked = 0
    room = _Room(name)
    for shape in _shapes(document):
        values = shape.values
        if str(values.get("visibility", "")).strip().lower() in ("hidden", "collapse"):
            continue
        is_stroked = str(values.get("stroke", "none")).strip().lower() not in _NO_FILL
        if str(values.get("fill", "")).strip().lower() in _NO_FILL:
            n_unfilled += 1
            continue
        drawn.append(([ring_points(name, ring) for ring in _rings(shape, scale, tolerance, room)], values, is_stroked))
    all_rings = [ring for rings, _, _ in drawn for ring in rings if len(ring) >= 3]
    if all_rings:
        check_tangle(edges_of(all_rings), name)
    regions, named = [], []
    for rings, values, is_stroked in drawn:
        region = filled(rings, "evenodd" if str(values.get("fill-rule", "")).strip() == "evenodd" else "nonzero")
        if region.area > _NOTHING:
            regions.append(region)
            named.append((tuple(str(values.get(WORDS, "")).split()), str(values.get("id") or "")))
            n_filled += 1
            n_stroked += is_stroked
            for word in UNAPPLIED:  # by a style; what stands in an attribute of its own was counted before
                tree.untraced[word] += str(values.get(word) or "none").strip() != "none"
    try:
        whole = _union(regions)
    except shapely.errors.GEOSException as error:
        raise InvalidShapeError(name, "a drawing whose shapes can be joined", Described(f"none ({error})")) from None
    if whole.is_empty:
        raise InvalidShapeError(name, "a drawing with filled shapes", Described(_in_their_place(tree, n_unfilled)))
    notes = _notes(tree, n_filled, n_unfilled, n_stroked)
    size = _size(document, tree, scale)
    if size is None:
        return Drawing(Outline.from_shapely(whole), None, tuple(notes), tuple(regions), tuple(named), 0.0)
    lifted = shapely.transform(whole, lambda points: points + (0.0, size[1]))
    seen = shapely.get_parts(shapely.get_parts(shapely.intersection(shapely.get_parts(lifted), shapely.box(0.0, 0.0, *size))))
    area = float(shapely.area(seen).sum())
    if area == 0.0:
        raise InvalidShapeError(name, "a drawing with filled shapes", Described("shapes beyond its own edges"))
    if area < lifted.area * (1.0 - _SEEN):
        notes.append("Cut off: what lies beyond the drawing's own width and height.")
        lifted = shapely.MultiPolygon([part for part in seen if part.geom_type == "Polygon"])
    return Drawing(Outline.from_shapely(lifted), size, tuple(notes), tuple(regions), tuple(named), size[1])


def _union(regions: list[Any]) -> Any:
    """Return what all shapes fill together; thousands that nowhere meet are put side by side."""
    import shapely

    if not regions:
        return shapely.MultiPolygon()
    meetings = shapely.STRtree(regions).query(regions, predicate="intersects")
    if meetings.shape[1] > len(regions):
        return shapely.union_all(regions)
    return shapely.MultiPolygon(list(shapely.get_parts(regions)))


def _parsed(tree: DrawnTree, name: str) -> Any:
    import svgelements

    clean = io.BytesIO(ElementTree.tostring(tree.root))
    try:
        document = svgelements.SVG.parse(clean, reify=False, ppi=_PIXELS_PER_INCH, on_error="raise")
    except Exception as error:  # at broken numbers and path data the library raises whatever comes: ValueError, IndexError, AttributeError
        words = str(error).partition("\n")[0] or "broken path data or numbers"
        raise InvalidInputError(name, "an SVG that can be read", Described(words)) from None
    if not isinstance(document, svgelements.SVG):
        raise InvalidShapeError(name, "a drawing with filled shapes", Described("none"))
    return document


def _shapes(document: Any) -> Iterator[Any]:
    import svgelements

    return (element for element in document.elements() if isinstance(element, svgelements.Shape))


class _Room:
    """How many vertices the drawing `name` may have still: counted while curves are flattened, before there are gigabytes of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._left = _MOST_VERTICES

    def take(self, n_vertices: int) -> None:
        self._left -= n_vertices
        if self._left < 0:
            raise InvalidInputError(self.name, f"a drawing of at most {_MOST_VERTICES} vertices at this tolerance", Described("more"))


def _rings(shape: Any, scale: float, tolerance: float, room: _Room) -> list[FloatArray]:
    """Return the subpaths of a shape in metres, y up; the first point is not repeated at the end."""
    try:
        matrix = np.array([[shape.transform.a, shape.transform.c], [shape.transform.b, shape.transform.d]], dtype=np.float64)
        offset = np.array([shape.transform.e, shape.transform.f], dtype=np.float64)
        if not (np.isfinite(matrix).all() and np.isfinite(offset).all()):
            raise OverflowError
        stretch = _stretch(*matrix.ravel().tolist())
        if stretch == 0.0:
            return []
        rings = []
        with np.errstate(all="ignore"):
            for local in _flattened(shape, tolerance * scale / stretch, room):
                points = (local @ matrix.T + offset) / scale
                points[:, 1] *= -1.0
                if not (np.abs(points) <= MAX_COORDINATE).all():
                    raise OverflowError
                rings.append(points)
    except InvalidInputError:
        raise
    except Exception as error:  # a shape of a broken file: the library raises whatever comes
        words = "a point that does not" if isinstance(error, OverflowError) else f"a broken shape ({type(error).__name__})"
        raise InvalidInputError(room.name, f"a drawing of which all points lie within {MAX_COORDINATE:g} m", Described(words)) from None
    return rings


def _stretch(a: float, b: float, c: float, d: float) -> float:
    """Return by how much a matrix stretches at the most: its greater singular value."""
    return 0.5 * (math.hypot(a + d, c - b) + math.hypot(a - d, c + b))


def _flattened(shape: Any, tolerance: float, room: _Room) -> Iterator[FloatArray]:
    """Yield the subpaths of a shape in its own units."""
    import svgelements as svg

    pieces: list[FloatArray] = []
    for segment in shape.segments(transformed=False):
        if isinstance(segment, svg.Move):
            if pieces:
                yield np.concatenate(pieces)
            pieces = [_row(segment.end)]
        elif isinstance(segment, svg.Close):
            if pieces:
                yield np.concatenate(pieces)
            pieces = [] if segment.end is None else [_row(segment.end)]
        elif isinstance(segment, svg.QuadraticBezier):
            p0, p1, p2 = (_complex(point) for point in (segment.start, segment.control, segment.end))
            pieces.append(quadratic_points(p0, p1, p2, tolerance))
        elif isinstance(segment, svg.CubicBezier):
            p0, p1, p2, p3 = (_complex(point) for point in (segment.start, segment.control1, segment.control2, segment.end))
            pieces.append(cubic_points(p0, p1, p2, p3, tolerance))
        elif isinstance(segment, svg.Arc):
            pieces.append(_arc_points(segment, tolerance))
        elif segment.end is not None:
            pieces.append(_row(segment.end))
        room.take(len(pieces[-1]) if pieces else 0)
    if pieces:
        yield np.concatenate(pieces)


def _arc_points(arc: Any, tolerance: float) -> FloatArray:
    end, center = _complex(arc.end), _complex(arc.center)
    u, v = _complex(arc.prx) - center, _complex(arc.pry) - center
    if abs(u) == 0.0 or abs(v) == 0.0 or not arc.sweep:
        return _row(arc.end)  # SVG 1.1, F.6.2: a radius of 0 makes a straight line
    return ellipse_points(center, u, v, float(arc.get_start_t()), float(arc.sweep), end, tolerance)


def _row(point: Any) -> FloatArray:
    return np.array([[float(point.x), float(point.y)]])


def _complex(point: Any) -> complex:
    return complex(float(point.x), float(point.y))


def _size(document: Any, tree: DrawnTree, scale: float) -> tuple[float, float] | None:
    """Return width and height, metres; None where the drawing leaves them to the window that it would be shown in."""
    given = tree.root.attrib
    if "viewBox" not in given and any("%" in given.get(side, "%") for side in ("width", "height")):
        return None
    try:
        width, height = float(document.width) / scale, float(document.height) / scale
    except (TypeError, ValueError):
        return None
    return (width, height) if math.isfinite(width) and math.isfinite(height) and width > 0.0 and height > 0.0 else None


def _in_their_place(tree: DrawnTree, n_unfilled: int) -> str:
    if n_unfilled:
        return f"{counted(n_unfilled, 'shape')} without fill"
    met = sorted(word for word, count in tree.untraced.items() if count and word not in UNAPPLIED)
    return "nothing but " + ", ".join(met) if met else "none"


def _notes(tree: DrawnTree, n_filled: int, n_unfilled: int, n_stroked: int) -> list[str]:
    notes = []
    if n_unfilled:
        notes.append(f"Left out: {counted(n_unfilled, 'shape')} without fill. A stroke encloses nothing.")
    if n_stroked:
        notes.append(f"{counted(n_stroked, 'shape')} with a stroke: the outline is that of the fill.")
    n_empty = tree.n_shapes - n_filled - n_unfilled
    if n_empty > 0:
        notes.append(f"Left out: {counted(n_empty, 'shape')} hidden or without an area.")
    for word, count in sorted((+tree.untraced).items()):
        notes.append(f"Not {'applied' if word in UNAPPLIED else 'traced'}: {word} ({count}).")
    return notes
