"""All methods in all scenes, and the effort that each needs for a required accuracy."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.compare.processes.workers import run_tasks
from engine.experiments.solvers.scenes import SCENES, BenchScene
from engine.experiments.solvers.trial import STEADY, Cell, Trial, Variant, effort_of

__all__ = ["DEFAULT_BUDGET", "Need", "Plan", "Rung", "Tried", "needs", "tried"]

DEFAULT_BUDGET = 60.0
_TURN = 30
"""Number of steps of a method before the next method's turn."""


@dataclass(frozen=True)
class Plan:
    """The methods and settings tried in each scene.

    Attributes
    ----------
    variants : tuple of Variant
    seconds : float or None
        Duration of each scene; None for the scene's own.
    hertz : float
    efforts : tuple of int
        Further numbers of sub-steps or iterations tried with each method, to measure the cost of accuracy.
    budget : float
        Maximum processor time for the steps of a method in a scene, s.
    """

    variants: tuple[Variant, ...]
    seconds: float | None = None
    hertz: float = 60.0
    efforts: tuple[int, ...] = ()
    budget: float = DEFAULT_BUDGET


@dataclass(frozen=True)
class Rung:
    """A method with a given effort in a scene; `effort` is None for a method without such a setting."""

    solver: str
    scene: str
    setting: str | None
    effort: int | None
    stands: bool | None
    error: float | None
    ms_per_step: float | None
    cost_ratio: float | None

    def as_json(self) -> dict[str, Any]:
        """Return it in the format of the command's JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Need:
    """The least effort with which a method stands in a scene with the required accuracy; None if no tried effort is enough."""

    solver: str
    scene: str
    setting: str | None
    accuracy: float
    reached: bool
    effort: int | None = None
    error: float | None = None
    ms_per_step: float | None = None
    cost_ratio: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it in the format of the command's JSON."""
        return dict(vars(self))


@dataclass
class Tried:
    """Results of one scene."""

    scene: str
    cells: list[Cell]
    ladder: list[Rung]


def tried(plan: Plan, scenes: Sequence[BenchScene], n_jobs: int) -> Generator[Tried, None, None]:
    """Yield the results of each scene, in order of completion, computed by some processes."""
    tasks = [_Task(plan, scene.name) for scene in scenes]
    yield from run_tasks(_try_scene, tasks, n_jobs)


@dataclass(frozen=True)
class _Task:
    plan: Plan
    scene: str


def _try_scene(task: _Task) -> Tried:
    """Run all methods in a scene in turn, some steps each, so that other load of the machine affects all equally."""
    plan, scene = task.plan, SCENES[task.scene]
    seconds = scene.seconds if plan.seconds is None else plan.seconds
    rungs = _rungs(plan)
    variants = list(dict.fromkeys([*plan.variants, *(variant for variant, _ in rungs), Variant(STEADY)]))
    trials = {variant: Trial(scene, variant, seconds, plan.hertz, plan.budget) for variant in variants}
    while any(not trial.is_over for trial in trials.values()):
        for trial in trials.values():
            trial.advance(_TURN)
    steady = trials[Variant(STEADY)].median
    cells = {variant: trial.result(steady) for variant, trial in trials.items()}
    return Tried(scene.name, [cells[variant] for variant in plan.variants], [_rung(cells[variant], effort) for variant, effort in rungs])


def _rungs(plan: Plan) -> list[tuple[Variant, int | None]]:
    """Return the methods with all their efforts; a method without such a setting occurs once."""
    variants: dict[tuple[Variant, int | None], None] = {}
    for variant in plan.variants if plan.efforts else ():
        if effort_of(variant.solver) is None:
            variants[variant, None] = None
        for effort in plan.efforts:
            other = variant.with_effort(effort)
            if other is not None:
                variants[other, effort] = None
    return list(variants)


def _rung(cell: Cell, effort: int | None) -> Rung:
    solver = cell.variant.solver
    setting = None if effort is None else effort_of(solver)
    return Rung(solver, cell.scene, setting, effort, cell.stands, cell.error, cell.ms_per_step, cell.cost_ratio)


def needs(ladder: Sequence[Rung], accuracy: float) -> list[Need]:
    """Return the effort that each method needs in each scene to stand with an error of at most `accuracy`, m."""
    needs = []
    for solver, scene in dict.fromkeys((rung.solver, rung.scene) for rung in ladder):
        rungs = [rung for rung in ladder if (rung.solver, rung.scene) == (solver, scene)]
        enough = [rung for rung in rungs if rung.stands and rung.error is not None and rung.error <= accuracy]
        if not enough:
            needs.append(Need(solver, scene, rungs[0].setting, accuracy, False))
            continue
        best = min(enough, key=lambda rung: rung.effort or 0)
        needs.append(Need(solver, scene, best.setting, accuracy, True, best.effort, best.error, best.ms_per_step, best.cost_ratio))
    return needs
