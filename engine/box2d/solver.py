"""Box2D as a solver of `engine.world`."""

from __future__ import annotations

from typing import TypeVar

from engine.box2d._state import WorldState
from engine.box2d.body_mass import check_body_mass
from engine.world.specs import BodySpec, WorldSettings

__all__ = ["accept", "start"]

_T = TypeVar("_T")


def accept(spec: _T) -> _T:
    """Return a specification as Box2D can hold it, or refuse it.

    Raises
    ------
    InvalidInputError
        A dynamic body of a mass that Box2D cannot work with.
    """
    if isinstance(spec, BodySpec) and spec.type == "dynamic":
        check_body_mass([(one.shape, one.density) for one in spec.fixtures])
    return spec


def start(settings: WorldSettings) -> WorldState:
    """Return an empty world."""
    return WorldState(settings)
