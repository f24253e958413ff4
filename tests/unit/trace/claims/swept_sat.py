"""What a step of the swept SAT claims, from the shapes alone."""

from __future__ import annotations

from engine.contracts import Status
from tests.unit.trace.claims import sweeps


def check(case, steps):
    slide, result = sweeps.check(case, steps, ("a", "b"))
    assert steps[-1].points == result.contact_set.points
    slide.check_times(result.status, result.t_first, result.normal, steps[-1].points, ("a", "b"))
    if result.status is Status.HIT:
        # while they touch they touch, and after it they do not
        for x in (0.25, 0.5, 0.75):
            assert slide.gap(result.t_first + x * (result.t_last - result.t_first)) <= slide.near * (1.0 + abs(result.t_last))
        past = result.t_last + 1e-3 * (1.0 + abs(result.t_last))
        assert slide.gap(past) >= -slide.near * (1.0 + abs(past))
