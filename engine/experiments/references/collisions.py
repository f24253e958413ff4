"""Bodies that bounce."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.experiments import scenes
from engine.experiments.references.lab import (
    GRAVITY,
    Lab,
    Row,
    absolute,
    at_most,
    reference,
    relative,
    run,
)
from engine.experiments.scenes import body, ground
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World

__all__ = []


def _dropped(lab: Lab, restitution: float) -> tuple[World, int]:
    world = lab.world()
    ground(world, restitution=restitution)
    return world, body(world, Circle(0.5), (0.0, 5.5), restitution=restitution)


@reference("ball bounces from 5 m, restitution 0.8")
def bouncing(lab: Lab) -> list[Row]:
    """Each bounce multiplies the speed by e and the height by e^2: the third height is ``5 e^6`` = 1.3107 m.

    The apex is between two steps; it is ``v^2 / 2g`` above the position before it.
    """
    world, ball = _dropped(lab, 0.8)
    tops, rises = [], False
    for _ in range(600):
        world.step()
        (_, y), (_, v) = world.state(ball).position, world.state(ball).linear_velocity
        if rises and v <= 0.0:
            tops.append(y - 0.5 + v * v / (2.0 * GRAVITY))
        rises = v > 0.0
    third = tops[2] if len(tops) > 2 else 0.0  # it bounced fewer times
    return [relative("third height", 5.0 * 0.8**6, third, 0.01)]


@reference("elastic ball, 20 s")
def elastic(lab: Lab) -> list[Row]:
    """With restitution 1 the energy stays m g times 5 m."""
    world, ball = _dropped(lab, 1.0)
    run(world, 20.0)
    (_, y), (_, v) = world.state(ball).position, world.state(ball).linear_velocity
    return [relative("energy", GRAVITY * 5.0, GRAVITY * (y - 0.5) + 0.5 * v * v, 1e-3)]


@reference("36 elastic discs in a free frame, 10 s")
def elastic_discs(lab: Lab) -> list[Row]:
    """Without external forces and losses, momentum and energy are conserved in any sequence of collisions.

    The discs move within a free frame of four bars. The change of momentum is relative to the sum of all magnitudes.
    """
    world, rng = lab.world(gravity=(0.0, 0.0)), np.random.default_rng(1)
    sides = [((0.0, 5.5), 6.0, 0.5), ((0.0, -5.5), 6.0, 0.5), ((5.5, 0.0), 0.5, 5.0), ((-5.5, 0.0), 0.5, 5.0)]
    material: dict[str, Any] = {"restitution": 1.0, "friction": 0.0}
    bars = tuple(FixtureSpec(Polygon.box(wide, tall, center), **material) for center, wide, tall in sides)
    frame = world.create_body(BodySpec(bars, fixed_rotation=True))
    discs = []
    for row in range(6):
        for column in range(6):
            velocity = rng.normal(0.0, 2.0, 2)
            at = (1.6 * column - 4.0, 1.6 * row - 4.0)
            discs.append(body(world, Circle(0.3), at, linear_velocity=(float(velocity[0]), float(velocity[1])), **material))
    mass = np.array([world.body(body_id).mass for body_id in (frame, *discs)])[:, None]
    before = world.velocities[:, :2].copy()
    run(world, 10.0)
    after = world.velocities[:, :2]
    drift = np.hypot(*(mass * (after - before)).sum(axis=0)) / (mass * np.abs(before)).sum()
    return [
        at_most("momentum", float(drift), 1e-12, ""),
        relative("energy", float((mass * before**2).sum()), float((mass * after**2).sum()), 2e-3),
    ]


@reference("Newton's cradle, 4 m/s")
def cradle(lab: Lab) -> list[Row]:
    """One disc hits four equal discs at rest that touch each other: the last one leaves at 4 m/s, the others are at rest."""
    world = lab.world(gravity=(0.0, 0.0))
    balls = scenes.balls_in_a_row(world)
    run(world, 2.0)
    off = [abs(world.state(ball).linear_velocity[0] - exact) for ball, exact in zip(balls, (0.0, 0.0, 0.0, 0.0, 4.0), strict=True)]
    return [at_most("largest speed error", max(off), 1e-9, "m/s")]


@reference("oblique collision of two discs")
def oblique(lab: Lab) -> list[Row]:
    """At contact the line of centers is at the angle a = asin 0.3 to the velocity v: the struck disc leaves along it at ``v cos a``."""
    world = lab.world(gravity=(0.0, 0.0))
    body(world, Circle(0.5), (-3.0, 0.3), restitution=1.0, friction=0.0, linear_velocity=(4.0, 0.0))
    struck = body(world, Circle(0.5), (0.0, 0.0), restitution=1.0, friction=0.0)
    run(world, 2.0)
    along = math.asin(0.3)
    exact = (4.0 * math.cos(along) ** 2, -4.0 * math.cos(along) * math.sin(along))
    return [absolute("relative velocity error", 0.0, math.dist(world.state(struck).linear_velocity, exact) / 4.0, 1e-3, "")]
