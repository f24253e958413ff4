"""Corners of a polygon that float32 cannot distinguish from the line of their neighbors.

Coordinates that were rounded to float32, such as those of Box2D and its editors, put a corner that lies on that line a little to one
side of it. This makes either a bump, which confuses Box2D's hull routine, or a dent, so that the polygon is no longer convex::

              b                              a ------------------- c
        a --------- c    h off the line             b

Such a corner is *flat*: it is off the segment between its neighbors by at most

    h = EPS32 R + FLOAT32_TURN (|ab| + |bc|),     R the largest distance of a corner from the local origin

where the first term covers the rounding of the three corners (`FLOAT32_CORNER`), and the second the rounding of quantities computed from
them (a turn whose sign Box2D can determine, `FLOAT32_TURN`). Both terms grow with the polygon and do not depend on direction: scaling,
rotating or mirroring does not change which corners are flat. The distance is measured from the *segment*, so the tip of a spike is not
flat, although it is collinear with its neighbors.

Flat corners are dropped only if the polygon is not accepted with them, one by one, the flattest first; an accepted polygon keeps all its
corners. A corner is not dropped if that removes more than `FLAT_SHARE` of the area: a shape as thin as float32 rounding is not a polygon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import InvalidInputError
from engine.common.tolerances import COLLINEAR_ROUNDING, FLAT_SHARE, FLOAT32_CORNER, FLOAT32_TURN, MIN_NORMAL

__all__ = ["FlatCorner", "corners_left_out", "flattest_corner", "without_flat_corners"]

_MOST = 256
"""Maximum number of corners for which flat ones are searched: the polygon is tried again after each."""

_Made = TypeVar("_Made")


class FlatCorner(NamedTuple):
    """A corner of a polygon: its number and coordinates as given, and its distance from the line of its neighbors, meters."""

    number: int
    corner: tuple[float, float]
    offset: float

    @property
    def place(self) -> str:
        """Its coordinates, with enough digits for float32."""
        return f"({self.corner[0]:.9g}, {self.corner[1]:.9g})"

    @property
    def words(self) -> str:
        """Description of its position and its distance from the line."""
        return f"vertices[{self.number}], {self.place}, {self.offset:.2g} m off the line of its neighbors"


def without_flat_corners(corners: FloatArray, make: Callable[[FloatArray], _Made]) -> _Made:
    """Return `make` applied to a polygon's corners; if it rejects them, flat corners are dropped one after the other until it does not.

    Parameters
    ----------
    corners : float64 (n, 2)
        In either winding, as accepted by `make`.
    make : callable
        Makes a polygon, or an object with one, from as many corners: a dropped corner repeats the one before it, which `Polygon` removes,
        so error messages number corners as given.

    Raises
    ------
    InvalidInputError
        The error of `make` when no flat corner is left.
    """
    kept = np.arange(len(corners))
    while True:
        try:
            return make(corners[kept[np.searchsorted(kept, np.arange(len(corners)), side="right") - 1]])
        except InvalidInputError:
            flat = _flattest(corners, kept) if len(kept) > 3 and len(corners) <= _MOST else None
            if flat is None:
                raise
            kept = np.delete(kept, flat)


@np.errstate(over="ignore", invalid="ignore")  # corners beyond all bounds are refused where they are used
def corners_left_out(given: FloatArray, made: FloatArray) -> list[FlatCorner]:
    """Return the given corners (n, 2) that the resulting polygon (m, 2) lacks, except for repeated and collinear ones."""
    have = set(map(tuple, made.tolist()))
    is_kept = np.array([tuple(corner) in have for corner in given.tolist()])
    kept = np.flatnonzero(is_kept)
    resolution = COLLINEAR_ROUNDING * float(np.abs(given).max(initial=0.0))
    left_out = []
    for number in np.flatnonzero(~is_kept).tolist() if len(kept) else ():
        at = int(np.searchsorted(kept, number))
        offset = float(_offsets(given[kept[[at - 1]]], given[[number]], given[kept[[at % len(kept)]]])[0])
        if offset > resolution:
            left_out.append(FlatCorner(number, (float(given[number, 0]), float(given[number, 1])), offset))
    return left_out


@np.errstate(over="ignore", invalid="ignore")
def flattest_corner(corners: FloatArray) -> FlatCorner:
    """Return the corner (of n, 2) whose distance from the line of its neighbors is smallest relative to its two edges."""
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    offsets = _offsets(before, corners, after)
    at = int((offsets / (np.hypot(*(corners - before).T) + np.hypot(*(after - corners).T))).argmin())
    return FlatCorner(at, (float(corners[at, 0]), float(corners[at, 1])), float(offsets[at]))


@np.errstate(over="ignore", invalid="ignore")
def _flattest(corners: FloatArray, kept: IntArray) -> int | None:
    """Return the index, among the kept corners, of the flattest one; None if none is flat."""
    here = corners[kept]
    before, after = np.roll(here, 1, axis=0), np.roll(here, -1, axis=0)
    reach = float(np.hypot(here[:, 0], here[:, 1]).max())
    lengths = np.hypot(*(here - before).T) + np.hypot(*(after - here).T)
    share = _offsets(before, here, after) / (FLOAT32_CORNER * reach + FLOAT32_TURN * lengths + MIN_NORMAL)
    goes = np.abs(_cross(here - before, after - here))
    share[goes > FLAT_SHARE * abs(float(_cross(here - here[0], after - here[0]).sum()))] = np.inf
    flattest = int(share.argmin())
    return flattest if share[flattest] <= 1.0 else None


def _offsets(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Return the distance of each b from the segment from a to c."""
    along = c - a
    length_sq = (along**2).sum(axis=1)
    share = np.clip(((b - a) * along).sum(axis=1) / np.where(length_sq > 0.0, length_sq, 1.0), 0.0, 1.0)
    offsets: FloatArray = np.hypot(*(b - a - share[:, None] * along).T)
    return offsets


def _cross(u: FloatArray, v: FloatArray) -> FloatArray:
    turned: FloatArray = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    return turned
