"""Input of all oracles. Shapes are created once, as Box2D represents them, and numbers are float32: both sides get the same input.

An oracle computes nothing itself, so that it cannot share an error with our algorithms; all numbers are copied from Box2D immediately.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import Box2D
import numpy as np
from numpy.typing import ArrayLike

from engine.box2d.convert import Box2DShape, to_fixture_shape
from engine.common.arrays import FloatArray, IntArray, finite_rows, frozen, index_column, index_pairs
from engine.common.errors import InvalidInputError
from engine.geometry import Circle, FixtureShape, Polygon, Segment, Shape

__all__ = ["HeldShapes", "held_poses", "held_rotation", "held_rows", "round_pose", "round_shape"]


class HeldShapes:
    """Base class of oracles over a fixed set of shapes.

    Parameters
    ----------
    shapes : iterable of Circle, Polygon or Segment
        Must be representable in float32 (`round_shape`); skins become Box2D's. A segment becomes an edge with its ghost vertices. Box2D
        divides by its length without a check, so its ends must be more than 1.2e-7 m apart.

    Attributes
    ----------
    shapes : tuple of Circle, Polygon or Segment
        The shapes as Box2D represents them, with its vertex order and skin.

    Raises
    ------
    InvalidShapeError
        Box2D rejects a polygon or would change it, or an edge is too short or not representable in float32.
    """

    def __init__(self, shapes: Iterable[FixtureShape]) -> None:
        self._hold([to_fixture_shape(shape) for shape in shapes])

    def _hold(self, made: list[tuple[Any, Box2DShape]]) -> None:
        self._made: list[Any] = [shape for shape, _ in made]
        self.shapes: tuple[Box2DShape, ...] = tuple(held for _, held in made)

    @cached_property
    def centroids(self) -> FloatArray:
        """The float32 centroids that Box2D stores in its shapes and uses in collision, not centers of mass; midpoints of edges (n, 2)."""
        centroids = [_centroid(made, shape) for made, shape in zip(self._made, self.shapes, strict=True)]
        return frozen(np.array(centroids, dtype=np.float64).reshape(-1, 2))

    def _posed(self, indices: ArrayLike, xf: ArrayLike) -> tuple[IntArray, FloatArray]:
        chosen = index_column("indices", indices, len(self._made))
        return chosen, held_poses("xf", xf, len(chosen))

    def _posed_pairs(self, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> tuple[IntArray, FloatArray, FloatArray]:
        checked = index_pairs("pairs", pairs, len(self._made))
        return checked, held_poses("xf_a", xf_a, len(checked)), held_poses("xf_b", xf_b, len(checked))


def _centroid(made: Any, shape: Box2DShape) -> tuple[float, float]:
    if isinstance(shape, Circle):
        return shape.center
    if isinstance(shape, Segment):
        return 0.5 * (shape.p1[0] + shape.p2[0]), 0.5 * (shape.p1[1] + shape.p2[1])
    return float(made.centroid.x), float(made.centroid.y)


def round_shape(shape: Shape) -> Shape:
    """Return `shape` with its numbers rounded to float32; a polygon's skin becomes 0."""
    if isinstance(shape, Circle):
        return Circle(float(np.float32(shape.radius)), (float(np.float32(shape.center[0])), float(np.float32(shape.center[1]))))
    return Polygon(shape.vertices.astype(np.float32).astype(np.float64))


def round_pose(poses: ArrayLike) -> FloatArray:
    """Return poses (n, 3) rounded to float32."""
    return np.asarray(poses, dtype=np.float32).astype(np.float64)


def held_rotation(angle: float) -> tuple[float, float]:
    """Return the float32 cosine and sine that Box2D computes for an angle."""
    xf = Box2D.b2Transform()
    xf.Set((0.0, 0.0), angle)
    return float(xf.q.c), float(xf.q.s)


def held_poses(field: str, poses: ArrayLike, length: int) -> FloatArray:
    """Return poses (n, 3) after checking that they are representable in float32."""
    checked = finite_rows(field, poses, 3, length)
    if not np.array_equal(checked, round_pose(checked)):
        raise InvalidInputError(field, "numbers representable in float32 (round_pose)", "others")
    return checked


def held_rows(field: str, rows: ArrayLike, width: int, length: int) -> FloatArray:
    """Return rows (n, width) after checking that they are representable in float32."""
    checked = finite_rows(field, rows, width, length)
    if not np.array_equal(checked, checked.astype(np.float32).astype(np.float64)):
        raise InvalidInputError(field, "numbers representable in float32", "others")
    return checked
