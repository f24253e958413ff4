"""Checks the claims of steps of hulls and enclosing shapes from the points alone, in exact arithmetic where floats are uncertain."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from engine.common.tolerances import WELZL_ROUNDING


def turn(p, q, r):
    """Return 1 if r lies left of the line from p to q, -1 if right of it, 0 if on it."""
    left, right = (q[0] - p[0]) * (r[1] - p[1]), (q[1] - p[1]) * (r[0] - p[0])
    if abs(left - right) > 1e-12 * (abs(left) + abs(right)):
        return 1 if left > right else -1
    value = twice_area(p, q, r)
    return (value > 0) - (value < 0)


def twice_area(p, q, r):
    """Return the determinant itself."""
    (px, py), (qx, qy), (rx, ry) = (tuple(map(Fraction, point)) for point in (p, q, r))
    return (qx - px) * (ry - py) - (qy - py) * (rx - px)


def is_hull_of(corners, points):
    """Return whether a ring turns left at each corner, and no point lies right of any edge."""
    n = len(corners)
    edges = [(corners[k], corners[(k + 1) % n]) for k in range(n)]
    strict = all(turn(p, q, corners[(k + 2) % n]) == 1 for k, (p, q) in enumerate(edges))
    return strict and all(turn(p, q, point) >= 0 for p, q in edges for point in points)


def check_quickhull(case, steps):
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


def check_monotone_chain(case, steps):
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


def spans(points, axis):
    """Return the extent of the points along an axis and across it."""
    along, across = points @ np.array(axis), points @ np.array((-axis[1], axis[0]))
    return float(np.ptp(along)), float(np.ptp(across))


def check_rotating_calipers(case, steps):
    points = np.array(case.points)
    points = points - points.mean(axis=0)
    size = float(np.abs(points).max())
    near = 1e-13 * (size + float(np.abs(np.array(case.points)).max()))
    least = math.inf
    for step in steps[1:-1]:
        p, q, right, top, left = (np.array(point) for point in step.points)
        along, across = np.array(step.axis), np.array((-step.axis[1], step.axis[0]))
        assert abs((q - p) @ across) <= near and (q - p) @ along > 0.0  # the box stands on the edge
        width, height = spans(points, step.axis)
        assert abs(step.values["width"] - width) <= near and abs(step.values["height"] - height) <= near
        # the calipers touch the farthest points
        assert abs((right - left) @ along - width) <= near and abs((top - p) @ across - height) <= near
        assert step.values["area"] == step.values["width"] * step.values["height"]
        least = min(least, step.values["area"])
        assert step.bound == least
    result = steps[-1].result
    around = 1e-12 * (size + float(np.abs(np.array(case.points)).max()))
    if math.isfinite(least):
        assert abs(result.area - least) <= around * 8.0 * size
        for angle in np.linspace(0.0, 0.5 * math.pi, 25):  # and no other rectangle is less
            width, height = spans(points, (math.cos(angle), math.sin(angle)))
            assert width * height >= least - around * size
    core, away = result.core, np.array(case.points) - result.core.mean(axis=0)
    sides = sorted((core[1] - core[0], core[2] - core[1]), key=lambda side: math.hypot(*side))
    width, length = (math.hypot(*side) for side in sides)
    along = sides[1] / length
    assert (np.abs(away @ along) <= 0.5 * length + result.radius + near + around).all()
    assert (np.abs(away @ (-along[1], along[0])) <= 0.5 * width + result.radius + near + around).all()


GAP = math.pi + 2e-6
"""Radians. With no larger gap between the directions to the points on the edge, a smaller circle is less so by 1e-12 of it at most."""


def is_smallest(center, radius, points, near):
    """Return whether a circle contains points and cannot shrink, because the points on its boundary leave no half of it free."""
    away = [math.dist(center, point) for point in points]
    if max(away) > radius + near:
        return False
    if radius <= near:
        return True
    angles = sorted(math.atan2(y - center[1], x - center[0]) for (x, y), far in zip(points, away, strict=True) if far >= radius - near)
    gaps = [after - before for before, after in pairwise([*angles, angles[0] + 2.0 * math.pi])] if angles else [math.inf]
    return max(gaps) <= GAP


def check_smallest_circle(case, steps):
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
    (center,) = result.core.tolist()
    assert all(math.dist(center, point) <= result.radius * (1.0 + 1e-15) for point in case.points)
    widened = 1e-14 * float(np.abs(points).sum(axis=1).max())  # the answer is larger by BOUNDING_ROUNDING of its place
    assert is_smallest(center, result.radius, case.points, near + widened)
    assert all(abs(math.dist(center, point) - result.radius) <= near + widened for point in support)
