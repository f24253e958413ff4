"""The claims of solvers can fail: if one number of a row is off by a thousandth, the step that reports it is rejected."""

from __future__ import annotations

import numpy as np
import pytest

from engine import trace
from engine.dynamics import solver_events as t
from engine.trace._solver_steps import SolverDecoder
from engine.trace.steppers.solvers import stack
from tests.unit.trace.claims.solvers import check_solver

# Fields of an event: impulses or forces, velocities or shifts, what is asked for.
WRONG = {
    "sequential_impulses": {t.NormalRow: ("new", "v_a"), t.FrictionRow: ("new", "v_b")},
    "soft_step": {t.PairRow: ("new", "v_b"), t.FrictionRow: ("new", "v_b")},
    "xpbd": {
        t.PointPlaced: ("new", "x_b", "error"),
        t.FrictionHeld: ("new", "x_b"),
        t.PointRestored: ("added", "v_b"),
        t.PointSlid: ("new", "v_b"),
    },
    "avbd": {t.BodyDescent: ("x", "residual"), t.DualUpdate: ("new", "stiffer")},
    "penalty": {t.PointForce: ("along", "across")},
    "shock_propagation": {t.PairCollision: ("p", "v_a")},
    "contact_forces": {t.RowFound: ("force",)},
}


def altered(number):
    """Return a number, or some numbers of which the largest, a thousandth larger."""
    if isinstance(number, float):
        return 1.001 * number
    largest = max(number, key=abs)
    return type(number)(1.001 * part if part == largest else part for part in number)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_number_is_detected(name, monkeypatch):
    algorithm, decode = trace.algorithm(name), SolverDecoder.decode
    case = algorithm.example
    check_solver(case, algorithm.steps(case), name)
    for kind, fields in WRONG[name].items():
        for field in fields:

            def wrong(self, events, kind=kind, field=field):
                at = next(at for at, event in enumerate(events) if isinstance(event, kind) and np.abs(getattr(event, field)).max() > 1e-9)
                changed = events[at]._replace(**{field: altered(getattr(events[at], field))})
                return decode(self, [*events[:at], changed, *events[at + 1 :]])

            monkeypatch.setattr(SolverDecoder, "decode", wrong)
            with pytest.raises(AssertionError):
                check_solver(case, algorithm.steps(case), name)
            monkeypatch.setattr(SolverDecoder, "decode", decode)


def test_points_solved_one_by_one_are_reported_one_by_one():
    """Issue 33."""
    case = stack("shock_propagation", {"sweeps": 3, "points": "one_by_one"})
    steps = trace.algorithm("shock_propagation").steps(case)
    check_solver(case, steps, "shock_propagation")
    alone = [step for step in steps if step.kind == "collide" and ("asked 0" in step.values) != ("asked 1" in step.values)]
    assert len(alone) > 3
