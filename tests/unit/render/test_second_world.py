"""The second world's outlines at its bodies' positions, and the line to the body farthest from its counterpart."""

import math

import numpy as np
import pygame
import pytest

from engine.render import palette
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.packing import PackedShapes
from engine.render.second_world import draw_apart, draw_second_world

METER = 30.0


def canvas_on(surface):
    surface.fill(palette.BACKGROUND)
    return Canvas(surface, Camera((1.0, 0.5), METER, (0, 0, *surface.get_size())))


def colored(surface, color):
    """Return the pixels (n, 2) of about this color, as on an antialiased line."""
    return np.argwhere((np.abs(pygame.surfarray.array3d(surface) - np.array(color)) < 80).all(axis=2))


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_movable_bodies_are_outlined_and_not_filled(surface, scene, theme):
    palette.use_theme(theme)
    try:
        packed, poses = PackedShapes(scene.world), scene.world.poses.copy()
        canvas = canvas_on(surface)
        draw_second_world(canvas, packed, poses)
        pixels = colored(surface, palette.BESIDE)
        assert len(pixels) > 40
        world = np.array([canvas.camera.to_world((x + 0.5, y + 0.5)) for x, y in pixels])
        box, disc = packed.world_vertices(poses)[4:8], packed.world_centers(poses)[0]
        is_box = np.abs(world - box.mean(axis=0)).max(axis=1) < 0.9
        assert is_box.any() and np.hypot(*(world[is_box] - box.mean(axis=0)).T).min() > 0.4, "nothing inside the box"
        near_static = np.hypot(*(world - np.array((0.0, -1.0))).T) < 0.4
        assert not near_static.any(), "what stands still is the first world's"
        assert (np.hypot(*(world[~is_box] - disc).T) < packed.radii[0] + 1.5).all()
    finally:
        palette.use_theme("dark")


def test_counterparts_are_joined_where_they_can_be_distinguished(surface):
    canvas = canvas_on(surface)
    assert not draw_apart(canvas, (0.0, 0.0), (0.05, 0.0), 0.05) and len(colored(surface, palette.BESIDE)) == 0
    assert draw_apart(canvas, (0.0, 0.0), (2.0, 0.0), 2.0)
    x, y = canvas.camera.to_screen((1.0, 0.0))
    assert (np.abs(colored(surface, palette.BESIDE) - np.array((x, y))).max(axis=1) <= 1).any(), "the line goes through the middle"
    assert not draw_apart(canvas, (0.0, 0.0), (math.nan, 0.0), 1.0)
