"""Every volume contains its shape in exact arithmetic, at any size, position and rotation."""

import math
from itertools import product

import numpy as np
import pytest

from engine.bounding import (
    bounding_hull,
    cloud_of,
    diagonal_circle,
    fitted_box,
    fitted_kdop,
    least_area_box,
    least_area_capsule,
    mean_circle,
    refitted_box,
    smallest_circle,
)
from engine.bounding.kdop import refitted_kdop
from engine.bounding.kinds import follower
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from tests.unit.bounding.clouds import CLOUDS, FAR, POSES, exact_world, holds

VOLUMES = {
    "mean circle": lambda points, xf: mean_circle(points).at(xf),
    "circle from the diagonal": lambda points, xf: diagonal_circle(points).at(xf),
    "smallest circle": lambda points, xf: smallest_circle(points).at(xf),
    "box": fitted_box,
    "re-fitted box": lambda points, xf: refitted_box(fitted_box(points), xf),
    "oriented box": lambda points, xf: least_area_box(points).at(xf),
    "4-DOP": lambda points, xf: fitted_kdop(points, 4, xf),
    "6-DOP": lambda points, xf: fitted_kdop(points, 6, xf),
    "16-DOP": lambda points, xf: fitted_kdop(points, 16, xf),
    "32-DOP": lambda points, xf: fitted_kdop(points, 32, xf),
    "re-fitted 8-DOP": lambda points, xf: refitted_kdop(fitted_kdop(points, 8), xf),
    "capsule": lambda points, xf: least_area_capsule(points).at(xf),
    "hull": lambda points, xf: bounding_hull(points).at(xf),
}
SHAPES = {
    "disc": (Circle(0.4, (0.1, 2.0)), [(0.1, 2.0)], 0.4),
    "skinned": (Polygon([(0, 0), (2, 0.3), (1, 1.7)], 0.01), [(0, 0), (2, 0.3), (1, 1.7)], 0.01),
    "capsule": (Capsule((-1.0, 0.2), (0.5, 1.0), 0.3), [(-1.0, 0.2), (0.5, 1.0)], 0.3),
    "edge": (Segment((-1.0, 0.2), (0.5, 1.0)), [(-1.0, 0.2), (0.5, 1.0)], 0.0),
}


@pytest.mark.parametrize("volume", VOLUMES)
def test_contains_every_point_exactly(volume):
    for (name, points), xf in product(CLOUDS.items(), POSES):
        fitted = VOLUMES[volume](points, xf)
        assert all(holds(fitted, exact_world(point, xf)) for point in points), (name, xf)


@pytest.mark.parametrize("volume", VOLUMES)
def test_contains_a_shape_with_its_radius(volume):
    for (name, (shape, core, radius)), xf in product(SHAPES.items(), POSES):
        fitted = VOLUMES[volume](shape, xf)
        assert all(holds(fitted, exact_world(np.array(point, dtype=float), xf), radius) for point in core), (name, xf)


@pytest.mark.parametrize("volume", VOLUMES)
def test_is_no_larger_than_rounding_requires(volume):
    """A huge volume would also contain the shape, so near the origin the margins must be below a nanometer per meter."""
    square = CLOUDS["square"]
    exact = {"mean circle": 2 * math.pi, "smallest circle": 2 * math.pi, "hull": 4.0, "oriented box": 4.0, "4-DOP": 4.0, "box": 4.0}
    fitted = VOLUMES[volume](square, Transform())
    area = fitted.area if hasattr(fitted, "area") else math.prod(np.subtract(fitted.upper, fitted.lower))
    if volume in exact:
        assert area == pytest.approx(exact[volume], rel=1e-12)
    assert 4.0 <= area <= 2 * math.pi * (1 + 1e-9)


def test_contains_distinguishes_points():
    points = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
    around = (smallest_circle(points), least_area_box(points), fitted_kdop(points, 8), least_area_capsule(points), bounding_hull(points))
    for volume in around:
        assert volume.contains((1.0, 1.0)) and volume.contains((0.0, 0.0)) and not volume.contains((1.6, 0.0))


def test_distant_poses_add_only_rounding():
    assert smallest_circle(CLOUDS["square"]).at(FAR).radius - math.sqrt(2.0) < 2e-8


def test_bad_input_is_named():
    with pytest.raises(InvalidShapeError, match="points"):
        cloud_of(np.zeros((0, 2)))
    with pytest.raises(InvalidShapeError, match=r"points\[1\]"):
        smallest_circle([(0.0, 0.0), (math.nan, 1.0)])
    with pytest.raises(InvalidInputError, match="k must be"):
        fitted_kdop([(0.0, 0.0)], 34)
    with pytest.raises(InvalidInputError, match="k must be even"):
        fitted_kdop([(0.0, 0.0)], 7)
    with pytest.raises(InvalidInputError, match="kind"):
        follower("sphere", CLOUDS["square"])
    with pytest.raises(InvalidInputError, match=r"other\.k"):
        fitted_kdop([(0.0, 0.0)], 4).overlaps(fitted_kdop([(0.0, 0.0)], 8))
