"""What a step of the alternating projections claims, from the shapes alone."""

from __future__ import annotations

import math

import numpy as np

from tests.unit.trace.claims._cores import Cores


def check(case, steps):
    cores, nearest, a_before = Cores(case), math.inf, None
    radius_a, radius_b = (shape.radius for shape in cores.shapes)
    for step in steps[:-1]:
        if step.kind == "start":
            a_before = np.array(step.points[0]) - cores.away
        elif step.kind == "turn":
            a, b = (np.array(point) - cores.away for point in step.points)
            # each is the nearest point of its shape: as far from the other as the core's outline less the radius, or the point itself
            for point, to, side, radius in ((a_before, b, 1, radius_b), (b, a, 0, radius_a)):
                left = max(0.0, _to_core(cores, point, side) - radius)
                assert abs(math.dist(point, to) - left) <= cores.near
            distance = math.dist(a, b)
            assert abs(distance - step.bound) <= cores.near and step.bound <= nearest + cores.near  # ever nearer
            nearest, a_before = step.bound, a
        elif step.kind == "bound":
            n = np.array(step.axis)
            along = [points @ n for points in cores.points]
            low = float(along[1].min() - along[0].max()) - cores.reach
            assert abs(step.bound - low) <= cores.near and low <= nearest + cores.near
            assert abs(along[0][step.looked_at[0].index] - along[0].max()) <= cores.near
            assert abs(along[1][step.looked_at[1].index] - along[1].min()) <= cores.near


def _to_core(cores, point, side):
    """How far a point lies from a core: 0 inside it."""
    ring = cores.points[side]
    if len(ring) > 2 and all(float((point - p) @ cores.normal(side, k)) <= 0.0 for k, p in enumerate(ring)):
        return 0.0
    return cores.to_outline(point, side)
