"""The atlas: the share of shots that tunnel, for every cell of a map, fired by an engine, and the share predicted by the law.

Each cell is fired by itself, with phases of its own from the seed, in whichever process is free; its counts do not depend on when, where
and after what. So an atlas is the same for any number of processes and however often it was interrupted.
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
from engine.experiments.atlas_plan import AtlasJournal, AtlasPlan, Cell, Count
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
    "fire_missing",
    "measure_costs",
]

MAX_ERRORS = 3.0
"""Standard errors by which a measured share may differ from the law's: of normal samples 0.27 % do so by more."""
WANTED_SHARE = 0.99
"""Share of the cells that must lie within `MAX_ERRORS`: below the 99.73 % of normal samples, as shares near 0 and 1 are not normal."""
_BATCH = 250
"""Shots that share a world. More save nothing, and Box2D's search for pairs grows faster than in proportion."""

BULLETS = 100
"""Number of bullets of the crowd."""
_COST_ROUNDS = 7
_COST_STEPS = 40
"""Steps of a single shot: the flight, the impact, and some after it."""


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


def fire_missing(plan: AtlasPlan, journal: AtlasJournal, n_jobs: int) -> Generator[int, None, None]:
    """Fire the cells that the journal does not have, note each in it, and yield how many it has: at once, and after each.

    Closing the generator ends the other processes; what was noted stays.
    """
    yield len(journal.cells)
    tasks = [(plan, cell) for cell in plan.cells() if cell not in journal.cells]
    if not tasks:
        return
    answers = run_tasks(fire_cell, tasks, min(n_jobs, len(tasks)))
    try:
        for cell, count in answers:
            journal.add(cell, count)
            yield len(journal.cells)
    finally:
        answers.close()


@dataclass(frozen=True, slots=True)
class Outlier:
    """A cell, at the parameters `x` and `y`, whose share that tunneled differs from the law's by more than `MAX_ERRORS`.

    Attributes
    ----------
    surprises : int
        Shots with another outcome than the law predicts for their phase.
    standard_errors : float
        Between both shares; infinite where the law leaves nothing to chance.
    reason : "sampling", "turned" or "unexplained"
        Sampling: there are no such shots, only the draw of the phases was unusual. Turned: in each of them the target, or the box that
        was shot, had turned after the hit, which the law does not follow.
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
        """Return the fields, rounded to what they are read at."""
        errors = round(self.standard_errors, 2) if np.isfinite(self.standard_errors) else None
        return asdict(self) | {"predicted_share": round(self.predicted_share, _DIGITS), "standard_errors": errors}


class AtlasMap:
    """One finished map, all arrays (rows, columns): y, then x.

    `hit` and `tunneled` are shares measured, `surprises` and `inexcusable` counts as in `Count`, `predicted_hit` and `predicted_tunneled`
    shares by the law, and `errors` the standard errors between `tunneled` and the law.
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
        """True if enough cells lie within, and no other is unexplained."""
        return self.within_share >= WANTED_SHARE and all(outlier.reason != "unexplained" for outlier in self.outliers)

    def _outlier(self, row: int, column: int) -> Outlier:
        at = row, column
        surprises = int(self.surprises[at])
        reason = "sampling" if surprises == 0 else "turned" if self.inexcusable[at] == 0 else "unexplained"
        shares = float(self.tunneled[at]), float(self.predicted_tunneled[at])
        return Outlier(column, row, self.plan.x.values[column], self.plan.y.values[row], *shares, surprises, float(self.errors[at]), reason)

    def as_json(self) -> dict[str, Any]:
        """Return the map: counts, predictions rounded to what they are read at, and what does not fit."""
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
"""Digits of a predicted share in files: below that, platforms' cosines differ."""


@dataclass(frozen=True, slots=True)
class Atlas:
    """All maps of a plan."""

    plan: AtlasPlan
    maps: tuple[AtlasMap, ...]

    @classmethod
    def of(cls, plan: AtlasPlan, cells: Mapping[Cell, Count]) -> Atlas:
        """Return the atlas of a plan all of whose cells are there."""
        return cls(plan, tuple(AtlasMap(plan, rule, cells) for rule in plan.rules))

    def as_json(self, engine_version: str) -> dict[str, Any]:
        """Return the whole atlas."""
        return {"box2d": engine_version, **self.plan.as_json(), "maps": {map_.rule: map_.as_json() for map_ in self.maps}}


@dataclass(frozen=True, slots=True)
class RuleTiming:
    """Cost of a rule in the middle cell of the map.

    Median seconds of a step of the rule, all its sub-steps together: `alone` with one bullet and one target, `crowd` with `BULLETS` at once
    around the impact, None for rules that look after one bullet only.
    """

    rule: Rule
    alone: float
    crowd: float | None


def measure_costs(plan: AtlasPlan) -> tuple[RuleTiming, ...]:
    """Fire the middle cell's shots under each rule in turn, some rounds, and return what a step took.

    In one process, so that a busy machine slows all rules; it differs from run to run, and is kept out of the files that must not.
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
