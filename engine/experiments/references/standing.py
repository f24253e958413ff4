"""Stability: contact forces, toppling, a ladder, an arch, a wedge, dominoes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from engine.experiments import scenes
from engine.experiments.references.lab import (
    GRAVITY,
    STEP,
    Lab,
    Row,
    absolute,
    at_most,
    reference,
    relative,
    run,
)
from engine.experiments.scenes import body, ground, pile, stack
from engine.geometry import Polygon
from engine.world import World, WorldSettings

__all__ = ["ARCH_FRICTION", "DOMINO_SPEED", "domino_speed", "pyramid_world", "unbalanced"]


def unbalanced(world: World, bodies: list[int]) -> float:
    """Return the largest unbalanced force, N, and moment about a body's center, N m, of weights and contacts in the last step."""
    contacts = world.contacts
    rows = {member: k for k, member in enumerate(bodies)}
    left = np.zeros((len(bodies), 3))
    centers = [world.state(body).xf.apply(world.body(body).local_center) for body in bodies]
    left[:, 1] = [-world.body(body).mass * GRAVITY for body in bodies]
    for row in range(len(contacts)):
        (nx, ny) = contacts.normal[row].tolist()
        for k in range(int(contacts.count[row])):
            pn, pt = float(contacts.normal_impulse[row, k]) / STEP, float(contacts.tangent_impulse[row, k]) / STEP
            fx, fy = pn * nx + pt * ny, pn * ny - pt * nx
            x, y = contacts.position[row, k].tolist()
            for end, sign in ((int(contacts.body_a[row]), -1.0), (int(contacts.body_b[row]), 1.0)):
                if end in rows:
                    cx, cy = centers[rows[end]]
                    left[rows[end]] += sign * np.array((fx, fy, (x - cx) * fy - (y - cy) * fx))
    return float(np.abs(left).max())


@reference("stack of 10: contact forces")
def stack_forces(lab: Lab) -> list[Row]:
    """Each contact supports the weights above it: 10, 9, ... 1 times m g."""
    world = lab.world()
    ground(world)
    boxes = stack(world, 10)
    run(world, 20.0)
    weight, borne = world.body(boxes[0]).mass * GRAVITY, dict.fromkeys(boxes, 0.0)
    for upper, impulse in zip(world.contacts.body_b.tolist(), world.contacts.normal_impulse.sum(axis=1).tolist(), strict=True):
        borne[upper] = impulse / STEP / weight
    off = [abs(borne[box] / (10.0 - k) - 1.0) for k, box in enumerate(boxes)]
    return [at_most("largest force error", max(off), 1e-6, "")]


def pyramid_world(lab: Lab) -> tuple[World, list[int]]:
    """Return a pyramid of five rows of boxes, at rest."""
    world = lab.world()
    ground(world, friction=0.6)
    boxes = [box for row in pile(world, range(5, 0, -1), friction=0.6) for box in row]
    run(world, 10.0)
    return world, boxes


@reference("pyramid of 5 rows: contact forces")
def pyramid_forces(lab: Lab) -> list[Row]:
    """The forces between rigid bodies are not unique; a linear program gives bounds for each.

    Forces that push, satisfy the friction limit and balance the weight and moments of every body are feasible in that program, and thus
    within its bounds. The error is the unbalanced part, in weights of a box.
    """
    world, boxes = pyramid_world(lab)
    contacts = world.contacts
    friction = 0.6 * contacts.normal_impulse + 1e-12
    is_inside = bool((contacts.normal_impulse >= 0.0).all() and (np.abs(contacts.tangent_impulse) <= friction).all())
    weight = world.body(boxes[0]).mass * GRAVITY
    return [
        at_most("unbalanced part of a box's weight and moments", unbalanced(world, boxes) / weight, 1e-6, ""),
        at_most("forces that pull or exceed the friction limit", 0.0 if is_inside else 1.0, 0.0, ""),
    ]


def _between(low: float, high: float, is_past: Callable[[float], bool], width: float) -> float:
    """Return the value at which `is_past` changes, by bisection to within `width`."""
    while high - low > width:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if is_past(middle) else (middle, high)
    return 0.5 * (low + high)


@reference("box of 0.5 x 1 m topples on a slope", is_slow=True)
def toppling(lab: Lab) -> list[Row]:
    """With enough friction, the box topples when its center is above its lower corner: ``tan a = 0.5 / 1``, 26.565 deg.

    Gravity is tilted instead of the floor, for the first second by 0.95 of the angle, because a box that has just been placed sinks and
    tips.
    """

    def falls(degrees: float) -> bool:
        world = lab.world()
        ground(world, friction=2.0)
        box = body(world, Polygon.box(0.25, 0.5), (0.0, 0.5), friction=2.0)
        for share, seconds in ((0.95, 1.0), (1.0, 5.0)):
            angle = share * math.radians(degrees)
            world.set_settings(gravity=(GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle)))
            run(world, seconds)
        return abs(world.state(box).angle) > 0.3

    return [absolute("angle", math.degrees(math.atan(0.5)), _between(26.0, 27.2, falls, 0.002), 0.1, "deg")]


@reference("ladder on a smooth wall, friction 0.5", is_slow=True)
def ladder(lab: Lab) -> list[Row]:
    """The ladder, of half lengths a = 1 m and b = 1 cm, slips at angles t below ``tan t = 1 / (2 mu + b / a)``: 44.715 deg.

    About the foot the lever arm of the weight is ``a cos t - b sin t``, and that of the wall's force, which equals the floor's friction,
    ``2 a sin t``.
    """
    half, thick = 1.0, 0.01

    def stands(degrees: float) -> bool:
        world, angle = lab.world(), math.radians(degrees)
        rod = scenes.ladder_on_a_wall(world, angle, half, thick)
        run(world, 5.0)
        return abs(world.state(rod).angle - angle) < 0.02

    exact = math.degrees(math.atan(1.0 / (2.0 * 0.5 + thick / half)))
    return [absolute("angle", exact, _between(44.0, 45.4, stands, 0.0002), 0.01, "deg")]


ARCH_FRICTION = 0.21701
"""Minimum friction with which contact forces can balance the arch, by a linear program on its joints; a test recomputes it."""


@reference("arch of 17 stones: minimum friction", is_slow=True)
def arch(lab: Lab) -> list[Row]:
    """A normal and a tangential force act at each end of each joint: a linear program decides whether they can balance all weights and
    moments.

    By bisection, the minimum friction for which they can is 0.21701.
    """

    def stands(friction: float) -> bool:
        world = lab.world()
        ground(world, friction=friction)
        stones = [body(world, Polygon(stone), (0.0, 0.0), friction=friction) for stone in scenes.arch_stones()]
        run(world, 8.0)
        return max(math.hypot(*world.state(stone).position) for stone in stones) < 0.3

    return [absolute("friction", ARCH_FRICTION, _between(0.205, 0.229, stands, 0.0002), 0.003, "")]


@reference("block on a free wedge of 30 deg, smooth")
def wedge(lab: Lab) -> list[Row]:
    """Horizontal momentum is conserved, and the block stays on the wedge of angle t, so ``A = m g sin t cos t / (M + m sin^2 t)``."""
    world, slope = lab.world(), math.radians(30.0)
    wedge_body, block = scenes.block_on_a_wedge(world, slope)
    wedge_mass, part = world.body(wedge_body).mass, world.body(block).mass
    run(world, 0.2)
    before = world.state(wedge_body).linear_velocity[0]
    run(world, 0.5)
    exact = part * GRAVITY * math.sin(slope) * math.cos(slope) / (wedge_mass + part * math.sin(slope) ** 2)
    return [relative("acceleration of the wedge", exact, (before - world.state(wedge_body).linear_velocity[0]) / 0.5, 1e-4)]


DOMINO_SPEED = 3.157
"""Speed of the wave by the soft step at 1,920 Hz, m/s; a slow test measures it again."""


def domino_speed(settings: WorldSettings, solver: str) -> float:
    """Return the speed of the wave through dominoes of 1 x 0.16 m, 0.5 m apart, from the tenth to the thirtieth, m/s."""
    world = World(settings, solver=solver)
    ground(world, friction=0.5)
    dominoes = [body(world, Polygon.box(0.08, 0.5), (0.5 * k, 0.5), friction=0.5) for k in range(40)]
    run(world, 0.5)
    world.apply_impulse(dominoes[0], (0.6 * world.body(dominoes[0]).mass, 0.0), (0.0, 1.0))
    passed: dict[int, float] = {}
    before = {10: 0.0, 30: 0.0}
    for step in range(round(20.0 * settings.hertz)):
        world.step()
        for k in before:
            angle = abs(world.state(dominoes[k]).angle)
            if k not in passed and angle > 0.1:
                passed[k] = (step + (0.1 - before[k]) / (angle - before[k])) * settings.dt
            before[k] = angle
        if 30 in passed:
            return 20.0 * 0.5 / (passed[30] - passed[10])
    return 0.0


@reference("domino wave", is_slow=True)
def dominoes(lab: Lab) -> list[Row]:
    """There is no formula: the reference is the converged speed with steps of 1/1,920 s."""
    speed = domino_speed(lab.world().settings, lab.solver)
    return [relative("speed of the wave, m/s", DOMINO_SPEED, speed, 0.015)]
