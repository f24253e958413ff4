"""Every algorithm with a stepper: the last step matches the query's answer to the bit, and each step's claims hold when recomputed from the
case alone (`check_NAME` of `claims`).
"""

from __future__ import annotations

import math
import re
from functools import partial

import numpy as np
import pytest

from engine import trace
from engine.common.errors import InvalidInputError, LabError
from engine.contracts.trace import FORMS, ROLES
from tests.unit.trace.claims import cores, impacts, manifold, pairs, partition, points, ray_cast, solvers, sweeps, trees
from tests.unit.trace.inputs import cases_of

NAMES = trace.algorithms()
MODULES = (cores, impacts, manifold, pairs, partition, points, ray_cast, sweeps, trees)
CHECKS = {name: getattr(module, f"check_{name}") for module in MODULES for name in NAMES if hasattr(module, f"check_{name}")}
CHECKS |= {name: partial(solvers.check_solver, method=name) for name in trace.GROUPS["solvers"]}


def same(first, other):
    """Return whether two answers are bit-identical; NaN equals itself."""
    if isinstance(first, np.ndarray):
        return np.array_equal(first, other, equal_nan=first.dtype.kind == "f")
    if isinstance(first, (list, tuple)) and type(first) is type(other):
        return len(first) == len(other) and all(map(same, first, other))
    if isinstance(first, float):
        return first == other or (math.isnan(first) and math.isnan(other))
    return repr(first) == repr(other) if hasattr(first, "__dataclass_fields__") else first == other


def judge(name, n, seed=0):
    algorithm = trace.algorithm(name)
    check = CHECKS[name]
    views = {view.name for view in algorithm.views}
    answered = 0
    for case in cases_of(algorithm, n, seed):
        try:
            expected = algorithm.query(case)
        except LabError as refused:
            with pytest.raises(type(refused)):
                algorithm.steps(case)
            continue
        steps = algorithm.steps(case)
        answered += 1
        assert same(steps[-1].result, expected)
        assert all(step.result is None for step in steps[:-1])
        for mark in {id(mark): mark for step in steps for mark in step.marks}.values():  # many stand in several steps
            assert mark.form in FORMS and mark.role in ROLES and mark.view in views and mark.points
            assert all(math.isfinite(x) and math.isfinite(y) for x, y in mark.points) and math.isfinite(mark.radius)
        for step in steps:
            assert step.sentence.endswith((".", "?")) and not re.search(r" [.,;:]", step.sentence), step.sentence
            assert 0 <= step.line < len(algorithm.pseudo_code)
            if step.question is not None:
                question = step.question
                assert 0 <= question.right < len(question.answers) >= 2 and len(set(question.answers)) == len(question.answers)
                assert len(question.places) in (0, len(question.answers)) and question.view in views
        check(case, steps)
    assert answered > n // 2


@pytest.mark.parametrize("name", NAMES)
def test_every_step_s_claim_is_true(name):
    judge(name, 24)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_many_inputs(name):
    """A solver's step has hundreds of events, and judging it takes 30 to 70 ms: 2,000 cases of each method took as long as all the rest."""
    judge(name, 150 if name in trace.GROUPS["solvers"] else 2000, seed=1)


def test_an_unknown_algorithm_is_named():
    with pytest.raises(InvalidInputError, match=r"algorithm must be one of .*did you mean gjk"):
        trace.algorithm("gkj")
    with pytest.raises(AttributeError):
        trace.gkj  # noqa: B018
