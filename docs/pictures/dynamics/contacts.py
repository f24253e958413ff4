"""A speculative contact against one that waits for an overlap; points known again by their features."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.dynamics import UNIT, add, floor, new_world
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, RED, arrow, chart, dot, draw, plane
from engine.contracts import PointState
from engine.geometry import Polygon, Transform


def _landing(speed: float, is_speculative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return times and gaps of a box that comes down on a floor; where it is not speculative, contacts count from an overlap on."""
    world = new_world(gravity=(0.0, 0.0), continuous=False)
    floor(world)
    box = add(world, UNIT, (0.0, 0.5 + 0.09), linear_velocity=(0.0, -speed))
    gaps, h = [0.09], 1.0 / 60.0
    while len(gaps) < 13:
        if not is_speculative and min(gaps) >= 0.0:  # goes on as if nothing were near
            world.set_pose(box, (0.0, 0.5 + gaps[-1] - speed * h), 0.0)
        else:
            world.step()
        gaps.append(world.state(box).position[1] - 0.5)
    return h * np.arange(len(gaps)), np.array(gaps)


def picture() -> Figure:
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.1))
    gaps, scene, kept = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[:, 1]), figure.add_subplot(grid[1, 0])
    for is_speculative, color, label in ((True, BLUE, "speculative: approach at most s / h"), (False, RED, "contact only after overlap")):
        t, s = _landing(2.2, is_speculative)
        gaps.plot(1e3 * t, 1e3 * s, "o-", color=color, ms=4, lw=1.2, label=label)
    gaps.axhline(0.0, color="black", lw=0.8)
    gaps.legend(fontsize=8)
    chart(gaps, "a box falls at 2.2 m/s: gap, mm", "t, ms", "")

    world = new_world()
    floor(world, friction=0.6)
    base = add(world, Polygon.box(0.9, 0.3), (0.0, 0.3), friction=0.6)
    top = add(world, UNIT, (0.35, 1.1), friction=0.6)
    for _ in range(60):
        world.step()
    world.set_velocity(top, (1.6, 0.0))
    for _ in range(6):
        world.step()
    for body, shape, color in ((base, Polygon.box(0.9, 0.3), BLUE), (top, UNIT, ORANGE)):
        state = world.state(body)
        draw(scene, shape, Transform(state.position, state.angle), color, 0.2)
    scene.axhline(0.0, color="black", lw=1.2)
    for point in world.contacts.points():
        dot(scene, point.position, RED)
        force = 60.0 * point.normal_impulse
        arrow(scene, point.position, (0.04 * force * point.normal[0], 0.04 * force * point.normal[1]), RED)
        a, b, kind_a, kind_b = (point.feature_id >> shift & 255 for shift in (0, 8, 16, 24))
        name = f"{'face' if kind_a else 'corner'} {a} of A,\n{'face' if kind_b else 'corner'} {b} of B"
        x, y = point.position
        at = (x - 0.1 if y < 0.3 else -1.1, y + 0.25) if x < 0.5 else (x + 0.12, y - 0.05)
        scene.text(*(at if y > 0.3 else (at[0], -0.45)), name, fontsize=8)
    title = "contact points, feature ids and normal forces\n(25 N per meter) while the upper box slides"
    plane(scene, title, (-1.3, 1.9), (-0.7, 1.9))

    pile = new_world()
    floor(pile, friction=0.6)
    rng = np.random.default_rng(2)
    for k in range(30):
        shape = UNIT if k % 3 else Polygon.regular(5, 0.6)
        add(pile, shape, (float(rng.uniform(-1.5, 1.5)), 1.0 + 0.75 * k), float(rng.uniform(0.0, 3.0)), friction=0.6)
    share = []
    for _ in range(420):
        told = pile.step()
        known, new = (told.state == PointState.PERSIST).sum(), (told.state == PointState.ADD).sum()
        share.append(100.0 * known / max(known + new, 1))
    kept.plot(np.arange(1, 421) / 60.0, share, color=GREEN, lw=1)
    kept.axhline(100.0, color=GRAY, lw=0.8)
    kept.set_ylim(0.0, 105.0)
    chart(kept, "thirty bodies fall on a heap: points whose\nfeature id existed one step before, %", "t, s", "")
    return figure
