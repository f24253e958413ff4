"""Compares the support function with brute force over a dense outline."""

import math

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.geometry.support import support

SHAPES = [
    Circle(0.7, (0.2, -0.3)),
    Polygon.regular(7, 1.0),
    Polygon([(0, 0), (2, 0.1), (1.5, 1.2)], skin_radius=0.1),
    Capsule((-1.0, 0.2), (0.5, -0.4), 0.3),
    Capsule((1.0, 1.0), (1.0, 1.0), 0.3),
    Segment((-1.0, 0.0), (2.0, 0.5)),
    Segment((-1.0, 0.0), (2.0, 0.5), 0.01),
]
STEPS = 20_000


def outline(shape, xf):
    """Points on circles of the radius around the core's corners: their hull is the shape, to 1 - cos(half a step)."""
    turn = 2.0 * math.pi * np.arange(STEPS) / STEPS
    circle = np.column_stack((np.cos(turn), np.sin(turn)))
    if isinstance(shape, Circle):
        core, radius = np.array([shape.center]), shape.radius
    elif isinstance(shape, Polygon):
        core, radius = shape.vertices, shape.skin_radius
    else:
        core, radius = np.array([shape.p1, shape.p2]), shape.radius if isinstance(shape, Capsule) else shape.skin_radius
    return np.concatenate([xf.apply_array(core)[i] + radius * circle for i in range(len(core))])


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_no_point_lies_farther(shape):
    rng = np.random.default_rng(3)
    xf = Transform((3.0, -2.0), 0.7)
    points = outline(shape, xf)
    for direction in rng.normal(size=(100, 2)):
        unit = direction / np.hypot(*direction)
        (x, y), vertex = support(shape, xf, tuple(direction.tolist()))
        farthest = float((points @ unit).max())
        assert x * unit[0] + y * unit[1] == pytest.approx(farthest, abs=1e-7)
        assert x * unit[0] + y * unit[1] >= farthest - 1e-12
        assert np.hypot(points[:, 0] - x, points[:, 1] - y).min() < 1e-3
        assert vertex >= 0


def test_a_zero_direction_is_rejected():
    with pytest.raises(InvalidInputError, match="direction must be not 0"):
        support(SHAPES[0], Transform(), (0.0, 0.0))
