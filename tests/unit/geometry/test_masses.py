"""Masses and boxes of shapes, compared with fractions: turned, far off their origins, squashed to 1:1000, of millimeters to kilometers."""

import math
from fractions import Fraction

import numpy as np
import pytest

from engine.common.tolerances import EPS64
from engine.geometry import Circle, Polygon, Transform
from engine.geometry.exact.masses import exact_mass
from engine.narrowphase import batched
from engine.narrowphase.packing import pack

KINDS = ("turned", "far", "needle", "sized", "far needle")


def shapes(kind, n=60):
    """Return random polygons and every fourth time a circle."""
    rng = np.random.default_rng(KINDS.index(kind))
    for k in range(n):
        size = 10.0 ** rng.uniform(-3.0, 3.0) if kind == "sized" else 1.0
        away = rng.normal(size=2) * (10.0 ** rng.uniform(0.0, 3.0) if "far" in kind else 0.1) * size
        if k % 4 == 0:
            yield Circle(size * rng.uniform(0.2, 1.0), (float(away[0]), float(away[1])))
            continue
        angles = np.sort(rng.uniform(-math.pi, math.pi, rng.integers(3, 9)))
        corners = np.column_stack((np.cos(angles), (10.0 ** rng.uniform(-3.0, 0.0) if "needle" in kind else 1.0) * np.sin(angles)))
        turn = rng.uniform(-math.pi, math.pi)
        rotation = np.array([(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))])
        yield Polygon(size * corners @ rotation + away, 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_masses_are_those_of_fractions(kind):
    for shape in shapes(kind):
        made = shape.mass(2.5)
        mass, center, inertia = made.mass, made.centroid, made.inertia
        exact = exact_mass(shape, 2.5)
        reach = max(abs(float(x)) for x in exact.centroid) + math.sqrt(float(exact.inertia / exact.mass))
        assert abs(float(Fraction(mass) / exact.mass - 1)) < 1e-10
        assert max(abs(float(Fraction(center[k]) - exact.centroid[k])) for k in range(2)) < 1e-10 * reach
        assert abs(float(Fraction(inertia) / exact.inertia - 1)) < 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_are_those_of_fractions_within_rounding(kind):
    """A corner takes two products and two sums for each coordinate, whose rounding is at most 2 eps times the sum of their sizes."""
    rng = np.random.default_rng(9)
    listed = list(shapes(kind))
    poses = np.column_stack((rng.normal(size=(len(listed), 2)) * 10.0 ** rng.uniform(-1.0, 3.0), rng.uniform(-9.0, 9.0, len(listed))))
    rows = batched.box_rows(pack(listed), np.arange(len(listed)), batched.poses_with_rotation(poses.copy()))
    for shape, (x, y, angle), row in zip(listed, poses.tolist(), rows.tolist(), strict=True):
        xf = Transform((x, y), angle)
        core, radius = ([shape.center], shape.radius) if isinstance(shape, Circle) else (shape.vertices.tolist(), shape.skin_radius)
        cos, sin = Fraction(math.cos(angle)), Fraction(math.sin(angle))
        xs = [Fraction(x) + cos * Fraction(u) - sin * Fraction(v) for u, v in core]
        ys = [Fraction(y) + sin * Fraction(u) + cos * Fraction(v) for u, v in core]
        low, high = (min(xs) - Fraction(radius), min(ys) - Fraction(radius)), (max(xs) + Fraction(radius), max(ys) + Fraction(radius))
        exact = [float(side) for side in (*low, *high)]
        allowed = 4.0 * EPS64 * (abs(x) + abs(y) + radius + max(abs(u) + abs(v) for u, v in core))
        box = shape.aabb(xf)
        assert row == pytest.approx(exact, rel=0.0, abs=allowed)
        assert (*box.lower, *box.upper) == pytest.approx(exact, rel=0.0, abs=allowed)
