"""Decompositions into at most k pieces: their cover, its errors, and more pieces are never worse."""

import math
from itertools import pairwise

import numpy as np
import pytest
import shapely

from engine.common.tolerances import EPS32
from engine.decompose import approximate
from engine.decompose.approximate import covering_hull
from engine.decompose.decompose import METHODS, decompose
from engine.decompose.measures import farthest
from engine.decompose.outline import Outline, Part
from engine.geometry import Circle, Polygon, convex_hull
from engine.world import BodySpec, FixtureSpec, World
from tests.outlines import KEPT, outline_of, shapes

COUNTS = (1, 2, 3, 6, 12)

ROUNDING = 1e-9
"""Relative to the area: shapely's, where areas that should be equal are compared."""

CIRCLE_MEASURE = 1e-4
"""Relative to the area: a circle is measured as a polygon of 256 corners, which stand out of it by 5e-5 of the radius where it touches."""


def check_taken(result):
    world = World()
    world.create_body(BodySpec(tuple(FixtureSpec(piece) for piece in result.pieces)))
    world.step()
    assert all(isinstance(piece, Circle) or 3 <= len(piece.vertices) <= 16 for piece in result.pieces)


COARSE = [method for method in METHODS if method != "exact"]
SOME = [name for name in KEPT[::5] + ["centimeter", "kilometer", "ring in a ring", "letter %"] if name in KEPT]


@pytest.mark.parametrize("name", sorted(set(SOME)))
def test_each_method_covers_or_fills_and_reports_its_error(name):
    outline = outline_of(name)
    for method in COARSE:
        result = decompose(outline, method)
        check_taken(result)
        if method == "circles":
            assert len(result.pieces) <= 8
            assert result.cover.excess <= CIRCLE_MEASURE * result.outline.area
            assert 0.0 < result.cover.missed < result.outline.area
        else:
            assert len(result.pieces) <= 2
            assert result.cover.missed <= ROUNDING * result.outline.area + 4.0 * EPS32 * result.outline.area
        assert result.cover.covered == pytest.approx(result.outline.area + result.cover.excess - result.cover.missed, rel=1e-9)
        assert result.cover.area_error == pytest.approx((result.cover.excess + result.cover.missed) / result.outline.area)


@pytest.mark.parametrize("name", [name for name in ("star of 7", "letter B", "comb of 4", "ring in a ring") if name in KEPT])
@pytest.mark.parametrize("method", ["exact", "hull", "boxes", "aabb", "circles"])
def test_more_pieces_are_never_worse(name, method):
    outline = outline_of(name)
    errors = []
    for k in COUNTS:
        result = decompose(outline, method, k, max_lost=0.01)
        assert 1 <= len(result.pieces) <= k
        errors.append(result.cover.area_error)
        check_taken(result)
    slack = CIRCLE_MEASURE if method == "circles" else ROUNDING
    assert all(later <= before + slack for before, later in pairwise(errors))
    assert method == "hull" or errors[-1] < errors[0]  # hulls of parts may lie within each other


def test_one_piece_is_the_hull_and_enough_pieces_are_exact():
    outline = outline_of("star of 7")
    hull = shapely.Polygon(convex_hull(outline.parts[0].outer))
    [piece] = decompose(outline, "exact", 1).pieces
    assert isinstance(piece, Polygon)
    assert shapely.Polygon(piece.vertices).symmetric_difference(hull).area < ROUNDING
    assert decompose(outline, "hull").pieces == (piece,)
    n = len(decompose(outline).pieces)
    assert decompose(outline, "exact", n).cover.area_error == 0.0
    assert decompose(outline, "exact", n - 1).cover.excess > 0.0


def test_known_areas():
    ell = outline_of("ell")  # 3 m^2 in a box of 2 m x 2 m
    assert decompose(ell, "aabb").cover.excess == pytest.approx(1.0)
    assert decompose(ell, "box").cover.excess <= 1.0 + 1e-9
    assert decompose(ell, "boxes").cover.excess == pytest.approx(0.0, abs=1e-9)
    assert decompose(ell, "hull").cover.excess == pytest.approx(0.5)
    assert decompose(ell, "hull").cover.farthest_excess == pytest.approx(0.5, rel=0.01)  # at the middle of the hull's new edge
    [circle] = decompose(Outline.of_polygon(shapes.box(0, 0, 2, 1)), "circles", 1).pieces
    assert isinstance(circle, Circle)
    assert circle.radius == pytest.approx(0.5, rel=1e-5) and circle.center[1] == pytest.approx(0.5, abs=1e-5)


def test_a_hull_for_each_part():
    two = Outline((Part(shapes.star(5)), Part(shapes.star(7) + (3.0, 0.0))))
    assert len(decompose(two, "hull").pieces) == 1
    apart = decompose(two, "hull", 2)
    assert len(apart.pieces) == 2
    assert apart.cover.excess < decompose(two, "hull").cover.excess


def test_many_parts_are_merged_quickly():
    """Groups are linked to facing groups; linking all pairs took eight seconds for 144 squares."""
    parts = [Part(shapes.box(x, y, x + 0.5, y + 0.5)) for x in range(12) for y in range(12)]
    calls = 0
    real = covering_hull

    def counted(points, most):
        nonlocal calls
        calls += 1
        return real(points, most)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(approximate, "covering_hull", counted)
        result = decompose(Outline(parts), "hull", 12)
    assert len(result.pieces) <= 12 and result.cover.missed <= ROUNDING
    assert calls < 15 * len(parts)  # a planar graph has fewer than three ties for each; all pairs would be 72
    # rows of squares are the cheapest to put together: eleven gaps of half a square each
    assert result.cover.excess <= 12 * 11 * 0.25 + ROUNDING


def test_a_hull_of_many_corners_still_covers():
    for n, most in ((60, 16), (500, 16), (33, 8), (17, 4)):
        ring = shapes.regular(n)
        hull = covering_hull(ring, most)
        assert len(hull) <= most
        cover = shapely.Polygon(hull).buffer(4.0 * EPS32)
        assert cover.covers(shapely.Polygon(ring))
        # a regular polygon of m corners around a circle has the area m tan(pi / m); giving up edges one at a time may double its excess
        assert shapely.Polygon(hull).area - math.pi <= 2.5 * (most * math.tan(math.pi / most) - math.pi)


def test_the_farthest_point_may_lie_in_the_middle():
    frame = outline_of("frame")  # a hole of 1 m x 1 m: its center is 0.5 m from the rest
    assert decompose(frame, "aabb").cover.farthest_excess == pytest.approx(0.5, rel=0.01)
    region, target = shapely.box(0, 0, 1, 1), shapely.Point(0, 0)
    assert farthest(region, target) == pytest.approx(math.sqrt(2.0), rel=0.01)
    assert farthest(shapely.Polygon(), target) == 0.0


def test_circles_of_more_parts_than_candidates():
    """Each part has a candidate point, but the total is limited, because the coverage table grows quadratically."""
    parts = [Part(shapes.box(x, y, x + 0.4, y + 0.4 + 0.001 * x)) for x in range(35) for y in range(35)]
    circles = decompose(Outline(parts), "circles", 3).pieces
    assert len(circles) == 3 and all(isinstance(circle, Circle) and circle.radius == pytest.approx(0.2, rel=0.05) for circle in circles)


def test_circles_lie_inside():
    for name in ("blot of 64", "frame", "ring in a ring"):
        target = outline_of(name).as_shapely()
        for circle in decompose(outline_of(name), "circles", 12).pieces:
            assert isinstance(circle, Circle)
            assert target.contains(shapely.Point(circle.center))
            assert target.boundary.distance(shapely.Point(circle.center)) >= circle.radius
            # and as Box2D holds it
            held = np.float32([*circle.center, circle.radius]).astype(float)
            assert target.boundary.distance(shapely.Point(held[:2])) >= held[2] - EPS32
