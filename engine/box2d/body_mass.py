"""Predicts the mass data that Box2D computes for a body, so that invalid data is rejected before Box2D asserts during a change.

`b2Body::ResetMassData` iterates over the fixtures, newest first, and accumulates in float32::

    m += m_i        c += m_i c_i        I += I_i         m_i, c_i, I_i of each shape, I_i about the body's origin
    c *= 1 / m      I -= m (c . c)      assert I > 0     now I is about the center of mass

The last subtraction cancels: for a sliver far from the origin, little more than the rounding error of the sums and their terms remains.
The mass data of a shape is computed by a free `b2Shape`, and therefore rounded exactly as in this wheel.

Source: Box2D 2.3.0, Dynamics/b2Body.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from engine.box2d.convert import KEPT_SHAPES, mass_of, to_fixture_shape
from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_MASS, MIN_MASS
from engine.common.tolerances import EPS32
from engine.geometry import AnyShape, Segment

__all__ = ["check_body_mass"]

_INERTIA_ROUNDING = 32.0 * EPS32
"""Minimum ratio of a body's inertia about its center of mass to that about its origin; from the relative rounding error. On a processor
with fused multiply-add the compiler may skip the rounding of one product per term, half an EPS32 each."""

_ZERO = np.float32(0.0)


class _Part(NamedTuple):
    """Contribution of one shape: mass, kg, mass times center of mass, kg m, and inertia about the body's origin, kg m^2."""

    mass: np.float32
    moment_x: np.float32
    moment_y: np.float32
    inertia: np.float32


def check_body_mass(fixtures: Sequence[tuple[AnyShape, float]]) -> None:
    """Check the mass data of a dynamic body with these shapes and densities, oldest first; a body without fixtures is valid.

    If the total density is 0, or the inertia underflows, Box2D would give the body 1 kg and no inertia, so that it never rotates. If the
    body is too light or too heavy, or so far from its origin that the inertia about its center is lost to rounding, Box2D asserts,
    immediately or in a later step.

    Raises
    ------
    InvalidInputError
        The mass data is invalid; the message names density, mass or shape.
    """
    if not fixtures:
        return
    solid = [(shape, density) for shape, density in fixtures if not isinstance(shape, Segment)]
    if not solid:
        raise InvalidInputError("shape", "a circle or a polygon for at least one fixture of a dynamic body", fixtures[0][0])
    if max(density for _, density in solid) == 0.0:
        raise InvalidInputError("density", "> 0 kg/m^2 for at least one fixture of a dynamic body", 0.0)
    with np.errstate(all="ignore"):  # an overflow is rejected below
        mass, x, y, about_origin = _ZERO, _ZERO, _ZERO, _ZERO
        for shape, density in reversed(solid):
            if density > 0.0:
                part = _part(shape, density)
                mass, x, y, about_origin = mass + part.mass, x + part.moment_x, y + part.moment_y, about_origin + part.inertia
        if not MIN_MASS <= mass <= MAX_MASS:
            raise InvalidInputError("mass", f"from {MIN_MASS:g} to {MAX_MASS:g} kg for a dynamic body", Described(f"{mass:g}"))
        shrink = np.float32(1.0) / mass
        x, y = x * shrink, y * shrink
        about_center = about_origin - mass * (x * x + y * y)
        if not _INERTIA_ROUNDING * about_origin < about_center < np.inf:
            where = Described(f"center at ({x:g}, {y:g}), {about_center:.2g} left of {about_origin:.2g} kg m^2")
            raise InvalidInputError("shape", "close enough to the body's origin to compute the inertia in float32", where)


@lru_cache(maxsize=KEPT_SHAPES)
def _part(shape: AnyShape, density: float) -> _Part:
    """Return the contribution of a shape, computed by Box2D. Cached, because a body is validated at creation and on every change."""
    data = mass_of(to_fixture_shape(shape)[0], density)
    center = data.center
    mass = np.float32(data.mass)
    return _Part(mass, mass * np.float32(center.x), mass * np.float32(center.y), np.float32(data.I))
