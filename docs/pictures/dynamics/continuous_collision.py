"""A spinning rod that would pass a thin wall within a step: its sweep, the first touch, and what comes of it."""

from __future__ import annotations

import math

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.dynamics import add, new_world
from docs.pictures.kit import BLUE, GRAY, ORANGE, RED, chart, draw, plane
from engine.geometry import Circle, Polygon, Sweep, Transform
from engine.query import distance, time_of_impact

_ROD, _WALL = Polygon.box(0.6, 0.05), Polygon.box(0.04, 1.4)
_DT = 1.0 / 60.0
_SPEED, _SPIN = 120.0, 70.0


def _after_a_step(is_continuous: bool) -> tuple[Transform, Transform]:
    world = new_world(gravity=(0.0, 0.0), continuous=is_continuous)
    add(world, _WALL, (0.0, 0.0), type="static")
    rod = add(world, _ROD, (-1.1, 0.0), 1.2, linear_velocity=(_SPEED, 0.0), angular_velocity=_SPIN)
    world.step()
    state = world.state(rod)
    return Transform((-1.1, 0.0), 1.2), Transform(state.position, state.angle)


def _end(speed: float, is_continuous: bool) -> float:
    world = new_world(gravity=(0.0, 0.0), continuous=is_continuous)
    add(world, _WALL, (0.0, 0.0), type="static")
    ball = add(world, Circle(0.1), (-4.97, 0.0), linear_velocity=(speed, 0.0))
    for _ in range(math.ceil(10.0 / speed / _DT)):
        world.step()
    return world.state(ball).position[0]


def picture() -> Figure:
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2)
    scene, gaps, shots = figure.add_subplot(grid[:, 0]), figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    start, end = _after_a_step(False)
    stopped = _after_a_step(True)[1]
    sweep = Sweep(start, end)
    found = time_of_impact(_ROD, sweep, _WALL, Sweep(Transform(), Transform()))
    for t in np.linspace(0.0, 1.0, 9).tolist():
        draw(scene, _ROD, sweep.at(t), GRAY, 0.0, ":")
    draw(scene, _WALL, Transform(), ORANGE, 0.5)
    draw(scene, _ROD, start, BLUE, 0.3, label="start")
    draw(scene, _ROD, end, GRAY, 0.3, label="end")
    draw(scene, _ROD, stopped, RED, 0.4, label="stopped")
    title = f"one step of a rod at {_SPEED:.0f} m/s and {_SPIN:.0f} rad/s\nwithout continuous collision (gray) and with it (red)"
    plane(scene, title, (-1.7, 1.5), (-1.6, 1.6))

    times = np.linspace(0.0, 1.0, 241)
    away = [distance(_ROD, sweep.at(float(t)), _WALL, Transform()) for t in times]
    open_by = [told.separation if told.normal is not None else 0.0 for told in away]
    gaps.plot(times, open_by, color=GRAY, lw=1.5, label="gap (0 during overlap)")
    gaps.axvline(found.fraction, color=RED, lw=1.2, label=f"first touch: {found.fraction:.4f} of the step")
    gaps.legend(fontsize=8)
    chart(gaps, "gap along the sweep", "fraction of the step", "m")

    speeds = np.geomspace(3.0, 3000.0, 16)
    for is_continuous, color, mark in ((False, GRAY, "x"), (True, RED, "o")):
        ends = [_end(float(speed), is_continuous) for speed in speeds]
        shots.semilogx(speeds, np.sign(ends), mark, color=color, ms=5, mfc="none", label=f"continuous={is_continuous}")
    shots.set_yticks([-1.0, 1.0], ["before", "behind"])
    shots.set_ylim(-1.6, 2.6)
    shots.legend(fontsize=8, loc="upper left")
    chart(shots, "final side of a 0.1 m ball shot at a 0.08 m wall", "m/s", "")
    return figure
