"""Box2D's own hulls: the corners that b2PolygonShape makes of a set of points, or its refusal.

As in `engine.box2d.oracle.pairs`: all numbers are float32's, so that both sides are asked the same, and everything is copied out at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import Box2D
import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows, frozen
from engine.common.errors import InvalidInputError

__all__ = ["MOST_POINTS", "OracleHulls", "box2d_hulls"]

MOST_POINTS = 16
"""Points that b2PolygonShape takes at most (b2_maxPolygonVertices of the wheel)."""


@dataclass(frozen=True, slots=True)
class OracleHulls:
    """Box2D's hulls: corners (m, 2) of each set, None where it refused, and then its words; seconds it took.

    `wrapped` (n, 16) and `n_wrapped` (n,) are what Box2D's rule gives when repeated in float32: indices of points, -1 where it would
    not end; there Box2D was not asked, for it would write past its own array.
    """

    corners: tuple[FloatArray | None, ...]
    refusals: tuple[str, ...]
    wrapped: IntArray
    n_wrapped: IntArray
    seconds: float


def box2d_hulls(sets: Sequence[FloatArray]) -> OracleHulls:
    """Return what b2PolygonShape makes of each set (k, 2) of 3 to 16 points.

    Raises
    ------
    InvalidInputError
        A set of another shape, or with numbers that float32 does not hold.
    """
    from engine.box2d._wrap_kernel import wrap_hulls

    points = np.zeros((len(sets), MOST_POINTS, 2), dtype=np.float32)
    counts = np.zeros(len(sets), dtype=np.int64)
    for row, given in enumerate(sets):
        checked = finite_rows(f"sets[{row}]", given, 2)
        if not 3 <= len(checked) <= MOST_POINTS:
            raise InvalidInputError(f"sets[{row}]", f"3 to {MOST_POINTS} points", len(checked))
        points[row, : len(checked)], counts[row] = checked, len(checked)
        if not np.array_equal(checked, points[row, : len(checked)]):
            raise InvalidInputError(f"sets[{row}]", "numbers that float32 holds", "others")
    wrapped: IntArray = np.full((len(sets), MOST_POINTS), -1, dtype=np.int64)
    n_wrapped = wrap_hulls(points, counts, wrapped)

    corners: list[FloatArray | None] = []
    refusals: list[str] = []
    started = time.perf_counter()
    for given, is_safe in zip(sets, (n_wrapped >= 0).tolist(), strict=True):
        held, refusal = _asked([(x, y) for x, y in given.tolist()]) if is_safe else (None, "not asked: its rule would not end")
        corners.append(held)
        refusals.append(refusal)
    seconds = time.perf_counter() - started
    return OracleHulls(tuple(corners), tuple(refusals), frozen(wrapped), frozen(n_wrapped), seconds)


def _asked(points: list[tuple[float, float]]) -> tuple[FloatArray | None, str]:
    try:
        made = Box2D.b2PolygonShape(vertices=points)
    except (AssertionError, ValueError) as error:
        return None, str(error).rpartition("vertices: ")[2]
    held: NDArray[np.float64] = np.array(made.vertices, dtype=np.float64)
    return held, ""
