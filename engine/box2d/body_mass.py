"""The mass of a whole body as Box2D is about to add it, so that it is refused before Box2D asserts in the middle of a change.

`b2Body::ResetMassData` goes through the fixtures, the newest first, and adds in float32::

    m += m_i        c += m_i c_i        I += I_i         m_i, c_i, I_i of each shape, I_i about the body's origin
    c *= 1 / m      I -= m (c . c)      assert I > 0     I is about the center of mass now

The last difference keeps only what stands above the rounding of the sums, and of the terms in them: of a sliver far from its own middle
little. What a shape contributes is asked of the `b2Shape` itself, which belongs to no body: so it is rounded as this wheel rounds it.

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
"""Rounding, relative: of the inertia about the body's origin at least this must be left about the center of mass. On a processor with a
fused multiply-add the compiler may round one of the two products in each term less than we do here, each time by half an EPS32."""

_ZERO = np.float32(0.0)


class _Part(NamedTuple):
    """The contribution of one shape: mass in kg, the mass times the center of mass in kg m, inertia about the body's origin in kg m^2."""

    mass: np.float32
    moment_x: np.float32
    moment_y: np.float32
    inertia: np.float32


def check_body_mass(fixtures: Sequence[tuple[AnyShape, float]]) -> None:
    """Refuse the shapes and densities, oldest first, of a dynamic body whose mass or inertia Box2D cannot work with; none at all are fine.

    Without any density Box2D would make it 1 kg with no inertia, a body that never turns; so it would where the inertia underflows.
    Too light or too heavy, or with its shapes so far from its origin that the inertia about its center drowns in rounding, it asserts, at
    once or in a later step.

    Raises
    ------
    InvalidInputError
        Names density, mass or shape.
    """
    if not fixtures:
        return
    solid = [(shape, density) for shape, density in fixtures if not isinstance(shape, Segment)]
    if not solid:
        raise InvalidInputError("shape", "a circle or a polygon beside the edges of a dynamic body: edges have no mass", fixtures[0][0])
    if max(density for _, density in solid) == 0.0:
        raise InvalidInputError("density", "> 0 kg/m^2 for at least one fixture of a dynamic body", 0.0)
    with np.errstate(all="ignore"):  # what overflows is refused below
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
            raise InvalidInputError("shape", "near enough to the body's origin for an inertia in float32", where)


@lru_cache(maxsize=KEPT_SHAPES)
def _part(shape: AnyShape, density: float) -> _Part:
    """Ask Box2D's shape; kept, for a body is checked when it is specified, and each time that it changes."""
    data = mass_of(to_fixture_shape(shape)[0], density)
    center = data.center
    mass = np.float32(data.mass)
    return _Part(mass, mass * np.float32(center.x), mass * np.float32(center.y), np.float32(data.I))
