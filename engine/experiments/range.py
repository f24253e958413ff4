"""The shooting range: the target of a shot, and the bullet, in a world.

    wall, sensor, plate       blade           head-on
          |#|                  /
          |#|                 /
    o --> |#|          o --> /          o -->  <-- o
          |#|               o hub
          |#|              /

All are at rest or in uniform motion when the bullet arrives, so that its first touch can be computed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.experiments.spec import BLADE_HALF_LENGTH, ShotSpec
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings
from engine.world.specs import BodyType

__all__ = ["Panel", "Shot", "build_floor", "bullet_of", "fire", "target_of", "world_of"]

_FLOOR = -1.05
"""Distance of the floor's surface below the line of fire, meters."""
_FLOOR_HALF_HEIGHT = 0.1
_BULLET_DENSITY, _TARGET_DENSITY = 5.0, 4.0
"""Density, kg/m^2: a plate takes most of the bullet's speed, but is still thrown about."""
_HALF_HEIGHT = 0.8
_WALL_HALF_HEIGHT = -_FLOOR
"""Height of a wall on the floor, meters."""
_HUB = (0.0, -0.5)
"""Distance of the hub below the line of fire, meters: the blade meets the bullet with two thirds of its tip's speed."""
_FLOOR_CATEGORY = 0x0004
_EVERYTHING = 0xFFFF


class Panel(NamedTuple):
    """The part of a target that a shot can pass: a box centered on its body's origin, thin along the body's x axis, or a disc."""

    half_thickness: float
    half_height: float
    is_round: bool = False


class Shot(NamedTuple):
    """A target, with its panel, and a bullet at the muzzle, both bodies of a world."""

    world: World
    spec: ShotSpec
    panel: Panel
    target: int
    bullet: int


def world_of(spec: ShotSpec) -> World:
    """Return the empty world of the shot, without gravity, driven by its solver."""
    settings = WorldSettings(gravity=(0.0, 0.0), hertz=spec.hertz, continuous=spec.rule in ("default", "bullet"))
    return World(settings, solver=spec.solver)


def fire(spec: ShotSpec, world: World | None = None) -> Shot:
    """Add target and bullet to the world, by default to a new one."""
    world = world_of(spec) if world is None else world
    panel, target = target_of(spec)
    return Shot(world, spec, panel, world.create_body(target), world.create_body(bullet_of(spec)))


def build_floor(world: World, left: float, right: float) -> int:
    """Add a static floor under the range and return its body. Bullets from below pass through it."""
    middle = (0.5 * (left + right), _FLOOR - _FLOOR_HALF_HEIGHT)
    floor = FixtureSpec(Polygon.box(0.5 * (right - left), _FLOOR_HALF_HEIGHT), friction=0.6, category=_FLOOR_CATEGORY)
    return world.create_body(BodySpec((floor,), type="static", position=middle, name="floor"))


def bullet_of(spec: ShotSpec) -> BodySpec:
    """Return the bullet at the muzzle, at its speed. It does not fall."""
    return _bullet(spec, spec.start, spec.velocity, "bullet")


def _bullet(spec: ShotSpec, position: tuple[float, float], velocity: tuple[float, float], name: str) -> BodySpec:
    shape = Circle(spec.radius) if spec.shape == "disc" else Polygon.box(spec.radius, spec.radius)
    mask = _EVERYTHING if spec.angle >= 0.0 else _EVERYTHING & ~_FLOOR_CATEGORY
    return BodySpec(
        (FixtureSpec(shape, density=_BULLET_DENSITY, restitution=spec.restitution, mask=mask),),
        position=position,
        angle=-spec.angle if spec.shape == "box" else 0.0,
        linear_velocity=velocity,
        gravity_scale=0.0,
        bullet=spec.rule == "bullet",
        name=name,
    )


def target_of(spec: ShotSpec) -> tuple[Panel, BodySpec]:
    """Return the target, with its middle plane at x = 0 or moving there: an upright plate, a plate that spins about its hub, or a bullet.

    A plate is so high that a bullet inside is closest to its front or back, never to its top.
    """
    if spec.target == "head_on":
        panel = Panel(spec.radius, spec.radius, spec.shape == "disc")
        return panel, _bullet(spec, spec.target_start, spec.target_velocity, "other bullet")
    half_thickness = 0.5 * spec.thickness
    if spec.target == "blade":
        blade = (FixtureSpec(Polygon.box(half_thickness, BLADE_HALF_LENGTH)),)
        spinning = BodySpec(blade, type="kinematic", position=_HUB, angle=spec.start_turn, angular_velocity=spec.spin, name="blade")
        return Panel(half_thickness, BLADE_HALF_LENGTH), spinning
    types: dict[str, BodyType] = {"static": "static", "sensor": "static", "kinematic": "kinematic"}
    needed = spec.thickness + abs(spec.height) + spec.reach * math.tan(abs(spec.angle))
    half_height = max(_WALL_HALF_HEIGHT if spec.target in types else _HALF_HEIGHT, needed)
    plate = FixtureSpec(Polygon.box(half_thickness, half_height), density=_TARGET_DENSITY, sensor=spec.target == "sensor")
    body = BodySpec(
        (plate,),
        type=types.get(spec.target, "dynamic"),
        position=spec.target_start,
        linear_velocity=spec.target_velocity,
        gravity_scale=0.0 if spec.target == "dynamic" else 1.0,
        name=f"{spec.target} target",
    )
    return Panel(half_thickness, half_height), body
