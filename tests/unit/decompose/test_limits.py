"""Box2D itself accepts the polygons that we call valid, and the pieces of decompositions."""

import numpy as np
import pytest

from engine.box2d.convert import to_box2d
from engine.common.errors import InvalidShapeError
from engine.common.tolerances import FLOAT32_TURN
from engine.decompose.limits import _bends, clean, is_large_enough, split
from engine.decompose.outline import signed_area
from engine.geometry import Polygon, convex_hull
from engine.world import BodySpec, FixtureSpec, World
from tests.outlines import shapes


def test_this_box2d_does_not_weld_corners():
    mm = 2.0**-10  # later versions weld what is nearer than 2.5 mm
    held = to_box2d(Polygon([(0, 0), (1, 0), (1, 1), (1 - mm, 1 + mm / 2), (0, 1)]))[1]
    assert isinstance(held, Polygon) and len(held.vertices) == 5


def test_an_area_of_float32s_epsilon_is_the_least():
    to_box2d(Polygon(shapes.box(0, 0, 3.6e-4, 3.6e-4).astype(np.float32)))
    with pytest.raises(InvalidShapeError, match="large enough"):
        to_box2d(Polygon(shapes.box(0, 0, 3.3e-4, 3.3e-4).astype(np.float32)))


def test_box2d_accepts_clean_polygons_of_sufficient_size():
    """Random hulls of all sizes, flat or not, near the origin and far from it: the rule may reject too much, but never too little."""
    draw = np.random.default_rng(6)
    n_accepted = 0
    for _ in range(400):
        size, flatness, away = 10.0 ** draw.uniform(-4.0, 1.0), 10.0 ** draw.uniform(-7.0, 0.0), 10.0 ** draw.uniform(-3.0, 2.0)
        cloud = draw.normal(size=(draw.integers(3, 12), 2)) * (size, size * flatness) + away
        loop = clean(convex_hull(cloud))
        if is_large_enough(loop):
            n_accepted += 1
            world = World()
            world.create_body(BodySpec((FixtureSpec(Polygon(loop)),), type="static"))
            world.step()
    assert 50 < n_accepted < 350  # both sides of the limit were seen


def test_the_flattest_corner_goes_first():
    """The result is as if all corners were checked after each removal, on hulls with corners that float32 distinguishes or merges."""
    draw = np.random.default_rng(6)
    n_gone = 0
    for k in range(300):
        turns = np.sort(draw.uniform(0.0, 2.0 * np.pi, draw.integers(3, 30)))
        size = 10.0 ** draw.uniform(-5.0, 1.0, 2)
        loop = np.column_stack((np.cos(turns), np.sin(turns))) * size + 10.0 ** draw.uniform(-3.0, 3.0)
        loop = np.round(loop, 5) if k % 3 == 0 else loop
        left = loop
        while len(left) > 2 and (bends := _bends(left.astype(np.float32).astype(np.float64))).min() <= FLOAT32_TURN:
            left = np.delete(left, bends.argmin(), axis=0)
        cleaned = clean(loop)
        assert not len(cleaned) or np.array_equal(cleaned, left)
        n_gone += len(cleaned) < len(loop)
    assert 100 < n_gone < 300


def test_flat_corners_are_dropped_and_the_area_stays():
    ring = np.array([(0, 0), (1, -1e-8), (2, 0), (2, 1), (1, 1 + 1e-8), (0, 1), (0, 1 - 1e-9)])
    assert len(clean(ring)) == 4
    assert signed_area(clean(ring)) == pytest.approx(2.0, rel=1e-7)
    assert len(clean(np.array([(0, 0), (1, 0), (2, 1e-12)]))) == 0


@pytest.mark.parametrize(("n", "most"), [(17, 16), (30, 16), (31, 16), (60, 16), (500, 16), (9, 4)])
def test_a_convex_piece_is_cut_into_the_fewest(n, most):
    pieces = split(shapes.regular(n), most)
    assert len(pieces) == -(-(n - 2) // (most - 2))
    assert all(3 <= len(piece) <= most for piece in pieces)
    assert sum(map(signed_area, pieces)) == pytest.approx(signed_area(shapes.regular(n)), rel=1e-12)
