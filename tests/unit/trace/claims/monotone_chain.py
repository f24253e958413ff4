"""What a step of the monotone chain claims, from the points alone, in exact arithmetic."""

from __future__ import annotations

from itertools import pairwise

from tests.unit.trace.claims.exact import is_hull_of, turn


def check(case, steps):
    points = sorted(set(case.points))
    assert steps[0].points == tuple(points)
    appended = [step for step in steps if step.kind == "appended"]
    assert [step.points[-1] for step in appended] == [*points, *points[::-1]]
    chain, seen = [], []
    for step in steps[1:-1]:
        point = step.points[-1]
        if len(seen) == len(points) and step.kind == "appended":
            assert chain[-1] == points[-1]
            chain, seen = [], []
        if len(chain) > 1:
            assert step.points == (chain[-2], chain[-1], point)
            assert (turn(*step.points) <= 0) == (step.kind == "taken off")
        else:
            assert step.kind == "appended"
        if step.kind == "taken off":
            chain.pop()
            continue
        chain.append(point)
        seen.append(point)
        # the chain is the lower (or the upper) hull of all seen so far
        assert all(turn(p, q, other) >= 0 for p, q in pairwise(chain) for other in seen)
    corners = list(map(tuple, steps[-1].result.tolist()))
    assert is_hull_of(corners, points)
