"""Input of all oracles: shapes as Box2D holds them, made once, and numbers that float32 holds, so that both sides get the same input.

An oracle computes nothing itself, so that an error of our algorithms cannot repeat itself; every number is copied out of Box2D at once.
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
    """A fixed set of shapes, for an oracle over them.

    Parameters
    ----------
    shapes : iterable of Circle, Polygon or Segment
        Numbers that float32 holds (`round_shape`); skins become Box2D's. A segment becomes an edge, with its ghost vertices; Box2D divides
        by its length without a look at it, so the two ends must be 1.2e-7 m apart.

    Attributes
    ----------
    shapes : tuple of Circle, Polygon or Segment
        As Box2D holds them, in its order of vertices, with its skin.

    Raises
    ------
    InvalidShapeError
        Box2D refuses a polygon, or would change it; an edge has no length, or a number that float32 does not hold.
    """

    def __init__(self, shapes: Iterable[FixtureShape]) -> None:
        self._hold([to_fixture_shape(shape) for shape in shapes])

    def _hold(self, made: list[tuple[Any, Box2DShape]]) -> None:
        self._made: list[Any] = [shape for shape, _ in made]
        self.shapes: tuple[Box2DShape, ...] = tuple(held for _, held in made)

    @cached_property
    def centroids(self) -> FloatArray:
        """The float32 centroids that Box2D keeps with its shapes and collides with, not those of the mass; the middle of an edge (n, 2)."""
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
    """Return the shape whose numbers are those of `shape` rounded to float32; a polygon's skin becomes 0."""
    if isinstance(shape, Circle):
        return Circle(float(np.float32(shape.radius)), (float(np.float32(shape.center[0])), float(np.float32(shape.center[1]))))
    return Polygon(shape.vertices.astype(np.float32).astype(np.float64))


def round_pose(poses: ArrayLike) -> FloatArray:
    """Return poses (n, 3), every number rounded to float32."""
    return np.asarray(poses, dtype=np.float32).astype(np.float64)


def held_rotation(angle: float) -> tuple[float, float]:
    """Return the float32 cosine and sine that Box2D makes of an angle."""
    xf = Box2D.b2Transform()
    xf.Set((0.0, 0.0), angle)
    return float(xf.q.c), float(xf.q.s)


def held_poses(field: str, poses: ArrayLike, length: int) -> FloatArray:
    """Return poses (n, 3) of numbers that float32 holds, and refuse others."""
    checked = finite_rows(field, poses, 3, length)
    if not np.array_equal(checked, round_pose(checked)):
        raise InvalidInputError(field, "numbers that float32 holds (round_pose)", "others")
    return checked


def held_rows(field: str, rows: ArrayLike, width: int, length: int) -> FloatArray:
    """Return rows (n, width) of numbers that float32 holds, and refuse others."""
    checked = finite_rows(field, rows, width, length)
    if not np.array_equal(checked, checked.astype(np.float32).astype(np.float64)):
        raise InvalidInputError(field, "numbers that float32 holds", "others")
    return checked
