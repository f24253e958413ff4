"""What a step of the separating axis test claims, from the shapes alone."""

from __future__ import annotations

from tests.unit.trace.claims._cores import Cores, check_axis


def check(case, steps):
    cores, tried, best = Cores(case), [], -float("inf")
    for step in steps:
        if step.kind == "axis":
            side, edge, separation = check_axis(cores, step)
            tried.append((side, edge))
            best = max(best, separation)
            assert abs(step.bound - (best - cores.reach)) <= cores.near  # the best so far
        elif step.kind == "distance":
            assert abs(step.values["distance"] - cores.distance()) <= cores.near
            assert not tried or best >= -cores.near
    edges = [(side, edge) for side in range(2) for edge in range(cores.n_edges(side))]
    assert tried == edges[: len(tried)]  # A's, then B's, one after the other
    # nobody leaves before an axis parts them, nor goes on after
    separations = [cores.separation(*at) for at in tried]
    assert all(separation <= cores.reach + cores.near for separation in separations[:-1])
    assert len(tried) == len(edges) or separations[-1] > cores.reach - cores.near
    # and the answer, by all edges and the distance of the cores
    overlaps = steps[-1].result
    most, near = max(cores.separations(), default=-float("inf")), cores.near
    if edges and most > cores.reach + near:
        assert not overlaps
    elif most < -near and (max(map(len, cores.local)) > 2 or min(map(len, cores.local)) > 1):
        assert overlaps
    elif abs((distance := cores.distance()) - cores.reach) > near and abs(most) > near:
        assert overlaps == (distance < cores.reach)
