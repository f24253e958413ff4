"""What a step of Welzl's algorithm claims, from the points alone."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from engine.common.tolerances import WELZL_ROUNDING

GAP = math.pi + 2e-6
"""Radians. With no larger gap between the directions to the points on the edge, a smaller circle is less so by 1e-12 of it at most."""


def is_smallest(center, radius, points, near):
    """Tell whether a circle holds points, and cannot shrink: those on its edge leave no half of it free."""
    away = [math.dist(center, point) for point in points]
    if max(away) > radius + near:
        return False
    if radius <= near:
        return True
    angles = sorted(math.atan2(y - center[1], x - center[0]) for (x, y), far in zip(points, away, strict=True) if far >= radius - near)
    gaps = [after - before for before, after in pairwise([*angles, angles[0] + 2.0 * math.pi])] if angles else [math.inf]
    return max(gaps) <= GAP


def check(case, steps):
    points = np.array(case.points)
    size = float(np.abs(points - points.mean(axis=0)).max())
    near = 16.0 * WELZL_ROUNDING * size + 1e-15 * float(np.abs(points).max())
    is_refused = any(step.kind == "order" for step in steps[1:])  # then the run in floats claims nothing but its tests
    order, seen = (), 0
    for step in steps[:-1]:
        if step.kind == "order":
            order, seen = step.points, 1
            is_sure = not is_refused or step is not steps[0]
        elif step.kind != "judged":
            point, *support = step.points
            circle = next(mark for mark in step.marks if mark.form == "circle" and mark.role in ("kept", "dropped"))
            (center,), radius = circle.points, circle.radius
            off = math.dist(center, point) - radius
            is_in = circle.role == "kept"
            assert off <= near if is_in else off >= -near
            assert ("outside" in step.sentence) != is_in
            if step.kind == "among all":
                assert point == order[seen]
                if is_sure:
                    assert set(support) <= set(order[:seen])
                    assert is_smallest(center, radius, order[:seen], near)  # all seen so far are in it, and it is the smallest
                seen += 1
    result, support = steps[-1].result, steps[-1].points[1:]
    assert all(math.dist(result.center, point) <= result.radius * (1.0 + 1e-15) for point in case.points)
    widened = 1e-14 * float(np.abs(points).sum(axis=1).max())  # the answer is larger by BOUNDING_ROUNDING of its place
    assert is_smallest(result.center, result.radius, case.points, near + widened)
    assert all(abs(math.dist(result.center, point) - result.radius) <= near + widened for point in support)
