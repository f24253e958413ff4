"""An outline of one or more parts, each with any number of holes: the input of all decompositions.

    outer, counter-clockwise     +------------------+        +------+
    holes, clockwise             |   +----+         |        |      |
                                 |   |hole|  part 0 |        | part |
                                 |   +----+         |        |  1   |
                                 +------------------+        +------+

Rings are simple. They can touch at single points (such as a corner of a hole on the outer ring), but neither cross nor share an edge, and
the interiors of parts are disjoint: the outline is a valid geometry in the sense of the OGC's Simple Features.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, finite_rows, frozen
from engine.common.checks import finite, positive
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.installation import require
from engine.common.limits import MAX_COORDINATE
from engine.common.tolerances import OVERLAY_GRID
from engine.geometry import AABB

__all__ = ["Outline", "Part", "on_grid", "polygons", "ring_points", "settled", "signed_area"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A simple polygon with holes.

    Parameters
    ----------
    outer : array_like, (n, 2), n >= 3
        Meters, in either winding, simple, possibly concave. Repeated vertices, including the first one at the end, are dropped; collinear
        vertices are kept.
    holes : iterable of array_like, each (m, 2), m >= 3
        Simple, inside `outer`, disjoint; single common points are allowed.

    Attributes
    ----------
    outer : float64 (n, 2), read-only
        Counter-clockwise.
    holes : tuple of float64 (m, 2), read-only
        Clockwise.

    Raises
    ------
    InvalidShapeError
        A ring has fewer than three vertices or no area, crosses itself or another, a hole is outside, or a number is not finite
        or farther than `MAX_COORDINATE` from the origin.
    """

    outer: FloatArray
    holes: tuple[FloatArray, ...] = ()

    def __init__(self, outer: ArrayLike, holes: Iterable[ArrayLike] = ()) -> None:
        object.__setattr__(self, "outer", _ring("outer", outer, 1.0))
        object.__setattr__(self, "holes", tuple(_ring(f"holes[{k}]", hole, -1.0) for k, hole in enumerate(_listed("holes", holes))))
        if not _is_triangle(self):
            _check_valid("part", self.as_shapely())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Part):
            return NotImplemented
        rings, others = list(self.rings()), list(other.rings())
        return len(rings) == len(others) and all(np.array_equal(a, b) for a, b in zip(rings, others, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(ring.tobytes() for ring in self.rings()))

    @property
    def area(self) -> float:
        """Area without the holes, square meters."""
        return sum(signed_area(ring) for ring in self.rings())

    @property
    def aabb(self) -> AABB:
        """The tight box around it."""
        return _box([self.outer])

    @property
    def n_vertices(self) -> int:
        """Number of vertices of all rings."""
        return sum(len(ring) for ring in self.rings())

    def rings(self) -> Iterator[FloatArray]:
        """Yield the outer ring, then the holes."""
        yield self.outer
        yield from self.holes

    def as_shapely(self) -> Any:
        """Return it as a `shapely.Polygon`."""
        require("shapely")
        import shapely

        return shapely.Polygon(self.outer, self.holes)


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """One or several parts with disjoint interiors.

    Parameters
    ----------
    parts : iterable of Part
        At least one.

    Raises
    ------
    InvalidShapeError
        There is none, or two parts overlap.

    Examples
    --------
    >>> frame = Outline([Part([(0, 0), (4, 0), (4, 3), (0, 3)], [[(1, 1), (2, 1), (2, 2), (1, 2)]])])
    >>> frame.area, frame.n_vertices, frame.aabb.upper
    (11.0, 8, (4.0, 3.0))
    """

    parts: tuple[Part, ...]

    def __init__(self, parts: Iterable[Part]) -> None:
        listed = _listed("parts", parts)
        if not listed:
            raise InvalidShapeError("parts", "at least one part", Described("none"))
        for k, part in enumerate(listed):
            if not isinstance(part, Part):
                raise InvalidShapeError(f"parts[{k}]", "a Part", part)
        object.__setattr__(self, "parts", listed)
        if len(listed) > 1:
            _check_valid("parts", self.as_shapely())

    @classmethod
    def of_polygon(cls, vertices: ArrayLike, holes: Iterable[ArrayLike] = ()) -> Outline:
        """Return the outline of one part."""
        return cls((Part(vertices, holes),))

    def __eq__(self, other: object) -> bool:
        return self.parts == other.parts if isinstance(other, Outline) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.parts)

    @property
    def area(self) -> float:
        """Area without the holes, square meters."""
        return sum(part.area for part in self.parts)

    @property
    def aabb(self) -> AABB:
        """The tight box around all parts."""
        return _box([part.outer for part in self.parts])

    @property
    def n_vertices(self) -> int:
        """Number of vertices of all rings."""
        return sum(part.n_vertices for part in self.parts)

    def rings(self) -> Iterator[FloatArray]:
        """Yield all rings: for each part the outer one, then its holes."""
        for part in self.parts:
            yield from part.rings()

    def translated(self, dx: float, dy: float) -> Outline:
        """Return the outline translated, meters."""
        offset = np.array([finite("dx", dx, "m"), finite("dy", dy, "m")])
        return Outline(Part(part.outer + offset, [hole + offset for hole in part.holes]) for part in self.parts)

    def scaled(self, factor: float) -> Outline:
        """Return the outline `factor` times as large, about the origin."""
        factor = positive("factor", factor)
        return Outline(Part(part.outer * factor, [hole * factor for hole in part.holes]) for part in self.parts)

    def as_shapely(self) -> Any:
        """Return it as a `shapely.MultiPolygon`."""
        require("shapely")
        import shapely

        return shapely.MultiPolygon([part.as_shapely() for part in self.parts])

    @classmethod
    def around(cls, pieces: Iterable[FloatArray], grid: float) -> Outline | None:
        """Return the outline of the union of convex pieces (n, 2), rounded to `grid` meters; None if it is empty."""
        require("shapely")
        import shapely

        rounded = [shapely.set_precision(shapely.Polygon(piece), grid) for piece in pieces]
        union = shapely.union_all(rounded, grid_size=grid)
        return None if union.is_empty or union.geom_type not in ("Polygon", "MultiPolygon") else cls.from_shapely(union)

    @classmethod
    def from_shapely(cls, geometry: Any) -> Outline:
        """Return the outline of a `shapely` Polygon or MultiPolygon.

        Raises
        ------
        InvalidShapeError
            It is empty, invalid, or another kind of geometry.
        """
        if geometry.geom_type not in ("Polygon", "MultiPolygon"):
            raise InvalidShapeError("geometry", "a Polygon or a MultiPolygon", Described(geometry.geom_type))
        polygons = [geometry] if geometry.geom_type == "Polygon" else list(geometry.geoms)
        return cls(
            Part(np.asarray(polygon.exterior.coords)[:, :2], [np.asarray(ring.coords)[:, :2] for ring in polygon.interiors])
            for polygon in polygons
            if not polygon.is_empty
        )


def settled(geometry: Any) -> Any:
    """Return a shapely geometry of polygons with its corners on `OVERLAY_GRID`, valid even after a translation along that grid.

    An overlay in doubles can leave rings that cross by a rounding error where they touch. Rounding each corner separately nearly always
    suffices; otherwise, snap rounding (`shapely.set_precision`) merges coincident vertices.

    Raises
    ------
    InvalidShapeError
        GEOS cannot repair the geometry.
    """
    import shapely

    rounded = shapely.transform(geometry, on_grid)
    if rounded.is_valid:
        return rounded
    try:
        valid = geometry if geometry.is_valid else shapely.make_valid(geometry, method="structure", keep_collapsed=False)
        settled_geometry = shapely.set_precision(valid, OVERLAY_GRID)
    except shapely.errors.GEOSException as error:
        raise InvalidShapeError("outline", "lines that can be distinguished", Described(str(error).partition("\n")[0])) from None
    return polygons(settled_geometry)


def on_grid(points: FloatArray) -> FloatArray:
    """Return points (n, 2) rounded to `OVERLAY_GRID`."""
    return np.rint(points / OVERLAY_GRID) * OVERLAY_GRID


def polygons(geometries: Any) -> Any:
    """Return the polygons among shapely geometries, which do not overlap, without the lines and points at which others touch."""
    require("shapely")
    import shapely

    parts = shapely.get_parts(shapely.get_parts(geometries))
    return shapely.MultiPolygon(list(parts[shapely.get_dimensions(parts) == 2]))


def signed_area(ring: FloatArray) -> float:
    """Return the area within a ring, positive if it is counter-clockwise, by the shoelace formula about its first vertex."""
    x, y = (ring - ring[0]).T
    return 0.5 * float(x[:-1] @ y[1:] - x[1:] @ y[:-1])


def ring_points(field: str, value: ArrayLike) -> FloatArray:
    """Return the vertices of a ring, (n, 2), finite and within the world, without repetitions of the previous one; the ring is closed.

    Raises
    ------
    InvalidShapeError
        The array has another shape, or a number is not finite or too large.
    """
    try:
        points = finite_rows(field, value, 2)
    except InvalidInputError as error:
        raise InvalidShapeError(error.field, error.requirement, error.value) from None
    if len(points) == 0:
        return points
    if np.abs(points).max() > MAX_COORDINATE:
        raise InvalidShapeError(field, f"within {MAX_COORDINATE:g} m of the origin", Described(f"{np.abs(points).max():g}"))
    is_new: NDArray[np.bool_] = (points != np.concatenate((points[-1:], points[:-1]))).any(axis=1)
    return points[is_new]


def _ring(field: str, value: ArrayLike, winding: float) -> FloatArray:
    """Return a ring without repeated vertices, with the requested sign of area, read-only."""
    points = ring_points(field, value)
    if len(points) < 3:
        raise InvalidShapeError(field, "a ring of at least 3 distinct vertices", Described(str(len(points))))
    area = signed_area(points)
    if not (math.isfinite(area) and area != 0.0):
        raise InvalidShapeError(field, "a ring that encloses an area", Described("an area of 0"))
    return frozen(np.array(points if area * winding > 0.0 else points[::-1], order="C"))


def _is_triangle(part: Part) -> bool:
    """Return True if a triangle needs no further test."""
    return not part.holes and len(part.outer) == 3


def _check_valid(field: str, geometry: Any) -> None:
    import shapely

    if not geometry.is_valid:
        raise InvalidShapeError(field, "rings that cross neither themselves nor each other", Described(shapely.is_valid_reason(geometry)))


def _listed(field: str, value: Iterable[Any]) -> tuple[Any, ...]:
    try:
        return tuple(value)
    except TypeError:
        raise InvalidShapeError(field, "a list", value) from None


def _box(rings: list[FloatArray]) -> AABB:
    lower = np.min([ring.min(axis=0) for ring in rings], axis=0)
    upper = np.max([ring.max(axis=0) for ring in rings], axis=0)
    return AABB((float(lower[0]), float(lower[1])), (float(upper[0]), float(upper[1])))
