"""Exact overlap test of two outlines, the reference for judging bounding volumes.

An outline is the area within its rings by the even-odd rule: outer edges, holes, several parts, in any direction; closed, so the edges
belong to it. Two outlines share a point if and only if

- an edge of one meets an edge of the other, or
- a ring of one lies within the other. If no edges meet, a ring is either entirely inside or entirely outside, and one of its corners
  decides::

      +---------+
      |  +---+  |         no edge meets another: is the first corner of each ring inside the other outline?
      |  |   |  |
      |  +---+  |         a ray from it crosses the edges an odd number of times
      +---------+

B is transformed to A's frame first, so that the numbers are no larger than the distance of the outlines. Edges whose boxes miss the other
outline's box are skipped; the others are tested edge against edge (`_outline_kernel`). There is no decomposition into convex pieces and no
search, so the test is slow but simple enough to trust.

Touching is judged in floating point: for two outlines closer than about 10 EPS64 of their size, either result is possible.

Source: J. O'Rourke, Computational Geometry in C, 1998, 1.5 and 7.4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.geometry import Transform

__all__ = ["Rings", "outline_area", "outlines_meeting", "outlines_overlap", "rings_of"]

Rings = Sequence[FloatArray]
"""Closed rings, float64 (n, 2) each, the last corner not repeated."""


def rings_of(rings: Sequence[ArrayLike]) -> tuple[FloatArray, ...]:
    """Return rings in the form that the functions of this module expect.

    Raises
    ------
    InvalidShapeError
        There is none, or one has fewer than three corners or a number that is not finite.
    """
    try:
        checked_rings = tuple(finite_rows(f"rings[{k}]", ring, 2) for k, ring in enumerate(rings))
    except InvalidInputError as error:
        raise InvalidShapeError(error.field, error.requirement, error.value) from None
    if not checked_rings:
        raise InvalidShapeError("rings", "at least one", Described("none"))
    for k, ring in enumerate(checked_rings):
        if len(ring) < 3:
            raise InvalidShapeError(f"rings[{k}]", "at least 3 corners", Described(len(ring)))
    return checked_rings


def outline_area(rings: Rings) -> float:
    """Return the area by the even-odd rule, of rings that do not cross each other.

    Examples
    --------
    >>> square = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    >>> outline_area([2.0 * square, square])
    12.0
    """
    area = 0.0
    for k, ring in enumerate(rings):
        own = ring - ring[0]
        after = np.roll(own, -1, axis=0)
        twice = abs(float((own[:, 0] * after[:, 1] - own[:, 1] * after[:, 0]).sum()))
        depth = sum(bool(_is_in(ring[:1], other)[0]) for at, other in enumerate(rings) if at != k)
        area += 0.5 * twice if depth % 2 == 0 else -0.5 * twice
    return area


def outlines_overlap(rings_a: Rings, xf_a: Transform, rings_b: Rings, xf_b: Transform) -> bool:
    """Return True if two outlines at two poses overlap; an outline inside the other counts, but not one inside the other's hole.

    Examples
    --------
    >>> square = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    >>> frame = [2.0 * square, 1.5 * square]
    >>> outlines_overlap(frame, Transform(), [square], Transform()), outlines_overlap(frame, Transform(), [square], Transform((0.6, 0.0)))
    (False, True)
    """
    from engine.bounding._outline_kernel import outlines_meet

    placed = (np.array([(*xf.position, xf.cos, xf.sin)]) for xf in (xf_a, xf_b))
    return bool(outlines_meet(*_packed(rings_a), *_packed(rings_b), *placed)[0])


def outlines_meeting(rings: Rings, poses: FloatArray) -> NDArray[np.bool_]:
    """Return True for each pose in the first half of poses (2 n, 3) if its outline and that of its partner in the second half overlap."""
    from engine.bounding._outline_kernel import outlines_meet
    from engine.geometry._rotation_kernel import turn_poses

    n = len(poses) // 2
    turned = np.empty((len(poses), 4))
    turn_poses(np.ascontiguousarray(poses), turned)
    packed = _packed(rings)
    meeting: NDArray[np.bool_] = outlines_meet(*packed, *packed, turned[:n], turned[n:])
    return meeting


def _packed(rings: Rings) -> tuple[FloatArray, IntArray, IntArray]:
    """Return all corners, the index of the corner after each, and the index of the first of each ring."""
    sizes = np.array([len(ring) for ring in rings], dtype=np.int64)
    first = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    after = np.concatenate([begin + (np.arange(size) + 1) % size for begin, size in zip(first, sizes, strict=True)])
    return np.concatenate(list(rings)), after.astype(np.int64), first


def _is_in(points: FloatArray, ring: FloatArray) -> NDArray[np.bool_]:
    """Count crossings of the ray to the right: an edge includes its lower end but not its upper one."""
    p, q = ring, np.roll(ring, -1, axis=0)
    x, y = points[:, :1], points[:, 1:]
    spans = (p[:, 1] <= y) != (q[:, 1] <= y)
    side = (q[:, 0] - p[:, 0]) * (y - p[:, 1]) - (q[:, 1] - p[:, 1]) * (x - p[:, 0])
    crosses = spans & ((side > 0.0) == (q[:, 1] > p[:, 1]))
    is_odd: NDArray[np.bool_] = crosses.sum(axis=1) % 2 == 1
    return is_odd
