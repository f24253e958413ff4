"""The opening chapter: comparison with shapely, touching shapes, and errors."""

import math

import numpy as np
import pytest
from shapely import Point
from shapely import Polygon as GeosPolygon
from shapely.geometry import box as geos_box

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry import AABB, Polygon, Transform
from engine.narrowphase import simple
from engine.narrowphase.simple import Rectangle
from engine.query import overlap

# meters; nearer to a touch GEOS may round either way
NEAR = 1e-9


def geos(r):
    return GeosPolygon(Polygon.box(r.half_width, r.half_height, r.center, r.angle).vertices)


def random_rectangle(rng):
    return Rectangle(tuple(rng.uniform(-2.0, 2.0, 2).tolist()), *rng.uniform(0.05, 1.5, 2).tolist(), float(rng.uniform(-4.0, 4.0)))


def test_rotated_rectangles_and_points_agree_with_shapely():
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(1500):
        a, b = random_rectangle(rng), random_rectangle(rng)
        p = tuple(rng.uniform(-2.0, 2.0, 2).tolist())
        gap, point_gap = geos(a).distance(geos(b)), geos(a).distance(Point(p))
        if gap == 0.0 or gap > NEAR:
            assert simple.rectangles_overlap(a, b) == simple.rectangles_overlap(b, a) == (gap == 0.0)
            seen.add(gap == 0.0)
        if point_gap == 0.0 or point_gap > NEAR:
            assert simple.point_in_rectangle(p, a) == (point_gap == 0.0)
    assert seen == {True, False}


def test_rotated_rectangles_agree_with_the_later_chapter():
    rng = np.random.default_rng(2)
    for _ in range(300):
        a, b = random_rectangle(rng), random_rectangle(rng)
        shapes = [Polygon.box(r.half_width, r.half_height) for r in (a, b)]
        assert simple.rectangles_overlap(a, b) == overlap(shapes[0], Transform(a.center, a.angle), shapes[1], Transform(b.center, b.angle))


def test_boxes_and_circles_agree_with_shapely():
    rng = np.random.default_rng(3)
    for _ in range(1000):
        (x1, y1, x2, y2), (w1, h1, w2, h2) = rng.uniform(-2.0, 2.0, 4).tolist(), rng.uniform(0.1, 2.0, 4).tolist()
        a, b = AABB((x1, y1), (x1 + w1, y1 + h1)), AABB((x2, y2), (x2 + w2, y2 + h2))
        assert simple.boxes_overlap(a, b) == a.overlaps(b) == geos_box(*a.lower, *a.upper).intersects(geos_box(*b.lower, *b.upper))
        assert simple.point_in_box((x2, y2), a) == geos_box(*a.lower, *a.upper).intersects(Point(x2, y2))
        gap = Point(x1, y1).distance(Point(x2, y2))
        if abs(gap - w1 - w2) > NEAR:
            assert simple.circles_overlap((x1, y1), w1, (x2, y2), w2) == (gap < w1 + w2)
        if abs(gap - w1) > NEAR:
            assert simple.point_in_circle((x2, y2), (x1, y1), w1) == (gap < w1)


def test_touching_counts_as_overlap():
    assert simple.circles_overlap((0.1, 0.0), 0.1, (0.4, 0.0), 0.2)
    assert simple.rectangles_overlap(Rectangle((0.0, 0.0), 0.1, 0.1), Rectangle((0.3, 0.0), 0.2, 0.1))
    corner = 0.3 + math.sqrt(2.0)
    assert simple.rectangles_overlap(Rectangle((0.0, 0.0), 0.3, 5.0), Rectangle((corner, 1.0), 1.0, 1.0, math.pi / 4.0))
    assert not simple.rectangles_overlap(Rectangle((0.0, 0.0), 0.3, 5.0), Rectangle((corner + 1e-12, 1.0), 1.0, 1.0, math.pi / 4.0))
    assert simple.point_in_rectangle((math.sqrt(0.5), math.sqrt(0.5)), Rectangle((0.0, 0.0), 1.0, 0.5, math.pi / 4.0))
    assert simple.boxes_overlap(AABB((0.0, 0.0), (4.0, 4.0)), AABB((1.0, 1.0), (2.0, 2.0)))  # one inside the other


def test_bad_input():
    with pytest.raises(InvalidShapeError, match=r"half_width must be > 0 m, got 0\.0"):
        Rectangle((0.0, 0.0), 0.0, 1.0)
    with pytest.raises(InvalidInputError, match=r"radius_b must be >= 0 m, got -1\.0"):
        simple.circles_overlap((0.0, 0.0), 1.0, (0.0, 0.0), -1.0)
    with pytest.raises(InvalidInputError, match="p must be two finite numbers in m"):
        simple.point_in_box((0.0, math.nan), AABB((0.0, 0.0), (1.0, 1.0)))
