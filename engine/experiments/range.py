"""The shooting range: the target of a shot, and the bullet, in a world.

    wall, sensor, plate       blade           head-on
          |#|                  /
          |#|                 /
    o --> |#|          o --> /          o -->  <-- o
          |#|               o hub
          |#|              /

All are still, or in even motion, when the bullet arrives, so that its first touch can be computed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.experiments.spec import BLADE_HALF_LENGTH, ShotSpec
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings
from engine.world.specs import BodyType

__all__ = [
    "BULLET_DENSITY",
    "FLOOR",
    "FLOOR_HALF_HEIGHT",
    "TARGET_DENSITY",
    "Panel",
    "build_floor",
    "build_range",
    "bullet_mass",
    "fire_bullet",
    "plate_half_height",
    "range_settings",
    "range_world",
]

FLOOR = -1.05
"""Meters: the floor's surface, below the line of fire."""
FLOOR_HALF_HEIGHT = 0.1
BULLET_DENSITY, TARGET_DENSITY = 5.0, 4.0
"""kg/m^2: a plate takes most of the bullet's speed, and is thrown about by it all the same."""
_HALF_HEIGHT = 0.8
_WALL_HALF_HEIGHT = -FLOOR
"""Meters: a wall stands on the floor."""
_HUB = (0.0, -0.5)
"""Meters: below the line of fire, so that the blade meets the bullet with two thirds of its tip's speed."""
_FLOOR_CATEGORY = 0x0004
_EVERYTHING = 0xFFFF


@dataclass(frozen=True, slots=True)
class Panel:
    """One body that can be shot through: a box about its own origin, thin along its own x axis; or a disc, met from any side."""

    body: int
    half_thickness: float
    half_height: float
    is_round: bool = False


def range_settings(spec: ShotSpec) -> WorldSettings:
    """Return the settings of the shot's world, which has no gravity."""
    return WorldSettings(gravity=(0.0, 0.0), hertz=spec.hertz, continuous=spec.rule in ("default", "bullet"))


def range_world(spec: ShotSpec) -> World:
    """Return the empty world of the shot, driven by its solver."""
    return World(range_settings(spec), solver=spec.solver)


def build_range(world: World, spec: ShotSpec) -> tuple[Panel, ...]:
    """Put the target of a shot into the world, its middle plane at x = 0 or on its way there, and return the panels in the bullet's way."""
    if spec.target == "blade":
        return (_build_blade(world, spec),)
    if spec.target == "head_on":
        other = world.create_body(_bullet(spec, spec.target_start, spec.target_velocity, "other bullet"))
        return (Panel(other, spec.radius, spec.radius, spec.shape == "disc"),)
    return (_build_plate(world, spec),)


def build_floor(world: World, left: float, right: float) -> int:
    """Put a static floor under the range and return its body. Bullets that come from below pass it."""
    middle = (0.5 * (left + right), FLOOR - FLOOR_HALF_HEIGHT)
    floor = FixtureSpec(Polygon.box(0.5 * (right - left), FLOOR_HALF_HEIGHT), friction=0.6, category=_FLOOR_CATEGORY)
    return world.create_body(BodySpec((floor,), type="static", position=middle, name="floor"))


def fire_bullet(world: World, spec: ShotSpec) -> int:
    """Put the bullet at the muzzle, at its speed, and return its body. It does not fall."""
    return world.create_body(_bullet(spec, spec.start, spec.velocity, "bullet"))


def plate_half_height(spec: ShotSpec) -> float:
    """Return half the height of a wall or plate: so high that a bullet inside is nearest to the front or the back, never to the top."""
    is_wall = spec.target in ("static", "kinematic", "sensor")
    needed = spec.thickness + abs(spec.height) + spec.reach * math.tan(abs(spec.angle))
    return max(_WALL_HALF_HEIGHT if is_wall else _HALF_HEIGHT, needed)


def bullet_mass(spec: ShotSpec) -> float:
    """Return the bullet's mass, kg."""
    return _bullet_shape(spec).mass(BULLET_DENSITY).mass


def _bullet_shape(spec: ShotSpec) -> Circle | Polygon:
    return Circle(spec.radius) if spec.shape == "disc" else Polygon.box(spec.radius, spec.radius)


def _bullet(spec: ShotSpec, position: tuple[float, float], velocity: tuple[float, float], name: str) -> BodySpec:
    mask = _EVERYTHING if spec.angle >= 0.0 else _EVERYTHING & ~_FLOOR_CATEGORY
    return BodySpec(
        (FixtureSpec(_bullet_shape(spec), density=BULLET_DENSITY, restitution=spec.restitution, mask=mask),),
        position=position,
        angle=-spec.direction * spec.angle if spec.shape == "box" else 0.0,
        linear_velocity=velocity,
        gravity_scale=0.0,
        bullet=spec.rule == "bullet",
        name=name,
    )


def _build_plate(world: World, spec: ShotSpec) -> Panel:
    """Build a plate upright: a wall of each kind, or the free plate."""
    half_thickness, half_height = 0.5 * spec.thickness, plate_half_height(spec)
    plate = FixtureSpec(Polygon.box(half_thickness, half_height), density=TARGET_DENSITY, sensor=spec.target == "sensor")
    types: dict[str, BodyType] = {"static": "static", "sensor": "static", "kinematic": "kinematic"}
    body = BodySpec(
        (plate,),
        type=types.get(spec.target, "dynamic"),
        position=spec.target_start,
        linear_velocity=spec.target_velocity,
        gravity_scale=0.0 if spec.target == "dynamic" else 1.0,
        name=f"{spec.target} target",
    )
    return Panel(world.create_body(body), half_thickness, half_height)


def _build_blade(world: World, spec: ShotSpec) -> Panel:
    """A plate that spins about its middle, the hub, whatever strikes it."""
    half_thickness = 0.5 * spec.thickness
    blade = FixtureSpec(Polygon.box(half_thickness, BLADE_HALF_LENGTH))
    body = BodySpec((blade,), type="kinematic", position=_HUB, angle=spec.start_turn, angular_velocity=spec.spin, name="blade")
    return Panel(world.create_body(body), half_thickness, BLADE_HALF_LENGTH)
