"""The shooting range: the target of a shot, and the bullet, in a world."""

from __future__ import annotations

from dataclasses import dataclass

from engine.box2d import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings
from engine.common.tolerances import BOX2D_POLYGON_SKIN, LINEAR_SLOP
from engine.experiments.spec import ShotSpec
from engine.geometry import Circle, Polygon

__all__ = ["FLOOR", "FLOOR_HALF_HEIGHT", "Panel", "Range", "build_floor", "build_range", "fire_bullet", "range_settings"]

FLOOR = -1.05
"""Metres: the floor's surface under a stack, below the line of fire."""
FLOOR_HALF_HEIGHT = 0.1
_GRAVITY = -10.0
_BULLET_DENSITY, _TARGET_DENSITY = 5.0, 4.0
"""kg/m^2: a plate takes most of the bullet's speed, and is thrown about by it all the same."""
_HALF_HEIGHT = 0.8
_WALL_HALF_HEIGHT = -FLOOR
"""Metres: a wall stands on the floor."""
_SWING = 1.45
"""Radians to either side that the hinge lets the plate swing."""
_PLANK_HALF_HEIGHT = 0.2
_N_PLANKS = 5


@dataclass(frozen=True, slots=True)
class Panel:
    """One body that can be shot through: a box about its own origin, thin along its own x axis."""

    body: int
    half_thickness: float
    half_height: float


@dataclass(frozen=True, slots=True)
class Range:
    """What stands in the world: the panels in the way, and where the hinge is, if there is one."""

    panels: tuple[Panel, ...]
    joint: int | None = None


def range_settings(spec: ShotSpec) -> WorldSettings:
    """Return the settings of the shot's world: gravity only where the target hangs or stands."""
    falls = spec.target in ("hinged", "stack")
    return WorldSettings(gravity=(0.0, _GRAVITY if falls else 0.0), hertz=spec.hertz, continuous=spec.ccd)


def build_range(world: World, spec: ShotSpec) -> Range:
    """Put the target of a shot into the world, its middle plane at x = 0."""
    if spec.target == "stack":
        return Range(_build_stack(world, spec.thickness))
    # higher than thick: a bullet inside is then nearest to the front or the back, never to the top
    half_thickness, half_height = 0.5 * spec.thickness, max(_WALL_HALF_HEIGHT if spec.target == "static" else _HALF_HEIGHT, spec.thickness)
    plate = FixtureSpec(Polygon.box(half_thickness, half_height), density=_TARGET_DENSITY)
    body = world.create_body(
        BodySpec(
            (plate,),
            type="static" if spec.target == "static" else "dynamic",
            gravity_scale=0.0 if spec.target == "dynamic" else 1.0,
            name=f"{spec.target} target",
        )
    )
    panel = Panel(body, half_thickness, half_height)
    if spec.target != "hinged":
        return Range((panel,))
    frame = world.create_body(BodySpec(type="static", position=(0.0, half_height), name="hinge"))
    hinge = RevoluteJointSpec(frame, body, (0.0, half_height), enable_limit=True, lower_angle=-_SWING, upper_angle=_SWING)
    return Range((panel,), world.create_joint(hinge))


def build_floor(world: World, left: float, right: float) -> int:
    """Put a static floor under the range and return its body."""
    middle = (0.5 * (left + right), FLOOR - FLOOR_HALF_HEIGHT)
    floor = FixtureSpec(Polygon.box(0.5 * (right - left), FLOOR_HALF_HEIGHT), friction=0.6)
    return world.create_body(BodySpec((floor,), type="static", position=middle, name="floor"))


def fire_bullet(world: World, spec: ShotSpec) -> int:
    """Put the bullet at the muzzle, at its speed, and return its body. It does not fall."""
    bullet = BodySpec(
        (FixtureSpec(Circle(spec.radius), density=_BULLET_DENSITY),),
        position=(spec.muzzle, 0.0),
        linear_velocity=(spec.direction * spec.speed, 0.0),
        gravity_scale=0.0,
        bullet=spec.ccd,
        name="bullet",
    )
    return world.create_body(bullet)


def _build_stack(world: World, thickness: float) -> tuple[Panel, ...]:
    """Planks on each other, at the height they would settle at: their skins overlap by the slop that the solver leaves."""
    half_thickness = 0.5 * thickness
    gap = 2.0 * BOX2D_POLYGON_SKIN - LINEAR_SLOP
    pitch = 2.0 * _PLANK_HALF_HEIGHT + gap
    panels = []
    for k in range(_N_PLANKS):
        y = FLOOR + gap + _PLANK_HALF_HEIGHT + k * pitch
        plank = FixtureSpec(Polygon.box(half_thickness, _PLANK_HALF_HEIGHT), density=_TARGET_DENSITY, friction=0.5)
        panels.append(
            Panel(world.create_body(BodySpec((plank,), position=(0.0, y), name=f"plank {k}")), half_thickness, _PLANK_HALF_HEIGHT)
        )
    return tuple(panels)
