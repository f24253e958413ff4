"""Ways to keep a stack of blocks standing: more sweeps, pushing its blocks apart, freezing it from the ground up, or warm starting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from engine.experiments.references.lab import UNIT, body, deepest_overlap, run
from engine.experiments.studies.study import Finding, seconds_in_turn, study
from engine.geometry import Polygon
from engine.report import Chart, Curve, Table, Value
from engine.world import World, WorldSettings
from engine.world.snapshot import WorldSnapshot

__all__ = ["WAYS", "Way", "pushing_apart", "stacks", "stands_for"]

_OFFSET = 0.02
"""Meters by which every other block stands to the side: nothing is perfect."""
_FALLEN = 0.25
"""Meters that the top may lose."""
_APART = 3.0
"""Meters from stack to stack."""
_EARLY = 30
"""Steps after which all stacks still stand, and have the same contacts: up to there costs and overlaps are compared."""
_ITERATIONS = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Way:
    """A method with settings."""

    solver: str
    settings: Mapping[str, float | str]
    is_warm: bool = field(default=False, kw_only=True)

    def world(self) -> World:
        """Return an empty world of it at 60 Hz."""
        settings = WorldSettings(sleeping=False, warm_starting=self.is_warm, solver_settings=tuple(self.settings.items()))
        return World(settings, solver=self.solver)


def _sweeps(n: int, n_pushing: int, shock: str) -> Way:
    return Way("shock_propagation", {"sweeps": n, "push_sweeps": n_pushing, "shock": shock})


WAYS: dict[str, Way] = {
    "5 sweeps": _sweeps(5, 0, "off"),
    "2 sweeps, pushing apart": _sweeps(2, 2, "off"),
    "5 sweeps, pushing apart": _sweeps(5, 2, "off"),
    "5 sweeps, the last freezes": _sweeps(5, 0, "on"),
    "2 sweeps, pushing apart, the last freezes": _sweeps(2, 2, "on"),
    "PGS with NGS, 2 and 2, cold": Way("pgs_ngs", {"velocity_iterations": 2, "position_iterations": 2}),
    "PGS with NGS, 2 and 2, warm start": Way("pgs_ngs", {"velocity_iterations": 2, "position_iterations": 2}, is_warm=True),
    "5 iterations, cold": Way("sequential_impulses", {"iterations": 5}),
    "5 iterations, warm start": Way("sequential_impulses", {"iterations": 5}, is_warm=True),
    "2 iterations, warm start": Way("sequential_impulses", {"iterations": 2}, is_warm=True),
}
"""Settings of shock propagation with or without a freezing last sweep, of PGS with NGS, whose position sweeps push apart too, and of
sequential impulses with Baumgarte's correction."""


def stacks(way: Way, n_blocks: int, n_stacks: int) -> tuple[World, list[int]]:
    """Return stacks side by side, each of so many unit boxes, and the top ones."""
    world = way.world()
    body(world, Polygon.box(0.5 * _APART * n_stacks + 20.0, 0.5), (0.0, -0.5), type="static")
    tops = []
    for stack in range(n_stacks):
        x = _APART * (stack - 0.5 * (n_stacks - 1))
        tops.append([body(world, UNIT, (x + _OFFSET * (level % 2), 0.5 + level)) for level in range(n_blocks)][-1])
    return world, tops


def stands_for(way: Way, n_blocks: int, seconds: int) -> tuple[float, float, float]:
    """Return for how long a stack stands, s, how deep its blocks overlap after half a second, and what its top has lost at the end, m."""
    world, (top,) = stacks(way, n_blocks, 1)
    stood, overlap, lost = float(seconds), 0.0, 0.0
    for step in range(1, 60 * seconds + 1):
        world.step()
        lost = n_blocks - 0.5 - world.state(top).position[1]
        if lost > _FALLEN:
            stood = min(stood, step / 60.0)
        if step == _EARLY:
            overlap = deepest_overlap(world)
        if step >= _EARLY and stood < seconds:
            break
    return stood, overlap, lost


def _steps(world: World, snapshot: WorldSnapshot) -> None:
    world.restore(snapshot)
    run(world, _EARLY / 60.0)


@study(
    "pushing apart, or more sweeps",
    "2015: 2 sweeps with pushing apart save 9 % compared with 5 without, for stacks of 2 to 6 blocks.",
)
def pushing_apart(quick: bool) -> Finding:
    """A stack of each height stands for ten seconds in each way; the cost is that of half a second of forty such stacks side by side."""
    numbers, seconds, n_stacks, rounds = ((2,), 2, 2, 1) if quick else ((2, 3, 4, 5, 6), 10, 40, 15)
    rows: list[tuple[Value, ...]] = []
    stood: dict[str, list[float]] = {name: [] for name in WAYS}
    deep: dict[str, list[float]] = {name: [] for name in WAYS}
    cost: dict[str, list[float]] = {name: [] for name in WAYS}
    for n_blocks in numbers:
        calls = {}
        for name, way in WAYS.items():
            world, _ = stacks(way, n_blocks, n_stacks)
            calls[name] = partial(_steps, world, world.snapshot())
        seconds_of = seconds_in_turn(calls, rounds)
        for name, way in WAYS.items():
            long, overlap, lost = stands_for(way, n_blocks, seconds)
            stood[name].append(long)
            deep[name].append(1e3 * overlap)
            cost[name].append(seconds_of[name] / max(seconds_of["5 sweeps"], 1e-12))
            fate = 1e3 * lost if long >= seconds else None
            ms = 1e3 * seconds_of[name] / _EARLY
            rows.append((name, n_blocks, long, deep[name][-1], fate, ms, cost[name][-1]))
    tall = numbers[-1]
    remembered: list[tuple[Value, ...]] = []
    for n in _ITERATIONS:
        ways = [Way("sequential_impulses", {"iterations": n}, is_warm=is_warm) for is_warm in (False, True)]
        (cold, cold_overlap, _), (warm, warm_overlap, _) = (stands_for(way, tall, seconds) for way in ways)
        remembered.append((n, 1e3 * cold_overlap, 1e3 * warm_overlap, cold, warm))
    sizes = tuple(map(float, numbers))
    shown = [name for name in WAYS if "the last" not in name]
    charts = (
        Chart("time that a stack stands", "blocks", "s", tuple(Curve(name, sizes, tuple(stood[name])) for name in shown)),
        Chart(
            f"sequential impulses, a stack of {tall}",
            "iterations",
            "overlap after 0.5 s, mm",
            tuple(
                Curve(name, tuple(map(float, _ITERATIONS)), tuple(float(row[at] or 0.0) for row in remembered))
                for at, name in ((1, "cold"), (2, "warm started"))
            ),
            (True, True),
        ),
        Chart("cost of a step", "blocks", "of 5 sweeps", tuple(Curve(name, sizes, tuple(cost[name])) for name in shown)),
    )
    saved = 100.0 * (1.0 - sum(cost["2 sweeps, pushing apart"]) / len(numbers))
    enough = next((row[0] for row in remembered if float(row[1] or 0.0) <= deep["5 iterations, warm start"][-1]), None)
    sentences = (
        f"Two sweeps with pushing apart cost {saved:.1f} % less per step than five without, averaged over the heights.",
        f"After half a second, the blocks of a stack of {tall} overlap by {deep['2 sweeps, pushing apart'][-1]:.0f} mm with it, by "
        f"{deep['5 sweeps'][-1]:.0f} mm with five sweeps alone, and by {deep['5 iterations, warm start'][-1]:.1f} mm with five warm-"
        f"started iterations; freezing leaves {deep['5 sweeps, the last freezes'][-1]:.1g} mm.",
        f"A stack of {tall} stands for {stood['2 sweeps, pushing apart'][-1]:.1f} s with it, {stood['5 sweeps'][-1]:.1f} s without it, and "
        f"{stood['5 iterations, warm start'][-1]:.0f} s with warm starting (of {seconds} s).",
        f"Without warm starting, it takes {enough or 'more than 100'} iterations to overlap no more than with 5 warm-started ones.",
    )
    heads = ("way", "blocks", "stands, s", "overlap after 0.5 s, mm", "top sinks, mm", "ms per step", "of 5 sweeps")
    tables = (
        Table(f"stacks of boxes {1e3 * _OFFSET:.0f} mm off, 60 Hz", heads, tuple(rows)),
        Table(
            f"sequential impulses, a stack of {tall}",
            ("iterations", "overlap after 0.5 s, mm", "warm started", "stands, s", "warm started"),
            tuple(remembered),
        ),
    )
    return Finding(tables, charts, sentences)
