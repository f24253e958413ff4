"""Box2D's bounding boxes and masses, from b2Shape::ComputeAABB and ComputeMass, for all supported shapes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import Box2D
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.box2d.convert import Box2DShape, to_fixture_shape
from engine.box2d.oracle.held import HeldShapes, held_rows
from engine.common.arrays import FloatArray, frozen
from engine.common.errors import InvalidShapeError

__all__ = ["OracleMasses", "ShapeOracle"]


@dataclass(frozen=True, slots=True)
class OracleMasses:
    """Box2D's mass data in columns: mass, kg, center of mass (n, 2), inertia about the *local origin*; and the duration, seconds.

    `is_refused` is True if Box2D created the polygon, but its area was too small to compute the mass; the numbers are then 0.
    """

    mass: FloatArray
    center: FloatArray
    inertia: FloatArray
    is_refused: NDArray[np.bool_]
    seconds: float


class ShapeOracle(HeldShapes):
    """Box2D's bounding boxes and mass data for a fixed set of shapes.

    Parameters
    ----------
    shapes : iterable of Circle, Polygon or Segment
        As for `HeldShapes`.
    otherwise : iterable of Circle, Polygon or Segment, optional
        Replacement of each shape that Box2D rejects or would change.
    """

    def __init__(self, shapes: Iterable[Box2DShape], otherwise: Iterable[Box2DShape] = ()) -> None:
        self._hold([_made(shape, other) for shape, other in zip_longest(shapes, otherwise)])

    def boxes(self, indices: ArrayLike, xf: ArrayLike) -> tuple[FloatArray, float]:
        """Return the bounding boxes (n, 4) of shapes (n,) at poses (n, 3), skins included, and the duration, seconds.

        Raises
        ------
        InvalidInputError
            An index is out of range, lengths differ, or a pose is not representable in float32.
        """
        chosen, poses = self._posed(indices, xf)
        # pybox2d's getAABB creates a new box for each call, but the underlying function reuses this one
        compute = Box2D._Box2D.b2Shape___ComputeAABB
        box, pose, made = Box2D.b2AABB(), Box2D.b2Transform(), self._made
        answers: list[tuple[float, ...]] = []
        started = time.perf_counter()
        for shape, (x, y, angle) in zip(chosen.tolist(), poses.tolist(), strict=True):
            pose.Set((x, y), angle)
            compute(made[shape], box, pose, 0)
            lower, upper = box.lowerBound, box.upperBound
            answers.append((lower.x, lower.y, upper.x, upper.y))
        seconds = time.perf_counter() - started
        return frozen(np.array(answers, dtype=np.float64).reshape(-1, 4)), seconds

    def masses(self, density: ArrayLike) -> OracleMasses:
        """Return the mass data of every shape for densities (n,), kg/m^2; edges have no mass.

        Raises
        ------
        InvalidInputError
            Lengths differ, or a density is not representable in float32.
        """
        densities = held_rows("density", np.asarray(density, dtype=np.float64).reshape(-1, 1), 1, len(self._made))
        compute, data = Box2D._Box2D.b2Shape___ComputeMass, Box2D.b2MassData()
        answers: list[tuple[float, ...]] = []
        started = time.perf_counter()
        for shape, area_density in zip(self._made, densities[:, 0].tolist(), strict=True):
            try:
                compute(shape, data, area_density)
            except AssertionError:
                answers.append(_REFUSED)
                continue
            center = data.center
            answers.append((data.mass, center.x, center.y, data.I, 0.0))
        seconds = time.perf_counter() - started
        table = np.array(answers, dtype=np.float64).reshape(-1, 5)
        mass, center, inertia = (np.ascontiguousarray(part) for part in (table[:, 0], table[:, 1:3], table[:, 3]))
        return OracleMasses(frozen(mass), frozen(center), frozen(inertia), frozen(table[:, 4] == 1.0), seconds)


def _made(shape: Box2DShape, otherwise: Box2DShape | None) -> tuple[Any, Box2DShape]:
    try:
        return to_fixture_shape(shape)
    except InvalidShapeError:
        if otherwise is None:
            raise
    return _made(otherwise, None)


_REFUSED = (0.0, 0.0, 0.0, 0.0, 1.0)
