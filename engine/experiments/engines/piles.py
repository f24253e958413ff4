"""Tests of piles: the scenes of the solver bench, mass ratios, places far from the origin, and speed."""

from __future__ import annotations

from functools import partial
from time import process_time

import numpy as np

from engine.experiments.engines.bench import Column, Measured, Row, Test, enter, within
from engine.experiments.engines.manuals import box2d, box2d3, pymunk
from engine.experiments.solvers.scenes import GROUPS, SCENES, new_world
from engine.experiments.solvers.trial import Trial
from engine.geometry import Polygon
from engine.world import BodySpec, FixtureSpec, World

_BUDGET = 25.0
"""Maximum processor time for a scene, s."""
_QUICK_SECONDS = 2.0
_STACKS = ("stack_10", "pyramid", "card_house", "arch", "circle_stack", "bridge", "ball_and_chain", "overlap_recovery", "rush")
_QUICK = ("stack_10", "circle_stack", "heavy_stack_100", "heavy_stack_1000")


def _trial(name: str, column: Column, is_quick: bool) -> Measured:
    """Run a scene by the criteria of the solver bench: the value is its error at the end."""
    scene = SCENES[name]
    seconds = min(scene.seconds, _QUICK_SECONDS) if is_quick else scene.seconds
    trial = Trial(scene, column.variant, seconds, 60.0, _BUDGET)
    while not trial.is_over:
        trial.advance(60)
    cell = trial.result(None)
    if cell.stands is None:
        return Measured(None, None, cell.reason)
    return Measured(cell.error, cell.stands, cell.reason)


def _scene(name: str, column: Column) -> World:
    world = new_world(SCENES[name], column.solver, hertz=60.0, **column.world_settings)
    SCENES[name].build(world)
    return world


def _rows(names: tuple[str, ...]) -> tuple[Row, ...]:
    return tuple(
        Row(
            name,
            SCENES[name].title,
            "m",
            partial(_trial, name),
            partial(_scene, name),
            min(SCENES[name].seconds, 6.0),
            is_quick=name in _QUICK,
        )
        for name in names
    )


enter(
    Test(
        "stacks",
        "Piles and chains",
        "A pile that rests on rigid ground with enough friction does not move. Each scene has the same criterion as in the solvers "
        "command (docs/solvers.md). The value is the final error, which is the distance from the exact answer or the lasting overlap.",
        "any result that meets the scene's criterion",
        _rows(_STACKS),
        {
            "box2d": (box2d("More iterations improve the quality of the simulation.", "Chapter02_Hello_Box2D", "Simulating the World"),),
            "box2d3": (box2d3("More sub-steps may improve accuracy; four are recommended.", "World, Simulation"),),
            "chipmunk": (pymunk("Each iteration makes the solution more accurate; 10 suffice for most simple games.", "Space.iterations"),),
        },
    )
)
enter(
    Test(
        "mass",
        "Heavy bodies on light ones",
        "An equilibrium does not depend on mass ratios, so a heavy box on light ones does not fall (docs/solvers.md).",
        "any result that meets the scene's criterion",
        _rows((*GROUPS["heavy_stack"], *GROUPS["heavy_pyramid"])),
        {
            "box2d": (
                box2d(
                    "Stacking heavy bodies on much lighter ones is not stable; stability degrades beyond a mass ratio of 10:1.",
                    "Chapter14_Limitations",
                    "whole chapter",
                ),
            ),
            "box2d3": (box2d3("Extreme mass ratios may cause collision overlap.", "Limitations", "docs/loose_ends.md", "Loose Ends"),),
        },
    )
)


# -- far from the origin ----------------------------------------------------------------------------------------------


def _column_at(distance: float, column: Column) -> World:
    world = column.world(hertz=60.0)
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), "static", (distance, distance - 0.5)))
    for k in range(3):
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(distance, distance + 0.5 + k)))
    return world


def _moved(distance: float, column: Column, is_quick: bool) -> Measured:
    world = _column_at(distance, column)
    before = world.poses[1:, :2].copy()
    for _ in range(300):
        world.step()
    return within(float(np.hypot(*(world.poses[1:, :2] - before).T).max()), 0.1)


enter(
    Test(
        "far",
        "Far from the origin",
        "The motion does not depend on position. A stack of three boxes stands at this x and y, and the value is the largest distance "
        "that a box moves in five seconds.",
        "0.1 m, which allows for skins and permitted overlaps",
        tuple(
            Row(f"far_{km:g}", f"{km:g} km", "m", partial(_moved, 1000.0 * km), partial(_column_at, 1000.0 * km), 5.0)
            for km in (0.0, 1.0, 10.0, 100.0)
        ),
        {"box2d3": (box2d3("Positions greater than about 16 km have precision problems.", "B2_HUGE", "src/constants.h", "constants.h"),)},
    )
)


# -- speed ------------------------------------------------------------------------------------------------------------


def _boxes(n: int, column: Column) -> World:
    """Return columns of ten boxes each, side by side on a floor."""
    world = column.world(hertz=60.0)
    n_columns = n // 10
    world.create_body(BodySpec((FixtureSpec(Polygon.box(1.5 * n_columns, 0.5)),), "static", (0.75 * n_columns, -0.5)))
    box = FixtureSpec(Polygon.box(0.5, 0.5))
    for k in range(n):
        world.create_body(BodySpec((box,), position=(1.5 * (k // 10), 0.5 + 1.0 * (k % 10))))
    return world


def _speed(n: int, column: Column, is_quick: bool) -> Measured:
    world = _boxes(n, column)
    costs = []
    for k in range(10 + (20 if n <= 1000 else 10)):
        started = process_time()
        world.step()
        if k >= 10:
            costs.append(process_time() - started)
    return Measured(1e3 * float(np.median(costs)), None)


enter(
    Test(
        "speed",
        "Cost of a step",
        "The value is the processor time of a whole step of awake boxes in stacks of ten, including reading all poses: the median of 10 or "
        "20 steps in one process. It neither passes nor fails.",
        "any value",
        tuple(Row(f"boxes_{n}", f"{n:,} boxes", "ms", partial(_speed, n), is_quick=n <= 1000) for n in (100, 1000, 10_000)),
    )
)
