"""Box2D's ray casts and point tests, from b2Shape::RayCast and TestPoint, which ignore the skin of polygons."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import Box2D
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.box2d.convert import Box2DShape
from engine.box2d.oracle.held import HeldShapes, held_rows
from engine.common.arrays import FloatArray, frozen
from engine.geometry import Circle, FixtureShape, Polygon, Segment

__all__ = ["OracleRays", "PointOracle"]


@dataclass(frozen=True, slots=True)
class OracleRays:
    """Box2D's ray casts in columns: hit flag, fraction and world normal (n, 2), zero if there is no hit; and the duration, seconds."""

    hit: NDArray[np.bool_]
    fraction: FloatArray
    normal: FloatArray
    seconds: float


class PointOracle(HeldShapes):
    """Box2D's ray casts and point tests against a fixed set of shapes.

    `shapes` are as these functions treat them: polygons and edges without skin, edges without ghost vertices. An edge contains no point.
    """

    def __init__(self, shapes: Iterable[FixtureShape]) -> None:
        super().__init__(shapes)
        self.shapes = tuple(map(_bare, self.shapes))

    def contains(self, indices: ArrayLike, xf: ArrayLike, points: ArrayLike) -> tuple[NDArray[np.bool_], float]:
        """Return TestPoint of each shape (n,) at its pose (n, 3) for a point (n, 2), and the duration, seconds.

        Raises
        ------
        InvalidInputError
            An index is out of range, lengths differ, or a number is not representable in float32.
        """
        checked, poses = self._posed(indices, xf)
        where = held_rows("points", points, 2, len(checked))
        made, pose, place = self._made, Box2D.b2Transform(), Box2D._Box2D.b2Transform_Set
        answers: list[bool] = []
        started = time.perf_counter()
        for shape, (x, y, angle), point in zip(checked.tolist(), poses.tolist(), where.tolist(), strict=True):
            place(pose, (x, y), angle)
            answers.append(bool(made[shape].TestPoint(pose, point)))
        return frozen(np.array(answers, dtype=np.bool_)), time.perf_counter() - started

    def rays(self, indices: ArrayLike, xf: ArrayLike, origins: ArrayLike, ends: ArrayLike) -> OracleRays:
        """Return RayCast of each shape (n,) at its pose (n, 3) for a ray from origin to end (n, 2); errors are those of `contains`.

        Normals are not corrected: Box2D 2.3.0 does not rotate the normal of an edge by the pose.
        """
        checked, poses = self._posed(indices, xf)
        starts, stops = held_rows("origins", origins, 2, len(checked)), held_rows("ends", ends, 2, len(checked))
        made, pose, ray, out = self._made, Box2D.b2Transform(), Box2D.b2RayCastInput(), Box2D.b2RayCastOutput()
        place = Box2D._Box2D.b2Transform_Set
        ray.maxFraction = 1.0
        answers: list[tuple[float, ...]] = []
        started = time.perf_counter()
        rows = zip(checked.tolist(), poses.tolist(), starts.tolist(), stops.tolist(), strict=True)
        for shape, (x, y, angle), start, stop in rows:
            place(pose, (x, y), angle)
            ray.p1, ray.p2 = start, stop
            if made[shape].RayCast(out, ray, pose, 0):
                normal = out.normal
                answers.append((1.0, out.fraction, normal.x, normal.y))
            else:
                answers.append((0.0, 0.0, 0.0, 0.0))
        seconds = time.perf_counter() - started
        table = np.array(answers, dtype=np.float64).reshape(-1, 4)
        return OracleRays(frozen(table[:, 0] == 1.0), frozen(table[:, 1].copy()), frozen(table[:, 2:].copy()), seconds)


def _bare(shape: Box2DShape) -> Box2DShape:
    if isinstance(shape, Circle):
        return shape
    return Polygon(shape.vertices) if isinstance(shape, Polygon) else Segment(shape.p1, shape.p2)
