"""Effective mass: what a rod's point answers to an impulse."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.dynamics import add, new_world
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, RED, arrow, chart, dot, draw, new, plane
from engine.geometry import Polygon, Transform

_ROD = Polygon.box(1.0, 0.1)


def _answer(point: tuple[float, float], impulse: tuple[float, float]) -> tuple[np.ndarray, float, float]:
    """Return the velocity that a point of a resting rod has after an impulse there, and the rod's mass and inertia."""
    world = new_world(gravity=(0.0, 0.0))
    rod = add(world, _ROD, (0.0, 0.0))
    world.apply_impulse(rod, impulse, point)
    state, whole = world.state(rod), world.body(rod)
    (vx, vy), spin = state.linear_velocity, state.angular_velocity
    return np.array((vx - spin * point[1], vy + spin * point[0])), whole.mass, whole.inertia


def picture() -> Figure:
    figure, (scene, curve) = new()
    end = (0.9, 0.0)
    turns = np.linspace(0.0, 2.0 * math.pi, 73)
    impulses = np.column_stack((np.cos(turns), np.sin(turns)))
    answers = np.array([_answer(end, (float(x), float(y)))[0] for x, y in impulses])
    draw(scene, _ROD, Transform(), BLUE, 0.25)
    scene.plot(*(impulses + end).T, color=GRAY, lw=1.5, ls="--")
    scene.plot(*(0.2 * answers + end).T, color=RED, lw=1.5)
    for k in (9, 27):
        arrow(scene, end, impulses[k], GRAY)
        arrow(scene, end, 0.2 * answers[k], RED)
    dot(scene, end)
    dot(scene, (0.0, 0.0), GREEN, "center of mass", at=(-40, -16))
    plane(scene, "impulses of 1 N s at a rod's end (dashed)\nand the resulting velocities there (red, 1/5)", (-1.15, 2.35), (-2.2, 2.2))

    places = np.linspace(-1.0, 1.0, 21)
    across, along = [], []
    for x in places.tolist():
        velocity, mass, inertia = _answer((x, 0.0), (0.0, 1.0))
        across.append(1.0 / velocity[1])
        along.append(1.0 / _answer((x, 0.0), (1.0, 0.0))[0][0])
    fine = np.linspace(-1.0, 1.0, 201)
    curve.plot(fine, 1.0 / (1.0 / mass + fine**2 / inertia), color=RED, lw=1.5, label="1 / (1/m + r² / I)")
    curve.plot(fine, np.full(201, mass), color=ORANGE, lw=1.5, label="m")
    curve.plot(places, across, "o", color=RED, ms=5, label="measured, perpendicular to the rod")
    curve.plot(places, along, "s", color=ORANGE, ms=5, label="measured, along the rod")
    curve.set_ylim(0.0, 1.3 * mass)
    curve.legend(fontsize=9, loc="lower center", bbox_to_anchor=(0.5, 0.02))
    chart(curve, f"effective mass of a rod of {mass:.1f} kg", "position along the rod, m", "impulse / velocity, kg")
    return figure
