"""Numbers that float32 holds: shapes and poses rounded to them, so that Box2D and we are asked the same, and poses refused that are not."""

from __future__ import annotations

import Box2D
import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, finite_rows
from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon, Shape

__all__ = ["held_poses", "held_rotation", "round_pose", "round_shape"]


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
