"""Box2D's convex hulls: the vertices that b2PolygonShape computes for a set of points, or its error message.

As in `engine.box2d.oracle.pairs`, all numbers are float32, so that both sides get the same input, and results are copied immediately.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import Box2D
import numpy as np
from numpy.typing import NDArray

from engine.box2d.wrap import wrapping
from engine.common.arrays import FloatArray, IntArray, finite_rows, frozen
from engine.common.errors import InvalidInputError

__all__ = ["MAX_POINTS", "OracleHulls", "box2d_hulls"]

MAX_POINTS = 16
"""Maximum number of points of a b2PolygonShape (b2_maxPolygonVertices of the wheel)."""


@dataclass(frozen=True, slots=True)
class OracleHulls:
    """Box2D's hulls: corners (m, 2) of each set, or None and an error message if Box2D rejected it, and the duration, seconds.

    `wrapped` (n, 16) and `n_wrapped` (n,) are the result of Box2D's algorithm repeated in float32: indices of points, padded with -1, and
    their number. It is -1 if the algorithm would not terminate; Box2D is then not called, because it would write past its array.
    """

    corners: tuple[FloatArray | None, ...]
    refusals: tuple[str, ...]
    wrapped: IntArray
    n_wrapped: IntArray
    seconds: float


def box2d_hulls(sets: Sequence[FloatArray]) -> OracleHulls:
    """Return the hulls that b2PolygonShape computes for sets (k, 2) of 3 to 16 points.

    Raises
    ------
    InvalidInputError
        A set has a different shape, or a number is not representable in float32.
    """
    wrapped: IntArray = np.full((len(sets), MAX_POINTS), -1, dtype=np.int64)
    n_wrapped: IntArray = np.full(len(sets), -1, dtype=np.int64)
    for row, points in enumerate(sets):
        checked = finite_rows(f"sets[{row}]", points, 2)
        if not 3 <= len(checked) <= MAX_POINTS:
            raise InvalidInputError(f"sets[{row}]", f"3 to {MAX_POINTS} points", len(checked))
        held = checked.astype(np.float32)
        if not np.array_equal(checked, held):
            raise InvalidInputError(f"sets[{row}]", "numbers representable in float32", "others")
        order, is_closed = wrapping(held)
        wrapped[row, : len(order)] = order
        if is_closed:
            n_wrapped[row] = len(order)

    corners: list[FloatArray | None] = []
    refusals: list[str] = []
    started = time.perf_counter()
    for points, is_safe in zip(sets, (n_wrapped >= 0).tolist(), strict=True):
        hull, refusal = _box2d_hull([(x, y) for x, y in points.tolist()]) if is_safe else (None, "skipped: it would not terminate")
        corners.append(hull)
        refusals.append(refusal)
    seconds = time.perf_counter() - started
    return OracleHulls(tuple(corners), tuple(refusals), frozen(wrapped), frozen(n_wrapped), seconds)


def _box2d_hull(points: list[tuple[float, float]]) -> tuple[FloatArray | None, str]:
    try:
        made = Box2D.b2PolygonShape(vertices=points)
    except (AssertionError, ValueError) as error:
        return None, str(error).rpartition("vertices: ")[2]
    held: NDArray[np.float64] = np.array(made.vertices, dtype=np.float64)
    return held, ""
