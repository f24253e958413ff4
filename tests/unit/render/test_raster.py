"""Polygons and dots drawn by our kernels: their position and coverage; dots match pygame's."""

import sys
from types import ModuleType

import numpy as np
import pygame
import pytest

from engine.render.camera import Camera
from engine.render.canvas import Canvas, Dots
from engine.render.raster import NO_COLOR, Raster, load_raster

WHITE, RED, BLUE = (255, 255, 255), (200, 0, 0), (0, 0, 200)
VIEW = (0, 0, 60, 40)


@pytest.fixture(scope="module")
def raster():
    pygame.font.init()
    return Raster()


@pytest.fixture
def small():
    return pygame.Surface(VIEW[2:], 0, 32)


def draw(
    raster,
    surface,
    corners,
    fill,
    outline=None,
    most_soft=10,
):
    """Draw one polygon with an outline of two pixels."""
    fills, outlines = (np.array([NO_COLOR if color is None else surface.map_rgb(color)]) for color in (fill, outline))
    raster.polygons(surface, corners, np.array([0, len(corners)]), fills, outlines, 2.0, 2.0, most_soft)


def shares(surface):
    """Return the white share of each pixel."""
    green = pygame.surfarray.array3d(surface)[:, :, 1] / 255.0
    return green


def ring(n, radius, middle=(30.3, 20.6), turn=0.2):
    angles = turn + 2.0 * np.pi * np.arange(n) / n
    return np.array(middle) + radius * np.column_stack((np.cos(angles), np.sin(angles)))


@pytest.mark.parametrize("n", [3, 4, 7])
@pytest.mark.parametrize("way", [1, -1])
def test_soft_edges_cover_the_area_of_the_polygon(raster, small, n, way):
    draw(raster, small, ring(n, 14.0)[::way], WHITE)
    area = 0.5 * n * 14.0**2 * np.sin(2.0 * np.pi / n)
    assert shares(small).sum() == pytest.approx(area, rel=0.02)  # a corner's mitre is rounded off by a fraction of a pixel


def test_an_upright_box_covers_its_pixels_and_half_of_its_border_pixels(raster, small):
    draw(raster, small, np.array([(10.0, 5.0), (20.5, 5.0), (20.5, 9.0), (10.0, 9.0)]), WHITE)
    share = shares(small)
    assert (share[10:20, 5:9] == 1.0).all() and np.allclose(share[20, 5:9], 0.5, atol=0.01)
    assert share.sum() == pytest.approx(4 * 10.5, rel=0.01)


def test_the_outline_lies_inside(raster, small):
    draw(raster, small, np.array([(10.0, 5.0), (30.0, 5.0), (30.0, 25.0), (10.0, 25.0)]), RED, BLUE)
    row = [tuple(small.get_at((x, 15)))[:3] for x in range(8, 32)]
    assert row == [(0, 0, 0)] * 2 + [BLUE] * 2 + [RED] * 16 + [BLUE] * 2 + [(0, 0, 0)] * 2
    small.fill(0)
    draw(raster, small, np.array([(10.0, 5.0), (30.0, 5.0), (30.0, 25.0), (10.0, 25.0)]), None, BLUE)
    assert tuple(small.get_at((20, 15)))[:3] == (0, 0, 0) and tuple(small.get_at((10, 15)))[:3] == BLUE


def test_edges_are_not_antialiased_in_a_crowd(raster, small):
    draw(raster, small, ring(5, 14.0), RED, BLUE, most_soft=0)
    colors = {tuple(color) for color in pygame.surfarray.array3d(small).reshape(-1, 3).tolist()}
    assert colors == {(0, 0, 0), RED, BLUE}


@pytest.mark.parametrize("most_soft", [0, 10])
@pytest.mark.parametrize("end", [(50.0, 20.0), (50.0, 31.0), (12.0, 38.0)])
def test_a_shape_without_area_is_a_line_without_gaps(raster, small, end, most_soft):
    start = (10.0, 20.0)
    draw(raster, small, np.array([start, end, start]), WHITE, most_soft=most_soft)
    length = float(np.hypot(end[0] - start[0], end[1] - start[1]))
    covered = shares(small)
    assert covered.sum() == pytest.approx(2.0 * length, rel=0.1)  # two pixels wide
    for share in np.linspace(0.05, 0.95, 30):
        x, y = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
        assert covered[int(x), int(y)] > 0.5


def plain(corners, rim, half):
    """Return the share of each pixel of `VIEW` in a polygon, and in its interior without the outline; `half` is 0 for hard edges."""
    x, y = np.meshgrid(np.arange(VIEW[2]) + 0.5, np.arange(VIEW[3]) + 0.5, indexing="ij")
    ahead = np.roll(corners, -1, axis=0)
    away = np.full(x.shape, -np.inf)
    for (ax, ay), (bx, by) in zip(corners, ahead, strict=True):
        side = np.copysign(1.0, twice_area(corners)) / np.hypot(bx - ax, by - ay)
        away = np.maximum(away, side * ((by - ay) * (x - ax) - (bx - ax) * (y - ay)))
    (low_x, low_y), (high_x, high_y) = corners.min(axis=0) - 1.5, corners.max(axis=0) + 1.5  # half an outline of `draw`, half a pixel
    in_box = (x >= low_x) & (x <= high_x) & (y > np.floor(low_y)) & (y < np.ceil(high_y))
    if half == 0.0:
        return 1.0 * ((away <= 0.0) & in_box), 1.0 * (away <= -rim)
    return np.clip(0.5 - away, 0.0, 1.0) * in_box, np.clip(0.5 - away - rim, 0.0, 1.0) if rim else np.ones(x.shape)


def twice_area(corners):
    ahead = np.roll(corners, -1, axis=0)
    return float((corners[:, 0] * ahead[:, 1] - ahead[:, 0] * corners[:, 1]).sum())


def shape_anywhere(dice):
    """A convex polygon inside the view, across its border, far outside, or far larger; often with edges horizontal within rounding."""
    middle = np.array([30.0, 20.0]) + dice.normal(size=2) * 10.0 ** dice.uniform(0.0, 3.0)
    corners = ring(int(dice.integers(3, 9)), 10.0 ** dice.uniform(0.3, 5.5), (float(middle[0]), float(middle[1])), dice.uniform(0.0, 7.0))
    if dice.random() < 0.5:
        (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
        corners[:, 1] += dice.normal(size=4) * 10.0 ** dice.uniform(-20.0, 0.0)
        corners[:2, 1] -= dice.choice((0.0, top))  # at 0 the smallest differences are held
        corners[:2, 1] += dice.normal(size=2) * 10.0 ** dice.uniform(-40.0, -10.0)
    return corners[:: int(dice.choice((1, -1)))]


def test_every_pixel_follows_the_distance_from_its_center(raster, small):
    """An edge horizontal within 1e-18 of its length once crashed the program, because the end of a row overflowed an integer."""
    dice = np.random.default_rng(5)
    n_drawn = 0
    for _ in range(400):
        corners, rim = shape_anywhere(dice), float(dice.choice((0.0, 2.0)))
        if not raster.can_paint(small, corners) or abs(twice_area(corners)) < 4.0 * np.ptp(corners, axis=0).max():
            continue  # too far away, or so thin that it is a line
        for most_soft, half in ((10, 0.5), (0, 0.0)):
            small.fill(0)
            draw(raster, small, corners, RED, BLUE if rim else None, most_soft)
            outer, inner = plain(corners, rim, half)
            expected = np.stack((200.0 * outer * inner, 0.0 * outer, 200.0 * outer * (1.0 - inner)), axis=2)
            off = np.abs(pygame.surfarray.array3d(small) - expected).max(axis=2) > 3.0  # of 255: shares in 256ths, mixed twice
            for shift in (-1e-6, 1e-6):  # on the border of two hard parts a rounding decides
                moved = plain(corners + shift, rim, half) if half == 0.0 else (outer, inner)
                off &= (moved[0] == outer) & (moved[1] == inner)
            assert not off.any(), (corners.tolist(), rim, most_soft, np.argwhere(off)[:3].tolist())
            n_drawn += bool(outer.any())
    assert n_drawn > 200


def test_no_pixel_outside_the_clip_is_drawn(raster, small):
    small.set_clip((20, 10, 10, 10))
    draw(raster, small, ring(6, 500.0), WHITE, RED)
    share = shares(small)
    assert share.sum() == 100.0 and (share[20:30, 10:20] == 1.0).all()


def test_a_subsurface_is_drawn_on_like_a_surface(raster, small):
    large = pygame.Surface((97, 80), 0, 32)
    part = large.subsurface((31, 17, *VIEW[2:]))
    for surface in (small, part):
        draw(raster, surface, ring(5, 30.0), RED, BLUE)
    assert np.array_equal(pygame.surfarray.array3d(small), pygame.surfarray.array3d(part))
    large.fill(0, (31, 17, *VIEW[2:]))
    assert not pygame.surfarray.array3d(large).any()


def test_unsupported_surfaces_are_left_to_pygame(raster, small):
    near = np.zeros((3, 2))
    assert raster.can_paint(small, near)
    assert not raster.can_paint(pygame.Surface((8, 8), pygame.SRCALPHA), near)
    assert not raster.can_paint(small, np.array([(0.0, np.nan)])) and not raster.can_paint(small, np.array([(0.0, 1e9)]))


def test_dots_match_pygame(raster):
    rng = np.random.default_rng(3)
    groups = [
        Dots(rng.uniform(-4.0, 4.0, (40, 2)), WHITE, 2.25),
        Dots(rng.uniform(-4.0, 4.0, (20, 2)), RED, 4.0, 0.6, True),
        Dots(np.array([(np.nan, 0.0), (1e9, 0.0), (0.0, 2.0)]), BLUE, 3.0),
    ]
    pictures = []
    for chosen in (None, raster):
        surface = pygame.Surface(VIEW[2:], 0, 32)
        surface.fill((13, 17, 23))
        Canvas(surface, Camera((0.0, 0.0), 8.0, VIEW), raster=chosen).dots(groups)
        pictures.append(pygame.surfarray.array3d(surface).astype(np.int64))
    assert np.abs(pictures[0] - pictures[1]).max() <= 2  # a place for each of two shares that are rounded otherwise, in 255ths and 256ths
    assert pictures[1].max() == 255


def test_polygons_and_lines_of_a_canvas_match_pygame(raster):
    corners = np.array([(-3.0, -2.0), (2.0, -1.0), (1.0, 2.0), (-1.5, 0.5), (3.0, 1.0), (2.0, 2.2)])
    pictures = []
    for chosen in (None, raster):
        surface = pygame.Surface(VIEW[2:], 0, 32)
        canvas = Canvas(surface, Camera((0.0, 0.0), 8.0, VIEW), raster=chosen)
        canvas.polygons(corners, np.array([0, 3, 6]), canvas.mapped([RED, None]), canvas.mapped([WHITE, BLUE]))
        canvas.segments(np.array([(-3.0, 2.0)]), np.array([(3.0, -2.0)]), WHITE, 2.0)
        canvas.arrow((-2.0, 1.0), (0.0, 1.0), 10.0, BLUE)
        canvas.circles(np.array([(3.5, -2.0)]), np.array([0.3]), np.array([1.0]), np.array([0]), [(None, BLUE)])
        canvas.points(np.array([(-3.5, -2.0)]), WHITE)
        pictures.append(pygame.surfarray.array3d(surface).astype(np.int64))
    differs = np.abs(pictures[0] - pictures[1]).max(axis=2) > 60
    windows = np.lib.stride_tricks.sliding_window_view(differs, (4, 4))
    assert not windows.all(axis=(2, 3)).any()  # only along edges: outlines are a pixel wide, and half a pixel farther out or in
    assert pictures[1].any()
    compiled = (getattr(kernel, "signatures", [0]) for kernel in (raster._paint_polygons, raster._paint_dots))
    assert all(len(signatures) == 1 for signatures in compiled)  # whatever is drawn, nothing is compiled in the middle of a frame


def test_without_compiled_kernels_there_is_no_raster(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert load_raster() is None


def test_pygame_loads_its_array_module_before_any_thread_uses_it():
    """`import pygame.surfarray` is deferred to the first use, which two threads may reach at once."""
    assert type(sys.modules["pygame.surfarray"]) is ModuleType
