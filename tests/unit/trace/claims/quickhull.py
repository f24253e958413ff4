"""What a step of quickhull claims, from the points alone, in exact arithmetic."""

from __future__ import annotations

from tests.unit.trace.claims.exact import is_hull_of, turn, twice_area


def check(case, steps):
    points = sorted(set(case.points))
    assert steps[0].points == (points[0], points[-1])
    below = sum(turn(points[0], points[-1], point) < 0 for point in points)
    assert steps[0].values["below"] == below
    edges = []
    for step in steps[1:-1]:
        p, q = step.points[:2]
        right = [point for point in points if turn(p, q, point) < 0]
        assert step.values["outside"] == len(right)
        if step.kind == "edge":
            assert not right
            edges.append((p, q))
            continue
        assert step.kind == "farthest"
        far = step.points[2]
        assert far in right and twice_area(p, q, far) == min(twice_area(p, q, point) for point in right)  # the farthest is the farthest
        inside = [point for point in right if point != far and turn(p, far, point) >= 0 and turn(far, q, point) >= 0]
        assert step.values["inside"] == len(inside)
    corners = list(map(tuple, steps[-1].result.tolist()))
    assert sorted(edges) == sorted(zip(corners, [*corners[1:], corners[0]], strict=True))
    assert is_hull_of(corners, points)
