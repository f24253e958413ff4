"""The functions of `engine.trace` reject wrong arguments by name."""

from __future__ import annotations

import numpy as np
import pytest

from engine import trace
from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon, Sweep, Transform

BOX, AT, STILL, MANY = Polygon.box(0.5, 0.5), Transform(), Sweep(Transform(), Transform()), np.zeros((1000, 4))


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("gjk", (3, AT, BOX, AT), "a must be a Circle, Polygon, Capsule or Segment, got 3"),
        ("gjk", (BOX, AT, BOX, None), "xf_b must be a Transform, got None"),
        ("sat", (BOX, AT, BOX, AT, "x"), "axis must be a whole number, got 'x'"),
        ("bisection", (BOX, AT, BOX, STILL), "sweep_a must be a Sweep, got Transform"),
        ("moving_discs", (BOX, AT, (0.0, 0.0), Circle(1.0), AT, (0.0, 0.0)), "a must be a Circle, got Polygon"),
        ("moving_discs", (Circle(1.0), AT, 3, Circle(1.0), AT, (0.0, 0.0)), "velocity_a must be two finite numbers in m/s, got 3"),
        ("ray_cast", (BOX, AT, (0.0, 0.0), (float("nan"), 0.0)), "translation must be two finite numbers in m, got"),
        ("shape_cast", (BOX, AT, (1.0, 0.0), "box", AT), "target must be a Circle"),
        ("shape_cast", (BOX, AT, 1.0, BOX, AT), "translation must be two finite numbers in m, got 1"),
        ("hertel_mehlhorn", ([(0, 0), (1, 0), (0, 1)],), "outline must be an Outline, got"),
        ("sequential_impulses", (None,), "world must be a World, got None"),
        ("quickhull", ("points",), r"points must be a \(n, 2\) array of finite numbers, got 'points'"),
        ("quickhull", (np.zeros((501, 2)),), "points must be at most 500 points .*got 501"),
        ("grid", (MANY,), "boxes must be at most 128 boxes .*got 1000"),
        ("bvh_insertion", ([(0, 0, 1, 1)], [[1], [2, 3]]), r"region must be a \(n, 4\) array"),
        ("bvh_insertion", ([(0, 0, 1, 1)], (0, 0, 1, float("nan"))), r"region\[0\] must be finite"),
    ],
)
def test_wrong_arguments_are_named(name, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        trace.steps(name, *arguments)


def test_too_few_arguments_raise_a_type_error():
    with pytest.raises(TypeError, match="missing 2 required positional arguments: 'b' and 'xf_b'"):
        trace.steps("gjk", BOX, AT)
