"""Import of a body's mass from a R.U.B.E. file; see `engine.scenes.rube`.

The editor writes ``massData-mass``, ``massData-center`` and ``massData-I`` (about the body's origin), as computed by Box2D or entered by
the user, and the Box2D loader sets them. Our scenes have only densities.
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
"""Maximum relative difference between a mass, inertia or center in the file and that of the fixtures for which no note is added (for the
center, relative to the radius of gyration). Floats have seven digits in the file, and a sum over dozens of pieces loses two or three."""


def with_mass(body: RubeObject, fixtures: Sequence[FixtureSpec], notes: list[str]) -> list[FixtureSpec]:
    """Return a dynamic body's fixtures with densities that give the mass in the file; changes are added to `notes`."""
    solid = [(fixture, fixture.shape.mass(fixture.density)) for fixture in fixtures if not isinstance(fixture.shape, Segment)]
    if not solid:
        return list(fixtures)
    file_mass = body.number("massData-mass")
    mass = sum(part.mass for _, part in solid)
    if mass == 0.0:
        target = file_mass if file_mass > 0.0 else 1.0
        area = sum(part.area for _, part in solid)
        notes.append(f"Changed: {body.path} has no density; its density is set for a mass of {target:g} kg.")
        return [fixture if isinstance(fixture.shape, Segment) else replace(fixture, density=target / area) for fixture in fixtures]
    if file_mass <= 0.0:
        return list(fixtures)
    x, y = (sum(part.mass * part.centroid[k] for _, part in solid) / mass for k in (0, 1))
    inertia = sum(part.inertia + part.mass * math.hypot(*part.centroid) ** 2 for _, part in solid) / mass
    _note_center_and_inertia(body, (x, y), inertia, body.number("massData-I") / file_mass, notes)
    if abs(file_mass - mass) <= _SAME_MASS * mass:
        return list(fixtures)
    notes.append(f"Changed: {body.path} weighs {file_mass:g} kg, but its fixtures weigh {mass:g} kg; their densities are scaled.")
    return [
        fixture if isinstance(fixture.shape, Segment) else replace(fixture, density=fixture.density * file_mass / mass)
        for fixture in fixtures
    ]


def _note_center_and_inertia(body: RubeObject, center: tuple[float, float], inertia: float, given: float, notes: list[str]) -> None:
    """Note differences from the file's center and inertia (about the origin, per kilogram); a body with fixed rotation has no inertia."""
    x, y = body.vector("massData-center")
    if math.dist((x, y), center) > _SAME_MASS * math.sqrt(inertia):
        notes.append(
            f"Changed: the center of mass of {body.path} is {x:g}, {y:g}, but that of its fixtures is "
            f"{center[0]:g}, {center[1]:g}; the scene uses that of the fixtures."
        )
    elif not body.flag("fixedRotation") and abs(given - inertia) > _SAME_MASS * inertia:
        notes.append(f"Changed: the inertia of {body.path} is {given / inertia:.3g} times that of its fixtures; the scene uses theirs.")
