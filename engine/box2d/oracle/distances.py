"""Box2D's own distances: b2Distance, for every kind of shape the wheel has, in any order.

As in `engine.box2d.oracle.pairs`: nothing is computed here, shapes are made once, numbers are copied out at once, and all numbers are
float32's, so that both sides are asked the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import Box2D
import numpy as np
from numpy.typing import ArrayLike

from engine.box2d.convert import to_fixture_shape
from engine.box2d.oracle.held import held_poses
from engine.common.arrays import FloatArray, IntArray, frozen, index_pairs
from engine.geometry import Circle, Polygon, Segment

__all__ = ["DistanceOracle", "OracleDistances"]


@dataclass(frozen=True, slots=True)
class OracleDistances:
    """Box2D's distances in columns: 0, never less, where the shapes overlap; the points (n, 2) it calls nearest; seconds it took."""

    distance: FloatArray
    point_a: FloatArray
    point_b: FloatArray
    iterations: IntArray
    seconds: float


class DistanceOracle:
    """b2Distance over a fixed set of shapes.

    Parameters
    ----------
    shapes : iterable of Circle, Polygon or Segment
        Numbers that float32 holds (`round_shape`); skins become Box2D's.

    Attributes
    ----------
    shapes : tuple of Circle, Polygon or Segment
        As Box2D holds them.

    Raises
    ------
    InvalidShapeError
        Box2D refuses a polygon, or would change it; an edge has no length, or a number that float32 does not hold.
    """

    def __init__(self, shapes: Iterable[Circle | Polygon | Segment]) -> None:
        made = [to_fixture_shape(shape) for shape in shapes]
        self._made: list[Any] = [one for one, _ in made]
        self.shapes: tuple[Circle | Polygon | Segment, ...] = tuple(held for _, held in made)

    def distances(self, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike, use_radii: bool = True) -> OracleDistances:
        """Return b2Distance of each pair (n, 2) at poses (n, 3): of the shapes with radii and skins, or of their cores.

        Where the shapes overlap, both points are Box2D's one guess at a common point.

        Raises
        ------
        InvalidInputError
            An index out of range, lengths that differ, or a pose that float32 does not hold.
        """
        checked = index_pairs("pairs", pairs, len(self._made))
        poses_a, poses_b = held_poses("xf_a", xf_a, len(checked)), held_poses("xf_b", xf_b, len(checked))
        # the extension's own functions: the Python ones around them take twice as long
        made, measure, place = self._made, Box2D._Box2D._b2Distance, Box2D._Box2D.b2Transform_Set
        xf_1, xf_2 = Box2D.b2Transform(), Box2D.b2Transform()
        answers: list[tuple[float, ...]] = []
        started = time.perf_counter()
        for (a, b), (x1, y1, angle_1), (x2, y2, angle_2) in zip(checked.tolist(), poses_a.tolist(), poses_b.tolist(), strict=True):
            place(xf_1, (x1, y1), angle_1)
            place(xf_2, (x2, y2), angle_2)
            out = measure(made[a], 0, made[b], 0, xf_1, xf_2, use_radii)
            at_a, at_b = out.pointA, out.pointB
            answers.append((at_a.x, at_a.y, at_b.x, at_b.y, out.distance, out.iterations))
        seconds = time.perf_counter() - started
        table = np.array(answers, dtype=np.float64).reshape(-1, 6)
        points_a, points_b, gap = (np.ascontiguousarray(part) for part in (table[:, :2], table[:, 2:4], table[:, 4]))
        return OracleDistances(frozen(gap), frozen(points_a), frozen(points_b), frozen(table[:, 5].astype(np.int64)), seconds)

    def gaps(self, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> tuple[FloatArray, float]:
        """Return the distances alone, with radii, and the seconds they took, which are fewer; errors as in `distances`."""
        checked = index_pairs("pairs", pairs, len(self._made))
        poses_a, poses_b = held_poses("xf_a", xf_a, len(checked)), held_poses("xf_b", xf_b, len(checked))
        made, measure, place = self._made, Box2D._Box2D._b2Distance, Box2D._Box2D.b2Transform_Set
        xf_1, xf_2 = Box2D.b2Transform(), Box2D.b2Transform()
        answers: list[float] = []
        started = time.perf_counter()
        for (a, b), (x1, y1, angle_1), (x2, y2, angle_2) in zip(checked.tolist(), poses_a.tolist(), poses_b.tolist(), strict=True):
            place(xf_1, (x1, y1), angle_1)
            place(xf_2, (x2, y2), angle_2)
            answers.append(measure(made[a], 0, made[b], 0, xf_1, xf_2, True).distance)
        return frozen(np.array(answers, dtype=np.float64)), time.perf_counter() - started
