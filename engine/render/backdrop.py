"""The ground of the picture: a metre grid that adapts to the zoom, and a bar that says how long a length is."""

from __future__ import annotations

import math

import pygame

from engine.render import palette
from engine.render.canvas import Canvas

__all__ = ["draw_backdrop", "draw_scale_bar", "round_length"]

_CLOSEST_LINES = 36.0
"""Design pixels between two grid lines at the least."""
_MOST_UP = 4
"""Its own heights that the scale bar may stand over a corner."""
_PLATE = 120
"""Of 255: how opaque the plate under the scale bar is."""


def round_length(at_least: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is not below `at_least` metres.

    Examples
    --------
    >>> round_length(0.3), round_length(12.0)
    (0.5, 20.0)
    """
    power = 10.0 ** math.floor(math.log10(at_least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= at_least * (1.0 - 1e-9))


def draw_backdrop(canvas: Canvas) -> None:
    """Fill the view and draw the grid."""
    left, top, width, height = canvas.camera.view
    canvas.surface.fill(palette.BACKGROUND, canvas.camera.view)
    pitch = round_length(_CLOSEST_LINES * canvas.ui_scale / canvas.camera.scale)
    box = canvas.camera.visible
    if max(abs(value) for value in (*box.lower, *box.upper)) / pitch > 1e9:  # so far out that neighbours round to one number
        return
    for k in range(math.ceil(box.lower[0] / pitch), math.floor(box.upper[0] / pitch) + 1):
        x = round(canvas.camera.to_screen((k * pitch, 0.0))[0])
        pygame.draw.line(canvas.surface, palette.GRID_AXIS if k == 0 else palette.GRID, (x, top), (x, top + height - 1))
    for k in range(math.ceil(box.lower[1] / pitch), math.floor(box.upper[1] / pitch) + 1):
        y = round(canvas.camera.to_screen((0.0, k * pitch))[1])
        pygame.draw.line(canvas.surface, palette.GRID_AXIS if k == 0 else palette.GRID, (left, y), (left + width - 1, y))


def draw_scale_bar(canvas: Canvas, was_left: bool = False) -> pygame.Rect:
    """Draw a bar of a round length with its name, in a lower corner, on a plate of its own; return the plate's place.

    In the right one, or where it `was_left` in the left one; in the other where words lie there and none here, and over them where they
    lie in both. It is left out, and the place empty, where there is no room for that.
    """
    left, top, width, height = canvas.camera.view
    ui = canvas.ui_scale
    wished = max(min(60.0 * ui, 0.4 * (width - 40.0 * ui)), 4.0)  # the round length is up to 2.5 times as long
    length = round_length(wished / canvas.camera.scale)
    pixels = length * canvas.camera.scale
    ends, bottom = (left + width - 16.0 * ui, left + 16.0 * ui + pixels), top + height - 14.0 * ui
    thick = max(1, round(ui))
    name = f"{length:g} m" if length >= 1.0 else f"{100.0 * length:g} cm" if length >= 0.01 else f"{1000.0 * length:g} mm"
    wide = max(pixels, canvas.fonts.width(name, 11.0)) + 16.0 * ui
    plate = canvas.fonts.plate((round(wide), round(28.0 * ui)), palette.BACKGROUND, _PLATE, round(5.0 * ui))
    corners = [plate.get_rect(midbottom=(round(end - 0.5 * pixels), round(bottom + 6.0 * ui))) for end in ends]
    offered = [(side, up) for up in range(_MOST_UP) for side in (was_left, not was_left)]
    found = next((one for one in offered if not canvas.room.has_words(corners[one[0]].move(0, -one[1] * plate.get_height()))), None)
    rise = found[1] * plate.get_height() if found is not None else height
    if found is None or corners[found[0]].top - rise < top:
        return pygame.Rect(round(ends[was_left]), round(bottom), 0, 0)
    right, bottom, place = ends[found[0]], bottom - rise, corners[found[0]].move(0, -rise)
    canvas.surface.blit(plate, place)
    pygame.draw.line(canvas.surface, palette.CAPTION, (right - pixels, bottom), (right, bottom), thick)
    for x in (right - pixels, right):
        pygame.draw.line(canvas.surface, palette.CAPTION, (x, bottom - 4 * ui), (x, bottom), thick)
    canvas.text_px((right - 0.5 * pixels, bottom - 4.0 * ui), name, palette.CAPTION, 11.0, "bottom")
    return place
