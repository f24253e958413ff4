"""Background of the picture: a meter grid that adapts to the zoom, and a scale bar; and arrows of impulses.

An arrow is the impulse that A applies to B at a contact point over the step, friction included. Its length is proportional to the impulse,
`LONGEST` pixels for the current scale, which changes in steps of 1, 2, 5 and is written beside a sample arrow. The scale grows immediately
if an impulse exceeds it, and shrinks only if all impulses are below half of it.
"""

from __future__ import annotations

import math

import numpy as np
import pygame

from engine.contracts.contact import StepContacts
from engine.render import palette
from engine.render.camera import Camera
from engine.render.canvas import Canvas

__all__ = ["ImpulseScale", "draw_backdrop", "draw_impulse_scale", "draw_impulses", "draw_scale_bar", "round_above", "scale_bar_length"]

_CLOSEST_LINES = 36.0
"""Minimum distance between two grid lines, design pixels."""
_MAX_UP = 4
"""Number of positions tried for the scale bar in a corner, one plate above the other."""
_PLATE = 120
"""Opacity of the plate under the scale bar, 0 to 255."""


def round_above(at_least: float) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that is not less than a number above 0.

    Examples
    --------
    >>> round_above(0.3), round_above(12.0)
    (0.5, 20.0)
    """
    power = 10.0 ** math.floor(math.log10(at_least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0, 20.0) if factor * power >= at_least * (1.0 - 1e-9))


def draw_backdrop(canvas: Canvas) -> None:
    """Fill the view and draw the grid."""
    left, top, width, height = canvas.camera.view
    canvas.surface.fill(palette.BACKGROUND, canvas.camera.view)
    pitch = round_above(_CLOSEST_LINES * canvas.ui_scale / canvas.camera.scale)
    box = canvas.camera.visible
    if max(abs(value) for value in (*box.lower, *box.upper)) / pitch > 1e9:  # there neighboring lines round to the same number
        return
    for k in range(math.ceil(box.lower[0] / pitch), math.floor(box.upper[0] / pitch) + 1):
        x = round(canvas.camera.to_screen((k * pitch, 0.0))[0])
        pygame.draw.line(canvas.surface, palette.GRID_AXIS if k == 0 else palette.GRID, (x, top), (x, top + height - 1))
    for k in range(math.ceil(box.lower[1] / pitch), math.floor(box.upper[1] / pitch) + 1):
        y = round(canvas.camera.to_screen((0.0, k * pitch))[1])
        pygame.draw.line(canvas.surface, palette.GRID_AXIS if k == 0 else palette.GRID, (left, y), (left + width - 1, y))


def scale_bar_length(camera: Camera, ui_scale: float) -> float:
    """Return the length of the scale bar that a camera's picture gets, meters."""
    wished = max(min(60.0 * ui_scale, 0.4 * (camera.view[2] - 40.0 * ui_scale)), 4.0)  # the round length is up to 2.5 times as long
    return round_above(wished / camera.scale)


def draw_scale_bar(canvas: Canvas, was_left: bool = False) -> pygame.Rect:
    """Draw a scale bar of a round length in a lower corner, on a plate of its own; return the plate's place.

    The right corner is preferred, or the left one if it `was_left`. If text covers only the preferred corner, the other one is used; if
    text covers both, the bar goes above it. Without room, the bar is omitted and the place is empty.
    """
    left, top, width, height = canvas.camera.view
    ui, length = canvas.ui_scale, scale_bar_length(canvas.camera, canvas.ui_scale)
    pixels = length * canvas.camera.scale
    ends, bottom = (left + width - 16.0 * ui, left + 16.0 * ui + pixels), top + height - 14.0 * ui
    thick = max(1, round(ui))
    name = f"{length:g} m" if length >= 1.0 else f"{100.0 * length:g} cm" if length >= 0.01 else f"{1000.0 * length:g} mm"
    wide = max(pixels, canvas.fonts.width(name, 11.0)) + 16.0 * ui
    plate = canvas.fonts.plate((round(wide), round(28.0 * ui)), palette.BACKGROUND, _PLATE, round(5.0 * ui))
    corners = [plate.get_rect(midbottom=(round(end - 0.5 * pixels), round(bottom + 6.0 * ui))) for end in ends]
    offered = [(side, up) for up in range(_MAX_UP) for side in (was_left, not was_left)]
    free = next((offer for offer in offered if not canvas.room.has_words(corners[offer[0]].move(0, -offer[1] * plate.get_height()))), None)
    rise = free[1] * plate.get_height() if free is not None else height
    if free is None or corners[free[0]].top - rise < top:
        return pygame.Rect(round(ends[was_left]), round(bottom), 0, 0)
    right, bottom, place = ends[free[0]], bottom - rise, corners[free[0]].move(0, -rise)
    canvas.surface.blit(plate, place)
    pygame.draw.line(canvas.surface, palette.CAPTION, (right - pixels, bottom), (right, bottom), thick)
    for x in (right - pixels, right):
        pygame.draw.line(canvas.surface, palette.CAPTION, (x, bottom - 4 * ui), (x, bottom), thick)
    canvas.text_px((right - 0.5 * pixels, bottom - 4.0 * ui), name, palette.CAPTION, 11.0, "bottom")
    return place


LONGEST = 64.0
"""Length of the arrow of an impulse as large as the scale, design pixels."""
_LEAST = 1.5
"""Minimum length of an arrow, design pixels; shorter ones are not drawn."""
_HEAD = 5.0
_SHRINK = 0.2
"""Share of the scale that the largest impulse must stay below before the scale is reduced."""
_MAX_ARROWS = 1_500
"""Maximum number of arrows drawn, largest first; more would be unreadable."""
_CROWD = 300
_HEIGHT = 28.0
"""Height of the scale with its sample arrow, design pixels."""
_OPAQUE_PLATE = 215
"""Opacity of the plate under the scale of arrows, 0 to 255."""


class ImpulseScale:
    """The impulse of the longest arrow, newton seconds, kept from frame to frame, the same for all worlds of a picture."""

    def __init__(self) -> None:
        self.value = 0.0
        self._largest: dict[int, float] = {}

    def fit(self, world: int, largest: float) -> float:
        """Record the largest impulse of a world, identified by a number, and return the scale."""
        self._largest[world] = largest
        largest = max(self._largest.values())
        if largest > 0.0 and math.isfinite(largest) and (largest > self.value or largest < _SHRINK * self.value):
            self.value = round_above(largest)
        return self.value

    def forget(self, world: int) -> None:
        """Remove a world that is no longer shown from the scale."""
        self._largest.pop(world, None)


def draw_impulses(canvas: Canvas, contacts: StepContacts, scale: ImpulseScale, world: int = 0) -> None:
    """Draw the impulse at every contact point of a world."""
    rows, at = np.nonzero(contacts.state >= 0)
    normals = contacts.normal[rows]
    along, across = contacts.normal_impulse[rows, at], contacts.tangent_impulse[rows, at]
    sizes = np.hypot(along, across)  # as in Box2D, the tangent is the cross product of the normal and 1
    full = scale.fit(world, float(sizes.max(initial=0.0)))
    if full <= 0.0:
        return
    ui = canvas.ui_scale
    lengths = LONGEST * ui * sizes / full
    shown = np.flatnonzero(lengths >= _LEAST * ui)
    if len(shown) > _MAX_ARROWS:
        shown = shown[np.argsort(-lengths[shown], kind="stable")[:_MAX_ARROWS]]
    starts = canvas.camera.to_screen_array(contacts.position[rows[shown], at[shown]])
    left, top, width, height = canvas.camera.view
    reach = LONGEST * ui  # no arrow is longer, so one that begins farther outside is invisible
    x, y = starts[:, 0], starts[:, 1]
    near = (x >= left - reach) & (x <= left + width + reach) & (y >= top - reach) & (y <= top + height + reach)  # false for NaN
    if not near.all():
        shown, starts = shown[near], starts[near]
    lengths, sizes, normals = lengths[shown, None], sizes[shown], normals[shown]
    cos, sin = along[shown] / sizes, across[shown] / sizes
    ways = np.column_stack((cos * normals[:, 0] + sin * normals[:, 1], sin * normals[:, 0] - cos * normals[:, 1]))  # y down
    sides = np.column_stack((-ways[:, 1], ways[:, 0]))
    ends = starts + ways * lengths
    surface, color, thick = canvas.surface, palette.IMPULSE, max(1, round(1.5 * ui))
    if len(shown) > _CROWD:  # each arrow is a needle, widest at its start
        sides *= 1.2 * ui
        canvas.figures_px(np.stack((starts + sides, starts - sides, ends), axis=1), color)
    else:
        heads = np.minimum(_HEAD * ui, 0.6 * lengths)
        necks = ends - ways * heads
        for neck, start in zip(necks.tolist(), starts.tolist(), strict=True):
            pygame.draw.line(surface, color, start, neck, thick)
        wings = sides * (0.5 * heads)
        canvas.figures_px(np.stack((ends, necks + wings, necks - wings), axis=1), color)


def draw_impulse_scale(canvas: Canvas, full: float, bar: pygame.Rect) -> pygame.Rect:
    """Draw an arrow of the scale's length with its value on a plate in a lower corner; return the plate's place.

    `bar` is the place of the scale bar: the arrow is drawn in the other corner, or above the bar if there is no room beside it.
    """
    ui = canvas.ui_scale
    left, _, width, _ = canvas.camera.view
    words = f"{full:g} N s"
    wide = LONGEST * ui + canvas.fonts.width(words, 12.0) + 24.0 * ui
    place = pygame.Rect(round(left + 8.0 * ui), 0, round(wide), round(_HEIGHT * ui))
    place.bottom = bar.bottom
    if bar.centerx < left + width // 2:
        place.right = round(left + width - 8.0 * ui)
    if place.colliderect(bar.inflate(round(12.0 * ui), 0)):
        place.bottom = bar.top - round(4.0 * ui)
    canvas.surface.blit(canvas.fonts.plate(place.size, palette.BACKGROUND, _OPAQUE_PLATE, round(5.0 * ui)), place)
    x, y = place.left + 8.0 * ui, place.centery
    end = x + LONGEST * ui
    pygame.draw.line(canvas.surface, palette.IMPULSE, (x, y), (end - _HEAD * ui, y), max(1, round(1.5 * ui)))
    half = 0.5 * _HEAD * ui
    pygame.draw.polygon(canvas.surface, palette.IMPULSE, ((end, y), (end - _HEAD * ui, y - half), (end - _HEAD * ui, y + half)))
    canvas.text_px((end + 8.0 * ui, y), words, palette.TEXT, 12.0, "left")
    return place
