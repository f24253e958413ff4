"""What each rule costs: time of a step while bullets arrive at their target, one alone, and many at once.

Measured apart from the maps, in one process, the rules in turn, so that a busy machine slows them all; it differs from run to run and is
kept out of the files that must not.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from time import perf_counter

from engine.experiments.atlas_plan import AtlasPlan, Cell
from engine.experiments.range import build_range, fire_bullet, range_settings
from engine.experiments.rules import RuleStepper
from engine.experiments.shot_batch import has_lanes, run_batch
from engine.experiments.spec import Rule, ShotSpec
from engine.world import World

__all__ = ["BULLETS", "RuleCost", "measure_costs"]

BULLETS = 100
"""Bullets of the crowd."""
_ROUNDS = 7
_STEPS = 40
"""Of a shot alone: the flight, the impact, and some behind it."""


@dataclass(frozen=True, slots=True)
class RuleCost:
    """What a rule costs in the cell in the middle of the map.

    Attributes
    ----------
    rule : Rule
    alone : float
        Median seconds of a step of the rule, all its sub-steps together, with one bullet and one target.
    crowd : float or None
        The same with `BULLETS` at once, of the steps around the impact; None for rules that look after one bullet only.
    """

    rule: Rule
    alone: float
    crowd: float | None


def measure_costs(plan: AtlasPlan) -> tuple[RuleCost, ...]:
    """Fire the middle cell's shots under each rule in turn, some rounds, and return what a step took."""
    alone: dict[Rule, list[float]] = {rule: [] for rule in plan.rules}
    crowd: dict[Rule, list[float]] = {rule: [] for rule in plan.rules}
    for _ in range(_ROUNDS):
        for rule in plan.rules:
            spec = plan.spec(Cell(rule, plan.x.n // 2, plan.y.n // 2))
            alone[rule].append(_one_alone(spec))
            if has_lanes(spec):
                batch = run_batch(spec, [(k + 0.5) / BULLETS for k in range(BULLETS)])
                crowd[rule].append(batch.seconds / max(batch.n_steps, 1))
    return tuple(RuleCost(rule, median(alone[rule]), median(crowd[rule]) if crowd[rule] else None) for rule in plan.rules)


def _one_alone(spec: ShotSpec) -> float:
    world = World(range_settings(spec))
    build_range(world, spec)
    stepper = RuleStepper(world, spec, fire_bullet(world, spec))
    start = perf_counter()
    for _ in range(_STEPS):
        for _ in stepper.step():
            pass
    return (perf_counter() - start) / _STEPS
