"""The rational arithmetic behind the proofs, and Box2D's rule with its decisions laid open."""

import math
from fractions import Fraction

import numpy as np
import pytest

from engine.compare.proofs._polygon_decisions import Bounds, all_outcomes, replay_outcome, world_polygon
from engine.compare.proofs.placed import core_distance_sq
from engine.geometry import Polygon, Transform
from engine.narrowphase.sat import overlap_polygons
from engine.query import manifold

NO_ROUNDING = Bounds(0.0, 0.0, 0.0)
FLOAT32 = Bounds(1e-5, 1e-5, 1e-5)
BOX = Polygon.box(0.5, 0.5)


def placed(polygon, xf, number=float):
    center = polygon.mass().centroid
    return world_polygon(polygon.vertices.tolist(), center, polygon.skin_radius, xf.position, (xf.cos, xf.sin), number)


def replaying(a, b):
    return lambda script: replay_outcome(a, b, FLOAT32, script)


def fractions(points):
    return [(Fraction(x), Fraction(y)) for x, y in points]


def test_exact_distances():
    box = fractions([(0, 0), (1, 0), (1, 1), (0, 1)])
    assert core_distance_sq(box, fractions([(4, 5)])) == 25
    assert core_distance_sq(box, fractions([(3, 0.5)])) == 4
    assert core_distance_sq(fractions([(0, 0)]), fractions([(0.5, 0)])) == Fraction(1, 4)
    assert core_distance_sq(box, fractions([(0.5, 0.5)])) == 0
    assert core_distance_sq(box, fractions([(1, 1), (2, 1), (2, 2), (1, 2)])) == 0  # a corner in common
    segment = fractions([(0, 0), (2, 0)])
    assert core_distance_sq(segment, fractions([(5, 4)])) == 25  # past its end, and on its line:
    assert core_distance_sq(segment, fractions([(3, 0)])) == 1
    assert core_distance_sq(box, fractions([(-1, -1), (2, 2)])) == 0  # through it
    assert core_distance_sq(box, fractions([(2, 0), (3, 0)])) == 1
    tiny = Fraction(1, 2**80)
    assert core_distance_sq(box, [(1 + tiny, Fraction(0)), (Fraction(2), Fraction(0)), (Fraction(2), Fraction(1))]) == tiny * tiny


@pytest.mark.parametrize("number", [float, Fraction])
def test_the_open_rule_gives_the_kernels_answer(number):
    rng = np.random.default_rng(3)
    shapes = [Polygon.regular(n, 0.7, 0.2 * n, skin_radius=0.01) for n in (3, 4, 5, 7)]
    for _ in range(200 if number is float else 10):
        a, b = (shapes[i] for i in rng.integers(0, 4, 2))
        xf_a, xf_b = (Transform(tuple(rng.uniform(-0.7, 0.7, 2)), float(rng.uniform(-3, 3))) for _ in range(2))
        opened = replay_outcome(placed(a, xf_a, number), placed(b, xf_b, number), NO_ROUNDING)
        kernel = manifold(a, xf_a, b, xf_b, "box2d")
        assert len(opened.points) == len(kernel.points)
        if kernel.points:
            assert [float(part) for part in opened.normal] == pytest.approx(kernel.normal)
            for ours, theirs in zip(opened.points, kernel.points, strict=True):
                assert [float(part) for part in ours] == pytest.approx([*theirs.position, theirs.separation], abs=1e-9)


def test_all_outcomes_of_a_tie_are_followed():
    # one box in another's middle: all four faces are equally deep, and any start of the climb is possible
    a = placed(BOX, Transform())
    normals = {
        (round(float(outcome.normal[0])), round(float(outcome.normal[1])))
        for outcome, _ in all_outcomes(replaying(a, placed(BOX, Transform((1e-7, 0.0)))))
        if outcome.normal is not None
    }
    assert normals == {(1, 0), (-1, 0), (0, 1), (0, -1)}


def test_a_clear_case_has_one_outcome():
    a, b = placed(BOX, Transform()), placed(BOX, Transform((0.8, 0.1), 0.3))
    found = list(all_outcomes(replaying(a, b)))
    assert len(found) == 1
    assert found[0][0].decisions == ()


def test_exact_overlap_decides_like_the_separating_axes():
    rng = np.random.default_rng(5)
    triangle = Polygon([(0.0, 0.0), (1.0, 0.25), (0.25, 1.0)])
    for _ in range(40):
        xf = Transform(tuple(rng.uniform(-1.5, 1.5, 2)), float(rng.uniform(-math.pi, math.pi)))
        corners = [list(placed(shape, pose, Fraction).vertices) for shape, pose in ((BOX, Transform()), (triangle, xf))]
        assert (core_distance_sq(*corners) == 0) == overlap_polygons(BOX, Transform(), triangle, xf)
