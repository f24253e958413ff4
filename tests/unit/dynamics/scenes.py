"""Worlds that the tests of the soft step share."""

from __future__ import annotations

import math
from typing import Any

from engine.geometry import AnyShape, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

UNIT = Polygon.box(0.5, 0.5)


def world(n_steps: int = 8, **settings: Any) -> World:
    """Return an empty world of the soft step with `n_steps` sub-steps, in which nothing sleeps unless said."""
    return World(WorldSettings(velocity_iterations=n_steps, **({"sleeping": False} | settings)), solver="soft_step")


def body(world: World, shape: AnyShape, position: tuple[float, float], angle: float = 0.0, type: str = "dynamic", **more: Any) -> int:
    """Add a body of one fixture; what the fixture does not know is the body's."""
    of_fixture = {name: more.pop(name) for name in ("friction", "restitution", "density", "sensor", "category", "mask") if name in more}
    return world.create_body(BodySpec((FixtureSpec(shape, **of_fixture),), type, position, angle, **more))


def ground(world: World, degrees: float = 0.0, **more: Any) -> int:
    """Add a floor through the origin that falls towards +x by `degrees`."""
    return body(world, Segment((-200.0, 0.0), (200.0, 0.0)), (0.0, 0.0), -math.radians(degrees), "static", **more)


def on_slope(world: World, degrees: float, shape: AnyShape, height: float, **more: Any) -> int:
    """Add a body that stands on such a floor, `height` m above it."""
    angle = -math.radians(degrees)
    return body(world, shape, (-height * math.sin(angle), height * math.cos(angle)), angle, **more)


def run(world: World, seconds: float) -> None:
    """Step for so long."""
    for _ in range(round(seconds * world.settings.hertz)):
        world.step()


def speed(world: World, body: int) -> float:
    """Return the speed of a body, m/s."""
    return math.hypot(*world.state(body).linear_velocity)
