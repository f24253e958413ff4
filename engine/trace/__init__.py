"""Algorithms, step by step: the decoded records of their kernels.

>>> from engine import trace
>>> from engine.geometry import Circle, Polygon, Transform
>>> steps = trace.steps("gjk", Polygon.box(0.5, 0.5), Transform(), Circle(0.5), Transform((2.0, 0.0)))
>>> steps[-1].result.separation
1.0

`algorithms` returns the names; `steps` takes the arguments of an algorithm's query and returns a list of `TraceStep`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.common.errors import InvalidInputError
from engine.common.words import meant
from engine.contracts.trace import Feature, Mark, Question, TraceStep, View

if TYPE_CHECKING:
    from engine.trace.cases import Case
    from engine.trace.protocol import Algorithm, TraceSteps

__all__ = ["ALL_BESIDE", "GROUPS", "Feature", "Mark", "Question", "TraceStep", "View", "algorithm", "algorithms", "beside", "steps"]

ALL_BESIDE = "all"
"""Stands for an algorithm's name: the algorithms worth showing beside it, as many as a picture holds."""
_MAX_BESIDE = 3

GROUPS: dict[str, tuple[str, ...]] = {
    "distance": ("gjk", "alternating_projections"),
    "overlap and contact": ("sat", "sat_cached", "epa", "manifold", "manifold_box2d"),
    "motion": (
        "conservative_advancement", "bilateral_advancement", "bisection", "swept_sat", "moving_discs", "ray_cast", "shape_cast",
    ),
    "trees and grids": (
        "bvh_top_down", "bvh_bottom_up", "bvh_insertion", "grid", "sweep_and_prune",
    ),
    "hulls and pieces": (
        "quickhull", "monotone_chain", "rotating_calipers", "smallest_circle", "triangulation", "hertel_mehlhorn",
    ),
    "solvers": (
        "sequential_impulses", "soft_step", "xpbd", "avbd", "shock_propagation", "penalty", "contact_forces",
    ),
}  # fmt: skip
"""The algorithms by the question that they answer, the first of each group being the one to begin with."""

_MODULES: dict[str, tuple[str, ...]] = {
    "gjk": ("epa",),
    "sat": ("sat_cached",),
    "manifold": ("manifold_box2d",),
    "time_of_impact": ("conservative_advancement", "bilateral_advancement", "bisection"),
    "swept": ("swept_sat", "moving_discs", "shape_cast"),
    "hull": ("quickhull", "monotone_chain"),
    "bounding": ("rotating_calipers", "smallest_circle"),
    "decomposition": ("triangulation", "hertel_mehlhorn"),
    "solvers": GROUPS["solvers"],
}
"""Modules of `steppers` with algorithms of other names than their own."""


@cache
def algorithms() -> tuple[str, ...]:
    """Return the names of all algorithms with a stepper, in alphabetical order."""
    return tuple(sorted(name for names in GROUPS.values() for name in names))


@cache
def algorithm(name: str) -> Algorithm[Any]:
    """Return an algorithm by its name.

    Raises
    ------
    InvalidInputError
        There is no algorithm of that name.
    """
    if name not in algorithms():
        raise InvalidInputError("algorithm", "one of " + ", ".join(algorithms()) + meant(str(name), algorithms()), name)
    module = next((module for module, names in _MODULES.items() if name in names), name)
    chosen: Algorithm[Any] = next(row for row in import_module(f"engine.trace.steppers.{module}").ALGORITHMS if row.name == name)
    return chosen


def beside(name: str, case: Case) -> tuple[str, ...]:
    """Return up to three algorithms that accept the same case and are worth comparing."""
    others = (other for other in algorithm(name).beside if other in algorithms() and algorithm(other).takes(case))
    return tuple(others)[:_MAX_BESIDE]


def steps(name: str, /, *arguments: Any, **named: Any) -> TraceSteps:
    """Return the steps of an algorithm for the arguments of its query; the last step contains the result of the query.

    Raises
    ------
    InvalidInputError
        There is no algorithm with that name, or an argument is invalid for its query.
    """
    return algorithm(name).of(*arguments, **named)
