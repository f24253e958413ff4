"""Area, mass, centroid and moment of inertia by the polygon integrals.

Cut the polygon into triangles ``(o, v_i, v_i+1)`` from a reference point o inside it, with ``e1 = v_i - o``,
``e2 = v_i+1 - o`` and ``D = e1 x e2``, twice the triangle's signed area. Over one triangle

    area      = D / 2
    integral of r dA   = D / 6 * (e1 + e2)
    integral of r^2 dA = D / 12 * (e1.e1 + e1.e2 + e2.e2)

(substitute r = s e1 + t e2 over s, t >= 0, s + t <= 1, whose Jacobian is D). Sums over the edges give the polygon's; the
parallel-axis theorem moves the inertia from o to the centroid. Taking o among the vertices keeps the products small for
a polygon far from the origin.

Source: B. Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties", 1996, reduced to the plane; Box2D's
`b2PolygonShape::ComputeMass` uses the same triangles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["MassProperties", "polygon_mass"]


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Area in m^2, mass in kg, centroid in the body frame in m, inertia about the centroid in kg m^2."""

    area: float
    mass: float
    centroid: tuple[float, float]
    inertia: float


def polygon_mass(vertices: FloatArray, density: float) -> MassProperties:
    """Integrate over a counter-clockwise simple polygon, float64 (n, 2), of `density` kg/m^2."""
    origin = vertices.mean(axis=0)
    e1 = vertices - origin
    e2 = np.roll(e1, -1, axis=0)
    twice_area = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
    area = 0.5 * float(twice_area.sum())
    offset = (twice_area[:, None] * (e1 + e2)).sum(axis=0) / (6.0 * area)
    r_sq = (e1 * e1).sum(axis=1) + (e1 * e2).sum(axis=1) + (e2 * e2).sum(axis=1)
    about_origin = density * float((twice_area * r_sq).sum()) / 12.0
    mass = density * area
    inertia = about_origin - mass * float(offset @ offset)
    centroid = origin + offset
    return MassProperties(area, mass, (float(centroid[0]), float(centroid[1])), inertia)
