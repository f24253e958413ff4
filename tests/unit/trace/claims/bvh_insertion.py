"""What a step of a hierarchy built by insertion claims, from the boxes alone."""

from __future__ import annotations

from tests.unit.trace.claims._trees import check_descent, check_insertions


def check(case, steps):
    check_insertions(case, steps, 0.0)
    check_descent(case, steps)
