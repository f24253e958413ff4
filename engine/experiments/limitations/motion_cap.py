"""The cap: Box2D moves no body more than 2 m, and turns none more than a quarter turn, in a step.

b2Island::Solve, before it moves a body: where h |v| > 2 m the velocity itself is scaled, and stays so; likewise where h |w| > pi / 2. So

    flown speed = min(asked, 2 m * hertz)        turning = min(asked, pi / 2 * hertz)

120 m/s and 94 rad/s at 60 Hz: a rifle's bullet flies at a sixth of its speed, and twice the hertz is twice the speed.
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
"""Steps of the race."""
PITCH = 3.6
"""Meters from lane to lane."""
BLADES_AT = -3.2
"""Meters: x of the blades."""
_RADIUS = 0.5
_WALL_HALF = 0.1
_AHEAD = 0.1
"""Meters that the wall at the end lies ahead of the fastest disc after `STEPS` steps, so that nothing is touched before."""
_BLADE = (1.1, 0.14)


@dataclass(frozen=True, slots=True)
class Race:
    """A world with a disc for each of `SPEEDS` at x = 0, a blade for each of `TURNINGS` at the left of it, a wall at the end."""

    world: World
    discs: tuple[int, ...]
    blades: tuple[int, ...]

    @classmethod
    def start(cls, hertz: float = 60.0) -> Race:
        """Build the world, everything at its asked velocity."""
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
    """Return flown speeds and turning, from the way of `STEPS` steps; of a disc that no cap keeps from the wall, of those before it.

    Sums of `STEPS` float32 steps round by half a unit in the last place of the way each, and so does each product in the cap.
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
        findings.append(Finding(f"set to {speed:g} m/s: flies", flown, measured, "m/s", (STEPS + 4) * EPS32 * flown, 1))
    for turning, blade in zip(TURNINGS, race.blades, strict=True):
        turned = min(turning, MAX_ROTATION_PER_STEP * hertz)
        measured = race.world.state(blade).angle / seconds
        # b2_maxRotation is half of 3.14159265359f, and so is ours of pi
        findings.append(Finding(f"set to {turning:g} rad/s: turns", turned, measured, "rad/s", (STEPS + 4) * EPS32 * turned, 1))
    return tuple(findings)


def is_capped(requested: float, limit: float, hertz: float) -> bool:
    """Return True if the cap of `limit` per step applies."""
    return requested > limit * hertz and not math.isclose(requested, limit * hertz)
