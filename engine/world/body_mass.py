"""Mass of a body from its fixtures, in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_MASS, MIN_MASS
from engine.geometry import AnyShape, Segment
from engine.world import commands as c
from engine.world.model import WorldModel
from engine.world.specs import FixtureSpec

__all__ = ["Mass", "changed_fixtures", "check_mass", "mass_properties"]

Mass = tuple[tuple[float, float], float, float]
"""Local center of mass, m; mass, kg; inertia about the center, kg m^2."""


def mass_properties(fixtures: Sequence[FixtureSpec]) -> Mass:
    """Return the combined center of mass, mass and inertia of fixtures; a body without mass counts as 1 kg that never rotates.

    Inertias about the body's origin add up, and the parallel-axis theorem brings the sum to the common center.
    """
    mass = x = y = about_origin = 0.0
    for fixture in fixtures:
        if fixture.density > 0.0 and not isinstance(fixture.shape, Segment):
            (cx, cy), m, inertia = _part(fixture.shape, fixture.density)
            mass, x, y = mass + m, x + m * cx, y + m * cy
            about_origin += inertia + m * (cx * cx + cy * cy)
    if mass == 0.0:
        return (0.0, 0.0), 1.0, 0.0
    x, y = x / mass, y / mass
    return (x, y), mass, max(0.0, about_origin - mass * (x * x + y * y))


@lru_cache(maxsize=4096)
def _part(shape: AnyShape, density: float) -> Mass:
    assert not isinstance(shape, Segment)
    mass = shape.mass(density)
    return mass.centroid, mass.mass, mass.inertia


def check_mass(fixtures: Sequence[FixtureSpec]) -> None:
    """Reject fixtures that give a dynamic body no mass or a mass out of range; a body may have no fixtures at all.

    Raises
    ------
    InvalidInputError
        The mass is invalid; the message names the shape, density or mass.
    """
    if not fixtures:
        return
    solid = [fixture for fixture in fixtures if not isinstance(fixture.shape, Segment)]
    if not solid:
        raise InvalidInputError("shape", "at least one shape with an area for a dynamic body: segments have no mass", fixtures[0].shape)
    if max(fixture.density for fixture in solid) == 0.0:
        raise InvalidInputError("density", "> 0 kg/m^2 for at least one fixture of a dynamic body", 0.0)
    _, mass, inertia = mass_properties(solid)
    if not MIN_MASS <= mass <= MAX_MASS:
        raise InvalidInputError("mass", f"from {MIN_MASS:g} to {MAX_MASS:g} kg for a dynamic body", Described(f"{mass:g}"))
    if not 0.0 < inertia < math.inf:
        raise InvalidInputError(
            "shape", "close enough to the body's origin to compute the inertia in float64", Described(f"{inertia:g} kg m^2")
        )


def changed_fixtures(model: WorldModel, command: c.Command) -> list[FixtureSpec] | None:
    """Return the fixtures that a dynamic body has after a command that changes them or makes it dynamic; None for other commands."""
    instead: dict[int, FixtureSpec | None] = {}
    match command:
        case c.CreateFixture(fixture, body, spec):
            instead[fixture] = spec
        case c.DestroyFixture(fixture):
            body, instead[fixture] = model.fixtures[fixture].body, None
        case c.SetFixture(fixture, changes):
            body, instead[fixture] = model.fixtures[fixture].body, model.changed_fixture(fixture, dict(changes))
        case c.SetBody(body, changes):
            if model.changed_body(body, dict(changes)).type != "dynamic":
                return None
        case _:
            return None
    if not isinstance(command, c.SetBody) and model.bodies[body].spec.type != "dynamic":
        return None
    specs = {fixture: model.fixtures[fixture].spec for fixture in model.bodies[body].fixtures} | instead
    return [spec for spec in specs.values() if spec is not None]
