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

__all__ = ["ImpulseScale", "draw_impulses", "nice_above"]

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
    """Draw the impulse at every contact point of a world, and the scale at the foot of the view."""
    exists = contacts.state >= 0
    rows = np.nonzero(exists)[0]
    normals = contacts.normal[rows]
    tangents = np.column_stack((normals[:, 1], -normals[:, 0]))  # as Box2D has them: the cross product of the normal and 1
    vectors = contacts.normal_impulse[exists][:, None] * normals + contacts.tangent_impulse[exists][:, None] * tangents
    sizes = np.hypot(vectors[:, 0], vectors[:, 1])
    full = scale.fit(world, float(sizes.max(initial=0.0)))
    if full <= 0.0:
        return
    ui = canvas.ui_scale
    lengths = LONGEST * ui * sizes / full
    shown = np.flatnonzero(lengths >= _LEAST * ui)
    if len(shown) > _MOST_ARROWS:
        shown = shown[np.argsort(-lengths[shown], kind="stable")[:_MOST_ARROWS]]
    starts = canvas.camera.to_screen_array(contacts.position[exists][shown])
    ways = vectors[shown] / sizes[shown, None] * np.array((1.0, -1.0))
    ends = starts + ways * lengths[shown, None]
    heads = np.minimum(_HEAD * ui, 0.6 * lengths[shown])
    necks = ends - ways * heads[:, None]
    wings = np.column_stack((-ways[:, 1], ways[:, 0])) * (0.5 * heads)[:, None]
    left, top, width, height = canvas.camera.view
    reach = LONGEST * ui  # an arrow is not longer: one that begins farther outside is not seen
    low, high = np.array((left - reach, top - reach)), np.array((left + width + reach, top + height + reach))
    near = ((starts >= low) & (starts <= high)).all(axis=1)  # false for NaN
    surface, color, thick = canvas.surface, palette.IMPULSE, max(1, round(1.5 * ui))
    if near.sum() > _CROWD:  # a needle each, thick where it begins: shaft and head cost three times as much
        sides = np.column_stack((-ways[:, 1], ways[:, 0])) * (1.2 * ui)
        needles = np.stack((starts + sides, starts - sides, ends), axis=1)[near]
        for needle in needles.tolist():
            pygame.draw.polygon(surface, color, needle)
    else:
        for neck, start in zip(necks[near].tolist(), starts[near].tolist(), strict=True):
            pygame.draw.line(surface, color, start, neck, thick)
        for head in np.stack((ends, necks + wings, necks - wings), axis=1)[near].tolist():
            pygame.draw.polygon(surface, color, head)
    _draw_scale(canvas, full)


def _draw_scale(canvas: Canvas, full: float) -> None:
    """Draw an arrow of the scale's length with its value, at the lower left, above the scale bar's height."""
    ui = canvas.ui_scale
    left, top, _, height = canvas.camera.view
    x, y = left + 14.0 * ui, top + height - 34.0 * ui
    end = x + LONGEST * ui
    pygame.draw.line(canvas.surface, palette.IMPULSE, (x, y), (end - _HEAD * ui, y), max(1, round(1.5 * ui)))
    half = 0.5 * _HEAD * ui
    pygame.draw.polygon(canvas.surface, palette.IMPULSE, ((end, y), (end - _HEAD * ui, y - half), (end - _HEAD * ui, y + half)))
    canvas.text_px((end + 8.0 * ui, y), f"{full:g} N s", palette.TEXT, 12.0, "left", plate=True)
