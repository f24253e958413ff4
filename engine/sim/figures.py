"""Figures shown for each of several worlds that began in one state: energy, deepest overlap, what is out of place, what a step costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.geometry import Transform
from engine.sim.history import History
from engine.sim.stage import Stage, union
from engine.sim.time_series import TimeSeries
from engine.world import World

__all__ = ["Energy", "Figures", "FiguresOf", "energy_of"]


_OUT = 0.75
"""Smaller sides from which on a body is out of place: what falls off a box falls by a whole one, less what both sink."""


@dataclass(frozen=True, slots=True)
class Energy:
    """Joules of all worlds of a demo, of motion, spin and height: at the step from which they are compared, and where it stands."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of all worlds of a demo.

    Attributes
    ----------
    solver, solver_settings
        What drives it, and its own settings, all of them.
    energy : Energy
    overlap : float
        m, of the deepest contact of the last step.
    out_of_place, bodies : int
        Dynamic bodies whose centers are farther from where they were at the beginning than three quarters of their smaller side; and all.
    ms : float
        A step's time with the reading of its contacts, median of the last ones.
    stopped : str
        Why the last step could not be taken; empty where it was.
    """

    solver: str
    solver_settings: Mapping[str, float | str]
    energy: Energy
    overlap: float
    out_of_place: int
    bodies: int
    ms: float
    stopped: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return an entry of ``methods`` of ``run --json``."""
        return {
            "solver": self.solver,
            "solver_settings": dict(self.solver_settings),
            "energy": {"start": self.energy.start, "end": self.energy.end},
            "overlap": self.overlap,
            "out_of_place": self.out_of_place,
            "bodies": self.bodies,
            "ms_per_step": round(self.ms, 4),
            "stopped": self.stopped or None,
        }

    @property
    def standing(self) -> str:
        """Words for how many bodies have moved off, if any."""
        if self.stopped:
            return "stopped"
        return "stands" if not self.out_of_place else f"{self.out_of_place} of {self.bodies} moved"


class FiguresOf:
    """Tells the figures of a demo whose history and series are given."""

    def __init__(self, history: History[Any], series: TimeSeries) -> None:
        self._history, self._series = history, series
        self._sides: dict[int, tuple[World, int, FloatArray]] = {}
        """For each stage, as long as the world stays the same, the smaller side of each body, meters."""

    def since(self, step: int, ms: float, stopped: str = "") -> Figures:
        """Return the figures where the demo stands, compared with a step that has been."""
        history, stages = self._history, self._history.demo.stages
        counts = np.array([self._out_of_place(k, stage, step) for k, stage in enumerate(stages)], dtype=np.int64).reshape(-1, 2)
        overlap = max((stage.world.contacts.deepest_overlap for stage in stages), default=0.0)
        out, bodies = counts.sum(axis=0).tolist()
        run, energy = history.demo.sim, energy_of(history, self._series, step)
        return Figures(" ".join(run.solvers), run.own_settings, energy, overlap, out, bodies, ms, stopped)

    def _out_of_place(self, k: int, stage: Stage, step: int) -> tuple[int, int]:
        """Return how many bodies of a stage are not where they were after a step, and how many there were; those that are lost count."""
        before, now, world = self._series.centers(k, step), self._series.centers(k, self._history.now), stage.world
        if before is None or now is None:
            return 0, 0
        n_lost = int(np.isin(before[0], np.array(world.out_of_range, dtype=np.int64)).sum())
        here = np.isin(now[0], np.array(world.body_ids, dtype=np.int64))
        ids, rows, rows_now = np.intersect1d(before[0], now[0][here], assume_unique=True, return_indices=True)
        if not len(ids):
            return n_lost, n_lost
        sides = self._smaller_sides(k, stage)[np.searchsorted(np.array(world.body_ids), ids)]
        way = now[1][here][rows_now] - before[1][rows]
        return int((np.hypot(way[:, 0], way[:, 1]) > _OUT * sides).sum()) + n_lost, len(ids) + n_lost

    def _smaller_sides(self, k: int, stage: Stage) -> FloatArray:
        """Return the smaller side of the box around each body's fixtures, its own frame, m, float64 (n,), as `World.body_ids`."""
        world = stage.world
        known = self._sides.get(k)
        if known is None or known[0] is not world or known[1] != world.structure_version:
            boxes = (union([world.fixture(one).shape.aabb(Transform()) for one in world.fixtures_of(body)]) for body in world.body_ids)
            sides = [0.0 if box is None else min(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]) for box in boxes]
            known = self._sides[k] = world, world.structure_version, np.array(sides)
        return known[2]


def energy_of(history: History[Any], series: TimeSeries, since: int = 0) -> Energy:
    """Return the energy of all worlds of a demo at a step and where it stands."""
    totals = [0.0, 0.0]
    for stage in range(len(history.demo.stages)):
        found = series.sums(stage)["total"]
        while len(found) <= min(history.now, series.last):  # of some steps at a time
            found = series.sums(stage)["total"]
        for k, step in enumerate((min(since, history.now), history.now)):
            totals[k] += 0.0 if math.isnan(found[step]) else float(found[step])
    return Energy(*totals)
