"""Whether two outlines share a point: the truth that bounding volumes are judged by.

An outline is the area within its rings by the even-odd rule: outer edges, holes, several parts, in any direction; closed, so the edges
belong to it. Two of them share a point exactly when

- an edge of one meets an edge of the other, or
- a ring of one lies within the other. Where no edges meet, a ring lies inside whole or not at all, and one of its corners tells::

      +---------+
      |  +---+  |         no edge meets another: is the first corner of each ring inside the other outline?
      |  |   |  |
      |  +---+  |         a ray from it crosses the edges an odd number of times
      +---------+

B is taken to A's frame first, so that the numbers are as small as the outlines are far apart. Edges whose boxes miss the other
outline's box are left out; what remains is every edge against every edge. No decomposition into convex pieces and no search:
slow, and simple enough to trust.

Touching is judged in floating point, to rounding: of two outlines nearer than some 10 EPS64 of their size it may say either.

Source: J. O'Rourke, Computational Geometry in C, 1998, 1.5 and 7.4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, finite_rows
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.geometry import Transform

__all__ = ["Rings", "outline_area", "outlines_overlap", "rings_of"]

Rings = Sequence[FloatArray]
"""Closed rings, float64 (n, 2) each, the last corner not repeated."""


def rings_of(rings: Sequence[ArrayLike]) -> tuple[FloatArray, ...]:
    """Return rings that the functions here can take.

    Raises
    ------
    InvalidShapeError
        There is none, or one has fewer than three corners or a number that is not finite.
    """
    try:
        found = tuple(finite_rows(f"rings[{k}]", ring, 2) for k, ring in enumerate(rings))
    except InvalidInputError as error:
        raise InvalidShapeError(error.field, error.requirement, error.value) from None
    if not found:
        raise InvalidShapeError("rings", "at least one", Described("none"))
    for k, ring in enumerate(found):
        if len(ring) < 3:
            raise InvalidShapeError(f"rings[{k}]", "at least 3 corners", Described(len(ring)))
    return found


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
    """Tell whether two outlines at two poses share a point; one within the other counts, one in the hole of the other does not.

    Examples
    --------
    >>> square = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    >>> frame = [2.0 * square, 1.5 * square]
    >>> outlines_overlap(frame, Transform(), [square], Transform()), outlines_overlap(frame, Transform(), [square], Transform((0.6, 0.0)))
    (False, True)
    """
    moved = [_to_frame(ring, xf_a, xf_b) for ring in rings_b]
    starts_a, ends_a = _edges(rings_a)
    starts_b, ends_b = _edges(moved)
    low, high = starts_a.min(axis=0), starts_a.max(axis=0)
    if (low > starts_b.max(axis=0)).any() or (starts_b.min(axis=0) > high).any():
        return False
    if _edges_meet(starts_a, ends_a, starts_b, ends_b):
        return True
    first_a, first_b = np.array([ring[0] for ring in rings_a]), np.array([ring[0] for ring in moved])
    return bool(_is_within(first_a, moved).any() or _is_within(first_b, rings_a).any())


def _to_frame(ring: FloatArray, xf_a: Transform, xf_b: Transform) -> FloatArray:
    cos, sin = xf_a.cos * xf_b.cos + xf_a.sin * xf_b.sin, xf_a.cos * xf_b.sin - xf_a.sin * xf_b.cos
    dx, dy = xf_b.position[0] - xf_a.position[0], xf_b.position[1] - xf_a.position[1]
    x = cos * ring[:, 0] - sin * ring[:, 1] + (xf_a.cos * dx + xf_a.sin * dy)
    y = sin * ring[:, 0] + cos * ring[:, 1] + (xf_a.cos * dy - xf_a.sin * dx)
    return np.column_stack((x, y))


def _edges(rings: Rings) -> tuple[FloatArray, FloatArray]:
    return np.concatenate(list(rings)), np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])


def _edges_meet(p: FloatArray, q: FloatArray, r: FloatArray, s: FloatArray) -> bool:
    """Tell whether any closed segment p to q meets any r to s."""
    near_b = _near(r, s, p.min(axis=0), p.max(axis=0))
    r, s = r[near_b], s[near_b]
    if len(r) == 0:
        return False
    near_a = _near(p, q, np.minimum(r, s).min(axis=0), np.maximum(r, s).max(axis=0))
    p, q = p[near_a, None], q[near_a, None]
    boxes = (np.minimum(p, q) <= np.maximum(r, s)) & (np.minimum(r, s) <= np.maximum(p, q))
    of_r, of_s, of_p, of_q = _turn(p, q, r), _turn(p, q, s), _turn(r, s, p), _turn(r, s, q)
    return bool((boxes.all(axis=-1) & (of_r * of_s <= 0.0) & (of_p * of_q <= 0.0)).any())


def _near(p: FloatArray, q: FloatArray, low: FloatArray, high: FloatArray) -> NDArray[np.bool_]:
    near = (np.minimum(p, q) <= high) & (low <= np.maximum(p, q))
    both: NDArray[np.bool_] = near[:, 0] & near[:, 1]
    return both


def _turn(p: FloatArray, q: FloatArray, r: FloatArray) -> FloatArray:
    turn: FloatArray = np.sign((q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0]))
    return turn


def _is_within(points: FloatArray, rings: Rings) -> NDArray[np.bool_]:
    inside = np.zeros(len(points), dtype=np.bool_)
    for ring in rings:
        inside ^= _is_in(points, ring)
    return inside


def _is_in(points: FloatArray, ring: FloatArray) -> NDArray[np.bool_]:
    """Count crossings of the ray to the right: an edge counts its lower end, not its upper one."""
    p, q = ring, np.roll(ring, -1, axis=0)
    x, y = points[:, :1], points[:, 1:]
    spans = (p[:, 1] <= y) != (q[:, 1] <= y)
    side = (q[:, 0] - p[:, 0]) * (y - p[:, 1]) - (q[:, 1] - p[:, 1]) * (x - p[:, 0])
    crosses = spans & ((side > 0.0) == (q[:, 1] > p[:, 1]))
    is_odd: NDArray[np.bool_] = crosses.sum(axis=1) % 2 == 1
    return is_odd
