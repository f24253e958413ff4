"""Methods that keep a tower of blocks standing: more sweeps, pushing blocks apart, freezing layers from the ground up, or warm starting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.common._record_kernel import TRACE_WIDTH
from engine.dynamics._solver_trace_kernel import APART, COLLIDE
from engine.dynamics.traced import traced_step
from engine.experiments.references.lab import (
    deepest_overlap,
)
from engine.experiments.scenes import body, stack
from engine.experiments.studies.contact_graphs import SCENES, by_advancing, by_normal
from engine.experiments.studies.study import Figure, Results, Row, curves, curves_by, study
from engine.geometry import Polygon
from engine.report import Chart, Table
from engine.world import World, WorldSettings

__all__ = ["WAYS", "Tower", "Way", "least_sweeps", "pushing_apart", "shock", "stand", "towers"]

_OFFSET = 0.02
"""Offset of every other block, m."""
_FALLEN = 0.25
"""Descent of the top, m, beyond which the tower counts as fallen."""
_STABLE = 0.01
"""Maximum movement of the top, m, of a tower that looks stable."""
_PUBLISHED = (9, 2, 5)
"""Time saved at rest by 2 sweeps and a push compared with 5 sweeps, %; minimum sweeps for five boxes with and without a push."""
_APART = 3.0
"""Distance between towers, m."""
_STEPS = 1_000
_EARLY = 30
"""Number of steps after which overlaps are compared: all towers still stand then and have the same contacts."""
_ITERATIONS = (1, 2, 5, 10, 20, 50, 100)
_SHARES = (0.005, 0.01, 0.05, 0.1, 0.5, 1.0)


@dataclass(frozen=True)
class Way:
    """A method with settings."""

    solver: str
    settings: Mapping[str, float | str]
    is_warm: bool = field(default=False, kw_only=True)

    def world(self) -> World:
        """Return an empty world at 60 Hz with the method."""
        settings = WorldSettings(sleeping=False, warm_starting=self.is_warm, solver_settings=tuple(self.settings.items()))
        return World(settings, solver=self.solver)


def shock(sweeps: int, push_sweeps: int, points: str = "one_by_one", *, is_frozen: bool = True, push_share: float = 0.05) -> Way:
    """Return shock propagation with the given sweeps, the last of which freezes the layers, and pushes."""
    settings = {"sweeps": sweeps, "push_sweeps": push_sweeps, "push_share": push_share}
    return Way("shock_propagation", {**settings, "points": points, "shock": "on" if is_frozen else "off"})


PUSHED, CONTROL, MANY = "2 sweeps, 1 push", "2 sweeps, no push", "5 sweeps, no push"
_COUNTS = {PUSHED: (2, 1), CONTROL: (2, 0), MANY: (5, 0)}
_TOGETHER, _WARM = ", together", "5 iterations, warm start"

WAYS: dict[str, Way] = {
    **{name: shock(*counts) for name, counts in _COUNTS.items()},
    **{name + _TOGETHER: shock(*counts, "together") for name, counts in _COUNTS.items()},
    **{name + ", not frozen": shock(*_COUNTS[name], "together", is_frozen=False) for name in (PUSHED, MANY)},
    "5 iterations, cold": Way("sequential_impulses", {"iterations": 5}),
    _WARM: Way("sequential_impulses", {"iterations": 5}, is_warm=True),
    "2 iterations, warm start": Way("sequential_impulses", {"iterations": 2}, is_warm=True),
}
"""Shock propagation with the points of a pair one by one, as published, or together; and sequential impulses with
Baumgarte's correction."""
_TIMED = (*list(WAYS)[:6], _WARM)
"""Methods with which all towers stand, so that they have the same contacts."""


def towers(way: Way, n_blocks: int, n_towers: int) -> tuple[World, list[int]]:
    """Return towers side by side, each of `n_blocks` unit boxes, and the top boxes."""
    world = way.world()
    body(world, Polygon.box(0.5 * _APART * n_towers + 20.0, 0.5), (0.0, -0.5), type="static")
    return world, [stack(world, n_blocks, x=_APART * (tower - 0.5 * (n_towers - 1)), offset=_OFFSET)[-1] for tower in range(n_towers)]


class Tower(NamedTuple):
    """Time for which a tower stands, s; its deepest overlap after 0.5 s, m, and the total movement of its top, m."""

    seconds: float
    overlap: float
    moved: float

    @property
    def looks_stable(self) -> bool:
        return self.moved < _STABLE


def stand(way: Way, n_blocks: int, n_steps: int = _STEPS) -> Tower:
    """Run a tower until it has fallen, or for `n_steps` steps."""
    world, (top,) = towers(way, n_blocks, 1)
    start, overlap, moved = world.state(top).position, 0.0, 0.0
    for step in range(1, n_steps + 1):
        world.step()
        x, y = world.state(top).position
        moved = max(moved, math.dist((x, y), start))
        if step == _EARLY:
            overlap = deepest_overlap(world)
        if step >= _EARLY and start[1] - y > _FALLEN:
            return Tower(step / 60.0, overlap, moved)
    return Tower(n_steps / 60.0, overlap, moved)


def least_sweeps(push_sweeps: int, points: str, n_blocks: int = 5, n_steps: int = _STEPS) -> int | None:
    """Return the smallest number of sweeps with which a tower looks stable; None if not even 10 are enough."""
    tried = range(1, 11)
    return next((sweeps for sweeps in tried if stand(shock(sweeps, push_sweeps, points), n_blocks, n_steps).looks_stable), None)


def _costs(n_blocks: int, n_towers: int, n_steps: int) -> dict[str, tuple[float, float]]:
    """Return the medians of the time of the solver and of the whole step, ms, from worlds that step in turn."""
    worlds = {name: towers(WAYS[name], n_blocks, n_towers)[0] for name in _TIMED}
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in _TIMED}
    for _ in range(n_steps):
        for name, world in worlds.items():
            world.step()
            samples[name].append((world.last_cost.solve, world.last_cost.solver))
    medians = {name: np.median(rows, axis=0).tolist() for name, rows in samples.items()}
    return {name: (solve, total) for name, (solve, total) in medians.items()}


def _solved(way: Way, n_blocks: int, n_steps: int = 100) -> tuple[float, float]:
    """Return the mean numbers of point solutions and of pushes in a step of a standing tower."""
    world, _ = towers(way, n_blocks, 1)
    n_solved, n_pushed = 0, 0
    for _ in range(n_steps):
        trace = np.zeros((4_000, TRACE_WIDTH))
        traced_step(world.snapshot(), trace)
        kinds = trace[1 : int(trace[0, 0]) + 1, 0]
        n_solved, n_pushed = n_solved + int((kinds == COLLIDE).sum()), n_pushed + int((kinds == APART).sum())
        world.step()
    return n_solved / n_steps, n_pushed / n_steps


def _saved(costs: Sequence[Mapping[str, tuple[float, float]]], rows: tuple[str, str], part: int) -> float:
    """Return the mean time saved by the first method relative to the second over the heights, %."""
    less, more = (np.array([cost[name][part] for cost in costs]) for name in rows)
    return float(100.0 * (1.0 - less / np.maximum(more, 1e-9)).mean())


@study(
    "pushing apart, or more sweeps",
    "The thesis of 2015 reports that 2 sweeps and 1 push save 9 % of the time of the rest phase compared with 5 sweeps without a push. "
    "5 boxes look stable with either.",
)
def pushing_apart(quick: bool) -> Results:
    """A tower of each height is simulated for 1,000 steps with each method. Worlds of twenty such towers are stepped in turn and timed."""
    heights, n_steps, n_towers = ((2,), 60, 2) if quick else ((2, 3, 4, 5, 6), _STEPS, 20)
    tall = heights[-1]
    stood = {name: [stand(way, n, n_steps) for n in heights] for name, way in WAYS.items()}
    costs = [_costs(n, n_towers, n_steps) for n in heights]
    standing: list[Row] = [
        (name, n, tower.seconds, 1e3 * tower.overlap, 1e3 * tower.moved if tower.moved < _FALLEN else None)
        for name, rows in stood.items()
        for n, tower in zip(heights, rows, strict=True)
    ]
    timed: list[Row] = [
        (name, n, *(value for part in (0, 1) for value in (1e3 * cost[name][part], cost[name][part] / max(cost[MANY][part], 1e-9))))
        for name in _TIMED
        for n, cost in zip(heights, costs, strict=True)
    ]
    least = {(pushes, points): least_sweeps(pushes, points, 5, n_steps) for points in ("one_by_one", "together") for pushes in (1, 0)}
    by_sweeps = {pushes: [stand(shock(sweeps, pushes), 5, n_steps) for sweeps in range(1, 3 if quick else 9)] for pushes in (1, 0)}
    swept: list[Row] = [
        (sweeps, *(1e3 * value for pushed in by_sweeps.values() for value in (pushed[at].overlap, pushed[at].moved)))
        for at, sweeps in enumerate(range(1, len(by_sweeps[1]) + 1))
    ]
    shares: list[Row] = []
    for share in _SHARES:
        tower = stand(shock(1, 1, push_share=share), 5, n_steps)
        halved = math.ceil(math.log(2.0) / -math.log1p(-share)) if share < 1.0 else 1
        shares.append((share, tower.seconds, 1e3 * tower.overlap, 1e3 * tower.moved, halved))
    remembered: list[Row] = []
    for n in _ITERATIONS:
        cold, warm = (stand(Way("sequential_impulses", {"iterations": n}, is_warm=is_warm), tall, n_steps) for is_warm in (False, True))
        remembered.append((n, 1e3 * cold.overlap, 1e3 * warm.overlap, cold.seconds, warm.seconds))
    solved: list[Row] = [(name, *_solved(WAYS[name], 5, 3 if quick else 100)) for name in _TIMED[:6]]
    overlaps = [row for row in standing if row[0] in (*_COUNTS, _WARM)]
    charts = (
        Chart("deepest overlap after 0.5 s", "blocks", "mm", curves_by(overlaps, 0, 1, 3), (False, True)),
        Chart(
            "five blocks: motion of the top",
            "sweeps",
            "mm",
            curves(swept, 0, {"1 push a step": 2, "no push": 4}),
            (False, True),
            1e3 * _STABLE,
        ),
        Chart("the solver's time", "blocks", "relative to 5 sweeps, no push", curves_by(timed, 0, 1, 3)),
        Chart(
            f"sequential impulses, a tower of {tall}",
            "iterations",
            "overlap after 0.5 s, mm",
            curves(remembered, 0, {"cold": 1, "warm started": 2}),
            (True, True),
        ),
    )
    enough = next((row[0] for row in remembered if float(row[1] or 0.0) <= 1e3 * stood[_WARM][-1].overlap), None)
    graphs = [(name, by_normal(world), by_advancing(world)) for name, world in ((name, build()) for name, build in SCENES.items())]
    saved = {name: [_saved(costs, (name, MANY), part) for part in (0, 1)] for name in (PUSHED, CONTROL)}
    figures = (
        Figure(f"time saved at rest by {PUSHED}, compared with {MANY}", "%", _PUBLISHED[0], saved[PUSHED][0]),
        Figure("fewest sweeps with which five boxes look stable, 1 push", "", _PUBLISHED[1], least[1, "one_by_one"]),
        Figure("fewest sweeps with which five boxes look stable, no push", "", _PUBLISHED[2], least[0, "one_by_one"]),
    )
    sentences = (
        f"Two sweeps with a push take {saved[PUSHED][0]:.0f} % less time in the solver than five without, and "
        f"{saved[PUSHED][1]:.0f} % less for the whole step (published: 9 % of the rest phase). Two sweeps without a push "
        f"save {saved[CONTROL][0]:.0f} and {saved[CONTROL][1]:.0f} %.",
        f"If points are solved one by one, the fewest sweeps with which five boxes look stable (the top moves less than "
        f"{1e3 * _STABLE:.0f} mm) are {_or_more(least[1, 'one_by_one'])} with a push and {_or_more(least[0, 'one_by_one'])} without one. "
        f"If points are solved together, they are {_or_more(least[1, 'together'])} and {_or_more(least[0, 'together'])} "
        "(published: 2 and 5).",
        f"Without warm starting, it takes {enough or 'more than 100'} iterations of sequential impulses to reduce the overlap to that "
        "of 5 warm-started ones.",
        f"The contact graph from normals and gravity matches the graph from moving each body alone in {sum(a == b for _, a, b in graphs)} "
        f"of {len(graphs)} scenes.",
    )
    overlap, moves_by = "overlap after 0.5 s, mm", "motion of the top, mm"
    solver, step = ("solver, us", "of 5 sweeps"), ("whole step, us", "of 5 sweeps")
    pushed, not_pushed = ("1 push: overlap, mm", moves_by), ("no push: overlap, mm", moves_by)
    tables = (
        Table(
            f"towers of boxes offset by {1e3 * _OFFSET:.0f} mm, 60 Hz",
            ("method", "blocks", "stands, s", overlap, moves_by),
            tuple(standing),
        ),
        Table(f"{n_towers} towers, median of {n_steps} steps", ("method", "blocks", *solver, *step), tuple(timed)),
        Table("a tower of 5, mean per step", ("method", "points or pairs solved", "pairs pushed apart"), tuple(solved)),
        Table("five boxes, points solved one by one", ("sweeps", *pushed, *not_pushed), tuple(swept), ()),
        Table("five boxes, 1 sweep and 1 push", ("share", "stands, s", overlap, moves_by, "steps to halve an overlap"), tuple(shares), ()),
        Table(
            "which body rests on which",
            ("scene", "edges from normals and gravity", "edges from moving each body", "only in the latter"),
            tuple((name, len(ours), len(theirs), len(theirs - ours)) for name, ours, theirs in graphs),
        ),
        Table(
            f"sequential impulses, a tower of {tall}",
            ("iterations", overlap, "warm started", "stands, s", "warm started"),
            tuple(remembered),
            (),
        ),
    )
    return Results(tables, charts, sentences, figures)


def _or_more(sweeps: int | None) -> str:
    return "more than 10" if sweeps is None else str(sweeps)
