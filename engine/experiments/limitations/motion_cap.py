"""The cap: in a step, Box2D moves a body by at most 2 m and rotates it by at most a quarter turn.

Before it moves a body, b2Island::Solve scales the velocity permanently if h |v| > 2 m, or if h |w| > pi / 2. So

    flown speed = min(asked, 2 m * hertz)        turning = min(asked, pi / 2 * hertz)

The limits are 120 m/s and 94 rad/s at 60 Hz: a rifle's bullet flies at a sixth of its speed, and doubling the step rate doubles the limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.common.limits import MAX_ROTATION_PER_STEP, MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import EPS32
from engine.experiments.limitations.finding import Finding
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

__all__ = ["BLADES_AT", "PITCH", "SPEEDS", "STEPS", "TURNINGS", "Race", "is_capped", "measure_cap"]

SPEEDS = (60.0, 110.0, 120.0, 240.0, 720.0)
"""Requested speeds, m/s."""
TURNINGS = (30.0, 60.0, 90.0, 120.0, 360.0)
"""Requested angular velocities, rad/s."""
STEPS = 8
"""Number of steps of the race."""
PITCH = 3.6
"""Distance between lanes, meters."""
BLADES_AT = -3.2
"""x of the blades, meters."""
_RADIUS = 0.5
_WALL_HALF = 0.1
_AHEAD = 0.1
"""Distance of the wall at the end from the fastest disc after `STEPS` steps, meters, so that nothing touches before."""
_BLADE = (1.1, 0.14)


@dataclass(frozen=True, slots=True)
class Race:
    """A world with a disc for each of `SPEEDS` at x = 0, a blade for each of `TURNINGS` to the left of it, and a wall at the end."""

    world: World
    discs: tuple[int, ...]
    blades: tuple[int, ...]

    @classmethod
    def start(cls, hertz: float = 60.0) -> Race:
        """Build the world, with all bodies at their requested velocities."""
        world = World(WorldSettings(gravity=(0.0, 0.0), hertz=hertz))
        disc, blade = FixtureSpec(Circle(_RADIUS)), FixtureSpec(Polygon.box(*_BLADE))
        discs = tuple(
            world.create_body(BodySpec((disc,), position=(0.0, -PITCH * lane), linear_velocity=(speed, 0.0)))
            for lane, speed in enumerate(SPEEDS)
        )
        blades = tuple(
            world.create_body(BodySpec((blade,), position=(BLADES_AT, -PITCH * lane), angular_velocity=turning))
            for lane, turning in enumerate(TURNINGS)
        )
        tall = 0.5 * PITCH * len(SPEEDS)
        wall = FixtureSpec(Polygon.box(_WALL_HALF, tall))
        at = STEPS * MAX_TRANSLATION_PER_STEP + _RADIUS + _AHEAD + _WALL_HALF, 0.5 * PITCH - tall
        world.create_body(BodySpec((wall,), type="static", position=at))
        return cls(world, discs, blades)


def measure_cap(hertz: float = 60.0) -> tuple[Finding, ...]:
    """Return the actual speeds and angular velocities over `STEPS` steps, or over those before an uncapped disc reaches the wall.

    Each of the `STEPS` float32 sums rounds by half a unit in the last place of the position, and so does each product in the cap.
    """
    race = Race.start(hertz)
    ways = []
    for _ in range(STEPS):
        race.world.step()
        ways.append([race.world.state(disc).position[0] for disc in race.discs])
    seconds, free = STEPS / hertz, STEPS * MAX_TRANSLATION_PER_STEP + 0.5 * _AHEAD
    findings = []
    for speed, way in zip(SPEEDS, zip(*ways, strict=True), strict=True):
        flown = min(speed, MAX_TRANSLATION_PER_STEP * hertz)
        n = max((step for step, x in enumerate(way, 1) if x < free), default=STEPS)
        measured = way[n - 1] / (n / hertz)
        findings.append(Finding(f"set to {speed:g} m/s: speed", flown, measured, "m/s", (STEPS + 4) * EPS32 * flown, 1))
    for turning, blade in zip(TURNINGS, race.blades, strict=True):
        turned = min(turning, MAX_ROTATION_PER_STEP * hertz)
        measured = race.world.state(blade).angle / seconds
        # b2_maxRotation is half of 3.14159265359f, which equals our float32 value
        findings.append(Finding(f"set to {turning:g} rad/s: spin", turned, measured, "rad/s", (STEPS + 4) * EPS32 * turned, 1))
    return tuple(findings)


def is_capped(requested: float, limit: float, hertz: float) -> bool:
    """Return True if the cap of `limit` per step applies."""
    return requested > limit * hertz and not math.isclose(requested, limit * hertz)
