"""Box2D 2.3.0's masses of a polygon, repeated in float32 in its own order of operations.

Where rounding may eat half of an area and more, no bound holds for what is divided by it (`mass_bounds`). What can still be shown is that
Box2D's number is that of its own sums and of nothing else: the same additions and products, each rounded to float32, end at
the same bits. An operation that a compiler fuses would round once less; the wheel's does not.

Source: Box2D 2.3.0, Collision/Shapes/b2PolygonShape.cpp, ComputeCentroid and b2PolygonShape::ComputeMass.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["replayed_kept_centroid", "replayed_mass"]

_ONE, _HALF, _QUARTER = np.float32(1.0), np.float32(0.5), np.float32(0.25)
_THIRD = _ONE / np.float32(3.0)

Vector = tuple[np.float32, np.float32]


def replayed_kept_centroid(vertices: FloatArray) -> tuple[float, float]:
    """Return the centroid that Box2D keeps with a polygon, metres; `vertices` (n, 2) in its order, float32's numbers."""
    with np.errstate(all="ignore"):
        (x, y), _, _ = _sums(_corners(vertices), (np.float32(0.0), np.float32(0.0)))
    return float(x), float(y)


def replayed_mass(vertices: FloatArray, density: float) -> tuple[tuple[float, float], float]:
    """Return the centre of mass, metres, and the inertia about the local origin, kg m^2, that Box2D gives a body."""
    corners, rho = _corners(vertices), np.float32(density)
    with np.errstate(all="ignore"):
        sx = sy = np.float32(0.0)
        for x, y in corners:
            sx, sy = sx + x, sy + y
        share = _ONE / np.float32(len(corners))
        reference = (sx * share, sy * share)
        (cx, cy), area, second = _sums(corners, reference)
        mass = rho * area
        gx, gy = cx + reference[0], cy + reference[1]
        inertia = rho * second
        inertia += mass * ((gx * gx + gy * gy) - (cx * cx + cy * cy))
    return (float(gx), float(gy)), float(inertia)


def _corners(vertices: FloatArray) -> list[Vector]:
    return [(np.float32(x), np.float32(y)) for x, y in vertices]


def _sums(corners: list[Vector], reference: Vector) -> tuple[Vector, np.float32, np.float32]:
    """Return the centroid from `reference`, the area, and the second moment about `reference` for a density of 1."""
    area = second = cx = cy = np.float32(0.0)
    rx, ry = reference
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        ux, uy, vx, vy = ax - rx, ay - ry, bx - rx, by - ry
        turn = ux * vy - uy * vx
        triangle = _HALF * turn
        area += triangle
        weight = triangle * _THIRD
        # ComputeCentroid adds its reference, which is 0, to the two corners; the sum is the same
        cx, cy = cx + weight * (ux + vx), cy + weight * (uy + vy)
        x_moment, y_moment = ux * ux + vx * ux + vx * vx, uy * uy + vy * uy + vy * vy
        second += _QUARTER * _THIRD * turn * (x_moment + y_moment)
    share = _ONE / area
    return (cx * share, cy * share), area, second
