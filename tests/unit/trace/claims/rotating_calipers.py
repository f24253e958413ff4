"""What a step of rotating calipers claims, from the points alone."""

from __future__ import annotations

import math

import numpy as np


def spans(points, axis):
    """Return how far the points reach along an axis and across it."""
    along, across = points @ np.array(axis), points @ np.array((-axis[1], axis[0]))
    return float(np.ptp(along)), float(np.ptp(across))


def check(case, steps):
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
    center, (ux, uy) = np.array(result.center), result.axis
    away = np.array(case.points) - center
    assert (np.abs(away @ np.array((ux, uy))) <= result.half_width + near).all()
    assert (np.abs(away @ np.array((-uy, ux))) <= result.half_height + near).all()
