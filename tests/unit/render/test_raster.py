"""Polygons and dots by our kernels: where they lie, how much they cover, and that dots are those that pygame draws."""

from __future__ import annotations

import numpy as np
import pygame
import pytest

from engine.common.arrays import FloatArray
from engine.render.camera import Camera
from engine.render.canvas import Canvas, Dots
from engine.render.raster import NO_COLOR, Raster, load_raster

WHITE, RED, BLUE = (255, 255, 255), (200, 0, 0), (0, 0, 200)
VIEW = (0, 0, 60, 40)


@pytest.fixture(scope="module")
def raster() -> Raster:
    pygame.font.init()
    return Raster()


@pytest.fixture
def small() -> pygame.Surface:
    return pygame.Surface(VIEW[2:], 0, 32)


def draw(
    raster: Raster,
    surface: pygame.Surface,
    corners: FloatArray,
    fill: tuple[int, int, int] | None,
    outline: tuple[int, int, int] | None = None,
    most_soft: int = 10,
) -> None:
    """Draw one polygon with an outline of two pixels."""
    fills, outlines = (np.array([NO_COLOR if one is None else surface.map_rgb(one)]) for one in (fill, outline))
    raster.polygons(surface, corners, np.array([0, len(corners)]), fills, outlines, 2.0, 2.0, most_soft)


def shares(surface: pygame.Surface) -> FloatArray:
    """How much of each pixel is white."""
    found: FloatArray = pygame.surfarray.array3d(surface)[:, :, 1] / 255.0
    return found


def ring(n: int, radius: float, middle: tuple[float, float] = (30.3, 20.6), turn: float = 0.2) -> FloatArray:
    angles = turn + 2.0 * np.pi * np.arange(n) / n
    return np.array(middle) + radius * np.column_stack((np.cos(angles), np.sin(angles)))


@pytest.mark.parametrize("n", [3, 4, 7])
@pytest.mark.parametrize("way", [1, -1])
def test_soft_edges_cover_the_area_of_the_polygon(raster: Raster, small: pygame.Surface, n: int, way: int) -> None:
    draw(raster, small, ring(n, 14.0)[::way], WHITE)
    area = 0.5 * n * 14.0**2 * np.sin(2.0 * np.pi / n)
    assert shares(small).sum() == pytest.approx(area, rel=0.02)  # a corner's mitre is rounded off by a fraction of a pixel


def test_an_upright_box_covers_its_pixels_and_half_of_those_that_it_halves(raster: Raster, small: pygame.Surface) -> None:
    draw(raster, small, np.array([(10.0, 5.0), (20.5, 5.0), (20.5, 9.0), (10.0, 9.0)]), WHITE)
    found = shares(small)
    assert (found[10:20, 5:9] == 1.0).all() and np.allclose(found[20, 5:9], 0.5, atol=0.01)
    assert found.sum() == pytest.approx(4 * 10.5, rel=0.01)


def test_the_outline_lies_inside(raster: Raster, small: pygame.Surface) -> None:
    draw(raster, small, np.array([(10.0, 5.0), (30.0, 5.0), (30.0, 25.0), (10.0, 25.0)]), RED, BLUE)
    row = [tuple(small.get_at((x, 15)))[:3] for x in range(8, 32)]
    assert row == [(0, 0, 0)] * 2 + [BLUE] * 2 + [RED] * 16 + [BLUE] * 2 + [(0, 0, 0)] * 2
    small.fill(0)
    draw(raster, small, np.array([(10.0, 5.0), (30.0, 5.0), (30.0, 25.0), (10.0, 25.0)]), None, BLUE)
    assert tuple(small.get_at((20, 15)))[:3] == (0, 0, 0) and tuple(small.get_at((10, 15)))[:3] == BLUE


def test_in_a_crowd_edges_are_hard(raster: Raster, small: pygame.Surface) -> None:
    draw(raster, small, ring(5, 14.0), RED, BLUE, most_soft=0)
    colors = {tuple(one) for one in pygame.surfarray.array3d(small).reshape(-1, 3).tolist()}
    assert colors == {(0, 0, 0), RED, BLUE}


@pytest.mark.parametrize("most_soft", [0, 10])
@pytest.mark.parametrize("end", [(50.0, 20.0), (50.0, 31.0), (12.0, 38.0)])
def test_what_has_no_area_is_a_line_without_holes(raster: Raster, small: pygame.Surface, end: tuple[float, float], most_soft: int) -> None:
    start = (10.0, 20.0)
    draw(raster, small, np.array([start, end, start]), WHITE, most_soft=most_soft)
    length = float(np.hypot(end[0] - start[0], end[1] - start[1]))
    found = shares(small)
    assert found.sum() == pytest.approx(2.0 * length, rel=0.1)  # two pixels wide
    for share in np.linspace(0.05, 0.95, 30):
        x, y = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
        assert found[int(x), int(y)] > 0.5


def test_nothing_is_drawn_outside_of_the_clip(raster: Raster, small: pygame.Surface) -> None:
    small.set_clip((20, 10, 10, 10))
    draw(raster, small, ring(6, 500.0), WHITE, RED)
    found = shares(small)
    assert found.sum() == 100.0 and (found[20:30, 10:20] == 1.0).all()


def test_a_part_of_a_surface_is_drawn_on_like_a_surface(raster: Raster, small: pygame.Surface) -> None:
    large = pygame.Surface((97, 80), 0, 32)
    part = large.subsurface((31, 17, *VIEW[2:]))
    for surface in (small, part):
        draw(raster, surface, ring(5, 30.0), RED, BLUE)
    assert np.array_equal(pygame.surfarray.array3d(small), pygame.surfarray.array3d(part))
    large.fill(0, (31, 17, *VIEW[2:]))
    assert not pygame.surfarray.array3d(large).any()


def test_what_it_cannot_draw_on_is_left_to_pygame(raster: Raster, small: pygame.Surface) -> None:
    near = np.zeros((3, 2))
    assert raster.can_paint(small, near)
    assert not raster.can_paint(pygame.Surface((8, 8), pygame.SRCALPHA), near)
    assert not raster.can_paint(small, np.array([(0.0, np.nan)])) and not raster.can_paint(small, np.array([(0.0, 1e9)]))


def test_dots_are_those_that_pygame_draws(raster: Raster) -> None:
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


def test_polygons_and_lines_of_a_canvas_lie_where_pygame_draws_them(raster: Raster) -> None:
    corners = np.array([(-3.0, -2.0), (2.0, -1.0), (1.0, 2.0), (-1.5, 0.5), (3.0, 1.0), (2.0, 2.2)])
    pictures = []
    for chosen in (None, raster):
        surface = pygame.Surface(VIEW[2:], 0, 32)
        canvas = Canvas(surface, Camera((0.0, 0.0), 8.0, VIEW), raster=chosen)
        canvas.polygons(corners, [0, 3, 6], [RED, None], [WHITE, BLUE])
        canvas.segments(np.array([(-3.0, 2.0)]), np.array([(3.0, -2.0)]), WHITE, 2.0)
        canvas.arrow((-2.0, 1.0), (0.0, 1.0), 10.0, BLUE)
        canvas.circles(np.array([(3.5, -2.0)]), np.array([0.3]), np.array([1.0]), [None], [BLUE])
        canvas.points(np.array([(-3.5, -2.0)]), WHITE)
        pictures.append(pygame.surfarray.array3d(surface).astype(np.int64))
    differs = np.abs(pictures[0] - pictures[1]).max(axis=2) > 60
    windows = np.lib.stride_tricks.sliding_window_view(differs, (4, 4))
    assert not windows.all(axis=(2, 3)).any()  # only along edges: outlines are a pixel wide, and half a pixel farther out or in
    assert pictures[1].any()
    compiled = (getattr(kernel, "signatures", [0]) for kernel in (raster._paint_polygons, raster._paint_dots))
    assert all(len(signatures) == 1 for signatures in compiled)  # whatever is drawn, nothing is compiled in the middle of a frame


def test_without_compiled_kernels_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert load_raster() is None
