"""Bodies on slopes and floors: gravity, friction, rolling, an impulse."""

from __future__ import annotations

import math

from engine.experiments.references.lab import (
    GRAVITY,
    Lab,
    Row,
    absolute,
    at_most,
    reference,
    relative,
    run,
    speed,
)
from engine.experiments.scenes import UNIT, body, ground, on_slope
from engine.geometry import AnyShape, Circle, Polygon

__all__: list[str] = []


@reference("projectile")
def projectile(lab: Lab) -> list[Row]:
    """After 2 s, a body thrown at (3, 8) m/s is at ``v t + g t^2 / 2`` = (6, -4) m. The error of semi-implicit Euler is ``g h t / 2``."""
    world = lab.world()
    ball = body(world, Circle(0.5), (0.0, 0.0), linear_velocity=(3.0, 8.0))
    run(world, 2.0)
    return [absolute("position error after 2 s", 0.0, math.dist(world.state(ball).position, (6.0, -4.0)), 1e-9, "m")]


def _acceleration(lab: Lab, shape: AnyShape, degrees: float, friction: float) -> float:
    world = lab.world()
    ground(world, degrees, friction=friction)
    moving = on_slope(world, degrees, shape, 0.5, friction=friction)
    run(world, 1.0)  # until an overlap supports its weight
    before = speed(world, moving)
    run(world, 1.0)
    return speed(world, moving) - before


@reference("box slides down a 30-degree slope, friction 0.3")
def sliding(lab: Lab) -> list[Row]:
    """Gravity accelerates the box along the slope by ``g sin a``, and friction decelerates it by ``mu g cos a``: in total 2.4019 m/s^2."""
    slope = math.radians(30.0)
    exact = GRAVITY * (math.sin(slope) - 0.3 * math.cos(slope))
    return [relative("acceleration", exact, _acceleration(lab, UNIT, 30.0, 0.3), 1e-6)]


@reference("stopping distance, 5 m/s, friction 0.5")
def stopping(lab: Lab) -> list[Row]:
    """Friction decelerates a box by ``mu g``, so it stops after ``v^2 / (2 mu g)`` = 2.5 m."""
    world = lab.world()
    ground(world, friction=0.5)
    box = body(world, UNIT, (0.0, 0.5), friction=0.5)
    run(world, 0.5)
    start = world.state(box).position[0]
    world.set_velocity(box, (5.0, 0.0))
    run(world, 2.0)
    return [relative("distance", 25.0 / (2.0 * 0.5 * GRAVITY), world.state(box).position[0] - start, 0.003)]


@reference("box rests on a 30-degree slope, friction 0.6, 10 s")
def resting(lab: Lab) -> list[Row]:
    """tan 30 deg = 0.577 is less than the coefficient of friction, so the box does not move."""
    world = lab.world()
    ground(world, 30.0, friction=0.6)
    box = on_slope(world, 30.0, UNIT, 0.5, friction=0.6)
    run(world, 1.0)
    before = world.state(box).position
    run(world, 10.0)
    return [at_most("creep", math.dist(before, world.state(box).position), 1e-9, "m")]


@reference("disc rolls down a 20-degree slope")
def rolling(lab: Lab) -> list[Row]:
    """A disc has I = m r^2 / 2; friction makes it roll without slipping, so its acceleration is 2/3 of ``g sin a``."""
    exact = 2.0 / 3.0 * GRAVITY * math.sin(math.radians(20.0))
    return [relative("acceleration", exact, _acceleration(lab, Circle(0.5), 20.0, 0.5), 1e-4)]


@reference("disc slips down a 20-degree slope, friction 0.1")
def slipping(lab: Lab) -> list[Row]:
    """To roll, the disc needs a friction of at least tan a / 3 = 0.12; with 0.1 it slips and accelerates as a box does."""
    slope = math.radians(20.0)
    exact = GRAVITY * (math.sin(slope) - 0.1 * math.cos(slope))
    return [relative("acceleration", exact, _acceleration(lab, Circle(0.5), 20.0, 0.1), 1e-6)]


@reference("disc slips until it rolls, 6 m/s")
def slip_to_roll(lab: Lab) -> list[Row]:
    """Friction has no moment about a point on the floor: ``m r v_0 = m r v + I v / r``, so v = 2/3 v_0 = 4 m/s."""
    world = lab.world()
    ground(world, friction=0.3)
    disc = body(world, Circle(0.5), (0.0, 0.5), friction=0.3)
    run(world, 0.5)
    world.set_velocity(disc, (6.0, 0.0))
    run(world, 2.0)
    return [relative("speed", 4.0, world.state(disc).linear_velocity[0], 1e-4)]


@reference("rod hit off center")
def off_center(lab: Lab) -> list[Row]:
    """An impulse J with the lever arm d gives ``v = J / m`` and ``w = J d / I``."""
    world = lab.world(gravity=(0.0, 0.0))
    rod = body(world, Polygon.box(0.5, 0.05), (0.0, 0.0))
    world.apply_impulse(rod, (0.0, 2.0), (0.25, 0.0))
    world.step()
    info, state = world.body(rod), world.state(rod)
    return [
        relative("speed", 2.0 / info.mass, state.linear_velocity[1], 1e-12),
        relative("spin", 2.0 * 0.25 / info.inertia, state.angular_velocity, 1e-12),
    ]
