"""The pictures of docs/dynamics: worlds that ran, beside what their equations say."""

from __future__ import annotations

import math
from typing import Any

from engine.geometry import AnyShape, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

__all__ = ["UNIT", "add", "floor", "new_world"]

UNIT = Polygon.box(0.5, 0.5)


def new_world(n_steps: int = 8, solver: str = "soft_step", **settings: Any) -> World:
    """Return an empty world with `n_steps` sub-steps, or iterations, in which nothing sleeps."""
    return World(WorldSettings(velocity_iterations=n_steps, **({"sleeping": False} | settings)), solver=solver)


def add(world: World, shape: AnyShape, position: tuple[float, float], angle: float = 0.0, type: str = "dynamic", **more: Any) -> int:
    """Add a body of one fixture; density, friction and restitution are the fixture's, all else is the body's."""
    of_fixture = {name: more.pop(name) for name in ("density", "friction", "restitution", "mask") if name in more}
    return world.create_body(BodySpec((FixtureSpec(shape, **of_fixture),), type, position, angle, **more))  # type: ignore[arg-type]


def floor(world: World, degrees: float = 0.0, **more: Any) -> int:
    """Add a floor through the origin that falls towards +x by `degrees`."""
    return add(world, Segment((-200.0, 0.0), (200.0, 0.0)), (0.0, 0.0), -math.radians(degrees), "static", **more)
