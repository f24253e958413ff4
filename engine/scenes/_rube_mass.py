"""Mass of a body of a R.U.B.E. file; see `engine.scenes.rube`.

The editor writes what Box2D computed (``massData-mass``, ``massData-center``, ``massData-I`` about the body's origin), or what its user
put in its place, which Box2D's loader then sets. A scene of ours has densities alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from engine.geometry import Segment
from engine.scenes._rube_object import RubeObject
from engine.world import FixtureSpec

__all__ = ["with_mass"]

_SAME_MASS = 1e-3
"""Share by which a given mass, inertia or distance of the center (of the radius of gyration) may differ from that of the fixtures without
a note: floats are written with seven digits, and a sum of some dozens of pieces loses two or three of them."""


def with_mass(body: RubeObject, fixtures: Sequence[FixtureSpec], notes: list[str]) -> list[FixtureSpec]:
    """Return the fixtures of a dynamic body with densities that give the mass that the file says; `notes` takes what is changed for it."""
    solid = [(fixture, fixture.shape.mass(fixture.density)) for fixture in fixtures if not isinstance(fixture.shape, Segment)]
    if not solid:
        return list(fixtures)
    file_mass = body.number("massData-mass")
    mass = sum(part.mass for _, part in solid)
    if mass == 0.0:
        target = file_mass if file_mass > 0.0 else 1.0
        area = sum(part.area for _, part in solid)
        notes.append(f"Changed: {body.path} has no density; it gets that of {target:g} kg.")
        return [fixture if isinstance(fixture.shape, Segment) else replace(fixture, density=target / area) for fixture in fixtures]
    if file_mass <= 0.0:
        return list(fixtures)
    x, y = (sum(part.mass * part.centroid[k] for _, part in solid) / mass for k in (0, 1))
    inertia = sum(part.inertia + part.mass * math.hypot(*part.centroid) ** 2 for _, part in solid) / mass
    _tell_center_and_inertia(body, (x, y), inertia, body.number("massData-I") / file_mass, notes)
    if abs(file_mass - mass) <= _SAME_MASS * mass:
        return list(fixtures)
    notes.append(f"Changed: {body.path} weighs {file_mass:g} kg where its fixtures weigh {mass:g} kg; their densities are scaled.")
    return [
        fixture if isinstance(fixture.shape, Segment) else replace(fixture, density=fixture.density * file_mass / mass)
        for fixture in fixtures
    ]


def _tell_center_and_inertia(body: RubeObject, center: tuple[float, float], inertia: float, given: float, notes: list[str]) -> None:
    """Compare with what the file says; inertias about the origin, per kilogram, of which one of fixed rotation has none of its own."""
    x, y = body.vector("massData-center")
    if math.dist((x, y), center) > _SAME_MASS * math.sqrt(inertia):
        notes.append(
            f"Changed: the center of mass of {body.path} lies at {x:g}, {y:g} where that of its fixtures lies at "
            f"{center[0]:g}, {center[1]:g}; a scene takes that of the fixtures."
        )
    elif not body.flag("fixedRotation") and abs(given - inertia) > _SAME_MASS * inertia:
        notes.append(f"Changed: the inertia of {body.path} is {given / inertia:.3g} times that of its fixtures; a scene takes theirs.")
