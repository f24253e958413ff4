"""Semi-implicit Euler on an orbit; the trapezoid of free flight."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.dynamics import add, new_world
from docs.pictures.kit import BLUE, GRAY, ORANGE, RED, chart, dot, new, plane
from engine.geometry import Circle
from engine.world import RopeJointSpec, World

_STEP, _STEPS = 0.1, 190  # of an orbit of 2 pi seconds


def _orbit(is_explicit: bool) -> np.ndarray:
    x, v = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    points = [x]
    for _ in range(_STEPS):
        pull = -x / np.hypot(*x) ** 3
        if is_explicit:
            x, v = x + _STEP * v, v + _STEP * pull
        else:
            v = v + _STEP * pull
            x = x + _STEP * v
        points.append(x)
    return np.array(points)


def _thrown(world: World, is_tied: bool) -> np.ndarray:
    ball = add(world, Circle(0.25), (0.0, 0.0), linear_velocity=(3.0, 8.0))
    if is_tied:  # by a rope that stays slack: the solver cannot know, and does not take the ball for free
        post = add(world, Circle(0.1), (0.0, -50.0), type="static")
        world.create_joint(RopeJointSpec(post, ball, (0.0, -50.0), (0.0, 0.0), max_length=500.0))
    errors = []
    for step in range(1, 121):
        world.step()
        t = step / 60.0
        errors.append(math.dist(world.state(ball).position, (3.0 * t, 8.0 * t - 5.0 * t * t)))
    return np.array(errors)


def picture() -> Figure:
    figure, (orbit, flight) = new()
    for is_explicit, color, label in ((True, RED, "explicit Euler"), (False, BLUE, "semi-implicit Euler")):
        points = _orbit(is_explicit)
        orbit.plot(*points.T, "-", color=color, lw=1.2, label=label)
    dot(orbit, (0.0, 0.0), "black")
    orbit.legend(fontsize=9, loc="lower left")
    plane(orbit, f"three revolutions of an orbit, step {_STEP} s\n(63 steps each; the true orbit is a circle)")

    t = np.arange(1, 121) / 60.0
    flight.semilogy(t, _thrown(new_world(solver="box2d"), False), color=ORANGE, lw=2, label="Box2D 2.3, 60 Hz")
    flight.semilogy(t, _thrown(new_world(), True), color=BLUE, lw=2, label="ours, on a slack rope, 8 sub-steps")
    free = _thrown(new_world(), False)
    flight.semilogy(t, np.maximum(free, 1e-17), color=RED, lw=2, label="ours, free: trapezoidal rule")
    for h in (1.0 / 60.0, 1.0 / 480.0):
        flight.semilogy(t, 5.0 * h * t, ":", color=GRAY, lw=2.5, label="g h t / 2" if h > 0.01 else None)
    flight.legend(fontsize=9, loc="center right")
    chart(flight, "a ball thrown at (3, 8) m/s: position error, m", "t, s", "")
    return figure
