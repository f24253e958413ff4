"""What a step of the dynamic tree claims, from the boxes alone."""

from __future__ import annotations

from tests.unit.trace.claims._trees import check_descent, check_insertions

MARGIN = 0.1  # m: Box2D's b2_aabbExtension


def check(case, steps):
    check_insertions(case, steps, MARGIN)
    check_descent(case, steps, MARGIN)
