"""What a step of a shape cast claims, from the shapes alone."""

from __future__ import annotations

from tests.unit.trace.claims import sweeps


def check(case, steps):
    slide, result = sweeps.check(case, steps, ("b", "a"))
    assert steps[-1].points == (() if result.point is None else (result.point,))
    slide.check_times(result.status, result.fraction, result.normal, steps[-1].points, ("b", "a"))
