"""The outline of the second world: dashes where its bodies are, and the line to the one that is farthest from its counterpart."""

import math
from typing import Any

import numpy as np
import pygame
import pytest

from engine.render import palette
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.packing import PackedShapes
from engine.render.second_world import dashed_edges, dashed_rings, draw_apart, draw_second_world

BOX = np.array((-10.0, -10.0, 10.0, 10.0))
METER = 30.0


def canvas_on(surface: pygame.Surface) -> Canvas:
    surface.fill(palette.BACKGROUND)
    return Canvas(surface, Camera((1.0, 0.5), METER, (0, 0, *surface.get_size())))


def colored(surface: pygame.Surface, color: tuple[int, int, int]) -> np.ndarray:
    """Where a color is, or nearly, as on a smoothed line: pixels (n, 2)."""
    return np.argwhere((np.abs(pygame.surfarray.array3d(surface) - np.array(color)) < 80).all(axis=2))


def one_edge(start: tuple[float, float], end: tuple[float, float], period: float) -> list[tuple[float, float]]:
    begins, ends = dashed_edges(np.array([start]), np.array([end]), period, BOX)
    return list(zip(begins[:, 0].tolist(), ends[:, 0].tolist(), strict=True))


def test_an_edge_begins_and_ends_with_half_a_dash() -> None:
    assert one_edge((0.0, 1.0), (4.0, 1.0), 2.0) == [(0.0, 0.5), (1.5, 2.5), (3.5, 4.0)]
    assert one_edge((0.0, 1.0), (0.1, 1.0), 2.0) == [(0.0, 0.025), (pytest.approx(0.075), 0.1)], "shorter than a dash"
    assert one_edge((3.0, 3.0), (3.0, 3.0), 2.0) == [], "an edge without length"


def test_of_a_long_edge_only_what_is_seen_is_dashed_and_the_dashes_stand_still() -> None:
    long = one_edge((-1e6, 0.0), (1e6, 0.0), 2.0)
    assert len(long) == 11 and min(long)[0] == pytest.approx(-10.5) and max(long)[1] == pytest.approx(10.5)
    begins, _ = dashed_edges(np.array([(-1e6, 0.0)]), np.array([(1e6, 0.0)]), 2.0, BOX + np.array((0.7, 0.0, 0.7, 0.0)))
    shared = {round(x, 6) for x in begins[:, 0].tolist()} & {round(begin, 6) for begin, _ in long}
    assert len(shared) >= 10, "the view moves, the dashes do not"
    assert one_edge((11.0, -50.0), (11.0, 50.0), 2.0) == [] and one_edge((-50.0, 11.0), (50.0, 11.0), 2.0) == []


def test_the_dashes_of_a_circle_turn_with_it() -> None:
    center, radius = np.array([(1.0, 2.0)]), np.array([2.0])
    for angle in (0.0, 0.3):
        begins, ends = dashed_rings(center, radius, np.array([angle]), math.pi, BOX)
        assert len(begins) == 4
        assert np.hypot(*(begins - center).T) == pytest.approx(2.0) and np.hypot(*(ends - center).T) == pytest.approx(2.0)
        middle = 0.5 * (begins[0] + ends[0]) - center[0]
        assert math.atan2(middle[1], middle[0]) == pytest.approx(angle)
    assert len(dashed_rings(center + 20.0, radius, np.zeros(1), math.pi, BOX)[0]) == 0


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_bodies_that_can_move_are_outlined_and_not_filled(surface: pygame.Surface, scene: Any, theme: str) -> None:
    palette.use_theme(theme)
    try:
        packed, poses = PackedShapes(scene.world), scene.world.poses.copy()
        canvas = canvas_on(surface)
        draw_second_world(canvas, packed, poses)
        found = colored(surface, palette.BESIDES[0])
        assert len(found) > 40
        world = np.array([canvas.camera.to_world((x + 0.5, y + 0.5)) for x, y in found])
        box, disc = packed.world_vertices(poses)[4:8], packed.world_centers(poses)[0]
        is_box = np.abs(world - box.mean(axis=0)).max(axis=1) < 0.9
        assert is_box.any() and np.hypot(*(world[is_box] - box.mean(axis=0)).T).min() > 0.4, "nothing inside the box"
        near_static = np.hypot(*(world - np.array((0.0, -1.0))).T) < 0.4
        assert not near_static.any(), "what stands still is the first world's"
        assert (np.hypot(*(world[~is_box] - disc).T) < packed.radii[0] + 1.5).all()
    finally:
        palette.use_theme("dark")


def test_counterparts_are_joined_where_they_can_be_told_apart(surface: pygame.Surface) -> None:
    canvas = canvas_on(surface)
    assert not draw_apart(canvas, (0.0, 0.0), (0.05, 0.0), 0.05) and len(colored(surface, palette.BESIDES[0])) == 0
    assert draw_apart(canvas, (0.0, 0.0), (2.0, 0.0), 2.0)
    x, y = canvas.camera.to_screen((1.0, 0.0))
    assert (np.abs(colored(surface, palette.BESIDES[0]) - np.array((x, y))).max(axis=1) <= 1).any(), "the line goes through the middle"
    assert not draw_apart(canvas, (0.0, 0.0), (math.nan, 0.0), 1.0)
