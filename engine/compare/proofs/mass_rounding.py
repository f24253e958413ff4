"""Bounds on rounding in the masses of polygons, for any precision u: the derivation behind the verdict on masses.

Both programs cut a polygon into triangles (s, v_i, v_i+1) from a reference point s, with e_i = v_i - s, and sum over them

    D_i = e_i x e_i+1         twice a triangle's area
    area = sum D_i / 2        c = sum D_i (e_i + e_i+1) / (6 area)        J = sum D_i q_i / 12,  q_i = e_i.e_i + e_i.e_i+1 + e_i+1.e_i+1

and the inertia about the centroid is J - mass c.c. The sums do not depend on s, so its own rounding causes no error. With u the
relative error of one operation, terms in u^2 left out:

==================  ===================================================================================================
D                   two edges (u each) in each product (u), one difference (u): 4 u M_i, M_i = |ex_i ey_i+1| + |ey_i ex_i+1|
area                half of those, and n - 1 sums of at most A' = sum M_i / 2: u sum M_i (2 + n / 2)
mass                the density once: u more
c area              D as above, 1/3, two products, a sum of two edges: 9 u M_i / 2 of (|e_i| + |e_i+1|) / 3, and n sums:
                    u sum M_i (|e_i| + |e_i+1|) (3/2 + n / 6) for each coordinate
c                   that over the area, the area's own relative error, quotient and product 2 u
centroid            s is added: u times its coordinates
J                   D 4 u and two products 2 u; q 6 u; their product u: 13 u of M_i q_i / 12, and n sums, the density
==================  ===================================================================================================

Box2D then moves the inertia to the body's origin, I = J + m (g.g - c.c) with g = c + s, and what needs it about the centroid (a body
does) takes m g.g away again. So its inertia is J - m c.c with rounding errors of numbers as large as m g.g, which is the loss for a body
far from its origin.

Without cancellation, D is as large as M: replacing M_i by |D_i| and omitting m g.g gives the accuracy in that case. Agreement uses
this bound; an explanation may use the true bound with M_i. The difference between the two is cancellation: edges at a small angle as seen
from s, such as those of needles, and numbers far larger than their differences.

The stored centroid (`b2PolygonShape::m_centroid`, which collision uses) is the same sum with s at the local origin, however far that is.

If rounding may reach half of an area or more, no bound holds for quotients by it. It can still be shown that Box2D's number results only
from its own sums: repeated in float32 in its own order, the same rounded additions and products give the same bits. A fused operation would
round once less; the wheel's compiler did not fuse any. Source: Box2D 2.3.0, Collision/Shapes/b2PolygonShape.cpp, ComputeCentroid and
b2PolygonShape::ComputeMass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["MassBounds", "mass_bounds", "replayed_kept_centroid", "replayed_mass"]

MAX_AREA_LOST = 0.5
"""Relative. Where rounding may have eaten so much of the area, a division by it is not bounded: the centroid is undetermined."""


@dataclass(frozen=True, slots=True)
class MassBounds:
    """Errors of n polygons: mass, kg; centroid (n, 2), meters; inertia about the centroid, kg m^2; infinite where undetermined."""

    mass: FloatArray
    centroid: FloatArray
    inertia: FloatArray


def mass_bounds(
    vertices: FloatArray,
    is_vertex: FloatArray,
    reference: FloatArray,
    density: FloatArray,
    u: float,
    is_shifted: bool,
    cancels: bool = True,
) -> MassBounds:
    """Bound the errors of polygons' masses computed with operations of relative error `u`.

    Parameters
    ----------
    vertices : (n, m, 2)
        Body frame, meters; rows shorter than m repeat their first vertex.
    is_vertex : (n, m)
        1 for a vertex, 0 for a repetition.
    reference : (n, 2)
        The point s.
    is_shifted : bool
        The inertia was computed about the body's origin first.
    cancels : bool
        True for the bound itself, False for the bound without cancellation.
    """
    e1 = vertices - reference[:, None, :]
    e2 = np.roll(e1, -1, axis=1)
    left, right = e1[:, :, 0] * e2[:, :, 1], e1[:, :, 1] * e2[:, :, 0]
    n = is_vertex.sum(axis=1)
    twice = np.where(is_vertex > 0, left - right, 0.0)
    magnitude = np.where(is_vertex > 0, np.abs(left) + np.abs(right) if cancels else np.abs(left - right), 0.0)
    area = 0.5 * twice.sum(axis=1)

    area_error = u * magnitude.sum(axis=1) * (2.0 + n / 2.0)
    lost = area_error / area
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = np.where((lost < MAX_AREA_LOST) & (area > 0.0), 1.0 / (1.0 - lost), np.inf)
    mass = density * area
    mass_error = density * area_error + u * mass

    reach = np.abs(e1) + np.abs(e2)
    moment_error = u * (magnitude[:, :, None] * reach).sum(axis=1) * (1.5 + n / 6.0)[:, None]
    offset = (twice[:, :, None] * (e1 + e2)).sum(axis=1) / (6.0 * area)[:, None]
    offset_error = (moment_error / area[:, None] + np.abs(offset) * (lost + 2.0 * u)[:, None]) * grown[:, None]
    centroid = offset + reference
    centroid_error = offset_error + u * np.abs(centroid)

    squares = (e1 * e1 + np.abs(e1 * e2) + e2 * e2).sum(axis=2)
    about_reference_error = density * u * (magnitude * squares).sum(axis=1) * (14.0 + n) / 12.0
    # m c.c, or the two shifts of m (g.g - c.c) and of m g.g: products, sums, the mass's own error, the point's own error
    turned = (offset * offset).sum(axis=1)
    with np.errstate(invalid="ignore"):  # 0 times an unbounded error; such an inertia is unbounded below
        shift_error = mass * (3.0 * u * turned + 2.0 * (np.abs(offset) * offset_error).sum(axis=1)) + (mass_error + u * mass) * turned
        if is_shifted and cancels:
            far = (centroid * centroid).sum(axis=1)
            about_origin = 6.0 * u * far + 4.0 * (np.abs(centroid) * centroid_error).sum(axis=1)
            shift_error += mass * about_origin + 2.0 * (mass_error + u * mass) * far
    twice_area_moment = np.where(is_vertex > 0, twice * ((e1 * e1 + e1 * e2 + e2 * e2).sum(axis=2)), 0.0).sum(axis=1) / 12.0
    about_reference = density * twice_area_moment
    inertia_error = about_reference_error + shift_error + u * np.abs(about_reference)
    return MassBounds(mass_error, centroid_error, np.where(np.isfinite(grown), inertia_error, np.inf))


# --- Box2D's sums in float32

_ONE, _HALF, _QUARTER = np.float32(1.0), np.float32(0.5), np.float32(0.25)
_THIRD = _ONE / np.float32(3.0)

Vector = tuple[np.float32, np.float32]


def replayed_kept_centroid(vertices: FloatArray) -> tuple[float, float]:
    """Return the centroid that Box2D keeps with a polygon, meters; `vertices` (n, 2) in its order, float32's numbers."""
    with np.errstate(all="ignore"):
        (x, y), _, _ = _sums(_corners(vertices), (np.float32(0.0), np.float32(0.0)))
    return float(x), float(y)


def replayed_mass(vertices: FloatArray, density: float) -> tuple[tuple[float, float], float]:
    """Return the center of mass, meters, and the inertia about the local origin, kg m^2, that Box2D gives a body."""
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
