"""Dashed upright rectangles, drawn from two kept strips: four blits each, however many dashes they have."""

from __future__ import annotations

from functools import cache

import pygame

from engine.render.palette import Color

__all__ = ["draw_dashed_box"]

_LENGTH = 4096


def draw_dashed_box(surface: pygame.Surface, place: tuple[float, float, float, float], color: Color, dash: int, thick: int) -> None:
    """Draw the outline of (left, top, right, bottom), pixels; `dash` is the length of a dash and of the space after it."""
    clip = surface.get_clip()
    left, top = max(round(place[0]), clip.left - 2 * dash), max(round(place[1]), clip.top - 2 * dash)
    right, bottom = min(round(place[2]), clip.right + dash), min(round(place[3]), clip.bottom + dash)
    if right < left or bottom < top:
        return
    across, down = _strip(color, dash, thick, True), _strip(color, dash, thick, False)
    width, height = min(right - left, _LENGTH), min(bottom - top, _LENGTH)
    for x, wanted in ((left, place[0]), (right, place[2])):
        if abs(x - wanted) <= 1.0:  # a side beyond the view was moved to its edge, and is not drawn
            surface.blit(down, (x, top), (0, 0, thick, height))
    for y, wanted in ((top, place[1]), (bottom, place[3])):
        if abs(y - wanted) <= 1.0:
            surface.blit(across, (left, y), (0, 0, width, thick))


@cache
def _strip(color: Color, dash: int, thick: int, is_level: bool) -> pygame.Surface:
    strip = pygame.Surface((_LENGTH, thick) if is_level else (thick, _LENGTH))
    hole = (0, 0, 0) if color != (0, 0, 0) else (1, 1, 1)
    strip.fill(hole)
    strip.set_colorkey(hole)
    for start in range(0, _LENGTH, 2 * dash):
        strip.fill(color, (start, 0, dash, thick) if is_level else (0, start, thick, dash))
    return strip
