"""The convex polygon.

One test decides both convexity and winding. Around a simple convex polygon, the edge direction turns only one way, and once in total: every
cross product of successive edges has the winding's sign, and the turns sum to 2 pi. A pentagram always turns in the same direction but by 4
pi in total, so the signs alone would accept it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.checks import finite, integer, non_negative, pair, point, positive
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.tolerances import COLLINEAR_ROUNDING
from engine.geometry.aabb import AABB
from engine.geometry.convex import ConvexShape
from engine.geometry.kinds import POLYGON
from engine.geometry.mass import MassProperties, polygon_mass
from engine.geometry.transform import Transform, posed

__all__ = ["Polygon", "corner_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Polygon(ConvexShape):
    """A solid convex polygon, with a rounding of `skin_radius` around it.

    Parameters
    ----------
    vertices : array_like, (n, 2), n >= 3
        Body frame, meters, in either winding. Repeated vertices and vertices on the line of their neighbors, within 3.6e-15
        of the largest coordinate (`COLLINEAR_ROUNDING`), are dropped; the rest is kept as given, reversed if it was clockwise.
        At least three must remain.
    skin_radius : float
        >= 0, meters. Box2D's polygons have `BOX2D_POLYGON_SKIN`.

    Attributes
    ----------
    vertices : float64 (n, 2), read-only
        Counter-clockwise.
    normals : float64 (n, 2), read-only
        ``normals[i]`` is the outward unit normal of the edge from ``vertices[i]`` to the next.

    Raises
    ------
    InvalidShapeError
        Fewer than three distinct vertices, no area, not convex, crossing itself, or not finite.

    Examples
    --------
    >>> Polygon([(0, 0), (0, 1), (1, 1), (1, 0.5), (1, 0)]).vertices.tolist()
    [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """

    kind: ClassVar[int] = POLYGON
    vertices: FloatArray
    skin_radius: float = 0.0
    normals: FloatArray = field(init=False, repr=False)

    def __init__(self, vertices: ArrayLike | Iterable[tuple[float, float]], skin_radius: float = 0.0) -> None:
        try:
            skin = non_negative("skin_radius", skin_radius, "m")
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None
        corners = _strictly_convex(corner_rows(vertices))
        edges = _rolled(corners, 1) - corners
        lengths = np.hypot(edges[:, 0], edges[:, 1])
        normals = np.ascontiguousarray(np.column_stack((edges[:, 1], -edges[:, 0])) / lengths[:, None])
        object.__setattr__(self, "vertices", frozen(corners))
        object.__setattr__(self, "skin_radius", skin)
        object.__setattr__(self, "normals", frozen(normals))

    @classmethod
    def box(
        cls,
        half_width: float,
        half_height: float,
        center: tuple[float, float] = (0.0, 0.0),
        angle: float = 0.0,
        skin_radius: float = 0.0,
    ) -> Polygon:
        """Return a rectangle of size ``2 half_width x 2 half_height`` meters, turned by `angle` about `center`.

        Raises
        ------
        InvalidShapeError
            A half size is not positive, or a number is not finite.
        """
        try:
            half_width, half_height = positive("half_width", half_width, "m"), positive("half_height", half_height, "m")
            frame = Transform(point("center", center), finite("angle", angle, "rad"))
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None
        corners = np.array([(-half_width, -half_height), (half_width, -half_height), (half_width, half_height), (-half_width, half_height)])
        return cls(frame.apply_array(corners), skin_radius)

    @classmethod
    def regular(cls, n_sides: int, radius: float, angle: float = 0.0, skin_radius: float = 0.0) -> Polygon:
        """Return a regular polygon whose corners lie at `radius` meters, the first at `angle`.

        Raises
        ------
        InvalidShapeError
            `n_sides` is not an integer of at least 3, the radius is not positive, or a number is not finite.
        """
        try:
            n_sides, radius = integer("n_sides", n_sides, low=3), positive("radius", radius, "m")
            angle = finite("angle", angle, "rad")
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None
        turn = angle + 2.0 * math.pi * np.arange(n_sides) / n_sides
        return cls(radius * np.column_stack((np.cos(turn), np.sin(turn))), skin_radius)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Polygon):
            return NotImplemented
        return self.skin_radius == other.skin_radius and np.array_equal(self.vertices, other.vertices)

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.skin_radius))

    @property
    def core(self) -> FloatArray:
        """The vertices."""
        return self.vertices

    @property
    def radius(self) -> float:
        """The skin radius."""
        return self.skin_radius

    @property
    def centroid(self) -> tuple[float, float]:
        """Center of the area, without the skin."""
        return _unit_mass(self).centroid

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Polygon:
        """Return the polygon with mapped points; see `ConvexShape`."""
        return Polygon(place(self.vertices), self.skin_radius if radius is None else radius)

    def aabb(self, xf: Transform) -> AABB:
        """Return the tight box around the polygon and its skin at the pose `xf`."""
        world = posed(xf).apply_array(self.vertices)
        lower, upper = world.min(axis=0) - self.skin_radius, world.max(axis=0) + self.skin_radius
        return AABB((float(lower[0]), float(lower[1])), (float(upper[0]), float(upper[1])))

    def mass(self, density: float = 1.0) -> MassProperties:
        """Return area, mass, centroid and inertia about the centroid for `density` kg/m^2; the skin weighs nothing."""
        density = non_negative("density", density, "kg/m^2")
        return _unit_mass(self) if density == 1.0 else polygon_mass(self.vertices, density)


@lru_cache(maxsize=4096)
def _unit_mass(polygon: Polygon) -> MassProperties:
    """Return the properties for 1 kg/m^2, which packing requests repeatedly: cached, they take 0.3 us instead of 60."""
    return polygon_mass(polygon.vertices, 1.0)


def corner_rows(vertices: object) -> FloatArray:
    """Return the given vertices as float64 (n, 2).

    Raises
    ------
    InvalidShapeError
        They are not pairs of finite numbers.
    """
    try:
        # an iterator may have no end: each corner is looked at as it comes
        corners = np.array(vertices if hasattr(vertices, "__len__") else [pair("vertices", vertex, "(x, y) pairs") for vertex in vertices])  # type: ignore[attr-defined]
        if corners.dtype.kind not in "iuf":  # text that reads as a number, True, dates
            raise TypeError
        points = corners.astype(np.float64)
    except Exception:  # no numbers, or an object of somebody else's, who raises what he likes
        raise InvalidShapeError("vertices", "(x, y) pairs of numbers in meters", vertices) from None
    if points.ndim != 2 or points.shape[1] != 2:
        raise InvalidShapeError("vertices", "an (n, 2) array", Described(f"shape {points.shape}"))
    is_finite = np.isfinite(points).all(axis=1)
    if not is_finite.all():
        bad = int(np.flatnonzero(~is_finite)[0])
        raise InvalidShapeError(f"vertices[{bad}]", "finite", tuple(points[bad].tolist()))
    return points


def _strictly_convex(points: FloatArray) -> FloatArray:
    """Drop repeated and collinear vertices, orient counter-clockwise, and reject polygons that are not convex and simple."""
    resolution = COLLINEAR_ROUNDING * float(np.abs(points).max(initial=0.0))
    numbers = _distinct(points, resolution)
    kept = points[numbers]
    n_distinct = len(set(map(tuple, kept.tolist())))
    if n_distinct < 3:
        raise InvalidShapeError("vertices", "at least 3 distinct points", Described(n_distinct))
    before = kept - _rolled(kept, -1)
    after = _rolled(kept, 1) - kept
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    dot = (before * after).sum(axis=1)
    # cross = |before| |after| sin(turn); divided by the longer edge it is a distance, comparable with the resolution
    on_line = np.abs(cross) <= resolution * np.hypot(before[:, 0], before[:, 1]) + resolution * np.hypot(after[:, 0], after[:, 1])
    if np.count_nonzero(~on_line) < 3:
        raise InvalidShapeError("vertices", "points that enclose an area", Described("points on one line"))
    turns = np.arctan2(cross, dot)
    if (on_line & (dot < 0.0)).any():
        at = int(np.flatnonzero(on_line & (dot < 0.0))[0])
        raise InvalidShapeError("vertices", "convex and simple", Described(f"an edge that folds back at {_named(kept, numbers, at)}"))
    winding = 1.0 if float(turns.sum()) > 0.0 else -1.0
    wrong = ~on_line & (cross * winding < 0.0)
    if wrong.any():
        across = before + after
        depths = np.where(wrong, np.abs(cross) / np.maximum(np.hypot(across[:, 0], across[:, 1]), resolution), -1.0)
        at = int(depths.argmax())
        raise InvalidShapeError("vertices", "convex", Described(f"a dent of {depths[at]:.2g} m at {_named(kept, numbers, at)}"))
    if round(abs(float(turns.sum())) / (2.0 * math.pi)) != 1:
        raise InvalidShapeError("vertices", "convex and simple", Described("an outline that crosses itself"))
    corners = kept[~on_line]
    return np.ascontiguousarray(corners if winding > 0.0 else corners[::-1])


def _distinct(points: FloatArray, resolution: float) -> IntArray:
    """Return the indices of the points that differ from the previous one."""
    if len(points) == 0:
        return np.zeros(0, dtype=np.int64)
    step = points - _rolled(points, -1)
    return np.flatnonzero(np.hypot(step[:, 0], step[:, 1]) > resolution)


def _named(kept: FloatArray, numbers: IntArray, at: int) -> str:
    """Return a corner's number as given, and its coordinates, with enough digits for float32."""
    x, y = kept[at].tolist()
    return f"vertices[{numbers[at]}], ({x:.9g}, {y:.9g})"


def _rolled(points: FloatArray, by: int) -> FloatArray:
    """Return the points rotated by `by` places; `np.roll` works for any axis but takes five times as long."""
    return np.concatenate((points[by:], points[:by]))
