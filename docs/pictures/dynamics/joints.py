"""The eleven joints: where the bodies go that each lets go, drawn from worlds that ran."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.dynamics import add, new_world
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, RED, draw, plane
from engine.geometry import AnyShape, Circle, Polygon, Transform
from engine.world import (
    DistanceJointSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
)

_BAR, _BLOCK, _POST = Polygon.box(0.5, 0.12), Polygon.box(0.2, 0.2), Circle(0.09)


def _pair(shape: AnyShape, at: tuple[float, float], angle: float = 0.0, **more: object) -> tuple[World, int, int]:
    """Return a world of a post at the origin and a body, which do not collide: (world, post, body)."""
    world = new_world()
    post = add(world, _POST, (0.0, 0.0), type="static", mask=0)
    return world, post, add(world, shape, at, angle, mask=0, **more)


def _revolute() -> World:
    world, post, bar = _pair(_BAR, (0.5, 0.0))
    world.create_joint(RevoluteJointSpec(post, bar, (0.0, 0.0), enable_limit=True, lower_angle=-1.2, upper_angle=0.2))
    return world


def _distance() -> World:
    world, post, block = _pair(_BLOCK, (1.0, 0.3), angular_velocity=2.0)
    world.create_joint(DistanceJointSpec(post, block, (0.0, 0.0), (1.0, 0.3), frequency=3.0, damping_ratio=0.1))
    return world


def _weld() -> World:
    world, post, bar = _pair(Polygon.box(0.6, 0.06), (0.6, 0.0))
    world.create_joint(WeldJointSpec(post, bar, (0.0, 0.0), frequency=1.2, damping_ratio=0.2))
    return world


def _prismatic() -> World:
    world, post, block = _pair(_BLOCK, (0.8, 0.4), math.atan2(1.0, 2.0))
    axis = (2.0 / math.sqrt(5.0), 1.0 / math.sqrt(5.0))
    world.create_joint(PrismaticJointSpec(post, block, (0.8, 0.4), axis, enable_limit=True, lower_translation=-1.5, upper_translation=0.5))
    return world


def _wheel() -> World:
    world, post, wheel = _pair(Polygon.regular(6, 0.3), (0.7, 0.2), angular_velocity=3.0)
    world.create_joint(WheelJointSpec(post, wheel, (0.7, 0.2), (0.0, 1.0), frequency=1.0, damping_ratio=0.1))
    return world


def _rope() -> World:
    world, post, block = _pair(_BLOCK, (0.5, 0.4), linear_velocity=(2.0, 0.0))
    world.create_joint(RopeJointSpec(post, block, (0.0, 0.0), (0.5, 0.4), max_length=1.2))
    return world


def _pulley() -> World:
    world = new_world()
    light, heavy = add(world, _BLOCK, (-0.6, -1.0), mask=0), add(world, Polygon.box(0.25, 0.25), (0.6, -0.2), mask=0)
    world.create_joint(PulleyJointSpec(light, heavy, (-0.6, 0.6), (0.6, 0.6), (-0.6, -1.0), (0.6, -0.2)))
    return world


def _mouse() -> World:
    world, _, bar = _pair(_BAR, (-0.8, -0.8))
    world.create_joint(MouseJointSpec(bar, (0.5, 0.5), 50.0, frequency=1.5, damping_ratio=1.0, grabbed=(-0.4, -0.8)))
    return world


def _friction() -> World:
    world, post, block = _pair(_BLOCK, (-0.8, -0.9), linear_velocity=(3.6, 4.5), angular_velocity=8.0)
    world.set_settings(gravity=(0.0, 0.0))
    world.create_joint(FrictionJointSpec(post, block, (-0.8, -0.9), max_force=1.3, max_torque=0.02))
    return world


def _motor() -> World:
    world, post, bar = _pair(_BAR, (-0.4, -0.9))
    world.create_joint(MotorJointSpec(post, bar, (0.9, 0.8), 1.2, max_force=6.0, max_torque=1.0, correction_factor=0.05))
    return world


def _gear() -> World:
    world, post, first = _pair(Polygon.regular(3, 0.35), (-0.5, 0.3))
    rack = add(world, Polygon.box(0.4, 0.1), (-0.2, -0.6), mask=0)
    turns = world.create_joint(RevoluteJointSpec(post, first, (-0.5, 0.3), enable_motor=True, motor_speed=-2.0, max_motor_torque=9.0))
    slides = world.create_joint(PrismaticJointSpec(post, rack, (-0.2, -0.6), (1.0, 0.0)))
    world.create_joint(GearJointSpec(turns, slides, 0.6))
    return world


_JOINTS: tuple[tuple[str, str, Callable[[], World], int], ...] = (
    ("revolute", "free: angle, within limits", _revolute, 24),
    ("prismatic", "free: travel, within limits", _prismatic, 36),
    ("distance", "free: direction and angle", _distance, 24),
    ("rope", "free: all, up to a distance", _rope, 40),
    ("weld", "free: nothing (soft angle)", _weld, 24),
    ("wheel", "free: angle, springy axis", _wheel, 28),
    ("pulley", "couples two rope lengths", _pulley, 40),
    ("gear", "couples two coordinates", _gear, 20),
    ("mouse", "pulls a point to a target", _mouse, 40),
    ("motor", "drives a body to a pose", _motor, 60),
    ("friction", "brakes with limited force", _friction, 60),
)


def _show(axes: pyplot.Axes, world: World, n_steps: int, title: str) -> None:
    bodies = [body for body in world.body_ids if world.body(body).spec.type == "dynamic"]
    shapes = {body: world.fixture(world.fixtures_of(body)[0]).spec.shape for body in world.body_ids}
    ways: dict[int, list[tuple[float, float]]] = {body: [] for body in bodies}
    for step in range(n_steps + 1):
        if step > 0:
            world.step()
        for body, color in zip(bodies, (BLUE, ORANGE), strict=False):
            state = world.state(body)
            ways[body].append(state.position)
            if step % (n_steps // 4) == 0:
                draw(axes, shapes[body], Transform(state.position, state.angle), color, 0.05 + 0.45 * (step == n_steps))
    for body, color in zip(bodies, (BLUE, ORANGE), strict=False):
        axes.plot(*np.array(ways[body]).T, "-", color=color, lw=0.8)
    for joint in world.joint_ids:
        spec = world.joint(joint).spec
        if isinstance(spec, GearJointSpec):
            continue
        a, b = world.joint_anchors(joint)
        ropes = ((spec.ground_anchor_a, a), (spec.ground_anchor_b, b)) if isinstance(spec, PulleyJointSpec) else ((a, b),)
        for start, end in ropes:
            axes.plot(*zip(start, end, strict=True), "-", color=RED, lw=1)
            axes.plot(*end, "o", color=RED, ms=4)
    for body in set(world.body_ids) - set(bodies):
        draw(axes, shapes[body], Transform(world.state(body).position), GRAY, 0.6)
    plane(axes, title, (-1.45, 1.45), (-1.55, 1.25))
    axes.title.set_fontsize(9)


def picture() -> Figure:
    figure, all_axes = pyplot.subplots(3, 4, figsize=(9, 6), layout="constrained")
    for axes, (name, free, build, n_steps) in zip(all_axes.flat, _JOINTS, strict=False):
        _show(axes, build(), n_steps, f"{name}\n{free}")
    last = all_axes.flat[-1]
    last.axis("off")
    legend = "Each panel shows five moments\nof a run, the last one filled.\nLine: path of the center of mass"
    legend += "\nRed: from anchor to anchor\nGray: the fixed post"
    last.text(0.0, 0.5, legend, fontsize=9, va="center", color=GREEN, transform=last.transAxes)
    return figure
