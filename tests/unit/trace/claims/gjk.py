"""What a step of GJK claims, from the shapes alone."""

from __future__ import annotations

import math

import numpy as np

from engine.common.tolerances import SAT_ROUNDING


def check(case, steps):
    pair = case.pair
    a, b = pair.pose_a.apply_array(pair.shape_a.core), pair.pose_b.apply_array(pair.shape_b.core)
    difference = (b[:, None] - a[None]).reshape(-1, 2)
    near = 8.0 * SAT_ROUNDING * float(np.abs(a).max() + np.abs(b).max() + np.abs(difference).max())
    nearest = math.inf
    for step in steps[:-1]:
        if step.kind == "nearest" and step.axis is not None and math.hypot(*step.axis) > 0.0:
            length = math.dist(*step.points)
            assert length <= nearest + near and abs(length - step.values["|v|"]) <= near  # ever nearer, between the points shown
            nearest = length
        elif step.kind == "support":
            along = difference @ np.array(step.axis)
            made_of = b[step.looked_at[1].index] - a[step.looked_at[0].index]
            assert abs(step.bound - along.min()) <= near  # the support is a support
            assert abs(made_of @ np.array(step.axis) - along.min()) <= near
            assert along.min() <= nearest + near  # and no bound is above the distance found
        elif step.kind == "kept" and len(step.points) < 3 and step.values:
            nearer = math.dist((0.0, 0.0), _nearest_of(step.points[0], step.points[-1]))
            assert nearer <= nearest + near  # what is dropped was not needed
        elif step.kind == "kept" and len(step.points) == 3:
            sides = [_turn(p, q) for p, q in zip(step.points, (*step.points[1:], step.points[0]), strict=True)]
            assert min(sides) >= -near * np.abs(difference).max() or max(sides) <= near * np.abs(difference).max()  # O is inside
    result = steps[-1].result
    if result.point_a is not None and result.normal is not None:
        gap = math.dist(result.point_a, result.point_b)
        assert abs(gap - abs(result.separation)) <= near + SAT_ROUNDING * (pair.shape_a.radius + pair.shape_b.radius)


def _nearest_of(p, q):
    """Return the point of the segment p q nearest to the origin."""
    p, e = np.array(p), np.array(q) - np.array(p)
    length_sq = float(e @ e)
    return p + (min(max(float(-p @ e) / length_sq, 0.0), 1.0) if length_sq > 0.0 else 0.0) * e


def _turn(p, q):
    return p[0] * q[1] - p[1] * q[0]
