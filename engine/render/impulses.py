"""Contact impulses as arrows: what A gives B at each contact point over the step, friction included.

An arrow is as long as its impulse is large, `LONGEST` pixels for the present scale, which goes in steps of 1, 2, 5 and is told beside a
sample: it grows at once when an impulse is larger, and shrinks only when all have become so small that half of it is never used.
"""

from __future__ import annotations

import math

import numpy as np
import pygame

from engine.contracts.contact import StepContacts
from engine.render import palette
from engine.render.canvas import Canvas

__all__ = ["ImpulseScale", "draw_impulse_scale", "draw_impulses", "nice_above"]

LONGEST = 64.0
"""Design pixels of an arrow that is as large as the scale."""
_LEAST = 1.5
"""Design pixels under which an arrow is left out."""
_HEAD = 5.0
_SHRINK = 0.2
"""Share of the scale that the largest impulse must stay below before a smaller scale is taken."""
_MOST_ARROWS = 1_500
"""The largest are drawn; more would be a carpet."""
_CROWD = 300
_MOST_WORLDS = 64
_HEIGHT = 28.0
"""Design pixels of the scale with its sample."""
_PLATE = 215
"""Of 255: how opaque the plate under the scale is."""


def nice_above(value: float) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that is not less than a number above 0.

    Examples
    --------
    >>> nice_above(0.3), nice_above(2.0), nice_above(70.0)
    (0.5, 2.0, 100.0)
    """
    power = 10.0 ** math.floor(math.log10(value))
    return float(next(factor * power for factor in (1.0, 2.0, 5.0, 10.0, 20.0) if factor * power >= value * (1.0 - 1e-9)))


class ImpulseScale:
    """The impulse of the longest arrow, newton seconds, kept from frame to frame, the same for all worlds of a picture."""

    def __init__(self) -> None:
        self.value = 0.0
        self._largest: dict[int, float] = {}

    def fit(self, world: int, largest: float) -> float:
        """Return the scale, where the largest impulse of a world, told apart from others by a number, is given."""
        if len(self._largest) >= _MOST_WORLDS:
            self._largest.clear()
        self._largest[world] = largest
        largest = max(self._largest.values())
        if largest > 0.0 and math.isfinite(largest) and (largest > self.value or largest < _SHRINK * self.value):
            self.value = nice_above(largest)
        return self.value


def draw_impulses(canvas: Canvas, contacts: StepContacts, scale: ImpulseScale, world: int = 0) -> None:
    """Draw the impulse at every contact point of a world."""
    rows, at = np.nonzero(contacts.state >= 0)
    normals = contacts.normal[rows]
    along, across = contacts.normal_impulse[rows, at], contacts.tangent_impulse[rows, at]
    sizes = np.hypot(along, across)  # the tangent is, as Box2D has it, the cross product of the normal and 1
    full = scale.fit(world, float(sizes.max(initial=0.0)))
    if full <= 0.0:
        return
    ui = canvas.ui_scale
    lengths = LONGEST * ui * sizes / full
    shown = np.flatnonzero(lengths >= _LEAST * ui)
    if len(shown) > _MOST_ARROWS:
        shown = shown[np.argsort(-lengths[shown], kind="stable")[:_MOST_ARROWS]]
    starts = canvas.camera.to_screen_array(contacts.position[rows[shown], at[shown]])
    left, top, width, height = canvas.camera.view
    reach = LONGEST * ui  # an arrow is not longer: one that begins farther outside is not seen
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
    if len(shown) > _CROWD:  # a needle each, thick where it begins
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

    `bar` is the place of the scale bar: the arrow stands in the other corner, and where there is no room beside the bar above it.
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
    canvas.surface.blit(canvas.fonts.plate(place.size, palette.BACKGROUND, _PLATE, round(5.0 * ui)), place)
    x, y = place.left + 8.0 * ui, place.centery
    end = x + LONGEST * ui
    pygame.draw.line(canvas.surface, palette.IMPULSE, (x, y), (end - _HEAD * ui, y), max(1, round(1.5 * ui)))
    half = 0.5 * _HEAD * ui
    pygame.draw.polygon(canvas.surface, palette.IMPULSE, ((end, y), (end - _HEAD * ui, y - half), (end - _HEAD * ui, y + half)))
    canvas.text_px((end + 8.0 * ui, y), words, palette.TEXT, 12.0, "left")
    return place
