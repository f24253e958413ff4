"""Springs of several damping ratios against the closed form; towers that buckle where their contacts' stiffness says."""

from __future__ import annotations

import math

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.dynamics import UNIT, add, floor, new_world
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, chart
from engine.geometry import Circle
from engine.world import DistanceJointSpec

STANDS = ((15, 9), (30, 14), (60, 22))
"""Contact frequencies in Hz, and towers that stand; of one box more they fall (`test_towers_buckle_where_their_contacts_give_way`)."""


def _spring(ratio: float) -> np.ndarray:
    world = new_world(gravity=(0.0, 0.0))
    post = add(world, Circle(0.1), (0.0, 0.0), type="static", mask=0)
    ball = add(world, Circle(0.1), (2.0, 0.0), mask=0)
    world.create_joint(DistanceJointSpec(post, ball, (0.0, 0.0), (2.0, 0.0), frequency=1.0, damping_ratio=ratio, length=1.0))
    places = []
    for _ in range(120):
        world.step()
        places.append(world.state(ball).position[0] - 1.0)
    return np.array(places)


def _exact(ratio: float, t: np.ndarray) -> np.ndarray:
    """Return x(t) of x'' + 2 z w x' + w^2 x = 0 from 1 m at rest, at 1 Hz."""
    omega = 2.0 * math.pi
    root = np.emath.sqrt(ratio * ratio - 1.0) + 1e-9
    a, b = -omega * (ratio - root), -omega * (ratio + root)
    return np.real((a * np.exp(b * t) - b * np.exp(a * t)) / (a - b))


def sway(n_boxes: int, n_steps: int, seconds: float = 11.0) -> np.ndarray:
    """Return how far the top of a tower is from its place, m, step by step, once it has been pushed at 1 mm/s."""
    world = new_world(n_steps)
    floor(world, friction=0.6)
    boxes = [add(world, UNIT, (0.0, 0.5 + k), friction=0.6) for k in range(n_boxes)]
    for _ in range(60):
        world.step()
    world.set_velocity(boxes[-1], (1e-3, 0.0), 0.0)
    off: list[float] = []
    while len(off) < 60 * seconds and (not off or off[-1] < 0.5):
        world.step()
        off.append(abs(world.state(boxes[-1]).position[0]))
    return np.array(off)


def tallest(hertz: float) -> int:
    """Return how many unit boxes of 1 kg stand on each other by the stiffness of contacts of `hertz`; see the page."""
    per_radian = 2.0 * 0.5**2 * 0.2 * (2.0 * math.pi * hertz) ** 2  # two points, 0.5 m from the middle, of 0.2 kg effective mass
    for n in range(2, 100):
        bent = per_radian * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
        bent[-1, -1] = per_radian
        bent[0, 0] += 7.0 * per_radian  # on the floor: 0.4 kg, at twice the frequency
        if np.linalg.eigvalsh(bent - np.diag(10.0 * (n - np.arange(n) - 0.5)))[0] < 0.0:
            return n - 1
    return 100


def picture() -> Figure:
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2)
    springs, towers, heights = (figure.add_subplot(part) for part in (grid[:, 0], grid[0, 1], grid[1, 1]))
    t = np.arange(1, 121) / 60.0
    for ratio, color in ((0.0, GRAY), (0.2, BLUE), (1.0, ORANGE), (10.0, PURPLE)):
        springs.plot(t, _exact(ratio, t), "-", color=color, lw=1)
        springs.plot(t[::6], _spring(ratio)[::6], "o", color=color, ms=3.5, label=f"damping ratio {ratio:g}")
    springs.legend(fontsize=8, loc="upper right")
    chart(springs, "a 1 Hz spring released at 1 m: closed form (lines)\nand simulation with 8 sub-steps (dots)", "t, s", "m")

    for n, n_steps, color in ((14, 4, GREEN), (15, 4, RED), (15, 8, BLUE)):
        off = sway(n, n_steps)
        towers.semilogy(np.arange(1, len(off) + 1) / 60.0, 1e3 * np.maximum(off, 1e-6), "-", color=color, lw=1.5)
        towers.plot([], [], color=color, label=f"{n} boxes, contacts of {7.5 * n_steps:.0f} Hz")
    towers.set_ylim(1e-1, 3e3)
    towers.legend(fontsize=8, loc="upper left")
    chart(towers, "sway of a tower's top, mm", "t, s", "")

    hertz = np.linspace(10.0, 65.0, 56)
    heights.step(hertz, [tallest(float(f)) for f in hertz], color=GRAY, lw=1.2, label="tallest stable tower, by eigenvalues")
    per_radian = 0.1 * (2.0 * math.pi * hertz) ** 2
    heights.plot(hertz, np.cbrt(7.837 * per_radian / 10.0), "--", color=PURPLE, lw=1, label="Greenhill's column")
    heights.plot([f for f, _ in STANDS], [n for _, n in STANDS], "^", color=GREEN, ms=7, label="stands in the simulation")
    heights.plot([f for f, _ in STANDS], [n + 1 for _, n in STANDS], "v", color=RED, ms=7, label="one more box: falls")
    heights.legend(fontsize=8, loc="upper left")
    chart(heights, "number of boxes that stand", "contact frequency, Hz", "")
    return figure
