"""Masses of shapes, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from engine.geometry import Circle, Polygon
from engine.geometry.exact.cores import Core

__all__ = ["ExactMass", "exact_mass"]


class ExactMass(NamedTuple):
    """Mass, kg; centroid, meters; and inertia about the centroid, kg m^2."""

    mass: Fraction
    centroid: tuple[Fraction, Fraction]
    inertia: Fraction


def exact_mass(shape: Circle | Polygon, density: float) -> ExactMass:
    """Return the mass of a shape; `math.pi` is exact to 2^-54."""
    rho = Fraction(density)
    if isinstance(shape, Circle):
        radius_sq = Fraction(shape.radius) ** 2
        mass = rho * Fraction(math.pi) * radius_sq
        return ExactMass(mass, (Fraction(shape.center[0]), Fraction(shape.center[1])), mass * radius_sq / 2)
    core = Core.of(shape.vertices.tolist())
    scale = 1 << core.bits
    twice_area = first_x = first_y = second = 0
    for (ax, ay), (bx, by) in core.edges:
        turn = ax * by - ay * bx
        twice_area += turn
        first_x += turn * (ax + bx)
        first_y += turn * (ay + by)
        second += turn * (ax * ax + ax * bx + bx * bx + ay * ay + ay * by + by * by)
    # the squared distance of the centroid times the area, taken off the second moment: all over one denominator
    about_centroid = Fraction(3 * second * twice_area - 2 * (first_x * first_x + first_y * first_y), 36 * twice_area * scale**4)
    x, y = (Fraction(first, 3 * twice_area * scale) for first in (first_x, first_y))
    return ExactMass(rho * Fraction(twice_area, 2 * scale**2), (x, y), rho * about_centroid)
