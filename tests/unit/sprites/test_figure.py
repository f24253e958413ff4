"""The figure's picture, its outline and its four fixture sets match."""

import numpy as np
import pygame
import pytest
from shapely import Polygon as Area
from shapely import contains_xy
from shapely.geometry import Point
from shapely.ops import unary_union

from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from sprites import draw_figure
from sprites.figure import FigureSprite
from sprites.figure_outline import FEET, FRAME_LOWER, FRAME_UPPER, HOLDS, N_FRAMES, OUTLINE, PICTURE, PIXELS_PER_METRE, TRACED


def _covered(hold):
    """Return the area of a hold in Box2D: the shapes with their skins."""
    areas = [
        Point(shape.center).buffer(shape.radius, 64) if isinstance(shape, Circle) else Area(shape.vertices).buffer(BOX2D_POLYGON_SKIN)
        for shape in hold.shapes
    ]
    return unary_union(areas)


def test_the_outline_is_a_simple_polygon_that_is_not_convex():
    figure = Area(OUTLINE)
    assert figure.is_valid
    assert figure.exterior.is_ccw
    assert figure.area < 0.75 * figure.convex_hull.area


def test_the_outline_follows_the_picture():
    """Pixels well inside it are opaque except for the gap between the legs, and those well outside are transparent; a rim of two pixels may
    be either.
    """
    frame = pygame.image.load(PICTURE)
    width = frame.get_width() // N_FRAMES
    alpha = pygame.surfarray.array_alpha(frame)[:width].T
    rows, columns = np.mgrid[: alpha.shape[0], : alpha.shape[1]]
    x = FRAME_LOWER[0] + (columns + 0.5) / PIXELS_PER_METRE
    y = FRAME_UPPER[1] - (rows + 0.5) / PIXELS_PER_METRE
    figure, rim = Area(OUTLINE), 2.0 / PIXELS_PER_METRE
    between_legs = (abs(x - 0.01) < 0.08) & (y > 0.08) & (y < 0.30)
    inside, outside = contains_xy(figure.buffer(-rim), x, y), ~contains_xy(figure.buffer(rim), x, y)
    assert (alpha[inside & ~between_legs] == 255).all()
    assert (alpha[outside] == 0).all()
    assert inside.sum() > 0.9 * figure.area * PIXELS_PER_METRE**2


@pytest.mark.slow
def test_the_stored_outline_matches_the_script():
    """Except for differences in the last digits of a sine between platforms, which affect the kept points of the curve."""
    drawn = Area(draw_figure.outline())
    assert drawn.exterior.hausdorff_distance(Area(OUTLINE).exterior) <= 2.0 * draw_figure.OUTLINE_TOLERANCE


def test_the_feet_are_where_the_outline_meets_the_ground():
    assert OUTLINE[:, 1].min() == pytest.approx(0.0, abs=1e-4)
    assert -0.20 < FEET[0] < -0.16
    assert 0.22 < FEET[1] < 0.27


def test_more_shapes_enclose_less_empty_area():
    """Area of the fixtures outside the outline, and of the outline outside the fixtures, square meters."""
    figure = Area(OUTLINE)
    air = [_covered(hold).difference(figure).area for hold in HOLDS]
    bare = [figure.difference(_covered(hold)).area for hold in HOLDS]
    assert air[:3] == pytest.approx([1.43, 0.46, 0.064], rel=0.02)
    assert bare[:3] == pytest.approx([0.0, 0.060, 0.113], rel=0.02, abs=1e-9)
    # the traced pieces are the figure to the tracing's tolerance, but for the skin around them
    assert air[3] < figure.length * (BOX2D_POLYGON_SKIN + TRACED.tolerance)
    assert bare[3] < 0.01 * figure.area


def test_the_stored_body_matches_a_new_trace():
    """Except for last digits, the outline is the same; the pieces cover it, and Box2D accepts each. The stored ones are a minimal cut."""
    traced = draw_figure.traced(PICTURE)
    outline = TRACED.outline.as_shapely()
    assert traced.outline.as_shapely().hausdorff_distance(outline) < 1e-6
    assert len(TRACED.pieces) <= len(traced.pieces) <= 1.25 * len(TRACED.pieces)
    assert unary_union([Area(piece.vertices) for piece in TRACED.pieces]).symmetric_difference(outline).area < 1e-6 * outline.area
    assert HOLDS[3].title == f"its traced outline, {len(TRACED.pieces)} pieces"


def test_a_hold_stands_on_the_ground_and_can_be_mirrored():
    for k, hold in enumerate(HOLDS):
        left, bottom, right, _ = _covered(hold).bounds
        if k < 3:
            assert bottom == pytest.approx(0.0, abs=1e-9)
        else:  # its cores end at the ground, its skin a skin below
            assert bottom == pytest.approx(-BOX2D_POLYGON_SKIN, abs=0.5 / PIXELS_PER_METRE)
        mirrored = _covered(hold.mirrored()).bounds
        assert (mirrored[0], mirrored[2]) == pytest.approx((-right, -left))
        assert hold.mirrored().mirrored() == hold


@pytest.mark.parametrize("looks_left", [False, True])
def test_the_picture_matches_the_position_of_the_figure(looks_left):
    """Its opaque part fills the outline's bounds, with the feet at the given point and the beak in front."""
    surface = pygame.Surface((600, 600))
    camera = Camera(center=(0.0, 0.0), scale=100.0, view=(0, 0, 600, 600))
    FigureSprite().draw(Canvas(surface, camera), (0.5, -1.0), looks_left=looks_left)
    columns, rows = np.nonzero(pygame.surfarray.array3d(surface).sum(axis=2))
    low, high = OUTLINE.min(axis=0), OUTLINE.max(axis=0)
    left, right = (-high[0], -low[0]) if looks_left else (low[0], high[0])
    assert (columns.min(), columns.max()) == pytest.approx((300 + 100 * (0.5 + left), 300 + 100 * (0.5 + right)), abs=2.0)
    assert (rows.min(), rows.max()) == pytest.approx((300 - 100 * (high[1] - 1.0), 300 + 100), abs=2.0)


@pytest.mark.parametrize(("position", "angle"), [((1e9, 0.0), 0.0), ((float("nan"), 0.0), 0.0), ((0.0, 0.0), 7.0), ((0.0, 0.0), -3.0)])
def test_any_pose_can_be_drawn(position, angle):
    surface = pygame.Surface((200, 200))
    for scale in (0.02, 60.0, 5000.0):
        canvas = Canvas(surface, Camera(center=(0.0, 0.0), scale=scale, view=(0, 0, 200, 200)))
        FigureSprite().draw(canvas, position, angle, walked=1.0)
