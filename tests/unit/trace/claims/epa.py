"""What a step of EPA claims, from the shapes alone."""

from __future__ import annotations

import numpy as np

from engine.common.tolerances import SAT_ROUNDING


def check(case, steps):
    pair = case.pair
    a, b = pair.pose_a.apply_array(pair.shape_a.core), pair.pose_b.apply_array(pair.shape_b.core)
    difference = (b[:, None] - a[None]).reshape(-1, 2)
    near = 8.0 * SAT_ROUNDING * float(np.abs(a).max() + np.abs(b).max() + np.abs(difference).max())
    radii = pair.shape_a.radius + pair.shape_b.radius
    result, edges_before = steps[-1].result, 0
    for step in steps[:-1]:
        if step.kind == "nearest edge":
            ring = np.array(step.marks[0].points)
            after = np.roll(ring, -1, axis=0)
            assert edges_before in (0, len(ring) - 1)  # one more at each expansion
            edges_before = len(ring)
            assert _farthest_from_its_vertices(ring, difference) <= near  # all corners are vertices of B - A
            distances = np.array([_distance_from_origin(p, q) for p, q in zip(ring, after, strict=True)])
            assert abs(step.bound - distances.min()) <= near  # the nearest edge is the nearest
            if result.normal is not None:
                assert step.bound <= result.depth - radii + near  # and the depth no less
        elif step.kind == "support" and "s.n" in step.values:
            along = difference @ np.array(step.axis)
            assert abs(step.values["s.n"] - along.max()) <= near  # the support is a support
            if result.normal is not None:
                assert step.bound >= result.depth - radii - near
    if result.normal is not None and result.depth > near:
        moved = difference + result.depth * np.array(result.normal)
        gap = (moved @ np.array(result.normal)).min()
        assert abs(gap - radii) <= 4.0 * near + SAT_ROUNDING * radii  # parted by it, and no farther


def _farthest_from_its_vertices(ring, difference):
    return max(np.abs(difference - corner).max(axis=1).min() for corner in ring)


def _distance_from_origin(p, q):
    e = q - p
    length_sq = float(e @ e)
    share = min(max(float(-p @ e) / length_sq, 0.0), 1.0) if length_sq > 0.0 else 0.0
    return float(np.hypot(*(p + share * e)))
