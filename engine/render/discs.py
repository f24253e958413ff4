"""Discs and rings as small pictures with exact soft edges, made once and copied: ten times as fast as `draw.aacircle`.

The coverage of a pixel at distance d from the centre of a disc of radius r is ``clip(r + 1/2 - d, 0, 1)``.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pygame
from pygame.surfarray import pixels3d, pixels_alpha  # not `import pygame.surfarray`: that is put off to the first use, in any thread

from engine.common.arrays import FloatArray, IntArray
from engine.render import palette
from engine.render.palette import Color

__all__ = ["LARGEST_DISC", "DiscBook"]

LARGEST_DISC = 160.0
"""Pixels of radius up to which a disc is kept as a picture: 0.4 MB at the most."""
_MOST_PICTURES = 512


class DiscBook:
    """Pictures of discs by size and colours; radii are rounded to a quarter of a pixel."""

    def __init__(self) -> None:
        self._pictures, self._stamps = lru_cache(_MOST_PICTURES)(_disc), lru_cache(_MOST_PICTURES)(_stamp)

    def picture(self, radius: float, fill: Color | None, outline: Color | None, width: float = 1.0, alpha: float = 1.0) -> pygame.Surface:
        """Return a square picture with the disc in its middle: an odd number of pixels wide, no larger than it must be."""
        fill, outline = palette.now(fill) if fill is not None else None, palette.now(outline) if outline is not None else None
        return self._pictures(max(2, round(radius * 4.0)), fill, outline, round(width * 4.0), round(alpha * 16.0))

    def stamp(self, radius: float, ring: bool, width: float = 1.0, alpha: float = 1.0) -> IntArray:
        """Return what share of each pixel a dot covers, or a ring, in 256ths, int64 (n, n): what `picture` has as its opacity."""
        return self._stamps(max(2, round(radius * 4.0)), ring, round(width * 4.0), round(alpha * 16.0))


# Lengths in quarters of a pixel, opacities in sixteenths.


def _stamp(radius: int, ring: bool, width: int, alpha: int) -> IntArray:
    outer, inner = _covers(radius / 4.0, width / 4.0)
    shares: IntArray = np.rint(256.0 * (alpha / 16.0) * (outer - inner if ring else outer)).astype(np.int64)
    return shares


def _disc(radius: int, fill: Color | None, outline: Color | None, width: int, alpha: int) -> pygame.Surface:
    outer, inner = _covers(radius / 4.0, width / 4.0 if outline is not None else 0.0)
    surface = pygame.Surface(outer.shape, pygame.SRCALPHA)
    rgb = np.zeros((*outer.shape, 3))
    rgb[:] = outline if outline is not None else fill if fill is not None else (0, 0, 0)
    cover = outer if fill is not None else outer - inner
    if fill is not None and outline is not None:
        rgb += inner[:, :, None] * (np.array(fill, dtype=np.float64) - rgb)
    pixels3d(surface)[:] = np.rint(rgb).astype(np.uint8)
    pixels_alpha(surface)[:] = np.rint(255.0 * (alpha / 16.0) * cover).astype(np.uint8)
    return surface


def _covers(radius: float, width: float) -> tuple[FloatArray, FloatArray]:
    """Return what share of each pixel a disc covers, and what share of it lies inside of an outline of that width."""
    half = math.ceil(radius + 0.5) - 1  # the farthest pixel that is covered at all
    axis = np.arange(2 * half + 1) - half
    distance: FloatArray = np.hypot(axis[:, None], axis[None, :]).astype(np.float64)
    return np.clip(radius + 0.5 - distance, 0.0, 1.0), np.clip(radius - width + 0.5 - distance, 0.0, 1.0)
