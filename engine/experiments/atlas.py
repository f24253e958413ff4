"""The atlas: the share of shots that tunnel, for every cell of a map, fired by an engine, and the share predicted by the law.

Each cell is fired independently in any free process, with its own phases from the seed; its counts depend on nothing else. So an atlas is
the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from engine.common.arrays import IntArray
from engine.compare.processes.workers import run_tasks
from engine.experiments import tunneling
from engine.experiments.atlas_plan import AtlasPlan, Cell, Count
from engine.experiments.range import fire
from engine.experiments.rules import RuleStepper
from engine.experiments.shot_batch import has_lanes, run_batch
from engine.experiments.spec import Rule, ShotSpec

__all__ = [
    "BULLETS",
    "MAX_ERRORS",
    "Atlas",
    "AtlasMap",
    "Outlier",
    "RuleTiming",
    "fire_cell",
    "fire_cells",
    "measure_costs",
]

MAX_ERRORS = 3.0
"""Maximum difference of a measured share from the law's, standard errors; 0.27 % of normal samples exceed it."""
WANTED_SHARE = 0.99
"""Share of the cells that must lie within `MAX_ERRORS`: below the 99.73 % of normal samples, as shares near 0 and 1 are not normal."""
_BATCH = 250
"""Maximum number of shots per world. More save nothing, because the cost of Box2D's search for pairs grows faster than linearly."""

BULLETS = 100
"""Number of bullets fired at once to measure the cost."""
_COST_ROUNDS = 7
_COST_STEPS = 40
"""Steps of a single shot: the flight, the impact, and some steps after it."""


def fire_cell(task: tuple[AtlasPlan, Cell]) -> tuple[Cell, Count]:
    """Fire a cell's shots, compare each with the law for its phase, and count."""
    plan, cell = task
    spec, phases = plan.spec(cell), plan.phases(cell)
    hit = tunneled = surprises = inexcusable = 0
    for start in range(0, len(phases), _BATCH):
        fired = phases[start : start + _BATCH]
        batch = run_batch(spec, fired)
        should, is_certain = tunneling.tunnels_by_phase(spec, np.array(fired))
        surprising = (batch.tunneled != should) & is_certain
        hit += int(batch.hit.sum())
        tunneled += int(batch.tunneled.sum())
        surprises += int(surprising.sum())
        inexcusable += int((surprising & ~batch.turned).sum())
    return cell, Count(hit, tunneled, surprises, inexcusable)


def fire_cells(plan: AtlasPlan, n_jobs: int) -> Generator[tuple[Cell, Count], None, None]:
    """Yield every cell with its counts, in any order; closing the generator ends the other processes."""
    return run_tasks(fire_cell, [(plan, cell) for cell in plan.cells()], min(n_jobs, plan.n_cells))


@dataclass(frozen=True, slots=True)
class Outlier:
    """A cell, at the parameters `x` and `y`, whose share that tunneled differs from the law's by more than `MAX_ERRORS`.

    Attributes
    ----------
    surprises : int
        Number of shots whose outcome differs from the law's prediction for their phase.
    standard_errors : float
        Difference of the shares, standard errors; infinite if the predicted share is 0 or 1.
    reason : "sampling", "turned" or "unexplained"
        Sampling: no shot contradicts the law; only the sample of phases is unusual. Turned: in each surprise, the target or the box-shaped
        bullet had turned after the hit, which the law does not model.
    """

    column: int
    row: int
    x: float
    y: float
    tunneled_share: float
    predicted_share: float
    surprises: int
    standard_errors: float
    reason: str

    def words(self, plan: AtlasPlan) -> str:
        """Return the cell and its difference in a line."""
        where = f"{plan.x.name} {self.x:g} {plan.x.parameter.unit}, {plan.y.name} {self.y:g} {plan.y.parameter.unit}"
        shares = f"{100.0 * self.tunneled_share:.2f} % tunneled, predicted {100.0 * self.predicted_share:.2f} %"
        return f"{where}: {shares}, {self.standard_errors:.1f} standard errors apart; {self.reason}"

    def as_json(self) -> dict[str, Any]:
        """Return the fields, rounded to the displayed digits."""
        errors = round(self.standard_errors, 2) if np.isfinite(self.standard_errors) else None
        return asdict(self) | {"predicted_share": round(self.predicted_share, _DIGITS), "standard_errors": errors}


class AtlasMap:
    """One finished map, all arrays (rows, columns): y, then x.

    `hit` and `tunneled` are measured shares, `surprises` and `inexcusable` counts as in `Count`, `predicted_hit` and `predicted_tunneled`
    the law's shares, and `errors` the differences between `tunneled` and the law, standard errors.
    """

    def __init__(self, plan: AtlasPlan, rule: Rule, cells: Mapping[Cell, Count]) -> None:
        self.plan, self.rule = plan, rule
        counts = np.array([[cells[Cell(rule, column, row)] for column in range(plan.x.n)] for row in range(plan.y.n)], np.int64)
        self.hit, self.tunneled = counts[:, :, 0] / plan.n_shots, counts[:, :, 1] / plan.n_shots
        self.surprises: IntArray = counts[:, :, 2]
        self.inexcusable: IntArray = counts[:, :, 3]
        chances = plan.over(plan.x.values, plan.y.values, rule, tunneling.chances)
        self.predicted_hit, self.predicted_tunneled = chances[:, :, 0], chances[:, :, 1]
        self.errors = tunneling.standard_errors(self.tunneled, self.predicted_tunneled, plan.n_shots)

    @property
    def within_share(self) -> float:
        """Share of the cells whose tunneled share lies within `MAX_ERRORS` of the law's."""
        return float((self.errors <= MAX_ERRORS).mean())

    @cached_property
    def outliers(self) -> tuple[Outlier, ...]:
        """The other cells, each with its reason."""
        rows, columns = np.nonzero(self.errors > MAX_ERRORS)
        return tuple(self._outlier(int(row), int(column)) for row, column in zip(rows, columns, strict=True))

    @property
    def agrees(self) -> bool:
        """True if enough cells are within `MAX_ERRORS`, and no other cell is unexplained."""
        return self.within_share >= WANTED_SHARE and all(outlier.reason != "unexplained" for outlier in self.outliers)

    def _outlier(self, row: int, column: int) -> Outlier:
        at = row, column
        surprises = int(self.surprises[at])
        reason = "sampling" if surprises == 0 else "turned" if self.inexcusable[at] == 0 else "unexplained"
        shares = float(self.tunneled[at]), float(self.predicted_tunneled[at])
        return Outlier(column, row, self.plan.x.values[column], self.plan.y.values[row], *shares, surprises, float(self.errors[at]), reason)

    def as_json(self) -> dict[str, Any]:
        """Return the map: counts, rounded predictions, and the deviating cells."""
        n = self.plan.n_shots
        return {
            "hit": np.rint(self.hit * n).astype(int).tolist(),
            "tunneled": np.rint(self.tunneled * n).astype(int).tolist(),
            "surprises": self.surprises.tolist(),
            "inexcusable": self.inexcusable.tolist(),
            "predicted_hit": np.round(self.predicted_hit, _DIGITS).tolist(),
            "predicted_tunneled": np.round(self.predicted_tunneled, _DIGITS).tolist(),
            "cells_within_3_standard_errors": self.within_share,
            "outliers": [outlier.as_json() for outlier in self.outliers],
        }


_DIGITS = 9
"""Number of digits of a predicted share in files; further digits depend on the platform's cosine."""


@dataclass(frozen=True, slots=True)
class Atlas:
    """All maps of a plan."""

    plan: AtlasPlan
    maps: tuple[AtlasMap, ...]

    @classmethod
    def of(cls, plan: AtlasPlan, cells: Mapping[Cell, Count]) -> Atlas:
        """Return the atlas of a plan whose cells are complete."""
        return cls(plan, tuple(AtlasMap(plan, rule, cells) for rule in plan.rules))

    def as_json(self, engine_version: str) -> dict[str, Any]:
        """Return the whole atlas."""
        return {"box2d": engine_version, **self.plan.as_json(), "maps": {map_.rule: map_.as_json() for map_ in self.maps}}


@dataclass(frozen=True, slots=True)
class RuleTiming:
    """Cost of a rule in the middle cell of the map.

    Median seconds of a step of the rule, including its sub-steps: `alone` with one bullet and one target, `crowd` with `BULLETS` at once
    around the impact; None for rules that support only one bullet.
    """

    rule: Rule
    alone: float
    crowd: float | None


def measure_costs(plan: AtlasPlan) -> tuple[RuleTiming, ...]:
    """Fire the middle cell's shots under each rule in turn, several rounds, and return the cost of a step.

    This uses one process, so that a busy machine slows all rules equally. Costs vary between runs, and are left out of reproducible files.
    """
    alone: dict[Rule, list[float]] = {rule: [] for rule in plan.rules}
    crowd: dict[Rule, list[float]] = {rule: [] for rule in plan.rules}
    for _ in range(_COST_ROUNDS):
        for rule in plan.rules:
            spec = plan.spec(Cell(rule, plan.x.n // 2, plan.y.n // 2))
            alone[rule].append(_single_shot(spec))
            if has_lanes(spec):
                batch = run_batch(spec, [(k + 0.5) / BULLETS for k in range(BULLETS)])
                crowd[rule].append(batch.seconds / max(batch.n_steps, 1))
    return tuple(RuleTiming(rule, median(alone[rule]), median(crowd[rule]) if crowd[rule] else None) for rule in plan.rules)


def _single_shot(spec: ShotSpec) -> float:
    stepper = RuleStepper(fire(spec))
    start = perf_counter()
    for _ in range(_COST_STEPS):
        for _ in stepper.step():
            pass
    return (perf_counter() - start) / _COST_STEPS
