"""The claims of solvers can fail: if one number of a row is off by a thousandth, the step that reports it is rejected."""

from __future__ import annotations

import pytest

from engine import trace
from engine.dynamics import _solver_trace_kernel as rows
from engine.trace.steppers.solvers import stack
from tests.unit.trace.claims.solvers import check_solver

# Numbers of a row, by their places in it: impulses or forces, velocities or shifts, what is asked for.
WRONG = {
    "sequential_impulses": {rows.NORMAL: (3, 6), rows.TANGENT: (3, 8)},
    "soft_step": {rows.PAIR: (4, 7), rows.TANGENT: (3, 8)},
    "xpbd": {rows.PLACED: (3, 5, 10), rows.HELD: (3, 5), rows.RESTORED: (2, 4), rows.SLID: (3, 5)},
    "avbd": {rows.DESCENT: (2, 10), rows.DUAL: (3, 7)},
    "penalty": {rows.FORCE: (3, 4)},
    "shock_propagation": {rows.COLLIDE: (1, 5)},
    "contact_forces": {rows.FOUND: (4,)},
}
FAST = ("sequential_impulses",)


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in WRONG])
def test_a_wrong_number_is_detected(name, monkeypatch):
    algorithm, record_rows = trace.algorithm(name), trace.algorithm(name).record
    case = algorithm.example
    check_solver(case, algorithm.steps(case), name)
    for kind, places in WRONG[name].items():
        for place in places:

            def wrong(ask, kind=kind, place=place):
                answer, rows = record_rows(ask)
                row = next(row for row in rows if row[0] == kind and abs(row[1 + place]) > 1e-9)
                row[1 + place] *= 1.001
                return answer, rows

            monkeypatch.setattr(algorithm, "record", wrong)
            with pytest.raises(AssertionError):
                check_solver(case, algorithm.steps(case), name)


@pytest.mark.slow
def test_points_solved_one_by_one_are_reported_one_by_one():
    """Issue 33."""
    case = stack("shock_propagation", {"sweeps": 3, "points": "one_by_one"})
    steps = trace.algorithm("shock_propagation").steps(case)
    check_solver(case, steps, "shock_propagation")
    alone = [step for step in steps if step.kind == "collide" and ("asked 0" in step.values) != ("asked 1" in step.values)]
    assert len(alone) > 3
