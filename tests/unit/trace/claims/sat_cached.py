"""What a step of the test with a remembered axis claims, from the shapes alone."""

from __future__ import annotations

import numpy as np

from engine.geometry import Polygon
from tests.unit.trace.claims._cores import Cores, check_axis


def check(case, steps):
    cores = Cores(case)
    result, near, reach = steps[-1].result, cores.near, cores.reach
    kinds = [step.kind for step in steps]
    assert kinds.count("remembered") <= 1 and (case.before is not None or "remembered" not in kinds)
    tried = []
    for step in steps:
        if step.kind == "axis":
            tried.append(check_axis(cores, step))
        elif step.kind == "remembered":
            assert kinds.index("remembered") == 1
            n = np.array(step.axis)
            gap = float((cores.points[1] @ n).min() - (cores.points[0] @ n).max())
            if len(step.looked_at) == 1:  # an edge's normal looks out of its own shape
                side, edge = "ab".index(step.looked_at[0].whose), step.looked_at[0].index
                gap = cores.separation(side, edge)
            assert abs(step.values["separation"] - gap) <= near + 1e-9 * (len(step.looked_at) == 2) * abs(gap)
            assert result.was_enough == (len(steps) == 3)
            assert not result.was_enough or gap > reach - near
        elif step.kind == "distance":
            assert abs(step.values["distance"] - cores.distance()) <= near
    if not result.was_enough:
        # all of A's edges, and all of B's unless A's part the two
        best_a = max((at[2] for at in tried if at[0] == 0), default=-np.inf)
        wanted = [(0, edge) for edge in range(cores.n_edges(0))]
        if best_a <= reach + near and any(at[0] == 1 for at in tried):
            wanted += [(1, edge) for edge in range(cores.n_edges(1))]
        assert [at[:2] for at in tried] == wanted
        assert len(wanted) == cores.n_edges(0) + cores.n_edges(1) or best_a > reach - near
        # the axis remembered is the best one
        n_a, n_b = len(cores.local[0]), len(cores.local[1])
        if result.axis < n_a + n_b:
            side, edge = (0, result.axis) if result.axis < n_a else (1, result.axis - n_a)
            assert cores.separation(side, edge) >= max(at[2] for at in tried) - near
    most = max(cores.separations(), default=-np.inf)
    if most > reach + near:
        assert not result.is_overlapping
    elif most < -near and any(isinstance(shape, Polygon) for shape in cores.shapes):
        assert result.is_overlapping
