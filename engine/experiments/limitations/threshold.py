"""Slow balls do not bounce: below 1 m/s, Box2D ignores the restitution.

When b2ContactSolver prepares the contacts of a step, it sets their target speed to -e v_rel if v_rel < -b2_velocityThreshold = -1 m/s,
otherwise to 0. The inequality is strict, and v_rel includes the gravity of this step. So a ball of restitution 1

    that approaches at v     leaves at v if v > 1 m/s, otherwise at 0
    that is dropped          falls in steps of h:  v_k = k g h,  y_k = y_0 - g h^2 k (k + 1) / 2

and touches when a step ends within the floor's skin of 10 mm, at a height y. The speed of the next step, including its gravity, decides. If
it bounces, that speed is reversed at that height. In continuous time, a drop of v^2 / (2 g) = 5 cm is the smallest that bounces; with steps
of 1/60 s it is between 5 and 6 cm, and a ball of restitution 1 rises higher than it fell: it touched above the floor, and its speed
included the gravity of one more step.

If it does not bounce, it stops at y and does not rise, but it does not rest on the floor either:

    10 mm |-----------------|  upper end of the skin: a contact begins
          |   stays at y    |
     5 mm |-----------------|  b2_linearSlop inside the skin: the allowed depth of contacts
          |  y is too deep  |  lifted by a fifth (b2_baumgarte) of the error in each step, until it is at 5 mm
     0 mm |=================|  the floor
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.common.limits import VELOCITY_THRESHOLD
from engine.common.tolerances import BOX2D_POLYGON_SKIN, EPS32, LINEAR_SLOP
from engine.experiments.limitations.finding import Finding
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

__all__ = [
    "APPROACHES",
    "DROPS",
    "LYING",
    "PITCH",
    "RADIUS",
    "Balls",
    "dropped_balls",
    "flying_balls",
    "measure_threshold",
    "predicted_drop",
    "predicted_rebound",
]

Point = tuple[float, float]

APPROACHES = (0.5, 0.9, 0.99, 1.0, 1.01, 1.1, 1.5, 2.0)
"""m/s."""
DROPS = (0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.15, 0.3)
"""Drop heights above the floor, meters."""
RADIUS = 0.15
PITCH = 0.45
"""Distance between balls, meters."""
_WAY = 0.6
"""Initial distance from a ball's surface to the wall, meters."""
_FLIGHT = 2.4
"""Seconds after which the slowest ball has arrived, and has left if it bounces."""
_GRAVITY = 10.0
_FALL_SECONDS = 1.2
_WALL_HALF = 0.1
_BAUMGARTE = 0.2
"""`b2_baumgarte` of Box2D 2.3: share of a contact's position error that a step corrects."""
LYING = BOX2D_POLYGON_SKIN - LINEAR_SLOP
"""Final height of a ball that entered the skin more deeply, meters above the floor."""


def predicted_rebound(approach: float, restitution: float = 1.0) -> float:
    """Return the speed after the contact, m/s."""
    return restitution * approach if approach > VELOCITY_THRESHOLD else 0.0


class Balls(NamedTuple):
    """A world with balls and their obstacles."""

    world: World
    balls: tuple[int, ...]


def flying_balls(restitution: float = 1.0) -> Balls:
    """Build a world without gravity, with a wall at x = 0, and a ball for each of `APPROACHES` that moves toward it from the left."""
    tall = 0.5 * PITCH * len(APPROACHES)
    starts = [((-_WAY - RADIUS, -PITCH * lane), speed) for lane, speed in enumerate(APPROACHES)]
    return _balls(0.0, (_WALL_HALF, tall), (_WALL_HALF, -tall + 0.5 * PITCH), starts, restitution)


def dropped_balls(restitution: float = 1.0) -> Balls:
    """Build a world with a floor at y = 0, and a ball above it for each of `DROPS`."""
    wide = 0.5 * PITCH * len(DROPS)
    starts = [((PITCH * lane, RADIUS + drop), 0.0) for lane, drop in enumerate(DROPS)]
    return _balls(-_GRAVITY, (wide, _WALL_HALF), (wide - 0.5 * PITCH, -_WALL_HALF), starts, restitution)


def _balls(gravity: float, half: Point, at: Point, starts: Iterable[tuple[Point, float]], restitution: float) -> Balls:
    world = World(WorldSettings(gravity=(0.0, gravity), sleeping=False))
    slab = FixtureSpec(Polygon.box(*half), friction=0.0, restitution=restitution)
    world.create_body(BodySpec((slab,), type="static", position=at))
    ball = FixtureSpec(Circle(RADIUS), friction=0.0, restitution=restitution)
    return Balls(world, tuple(world.create_body(BodySpec((ball,), position=p, linear_velocity=(speed, 0.0))) for p, speed in starts))


def _climbs(world: World, balls: tuple[int, ...]) -> tuple[float, ...]:
    """Run for `_FALL_SECONDS`, and return each ball's maximum height between its first and second touch, meters above the floor."""
    highest, touches = dict.fromkeys(balls, 0.0), dict.fromkeys(balls, 0)
    for _ in range(round(_FALL_SECONDS * world.settings.hertz)):
        for event in world.step().began:
            touches[event.body_b] += 1
        for ball in balls:
            if touches[ball] == 1:
                highest[ball] = max(highest[ball], world.state(ball).position[1] - RADIUS)
    return tuple(highest.values())


def measure_threshold(restitution: float = 1.0) -> tuple[Finding, ...]:
    """Return the rebound speeds of `APPROACHES`, and the greatest heights after the first touch of `DROPS`."""
    flying = flying_balls(restitution)
    for _ in range(round(_FLIGHT * flying.world.settings.hertz)):
        flying.world.step()
    findings = []
    for approach, ball in zip(APPROACHES, flying.balls, strict=True):
        rebound = -flying.world.state(ball).linear_velocity[0]
        # one product and one sum of float32 in each of 8 velocity iterations
        allowed = 16.0 * EPS32 * approach
        findings.append(
            Finding(
                f"rebound speed after an approach at {approach:g} m/s", predicted_rebound(approach, restitution), rebound, "m/s", allowed
            )
        )
    for drop, height in zip(DROPS, _climbs(*dropped_balls(restitution)), strict=True):
        predicted, does_bounce = predicted_drop(drop, restitution)
        words = "bounces up to" if does_bounce else "does not bounce and rests at"
        allowed = 80.0 * EPS32  # a float32 is rounded in each of some 80 steps
        findings.append(Finding(f"dropped from {100.0 * drop:g} cm: {words}", predicted, height, "m", allowed, 4))
    return tuple(findings)


def predicted_drop(drop: float, restitution: float = 1.0) -> tuple[float, bool]:
    """Return the maximum height of a dropped ball between its first and second touch, meters above the floor, and whether it bounces.

    This follows the module's rules step by step, for drops without a time of impact: after the last step of the fall, the ball is less than
    5 mm inside the floor.
    """
    h, gap, speed, top, touches, was_touching, bounced = 1.0 / WorldSettings().hertz, drop, 0.0, 0.0, 0, False, False
    for _ in range(round(_FALL_SECONDS / h)):
        is_touching = gap <= BOX2D_POLYGON_SKIN
        touches += is_touching and not was_touching
        was_touching = is_touching
        speed += _GRAVITY * h  # downwards
        if is_touching and speed > 0.0:
            speed = -predicted_rebound(speed, restitution)
            bounced = bounced or speed < 0.0
        gap -= speed * h
        if is_touching:
            gap += _BAUMGARTE * max(LYING - gap, 0.0)
        if touches == 1:
            top = max(top, gap)
    return top, bounced
