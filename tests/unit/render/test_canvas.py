import math

import numpy as np
import pygame
import pytest

from engine.geometry import AABB
from engine.render.camera import Camera
from engine.render.canvas import Canvas

RED, BLUE = (200, 0, 0), (0, 0, 200)
EXTREMES = [1e-300, 3.0, 1e5, 3e9, 1e30, 1e300, math.inf, math.nan]


@pytest.fixture
def canvas(surface):
    return Canvas(surface, Camera((0.0, 0.0), 10.0, (0, 0, 320, 200)))


def color_at(canvas, x, y):
    px, py = canvas.camera.to_screen((x, y))
    return tuple(canvas.surface.get_at((round(px), round(py))))[:3]


def test_polygon_is_filled_inside_and_nothing_outside(canvas):
    canvas.polygon([(-2, -2), (2, -2), (2, 2), (-2, 2)], RED, BLUE)
    assert color_at(canvas, 0, 0) == RED
    assert color_at(canvas, 4, 0) == (0, 0, 0)


def test_large_and_small_circles_are_filled(canvas):
    for radius in (1.0, 40.0):
        canvas.surface.fill(0)
        canvas.circle((0.0, 0.0), radius, RED, BLUE)
        assert color_at(canvas, 0.5 * min(radius, 5.0), 0.0) == RED


def test_a_huge_circle_has_the_correct_boundary(canvas):
    canvas.circle((0.0, -1e5), 1e5, RED)
    assert color_at(canvas, 0.0, -0.3) == RED
    assert color_at(canvas, 0.0, 0.3) == (0, 0, 0)


def test_alpha_shows_the_background(canvas):
    canvas.polygon([(-2, -2), (2, -2), (2, 2), (-2, 2)], RED, alpha=0.5)
    assert 90 <= color_at(canvas, 0, 0)[0] <= 110


def test_points_are_drawn_at_their_positions(canvas):
    canvas.points(np.array([(3.0, 1.0), (-3.0, -1.0)]), RED, 4.0)
    assert color_at(canvas, 3, 1) == RED and color_at(canvas, -3, -1) == RED and color_at(canvas, 0, 0) == (0, 0, 0)


def test_a_ring_is_hollow(canvas):
    canvas.point((0.0, 0.0), RED, 8.0, ring=True)
    assert color_at(canvas, 0, 0) == (0, 0, 0)
    assert color_at(canvas, 0.8, 0.0)[0] > 60


def test_many_polygons_equal_single_ones(canvas):
    triangles = [np.array([(x, 0.0), (x + 2.0, 0.0), (x, 2.0)]) for x in (-10.0, -5.0, 0.0, 5.0, 1000.0)]
    starts = list(range(0, 3 * len(triangles) + 1, 3))
    canvas.polygons(np.concatenate(triangles), np.asarray(starts), canvas.mapped([RED] * 5), canvas.mapped([BLUE] * 5))
    bulk = pygame.surfarray.array3d(canvas.surface)
    canvas.surface.fill(0)
    for triangle in triangles:
        canvas.polygon(triangle, RED, BLUE)
    assert np.array_equal(bulk, pygame.surfarray.array3d(canvas.surface))


def test_a_crowd_is_drawn_correctly(canvas):
    triangle = np.array([(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)])
    canvas.polygons(np.tile(triangle, (500, 1)), np.arange(0, 1501, 3), canvas.mapped([RED] * 500), canvas.mapped([BLUE] * 500))
    assert color_at(canvas, 0.5, 0.5) == RED


@pytest.mark.parametrize("box", [(10, 10, 60, 40), (-1e7, 10, 1e7, 40), (30, 30, 30, 30), (1e6, 1e6, 2e6, 2e6)])
def test_boxes_of_any_size(box):
    canvas = Canvas(pygame.Surface((100, 80)), Camera((50.0, 40.0), 1.0, (0, 0, 100, 80)))
    canvas.boxes(np.array([box]), RED)
    row = {canvas.surface.get_at((x, 70))[:3] for x in range(100)}
    assert (RED in row) == (box[1] == 10), "a side in sight is drawn, one out of sight is not"
    if box[:2] == (10, 10):
        assert row == {RED, (0, 0, 0)}


@pytest.mark.parametrize("scale", [1e-2, 40.0, 5e4])
@pytest.mark.parametrize("value", EXTREMES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_coordinate_raises(surface, scale, value, sign):
    canvas = Canvas(surface, Camera((0.0, 0.0), scale, (0, 0, 320, 200)))
    v = sign * value
    with np.errstate(all="ignore"):
        canvas.polygon([(v, 0.0), (1.0, 1.0), (0.0, v)], RED, BLUE)
        canvas.polygon([(v, v), (-v, v), (-v, -v), (v, -v)], RED, BLUE, alpha=0.5)
        canvas.polygons(np.array([(v, 0.0), (1.0, 1.0), (0.0, v)]), np.array([0, 3]), canvas.mapped([RED]), canvas.mapped([BLUE]))
        canvas.circle((v, 0.0), 1.0, RED, BLUE, angle=v)
        canvas.circle((0.0, 0.0), abs(v), RED, BLUE, angle=1.0)
        canvas.circle((v, v), abs(v), None, BLUE)
        canvas.segment((0.0, 0.0), (v, v), RED, 2.0)
        canvas.dashed((-v, 0.0), (v, 1.0), RED)
        canvas.arrow((0.0, 0.0), (v, 0.0), 20.0, RED)
        canvas.arrow((v, v), (1.0, 0.0), 20.0, RED)
        canvas.point((v, 0.0), RED)
        canvas.points(np.array([(v, 0.0), (0.0, -v)]), RED, ring=True)
        canvas.segments(np.array([(0.0, 0.0)]), np.array([(v, v)]), RED)
        canvas.boxes(np.array([(-abs(v), 0.0, abs(v), 1.0)]), RED)
        canvas.aabb(AABB((-1.0, 0.0), (1.0, 1.0)), RED)
        canvas.text((v, 0.0), "far", RED)
        canvas.image(pygame.Surface((8, 8), pygame.SRCALPHA), (v, 0.0), v, 1.0)
        canvas.image(pygame.Surface((8, 8), pygame.SRCALPHA), (0.0, 0.0), 0.0, abs(v))


def test_text_returns_its_place_and_grows_with_the_ui_scale(surface):
    from engine.render.fonts import FontBook

    small = Canvas(surface, Camera(), FontBook(1.0)).text_px((0, 0), "Box2D", RED, 14.0)
    large = Canvas(surface, Camera(), FontBook(2.0)).text_px((0, 0), "Box2D", RED, 14.0)
    assert large.height > 1.8 * small.height


def test_an_offset_canvas_draws_beside(canvas):
    canvas.at((5.0, 0.0)).point((0.0, 0.0), RED, 4.0)
    assert color_at(canvas, 5.0, 0.0) == RED


def test_nothing_is_drawn_outside_a_clip():
    surface = pygame.Surface((200, 100))
    canvas = Canvas(surface, Camera(center=(0.0, 0.0), scale=10.0, view=(0, 0, 200, 100)))
    with canvas.clipped(AABB((-2.0, -1.0), (2.0, 1.0))):
        canvas.polygon([(-50.0, -50.0), (50.0, -50.0), (50.0, 50.0), (-50.0, 50.0)], (255, 255, 255))
        with canvas.clipped(AABB((-1e30, -1e30), (1e30, 1e30))):
            canvas.circle((8.0, 0.0), 1.0, (255, 255, 255))
    lit = pygame.surfarray.array3d(surface).any(axis=2)
    assert lit[80:120, 40:60].all() and lit.sum() == 40 * 20, "and a wider clip inside it widens nothing"
    with canvas.clipped(None):
        canvas.circle((8.0, 0.0), 1.0, (255, 255, 255))
    assert pygame.surfarray.array3d(surface)[180, 50].any()
