"""The atlas: which share of shots goes through, for every cell of a map, fired by Box2D, beside what the law says of it.

Each cell is fired by itself, with phases of its own from the seed, in whichever process is free; its counts do not depend on when, where
and after what. So an atlas is the same for any number of processes and however often it was interrupted.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.compare.processes.workers import run_tasks
from engine.experiments import law
from engine.experiments.atlas_journal import AtlasJournal, Count
from engine.experiments.atlas_plan import AtlasPlan, Cell
from engine.experiments.shot_batch import run_batch
from engine.experiments.spec import Rule, ShotSpec

__all__ = ["Atlas", "AtlasMap", "Outlier", "finished_cells", "fire_cell", "fire_missing", "predicted"]

MOST_ERRORS = 3.0
"""Standard errors by which a measured share may differ from the law's: of normal samples 0.27 % do so by more."""
WANTED_SHARE = 0.99
"""Of the cells that must lie within `MOST_ERRORS`: fewer than the 99.73 % of normal samples, as shares near 0 and 1 are not normal."""
_BORDER = 2e-5
"""Metres. A shot whose step ends this near to the zone's border is decided by Box2D's float32: some additions of positions up to 100 m."""
_BATCH = 250
"""Shots that share a world. More save nothing, and Box2D's search for pairs grows faster than in proportion."""


def fire_cell(task: tuple[AtlasPlan, Cell]) -> tuple[Cell, Count]:
    """Fire a cell's shots, hold each against the law for its phase, and count."""
    plan, cell = task
    spec, phases = plan.spec(cell), plan.phases(cell)
    hit = tunneled = surprises = inexcusable = 0
    for start in range(0, len(phases), _BATCH):
        fired = phases[start : start + _BATCH]
        batch = run_batch(spec, fired)
        should, is_certain = _by_phase(spec, np.array(fired))
        surprising = (batch.tunneled != should) & is_certain
        hit += int(batch.hit.sum())
        tunneled += int(batch.tunneled.sum())
        surprises += int(surprising.sum())
        inexcusable += int((surprising & ~batch.turned).sum())
    return cell, (hit, tunneled, surprises, inexcusable)


def _by_phase(spec: ShotSpec, phases: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each phase whether the law lets that shot tunnel, and whether that is clear of rounding."""
    chance = float(predicted(spec, {})[1])
    if chance in (0.0, 1.0):
        return np.full(len(phases), chance == 1.0), np.ones(len(phases), np.bool_)
    way, zone = _way_and_zone(spec, {})
    # the distance at the muzzle, less whole steps: what the last position before the middle is short of it
    short = (replace(spec, phase=0.0).gap + phases * way) % way
    from_border = np.minimum(np.abs(short - zone), np.minimum(short, way - short))
    through = law.tunnels_by_phase(way, zone, short / way)
    if _may_tumble(spec):
        through |= law.corner_tunnels(way, zone, spec.radius, spec.angle, short / way)
    return through, from_border > _BORDER


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


def predicted(spec: ShotSpec, changes: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the chances to hit and to tunnel that the law gives for shots like `spec`, some of its numbers replaced by arrays."""
    way, zone = _way_and_zone(spec, changes)
    arrives = (way > 0.0).astype(np.float64)
    hit = arrives if _finds_contact(spec) else law.hit_chance(way, zone)
    if spec.target == "sensor":
        return hit, arrives
    if _finds_contact(spec):
        return hit, np.zeros_like(arrives)
    tunneled = law.tunnel_chance(way, zone)
    if _may_tumble(spec):
        turned, radius = (np.asarray(changes.get(name, getattr(spec, name)), np.float64) for name in ("angle", "radius"))
        tunneled = tunneled + law.corner_chance(way, zone, radius, turned)
    return hit, tunneled


def _may_tumble(spec: ShotSpec) -> bool:
    """Tell whether the bullet is a box that may meet its target with a corner ahead; it is turned with its flight."""
    return spec.shape == "box" and spec.target in ("static", "kinematic")


def _finds_contact(spec: ShotSpec) -> bool:
    """Tell whether a shot's rule finds every contact with its target, between the steps too."""
    if spec.target == "sensor":
        return spec.rule in ("substeps", "swept")
    if spec.rule == "default":
        return spec.target in ("static", "kinematic")
    return spec.rule != "discrete"


def _way_and_zone(spec: ShotSpec, changes: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    def number(name: str) -> FloatArray:
        return np.asarray(changes.get(name, getattr(spec, name)), np.float64)

    oncoming = number("target_speed") if spec.target in ("kinematic", "head_on") else 0.0
    if spec.target == "head_on":  # both fly along one line, face to face: no angle matters, and the other is as thick as the bullet
        way = law.approach(number("speed"), number("hertz"), 0.0, oncoming)
        zone = law.reach(2.0 * number("radius"), number("radius"), spec.shape)
        zone = zone - BOX2D_POLYGON_SKIN if spec.shape == "disc" else zone
    else:
        way = law.approach(number("speed"), number("hertz"), number("angle"), oncoming)
        zone = law.reach(number("thickness"), number("radius"), spec.shape, number("angle"))
    way, zone = np.broadcast_arrays(way, zone)
    return way, zone


@dataclass(frozen=True, slots=True)
class Outlier:
    """A cell whose share differs from the law's by more than `MOST_ERRORS`.

    Attributes
    ----------
    cell : Cell
    x, y : float
        Its parameters.
    measured, predicted : float
        Shares that tunneled.
    errors : float
        Standard errors between them; infinite where the law leaves nothing to chance.
    surprises : int
        Shots that did something else than the law says of their very phase.
    reason : "sampling", "turned" or "unexplained"
        Sampling: there are no such shots, only the draw of the phases was unusual. Turned: in each of them the target, or the box that
        was shot, had turned after the hit, which the law does not follow.
    """

    cell: Cell
    x: float
    y: float
    measured: float
    predicted: float
    errors: float
    surprises: int
    reason: str

    def words(self, plan: AtlasPlan) -> str:
        """Return the cell and its difference in a line."""
        where = f"{plan.x.name} {self.x:g} {plan.x.parameter.unit}, {plan.y.name} {self.y:g} {plan.y.parameter.unit}"
        shares = f"{100.0 * self.measured:.2f} % tunneled, the law says {100.0 * self.predicted:.2f} %"
        return f"{where}: {shares}, {self.errors:.1f} standard errors: {self.reason}"


class AtlasMap:
    """One finished map, all arrays (rows, columns): y, then x.

    Attributes
    ----------
    rule : Rule
    hit, tunneled : float64
        Shares measured.
    surprises, inexcusable : int64
        Shots that did something else than the law says of their phase, and those in which nothing had turned.
    predicted_hit, predicted_tunneled : float64
        Shares by the law.
    errors : float64
        Standard errors between `tunneled` and what the law says.
    """

    def __init__(self, plan: AtlasPlan, rule: Rule, cells: Mapping[Cell, Count]) -> None:
        self.plan, self.rule = plan, rule
        counts = np.array([[cells[Cell(rule, column, row)] for column in range(plan.x.n)] for row in range(plan.y.n)], np.int64)
        self.hit: FloatArray = counts[:, :, 0] / plan.n_shots
        self.tunneled: FloatArray = counts[:, :, 1] / plan.n_shots
        self.surprises: IntArray = counts[:, :, 2]
        self.inexcusable: IntArray = counts[:, :, 3]
        shape = (plan.y.n, plan.x.n)
        chances = predicted(replace(plan.base, rule=rule), plan.grid(np.array(plan.x.values), np.array(plan.y.values)))
        self.predicted_hit, self.predicted_tunneled = (np.broadcast_to(chance, shape) for chance in chances)
        self.errors = law.standard_errors(self.tunneled, self.predicted_tunneled, plan.n_shots)

    @property
    def within_share(self) -> float:
        """Share of the cells whose tunneled share lies within `MOST_ERRORS` of the law's."""
        return float((self.errors <= MOST_ERRORS).mean())

    @cached_property
    def outliers(self) -> tuple[Outlier, ...]:
        """The other cells, each with its reason."""
        rows, columns = np.nonzero(self.errors > MOST_ERRORS)
        return tuple(self._outlier(int(row), int(column)) for row, column in zip(rows, columns, strict=True))

    @property
    def agrees(self) -> bool:
        """Whether enough cells lie within, and no other is unexplained."""
        return self.within_share >= WANTED_SHARE and all(outlier.reason != "unexplained" for outlier in self.outliers)

    def _outlier(self, row: int, column: int) -> Outlier:
        at = row, column
        surprises = int(self.surprises[at])
        return Outlier(
            Cell(self.rule, column, row),
            self.plan.x.values[column],
            self.plan.y.values[row],
            float(self.tunneled[at]),
            float(self.predicted_tunneled[at]),
            float(self.errors[at]),
            surprises,
            "sampling" if surprises == 0 else "turned" if self.inexcusable[at] == 0 else "unexplained",
        )

    def as_json(self) -> dict[str, Any]:
        """Return the map: counts, predictions rounded to what they are read at, and what does not fit."""
        n = self.plan.n_shots
        return {
            "hit": np.rint(self.hit * n).astype(int).tolist(),
            "tunneled": np.rint(self.tunneled * n).astype(int).tolist(),
            "surprises": self.surprises.tolist(),
            "inexcusable": self.inexcusable.tolist(),
            "predicted_hit": _rounded(self.predicted_hit),
            "predicted_tunneled": _rounded(self.predicted_tunneled),
            "cells_within_3_standard_errors": self.within_share,
            "outliers": [
                {
                    "column": outlier.cell.column,
                    "row": outlier.cell.row,
                    "x": outlier.x,
                    "y": outlier.y,
                    "tunneled_share": outlier.measured,
                    "predicted_share": round(outlier.predicted, _DIGITS),
                    "surprises": outlier.surprises,
                    "standard_errors": round(outlier.errors, 2) if np.isfinite(outlier.errors) else None,
                    "reason": outlier.reason,
                }
                for outlier in self.outliers
            ],
        }


_COUNTS = ("hit", "tunneled", "surprises", "inexcusable")
"""Names in the JSON of what `Count` holds."""
_DIGITS = 9
"""Digits of a predicted share in files: below that, platforms' cosines differ."""


def _rounded(shares: FloatArray) -> list[list[float]]:
    found: list[list[float]] = np.round(shares, _DIGITS).tolist()
    return found


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
        return {"box2d": engine_version, **self.plan.as_json(), "maps": {found.rule: found.as_json() for found in self.maps}}


def finished_cells(plan: AtlasPlan, engine_version: str, found: Any) -> dict[Cell, Count]:
    """Return the counts of all cells from what `Atlas.as_json` gave, if it was of this plan and engine; else nothing."""
    head = {"box2d": engine_version, **plan.as_json()}
    if not isinstance(found, dict) or any(found.get(key) != value for key, value in head.items()):
        return {}
    try:
        maps = {rule: [found["maps"][rule][name] for name in _COUNTS] for rule in plan.rules}
        counts = {cell: [matrix[cell.row][cell.column] for matrix in maps[cell.rule]] for cell in plan.cells()}
    except (KeyError, IndexError, TypeError):
        return {}
    if any(type(number) is not int for numbers in counts.values() for number in numbers):
        return {}
    return {cell: (hit, tunneled, surprises, bad) for cell, (hit, tunneled, surprises, bad) in counts.items()}
