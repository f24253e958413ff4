"""Newton's cradle, with impacts pair by pair and without; a ball that bounces."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.dynamics import add, floor, new_world
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, chart
from engine.geometry import Circle


def _cradle(solver: str) -> np.ndarray:
    """Return the velocities of five equal balls, of which the first comes at 4 m/s and the others touch; a row a step."""
    world = new_world(solver=solver, gravity=(0.0, 0.0))
    balls = [add(world, Circle(0.5), (x, 0.0), restitution=1.0, friction=0.0) for x in (-0.5, 1.0, 2.0, 3.0, 4.0)]
    world.set_velocity(balls[0], (4.0, 0.0))
    rows = []
    for _ in range(24):
        world.step()
        rows.append([world.state(ball).linear_velocity[0] for ball in balls])
    return np.array(rows)


def _heights(restitution: float) -> list[float]:
    world = new_world()
    floor(world, restitution=restitution)
    ball = add(world, Circle(0.5), (0.0, 5.5), restitution=restitution)
    heights = []
    for _ in range(360):
        world.step()
        heights.append(world.state(ball).position[1] - 0.5)
    return heights


def picture() -> Figure:
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2)
    ours, theirs, ball = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, :])
    lanes = ((ours, "soft_step", "Ours: impacts first, pair by pair"), (theirs, "box2d", "Box2D 2.3: within the iterations"))
    for axes, solver, title in lanes:
        rows = _cradle(solver)
        for k, color in enumerate((BLUE, ORANGE, GREEN, PURPLE, RED)):
            axes.step(np.arange(1, len(rows) + 1), rows[:, k] + 0.03 * k, where="mid", color=color, lw=1.8, label=f"ball {k + 1}")
        axes.set_ylim(-3.0, 4.6)
        axes.legend(fontsize=8, loc="center left")
        chart(axes, f"Newton's cradle. {title}", "step of 1/60 s", "velocity, m/s")
    t = np.arange(1, 361) / 60.0
    for restitution, color in ((1.0, BLUE), (0.8, GREEN), (0.5, ORANGE), (0.0, RED)):
        ball.plot(t, _heights(restitution), color=color, lw=1.4, label=f"e = {restitution:g}")
        if 0.0 < restitution < 1.0:
            for bounce in (1, 2, 3):
                top = 1.0 + 2.0 * sum(restitution**k for k in range(1, bounce)) + restitution**bounce
                ball.plot(top, 5.0 * restitution ** (2 * bounce), "+", color=color, ms=10, mew=1.5)
    ball.plot([], [], "+", color=GRAY, ms=10, mew=1.5, label="predicted peaks, h e^(2 n)")
    ball.legend(fontsize=8, loc="upper right", ncols=5)
    ball.set_ylim(0.0, 6.3)
    chart(ball, "a ball dropped from 5 m", "t, s", "height, m")
    return figure
